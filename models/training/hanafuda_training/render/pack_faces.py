"""Draw the faces of mekurifuda, kabufuda and western cards: ``python -m hanafuda_training.render.pack_faces``.

The SVG files in ``companion/faces`` are written by this module, which is their source; those of the hanafuda are drawn by hand.
All drawings are in the hanafuda's frame of 330 × 540 units. The rank and the suit are at the top, large enough to be read on a
phone, also where cards overlap; below them are as many symbols as the rank, or a figure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from companion.faces import FACES_DIR, drawing_of
from companion.hanafuda.cards import DECKS, Card

INK, PAPER, RED, GREEN, BLUE, GOLD, SKIN, SILVER = (
    "#0d0b0a", "#fffdf7", "#d5301f", "#2c7a4b", "#2f5c9e", "#f0b429", "#f6dcc0", "#b9bdc4",
)  # fmt: skip

_DIGITS: Final[Mapping[str, str]] = {
    "1": "M12 24L32 4V98",
    "2": "M4 26C4-6 54-6 54 28C54 52 4 70 4 98H58",
    "3": "M5 16C16-4 53 0 53 26C53 44 32 48 24 48C34 48 57 52 57 74C57 106 10 106 2 82",
    "4": "M42 98V2L2 70H60",
    "5": "M52 3H12L8 44C22 34 57 36 57 68C57 106 12 106 2 82",
    "6": "M50 10C36-6 4 8 4 62C4 108 57 108 57 68C57 32 12 32 5 62",
    "7": "M3 3H56L22 98",
    "8": "M29 47C-2 42 2 2 29 2C56 2 60 42 29 47C-6 52-6 98 29 98C64 98 64 52 29 47Z",
    "9": "M9 90C22 106 55 92 55 38C55-8 2-8 2 32C2 68 46 68 54 38",
    "0": "M29 2C-7 2-7 98 29 98C65 98 65 2 29 2Z",
    "A": "M2 98L29 2L56 98M12 66H46",
    "J": "M46 2V70C46 108 4 108 3 76",
    "Q": "M29 2C-7 2-7 98 29 98C65 98 65 2 29 2ZM34 74L60 104",
    "K": "M6 2V98M54 2L8 58M24 42L57 98",
}
"""Digits and letters as strokes in a box of 60 × 100."""


def _ring(radius: float) -> str:
    """Return a circle around its start, which is the point above its center."""
    k = round(radius * 0.552, 1)
    r = radius
    return f"c{k} 0 {r} {r - k} {r} {r}c0 {k} {k - r} {r} {-r} {r}c{-k} 0 {-r} {k - r} {-r} {-r}c0 {-k} {r - k} {-r} {r} {-r}z"


# Symbols are about 100 × 100 around their center, as subpaths: the start, and relative commands that can be scaled and turned.
_HEART = (((0, 46), "c-60-45-55-92-25-92c15 0 25 12 25 25c0-13 10-25 25-25c30 0 35 47-25 92z"),)
_SPADE = (((0, -48), "c50 42 52 66 30 74c-13 5-24-4-28-12c1 16 6 26 16 32h-36c10-6 15-16 16-32c-4 8-15 17-28 12c-22-8-20-32 30-74z"),)  # fmt: skip
_DIAMOND = (((0, -50), "c10 20 22 36 36 50c-14 14-26 30-36 50c-10-20-22-36-36-50c14-14 26-30 36-50z"),)
_CLOVER = (
    ((0, -47), _ring(23)), ((-25, -13), _ring(23)), ((25, -13), _ring(23)),
    ((-6, -4), "c0 24-4 40-13 50h38c-9-10-13-26-13-50z"),
)  # fmt: skip
_BATON = (((-12, -48), "c8-6 16-6 24 0c7 30 5 66-2 96c-6 5-14 5-20 0c-7-30-9-66-2-96z"),)
_BATON_MARKS = (((-14, -18), "h28"), ((-15, 6), "h30"))
_SWORD = (((0, -54), "l10 18v52h16v10h-16v24h-20v-24h-16v-10h16v-52z"),)
_SWORD_MARKS = (((0, -36), "v48"),)
_CUP = (((-34, -44), "h68c0 36-11 52-26 56v18h18v16h-52v-16h18v-18c-15-4-26-20-26-56z"),)
_CUP_MARKS = (((-26, -24), "h52"),)
_COIN = (((0, -42), _ring(42)),)
_COIN_MARKS = (((0, -24), _ring(24)), ((0, -8), _ring(8)))
_STICK = (
    (
        (-15, -50),
        "c10-4 22-4 30 0c-8 20-8 34 0 50c8 18 8 34 0 50c-8 4-20 4-30 0c8-18 8-32 0-50c-8-16-8-32 0-50z",
    ),
)

_KANJI: Final[Mapping[int, str]] = {
    1: "M-90 0H90",
    2: "M-62-56H62M-95 56H95",
    3: "M-70-78H70M-56 0H56M-95 80H95",
    4: "M-88-66H88V84H-88ZM-28-66C-28 0-40 30-84 50M26-66V10C26 34 44 34 84 30",
    5: "M-82-82H82M-8-82L-42 86M-64-6H58L46 86M-98 88H98",
    6: "M-4-100L14-66M-96-42H96M-34-2L-84 92M32-2L86 92",
    7: "M-94 2L94-26M-18-98V54C-18 92 8 90 84 84",
    8: "M-26-62C-30 10-56 60-92 92M16-80C26 0 56 60 96 92",
    9: "M-76-38H48V56C48 92 66 90 92 80V52M-14-98C-8 0-30 60-92 96",
    10: "M-98-6H98M0-98V98",
}
"""The numbers that players of kabufuda read, as strokes around their middle."""

Symbol = tuple[tuple[tuple[float, float], str], ...]


def _placed(symbol: Symbol, x: float, y: float, scale: float = 1) -> str:
    """Return a symbol around a point, scaled."""

    def scaled(number: re.Match[str]) -> str:
        return f" {round(float(number[0]) * scale, 1):g}"

    return "".join(
        f"M{x + start[0] * scale:g} {y + start[1] * scale:g}"
        + re.sub(r"([a-z]) ", r"\1", re.sub(r"-?[\d.]+", scaled, path))
        for start, path in symbol
    )


def _path(d: str, fill: str = "none", stroke: str | None = None, width: float = 0) -> str:
    outline = f' stroke="{stroke}" stroke-width="{width:g}"' if stroke else ""
    return f'<path fill="{fill}"{outline} d="{d}"/>'


def _index(rank: str, color: str) -> str:
    """Return a rank in the upper left corner."""
    narrow = len(rank) > 1
    strokes = "".join(
        f'<path transform="translate({34 + n * 56} 36) scale({0.8 if narrow else 1.15} 1.15)" d="{_DIGITS[sign]}"/>'
        for n, sign in enumerate(rank)
    )
    return f'<g fill="none" stroke="{color}" stroke-width="19">{strokes}</g>'


_EMBLEM: Final = (250, 94, 1.05)
"""Where the suit is, in the upper right corner: x, y and scale."""


_PIPS: Final[Mapping[int, tuple[tuple[float, float], ...]]] = {
    2: ((0, 0), (0, 1)),
    3: ((0, 0), (0, 0.5), (0, 1)),
    4: ((-1, 0), (1, 0), (-1, 1), (1, 1)),
    5: ((-1, 0), (1, 0), (0, 0.5), (-1, 1), (1, 1)),
    6: ((-1, 0), (1, 0), (-1, 0.5), (1, 0.5), (-1, 1), (1, 1)),
    7: ((-1, 0), (1, 0), (0, 0.25), (-1, 0.5), (1, 0.5), (-1, 1), (1, 1)),
    8: ((-1, 0), (1, 0), (0, 0.25), (-1, 0.5), (1, 0.5), (0, 0.75), (-1, 1), (1, 1)),
    9: ((-1, 0), (1, 0), (-1, 1 / 3), (1, 1 / 3), (0, 0.5), (-1, 2 / 3), (1, 2 / 3), (-1, 1), (1, 1)),
}
"""Where the symbols of a rank are: the column beside the middle, and the height from 0 to 1."""


def _pips(rank: int, symbol: Symbol) -> str:
    """Return as many symbols as the rank."""
    scale = {2: 1.25, 3: 1.0, 9: 0.72}.get(rank, 0.8)
    top, bottom = 220, 456
    return "".join(
        _placed(symbol, 165 + 76 * column, top + (bottom - top) * height, scale)
        for column, height in _PIPS[rank]
    )


def _lower(drawing: str) -> str:
    """Return a drawing of the whole card below the rank and the suit."""
    return f'<g transform="translate(24 82) scale(.85)">{drawing}</g>'


# The parts of figures, on the lower two thirds of the card.
_ROBE = "M165 268C232 274 268 360 276 505H54C62 360 98 274 165 268Z"
_LAPELS = "M120 286L165 372L210 286M165 372V505"
_HEAD = "M165 150C206 150 206 262 165 268C124 262 124 150 165 150Z"
_FACE = "M148 206H155M175 206H182M156 240Q165 246 174 240"
_LONG_HAIR = "M165 138C240 138 224 270 234 330C212 316 204 270 200 214C180 196 150 196 130 214C126 270 118 316 96 330C106 270 90 138 165 138Z"
_CAP = "M116 182C120 128 210 128 214 182C186 170 144 170 116 182ZM196 142C230 110 256 112 264 84C272 130 240 158 208 160Z"
_CROWN = "M112 180L100 106L136 142L165 92L194 142L230 106L218 180Z"
_BEARD = "M128 224C132 296 198 296 202 224C190 244 140 244 128 224Z"
_HORSE = "M96 505C92 400 120 340 112 306C86 326 66 332 52 318C44 306 52 290 70 272C92 246 110 214 148 194L152 160L178 188C250 204 282 280 276 505Z"
_MANE = "M178 188C226 250 236 360 226 505M152 206C190 266 200 380 190 505"
_DRAGON = "M248 492C60 500 40 408 150 372C262 334 286 262 176 236C92 216 76 150 130 104"
_SPIKES = "M84 462L58 470M66 410L40 398M118 366L104 340M182 342L176 314M246 300L274 304M250 252L272 232M196 222L206 196M120 210L98 222M92 158L68 152"
_DRAGON_HEAD = "M118 130C96 112 104 74 136 70C146 52 158 50 166 44C164 58 170 66 180 72C214 82 236 96 238 112C226 122 204 118 186 124C170 142 138 148 118 130Z"


def _figure(kind: str, color: str, symbol: Symbol) -> str:
    """Return a maid, a horse, a jack, a queen or a king in the color of the suit, and its symbol on the robe."""
    robe = _path(_ROBE, color, INK, 6) + _path(_LAPELS, "none", GOLD, 9)
    face = _path(_HEAD, SKIN, INK, 5) + _path(_FACE, "none", INK, 5)
    parts = {
        "maid": [_path(_LONG_HAIR, INK), robe, face, _path("M128 186C140 158 190 158 202 186C180 172 150 172 128 186Z", INK)],
        "horse": [_path(_HORSE, color, INK, 6), _path(_MANE, "none", GOLD, 9), _path("M126 240h10M66 306h8", "none", INK, 9)],
        "jack": [robe, face, _path(_CAP, color, INK, 5)],
        "queen": [_path(_LONG_HAIR, INK), robe, face, _path("M120 176L112 128L146 152L165 116L184 152L218 128L210 176Z", GOLD, INK, 5)],
        "king": [robe, face, _path(_BEARD, INK), _path(_CROWN, GOLD, INK, 5)],
    }[kind]  # fmt: skip
    return _lower("".join(parts) + _path(_placed(symbol, 165, 436, 1.25), PAPER, INK, 5))


_MEKURIFUDA: Final[Mapping[str, tuple[str, Symbol, Symbol]]] = {
    "clubs": (GREEN, _BATON, _BATON_MARKS),
    "swords": (BLUE, _SWORD, _SWORD_MARKS),
    "cups": (RED, _CUP, _CUP_MARKS),
    "coins": (GOLD, _COIN, _COIN_MARKS),
}
_WESTERN: Final[Mapping[str, tuple[str, Symbol, str]]] = {
    "clubs": (INK, _CLOVER, GREEN),
    "spades": (INK, _SPADE, BLUE),
    "hearts": (RED, _HEART, RED),
    "diamonds": (RED, _DIAMOND, GOLD),
}
"""The color and symbol of each suit, and the color of its robes."""
_MEKURIFUDA_COURT, _WESTERN_COURT = (
    {10: "maid", 11: "horse", 12: "king"},
    {10: "jack", 11: "queen", 12: "king"},
)


def _mekurifuda(card: Card) -> str:
    if card.flower == "onifuda":
        return (
            _path("M165 96C290 96 300 300 256 400C232 470 98 470 74 400C30 300 40 96 165 96Z", RED, INK, 7)
            + _path("M92 128C70 96 66 66 84 40C100 70 120 88 140 98ZM238 128C260 96 264 66 246 40C230 70 210 88 190 98Z", GOLD, INK, 6)
            + _path("M72 216C104 186 134 196 148 226C120 246 92 240 72 216ZM258 216C226 186 196 196 182 226C210 246 238 240 258 216Z", PAPER, INK, 6)
            + _path("M90 350C130 330 200 330 240 350C230 400 100 400 90 350Z", INK)
            + _path("M112 348L124 384L138 344ZM218 348L206 384L192 344Z", PAPER)
            + _path("M70 186L146 204M260 186L184 204M150 290H180M116 214h16M198 214h16", "none", INK, 13)
        )  # fmt: skip
    color, symbol, marks = _MEKURIFUDA[card.flower]
    emblem = _path(_placed(symbol, *_EMBLEM), color, INK, 6) + _path(_placed(marks, *_EMBLEM), "none", INK, 5)
    if card.month in _MEKURIFUDA_COURT:
        body = _figure(_MEKURIFUDA_COURT[card.month], color, symbol)
    elif card.month == 1:  # the aces are dragons
        body = _lower(
            _path(_SPIKES, "none", INK, 13)
            + _path(_DRAGON, "none", INK, 54)
            + _path(_DRAGON, "none", color, 36)
            + _path(_DRAGON_HEAD, color, INK, 7)
            + _path("M150 96h6M204 108L236 112", "none", INK, 9)
        )
    else:
        pips, lines = _pips(card.month, symbol), _pips(card.month, marks)
        body = _path(pips, color, INK, 5) + _path(lines, "none", INK, 4)
    return body + emblem + _index(str(card.month), INK)


def _western(card: Card) -> str:
    color, symbol, robes = _WESTERN[card.flower]
    emblem = _path(_placed(symbol, *_EMBLEM), color)
    if card.month in _WESTERN_COURT:
        body = _figure(_WESTERN_COURT[card.month], robes, symbol)
    else:
        body = _path(_placed(symbol, 165, 340, 2.4) if card.month == 1 else _pips(card.month, symbol), color)
    return body + emblem + _index(card.id[1:].replace("1", "A"), color)


def _kabufuda(card: Card) -> str:
    number = f'<path transform="translate(236 94) scale(.6)" fill="none" stroke="{INK}" stroke-width="26" d="{_KANJI[card.month]}"/>'
    if card.month == 10:  # a seated figure
        body = (
            _path("M165 214C230 220 282 340 292 470H38C48 340 100 220 165 214Z", INK)
            + _path("M165 112C202 112 202 206 165 216C128 206 128 112 165 112Z", PAPER, INK, 8)
            + _path("M118 132C124 78 206 78 212 132C186 116 144 116 118 132Z", INK)
            + _path("M165 240V470M112 300L165 352L218 300M74 424H256", "none", PAPER, 12)
        )
        return _lower(body) + number + _index("10", RED)
    printed = {"kabu-1-a": RED, "kabu-4-a": SILVER}.get(card.id)
    ground = _path("M40 182H290V500H40Z", printed, INK, 6) if printed else ""
    rows = {1: (1,), 2: (2,), 3: (3,), 4: (2, 2), 5: (3, 2), 6: (3, 3), 7: (2, 3, 2), 8: (3, 2, 3), 9: (3, 3, 3)}[card.month]  # fmt: skip
    scale, step, apart = {1: (2.7, 0, 88), 2: (1.45, 150, 92)}.get(len(rows), (0.98, 104, 88))
    sticks = "".join(
        _placed(
            _STICK, 165 + (column - (count - 1) / 2) * apart, 342 + (row - (len(rows) - 1) / 2) * step, scale
        )
        for row, count in enumerate(rows)
        for column in range(count)
    )
    return ground + _path(sticks, INK, PAPER, 5) + number + _index(str(card.month), RED)


_PACKS: Final = {"mekurifuda": _mekurifuda, "kabufuda": _kabufuda, "western": _western}


def drawings() -> Iterator[tuple[Path, str]]:
    """Yield the file and the SVG text of every drawing; the copies of a kabufuda that look alike have one."""
    drawn = set()
    for pack, draw in _PACKS.items():
        for card in DECKS[pack]:
            name = drawing_of(card.id)
            if name in drawn:
                continue
            drawn.add(name)
            yield (
                FACES_DIR / f"{name}.svg",
                '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 330 540" stroke-linecap="round" stroke-linejoin="round">'
                f'<rect width="330" height="540" rx="14" fill="{INK}"/><rect x="14" y="14" width="302" height="512" fill="{PAPER}"/>'
                f"{draw(card)}</svg>\n",
            )


def main() -> None:
    """Write all drawings."""
    for path, svg in drawings():
        path.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
