"""A game of another distribution: only an entry point makes the program know it.

``tests/toy_game`` has what such a distribution installs. Every test runs the program in a process in which it
is found, as after ``pip install``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
TOY = ROOT / "tests" / "toy_game"
"""This folder has no tests: pytest would add it to the path, and the toy game to every other test."""


def run(*args: str, stdin: str | None = None) -> str:
    """Run Python where the toy game is installed, and return what it printed."""
    path = os.pathsep.join(map(str, (ROOT, TOY)))
    done = subprocess.run(
        [sys.executable, *args],
        input=stdin,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def companion(*args: str) -> list[dict[str, Any]]:
    """Run a command with ``--json`` and return its lines."""
    printed = run("-c", "from companion.cli import main; main()", *args, "--json")
    return [json.loads(line) for line in printed.splitlines()]


def test_it_is_listed_after_the_built_in_games_with_its_rules() -> None:
    games = {game["game"]: game for game in companion("games")}
    assert list(games)[-1] == "snap"
    assert games["snap"]["players"] == {"fewest": 2, "most": 4, "usual": 3}
    assert [option["key"] for option in games["snap"]["presets"][0]["options"]] == [
        "hand",
        "full_month",
        "rounds",
    ]


def test_its_piles_are_scored() -> None:
    pile = ("pine-crane", "pine-ribbon", "pine-chaff-1", "pine-chaff-2", "plum-warbler")
    (answer,) = companion("score", "--game", "snap", *pile)
    assert (answer["total"], [yaku["name"] for yaku in answer["yaku"]]) == (10, ["full-month"])


def test_its_rules_have_a_share_code() -> None:
    (shared,) = companion("rules", "share", "snap")
    (opened,) = companion("rules", "open", shared["code"])
    assert (opened["game"], opened["hash"]) == ("snap", shared["hash"])


def test_its_rounds_are_simulated_and_replayed(tmp_path: Path) -> None:
    simulate = (
        "import json; from companion.hanafuda.simulation import random_round, record_of\n"
        "for seed in range(20): print(json.dumps(record_of(random_round('snap', seed))))"
    )
    records = tmp_path / "snap.jsonl"
    records.write_text(run("-c", simulate), encoding="utf-8")
    replayed = companion("replay", str(records))
    assert len(replayed) == 20
    assert all(each["legal"] and each["agrees"] for each in replayed)
    assert any(sum(each["points"].values()) for each in replayed)


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The result of a round that was played by hand at a table of the API."""
    reported: dict[str, Any] = json.loads(
        run(str(TOY / "play_by_hand.py"), str(tmp_path_factory.mktemp("data")))
    )
    return reported


def test_a_round_is_played_by_hand(by_hand: dict[str, Any]) -> None:
    assert by_hand["outcome"] == by_hand["expected"]
    assert sum(by_hand["captured"]) > 0
    assert by_hand["says"].endswith("on the pile")


def test_hands_stay_hidden_while_the_round_goes_on(by_hand: dict[str, Any]) -> None:
    assert by_hand["hands"] == {seat: [None] * 4 for seat in "123"}
    assert by_hand["legal"] == 48


def test_a_move_after_the_end_is_refused(by_hand: dict[str, Any]) -> None:
    assert by_hand["refused"] == 422


def test_the_round_at_the_table_is_a_record(by_hand: dict[str, Any], tmp_path: Path) -> None:
    records = tmp_path / "table.jsonl"
    records.write_text(by_hand["records"], encoding="utf-8")
    (replayed,) = companion("replay", str(records))
    assert replayed["legal"]
    assert replayed["agrees"]


def test_a_round_is_recorded_by_points_alone(by_hand: dict[str, Any]) -> None:
    assert by_hand["form"] == {
        "winners": "computed",
        "points": "each",
        "piles": True,
        "yaku": [],
        "calls": False,
    }
    assert by_hand["by_points"]["winners"] == [2]
    first = by_hand["outcome"]
    assert by_hand["night"] == [first[0] + 3, first[1] + 7, first[2]]


def test_its_texts_are_in_its_own_catalogs_and_english_where_a_language_has_none() -> None:
    program = (
        "import json; from companion.hanafuda.messages import Message, card_message\n"
        "from companion.messages import catalog_source, render\n"
        "put = Message('snap-put', {'card': card_message('pine-crane')})\n"
        "print(json.dumps([[render(put, each), 'snap-put =' in catalog_source(each)] for each in ('en', 'ja', 'ko')]))"
    )
    assert json.loads(run("-c", program)) == [
        ["puts Crane and Sun on the pile", True],
        ["松に鶴を置く", True],
        ["puts 송학 광 on the pile", True],
    ]
