"""The log of nights: what a game leaves in it, and closing, deleting, restoring and going on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from tests.api.api_helpers import ScannerDouble, context_of, make_app
from tests.api.table_helpers import PHONE, dealt, moved, open_table, played_round, submit


def play(client: FlaskClient, table: str, seed: int = 1) -> Any:
    """Play a whole random round at a table, and return the round."""
    played = played_round(seed)
    assert submit(client, table, dealt(played)).status_code == 200
    assert submit(client, table, *moved(played)).status_code == 200
    return played


def nights(client: FlaskClient, query: str = "") -> list[dict[str, Any]]:
    response = client.get(f"/api/nights{query}")
    assert response.status_code == 200, response.json
    return list(response.json["nights"])


def post(client: FlaskClient, night: str, action: str, status: int = 200) -> dict[str, Any]:
    response = client.post(f"/api/nights/{night}/{action}", json={})
    assert response.status_code == status, response.json
    return dict(response.json)


def test_a_game_is_in_the_log_with_its_players_points_and_yaku(client: FlaskClient) -> None:
    table = open_table(client)
    played = play(client, table)
    outcome = played.outcome()
    night = client.get(f"/api/nights/{table}").json
    assert (night["players"], night["status"]) == (["Aiko", "Ben"], "open")
    (game,) = night["games"]
    assert (game["table"], game["game"], game["played"], game["over"]) == (table, "koikoi", 1, False)
    assert game["points"] == list(outcome.points)
    (result,) = game["rounds"]
    assert [seat["points"] for seat in result["seats"]] == list(outcome.points)
    assert [seat["won"] for seat in result["seats"]] == [seat in outcome.winners for seat in (1, 2)]
    for seat in (1, 2):
        made = [(yaku["name"], yaku["points"]) for yaku in result["seats"][seat - 1]["yaku"]]
        assert made == list(played.yaku(seat))
        calls = sum(move.player == seat and move.words() == ("call", "koikoi") for move in played.moves)
        assert result["seats"][seat - 1]["calls"] == calls


def test_a_correction_of_the_rules_changes_the_log(client: FlaskClient) -> None:
    table = open_table(client)
    seed = next(seed for seed in range(50) if (outcome := played_round(seed).outcome()) and outcome.winners)
    play(client, table, seed)
    before = client.get(f"/api/nights/{table}").json["games"][0]["points"]
    undone = client.post(f"/api/tables/{table}/undo", json={})
    assert undone.status_code == 200
    after = client.get(f"/api/nights/{table}").json["games"][0]
    assert any(before)
    assert not any(after["points"])
    assert after["rounds"] == []


def test_the_log_lists_the_last_night_first_and_page_by_page(client: FlaskClient, app: APIFlask) -> None:
    tables = [open_table(client) for _ in range(23)]
    first = client.get("/api/nights").json
    second = client.get("/api/nights", query_string={"before": first["next"]}).json
    listed = [night["id"] for night in (*first["nights"], *second["nights"])]
    assert second["next"] is None
    assert sorted(listed) == sorted(tables)
    times = [night["ended"] for night in (*first["nights"], *second["nights"])]
    assert times == sorted(times, reverse=True)


def test_only_nights_of_a_player(client: FlaskClient) -> None:
    mine = open_table(client, players=["Mei", "Ren"])
    open_table(client)
    assert [night["id"] for night in nights(client, "?player=Mei")] == [mine]


def test_a_closed_night_is_opened_again_by_a_deal(client: FlaskClient) -> None:
    table = open_table(client)
    play(client, table)
    assert post(client, table, "close")["status"] == "closed"
    assert client.get(f"/api/tables/{table}").json["state"]["table"]["status"] == "closed"
    play(client, table, 2)
    assert nights(client)[0]["status"] == "open"


def test_a_closed_night_can_be_reopened(client: FlaskClient) -> None:
    table = open_table(client)
    post(client, table, "close")
    assert post(client, table, "reopen")["status"] == "open"


class _Clock:
    """A `datetime` whose time stands still."""

    def __init__(self, instant: datetime) -> None:
        self._instant = instant

    def now(self, zone: object) -> datetime:
        return self._instant


def test_a_deleted_night_is_in_no_list_until_it_is_restored(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = open_table(client)
    play(client, table)
    assert post(client, table, "delete")["status"] == "deleted"
    assert nights(client) == []
    assert [each["id"] for each in client.get("/api/tables").json["tables"]] == []
    assert [night["id"] for night in nights(client, "?deleted=1")] == [table]
    now = datetime.now(UTC)
    for days, listed in ((29, [table]), (31, [])):  # deleted nights are listed for 30 days
        monkeypatch.setattr("companion.store.nights.datetime", _Clock(now + timedelta(days=days)))
        assert [night["id"] for night in nights(client, "?deleted=1")] == listed
    monkeypatch.undo()
    assert post(client, table, "restore")["status"] == "open"
    (night,) = nights(client)
    assert night["games"][0]["played"] == 1


def test_a_rematch_is_another_game_of_the_night_with_the_same_players_and_rules(client: FlaskClient) -> None:
    table = open_table(client, rules="koikoi-guide", name="Kitchen")
    play(client, table)
    following = post(client, table, "rematch", 201)["id"]
    assert following != table
    (night,) = nights(client)
    assert [game["table"] for game in night["games"]] == [table, following]
    assert {game["rules"]["name"] for game in night["games"]} == {"koikoi-guide"}
    assert {tuple(game["players"]) for game in night["games"]} == {("Aiko", "Ben")}


def test_the_phones_of_a_game_keep_their_seats_in_its_rematch(client: FlaskClient) -> None:
    table = open_table(client)
    invited = {"role": "scorer", "seat": 2, "table": table}
    code = client.post("/api/pairings", json=invited).json["code"]
    assert client.post("/api/pair", json={"code": code}, environ_base=PHONE).json["table"] == table
    play(client, table)
    following = post(client, table, "rematch", 201)["id"]
    (pairing,) = client.get("/api/pairings").json["pairings"]
    assert (pairing["table"], pairing["seat"]) == (following, 2)


def test_a_player_starts_a_rematch_of_the_own_game_only_and_once(client: FlaskClient, app: APIFlask) -> None:
    table, other = open_table(client), open_table(client)
    play(client, table)
    play(client, other)
    phone = app.test_client()
    code = client.post("/api/pairings", json={"role": "scorer", "seat": 2, "table": table}).json["code"]
    phone.post("/api/pair", json={"code": code}, environ_base=PHONE)
    ask = {"json": {}, "environ_base": PHONE}
    assert phone.post(f"/api/nights/{other}/rematch", **ask).status_code == 403
    following = phone.post(f"/api/nights/{table}/rematch", **ask).json["id"]
    assert following != table
    assert phone.post(f"/api/nights/{table}/rematch", **ask).json["id"] == following, "it has no round yet"


def test_the_log_survives_a_restart_and_is_rebuilt_alike(
    client: FlaskClient, app: APIFlask, data: Path
) -> None:
    table = open_table(client)
    play(client, table)
    before = client.get(f"/api/nights/{table}").json
    store = context_of(app).store
    with store.database.writing() as db:  # type: ignore[attr-defined]  # the real store
        for name in (
            "night_yaku",
            "night_round_seats",
            "night_rounds",
            "night_seats",
            "night_games",
            "night_state",
        ):
            db.execute(f"DELETE FROM {name}")
        db.execute("UPDATE table_activity SET results = 0")
    store.close()
    again = make_app(data, ScannerDouble())
    try:
        assert again.test_client().get(f"/api/nights/{table}").json == before
    finally:
        context_of(again).store.close()


@pytest.mark.parametrize("action", ["close", "reopen", "delete", "restore", "rematch"])
def test_a_phone_that_only_watches_changes_nothing(client: FlaskClient, action: str) -> None:
    table = open_table(client)
    response = client.post(f"/api/nights/{table}/{action}", json={}, environ_base=PHONE)
    assert response.status_code == 403
    assert nights(client)[0]["status"] == "open"


def test_an_unknown_night_is_not_found(client: FlaskClient) -> None:
    response = client.get("/api/nights/nosuch")
    assert (response.status_code, response.json["type"]) == (404, "/problems/no-such-night")
