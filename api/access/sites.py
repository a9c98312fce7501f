"""Protection against cross-site requests and DNS rebinding, on every route and before the body is read.

Checks three kinds of headers that browsers set and pages cannot change: `Host`, `Origin`, and `Sec-Fetch-…`. Programs other than
browsers send neither of the last two.

Another site can make its own host name resolve to this machine (DNS rebinding), and its pages would then count as ours. This is
impossible with an IP address, so all addresses are accepted, but only those host names that belong to this machine.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, Self

from flask import Response, request

from api.context import context
from api.problems import RequestRefusedError
from companion.hanafuda.messages import Message
from companion.net.mdns import MDNS_NAME

_READS: Final = frozenset(("GET", "HEAD", "OPTIONS"))
_OWN: Final = frozenset(("same-origin", "none"))
"""Values of `Sec-Fetch-Site` for our own pages, and for typed addresses and bookmarks."""
_API: Final = "/api/"
_HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::([0-9]{1,5}))?", re.ASCII)
_MAX_LENGTH: Final = 300  # a name of at most 253 characters (RFC 1035) and a port
_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class HostName:
    """The host that a request or an origin names."""

    name: str
    """In lower case, without a dot at the end; an address without brackets."""
    port: int | None

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse a `Host` header or the host of a URL. None if the text is not a single host, or contains a user."""
        match = _HOST.fullmatch(text.lower()) if len(text) <= _MAX_LENGTH else None
        if match is None:
            return None
        v6, name, port = match.groups()
        if v6 is not None:
            try:
                name = str(IPv6Address(v6))
            except ValueError:
                return None
        return cls(name.removesuffix("."), None if port is None else int(port))

    @property
    def address(self) -> IPv4Address | IPv6Address | None:
        """The address, None for a name."""
        try:
            return ip_address(self.name)
        except ValueError:
            return None

    @property
    def is_loopback(self) -> bool:
        """Whether the host can only be the machine that the browser runs on."""
        return self.name == "localhost" or (self.address is not None and self.address.is_loopback)

    def origin(self, scheme: str) -> tuple[str, str, int | None]:
        """Return scheme, name, and port, to be compared with another origin."""
        return scheme, self.name, self.port or _PORTS.get(scheme)


def machine_names() -> frozenset[str]:
    """Return this machine's name, and the one under which mDNS announces it."""
    name = socket.gethostname().lower().removesuffix(".")
    return frozenset((name, f"{name.partition('.')[0]}.local")) if name else frozenset()


def is_known(host: HostName, allowed: Collection[str]) -> bool:
    """Whether browsers may reach this server under a host; ``allowed``: further names from the settings."""
    return (
        host.address is not None
        or host.name in ("localhost", MDNS_NAME)
        or host.name in machine_names()
        or host.name in {name.lower().removesuffix(".") for name in allowed}
        or host.name == _full_name()
    )


@cache  # asking the name server can take seconds
def _full_name() -> str:
    return socket.getfqdn().lower().removesuffix(".")


def check_sender() -> None:
    """Refuse a request that was sent to an unknown host or by a page of another site."""
    host = HostName.parse(request.environ.get("HTTP_HOST", ""))
    if host is None or not is_known(host, context().settings.hosts):
        message = Message("problem-unknown-host", {"host": repr(request.environ.get("HTTP_HOST", "")[:100])})
        raise RequestRefusedError(HTTPStatus.MISDIRECTED_REQUEST, "unknown-host", message)
    origin = request.headers.get("Origin")
    if origin is not None and not _is_own(origin, host):
        message = Message("problem-other-origin", {"origin": repr(origin[:100]), "host": host.name})
        raise RequestRefusedError(HTTPStatus.FORBIDDEN, "forbidden", message)
    site = request.headers.get("Sec-Fetch-Site", "none")
    if site not in _OWN and (request.method not in _READS or _is_read_by_page()):
        raise RequestRefusedError(HTTPStatus.FORBIDDEN, "forbidden", Message("problem-forbidden"))


def protect(response: Response) -> Response:
    """Add headers that keep other sites from embedding our responses, our responses from loading anything, and caches from storing.

    Our own pages set a less strict policy for their scripts and style sheets. What may be stored says so itself.
    """
    headers = response.headers
    headers.setdefault("X-Content-Type-Options", "nosniff")
    headers.setdefault("Cache-Control", "no-store")
    headers.setdefault("Referrer-Policy", "same-origin")
    headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    # Card faces are SVG files with inline styles.
    headers.setdefault(
        "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    )
    return response


def _is_own(origin: str, host: HostName) -> bool:
    """Whether a page of this origin is one of ours: same scheme, host, and port as the request."""
    scheme, separator, name = origin.lower().partition("://")
    named = HostName.parse(name) if separator else None
    return named is not None and named.origin(scheme) == host.origin(request.scheme)


def _is_read_by_page() -> bool:
    """Whether a script or element of a page loads data, rather than a person following a link."""
    followed = request.headers.get("Sec-Fetch-Mode") == "navigate"
    in_window = request.headers.get("Sec-Fetch-Dest", "document") == "document"
    return request.path.startswith(_API) and not (followed and in_window)
