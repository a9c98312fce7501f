"""Messages about moves, deals and hands of Kingo."""

from __future__ import annotations

from collections.abc import Iterable

from ...cards import UnknownCardError, card
from ...messages import Message
from ...round import Problem
from ...rules import Text
from .hands import Hand
from .moves import Bareta, Choose, Draw, KingoMove, Pass, Redeal, Show, Wager

__all__ = ["cards", "does", "hand_words", "named", "named_cards", "problem", "stones"]


def problem(code: str, en: str, ja: str) -> Problem:
    """Return a problem with that code and message."""
    return Problem(code, Text(en, ja))


def does(move: KingoMove) -> Message:
    """Return the first clause of a sentence: the player and the action."""
    en, ja = _action(move)
    return Text(f"player {move.player} {en}", f"{move.player}番が{ja}")


def _action(move: KingoMove) -> tuple[str, str]:
    if isinstance(move, Draw | Choose | Show):
        en, ja = {Draw: ("draws", "引く"), Choose: ("chooses", "選ぶ"), Show: ("shows", "見せる")}[type(move)]
        return f"{en} {move.card or 'a card'}", f"{_card_ja(move.card)}を{ja}"
    if isinstance(move, Wager):
        placed = stones(move.stones)
        return f"wagers {placed.en}", f"{placed.ja}を賭ける"
    return {
        Pass: ("passes", "止まる"),
        Bareta: ("says bareta", "バレタと言う"),
        Redeal: ("asks for a new deal", "配り直しを頼む"),
    }[type(move)]


def _card_ja(card_id: str | None) -> str:
    if card_id is None:
        return "一枚"
    try:
        return card(card_id).names.ja
    except UnknownCardError:
        return card_id


def stones(number: int) -> Message:
    """Return a number of stones as text."""
    return Text(f"{number} stone{'' if number == 1 else 's'}", f"{number}個")


def cards(number: int) -> Message:
    """Return a number of cards as text."""
    return Text(f"{number} card{'' if number == 1 else 's'}", f"{number}枚")


def named_cards(ids: Iterable[str | None]) -> Message:
    """Return a list of cards as text: ids in English, names in Japanese, a question mark for a hidden one."""
    listed = tuple(ids)
    return Text(
        ", ".join(each or "?" for each in listed),
        "、".join(_card_ja(each) if each else "？" for each in listed),
    )


def hand_words(hand: Hand) -> Message:
    """Return a hand as text: a teyaku by its name, any other hand by its value."""
    if hand.rank.teyaku:
        return Text(f"{hand.rank.en} ({hand.value})", f"{hand.rank.ja}（{hand.value}点）")
    if hand.bareta:
        return Text(f"bareta ({hand.value})", f"バレタ（{hand.value}点）")
    return Text(str(hand.value), f"{hand.value}点")


def named(players: Iterable[int]) -> Message:
    """Return players as text: "player 1", "players 1 and 3"."""
    numbers = list(map(str, players))
    ja = "・".join(f"{number}番" for number in numbers)
    if len(numbers) == 1:
        return Text(f"player {numbers[0]}", ja)
    return Text(f"players {', '.join(numbers[:-1])} and {numbers[-1]}", ja)
