"""A round at a table: what was told of it, the round that comes to, and its lines in the table's history.

What was told stands, also where the rules forbid it or a correction has made it impossible: such a move is made as
told, as far as it can have happened, and its line names the problems. A move after the round's end changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.families.fishing import FishingRound
from companion.hanafuda.match import Match
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import IllegalMoveError, Move, Outcome, Problem, Round
from companion.hanafuda.rules import Rules
from companion.table.effective_events import Item
from companion.table.event_messages import Names
from companion.table.event_parsing import read_move
from companion.table.hidden_cards import hidden_data
from companion.table.history_lines import Line, deal_line, note_line, turn_line

__all__ = ["AnyRound", "AppliedEvent", "LiveRound", "RoundContext"]

AnyRound = Round[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class RoundContext:
    """What a round starts from: the table's rules and players, and what the evening has come to."""

    rules: Rules
    names: Names
    players: int
    number: int
    """The round's number at its table, from 1: every deal counts."""
    dealer: int
    """Whose deal it is."""
    month: int | None
    pot: int
    stones: tuple[int, ...] | None
    over: bool
    """Whether the game was over before."""
    winners: tuple[int, ...]
    """Who won the round before: a game may let the winner pass the deal on."""

    @classmethod
    def of(cls, game: Match[Any], names: Names, number: int) -> RoundContext:
        """Return the ground of the next round of a game."""
        return cls(
            rules=game.rules,
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
        """Return the round that a `dealt` event tells; `BadRequestError` where it cannot be read."""
        # What the evening has come to holds where the event does not say otherwise.
        known = {"month": self.month, "pot": self.pot, "stones": self.stones}
        reported = {key: value for key, value in data.items() if value is not None}
        record = {
            **{key: value for key, value in known.items() if value is not None},
            **reported,
            "rules": self.rules,
            "players": self.players,
            "dealer": dealer,
            "deal": self._cards(reported.get("deal") or {}),
        }
        played: AnyRound = GAMES[self.rules.game].round.from_record(record)
        return played

    def _cards(self, deal: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a deal in which who has no stones left has no cards, where nobody told any."""
        if self.stones is None or getattr(self.rules, "debt", "allow") != "out":
            return deal
        hands = deal.get("hands") or {}
        if not isinstance(hands, Mapping):
            return deal  # whoever reads it says what is wrong
        none: dict[str, Any] = {
            str(player): [] for player, held in enumerate(self.stones, start=1) if held <= 0
        }
        reported = {seat: hand for seat, hand in hands.items() if hand is not None}
        return {**deal, "hands": {**none, **reported}}


@dataclass(frozen=True, slots=True)
class AppliedEvent:
    """What one event came to in the round."""

    item: Item
    before: int
    """How many moves had been made before it, counting those that nobody told."""
    untold: tuple[Move, ...]
    move: Move | None
    problems: tuple[Problem, ...]


class LiveRound:
    """A round at a table, told event by event."""

    def __init__(self, context: RoundContext, game: Match[Any], dealt: Item) -> None:
        """Raise `BadRequestError` for a deal that cannot be read."""
        self.context = context
        self.game = game
        self.items = [dealt]
        self.closed = False
        """Whether the next round was dealt after it."""
        self._deal(dealt.data.get("dealer"))

    # --- how it stands

    @property
    def number(self) -> int:
        """Its number at the table, from 1."""
        return self.context.number

    @property
    def script(self) -> tuple[tuple[int, int], ...]:
        """What it was made from: the same script on the same ground comes to the same."""
        return tuple(item.mark for item in self.items)

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; None while it goes on, and where it does not count."""
        return None if self.abandoned else self.round.outcome()

    def applied(self, seq: int) -> AppliedEvent | None:
        """Return what an event came to, None where it is not of this round."""
        return next((each for each in self._applied if each.item.seq == seq), None)

    @property
    def applied_events(self) -> Sequence[AppliedEvent]:
        """What the events came to, in order."""
        return self._applied

    # --- what is told

    def rejoin(self, game: Match[Any]) -> None:
        """Go on as a round of another game that stands the same."""
        self.game = game
        if self.dealer_known:
            self._deals(self.round.dealer)

    def add(self, item: Item, *, strict: bool = False) -> None:
        """Take what was told next; where `strict`, a move that the rules forbid is an `IllegalMoveError`.

        Unless the event says that it happened ``as_told``. Raises `BadRequestError` for what cannot be read.
        """
        if self.abandoned:
            if strict:
                raise BadRequestError(f"round {self.number} was broken off: deal the next one")
        else:
            self._add(item, strict=strict and not item.data.get("as_told"))
        self.items.append(item)

    def close(self) -> None:
        """Let the next round be dealt: a decision that is still open was a stop."""
        self.closed = True
        if self.outcome is None and not self.abandoned and self.round.owes():
            stop = next((move for move in self.round.legal_moves() if move.words() == ("call", "stop")), None)
            if stop is not None:
                self._make(None, stop, ())

    def _add(self, item: Item, *, strict: bool) -> None:
        match item.kind:
            case "began":
                self._began(item)
            case "moved":
                self._moved(item, strict)
            case "set":
                self._set(item)
            case "abandoned":
                self.abandoned = True
                self._note(
                    item,
                    "abandoned",
                    Message("round-abandoned"),
                )

    def _deal(self, dealer: int | None) -> None:
        dealt = self.items[0]
        self.dealer_known = dealer is not None
        if dealer is not None:
            self._deals(dealer)
        self.round = self.context.deal(dealt.data, dealer or self.context.dealer)
        self.abandoned = False
        self.misdeal = tuple(self.round.status())
        """What is wrong with the cards of the deal."""
        self._applied: list[AppliedEvent] = []
        self._lines: list[Line] = []
        problems = (*self.misdeal, *self._out_of_order())
        reported = self.round.dealer if self.dealer_known else None
        self._lines.append(
            deal_line(self.number, dealt, reported, self.round.deal.field, self.context.names, problems)
        )

    def _deals(self, dealer: int) -> None:
        """Let the game know who deals, where that is for the players to say: at first, and where a deal is passed on."""
        self.game.name_dealer(dealer)

    def _out_of_order(self) -> list[Problem]:
        """Return why the round is not the next one of the game: another's deal, another month, no game any more."""
        return [each for each in self.game.check(self.round) if each.code != "round-unfinished"]

    def _again(self, dealer: int) -> None:
        """Deal the same cards by another dealer, and do all that was done."""
        reported = self.items[1:]
        self._deal(dealer)
        for item in reported:
            if item.kind != "began":
                self._add(item, strict=False)

    def _began(self, item: Item) -> None:
        if item.data["dealer"] != self.round.dealer or not self.dealer_known:
            self._again(item.data["dealer"])

    def _moved(self, item: Item, strict: bool) -> None:
        move = read_move(self.round, item.data)
        if not self.dealer_known and not self._applied:
            self._find_dealer(move)
        untold, problems = self._checked(move)
        if strict and problems:
            raise IllegalMoveError(move, problems)
        outcome = self.round.outcome()
        self._applied.append(AppliedEvent(item, len(self.round.moves), untold, move, problems))
        if outcome is not None and outcome.counts and problems:
            # What comes after the end changes nothing any more; its line says so.
            self._lines.append(self._new_line(item, move, problems, dict(self.round.yaku(move.player))))
            return
        for each in untold:
            self._make(None, each, ())
        self._make(item, move, problems)

    def _checked(self, move: Move) -> tuple[tuple[Move, ...], tuple[Problem, ...]]:
        """Return what must have been done before a move without a word, and what is wrong with the move."""
        problems = self.round.check(move)
        untold = tuple(self.round.untold(move)) if problems else ()
        if untold:
            tried = self.round.copy()
            for each in untold:
                tried.push(each, as_told=True)
            after = tried.check(move)
            if len(after) < len(problems) or not after:
                return untold, tuple(after)
        return (), tuple(problems)

    def _find_dealer(self, move: Move) -> None:
        """Find out from the first move who dealt, where only one can have.

        It follows from whose turn it was: the cards of the hands are left out, because not everybody may know them.
        """
        dealt = hidden_data("dealt", self.items[0].data, self.context.rules, ())
        seats = range(1, self.context.players + 1)
        dealers = [dealer for dealer in seats if not self.context.deal(dealt, dealer).check(move)]
        if len(dealers) == 1:
            self._again(dealers[0])

    def _set(self, item: Item) -> None:
        data = item.data
        if not isinstance(self.round, FishingRound):
            raise BadRequestError(
                f"in {self.context.rules.title.en} the table is not taken as it lies: tell the moves"
            )
        self.round.lay(data["field"], data["captured"], data["to_move"])
        self._applied.append(AppliedEvent(item, len(self.round.moves), (), None, ()))
        self._note(
            item,
            "set",
            Message("event-set"),
        )

    # --- its lines in the history

    @property
    def lines(self) -> list[Mapping[str, Any]]:
        """The round's lines, each told once and for all: a line that changes is a new one."""
        return [line.reported for line in self._lines]

    def _note(self, item: Item, kind: str, says: Message, problems: Sequence[Problem] = ()) -> None:
        self._lines.append(
            note_line(self.number, item, kind, says, problems, self._picture(), self.context.names)
        )

    def _picture(self) -> str | None:
        return next((line.picture for line in reversed(self._lines) if line.picture), None)

    def _make(self, item: Item | None, move: Move, problems: Sequence[Problem]) -> None:
        """Make a move and tell it in a line: of one that nobody told, in the line of the turn that it belongs to."""
        last, names = self._lines[-1], self.context.names
        if last.goes_on_with(move):
            self.round.push(move, as_told=True)
            self._lines[-1] = last.and_then(item, move, problems, self.round, names)
            return
        seated = 1 <= move.player <= self.context.players
        held = dict(self.round.yaku(move.player)) if seated else {}
        self.round.push(move, as_told=True)
        if item is not None:
            self._lines.append(self._new_line(item, move, problems, held))

    def _new_line(self, item: Item, move: Move, problems: Sequence[Problem], held: Mapping[str, int]) -> Line:
        return turn_line(
            item,
            move,
            problems,
            number=self.number,
            turn=sum(line.kind == "turn" for line in self._lines) + 1,
            held=held,
            before=self._picture(),
            played=self.round,
            names=self.context.names,
        )
