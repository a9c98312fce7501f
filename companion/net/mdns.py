"""The name `hanafuda.local`, announced in the home network by multicast DNS (RFC 6762), so that nobody has to type an address."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from zeroconf import Zeroconf

MDNS_NAME: Final = "hanafuda.local"

_SERVICE_TYPE: Final = "_http._tcp.local."
_SERVICE_NAME: Final = f"Hanafuda Companion.{_SERVICE_TYPE}"
_QUERY_MS: Final = 1500
"""How long to wait for another computer that already has the name, ms: a query and its repetition after 1 s."""

_log = logging.getLogger(__name__)


class Announcement:
    """A context in which `MDNS_NAME` leads to this machine, unless another computer in the network has it already.

    The name is checked and announced in a background thread, because that takes a few seconds. A network without multicast is
    no error: the address still works, only the name does not.
    """

    def __init__(
        self,
        address: str,
        port: int,
        announced: Callable[[str], object],
        interfaces: Sequence[str] | None = None,
    ) -> None:
        """Announce IPv4 ``address`` and ``port`` on the interfaces with these addresses; on all of them by default.

        The background thread calls ``announced`` with the name when the name leads here.
        """
        self._address = address
        self._port = port
        self._announced = announced
        self._interfaces = interfaces
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._announce, name="mdns", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed.set()
        self._thread.join()

    def _announce(self) -> None:
        from zeroconf import Error, InterfaceChoice, IPVersion, ServiceInfo, Zeroconf  # noqa: PLC0415  # takes a moment

        try:
            interfaces = self._interfaces or InterfaceChoice.All
            with Zeroconf(interfaces, ip_version=IPVersion.V4Only) as network:
                if self._is_taken(network) or self._closed.is_set():
                    return
                service = ServiceInfo(
                    _SERVICE_TYPE,
                    _SERVICE_NAME,
                    addresses=[socket.inet_aton(self._address)],
                    port=self._port,
                    server=f"{MDNS_NAME}.",
                )
                network.register_service(service, allow_name_change=True)
                self._announced(MDNS_NAME)
                self._closed.wait()
        except (OSError, Error) as error:
            _log.info("%s is not announced: %r", MDNS_NAME, error)

    def _is_taken(self, network: Zeroconf) -> bool:
        """Return whether a computer with another address answers to the name."""
        # It is public, but missing from the package's __all__.
        from zeroconf import AddressResolver  # type: ignore[attr-defined]  # noqa: PLC0415

        resolver = AddressResolver(f"{MDNS_NAME}.")
        answered = resolver.request(network, _QUERY_MS)
        others = set(resolver.parsed_addresses()) - {self._address} if answered else set()
        if others:
            _log.info("%s already belongs to %s", MDNS_NAME, ", ".join(sorted(others)))
        return bool(others)
