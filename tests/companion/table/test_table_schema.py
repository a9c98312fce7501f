"""The schema of event data: new events must match it, and old logs remain readable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.registry import GAMES
from companion.hanafuda.simulation import random_round, record_of
from companion.table import KINDS, NewEvent, Table
from companion.table.events import Event
from companion.table.schema import check_event, keys_of
from tests.message_text import raises_text

PLAYERS = {"koikoi": 2, "kekoro": 2, "kakkuri": 7, "kingo": 3, "kingo-bank": 3}
SENTENCE = {"en": "Who?", "ja": "誰？"}
MOVE = {"player": 1, "words": ["play", "pine-crane"]}
CHOICE = {"says": SENTENCE, "p": 0.5, "events": [{"kind": "moved", "data": MOVE}]}
ASKED = {"text": SENTENCE, "choices": [CHOICE], "picture": None}
PIC = {"before": None, "after": "x.jpg"}

FINE: list[tuple[str, dict[str, Any]]] = [
    ("seated", {"seat": 1, "name": "Aiko"}),
    ("seated", {"seat": 2, "name": None}),
    ("dealt", {"deal": {"field": ["pine-crane"], "hands": {"1": [None, "plum-ribbon"], "2": None}}, "dealer": None}),
    ("dealt", {"deal": {}, "dealer": 1, "month": 12, "unchecked": True}),
    ("dealt", {}),
    ("began", {"dealer": 2}),
    ("moved", MOVE),
    ("moved", {**MOVE, "unchecked": True, "others": [{"words": ["pass"], "p": 0.25}]}),
    ("moved", {"player": 1, "words": ["draw", "pine-crane"], "order": 0.5}),
    ("moved", {**MOVE, "order": None}),
    ("set", {"field": [], "captured": [[], ["pine-crane"]], "to_move": 1}),
    ("scored", {}),
    ("scored", {"new_round": True, "dealer": 1, "month": 3, "how": None, "winners": [], "seats": [{}, {"calls": 1}]}),
    ("scored", {"winners": [1], "seats": [{"yaku": {"chaff": 2}, "points": 3, "captured": ["pine-crane"]}, {"paid": 1, "out": True}]}),
    ("abandoned", {}),
    ("undone", {"of": 1}),
    ("corrected", {"of": 2, "kind": None}),
    ("corrected", {"of": 2, "kind": None, "data": {}}),
    ("corrected", {"of": 2, "kind": "moved", "data": MOVE}),
    ("corrected", {"of": 1, "kind": "opened", "data": {"game": "koikoi", "rules": None, "players": ["A", ""]}}),
    ("inserted", {"before": 3, "kind": "moved", "data": MOVE}),
    ("noticed", {"code": "card-twice", "message": SENTENCE, "pictures": PIC, "cards": ["pine-crane"]}),
    ("settled", {"of": 5}),
    ("asked", ASKED),
    ("disputed", {"of": 1, "seat": None, "text": "why"}),
    ("agreed", {"of": 5, "seats": [1, 2], "verdict": "stands"}),
    ("ruled", {"of": 5, "verdict": "changed", "text": None}),
    ("answered", {"of": 5, "choice": None}),
    ("answered", {"of": 5, "choice": 0}),
]  # fmt: skip

BAD: list[tuple[str, Any, str]] = [
    ("seated", {"seat": 3}, "from 1 to 2"),
    ("seated", {"seat": True}, "seat"),
    ("seated", {"seat": 1.0}, "seat"),
    ("seated", {"seat": 1, "name": "x" * 41}, "40 characters"),
    ("seated", {"seat": 1, "name": ["x"]}, "40 characters"),
    ("seated", {"seat": 1, "nane": "x"}, "did you mean name"),
    ("dealt", {"junk": "x" * 9}, "'junk'"),
    ("dealt", {"deal": {"junk": 1}}, "'junk'"),
    ("dealt", {"deal": []}, "dealt.deal must be an object, not []"),
    ("dealt", {"deal": {"hands": {"3": []}}}, "'3'"),
    ("dealt", {"deal": {"hands": {"1": ["x" * 41]}}}, "at most 40 characters"),
    ("dealt", {"deal": {"field": ["pine-crane"] * 101}}, "at most 100"),
    ("dealt", {"deal": {"field": [None]}}, "dealt.deal.field.0 must be a valid string, not None"),
    ("dealt", {"deal": {"stock": [["pine-crane"]]}}, "dealt.deal.stock.0 must be"),
    ("dealt", {"pot": 3}, "'pot'"),
    ("dealt", {"month": 13}, "dealt.month must be less than or equal to 12, not 13"),
    ("dealt", {"month": True}, "month"),
    ("dealt", {"unchecked": 1}, "dealt.unchecked must be a valid boolean, not 1"),
    ("began", {"dealer": None}, "dealer"),
    ("disputed", {"of": 1, "text": "x" * 401}, "400 characters"),
    ("agreed", {"of": 5, "seats": [], "verdict": "stands"}, "agreed.seats must have at least 1 item"),
    ("agreed", {"of": 5, "seats": [3], "verdict": "stands"}, "from 1 to 2"),
    ("ruled", {"of": 5, "verdict": "perhaps"}, "must be 'stands' or 'changed', not 'perhaps'"),
    ("began", {}, "dealer"),
    ("moved", {"player": 1}, "words"),
    ("moved", {"player": 1, "words": []}, "words"),
    ("moved", {"player": 1, "words": ["x"] * 61}, "at most 60"),
    ("moved", {"player": 1, "words": ["x" * 41]}, "40 characters"),
    ("moved", {**MOVE, "unchecked": "yes"}, "moved.unchecked must be"),
    ("moved", {**MOVE, "order": 0.5}, "order belongs to the draw of a turn, not to 'play pine-crane'"),
    ("moved", {"player": 1, "words": ["draw", "pine-crane"], "order": 1.5}, "moved.order must be less than or equal to 1"),
    ("corrected", {"of": 2, "kind": "moved", "data": {**MOVE, "order": 0.5}}, "order belongs to the draw"),
    ("moved", {**MOVE, "others": [{"words": ["pass"]}]}, "moved.others.0 must have p"),
    ("moved", {**MOVE, "others": [{"words": ["pass"], "p": float("nan")}]}, "moved.others.0.p must be a finite number"),
    ("moved", {**MOVE, "others": [{"words": ["pass"], "p": True}]}, "moved.others.0.p must be"),
    ("moved", {**MOVE, "others": [{"words": ["pass"], "p": 0.5, "x": 1}]}, "'x'"),
    ("moved", {**MOVE, "others": [{"words": ["pass"], "p": 0.5}] * 41}, "at most 40"),
    ("set", {"field": [], "captured": [[]], "to_move": 1}, "captured must have 2 entries, one per player, not 1"),
    ("set", {"field": [], "captured": [[], [1]], "to_move": 1}, "set.captured.1.0 must be"),
    ("abandoned", {"why": "x"}, "'why'"),
    ("scored", {"winners": [3]}, "from 1 to 2"),
    ("scored", {"seats": [{}]}, "seats must have 2 entries, one per player, not 1"),
    ("scored", {"seats": [[], []]}, "scored.seats.0 must be an object"),
    ("scored", {"seats": [{"yaku": {"chaff": "2"}}, {}]}, "chaff"),
    ("scored", {"seats": [{"tricks": 1}, {}]}, "'tricks'"),
    ("scored", {"pot": 1}, "'pot'"),
    ("undone", {"of": "3"}, "undone.of must be a valid integer"),
    ("undone", {"of": 3, "x": 1}, "'x'"),
    ("corrected", {"of": 2}, "corrected must have kind"),
    ("corrected", {"of": 2, "kind": ["moved"], "data": {}}, "must contain one of"),
    ("corrected", {"of": 2, "kind": {}, "data": {}}, "must contain one of"),
    ("corrected", {"of": 2, "kind": "asked", "data": ASKED}, "must contain one of"),
    ("corrected", {"of": 2, "kind": None, "data": {"x": 1}}, "must contain one of"),
    ("corrected", {"of": 2, "kind": "moved", "data": []}, "must be an object"),
    ("corrected", {"of": 2, "kind": "moved", "data": {**MOVE, "junk": 1}}, "'junk'"),
    ("corrected", {"of": 2, "kind": "moved", "data": MOVE, "junk": 1}, "'junk'"),
    ("corrected", {"of": 1, "kind": "opened", "data": {"game": "koikoi", "players": ["A", "B"], "x": 1}}, "'x'"),
    ("corrected", {"of": 1, "kind": "opened", "data": {"game": "koikoi", "players": ["A", "B"], "name": "x" * 999}}, "80"),
    ("inserted", {"before": 3, "kind": "moved", "data": {"player": 1, "words": [1]}}, "words"),
    ("noticed", {"message": {"en": "x"}}, "message"),
    ("noticed", {"message": {**SENTENCE, "fr": "x"}}, "message"),
    ("noticed", {"message": {"en": "x" * 4001, "ja": "x"}}, "message"),
    ("noticed", {"message": SENTENCE, "pictures": {"between": "x"}}, "'between'"),
    ("noticed", {"message": SENTENCE, "pictures": {"after": "x" * 401}}, "400"),
    ("asked", {**ASKED, "choices": [CHOICE] * 21}, "at most 20"),
    ("asked", {**ASKED, "choices": [{**CHOICE, "x": 1}]}, "'x'"),
    ("asked", {**ASKED, "choices": [{**CHOICE, "p": 2}]}, "asked.choices.0.p must be less than or equal to 1, not 2"),
    ("asked", {**ASKED, "choices": [{**CHOICE, "events": [{"kind": "asked", "data": ASKED}]}]}, "must contain one of"),
    ("asked", {**ASKED, "choices": [{**CHOICE, "events": [{"kind": [], "data": {}}]}]}, "must contain one of"),
    ("asked", {**ASKED, "choices": [{**CHOICE, "events": [{"kind": "moved", "data": {"x": 1}}]}]}, "'x'"),
    ("answered", {"of": 5, "choice": True}, "choice"),
    ("answered", {"of": 5, "choice": -1}, "choice"),
    ("nix", {}, "there is no event"),
    ([], {}, "there is no event"),
    ("moved", [], "must be an object"),
]  # fmt: skip


@pytest.mark.parametrize(("event_type", "data"), FINE)
def test_what_the_schema_allows(event_type: Any, data: dict[str, Any]) -> None:
    check_event(NewEvent(event_type, data), 2, "koikoi")


@pytest.mark.parametrize(("event_type", "data", "message"), BAD)
def test_what_the_schema_refuses(event_type: Any, data: Any, message: str) -> None:
    """An unknown key of `dealt` had 19 MB; it was stored, and sent to every phone."""
    with raises_text(BadRequestError, match=re.escape(message)):
        check_event(NewEvent(event_type, data), 2, "koikoi")


@pytest.mark.parametrize("confidence", [float("nan"), float("inf"), -0.1, 1.1, True, "1", None])
def test_a_confidence_is_a_probability(confidence: Any) -> None:
    with raises_text(BadRequestError, match="confidence"):
        check_event(NewEvent("abandoned", {}, confidence), 2, "koikoi")


@pytest.mark.parametrize("game", PLAYERS)
@pytest.mark.parametrize("seed", range(4))
def test_every_game_can_deal_the_deals_of_its_records(game: str, seed: int) -> None:
    record = record_of(random_round(game, seed, players=PLAYERS[game]))
    besides = {"game", "rules", "players", "turns", "result"}
    data = {key: reported for key, reported in record.items() if key not in besides}
    check_event(NewEvent("dealt", data), PLAYERS[game], game)
    for key in GAMES[game].round.situation_keys:
        with raises_text(BadRequestError, match=key):
            check_event(NewEvent("dealt", {**data, key: 10**17}), PLAYERS[game], game)


def test_data_of_older_versions_is_readable() -> None:
    """The schema applies to new reports: a log with other keys must stay readable."""
    opened = {"name": "T", "game": "koikoi", "rules": None, "players": ["A", "B"], "deck": None, "note": "x"}
    deal = record_of(random_round("koikoi", 1))["deal"]
    reported: list[tuple[Any, Mapping[str, Any]]] = [
        ("opened", opened),
        ("dealt", {"deal": {**deal, "junk": 1}, "dealer": 1, "junk": "x" * 10**6}),
        ("seated", {"seat": 1, "name": "Aiko", "more": {}}),
    ]
    events = [
        Event(seq, seq, "2026-11-21T19:00:00.000Z", "host", "phone", kind, data)
        for seq, (kind, data) in enumerate(reported, start=1)
    ]
    table = Table.of(events)
    assert table.view()["table"]["players"][0]["name"] == "Aiko"
    assert "junk" not in str(table.record(1))


def test_a_correction_of_what_was_opened_keeps_the_tables_id() -> None:
    """A correction could give a table the id of another one, and every page opened that table."""
    data = {"id": "abc123", "name": "T", "game": "koikoi", "rules": None, "players": ["A", "B"], "deck": None}
    table = Table.of([Event(1, 1, "2026-11-21T19:00:00.000Z", "host", "phone", "opened", data)])
    options: Any = {"actor": "host", "source": "phone", "time": "2026-11-21T19:01:00.000Z"}
    instead = {key: reported for key, reported in data.items() if key != "id"}
    other = {"of": 1, "kind": "opened", "data": {**instead, "id": "other1"}}
    with raises_text(BadRequestError, match="abc123"):
        table.append([NewEvent("corrected", other)], **options)
    table.append(
        [NewEvent("corrected", {"of": 1, "kind": "opened", "data": {**instead, "name": "U"}})], **options
    )
    assert (table.view()["table"]["id"], table.view()["table"]["name"]) == ("abc123", "U")


@pytest.mark.parametrize(
    ("game", "players"), [("koikoi", 2), ("kekoro", 2), ("kakkuri", 7), ("kingo", 3), ("kingo-bank", 3)]
)
def test_an_added_move_before_the_first_deal_must_be_a_move_of_the_game(game: str, players: int) -> None:
    """A move in no notation was accepted there, and then the list of corrections could not be displayed."""
    data = {"name": None, "game": game, "rules": None, "players": ["A"] * players, "deck": None}
    opened = Event(1, 1, "2026-11-24T19:00:00.000Z", "host", "phone", "opened", data)
    named = Event(2, 2, "2026-11-24T19:00:01.000Z", "host", "phone", "seated", {"seat": 1, "name": "Aiko"})
    table = Table.of([opened, named])
    added = {"before": 2, "kind": "moved", "data": {"player": 2, "words": ["drew", "?"], "unchecked": True}}
    options: Any = {"actor": "host", "source": "phone", "time": "2026-11-24T19:01:00.000Z"}
    with raises_text(BadRequestError, match="drew"):
        table.append([NewEvent("inserted", added)], **options)
    assert table.view()["trail"] == []


def test_the_documentation_names_every_key() -> None:
    page = (Path(__file__).parents[3] / "docs" / "tables.md").read_text(encoding="utf-8")
    rows = {row.split("|")[1].strip(" `"): row for row in page.splitlines() if row.startswith("| `")}
    for event_type in KINDS:
        for key in set(keys_of(event_type)) - {
            "id",
            "unchecked",
        }:  # the log adds the id; `unchecked` is handled before the table
            assert f"`{key}`" in rows[event_type], (event_type, key)
    for playable in GAMES.values():
        for key in playable.round.situation_keys:
            assert f"`{key}`" in rows["dealt"]
