"""Findings on the quality of a photograph, and their messages for the person at the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.hanafuda.messages import Message
from companion.messages import LANGUAGES, render


def quality_message(code: str, params: Mapping[str, float]) -> Message:
    """Return the message of a finding."""
    return Message(f"photo-{code.removeprefix('photo-')}", params)


@dataclass(frozen=True, slots=True)
class QualityFinding:
    """One reason why cards were not recognized: a stable ``code`` and the values of its message."""

    code: str
    params: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return the finding in the format of the contract: code, params, and the text in each language."""
        message = quality_message(self.code, self.params)
        return {
            "code": self.code,
            "params": dict(self.params),
            "message": {language: render(message, language) for language in LANGUAGES},
        }
