"""Readers at a live table: tags to cards, cards to the referee, and its events to all followers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from api.context import EXTENSION
from companion.hanafuda.cards import first_of
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round
from tests.api.table_helpers import PHONE, dealt, moved, observe, open_table, send, submit

FIELD = (
    "pine-chaff-1", "plum-ribbon", "cherry-ribbon", "wisteria-chaff-1",
    "iris-ribbon", "peony-ribbon", "clover-boar", "susuki-geese",
)  # fmt: skip
#: How long the tests wait for the referee, s: a busy machine is slow.
PATIENCE = 20.0


@pytest.fixture
def table(client: FlaskClient) -> str:
    return open_table(client)


def scan(
    client: FlaskClient,
    table: str,
    *cards: str,
    place: str = "field",
    device: str = "reader",
    present: bool = True,
    **more: Any,
) -> Any:
    """Scan stickers, whose text is the card."""
    scans = [{"uid": f"hanafuda:{card}", "present": present} for card in cards]
    environ = more.pop("environ_base", {})
    body = {"device": device, "place": place, "scans": scans, **more}
    return client.post(f"/api/tables/{table}/scans", json=body, environ_base=environ)


def view(client: FlaskClient, table: str) -> dict[str, Any]:
    state: dict[str, Any] = client.get(f"/api/tables/{table}").json["state"]
    return state


def until(client: FlaskClient, table: str, holds: Any) -> dict[str, Any]:
    """Wait until a table's view satisfies a condition, and return it."""
    end = time.monotonic() + PATIENCE
    while not holds(state := view(client, table)):
        assert time.monotonic() < end, state
        time.sleep(0.02)
    return state


def test_readers_alone_report_a_deal_and_a_turn(client: FlaskClient, table: str) -> None:
    answer = scan(client, table, *FIELD)
    assert answer.status_code == 200
    assert answer.json == {"seq": 1, "events": [], "unknown": []}
    dealt = until(client, table, lambda state: state["round"])
    assert sorted(dealt["round"]["field"]) == sorted(FIELD)
    scan(client, table, "pine-crane", "maple-deer")
    scan(client, table, "pine-crane", "pine-chaff-1", present=False)
    scan(client, table, "pine-crane", "pine-chaff-1", place="captured-1", device="tray-1")
    state = until(client, table, lambda state: len(state["history"]) > 1)
    line = state["history"][-1]
    assert (line["seat"], line["play"], line["draw"]) == (1, "pine-crane", "maple-deer")
    assert (line["source"], line["actor"], line["pictures"]) == (
        "scanner",
        "tray-1",
        {"before": None, "after": None},
    )


def turn(client: FlaskClient, table: str) -> None:
    """Deal, and play a turn with readers under the piles."""
    scan(client, table, *FIELD)
    until(client, table, lambda state: state["round"])
    scan(client, table, "pine-crane", "maple-deer")
    scan(client, table, "pine-crane", "pine-chaff-1", place="captured-1", device="tray-1")


def test_tags_stand_for_the_cards_they_are_paired_with(client: FlaskClient, table: str) -> None:
    tags = {f"E0{number:02}": card for number, card in enumerate(FIELD)}
    client.put("/api/decks/hanafuda/tags", json={"tags": tags})
    body = {
        "device": "field-reader", "place": "field",
        "scans": [{"uid": uid} for uid in (*tags, "E0FF", "hanafuda:no-card", "mekurifuda:mekuri-club-ace")],
    }  # fmt: skip
    answer = client.post(f"/api/tables/{table}/scans", json=body).json
    assert answer["unknown"] == ["E0FF", "hanafuda:no-card", "mekurifuda:mekuri-club-ace"]
    assert sorted(until(client, table, lambda state: state["round"])["round"]["field"]) == sorted(FIELD)
    last = client.get("/api/tags/last").json
    seen = [each["uid"] for each in last["scans"]]
    assert "E0FF" in seen, "whoever pairs tags sees it"


def test_scans_that_are_sent_again_count_once(client: FlaskClient, table: str) -> None:
    """With a handheld scanner, where the same card twice would be in two turns."""
    first = scan(client, table, *FIELD, place="any", device="gun", key="k1")
    until(client, table, lambda state: state["round"])
    again = scan(client, table, *FIELD, place="any", device="gun", key="k1")
    assert (first.status_code, again.status_code) == (200, 200)
    scan(client, table, "pine-crane", "maple-deer", place="any", device="gun", key="k2")
    scan(client, table, "pine-crane", "maple-deer", place="any", device="gun", key="k2")
    state = until(client, table, lambda state: len(state["history"]) > 1)
    assert (state["history"][-1]["play"], state["history"][-1]["draw"]) == ("pine-crane", "maple-deer")
    assert state["round"]["to_move"] == 2


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"scans": [{"uid": "E001", "text": "x"}]}, 422),
        ({"scans": [{}]}, 422),
        ({"scans": [{"uid": "E001", "ago_ms": -1}]}, 422),
        ({"scans": [{"uid": "E001", "rssi": 1e9}]}, 422),
        ({"place": "nowhere"}, 422),
        ({"place": "captured-0"}, 422),
        ({"scans": [{"uid": "E001"}] * 501}, 422),
        ({"scans": []}, 200),
        ({"scans": [{"uid": "E001", "ago_ms": 4e8}]}, 200),
    ],
)
def test_what_readers_may_say(client: FlaskClient, table: str, changes: dict[str, Any], status: int) -> None:
    body = {"device": "reader", "place": "field", "scans": [{"uid": "E001"}], **changes}
    assert client.post(f"/api/tables/{table}/scans", json=body).status_code == status


def test_a_phone_is_no_reader(client: FlaskClient, table: str) -> None:
    assert scan(client, table, "pine-crane", environ_base=PHONE).status_code == 403
    assert scan(client, "no-such-table", "pine-crane").status_code == 404


def test_readers_and_a_camera_are_merged(client: FlaskClient, table: str) -> None:
    """The camera cannot name the card in the pile, but the reader can."""

    def seen(names: dict[str, str], **unsure: str) -> dict[str, Any]:
        cards = [
            {"key": number, "card": None if card in unsure else card,
             "likely": [[unsure.get(card, card), 0.4 if card in unsure else 0.99]],
             "zone": zone, "at": [40.0 * number, 0.0], "since": number / 10}
            for number, (card, zone) in enumerate(names.items(), start=1)
        ]  # fmt: skip
        return {"cards": cards}

    placed = dict.fromkeys(FIELD, "field")
    observe(client, table, frame="f1", time=1.0, **seen(placed))
    until(client, table, lambda state: state["round"])
    submit(client, table, {"kind": "began", "data": {"dealer": 1}})
    state = {"state": "watching", "source": "c"}
    send(client, f"/api/tables/{table}/camera", state=json.dumps(state))
    scan(client, table, "pine-crane", "pine-chaff-1", place="captured-1", device="tray-1")
    placed |= {"pine-crane": "captured-1", "pine-chaff-1": "captured-1", "maple-deer": "field"}
    reported = observe(
        client, table, frame="f2", time=9.0, **seen(placed, **{"pine-crane": "iris-bridge"})
    ).json["events"]
    words = [event["data"]["words"] for event in reported if event["kind"] == "moved"]
    # The clocks of this camera and this server differ, so the order of the first events is unknown.
    assert sorted(tuple(each[1:]) for each in words) == [("maple-deer",), ("pine-crane", "pine-chaff-1")]


def test_scans_outlive_a_referee_that_failed(app: APIFlask, client: FlaskClient, table: str) -> None:
    scan(client, table, *FIELD)
    until(client, table, lambda state: state["round"])
    app.extensions[EXTENSION].driver.watched(table).forget()
    scan(client, table, "pine-crane", "maple-deer")
    scan(client, table, "pine-crane", "pine-chaff-1", place="captured-1", device="tray-1")
    until(client, table, lambda state: len(state["history"]) > 1)


def test_the_table_can_be_taken_as_the_readers_have_it(client: FlaskClient, table: str) -> None:
    turn(client, table)
    until(client, table, lambda state: len(state["history"]) > 1)
    scan(client, table, "willow-swallow", "willow-ribbon", place="captured-2", device="tray-2")

    def as_they_lie() -> list[list[str]]:
        assert client.post(f"/api/tables/{table}/rescan", json={}).status_code == 200
        seats = view(client, table)["round"]["seats"]
        return [sorted(card for cards in seat["captured"].values() for card in cards) for seat in seats]

    wait(lambda: as_they_lie() == [["pine-chaff-1", "pine-crane"], ["willow-ribbon", "willow-swallow"]])


def test_no_thread_is_left_once_the_readers_are_quiet(app: APIFlask, client: FlaskClient, table: str) -> None:
    turn(client, table)
    until(client, table, lambda state: len(state["history"]) > 1)
    wait(lambda: not [each for each in threading.enumerate() if each.name == "readers"])


@pytest.mark.parametrize(("rounds", "stopped", "tables"), [(1, True, 2), (1, False, 2), (2, False, 1)])
@pytest.mark.parametrize("place", ["any", "field"])
def test_a_deal_after_the_game_opens_the_next_table(
    client: FlaskClient, rounds: int, stopped: bool, tables: int, place: str
) -> None:
    """``stopped``: a new deal implies the stop."""
    table = open_table(client, rules={"preset": "koikoi-standard", "rounds": rounds})
    seeds = (random_round("koikoi", seed, resolve("koikoi-standard")) for seed in range(100))
    played = next(each for each in seeds if each.moves[-1].words() == ("call", "stop"))
    reported = moved(played)
    submit(client, table, dealt(played), *(reported if stopped else reported[:-1]))
    new = [each for each in (*played.captured(1), *played.captured(2)) if each][:8]
    scan(client, table, *new, place=place, device="reader")
    wait(lambda: len(client.get("/api/tables").json["tables"]) == tables)
    newest = client.get("/api/tables").json["tables"][0]["id"]
    state = until(
        client, newest, lambda state: state["round"] and firsts(state["round"]["field"]) == firsts(new)
    )
    assert state["round"]["number"] == (1 if tables == 2 else 2)
    if tables == 2:
        over = view(client, table)
        assert [each["how"] for each in over["night"]["rounds"]] == ["stop"]


def firsts(cards: list[str]) -> list[str]:
    """Return cards with look-alikes under one name."""
    return sorted(map(first_of, cards))


def wait(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)
