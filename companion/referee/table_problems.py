"""Problems of a table that no legal turn explains: the broken rule, or the differences between table and record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import permutations
from math import log
from operator import or_

from companion import observations
from companion.hanafuda.card_messages import cards_of_bits
from companion.hanafuda.fishing import PLAY_ON, Call, Draw, FishingMove, Play
from companion.hanafuda.fishing.captures import DECK, flower_of, id_of, ids_of, single_bits
from companion.hanafuda.messages import Message, player_message
from companion.observations import captured_zone
from companion.referee.card_likelihoods import FIELD, FIRST_OF, LOOKALIKES, DetectedCard, Fit
from companion.referee.expected_cards import Position, indices_of_bits
from companion.watch.message_parts import zone_message
from companion.watch.referee_events import RefereeProblem, card_twice, unknown_card

_MIN_CONFIDENT = log(0.8)


class _ConfidentZones:
    """The zone of each card that was detected with confidence, regardless of the rules."""

    def __init__(self, detections: Sequence[DetectedCard], base: Fit, position: Position) -> None:
        self.position = position
        self.twice: list[int] = []
        confident = {
            index: detection
            for index, detection in base.matched.items()
            if detection.log_probability(FIRST_OF[index]) > _MIN_CONFIDENT
        }
        self.zone = {index: detection.zone for index, detection in confident.items()}
        used = {detection.key for detection in confident.values()}
        for detection in detections:
            if detection.key not in used and detection.zone >= FIELD:
                self._add(detection)

    def _add(self, detection: DetectedCard) -> None:
        """Add a confident detection that is not a card of the committed table at its position."""
        top = detection.top
        if top is None or detection.log_probability(top) < _MIN_CONFIDENT:
            return
        members = [index for index in LOOKALIKES[top] if index not in self.zone]
        hidden = [index for index in members if self.position.hidden >> index & 1] or members
        if hidden:
            self.zone[hidden[0]] = detection.zone
        else:
            self.twice.append(top)

    def moved(self) -> Iterator[tuple[int, int, int]]:
        """Yield the captured cards that are elsewhere now: card, pile, zone."""
        for player in (1, 2):
            for index in indices_of_bits(self.position.piles[player - 1]):
                if (zone := self.zone.get(index, player)) != player:
                    yield index, player, zone

    def new(self) -> list[int]:
        """Return the hidden cards that are on the table now."""
        return [index for index in self.zone if self.position.hidden >> index & 1]

    def taken(self, player: int) -> int:
        """Return the field cards that are in a player's pile now, as a set."""
        return sum(
            1 << index
            for index, zone in self.zone.items()
            if zone == player and self.position.field >> index & 1
        )


def table_problem(detections: Sequence[DetectedCard], base: Fit, position: Position) -> RefereeProblem:
    """Return the most specific problem that explains the observation."""
    zones = _ConfidentZones(detections, base, position)
    if zones.twice:
        return card_twice(*ids_of(sum(1 << index for index in zones.twice)))
    for index, player, zone in zones.moved():
        if zone != FIELD or not position.spots[index].may_be_on_field:
            message = Message(
                "notice-card-moved",
                {
                    "cards": cards_of_bits(1 << index),
                    "before": zone_message(_zone_name(player)),
                    "after": zone_message(_zone_name(zone)),
                },
            )
            return RefereeProblem("card-moved", message, ids_of(1 << index))
    return _broken_rule(zones) or differences(detections, base, position)


def _broken_rule(zones: _ConfidentZones) -> RefereeProblem | None:
    """Return the rule that the observed moves break; of all move sequences the one with the fewest problems."""
    new = zones.new()
    best: tuple[int, RefereeProblem] | None = None
    if not 0 < len(new) <= 3 or zones.position.phase == "over":
        return None
    for order in permutations(new):
        for roles in _roles(len(new), zones.position):
            problems = _problems_of(zones, list(zip(order, roles, strict=True)))
            if problems and (best is None or problems[0] < best[0]):
                best = problems
    return best[1] if best else None


_Role = tuple[type[Play] | type[Draw], int]


def _roles(count: int, position: Position) -> Iterator[tuple[_Role, ...]]:
    """Yield the possible roles of a number of new cards: play or draw, and the player."""
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


def _problems_of(
    zones: _ConfidentZones, cards: Sequence[tuple[int, _Role]]
) -> tuple[int, RefereeProblem] | None:
    """Return the number of problems of the moves and the first one; None if the moves are legal or do not lead to the
    observed zones.
    """
    moves = _moves(zones, cards)
    if moves is None:
        return None
    played = zones.position.round.copy()
    problems = []
    for move in moves:
        pending = played.pending_decision()
        if pending is not None and pending.code == "decision-missing" and played.to_move is not None:
            played.push(Call(played.to_move, PLAY_ON), unchecked=True)
        problems += [(problem, move) for problem in played.check(move)]
        played.push(move, unchecked=True)
    owners = [player for _, (move_type, player) in cards if move_type is Play]
    if len(owners) == 2 and owners[0] == owners[1]:
        bits = sum(1 << index for index, (move_type, _) in cards if move_type is Play)
        message = Message(
            "notice-two-cards-played", {"player": player_message(owners[0]), "cards": cards_of_bits(bits)}
        )
        return max(1, len(problems)), RefereeProblem("two-cards-played", message, ids_of(bits))
    if not problems:
        return None
    problem, move = problems[0]
    bits = sum(1 << index for index, _ in cards)
    return len(problems), RefereeProblem(problem.code, problem.text, ids_of(bits))


def _moves(zones: _ConfidentZones, cards: Sequence[tuple[int, _Role]]) -> list[FishingMove] | None:
    """Return the moves that lead to the observed zones; None if no such moves exist. A new card captures the field
    cards of its flower that are in the same pile.
    """
    remaining = {player: zones.taken(player) for player in (1, 2)}
    takes: list[int] = []
    for index, (_, player) in cards:
        zone = zones.zone[index]
        if zone not in (FIELD, player):
            return None
        captured = remaining[player] & flower_of(1 << index) if zone == player else 0
        remaining[player] &= ~captured
        takes.append(captured)
    for position, (index, (_, player)) in enumerate(cards):
        if zones.zone[index] == player and not takes[position]:
            takes[position], remaining[player] = remaining[player], 0
    if any(remaining.values()):
        return None
    return [
        move_type(player, id_of(1 << index), ids_of(taken))
        for (index, (move_type, player)), taken in zip(cards, takes, strict=True)
    ]


def differences(detections: Sequence[DetectedCard], base: Fit, position: Position) -> RefereeProblem:
    """Return the differences between the table and the record: cards missing from their zone, and unexpected cards."""
    zones = _ConfidentZones(detections, base, position)
    expected: dict[int, int] = {}
    unexpected: dict[int, int] = {}
    for bit in single_bits(position.field):
        index = bit.bit_length() - 1
        if zones.zone.get(index, FIELD) != FIELD or index in base.missed:
            expected[FIELD] = expected.get(FIELD, 0) | bit
    for index, zone in zones.zone.items():
        spot = position.spots.get(index)
        if spot is None or spot.zone != zone:
            unexpected[zone] = unexpected.get(zone, 0) | 1 << index
    messages = tuple(
        Message(code, {"where": zone_message(_zone_name(zone)), "cards": cards_of_bits(bits)})
        for code, by_zone in (("difference-missing", expected), ("difference-unexpected", unexpected))
        for zone, bits in sorted(by_zone.items())
    )
    if not messages:
        return RefereeProblem("table-differs", Message("notice-table-unclear"))
    bits = reduce(or_, [*expected.values(), *unexpected.values()])
    return RefereeProblem(
        "table-differs", Message("notice-table-differs", {"differences": messages}), ids_of(bits & DECK)
    )


def unread(base: Fit) -> RefereeProblem | None:
    """Return the problem of a card on the field or in a pile that is visible and unrecognized."""
    for detection in base.extra:
        if (
            detection.zone >= FIELD
            and (detection.top is None or detection.log_probability(detection.top) < log(0.3))
            and detection.visible > 0.3
        ):
            return unknown_card(_zone_name(detection.zone))
    return None


def not_detected(base: Fit, position: Position) -> RefereeProblem | None:
    """Return the problem of field cards that are not detected, if everything else matches."""
    bits = sum(1 << index for index in base.missed if position.field >> index & 1)
    return (
        RefereeProblem("not-seen", Message("notice-not-seen", {"cards": cards_of_bits(bits)}), ids_of(bits))
        if bits
        else None
    )


def _zone_name(zone: int) -> str:
    """Return the name of a numbered zone of `companion.referee.card_likelihoods`."""
    if zone == FIELD:
        return observations.FIELD
    return captured_zone(zone) if zone > FIELD else observations.ELSEWHERE
