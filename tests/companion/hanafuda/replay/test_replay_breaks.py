"""Records with one change: every change is detected, located, and named."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest
from replay_breaks import BREAKS, Broken, hide
from replay_breaks_kakkuri import KAKKURI_BREAKS
from replay_breaks_kingo import BANK_BREAKS, KINGO_BREAKS
from replay_tables import needs_recorded_rounds, recorded, simulated

from companion.hanafuda.replay import Replayed, replay

Breaks = Mapping[str, Callable[[dict[str, Any], Random], Broken | None]]

CALLS = {"call_without_yaku", "stop_without_yaku", "no_decision"}
GAMES: Mapping[str, Breaks] = {
    "koikoi": BREAKS,
    "kekoro": {kind: change for kind, change in BREAKS.items() if kind not in CALLS},
    "kakkuri": KAKKURI_BREAKS,
    "kingo": KINGO_BREAKS,
    "kingo-bank": BANK_BREAKS,
}
EACH = 10
"""Number of records that are broken in each way, for each game."""
LATER = {"not_in_hand", "wrong_draw", "card_twice"}
"""Breaks that cannot be detected with hidden hands, unless the same card appears again."""
UNSEEN = {
    "koikoi": LATER,
    "kekoro": LATER,
    "kakkuri": {"wrong_box", "card_twice"},
    "kingo": {"card_twice"},
    "kingo-bank": {"chose_what_was_not_dealt", "card_twice"},
}
"""Breaks that may stay undetected in each game with hidden hands and stock."""
_RECORDS: dict[str, list[dict[str, Any]]] = {}


def records(game: str) -> list[dict[str, Any]]:
    if game not in _RECORDS:
        _RECORDS[game] = recorded() if game == "recorded" else simulated(game, 160)
    return _RECORDS[game]


def broken_records(game: str, kind: str, count: int = EACH) -> list[Broken]:
    change = GAMES["koikoi" if game == "recorded" else game][kind]
    rng = Random(kind)
    found: list[Broken] = []
    for record in rng.sample(records(game), len(records(game))):
        if (broken := change(record, rng)) is not None:
            found.append(broken)
        if len(found) == count:
            break
    assert len(found) == count
    return found


def reported(replayed: Replayed) -> list[tuple[int | None, str]]:
    return [(noted.turn, noted.problem.code) for noted in replayed.noted]


def not_named(broken: list[Broken]) -> list[Any]:
    missed = []
    for each in broken:
        problems = reported(replay(each.record))
        if (each.turn, each.code) not in problems:
            missed.append((each.turn, each.code, problems))
    return missed


@pytest.mark.parametrize(
    ("game", "kind"), [(game, kind) for game, breaks in GAMES.items() for kind in breaks]
)
def test_every_break_is_named(game: str, kind: str) -> None:
    assert not_named(broken_records(game, kind)) == []


@needs_recorded_rounds
@pytest.mark.parametrize("kind", BREAKS)
def test_every_break_of_a_recorded_round_is_named(kind: str) -> None:
    assert not_named(broken_records("recorded", kind)) == []


@pytest.mark.parametrize(
    ("game", "kind"),
    [(game, kind) for game, breaks in GAMES.items() for kind in breaks if kind not in UNSEEN[game]],
)
def test_every_other_break_is_noticed_with_the_hands_hidden(game: str, kind: str) -> None:
    for each in broken_records(game, kind, 4):
        replayed = replay(hide(each.record))
        # A Koi-Koi round that ended at the deal has no reason.
        assert replayed.noted or not each.record["turns"]


@pytest.mark.parametrize("kind", [kind for kind in BREAKS if kind not in LATER])
def test_a_break_is_named_with_the_hands_hidden(kind: str) -> None:
    broken = [each for each in broken_records("koikoi", kind) if each.record["turns"]]
    assert not_named([Broken(hide(each.record), each.turn, each.code) for each in broken]) == []


@pytest.mark.parametrize("kind", ["not_in_hand", "wrong_draw"])
def test_a_hidden_card_contradicts_itself_when_it_turns_up_again(kind: str) -> None:
    """A card recorded in place of another is detected when the record has it a second time."""
    noticed = 0
    for each in broken_records("koikoi", kind, 30):
        before, after = each.record["turns"][: each.turn], each.record["turns"][each.turn :]
        card = before[-1]["play" if kind == "not_in_hand" else "draw"]
        if all(card not in (turn["play"], turn["draw"]) for turn in after):
            continue
        noticed += 1
        assert not replay(hide(each.record)).legal
    assert noticed >= 3


@pytest.mark.parametrize(
    ("game", "kind"),
    [
        (game, kind)
        for game in ("koikoi", "kekoro")
        for kind in GAMES[game]
        # Two rules are broken, or a card dealt twice leaves open which hand lacks a card.
        if kind not in {"wrong_flower", "card_twice", "not_in_hand"}
    ],
)
def test_one_slip_is_one_problem(game: str, kind: str) -> None:
    assert [reported(replay(each.record)) for each in broken_records(game, kind)] == [
        [(each.turn, each.code)] for each in broken_records(game, kind)
    ]


def test_a_corrected_mistake_does_not_change_the_outcome() -> None:
    """Later turns show the real cards on the table, so the result agrees."""
    for kind in ("capture_refused", "one_of_three", "wrong_draw", "out_of_turn", "captured_before"):
        for each in broken_records("koikoi", kind):
            assert replay(each.record).agrees is True
