"""A game of Kakkuri: dealer, pot, and end."""

from random import Random

from kakkuri_builders import codes, play, round_of, rules_of

from companion.hanafuda.games.kakkuri import KakkuriMatch, KakkuriRound
from companion.messages import render
from tests.message_text import raises_text

GURI = "{0} box C5; {0} C6 C7 C8 C9 C10 C11"


def guri(rules: str, player: int, players: int = 7, pot: int = 0) -> KakkuriRound:
    """Return a round that its dealer wins by Guri: 2 shares from each."""
    table = f"players={players} dealer={player} pot={pot}"
    return play(round_of(rules, table, f"{player}: C6 C7 C8 C9 C10 C11"), GURI.format(player))


def test_seven_play_from_the_first() -> None:
    game = KakkuriMatch(rules_of("kakkuri"))
    assert (game.players, game.dealer, game.pot, game.played) == (7, 1, 0, 0)
    assert game.stakes == (20,) * 7
    assert game.outcome() is None


def test_the_winner_deals_and_the_game_ends_with_a_stake() -> None:
    rules = "kakkuri players=2_to_8 stakes=6"
    game = KakkuriMatch(rules_of(rules), players=3, dealer=2)
    game.push(guri(rules, 2, 3))
    assert (game.dealer, game.points, game.stakes) == (2, (-2, 4, -2), (4, 10, 4))
    assert repr(game) == (
        f"<KakkuriMatch by {game.rules.name}: 3 players, 1 rounds played, dealer 2, points (-2, 4, -2)>"
    )
    game.push(guri(rules, 2, 3))
    assert game.outcome() is None, "2 shares are left"
    game.push(guri(rules, 2, 3))
    assert game.stakes == (0, 18, 0)
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.winners == (2,)
    assert (render(outcome.why), render(outcome.why, "ja")) == (
        "Out of shares: player 1 and player 3.",
        "1番と3番の持ち点がなくなった。",
    )
    game.pop()
    assert game.outcome() is None


def test_a_game_by_rounds() -> None:
    rules = "kakkuri players=2_to_8 stakes=0 rounds=2"
    game = KakkuriMatch(rules_of(rules), players=3)
    game.push(guri(rules, 1, 3))
    assert game.outcome() is None
    lost = play(
        round_of(rules, "players=3 dealer=1", "2: C6 C7 C8 C9 C10 C11"),
        "1 box C5; 1 S6; 1 pass; 2 C7 C8 C9 C10 C11; 2 pass; 3 pass; 1 pass; 2 box U5; 2 C6",
    )
    assert lost.outcome().points == (-2, 4, -2)  # type: ignore[union-attr]
    game.push(lost)
    assert (game.dealer, game.points) == (2, (2, 2, -4))
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.winners == (1, 2), "equal shares win together"
    assert (render(outcome.why), render(outcome.why, "ja")) == ("All 2 rounds are played.", "2局を終えた。")


def test_a_redeal_does_not_count_as_a_round_of_the_game() -> None:
    rules = "kakkuri dropout_dealer=redeal rounds=1"
    game = KakkuriMatch(rules_of(rules), players=8)
    game.push(round_of(rules, "players=8", "1: C3 ? ? ? ? ?"))
    assert (game.played, game.dealer, game.outcome()) == (0, 1, None)


def test_the_pot_of_a_void_round_carries_over() -> None:
    rules = "kakkuri must_play=none box_empty=void"
    void = "; ".join(f"1 box {card}; 1-7 pass" for card in ("C3", "C4", "C5", "C7", "C9", "S9"))
    game = KakkuriMatch(rules_of(rules))
    game.push(play(round_of(rules), void))
    assert (game.pot, game.dealer, game.points) == (42, 1, (-6,) * 7)
    assert codes(game.check(guri(rules, 1))) == ["wrong-pot"]
    assert (
        render(game.check(guri(rules, 1))[0].text)
        == "the round began with 0 shares in the pot, but there were 42"
    )
    with raises_text(ValueError, match="there were 42"):
        game.push(guri(rules, 1))
    assert game.shuffled(Random(1)).pot == 42
    game.push(guri(rules, 1, pot=42))
    assert (game.pot, game.points) == (0, (48, -8, -8, -8, -8, -8, -8))


def test_the_next_round_is_dealt_by_the_next_dealer() -> None:
    rules = "kakkuri players=5_to_8"
    game = KakkuriMatch(rules_of(rules), players=5, dealer=3)
    dealt = game.shuffled(Random(4))
    assert (dealt.dealer, dealt.players, dealt.rules) == (3, 5, game.rules)
    assert codes(game.check(dealt)) == ["round-unfinished"]


def test_the_winner_may_pass_the_deal_on() -> None:
    rules = "kakkuri deal_pass=true"
    game = KakkuriMatch(rules_of(rules), dealer=7)
    with raises_text(ValueError, match="only the winner of the last round"):
        game.pass_deal()
    game.push(guri(rules, 7))
    assert game.dealer == 7
    game.pass_deal()
    assert game.dealer == 1
    with raises_text(ValueError, match="only once"):
        game.pass_deal()
    game.push(guri(rules, 1))
    game.pass_deal()
    assert game.dealer == 2
    assert game.pop().next_dealer == 2
    assert game.dealer == 1


def test_the_deal_is_passed_on_only_if_the_rules_allow_it() -> None:
    game = KakkuriMatch(rules_of("kakkuri"))
    game.push(guri("kakkuri", 1))
    with raises_text(ValueError, match="deal_pass is off"):
        game.pass_deal()


def test_a_whole_evening() -> None:
    """Shares only change hands; a debt of the last round is paid in full."""
    for preset in ("kakkuri", "kakkuri-porges"):
        rng = Random(20)
        game = KakkuriMatch(rules_of(preset), players=8)
        while game.outcome() is None:
            played = game.shuffled(rng)
            while moves := played.legal_moves():
                played.push(rng.choice(moves))
            game.push(played)
            assert sum(game.points) + game.pot == 0
        assert min(game.stakes) <= 0
        assert game.played >= 3
