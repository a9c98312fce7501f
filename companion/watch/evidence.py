"""What an observation says about each zone of a table: the log-likelihood of its detections, given the cards that lie there.

Each detection shows one card of its zone or is clutter; each card is shown by at most one detection or is missed. The likeliest assignment
counts, relative to an empty table on which everything is clutter. Of two look-alikes either may be meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import log
from typing import Any, Final

from companion.hanafuda.cards import BACK, first_of
from companion.hanafuda.table_model import Clues, TableModel
from companion.observations import Observation, TrackedCard


class Deck:
    """Which cards of a deck look alike."""

    def __init__(self, ids: Sequence[str]) -> None:
        self.index = {card: index for index, card in enumerate(ids)}
        self.first = tuple(self.index[first_of(card)] for card in ids)
        """For each card, the first of its look-alikes."""
        self.seconds = sum(1 << index for index, first in enumerate(self.first) if first != index)
        """The second of each two look-alikes, as a set; it follows the first in the deck order."""
        self.kinds = len(ids) - self.seconds.bit_count()
        """The number of cards that look different."""

    def lookalikes_of(self, cards: int) -> int:
        """Return a set of cards in which a single look-alike is the first of the two."""
        lone = cards & self.seconds & ~(cards << 1)
        return cards ^ lone | lone >> 1


@cache
def deck_of(ids: tuple[str, ...]) -> Deck:
    """Return the deck with these cards."""
    return Deck(ids)


_WHOLE: Final = 0.5
"""A detection with a smaller visible fraction is partly a strip of a card, as which cloth or tatami may be read."""
_SURE: Final = 0.9
"""A detection with a card of a higher probability is assigned to this card without looking at others."""
_POSSIBLE: Final = 0.02
"""A detection may show the cards of a higher probability."""
_UNREAD: Final = 0.5
"""A detection whose likeliest card has a lower probability may show any card."""

_READINGS: Final = 40
"""Number of readings of a deal that are weighed."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of the engine, fitted by likelihood to composed rounds (`models/training`)."""

    missed: tuple[float, float] = (0.02, 0.12)
    """Probability that a card is not detected: in a zone in which cards lie side by side, and in a pile."""
    clutter: tuple[float, float] = (0.02, 0.1)
    """Mean number of detections in a zone that show none of its cards: whole ones, and strips."""
    misread: tuple[float, float] = (0.01, 0.1)
    """Probability that the recognizer's posterior means nothing: for a whole card, and for a strip."""
    repeated: float = 0.15
    """The weight of what the observation before has said already: errors persist as long as nothing changes."""
    covered: tuple[float, float] = (0.02, 0.5)
    """Probability that a card under others is detected: whole, and as a strip."""
    late: float = 0.2
    """Probability that a captured card still lies on the field."""
    stops: tuple[float, ...] = (log(0.4), log(0.5), log(0.08), log(0.02))
    """Log-probability of 0, 1, 2, 3 turns between two observations."""
    mid_turn: float = 0.3
    """Probability that an observation shows the middle of a turn."""
    taken_back: float = 0.003
    """Probability that a turn is taken back."""
    deal: float = 0.2
    """Probability that an observation between two rounds shows the next deal."""
    round_ends: float = 1e-5
    """Probability that a round is given up between two observations."""
    cleared: float = 0.3
    """Probability that the table is cleared between two observations when a round is over."""
    idle: float = 0.3
    """Between rounds, the mean number of detections for each that a table shows: anything may lie there."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A detection of a card that lies face up, with log-likelihoods relative to clutter, times its weight."""

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
    covered: float
    """How much less likely it is if its card lies under others."""


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
        self, deck: Deck, detections: list[Detection], missed: float, repeated: float, shown_before: int
    ) -> None:
        """``missed``: probability that a card of the zone is not detected. ``shown_before``: the cards that the zone showed in the
        observation before; that another one is missed again says little."""
        self.deck = deck
        self.detections = detections
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
        new, old = log(missed), repeated * log(missed)
        self._missed = tuple(
            new if (self.shown | shown_before) >> index & 1 else old for index in range(len(deck.index))
        )
        self._known: dict[tuple[int, int, bool, int], float] = {}

    def log_likelihood(
        self, cards: int, late: int, log_late: float, *, at_home: bool, covered: int = 0
    ) -> float:
        """Return the log-likelihood of the detections with a set of cards in the zone, relative to an empty zone.

        ``late``: cards that may lie in zone 0 although they belong to another one, with the log-probability ``log_late``. At home, in
        the other one, they may be missed for this reason; in zone 0 they may be shown. ``covered``: cards of the zone that lie under
        others.
        """
        key = cards, late, at_home, covered
        if (known := self._known.get(key)) is None:
            alike = self.deck.lookalikes_of
            known = self._known[key] = self._assign(
                alike(cards), alike(late), log_late, at_home, covered and self._covered(cards, covered)
            )
        return known

    def _covered(self, cards: int, covered: int) -> int:
        """Return the covered cards as `Deck.lookalikes_of` names them: if one of two look-alikes lies on top, the second is covered."""
        seconds = self.deck.seconds
        both = cards & seconds & (cards << 1)
        for second in _bits(both):
            if not covered & second and covered & second >> 1:
                covered ^= second | second >> 1
        lone = cards & seconds & ~(cards << 1) & covered
        return covered ^ lone | lone >> 1

    def _assign(self, cards: int, late: int, log_late: float, at_home: bool, covered: int) -> float:
        total = 0.0
        found = cards & self._sure_cards
        for bit in _bits(found):
            sure = self._sure[bit]
            total += sure.cards[bit.bit_length() - 1]
            if covered & bit:
                total += sure.covered
        rest, guests = cards & ~found, 0 if at_home else late
        if not rest and not guests:
            return total
        extra = [*self._unsure, *(self._sure[bit] for bit in _bits(self._sure_cards & ~found))]
        pairs = []
        number = 0
        for bit in _bits(rest):
            first = self.deck.first[bit.bit_length() - 1]
            hidden = covered & bit
            missed = 0.0 if hidden else self._missed[first]
            if at_home and late & bit:
                missed = max(missed, log_late)
            total += missed
            for position, each in enumerate(extra):
                gain = each.cards.get(first, each.other) - missed + (each.covered if hidden else 0.0)
                if gain > 0:
                    pairs.append((gain, position, number))
            number += 1
        for bit in _bits(guests):
            first = self.deck.first[bit.bit_length() - 1]
            for position, each in enumerate(extra):
                if (gain := each.cards.get(first, each.other) + log_late) > 0:
                    pairs.append((gain, position, number))
            number += 1
        pairs.sort(reverse=True)
        used, met = 0, 0
        for gain, position, number in pairs:
            if not (used >> position & 1 or met >> number & 1):
                used |= 1 << position
                met |= 1 << number
                total += gain
        return total


class ObservedTable:
    """What an observation says about the table of a game."""

    def __init__(
        self, observation: Observation, model: TableModel[Any], parameters: Parameters, memory: SightMemory
    ) -> None:
        """``memory``: what the observation before said; it is updated."""
        self._model, self._log_late = model, log(parameters.late)
        by_zone: dict[str, list[Detection]] = {zone: [] for zone in model.zones}
        self.deck = deck = deck_of(tuple(model.deck))
        shown, said = 0, dict[int, tuple[str, int]]()
        for card in observation.cards:
            if card.visible <= 0 or _p_back(card) > _WHOLE:
                continue
            detection = _detection(deck, card, parameters, memory.said.get(card.key))
            shown |= detection.shown
            said[card.key] = card.zone, detection.top
            if card.zone in by_zone:
                by_zone[card.zone].append(detection)
        self.is_unchanged = said == memory.said
        """Whether the observation shows the same cards as the one before."""
        self.zones = [
            ZoneSight(
                deck, by_zone[zone], parameters.missed[piled], parameters.repeated, memory.shown.get(zone, 0)
            )
            for zone, piled in zip(model.zones, model.piled, strict=True)
        ]
        unread = any(each.p < _UNREAD for each in self.zones[0].detections)
        self.clues = Clues(shown, ~self.zones[0].shown, unread)
        memory.said, memory.observations = said, memory.observations + 1
        memory.shown = {zone: each.shown for zone, each in zip(model.zones, self.zones, strict=True)}

    def log_likelihood(self, state: Any) -> float:
        """Return the log-likelihood of the observation in a state, relative to a table on which everything is clutter."""
        if state is None:
            return sum(each.idle for zone in self.zones for each in zone.detections)
        zones, late, _, covered = self._model.placement(state)
        total = self.zones[0].log_likelihood(zones[0], late, self._log_late, at_home=False, covered=covered)
        for zone, cards in zip(self.zones[1:], zones[1:], strict=True):
            total += zone.log_likelihood(cards, late & cards, self._log_late, at_home=True)
        return total

    def readings(self, count: int) -> Iterator[int]:
        """Yield the sets of ``count`` cards that zone 0 may show, if it shows about as many and no other zone any."""
        detections = self.zones[0].detections
        if abs(len(detections) - count) > 1 or any(zone.detections for zone in self.zones[1:]):
            return
        sets = {0: 0.0}
        for each in detections:
            extended: dict[int, float] = {}
            for cards, score in sets.items():
                for index, first in enumerate(self.deck.first):
                    if not cards >> index & 1 and (index == first or cards >> first & 1):
                        more = score + each.cards.get(first, each.other)
                        if more > extended.get(cards | 1 << index, -1e9):
                            extended[cards | 1 << index] = more
            sets = dict(sorted(extended.items(), key=lambda entry: -entry[1])[:_READINGS])
        if len(detections) == count:
            yield from sets
            return
        # One card was not detected, or one detection is clutter.
        for cards in [*sets][: _READINGS // 5]:
            for bit in _bits(cards if len(detections) > count else ~cards & (1 << len(self.deck.first)) - 1):
                if self.deck.lookalikes_of(cards ^ bit) == cards ^ bit:
                    yield cards ^ bit


def _detection(
    deck: Deck, card: TrackedCard, parameters: Parameters, before: tuple[str, int] | None
) -> Detection:
    """Return a detection; ``before``: zone and likeliest card of its track in the observation before."""
    strip = 1.0 - min(1.0, card.visible / _WHOLE)
    misread, clutter, covered = (
        whole + strip * (of_strip - whole)
        for whole, of_strip in (parameters.misread, parameters.clutter, parameters.covered)
    )
    found: dict[int, float] = {}
    for name, probability in card.likely or (((card.card, _SURE),) if card.card else ()):
        if (index := deck.index.get(name)) is not None:
            first = deck.first[index]
            found[first] = found.get(first, 0.0) + probability
    rest = max(0.0, 1.0 - _p_back(card) - sum(found.values()))
    spread = (misread + (1 - misread) * rest) / deck.kinds
    top = max(found, key=found.__getitem__, default=-1)
    weight = parameters.repeated if before == (card.zone, top) else 1.0
    shown = 0
    for index, probability in found.items():
        if probability > _POSSIBLE:
            shown |= 1 << index | (1 << index + 1) & deck.seconds
    log_clutter = log(clutter / deck.kinds)
    return Detection(
        {
            index: weight * (log(spread + (1 - misread) * probability) - log_clutter)
            for index, probability in found.items()
        },
        weight * (log(spread) - log_clutter),
        weight * log(parameters.idle / clutter),
        top,
        found.get(top, 0.0),
        shown,
        weight * log(covered),
    )


def _p_back(card: TrackedCard) -> float:
    return sum(probability for name, probability in card.likely if name == BACK)


def _bits(cards: int) -> Iterator[int]:
    while cards:
        bit = cards & -cards
        yield bit
        cards ^= bit
