"""The part of a table's HTTP API that a camera uses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.messages import Message
from companion.net.client import Client
from companion.observations import Observation
from companion.redaction import redacted


class TableClient:
    """Sends observations, events and camera states to a table, and fetches its layout. All methods raise `AwayError` and `RefusedError`."""

    def __init__(self, url: str, token: str | None = None) -> None:
        """Take the address of a table: of its API (``.../api/tables/ID``) or of its page (``.../t/ID``).

        ``token`` is a camera's token from pairing; it is not needed on the server's own machine.
        """
        server, self._table = _address(url)
        self._client = Client(server, token)

    @property
    def url(self) -> str:
        """The address of the table's API."""
        return f"{self._client.url}{self._path}"

    @property
    def _path(self) -> str:
        return f"/api/tables/{self._table}"

    def table(self) -> dict[str, Any]:
        """Return the table: ``seq`` and ``state``."""
        return self._client.call("GET", self._path)

    def send_observation(self, observation: Observation, jpeg: bytes) -> None:
        """Send an observation with the picture it was made from."""
        self._post("/observations", {"observation": json.dumps(observation.to_json())}, jpeg)

    def send_event(self, event: Mapping[str, Any]) -> None:
        """Send an event: ``kind`` and ``data``."""
        self._client.call("POST", f"{self._path}/events", {"events": [event]})

    def send_camera_state(self, state: Mapping[str, Any], jpeg: bytes | None) -> int:
        """Send the camera's state, with a small picture if there is one, and return the revision of the layout.

        The response names the table at which the evening continues; everything is sent there from then on.
        """
        answer = self._post("/camera", {"state": json.dumps(state)}, jpeg)
        self._table = str(answer["table"])
        return int(answer["layout"])

    def layout(self) -> dict[str, Any] | None:
        """Return the table's drawn layout, or None if none has been drawn."""
        layout = self._client.call("GET", f"{self._path}/layout").get("layout")
        return None if layout is None else dict(layout)

    def close(self) -> None:
        """Close the connections to the server."""
        self._client.close()

    def _post(self, path: str, fields: Mapping[str, str], jpeg: bytes | None) -> dict[str, Any]:
        form: dict[str, tuple[None, str] | tuple[str, bytes, str]] = {
            name: (None, value) for name, value in fields.items()
        }
        if jpeg is not None:
            form["frame"] = "frame.jpg", jpeg, "image/jpeg"
        return self._client.call("POST", f"{self._path}{path}", form=form)


def _address(url: str) -> tuple[str, str]:
    """Return the server's address and the table's id. Raises `BadRequestError`."""
    try:
        url_parts = urlsplit(url)
    except ValueError:  # a bracket is not closed
        url_parts = urlsplit("")
    path = [part for part in url_parts.path.split("/") if part]
    match path:
        case ["t", table, *_] | [*_, "api", "tables", table]:
            if url_parts.scheme in {"http", "https"} and url_parts.netloc:
                return f"{url_parts.scheme}://{url_parts.netloc}", table
    raise BadRequestError(Message("client-bad-table-address", {"url": quote(redacted(url))}))
