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
    brush,
    card,
    circle,
    curve,
    ellipse,
    line,
    paint,
    polar,
    xy,
)
from companion.faces.draw.motifs import blade, cloud, ribbon


def strands(*stems: tuple[str, float]) -> str:
    """Hanging boughs (line from top to tip, width): dark, with narrow leaves along both edges."""
    leaves, masses, ribs = "", "", ""
    for text, width in stems:
        points = xy(text)
        masses += blade(points, width)
        ribs += curve(points)
        total = sum(math.dist(a, b) for a, b in zip(points, points[1:], strict=False))
        done = 0.0
        for a, b in zip(points, points[1:], strict=False):
            length, turn = math.dist(a, b), math.degrees(math.atan2(b[1] - a[1], b[0] - a[0]))
            for step in range(int(length // 13)):
                half = width / 2 * (1 - ((done + step * 13) / total) ** 1.5)
                spot = polar(*a, step * 13, turn)
                for side in (-1, 1):
                    edge: Point = polar(*spot, half, turn + 90 * side)
                    leaves += line([edge, polar(*edge, 24, turn + 26 * side)])
            done += length
    return brush(leaves, 4) + paint(masses, COAL, 3) + brush(ribs, 4)


def _rainman() -> str:
    robe = curve(
        xy(
            "152,208! 140,244 136,290 112,330 104,350! 136,362! 148,340 144,376! 232,378! 228,336 244,356! 266,344! 250,300"
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
    canopy = curve(xy("152,142! 176,122 214,108 250,114 286,128! 250,146 200,150"), True)
    spokes = curve(xy("160,140 216,122 276,130"))
    pole = line(xy("220,118 258,272"))
    return "".join(
        (
            paint(shoes, YELLOW, 3),
            paint(skirt, PURPLE, 4),
            paint(robe, RED, 4),
            brush(folds, 3.5),
            brush(pole, 7),
            paint(sleeve, RED, 4),
            paint(circle(256, 270, 8), PAPER, 3),
            paint(face, PAPER, 4),
            paint(hat, INK),
            brush(line(xy("172,178 178,178")) + line(xy("186,178 192,178")) + line(xy("180,194 186,194")), 3),
            paint(canopy, COAL, 4),
            brush(spokes, 5, YELLOW),
            brush(line(xy("220,118 222,96")), 5),
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
    tails = blade(xy("110,300 160,380 180,440 178,500"), 40) + blade(
        xy("120,290 190,370 240,440 268,516"), 40
    )
    far = curve(
        xy("100,250! 116,216 150,200 224,204! 206,218 212,228! 190,234 194,246! 170,250 170,262! 130,280"),
        True,
    )
    near = curve(xy("70,262! 44,282 26,320 34,350! 44,334 56,338! 62,322 76,324! 82,308 112,300"), True)
    body = curve(xy("52,236! 70,216 98,224 128,262 152,312! 128,322 96,300 74,272"), True)
    head = curve(xy("38,252! 52,226 76,212 100,228! 88,252 66,262!"), True)
    lines = "".join(
        curve(xy(points))
        for points in (
            "120,244 150,222 196,212",
            "132,258 158,240 190,238",
            "42,312 54,290 74,276",
            "58,320 70,300 86,288",
            "126,320 164,390 178,460",
            "140,312 200,390 244,470",
        )
    )
    return "".join(
        (
            paint(tails, RED, 4),
            paint(far, YELLOW, 4),
            paint(body, YELLOW, 4),
            paint(near, YELLOW, 4),
            paint(head, RED, 4),
            brush(lines, 3.5),
            paint(circle(72, 234, 5), PAPER, 3),
        )
    )


def _storm() -> str:
    left = curve(xy("14,110! 80,104 150,110 200,130 214,180 216,300 214,420 196,454 150,450! 14,440!"), True)
    right = curve(xy("330,100! 280,108 264,130 260,200 262,320 264,420 280,446 330,448!"), True)
    claw = curve(
        xy(
            "150,14! 172,60 200,96 226,110! 234,220 236,340 230,420! 180,452 110,470 60,480! 70,500! 140,496 214,486"
            " 268,474! 252,440! 250,300 250,180 244,100! 280,70 316,50! 316,30! 260,56 220,80 184,20!"
        ),
        True,
    )
    rain = "".join(line([(x, 14), (x - 90, 120)]) for x in range(60, 420, 34))
    rain += "".join(line([(14, y), (316, y + 2)]) for y in (492, 508, 520))
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
            brush(line(xy("242,130 242,430")), 3),
        )
    )


def cards() -> dict[str, str]:
    """Draw November's four cards."""
    stream = "0,330 50,320 90,340 130,330 170,350 220,330 280,336 320,356 270,380 316,400"
    return {
        "willow-rainman": card(
            paint(curve(xy("14,14! 110,14! 70,70 40,130 30,240 14,250!"), True), ORANGE, 4),
            brush(curve(xy(stream)), 20),
            brush(curve(xy(stream)), 14, BLUE),
            strands(
                ("150,0 150,40 190,110 216,190", 60),
                ("230,0 220,40 190,70 160,90", 60),
                ("90,50 60,120 52,240 40,360", 60),
                ("110,40 130,120 134,190 150,280", 46),
                ("290,0 290,100 300,200 310,310", 60),
            ),
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
            strands(
                ("90,20 60,90 36,180 30,250", 100),
                ("210,20 220,90 240,180 256,320", 90),
                ("290,0 290,180 300,360 306,540", 50),
                ("150,0 140,80 120,130 118,170", 30),
                ("20,200 26,320 30,420 24,500", 14),
            ),
            _swallow(),
        ),
        "willow-ribbon": card(
            paint(curve(xy("14,340! 50,400 110,440 150,540! 60,540! 40,470 14,440!"), True), COAL, 4),
            strands(
                ("50,10 50,120 66,260 90,420", 80),
                ("230,20 240,120 264,260 284,400", 100),
                ("130,0 134,30 136,70", 90),
                ("310,0 312,100 312,260", 40),
                ("20,10 20,120 22,240 20,330", 40),
            ),
            ribbon(76, 74, RED),
        ),
        "willow-lightning": card(_storm(), ground=RED),
    }
