"""Round records of Kakkuri: the format of a deal and of turns.

A record has the contract's fields, without month and field; `stock` is the box, its first card on top::

    {"game": "kakkuri", "rules": "kakkuri", "players": 7, "dealer": 1, "pot": 0,
     "deal": {"hands": {"1": [ids], …}, "stock": [ids]},
     "turns": [{"player": 2, "swap": true},
               {"player": 1, "box": id, "discards": [[id], [id, id, id]]},
               {"player": 2, "discards": []}, …],
     "result": {"winner": 3, "points": {"1": -1, …}}}

`pot` is what an earlier void round left (0 if absent). Hands and stock may be absent or null, or contain null for
an unknown card. With eight players the hand with the 3 of clubs drops out, and `stock` is the order of its six
cards; if that hand is unknown, `"dropped": n` in `deal` names the player.

A turn is an object with `player` and, in the order of events:

- `"swap": true | false`, alone: the player exchanges hands with the dealer or keeps the hand. A player without such
  an entry keeps it.
- `"box": id`: the card turned up from the box; the dealer's first turn has it.
- `"declares": "three-pairs" | "lucky-hand"`: if nothing else is in the entry, it is only a declaration, possibly
  during another player's turn. A lucky hand is declared if the hand is hidden; a known one wins without it.
- `"discards": [[ids], …]`: the discards, one, two or three cards at a time; empty or absent for an empty turn.
- `"as": {id: number}`: the number that a wild card stands for, if the rules let the player choose it.
- `"fold": true`: the player drops out.
- `"unfinished": true`: the turn goes on, perhaps in a later entry; without it the entry ends the turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...errors import BadRequestError, did_you_mean, nearest, quote
from ...round import Deal
from ...validation import deal_hands, whole_number
from .cards import HAND, PACKS
from .moves import (
    Discard,
    DropOut,
    KakkuriMove,
    LuckyHand,
    OpenBox,
    Pass,
    Swap,
    ThreePairs,
)
from .rules import KakkuriRules
from .state import EIGHT

__all__ = ["MAX_POT", "Turn", "read_deal", "read_number", "turn_dicts"]

MAX_POT = 1_000_000
"""An upper limit that no real pot reaches."""

_DECLARATIONS = {"three-pairs": ThreePairs, "lucky-hand": LuckyHand}
_KEYS = ("player", "swap", "box", "declares", "discards", "as", "fold", "unfinished")


def read_number(record: Mapping[str, Any], key: str, default: int, low: int, high: int) -> int:
    """Return a whole number of a record; raise `BadRequestError` if it is out of range."""
    return whole_number(record.get(key, default), key, low, high)


def read_deal(record: Mapping[str, Any], rules: KakkuriRules, players: int) -> Deal:
    """Return a record's deal, with None for unknown cards."""
    deal = record.get("deal")
    if not isinstance(deal, Mapping):
        raise BadRequestError(f"deal must be an object with hands and stock, not {quote(deal)}")
    hands_by_seat = deal_hands(deal, players)
    pack = PACKS[rules.deck]
    hands = [_cards(hand, f"deal.hands.{seat}", HAND) for seat, hand in hands_by_seat.items()]
    if deal.get("dropped") is not None:
        seat = read_number(deal, "dropped", 0, 1, players) - 1
        if hands_by_seat[str(seat + 1)] is None:
            hands[seat] = (*pack.cards(pack.dropout), *(None,) * (HAND - 1))
    left = HAND if players == EIGHT else len(pack.ids) - HAND * players
    dealt = Deal(tuple(hands), (), _cards(deal.get("stock"), "deal.stock", left))
    for cards in (*dealt.hands, dealt.stock):
        pack.bits(cards)
    return dealt


def _cards(value: object, key: str, count: int) -> tuple[str | None, ...]:
    if value is None:
        return (None,) * count
    if not isinstance(value, list):
        raise BadRequestError(f"{key} must be a list of card ids, null for a hidden one, not {quote(value)}")
    return tuple(value)


class Turn:
    """One turn of a record, with the types of its fields checked."""

    def __init__(self, turn: object, players: int) -> None:
        if not isinstance(turn, Mapping):
            raise BadRequestError(f"a turn must be an object, not {quote(turn)}")
        for key in turn:
            if key not in _KEYS:
                raise BadRequestError(
                    f"a turn of Kakkuri has no {quote(key)}{did_you_mean(nearest(key, _KEYS)[:1])}"
                )
        if "player" not in turn:
            raise BadRequestError("a turn must have a player")
        self.player = read_number(turn, "player", 0, 1, players)
        self.swap = self._flag(turn, "swap")
        if self.swap is not None and len(turn) > 2:
            raise BadRequestError(f"a turn with swap must have no other key: {quote(turn)}")
        self.fold = bool(self._flag(turn, "fold"))
        self.unfinished = bool(self._flag(turn, "unfinished"))
        self.box: str | None = turn.get("box")
        if self.box is not None and not isinstance(self.box, str):
            raise BadRequestError(f"box must be the id of the card turned up, not {quote(self.box)}")
        self.wild_ranks = self._wild_ranks(turn.get("as"))
        discards = turn.get("discards")
        self.discards = [] if discards is None else self._discards(discards)
        self.declares = self._declares(turn.get("declares"))
        self.declaration_only = self.declares is not None and not set(turn) - {"player", "declares"}

    @staticmethod
    def _flag(turn: Mapping[str, Any], key: str) -> bool | None:
        value = turn.get(key)
        if value is None or isinstance(value, bool):
            return value
        raise BadRequestError(f"{key} must be true or false, not {quote(value)}")

    @staticmethod
    def _discards(value: object) -> list[tuple[str, ...]]:
        if isinstance(value, list) and all(
            isinstance(cards, list) and all(isinstance(card, str) for card in cards) for cards in value
        ):
            return [tuple(cards) for cards in value]
        raise BadRequestError(f"discards must be a list of lists of card ids, not {quote(value)}")

    @staticmethod
    def _wild_ranks(value: object) -> Mapping[str, int]:
        if value is None:
            return {}
        if isinstance(value, Mapping) and all(type(rank) is int for rank in value.values()):
            return value
        raise BadRequestError(f"as must give wild cards their numbers, like {{id: 7}}, not {quote(value)}")

    def _declares(self, value: object) -> KakkuriMove | None:
        if value is None:
            return None
        if isinstance(value, str) and value in _DECLARATIONS:
            return _DECLARATIONS[value](self.player)
        raise BadRequestError(f"declares must be one of {', '.join(_DECLARATIONS)}, not {quote(value)}")


def turn_dicts(moves: Iterable[KakkuriMove], over: bool) -> Iterator[dict[str, Any]]:
    """Yield moves as turns of a record; `over` says that the round ended with the last one."""
    turn: dict[str, Any] | None = None
    for move in moves:
        if turn is not None and not _joins(turn, move):
            yield {**turn, "unfinished": True}
            turn = None
        entry = turn or {"player": move.player}
        match move:
            case Swap():
                yield {**entry, "swap": move.accept}
            case LuckyHand():
                yield {**entry, "declares": "lucky-hand"}
            case ThreePairs() if turn is None:
                yield {**entry, "declares": "three-pairs"}
            case ThreePairs():
                entry["declares"] = "three-pairs"
            case OpenBox():
                turn = {**entry, "box": move.card}
            case Discard():
                turn = entry
                _add_discard(turn, move)
            case DropOut():
                yield {**entry, "fold": True}
                turn = None
            case Pass():
                yield {**entry, "discards": entry.get("discards", [])}
                turn = None
    if turn is not None:
        yield turn if over else {**turn, "unfinished": True}


def _add_discard(entry: dict[str, Any], move: Discard) -> None:
    entry.setdefault("discards", []).append(list(move.cards))
    if move.as_rank is not None:
        entry.setdefault("as", {}).update(dict.fromkeys(move.cards, move.as_rank))


def _joins(turn: Mapping[str, Any], move: KakkuriMove) -> bool:
    """Return whether a move belongs to the same entry as the moves before it."""
    if move.player != turn["player"]:
        return False
    if isinstance(move, ThreePairs):
        return "discards" not in turn and "declares" not in turn
    return isinstance(move, Discard | Pass | DropOut)
