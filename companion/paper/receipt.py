"""The score receipt of an evening, as data: rounds, totals and payments. Drawing and printing are in `hardware.printers`.

>>> from companion.paper.receipt import receipt_of_rounds
>>> from companion.hanafuda.simulation import random_round
>>> receipt = receipt_of_rounds([random_round("kingo", seed=3, players=3)], ("Aoi", "Ren", "Yui"))
>>> [(debt.payer, debt.payee, debt.amount) for debt in receipt.debts]
[(2, 1, 2), (3, 1, 1)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.match import leaders
from companion.hanafuda.messages import Message, yaku_message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Outcome, Round
from companion.messages import DEFAULT_LANGUAGE
from companion.messages.catalog import catalog
from companion.table import Table
from companion.table.messages import PlayerNames

_YakuOf: TypeAlias = Callable[[int], Iterable[tuple[str, int]]]
"""Returns a player's yaku in a round: slug and points."""


@dataclass(frozen=True, slots=True)
class ReceiptYaku:
    """A yaku that a winner had."""

    seat: int
    name: Message
    points: int


@dataclass(frozen=True, slots=True)
class ReceiptRound:
    """A finished round; `points` by seat, negative for payments."""

    number: int
    dealer: int
    month: int | None
    winners: tuple[int, ...]
    points: tuple[int, ...]
    yaku: tuple[ReceiptYaku, ...]
    why: Message


@dataclass(frozen=True, slots=True)
class ReceiptRules:
    """The rules of some rounds in a row."""

    first: int
    """The number of the first of these rounds."""
    name: str
    hash: str


@dataclass(frozen=True, slots=True)
class Debt:
    """A payment from one seat to another at the end of the evening."""

    payer: int
    payee: int
    amount: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """The receipt of an evening. Seats are numbered from 1; `points` are in seat order."""

    title: str | None
    """The table's name."""
    game: Message
    rules: tuple[ReceiptRules, ...]
    """The rules of the first round, then those of each change."""
    players: tuple[Message, ...]
    """The players' names, in seat order."""
    rounds: tuple[ReceiptRound, ...]
    points: tuple[int, ...]
    unit: Message
    """The unit of the points, in the plural."""
    pot: int
    """What is left in the pot."""
    debts: tuple[Debt, ...]
    """Empty in games without payments."""
    leaders: tuple[int, ...]
    """The seats with the most points; empty if all are equal."""
    over: Message | None
    """Why the game is over; None if it may continue."""
    began: datetime | None
    ended: datetime | None
    night: str | None = None
    """The id of the evening, if it is in the log."""


def receipt_of_table(table: Table) -> Receipt:
    """Return the receipt of a table; raises `BadRequestError` if no round has ended."""
    rounds = [
        (live.number, live.round, outcome, live.yaku)
        for live in table.rounds
        if not live.abandoned and (outcome := live.outcome) is not None
    ]
    if not rounds:
        raise BadRequestError(Message("receipt-no-round"))
    game, names = table.game, table.names
    over = game.outcome()
    began = next(event.time for event in table.events if event.kind != "opened")
    receipt = _receipt(
        rounds,
        names,
        title=table.opened.get("name"),
        points=game.points,
        pot=game.pot,
        over=None if over is None else names.within(over.why),
        times=(_time(began), _time(table.last_activity)),
    )
    return replace(receipt, night=table.opened.get("night") or table.opened.get("id"))


def receipt_of_rounds(
    rounds: Iterable[Round[Any, Any, Any]], players: Sequence[str] = (), title: str | None = None
) -> Receipt:
    """Return the receipt of finished rounds of one game; players without names are named by their seats.

    Raises `BadRequestError` if no round has ended, or if the rounds differ in rules or number of players.
    """
    ended = [
        (number, played, outcome, played.yaku)
        for number, played in enumerate(rounds, start=1)
        if (outcome := played.outcome()) is not None
    ]
    if not ended:
        raise BadRequestError(Message("receipt-no-round"))
    first = ended[0][1]
    for number, played, _, _ in ended:
        if (played.rules, played.players) != (first.rules, first.players):
            raise BadRequestError(Message("receipt-several-tables", {"number": number}))
    if players and len(players) != first.players:
        raise BadRequestError(
            Message("receipt-wrong-players", {"count": len(players), "players": first.players})
        )
    points = tuple(map(sum, zip(*(outcome.points for _, _, outcome, _ in ended), strict=True)))
    return _receipt(
        ended,
        PlayerNames(tuple(players)),
        title=title,
        points=points,
        pot=ended[-1][2].pot,
        over=None,
        times=(None, None),
    )


def debts_of(points: Sequence[int]) -> tuple[Debt, ...]:
    """Return the payments that settle the points, the largest debts first.

    There are fewer payments than seats. Points in the pot belong to nobody and are not paid out.
    """
    unpaid = {seat: -each for seat, each in enumerate(points, start=1) if each < 0}
    due = {seat: each for seat, each in enumerate(points, start=1) if each > 0}
    debts = []
    while unpaid and due:
        payer = max(unpaid, key=lambda seat: (unpaid[seat], -seat))
        payee = max(due, key=lambda seat: (due[seat], -seat))
        amount = min(unpaid[payer], due[payee])
        debts.append(Debt(payer, payee, amount))
        for amounts, seat in ((unpaid, payer), (due, payee)):
            amounts[seat] -= amount
            if not amounts[seat]:
                del amounts[seat]
    return tuple(debts)


def _receipt(
    rounds: Sequence[tuple[int, Round[Any, Any, Any], Outcome, _YakuOf]],
    names: PlayerNames,
    *,
    title: str | None,
    points: tuple[int, ...],
    pot: int,
    over: Message | None,
    times: tuple[datetime | None, datetime | None],
) -> Receipt:
    rules = [(number, played.rules) for number, played, *_ in rounds]
    pays = sum(points) + pot == 0 and any(points)
    return Receipt(
        title=title,
        game=rules[0][1].title,
        rules=tuple(
            ReceiptRules(number, each.name, each.hash)
            for n, (number, each) in enumerate(rules)
            if n == 0 or each != rules[n - 1][1]
        ),
        players=tuple(_display_name(names, seat) for seat in range(1, len(points) + 1)),
        rounds=tuple(_round(*each, names) for each in rounds),
        points=points,
        unit=GAMES[rules[0][1].game].unit,
        pot=pot,
        debts=debts_of(points) if pays else (),
        leaders=leaders(points),
        over=over,
        began=times[0],
        ended=times[1],
    )


def _display_name(names: PlayerNames, seat: int) -> Message:
    entered = names.of(seat)
    return entered if entered.code == "player-name" else Message("receipt-player", {"number": seat})


def _yaku_label(game: str, slug: str) -> Message:
    """Return the name of a game's yaku; a game of another distribution has names in English and Japanese only."""
    names = _yaku_names(game).get(slug)
    if names is None or yaku_message(slug).code in catalog(DEFAULT_LANGUAGE):
        return yaku_message(slug)
    return Message("text", {"en": names["en"], "ja": names["ja"]})


def _yaku_names(game: str) -> Mapping[str, Mapping[str, str]]:
    scorer = GAMES[game].scorer
    return {} if scorer is None else scorer.yaku


def _round(
    number: int, played: Round[Any, Any, Any], outcome: Outcome, yaku_of: _YakuOf, names: PlayerNames
) -> ReceiptRound:
    known = _yaku_names(played.rules.game)
    month = played.situation().get("month")
    return ReceiptRound(
        number=number,
        dealer=played.dealer,
        month=month if isinstance(month, int) else None,
        winners=outcome.winners,
        points=outcome.points,
        yaku=tuple(
            ReceiptYaku(seat, _yaku_label(played.rules.game, slug), points)
            for seat in outcome.winners
            for slug, points in yaku_of(seat)
            if slug in known
        ),
        why=names.within(outcome.why),
    )


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone()
