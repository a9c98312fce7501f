"""The statistics' routes; the numbers themselves are tested in tests/store/test_night_statistics.py."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from tests.api.api_helpers import context_of
from tests.league import game_events, league


@pytest.fixture
def store(app: APIFlask) -> Any:
    return context_of(app).store


@pytest.fixture
def played(store: Any) -> None:
    store.tables.merge(league(seed=2, players=4, nights=2, rounds=40))


@pytest.mark.usefixtures("played")
def test_every_number_opens_as_many_rounds(client: FlaskClient) -> None:
    found = client.get("/api/stats", query_string={"game": "koikoi"}).json

    def count(**conditions: str) -> int:
        answer = client.get("/api/rounds", query_string={"game": "koikoi", **conditions})
        assert answer.status_code == 200, answer.json
        return int(answer.json["total"])

    assert found["rounds"] == count() > 0
    for each in found["players"]:
        name = each["player"]
        assert each["rounds"] == count(player=name)
        assert each["wins"] == count(player=name, won="1")
        assert each["called"] == count(player=name, called="1")
        assert each["called_won"] == count(player=name, called="1", won="1")
        assert each["hands"] == count(player=name, dealt="1")
        if each["streak"]:
            period = {key: each["streak"][key] for key in ("since", "until")}
            assert (
                each["streak"]["length"]
                == count(player=name, **period)
                == count(player=name, won="1", **period)
            )
        best = client.get(f"/api/nights/{each['best']['night']}").json
        (game,) = (game for game in best["games"] if game["table"] == each["best"]["table"])
        (round_,) = (one for one in game["rounds"] if one["round"] == each["best"]["round"])
        assert round_["seats"][game["players"].index(name)]["points"] == each["best"]["points"]
    for each in found["yaku"]:
        assert each["rounds"] == count(yaku=each["yaku"])
    for each in found["pairs"]:
        assert each["rounds"] == count(player=each["player"], opponent=each["opponent"])
        assert each["losses"] == count(player=each["opponent"], opponent=each["player"], won="1")


@pytest.mark.usefixtures("played")
def test_rounds_page_by_page(client: FlaskClient) -> None:
    first = client.get("/api/rounds").json
    assert first["total"] > 0
    rest = client.get("/api/rounds?skip=3").json
    assert rest["total"] == first["total"]
    assert rest["rounds"] == first["rounds"][3:]
    assert first["rounds"][0]["players"]


def test_a_date_is_a_day_of_the_servers_time_zone(client: FlaskClient, store: Any) -> None:
    noon = datetime(2026, 3, 14, 12).astimezone()  # the server's time zone
    for name, start in (("a", noon - timedelta(days=1)), ("b", noon), ("c", noon + timedelta(days=1))):
        events = game_events(
            Random(1), name, name, "koikoi-standard", ["Mei", "Ren"], start.astimezone(UTC), 1
        )
        store.tables.merge([(name, events)])
    day = client.get("/api/rounds?since=2026-03-14&until=2026-03-14").json
    assert [each["table"] for each in day["rounds"]] == ["b"]
    assert client.get("/api/rounds?since=2026-03-14").json["total"] == 2
    assert client.get("/api/rounds?until=2026-03-14").json["total"] == 2


@pytest.mark.parametrize("query", ["since=yesterday", "until=9999-12-31", "won=2", "skip=-1", "month=1"])
def test_a_filter_that_cannot_be_read_is_refused(client: FlaskClient, query: str) -> None:
    assert client.get(f"/api/rounds?{query}").status_code in {400, 422}


def test_without_rounds_everything_is_empty(client: FlaskClient) -> None:
    assert client.get("/api/stats").json == {
        "rounds": 0,
        "players": [],
        "yaku": [],
        "pairs": [],
        "months": [],
    }
    assert client.get("/api/stats/choices").json == {"games": [], "rules": [], "players": []}
