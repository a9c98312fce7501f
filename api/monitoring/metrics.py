"""Prometheus metrics at `/metrics`, if enabled in the settings (`metrics = true`).

The values are read from the running services at each scrape. Needs the `metrics` extra (prometheus-client).
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from apiflask import APIFlask
from flask import Blueprint, Response, current_app, request

from api.live.cameras import frame_age
from companion.settings import SettingsError

if TYPE_CHECKING:
    from prometheus_client.core import Metric

    from api.context import Context

_EXTENSION: Final = "hanafuda-companion-metrics"
_PREFIX: Final = "companion"

blueprint = Blueprint("metrics", __name__)


@blueprint.get("/metrics")
def metrics() -> Response:
    """Return the metrics in Prometheus' text format."""
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest  # noqa: PLC0415  # optional

    return Response(generate_latest(current_app.extensions[_EXTENSION]), content_type=CONTENT_TYPE_LATEST)


def register(app: APIFlask, services: Context) -> None:
    """Count the requests of an application and serve its metrics. Raises `SettingsError` if the library is missing."""
    try:
        from prometheus_client import CollectorRegistry, Counter, ProcessCollector  # noqa: PLC0415  # optional
    except ImportError as error:
        raise SettingsError(
            "metrics = true needs the Prometheus client: pip install 'hanafuda-companion[metrics]'"
        ) from error
    registry = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=registry)
    requests = Counter(
        f"{_PREFIX}_requests", "Requests by method and status class.", ["method", "status"], registry=registry
    )
    registry.register(_ServiceCollector(services))
    app.extensions[_EXTENSION] = registry

    @app.after_request
    def count(response: Response) -> Response:
        requests.labels(request.method, f"{response.status_code // 100}xx").inc()
        return response

    app.register_blueprint(blueprint)


class _ServiceCollector:
    """Reads the state of tables, cameras, devices and streams at each scrape."""

    def __init__(self, services: Context) -> None:
        self._services = services

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415  # optional

        def gauge(name: str, text: str, values: dict[tuple[str, ...], Any], *labels: str) -> Metric:
            family = GaugeMetricFamily(f"{_PREFIX}_{name}", text, labels=labels)
            for key, value in values.items():
                if value is not None:
                    family.add_metric(key, float(value))
            return family

        services = self._services
        tables = services.store.tables.list()
        fault, written = services.store.fault(), services.store.database.written
        age = None if written is None else time.monotonic() - written
        yield gauge("log_writable", "1 if the log is writable.", {(): fault is None})
        yield gauge("log_commit_age_seconds", "Time since something was stored.", {(): age})
        yield gauge("tables", "Tables in the log.", {(): len(tables)})
        yield gauge(
            "process",
            "1, with the machine's name and the process id.",
            {(socket.gethostname(), str(os.getpid())): 1},
            "host",
            "pid",
        )
        yield gauge(
            "ready",
            "1 if load balancers should send requests to this process.",
            {(): services.readiness.ready},
        )
        yield gauge(
            "database_connections",
            "Connections to the database server, and requests that wait for one.",
            {(state,): count for state, count in services.store.database.connections().items()},
            "state",
        )
        if (queue := services.store.scan_queue) is not None:
            yield gauge("scan_queue_waiting", "Photographs that wait to be read.", {(): queue.waiting()})
            yield gauge("scan_workers", "Running scan workers, on all machines.", {(): queue.workers()})
        yield gauge("streams", "Open event streams.", {(): len(services.hub)})
        followers = services.hub.tables()
        yield gauge(
            "table_followers",
            "Open event streams of a table.",
            {(table,): count for table, count in followers.items()},
            "table",
        )
        # Only the tables of this process's pages: the log of a festival has thousands.
        followed = [table for table in tables if table.id in followers]
        yield gauge(
            "table_events", "Events of a table.", {(table.id,): table.seq for table in followed}, "table"
        )
        now = datetime.now(UTC)
        yield gauge(
            "table_age_seconds",
            "Time since a table's newest event.",
            {(each.id,): (now - datetime.fromisoformat(each.time)).total_seconds() for each in followed},
            "table",
        )
        cameras = {table: services.cameras.status_of(table) for table in services.cameras.tables()}
        watched = {name: report for name, report in cameras.items() if report["age"] is not None}
        yield gauge(
            "camera_report_age_seconds",
            "Time since a table's camera reported.",
            {(name,): report["age"] for name, report in watched.items()},
            "table",
        )
        yield gauge(
            "camera_frame_age_seconds",
            "Age of the camera's newest frame.",
            {(name,): frame_age(report) for name, report in watched.items()},
            "table",
        )
        workers = {name: report["worker"] for name, report in cameras.items() if report["worker"]}
        yield gauge(
            "camera_worker_restarts",
            "Number of restarts of the camera's process.",
            {(name,): worker["restarts"] for name, worker in workers.items()},
            "table",
        )
        yield gauge(
            "devices_report_age_seconds",
            "Time since the device process reported.",
            {(): services.devices.seen_s},
        )
        reports = {device.name: services.devices.report_of(device.name) for device in services.devices.all}
        yield gauge(
            "device_ready",
            "1 if a device is ready.",
            {
                (name,): report is not None and report.status.state == "ready"
                for name, report in reports.items()
            },
            "device",
        )
