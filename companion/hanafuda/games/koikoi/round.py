"""A round of Koi-Koi: the deal, the turns, the decisions, the end, and the payment.

The record of a round is the contract's; its turns are described in `companion.hanafuda.fishing.round`. With
``judge = card`` a decision may come after the hand card: `play_call` beside `call`, or, if the round ends there,
`call` with a `draw` of null. A stop that the rules force (last card, no koi-koi left, too few points) may be
recorded as ``"stop"`` or omitted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Literal, Self

from ...fishing import Call, Captures, FishingRound, FishingState
from ...fishing.captures import bit_of
from ...fishing.moves import call_of
from ...fishing.round import replaced
from ...messages import Message, player_message, yaku_message
from ...round import Deal, Outcome, Problem
from ...validation import whole_number
from .reasons import why
from .rules import KoiKoiRules
from .scorer import scorer_for
from .scoring import Score, Situation, score
from .yaku import MONTHS, Teyaku, fours, may_hold, pairs, teyaku_of, threes

__all__ = ["How", "KoiKoiRound", "KoiKoiState"]

How = Literal["", "stop", "last-card", "no-call", "exhausted", "teyaku", "teyaku-draw", "redeal"]
"""How a round ended; empty while it goes on.

`stop` was called; `last-card` and `no-call` are stops that the rules force; `exhausted` ran out of cards; `teyaku`
was won by a dealt hand; with `teyaku-draw` both players had one; `redeal` does not count as a round.
"""

_FORCED = {"last-card", "no-call"}
_BRIGHTS = sum(
    map(bit_of, ("pine-crane", "cherry-curtain", "susuki-moon", "willow-rainman", "paulownia-phoenix"))
)
_LIGHTNING = bit_of("willow-lightning")
_SUSUKI = MONTHS[7]
_FIELD_PAIRS = 4
"""The number of same-month pairs on an eight-card field that calls for a redeal."""


@dataclass(slots=True)
class KoiKoiState(FishingState):
    """The state of a round of Koi-Koi; tuples have one entry per player."""

    calls: tuple[int, ...] = (0, 0)
    """The number of koi-koi calls of each player."""
    called_base: tuple[int, ...] = (0, 0)
    """The base points of each player at the last koi-koi, which the player has to exceed."""
    called_yaku: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    """The yaku of each player at that time; kept only if the rules require a new one (`offer`)."""
    how: How = ""
    winner: int = 0
    """The winner of the round, 0 for none."""

    def copy(self) -> KoiKoiState:
        """Return a copy that may be changed."""
        other = FishingState.copy(self)
        other.calls = self.calls
        other.called_base = self.called_base
        other.called_yaku = self.called_yaku
        other.how = self.how
        other.winner = self.winner
        return other

    def end(self, how: How, winner: int = 0) -> None:
        """End the round."""
        self.phase, self.how, self.winner = "over", how, winner


class KoiKoiRound(FishingRound[KoiKoiRules, KoiKoiState]):
    """One round of Koi-Koi in `month` (1 to 12), None if it is unknown."""

    game: ClassVar[str] = "koikoi"

    def __init__(self, rules: KoiKoiRules, deal: Deal, *, dealer: int = 1, month: int | None = None) -> None:
        self.month = None if month is None else whole_number(month, "month", 1, 12)
        self._scorer = scorer_for(rules, month)
        super().__init__(rules, deal, dealer=dealer)

    def situation(self) -> dict[str, int]:
        """Return the month, if it is known."""
        return {} if self.month is None else {"month": self.month}

    @classmethod
    def _record_situation(cls, record: Mapping[str, Any]) -> dict[str, int]:
        month = record.get("month")
        return {} if month is None else {"month": month}

    @classmethod
    def hand_size(cls, rules: KoiKoiRules) -> int:
        """Return the number of cards dealt to each hand."""
        return rules.hand_size

    def _captures(self, rules: KoiKoiRules, deal: Deal) -> Captures:
        wild = rules.lightning_wild == "on"
        if rules.lightning_wild == "summer":
            wild = any(bit_of(card) & _SUSUKI for card in deal.field)
        return Captures(hand_takes_both=rules.hand_two_match == "all", wild=_LIGHTNING if wild else 0)

    def _new_state(self, **cards: Any) -> KoiKoiState:
        return KoiKoiState(**cards)

    # --- the deal

    def _open(self, state: KoiKoiState) -> None:
        if self._redeal_reason(state.field):
            state.end("redeal")
        elif result := self._teyaku_result(state):
            state.end(*result)
        elif self.rules.field_four == "dealer_takes" and fours(state.field):
            months = _complete_months(state.field)
            state.piles = tuple(months if player == self.dealer else 0 for player in (1, 2))
            state.field &= ~months

    def _redeal_reason(self, field: int) -> Message | None:
        """Return why the opening field requires a redeal."""
        rules = self.rules
        if rules.field_four == "redeal" and fours(field):
            return Message("redeal-field", {"cards": Message("koikoi-dealt-hand-four")})
        if rules.field_three == "redeal" and threes(field):
            return Message("redeal-field", {"cards": Message("koikoi-dealt-three")})
        if rules.field_pairs == "redeal" and pairs(field) == _FIELD_PAIRS:
            return Message("redeal-field", {"cards": Message("koikoi-dealt-hand-pairs")})
        return None

    def teyaku(self, player: int) -> Teyaku | None:
        """Return the teyaku made by the known cards dealt to a player, whether or not it won."""
        return teyaku_of(_dealt(self._states[-1], player), self.rules)

    def teyaku_ends(self, state: KoiKoiState) -> bool:
        """Return whether the dealt hands of a state end the round before it begins."""
        return self._teyaku_result(state) is not None

    def _teyaku_result(self, state: KoiKoiState) -> tuple[How, int] | None:
        """Return how the teyaku ended the round, None if it may have gone on."""
        holders = [player for player in (1, 2) if teyaku_of(_dealt(state, player), self.rules)]
        if not holders:
            return None
        if self.rules.both_teyaku == "draw":
            return ("teyaku", holders[0]) if len(holders) == 1 else ("teyaku-draw", 0)
        other = 3 - holders[0]
        if may_hold(_dealt(state, other), state.hidden(other), state.unseen, self.rules):
            return None
        return "teyaku", holders[0]

    def _contradiction(self, before: KoiKoiState, after: KoiKoiState) -> Problem | None:
        if self._teyaku_result(before) or not (result := self._teyaku_result(after)):
            return None
        _, winner = result
        teyaku = teyaku_of(_dealt(after, winner), self.rules)
        assert teyaku is not None
        return Problem(
            "hidden-contradiction",
            Message(
                "koikoi-dealt-hand-contradiction",
                {"player": player_message(winner), "takes": teyaku.takes, "yaku": yaku_message(teyaku.slug)},
            ),
        )

    def filled(self, rng: Random) -> Self | None:
        """Return a copy with the hidden cards dealt at random; hands that would have ended the round are dealt again."""
        ended = self.teyaku_ends(self.state)  # the players went on all the same
        while True:
            other = super().filled(rng)
            if other is None or ended or not other.teyaku_ends(other.state):
                return other

    # --- yaku and decisions

    def _situation(self, state: KoiKoiState, player: int) -> Situation:
        calls = state.calls
        return Situation(self.month, state.field, calls[player - 1], calls[2 - player])

    def _base(self, state: KoiKoiState, player: int) -> int:
        """Return the sum of a player's yaku."""
        return self._scorer.base(state.piles[player - 1], state.field, state.calls[player - 1] > 0)

    def _paid(self, state: KoiKoiState, player: int) -> tuple[tuple[str, int], ...]:
        """Return the yaku of a player that score: slug and points."""
        called = state.calls[self._place(player)] > 0
        return self._scorer.yaku(state.piles[player - 1], state.field, called)

    def _slugs(self, state: KoiKoiState, player: int) -> frozenset[str]:
        return frozenset(slug for slug, _ in self._paid(state, player))

    def _improved(self, state: KoiKoiState, player: int, base: int) -> bool:
        """Return whether a player has made or improved a yaku since the last koi-koi."""
        if self.rules.offer == "new_only":
            return not self._slugs(state, player) <= state.called_yaku[player - 1]
        return base > state.called_base[player - 1]

    def _after_card(self, state: KoiKoiState) -> None:
        if state.phase == "decide-play" and self.rules.judge == "turn":
            self._go_on(state)
            return
        player = state.player
        base = self._base(state, player)
        if not self._improved(state, player, base):
            self._go_on(state)
        elif how := self.forced_stop(state, base):
            state.end(how, player)

    def forced_stop(self, state: KoiKoiState, base: int) -> How:
        """Return how the round ends automatically if koi-koi may not be called."""
        rules, calls = self.rules, state.calls
        if rules.last_card == "stop" and not state.hand_sizes[state.player - 1]:
            return "last-card"
        if rules.last_card == "until_hands_empty" and not any(state.hand_sizes):
            return "last-card"
        if rules.max_calls == "once_a_round":
            used = sum(calls) >= 1
        else:
            used = 0 < rules.max_calls <= calls[state.player - 1]
        return "no-call" if used or base < rules.call_min_points else ""

    def _calls(self, state: KoiKoiState) -> Sequence[Call]:
        if state.phase not in {"decide", "decide-play"}:
            return ()
        return call_of(state.player, "koikoi"), call_of(state.player, "stop")

    def _make_call(self, state: KoiKoiState, call: Call) -> None:
        if call.name == "stop":
            state.end("stop", call.player)
        else:
            self._call_koikoi(state, call.player)
            self._go_on(state)

    def _call_koikoi(self, state: KoiKoiState, player: int) -> None:
        """Count a koi-koi and store the points that have to be exceeded."""
        who = player - 1
        state.calls = replaced(state.calls, who, state.calls[who] + 1)
        state.called_base = replaced(state.called_base, who, self._base(state, player))
        if self.rules.offer == "new_only":
            one, other = state.called_yaku
            yaku = self._slugs(state, player)
            state.called_yaku = (one, yaku) if who else (yaku, other)

    def _exhaust(self, state: KoiKoiState) -> None:
        state.end("exhausted")

    def _after_reset(self, state: KoiKoiState, decides: int) -> None:
        state.how, state.winner = "", 0
        # If the turn is judged as a whole, yaku made by the hand card are decided after the drawn card.
        before_draw = state.player if state.phase == "draw" and self.rules.judge == "turn" else 0
        for player in {1, 2} - {before_draw}:
            if not self._improved(state, player, self._base(state, player)):
                continue
            if player == decides:
                state.phase = "decide"
            else:
                self._call_koikoi(state, player)
        if state.phase != "decide":
            super()._after_reset(state, decides)

    # --- problems of a call

    def _decision(self, state: KoiKoiState) -> Problem:
        return Problem(
            "decision-missing",
            Message(
                "koikoi-decision-missing",
                {"player": player_message(state.player), "base": self._base(state, state.player)},
            ),
        )

    def _implied_call(self, state: KoiKoiState) -> Call | None:
        return Call(state.player, "koikoi") if self._calls(state) else None

    def _is_implied(self, state: KoiKoiState, call: Call) -> bool:
        return state.phase == "over" and state.how in _FORCED and call == Call(state.winner, "stop")

    def _call_problems(self, state: KoiKoiState, call: Call) -> list[Problem]:
        if call.name == "win":
            return [Problem("call-unknown", Message("koikoi-call-unknown"))]
        if state.phase == "over" and state.how in _FORCED and call == Call(state.winner, "koikoi"):
            return [Problem("call-refused", self._ended(state).why)]
        # Between turns, only the player who has just played could have called.
        called_late = state.phase == "play" and any(state.played) and call.player != state.player
        exhausted = state.phase == "over" and state.how == "exhausted" and state.player == call.player
        if called_late or exhausted:
            return [self._without_yaku(state, call)]
        if state.phase == "over":
            return [self._over(state)]
        if call.player != state.player or state.phase == "play":
            return [_untimely(state, call)]
        pending = self._pending(state)
        assert pending is not None
        return [pending]

    def _without_yaku(self, state: KoiKoiState, call: Call) -> Problem:
        player = player_message(call.player)
        name = Message("button-stop" if call.name == "stop" else "button-koi-koi")
        if state.calls[call.player - 1]:
            before = state.called_base[call.player - 1]
            message = Message("koikoi-not-improved", {"player": player, "call": name, "before": before})
        else:
            message = Message("koikoi-without-yaku", {"player": player, "call": name})
        return Problem("stop-without-yaku" if call.name == "stop" else "call-without-yaku", message)

    # --- the end

    def score(self, player: int) -> Score:
        """Return the score of a player's pile with the round's month, the current field and the calls so far."""
        state = self._states[-1]
        return score(state.piles[self._place(player)], self.rules, self._situation(state, player))

    def yaku(self, player: int) -> tuple[tuple[str, int], ...]:
        """Return a player's current yaku, or the teyaku that won the round: slug and points."""
        state = self._states[-1]
        if state.how == "teyaku" and state.winner == player and (dealt_hand := self.teyaku(player)):
            return ((dealt_hand.slug, getattr(self.rules, dealt_hand.option)),)
        return self._paid(state, player)

    def _ended(self, state: KoiKoiState) -> Outcome:
        how, winner = state.how, state.winner
        match how:
            case "redeal":
                return self._redeal(state)
            case "teyaku" | "teyaku-draw":
                return self._dealt_hands(state)
            case "exhausted":
                return self.without_winner(how, self.rules.exhausted, Message("koikoi-exhausted"))
        calls = state.calls
        total = self._scorer.total(state.piles[winner - 1], calls[winner - 1], calls[2 - winner], state.field)
        return self.won(how, winner, total * self.field_factor(), lambda: self._why_won(state))

    def _why_won(self, state: KoiKoiState) -> Message:
        """Return the explanation of the winner's points."""
        winner = state.winner
        result = score(state.piles[winner - 1], self.rules, self._situation(state, winner))
        return self._why_score(self._head(state), result)

    def _why_score(self, head: Message, result: Score) -> Message:
        """Return the explanation of a score; `head` says how the round was won."""
        factor = self.field_factor()
        if factor == 1:
            return Message("koikoi-won", {"head": head, "score": why(result)})
        return Message(
            "koikoi-won-field",
            {
                "head": head,
                "score": why(result),
                "brights": self._field_brights(),
                "factor": factor,
                "points": Message("points", {"count": result.total * factor}),
            },
        )

    def won_by_score(self, winner: int, result: Score) -> Outcome:
        """Return the outcome of a round that a player wins with a score."""
        head = Message("koikoi-head-reported", {"player": player_message(winner)})
        return self.won("stop", winner, result.total * self.field_factor(), self._why_score(head, result))

    def _head(self, state: KoiKoiState) -> Message:
        """Return the first part of the explanation: how the round was won."""
        how, rules = state.how, self.rules
        player = player_message(state.winner)
        if how == "stop":
            return Message("koikoi-head-stop", {"player": player})
        if how == "last-card" and rules.last_card == "until_hands_empty":
            return Message("koikoi-head-last-turn", {"player": player})
        if how == "last-card":
            return Message("koikoi-head-last-card", {"player": player})
        if self._base(state, state.winner) < rules.call_min_points:
            return Message("koikoi-head-few-points", {"player": player, "min": rules.call_min_points})
        return Message("koikoi-head-no-call-left", {"player": player})

    def _field_brights(self) -> int:
        """Return the number of brights on the opening field."""
        return sum(bool(bit_of(card) & _BRIGHTS) for card in self.deal.field)

    def field_factor(self) -> int:
        """Return the factor by which brights on the opening field multiply the points."""
        if self.rules.field_multiplier == "off":
            return 1
        count = self._field_brights()
        return count + 1 if self.rules.field_multiplier == "brights_plus_one" else 2 if count else 1

    def _redeal(self, state: KoiKoiState) -> Outcome:
        reason = self._redeal_reason(state.field)
        assert reason is not None
        return Outcome.no_round("redeal", self.players, self.dealer, reason)

    def _dealt_hands(self, state: KoiKoiState) -> Outcome:
        if state.how == "teyaku-draw":
            return self.without_winner("teyaku-draw", 0, Message("koikoi-teyaku-draw"))
        teyaku = teyaku_of(_dealt(state, state.winner), self.rules)
        assert teyaku is not None
        return self.won_by_teyaku(state.winner, teyaku)

    def won_by_teyaku(self, winner: int, teyaku: Teyaku) -> Outcome:
        """Return the outcome of a round that a dealt hand wins."""
        points: int = getattr(self.rules, teyaku.option)
        reason = Message(
            "koikoi-dealt-hand-won",
            {
                "player": player_message(winner),
                "takes": teyaku.takes,
                "yaku": yaku_message(teyaku.slug),
                "points": Message("points", {"count": points}),
            },
        )
        return self.won("teyaku", winner, points, reason)

    def won(self, how: str, winner: int, points: int, reason: Message | Callable[[], Message]) -> Outcome:
        """Return the outcome of a round that a player wins with points, after all multipliers."""
        next_dealer = 3 - self.dealer if self.rules.dealer == "alternate" else winner
        return Outcome(how, (winner,), self._payments(winner, points), next_dealer, reason)

    def without_winner(self, how: str, points: int, reason: Message) -> Outcome:
        """Return the outcome of a round without a winner; its points go to the dealer."""
        if points:
            reason = Message(
                "koikoi-dealer-paid",
                {
                    "reason": reason,
                    "dealer": player_message(self.dealer),
                    "points": Message("points", {"count": points}),
                },
            )
        next_dealer = self.dealer if self.rules.dealer_after_draw == "stays" else 3 - self.dealer
        return Outcome(how, (), self._payments(self.dealer, points), next_dealer, reason)

    def _payments(self, player: int, points: int) -> tuple[int, ...]:
        """Return the points of both players if one gets points; with `zero_sum` the other pays them."""
        lost = -points if self.rules.zero_sum else 0
        return tuple(points if each == player else lost for each in (1, 2))


def _dealt(state: KoiKoiState, player: int) -> int:
    """Return the cards known to have been dealt to a hand."""
    return state.hands[player - 1] | state.played[player - 1]


def _complete_months(cards: int) -> int:
    """Return the cards of all months whose four cards are in a set."""
    return sum(month for month in MONTHS if cards & month == month)


def _untimely(state: KoiKoiState, call: Call) -> Problem:
    """Return the problem of a call before the caller has played a card, or during the other player's turn."""
    player = player_message(call.player)
    if call.player == state.player:
        return Problem("out-of-turn", Message("koikoi-call-before-card", {"player": player}))
    return Problem(
        "out-of-turn",
        Message("koikoi-call-out-of-turn", {"player": player, "turn": player_message(state.player)}),
    )
