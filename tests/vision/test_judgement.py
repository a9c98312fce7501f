"""Names are given once each, and only when sure."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision import judgement
from vision.judgement import COMMIT, alternatives
from vision.kinds import BACK, HANAFUDA_KINDS, KIND_COUNT, KIND_OF, UNKNOWN


def row(**shares: float) -> np.ndarray:
    """Return a posterior with these shares (ids with _ for -), the rest spread evenly."""
    out = np.zeros(KIND_COUNT)
    for name, share in shares.items():
        kind = {"back": BACK, "unknown": UNKNOWN}.get(name)
        out[KIND_OF[name.replace("_", "-")] if kind is None else kind] = share
    return out + (1 - out.sum()) / KIND_COUNT


def assign(posterior: np.ndarray, share: float = 1.0) -> list[tuple[str | None, float]]:
    return judgement.assign(posterior, np.full(len(posterior), share, np.float32))


@pytest.mark.parametrize(("share", "name"), [(1.0, "pine-crane"), (0.4, "pine-crane"), (0.2, None)])
def test_of_a_sliver_more_is_asked(share: float, name: str | None):
    assert assign(np.array([row(pine_crane=0.8)]), share)[0][0] == name


def test_a_sure_card_gets_its_name():
    ((name, sure),) = assign(np.array([row(pine_crane=0.97)]))
    assert name == "pine-crane"
    assert sure == pytest.approx(0.97, abs=0.01)


def test_the_surer_of_two_claims_keeps_the_name_and_the_other_stays_unnamed():
    names = assign(np.array([row(pine_crane=0.80), row(pine_crane=0.99)]))
    assert [name for name, _ in names] == [None, "pine-crane"]


def test_a_second_claim_falls_to_the_next_name_only_when_that_is_likely_itself():
    names = assign(np.array([row(pine_crane=0.99), row(pine_crane=0.30, pine_ribbon=0.68)]))
    assert [name for name, _ in names] == ["pine-crane", "pine-ribbon"]


def test_twins_are_two_places_and_a_third_is_one_too_many():
    twin = row(pine_chaff_1=0.95)
    names = [name for name, _ in assign(np.array([twin, twin, twin]))]
    assert sorted(names, key=str) == sorted(["pine-chaff-1", "pine-chaff-2", None], key=str)


def test_backs_may_be_many():
    assert [name for name, _ in assign(np.array([row(back=0.9)] * 5))] == ["back"] * 5


@pytest.mark.parametrize(
    "shares",
    [{"unknown": 0.9}, {"pine_crane": 0.4, "plum_warbler": 0.4}, {"unknown": 0.5, "pine_crane": 0.5}],
)
def test_strangers_and_doubts_stay_unnamed(shares: dict[str, float]):
    assert assign(np.array([row(**shares)]))[0][0] is None


def test_no_cards_no_names():
    assert assign(np.zeros((0, KIND_COUNT))) == []


def test_alternatives_leave_out_the_stranger_and_come_in_order():
    told = alternatives(row(unknown=0.5, willow_swallow=0.3, back=0.1))
    assert [card for card, _ in told][:2] == ["willow-swallow", "back"]
    assert all(first[1] >= second[1] for first, second in pairwise(told))


def test_a_deck_of_other_kinds_is_named_by_its_own_ids():
    kinds = (("kabu-1-a",), ("kabu-1-b", "kabu-1-c", "kabu-1-d"))
    posterior = np.array([[0.02, 0.96, 0.01, 0.01]] * 4 + [[0.01, 0.01, 0.97, 0.01]])
    names = [name for name, _ in judgement.assign(posterior, np.ones(5, np.float32), kinds)]
    assert names[4] == "back"
    assert sorted(names[:4], key=str) == sorted(["kabu-1-b", "kabu-1-c", "kabu-1-d", None], key=str)
    assert alternatives(posterior[0], kinds)[0] == ("kabu-1-b", 0.96)


@given(st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_whatever_is_seen_no_card_is_named_twice_and_none_unsurely(seed: int, count: int):
    rng = np.random.default_rng(seed)
    posterior = rng.dirichlet(np.full(KIND_COUNT, 0.05), count)
    names = assign(posterior)
    named = [name for name, _ in names if name not in (None, "back")]
    assert len(named) == len(set(named))
    assert all(sure >= COMMIT for name, sure in names if name is not None)
    assert set(named) <= {card for cards in HANAFUDA_KINDS for card in cards}
