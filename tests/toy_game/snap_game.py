"""Snap, a small game of captures, as a distribution of its own would bring it: this module and an entry point.

Each player is dealt a hand. In turn they put a card on the pile; one of the same type (bright, animal, ribbon, chaff) as
the top card captures the whole pile. When all hands are empty, a captured card is worth one point, and four of a month (`full-month`) some more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from companion.hanafuda.cards import HANAFUDA, card, from_bits, to_bits
from companion.hanafuda.description import Board, CardScorer, Entry, Game, SeatLabel, yaku_names
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.match import Match, MatchOutcome
from companion.hanafuda.messages import Message, card_message, player_message
from companion.hanafuda.round import Deal, Move, Outcome, Problem, Round
from companion.hanafuda.rules import resolve
from companion.hanafuda.rules.options import points, whole
from companion.hanafuda.rules.record import Rules
from companion.hanafuda.rules.share_table import Number, ShareTable
from companion.hanafuda.score_json import near_yaku_answer, yaku_answer
from companion.hanafuda.validation import card_set, deal_hands


@dataclass(frozen=True)
class SnapRules(Rules):
    game: ClassVar[str] = "snap"
    text_prefix: ClassVar[str | None] = "snap-rule"
    title: ClassVar[Message] = Message("snap")
    sections: ClassVar[Mapping[str, Message]] = {"game": Message("snap-section")}
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = {
        "snap": (Message("snap-preset"), {}),
    }

    hand: int = whole(4, "game", "toy", {}, "stones", high=10, low=1)
    full_month: int = points(5, "game", "toy")
    rounds: int = whole(2, "game", "toy", {}, "rounds", high=12, low=1)


SHARE = ShareTable("S", (Number("hand", 4, 4), Number("full_month", 5, 10), Number("rounds", 2, 4)), ({},))


@dataclass(frozen=True)
class FullMonth:
    slug: str = "full-month"
    en: str = "Full month"
    ja: str = "月揃い"
    romaji: str = "tsuki-zoroi"
    source: str = "toy"


FULL_MONTH = FullMonth()


def full_months(pile: int) -> list[int]:
    """Return the sets of four of a month in a pile."""
    months = [sum(each.bit for each in HANAFUDA if each.month == month) for month in range(1, 13)]
    return [cards for cards in months if pile & cards == cards]


def score_pile(pile: int, rules: SnapRules) -> dict[str, Any]:
    """Return the result of scoring a pile in the contract's format."""
    made = full_months(pile)
    total = pile.bit_count() + rules.full_month * len(made)
    why = f"{pile.bit_count()} cards, {len(made)} full months: {total} points"
    near = [
        near_yaku_answer(FULL_MONTH, cards & ~pile, 1)
        for cards in {sum(each.bit for each in HANAFUDA if each.month == month) for month in range(1, 13)}
        if (cards & ~pile).bit_count() == 1
    ]
    return {
        "yaku": [
            yaku_answer(FULL_MONTH, rules.full_month, cards, Message("snap-why-full-month")) for cards in made
        ],
        "base": total,
        "total": total,
        "missing": near,
        "why": why,
        "rules": {"name": rules.name, "hash": rules.hash},
    }


@dataclass(frozen=True, slots=True)
class Put(Move):
    card: str

    def words(self) -> tuple[str, ...]:
        return ("put", self.card)

    def message(self) -> Message:
        return Message("snap-put", {"card": card_message(self.card)})


@dataclass(frozen=True)
class SnapState:
    hands: tuple[tuple[str | None, ...], ...]
    pile: tuple[str, ...] = ()
    captured: tuple[int, ...] = ()
    put: int = 0


class SnapRound(Round[Put, SnapRules, SnapState]):
    def _start(self) -> SnapState:
        return SnapState(self.deal.hands, captured=(0,) * self.players)

    def _to_move(self, state: SnapState) -> int:
        return (self.dealer - 1 + state.put) % self.players + 1

    def _check(self, state: SnapState, move: Put) -> list[Problem]:
        if self._is_over(state):
            return [Problem("round-over", Message("snap-round-over"))]
        problems = []
        if move.player != self._to_move(state):
            turn = Message("snap-wrong-player", {"player": player_message(self._to_move(state))})
            problems.append(Problem("wrong-player", turn))
        hand = state.hands[move.player - 1]
        if move.card not in hand and (None not in hand or self._is_known(state, move.card)):
            missing = Message("snap-not-in-hand", {"card": card_message(move.card)})
            problems.append(Problem("not-in-hand", missing))
        return problems

    def _is_known(self, state: SnapState, card_id: str) -> bool:
        """Return whether a card is somewhere other than in a hidden place."""
        known = {each for hand in state.hands for each in hand} | set(state.pile)
        return card_id in known or any(to_bits([card_id]) & pile for pile in state.captured)

    def _after(self, state: SnapState, move: Put) -> SnapState:
        place = move.player - 1
        hand = list(state.hands[place])
        hand.remove(move.card if move.card in hand else hand[-1])
        hands = (*state.hands[:place], tuple(hand), *state.hands[place + 1 :])
        pile, captured = (*state.pile, move.card), list(state.captured)
        if state.pile and card(state.pile[-1]).kind == card(move.card).kind:
            captured[place] |= to_bits(pile)
            pile = ()
        return SnapState(hands, pile, tuple(captured), state.put + 1)

    def _legal(self, state: SnapState) -> list[Put]:
        player = self._to_move(state)
        hand = state.hands[player - 1]
        ids = [each.id for each in HANAFUDA] if None in hand else [each for each in hand if each]
        return [move for each in ids if not self._check(state, move := Put(player, each))]

    def _outcome(self, state: SnapState) -> Outcome | None:
        if any(state.hands):
            return None
        totals = tuple(score_pile(pile, self.rules)["total"] for pile in state.captured)
        best = max(totals)
        winners = tuple(seat for seat, total in enumerate(totals, start=1) if total == best)
        why = Message("snap-won", {"points": best})
        return Outcome("played", winners, totals, self.dealer % self.players + 1, why)

    def status(self) -> list[Problem]:
        cards = [each for hand in self.deal.hands for each in hand if each]
        return [] if len(set(cards)) == len(cards) else [Problem("card-twice", Message("snap-card-twice"))]

    def pending_decision(self) -> Problem | None:
        return None

    def score(self, player: int) -> dict[str, Any]:
        return score_pile(self.state.captured[player - 1], self.rules)

    def captured(self, player: int) -> tuple[str, ...]:
        return tuple(each.id for each in from_bits(self.state.captured[self._place(player)]))

    def yaku(self, player: int) -> tuple[tuple[str, int], ...]:
        made = full_months(self.state.captured[self._place(player)])
        return ((FULL_MONTH.slug, self.rules.full_month * len(made)),) if made else ()

    @classmethod
    def seats(cls, rules: SnapRules) -> Sequence[int]:
        return range(2, 5)

    @classmethod
    def shuffled(
        cls, rules: SnapRules, rng: Random, *, players: int = 2, dealer: int = 1, **situation: Any
    ) -> SnapRound:
        ids = [each.id for each in HANAFUDA]
        rng.shuffle(ids)
        hands = tuple(tuple(ids[seat * rules.hand : (seat + 1) * rules.hand]) for seat in range(players))
        return cls(rules, Deal(hands), dealer=dealer)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> SnapRound:
        rules = resolve(record.get("rules"), SnapRules.game)
        assert isinstance(rules, SnapRules)
        players = record.get("players", 2)
        hands = deal_hands(record.get("deal") or {}, players)
        hidden = (None,) * rules.hand
        dealt = tuple(hidden if hand is None else tuple(hand) for hand in hands.values())
        return cls(rules, Deal(dealt), dealer=record.get("dealer") or 1)

    def read_turn(self, turn: Mapping[str, Any]) -> Iterator[Put]:
        yield Put(turn["player"], turn["put"])

    def turns(self) -> list[dict[str, Any]]:
        return [{"player": move.player, "put": move.card} for move in self.moves]

    @classmethod
    def read_move(cls, player: int, words: Sequence[str]) -> Put:
        match words:
            case ["put", card_id]:
                return Put(player, card(card_id).id)
        raise BadRequestError(f"a move of Snap is: put CARD, not {' '.join(words)}")


class SnapMatch(Match[SnapRules]):
    def shuffled(self, rng: Random) -> SnapRound:
        return SnapRound.shuffled(self.rules, rng, players=self.players, dealer=self.dealer)

    def outcome(self) -> MatchOutcome | None:
        if self.played < self.rules.rounds:
            return None
        best = max(self.points)
        winners = tuple(seat for seat, each in enumerate(self.points, start=1) if each == best)
        return MatchOutcome(winners, Message("snap-match-over", {"rounds": self.rules.rounds}))


def board(played: SnapRound) -> dict[str, Any]:
    """Return the board as `companion.hanafuda.description.Board` describes it."""
    state = played.state
    most = max(pile.bit_count() for pile in state.captured)
    seats = []
    for seat, pile in enumerate(state.captured, start=1):
        answer = score_pile(pile, played.rules)
        captured: dict[str, list[str]] = {}
        for each in from_bits(pile):
            captured.setdefault(each.kind or "chaff", []).append(each.id)
        seats.append(
            {
                "seat": seat,
                "hand": len(state.hands[seat - 1]),
                "captured": captured,
                "yaku": [{**each, "why": each["reason"]} for each in answer["yaku"]],
                "base": answer["base"],
                "total": answer["total"],
                "why": {"en": answer["why"]},
                "near": [],
                "leads": 0 < most == pile.bit_count(),
            }
        )
    return {"phase": "put", "field": [], "stock": 0, "discard": list(state.pile), "seats": seats}


GAME = Game(
    rules=SnapRules,
    share=SHARE,
    round=SnapRound,
    match=SnapMatch,
    scorer=CardScorer(
        cards="pile",
        yaku=yaku_names([FULL_MONTH]),
        score=lambda request, rules: score_pile(card_set(request["captured"], "captured"), rules),
    ),
    board=Board(
        view=board,
        layout="ring",
        stock=Message("snap-stock"),
        discards=5,
        labels=(SeatLabel(field="leads", text=Message("snap-leads")),),
    ),
    entry=Entry(buttons={}, words={"put": Message("snap-word-put")}),
    cards=lambda rules: frozenset(each.id for each in HANAFUDA),
    unit=Message("unit-points"),
    seats=(2, 4),
    usual_seats=3,
    catalogs=Path(__file__).parent / "snap_messages",
)
