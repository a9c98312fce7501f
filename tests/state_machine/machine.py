"""The state machine: actions over HTTP, and a simple model's expectations.

The model of a table is the list of events that the server acknowledged; it must equal the log after every
kill, and the server's view must equal the result of replaying the log's events from the beginning.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from companion.hanafuda.simulation import random_round, record_of
from companion.store.backup import create_backup, restore
from companion.store.store import open_store
from companion.table import Table
from companion.table.audiences import PUBLIC, Audiences
from tests.real_server import RealServer, form, picture

#: Headers of a remote phone behind a proxy: unpaired clients are only viewers.
STRANGER = {"Via": "1.1 a-proxy"}
GAMES = {"koikoi": 2, "kekoro": 2, "kakkuri": 7, "kingo": 3}
RESTARTS = 6
"""One in this number of drawn starts and backups is executed."""
LOCK_S = 0.4
"""How long another program locks the database, s: shorter than writes wait."""


class Stage:
    """One server on one folder for all examples, because each start takes seconds."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="companion-machine-"))
        self.server = RealServer(self.root / "data")
        self.server.start()
        self.number = 0
        self.counts: dict[str, int] = {}

    def close(self) -> None:
        self.server.stop()
        shutil.rmtree(self.root, ignore_errors=True)

    def unique(self) -> int:
        self.number += 1
        return self.number

    def count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1


class Machine(RuleBasedStateMachine):
    """Possible actions of an evening; `stage` is set by the caller."""

    stage: Stage

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[dict[str, Any]]] = {}
        self.keys: list[tuple[str, str, list[dict[str, Any]], list[dict[str, Any]]]] = []
        """Table, key, what was sent and what was answered."""
        self.scans: dict[str, tuple[str, list[str | None]]] = {}
        """SHA-256 of the picture and the cards of each scan."""
        self.rules: dict[str, str] = {}
        self.pairings: dict[str, str] = {}
        """Cookie of each pairing, by its id."""
        self.deleted: set[str] = set()

    # --- requests

    def send(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        """Send a request that must succeed."""
        status, answer = self.stage.server.request(method, path, body, headers)
        assert status < 300, (method, path, body, status, answer)
        return answer

    def report(self, table: str, events: list[dict[str, Any]]) -> dict[str, Any]:
        """Report events with a new key and add them to the model."""
        key = f"k{self.stage.unique()}"
        body = {"events": events, "key": key, "expect": len(self.tables[table])}
        answer: dict[str, Any] = self.send("POST", f"/api/tables/{table}/events", body)
        self.keys.append((table, key, events, answer["events"]))
        self.take(table, answer)
        return answer

    def take(self, table: str, answer: dict[str, Any]) -> None:
        self.tables[table] += answer["events"]
        assert [event["seq"] for event in self.tables[table]] == list(range(1, answer["seq"] + 1))

    def state(self, table: str) -> dict[str, Any]:
        answer: dict[str, Any] = self.send("GET", f"/api/tables/{table}")
        assert answer["seq"] == len(self.tables[table])
        return answer

    def one_of(self, data: st.DataObject, of: Any) -> Any:
        """Draw one of ``of`` in the order of insertion: ids are random, so sorted ones would not repeat on a replay."""
        return data.draw(st.sampled_from(list(of)))

    # --- at the table

    @initialize(game=st.sampled_from(sorted(GAMES)))
    def begin(self, game: str) -> None:
        self.open_table(game)

    @precondition(lambda self: len(self.tables) < 3)
    @rule(game=st.sampled_from(sorted(GAMES)))
    def open_table(self, game: str) -> None:
        players = [f"Player {number}" for number in range(1, GAMES[game] + 1)]
        opened = self.send("POST", "/api/tables", {"game": game, "players": players})
        assert opened["seq"] == 1
        events = self.stored(opened["id"])
        assert [event["kind"] for event in events] == ["opened"]
        self.tables[opened["id"]] = events
        self.stage.count("opened")

    @rule(data=st.data(), steps=st.integers(1, 8))
    def play(self, data: st.DataObject, steps: int) -> None:
        """Make legal moves, after a deal if no round is being played."""
        table = self.one_of(data, self.tables)
        for _ in range(steps):
            moves = self.send("GET", f"/api/tables/{table}/moves")["moves"]
            if moves:
                move = data.draw(st.sampled_from(moves))
                event = {"kind": "moved", "data": {"player": move["player"], "words": move["words"]}}
            else:
                event = self.deal(table, data.draw(st.integers(0, 1000)))
            key = f"k{self.stage.unique()}"
            body = {"events": [event], "key": key}
            status, answer = self.stage.server.request("POST", f"/api/tables/{table}/events", body)
            if status == 422:  # a game that is over
                assert event["kind"] == "dealt", (event, answer)
                self.stage.count("refused dealt")
                return
            assert status == 200, (event, answer)
            self.keys.append((table, key, [event], answer["events"]))
            self.take(table, answer)
            self.stage.count(event["kind"])

    def deal(self, table: str, number: int) -> dict[str, Any]:
        """Return the deal of a random round, with the public cards."""
        game = self.tables[table][0]["data"]["game"]
        record = record_of(random_round(game, number, players=GAMES[game]))
        deal = {key: cards for key, cards in record["deal"].items() if key == "field"}
        return {"kind": "dealt", "data": {"deal": deal, "dealer": record["dealer"]}}

    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        table = self.one_of(data, self.tables)
        state = self.state(table)["state"]
        body = {"key": f"k{self.stage.unique()}", "expect": len(self.tables[table])}
        status, answer = self.stage.server.request("POST", f"/api/tables/{table}/undo", body)
        if state["undo"] is None:
            assert status == 409, answer
        else:
            assert status == 200, answer
            self.take(table, answer)
            self.stage.count("undo")

    @rule(data=st.data())
    def redo(self, data: st.DataObject) -> None:
        table = self.one_of(data, self.tables)
        redo = self.state(table)["state"]["redo"]
        if redo is not None:
            self.report(table, [{"kind": "undone", "data": {"of": redo["seq"]}}])
            self.stage.count("redo")

    @rule(data=st.data())
    def correct(self, data: st.DataObject) -> None:
        """Correct a move with one of the server's alternatives."""
        table = self.one_of(data, self.tables)
        moves = [event["seq"] for event in self.tables[table] if event["kind"] == "moved"]
        if not moves:
            return
        seq = data.draw(st.sampled_from(moves))
        offered = self.send("GET", f"/api/tables/{table}/events/{seq}/alternatives")["alternatives"]
        if not offered:
            return
        chosen = data.draw(st.sampled_from(offered))
        event = {"kind": "corrected", "data": {"of": seq, "kind": chosen["kind"], "data": chosen["data"]}}
        body = {"events": [event], "key": f"k{self.stage.unique()}"}
        status, answer = self.stage.server.request("POST", f"/api/tables/{table}/events", body)
        assert status in {200, 422}, (event, answer)
        if status == 200:
            self.take(table, answer)
        self.stage.count(f"corrected {status}")

    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        """Answer an open question, if there is one."""
        table = self.one_of(data, self.tables)
        questions = self.state(table)["state"].get("questions") or []
        if questions:
            question = data.draw(st.sampled_from(questions))
            choice = data.draw(st.integers(0, len(question["choices"]) - 1))
            self.report(
                table, [{"kind": "answered", "data": {"question": question["seq"], "choice": choice}}]
            )
            self.stage.count("answered")

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        """A phone without a response repeats its request: it gets the first response, and nothing is added."""
        table, key, events, answered = data.draw(st.sampled_from(self.keys))
        again = self.send("POST", f"/api/tables/{table}/events", {"events": events, "key": key})
        assert [_known(event) for event in again["events"]] == [_known(event) for event in answered]
        assert again["seq"] == len(self.tables[table])
        self.stage.count("sent again")

    @rule(data=st.data())
    def report_late(self, data: st.DataObject) -> None:
        """A phone that missed an event gets an error, and nothing is stored."""
        table = self.one_of(data, self.tables)
        body = {
            "events": [{"kind": "seated", "data": {"seat": 1, "name": "X"}}],
            "expect": len(self.tables[table]) - 1,
        }
        status, answer = self.stage.server.request("POST", f"/api/tables/{table}/events", body)
        assert (status, answer["seq"]) == (409, len(self.tables[table]))

    # --- scans, rules, pairings

    @rule()
    def scan(self) -> None:
        content = picture(self.stage.unique())
        answer = self.send("POST", "/api/scan", *form(content))
        self.scans[answer["id"]] = (answer.get("sha256", ""), [card["card"] for card in answer["cards"]])
        self.stage.count("scan")

    @precondition(lambda self: self.scans)
    @rule(data=st.data(), card=st.sampled_from(("iris-bridge", "willow-rainman", "maple-deer")))
    def correct_scan(self, data: st.DataObject, card: str) -> None:
        scan = self.one_of(data, self.scans)
        _, cards = self.scans[scan]
        index = data.draw(st.integers(0, len(cards) - 1))
        body = {"corrections": [{"index": index, "card": card}]}
        status, answer = self.stage.server.request("PATCH", f"/api/scans/{scan}", body)
        if card in cards and cards.index(card) != index:
            assert status == 409, answer
        else:
            assert status == 200, answer
            cards[index] = card
            self.stage.count("scan corrected")

    @precondition(lambda self: self.scans)
    @rule(data=st.data())
    def delete_scan(self, data: st.DataObject) -> None:
        scan = self.one_of(data, self.scans)
        self.send("DELETE", f"/api/scans/{scan}")
        del self.scans[scan]
        self.deleted.add(scan)
        self.stage.count("scan deleted")

    @rule(brights=st.integers(5, 20))
    def save_rules(self, brights: int) -> None:
        name = f"House {self.stage.unique()}"
        rules = {"preset": "koikoi-standard", "five_brights": brights}
        answer = self.send("PUT", f"/api/rules/{name.replace(' ', '%20')}", {"rules": rules})
        self.rules[name] = answer["code"]
        self.stage.count("rules")

    @rule()
    def pair(self) -> None:
        invited = self.send("POST", "/api/pairings", {"role": "device", "name": "a box"})
        paired = self.send("POST", "/api/pair", {"code": invited["code"]})
        token = {"Authorization": f"Bearer {paired['token']}"}
        assert self.send("GET", "/api/me", headers=token)["role"] == "device"
        listed = {each["id"] for each in self.send("GET", "/api/pairings")["pairings"]}
        (new,) = [each for each in listed - self.stage_pairings() if each not in self.pairings]
        self.pairings[new] = paired["token"]
        self.stage.known_pairings = listed  # type: ignore[attr-defined]
        self.stage.count("paired")

    def stage_pairings(self) -> set[str]:
        return getattr(self.stage, "known_pairings", set())

    @precondition(lambda self: self.pairings)
    @rule(data=st.data())
    def revoke(self, data: st.DataObject) -> None:
        pairing = self.one_of(data, self.pairings)
        self.send("DELETE", f"/api/pairings/{pairing}")
        token = {"Authorization": f"Bearer {self.pairings.pop(pairing)}"}
        assert self.stage.server.request("GET", "/api/me", headers=token)[0] == 401
        self.stage.count("revoked")

    @rule(data=st.data())
    def stranger(self, data: st.DataObject) -> None:
        """Unpaired clients change nothing."""
        table = self.one_of(data, self.tables)
        requests: list[tuple[str, str, Any]] = [
            ("POST", "/api/tables", {"game": "koikoi", "players": ["A", "B"]}),
            (
                "POST",
                f"/api/tables/{table}/events",
                {"events": [{"kind": "seated", "data": {"seat": 1, "name": "X"}}]},
            ),
            ("POST", f"/api/tables/{table}/undo", {}),
            ("POST", "/api/pairings", {"role": "host"}),
            ("PUT", "/api/rules/X", {"rules": "koikoi-hu"}),
            ("GET", "/api/pairings", None),
        ]
        requests += [("DELETE", f"/api/scans/{scan}", None) for scan in self.scans]
        method, path, body = data.draw(st.sampled_from(requests))
        status, answer = self.stage.server.request(method, path, body, dict(STRANGER))
        assert status in {401, 403, 404}, (method, path, status, answer)
        self.stage.count("stranger refused")

    # --- faults

    @rule(kill=st.booleans(), one_in=st.integers(1, RESTARTS))
    def start_again(self, kill: bool, one_in: int) -> None:
        if one_in > 1:
            return  # a start takes as long as a hundred requests
        if kill:
            self.stage.server.kill()
        else:
            self.stage.server.stop()
        self.stage.server.start()
        health = self.send("GET", "/api/health")
        assert (health["status"], health["notices"]) == ("ok", [])
        self.check_all()
        self.stage.count("killed" if kill else "restarted")

    @rule(data=st.data())
    def lock(self, data: st.DataObject) -> None:
        """Another program locks the database for a moment: reads continue, and the write waits."""
        table = self.one_of(data, self.tables)
        other = sqlite3.connect(
            self.stage.root / "data" / "log.sqlite3", isolation_level=None, check_same_thread=False
        )
        with closing(other):
            other.execute("BEGIN IMMEDIATE")
            assert self.send("GET", "/api/health")["version"]
            self.state(table)
            body = {
                "events": [{"kind": "seated", "data": {"seat": 1, "name": "Locked"}}],
                "key": f"k{self.stage.unique()}",
            }
            end = time.monotonic() + LOCK_S
            while time.monotonic() < end:
                self.send("GET", "/api/tables")
            other.execute("ROLLBACK")
        self.take(table, self.send("POST", f"/api/tables/{table}/events", body))
        self.stage.count("locked")

    @rule(one_in=st.integers(1, RESTARTS))
    def back_up(self, one_in: int) -> None:
        """A backup while the server runs, restored elsewhere, contains everything."""
        if one_in > 1:
            return
        target = self.stage.root / f"backup-{self.stage.unique()}"
        create_backup(self.stage.root / "data", target)
        restored = target.with_name(target.name + "-restored")
        restore(target, restored)
        log = open_store(restored)
        try:
            for table, events in self.tables.items():
                assert [_known(event.to_json()) for event in log.tables.load(table)] == list(
                    map(_known, events)
                )
            assert self.scans.keys() <= {scan.id for scan in log.scans.all()}
            assert not self.deleted & {scan.id for scan in log.scans.all()}
        finally:
            log.close()
            shutil.rmtree(restored)
            shutil.rmtree(target)
        self.stage.count("backup")

    # --- invariants

    def stored(self, table: str) -> list[dict[str, Any]]:
        """Return the events of a table in the log on the disk."""
        with closing(sqlite3.connect(self.stage.root / "data" / "log.sqlite3")) as db:
            db.row_factory = sqlite3.Row
            rows = db.execute(
                "SELECT * FROM table_events WHERE table_id = ? ORDER BY seq", [table]
            ).fetchall()
        names = ("seq", "group", "time", "actor", "source", "kind", "data", "confidence", "evidence")
        return [
            {name: json.loads(row[name]) if name == "data" else row[name] for name in names} for row in rows
        ]

    def check_all(self) -> None:
        stored = {table: self.stored(table) for table in self.tables}
        for table, events in self.tables.items():
            assert [_known(event) for event in stored[table]] == [_known(event) for event in events]
        for table, _, sent, answered in self.keys:
            for event, taken in zip(sent, answered, strict=True):
                assert stored[table][taken["seq"] - 1]["data"] == event["data"]
        for scan, (_, cards) in self.scans.items():
            assert [card["card"] for card in self.send("GET", f"/api/scans/{scan}")["cards"]] == cards
        for scan in self.deleted:
            assert self.stage.server.request("GET", f"/api/scans/{scan}")[0] == 404
        for name, code in self.rules.items():
            assert self.send("GET", f"/api/rules/{name.replace(' ', '%20')}")["code"] == code
        for token in self.pairings.values():
            assert (
                self.send("GET", "/api/me", headers={"Authorization": f"Bearer {token}"})["role"] == "device"
            )

    @invariant()
    def what_is_displayed_is_what_is_stored(self) -> None:
        for table, events in self.tables.items():
            displayed = self.send("GET", f"/api/tables/{table}")
            assert displayed["seq"] == len(events)
            log = open_store(self.stage.root / "data")
            try:
                replayed = Audiences(Table.of(log.tables.load(table))).known(PUBLIC)
            finally:
                log.close()
            assert _plain(replayed.view()) == displayed["state"]

    def teardown(self) -> None:
        if self.tables:
            self.check_all()


def _known(event: dict[str, Any]) -> tuple[Any, ...]:
    """Return the public part of an event; hidden cards are in its data."""
    return tuple(event[key] for key in ("seq", "group", "time", "actor", "source", "kind"))


def _plain(view: Any) -> Any:
    return json.loads(json.dumps(view))
