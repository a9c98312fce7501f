"""Playouts: every one is a legal round, and ends as the general round says."""

from collections.abc import Sequence
from random import Random

import pytest
from koikoi_tables import ROUND, random_round_rules

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.games.koikoi import KoiKoiRound, Playout, Scorer, play_out
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import record_of


def _scorer(month: int | None = None, **changes: object) -> Scorer:
    rules = resolve(changes)
    assert isinstance(rules, KoiKoiRules)
    return Scorer(rules, month)


def _replayed(played: Playout) -> KoiKoiRound:
    """Play a playout's record again, every move checked."""
    record = played.record()
    again = KoiKoiRound.from_record(record)
    assert again.status() == []
    for turn in record["turns"]:
        for move in again.read_turn(turn):
            problems = again.check(move)
            assert not problems, (record, move, problems)
            again.push(move)
        assert again.pending_decision() is None
    return again


def _agrees(played: Playout) -> None:
    again = _replayed(played)
    outcome = again.outcome()
    assert outcome is not None, played
    assert (outcome.how, outcome.points) == (played.how, played.points), played.record()
    assert outcome.winners == ((played.winner,) if played.winner else ())
    assert record_of(again) == played.record()
    assert all(turn.draw is not None or turn.draw_takes == 0 for turn in played.turns)


def test_the_random_tables_know_every_option_of_a_round() -> None:
    """All that is left out decides who deals the next round, or when the game is over."""
    of_a_round = {
        key
        for key, option in KoiKoiRules.options().items()
        if option.section not in {"points", "yaku", "paying"}
    }
    assert of_a_round - set(ROUND) == {"dealer", "dealer_after_draw", "rounds", "target"}


@pytest.mark.parametrize("seed", range(150))
def test_by_any_rules_it_is_a_round(seed: int) -> None:
    random = Random(seed)
    month = random.choice([None, *range(1, 13)])
    scorer = _scorer(month, **random_round_rules(random))
    for _ in range(3):
        _agrees(play_out(scorer, random, dealer=random.choice((1, 2))))


@pytest.mark.parametrize("preset", KoiKoiRules.presets)
def test_by_the_presets_it_is_a_round(preset: str) -> None:
    rules = resolve(preset)
    assert isinstance(rules, KoiKoiRules)
    random, scorer = Random(preset), Scorer(rules)
    for _ in range(25):
        _agrees(play_out(scorer, random))


def _stacked(order: list[str], seed: int) -> Random:
    """Return a source of chance that deals a deck beginning so, and then says what a seed says."""
    rng = Random(seed)
    rest = [card.id for card in HANAFUDA if card.id not in order]
    rng.shuffle(rest)
    deck, by_lot = [*order, *rest], rng.random
    keys = [deck.index(card.id) / 48 for card in HANAFUDA]
    rng.random = lambda: keys.pop(0) if keys else by_lot()  # type: ignore[method-assign]
    return rng


PINES = [card.id for card in HANAFUDA if card.flower == "pine"]
# Sixteen cards that make no dealt hand: seats take them in turn.
HANDS = [
    f"{flower}-chaff-{number}"
    for number in (1, 2)
    for flower in ("plum", "cherry", "wisteria", "iris", "peony", "clover", "susuki", "chrysanthemum")
]
OTHERS = ["maple-deer", "maple-ribbon", "willow-swallow", "paulownia-yellow"]


@pytest.mark.parametrize("dealer", [1, 2])
@pytest.mark.parametrize("month_cards", [0, 4])
@pytest.mark.parametrize("field_four", ["dealer_takes", "play_on"])
def test_four_of_a_month_on_the_field(dealer: int, month_cards: int, field_four: str) -> None:
    scorer = _scorer(1, field_four=field_four, month_cards=month_cards, four_pairs=0)
    for seed in range(4):
        played = play_out(scorer, _stacked([*HANDS, *PINES, *OTHERS], seed), dealer)
        _agrees(played)
        if field_four == "dealer_takes" and month_cards:
            # The dealer holds the month's cards before he has played: he decides in his first turn.
            assert played.turns[0].call in {"koikoi", "stop"}


@pytest.mark.parametrize(("four_of_a_kind", "points"), [(6, 9), (0, 9), (12, 12)])
def test_of_two_dealt_hands_in_one_the_better_pays(four_of_a_kind: int, points: int) -> None:
    """Four of a month and two pairs are four pairs as well: a four counts as two."""
    scorer = _scorer(four_of_a_kind=four_of_a_kind, four_pairs=9)
    first = [*PINES, *OTHERS[:2], "plum-ribbon", "plum-warbler"]
    second = ["cherry-ribbon", *HANDS[2:5], *HANDS[6:8], "willow-ribbon", "paulownia-phoenix"]
    order = [card for both in zip(first, second, strict=True) for card in both]
    played = play_out(scorer, _stacked(order, 0), 2)
    assert (played.how, played.winner, played.points) == ("teyaku", 2, (0, points))
    _agrees(played)


_ONLY_VIEWINGS = dict.fromkeys(
    ["chaff", "animals", "ribbons", "three_brights", "four_brights", "rainy_four_brights", "five_brights",
     "boar_deer_butterfly", "poetry_ribbons", "blue_ribbons"], 0,
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "seeds"),
    [
        # In one round of a hundred; these are such.
        ({**_ONLY_VIEWINGS, "viewing_spoilt": "field"}, (167, 241, 321, 337, 591, 601, 658, 674)),
        ({**_ONLY_VIEWINGS, "viewing_after_call": 1, "call_min_points": 3, "moon_viewing": 3}, range(60)),
    ],
)
def test_viewings_that_come_and_go(changes: dict[str, object], seeds: Sequence[int]) -> None:
    """A viewing may begin to pay with no card captured, when the willow leaves the field."""
    scorer = _scorer(**changes)
    for seed in seeds:
        _agrees(play_out(scorer, Random(seed)))


def test_the_field_is_dealt_again_only_where_the_rules_ask_for_it() -> None:
    def months(**changes: object) -> set[tuple[int, ...]]:
        random, scorer = Random(3), _scorer(**changes)
        found = set()
        for _ in range(2500):
            field = [card // 4 for card in play_out(scorer, random).deck[16:24]]
            found.add(tuple(sorted((field.count(month) for month in set(field)), reverse=True)))
        return found

    usual = months()
    assert not any(4 in field for field in usual)
    assert {(2, 2, 2, 2), (3, 2, 2, 1)} < usual
    assert (2, 2, 2, 2) not in months(field_pairs="redeal")
    assert not any(3 in field for field in months(field_three="redeal"))
    assert any(4 in field for field in months(field_four="play_on"))
    assert any(4 in field for field in months(field_four="dealer_takes"))
    # Four and two pairs are four pairs as well.
    asked = _scorer(field_four="play_on", field_pairs="redeal")
    for seed in range(3):
        order = [*HANDS, *PINES, *OTHERS[:2], "willow-swallow", "willow-ribbon"]
        assert sorted(play_out(asked, _stacked(order, seed)).deck[16:20]) != [0, 1, 2, 3]


def test_a_wild_lightning_may_take_any_card() -> None:
    random, scorer = Random(4), _scorer(lightning_wild="on")
    lightning = next(card.index for card in HANAFUDA if card.id == "willow-lightning")
    rounds = [play_out(scorer, random) for _ in range(600)]
    took = {
        card
        for each in rounds
        for turn in each.turns
        for played, takes in ((turn.play, turn.takes), (turn.draw, turn.draw_takes))
        if played == lightning
        for card in _cards(takes)
    }
    assert len(took) > 40


def test_player_one_deals_where_nobody_is_named() -> None:
    assert play_out(_scorer(), Random(5)).dealer == 1


def test_the_same_seed_plays_the_same_round() -> None:
    scorer = _scorer()
    assert play_out(scorer, Random(5)) == play_out(scorer, Random(5)) != play_out(scorer, Random(6))


def test_every_end_and_every_choice_turns_up() -> None:
    """A loop that always stops, or always takes the first of two cards, would be legal too."""
    random, scorer = Random(1), _scorer(max_calls=1)
    rounds = [play_out(scorer, random, dealer=number % 2 + 1) for number in range(1500)]
    assert {each.how for each in rounds} >= {"stop", "last-card", "no-call", "exhausted", "teyaku"}
    assert {each.winner for each in rounds} == {0, 1, 2}
    turns = [turn for each in rounds for turn in each.turns]
    taken = {card for turn in turns for takes in (turn.takes, turn.draw_takes) for card in _cards(takes)}
    assert taken == set(range(48))
    said = [turn.call for turn in turns if turn.call]
    assert 0.3 < said.count("koikoi") / len(said) < 0.6
    dealt = [card for each in rounds for card in each.deck[:16:2]]
    # Every card is as likely in the dealer's hand: 250 of 1,500 rounds, give or take five deviations.
    assert all(180 < dealt.count(card) < 320 for card in range(48))


def _cards(cards: int) -> list[int]:
    return [card.index for card in HANAFUDA if card.bit & cards]


@pytest.mark.parametrize("takes_both", [True, False])
def test_of_two_cards_either_is_taken(takes_both: bool) -> None:
    random, scorer = Random(2), _scorer(hand_two_match="all" if takes_both else "choose")
    one_of_two = {True: [0, 0], False: [0, 0]}
    both = 0
    for _ in range(400):
        played = play_out(scorer, random)
        field = sum(HANAFUDA[card].bit for card in played.deck[16:24])
        for turn in played.turns:
            for card, takes, from_hand in (
                (turn.play, turn.takes, True),
                (turn.draw, turn.draw_takes, False),
            ):
                assert card is not None
                matches = [index for index in _cards(field) if index // 4 == card // 4]
                if len(matches) == 2 and takes.bit_count() == 1:
                    one_of_two[from_hand][matches.index(_cards(takes)[0])] += 1
                both += takes.bit_count() == 2
                field = field ^ takes if takes else field | HANAFUDA[card].bit
    assert (both > 0) == takes_both
    for from_hand, (low, high) in one_of_two.items():
        if from_hand and takes_both:
            assert low == high == 0
        else:
            assert 0.4 < low / (low + high) < 0.6
