"""The name `hanafuda.local`, announced in the home network by multicast DNS (RFC 6762), so that nobody has to type an address."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from zeroconf import Zeroconf

MDNS_NAME: Final = "hanafuda.local"

_SERVICE_TYPE: Final = "_http._tcp.local."
_SERVICE_NAME: Final = f"Hanafuda Companion.{_SERVICE_TYPE}"
_QUERY_MS: Final = 1500
"""How long to wait for another computer that already has the name, ms: a query and its repetition after 1 s."""

_log = logging.getLogger(__name__)


@contextmanager
def announcement(
    address: str, port: int, announced: Callable[[str], object], interfaces: Sequence[str] | None = None
) -> Iterator[None]:
    """Let `MDNS_NAME` lead to IPv4 ``address`` and ``port`` during the block, unless another computer has the name already.

    A background thread checks and announces the name, which takes a few seconds, and then calls ``announced`` with it. A network
    without multicast is no error: the address still works, only the name does not. ``interfaces``: the addresses of the interfaces
    to announce it on; by default all.
    """
    closed = threading.Event()
    arguments = (address, port, announced, interfaces, closed)
    thread = threading.Thread(target=_announce, args=arguments, name="mdns", daemon=True)
    thread.start()
    try:
        yield
    finally:
        closed.set()
        thread.join()


def _announce(
    address: str,
    port: int,
    announced: Callable[[str], object],
    interfaces: Sequence[str] | None,
    closed: threading.Event,
) -> None:
    from zeroconf import Error, InterfaceChoice, IPVersion, ServiceInfo, Zeroconf  # noqa: PLC0415  # takes a moment

    try:
        with Zeroconf(interfaces or InterfaceChoice.All, ip_version=IPVersion.V4Only) as network:
            if _is_taken(network, address) or closed.is_set():
                return
            service = ServiceInfo(
                _SERVICE_TYPE,
                _SERVICE_NAME,
                addresses=[socket.inet_aton(address)],
                port=port,
                server=f"{MDNS_NAME}.",
            )
            network.register_service(service, allow_name_change=True)
            announced(MDNS_NAME)
            closed.wait()
    except (OSError, Error) as error:
        _log.info("%s is not announced: %r", MDNS_NAME, error)


def _is_taken(network: Zeroconf, own: str) -> bool:
    """Return whether a computer with another address than ``own`` answers to the name."""
    # It is public, but missing from the package's __all__.
    from zeroconf import AddressResolver  # type: ignore[attr-defined]  # noqa: PLC0415

    resolver = AddressResolver(f"{MDNS_NAME}.")
    answered = resolver.request(network, _QUERY_MS)
    others = set(resolver.parsed_addresses()) - {own} if answered else set()
    if others:
        _log.info("%s already belongs to %s", MDNS_NAME, ", ".join(sorted(others)))
    return bool(others)
