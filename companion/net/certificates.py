"""HTTPS in a home network: a private certificate authority on this machine, and the server certificate that it signs.

Browsers allow camera access, wake locks and installation of a page only over HTTPS, and no public authority issues
certificates for private addresses. The phones of a household trust this authority instead. Name constraints (RFC 5280,
4.2.1.10) limit it to private addresses and names, so that a stolen key cannot impersonate any other site.
"""

from __future__ import annotations

import shutil
import socket
import ssl
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from companion.files import write_whole
from companion.hanafuda.errors import BadRequestError

_FOLDER: Final = "tls"
_AUTHORITY_DAYS: Final = 3652
_SERVER_DAYS: Final = 397  # Apple refuses 398 and more
_RENEW_DAYS: Final = 30
_BACKDATED_BY: Final = timedelta(days=1)  # phones whose clock is behind accept it too
_EARLIEST: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""The program is younger: a clock that shows an earlier time is wrong, and so may be one that shows a later one."""
_HOME_NETWORKS: Final = (
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "100.64.0.0/10",  # Tailscale, and providers that share addresses
    "127.0.0.0/8",
    "::1/128",
    "fc00::/7",
    "fe80::/10",
)
_HOME_DOMAINS: Final = ("local", "localhost", "home.arpa", "lan", "home", "internal")
"""Domains for which no public authority issues certificates."""
_ALWAYS: Final = ("localhost", "127.0.0.1", "::1")


class BadAuthorityError(BadRequestError):
    """The files of the certificate authority are incomplete or damaged."""

    code = "bad-certificate-authority"


class Authority:
    """The certificate authority in a data folder, if one was created there."""

    def __init__(self, data: Path) -> None:
        self.folder = data / _FOLDER
        self._root_path = self.folder / "ca.pem"
        self._root_key_path = self.folder / "ca.key"
        self._server_path = self.folder / "server.pem"
        """The server's certificate and key in one file, so that they are replaced together."""

    @property
    def exists(self) -> bool:
        """Whether an authority was created."""
        return self._root_path.exists()

    @property
    def certified(self) -> bool:
        """Whether it has signed a certificate for the server."""
        return self._server_path.exists()

    def create(self, machine: str, names: Iterable[str] = ()) -> None:
        """Create an authority for ``machine`` (a display name); ``names``: further permitted names and addresses."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name(
            [
                x509.NameAttribute(NameOID.COMMON_NAME, f"Hanafuda Companion on {machine}"[:64]),
                x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Hanafuda Companion at home"),
            ]
        )
        now = datetime.now(UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(_EARLIEST)
            .not_valid_after(max(now, _EARLIEST) + timedelta(days=_AUTHORITY_DAYS))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(signs_certificates=True), critical=True)
            .add_extension(x509.NameConstraints(_permitted(names), None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256())
        )
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._server_path.unlink(missing_ok=True)
        write_whole(self._root_key_path, _key_bytes(key), 0o600)
        write_whole(self._root_path, certificate.public_bytes(serialization.Encoding.PEM), 0o600)

    def ensure(self, names: Collection[str]) -> bool:
        """Create the authority unless it exists, and ensure that there is a certificate as `certify` does; return whether it was created."""
        created = not self.exists
        if created:
            self.create(socket.gethostname(), names)
        self.certify(names)
        return created

    def remove(self) -> None:
        """Delete the authority and everything that it signed."""
        shutil.rmtree(self.folder)

    @cached_property
    def root(self) -> x509.Certificate:
        """The root certificate."""
        try:
            return x509.load_pem_x509_certificate(self._root_path.read_bytes())
        except (OSError, ValueError) as error:
            raise self._unreadable(self._root_path, error) from error

    @property
    def root_bytes(self) -> bytes:
        """The root certificate as phones install it (DER)."""
        return self.root.public_bytes(serialization.Encoding.DER)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 fingerprint of the root certificate, in pairs of digits."""
        return self.root.fingerprint(hashes.SHA256()).hex(":").upper()

    def certify(self, names: Collection[str], *, now: datetime | None = None) -> bool:
        """Ensure that there is a certificate for these names and addresses; return whether a new one was signed.

        A new one is signed if the current one lacks a name, is not valid yet (the clock was ahead) or expires within 30 days. Names
        for which the authority may not sign are left out.
        """
        last = self.root.not_valid_after_utc - timedelta(days=_SERVER_DAYS)
        now = min(max(now or datetime.now(UTC), _EARLIEST + _BACKDATED_BY), last)
        wanted = _general_names(name for name in _normalized({*names, *_ALWAYS}) if self._may_sign_for(name))
        try:
            current = x509.load_pem_x509_certificate(self._server_path.read_bytes())
            signed_for = current.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
            current.verify_directly_issued_by(self.root)
            renewed = current.not_valid_after_utc - timedelta(days=_RENEW_DAYS)
            if set(signed_for) >= set(wanted) and current.not_valid_before_utc <= now < renewed:
                return False
        except Exception:  # absent, damaged or another authority's: in any case a new one is signed
            pass
        self._sign(wanted, now)
        return True

    def context(self) -> ssl.SSLContext:
        """Return the server's TLS context with the certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.options |= ssl.OP_NO_RENEGOTIATION
        context.set_alpn_protocols(["http/1.1"])
        try:
            context.load_cert_chain(self._server_path)
        except OSError as error:
            raise self._unreadable(self._server_path, error) from error
        return context

    def _may_sign_for(self, name: str) -> bool:
        constraints = self.root.extensions.get_extension_for_class(x509.NameConstraints).value
        for permitted in constraints.permitted_subtrees or ():
            if isinstance(permitted, x509.IPAddress):
                address = _address(name)
                if address is not None and address in ip_network(permitted.value):
                    return True
            elif _address(name) is None and (name == permitted.value or name.endswith(f".{permitted.value}")):
                return True
        return False

    def _sign(self, names: list[x509.GeneralName], now: datetime) -> None:
        try:
            root_key = serialization.load_pem_private_key(self._root_key_path.read_bytes(), None)
        except (OSError, ValueError) as error:
            raise self._unreadable(self._root_key_path, error) from error
        assert isinstance(root_key, ec.EllipticCurvePrivateKey)
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Hanafuda Companion")]))
            .issuer_name(self.root.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _BACKDATED_BY)
            .not_valid_after(now + timedelta(days=_SERVER_DAYS) - _BACKDATED_BY)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key()), critical=False
            )
            .sign(root_key, hashes.SHA256())
        )
        chain = certificate.public_bytes(serialization.Encoding.PEM)
        write_whole(self._server_path, chain + _key_bytes(key), 0o600)

    @staticmethod
    def _unreadable(path: Path, error: Exception) -> BadAuthorityError:
        return BadAuthorityError(
            f"{path} cannot be read ({error}): remove the certificate authority with `companion https --remove`, restart"
            " `companion serve`, which creates a new one, and install that on the phones"
        )


def _permitted(names: Iterable[str]) -> list[x509.GeneralName]:
    networks = [x509.IPAddress(ip_network(network)) for network in _HOME_NETWORKS]
    domains = [x509.DNSName(domain) for domain in _HOME_DOMAINS]
    additional: list[x509.GeneralName] = []
    for name in sorted(_normalized(names)):
        address = _address(name)
        additional.append(x509.DNSName(name) if address is None else x509.IPAddress(ip_network(address)))
    return [*networks, *domains, *additional]


def _general_names(names: Iterable[str]) -> list[x509.GeneralName]:
    addresses = {name: _address(name) for name in sorted(names)}
    return [
        x509.DNSName(name) if address is None else x509.IPAddress(address)
        for name, address in addresses.items()
    ]


def _normalized(names: Iterable[str]) -> set[str]:
    """Return names in lower case and ASCII (RFC 5890), as in certificates; names without an ASCII form are left out."""
    normalized = set()
    for name in names:
        with suppress(UnicodeError):
            normalized.add(name if name.isascii() else name.encode("idna").decode("ascii"))
    return {name.lower().removesuffix(".") for name in normalized if name}


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name)
    except ValueError:
        return None


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _key_bytes(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
