"""The certificate authority of a household: who trusts it, for which names, and when certificates are renewed."""

from __future__ import annotations

import json
import socket
import ssl
import stat
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from companion.cli import main
from companion.net import certificates
from companion.net.certificates import Authority, BadAuthorityError
from tests.message_text import raises_text

NAMES = ("192.168.0.7", "box", "box.local")


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    made = Authority(tmp_path)
    made.create("box", NAMES)
    made.certify(NAMES)
    return made


def handshake(authority: Authority, name: str) -> None:
    """Connect a client that trusts the authority; `ssl.SSLError` where it does not accept the server under this name."""
    trusting = ssl.create_default_context(cafile=str(authority.folder / "ca.pem"))
    ours, theirs = socket.socketpair()

    def serve() -> None:
        try:
            with authority.context().wrap_socket(ours, server_side=True):
                pass
        except OSError:
            ours.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with trusting.wrap_socket(theirs, server_hostname=name):
            pass
    finally:
        theirs.close()
        thread.join()


def certificate(authority: Authority) -> x509.Certificate:
    return x509.load_pem_x509_certificate((authority.folder / "server.pem").read_bytes())


@pytest.mark.parametrize("name", [*NAMES, "127.0.0.1", "localhost"])
def test_a_client_that_trusts_the_root_accepts_the_server(authority: Authority, name: str) -> None:
    handshake(authority, name)


def test_a_stolen_key_cannot_pose_as_another_site(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A phone trusts this root for everything that its constraints allow: only addresses and names at home."""
    monkeypatch.setattr(Authority, "_may_sign_for", lambda self, name: True)
    for name in ("bank.example", "203.0.113.9"):
        authority.certify((name,))
        with pytest.raises(ssl.SSLError, match="permitted subtree violation"):
            handshake(authority, name)


def test_names_of_other_hosts_are_omitted(authority: Authority) -> None:
    authority.certify((*NAMES, "bank.example", "198.51.100.1", "花札.local"))
    names = certificate(authority).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert set(names.get_values_for_type(x509.DNSName)) == {
        "box",
        "box.local",
        "localhost",
        "花札.local".encode("idna").decode(),
    }
    handshake(authority, "192.168.0.7")


def test_the_certificates_are_as_phones_require(authority: Authority) -> None:
    server = certificate(authority)
    assert (server.not_valid_after_utc - server.not_valid_before_utc).days <= 398
    usage = server.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.SERVER_AUTH]
    root = authority.root
    assert root.extensions.get_extension_for_class(x509.BasicConstraints).value == x509.BasicConstraints(
        True, 0
    )
    assert (root.not_valid_after_utc - datetime.now(UTC)).days > 3640


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_the_keys_are_private(authority: Authority) -> None:
    assert stat.S_IMODE(authority.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in authority.folder.iterdir()} == {0o600}


def test_a_certificate_is_signed_again_when_it_must_be(authority: Authority) -> None:
    assert not authority.certify(NAMES)
    assert authority.certify((*NAMES, "192.168.0.8"))  # the router gave another address
    assert not authority.certify(NAMES)  # a certificate with additional names is good enough
    soon = datetime.now(UTC) + timedelta(days=365)
    assert not authority.certify(NAMES, now=soon)
    assert authority.certify(NAMES, now=soon + timedelta(days=10))
    (authority.folder / "server.pem").write_text("damaged")
    assert authority.certify(NAMES)
    handshake(authority, "box.local")


@pytest.mark.parametrize("days", [-20_000, -400, 100, 3_000, 20_000])
def test_certificates_made_while_the_clock_is_wrong_are_replaced(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    """A certificate of a day that had not come was refused by all phones; and so was a root until that day."""
    wrong = datetime.now(UTC) + timedelta(days=days)
    made = Authority(tmp_path / "wrong")

    class Wrong(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return wrong

    with monkeypatch.context() as patched:
        patched.setattr(certificates, "datetime", Wrong)
        made.create("box", NAMES)
        made.certify(NAMES)
        assert not made.certify(NAMES)
        authority.certify(NAMES)
        assert not authority.certify(NAMES)  # not again every minute
    for each in (made, authority):
        each.certify(NAMES)  # as the server does every minute
        assert (
            certificate(each).not_valid_before_utc
            <= datetime.now(UTC)
            < certificate(each).not_valid_after_utc
        )
        handshake(each, "box.local")


def test_a_new_authority_signs_again(authority: Authority, tmp_path: Path) -> None:
    other = Authority(tmp_path)
    other.create("box", NAMES)
    assert other.certify(NAMES)
    handshake(other, "box")


def test_a_damaged_root_is_reported(authority: Authority, tmp_path: Path) -> None:
    (authority.folder / "ca.pem").write_text("damaged")
    with raises_text(BadAuthorityError, match="companion https --remove"):
        Authority(tmp_path).certify(NAMES)


def test_the_command_creates_shows_again_and_removes(tmp_path: Path) -> None:
    def run(*options: str) -> tuple[int, str]:
        ran = CliRunner().invoke(main, ["https", "--data", str(tmp_path), *options])
        return ran.exit_code, ran.output

    code, output = run("--json")
    first = json.loads(output)
    assert (code, first["created"]) == (0, True)
    assert first["install"].endswith(":8420/install-certificate")
    code, output = run()
    assert code == 0
    assert first["fingerprint"] in output
    assert "█" in output
    (tmp_path / "tls" / "ca.pem").write_text("damaged")  # the advice is to remove it
    assert run("--remove")[0] == 0
    assert not (tmp_path / "tls").exists()
    code, output = run("--remove")
    assert code == 2
    assert "no certificate authority" in output
