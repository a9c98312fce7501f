"""July: the boar in the bush clover."""

from companion.faces.draw.canvas import (
    COAL,
    INK,
    ORANGE,
    PAPER,
    RED,
    brush,
    card,
    circle,
    curve,
    line,
    paint,
    xy,
)
from companion.faces.draw.motifs import cloud, drop, leaf, ribbon, speckles, spray


def _petal(x: float, y: float, length: float, turn: float) -> str:
    return drop(x, y, length, turn, 0.3)


def _leaf(x: float, y: float, length: float, turn: float) -> str:
    return leaf(x, y, length, turn, 0.34)


def flowering(*stems: str) -> str:
    """Tips of the bush: red flowers in pairs along a stem."""
    grown = [spray(xy(stem), 28, 25, _petal, 48, 16) for stem in stems]
    return brush("".join(stem for stem, _ in grown), 3.5) + paint(
        "".join(parts for _, parts in grown), RED, 3
    )


def leafy(*stems: str) -> str:
    """The lower stems, with dark round-pointed leaves."""
    grown = [spray(xy(stem), 40, 38, _leaf, 58, 20) for stem in stems]
    return brush("".join(stem for stem, _ in grown), 4) + paint("".join(parts for _, parts in grown), COAL, 3)


def _boar() -> str:
    body = curve(
        xy(
            "34,270! 46,262 60,282! 96,288 140,292 200,296 262,320 300,366 312,420 296,462 250,476 200,452 140,430"
            " 110,412 92,392 66,392 48,372 46,330 36,306"
        ),
        True,
    )
    legs = line(xy("100,392 74,420 44,446 36,480 62,484 70,458 124,430"), True)
    legs += line(xy("70,384 46,394 34,416 52,430 66,412 96,404"), True)
    legs += line(xy("204,440 190,474 220,486 244,462"), True) + line(
        xy("250,450 270,490 300,490 300,440"), True
    )
    ear = curve(xy("84,290! 104,262 124,258! 122,286 108,310!"), True)
    ridge = "".join(
        line([(x, y), (x + 16, y - 16)])
        for x, y in xy(
            "120,290 138,291 156,292 174,293 192,295 210,300 228,306 246,314 262,322 276,334 288,350"
        )
    )
    ridge += "".join(line([(x, y), (x - 10, y - 22)]) for x, y in ((40, 266), (52, 268), (64, 280)))
    bristles = ""
    for row, (y, start, end) in enumerate(
        ((318, 140, 260), (346, 130, 284), (374, 130, 296), (402, 140, 300), (430, 180, 296))
    ):
        bristles += "".join(
            line([(x, y + (x - 140) * 0.2), (x + 12, y + 10 + (x - 140) * 0.2)])
            for x in range(start + row % 2 * 11, end - 20, 24)
            if y + (x - 140) * 0.2 < 462
        )
    return "".join(
        (
            paint(legs, ORANGE, 4),
            brush(ridge, 4),
            paint(body, ORANGE, 4),
            paint(ear, ORANGE, 4),
            brush(bristles, 5),
            brush(curve(xy("112,320 126,350 116,388")), 4),
            paint(circle(84, 322, 7), PAPER, 3),
            paint(circle(85, 322, 3), INK),
            brush(curve(xy("66,312 80,308 96,314")), 4),
            brush(curve(xy("48,372 66,364 84,366")), 4),
            paint(curve(xy("62,370! 56,350 66,342! 74,364!"), True), PAPER, 3),
            paint(circle(42, 282, 4) + circle(40, 298, 4), INK),
        )
    )


def cards() -> dict[str, str]:
    """Draw July's four cards."""
    return {
        "clover-boar": card(
            cloud([(30, 40, 38), (80, 26, 36), (134, 22, 32), (186, 20, 30), (240, 14, 26), (26, 84, 28)]),
            leafy("330,340 290,230 220,150 130,120"),
            leafy("330,300 300,220 270,180"),
            flowering("330,290 310,180 300,110 296,50"),
            flowering("150,120 110,80", "190,130 160,60", "210,140 206,64"),
            leafy("330,330 290,290 240,270"),
            _boar(),
            flowering("230,500 150,470 80,460 30,484"),
            leafy("330,530 280,510 210,500"),
            leafy("330,460 300,430 310,390"),
        ),
        "clover-ribbon": card(
            speckles(7),
            leafy("330,420 250,260 220,190"),
            flowering("214,200 236,110 246,40"),
            flowering("260,290 290,200 306,150"),
            leafy("330,440 240,340 180,320"),
            leafy("330,520 250,430 120,400"),
            flowering("290,450 270,400 262,370"),
            leafy("60,190 80,140 90,100"),
            flowering("110,140 70,80 40,30", "70,330 36,260 24,210", "90,300 60,240"),
            flowering("300,420 312,390"),
            leafy("330,540 290,520 240,500"),
            ribbon(126, 74, RED, -1),
        ),
        "clover-chaff-1": card(
            leafy(
                "14,500 80,420 160,300",
                "14,500 130,440 250,300",
                "14,520 130,460 210,440",
                "30,480 40,400 30,320",
            ),
            flowering("126,260 124,200 90,130 96,60", "130,330 54,250 40,180", "150,310 146,230 160,160"),
            flowering("230,330 262,260 280,160", "200,440 260,420 306,410", "160,230 140,120 100,60"),
        ),
        "clover-chaff-2": card(
            leafy(
                "330,420 260,330 220,190",
                "330,400 250,270 60,280",
                "330,520 270,430 170,430",
                "300,360 280,240 290,200",
            ),
            flowering(
                "220,220 216,140 226,70", "200,280 120,180 80,60", "150,160 140,120", "240,370 150,340 40,400"
            ),
            flowering("200,460 130,430 50,440"),
        ),
    }
