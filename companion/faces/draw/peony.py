"""June: butterflies over the peony."""

from companion.faces.draw.canvas import (
    COAL,
    INK,
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
    mirrored,
    paint,
    polar,
    xy,
)
from companion.faces.draw.motifs import cloud, ribbon, speckles, veins


def bloom(x: float, y: float, size: float) -> str:
    """An open peony: rings of round petals, seen from a little above."""
    drawn = ""
    for ring, (count, far, radius) in enumerate(((9, 0.66, 0.38), (8, 0.44, 0.32), (6, 0.22, 0.24))):
        petals = "".join(
            circle(px, y + (py - y) * 0.86, radius * size)
            for px, py in (polar(x, y, far * size, ring * 20 + index * 360 / count) for index in range(count))
        )
        drawn += paint(petals, RED, 4)
    heart = "".join(
        line([(x + dx * size, y - 0.02 * size), (x + dx * 1.5 * size, y - 0.2 * size)])
        for dx in (-0.2, -0.1, 0, 0.1, 0.2)
    )
    return drawn + paint(circle(x, y - 0.02 * size, 0.2 * size), RED, 3) + brush(heart, 4)


def young(x: float, y: float, size: float, turn: float = -90) -> str:
    """A peony just opening."""
    petals = "".join(
        paint(circle(*polar(x, y, size * 0.5, turn + off), size * 0.52), RED, 4)
        for off in (-80, 80, 150, 210, -30, 30)
    )
    return petals + paint(circle(x, y, size * 0.42), RED, 4)


def foliage(*places: tuple[float, float, float, float]) -> str:
    """Jagged dark leaves (x, y, length, turn), three pointed lobes each."""
    shape = xy("0,0! 20,-26 44,-46! 52,-30 84,-40! 82,-20 112,0! 84,14 86,38! 56,26 46,44! 24,24")
    leaves = "".join(curve(at(shape, x, y, length / 112, turn), True) for x, y, length, turn in places)
    ribs = "".join(
        veins(x, y, length * 0.85, (turn,))
        + veins(*polar(x, y, length * 0.25, turn), length * 0.42, (turn - 32, turn + 32))
        for x, y, length, turn in places
    )
    return paint(leaves, COAL, 3) + brush(ribs, 3)


def butterfly(x: float, y: float, size: float, turn: float) -> str:
    """A butterfly with open wings, seen from above."""

    def put(points: list[Point], close: bool = True) -> str:
        return curve(at(points, x, y, size, turn), close)

    fore, hind = xy("4,-6! 20,-40 52,-56 74,-46! 70,-14 40,4 6,4!"), xy("6,2! 40,2 58,20 50,44 28,48 10,26")
    wings = "".join(put(wing) + put(mirrored(wing)) for wing in (hind, fore))
    spots = "".join(
        circle(*at([(side * px, py)], x, y, size, turn)[0], radius * size)
        for side in (-1, 1)
        for px, py, radius in ((54, -34, 9), (38, -16, 7), (36, 26, 9))
    )
    feelers = put(xy("-2,-26 -10,-44 -22,-52"), False) + put(xy("2,-26 10,-44 22,-52"), False)
    return (
        paint(wings, YELLOW, 3.5)
        + paint(spots, RED, 3)
        + brush(feelers, 3)
        + paint(put(xy("0,-30! 8,-10 6,30 0,40! -6,30 -8,-10")), RED, 3)
    )


def cards() -> dict[str, str]:
    """Draw June's four cards."""
    return {
        "peony-butterflies": card(
            cloud([(120, 20, 30), (170, 24, 34), (224, 34, 36), (280, 46, 40), (312, 84, 34)]),
            foliage(
                (80, 280, 110, -140),
                (120, 270, 100, -80),
                (180, 280, 120, -30),
                (60, 440, 110, 80),
                (180, 430, 130, 40),
                (220, 400, 110, 10),
            ),
            bloom(106, 348, 118),
            butterfly(86, 112, 1.05, -14),
            butterfly(238, 178, 1.05, 22),
        ),
        "peony-ribbon": card(
            speckles(6),
            brush(curve(xy("130,70 160,140 190,250 230,330")), 14, COAL),
            foliage(
                (110, 90, 90, -150),
                (130, 90, 100, -20),
                (160, 200, 100, 30),
                (130, 250, 120, 170),
                (200, 240, 120, -50),
                (220, 230, 100, 0),
                (190, 420, 110, 100),
                (240, 430, 100, 50),
                (120, 420, 100, 140),
            ),
            young(122, 62, 40),
            bloom(228, 366, 96),
            ribbon(132, 116, PURPLE, -1),
        ),
        "peony-chaff-1": card(
            brush(curve(xy("210,130 240,180 240,260 200,330")), 16, COAL),
            foliage(
                (120, 90, 110, -160),
                (240, 180, 100, -60),
                (210, 230, 110, -10),
                (90, 260, 90, -140),
                (60, 300, 90, 170),
                (110, 430, 110, 140),
                (200, 430, 120, 60),
                (250, 400, 90, 20),
            ),
            young(196, 100, 62),
            bloom(176, 352, 122),
        ),
        "peony-chaff-2": card(
            brush(curve(xy("196,90 180,180 150,250")), 16, COAL),
            foliage(
                (190, 80, 110, -150),
                (200, 90, 130, -10),
                (190, 110, 110, 40),
                (100, 240, 130, -110),
                (200, 240, 100, -40),
                (240, 280, 100, -10),
                (90, 430, 120, 120),
                (200, 430, 130, 60),
                (250, 390, 100, 20),
            ),
            young(196, 74, 42),
            bloom(124, 342, 122),
        ),
    }
