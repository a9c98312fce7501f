"""Koi-Koi rounds besides the golden tables: messages, records, pending decisions, illegal moves."""

from random import Random
from typing import Any

import pytest
from koikoi_stacked import reported

from companion.hanafuda.cards import to_bits
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.fishing import Call, Draw, Play
from companion.hanafuda.games.koikoi import KoiKoiMatch, KoiKoiRound
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.games.koikoi.yaku import TEYAKU, may_hold, pairs, teyaku_of
from companion.hanafuda.messages import Message
from companion.hanafuda.round import Deal, Problem
from companion.hanafuda.simulation import round_of_text
from companion.messages import render
from tests.message_text import raises_text

VIEWING = (
    "1=cherry-curtain,susuki-moon,clover-boar 2=maple-chaff-1,maple-chaff-2"
    " field=cherry-chaff-1,chrysanthemum-chaff-1,susuki-chaff-1"
    " stock=chrysanthemum-sake,wisteria-chaff-1,iris-chaff-1"
)
FOUR = "1=pine-crane,pine-ribbon,pine-chaff-1,pine-chaff-2"
PAIRS = (
    "2=plum-warbler,plum-ribbon,maple-deer,maple-ribbon,iris-bridge,iris-ribbon,willow-rainman,willow-ribbon"
)
LAST = (
    "size=1 1=cherry-curtain 2=maple-chaff-1 field=cherry-chaff-1,chrysanthemum-chaff-1"
    " stock=chrysanthemum-sake,wisteria-chaff-1"
)
EMPTY = "size=1 1=maple-chaff-1 2=cherry-curtain field=plum-ribbon stock=clover-chaff-1,wisteria-chaff-1"


def _why(rules: str, deal: str, turns: str) -> Message:
    outcome = reported(rules, deal, turns).round.outcome()
    assert outcome is not None
    return outcome.why


@pytest.mark.parametrize(
    ("rules", "deal", "turns", "en", "ja"),
    [
        (
            "koikoi-standard", VIEWING, "cherry-curtain stop",
            "player 1 stops. Flower Viewing 5 points.", "1番の勝負。花見で一杯5点。",
        ),
        (
            "koikoi-standard", VIEWING, "cherry-curtain koikoi ; maple-chaff-1 ; susuki-moon stop",
            "player 1 stops. Flower Viewing 5 + Moon Viewing 5 = 10 points. 7 or more doubles: 10 × 2. Total: 20 points.",
            "1番の勝負。花見で一杯5点＋月見で一杯5点＝10点。7点以上で2倍：10×2。計20点。",
        ),
        (
            "koikoi-standard field_multiplier=double flower_viewing=1",
            VIEWING.replace("susuki-chaff-1", "susuki-chaff-1,paulownia-phoenix"),
            "cherry-curtain stop",
            "player 1 stops. Flower Viewing 1 point. The opening field had 1 bright, times 2: 2 points.",
            "1番の勝負。花見で一杯1点。場札に光札1枚で2倍：計2点。",
        ),
        (
            "koikoi-standard", LAST, "cherry-curtain",
            "player 1 has no card left for a koi-koi and wins the round. Flower Viewing 5 points.",
            "1番は手札がなくこいこいできないので、勝負となる。花見で一杯5点。",
        ),
        (
            "koikoi-standard max_calls=1", VIEWING, "cherry-curtain koikoi ; maple-chaff-1 ; susuki-moon",
            "player 1 may not call koi-koi again, and wins the round. Flower Viewing 5 + Moon Viewing 5 = 10"
            " points. 7 or more doubles: 10 × 2. Total: 20 points.",
            "1番はもうこいこいできないので、勝負となる。"
            "花見で一杯5点＋月見で一杯5点＝10点。7点以上で2倍：10×2。計20点。",
        ),
        (
            "koikoi-standard call_min_points=6", VIEWING, "cherry-curtain",
            "player 1 has fewer than 6 points and stops automatically. Flower Viewing 5 points.",
            "1番は6点に満たないので、自動的に勝負となる。花見で一杯5点。",
        ),
        (
            "koikoi-standard call_min_points=5 max_calls=1", VIEWING,
            "cherry-curtain koikoi ; maple-chaff-1 ; susuki-moon",
            "player 1 may not call koi-koi again, and wins the round. Flower Viewing 5 + Moon Viewing 5 = 10"
            " points. 7 or more doubles: 10 × 2. Total: 20 points.",
            "1番はもうこいこいできないので、勝負となる。"
            "花見で一杯5点＋月見で一杯5点＝10点。7点以上で2倍：10×2。計20点。",
        ),
        (
            "koikoi-standard", EMPTY, "maple-chaff-1 ; cherry-curtain",
            "the cards ran out and nobody stopped", "札が尽きて流局",
        ),
        (
            "koikoi-standard exhausted=1", f"dealer=2 {EMPTY}", "cherry-curtain ; maple-chaff-1",
            "the cards ran out and nobody stopped; the dealer, player 2, gets 1 point",
            "札が尽きて流局、親（2番）に1点",
        ),
        (
            "koikoi-standard", FOUR, "",
            "player 1 was dealt four cards of one month (Four of a Kind): 6 points, never multiplied",
            "1番の手札に同じ月の札四枚（手四）：6点（倍率なし）",
        ),
        (
            "koikoi-standard", PAIRS, "",
            "player 2 was dealt four pairs, each of one month (Four Pairs): 6 points, never multiplied",
            "2番の手札に同じ月の二枚四組（くっつき）：6点（倍率なし）",
        ),
        (
            "koikoi-standard", f"{FOUR} {PAIRS}", "",
            "both players were dealt a winning hand", "双方に手役があり引き分け",
        ),
        (
            "koikoi-standard", FOUR.replace("1=", "field="), "",
            "the field was dealt four cards of one month: by these rules the cards are dealt again",
            "場に同じ月の札四枚が出たので配り直し",
        ),
        (
            "koikoi-standard field_three=redeal", "field=pine-crane,pine-ribbon,pine-chaff-1", "",
            "the field was dealt three cards of one month: by these rules the cards are dealt again",
            "場に同じ月の札三枚が出たので配り直し",
        ),
        (
            "koikoi-standard field_pairs=redeal", PAIRS.replace("2=", "field="), "",
            "the field was dealt four pairs, each of one month: by these rules the cards are dealt again",
            "場に同じ月の二枚四組が出たので配り直し",
        ),
    ],
)  # fmt: skip
def test_why_a_round_ended(rules: str, deal: str, turns: str, en: str, ja: str) -> None:
    why = _why(rules, deal, turns)
    assert (render(why), render(why, "ja")) == (en, ja)


def test_several_brights_on_the_opening_field() -> None:
    deal = VIEWING.replace("susuki-chaff-1", "susuki-chaff-1,paulownia-phoenix,pine-crane")
    why = _why("koikoi-standard field_multiplier=brights_plus_one", deal, "cherry-curtain stop")
    assert render(why).endswith("The opening field had 2 brights, times 3: 15 points.")


@pytest.mark.parametrize(
    ("rules", "deal", "turns", "en"),
    [
        (
            "koikoi-standard", VIEWING, "cherry-curtain ; 2: maple-chaff-1",
            "player 1 has yaku of 5 and must call koi-koi or stop",
        ),
        (
            "koikoi-standard", VIEWING, "cherry-curtain koikoi ; maple-chaff-1 stop",
            "player 2 called stop, but has no yaku",
        ),
        (
            "koikoi-standard", VIEWING, "cherry-curtain koikoi ; maple-chaff-1 koikoi",
            "player 2 called koi-koi, but has no yaku",
        ),
        (
            "koikoi-standard", VIEWING, "cherry-curtain koikoi ; maple-chaff-1 ; clover-boar stop",
            "player 1 called stop, but has not improved on the 5 of the last koi-koi",
        ),
        (
            "koikoi-standard", VIEWING, "cherry-curtain stop ; 2: maple-chaff-1",
            "the round is over already: player 1 stops. Flower Viewing 5 points.",
        ),
        (
            "koikoi-standard", LAST, "cherry-curtain koikoi",
            "player 1 has no card left for a koi-koi and wins the round. Flower Viewing 5 points.",
        ),
        (
            "koikoi-standard", VIEWING, "cherry-curtain ; 2: stop",
            "player 2 has nothing to decide now: it is player 1's turn",
        ),
        (
            "koikoi-standard", EMPTY, "maple-chaff-1 ; cherry-curtain stop",
            "player 2 called stop, but has no yaku",
        ),
        (
            "koikoi-standard", EMPTY, "maple-chaff-1 ; cherry-curtain koikoi",
            "player 2 called koi-koi, but has no yaku",
        ),
        (
            "koikoi-standard", EMPTY, "maple-chaff-1 ; cherry-curtain ; 1: stop",
            "the round is over already: the cards ran out and nobody stopped",
        ),
        (
            "koikoi-standard", FOUR, "2: stop",
            "the round is over already: player 1 was dealt four cards of one month (Four of a Kind): 6 points,"
            " never multiplied",
        ),
    ],
)  # fmt: skip
def test_move_problem_messages(rules: str, deal: str, turns: str, en: str) -> None:
    (problem,) = reported(rules, deal, turns).problems
    assert render(problem.text) == en
    assert render(problem.text, "ja")
    assert render(problem.text, "ja") != en


def test_a_win_is_not_a_koi_koi_call() -> None:
    found = reported("koikoi-standard", VIEWING, "cherry-curtain").round
    (problem,) = found.check(Call(1, "win"))
    assert (problem.code, render(problem.text)) == ("call-unknown", "in Koi-Koi players call koi-koi or stop")
    assert render(problem.text, "ja") == "こいこいでは「こいこい」か「勝負」と言う"


@pytest.mark.parametrize(
    ("turns", "ja"),
    [
        ("cherry-curtain koikoi ; maple-chaff-1 stop", "2番が勝負と言ったが、役がない"),
        ("cherry-curtain koikoi ; maple-chaff-1 koikoi", "2番がこいこいと言ったが、役がない"),
        (
            "cherry-curtain koikoi ; maple-chaff-1 ; clover-boar stop",
            "1番が勝負と言ったが、前のこいこいの5点から役が増えていない",
        ),
        ("cherry-curtain ; 2: stop", "2番が宣言するときではない：1番の手番"),
        ("cherry-curtain stop ; 2: maple-chaff-1", "この局はすでに終わっている：1番の勝負。花見で一杯5点。"),
        (
            "cherry-curtain ; 2: maple-chaff-1",
            "1番は役（5点）ができたので、こいこいか勝負かを言わなければならない",
        ),
    ],
)
def test_move_problem_messages_in_japanese(turns: str, ja: str) -> None:
    (problem,) = reported("koikoi-standard", VIEWING, turns).problems
    assert render(problem.text, "ja") == ja


def test_the_reason_why_koi_koi_is_impossible_with_enough_points() -> None:
    deal = (
        "month=5 1=cherry-curtain 2=iris-bridge stock=chrysanthemum-sake,wisteria-chaff-1"
        " field=cherry-chaff-1,chrysanthemum-chaff-1,iris-ribbon,iris-chaff-1,iris-chaff-2"
    )
    rules = 'koikoi-standard month_cards=5 call_min_points=5 max_calls="once_a_round"'
    why = _why(rules, deal, "cherry-curtain koikoi ; iris-bridge")
    assert render(why).startswith(
        "player 2 may not call koi-koi again, and wins the round. Month Cards 5 points."
    )


def test_the_dealer_takes_four_of_a_month() -> None:
    deal = "dealer=2 field=iris-bridge,iris-ribbon,iris-chaff-1,iris-chaff-2,plum-ribbon,pine-ribbon"
    found = reported("koikoi-standard field_four=dealer_takes", deal).round
    assert (found.captured(1), len(found.captured(2))) == ((), 4)
    assert set(found.captured(2)) == {"iris-bridge", "iris-ribbon", "iris-chaff-1", "iris-chaff-2"}
    assert len(found.field) == 4
    assert {"plum-ribbon", "pine-ribbon"} < set(found.field)


def test_a_viewing_after_koi_koi() -> None:
    rules = "koikoi-standard flower_viewing=1 viewing_after_call=3"
    assert reported(rules, VIEWING, "cherry-curtain").round.yaku(1) == (("flower-viewing", 1),)
    assert reported(rules, VIEWING, "cherry-curtain koikoi").round.yaku(1) == (("flower-viewing", 3),)
    assert reported(rules, VIEWING, "cherry-curtain koikoi").round.score(1).base == 3


def test_the_field_of_the_moment_spoils_a_viewing() -> None:
    """`viewing_spoilt`: a willow is on the field (the deal is filled up with one)."""
    found = reported("koikoi-standard viewing_spoilt=field", VIEWING, "cherry-curtain").round
    assert "willow-lightning" in found.field
    assert (found.score(1).base, found.yaku(1)) == (0, ())
    assert [each.yaku.slug for each in found.score(1).unpaid] == ["flower-viewing"]


def test_a_player_s_state() -> None:
    found = reported("koikoi-standard month_cards=5", VIEWING + " month=3", "cherry-curtain koikoi").round
    score = found.score(1)
    assert (score.base, score.total) == (5, 5)
    assert score.situation.month == 3
    assert (score.situation.own_calls, score.situation.opponent_calls) == (1, 0)
    assert found.yaku(1) == (("flower-viewing", 5),)
    assert found.yaku(2) == ()
    assert found.score(2).situation.opponent_calls == 1
    assert found.score(2).total == 0


def test_yaku_of_a_dealt_hand() -> None:
    found = reported("koikoi-standard", PAIRS).round
    assert found.yaku(2) == (("four-pairs", 6),)
    assert found.yaku(1) == ()
    dealt_hand = found.teyaku(2)
    assert dealt_hand is not None
    assert (dealt_hand.slug, dealt_hand.option, dealt_hand.ja) == ("four-pairs", "four_pairs", "くっつき")
    assert found.teyaku(1) is None


def test_a_dealt_hand_that_did_not_win_is_not_a_yaku() -> None:
    found = reported("koikoi-standard both_teyaku=play_on", f"{FOUR} {PAIRS}").round
    assert found.yaku(1) == found.yaku(2) == ()
    assert found.teyaku(1) == TEYAKU["four-of-a-kind"]


# --- records


def _record(round_: KoiKoiRound) -> dict[str, Any]:
    return {
        "game": "koikoi",
        "rules": round_.rules.to_dict(),
        "dealer": round_.dealer,
        "deal": {
            "hands": {str(player): list(hand) for player, hand in enumerate(round_.deal.hands, 1)},
            "field": list(round_.deal.field),
            "stock": list(round_.deal.stock),
        },
        "turns": round_.turns(),
    }


def _replayed(record: dict[str, Any]) -> tuple[KoiKoiRound, list[Problem]]:
    again, problems = KoiKoiRound.from_record(record), []
    for turn in record["turns"]:
        for move in again.read_turn(turn):
            problems += again.check(move)
            again.push(move, unchecked=True)
        if pending := again.pending_decision():
            problems.append(pending)
    return again, problems


EARLY = (
    "1=cherry-curtain,chrysanthemum-ribbon,clover-boar 2=willow-ribbon,willow-swallow"
    " field=cherry-chaff-1,chrysanthemum-sake,susuki-chaff-1 stock=maple-chaff-1,iris-chaff-1,susuki-moon"
)


@pytest.mark.parametrize(
    ("rules", "deal", "turns", "calls"),
    [
        ("koikoi-standard", VIEWING, "cherry-curtain stop", [(None, "stop")]),
        ("koikoi-standard", VIEWING, "cherry-curtain koikoi ; maple-chaff-1", [(None, "koikoi"), (None, None)]),
        ("koikoi-standard", LAST, "cherry-curtain", [(None, "stop")]),
        ("koikoi-standard call_min_points=9", VIEWING, "cherry-curtain", [(None, "stop")]),
        (
            "koikoi-standard judge=card", EARLY,
            "cherry-curtain ; willow-ribbon ; chrysanthemum-ribbon koikoi stop",
            [(None, None), (None, None), ("koikoi", "stop")],
        ),
        (
            "koikoi-standard judge=card", EARLY,
            "cherry-curtain ; willow-ribbon ; chrysanthemum-ribbon stop",
            [(None, None), (None, None), (None, "stop")],
        ),
        (
            "koikoi-standard judge=card call_min_points=9", EARLY,
            "cherry-curtain ; willow-ribbon ; chrysanthemum-ribbon",
            [(None, None), (None, None), (None, "stop")],
        ),
    ],
)  # fmt: skip
def test_calls_in_a_record(
    rules: str, deal: str, turns: str, calls: list[tuple[str | None, str | None]]
) -> None:
    found = reported(rules, deal, turns).round
    record = _record(found)
    assert [(turn.get("play_call"), turn["call"]) for turn in record["turns"]] == calls
    assert all(
        ("play_call" in turn) == bool(early) for turn, (early, _) in zip(record["turns"], calls, strict=True)
    )
    again, problems = _replayed(record)
    assert problems == []
    assert again == found


@pytest.mark.parametrize(
    ("rules", "deal"), [("koikoi-standard", LAST), ("koikoi-standard max_calls=1 call_min_points=9", VIEWING)]
)
def test_a_forced_stop_need_not_be_recorded(rules: str, deal: str) -> None:
    found = reported(rules, deal, "cherry-curtain").round
    record = _record(found)
    record["turns"][-1]["call"] = None
    again, problems = _replayed(record)
    assert problems == []
    assert again == found
    assert again.turns()[-1]["call"] == "stop"


def test_a_forced_stop_is_only_the_winners() -> None:
    """A forced stop of the loser, or after an ordinary stop, is an extra call."""
    forced = reported("koikoi-standard", LAST, "cherry-curtain").round
    assert [problem.code for problem in forced.check(Call(2, "stop"))] == ["round-over"]
    assert [problem.code for problem in forced.check(Call(1, "stop"))] == ["round-over"]
    assert [problem.code for problem in forced.check(Call(2, "koikoi"))] == ["round-over"]


def test_an_omitted_decision_was_koi_koi_if_the_round_continued() -> None:
    found = reported(
        "koikoi-standard", VIEWING, "cherry-curtain koikoi ; maple-chaff-1 ; susuki-moon stop"
    ).round
    record = _record(found)
    record["turns"][0]["call"] = None
    again, problems = _replayed(record)
    assert [problem.code for problem in problems] == ["decision-missing"]
    assert again == found


def test_a_call_that_may_not_be_made_is_void() -> None:
    found = reported(
        "koikoi-standard", VIEWING, "cherry-curtain koikoi ; maple-chaff-1 ; susuki-moon stop"
    ).round
    for message, code in (("koikoi", "call-without-yaku"), ("stop", "stop-without-yaku")):
        record = _record(found)
        record["turns"][1]["call"] = message
        again, problems = _replayed(record)
        assert [problem.code for problem in problems] == [code]
        assert again.outcome() == found.outcome()


def test_a_stop_recorded_after_the_cards_ran_out() -> None:
    record = _record(reported("koikoi-standard", EMPTY, "maple-chaff-1 ; cherry-curtain").round)
    assert record["turns"][-1]["call"] is None
    record["turns"][-1]["call"] = "stop"
    again, problems = _replayed(record)
    assert [problem.code for problem in problems] == ["stop-without-yaku"]
    outcome = again.outcome()
    assert outcome is not None
    assert outcome.how == "exhausted"


def test_a_round_that_goes_on_after_its_end_is_open_again() -> None:
    found = reported(
        "koikoi-standard", VIEWING, "cherry-curtain koikoi ; maple-chaff-1 ; susuki-moon stop"
    ).round
    record = _record(found)
    record["turns"][0]["call"] = "stop"
    again, problems = _replayed(record)
    assert [problem.code for problem in problems] == ["round-over"]
    outcome = again.outcome()
    assert outcome is not None
    assert outcome.points == (20, 0)


@pytest.mark.parametrize(
    ("deal", "code"), [(FOUR.replace("1=", "field=") + " 1=plum-ribbon", "misdeal"), (FOUR, "round-over")]
)
def test_a_deal_that_ended_the_round_is_named_once(deal: str, code: str) -> None:
    found = reported("koikoi-standard", deal).round
    card = found.hand(1)[-1]
    assert card is not None
    move = Play(1, card)
    assert found.legal_moves() == []
    codes = [problem.code for problem in found.check(move)]
    assert codes[0] == code
    found.push(move, unchecked=True)
    assert found.outcome() is None
    assert [problem.code for problem in found.check(found.legal_moves()[0])] == []


@pytest.mark.parametrize("month", [0, 13, "3", True, 1.5])
def test_invalid_months(month: object) -> None:
    with raises_text(BadRequestError, match=f"month must be a whole number from 1 to 12, not {month!r}"):
        KoiKoiRound.from_record({"month": month, "deal": {"field": []}})


@pytest.mark.parametrize("month", [None, 1, 12])
def test_the_month_is_part_of_a_round(month: int | None) -> None:
    found = KoiKoiRound.from_record({"month": month, "deal": {"field": []}})
    assert found.month == month
    assert found.situation() == ({"month": month} if month else {})
    assert round_of_text(found.to_text()) == found
    assert found != KoiKoiRound.from_record({"month": 7, "deal": {"field": []}})


# --- dealt hands with some hidden cards


@pytest.mark.parametrize(
    ("hand", "hidden", "unseen", "rules", "expected"),
    [
        ("pine-crane pine-ribbon pine-chaff-1", 1, "pine-chaff-2", {}, True),
        ("pine-crane pine-ribbon pine-chaff-1", 1, "plum-ribbon", {}, False),
        ("pine-crane pine-ribbon", 1, "pine-chaff-1 pine-chaff-2", {}, False),
        ("pine-crane pine-ribbon", 2, "pine-chaff-1 pine-chaff-2", {}, True),
        ("pine-crane pine-ribbon", 2, "pine-chaff-1 pine-chaff-2", {"four_of_a_kind": 0}, False),
        ("pine-crane pine-ribbon pine-chaff-1 pine-chaff-2", 0, "", {}, True),
        ("", 4, "plum-warbler plum-ribbon plum-chaff-1 plum-chaff-2", {}, True),
        ("", 3, "plum-warbler plum-ribbon plum-chaff-1 plum-chaff-2", {}, False),
        ("pine-crane plum-warbler iris-bridge maple-deer", 4, "pine-ribbon plum-ribbon iris-ribbon maple-ribbon", {}, True),
        ("pine-crane plum-warbler iris-bridge maple-deer", 3, "pine-ribbon plum-ribbon iris-ribbon maple-ribbon", {}, False),
        ("pine-crane plum-warbler iris-bridge maple-deer", 4, "pine-ribbon plum-ribbon iris-ribbon maple-ribbon", {"four_pairs": 0}, False),
        ("pine-crane plum-warbler iris-bridge maple-deer", 4, "pine-ribbon plum-ribbon iris-ribbon willow-ribbon", {}, False),
        ("pine-crane pine-ribbon iris-bridge iris-ribbon", 4, "willow-ribbon willow-swallow plum-ribbon plum-warbler", {}, True),
        ("pine-crane pine-ribbon iris-bridge iris-ribbon", 3, "willow-ribbon willow-swallow plum-ribbon plum-warbler", {}, False),
        ("pine-crane pine-ribbon iris-bridge iris-ribbon maple-deer", 3, "willow-ribbon willow-swallow maple-ribbon plum-warbler", {}, True),
        ("pine-crane pine-ribbon iris-bridge iris-ribbon", 4, "willow-ribbon willow-swallow willow-rainman willow-lightning", {"four_of_a_kind": 0}, True),
        ("pine-crane", 3, "pine-ribbon pine-chaff-1 pine-chaff-2", {"four_of_a_kind": 0}, False),
        ("pine-crane pine-ribbon iris-bridge iris-ribbon maple-deer maple-ribbon", 2, "pine-chaff-1 iris-chaff-1", {}, False),
        ("pine-crane pine-ribbon pine-chaff-1 iris-bridge iris-ribbon maple-deer maple-ribbon", 1, "pine-chaff-2", {"four_of_a_kind": 0}, True),
        ("pine-crane iris-bridge iris-ribbon maple-deer maple-ribbon", 3, "pine-ribbon plum-ribbon willow-ribbon", {}, False),
        ("pine-crane iris-bridge iris-ribbon maple-deer maple-ribbon", 3, "pine-ribbon pine-chaff-1 pine-chaff-2", {"four_of_a_kind": 0}, True),
    ],
)  # fmt: skip
def test_may_hold(hand: str, hidden: int, unseen: str, rules: dict[str, int], expected: bool) -> None:
    found = may_hold(to_bits(hand.split()), hidden, to_bits(unseen.split()), KoiKoiRules(**rules))  # type: ignore[arg-type]
    assert found is expected


@pytest.mark.parametrize(
    ("hand", "count"),
    [
        ("", 0),
        ("pine-crane", 0),
        ("pine-crane pine-ribbon", 1),
        ("pine-crane pine-ribbon pine-chaff-1", 1),
        ("pine-crane pine-ribbon pine-chaff-1 pine-chaff-2 paulownia-yellow paulownia-phoenix", 3),
    ],
)
def test_pairs(hand: str, count: int) -> None:
    assert pairs(to_bits(hand.split())) == count


def test_of_two_dealt_hands_of_equal_points_four_of_a_kind_is_named() -> None:
    hand = to_bits(
        [
            "pine-crane",
            "pine-ribbon",
            "pine-chaff-1",
            "pine-chaff-2",
            "plum-warbler",
            "plum-ribbon",
            "maple-deer",
            "maple-ribbon",
        ]
    )
    assert teyaku_of(hand, KoiKoiRules()) == TEYAKU["four-of-a-kind"]
    assert teyaku_of(hand, KoiKoiRules(four_pairs=7)) == TEYAKU["four-pairs"]
    assert teyaku_of(hand, KoiKoiRules(four_pairs=0, four_of_a_kind=0)) is None


def _hidden(rules: KoiKoiRules, first: str, second: str) -> KoiKoiRound:
    """Deal hands with one known card per word, the others hidden."""
    field = "plum-chaff-1 cherry-chaff-1 wisteria-chaff-1 iris-chaff-1 peony-chaff-1 clover-chaff-1 susuki-chaff-1 maple-chaff-1"
    hands = [
        (*known_cards, *(None,) * (8 - len(known_cards))) for known_cards in (first.split(), second.split())
    ]
    return KoiKoiRound(rules, Deal((hands[0], hands[1]), tuple(field.split()), (None,) * 24))


PINES = "pine-crane pine-ribbon pine-chaff-1 pine-chaff-2"
NO_PAIR = "plum-ribbon cherry-ribbon wisteria-ribbon iris-ribbon peony-ribbon clover-ribbon susuki-geese maple-ribbon"


@pytest.mark.parametrize(
    ("rules", "first", "second", "how"),
    [
        ({}, PINES, "", "teyaku"),
        ({}, "", PINES, "teyaku"),
        ({}, PINES.removesuffix("pine-chaff-2"), "", None),
        ({"both_teyaku": "play_on"}, PINES, "", None),
        ({"both_teyaku": "play_on"}, PINES, NO_PAIR, "teyaku"),
        ({"both_teyaku": "play_on"}, NO_PAIR, PINES, "teyaku"),
        ({"both_teyaku": "play_on", "four_pairs": 0}, PINES, " ".join(NO_PAIR.split()[:5]), "teyaku"),
        ({"both_teyaku": "play_on"}, PINES, " ".join(NO_PAIR.split()[:4]), None),
    ],
)
def test_hidden_hands_and_dealt_hands(
    rules: dict[str, Any], first: str, second: str, how: str | None
) -> None:
    outcome = _hidden(KoiKoiRules(**rules), first, second).outcome()
    assert (outcome.how if outcome else None) == how
    if outcome:
        assert outcome.winners == ((1,) if first == PINES else (2,))


def test_a_contradiction_message_explains_the_cause() -> None:
    found = _hidden(KoiKoiRules(), "pine-crane pine-ribbon pine-chaff-1", "")
    move = Play(1, "pine-chaff-2")
    (problem,) = found.check(move)
    assert problem.code == "hidden-contradiction"
    assert render(problem.text) == (
        "the cards played so far show that player 1 was dealt four cards of one month:"
        " the round should have ended at the deal (Four of a Kind)"
    )
    assert "手四" in render(problem.text, "ja")
    assert move not in found.legal_moves()
    # It is reported only once.
    found.push(move, unchecked=True)
    found.push(Draw(1, "willow-swallow"))
    assert all(found.check(each) == [] for each in found.legal_moves())


def test_the_other_hand_can_bring_the_contradiction_to_light() -> None:
    """Play continued because both may have had such a hand, until player 2 shows that he did not."""
    rules = KoiKoiRules(both_teyaku="play_on", four_pairs=0)
    second = "plum-ribbon cherry-ribbon wisteria-ribbon iris-ribbon"
    found = _hidden(rules, PINES, second)
    found.push(Play(1, "pine-crane"))
    found.push(Draw(1, "willow-swallow"))
    (problem,) = found.check(Play(2, "maple-ribbon", ("maple-chaff-1",)))
    assert problem.code == "hidden-contradiction"
    assert "player 1 was dealt four cards of one month" in render(problem.text)
    assert found.check(Play(2, "plum-ribbon", ("plum-chaff-1",))) == []


# --- the game


def _won(rules: KoiKoiRules, *, dealer: int = 1, month: int | None = 1, deal: str = FOUR) -> KoiKoiRound:
    changes = " ".join(f"{key}={value}" for key, value in rules.changes(KoiKoiRules()).items())
    where = f" month={month}" if month else ""
    return reported(f"koikoi-standard {changes}", f"dealer={dealer}{where} {deal}").round


@pytest.mark.parametrize(
    ("played", "code", "message"),
    [
        (_won(KoiKoiRules()), None, ""),
        (_won(KoiKoiRules(), month=None), None, ""),
        (_won(KoiKoiRules(), month=2), "wrong-month", "the round is that of month 2, but month 1 comes next"),
        (_won(KoiKoiRules(), dealer=2), "wrong-dealer", "player 2 dealt, but it is player 1's deal"),
        (_won(KoiKoiRules(), deal=VIEWING), "round-unfinished", "the round is not over yet"),
        (_won(KoiKoiRules(rounds=3)), "other-rules", "the round was played by "),
    ],
)
def test_which_round_comes_next(played: KoiKoiRound, code: str | None, message: str) -> None:
    game = KoiKoiMatch(KoiKoiRules())
    problems = game.check(played)
    assert [problem.code for problem in problems] == ([code] if code else [])
    if code:
        assert render(problems[0].text).startswith(message)
        assert render(problems[0].text, "ja")
        assert render(problems[0].text, "ja") != render(problems[0].text)
        with raises_text(ValueError, match=message):
            game.push(played)
        assert game.played == 0
    else:
        game.push(played)
        assert (game.played, game.points, game.month) == (1, (6, 0), 2)
        assert game.pop().points == (6, 0)
        assert (game.played, game.points, game.month) == (0, (0, 0), 1)


def test_a_finished_game_accepts_no_round() -> None:
    rules = KoiKoiRules(rounds=1)
    game = KoiKoiMatch(rules, dealer=2)
    game.push(_won(rules, dealer=2))
    assert [problem.code for problem in game.check(_won(rules, month=2))] == ["game-over"]


@pytest.mark.parametrize(
    ("rules", "deals", "en", "ja"),
    [
        ({"rounds": 1}, [FOUR], "player 1 wins, 6 : 0 (1 of 1 rounds played)", "1番の勝ち、6 : 0（全1局中1局終了）"),
        (
            {"rounds": 2}, [FOUR, FOUR.replace("1=", "2=")],
            "a draw, 6 : 6 (2 of 2 rounds played)", "引き分け、6 : 6（全2局中2局終了）",
        ),
        (
            {"target": 6}, [FOUR.replace("1=", "2=")],
            "player 2 wins, 0 : 6 (the target of 6 points is reached)", "2番の勝ち、0 : 6（目標の6点に到達）",
        ),
    ],
)  # fmt: skip
def test_why_a_game_is_over(rules: dict[str, int], deals: list[str], en: str, ja: str) -> None:
    table = KoiKoiRules(**rules)  # type: ignore[arg-type]
    game = KoiKoiMatch(table)
    for deal in deals:
        game.push(_won(table, dealer=game.dealer, month=game.month, deal=deal))
    outcome = game.outcome()
    assert outcome is not None
    assert (render(outcome.why), render(outcome.why, "ja")) == (en, ja)


def test_the_game_deals_the_next_round() -> None:
    game = KoiKoiMatch(KoiKoiRules(four_of_a_kind=0, four_pairs=0), dealer=2)
    found = game.shuffled(Random(3))
    assert (found.dealer, found.month, found.rules, found.players) == (2, 1, game.rules, 2)
    assert found == game.shuffled(Random(3))
    assert found != game.shuffled(Random(4))


def test_whole_games_by_lot() -> None:
    """Twelve rounds, with the dealers that the rules prescribe, and the sum of the points."""
    for seed in range(3):
        rng = Random(seed)
        game = KoiKoiMatch(KoiKoiRules(zero_sum=True))
        months = []
        while game.outcome() is None:
            played = game.shuffled(rng)
            months.append(played.month)
            while legal := played.legal_moves():
                played.push(rng.choice(legal))
            game.push(played)
        assert months == list(range(1, 13))
        assert sum(game.points) == 0
