"""The API of one table, as a camera uses it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, urlopen

from companion.errors import BadRequestError, shown
from companion.sightings import Look

__all__ = ["AwayError", "RefusedError", "TableClient"]

_PATIENCE_S: Final = 5.0
#: What a server may answer when it is only busy or starting.
_LATER: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class AwayError(Exception):
    """The server cannot be reached, or is not ready; later it may be."""


class RefusedError(Exception):
    """The server will not have it, however often it is sent; the sentence is the server's."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class TableClient:
    """Sends looks and reports to a table, and fetches its layout. All methods raise `AwayError` and `RefusedError`."""

    def __init__(self, url: str, token: str | None = None) -> None:
        """Take a table's address: that of its API (``.../api/tables/ID``) or of its page (``.../t/ID``).

        ``token``: a camera's, from pairing; on the server's own machine none is needed.
        """
        self.url = _api_address(url)
        self._headers = {"Accept": "application/json"} | (
            {"Authorization": f"Bearer {token}"} if token else {}
        )

    def table(self) -> dict[str, Any]:
        """Return the table's state: ``seq`` and ``state``."""
        return self._call("GET", "")

    def look(self, look: Look, jpeg: bytes) -> None:
        """Send a settled table with its picture."""
        self._post("/looks", {"look": json.dumps(look.to_json())}, jpeg)

    def tell(self, event: Mapping[str, Any]) -> None:
        """Send something that happened: ``kind`` and ``data``."""
        self._call("POST", "/events", json.dumps({"events": [event]}).encode(), "application/json")

    def report(self, state: Mapping[str, Any], jpeg: bytes | None) -> int:
        """Send how the camera is, with a small picture, and return the layout's revision.

        The answer also tells at which table the evening goes on: everything is sent there from then on.
        """
        answer = self._post("/camera", {"state": json.dumps(state)}, jpeg)
        self.url = f"{self.url.rpartition('/')[0]}/{answer['table']}"
        return int(answer["layout"])

    def layout(self) -> dict[str, Any] | None:
        """Return the table's layout; None where nobody has set one."""
        layout = self._call("GET", "/layout").get("layout")
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
        return self._call("POST", path, b"".join(parts), f"multipart/form-data; boundary={boundary}")

    def _call(
        self, method: str, path: str, body: bytes | None = None, kind: str | None = None
    ) -> dict[str, Any]:
        request = Request(self.url + path, body, self._headers, method=method)
        if kind:
            request.add_header("Content-Type", kind)
        try:
            with urlopen(request, timeout=_PATIENCE_S) as answer:
                found = json.load(answer)
        except HTTPError as error:
            with error:
                sentence = _sentence(error)
            if error.code in _LATER:
                raise AwayError(sentence) from None
            raise RefusedError(error.code, sentence) from None
        except (OSError, HTTPException) as error:
            raise AwayError(
                f"{self.url} does not answer: {getattr(error, 'reason', None) or error}"
            ) from None
        except ValueError:
            raise AwayError(f"{self.url} answers no JSON: is it a companion's address?") from None
        if not isinstance(found, dict):
            raise AwayError(f"{self.url} answers no object: is it a companion's address?")
        return found


def _sentence(error: HTTPError) -> str:
    """Return what a problem's answer (RFC 9457) says."""
    try:
        told = json.load(error)
        return str(told.get("detail") or told.get("title") or error.reason)
    except (OSError, HTTPException, ValueError, AttributeError):
        return str(error.reason)


def _api_address(url: str) -> str:
    place = urlsplit(url)
    path = [part for part in place.path.split("/") if part]
    match path:
        case ["t", table, *_] | [*_, "api", "tables", table]:
            if place.scheme in {"http", "https"} and place.netloc:
                return urlunsplit((place.scheme, place.netloc, f"/api/tables/{table}", "", ""))
    raise BadRequestError(
        f"{shown(url)} is no table's address: copy it from the table's page (http://.../t/...)"
    )
