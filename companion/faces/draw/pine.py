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
        wide = half * (1 - (1 - t) ** 2.2)
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
    legs = curve(xy("142,340 138,380 130,430 112,474")) + curve(xy("168,345 172,390 174,440 176,488"))
    toes = curve(xy("90,466 112,474 126,490")) + line(xy("112,474 96,488"))
    toes += curve(xy("152,500 176,488 198,496")) + line(xy("176,488 170,506"))
    tail = "".join(
        blade(xy(points), 26)
        for points in (
            "190,320 222,338 250,350",
            "188,326 218,354 242,376",
            "178,330 206,366 222,396",
            "168,332 186,366 196,396",
        )
    )
    body = curve(
        xy(
            "48,150 44,178 50,212 62,240 64,268 84,304 124,336 172,348 214,336 240,318! 222,282 186,252 140,240"
            " 104,246 82,236 74,210 72,176 80,152"
        ),
        True,
    )
    neck = curve(xy("46,160 44,190 54,222 66,240 64,256! 78,250 90,238 76,216 70,186 72,168"), True)
    feathers = "".join(
        curve(xy(points))
        for points in (
            "104,252 96,276 112,296 128,280",
            "128,280 126,304 146,314 158,296",
            "158,296 160,320 180,324 190,306",
            "130,244 122,262 134,276 150,266",
            "150,266 150,284 168,292 180,280",
            "180,280 186,300 204,300 210,290",
            "160,246 154,258 164,268 178,262",
            "178,262 182,276 196,278 202,270",
            "190,306 200,326 222,322",
        )
    )
    head = curve(xy("44,146 50,130 66,124 84,130 88,144 78,158 60,164 46,158"), True)
    beak = curve(xy("80,130! 120,108 160,98! 124,124 86,148!"), True)
    return "".join(
        (
            brush(legs + toes, 7),
            brush(legs, 2, PAPER),
            paint(tail, COAL, 2),
            paint(body, PAPER, 4),
            brush(feathers, 3.5),
            paint(neck, INK),
            paint(beak, PAPER, 3),
            brush(line(xy("84,140 156,100")), 2.5),
            paint(head, RED, 3.5),
            paint(circle(66, 140, 4), PAPER, 3),
        )
    )


def cards() -> dict[str, str]:
    """Draw January's four cards."""
    sun = paint(circle(290, 22, 148), RED, 4)
    return {
        "pine-crane": card(
            sun,
            pine((322, 176), (300, 540), 78),
            pine((12, 290), (14, 540), 62),
            _crane(),
            pine((92, 396), (44, 560), 64),
            pine((196, 402), (252, 570), 74),
        ),
        "pine-ribbon": card(
            speckles(1),
            pine((212, 100), (222, 430), 72),
            pine((40, 238), (52, 540), 70),
            pine((316, 420), (230, 570), 90),
            pine((90, 432), (170, 590), 96),
            ribbon(58, 80, RED, 1, "あかよろし"),
        ),
        "pine-chaff-1": card(
            pine((258, 100), (252, 540), 74),
            pine((30, 236), (34, 540), 70),
            pine((138, 396), (196, 590), 90),
            pine((104, 396), (60, 590), 90),
        ),
        "pine-chaff-2": card(
            pine((20, 100), (38, 540), 80),
            pine((318, 222), (312, 540), 60),
            pine((142, 300), (70, 600), 96),
            pine((166, 370), (230, 600), 100),
        ),
    }
