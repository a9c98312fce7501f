"""Prints the mat as a vector PDF with the exact millimeters of `vision.geometry.registration.printed_mat`."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from reportlab.lib.colors import CMYKColor
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from companion.paper.pdf import BLACK, new_canvas
from vision.geometry.registration.aruco_markers import MODULES, pattern
from vision.geometry.registration.printed_mat import MATS, PrintedMat, Rect

_FONT_FILE: Final = Path(__file__).parent / "fonts" / "ZenOldMincho-Medium-subset.ttf"
_FONT: Final = "mincho"
#: Inks.
_TEXT: Final = CMYKColor(0, 0, 0, 0.6)
_LINE: Final = CMYKColor(0, 0.04, 0.1, 0.22)
_CUT: Final = CMYKColor(0, 0, 0, 0.4)
#: Labels of the corners, in the order of the marker ids.
_PLACES: Final = (
    ("左奥", "far left"),
    ("右奥", "far right"),
    ("右手前", "near right"),
    ("左手前", "near left"),
)
_ZONES: Final = {
    "captures-far": ("取り札", "captures"),
    "captures-near": ("取り札", "captures"),
    "stock": ("山札", "stock"),
    "field": ("場札", "field"),
}
_TITLE: Final = ("花札", "Hanafuda Companion")
_MAT_LINE: Final = (
    "四隅の印と白い四角には札を置かないでください。印刷は実寸（100%）で。",
    "Keep cards off the four corner marks and their patches. Print at actual size (100 %).",
)
_CARDS_LINE: Final = (
    "実寸（100%）で印刷し、四枚を切り離して、卓の四隅に貼ってください。場所は測らなくて大丈夫です。",
    "Print at actual size (100 %), cut out the four cards and tape them flat to the table's four corners. No measuring.",
)
_RULER: Final = ("定規で測って100mmになるはずです", "100 mm by a ruler, or calibrate with --ruler")


def mat_pdf(paper: str) -> bytes:
    """Return the PDF of a sheet; ``paper`` is a key of `MATS`."""
    mat = MATS[paper]
    _register_font()
    buffer = io.BytesIO()
    title = f"Hanafuda Companion: {'corner cards' if mat.is_cut else 'mat'}, {paper}"
    canvas = new_canvas(buffer, mat.size, title)
    pen = _MatPen(canvas, mat.size[1])
    if mat.is_cut:
        _draw_cards(pen, mat)
    else:
        _draw_mat(pen, mat)
    for number, part in mat.parts.items():
        _draw_marker(pen, part.marker, number)
        pen.box(part.white, line=_LINE, width=0.15)
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def printed_texts() -> Iterator[str]:
    """Yield every printed text, for subsetting the font."""
    for pair in (*_PLACES, *_ZONES.values(), _TITLE, _MAT_LINE, _CARDS_LINE, _RULER):
        yield from pair
    yield from MATS


@cache
def _register_font() -> None:
    pdfmetrics.registerFont(TTFont(_FONT, str(_FONT_FILE)))


class _MatPen:
    """Draws on a canvas in mm with y pointing down, as in `PrintedMat`."""

    def __init__(self, canvas: Canvas, height: float) -> None:
        self._canvas, self._height = canvas, height

    def box(
        self,
        rect: Rect,
        fill: CMYKColor | None = None,
        line: CMYKColor | None = None,
        width: float = 0.2,
        radius: float = 0.0,
        dash: tuple[float, float] | None = None,
    ) -> None:
        self._set(fill, line, width, dash)
        place = (rect.left * mm, (self._height - rect.bottom) * mm, rect.width * mm, rect.height * mm)
        if radius:
            self._canvas.roundRect(
                *place, radius * mm, stroke=int(line is not None), fill=int(fill is not None)
            )
        else:
            self._canvas.rect(*place, stroke=int(line is not None), fill=int(fill is not None))

    def line(
        self, start: tuple[float, float], end: tuple[float, float], ink: CMYKColor, width: float
    ) -> None:
        self._set(None, ink, width, None)
        self._canvas.line(
            start[0] * mm, (self._height - start[1]) * mm, end[0] * mm, (self._height - end[1]) * mm
        )

    def text(
        self, text: str, x: float, y: float, size: float, turn: float = 0.0, spread: float = 0.0
    ) -> None:
        """Draw ``text`` with the center of its baseline at x, y mm; ``size`` mm high, rotated clockwise by
        ``turn`` degrees.
        """
        canvas = self._canvas
        canvas.saveState()
        canvas.setFillColor(_TEXT)
        canvas.translate(x * mm, (self._height - y) * mm)
        canvas.rotate(-turn)
        wide = pdfmetrics.stringWidth(text, _FONT, size * mm) + spread * mm * (len(text) - 1)
        canvas.setFont(_FONT, size * mm)
        canvas.drawString(-wide / 2, 0, text, charSpace=spread * mm)
        canvas.restoreState()

    def polygon(self, points: list[tuple[float, float]], fill: CMYKColor) -> None:
        self._set(fill, None, 0.1, None)
        path = self._canvas.beginPath()
        path.moveTo(points[0][0] * mm, (self._height - points[0][1]) * mm)
        for x, y in points[1:]:
            path.lineTo(x * mm, (self._height - y) * mm)
        path.close()
        self._canvas.drawPath(path, stroke=0, fill=1)

    def _set(
        self,
        fill: CMYKColor | None,
        line: CMYKColor | None,
        width: float,
        dash: tuple[float, float] | None,
    ) -> None:
        if fill is not None:
            self._canvas.setFillColor(fill)
        if line is not None:
            self._canvas.setStrokeColor(line)
        self._canvas.setLineWidth(width * mm)
        self._canvas.setDash(*([[length * mm for length in dash]] if dash else [[]]))


def _draw_marker(pen: _MatPen, place: Rect, number: int) -> None:
    """Draw a marker as one black square with runs of white modules on it, so that no gaps appear between
    black modules.
    """
    pen.box(place, fill=BLACK)
    module = place.width / MODULES
    white = CMYKColor(0, 0, 0, 0)
    for row, cells in enumerate(pattern(number)):
        column = 0
        while column < MODULES:
            run = 0
            while column + run < MODULES and cells[column + run]:
                run += 1
            if run:
                pen.box(
                    Rect(place.left + column * module, place.top + row * module, run * module, module),
                    fill=white,
                )
            column += max(run, 1)


def _draw_mat(pen: _MatPen, mat: PrintedMat) -> None:
    for name, zone in mat.zones.items():
        pen.box(zone, line=_LINE, width=0.35, radius=3.0)
        ja, en = _ZONES[name]
        middle = zone.left + zone.width / 2
        if name == "captures-far":  # readable from the opposite side
            pen.text(f"{ja}  {en}", middle, zone.top + 3.2, 3.2, turn=180, spread=0.3)
        elif name == "stock":
            pen.text(ja, middle, zone.bottom - 7.4, 3.2, spread=0.3)
            pen.text(en, middle, zone.bottom - 3.2, 3.2, spread=0.3)
        else:
            pen.text(f"{ja}  {en}", middle, zone.bottom - 3.2, 3.2, spread=0.3)
    field, near = mat.zones["field"], mat.zones["captures-near"]
    lane = (field.bottom + near.top) / 2
    middle = mat.size[0] / 2
    pen.text(_MAT_LINE[0], middle, lane - 0.5, 2.9)
    pen.text(_MAT_LINE[1], middle, lane + 3.3, 2.7)
    far = mat.zones["captures-far"]
    lane = (far.bottom + field.top) / 2
    pen.text(f"{_TITLE[0]}  {_TITLE[1]}  ·  {mat.paper}", middle, lane + 1.6, 4.6, spread=0.5)
    x, y = mat.ruler
    _draw_ruler(pen, (x, y), down=True)


def _draw_ruler(pen: _MatPen, start: tuple[float, float], down: bool) -> None:
    x, y = start

    def at(along: float, across: float) -> tuple[float, float]:
        return (x - across, y + along) if down else (x + along, y + across)

    pen.line(at(0, 0), at(100, 0), _TEXT, 0.25)
    for tick in range(0, 101, 5):
        length = 4.0 if tick % 50 == 0 else 2.6 if tick % 10 == 0 else 1.5
        pen.line(at(tick, 0), at(tick, length), _TEXT, 0.2)
    for text, across in zip(_RULER, (-2.2, -6.0) if down else (-4.8, -1.4), strict=True):
        place = at(50, across)
        pen.text(text, *place, 2.6, turn=90 if down else 0)


def _draw_cards(pen: _MatPen, mat: PrintedMat) -> None:
    middle = mat.size[0] / 2
    pen.text(f"{_TITLE[0]}  {_TITLE[1]}", middle, 15.0, 5.4, spread=0.5)
    pen.text(_CARDS_LINE[0], middle, 22.0, 3.2)
    pen.text(_CARDS_LINE[1], middle, 27.0, 3.0)
    for index, (card, (ja, en)) in enumerate(zip(mat.cards, _PLACES, strict=True)):
        pen.box(card, line=_CUT, width=0.15, radius=3.0, dash=(2.0, 1.5))
        pen.text(f"{ja}  {en}", card.left + card.width / 2, card.bottom - 5.0, 4.0, spread=0.3)
        right, low = index in {1, 2}, index in {2, 3}
        _draw_arrow(pen, card, right, low)
    _draw_ruler(pen, mat.ruler, down=False)


def _draw_arrow(pen: _MatPen, card: Rect, right: bool, low: bool) -> None:
    """Fill the corner of the card that points away from the table."""
    x, y = (card.right - 2 if right else card.left + 2), (card.bottom - 2 if low else card.top + 2)
    away_x, away_y = (-4 if right else 4), (-4 if low else 4)
    pen.polygon([(x, y), (x + away_x, y), (x, y + away_y)], _TEXT)
