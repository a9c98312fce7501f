"""Legal records of Kakkuri with one thing broken; see `replay_breaks`."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from replay_breaks import Broken, Record, one_of, wrong_points

from companion.hanafuda.cards import MONTH_ORDERS
from companion.hanafuda.rules import resolve

__all__ = ["KAKKURI_BREAKS", "out_of_turn_of", "wrong_winner"]

_COURT = {"J": 10, "Q": 11, "K": 12}
_WILD = {"clubs-1", "coins-2", "pine-crane", "willow-lightning", "C1", "D2"}


def number(card: str) -> int:
    """Return the rank of a card: part of the id of mekurifuda and western cards; hanafuda have it in the Nagoya
    order."""
    head, _, rank = card.partition("-")
    if head in MONTH_ORDERS["nagoya"]:
        return MONTH_ORDERS["nagoya"][head]
    rank = rank or head[1:]
    return _COURT.get(rank) or int(rank)


@dataclass
class Discarding:
    """One discard, and the state before it."""

    turn: int
    place: int
    """Which of the turn's discards it is, from 0."""
    player: int
    cards: list[str]
    top: str
    pile: list[str]
    later: list[str]
    """What the player discards later, so that he surely holds it now."""
    first: bool
    """Whether it is the player's first discard of the round."""


def discards(record: Record) -> Iterator[Discarding]:
    pile: list[str] = []
    reported = [
        (turn_number, place, turn["player"], cards)
        for turn_number, turn in enumerate(record["turns"], start=1)
        for place, cards in enumerate(turn.get("discards", []))
    ]
    boxes = {n: turn["box"] for n, turn in enumerate(record["turns"], start=1) if "box" in turn}
    opened: set[int] = set()
    for at, (turn, place, player, cards) in enumerate(reported):
        for number_of_box in sorted(set(boxes) - opened):
            if number_of_box <= turn:
                pile.append(boxes[number_of_box])
                opened.add(number_of_box)
        later = [card for _, _, other, some in reported[at + 1 :] if other == player for card in some]
        first = all(other != player for _, _, other, _ in reported[:at])
        yield Discarding(turn, place, player, cards, pile[-1], list(pile), later, first)
        pile += cards


def plain(record: Record) -> list[Discarding]:
    """Return the discards of a single card that is not wild, on one that is neither wild nor a king, by no pairs."""
    declared = {turn["player"] for turn in record["turns"] if "declares" in turn}
    return [
        each
        for each in discards(record)
        if len(each.cards) == 1
        and not {each.top, *each.cards} & _WILD
        and number(each.top) != 12
        and each.player not in declared
        and "as" not in record["turns"][each.turn - 1]
    ]


def replaced(record: Record, each: Discarding, cards: list[str]) -> Record:
    broken = deepcopy(record)
    broken["turns"][each.turn - 1]["discards"][each.place] = cards
    return broken


def wrong_number(record: Record, rng: Random) -> Broken | None:
    found = []
    for each in plain(record):
        top = number(each.top)
        found += [
            (each, card)
            for card in each.later
            if card not in _WILD and number(card) not in {top, top + 1} and card not in each.pile
        ]
    picked = one_of(rng, found)
    return picked and Broken(replaced(record, picked[0], [picked[1]]), picked[0].turn, "wrong-number")


def passed_with_a_playable_card(record: Record, rng: Random) -> Broken | None:
    """An empty turn of a player who could discard: by these rules the first card is not free (A7)."""
    if resolve(record["rules"]).to_dict()["must_play"] != "first":
        return None
    each = one_of(rng, [each for each in plain(record) if each.place == 0])
    if each is None:
        return None
    broken = deepcopy(record)
    broken["turns"][each.turn - 1]["discards"] = []
    return Broken(broken, each.turn, "must-play")


def four_at_once(record: Record, rng: Random) -> Broken | None:
    each = one_of(rng, [each for each in plain(record) if len(each.later) >= 3])
    return each and Broken(replaced(record, each, each.cards + each.later[:3]), each.turn, "four-at-once")


def pair_undeclared(record: Record, rng: Random) -> Broken | None:
    each = one_of(rng, [each for each in plain(record) if each.later])
    return each and Broken(replaced(record, each, each.cards + each.later[:1]), each.turn, "pairs-undeclared")


def not_in_hand(record: Record, rng: Random) -> Broken | None:
    each = one_of(rng, plain(record))
    return each and Broken(replaced(record, each, [rng.choice(each.pile)]), each.turn, "not-in-hand")


def three_pairs_without(record: Record, rng: Random) -> Broken | None:
    """Three pairs declared by a player whose hand, known from its six cards, has none."""
    hands: dict[int, list[Discarding]] = {}
    for each in discards(record):
        hands.setdefault(each.player, []).append(each)
    joker = resolve(record["rules"]).to_dict()["wild_in_sets"] == "joker"
    found = []
    for player, some in hands.items():
        cards = [card for each in some for card in each.cards]
        numbers = sorted(map(number, cards))
        pairs = numbers[::2] == numbers[1::2]
        turn = record["turns"][some[0].turn - 1]
        if len(cards) == 6 and not pairs and not (joker and _WILD & set(cards)) and "declares" not in turn:
            found.append((player, some[0].turn))
    picked = one_of(rng, found)
    if picked is None:
        return None
    broken = deepcopy(record)
    broken["turns"].insert(picked[1] - 1, {"player": picked[0], "declares": "three-pairs"})
    return Broken(broken, picked[1], "no-three-pairs")


def out_of_turn(record: Record, rng: Random) -> Broken | None:
    each = one_of(rng, list(discards(record)))
    return each and out_of_turn_of(record, each.turn, rng)


def out_of_turn_of(record: Record, turn: int, rng: Random) -> Broken:
    """Have another player make a turn."""
    broken = deepcopy(record)
    others = set(range(1, record["players"] + 1)) - {record["turns"][turn - 1]["player"]}
    broken["turns"][turn - 1]["player"] = rng.choice(sorted(others))
    return Broken(broken, turn, "out-of-turn")


def turn_left_out(record: Record, rng: Random) -> Broken | None:
    """Let the next player move, so that another player's turn is missing."""
    turns = record["turns"]
    found = [
        number
        for number, (turn, after) in enumerate(pairwise(turns), start=1)
        if turn.get("discards")
        and "box" not in turn
        and after["player"] != turn["player"]
        and after.get("discards")
    ]
    number_of_turn = one_of(rng, found)
    if number_of_turn is None:
        return None
    broken = deepcopy(record)
    del broken["turns"][number_of_turn - 1]
    return Broken(broken, number_of_turn, "out-of-turn")


def wrong_box(record: Record, rng: Random) -> Broken | None:
    opened = next((n for n, turn in enumerate(record["turns"], start=1) if "box" in turn), None)
    if opened is None or len(record["deal"]["stock"]) < 2:
        return None
    broken = deepcopy(record)
    broken["turns"][opened - 1]["box"] = rng.choice(record["deal"]["stock"][1:])
    return Broken(broken, opened, "wrong-draw")


def box_opened_again(record: Record, rng: Random) -> Broken | None:
    turns = enumerate(record["turns"], start=1)
    opened = one_of(rng, [n for n, turn in turns if turn.get("discards") and "box" not in turn])
    may_open = resolve(record["rules"]).to_dict()["reopen"] == "optional"
    if opened is None or may_open or len(record["deal"]["stock"]) < 2:
        return None
    broken = deepcopy(record)
    broken["turns"][opened - 1]["box"] = record["deal"]["stock"][1]
    return Broken(broken, opened, "box-closed")


def swap_too_late(record: Record, rng: Random) -> Broken | None:
    opened = next((n for n, turn in enumerate(record["turns"], start=1) if "box" in turn), None)
    if opened is None:
        return None
    broken = deepcopy(record)
    player = record["turns"][-1]["player"]
    broken["turns"].insert(opened, {"player": player, "swap": True})
    return Broken(broken, opened + 1, "swaps-over")


def folded(record: Record, rng: Random) -> Broken | None:
    if resolve(record["rules"]).to_dict()["fold"] != "off":
        return None
    each = one_of(rng, [each for each in plain(record) if each.first and each.place == 0])
    if each is None:
        return None
    broken = deepcopy(record)
    broken["turns"][each.turn - 1] = {"player": each.player, "fold": True}
    return Broken(broken, each.turn, "no-fold")


def wrong_winner(record: Record, rng: Random) -> Broken | None:
    broken = deepcopy(record)
    reported = record["result"]["winner"]
    winners = reported if isinstance(reported, list) else [reported]
    broken["result"]["winner"] = rng.choice([n for n in range(1, record["players"] + 1) if [n] != winners])
    return Broken(broken, None, "wrong-winner")


def card_twice(record: Record, rng: Random) -> Broken | None:
    """A card dealt to two hands; with eight players, one of them drops out, and his hand is not changed."""
    hands = record["deal"]["hands"]
    box = set(record["deal"]["stock"])
    playing = [player for player, hand in hands.items() if record["players"] < 8 or not box & set(hand)]
    first, second = rng.sample(playing, 2)
    broken = deepcopy(record)
    broken["deal"]["hands"][first][rng.randrange(6)] = rng.choice(hands[second])
    return Broken(broken, 0, "card-twice")


KAKKURI_BREAKS: Mapping[str, Callable[[Record, Random], Broken | None]] = {
    each.__name__: each
    for each in (
        wrong_number,
        passed_with_a_playable_card,
        four_at_once,
        pair_undeclared,
        not_in_hand,
        three_pairs_without,
        out_of_turn,
        turn_left_out,
        wrong_box,
        box_opened_again,
        swap_too_late,
        folded,
        wrong_points,
        wrong_winner,
        card_twice,
    )
}
