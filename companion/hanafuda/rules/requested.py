"""How what a request says about its rules becomes a record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest, shown
from companion.hanafuda.registry import GAMES, default_game
from companion.hanafuda.rules.presets import PRESETS, named
from companion.hanafuda.rules.record import Rules
from companion.hanafuda.rules.share import BadShareCodeError, decode, is_like_a_code

__all__ = ["UnknownPresetError", "UnknownRuleError", "WrongGameError", "resolve"]


class UnknownPresetError(BadRequestError):
    """Raised for a preset's name that does not exist."""

    code: ClassVar[str] = "unknown-preset"

    def __init__(self, wanted: object) -> None:
        hint = did_you_mean(nearest(wanted, PRESETS)) or f"; there are {', '.join(PRESETS)}"
        super().__init__(f"there is no rules preset {shown(wanted)}{hint}")


class UnknownRuleError(BadRequestError):
    """Raised where a record has keys that no option has; names them all, each with the nearest right one."""

    code: ClassVar[str] = "unknown-rule"

    def __init__(self, keys: list[str], record: type[Rules]) -> None:
        self.nearest: Mapping[str, str | None] = {
            key: next(iter(nearest(key.replace("-", "_"), record.options())), None) for key in keys
        }
        said = [f"{shown(key)}{_hint(key, near)}" for key, near in self.nearest.items()]
        super().__init__(
            f"the rules have no option {' or '.join(said)};"
            f" `companion rules show {record.standard()}` lists them"
        )


def _hint(key: str, near: str | None) -> str:
    """Say what an unknown option stands for: one of another game, or a mistyped one."""
    others = [game.rules.standard() for game in GAMES.values() if key in game.rules.options()]
    if others:
        return f' (for that, name rules like {" or ".join(others)} under "preset")'
    return f" (did you mean {near}?)" if near else ""


class WrongGameError(BadRequestError):
    """Raised where the rules named are those of another game."""

    code: ClassVar[str] = "wrong-game"

    def __init__(self, rules: Rules, game: str) -> None:
        own = [name for name, preset in PRESETS.items() if _plays(preset, game)]
        super().__init__(f"the rules {rules.name} are for {rules.game}, not {game}; it has {', '.join(own)}")


def resolve(value: str | Mapping[str, Any] | Rules | None, game: str | None = None) -> Rules:
    """Return the record that a request's ``rules`` stands for.

    A text is a preset's name or a share code; a mapping changes the preset it names under ``preset``, or the
    game's defaults; None is the game's defaults; a record is itself. Where the game is told, rules of another one
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
        return _called(value)
    if not isinstance(value, Mapping):
        raise BadRequestError(
            f"rules must be a preset's name, a share code or an object of options, not {shown(value)}"
        )
    try:
        return _read(json.dumps(dict(value)), standard)
    except TypeError as error:
        raise BadRequestError(f"rules must be what JSON can hold: {error}") from None


@lru_cache(maxsize=256)  # bulk scoring names the same few records thousands of times
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


@lru_cache(maxsize=256)  # bulk scoring again
def _called(name: str) -> Rules:
    """Return the record of a preset's name or a share code."""
    if name in PRESETS:
        return PRESETS[name]
    try:
        return decode(name)
    except BadShareCodeError:
        if is_like_a_code(name):
            raise
    raise UnknownPresetError(name)
