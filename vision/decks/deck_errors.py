"""Errors of deck enrollment and deck files. Imports nothing heavy, so that a server can handle them
cheaply.
"""

from __future__ import annotations

from companion.hanafuda.errors import BadRequestError, ConflictError, MessageError
from companion.hanafuda.messages import Message


class EnrollmentError(MessageError, ValueError):
    """A deck cannot be enrolled from these pictures; the message says what was detected and what to do."""

    code = "not-a-deck"


class DeckFileError(MessageError, ValueError):
    """A file is not a usable deck profile; the message says what was found and what to do."""

    code = "bad-deck-file"


class DeckNameError(MessageError, ValueError):
    """A deck cannot have this name."""

    code = "bad-deck-name"


class DeckTakenError(ConflictError):
    """An enrolled deck already has the name, and replacing it was not requested."""

    def __init__(self, name: str) -> None:
        super().__init__("deck-taken", Message("problem-deck-taken", {"deck": name}), deck=name)


class UnknownDeckError(BadRequestError):
    """The requested deck is unknown, or cannot be used because of ``why``. ``known``: the names of the known decks."""

    code = "unknown-deck"

    def __init__(self, deck: str, known: str = "hanafuda", why: Message | None = None) -> None:
        if why is None:
            super().__init__(Message("problem-unknown-deck", {"deck": repr(deck), "known": known}))
        else:
            super().__init__(Message("deck-unusable", {"deck": repr(deck), "why": why, "known": known}))
