"""Text as a picture: our own Mincho, what the machine has for the rest, and a geta mark (〓) for what nobody has.

A printer's own letters are of no use: its code page is another than the next one's, and most have no Japanese at all.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from PIL import ImageDraw, ImageFont

__all__ = ["Lettering", "fonts"]

_OWN: Final = Path(__file__).parent / "fonts" / "ZenOldMincho-SemiBold-subset.woff2"
#: Where systems keep fonts with many characters, the likest to ours first. Nothing is searched: a font folder may be huge.
_MACHINES: Final = (
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
#: No character: every font draws its own box for it.
_NO_CHARACTER: Final = "\uffff"
#: Signs that only say how the one before them looks.
_UNSEEN: Final = frozenset(("Cf", "Cc", "Cs", "Co", "Cn", "Mn", "Me"))


def fonts() -> tuple[Path, ...]:
    """Return the font files to use, in order: our own, then those of this machine."""
    return (_OWN, *(path for each in _MACHINES if (path := Path(each)).is_file()))


#: Any size will do to find out whether a font has a character, px.
_PROBE_SIZE: Final = 24


class Lettering:
    """Text in a row of fonts, each character in the first that has it; `missing` are those that none had."""

    def __init__(self, files: Iterable[Path] | None = None) -> None:
        self._files = tuple(files) if files is not None else fonts()
        self.missing: set[str] = set()

    def covers(self, text: str) -> bool:
        """Return whether some font has each character of a text."""
        return all(self._found(char, _PROBE_SIZE) is not None for char in text)

    def width(self, text: str, size: int) -> int:
        """Return how wide a text of a size (px, the em) is, px."""
        return round(sum(font.getlength(run) for font, run in self._runs(text, size)))

    def draw(
        self, pen: ImageDraw.ImageDraw, x: float, baseline: float, text: str, size: int, ink: int
    ) -> None:
        """Draw a text from x on, px."""
        for font, run in self._runs(text, size):
            pen.text((x, baseline), run, font=font, fill=ink, anchor="ls")
            x += font.getlength(run)

    def wrapped(self, text: str, size: int, width: int) -> list[str]:
        """Return a text in lines no wider than ``width`` px, broken at spaces, and between characters that allow it."""
        lines, line = [], ""
        for piece in _pieces(text):
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
        """Return a text no wider than ``width`` px: its beginning, with an ellipsis, where it is too long."""
        if self.width(text, size) <= width:
            return text
        while text and self.width(text + "…", size) > width:
            text = text[:-1].rstrip()
        return text + "…"

    def _runs(self, text: str, size: int) -> Iterator[tuple[ImageFont.FreeTypeFont, str]]:
        """Yield pieces of a text with the font that has all of each."""
        held: ImageFont.FreeTypeFont | None = None
        run = ""
        for told in _seen(text):
            plain = unicodedata.normalize("NFD", told)[0]
            found, char = self._found(told, size) or self._found(plain, size) or (None, told)
            if found is None:
                self.missing.add(told)
                found, char = _font(self._files[0], size), _GETA
            if found is not held and held is not None:
                yield held, run
                run = ""
            held, run = found, run + char
        if held is not None:
            yield held, run

    def _found(self, char: str, size: int) -> tuple[ImageFont.FreeTypeFont, str] | None:
        found = (font for font in (_font(path, size) for path in self._files) if _has(font, char))
        return next(((font, char) for font in found), None)


@lru_cache(maxsize=64)
def _font(path: Path, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def _has(font: ImageFont.FreeTypeFont, char: str) -> bool:
    """Return whether a font has a character: Pillow tells of no character map, but what it draws for none."""
    return char.isspace() or _drawn(font, char) != _drawn(font, _NO_CHARACTER)


def _drawn(font: ImageFont.FreeTypeFont, char: str) -> tuple[tuple[int, int], bytes]:
    mask = font.getmask(char)
    return mask.size, bytes(mask)


def _seen(text: str) -> str:
    composed = unicodedata.normalize("NFC", text)
    return "".join(
        " " if char.isspace() else char
        for char in composed
        if char.isspace() or unicodedata.category(char) not in _UNSEEN
    )


def _pieces(text: str) -> Iterator[str]:
    """Yield what may stand at a line's end, in order: words with their space, characters of Japanese."""
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
