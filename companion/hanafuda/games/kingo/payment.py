"""The payments between bettors and dealer at the showdown of the banking form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...messages import Message, player_message
from .hands import ITTAN, LIMIT, Hand
from .phrases import hand_message, stone_count
from .rules import KingoBankRules

__all__ = ["Settlement", "compare", "settle"]

Result = Literal["won", "lost", "tied"]


@dataclass(frozen=True, slots=True)
class Settlement:
    """The result of one bettor's wager."""

    player: int
    hand: Hand | None
    """None if the bettor was bareta."""
    result: Result
    gets: int
    """What the bettor gets, after the house's part; negative for a loss."""
    dealer_gets: int
    tera_zen: int
    """The house's part; `gets`, `dealer_gets` and this add up to 0."""
    why: Message


def compare(rules: KingoBankRules, bettor: Hand | None, dealer: Hand | None) -> Result:
    """Return a bettor's result; a hand is None if it was bareta.

    A bareta bettor loses even if the dealer is bareta too; a bareta dealer pays all others. Equal hands of 15
    tie; of equal hands below 15 the dealer's wins; two hands of ittan-juuroku have a rule of their own.
    """
    if bettor is None:
        return "lost"
    if dealer is None or bettor.strength > dealer.strength:
        return "won"
    if bettor.strength < dealer.strength:
        return "lost"
    if bettor.rank is ITTAN:
        return "tied" if rules.equal_ittan == "tie" else "lost"
    return "tied" if bettor.value == LIMIT else "lost"


def settle(
    rules: KingoBankRules,
    wagers: Mapping[int, int],
    hands: Mapping[int, Hand],
    dealer: int,
    stones: Sequence[int] | None,
) -> tuple[Settlement, ...]:
    """Settle all wagers, in playing order (the order of `wagers`).

    `hands` are the hands that are not bareta. `stones` is what each player can pay at most, None if unlimited:
    then the dealer collects from the losers first and pays the winners in order until nothing is left.
    """
    bank = hands.get(dealer)
    results = {player: compare(rules, hands.get(player), bank) for player in wagers}
    takes = {
        player: _taken(rules, wager, hands.get(player), bank)
        for player, wager in wagers.items()
        if results[player] == "lost"
    }
    if stones is not None:
        takes = {player: min(due, stones[player - 1]) for player, due in takes.items()}
    left = None if stones is None else stones[dealer - 1] + sum(takes.values())
    settled = []
    for player, wager in wagers.items():
        hand, result = hands.get(player), results[player]
        dealer_gets = takes.get(player, 0)
        due = 0
        if hand is not None and result == "won":
            due = wager * hand.rank.times
            dealer_gets = -(due if left is None else min(due, left))
            left = None if left is None else left + dealer_gets
        tera_zen = max(-dealer_gets, 0) * rules.tera_zen // 100
        gets = -dealer_gets - tera_zen
        why = _why(player, hand, bank, result, gets, tera_zen, short=due > max(-dealer_gets, 0))
        settled.append(Settlement(player, hand, result, gets, dealer_gets, tera_zen, why))
    return tuple(settled)


def _taken(rules: KingoBankRules, wager: int, bettor: Hand | None, dealer: Hand | None) -> int:
    """Return what the dealer takes from a losing bettor.

    It is the wager; with the option `dealer_multiplier` the dealer's teyaku multiplies it, unless the bettor is bareta.
    """
    if rules.dealer_multiplier and bettor is not None and dealer is not None:
        return wager * dealer.rank.times
    return wager


def _why(
    player: int, hand: Hand | None, dealer: Hand | None, result: Result, gets: int, tera_zen: int, short: bool
) -> Message:
    who, amount = player_message(player), stone_count(abs(gets))
    if hand is None:
        return Message("kingo-bareta-lost", {"player": who, "stones": amount})
    text = {
        "won": Message("kingo-bettor-won", {"stones": amount}),
        "lost": Message("kingo-bettor-lost", {"stones": amount}),
        "tied": Message("kingo-bettor-tied"),
    }[result]
    if tera_zen:
        text = Message("kingo-less-tera-zen", {"result": text, "stones": stone_count(tera_zen)})
    if short:
        text = Message("kingo-bank-empty", {"result": text})
    bank = Message("live-has-bareta") if dealer is None else hand_message(dealer)
    params = {"player": who, "hand": hand_message(hand), "dealer": bank, "result": text}
    return Message("kingo-settlement", params)
