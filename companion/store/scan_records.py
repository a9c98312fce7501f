"""A stored scan: the recognizer's reading, people's corrections, and the resulting cards and score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from companion.hanafuda.cards import BACK, to_bits
from companion.hanafuda.messages import Message
from companion.pile import left_out
from companion.store.errors import CardTakenError, CorrectionError

DRAFT_DAYS: Final = 7
"""Days after which a scan that nobody kept is removed."""
VISITOR_DRAFT_DAYS: Final = 1
"""The same for a visitor's scan: the evening and the morning after."""

REMOVED = "removed"
"""The ``card`` of a correction that removes a false detection."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser that is not paired."""

    id: str
    """The id under which its drafts are stored; never the browser's secret itself."""
    address: str
    """Its network address."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's correction of one card: ``corrected`` changes a detected card, ``added`` adds one that was not detected."""

    time: str
    actor: str
    kind: Literal["corrected", "added"]
    index: int
    card: str | None


@dataclass(frozen=True, slots=True)
class ScanDraft:
    """What is stored of a picture that was read."""

    picture: bytes
    media_type: str
    image: str
    """The name of the picture's file."""
    reading: Mapping[str, Any]
    """The recognizer's result, in the format of ``scan --json``."""
    settings: Mapping[str, Any]
    """As in `Changes`."""
    actor: str


@dataclass(frozen=True, slots=True)
class ScanScore:
    """A request to the scorer and its answer; ``rules`` is the complete rules record that was used."""

    time: str
    actor: str
    game: str
    rules: Mapping[str, Any]
    month: int | None
    calls: Mapping[str, int] | None
    answer: Mapping[str, Any]

    @property
    def rules_reference(self) -> Mapping[str, str]:
        """The rules' name and hash from the scorer's answer."""
        named: Mapping[str, str] = self.answer["rules"]
        return named


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes that a person requests to a scan; None and empty collections change nothing.

    ``settings`` may have ``game``, ``rules``, ``month`` and ``calls``; each replaces the value that the score last used.
    """

    corrections: Sequence[tuple[int, str | None]] = ()
    added: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    kept: bool | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """One photograph in the log. ``reading`` is the recognizer's result and never changes."""

    id: str
    time: str
    image: str
    sha256: str
    media_type: str
    kept: bool
    note: str
    reading: Mapping[str, Any]
    corrections: tuple[Correction, ...]
    score: ScanScore | None

    @property
    def cards(self) -> list[dict[str, Any]]:
        """The cards with all corrections applied; later corrections refer to them by ``index``."""
        cards_by_index = {
            index: {"index": index, "by": "program", **original}
            for index, original in enumerate(self.reading["cards"])
        }
        for correction in self.corrections:
            cards_by_index[correction.index] = self._corrected(
                correction, cards_by_index.get(correction.index)
            )
        return [entry for entry in cards_by_index.values() if entry["card"] != REMOVED]

    def _corrected(self, correction: Correction, entry: Mapping[str, Any] | None) -> dict[str, Any]:
        original = self._recognized(correction.index)
        if entry is None:
            entry = {
                "index": correction.index,
                "confidence": 1.0,
                "quad": None,
                "visible": 0.0,
                "alternatives": [],
                "zone": None,
            }
        by = "program" if original is not None and original["card"] == correction.card else "person"
        return {**entry, "card": correction.card, "by": by}

    def _recognized(self, index: int) -> Mapping[str, Any] | None:
        """Return the recognizer's card at an index; None for a card that a person added."""
        cards: list[Mapping[str, Any]] = self.reading["cards"]
        return cards[index] if index < len(cards) else None

    def story(self) -> list[dict[str, Any]]:
        """Return the corrections for JSON; each has the card that it replaced as ``from``, except for added cards."""
        names = {index: original["card"] for index, original in enumerate(self.reading["cards"])}
        events: list[dict[str, Any]] = []
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
            events.append(event)
        return events

    def to_json(self) -> dict[str, Any]:
        """Return the whole scan for JSON answers and exports."""
        score, cards = self.score, self.cards
        return {
            "id": self.id,
            "time": self.time,
            "kept": self.kept,
            "note": self.note,
            "image": self.image,
            "sha256": self.sha256,
            "reading": self.reading,
            "corrections": self.story(),
            "cards": cards,
            "left_out": left_out(cards),
            "game": score.game if score else None,
            "rules": {**score.rules_reference, "options": score.rules} if score else None,
            "month": score.month if score else None,
            "calls": score.calls if score else None,
            "score": score.answer if score else None,
        }

    def summary(self) -> dict[str, Any]:
        """Return the scan's entry in a list of scans."""
        score = self.score
        cards = self.cards
        return {
            "id": self.id,
            "time": self.time,
            "kept": self.kept,
            "note": self.note,
            "image": self.image,
            "game": score.game if score else None,
            "rules": dict(score.rules_reference) if score else None,
            "total": score.answer["total"] if score else None,
            "cards": len(cards),
            "unnamed": sum(entry["card"] is None for entry in cards),
        }


def corrections_for(scan: Scan, changes: Changes, time: str, actor: str) -> list[Correction]:
    """Return the corrections that apply the changes; raises `CorrectionError` if the resulting cards are inconsistent.

    Only changed cards are checked for duplicates, against all resulting cards. So two cards can be swapped in one request, and
    an uncertain reading of another card does not block the change.
    """
    count = len(scan.reading["cards"]) + sum(event.kind == "added" for event in scan.corrections)
    corrections: list[Correction] = []
    for index, name in changes.corrections:
        if not 0 <= index < count:
            raise CorrectionError(Message("correction-no-such-card", {"index": str(index), "count": count}))
        corrections.append(Correction(time, actor, "corrected", index, _checked_name(name)))
    for name in changes.added:
        if name == REMOVED:
            raise CorrectionError(f"an added card needs a card id, not {name!r}")
        corrections.append(Correction(time, actor, "added", count, _checked_name(name)))
        count += 1
    previous = {entry["index"]: entry["card"] for entry in scan.cards}
    resulting = dict(previous)
    for event in corrections:
        resulting[event.index] = event.card
    touched = {
        event.index for event in corrections if resulting[event.index] != previous.get(event.index, REMOVED)
    }
    _check_once_each(resulting, touched)
    return [event for event in corrections if event.index in touched]


def _checked_name(name: str | None) -> str | None:
    """Return the name if a correction may use it, else raise `UnknownCardError`."""
    if name is not None and name not in {BACK, REMOVED}:
        to_bits([name])
    return name


def _check_once_each(cards: Mapping[int, str | None], touched: set[int]) -> None:
    for index in sorted(touched):
        name = cards[index]
        if name is None or name in {BACK, REMOVED}:
            continue
        others = [other for other, other_name in cards.items() if other_name == name and other != index]
        if others:
            raise CardTakenError(name, others[0])
