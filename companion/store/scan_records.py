"""A scan of the log: what the program read, what people corrected, and what follows from both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from companion.hanafuda.cards import BACK, to_bits
from companion.pile import Pile, pile_of
from companion.store.errors import CardTakenError, CorrectionError

__all__ = ["REMOVED", "Changes", "Correction", "Scan", "Score", "corrections_for"]

REMOVED = "removed"
"""What a correction names a card that is not there: the program saw one where there is none."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One card put right by a person: ``corrected`` in its place, or ``added`` where the program saw none."""

    time: str
    actor: str
    kind: Literal["corrected", "added"]
    index: int
    card: str | None


@dataclass(frozen=True, slots=True)
class Score:
    """What was asked of the scorer and what it answered; ``rules`` is the whole record that held."""

    time: str
    actor: str
    game: str
    rules: Mapping[str, Any]
    month: int | None
    calls: Mapping[str, int] | None
    answer: Mapping[str, Any]

    @property
    def rules_named(self) -> Mapping[str, str]:
        """The rules' name and hash, as the scorer told them."""
        named: Mapping[str, str] = self.answer["rules"]
        return named


@dataclass(frozen=True, slots=True)
class Changes:
    """What a person wants changed in a scan; None (and nothing added) leaves things as they are.

    ``settings`` may hold ``game``, ``rules``, ``month``, ``calls``; each replaces what the score last used.
    """

    corrections: Sequence[tuple[int, str | None]] = ()
    added: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    kept: bool | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """One picture in the log. ``reading`` is what the program read and never changes."""

    id: str
    time: str
    image: str
    sha256: str
    media_type: str
    kept: bool
    note: str
    reading: Mapping[str, Any]
    corrections: tuple[Correction, ...]
    score: Score | None

    @property
    def cards(self) -> list[dict[str, Any]]:
        """The cards as they stand now, corrections applied; ``index`` names each in later corrections."""
        standing = {
            index: {"index": index, "by": "program", **seen}
            for index, seen in enumerate(self.reading["cards"])
        }
        for correction in self.corrections:
            standing[correction.index] = self._corrected(correction, standing.get(correction.index))
        return [entry for entry in standing.values() if entry["card"] != REMOVED]

    def _corrected(self, correction: Correction, entry: Mapping[str, Any] | None) -> dict[str, Any]:
        seen = self._seen(correction.index)
        if entry is None:
            entry = {
                "index": correction.index,
                "confidence": 1.0,
                "quad": None,
                "visible": 0.0,
                "alternatives": [],
                "zone": None,
            }
        by = "program" if seen is not None and seen["card"] == correction.card else "person"
        return {**entry, "card": correction.card, "by": by}

    def _seen(self, index: int) -> Mapping[str, Any] | None:
        """What the program read at an index; None for a card that a person added."""
        cards: list[Mapping[str, Any]] = self.reading["cards"]
        return cards[index] if index < len(cards) else None

    @property
    def pile(self) -> Pile:
        """What of the cards as they stand now counts as captured."""
        return pile_of(self.cards)

    def story(self) -> list[dict[str, Any]]:
        """Return the corrections as JSON answers tell them, each but an added card with what it replaced."""
        names = {index: seen["card"] for index, seen in enumerate(self.reading["cards"])}
        told: list[dict[str, Any]] = []
        for correction in self.corrections:
            event: dict[str, Any] = {
                "time": correction.time,
                "actor": correction.actor,
                "kind": correction.kind,
                "index": correction.index,
                "card": correction.card,
            }
            if correction.kind == "corrected":
                event["from"] = names[correction.index]
            names[correction.index] = correction.card
            told.append(event)
        return told

    def to_json(self) -> dict[str, Any]:
        """Return the whole scan as JSON answers and exports tell it."""
        score = self.score
        return {
            "id": self.id,
            "time": self.time,
            "kept": self.kept,
            "note": self.note,
            "image": self.image,
            "sha256": self.sha256,
            "reading": self.reading,
            "corrections": self.story(),
            "cards": self.cards,
            "left_out": self.pile.left_out(),
            "game": score.game if score else None,
            "rules": {**score.rules_named, "options": score.rules} if score else None,
            "month": score.month if score else None,
            "calls": score.calls if score else None,
            "score": score.answer if score else None,
        }

    def summary(self) -> dict[str, Any]:
        """Return what a list of scans tells of this one."""
        score = self.score
        cards = self.cards
        return {
            "id": self.id,
            "time": self.time,
            "kept": self.kept,
            "note": self.note,
            "image": self.image,
            "game": score.game if score else None,
            "rules": dict(score.rules_named) if score else None,
            "total": score.answer["total"] if score else None,
            "cards": len(cards),
            "unnamed": sum(entry["card"] is None for entry in cards),
        }


def corrections_for(scan: Scan, changes: Changes, time: str, actor: str) -> list[Correction]:
    """Return the corrections that carry out the changes, checked against all cards as they will stand then.

    Only the cards that the changes touch are checked against the others, so that two cards can change places
    in one go, and a doubt that the program left elsewhere does not stand in the way.
    """
    count = len(scan.reading["cards"]) + sum(event.kind == "added" for event in scan.corrections)
    made: list[Correction] = []
    for index, name in changes.corrections:
        if not 0 <= index < count:
            raise CorrectionError(
                f"there is no card {index} in this scan to correct:"
                + (f" its cards are 0 to {count - 1}" if count else " it has no cards")
            )
        made.append(Correction(time, actor, "corrected", index, _known(name)))
    for name in changes.added:
        if name == REMOVED:
            raise CorrectionError(f"a card that is added needs a name, not {name!r}")
        made.append(Correction(time, actor, "added", count, _known(name)))
        count += 1
    before = {entry["index"]: entry["card"] for entry in scan.cards}
    after = dict(before)
    for event in made:
        after[event.index] = event.card
    touched = {event.index for event in made if after[event.index] != before.get(event.index, REMOVED)}
    _check_once_each(after, touched)
    return [event for event in made if event.index in touched]


def _known(name: str | None) -> str | None:
    """Return the name if a correction may use it, else raise UnknownCardError."""
    if name is not None and name not in {BACK, REMOVED}:
        to_bits([name])
    return name


def _check_once_each(cards: Mapping[int, str | None], touched: set[int]) -> None:
    for index in sorted(touched):
        name = cards[index]
        if name is None or name in {BACK, REMOVED}:
            continue
        others = [other for other, held in cards.items() if held == name and other != index]
        if others:
            raise CardTakenError(name, others[0])
