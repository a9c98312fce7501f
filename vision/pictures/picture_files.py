"""What kind of picture a file is, and its copy without metadata; no pixels are decoded.

It uses the standard library only, so that a server can refuse uploads without loading a decoder.
"""

from __future__ import annotations

import re
import zlib
from typing import Final, NamedTuple

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message

MAX_BYTES: Final = 64 * 2**20
"""Maximum size of a picture file, bytes. 200-megapixel JPEGs of phones have 30 to 60 MB."""

MAX_SCANS: Final = 32
"""Maximum number of scans of a JPEG. Encoders write 10 to 14; each one is a pass over the whole picture."""

_MAX_PARTS: Final = 65_536
"""Maximum number of JPEG segments or PNG chunks. Encoders write chunks of 8 kB or more: 64 MB are 8,192 of them."""

_HEIF_BRANDS: Final = frozenset((b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1"))
_OTHER_KINDS: Final = (
    (b"GIF8", Message("file-gif")),
    (b"BM", Message("file-bmp")),
    (b"%PDF", Message("file-pdf")),
    (b"II*\0", Message("file-tiff")),
    (b"MM\0*", Message("file-tiff")),
    (b"PK\x03\x04", Message("file-zip")),
    (b"\x1aE\xdf\xa3", Message("file-video")),
)


class PictureError(MessageError, ValueError):
    """The file is not a usable picture; the message says what is wrong and what to do.

    ``code`` is a stable slug: ``empty-picture``, ``not-a-picture`` (another kind of file), ``too-many-bytes``,
    ``too-many-pixels``, ``picture-shape`` (too small or too narrow), ``picture-too-costly``, ``truncated-picture`` or
    ``damaged-picture``.
    """

    def __init__(self, code: str, message: Message | str) -> None:
        self.code = code
        super().__init__(message)


def accepted_type(data: bytes) -> str:
    """Return the media type of a picture file. Raises `PictureError` for a file that is empty, too large or of another kind."""
    if not data:
        raise PictureError("empty-picture", Message("problem-empty-picture"))
    if len(data) > MAX_BYTES:
        size = f"{len(data) / 2**20:.1f}"
        raise PictureError(
            "too-many-bytes", Message("problem-picture-bytes", {"size": size, "max": MAX_BYTES // 2**20})
        )
    return media_type(data)


def media_type(data: bytes) -> str:
    """Return the media type of a picture file from its first bytes. Raises `PictureError` for any other file."""
    if data[:3] == b"\xff\xd8\xff":
        return "image/jpeg"
    if data[:8] == _PNG_SIGNATURE:
        return "image/png"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS:
        return "image/heic"
    raise PictureError("not-a-picture", Message("problem-not-a-picture", {"file": _describe_format(data)}))


def _describe_format(data: bytes) -> Message:
    for start, kind in _OTHER_KINDS:
        if data.startswith(start):
            return kind
    if data[4:8] == b"ftyp":
        return Message("file-video-avif")
    is_text = all(byte >= 32 or byte in b"\t\r\n" for byte in data[:1024])
    return Message("file-text" if is_text else "file-other")


class CleanFile(NamedTuple):
    """A JPEG or PNG without metadata, not recompressed: location, comments, embedded thumbnails, further frames and
    appended data are removed, the description of its colors is kept.

    ``exif``: the EXIF data that was removed. ``scans``: number of scans of a JPEG.
    """

    data: bytes
    exif: bytes
    scans: int = 1


#: A marker with a segment: not a stuffed 0xFF, a fill byte, a restart marker, or the standalone marker TEM.
_MARKER: Final = re.compile(rb"\xff[^\x00\x01\xff\xd0-\xd7]")
_SCAN, _END = 0xDA, 0xD9
#: Frame headers, tables and scans.
_JPEG_KEPT: Final = frozenset((*range(0xC0, 0xD0), 0xDA, 0xDB, 0xDD))
#: Segments that describe colors: JFIF without a thumbnail, Adobe's, and a color profile that fits in one segment.
_JPEG_COLORS: Final = re.compile(
    rb"\xff(\xe0\0\x10JFIF\0|\xee\0\x0eAdobe|\xe2..ICC_PROFILE\0\x01\x01)", re.DOTALL
)
_JPEG_EXIF: Final = re.compile(rb"\xff\xe1..Exif\0\0", re.DOTALL)


def clean_jpeg(data: bytes) -> CleanFile:
    """Return a JPEG without metadata. Raises `PictureError` if it has too many segments or scans."""
    kept, exif, scans, position = [data[:2]], b"", 0, 2
    for _ in range(_MAX_PARTS):
        match = _MARKER.search(data, position)
        if scans:  # the coded picture is between a scan's header and the next marker
            kept.append(data[position : match.start() if match else None])
        if match is None:
            break
        marker = data[match.end() - 1]
        if marker == _END:
            kept.append(match[0])
            break
        position = match.end() + max(2, int.from_bytes(data[match.end() : match.end() + 2]))
        segment = data[match.start() : position]
        if marker in _JPEG_KEPT or _JPEG_COLORS.match(segment):
            kept.append(segment)
        elif not exif and (found := _JPEG_EXIF.match(segment)):
            exif = segment[found.end() :]
        scans += marker == _SCAN
        if scans > MAX_SCANS:
            raise PictureError("picture-too-costly", Message("problem-picture-passes", {"max": MAX_SCANS}))
    else:
        raise damaged_picture("it has too many segments")
    return CleanFile(b"".join(kept), exif, scans)


_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PNG_END: Final = b"\0\0\0\0IEND\xaeB`\x82"
#: Besides the pixels. A color profile is not kept, because it would have to be unpacked to be checked.
_PNG_KEPT: Final = frozenset((b"IHDR", b"PLTE", b"tRNS", b"sRGB", b"gAMA", b"cHRM"))
_MAX_SMALL_CHUNK: Final = 1024
"""Maximum size of a PNG chunk without pixels, bytes: a palette has 768. A larger one hides something else, and is not kept."""


def clean_png(data: bytes) -> CleanFile:
    """Return a PNG without metadata. Raises `PictureError` if it has too many chunks."""
    kept, exif, position = [_PNG_SIGNATURE], b"", len(_PNG_SIGNATURE)
    for _ in range(_MAX_PARTS):
        name = data[position + 4 : position + 8]
        length = int.from_bytes(data[position : position + 4])
        end = position + 12 + length  # length, name and checksum
        if name == b"IEND" and end <= len(data):
            kept.append(_PNG_END)
        elif name == b"IDAT" or (name in _PNG_KEPT and length <= _MAX_SMALL_CHUNK):
            kept.append(data[position:end])
        elif name == b"eXIf":
            exif = exif or data[position + 8 : end - 4]
        if name == b"IEND" or end >= len(data):
            break
        position = end
    else:
        raise damaged_picture("it has too many chunks")
    return CleanFile(b"".join(kept), exif)


def with_exif(data: bytes, exif: bytes) -> bytes:
    """Return a clean JPEG or PNG with EXIF data (at most 64 kB)."""
    if data.startswith(_PNG_SIGNATURE):
        header = len(_PNG_SIGNATURE) + 25  # its first chunk
        chunk = b"eXIf" + exif
        chunk = len(exif).to_bytes(4) + chunk + zlib.crc32(chunk).to_bytes(4)
        return data[:header] + chunk + data[header:]
    return data[:2] + b"\xff\xe1" + (len(exif) + 8).to_bytes(2) + b"Exif\0\0" + exif + data[2:]


def damaged_picture(reason: str) -> PictureError:
    """Return the error for a file that cannot be decoded, for a ``reason``."""
    return PictureError("damaged-picture", Message("problem-damaged-picture", {"reason": reason}))
