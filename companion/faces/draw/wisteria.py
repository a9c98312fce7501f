"""April: the lesser cuckoo across the moon, hanging wisteria."""

from companion.faces.draw.canvas import (
    COAL,
    INK,
    ORANGE,
    PURPLE,
    RED,
    YELLOW,
    brush,
    card,
    circle,
    curve,
    paint,
    xy,
)
from companion.faces.draw.motifs import drop, leaf, ribbon, speckles, sprays


def _broad(x: float, y: float, length: float, turn: float) -> str:
    return leaf(x, y, length, turn, 0.26)


def _bud(x: float, y: float, length: float, turn: float) -> str:
    return drop(x, y, length, turn, 0.32)


def foliage(*stems: str) -> str:
    """Dark pinnate leaves along stems that come down from the top."""
    return sprays(map(xy, stems), COAL, _broad, length=42, spacing=40, spread=50, start=24)


def racemes(*stems: str) -> str:
    """Hanging clusters of purple flowers, each small as a bud."""
    return sprays(map(xy, stems), PURPLE, _bud, length=38, spacing=36, spread=62, start=10)


def tendril(points: str) -> str:
    """A thin curling shoot."""
    return brush(curve(xy(points)), 3)


def _cuckoo() -> str:
    tail = curve(xy("184,168! 236,118 262,96! 274,112! 292,124! 286,142! 300,156! 250,174 198,196!"), True)
    upper = curve(
        xy(
            "112,176! 106,128 140,88 184,60 238,46! 228,76 210,92!"
            " 214,106 190,122! 194,136 172,146! 178,158 160,188"
        ),
        True,
    )
    lower = curve(
        xy("96,222! 80,260 84,292! 132,286 176,302 232,296! 212,272 184,262! 188,244 168,210"), True
    )
    body = curve(
        xy("18,256! 36,236 50,212 82,192 130,168 172,156 196,176 186,204 148,224 100,240 62,246 40,246"), True
    )
    marks = "".join(
        curve(xy(points))
        for points in (
            "140,112 132,140 134,160",
            "162,96 150,126 150,150",
            "190,80 172,108 166,138",
            "112,236 124,254 150,264",
            "136,226 152,244 182,256",
            "100,250 104,268 120,278",
            "216,150 252,124",
            "220,164 270,142",
            "208,172 276,156",
        )
    )
    spots = "".join(
        f"M{x} {y}l6 10"
        for x, y in ((100, 192), (114, 186), (128, 182), (142, 176), (96, 206), (112, 202), (128, 196))
    )
    return "".join(
        (
            paint(tail, ORANGE, 4),
            paint(upper, ORANGE, 4),
            paint(body, ORANGE, 4),
            paint(lower, ORANGE, 4),
            paint(curve(xy("18,256! 32,238 46,222! 52,232 50,244!"), True), YELLOW, 3),
            brush(marks + spots, 4),
            paint(circle(72, 214, 7), YELLOW, 3),
            paint(circle(72, 214, 3), INK),
        )
    )


def cards() -> dict[str, str]:
    """Draw April's four cards."""
    moon = curve(xy("34,22! 44,96 84,150 160,190 286,172! 240,224 150,250 60,206 8,110!"), True)
    return {
        "wisteria-cuckoo": card(
            foliage("330,90 296,70 262,66 240,50", "300,14 270,24 240,24", "330,120 306,110 290,90"),
            foliage("330,170 300,210 270,240 246,282", "330,210 310,240 300,270"),
            paint(moon, RED, 4),
            _cuckoo(),
            racemes("218,300 208,350 200,400 194,460"),
            tendril("214,296 170,306 130,316 96,330"),
            paint("".join(leaf(84, 330, 46, turn, 0.36) for turn in (60, 130, 180, 250)), COAL, 3),
            tendril("80,360 40,400 26,460 50,500 84,480 70,450"),
        ),
        "wisteria-ribbon": card(
            speckles(4),
            racemes("60,150 62,240 66,330 72,410", "196,150 220,210 240,270 250,300"),
            foliage(
                "130,10 90,40 56,76 40,120",
                "160,10 160,50 152,100",
                "190,10 230,50 262,100 280,150",
                "210,8 260,24 306,50",
            ),
            foliage("60,10 36,30 24,50"),
            ribbon(62, 104, RED),
        ),
        "wisteria-chaff-1": card(
            racemes(
                "140,150 150,230 156,330 156,430", "92,230 72,270 56,310 44,350", "232,190 262,220 288,250"
            ),
            foliage(
                "150,10 110,36 64,76 26,140", "150,10 132,70 104,140 86,200", "160,10 196,60 220,130 230,190"
            ),
            foliage("166,10 226,40 270,80 300,120", "70,8 40,24 22,50", "240,8 274,22 306,44"),
        ),
        "wisteria-chaff-2": card(
            racemes("160,200 166,280 168,340 166,420", "62,150 60,220 62,280 60,330"),
            foliage("190,10 140,40 96,76 52,120", "190,10 176,70 164,130 160,180", "200,10 226,60 244,110"),
            foliage("206,10 256,44 300,100", "110,8 70,24 28,60", "254,8 284,20 312,44"),
            tendril("240,130 236,180 262,230 280,280 296,340 268,380 244,370 256,352 280,366 290,410"),
            paint("".join(_bud(246, 240, 40, turn) for turn in (-160, -20, 60)), PURPLE, 3),
        ),
    }
