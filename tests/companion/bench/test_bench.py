"""The output of `companion bench`; speed depends on the machine and is not tested."""

import json
from pathlib import Path
from time import process_time

import pytest
from click.testing import CliRunner

from companion.bench import REPEATS, SUBJECTS, Subject, _each, _piles, _processor, machine, measure
from companion.cli import main
from companion.hanafuda.registry import GAMES

NAMES = [f"{subject.game} {subject.slug}" for subject in SUBJECTS]


def test_every_game_has_a_round_benchmark_and_scored_games_a_pile_benchmark() -> None:
    rounds = {subject.game for subject in SUBJECTS if subject.slug == "round"}
    assert rounds == set(GAMES)
    for game in ("koikoi", "kekoro"):
        assert {f"{game} {slug}" for slug in ("pile-total", "pile-yaku", "pile-why")} < set(NAMES)
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("subject", SUBJECTS, ids=NAMES)
def test_each_can_be_measured(subject: Subject) -> None:
    measured = measure(subject, 0.001)
    assert measured.calls >= 1
    assert 0 < measured.best <= measured.median
    assert measured.repeats == REPEATS == 5


def test_a_measurement_is_per_call() -> None:
    """The time per call does not depend on the number of calls."""
    ran: list[int] = []

    def run(calls: int) -> None:
        ran.append(calls)
        end = process_time() + calls / 1000
        while process_time() < end:
            pass

    measured = measure(Subject("koikoi", "nothing", "nothing", lambda: run), 0.05)
    assert ran[-REPEATS:] == [measured.calls] * REPEATS
    assert 1000 <= measured.best <= measured.median
    reported = measured.to_dict()
    assert (reported["game"], reported["what"], reported["sentence"]) == (
        "koikoi",
        "nothing",
        "nothing",
    )
    assert (reported["calls"], reported["repeats"]) == (measured.calls, REPEATS)
    assert reported["microseconds"] == {"median": round(measured.median, 3), "best": round(measured.best, 3)}
    assert (reported["python"], reported["cpu"]) == (machine()["python"], machine()["cpu"])


def test_benchmark_subjects_are_repeated() -> None:
    seen: list[str] = []
    run = _each(seen.append, "abc")
    assert seen == list("abc")
    run(7)
    assert seen == list("abcabcabca")


def test_piles_are_those_of_a_late_round_and_the_same_each_time() -> None:
    """Runs that measure different piles could not be compared."""
    assert _piles() == _piles()
    sizes = [pile.bit_count() for pile in _piles()]
    assert (min(sizes), max(sizes), len(sizes)) == (16, 24, 5000)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("processor\t: 0\nmodel name\t: Fast: Processor 3\n\nprocessor\t: 1\n", "Fast: Processor 3"),
        ("processor\t: 0\nBogoMIPS\t: 108\n\nModel\t\t: Raspberry Pi 5 Model B\n", "Raspberry Pi 5 Model B"),
    ],
)
def test_the_processor_by_its_name(tmp_path: Path, text: str, name: str) -> None:
    (tmp_path / "cpuinfo").write_text(text)
    assert _processor(tmp_path / "cpuinfo") == name


def test_a_processor_name_without_cpuinfo(tmp_path: Path) -> None:
    assert _processor(tmp_path / "none")


def test_without_a_subject_it_lists_the_subjects() -> None:
    result = CliRunner().invoke(main, ["bench"])
    assert result.exit_code == 0
    assert "rules" in result.output


def test_json_is_a_line_a_measurement() -> None:
    result = CliRunner().invoke(main, ["bench", "rules", "--json", "--seconds", "0.001"])
    assert result.exit_code == 0
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [f"{line['game']} {line['what']}" for line in lines] == NAMES


def test_the_text_output_names_machine_and_subject() -> None:
    result = CliRunner().invoke(main, ["bench", "rules", "--seconds", "0.001"])
    assert result.exit_code == 0
    head, *lines = result.stdout.splitlines()
    assert machine()["cpu"] in head
    assert len(lines) == len(SUBJECTS)
    for subject, line in zip(SUBJECTS, lines, strict=True):
        assert line.split()[:2] == [subject.game, subject.slug]
        assert subject.text in line


@pytest.mark.parametrize("seconds", ["0", "-1", "601", "long"])
def test_an_invalid_time_is_rejected(seconds: str) -> None:
    result = CliRunner().invoke(main, ["bench", "rules", "--seconds", seconds])
    assert result.exit_code == 2
    assert "--seconds" in result.stderr
