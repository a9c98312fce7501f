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
    line,
    mirrored,
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
    """A wild goose flying to the left, wings up and down."""

    def put(text: str, close: bool = True) -> str:
        return curve(at(xy(text), x, y, size, turn), close)

    far = put("-10,-4! -6,-30 20,-54 70,-66! 60,-44 66,-34! 50,-24 54,-14! 30,4")
    near = put("-14,4! 0,30 40,48 96,44! 80,32 82,22! 64,18 64,8! 30,-6")
    body = put("-70,14! -56,2 -30,-4 0,-12 40,-10 74,-2! 66,8 84,18! 40,16 0,14 -34,12 -56,14")
    quills = (
        put("0,-26 26,-36 50,-52", False) + put("6,-14 30,-20 46,-30", False) + put("4,20 34,32 70,38", False)
    )
    quills += put("18,10 44,20 68,26", False)
    return (
        paint(far, ORANGE, 3.5)
        + paint(body, ORANGE, 3.5)
        + paint(near, ORANGE, 3.5)
        + brush(quills, 3)
        + paint(put("-72,16! -58,0 -40,-2! -42,10 -54,12"), RED, 3)
    )


def cards() -> dict[str, str]:
    """Draw August's four cards."""
    moon = paint(circle(146, 156, 118), PAPER, 4)
    return {
        "susuki-moon": card(moon, hill(292), ground=RED),
        "susuki-geese": card(
            goose(240, 62, 1.1, -14), goose(110, 128, 1.1, -4), goose(232, 164, 1.1, -12), hill(284)
        ),
        "susuki-chaff-1": card(hill(278)),
        "susuki-chaff-2": card(hill(246, flip=True)),
    }
