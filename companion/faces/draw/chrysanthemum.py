"""September: the sake cup by the chrysanthemums."""

import math

from companion.faces.draw.canvas import (
    COAL,
    PURPLE,
    RED,
    YELLOW,
    at,
    brush,
    card,
    circle,
    curve,
    paint,
    polar,
    xy,
)
from companion.faces.draw.motifs import cloud, drop, leaf, ribbon, speckles


def bloom(x: float, y: float, size: float, pointed: bool = False) -> str:
    """An open chrysanthemum: rings of petals, red and yellow by turns, seen from a little above."""
    drawn = ""
    for count, far, length, fat in ((16, 0.46, 0.56, 0.2), (14, 0.26, 0.5, 0.22), (10, 0.06, 0.4, 0.24)):
        for color, first in ((YELLOW, 0), (RED, 1)):
            petals = ""
            for index in range(first, count, 2):
                turn = index * 360 / count
                px, py = polar(x, y, far * size, turn)
                grow = leaf if pointed else drop
                petals += grow(px, y + (py - y) * 0.86, length * size, turn, fat)
            drawn += paint(petals, color, 3)
    return drawn + paint(circle(x, y, 0.1 * size), YELLOW, 3)


def side_bloom(x: float, y: float, size: float) -> str:
    """A chrysanthemum seen from the side: a fan of petals on a dark cup."""
    drawn = ""
    for length, turns in ((1.0, range(-170, 0, 20)), (0.74, range(-150, -20, 24))):
        for color, first in ((RED, 0), (YELLOW, 1)):
            petals = "".join(
                leaf(x, y, length * size * (1 - 0.34 * math.sin(math.radians(-turn))), turn, 0.17)
                for turn in turns[first::2]
            )
            drawn += paint(petals, color, 3)
    return drawn + paint(curve([(x - 22, y - 4), (x, y + 16), (x + 22, y - 4), (x, y - 12)], True), COAL, 3)


def foliage(*places: tuple[float, float, float, float]) -> str:
    """Dark leaves (x, y, length, turn) with five round lobes."""
    shape = xy(
        "0,0! 4,-26 24,-44 44,-36! 44,-54 66,-62 84,-44 82,-26! 100,-34 120,-18 120,0 "
        "120,18 100,34 82,26! 84,44 66,62 44,54 44,36! 24,44 4,26"
    )
    drawn = ""
    for x, y, length, turn in places:
        ribs = "".join(
            curve(at(xy(text), x, y, length / 116, turn))
            for text in ("0,0 50,3 108,0", "14,0 40,-18 66,-46", "14,0 40,18 66,46", "40,2 34,-14 26,-26")
        )
        drawn += paint(curve(at(shape, x, y, length / 116, turn), True), COAL, 3) + brush(ribs, 3.5)
    return drawn


def _cup() -> str:
    bowl = curve(xy("118,266! 190,262 262,306 316,380! 290,410 230,404 176,372 132,320"), True)
    foot = curve(xy("186,376! 178,400! 220,424 256,420! 262,404"), True)
    rim = curve(xy("118,266! 190,290 262,330 316,380"))
    mark = "".join(
        curve(at(xy(stroke), 214, 340, 0.95, 34))
        for stroke in (
            "-40,-20 0,-26 40,-22",
            "0,-44 -4,-10 -30,24",
            "4,-14 24,10 44,18",
            "-20,8 10,4 24,20 4,40 -24,34",
            "40,-40 34,-6",
        )
    )
    return paint(foot, RED, 4) + paint(bowl, RED, 4) + brush(rim, 3) + brush(mark, 7)


def cards() -> dict[str, str]:
    """Draw September's four cards."""
    return {
        "chrysanthemum-sake": card(
            cloud([(70, 14, 28), (120, 16, 30), (180, 24, 32), (240, 34, 34), (290, 56, 36), (314, 104, 28)]),
            brush(curve(xy("180,130 190,200 160,280 60,380")), 12, COAL),
            foliage(
                (60, 220, 120, -96),
                (160, 190, 110, 6),
                (170, 200, 110, 70),
                (80, 330, 120, 60),
                (20, 430, 90, 60),
            ),
            side_bloom(172, 130, 92),
            bloom(66, 262, 94),
            _cup(),
            paint(curve(xy("180,470! 220,430 270,440 330,500! 330,540! 240,540!"), True), YELLOW, 3),
            brush(curve(xy("236,450 270,470 300,510")) + curve(xy("220,462 250,484 272,520")), 3),
            paint(curve(xy("0,470! 60,450 150,454 230,490 290,540! 0,540!"), True), COAL, 4),
            brush(curve(xy("30,520 100,490 200,530")) + curve(xy("14,500 70,474 140,478")), 3),
        ),
        "chrysanthemum-ribbon": card(
            speckles(9),
            brush(curve(xy("158,80 190,180 200,260 230,350")), 12, COAL),
            foliage((150, 220, 130, 176), (220, 190, 120, -30), (190, 320, 110, -40), (150, 370, 140, 168)),
            foliage((190, 430, 130, 100), (240, 300, 90, 10)),
            side_bloom(158, 82, 108),
            bloom(226, 382, 92),
            ribbon(146, 106, PURPLE, -1),
        ),
        "chrysanthemum-chaff-1": card(
            brush(curve(xy("160,110 140,180 150,300 130,430 60,540")), 16, COAL),
            brush(curve(xy("84,510 50,480 44,440")), 12, COAL),
            foliage((140, 180, 110, -150), (144, 180, 130, -10), (130, 260, 130, 180), (100, 240, 100, -140)),
            foliage((230, 290, 110, -6), (80, 330, 90, 170), (150, 380, 170, 76)),
            side_bloom(160, 104, 112),
            bloom(152, 302, 116),
        ),
        "chrysanthemum-chaff-2": card(
            brush(curve(xy("174,90 180,200 190,300 260,420 290,540")), 16, COAL),
            foliage((176, 150, 150, 172), (176, 160, 140, 8), (110, 290, 110, 190), (110, 340, 110, 140)),
            foliage((240, 380, 100, -10), (180, 380, 170, 106), (266, 430, 90, 60)),
            side_bloom(172, 90, 104),
            bloom(182, 302, 116, pointed=True),
        ),
    }
