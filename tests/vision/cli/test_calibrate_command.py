"""``companion calibrate``: registering a picture, saving the registration, and checking it later."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli import main
from companion.messages.catalog import catalog
from tests.vision.registered_table import Camera, Table, mat_table
from vision.geometry.registration.registration_findings import FindingCode, RegistrationFinding

HOME = Camera((1920, 1080), 85, tilt=12, lean=40)


@cache
def picture(camera: Camera, mat: bool = True) -> bytes:
    taken = (mat_table() if mat else Table(3)).photograph(camera)
    return cv2.imencode(".png", taken)[1].tobytes()


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["calibrate", *arguments])
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out, captured.err


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "table.png").write_bytes(picture(HOME))
    return tmp_path


def test_a_mat_is_registered_saved_and_drawn(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, drawn = here / "data", here / "drawn.png"

    code, out, err = run(capsys, str(here / "table.png"), "--data", str(data), "--draw", str(drawn), "--json")

    report = json.loads(out)
    assert (code, err) == (0, "")
    assert (report["method"], report["mat"], report["table_mm"]) == ("markers", "A3", [0, 0, 420, 297])
    assert report["residual_mm"] < 0.3
    assert report["findings"] == []
    kept = json.loads((data / "table.json").read_text(encoding="utf-8"))
    assert kept["version"] == 1
    image = cv2.imread(str(drawn))
    assert image.shape[1] == 1920
    marker = HOME.px(np.array((8.0, 26.0)))  # the left edge of the first marker is drawn in green
    near = image[round(marker[1]) - 3 : round(marker[1]) + 4, round(marker[0]) - 3 : round(marker[0]) + 4]
    assert ((near[..., 1] > 150) & (near[..., 2] < 130)).any()


def test_check_reports_no_movement_or_its_distance(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = str(here / "data")
    (here / "later.png").write_bytes(picture(replace(HOME, aim=(219, 148.5))))
    run(capsys, str(here / "table.png"), "--data", data)
    kept = (here / "data" / "table.json").read_bytes()

    still, out, _ = run(capsys, str(here / "table.png"), "--data", data, "--check", "--json")
    moved, later, _ = run(capsys, str(here / "later.png"), "--data", data, "--check", "--json")

    assert (still, json.loads(out)["steady"]) == (0, True)
    assert (moved, json.loads(later)["findings"][0]["code"]) == (1, "moved")
    assert json.loads(later)["moved_mm"] == pytest.approx(9, abs=0.5)
    assert (here / "data" / "table.json").read_bytes() == kept


def test_registration_by_picked_corners(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corners = " ".join(
        f"{x:.1f},{y:.1f}" for x, y in HOME.px(np.array(((0, 0), (420, 0), (420, 297), (0, 297.0))))
    )

    code, out, _ = run(
        capsys, str(here / "table.png"), "--data", str(here), "--corners", corners, "--size", "A3", "--json"
    )

    assert code == 0
    assert json.loads(out)["method"] == "corners"
    assert json.loads(out)["tilt_degrees"] == pytest.approx(12, abs=1.0)


@pytest.mark.parametrize("tilt", [0.0, 25.0, 50.0])
def test_tilt_and_card_widths_are_those_of_the_camera(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tilt: float
) -> None:
    """The camera is tilted about the table's x axis: widths are compared along x, where they are not foreshortened."""
    camera = Camera((1920, 1080), 70, tilt=tilt)
    (tmp_path / "table.png").write_bytes(picture(camera))

    code, out, _ = run(capsys, str(tmp_path / "table.png"), "--data", str(tmp_path), "--json")

    report = json.loads(out)
    ends = np.array(((193.5, 0), (226.5, 0), (193.5, 297), (226.5, 297.0))).reshape(2, 2, 2)
    near_and_far = sorted(np.linalg.norm(np.diff(camera.px(ends), axis=1)[:, 0], axis=1), reverse=True)
    assert code == 0
    assert report["tilt_degrees"] == pytest.approx(tilt, abs=1.0)
    assert report["card_px_near_and_far"] == pytest.approx(near_and_far, rel=0.02)
    # At the center the area shrinks by the cosine of the tilt, and the width by its square root.
    assert report["card_px"][0] == pytest.approx(70 * np.cos(np.radians(tilt)) ** 0.5, rel=0.02)
    assert report["card_px"][1] <= report["card_px_near_and_far"][1] + 0.1


def test_small_cards_at_the_far_edge_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "table.png").write_bytes(picture(Camera((1920, 1080), 36, tilt=50)))

    code, out, _ = run(capsys, str(tmp_path / "table.png"), "--data", str(tmp_path))

    assert code == 0
    far = re.search(r"At the near edge a card is \d+ px wide, at the far edge (\d+) px", out)
    assert far
    assert int(far[1]) < 34
    assert "The far cards are too small" in out


def test_the_text_output_describes_the_result(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, str(here / "table.png"), "--data", str(here))

    assert code == 0
    assert "420 × 297 mm" in out
    assert "Nothing to improve" in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["empty.png"], "No corner markers"),
        (["empty.png", "--check"], "without --check first"),
        (["nothing.png"], "cannot be read"),
        (["text.png"], "not a picture"),
        (["table.png", "--corners", "1,2 3,4"], "not four corners"),
        (["table.png", "--corners", "1,2 900,4 900,500 3,500"], "must be given together"),
        (["table.png", "--corners", "1,2 3,500 900,500 900,4", "--size", "A3"], "clockwise"),
        (["table.png", "--size", "large", "--corners", "1,2 900,4 900,500 3,500"], "is not a size"),
        (
            ["table.png", "--cards", "--size", "A3", "--corners", "1,2 900,4 900,500 3,500"],
            "cannot be combined",
        ),
        (["table.png", "--ruler", "10"], "ruler"),
    ],
)
def test_an_error_is_one_line(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    expected: str,
) -> None:
    (here / "empty.png").write_bytes(picture(HOME, mat=False))
    (here / "text.png").write_text("hello", encoding="utf-8")
    monkeypatch.chdir(here)

    code, out, err = run(capsys, *arguments, "--data", "data")

    assert (code, out) == (2, "")
    assert expected in err
    assert err.count("\n") == 1
    assert not (here / "data").exists()


def test_a_damaged_registration_is_reported(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "table.json").write_text("{", encoding="utf-8")

    code, _, err = run(capsys, str(here / "table.png"), "--data", str(here), "--check")

    assert code == 2
    assert "run companion calibrate again" in err


def test_every_finding_has_a_message() -> None:
    assert [code for code in FindingCode if RegistrationFinding(code).message.code not in catalog("en")] == []
