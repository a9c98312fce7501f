"""The cards and yaku of a table's game."""

from __future__ import annotations

from flask.testing import FlaskClient

from tests.api.table_helpers import open_table


def test_the_yaku_of_a_tables_rules_have_names_and_cards(client: FlaskClient) -> None:
    table = open_table(client, rules="koikoi-guide")
    found = client.get(f"/api/tables/{table}/yaku").json
    assert len(found["cards"]) == 48
    (moon,) = [yaku for yaku in found["yaku"] if yaku["name"] == "moon-viewing"]
    assert (moon["count"], moon["cards"]) == (2, ["chrysanthemum-sake", "susuki-moon"])
    assert moon["en"] == "Moon Viewing"
    assert client.get("/api/tables/nosuch/yaku").status_code == 404


def test_a_game_whose_yaku_are_no_sets_of_captured_cards_has_its_cards_only(client: FlaskClient) -> None:
    table = open_table(client, game="kingo", rules="kingo", players=["A", "B", "C"])
    found = client.get(f"/api/tables/{table}/yaku").json
    assert found["yaku"] == []
    assert found["cards"]
