"""What an observation says about each zone of a table: the log-likelihood of its detections, given the cards that lie there.

Each detection shows one card of its zone or is clutter; each card is shown by at most one detection or is missed. The likeliest assignment
counts, relative to an empty table on which everything is clutter. Of two look-alikes either may be meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from math import dist, log
from operator import or_
from typing import Any, Final

from companion.hanafuda.cards import BACK, HANAFUDA, first_of
from companion.hanafuda.table_model import Clues, TableModel
from companion.observations import Observation, TrackedCard

_INDEX = {card.id: card.index for card in HANAFUDA}
_FIRST = tuple(_INDEX[first_of(card.id)] for card in HANAFUDA)
"""For each card of the deck order, the first of its look-alikes."""
_SECONDS = sum(card.bit for card in HANAFUDA if _FIRST[card.index] != card.index)
"""The second of each two look-alikes, as a set; it follows the first in the deck order."""
_KINDS = len(HANAFUDA) - _SECONDS.bit_count()
"""The number of cards that look different."""
_WHOLE: Final = 0.5
"""A detection with a smaller visible fraction is partly a strip of a card, as which cloth or tatami may be read."""
_SURE: Final = 0.9
"""A detection with a card of a higher probability is assigned to this card without looking at others."""
_POSSIBLE: Final = 0.02
"""A detection may show the cards of a higher probability."""


_APART_MM: Final = 36.0
"""A card that lies on another one is nearer to it; a card is 33 mm wide."""
_MAX_UNREAD: Final = 2
"""Largest number of dealt cards that nobody can read."""
_READINGS: Final = 40
"""Number of readings of a deal that are weighed."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of the engine, fitted by likelihood to composed rounds (`models/training`)."""

    missed: tuple[float, float] = (0.02, 0.12)
    """Probability that a card is not detected: in a zone in which cards lie side by side, and in a pile."""
    covered: float = 0.005
    """Probability that something covers all cards of a zone."""
    clutter: tuple[float, float] = (0.02, 0.1)
    """Mean number of detections in a zone that show none of its cards: whole ones, and strips."""
    misread: tuple[float, float] = (0.01, 0.1)
    """Probability that the recognizer's posterior means nothing: for a whole card, and for a strip."""
    repeated: float = 0.15
    """The weight of what the observation before has said already: errors persist as long as nothing changes."""
    passing: float = 0.1
    """Mean number of detections while something moves that show no card of the table."""
    late: float = 0.5
    """Probability that a captured card still lies on the field."""
    stops: tuple[float, ...] = (log(0.4), log(0.5), log(0.08), log(0.02))
    """Log-probability of 0, 1, 2, 3 turns between two observations."""
    mid_turn: float = 0.3
    """Probability that an observation shows the middle of a turn."""
    apart: float = 0.005
    """Probability that a card is laid beside what it captures, not on it."""
    taken_back: float = 0.003
    """Probability that a turn is taken back."""
    unread: float = 0.01
    """Probability that a dealt card cannot be read."""
    deal: float = 0.2
    """Probability that an observation between two rounds shows the next deal."""
    round_ends: float = 1e-5
    """Probability that a round is given up between two observations."""
    idle: float = 0.3
    """Between rounds, the mean number of detections for each that a table shows: anything may lie there."""


def lookalikes(card: int) -> tuple[int, ...]:
    """Return a card and the one that looks like it, each as a set of one."""
    first = 1 << _FIRST[card.bit_length() - 1]
    return (first, first << 1) if first << 1 & _SECONDS else (first,)


def lookalikes_of(cards: int) -> int:
    """Return a set of cards in which a single look-alike is the first of the two."""
    lone = cards & _SECONDS & ~(cards << 1)
    return cards ^ lone | lone >> 1


@dataclass(frozen=True, slots=True)
class Detection:
    """A detection of a card that lies face up, with log-likelihoods relative to clutter."""

    cards: Mapping[int, float]
    """By card (the first of look-alikes), for those that it may show."""
    other: float
    """Of each other card."""
    idle: float
    """Between rounds."""
    top: int
    """The likeliest card, -1 if none."""
    p: float
    """Its probability."""
    shown: int
    """The cards that it may show, both of look-alikes."""


_FACE_DOWN: Final = Detection({}, 0.0, 0.0, -1, 0.0, 0)
"""A card that lies face down: it may be any card of the zone, or none, like a card of the draw pile beside it."""


@dataclass(slots=True)
class SightMemory:
    """What the observation before has said already."""

    said: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Zone and likeliest card of each track."""
    shown: dict[str, int] = field(default_factory=dict)
    """The cards that each zone may have shown."""
    observations: int = 0


class ZoneSight:
    """The detections of one zone."""

    def __init__(
        self, detections: list[Detection], missed: float, covered: float, shown_before: int | None = None
    ) -> None:
        """``missed``: probability that a card of the zone is not detected; ``covered``: that something covers all of it. With ``shown_before``, the cards that the zone showed in
        the observation before, only another miss of a card that was missed then counts."""
        self.detections, self._log_covered = detections, log(covered)
        self.shown = 0
        singles: dict[int, list[Detection]] = {}
        for each in detections:
            self.shown |= each.shown
            if each.p > _SURE:
                singles.setdefault(each.top, []).append(each)
        doubtful = 0
        for each in detections:
            if each.p <= _SURE or len(singles[each.top]) > 1:
                doubtful |= each.shown
        self._sure = {1 << top: found[0] for top, found in singles.items() if not doubtful >> top & 1}
        self._sure_cards = sum(self._sure)
        self._unsure = [each for each in detections if not self._sure_cards >> max(each.top, 0) & 1]
        self._missed = tuple(
            0.0 if shown_before is not None and shown_before >> index & 1 else log(missed)
            for index in range(len(HANAFUDA))
        )
        self._known: dict[tuple[int, int, int, bool], float] = {}

    def log_likelihood(self, cards: int, late: int, log_late: float, unread: int, *, at_home: bool) -> float:
        """Return the log-likelihood of the detections with a set of cards in the zone, relative to an empty zone.

        ``unread``: number of further cards, which any detection may show. ``late``: cards that may lie in zone 0 although they belong
        to another one, their home. There they are missed at least with the log-probability ``log_late``; zone 0 may show them.
        """
        key = cards, late, unread, at_home
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._assign(
                lookalikes_of(cards), lookalikes_of(late), log_late, unread, at_home
            )
        return known

    def _assign(self, cards: int, late: int, log_late: float, unread: int, at_home: bool) -> float:
        total = 0.0
        found = cards & self._sure_cards
        for bit in _bits(found):
            total += self._sure[bit].cards[bit.bit_length() - 1]
        rest, guests = cards & ~found, 0 if at_home else late
        if not rest and not guests and not unread:
            return total
        extra = [*self._unsure, *(self._sure[bit] for bit in _bits(self._sure_cards & ~found))]
        pairs, misses = [], list[float]()
        for bit in _bits(rest):
            first = _FIRST[bit.bit_length() - 1]
            missed = self._missed[first]
            if at_home and late & bit:
                missed = max(missed, log_late)
            for position, each in enumerate(extra):
                if (gain := each.cards.get(first, each.other)) > missed:
                    pairs.append((gain - missed, position, len(misses)))
            misses.append(missed)
        for bit in _bits(guests):
            first = _FIRST[bit.bit_length() - 1]
            for position, each in enumerate(extra):
                if (gain := each.cards.get(first, each.other)) > 0:
                    pairs.append((gain, position, len(misses)))
            misses.append(0.0)
        for _ in range(unread):
            pairs += [
                (each.other, position, len(misses)) for position, each in enumerate(extra) if each.other > 0
            ]
            misses.append(0.0)
        pairs.sort(reverse=True)
        used = 0
        for gain, position, number in pairs:
            if not used >> position & 1 and misses[number] is not _SHOWN:
                used |= 1 << position
                total += gain + misses[number]
                misses[number] = _SHOWN
        # Something may lie on the whole zone.
        return total + max(sum(misses), self._log_covered)


_SHOWN: Final = -0.0
"""The cost of a card that a detection shows."""


class ObservedTable:
    """What an observation says about the table of a game."""

    def __init__(
        self, observation: Observation, model: TableModel[Any], parameters: Parameters, memory: SightMemory
    ) -> None:
        """``memory``: what the observation before said; it is updated."""
        self._model, self._log_late = model, log(parameters.late)
        self._log_apart = log(parameters.apart)
        self._at: dict[int, tuple[float, float]] = {}
        self._are_apart: dict[tuple[int, int], bool] = {}
        found: dict[str, list[Detection]] = {zone: [] for zone in model.zones}
        again: dict[str, list[Detection]] = {zone: [] for zone in model.zones}
        shown, said = 0, dict[int, tuple[str, int]]()
        for card in observation.cards:
            if card.visible <= 0:
                continue
            detection = _FACE_DOWN if _p_back(card) > _WHOLE else _detection(card, parameters)
            shown |= detection.shown
            said[card.key] = card.zone, detection.top
            if card.zone == model.zones[0] and detection.p > _SURE:
                self._at.update(dict.fromkeys(lookalikes(1 << detection.top), card.at))
            if card.zone in found:
                found[card.zone].append(detection)
                if memory.said.get(card.key) == said[card.key]:
                    again[card.zone].append(detection)
        self._passing = _passing(observation, parameters)
        for bit in self._passing:
            shown |= bit | bit << 1 & _SECONDS
        self.is_unchanged = said == memory.said and not self._passing
        """Whether the observation shows the same cards as the one before."""
        missed = [parameters.missed[piled] for piled in model.piled]
        self.zones = [
            ZoneSight(found[zone], p, parameters.covered) for zone, p in zip(model.zones, missed, strict=True)
        ]
        self._repeated = [
            ZoneSight(again[zone], p, parameters.covered, memory.shown.get(zone, 0))
            for zone, p in zip(model.zones, missed, strict=True)
        ]
        self._old = 1 - parameters.repeated
        self.clues = Clues(shown, ~self.zones[0].shown)
        memory.said, memory.observations = said, memory.observations + 1
        memory.shown = {zone: each.shown for zone, each in zip(model.zones, self.zones, strict=True)}

    def log_likelihood(self, state: Any) -> float:
        """Return the log-likelihood of the observation in a state, relative to a table on which everything is clutter."""
        return self._sum(self.zones, state) + self._passed(state) + self._apart(state)

    def known(self, state: Any) -> float:
        """Return which part of the log-likelihood the observation before has given already, if it showed this state: detections
        that have not changed, and cards that were missed again."""
        return self._old * self._sum(self._repeated, state)

    def _passed(self, state: Any) -> float:
        """Return the log-likelihood of the cards that were seen while something moved, relative to clutter."""
        if state is None or not self._passing:
            return 0.0
        cards = lookalikes_of(reduce(or_, self._model.placement(state).zones))
        return sum(gain for bit, gain in self._passing.items() if cards & bit)

    def _apart(self, state: Any) -> float:
        """Return the log-likelihood of captures whose cards still lie in zone 0, where a card is laid on what it captures."""
        if state is None:
            return 0.0
        zones, captures = self._model.placement(state)[:2]
        return sum(self._log_apart for each in captures if self._lies_apart(each, zones[0]))

    def _lies_apart(self, cards: int, others: int) -> bool:
        """Return whether cards of a capture lie in zone 0, all of them beside each other. Those with a look-alike among the ``others``
        that lie there cannot be told from it."""
        key = cards, others
        if key not in self._are_apart:
            known = (bit for bit in _bits(cards) if not any(each & others for each in lookalikes(bit)))
            at = [self._at[bit] for bit in known if bit in self._at]
            self._are_apart[key] = len(at) > 1 and all(
                dist(one, other) > _APART_MM for one, other in combinations(at, 2)
            )
        return self._are_apart[key]

    def _sum(self, sights: Sequence[ZoneSight], state: Any) -> float:
        if state is None:
            return sum(each.idle for sight in sights for each in sight.detections)
        zones, captures, unread = self._model.placement(state)[:3]
        late = reduce(or_, captures, 0)
        total = sights[0].log_likelihood(zones[0], late, self._log_late, unread, at_home=False)
        for sight, cards in zip(sights[1:], zones[1:], strict=True):
            total += sight.log_likelihood(cards, late & cards, self._log_late, 0, at_home=True)
        return total

    def readings(self, count: int) -> Iterator[tuple[int, int]]:
        """Yield what zone 0 may show of a deal of ``count`` cards if no other zone shows any: sets of cards, and the number of cards
        that are not among them because nobody can read them."""
        detections = [each for each in self.zones[0].detections if each is not _FACE_DOWN]
        unread = count - len(detections)
        if not -1 <= unread <= _MAX_UNREAD or any(
            each is not _FACE_DOWN for zone in self.zones[1:] for each in zone.detections
        ):
            return
        sets = {0: 0.0}
        for each in detections:
            extended: dict[int, float] = {}
            for cards, score in sets.items():
                for index in range(len(HANAFUDA)):
                    first = _FIRST[index]
                    if not cards >> index & 1 and (index == first or cards >> first & 1):
                        more = score + each.cards.get(first, each.other)
                        if more > extended.get(cards | 1 << index, -1e9):
                            extended[cards | 1 << index] = more
            sets = dict(sorted(extended.items(), key=lambda entry: -entry[1])[:_READINGS])
        if unread >= 0:
            yield from ((cards, unread) for cards in sets)
            return
        for cards in [*sets][: _READINGS // 5]:  # one detection is clutter
            for bit in _bits(cards):
                if lookalikes_of(cards ^ bit) == cards ^ bit:
                    yield cards ^ bit, 0


def _detection(card: TrackedCard, parameters: Parameters) -> Detection:
    strip = 1.0 - min(1.0, card.visible / _WHOLE)
    misread, clutter = (
        whole + strip * (of_strip - whole) for whole, of_strip in (parameters.misread, parameters.clutter)
    )
    found: dict[int, float] = {}
    for name, probability in card.likely or (((card.card, _SURE),) if card.card else ()):
        if (index := _INDEX.get(name)) is not None:
            found[_FIRST[index]] = found.get(_FIRST[index], 0.0) + probability
    rest = max(0.0, 1.0 - _p_back(card) - sum(found.values()))
    spread = (misread + (1 - misread) * rest) / _KINDS
    top = max(found, key=found.__getitem__, default=-1)
    shown = 0
    for index, probability in found.items():
        if probability > _POSSIBLE:
            shown |= 1 << index | (1 << index + 1) & _SECONDS
    log_clutter = log(clutter / _KINDS)
    return Detection(
        {
            index: log(spread + (1 - misread) * probability) - log_clutter
            for index, probability in found.items()
        },
        log(spread) - log_clutter,
        log(parameters.idle / clutter),
        top,
        found.get(top, 0.0),
        shown,
    )


def _passing(observation: Observation, parameters: Parameters) -> dict[int, float]:
    """Return the cards that were seen while something moved (the first of look-alikes, as a set of one), and by how much more
    likely (log) that is if they are on the table."""
    log_clutter = log(parameters.passing / _KINDS)
    seen: dict[int, float] = {}
    for name, p in (
        *((each.card, _SURE) for each in observation.transient_detections),
        *((each.card, each.p) for each in observation.weak_detections),
    ):
        if (index := _INDEX.get(name)) is not None:
            bit = 1 << _FIRST[index]
            seen[bit] = max(seen.get(bit, 0.0), p)
    return {bit: max(0.0, log(p) - log_clutter) for bit, p in seen.items() if p > _POSSIBLE}


def _p_back(card: TrackedCard) -> float:
    return sum(probability for name, probability in card.likely if name == BACK)


def _bits(cards: int) -> Iterator[int]:
    while cards:
        bit = cards & -cards
        yield bit
        cards ^= bit
