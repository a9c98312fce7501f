"""The named rules records of all games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.games.kingo.rules import KingoRules
from companion.hanafuda.games.kingo.bank_rules import KingoBankRules
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.rules.options import Text
from companion.hanafuda.rules.record import Rules

__all__ = ["PRESETS", "PRESET_TEXTS", "RECORDS", "STANDARD", "named"]

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


def named(record: Rules) -> Rules:
    """Return the record under the name it goes by: a preset's, whatever it was made from, or its changes'."""
    for known in PRESETS.values():
        if record == known:
            return known
    preset = PRESETS[record.preset]
    count = len(record.changes(preset))
    return replace(record, name=f"{preset.name} with {count} change{'s' if count > 1 else ''}")
