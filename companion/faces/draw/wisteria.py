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
    line,
    paint,
    xy,
)
from companion.faces.draw.motifs import drop, leaf, ribbon, speckles, spray


def foliage(*stems: str) -> str:
    """Dark pinnate leaves along stems that come down from the top."""
    grown = [spray(xy(stem), 34, 34, _broad, 55, 24) for stem in stems]
    return brush("".join(stem for stem, _ in grown), 3.5) + paint(
        "".join(parts for _, parts in grown), COAL, 3
    )


def _broad(x: float, y: float, length: float, turn: float) -> str:
    return leaf(x, y, length, turn, 0.34)


def _bud(x: float, y: float, length: float, turn: float) -> str:
    return drop(x, y, length, turn, 0.36)


def racemes(*stems: str) -> str:
    """Hanging clusters of purple flowers, each small as a bud."""
    grown = [spray(xy(stem), 34, 32, _bud, 62, 10) for stem in stems]
    return brush("".join(stem for stem, _ in grown), 3.5) + paint(
        "".join(parts for _, parts in grown), PURPLE, 3
    )


def tendril(points: str) -> str:
    """A thin curling shoot."""
    return brush(curve(xy(points)), 3)


def _cuckoo() -> str:
    tail = curve(xy("184,168! 236,118 262,96! 274,112! 292,124! 286,142! 300,156! 250,174 198,196!"), True)
    upper = curve(
        xy(
            "112,176! 106,128 140,88 184,60 238,46! 228,76 210,92! 214,106 190,122! 194,136 172,146! 178,158 160,188"
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
    moon = curve(xy("32,22! 34,90 76,160 150,198 280,172! 224,236 120,240 50,180 14,100"), True)
    return {
        "wisteria-cuckoo": card(
            foliage(
                "316,20 290,50 262,80 244,110", "330,170 310,200 280,236 250,290", "330,60 312,110 300,150"
            ),
            paint(moon, RED, 4),
            _cuckoo(),
            racemes("222,260 206,330 198,400 192,470"),
            foliage("110,330 90,326 84,350"),
            tendril("196,310 160,316 120,318 96,330"),
            tendril("80,360 40,400 26,460 50,500 84,480 70,450"),
        ),
        "wisteria-ribbon": card(
            speckles(4),
            racemes("60,150 62,240 66,330 72,420", "200,140 220,190 240,270 252,300"),
            foliage(
                "120,14 80,40 50,70 30,110",
                "170,14 150,60 140,100",
                "170,14 220,60 270,150",
                "230,14 270,30 300,60",
                "70,14 50,20 30,40",
            ),
            ribbon(62, 104, RED),
        ),
        "wisteria-chaff-1": card(
            racemes(
                "136,130 150,220 158,330 158,440", "90,220 70,260 54,310 44,350", "232,180 260,210 290,250"
            ),
            foliage(
                "150,10 110,40 60,80 26,140",
                "150,10 130,60 96,130 78,190",
                "156,10 200,60 220,120 232,190",
                "160,14 230,40 280,70 300,100",
                "70,10 40,20 24,50",
                "230,10 270,16 306,40",
            ),
        ),
        "wisteria-chaff-2": card(
            racemes("150,180 164,260 168,340 164,420", "60,130 58,210 62,290 60,330"),
            foliage(
                "190,10 140,40 90,66 40,110",
                "190,10 170,60 150,110 148,160",
                "196,10 220,60 226,100",
                "200,10 260,50 300,110",
                "90,10 60,30 28,60",
                "250,10 290,26 312,50",
            ),
            tendril("240,130 236,180 262,230 280,280 296,340 268,380 244,370 256,352 280,366 290,410"),
            paint("".join(_bud(246, 240, 30, turn) for turn in (-160, -20, 60)), PURPLE, 3),
        ),
    }
