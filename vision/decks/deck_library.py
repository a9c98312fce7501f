"""The decks that are known here: those shipped with the program, and those that people enrolled."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from companion.hanafuda.cards import DECKS as PACKS
from vision.decks.deck_naming import DeckClassifier, VoteWeightSet
from vision.decks.deck_profile import DeckFileError, DeckNameError, DeckProfile
from vision.networks.matcher import Matcher
from vision.networks.onnx_sessions import MODELS
from vision.networks.recognizer import Recognizer

__all__ = ["DeckLibrary", "KnownDeck"]

_SUFFIX: Final = ".deck"


@dataclass(frozen=True, eq=False, slots=True)
class KnownDeck:
    """A deck's file: its profile, or None where ``problem`` says why it cannot be used."""

    name: str
    path: Path
    shipped: bool
    profile: DeckProfile | None
    problem: str = ""


class DeckLibrary:
    """The ``.deck`` files of two folders: the shipped ones, and ``enrolled``, where people's own are kept (None: nowhere)."""

    def __init__(self, enrolled: Path | None = None, shipped: Path = MODELS / "decks") -> None:
        self._folders = [(shipped, True)] if enrolled is None else [(shipped, True), (enrolled, False)]
        self._enrolled = enrolled
        self._stamps: dict[Path, tuple[bool, int]] = {}
        self._known: dict[str, KnownDeck] = {}
        self._namers: dict[str, tuple[DeckProfile, DeckClassifier]] = {}

    @property
    def known(self) -> Mapping[str, KnownDeck]:
        """All decks by name, shipped ones first; the folders are read again when something in them changed."""
        stamps = self._files()
        if stamps != self._stamps:
            held = {
                each.path: each
                for each in self._known.values()
                if self._stamps.get(each.path) == stamps.get(each.path)
            }
            known: dict[str, KnownDeck] = {}
            for path, (shipped, _) in stamps.items():
                known.setdefault(path.stem, held.get(path) or _read(path, shipped))
            # Put in place whole: a server's threads read while another one scans.
            self._known, self._stamps = known, stamps
        return self._known

    def classifiers(
        self, recognizer: Recognizer, votes: VoteWeightSet, matcher: Matcher | None = None
    ) -> dict[str, DeckClassifier]:
        """Return what names cards by each deck that can be used with this recogniser.

        Profiles that other weights made are embedded anew from their pictures, once: their files are written again.
        """
        usable = {}
        for name, each in self.known.items():
            if each.profile is None:
                continue
            held = self._namers.get(name)
            if held is None or held[0] is not each.profile:
                profile = each.profile.renewed(recognizer)
                if profile.weights != recognizer.fingerprint:
                    continue
                if profile is not each.profile and not each.shipped:
                    with suppress(OSError):  # a folder that cannot be written to costs time, no more
                        profile.save(each.path)
                worth = votes.enrolled if len(profile.pictures) else votes.shipped
                held = each.profile, DeckClassifier(profile, worth, matcher)
            usable[name] = held[1]
            self._namers[name] = held
        return usable

    def profile(self, name: str) -> DeckProfile:
        """Return a known deck's profile; `DeckNameError` where there is none of that name, `DeckFileError` where it is damaged."""
        each = self.known.get(name)
        if each is None:
            raise DeckNameError(
                f"there is no deck {name!r} here; known decks: {', '.join(self.known) or 'none'}"
            )
        if each.profile is None:
            raise DeckFileError(each.problem)
        return each.profile

    def check_free(self, name: str) -> None:
        """Raise `DeckNameError` where an enrolled deck cannot have this name: it is a shipped one's."""
        held = self._held(name)
        if held is not None and held.shipped:
            raise DeckNameError(f"{held.name} is a deck that comes with the program: choose another name")

    def add(self, profile: DeckProfile) -> Path:
        """Keep an enrolled deck, in the place of one that was enrolled by its name, and return its file.

        `DeckNameError` where the name is a shipped deck's; OSError where the file cannot be written.
        """
        self.check_free(profile.name)
        if self._enrolled is None:
            raise DeckNameError("there is no folder here to keep decks in")
        held = self._held(profile.name)
        path = self._enrolled / (profile.name + _SUFFIX)
        profile.save(path)
        if held is not None and held.path != path:  # capitals do not tell names apart
            held.path.unlink(missing_ok=True)
        return path

    def forget(self, name: str) -> Path:
        """Remove an enrolled deck and return the file that was; `DeckNameError` where there is none of that name."""
        each = self.known.get(name)
        if each is None:
            raise DeckNameError(
                f"there is no deck {name!r} here; known decks: {', '.join(self.known) or 'none'}"
            )
        if each.shipped:
            raise DeckNameError(
                f"{name} comes with the program, which keeps it; only enrolled decks can be forgotten"
            )
        each.path.unlink(missing_ok=True)
        return each.path

    def _held(self, name: str) -> KnownDeck | None:
        return next((each for known, each in self.known.items() if known.casefold() == name.casefold()), None)

    def said(self) -> str:
        """Return the names one may ask a deck by: the packs, then the decks."""
        return ", ".join((*PACKS, *self.known))

    def _files(self) -> dict[Path, tuple[bool, int]]:
        """Return each deck file: whether it is shipped, and when it was last written (ns)."""
        found = {}
        for folder, shipped in self._folders:
            for path in sorted(folder.glob(f"*{_SUFFIX}")):
                with suppress(FileNotFoundError):  # forgotten meanwhile
                    found[path] = (shipped, path.stat().st_mtime_ns)
        return found


def _read(path: Path, shipped: bool) -> KnownDeck:
    try:
        # A copied file's name is the deck's, whatever it was called where it came from.
        profile = replace(DeckProfile.load(path), name=path.stem)
    except DeckFileError as error:
        return KnownDeck(path.stem, path, shipped, None, str(error))
    return KnownDeck(path.stem, path, shipped, profile)
