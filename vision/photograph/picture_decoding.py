"""From the bytes of a picture file to pixels, refusing what is not a whole picture of a reasonable size.

Sizes are checked from the header, before anything is decoded (`vision.photograph.picture_files`). Very large pictures are decoded at a
reduced size. The server never decodes pictures in its own process: see `api.pictures.worker`.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile

from vision.photograph.picture_files import (
    MAX_BYTES,
    MAX_PIXELS,
    PictureError,
    PictureFile,
    check_size,
    examine,
    media_type,
)

__all__ = [
    "MAX_BYTES",
    "MAX_PIXELS",
    "WORKING_PIXELS",
    "DecodedPicture",
    "PictureError",
    "Pixels",
    "decode",
    "heic_to_jpeg",
    "media_type",
    "out_of_memory",
    "read_picture",
    "resized_to",
    "smaller_jpeg",
]

WORKING_PIXELS: Final = 25_000_000
"""Maximum pixel count that cards are looked for in: the usual 12 and 24 megapixels of phones in full. Larger pictures are reduced
to a half, a quarter or an eighth of their width; 200 megapixels become 12.6."""

#: Sides are reduced by these; JPEG, whose blocks are 8 × 8, cannot be reduced further while decoding.
_REDUCTIONS: Final = (1, 2, 4, 8)
#: A picture is converted this many rows at a time, so that a second copy of all of it never exists. A multiple of 8.
_STRIP_ROWS: Final = 512

_FILM_DIAGONAL_MM: Final = 43.27
_STORED_JPEG_QUALITY: Final = 92
_SMALL_JPEG_QUALITY: Final = 85

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class DecodedPicture:
    """A decoded picture: ``pixels`` (BGR, height × width × 3 uint8), upright, perhaps reduced; ``width`` and ``height`` are those
    of the picture itself, upright, px. ``focal``: the focal length in px of ``pixels``, where EXIF tells it.
    """

    pixels: Pixels
    width: int
    height: int
    focal: float | None = None


def decode(data: bytes | PictureFile, max_pixels: int = WORKING_PIXELS) -> DecodedPicture:
    """Return the picture in a file, examined or not, turned upright as its EXIF says, reduced to at most ``max_pixels``.

    Raises `PictureError` where the file is empty, too large, of another kind, damaged or cut short.
    """
    return _decode(data if isinstance(data, PictureFile) else examine(data), max_pixels)


def read_picture(data: bytes) -> Pixels:
    """Return the pixels of a picture in full, or reduced to `MAX_PIXELS` where there are more; raises as `decode` does."""
    return decode(data, MAX_PIXELS).pixels


def smaller_jpeg(data: bytes, width: int) -> bytes:
    """Return a picture as an upright JPEG at most ``width`` px wide; raises as `decode` does."""
    file = examine(data)
    # At least as wide, and no more than twice: what is left of the reduction is done well rather than quickly.
    wide = file.width if file.orientation < 5 else file.height
    reduction = max(each for each in _REDUCTIONS if each == 1 or wide >= each * width)
    decoded = _decode(file, -(-file.width * file.height // reduction**2) if wide else WORKING_PIXELS)
    pixels = decoded.pixels
    if decoded.width > width:
        height = max(1, decoded.height * width // decoded.width)
        pixels = _resized(pixels, width, height)
    return _jpeg(pixels, _SMALL_JPEG_QUALITY)


def resized_to(pixels: Pixels, long_side: int) -> Pixels:
    """Return pixels with a long side of at most ``long_side`` px."""
    height, width = pixels.shape[:2]
    share = long_side / max(height, width)
    if share >= 1:
        return pixels
    return _resized(pixels, max(1, round(width * share)), max(1, round(height * share)))


def heic_to_jpeg(data: bytes) -> bytes:
    """Return a HEIC picture as an upright JPEG of its size without metadata; raises `PictureError`.

    Location and other metadata lie in many places of a HEIC file, and few browsers show one: so it is stored as a JPEG.
    """
    try:
        with _heic(data) as pixels:
            return _jpeg(pixels, _STORED_JPEG_QUALITY)
    except PictureError:
        raise
    except Exception as error:  # a decoder raises whatever a damaged file makes it trip over
        raise _damaged(error) from error


def _decode(file: PictureFile, max_pixels: int) -> DecodedPicture:
    with warnings.catch_warnings():
        # Pillow warns about oddities; a whole picture is no reason to alarm anyone.
        warnings.simplefilter("ignore")
        try:
            pixels, width, height = _DECODERS[file.media_type](file, max_pixels)
        except PictureError:
            raise
        except Exception as error:  # as above
            raise _damaged(error) from error
    turn = _UPRIGHT.get(file.orientation)
    if turn is not None:
        pixels = np.asarray(turn(pixels), np.uint8)
        if file.orientation >= 5:
            width, height = height, width
    # Its equivalent is the focal length that shows as much on 35 mm film, by the diagonal.
    diagonal = float(np.hypot(*pixels.shape[:2]))
    focal = None if file.focal_35mm is None else file.focal_35mm / _FILM_DIAGONAL_MM * diagonal
    return DecodedPicture(pixels, width, height, focal)


def _decode_jpeg(file: PictureFile, max_pixels: int) -> tuple[Pixels, int, int]:
    picture = JpegImageFile(io.BytesIO(file.data))
    reduction = _reduction(file.width, file.height, max_pixels)
    if reduction > 1:
        picture.draft(None, (-(-file.width // reduction), -(-file.height // reduction)))
    picture.load()
    done = round(file.width / picture.width)
    return _bgr_of(picture, max(1, reduction // done)), file.width, file.height


def _decode_png(file: PictureFile, max_pixels: int) -> tuple[Pixels, int, int]:
    picture = PngImageFile(io.BytesIO(file.data))
    picture.load()
    return _bgr_of(picture, _reduction(file.width, file.height, max_pixels)), file.width, file.height


def _decode_webp(file: PictureFile, max_pixels: int) -> tuple[Pixels, int, int]:
    # By OpenCV, which needs 7 bytes per pixel; Pillow, prepared for animations, needs 16.
    coded = np.frombuffer(file.data, np.uint8)
    pixels = cv2.imdecode(coded, cv2.IMREAD_UNCHANGED)
    if pixels is None:
        raise ValueError("broken data")
    reduction = _reduction(file.width, file.height, max_pixels)
    return (
        _in_strips(np.asarray(pixels, np.uint8), _opaque, file.width, file.height, reduction),
        file.width,
        file.height,
    )


def _decode_heic(file: PictureFile, max_pixels: int) -> tuple[Pixels, int, int]:
    with _heic(file.data) as pixels:
        height, width = pixels.shape[:2]
        return (
            _in_strips(pixels, np.copy, width, height, _reduction(width, height, max_pixels)),
            width,
            height,
        )


@contextmanager
def _heic(data: bytes) -> Iterator[Pixels]:
    """Give the pixels of a HEIC file, which the decoder turns upright itself; they are gone afterwards."""
    # Imported late: only iPhones send HEIC, and a cold start should not pay for it. It ships no types.
    import pi_heif  # type: ignore[import-untyped]  # noqa: PLC0415

    file = pi_heif.open_heif(io.BytesIO(data), bgr_mode=True)
    width, height = file.size
    check_size(width, height, MAX_PIXELS)
    decoded = np.asarray(file, np.uint8)  # the decoder's own memory, which lasts as long as `file`
    height, width = decoded.shape[:2]
    if decoded.ndim == 2:
        yield np.asarray(cv2.cvtColor(decoded, cv2.COLOR_GRAY2BGR), np.uint8)
    elif decoded.shape[2] == 3:
        yield decoded
    else:
        yield _in_strips(decoded, _opaque, width, height, 1)
    del decoded, file


_DECODERS: Final[dict[str, Callable[[PictureFile, int], tuple[Pixels, int, int]]]] = {
    "image/jpeg": _decode_jpeg,
    "image/png": _decode_png,
    "image/webp": _decode_webp,
    "image/heic": _decode_heic,
}


# How to undo each EXIF orientation: mirrored and turned as the standard numbers them.
_UPRIGHT: Final[dict[int, Callable[[np.ndarray], np.ndarray]]] = {
    2: lambda pixels: cv2.flip(pixels, 1),
    3: lambda pixels: cv2.flip(pixels, -1),
    4: lambda pixels: cv2.flip(pixels, 0),
    5: cv2.transpose,
    6: lambda pixels: cv2.rotate(pixels, cv2.ROTATE_90_CLOCKWISE),
    7: lambda pixels: cv2.flip(cv2.transpose(pixels), -1),
    8: lambda pixels: cv2.rotate(pixels, cv2.ROTATE_90_COUNTERCLOCKWISE),
}


def _reduction(width: int, height: int, max_pixels: int) -> int:
    """Return what both sides are divided by so that at most ``max_pixels`` are left, if eight times are enough."""
    return next((each for each in _REDUCTIONS if width * height <= max_pixels * each**2), _REDUCTIONS[-1])


def _bgr_of(picture: ImageFile.ImageFile, reduction: int) -> Pixels:
    """Return a loaded picture of any mode as BGR, its sides divided by ``reduction``."""
    width, height = picture.size

    def strip(top: int, bottom: int) -> Pixels:
        return _to_bgr(picture.crop((0, top, width, bottom)))

    return _assembled(strip, width, height, reduction)


def _in_strips(
    pixels: Pixels, convert: Callable[[Pixels], Pixels], width: int, height: int, reduction: int
) -> Pixels:
    return _assembled(lambda top, bottom: convert(pixels[top:bottom]), width, height, reduction)


def _assembled(strip: Callable[[int, int], Pixels], width: int, height: int, reduction: int) -> Pixels:
    """Return the picture that ``strip`` gives from one row to another, its sides divided by ``reduction``."""
    made = np.empty((-(-height // reduction), -(-width // reduction), 3), np.uint8)
    for top in range(0, height, _STRIP_ROWS):
        rows = made[top // reduction : (top + _STRIP_ROWS) // reduction]
        part = strip(top, min(top + _STRIP_ROWS, height))
        rows[:] = part if reduction == 1 else _resized(part, made.shape[1], len(rows))
    return made


def _resized(pixels: Pixels, width: int, height: int) -> Pixels:
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _opaque(pixels: Pixels) -> Pixels:
    """Return BGR or BGRA pixels as BGR, whatever is transparent on white."""
    if pixels.shape[2] == 3:
        return pixels
    alpha = pixels[..., 3:].astype(np.uint16)
    return np.asarray((pixels[..., :3] * alpha + 255 * (255 - alpha) + 127) // 255, np.uint8)


def _to_bgr(picture: Image.Image) -> Pixels:
    """Return a picture of any mode as BGR: 16 bits as 8, whatever is transparent on white."""
    if picture.mode.startswith("I"):  # 16-bit gray; Pillow's own conversion would clip it instead of scaling
        gray = np.asarray(picture).astype(np.uint32) >> 8
        return np.asarray(cv2.cvtColor(gray.clip(0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR), np.uint8)
    if picture.has_transparency_data:
        layer = picture.convert("RGBA")
        picture = Image.new("RGB", picture.size, "white")
        picture.paste(layer, mask=layer.getchannel("A"))
    elif picture.mode != "RGB":
        picture = picture.convert("RGB")
    return np.asarray(cv2.cvtColor(np.asarray(picture), cv2.COLOR_RGB2BGR), np.uint8)


def _jpeg(pixels: Pixels, quality: int) -> bytes:
    return cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def _damaged(error: Exception) -> Exception:
    """Return what to raise for a decoder's error; a lack of memory is none of the file's faults."""
    reason = str(error).strip().rstrip(".") or type(error).__name__
    if out_of_memory(error):
        return MemoryError(reason)
    if "truncated" in reason.lower():
        return PictureError(
            "truncated-picture",
            "The picture file is cut short: part of it is missing. Copy or take the picture again.",
        )
    return PictureError(
        "damaged-picture",
        f"The picture file is damaged and cannot be decoded ({' '.join(reason.split())}). Copy or take the picture again.",
    )


def out_of_memory(error: BaseException) -> bool:
    """Return whether an error of any library says that memory could not be allocated."""
    text = str(
        error
    ).lower()  # not "memory allocation error": libheif says that of sizes a damaged file claims
    return isinstance(error, MemoryError) or any(
        each in text
        for each in (
            "out of memory",
            "outofmemory",
            "insufficient memory",
            "bad_alloc",
            "failed to allocate",
        )
    )
