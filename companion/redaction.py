"""What must not be shown: secrets in logs, archives and errors, and control characters of data on terminals.

All patterns take linear time: a log contains texts of strangers.
"""

from __future__ import annotations

import re
from typing import Final

HIDDEN: Final = "***"
"""Stands in the place of a secret."""

_WORD: Final = re.compile(r"[^\s\"'<>]+")
_SCHEME: Final = re.compile(r"[a-z0-9+.-]{2}:/+", re.IGNORECASE)  # one slash is left in the name of a path
_USER: Final = re.compile(r"(?<![\w.%+:/-])[\w.%+-]+:[^\s:@/\"'<>]+@(?=[\w\[])")
"""User and password without a scheme, as in ``user:password@broker``."""
_AUTHORIZATION: Final = re.compile(
    r"(?P<name>\bbearer\s+|\bauthorization[\"']?\s*[=:]\s*[\"']?(?:(?:basic|bearer|digest)\s+)?)[^\s\"',;&]+",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"(?P<name>(?:(?:password|passwd|passphrase|token|secret|(?<![a-z])(?:pwd|pw|pin|pairing|visitor|session))\\*[\"']?\s*[=:]\s*"
    r"|--(?:token|password|pin)\s+|(?<![a-z])(?:code|key|auth|sig)=))"
    r"(?:(?P<quote>\\*(?:\"{3}|'{3}|[\"']))(?:(?!(?P=quote))(?:\\.|[^\\]))*(?P=quote)"
    r"|\[[^\]]{0,1000}\]|\{[^}]{0,1000}\}|[^\s&;,\"'#)}\]]+)",
    re.IGNORECASE,
)
_CONTROLS: Final = re.compile(r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def redacted(text: str) -> str:
    """Return a text with its secrets replaced: passwords with their users in addresses, tokens, PINs, codes of invitations, cookies.

    A secret is recognized by its place (``user:password@host``, ``Bearer …``) or by the name before it (``token=…``).
    """
    if "@" in text:
        text = _USER.sub(f"{HIDDEN}@", _WORD.sub(_without_user, text))
    text = _AUTHORIZATION.sub(rf"\g<name>{HIDDEN}", text)
    return _NAMED.sub(lambda named: "{name}{quote}***{quote}".format_map(named.groupdict("")), text)


def _without_user(word: re.Match[str]) -> str:
    """Return an address without user and password; a password may contain `/` and `@`, so the last `@` ends it."""
    text = word[0]
    scheme, end = _SCHEME.search(text), text.rfind("@")
    if scheme is None or text.find(":", scheme.end(), max(end, 0)) < 0:  # a user alone is no secret
        return text
    return f"{text[: scheme.end()]}{HIDDEN}{text[end:]}"


def without_controls(text: str) -> str:
    r"""Return a text for a terminal: control characters except line ends and tabs are written as ``\u001b``.

    Characters that turn the direction of a text around count as control characters. The escapes are also those of JSON.
    """
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
