"""Drawing PDF files in mm from the page's top left corner, with text in any of the program's languages.

What the program's own font lacks is written in a font that viewers have for Japanese or Korean (Adobe's CID fonts), and what these
lack in Latin letters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from typing import IO, Final

import reportlab.rl_config
from anyascii import anyascii
from reportlab.lib.colors import CMYKColor
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
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

_FONT: Final = "mincho-semibold"
_JAPANESE: Final = "HeiseiMin-W3"
_KOREAN: Final = "HYSMyeongJo-Medium"
_GETA: Final = "〓"


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
    return float(sum(pdfmetrics.stringWidth(run, font, size) for font, run in _runs(text)))


class PdfPen:
    """Draws on a canvas in mm with y downward."""

    def __init__(self, canvas: Canvas, height: float) -> None:
        self._canvas, self._height = canvas, height

    def cells(self, left: float, top: float, side: float, dark: Sequence[Sequence[bool | int]]) -> None:
        """Fill a code's dark modules: adjacent ones of a row in one rectangle, so that no gap shows between them."""
        path = self._canvas.beginPath()
        for y, row in enumerate(dark):
            x = 0
            while x < len(row):
                run = next((n for n, cell in enumerate(row[x:]) if not cell), len(row) - x) if row[x] else 0
                if run:
                    path.rect(
                        (left + x * side) * mm, self._y(top + (y + 1) * side), run * side * mm, side * mm
                    )
                x += run or 1
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
        x -= align * text_width(text, size)
        self._canvas.setFillColor(color)
        for font, run in _runs(text):
            self._canvas.setFont(font, size * mm)
            self._canvas.drawString(x * mm, self._y(y), run)
            x += float(pdfmetrics.stringWidth(run, font, size))

    def _y(self, y: float) -> float:
        return float((self._height - y) * mm)


def _runs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the font of each run of characters, and the run."""
    runs: list[list[str]] = []
    for char in unicodedata.normalize("NFC", text):
        font, drawn = _glyph(char)
        if runs and runs[-1][0] == font:
            runs[-1][1] += drawn
        else:
            runs.append([font, drawn])
    yield from ((font, run) for font, run in runs)


@cache
def _glyph(char: str) -> tuple[str, str]:
    """Return the font for a character, and what is drawn for it: itself, without its accent, in Latin letters, or 〓."""
    if char.isspace():
        return _FONT, " "
    for each in (char, unicodedata.normalize("NFD", char)[0]):
        if ord(each) in _own_characters():
            return _FONT, each
    if not unicodedata.name(char, "").startswith(("HANGUL", "CJK", "KATAKANA", "HIRAGANA")):
        return _FONT, anyascii(char) or _GETA
    font = _KOREAN if unicodedata.name(char).startswith("HANGUL") else _JAPANESE
    _register_viewer_font(font)
    return font, char


@cache
def _own_characters() -> frozenset[int]:
    font = TTFont(_FONT, str(MINCHO))
    pdfmetrics.registerFont(font)
    return frozenset(font.face.charToGlyph)


@cache
def _register_viewer_font(font: str) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont(font))
