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
        for dx, length, turn in ((-14, 66, -122), (12, 74, -70), (0, 56, -96))
    )
    left = curve(at(xy("-10,-4! -36,-30 -74,-22 -92,12 -94,38! -60,46 -30,38 -8,16!"), x, y, size), True)
    right = curve(at(xy("10,-4! 36,-30 74,-22 92,12 98,36! 62,46 30,38 8,16!"), x, y, size), True)
    middle = curve(at(xy("0,0! -34,14 -42,50 -24,76 0,98! 24,76 42,50 34,14"), x, y, size), True)
    seams = curve(at(xy("0,14 2,50 0,84"), x, y, size)) + curve(at(xy("-20,8 -56,2 -84,28"), x, y, size))
    seams += curve(at(xy("20,8 56,2 86,28"), x, y, size))
    white = curve(
        at(xy("0,10! -30,-4 -34,-22! -22,-14 -12,-30! -2,-16 8,-28! 16,-14 32,-24! 30,-4"), x, y, size), True
    )
    return (
        paint(standing, PURPLE, 3.5)
        + paint(left + right, PURPLE, 3.5)
        + paint(white, PAPER, 3)
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
            blades("200,530 210,360 260,220 330,100", "150,530 140,340 100,200 10,140"),
            blades(
                "110,530 96,420 60,360 10,330",
                "80,530 60,480 36,440 10,420",
                "180,530 190,440 200,380 200,320",
                "240,530 250,450 280,400 324,370",
                "270,530 284,490 300,460 324,440",
                "140,530 130,420 120,330 130,270",
            ),
            brush(curve(xy("262,350 258,420 230,520")), 5),
            bud,
            flower(92, 306),
            ribbon(80, 60, RED),
        ),
        "iris-chaff-1": card(
            blades(
                "200,530 210,370 250,230 330,90",
                "130,530 120,370 90,250 10,120",
                "100,530 96,440 70,350 14,270",
                "170,530 180,440 190,350 200,260",
                "80,530 70,460 44,390 10,350",
            ),
            blades(
                "230,530 240,440 280,370 330,330",
                "260,530 280,480 300,440 330,410",
                "60,530 50,500 34,470 10,440",
                "130,530 120,470 110,400 90,330",
                width=38,
            ),
            brush(curve(xy("160,330 156,420 170,530")), 12),
            brush(curve(xy("160,330 156,420 170,530")), 5, YELLOW),
            flower(152, 226, 1.12),
        ),
        "iris-chaff-2": card(
            blades(
                "200,530 220,370 260,240 330,80",
                "100,530 90,430 80,330 70,270",
                "150,530 140,430 130,340 140,260",
                "190,530 210,440 230,360 230,280",
                "60,530 70,430 50,340 20,330",
            ),
            blades(
                "240,530 260,450 290,400 330,370",
                "260,530 280,490 300,470 330,450",
                "40,530 30,480 24,450 10,430",
                "90,530 80,480 60,430 20,390",
                width=38,
            ),
            brush(curve(xy("166,330 160,420 168,530")), 12),
            brush(curve(xy("166,330 160,420 168,530")), 5, YELLOW),
            brush(curve(xy("160,400 180,360 186,330")), 5, YELLOW),
            flower(140, 246, 1.12),
        ),
    }
