"""The Kingo referee: hands revealed at the showdown and the moves that follow from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from referee_kingo_sim import TIME, Mess, Session

from companion.hanafuda.games.kingo import KingoBankRound, KingoRound
from companion.hanafuda.games.kingo.moves import Bareta, Choose, Redeal, Wager
from companion.hanafuda.simulation import random_round
from companion.observations import POSTED
from companion.table.events import NewEvent


def session(seed: int = 3, players: int = 4, mess: Mess | None = None) -> Session:
    """Return a table with a random round and a reported dealer."""
    applied = Session(random_round("kingo", seed, players=players), mess or Mess(0, 0, 0, 0), seed).deal()
    if not applied.table.dealer_known:
        applied.submit(NewEvent("began", {"dealer": applied.truth.dealer}))
    return applied


def displayed(applied: Session, changed: dict[int, list[str]] | None = None) -> Session:
    """Lay all hands open, some with other cards than the true ones."""
    hands = applied.hands() | (changed or {})
    for seat, cards in hands.items():
        applied.show(seat, cards)
    applied.observations(6)
    return applied


def test_the_hand_over_the_table_identifies_the_dealer() -> None:
    applied = Session(random_round("kingo", 3, players=4), Mess(0, 0, 0, 0)).deal()
    assert applied.table.dealer_known
    assert applied.table.round is not None
    assert applied.table.round.dealer == applied.truth.dealer == 2


def test_a_showdown_of_four_yields_draws_bareta_and_payments() -> None:
    applied = session()
    applied.showdown()
    assert applied.table.round is not None
    moves = [str(move) for move in applied.table.round.moves]
    # Seed 3: player 2 drew one, 3 two, 4 one and was bareta, 1 one.
    ends = ["2 draw ?", "2 pass", "3 draw ?", "3 draw ?", "3 pass", "4 draw ?", "4 show chrysanthemum-ribbon"]
    assert moves[:5] == ends[:5]
    assert moves[5] == "4 draw ?"
    assert moves[8:11] == ["4 bareta", "1 draw ?", "1 pass"]
    outcome = applied.table.round.outcome()
    assert outcome is not None
    assert (outcome.winners, outcome.points, outcome.next_dealer) == ((3,), (-1, -1, 4, -2), 3)
    assert not applied.codes
    assert not applied.questions


@pytest.mark.parametrize("seed", range(18))
def test_no_showdown_is_worked_out_wrongly(seed: int) -> None:
    """With 5% of the cards barely legible, the showdown is correct or a question with the correct choice."""
    applied = session(seed, 2 + seed % 6, Mess())
    applied.showdown()
    assert applied.table.round is not None
    want, got = applied.truth.outcome(), applied.table.round.outcome()
    if got is None:
        assert applied.questions
        for question in applied.table.open_questions:
            applied.submit(
                NewEvent("answered", {"of": question.seq, "choice": _right(question.data, applied)})
            )
        got = applied.table.round.outcome()
    assert got is not None
    assert (got.winners, got.points, got.next_dealer) == (want.winners, want.points, want.next_dealer)


def _right(asked: Any, applied: Session) -> int:
    """Return the choice that shows every player's true months."""
    played = applied.table.round
    assert played is not None
    want = {
        seat: sorted(card.split("-")[0] for card in cards) for seat, cards in applied.hands().items() if cards
    }
    for number, each in enumerate(asked["choices"]):
        hands = {seat: [card.split("-")[0] for card in played.captured(seat)] for seat in want}
        for event in each["events"]:
            if event["data"].get("words", [""])[0] == "show":
                hands[event["data"]["player"]].append(event["data"]["words"][1].split("-")[0])
        if {seat: sorted(cards) for seat, cards in hands.items()} == want:
            return number
    raise AssertionError((asked, want))


def _bank(seed: int, players: int) -> KingoBankRound:
    """Return a random round of the banking form, with the initial stones of a table."""
    played = random_round("kingo-bank", seed, players=players)
    assert isinstance(played, KingoBankRound)
    again = KingoBankRound(
        played.rules,
        played.deal,
        dealer=played.dealer,
        stones=(played.rules.stones,) * players,
        shuffle=played.shuffle,
    )
    for move in played.moves:
        again.push(move, unchecked=True)
    return again


@pytest.mark.parametrize("seed", range(8))
def test_the_bank_pays_once_wagers_are_reported(seed: int) -> None:
    truth = _bank(seed, 3 + seed % 3)
    if any(isinstance(move, Redeal) for move in truth.moves):
        pytest.skip("a redeal is no showdown")
    applied = Session(truth, Mess(0, 0, 0, 0), seed).deal()
    for kind in (Choose, Wager):
        for move in truth.moves:
            if isinstance(move, kind):
                applied.move(move.player, *(("choose", "?") if kind is Choose else move.words()))
    applied.showdown()
    assert applied.table.round is not None
    got, want = applied.table.round.outcome(), truth.outcome()
    assert got is not None
    assert want is not None
    assert (got.winners, got.points) == (want.winners, want.points)


def test_an_unreported_wager_is_missing() -> None:
    truth = _bank(0, 3)
    applied = Session(truth, Mess(0, 0, 0, 0)).deal()
    applied.showdown()
    assert "wager-missing" in applied.codes


def test_draws_reported_by_tap_are_kept() -> None:
    applied = session()
    applied.move(2, "draw", "?")
    applied.move(2, "pass")
    applied.showdown()
    assert applied.table.round is not None
    assert [str(move) for move in applied.table.round.moves][:4] == [
        "2 draw ?",
        "2 pass",
        "3 draw ?",
        "3 draw ?",
    ]
    assert applied.table.round.outcome() is not None


def test_bareta_reported_by_tap_needs_no_cards() -> None:
    applied = session()
    for player, words in (
        (2, "draw ?"),
        (2, "pass"),
        (3, "draw ?"),
        (3, "draw ?"),
        (3, "pass"),
        (4, "draw ?"),
        (4, "bareta"),
    ):
        applied.move(player, *words.split())
    for seat in (1, 2, 3):
        applied.show(seat, applied.hands()[seat])
    applied.observations(6)
    assert applied.table.round is not None
    outcome = applied.table.round.outcome()
    assert outcome is not None
    assert outcome.points == (-1, -1, 4, -2)


def test_a_bareta_hand_revealed_during_play_is_not_a_showdown() -> None:
    applied = session()
    applied.show(4, applied.hands()[4])
    applied.observations(8)
    assert not applied.codes
    assert not applied.questions
    assert applied.table.round is not None
    assert not applied.table.round.moves


def test_a_hand_that_is_not_revealed_is_named() -> None:
    applied = session()
    for seat in (1, 2, 4):
        applied.show(seat, applied.hands()[seat])
    applied.observations(8)
    assert applied.codes == ["hand-missing"]
    applied.show(3, applied.hands()[3])
    applied.observations(4)
    assert applied.table.round is not None
    assert applied.table.round.outcome() is not None
    assert not applied.table.open_problems


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        pytest.param(["paulownia-phoenix", "pine-ribbon"], "foreign-card", id="december is not played with"),
        pytest.param(["cherry-curtain", "pine-ribbon"], "card-twice", id="another has the curtain"),
        # 10, 9 and 1 would have been 19 before the last card, or 10 and 9 with it: nobody draws at 15 or more, but 10 and 1 came first.
        pytest.param(["maple-deer", "maple-ribbon", "maple-chaff-1"], "hidden-contradiction", id="drew at 20"),
        pytest.param(["maple-deer"], "hidden-contradiction", id="passed with one card"),
    ],
)  # fmt: skip
def test_an_illegal_hand_is_reported_with_the_rule(cards: list[str], code: str) -> None:
    applied = displayed(session(), {3: cards})
    assert applied.codes == [code]
    assert applied.table.round is not None
    assert applied.table.round.outcome() is None


def test_a_card_that_nobody_can_read_is_asked_about_or_named() -> None:
    applied = session()
    for seat, cards in applied.hands().items():
        applied.show(seat, cards)
    applied.placed[-1].read = (("pine-crane", 0.1),)
    applied.observations(8)
    assert applied.questions or applied.codes == ["unknown-card"]
    assert applied.table.round is not None
    assert applied.table.round.outcome() is None


def test_a_later_card_undoes_the_reported_showdown() -> None:
    applied = session()
    hands = applied.hands()
    late = hands[3].pop()
    displayed(applied, hands)
    applied.keys += 1
    applied.show(3, [late])
    applied.observations(6)
    assert any(event.kind == "undone" for event in applied.reported)
    assert applied.table.round is not None
    outcome = applied.table.round.outcome()
    assert outcome is not None
    assert outcome.points == (-1, -1, 4, -2)


def test_hands_gathered_up_and_dealt_again_are_the_next_round() -> None:
    applied = session()
    applied.showdown()
    applied.placed.clear()
    applied.observations(2)
    assert applied.table.round_number == 2
    assert applied.table.round is not None
    assert applied.table.round.dealer == 3
    assert not applied.table.round.moves


def test_events_deleted_by_a_person_are_not_reported_again() -> None:
    applied = session()
    applied.showdown()
    target = applied.table.undo_target()
    assert target is not None
    applied.submit(NewEvent("undone", {"of": target.seq}))
    applied.observations(4)
    assert applied.table.round is not None
    assert applied.table.round.outcome() is None


def test_one_picture_of_all_hands_is_enough() -> None:
    applied = session()
    for seat, cards in applied.hands().items():
        applied.show(seat, cards)
    reported = applied.referee.see(replace(applied.seen(), notes=(POSTED,)), applied.table)
    applied.table.append(reported, actor="Aiko", source="camera", time=TIME)
    assert applied.table.round is not None
    assert applied.table.round.outcome() is not None


def test_a_rescan_replaces_the_hands_with_the_revealed_ones() -> None:
    applied = session()
    applied.showdown()
    assert applied.table.round is not None
    truth = applied.table.round.outcome()
    first, *_ = applied.hands()[3]
    placed = next(each for each in applied.placed if each.seat == 3 and each.card == first)
    right, placed.read = placed.read, (("clover-boar", 0.99),)  # misread when it was reported
    target = applied.table.undo_target()
    assert target is not None
    applied.submit(NewEvent("undone", {"of": target.seq}))
    applied.table.append(
        applied.referee.rescan(applied.seen(), applied.table), actor="camera", source="camera", time=TIME
    )
    assert applied.table.round is not None
    wrong = applied.table.round.outcome()
    assert wrong != truth
    placed.read = right
    applied.table.append(
        applied.referee.rescan(applied.seen(), applied.table), actor="phone", source="phone", time=TIME
    )
    assert applied.table.round is not None
    assert applied.table.round.outcome() == truth


def test_a_rescan_with_a_missing_hand_names_its_player() -> None:
    applied = session()
    applied.show(3, applied.hands()[3])
    reported = applied.referee.rescan(applied.seen(), applied.table)
    assert [event.data["code"] for event in reported] == ["hand-missing"]


def test_a_rescan_of_a_table_without_hands_reports_nothing() -> None:
    applied = session()
    assert applied.referee.rescan(applied.seen(), applied.table) == []


def test_the_last_observation_is_reported_at_the_end() -> None:
    applied = session()
    for seat, cards in applied.hands().items():
        applied.show(seat, cards)
    applied.observations(1)
    reported = applied.referee.close(applied.table)
    applied.table.append(reported, actor="camera", source="camera", time="2026-01-01T00:00:00Z")
    assert isinstance(applied.table.round, KingoRound)
    assert applied.table.round.outcome() is not None
    assert any(isinstance(move, Bareta) for move in applied.table.round.moves)


def test_a_round_completed_by_phone_is_not_dealt_again() -> None:
    applied = session()
    applied.observations(1)
    for move in (
        "2 draw ?",
        "2 pass",
        "3 draw ?",
        "3 draw ?",
        "3 pass",
        "4 draw ?",
        "4 bareta",
        "1 draw ?",
        "1 pass",
    ):
        player, *words = move.split()
        applied.move(int(player), *words)
    for seat in (1, 2, 3):
        for card in applied.hands()[seat]:
            applied.move(seat, "show", card)
    for seat in (1, 2, 3):
        applied.show(seat, applied.hands()[seat])
    applied.observations(6)
    assert applied.table.round_number == 1
    assert not applied.codes
