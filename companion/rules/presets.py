"""The named rules records, and how a request's ``rules`` becomes a record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from companion.errors import BadRequestError, did_you_mean, nearest, shown
from companion.rules.koikoi import OPTIONS, KoiKoiRules
from companion.rules.options import Text

__all__ = ["PRESETS", "PRESET_TEXTS", "STANDARD", "UnknownPresetError", "UnknownRuleError", "resolve"]

STANDARD = "koikoi-standard"

# What each preset changes from the standard, which is the defaults themselves.
_TABLE: Mapping[str, Mapping[str, Any]] = {
    STANDARD: {},
    "koikoi-guide": {
        "flower_viewing": 3,
        "moon_viewing": 3,
        "sake_cup": "animal",
        "hand_two_match": "all",
        "own_call": ("x2",),
        "seven": "off",
        "dealer": "alternate",
        "dealer_after_draw": "passes",
        "both_teyaku": "play_on",
    },
    "koikoi-hu": {
        "rainy_four_brights": 8,
        "three_brights": 6,
        "boar_deer_butterfly": 6,
        "poetry_ribbons": 6,
        "blue_ribbons": 6,
        "rain_man": "counts",
        "sake_cup": "animal",
        "both_teyaku": "play_on",
    },
}

PRESETS: Mapping[str, KoiKoiRules] = {
    name: KoiKoiRules(name=name, preset=name, **table) for name, table in _TABLE.items()
}
"""The presets by name."""

PRESET_TEXTS: Mapping[str, Text] = {
    STANDARD: Text("What most tables agree on.", "多くの卓で通じる標準ルール。"),
    "koikoi-guide": Text(
        "The guide (G) to the letter: own koi-koi doubles, a hand card takes both matches.",
        "手引き（G）の文面どおり。自分のこいこいで2倍、手札は場の二枚を取る。",
    ),
    "koikoi-hu": Text(
        "Kangni Hu's paper of 2014 (H) to the letter: 6 points where others pay 5, the Rain Man counts.",
        "Kangni Hu の文書（H、2014年）の文面どおり。三枚役は6点、小野道風も数える。",
    ),
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

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys
        near = {key: nearest(key.replace("-", "_"), OPTIONS)[:1] for key in keys}
        said = [
            f"{shown(key)} (did you mean {names[0]}?)" if names else shown(key) for key, names in near.items()
        ]
        super().__init__(f"the rules have no option {' or '.join(said)}; `companion rules show` lists them")


def resolve(value: str | Mapping[str, Any] | KoiKoiRules | None) -> KoiKoiRules:
    """Return the record that a request's ``rules`` stands for.

    A name is a preset's; a mapping changes the preset it names under ``preset``, or the standard; None is the
    standard; a record is itself.
    """
    if isinstance(value, KoiKoiRules):
        return value
    if value is None:
        return PRESETS[STANDARD]
    if isinstance(value, str):
        return _preset(value)
    if not isinstance(value, Mapping):
        raise BadRequestError(f"rules must be a preset's name or an object of options, not {shown(value)}")
    try:
        return _read(json.dumps(dict(value)))
    except TypeError as error:
        raise BadRequestError(f"rules must be what JSON can hold: {error}") from None


@lru_cache(maxsize=256)  # bulk scoring names the same few records thousands of times
def _read(text: str) -> KoiKoiRules:
    changes: dict[str, Any] = json.loads(text)
    preset = _preset(changes.pop("preset", STANDARD))
    if unknown := [key for key in changes if key not in OPTIONS]:
        raise UnknownRuleError(unknown)
    record = replace(preset, **changes)
    # A record that says again what a preset says is that preset, whatever it was made from.
    for known in PRESETS.values():
        if record == known:
            return known
    count = len(record.changes(preset))
    return replace(record, name=f"{preset.name} with {count} change{'s' if count > 1 else ''}")


def _preset(name: object) -> KoiKoiRules:
    if not isinstance(name, str) or name not in PRESETS:
        raise UnknownPresetError(name)
    return PRESETS[name]
