"""May: the plank bridge through the irises."""

from companion.faces.draw.canvas import (
    BLUE,
    COAL,
    ORANGE,
    PAPER,
    PURPLE,
    RED,
    YELLOW,
    at,
    brush,
    card,
    curve,
    ellipse,
    layer,
    line,
    paint,
    xy,
)
from companion.faces.draw.motifs import blade, cloud, drop, ribbon, speckles


def blades(*stems: str, width: float = 56) -> str:
    """Sword leaves, from the foot up to the tip."""
    shapes = "".join(blade(xy(stem), width) for stem in stems)
    ribs = "".join(curve(xy(stem)[:-1]) for stem in stems)
    return paint(shapes, COAL, 3) + brush(ribs, 3)


def flower(x: float, y: float, size: float = 1) -> str:
    """An iris: three drooping petals, small ones standing above them."""
    standing = "".join(
        drop(x + dx * size, y, length * size, turn, 0.24)
        for dx, length, turn in ((-14, 78, -124), (14, 84, -60), (-8, 60, -104), (6, 64, -80))
    )
    left = curve(at(xy("-10,-4! -36,-30 -74,-22 -92,12 -94,38! -60,46 -30,38 -8,16!"), x, y, size), True)
    right = curve(at(xy("10,-4! 36,-30 74,-22 92,12 98,36! 62,46 30,38 8,16!"), x, y, size), True)
    middle = curve(at(xy("0,0! -34,14 -42,50 -24,76 0,98! 24,76 42,50 34,14"), x, y, size), True)
    seams = curve(at(xy("0,14 2,50 0,84"), x, y, size)) + curve(at(xy("-20,8 -56,2 -84,28"), x, y, size))
    seams += curve(at(xy("20,8 56,2 86,28"), x, y, size))
    white = [
        drop(x + dx * size, y + 6 * size, length * size, turn, 0.17)
        for dx, length, turn in ((-22, 44, -112), (20, 46, -66), (-3, 54, -92))
    ]
    return (
        paint(standing, PURPLE, 3.5)
        + paint(left + right, PURPLE, 3.5)
        + layer(white, PAPER, 3)
        + paint(middle, PURPLE, 3.5)
        + brush(seams, 3)
    )


def _bridge() -> str:
    water = line(xy("14,400 316,420 316,530 14,530"), True)
    ripples = "".join(
        curve(xy(points))
        for points in (
            "14,440 60,436 110,444",
            "20,460 70,452 120,462",
            "180,446 240,440 316,448",
            "150,500 220,492 316,500",
            "190,520 260,512 316,516",
            "240,470 280,464 316,468",
        )
    )
    far = line(xy("0,330 150,410 110,444 0,372"), True)
    near = line(xy("14,530 14,506 250,372 316,384 70,530"), True)
    planks = line(xy("0,350 132,424")) + line(xy("30,520 284,378"))

    def post(x: float, top: float) -> str:
        side = line([(x - 22, top), (x + 22, top), (x + 22, top + 96), (x - 22, top + 96)], True)
        return paint(side, ORANGE, 4) + paint(ellipse(x, top, 22, 11), RED, 4)

    return "".join(
        (
            paint(water, BLUE, 3),
            brush(ripples, 3),
            post(180, 366),
            paint(far, YELLOW, 4),
            post(62, 420),
            paint(near, YELLOW, 4),
            brush(planks, 3.5),
            post(228, 446),
        )
    )


def cards() -> dict[str, str]:
    """Draw May's four cards."""
    bud = paint(drop(262, 290, 56, -88, 0.24), PURPLE, 3) + paint(drop(262, 320, 44, -90, 0.24), YELLOW, 3)
    return {
        "iris-bridge": card(
            cloud([(290, 36, 42), (236, 44, 36), (186, 34, 34), (300, 84, 26)]),
            cloud([(50, 14, 30), (20, 10, 26)]),
            blades(
                "100,460 110,300 100,150 60,40",
                "70,460 60,300 40,200 10,120",
                "160,460 180,300 230,180 320,110",
                "30,460 28,380 20,320 10,270",
                "200,460 210,340 214,260 196,190",
            ),
            blades("250,460 250,350 264,300 300,290", "290,520 296,440 310,400 324,380", width=44),
            flower(124, 196, 1.1),
            _bridge(),
        ),
        "iris-ribbon": card(
            speckles(5),
            blades("210,540 220,380 260,230 330,90", "150,540 150,360 110,220 4,130", width=76),
            blades(
                "110,540 96,420 60,360 10,330",
                "80,540 60,480 36,440 10,420",
                "180,540 190,440 196,380 196,330",
                "240,540 250,450 280,400 324,370",
                "270,540 284,490 300,460 324,440",
                "140,540 130,420 124,360 130,310",
            ),
            brush(curve(xy("262,350 258,420 230,520")), 5),
            bud,
            flower(92, 306),
            ribbon(80, 60, RED),
        ),
        "iris-chaff-1": card(
            blades("206,540 214,380 250,240 330,80", "140,540 136,380 100,250 4,110", width=70),
            blades(
                "100,540 96,440 70,350 14,270",
                "174,540 184,440 194,350 204,270",
                "80,540 70,460 44,390 10,350",
                "230,540 240,440 280,370 330,330",
                "260,540 280,480 300,440 330,410",
                "60,540 50,500 34,470 10,440",
                "130,540 120,470 110,400 96,340",
            ),
            brush(curve(xy("160,330 156,420 170,530")), 12),
            brush(curve(xy("160,330 156,420 170,530")), 5, YELLOW),
            flower(152, 226, 1.08),
        ),
        "iris-chaff-2": card(
            blades("206,540 226,380 264,240 330,70", width=74),
            blades(
                "100,540 90,430 80,340 66,280",
                "150,540 140,430 130,350 140,270",
                "190,540 214,440 234,360 234,290",
                "60,540 70,430 50,340 20,330",
                "240,540 260,450 290,400 330,370",
                "260,540 280,490 300,470 330,450",
                "40,540 30,480 24,450 10,430",
                "90,540 80,480 60,430 20,390",
            ),
            brush(curve(xy("166,330 160,420 168,530")), 12),
            brush(curve(xy("166,330 160,420 168,530")), 5, YELLOW),
            brush(curve(xy("160,400 180,360 186,330")), 5, YELLOW),
            flower(140, 246, 1.08),
        ),
    }
