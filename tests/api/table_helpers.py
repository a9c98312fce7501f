"""Shared helpers of the live table tests: a dealt round, a phone, a camera, and reading a stream."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from companion.hanafuda.round import Round
from companion.hanafuda.simulation import random_round, record_of

PHONE = {"REMOTE_ADDR": "192.0.2.7"}
CAMERA = {"REMOTE_ADDR": "192.0.2.9"}

AnyRound = Round[Any, Any, Any]


def open_table(client: FlaskClient, **asked: Any) -> str:
    """Open a table as the host and return its id."""
    body = {"game": "koikoi", "players": ["Aiko", "Ben"], **asked}
    response = client.post("/api/tables", json=body)
    assert response.status_code == 201, response.json
    assert response.headers["Location"] == f"/api/tables/{response.json['id']}"
    return str(response.json["id"])


def played_round(seed: int = 1) -> AnyRound:
    """Return a random legal Koi-Koi round with all cards known."""
    return random_round("koikoi", seed)


def dealt(played: AnyRound) -> dict[str, Any]:
    """Return the event that deals a round."""
    record = record_of(played)
    data = {key: record[key] for key in ("deal", "dealer", "month")}
    return {"kind": "dealt", "data": data}


def moved(played: AnyRound) -> list[dict[str, Any]]:
    """Return the events of a round's moves."""
    return [
        {"kind": "moved", "data": {"player": move.player, "words": list(move.words())}}
        for move in played.moves
    ]


def submit(client: FlaskClient, table: str, *events: Mapping[str, Any], **options: Any) -> TestResponse:
    """Report events at a table."""
    environ = options.pop("environ_base", {})
    headers = options.pop("headers", {})
    return client.post(
        f"/api/tables/{table}/events",
        json={"events": list(events), **options},
        environ_base=environ,
        headers=headers,
    )


def send(client: FlaskClient, path: str, frame: bytes | None = None, **fields: str) -> TestResponse:
    """Send a form with a picture, as a camera does."""
    parts: dict[str, Any] = dict(fields)
    if frame is not None:
        parts["frame"] = FileStorage(io.BytesIO(frame), "frame.jpg", content_type="image/jpeg")
    boundary, body = encode_multipart(parts)
    return client.post(path, data=body, content_type=f'multipart/form-data; boundary="{boundary}"')


def observe(client: FlaskClient, table: str, picture: bytes | None = None, **changes: Any) -> TestResponse:
    """Send an observation of an empty table; `changes` are changes of its JSON."""
    reported = {"frame": "f1", "time": 1.0, "cards": [], **changes}
    return send(client, f"/api/tables/{table}/observations", picture, observation=json.dumps(reported))


def messages(response: TestResponse) -> Iterator[tuple[str, str | None, Any]]:
    """Yield a stream's messages (event, id, data); comments are skipped."""
    for chunk in response.iter_encoded():
        fields = dict(line.split(": ", 1) for line in chunk.decode().splitlines() if ": " in line[1:])
        if "event" in fields:
            yield fields["event"], fields.get("id"), json.loads(fields["data"])


def joined(before: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state after a change, computed as on a page (`live/store.js`)."""
    kept, state = change["from"], change["state"]
    night = {
        **state["night"],
        "rounds": before["night"]["rounds"][: kept["rounds"]] + state["night"]["rounds"],
    }
    return {
        **state,
        "night": night,
        **{key: before[key][: kept[key]] + state[key] for key in ("history", "trail")},
    }
