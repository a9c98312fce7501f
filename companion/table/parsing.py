"""Parse the data of events: a table's rules, its players' names, a move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.hanafuda.errors import BadRequestError, UnknownGameError, quote
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Move, Round
from companion.hanafuda.rules import Rules, resolve
from companion.messages.rules_names import rules_label
from companion.names import MAX_NAME, tidy_name


def read_move(played: Round[Any, Any, Any] | type[Round[Any, Any, Any]], data: Mapping[str, Any]) -> Move:
    """Return the move of a `moved` event; raises `BadRequestError` if the game has no such move.

    ``played`` is the round, or the round class of a game.
    """
    try:
        move: Move = played.read_move(data["player"], list(data["words"]))
    except BadRequestError:
        raise
    except (ValueError, IndexError, TypeError) as error:
        raise BadRequestError(f"{quote(' '.join(data['words']))} is not a move: {error}") from None
    return move


def read_rules(data: Mapping[str, Any]) -> Rules:
    """Return the rules of an `opened` event, under the name that the table uses for them."""
    game = data.get("game")
    if not isinstance(game, str) or game not in GAMES:
        raise UnknownGameError(game, GAMES)
    rules = resolve(data.get("rules"), game)
    name = data.get("rules_name")
    return replace(rules, name=name) if isinstance(name, str) and name else rules


def read_players(data: Mapping[str, Any], rules: Rules) -> tuple[str, ...]:
    """Return the players' names of an `opened` event, in order; raises `BadRequestError` if the rules do not allow their number."""
    names = data.get("players")
    if not isinstance(names, list | tuple):
        raise BadRequestError(f"players must be a list of names, not {quote(names)}")
    seats = GAMES[rules.game].round.seats(rules)
    if len(names) not in seats:
        allowed = f"{seats[0]}" if len(seats) == 1 else f"{seats[0]}–{seats[-1]}"
        raise BadRequestError(
            Message(
                "table-wrong-players",
                {"rules": rules_label(rules.name), "players": allowed, "count": len(names)},
            )
        )
    return tuple(read_name(name) for name in names)


def read_player_ids(data: Mapping[str, Any], count: int) -> tuple[str | None, ...]:
    """Return the players' ids of an `opened` event, None where the name is the id; raises `BadRequestError` if there are not ``count``."""
    ids = data.get("player_ids")
    if ids is None:
        return (None,) * count
    if not isinstance(ids, list | tuple) or len(ids) != count:
        raise BadRequestError(f"player_ids must be a list of {count} ids, not {quote(ids)}")
    return tuple(read_player_id(each) for each in ids)


def read_player_id(value: object) -> str | None:
    """Return the id of a player, empty for a guest, None for nothing; raises `BadRequestError` for anything else."""
    if value is None or (isinstance(value, str) and len(value) <= MAX_NAME):
        return value
    raise BadRequestError(f"a player's id has up to {MAX_NAME} characters, unlike {quote(value)}")


def read_name(value: object) -> str:
    """Return a person's name, empty for None; raises `BadRequestError` for anything that is not a name."""
    if value is None:
        return ""
    name = tidy_name(value) if isinstance(value, str) else None
    if name is None or len(name) > MAX_NAME:
        raise BadRequestError(Message("table-bad-name", {"name": quote(value), "max": MAX_NAME}))
    return name
