"""Buttons: a box beside a seat, a keyboard, a home's automation say a word, and the table knows what it means now."""

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
from api.live.streams import TooManyStreamsError
from api.problems import JSON_REFUSED, problem
from api.tables.live_tables import Told, dumped
from api.tables.table_schemas import PressedOut, PressIn
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Text
from companion.table import NewEvent, Table
from companion.table.button_presses import PressRefusedError, did, pressed
from companion.table.event_messages import message_view

__all__ = ["blueprint"]

#: A press that was under way for longer, ms, is none any more: what it was meant for is over.
_LATEST_MS: Final = 5_000.0

#: A hand presses sooner than camera or readers tell what it has laid down: so long a press waits for that, s, at a table that is
#: watched.
_SOON_S: Final = 3.0
_WATCHING: Final = frozenset({"watching", "hands"})
#: Presses that wait at once; each holds a thread of the server.
_waiting: Final = BoundedSemaphore(8)
#: Of two people who take the same thing back at once, one is not to take back another.
_SAME_UNDO_S: Final = 1.0

blueprint = APIBlueprint("presses", __name__, tag="Devices")


@blueprint.post("/api/tables/<table_id>/presses")
@blueprint.input(PressIn)
@blueprint.output(PressedOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not for this role",
        404: "No such table",
        409: "The button means nothing now: `code` and `says` (a sentence by language) tell why",
        507: "The log could not be written",
    }
)
def press(table_id: str, json_data: PressIn) -> Response:
    """Do what a button means at a table now, once; of a press sent again (`key`), what it did the first time is told.

    Where a camera watches, or readers told something just now, and the button would mean something after one card more, the answer waits for it, up to 3 s.
    """
    asker = who()
    actor = json_data.device if json_data.device and asker.role in {"host", "device"} else asker.name
    tables, audience = context().tables, audience_at(table_id, asker)

    def meant(table: Table) -> list[NewEvent]:
        if json_data.ago_ms > _LATEST_MS:
            raise _too_late(json_data.ago_ms)
        if json_data.button == "undo":
            _check_same_undo(table, actor)
        return pressed(table, json_data.seat, json_data.button, json_data.how)

    def do() -> tuple[Told, Message | None]:
        told = tables.react(
            table_id,
            meant,
            actor=actor,
            source=json_data.source,
            audience=audience,
            check=partial(check_reports, asker),
            key=json_data.key,
        )
        with tables.at(table_id, audience) as table:
            return told, did(table, told.events)

    told, says = _soon(table_id, do)
    assert says is not None, "a press that does nothing is refused"
    body = f'{{"seq":{told.seq},"did":{json.dumps(message_view(says))},"events":{dumped(told.events)}}}'
    response = Response(body, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.errorhandler(PressRefusedError)
def _refused(error: PressRefusedError) -> Response:
    return problem(
        HTTPStatus.CONFLICT, error.slug, str(error), code=error.slug, says=message_view(error.text)
    )


def _soon(table_id: str, do: Callable[[], tuple[Told, Message | None]]) -> tuple[Told, Message | None]:
    """Do it at once, or as soon as it means something, where that may be soon."""
    try:
        return do()
    except PressRefusedError as refused:
        watched = (
            context().cameras.told(table_id)["state"] in _WATCHING
            or context().referees.due(table_id) is not None  # its readers told something just now
        )
        if not (refused.early and watched and _waiting.acquire(blocking=False)):
            raise
        try:
            return _after_changes(table_id, do, refused)
        finally:
            _waiting.release()


def _after_changes(
    table_id: str, do: Callable[[], tuple[Told, Message | None]], refused: PressRefusedError
) -> tuple[Told, Message | None]:
    hub, until = context().hub, time.monotonic() + _SOON_S
    try:
        with context().tables.at(table_id):  # so that it misses nothing
            follower = hub.follow(table_id)
    except TooManyStreamsError:
        raise refused from None
    try:
        while refused.early:
            try:
                return do()
            except PressRefusedError as again:
                refused = again
            left = until - time.monotonic()
            with suppress(OverflowError):
                if left <= 0 or follower.take(left) is None:
                    break
    except EOFError:  # the server ends
        pass
    finally:
        hub.leave(table_id, follower)
    raise refused


def _check_same_undo(table: Table, actor: str) -> None:
    last = table.events[-1]
    # Negative where the clock was set back meanwhile: nothing is known then, and nobody is refused for an hour.
    ago = datetime.now(UTC) - datetime.fromisoformat(last.time)
    if last.kind == "undone" and last.actor != actor and 0 <= ago.total_seconds() < _SAME_UNDO_S:
        said = table.says(last)
        raise PressRefusedError(
            "undone-already",
            Text(
                f"Somebody else has done it just now. {said.en}. Press again to take more back",
                f"今ほかの人が取り消した（{said.ja}）。さらに取り消すなら、もう一度押してください",
            ),
        )


def _too_late(ago_ms: float) -> PressRefusedError:
    ago = round(ago_ms / 1000)
    return PressRefusedError(
        "too-late",
        Text(
            f"This was pressed {ago} s ago, and came only now: press again if it still holds",
            f"{ago}秒前に押されたものが今届いた：まだ必要なら、もう一度押してください",
        ),
    )
