"""Write every face, and the back, as an SVG file into companion/faces/."""

from companion.faces import FACES_DIR
from companion.faces.draw.deck import draw_all


def main() -> None:
    """Draw the whole deck."""
    for name, svg in draw_all().items():
        (FACES_DIR / f"{name}.svg").write_text(svg, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
