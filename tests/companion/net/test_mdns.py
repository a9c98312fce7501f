"""The name hanafuda.local in the local network, with real multicast packets on the loopback interface."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator

import pytest
import zeroconf
from zeroconf import AddressResolver, IPVersion, ServiceBrowser, ServiceInfo, ServiceListener, Zeroconf

from companion.net.mdns import MDNS_NAME, Announcement

LOOPBACK = "127.0.0.1"
ANOTHER = "127.0.0.77"
WAIT_S = 10.0


@pytest.fixture
def network() -> Iterator[Zeroconf]:
    try:
        opened = Zeroconf(interfaces=[LOOPBACK], ip_version=IPVersion.V4Only)
    except OSError as error:
        pytest.skip(f"no multicast on this machine: {error}")
    with opened:
        yield opened


def addresses(network: Zeroconf) -> list[str]:
    resolver = AddressResolver(f"{MDNS_NAME}.")
    return resolver.parsed_addresses() if resolver.request(network, WAIT_S * 1000) else []


class Services(ServiceListener):
    """Remembers the ports of the services that appear."""

    def __init__(self) -> None:
        self.ports: set[int | None] = set()

    def add_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        info = zc.get_service_info(type_, name)
        self.ports.add(info.port if info else None)

    def update_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        """Do nothing."""

    def remove_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        """Do nothing."""


def test_the_name_leads_to_this_machine(network: Zeroconf) -> None:
    with Announcement(LOOPBACK, 8420, [LOOPBACK]) as announcement:
        assert announcement.name(WAIT_S) == MDNS_NAME
        assert addresses(network) == [LOOPBACK]


def test_a_name_that_another_computer_has_is_not_taken_over(network: Zeroconf) -> None:
    service = ServiceInfo(
        "_http._tcp.local.",
        "Another._http._tcp.local.",
        addresses=[socket.inet_aton(ANOTHER)],
        port=8420,
        server=f"{MDNS_NAME}.",
    )
    network.register_service(service)
    with Announcement(LOOPBACK, 8420, [LOOPBACK]) as announcement:
        assert announcement.name(WAIT_S) is None


def test_without_multicast_there_is_no_name_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_interfaces: object, **_options: object) -> Zeroconf:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(zeroconf, "Zeroconf", refuse)
    with Announcement(LOOPBACK, 8420, [LOOPBACK]) as announcement:
        assert announcement.name(WAIT_S) is None


def test_browsers_for_services_see_the_port(network: Zeroconf) -> None:
    services = Services()
    with Announcement(LOOPBACK, 8425, [LOOPBACK]), Announcement(LOOPBACK, 8426, [LOOPBACK]):
        browser = ServiceBrowser(network, "_http._tcp.local.", services)
        deadline = WAIT_S
        while not {8425, 8426} <= services.ports and deadline > 0:
            browser.join(0.1)
            deadline -= 0.1
    assert {8425, 8426} <= services.ports
