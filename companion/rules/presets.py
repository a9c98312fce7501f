"""The named rules records of all games, and how a request's ``rules`` becomes a record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from companion.errors import BadRequestError, did_you_mean, nearest, shown
from companion.rules.kakkuri import KakkuriRules
from companion.rules.kekoro import KekoroRules
from companion.rules.kingo import KingoRules
from companion.rules.kingo_bank import KingoBankRules
from companion.rules.koikoi import KoiKoiRules
from companion.rules.options import Text
from companion.rules.record import Rules

__all__ = [
    "PRESETS",
    "PRESET_TEXTS",
    "RECORDS",
    "STANDARD",
    "UnknownPresetError",
    "UnknownRuleError",
    "WrongGameError",
    "resolve",
]

STANDARD = KoiKoiRules.standard()
"""The rules where nothing is said, not even the game."""

RECORDS: Mapping[str, type[Rules]] = {
    record.game: record for record in (KoiKoiRules, KekoroRules, KakkuriRules, KingoRules, KingoBankRules)
}
"""The record class of each game. Kingo's banking form is a form of Kingo with options of its own."""

PRESETS: Mapping[str, Rules] = {
    name: record(name=name, preset=name, **changes)
    for record in RECORDS.values()
    for name, (_, changes) in record.presets.items()
}
"""The presets of all games by name."""

PRESET_TEXTS: Mapping[str, Text] = {
    name: text for record in RECORDS.values() for name, (text, _) in record.presets.items()
}


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
        self.keys = keys
        near = {key: nearest(key.replace("-", "_"), record.options())[:1] for key in keys}
        said = [
            f"{shown(key)} (did you mean {names[0]}?)" if names else shown(key) for key, names in near.items()
        ]
        super().__init__(
            f"the rules have no option {' or '.join(said)};"
            f" `companion rules show {record.standard()}` lists them"
        )


class WrongGameError(BadRequestError):
    """Raised where the rules named are those of another game."""

    code: ClassVar[str] = "wrong-game"

    def __init__(self, rules: Rules, game: str) -> None:
        own = [name for name, preset in PRESETS.items() if _plays(preset, game)]
        super().__init__(f"the rules {rules.name} are for {rules.game}, not {game}; it has {', '.join(own)}")


def resolve(value: str | Mapping[str, Any] | Rules | None, game: str | None = None) -> Rules:
    """Return the record that a request's ``rules`` stands for.

    A name is a preset's; a mapping changes the preset it names under ``preset``, or the game's defaults; None
    is the game's defaults; a record is itself. Where the game is told, rules of another one are an error.
    Kingo's are those of either form.
    """
    record = _resolve(value, game)
    if game is not None and not _plays(record, game):
        raise WrongGameError(record, game)
    return record


def _plays(rules: Rules, game: str) -> bool:
    return rules.game == game or (game == "kingo" and rules.game == "kingo-bank")


def _resolve(value: str | Mapping[str, Any] | Rules | None, game: str | None) -> Rules:
    if isinstance(value, Rules):
        return value
    standard = STANDARD if game is None else RECORDS[game].standard()
    if value is None:
        return PRESETS[standard]
    if isinstance(value, str):
        return _preset(value)
    if not isinstance(value, Mapping):
        raise BadRequestError(f"rules must be a preset's name or an object of options, not {shown(value)}")
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


def named(record: Rules) -> Rules:
    """Return the record under the name it goes by: a preset's, whatever it was made from, or its changes'."""
    for known in PRESETS.values():
        if record == known:
            return known
    preset = PRESETS[record.preset]
    count = len(record.changes(preset))
    return replace(record, name=f"{preset.name} with {count} change{'s' if count > 1 else ''}")


def _preset(name: object) -> Rules:
    if not isinstance(name, str) or name not in PRESETS:
        raise UnknownPresetError(name)
    return PRESETS[name]
