"""HTTPS at home: the routes for installing the root certificate on phones, and the renewal of the server certificate."""

from __future__ import annotations

import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from flask import Blueprint, Response

from api.context import context
from api.monitoring.periodic import Periodic
from api.page_shell import render_page, secure_address
from api.problems import problem
from companion.hanafuda.messages import Message
from companion.net.addresses import own_addresses
from companion.net.certificates import Authority

if TYPE_CHECKING:
    from api.serving.server import Server

_CHECK_S: Final = 60.0
"""How often the machine's addresses are compared with those in the certificate, s."""

_log = logging.getLogger(__name__)

blueprint = Blueprint("certificates", __name__)


@blueprint.get("/ca.crt")
def root_certificate() -> Response:
    """Download the root certificate of the local certificate authority."""
    authority = Authority(context().folder)
    if not authority.exists:
        return _no_authority()
    headers = {"Content-Disposition": 'attachment; filename="hanafuda-companion.crt"'}
    return Response(authority.root_bytes, headers=headers, content_type="application/x-x509-ca-cert")


@blueprint.get("/install-certificate")
def install_page() -> Response:
    """Show the instructions for installing the root certificate on a phone."""
    authority = Authority(context().folder)
    if not authority.exists:
        return _no_authority()
    address = secure_address()
    return render_page(
        "certificate.html",
        {"page": "certificate"},
        fingerprint=authority.fingerprint,
        address=address and f"{address}/",
    )


def _no_authority() -> Response:
    return problem(HTTPStatus.NOT_FOUND, "no-certificate", Message("problem-no-certificate"))


class Renewal(Periodic):
    """Keeps the server certificate valid for the machine's current addresses while the context manager is active."""

    def __init__(
        self,
        authority: Authority,
        server: Server,
        hosts: tuple[str, ...] = (),
        addresses: Callable[[], frozenset[str]] = own_addresses,
    ) -> None:
        super().__init__("renewal of the certificate", _CHECK_S)
        self._authority = authority
        self._server = server
        self._hosts = hosts
        self._addresses = addresses

    def step(self) -> bool:
        """Sign a new certificate if needed and use it for new connections; return whether it was needed."""
        if not self._authority.certify({*self._addresses(), *self._hosts}):
            return False
        self._server.use_tls(self._authority.context())
        _log.info("signed a new server certificate")
        return True
