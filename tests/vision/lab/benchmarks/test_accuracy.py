"""What looks come to, against cases worked out by hand."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.vision.lab.benchmarks.bench_builders import centred, find, looked, true
from vision.lab.benchmarks import evaluation
from vision.lab.benchmarks.accuracy import (
    BANDS,
    Corners,
    Share,
    band_of,
    calibration_error,
    faults,
    figures,
    times,
)
from vision.lab.benchmarks.evaluation import Checked, Find, Looked, peak_memory, weights
from vision.lab.benchmarks.ground_truth import TrueCard
from vision.networks.network_variants import NetworkVariant
from vision.networks.pipeline_steps import PipelineSteps
from vision.photograph.scanner import Scanner


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),  # (.8 + .19207 -+ .31362) / 1.38415
        (0, 10, 0.0, 0.2775),  # 3.84146 / 13.84146
        (10, 10, 0.7225, 1.0),
        (274, 274, 0.9862, 1.0),  # vision.md: "274/274 means 98.6-100 %"
        (50, 100, 0.4038, 0.5962),
    ],
)
def test_wilson(hits: int, n: int, low: float, high: float) -> None:
    share = Share(hits, n)
    assert share.share == hits / n
    assert share.interval == pytest.approx((low, high), abs=5e-5)
    told = share.to_dict()
    assert (told["hits"], told["n"], told["share"]) == (hits, n, hits / n)
    assert told["wilson95"] == pytest.approx([low, high], abs=5e-5)


def test_of_nothing_there_is_no_share() -> None:
    assert Share.of([]) == Share(0, 0)
    assert Share(0, 0).to_dict() == {"hits": 0, "n": 0, "share": None, "wilson95": None}
    assert Corners.of([]).to_dict() == {"n": 0, "sigma": None, "median": None}
    assert calibration_error([]) is None


@pytest.mark.parametrize(
    ("sure", "error"),
    [
        ([(0.9, True), (0.9, False), (0.5, True)], (0.8 + 0.5) / 3),
        ([(1.0, True), (0.95, False)], 0.95 / 2),  # the last of 15 bins holds what is over .9333
        ([(0.95, True), (0.92, False)], (0.05 + 0.92) / 2),  # and this one is in the last but one
        ([(0.75, True)] * 3 + [(0.75, False)], 0.0),
        ([(0.0, False)], 0.0),
    ],
)
def test_calibration_error(sure: list[tuple[float, bool]], error: float) -> None:
    assert calibration_error(sure) == pytest.approx(error)


def test_corners_are_summed_up_by_their_squares() -> None:
    told = Corners.of([0.01, 0.03, 0.07])
    assert (told.n, told.median) == (3, 0.03)
    assert told.sigma == pytest.approx(((1 + 9 + 49) / 3) ** 0.5 / 100)


@pytest.mark.parametrize(
    ("card", "band"),
    [
        (true("pine-crane", visible=1.0), "half"),
        (true("pine-crane", visible=0.5), "half"),
        (true("pine-crane", visible=0.499), "quarter"),
        (true("pine-crane", visible=0.25), "quarter"),
        (true("pine-crane", visible=0.249), "sliver"),
        (true("pine-crane", visible=0.12), "sliver"),
        (true("pine-crane", visible=0.119), "trace"),
        (true("pine-crane", visible=None), "untold"),
        (true("back", visible=0.3), "down"),
        (true(None), "stranger"),
    ],
)
def test_the_group_of_a_card(card: TrueCard, band: str) -> None:
    assert band_of(card) == band
    assert band in BANDS


def right(card: str = "pine-crane", visible: float = 1.0, corners: float = 0.02) -> Checked:
    return Checked(true(card, visible=visible), find(card, visible=visible), corners, True)


def missed(card: str | None = "plum-warbler", visible: float | None = 1.0) -> Checked:
    return Checked(true(card, visible=visible), None)


def test_the_figures_of_a_group() -> None:
    """Five cards: right, right by its twin, wrong, unnamed though its best guess was right, missed."""
    cards = [
        right(corners=0.02),
        Checked(true("pine-chaff-1"), find("pine-chaff-2"), 0.04, True),
        Checked(true("iris-bridge"), find("susuki-moon"), 0.04, False),
        Checked(true("iris-ribbon"), find(None, own="iris-ribbon", sure=0.5), 0.06, True),
        missed(),
    ]
    told = figures([looked(*cards)])
    half = told.bands["half"]
    assert (told.pictures, told.cards, told.seen, half.n) == (1, 5, 4, 5)
    assert half.found == Share(4, 5)
    assert half.right == Share(2, 5)
    assert half.named == Share(2, 4)
    assert half.named_48 == Share(1, 4)
    assert half.own == Share(3, 4)
    assert half.own_48 == Share(2, 4)
    assert half.wrong == Share(1, 3)
    assert half.uncommitted == Share(1, 4)
    assert half.upright == Share(3, 4)
    assert half.precision == Share(4, 4)
    assert half.corners.sigma == pytest.approx(((4 + 16 + 16 + 36) / 4) ** 0.5 / 100)
    assert told.wrong == Share(1, 3)
    assert set(told.bands) == {"half"}


def test_a_card_of_which_only_the_month_is_known_cannot_be_told_from_its_twin() -> None:
    cards = [
        Checked(centred("07-?", 1), find("clover-chaff-2")),
        Checked(centred("iris-bridge", 1), find("iris-bridge")),
    ]
    told = figures([looked(*cards)]).bands["untold"]
    assert (told.named, told.named_48) == (Share(2, 2), Share(1, 1))


def test_precision_goes_by_the_share_that_was_seen() -> None:
    """A card of 60 % that was taken for one of 40 % counts among the latter, as does what is no card."""
    cards = [right(), Checked(true("iris-bridge", visible=0.6), find("iris-bridge", visible=0.4))]
    cards.append(Checked(true("iris-ribbon", visible=0.3), find("iris-ribbon", visible=0.3)))
    told = figures([looked(*cards, extra=(find(None, visible=0.4), find("susuki-moon", visible=0.1)))])
    assert told.bands["half"].precision == Share(1, 1)
    assert told.bands["quarter"].precision == Share(2, 3)
    assert told.precision == Share(3, 5)


def test_names_for_what_is_no_card_are_wrong_ones() -> None:
    told = figures([looked(right(), extra=(find("susuki-moon"), find("back"), find(None)))])
    assert told.wrong == Share(2, 3)
    assert (told.extra, told.extra_named, told.extra_backs) == (3, 2, 1)
    assert told.bands["half"].wrong == Share(0, 1)


def test_face_down_cards_and_strangers() -> None:
    told = figures(
        [
            looked(
                Checked(true("back"), find("back")),
                Checked(true("back"), find(None, own="susuki-moon")),
                Checked(true(None), find(None)),
                Checked(true(None), find("back")),
                missed(None),
            )
        ]
    )
    assert (told.bands["down"].right, told.bands["down"].wrong) == (Share(1, 2), Share(0, 1))
    assert told.bands["down"].own == Share(1, 2)
    assert (told.bands["stranger"].found, told.bands["stranger"].named) == (Share(2, 3), Share(1, 2))
    assert told.wrong == Share(1, 2)
    assert told.bands["down"].precision is None


@pytest.mark.parametrize(
    ("each", "exact", "names"),
    [
        (looked(right(), missed(visible=0.24)), True, True),
        (looked(right(), missed(visible=0.25)), False, False),
        (looked(right(), missed(visible=None)), False, False),
        (looked(right(), extra=(find(None),)), False, True),
        (looked(right(), extra=(find("back"),)), False, False),
        (looked(right(), missed("back")), False, True),
        (looked(right(), missed(None)), True, True),
        (looked(right(), Checked(true(None), find("iris-bridge"))), False, False),
        (looked(Checked(centred("07-?", 1), find("clover-boar"))), True, True),
        (looked(Checked(true("iris-bridge"), find(None))), False, False),
    ],
)
def test_exact_pictures(each: Looked, exact: bool, names: bool) -> None:
    told = figures([each])
    assert told.exact == Share(exact, 1)
    assert told.exact_names == Share(names, 1)


def test_calibration_asks_for_a_stranger_where_there_is_no_card() -> None:
    cards = [Checked(true("iris-bridge"), find("iris-bridge", sure=0.8))]
    extra = (Find(find(None).seen, None, 0.6, None),)
    told = figures([looked(*cards, extra=extra)])
    assert told.ece_own == pytest.approx((0.2 + 0.4) / 2)
    assert told.ece_named == pytest.approx(0.2)


def test_names_may_be_taken_from_elsewhere() -> None:
    """Without the assignment each card is judged by itself."""
    card = Checked(true("iris-bridge"), find("susuki-moon", alone="iris-bridge"))
    assert figures([looked(card)]).bands["half"].right == Share(0, 1)
    assert figures([looked(card)], lambda each: each.unassigned).bands["half"].right == Share(1, 1)


def test_order_is_summed_up_over_pictures() -> None:
    assert figures([looked(order=(True, False)), looked(order=(True,))]).order == Share(2, 3)


def test_faults_put_wrong_names_first() -> None:
    one = looked(Checked(true("iris-bridge"), find("susuki-moon")), extra=(find("back"),))
    two = looked(missed(), missed(), missed(visible=0.1), Checked(true("iris-bridge"), find(None)))
    assert faults(one) == (2, 2)
    assert faults(two) == (0, 3)
    assert faults(looked(right())) == (0, 0)


def test_times_by_stage() -> None:
    told = times([looked(ms=float(ms)) for ms in range(1, 102)])
    assert list(told) == ["find", "total"]
    assert told["find"] == {"median": 51.0, "p95": 96.0}


def test_weights_by_form_and_size(tmp_path: Path) -> None:
    (tmp_path / "detector-int8.onnx").write_bytes(b"." * 200_000)
    (tmp_path / "refiner.onnx").write_bytes(b"." * 1_350_000)
    variants = {
        "detector": NetworkVariant("detector-int8.onnx", 2),
        "refiner": NetworkVariant("refiner.onnx", 1),
    }
    told = weights(cast(Scanner, SimpleNamespace(variants=variants)), tmp_path)
    assert told == {"detector": "int8, 2 threads, 0.2 MB", "refiner": "fp32, 1 thread, 1.4 MB"}


def test_memory_is_told_in_megabytes() -> None:
    held = peak_memory()
    assert held is None or 20 < held < 20_000


def test_every_step_that_is_left_out_is_one_of_those_there_are() -> None:
    for steps in evaluation.LEFT_OUT.values():
        taken = [getattr(steps, name) for name in steps.__slots__]
        assert taken.count(False) == 1
    assert len(set(evaluation.LEFT_OUT.values())) == len(evaluation.LEFT_OUT) == len(PipelineSteps.__slots__)
