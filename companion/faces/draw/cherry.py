"""March: the festival curtain under the cherry, blossoms."""

from companion.faces.draw.canvas import (
    COAL,
    PAPER,
    PINK,
    PURPLE,
    RED,
    YELLOW,
    Point,
    brush,
    card,
    curve,
    line,
    paint,
    polar,
    xy,
)
from companion.faces.draw.motifs import drop, leaf, ribbon, speckles


def blossom(x: float, y: float, size: float = 40, color: str = RED, turn: float = 0) -> str:
    """A cherry blossom: five petals with a notch in each, stamens like a star."""
    outline: list[Point] = []
    rays = ""
    for petal in range(5):
        a = turn - 90 + petal * 72
        outline += [
            polar(x, y, size * far, a + off)
            for far, off in (
                (0.64, -36),
                (0.86, -31),
                (1.03, -18),
                (1.04, -7),
                (0.88, 0),
                (1.04, 7),
                (1.03, 18),
                (0.86, 31),
            )
        ]
        rays += line([polar(x, y, size * 0.1, a), polar(x, y, size * 0.5, a)])
        rays += line([polar(x, y, size * 0.1, a + 36), polar(x, y, size * 0.38, a + 36)])
    return paint(line(outline, True), color, 3.5) + brush(rays, 3)


def leaves(*places: tuple[float, float, float]) -> str:
    """Small dark leaves (x, y, turn) that show between the blossoms."""
    shapes = "".join(leaf(x, y, 40, turn, 0.3) for x, y, turn in places)
    ribs = "".join(line([(x, y), polar(x, y, 36, turn)]) for x, y, turn in places)
    return paint(shapes, COAL, 2.5) + brush(ribs, 2)


def closed(*places: tuple[float, float, float]) -> str:
    """Buds (x, y, turn) on long stalks."""
    stalks = "".join(line([(x, y), polar(x, y, 34, turn)]) for x, y, turn in places)
    heads = "".join(drop(*polar(x, y, 26, turn), 26, turn, 0.36) for x, y, turn in places)
    return brush(stalks, 3) + paint(heads, RED, 3)


def _curtain() -> str:
    def band(top: float, height: float, color: str) -> str:
        upper = [(0.0, top), (90.0, top + 16), (200.0, top + 30), (340.0, top + 36)]
        lower = [(x, y + height + x * 0.03) for x, y in reversed(upper)]
        return paint(curve([upper[0], *upper, upper[-1], lower[0], *lower, lower[-1]], True), color, 4)

    tabs = ""
    for x, y in xy("40,277 98,289 156,297 214,303 272,307"):
        tabs += paint(
            line([(x - 11, y), (x + 11, y + 2), (x + 11, y + 34), (x - 11, y + 32)], True), YELLOW, 3
        )
        tabs += brush(line([(x - 9, y + 4), (x + 9, y + 30)]) + line([(x + 9, y + 4), (x - 9, y + 30)]), 2.5)
    return "".join(
        (
            band(498, 60, COAL),
            band(388, 116, RED),
            band(282, 108, PURPLE),
            band(264, 26, PAPER),
            band(250, 18, COAL),
            tabs,
        )
    )


def cards() -> dict[str, str]:
    """Draw March's four cards."""
    return {
        "cherry-curtain": card(
            leaves(
                (60, 30, -150),
                (20, 190, 160),
                (110, 215, 100),
                (186, 150, 20),
                (186, 60, -60),
                (290, 150, 20),
                (294, 40, -40),
                (30, 240, 60),
                (280, 240, 40),
                (170, 250, 90),
                (120, 40, -60),
            ),
            closed((110, 50, -80), (280, 180, -10), (250, 40, -60), (270, 60, -10), (20, 120, 170)),
            blossom(56, 32, 38, PINK),
            blossom(214, 40, 36, PINK, 20),
            blossom(62, 86, 46),
            blossom(126, 132, 44, RED, 15),
            blossom(224, 98, 46, RED, 30),
            blossom(66, 180, 44, PINK, 10),
            blossom(198, 182, 42, PINK, 25),
            blossom(268, 196, 40, RED, 5),
            blossom(128, 222, 44, RED, 30),
            blossom(232, 242, 46),
            blossom(300, 250, 36, PINK),
            _curtain(),
        ),
        "cherry-ribbon": card(
            speckles(3),
            leaves(
                (40, 70, -130),
                (90, 200, 60),
                (232, 30, -80),
                (270, 120, -20),
                (60, 470, 120),
                (290, 160, 20),
                (280, 230, 20),
                (250, 450, 30),
                (50, 260, -60),
                (276, 420, 0),
                (210, 340, -40),
                (40, 190, 160),
            ),
            closed((60, 80, 200), (250, 60, -30), (40, 240, -70), (250, 450, 70), (30, 440, 130)),
            blossom(112, 70, 42, PINK),
            blossom(206, 62, 46, RED, 20),
            blossom(66, 126, 46, RED, 10),
            blossom(158, 90, 40),
            blossom(252, 156, 42, PINK, 10),
            blossom(234, 216, 44, RED, 30),
            blossom(50, 310, 42, PINK),
            blossom(72, 372, 46, RED, 15),
            blossom(84, 454, 42, PINK, 20),
            blossom(192, 432, 46, RED, 30),
            blossom(228, 364, 42, PINK, 10),
            ribbon(138, 112, RED, -1, "みよしの"),
        ),
        "cherry-chaff-1": card(
            paint(
                curve(
                    xy(
                        "330,60! 290,110 272,170 262,220 282,270 252,310"
                        " 214,270! 206,282! 240,340 262,400 262,450 222,440"
                        " 200,448! 250,480 282,540! 330,540!"
                    ),
                    True,
                ),
                COAL,
                4,
            ),
            brush(curve(xy("300,150 290,210 306,300 296,400 312,480")), 3),
            leaves(
                (200, 70, -160),
                (250, 150, 60),
                (60, 270, 120),
                (120, 170, -70),
                (36, 200, -150),
                (230, 230, -20),
                (150, 260, 100),
                (100, 350, -120),
                (150, 350, -60),
                (50, 440, 160),
                (190, 460, 60),
                (282, 70, -30),
            ),
            closed((110, 200, -120), (60, 230, 190), (90, 350, -60)),
            blossom(212, 54, 40, PINK),
            blossom(226, 104, 48, RED, 15),
            blossom(140, 190, 44, PINK, 10),
            blossom(68, 240, 46, RED, 20),
            blossom(190, 256, 46, RED, 5),
            blossom(54, 408, 42, RED, 10),
            blossom(128, 384, 46, RED, 30),
            blossom(178, 420, 42, RED, 15),
            blossom(120, 442, 46, PINK, 0),
        ),
        "cherry-chaff-2": card(
            paint(
                curve(
                    xy(
                        "14,450! 80,420 140,410 196,424! 172,360 196,300 150,230"
                        " 110,210! 130,196! 180,210 206,240 250,190!"
                        " 268,202! 230,270 232,320 220,400 240,470! 150,480 60,540! 14,540!"
                    ),
                    True,
                ),
                COAL,
                4,
            ),
            brush(curve(xy("40,490 110,450 180,450")), 3),
            leaves(
                (60, 80, -130),
                (110, 70, -50),
                (180, 130, 60),
                (230, 50, -120),
                (280, 50, -30),
                (270, 200, 60),
                (280, 330, -30),
                (130, 380, 200),
                (250, 250, -40),
                (280, 400, 20),
                (180, 470, 110),
                (60, 210, 130),
            ),
            closed((90, 80, -100), (60, 220, 110), (250, 310, -60), (120, 370, 180), (230, 470, 70)),
            blossom(52, 128, 44, RED),
            blossom(126, 114, 44, PINK, 10),
            blossom(86, 180, 48, RED, 25),
            blossom(252, 88, 44, RED, 15),
            blossom(262, 140, 40, PINK),
            blossom(240, 186, 46, RED, 30),
            blossom(146, 340, 46, RED),
            blossom(232, 336, 42, PINK, 20),
            blossom(152, 410, 44, RED, 15),
            blossom(214, 392, 46, RED, 5),
            blossom(212, 452, 44, PINK, 30),
        ),
    }
