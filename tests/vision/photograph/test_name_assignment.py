"""Each name is assigned at most once, and only with sufficient probability."""

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vision.networks.class_ids import BACK, CLASS_COUNT, CLASS_OF, HANAFUDA_CLASSES, UNKNOWN
from vision.networks.probability_calibration import Calibration
from vision.photograph import name_assignment
from vision.photograph.name_assignment import alternatives, assign_names, assignment_margins

FITTED = Calibration(whole=1, hidden=1, commit=(0.6, 0.7, 0.9), back=0.25)


def row(**probabilities: float) -> np.ndarray:
    """Return a posterior with these probabilities (ids with _ for -); the rest is spread evenly."""
    out = np.zeros(CLASS_COUNT)
    for name, probability in probabilities.items():
        class_id = {"back": BACK, "unknown": UNKNOWN}.get(name)
        out[CLASS_OF[name.replace("_", "-")] if class_id is None else class_id] = probability
    return out + (1 - out.sum()) / CLASS_COUNT


def remaining(posterior: np.ndarray) -> np.ndarray:
    return assign_names(posterior, np.ones(len(posterior), np.float32), calibration=FITTED)[1]


def assign(posterior: np.ndarray, visible_fraction: float = 1.0) -> list[tuple[str | None, float]]:
    visible = np.full(len(posterior), visible_fraction, np.float32)
    return name_assignment.assign_names(posterior, visible, calibration=FITTED)[0]


@pytest.mark.parametrize(
    ("visible_fraction", "probability", "name"),
    [
        (1.0, 0.65, "pine-crane"),
        (0.4, 0.65, None),
        (0.4, 0.8, "pine-crane"),
        (0.2, 0.8, None),
        (0.2, 0.95, "pine-crane"),
    ],
)
def test_less_visible_cards_need_a_higher_probability(
    visible_fraction: float, probability: float, name: str | None
):
    assert assign(np.array([row(pine_crane=probability)]), visible_fraction)[0][0] == name


def test_a_confident_card_gets_its_name():
    ((name, sure),) = assign(np.array([row(pine_crane=0.97)]))
    assert name == "pine-crane"
    assert sure == pytest.approx(0.97, abs=0.01)


def test_of_two_cards_with_one_name_only_the_more_probable_one_is_named():
    names = assign(np.array([row(pine_crane=0.80), row(pine_crane=0.99)]))
    assert [name for name, _ in names] == [None, "pine-crane"]


def test_two_cards_that_clearly_are_the_same_card_are_both_named():
    """One of a second pack was mixed in: a deck has the card only once, but both are certainly that card."""
    names = assign(np.array([row(pine_crane=0.995), row(pine_crane=0.995)]))
    assert [name for name, _ in names] == ["pine-crane", "pine-crane"]
    assert all(0.65 < sure < 0.995 for _, sure in names)


def test_of_two_cards_that_are_less_clearly_the_same_card_neither_is_named():
    """One of them is probably another card, and it is not known which; a wrong name is worse than none."""
    names = assign(np.array([row(pine_crane=0.9), row(pine_crane=0.9)]))
    assert [name for name, _ in names] == [None, None]


def test_a_second_card_gets_its_next_name_if_that_is_probable_enough():
    names = assign(np.array([row(pine_crane=0.99), row(pine_crane=0.30, pine_ribbon=0.68)]))
    assert [name for name, _ in names] == ["pine-crane", "pine-ribbon"]


def test_twins_get_one_name_each_and_do_not_influence_each_other():
    ((_, alone),) = assign(np.array([row(pine_chaff_1=0.95)]))
    both = assign(np.array([row(pine_chaff_1=0.95)] * 2))
    assert [name for name, _ in both] == ["pine-chaff-1", "pine-chaff-2"]
    assert [sure for _, sure in both] == pytest.approx([alone, alone])


def test_a_third_twin_is_named_only_if_it_clearly_is_one():
    names = assign(np.array([row(pine_chaff_1=0.995)] * 3))
    assert Counter(name for name, _ in names) == {"pine-chaff-1": 2, "pine-chaff-2": 1}
    names = assign(np.array([row(pine_chaff_1=0.99), row(pine_chaff_1=0.7), row(pine_chaff_1=0.99)]))
    assert [name for name, _ in names] == ["pine-chaff-1", None, "pine-chaff-2"]


def test_any_number_of_backs_is_named():
    assert [name for name, _ in assign(np.array([row(back=0.9)] * 5))] == ["back"] * 5


def test_a_card_detected_twice_does_not_become_a_back():
    first, second = row(iris_ribbon=0.999), row(iris_ribbon=0.92, back=0.05, unknown=0.03)
    assert [name for name, _ in assign(np.array([first, second]))] == ["iris-ribbon", None]


def test_a_back_needs_a_lower_probability_if_no_face_is_probable():
    result = [assign(np.array([row(back=back, unknown=0.97 - back)]))[0][0] for back in (0.1, 0.4)]
    assert result == [None, "back"]


@pytest.mark.parametrize(
    "visible",
    [{"unknown": 0.9}, {"pine_crane": 0.4, "plum_warbler": 0.4}, {"unknown": 0.5, "pine_crane": 0.5}],
)
def test_unknown_and_ambiguous_cards_are_not_named(visible: dict[str, float]):
    assert assign(np.array([row(**visible)]))[0][0] is None


def test_no_cards():
    assert assign(np.zeros((0, CLASS_COUNT))) == []
    assert remaining(np.zeros((0, CLASS_COUNT))).shape == (0, CLASS_COUNT)


def test_alternatives_are_sorted_and_without_the_unknown_class():
    result = alternatives(row(unknown=0.5, willow_swallow=0.3, back=0.1))
    assert [card for card, _ in result][:2] == ["willow-swallow", "back"]
    assert all(first[1] >= second[1] for first, second in pairwise(result))


def test_a_name_that_is_certain_for_another_card_becomes_a_less_probable_alternative():
    rows = np.array([row(pine_crane=0.99), row(pine_crane=0.5, willow_swallow=0.4)])
    after = remaining(rows)
    assert [card for card, _ in alternatives(after[1])][:2] == ["willow-swallow", "pine-crane"]
    assert after.sum(axis=1) == pytest.approx(1)
    assert after[0] == pytest.approx(rows[0], abs=0.02)


def test_an_assigned_twin_leaves_the_other_available():
    rows = np.array([row(pine_chaff_1=0.99), row(pine_chaff_1=0.5, willow_swallow=0.4)])
    assert remaining(rows) == pytest.approx(rows)


def test_cards_of_another_pack_get_the_ids_of_that_pack():
    classes = (("kabu-1-a",), ("kabu-1-b", "kabu-1-c", "kabu-1-d"))
    posterior = np.array(
        [[0.02, 0.96, 0.01, 0.01]] * 3 + [[0.01, 0.01, 0.97, 0.01], [0.96, 0.02, 0.01, 0.01]]
    )
    names, _ = name_assignment.assign_names(posterior, np.ones(5, np.float32), classes, calibration=FITTED)
    assert [name for name, _ in names] == ["kabu-1-b", "kabu-1-c", "kabu-1-d", "back", "kabu-1-a"]
    assert alternatives(posterior[0], classes)[0] == ("kabu-1-b", 0.96)


def cheapest(cost: np.ndarray) -> tuple[float, tuple[int, ...]]:
    """Return the cheapest assignment of a different column to each row, by trying all."""
    assignments = (
        assignment
        for assignment in product(range(cost.shape[1]), repeat=len(cost))
        if len(set(assignment)) == len(assignment)
    )
    return min(
        (float(sum(cost[r, c] for r, c in enumerate(assignment))), assignment) for assignment in assignments
    )


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.lists(st.integers(1, 2), min_size=1, max_size=2))
def test_a_margin_is_the_additional_cost_without_the_name(seed: int, count: int, places: list[int]):
    """Compare with the trial of every assignment, including look-alikes and forbidden names."""
    rng = np.random.default_rng(seed)
    owners = np.concatenate((np.repeat(np.arange(len(places)), places), np.full(count, -1)))
    named = sum(places)
    classes = np.where(
        rng.random((count, len(places))) < 0.25, np.inf, rng.exponential(2, (count, len(places)))
    )
    cost = np.full((count, named + count), np.inf)
    cost[:, :named] = classes[:, owners[:named]]
    cost[np.arange(count), named + np.arange(count)] = rng.exponential(2, count)
    best, assignment = cheapest(cost)
    margins = assignment_margins(cost, np.array(assignment), owners)
    for index, column in enumerate(assignment):
        without = cost.copy()
        without[index, owners == owners[column]] = np.inf
        assert margins[index] == pytest.approx(cheapest(without)[0] - best)


@example(64, 52)  # two cards beyond .5 and one with .43 are the same card
@given(st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_no_name_is_assigned_twice_to_doubtful_cards_or_with_too_low_probability(seed: int, count: int):
    rng = np.random.default_rng(seed)
    posterior = rng.dirichlet(np.full(CLASS_COUNT, 0.05), count)
    names = assign(posterior)
    named = Counter(name for name, _ in names if name not in (None, "back"))
    for probabilities, (name, _) in zip(posterior, names, strict=True):
        assert name in (None, "back") or named[name] == 1 or probabilities[CLASS_OF[name]] > 0.5
    assert all(FITTED.commit[0] <= sure <= 1 for name, sure in names if name is not None)
    assert set(named) <= {card for cards in HANAFUDA_CLASSES for card in cards}


@given(st.integers(0, 2**32 - 1), st.integers(1, 30))
def test_the_order_of_the_cards_does_not_change_their_classes(seed: int, count: int):
    rng = np.random.default_rng(seed)
    posterior = rng.dirichlet(np.full(CLASS_COUNT, 0.05), count)
    order = rng.permutation(count)
    here, there = assign(posterior), assign(posterior[order])
    assert [CLASS_OF.get(here[k][0] or "") for k in order] == [CLASS_OF.get(name or "") for name, _ in there]
