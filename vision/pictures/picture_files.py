"""What kind of picture a file is.

It uses the standard library only, so that a server can refuse uploads without loading a decoder.
"""

from __future__ import annotations

from typing import Final

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message

MAX_BYTES: Final = 64 * 2**20
"""Maximum size of a picture file, bytes. 200-megapixel JPEGs of phones have 30 to 60 MB."""

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
    ``too-many-pixels``, ``picture-shape`` (too small or too narrow), ``picture-too-costly``, ``truncated-picture``,
    ``damaged-picture`` or ``unreadable-picture``.
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
    if data[:8] == b"\x89PNG\r\n\x1a\n":
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
