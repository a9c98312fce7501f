"""Errors of deck enrollment and deck files. Imports nothing heavy, so that a server can handle them
cheaply.
"""

from __future__ import annotations

__all__ = ["DeckFileError", "DeckNameError", "EnrollmentError"]


class EnrollmentError(ValueError):
    """A deck cannot be enrolled from these pictures; the message says what was detected and what to do."""


class DeckFileError(ValueError):
    """A file is not a usable deck profile; the message says what was found and what to do."""


class DeckNameError(ValueError):
    """A deck cannot have this name."""
