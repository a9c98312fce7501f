"""Checks picture files and removes their metadata, by header and segments, without decoding any pixels.

`examine` rejects files that would be too costly to decode, and returns the file with nothing but the picture: location,
comments, embedded thumbnails, further frames, and appended data are removed without recompression. It uses the standard
library only, so that a server can check uploads without loading a decoder.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message

MAX_BYTES: Final = 64 * 2**20
"""Maximum size of a picture file, bytes. 200-megapixel JPEGs of phones have 30 to 60 MB."""

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

MAX_SCANS: Final = 32
"""Maximum number of scans of a JPEG. Encoders write 10 to 14; each one is a pass over the whole picture."""

_MAX_SEGMENTS: Final = 4096
"""Maximum number of JPEG segments or WebP chunks. 64 MB of metadata fit in 1,024 segments of maximum size."""

_MAX_CHUNKS: Final = 65_536
"""Maximum number of PNG chunks. Encoders write chunks of 8 kB or more: 64 MB are 8,192 of them."""

_MAX_PROFILE_BYTES: Final = 65_519
"""Maximum size of a color profile that is kept, bytes: the capacity of one JPEG segment. Display profiles have 0.5 to 4 kB."""

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

_ORIENTATION_TAG: Final = 0x0112
_EXIF_DIRECTORY_TAG: Final = 0x8769
_FOCAL_35MM_TAG: Final = 0xA405
#: Types of EXIF values: of two bytes, and of four.
_SHORT: Final = 3
_LONG: Final = 4


class PictureError(MessageError, ValueError):
    """The file is not a usable picture; the message says what is wrong and what to do.

    ``code`` is a stable slug: ``empty-picture``, ``not-a-picture`` (another kind of file), ``too-many-bytes``,
    ``too-many-pixels``, ``picture-shape`` (too small or too narrow), ``picture-too-costly``, ``truncated-picture`` or
    ``damaged-picture``.
    """

    def __init__(self, code: str, message: Message | str) -> None:
        self.code = code
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A checked picture file.

    ``data``: the file without metadata. ``width``, ``height``: size as stored, before the orientation is applied, px; 0 for HEIC,
    whose size the decoder checks. ``orientation``: EXIF orientation (1-8), which ``data`` still contains. ``focal_35mm``: 35 mm
    equivalent focal length of a JPEG, mm; None if unknown.
    """

    data: bytes
    media_type: str
    width: int
    height: int
    orientation: int
    focal_35mm: int | None = None


def media_type(data: bytes) -> str:
    """Return the media type of a picture file from its first bytes. Raises `PictureError` for any other file."""
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
        Message("problem-not-a-picture", {"file": _describe_format(data)}),
    )


def examine(data: bytes) -> PictureFile:
    """Return a picture file, checked and without metadata. Raises `PictureError`. Takes time linear in the size of the file.

    HEIC files are returned unchanged: they must be converted before they are stored.
    """
    if not data:
        raise PictureError("empty-picture", Message("problem-empty-picture"))
    if len(data) > MAX_BYTES:
        raise PictureError(
            "too-many-bytes",
            Message("problem-picture-bytes", {"size": f"{len(data) / 2**20:.1f}", "max": MAX_BYTES // 2**20}),
        )
    type_name = media_type(data)
    try:
        match type_name:
            case "image/jpeg":
                return _examine_jpeg(data)
            case "image/png":
                return _examine_png(data)
            case "image/webp":
                return _examine_webp(data)
            case _:
                return PictureFile(data, type_name, 0, 0, 1)
    except (struct.error, IndexError) as error:
        raise _truncated() from error


def check_size(width: int, height: int, max_pixels: int) -> None:
    """Raise `PictureError` unless a picture of this size can be decoded at a reasonable cost."""
    pixels = width * height
    if pixels > max_pixels:
        raise PictureError(
            "too-many-pixels",
            Message(
                "problem-too-many-pixels",
                {
                    "width": str(width),
                    "height": str(height),
                    "pixels": round(pixels / 1e6),
                    "max": max_pixels // 1_000_000,
                },
            ),
        )
    short_side, long_side = sorted((width, height))
    if short_side < MIN_SIDE or long_side > MAX_SIDE or long_side > MAX_ASPECT * short_side:
        raise PictureError(
            "picture-shape",
            Message(
                "problem-picture-shape",
                {
                    "width": str(width),
                    "height": str(height),
                    "min": str(MIN_SIDE),
                    "max": str(MAX_SIDE),
                    "aspect": MAX_ASPECT,
                },
            ),
        )


# --- JPEG

#: A marker with a segment: not a stuffed 0xFF, a fill byte, a restart marker, or the standalone marker TEM.
_MARKER: Final = re.compile(rb"\xff[^\x00\x01\xff\xd0-\xd7]")
_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_APP0, _APP1, _APP2, _APP14 = 0xE0, 0xE1, 0xE2, 0xEE
#: Baseline, extended and progressive; no camera or phone writes lossless or arithmetic coding.
_FRAMES: Final = frozenset((0xC0, 0xC1, 0xC2))
_PROGRESSIVE: Final = 0xC2
_OTHER_FRAMES: Final = frozenset((0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF))
_HUFFMAN, _QUANTIZATION, _RESTART_INTERVAL = 0xC4, 0xDB, 0xDD
_TABLES: Final = frozenset((_HUFFMAN, _QUANTIZATION, _RESTART_INTERVAL))
_EXIF: Final = b"Exif\0\0"
_PROFILE: Final = b"ICC_PROFILE\0"


class _Jpeg:
    """Collects the segments of a JPEG that are kept, and the properties of the picture, while the file is read."""

    def __init__(self) -> None:
        self.width = self.height = self._components = self.scans = 0
        self._exif: bytes | None = None
        self.body: list[bytes | memoryview] = []
        self._jfif = self._adobe = b""
        self._profile: list[bytes] = []
        self._several_scans = False

    @property
    def orientation(self) -> int:
        """The EXIF orientation (1-8), from the first EXIF segment."""
        return _read_orientation(self._exif or b"")

    @property
    def focal_35mm(self) -> int | None:
        """The 35 mm equivalent focal length, mm; None if unknown."""
        return _read_focal_35mm(self._exif or b"")

    @property
    def begun(self) -> bool:
        """Whether the frame header, with the size, has been read."""
        return self._components > 0

    def add(self, marker: int, segment: memoryview) -> None:
        """Read a segment, which includes its marker. Raises `PictureError` if it is invalid or unsupported."""
        payload = segment[4:]
        if marker in _FRAMES:
            if self.begun:
                raise _damaged("it has two frame headers")
            self.height, self.width, self._components = struct.unpack_from(">HHB", payload, 1)
            self._several_scans = marker == _PROGRESSIVE
        elif marker in _OTHER_FRAMES:
            raise _damaged("it is a kind of JPEG that is not supported: lossless or arithmetic coding")
        elif marker == _SOS:
            self._add_scan(payload)
        elif marker not in _TABLES:
            if self.scans:
                raise _damaged("it has metadata between its scans")
            self._add_metadata(marker, bytes(payload))
            return
        self.body.append(segment)

    def _add_scan(self, payload: memoryview) -> None:
        self.scans += 1
        self._several_scans |= payload[0] != self._components
        if self.scans == 1:
            check_size(
                self.width, self.height, MAX_BUFFERED_PIXELS if self._several_scans else MAX_JPEG_PIXELS
            )
        if self.scans > MAX_SCANS:
            raise PictureError(
                "picture-too-costly",
                Message("problem-picture-passes", {"max": MAX_SCANS}),
            )

    def _add_metadata(self, marker: int, payload: bytes) -> None:
        if marker == _APP0 and payload.startswith(b"JFIF\0"):
            self._jfif = self._jfif or payload[:12] + b"\0\0"  # without its thumbnail
        elif marker == _APP1 and payload.startswith(_EXIF):
            self._exif = payload[len(_EXIF) :] if self._exif is None else self._exif
        elif marker == _APP2 and payload.startswith(_PROFILE):
            self._profile.append(payload)
        elif marker == _APP14 and payload.startswith(b"Adobe"):
            self._adobe = payload[:12]

    def whole(self) -> bytes:
        """Return the JPEG file without metadata."""
        head = [b"\xff\xd8"]
        if self._jfif:
            head.append(_segment(_APP0, self._jfif))
        orientation = self.orientation
        if orientation != 1:
            head.append(_segment(_APP1, _EXIF + _orientation_exif(orientation)))
        if len(self._profile) == 1 and len(self._profile[0]) <= _MAX_PROFILE_BYTES:
            head.append(_segment(_APP2, self._profile[0]))
        if self._adobe:
            head.append(_segment(_APP14, self._adobe))
        return b"".join((*head, *self.body, b"\xff\xd9"))


def _examine_jpeg(data: bytes) -> PictureFile:
    picture, view, position = _Jpeg(), memoryview(data), 2
    for _ in range(_MAX_SEGMENTS):
        match = _MARKER.search(data, position)
        if match is None:
            raise _truncated() if picture.begun else _damaged("it ends before its header")
        if picture.scans:  # the coded picture is between a scan's header and the next marker
            picture.body.append(view[position : match.start()])
        marker = data[match.end() - 1]
        if marker == _EOI:
            break
        (length,) = struct.unpack_from(">H", data, match.end())
        position = match.end() + length
        if marker == _SOI or length < 2:
            raise _damaged("its segments are not in order")
        if position > len(data):
            raise _truncated()
        picture.add(marker, view[match.start() : position])
    else:
        raise _damaged("it has too many segments")
    if not picture.scans:
        raise _damaged("it has no picture data")
    return PictureFile(
        picture.whole(), "image/jpeg", picture.width, picture.height, picture.orientation, picture.focal_35mm
    )


def _segment(marker: int, payload: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(payload) + 2) + payload


# --- PNG

#: Chunks that are needed to decode a picture, and the small ones that define its color space. A color profile is removed as well,
#: because it would have to be unpacked to be checked.
_PNG_KEPT: Final = frozenset((b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"sRGB", b"gAMA", b"cHRM"))
_MAX_PNG_SMALL: Final = 1024  # no other chunk than IDAT needs more: a palette has 768 bytes


def _examine_png(data: bytes) -> PictureFile:
    view, position = memoryview(data), 8
    width, height, exif = 0, 0, b""
    kept: list[bytes | memoryview] = [data[:8]]
    for _ in range(_MAX_CHUNKS):
        if position + 12 > len(data):
            raise _truncated() if width else _damaged("it ends before its header")
        (length,) = struct.unpack_from(">I", data, position)
        name, end = data[position + 4 : position + 8], position + 12 + length
        if end > len(data):
            raise _truncated()
        if position == 8:
            if name != b"IHDR" or length != 13:
                raise _damaged("it does not begin with its header")
            width, height = struct.unpack_from(">II", data, position + 8)
            check_size(width, height, MAX_PIXELS)
        if name == b"IEND":
            break
        if name == b"eXIf":
            exif = exif or data[position + 8 : end - 4]
        elif name == b"IDAT" or (name in _PNG_KEPT and length <= _MAX_PNG_SMALL):
            kept.append(view[position:end])
        position = end
    else:
        raise _damaged("it has too many chunks")
    orientation = _read_orientation(exif)
    if orientation != 1:
        kept.insert(2, _chunk(b"eXIf", _orientation_exif(orientation)))  # after the header
    kept.append(_chunk(b"IEND", b""))
    return PictureFile(b"".join(kept), "image/png", width, height, orientation)


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


# --- WebP

_WEBP_KEPT: Final = frozenset((b"VP8 ", b"VP8L", b"ALPH", b"ICCP", b"EXIF"))
#: Bits of the extended header (VP8X) that announce a chunk.
_EXTENDED_FLAGS: Final = {b"ICCP": 0x20, b"ALPH": 0x10, b"EXIF": 0x08}


def _examine_webp(data: bytes) -> PictureFile:
    """Return a WebP file, checked and without metadata; an animation is reduced to its first frame."""
    (size,) = struct.unpack_from("<I", data, 4)
    if 8 + size > len(data):
        raise _truncated()
    parts = _webp_parts(data, 8 + size)
    bitmap = next((name for name in (b"VP8 ", b"VP8L") if name in parts), None)
    if bitmap is None:
        raise _damaged("it has no picture data")
    width, height, transparent = _webp_size(bitmap, parts[bitmap])
    check_size(width, height, MAX_BUFFERED_PIXELS)
    orientation = _read_orientation(parts.pop(b"EXIF", b"").removeprefix(_EXIF))
    if orientation != 1:
        parts[b"EXIF"] = _orientation_exif(orientation)
    if len(parts.get(b"ICCP", b"")) > _MAX_PROFILE_BYTES:
        del parts[b"ICCP"]
    names = [name for name in (b"ICCP", b"ALPH", bitmap, b"EXIF") if name in parts]
    chunks = [_riff_chunk(name, parts[name]) for name in names]
    if len(names) > 1:
        flags = sum({_EXTENDED_FLAGS.get(name, 0) for name in names} | {transparent and 0x10})
        canvas = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        chunks.insert(0, _riff_chunk(b"VP8X", struct.pack("<I", flags) + canvas))
    body = b"WEBP" + b"".join(chunks)
    whole = b"RIFF" + struct.pack("<I", len(body)) + body
    return PictureFile(whole, "image/webp", width, height, orientation)


def _webp_parts(data: bytes, end: int) -> dict[bytes, bytes]:
    """Return the chunks of a WebP file that are kept, by name; of an animation those of the first frame."""
    parts: dict[bytes, bytes] = {}
    animated = False
    for name, payload in _riff(data, 12, end):
        if name == b"ANMF":
            if not animated:
                parts |= dict(_riff(payload, 16, len(payload)))
            animated = True
        elif name in _WEBP_KEPT:
            parts.setdefault(name, payload)
    return parts


def _webp_size(bitmap: bytes, coded: bytes) -> tuple[int, int, int]:
    """Return width and height (px), and 1 if a lossless bitmap has transparency, otherwise 0."""
    if bitmap == b"VP8 " and coded[3:6] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", coded, 6)
        return width & 0x3FFF, height & 0x3FFF, 0
    if bitmap == b"VP8L" and coded[0] == 0x2F:
        (bits,) = struct.unpack_from("<I", coded, 1)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF), bits >> 28 & 1
    raise _damaged("its picture data has no header")


def _riff(data: bytes, position: int, end: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the name and payload of each chunk between two byte offsets."""
    for _ in range(_MAX_SEGMENTS):
        if position + 8 > end:
            return
        (size,) = struct.unpack_from("<I", data, position + 4)
        if position + 8 + size > end:
            raise _truncated()
        yield data[position : position + 4], data[position + 8 : position + 8 + size]
        position += 8 + size + size % 2
    raise _damaged("it has too many chunks")


def _riff_chunk(name: bytes, payload: bytes) -> bytes:
    return name + struct.pack("<I", len(payload)) + payload + b"\0" * (len(payload) % 2)


# --- EXIF


def _read_orientation(tiff: bytes) -> int:
    """Return the orientation (1-8) in EXIF data; 1 if it is missing or invalid, because broken EXIF is common."""
    value = _exif_value(tiff, (_ORIENTATION_TAG, _SHORT))
    return value if value is not None and 1 <= value <= 8 else 1


def _read_focal_35mm(tiff: bytes) -> int | None:
    """Return the 35 mm equivalent focal length (mm) in EXIF data, or None."""
    value = _exif_value(tiff, (_EXIF_DIRECTORY_TAG, _LONG), (_FOCAL_35MM_TAG, _SHORT))
    return value if value else None  # cameras that do not know it write 0


def _exif_value(tiff: bytes, *path: tuple[int, int]) -> int | None:
    """Return the number at a path of tags, each with its type, or None; all but the last are offsets of directories."""
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None:
        return None
    try:
        (value,) = struct.unpack_from(order + "I", tiff, 4)
        for wanted, wanted_type in path:
            found = None
            (count,) = struct.unpack_from(order + "H", tiff, value)
            for number in range(count):
                entry = value + 2 + 12 * number
                tag, value_type, length = struct.unpack_from(order + "HHI", tiff, entry)
                if tag == wanted and value_type == wanted_type and length == 1:
                    (found,) = struct.unpack_from(
                        order + ("H" if value_type == _SHORT else "I"), tiff, entry + 8
                    )
                    break
            if found is None:
                return None
            value = found
    except struct.error:
        return None
    return int(value)


def _orientation_exif(orientation: int) -> bytes:
    """Return EXIF data that contains only an orientation."""
    return struct.pack(">2sHIHHHIHHI", b"MM", 42, 8, 1, _ORIENTATION_TAG, 3, 1, orientation, 0, 0)


def _describe_format(data: bytes) -> Message:
    for start, kind in _OTHER_KINDS:
        if data.startswith(start):
            return kind
    if data[4:8] == b"ftyp":
        return Message("file-video-avif")
    is_text = all(byte >= 32 or byte in b"\t\r\n" for byte in data[:1024])
    return Message("file-text" if is_text else "file-other")


def _truncated() -> PictureError:
    return PictureError(
        "truncated-picture",
        Message("problem-truncated-picture"),
    )


def _damaged(reason: str) -> PictureError:
    return PictureError(
        "damaged-picture",
        Message("problem-damaged-picture", {"reason": reason}),
    )
