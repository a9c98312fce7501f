"""Export and import of nights by the browser, and the CSV of rounds."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage

from companion.store.export import ROUND_COLUMNS
from tests.api.api_helpers import ScannerDouble, context_of, make_app
from tests.api.table_helpers import PHONE
from tests.league import fill


def send(client: FlaskClient, file: bytes, **environ: dict[str, str]) -> tuple[int, dict[str, object]]:
    form = {"file": FileStorage(io.BytesIO(file), "nights.jsonl")}
    response = client.post("/api/nights/import", data=form, **environ)
    return response.status_code, dict(response.json)


def test_nights_move_to_another_server(client: FlaskClient, app: object, tmp_path: Path) -> None:
    fill(context_of(app).store, seed=7, players=4, nights=2, rounds=20)
    file = client.get("/api/nights.jsonl")
    assert "hanafuda-nights.jsonl" in file.headers["Content-Disposition"]
    other = make_app(tmp_path / "other", ScannerDouble())
    try:
        status, merged = send(other.test_client(), file.data)
        assert (status, merged["same"], merged["conflict"]) == (200, [], [])
        assert len(merged["new"]) == len(client.get("/api/tables").json["tables"])
        assert other.test_client().get("/api/nights.jsonl").data == file.data
        assert other.test_client().get("/api/stats").json == client.get("/api/stats").json
        assert send(other.test_client(), file.data)[1]["new"] == []
    finally:
        context_of(other).store.close()


def test_a_file_that_is_none_is_refused_with_its_line(client: FlaskClient) -> None:
    status, problem = send(client, b"hello\n")
    assert (status, problem["type"]) == (422, "/problems/bad-event-file")
    assert "line 1" in str(problem["detail"])


def test_only_a_host_imports_and_only_a_scorer_exports(client: FlaskClient) -> None:
    assert send(client, b"", environ_base=PHONE)[0] == 403
    assert client.get("/api/nights.jsonl", environ_base=PHONE).status_code == 403


def test_the_csv_has_the_rounds_of_the_list(client: FlaskClient, app: object) -> None:
    fill(context_of(app).store, seed=7, players=4, nights=2, rounds=20)
    query = {"player": "Aiko", "won": "1"}
    rounds = client.get("/api/rounds", query_string=query).json["rounds"]
    header, *rows = csv.reader(io.StringIO(client.get("/api/rounds.csv", query_string=query).text))
    assert tuple(header) == ROUND_COLUMNS
    found = [dict(zip(header, row, strict=True)) for row in rows]
    assert [(row["table"], row["round"], row["player"], row["points"], row["yaku"]) for row in found] == [
        (
            each["table"],
            str(each["round"]),
            each["players"][seat["seat"] - 1],
            str(seat["points"]),
            " ".join(yaku["name"] for yaku in seat["yaku"]),
        )
        for each in rounds
        for seat in each["seats"]
    ]
