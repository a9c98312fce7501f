"""Runs the jobs of the queue with procrastinate, and lets the jobs of workers that died run again.

procrastinate delivers each job to one worker; workers report that they are alive. The jobs' own rows say what was done.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import procrastinate
import psycopg
from procrastinate.exceptions import ConnectorException

from companion.store.sql.connection import Connection

__all__ = ["QUEUE", "TASK", "run_jobs", "running_workers"]

QUEUE: Final = "scans"
TASK: Final = "scan"

HEARTBEAT_S: Final = 2.0
"""How often a worker reports that it is alive, s."""
STALLED_S: Final = 10.0
"""A worker that has not reported for this long, s, counts as dead; its job is given to another one."""
POLL_S: Final = 2.0
"""How often a worker looks for jobs that it was not notified of, s, such as those of dead workers."""
_REPEAT_S: Final = 1
"""Pause before a job that failed runs again, s."""
_RECONNECT_S: Final = 2.0
"""Pause after a lost connection to the database, s."""

_log = logging.getLogger(__name__)


def running_workers(db: Connection) -> int:
    """Return the number of workers that have reported lately; one that ends normally is no longer listed."""
    row = db.execute(
        "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - make_interval(secs => ?)",
        (STALLED_S,),
    ).fetchone()
    return int(row[0])


def run_jobs(url: str, run: Callable[[str], None], stopping: threading.Event) -> None:
    """Call ``run`` with the id of each job, one after the other, until ``stopping`` is set; a job that raises runs again.

    A lost connection to the database at ``url`` is opened again.
    """
    # psycopg cannot use the default event loop of Windows.
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        runner.run(_run_jobs(url, run, stopping))


async def _run_jobs(url: str, run: Callable[[str], None], stopping: threading.Event) -> None:
    connector = procrastinate.PsycopgConnector(conninfo=url, min_size=1, max_size=2)
    app = procrastinate.App(connector=connector)

    @app.task(name=TASK, queue=QUEUE, retry=procrastinate.RetryStrategy(wait=_REPEAT_S))
    def scan(job: str) -> None:
        run(job)

    stop = asyncio.create_task(asyncio.to_thread(stopping.wait))
    while not stop.done():
        work = asyncio.create_task(_work(app))
        await asyncio.wait({stop, work}, return_when=asyncio.FIRST_COMPLETED)
        if stop.done():
            work.cancel()  # procrastinate finishes the current job before it ends
        (error,) = await asyncio.gather(work, return_exceptions=True)
        if not stop.done():
            _log.warning("the queue of photographs cannot be read (%s); trying again", error)
            await asyncio.wait({stop}, timeout=_RECONNECT_S)


async def _work(app: procrastinate.App) -> None:
    """Run jobs until this is canceled or the connection is lost."""
    async with app.open_async():
        repeating = asyncio.create_task(_repeat_stalled(app))
        try:
            await app.run_worker_async(
                queues=[QUEUE],
                fetch_job_polling_interval=POLL_S,
                update_heartbeat_interval=HEARTBEAT_S,
                stalled_worker_timeout=STALLED_S,
                delete_jobs="always",
                install_signal_handlers=False,
            )
        finally:
            repeating.cancel()
            await asyncio.gather(repeating, return_exceptions=True)


async def _repeat_stalled(app: procrastinate.App) -> None:
    """Put the jobs of dead workers back into the queue, again and again."""
    manager = app.job_manager
    while True:
        with suppress(ConnectorException, psycopg.Error):  # the worker itself notices a lost connection
            for job in await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=STALLED_S):
                _log.warning("the worker of job %s died; the job runs again", job.task_kwargs.get("job"))
                with suppress(ConnectorException):  # another worker was faster
                    await manager.retry_job(job)
        await asyncio.sleep(POLL_S)
