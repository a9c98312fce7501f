"""The meaning of buttons at a table, for each game and seat, and the message if there is none."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from fold_helpers import SEATS, moved, opened, play_on, reported, shuffled_deal
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hanafuda.messages import Message, player_message
from companion.messages import render
from companion.table import NewEvent, Table
from companion.table.presses import BUTTONS, PressRefusedError, did, pressed

# The field has three brights and the boar: Aiko captures sake with chaff and the moon, flower- and moon-
# viewing in one turn.
FIELD = "cherry-curtain plum-ribbon chrysanthemum-chaff-1 iris-bridge peony-ribbon clover-boar susuki-moon maple-deer"


def decided() -> Table:
    """A Koi-Koi table at which Aiko has just made a yaku: cup with moon."""
    table = opened()
    reported(table, NewEvent("dealt", {"deal": {"field": FIELD.split()}, "dealer": 1}))
    reported(
        table,
        moved(1, "play chrysanthemum-sake chrysanthemum-chaff-1"),
        moved(1, "draw susuki-geese susuki-moon"),
    )
    return table


def press(table: Table, button: Any, seat: int | None = None, how: Any = "press") -> str:
    """Press a button, and return its events."""
    events = reported(table, *pressed(table, seat, button, how), source="button")
    output = did(table, events)
    assert output is not None
    assert all(output.to_dict().values())
    return render(output)


def player(name: str) -> Message:
    return Message("player-name", {"name": name})


def refused(table: Table, button: Any, seat: int | None = None, how: Any = "press") -> tuple[str, Message]:
    """Press a button without a meaning, and return the reason."""
    before = table.view()
    with pytest.raises(PressRefusedError) as error:
        pressed(table, seat, button, how)
    assert table.view() == before
    assert all(error.value.message.to_dict().values())
    return error.value.code, error.value.message


def words(events: list[NewEvent]) -> list[Any]:
    return [(each.data["player"], *each.data["words"]) for each in events]


# --- koi-koi and stop


@pytest.mark.parametrize("seat", [None, 1])
@pytest.mark.parametrize(("button", "word"), [("koi-koi", "koikoi"), ("stop", "stop")])
def test_the_button_makes_the_call_of_the_deciding_player(seat: int | None, button: Any, word: str) -> None:
    assert words(pressed(decided(), seat, button)) == [(1, "call", word)]


def test_koi_koi_goes_on_and_stop_ends_the_round() -> None:
    table = decided()
    assert press(table, "koi-koi") == "Aiko calls koi-koi"
    assert table.view()["round"]["to_move"] == 2
    assert table.view()["round"]["outcome"] is None
    table = decided()
    assert press(table, "stop", 1) == "Aiko stops"
    assert table.view()["night"]["points"] == [5, 0]


def test_a_press_at_the_other_seat_names_the_deciding_player() -> None:
    assert refused(decided(), "koi-koi", 2) == (
        "another-decides",
        Message("press-another-decides", {"decider": player("Aiko"), "player": player("Ben")}),
    )


def test_a_seat_without_a_name_is_called_by_its_number() -> None:
    table = decided()
    reported(table, NewEvent("seated", {"seat": 1, "name": ""}))
    assert render(refused(table, "stop", 2)[1]) == "The decision is up to player 1, not Ben"


def test_a_second_press_finds_nothing_to_decide() -> None:
    table = decided()
    press(table, "koi-koi", 1)
    slug, text = refused(table, "koi-koi", 1)
    assert slug == "call-without-yaku"
    assert render(text).startswith("Aiko called koi-koi, but")


@pytest.mark.parametrize("button", ["koi-koi", "stop", "pass"])
def test_without_a_deal_a_press_is_rejected(button: Any) -> None:
    assert refused(opened(), button)[0] == "no-round"


@pytest.mark.parametrize("button", ["koi-koi", "stop", "pass"])
def test_after_the_round_the_next_deal_is_waited_for(button: Any) -> None:
    table = decided()
    press(table, "stop")
    slug, text = refused(table, button)
    assert slug == "round-over"
    assert text == Message("waiting-deal", {"player": player("Aiko")})


def test_before_a_play_the_message_names_the_player_to_move() -> None:
    table = opened()
    reported(table, NewEvent("dealt", {"deal": {"field": FIELD.split()}, "dealer": 1}))
    slug, text = refused(table, "koi-koi", 2)
    assert slug == "out-of-turn"
    assert render(text) == "Ben has nothing to decide now: it is Aiko's turn"


def test_there_is_no_pass_in_koi_koi() -> None:
    slug, text = refused(decided(), "pass")
    assert slug == "not-in-this-game"
    assert render(text) == "The button pass has no meaning in Koi-Koi. Waiting for Aiko to decide"


def test_a_seat_that_is_not_there() -> None:
    for button in BUTTONS:
        assert refused(decided(), button, 3)[0] == "no-such-seat"


# --- the other games


def kakkuri(seed: int = 3, rules: Any = None) -> Table:
    table = opened("kakkuri", rules)
    reported(table, shuffled_deal(table, seed))
    return table


def kingo(**rules: Any) -> Table:
    table = opened("kingo", {"preset": "kingo", **rules} if rules else None)
    reported(table, shuffled_deal(table, 1, hidden=True))
    return table


def test_kakkuri_buttons_depend_on_the_phase() -> None:
    table = kakkuri()
    board = table.view()["round"]
    assert board["phase"] == "swap"
    first = board["to_move"]
    assert words(pressed(table, None, "pass")) == [(first, "keep")]
    assert words(pressed(table, first, "koi-koi")) == [(first, "swap")]
    later = first % 5 + 1
    assert refused(table, "pass", later)[0] == "out-of-turn"
    while table.view()["round"]["phase"] == "swap":
        press(table, "pass")
    reported(table, moved(table.view()["round"]["to_move"], f"box {table.round.deal.stock[0]}"))
    assert refused(table, "koi-koi")[0] == "swaps-over"
    rng = Random(1)
    for _ in range(200):
        assert table.round is not None
        legal = table.round.legal_moves()
        if any(move.words() == ("pass",) for move in legal):
            break
        move = rng.choice(legal)
        reported(table, moved(move.player, " ".join(move.words())))
    player = table.view()["round"]["to_move"]
    assert words(pressed(table, None, "pass")) == words(pressed(table, player, "pass")) == [(player, "pass")]
    assert press(table, "pass").endswith(" passes")


def test_dropping_out_of_kakkuri_takes_a_long_press() -> None:
    table = kakkuri()
    while table.view()["round"]["phase"] == "swap":
        press(table, "pass")
    reported(table, moved(table.view()["round"]["to_move"], f"box {table.round.deal.stock[0]}"))
    slug, text = refused(table, "stop")
    assert (slug, render(text)) == (
        "hold-longer",
        "Hold stop for a second, so that it is not pressed by mistake",
    )
    player = table.view()["round"]["to_move"]
    folds = any(move.words() == ("fold",) for move in table.round.legal_moves())
    if folds:
        assert words(pressed(table, None, "stop", "long")) == [(player, "fold")]
    else:
        assert refused(table, "stop", None, "long")[0]


def test_kingo_a_card_passing_and_bareta() -> None:
    table = kingo()
    player = table.view()["round"]["to_move"]
    assert words(pressed(table, None, "koi-koi")) == [(player, "draw", "?")]
    press(table, "koi-koi", player)
    assert words(pressed(table, player, "stop", "long")) == [(player, "bareta")]
    for button in ("stop", "pass"):
        assert words(pressed(table, None, button)) == [(player, "pass")]
    assert refused(table, "pass", player % 3 + 1)[0] == "out-of-turn"


def test_kekoro_the_victory_is_declared_by_stop_and_not_by_koi_koi() -> None:
    table, offered = None, False
    for seed in range(200):
        table = opened("kekoro", {"preset": "kekoro", "declare": "optional", "lead_to_win": 1})
        reported(table, shuffled_deal(table, seed))
        rng = Random(seed)
        while table.round is not None and table.round.outcome() is None:
            decision = table.view()["round"]["decision"]
            if decision and decision["must"]:
                offered = True
                break
            legal = [move for move in table.round.legal_moves() if move.words()[0] != "call"]
            move = rng.choice(legal)
            reported(table, moved(move.player, " ".join(move.words())))
        if offered:
            break
    assert table is not None
    assert offered
    player = table.view()["round"]["decision"]["seat"]
    assert words(pressed(table, None, "stop")) == [(player, "call", "win")]
    assert (
        words(pressed(table, player, "koi-koi"))
        == words(pressed(table, None, "pass"))
        == [(player, "call", "stop")]
    )
    assert refused(table, "stop", 3 - player)[0] == "another-decides"


# --- undo


def test_the_undo_button_undoes_the_same_events_as_the_page() -> None:
    table = decided()
    press(table, "koi-koi")
    assert press(table, "undo") == "Undone: Aiko calls koi-koi"
    assert table.view()["round"]["decision"]["seat"] == 1


def one_by_one() -> Table:
    """The same turn with each card reported separately, after another player's turn."""
    table = opened()
    reported(table, NewEvent("dealt", {"deal": {"field": FIELD.split()}, "dealer": 2}))
    reported(table, moved(2, "play peony-butterflies peony-ribbon"), moved(2, "draw pine-crane"))
    reported(table, moved(1, "play chrysanthemum-sake chrysanthemum-chaff-1"))
    reported(table, moved(1, "draw susuki-geese susuki-moon"))
    return table


def test_a_long_undo_press_undoes_exactly_the_turn() -> None:
    table = one_by_one()
    press(table, "undo", how="long")
    assert [line["kind"] for line in table.view()["history"]] == ["deal", "turn"]
    assert table.view()["round"]["to_move"] == 1


def test_a_long_undo_press_undoes_the_call_with_its_turn() -> None:
    table = one_by_one()
    press(table, "koi-koi")
    press(table, "undo", how="long")
    assert [line["kind"] for line in table.view()["history"]] == ["deal", "turn"]


def test_a_long_undo_press_after_a_correction_undoes_only_the_correction() -> None:
    table = one_by_one()
    drawn = table.events[-1]
    reported(
        table,
        NewEvent(
            "corrected",
            {
                "of": drawn.seq,
                "kind": "moved",
                "data": {"player": 1, "words": ["draw", "susuki-chaff-1", "susuki-moon"]},
            },
        ),
    )
    press(table, "undo", how="long")
    assert table.round is not None
    assert table.round.captured(1) == (
        "susuki-moon",
        "susuki-geese",
        "chrysanthemum-sake",
        "chrysanthemum-chaff-1",
    )


def test_pressed_twice_it_brings_back() -> None:
    table = one_by_one()
    view = table.view()["history"]
    assert refused(table, "undo", how="double")[0] == "nothing-to-bring-back"
    undone = press(table, "undo", how="long")
    assert undone.startswith("Undone: Aiko plays")
    assert press(table, "undo", how="double") == undone.replace("Undone: ", "Restored: ")
    assert table.view()["history"] == view


def test_nothing_to_undo() -> None:
    assert refused(opened(), "undo")[0] == "nothing-to-undo"
    assert refused(opened(), "undo", how="long")[0] == "nothing-to-undo"


# --- next


def asked(*ps: float | None) -> NewEvent:
    choices = [
        {
            "says": Message("event-dealer", {"player": player_message(number)}).to_dict(),
            "p": p,
            "events": [{"kind": "began", "data": {"dealer": number}}],
        }
        for number, p in enumerate(ps, start=1)
    ]
    return NewEvent("asked", {"text": {"code": "question-who-dealt"}, "choices": choices, "picture": None})


def noticed(code: str) -> NewEvent:
    return NewEvent("noticed", {"code": code, "message": {"en": f"{code}.", "ja": f"{code}。"}, "cards": []})


@pytest.mark.parametrize(
    ("ps", "chosen"), [((0.2, 0.7), 1), ((0.7, 0.2), 0), ((None, None), 0), ((None, 0.1), 1)]
)
def test_next_takes_the_likeliest_answer(ps: tuple[float | None, ...], chosen: int) -> None:
    table = opened()
    reported(table, NewEvent("dealt", {"deal": {"field": FIELD.split()}, "dealer": None}))
    reported(table, asked(*ps))
    assert refused(table, "koi-koi") == (
        "question-open",
        Message("waiting-question", {"question": Message("question-who-dealt")}),
    )
    assert press(table, "next") == f"Answered: {('Aiko', 'Ben')[chosen]} deals"
    board = table.view()["round"]
    assert (board["dealer"], board["dealer_known"]) == (chosen + 1, True)
    assert refused(table, "next")[0] == "nothing-open"


def test_next_does_not_guess_between_questions() -> None:
    table = decided()
    reported(table, asked(0.9, 0.1))
    reported(table, asked(0.6, 0.4))
    assert refused(table, "next")[0] == "several-questions"


def test_next_settles_the_oldest_notice_and_questions_come_first() -> None:
    table = decided()
    reported(table, noticed("first"))
    reported(table, noticed("second"))
    reported(table, asked())
    assert press(table, "next") == "Resolved: Who dealt?"
    assert press(table, "next") == "Resolved: first."
    assert press(table, "next") == "Resolved: second."
    assert refused(table, "next") == (
        "nothing-open",
        Message("press-nothing-open", {"waiting": Message("waiting-decision", {"player": player("Aiko")})}),
    )


# --- arbitrary presses


@settings(max_examples=60, deadline=None)
@given(
    game=st.sampled_from(sorted(SEATS)),
    seed=st.integers(0, 50),
    moves=st.integers(0, 60),
    hidden=st.booleans(),
    presses=st.lists(
        st.tuples(
            st.sampled_from(BUTTONS),
            st.one_of(st.none(), st.integers(1, 5)),
            st.sampled_from(["press", "long", "double"]),
        ),
        max_size=12,
    ),
)
def test_a_press_is_taken_or_refused_with_a_sentence(
    game: str, seed: int, moves: int, hidden: bool, presses: list[tuple[Any, int | None, Any]]
) -> None:
    """At any table a button's events are accepted or rejected, with messages in both languages."""
    table = opened(game)
    reported(table, shuffled_deal(table, seed, hidden=hidden))
    play_on(table, Random(seed), moves)
    for button, seat, how in presses:
        try:
            meant = pressed(table, seat, button, how)
        except PressRefusedError:
            refused(table, button, seat, how)
            continue
        before = table.seq
        output = did(table, reported(table, *meant))
        assert table.seq > before
        assert output is not None
        assert all(output.to_dict().values())
        assert all(
            event.data["player"] == seat for event in table.events[before:] if seat and event.kind == "moved"
        )
