"""What is wrong with a table that no legal turn explains: the rule that was broken, or where it differs from the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import log

from companion import observations
from companion.hanafuda.card_messages import cards_of_bits
from companion.hanafuda.families.fishing import PLAY_ON, Call, Draw, FishingMove, Play
from companion.hanafuda.families.fishing.captures import flower_of, id_of, ids_of, single_bits
from companion.hanafuda.messages import Message, player_message
from companion.observations import captured_zone
from companion.referee.card_likelihoods import FIELD, FIRST_OF, DetectedCard, Fit
from companion.referee.expected_cards import Position
from companion.referee.message_parts import zone_message

__all__ = ["TableProblem", "differences", "not_seen", "table_problem", "unread"]

_SURE = log(0.8)


@dataclass(frozen=True, slots=True)
class TableProblem:
    """A problem with what the table shows."""

    code: str
    message: Message
    cards: int = 0
    """The cards it is about, as a set."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The cards by id."""
        return ids_of(self.cards)


class _Reading:
    """Where each card surely lies, whatever the rules say."""

    def __init__(self, detections: Sequence[DetectedCard], base: Fit, position: Position) -> None:
        self.position = position
        self.zone: dict[int, int] = {}
        self.twice: list[int] = []
        at_rest = {index: found.zone for index, found in base.matched.items()}
        for index, found in base.matched.items():
            if found.says(FIRST_OF[index]) > _SURE:
                self.zone[index] = at_rest[index]
        used = {found.key for found in base.matched.values() if found.says(_first_at(base, found)) > _SURE}
        for found in detections:
            if found.key in used or found.top is None or found.says(found.top) < _SURE or found.zone < FIELD:
                continue
            members = [i for i in range(48) if FIRST_OF[i] == found.top and i not in self.zone]
            free = [i for i in members if position.hidden >> i & 1] or members
            if free:
                self.zone[free[0]] = found.zone
            else:
                self.twice.append(found.top)

    def moved(self) -> Iterator[tuple[int, int, int]]:
        """Yield the cards that were captured before and lie elsewhere now: card, pile, zone."""
        for player in (1, 2):
            for bit in single_bits(self.position.piles[player - 1]):
                index = bit.bit_length() - 1
                if (zone := self.zone.get(index, player)) != player:
                    yield index, player, zone

    def new(self) -> list[int]:
        """Return the cards that were hidden and lie open now."""
        return [index for index in self.zone if self.position.hidden >> index & 1]

    def taken(self, player: int) -> int:
        """Return the cards of the field that lie in a player's pile now."""
        return sum(
            1 << index
            for index, zone in self.zone.items()
            if zone == player and self.position.field >> index & 1
        )


def _first_at(base: Fit, found: DetectedCard) -> int:
    return next(FIRST_OF[index] for index, other in base.matched.items() if other is found)


def table_problem(detections: Sequence[DetectedCard], base: Fit, position: Position) -> TableProblem:
    """Return what is wrong, as exactly as it can be said."""
    seen = _Reading(detections, base, position)
    if seen.twice:
        bits = sum(1 << index for index in seen.twice)
        return TableProblem("card-twice", Message("notice-card-twice", {"cards": cards_of_bits(bits)}), bits)
    for index, player, zone in seen.moved():
        if zone != FIELD or not position.spots[index].late:
            said = Message(
                "notice-card-moved",
                {
                    "cards": cards_of_bits(1 << index),
                    "before": _zone_message(player),
                    "after": _zone_message(zone),
                },
            )
            return TableProblem("card-moved", said, 1 << index)
    return _broken_rule(seen) or differences(detections, base, position)


def _broken_rule(seen: _Reading) -> TableProblem | None:
    """Return the rule that the moves seen break: of all the ways to tell them that with the fewest problems."""
    new = seen.new()
    best: tuple[int, TableProblem] | None = None
    if not 0 < len(new) <= 3 or seen.position.phase == "over":
        return None
    for order in permutations(new):
        for roles in _roles(len(new), seen.position):
            found = _reported(seen, list(zip(order, roles, strict=True)))
            if found and (best is None or found[0] < best[0]):
                best = found
    return best[1] if best else None


_Role = tuple[type[Play] | type[Draw], int]


def _roles(count: int, position: Position) -> Iterator[tuple[_Role, ...]]:
    """Yield what so many cards may have been: play or draw, and whose."""
    own = position.player
    other = 3 - own
    if position.phase == "draw":
        if count == 1:
            yield ((Draw, own),)
            yield ((Play, other),)
            yield ((Play, own),)
        elif count == 2:
            yield (Play, other), (Draw, other)
            yield (Draw, own), (Play, other)
        return
    if count == 1:
        yield ((Play, own),)
        yield ((Play, other),)
    elif count == 2:
        yield (Play, own), (Draw, own)
        yield (Play, other), (Draw, other)
        yield (Play, own), (Play, other)
    else:
        yield (Play, own), (Play, other), (Draw, other)
        yield (Play, own), (Play, own), (Draw, own)


def _reported(seen: _Reading, cards: Sequence[tuple[int, _Role]]) -> tuple[int, TableProblem] | None:
    """Return how many problems the moves have as told, and the first; None where the cards lie otherwise."""
    moves = _moves(seen, cards)
    if moves is None:
        return None
    played = seen.position.round.copy()
    problems = []
    for move in moves:
        pending = played.owes()
        if pending is not None and pending.code == "decision-missing" and played.to_move is not None:
            played.push(Call(played.to_move, PLAY_ON), as_told=True)
        problems += [(problem, move) for problem in played.check(move)]
        played.push(move, as_told=True)
    owners = [player for _, (kind, player) in cards if kind is Play]
    if len(owners) == 2 and owners[0] == owners[1]:
        bits = sum(1 << index for index, (kind, _) in cards if kind is Play)
        said = Message(
            "notice-two-cards-played", {"player": player_message(owners[0]), "cards": cards_of_bits(bits)}
        )
        return max(1, len(problems)), TableProblem("two-cards-played", said, bits)
    if not problems:
        return None
    problem, move = problems[0]
    bits = sum(1 << index for index, _ in cards)
    return len(problems), TableProblem(problem.code, problem.text, bits)


def _moves(seen: _Reading, cards: Sequence[tuple[int, _Role]]) -> list[FishingMove] | None:
    """Return the moves that leave the cards where they were seen: what was taken goes to the card of its flower."""
    left = {player: seen.taken(player) for player in (1, 2)}
    takes: list[int] = []
    for index, (_, player) in cards:
        zone = seen.zone[index]
        if zone not in (FIELD, player):
            return None
        own = left[player] & flower_of(1 << index) if zone == player else 0
        left[player] &= ~own
        takes.append(own)
    for place, (index, (_, player)) in enumerate(cards):
        if seen.zone[index] == player and not takes[place]:
            takes[place], left[player] = left[player], 0
    if any(left.values()):
        return None
    return [
        kind(player, id_of(1 << index), ids_of(taken))
        for (index, (kind, player)), taken in zip(cards, takes, strict=True)
    ]


def differences(detections: Sequence[DetectedCard], base: Fit, position: Position) -> TableProblem:
    """Return where the table differs from the log: what is not seen where it should be, and what is seen besides."""
    seen = _Reading(detections, base, position)
    expected: dict[int, int] = {}
    unexpected: dict[int, int] = {}
    for bit in single_bits(position.field):
        index = bit.bit_length() - 1
        if seen.zone.get(index, FIELD) != FIELD or index in base.missed:
            expected[FIELD] = expected.get(FIELD, 0) | bit
    for index, zone in seen.zone.items():
        spot = position.spots.get(index)
        if spot is None or spot.zone != zone:
            unexpected[zone] = unexpected.get(zone, 0) | 1 << index
    differences = tuple(
        Message(code, {"where": _zone_message(zone), "cards": cards_of_bits(bits)})
        for code, zones in (("difference-missing", expected), ("difference-unexpected", unexpected))
        for zone, bits in sorted(zones.items())
    )
    if not differences:
        return TableProblem("table-differs", Message("notice-table-unclear"))
    bits = sum({*expected.values(), *unexpected.values()})
    return TableProblem(
        "table-differs", Message("notice-table-differs", {"differences": differences}), bits & ((1 << 48) - 1)
    )


def unread(base: Fit) -> TableProblem | None:
    """Return the card of the field or a pile that has no name, or the cards of the field that are not seen."""
    for found in base.extra:
        if (
            found.zone >= FIELD
            and (found.top is None or found.says(found.top) < log(0.3))
            and found.visible > 0.3
        ):
            return TableProblem(
                "unknown-card", Message("notice-unknown-card", {"where": _zone_message(found.zone)})
            )
    return None


def not_seen(base: Fit, position: Position) -> TableProblem | None:
    """Return the cards of the field that are not seen, where all else is as it should be."""
    bits = sum(1 << index for index in base.missed if position.field >> index & 1)
    return (
        TableProblem("not-seen", Message("notice-not-seen", {"cards": cards_of_bits(bits)}), bits)
        if bits
        else None
    )


def _zone_message(zone: int) -> Message:
    """Return the phrase for a numbered zone of `companion.referee.card_likelihoods`."""
    if zone == FIELD:
        return zone_message(observations.FIELD)
    return zone_message(captured_zone(zone) if zone > FIELD else observations.ELSEWHERE)
