"""What all tests have in common: the order of their files, and folders that are not the user's."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.memory import memory_folder

pytest_plugins = ["tests.postgres"]

# Tests check results, not how long a busy machine takes for them.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

_LONG = frozenset(
    {
        "test_serve_command.py",
        "test_scanner.py",
        "test_scanned_games.py",
        "test_replay_breaks.py",
        "test_picture_attacks.py",
        "test_table_observer.py",
        "test_log_notices.py",
        "test_scanning_rounds.py",
        "test_state_machine.py",
        "test_devices_command.py",
        "test_mqtt.py",
        "test_soak.py",
        "test_evening.py",
        "test_firmware.py",
        "test_worker_devices.py",
        "test_tables_fuzz.py",
        "test_hidden_cards.py",
        "test_tables.py",
        "test_postgres_faults.py",
        "test_log_backup.py",
        "test_log_lock.py",
        "test_devices.py",
        "test_other_sites.py",
        "test_table_pictures.py",
        "test_load.py",
        "test_film.py",
    }
)
"""Files that take 10 s or more alone, of processors or of waiting."""


def pytest_configure() -> None:
    """Keep the tests' folders in memory where there is room: a test that writes to a database waits for the disk otherwise."""
    if (memory := memory_folder()) is not None:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))


@pytest.fixture(scope="session", autouse=True)
def data_folder_of_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give commands without ``--data`` an empty data folder instead of the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("user-data")))
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the files of the browser first, then the other long ones; everything else stays in its order."""
    items.sort(
        key=lambda item: 0 if item.path.parent.name == "browser" else 1 if item.path.name in _LONG else 2
    )
