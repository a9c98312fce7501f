"""Round records of the fishing games: the deal, the seats and the turns in the contract's format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..cards import HANAFUDA
from ..errors import BadRequestError, quote
from ..round import Deal
from ..validation import deal_hands
from .moves import CALLS, Call, Draw, FishingMove, Play, deck_order

__all__ = [
    "FIELD",
    "TableReset",
    "Turn",
    "read_deal",
    "read_reset",
    "read_rest",
    "read_seats",
    "seat",
    "turn_dicts",
    "turn_part",
]


FIELD = 8
"""The number of cards dealt to the field."""


def read_seats(record: Mapping[str, Any], players: int) -> int:
    """Return a record's dealer; raise `BadRequestError` for a wrong number of players.

    If the record names no dealer, it is the player of the first turn, because the dealer plays first; player 1 if
    there are no turns.
    """
    if record.get("players", players) != players:
        raise BadRequestError(f"this game is for {players} players, not {quote(record['players'])}")
    if record.get("dealer") is not None:
        return seat(record["dealer"], players, "dealer")
    match record.get("turns"):
        case [{"player": int(first)}, *_] if 1 <= first <= players:
            return int(first)
    return 1


def seat(value: object, players: int, key: str) -> int:
    """Return a player's number; raise `BadRequestError` that names `key` if it is not one."""
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= players:
        return value
    raise BadRequestError(f"{key} must be a player's number from 1 to {players}, not {quote(value)}")


def read_deal(record: Mapping[str, Any], *, players: int, hand_size: int) -> Deal:
    """Return a record's deal; hands and stock that are absent or null are hidden.

    A stock that is shorter than it should be ends with the last known card: the cards below it are hidden too.
    """
    deal = record.get("deal")
    if not isinstance(deal, Mapping):
        raise BadRequestError(f"deal must be an object with hands, field and stock, not {quote(deal)}")
    hands_by_seat = deal_hands(deal, players)
    hands = tuple(_cards(hand, f"deal.hands.{seat}", hand_size) for seat, hand in hands_by_seat.items())
    field = _listed(deal.get("field"), "deal.field", "card ids: field cards are face up")
    deck_order(field)
    rest = len(HANAFUDA) - sum(map(len, hands)) - len(field)
    stock = _cards(deal.get("stock"), "deal.stock", rest)
    if stock and rest == len(HANAFUDA) - FIELD - players * hand_size:
        stock += (None,) * (rest - len(stock))
    return Deal(hands, tuple(field), stock)


def _cards(value: object, key: str, count: int) -> tuple[str | None, ...]:
    if value is None:
        return (None,) * count
    cards = _listed(value, key, "card ids, null for a hidden one")
    deck_order([card for card in cards if card is not None])
    return tuple(cards)


def _listed(value: object, key: str, what: str = "card ids") -> list[Any]:
    if not isinstance(value, list):
        raise BadRequestError(f"{key} must be a list of {what}, not {quote(value)}")
    return value


def read_rest(turn: Mapping[str, Any], player: int) -> list[FishingMove]:
    """Return the moves of a turn that came after a reset of the table: the drawn card and the call."""
    card = turn.get("draw")
    drawn = None if card is None else Draw(player, deck_order([card])[0], _taken(turn, "draw_captured", card))
    return [move for move in (drawn, _call(turn, "call", player)) if move is not None]


@dataclass(frozen=True, slots=True)
class Turn:
    """The moves of one turn of a record."""

    play: Play | None
    """None if only what came after the play is known."""
    play_call: Call | None
    draw: Draw | None
    call: Call | None

    @classmethod
    def read(cls, turn: Mapping[str, Any], players: int) -> Turn:
        """Return the turn read from a record; raise `BadRequestError` if it cannot be read."""
        if not isinstance(turn, Mapping):
            raise BadRequestError(f"a turn must be an object, not {quote(turn)}")
        player = seat(turn.get("player"), players, "player")
        card, draw = turn.get("play"), turn.get("draw")
        if draw is None and turn.get("draw_captured"):
            raise BadRequestError("draw_captured has cards, but draw is missing")
        rest = any(turn.get(key) is not None for key in ("draw", "play_call", "call"))
        taken_back = card is None and rest and not turn.get("captured")
        return cls(
            play=None if taken_back else Play(player, deck_order([card])[0], _taken(turn, "captured", card)),  # type: ignore[list-item]  # deck_order refuses what is no id
            play_call=_call(turn, "play_call", player),
            draw=None
            if draw is None
            else Draw(player, deck_order([draw])[0], _taken(turn, "draw_captured", draw)),
            call=_call(turn, "call", player),
        )


def _taken(turn: Mapping[str, Any], key: str, card: object) -> tuple[str, ...]:
    """Return the cards that a card captured. A card listed alone captured itself, which the check rejects."""
    value = turn.get(key)
    partners = [] if value is None else list(_listed(value, key))
    if card in partners and len(partners) > 1:
        partners.remove(card)
    return deck_order(partners)


def _call(turn: Mapping[str, Any], key: str, player: int) -> Call | None:
    value = turn.get(key)
    if value is None:
        return None
    for each in CALLS:
        if value == each:
            return Call(player, each)
    raise BadRequestError(f"{key} must be one of {', '.join(CALLS)} or null, not {quote(value)}")


@dataclass(frozen=True, slots=True)
class TableReset:
    """A reset of the table to the cards that are on it, after a number of moves."""

    after: int
    to_move: int
    field: tuple[str, ...]
    captured: tuple[tuple[str, ...], ...]
    amid: bool
    """Whether the turn before it was unfinished."""

    def to_dict(self) -> dict[str, Any]:
        """Return the reset as an entry of a record's turns."""
        piles = {str(player): list(pile) for player, pile in enumerate(self.captured, start=1)}
        return {"player": self.to_move, "laid": {"field": list(self.field), "captured": piles}}


def read_reset(value: object, players: int) -> tuple[list[str], list[list[str]]]:
    """Return the field and each player's pile of a reset."""
    if not isinstance(value, Mapping) or not isinstance(piles := value.get("captured"), Mapping):
        raise BadRequestError(
            f"laid must be an object with field and captured, by player, not {quote(value)}"
        )
    field = _listed(value.get("field"), "laid.field")
    return field, [
        _listed(piles.get(str(player)), f"laid.captured.{player}") for player in range(1, players + 1)
    ]


def turn_dicts(moves: Iterable[FishingMove], resets: Iterable[TableReset] = ()) -> list[dict[str, Any]]:
    """Return moves as turns of a record; `play_call` is set only for a call between play and draw."""
    turns: list[dict[str, Any]] = []
    pending = list(resets)
    for number, move in enumerate(moves):
        while pending and pending[0].after <= number:
            _break_off(turns, pending.pop(0))
        part = turn_part(move)
        match move:
            case Play():
                turns.append({**_empty(move.player), **part})
            case Draw():
                turn = _turn_without("draw", turns, move.player)
                if turn.get("call"):
                    turn["play_call"], turn["call"] = turn["call"], None
                turn |= part
            case Call():
                _turn_without("call", turns, move.player).update(part)
    for each in pending:
        _break_off(turns, each)
    return turns


def turn_part(move: FishingMove) -> dict[str, Any]:
    """Return what a move adds to its turn in a record."""
    match move:
        case Play(_, card, takes):
            return {"play": card, "captured": _captured(card, takes)}
        case Draw(_, card, takes):
            return {"draw": card, "draw_captured": _captured(card, takes)}
        case Call(_, call):
            return {"call": call}


def _empty(player: int) -> dict[str, Any]:
    return {
        "player": player,
        "play": None,
        "captured": [],
        "draw": None,
        "draw_captured": [],
        "call": None,
    }


def _turn_without(key: str, turns: list[dict[str, Any]], player: int) -> dict[str, Any]:
    """Return the last turn if it is the player's and has no `key` yet, otherwise a new turn without a play.

    A turn has no play if its play was deleted and only later moves of the turn are left.
    """
    if not turns or turns[-1]["player"] != player or turns[-1].get(key) is not None:
        turns.append(_empty(player))
    return turns[-1]


def _break_off(turns: list[dict[str, Any]], reset: TableReset) -> None:
    if turns and reset.amid:
        turns[-1]["unfinished"] = True
    turns.append(reset.to_dict())


def _captured(card: str, takes: tuple[str, ...]) -> list[str]:
    return [card, *takes] if takes else []
