"""Which answers browsers and proxies may store."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Final

import pytest
from apiflask import APIFlask

from api.access.policy import POLICY
from tests.api.access_helpers import NOBODY
from tests.api.api_helpers import ScannerDouble, context_of, jpeg, make_app, upload
from tests.api.table_helpers import dealt, moved, open_table, played_round, submit

KEPT: Final = "private, max-age=31536000, immutable"
STORED: Final = {
    "scans.picture": {KEPT},
    "cameras.picture": {KEPT},
    "people.picture": {"private, max-age=31536000"},
    "decks.card": {"private, max-age=86400"},
    "games.face": {"public, max-age=86400"},
    "static": {"no-cache"},
    "pages.page_file": {"public, max-age=31536000, immutable"},
    "pages.texts": {"public, max-age=31536000, immutable", "no-cache"},
}
"""The answers that may be stored: photographs in the phone itself, and what is the same for everybody."""
FILLED: Final = {
    *("scans.scans", "scans.scans_json", "scans.scans_csv", "scans.one_scan", "scans.picture"),
    *("pairing.pairings", "pairing.me", "nights.export", "nights.nights", "nights.rounds_as_csv"),
    *("tables.moves", "tables.table", "tables.follow", "tables.records", "people.picture", "people.players"),
    *("devices.devices", "health.health", "health.server_health", "pages.home", "static", "games.games"),
}
"""Endpoints that answer with data here."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[APIFlask, dict[str, str]]]:
    """An application with data, and the ids of what it has."""
    app = make_app(tmp_path_factory.mktemp("home"), ScannerDouble())
    client, played = app.test_client(), played_round()
    table = open_table(client)
    submit(client, table, dealt(played), *moved(played)[:4])
    player = client.post("/api/players", json={"name": "Aki"}).json["id"]
    context_of(app).store.people.add(
        "player",
        {
            "player": player,
            "name": "Aki",
            "color": None,
            "emoji": None,
            "picture": base64.b64encode(jpeg()).decode(),
        },
        "test",
    )
    ids = {"table_id": table, "table": table, "scan_id": upload(client).json["id"], "player": player}
    yield app, {**ids, "filename": "css/base.css", "name": "hanafuda", "card_id": "back"}
    context_of(app).close()


@pytest.mark.parametrize("endpoint", sorted(set(POLICY) - {"metrics.metrics"}))
def test_no_answer_is_stored_unless_it_says_so(home: tuple[APIFlask, dict[str, str]], endpoint: str) -> None:
    """Photographs had the headers `public` and `private`; scans, pairings, nights and moves had none."""
    app, ids = home
    for rule in app.url_map.iter_rules(endpoint):
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            known = ids if method == "GET" else {}  # nothing is changed or deleted
            path = re.sub(
                r"<(?:[^<>:]+:)?([^<>]+)>", lambda found, known=known: known.get(found[1], "1"), rule.rule
            )
            query = {"player": ids["player"]} if endpoint == "people.picture" else {}
            for options in ({}, NOBODY.options):
                with app.test_client().open(path, method=method, query_string=query, **options) as answer:
                    stored = answer.headers["Cache-Control"]
                    assert answer.headers.getlist("Cache-Control") == [stored]
                    assert options or endpoint not in FILLED or answer.status_code == 200
                if answer.status_code >= 300:
                    assert stored == "no-store"
                elif path.startswith("/api/") or endpoint in STORED:
                    assert stored in STORED.get(endpoint, {"no-store"})
                else:
                    assert stored in {"no-store", "no-cache"}


@pytest.mark.parametrize("width", ["", "?width=320"])
def test_a_photograph_is_stored_by_the_phone_alone(home: tuple[APIFlask, dict[str, str]], width: str) -> None:
    app, ids = home
    path = f"/api/scans/{ids['scan_id']}/picture{width}"
    with app.test_client().get(path) as answer:
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, KEPT)
        tag = answer.headers["ETag"]
    with app.test_client().get(path, headers={"If-None-Match": tag}) as unchanged:
        assert (unchanged.status_code, unchanged.headers["Cache-Control"]) == (304, KEPT)
