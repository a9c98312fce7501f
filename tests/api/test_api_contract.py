"""Properties of the whole API: one error shape, a correct OpenAPI document, nothing loaded from other sites."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

import api
from api import openapi
from api.access.policy import routes
from api.routes import games, scans
from companion.hanafuda.cards import HANAFUDA
from tests.api.api_helpers import ScannerDouble, context_of, make_app, upload
from tests.message_text import score_with_texts

JSON = {"content_type": "application/json"}


@pytest.mark.parametrize(
    ("method", "path", "options", "status", "slug"),
    [
        ("GET", "/nix", {}, 404, "not-found"),
        ("GET", "/api/nix", {}, 404, "not-found"),
        ("GET", "/static/nix.js", {}, 404, "not-found"),
        ("GET", "/faces/nix.svg", {}, 404, "unknown-card"),
        ("GET", "/faces/clubs-13.svg", {}, 404, "unknown-card"),
        ("PUT", "/api/scan", {}, 405, "method-not-allowed"),
        ("POST", "/api/cards", JSON, 405, "method-not-allowed"),
        ("POST", "/api/score", {"data": "{", **JSON}, 400, "bad-request"),
        ("POST", "/api/score", {"data": b"\xff\xfe{}", **JSON}, 400, "bad-request"),
        ("POST", "/api/score", {"data": "[" * 100_000, **JSON}, 400, "bad-request"),
        ("POST", "/api/score", {"data": "[]", **JSON}, 422, "invalid-request"),
        ("POST", "/api/score", {"data": "null", **JSON}, 400, "bad-request"),
        ("POST", "/api/score", {"data": '{"\\ud800": 1}', **JSON}, 400, "bad-request"),
        (
            "POST",
            "/api/score",
            {"data": '{"game": "koikoi", "captured": ["\\ud800"]}', **JSON},
            400,
            "bad-request",
        ),
        ("POST", "/api/score", {"data": "{}", "content_type": "text/plain"}, 415, "unsupported-media-type"),
        ("POST", "/api/score", {"data": "{}"}, 415, "unsupported-media-type"),
        ("POST", "/api/scan", {"data": "{}", **JSON}, 415, "unsupported-media-type"),
        (
            "POST",
            "/api/scan",
            {"data": "junk", "content_type": "multipart/form-data"},
            422,
            "invalid-request",
        ),
        ("POST", "/api/score", {"data": b"[" + b" " * 22 * 2**20, **JSON}, 413, "too-many-bytes"),
        (
            "POST",
            "/api/score",
            {"json": {"game": "koikoi", "captured": []}, "headers": {"Sec-Fetch-Site": "cross-site"}},
            403,
            "forbidden",
        ),
    ],
)
def test_every_error_is_a_problem(
    client: FlaskClient, method: str, path: str, options: dict[str, Any], status: int, slug: str
) -> None:
    response = client.open(path, method=method, **options)
    assert response.mimetype == "application/problem+json"
    assert response.status_code == response.json["status"] == status
    assert response.json["type"] == f"/problems/{slug}"
    assert response.json["title"]
    assert response.json["detail"].endswith((".", "?"))


def test_what_nobody_foresaw_is_a_problem_too(data: Path, caplog: Any) -> None:
    def broken() -> None:
        raise ZeroDivisionError("a secret of the house")

    app = make_app(data, ScannerDouble())
    app.add_url_rule("/broken", view_func=broken)
    response = app.test_client().get("/broken")
    context_of(app).close()
    assert (response.status_code, response.json["type"]) == (500, "/problems/internal-error")
    assert "secret" not in response.text
    assert "a secret of the house" in caplog.text


def test_a_wrong_method_lists_the_allowed_ones(client: FlaskClient) -> None:
    assert set(client.put("/api/scan").headers["Allow"].split(", ")) == {"OPTIONS", "POST"}


def test_score_is_the_one_scorers_answer(client: FlaskClient) -> None:
    request = {
        "game": "koikoi",
        "rules": {"preset": "koikoi-hu", "opponent_call": ["x3"]},
        "captured": ["pine-crane", "cherry-curtain", "susuki-moon"],
        "month": 8,
        "field": ["plum-ribbon"],
        "calls": {"own": 1, "opponent": 1},
    }
    response = client.post("/api/score", json=request)
    assert response.status_code == 200
    assert response.json == score_with_texts(request)


@pytest.mark.parametrize(
    ("request_", "slug", "says"),
    [
        ({"captured": ["pine-crain"]}, "unknown-card", "pine-crane"),
        ({"captured": ["pine-crane", "pine-crane"]}, "card-twice", "pine-crane"),
        ({"captured": [], "rules": {"three_bright": 1}}, "unknown-rule", "three_brights"),
        ({"captured": [], "game": "bridge"}, "unknown-game", "bridge"),
        ({"captured": [1]}, "invalid-request", "captured.0"),
        ({}, "invalid-request", "captured"),
    ],
)
def test_bad_score_requests(client: FlaskClient, request_: dict[str, Any], slug: str, says: str) -> None:
    response = client.post("/api/score", json={"game": "koikoi", **request_})
    assert (response.status_code, response.json["type"]) == (422, f"/problems/{slug}")
    assert says in response.json["detail"]


def test_cards_and_their_faces(client: FlaskClient) -> None:
    cards = client.get("/api/cards").json["cards"]
    assert [card["id"] for card in cards] == [card.id for card in HANAFUDA]
    for url in [*(card["face"] for card in cards), "/faces/back.svg"]:
        response = client.get(url, buffered=True)
        assert (response.status_code, response.mimetype) == (200, "image/svg+xml")
        assert "max-age=" in response.headers["Cache-Control"]


def test_the_samples_that_are_listed_are_there(client: FlaskClient) -> None:
    samples = client.get("/api/samples").json["samples"]
    files = (Path(api.__file__).parent / "static" / "samples").glob("*.jpg")
    assert {sample["name"] for sample in samples} == {path.stem for path in files}
    for sample in samples:
        assert client.get(sample["url"], buffered=True).mimetype == "image/jpeg"


def test_answers_have_the_shapes_that_are_documented(client: FlaskClient) -> None:
    answer = upload(client, game="koikoi").json
    scan_id = answer["id"]
    client.patch(f"/api/scans/{scan_id}", json={"added": ["plum-chaff-1"], "month": 2})
    plain = upload(client).json["id"]
    scans.UploadOut.model_validate(answer)
    for path, model in (
        (f"/api/scans/{scan_id}", scans.ScanOut),
        (f"/api/scans/{plain}", scans.ScanOut),
        ("/api/scans", scans.ScansOut),
        ("/api/cards", games.CardsOut),
        ("/api/games", games.GamesOut),
        ("/api/samples", games.SamplesOut),
    ):
        model.model_validate(client.get(path).json)
    for scan in client.get("/api/scans.json").json:
        scans.ExportOut.model_validate(scan)


def test_openapi_is_3_1_and_documents_every_endpoint(client: FlaskClient, app: APIFlask) -> None:
    spec = client.get("/api/openapi.json").json
    assert spec["openapi"].startswith("3.1")
    documented = {
        (path, method.upper()) for path, operations in spec["paths"].items() for method in operations
    }
    served = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method)
        for rule in app.url_map.iter_rules()
        for method in rule.methods or ()
        if rule.rule.startswith(("/api/", "/faces/")) and method not in {"HEAD", "OPTIONS"}
    }
    assert documented == served - {("/api/openapi.json", "GET")}


def test_openapi_documents_errors_in_their_own_media_type(client: FlaskClient) -> None:
    spec = client.get("/api/openapi.json").json
    for path, operations in spec["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (path, method)
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    assert list(answer["content"]) == ["application/problem+json"], (path, method, status)


def test_openapi_references_lead_somewhere(client: FlaskClient) -> None:
    spec = client.get("/api/openapi.json").json

    def references(part: Any) -> set[str]:
        if isinstance(part, dict):
            own = {part["$ref"]} if isinstance(part.get("$ref"), str) else set()
            return own.union(*map(references, part.values()))
        return set().union(*map(references, part)) if isinstance(part, list) else set()

    for reference in references(spec):
        found: Any = spec
        for step in reference.removeprefix("#/").split("/"):
            found = found[step]


@pytest.mark.parametrize("path", ["/", "/log", "/api/cards", "/faces/back.svg", "/nix"])
def test_nothing_is_loaded_from_elsewhere_and_types_are_not_guessed(client: FlaskClient, path: str) -> None:
    headers = client.get(path, buffered=True).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("request_body", "ja"),
    [
        ({"game": "koikio", "captured": []}, "'koikio' というゲームはありません。koikoiのことですか？"),
        ({"game": "kakkuri", "captured": []}, "'kakkuri' では取り札に点が付きません"),
        (
            {"game": "koikoi", "captured": [], "rules": {"animals": -1}},
            "Animals には0〜1000の整数を指定してください",
        ),
        (
            {"game": "koikoi", "captured": [], "rules": {"animal": 1}},
            "ルールに 'animal'（animals のことですか？）",
        ),
        ({"game": "kekoro", "captured": [], "rules": "koikoi-hu"}, "ルール koikoi-hu はこいこい用で"),
    ],
)
def test_refusals_are_in_the_language_of_the_request(
    client: FlaskClient, request_body: dict[str, object], ja: str
) -> None:
    answer = client.post("/api/score", json=request_body, headers={"Accept-Language": "ja"})
    assert answer.status_code == 422
    assert answer.json["detail"].startswith(ja)
    assert answer.json["message"] == answer.json["detail"]


def test_the_openapi_document_is_created_once_for_the_first_requests_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path)
    creations = []
    monkeypatch.setattr(openapi, "routes", lambda app: creations.append(app) or routes(app))

    def request(_: int) -> int:
        return app.test_client().get("/api/openapi.json").status_code

    with ThreadPoolExecutor(16) as requests:
        assert set(requests.map(request, range(16))) == {200}
    assert len(creations) == 1
