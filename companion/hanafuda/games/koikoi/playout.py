"""Fast random rounds of Koi-Koi, for code that needs hundreds of thousands of them.

The rules are those of `companion.hanafuda.games.koikoi.round`, which checks, explains and undoes moves. None of that is
needed here, so a round is a loop over sets of cards. The tests replay these rounds there with every option.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple

from companion.hanafuda.cards import HANAFUDA, from_bits
from companion.hanafuda.families.fishing import Captures
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.games.koikoi.scorer import Scorer
from companion.hanafuda.games.koikoi.yaku import MONTHS
from companion.hanafuda.rules import resolve

__all__ = ["Playout", "PlayoutTurn", "play_out"]

_FIELD = 8
_BITS = [card.bit for card in HANAFUDA]
_FLOWERS = [MONTHS[card.month - 1] for card in HANAFUDA]
"""For each card, the set of all cards of its month."""
_EITHER: Mapping[int, tuple[int, int]] = {
    one.bit | other.bit: (one.bit, other.bit)
    for one in HANAFUDA
    for other in HANAFUDA
    if one.month == other.month and one.index < other.index
}
"""Pairs of cards of one month, of which one is to be chosen."""
_BRIGHTS = sum(card.bit for card in HANAFUDA if card.kind == "bright")
_LIGHTNING = next(card.index for card in HANAFUDA if card.id == "willow-lightning")
_SUSUKI = MONTHS[7]

# Cards per month packed in one integer, three bits each: a count of 2 or 3 has the middle bit, 4 the high bit.
_COUNT = [1 << 3 * (card.month - 1) for card in HANAFUDA]
_ONES, _PAIRS, _FOURS = (sum(bit << 3 * month for month in range(12)) for bit in (1, 2, 4))


class PlayoutTurn(NamedTuple):
    """One turn: both cards as deck indexes, what each captured (as sets), and the call after each.

    If the round ended at the hand card, `draw` is None.
    """

    play: int
    takes: int
    play_call: str | None
    draw: int | None
    draw_takes: int
    call: str | None


class Playout(NamedTuple):
    """A round from the deal to the end. Cards are deck indexes."""

    rules: KoiKoiRules
    month: int | None
    dealer: int
    deck: list[int]
    """The deck as dealt: the hands, alternating from the dealer, then the field, then the stock."""
    turns: list[PlayoutTurn]
    how: str
    """How the round ended (`companion.hanafuda.games.koikoi.round.How`)."""
    winner: int
    """0 for none."""
    points: tuple[int, int]
    """The points of player 1 and player 2."""

    def record(self) -> dict[str, Any]:
        """Return the round as the contract's round record."""
        seats = str(self.dealer), str(3 - self.dealer)
        end = 2 * self.rules.hand_size
        preset = resolve(self.rules.preset)
        changes = self.rules.changes(preset)
        record = {
            "game": "koikoi",
            "rules": {"preset": preset.name, **changes} if changes else preset.name,
            "players": 2,
            "dealer": self.dealer,
            "deal": {
                "hands": {seat: _ids(self.deck[start:end:2]) for start, seat in enumerate(seats)},
                "field": _ids(self.deck[end : end + _FIELD]),
                "stock": _ids(self.deck[end + _FIELD :]),
            },
            "turns": [
                _turn(turn, 3 - self.dealer if number % 2 else self.dealer)
                for number, turn in enumerate(self.turns)
            ],
            "result": {
                "winner": self.winner or None,
                "points": {"1": self.points[0], "2": self.points[1]},
            },
        }
        return record if self.month is None else {**record, "month": self.month}


def _ids(cards: list[int]) -> list[str]:
    return [HANAFUDA[card].id for card in cards]


def _turn(turn: PlayoutTurn, player: int) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "player": player,
        "play": HANAFUDA[turn.play].id,
        "captured": _captured(turn.play, turn.takes),
        "draw": None if turn.draw is None else HANAFUDA[turn.draw].id,
        "draw_captured": [] if turn.draw is None else _captured(turn.draw, turn.draw_takes),
        "call": turn.call,
    }
    return {**entry, "play_call": turn.play_call} if turn.play_call else entry


def _captured(card: int, takes: int) -> list[str]:
    return [HANAFUDA[card].id, *(taken.id for taken in from_bits(takes))] if takes else []


def play_out(scorer: Scorer, rng: Random, dealer: int = 1) -> Playout:
    """Deal and play a round under the scorer's rules in its month, with random choices.

    Hands are played in the order dealt, which after a shuffle is the same as a random order; each possible capture is
    equally likely, and koi-koi is called as often as stop.
    """
    rules, end = scorer.rules, 2 * scorer.rules.hand_size
    deck = _deal(rules, rng.random)
    turns: list[PlayoutTurn] = []

    def ended(how: str, seat: int | None, points: int) -> Playout:
        # If nobody won, the points go to the dealer (K25).
        payee = 3 - dealer if seat else dealer
        lost = -points if rules.zero_sum else 0
        paid = (points, lost) if payee == 1 else (lost, points)
        return Playout(rules, scorer.month, dealer, deck, turns, how, 0 if seat is None else payee, paid)

    first, second = _teyaku(deck[:end:2], rules), _teyaku(deck[1:end:2], rules)
    if first and second:
        if rules.both_teyaku == "draw":
            return ended("teyaku-draw", None, 0)
    elif first or second:
        return ended("teyaku", 0 if first else 1, first or second)
    field = deck[end : end + _FIELD]
    table = _Table(scorer, field, rng.random)
    place, judge, each_card = table.place, table.judge, rules.judge == "card"
    # From this turn on a yaku ends the round (K18).
    last_turn = end - {"stop": 2, "until_hands_empty": 1, "free": 0}[rules.last_card]
    for number, played, drawn in zip(range(end), deck, deck[end + _FIELD :], strict=False):
        seat, last = number & 1, number >= last_turn
        takes, play_how = place(seat, played, True), ""
        if each_card:
            play_how = judge(seat, last)
            if play_how in _OVER:
                turns.append(PlayoutTurn(played, takes, None, None, 0, "stop"))
                return ended(play_how, seat, table.total(seat) * _field_factor(field, rules))
        draw_takes = place(seat, drawn, False)
        how = judge(seat, last)
        call = "stop" if how in _OVER else how or None
        turns.append(PlayoutTurn(played, takes, play_how or None, drawn, draw_takes, call))
        if how in _OVER:
            return ended(how, seat, table.total(seat) * _field_factor(field, rules))
    return ended("exhausted", None, rules.exhausted)


_OVER = {"stop", "last-card", "no-call"}


def _deal(rules: KoiKoiRules, random: Callable[[], float]) -> list[int]:
    """Return a shuffled deck whose field requires no redeal (K30)."""
    start = 2 * rules.hand_size
    while True:
        deck = sorted(range(48), key=[random() for _ in range(48)].__getitem__)
        months = sum([_COUNT[card] for card in deck[start : start + _FIELD]])
        again = (
            (rules.field_four == "redeal" and months & _FOURS)
            or (rules.field_three == "redeal" and months & months >> 1 & _ONES)
            or (rules.field_pairs == "redeal" and _pairs(months) == 4)
        )
        if not again:
            return deck


def _pairs(months: int) -> int:
    return (months & _PAIRS).bit_count() + 2 * (months & _FOURS).bit_count()


def _teyaku(hand: list[int], rules: KoiKoiRules) -> int:
    """Return the points of a hand's teyaku, 0 for none; of two the better (K28)."""
    months = sum([_COUNT[card] for card in hand])
    points = rules.four_of_a_kind if months & _FOURS else 0
    return max(points, rules.four_pairs) if _pairs(months) >= 4 else points


def _field_factor(field: list[int], rules: KoiKoiRules) -> int:
    """Return the factor by which brights on the opening field multiply the points."""
    if rules.field_multiplier == "off":
        return 1
    count = sum(_BITS[card] & _BRIGHTS > 0 for card in field)
    return count + 1 if rules.field_multiplier == "brights_plus_one" else 2 if count else 1


class _Table:
    """The state of a round. Seats are 0 (the dealer) and 1."""

    __slots__ = (
        "_always", "_before", "_calls", "_captures", "_field", "_judged", "_known", "_piles", "_random",
        "_rules", "_scorer", "_takes_both", "_wild",
    )  # fmt: skip

    def __init__(self, scorer: Scorer, opening_field: list[int], random: Callable[[], float]) -> None:
        rules = scorer.rules
        self._scorer, self._rules, self._random = scorer, rules, random
        self._field = field = sum([_BITS[card] for card in opening_field])
        self._piles, self._calls = [0, 0], [0, 0]
        if rules.field_four == "dealer_takes":
            self._piles[0] = fours = sum([month for month in MONTHS if field & month == month])
            self._field ^= fours
        self._takes_both = rules.hand_two_match == "all"
        wild = rules.lightning_wild == "on" or (rules.lightning_wild == "summer" and field & _SUSUKI)
        self._wild = _LIGHTNING if wild else None
        self._captures = Captures(self._takes_both, _BITS[_LIGHTNING])
        # The points to exceed after a call (K19, K20), and the last pile judged.
        self._before, self._judged = [0, 0], [0, 0]
        self._known: list[set[str]] = [set(), set()]
        # Without a capture only the field can change the value of a pile.
        self._always = rules.viewing_spoilt == "field"

    def place(self, seat: int, card: int, from_hand: bool) -> int:
        """Capture with a card or add it to the field; return the captured cards as a set."""
        field, bit = self._field, _BITS[card]
        takes = field & _FLOWERS[card]
        if card == self._wild:
            options = self._captures.options(bit, field, from_hand=from_hand)
            takes = options[int(self._random() * len(options))]
        elif takes in _EITHER and not (from_hand and self._takes_both):
            takes = _EITHER[takes][self._random() < 0.5]
        if takes:
            self._piles[seat] |= takes | bit
            self._field = field ^ takes
        else:
            self._field = field | bit
        return takes

    def judge(self, seat: int, last: bool) -> str:
        """Return how a seat with a decision ends the round, or ``koikoi``; empty if there is no decision."""
        pile = self._piles[seat]
        if pile == self._judged[seat] and not self._always:
            return ""
        self._judged[seat] = pile
        scorer, called = self._scorer, self._calls[seat] > 0
        base = scorer.base(pile, self._field, called)
        if self._rules.offer == "new_only":
            improved = not self._known[seat].issuperset(self._slugs(seat))
        else:
            improved = base > self._before[seat]
        return self._decide(seat, base, last) if improved else ""

    def _decide(self, seat: int, base: int, last: bool) -> str:
        rules, calls = self._rules, self._calls
        if last:
            return "last-card"
        limit = rules.max_calls
        used = sum(calls) >= 1 if limit == "once_a_round" else 0 < limit <= calls[seat]
        if used or base < rules.call_min_points:
            return "no-call"
        if self._random() < 0.5:
            return "stop"
        calls[seat] += 1
        self._before[seat] = self._scorer.base(self._piles[seat], self._field, True)
        self._known[seat] = set(self._slugs(seat))
        return "koikoi"

    def _slugs(self, seat: int) -> list[str]:
        return [slug for slug, _ in self._scorer.yaku(self._piles[seat], self._field)]

    def total(self, seat: int) -> int:
        """Return the points of a seat's pile after calls."""
        return self._scorer.total(self._piles[seat], self._calls[seat], self._calls[1 - seat], self._field)
