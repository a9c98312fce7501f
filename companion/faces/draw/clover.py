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
from companion.faces.draw.motifs import cloud, drop, leaf, ribbon, speckles, sprays


def _petal(x: float, y: float, length: float, turn: float) -> str:
    return drop(x, y, length, turn, 0.3)


def _leaf(x: float, y: float, length: float, turn: float) -> str:
    return leaf(x, y, length, turn, 0.28)


def flowering(*stems: str) -> str:
    """Tips of the bush: red flowers in pairs along a stem."""
    return sprays(map(xy, stems), RED, _petal, length=31, spacing=33, spread=48, start=16)


def leafy(*stems: str) -> str:
    """The lower stems, with dark pointed leaves."""
    return sprays(map(xy, stems), COAL, _leaf, length=44, spacing=44, spread=58, start=24)


def _boar() -> str:
    body = curve(
        xy(
            "34,270! 46,262 60,282! 96,288 140,292 200,296 262,320"
            " 300,366 312,420 296,462 250,476 200,452 140,430"
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
            leafy("330,300 286,240 220,180 140,150", "330,340 304,300 262,280"),
            flowering("146,156 112,110 90,60", "206,166 184,112 178,50", "296,210 284,130 276,50"),
            leafy("330,190 322,130 316,80"),
            _boar(),
            leafy("330,540 280,510 200,500", "330,470 300,430 306,390"),
            flowering("220,500 150,474 80,466 34,484"),
        ),
        "clover-ribbon": card(
            speckles(7),
            leafy("330,440 274,330 236,220"),
            flowering("232,230 244,130 250,50", "280,290 296,210 306,160"),
            leafy("330,460 260,360 180,330", "90,150 96,120 98,90"),
            flowering("96,110 66,66 38,34", "90,330 60,270 30,220"),
            flowering("300,420 270,380 250,364"),
            leafy("330,530 250,440 120,404", "330,560 280,510 240,490"),
            ribbon(126, 74, RED, -1),
        ),
        "clover-chaff-1": card(
            leafy(
                "14,500 70,410 130,280",
                "20,500 130,430 232,320",
                "10,520 100,466 200,444",
                "14,500 30,410 30,330",
            ),
            flowering("130,290 130,190 96,60", "236,320 266,250 284,160", "200,444 250,420 300,416"),
            flowering("90,330 50,260 34,190", "132,230 160,170 166,120"),
        ),
        "clover-chaff-2": card(
            leafy("330,420 270,320 226,210", "330,400 220,300 70,272", "330,540 270,440 170,430"),
            flowering("226,220 222,140 228,70", "190,290 120,200 80,70", "150,210 146,150"),
            leafy("330,330 300,260 290,200"),
            flowering("250,370 150,346 44,396", "200,440 120,430 50,450"),
        ),
    }
