"""The score receipt: rounds, points, and payments."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round, record_of
from companion.messages import render
from companion.paper.receipt import Debt, ReceiptRules, debts_of, receipt_of_rounds, receipt_of_table
from companion.table import Table
from companion.table.events import NewEvent
from tests.message_text import raises_text

NOW = "2026-11-21T19:30:00+00:00"


def opened(game: str, players: list[str], **more: Any) -> Table:
    data = {
        "game": game,
        "rules": {"preset": resolve(None, game).name},
        "players": players,
        "name": None,
        "deck": None,
        **more,
    }
    return Table.open(NewEvent("opened", data), actor="test", source="program", time=NOW)


def play(table: Table, seed: int, *, ended: str = NOW) -> None:
    """Play a random round at a table to its end."""
    game = table.rules.game
    played = random_round(game, seed, table.rules, players=len(table.names.given))
    record = record_of(played)
    deal = {key: record[key] for key in ("deal", "dealer", "month") if key in record}
    moves = [
        NewEvent("moved", {"player": move.player, "words": list(move.words()), "unchecked": True})
        for move in played.moves
    ]
    table.append(
        [NewEvent("dealt", {**deal, "unchecked": True}), *moves], actor="test", source="program", time=ended
    )


def test_a_night_of_koi_koi() -> None:
    table = opened("koikoi", ["花子", ""], name="月見の夜")
    play(table, 2)
    play(table, 3, ended="2026-11-21T22:10:00+00:00")
    receipt = receipt_of_table(table)
    assert (receipt.title, render(receipt.game, "ja"), receipt.rules) == (
        "月見の夜",
        "こいこい",
        (ReceiptRules(1, table.rules.name, table.rules.hash),),
    )
    assert [(render(name), render(name, "ja")) for name in receipt.players] == [
        ("花子", "花子"),
        ("Player 2", "2番"),
    ]
    first, second = receipt.rounds
    assert (first.winners, first.points) == ((2,), (0, 5))
    assert [(each.seat, render(each.name), render(each.name, "ja"), each.points) for each in first.yaku] == [
        (2, "Three Brights", "三光", 5)
    ]
    assert second.points == (16, 0)
    assert [each.points for each in second.yaku] == [5, 2, 1]
    assert "花子" in render(second.why, "ja")
    assert (receipt.points, receipt.leaders, render(receipt.unit, "ja"), receipt.debts, receipt.pot) == (
        (16, 5),
        (1,),
        "点",
        (),
        0,
    )
    assert receipt.began is not None
    assert receipt.ended is not None
    assert (receipt.ended - receipt.began).total_seconds() == 160 * 60


def test_abandoned_and_running_rounds_are_not_on_the_receipt() -> None:
    table = opened("koikoi", ["A", "B"])
    with raises_text(BadRequestError, match="no round has ended"):
        receipt_of_table(table)
    play(table, 2)
    record = record_of(random_round("koikoi", 3))
    dealt = {key: record[key] for key in ("deal", "dealer", "month")}
    table.append([NewEvent("dealt", {**dealt, "unchecked": True})], actor="t", source="program", time=NOW)
    assert [each.number for each in receipt_of_table(table).rounds] == [1]
    table.append([NewEvent("abandoned", {})], actor="t", source="program", time=NOW)
    play(table, 4)
    assert [each.number for each in receipt_of_table(table).rounds] == [1, 3]


def test_the_evening_ends_with_its_last_change() -> None:
    table = opened("koikoi", ["A", "B"])
    play(table, 2)
    ended = receipt_of_table(table).ended
    later = (datetime.fromisoformat(NOW) + timedelta(hours=12)).isoformat()
    table.append([NewEvent("closed", {})], actor="t", source="program", time=later)
    assert receipt_of_table(table).ended == ended


@pytest.mark.parametrize(
    ("game", "unit"), [("kakkuri", "shares"), ("kingo", "stones"), ("kingo-bank", "stones")]
)
@pytest.mark.parametrize("seed", range(4))
def test_debts_settle_all_points(game: str, unit: str, seed: int) -> None:
    rounds = [random_round(game, 10 * seed + n, players=7) for n in range(3)]
    receipt = receipt_of_rounds(rounds)
    paid = list(receipt.points)
    for debt in receipt.debts:
        paid[debt.payer - 1] += debt.amount
        paid[debt.payee - 1] -= debt.amount
    assert sum(receipt.points) == -receipt.pot
    assert receipt.pot or not any(paid)
    assert render(receipt.unit) == unit


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=9))
def test_debts_settle_a_night(points: list[int]) -> None:
    points = [*points, -sum(points)]
    debts = debts_of(points)
    left = list(points)
    for debt in debts:
        assert debt.amount > 0
        left[debt.payer - 1] += debt.amount
        left[debt.payee - 1] -= debt.amount
    assert not any(left)
    assert len(debts) < max(2, sum(map(bool, points)))


def test_points_in_the_pot_are_not_paid_out() -> None:
    assert debts_of((-3, -2, 4)) == (Debt(1, 3, 3), Debt(2, 3, 1))
    assert debts_of((-1, -1)) == ()


def test_without_payments_there_are_no_debts() -> None:
    receipt = receipt_of_rounds([random_round("kekoro", 2, players=2)])
    assert min(receipt.points) > 0
    assert receipt.debts == ()


def test_all_the_same_is_nobodys_night() -> None:
    receipt = receipt_of_rounds(
        [next(drawn for seed in range(200) if not (drawn := random_round("koikoi", seed)).outcome().winners)]
    )  # type: ignore[union-attr]
    assert (receipt.points, receipt.leaders) == ((0, 0), ())


def test_rounds_of_different_tables_make_no_slip() -> None:
    with raises_text(BadRequestError, match="a receipt is for one table"):
        receipt_of_rounds([random_round("koikoi", 1), random_round("kekoro", 1, players=2)])
    with raises_text(BadRequestError, match="3 players are named, and 2 played"):
        receipt_of_rounds([random_round("koikoi", 1)], ("A", "B", "C"))
    with raises_text(BadRequestError, match="nothing to print"):
        receipt_of_rounds([])
