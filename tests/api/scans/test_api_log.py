"""The log over HTTP: reopening, correcting, keeping, listing, exporting, deleting, and surviving a restart."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from PIL import Image
from werkzeug.test import TestResponse

from tests.api.api_helpers import (
    ScannerDouble,
    context_of,
    jpeg,
    make_app,
    same_picture,
    stored_files,
    upload,
)


@pytest.fixture
def scan_id(client: FlaskClient) -> str:
    return str(upload(client, game="koikoi").json["id"])


def patch(client: FlaskClient, scan_id: str, **changes: Any) -> TestResponse:
    return client.patch(f"/api/scans/{scan_id}", json=changes)


def names(scan: dict[str, Any]) -> dict[int, str | None]:
    return {card["index"]: card["card"] for card in scan["cards"]}


def test_a_scan_starts_as_a_draft_with_the_programs_reading(client: FlaskClient, scan_id: str) -> None:
    scan = client.get(f"/api/scans/{scan_id}").json
    assert (scan["kept"], scan["note"], scan["corrections"]) == (False, "", [])
    assert [{**card, "index": None, "by": None} for card in scan["cards"]] == [
        {**card, "index": None, "by": None} for card in scan["reading"]["cards"]
    ]
    assert {card["by"] for card in scan["cards"]} == {"program"}
    assert scan["rules"]["name"] == "koikoi-standard"
    assert scan["score"]["total"] == 5


def test_a_correction_changes_the_score_but_never_the_reading(client: FlaskClient, scan_id: str) -> None:
    before = client.get(f"/api/scans/{scan_id}").json
    scan = patch(client, scan_id, corrections=[{"index": 3, "card": "willow-rainman"}]).json
    assert scan["cards"][3]["card"] == "willow-rainman"
    assert scan["cards"][3]["by"] == "person"
    assert scan["score"]["yaku"][0]["name"] == "rainy-four-brights"
    assert scan["score"]["total"] == 14
    assert scan["reading"] == before["reading"]
    assert scan["left_out"] == {"unnamed": 0, "back": 1}
    (event,) = scan["corrections"]
    assert (event["kind"], event["index"], event["card"], event["from"]) == (
        "corrected",
        3,
        "willow-rainman",
        None,
    )
    assert event["actor"] == "http 127.0.0.1"
    assert event["time"] >= scan["time"]


def test_a_correction_back_to_what_the_program_read_is_the_programs_again(
    client: FlaskClient, scan_id: str
) -> None:
    patch(client, scan_id, corrections=[{"index": 2, "card": "pine-ribbon"}])
    scan = patch(client, scan_id, corrections=[{"index": 2, "card": "pine-crane"}]).json
    assert (scan["cards"][2]["card"], scan["cards"][2]["by"]) == ("pine-crane", "program")
    assert len(scan["corrections"]) == 2
    assert scan["score"]["total"] == 5


def test_two_cards_change_places_in_one_request(client: FlaskClient, scan_id: str) -> None:
    swap = [{"index": 0, "card": "cherry-curtain"}, {"index": 1, "card": "susuki-moon"}]
    response = patch(client, scan_id, corrections=swap)
    assert response.status_code == 200
    assert names(response.json)[0] == "cherry-curtain"
    assert names(response.json)[1] == "susuki-moon"


def test_missed_cards_are_added_corrected_and_taken_away_again(client: FlaskClient, scan_id: str) -> None:
    scan = patch(client, scan_id, added=["plum-chaff-1"]).json
    assert scan["cards"][-1] == {
        "index": 6,
        "card": "plum-chaff-1",
        "by": "person",
        "confidence": 1.0,
        "quad": None,
        "visible": 0.0,
        "alternatives": [],
        "zone": None,
    }
    assert "from" not in scan["corrections"][0]
    scan = patch(
        client, scan_id, added=["plum-chaff-2"], corrections=[{"index": 6, "card": "plum-warbler"}]
    ).json
    assert (names(scan)[6], names(scan)[7]) == ("plum-warbler", "plum-chaff-2")
    scan = patch(client, scan_id, corrections=[{"index": 6, "card": "removed"}]).json
    assert 6 not in names(scan)
    assert names(scan)[7] == "plum-chaff-2"
    scan = patch(client, scan_id, added=["plum-warbler"]).json
    assert names(scan)[8] == "plum-warbler"


def test_a_removed_card_can_come_back(client: FlaskClient, scan_id: str) -> None:
    patch(client, scan_id, corrections=[{"index": 0, "card": "removed"}])
    assert 0 not in names(client.get(f"/api/scans/{scan_id}").json)
    scan = patch(client, scan_id, corrections=[{"index": 0, "card": "susuki-moon"}]).json
    assert names(scan)[0] == "susuki-moon"
    assert scan["score"]["total"] == 5


def test_changing_nothing_stores_nothing(client: FlaskClient, scan_id: str) -> None:
    before = client.get(f"/api/scans/{scan_id}").json
    assert patch(client, scan_id, corrections=[{"index": 0, "card": "susuki-moon"}]).json == before
    assert patch(client, scan_id).json == before


@pytest.mark.parametrize(
    ("changes", "card", "index"),
    [
        ({"corrections": [{"index": 3, "card": "pine-crane"}]}, "pine-crane", 2),
        ({"added": ["plum-ribbon"]}, "plum-ribbon", 5),
        ({"added": ["plum-chaff-1", "plum-chaff-1"]}, "plum-chaff-1", 7),
        (
            {"corrections": [{"index": 3, "card": "iris-bridge"}, {"index": 4, "card": "iris-bridge"}]},
            "iris-bridge",
            4,
        ),
    ],
)
def test_a_card_twice_is_a_conflict_that_names_it(
    client: FlaskClient, scan_id: str, changes: dict[str, Any], card: str, index: int
) -> None:
    before = client.get(f"/api/scans/{scan_id}").json
    response = patch(client, scan_id, note="lost if refused", **changes)
    assert (response.status_code, response.json["type"]) == (409, "/problems/card-twice")
    assert (response.json["card"], response.json["index"]) == (card, index)
    assert card in response.json["detail"]
    assert client.get(f"/api/scans/{scan_id}").json == before


def test_several_face_down_and_unnamed_cards_are_no_conflict(client: FlaskClient, scan_id: str) -> None:
    changes = [{"index": 0, "card": "back"}, {"index": 1, "card": None}]
    assert patch(client, scan_id, corrections=changes, added=["back"]).json["left_out"] == {
        "unnamed": 2,
        "back": 3,
    }


@pytest.mark.parametrize(
    ("changes", "slug", "says"),
    [
        ({"corrections": [{"index": 3, "card": "pine-crain"}]}, "unknown-card", "pine-crane"),
        ({"corrections": [{"index": 3, "card": "clubs-1"}]}, "unknown-card", "clubs-1"),
        ({"corrections": [{"index": 6, "card": "pine-ribbon"}]}, "bad-correction", "numbered from 0"),
        ({"corrections": [{"index": -1, "card": "pine-ribbon"}]}, "invalid-request", "index"),
        ({"corrections": [{"index": 3.0, "card": "pine-ribbon"}]}, "invalid-request", "index"),
        ({"corrections": [{"index": 3}]}, "invalid-request", "card"),
        ({"added": ["removed"]}, "bad-correction", "removed"),
        ({"game": "poker"}, "unknown-game", "poker"),
        ({"rules": "koikoi-standart"}, "unknown-preset", "koikoi-standard"),
        ({"rules": {"three_bright": 5}}, "unknown-rule", "three_brights"),
        ({"month": 13}, "invalid-request", "month"),
        ({"month": "3"}, "invalid-request", "month"),
        ({"calls": {"own": -1}}, "invalid-request", "calls.own"),
        ({"calls": {"mine": 1}}, "invalid-request", "calls.mine"),
        ({"kept": "yes"}, "invalid-request", "kept"),
        ({"note": "x" * 2001}, "invalid-request", "note"),
        ({"colour": "red"}, "invalid-request", "colour"),
    ],
)
def test_bad_changes_change_nothing(
    client: FlaskClient, scan_id: str, changes: dict[str, Any], slug: str, says: str
) -> None:
    before = client.get(f"/api/scans/{scan_id}").json
    response = patch(client, scan_id, **{"kept": True, **changes})
    assert (response.status_code, response.json["type"]) == (422, f"/problems/{slug}")
    assert says in response.json["detail"]
    assert client.get(f"/api/scans/{scan_id}").json == before


def test_settings_hold_until_they_are_changed(client: FlaskClient, scan_id: str) -> None:
    rules = {"preset": "koikoi-hu", "month_cards": 4, "opponent_call": ["x3"]}
    scan = patch(client, scan_id, rules=rules, month=3, calls={"opponent": 1}).json
    named = {key: scan["rules"][key] for key in ("name", "hash")}
    assert (scan["month"], scan["calls"], scan["score"]["total"]) == (3, {"opponent": 1}, 18)
    later = patch(client, scan_id, corrections=[{"index": 3, "card": "willow-rainman"}]).json
    assert {key: later["rules"][key] for key in ("name", "hash")} == named
    assert (later["month"], later["calls"]) == (3, {"opponent": 1})
    cleared = patch(client, scan_id, month=None, calls=None).json
    assert (cleared["month"], cleared["calls"]) == (None, None)
    assert cleared["rules"]["hash"] == named["hash"]


def test_another_game_brings_its_own_rules_and_keeps_what_it_does_not_ask(
    client: FlaskClient, scan_id: str
) -> None:
    patch(client, scan_id, rules="koikoi-hu", month=3, calls={"opponent": 1})
    kekoro = patch(client, scan_id, game="kekoro").json
    # Curtain 10, crane and moon 5 each, a ribbon 1: the card values of the rule text.
    assert (kekoro["game"], kekoro["rules"]["name"], kekoro["score"]["total"]) == ("kekoro", "kekoro", 21)
    back = patch(client, scan_id, rules="koikoi-hu").json
    assert (back["game"], back["month"], back["score"]["total"]) == ("koikoi", 3, 12)


def test_a_scan_without_a_game_is_scored_once_one_is_named(client: FlaskClient) -> None:
    scan_id = upload(client).json["id"]
    scan = client.get(f"/api/scans/{scan_id}").json
    assert (scan["game"], scan["rules"], scan["score"]) == (None, None, None)
    assert patch(client, scan_id, corrections=[{"index": 3, "card": "iris-bridge"}]).json["score"] is None
    assert patch(client, scan_id, game="koikoi").json["score"]["total"] == 5


def test_keeping_and_noting(client: FlaskClient, scan_id: str) -> None:
    scan = patch(client, scan_id, kept=True, note="三光 in dispute").json
    assert (scan["kept"], scan["note"]) == (True, "三光 in dispute")
    assert patch(client, scan_id, kept=False).json["note"] == "三光 in dispute"


def test_lists_newest_first_page_by_page(client: FlaskClient) -> None:
    ids = [upload(client, game="koikoi").json["id"] for _ in range(5)]
    listed: list[str] = []
    before: str | None = None
    while True:
        answer = client.get(
            "/api/scans", query_string={"limit": 2} | ({"before": before} if before else {})
        ).json
        listed += [scan["id"] for scan in answer["scans"]]
        before = answer["next"]
        if before is None:
            break
    assert listed == sorted(ids, reverse=True)


def test_lists_kept_ones_or_drafts(client: FlaskClient) -> None:
    kept, draft = (upload(client).json["id"] for _ in range(2))
    patch(client, kept, kept=True)
    for query, expected in (
        ("?kept=1", [kept]),
        ("?kept=0", [draft]),
        ("", sorted((kept, draft), reverse=True)),
    ):
        assert [scan["id"] for scan in client.get(f"/api/scans{query}").json["scans"]] == expected


def test_a_summary_has_what_a_list_needs(client: FlaskClient, scan_id: str) -> None:
    patch(client, scan_id, corrections=[{"index": 5, "card": "removed"}])
    (summary,) = client.get("/api/scans").json["scans"]
    assert summary == {
        "id": scan_id,
        "time": summary["time"],
        "kept": False,
        "note": "",
        "image": "pile.jpg",
        "picture": f"/api/scans/{scan_id}/picture",
        "game": "koikoi",
        "rules": {"name": "koikoi-standard", "hash": summary["rules"]["hash"]},
        "total": 5,
        "cards": 5,
        "unnamed": 1,
    }


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "kept=yes", "page=2"])
def test_bad_queries(client: FlaskClient, query: str) -> None:
    response = client.get(f"/api/scans?{query}")
    assert (response.status_code, response.json["type"]) == (422, "/problems/invalid-request")


def test_the_picture_shows_what_came_in(client: FlaskClient, scan_id: str) -> None:
    response = client.get(f"/api/scans/{scan_id}/picture", buffered=True)
    assert response.mimetype == "image/jpeg"
    assert same_picture(response.data, jpeg())
    assert {"immutable", "private", "max-age=31536000"} <= set(response.headers["Cache-Control"].split(", "))
    known = {"If-None-Match": response.headers["ETag"]}
    again = client.get(f"/api/scans/{scan_id}/picture", headers=known, buffered=True)
    assert again.status_code == 304


def test_the_picture_for_display_is_small_and_upright(client: FlaskClient) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    out = io.BytesIO()
    Image.new("RGB", (2000, 1500), "blue").save(out, "PNG", exif=exif)
    scan_id = upload(client, out.getvalue()).json["id"]
    response = client.get(f"/api/scans/{scan_id}/picture?width=320")
    assert response.mimetype == "image/jpeg"
    assert Image.open(io.BytesIO(response.data)).size == (320, 426)
    again = client.get(
        f"/api/scans/{scan_id}/picture?width=320", headers={"If-None-Match": response.headers["ETag"]}
    )
    assert again.status_code == 304
    assert client.get(f"/api/scans/{scan_id}/picture?width=321").status_code == 422


def test_deleting_removes_scan_and_picture(client: FlaskClient, scan_id: str, data: Path) -> None:
    response = client.delete(f"/api/scans/{scan_id}")
    assert (response.status_code, response.data) == (204, b"")
    assert stored_files(data) == []
    assert client.get(f"/api/scans/{scan_id}").status_code == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", ""), ("GET", "/picture"), ("GET", "/picture?width=320"), ("PATCH", ""), ("DELETE", "")],
)
def test_unknown_scans(client: FlaskClient, method: str, path: str) -> None:
    body = {"json": {}} if method == "PATCH" else {}
    response = client.open(f"/api/scans/nix{path}", method=method, **body)
    assert (response.status_code, response.json["type"]) == (404, "/problems/no-such-scan")
    assert "nix" in response.json["detail"]


def test_exports(client: FlaskClient, scan_id: str) -> None:
    patch(client, scan_id, kept=True, note='said "no", then left')
    draft = upload(client).json["id"]
    whole = client.get("/api/scans.json")
    assert [scan["id"] for scan in json.loads(whole.text)] == [scan_id, draft]
    assert whole.headers["Content-Disposition"] == "attachment; filename=hanafuda-scans.json"
    lines = list(csv.DictReader(io.StringIO(client.get("/api/scans.csv?kept=1").text)))
    assert [line["id"] for line in lines] == [scan_id]
    assert (lines[0]["total"], lines[0]["yaku"], lines[0]["note"]) == (
        "5",
        "three-brights",
        'said "no", then left',
    )


def test_everything_is_there_after_a_restart(
    app: APIFlask, client: FlaskClient, scan_id: str, data: Path, scanner: ScannerDouble
) -> None:
    patch(client, scan_id, corrections=[{"index": 3, "card": "willow-rainman"}], kept=True, rules="koikoi-hu")
    before = client.get(f"/api/scans/{scan_id}").json
    context_of(app).store.close()
    again = make_app(data, scanner)
    try:
        assert again.test_client().get(f"/api/scans/{scan_id}").json == before
        picture = again.test_client().get(f"/api/scans/{scan_id}/picture", buffered=True)
        assert same_picture(picture.data, jpeg())
    finally:
        context_of(again).store.close()
