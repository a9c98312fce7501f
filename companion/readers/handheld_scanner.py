"""A single handheld scanner: the scans that are not reported yet, and the deal or turn that they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.fishing import Call, FishingRound, Play
from companion.hanafuda.fishing.camera import stop
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.round import Problem
from companion.readers.scan_order import AnyRound, ScanInterpretation, read_deal, read_turn
from companion.table import Table
from companion.table.events import NewEvent
from companion.watch.message_parts import message_sequence
from companion.watch.referee_events import (
    RefereeProblem,
    asked,
    choice,
    deal_after,
    moved,
    notice,
    settle,
    waiting,
)

AT_ONCE_S: Final = 0.25
"""Another scan may follow within this time, s: nothing is reported earlier."""
_ASK_AFTER_S: Final = 2.0
"""The players are asked about an ambiguous turn after this time, s; until then further scans may resolve it."""
_MISSING_CARD_S: Final = 2.5
"""Wait this long, s, if a card of the turn seems to be missing: it may still be scanned."""
_DECISION_S: Final = 3.0
"""While a player decides whether to play on, wait this long, s: two scanned cards may be the first of a new deal."""
_HALF_S: Final = 5.5
"""After this time, s, half a turn is reported as a turn of which a card was not read."""
_MAX_CHOICES = 4
"""Maximum number of choices in a question."""
_CONFIDENT = 0.9
"""Minimum probability for reporting a turn without asking."""


@dataclass(slots=True)
class HandScans:
    """The scans of one handheld scanner that have not led to an event yet, in order."""

    _scans: list[tuple[str, float]] = field(default_factory=list)
    _last_card: str | None = None
    _known_moves: int = 0
    """Number of moves of the round at the last check."""
    _own_move: bool = False
    """Whether these scans led to the move that was added since."""
    _scans_before_deal: list[tuple[str, float]] = field(default_factory=list)
    """The scans at the time of the last reported deal."""

    @property
    def since(self) -> float | None:
        """Time of the last scan, s; None without scans."""
        return self._scans[-1][1] if self._scans else None

    def process(self, card: str, time: float) -> bool:
        """Store a scan and return whether it was stored; the same card scanned twice in a row is ignored."""
        if card == self._last_card or (self._scans and time < self._scans[-1][1]):
            return False
        self._last_card = card
        self._scans.append((card, time))
        return True

    def once_more(self) -> None:
        """Restore the scans that led to the last deal."""
        if self._scans_before_deal:
            self._scans, self._scans_before_deal = self._scans_before_deal, []

    def see(self, now: float, table: Table) -> list[NewEvent]:
        """Return the events that the scans up to ``now``, s, lead to: a deal, one turn, or a question; none while it is too early."""
        quiet = now - (self.since or 0.0)
        if not self._scans or quiet < AT_ONCE_S:
            return []
        played = table.round if isinstance(table.round, FishingRound) else None
        self._drop_reported(played)
        names = [card for card, _ in self._scans]
        if (dealt := read_deal(names, played)) is not None:
            return self._dealt(dealt, table)
        assert played is not None
        recaptured = _count_recaptured(names, played)
        self._scans = self._scans[recaptured:]
        return self._turn(read_turn(names[recaptured:], played), quiet, played, table)

    def _turn(
        self, interpretation: ScanInterpretation, quiet: float, played: AnyRound, table: Table
    ) -> list[NewEvent]:
        """Report the turn that was read from the scans, ask about it, or wait."""
        pending = played.pending_decision()
        deciding = pending is not None and pending.code == "decision-missing"
        if interpretation.used == 0:
            return self._half_turn(played, table) if quiet >= _HALF_S else []
        if quiet < max(_DECISION_S * deciding, _MISSING_CARD_S * interpretation.unread):
            return []
        if interpretation.problem is not None:
            return (
                self._refused(interpretation, interpretation.problem, table) if quiet >= _ASK_AFTER_S else []
            )
        best = interpretation.turns[0] if interpretation.turns else None
        if best is not None and best.probability >= _CONFIDENT:
            self._take(interpretation.used)
            return [*settle(table), *(moved(move, round(best.probability, 3), None) for move in best.moves)]
        return (
            self._ask(interpretation, table) if best and quiet >= _ASK_AFTER_S and not waiting(table) else []
        )

    def _drop_reported(self, played: AnyRound | None) -> None:
        """Drop scans whose turn was meanwhile reported in another way: by an answer or entered by hand."""
        moves = () if played is None else played.moves
        if played is not None and not self._own_move and len(moves) > self._known_moves:
            last = _last_turn(played)
            while self._scans and self._scans[0][0] in last:
                self._scans.pop(0)
        self._known_moves, self._own_move = len(moves), False

    def _take(self, count: int) -> None:
        self._scans, self._own_move = self._scans[count:], True

    def _dealt(self, dealt: ScanInterpretation, table: Table) -> list[NewEvent]:
        """Report a complete deal; nothing while it is incomplete."""
        if not dealt.cards:
            return []
        used, self._scans_before_deal = 0, self._scans
        distinct: set[str] = set()
        for card, _ in self._scans:
            if len(distinct | {card}) > len(dealt.cards):
                break
            distinct.add(card)
            used += 1
        self._take(used)
        return [*settle(table), *_deal(dealt.cards, table)]

    def _half_turn(self, played: AnyRound, table: Table) -> list[NewEvent]:
        """Report once that a card of a turn is missing."""
        scanned = tuple(dict.fromkeys(card for card, _ in self._scans))
        hidden = set(scanned) - {*played.field, *played.captured(1), *played.captured(2)}
        if not hidden or waiting(table) or table.open_problems:
            return []
        return [unfinished(Message("notice-half-turn", {"cards": card_list(scanned)}), scanned)]

    def _refused(self, interpretation: ScanInterpretation, problem: Problem, table: Table) -> list[NewEvent]:
        """Report that the scans are an illegal turn, and drop them."""
        names = [card for card, _ in self._scans[: interpretation.used]]
        self._scans, self._last_card = self._scans[interpretation.used :], None
        message = Message("notice-scan-turn-again", {"problem": problem.text})
        return [
            NewEvent(
                event.kind, {**event.data, "pictures": {"before": None, "after": None}}, event.confidence
            )
            if event.kind == "noticed"
            else event
            for event in notice(RefereeProblem(problem.code, message, tuple(names)), table, None, "")
        ]

    def _ask(self, interpretation: ScanInterpretation, table: Table) -> list[NewEvent]:
        """Ask which turn the scans are."""
        choices: list[dict[str, Any]] = []
        for hypothesis in interpretation.turns[:_MAX_CHOICES]:
            events = [moved(move, round(hypothesis.probability, 3), None) for move in hypothesis.moves]
            answer = message_sequence([move.message() for move in hypothesis.moves])
            choices.append(choice(answer, hypothesis.probability, events))
        player = interpretation.turns[0].moves[-1].player
        message = Message("question-which-turn", {"player": player_message(player)})
        return [*settle(table), asked(message, choices, interpretation.turns[0].probability, None)]


def _deal(cards: Sequence[str], table: Table) -> list[NewEvent]:
    """Return the events of a new deal; an open decision of the round before counts as a stop."""
    before = table.round
    ended = None
    if isinstance(before, FishingRound):
        ended = deal_after(before, stop(before), table, None)
    events, dealer, month = ended or ([], None, getattr(table.game, "month", None))
    data = {"deal": {"field": list(cards)}, "dealer": dealer, "month": month}
    return [*events, NewEvent("dealt", data, 0.99)]


def unfinished(message: Message, cards: Sequence[str]) -> NewEvent:
    """Return the notice that scans are not a complete turn."""
    pictures = {"before": None, "after": None}
    data = {"code": "turn-unread", "message": message.to_dict(), "pictures": pictures, "cards": list(cards)}
    return NewEvent("noticed", data, 0.9)


def _last_turn(played: AnyRound) -> set[str]:
    """Return the cards of the last reported turn."""
    cards: set[str] = set()
    for move in reversed(played.moves):
        if isinstance(move, Call):
            continue
        cards |= {move.card, *move.takes}
        if isinstance(move, Play):
            break
    return cards


def _count_recaptured(names: Sequence[str], played: AnyRound) -> int:
    """Return how many of the first scans are only cards that the last turn captured, scanned again."""
    just_captured = _last_turn(played) & {*played.captured(1), *played.captured(2)}
    return next((number for number, name in enumerate(names) if name not in just_captured), len(names))
