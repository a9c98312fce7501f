"""The score sheet of an evening or of one of its games as a PDF: rounds, totals, payments, and a QR code to the evening's page.

All lengths are mm.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import segno
from reportlab.lib.colors import CMYKColor
from reportlab.pdfgen.canvas import Canvas

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.messages import render
from companion.messages.dates import evening_date
from companion.messages.rules_names import rules_label
from companion.nights.night_results import GameResult, Night, RoundResult
from companion.pdf import PAPERS, PdfPen, new_canvas, text_width
from companion.receipt import debts_of, yaku_label

__all__ = ["game_of", "score_sheet_pdf"]

_MARGIN: Final = 16.0
_FOOT: Final = 12.0
"""Height of the page's foot above the bottom margin."""
_TITLE: Final = 7.0
_HEADING: Final = 5.0
_BODY: Final = 3.4
_FINE: Final = 2.8
_LEADING: Final = 1.4
_QR: Final = 26.0
_PAD: Final = 1.2
"""Space above and below a row."""
_MIN_COLUMN: Final = 13.0
_MAX_COLUMN: Final = 28.0
"""Widths of a player's column."""
_DETAILS: Final = 0.38
"""Fraction of the width for the yaku or the reason of a round, at least."""
_GRAY: Final = CMYKColor(0, 0, 0, 0.65)
_RULE: Final = CMYKColor(0, 0, 0, 0.3)


def game_of(night: Night, table: str) -> Night:
    """Return a night with one of its games only; raises `BadRequestError` if it has no such game."""
    games = tuple(game for game in night.games if game.table == table)
    if not games:
        raise BadRequestError(Message("sheet-no-game", {"table": table}))
    return replace(night, games=games)


def score_sheet_pdf(night: Night, address: str, language: str, paper: str = "A4") -> bytes:
    """Return the score sheet of a night's games that are not deleted; ``address`` is that of the night's page.

    Raises `BadRequestError` if no round has ended, or for an unknown paper.
    """
    if paper not in PAPERS:
        raise BadRequestError(Message("sheet-paper", {"papers": ", ".join(PAPERS), "paper": paper}))
    games = [game for game in night.games if game.status != "deleted" and game.rounds]
    if not games:
        raise BadRequestError(Message("receipt-no-round"))
    title = night.name or render(Message("receipt-title"), language)
    buffer = io.BytesIO()
    canvas = new_canvas(buffer, PAPERS[paper], title)
    sheet = _Sheet(canvas, PAPERS[paper], address, language)
    sheet.head(title, night)
    for game in games:
        sheet.game(game)
    sheet.finish()
    canvas.save()
    return buffer.getvalue()


@dataclass
class _Columns:
    """The columns of a game's table, as distances from the left margin."""

    number: float
    players: tuple[float, ...]
    """The right edge of each player's points."""
    details: float


class _Sheet:
    """Draws a score sheet from the top."""

    def __init__(self, canvas: Canvas, page: tuple[float, float], address: str, language: str) -> None:
        self._canvas, self._page, self._address, self._language = canvas, page, address, language
        self._pen = PdfPen(canvas, page[1])
        self._number = 1
        self._y = _MARGIN
        self._width = page[0] - 2 * _MARGIN

    def head(self, title: str, night: Night) -> None:
        """Draw the title, the time, the players and the QR code."""
        width = self._width - _QR - _PAD
        for line in _wrapped(title, _TITLE, width):
            self._line(line, _TITLE)
        began, ended = (datetime.fromisoformat(time).astimezone() for time in (night.began, night.ended))
        self._line(evening_date(began, ended, self._language), _BODY)
        for line in _wrapped(" · ".join(night.players), _BODY, width):
            self._line(line, _BODY)
        matrix = segno.make(self._address, error="m", micro=False).matrix
        side = _QR / (len(matrix) + 8)  # with the quiet zone, 4 modules on each side
        self._pen.cells(
            self._page[0] - _MARGIN - _QR + 4 * side,
            _MARGIN - 4 * side,
            side,
            [list(row) for row in matrix],
        )
        self._y = max(self._y, _MARGIN + _QR - 8 * side)

    def game(self, game: GameResult) -> None:
        """Draw a game: its name and rules, the result, the rounds, the totals and the payments."""
        names = tuple(_name(game, seat, self._language) for seat in range(1, len(game.points) + 1))
        columns = self._columns(names)
        self._reserve(_HEADING * 3 + _BODY * 8)  # a heading is not left alone at the end of a page
        self._y += _HEADING
        self._line(self._say(GAMES[game.game].title), _HEADING)
        rules = f"{self._say(rules_label(game.rules_name))} #{game.rules_hash[:6]}"
        self._line(rules, _FINE, color=_GRAY)
        self._line(self._say(_result(game, names)), _BODY * 1.15)
        self._column_heads(names, columns)
        for played in game.rounds:
            self._round(game, played, names, columns)
        total = f"{self._say(Message('receipt-total'))} ({self._say(GAMES[game.game].unit)})"
        self._row(total, [str(points).replace("-", "−") for points in game.points], [], columns, strong=True)
        if any(points < 0 for points in game.points) and (debts := debts_of(game.points)):
            self._y += _BODY
            parts = (f"{names[each.payer - 1]} → {names[each.payee - 1]} {each.amount}" for each in debts)
            text = f"{self._say(Message('receipt-settlement'))}: {' · '.join(parts)}"
            for line in _wrapped(text, _BODY, self._width):
                self._line(line, _BODY)

    def finish(self) -> None:
        """End the last page."""
        y = self._page[1] - _MARGIN
        self._pen.words(_MARGIN, y, _FINE, self._address, color=_GRAY)
        self._pen.words(self._page[0] - _MARGIN, y, _FINE, str(self._number), align=1.0, color=_GRAY)
        self._canvas.showPage()

    def _say(self, message: Message) -> str:
        return render(message, self._language)

    def _line(self, text: str, size: float, color: CMYKColor | None = None) -> None:
        self._reserve(size * _LEADING)
        self._y += size * _LEADING
        self._pen.words(
            _MARGIN, self._y - 0.35 * size, size, text, **({} if color is None else {"color": color})
        )

    def _reserve(self, height: float) -> bool:
        """Begin a new page unless a height fits on this one; return whether one was begun."""
        if self._y + height <= self._page[1] - _MARGIN - _FOOT:
            return False
        self.finish()
        self._number += 1
        self._y = _MARGIN
        return True

    def _columns(self, names: Sequence[str]) -> _Columns:
        total = self._say(Message("night-round", {"n": 88}))
        number = max(text_width(total, _BODY), 2 * _MIN_COLUMN) + _PAD
        room = (self._width * (1 - _DETAILS) - number) / len(names)
        wanted = max(text_width(name, _BODY) for name in names) + 2 * _PAD
        column = max(_MIN_COLUMN, min(wanted, room, _MAX_COLUMN))
        players = tuple(number + column * (n + 1) for n in range(len(names)))
        return _Columns(number, players, players[-1] + 4 * _PAD)

    def _column_heads(self, names: Sequence[str], columns: _Columns) -> None:
        width = columns.players[0] - columns.number - _PAD
        self._row("", [_cut(name, _BODY, width) for name in names], [], columns, strong=True)

    def _round(self, game: GameResult, played: RoundResult, names: Sequence[str], columns: _Columns) -> None:
        lines = _wrapped(self._details(game, played, names), _FINE, self._width - columns.details)
        height = _BODY + (len(lines) - 1) * _FINE * _LEADING + 2 * _PAD
        if self._reserve(height):
            self._column_heads(names, columns)
        number = self._say(Message("night-round", {"n": played.number}))
        points = [("● " if seat.won else "") + str(seat.points).replace("-", "−") for seat in played.seats]
        self._row(number, points, lines, columns)

    def _row(
        self,
        first: str,
        points: Sequence[str],
        details: Sequence[str],
        columns: _Columns,
        *,
        strong: bool = False,
    ) -> None:
        """Draw a row of the table, with a line below it."""
        lines = _wrapped(first, _BODY, columns.number)
        baseline = self._y + _PAD + _BODY
        for n, line in enumerate(lines):
            self._pen.words(_MARGIN, baseline + n * _BODY * _LEADING, _BODY, line)
        for right, text in zip(columns.players, points, strict=True):
            self._pen.words(_MARGIN + right, baseline, _BODY, text, align=1.0)
        for n, line in enumerate(details):
            self._pen.words(_MARGIN + columns.details, baseline + n * _FINE * _LEADING, _FINE, line)
        below = max((len(lines) - 1) * _BODY, (len(details) - 1) * _FINE, 0.0) * _LEADING
        self._y = baseline + below + _PAD
        self._pen.line(
            _MARGIN,
            self._y,
            _MARGIN + self._width,
            self._y,
            color=_GRAY if strong else _RULE,
            width=0.3 if strong else 0.1,
        )

    def _details(self, game: GameResult, played: RoundResult, names: Sequence[str]) -> str:
        """Return the yaku of a round, with the players' names if several have some; without yaku, the reason of the result."""
        seats = [seat for seat in played.seats if seat.yaku]
        if not seats:
            return self._say(Message.from_dict(played.why))
        texts = []
        for seat in seats:
            yaku = " · ".join(
                f"{self._say(yaku_label(game.game, slug))} {points}" for slug, points in seat.yaku
            )
            texts.append(yaku if len(seats) == 1 and seat.won else f"{names[seat.seat - 1]}: {yaku}")
        return "; ".join(texts)


def _name(game: GameResult, seat: int, language: str) -> str:
    return game.players[seat - 1] or render(Message("receipt-player", {"number": seat}), language)


def _result(game: GameResult, names: Sequence[str]) -> Message:
    """Return who won a game or leads it."""
    score = " : ".join(str(points).replace("-", "−") for points in sorted(game.points, reverse=True))
    winners = tuple(names[seat - 1] for seat in game.winners)
    if not winners or len(winners) == len(names):
        return Message("night-tie" if game.over else "night-level", {"score": score})
    code = "night-wins" if game.over else "night-leads"
    return Message(code, {"names": winners, "count": len(winners), "score": score})


def _wrapped(text: str, size: float, width: float) -> list[str]:
    """Return a text as lines of at most a width, broken at spaces where possible."""
    lines: list[str] = []
    line = ""
    for piece in _pieces(text):
        if line and text_width((line + piece).rstrip(), size) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece
    return [*lines, line.rstrip()]


def _pieces(text: str) -> Iterator[str]:
    """Yield words with the space after them, and non-ASCII characters one by one."""
    word = ""
    for char in text:
        word += char
        if char.isspace() or not char.isascii():
            yield word
            word = ""
    if word:
        yield word


def _cut(text: str, size: float, width: float) -> str:
    """Return a text of at most a width; a longer one ends in an ellipsis."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text + "…"
