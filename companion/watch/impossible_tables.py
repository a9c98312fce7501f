"""Photographs that cannot be read as the table: captured piles outside their zones, and decks that are not known.

A pile in the field would be read as cards that were played. Such a photograph is refused before the referee sees it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from companion.hanafuda.cards import BACK, twin_of
from companion.hanafuda.messages import Message, Param, player_message
from companion.hanafuda.registry import GAMES
from companion.observations import FIELD, Observation, TrackedCard, captured_zone
from companion.table import Table
from companion.watch.beam import MOST_STEPS

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
    played = table.round
    if played is None or played.outcome() is not None:
        return None
    camera = GAMES[table.rules.game].camera
    if camera is None:
        return None
    committed = camera.zones(played)
    if not _shows_field(observation, committed):
        return None
    piles = {captured_zone(seat): seat for seat in range(1, table.game.players + 1)}
    misplaced = [
        (card, piles[zone])
        for card, zone in _known(observation, committed)
        if zone in piles and card.zone != zone and (card.zone == FIELD or card.zone in piles)
    ]
    if len(misplaced) >= _MIN_MISPLACED:
        (seat, zone), _ = Counter((seat, card.zone) for card, seat in misplaced).most_common(1)[0]
        params: dict[str, Param] = {"count": len(misplaced), "player": player_message(seat)}
        if zone == FIELD:
            message = Message("table-pile-in-field", params)
        else:
            message = Message("table-pile-at-other", {**params, "other": player_message(piles[zone])})
        return ImpossibleTable(message, frozenset(card.key for card, _ in misplaced))
    new = [
        card
        for card in observation.cards
        if card.zone == FIELD and card.card not in {None, BACK} and not _zones_of(card, committed)
    ]
    if camera.layout == "beside-field" and len(new) > MOST_STEPS:
        return ImpossibleTable(
            Message("table-many-new", {"count": len(new)}), frozenset(card.key for card in new)
        )
    return None


def _zones_of(card: TrackedCard, committed: Mapping[str, str]) -> set[str]:
    """Return the zones of a card, or of it and the one that looks like it."""
    name = card.card or ""
    return {committed[each] for each in (name, twin_of(name) or name) if each in committed}


def _known(observation: Observation, committed: Mapping[str, str]) -> Iterator[tuple[TrackedCard, str]]:
    """Yield the tracked cards whose zone is known, with that zone; look-alikes only if both are in the same one."""
    for card in observation.cards:
        if card.card is None:
            continue
        names = {card.card, twin_of(card.card)} - {None}
        zones = _zones_of(card, committed)
        if len(zones) == 1 and all(name in committed for name in names):
            yield card, zones.pop()


def _shows_field(observation: Observation, committed: Mapping[str, str]) -> bool:
    """Return whether most of the known field cards lie in the field."""
    field = {card for card, zone in committed.items() if zone == FIELD}
    seen = {card.card for card in observation.cards if card.zone == FIELD and card.card is not None}
    same = sum(card in seen or twin_of(card) in seen for card in field)
    return bool(field) and 2 * same >= len(field)
