"""Draws text with the program's own Mincho font, then the machine's fonts; what neither can write, in Latin letters.

A printer's built-in fonts cannot be used: code pages differ between printers, and most have no Japanese. Pillow's basic layout neither
joins letters (Arabic) nor stacks them (Thai, Devanagari), so such scripts are written in Latin letters even if there is a font.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from anyascii import anyascii
from PIL import ImageDraw, ImageFont

from companion.fonts import MINCHO

#: Paths of system fonts with many characters, the most similar to ours first. Font folders are not searched: they may be huge.
_SYSTEM_FONTS: Final = (
    # Debian, Ubuntu, Raspberry Pi OS, Fedora
    "/usr/share/fonts/opentype/noto/NotoSerifCJK-Bold.ttc",
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc",
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/google-noto-serif-cjk-vf-fonts/NotoSerifCJK-VF.ttc",
    "/usr/share/fonts/google-noto-sans-cjk-vf-fonts/NotoSansCJK-VF.ttc",
    "/usr/share/fonts/truetype/fonts-japanese-mincho.ttf",
    "/usr/share/fonts/truetype/fonts-japanese-gothic.ttf",
    "/usr/share/fonts/truetype/nanum/NanumMyeongjoBold.ttf",
    "/usr/share/fonts/truetype/unfonts-core/UnBatangBold.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSerif-Bold.ttf",
    # macOS
    "/System/Library/Fonts/ヒラギノ明朝 ProN.ttc",
    "/System/Library/Fonts/AppleSDGothicNeo.ttc",
    "/System/Library/Fonts/Supplemental/Arial Unicode.ttf",
    # Windows
    "C:/Windows/Fonts/yumindb.ttf",
    "C:/Windows/Fonts/msgothic.ttc",
    "C:/Windows/Fonts/malgunbd.ttf",
    "C:/Windows/Fonts/segoeui.ttf",
)
_GETA: Final = "〓"
"""Printed for what has neither a font nor Latin letters."""
_SIMPLE_SCRIPTS: Final = (
    *("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN", "FEMININE", "MASCULINE", "MICRO", "MODIFIER"),
    *(
        "CJK",
        "HIRAGANA",
        "KATAKANA",
        "KATAKANA-HIRAGANA",
        "HANGUL",
        "HALFWIDTH",
        "FULLWIDTH",
        "BOPOMOFO",
        "IDEOGRAPHIC",
    ),
)
"""First words of the names of letters that are drawn one after the other."""
#: Not a character: every font draws its own replacement box for it.
_NO_CHARACTER: Final = "\uffff"
#: Unicode categories of characters that are not drawn on their own.
_INVISIBLE_CATEGORIES: Final = frozenset(("Cf", "Cc", "Cs", "Co", "Cn"))


def fonts() -> tuple[Path, ...]:
    """Return the font files to use, in order: the program's own, then those of this machine."""
    return (MINCHO, *(path for each in _SYSTEM_FONTS if (path := Path(each)).is_file()))


#: Font size for checking whether a font has a character, px; any size would do.
_PROBE_SIZE: Final = 24


class Lettering:
    """Draws each character with the first font that has it; `missing` collects the letters that no font has."""

    def __init__(self, files: Iterable[Path] | None = None) -> None:
        self._files = tuple(files) if files is not None else fonts()
        self.missing: set[str] = set()

    def covers(self, text: str) -> bool:
        """Return whether every character of a text is in one of the fonts."""
        return all(self._find_glyph(char, _PROBE_SIZE) is not None for char in text)

    def writes(self, text: str) -> bool:
        """Return whether something of a text can be read when it is drawn, as itself or in Latin letters."""
        return any(drawn.strip(f" {_GETA}") for _, drawn in self._runs(text, _PROBE_SIZE))

    def width(self, text: str, size: int) -> int:
        """Return the width of a text at a font size, both in px."""
        return round(sum(font.getlength(run) for font, run in self._runs(text, size)))

    def draw(
        self, draw: ImageDraw.ImageDraw, x: float, baseline: float, text: str, size: int, ink: int
    ) -> None:
        """Draw a text that starts at ``x`` on a baseline, both in px."""
        for font, run in self._runs(text, size):
            draw.text((x, baseline), run, font=font, fill=ink, anchor="ls")
            x += font.getlength(run)

    def wrapped(self, text: str, size: int, width: int) -> list[str]:
        """Return a text as lines of at most ``width`` px, broken at spaces and between Japanese characters."""
        lines, line = [], ""
        for piece in _break_pieces(text):
            if line and self.width((line + piece).rstrip(), size) > width:
                lines.append(line.rstrip())
                line = ""
            line += piece.lstrip() if not line else piece
            while self.width(line.rstrip(), size) > width and len(line) > 1:
                fits = next(
                    n for n in range(len(line) - 1, 0, -1) if n == 1 or self.width(line[:n], size) <= width
                )
                lines.append(line[:fits])
                line = line[fits:]
        return [*lines, line.rstrip()] if line.strip() or not lines else lines

    def cut(self, text: str, size: int, width: int) -> str:
        """Return a text of at most ``width`` px; a longer one is cut and ends in an ellipsis."""
        if self.width(text, size) <= width:
            return text
        while text and self.width(text + "…", size) > width:
            text = text[:-1].rstrip()
        return text + "…"

    def _runs(self, text: str, size: int) -> Iterator[tuple[ImageFont.FreeTypeFont, str]]:
        """Yield the runs of a text that have the same font, with that font."""
        run_font: ImageFont.FreeTypeFont | None = None
        run = ""
        for original in _visible(text):
            found, drawn = self._glyphs(original, size)
            if found is not run_font and run_font is not None:
                yield run_font, run
                run = ""
            run_font, run = found, run + drawn
        if run_font is not None:
            yield run_font, run

    def _glyphs(self, char: str, size: int) -> tuple[ImageFont.FreeTypeFont, str]:
        """Return the font for a character, and what is drawn for it: itself, without its accent, or Latin letters."""
        category, simple = (
            unicodedata.category(char)[0],
            unicodedata.name(char, "").startswith(_SIMPLE_SCRIPTS),
        )
        if simple or category not in "LM":
            base = unicodedata.normalize("NFD", char)[0]
            if found := self._find_glyph(char, size) or self._find_glyph(base, size):
                return found
        latin = anyascii(char).replace("`", "'")
        if category == "L" and (simple or not latin):
            self.missing.add(char)
        return _font(self._files[0], size), latin or ("" if category == "M" else _GETA)

    def _find_glyph(self, char: str, size: int) -> tuple[ImageFont.FreeTypeFont, str] | None:
        """Return the first font that has a character, with the character; None if no font has it."""
        fonts_with_char = (font for font in (_font(path, size) for path in self._files) if _has(font, char))
        return next(((font, char) for font in fonts_with_char), None)


@lru_cache(maxsize=64)
def _font(path: Path, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def _has(font: ImageFont.FreeTypeFont, char: str) -> bool:
    """Return whether a font has a character, by comparing it with the replacement box: Pillow does not expose the character map."""
    return char.isspace() or _glyph(font, char) != _glyph(font, _NO_CHARACTER)


def _glyph(font: ImageFont.FreeTypeFont, char: str) -> tuple[tuple[int, int], bytes]:
    """Return the size (px) and the pixels of a character."""
    mask = font.getmask(char)
    return mask.size, bytes(mask)


def _visible(text: str) -> str:
    """Return a text composed (NFC), with simple spaces and without invisible characters."""
    composed = unicodedata.normalize("NFC", text)
    return "".join(
        " " if char.isspace() else char
        for char in composed
        if char.isspace() or unicodedata.category(char) not in _INVISIBLE_CATEGORIES
    )


def _break_pieces(text: str) -> Iterator[str]:
    """Yield the unbreakable pieces of a text: words with the space after them, and Japanese characters with their punctuation."""
    piece = ""
    for char in text:
        wide = unicodedata.east_asian_width(char) in "WF"
        if (
            piece
            and wide
            and char not in "、。）」』！？ーっゃゅょッャュョ・："
            and piece[-1] not in "（「『"
        ):
            yield piece
            piece = ""
        piece += char
        if char.isspace():
            yield piece
            piece = ""
    if piece:
        yield piece
