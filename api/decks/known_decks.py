"""The decks that are known here, written one at a time, and those being learnt, kept between a page's requests."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from vision.decks.deck_library import DeckLibrary, KnownDeck
    from vision.decks.deck_profile import DeckProfile
    from vision.decks.enrollment import DeckProposal

__all__ = [
    "DeckTakenError",
    "DeckWriteError",
    "Enrolment",
    "Enrolments",
    "NoSuchDeckError",
    "NoSuchEnrolmentError",
    "Shelf",
    "ShippedDeckError",
    "TooManyDecksError",
]

#: Every known deck is held against every picture, so a house has so many of its own at most.
_MOST_DECKS: Final = 64
#: Decks being learnt at once; each holds about 18 kB a card and photograph.
_MOST_ENROLMENTS: Final = 12
#: How long one that nobody touches is kept.
_AGE_S: Final = 2 * 3600.0


class NoSuchDeckError(Exception):
    """There is no deck of that name here."""

    code: ClassVar[str] = "no-such-deck"


class ShippedDeckError(Exception):
    """The deck comes with the program and stays."""

    code: ClassVar[str] = "shipped-deck"


class DeckTakenError(Exception):
    """A deck of one's own has that name already, and nobody said that it is to be replaced."""

    code: ClassVar[str] = "deck-taken"

    def __init__(self, name: str) -> None:
        super().__init__(f"A deck called {name} is known already: choose another name, or replace it.")
        self.name = name


class TooManyDecksError(Exception):
    """No more decks are taken."""

    code: ClassVar[str] = "too-many-decks"

    def __init__(self) -> None:
        super().__init__(f"{_MOST_DECKS} decks are known here, and no more are taken: forget one first.")


class DeckWriteError(Exception):
    """The deck's file could not be written."""

    code: ClassVar[str] = "deck-not-written"

    def __init__(self, error: OSError) -> None:
        reason = error.strerror or type(error).__name__
        super().__init__(f"The deck could not be written ({reason}); nothing was changed.")


class NoSuchEnrolmentError(Exception):
    """No deck is being learnt under that id, or not any more."""

    code: ClassVar[str] = "no-such-enrolment"

    def __init__(self) -> None:
        super().__init__(
            "These pictures are not held any more: they are kept for two hours, and until the program is started again."
            " Send them once more."
        )


class Shelf:
    """The library as the API sees it: many may read, one writes at a time, and nothing is replaced unasked."""

    def __init__(self, decks: Path) -> None:
        """Take the folder of enrolled decks."""
        self._decks = decks
        self._writing = threading.Lock()

    @cached_property
    def _library(self) -> DeckLibrary:
        # Imported now: OpenCV and SciPy are a third of the server's memory, and of its start.
        from vision.decks.deck_library import DeckLibrary  # noqa: PLC0415

        return DeckLibrary(self._decks)

    @property
    def known(self) -> Mapping[str, KnownDeck]:
        """All decks by name, shipped ones first."""
        return self._library.known

    def get(self, name: str) -> KnownDeck:
        """Return the deck of that name, or raise `NoSuchDeckError`."""
        found = self.known.get(name)
        if found is None:
            raise NoSuchDeckError(f"There is no deck called {name} here; it may have been forgotten.")
        return found

    def taken(self, name: str) -> KnownDeck | None:
        """Return the deck that has this name, whatever its capitals; None where it is free."""
        return next((deck for deck in self.known.values() if deck.name.casefold() == name.casefold()), None)

    def free_name(self, name: str) -> str:
        """Return a name as a deck can have it here, or raise `DeckNameError`; one's own decks may be replaced."""
        from vision.decks.deck_profile import tidy_name  # noqa: PLC0415  # as above

        tidy = tidy_name(name)
        self._library.check_free(tidy)
        return tidy

    def add(self, profile: DeckProfile, *, instead: bool) -> KnownDeck:
        """Keep a deck, ``instead`` of one's own of that name where there is one.

        Raises `DeckNameError`, `DeckTakenError`, `TooManyDecksError` or `DeckWriteError`.
        """
        with self._writing:
            held = self.taken(profile.name)
            if held is not None and not held.shipped and not instead:
                raise DeckTakenError(held.name)
            if held is None and sum(not deck.shipped for deck in self.known.values()) >= _MOST_DECKS:
                raise TooManyDecksError
            try:
                self._library.add(profile)
            except OSError as error:
                raise DeckWriteError(error) from error
            return self.get(profile.name)

    def forget(self, name: str) -> Path:
        """Remove a deck of one's own; `NoSuchDeckError`, `ShippedDeckError` or `DeckWriteError` where it cannot be."""
        with self._writing:
            if self.get(name).shipped:
                raise ShippedDeckError(f"{name} comes with the program and stays.")
            try:
                return self._library.forget(name)
            except OSError as error:
                raise DeckWriteError(error) from error


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A deck being learnt: the name it is to have, and its cards with the names proposed."""

    id: str
    name: str
    proposal: DeckProposal


class Enrolments:
    """Decks being learnt, in memory: the last few that somebody touched in the last two hours.

    They are lost when the program ends, as the photographs are not kept: a phone then sends them once more.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held: OrderedDict[str, tuple[float, Enrolment]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, name: str, proposal: DeckProposal) -> Enrolment:
        """Hold a new one under an id that nobody can guess."""
        enrolment = Enrolment(secrets.token_urlsafe(12), name, proposal)
        with self._lock:
            self._keep(enrolment)
        return enrolment

    def get(self, enrolment_id: str) -> Enrolment:
        """Return what is held under an id, or raise `NoSuchEnrolmentError`."""
        return self.change(enrolment_id, lambda enrolment: enrolment)

    def change(self, enrolment_id: str, change: Callable[[Enrolment], Enrolment]) -> Enrolment:
        """Put what ``change`` makes of an enrolment in its place; where it raises, nothing is changed."""
        with self._lock:
            touched, enrolment = self._held.get(enrolment_id, (-float("inf"), None))
            if enrolment is None or self._clock() - touched > _AGE_S:
                raise NoSuchEnrolmentError
            changed = replace(change(enrolment), id=enrolment_id)
            self._keep(changed)
            return changed

    def drop(self, enrolment_id: str) -> None:
        """Hold it no longer."""
        with self._lock:
            self._held.pop(enrolment_id, None)

    def _keep(self, enrolment: Enrolment) -> None:
        now = self._clock()
        self._held[enrolment.id] = (now, enrolment)
        self._held.move_to_end(enrolment.id)
        old = [held for held, (touched, _) in self._held.items() if now - touched > _AGE_S]
        for held in (*old, *list(self._held)[: max(0, len(self._held) - len(old) - _MOST_ENROLMENTS)]):
            self._held.pop(held, None)
