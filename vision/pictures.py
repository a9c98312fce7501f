"""From the bytes of a picture file to pixels, refusing what is not a whole picture of a sane size.

Sizes are checked from the header, before anything is decoded, so a file of a few kilobytes that unpacks to
gigabytes costs nothing. Every refusal says what was seen and what to do, for the person at the table.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable

import cv2
import numpy as np
from PIL import Image, ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

MAX_BYTES = 20 * 2**20
MAX_PIXELS = 50_000_000

_ORIENTATION = 0x0112
_HEIF_BRANDS = frozenset((b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1"))
_OTHER_KINDS = (
    (b"GIF8", "a GIF"),
    (b"BM", "a BMP"),
    (b"%PDF", "a PDF"),
    (b"II*\0", "a TIFF or camera raw file"),
    (b"MM\0*", "a TIFF or camera raw file"),
    (b"PK\x03\x04", "a ZIP archive or office document"),
    (b"\x1aE\xdf\xa3", "a video"),
)
_TAKEN = "JPEG, PNG, WebP and HEIC pictures are taken"


class PictureError(ValueError):
    """The file is not a picture that can be read; the message says what was seen and what to do.

    ``code`` is a stable slug: ``empty-picture``, ``not-a-picture`` (another kind of file),
    ``too-many-bytes``, ``too-many-pixels``, ``truncated-picture`` or ``damaged-picture``.
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def media_type(data: bytes) -> str:
    """Return the media type of a picture file, told by its first bytes, or raise ``PictureError``."""
    if data[:3] == b"\xff\xd8\xff":
        return "image/jpeg"
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return "image/png"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS:
        return "image/heic"
    raise PictureError(
        "not-a-picture",
        f"This is not a picture that can be read: it looks like {_kind_of(data)}. {_TAKEN}: send one.",
    )


def read_picture(data: bytes) -> np.ndarray:
    """Return the picture in ``data`` as BGR uint8 (height, width, 3), turned upright as its EXIF says.

    Raises ``PictureError`` where the file is empty, too large, of another kind, damaged or cut short.
    """
    if not data:
        raise PictureError("empty-picture", "The file is empty (0 bytes): take or choose the picture again.")
    if len(data) > MAX_BYTES:
        raise PictureError(
            "too-many-bytes",
            f"The picture has {len(data) / 2**20:.1f} MB; at most {MAX_BYTES // 2**20} MB are taken."
            " Send it smaller or more strongly compressed.",
        )
    return _read(data, None)


def smaller_jpeg(data: bytes, width: int) -> bytes:
    """Return a picture as an upright JPEG at most ``width`` px wide; refuses what `read_picture` refuses."""
    pixels = _read(data, width)
    height, wide = pixels.shape[:2]
    if wide > width:
        pixels = cv2.resize(pixels, (width, max(1, height * width // wide)), interpolation=cv2.INTER_AREA)
    return cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes()


def _read(data: bytes, enough: int | None) -> np.ndarray:
    opener = _OPENERS[media_type(data)]
    with warnings.catch_warnings():
        # Pillow warns about broken EXIF and the like; a whole picture is no reason to alarm anyone.
        warnings.simplefilter("ignore")
        return _decode(opener, data, enough)


def _decode(
    opener: Callable[[io.BytesIO], ImageFile.ImageFile], data: bytes, enough: int | None
) -> np.ndarray:
    """Decode a picture; sides of ``enough`` px will do, which makes a large JPEG several times quicker."""
    try:
        picture = opener(io.BytesIO(data))
    except Image.DecompressionBombError as error:
        raise _too_many_pixels("far more") from error
    except Exception as error:  # a decoder raises whatever a damaged file makes it trip over
        raise _damaged(error) from error
    width, height = picture.size
    if width * height > MAX_PIXELS:
        raise _too_many_pixels(f"{width} × {height} = {width * height / 1e6:.0f}")
    try:
        if enough is not None:
            picture.draft("RGB", (enough, enough))
        picture.load()
        pixels = _to_bgr(picture)
    except Exception as error:  # as above
        raise _damaged(error) from error
    turn = _UPRIGHT.get(_orientation(picture))
    return turn(pixels) if turn else pixels


def _open_heif(file: io.BytesIO) -> ImageFile.ImageFile:
    # Imported late: only iPhones send HEIC, and a cold start should not pay for it. It ships no types.
    from pi_heif.as_plugin import HeifImageFile  # type: ignore[import-untyped]  # noqa: PLC0415

    picture: ImageFile.ImageFile = HeifImageFile(file)
    return picture


# The plugins are named rather than reached through Image.open, which would let fifty more formats in and
# would warn on standard error about sizes that are refused here anyway.
_OPENERS: dict[str, Callable[[io.BytesIO], ImageFile.ImageFile]] = {
    "image/jpeg": JpegImageFile,
    "image/png": PngImageFile,
    "image/webp": WebPImageFile,
    "image/heic": _open_heif,
}


# How to undo each EXIF orientation: mirrored and turned as the standard numbers them.
_UPRIGHT: dict[int, Callable[[np.ndarray], np.ndarray]] = {
    2: lambda pixels: cv2.flip(pixels, 1),
    3: lambda pixels: cv2.flip(pixels, -1),
    4: lambda pixels: cv2.flip(pixels, 0),
    5: cv2.transpose,
    6: lambda pixels: cv2.rotate(pixels, cv2.ROTATE_90_CLOCKWISE),
    7: lambda pixels: cv2.flip(cv2.transpose(pixels), -1),
    8: lambda pixels: cv2.rotate(pixels, cv2.ROTATE_90_COUNTERCLOCKWISE),
}


def _kind_of(data: bytes) -> str:
    for start, kind in _OTHER_KINDS:
        if data.startswith(start):
            return kind
    if data[4:8] == b"ftyp":
        return "a video or an AVIF picture"
    is_text = all(byte >= 32 or byte in b"\t\r\n" for byte in data[:1024])
    return "a text file" if is_text else "some other kind of file"


def _too_many_pixels(seen: str) -> PictureError:
    return PictureError(
        "too-many-pixels",
        f"The picture has {seen} megapixels; at most {MAX_PIXELS // 1_000_000} are taken."
        " Make it smaller and send it again.",
    )


def _damaged(error: Exception) -> PictureError:
    reason = str(error).strip().rstrip(".") or type(error).__name__
    if "truncated" in reason.lower():
        return PictureError(
            "truncated-picture",
            "The picture file is cut short: part of it is missing. Copy or take the picture again.",
        )
    return PictureError(
        "damaged-picture",
        f"The picture file is damaged and cannot be decoded ({reason}). Copy or take the picture again.",
    )


def _to_bgr(picture: Image.Image) -> np.ndarray:
    """Bring any mode to BGR: 16-bit down to 8, anything see-through onto white."""
    if picture.mode.startswith("I"):  # 16-bit grey; Pillow's own conversion would clip it instead of scaling
        grey = np.asarray(picture).astype(np.uint32) >> 8
        return cv2.cvtColor(grey.clip(0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)
    if picture.has_transparency_data:
        layer = picture.convert("RGBA")
        picture = Image.new("RGB", picture.size, "white")
        picture.paste(layer, mask=layer.getchannel("A"))
    elif picture.mode != "RGB":
        picture = picture.convert("RGB")
    return cv2.cvtColor(np.asarray(picture), cv2.COLOR_RGB2BGR)


def _orientation(picture: Image.Image) -> int:
    try:
        return int(picture.getexif().get(_ORIENTATION, 1))
    except Exception:  # broken EXIF is common and no reason to refuse a whole picture
        return 1
