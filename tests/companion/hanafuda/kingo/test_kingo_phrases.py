"""Kingo's explanations: hands as JSON and text, ends of rounds, problems of moves."""

from typing import Any

import pytest

from companion.hanafuda.cards import CardTwiceError, UnknownCardError
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.games.kingo import POT_RANKS, RANKS, TEYAKU, NotPlayedError, score_hand
from companion.hanafuda.games.kingo.rules import KingoBankRules, KingoRules
from companion.hanafuda.messages import Message
from companion.hanafuda.round import Problem
from companion.hanafuda.rules import PRESETS
from companion.messages import render, with_texts
from tests.companion.hanafuda.kingo.kingo_tables import (
    cases,
    dealt_of,
    lay_out,
    months_of,
    move_of,
    play,
    rules_of,
    situation_of,
    split,
)
from tests.message_text import raises_text

POT, BANK = PRESETS["kingo"], PRESETS["kingo-bank"]
assert isinstance(POT, KingoRules)
assert isinstance(BANK, KingoBankRules)


# --- a hand


def test_a_hand_as_json() -> None:
    answer = with_texts(score_hand(["peony-ribbon", "wisteria-cuckoo", "iris-bridge"], BANK).to_dict(), "en")
    assert answer == {
        "yaku": [
            {
                "name": "shigoro",
                "ja": "シゴロ",
                "romaji": "shigoro",
                "en": "Shigoro",
                "points": 15,
                "times": 2,
                "cards": ["wisteria-cuckoo", "iris-bridge", "peony-ribbon"],
                "why": "a four, a five and a six",
                "reason": {"code": "kingo-takes-shigoro"},
            }
        ],
        "base": 15,
        "total": 15,
        "rank": {"name": "shigoro", "ja": "シゴロ", "romaji": "shigoro", "en": "Shigoro"},
        "bareta": False,
        "times": 2,
        "strength": [-6, 0],
        "role": "bettor",
        "why": "4 + 5 + 6 = 15: Shigoro, a bettor is paid 2 times.",
        "reason": {
            "code": "kingo-why-rank-bettor",
            "params": {"sum": "4 + 5 + 6 = 15", "yaku": {"code": "yaku-shigoro"}, "times": 2},
        },
        "missing": [],
        "rules": {"name": "kingo-bank", "hash": BANK.hash},
    }


def test_yaku_that_one_more_card_would_make() -> None:
    answer = with_texts(score_hand(["iris-bridge", "iris-ribbon"], POT).to_dict(), "en")
    assert answer["yaku"] == []
    assert answer["missing"] == [
        {
            "yaku": "kingo",
            "ja": "きんご",
            "en": "Kingo",
            "needs": ["iris-chaff-1", "iris-chaff-2"],
            "count": 1,
        }
    ]
    missing = score_hand(["wisteria-cuckoo"], BANK, "dealer").to_dict()["missing"]
    assert [(each["yaku"], len(each["needs"])) for each in missing] == [("shippin", 4)]
    missing = score_hand(["susuki-moon"], BANK).to_dict()["missing"]
    assert [(each["yaku"], len(each["needs"])) for each in missing] == [("ittan-juuroku", 3)]
    # At 14 a card may still come; at 15 none does.
    assert score_hand(["clover-boar", "clover-ribbon"], BANK).to_dict()["missing"][0]["yaku"] == "arashi"
    four = ["iris-bridge", "iris-ribbon", "wisteria-cuckoo", "pine-crane"]
    assert score_hand(four, BANK).to_dict()["missing"] == []
    four[0] = "wisteria-ribbon"
    assert [each["yaku"] for each in score_hand(four, BANK).to_dict()["missing"]] == ["goshita-gomai"]


@pytest.mark.parametrize(
    ("rules", "cards", "en", "ja"),
    [
        (POT, ["maple-deer"], "10.", "10点。"),
        (POT, ["maple-deer", "wisteria-cuckoo"], "4 + 10 = 14.", "4 + 10 = 14点。"),
        (POT, ["maple-deer", "iris-bridge"], "5 + 10 = 15.", "5 + 10 = 15点。"),
        (POT, ["maple-deer", "peony-ribbon"], "6 + 10 = 16: Bareta.", "6 + 10 = 16点：バレタ。"),
        (
            POT,
            ["iris-bridge", "iris-ribbon", "iris-chaff-1"],
            "5 + 5 + 5 = 15: Kingo, the pot times 3.",
            "5 + 5 + 5 = 15点：きんご、賭け3倍。",
        ),
        (
            BANK,
            ["maple-deer", "peony-ribbon"],
            "6 + 10 = 16: Ittan-juuroku, a bettor is paid 3 times.",
            "6 + 10 = 16点：いったん十六、子は3倍。",
        ),
        (
            BANK,
            ["pine-crane", "pine-ribbon", "plum-ribbon", "cherry-ribbon", "iris-ribbon"],
            "1 + 1 + 2 + 3 + 5 = 12: Goshita Gomai.",
            "1 + 1 + 2 + 3 + 5 = 12点：五下五枚。",
        ),
    ],
)
def test_why_a_hand_is_worth_that(rules: Any, cards: list[str], en: str, ja: str) -> None:
    answer = with_texts(score_hand(cards, rules).to_dict(), "en")
    assert (answer["why"], render(Message.from_dict(answer["reason"]), "ja")) == (en, ja)


def test_a_bareta_hand_as_json() -> None:
    answer = with_texts(score_hand(["maple-deer", "peony-ribbon"], POT).to_dict(), "en")
    assert (answer["bareta"], answer["yaku"], answer["base"], answer["total"]) == (True, [], 16, 16)
    assert answer["rank"]["name"] == "bareta"
    assert answer["missing"] == []


@pytest.mark.parametrize(
    ("cards", "error", "says"),
    [
        ([], BadRequestError, "a hand of Kingo needs at least one card"),
        (["pine-crane", "pine-crane"], CardTwiceError, "pine-crane"),
        (["pine-crow"], UnknownCardError, "pine-crane"),
        (["willow-swallow"], NotPlayedError, "hanafuda without willow and paulownia"),
        (["kabu-1-a"], NotPlayedError, "hanafuda"),
        ([3], UnknownCardError, "3"),
    ],
)
def test_invalid_hands(cards: list[Any], error: type[Exception], says: str) -> None:
    with raises_text(error, match=says):
        score_hand(cards, POT)


def test_kabufuda_hands() -> None:
    answer = with_texts(
        score_hand(["kabu-6-a", "kabu-4-a", "kabu-5-d"], KingoRules(deck="kabufuda")).to_dict(), "en"
    )
    assert answer["yaku"][0]["cards"] == ["kabu-4-a", "kabu-5-d", "kabu-6-a"]
    with raises_text(NotPlayedError, match="kabufuda, kabu-1-a to kabu-10-d"):
        score_hand(["pine-crane"], KingoRules(deck="kabufuda"))


# --- ranks


def test_the_ten_ranks_in_the_order_of_the_text() -> None:
    assert [rank.slug for rank in RANKS] == [
        "kingo", "arashi", "goshita-gomai", "ittan-juuroku", "shippin", "kuppin", "shigoro", "fifteen", "goppin",
        "below", "bareta",
    ]  # fmt: skip
    assert [rank.slug for rank in POT_RANKS] == ["kingo", "shigoro", "fifteen", "below", "bareta"]
    assert {rank.slug: rank.times for rank in RANKS if rank.times > 1} == {
        "kingo": 3, "arashi": 2, "ittan-juuroku": 3, "shigoro": 2,
    }  # fmt: skip
    assert [rank.slug for rank in RANKS if "bettor" not in rank.holders] == ["shippin", "kuppin", "goppin"]
    assert [rank.slug for rank in RANKS if "dealer" not in rank.holders] == ["arashi", "goshita-gomai"]
    assert list(TEYAKU) == [rank.slug for rank in RANKS if rank.slug not in {"fifteen", "below", "bareta"}]


def test_ranks_are_named() -> None:
    for rank in RANKS:
        assert rank.ja
        assert rank.romaji == rank.romaji.lower()
        assert rank.source.startswith("FudaWiki")
        assert render(rank.takes) != render(rank.takes, "ja")
        if rank.teyaku:
            assert rank.option in KingoBankRules.options()


# --- why a round ended


def _why(line: tuple[str, str, str]) -> tuple[str, str]:
    rules, situation, hands = line
    reported = [months_of(hand.strip()) for hand in hands.split(",")]
    played = lay_out(rules_of(rules), situation_of(situation), [months for months, _ in reported])
    play(played, reported)
    outcome = played.outcome()
    assert outcome is not None
    return render(outcome.why), render(outcome.why, "ja")


@pytest.mark.parametrize(
    ("line", "en", "ja"),
    [
        (
            ("kingo", "wager=2", "4-5-6, 10-6!, 10-5, 9-8!"),
            "With Shigoro (15), player 1 takes the pot of 24 stones; a wager is 2 stones; times 2 for the teyaku;"
            " doubled for player 2 and player 4 (bareta).",
            "1番がシゴロ（15点）で24個を取る、賭けは2個、手役で2倍、バレタの2番と4番は倍。",
        ),
        (
            ("kingo", "", "10-4, 9-5, 10-3"),
            "With 14 each, player 2 and player 1 share the pot of 3 stones: 2 stones to player 2 and 1 stone to player 1;"
            " a wager is 1 stone.",
            "2番と1番が14点で3個を分ける（2番に2個と1番に1個）、賭けは1個。",
        ),
        (
            ("kingo", "stones=20,1,2", "5-5-5, 10-6!, 10-4"),
            "With Kingo (15), player 1 takes the pot of 6 stones; a wager is 1 stone; times 3 for the teyaku;"
            " doubled for player 2 (bareta); only what was left from player 2 and player 3.",
            "1番がきんご（15点）で6個を取る、賭けは1個、手役で3倍、バレタの2番は倍、2番と3番は有るだけ。",
        ),
        (
            ("kingo", "", "10-6!, 9-8!"),
            "All players are bareta: the wagers go back, and the same dealer deals again.",
            "全員バレタ：賭けは戻り、同じ親が配り直す。",
        ),
        (
            ("kingo-bank tera_zen=10", "wagers=10,2,3", "10-3, 4-5-6, 10-2, 9-8!"),
            "Against the dealer’s 13, player 2 has Shigoro (15) and wins 18 stones, after 2 stones for the house."
            " Against the dealer’s 13, player 3 has 12 and loses 2 stones. Bareta: player 4 loses 3 stones.",
            "2番はシゴロ（15点）、親は13点：18個を得る（寺銭2個）。3番は12点、親は13点：2個を失う。4番はバレタで3個を失う。",
        ),
        (
            ("kingo-bank", "wagers=1,2 stones=1,5,5", "10-7!, 10-5, 10-4"),
            "Against the dealer’s bareta, player 2 has 15 and wins 1 stone."
            " Against the dealer’s bareta, player 3 has 14 and wins 0 stones, all that the dealer has left.",
            "2番は15点、親はバレタ：1個を得る。3番は14点、親はバレタ：0個を得る（親の残り全部）。",
        ),
        (
            ("kingo-bank", "wagers=1", "10-5, 9-6"),
            "Against the dealer’s 15, player 2 has 15 and takes the wager back.",
            "2番は15点、親は15点：賭けを取り戻す。",
        ),
    ],
)
def test_why_a_round_ended(line: tuple[str, str, str], en: str, ja: str) -> None:
    assert _why(line) == (en, ja)


# --- what is wrong with a move


def _problems() -> dict[str, list[Problem]]:
    """Return every problem that the moves table knows, by code."""
    found: dict[str, list[Problem]] = {}
    for case in cases("kingo-moves"):
        rules, dealt, before, move, _ = map(str, case.values)
        played = dealt_of(rules_of(rules), dealt)
        for text in split(before):
            played.push(move_of(played, text))
        for problem in played.check(move_of(played, move)):
            found.setdefault(problem.code, []).append(problem)
    return found


PROBLEMS = _problems()


@pytest.mark.parametrize(
    ("code", "en"),
    [
        ("out-of-turn", "player 2 draws Bridge, but it is player 1's turn"),
        ("round-over", "the round is over"),
        ("no-such-player", "there is no player 3 with cards: the players are player 1 and player 2"),
        ("no-such-move", "player 1 wagers 2 stones, which is possible only in the banking form"),
        ("draw-first", "player 1 passes with 1 card, but must draw a card first"),
        ("drew-at-fifteen", "player 1 draws Crane and Sun, but the hand is 15: nobody draws at 15 or more"),
        ("bareta-passed", "player 1 passes, but the hand is bareta (16), which must be announced"),
        ("bareta-draws", "player 1 draws Crane and Sun, but the hand is bareta (16), which must be announced"),
        ("no-bareta", "player 1 calls bareta, but the hand is 15"),
        ("card-not-reported", "player 1 draws a card, but hands are face up here: say which card it is"),
        (
            "hidden-contradiction",
            "player 1 passes (hand: ?), which no unseen cards allow: no such hand may pass",
        ),
        (
            "hidden-contradiction",
            "player 1 draws a card (hand: Sake Cup, Bridge, ?, and ?), which no unseen cards allow:"
            " nobody draws at 15 or more, and every hidden hand must have been played legally",
        ),
        ("nothing-hidden", "player 2 shows Bush Warbler, but the whole hand is known: Curtain and Chrysanthemum Blue Ribbon"),
        ("showdown", "player 2 draws Bush Warbler, but everyone has played: hidden hands are shown now"),
        ("not-in-hand", "player 2 keeps Sake Cup, but was dealt Butterflies, Boar, and Full Moon"),
        ("chosen-already", "player 1 keeps Cuckoo, but plays all three cards"),
        ("chosen-already", "player 2 keeps Butterflies, but has already chosen"),
        ("too-early", "player 2 wagers 1 stone, but first a card must be chosen by player 1"),
        ("too-early", "player 2 draws Iris Ribbon, but first a card must be chosen by player 1"),
        ("too-early", "player 2 draws Bridge, but first a wager must be placed by player 2"),
        ("wrong-wager", "player 2 wagers 11 stones, but a wager is 1 to 10 stones here"),
        ("dealer-wagers", "player 1 wagers 1 stone, but the dealer places no wager"),
        ("wagered-already", "player 2 wagers 2 stones, but has already placed 1 stone"),
        ("redeal-too-late", "player 1 asks for a new deal, but that is possible only before choosing a card"),
        ("no-redeal", "player 2 asks for a new deal, which takes three cards of October, but was dealt Deer, Maple Blue Ribbon, and Sake Cup"),
        ("tsun-too-low", "player 2 passes, but the hand is 7: a pass needs 12 or more, or a teyaku"),
    ],
)  # fmt: skip
def test_problems_in_words(code: str, en: str) -> None:
    assert en in {render(problem.text) for problem in PROBLEMS[code]}


@pytest.mark.parametrize(
    ("code", "ja"),
    [
        ("nothing-hidden", "2番：梅に鶯を見せる。手札はすべて分かっている：桜に幕と菊に青短"),
        ("not-in-hand", "2番：菊に盃を残す。配られたのは牡丹に蝶、萩に猪、芒に月"),
        ("not-in-hand", "2番：一枚を残す。配られたのは牡丹に蝶、萩に猪、芒に月"),
        ("no-redeal", "1番：配り直しを求める。紅葉（十）三枚のときだけ。配られたのは?、?、?"),
        (
            "hidden-contradiction",
            "1番：パス（手札：?）が、見えていない札のどれでもありえない：止まれる手札にならない",
        ),
        ("tsun-too-low", "2番：パス。手札は7点。つんは12点から、または手役で"),
        ("wrong-wager", "2番：11個賭ける。賭けは1〜10個"),
        ("out-of-turn", "2番：菖蒲に八橋をめくる。1番の番"),
        ("no-bareta", "1番：バレタ。手札は15点"),
    ],
)
def test_problems_in_japanese(code: str, ja: str) -> None:
    assert ja in {render(problem.text, "ja") for problem in PROBLEMS[code]}


def test_every_problem_has_a_japanese_message() -> None:
    for problems in PROBLEMS.values():
        for problem in problems:
            assert any(ord(letter) > 0x3000 for letter in render(problem.text, "ja"))
            assert problem.to_dict() == {
                "code": problem.code,
                "reason": problem.text.to_dict(),
            }


def test_no_problem_is_left_without_a_line() -> None:
    assert set(PROBLEMS) >= {
        "out-of-turn", "round-over", "no-such-player", "no-such-move", "draw-first", "drew-at-fifteen", "bareta-passed",
        "bareta-draws", "no-bareta", "card-not-reported", "hidden-contradiction", "nothing-hidden", "showdown", "not-in-hand",
        "chosen-already", "too-early", "wrong-wager", "dealer-wagers", "wagered-already", "redeal-too-late", "no-redeal",
        "tsun-too-low",
    }  # fmt: skip
