"""Kekoro's explanations: scores as JSON and text, ends of rounds, problems of moves."""

from typing import Any
from unittest.mock import ANY

import pytest

from companion.hanafuda.cards import to_bits
from companion.hanafuda.games.kekoro import YAKU, YAKU_1921, KekoroMatch, KekoroRound, score, to_dict
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.games.kekoro.scoring import CARD_VALUES
from companion.hanafuda.messages import Message
from companion.hanafuda.round import Deal, Outcome
from companion.hanafuda.rules import PRESETS
from companion.messages import render, with_texts
from tests.companion.hanafuda.kekoro import kekoro_golden as golden

KEKORO = PRESETS["kekoro"]
assert isinstance(KEKORO, KekoroRules)


def _answer(cards: str, rules: KekoroRules = KEKORO) -> Any:
    return with_texts(to_dict(score(golden.cards(cards), rules)), "en")


def test_an_answer_has_the_contracts_shape() -> None:
    answer = _answer("peony-butterflies cherry-curtain iris-bridge willow-ribbon pine-chaff-2")
    assert answer.pop("reason") == {"code": "sentences", "params": ANY}
    assert answer["yaku"][0].pop("reason")["code"] == "labeled"
    assert answer == {
        "yaku": [
            {
                "name": "sangoro",
                "ja": "三五六",
                "romaji": "sangorou",
                "en": "Three Five Six",
                "points": 30,
                "cards": ["cherry-curtain", "iris-bridge", "peony-butterflies"],
                "why": "Curtain, Bridge, and Butterflies: 30 points",
            }
        ],
        "base": 61,
        "total": 61,
        "values": 31,
        "why": "1 chaff at 10, 1 of curtain and phoenix at 10, 2 animals at 5, and 1 ribbon at 1: 31 points for the"
        " cards. 1 yaku at 30: 30 points. Together 61.",
        "missing": [
            _lack("goroju", "御老中", "Elder", "maple-deer"),
            _lack("goshiroku", "五四六", "Five Four Six", "wisteria-cuckoo"),
            _lack("shichigosan", "七五三", "Seven Five Three", "clover-boar"),
            _lack("kumano", "熊野サン", "Kumano Shrines", "chrysanthemum-sake", "willow-rainman"),
            _lack("shimozan", "下三", "Low Three", "pine-crane", "willow-rainman"),
            _lack(
                "kumano-ribbons",
                "短の熊野サン",
                "Kumano Shrines' Ribbons",
                "cherry-ribbon",
                "chrysanthemum-ribbon",
            ),
            _lack("ebi-ribbons", "短の海老", "Shellfish Ribbons", "pine-ribbon", "maple-ribbon"),
            _lack("shimozan-ribbons", "短の下三", "Low Three Ribbons", "pine-ribbon", "cherry-ribbon"),
            _lack("deu-ribbons", "短の出雨", "Downpour Ribbons", "clover-ribbon", "susuki-geese"),
        ],
        "rules": {"name": "kekoro", "hash": KEKORO.hash},
    }


def _lack(slug: str, ja: str, en: str, *needs: str) -> dict[str, object]:
    return {
        "yaku": slug,
        "ja": ja,
        "en": en,
        "needs": sorted(needs, key=golden.ORDER.index),
        "count": len(needs),
    }


@pytest.mark.parametrize(
    ("cards", "rules", "en", "ja"),
    [
        ("", KEKORO, "No cards: 0 points.", "取り札なし：0点。"),
        (
            "plum-ribbon",
            KEKORO,
            "1 ribbon at 1: 1 point for the cards. No yaku.",
            "短冊札1枚×1点：札1点。役なし。",
        ),
        (
            "brights:5 chaff:2 animals:1",
            KEKORO,
            "2 chaff at 10, 2 of curtain and phoenix at 10, 3 other brights at 5, and 1 animal at 5:"
            " 60 points for the cards. 1 yaku at 30: 30 points. Together 90.",
            "カス札2枚×10点、桜に幕・桐に鳳凰2枚×10点、ほかの光札3枚×5点、種札1枚×5点：札60点。役1つ×30点：30点。計90点。",
        ),
        (
            "pine-crane ribbons:2 chaff:1",
            KekoroRules(values="kusaba"),
            "1 chaff at 8, 1 other bright at 5, and 2 ribbons at 1: 15 points for the cards. No yaku.",
            "カス札1枚×8点、ほかの光札1枚×5点、短冊札2枚×1点：札15点。役なし。",
        ),
        (
            "iris-bridge peony-butterflies maple-deer wisteria-cuckoo",
            KekoroRules(yaku_points=1),
            "4 animals at 5: 20 points for the cards. 2 yaku at 1: 2 points. Together 22.",
            "種札4枚×5点：札20点。役2つ×1点：2点。計22点。",
        ),
        (
            "iris-bridge peony-butterflies maple-deer",
            KekoroRules(yaku_points=1),
            "3 animals at 5: 15 points for the cards. 1 yaku at 1: 1 point. Together 16.",
            "種札3枚×5点：札15点。役1つ×1点：1点。計16点。",
        ),
    ],
)
def test_why(cards: str, rules: KekoroRules, en: str, ja: str) -> None:
    answer = _answer(cards, rules)
    assert (answer["why"], render(Message.from_dict(answer["reason"]), "ja")) == (en, ja)


def test_a_yaku_of_one_point_pays_a_point() -> None:
    answer = _answer("iris-bridge peony-butterflies maple-deer", KekoroRules(yaku_points=1))
    (yaku,) = answer["yaku"]
    assert (yaku["points"], yaku["why"], render(Message.from_dict(yaku["reason"]), "ja")) == (
        1,
        "Bridge, Butterflies, and Deer: 1 point",
        "菖蒲に八橋、牡丹に蝶、紅葉に鹿：1点",
    )


def test_near_yaku_are_sorted_and_lack_at_most_two_cards() -> None:
    assert score(0, KEKORO).missing == ()
    near = score(to_bits(["iris-bridge", "peony-butterflies"]), KEKORO).missing
    assert [(lack.yaku.slug, lack.count) for lack in near] == [
        ("goroju", 1),
        ("sangoro", 1),
        ("goshiroku", 1),
        ("shichigosan", 2),
    ]


def test_what_is_missing_follows_the_source() -> None:
    pile = to_bits(["susuki-moon", "wisteria-cuckoo"])
    needs = {
        source: next(
            lack.needs
            for lack in score(pile, KekoroRules(yaku_source=source)).missing  # type: ignore[arg-type]
            if lack.yaku.slug == "yashima"
        )
        for source in ("fudawiki", "1921")
    }
    assert needs == {"fudawiki": to_bits(["plum-warbler"]), "1921": to_bits(["willow-rainman"])}


def test_every_yaku_has_names_of_its_own() -> None:
    assert len(YAKU) == 26
    assert len(YAKU) + len(YAKU_1921) == 28
    for names in zip(*((yaku.ja, yaku.romaji, yaku.en) for yaku in YAKU.values()), strict=True):
        assert len(set(names)) == 26
    for slug, yaku in [*YAKU.items(), *YAKU_1921.items()]:
        assert slug == yaku.slug
        assert yaku.cards.bit_count() == 3
        assert yaku.source
    for slug, yaku in YAKU_1921.items():
        as_now = YAKU[slug]
        assert (yaku.ja, yaku.romaji, yaku.en, yaku.group) == (
            as_now.ja,
            as_now.romaji,
            as_now.en,
            as_now.group,
        )
        assert (yaku.cards & as_now.cards).bit_count() == 2


def test_every_card_has_one_value() -> None:
    assert sum(row.cards for row in CARD_VALUES) == (1 << 48) - 1
    for source, sum_of_the_deck in (("printed", 330), ("kusaba", 272)):
        assert sum(row.cards.bit_count() * row.values[source] for row in CARD_VALUES) == sum_of_the_deck


# --- rounds

TWO = ("pine-chaff-1 / plum-chaff-1", "iris-chaff-1 clover-chaff-1")


def _played(hands: str, field: str, stock: str, moves: str, rules: KekoroRules = KEKORO) -> KekoroRound:
    first, second = (tuple(hand.split()) for hand in hands.split("/"))
    played = KekoroRound(rules, Deal((first, second), tuple(field.split()), tuple(stock.split())))
    for line in moves.split("; "):
        player, *words = line.split()
        played.push(KekoroRound.read_move(int(player), words))
    return played


def _why(played: KekoroRound) -> tuple[str, str]:
    outcome = played.outcome()
    assert outcome is not None
    return render(outcome.why), render(outcome.why, "ja")


def test_why_a_round_was_won() -> None:
    moves = "1 play pine-chaff-1 pine-ribbon; 1 draw iris-chaff-1; 2 play plum-chaff-1 plum-chaff-2; 2 draw clover-chaff-1"
    assert _why(_played(TWO[0], "pine-ribbon plum-chaff-2", TWO[1], moves)) == (
        "player 2 has 20 points against 11, and deals next",
        "2番が20点対11点で勝ち、次の親になる",
    )
    moves = (
        "1 play plum-chaff-1 plum-chaff-2; 1 draw iris-chaff-1; 2 play pine-chaff-1; 2 draw clover-chaff-1"
    )
    assert _why(_played("plum-chaff-1 / pine-chaff-1", "plum-chaff-2", TWO[1], moves)) == (
        "player 1 has 20 points against 0, and deals next",
        "1番が20点対0点で勝ち、次の親になる",
    )


def test_why_nobody_won_a_round() -> None:
    moves = "1 play pine-chaff-1 pine-chaff-2; 1 draw iris-chaff-1; 2 play plum-chaff-1 plum-chaff-2; 2 draw clover-chaff-1"
    assert _why(_played(TWO[0], "pine-chaff-2 plum-chaff-2", TWO[1], moves)) == (
        "both have 20 points: nobody wins the round",
        "どちらも20点で引き分け",
    )


def test_why_the_cards_are_dealt_again() -> None:
    field = "maple-deer willow-rainman willow-swallow willow-ribbon willow-lightning"
    played = KekoroRound(KEKORO, Deal((("pine-crane",), ("plum-ribbon",)), tuple(field.split()), ()))
    outcome = played.outcome()
    assert outcome is not None
    assert not outcome.counts
    assert not outcome.ends_game
    assert _why(played) == (
        "the field was dealt Rain Man, Swallow, Willow Ribbon, and Lightning:"
        " by these rules the cards are dealt again",
        "場に柳に小野道風、柳に燕、柳に短冊、柳に雷が出たので配り直し",
    )
    # Players who continue to play have started the round.
    played.push(KekoroRound.read_move(1, ["play", "pine-crane"]), unchecked=True)
    assert played.outcome() is None
    played.push(KekoroRound.read_move(2, ["play", "plum-ribbon"]), unchecked=True)
    tied = Message("kekoro-tied", {"points": Message("points", {"count": 0})})
    assert played.outcome() == Outcome("played-out", (), (0, 0), 1, tied)
    assert _why(played) == ("both have 0 points: nobody wins the round", "どちらも0点で引き分け")


BRIDGES = (
    "iris-chaff-1 peony-chaff-1 / pine-chaff-1 plum-chaff-1",
    "iris-bridge peony-butterflies wisteria-cuckoo maple-ribbon",
    "wisteria-chaff-1 susuki-chaff-1 clover-chaff-1 chrysanthemum-chaff-1",
    "1 play iris-chaff-1 iris-bridge; 1 draw wisteria-chaff-1 wisteria-cuckoo; 2 play pine-chaff-1; 2 draw susuki-chaff-1;"
    " 1 play peony-chaff-1 peony-butterflies",
)
"""After these moves player 1 has one yaku, Five Four Six, and still has to draw."""


def test_why_a_game_was_won_by_yaku() -> None:
    hands, field, stock, moves = BRIDGES
    played = _played(hands, field, stock, f"{moves}; 1 draw clover-chaff-1", KekoroRules(lead_to_win=1))
    assert _why(played) == (
        "player 1 has 1 yaku against 0, 1 or more ahead, and wins the game",
        "1番が1役対0役、1役差以上で対局に勝つ",
    )
    again = KekoroRound.read_move(1, ["call", "win"])
    (problem,) = played.check(again)
    assert (problem.code, render(problem.text), render(problem.text, "ja")) == (
        "round-over",
        "the round is over already: player 1 has 1 yaku against 0, 1 or more ahead, and wins the game",
        "この局はすでに終わっている：1番が1役対0役、1役差以上で対局に勝つ",
    )


@pytest.mark.parametrize(
    ("rules", "moves", "call", "code", "en", "ja"),
    [
        (
            KEKORO,
            "",
            "1 call stop",
            "call-unknown",
            "player 1 called stop, but in Kekoro there is only the victory by yaku (win) to call",
            "1番が stop と言ったが、ケコロで宣言するのは役による勝ちだけ",
        ),
        (
            KekoroRules(lead_to_win=0),
            "",
            "1 call win",
            "call-unknown",
            "player 1 called win, but by these rules there is nothing to call",
            "1番が win と言ったが、このルールで宣言するのは何もない",
        ),
        (
            KEKORO,
            "",
            "1 call win",
            "win-without-lead",
            "player 1 called the win with 1 yaku against 0: it takes 3 more than the opponent",
            "1番が1役対0役で勝ちを宣言したが、3役の差が要る",
        ),
        (
            KEKORO,
            "",
            "2 call win",
            "win-without-lead",
            "player 2 called the win with 0 yaku against 1: it takes 3 more than the opponent",
            "2番が0役対1役で勝ちを宣言したが、3役の差が要る",
        ),
        (
            KekoroRules(lead_to_win=1),
            "",
            "1 call win",
            "win-out-of-time",
            "player 1 called the win, but it is judged after the player's own turn, both cards played",
            "1番が勝ちを宣言したが、判定は自分の番で二枚とも出した後",
        ),
    ],
)
def test_call_problems(rules: KekoroRules, moves: str, call: str, code: str, en: str, ja: str) -> None:
    hands, field, stock, before = BRIDGES
    played = _played(hands, field, stock, before, rules)
    player, *words = call.split()
    move = KekoroRound.read_move(int(player), words)
    (problem,) = played.check(move)
    assert (problem.code, render(problem.text), render(problem.text, "ja")) == (code, en, ja)
    standing = played.copy()
    played.push(move, unchecked=True)
    assert (played.to_move, played.outcome(), played.legal_moves()) == (
        standing.to_move,
        None,
        standing.legal_moves(),
    )


def test_the_last_pending_decision() -> None:
    hands, field, stock, moves = BRIDGES
    rules = KekoroRules(lead_to_win=1, declare="optional", judge="any_time")
    end = f"{moves}; 1 draw clover-chaff-1; 2 play plum-chaff-1; 2 draw chrysanthemum-chaff-1"
    problem = _played(hands, field, stock, end, rules).pending_decision()
    assert problem is not None
    assert (problem.code, render(problem.text), render(problem.text, "ja")) == (
        "decision-missing",
        "the hands are empty, and player 1 has not decided whether to declare the victory by yaku (win) or not (stop)",
        "手札が尽き、1番が役による勝ちを宣言するかしないかが不明",
    )


def test_why_a_game_ended() -> None:
    game = KekoroMatch(KEKORO)
    game.outcomes.append(Outcome("played-out", (2,), (11, 101), 2, Message("text", {"en": "", "ja": ""})))
    outcome = game.outcome()
    assert outcome is not None
    assert (render(outcome.why), render(outcome.why, "ja")) == (
        "player 2 leads by 90 points, 101 to 11: a lead of 90 ends the game",
        "2番が101点対11点、90点差（90点差で終わり）",
    )
    game.outcomes[0] = Outcome(
        "yaku-victory", (1,), (11, 1), 1, Message("text", {"en": "three yaku", "ja": "三役"}), ends_game=True
    )
    assert game.outcome() is not None
    assert game.outcome().why == Message("text", {"en": "three yaku", "ja": "三役"})  # type: ignore[union-attr]
