"""January: the crane under the sun, pines."""

import math

from companion.faces.draw.canvas import (
    COAL,
    INK,
    PAPER,
    RED,
    YELLOW,
    Point,
    brush,
    card,
    circle,
    curve,
    line,
    paint,
    polar,
    xy,
)
from companion.faces.draw.motifs import blade, drop, ribbon, speckles


def pine(tip: Point, foot: Point, half: float) -> str:
    """A young pine: a dark finger of needles from foot to tip, at most 2 × half wide, with a yellow bud."""
    length = math.dist(tip, foot)
    down = math.degrees(math.atan2(foot[1] - tip[1], foot[0] - tip[0]))
    steps = max(4, round(length / 16))
    sides: dict[int, list[Point]] = {-1: [], 1: []}
    needles, ribs = "", line([tip, foot])
    for step in range(1, steps + 1):
        t = step / steps
        spine = polar(*tip, t * length, down)
        wide = half * (1 - (1 - t) ** 2.8)
        for side, edge in sides.items():
            point = polar(*spine, wide, down + 90 * side)
            edge.append(point)
            needles += line([point, polar(*point, 15, down + 180 - 38 * side)])
            if step > 1:
                ribs += line([polar(*spine, 14, down), polar(*spine, wide * 0.9, down + 118 * side)])
    mass = curve([tip, *sides[1], sides[1][-1], sides[-1][-1], *reversed(sides[-1])], True)
    bud = drop(*polar(*tip, 14, down), 32, down + 180)
    return brush(needles, 3.5) + paint(mass, COAL, 3) + brush(ribs, 3) + paint(bud, YELLOW, 3)


def _crane() -> str:
    legs = curve(xy("138,330 134,372 124,420 106,462")) + curve(xy("172,344 176,390 172,440 178,492"))
    toes = curve(xy("78,462 106,462 124,486")) + line(xy("106,462 92,480"))
    toes += curve(xy("146,508 178,492 206,496")) + line(xy("178,492 164,482"))
    tail = "".join(
        blade(xy(points), 34)
        for points in (
            "196,300 230,330 252,362",
            "190,310 220,350 238,386",
            "176,316 200,362 212,392",
            "164,320 178,360 186,384",
        )
    )
    body = curve(
        xy(
            "38,150! 36,190 50,222 76,248 84,270 92,296 116,326 150,340"
            " 190,340 226,322 250,300! 228,262 196,240 156,232"
            " 122,236 100,226 84,208 78,180 80,152!"
        ),
        True,
    )
    nape = curve(xy("40,166! 38,196 52,226 78,250 90,270! 94,250 82,226 70,206 62,180 60,160!"), True)
    feathers = "".join(
        curve(xy(points))
        for points in (
            "104,252 92,272 106,290 124,276",
            "124,276 122,300 142,310 156,292",
            "156,292 158,316 180,320 192,302",
            "132,242 120,258 132,274 150,262",
            "150,262 148,280 168,290 182,276",
            "182,276 186,296 206,300 216,288",
            "162,240 154,252 166,264 182,256",
            "182,256 188,272 204,276 212,266",
            "192,302 204,320 226,318",
        )
    )
    head = curve(xy("36,150 40,130 56,120 76,126 82,142 74,158 54,164 40,160"), True)
    beak = curve(xy("72,124! 116,102 160,96! 122,122 80,146!"), True)
    return "".join(
        (
            brush(legs, 8),
            brush(toes, 5),
            paint(tail, INK, 2),
            paint(body, PAPER, 4.5),
            brush(feathers, 4),
            paint(nape, INK, 2),
            paint(beak, PAPER, 3.5),
            brush(line(xy("78,136 156,98")), 2.5),
            paint(head, RED, 4),
            paint(circle(58, 138, 5), PAPER, 3),
            paint(circle(58, 138, 2), INK),
        )
    )


def cards() -> dict[str, str]:
    """Draw January's four cards."""
    sun = paint(circle(290, 22, 148), RED, 4)
    return {
        "pine-crane": card(
            sun,
            pine((318, 172), (300, 560), 76),
            pine((14, 290), (10, 540), 58),
            pine((88, 396), (0, 600), 60),
            pine((200, 404), (292, 600), 66),
            _crane(),
        ),
        "pine-ribbon": card(
            speckles(1),
            pine((212, 104), (220, 560), 74),
            pine((40, 238), (46, 560), 74),
            pine((316, 416), (250, 600), 90),
            pine((92, 434), (180, 610), 100),
            ribbon(58, 80, RED, 1, "あかよろし"),
        ),
        "pine-chaff-1": card(
            pine((258, 100), (252, 560), 76),
            pine((28, 236), (34, 560), 72),
            pine((132, 396), (196, 600), 90),
            pine((110, 396), (50, 600), 90),
        ),
        "pine-chaff-2": card(
            pine((20, 96), (34, 560), 78),
            pine((318, 222), (308, 560), 62),
            pine((140, 296), (60, 600), 96),
            pine((166, 370), (230, 600), 100),
        ),
    }
