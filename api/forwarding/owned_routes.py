"""The routes that need what only one process has in memory, and the resource that each of them needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from flask import request

from api.context import context
from api.services.ownership import DEVICES, PRINTER, of_enrollment, of_table

__all__ = ["OWNED_ROUTES", "OwnedRoute"]

ResourceOf = Callable[[Mapping[str, Any]], str]
"""Returns the resource that a request needs, given the arguments in its path."""


def _accept(arguments: Mapping[str, Any]) -> None:
    """Accept all resources."""


@dataclass(frozen=True, slots=True)
class OwnedRoute:
    """What a route needs."""

    resource: ResourceOf
    claims: bool
    """Whether the process that gets the request becomes the owner if there is none. Requests that only read do not."""
    check: Callable[[Mapping[str, Any]], None] = _accept
    """Raises an error if the resource does not exist, so that nobody owns what is not there."""


def _table(arguments: Mapping[str, Any]) -> str:
    return of_table(context().tables.newest(str(arguments["table_id"])))


def _this_table(arguments: Mapping[str, Any]) -> str:
    return of_table(str(arguments["table_id"]))


def _check_table(arguments: Mapping[str, Any]) -> None:
    """Raise `NoSuchTableError` for an unknown table."""
    context().store.tables.newest(str(arguments["table_id"]))


def _last_table(arguments: Mapping[str, Any]) -> str:
    """Return the resource of the table of a night's last game, whose cameras and readers move to the next one."""
    return of_table(context().store.nights.night(str(arguments["night_id"])).games[-1].table)


def _devices(arguments: Mapping[str, Any]) -> str:
    return DEVICES


def _printer(arguments: Mapping[str, Any]) -> str:
    return PRINTER


def _enrollment(arguments: Mapping[str, Any]) -> str:
    return of_enrollment(str(arguments["enrollment_id"]))


def _kept_enrollment(arguments: Mapping[str, Any]) -> str:
    """Return the resource of the enrollment that the body of a request names, which is not checked yet."""
    body = request.get_json(silent=True)
    return of_enrollment(str(body.get("enrollment")) if isinstance(body, dict) else "")


OWNED_ROUTES: Final[Mapping[str, OwnedRoute]] = {
    "tables_watch.observe": OwnedRoute(_table, claims=True, check=_check_table),
    "tables_watch.take": OwnedRoute(_table, claims=True, check=_check_table),
    "tables_watch.rescan": OwnedRoute(_this_table, claims=True, check=_check_table),
    "tables_watch.report": OwnedRoute(_table, claims=True, check=_check_table),
    "tables_watch.camera": OwnedRoute(_this_table, claims=False),
    "tables_watch.camera_picture": OwnedRoute(_this_table, claims=False),
    "scans_table.scans": OwnedRoute(_table, claims=True, check=_check_table),
    "presses.press": OwnedRoute(_this_table, claims=False),
    "health.health": OwnedRoute(_this_table, claims=False),
    "nights.rematch": OwnedRoute(_last_table, claims=False),
    "devices.devices": OwnedRoute(_devices, claims=False),
    "devices.put_devices": OwnedRoute(_devices, claims=True),
    "devices.report": OwnedRoute(_devices, claims=True),
    "devices.test": OwnedRoute(_devices, claims=True),
    "tags.last": OwnedRoute(_devices, claims=True),
    "printing.printer": OwnedRoute(_printer, claims=False),
    "printing.put_printer": OwnedRoute(_printer, claims=False),
    "printing.print_slip": OwnedRoute(_printer, claims=True),
    "decks.enrollment": OwnedRoute(_enrollment, claims=False),
    "decks.fix": OwnedRoute(_enrollment, claims=False),
    "decks.drop": OwnedRoute(_enrollment, claims=False),
    "decks.card": OwnedRoute(_enrollment, claims=False),
    "decks.keep": OwnedRoute(_kept_enrollment, claims=False),
}
"""By endpoint. All other routes need only what is stored."""
