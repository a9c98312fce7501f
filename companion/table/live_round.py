"""A round at a table: its events, the state of the round that follows from them, and its lines in the history.

Reported moves are kept even if the rules forbid them or a correction has made them impossible. Such a move is applied
as far as possible, and its line names the problems. A move after the end of the round changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from companion.hanafuda.description import ScoredRound
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.match import Match
from companion.hanafuda.messages import Message, joined
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import IllegalMoveError, Move, Outcome, Problem
from companion.hanafuda.round_results import read_report, score_report
from companion.hanafuda.rules import Rules
from companion.table.effective import Item
from companion.table.hidden import hidden_data
from companion.table.history import AnyRound, Step, lines_of
from companion.table.messages import PlayerNames
from companion.table.parsing import read_move

__all__ = ["AnyRound", "LiveRound", "RoundContext"]


@dataclass(frozen=True, slots=True)
class RoundContext:
    """What a round starts from: the rules and players of the table, and the rounds before it."""

    rules: Rules
    rules_name: str
    """Their name, which does not count when rules are compared."""
    names: PlayerNames
    number: int
    """The round's number at its table, from 1; every deal counts."""
    first_dealer: int
    outcomes: tuple[Outcome, ...]
    """The outcomes of the finished rounds before it."""

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.names.given)

    def match(self) -> Match[Any]:
        """Return the match before the round."""
        match: Match[Any] = GAMES[self.rules.game].match(
            self.rules, players=self.players, dealer=self.first_dealer
        )
        match.outcomes = list(self.outcomes)
        return match

    def deal(self, data: Mapping[str, Any], dealer: int | None) -> AnyRound:
        """Return the round of a `dealt` event; without a dealer, the next one of the match deals.

        Raises `BadRequestError` if the deal cannot be read.
        """
        match = self.match()
        given = {key: value for key, value in data.items() if value is not None}
        record = {
            **match.situation(),
            **given,  # values in the event take precedence over those of the match
            "rules": self.rules,
            "players": self.players,
            "dealer": dealer or match.dealer,
            "deal": _without_hands(given.get("deal") or {}, match.sits_out),
        }
        played: AnyRound = GAMES[self.rules.game].round.from_record(record)
        return played

    def undealt(self, data: Mapping[str, Any], dealer: int | None) -> AnyRound:
        """Return a round whose cards are unknown, for a result without a deal."""
        kind = GAMES[self.rules.game].round
        situation = {key: data.get(key) for key in ("month", *kind.situation_keys)}
        return self.deal({**situation, "deal": {"field": []} if "field" in kind.deal_keys else {}}, dealer)


def _without_hands(deal: Mapping[str, Any], sits_out: Iterable[int]) -> Mapping[str, Any]:
    """Return a deal in which these players have empty hands, unless the deal gives them cards."""
    hands = deal.get("hands") or {}
    empty: dict[str, list[str]] = {str(player): [] for player in sits_out}
    if not empty or not isinstance(hands, Mapping):
        return deal
    return {**deal, "hands": {**empty, **{seat: hand for seat, hand in hands.items() if hand is not None}}}


class LiveRound:
    """A round at a table, built event by event."""

    def __init__(self, context: RoundContext, dealt: Item) -> None:
        """Raises `BadRequestError` for a deal that cannot be read."""
        self.context = context
        self.items = [dealt]
        self.closed = False
        """Whether the next round has been dealt."""
        self._outcome: Outcome | None = None
        self._lines: list[dict[str, Any]] | None = None
        self._deal(dealt.data.get("dealer"))

    # --- state

    @property
    def number(self) -> int:
        """The round's number at the table, from 1."""
        return self.context.number

    @property
    def script(self) -> tuple[tuple[int, int], ...]:
        """Identifies the events that the round was built from: the same script in the same context gives the same round."""
        return tuple((item.seq, item.reported.seq) for item in self.items)

    @property
    def outcome(self) -> Outcome | None:
        """How the round ended; None while it goes on and if it was abandoned."""
        if self._outcome is None and not self.abandoned:
            self._outcome = self.round.outcome() if self.result is None else self.result.outcome
        return None if self.abandoned else self._outcome

    @property
    def match(self) -> Match[Any]:
        """The match after this round, or before it while it is not over."""
        match = self.context.match()
        if self.dealer_known:
            match.name_dealer(self.round.dealer)
        if self.outcome is not None:
            match.outcomes.append(self.outcome)
        return match

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The round's lines in the history as JSON, which is never modified."""
        if self._lines is None:
            self._lines = lines_of(self.steps, self.number, self.context.names, self.round)
        return self._lines

    def yaku(self, seat: int) -> tuple[tuple[str, int], ...]:
        """Return a player's yaku as slug and points, of the reported result if there is one."""
        return tuple(self.round.yaku(seat)) if self.result is None else self.result.seats[seat - 1].yaku

    def calls(self, seat: int) -> int:
        """Return how often a player called to play on."""
        if self.result is not None:
            return self.result.seats[seat - 1].calls
        calls = {("call", call.word) for call in GAMES[self.round.rules.game].entry.calls if call.goes_on}
        return sum(move.player == seat and move.words() in calls for move in self.round.moves)

    def applied(self, seq: int) -> Step | None:
        """Return the effect of a move, a reset or a result by the number of its event; None if it is not of this round."""
        found = (each for each in self.steps if each.item is not None and each.item.seq == seq)
        return next((each for each in found if each.kind in {"move", "set", "result"}), None)

    @property
    def reported_result(self) -> dict[str, Any]:
        """The report of the result without its moves, as in a round record."""
        reports = (each.item for each in self.steps if each.kind == "result" and not each.problems)
        data = next(item.data for item in reports if item is not None)
        return {key: data[key] for key in ("how", "winners", "seats") if data.get(key) is not None}

    # --- events

    def add(self, item: Item, *, strict: bool = False) -> None:
        """Apply the next event.

        Raises `BadRequestError` if it cannot be read and, if `strict`, `IllegalMoveError` for a move that the rules
        forbid, unless the event has ``unchecked``.
        """
        if self.abandoned:
            if strict:
                raise BadRequestError(Message("table-round-abandoned", {"number": self.number}))
        elif strict and self.result is not None and item.kind in {"moved", "set", "scored"}:
            raise BadRequestError(Message("table-round-scored", {"number": self.number}))
        else:
            self._apply(item, strict=strict and not item.data.get("unchecked"))
        self.items.append(item)

    def close(self) -> None:
        """Close the round before the next deal: a decision that is still pending was a stop."""
        self.closed = True
        if self.outcome is None and not self.abandoned and self.round.pending_decision():
            stop = next((move for move in self.round.legal_moves() if move.words() == ("call", "stop")), None)
            if stop is not None:
                self._push(None, stop)

    def _deal(self, dealer: int | None) -> None:
        """Build the round from its deal; without a dealer, the game's next one deals: known from a result or a deal in turn."""
        dealt = self.items[0]
        self._dealer_reported = dealer is not None
        self.dealer_known = self._dealer_reported or dealt.kind == "scored" or self._dealt_in_turn
        self.abandoned = False
        self.result: ScoredRound | None = None
        """The result, if it was reported without the moves that lead to it."""
        self.steps: list[Step] = []
        self._changed()
        if dealt.kind == "scored":
            self.round = self.context.undealt(dealt.data, dealer)
            self.misdeal = self._scored(dealt, self._out_of_order())
            return
        self.round = self.context.deal(dealt.data, dealer)
        self.misdeal = tuple(self.round.status())
        """Problems with the cards of the deal, or with the result of a round without a deal."""
        text = Message("round-dealt", {"number": self.number})
        if dealer is not None:
            text = Message(
                "round-dealt-by", {"number": self.number, "player": self.context.names.of(self.round.dealer)}
            )
        self._note(
            "deal",
            dealt,
            text,
            (*self.misdeal, *self._out_of_order()),
            seat=self.round.dealer if self.dealer_known else None,
            details={"field": list(self.round.deal.field), "data": dict(dealt.data)},
        )

    def _out_of_order(self) -> list[Problem]:
        """Return why this is not the match's next round: wrong dealer, wrong month, or the match is over."""
        match = self.context.match()
        if self.dealer_known:
            match.name_dealer(self.round.dealer)
        ignored = {"round-unfinished", *(["wrong-dealer"] if self._dealt_in_turn else [])}
        return [each for each in match.check(self.round) if each.code not in ignored]

    @property
    def _dealt_in_turn(self) -> bool:
        """Whether the deal was entered without a dealer because it was the next player's turn to deal."""
        data = self.items[0].data
        return data.get("dealer") is None and bool(data.get("dealer_in_turn"))

    def _redeal(self, dealer: int) -> None:
        """Rebuild the round with another dealer and apply its events again."""
        items = self.items[1:]
        self._deal(dealer)
        for item in items:
            if item.kind != "began":
                self._apply(item, strict=False)

    def _apply(self, item: Item, *, strict: bool) -> None:
        self._changed()
        match item.kind:
            case "began":
                if item.data["dealer"] != self.round.dealer or not self.dealer_known:
                    self._redeal(item.data["dealer"])
            case "moved":
                self._moved(item, strict)
            case "set":
                self.round.reset_table(item.data["field"], item.data["captured"], item.data["to_move"])
                self._note("set", item, Message("event-set"))
            case "scored":
                problems = self._scored(item)
                if strict and problems:
                    texts = [self.context.names.within(problem.text) for problem in problems]
                    raise BadRequestError(joined(texts))
            case "abandoned":
                self.abandoned = True
                self._note("abandoned", item, Message("round-abandoned"))

    def _moved(self, item: Item, strict: bool) -> None:
        """Apply a move, after the moves that must have preceded it."""
        move = read_move(self.round, item.data)
        first = all(each.kind == "deal" for each in self.steps)
        if first and not self._dealer_reported and not (strict and self.dealer_known):
            self._infer_dealer(move)
        inferred, problems = self._checked(move)
        if strict and problems:
            raise IllegalMoveError(move, problems)
        outcome = self.outcome
        if self.result is not None:
            problems = (Problem("round-over", Message("table-round-scored", {"number": self.number})),)
        if outcome is not None and outcome.counts and problems:
            self._push(item, move, problems, counts=False)
            return
        for each in inferred:
            self._push(None, each)
        self._push(item, move, problems)

    def _checked(self, move: Move) -> tuple[tuple[Move, ...], tuple[Problem, ...]]:
        """Return the unreported moves that must have been made before a move, and the problems that remain with the move."""
        problems = self.round.check(move)
        inferred = tuple(self.round.inferred_moves(move)) if problems else ()
        if inferred:
            tried = self.round.copy()
            for each in inferred:
                tried.push(each, unchecked=True)
            remaining = tried.check(move)
            if len(remaining) < len(problems):
                return inferred, tuple(remaining)
        return (), tuple(problems)

    def _infer_dealer(self, move: Move) -> None:
        """Infer the dealer from the first move, if only one dealer makes it legal.

        The turn order decides. The cards in the hands are left out, because not every audience may know them.
        """
        dealt = hidden_data("dealt", self.items[0].data, self.context.rules, ())
        seats = range(1, self.context.players + 1)
        dealers = [dealer for dealer in seats if not self.context.deal(dealt, dealer).check(move)]
        if len(dealers) == 1:
            self._redeal(dealers[0])

    def _scored(self, item: Item, notes: Sequence[Problem] = ()) -> tuple[Problem, ...]:
        """Apply a reported result and return why it is impossible; such a result is left out.

        ``notes`` are further problems of its line in the history.
        """
        problems: tuple[Problem, ...] = ()
        if self.outcome is not None:
            problems = (Problem("round-over", Message("table-round-scored", {"number": self.number})),)
        else:
            try:
                self.result = score_report(self.round, read_report(item.data, self.context.players))
            except BadRequestError as error:
                problems = (Problem("impossible-result", error.message),)
        outcome = self.result.outcome if self.result is not None and not problems else None
        self._changed()
        self._note(
            "result",
            item,
            Message("event-scored") if outcome is None else self.context.names.within(outcome.why),
            problems,
            notes=notes,
            seat=outcome.winners[0] if outcome is not None and len(outcome.winners) == 1 else None,
            details={"data": dict(item.data)},
        )
        return problems

    # --- steps

    def _changed(self) -> None:
        """Drop what was computed from the state before the next event."""
        self._outcome = None
        self._lines = None

    def _note(
        self,
        kind: Literal["deal", "set", "result", "abandoned"],
        item: Item,
        text: Message,
        problems: Sequence[Problem] = (),
        *,
        notes: Sequence[Problem] = (),
        seat: int | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a step that is not a move."""
        self.steps.append(
            Step(
                kind=kind,
                item=item,
                made=len(self.round.moves),
                problems=tuple(problems),
                notes=tuple(notes),
                text=text,
                seat=seat,
                details=details or {},
            )
        )

    def _push(
        self, item: Item | None, move: Move, problems: Sequence[Problem] = (), *, counts: bool = True
    ) -> None:
        """Add a move as a step and, if it counts, make it; `item` is None for a move that nobody reported."""
        self._changed()
        made, before = len(self.round.moves), self._yaku_now(move.player)
        if counts:
            self.round.push(move, unchecked=True)
        self.steps.append(
            Step(
                kind="move",
                item=item,
                made=made,
                problems=tuple(problems),
                move=move,
                counts=counts,
                yaku=(before, self._yaku_now(move.player)),
            )
        )

    def _yaku_now(self, seat: int) -> dict[str, int]:
        return dict(self.round.yaku(seat)) if 1 <= seat <= self.context.players else {}
