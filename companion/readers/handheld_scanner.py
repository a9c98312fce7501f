"""A single handheld scanner: the scans that are not reported yet, and the deal or turn that they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.fishing import FishingMove, FishingRound
from companion.hanafuda.fishing.camera import stop
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.table_model import TableProblem
from companion.readers.scan_order import AnyRound, last_turn, read_deal, read_turn
from companion.table import Table
from companion.table.events import NewEvent
from companion.watch.referee import MAX_CHOICES, READERS_S
from companion.watch.referee_events import (
    asked,
    choice,
    deal_after,
    moved,
    notice,
    settle,
    waiting,
)

_MORE_S: Final = 2.0
"""Wait this long, s, while further scans may resolve an ambiguous turn, or make two cards the first of a new deal."""
_CONFIDENT = 0.9
"""Minimum probability for reporting a turn without asking."""


@dataclass(slots=True)
class HandScans:
    """The scans of one handheld scanner that have not led to an event yet, in order."""

    _scans: list[tuple[str, float]] = field(default_factory=list)
    _last_card: str | None = None
    _scans_before_deal: list[tuple[str, float]] = field(default_factory=list)
    """The scans at the time of the last reported deal."""

    def is_pending(self, now: float) -> bool:
        """Return whether the scans may still lead to something if no other one follows."""
        return bool(self._scans) and now < self._scans[-1][1] + READERS_S

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
        played = table.round if isinstance(table.round, FishingRound) else None
        if not self._scans:
            return []
        names = [card for card, _ in self._scans]
        if (dealt := read_deal(names, played)) is not None:
            return self._dealt(dealt, table) if dealt else []
        assert played is not None
        last = last_turn(played)
        while self._scans and self._scans[0][0] in last:  # scanned late, or once more
            del self._scans[0]
        return self._turn(now, played, table)

    def _turn(self, now: float, played: AnyRound, table: Table) -> list[NewEvent]:
        """Report the turn that was read from the scans, ask about it, or wait."""
        quiet = now - self._scans[-1][1] if self._scans else 0.0
        found = read_turn([card for card, _ in self._scans], played)
        if not found.turns:
            return [] if quiet < READERS_S else self._half_turn(found.used, played, table)
        pending, (moves, p) = played.pending_decision(), found.turns[0]
        is_deciding = pending is not None and pending.code == "decision-missing"
        is_clear = p >= _CONFIDENT
        if quiet < _MORE_S and (is_deciding or found.unread or not is_clear):
            return []
        if is_clear:
            del self._scans[: found.used]
            return [*settle(table), *_moved(moves, p)]
        return [] if waiting(table) else [*settle(table), _question(found.turns)]

    def _dealt(self, cards: Sequence[str], table: Table) -> list[NewEvent]:
        """Report a complete deal."""
        used = max(number for number, (card, _) in enumerate(self._scans) if card in cards)
        self._scans, self._scans_before_deal = self._scans[used + 1 :], self._scans
        return [*settle(table), *_deal(cards, table)]

    def _half_turn(self, used: int, played: AnyRound, table: Table) -> list[NewEvent]:
        """Report that the scans are not a turn: a card of it is missing, or the rules forbid it and it must be scanned again. Nothing is
        reported if people are asked or informed already."""
        scanned = tuple(dict.fromkeys(card for card, _ in self._scans))
        del self._scans[:used]
        self._last_card = None
        known = {*played.field, *played.captured(1), *played.captured(2)}.issuperset(scanned)
        if known or waiting(table) or table.open_problems:
            return []
        message = Message("notice-half-turn", {"cards": card_list(scanned)})
        return notice(TableProblem("turn-unread", message, scanned), table, None, None)


def _moved(moves: Sequence[FishingMove], probability: float) -> list[NewEvent]:
    return [moved(move, round(probability, 3), None) for move in moves]


def _question(turns: Sequence[tuple[Sequence[FishingMove], float]]) -> NewEvent:
    """Return the question which turn the scans are."""
    choices = [
        choice([move.message() for move in moves], p, _moved(moves, p)) for moves, p in turns[:MAX_CHOICES]
    ]
    moves, p = turns[0]
    message = Message("question-which-turn", {"player": player_message(moves[-1].player)})
    return asked(message, choices, p, None)


def _deal(cards: Sequence[str], table: Table) -> list[NewEvent]:
    """Return the events of a new deal; an open decision of the round before counts as a stop."""
    before = table.round
    ended = None
    if isinstance(before, FishingRound):
        ended = deal_after(before, stop(before), table, None)
    events, dealer, month = ended or ([], None, getattr(table.game, "month", None))
    data = {"deal": {"field": list(cards)}, "dealer": dealer, "month": month}
    return [*events, NewEvent("dealt", data, 0.99)]
