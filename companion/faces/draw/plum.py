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
    return "".join(paint(blade(xy(points), width, width * 0.4), COAL, 4) for points, width in limbs)


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
                "86,380! 130,340 200,338 222,352! 200,372 158,384 190,410"
                " 262,446 330,470! 330,540! 250,540! 220,494"
                " 150,450 94,420"
            ),
            True,
        ),
        COAL,
        4,
    )
    bark = brush(curve(xy("110,390 136,430 200,470")) + curve(xy("150,420 210,450 290,480")), 3.5)
    return {
        "plum-warbler": card(
            cloud([(20, 40, 46), (70, 24, 40), (118, 30, 34), (52, 90, 42), (18, 130, 40)]),
            cloud([(300, 30, 48), (250, 24, 38), (306, 92, 36)]),
            brush(curve(xy("180,100 220,150 256,190")), 10),
            _wood(("330,190 280,240 262,290", 24)),
            buds((212, 130), (238, 166)),
            side_blossom(280, 190, 40),
            trunk,
            bark,
            _wood(("24,540 34,440 20,380 30,290", 12), ("30,450 60,410 60,350", 8)),
            side_blossom(262, 384, 40),
            buds((196, 370), (24, 500), (206, 484)),
            side_blossom(124, 488, 44),
            _warbler(),
        ),
        "plum-ribbon": card(
            speckles(2),
            _wood(("60,250 44,190 80,110 124,14", 34), ("110,250 160,190 200,120 228,62", 24)),
            _wood(("50,560 130,480 200,400 250,360 312,318", 58), ("230,370 226,320 236,250 240,220", 24)),
            _wood(("10,440 30,490 70,550", 14), ("60,400 76,440 100,500", 14), ("14,330 40,352 90,380", 14)),
            buds((46, 52), (40, 204), (206, 322), (76, 430), (54, 490), (120, 400), (150, 320), (90, 466)),
            side_blossom(128, 90, 48),
            side_blossom(238, 250, 48),
            side_blossom(62, 346, 50),
            ribbon(68, 130, RED, 1, "あかよろし"),
        ),
        "plum-chaff-1": card(
            _wood(("20,560 110,460 150,440 190,420", 56), ("330,446 250,480 210,450 190,420", 18)),
            _wood(("96,400 58,330 52,220 50,116", 26), ("206,390 216,300 222,180 228,74", 28)),
            _wood(
                ("52,300 34,296 28,290", 10), ("60,280 76,274 90,260", 10), ("222,300 246,312 258,310", 10)
            ),
            _wood(("224,230 240,226 254,222", 10), ("218,200 204,190 192,176", 10)),
            buds((30, 284), (88, 258), (100, 316), (192, 172), (254, 224), (252, 312), (20, 440), (266, 350)),
            side_blossom(204, 364, 48),
            side_blossom(96, 390, 50),
            side_blossom(174, 410, 44),
            buds((146, 466), (260, 396)),
        ),
        "plum-chaff-2": card(
            _wood(("300,570 200,510 130,470 90,410", 54), ("66,310 56,210 46,120 40,24", 32)),
            _wood(("200,420 240,330 268,230 272,128", 28), ("216,370 222,290 226,190", 16)),
            _wood(
                ("54,190 68,190 78,186", 10), ("44,140 30,140 20,136", 10), ("262,290 278,300 290,300", 10)
            ),
            _wood(("236,420 270,400 296,384", 14), ("222,290 214,280 206,272", 10)),
            buds(
                (22, 136), (80, 186), (204, 268), (292, 222), (292, 300), (298, 384), (152, 292), (178, 330)
            ),
            side_blossom(96, 298, 52),
            open_blossom(76, 394, 64),
            side_blossom(206, 404, 50),
            buds((262, 450), (270, 484)),
        ),
    }
