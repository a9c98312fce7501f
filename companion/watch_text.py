"""Sentences for a terminal from the JSON lines of ``companion watch`` (`companion.watch_lines`), in the language of the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from companion.cli.language import card_text, cli_language, say, yaku_text
from companion.hanafuda.fishing import PLAY_ON
from companion.hanafuda.messages import Message
from companion.messages import render
from companion.table.history import MIN_ORDER_CONFIDENCE


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
    return f"{_bold('event-dealt')}{field}"


def _turn(line: Mapping[str, Any]) -> str:
    if "play" in line:
        parts = [_taken("play", line["play"], line["captured"])]
        if line["draw"]:
            parts.append(_taken("draw", line["draw"], line["draw_captured"]))
        order = line.get("order_confidence")
        if order is not None and order < MIN_ORDER_CONFIDENCE:
            parts.append(say(Message("turn-order-unknown")))
        return f": {'; '.join(parts)}"
    return f": {', '.join(say(_PARTS[key](value)) for key, value in line.items() if key in _PARTS)}"


def _draws(cards: Sequence[str | None]) -> Message:
    known = [card for card in cards if card is not None]
    text = _cards(known) if len(known) == len(cards) else say(Message("cards", {"count": len(cards)}))
    return Message("move-draw", {"cards": text})


def _discards(groups: Sequence[Sequence[str]]) -> Message:
    return (
        Message("move-discard", {"cards": "; ".join(map(_cards, groups))}) if groups else Message("move-pass")
    )


_PARTS: Mapping[str, Callable[[Any], Message]] = {
    "swap": lambda accept: Message("move-swap" if accept else "move-keep"),
    "box": lambda card: Message("move-box", {"cards": card_text(card)}),
    "declares": lambda what: Message(f"move-{what}"),
    "discards": _discards,
    "fold": lambda _: Message("move-fold"),
    "redeal": lambda _: Message("move-redeal"),
    "choose": lambda card: Message(
        "move-choose", {"cards": card_text(card) if card else say(Message("cards", {"count": 1}))}
    ),
    "wager": lambda stones: Message("move-wager", {"stones": stones}),
    "draws": _draws,
    "show": lambda cards: Message("move-show", {"cards": _cards(cards)}),
    "pass": lambda _: Message("move-pass"),
    "bareta": lambda _: Message("move-bareta"),
}
"""By key of a turn of a game without a field, the text of that part."""


def _yaku(line: Mapping[str, Any]) -> str:
    yaku = ", ".join(f"{yaku_text(each['name'], each)} {each['points']}" for each in line["yaku"])
    return f": {click.style(yaku, fg='yellow', bold=True)}"


_CALLS = {PLAY_ON: "button-koi-koi", "stop": "button-stop", "win": "move-call-win"}
"""The messages of the calls."""


def _call(line: Mapping[str, Any]) -> str:
    call = line["call"]
    message = Message(_CALLS[call]) if call in _CALLS else Message("text", {"en": call})
    text = f"{say(message)} {render(message, 'ja')}" if cli_language() == "en" else say(message)
    return f": {click.style(text, fg='magenta', bold=True)}"


def _problem(line: Mapping[str, Any]) -> str:
    return f"{_bold('cli-watch-problem', 'red')}: {_reason(line)} [{line['code']}]"


def _question(line: Mapping[str, Any]) -> str:
    answers = " / ".join(f"{_reason(choice)} ({choice['p']:.0%})" for choice in line["choices"])
    return f"{_bold('cli-watch-unsure', 'cyan')}: {_reason(line)} {answers}"


def _reason(line: Mapping[str, Any]) -> str:
    return say(Message.from_dict(line["reason"]))


def _undone(line: Mapping[str, Any]) -> str:
    return f"{_bold('cli-watch-undone', 'cyan')}: "


def _round(line: Mapping[str, Any]) -> str:
    return f"{_bold('live-round-word')}, {say(Message('cli-watch-turns', {'count': len(line['turns'])}))}: "


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


def _bold(code: str, color: str | None = None) -> str:
    return click.style(say(Message(code)), fg=color, bold=True)


def _taken(action: str, played: str, captured: Sequence[str]) -> str:
    """Return the text of a card that is played or drawn, with what it takes."""
    card, rest = card_text(played), [each for each in captured if each != played]
    if not rest:
        return say(Message(f"move-{action}-lays", {"card": card}))
    return say(Message(f"move-{action}-takes", {"card": card, "takes": _cards(rest)}))


def _cards(cards: Sequence[str]) -> str:
    return ", ".join(map(card_text, cards))


def _points(line: Mapping[str, Any], players: Sequence[str]) -> str:
    if "result" not in line:
        return say(Message("cli-watch-not-over"))
    return ", ".join(
        f"{players[int(seat) - 1]} {points:+d}" for seat, points in line["result"]["points"].items()
    )
