"""Round records of Kingo, both forms, and the checks of a deal.

A record has the contract's fields and these of its own (cards are ids, null is an unknown card)::

    {"game": "kingo", "rules": …, "players": 3, "dealer": 1,
     "wager": 2,                          this round's wager; absent: the rules' wager
     "stones": [20, 20, 0],               before the round, one number per player; absent: nobody runs out
     "deal": {"hands": {"1": [id], "2": [null], "3": []}, "stock": [ids]},
     "turns": [{"player": 1, "draws": [id, null], "pass": true},
               {"player": 2, "draws": [id], "show": [ids], "bareta": true},
               {"player": 1, "show": [ids]}],
     "result": {"winner": 1, "points": {"1": 4, "2": -4, "3": 0}}}

A turn has the cards drawn, in order, and how it ended: `pass` or `bareta`. `bareta` may be left out if the known
cards imply it. `show` in a player's own turn shows a bareta hand; at the showdown it is a turn of its own and shows
the hand of a player who passed. It may name the whole hand or only the hidden cards. A player without stones has
no cards.

The banking form (`"game": "kingo-bank"`) deals three cards each, and its turns begin with::

    {"player": 2, "redeal": true}         three cards of October: the player asks for a new deal
    {"player": 2, "choose": id|null}      the card the player keeps
    {"player": 2, "wager": 3}             the stones placed, once all have chosen

One turn may combine `redeal`, `choose`, `wager`, `draws`, `show`, `pass` and `bareta` if they follow one another in
this order. Instead of `wager` the record may have `"shuffle": n`, the seed that the simulator uses to shuffle the
discards into the draw pile; the record of a real table has none, and its draws name the cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ...card_messages import card_name
from ...errors import BadRequestError, did_you_mean, nearest, quote
from ...messages import Message, player_message
from ...round import Deal, Problem
from ...validation import whole_number
from .hands import AnyKingoRules, month_of
from .moves import Bareta, Choose, Draw, KingoMove, Pass, Redeal, Show, Wager

__all__ = ["Turn", "check_cards", "deal_of", "deal_problems", "stones_of", "turn_dicts"]

_Deck: TypeAlias = Literal["hanafuda", "kabufuda"]
_KEYS = ("player", "redeal", "choose", "wager", "draws", "show", "pass", "bareta")
MAX_PLAYERS = 7
MAX_STONES = 1_000_000
"""The most stones of a player or of a wager; no real table has more."""
MAX_SEED = 2**53
"""The greatest shuffle seed that every JSON parser represents exactly."""
CARDS = 40


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a record, with the types of its fields checked."""

    player: int
    redeal: bool
    choose: tuple[str | None, ...]
    """The chosen card, or empty."""
    wager: int | None
    draws: tuple[str | None, ...]
    shows: tuple[str, ...]
    passes: bool
    bareta: bool

    @classmethod
    def read(cls, turn: Mapping[str, Any], deck: _Deck, players: int) -> Turn:
        """Return the turn read from a record; raise `BadRequestError` if it cannot be read."""
        if not isinstance(turn, Mapping):
            raise BadRequestError(f"a turn is a JSON object, not {quote(turn)}")
        for key in turn:
            if key not in _KEYS:
                hint = did_you_mean(nearest(key, _KEYS)[:1]) or f"; it has {', '.join(_KEYS)}"
                raise BadRequestError(f"the turn has an unknown key {quote(key)}{hint}")
        draws = _cards(turn.get("draws") or (), "draws", deck)
        shows = _cards(turn.get("show") or (), "show", deck)
        return cls(
            player=whole_number(turn.get("player"), "player", 1, players),
            redeal=_flag(turn, "redeal"),
            choose=_cards([turn["choose"]], "choose", deck) if "choose" in turn else (),
            wager=whole_number(turn["wager"], "wager", 0) if "wager" in turn else None,
            draws=draws,
            shows=tuple(card for card in shows if card is not None),
            passes=_flag(turn, "pass"),
            bareta=_flag(turn, "bareta"),
        )

    @property
    def only_shows(self) -> bool:
        """Whether the turn contains nothing but shown cards."""
        return not (
            self.redeal or self.choose or self.wager is not None or self.draws or self.passes or self.bareta
        )

    def before_draws(self) -> Iterator[KingoMove]:
        """Yield the moves of the banking form that come before the draws."""
        if self.redeal:
            yield Redeal(self.player)
        for card in self.choose:
            yield Choose(self.player, card)
        if self.wager is not None:
            yield Wager(self.player, self.wager)


def turn_dicts(moves: Sequence[KingoMove]) -> list[dict[str, Any]]:
    """Return moves as turns of a record; a new turn begins where the order of the keys would be broken."""
    entries: list[dict[str, Any]] = []
    for move in moves:
        key, value = _entry(move)
        turn = entries[-1] if entries else {}
        reached = max((_KEYS.index(present) for present in turn), default=0)
        listed = isinstance(value, list) and key in turn
        if turn.get("player") != move.player or reached > _KEYS.index(key) or (key in turn and not listed):
            turn = {"player": move.player}
            entries.append(turn)
        turn[key] = [*turn[key], *value] if key in turn else value
    return entries


def _entry(move: KingoMove) -> tuple[str, Any]:
    if isinstance(move, Draw):
        return "draws", [move.card]
    if isinstance(move, Show):
        return "show", [move.card]
    if isinstance(move, Choose):
        return "choose", move.card
    if isinstance(move, Wager):
        return "wager", move.stones
    return {Redeal: "redeal", Pass: "pass", Bareta: "bareta"}[type(move)], True


def deal_of(record: Mapping[str, Any], deck: _Deck, each: int) -> Deal:
    """Return the deal of a record, `each` cards per player; absent hands and an absent draw pile are hidden."""
    deal = record.get("deal") or {}
    if not isinstance(deal, Mapping):
        raise BadRequestError(f"deal must be an object with hands and stock, not {quote(deal)}")
    hands = deal.get("hands") or {}
    if not isinstance(hands, Mapping):
        raise BadRequestError(f'deal.hands must be an object like {{"1": [ids]}}, not {quote(hands)}')
    players = whole_number(record.get("players", len(hands)), "players", 2, MAX_PLAYERS)
    for key in hands:
        if key not in {str(player) for player in range(1, players + 1)}:
            raise BadRequestError(f"deal.hands names a player {quote(key)}; there are {players}")
    dealt = tuple(
        _cards(hand, f"deal.hands of player {player}", deck)
        if (hand := hands.get(str(player))) is not None
        else (None,) * each
        for player in range(1, players + 1)
    )
    stock = deal.get("stock")
    if stock is None:
        return Deal(dealt, stock=(None,) * (CARDS - sum(map(len, dealt))))
    return Deal(dealt, stock=_cards(stock, "deal.stock", deck))


def stones_of(record: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Return the stones of a record, None if it has none."""
    stones = record.get("stones")
    if stones is None:
        return None
    if not isinstance(stones, list | tuple):
        raise BadRequestError(f"stones must be a list with a number a player, not {quote(stones)}")
    return tuple(whole_number(each, "stones", None) for each in stones)


def _cards(value: Any, key: str, deck: _Deck) -> tuple[str | None, ...]:
    if not isinstance(value, list | tuple):
        raise BadRequestError(f"{key} must be a list of card ids, not {quote(value)}")
    for each in value:
        if each is not None:
            month_of(each, deck)
    return tuple(value)


def _flag(turn: Mapping[str, Any], key: str) -> bool:
    value = turn.get(key)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise BadRequestError(f"{key} must be true or false, not {quote(value)}")


def check_cards(deal: Deal, deck: _Deck) -> None:
    """Raise `BadRequestError` for a dealt card that is not in the deck."""
    for cards in (*deal.hands, deal.stock):
        for each in cards:
            if each is not None:
                month_of(each, deck)


def deal_problems(
    rules: AnyKingoRules, deal: Deal, dealer: int, hand_size: int, stones: Sequence[int] | None
) -> list[Problem]:
    """Return every problem of a deal of ``hand_size`` cards each; ``stones`` as in the record."""
    problems, players = [], len(deal.hands)
    playing = [player for player, hand in enumerate(deal.hands, start=1) if hand]
    if len(playing) < 2 or players > MAX_PLAYERS:
        params = {"playing": len(playing), "players": players, "max": MAX_PLAYERS}
        problems.append(Problem("wrong-players", Message("kingo-wrong-players", params)))
    if dealer not in playing:
        text = Message("kingo-dealer-without-cards", {"dealer": player_message(dealer)})
        problems.append(Problem("wrong-dealer", text))
    problems += _hand_problems(rules, deal, hand_size, playing)
    in_hands = sum(map(len, deal.hands))
    if len(deal.stock) != CARDS - in_hands:
        params = {"count": len(deal.stock), "dealt": in_hands, "cards": CARDS}
        problems.append(Problem("wrong-stock", Message("kingo-wrong-stock", params)))
    if deal.field:
        problems.append(Problem("wrong-field", Message("kingo-no-field")))
    known = [card for cards in (*deal.hands, deal.stock) for card in cards if card is not None]
    problems += [
        Problem("card-twice", Message("dealt-twice", {"card": card_name(card)}))
        for card in dict.fromkeys(card for card in known if known.count(card) > 1)
    ]
    return problems if stones is None else problems + _stone_problems(rules, stones, players, playing)


def _hand_problems(rules: AnyKingoRules, deal: Deal, hand_size: int, playing: Sequence[int]) -> list[Problem]:
    problems = []
    for player in playing:
        hand, name = deal.hands[player - 1], player_message(player)
        if len(hand) != hand_size:
            text = Message("wrong-hand", {"player": name, "count": len(hand), "right": hand_size})
            problems.append(Problem("wrong-hand", text))
        if None in hand and rules.hands == "face_up":
            problems.append(Problem("card-not-reported", Message("kingo-hand-missing", {"player": name})))
    return problems


def _stone_problems(
    rules: AnyKingoRules, stones: Sequence[int], players: int, playing: Sequence[int]
) -> list[Problem]:
    if len(stones) != players:
        params = {"count": len(stones), "players": players}
        return [Problem("wrong-stones", Message("kingo-stones-of-others", params))]
    if rules.debt == "allow":
        return []
    return [
        Problem(
            "wrong-stones",
            Message(
                "kingo-cards-without-stones" if player in playing else "kingo-stones-without-cards",
                {"player": player_message(player)},
            ),
        )
        for player, count in enumerate(stones, start=1)
        if (count > 0) != (player in playing)
    ]
