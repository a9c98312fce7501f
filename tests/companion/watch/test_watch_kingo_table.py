"""The engine at a table of Kingo: what it promises to the people there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.hanafuda.games.kingo import Choose, KingoBankRound, Redeal, Wager
from companion.hanafuda.messages import Message
from companion.hanafuda.simulation import random_round
from companion.messages import render
from companion.observations import POSTED
from companion.table.events import NewEvent
from tests.companion.watch.kingo_session import WatchedKingo
from tests.companion.watch.kingo_sim import TIDY, Mess

DRAWS = (
    "2 draw ?", "2 pass", "3 draw ?", "3 draw ?", "3 pass", "4 draw ?",
    "4 show susuki-chaff-1", "4 show chrysanthemum-ribbon", "4 bareta", "1 draw ?", "1 pass",
)  # fmt: skip
"""The round of seed 3 with four players, dealt by 2, up to the showdown."""
POINTS = (-1, -1, 4, -2)


def session(seed: int = 3, players: int = 4, mess: Mess = TIDY) -> WatchedKingo:
    """Return a table with a random round and a reported dealer."""
    truth = random_round("kingo", seed, players=players)
    return WatchedKingo(truth, mess, seed).deal(truth.dealer)


def enter(watched: WatchedKingo, *moves: str) -> None:
    """Enter moves on a phone."""
    for move in moves:
        player, *words = move.split()
        watched.move(int(player), *words)


def test_a_draw_pile_on_an_empty_table_is_a_deal() -> None:
    watched = WatchedKingo(random_round("kingo", 3, players=4)).deal()
    assert [event.kind for event in watched.reported] == ["dealt"]
    assert watched.reported[0].data["deal"] == {}
    assert watched.moves == []


def test_a_showdown_is_draws_bareta_hands_and_payments() -> None:
    watched = session()
    watched.show(4)
    watched.rest(2)
    watched.show(1, 2, 3)
    watched.rest(4)
    assert watched.moves[: len(DRAWS)] == list(DRAWS)
    assert (watched.outcome.winners, watched.outcome.points, watched.outcome.next_dealer) == ((3,), POINTS, 3)
    assert watched.problems == []
    assert watched.questions == []


def test_a_bareta_hand_is_reported_once_those_before_it_are_known() -> None:
    watched = session()
    enter(watched, *DRAWS[:5])
    watched.show(4)
    watched.rest(4)
    assert watched.moves == list(DRAWS[:9])
    assert watched.problems == []


@pytest.mark.parametrize("seed", range(18))
def test_no_showdown_is_worked_out_wrongly(seed: int) -> None:
    """With 5 % of the cards barely legible, the showdown is right or a question with the right answer."""
    watched = session(seed, 2 + seed % 6, Mess())
    watched.watch(watched.sim.showdown())
    watched.rest()
    if watched.outcome is None:
        watched.answer(right_answer(watched))
        watched.rest()
    want, got = watched.truth.outcome(), watched.outcome
    assert (got.winners, got.points, got.next_dealer) == (want.winners, want.points, want.next_dealer)


def right_answer(watched: WatchedKingo) -> int:
    """Return the number of the answer that has every player's true months."""
    (question,) = watched.table.open_questions
    want = {seat: months(cards) for seat, cards in watched.sim.hands.items() if cards}
    for number, each in enumerate(question.data["choices"]):
        hands = {seat: list(watched.round.captured(seat)) for seat in want}
        for event in each["events"]:
            match event["data"].get("words"):
                case ["show", card]:
                    hands[event["data"]["player"]].append(card)
        if {seat: months(cards) for seat, cards in hands.items()} == want:
            return number
    raise AssertionError((question.data, want))


def months(cards: list[str]) -> list[str]:
    return sorted(card.split("-")[0] for card in cards)


def bank(seed: int, players: int) -> KingoBankRound:
    """Return a random round against the bank in which all have the stones of the beginning."""
    played = random_round("kingo-bank", seed, players=players)
    stones = (played.rules.stones,) * players
    again = KingoBankRound(
        played.rules, played.deal, dealer=played.dealer, stones=stones, shuffle=played.shuffle
    )
    for move in played.moves:
        again.push(move, unchecked=True)
    if any(isinstance(move, Redeal) for move in played.moves):
        pytest.skip("a redeal is no showdown")
    return again


@pytest.mark.parametrize("is_late", [False, True], ids=["before the draws", "after the showdown"])
@pytest.mark.parametrize("seed", range(8))
def test_the_bank_pays_once_wagers_are_entered(seed: int, is_late: bool) -> None:
    truth = bank(seed, 3 + seed % 3)
    watched = WatchedKingo(truth).deal(truth.dealer)
    wagers = [str(move) for move in truth.moves if isinstance(move, Wager)]
    if not is_late:
        enter(watched, *(f"{move.player} choose ?" for move in truth.moves if isinstance(move, Choose)))
        enter(watched, *wagers)
    watched.watch(watched.sim.showdown())
    if is_late:
        watched.rest()
        assert "wager-missing" in watched.problems
        enter(watched, *wagers)
        watched.rest()
        assert watched.table.open_problems == []
    got, want = watched.outcome, truth.outcome()
    assert want is not None
    assert (got.winners, got.points) == (want.winners, want.points)


def test_entered_draws_are_kept() -> None:
    watched = session()
    enter(watched, *DRAWS[:2])
    watched.show(1, 2, 3, 4)
    watched.rest()
    assert watched.moves[: len(DRAWS)] == list(DRAWS)
    assert watched.outcome.points == POINTS


def test_a_bareta_that_was_entered_needs_no_cards() -> None:
    watched = session()
    enter(watched, *DRAWS[:6], "4 bareta")
    watched.show(1, 2, 3)
    watched.rest()
    assert watched.outcome.points == POINTS
    assert watched.problems == []


def test_a_bareta_hand_during_play_is_no_showdown() -> None:
    watched = session()
    watched.show(4)
    watched.rest()
    assert watched.problems == []
    assert watched.questions == []
    assert watched.moves == []


def test_a_hand_that_is_not_laid_open_is_named() -> None:
    watched = session()
    watched.show(1, 2, 4)
    watched.rest()
    assert watched.problems == ["hand-missing"]
    watched.show(3)
    watched.rest(4)
    assert watched.outcome.points == POINTS
    assert watched.table.open_problems == []


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        pytest.param(["paulownia-phoenix", "pine-ribbon"], "foreign-card", id="december is not played with"),
        pytest.param(["cherry-curtain", "pine-ribbon"], "card-twice", id="another has the curtain"),
        pytest.param(["maple-deer", "maple-ribbon", "maple-chaff-1"], "hidden-contradiction", id="drew at 20"),
    ],
)  # fmt: skip
def test_an_illegal_hand_is_reported_with_the_rule(cards: list[str], code: str) -> None:
    watched = session()
    watched.show(1, 2, 4)
    watched.sim.lay_open(3, cards)
    watched.rest()
    assert watched.problems == [code]
    assert watched.outcome is None


@pytest.mark.parametrize("notes", [(), (POSTED,)], ids=["camera", "pictures"])
def test_a_card_that_is_not_detected_loses_no_other_hand(notes: tuple[str, ...]) -> None:
    """One card is no hand, and March with any other card is not bareta."""
    watched = session()
    first, late = watched.sim.hands[2]
    watched.show(1, 3, 4)
    watched.sim.lay_open(2, [first])
    watched.watch(replace(each, notes=notes) for each in watched.sim.rest(12))
    assert {move.split()[0] for move in watched.moves if "show" in move} == {"1", "3", "4"}
    assert watched.outcome is None
    assert watched.questions == []
    assert watched.problems == ["unknown-card"]
    (problem,) = watched.table.open_problems
    assert "in player 2's hand" in render(Message.from_dict(problem.data["message"]))
    watched.sim.lay_open(2, [late])
    watched.watch(replace(each, notes=notes) for each in watched.sim.rest(12))
    assert watched.outcome.points == POINTS
    assert watched.table.open_problems == []


def test_how_a_turn_ended_is_asked_if_a_card_of_the_hand_is_not_detected() -> None:
    watched = session()
    watched.show(1, 2, 3)
    watched.sim.lay_open(4, ["chrysanthemum-ribbon"])
    watched.rest()
    (question,) = watched.questions
    text = render(Message.from_dict(question.data["text"]))
    assert text.startswith("A card in player 4's hand cannot be recognized.")
    answers = [render(Message.from_dict(each["says"])) for each in question.data["choices"]]
    passes, bareta = (
        f"player 4: Chrysanthemum Blue Ribbon and ?, {end}" for end in ("passes", "calls bareta")
    )
    assert {*answers} == {passes, bareta}
    watched.answer(answers.index(bareta))
    assert watched.outcome.points == POINTS
    watched.rest()
    assert watched.problems == []
    assert watched.outcome.points == POINTS


def test_a_card_that_nobody_can_read_is_named() -> None:
    watched = session()
    watched.show(1, 2, 3, 4)
    watched.sim.misread("hand-3", ("pine-crane", 0.1))
    watched.rest()
    assert watched.problems == ["unknown-card"]
    assert watched.outcome is None


def test_players_are_asked_which_hands_lie_there() -> None:
    watched = session()
    watched.show(1, 2, 3, 4)
    watched.sim.misread("hand-2", ("wisteria-ribbon", 0.6), ("clover-ribbon", 0.35))
    watched.rest()
    (question,) = watched.questions
    assert question.data["text"]["code"] == "question-which-hands"
    watched.answer(right_answer(watched))
    watched.rest()
    assert watched.outcome.points == POINTS


def test_players_are_asked_who_dealt() -> None:
    watched = WatchedKingo(random_round("kingo", 3, players=4)).deal()
    watched.show(1, 2, 3, 4)
    watched.rest()
    if watched.outcome is None:
        (question,) = watched.questions
        assert question.data["text"]["code"] == "question-who-dealt"


def test_a_later_card_corrects_the_reported_showdown() -> None:
    watched = session()
    *first, late = watched.sim.hands[3]
    watched.show(1, 2, 4)
    watched.sim.lay_open(3, first)
    watched.rest(6)
    watched.sim.lay_open(3, [late])
    watched.rest()
    assert watched.outcome.points == POINTS
    assert watched.moves[: len(DRAWS)] == list(DRAWS)


def test_hands_gathered_up_and_dealt_again_are_the_next_round() -> None:
    watched = session()
    watched.show(1, 2, 3, 4)
    watched.rest(4)
    watched.sim.clear()
    watched.see(watched.sim.seen(stock=False))
    watched.rest(4)
    assert watched.table.round_number == 2
    assert watched.round.dealer == 3
    assert watched.moves == []


def test_hands_gathered_up_one_by_one_change_nothing() -> None:
    watched = session()
    watched.show(1, 2, 3, 4)
    watched.rest(4)
    moves = watched.moves
    for seat in (1, 2, 3):
        watched.sim.take_up(seat)
        watched.rest(2)
    assert watched.moves == moves
    assert watched.outcome.points == POINTS
    assert watched.table.round_number == 1


def test_what_a_person_removed_is_not_reported_again() -> None:
    watched = session()
    watched.show(1, 2, 3, 4)
    watched.rest(4)
    target = watched.table.undo_target()
    assert target is not None
    watched.submit(NewEvent("undone", {"of": target.seq}))
    watched.rest(4)
    assert watched.outcome is None


def test_one_picture_of_all_hands_is_enough() -> None:
    watched = session()
    watched.show(1, 2, 3, 4)
    watched.see(replace(watched.sim.seen(), notes=(POSTED,)))
    assert watched.outcome.points == POINTS


def test_one_picture_of_all_hands_asks_who_dealt() -> None:
    truth = random_round("kingo", 3, players=4)
    watched = WatchedKingo(truth)
    watched.show(1, 2, 3, 4)
    watched.see(replace(watched.sim.seen(), notes=(POSTED,)))
    (question,) = watched.questions
    assert question.data["text"]["code"] == "question-who-dealt"
    watched.answer(truth.dealer - 1)
    assert (watched.round.dealer, watched.outcome.points) == (truth.dealer, POINTS)


def test_a_round_completed_on_phones_is_not_dealt_again() -> None:
    watched = session()
    enter(watched, *DRAWS[:6], "4 bareta", *DRAWS[9:])
    for seat in (1, 2, 3):
        enter(watched, *(f"{seat} show {card}" for card in watched.sim.hands[seat]))
    assert watched.outcome is not None
    watched.show(1, 2, 3)
    watched.rest()
    assert watched.table.round_number == 1
    assert watched.problems == []


def dealers_asked(watched: WatchedKingo) -> set[int]:
    """Return the dealers in the answers of the one open question."""
    (question,) = watched.table.open_questions
    return {
        event["data"]["dealer"]
        for each in question.data["choices"]
        for event in each["events"]
        if event["kind"] == "began"
    }


def test_all_who_may_have_dealt_are_asked_about() -> None:
    truth = random_round("kingo", 3, players=7)
    watched = WatchedKingo(truth)
    watched.show(*range(1, 8))
    watched.see(replace(watched.sim.seen(), notes=(POSTED,)))
    assert dealers_asked(watched) == set(range(1, 8))
    watched.answer(truth.dealer - 1)
    assert watched.outcome.points == truth.outcome().points


def test_the_first_hand_of_a_round_is_not_asked_about_if_only_one_dealer_explains_it() -> None:
    truth = random_round("kingo", 3, players=4)
    watched = WatchedKingo(truth).deal()
    watched.show(4)
    watched.rest()
    assert watched.questions == []
    watched.show(1, 2, 3)
    watched.rest()
    assert dealers_asked(watched) == {1, 2, 3, 4}
    watched.answer(truth.dealer - 1)
    assert watched.outcome.points == POINTS


def test_the_question_who_dealt_names_hands_that_are_in_doubt() -> None:
    truth = random_round("kingo", 3, players=4)
    watched = WatchedKingo(truth)
    watched.show(1, 2, 3, 4)
    watched.sim.misread("hand-2", ("wisteria-ribbon", 0.6), ("clover-ribbon", 0.35))
    watched.see(replace(watched.sim.seen(), notes=(POSTED,)))
    assert dealers_asked(watched) == {1, 2, 3, 4}
    (question,) = watched.questions
    assert question.data["text"]["code"] == "question-who-dealt-which-hands"
    answers = [render(Message.from_dict(each["says"])) for each in question.data["choices"]]
    assert answers[truth.dealer - 1] == "player 2 deals, player 2: Curtain and Wisteria Ribbon"
    assert len(answers) == 8
    watched.answer(truth.dealer - 1)
    assert watched.outcome.points == POINTS


def test_one_picture_tells_what_is_certain_and_asks_what_is_in_doubt() -> None:
    watched = session()
    watched.show(1, 2, 3, 4)
    watched.sim.misread("hand-4", ("iris-ribbon", 0.6), ("iris-chaff-1", 0.35))
    watched.see(replace(watched.sim.seen(), notes=(POSTED,)))
    assert watched.moves[:6] == list(DRAWS[:6])
    assert watched.moves[-1].startswith("3 show")
    (question,) = watched.questions
    assert question.data["text"]["code"] == "question-which-hands"


def test_a_hand_of_a_deal_by_an_unknown_dealer_is_no_second_deal() -> None:
    watched = WatchedKingo(random_round("kingo", 100, players=6), Mess(), 100)
    watched.watch(watched.sim.round())
    watched.rest()
    assert {event.data["text"]["code"] for event in watched.questions} == {"question-who-dealt"}
    assert watched.table.round_number == 1
