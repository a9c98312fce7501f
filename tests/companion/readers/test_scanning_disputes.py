"""A camera and readers beside each other: a lasting contradiction is reported as a problem, with its reason."""

from __future__ import annotations

from typing import Any

import pytest
from scanners_sim import TIME

from companion.hanafuda.rules import resolve
from companion.observations import FIELD, STOCK, Observation, TrackedCard, captured_zone
from companion.readers import ReaderReport, ScannedTable
from companion.table import Table
from companion.table.events import Event, NewEvent, Source
from companion.watch.referee import Referee
from tests.message_text import english

TRAY, OTHER = captured_zone(1), captured_zone(2)
DEALT = (
    "pine-chaff-1", "plum-ribbon", "cherry-ribbon", "wisteria-chaff-1",
    "iris-ribbon", "peony-ribbon", "clover-boar", "susuki-geese",
)  # fmt: skip


class Watched:
    """A table with a camera that sees everything, readers everywhere, and a clock."""

    def __init__(self) -> None:
        rules = resolve("koikoi-standard")
        opened = {
            "name": "t",
            "game": "koikoi",
            "rules": rules.to_dict(),
            "players": ["A", "B"],
            "deck": None,
        }
        self.table = Table.open(NewEvent("opened", opened), actor="t", source="program", time=TIME)
        self.scanned_table, self.referee = ScannedTable(), Referee(rules, 2)
        self.now, self.frames = 100.0, 0
        self.lies = dict.fromkeys(DEALT, FIELD)
        self.keys: dict[str, int] = {}
        self.since: dict[str, float] = {}
        self.observation()
        self.submit(NewEvent("began", {"dealer": 1}))

    def submit(self, *new: NewEvent, source: Source = "phone") -> list[Event]:
        return self.table.append(list(new), actor="t", source=source, time=TIME) if new else []

    def observation(self, **moved: str) -> list[Event]:
        """Deliver a camera observation of the cards, after some have moved."""
        for card, zone in moved.items():
            name = card.replace("_", "-")
            self.lies[name], self.since[name] = zone, self.now
        self.frames += 1
        cards = [
            TrackedCard(
                self.keys.setdefault(card, len(self.keys) + 1), card, ((card, 0.99),), zone,
                (60.0 * len(self.keys), 0.0), since=self.since.get(card, 0.0),
            )
            for card, zone in self.lies.items()
        ]  # fmt: skip
        cards.append(TrackedCard(0, "back", (("back", 0.99),), STOCK, (0.0, 200.0)))
        reported = Observation(f"{self.frames:064x}", self.now, tuple(cards))
        return self.submit(*self.scanned_table.see(reported, self.table, self.referee), source="camera")

    def scan(self, card: str, place: str, *, present: bool = True, **more: Any) -> None:
        reported = ReaderReport(card, f"at-{place}", place, self.now, present=present, **more)
        self.scanned_table.process([reported], self.table)

    def wait(self, seconds: float, *, watching: bool = True) -> list[Event]:
        """Advance the time without a new observation."""
        until, reported = self.now + seconds, []
        while (due := self.scanned_table.due) is not None and due <= until:
            self.now = max(self.now, due)
            reported += self.submit(
                *self.scanned_table.tick(self.now, self.table, self.referee, watching=watching),
                source="camera",
            )
        self.now = until
        return reported

    @property
    def moves(self) -> list[str]:
        assert self.table.round is not None
        return [str(move) for move in self.table.round.moves]


@pytest.fixture
def watched() -> Watched:
    return Watched()


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def test_agreeing_scans_are_reported_normally(watched: Watched) -> None:
    for card in ("pine-crane", "pine-chaff-1"):
        watched.scan(card, TRAY)
    watched.scan("maple-deer", FIELD)
    watched.wait(0.2)
    reported = watched.observation(pine_crane=TRAY, pine_chaff_1=TRAY, maple_deer=FIELD)
    assert kinds(reported) == ["moved", "moved"]
    assert watched.moves == ["1 play pine-crane pine-chaff-1", "1 draw maple-deer"]
    assert (reported[0].source, reported[0].evidence) == ("camera", f"{watched.frames:064x}")


def test_with_a_camera_its_observation_is_awaited(watched: Watched) -> None:
    """The field has no reader: only the camera detects new cards there."""
    for card in ("pine-crane", "pine-chaff-1"):
        watched.scan(card, TRAY)
    assert watched.wait(1.4) == []
    assert kinds(watched.observation(pine_crane=TRAY, pine_chaff_1=TRAY, maple_deer=FIELD)) == [
        "moved",
        "moved",
    ]


def test_a_camera_that_has_not_looked_since_contradicts_nobody(watched: Watched) -> None:
    for card in ("pine-crane", "pine-chaff-1"):
        watched.scan(card, TRAY)
    assert watched.wait(8.0) == []


def test_a_covered_camera_beside_readers_is_no_problem(watched: Watched) -> None:
    for card in DEALT:
        watched.scan(card, FIELD)
    watched.wait(1.0)
    watched.lies.clear()
    assert watched.observation() + watched.wait(3.0) + watched.observation() + watched.wait(3.0) == []


def test_a_camera_that_fails_does_not_stop_the_readers(watched: Watched) -> None:
    for card in ("pine-crane", "pine-chaff-1"):
        watched.scan(card, TRAY)
    watched.scan("maple-deer", FIELD)
    assert kinds(watched.wait(2.0, watching=False)) == ["moved", "moved"]
    # It is back, and sees what is known already.
    watched.lies |= {"pine-crane": TRAY, "pine-chaff-1": TRAY, "maple-deer": FIELD}
    assert watched.observation() == []
    assert watched.table.open_questions == []
    assert watched.table.open_problems == []


def disputed(watched: Watched) -> list[Event]:
    """A tray reports a card that is plainly visible to the camera on the field."""
    watched.scan("clover-boar", TRAY)
    watched.wait(0.5)
    watched.observation()
    return watched.wait(8.0)


def test_a_lasting_contradiction_is_a_problem_with_a_picture(watched: Watched) -> None:
    (problem,) = [event for event in disputed(watched) if event.kind == "noticed"]
    assert (problem.data["code"], problem.data["cards"]) == ("card-twice", ["clover-boar"])
    assert english(problem.data["message"]).startswith(
        "The reader in player 1's pile reads Boar, while the camera sees it on the field."
    )
    assert problem.data["pictures"]["after"] == f"{watched.frames:064x}"
    assert watched.moves == []
    assert watched.observation() == [], "it is reported once"


def test_two_readers_that_contradict_each_other_are_no_dispute_with_the_camera(watched: Watched) -> None:
    watched.scan("maple-deer", TRAY)
    watched.scan("maple-deer", OTHER)
    problems = [event for event in watched.wait(8.0, watching=False) if event.kind == "noticed"]
    assert problems
    assert "camera" not in english(problems[0].data["message"]).split(".")[0]


def test_a_resolved_contradiction_settles_its_problem(watched: Watched) -> None:
    disputed(watched)
    watched.scan("clover-boar", TRAY, present=False)
    watched.wait(1.5)
    watched.observation()
    assert watched.table.open_problems == []
    assert watched.moves == []


def test_a_card_briefly_at_two_readers_is_not_a_dispute(watched: Watched) -> None:
    watched.scan("pine-crane", FIELD)
    watched.scan("pine-chaff-1", FIELD)
    watched.wait(0.2)
    for card in ("pine-crane", "pine-chaff-1"):
        watched.scan(card, TRAY)
    watched.wait(0.4)
    for card in ("pine-crane", "pine-chaff-1"):
        watched.scan(card, FIELD, present=False)
    watched.scan("maple-deer", FIELD)
    reported = [
        *watched.wait(0.3),
        *watched.observation(pine_crane=TRAY, pine_chaff_1=TRAY, maple_deer=FIELD),
        *watched.wait(5.0),
    ]
    assert kinds(reported) == ["moved", "moved"]


def test_an_antenna_that_reads_through_the_table_causes_no_question(watched: Watched) -> None:
    for card in DEALT:
        watched.scan(card, TRAY, rssi=-71.0)
    watched.wait(0.5)
    watched.observation()
    assert watched.wait(8.0) == []


def test_a_card_of_another_pack_is_ignored(watched: Watched) -> None:
    watched.scan("mekuri-club-ace", TRAY)
    watched.scan("no-card-at-all", TRAY)
    assert watched.scanned_table.due is None


def test_a_reader_under_the_stock_gives_nothing_away(watched: Watched) -> None:
    watched.scan("maple-deer", STOCK)
    assert watched.scanned_table.due is None


def test_a_wrong_tag_is_asked_about(watched: Watched) -> None:
    """Two tags were swapped when they were paired: the camera sees the maple's deer, but its tag is the willow's
    swallow."""
    watched.scan("pine-crane", TRAY)
    watched.scan("pine-chaff-1", TRAY)
    watched.scan("willow-swallow", FIELD)
    watched.wait(0.2)
    watched.observation(pine_crane=TRAY, pine_chaff_1=TRAY, maple_deer=FIELD)
    watched.wait(8.0)
    (question,) = watched.table.open_questions
    drawn = {choice["events"][-1]["data"]["words"][1] for choice in question.data["choices"]}
    assert {"maple-deer", "willow-swallow"} <= drawn
    assert watched.moves == []
