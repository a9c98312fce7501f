"""A rules record as JSON, with everything that pages, commands and programs show of it."""

from __future__ import annotations

from typing import Any

from .presets import PRESETS
from .record import Rules
from .share import encode, grouped

__all__ = ["comparison_preset", "describe_rules"]


def comparison_preset(record: Rules) -> Rules:
    """Return the preset that a record is compared with: for a preset, the first of its game."""
    return PRESETS[record.standard() if record.name == record.preset else record.preset]


def describe_rules(record: Rules, other: Rules | None = None) -> dict[str, Any]:
    """Return a record as JSON, compared with another record of its game, by default `comparison_preset`.

    `options` are in display order, grouped by `sections`; `form` says how to ask for a value (`Option.form`). An option
    that differs from the rules `differs_from` has under `instead_of` the value there and its meaning; it is null for the
    others.
    """
    other = other or comparison_preset(record)
    forms = record.options()
    changes = record.changes(other)
    theirs = {option["key"]: option for option in other.describe()}
    return {
        "name": record.name,
        "game": record.game,
        "title": record.title.to_dict(),
        "hash": record.hash,
        "code": grouped(encode(record)),
        "sentence": None if record.sentence is None else record.sentence.to_dict(),
        "preset": record.preset,
        "rules": record.to_dict(),
        "differs_from": other.name,
        "changes": changes,
        "sections": {section: title.to_dict() for section, title in record.sections.items()},
        "options": [
            {
                **option,
                "form": forms[option["key"]].form(),
                "instead_of": {part: theirs[option["key"]][part] for part in ("value", "meaning")}
                if option["key"] in changes
                else None,
            }
            for option in record.describe()
        ],
    }
