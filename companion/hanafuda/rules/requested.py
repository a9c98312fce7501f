"""Resolve the rules of a request into a record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..errors import BadRequestError, hint, nearest, quote
from ..messages import Message, Param, any_of
from ..registry import GAMES, default_game
from .presets import PRESETS, named
from .record import Rules
from .share import BadShareCodeError, decode, is_like_a_code

__all__ = ["UnknownPresetError", "UnknownRuleError", "WrongGameError", "resolve"]


class UnknownPresetError(BadRequestError):
    """Raised for an unknown preset name."""

    code = "unknown-preset"

    def __init__(self, wanted: object) -> None:
        super().__init__(
            Message("problem-unknown-preset", {"name": quote(wanted), "hint": hint(wanted, PRESETS)})
        )


class UnknownRuleError(BadRequestError):
    """Raised for unknown option keys; the message names all of them with the nearest valid ones."""

    code = "unknown-rule"

    def __init__(self, keys: list[str], record: type[Rules]) -> None:
        self.nearest: Mapping[str, str | None] = {
            key: next(iter(nearest(key.replace("-", "_"), record.options())), None) for key in keys
        }
        options = any_of([_with_hint(key, near) for key, near in self.nearest.items()])
        super().__init__(Message("problem-unknown-rule", {"options": options, "preset": record.standard()}))


def _with_hint(key: str, near: str | None) -> Param:
    """Return an unknown option with what it may mean: an option of another game, or a mistyped one."""
    if others := [game.rules.standard() for game in GAMES.values() if key in game.rules.options()]:
        return Message("unknown-rule-elsewhere", {"option": quote(key), "presets": any_of(others)})
    return Message("unknown-rule-near", {"option": quote(key), "near": near}) if near else quote(key)


class WrongGameError(BadRequestError):
    """Raised if the named rules are those of another game."""

    code = "wrong-game"

    def __init__(self, rules: Rules, game: str) -> None:
        own = ", ".join(name for name, preset in PRESETS.items() if _plays(preset, game))
        games: dict[str, Param] = {"other": rules.title, "game": GAMES[game].title}
        super().__init__(Message("problem-wrong-game", {"rules": rules.name, "presets": own, **games}))


def resolve(value: str | Mapping[str, Any] | Rules | None, game: str | None = None) -> Rules:
    """Return the record that a request's ``rules`` means.

    A string is a preset's name or a share code. A mapping changes the preset named under ``preset``, or the game's
    defaults. None is the game's defaults, and a record is returned as it is. If `game` is given, rules of another game
    are an error, unless it is a form of that game (`Game.form_of`).
    """
    record = _resolve(value, game)
    if game is not None and not _plays(record, game):
        raise WrongGameError(record, game)
    return record


def _plays(rules: Rules, game: str) -> bool:
    return game in {rules.game, GAMES[rules.game].form_of}


def _resolve(value: str | Mapping[str, Any] | Rules | None, game: str | None) -> Rules:
    if isinstance(value, Rules):
        return value
    standard = (default_game() if game is None else GAMES[game]).rules.standard()
    if value is None:
        return PRESETS[standard]
    if isinstance(value, str):
        return _by_name(value)
    if not isinstance(value, Mapping):
        raise BadRequestError(
            f"rules must be a preset's name, a share code or an object of options, not {quote(value)}"
        )
    try:
        return _read(json.dumps(dict(value)), standard)
    except TypeError as error:
        raise BadRequestError(f"rules must be what JSON can hold: {error}") from None


@lru_cache(maxsize=256)  # bulk scoring uses the same few records thousands of times
def _read(text: str, standard: str) -> Rules:
    changes: dict[str, Any] = json.loads(text)
    preset = _preset(changes.pop("preset", standard))
    if unknown := [key for key in changes if key not in preset.options()]:
        raise UnknownRuleError(unknown, type(preset))
    return named(replace(preset, **changes))


def _preset(name: object) -> Rules:
    if not isinstance(name, str) or name not in PRESETS:
        raise UnknownPresetError(name)
    return PRESETS[name]


@lru_cache(maxsize=256)  # for bulk scoring too
def _by_name(name: str) -> Rules:
    """Return the record with a preset's name or a share code."""
    if name in PRESETS:
        return PRESETS[name]
    try:
        return decode(name)
    except BadShareCodeError:
        if is_like_a_code(name):
            raise
    raise UnknownPresetError(name)
