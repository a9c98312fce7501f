"""``companion scan-worker``: reads the photographs that phones sent to servers with a common database, on any machine."""

from __future__ import annotations

import logging
import signal
from typing import TYPE_CHECKING, Any, Final

import click

from companion.cli.language import say
from companion.cli.terminal import json_option, print_json, store_option, store_place
from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message, Param
from companion.redaction import redacted

if TYPE_CHECKING:
    from companion.store.scan_queue import QueuedPicture
    from vision.photograph.scan_result import ScanResult

_CHECK_S: Final = 1.0
"""How often to check whether the worker has ended, s; signals interrupt the wait on most systems only."""


@click.command("scan-worker")
@store_option
@json_option
def scan_worker(*, as_json: bool) -> None:
    """Read photographs for servers that share a PostgreSQL database.

    Runs until Ctrl-C or SIGTERM, and then finishes the current photograph; a second signal ends it at once. Any number of workers
    may run, on any machines; each uses two processor cores. A photograph whose worker dies is read by another one.
    """
    # Imported here: the database and the scanner take a second to load, too long for `companion --help`.
    from api.pictures.queued_scans import JobWorker  # noqa: PLC0415
    from api.pictures.service import Pictures, runner  # noqa: PLC0415
    from companion.store.store import open_store  # noqa: PLC0415

    place = store_place(None)
    if not isinstance(place, str):
        raise click.UsageError(
            "give the servers' database with --store or COMPANION_STORE: postgresql://USER@HOST/NAME. Servers without one read photographs themselves"
        )
    report = _WorkerOutput(as_json=as_json)
    logging.getLogger().addHandler(report)
    store = open_store(place)
    pictures = Pictures(runner(store.documents, None))
    try:
        pictures.warm_up()
        queue = store.scan_queue
        assert queue is not None  # every store with a URL has one
        worker = JobWorker(queue, pictures, report.picture)

        def stop(signum: int, frame: object) -> None:
            worker.stop()
            signal.signal(signum, signal.SIG_DFL)  # a second signal ends the program
            report.event("stopping", Message("cli-scan-worker-stopping"))

        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, stop)
        report.event("started", Message("cli-scan-worker-started", {"count": queue.waiting()}))
        while not worker.has_ended(_CHECK_S):
            pass
    finally:
        pictures.close()
        store.close()
    report.event("stopped", Message("cli-serve-stopped"))


class _WorkerOutput(logging.Handler):
    """Prints what the worker does: one line for each photograph, and warnings."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__(logging.WARNING)
        self._as_json = as_json

    def event(self, name: str, message: Message, **members: Any) -> None:
        """Print an event: as JSON with its members, or as a message."""
        if self._as_json:
            print_json({"event": name, **members})
        else:
            click.echo(say(message))

    def picture(self, queued: QueuedPicture, outcome: ScanResult | MessageError, ms: float) -> None:
        """Print that a photograph was read or refused, and after how many ms."""
        image = str(queued.request["image"])
        members = {"job": queued.job, "image": image, "ms": round(ms)}
        if isinstance(outcome, MessageError):
            values: dict[str, Param] = {"image": image, "reason": outcome.message}
            self.event("refused", Message("cli-scan-worker-refused", values), **members, code=outcome.code)
        else:
            count = len(outcome.cards)
            read = Message("cli-scan-worker-read", {"image": image, "count": count, "ms": round(ms)})
            self.event("read", read, **members, cards=count)

    def emit(self, record: logging.LogRecord) -> None:
        """Print a warning or error of the program, with its cause: there is no log file."""
        text = redacted(self.format(record))
        if self._as_json:
            print_json({"event": "log", "level": record.levelname.lower(), "message": text})
        else:
            click.echo(f"companion scan-worker: {text}", err=True)
