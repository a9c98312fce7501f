"""One scanner held in the hand: what was scanned and is not told yet, and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from companion.hanafuda.families.fishing import Call, FishingRound, Play
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.round import Problem
from companion.hanafuda.rules import Text
from companion.observations import Observation
from companion.readers.reader_messages import half_a_turn
from companion.referee import deal_detection
from companion.referee.expected_cards import AnyRound
from companion.referee.interface import CommittedTable
from companion.referee.message_parts import fishing_move_message, message_sequence
from companion.referee.referee_events import RefereeProblem, choice, moved, notice, settle, waiting
from companion.referee.scan_order import Reading, read_deal, read_turn
from companion.table.events import NewEvent

__all__ = ["HandScans"]

AT_ONCE_S: Final = 0.25
"""A scan may be followed by another one so soon."""
_DOUBT_S: Final = 2.0
"""So long, s, whoever scans has to make clear what is in doubt before the players are asked."""
_UNREAD_S: Final = 2.5
"""And so long where a card of the turn seems not to have been read: it may come yet."""
_DECISION_S: Final = 3.0
"""While somebody is to say whether he plays on, two cards scanned may be the first of a new deal for so long, s."""
_HALF_S: Final = 5.5
"""After so long, s, half a turn is the whole of one of which a card was not read."""
_CHOICES = 4
_SURE = 0.9


@dataclass(slots=True)
class HandScans:
    """The cards that one scanner in the hand has read and nobody has told yet, in order."""

    _scans: list[tuple[str, float]] = field(default_factory=list)
    _last: str | None = None
    _moves: int = 0
    """How many moves the round had when this was looked at last."""
    _own: bool = False
    """Whether the move that came since was told by these scans."""
    _before: list[tuple[str, float]] = field(default_factory=list)
    """What was there before the last deal was told."""

    @property
    def since(self) -> float | None:
        """When the last of them was scanned, s; None where there are none."""
        return self._scans[-1][1] if self._scans else None

    def hear(self, card: str, time: float) -> bool:
        """Take a scan; return whether it is more than the last card read again."""
        if card == self._last or (self._scans and time < self._scans[-1][1]):
            return False
        self._last = card
        self._scans.append((card, time))
        return True

    def once_more(self) -> None:
        """Have the scans again of which the last deal was told."""
        if self._before:
            self._scans, self._before = self._before, []

    def see(self, now: float, table: CommittedTable) -> list[NewEvent]:
        """Return what the scans tell by ``now``, s: a deal or one turn, or a question about it; nothing while it is too early."""
        quiet = now - (self.since or 0.0)
        if not self._scans or quiet < AT_ONCE_S:
            return []
        played = table.round if isinstance(table.round, FishingRound) else None
        self._drop_told(played)
        names = [card for card, _ in self._scans]
        if (dealt := read_deal(names, played)) is not None:
            return self._dealt(dealt, table)
        assert played is not None
        late = _tidied(names, played)
        self._scans = self._scans[late:]
        return self._turn(read_turn(names[late:], played), quiet, played, table)

    def _turn(
        self, reading: Reading, quiet: float, played: AnyRound, table: CommittedTable
    ) -> list[NewEvent]:
        pending = played.owes()
        deciding = pending is not None and pending.code == "decision-missing"
        if reading.used == 0:
            return self._half(played, table) if quiet >= _HALF_S else []
        if quiet < max(_DECISION_S * deciding, _UNREAD_S * reading.unread):
            return []
        if reading.problem is not None:
            return self._refused(reading, reading.problem, table) if quiet >= _DOUBT_S else []
        best = reading.tellings[0] if reading.tellings else None
        if best is not None and best.probability >= _SURE:
            self._take(reading.used)
            return [*settle(table), *(moved(move, round(best.probability, 3), None) for move in best.moves)]
        return self._ask(reading, table) if best and quiet >= _DOUBT_S and not waiting(table) else []

    def _drop_told(self, played: AnyRound | None) -> None:
        """Let go of scans that somebody else told of meanwhile: an answer, an entry by hand."""
        moves = () if played is None else played.moves
        if played is not None and not self._own and len(moves) > self._moves:
            last = _last_turn(played)
            while self._scans and self._scans[0][0] in last:
                self._scans.pop(0)
        self._moves, self._own = len(moves), False

    def _take(self, count: int) -> None:
        self._scans, self._own = self._scans[count:], True

    def _dealt(self, dealt: Reading, table: CommittedTable) -> list[NewEvent]:
        if not dealt.cards:
            return []
        counted, self._before = 0, self._scans
        seen: set[str] = set()
        for card, _ in self._scans:
            if len(seen | {card}) > len(dealt.cards):
                break
            seen.add(card)
            counted += 1
        self._take(counted)
        return [*settle(table), *deal_detection.reported(dealt.cards, _LOOK, table, 0.99)]

    def _half(self, played: AnyRound, table: CommittedTable) -> list[NewEvent]:
        """Tell once that a card of a turn is missing."""
        scanned = tuple(dict.fromkeys(card for card, _ in self._scans))
        hidden = set(scanned) - {*played.field, *played.captured(1), *played.captured(2)}
        if not hidden or waiting(table) or table.open_problems:
            return []
        return [half_a_turn(scanned)]

    def _refused(self, reading: Reading, problem: Problem, table: CommittedTable) -> list[NewEvent]:
        names = [card for card, _ in self._scans[: reading.used]]
        self._scans, self._last = self._scans[reading.used :], None
        message = Text(
            f"{problem.text.en}. Scan the turn again, the card first and then what it takes.",
            f"{problem.text.ja}。出した札、取った札の順に、もう一度読み取ってください。",
        )
        return [
            NewEvent(
                event.kind, {**event.data, "pictures": {"before": None, "after": None}}, event.confidence
            )
            if event.kind == "noticed"
            else event
            for event in notice(RefereeProblem(problem.code, message, tuple(names)), table, None, "")
        ]

    def _ask(self, reading: Reading, table: CommittedTable) -> list[NewEvent]:
        choices: list[dict[str, Any]] = []
        for telling in reading.tellings[:_CHOICES]:
            events = [moved(move, round(telling.probability, 3), None) for move in telling.moves]
            says = message_sequence([fishing_move_message(move) for move in telling.moves])
            choices.append(choice(says, telling.probability, events))
        player = reading.tellings[0].moves[-1].player
        data = {
            "text": Message("question-which-turn", {"player": player_message(player)}).to_dict(),
            "choices": choices,
            "picture": None,
        }
        return [*settle(table), NewEvent("asked", data, round(reading.tellings[0].probability, 3))]


_LOOK: Final = Observation("", 0.0, ())
"""No picture shows what was scanned."""


def _last_turn(played: AnyRound) -> set[str]:
    """Return the cards of the last turn told."""
    found: set[str] = set()
    for move in reversed(played.moves):
        if isinstance(move, Call):
            continue
        found |= {move.card, *move.takes}
        if isinstance(move, Play):
            break
    return found


def _tidied(names: Sequence[str], played: AnyRound) -> int:
    """Return how many of the first scans only show again what the last turn has captured."""
    last = _last_turn(played) & {*played.captured(1), *played.captured(2)}
    return next((number for number, name in enumerate(names) if name not in last), len(names))
