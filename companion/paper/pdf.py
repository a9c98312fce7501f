"""Drawing PDF files in mm from the page's top left corner, with text in the program's own font, which has English and Japanese."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from itertools import groupby
from typing import IO, Final

import reportlab.rl_config
from reportlab.lib.colors import CMYKColor
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from companion.fonts import MINCHO

PAPERS: Final = {"A4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Width and height by name, mm."""
BLACK: Final = CMYKColor(0, 0, 0, 1)
"""Uses only the black cartridge, which prints sharpest."""

#: Width of lines and length of dashes, mm: as fine as home printers print them.
_LINE_WIDTH: Final = 0.1
_DASH: Final = 0.8


def new_canvas(file: IO[bytes], page: tuple[float, float], title: str) -> Canvas:
    """Return a canvas with pages of a size in mm that are printed at actual size."""
    reportlab.rl_config.warnOnMissingFontGlyphs = 1
    canvas = Canvas(file, pagesize=(page[0] * mm, page[1] * mm), invariant=1)
    canvas.setTitle(title)
    canvas.setCreator(f"hanafuda-companion {version('hanafuda-companion')}")
    canvas.setViewerPreference("PrintScaling", "None")
    return canvas


def text_width(text: str, size: float) -> float:
    """Return the width of a text whose letters are ``size`` high, in the unit of ``size``."""
    return float(pdfmetrics.stringWidth(text, _font(), size))


class PdfPen:
    """Draws on a canvas in mm with y downward."""

    def __init__(self, canvas: Canvas, height: float) -> None:
        self._canvas, self._height = canvas, height

    def cells(self, left: float, top: float, side: float, dark: Sequence[Sequence[bool | int]]) -> None:
        """Fill a code's dark modules: adjacent ones of a row in one rectangle, so that no gap shows between them."""
        path = self._canvas.beginPath()
        for y, row in enumerate(dark):
            for filled, run in groupby(range(len(row)), key=row.__getitem__):
                first, *more = run
                if filled:
                    bottom, width = self._y(top + (y + 1) * side), (1 + len(more)) * side
                    path.rect((left + first * side) * mm, bottom, width * mm, side * mm)
        self._canvas.setFillColor(BLACK)
        self._canvas.drawPath(path, stroke=0, fill=1)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, color: CMYKColor = BLACK, *, dashed: bool = False
    ) -> None:
        """Draw a line."""
        self._canvas.setStrokeColor(color)
        self._canvas.setLineWidth(_LINE_WIDTH * mm)
        self._canvas.setDash([_DASH * mm] * 2 if dashed else [])
        self._canvas.line(x1 * mm, self._y(y1), x2 * mm, self._y(y2))

    def words(
        self, x: float, y: float, size: float, text: str, *, align: float = 0.0, color: CMYKColor = BLACK
    ) -> None:
        """Draw a line of text with its baseline at ``y``; ``x`` is its left edge, with ``align`` .5 its center, with 1 its right edge."""
        self._canvas.setFillColor(color)
        self._canvas.setFont(_font(), size * mm)
        self._canvas.drawString((x - align * text_width(text, size)) * mm, self._y(y), text)

    def _y(self, y: float) -> float:
        return float((self._height - y) * mm)


@cache
def _font() -> str:
    """Register the program's font and return its name."""
    pdfmetrics.registerFont(TTFont(name := "mincho-semibold", str(MINCHO)))
    return name
