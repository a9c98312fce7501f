"""Identify the sender of a request: this machine, a paired phone or machine, a visitor's browser, or an unknown client.

People identify themselves with a cookie, machines with a bearer token; both come from pairing (`api.access.pairing`). What
each may do is in `api.access.policy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address
from typing import Final

from flask import g, request

from api.access.sites import HostName, machine_names
from api.context import context
from api.problems import RequestRefusedError
from companion.hanafuda.messages import Message, any_of
from companion.names import THIS_MACHINE
from companion.store.pairings import MACHINES, Pairing, Role
from companion.table.audiences import PUBLIC, Audience
from companion.table.events import Source

TO_KEEP_SCORE: Final = Message("hint-keep-score")
"""What an unpaired phone needs to do most things."""

COOKIE: Final = "pairing"
SECURE_COOKIE: Final = "__Host-pairing"
"""The cookie's name over HTTPS; it is tried first."""
_SOURCES: Final[dict[Role, Source]] = {"camera": "camera", "device": "button"}
_PROXY_HEADERS: Final = (
    "forwarded via cf-connecting-ip cf-connecting-ipv6 cf-ray cf-visitor cdn-loop client-ip "
    "true-client-ip fastly-client-ip fly-client-ip fastly-ff proxy-connection remote-addr remoteip "
    "wl-proxy-client-ip proxy-client-ip max-forwards"
)
"""Headers that proxies add, in lower case."""
_PROXY_PREFIXES: Final = (
    "x-forwarded x-real- x-client- x-cluster- x-original- x-originating- x-remote- x-proxy x-envoy- "
    "x-appengine- x-azure- x-amzn- x-arr- x-host x-coming-from x-varnish x-true-client- x-vercel- "
    "tailscale- ngrok-"
)
"""Prefixes of further headers that proxies add."""


@dataclass(frozen=True, slots=True)
class Who:
    """The sender of a request."""

    role: Role
    name: str
    seat: int | None = None
    paired: bool = False
    table: str | None = None
    """The table of the seat; None: the seat of any table. See `seat_at`."""
    id: str | None = None
    """The id of the pairing, None without one."""
    expires: str | None = None
    """When the pairing ends unless it is used again, ISO 8601."""

    def seat_at(self, table_id: str) -> int | None:
        """Return the seat that this person plays at a table, from 1."""
        return self.seat if self.table in {None, table_id} else None

    @property
    def source(self) -> Source:
        """The source of the events that this sender reports."""
        return _SOURCES.get(self.role, "phone")


def not_allowed(
    sender: Who, roles: Sequence[Role], hint: Message = TO_KEEP_SCORE, *, why: Message | None = None
) -> RequestRefusedError:
    """Return the error for a sender who may not do this. ``roles`` may; ``hint`` tells an unpaired phone what to do."""
    if why is None:
        why = _too_low(sender, roles) if sender.paired else Message("problem-not-paired", {"hint": hint})
    code = "role-too-low" if sender.paired else "not-paired"
    return RequestRefusedError(HTTPStatus.FORBIDDEN, code, why, join="/join", needs=list(roles))


def _too_low(sender: Who, roles: Sequence[Role]) -> Message:
    role = _role(sender.role)
    if sender.seat is not None:
        role = Message("role-with-seat", {"role": role, "seat": sender.seat})
    needed = Message("role-whole-table") if sender.role in roles else any_of([_role(each) for each in roles])
    return Message("problem-role-too-low", {"name": sender.name, "role": role, "needed": needed})


def _role(role: Role) -> Message:
    return Message(f"role-{role}")


def who() -> Who:
    """Return who sends the request.

    A bearer token that was revoked or never issued raises an error that becomes a 401 response; such a cookie is ignored.
    """
    if "who" not in g:
        g.who = _who()
    sender: Who = g.who
    return sender


def audience_at(table_id: str, sender: Who | None = None) -> Audience:
    """Return what the sender of the request, or ``sender``, may know of a table's hidden cards: those of its seat, or none.

    A host with a seat counts as that seat. A host without a seat counts as the public, because everybody can see the laptop
    with the host's page; so do machines.
    """
    sender = sender or who()
    return PUBLIC if sender.role in MACHINES else sender.seat_at(table_id)


def identity_of(pairing: Pairing) -> Who:
    """Return the identity that a pairing gives."""
    return Who(
        pairing.role,
        pairing.name,
        pairing.seat,
        paired=True,
        table=pairing.table,
        id=pairing.id,
        expires=pairing.expires,
    )


def _who() -> Who:
    pairing_of = context().pairings.authenticate
    if request.authorization is not None:
        token = request.authorization.token if request.authorization.type == "bearer" else None
        machine = pairing_of(token) if token else None
        if machine is None:
            challenge = {"WWW-Authenticate": "Bearer"}
            raise RequestRefusedError(
                HTTPStatus.UNAUTHORIZED, "bad-token", Message("problem-bad-token"), challenge
            )
        return identity_of(machine)
    cookies = (request.cookies.get(name) for name in (SECURE_COOKIE, COOKIE))
    pairing = next(filter(None, (pairing_of(cookie) for cookie in cookies if cookie)), None)
    if pairing is not None and pairing.role in MACHINES:
        pairing = None  # the server never sets a machine's token as a cookie
    if _is_local_host():
        paired = identity_of(pairing) if pairing else Who("host", THIS_MACHINE, paired=True)
        return replace(paired, role="host")
    return identity_of(pairing) if pairing else Who("viewer", f"http {request.remote_addr}")


def _is_local_host() -> bool:
    """Whether the request was made on this machine, with an address that names this machine, and not passed on by a proxy.

    Behind a trusted proxy everyone connects from the proxy's address, so nobody is the local host. No browser speaks
    HTTP/1.0, but some proxies do, without adding headers of their own.
    """
    if context().settings.proxies or request.environ.get("SERVER_PROTOCOL") == "HTTP/1.0":
        return False
    if any(map(_is_proxy_header, request.headers.keys())):
        return False
    host = HostName.parse(request.environ.get("HTTP_HOST", ""))
    return (
        _is_loopback(request.remote_addr or "")
        and host is not None
        and (host.is_loopback or host.name in machine_names())
    )


def _is_proxy_header(name: str) -> bool:
    name = name.lower()
    return name in _PROXY_HEADERS.split() or name.startswith(tuple(_PROXY_PREFIXES.split()))


def _is_loopback(address: str) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return parsed.is_loopback
