"""``companion games``: lists the games with their yaku and rule presets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from companion.cli.language import say, yaku_text
from companion.cli.terminal import json_option, print_result
from companion.hanafuda.messages import Message
from companion.hanafuda.scoring import games as known_games
from companion.messages import render
from companion.messages.rules_names import rules_label


@click.command()
@json_option
def games(as_json: bool) -> None:
    """List the games, with their yaku and the presets of their rules."""
    for game in known_games():
        print_result(game, _game_lines(game), as_json=as_json)


def _game_lines(game: Mapping[str, Any]) -> Iterator[str]:
    title = Message.from_dict(game["names"])
    yield click.style(f"{game['game']}  {_with_japanese(say(title), render(title, 'ja'))}", bold=True)
    yaku = [yaku_text(slug, names) for slug, names in game["yaku"].items()]
    if yaku:
        yield click.wrap_text(", ".join(yaku), width=100, initial_indent="  ", subsequent_indent="  ")
    yield f" {say(Message('cli-games-rules'))}"
    for preset in game["presets"]:
        sentence = say(Message.from_dict(preset["sentence"]))
        yield f"    {preset['name']:<16} {say(rules_label(preset['name']))}: {sentence}"


def _with_japanese(name: str, japanese: str) -> str:
    return name if name == japanese else f"{name} {japanese}"
