"""``POST /api/scan``: the response to a good picture; a bad one leaves nothing behind."""

from __future__ import annotations

import errno
import io
import json
import threading
from pathlib import Path

import numpy as np
import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from PIL import Image

from api.pictures import service
from companion.store import pictures
from tests.api.api_helpers import PILE, ScannerDouble, context_of, jpeg, stored_files, upload
from tests.message_text import score_with_texts
from vision.pictures.picture_files import MAX_BYTES


def test_the_response_follows_the_contract(client: FlaskClient) -> None:
    answer = upload(client).json
    assert set(answer) == {"id", "image", "width", "height", "deck", "cards", "ms", "quality"}
    assert [card["card"] for card in answer["cards"]] == list(PILE)
    assert set(answer["cards"][0]) == {"card", "confidence", "quad", "visible", "alternatives", "zone"}
    assert (answer["image"], answer["width"], answer["height"], answer["deck"]) == (
        "pile.jpg",
        64,
        48,
        "hanafuda",
    )


def test_scores_the_named_cards_by_the_one_scorer(client: FlaskClient) -> None:
    answer = upload(client, game="koikoi").json
    captured = [name for name in PILE if name not in {None, "back"}]
    assert answer["score"] == score_with_texts({"game": "koikoi", "captured": captured})
    assert answer["score"]["total"] == 5
    assert answer["left_out"] == {"unnamed": 1, "back": 1}


@pytest.mark.parametrize(
    ("rules", "total"),
    [("koikoi-hu", 6), ('{"three_brights": 9, "seven": "off"}', 9), ('{"preset": "koikoi-hu"}', 6)],
)
def test_takes_rules_as_a_preset_or_as_json(client: FlaskClient, rules: str, total: int) -> None:
    assert upload(client, game="koikoi", rules=rules).json["score"]["total"] == total


def test_rules_without_a_game_are_koikoi_rules(client: FlaskClient) -> None:
    assert upload(client, rules="koikoi-hu").json["score"]["rules"]["name"] == "koikoi-hu"


def test_rules_determine_their_game(client: FlaskClient) -> None:
    assert upload(client, rules="kekoro").json["score"]["values"] == 21


def test_a_picture_without_cards_is_a_scan_without_cards(client: FlaskClient, scanner: ScannerDouble) -> None:
    scanner.cards = ()
    answer = upload(client, game="koikoi").json
    assert answer["cards"] == []
    assert answer["score"]["total"] == 0
    assert client.get(f"/api/scans/{answer['id']}").json["cards"] == []


def test_the_scanner_sees_the_picture_upright(client: FlaskClient, scanner: ScannerDouble) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    out = io.BytesIO()
    Image.new("RGB", (64, 48), "blue").save(out, "JPEG", exif=exif)
    upload(client, out.getvalue())
    assert scanner.pictures[0].shape == (64, 48, 3)
    assert np.abs(scanner.pictures[0][0, 0].astype(int) - (255, 0, 0)).max() < 8


@pytest.mark.parametrize(
    ("filename", "kept_as"),
    [
        ("../../etc/passwd", "passwd"),
        ("札.jpg", "札.jpg"),
        ("x" * 300, "x" * 200),
    ],
)
def test_names_of_files_are_only_names(client: FlaskClient, filename: str, kept_as: str) -> None:
    assert upload(client, name=filename).json["image"] == kept_as


BAD = [
    ("text", b"not a picture at all\n", 415, "not-a-picture", "text file"),
    ("empty", b"", 422, "empty-picture", "0 bytes"),
    ("cut short", jpeg(640, 480)[:-200], 422, "truncated-picture", "cut short"),
    ("damaged", b"\x89PNG\r\n\x1a\n" + b"\0" * 64, 422, "damaged-picture", "damaged"),
    ("too heavy", b"\xff\xd8\xff" + b"\0" * MAX_BYTES, 413, "too-many-bytes", "64 MB"),
]


@pytest.mark.parametrize(
    ("picture", "status", "slug", "says"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_bad_pictures_are_refused_and_leave_nothing(
    client: FlaskClient, data: Path, picture: bytes, status: int, slug: str, says: str
) -> None:
    kept = upload(client).json["id"]
    before = stored_files(data)
    response = upload(client, picture)
    assert (response.status_code, response.json["type"]) == (status, f"/problems/{slug}")
    assert says in response.json["detail"]
    assert [scan["id"] for scan in client.get("/api/scans").json["scans"]] == [kept]
    assert stored_files(data) == before


def test_what_is_heavier_than_any_request_is_refused_unread(client: FlaskClient) -> None:
    body = b"--x\r\n" + b"\0" * (MAX_BYTES + 2**21)
    response = client.post("/api/scan", data=body, content_type="multipart/form-data; boundary=x")
    assert (response.status_code, response.json["type"]) == (413, "/problems/too-many-bytes")
    assert "64 MB" in response.json["detail"]


def test_a_huge_picture_in_a_small_file_is_refused(client: FlaskClient, data: Path, huge_png: bytes) -> None:
    """20,000 x 20,000 px in a few kilobytes would be 1.2 GB of pixels."""
    response = upload(client, huge_png, name="huge.png")
    assert (response.status_code, response.json["type"]) == (413, "/problems/too-many-pixels")
    assert "400 megapixels" in response.json["detail"]
    assert stored_files(data) == []


@pytest.mark.parametrize(
    ("fields", "slug", "says"),
    [
        ({"game": "poker"}, "unknown-game", "poker"),
        ({"game": "koikoi", "rules": "koikoi-standart"}, "unknown-preset", "koikoi-standard"),
        ({"game": "koikoi", "rules": '{"three_bright": 5}'}, "unknown-rule", "three_brights"),
        ({"game": "koikoi", "rules": '{"rain_man": "maybe"}'}, "bad-rule-value", "rain_man"),
        ({"game": "koikoi", "rules": "{"}, "bad-request", "JSON"),
        ({"game": "koikoi", "rules": '{"a":' * 5000}, "bad-request", "JSON"),
        ({"game": "koikoi", "rules": "kekoro"}, "wrong-game", "kekoro"),
        ({"rules": "kakkuri"}, "unknown-game", "kakkuri"),
        ({"deck": "tarot"}, "unknown-deck", "tarot"),
        ({"shoe_size": "44"}, "invalid-request", "shoe_size"),
    ],
)
def test_bad_settings_are_refused_and_leave_nothing(
    client: FlaskClient, data: Path, fields: dict[str, str], slug: str, says: str
) -> None:
    response = upload(client, **fields)
    assert (response.status_code, response.json["type"]) == (422, f"/problems/{slug}")
    assert says in response.json["detail"]
    assert client.get("/api/scans").json["scans"] == []
    assert stored_files(data) == []


def test_bad_settings_are_refused_before_the_picture_is_read(
    client: FlaskClient, scanner: ScannerDouble
) -> None:
    upload(client, game="poker")
    assert scanner.pictures == []


def test_a_request_without_a_picture_is_refused(client: FlaskClient) -> None:
    response = client.post("/api/scan", data={"game": "koikoi"}, content_type="multipart/form-data")
    assert response.status_code == 422
    assert "image" in response.json["detail"]


@pytest.mark.parametrize("fault", [RuntimeError("the session broke"), ValueError("negative dimensions")])
def test_a_scanner_that_breaks_stores_nothing(
    client: FlaskClient, scanner: ScannerDouble, data: Path, fault: Exception
) -> None:
    scanner.fails_with = fault
    response = upload(client)
    assert (response.status_code, response.json["type"]) == (500, "/problems/scanner-failed")
    assert str(fault) not in response.text
    assert client.get("/api/scans").json["scans"] == []
    assert stored_files(data) == []
    scanner.fails_with = None
    assert upload(client).status_code == 200


def test_a_disk_that_is_full_for_pictures_stores_nothing(
    client: FlaskClient, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(pictures.os, "fsync", full)
        response = upload(client)
    assert (response.status_code, response.json["type"]) == (507, "/problems/log-not-written")
    assert "nothing was stored" in response.json["detail"]
    assert client.get("/api/scans").json["scans"] == []
    assert stored_files(data) == []
    assert upload(client).status_code == 200


def test_a_disk_that_is_full_for_the_database_stores_no_picture(
    app: APIFlask, client: FlaskClient, data: Path
) -> None:
    """SQLite itself reports a full disk: its database may not grow by a page."""
    database = context_of(app).store.database.writer
    pages = database.execute("PRAGMA page_count").fetchone()[0]
    database.execute(f"PRAGMA max_page_count = {pages}")
    responses = [upload(client, jpeg(64 + n, 48), game="koikoi") for n in range(4)]
    stored = [response for response in responses if response.status_code == 200]
    refused = [response for response in responses if response.status_code == 507]
    assert len(stored) + len(refused) == 4
    assert refused, "the database never became full"
    assert len(client.get("/api/scans").json["scans"]) == len(stored)
    assert len(stored_files(data)) == len(stored)


def test_one_picture_at_a_time_and_a_sentence_when_the_queue_stands(
    app: APIFlask, scanner: ScannerDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "PATIENCE_S", 0.05)
    inside, release = threading.Event(), threading.Event()

    def hold() -> None:
        inside.set()
        assert release.wait(10)

    scanner.before_scan = hold
    answers: list[int] = []
    first = threading.Thread(target=lambda: answers.append(upload(app.test_client()).status_code))
    first.start()
    assert inside.wait(10)
    second = upload(app.test_client())
    release.set()
    first.join()
    assert (second.status_code, second.json["type"]) == (503, "/problems/busy")
    assert int(second.headers["Retry-After"]) > 0
    assert answers == [200]


def test_ten_phones_at_once_are_all_served_one_by_one(app: APIFlask, scanner: ScannerDouble) -> None:
    running: list[int] = []
    most: list[int] = []

    def count() -> None:
        running.append(1)
        most.append(len(running))
        threading.Event().wait(0.01)
        running.pop()

    scanner.before_scan = count
    answers: list[int] = []
    phones = [
        threading.Thread(target=lambda: answers.append(upload(app.test_client(), game="koikoi").status_code))
        for _ in range(10)
    ]
    for phone in phones:
        phone.start()
    for phone in phones:
        phone.join()
    assert answers == [200] * 10
    assert max(most) == 1
    assert len(app.test_client().get("/api/scans").json["scans"]) == 10


def test_the_same_picture_twice_is_one_file(client: FlaskClient, data: Path) -> None:
    first, second = upload(client).json["id"], upload(client).json["id"]
    assert len(stored_files(data)) == 1
    client.delete(f"/api/scans/{first}")
    assert client.get(f"/api/scans/{second}/picture").status_code == 200
    client.delete(f"/api/scans/{second}")
    assert stored_files(data) == []


def test_the_answer_is_readable_json_in_japanese(client: FlaskClient) -> None:
    response = upload(client, game="koikoi")
    assert "三光" in response.text
    assert json.loads(response.text)["score"]["yaku"][0]["ja"] == "三光"
