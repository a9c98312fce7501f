"""October: the deer that looks back, maple leaves."""

from companion.faces.draw.canvas import (
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
    line,
    paint,
    polar,
    xy,
)
from companion.faces.draw.motifs import ribbon, speckles


def leaf(x: float, y: float, size: float, color: str, turn: float = -90) -> str:
    """A maple leaf: seven pointed fingers about (x, y), the middle one in the direction `turn`."""
    outline: list[Point] = []
    ribs = ""
    for off, length in ((-156, 0.56), (-104, 0.86), (-52, 1), (0, 1.08), (52, 1), (104, 0.86), (156, 0.56)):
        a, far = turn + off, length * size
        outline += [
            polar(x, y, 0.36 * size, a - 26),
            polar(x, y, 0.56 * far, a - 20),
            polar(x, y, far, a),
            polar(x, y, 0.56 * far, a + 20),
        ]
        ribs += line([(x, y), polar(x, y, 0.8 * far, a)])
    return paint(line(outline, True), color, 3.5) + brush(ribs, 4)


def _deer() -> str:
    legs = line(xy("52,330 50,400 46,500 68,502 74,420 92,350"), True) + line(
        xy("84,340 84,420 82,504 104,504 106,420 118,340"), True
    )
    legs += line(xy("196,340 184,390 210,420 196,502 218,506 234,420 224,380 246,330"), True)
    far = line(xy("172,340 160,390 176,420 158,500 180,504 200,420 192,380 212,340"), True)
    body = curve(
        xy(
            "34,180! 26,230 30,300 44,346 80,360 140,352 176,356"
            " 220,366 252,344 262,300! 240,282 180,278 120,280"
            " 84,268 84,236 100,222! 72,196!"
        ),
        True,
    )
    head = curve(
        xy("36,184! 42,164 66,156 92,166 138,182! 146,194 136,206! 108,210 84,226 60,230 40,214"), True
    )
    ears = curve(xy("46,172! 26,160 18,142! 40,142 60,162!"), True)
    antlers = (
        curve(xy("58,160 40,130 36,96"))
        + curve(xy("42,136 22,126 20,110"))
        + curve(xy("66,158 70,126 62,92"))
    )
    antlers += curve(xy("69,132 88,116 88,100")) + curve(xy("37,104 52,92"))
    spots = "".join(
        f"M{x} {y}l5 6"
        for x, y in (
            (110, 294),
            (130, 292),
            (150, 292),
            (170, 292),
            (190, 293),
            (210, 296),
            (230, 300),
            (120, 308),
            (142, 307),
            (164, 307),
            (186, 308),
            (208, 311),
            (228, 316),
        )
    )
    return "".join(
        (
            brush(antlers, 13),
            brush(antlers, 7, ORANGE),
            paint(far, ORANGE, 4),
            paint(legs, ORANGE, 4),
            paint(body, ORANGE, 4),
            paint(curve(xy("258,296! 282,296 286,320! 268,322 252,320!"), True), PAPER, 3),
            paint(head, ORANGE, 4),
            paint(ears, ORANGE, 4),
            brush(spots, 5),
            paint(circle(84, 184, 6), PAPER, 3),
            paint(circle(85, 184, 3), INK),
            brush(line(xy("142,196 122,198")) + curve(xy("50,250 48,290 56,330")), 3),
        )
    )


def cards() -> dict[str, str]:
    """Draw October's four cards."""
    trunk = curve(xy("330,14! 306,14! 312,120 300,240 312,340 290,430 214,524! 330,540!"), True)
    return {
        "maple-deer": card(
            paint(trunk, ORANGE, 4),
            brush(curve(xy("318,60 312,200 320,330 300,440 260,520")), 3),
            paint(curve(xy("14,540! 14,508! 90,494 180,498 230,524!"), True), COAL, 4),
            leaf(176, 36, 70, YELLOW, 60),
            leaf(104, 60, 68, RED, 80),
            leaf(284, 54, 68, COAL, 110),
            leaf(166, 122, 70, COAL, 100),
            leaf(248, 122, 66, RED, 70),
            leaf(228, 196, 66, RED, 60),
            leaf(298, 254, 66, COAL, 150),
            leaf(288, 324, 56, YELLOW, 100),
            leaf(288, 486, 66, RED, 60),
            _deer(),
        ),
        "maple-ribbon": card(
            speckles(10),
            leaf(90, 46, 100, RED, 30),
            leaf(262, 60, 110, COAL, 150),
            leaf(46, 210, 90, COAL, 40),
            leaf(228, 244, 110, RED, -100),
            leaf(296, 420, 110, COAL, 170),
            leaf(110, 470, 120, RED, -80),
            ribbon(66, 92, PURPLE),
        ),
        "maple-chaff-1": card(
            leaf(116, 30, 110, COAL, 80),
            leaf(290, 180, 100, RED, 150),
            leaf(60, 210, 90, RED, 20),
            leaf(180, 330, 90, YELLOW, 60),
            leaf(120, 312, 88, COAL, -30),
            leaf(34, 470, 84, YELLOW, -40),
            leaf(140, 458, 108, RED, -60),
        ),
        "maple-chaff-2": card(
            leaf(270, 52, 100, RED, 150),
            leaf(136, 116, 96, COAL, 40),
            leaf(34, 380, 120, YELLOW, -50),
            leaf(236, 330, 120, RED, 100),
            leaf(286, 268, 100, COAL, -160),
            leaf(66, 480, 120, RED, -60),
        ),
    }
