"""Rounds of Kakkuri through the public API: deals, moves, text form, problems of illegal moves."""

from random import Random

import pytest
from kakkuri_builders import codes, keep_all, moves_of, play, round_of, rules_of

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.games.kakkuri import (
    Discard,
    DropOut,
    KakkuriRound,
    LuckyHand,
    OpenBox,
    Pass,
    PlayerState,
    Swap,
    ThreePairs,
)
from companion.hanafuda.round import Deal, IllegalMoveError
from companion.hanafuda.simulation import round_of_text
from companion.messages import error_text, render
from tests.message_text import raises_text

HAND = "1: C6 S6 U7 O9 S10 O11"
SEQUENCE = "1: C6 C7 C8 C9 C10 C11"


# --- deals


@pytest.mark.parametrize(
    ("rules", "table", "hands", "expected"),
    [
        ("kakkuri", "", "", []),
        ("kakkuri", "players=8", "4: C3 ? ? ? ? ?", []),
        ("kakkuri", "players=6", "", ["wrong-players"]),
        ("kakkuri players=5_to_8", "players=6", "", []),
        ("kakkuri players=5_to_8", "players=4", "", ["wrong-players"]),
        ("kakkuri players=2_to_8", "players=2", "", []),
        ("kakkuri", "", "1: C6 S6 U7 O9 S10", ["wrong-hand"]),
        ("kakkuri", "", "1: C6 S6 U7 O9 S10 O11 O12", ["wrong-hand"]),
        ("kakkuri", "", "box: C6 S6 U7 O9 S10", ["wrong-box"]),
        ("kakkuri", "", "1: C6 S6 U7 O9 S10 S10", ["card-twice"]),
        ("kakkuri", "", "1: C6 S6 U7 O9 S10 O11; 2: C6 S6 ? ? ? ?", ["card-twice", "card-twice"]),
        ("kakkuri", "", "1: C6 S6 U7 O9 S10 O11; box: C6 ? ? ? ? ?", ["card-twice"]),
        ("kakkuri", "players=8", "", ["no-dropout"]),
        ("kakkuri", "players=8", "4: C3 C4 C5 C6 C7 C8; box: C8 C7 C6 C5 C4 C3", []),
        ("kakkuri", "players=8", "4: C3 C4 C5 C6 C7 C8; box: C8 C7 C6 C5 C4 S3", ["wrong-box"]),
        ("kakkuri", "players=8", "4: C3 C4 C5 C6 C7 C8; box: C8 C7 C6 C5 C4", ["wrong-box"]),
        ("kakkuri", "players=8", "4: C3 C4 C5 C6 C7 C8; box: C8 C7 C6 C5 C4 C4", ["card-twice"]),
        ("kakkuri", "players=8", "4: C3 ? ? ? ? ?; box: C8 C7 C6 C5 C4 S3", []),
        ("kakkuri", "players=8", "4: C3 ? ? ? ? ?; 1: S3 ? ? ? ? ?; box: C8 S3 ? ? ? ?", ["wrong-box"]),
    ],
)
def test_the_faults_of_a_deal(rules: str, table: str, hands: str, expected: list[str]) -> None:
    assert codes(round_of(rules, table, hands).status()) == expected


def test_the_error_for_a_card_of_another_deck_names_that_deck() -> None:
    with raises_text(
        BadRequestError, match="48 mekurifuda cards of these rules; the option deck may be hanafuda"
    ):
        round_of("kakkuri", "", "1: pine-crane ? ? ? ? ?")
    with raises_text(BadRequestError, match=r"no card 'onifuda'.*clubs-1 to coins-12"):
        round_of("kakkuri", "", "1: onifuda ? ? ? ? ?")


@pytest.mark.parametrize("players", range(2, 9))
def test_shuffled_deals(players: int) -> None:
    played = KakkuriRound.shuffled(rules_of("kakkuri-porges"), Random(players), players=players, dealer=2)
    assert played.status() == []
    assert [len(hand) for hand in played.deal.hands] == [6] * players
    assert len(played.deal.stock) == (6 if players == 8 else 48 - 6 * players)
    assert played.deal.field == ()
    assert (played.dealer, played.players, played.situation()) == (2, players, {"pot": 0})
    if players == 8:
        (out,) = [hand for hand in played.deal.hands if "clubs-3" in hand]
        assert sorted(played.deal.stock) == sorted(out)
        assert played.deal.stock != out
    same = KakkuriRound.shuffled(rules_of("kakkuri-porges"), Random(players), players=players, dealer=2)
    assert played == same


def test_seven_players_by_default() -> None:
    assert KakkuriRound.shuffled(rules_of("kakkuri"), Random(1)).players == 7
    assert KakkuriRound.shuffled(rules_of("kakkuri"), Random(1)).dealer == 1


@pytest.mark.parametrize(
    ("rules", "players"),
    [("kakkuri", 6), ("kakkuri", 9), ("kakkuri players=5_to_8", 4), ("kakkuri-porges", 1)],
)
def test_too_few_or_too_many_are_refused(rules: str, players: int) -> None:
    with raises_text(BadRequestError, match=f"not {players}: the option players may be 5_to_8 or 2_to_8"):
        KakkuriRound.shuffled(rules_of(rules), Random(1), players=players)


@pytest.mark.parametrize("none", [-1, 0, 8])
def test_invalid_player_numbers(none: int) -> None:
    dealt = KakkuriRound.shuffled(rules_of("kakkuri"), Random(1))
    with pytest.raises(IndexError, match=f"no player {none}: they are 1 to 7"):
        dealt.score(none)
    with raises_text(BadRequestError, match=f"dealer must be a whole number from 1 to 7, not {none}"):
        KakkuriRound(dealt.rules, dealt.deal, dealer=none)


def test_a_redeal_deals_until_the_dealer_stays_in() -> None:
    rules = rules_of("kakkuri dropout_dealer=redeal")
    for seed in range(30):
        played = KakkuriRound.shuffled(rules, Random(seed), players=8, dealer=3)
        assert "clubs-3" not in played.deal.hands[2]
        assert played.outcome() is None or played.outcome().how == "lucky-hand"  # type: ignore[union-attr]


def test_a_redeal_does_not_count_as_a_round() -> None:
    outcome = round_of("kakkuri dropout_dealer=redeal", "players=8", "1: C3 ? ? ? ? ?").outcome()
    assert outcome is not None
    assert (outcome.how, outcome.counts, outcome.winners) == ("redeal", False, ())
    assert render(outcome.why) == "The dealer was dealt the card that drops out: the cards are dealt again."


# --- moves


def test_the_player_to_move() -> None:
    played = round_of("kakkuri", "dealer=3", "3: C6 S6 U7 O9 S10 O11")
    order = []
    while played.legal_moves() == [Swap(played.to_move or 0, True), Swap(played.to_move or 0, False)]:
        order.append(played.to_move)
        played.push(played.legal_moves()[1])
    assert order == [4, 5, 6, 7, 1, 2]
    assert played.to_move == 3
    play(played, "3 box C5; 3 C6; 3 pass")
    assert played.to_move == 4


def test_legal_moves_with_the_hand_known() -> None:
    played = play(round_of("kakkuri", "", "1: C6 S6 U6 C7 C1 O2"), "1 box C5; 1 C6")
    mine = [move for move in played.legal_moves() if move.player == 1]
    assert mine == [
        Discard(1, ("clubs-1",)),
        Discard(1, ("clubs-7",)),
        Discard(1, ("coins-2",)),
        Pass(1),
    ]


def test_legal_moves_before_the_box_is_opened() -> None:
    played = round_of("kakkuri", "", f"{HAND}; box: C5 S7 U8 O8 C9 S9")
    keep_all(played)
    legal = played.legal_moves()
    assert [move for move in legal if isinstance(move, OpenBox)] == [OpenBox(1, "clubs-5")]
    assert [move.player for move in legal if isinstance(move, LuckyHand)] == [2, 3, 4, 5, 6, 7]
    assert not any(isinstance(move, Pass | DropOut | Discard | Swap) for move in legal)


def test_an_illegal_move_is_refused_with_every_problem() -> None:
    played = play(round_of("kakkuri", "", HAND), "1 box C5")
    with pytest.raises(IllegalMoveError) as error:
        played.push(Discard(2, ("clubs-6", "swords-9")))
    assert codes(error.value.problems) == ["out-of-turn", "not-in-hand", "pairs-undeclared", "no-set"]
    assert error_text(error.value).startswith(
        "it is player 1's turn, not player 2's; player 2 discarded 6 of Clubs"
    )


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        (Pass(0), ["no-such-player"]),
        (Pass(8), ["no-such-player"]),
        (Discard(1, ()), ["no-card"]),
        (Discard(1, ("clubs-6", "clubs-6")), ["card-twice"]),
        (Discard(1, ("onifuda",)), ["unknown-card"]),
        (Discard(1, ("clubs-6", "pine-crane")), ["unknown-card"]),
        (OpenBox(1, "onifuda"), ["box-closed", "unknown-card"]),
        (Discard(1, ("clubs-6", "swords-6", "cups-7", "coins-9", "swords-10")), ["four-at-once", "no-set"]),
        (Discard(1, ("cups-6",)), ["not-in-hand"]),
        (Discard(1, ("clubs-5",)), ["not-in-hand", "wrong-number"]),
    ],
)
def test_invalid_moves(move: object, expected: list[str]) -> None:
    played = play(round_of("kakkuri", "", HAND), "1 box C5")
    assert codes(played.check(move)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rules", "hands", "so_far", "move", "sentence"),
    [
        (
            "kakkuri",
            HAND,
            "1 box C5",
            "1 U7",
            "7 of Cups (number 7) was discarded on 5 of Clubs, where 6 may follow",
        ),
        (
            "kakkuri",
            "1: S3 S6 U7 O9 S10 O11",
            "1 box C1",
            "1 S3",
            "3 of Swords (number 3) was discarded on 1 of Clubs (Dragon), where 1 or 2 may follow",
        ),
        (
            "kakkuri-porges",
            "1: C1 S6 U7 O9 S10 O11",
            "1 box C5",
            "1 C1=9",
            "1 of Clubs (Dragon) (number 9) was discarded on 5 of Clubs, where 6 may follow",
        ),
        (
            "kakkuri-porges",
            "1: C1 S6 U7 O9 S10 O11",
            "1 box C12",
            "1 C1",
            "which number does 1 of Clubs (Dragon) stand for? On 12 of Clubs (King) it may be any number",
        ),
        (
            "kakkuri",
            HAND,
            "1 box C5",
            "1 pass",
            "player 1 passed without a discard on 5 of Clubs, but could discard 6 of Clubs and 6 of Swords:"
            " the first card is not optional",
        ),
        (
            "kakkuri",
            HAND,
            "1 box C5",
            "1 U6",
            "player 1 discarded 6 of Cups, which is not in the hand: the hand is 6 of Clubs, 6 of Swords,"
            " 10 of Swords (Maid), 7 of Cups, 9 of Coins, and 11 of Coins (Horse)",
        ),
        (
            "kakkuri",
            HAND,
            "1 box C5; 1 C6; 1 pass",
            "2 C6",
            "player 2 discarded 6 of Clubs, which is not in the hand: it is on the discard pile",
        ),
        (
            "kakkuri",
            f"{HAND}; box: ? ? ? ? ? S7",
            "1 box C5; 1 C6; 1 pass",
            "2 S7",
            "player 2 discarded 7 of Swords, which is not in the hand: it is in the box",
        ),
        (
            "kakkuri",
            HAND,
            "1 box C5; 1 C6; 1 pass",
            "2 U7",
            "player 2 discarded 7 of Cups, which is not in the hand: player 1 holds it",
        ),
        (
            "kakkuri",
            "1: C9 S9 O9 U9 C8 ?",
            "1 box C11",
            "1 S12+U12+C12",
            "player 1 discarded 12 of Clubs (King), 12 of Swords (King), and 12 of Cups (King) with only 6 cards in the hand",
        ),
        (
            "kakkuri",
            "",
            "1 box C5; 1 pass; 2 C6; 2 pass; 3-7 pass",
            "1 C1",
            "player 1 discarded 1 of Clubs (Dragon), but passed without a discard when 5 of Clubs was on top,"
            " where it could go: a player who can discard a first card must",
        ),
        (
            "kakkuri",
            f"{HAND}; box: C5 S7 U8 O8 C9 S9",
            "",
            "1 box S7",
            "7 of Swords was turned up, but 5 of Clubs is on top of the box",
        ),
        (
            "kakkuri",
            HAND,
            "",
            "1 box C6",
            "6 of Clubs was turned up, but it cannot be in the box: player 1 holds it",
        ),
        ("kakkuri", HAND, "", "1 C6", "player 1 first turns up a card from the box: that begins the play"),
        (
            "kakkuri must_play=none",
            "",
            "1 box C5; 1-7 pass",
            "1 C6",
            "player 1 first turns up a card from the box: everyone passed",
        ),
        (
            "kakkuri",
            "",
            "2 swap",
            "1 swap",
            "player 3 decides first whether to exchange hands with the dealer, not player 1:"
            " each player once, starting on the dealer’s right",
        ),
        (
            "kakkuri",
            "",
            "1 box C5",
            "2 swap",
            "player 2 may not exchange hands with the dealer now: it is allowed after the deal, before the box is opened",
        ),
        (
            "kakkuri swap=false",
            "",
            "",
            "2 swap",
            "player 2 may not exchange hands with the dealer: these rules do not allow it",
        ),
        (
            "kakkuri",
            "3: S1 U1 O1 C5 C6 C7",
            "2-7 keep",
            "1 box C8",
            "the round is over",
        ),
    ],
)
def test_problem_messages_in_english(rules: str, hands: str, so_far: str, move: str, sentence: str) -> None:
    played = play(round_of(rules, "", hands), so_far)
    (asked,) = moves_of(move)
    if not isinstance(asked, Swap):
        keep_all(played)
    assert sentence in [render(problem.text) for problem in played.check(asked)]


def test_the_message_names_the_player_who_must_decide_on_a_swap() -> None:
    played = play(round_of("kakkuri", "", HAND), "2 keep")
    (problem, _) = played.check(Discard(1, ("clubs-6",)))
    assert render(problem.text) == "player 3 has not decided yet whether to exchange hands with the dealer"
    (problem,) = played.check(LuckyHand(4))
    assert problem.code == "swaps-pending"


def test_problem_messages_in_japanese() -> None:
    played = play(round_of("kakkuri", "", HAND), "1 box C5")
    (problem,) = played.check(Pass(1))
    assert (
        render(problem.text, "ja")
        == "1番はハウの五の上にハウの六とイスの六を出せるのに、一枚も出さずにパスした"
    )
    (problem,) = played.check(Discard(1, ("cups-7",)))
    assert render(problem.text, "ja") == "ハウの五の次は6だが、コップの七（7）を出した"


# --- legal states


def test_the_score_of_a_player() -> None:
    played = play(
        round_of("kakkuri-porges pass_penalty=2", "players=3", SEQUENCE), "1 box C5; 1 C6; 1 pass; 2 pass"
    )
    assert [played.score(player) for player in (1, 2, 3)] == [
        PlayerState(cards=5, paid=0, dropped_out=False),
        PlayerState(cards=6, paid=2, dropped_out=False),
        PlayerState(cards=6, paid=0, dropped_out=False),
    ]
    play(played, "3 fold")
    assert played.score(3) == PlayerState(cards=6, paid=1, dropped_out=True)


def test_a_turn_owes_its_end() -> None:
    played = round_of("kakkuri", "", HAND)
    assert played.pending_decision() is None
    keep_all(played)
    assert played.pending_decision() is None
    play(played, "1 box C5")
    pending = played.pending_decision()
    assert pending is not None
    assert pending.code == "turn-unfinished"
    assert render(pending.text) == "player 1's turn has not ended: discard or pass"
    play(played, "1 C6")
    assert played.pending_decision() is not None
    play(played, "1 pass")
    assert played.pending_decision() is None
    assert (
        play(round_of("kakkuri", "", SEQUENCE), "1 box C5; 1 C6 C7 C8 C9 C10 C11").pending_decision() is None
    )


def test_the_turn_after_all_passed_including_oneself_is_a_new_one() -> None:
    rules = "kakkuri players=2_to_8 must_play=none all_pass=including_self"
    played = round_of(rules, "players=2", "1: C6 S8 U8 O9 S10 O11")
    play(played, "1 box C5; 1 C6; 1 pass; 2 pass; 1 pass")
    assert played.pending_decision() is None
    assert played.to_move == 1


@pytest.mark.parametrize(
    ("rules", "table", "hands", "moves", "en", "ja"),
    [
        (
            "kakkuri",
            "",
            "1: C6 C7 C8 C9 C10 U3",
            "1 box C5; 1 C6 C7 C8 C9 C10; 1 pass; 2 S11 S12 S2; 2-7 pass; 1 U3",
            "player 1 wins (All cards discarded): 1 share from each of 6, and 5 shares from the pot.",
            "1番の勝ち（手札を出し切った）：6人から1口ずつ、場代5口。",
        ),
        (
            "kakkuri",
            "",
            SEQUENCE,
            "1 box C5; 1 C6 C7 C8 C9 C10 C11",
            "player 1 wins (Guri: all six cards in one turn): 2 shares from each of 6.",
            "1番の勝ち（グリ（一手番で六枚））：6人から2口ずつ。",
        ),
        (
            "kakkuri",
            "pot=1",
            "3: S1 U1 O1 C5 C6 C7",
            "2-7 keep",
            "player 3 wins (Lucky hand): 3 shares from each of 6, and 1 share from the pot.",
            "3番の勝ち（ウタズ）：6人から3口ずつ、場代1口。",
        ),
        (
            "kakkuri-porges",
            "players=3",
            "",
            "1 box C5; 1 fold; 2 fold",
            "player 3 wins (Everyone else out): 2 shares from the pot.",
            "3番の勝ち（ほかの全員が降りた）：場代2口。",
        ),
        (
            "kakkuri-porges fold_stake=0",
            "players=2",
            "",
            "1 box C5; 1 fold",
            "player 2 wins (Everyone else out).",
            "2番の勝ち（ほかの全員が降りた）。",
        ),
        (
            "kakkuri must_play=none box_empty=void players=2_to_8",
            "players=7 pot=1",
            "",
            "1 box C3; 1-7 pass; 1 box C4; 1-7 pass; 1 box C5; 1-7 pass; 1 box C7; 1-7 pass;"
            " 1 box C9; 1-7 pass; 1 box S9; 1-7 pass",
            "Everyone passed and no card is left to turn up: the round is void, and 43 shares stay in the pot.",
            "全員パスで開ける札がなく流局。場代43口は次の局へ。",
        ),
    ],
)
def test_why_a_round_is_paid_so(rules: str, table: str, hands: str, moves: str, en: str, ja: str) -> None:
    outcome = play(round_of(rules, table, hands), moves).outcome()
    assert outcome is not None
    assert (render(outcome.why), render(outcome.why, "ja")) == (en, ja)
    assert outcome.counts
    assert not outcome.ends_game


# --- unchecked moves


def after_illegal(played: KakkuriRound, text: str) -> KakkuriRound:
    for move in moves_of(text, played.rules.deck):
        played.push(move, unchecked=True)
    return played


def test_a_player_who_plays_out_of_turn_has_the_turn() -> None:
    played = after_illegal(play(round_of("kakkuri"), "1 box C5"), "3 C6")
    assert played.to_move == 3
    assert played.score(3).cards == 5
    play(played, "3 C7; 3 pass; 4 C8")


def test_a_discarded_card_cannot_be_discarded_again() -> None:
    played = after_illegal(play(round_of("kakkuri", "", HAND), "1 box C5"), "1 S3")
    assert codes(played.check(Discard(1, ("cups-4",)))) == ["not-in-hand"]
    assert played.score(1).cards == 5, "one of the six was this card, whatever was reported"
    assert codes(played.check(Discard(1, ("clubs-6",)))) == ["wrong-number"]
    assert codes(played.check(Discard(1, ("swords-3",)))) == ["not-in-hand", "wrong-number"]


def test_a_box_opened_out_of_turn_is_open() -> None:
    played = after_illegal(round_of("kakkuri", "", HAND), "2 box C5")
    assert played.to_move == 2
    assert codes(played.check(OpenBox(2, "clubs-8"))) == ["box-closed"]
    assert codes(played.check(Discard(2, ("cups-6",)))) == []


def test_a_swap_out_of_order_is_a_swap() -> None:
    played = after_illegal(round_of("kakkuri", "", HAND), "4 swap")
    keep_all(played)
    assert not play(played, "1 box C5").check(Discard(1, ("cups-6",)))
    assert codes(played.check(Discard(1, ("clubs-6",)))) == ["not-in-hand"]


def test_unknown_cards_and_numbers_change_nothing() -> None:
    played = play(round_of("kakkuri-porges", "", "1: C1 S6 U7 O9 S10 O11"), "1 box C5")
    played.push(Discard(1, ("onifuda",)), unchecked=True)
    assert played.score(1).cards == 6
    played.push(Discard(1, ("clubs-1",), 99), unchecked=True)
    assert codes(played.check(Discard(1, ("cups-7",)))) == []
    played = round_of("kakkuri")
    played.push(OpenBox(1, "onifuda"), unchecked=True)
    assert played.pending_decision() is not None
    assert codes(played.check(OpenBox(1, "clubs-5"))) == ["box-closed"]


def test_after_the_end_nothing_changes() -> None:
    played = play(round_of("kakkuri", "", SEQUENCE), "1 box C5; 1 C6 C7 C8 C9 C10 C11")
    ended = played.outcome()
    played.push(Pass(2), unchecked=True)
    assert played.outcome() == ended
    assert played.moves[-1] == Pass(2)
    assert played.legal_moves() == []


def test_opening_an_empty_box_is_possible_unchecked() -> None:
    played = KakkuriRound(rules_of("kakkuri"), Deal(((None,) * 6,) * 7, (), ()), dealer=1)
    assert codes(played.status()) == ["wrong-box"]
    played.push(OpenBox(1, "clubs-5"), unchecked=True)
    assert played.to_move == 1


# --- text


def test_the_text_form() -> None:
    played = round_of("kakkuri-porges win_shares=2", "players=3 dealer=2 pot=4", "2: C1 S6 U6 O6 S10 O11")
    play(played, "3 keep; 1 keep; 2 box C5; 2 C1=6; 2 pass; 3 fold; 1 three-pairs")
    text = played.to_text()
    hidden = "? ? ? ? ? ?"
    assert text == "\n".join([
        'kakkuri {"preset": "kakkuri-porges", "win_shares": 2}',
        "dealer 2 pot 4",
        f"hand 1: {hidden}",
        "hand 2: clubs-1 swords-6 cups-6 coins-6 swords-10 coins-11",
        f"hand 3: {hidden}",
        "field:",
        f"stock: {hidden} {hidden} {hidden} {hidden} {hidden}",
        "3 keep",
        "1 keep",
        "2 box clubs-5",
        "2 discard clubs-1 as 6",
        "2 pass",
        "3 fold",
        "1 three-pairs",
        "",
    ])  # fmt: skip
    again = round_of_text(text)
    assert again == played
    assert again.pot == 4


@pytest.mark.parametrize(
    "move",
    [
        Swap(2, True),
        Swap(2, False),
        LuckyHand(3),
        OpenBox(1, "clubs-5"),
        ThreePairs(4),
        Discard(1, ()),
        Discard(1, ("clubs-6",)),
        Discard(1, ("clubs-6", "swords-6", "cups-6")),
        Discard(1, ("clubs-1",), 6),
        Pass(7),
        DropOut(7),
    ],
)
def test_moves_in_words_and_back(move: object) -> None:
    player, *words = str(move).split()
    assert KakkuriRound.read_move(int(player), words) == move


@pytest.mark.parametrize("text", ["jump", "box", "box clubs-5 clubs-6", "pass now", "discard clubs-1 as six"])
def test_words_that_are_not_a_move(text: str) -> None:
    with raises_text(ValueError, match=r"no move of Kakkuri|six"):
        KakkuriRound.read_move(1, text.split())


def test_a_line_without_a_move_is_rejected() -> None:
    with pytest.raises(BadRequestError):
        round_of_text(round_of("kakkuri").to_text() + "1\n")


def test_discards_are_equal_in_any_order() -> None:
    assert Discard(1, ("coins-6", "clubs-6")) == Discard(1, ("clubs-6", "coins-6"))
    assert Discard(1, ("pine-ribbon", "pine-crane")).cards == ("pine-crane", "pine-ribbon")
    assert Discard(1, ("jack", "clubs-6", "ace")).cards == ("clubs-6", "ace", "jack")


def test_a_round_is_not_another_one() -> None:
    played = play(round_of("kakkuri", "", HAND), "1 box C5")
    assert played != round_of("kakkuri", "", HAND)
    assert round_of("kakkuri", "pot=1") != round_of("kakkuri", "pot=2")
    copy = played.copy()
    play(copy, "1 C6")
    assert copy != played
    copy.pop()
    assert copy == played
