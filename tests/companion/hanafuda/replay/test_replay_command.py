"""``companion replay``: its output, its error messages, and its exit codes."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from replay_breaks import BREAKS
from replay_tables import simulated

from companion.cli import main
from companion.hanafuda.replay import replay
from companion.messages import render, with_texts

Record = dict[str, Any]


def run(*args: str, stdin: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(main, ["replay", *args], input=stdin, prog_name="companion")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def answers(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.fixture(scope="module")
def rounds() -> list[Record]:
    return simulated("koikoi", 4, rules="standard")


@pytest.fixture(scope="module")
def broken(rounds: list[Record]) -> Record:
    found = BREAKS["wrong_draw"](rounds[1], Random(1))
    assert found is not None
    return found.record


def test_legal_rounds(tmp_path: Path, rounds: list[Record]) -> None:
    path = tmp_path / "rounds.jsonl"
    path.write_text(lines(*rounds), encoding="utf-8")
    result = run(str(path))
    assert result.exit_code == 0
    message = result.stdout.splitlines()
    assert message[-1] == "4 rounds: all legal, no result disagrees"
    assert len(message) == 5
    turns = len(rounds[2]["turns"])
    assert message[2].startswith(f"{path}:3  legal, result agrees  koikoi, {turns} turns: ")
    assert result.stderr == ""


def test_json_is_a_line_a_round(tmp_path: Path, rounds: list[Record]) -> None:
    path = tmp_path / "rounds.jsonl"
    path.write_text(lines(*rounds).replace("\n", "\n\n"), encoding="utf-8")
    result = run(str(path), "--json")
    assert result.exit_code == 0
    assert answers(result) == [
        {"file": str(path), "line": number, **with_texts(replay(record).to_dict(), "en")}
        for number, record in zip((1, 3, 5, 7), rounds, strict=True)
    ]
    assert result.stderr == ""


def test_the_answer_has_the_fields_of_the_contract(rounds: list[Record], broken: Record) -> None:
    (answer,) = answers(run("-", "--json", stdin=lines(broken)))
    keys = ["file", "line", "game", "legal", "problems", "captured", "yaku", "points", "how", "why", "agrees"]
    assert list(answer) == keys
    assert (answer["file"], answer["line"], answer["game"]) == ("-", 1, "koikoi")
    assert answer["legal"] is False
    (problem,) = answer["problems"]
    assert list(problem) == ["turn", "code", "message", "reason"]
    assert problem["code"] == "wrong-draw"
    assert answer["points"] == rounds[1]["result"]["points"]
    assert answer["agrees"] is True


def test_problems_are_printed_with_their_turn(rounds: list[Record], broken: Record) -> None:
    result = run("-", stdin=lines(rounds[0], broken))
    assert result.exit_code == 1
    legal, illegal, problem, summary = result.stdout.splitlines()
    assert legal.startswith("-:1  legal, result agrees  koikoi, ")
    assert illegal.startswith("-:2  illegal, result agrees  koikoi, ")
    noted = replay(broken).noted[0]
    assert problem == f"    turn {noted.turn}: {render(noted.problem.text)} [wrong-draw]"
    assert summary == "2 rounds, 1 with illegal moves"


def test_a_disagreeing_result(rounds: list[Record]) -> None:
    found = BREAKS["wrong_points"](rounds[0], Random(1))
    assert found is not None
    result = run("-", stdin=lines(found.record))
    assert result.exit_code == 1
    first, problem, summary = result.stdout.splitlines()
    assert "legal, result does not agree" in first
    assert problem.startswith("    result: the record gives ")
    assert summary == "1 round, 1 whose result does not agree"


def test_a_broken_deal(rounds: list[Record]) -> None:
    found = BREAKS["card_twice"](rounds[0], Random(1))
    assert found is not None
    result = run("-", stdin=lines(found.record))
    assert result.exit_code == 1
    assert "    deal: " in result.stdout
    assert "was dealt twice [card-twice]" in result.stdout


def test_a_round_that_goes_on(rounds: list[Record]) -> None:
    record = {**rounds[0], "turns": rounds[0]["turns"][:2]}
    del record["result"]
    result = run("-", stdin=lines(record))
    assert result.exit_code == 0
    to_move = record["dealer"]
    assert result.stdout.startswith(f"-:1  legal  koikoi, 2 turns: not over, player {to_move} to move\n")
    (answer,) = answers(run("-", "--json", stdin=lines(record)))
    assert (answer["agrees"], answer["how"], answer["why"]) == (None, None, None)
    assert answer["points"] == {"1": 0, "2": 0}


def test_lines_that_are_not_records_are_reported_in_order(rounds: list[Record]) -> None:
    text = lines(rounds[0]) + "{\n" + lines({"game": "koikio"}, rounds[1])
    result = run("-", "--json", stdin=text)
    assert result.exit_code == 1
    good, not_json, no_record, last = answers(result)
    assert [good["legal"], last["legal"]] == [True, True]
    assert list(not_json) == ["file", "line", "error", "code"]
    assert (not_json["file"], not_json["line"], not_json["code"]) == ("-", 2, "bad-request")
    assert not_json["error"].startswith("this is not JSON: ")
    assert (no_record["line"], no_record["error"]) == (3, 'the record has no "deal"')
    assert last["line"] == 4
    assert result.stderr == "2 rounds, 2 lines that are not records\n"
    message = run("-", stdin=text).stdout.splitlines()
    assert message[1].startswith("-:2  not a round record: this is not JSON: ")
    assert message[-1] == "2 rounds, 2 lines that are not records"
    message = run("-", stdin=lines(rounds[0]) + "{\n").stdout.splitlines()
    assert message[-1] == "1 round, 1 line that is not a record"


def test_rules_apply_to_records_without_rules(rounds: list[Record]) -> None:
    record = {key: value for key, value in rounds[0].items() if key not in {"rules", "result"}}
    (by_default,) = answers(run("-", "--json", stdin=lines(record)))
    (by_guide,) = answers(run("-", "--json", "--rules", "koikoi-guide", stdin=lines(record)))
    (own,) = answers(run("-", "--json", "--rules", "koikoi-guide", stdin=lines({**record, "rules": None})))
    (named,) = answers(
        run("-", "--json", "--rules", "koikoi-guide", stdin=lines({**record, "rules": "koikoi-standard"}))
    )
    assert by_guide == own
    assert by_default == named
    (other,) = answers(run("-", "--json", "--rules", "kekoro", stdin=lines(record)))
    assert other["code"] == "wrong-game"


@pytest.mark.parametrize(
    ("args", "stdin", "message"),
    [
        ([], None, "Missing argument 'FILE...'"),
        (["nosuch.jsonl"], None, "'nosuch.jsonl': No such file or directory"),
        (["-"], "", "nothing to replay"),
        (["-"], "\n \n", "nothing to replay"),
        (["-", "--rules", "koikoi-gide"], "{}", "did you mean koikoi-guide"),
        (["-", "--colour"], "{}", "--colour"),
    ],
)
def test_usage_errors_are_one_line(args: list[str], stdin: str | None, message: str) -> None:
    result = run(*args, stdin=stdin)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


BAD_FILES: list[bytes] = [
    b"\x89PNG\r\n\x1a\n\x00\x00",
    b"\xff\xfe{\x00}\x00",
    b"[" * 100_000,
    b"{}",
    b"[]",
    b"7",
    b'"koikoi"',
    b'{"game": "koikoi"}',
    b'{"game": ["koikoi"], "deal": {}, "turns": []}',
    b'{"game": "koikoi", "deal": null, "turns": []}',
    b'{"game": "koikoi", "deal": {"field": ["\\ud800"]}, "turns": []}',
    b'{"game": "koikoi", "deal": {"field": [NaN]}, "turns": []}',
    b'{"game": "tarot", "deal": {"field": []}, "turns": []}',
]


@pytest.mark.parametrize("text", BAD_FILES)
def test_files_without_any_record_are_bad_input(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "odd"
    path.write_bytes(text)
    for args in ([str(path)], [str(path), "--json"]):
        result = run(*args)
        assert result.exit_code == 2
        assert "no line is a round record" in result.stderr.splitlines()[-1]
        assert "Traceback" not in result.output


def test_several_files_are_read_in_turn(tmp_path: Path, rounds: list[Record]) -> None:
    paths = [tmp_path / "one.jsonl", tmp_path / "two.json"]
    paths[0].write_text(lines(*rounds[:2]), encoding="utf-8")
    paths[1].write_text(json.dumps(rounds[2], indent=1), encoding="utf-8")
    result = run(*map(str, paths), "-", "--json", stdin=lines(rounds[3]))
    assert result.exit_code == 0
    places = [(answer["file"], answer["line"]) for answer in answers(result)]
    assert places == [(str(paths[0]), 1), (str(paths[0]), 2), (str(paths[1]), 1), ("-", 1)]
