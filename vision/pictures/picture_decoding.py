"""Decodes picture files to pixels, and rejects files that are not complete pictures of a reasonable size.

Sizes are checked in the header before anything is decoded (`vision.pictures.picture_files`). Very large pictures are decoded at a
reduced size. The server never decodes pictures in its own process: see `vision.jobs.picture_process`.
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

from companion.hanafuda.messages import Message
from vision.pictures.picture_files import (
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
    "square_jpeg",
]

WORKING_PIXELS: Final = 25_000_000
"""Maximum pixel count for detection: the usual 12 and 24 megapixels of phones are used in full. Larger pictures are reduced
to a half, a quarter or an eighth of their width; 200 megapixels become 12.6."""

#: Possible reduction factors of the sides; JPEG, with its blocks of 8 × 8 px, cannot be reduced further while decoding.
_REDUCTIONS: Final = (1, 2, 4, 8)
#: Number of rows that are converted at a time, so that the whole picture is never copied at once. A multiple of 8.
_STRIP_ROWS: Final = 512

_FILM_DIAGONAL_MM: Final = 43.27
_STORED_JPEG_QUALITY: Final = 92
_SMALL_JPEG_QUALITY: Final = 85

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class DecodedPicture:
    """A decoded picture.

    ``pixels``: height × width × 3 uint8 BGR, upright, possibly reduced. ``width``, ``height``: size of the upright picture before
    the reduction, px. ``focal``: focal length, px of ``pixels``; None if EXIF does not contain it.
    """

    pixels: Pixels
    width: int
    height: int
    focal: float | None = None


def decode(data: bytes | PictureFile, max_pixels: int = WORKING_PIXELS) -> DecodedPicture:
    """Return the picture in a file, rotated upright according to EXIF and reduced to at most ``max_pixels``.

    ``data``: the file's bytes, or the result of `examine`. Raises `PictureError` if the file is empty, too large, not a supported
    picture, damaged or truncated.
    """
    return _decode(data if isinstance(data, PictureFile) else examine(data), max_pixels)


def read_picture(data: bytes) -> Pixels:
    """Return the pixels of a picture, reduced only if there are more than `MAX_PIXELS`. Raises the errors of `decode`."""
    return decode(data, MAX_PIXELS).pixels


def smaller_jpeg(data: bytes, width: int) -> bytes:
    """Return a picture as an upright JPEG at most ``width`` px wide. Raises the errors of `decode`."""
    file = examine(data)
    # Decode at one to two times the width; the remaining reduction uses area interpolation, which is slower but better.
    upright_width = file.width if file.orientation < 5 else file.height
    reduction = max(factor for factor in _REDUCTIONS if factor == 1 or upright_width >= factor * width)
    decoded = _decode(file, -(-file.width * file.height // reduction**2) if upright_width else WORKING_PIXELS)
    pixels = decoded.pixels
    if decoded.width > width:
        height = max(1, decoded.height * width // decoded.width)
        pixels = _resized(pixels, width, height)
    return _jpeg(pixels, _SMALL_JPEG_QUALITY)


def square_jpeg(file: PictureFile, side: int) -> bytes:
    """Return the middle of a picture as an upright square JPEG of ``side`` px. Raises the errors of `decode`."""
    pixels = decode(file).pixels
    height, width = pixels.shape[:2]
    edge = min(height, width)
    top, left = (height - edge) // 2, (width - edge) // 2
    return _jpeg(_resized(pixels[top : top + edge, left : left + edge], side, side), _SMALL_JPEG_QUALITY)


def resized_to(pixels: Pixels, long_side: int) -> Pixels:
    """Return the picture with its long side reduced to at most ``long_side`` px."""
    height, width = pixels.shape[:2]
    scale = long_side / max(height, width)
    if scale >= 1:
        return pixels
    return _resized(pixels, max(1, round(width * scale)), max(1, round(height * scale)))


def heic_to_jpeg(data: bytes) -> bytes:
    """Return a HEIC picture as an upright JPEG of the same size without metadata. Raises `PictureError`.

    Pictures are stored as JPEG instead of HEIC because a HEIC file has location and other metadata in many places, and because few
    browsers can show it.
    """
    try:
        with _heic(data) as pixels:
            return _jpeg(pixels, _STORED_JPEG_QUALITY)
    except PictureError:
        raise
    except Exception as error:  # decoders raise errors of any type for damaged files
        raise _damaged(error) from error


def _decode(file: PictureFile, max_pixels: int) -> DecodedPicture:
    with warnings.catch_warnings():
        # Pillow warns about irregularities even in pictures that it decodes completely.
        warnings.simplefilter("ignore")
        try:
            pixels, width, height = _DECODERS[file.media_type](file, max_pixels)
        except PictureError:
            raise
        except Exception as error:  # as above
            raise _damaged(error) from error
    transform = _UPRIGHT.get(file.orientation)
    if transform is not None:
        pixels = np.asarray(transform(pixels), np.uint8)
        if file.orientation >= 5:
            width, height = height, width
    # The 35 mm equivalent is the focal length that gives the same diagonal angle of view on 35 mm film.
    diagonal = float(np.hypot(*pixels.shape[:2]))
    focal = None if file.focal_35mm is None else file.focal_35mm / _FILM_DIAGONAL_MM * diagonal
    return DecodedPicture(pixels, width, height, focal)


def _decode_jpeg(file: PictureFile, max_pixels: int) -> tuple[Pixels, int, int]:
    picture = JpegImageFile(io.BytesIO(file.data))
    reduction = _reduction(file.width, file.height, max_pixels)
    if reduction > 1:
        picture.draft(None, (-(-file.width // reduction), -(-file.height // reduction)))
    picture.load()
    applied = round(file.width / picture.width)
    return _bgr_of(picture, max(1, reduction // applied)), file.width, file.height


def _decode_png(file: PictureFile, max_pixels: int) -> tuple[Pixels, int, int]:
    picture = PngImageFile(io.BytesIO(file.data))
    picture.load()
    return _bgr_of(picture, _reduction(file.width, file.height, max_pixels)), file.width, file.height


def _decode_webp(file: PictureFile, max_pixels: int) -> tuple[Pixels, int, int]:
    # OpenCV needs 7 bytes per pixel; Pillow, which supports animations, needs 16.
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
    """Yield the pixels of a HEIC file (BGR, upright); they must not be used after the context is left."""
    # Imported late: only iPhones send HEIC, and loading the library would delay every start. It ships no types.
    import pi_heif  # type: ignore[import-untyped]  # noqa: PLC0415

    file = pi_heif.open_heif(io.BytesIO(data), bgr_mode=True)
    width, height = file.size
    check_size(width, height, MAX_PIXELS)
    decoded = np.asarray(file, np.uint8)  # a view of the decoder's memory, valid as long as `file`
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


# Transforms that undo each EXIF orientation (mirroring and rotation), by its number in the standard.
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
    """Return the smallest factor that reduces both sides so that at most ``max_pixels`` remain; 8 if no factor is enough."""
    return next(
        (factor for factor in _REDUCTIONS if width * height <= max_pixels * factor**2), _REDUCTIONS[-1]
    )


def _bgr_of(picture: ImageFile.ImageFile, reduction: int) -> Pixels:
    """Return a loaded picture of any mode as BGR with its sides divided by ``reduction``."""
    width, height = picture.size

    def strip(top: int, bottom: int) -> Pixels:
        return _to_bgr(picture.crop((0, top, width, bottom)))

    return _assembled(strip, width, height, reduction)


def _in_strips(
    pixels: Pixels, convert: Callable[[Pixels], Pixels], width: int, height: int, reduction: int
) -> Pixels:
    return _assembled(lambda top, bottom: convert(pixels[top:bottom]), width, height, reduction)


def _assembled(strip: Callable[[int, int], Pixels], width: int, height: int, reduction: int) -> Pixels:
    """Return the picture with its sides divided by ``reduction``; ``strip(top, bottom)`` returns those of its rows."""
    result = np.empty((-(-height // reduction), -(-width // reduction), 3), np.uint8)
    for top in range(0, height, _STRIP_ROWS):
        rows = result[top // reduction : (top + _STRIP_ROWS) // reduction]
        strip_pixels = strip(top, min(top + _STRIP_ROWS, height))
        rows[:] = strip_pixels if reduction == 1 else _resized(strip_pixels, result.shape[1], len(rows))
    return result


def _resized(pixels: Pixels, width: int, height: int) -> Pixels:
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _opaque(pixels: Pixels) -> Pixels:
    """Return BGR or BGRA pixels as BGR, with transparent parts on white."""
    if pixels.shape[2] == 3:
        return pixels
    alpha = pixels[..., 3:].astype(np.uint16)
    return np.asarray((pixels[..., :3] * alpha + 255 * (255 - alpha) + 127) // 255, np.uint8)


def _to_bgr(picture: Image.Image) -> Pixels:
    """Return a picture of any mode as 8-bit BGR, with transparent parts on white."""
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
    """Return the error to raise for a decoder's error: `MemoryError` if memory ran out, otherwise a `PictureError`."""
    reason = str(error).strip().rstrip(".") or type(error).__name__
    if out_of_memory(error):
        return MemoryError(reason)
    if "truncated" in reason.lower():
        return PictureError("truncated-picture", Message("problem-truncated-picture"))
    return PictureError(
        "damaged-picture", Message("problem-damaged-picture", {"reason": " ".join(reason.split())})
    )


def out_of_memory(error: BaseException) -> bool:
    """Return whether an error of any library means that memory could not be allocated."""
    text = str(
        error
    ).lower()  # not "memory allocation error": libheif reports it for the sizes in damaged files
    return isinstance(error, MemoryError) or any(
        phrase in text
        for phrase in (
            "out of memory",
            "outofmemory",
            "insufficient memory",
            "bad_alloc",
            "failed to allocate",
        )
    )
