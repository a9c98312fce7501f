"""Rounds recorded by their result: points by the rules in force, refusals with the reason, undo and correction."""

from __future__ import annotations

from typing import Any

import pytest

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.replay import replay
from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.simulation import random_round, record_of
from companion.messages import error_text
from companion.paper.receipt import receipt_of_table
from companion.people.nights import game_result
from companion.table import NewEvent, Table
from companion.table.results import form_of, preview
from tests.message_text import raises_text

BY: dict[str, Any] = {"actor": "host", "source": "phone", "time": "2026-11-21T19:00:00Z"}
PILE = ["pine-crane", "pine-ribbon", "susuki-moon", "susuki-geese", "cherry-curtain", "cherry-chaff-1"]


def opened(game: str = "koikoi", players: int = 2, rules: object = None) -> Table:
    names = ["Ren", "Hana", "Mei", "Aoi", "Yui", "Sora", "Kai"][:players]
    data = {"id": "t", "name": None, "game": game, "rules": rules, "players": names, "deck": None}
    return Table.open(NewEvent("opened", data), **BY)


def scored(table: Table, *seats: dict[str, Any], **data: Any) -> Any:
    """Report a result of a round that was not dealt, and return its outcome."""
    event = {"new_round": True, "seats": list(seats), **data}
    table.append([NewEvent("scored", event)], **BY)
    assert table.live is not None
    assert table.view() == Table.of(table.events).view()
    return table.live.outcome


def yaku(*slugs: str, **further: int) -> dict[str, Any]:
    return {"yaku": {**dict.fromkeys(slugs, 0), **further}}


def refused(table: Table, *seats: dict[str, Any], **data: Any) -> str:
    """Report an impossible result, and return the reason; nothing may be recorded."""
    before = table.seq
    with pytest.raises(BadRequestError) as error:
        scored(table, *seats, **data)
    assert table.seq == before
    assert table.round_number == 0
    return error_text(error.value)


# --- Koi-Koi


def test_the_multipliers_follow_from_the_rules() -> None:
    table = opened()
    outcome = scored(table, yaku("three-brights"), {"calls": 1}, winners=[1])
    assert (outcome.how, outcome.points, outcome.next_dealer) == ("stop", (10, 0), 1)
    outcome = scored(table, {}, yaku("poetry-ribbons", "blue-ribbons", "ribbons"), winners=[2])
    assert outcome.points == (0, 24)  # 5 + 5 + 2 for six ribbons, doubled from seven on
    assert (table.game.points, table.game.month, table.game.dealer) == ((10, 24), 3, 2)


def test_further_cards_of_a_counted_yaku() -> None:
    assert scored(opened(), yaku(chaff=2), {}, winners=[1]).points == (3, 0)


def test_nobody_wins_an_exhausted_round() -> None:
    table = opened(rules={"preset": "koikoi-standard", "exhausted": 6})
    outcome = scored(table, {"calls": 1}, {}, winners=[], dealer=2)
    assert (outcome.how, outcome.winners, outcome.points) == ("exhausted", (), (0, 6))


def test_plain_points_are_taken_as_counted() -> None:
    table = opened(rules={"preset": "koikoi-standard", "zero_sum": True})
    assert scored(table, {"points": 12}, {}, winners=[1]).points == (12, -12)


def test_a_dealt_hand_wins() -> None:
    outcome = scored(opened(), yaku("four-of-a-kind"), {}, winners=[1])
    assert (outcome.how, outcome.points) == ("teyaku", (6, 0))


@pytest.mark.parametrize(
    ("seats", "winner", "reason"),
    [
        ([yaku("three-brights", "four-brights"), {}], 1, "Three Brights does not count beside Four Brights"),
        ([yaku("poetry-ribbons", "blue-ribbons"), {}], 1, "also make Ribbons"),
        ([yaku("four-brights"), yaku("flower-viewing")], 1, "both players would need Curtain"),
        ([yaku("three-brights"), yaku("flower-viewing", "moon-viewing")], 1, "same cards"),
        ([yaku("chaff", chaff=10), yaku("chaff", chaff=10)], 1, "same cards"),
        ([{**yaku("three-brights"), "points": 6}, {}], 1, "make 5 points, not 6"),
        ([{}, {}], 1, "Ren needs a yaku"),
        ([{**yaku("chaff"), "calls": 1}, {}], 1, "cannot have called koi-koi 1 time"),
        ([yaku("nothing"), {}], 1, "not played by these rules"),
        ([yaku("month-cards"), {}], 1, "not played by these rules"),
    ],
)
def test_an_impossible_result_is_refused_with_the_reason(
    seats: list[dict[str, Any]], winner: int, reason: str
) -> None:
    assert reason in refused(opened(), *seats, winners=[winner])


def test_both_players_may_hold_yaku_of_different_cards() -> None:
    table = opened()
    outcome = scored(table, {**yaku("three-brights"), "calls": 1}, yaku("flower-viewing"), winners=[2])
    assert outcome.points == (0, 10)
    (result,) = game_result(table).rounds
    assert [seat.yaku for seat in result.seats] == [(("three-brights", 5),), (("flower-viewing", 5),)]
    assert [seat.calls for seat in result.seats] == [1, 0]


def test_the_points_of_ticked_yaku_are_those_of_the_played_round() -> None:
    """Rounds played to a stop, entered again by their yaku, calls and piles."""
    checked = 0
    for seed in range(60):
        played = random_round("koikoi", seed, "koikoi-standard")
        outcome = played.outcome()
        if outcome is None or outcome.how not in {"stop", "last-card"}:
            continue
        table, by_piles = opened(rules=played.rules), opened(rules=played.rules)
        calls = [played.state.calls[seat] for seat in (0, 1)]
        paid = played.score(outcome.winners[0]).paid
        seats: list[dict[str, Any]] = [{"calls": calls[0]}, {"calls": calls[1]}]
        seats[outcome.winners[0] - 1]["yaku"] = {each.yaku.slug: each.further for each in paid}
        month = played.situation()["month"]
        common = {"winners": list(outcome.winners), "dealer": played.dealer, "month": month}
        assert scored(table, *seats, **common).points == outcome.points
        piles = [{"calls": calls[seat], "captured": list(played.captured(seat + 1))} for seat in (0, 1)]
        assert scored(by_piles, *piles, **common).points == outcome.points
        assert by_piles.live is not None
        assert by_piles.live.outcome.next_dealer == outcome.next_dealer  # type: ignore[union-attr]
        checked += 1
    assert checked > 10


# --- piles


def test_final_piles_are_scored_and_displayed() -> None:
    table = opened()
    outcome = scored(table, {"captured": PILE}, {"captured": ["iris-bridge", "iris-ribbon"]}, winners=[1])
    assert outcome.points == (5, 0)
    seats = table.view()["round"]["seats"]
    assert seats[0]["captured"]["bright"] == ["pine-crane", "susuki-moon", "cherry-curtain"]
    assert (seats[0]["total"], seats[0]["hand"], table.view()["round"]["field"]) == (5, 0, [])


def test_the_second_of_two_alike_is_the_other_one() -> None:
    table = opened()
    scored(table, {"captured": [*PILE, "plum-chaff-1", "plum-ribbon"]}, {"captured": ["plum-chaff-1", "plum-warbler"]}, winners=[1])  # fmt: skip
    assert table.view()["round"]["seats"][1]["captured"]["chaff"] == ["plum-chaff-2"]


@pytest.mark.parametrize(
    ("piles", "reason"),
    [
        ([PILE, ["pine-crane", "pine-chaff-1"]], "Crane and Sun is in the piles of both Ren and Hana"),
        ([PILE, ["iris-bridge"]], "1 Iris card"),
        ([["iris-bridge", "iris-ribbon"], PILE], "Ren needs a yaku"),
        ([PILE, ["kabu-1-a"]], "not a card of this game"),
    ],
)
def test_impossible_piles_are_refused(piles: list[list[str]], reason: str) -> None:
    assert reason in refused(opened(), *({"captured": pile} for pile in piles), winners=[1])


# --- the other games


def test_kekoro_by_points_yaku_and_piles() -> None:
    table = opened("kekoro")
    assert scored(table, {"points": 180}, {"points": 150}).winners == (1,)
    assert "also make" in refused(
        opened("kekoro"),
        {"points": 200, **yaku("kirishima", "gundari", "goroju", "sangoro")},
        {"points": 150},
    )
    played = next(
        played
        for seed in range(30)
        if (played := random_round("kekoro", seed)).outcome().how == "played-out"  # type: ignore[union-attr]
    )
    piles = [{"captured": list(played.captured(seat))} for seat in (1, 2)]
    assert scored(opened("kekoro"), *piles).points == played.outcome().points  # type: ignore[union-attr]
    assert "needs a lead" in refused(
        opened("kekoro"), {"points": 90, **yaku("ebi")}, {"points": 60}, how="yaku-victory"
    )


def test_kakkuri_pays_by_how_the_round_ended() -> None:
    table = opened("kakkuri", 7)
    outcome = scored(table, {"paid": 1}, *({} for _ in range(6)), winners=[3], how="guri")
    assert outcome.points == (-3, -2, 13, -2, -2, -2, -2)
    scored(table, {"paid": 1}, *({} for _ in range(6)), winners=[])
    assert (table.game.pot, table.game.dealer) == (1, 3)
    assert scored(table, *({} for _ in range(7)), winners=[2], how="win").points[1] == 7


def test_kingo_takes_the_pot() -> None:
    table = opened("kingo", 3)
    outcome = scored(table, {"out": True}, yaku("shigoro"), {}, winners=[2])
    assert outcome.points == (-4, 6, -2)
    assert sum(scored(table, {}, {}, {}, winners=[2, 3]).points) == 0
    assert "does not fit" in refused(opened("kingo", 3), yaku("kingo"), {}, {}, winners=[2])
    assert "somebody wins" in refused(opened("kingo", 3), {}, {}, {}, winners=[])


def test_kingo_against_a_banker_adds_up_to_nothing() -> None:
    assert scored(opened("kingo-bank", 3), {}, {"points": 3}, {"points": -1}).points == (-2, 3, -1)
    assert "sum is 7" in refused(opened("kingo-bank", 3), {"points": 5}, {"points": 3}, {"points": -1})


# --- at a table


def test_a_result_ends_the_current_round() -> None:
    table, played = opened(), random_round("koikoi", 3)
    record = record_of(played)
    field = record["deal"]["field"]
    table.append([NewEvent("dealt", {"deal": {"field": field}, "dealer": 2})], **BY)
    assert not form_of(table)["new_round"]
    move = played.moves[0] if played.dealer == 2 else None
    if move is not None:
        table.append([NewEvent("moved", {"player": 2, "words": list(move.words())})], **BY)
    ended = {"winners": [2], "seats": [{}, yaku("moon-viewing")]}
    table.append([NewEvent("scored", ended)], **BY)
    assert table.round_number == 1
    assert table.game.points == (0, 5)
    with raises_text(BadRequestError, match="entered already"):
        table.append([NewEvent("scored", ended)], **BY)
    with raises_text(BadRequestError, match="entered already"):
        table.append([NewEvent("moved", {"player": 1, "words": ["play", "pine-crane"]})], **BY)
    assert table.legal_moves() == []
    record = table.record(1)
    assert record["deal"]["field"] == field
    assert replay(record).agrees


def test_undo_redo_and_correction() -> None:
    table = opened()
    scored(table, yaku("three-brights"), {}, winners=[1])
    scored(table, {}, yaku("chaff"), winners=[2])
    first = table.events[1].seq
    target = table.undo_target()
    assert target is not None
    table.append([NewEvent("undone", {"of": target.seq})], **BY)
    assert (table.game.points, table.round_number) == ((5, 0), 1)
    again = table.redo_target()
    assert again is not None
    table.append([NewEvent("undone", {"of": again.seq})], **BY)
    assert table.game.points == (5, 1)
    other = {"new_round": True, "winners": [2], "seats": [{"calls": 1}, yaku("four-brights")]}
    table.append([NewEvent("corrected", {"of": first, "kind": "scored", "data": other})], **BY)
    assert table.game.points == (0, 33)
    bad = {**other, "seats": [{}, yaku("three-brights", "four-brights")]}
    with raises_text(BadRequestError, match="does not count"):
        table.append([NewEvent("corrected", {"of": first, "kind": "scored", "data": bad})], **BY)
    data = {**other, "new_round": False}
    with raises_text(BadRequestError, match="new_round"):
        table.append([NewEvent("corrected", {"of": first, "kind": "scored", "data": data})], **BY)
    table.append([NewEvent("corrected", {"of": first, "kind": None})], **BY)
    assert table.game.points == (0, 1)
    assert table.view() == Table.of(table.events).view()


def test_a_result_that_other_rules_make_impossible_does_not_count() -> None:
    table = opened()
    scored(table, yaku("four-of-a-kind"), {}, winners=[1])
    opening = {**table.events[0].data, "rules": {"preset": "koikoi-standard", "four_of_a_kind": 0}}
    table.append([NewEvent("corrected", {"of": 1, "kind": "opened", "data": opening})], **BY)
    assert table.game.points == (0, 0)
    (line,) = table.view()["history"]
    assert [problem["code"] for problem in line["problems"]] == ["impossible-result"]


def test_the_game_ends_after_its_rounds() -> None:
    table = opened(rules={"preset": "koikoi-standard", "rounds": 2})
    scored(table, yaku("three-brights"), {}, winners=[1])
    scored(table, yaku("three-brights"), {}, winners=[1])
    assert table.game.outcome() is not None
    with raises_text(BadRequestError, match="game is over"):
        scored(table, yaku("three-brights"), {}, winners=[1])


def test_records_receipt_and_log_have_the_result() -> None:
    table = opened()
    scored(table, yaku("three-brights"), {"calls": 1}, winners=[1])
    scored(table, {"captured": PILE}, {"captured": []}, winners=[1])
    for number in (1, 2):
        replayed = replay(table.record(number))
        assert (replayed.legal, replayed.agrees) == (True, True)
        assert replayed.to_dict()["yaku"]["1"] == [["three-brights", 5]]
    receipt = receipt_of_table(table)
    assert [[(each.seat, each.points) for each in one.yaku] for one in receipt.rounds] == [[(1, 5)], [(1, 5)]]
    assert [each.month for each in game_result(table).rounds] == [1, 2]


def test_a_record_with_another_result_disagrees() -> None:
    table = opened()
    scored(table, yaku("three-brights"), {}, winners=[1])
    record = table.record(1)
    record["result"]["points"]["1"] = 6
    assert replay(record).agrees is False
    record["scored"]["seats"][0]["yaku"]["four-brights"] = 0
    assert replay(record).agrees is False


def test_a_preview_scores_and_stores_nothing() -> None:
    table = opened()
    data = {"new_round": True, "winners": [1], "seats": [yaku("three-brights"), {"calls": 2}]}
    assert preview(table, data).outcome.points == (10, 0)
    assert table.seq == 1
    form = form_of(table)
    assert (form["round"], form["new_round"], form["month"], form["dealer"]) == (1, True, 1, 1)
    assert {"three-brights", "chaff", "four-pairs"} <= {each["name"] for each in form["yaku"]}


# --- dealers that nobody entered


def test_a_dealer_that_nobody_entered_follows_from_corrected_results() -> None:
    """The page sent the dealer that it had filled in, so after a correction of round 2 the dealer of round 3 was wrong."""
    table = opened()
    for winner in (1, 1, 2):
        scored(table, *(yaku("three-brights") if seat == winner else {} for seat in (1, 2)), winners=[winner])
    assert [each["dealer"] for each in table.view()["night"]["rounds"]] == [1, 1, 1]
    second = {"new_round": True, "winners": [2], "seats": [{}, yaku("three-brights")]}
    table.append([NewEvent("corrected", {"of": 3, "kind": "scored", "data": second})], **BY)
    assert [each["dealer"] for each in table.view()["night"]["rounds"]] == [1, 1, 2]
    assert [line["problems"] for line in table.view()["history"]] == [[], [], []]


def test_a_deal_in_turn_follows_from_corrected_results_until_a_move_shows_who_dealt() -> None:
    table = opened()
    scored(table, yaku("three-brights"), {}, winners=[1])
    played = random_round("koikoi", 3, players=2)
    deal = {"deal": {"field": list(played.deal.field)}, "dealer_in_turn": True}
    table.append([NewEvent("dealt", deal)], **BY)
    assert (table.view()["round"]["dealer"], table.dealer_known) == (1, True)
    correction = NewEvent(
        "corrected",
        {
            "of": 2,
            "kind": "scored",
            "data": {"new_round": True, "winners": [2], "seats": [{}, yaku("three-brights")]},
        },
    )
    table.append([correction], **BY)
    assert (table.view()["round"]["dealer"], table.dealer_known) == (2, True)
    assert table.view()["history"][-1]["problems"] == []
    table.append([NewEvent("undone", {"of": 4})], **BY)
    move, _ = table.legal_moves()[0]
    table.append([NewEvent("moved", {"player": 1, "words": list(move.words())})], **BY)
    table.append([correction], **BY)
    assert table.view()["round"]["dealer"] == 1
    assert [line["problems"] for line in table.view()["history"]] == [[], [], []]


def test_a_deal_in_turn_refuses_the_first_move_of_another_player() -> None:
    table = opened()
    played = random_round("koikoi", 3, players=2)
    table.append(
        [NewEvent("dealt", {"deal": {"field": list(played.deal.field)}, "dealer_in_turn": True})], **BY
    )
    move, _ = table.legal_moves()[0]
    with pytest.raises(IllegalMoveError):
        table.append([NewEvent("moved", {"player": 2, "words": list(move.words())})], **BY)
