"""``companion bench vision`` from end to end, on drawn pictures of our own faces."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.cli.bench import bench as bench_group
from hanafuda_training.benchmarks import evaluation
from hanafuda_training.benchmarks.evaluation import STEPS
from hanafuda_training.benchmarks.ground_truth import read_folders
from hanafuda_training.cli.bench_vision import _evaluate, bench_vision
from hanafuda_training.render.scenes import Scene
from tests.vision.picture_builders import jpeg, row, table_with
from tests.vision.remembering import remembered_networks
from vision.photograph.scanner import Scanner

SPREAD = ["pine-crane", "plum-warbler", "cherry-curtain", "peony-ribbon"]
FAN = ["susuki-moon", "chrysanthemum-sake", "iris-bridge"]


def truth_of(scene: Scene, names: list[str]) -> list[dict[str, Any]]:
    """Return the cards of a scene in the form of a ``truth.json``."""
    return [
        {
            "card": name,
            "quad": quad.tolist(),
            "visible": min(1.0, float((scene.ids == k + 1).sum()) / float(cv2.contourArea(quad))),
        }
        for k, (name, quad) in enumerate(zip(names, scene.quads, strict=True))
    ]


@pytest.fixture(scope="module", autouse=True)
def _installed() -> Iterator[None]:
    """Add the command, as the entry point of the installed distribution does."""
    bench_group.add_command(bench_vision)
    yield
    del bench_group.commands["vision"]


@pytest.fixture(scope="module", autouse=True)
def _networks() -> Iterator[None]:
    with remembered_networks():
        yield


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make two folders: a list of two pictures of a spread, and a single picture of a fan."""
    shelf = tmp_path_factory.mktemp("shelf")
    spread, fan = table_with(row(SPREAD, step=40), seed=11), table_with(row(FAN, step=17), seed=2, card_px=80)
    for name in ("spread", "fan"):
        (shelf / name).mkdir()
    entries = []
    for name in ("one.jpg", "two.jpg"):
        (shelf / "spread" / name).write_bytes(jpeg(spread.image))
        entries.append({"image": name, "cards": truth_of(spread, SPREAD)})
    # One wrong name in the ground truth, so that there is an error to count and to draw.
    entries[1]["cards"] = truth_of(spread, ["willow-swallow", *SPREAD[1:]])
    entries.append({"image": "one.jpg", "cards": [], "settled": False})
    (shelf / "spread" / "truth.json").write_text(json.dumps(entries))
    (shelf / "fan" / "fan.jpg").write_bytes(jpeg(fan.image))
    (shelf / "fan" / "truth.json").write_text(json.dumps({"cards": truth_of(fan, FAN)}))
    return shelf


def bench(*args: str | Path) -> Result:
    result = CliRunner().invoke(main, ["bench", "vision", *map(str, args)], prog_name="companion")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_json_has_a_line_per_folder_and_one_for_all(shelf: Path) -> None:
    result = bench("--data", shelf, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    fan, spread, total = map(json.loads, result.stdout.splitlines())
    assert [each["folder"] for each in (fan, spread, total)] == [
        str(shelf / "fan"),
        str(shelf / "spread"),
        None,
    ]
    assert (spread["pictures"], spread["cards"], spread["moving_left_out"]) == (2, 8, 1)
    assert spread["exact"]["hits"] == 1
    assert spread["wrong"] | {"wilson95": None} == {"hits": 1, "n": 8, "share": 0.125, "wilson95": None}
    assert spread["bands"]["half"]["right"]["hits"] == 7
    assert spread["bands"]["half"]["corners"]["sigma"] < 0.1
    assert total["order"] == {**total["order"], "hits": 2, "n": 2}
    assert total["cards"] == fan["cards"] + spread["cards"] == 11
    assert list(total["ms"]) == [
        "decode",
        "detect",
        "refine",
        "deduplicate",
        "recognize",
        "accept",
        "total",
        "cpu",
    ]
    assert all(0 < stage["median"] <= stage["p95"] for stage in total["ms"].values())
    assert [(size["width"], size["pictures"]) for size in total["ms_by_size"]] == [(1280, 3)]
    assert list(total["without"]) == ["assignment", *STEPS]
    assert {each["cards"] for each in total["without"].values()} == {11}
    assert total["weights"] == "fp32"
    assert total["memory_mb"] is None or total["memory_mb"] > 50
    assert {"python", "cpu", "cores", "load", "onnxruntime"} <= set(total)


def test_swift_measures_the_networks_of_a_watched_table(shelf: Path) -> None:
    result = bench("--data", shelf / "spread", "--no-ablations", "--swift")
    assert "weights: int8" in result.stdout


def test_the_text_output_has_counts_and_intervals(shelf: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "worst.jpg"
    result = bench("--data", shelf / "spread", "--data", shelf / "fan", "--sheet", sheet, "--no-ablations")
    assert (result.exit_code, result.stderr) == (0, "")
    output = result.stdout
    assert "3 pictures in 2 folders, 11 cards; 1 picture left out because something moves in them" in output
    assert "weights: fp32" in output
    assert "at least 50 % visible" in output
    assert "found (recall)" in output
    assert "pictures exact                   66.7 %  (20.8-93.9)    2/3" in output
    assert "wrong, of all names               9.1 %  (1.6-37.7)     1/11" in output
    assert "without  " not in output
    drawn = cv2.imread(str(sheet))
    assert drawn is not None
    assert drawn.shape[0] > 200  # the picture with the error


def test_figures_without_each_step_are_printed_as_a_table(shelf: Path) -> None:
    output = bench("--data", shelf / "fan").stdout
    table = output[output.index("without  ") :].splitlines()
    assert [line.split()[0] for line in table[1 : 3 + len(STEPS)]] == [
        "(nothing)",
        "assignment",
        *STEPS,
    ]


def test_the_sheet_without_errors(shelf: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "worst.png"
    assert (
        bench("--data", shelf / "spread", "--limit", "1", "--no-ablations", "--sheet", sheet).exit_code == 0
    )
    drawn = cv2.imread(str(sheet))
    assert drawn is not None
    assert drawn.shape[0] < 100


def test_the_limit_applies_to_each_folder(shelf: Path) -> None:
    *_, total = bench("--data", shelf, "--limit", "1", "--no-ablations", "--json").stdout.splitlines()
    assert json.loads(total)["pictures"] == 2
    assert json.loads(total)["without"] == {}


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((), "--data"),
        (("--data", "nowhere"), "nowhere does not exist"),
        (("--data", "SHELF", "--limit", "0"), "--limit"),
        (("--data", "SHELF", "--deck", "tarot"), "no deck 'tarot' here"),
        (("--data", "SHELF", "--models", "SHELF"), "detector-large.onnx are missing"),
        (("--data", "SHELF", "--models", "nowhere"), "nowhere"),
        (("--data", "SHELF", "--sheet", "worst.pdf"), "worst.pdf must end in .jpg or .png"),
    ],
)
def test_bad_usage_is_an_error_of_one_line(shelf: Path, args: tuple[str, ...], says: str) -> None:
    result = bench(*(str(shelf) if each == "SHELF" else each for each in args))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert says in result.stderr


def test_an_unreadable_picture_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_text("no picture")
    (tmp_path / "truth.json").write_text('{"cards": []}')
    result = bench("--data", tmp_path)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "a.jpg: This is not a picture that can be read" in result.stderr


def test_an_unwritable_sheet_is_reported(shelf: Path, tmp_path: Path) -> None:
    result = bench("--data", shelf / "fan", "--no-ablations", "--sheet", tmp_path / "none" / "worst.jpg")
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr
    assert "found (recall)" in result.stdout  # the figures are printed nevertheless


def test_an_empty_picture_has_no_figures_but_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All steps are left out in other tests; an empty picture is the slowest to scan, so here only one is.
    monkeypatch.setattr(evaluation, "STEPS", {"mask": STEPS["mask"]})
    (tmp_path / "a.jpg").write_bytes(jpeg(np.full((90, 120, 3), 128, np.uint8)))
    (tmp_path / "truth.json").write_text('{"cards": []}')
    result = bench("--data", tmp_path, "--sheet", tmp_path / "worst.jpg")
    assert result.exit_code == 0
    assert "1 picture in 1 folder, 0 cards" in result.stdout
    assert "pictures exact                  100.0 %" in result.stdout
    assert "\nmask " in result.stdout


def test_a_terminal_shows_the_progress(
    shelf: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert len(list(_evaluate(read_folders(shelf / "spread"), Scanner(), None, "reading"))) == 2
    result = capsys.readouterr()
    assert result.out == ""
    assert "reading: 1 of 2" in result.err
    assert result.err.endswith("reading: 2 of 2\r\x1b[K")
