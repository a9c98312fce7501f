"""Tables that break the rules or seem to: each is reported, or ignored if harmless."""

from __future__ import annotations

from dataclasses import replace

import pytest
from referee_session import Session, turn

from companion.observations import ELSEWHERE, FIELD, Observation, TrackedCard
from companion.table.events import NewEvent
from tests.companion.watch.fishing_sim import play_turn
from tests.message_text import english

FIRST = turn(1, ("pine-crane", "pine-chaff-1"), ("plum-warbler", "plum-ribbon"))
FIRST_WORDS = ["1 play pine-crane pine-chaff-1", "1 draw plum-warbler plum-ribbon"]
SECOND = turn(2, ("cherry-curtain", "cherry-ribbon"), ("maple-deer",))
SECOND_WORDS = ["2 play cherry-curtain cherry-ribbon", "2 draw maple-deer"]


def with_more(observation: Observation, *more: TrackedCard) -> Observation:
    return replace(observation, cards=(*observation.cards, *more))


def moved(observation: Observation, by: tuple[float, float], key: int = 0) -> Observation:
    cards = tuple(
        replace(card, at=(card.at[0] + by[0], card.at[1] + by[1]), key=card.key + key)
        for card in observation.cards
    )
    return replace(observation, cards=cards)


# --- illegal tables


def test_wrong_flower() -> None:
    session = Session().deal()
    session.play(1, "maple-deer", "plum-ribbon")
    session.play(1, "willow-ribbon")
    session.observations()
    assert session.problems == ["wrong-flower"]
    assert session.moves == []


def test_capture_refused() -> None:
    session = Session().deal()
    session.play(1, "pine-crane")
    session.play(1, "willow-ribbon")
    session.observations(6)
    assert session.problems == ["capture-refused"]


def test_two_cards_played() -> None:
    session = Session().deal()
    session.play(1, "pine-crane", "pine-chaff-1")
    session.play(1, "plum-warbler", "plum-ribbon")
    session.play(1, "cherry-curtain", "cherry-ribbon")
    session.observations()
    assert session.problems == ["two-cards-played"]


def test_draw_skipped() -> None:
    session = Session().deal()
    session.play(1, "pine-crane", "pine-chaff-1")
    session.observations()
    session.play(2, "plum-warbler", "plum-ribbon")
    session.play(2, "cherry-curtain", "cherry-ribbon")
    session.observations()
    assert session.problems == ["draw-missing"]


def test_out_of_turn() -> None:
    session = Session().deal()
    session.play(2, "pine-crane", "pine-chaff-1")
    session.play(2, "plum-warbler", "plum-ribbon")
    session.observations()
    assert session.problems == ["out-of-turn"]


def test_card_moved_between_piles() -> None:
    session = Session().deal()
    session.turn(*FIRST)
    session.turn(*SECOND)
    session.top.take(2, ("pine-crane",))
    session.observations()
    assert session.problems == ["card-moved"]
    assert session.table.open_problems[0].data["cards"] == ["pine-crane"]
    session.top.take(1, ("pine-crane",))
    session.observations()
    assert session.open_problems == []
    assert session.moves == FIRST_WORDS + SECOND_WORDS


def test_pictures_before_and_after() -> None:
    session = Session().deal()
    committed = f"frame-{session.top.frames:04d}"
    session.play(1, "maple-deer", "plum-ribbon")
    session.play(1, "willow-ribbon")
    session.observations()
    pictures = session.table.open_problems[0].data["pictures"]
    assert pictures == {"before": committed, "after": f"frame-{session.top.frames:04d}"}


def test_a_problem_is_reported_once_and_resolved_when_fixed() -> None:
    session = Session().deal()
    session.play(1, "maple-deer", "plum-ribbon")
    session.play(1, "willow-ribbon")
    session.observations(9)
    assert session.problems == ["wrong-flower"]
    session.top.cards.pop("maple-deer")
    session.top.put("plum-ribbon", FIELD, (225.0, 185.0))
    session.play(1, "plum-warbler", "plum-ribbon")
    session.observations()
    assert session.moves == ["1 play willow-ribbon", "1 draw plum-warbler plum-ribbon"]  # seen in this order
    assert session.open_problems == []


# --- undone moves


def test_a_turn_taken_back_is_undone() -> None:
    session = Session().deal()
    session.turn(*FIRST)
    assert session.moves == FIRST_WORDS
    for card, at in (("pine-chaff-1", (180.0, 115.0)), ("plum-ribbon", (180.0, 185.0))):
        session.top.put(card, FIELD, at)
    for card in ("pine-crane", "plum-warbler"):
        session.top.cards.pop(card)
    session.observations()
    assert session.moves == []
    assert [event.kind for event in session.reported if event.kind == "undone"] == ["undone"]
    session.turn(*turn(1, ("pine-ribbon", "pine-chaff-1"), ("plum-warbler", "plum-ribbon")))
    assert session.moves[0] == "1 play pine-ribbon pine-chaff-1"


def test_a_card_put_down_and_taken_up_again_is_nothing() -> None:
    session = Session().deal()
    session.play(1, "maple-deer")
    session.observations()
    session.top.cards.pop("maple-deer")
    session.observations()
    assert session.problems == []
    session.turn(*FIRST)
    assert session.moves == FIRST_WORDS


def test_a_stock_card_revealed_and_put_back() -> None:
    session = Session().deal()
    session.top.put("maple-deer", ELSEWHERE, (115.0, 190.0))
    session.observations()
    session.top.cards.pop("maple-deer")
    session.observations(1)
    assert session.problems == ["card-peeked"]
    session.turn(*FIRST)
    assert session.open_problems == []
    assert session.moves == FIRST_WORDS


# --- harmless changes


def test_a_pile_covered_for_ten_turns() -> None:
    session = Session("kekoro").deal()
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
        for observation in play_turn(session.top, each):
            fresh = {name for move in each for name in (move.card, *move.takes)}
            names = {session.top.cards[name].key for name in fresh if name in session.top.cards}
            cards = [c for c in observation.cards if c.zone != "captured-1" or c.key in names]
            session.see(replace(observation, cards=tuple(cards)))
    assert session.problems == []
    assert session.moves == [str(move) for each in turns for move in each]


def test_the_camera_is_knocked() -> None:
    session = Session().deal()
    session.turn(*FIRST)
    observation = replace(moved(session.top.observation(), (40.0, -25.0), key=500), notes=("camera-moved",))
    session.see(observation)
    for _ in range(2):
        session.see(moved(session.top.observation(), (40.0, -25.0), key=500))
    assert session.problems == []
    session.turn(*SECOND)
    assert session.moves == FIRST_WORDS + SECOND_WORDS


@pytest.mark.parametrize("note", ["light-changed", "thing-on-table"])
def test_light_and_things_beside_the_cards(note: str) -> None:
    session = Session().deal()
    session.turn(*FIRST)
    for _ in range(4):
        session.see(replace(session.top.observation(), notes=(note,)))
    session.turn(*SECOND)
    assert session.problems == []
    assert session.moves == FIRST_WORDS + SECOND_WORDS


def test_a_phone_placed_on_field_cards() -> None:
    session = Session().deal()
    session.top.thing = (180.0, 115.0, 20.0)
    session.see(replace(session.top.observation(), notes=("thing-on-table",)))
    session.observations(4)
    assert session.problems == ["not-seen"]
    assert session.table.open_problems[0].data["cards"] == ["pine-chaff-1"]
    session.top.thing = None
    session.observations(1)
    assert session.open_problems == []
    session.turn(*FIRST)
    assert session.moves == FIRST_WORDS


# --- foreign objects


def test_a_foreign_card() -> None:
    session = Session().deal()
    stranger = TrackedCard(900, None, (("pine-crane", 0.04), ("plum-ribbon", 0.03)), FIELD, (400.0, 115.0))
    for _ in range(4):
        session.see(with_more(session.top.observation(), stranger))
    assert session.problems == ["unknown-card"]
    session.observations(1)
    assert session.open_problems == []


def test_a_card_twice() -> None:
    session = Session().deal()
    twice = TrackedCard(900, "plum-ribbon", (("plum-ribbon", 0.98),), FIELD, (400.0, 115.0))
    for _ in range(4):
        session.see(with_more(session.top.observation(), twice))
    assert session.problems == ["card-twice"]
    assert session.table.open_problems[0].data["cards"] == ["plum-ribbon"]


# --- out of step


def test_two_turns_between_two_observations() -> None:
    session = Session().deal()
    session.play(1, "pine-crane", "pine-chaff-1")
    session.play(1, "plum-warbler", "plum-ribbon")
    session.play(2, "cherry-curtain", "cherry-ribbon")
    session.play(2, "maple-deer")
    session.observations()
    assert session.problems == []
    assert sorted(session.moves) == sorted(FIRST_WORDS + SECOND_WORDS)


def test_many_missed_turns_and_a_reset_of_the_table() -> None:
    session = Session().deal()
    for player, card, taken in (
        (1, "pine-crane", "pine-chaff-1"), (1, "plum-warbler", "plum-ribbon"),
        (2, "cherry-curtain", "cherry-ribbon"), (2, "wisteria-cuckoo", "wisteria-chaff-1"),
        (1, "iris-bridge", "iris-ribbon"), (1, "peony-butterflies", "peony-ribbon"),
    ):  # fmt: skip
        session.play(player, card, taken)
    session.observations()
    assert session.problems == ["table-differs"]
    message = session.table.open_problems[0].data["message"]
    for name in ("Crane and Sun", "Bridge", "Cuckoo"):
        assert name in english(message)
    session.submit(*session.referee.rescan(session.top.observation(), session.table), source="camera")
    played = session.table.round
    assert played is not None
    assert set(played.field) == {"clover-boar", "susuki-geese"}  # type: ignore[attr-defined]  # a fishing round
    assert "iris-bridge" in played.captured(1)
    assert session.open_problems == []
    session.observations(2)
    assert session.open_problems == []


def test_manual_entries_are_not_changed() -> None:
    session = Session().deal()
    session.top.lay(1, "pine-crane", ("pine-chaff-1",))
    words = ["play", "pine-crane", "pine-chaff-1"]
    session.submit(NewEvent("moved", {"player": 1, "words": words}))
    session.top.take(1, ("pine-crane", "pine-chaff-1"))
    session.observations()
    session.play(1, "plum-warbler", "plum-ribbon")
    session.observations()
    assert session.moves == FIRST_WORDS
    assert session.problems == []
