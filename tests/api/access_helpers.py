"""Senders of requests: strangers, scorers, hosts, machines."""

from __future__ import annotations

from typing import Any, NamedTuple

from apiflask import APIFlask
from flask.testing import FlaskClient

PHONE = {"REMOTE_ADDR": "192.0.2.7"}

ASKERS: dict[str, dict[str, Any] | None] = {
    "nobody": None,
    "seat scorer": {"role": "scorer", "seat": 1, "name": "Aki"},
    "table scorer": {"role": "scorer", "name": "Ben"},
    "host": {"role": "host", "name": "Chie"},
    "viewer": {"role": "viewer", "name": "Dai"},
    "camera": {"role": "camera", "name": "camera 1"},
    "device": {"role": "device", "name": "box 1"},
}
"""All senders, each with its invitation."""


class Asker(NamedTuple):
    """A sender at another address than the server's."""

    name: str
    cookie: str | None
    options: dict[str, Any]

    def client(self, app: APIFlask) -> FlaskClient:
        """Return the sender's browser or program."""
        client = app.test_client()
        if self.cookie is not None:
            client.set_cookie("pairing", self.cookie)
        return client


NOBODY = Asker("nobody", None, {"environ_base": PHONE})


def paired_as(app: APIFlask, name: str) -> Asker:
    """Pair a sender, as the host's page does."""
    invitation = ASKERS[name]
    if invitation is None:
        return NOBODY
    host, phone = app.test_client(), app.test_client()
    code = host.post("/api/pairings", json=invitation).json["code"]
    response = phone.post("/api/pair", json={"code": code}, environ_base=PHONE)
    assert response.status_code == 200, response.json
    cookie = phone.get_cookie("pairing")
    if cookie is not None:
        return Asker(name, cookie.value, {"environ_base": PHONE})
    headers = {"Authorization": f"Bearer {response.json['token']}"}
    return Asker(name, None, {"environ_base": PHONE, "headers": headers})
