"""``companion rules``: described, shared, opened, and saved under a name that every ``--rules`` accepts."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.cli.rules import rules as group
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import PRESETS, resolve
from companion.hanafuda.rules.share import decode, encode, grouped
from companion.messages import render

OURS = resolve({"preset": "koikoi-hu", "own_call": ["+1", "x3"], "three_brights": 50})
CODE = grouped(encode(OURS))
PILE = ["pine-crane", "cherry-curtain", "susuki-moon"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without a log."""
    folder = tmp_path / "home"
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: folder)
    return folder


def run(*args: str) -> Result:
    result = CliRunner().invoke(main, list(args), prog_name="companion")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def reported(*args: str) -> Any:
    """Return the one JSON document that a command prints."""
    result = run(*args, "--json")
    assert result.exit_code == 0, result.stderr
    (line,) = result.stdout.splitlines()
    return json.loads(line)


def complaint(*args: str) -> str:
    """Return the one line on standard error of a refused command."""
    result = run(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("lang", ["en", "ja", "ko"])
def test_every_preset_is_read_out_in_each_language(name: str, lang: str) -> None:
    output = run("rules", "show", name, "--lang", lang).stdout
    record = PRESETS[name]
    assert output.startswith(f"{name}  ({record.hash})\n")
    for title in record.sections.values():
        assert f"\n{render(title, lang)}\n" in output
    for option in record.describe():
        assert f" {option['key']} = " in output
        assert render(Message.from_dict(option["meaning"]), lang) in output
        assert f"{option['source']}" in output


def test_what_differs_is_marked_in_japanese_too() -> None:
    output = run("rules", "show", CODE, "--lang", "ja").stdout
    assert "koikoi-hu との違いは2項目（*印）。" in output
    assert '* own_call = ["+1", "x3"]  [koikoi-hu: []]' in output
    assert (
        "勝者自身のこいこいの効果：回数別に1回：＋1点と2回：3倍、以降は同じ。（x2: Koi-Koi guide; none: Kangni Hu）"
        in output
    )


def test_one_difference_is_one() -> None:
    code = encode(resolve({"preset": "kingo", "stones": 50}))
    assert "Differs from kingo in 1 option, marked *." in run("rules", "show", code).stdout
    assert "kingo との違いは1項目（*印）。" in run("rules", "show", code, "--lang", "ja").stdout


@pytest.mark.parametrize(
    "given", ["kakkuri-porges", CODE, CODE.lower().replace("-", " "), f"http://pi.local/R/{CODE}"]
)
def test_rules_are_shared_by_link_and_code(given: str) -> None:
    record = resolve(given)
    answer = reported("rules", "share", given, "--link", "http://10.0.0.2:8420/")
    assert answer == {
        "name": record.name,
        "game": record.game,
        "hash": record.hash,
        "code": grouped(encode(record)),
        "link": f"HTTP://10.0.0.2:8420/R/{encode(record)}",
    }
    assert decode(answer["link"]) == record


def test_without_rules_the_standard_is_shared_from_this_machine() -> None:
    answer = reported("rules", "share")
    assert answer["name"] == "koikoi-standard"
    assert answer["link"].endswith(":8420/R/K1G62R")


def test_a_server_may_be_named_without_its_scheme() -> None:
    assert reported("rules", "share", "--link", "pi.local:8420")["link"] == "HTTP://PI.LOCAL:8420/R/K1G62R"


def test_sharing_prints_a_qr_code_and_the_text() -> None:
    output = run("rules", "share", "kekoro", "--link", "http://10.0.0.2:8420").stdout
    *picture, name, link, code, hint = output.splitlines()
    assert (
        len(picture) == 16
    )  # version 2: 25 modules and two of quiet on each side, two to a line; a blank line
    assert all(set(line) <= set(" ▀▄█") for line in picture)
    assert name == f"kekoro  ({PRESETS['kekoro'].hash})"
    assert link == "Link: HTTP://10.0.0.2:8420/R/E1G58T"
    assert code == "Code: E1G5-8T"
    assert "`companion rules open E1G5-8T`" in hint


@pytest.mark.parametrize("written", [CODE, encode(OURS).lower(), f"HTTP://10.0.0.2:8420/R/{encode(OURS)}"])
def test_a_code_is_opened(written: str) -> None:
    assert reported("rules", "open", written)["rules"] == OURS.to_dict()
    assert run("rules", "open", written).stdout.startswith("koikoi-hu with 2 changes")


def test_a_mistyped_code_is_refused_with_a_sentence() -> None:
    wrong = CODE[:-1] + ("0" if CODE[-1] != "0" else "1")
    assert "does not add up" in complaint("rules", "open", wrong)
    assert "does not add up" in complaint("score", *PILE, "--rules", wrong)


def test_opened_rules_can_be_kept(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    output = run("rules", "open", CODE, "--save", "Ours", "--data", data).stdout
    assert output.startswith(f"Ours  ({OURS.hash})")
    assert reported("rules", "show", "OURS", "--data", data)["rules"] == OURS.to_dict()
    assert "there are rules called Ours already" in complaint(
        "rules", "open", CODE, "--save", "ours", "--data", data
    )
    assert run("rules", "open", CODE, "--save", "ours", "--replace", "--data", data).exit_code == 0


def test_saved_rules_are_accepted_by_every_rules_option() -> None:
    kept = reported("rules", "save", "Aya's house", CODE)
    assert kept == {"name": "Aya's house", "game": "koikoi", "hash": OURS.hash, "code": CODE}
    answer = reported("score", *PILE, "--rules", "aya's house")
    assert answer["rules"] == {"name": "Aya's house", "hash": OURS.hash}
    assert answer["yaku"][0]["points"] == 50
    assert reported("rules", "share", "Aya's house")["code"] == CODE
    assert "Differs from koikoi-hu in 2 options" in run("rules", "show", "Aya's house").stdout


def test_saving_reports_the_rules_and_does_not_overwrite() -> None:
    output = run("rules", "save", "Ours", CODE).stdout
    assert output == f"Saved as Ours: Six-point sets, with 2 changes ({OURS.hash}), code {CODE}.\n"
    refused = complaint("rules", "save", "OURS", "kekoro")
    assert "there are rules called Ours already" in refused
    assert "--replace" in refused
    run("rules", "save", "OURS", "kekoro", "--replace")
    assert reported("rules", "show", "ours")["game"] == "kekoro"


def test_saved_rules_that_equal_a_preset_are_marked() -> None:
    run("rules", "save", "Ours", "kingo")
    assert "The same as kingo." in run("rules", "show", "Ours").stdout
    assert "kingo と同じ。" in run("rules", "show", "Ours", "--lang", "ja").stdout


def test_rules_cannot_be_saved_under_a_preset_s_name() -> None:
    assert "is the name of a preset" in complaint("rules", "save", "kakkuri", CODE)


def test_rules_with_a_name_are_listed(home: Path) -> None:
    assert [json.loads(line)["name"] for line in run("rules", "list", "--json").stdout.splitlines()] == list(
        PRESETS
    )
    assert not home.exists()  # reading creates no log
    run("rules", "save", "Ours", CODE)
    *presets, ours = run("rules", "list").stdout.splitlines()
    assert [line.split()[0] for line in presets] == list(PRESETS)
    assert ours.startswith(f"Ours                 Six-point sets, with 2 changes, code {CODE}, saved 20")
    *presets, last = map(json.loads, run("rules", "list", "--json").stdout.splitlines())
    assert {each["saved"] for each in presets} == {None}
    assert (last["name"], last["game"], last["code"]) == ("Ours", "koikoi", CODE)
    assert last["saved"].endswith("Z")


def test_rules_of_a_newer_version_do_not_spoil_the_list(home: Path) -> None:
    run("rules", "save", "Ours", CODE)
    database = sqlite3.connect(home / "log.sqlite3")
    with database:
        database.execute(
            "INSERT INTO house_rules (time, actor, name, folded, code)"
            " VALUES ('2030-01-01T00:00:00.000Z', 'later', 'Later', 'later', 'K2G82W')"
        )
    database.close()
    result = run("rules", "list")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].startswith("Ours ")
    assert "Later: the share code 'K2G82W' was made by a newer version" in result.stderr


def test_saved_rules_can_be_deleted() -> None:
    run("rules", "save", "Ours", CODE)
    assert reported("rules", "forget", "OURS") == {"forgotten": "Ours", "code": CODE}
    assert "no rules are saved as 'Ours'; there are none yet" in complaint("rules", "forget", "Ours")
    run("rules", "save", "Ours", CODE)
    assert f"`companion rules save NAME {CODE}` saves it again" in run("rules", "forget", "Ours").stdout


def test_an_unknown_name_gets_the_nearest_suggestion(home: Path) -> None:
    assert "there is no rules preset, no file and no saved rules 'xyzzy'" in complaint(
        "rules", "show", "xyzzy"
    )
    assert not home.exists()
    run("rules", "save", "Green table", CODE)
    assert "did you mean Green table?" in complaint("score", *PILE, "--rules", "Green tabel")
    assert "kingo-bank, Green table" in complaint("score", *PILE, "--rules", "xyzzy")


def test_the_folder_may_stand_before_or_after_the_name(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    run("rules", "save", "Ours", CODE, "--data", data)
    assert reported("rules", "show", "--data", data, "Ours") == reported(
        "rules", "show", "Ours", "--data", data
    )
    assert "no saved rules 'Ours'" in complaint("rules", "show", "Ours")


def test_a_file_named_like_a_share_code_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "K1G62R").write_text('{"preset": "kekoro"}', encoding="utf-8")
    assert reported("rules", "show", "K1G62R")["name"] == "kekoro"
    assert reported("rules", "show", "k1g62r")["name"] == "koikoi-standard"


@pytest.mark.parametrize("game", GAMES)
def test_a_file_of_any_game(tmp_path: Path, game: str) -> None:
    record = GAMES[game].rules()
    path = tmp_path / "ours.json"
    path.write_text(json.dumps({"preset": record.standard(), **record.to_dict()}), encoding="utf-8")
    assert reported("rules", "show", str(path))["hash"] == record.hash
    path.write_text(json.dumps({"preset": record.standard(), "xyzzy": 1}), encoding="utf-8")
    assert "no option 'xyzzy'" in complaint("rules", "show", str(path))


def test_a_folder_that_cannot_hold_a_log(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "cannot keep a log in" in complaint(
        "rules", "save", "Ours", CODE, "--data", str(tmp_path / "file")
    )


def test_a_disk_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("companion.store.house_rules.now_utc", full)
    assert "nothing was stored" in complaint("rules", "save", "Ours", CODE)


def test_the_command_group_lists_its_commands() -> None:
    output = run("rules").stdout
    for command in group.commands:
        assert f"  {command} " in output
