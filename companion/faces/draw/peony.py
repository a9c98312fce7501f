"""June: butterflies over the peony."""

from companion.faces.draw.canvas import (
    COAL,
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
    mirrored,
    paint,
    polar,
    xy,
)
from companion.faces.draw.motifs import cloud, ribbon, speckles, veins


def bloom(x: float, y: float, size: float) -> str:
    """An open peony: rings of broad ruffled petals, seen from a little above."""
    petal = xy("-0.1,0! -0.34,0.3 -0.36,0.62 -0.16,0.78 0,0.7! 0.2,0.8 0.36,0.6 0.32,0.28 0.1,0!")
    petals = []
    for count, far, scale in ((8, 0.24, 0.98), (7, 0.1, 0.84), (5, 0, 0.64)):
        for index in range(count):
            turn = index * 360 / count + count * 9
            put = at(petal, *polar(x, y, far * size, turn + 90), size * scale, turn)
            petals.append(curve([(px, y + (py - y) * 0.84) for px, py in put], True))
    cup = curve(at(xy("-30,-14! -16,12 0,20 20,12 32,-12! 16,-22 0,-18 -14,-24"), x, y, size / 118), True)
    heart = "".join(line(at([(dx, -10), (dx * 0.7, 12)], x, y, size / 118)) for dx in (-20, -10, 0, 10, 20))
    return layer(petals, RED, 4) + paint(cup, RED, 4) + brush(heart, 4)


def young(x: float, y: float, size: float) -> str:
    """A peony just opening: a few broad petals folded over each other."""

    def put(text: str) -> str:
        return paint(curve(at(xy(text), x, y, size / 50), True), RED, 4)

    return "".join(
        (
            put("-24,-30! -50,-34 -62,-6 -46,20 -20,34 0,20!"),
            put("24,-30! 50,-34 62,-6 46,20 20,34 0,20!"),
            put("-30,-34! -14,-56 0,-48! 16,-58 32,-34! 30,0 0,14 -30,0"),
            put("-34,-6! -12,4 0,-4! 14,6 34,-6! 38,22 20,42 0,34! -20,44 -38,22"),
        )
    )


def foliage(*places: tuple[float, float, float, float]) -> str:
    """Dark leaves (x, y, length, turn) with three pointed lobes each."""
    shape = xy("0,0! 6,-26 30,-44 62,-54! 60,-36 68,-28! 88,-28 112,0! 88,28 68,28! 60,36 62,54! 30,44 6,26")
    drawn = ""
    for x, y, length, turn in places:
        ribs = veins(x, y, length * 0.85, (turn,))
        ribs += veins(*polar(x, y, length * 0.12, turn), length * 0.5, (turn - 36, turn + 36))
        drawn += paint(curve(at(shape, x, y, length / 112, turn), True), COAL, 3) + brush(ribs, 3.5)
    return drawn


def butterfly(x: float, y: float, size: float, turn: float) -> str:
    """A butterfly with open wings, seen from above."""

    def put(points: list[Point], close: bool = True) -> str:
        return curve(at(points, x, y, size, turn), close)

    fore, hind = xy("4,-6! 20,-40 52,-56 74,-46! 70,-14 40,4 6,4!"), xy("6,2! 40,2 58,20 50,44 28,48 10,26")
    wings = "".join(put(wing) + put(mirrored(wing)) for wing in (hind, fore))
    spots = "".join(
        circle(*at([(side * px, py)], x, y, size, turn)[0], radius * size)
        for side in (-1, 1)
        for px, py, radius in ((58, -40, 9), (50, -16, 7), (34, 28, 10))
    )
    inner = put(xy("4,-6! 18,-28 36,-30! 34,-10 6,2!"))
    inner += put(mirrored(xy("4,-6! 18,-28 36,-30! 34,-10 6,2!")))
    feelers = put(xy("-2,-26 -10,-44 -22,-52"), False) + put(xy("2,-26 10,-44 22,-52"), False)
    return (
        paint(wings, YELLOW, 3.5)
        + paint(spots + inner, RED, 3)
        + brush(feelers, 3)
        + paint(put(xy("0,-30! 8,-10 6,30 0,40! -6,30 -8,-10")), RED, 3)
    )


def cards() -> dict[str, str]:
    """Draw June's four cards."""
    return {
        "peony-butterflies": card(
            cloud([(120, 20, 30), (170, 24, 34), (224, 34, 36), (280, 46, 40), (312, 84, 34)]),
            foliage((70, 300, 120, -130), (130, 280, 110, -60), (190, 300, 120, -24), (20, 270, 90, -100)),
            foliage((70, 430, 130, 90), (160, 430, 140, 50), (210, 410, 110, 20)),
            bloom(106, 346, 122),
            butterfly(98, 118, 1.02, -14),
            butterfly(234, 184, 1.02, 22),
        ),
        "peony-ribbon": card(
            speckles(6),
            brush(curve(xy("130,70 160,140 190,250 230,330")), 14, COAL),
            foliage((110, 80, 100, -160), (130, 80, 110, -14), (160, 210, 110, 30), (140, 230, 130, 176)),
            foliage(
                (200, 280, 130, -46),
                (230, 290, 110, -10),
                (190, 430, 110, 100),
                (240, 430, 110, 50),
                (140, 430, 110, 150),
            ),
            young(122, 62, 42),
            bloom(230, 362, 104),
            ribbon(132, 116, PURPLE, -1),
        ),
        "peony-chaff-1": card(
            brush(curve(xy("210,130 240,180 240,260 200,330")), 16, COAL),
            foliage(
                (130, 90, 130, -176),
                (230, 200, 110, -50),
                (210, 250, 130, -10),
                (110, 280, 110, -120),
                (70, 320, 90, -170),
            ),
            foliage((90, 430, 120, 150), (220, 430, 140, 70), (270, 420, 90, 20), (130, 450, 90, 100)),
            brush(curve(xy("250,80 290,60 320,90")), 12, COAL),
            young(200, 96, 66),
            bloom(174, 352, 128),
        ),
        "peony-chaff-2": card(
            brush(curve(xy("196,90 180,180 150,250")), 16, COAL),
            foliage((190, 80, 110, -160), (200, 76, 120, -8), (186, 130, 110, 36)),
            foliage(
                (70, 280, 130, -100),
                (220, 270, 110, -40),
                (80, 430, 130, 130),
                (190, 430, 130, 62),
                (250, 400, 100, 24),
            ),
            young(196, 70, 46),
            bloom(122, 344, 118),
        ),
    }
