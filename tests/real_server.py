"""`companion serve` as a process that can be killed, and requests to it; as a script, that server with a scanner
double."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partialmethod
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

START_S = 120.0
"""Maximum duration of a start on a machine that is busy with other tests, s."""


class NoAnswerError(Exception):
    """The server did not respond: it was killed, or is not running yet."""


class RealServer:
    """A server process on a data folder and port of its own."""

    def __init__(
        self,
        folder: Path,
        *,
        store: str | None = None,
        options: Sequence[str] = (),
        errors: Path | None = None,
    ) -> None:
        """``store``: the address of a PostgreSQL database that has the log; ``options``: further ones of `companion serve`.

        ``errors``: the file for its standard error, by default beside the folder.
        """
        self.folder = folder
        self._environment = os.environ if store is None else {**os.environ, "COMPANION_STORE": store}
        self._options = options
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = errors or folder.with_name(folder.name + ".stderr")

    def start(self) -> float:
        """Start the server and return the time until it responded, s."""
        begin = time.monotonic()
        command = [sys.executable, __file__, "serve", "--host", "127.0.0.1", "--port", str(self.port)]
        with self._errors.open("ab") as errors:
            self._process = subprocess.Popen(
                [*command, "--data", str(self.folder), "--no-devices", *self._options],
                env=self._environment,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
        while True:
            try:
                status, _ = self.request("GET", "/api/health")
                assert status == 200
                return time.monotonic() - begin
            except NoAnswerError:
                assert self._process.poll() is None, self._errors.read_text(encoding="utf-8")[-2000:]
                assert time.monotonic() - begin < START_S
                time.sleep(0.02)

    def wait_until_ready(self) -> None:
        """Wait until a running server can use its log."""
        end = time.monotonic() + START_S
        while self.request("GET", "/api/ready")[0] != 200:
            assert time.monotonic() < end
            time.sleep(0.02)

    def kill(self) -> None:
        """Kill the server immediately."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> int:
        """End the server normally and return its exit status."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        return self._process.wait(START_S)

    @property
    def pid(self) -> int:
        """The id of the running process."""
        assert self._process is not None
        return self._process.pid

    def cookie(self, path: str, body: object, headers: dict[str, str]) -> tuple[int, str]:
        """Post JSON and return the status and the cookie of the response."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(
                "POST", path, json.dumps(body), {"Content-Type": "application/json", **headers}
            )
            response = connection.getresponse()
            response.read()
            return response.status, (response.getheader("Set-Cookie") or "").partition(";")[0]
        finally:
            connection.close()

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: dict[str, str] | None = None,
        *,
        timeout: float = 30.0,
    ) -> tuple[int, Any]:
        """Send a request; see `ask`."""
        return ask(self.port, method, path, body, headers, timeout=timeout)


def ask(
    port: int,
    method: str,
    path: str,
    body: object = None,
    headers: dict[str, str] | None = None,
    *,
    timeout: float = 30.0,
) -> tuple[int, Any]:
    """Send a request (``body``: JSON, or bytes with their type in ``headers``) and return status and document.

    Raises `NoAnswerError` if there is none.
    """
    connection = HTTPConnection("127.0.0.1", port, timeout=timeout)
    sent = dict(headers or {})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        sent["Content-Type"] = "application/json"
    try:
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        text = response.read()
        return response.status, json.loads(text) if text[:1] in {b"{", b"["} else text
    except (OSError, HTTPException, ValueError) as error:
        raise NoAnswerError from error
    finally:
        connection.close()


def picture(number: int) -> bytes:
    """Return a small JPEG unlike any other."""
    import io  # noqa: PLC0415

    from PIL import Image  # noqa: PLC0415

    image = Image.new("RGB", (96, 64), (number % 256, number // 256 % 256, 40))
    file = io.BytesIO()
    image.save(file, "JPEG")
    return file.getvalue()


def form(content: bytes) -> tuple[bytes, dict[str, str]]:
    """Return a form with a picture, and its headers."""
    edge = "edge-of-the-form"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="image"; filename="pile.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'
    body = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
    return body, {"Content-Type": f"multipart/form-data; boundary={edge}"}


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

    from api.context import Context
    from companion.cli import main
    from tests.api.api_helpers import ScannerDouble

    Context.__init__ = partialmethod(Context.__init__, scanner=ScannerDouble())  # type: ignore[assignment,method-assign]
    main()
