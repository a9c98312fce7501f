"""The completion of hidden hands, compared with a brute-force search through all orders of all cards."""

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hanafuda.games.kingo.hands import Ranks, ranks_of
from companion.hanafuda.games.kingo.hidden import Passing, Want, possible
from companion.hanafuda.games.kingo.rules import KingoBankRules, KingoRules

RANKS: tuple[Ranks, ...] = (
    ranks_of(KingoRules(), "bettor"),
    ranks_of(KingoBankRules(), "bettor"),
    ranks_of(KingoBankRules(), "dealer"),
)
months = st.integers(1, 10)


def _laid_out_so(want: Want, cards: tuple[int, ...]) -> bool:
    """Return whether a hand can have been drawn legally in some order, with these cards in its unknown positions."""
    hidden = (*want.revealed, *cards)
    known = list(want.known)
    if want.last:
        known.remove(want.last)
        orders = [(*known, *hidden, want.last)]
    else:
        orders = [(*known, *order) for order in permutations(hidden)]
    whole = (*want.known, *hidden)
    hand = want.ranks.judge(whole)
    if want.ends is True and not hand.bareta:
        return False
    if isinstance(want.ends, Passing) and not want.ends.allows(hand):
        return False
    return want.limit is None or any(sum(order[:-1]) <= want.limit for order in orders)


def _plainly(wants: tuple[Want, ...], cards: tuple[int, ...]) -> bool:
    places = [want.hidden for want in wants]
    for order in permutations(cards, sum(places)):
        taken = iter(order)
        if all(_laid_out_so(want, tuple(next(taken) for _ in range(want.hidden))) for want in wants):
            return True
    return False


@st.composite
def wants(draw: st.DrawFn) -> Want:
    known = tuple(sorted(draw(st.lists(months, max_size=2))))
    revealed = tuple(sorted(draw(st.lists(months, max_size=1))))
    hidden = draw(st.integers(0 if revealed else 1, 2))
    return Want(
        ranks=draw(st.sampled_from(RANKS)),
        known=known,
        revealed=revealed,
        hidden=hidden,
        last=draw(st.sampled_from((0, *known))),
        limit=draw(st.sampled_from((None, 14, 15))),
        ends=draw(st.sampled_from((False, True, Passing(2), Passing(1, 12), Passing(2, 13)))),
    )


@given(st.lists(wants(), min_size=1, max_size=3), st.lists(months, min_size=6, max_size=6))
@settings(max_examples=150, deadline=None)
def test_a_plain_search_finds_the_same(reported: list[Want], cards: list[int]) -> None:
    unseen = [min(cards.count(month), 4) for month in range(11)]
    left = tuple(month for month in range(1, 11) for _ in range(unseen[month]))
    if sum(want.hidden for want in reported) <= len(left):
        assert possible(reported, unseen) == _plainly(tuple(reported), left)


def _passed(*known: int, hidden: int = 1) -> Want:
    return Want(RANKS[0], known, (), hidden, 0, 14, Passing(2))


def test_hands_share_what_is_left() -> None:
    """Four hands of 14 with a hidden card each need an ace; there is none for a fifth, in any order."""
    unseen = [0, *(4 for _ in range(10))]
    assert possible([_passed(5, 9)] * 4, unseen)
    assert not possible([_passed(5, 9)] * 5, unseen)
    assert not possible([*[_passed(5, 9)] * 4, _passed(4, 9, hidden=1), _passed(10, 4)], unseen)
    assert possible([*[_passed(5, 9)] * 4, *[_passed(4, 9)] * 4], unseen)
    assert not possible([*[_passed(5, 9)] * 3, *[_passed(4, 9)] * 6], unseen)
    assert possible([*[_passed(5, 9)] * 3, *[_passed(4, 9)] * 5], unseen)
