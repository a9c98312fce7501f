"""What counts as one client."""

from __future__ import annotations

import pytest

from companion.net.addresses import client_key


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.168.0.7", "192.168.0.7"),
        ("::ffff:192.168.0.7", "192.168.0.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("::1", "::1"),
        ("localhost", "localhost"),
    ],
)
def test_an_ipv6_host_is_one_client_whatever_address_it_takes(address: str, client: str) -> None:
    """An IPv6 host can choose among 2 ** 64 addresses."""
    assert client_key(address) == client
