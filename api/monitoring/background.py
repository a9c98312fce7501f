"""What a server does beside answering requests, in threads of their own, while it runs."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from api.live.cameras import Cameras, Peers, summary_of
from api.live.phone_camera import PhoneCameras
from api.live.streams import Hub, message
from api.live.watching import TableDriver
from api.monitoring.periodic import Periodic
from api.services.devices import RecentScans
from companion.hanafuda.messages import Message
from companion.messages import error_text
from companion.store import LogReadError, LogWriteError
from companion.store.data_folder import BACKUPS
from companion.store.notices import Notice, Notices, fault_notice
from companion.store.store import Store

_MONITOR_S: Final = 0.5
"""How often the log is checked, s; users should learn of a fault within a second."""


def current_notices(log: Store, notices: Notices) -> list[Notice]:
    """Return the current notices: the current fault, if any, and all notices that were not dismissed."""
    fault = log.fault()
    return [*([] if fault is None else [fault_notice(fault.reason)]), *notices.all()]


class Monitor(Periodic):
    """Checks the log and notifies the pages, while the context manager is active."""

    def __init__(self, log: Store, notices: Notices, hub: Hub) -> None:
        super().__init__("log monitor", _MONITOR_S)
        self._log = log
        self._notices = notices
        self._hub = hub
        self._published = list[Notice]()

    def step(self) -> None:
        """Notify the pages if the notices have changed."""
        current = current_notices(self._log, self._notices)
        if current != self._published:
            self._published = current
            self._hub.publish_everywhere(message("notices", "{}"))


_REPORT_S: Final = 1.0
"""How often a process reports, s."""


class ProcessReports(Periodic):
    """Reports to the other processes, while the context manager is active.

    Pages at all processes learn here that a camera fell silent, even if nobody follows the table at this one.
    """

    def __init__(
        self, peers: Peers, cameras: Cameras, driver: TableDriver, scanned: RecentScans, hub: Hub
    ) -> None:
        super().__init__("process reports", _REPORT_S)
        self._peers, self._cameras, self._driver = peers, cameras, driver
        self._scanned, self._hub = scanned, hub

    def step(self) -> None:
        """Report, and publish which cameras fell silent."""
        watched = {*self._cameras.tables(), *self._driver.refereed()}
        summaries = {table_id: summary_of(self._cameras.status_of(table_id)) for table_id in watched}
        self._peers.send(summaries, pairing=self._scanned.pairing)
        for table_id in self._cameras.tables():
            if not self._cameras.fell_silent(table_id):
                continue
            if self._peers.cameras().get(table_id, {"state": "silent"})["state"] != "silent":
                self._cameras.forget(table_id)  # it reports to another process now
            else:
                status = json.dumps(self._cameras.status_of(table_id))
                self._hub.publish(table_id, message("camera", status))


class LeftPhones(Periodic):
    """Ends the processes that watch phones that have left, while the context manager is active."""

    def __init__(self, phones: PhoneCameras) -> None:
        super().__init__("phones that left", _REPORT_S)
        self._phones = phones

    def step(self) -> None:
        """End those of phones that have left by now."""
        self._phones.dismiss_left()


_PRUNE_S: Final = 3600.0

_log = logging.getLogger(__name__)


class Pruning(Periodic):
    """Prunes the store every hour, while the context manager is active."""

    def __init__(self, store: Store) -> None:
        super().__init__("pruning", _PRUNE_S, _PRUNE_S)
        self._store = store

    def step(self) -> None:
        """Prune the store; a fault is reported on every page, and the next hour tries again."""
        try:
            self._store.scans.prune()
        except (LogReadError, LogWriteError) as error:
            _log.warning("%s", error_text(error))


_HOUR: Final = 4
"""When the backup is due, hour in local time: late games are over by then."""
_FIRST_S: Final = 600.0
"""Delay of a missed backup after the start of a server that was off at night, s; the evening has begun by then."""
_BACKUP_CHECK_S: Final = 60.0
_LIMIT_S: Final = 3600.0
"""Time limit of a backup, s."""
_CHECK_S: Final = 0.5
"""How often to check whether a backup has to end, s."""
_LAST: Final = ".last"
"""A file whose modification time is that of the last attempt; most nights nothing has changed, and no backup is made."""


def is_due(folder: Path, now: datetime) -> bool:
    """Return whether no backup was attempted since the last 4 a.m."""
    night = now.replace(hour=_HOUR, minute=0, second=0, microsecond=0)
    if night > now:
        night -= timedelta(days=1)
    try:
        last = (folder / BACKUPS / _LAST).stat().st_mtime
    except FileNotFoundError:
        return True
    # A time in the future was written while the clock was wrong.
    return not night.timestamp() <= last <= now.timestamp()


class NightlyBackup(Periodic):
    """Starts the nightly backup when it is due, while the context manager is active.

    A backup that is running when the server ends stays unfinished; the next one removes it.
    """

    def __init__(
        self,
        folder: Path,
        notices: Notices,
        *,
        first_s: float = _FIRST_S,
        clock: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        super().__init__("nightly backup", _BACKUP_CHECK_S, first_s)
        self._folder = folder
        self._notices = notices
        self._clock = clock

    def step(self) -> None:
        """Start a backup if one is due."""
        if is_due(self._folder, self._clock()):
            self._back_up()

    def _back_up(self) -> None:
        last = self._folder / BACKUPS / _LAST
        try:
            last.parent.mkdir(mode=0o700, exist_ok=True)
            last.write_bytes(b"")
        except OSError as error:  # reported on every page, and the next minute tries again
            _log.warning("no backup can be made: %s", error)
            return
        command = [
            sys.executable,
            "-m",
            "companion.cli",
            "log",
            "backup",
            "--nightly",
            "--data",
            str(self._folder),
        ]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", errors="replace"
        )
        latest = time.monotonic() + _LIMIT_S
        while True:
            try:
                _, errors = process.communicate(timeout=_CHECK_S)
                break
            except subprocess.TimeoutExpired:
                if self._ended.is_set():
                    process.terminate()
                elif time.monotonic() > latest:
                    process.kill()
        if process.returncode and not self._ended.is_set():
            lines = errors.strip().splitlines()
            reason = lines[-1] if lines else f"exit code {process.returncode}"
            self._notices.add("backup-failed", Message("backup-failed", {"error": reason}))
