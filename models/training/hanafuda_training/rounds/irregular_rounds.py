"""Scripts of rounds with an illegal move or a disturbance, which the camera watcher must report or tolerate.

Each script takes a stage and a round record with all its cards, plays turns of the record up to the irregularity, and in most
cases continues with the record afterward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from companion.hanafuda.cards import card
from companion.observations import FIELD, STOCK, captured_zone
from hanafuda_training.rounds.disturbances import take_back
from hanafuda_training.rounds.fishing import collect, deal, draw, lay, play_turn
from hanafuda_training.rounds.stage import Moment, PlacedCard, Stage
from hanafuda_training.rounds.table_positions import captured_place, field_place, turn_of

__all__ = ["IRREGULAR_ROUNDS", "Script"]

Record: TypeAlias = Mapping[str, Any]
Script: TypeAlias = Callable[[Stage, Record], Iterator[Moment]]

#: Time without hands that the watcher needs to recognize a stable image, s.
_REST_S: Final = 2.6
#: A position without cards, mm.
_FREE_POSITION: Final = (265.0, -20.0)


def _play_opening(stage: Stage, record: Record, turns: int) -> Iterator[Moment]:
    """Deal, and play the first ``turns`` turns."""
    yield from deal(stage, record["deal"]["field"], len(record["deal"]["stock"]), record["dealer"])
    yield from stage.rest("dealt", stage.manner.rest)
    yield from _play(stage, record, 0, turns)


def _play(stage: Stage, record: Record, start: int, end: int) -> Iterator[Moment]:
    """Play the turns from ``start`` to before ``end``."""
    for turn in record["turns"][start:end]:
        yield from play_turn(stage, turn)


def _first_capture(record: Record) -> int:
    """Return the index of the first turn after the opening turn whose hand card captures exactly one card."""
    turns = record["turns"]
    return next(number for number in range(1, len(turns)) if len(turns[number]["captured"]) == 2)


def _matches(stage: Stage, drawn: str) -> list[str]:
    """Return a drawn card and the field cards it captures (the first of two matches); empty if it captures none."""
    month = card(drawn).month
    same_month = [pose.card for pose in stage.cards if pose.zone == FIELD and card(pose.card).month == month]
    captured = same_month[:1] if len(same_month) == 2 else same_month
    return [drawn, *captured] if captured else []


def _draw(stage: Stage, seat: int, drawn: str) -> Iterator[Moment]:
    """Draw a card, collect what it captures, and leave the table without hands."""
    captured = _matches(stage, drawn)
    yield from draw(stage, seat, drawn, captured)
    if captured:
        yield from collect(stage, seat, captured)
    yield from stage.rest("settled", _REST_S)


def wrong_flower(stage: Stage, record: Record) -> Iterator[Moment]:
    """A player captures a card of another flower with a hand card (illegal)."""
    number = _first_capture(record)
    yield from _play_opening(stage, record, number)
    turn = record["turns"][number]
    seat, played = turn["player"], turn["play"]
    stage.turn += 1
    other = next(
        pose.card
        for pose in stage.cards
        if pose.zone == FIELD and card(pose.card).month not in {card(played).month, card(turn["draw"]).month}
    )
    yield from lay(stage, seat, played, [played, other], "reach")
    yield from collect(stage, seat, [played, other])
    yield from _draw(stage, seat, turn["draw"])


def capture_refused(stage: Stage, record: Record) -> Iterator[Moment]:
    """A player lays a hand card that matches a field card on the field without capturing."""
    number = _first_capture(record)
    yield from _play_opening(stage, record, number)
    turn = record["turns"][number]
    stage.turn += 1
    yield from lay(stage, turn["player"], turn["play"], [], "reach")
    yield from _draw(stage, turn["player"], turn["draw"])


def two_cards(stage: Stage, record: Record) -> Iterator[Moment]:
    """A player plays two hand cards in one turn and draws; the opponent continues."""
    yield from _play_opening(stage, record, 1)
    turn = record["turns"][1]
    seat = turn["player"]
    stage.turn += 1
    months = {card(pose.card).month for pose in stage.cards if pose.zone == FIELD}
    hand = [other for other in record["deal"]["hands"][str(seat)] if other != turn["play"]]
    second = next(
        (other for other in hand if card(other).month not in {*months, card(turn["play"]).month}), hand[0]
    )
    yield from lay(stage, seat, turn["play"], turn["captured"], "reach")
    if turn["captured"]:
        yield from collect(stage, seat, turn["captured"])
    yield from lay(stage, seat, second, [], "reach")
    yield from _draw(stage, seat, turn["draw"])
    yield from play_turn(stage, record["turns"][2])


def draw_skipped(stage: Stage, record: Record) -> Iterator[Moment]:
    """A player captures with a hand card but does not draw; the opponent plays the next turn."""
    number = _first_capture(record)
    yield from _play_opening(stage, record, number)
    turn = record["turns"][number]
    stage.turn += 1
    yield from lay(stage, turn["player"], turn["play"], turn["captured"], "reach")
    yield from collect(stage, turn["player"], turn["captured"])
    yield from stage.rest("settled", _REST_S)
    other = 3 - turn["player"]
    following = next(later for later in record["turns"][number + 1 :] if later["player"] == other)
    stage.turn += 1
    captured = _matches(stage, following["play"])
    yield from lay(stage, other, following["play"], captured, "reach")
    if captured:
        yield from collect(stage, other, captured)
    yield from _draw(stage, other, turn["draw"])


def card_moved(stage: Stage, record: Record) -> Iterator[Moment]:
    """A player moves a card from the opponent's captured cards to his own."""
    yield from _play_opening(stage, record, 3)
    turns = record["turns"][:3]
    victim = next(turn["player"] for turn in turns if turn["captured"] or turn["draw_captured"])
    thief = 3 - victim
    moved = next(pose.card for pose in stage.cards if pose.zone == captured_zone(victim))
    yield from stage.reach(thief, stage.find(moved).at, "steal")
    stage.take([moved])
    yield from stage.reach(thief, captured_place(stage, thief, moved).at, "steal", [moved])
    stage.put(captured_place(stage, thief, moved))
    yield from stage.rest("settled", _REST_S)
    yield from play_turn(stage, record["turns"][3])


def stock_peeked(stage: Stage, record: Record) -> Iterator[Moment]:
    """A player turns up the top card of the draw pile, looks at it and puts it back; the round continues."""
    yield from _play_opening(stage, record, 1)
    seat, peeked = record["turns"][1]["player"], record["turns"][1]["draw"]
    stock = stage.find("back")
    yield from stage.reach(seat, stock.at, "peek")
    stage.thin(stock)
    aside = PlacedCard(peeked, stock.x - 22.0, stock.y + 4.0, turn_of(seat), STOCK)
    yield from stage.reach(seat, aside.at, "peek", [peeked])
    stage.put(aside)
    yield from stage.rest("peeked", _REST_S)
    yield from stage.reach(seat, aside.at, "peek")
    stage.take([peeked])
    yield from stage.reach(seat, stock.at, "peek", ["back"])
    stage.cards = [stock, *(pose for pose in stage.cards if pose.card != "back")]
    yield from stage.rest("settled", _REST_S)
    yield from play_turn(stage, record["turns"][1])


def takeback(stage: Stage, record: Record) -> Iterator[Moment]:
    """A player plays one hand card, takes it back, and plays another; the round continues."""
    yield from _play_opening(stage, record, 1)
    turn = record["turns"][1]
    seat = turn["player"]
    first = next(other for other in record["deal"]["hands"][str(seat)] if other != turn["play"])
    stage.turn += 1
    yield from take_back(stage, seat, first, _REST_S)
    stage.turn -= 1
    yield from play_turn(stage, turn)
    yield from play_turn(stage, record["turns"][2])


def pile_covered(stage: Stage, record: Record) -> Iterator[Moment]:
    """A sheet of paper covers one player's captured cards for ten turns and is then removed."""
    yield from _play_opening(stage, record, 2)
    piles = [pose for pose in stage.cards if pose.zone.startswith("captured")]
    pile = min(piles, key=lambda pose: abs(pose.x))  # well within the picture
    paper = PlacedCard("paper", *pile.at, 4.0, "")
    stage.cards.append(paper)
    yield from stage.rest("covered", _REST_S)
    yield from _play(stage, record, 2, 12)
    stage.cards.remove(paper)
    yield from stage.rest("uncovered", _REST_S)


def camera_knocked(stage: Stage, record: Record) -> Iterator[Moment]:
    """The camera is bumped between two turns."""
    yield from _play_opening(stage, record, 2)
    stage.view += 1
    yield from stage.rest("knocked", _REST_S)
    yield from _play(stage, record, 2, 4)


def light_switched(stage: Stage, record: Record) -> Iterator[Moment]:
    """Another lamp is switched on between two turns."""
    yield from _play_opening(stage, record, 2)
    stage.lamp += 1
    yield from stage.rest("switched", _REST_S)
    yield from _play(stage, record, 2, 4)


def phone_laid_down(stage: Stage, record: Record) -> Iterator[Moment]:
    """A phone is put on the table and left there."""
    yield from _play_opening(stage, record, 2)
    yield from stage.reach(1, _FREE_POSITION, "phone")
    stage.cards.append(PlacedCard("phone", *_FREE_POSITION, 12.0, ""))
    yield from stage.rest("phone", _REST_S)
    yield from _play(stage, record, 2, 4)


def foreign_card(stage: Stage, record: Record) -> Iterator[Moment]:
    """A card of another deck is on the field for a while."""
    yield from _play_opening(stage, record, 2)
    x, y = field_place(stage)
    foreign = PlacedCard("western", x + 18.0, y, 5.0, "")
    yield from stage.reach(2, foreign.at, "foreign")
    stage.cards.append(foreign)
    yield from stage.rest("foreign", _REST_S)
    yield from stage.reach(2, foreign.at, "foreign")
    stage.cards.remove(foreign)
    yield from stage.rest("settled", _REST_S)
    yield from _play(stage, record, 2, 4)


IRREGULAR_ROUNDS: Final[Mapping[str, Script]] = {
    script.__name__.replace("_", "-"): script
    for script in (
        wrong_flower, capture_refused, two_cards, draw_skipped, card_moved, stock_peeked, takeback, pile_covered,
        camera_knocked, light_switched, phone_laid_down, foreign_card,
    )
}  # fmt: skip
"""The twelve scripts by name."""
