"""A temporary PostgreSQL server for tests, on a Unix socket; one for each test process."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final

import psycopg
import pytest

from companion.store.postgres_database import PostgresDatabase
from tests.memory import memory_folder
from tests.small_disk import SmallDisk, small_disk

_DEBIAN: Final = Path("/usr/lib/postgresql")
_USER: Final = "postgres"
"""The account that runs the server for root, whom PostgreSQL refuses."""
GUEST: Final = "guest"
"""A user with the password "right" who may create no tables."""
_TEMPLATE: Final = "template_companion"
_SETTINGS: Final = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "autovacuum": "off",
    "max_wal_size": "64MB",
}
_START_S: Final = 60.0


def installed_programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, or None if it is not installed."""
    if (found := shutil.which("initdb")) is not None:
        return Path(found).resolve().parent
    versions = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return versions[-1].parent if versions else None


class Cluster:
    """A running server. Its processes end with the test process, even if that is killed."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._numbers = count(1)
        self.folder = Path(tempfile.mkdtemp(prefix="companion-postgres-", dir=memory_folder()))
        as_root = os.geteuid() == 0
        self._as_user = ["runuser", "-u", _USER, "--"] if as_root else []
        self._server_as_user: list[str] = []
        if shutil.which("setpriv") is not None:
            self._server_as_user = ["setpriv", "--pdeathsig", "KILL"]
            if as_root:
                self._server_as_user += ["--reuid", _USER, "--regid", _USER, "--clear-groups"]
        if as_root:
            shutil.chown(self.folder, _USER, _USER)
        self._owner = _USER if as_root else getpass.getuser()
        self._run(
            "initdb", "-D", str(self.folder / "data"), "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
        )
        access = self.folder / "data" / "pg_hba.conf"
        access.write_text(f"local all {GUEST} scram-sha-256\n{access.read_text()}")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()
        with self._administrator() as connection:
            connection.execute(f"CREATE DATABASE {_TEMPLATE}")
            connection.execute(f"CREATE ROLE {GUEST} LOGIN PASSWORD 'right'")
        PostgresDatabase(self.url(_TEMPLATE)).close()

    def url(self, database: str, user: str | None = None) -> str:
        """Return the address of a database; ``user`` may be ``name:password``."""
        return f"postgresql://{user or self._owner}@/{database}?host={self.folder}"

    def new_database(self) -> str:
        """Create a database with the schema, and return its address."""
        name = f"companion_{next(self._numbers)}"
        with self._administrator() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
        return self.url(name)

    @contextmanager
    def small_database(self, size_mb: int) -> Iterator[tuple[SmallDisk, str]]:
        """Yield a small disk, and the address of a new database that is on it."""
        name = f"small_{next(self._numbers)}"
        with small_disk(size_mb) as disk, self._administrator() as connection:
            tables = disk.folder / "tables"
            tables.mkdir()
            shutil.chown(tables, self._owner)
            connection.execute(f"CREATE TABLESPACE {name} LOCATION '{tables}'")
            connection.execute(f"CREATE DATABASE {name} TABLESPACE {name}")
            try:
                yield disk, self.url(name)
            finally:
                self.remove_database(self.url(name))
                connection.execute(f"DROP TABLESPACE {name}")

    def remove_database(self, url: str) -> None:
        """Remove a database that `new_database` created, with all connections to it."""
        name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        with self._administrator() as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        settings = [f"-c{name}={value}" for name, value in _SETTINGS.items()]
        program = [str(self._programs / "postgres"), "-D", str(self.folder / "data"), "-k", str(self.folder)]
        log = (self.folder / "server.log").open("ab")
        with log:
            self._process = subprocess.Popen(
                [*self._server_as_user, *program, *settings],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
            )
        deadline = time.monotonic() + _START_S
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                return

    @property
    def pid(self) -> int:
        """The id of the server's first process."""
        assert self._process is not None
        return self._process.pid

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop the server: at once by default, as if the machine failed; with SIGINT it closes all connections first."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def kill(self) -> None:
        """Kill the server's first process, whose children then end, and start the server again."""
        self.stop(signal.SIGKILL)
        deadline = time.monotonic() + _START_S
        while True:  # the shared memory is in use until the last child has ended
            try:
                self.start()
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
            else:
                return

    def cut(self, url: str) -> None:
        """Cut all connections to a database."""
        name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        with self._administrator() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
            )

    def close(self) -> None:
        """Stop the server and remove its files."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as_user, str(self._programs / program), *arguments]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, cwd=self.folder)

    @contextmanager
    def _administrator(self) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            yield connection


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[Cluster]:
    """A running PostgreSQL server; the test is skipped where PostgreSQL is not installed."""
    programs = installed_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    cluster = Cluster(programs)
    yield cluster
    cluster.close()


@pytest.fixture
def postgres_url(postgres_cluster: Cluster) -> Iterator[str]:
    """The address of a new, empty database with the schema."""
    url = postgres_cluster.new_database()
    yield url
    with suppress(psycopg.OperationalError):  # the test stopped the server
        postgres_cluster.remove_database(url)
