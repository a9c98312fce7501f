"""Kakkuri and Kingo at a table with hidden hands, and arbitrary data from clients."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from fold_helpers import moved, opened, play_on, reported, shuffled_deal
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.round import IllegalMoveError
from companion.messages import LANGUAGES, render
from companion.table import KINDS, NewEvent, Table
from tests.message_text import english

NO_SWAP = {"preset": "kakkuri", "players": "2_to_8", "swap": False}


def kakkuri(players: int = 3, **changes: Any) -> Table:
    names = ["Aiko", "Ben", "Chiyo", "Dai"][:players]
    table = opened("kakkuri", {**NO_SWAP, **changes}, names)
    reported(table, NewEvent("dealt", {"deal": {}, "dealer": 1}))
    return table


def test_kakkuri_shows_its_pile_and_who_passed() -> None:
    table = kakkuri()
    reported(table, moved(1, "box swords-4"))
    reported(table, moved(1, "pass"))
    reported(table, moved(2, "discard cups-5"))
    view = table.view()["round"]
    assert (view["discard"], view["lead"], view["phase"], view["to_move"]) == (
        ["swords-4", "cups-5"],
        5,
        "discard",
        2,
    )
    assert view["stock"] == 48 - 3 * 6 - 1
    assert [seat["hand"] for seat in view["seats"]] == [6, 5, 6]
    assert view["seats"][0]["paid"] == view["pot"] == 1
    assert [english(line["says"]) for line in table.view()["history"][1:]] == [
        "Aiko turns up 4 of Swords; passes",
        "Ben discards 5 of Cups",
    ]


def test_the_next_one_s_discard_ends_a_turn_with_discards() -> None:
    table = kakkuri()
    reported(table, moved(1, "box swords-4"))
    reported(table, moved(1, "discard cups-5"))
    reported(table, moved(2, "discard cups-6"))
    lines = table.view()["history"]
    assert english(lines[-2]["says"]).endswith("; passes")
    assert lines[-1]["problems"] == []
    # An empty turn costs something, so it must be reported.
    with pytest.raises(IllegalMoveError):
        reported(table, moved(1, "discard cups-7"))


def test_a_player_without_a_swap_keeps_the_hand() -> None:
    table = kakkuri(swap=True)
    assert table.view()["round"]["phase"] == "swap"
    reported(table, moved(1, "box swords-4"))
    assert table.view()["history"][-1]["problems"] == []
    assert table.view()["round"]["phase"] == "discard"


def test_a_deal_that_is_passed_on_is_legal() -> None:
    for changes, problems in (({"deal_pass": True}, []), ({"deal_pass": False}, ["wrong-dealer"])):
        table = kakkuri(fold="before_first_card", **changes)
        reported(table, moved(1, "box swords-4"))
        reported(table, moved(1, "fold"))
        reported(table, moved(2, "fold"))
        assert table.game.dealer == 3
        reported(table, NewEvent("dealt", {"deal": {}, "dealer": 1}))
        assert [each["code"] for each in table.view()["history"][-1]["problems"]] == problems
        assert Table.of(table.events).view() == table.view()


def test_kingo_is_played_with_hidden_hands_to_the_showdown() -> None:
    table = opened("kingo")
    reported(table, NewEvent("dealt", {"deal": {}, "dealer": 1}))
    for player in (1, 2, 3):
        reported(table, moved(player, "draw ?"), moved(player, "pass"))
    view = table.view()["round"]
    assert view["phase"] == "show"
    assert [seat["cards"] for seat in view["seats"]] == [[None, None]] * 3
    hands = {1: "pine-crane plum-ribbon", 2: "wisteria-ribbon maple-deer", 3: "iris-bridge susuki-moon"}
    for player, cards in hands.items():
        reported(table, *(moved(player, f"show {each}") for each in cards.split()))
    view = table.view()
    assert [seat["total"] for seat in view["round"]["seats"]] == [3, 14, 13]
    assert view["round"]["outcome"]["winners"] == [2]
    assert sum(view["night"]["points"]) == 0
    assert view["night"]["stones"] == [table.rules.stones + each for each in view["night"]["points"]]  # type: ignore[attr-defined]


def test_kingo_s_bank_has_wagers() -> None:
    table = opened("kingo-bank")
    reported(table, NewEvent("dealt", {"deal": {}, "dealer": 1}))
    assert table.view()["round"]["phase"] == "choose"
    while table.view()["round"]["phase"] == "choose":
        assert table.round is not None
        reported(table, moved(table.round.to_move or 0, "choose ?"))
    assert table.view()["round"]["phase"] == "wager"
    reported(table, moved(2, "wager 2"))
    seats = table.view()["round"]["seats"]
    assert [(seat["role"], seat["wager"]) for seat in seats] == [("dealer", 0), ("bettor", 2), ("bettor", 0)]


def test_a_winning_dealt_hand_is_entered_by_correcting_the_deal() -> None:
    """Teyaku are revealed at a table; until then only their player knows them."""
    table = opened("koikoi")
    flowers = ["pine", "plum", "wisteria", "iris", "peony", "clover", "maple", "chrysanthemum"]
    deal = {"field": [f"{flower}-ribbon" for flower in flowers]}
    seq = reported(table, NewEvent("dealt", {"deal": deal, "dealer": 1}))[0].seq
    assert table.view()["round"]["outcome"] is None
    hands = {
        "1": [f"{flower}-chaff-1" for flower in flowers],
        "2": [
            "cherry-curtain",
            "cherry-ribbon",
            "cherry-chaff-1",
            "cherry-chaff-2",
            "susuki-moon",
            "willow-ribbon",
        ]
        + [None] * 2,
    }
    displayed = {"deal": {**deal, "hands": hands}, "dealer": 1}
    reported(table, NewEvent("corrected", {"of": seq, "kind": "dealt", "data": displayed}))
    outcome = table.view()["round"]["outcome"]
    assert (outcome["how"], outcome["winners"], outcome["points"]) == ("teyaku", [2], [0, 6])
    assert table.view()["history"][0]["corrected"]


@pytest.mark.parametrize("game", ["koikoi", "kekoro", "kakkuri", "kingo", "kingo-bank"])
def test_every_line_of_every_game_is_in_every_language(game: str) -> None:
    table = opened(game)
    for seed in (1, 2):
        reported(table, shuffled_deal(table, seed))
        play_on(table, Random(seed))
    view = table.view()
    assert len(view["night"]["rounds"]) == 2
    for line in view["history"]:
        assert all(render(Message.from_dict(line["says"]), language) for language in LANGUAGES), line
        assert line["problems"] == []
    for seat in view["round"]["seats"]:
        assert {"seat", "hand", "captured", "yaku", "base", "total", "why", "near", "rules"} <= seat.keys()
        assert seat["rules"] == {"name": table.rules.name, "hash": table.rules.hash}


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 60)
    | st.sampled_from(["", "pine-crane", "play", "draw", "moved", "dealt", "en", "ja", "?"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["en", "ja", "field", "hands", "1"]), inner)
    ),
    max_leaves=6,
)
SAYS = {"en": "Which one?", "ja": "どれ？"}
WELL: dict[str, dict[str, Any]] = {
    "opened": {"name": "x", "game": "koikoi", "rules": None, "players": ["a", "b"], "deck": None},
    "seated": {"seat": 1, "name": "x"},
    "rules_changed": {"rules": {"preset": "koikoi-hu"}, "rules_name": "x"},
    "dealt": {
        "deal": {"field": [], "hands": {}, "stock": None},
        "dealer": 1,
        "month": 1,
        "pot": 0,
        "stones": None,
    },
    "began": {"dealer": 2},
    "moved": {"player": 1, "words": ["play", "pine-crane"], "others": [], "unchecked": True},
    "set": {"field": ["pine-crane"], "captured": [[], []], "to_move": 1},
    "scored": {
        "new_round": False,
        "dealer": 1,
        "month": 1,
        "how": None,
        "winners": [1],
        "seats": [{"points": 3, "yaku": {}, "calls": 1, "captured": None, "paid": 0, "out": False}, {}],
    },
    "abandoned": {},
    "undone": {"of": 3},
    "corrected": {
        "of": 3,
        "kind": "moved",
        "data": {"player": 1, "words": ["play", "pine-crane"], "unchecked": True},
    },
    "inserted": {"before": 3, "kind": "moved", "data": {"player": 1, "words": ["pass"], "unchecked": True}},
    "noticed": {"code": "x", "message": SAYS, "pictures": {"before": None, "after": "x"}, "cards": []},
    "settled": {"of": 6},
    "asked": {"text": SAYS, "choices": [{"says": SAYS, "p": 0.5, "events": []}], "picture": None},
    "answered": {"of": 7, "choice": 0},
    "disputed": {"of": 3, "seat": 1, "text": "x"},
    "agreed": {"of": 7, "seats": [1], "verdict": "stands"},
    "ruled": {"of": 7, "verdict": "changed", "text": "x"},
    "odds": {"seats": [1], "agrees": True},
    "closed": {},
    "removed": {},
}
"""Valid data of each event type, with one part made invalid."""


@pytest.mark.parametrize("game", ["koikoi", "kakkuri", "kingo-bank"])
@settings(max_examples=80, deadline=None)
@given(kind=st.sampled_from(KINDS), data=st.data())
def test_nonsense_is_refused_and_changes_nothing(game: str, kind: Any, data: st.DataObject) -> None:
    table = opened(game)
    reported(table, shuffled_deal(table, 1))
    play_on(table, Random(1), moves=3)
    reported(table, NewEvent("noticed", WELL["noticed"]), NewEvent("asked", WELL["asked"]))
    before = table.view()
    spoilt = dict(WELL[kind])
    inner = spoilt["data"] = dict(spoilt["data"]) if "data" in spoilt else spoilt
    part = inner if data.draw(st.booleans()) else spoilt
    if part:
        part[data.draw(st.sampled_from(sorted(part)))] = data.draw(json_values)
    if inner is spoilt:
        spoilt.pop("data")
    try:
        reported(table, NewEvent(kind, spoilt))
    except (BadRequestError, IllegalMoveError):
        assert table.view() == before
    else:
        for seq in range(1, table.seq + 1):
            table.alternatives(seq)
        assert Table.of(table.events).view() == table.view()
