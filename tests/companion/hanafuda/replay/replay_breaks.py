"""Legal records of the fishing games with one thing broken, each in a way that replay must notice and name.

A break takes a record and a lot-drawer and changes one thing of a copy. It says where (the turn, from 1; 0 the
deal, None the result) and under which code replay must name it there; it returns None where the round has no
place for it. What lies where is worked out here from the record alone, not by the program's own rounds.
"""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from companion.hanafuda.rules import resolve

__all__ = ["BREAKS", "Broken", "Record", "card_twice", "hide", "one_of", "wrong_points"]

Record = dict[str, Any]


@dataclass(frozen=True)
class Broken:
    record: Record
    turn: int | None
    code: str


def flower(card: str) -> str:
    return card.split("-", maxsplit=1)[0]


def hide(record: Record) -> Record:
    """Return the record as watching creates it: without hands and stock, but with calls and revealed cards."""
    deal, game = record["deal"], record["game"]
    if game == "kakkuri":
        return {**record, **_kakkuri_seen(record)}
    if game.startswith("kingo") and resolve(record["rules"], game).to_dict()["hands"] == "face_up":
        return {**record, "deal": {"hands": deal["hands"]}}
    if game == "kingo":
        return {**record, "deal": {}, "turns": _with_revealed_hands(record)}
    if game == "kingo-bank" and not resolve(record["rules"], game).to_dict()["dealer_discards"]:
        dealer = str(record["dealer"])
        return {**record, "deal": {"hands": {dealer: deal["hands"][dealer]}}}
    return {**record, "deal": {"field": deal["field"]} if "field" in deal else {}}


def _kakkuri_seen(record: Record) -> Record:
    """A player who dropped out of eight has shown the card, and a winner before the box is opened shows the lucky
    hand."""
    box, winner = set(record["deal"]["stock"]), record["result"]["winner"]
    hands = record["deal"]["hands"].items()
    dropped = [int(player) for player, hand in hands if record["players"] == 8 and set(hand) == box]
    turns = record["turns"]
    if winner and not any("box" in turn for turn in turns):
        turns = [*turns, {"player": winner, "declares": "lucky-hand"}]
    return {"deal": {"dropped": dropped[0]} if dropped else {}, "turns": turns}


def _with_revealed_hands(record: Record) -> list[Any]:
    """A bareta hand is revealed immediately, the others after all players have passed."""
    hands, turns = record["deal"]["hands"], deepcopy(record["turns"])
    for turn in turns:
        if turn.get("bareta"):
            turn["show"] = hands[str(turn["player"])]
    displayed = [
        {"player": turn["player"], "show": hands[str(turn["player"])]} for turn in turns if "pass" in turn
    ]
    return turns + displayed


@dataclass
class Half:
    """Half a turn, the hand card or the drawn one, and the state before it."""

    turn: int
    card: str
    card_key: str
    key: str
    captured: list[str]
    field: list[str]
    hands: dict[str, list[str]]
    stock: list[str]
    piles: list[str]

    def matches(self, card: str) -> list[str]:
        return [each for each in self.field if flower(each) == flower(card)]

    def capture(self, card: str) -> list[str]:
        """Return what a card captures legally, as a record writes it; of two matches the first."""
        found = self.matches(card)
        return [card, *(found if len(found) == 3 else found[:1])] if found else []


def halves(record: Record) -> Iterator[Half]:
    hands = deepcopy(record["deal"]["hands"])
    field, stock = list(record["deal"]["field"]), list(record["deal"]["stock"])
    piles = [card for card in field if len([each for each in field if flower(each) == flower(card)]) == 4]
    field = [card for card in field if card not in piles]  # four of a month that the dealer takes
    for number, turn in enumerate(record["turns"], start=1):
        for card_key, key in (("play", "captured"), ("draw", "draw_captured")):
            if (card := turn[card_key]) is None:
                continue
            captured = turn[key]
            before = (field, hands, stock, piles)
            yield Half(number, card, card_key, key, captured, *deepcopy(before))
            (hands[str(turn["player"])] if card_key == "play" else stock).remove(card)
            piles += captured
            field = [each for each in [*field, card] if each not in captured]


def changed(record: Record, half: Half, **values: Any) -> Record:
    broken = deepcopy(record)
    for key, value in values.items():
        broken["turns"][half.turn - 1][key] = value
    return broken


def one_of(rng: Random, found: list[Any]) -> Any:
    return rng.choice(found) if found else None


def wild(record: Record, card: str) -> bool:
    """Return whether the card may be one that matches everything by the record's rules."""
    rules = record["rules"]
    return card == "willow-lightning" and isinstance(rules, dict) and "lightning_wild" in rules


# --- the breaks


def wrong_flower(record: Record, rng: Random) -> Broken | None:
    places = [each for each in halves(record) if not wild(record, each.card)]
    places = [each for each in places if len(each.field) > len(each.matches(each.card))]
    if (half := one_of(rng, places)) is None:
        return None
    other = rng.choice([each for each in half.field if flower(each) != flower(half.card)])
    broken = changed(record, half, **{half.key: [half.card, other]})
    return Broken(broken, half.turn, "wrong-flower")


def capture_refused(record: Record, rng: Random) -> Broken | None:
    half = one_of(rng, [each for each in halves(record) if each.captured])
    return half and Broken(changed(record, half, **{half.key: []}), half.turn, "capture-refused")


def one_of_three(record: Record, rng: Random) -> Broken | None:
    places = [each for each in halves(record) if not wild(record, each.card)]
    half = one_of(rng, [each for each in places if len(each.captured) == 4])
    if half is None:
        return None
    fewer = [half.card, *rng.sample(half.matches(half.card), rng.choice([1, 2]))]
    return Broken(changed(record, half, **{half.key: fewer}), half.turn, "one-of-three")


def not_in_hand(record: Record, rng: Random) -> Broken | None:
    half = one_of(rng, [each for each in halves(record) if each.card_key == "play"])
    if half is None:
        return None
    player = record["turns"][half.turn - 1]["player"]
    card = one_of(rng, [card for who, hand in half.hands.items() if who != str(player) for card in hand])
    if card is None:
        return None
    broken = changed(record, half, play=card, captured=half.capture(card))
    return Broken(broken, half.turn, "not-in-hand")


def wrong_draw(record: Record, rng: Random) -> Broken | None:
    half = one_of(rng, [each for each in halves(record) if each.card_key == "draw" and len(each.stock) > 1])
    if half is None:
        return None
    card = rng.choice(half.stock[1:])
    broken = changed(record, half, draw=card, draw_captured=half.capture(card))
    return Broken(broken, half.turn, "wrong-draw")


def out_of_turn(record: Record, rng: Random) -> Broken | None:
    half = one_of(rng, list(halves(record)))
    if half is None:
        return None
    other = 3 - record["turns"][half.turn - 1]["player"]
    return Broken(changed(record, half, player=other), half.turn, "out-of-turn")


def call_without_yaku(record: Record, rng: Random) -> Broken | None:
    return _called_without_yaku(record, rng, "koikoi", "call-without-yaku")


def stop_without_yaku(record: Record, rng: Random) -> Broken | None:
    return _called_without_yaku(record, rng, "stop", "stop-without-yaku")


def _called_without_yaku(record: Record, rng: Random, output: str, code: str) -> Broken | None:
    quiet = [half for half in halves(record) if record["turns"][half.turn - 1]["call"] is None]
    half = one_of(rng, quiet)
    return half and Broken(changed(record, half, call=output), half.turn, code)


def no_decision(record: Record, rng: Random) -> Broken | None:
    """An omitted call; a forced stop (empty hand) need not be recorded."""
    forcing = {"max_calls", "call_min_points"} & set(record["rules"])
    calls = {"koikoi"} if forcing else {"koikoi", "stop"}
    called = [half for half in halves(record) if record["turns"][half.turn - 1]["call"] in calls]
    half = one_of(rng, [half for half in called if _left(record, half)])
    return half and Broken(changed(record, half, call=None), half.turn, "decision-missing")


def _left(record: Record, half: Half) -> set[str]:
    """Return the cards left in the hand of the player whose turn it is after the hand card was played."""
    return {*half.hands[str(record["turns"][half.turn - 1]["player"])]} - {half.card}


def wrong_points(record: Record, rng: Random) -> Broken | None:
    broken = deepcopy(record)
    points = broken["result"]["points"]
    points[rng.choice(list(points))] += rng.choice([-2, -1, 1, 2])
    return Broken(broken, None, "wrong-points")


def card_twice(record: Record, rng: Random) -> Broken | None:
    broken = deepcopy(record)
    deal = broken["deal"]
    parts = [deal.get("field", []), *deal.get("hands", {}).values(), deal.get("stock") or []]
    places = [(part, place) for part in parts for place in range(len(part))]
    (to, place), (other, here) = rng.sample(places, 2)
    to[place] = other[here]
    return Broken(broken, 0, "card-twice")


def captured_before(record: Record, rng: Random) -> Broken | None:
    half = one_of(rng, [each for each in halves(record) if each.piles])
    if half is None:
        return None
    again = [*(half.captured or [half.card]), rng.choice(half.piles)]
    return Broken(changed(record, half, **{half.key: again}), half.turn, "captured-before")


BREAKS: Mapping[str, Callable[[Record, Random], Broken | None]] = {
    each.__name__: each
    for each in (
        wrong_flower,
        capture_refused,
        one_of_three,
        not_in_hand,
        wrong_draw,
        out_of_turn,
        call_without_yaku,
        stop_without_yaku,
        no_decision,
        wrong_points,
        card_twice,
        captured_before,
    )
}
"""The eleven breaks of issue 3, a call and a stop without yaku separately."""
