"""A phone as the camera: its pictures reach the process that watches the table, the newest one wins, and there is one camera."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from api.live.cameras import SILENT_S
from api.live.phone_camera import LEFT_S, PhoneCameras
from companion.hanafuda.errors import ConflictError, NotFoundError
from tests.api.access_helpers import paired_as
from tests.api.api_helpers import context_of
from tests.api.table_helpers import open_table, send
from tests.real_server import picture


class Watched:
    """Stands for the processes that watch tables."""

    def __init__(self) -> None:
        self.now: list[str] = []

    def __call__(self, table: str) -> Callable[[], None]:
        self.now.append(table)
        return lambda: self.now.remove(table)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_first_picture_starts_to_watch_and_the_newest_one_wins() -> None:
    phones, watched = PhoneCameras(), Watched()
    phones.watch = watched
    assert not phones.receive("table", "phone", b"first")
    video = phones.video("table")
    assert b"first" in (video.take() or b"")
    assert phones.receive("table", "phone", b"second")
    phones.receive("table", "phone", b"third")
    assert b"third" in (video.take() or b"")
    assert video.take() is None
    phones.receive("table", "phone", None)
    assert b"third" in (video.take() or b""), "nothing has changed: the last picture shows the table now, too"
    assert watched.now == ["table"]


def test_a_phone_that_has_left_is_not_watched_until_it_comes_back() -> None:
    clock, watched = Clock(), Watched()
    phones = PhoneCameras(clock)
    phones.watch = watched
    phones.receive("table", "phone", b"1")
    phones.receive("other", "another phone", b"2")
    video = phones.video("table")
    clock.now = LEFT_S
    phones.receive("other", "another phone", None)
    phones.dismiss_left()
    assert sorted(watched.now) == ["other", "table"], "a call, or a locked phone: it may come back at once"
    clock.now += 1
    phones.dismiss_left()
    assert watched.now == ["other"]
    with pytest.raises(EOFError):
        video.take()
    with pytest.raises(NotFoundError):
        phones.video("table")
    assert not phones.receive("table", "phone", None), "the phone is asked for a picture"
    phones.receive("table", "phone", b"3")
    assert sorted(watched.now) == ["other", "table"]
    assert b"3" in (phones.video("table").take() or b"")


def test_a_process_elsewhere_takes_the_place_of_the_one_here() -> None:
    watched = Watched()
    phones = PhoneCameras()
    phones.watch = watched
    phones.receive("table", "phone", b"1")
    here = phones.video("table")
    assert watched.now == ["table"]
    elsewhere = phones.video("table", elsewhere=True)
    assert watched.now == []
    with pytest.raises(EOFError):
        here.take()
    assert b"1" in (elsewhere.take() or b"")


def test_the_servers_own_process_is_not_taken_for_one_elsewhere(app: APIFlask) -> None:
    ctx, started = context_of(app), Watched()
    ctx.phone_cameras.watch = started
    table = open_table(app.test_client())
    send(app.test_client(), f"/api/tables/{table}/camera/frame", picture(1))
    own = ctx.store.pairings.token(ctx.pairings.for_own("camera", "camera"))
    other = paired_as(app, "camera")
    path = f"/api/tables/{table}/camera/video"
    bearer = {"headers": {"Authorization": f"Bearer {own}"}, "environ_base": {"REMOTE_ADDR": "192.168.0.9"}}
    assert app.test_client().get(path, buffered=False, **bearer).status_code == 200
    assert started.now == [table]
    assert other.client(app).get(path, buffered=False, **other.options).status_code == 200
    assert started.now == []


def test_the_old_picture_of_a_silent_phone_is_not_passed_on() -> None:
    clock = Clock()
    phones = PhoneCameras(clock)
    phones.receive("table", "phone", b"old")
    clock.now = SILENT_S + 1
    video = phones.video("table")
    assert video.take() is None
    phones.receive("table", "phone", b"new")
    assert b"new" in (video.take() or b"")


def test_a_second_phone_waits_until_the_first_is_silent() -> None:
    clock = Clock()
    phones = PhoneCameras(clock)
    phones.receive("table", "first phone", b"1")
    clock.now = SILENT_S
    with pytest.raises(ConflictError):
        phones.receive("table", "second phone", b"2")
    clock.now += 0.1
    assert phones.receive("table", "second phone", b"2")


def test_pictures_go_on_at_the_next_table() -> None:
    phones = PhoneCameras()
    phones.receive("table", "phone", b"1")
    video = phones.video("table")
    video.take()
    phones.move("table", "next")
    assert phones.receive("next", "phone", b"2")
    assert b"2" in (video.take() or b"")


def test_a_new_stream_and_the_end_end_the_streams_before() -> None:
    phones = PhoneCameras()
    with pytest.raises(NotFoundError):
        phones.video("table")
    phones.receive("table", "phone", b"1")
    before, video = phones.video("table"), phones.video("table")
    with pytest.raises(EOFError):
        before.take()
    assert b"1" in (video.take() or b"")
    phones.close()
    assert list(video) == []


def test_a_phone_sends_pictures_and_gets_the_status_of_the_camera(app: APIFlask, client: FlaskClient) -> None:
    started = Watched()
    context_of(app).phone_cameras.watch = started
    table = open_table(client)
    path = f"/api/tables/{table}/camera/frame"
    assert send(client, path).status_code == 404, "the server was restarted: a picture is needed"
    response = send(client, path, picture(1))
    assert (response.status_code, response.get_json()["state"]) == (200, "absent")
    assert started.now == [table]
    state: dict[str, Any] = {"state": "watching", "source": "phone", "viewfinder": {"hint": "small"}}
    send(client, f"/api/tables/{table}/camera", state=json.dumps(state))
    assert send(client, path).get_json()["viewfinder"] == {"hint": "small"}
    with client.get(f"/api/tables/{table}/camera/video", buffered=False) as video:
        assert video.mimetype == "multipart/x-mixed-replace"
        assert picture(1) in next(iter(video.response))

    send(client, f"/api/tables/{table}/camera", state=json.dumps({"state": "watching", "source": "0"}))
    refused = send(client, path, picture(2))
    assert (refused.status_code, refused.get_json()["type"]) == (409, "/problems/camera-watches")


def test_only_cameras_and_hosts_send_pictures(app: APIFlask) -> None:
    table = open_table(app.test_client())
    answers = {}
    for role in ("nobody", "viewer", "table scorer", "device", "camera"):
        sender = paired_as(app, role)
        answers[role] = (
            sender.client(app).get(f"/api/tables/{table}/camera/video", **sender.options).status_code
        )
    assert answers == {"nobody": 403, "viewer": 403, "table scorer": 403, "device": 403, "camera": 404}


def test_the_invitation_of_a_camera_leads_to_its_page(client: FlaskClient) -> None:
    table = open_table(client)
    invited = client.post("/api/pairings", json={"role": "camera", "table": table}).get_json()
    assert invited["path"].startswith(f"/t/{table}/camera#code=")
    assert client.post("/api/pairings", json={"role": "camera"}).get_json()["path"].startswith("/join#code=")
