"""The command line: output for people and for programs, exit codes, one line on standard error."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from companion.cli import entry_points, main
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from tests.message_text import score_with_texts

OPTIONS = KoiKoiRules.options()
ROOT = Path(__file__).parents[3]
PILE = ["pine-crane", "cherry-curtain", "susuki-moon", "chrysanthemum-sake"]
OURS = [
    "score",
    "games",
    "rules",
    "rules show",
    "rules share",
    "rules open",
    "rules save",
    "rules list",
    "rules forget",
    "decks",
    "devices",
    "devices list",
    "devices run",
    "devices add",
    "devices remove",
    "devices test",
    "devices probe",
    "devices simulate",
    "devices pair",
]


def run(*args: str, stdin: str | bytes | None = None) -> Result:
    """Run the command line in this process."""
    result = CliRunner().invoke(main, list(args), input=stdin, prog_name="companion")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def complaint(result: Result) -> str:
    """Return the one line on standard error of a usage error."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr.strip()


def lines(result: Result) -> list[dict[str, Any]]:
    """Return the JSON documents on standard output."""
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_without_a_command_it_lists_the_commands() -> None:
    result = run()
    assert result.exit_code == 0
    for name in main.list_commands(click.Context(main)):
        assert f"  {name} " in result.stdout


def test_another_distribution_adds_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    points = metadata.entry_points(group="companion.commands")
    added = metadata.EntryPoint("zebra", "companion.cli.games:games", "companion.commands")
    monkeypatch.setattr(entry_points.metadata, "entry_points", lambda group: [*points, added])
    group = entry_points.EntryPointGroup(
        entry_points="companion.commands", summaries=dict.fromkeys(("score", "scan", "none"), "")
    )
    names = group.list_commands(click.Context(group))
    assert names[:2] == ["score", "scan"]
    assert names[-1] == "zebra"
    assert group.get_command(click.Context(group), "zebra") is added.load()
    assert group.get_command(click.Context(group), "none") is None


@pytest.mark.parametrize("command", OURS)
def test_every_command_has_help(command: str) -> None:
    result = run(*command.split(), "--help")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) > 4


@pytest.mark.parametrize("command", OURS)
def test_every_option_has_help(command: str) -> None:
    ctx = click.Context(main)
    found: click.Command | None = main
    for name in command.split():
        assert isinstance(found, click.Group)
        found = found.get_command(ctx, name)
    assert found is not None
    assert found.help
    assert all(param.help for param in found.params if isinstance(param, click.Option))


def test_score_for_people() -> None:
    result = run("score", *PILE)
    assert result.exit_code == 0
    assert result.stdout.startswith("30 points  by koikoi-standard (44136fa355b3)")
    assert "Three Brights 三光" in result.stdout
    assert "7 or more doubles: 15 × 2. Total: 30 points." in result.stdout
    assert "Four Brights 四光 lacks Phoenix" in result.stdout


def test_score_shows_that_any_of_several_cards_completes_a_yaku() -> None:
    result = run("score", "wisteria-ribbon", "iris-ribbon", "clover-ribbon", "willow-ribbon")
    assert "Ribbons タン lacks any 1 of Pine Poetry Ribbon" in result.stdout


def test_score_as_json_is_the_scorers_answer() -> None:
    args = ["--month", "8", "--field", "plum-ribbon", "--own-calls", "1", "--opponent-calls", "2"]
    result = run("score", *PILE, "--rules", "koikoi-guide", *args, "--json")
    assert lines(result) == [
        score_with_texts(
            {
                "game": "koikoi",
                "rules": "koikoi-guide",
                "captured": PILE,
                "month": 8,
                "field": ["plum-ribbon"],
                "calls": {"own": 1, "opponent": 2},
            }
        )
    ]


def test_rules_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    path.write_text('{"preset": "koikoi-hu", "three_brights": 4}', encoding="utf-8")
    (answer,) = lines(run("score", *PILE[:3], "--rules", str(path), "--json"))
    assert answer["base"] == 4
    assert answer["rules"]["name"] == "koikoi-hu with 1 change"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b'"koikoi-hu"', "must contain one JSON object"),
        (b"[]", "must contain one JSON object"),
        (b'{"sake_cop": 1}', "did you mean sake_cup?"),
        (b'{"preset": "koikoi-huu"}', "did you mean koikoi-hu"),
        (b'{"chaff": -1}', "chaff must be"),
    ],
)
def test_bad_rules_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "rules.json"
    path.write_bytes(content)
    assert message in complaint(run("score", "pine-crane", "--rules", str(path)))
    assert message in complaint(run("rules", "show", str(path)))


def test_rules_that_cannot_be_read(tmp_path: Path) -> None:
    assert "cannot read the rules file" in complaint(run("score", "pine-crane", "--rules", str(tmp_path)))
    assert "cannot read the rules file" in complaint(run("score", "pine-crane", "--rules", "x" * 10_000))
    assert "did you mean koikoi-guide" in complaint(run("score", "pine-crane", "--rules", "koikoi-gide"))
    assert "koikoi-standard" in complaint(run("rules", "show", "xyzzy"))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["score"], "no cards given"),
        (["score", "pine-crain"], "did you mean pine-crane"),
        (["score", "pine-crane", "pine-crane"], "pine-crane is named twice"),
        (["score", "pine-crane", "--game", "tenshou"], "there is no game 'tenshou'; there are koikoi"),
        (["score", "pine-crane", "--month", "13"], "13"),
        (["score", "pine-crane", "--own-calls", "-1"], "-1"),
        (["score", "pine-crane", "--field", "pine-crane"], "both in the pile and on the field"),
        (["score", "-", "--month", "3"], "belong in the requests"),
        (["score", "pine-crane", "--colour"], "--colour"),
        (["scroe"], "scroe"),
        (["decks", "hanafud"], "known decks: hanafuda"),
        (["decks", "tarot"], "kabufuda"),
        (["rules", "hide"], "hide"),
    ],
)
def test_usage_errors_are_one_line(args: list[str], message: str) -> None:
    assert message in complaint(run(*args))


def test_bulk_answers_each_line_in_its_place() -> None:
    good = json.dumps({"game": "koikoi", "captured": PILE})
    bad = [
        "{",
        "[1]",
        "7",
        '{"game": "koikoi", "captured": ["pine-crane", "pine-crane"]}',
        '{"game": "koikoi", "captured": ["nobody"]}',
        '{"game": "tenshou", "captured": []}',
        '{"game": "koikoi", "captured": [], "rules": {"sake_cop": 1}}',
        "[" * 100_000,
        '{"game": "koikoi", "captured": ["\\ud800"]}',
    ]
    result = run("score", "-", stdin="\n".join([good, *bad, "", good]) + "\n")
    answers = lines(result)
    assert result.exit_code == 1
    assert result.stderr == "companion score: 9 of 11 requests could not be answered\n"
    assert [answers[0], answers[-1]] == [score_with_texts(json.loads(good))] * 2
    assert [answer["line"] for answer in answers[1:-1]] == list(range(2, 11))
    codes = [answer["code"] for answer in answers[1:-1]]
    assert codes[:3] == ["bad-request"] * 3
    assert codes[3:7] == ["card-twice", "unknown-card", "unknown-game", "unknown-rule"]
    assert all(answer["error"] for answer in answers[1:-1])


def test_bulk_accepts_invalid_utf8() -> None:
    (answer,) = lines(run("score", "-", stdin=b"\xff\xfe\xfa\n"))
    assert "not JSON" in answer["error"]


def test_bulk_options_are_defaults_of_requests() -> None:
    requests = [{"captured": PILE[:3]}, {"captured": PILE[:3], "rules": "koikoi-standard"}]
    stdin = "\n".join(json.dumps(request) for request in requests)
    result = run("score", "-", "--rules", "koikoi-hu", stdin=stdin)
    assert result.exit_code == 0
    assert [answer["base"] for answer in lines(result)] == [6, 5]


def test_bulk_options_do_not_change_requests_that_name_a_game_or_rules() -> None:
    requests = [{"captured": PILE[:3], "rules": "kekoro"}, {"captured": PILE[:3], "game": "kekoro"}]
    stdin = "\n".join(json.dumps(request) for request in requests)
    for options in ([], ["--rules", "koikoi-hu"]):
        result = run("score", "-", *options, stdin=stdin)
        assert result.exit_code == 0, result.stdout
        assert lines(result) == [score_with_texts({"game": "kekoro", "captured": PILE[:3]})] * 2


@pytest.mark.parametrize("stdin", ["", "\n \n"])
def test_bulk_of_nothing_is_bad_usage(stdin: str) -> None:
    assert "no requests on standard input" in complaint(run("score", "-", stdin=stdin))


def test_games() -> None:
    assert "koikoi-guide" in run("games").stdout
    game, kekoro, *_ = lines(run("games", "--json"))
    assert kekoro["yaku"]["gundari"]["ja"] == "グンダリ"
    assert game["game"] == "koikoi"
    assert [preset["name"] for preset in game["presets"]] == list(KoiKoiRules.presets)


def test_rules_show_reads_every_option_and_marks_what_differs() -> None:
    result = run("rules", "show", "koikoi-guide")
    assert "Differs from koikoi-standard in 9 options" in result.stdout
    assert "* seven = off  [koikoi-standard: base]" in result.stdout
    assert "  chaff = 1\n" in result.stdout
    for key in OPTIONS:
        assert f" {key} = " in result.stdout
    assert "*" not in run("rules", "show").stdout


def test_rules_show_holds_a_file_against_its_preset(tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    path.write_text(
        '{"preset": "koikoi-guide", "own_call": ["+1", "x2"], "zero_sum": true}', encoding="utf-8"
    )
    result = run("rules", "show", str(path))
    assert result.stdout.startswith("koikoi-guide with 2 changes")
    assert '* own_call = ["+1", "x2"]  [koikoi-guide: ["x2"]]' in result.stdout
    assert "* zero_sum = true  [koikoi-guide: false]" in result.stdout
    (displayed,) = lines(run("rules", "show", str(path), "--json"))
    assert displayed["differs_from"] == "koikoi-guide"
    assert displayed["changes"] == {"own_call": ["+1", "x2"], "zero_sum": True}
    assert list(displayed["rules"]) == list(OPTIONS)


def test_decks() -> None:
    packs = [deck for deck in lines(run("decks", "--json")) if "pack" not in deck]
    assert [deck["cards"] for deck in packs] == [48, 49, 40, 48]
    listed = run("decks", "hanafuda").stdout.splitlines()
    assert len(listed) == 48
    assert "비광" in listed[40]
    (deck,) = lines(run("decks", "kabufuda", "--json"))
    assert deck["cards"][0]["id"] == "kabu-1-a"
    assert "onifuda" in run("decks", "mekurifuda").stdout


def companion(*args: str, **popen: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a process of its own."""
    command = [sys.executable, "-m", "companion.cli", *args]
    return subprocess.run(command, capture_output=True, cwd=ROOT, check=False, timeout=60, **popen)


def test_in_a_process_of_its_own() -> None:
    assert companion("score", *PILE).returncode == 0
    failed = companion("score", "pine-crain")
    assert failed.returncode == 2
    assert failed.stdout == b""
    assert failed.stderr.count(b"\n") == 1


def test_output_is_utf8_whatever_the_locale() -> None:
    done = companion("score", *PILE, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert done.returncode == 0
    assert "三光" in done.stdout.decode()


def test_a_reader_that_stops_early_sees_no_traceback() -> None:
    """`companion score - < many | head -1` must end quietly."""
    command = [sys.executable, "-m", "companion.cli", "score", "-"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b'{"captured": []}\n')
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["total"] == 0
        process.stdout.close()
        process.stdin.write(b'{"captured": []}\n' * 10)
        process.stdin.close()
        assert process.stderr.read() == b""


def test_scoring_imports_neither_vision_nor_api() -> None:
    """A cold `companion score` is fast: modules that only other commands need are not loaded."""
    code = (
        "import sys, companion.cli\n"
        "try: companion.cli.main(['score', 'pine-crane'])\n"
        "except SystemExit: pass\n"
        "heavy = {'cv2', 'flask', 'numpy', 'onnxruntime', 'sqlite_utils', 'pydantic'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_each_line_of_thousands_gets_its_answer() -> None:
    stdin = (json.dumps({"game": "koikoi", "captured": PILE}) + "\n").encode() * 4500
    done = companion("score", "-", input=stdin)
    assert done.stdout.count(b"\n") == 4500


@pytest.mark.parametrize(
    ("arguments", "terminal", "expected"),
    [
        (("--language", "ko"), "en_US.UTF-8", "규칙은 저장되어 있지 않아요"),
        ((), "ja_JP.UTF-8", "という名前のルールは保存されていません"),
        ((), "C.UTF-8", "no rules are saved as 'nix'"),
        (("--language", "en"), "ja_JP.UTF-8", "no rules are saved as 'nix'"),
    ],
)
def test_errors_are_in_the_language_of_the_option_or_the_terminal(
    arguments: tuple[str, ...], terminal: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", terminal)
    refused = run(*arguments, "rules", "forget", "nix", "--data", str(tmp_path))
    assert refused.exit_code == 2
    assert expected in refused.stderr


def test_an_unknown_language_is_refused() -> None:
    refused = run("--language", "tlh", "games")
    assert refused.exit_code == 2
    assert "en, ja, ko" in refused.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["sore"], "companion: there is no command 'sore'; did you mean score? (see `companion --help`)"),
        (["xyzzy"], "companion: there is no command 'xyzzy' (see `companion --help`)"),
        (
            ["bench", "spead"],
            "companion bench: there is no command 'spead'; did you mean speed? (see `companion bench --help`)",
        ),
    ],
)
def test_a_mistyped_command_is_answered_with_similar_ones(args: list[str], message: str) -> None:
    result = run(*args)
    assert (result.exit_code, result.stderr) == (2, f"{message}\n")
