"""A rendered photograph of a table with our own card faces, and the positions of the cards."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path

import resvg_py
from PIL import Image

from companion.faces import face_svg

CARD_WIDTH, CARD_HEIGHT = 150, 245
GAP = 40
COLUMNS = 4
CLOTH = (92, 122, 96)


@dataclass(frozen=True)
class Table:
    """A JPEG and its cards, each with its corners."""

    jpeg: bytes
    cards: tuple[tuple[str, list[list[float]]], ...]
    width: int
    height: int

    def save(self, folder: Path) -> Path:
        """Write the picture, and beside it the reading that the scanner double returns for it."""
        picture = folder / "table.jpg"
        picture.write_bytes(self.jpeg)
        reading = {"width": self.width, "height": self.height, "cards": self.cards}
        picture.with_suffix(".json").write_text(json.dumps(reading), encoding="utf-8")
        return picture


def lay(*names: str, columns: int = COLUMNS) -> Table:
    """Lay cards out in rows of four, or of ``columns``."""
    rows = -(-len(names) // columns)
    width = GAP + columns * (CARD_WIDTH + GAP)
    height = GAP + rows * (CARD_HEIGHT + GAP)
    cloth = Image.new("RGB", (width, height), CLOTH)
    cards = []
    for place, name in enumerate(names):
        png = bytes(resvg_py.svg_to_bytes(svg_string=face_svg(name), width=CARD_WIDTH, height=CARD_HEIGHT))
        face = Image.open(io.BytesIO(png)).convert("RGBA")
        x = GAP + place % columns * (CARD_WIDTH + GAP)
        y = GAP + place // columns * (CARD_HEIGHT + GAP)
        cloth.paste(face, (x, y), face)
        right, bottom = x + face.width, y + face.height
        cards.append((name, [[x, y], [right, y], [right, bottom], [x, bottom]]))
    buffer = io.BytesIO()
    cloth.save(buffer, "JPEG", quality=92)
    return Table(buffer.getvalue(), tuple(cards), width, height)
