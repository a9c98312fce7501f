"""Writes drawn pictures to files."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2

from companion.files import write_output
from vision.pictures.crops import Image

_EXTENSIONS: Final = frozenset((".jpg", ".jpeg", ".png", ".webp"))


def write_picture(path: Path, bgr: Image) -> None:
    """Write a picture (H x W x 3 uint8 BGR) in the format of the file's extension, JPEG for any other extension.

    Raises `OSError` if the file cannot be written.
    """
    extension = path.suffix.lower()
    encoded = cv2.imencode(extension if extension in _EXTENSIONS else ".jpg", bgr)[1]
    write_output(path, encoded.tobytes())
