"""Which of two cards came from the hand and which from the stock: the evidence, and when it becomes a question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from referee_session import FIELD as FIELD_OF_EIGHT
from referee_session import Session

from companion.hanafuda.rules import resolve
from companion.observations import FIELD, HandEvent, Observation, TransientDetection, captured_zone
from companion.referee.card_likelihoods import DetectedCard
from companion.referee.observation_history import Memory
from companion.table.events import NewEvent
from companion.watch_session import WatchSession
from tests.companion.watch.fishing_sim import STOCK_AT


def covered(session: Session, card: str) -> None:
    """Cover a card with others, so that no observation shows it."""
    session.top.cards[card].covered = 1.0


class TestOrder:
    """Which of two cards came from the hand, if a single picture is not enough."""

    @staticmethod
    def lay_two(session: Session) -> Observation:
        session.play(1, "maple-chaff-1")
        session.play(1, "paulownia-chaff-1")
        return session.top.observation()

    @pytest.mark.parametrize("hands", [0, 1])
    def test_there_is_no_question_if_nobody_can_know_the_order(self, hands: int) -> None:
        """Only still pictures, or both cards came between two pictures: the game does not depend on the order."""
        session = Session().deal()
        observation = self.lay_two(session)
        nowhere = HandEvent(observation.time - 1.0, (1000.0, 1000.0), 1)
        session.see(replace(observation, hand_events=(nowhere,) * hands))
        session.observations(2)
        assert len(session.moves) == 2
        assert not session.table.open_questions

    @pytest.mark.parametrize("played", ["maple-chaff-1", "plum-warbler"])
    def test_a_card_still_uncovered_after_the_other_landed_was_captured_later(self, played: str) -> None:
        """The plum ribbon was seen with nothing on it after the maple had come, or the maple came after the warbler."""
        session = Session().deal()
        session.play(1, "plum-warbler", "plum-ribbon", late=True)
        session.play(1, "maple-chaff-1")
        ribbon = session.top.cards["plum-ribbon"].key
        session.top.take(1, ("plum-warbler", "plum-ribbon"))
        covered(session, "plum-warbler")
        observation = session.top.observation()
        came = observation.time - (3.0 if played == "maple-chaff-1" else 1.0)
        before = came + (1.5 if played == "maple-chaff-1" else -1.5)
        transient_detections = (
            TransientDetection("maple-chaff-1", came, (300.0, 100.0), FIELD),
            TransientDetection("plum-warbler", before, (300.0, 100.0), FIELD),
        )
        bare = observation.time - (2.0 if played == "maple-chaff-1" else 4.0)
        session.see(
            replace(observation, transient_detections=transient_detections, untouched=((ribbon, bare),))
        )
        session.observations(2)
        assert session.moves[0].startswith(f"1 play {played}")

    @pytest.mark.parametrize("drawn", ["maple-chaff-1", "paulownia-chaff-1"])
    def test_a_card_turned_up_at_the_stock_was_drawn(self, drawn: str) -> None:
        """The other card was seen later: the hand that drew hid it."""
        session = Session().deal()
        observation = self.lay_two(session)
        (played,) = {"maple-chaff-1", "paulownia-chaff-1"} - {drawn}
        transient_detections = (
            TransientDetection(drawn, observation.time - 2.0, (STOCK_AT[0] + 30.0, STOCK_AT[1]), FIELD),
            TransientDetection(played, observation.time - 1.5, session.top.cards[played].at, FIELD),
        )
        session.see(replace(observation, transient_detections=transient_detections))
        session.observations(2)
        assert session.moves == [f"1 play {played}", f"1 draw {drawn}"]

    def test_a_card_near_the_stock_was_not_drawn(self) -> None:
        session = Session().deal()
        session.play(1, "paulownia-chaff-1")
        session.play(1, "maple-chaff-1")
        beside = STOCK_AT[0] + 30.0, STOCK_AT[1]
        session.top.cards["maple-chaff-1"].at = beside
        observation = session.top.observation()
        transient_detections = (
            TransientDetection("maple-chaff-1", observation.time - 3.0, beside, FIELD),
            TransientDetection(
                "paulownia-chaff-1", observation.time - 1.5, session.top.cards["paulownia-chaff-1"].at, FIELD
            ),
        )
        session.see(replace(observation, transient_detections=transient_detections))
        session.observations(2)
        assert session.moves[0] == "1 play maple-chaff-1"

    @pytest.mark.parametrize("drawn", ["maple-chaff-1", "paulownia-chaff-1"])
    @pytest.mark.parametrize("part", [0.3, 0.5, 0.7])
    def test_a_card_moving_from_the_stock_was_drawn(self, drawn: str, part: float) -> None:
        """The hand that carried it hid the card that was there already, so that one was detected later."""
        session = Session().deal()
        observation = self.lay_two(session)
        (played,) = {"maple-chaff-1", "paulownia-chaff-1"} - {drawn}
        x, y = session.top.cards[drawn].at
        on_the_way = x + part * (STOCK_AT[0] - x), y + part * (STOCK_AT[1] - y)
        transient_detections = (
            TransientDetection(drawn, observation.time - 2.0, on_the_way, FIELD),
            TransientDetection(played, observation.time - 1.5, session.top.cards[played].at, FIELD),
        )
        session.see(replace(observation, transient_detections=transient_detections))
        assert session.moves == [f"1 play {played}", f"1 draw {drawn}"]

    def test_the_first_card_not_moved_from_the_stock_was_played(self) -> None:
        session = Session().deal()
        observation = self.lay_two(session)
        x, y = session.top.cards["paulownia-chaff-1"].at
        transient_detections = (
            TransientDetection("paulownia-chaff-1", observation.time - 2.0, (x, y + 100.0), FIELD),
            TransientDetection(
                "maple-chaff-1", observation.time - 1.5, session.top.cards["maple-chaff-1"].at, FIELD
            ),
        )
        session.see(replace(observation, transient_detections=transient_detections))
        assert session.moves == ["1 play paulownia-chaff-1", "1 draw maple-chaff-1"]

    def test_a_card_alone_in_a_stable_observation_was_played_first(self) -> None:
        """A hand came with the deer by way of the stock: the deer was there before any other card."""
        session = Session().deal()
        session.play(1, "maple-deer")
        x, y = session.top.cards["maple-deer"].at
        observation = session.top.observation()
        by_the_stock = TransientDetection(
            "maple-deer", observation.time - 1.0, ((x + STOCK_AT[0]) / 2, (y + STOCK_AT[1]) / 2), FIELD
        )
        session.see(replace(observation, transient_detections=(by_the_stock,)))
        session.play(1, "plum-warbler", "plum-ribbon")
        session.observations(2)
        assert session.moves == ["1 play maple-deer", "1 draw plum-warbler plum-ribbon"]

    @pytest.mark.parametrize("moved", [False, True])
    def test_an_ambiguous_transient_detection_gives_no_landing_time(self, moved: bool) -> None:
        """The pile was tidied before the turn: the maple detected then was the one in the pile. Without evidence the order is a question."""
        session = Session().deal(["maple-deer", *FIELD_OF_EIGHT[:7]])
        session.play(1, "maple-chaff-1", "maple-deer")
        session.play(1, "chrysanthemum-sake")
        session.observations(2)
        session.play(2, "willow-ribbon")
        session.play(2, "paulownia-yellow")
        session.observations(2)
        reported = len(session.moves)
        tidied = session.top.time
        session.play(1, "maple-chaff-2")
        session.play(1, "plum-warbler", "plum-ribbon")
        for card in ("maple-chaff-1", "maple-chaff-2") if moved else ("maple-chaff-2",):
            session.top.cards[card].since = tidied + 0.3
            session.top.cards[card].read = (("maple-chaff-1", 0.99),)
        if moved:
            session.top.cards["maple-chaff-1"].at = (150.0, 360.0)
        warbler = TransientDetection("plum-warbler", tidied + 1.5, (300.0, 100.0), FIELD)
        session.see(replace(session.top.observation(), transient_detections=(warbler,)))
        assert len(session.moves) == reported + 2
        assert len(session.table.open_questions) == moved
        if not moved:
            assert session.moves[reported] == "1 play maple-chaff-2"

    def test_a_card_of_an_undone_turn_precedes_new_cards(self) -> None:
        """A wrong turn is corrected: its card that was already on the table was not drawn later."""
        memory = Memory(committed=7)
        memory.detected[5] = {(3, 20.0), (3, 40.0)}
        find = DetectedCard(9, 0, (0.0, 0.0), {}, None, 1.0, 30.0, 1.0)
        memory.observations = 9
        memory.first[9] = memory._appearance(find)
        earlier, new = memory.appearance_of(5, None), memory.appearance_of(6, find)
        assert earlier is not None
        assert new is not None
        assert earlier.observation < new.observation
        assert earlier.since == 20.0

    def test_a_card_present_before_its_transient_detection_came_earlier(self) -> None:
        """A third of it was visible beside a hand, so its time is known; the other had a transient detection in between."""
        session = Session().deal()
        observation = self.lay_two(session)
        session.top.cards["maple-chaff-1"].since = observation.time - 2.0
        transient_detections = (
            TransientDetection(
                "paulownia-chaff-1", observation.time - 1.5, session.top.cards["paulownia-chaff-1"].at, FIELD
            ),
            TransientDetection(
                "maple-chaff-1", observation.time - 1.0, session.top.cards["maple-chaff-1"].at, FIELD
            ),
        )
        session.top.cards["paulownia-chaff-1"].since = observation.time - 1.5
        session.see(replace(session.top.observation(), transient_detections=transient_detections))
        assert session.moves == ["1 play maple-chaff-1", "1 draw paulownia-chaff-1"]


class TestDoubt:
    """An unobserved order: the more likely one is reported, with a question to correct it."""

    @pytest.fixture
    def doubted(self, monkeypatch: pytest.MonkeyPatch) -> Session:
        monkeypatch.setattr("companion.referee.fishing_referee.landed_together", lambda *_: False)
        session = Session().deal()
        session.play(1, "maple-chaff-1")
        session.play(1, "paulownia-chaff-1")
        observation = session.top.observation()
        session.see(
            replace(observation, hand_events=(HandEvent(observation.time - 1.0, (1000.0, 1000.0), 1),))
        )
        return session

    def test_it_is_reported_immediately_and_asked_once(self, doubted: Session) -> None:
        assert len(doubted.moves) == 2
        (asked,) = doubted.table.open_questions
        likely, other = asked.data["choices"]
        assert likely["p"] >= other["p"]
        assert likely["says"] != other["says"]
        doubted.observations(3)
        assert [each.seq for each in doubted.table.open_questions] == [asked.seq]

    @pytest.mark.parametrize("choice", [0, 1])
    def test_an_answer_holds(self, doubted: Session, choice: int) -> None:
        reported = doubted.moves
        (asked,) = doubted.table.open_questions
        doubted.submit(NewEvent("answered", {"of": asked.seq, "choice": choice}))
        turned = ["1 play " + reported[1].split()[-1], "1 draw " + reported[0].split()[-1]]
        assert doubted.moves == (turned if choice else reported)
        assert not doubted.table.open_questions
        doubted.observations(3)
        assert doubted.moves == (turned if choice else reported)
        assert not doubted.table.view()["history"][-1]["problems"]

    def test_an_answer_is_of_its_own_turn(self, doubted: Session) -> None:
        """The next turn is as uncertain: it is reported together with the end of the previous question."""
        doubted.play(2, "willow-ribbon")
        doubted.play(2, "chrysanthemum-sake")
        observation = doubted.top.observation()
        doubted.see(
            replace(observation, hand_events=(HandEvent(observation.time - 1.0, (1000.0, 1000.0), 2),))
        )
        reported = doubted.moves
        (asked,) = doubted.table.open_questions
        doubted.submit(NewEvent("answered", {"of": asked.seq, "choice": 1}))
        assert doubted.moves[:2] == reported[:2]
        assert [move.split()[-1] for move in doubted.moves[2:]] == [
            move.split()[-1] for move in reported[:1:-1]
        ]

    def test_the_game_goes_on_without_an_answer(self, doubted: Session) -> None:
        reported = doubted.moves
        doubted.play(2, "plum-warbler", "plum-ribbon")
        doubted.observations(1)
        assert len(doubted.table.open_questions) == 1
        doubted.play(2, "maple-deer", "maple-chaff-1")
        doubted.observations(2)
        assert doubted.moves[:2] == reported
        assert len(doubted.moves) == 4
        assert not any(event.data["of"] <= 4 for event in doubted.reported if event.kind == "corrected")

    def test_a_problem_with_the_table_does_not_settle_it(self, doubted: Session) -> None:
        """A later turn's question has room beside it."""
        doubted.play(2, "plum-warbler", "plum-ribbon")
        covered(doubted, "plum-warbler")
        doubted.play(2, "chrysanthemum-sake")
        doubted.observations(4)
        assert len(doubted.table.open_questions) == 2

    def test_the_prior_alone_does_not_decide_the_order(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """One card captures and one does not, early in the round: with odds of nine to one, the hand card is the one
        that captures."""
        monkeypatch.setattr("companion.referee.fishing_referee.landed_together", lambda *_: False)
        session = Session().deal()
        session.play(1, "plum-warbler", "plum-ribbon")
        session.play(1, "maple-chaff-1")
        observation = session.top.observation()
        session.see(
            replace(observation, hand_events=(HandEvent(observation.time - 1.0, (1000.0, 1000.0), 1),))
        )
        assert session.moves == ["1 play plum-warbler plum-ribbon", "1 draw maple-chaff-1"]
        (asked,) = session.table.open_questions
        assert asked.data["choices"][0]["p"] > 0.85

    def test_further_observation_does_not_change_the_report(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without an answer the turn is kept, and not reported again in the other order."""
        monkeypatch.setattr("companion.referee.fishing_referee.landed_together", lambda *_: False)
        session = Session()
        alone = WatchSession(resolve("koikoi-standard"), ["A", "B"], None)
        lines: list[dict[str, Any]] = []

        def see(**changes: object) -> None:
            observation = replace(session.top.observation(), changed=True, **changes)  # type: ignore[arg-type]  # fields of a look
            lines.extend(alone.observe(observation))

        session.top.deal(list(FIELD_OF_EIGHT))
        see()
        session.play(1, "maple-chaff-1")
        session.play(1, "paulownia-chaff-1")
        see(hand_events=(HandEvent(session.top.time, (1000.0, 1000.0), 1),))
        session.play(2, "willow-ribbon")
        see()
        session.play(2, "iris-bridge", "iris-ribbon")
        see()
        see()
        lines.extend(alone.finish())
        events = [line["event"] for line in lines]
        assert events.count("question") >= 1
        assert events.count("turn") == 2
        assert "undone" not in events


class TestOrderOfCaptures:
    """Captured cards are evidence of when the capturing cards came."""

    @staticmethod
    def two_captures(session: Session) -> Observation:
        """Player 1 captures the plum ribbon and the cherry ribbon with undetected cards."""
        session.play(1, "plum-warbler", "plum-ribbon")
        session.play(1, "cherry-curtain", "cherry-ribbon")
        return session.top.observation()

    @pytest.mark.parametrize(("first", "second"), [("plum", "cherry"), ("cherry", "plum")])
    def test_a_card_still_uncovered_after_the_other_was_captured_was_captured_later(
        self, first: str, second: str
    ) -> None:
        session = Session().deal()
        keys = {name: session.top.cards[f"{name}-ribbon"].key for name in (first, second)}
        observation = self.two_captures(session)
        taken = TransientDetection(
            f"{first}-ribbon", observation.time - 2.0, (200.0, 300.0), captured_zone(1)
        )
        bare = ((keys[first], observation.time - 4.0), (keys[second], observation.time - 1.9))
        session.see(replace(observation, transient_detections=(taken,), untouched=bare))
        session.observations(2)
        assert [first in move for move in session.moves] == [True, False]

    @pytest.mark.parametrize(("before", "laid_first"), [(0.5, True), (3.0, False)])
    def test_two_cards_are_not_played_between_two_frames(self, before: float, laid_first: bool) -> None:
        """The ribbon was uncovered just before the maple came, or long before: then the warbler may have come first,
        as is usual."""
        session = Session().deal()
        ribbon = session.top.cards["plum-ribbon"].key
        session.play(1, "maple-chaff-1")
        session.play(1, "plum-warbler", "plum-ribbon")
        observation = session.top.observation()
        maple = TransientDetection("maple-chaff-1", observation.time - 2.0, (300.0, 100.0), FIELD)
        session.see(
            replace(
                observation,
                transient_detections=(maple,),
                untouched=((ribbon, observation.time - 2.0 - before),),
            )
        )
        session.observations(2)
        if laid_first:
            assert session.moves[0] == "1 play maple-chaff-1"
        else:
            assert session.moves == [] or "plum-warbler" in session.moves[0]
