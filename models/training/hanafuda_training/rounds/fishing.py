"""Rounds of fishing games (games with captures from a field) as moments on the table, from their records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.hanafuda.cards import card
from companion.hanafuda.rules import resolve
from companion.observations import FIELD, STOCK, captured_zone
from hanafuda_training.rounds.stage import DEAL, Disturb, Moment, PlacedCard, Stage, undisturbed
from hanafuda_training.rounds.table_positions import (
    captured_place,
    field_place,
    loose_place,
    on_match,
    stock_at,
    turn_of,
)

__all__ = ["collect", "deal", "draw", "gather", "lay", "play_turn", "rearrange", "round_moments", "stow"]


def round_moments(
    stage: Stage, record: Mapping[str, Any], disturb: Disturb = undisturbed
) -> Iterator[Moment]:
    """Yield a round from the empty table to the last capture; ``record`` is a round record with all its cards."""
    dealer: int = record["dealer"]
    yield from deal(stage, record["deal"]["field"], len(record["deal"]["stock"]), dealer)
    yield from disturb(stage, record, DEAL)
    yield from stage.rest("dealt", stage.manner.rest)
    rules = resolve(record["rules"], record["game"])
    if getattr(rules, "field_four", "") == "dealer_takes":
        months = Counter(card(card_id).month for card_id in record["deal"]["field"])
        if fours := [card_id for card_id in record["deal"]["field"] if months[card(card_id).month] == 4]:
            yield from collect(stage, dealer, fours)
            yield from stage.rest("dealt", stage.manner.rest)
    for number, turn in enumerate(record["turns"]):
        yield from disturb(stage, record, number)
        yield from play_turn(stage, turn)
    yield from stage.rest("end", stage.manner.rest)


def deal(stage: Stage, field: Sequence[str], stock: int, dealer: int) -> Iterator[Moment]:
    """Deal the field and place the draw pile of ``stock`` cards, with the dealer's hand still over the table."""
    stage.turn = 0
    yield from stage.rest("empty", 1.0)
    for cards in (field[: len(field) // 2], field[len(field) // 2 :]):
        x, y = field_place(stage)
        yield from stage.reach(dealer, (x + 40, y), "deal", cards)
        for card_id in cards:
            stage.put(PlacedCard(card_id, *field_place(stage), turn_of(dealer), FIELD))
    yield from stage.reach(dealer, stock_at(stage), "deal")
    stage.cards.insert(0, PlacedCard("back", *stock_at(stage), float(stage.rng.normal(0, 4)), STOCK, stock))


def play_turn(stage: Stage, turn: Mapping[str, Any]) -> Iterator[Moment]:
    """Play one turn of a record: the hand card, the drawn card, and their captures."""
    seat: int = turn["player"]
    manner = stage.manner
    stage.turn += 1
    yield from _sort(stage, seat)
    yield from lay(stage, seat, turn["play"], turn["captured"], "reach")
    if manner.pause:
        yield from stage.rest("played", manner.pause)
    if turn.get("play_call"):
        yield from stage.say(seat, turn["play_call"])
    uncollected = list(turn["captured"])
    if uncollected and manner.collect == "each":
        yield from collect(stage, seat, uncollected)
        uncollected = []
    if turn["draw"] is not None:
        yield from draw(stage, seat, turn["draw"], turn["draw_captured"])
        if manner.pause:
            yield from stage.rest("drawn", manner.pause)
        uncollected += [card_id for card_id in turn["draw_captured"] if card_id not in uncollected]
    if uncollected:
        yield from collect(stage, seat, uncollected)
    if stage.rng.random() < manner.rearrange:
        yield from rearrange(stage, seat)
    if turn["call"]:
        yield from stage.say(seat, turn["call"])
    elif not stage.hurried:
        yield from stage.rest("settled", manner.rest)
    stage.hurried = False


def lay(stage: Stage, seat: int, played: str, captured: Sequence[str], what: str) -> Iterator[Moment]:
    """Play a card onto the first card it captures, or to a free position on the field."""
    matches = [card_id for card_id in captured if card_id != played]
    position = on_match(stage.find(matches[0]), seat) if matches else field_place(stage)
    yield from stage.reach(seat, position, what, [played])
    placed = stage.put(PlacedCard(played, *position, turn_of(seat), FIELD))
    if stage.turned_over == played:
        yield from turn_up(stage, seat, placed)
        stage.turned_over = None


def turn_up(stage: Stage, seat: int, placed: PlacedCard) -> Iterator[Moment]:
    """Turn up a card that was laid on the table face down by mistake."""
    face_down = replace(placed, face_down=True)
    stage.cards[stage.cards.index(placed)] = face_down
    yield from stage.rest("face-down", 2 * stage.manner.reach)
    yield from stage.reach(seat, placed.at, "turn-up")
    stage.cards[stage.cards.index(face_down)] = placed


def draw(stage: Stage, seat: int, drawn: str, captured: Sequence[str]) -> Iterator[Moment]:
    """Take the top card of the draw pile and place it."""
    stock = stage.find("back")
    yield from stage.reach(seat, stock.at, "stock")
    stage.thin(stock)
    yield from lay(stage, seat, drawn, captured, "draw")


def collect(stage: Stage, seat: int, cards: Sequence[str]) -> Iterator[Moment]:
    """Move captured cards to the rows of their types or, with the style ``late``, to a heap in front of the player."""
    yield from stage.reach(seat, stage.find(cards[0]).at, "collect")
    stage.take(cards)
    if stage.manner.collect == "late":
        heap = [loose_place(stage, seat, card_id, index) for index, card_id in enumerate(cards)]
        yield from stage.reach(seat, heap[0].at, "collect", cards)
        for pose in heap:
            stage.put(pose)
        stage.loose[seat] = [*stage.loose.get(seat, ()), *cards]
        return
    yield from stow(stage, seat, cards)


def _sort(stage: Stage, seat: int) -> Iterator[Moment]:
    """Sort the cards that the player dropped in front of himself on his last turn."""
    if cards := stage.loose.pop(seat, []):
        yield from stage.reach(seat, stage.find(cards[0]).at, "sort")
        stage.take(cards)
        yield from stow(stage, seat, cards)


def stow(stage: Stage, seat: int, cards: Sequence[str]) -> Iterator[Moment]:
    """Add cards to the captured cards of a player, from his hand."""
    remaining = list(cards)
    if stage.arrangement(seat) != "groups":
        yield from stage.reach(seat, captured_place(stage, seat, cards[0]).at, "collect", cards)
        for card_id in cards:
            stage.put(captured_place(stage, seat, card_id))
        return
    while remaining:
        card_type = card(remaining[0]).kind
        group = [card_id for card_id in remaining if card(card_id).kind == card_type]
        yield from stage.reach(seat, captured_place(stage, seat, group[0]).at, "collect", remaining)
        for card_id in group:
            stage.put(captured_place(stage, seat, card_id))
        remaining = [card_id for card_id in remaining if card_id not in group]


def rearrange(stage: Stage, seat: int) -> Iterator[Moment]:
    """Move one of the player's rows."""
    zone = captured_zone(seat)
    if stage.arrangement(seat) != "groups":
        return
    rows: dict[str, list[str]] = {}
    for pose in stage.cards:
        if pose.zone == zone and pose.card not in stage.loose.get(seat, ()):
            rows.setdefault(card(pose.card).kind or "", []).append(pose.card)
    card_types = sorted(card_type for card_type, cards in rows.items() if len(cards) > 1)
    if not card_types:
        return
    card_type = card_types[int(stage.rng.integers(len(card_types)))]
    yield from stage.reach(seat, stage.find(rows[card_type][0]).at, "rearrange")
    stage.take(rows[card_type])
    x, y = stage.rng.uniform((-12, -4), (12, 10))
    stage.pushed[seat, card_type] = (float(x), float(y))
    yield from stage.reach(
        seat, captured_place(stage, seat, rows[card_type][0]).at, "rearrange", rows[card_type]
    )
    for card_id in rows[card_type]:
        stage.put(captured_place(stage, seat, card_id))


def gather(stage: Stage, seat: int) -> Iterator[Moment]:
    """Gather up all cards after the round."""
    for zones in ((FIELD, STOCK), (captured_zone(seat),), (captured_zone(3 - seat),)):
        cards = [pose for pose in stage.cards if pose.zone in zones]
        if cards:
            yield from stage.reach(seat, cards[0].at, "gather")
            yield from stage.reach(seat, cards[-1].at, "gather")
            stage.cards = [pose for pose in stage.cards if pose not in cards]
    stage.loose.clear()
    stage.pushed.clear()
    yield from stage.rest("gathered", 1.0)
