"""Sentences about devices for the person at the table, in English, Japanese and Korean."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Said"]


class Said(NamedTuple):
    """One sentence in the three languages."""

    en: str
    ja: str
    ko: str

    def to_dict(self) -> dict[str, str]:
        """Return the sentence by language, as JSON has it."""
        return self._asdict()

    def about(self, **values: object) -> Said:
        """Return the sentence with its ``{name}`` places filled."""
        return Said(*(text.format(**values) for text in self))
