"""Photographs that cannot be read as the table: captured piles outside their zones, and decks that are not known.

A pile in the field would be read as cards that were played. Such a photograph is refused before the referee sees it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from companion.hanafuda.cards import BACK
from companion.hanafuda.messages import Message, Param, player_message
from companion.hanafuda.registry import GAMES
from companion.observations import Observation
from companion.table import Table
from companion.watch.beam import MOST_STEPS
from companion.watch.problems import SeenTable

_MIN_UNKNOWN: Final = 4
"""Fewer unrecognized cards may be covered or in bad light; a deal has eight cards."""
_MIN_MISPLACED: Final = 2
"""One card in a wrong zone may be misread; a pile has at least two."""


@dataclass(frozen=True, slots=True)
class ImpossibleTable:
    """Why a photograph cannot show the table."""

    message: Message
    cards: frozenset[int]
    """The keys of the tracked cards that lie in a wrong zone or are not recognized."""


def unknown_deck(observation: Observation) -> ImpossibleTable | None:
    """Return that most of the cards that lie face up are not recognized; None if they are."""
    faces = [card for card in observation.cards if card.card != BACK]
    unknown = frozenset(card.key for card in faces if card.card is None)
    if len(unknown) < _MIN_UNKNOWN or 2 * len(unknown) <= len(faces):
        return None
    return ImpossibleTable(Message("table-deck-unknown", {"count": len(unknown), "of": len(faces)}), unknown)


def impossible_table(observation: Observation, table: Table) -> ImpossibleTable | None:
    """Return why an observation of the current round is impossible; None if it is possible or there is no round."""
    played, camera = table.round, GAMES[table.rules.game].camera
    if played is None or played.outcome() is not None or camera is None or camera.layout != "beside-field":
        return None
    model = camera.table(table.rules, table.game.players)
    seen = SeenTable(observation, model, model.committed(played))
    if 2 * seen.missing.bit_count() > [*seen.expected.values()].count(0):
        return None  # these are other cards
    moved, new = [*seen.moved], [card for card in seen.new if seen.zone[card] == 0]
    if len(moved) >= _MIN_MISPLACED:
        ((pile, zone), _), *_ = Counter((pile, zone) for _, pile, zone in moved).most_common(1)
        params: dict[str, Param] = {"count": len(moved), "player": _player(seen.zones[pile])}
        if zone == 0:
            message = Message("table-pile-in-field", params)
        else:
            message = Message("table-pile-at-other", {**params, "other": _player(seen.zones[zone])})
        return ImpossibleTable(message, frozenset(seen.track[card] for card, *_ in moved))
    if len(new) > MOST_STEPS:
        message = Message("table-many-new", {"count": len(new)})
        return ImpossibleTable(message, frozenset(seen.track[card] for card in new))
    return None


def _player(pile: str) -> Message:
    """Return who has a captured pile."""
    return player_message(int(pile.rpartition("-")[2]))
