"""What is wrong with a table of a fishing game that no legal turn explains: the broken rule, or the differences from the record."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Any, Final, Literal

from companion.hanafuda.card_messages import cards_of_bits
from companion.hanafuda.cards import BACK, HANAFUDA
from companion.hanafuda.fishing import Draw, FishingRound, Play
from companion.hanafuda.fishing.captures import DECK, bit_of, ids_of, single_bits
from companion.hanafuda.messages import Message
from companion.hanafuda.table_model import Placement
from companion.observations import FIELD, Observation, TrackedCard, captured_zone
from companion.watch.evidence import deck_of
from companion.watch.message_parts import zone_message
from companion.watch.referee_events import RefereeProblem, card_twice, unknown_card

_CONFIDENT: Final = 0.8
"""Probability from which a detection counts as the card."""
_UNREAD: Final = 0.3
"""Probability below which a card is not recognized."""
_POSSIBLE: Final = 0.1
"""Probability from which an uncertain detection may be a card."""
_VISIBLE: Final = 0.3
"""Visible fraction from which a card should be recognized."""

_DECK: Final = deck_of(tuple(card.id for card in HANAFUDA))
_ZONES: Final = (FIELD, captured_zone(1), captured_zone(2))
_Role = tuple[type[Play] | type[Draw], int]
_Phase = Literal["play", "draw", "over"]


class SeenTable:
    """The zone of each card that an observation shows with confidence, regardless of the rules."""

    def __init__(
        self, observation: Observation, played: FishingRound[Any, Any], placement: Placement
    ) -> None:
        self.round, self.late = played, reduce(or_, placement.late, 0)
        self.expected = {
            bit: number for number, cards in enumerate(placement.zones) for bit in single_bits(cards)
        }
        self.hidden = DECK & ~sum(self.expected)
        self.zone: dict[int, int] = {}
        """By card, as a set of one."""
        self.twice = 0
        self.unread: str | None = None
        """A zone with a card that should be recognized and is not."""
        self.unsure = 0
        """The cards that detections on the field may show, with look-alikes, as a set."""
        self.silent = _DECK.silent(observation)
        """The cards whose absence says nothing, as a set."""
        for card in observation.cards:
            if card.zone not in _ZONES or card.visible <= 0:
                continue
            name, p = card.likely[0] if card.likely else (None, 0.0)
            if name is not None and p > _CONFIDENT and name != BACK:
                self._add(bit_of(name), _ZONES.index(card.zone))
                continue
            if card.zone == FIELD:
                self.unsure |= _possible(card)
            if p < _UNREAD and card.visible > _VISIBLE:
                self.unread = card.zone

    def is_hidden(self, name: str) -> bool:
        """Return whether a card or its look-alike is not on the table according to the log."""
        return any(each & self.hidden for each in _DECK.lookalikes(bit_of(name)))

    def _add(self, card: int, zone: int) -> None:
        """Add a detection of a card or its look-alike: one that must lie there, one that is hidden, or any."""
        free = [each for each in _DECK.lookalikes(card) if each not in self.zone]
        if not free:
            self.twice |= card
            return
        here = [each for each in free if self.expected.get(each) == zone or (zone == 0 and each & self.late)]
        hidden = [each for each in free if each & self.hidden]
        self.zone[(here or hidden or free)[0]] = zone

    def placed(self) -> list[list[str]]:
        """Return the cards of each zone: those that lie there, and those of the piles, or of which no reader knows, that nothing shows
        elsewhere."""
        zones = [0] * len(_ZONES)
        for card, zone in self.zone.items():
            zones[zone] |= card
        for card, zone in self.expected.items():
            if (zone or card & self.silent) and card not in self.zone:
                zones[zone] |= card
        return [list(ids_of(cards)) for cards in zones]

    @property
    def differs(self) -> bool:
        """Whether a card lies where it must not, or is not on the field where it must be."""
        return bool(
            self.twice
            or self.new
            or self.missing
            or any(self.moved)
            or any(self.taken(each) for each in (1, 2))
        )

    @property
    def missing(self) -> int:
        """The field cards that no detection on the field may show, as a set."""
        return sum(
            bit
            for bit, zone in self.expected.items()
            if zone == 0 and self.zone.get(bit) != 0 and not bit & (self.unsure | self.silent)
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

    def taken(self, player: int) -> int:
        """Return the field cards that are in a player's pile now, as a set."""
        return sum(
            card for card, zone in self.zone.items() if zone == player and self.expected.get(card) == 0
        )


class SeenDeal:
    """What an observation shows while a deal is expected."""

    def __init__(self, observation: Observation) -> None:
        recognized = [card.zone for card in observation.cards if _is_recognized(card)]
        self.count = recognized.count(FIELD)
        """The number of recognized cards on the field."""
        self.unread = any(_is_unread(card) for card in observation.cards)
        """Whether a detection on the field should be recognized and is not."""
        self.piled = any(zone in _ZONES[1:] for zone in recognized)
        """Whether there are recognized cards in the captured piles."""


def _is_recognized(card: TrackedCard) -> bool:
    name, p = card.likely[0] if card.likely else (BACK, 0.0)
    return name != BACK and p >= _UNREAD and card.visible > _VISIBLE


def _is_unread(card: TrackedCard) -> bool:
    p = card.likely[0][1] if card.likely else 0.0
    return card.zone == FIELD and p < _UNREAD and card.visible > _VISIBLE


def _possible(card: TrackedCard) -> int:
    """Return the cards that a detection may show, with look-alikes, as a set."""
    names = [name for name, p in card.likely if p > _POSSIBLE and name != BACK]
    return reduce(or_, (each for name in names for each in _DECK.lookalikes(bit_of(name))), 0)


def problem_of(seen: SeenTable) -> RefereeProblem | None:
    """Return the most specific problem of a table; None if it shows what it must."""
    if seen.twice:
        return card_twice(*ids_of(seen.twice))
    for card, pile, zone in seen.moved:
        return _card_moved(card, pile, zone)
    if seen.unread is not None:
        return unknown_card(seen.unread)
    if seen.new or any(seen.taken(player) for player in (1, 2)):
        return _differences(seen)
    return _not_seen(seen.missing) if seen.missing else None


def _card_moved(card: int, pile: int, zone: int) -> RefereeProblem:
    message = Message(
        "notice-card-moved",
        {
            "cards": cards_of_bits(card),
            "before": zone_message(_ZONES[pile]),
            "after": zone_message(_ZONES[zone]),
        },
    )
    return RefereeProblem("card-moved", message, ids_of(card))


def _not_seen(cards: int) -> RefereeProblem:
    return RefereeProblem(
        "not-seen", Message("notice-not-seen", {"cards": cards_of_bits(cards)}), ids_of(cards)
    )


def _differences(seen: SeenTable) -> RefereeProblem:
    """Return the differences between the table and the record: cards missing from their zone, and unexpected cards."""
    missing = {0: seen.missing} if seen.missing else {}
    unexpected: dict[int, int] = {}
    for card, zone in seen.zone.items():
        if seen.expected.get(card) != zone:
            unexpected[zone] = unexpected.get(zone, 0) | card
    messages = tuple(
        Message(code, {"where": zone_message(_ZONES[zone]), "cards": cards_of_bits(cards)})
        for code, by_zone in (("difference-missing", missing), ("difference-unexpected", unexpected))
        for zone, cards in sorted(by_zone.items())
    )
    if not messages:
        return RefereeProblem("table-differs", Message("notice-table-unclear"))
    cards = reduce(or_, [*missing.values(), *unexpected.values()])
    return RefereeProblem(
        "table-differs", Message("notice-table-differs", {"differences": messages}), ids_of(cards)
    )
