"""Prints the mat as a vector PDF with the exact millimeters of `vision.geometry.registration.printed_mat`."""

from __future__ import annotations

import io
from typing import Final

from reportlab.lib.colors import CMYKColor
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from companion.paper.pdf import PdfPen, new_canvas
from vision.geometry.registration.aruco_markers import MODULES, pattern
from vision.geometry.registration.printed_mat import MATS, PrintedMat, Rect

#: Inks.
_TEXT: Final = CMYKColor(0, 0, 0, 0.6)
_LINE: Final = CMYKColor(0, 0.04, 0.1, 0.22)
#: Width of outlines, length of dashes, and radius of rounded corners, mm.
_LINE_WIDTH: Final = 0.2
_DASH: Final = 2.0
_RADIUS: Final = 3.0
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
    mat, buffer = MATS[paper], io.BytesIO()
    title = f"Hanafuda Companion: {'corner cards' if mat.is_cut else 'mat'}, {paper}"
    pen = _MatPen(new_canvas(buffer, mat.size, title), mat.size[1])
    if mat.is_cut:
        _draw_cards(pen, mat)
    else:
        _draw_mat(pen, mat)
    for number, part in mat.parts.items():
        marker = part.marker
        pen.cells(marker.left, marker.top, marker.width / MODULES, (~pattern(number)).tolist())
        pen.box(part.white)
    pen.canvas.showPage()
    pen.canvas.save()
    return buffer.getvalue()


class _MatPen(PdfPen):
    """Draws on a canvas in mm with y pointing down, as in `PrintedMat`."""

    def __init__(self, canvas: Canvas, height: float) -> None:
        super().__init__(canvas, height)
        self.canvas, self._page_height = canvas, height

    def box(self, rect: Rect, *, radius: float = 0.0, dashed: bool = False) -> None:
        """Draw the outline of a rectangle."""
        self.canvas.setStrokeColor(_TEXT if dashed else _LINE)
        self.canvas.setLineWidth(_LINE_WIDTH * mm)
        self.canvas.setDash([_DASH * mm] if dashed else [])
        top = self._page_height - rect.bottom
        self.canvas.roundRect(rect.left * mm, top * mm, rect.width * mm, rect.height * mm, radius * mm)

    def text(self, text: str, x: float, y: float, size: float, turn: float = 0.0) -> None:
        """Draw ``text`` with the center of its baseline at x, y; ``size`` high, rotated clockwise by ``turn`` degrees."""
        self.canvas.saveState()
        self.canvas.translate(x * mm, (self._page_height - y) * mm)
        self.canvas.rotate(-turn)
        PdfPen(self.canvas, 0.0).words(0.0, 0.0, size, text, align=0.5, color=_TEXT)
        self.canvas.restoreState()


def _draw_mat(pen: _MatPen, mat: PrintedMat) -> None:
    for name, zone in mat.zones.items():
        pen.box(zone, radius=_RADIUS)
        ja, en = _ZONES[name]
        middle = zone.left + zone.width / 2
        if name == "captures-far":  # readable from the opposite side
            pen.text(f"{ja}  {en}", middle, zone.top + 3.2, 3.2, turn=180)
        elif name == "stock":
            pen.text(ja, middle, zone.bottom - 7.4, 3.2)
            pen.text(en, middle, zone.bottom - 3.2, 3.2)
        else:
            pen.text(f"{ja}  {en}", middle, zone.bottom - 3.2, 3.2)
    field, near = mat.zones["field"], mat.zones["captures-near"]
    lane = (field.bottom + near.top) / 2
    middle = mat.size[0] / 2
    pen.text(_MAT_LINE[0], middle, lane - 0.5, 2.9)
    pen.text(_MAT_LINE[1], middle, lane + 3.3, 2.7)
    far = mat.zones["captures-far"]
    lane = (far.bottom + field.top) / 2
    pen.text(f"{_TITLE[0]}  {_TITLE[1]}  ·  {mat.paper}", middle, lane + 1.6, 4.6)
    _draw_ruler(pen, mat.ruler, down=True)


def _draw_ruler(pen: _MatPen, start: tuple[float, float], down: bool) -> None:
    x, y = start

    def at(along: float, across: float) -> tuple[float, float]:
        return (x - across, y + along) if down else (x + along, y + across)

    pen.line(*at(0, 0), *at(100, 0), _TEXT)
    for tick in range(0, 101, 5):
        length = 4.0 if tick % 50 == 0 else 2.6 if tick % 10 == 0 else 1.5
        pen.line(*at(tick, 0), *at(tick, length), _TEXT)
    for text, across in zip(_RULER, (-2.2, -6.0) if down else (-4.8, -1.4), strict=True):
        place = at(50, across)
        pen.text(text, *place, 2.6, turn=90 if down else 0)


def _draw_cards(pen: _MatPen, mat: PrintedMat) -> None:
    middle = mat.size[0] / 2
    pen.text(f"{_TITLE[0]}  {_TITLE[1]}", middle, 15.0, 5.4)
    pen.text(_CARDS_LINE[0], middle, 22.0, 3.2)
    pen.text(_CARDS_LINE[1], middle, 27.0, 3.0)
    for index, (card, (ja, en)) in enumerate(zip(mat.cards, _PLACES, strict=True)):
        pen.box(card, radius=_RADIUS, dashed=True)
        pen.text(f"{ja}  {en}", card.left + card.width / 2, card.bottom - 5.0, 4.0)
        right, low = index in {1, 2}, index in {2, 3}
        _draw_arrow(pen, card, right, low)
    _draw_ruler(pen, mat.ruler, down=False)


def _draw_arrow(pen: _MatPen, card: Rect, right: bool, low: bool) -> None:
    """Draw an arrow in the corner of the card that points away from the table."""
    x, y = (card.right - 2 if right else card.left + 2), (card.bottom - 2 if low else card.top + 2)
    inward_x, inward_y = (-4 if right else 4), (-4 if low else 4)
    pen.line(x, y, x + inward_x, y, _TEXT)
    pen.line(x, y, x, y + inward_y, _TEXT)
    pen.line(x + inward_x, y, x, y + inward_y, _TEXT)
