"""A table of a fishing game with cards that no observation shows, or only in motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.observations import FIELD as ON_FIELD
from companion.observations import (
    POSTED,
    HandEvent,
    Observation,
    TrackedCard,
    captured_zone,
)
from companion.watch.evidence import SightMemory, TableSight
from companion.watch.parameters import PARAMETERS
from tests.companion.watch.fishing_session import (
    FIELD,
    LONG,
    SECOND,
    WatchedTable,
    cards,
    played,
    turn,
    with_more,
)
from tests.companion.watch.fishing_sim import QUIET
from tests.message_text import english


def first_turn(session: WatchedTable) -> WatchedTable:
    """Player 1 captures the plum ribbon with the warbler, which nobody sees; no chrysanthemum is on the field."""
    session.play(1, "plum-warbler", "plum-ribbon")
    session.cover("plum-warbler")
    session.play(1, "chrysanthemum-sake")
    return session


def choices(session: WatchedTable) -> list[str]:
    """Return the answers to the one open question."""
    (question,) = session.table.open_questions
    return [english(each["says"]) for each in question.data["choices"]]


def in_motion(card: str, p: float) -> TrackedCard:
    """Return a card that was detected on the field while something moved."""
    return TrackedCard(0, card, ((card, p),), ON_FIELD, (10.0, 10.0))


def number_of(session: WatchedTable, card: str) -> int:
    """Return the number of the likeliest answer with a card."""
    (question,) = session.table.open_questions
    return next(
        number
        for number, each in enumerate(question.data["choices"])
        if any(card in event["data"].get("words", ()) for event in each["events"])
    )


class TestCoveredCards:
    """Cards that no observation shows, or only in motion."""

    def test_a_covered_card_that_took_one_of_two_lookalikes_is_asked_for(self) -> None:
        """The other look-alike is still on the field."""
        session = WatchedTable().deal((*FIELD[:-2], "susuki-chaff-1", "susuki-chaff-2"))
        session.play(1, "plum-warbler", "plum-ribbon")
        session.play(1, "susuki-moon", "susuki-chaff-1")
        session.cover("susuki-moon")
        session.rest()
        assert sorted(each.partition("draws ")[2] for each in choices(session)) == [
            "Full Moon and takes Susuki Chaff",
            "Geese and takes Susuki Chaff",
        ]

    @pytest.mark.parametrize("notes", [(), (POSTED,)])
    def test_a_covered_card_is_asked_for(self, notes: tuple[str, ...]) -> None:
        """If somebody takes a picture for the program, at once."""
        session = first_turn(WatchedTable().deal())
        if notes:
            session.see(replace(session.top.observation(), notes=notes))
        else:
            session.rest()
        assert session.problems == []
        assert session.moves == []
        assert len(choices(session)) >= 2  # the warbler, or one of the plain plums, which look alike

    @pytest.mark.parametrize("answered", [0, 1])
    def test_a_guess_is_corrected_when_the_card_is_revealed(self, answered: int) -> None:
        session = first_turn(WatchedTable().deal())
        session.rest()
        session.answer(answered, source="program")
        session.rest(2)
        session.uncover("plum-warbler")
        session.rest()
        assert played(session) == [(1, "chrysanthemum-sake", ()), (1, "plum-warbler", ("plum-ribbon",))]
        assert session.problems == []
        assert not session.table.open_questions

    def test_a_guess_is_corrected_when_the_card_that_was_guessed_is_played(self) -> None:
        session = first_turn(WatchedTable().deal())
        session.rest()
        session.answer(number_of(session, "plum-chaff-1"), source="program")
        session.rest(2)
        session.play(2, "plum-chaff-1")
        session.play(2, "plum-chaff-2", "plum-chaff-1")
        session.rest()
        assert any("plum-warbler" in move and "plum-ribbon" in move for move in session.moves)

    def test_a_question_stays_open_while_another_card_cannot_be_read(self) -> None:
        session = first_turn(WatchedTable().deal())
        session.rest()
        unread = TrackedCard(900, None, (("pine-crane", 0.04),), captured_zone(2), (400.0, 20.0))
        for _ in range(LONG):
            session.see(with_more(session.top.observation(), unread))
        assert session.problems == ["unknown-card"]
        assert len(choices(session)) >= 2

    def test_what_followed_a_question_is_reported_once_it_is_answered_at_the_end(self) -> None:
        """No answer is likely enough to be guessed before."""
        dealt = [card.replace("cherry-ribbon", "cherry-chaff-1") for card in FIELD]
        session = WatchedTable().deal(dealt)
        session.play(1, "cherry-curtain", "cherry-chaff-1")
        session.cover("cherry-curtain")
        session.play(1, "chrysanthemum-sake")
        session.rest()
        following = turn(2, ("maple-deer",), ("willow-ribbon",))
        session.turn(*following)
        session.rest()
        assert session.moves == []
        session.answer(0, source="program")
        session.close()
        assert played(session)[2:] == cards(following)

    def test_the_game_goes_on_without_an_answer(self) -> None:
        """The likeliest turn is reported once the next one has been played."""
        session = first_turn(WatchedTable().deal())
        session.rest()
        assert session.moves == []
        assert len(session.table.open_questions) == 1
        session.turn(*SECOND)
        session.rest(3)
        assert session.problems == []
        assert session.table.open_questions == []
        assert played(session)[2:] == cards(SECOND)
        assert [move[:2] for move in played(session)[:1]] == [(1, "chrysanthemum-sake")]

    def test_an_answer_of_a_person_is_kept(self) -> None:
        session = first_turn(WatchedTable().deal())
        session.rest()
        session.answer(1)
        answered = session.moves
        session.uncover("plum-warbler")
        session.rest()
        assert session.moves == answered

    @pytest.mark.parametrize(
        "seen",
        [
            {"weak_detections": (in_motion("plum-warbler", 0.97),)},
            {"transient_detections": (in_motion("plum-warbler", 1.0),)},
        ],
        ids=["weakly", "in motion"],
    )
    def test_a_card_that_was_detected_for_a_moment_is_known(self, seen: dict[str, Any]) -> None:
        session = first_turn(WatchedTable().deal())
        session.see(replace(session.top.observation(), **seen))
        session.rest()
        found = session.moves or choices(session)[:1]
        assert any("plum-warbler" in each or "Bush Warbler" in each for each in found)

    def test_a_card_that_is_misread_in_motion_again_and_again_counts_once(self) -> None:
        """Incident: a strip was misread each time an arm passed, until a turn that nobody played was certain."""
        session = first_turn(WatchedTable().deal())
        for card in ["plum-warbler", *["plum-chaff-1"] * 8]:
            weak = in_motion(card, 0.6)
            session.see(replace(session.top.observation(), weak_detections=(weak,)))
        session.rest()
        assert not any("plum-chaff-1" in move for move in session.moves)

    @pytest.mark.parametrize(
        ("card", "aside", "counts"),
        [("clover-boar", 0.0, False), ("clover-boar", 12.0, True), ("iris-bridge", 0.0, True)],
    )
    def test_a_card_that_is_read_the_same_in_motion_and_at_rest_was_read_once(
        self, card: str, aside: float, counts: bool
    ) -> None:
        """It may be misread, and is misread the same way then. At another place it was read independently, and
        another card only passed this place."""
        session = WatchedTable().deal()
        seen = session.top.observation()
        x, y = session.top.cards["clover-boar"].at
        passing = replace(in_motion(card, 1.0), at=(x + aside, y))
        likeliest = [
            TableSight(each, session.referee.model, PARAMETERS, SightMemory()).largest
            for each in (seen, replace(seen, transient_detections=(passing,)))
        ]
        assert (likeliest[1] > likeliest[0]) == counts

    def test_a_weak_detection_alone_is_not_a_move(self) -> None:
        session = WatchedTable().deal()
        weak = in_motion("plum-warbler", 0.99)
        session.see(replace(session.top.observation(), weak_detections=(weak,)))
        session.rest()
        assert session.moves == []
        assert not session.table.open_questions

    def test_a_call_that_a_wrong_guess_asked_for_is_struck_out(self) -> None:
        """The curtain and the sake cup would have been a yaku, and continuing a koi-koi: the curtain was elsewhere."""
        session = WatchedTable().deal(["chrysanthemum-chaff-1", *FIELD[:7]])
        session.play(1, "chrysanthemum-sake", "chrysanthemum-chaff-1")
        session.play(1, "cherry-chaff-1", "cherry-ribbon")
        session.cover("cherry-chaff-1")
        session.rest()
        session.answer(number_of(session, "cherry-curtain"), source="program")
        session.play(2, "plum-warbler", "plum-ribbon")
        session.play(2, "maple-deer")
        session.rest()
        assert any("koikoi" in move for move in session.moves)
        session.uncover("cherry-chaff-1")
        session.rest()
        assert not any("koikoi" in move or "curtain" in move for move in session.moves)
        assert len(session.moves) == 4
        assert session.problems == []

    def test_a_card_of_a_pile_that_is_lost_and_found_is_the_same_however_it_is_read(self) -> None:
        """The curtain gets a new key and is recognized as the ribbon: nobody has laid that there."""
        session = WatchedTable(mess=replace(QUIET, lasting=1.0)).deal(
            ["cherry-curtain", *FIELD[:2], *FIELD[3:]]
        )
        session.play(1, "cherry-chaff-1", "cherry-curtain")
        session.play(1, "maple-chaff-1")
        session.rest(3)
        before = list(session.moves)
        curtain = session.top.cards["cherry-curtain"]
        curtain.key, curtain.since, curtain.read = 999, None, (("cherry-ribbon", 0.77),)
        session.rest(1)
        curtain.read = (("cherry-ribbon", 0.99),)
        session.play(2, "plum-chaff-1", "plum-ribbon")
        session.cover("plum-chaff-1")
        session.play(2, "willow-ribbon")
        hand = HandEvent(0.0, (1000.0, 1000.0), 2)
        weak = in_motion("plum-chaff-1", 0.9)
        session.see(replace(session.top.observation(), hand_events=(hand,), weak_detections=(weak,)))
        session.rest(2)
        assert session.moves[:2] == before
        assert session.problems == []
        assert "corrected" not in session.kinds


def test_a_card_that_no_reader_reported_may_lie_anywhere() -> None:
    """Without a camera, readers tell only where the cards are that they have reported."""
    session = WatchedTable().deal()
    kept = {"plum-warbler", "plum-ribbon", "maple-deer"}
    session.play(1, "plum-warbler", "plum-ribbon")
    session.play(1, "maple-deer")

    def described(observation: Observation) -> Observation:
        cards = tuple(card for card in observation.cards if card.likely[0][0] in kept)
        silent = tuple({card.likely[0][0] for card in observation.cards} - kept)
        return replace(observation, cards=cards, silent=silent)

    for _ in range(3):
        session.see(described(session.top.observation()))
    assert session.moves == ["1 play plum-warbler plum-ribbon", "1 draw maple-deer"]
    assert session.table.open_problems == []
