"""What a table can be told: the shape of each kind of event, and errors that say what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.errors import BadRequestError, did_you_mean, nearest, shown
from companion.game import Move, Round
from companion.games import GAMES
from companion.rules import RECORDS, Rules, resolve
from companion.table.events import KINDS, Kind
from companion.table.history import GAME
from companion.told import whole_number

__all__ = ["check_shape", "read_move", "read_players", "read_rules", "seat_of"]

_PUT_IN = GAME - {"seated"}
_NAME = 40


def check_shape(kind: str, data: object, players: int) -> None:
    """Raise `BadRequestError` for an event that cannot be read; whether it can be is the table's affair."""
    if kind not in KINDS:
        raise BadRequestError(f"there is no event {shown(kind)}{did_you_mean(nearest(kind, KINDS)[:1])}")
    if not isinstance(data, Mapping):
        raise BadRequestError(f"the data of {kind} must be an object, not {shown(data)}")
    match kind:
        case "seated":
            seat_of(data, "seat", players)
            _name(data.get("name"))
        case "dealt":
            if data.get("dealer") is not None:
                seat_of(data, "dealer", players)
            if not isinstance(data.get("deal") or {}, Mapping):
                raise BadRequestError(
                    f"deal must be an object with field, hands, stock, not {shown(data['deal'])}"
                )
        case "began":
            seat_of(data, "dealer", players)
        case "moved":
            seat_of(data, "player", players)
            _words(data.get("words"))
        case "set":
            seat_of(data, "to_move", players)
            _ids(data.get("field"), "field")
            _ids_a_player(data.get("captured"), players)
        case "undone" | "settled" | "answered":
            whole_number(data.get("of"), "of", 1)
        case "corrected" | "inserted":
            _instead(kind, data, players)
        case "noticed":
            _text(data.get("message"), "message")
        case "asked":
            _text(data.get("text"), "text")
            _choices(data.get("choices"), players)


def seat_of(data: Mapping[str, Any], key: str, players: int) -> int:
    """Return a player's number; `BadRequestError` where it is none."""
    return whole_number(data.get(key), key, 1, players)


def read_move(played: Round[Any, Any, Any], data: Mapping[str, Any]) -> Move:
    """Return the move of a `moved` event; `BadRequestError` where the game has none such."""
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
    if not isinstance(game, str) or game not in RECORDS:
        raise BadRequestError(f"there is no game {shown(game)}; there are {', '.join(RECORDS)}")
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
    return tuple(_name(name) for name in names)


def _name(told: object) -> str:
    if told is None:
        return ""
    if not isinstance(told, str) or len(told) > _NAME:
        raise BadRequestError(f"a name has up to {_NAME} characters, unlike {shown(told)}")
    return " ".join(told.split())


def _instead(kind: str, data: Mapping[str, Any], players: int) -> None:
    whole_number(
        data.get("of" if kind == "corrected" else "before"), "of" if kind == "corrected" else "before", 1
    )
    told: Kind | None = data.get("kind")
    if told is None and kind == "corrected":
        return
    if told == "opened" and kind == "corrected" and data.get("of") == 1:
        return
    if told not in _PUT_IN:
        raise BadRequestError(f"{kind} puts in one of {', '.join(sorted(_PUT_IN))}, not {shown(told)}")
    check_shape(told, data.get("data") or {}, players)


def _words(told: object) -> None:
    if not isinstance(told, list | tuple) or not told or not all(isinstance(word, str) for word in told):
        raise BadRequestError(f'words must be a list like ["play", id, …], not {shown(told)}')


def _ids(told: object, key: str) -> None:
    if not isinstance(told, list | tuple) or not all(isinstance(each, str) for each in told):
        raise BadRequestError(f"{key} must be a list of card ids, not {shown(told)}")


def _ids_a_player(told: object, players: int) -> None:
    if not isinstance(told, list | tuple) or len(told) != players:
        raise BadRequestError(
            f"captured must be {players} lists of card ids, one a player, not {shown(told)}"
        )
    for pile in told:
        _ids(pile, "captured")


def _text(told: object, key: str) -> None:
    if not isinstance(told, Mapping) or not all(isinstance(told.get(tongue), str) for tongue in ("en", "ja")):
        raise BadRequestError(f'{key} must be a sentence like {{"en": …, "ja": …}}, not {shown(told)}')


def _choices(told: object, players: int) -> None:
    if not isinstance(told, list | tuple):
        raise BadRequestError(f"choices must be a list, not {shown(told)}")
    for choice in told:
        if not isinstance(choice, Mapping) or not isinstance(choice.get("events", ()), list | tuple):
            raise BadRequestError(f"a choice has says, p and events, unlike {shown(choice)}")
        _text(choice.get("says"), "says")
        for each in choice.get("events", ()):
            if not isinstance(each, Mapping):
                raise BadRequestError(f"an event of a choice has kind and data, unlike {shown(each)}")
            check_shape(str(each.get("kind")), each.get("data") or {}, players)
