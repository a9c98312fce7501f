"""Read the data of events: a table's rules, its players' names, a move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.hanafuda.errors import BadRequestError, shown
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Move, Round
from companion.hanafuda.rules import Rules, resolve

__all__ = ["MAX_NAME", "read_move", "read_name", "read_players", "read_rules"]

MAX_NAME = 40
"""Characters of a person's name; more do not fit on a phone's page."""


def read_move(played: Round[Any, Any, Any] | type[Round[Any, Any, Any]], data: Mapping[str, Any]) -> Move:
    """Return the move of a `moved` event in a round, or in a game; `BadRequestError` where the game has no such move."""
    try:
        move: Move = played.read_move(data["player"], list(data["words"]))
    except BadRequestError:
        raise
    except (ValueError, IndexError, TypeError) as error:
        raise BadRequestError(f"{shown(' '.join(data['words']))} is no move: {error}") from None
    return move


def read_rules(data: Mapping[str, Any]) -> Rules:
    """Return the rules of an `opened` event."""
    game = data.get("game")
    if not isinstance(game, str) or game not in GAMES:
        raise BadRequestError(f"there is no game {shown(game)}; there are {', '.join(GAMES)}")
    return resolve(data.get("rules"), game)


def read_players(data: Mapping[str, Any], rules: Rules) -> tuple[str, ...]:
    """Return the players' names of an `opened` event, in order; so many as the rules know."""
    names = data.get("players")
    if not isinstance(names, list | tuple):
        raise BadRequestError(f"players must be a list of names, not {shown(names)}")
    seats = GAMES[rules.game].round.seats(rules)
    if len(names) not in seats:
        few, many = seats[0], seats[-1]
        known = f"{few}" if few == many else f"{few} to {many}"
        raise BadRequestError(f"by the rules {rules.name} {known} play, not {len(names)}")
    return tuple(read_name(name) for name in names)


def read_name(reported: object) -> str:
    """Return a person's name, empty for none; `BadRequestError` for what is not a name."""
    if reported is None:
        return ""
    if not isinstance(reported, str) or len(reported) > MAX_NAME:
        raise BadRequestError(f"a name has up to {MAX_NAME} characters, unlike {shown(reported)}")
    return " ".join(reported.split())
