"""Decoding of picture files: all supported formats and orientations, and all kinds of invalid files."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps

from companion.messages import error_text
from tests.message_text import raises_text
from vision.pictures.picture_decoding import read_picture, smaller_jpeg
from vision.pictures.picture_files import MAX_BYTES, PictureError, media_type

HEIC = Path(__file__).parents[1] / "data" / "blue-64x48.heic"


def scene(width: int = 64, height: int = 48) -> Image.Image:
    """Return a smooth picture with four different corners, so that a wrong rotation is detected."""
    x, y = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 255, height))
    return Image.fromarray(np.dstack([x, y, 255 - x]).astype(np.uint8), "RGB")


def encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def bgr(picture: Image.Image) -> np.ndarray:
    return np.asarray(picture.convert("RGB"))[:, :, ::-1]


def solid_png(width: int, height: int) -> bytes:
    """Return a PNG of any size in a few kilobytes: one gray line, repeated by compression."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    line = b"\0" + b"\x80" * width
    packer = zlib.compressobj(1)
    body = b"".join(packer.compress(line) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("kind", "options", "slack"),
    [
        ("PNG", {}, 0),
        ("JPEG", {"quality": 95}, 12),
        ("WEBP", {"lossless": True}, 0),
        ("WEBP", {"quality": 95}, 16),
    ],
)
def test_formats(kind: str, options: dict[str, object], slack: int) -> None:
    pixels = read_picture(encoded(scene(), kind, **options))
    assert pixels.dtype == np.uint8
    assert pixels.shape == (48, 64, 3)
    assert np.abs(pixels.astype(int) - bgr(scene()).astype(int)).max() <= slack


def test_heic() -> None:
    pixels = read_picture(HEIC.read_bytes())
    assert pixels.shape == (48, 64, 3)
    assert np.abs(pixels.reshape(-1, 3).mean(axis=0) - (200, 60, 30)).max() < 8
    assert media_type(HEIC.read_bytes()) == "image/heic"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation(kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encoded(scene(), kind, exif=exif, **({"quality": 95} if kind == "JPEG" else {"lossless": True}))
    expected = bgr(ImageOps.exif_transpose(Image.open(io.BytesIO(data))))
    pixels = read_picture(data)
    assert pixels.shape == expected.shape
    assert np.abs(pixels.astype(int) - expected.astype(int)).max() <= 2


def test_invalid_exif_data_is_ignored() -> None:
    data = encoded(scene(), "JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff\xff nonsense")
    assert read_picture(data).shape == (48, 64, 3)


def gray16() -> Image.Image:
    return Image.fromarray(np.full((48, 64), 0x80FF, np.uint16))


@pytest.mark.parametrize(
    ("picture", "kind", "expected"),
    [
        (Image.new("L", (64, 48), 77), "PNG", (77, 77, 77)),
        (Image.new("1", (64, 48), 1), "PNG", (255, 255, 255)),
        (Image.new("RGB", (64, 48), (9, 200, 30)).quantize(4), "PNG", (30, 200, 9)),
        (Image.new("LA", (64, 48), (0, 0)), "PNG", (255, 255, 255)),
        (Image.new("RGBA", (64, 48), (255, 0, 0, 0)), "PNG", (255, 255, 255)),
        (Image.new("RGBA", (64, 48), (0, 0, 0, 128)), "WEBP", (127, 127, 127)),
        (Image.new("CMYK", (64, 48), (0, 0, 0, 0)), "JPEG", (255, 255, 255)),
        (gray16(), "PNG", (128, 128, 128)),
    ],
    ids=[
        "gray",
        "bilevel",
        "palette",
        "transparent gray",
        "see-through",
        "half see-through",
        "cmyk",
        "16 bit",
    ],
)
def test_unusual_color_modes(picture: Image.Image, kind: str, expected: tuple[int, int, int]) -> None:
    pixels = read_picture(encoded(picture, kind))
    assert np.abs(pixels.reshape(-1, 3).astype(int) - expected).max() <= 2


def test_a_transparent_palette_is_composited_on_white() -> None:
    picture = Image.new("P", (64, 48), 0)
    picture.putpalette([255, 0, 0] * 256)
    assert (read_picture(encoded(picture, "PNG", transparency=0)) == 255).all()


def test_the_first_picture_of_an_animation_is_decoded() -> None:
    frames = [Image.new("RGB", (64, 48), color) for color in ("blue", "red")]
    data = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    assert (read_picture(data) == (255, 0, 0)).all()


@pytest.mark.parametrize(
    ("data", "code", "says"),
    [
        (b"", "empty-picture", "empty (0 bytes)"),
        (b"these are not the cards you want\n", "not-a-picture", "a text file"),
        ("鶴と松\n".encode() * 400, "not-a-picture", "a text file"),
        (b"%PDF-1.7 ...", "not-a-picture", "a PDF"),
        (b"\0\0\0\x20ftypisom0000", "not-a-picture", "a video"),
        (encoded(scene(), "GIF"), "not-a-picture", "a GIF"),
        (bytes(range(256)), "not-a-picture", "some other kind of file"),
        (b"\xff\xd8\xff", "damaged-picture", "damaged"),
        (b"\x89PNG\r\n\x1a\n", "damaged-picture", "damaged"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "damaged-picture", "damaged"),
        (b"\0\0\0\x18ftypheic", "damaged-picture", "damaged"),
        (b"\xff\xd8\xff" + b"\0" * MAX_BYTES, "too-many-bytes", "64.0 MB; the limit is 64 MB"),
    ],
)
def test_rejected_files(data: bytes, code: str, says: str) -> None:
    with pytest.raises(PictureError) as caught:
        read_picture(data)
    assert caught.value.code == code
    assert says in error_text(caught.value)
    assert "\n" not in error_text(caught.value)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("share", [0.4, 0.7, 0.95])
def test_a_truncated_file_is_rejected(kind: str, share: float) -> None:
    data = encoded(scene(640, 480), kind)
    with raises_text(PictureError, match=r"cut short|damaged"):
        read_picture(data[: int(len(data) * share)])


def test_a_truncated_heic_file_is_rejected() -> None:
    with raises_text(PictureError, match=r"cut short|damaged"):
        read_picture(HEIC.read_bytes()[:-40])


def test_too_many_pixels_are_rejected_before_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture of 20,000 x 20,000 px takes over a gigabyte decoded; the file has 400 kB."""
    monkeypatch.setattr(Image.Image, "load", _must_not_run)
    with pytest.raises(PictureError) as caught:
        read_picture(solid_png(20_000, 20_000))
    assert caught.value.code == "too-many-pixels"
    assert "20000 × 20000 = 400 megapixels; the limit for a file of this kind is 50" in error_text(
        caught.value
    )


def _must_not_run(self: Image.Image) -> None:
    raise AssertionError("decoded")


@pytest.mark.parametrize(("side", "taken"), [((10_000, 5_000), True), ((10_000, 5_001), False)])
def test_a_picture_exactly_at_the_pixel_limit(side: tuple[int, int], taken: bool) -> None:
    if taken:
        assert read_picture(solid_png(*side)).shape == (side[1], side[0], 3)
    else:
        with pytest.raises(PictureError):
            read_picture(solid_png(*side))


def _webp_header(width: int, height: int) -> bytes:
    canvas = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBPVP8X" + struct.pack("<I", 10) + b"\0\0\0\0" + canvas
    return b"RIFF" + struct.pack("<I", len(body)) + body


@pytest.mark.parametrize("make", [lambda: _webp_header(16_000, 16_000), lambda: _webp_header(2**24, 2**24)])
def test_a_webp_with_an_excessive_declared_size_is_rejected(make: Callable[[], bytes]) -> None:
    with pytest.raises(PictureError):
        read_picture(make())


@pytest.mark.parametrize(
    ("size", "expected"), [((4000, 3000), (320, 240)), ((64, 48), (64, 48)), ((9000, 900), (320, 32))]
)
def test_smaller_pictures_keep_their_shape(size: tuple[int, int], expected: tuple[int, int]) -> None:
    small = Image.open(io.BytesIO(smaller_jpeg(encoded(scene(*size), "JPEG"), 320)))
    assert small.format == "JPEG"
    assert small.size == expected


def test_smaller_pictures_are_upright_in_every_format() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    small = Image.open(io.BytesIO(smaller_jpeg(encoded(scene(800, 600), "PNG", exif=exif), 320)))
    assert small.size == (320, 426)
    assert Image.open(io.BytesIO(smaller_jpeg(HEIC.read_bytes(), 320))).size == (64, 48)
