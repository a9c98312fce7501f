"""Which rows of a camera and of card readers are the same card, and which of the two is out of date."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Final

from companion.hanafuda.cards import BACK, first_of, twin_of
from companion.observations import ELSEWHERE, FIELD, STOCK, Observation, TrackedCard
from companion.readers.scan_board import ReadCard, ScanBoard

P_READ: Final = 0.999
"""Probability that a card reported by a reader is that card: tags fall off and are paired with the wrong card."""
_MIN_PAIRING_P: Final = 0.05
"""Minimum probability, by the camera, for pairing a scanned card with a tracked card in its zone."""
_NAMELESS_P: Final = 0.5
"""A tracked card is nameless if no card has a higher probability."""
_PLAIN_P, _PLAIN_VISIBLE = 0.9, 0.5
"""Minimum probability, and minimum visible fraction, for a card that is plainly visible to the camera."""
_LAG_S: Final = 0.25
"""Maximum delay between taking a picture and delivering its observation, s."""
_TOGETHER_S: Final = 2.0
"""Maximum time between the scan of a tag and the camera's observation of the same card, s: the camera reports a card
when the hand has left, a reader as soon as the card is on the table."""
_MIN_VISIBLE: Final = 0.1
"""Minimum visible fraction of a card that the camera detects rather than remembers."""
_MIN_CARDS_FOR_BLIND: Final = 6
"""With this many cards face up, a camera that detects at most one of them counts as covered."""


def is_camera_covered(observation: Observation, face_up: int) -> bool:
    """Return whether a camera is covered; ``face_up`` is the number of cards known to be face up on the table."""
    visible = sum(each.visible > _MIN_VISIBLE for each in observation.cards)
    return face_up > 0 and (visible == 0 or (face_up >= _MIN_CARDS_FOR_BLIND and visible <= 1))


def is_outdated(track: TrackedCard, seen: float, board: ScanBoard, zones: Mapping[str, str]) -> bool:
    """Return whether readers have reported that a card is elsewhere after the camera saw it at ``seen``, s. ``zones``: those of the cards
    according to the log."""
    name, p = track.likely[0] if track.likely else (track.card or BACK, 1.0)
    if name == BACK or p < _PLAIN_P:
        return False
    twin = twin_of(name)  # if both are on the table, the camera may see the other one
    return any(
        board.changed_since(card, seen - _LAG_S)
        and (not {name, twin} <= zones.keys() or board.was_at(card, track.zone))
        and all(each.place != track.zone for each in board.places(card, seen))
        for card in (name, twin)
        if card is not None
    )


def paired(
    rows: Mapping[int, ReadCard], seen: Collection[TrackedCard]
) -> tuple[list[TrackedCard], dict[int, ReadCard]]:
    """Return the camera's cards with the names that readers know, and the rows of readers that are none of them."""
    tracks = {each.key: each for each in seen}
    rows = {number: each for number, each in rows.items() if not _is_overruled(each, seen)}
    reported = {first_of(each.report.card) for each in rows.values()}
    pairs = sorted(
        ((p, number, key) for number, read in rows.items() for key, p in _pairings(read, seen)), reverse=True
    )
    alone, free = dict(rows), dict(tracks)
    for _, number, key in pairs:
        if number in alone and key in free:
            card = alone.pop(number).report.card
            tracks[key] = replace(free.pop(key), card=card, likely=((card, P_READ),))
    for number, read in [*alone.items()]:
        if (other := _named_otherwise(read, free.values(), reported)) is not None:
            del alone[number], free[other.key]  # one of them is wrong, nobody knows which
            likely = (((other.card or ""), 0.5), (read.report.card, 0.5))
            tracks[other.key] = replace(other, card=None, likely=likely)
    return [*tracks.values()], alone


def _probability(track: TrackedCard, card: str) -> float:
    """Return the probability, by the camera, that a tracked card is a card."""
    first = first_of(card)
    likely = track.likely or (((track.card, P_READ),) if track.card else ())
    return sum(probability for name, probability in likely if name != BACK and first_of(name) == first)


def _pairings(read: ReadCard, tracks: Collection[TrackedCard]) -> Iterator[tuple[int, float]]:
    """Yield the keys of the tracked cards that a scanned card may be, with the probability by the camera."""
    for track in tracks:
        if track.zone != read.place or track.card == BACK:
            continue
        p = _probability(track, read.report.card)
        is_nameless = (
            max((each for _, each in track.likely), default=0.0) < _NAMELESS_P and track.card is None
        )
        if p >= _MIN_PAIRING_P or is_nameless:
            yield track.key, p


def _is_overruled(read: ReadCard, tracks: Collection[TrackedCard]) -> bool:
    """Return whether the camera plainly sees a card elsewhere that an antenna claims, or that was read once before it came there."""
    report = read.report
    if report.keeps and report.rssi is None:
        return False
    return any(
        track.zone not in {read.place, ELSEWHERE, STOCK}
        and track.visible >= _PLAIN_VISIBLE
        and _probability(track, report.card) >= _PLAIN_P
        and (report.keeps or read.since <= track.since)
        for track in tracks
    )


def _named_otherwise(
    read: ReadCard, tracks: Collection[TrackedCard], reported: Collection[str]
) -> TrackedCard | None:
    """Return the tracked card that arrived on the field together with a tag but is another card for the camera: the tag may be paired
    with the wrong card, or the camera may be wrong.
    """
    if read.place != FIELD or any(_probability(each, read.report.card) >= _MIN_PAIRING_P for each in tracks):
        return None
    candidates = [
        track
        for track in tracks
        if track.zone == FIELD
        and track.card is not None
        and track.card != BACK
        and first_of(track.card) not in reported
        and abs(track.since - read.since) < _TOGETHER_S
    ]
    return candidates[0] if len(candidates) == 1 else None
