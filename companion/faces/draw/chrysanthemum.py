"""September: the sake cup by the chrysanthemums."""

import math

from companion.faces.draw.canvas import (
    COAL,
    PURPLE,
    RED,
    YELLOW,
    at,
    blob,
    brush,
    card,
    circle,
    curve,
    paint,
    polar,
    xy,
)
from companion.faces.draw.motifs import cloud, drop, leaf, ribbon, speckles, veins


def bloom(x: float, y: float, size: float, pointed: bool = False) -> str:
    """An open chrysanthemum: rings of petals, red and yellow by turns, seen from a little above."""
    drawn = ""
    for count, far, length, fat in ((16, 0.46, 0.56, 0.2), (14, 0.26, 0.5, 0.22), (10, 0.06, 0.4, 0.24)):
        for colour, first in ((YELLOW, 0), (RED, 1)):
            petals = ""
            for index in range(first, count, 2):
                turn = index * 360 / count
                px, py = polar(x, y, far * size, turn)
                grow = leaf if pointed else drop
                petals += grow(px, y + (py - y) * 0.86, length * size, turn, fat)
            drawn += paint(petals, colour, 3)
    return drawn + paint(circle(x, y, 0.1 * size), YELLOW, 3)


def side_bloom(x: float, y: float, size: float) -> str:
    """A chrysanthemum seen from the side: a fan of petals on a dark cup."""
    drawn = ""
    for length, turns in ((1.0, range(-170, 0, 20)), (0.74, range(-150, -20, 24))):
        for colour, first in ((RED, 0), (YELLOW, 1)):
            petals = "".join(
                leaf(x, y, length * size * (1 - 0.34 * math.sin(math.radians(-turn))), turn, 0.17)
                for turn in turns[first::2]
            )
            drawn += paint(petals, colour, 3)
    return drawn + paint(curve([(x - 22, y - 4), (x, y + 16), (x + 22, y - 4), (x, y - 12)], True), COAL, 3)


def foliage(*places: tuple[float, float, float, float]) -> str:
    """Dark leaves (x, y, length, turn) with round lobes."""
    drawn = ""
    for x, y, length, turn in places:
        lobes = "".join(
            circle(*polar(x, y, far * length, turn + off), radius * length)
            for far, off, radius in (
                (0.3, 0, 0.28),
                (0.5, -42, 0.24),
                (0.5, 42, 0.24),
                (0.72, -14, 0.22),
                (0.72, 14, 0.22),
            )
        )
        drawn += blob(lobes, COAL, 2) + brush(veins(x, y, length * 0.8, (turn - 26, turn, turn + 26)), 3)
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
                (60, 190, 90, -110),
                (170, 190, 100, 20),
                (180, 180, 90, 80),
                (80, 340, 100, 60),
                (30, 440, 80, 60),
            ),
            side_bloom(172, 130, 88),
            bloom(66, 264, 92),
            _cup(),
            paint(curve(xy("180,470! 220,430 270,440 330,500! 330,540! 240,540!"), True), YELLOW, 3),
            paint(curve(xy("0,470! 60,450 150,454 230,490 290,540! 0,540!"), True), COAL, 4),
            brush(curve(xy("30,520 100,490 200,530")), 3),
        ),
        "chrysanthemum-ribbon": card(
            speckles(9),
            brush(curve(xy("158,80 190,180 200,260 230,350")), 12, COAL),
            foliage(
                (130, 210, 110, 180),
                (230, 170, 100, -20),
                (190, 300, 110, -40),
                (130, 370, 120, 170),
                (200, 420, 120, 110),
                (240, 300, 90, 10),
            ),
            side_bloom(158, 82, 104),
            bloom(226, 382, 88),
            ribbon(146, 106, PURPLE, -1),
        ),
        "chrysanthemum-chaff-1": card(
            brush(curve(xy("160,110 130,200 160,300 130,420 60,530")), 14, COAL),
            brush(curve(xy("60,520 40,470 50,430")), 12, COAL),
            foliage(
                (140, 170, 90, -160),
                (140, 170, 120, 0),
                (130, 220, 130, 160),
                (250, 290, 90, 0),
                (70, 310, 80, 180),
                (150, 380, 140, 80),
            ),
            side_bloom(160, 104, 108),
            bloom(152, 302, 112),
        ),
        "chrysanthemum-chaff-2": card(
            brush(curve(xy("174,90 180,200 170,300 250,420 290,530")), 14, COAL),
            foliage(
                (170, 140, 130, 170),
                (180, 150, 130, 10),
                (110, 270, 100, 180),
                (90, 330, 100, 130),
                (230, 380, 100, -20),
                (190, 380, 150, 100),
                (270, 400, 80, 60),
            ),
            side_bloom(172, 90, 100),
            bloom(182, 302, 112, pointed=True),
        ),
    }
