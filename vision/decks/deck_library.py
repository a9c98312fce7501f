"""The library of known decks: those shipped with the program and those enrolled by users."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.messages import Message
from vision.decks.deck_naming import DeckClassifier, VoteWeightSet
from vision.decks.deck_profile import DeckFileError, DeckNameError, DeckProfile
from vision.networks.matcher import Matcher
from vision.networks.onnx_sessions import MODELS
from vision.networks.recognizer import Recognizer

__all__ = ["DeckLibrary", "KnownDeck"]

_SUFFIX: Final = ".deck"


@dataclass(frozen=True, eq=False, slots=True)
class KnownDeck:
    """A deck file: its profile, or None if it cannot be used because of ``problem``."""

    name: str
    path: Path
    shipped: bool
    profile: DeckProfile | None
    problem: Message | None = None


class DeckLibrary:
    """The ``.deck`` files of two folders: the shipped ones, and the ``enrolled`` ones of users (None for
    none).
    """

    def __init__(self, enrolled: Path | None = None, shipped: Path = MODELS / "decks") -> None:
        self._folders = [(shipped, True)] if enrolled is None else [(shipped, True), (enrolled, False)]
        self._enrolled = enrolled
        self._stamps: dict[Path, tuple[bool, int]] = {}
        self._known: dict[str, KnownDeck] = {}
        self._classifiers: dict[str, tuple[DeckProfile, DeckClassifier]] = {}

    @property
    def known(self) -> Mapping[str, KnownDeck]:
        """All decks by name, shipped ones first; the folders are read again when a file in them has
        changed.
        """
        stamps = self._files()
        if stamps != self._stamps:
            cached = {
                deck.path: deck
                for deck in self._known.values()
                if self._stamps.get(deck.path) == stamps.get(deck.path)
            }
            known: dict[str, KnownDeck] = {}
            for path, (shipped, _) in stamps.items():
                known.setdefault(path.stem, cached.get(path) or _read(path, shipped))
            # Replace the whole mapping: other threads may be reading it.
            self._known, self._stamps = known, stamps
        return self._known

    def classifiers(
        self, recognizer: Recognizer, votes: VoteWeightSet, matcher: Matcher | None = None
    ) -> dict[str, DeckClassifier]:
        """Return the classifiers of all decks that can be used with this recognizer, by name.

        Profiles made with other weights are embedded again from their pictures once, and their files are
        rewritten.
        """
        usable = {}
        for name, deck in self.known.items():
            if deck.profile is None:
                continue
            cached = self._classifiers.get(name)
            if cached is None or cached[0] is not deck.profile:
                profile = deck.profile.renewed(recognizer)
                if profile.weights != recognizer.fingerprint:
                    continue
                if profile is not deck.profile and not deck.shipped:
                    with suppress(OSError):  # a read-only folder only costs time at the next start
                        profile.save(deck.path)
                weights = votes.enrolled if len(profile.pictures) else votes.shipped
                cached = deck.profile, DeckClassifier(profile, weights, matcher)
            usable[name] = cached[1]
            self._classifiers[name] = cached
        return usable

    def profile(self, name: str) -> DeckProfile:
        """Return the profile of a deck. Raises `DeckNameError` if it is unknown, `DeckFileError` if its
        file is damaged.
        """
        deck = self.known.get(name)
        if deck is None:
            raise DeckNameError(
                Message("problem-unknown-deck", {"deck": repr(name), "known": ", ".join(self.known) or "–"})
            )
        if deck.profile is None:
            raise DeckFileError(deck.problem or "")
        return deck.profile

    def check_free(self, name: str) -> None:
        """Raise `DeckNameError` if ``name`` is the name of a shipped deck."""
        existing = self._find(name)
        if existing is not None and existing.shipped:
            raise DeckNameError(Message("deck-name-taken", {"name": existing.name}))

    def add(self, profile: DeckProfile) -> Path:
        """Store an enrolled deck, replacing one of the same name, and return its file.

        Raises `DeckNameError` if the name belongs to a shipped deck, `OSError` if the file cannot be written.
        """
        self.check_free(profile.name)
        if self._enrolled is None:
            raise DeckNameError(Message("deck-no-folder"))
        existing = self._find(profile.name)
        path = self._enrolled / (profile.name + _SUFFIX)
        profile.save(path)
        if existing is not None and existing.path != path:  # names are case-insensitive
            existing.path.unlink(missing_ok=True)
        return path

    def forget(self, name: str) -> Path:
        """Delete an enrolled deck and return the path of its file. Raises `DeckNameError` if it is unknown
        or shipped.
        """
        deck = self.known.get(name)
        if deck is None:
            raise DeckNameError(
                Message("problem-unknown-deck", {"deck": repr(name), "known": ", ".join(self.known) or "–"})
            )
        if deck.shipped:
            raise DeckNameError(Message("problem-shipped-deck", {"deck": name}))
        deck.path.unlink(missing_ok=True)
        return deck.path

    def _find(self, name: str) -> KnownDeck | None:
        return next(
            (deck for known_name, deck in self.known.items() if known_name.casefold() == name.casefold()),
            None,
        )

    def names_text(self) -> str:
        """Return the names of all packs and decks, separated by commas."""
        return ", ".join((*PACKS, *self.known))

    def _files(self) -> dict[Path, tuple[bool, int]]:
        """Return all deck files: whether each is shipped, and its modification time, ns."""
        files = {}
        for folder, shipped in self._folders:
            for path in sorted(folder.glob(f"*{_SUFFIX}")):
                with suppress(FileNotFoundError):  # forgotten meanwhile
                    files[path] = (shipped, path.stat().st_mtime_ns)
        return files


def _read(path: Path, shipped: bool) -> KnownDeck:
    try:
        # The name of the file counts, not the one stored in it.
        profile = replace(DeckProfile.load(path), name=path.stem)
    except DeckFileError as error:
        return KnownDeck(path.stem, path, shipped, None, error.message)
    return KnownDeck(path.stem, path, shipped, profile)
