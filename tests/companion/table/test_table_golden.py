"""Specific situations at a table: corrections, undos, a missed card, an unreported dealer or koi-koi."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from fold_helpers import moved, opened, play_on, reported, shuffled_deal

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.replay import replay
from companion.hanafuda.round import IllegalMoveError
from companion.table import NewEvent, Table
from tests.message_text import english, raises_text

FIELD = "pine-chaff-1 plum-chaff-1 wisteria-chaff-1 iris-chaff-1 peony-chaff-1 clover-chaff-1 maple-chaff-1 maple-ribbon"


def dealt(dealer: int | None = 1, field: str = FIELD, **more: Any) -> NewEvent:
    return NewEvent("dealt", {"deal": {"field": field.split()}, "dealer": dealer, **more})


def turn(table: Table, player: int, play: str, draw: str, call: str = "") -> list[int]:
    """Report a whole turn at once, as a camera does."""
    moves = [moved(player, f"play {play}"), moved(player, f"draw {draw}")]
    if call:
        moves.append(moved(player, f"call {call}"))
    return [event.seq for event in reported(table, *moves, source="camera")]


def three_brights(table: Table) -> None:
    """Play until player 1 has crane, curtain and moon, and must decide."""
    turn(table, 1, "pine-crane pine-chaff-1", "cherry-chaff-1")
    turn(table, 2, "plum-ribbon plum-chaff-1", "willow-swallow")
    turn(table, 1, "cherry-curtain cherry-chaff-1", "susuki-chaff-1")
    turn(table, 2, "iris-ribbon iris-chaff-1", "willow-ribbon willow-swallow")
    turn(table, 1, "susuki-moon susuki-chaff-1", "paulownia-yellow")


@pytest.fixture
def table() -> Table:
    applied = opened()
    reported(applied, dealt())
    return applied


def test_a_correction_three_turns_back_changes_yaku_and_points_and_who_deals_next(table: Table) -> None:
    three_brights(table)
    turn_seq = table.view()["history"][3]["moves"][0]["seq"]  # the curtain
    reported(table, moved(1, "call stop"))
    assert table.game.points == (5, 0)
    assert table.game.dealer == 1
    # The ribbon captured instead of the curtain: two brights, no yaku, and nothing to stop for.
    reported(
        table,
        NewEvent(
            "corrected",
            {
                "of": turn_seq,
                "kind": "moved",
                "data": {"player": 1, "words": ["play", "cherry-ribbon", "cherry-chaff-1"]},
            },
        ),
    )
    view = table.view()
    assert view["night"]["points"] == [0, 0]
    assert view["round"]["seats"][0]["yaku"] == []
    assert view["history"][3]["play"] == "cherry-ribbon"
    assert view["history"][3]["draw"] == "susuki-chaff-1", "the drawn card stays"
    assert view["history"][3]["corrected"]
    assert view["history"][5]["problems"][0]["code"] == "stop-without-yaku"
    assert english(view["trail"][-1]["says"]).startswith(
        "Corrected: Aiko plays Curtain and takes Cherry Chaff →"
    )
    # And back: the same as before, including the stop.
    reported(table, NewEvent("undone", {"of": table.seq}))
    assert table.view()["night"]["points"] == [5, 0]


def test_a_correction_in_an_earlier_round_does_not_change_the_later_deal(table: Table) -> None:
    three_brights(table)
    stop = reported(table, moved(1, "call stop"))[0].seq
    reported(table, dealt(dealer=1))
    turn(table, 1, "clover-boar clover-chaff-1", "plum-warbler plum-chaff-1")
    before = [line["says"] for line in table.view()["history"] if line["round"] == 2]
    reported(
        table,
        NewEvent(
            "corrected", {"of": stop, "kind": "moved", "data": {"player": 1, "words": ["call", "koikoi"]}}
        ),
    )
    view = table.view()
    assert [line["says"] for line in view["history"] if line["round"] == 2] == before
    assert view["round"]["dealer"] == 1
    assert view["night"]["rounds"] == [], "round 1 has no end any more"


def test_the_end_of_a_round_can_be_undone_until_the_next_deal(table: Table) -> None:
    three_brights(table)
    reported(table, moved(1, "call stop"))
    assert table.view()["round"]["outcome"]["points"] == [5, 0]
    target = table.undo_target()
    assert target is not None
    assert target.data["words"] == ["call", "stop"]
    reported(table, NewEvent("undone", {"of": target.seq}))
    view = table.view()
    assert view["night"]["points"] == [0, 0]
    assert view["round"]["decision"]["options"] == [["call", "koikoi"], ["call", "stop"]]
    assert view["round"]["decision"]["stake"]["points"] == 5
    reported(table, moved(1, "call stop"), dealt())
    assert (undo := table.undo_target()) is not None
    assert undo.data.get("words") == ["call", "stop"], "what was reported together is undone together"


@pytest.mark.parametrize(
    ("changes", "effects"),
    [
        ({}, ["If Ben wins after this call, the points count ×2."]),
        ({"opponent_call": []}, ["This call doesn’t change what Ben would get."]),
        (
            {"opponent_call": ["+3"], "own_call": ["x2"]},
            [
                "If Ben wins after this call, it is 3 points more.",
                "If Aiko wins after this call, the points count ×2.",
            ],
        ),
    ],
)
def test_a_decision_says_what_a_call_changes_by_the_table_s_rules(
    changes: dict[str, Any], effects: list[str]
) -> None:
    applied = opened(rules={"preset": "koikoi-standard", **changes})
    reported(applied, dealt())
    three_brights(applied)
    stake = applied.view()["round"]["decision"]["stake"]
    lost, *others = [english(effect) for effect in stake["effects"]]
    assert lost == "Without another yaku before the cards run out, you lose these points."
    assert others == effects


def test_an_undo_covers_a_whole_group_and_can_be_undone(table: Table) -> None:
    first, last = turn(table, 1, "pine-crane pine-chaff-1", "cherry-chaff-1")
    stood = table.view()
    reported(table, NewEvent("undone", {"of": last}))
    assert table.round is not None
    assert table.round.moves == ()
    assert not table.holds(first)
    redo = table.redo_target()
    assert redo is not None
    reported(table, NewEvent("undone", {"of": redo.seq}))
    assert table.view()["history"] == stood["history"]
    with raises_text(BadRequestError, match="undone already"):
        reported(table, NewEvent("undone", {"of": redo.seq}))


def test_a_corrected_capture_changes_who_wins() -> None:
    """Kekoro, where both players have points: the replay of the round's record agrees with the table."""
    table = opened("kekoro")
    reported(table, shuffled_deal(table, 56, hidden=True))
    play_on(table, Random(56))
    assert table.live is not None
    assert table.live.outcome is not None
    winners = table.live.outcome.winners
    deals_next = table.game.dealer
    for step in reversed(table.live.steps):
        for other in table.alternatives(step.item.seq)[:6] if step.item else ():
            reported(table, NewEvent(other["event"]["kind"], other["event"]["data"]))
            outcome = table.live.outcome
            if outcome and outcome.winners != winners and not any(step.problems for step in table.live.steps):
                assert table.game.dealer != deals_next
                replayed = replay(table.record(1))
                assert replayed.legal
                assert replayed.agrees
                reported(table, NewEvent("undone", {"of": table.seq}))
                assert table.live.outcome.winners == winners
                return
            reported(table, NewEvent("undone", {"of": table.seq}))
    pytest.fail("no correction of this round changes who wins: take another one")


def test_the_first_play_identifies_the_dealer() -> None:
    table = opened()
    reported(table, dealt(dealer=None))
    view = table.view()
    assert (view["round"]["dealer"], view["round"]["dealer_known"]) == (1, False)
    reported(table, moved(2, "play pine-crane pine-chaff-1"))
    view = table.view()
    assert (view["round"]["dealer"], view["round"]["dealer_known"]) == (2, True)
    assert english(view["history"][0]["says"]) == "Round 1: Ben deals"
    assert view["history"][1]["problems"] == []


def test_the_dealer_is_reported_after_the_deal() -> None:
    table = opened()
    reported(table, dealt(dealer=None))
    reported(table, NewEvent("began", {"dealer": 2}))
    assert table.dealer_known
    assert table.round is not None
    assert table.round.to_move == 2
    with raises_text(IllegalMoveError, match="it is Ben's turn"):
        reported(table, moved(1, "play pine-crane pine-chaff-1"))


def test_an_unreported_koikoi_is_inferred_from_the_next_play(table: Table) -> None:
    three_brights(table)
    reported(table, moved(2, "play clover-ribbon clover-chaff-1"))
    line = table.view()["history"][-2]
    assert (line["seat"], line["call"]) == (1, "koikoi")
    assert table.view()["round"]["seats"][0]["calls"] == 1


def test_an_unreported_stop_is_inferred_from_the_next_deal(table: Table) -> None:
    three_brights(table)
    reported(table, dealt())
    assert table.game.points == (5, 0)
    assert table.round_number == 2
    # Without that deal nothing is decided.
    reported(table, NewEvent("undone", {"of": table.seq}))
    assert table.game.points == (0, 0)
    assert table.view()["round"]["decision"]["must"]


def test_a_missed_card_is_inserted_at_its_position(table: Table) -> None:
    reported(table, moved(1, "play pine-crane pine-chaff-1"))
    late = reported(table, moved(2, "play plum-ribbon plum-chaff-1", unchecked=True))[0].seq
    assert table.view()["history"][-1]["problems"][0]["code"] == "draw-missing"
    reported(
        table,
        NewEvent(
            "inserted",
            {"before": late, "kind": "moved", "data": {"player": 1, "words": ["draw", "cherry-chaff-1"]}},
        ),
    )
    lines = table.view()["history"]
    assert [line["draw"] for line in lines[1:]] == ["cherry-chaff-1", None]
    assert lines[1]["missed"]
    assert lines[2]["problems"] == []


def test_illegal_moves_are_rejected_with_every_problem(table: Table) -> None:
    seq = table.seq
    with pytest.raises(IllegalMoveError) as caught:
        reported(table, moved(2, "play pine-crane plum-chaff-1"))
    assert {problem.code for problem in caught.value.problems} == {
        "out-of-turn",
        "wrong-flower",
        "capture-refused",
    }
    assert table.seq == seq
    reported(table, moved(2, "play pine-crane plum-chaff-1", unchecked=True))
    assert len(table.view()["history"][-1]["problems"]) == 3


def test_events_are_accepted_all_or_none(table: Table) -> None:
    before = table.view()
    with pytest.raises(IllegalMoveError):
        reported(table, moved(1, "play pine-crane pine-chaff-1"), moved(1, "draw pine-crane"))
    assert table.view() == before


def test_play_continues_after_a_reset_of_the_table(table: Table) -> None:
    turn(table, 1, "pine-crane pine-chaff-1", "cherry-chaff-1")
    seen = {
        "field": "wisteria-chaff-1 iris-chaff-1 peony-chaff-1 clover-chaff-1 maple-chaff-1 maple-ribbon",
        "captured": ["pine-crane pine-chaff-1", "plum-ribbon plum-chaff-1 cherry-chaff-1 cherry-curtain"],
    }
    reported(
        table,
        NewEvent(
            "set",
            {
                "field": seen["field"].split(),
                "captured": [pile.split() for pile in seen["captured"]],
                "to_move": 1,
            },
        ),
    )
    view = table.view()["round"]
    assert (view["to_move"], view["phase"], view["stock"]) == (1, "play", 22)
    assert [seat["hand"] for seat in view["seats"]] == [7, 7]
    turn(table, 1, "clover-boar clover-chaff-1", "susuki-chaff-1")
    assert table.record(1)["turns"][1]["laid"]["captured"]["1"] == ["pine-crane", "pine-chaff-1"]
    assert table.view()["history"][2]["kind"] == "set"


def test_yaku_seen_at_a_rescan_that_play_went_on_with_were_called() -> None:
    table = opened()
    reported(table, dealt())
    brights = [
        "pine-crane",
        "cherry-curtain",
        "susuki-moon",
        "pine-chaff-1",
        "cherry-chaff-1",
        "susuki-chaff-1",
    ]
    rest = [card.id for card in HANAFUDA if card.id not in brights][:6]
    reported(table, NewEvent("set", {"field": rest, "captured": [brights, []], "to_move": 1}))
    assert table.view()["round"]["seats"][0]["calls"] == 1
    reported(table, NewEvent("undone", {"of": table.seq}))
    # After two turns it is the dealer's turn; if the other is to move, he has just played, and decides.
    reported(table, NewEvent("set", {"field": rest, "captured": [[], brights], "to_move": 2}))
    assert table.view()["round"]["decision"]["seat"] == 2


def test_a_question_s_answer_brings_its_events(table: Table) -> None:
    choices = [
        {
            "says": {"en": words, "ja": words},
            "p": p,
            "events": [{"kind": "moved", "data": {"player": 1, "words": words.split()}}],
        }
        for words, p in (("play maple-deer maple-chaff-1", 0.6), ("play maple-deer maple-ribbon", 0.4))
    ]
    text = {"en": "Which one was taken?", "ja": "どちらを取った？"}
    asked = reported(
        table, NewEvent("asked", {"text": text, "choices": choices, "picture": None}), source="camera"
    )[0]
    assert [question["seq"] for question in table.view()["questions"]] == [asked.seq]
    answered = reported(table, NewEvent("answered", {"of": asked.seq, "choice": 1}))
    assert [event.kind for event in answered] == ["answered", "moved"]
    assert answered[1].group == answered[0].seq
    assert table.round is not None
    assert table.round.captured(1) == ("maple-deer", "maple-ribbon")
    assert table.open_questions == []
    with raises_text(BadRequestError, match="no longer open"):
        reported(table, NewEvent("answered", {"of": asked.seq, "choice": 0}))
    reported(table, NewEvent("undone", {"of": answered[0].seq}))
    assert table.view()["questions"] != []


@pytest.mark.parametrize(
    ("new", "says"),
    [
        (NewEvent("moved", {"player": 1, "words": ["jump"]}), "is not a move"),
        (NewEvent("moved", {"player": 3, "words": ["play", "pine-crane"]}), "player must be"),
        (NewEvent("moved", {"player": 1, "words": []}), "moved.words must have at least 1 item"),
        (NewEvent("undone", {"of": 99}), "this table has no event 99"),
        (NewEvent("undone", {"of": 1}), "event 1 is opened"),
        (NewEvent("undone", {}), "undone must have of"),
        (NewEvent("corrected", {"of": 2, "kind": "moved", "data": {"player": 1, "words": ["play", "x"]}}), "event 2 is dealt"),
        (NewEvent("corrected", {"of": 2}), "corrected must have kind"),
        (NewEvent("inserted", {"before": 2, "kind": "undone", "data": {"of": 1}}), "inserted must contain one of"),
        (NewEvent("settled", {"of": 2}), "event 2 is dealt, not asked or noticed"),
        (NewEvent("opened", {}), "open already"),
        (NewEvent("dealt", {"deal": {"field": ["pine-crane"]}}), "round 1 is not over"),
        (NewEvent("began", {"dealer": 0}), "dealer must be"),
        (NewEvent("set", {"field": [], "captured": [[]], "to_move": 1}), "captured must have 2 entries, one per player"),
        (NewEvent("danced", {}), "no event 'danced'"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_invalid_input_is_rejected_with_one_sentence(table: Table, new: NewEvent, says: str) -> None:
    before = table.view()
    with raises_text(BadRequestError, match=says):
        reported(table, new)
    assert table.view() == before


def test_a_misdeal_is_rejected_unless_unchecked() -> None:
    table = opened()
    seven = " ".join(FIELD.split()[:7])
    with raises_text(BadRequestError, match="the field was dealt 7 cards, not 8"):
        reported(table, dealt(field=seven))
    reported(table, dealt(field=seven, unchecked=True))
    assert table.view()["history"][0]["problems"][0]["code"] == "misdeal"


def test_a_broken_off_round_does_not_count(table: Table) -> None:
    three_brights(table)
    reported(table, NewEvent("abandoned", {}))
    assert table.view()["round"] is None
    assert table.round is None
    with raises_text(BadRequestError, match="was abandoned"):
        reported(table, moved(1, "call stop"))
    reported(table, dealt())
    assert table.game.points == (0, 0)
    assert table.round_number == 2


def test_other_rules_for_the_whole_evening(table: Table) -> None:
    """At the end of a round the rules are corrected: everything is computed again, and nothing is lost."""
    three_brights(table)
    reported(table, moved(1, "call stop"))
    dearer = {**table.events[0].data, "rules": {"preset": "koikoi-standard", "three_brights": 6}}
    reported(table, NewEvent("corrected", {"of": 1, "kind": "opened", "data": dearer}))
    assert table.game.points == (6, 0)
    assert table.view()["table"]["rules"]["name"] == "koikoi-standard with 1 change"
    three = {**dearer, "game": "kingo", "rules": None, "players": ["a", "b", "c"]}
    with raises_text(BadRequestError, match="2 play"):
        reported(table, NewEvent("corrected", {"of": 1, "kind": "opened", "data": three}))


def test_a_renamed_player_is_called_so_in_every_line(table: Table) -> None:
    turn(table, 1, "pine-crane pine-chaff-1", "cherry-chaff-1")
    reported(table, NewEvent("seated", {"seat": 1, "name": "Akiko"}))
    view = table.view()
    assert view["table"]["players"][0] == {"seat": 1, "name": "Akiko", "player": "Akiko"}
    assert english(view["history"][1]["says"]).startswith("Akiko plays Crane and Sun")


def test_near_yaku_exclude_cards_of_the_opponent(table: Table) -> None:
    turn(table, 1, "pine-crane pine-chaff-1", "cherry-chaff-1")
    turn(table, 2, "plum-ribbon plum-chaff-1", "willow-swallow")
    turn(table, 1, "cherry-curtain cherry-chaff-1", "susuki-chaff-1")
    near = {each["yaku"]: each for each in table.view()["round"]["seats"][0]["near"]}
    assert near["three-brights"]["needs"] == ["susuki-moon", "paulownia-phoenix"]
    assert near["three-brights"]["have"] == ["pine-crane", "cherry-curtain"]
    assert near["three-brights"]["points"] == 5
    turn(table, 2, "susuki-moon susuki-chaff-1", "paulownia-yellow")
    turn(table, 1, "clover-boar clover-chaff-1", "willow-ribbon willow-swallow")
    near = {each["yaku"]: each for each in table.view()["round"]["seats"][0]["near"]}
    assert near["three-brights"]["needs"] == ["paulownia-phoenix"]


def test_alternatives_start_with_the_camera_s_hypotheses(table: Table) -> None:
    others = [{"words": ["play", "maple-deer", "maple-ribbon"], "p": 0.3}]
    seq = reported(table, moved(1, "play maple-deer maple-chaff-1", others=others), source="camera")[0].seq
    found = table.alternatives(seq)
    assert found[0]["words"] == ["play", "maple-deer", "maple-ribbon"]
    assert found[0]["p"] == 0.3
    # Then the same flower; indistinguishable chaff is offered once.
    output = [english(each["says"]) for each in found]
    assert len(set(output)) == len(output)
    assert found[1]["words"] == ["play", "maple-chaff-2", "maple-chaff-1"]
    reported(table, NewEvent(found[0]["event"]["kind"], found[0]["event"]["data"]))
    assert table.view()["history"][-1]["captured"] == ["maple-deer", "maple-ribbon"]
