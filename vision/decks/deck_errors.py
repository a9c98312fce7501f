"""What can be wrong with a deck that is enrolled or copied. Nothing heavy is imported here, so that a server can tell of it."""

from __future__ import annotations

__all__ = ["DeckFileError", "DeckNameError", "EnrollmentError"]


class EnrollmentError(ValueError):
    """A deck cannot be learnt from these pictures; the message says what was seen and what to do."""


class DeckFileError(ValueError):
    """A file is no deck profile that can be used; the message says what was seen and what to do."""


class DeckNameError(ValueError):
    """A deck cannot be called that."""
