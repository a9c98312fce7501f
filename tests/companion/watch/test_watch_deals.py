"""A table of a fishing game: the deal, the dealer, and the end of a round."""

from __future__ import annotations

import pytest

from companion.observations import TrackedCard
from companion.table.events import NewEvent
from tests.companion.watch.fishing_session import (
    FIELD,
    FIRST,
    LONG,
    SECOND,
    WatchedTable,
    cards,
    face_down,
    played,
    read_as,
    turn,
    with_more,
)
from tests.companion.watch.fishing_sim import play_turn
from tests.message_text import english

BRIGHT_FIELD = (
    "pine-chaff-1", "cherry-ribbon", "susuki-geese", "maple-deer",
    "iris-ribbon", "peony-ribbon", "clover-boar", "plum-ribbon",
)  # fmt: skip
THREE_BRIGHTS = [
    turn(1, ("pine-crane", "pine-chaff-1"), ("willow-ribbon",)),
    turn(2, ("wisteria-cuckoo",), ("paulownia-yellow",)),
    turn(1, ("cherry-curtain", "cherry-ribbon"), ("susuki-moon", "susuki-geese")),
]
NEXT_FIELD = (
    "pine-ribbon", "plum-chaff-1", "cherry-chaff-1", "wisteria-ribbon",
    "iris-chaff-1", "peony-chaff-1", "clover-ribbon", "maple-ribbon",
)  # fmt: skip


def decided() -> WatchedTable:
    """Return a table on which player 1 must call koi-koi or stop."""
    session = WatchedTable().deal(BRIGHT_FIELD)
    for moves in THREE_BRIGHTS:
        session.turn(*moves)
    pending = session.table.round.pending_decision()  # type: ignore[union-attr]  # dealt
    assert pending is not None
    assert pending.code == "decision-missing"
    return session


class TestDeal:
    """The deal, the dealer, and the end of a round."""

    def test_eight_cards_on_the_field_are_reported_once(self) -> None:
        session = WatchedTable(dealer=None).deal()
        session.rest()
        assert session.kinds == ["dealt"]
        assert session.field == set(FIELD)
        assert session.reported[0].data["dealer"] is None

    @pytest.mark.parametrize(
        "first",
        [
            *range(1, 6),
            # That two cards of the deal were unread and the first turn laid such cards is as likely to the engine.
            pytest.param(6, marks=pytest.mark.xfail(strict=True)),
            7,
        ],
    )
    def test_a_deal_that_was_seen_half_laid_is_reported_once_it_is_complete(self, first: int) -> None:
        session = WatchedTable()
        session.top.deal(list(FIELD[:first]))
        session.rest(1)
        session.top.deal(list(FIELD[first:]))
        session.rest(2)
        assert session.kinds[:1] == ["dealt"]

    def test_a_deal_under_way_waits(self) -> None:
        session = WatchedTable()
        session.top.deal(list(FIELD[:4]))
        assert session.rest(2) == []
        session.top.deal(list(FIELD[4:]))
        session.rest(2)
        assert session.kinds == ["dealt"]

    def test_seven_cards_that_stay_seven_are_a_problem(self) -> None:
        session = WatchedTable()
        session.top.deal(list(FIELD[:7]))
        session.rest()
        assert session.problems == ["deal-count"]
        session.top.deal(["maple-deer"])
        session.rest(3)
        assert session.open_problems == []
        assert session.field == {*FIELD[:7], "maple-deer"}

    def test_a_card_that_was_dealt_face_down_is_of_the_deal_once_it_is_turned_up(self) -> None:
        session = WatchedTable()
        session.top.deal(list(FIELD))
        for moves in ([], FIRST, SECOND):
            for observation in play_turn(session.top, moves) if moves else [session.top.observation()]:
                session.see(face_down(observation, "susuki-geese"))
        third = turn(1, ("plum-chaff-1",), ("wisteria-cuckoo", "wisteria-chaff-1"))
        session.rest(2)
        session.turn(*third)
        session.rest()
        assert session.field == set(FIELD)
        assert played(session) == cards(FIRST, SECOND, third)

    def test_a_dealt_card_that_may_be_any_is_not_guessed_and_belongs_to_the_deal_once_it_is_read(
        self,
    ) -> None:
        session = WatchedTable()
        session.top.deal(list(FIELD))
        for _ in range(LONG):
            session.see(read_as(session.top.observation(), "susuki-geese", ("clover-chaff-1", 0.01)))
        assert (session.problems, session.table.open_questions) == (["unknown-card"], [])
        for observation in play_turn(session.top, FIRST):
            session.see(read_as(observation, "susuki-geese", ("clover-chaff-1", 0.01)))
        session.rest()
        assert session.field == set(FIELD)
        assert played(session) == cards(FIRST)

    def test_a_card_that_is_laid_on_another_one_is_not_the_unread_card_of_the_deal(self) -> None:
        session = WatchedTable(dealer=None)
        session.top.deal(list(FIELD))
        session.cover("susuki-geese")
        session.rest(2)
        session.top.lay(1, "pine-crane", ("pine-chaff-1",))
        session.rest(2)
        assert "dealt" not in session.kinds

    def test_an_unsure_card_of_the_deal_is_asked_for_once(self) -> None:
        session = WatchedTable()
        session.top.deal(list(FIELD))
        for _ in range(5):
            session.see(
                read_as(
                    session.top.observation(), "plum-ribbon", ("plum-ribbon", 0.55), ("cherry-chaff-1", 0.4)
                )
            )
        assert session.kinds == ["asked"]
        choices = session.reported[0].data["choices"]
        assert [("Plum Poetry Ribbon" in english(each["says"])) for each in choices[:2]] == [True, False]
        session.answer(0)
        assert session.field == set(FIELD)
        session.turn(*FIRST)
        assert played(session) == cards(FIRST)

    def test_a_card_that_was_misread_in_the_deal_is_corrected(self) -> None:
        session = WatchedTable()
        session.top.deal(list(FIELD))
        session.see(
            read_as(session.top.observation(), "plum-ribbon", ("maple-deer", 0.95), ("plum-ribbon", 0.03))
        )
        session.rest()
        assert "corrected" in session.kinds
        assert session.field == set(FIELD)
        assert session.problems == []

    def test_a_person_s_deal_is_kept(self) -> None:
        session = WatchedTable()
        session.top.deal(list(FIELD))
        misread = ("maple-deer", 0.97), ("plum-ribbon", 0.02)
        for _ in range(2):
            session.see(read_as(session.top.observation(), "plum-ribbon", *misread))
        dealt = next(event for event in session.table.events if event.kind == "dealt")
        data = {**dealt.data, "deal": {"field": list(FIELD)}}
        session.submit(NewEvent("corrected", {"of": dealt.seq, "kind": "dealt", "data": data}))
        for _ in range(8):
            session.see(read_as(session.top.observation(), "plum-ribbon", *misread))
        assert session.field == set(FIELD)

    @pytest.mark.parametrize("dealer", [1, 2])
    def test_the_first_capture_shows_who_dealt(self, dealer: int) -> None:
        session = WatchedTable(dealer=None).deal()
        first = turn(dealer, ("pine-crane", "pine-chaff-1"), ("plum-warbler", "plum-ribbon"))
        session.turn(*first)
        assert session.table.round is not None
        assert session.table.round.dealer == dealer
        assert played(session) == cards(first)

    @pytest.mark.parametrize("dealer", [1, 2])
    def test_a_wrong_guess_who_dealt_is_corrected_with_the_turns_after_it(self, dealer: int) -> None:
        """Incident: after two turns that nobody saw singly the wrong player had begun; the rest of the round was out of turn."""
        session, other = WatchedTable(dealer=None).deal(), 3 - dealer
        session.play(dealer, "pine-crane", "pine-chaff-1")
        session.play(dealer, "plum-warbler", "plum-ribbon")
        session.play(other, "cherry-curtain", "cherry-ribbon")
        session.play(other, "maple-deer")
        session.rest()
        assert session.moves == []
        session.play(dealer, "willow-ribbon")
        session.play(dealer, "paulownia-chaff-1")
        session.rest()
        session.play(other, "maple-chaff-1", "maple-deer")
        session.play(other, "chrysanthemum-chaff-1")
        session.rest()
        assert session.table.round is not None
        assert session.table.round.dealer == dealer
        assert [move.player for move in session.table.round.moves] == [dealer, dealer, other, other] * 2
        assert session.problems == []

    @pytest.mark.parametrize("zone", ["field", "captured-1"])
    def test_what_is_surely_no_card_is_none_of_the_deal(self, zone: str) -> None:
        """Incident: a round was lost because rectangles of the cloth beside the deal were detected as unknown objects."""
        session = WatchedTable()
        session.top.deal(list(FIELD))
        figure = TrackedCard(99, None, (("back", 0.002),), zone, (200.0, 150.0), p_card=0.004)
        for _ in range(3):
            session.see(with_more(session.top.observation(), figure))
        assert session.kinds == ["dealt"]

    def test_the_dealer_may_become_known_later(self) -> None:
        session = WatchedTable(dealer=None).deal()
        first = turn(2, ("maple-deer",), ("willow-ribbon",))
        second = turn(1, ("pine-crane", "pine-chaff-1"), ("maple-ribbon", "maple-deer"))
        session.turn(*first)
        session.turn(*second)
        session.rest(2)
        assert played(session) == cards(first, second)

    def test_a_misdeal_is_dealt_again_and_not_twice(self) -> None:
        four = "pine-crane", "pine-ribbon", "pine-chaff-1", "pine-chaff-2", *FIELD[4:]
        session = WatchedTable(dealer=None).deal(four)
        session.rest(3)
        session.clear()
        session.top.deal(list(FIELD))
        session.rest(3)
        assert session.kinds == ["dealt", "dealt"]
        assert session.problems == []

    def test_an_object_on_the_field_is_not_a_ninth_card(self) -> None:
        session = WatchedTable()
        session.top.deal([*FIELD, "maple-deer"])
        for _ in range(4):
            session.see(read_as(session.top.observation(), "maple-deer", ("back", 0.3), ("maple-deer", 0.2)))
        assert session.field == set(FIELD)

    def test_an_uncertain_deal_is_asked_for_when_play_continues(self) -> None:
        """Two observations show the deal with an uncertain card; then the first card is played."""
        session = WatchedTable(dealer=None)
        session.top.deal(list(FIELD))
        doubt = ("iris-ribbon", 0.55), ("cherry-chaff-1", 0.4)
        for _ in range(2):
            session.see(read_as(session.top.observation(), "iris-ribbon", *doubt))
        assert session.reported == []
        session.play(1, "maple-deer")
        session.rest()
        assert session.table.round is not None or session.table.open_questions
        assert session.table.round is None or session.field == set(FIELD)

    def test_a_game_that_began_unobserved_is_reported(self) -> None:
        session = WatchedTable()
        session.top.deal(list(FIELD))
        session.play(1, "pine-crane", "pine-chaff-1")
        session.play(1, "maple-deer")
        session.rest()
        assert session.problems == ["deal-missed"]

    def test_koikoi_is_understood_from_the_next_play(self) -> None:
        session = decided()
        session.turn(*turn(2, ("maple-ribbon", "maple-deer"), ("peony-chaff-1", "peony-ribbon")))
        assert session.moves[6] == "1 call koikoi"
        assert session.problems == []

    def test_stop_is_understood_from_a_new_deal(self) -> None:
        session = decided()
        session.clear()
        assert session.rest(2) == []
        session.top.deal(list(NEXT_FIELD))
        events = session.rest(2)
        assert [(event.kind, event.data.get("words")) for event in events[:2]] == [
            ("moved", ["call", "stop"]), ("dealt", None)]  # fmt: skip
        assert events[1].data["dealer"] == 1
        assert session.table.game.points[0] > 0
        assert session.table.round_number == 2

    def test_stop_is_understood_from_the_end_of_the_watching(self) -> None:
        session = decided()
        session.close()
        outcome = session.table.round.outcome()  # type: ignore[union-attr]  # dealt
        assert outcome is not None
        assert outcome.winners == (1,)
        assert session.close() == []

    @pytest.mark.parametrize("at_once", [False, True])
    def test_a_new_deal_of_an_unfinished_round_is_asked_about(self, at_once: bool) -> None:
        """A card may be played before anybody answers; the question stays."""
        session = WatchedTable().deal(BRIGHT_FIELD)
        session.turn(*THREE_BRIGHTS[0])
        session.clear()
        session.rest(2)
        session.top.deal(list(NEXT_FIELD))
        session.rest(1)
        if at_once:
            session.play(1, "maple-chaff-1", "maple-ribbon")
        session.rest()
        (question,) = session.table.open_questions
        assert question.data["text"] == {"code": "question-new-deal"}
        assert session.problems == []
        session.answer(0)
        assert session.table.round_number == 2
        assert session.field == set(NEXT_FIELD)

    def test_after_a_reported_result_the_old_cards_are_ignored_until_the_next_deal(self) -> None:
        session = WatchedTable().deal()
        session.turn(*FIRST)
        session.submit(NewEvent("scored", {"winners": [1], "seats": [{"points": 5}, {}]}))
        session.rest()
        session.clear()
        session.rest(1)
        session.top.deal(list(NEXT_FIELD))
        session.rest(4)
        assert session.problems == []
        assert session.table.round_number == 2
        assert session.table.game.points == (5, 0)
        assert session.field == set(NEXT_FIELD)
