"""``companion print``: from a table or a file to paper or a picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from companion.cli import main
from companion.hanafuda.simulation import random_round, record_of
from companion.store.store import open_store
from companion.table import Table
from companion.table.events import NewEvent
from hardware.printers import print_job
from hardware.simulators.simulated_printer import PrinterInNetwork, SimulatedPrinter


@pytest.fixture(autouse=True)
def timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """A double on a busy machine may take its time."""
    monkeypatch.setattr(print_job, "_ANSWERS_S", 15.0)


@pytest.fixture
def night(tmp_path: Path) -> Path:
    """A file of three rounds."""
    path = tmp_path / "night.jsonl"
    records = [record_of(random_round("koikoi", seed)) for seed in range(3)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def run(tmp_path: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["print", *words, "--data", str(tmp_path / "data")])


def table_in(folder: Path) -> str:
    """A table in a log, at which one round was played."""
    log = open_store(folder)
    data = {
        "game": "koikoi",
        "rules": "koikoi-standard",
        "players": ["Aoi", "Ren"],
        "name": "今夜",
        "deck": None,
    }
    table_id = log.tables.create(NewEvent("opened", data), actor="test", source="program")
    table = Table.of(log.tables.load(table_id))
    played = random_round("koikoi", 2, table.rules)
    record = record_of(played)
    deal = {key: record[key] for key in ("deal", "dealer", "month")}
    moves = [NewEvent("moved", {"player": move.player, "words": list(move.words())}) for move in played.moves]
    reported = [NewEvent("dealt", {**deal, "unchecked": True}), *moves]
    log.tables.append(
        table_id, table.append(reported, actor="test", source="program", time="2026-11-21T20:00:00+00:00")
    )
    log.close()
    return table_id


def test_a_file_of_records_becomes_a_picture(night: Path, tmp_path: Path) -> None:
    picture = tmp_path / "slip.png"
    result = run(
        tmp_path,
        str(night),
        "--players",
        "小鳥遊 龍之介, Ren",
        "--paper",
        "58",
        "--preview",
        str(picture),
        "--json",
    )
    assert result.exit_code == 0, result.output
    reported = json.loads(result.stdout)
    with Image.open(picture) as drawn:
        assert reported == {"rounds": 3, "dots": list(drawn.size), "preview": str(picture)}
        assert drawn.width == 384


def test_a_table_is_printed_and_the_printer_remembered(tmp_path: Path) -> None:
    table = table_in(tmp_path / "data")
    device = SimulatedPrinter()
    with PrinterInNetwork(device) as served:
        first = run(
            tmp_path, table, "--printer", served.address, "--paper", "58", "--lang", "ja", "--remember"
        )
        again = run(tmp_path)  # the newest table, on the house's printer
        assert (first.exit_code, again.exit_code) == (0, 0), first.output + again.output
        assert first.output == again.output == "Printed.\n"
        with served.lock:
            one, two = device.papers
    assert one.tobytes() == two.tobytes()
    assert one.width == 384


def test_the_finished_evening_is_printed_although_another_table_was_opened(tmp_path: Path) -> None:
    table_in(tmp_path / "data")
    log = open_store(tmp_path / "data")
    data = {"game": "koikoi", "rules": "koikoi-standard", "players": ["A", "B"], "name": None, "deck": None}
    log.tables.create(NewEvent("opened", data), actor="test", source="program")
    log.close()
    result = run(tmp_path, "--preview", str(tmp_path / "x.png"), "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rounds"] == 1


def test_a_printer_that_needs_a_person_is_one_line(tmp_path: Path) -> None:
    table_in(tmp_path / "data")
    device = SimulatedPrinter()
    device.act("cover", "open")
    with PrinterInNetwork(device) as served, pytest.raises(SystemExit) as ended:
        main(["print", "--printer", served.address, "--data", str(tmp_path / "data")])
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nosuch"], "no table"),
        (["last"], "no tables yet"),
        (["{night}"], "no printer is set"),
        (["{night}", "--printer", "nonsense"], "not a printer's address"),
        (["{night}", "--printer", "socket://127.0.0.1:1"], "cannot connect to"),
        (["{night}", "--players", "A,B,C", "--preview", "x.png"], "3 players are named"),
        (["{night}", "--preview", "/nowhere/x.png"], "cannot write"),
        (["{night}", "--baud", "1", "--preview", "x.png"], "baud must be one of 9600"),
    ],
)
def test_print_errors_are_reported(
    words: list[str], says: str, night: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["print", *(word.format(night=night) for word in words), "--data", str(tmp_path / "data")])
    assert ended.value.code == 2
    message = capsys.readouterr().err
    assert says in message
    assert message.count("\n") == 1


def test_letters_missing_from_all_fonts_are_reported(
    night: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.printers.lettering._SYSTEM_FONTS", ())
    result = run(tmp_path, str(night), "--players", "한,Ren", "--preview", str(tmp_path / "x.png"), "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["missing"] == ["한"]
    assert "no font on this machine has 한" in result.stderr
