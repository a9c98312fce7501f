"""What the engine reports of a table of Kakkuri, what it asks, and what people enter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.hanafuda.games.kakkuri import KakkuriRound
from companion.hanafuda.simulation import random_round
from companion.observations import POSTED, Observation
from companion.table.events import NewEvent
from tests.companion.watch.kakkuri_session import QUIET, TIME, WatchedPile, kakkuri, plain
from tests.message_text import english


def _begun(players: int = 4) -> WatchedPile:
    """Return a table on which the dealer has opened the box and discarded a card."""
    watched = WatchedPile(players)
    watched.open_box(1, "cherry-curtain")
    watched.lay(1, "wisteria-cuckoo")
    return watched


BEGUN = ["1 box cherry-curtain", "1 discard wisteria-cuckoo"]


@pytest.mark.parametrize(("seed", "players"), [(1, 2), (2, 3), (5, 7)])
def test_a_round_is_reported_with_its_result(seed: int, players: int) -> None:
    truth = random_round("kakkuri", seed, kakkuri(), players)
    assert isinstance(truth, KakkuriRound)
    watched = WatchedPile(players, dealer=truth.dealer, seed=seed)
    for _ in watched.play(truth):
        pass
    watched.rest()
    assert watched.table.round is not None
    assert plain(watched.table.round.moves) == plain(truth.moves)
    want, got = truth.outcome(), watched.table.round.outcome()
    assert want is not None
    assert got is not None
    assert (got.winners, got.points) == (want.winners, want.points)
    assert not watched.questions


def test_the_first_card_tells_who_dealt() -> None:
    watched = WatchedPile(dealer=None)
    watched.open_box(3, "cherry-curtain")
    watched.lay(3, "wisteria-cuckoo")
    watched.lay(4, "iris-bridge")
    watched.rest()
    if watched.questions:
        watched.answer(0)
        watched.rest()
    assert watched.table.round is not None
    assert watched.table.round.dealer == 3
    assert watched.moves[0] == "3 box cherry-curtain"


def test_of_eight_players_one_is_asked_to_have_dropped_out() -> None:
    watched = WatchedPile(8, dealer=None)
    watched.open_box(2, "cherry-curtain")
    watched.rest()
    assert watched.questions == ["question-who-drops-out"]
    (question,) = watched.table.open_questions
    says = [english(each["says"]) for each in question.data["choices"]]
    assert "player 2 drops out" not in says  # this player has opened the box
    watched.answer(says.index("player 5 drops out"))
    watched.rest()
    assert isinstance(watched.table.round, KakkuriRound)
    assert watched.table.round.dropped == 5


def test_a_pass_entered_by_phone_is_kept() -> None:
    watched = WatchedPile()
    watched.open_box(1, "cherry-curtain")
    watched.submit(NewEvent("moved", {"player": 1, "words": ["pass"]}))
    watched.lay(2, "wisteria-cuckoo")
    watched.rest()
    assert watched.moves == ["1 box cherry-curtain", "1 pass", "2 discard wisteria-cuckoo"]


def test_a_card_entered_by_phone_is_not_reported_again() -> None:
    watched = WatchedPile()
    watched.open_box(1, "cherry-curtain")
    watched.submit(NewEvent("moved", {"player": 1, "words": ["discard", "wisteria-cuckoo"]}))
    watched.lay(1, "wisteria-cuckoo")
    watched.lay(2, "iris-bridge")
    watched.rest()
    assert watched.moves == [*BEGUN, "1 pass", "2 discard iris-bridge"]


def test_a_discard_taken_back_is_removed() -> None:
    watched = _begun()
    watched.top.take_back()
    watched.rest()
    assert watched.moves == BEGUN[:1]
    watched.lay(2, "wisteria-ribbon")
    watched.rest()
    assert watched.moves[-2:] == ["1 pass", "2 discard wisteria-ribbon"]


def test_what_people_removed_is_asked_and_not_reported_again() -> None:
    watched = WatchedPile()
    watched.open_box(1, "cherry-curtain")
    watched.lay(2, "wisteria-cuckoo")
    target = watched.table.undo_target()
    assert target is not None
    watched.submit(NewEvent("undone", {"of": target.seq}))
    watched.rest()
    assert watched.moves == BEGUN[:1]
    assert watched.questions == ["question-which-discard"]


def test_a_discard_that_several_players_may_have_made_is_asked() -> None:
    watched = _begun(7)
    watched.top.mess = type(QUIET)(0, 0, 0.0, 0, 0, 0, 0, 0, None, 1.0)  # no arms, and the pile is squared up
    watched.top.lay(3, ("pine-crane",))
    watched.rest()
    assert watched.questions == ["question-which-discard"]
    (question,) = watched.table.open_questions
    says = [english(each["says"]) for each in question.data["choices"]]
    assert len(says) > 1
    assert all("discards Crane" in each for each in says)


def test_a_card_of_another_deck_is_named() -> None:
    watched = _begun()
    watched.top.lay(2, ("clubs-4",))
    watched.rest()
    assert watched.problems == ["foreign-card"]


def test_a_card_that_cannot_be_read_is_reported() -> None:
    watched = _begun()
    watched.top.lay(1, ("clover-boar",))
    watched.top.placed[-1]["read"] = (("clover-boar", 0.2),)
    watched.top.read = lambda name: (("clover-boar", 0.2),)  # type: ignore[method-assign]
    watched.rest()
    assert watched.problems == ["unknown-card"]


def test_a_pile_covered_for_a_while_stays_as_it_was() -> None:
    watched = _begun()
    placed, watched.top.placed = watched.top.placed, []
    watched.rest(4)
    for each in placed:  # tracking has lost them and reports them as new
        watched.top.keys += 1
        each["key"] = watched.top.keys
    watched.top.placed = placed
    watched.rest()
    assert watched.moves == BEGUN
    assert not watched.table.open_problems


def test_the_next_round_begins_once_the_pile_was_cleared() -> None:
    truth = random_round("kakkuri", 2, kakkuri(), 3)
    assert isinstance(truth, KakkuriRound)
    watched = WatchedPile(3, dealer=truth.dealer)
    for _ in watched.play(truth):
        pass
    watched.rest()
    assert watched.table.round is not None
    ended = watched.table.round.outcome()
    assert ended is not None
    assert watched.table.round_number == 1
    watched.top.placed.clear()
    watched.rest(3)
    watched.open_box(ended.next_dealer, "susuki-moon")
    watched.rest()
    assert watched.table.round_number == 2
    assert watched.table.round.dealer == ended.next_dealer
    assert watched.moves == [f"{ended.next_dealer} box susuki-moon"]


class TestRescan:
    def test_it_asks_who_laid_the_card_on_top(self) -> None:
        watched = _begun(7)
        watched.top.lay(4, ("clover-boar",))
        watched.see(watched.top.observation())
        (asked,) = [event for event in watched.rescan() if event.kind == "asked"]
        says = [english(each["says"]) for each in asked.data["choices"]]
        assert len(says) == 7
        assert says[0] == "player 4 discards Boar"
        watched.answer(0)
        watched.rest()
        assert watched.moves[-1] == "4 discard clover-boar"

    def test_if_nothing_is_new_it_asks_whose_turn_it_is(self) -> None:
        watched = _begun()
        (asked,) = watched.rescan()
        says = [english(each["says"]) for each in asked.data["choices"]]
        assert says == ["player 1", "player 2", "player 3", "player 4"]
        watched.answer(2)
        assert isinstance(watched.table.round, KakkuriRound)
        assert watched.table.round.state.turn == 3
        watched.lay(3, "iris-bridge")
        watched.rest()
        assert watched.moves[-3:] == ["1 pass", "2 pass", "3 discard iris-bridge"]

    def test_it_undoes_what_was_removed(self) -> None:
        watched = _begun()
        watched.top.take_back()
        assert [event.kind for event in watched.rescan()] == ["undone"]
        assert watched.moves == BEGUN[:1]

    def test_before_a_round_it_reports_nothing(self) -> None:
        watched = WatchedPile(dealer=None)
        assert watched.referee.rescan(Observation("frame", 1.0, ()), watched.table) == []


class TestWhoLaidIt:
    """Arms, and the directions in which cards lie."""

    LAID = (
        (1, "wisteria-cuckoo"),
        (2, "iris-bridge"),
        (3, "paulownia-yellow"),
        (3, "clover-boar"),
        (1, "susuki-geese"),
        (2, "chrysanthemum-sake"),
    )

    def _laid(self, askew: float | None) -> WatchedPile:
        watched = WatchedPile(7)
        watched.top.mess = replace(QUIET, askew=askew)
        watched.open_box(1, "cherry-curtain")
        for seat, card in self.LAID:
            watched.lay(seat, card)
        watched.top.mess = replace(QUIET, askew=askew, hand_events=0.0)
        watched.top.lay(3, ("pine-crane",))
        watched.rest()
        return watched

    def test_without_an_arm_the_direction_of_the_card_tells_it(self) -> None:
        watched = self._laid(0.0)
        assert watched.moves[-2:] == ["2 pass", "3 discard pine-crane"]

    def test_in_a_squared_pile_the_direction_says_nothing(self) -> None:
        assert self._laid(None).questions == ["question-which-discard"]


class TestMissedCards:
    """Pictures that people post, between which several cards are laid."""

    def _post(self, watched: WatchedPile) -> None:
        watched.see(replace(watched.top.observation(), hand_events=(), notes=(POSTED,)))

    def test_what_follows_cards_that_nobody_saw_is_reported_without_them(self) -> None:
        watched = _begun()
        self._post(watched)
        for seat, card in ((2, "iris-bridge"), (3, "paulownia-phoenix")):
            watched.top.lay(seat, (card,))
            watched.top.placed[-1]["hidden"] = True
        watched.top.lay(4, ("clover-boar",))
        self._post(watched)
        assert watched.moves == BEGUN
        assert not watched.problems
        assert watched.questions == ["question-which-discard"]
        watched.top.lay(1, ("susuki-moon",))
        self._post(watched)
        assert watched.moves == [*BEGUN, "4 discard clover-boar"]
        watched.top.lay(2, ("chrysanthemum-sake",))
        self._post(watched)
        assert watched.moves[len(BEGUN) :] == ["4 discard clover-boar", "4 pass", "1 discard susuki-moon"]

    def test_a_first_card_may_lie_on_one_that_nobody_saw(self) -> None:
        watched = WatchedPile()
        self._post(watched)
        watched.top.lay(1, ("cherry-curtain",))
        watched.top.placed[-1]["hidden"] = True
        watched.top.lay(1, ("wisteria-cuckoo",))
        self._post(watched)
        assert watched.moves == []
        (question,) = watched.table.open_questions
        says = [english(each["says"]) for each in question.data["choices"]]
        watched.answer(says.index("player 1 discards Cuckoo"))
        assert watched.moves == ["1 discard wisteria-cuckoo"]
        assert not watched.problems

    def test_a_likely_last_turn_is_reported_at_the_end(self) -> None:
        watched = _begun()
        watched.top.mess = replace(QUIET, askew=None, wobble=0.05)
        watched.top.lay(3, ("iris-bridge",))
        watched.rest()
        assert watched.moves == BEGUN
        watched.table.append(watched.referee.close(watched.table), actor="camera", source="camera", time=TIME)
        assert watched.moves[-1] == "3 discard iris-bridge"

    def test_each_doubtful_turn_is_asked_at_the_end(self) -> None:
        watched = WatchedPile(7)
        watched.open_box(1, "cherry-curtain")
        watched.top.mess = replace(QUIET, askew=None, hand_events=0.0)
        for seat, card in ((2, "wisteria-cuckoo"), (4, "iris-bridge")):
            watched.top.lay(seat, (card,))
            watched.see(watched.top.observation())
        assert watched.moves == BEGUN[:1]
        for _ in range(2):
            asked = watched.referee.close(watched.table)
            assert [each.kind for each in asked] == ["asked"]
            watched.table.append(asked, actor="camera", source="camera", time=TIME)
            watched.answer(0)
        assert [move.split()[1] for move in watched.moves].count("discard") == 2
        assert watched.moves[-1].endswith("discard iris-bridge")


class TestIllegal:
    def test_an_illegal_number_is_reported_with_its_rule_until_taken_back(self) -> None:
        watched = WatchedPile(7)
        watched.open_box(1, "cherry-curtain")
        watched.lay(1, "clover-boar")
        watched.rest()
        assert watched.problems == ["wrong-number"]
        (reported,) = watched.table.open_problems
        assert reported.data["cards"] == ["clover-boar"]
        watched.top.take_back()
        watched.rest()
        assert not watched.table.open_problems
        assert watched.moves == BEGUN[:1]

    def test_a_card_that_may_be_from_the_box_is_asked(self) -> None:
        watched = WatchedPile()
        watched.open_box(1, "cherry-curtain")
        watched.top.mess = replace(QUIET, hand_events=0.0)
        watched.lay(1, "clover-boar")
        watched.rest()
        assert not watched.problems
        (question,) = watched.table.open_questions
        says = [english(each["says"]) for each in question.data["choices"]]
        assert any("turns up Boar" in each for each in says)
        (against,) = [
            number
            for number, each in enumerate(says)
            if each.startswith("player 1 discards Boar, ") and "where 4 may follow" in each
        ]
        watched.answer(against)
        assert watched.moves == [BEGUN[0], "1 discard clover-boar"]
        assert [event.data["code"] for event in watched.table.open_problems] == ["wrong-number"]
        watched.top.mess = QUIET
        watched.lay(2, "susuki-moon")
        watched.rest()
        assert watched.moves[-2:] == ["1 pass", "2 discard susuki-moon"]
