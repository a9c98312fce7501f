"""The presets of all games, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..registry import GAMES, LazyMapping
from .record import Rules

__all__ = ["PRESETS", "named"]


def _load_presets() -> dict[str, Rules]:
    return {
        name: game.rules(name=name, preset=name, **changes)
        for game in GAMES.values()
        for name, (_, changes) in game.rules.presets.items()
    }


PRESETS: Mapping[str, Rules] = LazyMapping(_load_presets)
"""The presets of all games by name."""


def named(record: Rules) -> Rules:
    """Return the record with its display name: that of an equal preset, or its preset and number of changes."""
    for known in PRESETS.values():
        if record == known:
            return known
    preset = PRESETS[record.preset]
    count = len(record.changes(preset))
    return replace(record, name=f"{preset.name} with {count} change{'s' if count > 1 else ''}")
