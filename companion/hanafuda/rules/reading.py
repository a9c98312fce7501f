"""A rules record read out: all that a page, a command or a program tells of it."""

from __future__ import annotations

from typing import Any

from companion.hanafuda.rules.presets import PRESETS
from companion.hanafuda.rules.record import Rules
from companion.hanafuda.rules.share import encode, spelt

__all__ = ["held_against", "read_out"]


def held_against(record: Rules) -> Rules:
    """Return the preset from which a record's differences are told: for a preset, the first of its game."""
    return PRESETS[record.standard() if record.name == record.preset else record.preset]


def read_out(record: Rules) -> dict[str, Any]:
    """Return all about a record, as JSON has it.

    `options` are in the order a player reads them, by the sections that `sections` names; one that differs
    from the preset named by `differs_from` has under `instead_of` the value there and its meaning, others null.
    """
    other = held_against(record)
    changes = record.changes(other)
    theirs = {option["key"]: option for option in other.describe()}
    return {
        "name": record.name,
        "game": record.game,
        "title": record.title.to_dict(),
        "hash": record.hash,
        "code": spelt(encode(record)),
        "sentence": None if record.sentence is None else record.sentence.to_dict(),
        "preset": record.preset,
        "rules": record.to_dict(),
        "differs_from": other.name,
        "changes": changes,
        "sections": {section: title.to_dict() for section, title in record.sections.items()},
        "options": [
            {
                **option,
                "instead_of": {part: theirs[option["key"]][part] for part in ("value", "meaning")}
                if option["key"] in changes
                else None,
            }
            for option in record.describe()
        ],
    }
