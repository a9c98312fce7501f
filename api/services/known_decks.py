"""The known decks, with serialized writes, and the decks being enrolled, kept in memory between a page's requests."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from cachetools import TTLCache

from companion.hanafuda.errors import ConflictError, NotFoundError
from companion.hanafuda.messages import Message
from companion.store import DocumentStore, LogWriteError

if TYPE_CHECKING:
    from vision.decks.deck_library import DeckLibrary, KnownDeck
    from vision.decks.deck_profile import DeckProfile
    from vision.enrollment.enrollment import DeckProposal

#: Maximum number of enrolled or imported decks; every picture is compared with every known deck.
_MAX_DECKS: Final = 64
#: Maximum number of simultaneous enrollments; each takes about 18 kB of memory per card and photograph.
_MAX_ENROLLMENTS: Final = 12
#: How long an unused enrollment is kept, s.
_MAX_AGE_S: Final = 2 * 3600.0


class DeckWriteError(LogWriteError):
    """Raised if a deck could not be stored or deleted."""

    code = "deck-not-written"

    def __init__(self, error: LogWriteError) -> None:
        super().__init__(Message("problem-not-saved", {"reason": error.message}), reason=error.reason)


class Shelf:
    """The deck library for the API: concurrent reads, serialized writes, and replacing a deck only on request."""

    def __init__(self, documents: DocumentStore) -> None:
        self._documents = documents
        self._write_lock = threading.Lock()

    @cached_property
    def _library(self) -> DeckLibrary:
        # Imported on first use: OpenCV and SciPy take a third of the server's memory and startup time.
        from vision.decks.deck_library import DeckLibrary  # noqa: PLC0415

        return DeckLibrary(self._documents)

    @property
    def known(self) -> Mapping[str, KnownDeck]:
        """All decks by name, shipped ones first."""
        return self._library.known

    def get(self, name: str) -> KnownDeck:
        """Return the deck of that name, or raise `NotFoundError`."""
        deck = self.known.get(name)
        if deck is None:
            raise NotFoundError("no-such-deck", Message("problem-no-such-deck", {"deck": name}))
        return deck

    def taken(self, name: str) -> KnownDeck | None:
        """Return the deck with this name, ignoring case, or None."""
        return next((deck for deck in self.known.values() if deck.name.casefold() == name.casefold()), None)

    def free_name(self, name: str) -> str:
        """Return the normalized form of a name for a new deck.

        Raises `DeckNameError` if it is invalid or taken by a shipped deck; own decks may be replaced.
        """
        from vision.decks.deck_profile import tidy_name  # noqa: PLC0415  # as above

        tidy = tidy_name(name)
        self._library.check_free(tidy)
        return tidy

    def add(self, profile: DeckProfile, *, instead: bool) -> KnownDeck:
        """Store a deck; ``instead`` allows replacing an own deck of the same name.

        Raises `DeckNameError`, `ConflictError` or `DeckWriteError`.
        """
        with self._write_lock:
            if (
                self.taken(profile.name) is None
                and sum(not deck.shipped for deck in self.known.values()) >= _MAX_DECKS
            ):
                raise ConflictError("too-many-decks", Message("problem-too-many-decks", {"max": _MAX_DECKS}))
            try:
                self._library.add(profile, instead=instead)
            except LogWriteError as error:
                raise DeckWriteError(error) from error
            return self.get(profile.name)

    def forget(self, name: str) -> None:
        """Delete an own deck. Raises `NotFoundError`, `ConflictError` for a shipped one, or `DeckWriteError`."""
        with self._write_lock:
            if self.get(name).shipped:
                raise ConflictError("shipped-deck", Message("problem-shipped-deck", {"deck": name}))
            try:
                self._library.forget(name)
            except LogWriteError as error:
                raise DeckWriteError(error) from error


@dataclass(frozen=True, slots=True)
class Enrollment:
    """A deck being enrolled: its future name, and its cards with their proposed names."""

    id: str
    name: str
    proposal: DeckProposal


class Enrollments:
    """The decks being enrolled, in memory: the 12 most recently used, for two hours after their last use.

    They are lost when the program ends, and their photographs aren't stored; the phone must then send them again.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._enrollments: TTLCache[str, Enrollment] = TTLCache(_MAX_ENROLLMENTS, _MAX_AGE_S, clock)
        self._lock = threading.Lock()

    def add(self, name: str, proposal: DeckProposal) -> Enrollment:
        """Store a new enrollment under a random id that cannot be guessed."""
        enrollment = Enrollment(secrets.token_urlsafe(12), name, proposal)
        with self._lock:
            self._enrollments[enrollment.id] = enrollment
        return enrollment

    def get(self, enrollment_id: str) -> Enrollment:
        """Return the enrollment with an id. Raises `NotFoundError`."""
        return self.change(enrollment_id, lambda enrollment: enrollment)

    def change(self, enrollment_id: str, change: Callable[[Enrollment], Enrollment]) -> Enrollment:
        """Replace an enrollment with the result of ``change``. If ``change`` raises, nothing is changed."""
        with self._lock:
            enrollment = self._enrollments.get(enrollment_id)
            if enrollment is None:
                raise NotFoundError("no-such-enrollment", Message("problem-no-such-enrollment"))
            self._enrollments[enrollment_id] = changed = replace(change(enrollment), id=enrollment_id)
            return changed

    def drop(self, enrollment_id: str) -> None:
        """Remove an enrollment; an unknown id is ignored."""
        with self._lock:
            self._enrollments.pop(enrollment_id, None)
