"""The result of scanning one picture: its cards with positions and confidences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.quality_messages import QualityFinding

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]


@dataclass(frozen=True, slots=True)
class ScannedCard:
    """One card of a picture.

    ``card``: card id, ``"back"`` for a face-down card, or None if uncertain. ``confidence``: probability
    (0-1) of the best name. ``quad``: corners of the whole card, px, clockwise from the card's own top left,
    including covered parts. ``visible``: visible fraction (0-1). ``alternatives``: (card id, probability),
    most probable first.
    """

    card: str | None
    confidence: float
    quad: Quad
    visible: float
    alternatives: tuple[tuple[str, float], ...] = ()
    zone: str | None = None

    def to_json(self) -> dict[str, object]:
        """Return the card in the format of the contract's ``scan --json``."""
        return {
            "card": self.card,
            "confidence": round(self.confidence, 4),
            "quad": [[round(x, 1), round(y, 1)] for x, y in self.quad],
            "visible": round(self.visible, 3),
            "alternatives": [[card, round(p, 4)] for card, p in self.alternatives],
            "zone": self.zone,
        }


@dataclass(frozen=True, slots=True)
class ScanResult:
    """All cards of one picture (``width`` x ``height`` px), the deck used for recognition, and the
    duration of each stage, ms.
    """

    width: int
    height: int
    deck: str
    cards: tuple[ScannedCard, ...]
    ms: Mapping[str, float] = field(default_factory=dict)
    quality: tuple[QualityFinding, ...] = ()
    """What is wrong with the photograph: cards that are there twice, and why others were not recognized."""

    def at_size(self, width: int, height: int) -> ScanResult:
        """Return the result for the original picture of ``width`` x ``height`` px, if it was reduced
        before scanning.
        """
        if (width, height) == (self.width, self.height):
            return self
        x_scale, y_scale = width / self.width, height / self.height

        def enlarged(card: ScannedCard) -> ScannedCard:
            one, two, three, four = ((x * x_scale, y * y_scale) for x, y in card.quad)
            return replace(card, quad=(one, two, three, four))

        return replace(self, width=width, height=height, cards=tuple(map(enlarged, self.cards)))

    def to_json(self) -> dict[str, object]:
        """Return the result in the format of the contract's ``scan --json``, without ``image`` and
        ``score``.
        """
        return {
            "width": self.width,
            "height": self.height,
            "deck": self.deck,
            "cards": [card.to_json() for card in self.cards],
            "ms": {stage: round(ms, 1) for stage, ms in self.ms.items()},
            "quality": [finding.to_json() for finding in self.quality],
        }
