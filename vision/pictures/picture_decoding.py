"""Decodes picture files to pixels, and rejects files that are not complete pictures of a reasonable size.

Sizes are checked in the header before anything is decoded. Very large pictures are decoded at a reduced size. The server never
decodes pictures in its own process: see `vision.jobs.picture_process`.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile

from companion.hanafuda.messages import Message
from vision.pictures.picture_files import MAX_BYTES, PictureError, accepted_type

MAX_JPEG_PIXELS: Final = 210_000_000
"""Maximum pixel count of a JPEG with a single scan. It is decoded at a reduced size, line by line: 200 megapixels (16384 × 12288)
at a quarter of their width take 51 MB and 0.7 s."""

MAX_PIXELS: Final = 50_000_000
"""Maximum pixel count of PNG and HEIC, which are decoded whole: 4 to 5 bytes per pixel. Phones take HEIC of 48 megapixels."""

MAX_BUFFERED_PIXELS: Final = 32_000_000
"""Maximum pixel count of WebP and of JPEGs with several scans (progressive ones), whose decoders need 7 to 10 bytes per pixel
at any output size."""

MAX_SIDE: Final = 20_000
"""Maximum length of a side, px. The longest sides of phone pictures are 16,384 px."""

MIN_SIDE: Final = 8
"""Minimum length of a side, px. No card can be recognized in less."""

MAX_ASPECT: Final = 16
"""Maximum ratio of the sides. The longest panoramas of phones are about 8 : 1, twelve cards side by side 7.3 : 1, and the sheet of
pictures in a small deck's file is 10.7 : 1."""

WORKING_PIXELS: Final = 25_000_000
"""Maximum pixel count for detection: the usual 12 and 24 megapixels of phones are used in full. Larger pictures are reduced
to a half, a quarter or an eighth of their width; 200 megapixels become 12.6."""

#: Possible reduction factors of the sides; JPEG, with its blocks of 8 × 8 px, cannot be reduced further while decoding.
_REDUCTIONS: Final = (1, 2, 4, 8)
#: Number of rows that are converted at a time, so that the whole picture is never copied at once. A multiple of 8.
_STRIP_ROWS: Final = 512

MAX_SCANS: Final = 32
"""Maximum number of scans of a JPEG. Encoders write 10 to 14; each one is a pass over the whole picture."""

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

    def to_file(self) -> bytes:
        """Return the picture as it is stored: a JPEG made from the pixels, with nothing else that was in the file."""
        return to_jpeg(self.pixels, _STORED_JPEG_QUALITY)


def decode(data: bytes, max_pixels: int = WORKING_PIXELS) -> DecodedPicture:
    """Return the picture in a file, rotated upright according to EXIF and reduced to at most ``max_pixels``.

    Raises `PictureError` if the file is empty, too large, not a supported picture, damaged or truncated.
    """
    return _decode(data, lambda wide, high: _factor(wide * high <= max_pixels * by**2 for by in _REDUCTIONS))


def decode_file(path: Path, max_pixels: int = WORKING_PIXELS) -> DecodedPicture:
    """Return the picture in the file at ``path`` as `decode` does. Raises `PictureError`, with the path, also if it cannot be read."""
    try:
        with path.open("rb") as file:
            return decode(file.read(MAX_BYTES + 1), max_pixels)  # one byte more, to detect a larger file
    except PictureError as error:
        code, reason = error.code, error.message
    except OSError as error:
        code = "unreadable-picture"
        reason = Message("file-unreadable", {"reason": error.strerror or str(error)})
    raise PictureError(code, Message("labeled", {"label": str(path), "text": reason}))


def read_picture(data: bytes) -> Pixels:
    """Return the pixels of a picture, reduced only if there are more than `MAX_PIXELS`. Raises the errors of `decode`."""
    return decode(data, MAX_PIXELS).pixels


def smaller_jpeg(data: bytes, width: int) -> bytes:
    """Return a picture as an upright JPEG at most ``width`` px wide. Raises the errors of `decode`."""
    # Decode at one to two times the width; the remaining reduction uses area interpolation, which is slower but better.
    decoded = _decode(data, lambda wide, _: _factor(wide < 2 * by * width for by in _REDUCTIONS))
    pixels = decoded.pixels
    if decoded.width > width:
        height = max(1, decoded.height * width // decoded.width)
        pixels = _resized(pixels, width, height)
    return to_jpeg(pixels, _SMALL_JPEG_QUALITY)


def square_jpeg(data: bytes, side: int) -> bytes:
    """Return the middle of a picture as an upright square JPEG of ``side`` px. Raises the errors of `decode`."""
    pixels = decode(data).pixels
    height, width = pixels.shape[:2]
    edge = min(height, width)
    top, left = (height - edge) // 2, (width - edge) // 2
    return to_jpeg(_resized(pixels[top : top + edge, left : left + edge], side, side), _SMALL_JPEG_QUALITY)


def resized_to(pixels: Pixels, long_side: int) -> Pixels:
    """Return the picture with its long side reduced to at most ``long_side`` px."""
    height, width = pixels.shape[:2]
    scale = long_side / max(height, width)
    if scale >= 1:
        return pixels
    return _resized(pixels, max(1, round(width * scale)), max(1, round(height * scale)))


def check_size(size: tuple[int, int], max_pixels: int) -> None:
    """Raise `PictureError` unless a picture of a size (width and height, px) can be decoded at a reasonable cost."""
    width, height = size
    known = {"width": str(width), "height": str(height)}
    if width * height > max_pixels:
        known |= {"pixels": str(round(width * height / 1e6)), "max": str(max_pixels // 1_000_000)}
        raise PictureError("too-many-pixels", Message("problem-too-many-pixels", known))
    short_side, long_side = sorted(size)
    if short_side < MIN_SIDE or long_side > MAX_SIDE or long_side > MAX_ASPECT * short_side:
        known |= {"min": str(MIN_SIDE), "max": str(MAX_SIDE), "aspect": str(MAX_ASPECT)}
        raise PictureError("picture-shape", Message("problem-picture-shape", known))


class _PictureHeader(NamedTuple):
    """A picture file whose header was read and checked.

    ``size``: width and height as stored, px. ``pixels``: decodes it with its sides divided by a factor. ``exif``: what says
    how the camera was held.
    """

    size: tuple[int, int]
    pixels: Callable[[int], Pixels]
    exif: bytes = b""


def _decode(data: bytes, reduction: Callable[[int, int], int]) -> DecodedPicture:
    """Return the picture with its sides divided by ``reduction(width, height)``, for its size when upright."""
    kind = accepted_type(data)
    with warnings.catch_warnings():
        # Pillow warns about irregularities even in pictures that it decodes completely.
        warnings.simplefilter("ignore")
        try:
            opened = _OPENERS[kind](data)
            orientation, focal_35mm = _camera_settings(opened.exif)
            width, height = opened.size[::-1] if _is_turned(orientation) else opened.size
            pixels = _upright(opened.pixels(reduction(width, height)), orientation)
        except PictureError:
            raise
        except Exception as error:  # decoders raise errors of any type for damaged files
            raise _damaged(error) from error
    # The 35 mm equivalent is the focal length that gives the same diagonal angle of view on 35 mm film.
    diagonal = float(np.hypot(*pixels.shape[:2]))
    focal = focal_35mm and focal_35mm / _FILM_DIAGONAL_MM * diagonal
    return DecodedPicture(pixels, width, height, focal)


def _factor(enough: Iterable[bool]) -> int:
    """Return the first of `_REDUCTIONS` that is enough, or the last one."""
    return next((factor for factor, true in zip(_REDUCTIONS, enough, strict=True) if true), _REDUCTIONS[-1])


def _open_jpeg(data: bytes) -> _PictureHeader:
    # The marker of a scan is not in coded pixels, where a zero follows each 0xFF.
    if data.count(b"\xff\xda") > MAX_SCANS:
        raise PictureError("picture-too-costly", Message("problem-picture-passes", {"max": MAX_SCANS}))
    file = io.BytesIO(data)
    picture = JpegImageFile(file)
    width, height = picture.size
    first_scan = data.rfind(b"\xff\xda", 0, file.tell())
    several = "progressive" in picture.info or data[first_scan + 4] < len(
        picture.getbands()
    )  # colors one after the other
    check_size(picture.size, MAX_BUFFERED_PIXELS if several else MAX_JPEG_PIXELS)

    def pixels(reduction: int) -> Pixels:
        if reduction > 1:
            picture.draft(None, (-(-width // reduction), -(-height // reduction)))
        picture.load()
        applied = round(width / picture.width)
        return _bgr_of(picture, max(1, reduction // applied))

    return _PictureHeader(picture.size, pixels, picture.info.get("exif", b""))


def _open_png(data: bytes) -> _PictureHeader:
    picture = PngImageFile(io.BytesIO(data))
    check_size(picture.size, MAX_PIXELS)

    def pixels(reduction: int) -> Pixels:
        picture.load()
        return _bgr_of(picture, reduction)

    return _PictureHeader(picture.size, pixels, picture.info.get("exif", b""))


def _open_webp(data: bytes) -> _PictureHeader:
    # OpenCV needs 7 bytes per pixel; Pillow, which supports animations, needs 16. OpenCV cannot read a header alone.
    check_size(_webp_size(data), MAX_BUFFERED_PIXELS)
    decoded, kinds, metadata = cv2.imdecodeWithMetadata(
        np.frombuffer(data, np.uint8), flags=cv2.IMREAD_UNCHANGED
    )
    if decoded is None:
        raise ValueError("broken data")
    height, width = decoded.shape[:2]
    exif = next(
        (
            each.tobytes()
            for kind, each in zip(kinds, metadata, strict=False)
            if kind == cv2.IMAGE_METADATA_EXIF
        ),
        b"",
    )
    return _PictureHeader((width, height), lambda reduction: _in_strips(decoded, reduction), exif)


def _webp_size(data: bytes) -> tuple[int, int]:
    """Return the width and height in the header of a WebP file, px: of an extended, a lossless or a lossy one."""
    bits = int.from_bytes(data[20:30], "little")
    if not bits:
        raise ValueError("it has no header")
    match data[12:16]:
        case b"VP8X":
            return 1 + (bits >> 32 & 0xFFFFFF), 1 + (bits >> 56)
        case b"VP8L":
            return 1 + (bits >> 8 & 0x3FFF), 1 + (bits >> 22 & 0x3FFF)
        case _:
            return bits >> 48 & 0x3FFF, bits >> 64 & 0x3FFF


def _open_heic(data: bytes) -> _PictureHeader:
    # Imported late: only iPhones send HEIC, and loading the library would delay every start. It ships no types.
    import pi_heif  # type: ignore[import-untyped]  # noqa: PLC0415

    file = pi_heif.open_heif(io.BytesIO(data), bgr_mode=True)
    check_size(file.size, MAX_PIXELS)  # upright
    # The array is a view of the decoder's memory, valid as long as `file`.
    return _PictureHeader(file.size, lambda reduction: _in_strips(np.asarray(file, np.uint8), reduction))


_OPENERS: Final[dict[str, Callable[[bytes], _PictureHeader]]] = {
    "image/jpeg": _open_jpeg,
    "image/png": _open_png,
    "image/webp": _open_webp,
    "image/heic": _open_heic,
}


def _camera_settings(data: bytes) -> tuple[int, int | None]:
    """Return the orientation (1-8) and the 35 mm equivalent focal length (mm, None if unknown) in EXIF data.

    What is broken counts as missing, because broken EXIF is common.
    """
    exif = Image.Exif()
    try:
        exif.load(data)
        orientation = exif.get(ExifTags.Base.Orientation)
        focal = exif.get_ifd(ExifTags.IFD.Exif).get(ExifTags.Base.FocalLengthIn35mmFilm)
    except Exception:  # of any type
        orientation = focal = None
    return (
        orientation if isinstance(orientation, int) and 1 <= orientation <= 8 else 1,
        focal if isinstance(focal, int) and focal > 0 else None,  # cameras that do not know it write 0
    )


def _is_turned(orientation: int) -> bool:
    """Return whether width and height are exchanged in an EXIF orientation."""
    return orientation >= 5


def _upright(pixels: Pixels, orientation: int) -> Pixels:
    """Return the pixels with the mirroring and rotation of an EXIF orientation undone."""
    if _is_turned(orientation):
        pixels = np.asarray(cv2.transpose(pixels), np.uint8)
    flip = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}.get(orientation)
    return pixels if flip is None else np.asarray(cv2.flip(pixels, flip), np.uint8)


def _bgr_of(picture: ImageFile.ImageFile, reduction: int) -> Pixels:
    """Return a loaded picture of any mode as BGR with its sides divided by ``reduction``."""
    width, height = picture.size

    def strip(top: int, bottom: int) -> Pixels:
        return _to_bgr(picture.crop((0, top, width, bottom)))

    return _assembled(strip, width, height, reduction)


def _in_strips(pixels: np.ndarray, reduction: int) -> Pixels:
    """Return gray, BGR or BGRA pixels as BGR with the sides divided by ``reduction``."""
    height, width = pixels.shape[:2]
    return _assembled(lambda top, bottom: _opaque(pixels[top:bottom]), width, height, reduction)


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


def _opaque(pixels: np.ndarray) -> Pixels:
    """Return gray, BGR or BGRA pixels as BGR, with transparent parts on white."""
    if pixels.ndim == 2:
        return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR), np.uint8)
    if pixels.shape[2] == 3:
        return np.asarray(pixels, np.uint8)
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


def to_jpeg(pixels: Pixels, quality: int) -> bytes:
    """Return pixels (H x W or H x W x 3 BGR) as a JPEG file with a quality of 1-100."""
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
