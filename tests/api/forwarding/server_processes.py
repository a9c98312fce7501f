"""Several applications over one database, each behind a real web server in a thread, as several processes have them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Self

import pytest
from flask.testing import FlaskClient

from api.app import create_app
from api.context import Context
from api.serving.setup import make_server
from tests.api.api_helpers import ScannerDouble, context_of

__all__ = ["ServerProcess", "processes"]


class ServerProcess:
    """An application on a store in PostgreSQL, reachable by the others until `stop`."""

    def __init__(self, folder: Path, store_url: str) -> None:
        self.app = create_app(folder, ScannerDouble(), most_streams=10, store_url=store_url)
        self._server = make_server(self.app, "127.0.0.1", 0, most_streams=10)
        self.port = int(self._server.effective_port)
        self.url = f"http://127.0.0.1:{self.port}"
        self.context.store.leases.advertise(self.url)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        self._stopped = False

    @property
    def context(self) -> Context:
        """The services."""
        return context_of(self.app)

    @property
    def client(self) -> FlaskClient:
        """A client, which is the host at this machine; its requests are forwarded through the web servers."""
        return self.app.test_client()

    def raw(self, method: str, path: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Send a request with these headers from another client at this machine."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, headers=dict(headers))
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def stop(self) -> None:
        """Stop answering, without a word to the others."""
        if not self._stopped:
            self._stopped = True
            self._server.stop()
            self._thread.join()
            self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
        self.context.readers.close()
        self.context.pictures.close()
        self.context.store.close()


@pytest.fixture
def processes(postgres_url: str, tmp_path: Path) -> Iterator[Callable[[], ServerProcess]]:
    """Starts another process on the same database."""
    with ExitStack() as stack:
        started: list[Any] = []

        def start() -> ServerProcess:
            process = stack.enter_context(ServerProcess(tmp_path / f"data{len(started)}", postgres_url))
            started.append(process)
            return process

        yield start
