"""Findings on the quality of a photograph, and their messages for the person at the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.messages import Message
from companion.messages import LANGUAGES, render


@dataclass(frozen=True, slots=True)
class QualityFinding:
    """What is wrong with a photograph: a stable ``code`` and the values of its message; lists are ids of cards."""

    code: str
    params: Mapping[str, float | list[str]]

    def to_json(self) -> dict[str, Any]:
        """Return the finding in the format of the contract: code, params, and the text in each language."""
        params = {
            name: card_list(value) if isinstance(value, list) else value
            for name, value in self.params.items()
        }
        message = Message("notice-card-twice" if self.code == "card-twice" else self.code, params)
        return {
            "code": self.code,
            "params": dict(self.params),
            "message": {language: render(message, language) for language in LANGUAGES},
        }
