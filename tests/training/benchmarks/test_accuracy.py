"""The figures of evaluated pictures, compared with cases calculated by hand."""

import pytest

from hanafuda_training.benchmarks.accuracy import (
    BANDS,
    Corners,
    Proportion,
    band_of,
    calibration_error,
    faults,
    figures,
    times,
)
from hanafuda_training.benchmarks.evaluation import (
    EvaluatedCard,
    EvaluatedDetection,
    EvaluatedPicture,
)
from hanafuda_training.benchmarks.ground_truth import TrueCard
from tests.training.benchmarks.bench_builders import centered, detection, evaluated, true
from vision.cli.bench_speed import peak_memory


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
    share = Proportion(hits, n)
    assert share.fraction == hits / n
    assert share.interval == pytest.approx((low, high), abs=5e-5)
    result = share.to_dict()
    assert (result["hits"], result["n"], result["share"]) == (hits, n, hits / n)
    assert result["wilson95"] == pytest.approx([low, high], abs=5e-5)


def test_a_proportion_of_nothing_has_no_value() -> None:
    assert Proportion.of([]) == Proportion(0, 0)
    assert Proportion(0, 0).to_dict() == {"hits": 0, "n": 0, "share": None, "wilson95": None}
    assert Corners.of([]).to_dict() == {"n": 0, "sigma": None, "median": None}
    assert calibration_error([]) is None


@pytest.mark.parametrize(
    ("sure", "error"),
    [
        ([(0.9, True), (0.9, False), (0.5, True)], (0.8 + 0.5) / 3),
        ([(1.0, True), (0.95, False)], 0.95 / 2),  # the last of 15 bins contains values above 0.9333
        ([(0.95, True), (0.92, False)], (0.05 + 0.92) / 2),  # and this value is in the last bin but one
        ([(0.75, True)] * 3 + [(0.75, False)], 0.0),
        ([(0.0, False)], 0.0),
    ],
)
def test_calibration_error(sure: list[tuple[float, bool]], error: float) -> None:
    assert calibration_error(sure) == pytest.approx(error)


def test_corner_errors_are_combined_as_root_mean_squares() -> None:
    result = Corners.of([0.01, 0.03, 0.07])
    assert (result.n, result.median) == (3, 0.03)
    assert result.sigma == pytest.approx(((1 + 9 + 49) / 3) ** 0.5 / 100)


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
        (true("pine-crane", visible=None), "unannotated"),
        (true("back", visible=0.3), "down"),
        (true(None), "unknown-deck"),
    ],
)
def test_the_group_of_a_card(card: TrueCard, band: str) -> None:
    assert band_of(card) == band
    assert band in BANDS


def right(card: str = "pine-crane", visible: float = 1.0, corners: float = 0.02) -> EvaluatedCard:
    return EvaluatedCard(true(card, visible=visible), detection(card, visible=visible), corners, True)


def missed(card: str | None = "plum-warbler", visible: float | None = 1.0) -> EvaluatedCard:
    return EvaluatedCard(true(card, visible=visible), None)


def test_the_figures_of_a_group() -> None:
    """Five cards: right, right by its twin, wrong, unnamed with the right best guess, missed."""
    cards = [
        right(corners=0.02),
        EvaluatedCard(true("pine-chaff-1"), detection("pine-chaff-2"), 0.04, True),
        EvaluatedCard(true("iris-bridge"), detection("susuki-moon"), 0.04, False),
        EvaluatedCard(true("iris-ribbon"), detection(None, own="iris-ribbon", sure=0.5), 0.06, True),
        missed(),
    ]
    result = figures([evaluated(*cards)])
    half = result.bands["half"]
    assert (result.pictures, result.cards, result.reported, half.n) == (1, 5, 4, 5)
    assert half.found == Proportion(4, 5)
    assert half.right == Proportion(2, 5)
    assert half.named == Proportion(2, 4)
    assert half.named_48 == Proportion(1, 4)
    assert half.own == Proportion(3, 4)
    assert half.own_48 == Proportion(2, 4)
    assert half.wrong == Proportion(1, 3)
    assert half.uncommitted == Proportion(1, 4)
    assert half.upright == Proportion(3, 4)
    assert half.precision == Proportion(4, 4)
    assert half.corners.sigma == pytest.approx(((4 + 16 + 16 + 36) / 4) ** 0.5 / 100)
    assert result.wrong == Proportion(1, 3)
    assert set(result.bands) == {"half"}


def test_a_card_with_known_month_only_does_not_count_for_twins() -> None:
    cards = [
        EvaluatedCard(centered("07-?", 1), detection("clover-chaff-2")),
        EvaluatedCard(centered("iris-bridge", 1), detection("iris-bridge")),
    ]
    result = figures([evaluated(*cards)]).bands["unannotated"]
    assert (result.named, result.named_48) == (Proportion(2, 2), Proportion(1, 1))


def test_precision_uses_the_detected_visible_fraction() -> None:
    """A card with 60 % visible that is reported with 40 % counts as the latter, and so does a false detection."""
    cards = [right(), EvaluatedCard(true("iris-bridge", visible=0.6), detection("iris-bridge", visible=0.4))]
    cards.append(EvaluatedCard(true("iris-ribbon", visible=0.3), detection("iris-ribbon", visible=0.3)))
    result = figures(
        [evaluated(*cards, extra=(detection(None, visible=0.4), detection("susuki-moon", visible=0.1)))]
    )
    assert result.bands["half"].precision == Proportion(1, 1)
    assert result.bands["quarter"].precision == Proportion(2, 3)
    assert result.precision == Proportion(3, 5)


def test_named_false_detections_are_wrong_names() -> None:
    result = figures(
        [evaluated(right(), extra=(detection("susuki-moon"), detection("back"), detection(None)))]
    )
    assert result.wrong == Proportion(2, 3)
    assert (result.extra, result.extra_named, result.extra_backs) == (3, 2, 1)
    assert result.bands["half"].wrong == Proportion(0, 1)


def test_face_down_and_unknown_cards() -> None:
    result = figures(
        [
            evaluated(
                EvaluatedCard(true("back"), detection("back")),
                EvaluatedCard(true("back"), detection(None, own="susuki-moon")),
                EvaluatedCard(true(None), detection(None)),
                EvaluatedCard(true(None), detection("back")),
                missed(None),
            )
        ]
    )
    assert (result.bands["down"].right, result.bands["down"].wrong) == (Proportion(1, 2), Proportion(0, 1))
    assert result.bands["down"].own == Proportion(1, 2)
    assert (result.bands["unknown-deck"].found, result.bands["unknown-deck"].named) == (
        Proportion(2, 3),
        Proportion(1, 2),
    )
    assert result.wrong == Proportion(1, 2)
    assert result.bands["down"].precision is None


@pytest.mark.parametrize(
    ("each", "exact", "names"),
    [
        (evaluated(right(), missed(visible=0.24)), True, True),
        (evaluated(right(), missed(visible=0.25)), False, False),
        (evaluated(right(), missed(visible=None)), False, False),
        (evaluated(right(), extra=(detection(None),)), False, True),
        (evaluated(right(), extra=(detection("back"),)), False, False),
        (evaluated(right(), missed("back")), False, True),
        (evaluated(right(), missed(None)), True, True),
        (evaluated(right(), EvaluatedCard(true(None), detection("iris-bridge"))), False, False),
        (evaluated(EvaluatedCard(centered("07-?", 1), detection("clover-boar"))), True, True),
        (evaluated(EvaluatedCard(true("iris-bridge"), detection(None))), False, False),
    ],
)
def test_exact_pictures(each: EvaluatedPicture, exact: bool, names: bool) -> None:
    result = figures([each])
    assert result.exact == Proportion(exact, 1)
    assert result.exact_names == Proportion(names, 1)


def test_a_false_detection_should_be_classified_as_unknown() -> None:
    cards = [EvaluatedCard(true("iris-bridge"), detection("iris-bridge", sure=0.8))]
    extra = (EvaluatedDetection(detection(None).reported, None, 0.6, None),)
    result = figures([evaluated(*cards, extra=extra)])
    assert result.ece_own == pytest.approx((0.2 + 0.4) / 2)
    assert result.ece_named == pytest.approx(0.2)


def test_names_may_come_from_another_source() -> None:
    """Without the assignment each card is named separately."""
    card = EvaluatedCard(true("iris-bridge"), detection("susuki-moon", alone="iris-bridge"))
    assert figures([evaluated(card)]).bands["half"].right == Proportion(0, 1)
    assert figures([evaluated(card)], lambda each: each.unassigned).bands["half"].right == Proportion(1, 1)


def test_order_is_summed_over_pictures() -> None:
    assert figures([evaluated(order=(True, False)), evaluated(order=(True,))]).order == Proportion(2, 3)


def test_faults_are_sorted_with_wrong_names_first() -> None:
    one = evaluated(EvaluatedCard(true("iris-bridge"), detection("susuki-moon")), extra=(detection("back"),))
    two = evaluated(
        missed(), missed(), missed(visible=0.1), EvaluatedCard(true("iris-bridge"), detection(None))
    )
    assert faults(one) == (2, 2)
    assert faults(two) == (0, 3)
    assert faults(evaluated(right())) == (0, 0)


def test_times_by_stage() -> None:
    result = times([evaluated(ms=float(ms)) for ms in range(1, 102)])
    assert list(result) == ["detect", "total"]
    assert result["detect"] == {"median": 51.0, "p95": 96.0}


def test_memory_is_reported_in_megabytes() -> None:
    peak = peak_memory()
    assert peak is None or 20 < peak < 20_000
