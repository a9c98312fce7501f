"""Rasterize the project's SVG faces into a deck folder: ``python -m hanafuda_training.render.rasterize --out DIR``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import resvg_py
from numpy.typing import NDArray

from companion.faces import face_svg
from companion.hanafuda.cards import HANAFUDA

#: Default width of a rasterized face, px.
WIDTH: Final = 256


def rasterize(card: str, width: int = WIDTH) -> NDArray[np.uint8]:
    """Return the face of ``card`` (or ``"back"``) as BGR uint8, ``width`` px wide, on a white background."""
    png = bytes(resvg_py.svg_to_bytes(svg_string=face_svg(card), width=width, background="#ffffff"))
    return np.asarray(cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out", type=Path, required=True, help="folder to make the deck folder hanafuda-companion in"
    )
    folder = parser.parse_args().out / "hanafuda-companion"
    folder.mkdir(parents=True, exist_ok=True)
    for card in HANAFUDA:
        cv2.imwrite(str(folder / f"{card.id}.png"), rasterize(card.id))
    about = {"family": "hanafuda-companion", "pattern": "hachihachi", "licence": "Apache-2.0"}
    (folder / "SOURCE.json").write_text(json.dumps(about), encoding="utf-8")


if __name__ == "__main__":
    main()
