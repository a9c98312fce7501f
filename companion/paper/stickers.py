"""Sheets of card stickers as a PDF: a QR code or DataMatrix with the card's id (`companion.store.tag_pairings`), and its name.

All lengths are mm, places from the page's top left corner.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, get_args

import segno
from reportlab.graphics.barcode.ecc200datamatrix import ECC200DataMatrix
from reportlab.lib.colors import CMYKColor

from companion.hanafuda.cards import DECKS, Card, twin
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.messages import render
from companion.paper.pdf import PAPERS, PdfPen, new_canvas, text_width
from companion.store.tag_pairings import sticker_of

__all__ = [
    "KINDS",
    "LARGEST",
    "PAPERS",
    "SMALLEST",
    "Kind",
    "Sheet",
    "labels_pdf",
    "printed_words",
    "sheet_of",
]

Kind = Literal["qr", "datamatrix"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
SMALLEST: Final = 8.0
"""Smallest width of a code with its quiet zone, mm: home printers cannot print modules below 0.2 mm."""
LARGEST: Final = 60.0

#: Width of the quiet zone, modules (ISO/IEC 18004 and 16022).
_QUIET_ZONES: Final[dict[Kind, int]] = {"qr": 4, "datamatrix": 1}
#: The page's margin, the height of its heading, and how far cutting marks reach into the margin, mm.
_MARGIN: Final = 12.0
_HEAD: Final = 7.0
_TICK: Final = 4.0
#: Font size relative to the sticker's width, and its limits in mm.
_RELATIVE_FONT_SIZE: Final = 0.115
_MIN_FONT_SIZE: Final = 1.15
_MAX_FONT_SIZE: Final = 2.6
#: Distance of two lines relative to the font size.
_LEADING: Final = 1.15
#: Space around a name, mm.
_PAD: Final = 0.5

_WORDS: Final = CMYKColor(0, 0, 0, 0.75)
_CUT: Final = CMYKColor(0, 0, 0, 0.25)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The layout of stickers on a page."""

    paper: str
    page: tuple[float, float]
    size: float
    """Width of a code with its quiet zone and of the sticker, mm."""
    letters: float
    """Largest font size of a name, mm."""
    columns: int
    rows: int

    @property
    def height(self) -> float:
        """Height of a sticker, mm: the code, two lines of English and one of Japanese."""
        return self.size + 3 * _LEADING * self.letters + _PAD

    @property
    def origin(self) -> tuple[float, float]:
        """Position of the first sticker, mm; the sheet is centered on the page."""
        return (self.page[0] - self.columns * self.size) / 2, _MARGIN + _HEAD

    def place(self, index: int) -> tuple[float, float]:
        """Return the position of sticker ``index`` on a page, mm."""
        row, column = divmod(index, self.columns)
        left, top = self.origin
        return left + column * self.size, top + row * self.height


def sheet_of(paper: str, size: float) -> Sheet:
    """Return the layout for a sticker size (mm) and paper; raises `BadRequestError` for invalid ones."""
    if paper not in PAPERS:
        raise BadRequestError(f"the paper must be {' or '.join(PAPERS)}, not {paper!r}")
    if not SMALLEST <= size <= LARGEST:
        raise BadRequestError(f"a sticker must be {SMALLEST:g} to {LARGEST:g} mm wide, not {size:g}")
    page = PAPERS[paper]
    letters = min(max(_RELATIVE_FONT_SIZE * size, _MIN_FONT_SIZE), _MAX_FONT_SIZE)
    sheet = Sheet(paper, page, size, letters, 0, 0)
    columns = int((page[0] - 2 * _MARGIN) // size)
    rows = int((page[1] - 2 * _MARGIN - _HEAD) // sheet.height)
    return Sheet(paper, page, size, letters, columns, rows)


def labels_pdf(packs: Sequence[str], *, kind: Kind = "qr", paper: str = "A4", size: float = 15.0) -> bytes:
    """Return a PDF with stickers for all cards of ``packs`` (names in `companion.hanafuda.cards.DECKS`); each pack starts on a new
    page."""
    sheet = sheet_of(paper, size)
    buffer = io.BytesIO()
    canvas = new_canvas(buffer, sheet.page, f"Hanafuda Companion: stickers, {', '.join(packs)}")
    pen = PdfPen(canvas, sheet.page[1])
    fitting = sheet.columns * sheet.rows
    for pack in packs:
        cards = DECKS[pack]
        for first in range(0, len(cards), fitting):
            _draw_page(pen, sheet, pack, kind, cards[first : first + fitting])
            canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def modules(kind: Kind, text: str) -> list[list[bool]]:
    """Return a code's dark modules, row by row from the top, without its quiet zone."""
    if kind == "qr":
        return [[bool(cell) for cell in row] for row in segno.make(text, micro=False, error="m").matrix]
    return [[bool(cell) for cell in row] for row in reversed(_DataMatrix(text).encode())]


def printed_words() -> Iterator[str]:
    """Yield every printed text; the font subset has only their characters."""
    for pack_name in DECKS:
        yield _heading(pack_name, sheet_of("A4", SMALLEST))
    for pack in DECKS.values():
        for card in pack:
            yield from _names(card)


class _DataMatrix(ECC200DataMatrix):  # type: ignore[misc]  # reportlab has no types
    """A 22 × 22 symbol, which holds the longest sticker (30 letters) as plain ASCII.

    reportlab draws one size only, 44 × 44, whose modules would be half as large.
    """

    _MODULES: ClassVar = 22
    _DATA: ClassVar = 30
    _CHECK: ClassVar = 20

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.row_modules = self.col_modules = self._MODULES
        self.row_regions = self.col_regions = 1
        self.row_usable_modules = self.col_usable_modules = self._MODULES - 2
        self.cw_data, self.cw_ecc = self._DATA, self._CHECK
        self.validate()

    def _encode_c40(self, value: str) -> list[int]:
        """Encode as ASCII (ISO/IEC 16022, 5.2.3), which is shorter than C40 for lower-case text."""
        words = [code + 1 for code in value.encode("ascii")]
        if len(words) > self._DATA:
            raise ValueError(f"{value} is too long for a sticker")
        if len(words) < self._DATA:
            words.append(129)
        while len(words) < self._DATA:
            padded = 129 + (149 * (len(words) + 1)) % 253 + 1
            words.append(padded if padded <= 254 else padded - 254)
        return words


def _draw_page(pen: PdfPen, sheet: Sheet, pack: str, kind: Kind, cards: Sequence[Card]) -> None:
    left, top = sheet.origin
    pen.words(left, top - 5.4, 2.6, _heading(pack, sheet), color=_WORDS)
    for index, card in enumerate(cards):
        _draw_label(pen, sheet, kind, card, *sheet.place(index))
    _draw_cuts(pen, sheet, len(cards))


def _heading(pack: str, sheet: Sheet) -> str:
    """Return the page's heading in English and Japanese; the font has no Hangul."""
    name, hint = Message(f"pack-{pack}"), Message("sticker-sheet-print", {"size": f"{sheet.size:g}"})
    return f"{render(name, 'en')} {render(hint, 'en')}   {render(name, 'ja')} {render(hint, 'ja')}"


def _draw_label(pen: PdfPen, sheet: Sheet, kind: Kind, card: Card, left: float, top: float) -> None:
    dark = modules(kind, sticker_of(card.id))
    quiet = _QUIET_ZONES[kind]
    side = sheet.size / (len(dark) + 2 * quiet)
    pen.cells(left + quiet * side, top + quiet * side, side, dark)
    en, ja = _names(card)
    lines = [*_split_name(en, sheet), (ja, _fitting_size(ja, sheet))]
    # With one line of English, the space of the second is split above and below.
    y = top + sheet.size + (3 - len(lines)) * _LEADING * sheet.letters / 2
    for text, letters in lines:
        y += _LEADING * sheet.letters
        pen.words(left + sheet.size / 2, y - 0.25 * sheet.letters, letters, text, align=0.5, color=_WORDS)


def _draw_cuts(pen: PdfPen, sheet: Sheet, stickers: int) -> None:
    """Draw the cutting lines: marks in the margin, and a faint line between stickers."""
    left, top = sheet.origin
    columns = min(stickers, sheet.columns)
    rows = -(-stickers // sheet.columns)
    right, bottom = left + columns * sheet.size, top + rows * sheet.height
    for column in range(columns + 1):
        x = left + column * sheet.size
        pen.line(x, top, x, bottom, _CUT, dashed=True)
        pen.line(x, top - _TICK, x, top - 1)
        pen.line(x, bottom + 1, x, bottom + _TICK)
    for row in range(rows + 1):
        y = top + row * sheet.height
        pen.line(left, y, right, y, _CUT, dashed=True)
        pen.line(left - _TICK, y, left - 1, y)
        pen.line(right + 1, y, right + _TICK, y)


def _names(card: Card) -> tuple[str, str]:
    """Return a card's names in English and Japanese; twins are numbered."""
    number = f" {card.id[-1]}" if card.kind and twin(card.id) else ""
    return card.names.en + number, card.names.ja + number


def _split_name(text: str, sheet: Sheet) -> list[tuple[str, float]]:
    """Split a name into one or two lines, whichever allows larger letters; return them with their font size."""
    words = text.split()
    splits = [[text]] + [[" ".join(words[:n]), " ".join(words[n:])] for n in range(1, len(words))]
    best = max(splits, key=lambda lines: (min(_fitting_size(line, sheet) for line in lines), -len(lines)))
    letters = min(_fitting_size(line, sheet) for line in best)
    return [(line, letters) for line in best]


def _fitting_size(text: str, sheet: Sheet) -> float:
    """Return the largest allowed font size at which a text fits a sticker's width, mm."""
    width = text_width(text, 1.0)
    return min(sheet.letters, (sheet.size - 2 * _PAD) / width)
