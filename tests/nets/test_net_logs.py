"""What the API answers to a stored event log must not change: views of tables, the log of evenings, statistics.

`logs/` has an evening of each game in the format of ``companion log export --events``, with turns that a camera reported, moves by hand, undo,
restored moves, corrections, disputes, an entered result, an abandoned round, and a round that is not over; Koi-Koi also with a change of
the rules and of a name, questions and problems. `answers/` has what the server answered when they were stored: each table after some
of its events, as the host, seat 1 and a watcher see it, and the pages about all evenings together. Sentences and share codes are left
out. ``python -m tests.nets.test_net_logs`` writes the answers.
"""

from __future__ import annotations

import io
import json
import math
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage

from tests.nets.server import serving
from tests.nets.stored import FOLDER, differences, read_lines, without_texts, write_lines

LOGS, ANSWERS = FOLDER / "logs", FOLDER / "answers"
NAMES = sorted(path.name.removesuffix(".jsonl.gz") for path in LOGS.glob("*.jsonl.gz"))
PARTS = 5
"""Lengths of a log at which its table is asked for."""
PHONE = {"REMOTE_ADDR": "192.0.2.7"}
PAGES = (
    *("/api/nights", "/api/stats", "/api/stats?game=koikoi", "/api/stats?player=Aiko", "/api/stats/choices"),
    *(
        "/api/rounds",
        "/api/rounds?player=Aiko&won=1",
        "/api/rounds?game=kingo",
        "/api/disputes",
        "/api/players",
    ),
)
PAGES_OF_NIGHT = ("/api/nights/{id}",)
PAGES_OF_TABLE = (
    *("/api/tables/{id}/rounds/1", "/api/tables/{id}/records", "/api/tables/{id}/moves"),
    "/api/tables/{id}/result",
)


def import_log(client: FlaskClient, lines: list[Any]) -> None:
    file = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    form = {"file": FileStorage(io.BytesIO(file), "nights.jsonl")}
    response = client.post("/api/nights/import", data=form)
    assert response.status_code == 200, response.json
    assert len(response.json["new"]) == len({line["table"] for line in lines[1:]})


def readers(app: Flask) -> Iterator[tuple[str, FlaskClient, dict[str, Any]]]:
    """Yield the host, a player and a watcher: name, client, and the options of its requests."""
    host, seat = app.test_client(), app.test_client()
    yield "host", host, {}
    code = host.post("/api/pairings", json={"role": "scorer", "seat": 1, "name": "Aki"}).json["code"]
    assert seat.post("/api/pair", json={"code": code}, environ_base=PHONE).status_code == 200
    yield "seat 1", seat, {"environ_base": PHONE}
    yield "watcher", app.test_client(), {"environ_base": PHONE}


def answer(client: FlaskClient, path: str, options: Mapping[str, Any]) -> Any:
    response = client.get(path, **options)
    assert response.status_code == 200, (path, response.json)
    if response.mimetype == "application/jsonl":
        return [json.loads(line) for line in response.text.splitlines()]
    return stable(without_texts(response.json))


def stable(value: Any) -> Any:
    """Return a document without share codes, which begin with a version."""
    if isinstance(value, dict):
        kept = {key: each for key, each in value.items() if not (key == "code" and "hash" in value)}
        return {key: stable(each) for key, each in kept.items()}
    return [stable(each) for each in value] if isinstance(value, list) else value


def views(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield the views of a table after parts of its events; each part is a table of its own."""
    head, *events = read_lines(LOGS / f"{name}.jsonl.gz")
    (table,) = {event["table"] for event in events}
    lengths = [len(events) * (part + 1) // PARTS for part in range(PARTS)]
    with serving(folder) as app:
        host = app.test_client()
        for length in lengths:
            part = [{**event, "table": f"{table}{length}"} for event in events[:length]]
            import_log(
                host, [head, *json.loads(json.dumps(part).replace(f'"{table}"', f'"{table}{length}"'))]
            )
        for reader, client, options in readers(app):
            for length in lengths:
                state = answer(client, f"/api/tables/{table}{length}", options)
                yield {"events": length, "reader": reader, "state": state}


def pages(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the answers about all logs together."""
    with serving(folder) as app:
        client = app.test_client()
        for name in NAMES:
            import_log(client, read_lines(LOGS / f"{name}.jsonl.gz"))
        nights = [night["id"] for night in client.get("/api/nights").json["nights"]]
        tables = [table["id"] for table in client.get("/api/tables").json["tables"]]
        paths = [path.format(id=night) for path in PAGES_OF_NIGHT for night in sorted(nights)]
        paths += [path.format(id=table) for path in PAGES_OF_TABLE for table in sorted(tables)]
        for path in (*PAGES, *paths):
            yield {"path": path, "answer": answer(client, path, {})}


def near(where: str, one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9)


def changes(stored: list[Any], found: list[Any]) -> list[str]:
    assert len(stored) == len(found) > 0
    return [
        f"{each.get('path') or (each['events'], each['reader'])} {line}"
        for each, now in zip(stored, found, strict=True)
        for line in differences(each, now, near)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_table_looks_as_before(name: str, tmp_path: Path) -> None:
    stored = read_lines(ANSWERS / f"{name}.jsonl.xz")
    assert changes(stored, list(views(tmp_path / "data", name))) == []


def test_the_evenings_look_as_before(tmp_path: Path) -> None:
    assert changes(read_lines(ANSWERS / "pages.jsonl.xz"), list(pages(tmp_path / "data"))) == []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        for each in NAMES:
            write_lines(ANSWERS / f"{each}.jsonl.xz", list(views(Path(temporary, each), each)))
        write_lines(ANSWERS / "pages.jsonl.xz", list(pages(Path(temporary, "pages"))))
