"""Whole random rounds that only readers report; `scanners_measure` plays more of them."""

from __future__ import annotations

from typing import Any

import pytest
from scanners_measure import EVERYWHERE, by_hand, by_trays
from scanners_sim import QUIET, Mess, Scanned, first_of, plain, turns_of

from companion.hanafuda.fishing import Draw, FishingRound, Play
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round
from companion.observations import captured_zone
from companion.readers import ReaderReport, ScannedTable
from companion.table.events import NewEvent
from companion.watch.referee import Referee
from tests.message_text import english

FIELD = (
    "pine-chaff-1", "plum-ribbon", "cherry-ribbon", "wisteria-chaff-1",
    "iris-ribbon", "peony-ribbon", "clover-boar", "susuki-geese",
)  # fmt: skip


@pytest.mark.parametrize("game", ["koikoi", "kekoro"])
@pytest.mark.parametrize("seed", range(1, 7))
def test_a_round_with_readers_under_field_and_trays(game: str, seed: int) -> None:
    reported = by_trays(game, seed, Mess())
    assert reported.right, reported.says()


@pytest.mark.parametrize("game", ["koikoi", "kekoro"])
@pytest.mark.parametrize("seed", range(1, 5))
def test_a_round_with_coils(game: str, seed: int) -> None:
    """A reader of one tag at a time never reports that a card was removed."""
    reported = by_trays(game, seed, Mess(), keeps=False)
    assert reported.right, reported.says()


@pytest.mark.parametrize("game", ["koikoi", "kekoro"])
@pytest.mark.parametrize("seed", range(1, 9))
def test_a_round_with_one_handheld_scanner(game: str, seed: int) -> None:
    reported = by_hand(game, seed)
    assert reported.right, reported.says()


@pytest.mark.parametrize("reported_again", [False, True])
@pytest.mark.parametrize("seed", range(1, 5))
def test_a_restarted_server_continues_from_the_table(seed: int, reported_again: bool) -> None:
    """Readers report changes; the device process may report present cards to a new server, or not.

    Of look-alikes it does not know which tag is which until both have moved; if that leaves something open,
    there is a question or problem.
    """
    played = random_round("kekoro", seed)
    assert isinstance(played, FishingRound)
    scanned = Scanned(played.rules, EVERYWHERE, Mess(), seed)
    scanned.deal(played.deal.field)
    scanned.submit(NewEvent("began", {"dealer": played.dealer}))
    turns = list(turns_of(played.moves))
    for turn in turns[:7]:
        scanned.turn(turn)
    scanned.wait(10.0)  # pending scans arrive
    scanned.scanned_table, scanned.referee = ScannedTable(), Referee(scanned.rules, 2)
    for card, zone in scanned.lies.items() if reported_again else ():
        scanned.scanned_table.process(
            [ReaderReport(card, f"reader-{zone}", zone, scanned.rng.uniform(1.0, 50.0))], scanned.table
        )
    for turn in turns[7:11]:
        scanned.turn(turn)
    assert scanned.table.round is not None
    reported = scanned.table.round.moves
    true = played.moves[: sum(map(len, turns[:11]))]
    right = sorted(captures(reported)) == sorted(captures(true))
    assert right or scanned.table.open_problems


def test_a_deal_that_begins_the_next_game_is_read_at_its_table() -> None:
    """The deal ends the game before; the coils, which know its cards already, are then those of another table."""
    scanned = by_trays("koikoi", 2, QUIET, keeps=False).scanned
    for card in FIELD:
        scanned.scanned_table.process(
            [ReaderReport(card, "reader-field", "field", scanned.now, keeps=False)], scanned.table
        )
    scanned.table, scanned.referee = Scanned(scanned.rules, EVERYWHERE).table, Referee(scanned.rules, 2)
    scanned.take(
        scanned.scanned_table.tick(scanned.now + 0.5, scanned.table, scanned.referee, watching=False)
    )
    played = scanned.table.round
    assert isinstance(played, FishingRound)
    assert {*map(first_of, played.field)} == {*map(first_of, FIELD)}


def captures(moves: Any) -> list[tuple[Any, ...]]:
    """Return the player, the card, and the captured cards."""
    return [each[:1] + each[2:] for each in plain(moves)]


def trays_only(field: tuple[str, ...] = FIELD) -> Scanned:
    """A table without a reader under the field: the deal is entered on a phone."""
    scanned = Scanned(
        resolve("koikoi-standard"), frozenset({captured_zone(1), captured_zone(2)}), Mess(0, 0, 0, 0, 0, 0)
    )
    scanned.submit(NewEvent("dealt", {"deal": {"field": list(field)}, "dealer": 1, "month": 1}))
    for card in field:
        scanned.lies[card] = "field"
    return scanned


def test_trays_alone_detect_a_turn_with_two_captures() -> None:
    scanned = trays_only()
    scanned.turn([Play(1, "pine-crane", ("pine-chaff-1",)), Draw(1, "clover-chaff-1", ("clover-boar",))])
    assert scanned.table.round is not None
    assert sorted(plain(scanned.table.round.moves)) == [
        (1, "Draw", "clover-chaff-1", ("clover-boar",)), (1, "Play", "pine-crane", ("pine-chaff-1",)),
    ]  # fmt: skip


def test_trays_alone_ask_for_a_card_placed_outside_all_readers() -> None:
    scanned = trays_only()
    scanned.turn([Play(1, "pine-crane", ("pine-chaff-1",)), Draw(1, "maple-deer")])
    scanned.wait(7.0)
    (problem,) = scanned.table.open_problems
    assert problem.data["code"] == "turn-unread"
    assert {*map(first_of, problem.data["cards"])} == {"pine-crane", "pine-chaff-1"}
    assert "player 1's pile" in english(problem.data["message"])
    # It is entered by hand; the next turn is read again.
    for words in (["play", "pine-crane", "pine-chaff-1"], ["draw", "maple-deer"]):
        scanned.submit(NewEvent("moved", {"player": 1, "words": words}))
    scanned.turn([Play(2, "plum-chaff-1", ("plum-ribbon",)), Draw(2, "maple-ribbon", ("maple-deer",))])
    assert scanned.table.open_problems == []
    assert scanned.table.round is not None
    assert len(scanned.table.round.moves) == 4


@pytest.mark.parametrize("captor", ["cherry-chaff-1", "cherry-chaff-2"])
def test_a_look_alike_on_a_tray_is_not_taken_for_the_one_that_no_reader_has_reported(captor: str) -> None:
    """Nobody knows which of the two chaff tags is on the field; the one in the pile may be the other one."""
    scanned = trays_only(("cherry-chaff-1", "cherry-curtain", *FIELD[3:], "plum-ribbon"))
    scanned.turn([Play(1, captor, ("cherry-curtain",)), Draw(1, "maple-deer")])
    scanned.wait(7.0)
    assert scanned.problems == ["turn-unread"]
    for words in (["play", "cherry-chaff-2", "cherry-curtain"], ["draw", "maple-deer"]):
        scanned.submit(NewEvent("moved", {"player": 1, "words": words}))
    other = "cherry-chaff-1" if captor == "cherry-chaff-2" else "cherry-chaff-2"
    scanned.turn([Play(2, "cherry-ribbon", (other,)), Draw(2, "maple-ribbon", ("maple-deer",))])
    assert scanned.table.round is not None
    assert captures(scanned.table.round.moves)[2:] == [
        (2, "cherry-ribbon", ("cherry-chaff-1",)), (2, "maple-ribbon", ("maple-deer",)),
    ]  # fmt: skip
