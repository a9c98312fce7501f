"""The API of one table, as a camera uses it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from companion.hanafuda.errors import BadRequestError, shown
from companion.net.client import AwayError, Client, RefusedError
from companion.observations import Observation

__all__ = ["AwayError", "RefusedError", "TableClient"]


class TableClient:
    """Sends looks and reports to a table, and fetches its layout. All methods raise `AwayError` and `RefusedError`."""

    def __init__(self, url: str, token: str | None = None) -> None:
        """Take a table's address: that of its API (``.../api/tables/ID``) or of its page (``.../t/ID``).

        ``token``: a camera's, from pairing; on the server's own machine none is needed.
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
        """Return the table's state: ``seq`` and ``state``."""
        return self._client.call("GET", self._path)

    def look(self, look: Observation, jpeg: bytes) -> None:
        """Send a settled table with its picture."""
        self._post("/looks", {"look": json.dumps(look.to_json())}, jpeg)

    def tell(self, event: Mapping[str, Any]) -> None:
        """Send something that happened: ``kind`` and ``data``."""
        self._client.call("POST", f"{self._path}/events", {"events": [event]})

    def report(self, state: Mapping[str, Any], jpeg: bytes | None) -> int:
        """Send how the camera is, with a small picture, and return the layout's revision.

        The answer also tells at which table the evening goes on: everything is sent there from then on.
        """
        answer = self._post("/camera", {"state": json.dumps(state)}, jpeg)
        self._table = str(answer["table"])
        return int(answer["layout"])

    def layout(self) -> dict[str, Any] | None:
        """Return the table's layout; None where nobody has set one."""
        layout = self._client.call("GET", f"{self._path}/layout").get("layout")
        return None if layout is None else dict(layout)

    def _post(self, path: str, fields: Mapping[str, str], jpeg: bytes | None) -> dict[str, Any]:
        boundary = secrets.token_hex(16)
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in fields.items()
        ]
        if jpeg is not None:
            head = (
                f'--{boundary}\r\nContent-Disposition: form-data; name="frame"; filename="frame.jpg"\r\n'
                "Content-Type: image/jpeg\r\n\r\n"
            )
            parts += [head.encode(), jpeg, b"\r\n"]
        parts.append(f"--{boundary}--\r\n".encode())
        kind = f"multipart/form-data; boundary={boundary}"
        return self._client.send("POST", f"{self._path}{path}", b"".join(parts), kind)


def _address(url: str) -> tuple[str, str]:
    """Return a server's address and its table's id."""
    place = urlsplit(url)
    path = [part for part in place.path.split("/") if part]
    match path:
        case ["t", table, *_] | [*_, "api", "tables", table]:
            if place.scheme in {"http", "https"} and place.netloc:
                return f"{place.scheme}://{place.netloc}", table
    raise BadRequestError(
        f"{shown(url)} is no table's address: copy it from the table's page (http://.../t/...)"
    )
