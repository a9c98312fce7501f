"""The real application on a real log in a temporary folder; only the scanner is a double."""

from __future__ import annotations

import shutil
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from api.app import create_app
from api.context import EXTENSION, Context
from companion.store.store import open_store
from tests.api.api_helpers import Clock, ScannerDouble, context_of, make_app


def _compile_each_route_once() -> None:
    """Let all applications of a process share the URL builders of their routes.

    werkzeug compiles two functions for each route of each application, which is most of the time of `create_app`.
    They depend on the text of the route only, unless it has default values.
    """
    builders: dict[tuple[str, bool], Callable[..., tuple[str, str]]] = {}
    compile_builder = Rule._compile_builder

    def shared(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        if rule.defaults or rule.subdomain or rule.host:
            return compile_builder(rule, append_unknown)
        key = (rule.rule, append_unknown)
        if key not in builders:
            builders[key] = compile_builder(rule, append_unknown)
        return builders[key]

    Rule._compile_builder = shared


_compile_each_route_once()


@pytest.fixture
def scanner() -> ScannerDouble:
    return ScannerDouble()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture(scope="session")
def common_app(tmp_path_factory: pytest.TempPathFactory) -> APIFlask:
    """An application with the default settings. Each test gives it a context of its own."""
    ctx = Context(tmp_path_factory.mktemp("common"), ScannerDouble())
    ctx.close()
    return create_app(ctx)


@pytest.fixture(scope="session")
def empty_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an empty log, for copies: creating one takes three times as long."""
    folder = tmp_path_factory.mktemp("empty") / "data"
    open_store(folder).close()
    return folder


@pytest.fixture
def app(data: Path, scanner: ScannerDouble, common_app: APIFlask, empty_log: Path) -> Iterator[APIFlask]:
    """The application with a new context on the folder `data`, whose log is empty unless the test has put something there."""
    if not data.exists():
        shutil.copytree(empty_log, data)
    ctx = Context(data, scanner)
    app = create_app(ctx) if ctx.settings.metrics or ctx.settings.proxies else common_app
    app.extensions[EXTENSION] = ctx
    yield app
    ctx.close()


@pytest.fixture
def client(app: APIFlask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """A client of an application that all examples of a module's tests share."""
    app = make_app(tmp_path_factory.mktemp("fuzzed"), ScannerDouble())
    yield app.test_client()
    context_of(app).store.close()


@pytest.fixture(scope="session")
def huge_png() -> bytes:
    """A PNG header that declares 20,000 x 20,000 px, with too little data to be decoded."""
    header = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    chunks = b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in ((b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 60_001)), (b"IEND", b""))
    )
    return b"\x89PNG\r\n\x1a\n" + chunks
