"""Tables on which something illegal or odd happens, as scripts: what a watcher must notice, or take calmly.

Each takes a stage and a round record with all its cards, plays turns of the record, does its odd thing, and mostly plays on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from companion.hanafuda.cards import card
from companion.observations import FIELD, STOCK, captured_zone
from vision.demo.fishing import collect, deal, draw, lay, play_turn
from vision.demo.stage import Lying, Moment, Stage
from vision.demo.table_positions import captured_place, field_place, side, turn_of

__all__ = ["ODD", "Script"]

Record: TypeAlias = Mapping[str, Any]
Script: TypeAlias = Callable[[Stage, Record], Iterator[Moment]]

#: Long enough for a watcher to see that the table is settled, s.
_SEEN: Final = 2.6
#: A place where no card lies, mm.
_FREE: Final = (265.0, -20.0)


def _begin(stage: Stage, record: Record, turns: int) -> Iterator[Moment]:
    """Deal, and play the first ``turns``."""
    yield from deal(stage, record["deal"]["field"], len(record["deal"]["stock"]), record["dealer"])
    for turn in record["turns"][:turns]:
        yield from play_turn(stage, turn)


def _capturing(record: Record) -> int:
    """Return the first turn after the opening one whose hand card captures one card."""
    turns = record["turns"]
    return next(number for number in range(1, len(turns)) if len(turns[number]["captured"]) == 2)


def _matches(stage: Stage, drawn: str) -> list[str]:
    """Return what a drawn card and what it takes are, as the field lies: of two matches one."""
    month = card(drawn).month
    alike = [lying.card for lying in stage.cards if lying.zone == FIELD and card(lying.card).month == month]
    taken = alike[:1] if len(alike) == 2 else alike
    return [drawn, *taken] if taken else []


def _draw(stage: Stage, seat: int, drawn: str) -> Iterator[Moment]:
    """Draw a card, capture with it what it takes, and leave the table settled."""
    captured = _matches(stage, drawn)
    yield from draw(stage, seat, drawn, captured)
    if captured:
        yield from collect(stage, seat, captured)
    yield from stage.rest("settled", _SEEN)


def wrong_flower(stage: Stage, record: Record) -> Iterator[Moment]:
    """A hand card captures a card of another flower."""
    number = _capturing(record)
    yield from _begin(stage, record, number)
    turn = record["turns"][number]
    seat, played = turn["player"], turn["play"]
    stage.turn += 1
    other = next(
        lying.card
        for lying in stage.cards
        if lying.zone == FIELD
        and card(lying.card).month not in {card(played).month, card(turn["draw"]).month}
    )
    yield from lay(stage, seat, played, [played, other], "reach")
    yield from collect(stage, seat, [played, other])
    yield from _draw(stage, seat, turn["draw"])


def capture_refused(stage: Stage, record: Record) -> Iterator[Moment]:
    """A hand card that matches a card on the field is laid beside it, and nothing is captured with it."""
    number = _capturing(record)
    yield from _begin(stage, record, number)
    turn = record["turns"][number]
    stage.turn += 1
    yield from lay(stage, turn["player"], turn["play"], [], "reach")
    yield from _draw(stage, turn["player"], turn["draw"])


def two_cards(stage: Stage, record: Record) -> Iterator[Moment]:
    """A player lays two cards of his hand, one after the other, and draws; the other one plays on."""
    yield from _begin(stage, record, 1)
    turn = record["turns"][1]
    seat = turn["player"]
    stage.turn += 1
    months = {card(lying.card).month for lying in stage.cards if lying.zone == FIELD}
    hand = [each for each in record["deal"]["hands"][str(seat)] if each != turn["play"]]
    second = next(
        (each for each in hand if card(each).month not in {*months, card(turn["play"]).month}), hand[0]
    )
    yield from lay(stage, seat, turn["play"], turn["captured"], "reach")
    if turn["captured"]:
        yield from collect(stage, seat, turn["captured"])
    yield from lay(stage, seat, second, [], "reach")
    yield from _draw(stage, seat, turn["draw"])
    yield from play_turn(stage, record["turns"][2])


def draw_skipped(stage: Stage, record: Record) -> Iterator[Moment]:
    """A player captures with his hand card and draws none; the other one plays."""
    number = _capturing(record)
    yield from _begin(stage, record, number)
    turn = record["turns"][number]
    stage.turn += 1
    yield from lay(stage, turn["player"], turn["play"], turn["captured"], "reach")
    yield from collect(stage, turn["player"], turn["captured"])
    yield from stage.rest("settled", _SEEN)
    other = 3 - turn["player"]
    following = next(each for each in record["turns"][number + 1 :] if each["player"] == other)
    stage.turn += 1
    captured = _matches(stage, following["play"])
    yield from lay(stage, other, following["play"], captured, "reach")
    if captured:
        yield from collect(stage, other, captured)
    yield from _draw(stage, other, turn["draw"])


def card_moved(stage: Stage, record: Record) -> Iterator[Moment]:
    """A player takes a card out of the other's pile and lays it to his own."""
    yield from _begin(stage, record, 3)
    turns = record["turns"][:3]
    victim = next(turn["player"] for turn in turns if turn["captured"] or turn["draw_captured"])
    thief = 3 - victim
    moved = next(lying.card for lying in stage.cards if lying.zone == captured_zone(victim))
    yield from stage.reach(thief, stage.find(moved).at, "steal")
    stage.take([moved])
    yield from stage.reach(thief, captured_place(stage, thief, moved).at, "steal", [moved])
    stage.put(captured_place(stage, thief, moved))
    yield from stage.rest("settled", _SEEN)
    yield from play_turn(stage, record["turns"][3])


def stock_peeked(stage: Stage, record: Record) -> Iterator[Moment]:
    """The top card of the stock is turned up on it, looked at, and put back; the round goes on."""
    yield from _begin(stage, record, 1)
    seat, seen = record["turns"][1]["player"], record["turns"][1]["draw"]
    stock = stage.find("back")
    yield from stage.reach(seat, stock.at, "peek")
    stage.thin(stock)
    aside = Lying(seen, stock.x - 22.0, stock.y + 4.0, turn_of(seat), STOCK)
    yield from stage.reach(seat, aside.at, "peek", [seen])
    stage.put(aside)
    yield from stage.rest("peeked", _SEEN)
    yield from stage.reach(seat, aside.at, "peek")
    stage.take([seen])
    yield from stage.reach(seat, stock.at, "peek", ["back"])
    stage.cards = [stock, *(lying for lying in stage.cards if lying.card != "back")]
    yield from stage.rest("settled", _SEEN)
    yield from play_turn(stage, record["turns"][1])


def takeback(stage: Stage, record: Record) -> Iterator[Moment]:
    """A player lays another card of his hand first, takes it back, and then plays his turn."""
    yield from _begin(stage, record, 1)
    turn = record["turns"][1]
    seat = turn["player"]
    first = next(each for each in record["deal"]["hands"][str(seat)] if each != turn["play"])
    captured = _matches(stage, first)
    stage.turn += 1
    yield from lay(stage, seat, first, captured, "reach")
    yield from stage.rest("played", _SEEN)
    at = stage.find(first).at
    yield from stage.reach(seat, at, "takeback")
    stage.take([first])
    yield from stage.reach(seat, (at[0], 260.0 * side(seat)), "takeback", [first])
    yield from stage.rest("taken-back", _SEEN)
    stage.turn -= 1
    yield from play_turn(stage, turn)
    yield from play_turn(stage, record["turns"][2])


def pile_covered(stage: Stage, record: Record) -> Iterator[Moment]:
    """A sheet of paper lies over one player's captured cards for ten turns, and is taken away."""
    yield from _begin(stage, record, 2)
    piles = [lying for lying in stage.cards if lying.zone.startswith("captured")]
    pile = min(piles, key=lambda lying: abs(lying.x))  # well within the picture
    paper = Lying("paper", *pile.at, 4.0, "")
    stage.cards.append(paper)
    yield from stage.rest("covered", _SEEN)
    for turn in record["turns"][2:12]:
        yield from play_turn(stage, turn)
    stage.cards.remove(paper)
    yield from stage.rest("uncovered", _SEEN)


def camera_knocked(stage: Stage, record: Record) -> Iterator[Moment]:
    """Somebody bumps into the camera between two turns."""
    yield from _begin(stage, record, 2)
    stage.view += 1
    yield from stage.rest("knocked", _SEEN)
    for turn in record["turns"][2:4]:
        yield from play_turn(stage, turn)


def light_switched(stage: Stage, record: Record) -> Iterator[Moment]:
    """Another lamp goes on between two turns."""
    yield from _begin(stage, record, 2)
    stage.lamp += 1
    yield from stage.rest("switched", _SEEN)
    for turn in record["turns"][2:4]:
        yield from play_turn(stage, turn)


def phone_laid_down(stage: Stage, record: Record) -> Iterator[Moment]:
    """A phone is put on the table and stays there."""
    yield from _begin(stage, record, 2)
    yield from stage.reach(1, _FREE, "phone")
    stage.cards.append(Lying("phone", *_FREE, 12.0, ""))
    yield from stage.rest("phone", _SEEN)
    for turn in record["turns"][2:4]:
        yield from play_turn(stage, turn)


def foreign_card(stage: Stage, record: Record) -> Iterator[Moment]:
    """A card of another pack lies on the field for a while."""
    yield from _begin(stage, record, 2)
    x, y = field_place(stage)
    stranger = Lying("western", x + 18.0, y, 5.0, "")
    yield from stage.reach(2, stranger.at, "foreign")
    stage.cards.append(stranger)
    yield from stage.rest("foreign", _SEEN)
    yield from stage.reach(2, stranger.at, "foreign")
    stage.cards.remove(stranger)
    yield from stage.rest("settled", _SEEN)
    for turn in record["turns"][2:4]:
        yield from play_turn(stage, turn)


ODD: Final[Mapping[str, Script]] = {
    script.__name__.replace("_", "-"): script
    for script in (
        wrong_flower, capture_refused, two_cards, draw_skipped, card_moved, stock_peeked, takeback, pile_covered,
        camera_knocked, light_switched, phone_laid_down, foreign_card,
    )
}  # fmt: skip
"""The twelve tables by name."""
