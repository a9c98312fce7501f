"""December: the phoenix over the paulownia, its leaves and flower spikes."""

from companion.faces.draw.canvas import (
    COAL,
    INK,
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
    line,
    paint,
    polar,
    xy,
)
from companion.faces.draw.motifs import blade, drop, spray


def spike(x: float, y: float, height: float, size: float = 1, lean: float = 0) -> str:
    """A flower spike: an open bell at its foot, buds in pairs up the stem."""
    top = (x + lean, y - height)
    stem, buds = spray(
        [(x, y), (x + lean * 0.4, y - height * 0.5), top], 46 * size, 34 * size, _bud, 52, 46 * size
    )
    outline: list[Point] = []
    for petal in range(5):
        a = 90 + petal * 72
        outline += [polar(x, y, 46 * size, a), polar(x, y, 26 * size, a + 36)]
    bell = line(outline, True)
    rays = "".join(
        line([polar(x, y, 6, turn), polar(x, y, 20 * size, turn)]) for turn in (-150, -120, -90, -60, -30)
    )
    return brush(stem, 4) + paint(buds, PURPLE, 3.5) + paint(bell, PURPLE, 4) + brush(rays, 3)


def _bud(x: float, y: float, length: float, turn: float) -> str:
    return drop(x, y, length, turn, 0.36)


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
    plume = curve(
        xy("100,70! 150,20 230,14 330,14! 330,290! 300,260 260,250 220,220 196,170 160,120 120,100"), True
    )
    scales = ""
    for radius in (60, 92, 124, 156, 188):
        scales += curve([polar(126, 170, radius, turn) for turn in range(-88, 36, 20)])
    barbs = "".join(
        line([polar(126, 170, 62, turn), polar(126, 170, 200, turn + 8)]) for turn in range(-80, 34, 11)
    )
    tails = "".join(
        blade(xy(points), 22)
        for points in (
            "18,150 14,230 50,300 120,330",
            "20,200 30,270 70,310 130,316",
            "220,200 250,270 220,320 170,336",
            "250,240 262,290 240,320 190,330",
        )
    )
    head = curve(
        xy(
            "42,60! 62,56 74,74! 90,52 104,66! 116,48 130,70! 150,60 152,84! 176,96 168,120! 188,140 170,160! 164,176 130,180"
            " 120,206 84,224 44,212 30,180! 24,150 34,110"
        ),
        True,
    )
    curl = circle(70, 186, 24) + circle(70, 186, 12)
    crest = "".join(circle(x, y, 5) for x, y in ((64, 92), (84, 86), (104, 88), (124, 94), (142, 106)))
    eye = curve(xy("84,132! 110,114 142,126! 114,142!"), True)
    beak = curve(xy("34,150! 14,166 22,196! 40,188 58,160!"), True)
    return "".join(
        (
            paint(plume, PURPLE, 4),
            brush(barbs + scales, 3.5),
            paint(tails, RED, 3),
            paint(head, RED, 4),
            paint(crest, YELLOW, 2),
            paint(eye, PAPER, 4),
            paint(circle(114, 128, 6), INK),
            paint(curl, RED, 4),
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
    sunray = "".join(line([(330, 14), polar(330, 14, 330, turn)]) for turn in range(90, 181, 6))
    return {
        "paulownia-phoenix": card(
            paint(line(xy("14,14 316,14 316,290 200,40 14,120"), True), YELLOW),
            brush(sunray, 3),
            _phoenix(),
            paint(line(xy("14,440 316,420 316,530 14,530"), True), YELLOW),
            spike(120, 346, 96, 0.95),
            spike(30, 370, 60, 0.8),
            spike(206, 360, 60, 0.6),
            foliage((60, 390, 120, 110), (270, 390, 120, 70), (160, 370, 150, 90)),
        ),
        "paulownia-yellow": card(
            paint(line(xy("14,310 316,310 316,530 14,530"), True), YELLOW),
            brush(line(xy("14,310 316,310")), 3),
            spike(180, 164, 130),
            spike(68, 194, 90, 0.9),
            spike(250, 240, 40, 0.5),
            foliage((70, 226, 140, 150), (260, 226, 140, 30), (170, 220, 180, 90)),
            _mark(165, 420, 0.8),
        ),
        "paulownia-chaff-1": card(
            spike(196, 196, 136),
            spike(108, 240, 70, 0.9),
            spike(270, 226, 60, 0.6, 20),
            foliage((70, 290, 140, 160), (270, 280, 140, 20), (170, 260, 190, 90)),
            _mark(165, 450, 0.66),
        ),
        "paulownia-chaff-2": card(
            spike(150, 180, 140),
            spike(52, 180, 90, 0.9),
            spike(250, 240, 90, 0.7, 10),
            foliage((60, 226, 130, 170), (180, 240, 180, 70), (130, 240, 170, 100), (220, 240, 130, 20)),
        ),
    }
