"""The name hanafuda.local in the local network, with real multicast packets on the loopback interface.

Zeroconf must not run in a thread with an event loop, and the main thread of a test process may have one of Playwright.
"""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from queue import SimpleQueue

import pytest
import zeroconf
from zeroconf import IPVersion, ServiceInfo, Zeroconf

from companion.net.mdns import MDNS_NAME, announcement

LOOPBACK = "127.0.0.1"
ANOTHER = "127.0.0.77"
SERVICE_TYPE = "_http._tcp.local."
WAIT_S = 20.0


@pytest.fixture
def thread() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def log() -> Iterator[SimpleQueue[str]]:
    """Return the lines that the announcement logs."""
    lines = SimpleQueue[str]()

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.put(record.getMessage())

    logger, handler = logging.getLogger("companion.net.mdns"), Lines()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield lines
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


def another_computer() -> Zeroconf:
    return Zeroconf([LOOPBACK], ip_version=IPVersion.V4Only)


def announced() -> tuple[list[str], int | None]:
    """Return the addresses and the port that another computer gets for the service."""
    with closing(another_computer()) as network:
        name = f"Hanafuda Companion.{SERVICE_TYPE}"
        service = network.get_service_info(SERVICE_TYPE, name, timeout=int(WAIT_S * 1000))
        assert service is not None
        assert service.server == f"{MDNS_NAME}."
        return service.parsed_addresses(), service.port


def test_the_name_leads_to_this_machine(thread: ThreadPoolExecutor) -> None:
    names = SimpleQueue[str]()
    with announcement(LOOPBACK, 8420, names.put, [LOOPBACK]):
        assert names.get(timeout=WAIT_S) == MDNS_NAME
        assert thread.submit(announced).result() == ([LOOPBACK], 8420)


def test_a_name_that_another_computer_has_is_not_taken_over(
    thread: ThreadPoolExecutor, log: SimpleQueue[str]
) -> None:
    service = ServiceInfo(
        SERVICE_TYPE,
        f"Another.{SERVICE_TYPE}",
        addresses=[socket.inet_aton(ANOTHER)],
        port=8420,
        server=f"{MDNS_NAME}.",
    )
    network = thread.submit(another_computer).result()
    try:
        thread.submit(network.register_service, service).result()
        with announcement(LOOPBACK, 8420, log.put, [LOOPBACK]):
            assert log.get(timeout=WAIT_S) == f"{MDNS_NAME} already belongs to {ANOTHER}"
    finally:
        thread.submit(network.close).result()


def test_without_multicast_there_is_no_name_and_no_error(
    monkeypatch: pytest.MonkeyPatch, log: SimpleQueue[str]
) -> None:
    def refuse(*_interfaces: object, **_options: object) -> Zeroconf:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(zeroconf, "Zeroconf", refuse)
    with announcement(LOOPBACK, 8420, log.put, [LOOPBACK]):
        assert log.get(timeout=WAIT_S).startswith(f"{MDNS_NAME} is not announced: ")
    assert log.empty()
