"""Photographs that scan workers read: the answers to the phone that sent them, with a real database and worker."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.pictures.queued_scans import JobWorker, ScanOrder
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Rules, resolve
from companion.store import scan_queue, scans
from tests.api.access_helpers import PHONE, paired_as
from tests.api.api_helpers import PILE, ScannerDouble, context_of, jpeg, make_app, same_picture, upload
from vision.pictures.picture_files import PictureError


@pytest.fixture
def app(
    data: Path, scanner: ScannerDouble, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[APIFlask]:
    monkeypatch.setattr(scan_queue, "_REPEAT_S", 0)
    app = make_app(data, scanner, store_url=postgres_url)
    yield app
    context_of(app).store.close()


@pytest.fixture
def client(app: APIFlask) -> FlaskClient:
    """The host's phone, which does not wait for results."""
    client = app.test_client()
    client.environ_base["HTTP_PREFER"] = "respond-async, wait=0"
    return client


def visitor(app: APIFlask) -> FlaskClient:
    """A phone that is not paired."""
    client = app.test_client()
    client.environ_base |= {"HTTP_PREFER": "wait=0", "REMOTE_ADDR": "192.168.0.7"}
    return client


@contextmanager
def worker(app: APIFlask) -> Iterator[None]:
    queue = context_of(app).store.scan_queue
    assert queue is not None
    with JobWorker(queue, context_of(app).pictures):
        yield


def outcome(client: FlaskClient, queued: TestResponse, language: str = "en") -> TestResponse:
    """Poll as the page does, until there is a result."""
    answer = queued
    while answer.status_code == 202:
        answer = client.get(queued.json["poll"], headers={"Accept-Language": language})
    return answer


def test_the_result_is_that_of_the_contract(app: APIFlask, client: FlaskClient) -> None:
    del client.environ_base["HTTP_PREFER"]
    with worker(app):
        answer = upload(client, game="koikoi", rules='{"three_brights": 9, "seven": "off"}')
    assert answer.status_code == 200
    assert [card["card"] for card in answer.json["cards"]] == list(PILE)
    assert (answer.json["image"], answer.json["score"]["total"]) == ("pile.jpg", 9)
    assert answer.json["left_out"] == {"unnamed": 1, "back": 1}
    stored = client.get(f"/api/scans/{answer.json['id']}").json
    assert stored["cards"][0]["card"] == PILE[0]
    with client.get(stored["picture"]) as picture:
        assert same_picture(picture.data, jpeg())


def test_waiting_phones_learn_their_place(app: APIFlask, client: FlaskClient) -> None:
    first, second = visitor(app), visitor(app)
    queued = [upload(phone) for phone in (first, second)]
    assert [(each.status_code, each.json["place"]) for each in queued] == [(202, 1), (202, 2)]
    assert queued[0].headers["Retry-After"] == "1"
    assert upload(client).json["place"] == 1  # paired people come first
    polled = first.get(queued[0].json["poll"])
    assert (polled.status_code, polled.json["place"], polled.json["workers"]) == (202, 2, 0)
    with worker(app):
        scan = outcome(first, queued[0]).json["id"]
    assert first.get(f"/api/scans/{scan}").status_code == 200  # it is the visitor's own draft
    assert second.get(f"/api/scans/{scan}").status_code == 404


def test_nobody_else_learns_of_a_visitors_picture(app: APIFlask, client: FlaskClient) -> None:
    phone = visitor(app)
    poll = upload(phone).json["poll"]
    for other in (visitor(app), phone.application.test_client()):
        other.environ_base["REMOTE_ADDR"] = "192.168.0.8"
        assert other.get(poll).json["type"] == "/problems/no-such-scan-job"
    assert client.get(poll).status_code == 202  # a host may see everything


@pytest.mark.parametrize(
    ("error", "status", "slug"),
    [
        (PictureError("damaged-picture", Message("problem-picture-too-costly")), 422, "damaged-picture"),
        (
            PictureError("picture-too-costly", Message("problem-picture-too-costly")),
            413,
            "picture-too-costly",
        ),
        (RuntimeError("a network ate itself"), 500, "scanner-failed"),
    ],
)
def test_errors_reach_the_phone_in_its_language(
    app: APIFlask, client: FlaskClient, scanner: ScannerDouble, error: Exception, status: int, slug: str
) -> None:
    scanner.fails_with = error
    queued = upload(client)
    with worker(app):
        texts = {language: outcome(client, queued, language) for language in ("en", "ja", "ko")}
    for answer in texts.values():
        assert (answer.status_code, answer.json["type"]) == (status, f"/problems/{slug}")
    assert len({answer.json["detail"] for answer in texts.values()}) == 3
    assert client.get("/api/scans").json["scans"] == []


def test_a_file_that_is_not_a_picture_is_refused_at_once(client: FlaskClient) -> None:
    assert upload(client, b"milk, rice, a new deck\n").status_code == 415


def test_an_unknown_deck_is_refused(app: APIFlask, client: FlaskClient) -> None:
    queued = upload(client, deck="tarot")
    with worker(app):
        assert outcome(client, queued).json["type"] == "/problems/unknown-deck"


def test_waiting_pictures_count_as_drafts(app: APIFlask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "MAX_PER_VISITOR", 2)
    phone = visitor(app)
    queued = [upload(phone) for _ in range(2)]
    assert upload(phone).status_code == 429
    with worker(app):
        assert [outcome(phone, each).status_code for each in queued] == [200, 200]
    assert upload(phone).status_code == 429


def test_a_paired_phone_does_not_fill_the_queue(app: APIFlask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_queue, "MAX_OF_SENDER", 1)
    phones = [paired_as(app, "table scorer").client(app) for _ in range(2)]
    for phone in phones:
        phone.environ_base |= {**PHONE, "HTTP_PREFER": "wait=0"}
    assert upload(phones[0]).status_code == 202
    refused = upload(phones[0])
    assert (refused.status_code, refused.json["type"]) == (503, "/problems/scan-queue-full")
    assert upload(phones[1]).status_code == 202


def test_a_picture_that_is_read_while_its_phone_is_paired_is_kept_as_that_of_a_paired_phone(
    app: APIFlask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = visitor(app)
    queued = upload(phone)
    queue = context_of(app).store.scan_queue
    assert queue is not None
    adopt = queue.adopt

    def adopt_late(owner: str) -> None:
        with worker(app):
            while not queue.job(queued.json["job"]).finished:
                time.sleep(0.02)
        adopt(owner)

    monkeypatch.setattr(queue, "adopt", adopt_late)
    code = client.post("/api/pairings", json={"role": "scorer", "name": "Aki"}).json["code"]
    assert phone.post("/api/pair", json={"code": code}).status_code == 200
    scan = queue.job(queued.json["job"]).scan
    assert scan is not None
    assert context_of(app).store.scans.draft_owner(scan) is None


def test_a_full_queue_says_so(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_queue, "MAX_WAITING", 0)
    answer = upload(client)
    assert (answer.status_code, answer.json["type"]) == (503, "/problems/scan-queue-full")
    assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.parametrize("rules", [None, resolve("koikoi-hu"), replace(resolve("kekoro"), name="at home")])
def test_an_order_survives_the_queue(rules: Rules | None) -> None:
    order = ScanOrder("札.jpg", "hanafuda", rules, "http 192.168.0.7")
    assert ScanOrder.from_json(order.to_json()) == order
