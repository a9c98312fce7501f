"""Draws a score receipt as a black and white picture of the printer's width."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Final, Literal, get_args

import segno
from PIL import Image, ImageDraw

from companion.hanafuda.messages import Message
from companion.messages import render
from companion.messages.dates import evening_date, weekday_ja
from companion.messages.rules_names import rules_label
from companion.paper.receipt import Debt, Receipt, ReceiptRound
from hardware.printers.lettering import Lettering

Language = Literal["en", "ja", "ko", "both"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
DOTS_PER_MM: Final = 8
"""The resolution of receipt printers."""
PAPERS: Final = {58: 48 * DOTS_PER_MM, 80: 72 * DOTS_PER_MM}
"""Printable width in dots by paper width in mm."""

_BLACK, _WHITE = 0, 255
#: Gray level up to which a dot is printed, so that thin strokes of Mincho stay connected.
_PRINT_THRESHOLD: Final = 165
_HANGUL_SAMPLE: Final = "한글"
#: Size of a module of the QR code, dots: .75 mm, which phones read from 20 cm.
_MODULE: Final = 6
_KANJI: Final = "一二三四五六七八九十"
_TITLE: Final = Message("receipt-title")
#: Black and white drawings of this project: the moon over a hill of susuki, a crest, and an empty seal with a worn edge.
_ORNAMENTS: Final = Path(__file__).with_name("ornaments")


class _Canvas:
    """A picture that grows downward."""

    def __init__(self, width: int, lettering: Lettering) -> None:
        self.width, self.lettering = width, lettering
        self.y = 0
        self._image = Image.new("L", (width, 4096), _WHITE)
        self.pen = ImageDraw.Draw(self._image)

    def down(self, height: int) -> int:
        """Reserve a strip of ``height`` px and return its top, px."""
        top, self.y = self.y, self.y + height
        if self.y > self._image.height:
            grown = Image.new("L", (self.width, 2 * self.y), _WHITE)
            grown.paste(self._image)
            self._image, self.pen = grown, ImageDraw.Draw(grown)
        return top

    def paste(self, image: Image.Image, x: int, y: int) -> None:
        """Paste the black pixels of a picture."""
        self._image.paste(_BLACK, (x, y), Image.eval(image, lambda gray: 255 - gray))

    def centered(self, text: str, size: int, *, lines: int = 3) -> None:
        """Write a centered text of at most ``lines`` lines."""
        words = text.split()
        text_lines = self.listed(words, " ", size, self.width - size)
        if any(self.lettering.width(word, size) > self.width - size for word in words):
            text_lines = self.lettering.wrapped(text, size, self.width - size)
        for line in text_lines[:lines]:
            top = self.down(round(size * 1.3))
            shortened = self.lettering.cut(line, size, self.width)
            self.write((self.width - self.lettering.width(shortened, size)) / 2, top + size, shortened, size)

    def write(self, x: float, baseline: float, text: str, size: int, ink: int = _BLACK) -> None:
        """Write a text on a baseline."""
        self.lettering.draw(self.pen, x, baseline, text, size, ink)

    def pair(
        self, left: str, right: str, size: int, *, indent: int = 0, right_size: int | None = None
    ) -> None:
        """Write one text at the left, on up to two lines, and one at the right, which is never cut."""
        large_size = right_size or size
        text_width = self.lettering.width(right, large_size)
        lines = self.lettering.wrapped(left, size, self.width - indent - text_width - size // 2)
        if len(lines) > 2:
            lines = [
                lines[0],
                self.lettering.cut("".join(lines[1:]), size, self.width - indent - text_width - size // 2),
            ]
        for number, line in enumerate(lines):
            line_size = max(size, large_size) if number == len(lines) - 1 else size
            top = self.down(round(line_size * 1.28))
            self.write(indent, top + line_size, line, size)
        self.write(self.width - text_width, self.y - round(max(size, large_size) * 0.28), right, large_size)

    def listed(self, items: Sequence[str], between: str, size: int, width: int) -> list[str]:
        """Return items as lines; only items that are wider than a line are broken."""
        lines: list[str] = []
        for item in items:
            if lines and self.lettering.width(joined := f"{lines[-1]}{between}{item}", size) <= width:
                lines[-1] = joined
            else:
                lines += self.lettering.wrapped(item, size, width)
        return lines

    def items(self, items: Sequence[str], between: str, size: int, *, indent: int = 0) -> None:
        """Write a list on as many lines as it needs."""
        for line in self.listed(items, between, size, self.width - indent):
            self.write(indent, self.down(round(size * 1.3)) + size, line, size)

    def rule(self, gap: int, *, double: bool = False, dotted: bool = False) -> None:
        """Draw a horizontal line, with ``gap`` px above and below."""
        top = self.down(2 * gap + 2 + 4 * double) + gap
        if dotted:
            for x in range(0, self.width, 8):
                self.pen.rectangle((x, top, x + 2, top + 1), fill=_BLACK)
            return
        self.pen.rectangle((0, top, self.width, top + (2 if double else 1)), fill=_BLACK)
        if double:
            self.pen.rectangle((0, top + 5, self.width, top + 5), fill=_BLACK)

    def done(self) -> Image.Image:
        """Return the drawing as a picture of mode "1"."""
        whole = self._image.crop((0, 0, self.width, self.y))
        return whole.point(lambda gray: 255 * (gray > _PRINT_THRESHOLD), mode="1")


def ornament(name: str, width: int) -> Image.Image:
    """Return an ornament in shades of gray, ``width`` px wide."""
    with Image.open(_ORNAMENTS / f"{name}.png") as drawing:
        size = width, round(width * drawing.height / drawing.width)
        return drawing.convert("L").resize(size, Image.Resampling.BOX)


def draw_receipt(
    receipt: Receipt,
    *,
    width: int = PAPERS[80],
    lang: Language = "both",
    lettering: Lettering | None = None,
    origin: str | None = None,
) -> Image.Image:
    """Return the receipt as a picture of mode "1", ``width`` px (a multiple of 8) wide; each px is one dot of the printer.

    ``origin`` is the server's address for phones, without a slash: a QR code then leads to the page of the evening.
    Afterward ``lettering.missing`` has the letters that no font has; they are printed as Latin letters or, without any, as 〓.
    """
    if width % 8 or width < 200:
        raise ValueError(f"the width must be a multiple of 8 and at least 200 dots, not {width}")
    lettering = lettering or Lettering()
    if lang == "ko" and not lettering.covers(_HANGUL_SAMPLE):
        lang = "en"  # neither the shipped font nor a font of this machine has Hangul
    drawing = _ReceiptDrawing(_Canvas(width, lettering), receipt, lang)
    drawing.head()
    for played in receipt.rounds:
        drawing.round(played)
    drawing.totals()
    drawing.foot()
    if origin is not None and receipt.night is not None:
        drawing.code(f"{origin}/nights/{receipt.night}")
    return drawing.paper.done()


class _ReceiptDrawing:
    """Draws the parts of a receipt, from the top."""

    def __init__(self, paper: _Canvas, receipt: Receipt, lang: Language) -> None:
        self.paper, self.receipt, self.lang = paper, receipt, lang
        self.body = 24 if paper.width < 500 else 28
        self.fine = round(self.body * 0.82)

        numbers = [self.number(each) for each in receipt.rounds]
        self.indent = self.body // 2 + max(paper.lettering.width(each, self.body) for each in numbers)

    def number(self, played: ReceiptRound) -> str:
        """Return a round's number, in kanji in Japanese."""
        return str(played.number) if self.lang in {"en", "ko"} else _number(played.number)

    def say(self, text: Message, between: str = "  ") -> str:
        """Return a text in the receipt's language or languages."""
        if self.lang != "both":
            return render(text, self.lang)
        ja, en = render(text, "ja"), render(text, "en")
        return ja if ja == en else f"{ja}{between}{en}"

    def name(self, seat: int) -> str:
        """Return a player's name, or the number of the seat if nothing of the name could be read."""
        lang = "ja" if self.lang == "both" else self.lang
        name = render(self.receipt.players[seat - 1], lang)
        seated = Message("receipt-player", {"number": seat})
        return name if self.paper.lettering.writes(name) else render(seated, lang)

    def head(self) -> None:
        """Draw the banner, the title, the time and the game."""
        paper, receipt = self.paper, self.receipt
        banner = ornament("moon-and-susuki", paper.width)
        paper.paste(banner, 0, paper.down(banner.height + self.body // 2))
        if receipt.title:
            paper.centered(receipt.title, round(self.body * 1.6), lines=2)
        else:
            self.two(_TITLE, round(self.body * 1.6), round(self.body * 1.05))
        if receipt.began is not None and receipt.ended is not None:
            paper.centered(self.when(receipt.began, receipt.ended), self.fine)
        self.two(receipt.game, round(self.body * 1.15), self.body)
        paper.rule(self.body // 3, double=True)

    def two(self, text: Message, first: int, second: int) -> None:
        """Write a centered text: Japanese in size ``first``, and in both languages English below it in size ``second``."""
        paper = self.paper
        paper.centered(render(text, "ja" if self.lang == "both" else self.lang), first, lines=2)
        if self.lang == "both" and render(text, "en") != render(text, "ja"):
            paper.centered(render(text, "en"), second, lines=2)

    def when(self, began: datetime, ended: datetime) -> str:
        """Return the date and the times of start and end."""
        if self.lang != "both":
            return evening_date(began, ended, self.lang)
        return f"{began:%Y-%m-%d}（{weekday_ja(began)}）{began:%H:%M}–{ended:%H:%M}"

    def round(self, played: ReceiptRound) -> None:
        """Draw a round: the winners with their yaku, and everybody's points."""
        paper, body = self.paper, self.body
        top = paper.y
        indent = self.indent
        if played.winners:
            for seat in played.winners:
                paper.pair(self.name(seat), f"{played.points[seat - 1]:+d}", body, indent=indent)
        else:
            paper.pair(self.say(Message("receipt-no-winner")), "0", body, indent=indent)
        paper.write(0, top + body, self.number(played), body)
        for seat in played.winners:
            if items := self._yaku_items(played, seat):
                paper.items(items, " · " if self.lang in {"en", "ko"} else "・", self.fine, indent=indent)
        others = [
            f"{self.name(seat)} {_signed(points)}"
            for seat, points in enumerate(played.points, start=1)
            if points and seat not in played.winners
        ]
        if others:
            paper.items(others, " · ", self.fine, indent=indent)
        if not played.yaku:
            for why in self.sentences(played.why):
                paper.items([why], "", self.fine, indent=indent)
        paper.rule(body // 4, dotted=played is not self.receipt.rounds[-1])

    def _yaku_items(self, played: ReceiptRound, seat: int) -> list[str]:
        """Return a winner's yaku with their points, the last one with what the loser paid if that is another sum."""
        lines = [each for each in played.yaku if each.seat == seat]
        items = [f"{self.say(each.name, ' ')} {each.points}" for each in lines]
        total, paid = sum(each.points for each in lines), played.points[seat - 1]
        if items and total != paid:
            items[-1] += (f" = {total}" if len(lines) > 1 else "") + f" → {paid}"
        return items

    def totals(self) -> None:
        """Draw the totals, highest first, with a seal beside the winner; then the pot, the payments and why the game is over."""
        paper, receipt, body = self.paper, self.receipt, self.body
        paper.down(body // 4)
        unit = (
            f" ({render(receipt.unit, self.lang)})"
            if self.lang in {"en", "ko"}
            else f"（{self.say(receipt.unit, ' · ')}）"
        )
        paper.centered(self.say(Message("receipt-total")) + unit, self.fine)
        size = round(body * 1.25)
        for seat in sorted(range(1, len(receipt.points) + 1), key=lambda seat: -receipt.points[seat - 1]):
            top = paper.y
            paper.pair(
                self.name(seat),
                _signed(receipt.points[seat - 1]),
                size,
                indent=round(size * 1.6),
                right_size=round(size * 1.3),
            )
            if seat in receipt.leaders:
                self.seal(round(size * 1.45), top)
        if receipt.pot:
            paper.pair(self.say(Message("display-pot")), str(receipt.pot), body)
        if receipt.debts:
            paper.rule(body // 3, dotted=True)
            paper.centered(self.say(Message("receipt-settlement")), self.fine)
            for debt in receipt.debts:
                paper.pair(self.debt(debt), str(debt.amount), body)
        if receipt.over is not None:
            paper.rule(body // 3, dotted=True)
            for why in self.sentences(receipt.over):
                paper.centered(why, self.fine, lines=4)

    def debt(self, debt: Debt) -> str:
        """Return payer and payee of a payment, joined by an arrow."""
        return f"{self.name(debt.payer)} → {self.name(debt.payee)}"

    def sentences(self, text: Message) -> Sequence[str]:
        """Return a sentence in the receipt's language or languages."""
        return [render(text, each) for each in (("ja", "en") if self.lang == "both" else (self.lang,))]

    def seal(self, size: int, top: int) -> None:
        """Stamp the winner's line."""
        background = ornament("seal", size)
        self.paper.paste(background, 0, top + 2)
        mark, letter = "勝", round(size * 0.6)
        text_width = self.paper.lettering.width(mark, letter)
        self.paper.write(
            (size - text_width) / 2, top + 2 + size * 0.5 + letter * 0.37, mark, letter, ink=_WHITE
        )

    def foot(self) -> None:
        """Draw the rules' names and hashes, and the crest."""
        paper = self.paper
        paper.rule(self.body // 3, double=True)
        for n, rules in enumerate(self.receipt.rules):
            label = (
                Message("receipt-rules") if n == 0 else Message("receipt-rules-from", {"number": rules.first})
            )
            text = f"{self.say(label, ' ')}: {self.say(rules_label(rules.name))}  #{rules.hash}"
            paper.centered(text, round(self.fine * 0.9))
        flower = ornament("crest", self.body * 2)
        paper.paste(flower, (paper.width - flower.width) // 2, paper.down(flower.height + 12) + 8)
        paper.down(8)

    def code(self, address: str) -> None:
        """Draw a QR code with an address, and what it opens."""
        paper = self.paper
        png = BytesIO()
        segno.make(address, error="m", micro=False).save(png, kind="png", scale=_MODULE, border=0)
        code = Image.open(png).convert("L")
        paper.paste(code, (paper.width - code.width) // 2, paper.down(code.height + self.body))
        for text in self.sentences(Message("receipt-code")):
            paper.centered(text, self.fine)
        paper.down(8)


def _signed(points: int) -> str:
    return str(points) if points >= 0 else f"−{-points}"


def _number(number: int) -> str:
    """Return a round's number in kanji; from 100 on in digits."""
    tens, ones = divmod(number, 10)
    if tens > 9:
        return str(number)
    return ("" if tens == 0 else "十" if tens == 1 else _KANJI[tens - 1] + "十") + (
        _KANJI[ones - 1] if ones else ""
    )
