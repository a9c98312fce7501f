"""Button presses from button boxes, keyboards, and home automation; the table's state determines what a press means."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import Final

from apiflask import APIBlueprint
from flask import Response

from api.access.audience import audience_at
from api.access.identity import who
from api.access.reports import check_reports
from api.context import context
from api.languages import message_json
from api.live.streams import TooManyStreamsError
from api.problems import JSON_REFUSED, problem, refused
from api.services.live_tables import TableChange, dumped
from api.tables.table_schemas import PressedOut, PressIn
from companion.hanafuda.messages import Message
from companion.table import NewEvent, Table
from companion.table.button_presses import PressRefusedError, did, pressed

__all__ = ["blueprint"]

#: A press older than this is refused, ms: the situation that it was meant for has passed.
_MAX_AGE_MS: Final = 5_000.0

#: People press a button before the camera or the readers report the card that they just played, so at a watched table a press
#: waits up to this long for that report, s.
_SOON_S: Final = 3.0
_WATCHING: Final = frozenset({"watching", "hands"})
#: Maximum number of presses that wait at the same time; each occupies a server thread.
_waiting_slots: Final = BoundedSemaphore(8)
#: If two people undo the same action within this time, s, the second press is refused, so that it does not undo another action.
_SAME_UNDO_S: Final = 1.0

blueprint = APIBlueprint("presses", __name__, tag="Devices")


@blueprint.post("/api/tables/<table_id>/presses")
@blueprint.input(PressIn)
@blueprint.output(PressedOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        **refused(403, 507),
        404: "No such table",
        409: "The button has no meaning now; `code` and `says` (a sentence by language) give the reason",
    }
)
def press(table_id: str, json_data: PressIn) -> Response:
    """Do what a button currently means at a table. A press that is sent again with the same `key` returns the first result.

    If a camera watches the table, or readers just reported something, and the button would be valid after one more card, the
    response waits up to 3 s for that card.
    """
    client = who()
    actor = json_data.device if json_data.device and client.role in {"host", "device"} else client.name
    tables, audience = context().tables, audience_at(table_id, client)

    def meant(table: Table) -> list[NewEvent]:
        if json_data.ago_ms > _MAX_AGE_MS:
            raise _too_late(json_data.ago_ms)
        if json_data.button == "undo":
            _check_same_undo(table, actor)
        return pressed(table, json_data.seat, json_data.button, json_data.how)

    def do() -> tuple[TableChange, Message | None]:
        result = tables.react(
            table_id,
            meant,
            actor=actor,
            source=json_data.source,
            audience=audience,
            check=partial(check_reports, client),
            key=json_data.key,
        )
        with tables.at(table_id, audience) as table:
            return result, did(table, result.events)

    result, description = _do_soon(table_id, do)
    assert description is not None, "a press that does nothing is refused"
    body = f'{{"seq":{result.seq},"did":{json.dumps(message_json(description))},"events":{dumped(result.events)}}}'
    response = Response(body, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.errorhandler(PressRefusedError)
def _press_refused(error: PressRefusedError) -> Response:
    return problem(
        HTTPStatus.CONFLICT, error.slug, error.text, code=error.slug, says=message_json(error.text)
    )


def _do_soon(
    table_id: str, do: Callable[[], tuple[TableChange, Message | None]]
) -> tuple[TableChange, Message | None]:
    """Call ``do``; if the press came early at a watched table, retry it after each change for up to `_SOON_S`."""
    try:
        return do()
    except PressRefusedError as refused:
        watched = (
            context().cameras.status_of(table_id)["state"] in _WATCHING
            or context().referees.due(table_id) is not None  # its readers just reported something
        )
        if not (refused.early and watched and _waiting_slots.acquire(blocking=False)):
            raise
        try:
            return _after_changes(table_id, do, refused)
        finally:
            _waiting_slots.release()


def _after_changes(
    table_id: str, do: Callable[[], tuple[TableChange, Message | None]], refused: PressRefusedError
) -> tuple[TableChange, Message | None]:
    hub, deadline = context().hub, time.monotonic() + _SOON_S
    try:
        with context().tables.at(table_id):  # no change may be missed between the check and following
            follower = hub.follow(table_id)
    except TooManyStreamsError:
        raise refused from None
    try:
        while refused.early:
            try:
                return do()
            except PressRefusedError as again:
                refused = again
            remaining_s = deadline - time.monotonic()
            with suppress(OverflowError):
                if remaining_s <= 0 or follower.take(remaining_s) is None:
                    break
    except EOFError:  # the server is shutting down
        pass
    finally:
        hub.leave(table_id, follower)
    raise refused


def _check_same_undo(table: Table, actor: str) -> None:
    last = table.events[-1]
    # Negative if the clock was set back; then the press must not be refused, possibly for an hour.
    ago = datetime.now(UTC) - datetime.fromisoformat(last.time)
    if last.kind == "undone" and last.actor != actor and 0 <= ago.total_seconds() < _SAME_UNDO_S:
        description = table.says(last)
        raise PressRefusedError(
            "undone-already",
            Message("press-undone-already", {"undone": description}),
        )


def _too_late(ago_ms: float) -> PressRefusedError:
    return PressRefusedError("too-late", Message("press-too-late", {"seconds": round(ago_ms / 1000)}))
