"""The names of rules for people. Requests, events and commands name a preset by its slug."""

from __future__ import annotations

import re

from companion.hanafuda.messages import Message
from companion.messages.catalog import DEFAULT_LANGUAGE, catalog

_CHANGED = re.compile(r"(?P<preset>.+) with (?P<count>\d+) changes?")
"""The name of a changed preset, as `companion.hanafuda.rules.named` writes it."""


def rules_label(name: str) -> Message:
    """Return the name of rules for people: that of a preset, also a changed one, or a saved name as it is."""
    changed = _CHANGED.fullmatch(name)
    preset = f"preset-{changed['preset'] if changed else name}"
    if preset not in catalog(DEFAULT_LANGUAGE):
        return Message("text", {"en": name})
    label = Message(preset)
    return Message("rules-changed", {"rules": label, "count": int(changed["count"])}) if changed else label


def preset_origin(name: str) -> Message | None:
    """Return who wrote the rules of a preset and where they are played; None for other rules, or if nothing says so."""
    code = f"preset-{name}-origin"
    return Message(code) if code in catalog(DEFAULT_LANGUAGE) else None
