"""The schema of each event type's data: its keys, their types, and their limits.

It applies to new events. Stored events are not checked: older versions wrote some that would be refused today. A game's
round class declares further keys of a deal (`Round.situation_keys`, `Round.deal_keys`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest, quote
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Round
from companion.hanafuda.validation import whole_number
from companion.table.effective_events import CONTROLS, GAME
from companion.table.event_parsing import (
    MAX_NAME,
    read_name,
    read_player_id,
    read_player_ids,
    read_players,
    read_rules,
)
from companion.table.events import KINDS, VERDICTS, NewEvent

__all__ = ["check_event"]

_MAX_CARDS: Final = 100
"""Cards in one list: twice the largest pack. The rules of a game decide which cards it accepts."""
_MAX_WORD: Final = 40
"""Characters of a card id or of another word of a move; the longest id has 20."""
_MAX_WORDS: Final = 60
"""Words of a move; the longest shows a hand of 40 cards."""
_MAX_SENTENCE: Final = 4000
"""Characters of a sentence; the longest names every card of a pack and its zone."""
_MAX_PARAMS: Final = 10
_MAX_CARDS_IN_MESSAGE: Final = 50
_MAX_MESSAGE_DEPTH: Final = 40
"""Nesting of messages. Sequences of moves are nested; a turn may follow passes of all other players."""
_MESSAGE_CODE: Final = re.compile(r"[a-z][a-z0-9-]{0,79}")
_MAX_TEXT: Final = 400
"""Characters of a picture's name, which may be the path of a file, and of other short texts."""
_MAX_CHOICES: Final = 20
"""Answers of a question; a referee gives at most one for each seat and a few more."""
_MAX_CHOSEN: Final = 200
"""Events that follow an answer; a new reading of the deal corrects at most every event of its round."""
_MAX_YAKU: Final = 40
"""Yaku of one player; no game has more."""
_MAX_CALLS: Final = 20
_MAX_POINTS: Final = 100_000
_MAX_OTHERS: Final = 40
"""Alternatives of a move, as many as are offered for a correction."""
_CHOSEN: Final = frozenset(GAME | CONTROLS | {"noticed", "settled"})
"""Event types that may follow an answer; not a further question."""


@dataclass(frozen=True, slots=True)
class _TableContext:
    """The properties of a table that limits depend on."""

    players: int
    round: type[Round[Any, Any, Any]]


_Check: TypeAlias = Callable[[Any, str, _TableContext], None]
"""Takes a value, its key, and the table; raises `BadRequestError`."""


@dataclass(frozen=True, slots=True)
class _Key:
    """A key of an object."""

    check: _Check
    required: bool = False
    null: bool = False
    """Whether null stands for an absent value."""


_Keys: TypeAlias = Mapping[str, _Key]


def check_event(new: NewEvent, players: int, game: str) -> None:
    """Raise `BadRequestError` for an event that violates its type's schema; whether it fits the table is not checked."""
    table = _TableContext(players, GAMES[game].round)
    if not _is_probability(new.confidence):
        raise BadRequestError(f"confidence must be a number from 0 to 1, not {quote(new.confidence)}")
    if new.evidence is not None:
        _text(new.evidence, "evidence", table)
    _data(new.kind, new.data, table)


def _data(event_type: object, data: object, table: _TableContext) -> None:
    if not isinstance(event_type, str) or event_type not in KINDS:
        hint = did_you_mean(nearest(event_type, KINDS)[:1])
        raise BadRequestError(f"there is no event {quote(event_type)}{hint}")
    if not isinstance(data, Mapping):
        raise BadRequestError(f"the data of {event_type} must be an object, not {quote(data)}")
    keys = _SCHEMA[event_type]
    if event_type in {"dealt", "scored"}:
        keys = {
            **keys,
            **{key: _optional(_situation(high)) for key, high in table.round.situation_keys.items()},
        }
    _object(data, event_type, keys, table)
    if event_type in {"corrected", "inserted"}:
        _replacement(event_type, data, table)


def _replacement(event_type: str, data: Mapping[str, Any], table: _TableContext) -> None:
    """Check the content that a correction or insertion puts in place."""
    new_type, content = data.get("kind"), data.get("data")
    content = {} if content is None else content
    if event_type == "corrected":
        if "kind" not in data:  # null deletes the event, which must be explicit
            raise BadRequestError("a correction must give the replacement event, or null for none")
        if new_type is None and content == {}:
            return
        if new_type == "opened":
            _data(new_type, content, table)
            if len(read_players(content, read_rules(content))) != table.players:
                raise BadRequestError(f"{table.players} play at this table: open a new one for more or fewer")
            return
    if not isinstance(new_type, str) or new_type not in GAME:
        raise BadRequestError(
            f"{event_type} must contain one of {', '.join(sorted(GAME))}, not {quote(new_type)}"
        )
    _data(new_type, content, table)


def _object(value: Mapping[Any, Any], what: str, keys: _Keys, table: _TableContext) -> None:
    """Check an object's keys and values."""
    for key in value:
        if key not in keys:
            known = f"; it has {', '.join(keys)}" if keys else "; its data is empty"
            hint = did_you_mean(nearest(key, keys)[:1]) or known
            raise BadRequestError(f"{what} has no {quote(key)}{hint}")
    for key, each in keys.items():
        if value.get(key) is not None:
            each.check(value[key], key, table)
        elif (key in value and not each.null) or each.required:
            each.check(None, key, table)


# --- values


def _number(low: int, high: int | None = None) -> _Check:
    def check(value: Any, key: str, table: _TableContext) -> None:
        whole_number(value, key, low, high)

    return check


def _seat(value: Any, key: str, table: _TableContext) -> None:
    whole_number(value, key, 1, table.players)


def _situation(high: int) -> _Check:
    """Return the check for a number up to `high`, or a list with one for each player."""

    def check(value: Any, key: str, table: _TableContext) -> None:
        if isinstance(value, list | tuple):
            _bounded(value, key, table.players)
            for each in value:
                whole_number(each, key, -high, high)
        else:
            whole_number(value, key, -high, high)

    return check


def _flag(value: Any, key: str, table: _TableContext) -> None:
    if not isinstance(value, bool):
        raise BadRequestError(f"{key} must be true or false, not {quote(value)}")


def _name(value: Any, key: str, table: _TableContext) -> None:
    read_name(value)


def _player_id(value: Any, key: str, table: _TableContext) -> None:
    read_player_id(value)


def _player_ids(value: Any, key: str, table: _TableContext) -> None:
    read_player_ids({key: value}, table.players)


def _label(value: Any, key: str, table: _TableContext) -> None:
    if not isinstance(value, str) or len(value) > MAX_NAME * 2:
        raise BadRequestError(f"{key} must be a text of up to {MAX_NAME * 2} characters, not {quote(value)}")


def _text(value: Any, key: str, table: _TableContext) -> None:
    if not isinstance(value, str) or len(value) > _MAX_TEXT:
        raise BadRequestError(f"{key} must be a text of up to {_MAX_TEXT} characters, not {quote(value)}")


def _probability(value: Any, key: str, table: _TableContext) -> None:
    if not _is_probability(value):
        raise BadRequestError(f"{key} must be a number from 0 to 1, not {quote(value)}")


def _is_probability(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and 0 <= value <= 1


def _bounded(value: Any, key: str, max_length: int, what: str = "values") -> Sequence[Any]:
    if not isinstance(value, list | tuple) or len(value) > max_length:
        raise BadRequestError(f"{key} must be a list of at most {max_length} {what}, not {quote(value)}")
    return value


def _cards(*, hidden: bool = False) -> _Check:
    """Return the check for a list of card ids; with `hidden`, null stands for an unknown card."""

    def check(value: Any, key: str, table: _TableContext) -> None:
        if not isinstance(value, list | tuple) or not all(
            (isinstance(each, str) and len(each) <= _MAX_WORD) or (hidden and each is None) for each in value
        ):
            raise BadRequestError(f"{key} must be a list of card ids, not {quote(value)}")
        _bounded(value, key, _MAX_CARDS, "card ids")

    return check


def _piles(value: Any, key: str, table: _TableContext) -> None:
    if not isinstance(value, list | tuple) or len(value) != table.players:
        raise BadRequestError(
            f"{key} must be {table.players} lists of card ids, one per player, not {quote(value)}"
        )
    for pile in value:
        _cards()(pile, key, table)


def _seat_results(value: Any, key: str, table: _TableContext) -> None:
    if not isinstance(value, list | tuple) or len(value) != table.players:
        raise BadRequestError(
            f"{key} must be a list of {table.players} objects, one per player, not {quote(value)}"
        )
    for each in value:
        if not isinstance(each, Mapping):
            raise BadRequestError(f"each of {key} must be an object, not {quote(each)}")
        _object(each, f"each of {key}", _SEAT_RESULT, table)


def _yaku(value: Any, key: str, table: _TableContext) -> None:
    if not isinstance(value, Mapping) or len(value) > _MAX_YAKU:
        raise BadRequestError(f"yaku must be an object of further cards by yaku, not {quote(value)}")
    for slug, further in value.items():
        if not isinstance(slug, str) or len(slug) > _MAX_WORD:
            raise BadRequestError(f"yaku must be an object of further cards by yaku, not {quote(value)}")
        whole_number(further, slug, 0, _MAX_CARDS)


def _winners(value: Any, key: str, table: _TableContext) -> None:
    for each in _bounded(value, key, table.players):
        whole_number(each, key, 1, table.players)


def _seats(value: Any, key: str, table: _TableContext) -> None:
    if not _bounded(value, key, table.players, "seats"):
        raise BadRequestError(f"{key} must be a list of at least one seat")
    for each in value:
        _seat(each, key, table)


def _verdict(value: Any, key: str, table: _TableContext) -> None:
    if value not in VERDICTS:
        raise BadRequestError(f"{key} must be {' or '.join(VERDICTS)}, not {quote(value)}")


def _words(value: Any, key: str, table: _TableContext) -> None:
    if not isinstance(value, list | tuple) or not value or not all(isinstance(word, str) for word in value):
        raise BadRequestError(f'words must be a list like ["play", id, …], not {quote(value)}')
    _bounded(value, key, _MAX_WORDS, "words")
    if any(len(word) > _MAX_WORD for word in value):
        raise BadRequestError(f"a word of a move has up to {_MAX_WORD} characters, unlike {quote(value)}")


def _others(value: Any, key: str, table: _TableContext) -> None:
    for other in _bounded(value, key, _MAX_OTHERS, "moves"):
        if not isinstance(other, Mapping):
            raise BadRequestError(f"each of others must have words and p, unlike {quote(other)}")
        _object(other, "each of others", _OTHER, table)


def _sentence(value: Any, key: str, table: _TableContext) -> None:
    """Check a message (code and params) or, as earlier versions wrote it, a text by language."""
    if isinstance(value, Mapping) and set(value) == {"en", "ja"}:
        valid = all(isinstance(each, str) and len(each) <= _MAX_SENTENCE for each in value.values())
    else:
        valid = _is_message(value, depth=0)
    if not valid:
        raise BadRequestError(
            f'{key} must be a message like {{"code": …, "params": …}} with texts of up to {_MAX_SENTENCE}'
            f" characters, not {quote(value)}"
        )


def _is_message(value: Any, depth: int) -> bool:
    """Return whether a value is the JSON of a `companion.hanafuda.messages.Message` of bounded size."""
    if depth > _MAX_MESSAGE_DEPTH or not isinstance(value, Mapping) or not set(value) <= {"code", "params"}:
        return False
    params = value.get("params", {})
    return (
        isinstance(value.get("code"), str)
        and _MESSAGE_CODE.fullmatch(value["code"]) is not None
        and isinstance(params, Mapping)
        and len(params) <= _MAX_PARAMS
        and all(isinstance(name, str) and _is_param(each, depth + 1) for name, each in params.items())
    )


def _is_param(value: Any, depth: int) -> bool:
    if isinstance(value, str):
        return len(value) <= _MAX_SENTENCE
    if isinstance(value, list | tuple):
        return len(value) <= _MAX_CARDS_IN_MESSAGE and all(_is_param(each, depth) for each in value)
    if isinstance(value, Mapping) and set(value) == {"en", "ja"}:
        return all(isinstance(each, str) and len(each) <= _MAX_SENTENCE for each in value.values())
    return isinstance(value, int | float) or _is_message(value, depth)


def _pictures(value: Any, key: str, table: _TableContext) -> None:
    if not isinstance(value, Mapping):
        raise BadRequestError(f"pictures must be an object with before and after, not {quote(value)}")
    _object(value, key, {"before": _optional(_text), "after": _optional(_text)}, table)


def _deal(value: Any, key: str, table: _TableContext) -> None:
    if not isinstance(value, Mapping):
        raise BadRequestError(f"deal must be an object with field, hands, stock, not {quote(value)}")
    keys = {key: _DEAL.get(key, _optional(_seat)) for key in sorted(table.round.deal_keys)}
    _object(value, "deal", keys, table)


def _hands(value: Any, key: str, table: _TableContext) -> None:
    seats = [str(player) for player in range(1, table.players + 1)]
    if not isinstance(value, Mapping):
        raise BadRequestError(f"deal.hands must be an object of hands by player, not {quote(value)}")
    _object(value, "hands", dict.fromkeys(seats, _optional(_cards(hidden=True))), table)


def _choices(value: Any, key: str, table: _TableContext) -> None:
    for each in _bounded(value, key, _MAX_CHOICES, "choices"):
        if not isinstance(each, Mapping):
            raise BadRequestError(f"a choice must have says, p and events, not {quote(each)}")
        _object(each, "a choice", _CHOICE, table)


def _chosen(value: Any, key: str, table: _TableContext) -> None:
    for each in _bounded(value, key, _MAX_CHOSEN, "events"):
        if not isinstance(each, Mapping):
            raise BadRequestError(f"an event of a choice has kind and data, unlike {quote(each)}")
        _object(each, "an event of a choice", _NESTED, table)
        if not isinstance(each.get("kind"), str) or each["kind"] not in _CHOSEN:
            raise BadRequestError(
                f"a choice must contain one of {', '.join(sorted(_CHOSEN))}, not {quote(each.get('kind'))}"
            )
        _data(each["kind"], {} if each.get("data") is None else each["data"], table)


def _any(value: Any, key: str, table: _TableContext) -> None:
    """Accept any value; another check handles it."""


def _optional(check: _Check) -> _Key:
    return _Key(check, null=True)


def _required(check: _Check) -> _Key:
    return _Key(check, required=True)


_OTHER: Final[_Keys] = {"words": _required(_words), "p": _required(_probability)}
_NESTED: Final[_Keys] = {"kind": _required(_any), "data": _optional(_any)}
_CHOICE: Final[_Keys] = {
    "says": _required(_sentence),
    "p": _optional(_probability),
    "events": _Key(_chosen),
}
_DEAL: Final[_Keys] = {
    "hands": _optional(_hands),
    "field": _optional(_cards()),
    "stock": _optional(_cards(hidden=True)),
}
"""The keys that the deals of several games have; any other one that a game declares names a seat."""

_SEAT_RESULT: Final[_Keys] = {
    "points": _optional(_number(-_MAX_POINTS, _MAX_POINTS)),
    "yaku": _optional(_yaku),
    "calls": _optional(_number(0, _MAX_CALLS)),
    "captured": _optional(_cards()),
    "paid": _optional(_number(0, _MAX_POINTS)),
    "out": _optional(_flag),
}
_OF: Final[_Keys] = {"of": _required(_number(1))}
_SCHEMA: Final[Mapping[str, _Keys]] = {
    "opened": {
        "id": _optional(_label),
        "night": _optional(_label),
        "name": _optional(_label),
        "game": _required(_label),
        "rules": _optional(_any),  # `read_rules` checks every option
        "rules_name": _optional(_label),
        "players": _required(_any),  # `read_players` checks the names
        "player_ids": _optional(_player_ids),
        "deck": _optional(_label),
    },
    "seated": {"seat": _required(_seat), "name": _optional(_name), "player_id": _optional(_player_id)},
    "rules_changed": {
        "rules": _required(_any),
        "rules_name": _optional(_label),
    },  # `read_change` checks the options
    "dealt": {
        "deal": _optional(_deal),
        "dealer": _optional(_seat),
        "month": _optional(_number(1, 12)),
        "unchecked": _optional(_flag),
    },
    "began": {"dealer": _required(_seat)},
    "moved": {
        "player": _required(_seat),
        "words": _required(_words),
        "others": _optional(_others),
        "unchecked": _optional(_flag),
    },
    "set": {"field": _required(_cards()), "captured": _required(_piles), "to_move": _required(_seat)},
    "scored": {
        "new_round": _optional(_flag),
        "dealer": _optional(_seat),
        "month": _optional(_number(1, 12)),
        "how": _optional(_label),
        "winners": _optional(_winners),
        "seats": _optional(_seat_results),
    },
    "abandoned": {},
    "undone": _OF,
    "corrected": {**_OF, "kind": _optional(_any), "data": _optional(_any)},
    "inserted": {"before": _required(_number(1)), "kind": _required(_any), "data": _optional(_any)},
    "noticed": {
        "code": _optional(_label),
        "message": _required(_sentence),
        "pictures": _optional(_pictures),
        "cards": _optional(_cards()),
    },
    "settled": _OF,
    "asked": {
        "text": _required(_sentence),
        "choices": _required(_choices),
        "picture": _optional(_text),
    },
    "answered": {**_OF, "choice": _optional(_number(0))},
    "disputed": {**_OF, "seat": _optional(_seat), "text": _optional(_text)},
    "agreed": {**_OF, "seats": _required(_seats), "verdict": _required(_verdict)},
    "ruled": {**_OF, "verdict": _required(_verdict), "text": _optional(_text)},
    "odds": {"seats": _required(_seats), "agrees": _required(_flag)},
    "closed": {},
    "removed": {},
}
