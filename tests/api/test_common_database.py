"""Two server processes over one database: what one stores or changes, the other shows, from its own data folder."""

from __future__ import annotations

import io
import stat
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage

from api.models.device_config import DeviceConfig
from companion.hanafuda.errors import ConflictError
from companion.store.scan_records import ScanDraft
from tests.api.api_helpers import ScannerDouble, context_of, jpeg, make_app
from tests.api.table_helpers import open_table
from tests.vision.drawn_decks import a_deck
from vision.decks.deck_profile import DeckProfile

TRAY = {"name": "tray-1", "driver": "acg", "port": "usb:0403:6001:A9", "place": "captured-1"}
TAGS = "/api/decks/hanafuda/tags"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "one", tmp_path / "other"


@pytest.fixture
def clients(postgres_url: str, folders: tuple[Path, Path]) -> Iterator[tuple[FlaskClient, FlaskClient]]:
    with ExitStack() as stack:
        apps = [make_app(folder, ScannerDouble(), store_url=postgres_url) for folder in folders]
        for app in apps:
            stack.enter_context(closing(context_of(app).store))
        one, other = (app.test_client() for app in apps)
        yield one, other


def test_a_photograph_is_visible_and_deleted_by_any_process(
    clients: tuple[FlaskClient, FlaskClient], folders: tuple[Path, Path]
) -> None:
    one, other = clients
    scan = (
        context_of(one.application)  # type: ignore[arg-type]
        .store.scans.add(
            ScanDraft(
                picture=jpeg(640, 480),
                media_type="image/jpeg",
                image="pile.jpg",
                reading={"cards": [], "deck": "hanafuda"},
                settings={},
                actor="http",
            ),
        )
        .id
    )
    for width in ("", "?width=320"):
        picture = other.get(f"/api/scans/{scan}/picture{width}", buffered=True)
        assert (picture.status_code, picture.mimetype) == (200, "image/jpeg")
    other.patch(f"/api/scans/{scan}", json={"kept": True, "note": "Aunt Haru"})
    assert one.get(f"/api/scans/{scan}").json["note"] == "Aunt Haru"
    assert [each["id"] for each in one.get("/api/scans").json["scans"]] == [scan]
    assert one.delete(f"/api/scans/{scan}").status_code == 204
    assert other.get(f"/api/scans/{scan}").status_code == 404
    assert other.get(f"/api/scans/{scan}/picture").status_code == 404
    assert all(stat.S_IMODE(folder.stat().st_mode) == 0o700 for folder in folders)


def test_a_deck_is_known_and_forgotten_everywhere(clients: tuple[FlaskClient, FlaskClient]) -> None:
    one, other = clients

    def own_decks(client: FlaskClient) -> list[str]:
        return [deck["name"] for deck in client.get("/api/decks").json["decks"] if deck["own"]]

    assert own_decks(other) == []
    for name in ("granny", "mine"):
        file = FileStorage(io.BytesIO(replace(a_deck(seed=1), name=name).to_bytes()), f"{name}.deck")
        assert one.post("/api/decks/files", data={"file": file}).status_code == 201
    assert own_decks(other) == ["granny", "mine"]
    file_name = DeckProfile.from_bytes(other.get("/api/decks/granny/file").data).name
    assert file_name == "granny"
    assert other.delete("/api/decks/granny").status_code == 204
    assert own_decks(one) == ["mine"]


def test_layouts_rules_and_the_printer_are_those_of_the_house(
    clients: tuple[FlaskClient, FlaskClient],
) -> None:
    one, other = clients
    table = open_table(one)
    layout = {"zones": {"field": [[0, 0], [1, 0], [1, 1]]}}
    for client, other_client in ((one, other), (other, one)):
        for stored in (layout, None):
            client.put(f"/api/tables/{table}/layout", json={"layout": stored})
            assert other_client.get(f"/api/tables/{table}/layout").json == {"layout": stored}
    one.put("/api/printer", json={"port": "socket://printer:9100", "paper": 58})
    assert other.get("/api/printer").json["paper"] == 58
    assert one.put("/api/rules/House", json={"rules": "koikoi-guide"}).status_code == 200
    assert other.get("/api/rules/house").json["name"] == "House"


def test_of_two_changes_of_the_devices_one_is_refused(clients: tuple[FlaskClient, FlaskClient]) -> None:
    """Requests about devices are passed on to one process, but that may change at any moment."""
    one, other = (context_of(client.application).devices for client in clients)  # type: ignore[arg-type]
    tray = DeviceConfig.model_validate(TRAY)
    one.put([tray], expect=0)
    with pytest.raises(ConflictError):
        other.put([], expect=0)
    assert (other.all, other.revision, other.wanted) == ((tray,), 1, True)
    other.put([], expect=1)
    assert one.all == ()
    with pytest.raises(ConflictError):
        one.put([tray], expect=1)


def test_tags_that_are_paired_at_two_processes_are_all_kept(
    clients: tuple[FlaskClient, FlaskClient],
) -> None:
    one, other = clients
    paired = {"AA01": "pine-crane", "AA02": "pine-ribbon", "AA03": "plum-ribbon"}
    for client, (tag, card) in zip((one, other, one), paired.items(), strict=True):
        assert client.post(TAGS, json={"uid": tag, "card": card}).status_code == 200
    assert one.get(TAGS).json["tags"] == other.get(TAGS).json["tags"] == paired
    assert other.post(TAGS, json={"uid": "AA01", "card": "iris-ribbon"}).status_code == 409
