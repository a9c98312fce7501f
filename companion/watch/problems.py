"""What is wrong with a table of a fishing game that no legal turn explains: the broken rule, or the differences from the record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import permutations
from operator import or_
from typing import Any, Final, Literal

from companion.hanafuda.card_messages import cards_of_bits
from companion.hanafuda.cards import BACK
from companion.hanafuda.fishing import PLAY_ON, Call, Draw, FishingMove, FishingRound, Play
from companion.hanafuda.fishing.captures import DECK, bit_of, flower_of, id_of, ids_of, single_bits
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.table_model import Placement
from companion.observations import FIELD, Observation, captured_zone
from companion.referee.message_parts import zone_message
from companion.referee.referee_events import RefereeProblem, card_twice, unknown_card
from companion.watch.evidence import lookalikes

_CONFIDENT: Final = 0.8
"""Probability from which a detection counts as the card."""
_UNREAD: Final = 0.3
"""Probability below which a card is not recognized."""
_VISIBLE: Final = 0.3
"""Visible fraction from which a card should be recognized."""

_ZONES: Final = (FIELD, captured_zone(1), captured_zone(2))
_Role = tuple[type[Play] | type[Draw], int]
_Phase = Literal["play", "draw", "over"]


class SeenTable:
    """The zone of each card that an observation shows with confidence, regardless of the rules."""

    def __init__(
        self, observation: Observation, played: FishingRound[Any, Any], placement: Placement
    ) -> None:
        self.round, self.late = played, placement.late
        self.expected = {
            bit: number for number, cards in enumerate(placement.zones) for bit in single_bits(cards)
        }
        self.hidden = DECK & ~sum(self.expected)
        self.zone: dict[int, int] = {}
        """By card, as a set of one."""
        self.twice = 0
        self.unread: str | None = None
        """A zone with a card that should be recognized and is not."""
        for card in observation.cards:
            if card.zone not in _ZONES or card.visible <= 0 or not card.likely:
                continue
            name, p = card.likely[0]
            if p > _CONFIDENT and name != BACK:
                self._add(bit_of(name), _ZONES.index(card.zone))
            elif p < _UNREAD and card.visible > _VISIBLE:
                self.unread = card.zone

    def _add(self, card: int, zone: int) -> None:
        """Add a detection of a card or its look-alike: one that must lie there, one that is hidden, or any."""
        free = [each for each in lookalikes(card) if each not in self.zone]
        if not free:
            self.twice |= card
            return
        here = [each for each in free if self.expected.get(each) == zone or (zone == 0 and each & self.late)]
        hidden = [each for each in free if each & self.hidden]
        self.zone[(here or hidden or free)[0]] = zone

    def placed(self) -> list[list[str]]:
        """Return the cards of each zone: those that lie there, and those of the piles that nothing shows elsewhere."""
        zones = [0] * len(_ZONES)
        for card, zone in self.zone.items():
            zones[zone] |= card
        for card, zone in self.expected.items():
            if zone and card not in self.zone:
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
        """The field cards that are not on the field, as a set."""
        return sum(bit for bit, zone in self.expected.items() if zone == 0 and self.zone.get(bit) != 0)

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


def problem_of(seen: SeenTable) -> RefereeProblem | None:
    """Return the most specific problem of a table; None if it shows what it must."""
    if seen.twice:
        return card_twice(*ids_of(seen.twice))
    for card, pile, zone in seen.moved:
        return _card_moved(card, pile, zone)
    if seen.new and (broken := _broken_rule(seen)):
        return broken
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


def _broken_rule(seen: SeenTable) -> RefereeProblem | None:
    """Return the rule that the observed moves break; of all move sequences the one with the fewest problems."""
    new = seen.new
    best: tuple[int, RefereeProblem] | None = None
    if len(new) > 3 or seen.round.to_move is None:
        return None
    for order in permutations(new):
        for roles in _roles(len(new), seen.round):
            problems = _problems_of(seen, list(zip(order, roles, strict=True)))
            if problems and (best is None or problems[0] < best[0]):
                best = problems
    return best[1] if best else None


def _roles(count: int, played: FishingRound[Any, Any]) -> Iterator[tuple[_Role, ...]]:
    """Yield the possible roles of a number of new cards: play or draw, and the player."""
    own = played.to_move or 1
    other = 3 - own
    pending = played.pending_decision()
    if pending is not None and pending.code == "draw-missing":
        if count == 1:
            yield from (((Draw, own),), ((Play, other),), ((Play, own),))
        elif count == 2:
            yield from (((Play, other), (Draw, other)), ((Draw, own), (Play, other)))
    elif count == 1:
        yield from (((Play, own),), ((Play, other),))
    elif count == 2:
        yield from (
            ((Play, own), (Draw, own)),
            ((Play, other), (Draw, other)),
            ((Play, own), (Play, other)),
        )
    else:
        yield from (((Play, own), (Play, other), (Draw, other)), ((Play, own), (Play, own), (Draw, own)))


def _problems_of(seen: SeenTable, cards: Sequence[tuple[int, _Role]]) -> tuple[int, RefereeProblem] | None:
    """Return the number of problems of the moves and the first one; None if the moves are legal or do not lead to the
    observed zones."""
    moves = _moves(seen, cards)
    if moves is None:
        return None
    played = seen.round.copy()
    problems = []
    for move in moves:
        pending = played.pending_decision()
        if pending is not None and pending.code == "decision-missing" and played.to_move is not None:
            played.push(Call(played.to_move, PLAY_ON), unchecked=True)
        problems += [(problem, move) for problem in played.check(move)]
        played.push(move, unchecked=True)
    owners = [player for _, (kind, player) in cards if kind is Play]
    if len(owners) == 2 and owners[0] == owners[1]:
        bits = sum(bit for bit, (kind, _) in cards if kind is Play)
        message = Message(
            "notice-two-cards-played", {"player": player_message(owners[0]), "cards": cards_of_bits(bits)}
        )
        return max(1, len(problems)), RefereeProblem("two-cards-played", message, ids_of(bits))
    if not problems:
        return None
    problem, _ = problems[0]
    return len(problems), RefereeProblem(problem.code, problem.text, ids_of(sum(bit for bit, _ in cards)))


def _moves(seen: SeenTable, cards: Sequence[tuple[int, _Role]]) -> list[FishingMove] | None:
    """Return the moves that lead to the observed zones; None if there are none. A new card captures the field cards of its
    flower that are in the same pile."""
    remaining = {player: seen.taken(player) for player in (1, 2)}
    takes: list[int] = []
    for card, (_, player) in cards:
        zone = seen.zone[card]
        if zone not in (0, player):
            return None
        captured = remaining[player] & flower_of(card) if zone == player else 0
        remaining[player] &= ~captured
        takes.append(captured)
    for number, (card, (_, player)) in enumerate(cards):
        if seen.zone[card] == player and not takes[number]:
            takes[number], remaining[player] = remaining[player], 0
    if any(remaining.values()):
        return None
    return [
        kind(player, id_of(card), ids_of(taken))
        for (card, (kind, player)), taken in zip(cards, takes, strict=True)
    ]


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
