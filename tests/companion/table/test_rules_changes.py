"""Other rules during an evening: from the next round on, in the history, undone, corrected, and the same after a rebuild."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.rules import Rules, resolve
from companion.hanafuda.rules.share import encode
from companion.messages import render
from companion.paper.receipt import ReceiptRules, receipt_of_table
from companion.people.nights import game_result
from companion.table import NewEvent, Table
from companion.table.audiences import Audiences
from tests.companion.table.fold_helpers import opened, play_on, reported, shuffled_deal, state
from tests.message_text import english, raises_text

SHORT = resolve({"preset": "koikoi-hu", "rounds": 3, "three_brights": 50})


def change(rules: Rules, name: str | None = None) -> NewEvent:
    return NewEvent("rules_changed", {"rules": rules.to_dict(), "rules_name": name or rules.name})


def play_round(table: Table, seed: int) -> None:
    reported(table, shuffled_deal(table, seed))
    play_on(table, Random(seed))


def rebuilt(table: Table) -> Table:
    return Table.of(table.events)


def test_the_current_round_keeps_its_rules_and_the_next_one_has_the_new_ones() -> None:
    table = opened()
    first = table.rules
    play_round(table, 1)
    reported(table, shuffled_deal(table, 2))
    reported(table, change(SHORT, "Ours"))
    assert (table.rules, table.next_rules) == (first, SHORT)
    view = table.view()
    assert view["table"]["rules"]["hash"] == first.hash
    assert view["table"]["next_rules"] == {"name": "Ours", "hash": SHORT.hash, "code": encode(SHORT)}
    assert view["night"]["of"] == 12
    play_on(table, Random(2))
    assert table.rules == SHORT
    assert table.view()["table"]["next_rules"] is None
    assert table.view()["night"]["of"] == 3
    play_round(table, 3)
    assert [live.round.rules for live in table.rounds] == [first, first, SHORT]
    assert [each["rules"]["hash"] for each in table.view()["night"]["rounds"]] == [
        first.hash,
        first.hash,
        SHORT.hash,
    ]
    assert table.game.outcome() is not None  # three rounds are all by the new rules
    assert state(rebuilt(table)) == state(table)


def test_the_history_says_what_changes_before_the_first_round_by_the_new_rules() -> None:
    table = opened(rules="koikoi-hu")
    reported(table, shuffled_deal(table, 1))
    reported(table, change(SHORT, "Ours"))
    play_on(table, Random(1))
    (line,) = [each for each in table.view()["history"] if each["kind"] == "rules"]
    assert (line["round"], english(line["says"])) == (2, "Rules changed to “Ours”")
    assert line["rules"]["hash"] == SHORT.hash
    assert [
        (each["sentence"]["code"], each["meaning"]["params"], each["before"]["params"])
        for each in line["differences"]
    ] == [
        ("rule-koikoi-three-brights", {"count": 50}, {"count": 6}),
        ("rule-koikoi-rounds", {"count": 3}, {"count": 12}),
    ]
    assert table.view()["history"][-1] == line
    play_round(table, 2)
    kinds = [(each["round"], each["kind"]) for each in table.view()["history"]]
    assert kinds.index((2, "rules")) == kinds.index((2, "deal")) - 1


def test_a_change_is_undone_and_restored() -> None:
    table = opened()
    first = table.rules
    play_round(table, 1)
    reported(table, change(SHORT))
    target = table.undo_target()
    assert target is not None
    assert english(table.view()["undo"]["says"]).startswith("Rules changed to")
    reported(table, NewEvent("undone", {"of": target.seq}))
    assert (table.rules, table.rules_changes) == (first, [])
    assert not [each for each in table.view()["history"] if each["kind"] == "rules"]
    redo = table.redo_target()
    assert redo is not None
    reported(table, NewEvent("undone", {"of": redo.seq}))
    assert table.rules == SHORT


def test_undoing_a_change_recomputes_the_rounds_after_it() -> None:
    table = opened()
    play_round(table, 1)
    (changed,) = reported(table, change(resolve({"field_four": "play_on"})))
    play_round(table, 2)
    reported(table, NewEvent("undone", {"of": changed.seq}))
    assert {live.round.rules for live in table.rounds} == {resolve(None)}
    assert state(rebuilt(table)) == state(table)


def test_a_change_is_corrected_and_a_missed_one_inserted() -> None:
    table = opened()
    (changed,) = reported(table, change(SHORT))
    play_round(table, 1)
    play_round(table, 2)
    other = resolve("koikoi-guide")
    data = {"rules": other.to_dict(), "rules_name": other.name}
    reported(table, NewEvent("corrected", {"of": changed.seq, "kind": "rules_changed", "data": data}))
    assert {live.round.rules for live in table.rounds} == {other}
    second = table.rounds[1].items[0].seq
    late = {"rules": SHORT.to_dict(), "rules_name": "Ours"}
    reported(table, NewEvent("inserted", {"before": second, "kind": "rules_changed", "data": late}))
    assert [live.round.rules for live in table.rounds] == [other, SHORT]
    assert table.rules.name == "Ours"
    reported(table, NewEvent("corrected", {"of": changed.seq, "kind": None, "data": {}}))
    assert [live.round.rules for live in table.rounds] == [resolve(None), SHORT]
    assert state(rebuilt(table)) == state(table)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({"rules": resolve("kekoro").to_dict()}, "the rules have no option"),
        ({"rules": {"rounds": 0}}, "would never end"),
        ({"rules": "koikoi-hu"}, "rules must be an object with all options"),
        ({}, "rules_changed must have rules"),
        ({"rules": {}, "game": "kekoro"}, "rules_changed has no 'game'"),
    ],
)
def test_rules_that_do_not_fit_are_refused(data: dict[str, Any], reason: str) -> None:
    table = opened()
    before = table.view()
    with raises_text(BadRequestError, match=reason):
        reported(table, NewEvent("rules_changed", data))
    assert (table.seq, table.view()) == (1, before)


def test_rules_for_another_number_of_players_are_refused() -> None:
    table = opened("kakkuri")  # five players
    with pytest.raises(BadRequestError):
        reported(table, change(resolve("kakkuri")))  # seven or eight
    assert table.seq == 1


def test_rules_of_another_form_of_the_game_are_refused() -> None:
    table = opened("kingo")
    with pytest.raises(BadRequestError):
        reported(table, NewEvent("rules_changed", {"rules": {"preset": "kingo-bank"}}))


def test_rules_for_other_cards_are_refused() -> None:
    table = opened("kingo")
    with raises_text(BadRequestError, match="the deck cannot be changed"):
        reported(table, change(resolve({"preset": "kingo", "deck": "kabufuda"})))


@pytest.mark.parametrize("then", [None, "abandoned"])
def test_open_hands_from_the_next_round_on_reveal_no_hand_of_the_current_one(then: str | None) -> None:
    table = opened("kingo")
    reported(table, shuffled_deal(table, 1))
    audiences = Audiences(table)
    hidden = audiences.known(None).events[1].data["deal"]["hands"]
    assert hidden != table.events[1].data["deal"]["hands"]
    new = [change(resolve({"preset": "kingo", "hands": "face_up"}))]
    if then is not None:
        new.append(NewEvent("abandoned", {}))
    audiences.append(None, new, actor="host", source="phone", time="2026-11-21T20:00:00Z")
    assert audiences.known(None).events[1].data["deal"]["hands"] == hidden


def test_results_and_receipt_have_the_rules_of_each_round() -> None:
    table = opened()
    play_round(table, 1)
    reported(table, change(SHORT, "Ours"))
    play_round(table, 2)
    play_round(table, 3)
    result = game_result(table)
    assert [(each.rules_name, each.rules_hash) for each in result.rounds] == [
        ("koikoi-standard", resolve(None).hash),
        ("Ours", SHORT.hash),
        ("Ours", SHORT.hash),
    ]
    assert (result.rules_name, result.of) == ("Ours", 3)
    assert receipt_of_table(table).rules == (
        ReceiptRules(1, "koikoi-standard", resolve(None).hash),
        ReceiptRules(2, "Ours", SHORT.hash),
    )
    assert table.record(1)["rules"] == "koikoi-standard"
    assert resolve(table.record(3)["rules"]) == SHORT


def test_a_change_opens_a_closed_table_again_and_names_its_rules_in_every_language() -> None:
    table = opened()
    play_round(table, 1)
    reported(table, NewEvent("closed", {}))
    (changed,) = reported(table, change(resolve("koikoi-hu")))
    assert table.status == "open"
    assert [render(table.says(changed), each) for each in ("en", "ja", "ko")] == [
        "Rules changed to “Six-point sets”",
        "ルールを「三枚役は6点」に変えた",
        "규칙을 “세 장 족보 6점”으로 바꿨어요",
    ]


PRESETS_OF = {
    "koikoi": ["koikoi-standard", "koikoi-guide", "koikoi-hu", {"preset": "koikoi-hu", "rounds": 3}],
    "kingo": ["kingo", {"preset": "kingo", "stones": 80}, {"preset": "kingo", "hands": "face_up"}],
}


@settings(max_examples=40, deadline=None)
@given(
    game=st.sampled_from(sorted(PRESETS_OF)),
    steps=st.lists(
        st.one_of(
            st.tuples(st.just("round"), st.integers(0, 9)),
            st.tuples(st.just("deal"), st.integers(0, 9)),
            st.tuples(st.just("rules"), st.integers(0, 3)),
            st.tuples(st.just("undo"), st.just(0)),
            st.tuples(st.just("abandon"), st.just(0)),
        ),
        max_size=9,
    ),
)
def test_the_table_is_the_same_as_rebuilt_from_its_events(game: str, steps: list[tuple[str, int]]) -> None:
    table = opened(game)
    for step, number in steps:
        live = table.live
        playing = live is not None and live.outcome is None and not live.abandoned
        match step:
            case "round" | "deal" if not playing and table.game.outcome() is None:
                reported(table, shuffled_deal(table, number))
                if step == "round":
                    play_on(table, Random(number))
            case "rules":
                wanted = PRESETS_OF[game][number % len(PRESETS_OF[game])]
                reported(table, change(resolve(wanted)))
            case "undo" if (target := table.undo_target()) is not None:
                reported(table, NewEvent("undone", {"of": target.seq}))
            case "abandon" if playing:
                reported(table, NewEvent("abandoned", {}))
        assert state(rebuilt(table)) == state(table)
