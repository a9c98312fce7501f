"""The addresses by which phones reach this machine, and QR codes for a terminal."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import click

__all__ = ["HTTPS_PORT", "PORT", "own_addresses", "qr_lines", "urls"]

PORT = 8420
"""The port of `companion serve` where none is named."""
HTTPS_PORT = 8443
"""The port of HTTPS where none is named."""

_ANYWHERE = {"0.0.0.0", "::"}
_ELSEWHERE = ("192.0.2.1", 9)  # set aside for documentation (RFC 5737); nothing is sent there
_HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def urls(host: str = "0.0.0.0", port: int = PORT, *, scheme: str = "http") -> list[str]:
    """Return the addresses to type in: for phones first, where this machine has a network."""
    if host not in _ANYWHERE:
        return [f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/"]
    return [f"{scheme}://{name}:{port}/" for name in (_lan_address(), "localhost") if name]


def own_addresses() -> frozenset[str]:
    """Return the address and the names by which this machine is reached in its network, besides the loopback's."""
    name = socket.gethostname().lower()
    return frozenset(filter(None, (_lan_address(), name, f"{name}.local")))


def _lan_address() -> str | None:
    """Return the address that others in the network reach this machine by; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)  # only chooses the way out; a datagram socket sends nothing by this
        except OSError:
            return None
        return str(probe.getsockname()[0])


def qr_lines(text: str) -> Iterator[str]:
    """Draw a QR code in half blocks, black on white whatever the terminal's own colours are."""
    import segno  # noqa: PLC0415

    rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix_iter(border=2)]
    if len(rows) % 2:
        rows.append([0] * len(rows[0]))
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        blocks = "".join(_HALVES[bool(top), bool(bottom)] for top, bottom in zip(upper, lower, strict=True))
        yield "  " + click.style(blocks, fg="black", bg="bright_white")
