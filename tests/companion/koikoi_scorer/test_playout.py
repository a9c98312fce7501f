"""Playouts: every one is a legal round, and ends as the general round says."""

from random import Random

import pytest
from koikoi_tables import ROUND, random_round_rules

from companion.cards import HANAFUDA
from companion.koikoi import KoiKoiRound, Playout, Scorer, play_out
from companion.rules import KoiKoiRules, resolve


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
        assert again.owes() is None
    return again


def _agrees(played: Playout) -> None:
    again = _replayed(played)
    outcome = again.outcome()
    assert outcome is not None, played
    assert (outcome.how, outcome.points) == (played.how, played.points), played.record()
    assert outcome.winners == ((played.winner,) if played.winner else ())
    assert again.turns() == played.record()["turns"]


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
