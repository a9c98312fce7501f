"""What is wrong with a table that no legal turn explains: the differences between what lies there and what must lie there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from math import dist
from operator import or_
from typing import Any

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.cards import BACK, CARD_MM, first_of, single_bits
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.table_model import TableModel, TableProblem
from companion.observations import DISCARD, ELSEWHERE, FIELD, STOCK, Observation, Source, TrackedCard
from companion.watch.evidence import POSSIBLE, SURE, UNREAD, WHOLE, deck_of


class SeenTable:
    """The zone of each card that is shown with confidence, regardless of the rules."""

    def __init__(
        self, observation: Observation, model: TableModel[Any], state: Any, beside: Observation | None = None
    ) -> None:
        """``state``: what must lie where. ``beside``: the newest observation of another source."""
        placement = model.placement(state)
        self.zones, self._deck = tuple(model.zones), deck_of(tuple(model.deck))
        self.late = reduce(or_, placement.late, 0)
        self._covered = placement.covered
        self._silent = self._deck.silent(observation) if beside is None else 0
        self.expected = {
            card: number for number, cards in enumerate(placement.zones) for card in single_bits(cards)
        }
        self.hidden = ((1 << len(self._deck.ids)) - 1) & ~sum(self.expected)
        self.zone: dict[int, int] = {}
        """By card, as a set of one."""
        self.twice = 0
        self.zones_by_source: dict[str, dict[Source, str]] = {}
        """By card (of look-alikes the first), a zone in which the camera has it, and one in which a reader has it."""
        self._cards = list(observation.cards) if beside is None else list(_joined(observation, beside))
        self.foreign: tuple[str, str] | None = None
        """A card that the deck does not contain, and its zone."""
        self.unread: str | None = None
        """A zone with a card that should be recognized and is not."""
        self.unsure = 0
        """The cards that detections in zone 0 may show, with look-alikes, as a set."""
        for card in sorted(self._cards, key=lambda each: -each.visible):
            if card.zone in self.zones and card.visible > 0:
                self._see(card, self.zones.index(card.zone))

    def _see(self, card: TrackedCard, zone: int) -> None:
        name, p = card.likeliest
        is_whole = card.visible > WHOLE
        is_strip = zone == 0 and not is_whole
        if p > SURE and name != BACK and not is_strip:
            if name in self._deck.index:
                source: Source = "scanner" if card.key < 0 else "camera"
                self.zones_by_source.setdefault(first_of(name), {})[source] = card.zone
                self._add(1 << self._deck.index[name], zone, is_whole=is_whole)
            else:
                self.foreign = name, card.zone
            return
        if zone == 0:
            self.unsure |= self._possible(card)
        if p < UNREAD and is_whole:
            self.unread = card.zone

    def _possible(self, card: TrackedCard) -> int:
        """Return the cards that a detection may show, with look-alikes, as a set."""
        index = self._deck.index
        found = [1 << index[name] for name, p in card.likely if p > POSSIBLE and name in index]
        return reduce(or_, (each for bit in found for each in self._deck.lookalikes(bit)), 0)

    def is_hidden(self, name: str) -> bool:
        """Return whether a card or its look-alike is not on the table according to the log."""
        index = self._deck.index.get(name)
        return index is not None and any(each & self.hidden for each in self._deck.lookalikes(1 << index))

    def ids_of(self, cards: int) -> tuple[str, ...]:
        """Return the ids of a set of cards."""
        return self._deck.ids_of(cards)

    def _add(self, card: int, zone: int, *, is_whole: bool) -> None:
        """Add a detection of a card or its look-alike: one that must lie there, rather uncovered, one that is hidden, or any. A strip may be
        of a card that is detected already."""
        free = [each for each in self._deck.lookalikes(card) if each not in self.zone]
        if not free:
            self.twice |= card * is_whole
            return
        here = [each for each in free if self.expected.get(each) == zone or (zone == 0 and each & self.late)]
        here.sort(key=lambda each: bool(each & self._covered))
        hidden = [each for each in free if each & self.hidden]
        self.zone[(here or hidden or free)[0]] = zone

    def placed(self) -> list[list[str]]:
        """Return the cards of each zone: those that lie there, and those whose absence says nothing or of other zones than the first
        that nothing shows elsewhere."""
        zones, silent = [0] * len(self.zones), self.silent
        for card, zone in self.zone.items():
            zones[zone] |= card
        for card, zone in self.expected.items():
            if (zone or card & silent) and card not in self.zone:
                zones[zone] |= card
        return [list(self.ids_of(cards)) for cards in zones]

    @property
    def silent(self) -> int:
        """The cards whose absence says nothing, as a set."""
        return self._covered | self._deck.silent_on(
            sum(self.expected.keys() | self.zone.keys()), self._silent
        )

    @property
    def differs(self) -> bool:
        """Whether a card lies where it must not, or is not on the field where it must be."""
        return bool(self.twice or self.foreign or self.new or self.missing or any(self.moved) or self.taken)

    @property
    def peeked(self) -> str | None:
        """The hidden card that is shown at the draw pile; None if there is none."""
        piles = [card.at for card in self._cards if card.zone == STOCK]
        for card in self._cards:
            name, p = card.likeliest
            is_beside = card.zone in {STOCK, ELSEWHERE} and any(
                dist(card.at, at) < sum(CARD_MM) for at in piles
            )
            if is_beside and p > SURE and name != BACK and self.is_hidden(name):
                return name
        return None

    @property
    def missing(self) -> int:
        """The cards of zone 0 that lie under no others and that no detection there may show, as a set."""
        known = self.unsure | self.silent
        return sum(
            bit
            for bit, zone in self.expected.items()
            if zone == 0 and self.zone.get(bit) != 0 and not bit & known
        )

    @property
    def new(self) -> list[int]:
        """The hidden cards that are on the table now."""
        return [card for card in self.zone if card & self.hidden]

    @property
    def moved(self) -> Iterator[tuple[int, int, int]]:
        """The captured cards that are elsewhere now: card, pile, zone."""
        for card, zone in self.zone.items():
            pile = self.expected.get(card, 0)
            if pile and zone != pile and not (zone == 0 and card & self.late):
                yield card, pile, zone

    @property
    def taken(self) -> int:
        """The cards of zone 0 that are in another zone now, as a set."""
        return sum(card for card, zone in self.zone.items() if zone and self.expected.get(card) == 0)


def _joined(one: Observation, other: Observation) -> Iterator[TrackedCard]:
    """Yield what card readers and a camera show, each card once. One that the camera does not read may be any that readers have there; one
    that it saw before a reader read it elsewhere has moved; and if each has one card in a zone that the other should have, it is one of the two."""
    readers, camera = (one, other) if one.source == "scanner" else (other, one)
    by_zone: dict[str, list[TrackedCard]] = {}
    rest = [*readers.cards]
    for card in sorted(camera.cards, key=lambda each: -each.likeliest[1]):
        name, p = card.likeliest
        names = [each for each in rest if first_of(each.card or BACK) == first_of(name)]
        same = [each for each in (rest if p < UNREAD else names) if each.zone == card.zone]
        if found := same or [each for each in names if each.since >= camera.time]:
            rest.remove(found[0])
            yield found[0]
        elif name == BACK or name in readers.silent:
            yield card
        else:
            by_zone.setdefault(card.zone, []).append(card)
    for card in rest:
        by_zone.setdefault(card.zone, []).append(card)
    for cards in by_zone.values():
        if [card.key < 0 for card in cards] == [False, True]:
            likely = tuple((card.likeliest[0], 0.5) for card in cards)
            yield replace(cards[0], card=None, likely=likely)
        else:
            yield from cards


class SeenDeal:
    """What an observation shows while a deal is expected."""

    def __init__(self, observation: Observation) -> None:
        recognized = [card.zone for card in observation.cards if _is_recognized(card)]
        self.count = recognized.count(FIELD)
        """The number of recognized cards on the field."""
        self.unread = any(_is_unread(card) for card in observation.cards)
        """Whether a detection on the field should be recognized and is not."""
        self.piled = any(zone.startswith("captured") for zone in recognized)
        """Whether there are recognized cards in the captured piles."""


def _is_recognized(card: TrackedCard) -> bool:
    name, p = card.likeliest
    return name != BACK and p >= UNREAD and card.visible > WHOLE


def _is_unread(card: TrackedCard) -> bool:
    return card.zone == FIELD and card.likeliest[1] < UNREAD and card.visible > WHOLE


def problem_of(seen: SeenTable) -> TableProblem | None:
    """Return the most specific problem of a table; None if it shows what it must."""
    if seen.foreign is not None:
        card, where = seen.foreign
        message = Message("notice-foreign-card", {"cards": card_list([card]), "where": zone_message(where)})
        return TableProblem("foreign-card", message, (card,))
    if seen.twice:
        return _twice(seen)
    for moved, *zones in seen.moved:
        cards = seen.ids_of(moved)
        before, after = (zone_message(seen.zones[zone]) for zone in zones)
        message = Message("notice-card-moved", {"cards": card_list(cards), "before": before, "after": after})
        return TableProblem("card-moved", message, cards)
    if seen.unread is not None:
        return unknown_card(seen.unread)
    return _differences(seen) if seen.new or seen.taken or seen.missing else None


def _twice(seen: SeenTable) -> TableProblem:
    """Return the problem of cards that are seen too often: a card in one zone for a reader and in another one for the camera, or all."""
    for card in seen.ids_of(seen.twice):
        zones = seen.zones_by_source[first_of(card)]
        if len({*zones.values()}) > 1:
            read, other = (zone_message(zones[source]) for source in ("scanner", "camera"))
            message = Message(
                "notice-card-disputed", {"cards": card_list([card]), "read": read, "seen": other}
            )
            return TableProblem("card-twice", message, (card,))
    cards = seen.ids_of(seen.twice)
    return TableProblem("card-twice", Message("notice-card-twice", {"cards": card_list(cards)}), cards)


def unknown_card(zone: str) -> TableProblem:
    """Return the problem of a card that cannot be recognized."""
    return TableProblem("unknown-card", Message("notice-unknown-card", {"where": zone_message(zone)}))


def card_peeked(card: str) -> TableProblem:
    """Return the problem that somebody looked at a card of the draw pile."""
    return TableProblem("card-peeked", Message("notice-card-peeked", {"cards": card_list([card])}), (card,))


def turn_unread(seen: SeenTable) -> TableProblem:
    """Return the problem that what card readers report is no complete turn: a card was laid outside of all readers, or not scanned."""
    unexpected = _unexpected(seen)
    placements = tuple(
        Message(
            "placement", {"cards": card_list(seen.ids_of(cards)), "where": zone_message(seen.zones[zone])}
        )
        for zone, cards in unexpected.items()
    )
    message = Message("notice-readers-unfinished", {"placements": placements})
    return TableProblem("turn-unread", message, seen.ids_of(sum(unexpected.values())))


def _unexpected(seen: SeenTable) -> dict[int, int]:
    """Return the cards that lie elsewhere than in the record, as a set for each zone."""
    unexpected: dict[int, int] = {}
    for card, zone in seen.zone.items():
        if seen.expected.get(card) != zone:
            unexpected[zone] = unexpected.get(zone, 0) | card
    return unexpected


def _differences(seen: SeenTable) -> TableProblem:
    """Return the differences between the table and the record: cards missing from their zone, and unexpected cards."""
    if not (seen.new or seen.taken):
        cards = seen.ids_of(seen.missing)
        return TableProblem("not-seen", Message("notice-not-seen", {"cards": card_list(cards)}), cards)
    missing, unexpected = {0: seen.missing} if seen.missing else {}, _unexpected(seen)
    messages = tuple(
        Message(code, {"where": zone_message(seen.zones[zone]), "cards": card_list(seen.ids_of(cards))})
        for code, by_zone in (("difference-missing", missing), ("difference-unexpected", unexpected))
        for zone, cards in sorted(by_zone.items())
    )
    cards = seen.ids_of(reduce(or_, [*missing.values(), *unexpected.values()]))
    return TableProblem("table-differs", Message("notice-table-differs", {"differences": messages}), cards)


def zone_message(zone: str) -> Message:
    """Return the phrase for a zone (`companion.observations`)."""
    place, _, seat = zone.partition("-")
    match place:
        case "captured":
            return Message("zone-captured", {"player": player_message(int(seat))})
        case "hand":
            return Message("zone-hand", {"player": player_message(int(seat))})
        case _:
            return _ZONES.get(zone, Message("zone-elsewhere"))


_ZONES = {
    FIELD: Message("zone-field"),
    STOCK: Message("zone-stock"),
    DISCARD: Message("zone-discard"),
}
