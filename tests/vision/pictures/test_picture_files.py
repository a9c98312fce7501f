"""Files that cost too much to decode, and what is removed from pictures before they are stored."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from vision.pictures.picture_decoding import MAX_SCANS, decode, read_picture, smaller_jpeg
from vision.pictures.picture_files import PictureError, media_type

HEIC = Path(__file__).parents[1] / "data" / "blue-64x48.heic"
SECRET = b"35.6812N 139.7671E"


def scene(width: int = 64, height: int = 48) -> Image.Image:
    x, y = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 255, height))
    return Image.fromarray(np.dstack([x, y, 255 - x]).astype(np.uint8), "RGB")


def encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(width: int, height: int, *, color: int = 0, depth: int = 8, interlaced: int = 0) -> bytes:
    """A PNG of one gray, whatever its size, in a few kilobytes; not interlaced unless it is small."""
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    line = b"\0" + b"\x80" * (width * channels * depth // 8)
    packer = zlib.compressobj(9)
    body = b"".join(packer.compress(line) for _ in range(height)) + packer.flush()
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def after_header(data: bytes, *more: bytes) -> bytes:
    """A PNG with more chunks after its header."""
    return data[:33] + b"".join(more) + data[33:]


def segment(marker: int, payload: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(payload) + 2) + payload


def after_start(data: bytes, *more: bytes) -> bytes:
    """A JPEG with more segments after its start."""
    return data[:2] + b"".join(more) + data[2:]


def jpeg_header(
    width: int, height: int, *, progressive: bool = False, scans: int = 1, colors: int = 1, cut: bool = False
) -> bytes:
    """The headers of a JPEG of any size, with scans of its first color that have no data."""
    parts = b"".join(bytes((number, 0x11, 0)) for number in range(1, colors + 1))
    frame = segment(0xC2 if progressive else 0xC0, struct.pack(">BHHB", 8, height, width, colors) + parts)
    return b"\xff\xd8" + frame + segment(0xDA, b"\1\1\0\0\x3f\0") * scans + (b"" if cut else b"\xff\xd9")


def webp_header(width: int, height: int) -> bytes:
    bits = (width - 1) | (height - 1) << 14
    body = b"WEBPVP8L" + struct.pack("<IBI", 5, 0x2F, bits) + b"\0"
    return b"RIFF" + struct.pack("<I", len(body)) + body


def gps_exif(orientation: int = 6) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = SECRET.decode()
    exif.get_ifd(0x8825)[1] = "N"
    return exif.tobytes()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (png(50_000_000, 1), "picture-shape"),
        (jpeg_header(50_000, 40), "picture-shape"),
        (jpeg_header(8000, 400), "picture-shape"),
        (png(400, 4), "picture-shape"),
        (jpeg_header(21_000, 9_000), "picture-shape"),
        (png(0, 100), "damaged-picture"),
        (jpeg_header(64, 0), "damaged-picture"),
        (jpeg_header(16_384, 12_900), "too-many-pixels"),
        (jpeg_header(65_535, 65_535), "too-many-pixels"),
        (jpeg_header(8064, 6048, progressive=True), "too-many-pixels"),
        (jpeg_header(8064, 6048, colors=3), "too-many-pixels"),
        (webp_header(16_383, 16_383), "too-many-pixels"),
        (webp_header(6000, 6000), "too-many-pixels"),
        (png(8000, 7000, interlaced=1)[:200], "too-many-pixels"),
        (jpeg_header(640, 480, progressive=True, scans=MAX_SCANS + 1), "picture-too-costly"),
    ],
    ids=[
        "the 50,000,000 x 1 PNG", "a line", "twenty to one", "too small", "too long", "no width", "no height", "over 210 MP",
        "the largest a JPEG can tell", "progressive of 49 MP", "49 MP with its colors one after the other", "the largest WebP", "WebP of 36 MP", "PNG of 56 MP", "many scans",
    ],
)  # fmt: skip
def test_costly_pictures_are_refused_by_their_headers(data: bytes, code: str) -> None:
    """A PNG of 50,000,000 x 1 px, 48 kB, took 93 s and 7.7 GB: it was within the limit of pixels."""
    with pytest.raises(PictureError) as caught:
        decode(data)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "data",
    [
        jpeg_header(16_384, 12_288),
        jpeg_header(12_288, 16_384),
        jpeg_header(6048, 4032, progressive=True, scans=14),
        webp_header(5000, 6000),
        png(16, 100)[:60],
    ],
    ids=["200 MP of a phone", "upright", "progressive of 24 MP", "WebP of 30 MP", "small"],
)
def test_genuine_sizes_are_allowed(data: bytes) -> None:
    """These are headers without pixels: the decoder is asked, and misses them."""
    with pytest.raises(PictureError) as caught:
        decode(data)
    assert caught.value.code in {"truncated-picture", "damaged-picture"}


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_location_comments_and_appended_bytes_are_removed(kind: str) -> None:
    """Photographs were stored as they were sent, with the place where they were taken, for everybody to download."""
    options = {"quality": 90} if kind != "PNG" else {}
    data = encoded(scene(), kind, exif=gps_exif(), xmp=b"<x:xmpmeta>" + SECRET, **options)
    if kind == "JPEG":
        data = after_start(data, segment(0xFE, SECRET), segment(0xED, b"Photoshop 3.0\0" + SECRET))
    elif kind == "PNG":
        data = after_header(
            data, chunk(b"tEXt", b"Comment\0" + SECRET), chunk(b"zTXt", b"C\0\0" + zlib.compress(SECRET))
        )
        data = data.replace(chunk(b"IEND", b""), chunk(b"gAMA", SECRET * 100) + chunk(b"IEND", SECRET))
    assert SECRET in data
    kept = decode(data + b"PK\x03\x04" + SECRET).to_file()
    assert SECRET not in kept
    assert b"PK\x03\x04" not in kept
    assert media_type(kept) == "image/jpeg"
    assert Image.open(io.BytesIO(kept)).getexif() == {}
    assert np.abs(read_picture(kept).astype(int) - read_picture(data)).mean() < 2, (
        "upright, and shows the same"
    )


def test_thumbnails_inside_a_jpeg_are_removed() -> None:
    """They show what was cut out of a picture that somebody cropped."""
    small = encoded(scene(16, 12), "JPEG")
    data = after_start(
        encoded(scene(), "JPEG")[:2] + encoded(scene(), "JPEG")[20:],
        segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\2\2" + SECRET[:12]),
        segment(0xE0, b"JFXX\0\x10" + small),
        segment(0xE2, b"MPF\0" + SECRET),
    )
    decoded = decode(data)
    assert np.array_equal(decoded.pixels, read_picture(encoded(scene(), "JPEG")))
    kept = decoded.to_file()
    assert kept.count(b"\xff\xd8") == 1
    assert SECRET[:12] not in kept


def test_a_profile_that_unpacks_to_gigabytes_is_not_unpacked() -> None:
    bomb = zlib.compress(b"\0" * 2**26, 9)
    data = after_header(
        encoded(scene(), "PNG"), chunk(b"iCCP", b"x\0\0" + bomb), chunk(b"zTXt", b"x\0\0" + bomb), chunk(b"iTXt", b"x\0\1\0\0\0" + bomb)
    )  # fmt: skip
    with pytest.raises(PictureError) as caught:
        decode(data)
    assert caught.value.code == "damaged-picture"


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_only_the_first_picture_of_an_animation_is_kept(kind: str) -> None:
    frames = [Image.new("RGB", (64, 48), color) for color in ("blue", "red", "green")]
    options = {"lossless": True} if kind == "WEBP" else {}
    data = encoded(frames[0], kind, save_all=True, append_images=frames[1:], **options)
    kept = decode(data).to_file()
    assert not getattr(Image.open(io.BytesIO(kept)), "is_animated", False)
    assert np.abs(read_picture(kept).astype(int) - (255, 0, 0)).max() <= 2


@pytest.mark.parametrize("options", [{"lossless": True}, {"quality": 80}], ids=["lossless", "lossy"])
def test_a_transparent_webp_is_composited_on_white(options: dict[str, object]) -> None:
    picture = Image.new("RGBA", (64, 48), (0, 0, 0, 128))
    decoded = decode(encoded(picture, "WEBP", exif=gps_exif(1), **options))
    for pixels in (decoded.pixels, read_picture(decoded.to_file())):
        assert np.abs(pixels.astype(int) - 127).max() <= 2


def test_heic_becomes_a_jpeg_without_metadata() -> None:
    kept = decode(HEIC.read_bytes()).to_file()
    assert media_type(kept) == "image/jpeg"
    assert Image.open(io.BytesIO(kept)).size == (64, 48)


def test_a_heic_that_claims_too_much_is_damaged() -> None:
    """The decoder reports its own limits as a lack of memory, of which there is none."""
    data = bytearray(HEIC.read_bytes())
    place = (
        data.index(b"iloc") + 4 + 4 + 2 + 2 + 2 + 2
    )  # version and flags, sizes, items, first item, its reference
    data[place : place + 2] = b"\x01\x00"  # extents
    with pytest.raises(PictureError) as caught:
        decode(bytes(data))
    assert caught.value.code == "damaged-picture"


def test_a_large_jpeg_is_decoded_at_a_reduced_size() -> None:
    """Two hundred megapixels are 800 MB of pixels; a quarter of the width holds all that the scanner needs."""
    exif = Image.Exif()
    exif[0x0112] = 6
    data = encoded(Image.new("L", (16_384, 12_288), 90), "JPEG", exif=exif)
    picture = decode(data)
    assert (picture.width, picture.height) == (12_288, 16_384)
    assert picture.pixels.shape == (4096, 3072, 3)
    assert Image.open(io.BytesIO(smaller_jpeg(data, 320))).size == (320, 426)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("reduction", [2, 4, 8])
def test_a_reduced_picture_shows_the_same(kind: str, reduction: int) -> None:
    width, height = 1203, 1601
    data = encoded(scene(width, height), kind, **({"quality": 95} if kind != "PNG" else {}))
    reduced = decode(data, -(-width * height // reduction**2))
    assert (reduced.width, reduced.height) == (width, height)
    assert reduced.pixels.shape == (-(-height // reduction), -(-width // reduction), 3)
    expected = np.asarray(scene(width, height).resize(reduced.pixels.shape[1::-1], Image.Resampling.BOX))[
        ..., ::-1
    ]
    assert np.abs(reduced.pixels.astype(int) - expected).mean() < 3


@pytest.mark.parametrize(
    ("color", "depth"), [(0, 8), (2, 8), (4, 8), (6, 8), (0, 16), (2, 16), (6, 16)], ids=str
)
def test_every_kind_of_png_is_decoded_and_reduced(color: int, depth: int) -> None:
    data = png(600, 1100, color=color, depth=depth)
    for max_pixels in (10**6, 200_000):
        assert decode(data, max_pixels).width == 600


SEEDS = [
    encoded(scene(), "JPEG", exif=gps_exif()),
    encoded(scene(), "JPEG", progressive=True),
    encoded(scene().convert("CMYK"), "JPEG"),
    encoded(scene(), "PNG", exif=gps_exif()),
    encoded(scene().quantize(16), "PNG"),
    encoded(scene(), "WEBP", exif=gps_exif()),
    encoded(scene().convert("RGBA"), "WEBP", lossless=True),
    HEIC.read_bytes(),
]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_damaged_picture_is_read_or_refused(data: st.DataObject) -> None:
    """Whatever bytes are changed, cut out, or doubled: pixels, or `PictureError`, and a stored copy of the same size."""
    picture = bytearray(data.draw(st.sampled_from(SEEDS)))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(picture) - 1))
        match data.draw(st.sampled_from(["change", "cut", "double"])):
            case "change":
                picture[place] = data.draw(st.integers(0, 255))
            case "cut":
                del picture[place : place + data.draw(st.integers(1, 40))]
            case _:
                picture[place:place] = picture[place : place + data.draw(st.integers(1, 40))]
        if not picture:
            return
    try:
        decoded = decode(bytes(picture))
    except PictureError:
        return
    assert decoded.pixels.ndim == 3
    assert decode(decoded.to_file()).pixels.shape == decoded.pixels.shape
