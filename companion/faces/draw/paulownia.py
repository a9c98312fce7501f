"""December: the phoenix over the paulownia, its leaves and flower spikes."""

from companion.faces.draw.canvas import (
    COAL,
    INK,
    ORANGE,
    PAPER,
    PURPLE,
    RED,
    YELLOW,
    Point,
    at,
    brush,
    card,
    circle,
    curve,
    layer,
    line,
    paint,
    polar,
    xy,
)
from companion.faces.draw.motifs import blade, drop, sprays


def spike(x: float, y: float, height: float, size: float = 1, lean: float = 0) -> str:
    """A flower spike: an open bell at its foot, buds in pairs up the stem."""
    stem = [(x, y), (x + lean * 0.4, y - height * 0.5), (x + lean, y - height)]
    step = 36 * size
    buds = sprays([stem], PURPLE, _bud, length=38 * size, spacing=step, spread=44, start=44 * size)
    outline: list[Point] = []
    for petal in range(5):
        a = 90 + petal * 72
        outline += [polar(x, y, 46 * size, a), polar(x, y, 26 * size, a + 36)]
    bell = line(outline, True)
    rays = "".join(
        line([polar(x, y, 6, turn), polar(x, y, 20 * size, turn)]) for turn in (-150, -120, -90, -60, -30)
    )
    return buds + paint(bell, PURPLE, 4) + brush(rays, 3)


def _bud(x: float, y: float, length: float, turn: float) -> str:
    return drop(x, y, length, turn, 0.3)


def foliage(*places: tuple[float, float, float, float]) -> str:
    """Broad dark leaves (x, y, length, turn), each heart-shaped and pointed."""
    shape = xy("0,0! -6,-40 30,-62 64,-56 84,-44! 104,-24 130,0! 104,24 84,44! 64,56 30,62 -6,40")
    drawn = ""
    for x, y, length, turn in places:
        vein = "".join(
            curve(at(xy(text), x, y, length / 130, turn))
            for text in (
                "0,0 60,2 120,0",
                "16,0 36,-24 62,-50",
                "16,0 36,24 62,50",
                "54,0 76,-18 96,-28",
                "54,0 76,18 96,28",
            )
        )
        drawn += paint(curve(at(shape, x, y, length / 130, turn), True), COAL, 4) + brush(vein, 4)
    return drawn


def _phoenix() -> str:
    feathers = []
    for start, length, fat, turns in (
        (150, 110, 0.17, range(-78, 40, 11)),
        (112, 84, 0.2, range(-82, 40, 13)),
        (76, 70, 0.24, range(-86, 42, 16)),
        (40, 66, 0.26, range(-80, 46, 22)),
    ):
        for turn in turns:
            feathers.append(drop(*polar(112, 144, start, turn), length, turn + 14, fat))
    quills = "".join(
        line([polar(112, 144, 162, turn), polar(112, 144, 250, turn + 5)]) for turn in range(-78, 40, 11)
    )
    tails = [
        blade(xy(points), 34)
        for points in (
            "8,140 16,240 50,300 124,336",
            "14,230 40,290 80,318 140,322",
            "330,240 300,300 250,330 184,338",
            "300,250 270,296 230,318 176,324",
        )
    ]
    head = curve(
        xy(
            "40,64! 60,60 72,76! 88,50 104,68! 118,46 132,70! 150,58 154,84!"
            " 178,92 172,116! 196,132 178,152! 184,180 152,176!"
            " 134,206 92,226 48,214 28,184! 22,150 34,110"
        ),
        True,
    )
    wattle = circle(66, 196, 30) + circle(66, 196, 18) + circle(66, 196, 7)
    crest = "".join(circle(x, y, 6) for x, y in ((64, 94), (86, 86), (108, 90), (130, 98), (150, 112)))
    eye = curve(xy("84,136! 112,112 150,130! 116,150!"), True)
    cheek = curve(xy("100,170 120,164 140,150")) + curve(xy("106,184 130,176 152,158"))
    beak = curve(xy("36,140! 12,156 16,194! 40,188 66,160!"), True)
    return "".join(
        (
            layer(feathers, PURPLE, 4),
            brush(quills, 3),
            layer(tails, RED, 3),
            paint(head, RED, 4),
            paint(crest, YELLOW, 3),
            paint(eye, PAPER, 4),
            paint(circle(116, 130, 8), INK),
            brush(cheek, 3),
            paint(wattle, RED, 4),
            paint(beak, YELLOW, 3),
        )
    )


def _mark(x: float, y: float, size: float) -> str:
    """The two characters of 花札, hanafuda, where a maker's name stands on old decks."""
    flower = (
        "10,22 90,20",
        "34,8 34,36",
        "66,8 66,36",
        "40,40 12,70",
        "28,58 28,96",
        "84,46 58,62",
        "56,40 56,84 66,92 92,90 92,78",
    )
    label = ("8,30 46,28", "28,8 28,96", "28,32 6,66", "30,40 46,56", "66,8 64,84 72,92 94,90 94,76")
    strokes = ""
    for index, character in enumerate((flower, label)):
        left = x - 50 * size + (index * 2 - 1) * 84
        strokes += "".join(line(at(xy(text), left, y, size)) for text in character)
    return brush(strokes, 6)


def cards() -> dict[str, str]:
    """Draw December's four cards."""
    rays = "".join(
        line([polar(112, 144, 60, turn), polar(112, 144, 420, turn)]) for turn in range(-180, 40, 6)
    )
    return {
        "paulownia-phoenix": card(
            paint(curve(xy("14,14! 316,14! 316,120! 180,60 90,46 14,96!"), True), YELLOW),
            brush(rays, 3, ORANGE),
            paint(curve(xy("14,100! 90,52 180,66 330,220! 330,540! 14,540!"), True), PAPER),
            paint(line(xy("14,450 316,430 316,530 14,530"), True), YELLOW),
            _phoenix(),
            spike(126, 346, 112, 0.95),
            spike(36, 376, 70, 0.8),
            spike(214, 370, 60, 0.7),
            foliage((60, 388, 130, 112), (264, 384, 140, 62), (160, 366, 160, 90)),
        ),
        "paulownia-yellow": card(
            paint(line(xy("14,300 316,300 316,530 14,530"), True), YELLOW),
            brush(line(xy("14,300 316,300")), 3),
            spike(188, 178, 124, 1.05, 4),
            spike(74, 204, 92, 0.95, -6),
            spike(262, 230, 54, 0.7, 10),
            foliage((80, 220, 150, 156), (250, 220, 150, 24), (168, 216, 196, 90)),
            _mark(165, 424, 0.8),
        ),
        "paulownia-chaff-1": card(
            spike(196, 196, 136, 1.05, -6),
            spike(100, 240, 92, 0.95, -8),
            spike(268, 230, 70, 0.75, 26),
            foliage((80, 280, 150, 162), (250, 264, 150, 20), (170, 254, 200, 90)),
            _mark(165, 456, 0.66),
        ),
        "paulownia-chaff-2": card(
            spike(146, 186, 140, 1.05, 4),
            spike(56, 190, 100, 0.95),
            spike(256, 232, 96, 0.85, 10),
            foliage((74, 216, 130, 172), (250, 250, 140, 10), (218, 230, 196, 62), (116, 222, 190, 112)),
        ),
    }
