"""The score sheet of an evening, from the server and by ``companion log sheet``."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner
from flask.testing import FlaskClient

from companion.cli import main
from tests.api.table_helpers import dealt, moved, open_table, played_round, submit


def test_the_server_and_the_command_give_the_sheet(client: FlaskClient, data: Path, tmp_path: Path) -> None:
    table = open_table(client, name="Kitchen")
    sheet = f"/api/nights/{table}/sheet.pdf"
    assert client.get(sheet).status_code == 422
    played = played_round(3)
    assert submit(client, table, dealt(played), *moved(played)).status_code == 200
    response = client.get(f"{sheet}?paper=letter&table={table}")
    assert (response.status_code, response.mimetype) == (200, "application/pdf")
    assert response.data.startswith(b"%PDF-")
    assert client.get("/api/nights/nosuch/sheet.pdf").status_code == 404
    assert client.get(f"{sheet}?paper=A0").status_code == 422
    assert client.get(f"{sheet}?table=other").status_code == 422
    assert client.get(f"{sheet}?table={'x' * 100}").status_code == 422

    open_table(client, name="Still empty")
    pdf = tmp_path / "sheet.pdf"
    command = ["log", "sheet", "--pdf", str(pdf), "--data", str(data), "--json"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    reported = json.loads(result.stdout)
    assert (reported["night"], reported["rounds"]) == (table, 1)
    assert reported["address"].endswith(f"/nights/{table}")
    assert pdf.read_bytes().startswith(b"%PDF-")
