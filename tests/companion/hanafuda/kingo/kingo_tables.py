"""Parser of the golden tables of Kingo: cards by month, deals, and moves."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.hanafuda.games.kingo import (
    Bareta,
    Choose,
    Draw,
    KingoBankRound,
    KingoMove,
    KingoRound,
    Pass,
    Redeal,
    Show,
    Wager,
)
from companion.hanafuda.games.kingo.hands import AnyKingoRules, deck_of
from companion.hanafuda.games.kingo.rules import KingoBankRules, KingoRules
from companion.hanafuda.round import Deal
from companion.hanafuda.rules import resolve

GOLDEN = Path(__file__).parents[3] / "golden"
AnyRound = KingoRound | KingoBankRound


def cases(name: str) -> list[Any]:
    found = []
    lines = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith("#"):
            columns = [column.strip() for column in line.split("|")]
            assert columns[-1], f"line {number} names no source"
            found.append(pytest.param(*columns[:-1], id=f"{name}:{number}"))
    return found


def rules_of(text: str) -> AnyKingoRules:
    preset, *changes = text.split()

    def value(word: str) -> Any:
        try:
            return json.loads(word)
        except ValueError:
            return word

    reported = dict(change.split("=") for change in changes)
    found = resolve({"preset": preset, **{key: value(word) for key, word in reported.items()}})
    assert isinstance(found, KingoRules | KingoBankRules)
    return found


def situation_of(text: str) -> dict[str, list[int]]:
    return {
        key: [int(n) for n in reported.split(",")]
        for key, reported in (word.split("=") for word in text.split())
    }


class Box:
    """The cards of a deck, which are taken by month."""

    def __init__(self, rules: AnyKingoRules) -> None:
        self.left: dict[int, list[str]] = {}
        for card, month in deck_of(rules.deck).items():
            self.left.setdefault(month, []).append(card)

    def take(self, month: int) -> str:
        return self.left[month].pop(0)

    def any(self) -> str:
        return next(cards.pop() for cards in reversed(self.left.values()) if cards)

    def rest(self) -> tuple[str, ...]:
        return tuple(card for cards in self.left.values() for card in cards)


def lay_out(rules: AnyKingoRules, situation: dict[str, list[int]], hands: list[list[int]]) -> AnyRound:
    """Return a round in which the players hold these months, ready for them to draw."""
    box = Box(rules)
    dealer = situation.get("dealer", [1])[0]
    stones = situation.get("stones")
    if isinstance(rules, KingoRules):
        cards = [[box.take(month) for month in hand] for hand in hands]
        order = [(dealer - 1 + step) % len(hands) for step in range(len(hands))]
        drawn = [card for seat in order for card in cards[seat][1:]]
        deal = Deal(tuple(tuple(hand[:1]) for hand in cards), stock=(*drawn, *box.rest()))
        return KingoRound(rules, deal, dealer=dealer, wager=situation.get("wager", [None])[0], stones=stones)
    all_three = dealer if not rules.dealer_discards else 0
    kept = [
        [box.take(month) for month in hand[: 3 if player == all_three else 1]]
        for player, hand in enumerate(hands, start=1)
    ]
    later = [month for hand in hands for month in hand[1:]]
    for month in later:
        box.left[month].append(box.left[month].pop(0))  # the discards are taken from the others
    dealt = tuple(
        tuple(hand) if player == all_three or not hand else (hand[0], box.any(), box.any())
        for player, hand in enumerate(kept, start=1)
    )
    played = KingoBankRound(rules, Deal(dealt, stock=box.rest()), dealer=dealer, stones=stones)
    for player in played.order:
        if player != all_three:
            played.push(Choose(player, kept[player - 1][0]))
    bettors = sorted(played.bettors)
    for player, wager in zip(bettors, situation["wagers"], strict=True):
        played.push(Wager(player, wager))
    return played


def months_of(hand: str) -> tuple[list[int], bool]:
    """Return the months of a hand, and whether it is declared bareta."""
    return [int(month) for month in hand.rstrip("!").split("-") if month], hand.endswith("!")


def play(played: AnyRound, hands: list[tuple[list[int], bool]]) -> None:
    """Play a prepared round, each hand to its end."""
    for player in played.order:
        months, bareta = hands[player - 1]
        if played.outcome() is not None:
            assert len(months) == 1, "the round is over, the dealer draws no more"
            continue
        for month in months[
            len(played.deal.hands[player - 1])
            if isinstance(played, KingoRound)
            else _hand_size(played, player) :
        ]:
            played.push(Draw(player, _next_card(played, month)))
        played.push(Bareta(player) if bareta else Pass(player))


def _hand_size(played: AnyRound, player: int) -> int:
    return len(played._states[-1].seats[player - 1].cards)


def _next_card(played: AnyRound, month: int) -> str:
    state = played._states[-1]
    if state.stock[0] is not None:
        return state.stock[0]
    return free_card(played, month)


def free_card(played: AnyRound, month: int) -> str:
    """Return a card of a month that is in no known hand."""
    state = played._states[-1]
    known = {card for seat in state.seats for card in seat.known}
    deck = deck_of(played.rules.deck)
    free = [card for card, worth in deck.items() if worth == month and card not in known]
    return free[0] if free else next(card for card, worth in deck.items() if worth == month)


def dealt_of(rules: AnyKingoRules, text: str) -> AnyRound:
    """Return the round of a moves table's line: months dealt, ? for hidden, the draw pile hidden."""
    box = Box(rules)
    hands = tuple(
        tuple(None if month == "?" else box.take(int(month)) for month in hand.strip().split("-"))
        for hand in text.split(",")
    )
    deal = Deal(hands, stock=(None,) * (40 - sum(map(len, hands))))
    if isinstance(rules, KingoRules):
        return KingoRound(rules, deal, dealer=1)
    return KingoBankRound(rules, deal, dealer=1)


def move_of(played: AnyRound, text: str) -> KingoMove:
    """Return the move that a line describes by months."""
    player, done, *reported = text.split()
    number = int(player)
    word = reported[0] if reported else ""
    if done in {"pass", "bareta", "redeal"}:
        return {"pass": Pass, "bareta": Bareta, "redeal": Redeal}[done](number)
    if done == "wager":
        return Wager(number, int(word))
    if word == "?":
        return {"draw": Draw, "choose": Choose}[done](number, None)
    month = int(word)
    if done == "choose":
        dealt = played._states[-1].seats[number - 1].cards
        own = [card for card in dealt if card and deck_of(played.rules.deck)[card] == month]
        return Choose(number, own[0] if own else free_card(played, month))
    return {"draw": Draw, "show": Show}[done](number, free_card(played, month))


def split(text: str) -> Iterator[str]:
    return (part.strip() for part in text.split(",") if part.strip())
