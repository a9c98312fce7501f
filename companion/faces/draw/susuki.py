"""August: the moon over the grass hill, geese."""

from companion.faces.draw.canvas import (
    COAL,
    INK,
    ORANGE,
    PAPER,
    RED,
    Point,
    at,
    brush,
    card,
    circle,
    curve,
    paint,
    xy,
)


def hill(top: float, flip: bool = False) -> str:
    """The bare hill of pampas grass: one dark mass with long arcs of grass."""
    points = [
        (0.0, top + 44),
        (60.0, top + 14),
        (130.0, top),
        (210.0, top + 10),
        (280.0, top + 40),
        (340.0, top + 76),
    ]
    arcs: list[list[Point]] = []
    for row in range(6):
        base = top + 50 + row * 42
        for start, lift in ((-40, 26), (90, 34), (220, 22)):
            x = start + (row % 2) * 60
            arcs.append(
                [
                    (x, base + 40),
                    (x + 60, base + 40 - lift),
                    (x + 150, base + 36 - lift),
                    (x + 230, base + 50),
                ]
            )
    if flip:
        points = [(330 - x, y) for x, y in reversed(points)]
        arcs = [[(330 - x, y) for x, y in arc] for arc in arcs]
    mass = curve(
        [points[0], *points, points[-1], (340.0, 560.0), (340.0, 560.0), (-10.0, 560.0), (-10.0, 560.0)], True
    )
    return paint(mass, COAL, 5) + brush("".join(curve(arc) for arc in arcs), 4)


def goose(x: float, y: float, size: float, turn: float) -> str:
    """A wild goose flying to the left: long neck stretched out, wings spread, dark quills."""

    def put(text: str, close: bool = True) -> str:
        return curve(at(xy(text), x, y, size, turn), close)

    far = put("-8,-4! 6,-34 40,-56 92,-62! 84,-50 88,-42! 74,-38 76,-28! 60,-24 58,-14! 40,0 20,4", True)
    near = put("-16,2! -2,26 36,44 84,40! 80,30 86,22! 72,18 76,8! 58,2 36,-4 8,-6", True)
    body = put("-96,12! -78,2 -52,0 -28,-8 4,-10 34,-2! 16,14 -16,14 -40,10 -66,12 -84,16", True)
    quills = "".join(
        put(text, False)
        for text in (
            "6,-16 40,-44 84,-58",
            "14,-10 44,-32 80,-42",
            "22,-4 46,-20 70,-28",
            "-4,12 30,32 78,36",
            "4,6 36,20 80,24",
            "10,0 40,8 70,10",
        )
    )
    return (
        paint(far, ORANGE, 4)
        + paint(near, ORANGE, 4)
        + brush(quills, 5)
        + paint(body, ORANGE, 4)
        + paint(put("-98,14! -80,0 -56,-1! -54,11 -70,13 -86,18"), RED, 3)
        + paint(circle(*at([(-74, 6)], x, y, size, turn)[0], 2), INK)
    )


def cards() -> dict[str, str]:
    """Draw August's four cards."""
    moon = paint(circle(146, 156, 118), PAPER, 4)
    return {
        "susuki-moon": card(moon, hill(292), background=RED),
        "susuki-geese": card(
            goose(222, 70, 0.86, -12), goose(108, 118, 0.98, 0), goose(222, 184, 0.98, -14), hill(284)
        ),
        "susuki-chaff-1": card(hill(278)),
        "susuki-chaff-2": card(hill(246, flip=True)),
    }
