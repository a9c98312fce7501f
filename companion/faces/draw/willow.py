"""November: the man in the rain, the swallow, the storm, all under the willow."""

import math

from companion.faces.draw.canvas import (
    BLUE,
    COAL,
    INK,
    ORANGE,
    PAPER,
    PURPLE,
    RED,
    YELLOW,
    Point,
    along,
    brush,
    card,
    circle,
    curve,
    ellipse,
    layer,
    line,
    paint,
    polar,
    xy,
)
from companion.faces.draw.motifs import blade, ribbon


def boughs(*stems: tuple[str, float]) -> str:
    """Hanging boughs (line from top to tip, width), with narrow leaves along both edges."""
    leaves, ribs = "", ""
    masses = []
    for text, width in stems:
        points = xy(text)
        walk = along(points, 14)
        sides: dict[int, list[Point]] = {-1: [], 1: []}
        for index, (x, y, turn) in enumerate(walk):
            t = index / (len(walk) - 1)
            half = width / 2 * math.sqrt(min(1, t / 0.16)) * (1 - t**1.8)
            for side, edge in sides.items():
                point = polar(x, y, half, turn + 90 * side)
                edge.append(point)
                if t > 0.2:
                    leaves += line([point, polar(*point, 26, turn + 24 * side)])
            if index % 2 and 0.1 < t < 0.8:
                ribs += line(
                    [
                        polar(x, y, half * 0.8, turn - 90),
                        polar(x, y, 16, turn),
                        polar(x, y, half * 0.8, turn + 90),
                    ]
                )
        masses.append(curve([*sides[1], *reversed(sides[-1])], True))
        ribs += curve(points)
    return brush(leaves, 5) + layer(masses, COAL, 3) + brush(ribs, 3.5)


def _rainman() -> str:
    robe = curve(
        xy(
            "152,208! 140,244 136,290 112,330 104,350! 136,362! 148,340"
            " 144,376! 232,378! 228,336 244,356! 266,344! 250,300"
            " 262,262! 226,206! 190,196"
        ),
        True,
    )
    sleeve = curve(xy("210,222! 240,250 262,262! 252,282! 222,276"), True)
    folds = (
        curve(xy("172,214 184,240 204,210"))
        + curve(xy("150,290 190,298 232,288"))
        + curve(xy("190,298 186,340 190,376"))
    )
    folds += curve(xy("160,300 158,340")) + curve(xy("216,300 220,350"))
    skirt = line(xy("146,378 230,378 236,418 142,418"), True)
    shoes = line(xy("152,418 152,440 176,440 176,418"), True) + line(
        xy("200,418 200,440 224,440 224,418"), True
    )
    face = ellipse(180, 178, 20, 26)
    hat = curve(
        xy("158,166! 156,146 168,138! 166,122 186,118 196,128 192,142! 204,152 202,170! 182,156!"), True
    )
    canopy = curve(xy("142,132! 170,100 218,82 268,94 306,128! 260,140 194,142"), True)
    spokes = curve(xy("160,126 194,110 226,104 258,108 288,122"))
    ribs = "".join(line([(224, 84), (x, 138)]) for x in (166, 192, 220, 248, 278))
    pole = line(xy("226,104 258,272"))
    return "".join(
        (
            brush(canopy, 16, PAPER),  # invisible if drawn black on the black willow
            brush(pole, 7),
            paint(canopy, COAL, 4),
            brush(ribs, 3),
            brush(spokes, 6, YELLOW),
            brush(line(xy("224,88 225,70")), 5),
            paint(shoes, YELLOW, 3),
            paint(skirt, PURPLE, 4),
            paint(robe, RED, 4),
            brush(folds, 3.5),
            paint(sleeve, RED, 4),
            paint(circle(256, 270, 8), PAPER, 3),
            paint(face, PAPER, 4),
            paint(hat, INK),
            brush(line(xy("172,178 178,178")) + line(xy("186,178 192,178")) + line(xy("180,194 186,194")), 3),
        )
    )


def _frog() -> str:
    body = curve(xy("44,384! 60,380 76,396 92,420 104,452 88,470 54,462 36,430 34,402"), True)
    limbs = curve(xy("40,430 20,440 26,462 18,476")) + curve(xy("92,440 114,436 112,460 128,472"))
    limbs += curve(xy("60,464 36,478 50,492")) + curve(xy("84,468 100,482 86,494"))
    return (
        brush(limbs, 13)
        + brush(limbs, 7, ORANGE)
        + paint(body, ORANGE, 4)
        + paint(circle(52, 396, 5), INK)
        + brush(curve(xy("58,424 70,440 74,458")), 3)
    )


def _swallow() -> str:
    tails = [
        blade(xy("110,296 160,380 182,440 178,504"), 44),
        blade(xy("122,286 190,366 240,440 270,518"), 46),
    ]
    far = curve(
        xy("98,246! 116,214 156,198 226,206! 210,218 216,228! 196,232 200,244! 178,248 178,260! 140,282"),
        True,
    )
    near = curve(xy("72,258! 44,278 24,318 28,352! 42,336 54,342! 62,324 76,328! 86,310 116,300"), True)
    body = curve(xy("52,236! 70,214 100,222 132,262 152,314! 126,322 96,300 72,270"), True)
    head = curve(xy("22,262! 46,240 54,220 78,210 100,226! 90,254 66,264 46,256!"), True)
    lines = "".join(
        curve(xy(points))
        for points in (
            "116,240 150,220 206,212",
            "126,250 158,232 196,230",
            "134,264 158,246 182,244",
            "36,330 52,294 74,270",
            "54,326 68,300 86,282",
            "76,316 86,304 98,294",
            "122,312 164,390 180,470",
            "140,306 200,386 250,480",
            "128,330 140,324",
            "142,356 158,348",
            "158,388 172,380",
            "160,332 178,322",
            "180,362 198,350",
            "204,398 222,386",
        )
    )
    return "".join(
        (
            layer(tails, RED, 4),
            layer((far, body, near), YELLOW, 4),
            paint(head, RED, 4),
            brush(lines, 4),
            paint(circle(74, 232, 5), PAPER, 3),
        )
    )


def _storm() -> str:
    left = curve(xy("14,110! 80,104 150,110 200,130 214,180 216,300 214,420 196,454 150,450! 14,440!"), True)
    right = curve(xy("330,100! 280,108 264,130 260,200 262,320 264,420 280,446 330,448!"), True)
    claw = curve(
        xy(
            "150,14! 172,60 200,96 226,110! 234,220 236,340 230,420!"
            " 180,452 110,470 60,480! 70,500! 140,496 214,486"
            " 268,474! 252,440! 250,300 250,180 244,100! 280,70 316,50! 316,30! 260,56 220,80 184,20!"
        ),
        True,
    )
    rain = "".join(line([(x, 14), (x - 90, 120)]) for x in range(60, 420, 34))
    rain += "".join(line([(14, y), (316, y + 3)]) for y in (462, 476, 490, 504, 516))
    rain += "".join(line([(222, y), (258, y - 14)]) for y in range(140, 430, 20))
    grooves = line(xy("238,120 240,430")) + line(xy("246,118 248,430"))
    grooves += (
        curve(xy("160,30 190,70 226,96"))
        + curve(xy("250,92 276,72 312,44"))
        + curve(xy("80,490 160,478 240,458"))
    )
    flashes = "".join(
        line(xy(points))
        for points in (
            "30,220 70,180 62,210 110,160 100,196 150,150",
            "40,320 90,270 80,300 140,240",
            "120,320 170,250 164,290 200,250",
        )
    )
    drum = circle(130, 376, 56)
    whorls = (
        circle(130, 376, 40)
        + curve(xy("130,352 150,370 132,386 116,372 124,360"))
        + "".join(circle(*polar(130, 376, 48, turn), 4) for turn in range(0, 360, 45))
    )
    return "".join(
        (
            brush(rain, 4),
            paint(left + right, COAL, 5),
            brush(flashes, 5, INK),
            paint(drum, COAL, 5),
            brush(whorls, 4),
            paint(claw, RED, 5),
            brush(grooves, 3.5),
        )
    )


def cards() -> dict[str, str]:
    """Draw November's four cards."""
    streams = "".join(
        curve(xy(points))
        for points in (
            "0,344 50,322 90,340 130,330 180,344",
            "200,330 260,322 310,346 250,372 290,400 330,396",
            "240,420 290,424 330,416",
        )
    )
    return {
        "willow-rainman": card(
            paint(curve(xy("14,14! 120,14! 80,60 50,120 36,200 14,230!"), True), ORANGE, 4),
            brush(curve(xy("80,14 50,80 24,160")), 3),
            brush(streams, 24),
            brush(streams, 17, BLUE),
            boughs(
                ("70,30 44,110 40,210 34,330", 70),
                ("96,30 96,110 104,190 112,280", 60),
                ("300,-60 304,80 308,200 304,340", 70),
            ),
            boughs(("130,-60 136,0 132,60 136,116", 70), ("186,-90 188,-30 190,20 188,66", 70)),
            boughs(("246,-90 250,-30 258,20 262,70", 80), ("60,-60 70,10 70,60 66,110", 60)),
            paint(curve(xy("0,490! 80,466 160,460 240,462 330,446! 330,540! 0,540!"), True), COAL, 4),
            paint(
                line(xy("214,450 236,440 262,530 240,536"), True)
                + line(xy("296,440 274,438 256,530 280,534"), True),
                ORANGE,
                4,
            ),
            _frog(),
            _rainman(),
        ),
        "willow-swallow": card(
            boughs(
                ("30,-30 20,140 24,320 30,500", 26),
                ("150,-40 150,60 140,120 130,190", 40),
                ("170,-40 180,60 182,120 186,190", 30),
            ),
            boughs(
                ("110,14 70,100 40,180 30,270", 120),
                ("220,14 236,110 252,220 262,340", 110),
                ("304,-40 296,160 300,360 300,560", 60),
            ),
            _swallow(),
        ),
        "willow-ribbon": card(
            paint(curve(xy("14,340! 50,390 100,440 150,540! 60,540! 40,470 14,440!"), True), COAL, 4),
            brush(curve(xy("20,380 60,430 96,530")), 3),
            boughs(("20,-40 20,100 24,200 26,330", 60), ("318,-40 318,100 316,200 314,330", 60)),
            boughs(
                ("60,0 56,140 72,280 96,430", 96),
                ("240,14 250,130 272,270 292,400", 120),
                ("130,-10 132,30 134,60 136,120", 90),
            ),
            ribbon(76, 74, RED),
        ),
        "willow-lightning": card(_storm(), background=RED),
    }
