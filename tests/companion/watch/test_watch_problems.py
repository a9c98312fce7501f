"""A table of a fishing game that breaks the rules or seems to, takebacks, and what is harmless."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.observations import (
    ELSEWHERE,
    TrackedCard,
)
from companion.observations import FIELD as ON_FIELD
from companion.table.events import NewEvent
from tests.companion.watch.fishing_session import (
    FIELD,
    FIRST,
    SECOND,
    WatchedTable,
    cards,
    play_all,
    played,
    turn,
    with_more,
)
from tests.companion.watch.fishing_sim import play_turn
from tests.message_text import english


def draw_skipped(session: WatchedTable) -> None:
    session.play(1, "pine-crane", "pine-chaff-1")
    session.rest(3)
    session.play(2, "plum-warbler", "plum-ribbon")
    session.play(2, "cherry-curtain", "cherry-ribbon")


BROKEN = {
    "wrong-flower": play_all((1, "maple-deer", "plum-ribbon"), (1, "willow-ribbon")),
    "capture-refused": play_all((1, "pine-crane"), (1, "willow-ribbon")),
    "two-cards-played": play_all(
        (1, "pine-crane", "pine-chaff-1"),
        (1, "plum-warbler", "plum-ribbon"),
        (1, "cherry-curtain", "cherry-ribbon"),
    ),
    "draw-missing": draw_skipped,
    "out-of-turn": play_all((2, "pine-crane", "pine-chaff-1"), (2, "plum-warbler", "plum-ribbon")),
}


class TestProblems:
    """Tables that break the rules or seem to: each is reported once, or ignored if harmless."""

    @pytest.mark.parametrize("code", BROKEN)
    def test_a_broken_rule_is_reported_once(self, code: str) -> None:
        session = WatchedTable().deal()
        BROKEN[code](session)
        session.rest()
        assert session.problems == [code]

    def test_the_pictures_before_and_after(self) -> None:
        session = WatchedTable().deal()
        committed = f"frame-{session.top.frames:04d}"
        BROKEN["wrong-flower"](session)
        session.rest()
        pictures = session.table.open_problems[0].data["pictures"]
        assert pictures["before"] == committed
        assert pictures["after"] > committed

    def test_a_problem_is_settled_when_fixed(self) -> None:
        session = WatchedTable().deal()
        BROKEN["wrong-flower"](session)
        session.rest()
        session.top.cards.pop("maple-deer")
        session.top.put("plum-ribbon", ON_FIELD, (225.0, 185.0))
        session.play(1, "plum-warbler", "plum-ribbon")
        session.rest(3)
        assert session.problems == ["wrong-flower"]
        assert session.open_problems == []
        assert played(session) == [(1, "plum-warbler", ("plum-ribbon",)), (1, "willow-ribbon", ())]

    def test_a_card_moved_between_piles(self) -> None:
        session = WatchedTable().deal()
        session.turn(*FIRST)
        session.turn(*SECOND)
        session.top.take(2, ("pine-crane",))
        session.rest()
        assert session.problems == ["card-moved"]
        assert session.table.open_problems[0].data["cards"] == ["pine-crane"]
        session.top.take(1, ("pine-crane",))
        session.rest(3)
        assert session.open_problems == []
        assert played(session) == cards(FIRST, SECOND)

    def test_a_phone_on_field_cards(self) -> None:
        session = WatchedTable().deal()
        session.top.thing = (180.0, 115.0, 20.0)
        session.see(replace(session.top.observation(), notes=("thing-on-table",)))
        session.rest()
        assert session.problems == ["not-seen"]
        assert session.table.open_problems[0].data["cards"] == ["pine-chaff-1"]
        session.top.thing = None
        session.rest(1)
        assert session.open_problems == []
        session.turn(*FIRST)
        assert played(session) == cards(FIRST)

    @pytest.mark.parametrize(
        ("likely", "code", "named"),
        [
            ((("pine-crane", 0.04), ("plum-ribbon", 0.03)), "unknown-card", []),
            ((("plum-ribbon", 0.98),), "card-twice", ["plum-ribbon"]),
        ],
    )
    def test_a_card_that_is_not_of_the_game(
        self, likely: tuple[tuple[str, float], ...], code: str, named: list[str]
    ) -> None:
        session = WatchedTable().deal()
        name = likely[0][0] if likely[0][1] > 0.8 else None
        ninth = TrackedCard(900, name, likely, ON_FIELD, (400.0, 115.0))
        for _ in range(8):
            session.see(with_more(session.top.observation(), ninth))
        assert session.problems == [code]
        assert session.table.open_problems[0].data["cards"] == named
        session.rest(1)
        assert session.open_problems == []

    def test_a_card_of_the_draw_pile_that_is_looked_at(self) -> None:
        session = WatchedTable().deal()
        session.top.put("maple-deer", ELSEWHERE, (115.0, 190.0))
        session.rest(3)
        session.top.cards.pop("maple-deer")
        session.rest(3)
        assert session.problems == ["card-peeked"]
        session.turn(*FIRST)
        assert session.open_problems == []
        assert played(session) == cards(FIRST)

    def test_many_missed_turns_and_a_reset_of_the_table(self) -> None:
        """If nothing is reported, the differences are; if players set the table to what is seen, all is well."""
        session = WatchedTable().deal()
        for player, card, taken in (
            (1, "pine-crane", "pine-chaff-1"), (1, "plum-warbler", "plum-ribbon"),
            (2, "cherry-curtain", "cherry-ribbon"), (2, "wisteria-cuckoo", "wisteria-chaff-1"),
            (1, "iris-bridge", "iris-ribbon"), (1, "peony-butterflies", "peony-ribbon"),
            (2, "clover-ribbon", "clover-boar"), (2, "susuki-moon", "susuki-geese"),
        ):  # fmt: skip
            session.play(player, card, taken)
        for name in FIELD:
            if name in session.top.cards:
                session.cover(name)
        session.top.deal(["maple-deer", "willow-ribbon", "paulownia-yellow", "chrysanthemum-sake"])
        session.rest()
        assert session.problems == ["table-differs"]
        message = english(session.table.open_problems[0].data["message"])
        for name in ("Crane and Sun", "Bridge", "Cuckoo"):
            assert name in message
        session.submit(*session.referee.rescan(session.top.observation(), session.table), source="camera")
        assert session.table.round is not None
        assert "iris-bridge" in session.table.round.captured(1)  # type: ignore[attr-defined]  # a fishing round
        assert session.open_problems == []
        session.rest(2)
        assert session.open_problems == []

    def test_a_move_that_a_person_entered_is_kept(self) -> None:
        session = WatchedTable().deal()
        session.top.lay(1, "pine-crane", ("pine-chaff-1",))
        entered = {"player": 1, "words": ["play", "pine-crane", "pine-chaff-1"]}
        session.submit(NewEvent("moved", entered))
        session.top.take(1, ("pine-crane", "pine-chaff-1"))
        session.rest(3)
        session.play(1, "plum-warbler", "plum-ribbon")
        session.rest(3)
        assert session.moves == ["1 play pine-crane pine-chaff-1", "1 draw plum-warbler plum-ribbon"]
        assert session.problems == []


class TestTakebacks:
    def test_a_turn_taken_back_is_undone(self) -> None:
        session = WatchedTable().deal()
        session.turn(*FIRST)
        for name, at in (("pine-chaff-1", (180.0, 115.0)), ("plum-ribbon", (180.0, 185.0))):
            session.top.put(name, ON_FIELD, at)
        for name in ("pine-crane", "plum-warbler"):
            session.top.cards.pop(name)
        session.rest()
        assert session.moves == []
        assert session.problems == []
        other = turn(1, ("pine-ribbon", "pine-chaff-1"), ("plum-warbler", "plum-ribbon"))
        session.turn(*other)
        assert played(session) == cards(other)

    def test_a_card_put_down_and_taken_up_again_is_nothing(self) -> None:
        session = WatchedTable().deal()
        session.play(1, "maple-deer")
        session.rest(3)
        session.top.cards.pop("maple-deer")
        session.rest(3)
        assert session.problems == []
        session.turn(*FIRST)
        assert played(session) == cards(FIRST)


class TestHarmlessChanges:
    def test_a_pile_covered_for_ten_turns(self) -> None:
        session = WatchedTable("kekoro").deal()
        turns = [
            FIRST,
            SECOND,
            turn(1, ("wisteria-cuckoo", "wisteria-chaff-1"), ("maple-ribbon", "maple-deer")),
            turn(2, ("iris-bridge", "iris-ribbon"), ("willow-ribbon",)),
            turn(1, ("willow-swallow", "willow-ribbon"), ("chrysanthemum-sake",)),
            turn(2, ("clover-ribbon", "clover-boar"), ("paulownia-yellow",)),
            turn(1, ("susuki-moon", "susuki-geese"), ("pine-ribbon",)),
            turn(2, ("pine-chaff-2", "pine-ribbon"), ("cherry-chaff-1",)),
            turn(1, ("peony-butterflies", "peony-ribbon"), ("iris-chaff-1",)),
            turn(2, ("plum-chaff-1",), ("wisteria-ribbon",)),
        ]
        for each in turns:
            fresh = {name for move in each for name in (move.card, *move.takes)}  # type: ignore[union-attr]  # no calls
            for observation in play_turn(session.top, each):
                keys = {session.top.cards[name].key for name in fresh if name in session.top.cards}
                visible = [c for c in observation.cards if c.zone != "captured-1" or c.key in keys]
                session.see(replace(observation, cards=tuple(visible)))
        assert session.problems == []
        assert played(session) == cards(*turns)

    def test_the_camera_is_knocked(self) -> None:
        session = WatchedTable().deal()
        session.turn(*FIRST)
        for notes in (("camera-moved",), (), ()):
            seen = session.top.observation()
            moved = (
                replace(card, at=(card.at[0] + 40.0, card.at[1] - 25.0), key=card.key + 500)
                for card in seen.cards
            )
            session.see(replace(seen, cards=tuple(moved), notes=notes))
        session.turn(*SECOND)
        assert session.problems == []
        assert played(session) == cards(FIRST, SECOND)

    @pytest.mark.parametrize("note", ["light-changed", "thing-on-table"])
    def test_light_and_things_beside_the_cards(self, note: str) -> None:
        session = WatchedTable().deal()
        session.turn(*FIRST)
        for _ in range(4):
            session.see(replace(session.top.observation(), notes=(note,)))
        session.turn(*SECOND)
        assert session.problems == []
        assert played(session) == cards(FIRST, SECOND)

    def test_two_turns_between_two_observations(self) -> None:
        session = WatchedTable().deal()
        play_all(
            (1, "pine-crane", "pine-chaff-1"),
            (1, "plum-warbler", "plum-ribbon"),
            (2, "cherry-curtain", "cherry-ribbon"),
            (2, "maple-deer"),
        )(session)
        session.rest(3)
        assert session.problems == []
        assert played(session) == cards(FIRST, SECOND)
