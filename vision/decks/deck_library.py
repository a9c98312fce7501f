"""The library of known decks: those shipped with the program and those enrolled by users."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.messages import Message
from companion.store import DocumentStore, LogReadError, LogWriteError, open_documents
from vision.decks.deck_errors import DeckFileError, DeckNameError, DeckTakenError, UnknownDeckError
from vision.decks.deck_profile import DeckProfile
from vision.networks.onnx_sessions import MODELS


@dataclass(frozen=True, eq=False, slots=True)
class KnownDeck:
    """A stored deck: its profile, or None if it cannot be used because of ``problem``."""

    name: str
    location: str
    """Where it is stored, for people."""
    shipped: bool
    profile: DeckProfile | None
    problem: Message | None = None


class DeckLibrary:
    """The decks that come with the program (``shipped``) and those that users ``enrolled`` (None for none)."""

    def __init__(self, enrolled: DocumentStore | None = None, shipped: DocumentStore | None = None) -> None:
        self._shipped = shipped or open_documents(MODELS)
        self._enrolled = enrolled
        self._versions: dict[tuple[str, bool], str] = {}
        self._known: dict[str, KnownDeck] = {}

    @property
    def known(self) -> Mapping[str, KnownDeck]:
        """All decks by name, shipped ones first; those that have changed are read again.

        If the database is away for a moment, the decks are those that were last read.
        """
        try:
            versions = self._current_versions()
        except LogReadError:
            if not self._known:
                raise
            return self._known
        if versions != self._versions:
            cached = {
                key: deck
                for deck in self._known.values()
                if self._versions.get(key := (deck.name, deck.shipped)) == versions.get(key)
            }
            known: dict[str, KnownDeck] = {}
            for name, shipped in versions:
                known.setdefault(name, cached.get((name, shipped)) or self._read(name, shipped))
            # Replace the whole mapping: other threads may be reading it.
            self._known, self._versions = known, versions
        return self._known

    def renew(self, deck: KnownDeck, profile: DeckProfile) -> None:
        """Store the profile of an enrolled deck that was embedded again; a read-only disk only costs time at the next start."""
        if not deck.shipped and self._enrolled is not None:
            with suppress(LogWriteError):
                self._enrolled.write("deck", deck.name, profile.to_bytes())

    def deck(self, name: str) -> KnownDeck:
        """Return a stored deck. Raises `UnknownDeckError`."""
        deck = self.known.get(name)
        if deck is None:
            raise UnknownDeckError(name, ", ".join((*PACKS, *self.known)))
        return deck

    def profile(self, name: str) -> DeckProfile:
        """Return the profile of a deck. Raises `UnknownDeckError`, and `DeckFileError` if its file is damaged."""
        deck = self.deck(name)
        if deck.profile is None:
            raise DeckFileError(deck.problem or "")
        return deck.profile

    def check_free(self, name: str) -> None:
        """Raise `DeckNameError` if ``name`` is the name of a shipped deck."""
        existing = self._find(name)
        if existing is not None and existing.shipped:
            raise DeckNameError(Message("deck-name-taken", {"name": existing.name}))

    def add(self, profile: DeckProfile, *, instead: bool = True) -> str:
        """Store an enrolled deck and return its location; ``instead`` allows replacing one of the same name.

        Raises `DeckNameError` if the name belongs to a shipped deck, `DeckTakenError` if it belongs to one that may not be
        replaced or that somebody else stores at the same time, `LogWriteError` if it cannot be stored.
        """
        self.check_free(profile.name)
        if self._enrolled is None:
            raise DeckNameError(Message("deck-no-folder"))
        existing = self._find(profile.name)
        if existing is not None:
            if not instead:
                raise DeckTakenError(existing.name)
            self._enrolled.write("deck", profile.name, profile.to_bytes())
        elif not self._enrolled.replace("deck", profile.name, profile.to_bytes(), None):
            raise DeckTakenError(profile.name)
        for name in self._enrolled.names("deck"):  # the name may differ in case
            if name.casefold() != profile.name.casefold() or name == profile.name:
                continue
            if existing is None:  # stored at the same time; both are refused if each finds the other's
                self._enrolled.write("deck", profile.name, None)
                raise DeckTakenError(name)
            self._enrolled.write("deck", name, None)
        return self._enrolled.location("deck", profile.name)

    def forget(self, name: str) -> str:
        """Delete an enrolled deck and return its location. Raises `UnknownDeckError`, `DeckNameError` if it is
        shipped, `LogWriteError` if it cannot be deleted.
        """
        deck = self.deck(name)
        if deck.shipped or self._enrolled is None:
            raise DeckNameError(Message("problem-shipped-deck", {"deck": name}))
        self._enrolled.write("deck", name, None)
        return deck.location

    def _find(self, name: str) -> KnownDeck | None:
        return next(
            (deck for known_name, deck in self.known.items() if known_name.casefold() == name.casefold()),
            None,
        )

    def _current_versions(self) -> dict[tuple[str, bool], str]:
        """Return the versions of all decks by name and whether they are shipped."""
        return {
            (name, shipped): version
            for documents, shipped in ((self._shipped, True), (self._enrolled, False))
            if documents is not None
            for name, version in documents.versions("deck").items()
        }

    def _read(self, name: str, shipped: bool) -> KnownDeck:
        documents = self._shipped if shipped or self._enrolled is None else self._enrolled
        location = documents.location("deck", name)
        try:
            # The name under which it is stored counts, not the one stored in it.
            profile = replace(DeckProfile.from_bytes(documents.read("deck", name) or b""), name=name)
        except (DeckFileError, LogReadError) as error:
            return KnownDeck(name, location, shipped, None, error.message)
        return KnownDeck(name, location, shipped, profile)
