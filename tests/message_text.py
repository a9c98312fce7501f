"""The English text of a message as an event stores it, of an error, and of a score."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from companion.hanafuda.messages import Message
from companion.hanafuda.scoring import score_request
from companion.messages import error_text, render, with_texts

__all__ = ["english", "raises_text", "score_with_texts"]


def english(message: Mapping[str, Any]) -> str:
    """Return the text of a stored message, with players as numbers."""
    return render(Message.from_dict(message))


@contextmanager
def raises_text(
    error_type: type[Exception] | tuple[type[Exception], ...], match: str
) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """Expect an error whose English text matches a pattern."""
    with pytest.raises(error_type) as raised:
        yield raised
    assert re.search(match, error_text(raised.value)), error_text(raised.value)


def score_with_texts(request: Mapping[str, Any]) -> Any:
    """Return the answer of commands and the API to a score request, in English."""
    return with_texts(score_request(request), "en")
