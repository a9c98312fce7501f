"""Arbitrary reports to a table get a response or a problem, never a failure, and the table agrees with the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.hanafuda.cards import HANAFUDA
from companion.table.events import KINDS
from tests.api.api_helpers import ScannerDouble, context_of, make_app
from tests.api.table_helpers import dealt, moved, observe, open_table, played_round, submit

WORDS = (
    "play",
    "draw",
    "call",
    "koikoi",
    "stop",
    "pass",
    "win",
    "discard",
    "wager",
    "fold",
    "1",
    "",
    "play ",
)
IDS = [card.id for card in HANAFUDA[:6]] + ["back", "clubs-1", "onifuda", "C1", "nix"]
ODD = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(IDS)
SMALL = st.integers(-1, 30)
WORD = st.sampled_from([*WORDS, *IDS])
SENTENCE = st.fixed_dictionaries({"en": st.text(max_size=3), "ja": st.text(max_size=3)}) | ODD
CARDS = st.lists(st.sampled_from(IDS) | ODD, max_size=9)
JSON = st.recursive(
    ODD, lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=5), each, max_size=3)
)
DEAL = st.fixed_dictionaries(
    {},
    optional={
        "hands": st.dictionaries(st.sampled_from(["1", "2", "3", "x"]), CARDS | ODD) | ODD,
        "field": CARDS | ODD,
        "stock": CARDS | ODD,
    },
)


def data(events: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Data of an event: with valid keys, and with arbitrary other content."""
    choice = st.fixed_dictionaries(
        {}, optional={"says": SENTENCE, "p": ODD, "events": st.lists(events, max_size=2)}
    )
    return st.fixed_dictionaries(
        {},
        optional={
            "player": SMALL | ODD,
            "words": st.lists(WORD, max_size=5) | ODD,
            "seat": SMALL | ODD,
            "name": ODD,
            "dealer": SMALL | ODD,
            "month": SMALL | ODD,
            "deal": DEAL | ODD,
            "of": SMALL | ODD,
            "before": SMALL | ODD,
            "kind": st.sampled_from(KINDS) | ODD,
            "data": JSON
            | st.fixed_dictionaries(
                {},
                optional={
                    "player": SMALL,
                    "words": st.lists(WORD, max_size=5),
                    "dealer": SMALL,
                    "deal": DEAL,
                },
            ),
            "field": CARDS | ODD,
            "captured": st.lists(CARDS, max_size=3) | ODD,
            "to_move": SMALL | ODD,
            "choice": SMALL | ODD,
            "code": ODD,
            "message": SENTENCE,
            "text": SENTENCE,
            "choices": st.lists(choice, max_size=2) | ODD,
            "unchecked": ODD,
            "pot": SMALL | ODD,
            "stones": JSON,
            "wager": JSON,
            "others": JSON,
        },
    )


#: Nearly valid events, so that more of them reach the table.
SEAT = st.integers(1, 2)
MOVE = st.fixed_dictionaries(
    {"player": SEAT, "words": st.lists(WORD, min_size=1, max_size=4), "unchecked": st.just(True)}
)
NEARLY: dict[str, st.SearchStrategy[Any]] = {
    "moved": MOVE,
    "began": st.fixed_dictionaries({"dealer": SEAT}),
    "dealt": st.fixed_dictionaries({"deal": DEAL, "dealer": SEAT | st.none()}),
    "set": st.fixed_dictionaries(
        {"field": CARDS, "captured": st.lists(CARDS, min_size=2, max_size=2), "to_move": SEAT}
    ),
    "seated": st.fixed_dictionaries({"seat": SEAT, "name": st.text(max_size=5)}),
    "scored": st.fixed_dictionaries(
        {
            "new_round": st.booleans(),
            "winners": st.lists(SEAT, max_size=2),
            "seats": st.lists(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "points": SMALL | ODD,
                        "calls": SMALL | ODD,
                        "captured": CARDS,
                        "yaku": st.dictionaries(
                            st.sampled_from(["three-brights", "chaff", "four-pairs", "ribbons", "x"]), SMALL
                        ),
                        "paid": SMALL,
                        "out": st.booleans(),
                    },
                ),
                min_size=2,
                max_size=2,
            ),
        },
        optional={"dealer": SEAT | st.none(), "month": SMALL | ODD, "how": ODD},
    ),
    "abandoned": st.just({}),
    "undone": st.fixed_dictionaries({"of": SMALL}),
    "corrected": st.fixed_dictionaries({"of": SMALL, "kind": st.sampled_from(["moved", None]), "data": MOVE}),
    "inserted": st.fixed_dictionaries({"before": SMALL, "kind": st.just("moved"), "data": MOVE}),
}
EVENTS = st.recursive(
    st.sampled_from(sorted(NEARLY)).flatmap(
        lambda kind: st.fixed_dictionaries({"kind": st.just(kind), "data": NEARLY[kind]})
    ),
    lambda events: st.fixed_dictionaries({"kind": st.sampled_from(KINDS), "data": data(events)}),
    max_leaves=2,
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    app = make_app(tmp_path_factory.mktemp("fuzz"), ScannerDouble())
    yield app.test_client()
    context_of(app).store.close()


OFTEN = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("game", "players"), [("koikoi", 2), ("kekoro", 2), ("kakkuri", 7), ("kingo", 4), ("kingo-bank", 3)]
)
def test_arbitrary_reports(client: FlaskClient, game: str, players: int) -> None:
    tables = context_of(client.application).tables  # type: ignore[arg-type]
    played = played_round()

    @OFTEN
    @given(st.lists(EVENTS, min_size=1, max_size=5), st.booleans())
    def tried(events: list[dict[str, Any]], begun: bool) -> None:
        table = open_table(client, game=game, players=[f"P{seat}" for seat in range(1, players + 1)])
        if begun and game == "koikoi":
            submit(client, table, dealt(played), *moved(played)[:4])
        for event in events:
            before = client.get(f"/api/tables/{table}").json
            response = submit(client, table, event)
            assert response.status_code in {200, 400, 422}, (event, response.json)  # 400: a NUL character
            after = client.get(f"/api/tables/{table}").json
            if response.status_code != 200:
                assert after == before
                continue
            assert after["seq"] == before["seq"] + len(response.json["events"])
            for more in ("moves", "records", f"events/{after['seq']}/alternatives"):
                assert client.get(f"/api/tables/{table}/{more}").status_code == 200, (event, more)
            tables._entries.clear()
            assert client.get(f"/api/tables/{table}").json == after, event

    tried()


@OFTEN
@given(JSON)
def test_arbitrary_observations(client: FlaskClient, reported: Any) -> None:
    tables = client.get("/api/tables").json["tables"]
    table = tables[0]["id"] if tables else open_table(client)
    assert observe(client, table, cards=reported).status_code in {200, 422}


@OFTEN
@given(JSON)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/tables"),
        ("POST", "/api/tables/nix/events"),
        ("POST", "/api/pair"),
        ("POST", "/api/pairings"),
        ("PUT", "/api/rules/ours"),
        ("PUT", "/api/tables/nix/layout"),
    ],
)
def test_whatever_comes(client: FlaskClient, method: str, path: str, reported: Any) -> None:
    response = client.open(path, method=method, json=reported)
    assert response.status_code < 500
    if response.status_code >= 400:
        assert response.mimetype == "application/problem+json"
