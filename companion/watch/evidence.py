"""What an observation says about each zone of a table: the log-likelihood of its detections, given the cards that lie there.

Each detection shows one card of its zone or is clutter; each card is shown by at most one detection or is missed. The likeliest assignment
counts, relative to an empty table on which everything is clutter. Of two look-alikes either may be meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, reduce
from itertools import combinations, compress
from math import dist, inf, log
from operator import or_
from typing import Any, Final

from companion.hanafuda.cards import BACK, CARD_MM, first_of, single_bits
from companion.hanafuda.table_model import Placement, TableClues, TableModel
from companion.observations import POSTED, Observation, TrackedCard
from companion.watch.parameters import Parameters


class Deck:
    """Which cards of a deck look alike."""

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids = tuple(ids)
        self.index = {card: index for index, card in enumerate(ids)}
        self.first = tuple(self.index[first_of(card)] for card in ids)
        """For each card, the first of its look-alikes."""
        self.seconds = sum(1 << index for index, first in enumerate(self.first) if first != index)
        """The second of each two look-alikes, as a set; it follows the first in the deck order."""
        self.kinds = len(ids) - self.seconds.bit_count()
        """The number of cards that look different."""

    def ids_of(self, cards: int) -> tuple[str, ...]:
        """Return the ids of a set of cards."""
        return tuple(card for index, card in enumerate(self.ids) if cards >> index & 1)

    def lookalikes(self, card: int) -> tuple[int, ...]:
        """Return a card and the one that looks like it, each as a set of one."""
        first = 1 << self.first[card.bit_length() - 1]
        return (first, first << 1) if first << 1 & self.seconds else (first,)

    def lookalikes_of(self, cards: int) -> int:
        """Return a set of cards in which a single look-alike is the first of the two."""
        lone = cards & self.seconds & ~(cards << 1)
        return cards ^ lone | lone >> 1

    def silent(self, observation: Observation) -> int:
        """Return the cards whose absence from an observation says nothing, as a set."""
        return sum(1 << self.index[card] for card in {*observation.silent} if card in self.index)

    def silent_on(self, table: int, silent: int) -> int:
        """Return the cards whose absence says nothing if those of a ``table`` are on it: with a look-alike also the other one, as nobody
        knows which is which; a second one is ``silent`` only beside the first."""
        first, both = silent & ~self.seconds, table & table << 1 & self.seconds & silent
        return first | first << 1 & self.seconds | both | both >> 1


@cache
def deck_of(ids: tuple[str, ...]) -> Deck:
    """Return the deck with these cards."""
    return Deck(ids)


WHOLE: Final = 0.5
"""A detection with a smaller visible fraction is partly a strip of a card, as which cloth or tatami may be read."""
SURE: Final = 0.9
"""A detection with a card of a higher probability is assigned to this card without looking at others. From this probability a deal is
reported (eight cards, each read with a probability of 0.98, have 0.85 together), and a turn that others have followed."""
POSSIBLE: Final = 0.02
"""A detection may show the cards of a higher probability, and players are offered the answers of a higher one."""
UNREAD: Final = 0.3
"""A detection whose likeliest card has a lower probability may show any card."""

_MAX_UNREAD: Final = 2
"""Largest number of dealt cards that nobody can read; with more, a deal under way would count as one with unread cards."""
_READINGS: Final = 40
"""Number of readings of a zone that are weighed."""
_UNLIKELY: Final = 6.0
"""Readings that are less likely than the best one by more than this (log) are not weighed."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A detection of a card that lies face up, with log-likelihoods relative to clutter."""

    cards: Mapping[int, float] = field(default_factory=dict)
    """By card (the first of look-alikes), for those that it may show."""
    other: float = 0.0
    """Of each other card."""
    idle: float = 0.0
    """Between rounds."""
    top: int = -1
    """The likeliest card, -1 if none."""
    p: float = 0.0
    """Its probability."""
    possible: int = 0
    """The cards that it may show, both of look-alikes."""
    covered: float = 0.0
    """How much less likely (log) it is if its card lies under others."""

    @property
    def again(self) -> Detection:
        """The detection in a further observation, if it is a strip or unsure and lies in a pile: what lies under others shows strips that
        are no cards, or misread, for as long as the pile lasts."""
        least = max(self.other, *self.cards.values(), 0.0)
        cards = {card: gain - least for card, gain in self.cards.items()}
        return replace(self, cards=cards, other=self.other - least, idle=min(self.idle, 0.0))

    @property
    def largest(self) -> float:
        """The largest log-likelihood of any card."""
        return max(self.other, self.idle, *self.cards.values(), 0.0)


_FACE_DOWN: Final = Detection()
"""A card that lies face down: it may be any card of the zone, or none, like a card of the draw pile beside it."""


@dataclass(slots=True)
class SightMemory:
    """What the observation of the same source before has said already."""

    tracks: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Zone and likeliest card of each track."""
    faces: set[int] = field(default_factory=set)
    """The tracks of cards that lie face up in a zone."""
    unread: Sequence[tuple[float, float]] = ()
    """The positions (mm) of cards that nobody can read, face down or not."""
    passing: dict[int, float] = field(default_factory=dict)
    """What was seen last while something moved, as in `_passing`: a card that is misread is misread again."""
    is_used: bool = False


class ZoneSight:
    """The detections of one zone."""

    def __init__(
        self,
        deck: Deck,
        detections: list[Detection],
        missed: float,
        blocked: float,
        silent: int,
        nowhere: float,
    ) -> None:
        """``missed``: probability that a card of the zone is not detected; ``blocked``: that something lies on all of it; ``silent``:
        cards of which it says nothing that they are not detected; ``nowhere``: probability that a card of another zone that may lie here
        is not detected, relative to one that is missed there."""
        self.deck, self.detections, self._log_blocked, self._silent = deck, detections, log(blocked), silent
        self._log_nowhere = log(nowhere)
        self.possible = 0
        self.twice = 0
        """The cards that two detections may show."""
        singles: dict[int, list[Detection]] = {}
        for each in detections:
            self.twice |= self.possible & each.possible
            self.possible |= each.possible
            if each.p > SURE:
                singles.setdefault(each.top, []).append(each)
        doubtful = 0
        for each in detections:
            if each.p <= SURE or len(singles[each.top]) > 1:
                doubtful |= each.possible
        self._counts = {top: len(found) for top, found in singles.items()}
        self._sure = {1 << top: found[0] for top, found in singles.items() if not doubtful >> top & 1}
        self._sure_cards = sum(self._sure)
        self._gains = {bit: each.cards[each.top] for bit, each in self._sure.items()}
        self._log_sure = sum(self._gains.values())
        self._unsure = [each for each in detections if not self._sure_cards >> max(each.top, 0) & 1]
        self._log_unsure = sum(max(each.other, 0.0, *each.cards.values()) for each in self._unsure)
        self.backs = sum(each is _FACE_DOWN for each in detections)
        self._log_missed = log(missed)
        self._known: dict[tuple[int, ...], tuple[float, float]] = {}

    def at_play(self, cards: int, late: int, unread: int, covered: int, silent: int) -> tuple[float, float]:
        """Return the log-likelihood of zone 0 with a set of cards, relative to an empty zone, and how much more likely (log) further
        moves could make it at most.

        ``late``: cards of other zones that may lie here. ``unread``: number of further cards, which any detection may show. ``covered``:
        cards of the zone that lie under others. ``silent``: those whose absence says nothing.
        """
        key = cards, late, unread, covered, silent
        if (known := self._known.get(key)) is None:
            alike, hidden = self.deck.lookalikes_of, self._covered_under(cards, covered) if covered else 0
            fit, missed, left = self._assign(alike(cards), 0, 0.0, hidden, alike(late), unread, silent)
            known = self._known[key] = fit + missed, left - missed
        return known

    def surely_seen(self, cards: int, late: int) -> int:
        """Return which ``late`` cards of the zone's cards are surely here; of two look-alikes the other one is rather."""
        counts, seen_cards = dict(self._counts), 0
        for bit in (*single_bits(cards & ~late), *single_bits(cards & late)):
            first = self.deck.first[bit.bit_length() - 1]
            if counts.get(first, 0) > 0:
                counts[first] -= 1
                seen_cards |= bit & late
        return seen_cards

    def at_home(
        self, cards: int, late: int, log_late: float, unread: int, silent: int
    ) -> tuple[float, float]:
        """Return the log-likelihood of another zone with a set of cards and of ``unread`` others, relative to an empty zone, and how
        much more likely (log) further moves could make it at most; those that are ``late`` may still lie in zone 0 and are missed at
        least with the log-probability ``log_late``. ``silent``: as `at_play`."""
        key = cards, late, unread, silent
        if (known := self._known.get(key)) is None:
            alike = self.deck.lookalikes_of
            fit, missed, left = self._assign(alike(cards), alike(late), log_late, 0, 0, unread, silent)
            known = self._known[key] = fit + missed, left
        return known

    @cached_property
    def readings(self) -> Mapping[int, float]:
        """The sets of cards that the zone may show, with their log-likelihoods; any detection may be clutter."""
        sets = {0: 0.0}
        for each in self.detections:
            extended = dict(sets)
            for cards, score in sets.items():
                for index, gain in each.cards.items():
                    bit = 1 << index
                    if cards & bit:
                        bit = bit << 1 & self.deck.seconds & ~cards
                    if bit and score + gain > extended.get(cards | bit, -inf):
                        extended[cards | bit] = score + gain
            sets = dict(sorted(extended.items(), key=lambda entry: -entry[1])[:_READINGS])
        best = max(sets.values())
        return {cards: score for cards, score in sets.items() if score > best - _UNLIKELY}

    @property
    def unnamed(self) -> float:
        """The log-likelihood of the detection that likeliest shows a certain card that its reading does not name; 0 if all are named."""
        return max((each.other for each in self.detections if each.p < UNREAD), default=0.0)

    def face_down(self, count: int, log_back: float) -> float:
        """Return the log-likelihood of a number of face-down cards beside each other, relative to none; ``log_back``: of each one that is
        seen."""
        seen = min(count, self.backs)
        return seen * log_back + (count - seen) * self._log_missed

    def _covered_under(self, cards: int, covered: int) -> int:
        """Return the covered cards as `Deck.lookalikes_of` names them: if one of two look-alikes lies on top, the second is covered."""
        seconds = self.deck.seconds
        both = cards & seconds & (cards << 1)
        for second in single_bits(both):
            if not covered & second and covered & second >> 1:
                covered ^= second | second >> 1
        lone = cards & seconds & ~(cards << 1) & covered
        return covered ^ lone | lone >> 1

    def _log_missing(self, bit: int, late: int, log_late: float, unseen: int) -> float:
        missed = 0.0 if bit & unseen else self._log_missed
        return max(missed, log_late) if bit & late else missed

    def _assign(
        self, cards: int, late: int, log_late: float, covered: int, guests: int, unread: int, silent: int
    ) -> tuple[float, float, float]:
        """Return the log-likelihood of the likeliest assignment of detections to cards, best pairs first, that of the cards that are
        missed, and by how much the detections would be likelier if each showed its likeliest card."""
        both = cards & self.deck.seconds
        both |= both >> 1
        silent = silent & ~both | self._silent & both
        unmet, rest = self._sure_cards & ~cards, cards & ~self._sure_cards
        total, left = self._log_sure, self._log_unsure
        for bit in single_bits(unmet):
            total -= self._gains[bit]
            left += self._gains[bit]
        for bit in single_bits(cards & covered & self._sure_cards):
            # Or the card is not seen, and this is clutter.
            total += max(self._sure[bit].covered, -self._gains[bit])
        if not rest and not guests and not unread:
            return total, 0.0, left
        extra = [*self._unsure, *(self._sure[bit] for bit in single_bits(unmet))]
        needs = [(bit, self._log_missing(bit, late, log_late, covered | silent)) for bit in single_bits(rest)]
        needs += [(bit, 0.0 if bit & silent else self._log_nowhere) for bit in single_bits(guests)]
        pairs, misses = [], [missed for _, missed in needs]
        for number, (bit, missed) in enumerate(needs):
            first = self.deck.first[bit.bit_length() - 1]
            for position, each in enumerate(extra):
                gain = each.cards.get(first, each.other) + (each.covered if bit & covered else 0.0)
                if gain > missed:
                    pairs.append((gain - missed, position, number))
        for _ in range(unread):
            pairs += [
                (each.other, position, len(misses)) for position, each in enumerate(extra) if each.other > 0
            ]
            misses.append(0.0)
        pairs.sort(reverse=True)
        used, met = 0, 0
        for gain, position, number in pairs:
            if not (used >> position & 1 or met >> number & 1):
                used |= 1 << position
                met |= 1 << number
                total += gain + misses[number]
                left -= gain + misses[number]
                misses[number] = 0.0
        return total, max(sum(misses), self._log_blocked), left


class TableSight:
    """What an observation says about the table of a game."""

    _beside: TableSight | None = None
    """What another source says at the same time."""

    def __init__(
        self,
        observation: Observation,
        model: TableModel[Any],
        parameters: Parameters,
        memory: SightMemory,
        last: int | None = None,
    ) -> None:
        """``memory``: what the observation before said; it is updated. ``last``: the track of the card that came last, if known."""
        self._model, self._log_late, self._log_apart = model, log(parameters.late), log(parameters.rare)
        self.deck = deck = deck_of(tuple(model.deck))
        self._at: dict[int, tuple[float, float]] = {}
        self._are_apart: dict[tuple[int, int], bool] = {}
        self._known: dict[Any, tuple[float, float]] = {}
        found: dict[str, list[Detection]] = {zone: [] for zone in model.zones}
        self._keys: dict[str, set[int]] = {zone: set() for zone in model.zones}
        possible = twice = turned = upper = 0
        unread = False
        tracks = dict[int, tuple[str, int]]()
        piles = {*(model.zones if model.seats else compress(model.zones, model.piled))}
        for card in (each for each in observation.cards if each.p_card >= POSSIBLE):
            was_here = card.zone in piles and memory.tracks.get(card.key, ("",))[0] == card.zone
            detection = _detection(deck, card, parameters, was_here=was_here, is_last=card.key == last)
            twice |= possible & detection.possible
            possible |= detection.possible
            tracks[card.key] = card.zone, detection.top
            upper |= detection.possible * bool(card.on)
            turned |= detection.possible * _lies_at(card.at, memory.unread)
            if card.zone == model.zones[0] and detection.p > SURE:
                self._at.update(dict.fromkeys(deck.lookalikes(1 << detection.top), card.at))
            if card.zone in found:
                found[card.zone].append(detection)
                self._keys[card.zone].add(card.key)
                is_new = memory.tracks.get(card.key) != tracks[card.key]
                if is_new and card.zone == model.zones[0] and detection is not _FACE_DOWN:
                    unread |= detection.p < UNREAD
        self.lies_again = any(card.key in memory.faces for card in observation.cards)
        """Whether a card lies face up that lay there in the observation before."""
        memory.faces = {
            card.key for card in observation.cards if _p_back(card) <= WHOLE and card.zone in found
        }
        memory.unread = [card.at for card in observation.cards if _is_unread(card)]
        # What came for readers lies there in their rows, too.
        passing = {} if observation.source == "scanner" else _passing(deck, observation, parameters)
        possible |= (passed := reduce(or_, passing, 0)) | passed << 1 & deck.seconds
        self._passing = {
            bit: more for bit, gain in passing.items() if (more := gain - memory.passing.get(bit, 0.0)) > 0
        }
        self.is_unchanged = tracks == memory.tracks and not self._passing
        """Whether the observation shows the same cards as the one before."""
        missed = [parameters.missed_in_pile if piled else parameters.missed for piled in model.piled]
        self._silent = silent = deck.silent(observation)
        self._by_readers = by_readers = observation.source == "scanner"
        # A camera may not see what was just captured; readers miss a card only by chance.
        nowhere = parameters.missed + parameters.missed_in_pile if by_readers else 1.0
        self.zones = [
            ZoneSight(deck, found[zone], p, parameters.rare, silent, nowhere)
            for zone, p in zip(model.zones, missed, strict=True)
        ]
        self._log_back = -log(parameters.clutter)
        self.largest = sum(each.largest for sight in self.zones for each in sight.detections)
        self.largest += sum(self._passing.values()) + sum(each.backs for each in self.zones) * self._log_back
        """No state has a larger log-likelihood."""
        posed = POSTED in observation.notes
        self.clues = TableClues(
            possible,
            ~(self.zones[0].possible & ~(deck.seconds & ~self.zones[0].twice) | deck.silent_on(0, silent)),
            twice=twice,
            turned=turned,
            upper=upper,
            unread=unread,
            readings=lambda zone: self.zones[zone].readings,
            backs=tuple(each.backs for each in self.zones),
            unnamed=tuple(max(0.0, each.unnamed) for each in self.zones),
            faces=tuple(len(each.detections) - each.backs for each in self.zones),
            inexplicable=parameters.unseen_posted if posed else parameters.rare,
            posed=posed,
        )
        self.is_first = not memory.is_used
        memory.tracks, memory.passing, memory.is_used = tracks, passing or memory.passing, True

    def join(self, beside: TableSight) -> None:
        """Add what another source says at the same time, independently of this one."""
        self._beside, self.is_unchanged = beside, False
        self.largest += beside.largest
        own, other = self.clues, beside.clues
        self.clues = own._replace(
            possible=own.possible | other.possible,
            absent=own.absent | other.absent,
            twice=own.twice | other.twice,
            turned=own.turned | other.turned,
            upper=own.upper | other.upper,
            unread=own.unread or other.unread,
            readings=lambda zone: {**other.readings(zone), **own.readings(zone)},
            backs=tuple(map(max, own.backs, other.backs)),
            unnamed=tuple(map(max, own.unnamed, other.unnamed)),
            faces=tuple(map(max, own.faces, other.faces)),
        )

    def seen_again(self, later: TableSight) -> list[bool]:
        """Return for each zone whether a later observation still shows all its tracks, whose probabilities are those of all their
        frames."""
        return [self._keys[zone] <= later._keys[zone] for zone in self._model.zones]

    def log_likelihood_in(self, chosen: Sequence[bool], state: Any) -> float:
        """Return the log-likelihood of the chosen zones in a state, relative to zones in which everything is clutter."""
        if state is None:
            return sum(each.idle for sight in compress(self.zones, chosen) for each in sight.detections)
        return self._weigh_zones(chosen, self._model.placement(state))[0]

    def log_likelihood(self, state: Any) -> float:
        """Return the log-likelihood of the observation in a state, relative to a table on which everything is clutter."""
        return self._weighed(state)[0]

    def unexplained(self, state: Any) -> float:
        """Return by how much (log), at most, moves from a state can make the observation more likely."""
        return self._weighed(state)[1]

    def _weighed(self, state: Any) -> tuple[float, float]:
        if (known := self._known.get(state)) is None:
            known = self._weigh(state)
            if self._beside is not None:
                other = self._beside._weighed(state)
                known = known[0] + other[0], known[1] + other[1]
            self._known[state] = known
        return known

    def _weigh(self, state: Any) -> tuple[float, float]:
        everywhere = [True] * len(self.zones)
        if state is None:
            return self.log_likelihood_in(everywhere, state), 0.0
        placement = self._model.placement(state)
        total, left = self._weigh_zones(everywhere, placement)
        if self._passing:
            cards = self.deck.lookalikes_of(reduce(or_, placement.zones))
            for bit, gain in self._passing.items():
                if cards & bit:
                    total += gain
                else:
                    left += gain
        for each in placement.late:
            if self._lies_apart(each, placement.zones[0]):
                total += self._log_apart
        return total, left

    def _weigh_zones(self, chosen: Sequence[bool], placement: Placement) -> tuple[float, float]:
        zones, late_sets, unread, covered, backs = placement
        late = guests = reduce(or_, late_sets, 0)
        silent = self.deck.silent_on(reduce(or_, zones), self._silent) if self._silent else 0
        total = left = 0.0
        for number, sight in enumerate(self.zones):
            cards, unknown = zones[number], unread[number] if unread else 0
            if number and late & cards and self._by_readers:
                guests &= ~sight.surely_seen(cards, late)
            if number and chosen[number]:
                fit, more = sight.at_home(cards, late & cards, self._log_late, unknown, silent)
                total, left = total + fit, left + more
        if chosen[0]:
            first = unread[0] if unread else 0
            fit, more = self.zones[0].at_play(zones[0], guests, first, covered, silent)
            total, left = total + fit, left + more
        for number, count in enumerate(backs):
            if chosen[number]:
                seen = min(count, 1) if self._model.piled[number] else count
                gain = self.zones[number].face_down(seen, self._log_back)
                total, left = total + gain, left + self.zones[number].backs * self._log_back - gain
        return total, left

    def _lies_apart(self, cards: int, others: int) -> bool:
        """Return whether cards of a capture lie in zone 0, all of them beside each other; those with a look-alike among the ``others``
        that lie there do not count."""
        key = cards, others
        if key not in self._are_apart:
            at = [
                self._at[bit]
                for bit in single_bits(cards)
                if bit in self._at and not any(each & others for each in self.deck.lookalikes(bit))
            ]
            self._are_apart[key] = len(at) > 1 and all(
                dist(one, other) > CARD_MM[0] for one, other in combinations(at, 2)
            )
        return self._are_apart[key]

    def readings(self, count: int) -> Iterator[tuple[int, int]]:
        """Yield what zone 0 may show of a deal of ``count`` cards if no other zone shows any: sets of cards, and the number of cards
        that are not among them because nobody can read them."""
        if not count:  # a deal that shows no card is always possible
            yield 0, 0
            return
        if self._beside is not None:
            yield from self._beside.readings(count)
        detections = [each for each in self.zones[0].detections if each.p >= UNREAD]
        unread = count - len(detections)
        elsewhere = (each for zone in self.zones[1:] for each in zone.detections)
        most = 0 if self._by_readers else _MAX_UNREAD  # a reader that reports a card names it
        if not -1 <= unread <= most or any(each is not _FACE_DOWN for each in elsewhere):
            return
        sets = {0: 0.0}
        for each in detections:
            extended: dict[int, float] = {}
            for cards, score in sets.items():
                for index, first in enumerate(self.deck.first):
                    if not cards >> index & 1 and (index == first or cards >> first & 1):
                        more = score + each.cards.get(first, each.other)
                        if more > extended.get(cards | 1 << index, -inf):
                            extended[cards | 1 << index] = more
            sets = dict(sorted(extended.items(), key=lambda entry: -entry[1])[:_READINGS])
        if unread >= 0:
            yield from ((cards, unread) for cards in sets)
            return
        for cards in [*sets][: _READINGS // 5]:  # one detection is clutter
            for bit in single_bits(cards):
                if self.deck.lookalikes_of(cards ^ bit) == cards ^ bit:
                    yield cards ^ bit, 0


def _detection(
    deck: Deck, card: TrackedCard, parameters: Parameters, *, was_here: bool, is_last: bool
) -> Detection:
    """Return the detection of a card. ``was_here``: it lay in this pile in the observation before; ``is_last``: it came last of all."""
    if _p_back(card) > WHOLE:
        return _FACE_DOWN
    strip = 1.0 - min(1.0, card.visible / WHOLE)
    misread, clutter, covered = (
        whole + strip * (of_strip - whole)
        for whole, of_strip in (
            (parameters.misread, parameters.blurred),
            (parameters.clutter, parameters.blurred),
            (parameters.covered, parameters.covered_strip),
        )
    )
    clutter = max(clutter, 1.0 - card.p_card)
    found: dict[int, float] = {}
    for name, probability in card.likely:
        if (index := deck.index.get(name)) is not None:
            first = deck.first[index]
            found[first] = found.get(first, 0.0) + probability
    rest = max(0.0, card.p_card - _p_back(card) - sum(found.values()))
    spread = (misread + (1 - misread) * rest) / deck.kinds
    top = max(found, key=found.__getitem__, default=-1)
    possible = 0
    for index, probability in found.items():
        if probability > POSSIBLE:
            possible |= 1 << index | (1 << index + 1) & deck.seconds
    log_clutter = log(clutter / deck.kinds)
    detection = Detection(
        {
            index: log(spread + (1 - misread) * probability) - log_clutter
            for index, probability in found.items()
        },
        log(spread) - log_clutter,
        log(parameters.following / clutter),
        top,
        found.get(top, 0.0),
        possible,
        log(parameters.rare if is_last else covered),
    )
    return detection.again if was_here and (strip or detection.p <= SURE) else detection


def _passing(deck: Deck, observation: Observation, parameters: Parameters) -> dict[int, float]:
    """Return the cards that were seen while something moved (the first of look-alikes, as a set of one), and by how much more
    likely (log) that is if they are on the table. One that still may lie where it was seen is left out:
    the track there is the same reading."""
    log_clutter = log(parameters.blurred / deck.kinds)
    places: dict[str, list[tuple[float, float]]] = {}
    for card in observation.cards:
        for name, p in card.likely:
            if p > POSSIBLE:
                places.setdefault(name, []).append(card.at)
    seen: dict[int, float] = {}
    for each, p in (
        *((each, SURE) for each in observation.transient_detections),
        *((each, each.likeliest[1]) for each in observation.weak_detections),
    ):
        name = each.likeliest[0]
        if (index := deck.index.get(name)) is not None and not _lies_at(each.at, places.get(name, ())):
            bit = 1 << deck.first[index]
            seen[bit] = max(seen.get(bit, 0.0), p)
    return {bit: max(0.0, log(p) - log_clutter) for bit, p in seen.items() if p > POSSIBLE}


def _lies_at(place: tuple[float, float], places: Sequence[tuple[float, float]]) -> bool:
    """Return whether a card lies at one of some places (mm); cards of a pile are a quarter of their width apart."""
    return any(dist(place, each) < CARD_MM[0] / 4 for each in places)


def _is_unread(card: TrackedCard) -> bool:
    name, p = card.likeliest
    return name == BACK or p < UNREAD


def _p_back(card: TrackedCard) -> float:
    return sum(probability for name, probability in card.likely if name == BACK)
