"""Shared helpers of the API tests: a scanner double with faults, pictures, and uploads."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from apiflask import APIFlask
from flask.testing import FlaskClient
from PIL import Image
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from api.app import create_app
from api.context import EXTENSION, Context
from vision.decks.deck_errors import UnknownDeckError
from vision.photograph.scan_result import ScannedCard, ScanResult
from vision.pictures.picture_decoding import read_picture

PILE = ("susuki-moon", "cherry-curtain", "pine-crane", None, "back", "plum-ribbon")
"""The double's reading: three brights, an uncertain card, a face-down one, and a ribbon."""


class Clock:
    """A clock in s that tests advance."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class ScannerDouble:
    """Reads the same cards in every picture, until a fault is switched on."""

    def __init__(self) -> None:
        self.cards: tuple[str | None, ...] = PILE
        self.fails_with: Exception | None = None
        self.before_scan: Callable[[], None] = lambda: None
        self.pictures: list[np.ndarray] = []

    def scan(self, bgr: np.ndarray, deck: str | None = None, focal: float | None = None) -> ScanResult:
        self.before_scan()
        if self.fails_with is not None:
            raise self.fails_with
        if deck not in {None, "hanafuda"}:
            raise UnknownDeckError(str(deck))
        self.pictures.append(bgr)
        return ScanResult(
            width=bgr.shape[1],
            height=bgr.shape[0],
            deck="hanafuda",
            cards=tuple(self._seen(name, place) for place, name in enumerate(self.cards)),
            ms={"detect": 1.0, "identify": 2.0, "total": 3.0},
        )

    @staticmethod
    def _seen(name: str | None, place: int) -> ScannedCard:
        x = 10.0 * place
        return ScannedCard(
            card=name,
            confidence=0.9 if name else 0.4,
            quad=((x, 0.0), (x + 8, 0.0), (x + 8, 13.0), (x, 13.0)),
            visible=1.0,
            alternatives=(("iris-bridge", 0.4), ("peony-butterflies", 0.3)),
        )


def make_app(data: Path, scanner: Any = None, **options: Any) -> APIFlask:
    """Return an application with a log in a data folder; ``options`` as for `Context`."""
    return create_app(Context(data, scanner, **options))


def context_of(app: APIFlask) -> Context:
    """Return the context of an application."""
    context: Context = app.extensions[EXTENSION]
    return context


def stored_files(data: Path) -> list[Path]:
    """Return every evidence file of a log, including unfinished ones."""
    return sorted(path for path in (data / "evidence").rglob("*") if path.is_file())


def same_picture(one: bytes, other: bytes) -> bool:
    """Return whether two files show the same; one may be coded again."""
    pixels = [read_picture(each).astype(int) for each in (one, other)]
    return pixels[0].shape == pixels[1].shape and float(np.abs(pixels[0] - pixels[1]).mean()) < 2


def jpeg(width: int = 64, height: int = 48, color: str = "green") -> bytes:
    """Return a picture of one color."""
    out = io.BytesIO()
    Image.new("RGB", (width, height), color).save(out, "JPEG")
    return out.getvalue()


def upload(
    client: FlaskClient, picture: bytes | None = None, name: str = "pile.jpg", **fields: str
) -> TestResponse:
    """Upload a picture to be scanned."""
    image = FileStorage(io.BytesIO(jpeg() if picture is None else picture), name)
    # In memory: the test client would leave a temporary file of a large upload open.
    boundary, body = encode_multipart({"image": image, **fields})
    return client.post("/api/scan", data=body, content_type=f'multipart/form-data; boundary="{boundary}"')
