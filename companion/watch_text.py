"""Sentences for a terminal from the JSON lines of ``companion watch`` (`companion.watch_lines`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from companion.hanafuda.cards import card
from companion.hanafuda.families.fishing import PLAY_ON
from companion.hanafuda.messages import Message
from companion.messages import render

__all__ = ["line_text"]


def line_text(line: Mapping[str, Any], players: Sequence[str]) -> str:
    """Return a line as a sentence; ``players``: the players' names in order of their seats."""
    who = f"{click.style(players[line['player'] - 1], bold=True)}" if "player" in line else ""
    text = _FORMATS[line["event"]](line)
    if line["event"] == "undone":
        text += line_text({"frame": None, **line["of"]}, players)
    if line["event"] == "round":
        text += _points(line, players)
    details = [line.get("frame") or "", f"{line['confidence']:.0%}" if line.get("confidence") else ""]
    return f"{who}{text}  {click.style(' '.join(details).strip(), dim=True)}".rstrip()


def _deal(line: Mapping[str, Any]) -> str:
    field = f": {_cards(line['field'])}" if line["field"] else ""
    return f"{click.style('Deal', bold=True)}{field}"


def _turn(line: Mapping[str, Any]) -> str:
    if "play" not in line:
        parts = [_PARTS[key](value) for key, value in line.items() if key in _PARTS]
        return f": {', '.join(part for part in parts if part)}"
    drawn = f"; draws {_taken(line['draw'], line['draw_captured'])}" if line["draw"] else ""
    return f": {_taken(line['play'], line['captured'])}{drawn}"


def _discards(groups: Sequence[Sequence[str]]) -> str:
    return f"discards {'; '.join(map(_cards, groups))}" if groups else "passes"


def _draws(cards: Sequence[str | None]) -> str:
    known = [card for card in cards if card is not None]
    if len(known) == len(cards):
        return f"draws {_cards(known)}"
    return f"draws {len(cards)} card{'s' if len(cards) > 1 else ''}"


_PARTS: Mapping[str, Callable[[Any], str]] = {
    "swap": lambda accept: "takes the dealer's hand" if accept else "keeps the hand",
    "box": lambda card: f"turns up {_card(card)}",
    "declares": lambda what: what.replace("-", " "),
    "discards": _discards,
    "fold": lambda _: "folds",
    "redeal": lambda _: "asks for a new deal",
    "choose": lambda card: f"keeps {_card(card)}" if card else "keeps a card",
    "wager": lambda stones: f"wagers {stones}",
    "draws": _draws,
    "show": lambda cards: f"shows {_cards(cards)}",
    "pass": lambda _: "passes",
    "bareta": lambda _: "bareta",
}
"""By key of a turn of a game without a field, the text of that part."""


def _yaku(line: Mapping[str, Any]) -> str:
    yaku = ", ".join(f"{each['ja']} {each['name']} {each['points']}" for each in line["yaku"])
    return f" has {click.style(yaku, fg='yellow', bold=True)}"


_CALLS = {PLAY_ON: "button-koi-koi", "stop": "button-stop", "win": "move-call-win"}
"""The messages of the calls."""


def _call(line: Mapping[str, Any]) -> str:
    call = line["call"]
    message = Message(_CALLS[call]) if call in _CALLS else Message("text", {"en": call})
    text = f"{render(message)} {render(message, 'ja')}"
    return f": {click.style(text, fg='magenta', bold=True)}"


def _problem(line: Mapping[str, Any]) -> str:
    return f"{click.style('Problem', fg='red', bold=True)}: {line['message']} [{line['code']}]"


def _question(line: Mapping[str, Any]) -> str:
    answers = " / ".join(f"{choice['says']} ({choice['p']:.0%})" for choice in line["choices"])
    return f"{click.style('Unsure', fg='cyan', bold=True)}: {line['text']} {answers}"


def _undone(line: Mapping[str, Any]) -> str:
    return f"{click.style('Taken back', fg='cyan', bold=True)}: "


def _round(line: Mapping[str, Any]) -> str:
    return f"{click.style('Round', bold=True)}, {len(line['turns'])} turns: "


_FORMATS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "deal": _deal,
    "turn": _turn,
    "yaku": _yaku,
    "call": _call,
    "problem": _problem,
    "question": _question,
    "undone": _undone,
    "round": _round,
}
"""By event, the sentence without the player's name and the frame."""


def _taken(played: str, captured: Sequence[str]) -> str:
    rest = [each for each in captured if each != played]
    return _card(played) + (f" takes {_cards(rest)}" if rest else "")


def _cards(cards: Sequence[str]) -> str:
    return ", ".join(map(_card, cards))


def _card(name: str) -> str:
    names = card(name).names
    return f"{names.en} {names.ja}"


def _points(line: Mapping[str, Any], players: Sequence[str]) -> str:
    if "result" not in line:
        return "not over when the camera stopped"
    return ", ".join(
        f"{players[int(seat) - 1]} {points:+d}" for seat, points in line["result"]["points"].items()
    )
