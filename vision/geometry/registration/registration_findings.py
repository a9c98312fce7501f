"""Findings of registering and checking a table: codes with values; the texts are in the message catalogs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from companion.hanafuda.messages import Message
from companion.messages import LANGUAGES, render


class FindingCode(StrEnum):
    """All findings by subject, with the names of their values in brackets."""

    # No registration can be made.
    NO_MARKERS = "no-markers"
    FEW_MARKERS = "few-markers"  # [seen: marker numbers, count]
    TWO_MATS = "two-mats"
    MARKERS_DISAGREE = "markers-disagree"  # [mm]
    MARKERS_CROSSED = "markers-crossed"
    CORNERS_CROSSED = "corners-crossed"
    SIZE_UNLIKELY = "size-unlikely"  # [tilt]
    FEW_CARDS = "few-cards"  # [seen, needed]
    CARDS_UNCERTAIN = "cards-uncertain"  # [percent]
    CARDS_DISAGREE = "cards-disagree"  # [mm]

    # A registration was made, and the picture could be better.
    MARKER_HIDDEN = "marker-hidden"  # [markers]
    MARKER_ASTRAY = "marker-astray"  # [markers]
    CARDS_SMALL = "cards-small"  # [px]
    CARDS_TOO_SMALL = "cards-too-small"  # [px]
    TILTED = "tilted"  # [tilt]
    BLURRED = "blurred"  # [mm]
    DARK = "dark"  # [level]
    BRIGHT = "bright"
    GLARE = "glare"  # [percent]
    UNEVEN = "uneven"  # [ratio]
    COLOR_CAST = "color-cast"
    TABLE_CUT = "table-cut"

    # A registered table was checked again.
    STEADY = "steady"  # [mm]
    MOVED_LITTLE = "moved-little"  # [mm]
    MOVED = "moved"  # [mm]
    TURNED = "turned"  # [mm]
    LOST = "lost"
    OTHER_SIZE = "other-size"  # [was, now]
    NOTHING_TO_WATCH = "nothing-to-watch"


#: Findings whose figures are displayed with one decimal.
_ONE_DECIMAL: Final = frozenset(
    (
        FindingCode.CARDS_DISAGREE,
        FindingCode.BLURRED,
        FindingCode.UNEVEN,
        FindingCode.STEADY,
        FindingCode.MOVED_LITTLE,
    )
)


@dataclass(frozen=True)
class RegistrationFinding:
    """One finding. ``figures``: the values of its message by name, numbers or text such as marker numbers."""

    code: FindingCode
    figures: Mapping[str, float | str] = field(default_factory=dict)

    @property
    def message(self) -> Message:
        """The message, its numbers rounded for display."""
        digits = 1 if self.code in _ONE_DECIMAL else 0
        values = {
            name: f"{value:.{digits}f}" if isinstance(value, float) else value
            for name, value in self.figures.items()
        }
        return Message(f"registration-{self.code}", values)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON: code, the text in each language, and the figures."""
        figures = {
            name: round(value, 2) if isinstance(value, float) else value
            for name, value in self.figures.items()
        }
        texts = {language: render(self.message, language) for language in LANGUAGES}
        return {"code": self.code.value, **texts, "figures": figures}


def marker_findings(
    first: int, hidden: Iterable[int], astray: Iterable[int]
) -> tuple[RegistrationFinding, ...]:
    """Return findings of the ids of hidden and of displaced markers, numbered 1 to 4, clockwise from the far left; ``first``: the id of 1."""
    numbered = (
        (code, ", ".join(str(marker - first + 1) for marker in sorted(markers)))
        for code, markers in ((FindingCode.MARKER_HIDDEN, hidden), (FindingCode.MARKER_ASTRAY, astray))
    )
    return tuple(RegistrationFinding(code, {"markers": numbers}) for code, numbers in numbered if numbers)


class RegistrationError(Exception):
    """A picture cannot be registered; ``finding`` says why."""

    def __init__(self, code: FindingCode, **figures: float | str) -> None:
        super().__init__(code.value)
        self.finding = RegistrationFinding(code, figures)
