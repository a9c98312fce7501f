"""The address at which phones reach this server."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import request

from companion.net.addresses import PORT, urls

__all__ = ["phones_address"]

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


def phones_address() -> str:
    """Return the origin at which phones reach this server, without a slash; replaces loopback names, which phones can't use."""
    url = urlsplit(request.host_url)
    if url.hostname in _LOOPBACK:
        return urls(port=url.port or PORT)[0].rstrip("/")
    return request.host_url.rstrip("/")
