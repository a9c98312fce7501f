"""February: the bush warbler on the plum, blossoms and bare twigs."""

from companion.faces.draw.canvas import (
    COAL,
    GREEN,
    INK,
    RED,
    YELLOW,
    blob,
    brush,
    card,
    circle,
    curve,
    line,
    paint,
    polar,
    xy,
)
from companion.faces.draw.motifs import blade, cloud, ribbon, speckles


def side_blossom(x: float, y: float, size: float) -> str:
    """A plum blossom seen from the side: three round petals over two small ones, a fan of stamens."""
    petals = circle(x - 0.72 * size, y, 0.56 * size) + circle(x + 0.72 * size, y, 0.56 * size)
    small = circle(x - 0.3 * size, y + 0.5 * size, 0.28 * size) + circle(
        x + 0.3 * size, y + 0.5 * size, 0.28 * size
    )
    fan = "".join(
        line([polar(x, y + 0.5 * size, 0.35 * size, turn), polar(x, y + 0.5 * size, 0.85 * size, turn)])
        for turn in range(-150, -20, 20)
    )
    return (
        blob(petals + circle(x, y - 0.3 * size, 0.66 * size), RED)
        + brush(fan, 3)
        + paint(circle(x, y + 0.3 * size, 0.1 * size), YELLOW)
        + paint(small, RED, 4)
    )


def open_blossom(x: float, y: float, size: float) -> str:
    """A plum blossom seen from above: five round petals about a yellow heart."""
    petals = "".join(circle(*polar(x, y, 0.58 * size, turn), 0.44 * size) for turn in range(-90, 270, 72))
    rays = "".join(line([(x, y), polar(x, y, 0.5 * size, turn)]) for turn in range(0, 360, 36))
    return blob(petals, RED) + brush(rays, 3) + paint(circle(x, y, 0.16 * size), YELLOW, 2)


def buds(*places: tuple[float, float]) -> str:
    """Round buds with the three seams of their closed petals."""
    balls = "".join(circle(x, y, 20) for x, y in places)
    seams = "".join(line([(x, y), polar(x, y, 20, turn)]) for x, y in places for turn in (-40, 80, 200))
    return paint(balls, RED, 4) + brush(seams, 3)


def _wood(*limbs: tuple[str, float]) -> str:
    return "".join(paint(blade(xy(points), width), COAL, 4) for points, width in limbs)


def _warbler() -> str:
    tail = curve(xy("238,308! 286,318 324,326! 324,360! 276,346 226,330!"), True)
    belly = curve(
        xy("74,166! 96,148 130,146 152,166 190,240 236,312! 214,334 178,330 132,304 106,266 98,222 92,184"),
        True,
    )
    back = curve(
        xy(
            "92,160! 116,138 148,150 176,188 220,230 262,312! 214,318 174,300 142,268 126,226 134,190 124,168"
        ),
        True,
    )
    wing = curve(xy("140,198! 132,240 156,284 206,306 258,312! 232,262 190,216"), True)
    bars = (
        curve(xy("152,222 166,264 200,292"))
        + curve(xy("168,224 190,262 224,294"))
        + curve(xy("186,228 212,262 240,298"))
    )
    legs = curve(xy("168,324 166,340 158,352")) + curve(xy("190,330 194,344 188,356"))
    return "".join(
        (
            brush(legs, 6),
            paint(tail, GREEN, 4),
            paint(belly, YELLOW, 4),
            paint(back, GREEN, 4),
            paint(wing, GREEN, 4),
            brush(bars + line(xy("262,326 318,340")), 3),
            paint(circle(118, 170, 10), RED, 3),
            paint(circle(118, 170, 4), INK),
            brush(line(xy("76,166 100,172")), 3),
        )
    )


def cards() -> dict[str, str]:
    """Draw February's four cards."""
    trunk = paint(
        curve(
            xy(
                "86,380! 130,340 200,338 222,352! 200,372 158,384 190,410 262,446 330,470! 330,540! 250,540! 220,494"
                " 150,450 94,420"
            ),
            True,
        ),
        COAL,
        4,
    )
    return {
        "plum-warbler": card(
            cloud([(20, 40, 46), (70, 24, 40), (118, 30, 34), (52, 90, 42), (18, 130, 40)]),
            cloud([(300, 30, 48), (250, 24, 38), (306, 92, 36)]),
            brush(curve(xy("180,100 220,150 256,190")), 10),
            _wood(("330,190 280,240 262,290", 24)),
            buds((212, 130), (238, 166)),
            side_blossom(280, 190, 40),
            trunk,
            _wood(("24,540 34,440 20,380 30,290", 12), ("30,450 60,410 60,350", 8)),
            side_blossom(262, 384, 40),
            buds((196, 370), (24, 500), (206, 484)),
            side_blossom(124, 488, 44),
            _warbler(),
        ),
        "plum-ribbon": card(
            speckles(2),
            _wood(("110,160 60,240 50,200 120,20", 30), ("120,230 190,120 226,60", 22)),
            _wood(
                ("60,560 190,440 260,380 320,310", 54),
                ("250,390 210,330 190,280", 22),
                ("14,440 24,500 60,540", 14),
            ),
            buds((46, 52), (40, 204)),
            side_blossom(128, 90, 46),
            side_blossom(236, 250, 46),
            side_blossom(60, 350, 46),
            buds((206, 322), (76, 430), (54, 490)),
            ribbon(68, 130, RED, 1, "あかよろし"),
        ),
        "plum-chaff-1": card(
            _wood(("20,560 110,460 150,440 190,420", 56), ("330,450 250,480 210,450 190,420", 18)),
            _wood(("90,400 64,320 54,220 52,116", 22), ("210,380 222,280 226,180 228,74", 24)),
            buds((32, 288), (86, 262), (100, 318), (194, 172), (252, 226), (176, 282), (248, 312), (22, 440)),
            side_blossom(202, 366, 44),
            side_blossom(98, 392, 46),
            side_blossom(176, 408, 40),
            buds((146, 466), (258, 398)),
        ),
        "plum-chaff-2": card(
            _wood(("290,560 190,500 130,470 90,410", 50), ("60,310 52,210 44,120 40,24", 28)),
            _wood(("200,420 240,330 270,230 272,128", 24), ("214,370 224,290 226,190", 14)),
            buds((22, 140), (80, 190), (222, 270), (290, 220), (284, 300), (294, 390), (160, 300)),
            side_blossom(96, 300, 50),
            open_blossom(80, 394, 60),
            side_blossom(206, 404, 46),
            buds((262, 450), (268, 480)),
        ),
    }
