"""The addresses by which phones reach this machine, QR codes for a terminal, and what counts as one client."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from ipaddress import IPv6Address, ip_address

import click

from companion.net.mdns import MDNS_NAME

PORT = 8420
"""Default port of `companion serve`."""
HTTPS_PORT = 8443
"""Default port of HTTPS."""

_ALL_INTERFACES = {"0.0.0.0", "::"}
_TEST_NET_ADDRESS = ("192.0.2.1", 9)  # set aside for documentation (RFC 5737); nothing is sent there
_HALF_BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def urls(host: str = "0.0.0.0", port: int = PORT, *, scheme: str = "http") -> list[str]:
    """Return the server's URLs: the one for phones first, if this machine has a network."""
    if host not in _ALL_INTERFACES:
        return [f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/"]
    return [f"{scheme}://{name}:{port}/" for name in (lan_address(), "localhost") if name]


def own_addresses() -> frozenset[str]:
    """Return the address and the names of this machine in its network, without those of the loopback interface."""
    name = socket.gethostname().lower()
    return frozenset(filter(None, (lan_address(), name, f"{name}.local", MDNS_NAME)))


def lan_address() -> str | None:
    """Return this machine's address in its network; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(
                _TEST_NET_ADDRESS
            )  # selects the route only: connecting a datagram socket sends nothing
        except OSError:
            return None
        return str(probe.getsockname()[0])


def client_key(address: str) -> str:
    """Return the key by which limits count a client: an IPv4 address, or the /64 network of an IPv6 host.

    A host may take any address of its /64.
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return address if parsed.is_loopback else str(IPv6Address(int(parsed) >> 64 << 64))


def qr_lines(text: str) -> Iterator[str]:
    """Yield the lines of a QR code in half blocks, black on white regardless of the terminal's colors."""
    import segno  # noqa: PLC0415

    rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix_iter(border=2)]
    if len(rows) % 2:
        rows.append([0] * len(rows[0]))
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        blocks = "".join(
            _HALF_BLOCKS[bool(top), bool(bottom)] for top, bottom in zip(upper, lower, strict=True)
        )
        yield "  " + click.style(blocks, fg="black", bg="bright_white")
