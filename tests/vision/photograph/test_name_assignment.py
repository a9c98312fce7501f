"""Names are given once each, and only when sure."""

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.networks.class_ids import BACK, CLASS_COUNT, CLASS_OF, HANAFUDA_CLASSES, UNKNOWN
from vision.networks.probability_calibration import Calibration
from vision.photograph import name_assignment
from vision.photograph.name_assignment import alternatives, assign_names, assignment_margins

FITTED = Calibration(whole=1, hidden=1, commit=(0.6, 0.7, 0.9), back=0.25)


def row(**visible: float) -> np.ndarray:
    """Return a posterior with these shares (ids with _ for -), the rest spread evenly."""
    out = np.zeros(CLASS_COUNT)
    for name, share in visible.items():
        class_id = {"back": BACK, "unknown": UNKNOWN}.get(name)
        out[CLASS_OF[name.replace("_", "-")] if class_id is None else class_id] = share
    return out + (1 - out.sum()) / CLASS_COUNT


def remaining(posterior: np.ndarray) -> np.ndarray:
    return assign_names(posterior, np.ones(len(posterior), np.float32), calibration=FITTED)[1]


def assign(posterior: np.ndarray, share: float = 1.0) -> list[tuple[str | None, float]]:
    visible = np.full(len(posterior), share, np.float32)
    return name_assignment.names_only(posterior, visible, calibration=FITTED)


@pytest.mark.parametrize(
    ("share", "sure", "name"),
    [
        (1.0, 0.65, "pine-crane"),
        (0.4, 0.65, None),
        (0.4, 0.8, "pine-crane"),
        (0.2, 0.8, None),
        (0.2, 0.95, "pine-crane"),
    ],
)
def test_the_less_is_seen_the_more_is_asked(share: float, sure: float, name: str | None):
    assert assign(np.array([row(pine_crane=sure)]), share)[0][0] == name


def test_a_sure_card_gets_its_name():
    ((name, sure),) = assign(np.array([row(pine_crane=0.97)]))
    assert name == "pine-crane"
    assert sure == pytest.approx(0.97, abs=0.01)


def test_the_surer_of_two_claims_keeps_the_name_and_the_other_stays_unnamed():
    names = assign(np.array([row(pine_crane=0.80), row(pine_crane=0.99)]))
    assert [name for name, _ in names] == [None, "pine-crane"]


def test_of_two_equally_sure_claims_neither_is_told():
    """One of them is wrong, and nothing says which: a wrong name is worse than none."""
    names = assign(np.array([row(pine_crane=0.99), row(pine_crane=0.99)]))
    assert [name for name, _ in names] == [None, None]


def test_a_second_claim_falls_to_the_next_name_only_when_that_is_likely_itself():
    names = assign(np.array([row(pine_crane=0.99), row(pine_crane=0.30, pine_ribbon=0.68)]))
    assert [name for name, _ in names] == ["pine-crane", "pine-ribbon"]


def test_twins_are_two_places_and_tell_nothing_of_each_other():
    ((_, alone),) = assign(np.array([row(pine_chaff_1=0.95)]))
    both = assign(np.array([row(pine_chaff_1=0.95)] * 2))
    assert [name for name, _ in both] == ["pine-chaff-1", "pine-chaff-2"]
    assert [sure for _, sure in both] == pytest.approx([alone, alone])


def test_a_third_twin_is_one_too_many():
    names = assign(np.array([row(pine_chaff_1=0.99), row(pine_chaff_1=0.7), row(pine_chaff_1=0.99)]))
    assert [name for name, _ in names] == ["pine-chaff-1", None, "pine-chaff-2"]


def test_backs_may_be_many():
    assert [name for name, _ in assign(np.array([row(back=0.9)] * 5))] == ["back"] * 5


def test_a_card_seen_twice_is_no_back_for_want_of_its_name():
    sure, again = row(iris_ribbon=0.999), row(iris_ribbon=0.92, back=0.05, unknown=0.03)
    assert [name for name, _ in assign(np.array([sure, again]))] == ["iris-ribbon", None]


def test_what_is_surely_no_face_is_a_back_from_less_on():
    told = [assign(np.array([row(back=back, unknown=0.97 - back)]))[0][0] for back in (0.1, 0.4)]
    assert told == [None, "back"]


@pytest.mark.parametrize(
    "visible",
    [{"unknown": 0.9}, {"pine_crane": 0.4, "plum_warbler": 0.4}, {"unknown": 0.5, "pine_crane": 0.5}],
)
def test_strangers_and_doubts_stay_unnamed(visible: dict[str, float]):
    assert assign(np.array([row(**visible)]))[0][0] is None


def test_no_cards_no_names():
    assert assign(np.zeros((0, CLASS_COUNT))) == []
    assert remaining(np.zeros((0, CLASS_COUNT))).shape == (0, CLASS_COUNT)


def test_alternatives_leave_out_the_stranger_and_come_in_order():
    told = alternatives(row(unknown=0.5, willow_swallow=0.3, back=0.1))
    assert [card for card, _ in told][:2] == ["willow-swallow", "back"]
    assert all(first[1] >= second[1] for first, second in pairwise(told))


def test_a_name_that_another_card_surely_has_goes_down_among_the_alternatives():
    rows = np.array([row(pine_crane=0.99), row(pine_crane=0.5, willow_swallow=0.4)])
    after = remaining(rows)
    assert [card for card, _ in alternatives(after[1])][:2] == ["willow-swallow", "pine-crane"]
    assert after.sum(axis=1) == pytest.approx(1)
    assert after[0] == pytest.approx(rows[0], abs=0.02)


def test_one_twin_that_is_taken_leaves_the_other():
    rows = np.array([row(pine_chaff_1=0.99), row(pine_chaff_1=0.5, willow_swallow=0.4)])
    assert remaining(rows) == pytest.approx(rows)


def test_a_deck_of_other_kinds_is_named_by_its_own_ids():
    classes = (("kabu-1-a",), ("kabu-1-b", "kabu-1-c", "kabu-1-d"))
    posterior = np.array(
        [[0.02, 0.96, 0.01, 0.01]] * 3 + [[0.01, 0.01, 0.97, 0.01], [0.96, 0.02, 0.01, 0.01]]
    )
    names = name_assignment.names_only(posterior, np.ones(5, np.float32), classes, calibration=FITTED)
    assert [name for name, _ in names] == ["kabu-1-b", "kabu-1-c", "kabu-1-d", "back", "kabu-1-a"]
    assert alternatives(posterior[0], classes)[0] == ("kabu-1-b", 0.96)


def cheapest(cost: np.ndarray) -> tuple[float, tuple[int, ...]]:
    """Return the cheapest way to give each row a column of its own, found by trying them all."""
    ways = (way for way in product(range(cost.shape[1]), repeat=len(cost)) if len(set(way)) == len(way))
    return min((float(sum(cost[r, c] for r, c in enumerate(way))), way) for way in ways)


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.lists(st.integers(1, 2), min_size=1, max_size=2))
def test_a_margin_is_what_doing_without_the_name_costs(seed: int, count: int, places: list[int]):
    """Shortest cycles against trying every assignment, look-alikes and forbidden names among them."""
    rng = np.random.default_rng(seed)
    owners = np.concatenate((np.repeat(np.arange(len(places)), places), np.full(count, -1)))
    named = sum(places)
    classes = np.where(
        rng.random((count, len(places))) < 0.25, np.inf, rng.exponential(2, (count, len(places)))
    )
    cost = np.full((count, named + count), np.inf)
    cost[:, :named] = classes[:, owners[:named]]
    cost[np.arange(count), named + np.arange(count)] = rng.exponential(2, count)
    best, way = cheapest(cost)
    found = assignment_margins(cost, np.array(way), owners)
    for index, column in enumerate(way):
        without = cost.copy()
        without[index, owners == owners[column]] = np.inf
        assert found[index] == pytest.approx(cheapest(without)[0] - best)


@given(st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_whatever_is_seen_no_card_is_named_twice_and_none_unsurely(seed: int, count: int):
    rng = np.random.default_rng(seed)
    posterior = rng.dirichlet(np.full(CLASS_COUNT, 0.05), count)
    names = assign(posterior)
    named = Counter(name for name, _ in names if name not in (None, "back"))
    assert set(named.values()) <= {1}
    assert all(FITTED.commit[0] <= sure <= 1 for name, sure in names if name is not None)
    assert set(named) <= {card for cards in HANAFUDA_CLASSES for card in cards}


@given(st.integers(0, 2**32 - 1), st.integers(1, 30))
def test_in_whatever_order_cards_come_each_gets_the_same_kind(seed: int, count: int):
    rng = np.random.default_rng(seed)
    posterior = rng.dirichlet(np.full(CLASS_COUNT, 0.05), count)
    order = rng.permutation(count)
    here, there = assign(posterior), assign(posterior[order])
    assert [CLASS_OF.get(here[k][0] or "") for k in order] == [CLASS_OF.get(name or "") for name, _ in there]
