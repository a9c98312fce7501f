"""Round records of Kakkuri: how a deal and the turns are written.

A record has what the contract's has, without month and field; `stock` is the box, its first card on top::

    {"game": "kakkuri", "rules": "kakkuri", "players": 7, "dealer": 1, "pot": 0,
     "deal": {"hands": {"1": [ids], …}, "stock": [ids]},
     "turns": [{"player": 2, "swap": true},
               {"player": 1, "box": id, "discards": [[id], [id, id, id]]},
               {"player": 2, "discards": []}, …],
     "result": {"winner": 3, "points": {"1": -1, …}}}

`pot` is what an earlier void round left (0 where absent). Hands and stock may be absent or null, or hold null for
a card nobody told. With eight players the hand with the 3 of clubs drops out, and `stock` is the order of its six
cards; where that hand is not told, `"dropped": n` in `deal` names the player.

A turn is an object with `player` and, in the order in which things happen:

- `"swap": true | false` alone: he exchanges hands with the dealer, or keeps his. Who says nothing keeps his.
- `"box": id`: the card he turns up; the dealer's first turn has it.
- `"declares": "three-pairs" | "lucky-hand"`: alone it is only said, also in another's turn. A lucky hand is declared
  where the hand is hidden; one that is known wins by itself.
- `"discards": [[ids], …]`: what he discards, one, two or three cards at a time; empty or absent is an empty turn.
- `"as": {id: number}`: what a wild card stands for, where the rules let it choose.
- `"fold": true`: he drops out.
- `"unfinished": true`: the turn goes on, perhaps in a later entry; else it ends with what is told of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest, shown
from companion.hanafuda.games.kakkuri.cards import HAND, PACKS
from companion.hanafuda.games.kakkuri.moves import (
    Discard,
    Fold,
    KakkuriMove,
    LuckyHand,
    OpenBox,
    Pass,
    Swap,
    ThreePairs,
)
from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.games.kakkuri.state import EIGHT
from companion.hanafuda.round import Deal
from companion.hanafuda.validation import told_hands, whole_number

__all__ = ["MAX_POT", "Told", "read_deal", "read_number", "turn_dicts"]

MAX_POT = 1_000_000
"""More than any evening leaves on the table."""

_DECLARATIONS = {"three-pairs": ThreePairs, "lucky-hand": LuckyHand}
_KEYS = ("player", "swap", "box", "declares", "discards", "as", "fold", "unfinished")


def read_number(record: Mapping[str, Any], key: str, default: int, low: int, high: int) -> int:
    """Return a whole number of a record; one out of range is an error."""
    return whole_number(record.get(key, default), key, low, high)


def read_deal(record: Mapping[str, Any], rules: KakkuriRules, players: int) -> Deal:
    """Return a record's deal, with None for what it does not tell."""
    deal = record.get("deal")
    if not isinstance(deal, Mapping):
        raise BadRequestError(f"deal must be an object with hands and stock, not {shown(deal)}")
    told = told_hands(deal, players)
    pack = PACKS[rules.deck]
    hands = [_cards(hand, f"deal.hands.{seat}", HAND) for seat, hand in told.items()]
    if deal.get("dropped") is not None:
        seat = read_number(deal, "dropped", 0, 1, players) - 1
        if told[str(seat + 1)] is None:
            hands[seat] = (*pack.cards(pack.dropout), *(None,) * (HAND - 1))
    left = HAND if players == EIGHT else len(pack.ids) - HAND * players
    dealt = Deal(tuple(hands), (), _cards(deal.get("stock"), "deal.stock", left))
    for cards in (*dealt.hands, dealt.stock):
        pack.bits(cards)
    return dealt


def _cards(told: object, key: str, count: int) -> tuple[str | None, ...]:
    if told is None:
        return (None,) * count
    if not isinstance(told, list):
        raise BadRequestError(f"{key} must be a list of card ids, null for a hidden one, not {shown(told)}")
    return tuple(told)


class Told:
    """A record's turn, read."""

    def __init__(self, turn: object, players: int) -> None:
        if not isinstance(turn, Mapping):
            raise BadRequestError(f"a turn must be an object, not {shown(turn)}")
        for key in turn:
            if key not in _KEYS:
                raise BadRequestError(
                    f"a turn of Kakkuri has no {shown(key)}{did_you_mean(nearest(key, _KEYS)[:1])}"
                )
        if "player" not in turn:
            raise BadRequestError("a turn must tell its player")
        self.player = read_number(turn, "player", 0, 1, players)
        self.swap = self._flag(turn, "swap")
        if self.swap is not None and len(turn) > 2:
            raise BadRequestError(f"a swap stands alone in its turn, not with others: {shown(turn)}")
        self.fold = bool(self._flag(turn, "fold"))
        self.unfinished = bool(self._flag(turn, "unfinished"))
        self.box: str | None = turn.get("box")
        if self.box is not None and not isinstance(self.box, str):
            raise BadRequestError(f"box must be the id of the card turned up, not {shown(self.box)}")
        self.stands = self._stands(turn.get("as"))
        discards = turn.get("discards")
        self.discards = [] if discards is None else self._discards(discards)
        self.declares = self._declares(turn.get("declares"))
        self.only_said = self.declares is not None and not set(turn) - {"player", "declares"}

    @staticmethod
    def _flag(turn: Mapping[str, Any], key: str) -> bool | None:
        value = turn.get(key)
        if value is None or isinstance(value, bool):
            return value
        raise BadRequestError(f"{key} must be true or false, not {shown(value)}")

    @staticmethod
    def _discards(told: object) -> list[tuple[str, ...]]:
        if isinstance(told, list) and all(
            isinstance(cards, list) and all(isinstance(card, str) for card in cards) for cards in told
        ):
            return [tuple(cards) for cards in told]
        raise BadRequestError(f"discards must be a list of lists of card ids, not {shown(told)}")

    @staticmethod
    def _stands(told: object) -> Mapping[str, int]:
        if told is None:
            return {}
        if isinstance(told, Mapping) and all(type(rank) is int for rank in told.values()):
            return told
        raise BadRequestError(f"as must give wild cards their numbers, like {{id: 7}}, not {shown(told)}")

    def _declares(self, told: object) -> KakkuriMove | None:
        if told is None:
            return None
        if isinstance(told, str) and told in _DECLARATIONS:
            return _DECLARATIONS[told](self.player)
        raise BadRequestError(f"declares must be one of {', '.join(_DECLARATIONS)}, not {shown(told)}")


def turn_dicts(moves: Iterable[KakkuriMove], over: bool) -> Iterator[dict[str, Any]]:
    """Yield moves as a record's turns; `over`: the round ended with the last one."""
    turn: dict[str, Any] | None = None
    for move in moves:
        if turn is not None and not _joins(turn, move):
            yield {**turn, "unfinished": True}
            turn = None
        told = turn or {"player": move.player}
        match move:
            case Swap():
                yield {**told, "swap": move.accept}
            case LuckyHand():
                yield {**told, "declares": "lucky-hand"}
            case ThreePairs() if turn is None:
                yield {**told, "declares": "three-pairs"}
            case ThreePairs():
                told["declares"] = "three-pairs"
            case OpenBox():
                turn = {**told, "box": move.card}
            case Discard():
                told.setdefault("discards", []).append(list(move.cards))
                if move.as_rank is not None:
                    told.setdefault("as", {}).update(dict.fromkeys(move.cards, move.as_rank))
                turn = told
            case Fold():
                yield {**told, "fold": True}
                turn = None
            case Pass():
                yield {**told, "discards": told.get("discards", [])}
                turn = None
    if turn is not None:
        yield turn if over else {**turn, "unfinished": True}


def _joins(turn: Mapping[str, Any], move: KakkuriMove) -> bool:
    """Return whether a move is told in the same turn as the ones before it."""
    if move.player != turn["player"]:
        return False
    if isinstance(move, ThreePairs):
        return "discards" not in turn and "declares" not in turn
    return isinstance(move, Discard | Pass | Fold)
