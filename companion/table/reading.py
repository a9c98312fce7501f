"""What a table can be told: the shape of each kind of event, and errors that say what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.errors import BadRequestError, did_you_mean, nearest, shown
from companion.game import Move, Round
from companion.games import GAMES
from companion.rules import RECORDS, Rules, resolve
from companion.table.events import KINDS
from companion.table.history import GAME
from companion.told import whole_number

__all__ = ["check_shape", "read_move", "read_players", "read_rules", "seat_of"]

_NAME = 40


def check_shape(kind: str, data: object, players: int) -> None:
    """Raise `BadRequestError` for an event that cannot be read; whether it can be is the table's affair."""
    if kind not in KINDS:
        raise BadRequestError(f"there is no event {shown(kind)}{did_you_mean(nearest(kind, KINDS)[:1])}")
    if not isinstance(data, Mapping):
        raise BadRequestError(f"the data of {kind} must be an object, not {shown(data)}")
    if kind in _SHAPES:
        _SHAPES[kind](data, players)


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


def _seated(data: Mapping[str, Any], players: int) -> None:
    seat_of(data, "seat", players)
    _name(data.get("name"))


def _dealt(data: Mapping[str, Any], players: int) -> None:
    if data.get("dealer") is not None:
        seat_of(data, "dealer", players)
    if not isinstance(data.get("deal") or {}, Mapping):
        raise BadRequestError(f"deal must be an object with field, hands, stock, not {shown(data['deal'])}")


def _began(data: Mapping[str, Any], players: int) -> None:
    seat_of(data, "dealer", players)


def _moved(data: Mapping[str, Any], players: int) -> None:
    seat_of(data, "player", players)
    told = data.get("words")
    if not isinstance(told, list | tuple) or not told or not all(isinstance(word, str) for word in told):
        raise BadRequestError(f'words must be a list like ["play", id, …], not {shown(told)}')
    for other in _listed(data.get("others") or [], "others"):
        if not isinstance(other, Mapping) or not isinstance(other.get("p"), int | float):
            raise BadRequestError(f"each of others must have words and p, unlike {shown(other)}")
        _ids(other.get("words"), "words")


def _set(data: Mapping[str, Any], players: int) -> None:
    seat_of(data, "to_move", players)
    _ids(data.get("field"), "field")
    piles = data.get("captured")
    if not isinstance(piles, list | tuple) or len(piles) != players:
        raise BadRequestError(
            f"captured must be {players} lists of card ids, one a player, not {shown(piles)}"
        )
    for pile in piles:
        _ids(pile, "captured")


def _of(data: Mapping[str, Any], players: int) -> None:
    whole_number(data.get("of"), "of", 1)


def _corrected(data: Mapping[str, Any], players: int) -> None:
    _of(data, players)
    if "kind" not in data:  # null takes the event away: nobody may do that by leaving a word out
        raise BadRequestError("a correction tells the kind of event that holds instead, or null for none")
    told = data.get("data") or {}
    if data.get("kind") == "opened":
        if not isinstance(told, Mapping):
            raise BadRequestError(f"the data of opened must be an object, not {shown(told)}")
        if len(read_players(told, read_rules(told))) != players:
            raise BadRequestError(f"{players} play at this table: open a new one for more or fewer")
    elif data.get("kind") is not None:
        _put_in("corrected", data, players)


def _inserted(data: Mapping[str, Any], players: int) -> None:
    whole_number(data.get("before"), "before", 1)
    _put_in("inserted", data, players)


def _put_in(kind: str, data: Mapping[str, Any], players: int) -> None:
    told = data.get("kind")
    if not isinstance(told, str) or told not in GAME:
        raise BadRequestError(f"{kind} puts in one of {', '.join(sorted(GAME))}, not {shown(told)}")
    check_shape(told, data.get("data") or {}, players)


def _noticed(data: Mapping[str, Any], players: int) -> None:
    _text(data.get("message"), "message")
    _ids(data.get("cards") or [], "cards")
    pictures = data.get("pictures") or {}
    if not isinstance(pictures, Mapping):
        raise BadRequestError(f"pictures must be an object with before and after, not {shown(pictures)}")
    for name in pictures.values():
        _picture(name)


def _asked(data: Mapping[str, Any], players: int) -> None:
    _text(data.get("text"), "text")
    _choices(data.get("choices"), players)
    _picture(data.get("picture"))


def _picture(told: object) -> None:
    if told is not None and not isinstance(told, str):
        raise BadRequestError(f"a picture is told by its name, not {shown(told)}")


def _listed(told: object, key: str) -> Sequence[Any]:
    if not isinstance(told, list | tuple):
        raise BadRequestError(f"{key} must be a list, not {shown(told)}")
    return told


def _ids(told: object, key: str) -> None:
    if not isinstance(told, list | tuple) or not all(isinstance(each, str) for each in told):
        raise BadRequestError(f"{key} must be a list of card ids, not {shown(told)}")


def _text(told: object, key: str) -> None:
    if not isinstance(told, Mapping) or not all(isinstance(told.get(tongue), str) for tongue in ("en", "ja")):
        raise BadRequestError(f'{key} must be a sentence like {{"en": …, "ja": …}}, not {shown(told)}')


def _choices(told: object, players: int) -> None:
    for choice in _listed(told, "choices"):
        if not isinstance(choice, Mapping) or not isinstance(choice.get("events", ()), list | tuple):
            raise BadRequestError(f"a choice has says, p and events, unlike {shown(choice)}")
        _text(choice.get("says"), "says")
        for each in choice.get("events", ()):
            if not isinstance(each, Mapping):
                raise BadRequestError(f"an event of a choice has kind and data, unlike {shown(each)}")
            check_shape(str(each.get("kind")), each.get("data") or {}, players)


_SHAPES: Mapping[str, Callable[[Mapping[str, Any], int], None]] = {
    "seated": _seated,
    "dealt": _dealt,
    "began": _began,
    "moved": _moved,
    "set": _set,
    "undone": _of,
    "settled": _of,
    "answered": _of,
    "corrected": _corrected,
    "inserted": _inserted,
    "noticed": _noticed,
    "asked": _asked,
}
"""What each kind's data must be; the others tell nothing that could be wrong."""
