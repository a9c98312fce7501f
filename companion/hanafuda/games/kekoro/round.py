"""A round of Kekoro: fishing until the hands are empty, or until one player is three yaku ahead.

Records are those of `companion.hanafuda.fishing`; ``"call": "win"`` is the victory by yaku. If the rules allow
it at any time, a call in a turn belongs to the player with the lead, even in the opponent's turn. ``"stop"`` means
that the hands are empty and a possible victory was not declared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias

from ...cards import HANAFUDA
from ...fishing import Call, FishingMove, FishingRound, FishingState
from ...fishing.captures import card_names
from ...fishing.moves import call_of
from ...fishing.record import turn_dicts
from ...messages import Message, player_message
from ...round import Deal, Outcome, Problem
from .rules import KekoroRules
from .scoring import Score, prepared, score

__all__ = ["End", "KekoroRound", "KekoroState", "why_points"]

End: TypeAlias = Literal["played-out", "yaku-victory", "redeal"]
"""How a round ends (`Outcome.how`)."""

_MONTHS = tuple(sum(card.bit for card in HANAFUDA if card.month == month) for month in range(1, 13))


@dataclass(slots=True)
class KekoroState(FishingState):
    """The state of a round of Kekoro."""

    how: End = "played-out"
    """How the round ended, once it is over."""

    def copy(self) -> KekoroState:
        """Return a copy that may be changed."""
        other = FishingState.copy(self)
        other.how = self.how
        return other


class KekoroRound(FishingRound[KekoroRules, KekoroState]):
    """One round of Kekoro for two players.

    Both players get their round score, cards and yaku, so the points of an outcome do not add up to zero.
    """

    game: ClassVar[str] = "kekoro"

    def __init__(self, rules: KekoroRules, deal: Deal, *, dealer: int = 1) -> None:
        self._scorer = prepared(rules)
        super().__init__(rules, deal, dealer=dealer)

    def score(self, player: int) -> Score:
        """Return the current score of a player's pile."""
        return score(self._states[-1].piles[self._place(player)], self.rules)

    def yaku(self, player: int) -> tuple[tuple[str, int], ...]:
        """Return a player's current yaku: slug and points."""
        made = self._scorer.yaku(self._states[-1].piles[self._place(player)])
        return tuple((yaku.slug, self.rules.yaku_points) for yaku in made)

    # --- how a round ends

    def _new_state(self, **cards: Any) -> KekoroState:
        return KekoroState(**cards)

    def _open(self, state: KekoroState) -> None:
        if self.rules.field_four == "redeal" and _four_of_a_month(state.field):
            state.phase, state.how = "over", "redeal"

    def _after_card(self, state: KekoroState) -> None:
        # If the players go on despite a required redeal, the round counts as started.
        state.how = "played-out"
        player = state.player
        self._go_on(state)
        if self.rules.declare == "optional" or (self.rules.judge == "turn" and state.phase == "draw"):
            return
        if self._leader(state) == player:
            state.player, state.phase, state.how = player, "over", "yaku-victory"

    def _exhaust(self, state: KekoroState) -> None:
        leader = self._leader(state) if self.rules.declare == "optional" else 0
        if leader and self._in_time(state, leader):
            # This is the last chance to declare the victory, so the leader must decide.
            state.phase, state.player = "decide", leader
        else:
            state.phase = "over"

    def _leader(self, state: KekoroState) -> int:
        """Return the player whose lead in yaku is large enough to win the game, 0 for none."""
        first, second = state.piles
        lead = self._scorer.count(first) - self._scorer.count(second)
        if 0 < self.rules.lead_to_win <= abs(lead):
            return 1 if lead > 0 else 2
        return 0

    def _yaku_counts(self, state: KekoroState) -> list[int]:
        return [self._scorer.count(pile) for pile in state.piles]

    def _in_time(self, state: KekoroState, player: int) -> bool:
        """Return whether a player may declare the victory now: always, or right after the player's own turn."""
        if self.rules.judge == "any_time":
            return True
        if state.phase == "decide":
            return state.player == player
        # A player may declare until the next card is played, if the turn before was the player's own.
        return state.phase == "play" and state.player != player

    def _ended(self, state: KekoroState) -> Outcome:
        first, second = (self._scorer.total(pile) for pile in state.piles)
        winner = self._winner(state, first, second)
        return self.ended(state.how, winner, (first, second), lambda: self._why(state, winner, first, second))

    def ended(
        self, how: End, winner: int, points: tuple[int, int], reason: Message | Callable[[], Message]
    ) -> Outcome:
        """Return the outcome of a round; `winner` is 0 for none."""
        return Outcome(
            how=how,
            winners=(winner,) if winner else (),
            points=points,
            next_dealer=winner or self._dealer_without_winner(how),
            reason=reason,
            ends_game=how == "yaku-victory",
            counts=how != "redeal",
        )

    def _winner(self, state: KekoroState, first: int, second: int) -> int:
        """Return the winner of the round, 0 for none."""
        if state.how == "yaku-victory":
            return self._leader(state)
        if first == second:
            return 0
        return 1 if first > second else 2

    def _dealer_without_winner(self, how: End) -> int:
        """Return the next dealer after a tie or a redeal."""
        passes = how == "played-out" and self.rules.dealer_after_tie == "passes"
        return 3 - self.dealer if passes else self.dealer

    def _why(self, state: KekoroState, winner: int, first: int, second: int) -> Message:
        if state.how == "redeal":
            return self._over(state).text
        if state.how == "yaku-victory":
            own, other = sorted(self._yaku_counts(state), reverse=True)
            return self.why_yaku(winner, own, other)
        return why_points(winner, first, second)

    def why_yaku(self, winner: int, own: int, other: int) -> Message:
        """Return the explanation of a victory by yaku; `own` and `other` are the numbers of yaku."""
        return Message(
            "kekoro-won-by-yaku",
            {
                "player": player_message(winner),
                "own": own,
                "other": other,
                "lead": self.rules.lead_to_win,
            },
        )

    def _over(self, state: KekoroState) -> Problem:
        if state.how != "redeal":
            return super()._over(state)
        four = card_names(_four_of_a_month(state.field))
        return Problem("misdeal", Message("redeal-field", {"cards": four}))

    # --- calls

    def _calls(self, state: KekoroState) -> Sequence[Call]:
        if self.rules.declare == "automatic" or state.phase == "over":
            return ()
        if state.phase == "decide":
            return call_of(state.player, "win"), call_of(state.player, "stop")
        leader = self._leader(state)
        return (call_of(leader, "win"),) if leader and self._in_time(state, leader) else ()

    def _make_call(self, state: KekoroState, call: Call) -> None:
        state.phase, state.how = "over", "yaku-victory" if call.name == "win" else "played-out"

    def _call_problems(self, state: KekoroState, call: Call) -> list[Problem]:
        lead, player = self.rules.lead_to_win, player_message(call.player)
        if not lead:
            return [
                Problem("call-unknown", Message("kekoro-call-nothing", {"player": player, "call": call.name}))
            ]
        if call.name != "win":
            return [
                Problem("call-unknown", Message("kekoro-call-unknown", {"player": player, "call": call.name}))
            ]
        if state.phase == "over":
            return [self._over(state)]
        if self._leader(state) != call.player:
            own, other = self._yaku_counts(state)[:: 1 if call.player == 1 else -1]
            return [
                Problem(
                    "win-without-lead",
                    Message(
                        "kekoro-win-without-lead",
                        {"player": player, "own": own, "other": other, "lead": lead},
                    ),
                )
            ]
        return [Problem("win-out-of-time", Message("kekoro-win-out-of-time", {"player": player}))]

    def _decision(self, state: KekoroState) -> Problem:
        return Problem(
            "decision-missing",
            Message("kekoro-decision-missing", {"player": player_message(state.player)}),
        )

    def _is_implied(self, state: KekoroState, call: Call) -> bool:
        return call.name == "win" and state.how == "yaku-victory"

    # --- records

    def read_turn(self, turn: Mapping[str, Any]) -> Iterator[FishingMove]:
        """Yield the moves of a record's turn; a call is assigned to the player who may make it, in anyone's turn."""
        for move in super().read_turn(turn):
            if isinstance(move, Call):
                name = move.name
                yield next((call for call in self._calls(self._states[-1]) if call.name == name), move)
            else:
                yield move

    def turns(self) -> list[dict[str, Any]]:
        """Return the moves so far as turns of a record, including an automatic victory."""
        moves, state = list(self._moves), self._states[-1]
        if state.how == "yaku-victory" and not isinstance(moves[-1], Call):
            moves.append(Call(state.player, "win"))
        # A record has a call in the turn in which it was made, and `read_turn` finds its player.
        for index, move in enumerate(moves[1:], start=1):
            if isinstance(move, Call):
                moves[index] = replace(move, player=moves[index - 1].player)
        return turn_dicts(moves, self._resets)


def why_points(winner: int, first: int, second: int) -> Message:
    """Return the explanation of a round that the points decide; `winner` is 0 for a tie."""
    points = Message("points", {"count": max(first, second)})
    if not winner:
        return Message("kekoro-tied", {"points": points})
    return Message(
        "kekoro-won", {"player": player_message(winner), "high": points, "low": min(first, second)}
    )


def _four_of_a_month(field: int) -> int:
    """Return the four cards of a month that are all on the field, 0 if there is none."""
    return next((month for month in _MONTHS if field & month == month), 0)
