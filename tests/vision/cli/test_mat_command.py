"""``companion mat``: the PDF, rendered, is accurate to the millimeter."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from click.testing import CliRunner
from reportlab.pdfbase.ttfonts import TTFontFile

from companion.cli import main
from companion.fonts import MINCHO
from vision.cli.mat import mat
from vision.geometry.registration.aruco_markers import find_markers
from vision.geometry.registration.mat_printing import mat_pdf
from vision.geometry.registration.printed_mat import MATS

SCALE = 4  # px per mm of a rendered page


@cache
def rendered(paper: str, scale: int = SCALE) -> np.ndarray:
    """Return the rendered page in gray, `scale` px per mm."""
    document = pypdfium2.PdfDocument(mat_pdf(paper))
    assert len(document) == 1
    page = document[0].render(scale=scale * 25.4 / 72, grayscale=True).to_numpy()
    return np.ascontiguousarray(page.reshape(page.shape[0], page.shape[1]))


@pytest.mark.parametrize(
    ("paper", "width", "height"),
    [
        ("A2", 594, 420),
        ("A3", 420, 297),
        ("A4", 210, 297),
        ("letter", 215.9, 279.4),
        ("tabloid", 431.8, 279.4),
    ],
)
def test_the_page_has_the_size_of_the_paper(paper: str, width: float, height: float) -> None:
    page = pypdfium2.PdfDocument(mat_pdf(paper))[0]

    assert [side * 25.4 / 72 for side in page.get_size()] == pytest.approx([width, height], abs=0.01)


@pytest.mark.parametrize("paper", MATS)
def test_markers_are_printed_at_their_nominal_places(paper: str) -> None:
    page = rendered(paper, 12)  # a higher resolution, because the renderer paints whole pixels
    found = find_markers(page)

    assert set(found) == set(MATS[paper].parts)
    for number, part in MATS[paper].parts.items():
        there = (found[number] + 0.5) / 12
        np.testing.assert_allclose(there, part.marker.corners, atol=0.1)
        assert part.marker.width >= 30


@pytest.mark.parametrize("paper", MATS)
def test_white_patches_are_blank_paper(paper: str) -> None:
    page = rendered(paper)
    for part in MATS[paper].parts.values():
        rect = part.white
        inside = page[
            round((rect.top + 1) * SCALE) : round((rect.bottom - 1) * SCALE),
            round((rect.left + 1) * SCALE) : round((rect.right - 1) * SCALE),
        ]
        assert inside.min() == 255


@pytest.mark.parametrize("paper", MATS)
def test_the_paper_around_each_marker_is_white(paper: str) -> None:
    page = rendered(paper)
    for part in MATS[paper].parts.values():
        quiet = part.marker.width / 6 - 0.5
        left, top = part.marker.left - quiet, part.marker.top - quiet
        side = part.marker.width + 2 * quiet
        around = page[
            round(top * SCALE) : round((top + side) * SCALE),
            round(left * SCALE) : round((left + side) * SCALE),
        ].copy()
        inset = round((quiet - 0.3) * SCALE)
        around[inset:-inset, inset:-inset] = 255
        assert around.min() == 255


def test_the_printed_ruler_is_100_mm_long() -> None:
    x, y = MATS["A3"].ruler
    page = rendered("A3")
    strip = page[
        round((y - 5) * SCALE) : round((y + 105) * SCALE), round((x - 0.3) * SCALE) : round((x + 0.3) * SCALE)
    ]

    inked = np.nonzero((strip < 200).any(axis=1))[0]

    assert (inked[-1] - inked[0] + 1) / SCALE == pytest.approx(100, abs=0.5)


@pytest.mark.parametrize("paper", MATS)
def test_nothing_is_printed_in_the_unprintable_margin(paper: str) -> None:
    page = rendered(paper)
    edge = 5 * SCALE

    assert min(page[:edge].min(), page[-edge:].min(), page[:, :edge].min(), page[:, -edge:].min()) == 255


@pytest.mark.parametrize("paper", ["A2", "A3", "tabloid"])
def test_zones_parts_and_ruler_do_not_overlap(paper: str) -> None:
    sheet = MATS[paper]
    rects = [*sheet.zones.values()]
    for part in sheet.parts.values():
        rects += [part.marker, part.white]
    for number, one in enumerate(rects):
        assert min(one.left, one.top, sheet.size[0] - one.right, sheet.size[1] - one.bottom) >= 5
        for other in rects[:number]:
            apart = (
                one.right <= other.left
                or other.right <= one.left
                or one.bottom <= other.top
                or other.bottom <= one.top
            )
            assert apart
    assert sheet.zones["field"].width >= 6 * 38
    assert sheet.zones["field"].height >= 2 * 56


@pytest.mark.parametrize("paper", MATS)
def test_the_font_has_every_character_that_is_printed(paper: str) -> None:
    printed = pypdfium2.PdfDocument(mat_pdf(paper))[0].get_textpage().get_text_range()
    assert "実寸" in printed
    assert {
        letter for letter in printed.strip() if ord(letter) not in TTFontFile(str(MINCHO)).charToGlyph
    } <= {"\r", "\n"}


def test_the_file_is_reproducible() -> None:
    assert mat_pdf("A3") == mat_pdf("A3")


def test_the_command_writes_the_file_and_describes_it(tmp_path: Path) -> None:
    out = tmp_path / "mat.pdf"

    done = CliRunner().invoke(mat, ["--paper", "a4", "--out", str(out), "--json"])

    assert done.exit_code == 0
    answer = json.loads(done.stdout)
    assert (answer["paper"], answer["page_mm"], answer["corner_cards"]) == ("A4", [210, 297], True)
    assert sorted(answer["markers"]) == ["12", "13", "14", "15"]
    assert out.read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--paper", "A9"], "A2, A3, A4, letter, tabloid"),
        (["--out", "/no/such/folder/mat.pdf"], "/no/such/folder: No such file"),
    ],
)
def test_an_error_is_one_line(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["mat", *arguments])

    captured = capsys.readouterr()
    assert ended.value.code == 2
    assert expected in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
