"""The text and JSON of ``companion log nights``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Final

import click

from companion.cli.language import say, yaku_text
from companion.cli.terminal import print_json
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round_results import result_form
from companion.store import NoSuchNightError, Store

if TYPE_CHECKING:
    from companion.people.nights import GameResult, Night, RoundResult

__all__ = ["print_nights"]

_NO_LIMIT: Final = -1


def print_nights(store: Store | None, night_id: str | None, *, as_json: bool) -> bool:
    """Print all evenings, the most recent first, or one with its rounds; return whether any was printed.

    Raises `NoSuchNightError` if there is no evening ``night_id``.
    """
    if store is None:
        if night_id is not None:
            raise NoSuchNightError(night_id)
        return False
    nights = [store.nights.night(night_id)] if night_id else store.nights.nights(limit=_NO_LIMIT)
    for night in nights:
        if as_json:
            print_json(asdict(night))
        else:
            click.echo("\n".join(_night_text(night)))
    return bool(nights)


def _night_text(night: Night) -> Iterator[str]:
    """Yield a headline, one line for each game, and the rounds of each game if they were loaded."""
    began = datetime.fromisoformat(night.began).astimezone()
    name = f"  {night.name}" if night.name else ""
    yield click.style(f"{night.id}  {began:%Y-%m-%d %H:%M}{name}", bold=True)
    for game in night.games:
        yield f"  {_game_text(game)}"
        for each in game.rounds:
            yield f"    {_round_text(each, game)}"


def _game_text(game: GameResult) -> str:
    rounds = say(Message("night-rounds", {"count": game.played}))
    points = ", ".join(
        f"{_player(name, seat)} {points}"
        for seat, (name, points) in enumerate(zip(game.players, game.points, strict=True), start=1)
    )
    return f"{say(Message(f'game-{game.game}'))}, {rounds}: {points}"


def _round_text(each: RoundResult, game: GameResult) -> str:
    round_name = say(Message("night-round", {"n": each.number}))
    why = say(Message.from_dict(each.why).with_names(game.players))
    yaku = [_yaku(slug, game.game) for seat in each.seats if seat.won for slug, _ in seat.yaku]
    return f"{round_name}: {why}" + (f" ({', '.join(yaku)})" if yaku else "")


def _player(name: str, seat: int) -> str:
    return name or say(player_message(seat))


def _yaku(slug: str, game: str) -> str:
    """Return the name of a yaku; its slug if the game is no longer installed."""
    names = result_form(GAMES[game]).yaku_names if game in GAMES else {}
    return yaku_text(slug, names.get(slug, {"en": slug, "ja": slug}))
