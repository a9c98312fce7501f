"""A round at a table: its events, the state of the round that follows from them, and its lines in the history.

Reported moves are kept even if the rules forbid them or a correction has made them impossible. Such a move is applied
as far as possible, and its line names the problems. A move after the end of the round changes nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Final

from companion.hanafuda.description import ScoredRound
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.families.fishing import FishingRound
from companion.hanafuda.match import Match
from companion.hanafuda.messages import Message, joined
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import IllegalMoveError, Move, Outcome, Problem, Round
from companion.hanafuda.round_results import read_report, score_report
from companion.hanafuda.rules import Rules
from companion.table.effective_events import Item
from companion.table.event_messages import PlayerNames
from companion.table.event_parsing import read_move
from companion.table.hidden_cards import hidden_data
from companion.table.history_lines import HistoryLine, deal_line, note_line, result_line, turn_line

__all__ = ["AnyRound", "AppliedEvent", "LiveRound", "RoundContext"]

AnyRound = Round[Any, Any, Any]

_MOST_EARLIER: Final = 8
"""Number of events, the newest ones, that can be taken back without applying the others again; each costs about 3 kB of memory."""


@dataclass(frozen=True, slots=True)
class RoundContext:
    """What a round starts from: the rules and players of the table, and the state of the game before it."""

    rules: Rules
    rules_name: str
    """Their name, which does not count when rules are compared."""
    names: PlayerNames
    players: int
    number: int
    """The round's number at its table, from 1; every deal counts."""
    dealer: int
    """The player whose turn it is to deal."""
    month: int | None
    pot: int
    stones: tuple[int, ...] | None
    over: bool
    """Whether the game was already over."""
    winners: tuple[int, ...]
    """The winners of the round before: in some games the winner may pass the deal on."""

    @classmethod
    def of(cls, game: Match[Any], names: PlayerNames, number: int) -> RoundContext:
        """Return the context of a game's next round."""
        return cls(
            rules=game.rules,
            rules_name=game.rules.name,
            names=names,
            players=game.players,
            number=number,
            dealer=game.dealer,
            month=getattr(game, "month", None),
            pot=game.pot,
            stones=getattr(game, "stones", None),
            over=game.outcome() is not None,
            winners=tuple(game.outcomes[-1].winners) if game.outcomes else (),
        )

    def deal(self, data: Mapping[str, Any], dealer: int) -> AnyRound:
        """Return the round of a `dealt` event; raises `BadRequestError` if it cannot be read."""
        # Values in the event take precedence over those of the game so far.
        inherited = {"month": self.month, "pot": self.pot, "stones": self.stones}
        given = {key: value for key, value in data.items() if value is not None}
        record = {
            **{key: value for key, value in inherited.items() if value is not None},
            **given,
            "rules": self.rules,
            "players": self.players,
            "dealer": dealer,
            "deal": self._cards(given.get("deal") or {}),
        }
        played: AnyRound = GAMES[self.rules.game].round.from_record(record)
        return played

    def undealt(self, data: Mapping[str, Any], dealer: int) -> AnyRound:
        """Return a round whose cards are unknown, for a result without a deal."""
        kind = GAMES[self.rules.game].round
        situation = {key: data.get(key) for key in ("month", *kind.situation_keys)}
        return self.deal({**situation, "deal": {"field": []} if "field" in kind.deal_keys else {}}, dealer)

    def _cards(self, deal: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a deal in which players without stones have empty hands, unless the deal gives them cards."""
        if self.stones is None or getattr(self.rules, "debt", "allow") != "out":
            return deal
        hands = deal.get("hands") or {}
        if not isinstance(hands, Mapping):
            return deal  # invalid: reading the deal raises the error
        empty: dict[str, Any] = {
            str(player): [] for player, stones in enumerate(self.stones, start=1) if stones <= 0
        }
        given = {seat: hand for seat, hand in hands.items() if hand is not None}
        return {**deal, "hands": {**empty, **given}}


@dataclass(frozen=True, slots=True)
class AppliedEvent:
    """The effect of one event on the round."""

    item: Item
    before: int
    """Number of moves made before it, including those that nobody reported."""
    inferred_moves: tuple[Move, ...]
    """Moves that nobody reported but that must have been made before it."""
    move: Move | None
    problems: tuple[Problem, ...]


class LiveRound:
    """A round at a table, built event by event."""

    def __init__(self, context: RoundContext, game: Match[Any], dealt: Item) -> None:
        """Raises `BadRequestError` for a deal that cannot be read."""
        self.context = context
        self.game = game
        self.items = [dealt]
        self.closed = False
        """Whether the next round has been dealt."""
        self._earlier: deque[LiveRound] = deque(maxlen=_MOST_EARLIER)
        """The round before each of its newest events."""
        self._deal(dealt.data.get("dealer"))

    # --- state

    @property
    def number(self) -> int:
        """The round's number at the table, from 1."""
        return self.context.number

    @property
    def script(self) -> tuple[tuple[int, int], ...]:
        """Identifies the events that the round was built from: the same script in the same context gives the same round."""
        return tuple(item.mark for item in self.items)

    @property
    def outcome(self) -> Outcome | None:
        """How the round ended; None while it goes on and if it was abandoned."""
        if self.abandoned:
            return None
        return self.round.outcome() if self.result is None else self.result.outcome

    def yaku(self, seat: int) -> tuple[tuple[str, int], ...]:
        """Return a player's yaku as slug and points, of the reported result if there is one."""
        return tuple(self.round.yaku(seat)) if self.result is None else self.result.seats[seat - 1].yaku

    def calls(self, seat: int) -> int:
        """Return how often a player called to play on."""
        if self.result is not None:
            return self.result.seats[seat - 1].calls
        calls = {("call", call.word) for call in GAMES[self.round.rules.game].entry.calls if call.goes_on}
        return sum(move.player == seat and move.words() in calls for move in self.round.moves)

    def applied(self, seq: int) -> AppliedEvent | None:
        """Return the effect of an event; None if it does not belong to this round."""
        return next((each for each in self._applied if each.item.seq == seq), None)

    @property
    def applied_events(self) -> Sequence[AppliedEvent]:
        """The effects of the events, in order."""
        return self._applied

    # --- events

    def rejoin(self, game: Match[Any]) -> None:
        """Continue as a round of another game in the same state."""
        self.game = game
        if self.dealer_known:
            self._set_dealer(self.round.dealer)

    def up_to(self, script: Sequence[tuple[int, int]]) -> LiveRound | None:
        """Return the round after the longest known beginning of a script; None if all that is kept has other events.

        So an undo or a correction of one of the newest events costs as little as a move. Do not use this round afterward.
        """
        if self.script == tuple(script):
            return self
        earlier = list(self._earlier)
        while earlier:
            live = earlier.pop()
            if live.script == tuple(script[: len(live.items)]):
                live._earlier.extend(earlier)
                return live
        return None

    def _copy(self) -> LiveRound:
        """Return an independent copy without the earlier rounds."""
        other = copy(self)
        other.items, other.round = self.items.copy(), self.round.copy()
        other._applied, other._lines = self._applied.copy(), self._lines.copy()
        other._earlier = deque(maxlen=_MOST_EARLIER)
        return other

    def add(self, item: Item, *, strict: bool = False) -> None:
        """Apply the next event.

        Raises `BadRequestError` if it cannot be read and, if `strict`, `IllegalMoveError` for a move that the rules
        forbid, unless the event has ``unchecked``.
        """
        before = self._copy()
        if self.abandoned:
            if strict:
                raise BadRequestError(Message("table-round-abandoned", {"number": self.number}))
        elif strict and self.result is not None and item.kind in {"moved", "set", "scored"}:
            raise BadRequestError(Message("table-round-scored", {"number": self.number}))
        else:
            self._apply(item, strict=strict and not item.data.get("unchecked"))
        self.items.append(item)
        self._earlier.append(before)

    def close(self) -> None:
        """Close the round before the next deal: a decision that is still pending was a stop."""
        self.closed = True
        self._earlier.clear()  # changes of an earlier round are rare: the memory is not worth it
        if self.outcome is None and not self.abandoned and self.round.pending_decision():
            stop = next((move for move in self.round.legal_moves() if move.words() == ("call", "stop")), None)
            if stop is not None:
                self._push(None, stop, ())

    def _apply(self, item: Item, *, strict: bool) -> None:
        match item.kind:
            case "began":
                self._began(item)
            case "moved":
                self._moved(item, strict)
            case "set":
                self._set(item)
            case "scored":
                problems = self._scored(item)
                if strict and problems:
                    texts = [self.context.names.within(problem.text) for problem in problems]
                    raise BadRequestError(joined(texts))
            case "abandoned":
                self.abandoned = True
                self._add_note_line(
                    item,
                    "abandoned",
                    Message("round-abandoned"),
                )

    def _deal(self, dealer: int | None) -> None:
        """Build the round from its deal; a dealer of None is unknown, and the game's next dealer is assumed."""
        dealt = self.items[0]
        self.dealer_known = dealer is not None
        if dealer is not None:
            self._set_dealer(dealer)
        self.abandoned = False
        self.result: ScoredRound | None = None
        """The result, if it was reported without the moves that lead to it."""
        self._applied: list[AppliedEvent] = []
        self._lines: list[HistoryLine] = []
        if dealt.kind == "scored":
            self.round = self.context.undealt(dealt.data, dealer or self.context.dealer)
            self.misdeal = self._scored(dealt, self._out_of_order())
            return
        self.round = self.context.deal(dealt.data, dealer or self.context.dealer)
        self.misdeal = tuple(self.round.status())
        """Problems with the cards of the deal, or with the result of a round without a deal."""
        problems = (*self.misdeal, *self._out_of_order())
        reported = self.round.dealer if self.dealer_known else None
        self._lines.append(
            deal_line(self.number, dealt, reported, self.round.deal.field, self.context.names, problems)
        )

    @property
    def reported_result(self) -> dict[str, Any]:
        """The report of the result without its moves, as in a round record."""
        data = next(
            each.item.data for each in self._applied if each.item.kind == "scored" and not each.problems
        )
        return {key: data[key] for key in ("how", "winners", "seats") if data.get(key) is not None}

    def _set_dealer(self, dealer: int) -> None:
        """Tell the game who deals, if the players decide that: in the first round, and when a deal is passed on."""
        self.game.name_dealer(dealer)

    def _out_of_order(self) -> list[Problem]:
        """Return why this is not the game's next round: wrong dealer, wrong month, or the game is over."""
        return [each for each in self.game.check(self.round) if each.code != "round-unfinished"]

    def _redeal(self, dealer: int) -> None:
        """Rebuild the round with another dealer and apply its events again."""
        items = self.items[1:]
        self._deal(dealer)
        for item in items:
            if item.kind != "began":
                self._apply(item, strict=False)

    def _began(self, item: Item) -> None:
        """Apply an event that names the dealer."""
        if item.data["dealer"] != self.round.dealer or not self.dealer_known:
            self._redeal(item.data["dealer"])

    def _moved(self, item: Item, strict: bool) -> None:
        """Apply a move, after the moves that must have preceded it."""
        move = read_move(self.round, item.data)
        if not self.dealer_known and not self._applied:
            self._infer_dealer(move)
        inferred, problems = self._checked(move)
        if strict and problems:
            raise IllegalMoveError(move, problems)
        outcome = self.outcome
        if self.result is not None:
            problems = (Problem("round-over", Message("table-round-scored", {"number": self.number})),)
        self._applied.append(AppliedEvent(item, len(self.round.moves), inferred, move, problems))
        if outcome is not None and outcome.counts and problems:
            # A move after the end changes nothing; its line names the problem.
            self._lines.append(self._new_line(item, move, problems, dict(self.round.yaku(move.player))))
            return
        for each in inferred:
            self._push(None, each, ())
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
            if len(remaining) < len(problems) or not remaining:
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
                report = read_report(item.data, self.context.players)
                self.result = score_report(self.round, report)
            except BadRequestError as error:
                problems = (Problem("impossible-result", error.message),)
        self._applied.append(AppliedEvent(item, len(self.round.moves), (), None, problems))
        outcome = self.result.outcome if self.result is not None and not problems else None
        self._lines.append(
            result_line(
                self.number, item, outcome, self._last_picture(), self.context.names, (*notes, *problems)
            )
        )
        return problems

    def _set(self, item: Item) -> None:
        """Replace the state of the table by the reported one."""
        data = item.data
        if not isinstance(self.round, FishingRound):
            raise BadRequestError(Message("table-no-reset", {"game": self.context.rules.title}))
        self.round.reset_table(data["field"], data["captured"], data["to_move"])
        self._applied.append(AppliedEvent(item, len(self.round.moves), (), None, ()))
        self._add_note_line(
            item,
            "set",
            Message("event-set"),
        )

    # --- history lines

    @property
    def lines(self) -> list[Mapping[str, Any]]:
        """The round's lines. A line is never modified; a changed line is a new object."""
        return [line.reported for line in self._lines]

    def _add_note_line(
        self, item: Item, kind: str, message: Message, problems: Sequence[Problem] = ()
    ) -> None:
        self._lines.append(
            note_line(self.number, item, kind, message, problems, self._last_picture(), self.context.names)
        )

    def _last_picture(self) -> str | None:
        pictures = (line.reported["pictures"]["after"] for line in reversed(self._lines))
        return next((picture for picture in pictures if picture), None)

    def _push(self, item: Item | None, move: Move, problems: Sequence[Problem]) -> None:
        """Apply a move and add it to the history: to the line of its turn if there is one; otherwise a reported move
        gets a new line.
        """
        last, names = self._lines[-1], self.context.names
        if last.continues_with(move):
            self.round.push(move, unchecked=True)
            self._lines[-1] = last.and_then(item, move, problems, self.round, names)
            return
        seated = 1 <= move.player <= self.context.players
        yaku_before = dict(self.round.yaku(move.player)) if seated else {}
        self.round.push(move, unchecked=True)
        if item is not None:
            self._lines.append(self._new_line(item, move, problems, yaku_before))

    def _new_line(
        self, item: Item, move: Move, problems: Sequence[Problem], yaku_before: Mapping[str, int]
    ) -> HistoryLine:
        return turn_line(
            item,
            move,
            problems,
            number=self.number,
            turn=sum(line.reported["kind"] == "turn" for line in self._lines) + 1,
            yaku_before=yaku_before,
            before=self._last_picture(),
            played=self.round,
            names=self.context.names,
        )
