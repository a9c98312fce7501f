"""A camera at a live table: observations and the referee's events, status reports, pictures, the layout; and all
faults."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from api.live import watching
from api.live.cameras import Cameras
from companion.hanafuda.rules import Rules, resolve
from companion.hanafuda.simulation import random_round
from companion.observations import Observation
from companion.store import LogWriteError
from companion.table import Table
from companion.table.events import NewEvent
from tests.api.api_helpers import ScannerDouble, context_of, jpeg, make_app, stored_files
from tests.api.table_helpers import (
    CAMERA,
    PHONE,
    dealt,
    messages,
    moved,
    observe,
    open_table,
    played_round,
    send,
    submit,
)

ALARM = {"en": "two cards were played", "ja": "二枚出された"}


@dataclass
class RefereeDouble:
    """Reports the given events once, and remembers the observations."""

    says: list[Sequence[NewEvent] | Exception] = field(default_factory=list)
    seen: list[Observation] = field(default_factory=list)
    made: list[tuple[str, int]] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    in_doubt: bool = False

    def see(self, observe: Observation, table: Table, beside: Observation | None = None) -> list[NewEvent]:
        self.seen.append(observe)
        self.after.append(len(table.events))
        return self._reported()

    def rescan(self, observe: Observation, table: Table, beside: Observation | None = None) -> list[NewEvent]:
        self.seen.append(observe)
        return self._reported()

    def close(self, table: Table) -> list[NewEvent]:
        return self._reported()

    def _reported(self) -> list[NewEvent]:
        output = self.says.pop(0) if self.says else []
        if isinstance(output, Exception):
            raise output
        return list(output)


@pytest.fixture
def referee(monkeypatch: pytest.MonkeyPatch) -> RefereeDouble:
    double = RefereeDouble()

    def made(rules: Rules, players: int) -> RefereeDouble:
        double.made.append((rules.hash, players))
        return double

    monkeypatch.setattr(watching, "Referee", made)
    return double


@pytest.fixture
def table(client: FlaskClient) -> str:
    return open_table(client)


@pytest.fixture
def camera(client: FlaskClient) -> dict[str, Any]:
    """What a paired camera's requests carry."""
    pin = client.post("/api/pairings", json={"role": "camera", "name": "camera 1"}).json["pin"]
    token = client.post("/api/pair", json={"pin": pin}, environ_base=CAMERA).json["token"]
    return {"Authorization": f"Bearer {token}"}


def slug(response: Any) -> tuple[int, str]:
    return response.status_code, response.json["type"].rpartition("/")[2]


def event(reported: dict[str, Any], **more: Any) -> NewEvent:
    return NewEvent(reported["kind"], reported["data"], **more)


def report(client: FlaskClient, table: str, frame: bytes | None = None, **state: Any) -> Any:
    return send(
        client, f"/api/tables/{table}/camera", frame, state=json.dumps({"state": "watching", **state})
    )


def test_a_cameras_password_is_in_no_answer(client: FlaskClient, table: str) -> None:
    """Also if a camera process of somebody else reports it."""
    report(
        client,
        table,
        source="rtsp://aki:S3CRET@cam/1",
        message="no picture from http://cam/live?token=S3CRET",
    )
    camera = client.get(f"/api/tables/{table}/camera")
    assert (camera.json["source"], camera.json["message"]) == (
        "rtsp://***@cam/1",
        "no picture from http://cam/live?token=***",
    )
    assert "S3CRET" not in client.get("/api/health").text + client.get("/api/tables").text


# --- observations


def test_the_referees_events_are_published(client: FlaskClient, table: str, referee: RefereeDouble) -> None:
    played = played_round()
    following = messages(client.get(f"/api/tables/{table}/events", buffered=False))
    next(following)
    assert observe(client, table).json == {"seq": 1, "events": []}
    referee.says = [[event(dealt(played), confidence=0.75)]]
    output = observe(client, table, frame="f2", time=2.5)
    assert (output.status_code, output.json["seq"]) == (200, 2)
    (reported,) = output.json["events"]
    assert (reported["kind"], reported["confidence"], reported["source"]) == ("dealt", 0.75, "camera")
    kind, seq, change = next(following)
    assert (kind, seq, change["events"]) == ("change", "2", output.json["events"])
    assert [seen.frame for seen in referee.seen] == ["f1", "f2"]
    assert len(referee.made) == 1


def test_a_phones_event_in_between_is_fine(client: FlaskClient, table: str, referee: RefereeDouble) -> None:
    observe(client, table)
    submit(client, table, dealt(played_round()))
    observe(client, table)
    assert referee.after == [1, 2]


def test_a_camera_may_only_submit_observations(
    client: FlaskClient, table: str, referee: RefereeDouble, camera: dict[str, str]
) -> None:
    client.environ_base |= CAMERA
    assert slug(observe(client, table)) == (403, "not-paired")
    client.environ_base["HTTP_AUTHORIZATION"] = camera["Authorization"]
    referee.says = [[event(dealt(played_round()))]]
    assert observe(client, table).json["events"][0]["actor"] == "camera 1"
    assert slug(submit(client, table, moved(played_round())[0])) == (403, "role-too-low")
    assert slug(client.post(f"/api/tables/{table}/undo", json={})) == (403, "role-too-low")
    client.environ_base["HTTP_AUTHORIZATION"] = "Bearer revoked"
    assert slug(observe(client, table)) == (401, "bad-token")


def test_the_pictures_of_what_happened_are_kept_and_no_others(
    client: FlaskClient, table: str, referee: RefereeDouble, data: Path
) -> None:
    before, between, after = (jpeg(color=color) for color in ("green", "blue", "red"))
    names = [hashlib.sha256(each).hexdigest() for each in (before, between, after)]
    observe(client, table, before)
    observe(client, table, between)
    assert stored_files(data) == []
    pictures = {"before": names[0], "after": names[2]}
    noticed = {"code": "two-cards", "message": ALARM, "pictures": pictures, "cards": []}
    referee.says = [[NewEvent("noticed", noticed, evidence=names[2])]]
    (output,) = observe(client, table, after).json["events"]
    assert referee.seen[-1].frame == output["evidence"] == names[2]
    assert sorted(path.stem for path in stored_files(data)) == sorted((names[0], names[2]))
    displayed = client.get(f"/api/tables/{table}/pictures/{names[0]}", buffered=True)
    assert (displayed.data, displayed.mimetype) == (before, "image/jpeg")
    assert client.get(f"/api/tables/{table}/pictures/{names[0]}?width=320").status_code == 200
    assert slug(client.get(f"/api/tables/{table}/pictures/{names[1]}")) == (404, "no-such-picture")
    context_of(client.application).store.scans.prune()  # type: ignore[arg-type]
    assert len(stored_files(data)) == 2


@pytest.mark.parametrize("name", ["nix", "..%2f..%2fpairings.json", "A" * 64, "0" * 64])
def test_no_such_picture(client: FlaskClient, table: str, name: str) -> None:
    assert client.get(f"/api/tables/{table}/pictures/{name}").status_code == 404


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"frame": "f", "time": "soon", "cards": []}',
        '{"frame": "f", "time": 1, "cards": [{}]}',
        '{"frame": "f", "time": 1, "cards": 7}',
        '{"frame": "f", "time": 1, "cards": [[[[]]]]}',
        "[" * 50_000,
        '{"frame": "f", "time": 1, "cards": [], "extra": 5}',
        '{"frame": "f", "time": NaN, "cards": []}',
        '{"frame": "f", "time": 1e999, "cards": []}',
    ],
)
def test_garbage_is_not_an_observation(
    client: FlaskClient, table: str, referee: RefereeDouble, text: str
) -> None:
    response = send(client, f"/api/tables/{table}/observations", observation=text)
    assert response.status_code == 422, response.json
    assert referee.seen == []


@pytest.mark.parametrize(
    ("frame", "status", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", 415, "not-a-picture"),
        (b"", 415, "not-a-picture"),
        (b"GIF89a", 415, "not-a-picture"),
        (b"\xff\xd8\xff" + b"0" * (4 * 2**20), 413, "too-many-bytes"),
        (b"\xff\xd8\xff" + b"0" * (7 * 2**20), 413, "too-many-bytes"),
    ],
)
def test_garbage_is_no_picture(
    client: FlaskClient, table: str, referee: RefereeDouble, frame: bytes, status: int, kind: str
) -> None:
    assert slug(observe(client, table, frame)) == (status, kind)
    assert referee.seen == []


def test_an_observation_of_an_unknown_table(client: FlaskClient, referee: RefereeDouble) -> None:
    assert slug(observe(client, "nix")) == (404, "no-such-table")
    assert slug(report(client, "nix")) == (404, "no-such-table")


def test_a_referee_that_fails_is_replaced_and_scoring_continues(
    client: FlaskClient, table: str, referee: RefereeDouble
) -> None:
    referee.says = [ZeroDivisionError("in there")]
    assert slug(observe(client, table)) == (500, "internal-error")
    assert submit(client, table, dealt(played_round())).status_code == 200
    assert observe(client, table).status_code == 200
    assert len(referee.made) == 2


def test_events_that_the_table_refuses_become_a_notice_and_the_referee_starts_again(
    client: FlaskClient, table: str, referee: RefereeDouble
) -> None:
    referee.says = [[NewEvent("moved", {"player": 1, "words": ["play", "pine-crane"]})]]
    (noticed,) = observe(client, table).json["events"]
    assert (noticed["kind"], noticed["data"]["code"]) == ("noticed", "table-differs")
    observe(client, table)
    assert len(referee.made) == 2


def test_what_the_log_refuses_the_referee_forgets(
    app: APIFlask, client: FlaskClient, table: str, referee: RefereeDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise LogWriteError("the log could not be written (database or disk is full)")

    referee.says = [[event(dealt(played_round()))], [event(dealt(played_round()))]]
    with monkeypatch.context() as patched:
        patched.setattr(context_of(app).store.tables, "append", full)
        assert slug(observe(client, table)) == (507, "log-not-written")
    assert observe(client, table).json["seq"] == 2
    assert len(referee.made) == 2


def test_a_picture_that_cannot_be_stored_is_reported(
    client: FlaskClient, table: str, referee: RefereeDouble, data: Path
) -> None:
    frame = jpeg()
    name = hashlib.sha256(frame).hexdigest()
    (data / "evidence").mkdir(exist_ok=True)
    (data / "evidence" / name[:2]).write_text("in the way")
    referee.says = [[event(dealt(played_round()), evidence=name)]]
    assert slug(observe(client, table, frame)) == (507, "log-not-written")
    assert client.get(f"/api/tables/{table}").json["seq"] == 1


def test_a_game_without_a_referee_is_reported(client: FlaskClient) -> None:
    def none(rules: Rules, players: int) -> RefereeDouble:
        raise referees_error("no referee")

    from companion.watch.referee import NoRefereeError as referees_error  # noqa: N813, PLC0415

    table = open_table(client)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(watching, "Referee", none)
        assert slug(observe(client, table)) == (422, "no-referee")


def test_other_rules_other_referee(client: FlaskClient, table: str, referee: RefereeDouble) -> None:
    observe(client, table)
    opened = {"game": "koikoi", "rules": "koikoi-hu", "players": ["Aiko", "Ben"]}
    corrected = {"kind": "corrected", "data": {"of": 1, "kind": "opened", "data": opened}}
    assert submit(client, table, corrected).status_code == 200
    observe(client, table)
    assert len({rules for rules, _ in referee.made}) == 2


def test_an_observation_by_scanners_has_their_source(
    client: FlaskClient, table: str, referee: RefereeDouble
) -> None:
    card = {"key": 1, "card": "pine-crane", "likely": [["pine-crane", 1.0]], "zone": "field", "at": [0, 0]}
    referee.says = [[event(dealt(played_round()))]]
    output = observe(client, table, cards=[card], source="scanner").json["events"]
    assert output[0]["source"] == "scanner"


def test_the_time_of_a_camera_that_is_restarted_goes_on(
    client: FlaskClient, table: str, referee: RefereeDouble
) -> None:
    for time in (100.0, 101.5, 0.5, 3.0):
        observe(client, table, time=time)
    times = [each.time for each in referee.seen]
    assert times == sorted(times)
    assert times[1] - times[0] == pytest.approx(1.5)
    assert times[3] - times[2] == pytest.approx(2.5)


def test_questions_are_answered_by_one_tap(client: FlaskClient, table: str, referee: RefereeDouble) -> None:
    played = played_round()
    moves = moved(played)
    submit(client, table, dealt(played))
    choices = [{"says": ALARM, "p": 0.6, "events": [moves[0]]}, {"says": ALARM, "p": 0.4, "events": []}]
    referee.says = [[NewEvent("asked", {"text": ALARM, "choices": choices, "picture": None})]]
    observe(client, table)
    answer = {"kind": "answered", "data": {"of": 3, "choice": 0}}
    reported = submit(client, table, answer, expect=3).json
    assert [(each["kind"], each["group"]) for each in reported["events"]] == [("answered", 4), ("moved", 4)]
    assert reported["events"][1]["data"] == moves[0]["data"]
    assert reported["state"]["questions"] == []
    assert slug(submit(client, table, answer)) == (422, "bad-request")


# --- resetting the table


def test_a_rescan_uses_the_newest_observation(
    client: FlaskClient, table: str, referee: RefereeDouble
) -> None:
    played = played_round()
    submit(client, table, dealt(played))
    assert slug(client.post(f"/api/tables/{table}/rescan", json={})) == (409, "no-observation-yet")
    observe(client, table, frame="f1")
    observe(client, table, frame="f2")
    lies = {"field": list(played.deal.field), "captured": [[], []], "to_move": played.dealer}
    referee.says = [[NewEvent("set", lies)]]
    assert slug(client.post(f"/api/tables/{table}/rescan", json={"expect": 1})) == (409, "out-of-step")
    referee.says = [[NewEvent("set", lies)]]
    reported = client.post(f"/api/tables/{table}/rescan", json={"expect": 2})
    assert (reported.status_code, reported.json["events"][0]["kind"]) == (200, "set")
    assert referee.seen[-1].frame == "f2"


# --- the next game


def test_a_deal_after_the_games_end_opens_the_next_table(client: FlaskClient, referee: RefereeDouble) -> None:
    table = open_table(client, rules={"preset": "koikoi-standard", "rounds": 1})
    played = played_round()
    assert submit(client, table, dealt(played), *moved(played)).json["state"]["night"]["over"]
    stream = client.get(f"/api/tables/{table}/events", buffered=False)
    following = messages(stream)
    next(following)
    report(client, table)
    assert next(following)[0] == "camera"
    zones = {"layout": {"zones": {"field": [[0, 0], [1, 0], [1, 1]]}}}
    client.put(f"/api/tables/{table}/layout", json=zones)
    deal = event(dealt(played_round(2)))
    referee.says = [[deal], [deal]]
    output = observe(client, table)
    assert (output.status_code, output.json["seq"]) == (200, 2)
    kind, _, reported = next(following)
    assert (kind, list(reported)) == ("next", ["table"])
    after = client.get(f"/api/tables/{reported['table']}").json
    assert after["seq"] == 2
    assert [player["name"] for player in after["state"]["table"]["players"]] == ["Aiko", "Ben"]
    # The camera continues at the old address until it gets the new one.
    assert observe(client, table).json["seq"] == 2
    assert report(client, table, fps=9.0).json["table"] == reported["table"]
    assert client.get(f"/api/tables/{reported['table']}/camera").json["fps"] == 9.0
    assert len(client.get("/api/tables").json["tables"]) == 2
    assert client.get(f"/api/tables/{reported['table']}/layout").json == zones


@pytest.mark.parametrize(("rounds", "tables"), [(1, 2), (2, 1)])
def test_a_deal_that_implies_a_stop_may_end_the_game(
    client: FlaskClient, referee: RefereeDouble, rounds: int, tables: int
) -> None:
    """The stop of a game's last round was refused together with the deal after it, at every observation, and no more
    events were reported."""
    table = open_table(client, rules={"preset": "koikoi-standard", "rounds": rounds})
    seeds = (random_round("koikoi", seed, resolve("koikoi-standard")) for seed in range(100))
    played = next(each for each in seeds if each.moves[-1].words() == ("call", "stop"))
    *played_moves, stop = moved(played)
    assert submit(client, table, dealt(played), *played_moves).status_code == 200
    deal = event(dealt(played_round(2)))
    referee.says = [[event(stop), deal], [deal]]
    assert [each["kind"] for each in observe(client, table).json["events"]][-1] == "dealt"
    state = client.get(f"/api/tables/{table}").json["state"]
    assert [each["how"] for each in state["night"]["rounds"]] == ["stop"]
    assert (state["night"]["over"] is None) is (tables == 1)
    assert len(client.get("/api/tables").json["tables"]) == tables


# --- camera status


def test_a_cameras_state_is_published_when_it_changes(client: FlaskClient, table: str) -> None:
    camera = f"/api/tables/{table}/camera"
    assert client.get(camera).json == {"state": "absent", "age": None, "picture_age": None, "worker": None}
    assert slug(client.get(f"{camera}.jpg")) == (404, "no-picture-yet")
    following = messages(client.get(f"/api/tables/{table}/events", buffered=False))
    next(following)
    small = jpeg(32, 24)
    assert report(client, table, small, fps=10.0, quads=[{"key": 1, "card": "back", "quad": []}]).json == {
        "table": table,
        "layout": 0,
    }
    assert report(client, table, fps=9.5).status_code == 200
    report(client, table, state="failed", message="the cable is out")
    reported = [next(following) for _ in range(2)]
    assert [(kind, seq, data["state"]) for kind, seq, data in reported] == [
        ("camera", None, "watching"),
        ("camera", None, "failed"),
    ]
    now = client.get(camera).json
    assert (now["state"], now["message"], now["age"] >= 0) == ("failed", "the cable is out", True)
    displayed = client.get(f"{camera}.jpg")
    assert (displayed.data, displayed.headers["Cache-Control"]) == (small, "no-store")
    assert float(displayed.headers["X-Picture-Age"]) >= 0


@pytest.mark.parametrize(
    "state",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"state": "bored"}',
        '{"state": "watching", "fps": "fast"}',
        '{"state": "watching", "x": 1}',
    ],
)
def test_garbage_is_no_state(client: FlaskClient, table: str, state: str) -> None:
    assert send(client, f"/api/tables/{table}/camera", state=state).status_code == 422


def test_a_camera_that_falls_silent_is_published_once() -> None:
    now = [100.0]
    cameras = Cameras(lambda: now[0])
    assert not cameras.fell_silent("t")
    assert cameras.report("t", {"state": "watching", "message": None}, None)
    now[0] += 5.0
    assert (cameras.status_of("t")["state"], cameras.fell_silent("t")) == ("watching", False)
    now[0] += 0.1
    assert (cameras.status_of("t")["state"], cameras.status_of("t")["age"]) == ("silent", 5.1)
    assert [cameras.fell_silent("t"), cameras.fell_silent("t")] == [True, False]
    assert cameras.report("t", {"state": "watching", "message": None}, None)
    assert not cameras.report("t", {"state": "watching", "message": None, "fps": 9}, None)


def test_the_servers_camera_worker_is_in_the_status(app: APIFlask, client: FlaskClient, table: str) -> None:
    state = {"state": "waiting", "restarts": 3, "code": 1, "again_in": 2.0}
    context_of(app).cameras.set_worker(table, lambda: state)
    assert client.get(f"/api/tables/{table}/camera").json["worker"] == state


def test_the_end_of_the_observations_reaches_the_referee_once(
    client: FlaskClient, table: str, referee: RefereeDouble
) -> None:
    report(client, table, state="ended")
    assert referee.made == []  # no observation yet
    observe(client, table)
    report(client, table)
    referee.says = [[event(dealt(played_round()))]]
    report(client, table, state="ended")
    report(client, table, state="ended")
    assert client.get(f"/api/tables/{table}").json["seq"] == 2


def test_a_phone_that_has_left_is_no_end_of_the_observations(
    client: FlaskClient, table: str, referee: RefereeDouble
) -> None:
    observe(client, table)
    referee.says = [[event(dealt(played_round()))]]
    report(client, table, state="ended", source="phone")
    assert client.get(f"/api/tables/{table}").json["seq"] == 1
    assert client.get(f"/api/tables/{table}/camera").json["state"] == "ended"


def test_a_camera_that_has_ended_does_not_fall_silent() -> None:
    now = [100.0]
    cameras = Cameras(lambda: now[0])
    cameras.report("t", {"state": "ended", "message": None}, None)
    now[0] += 60.0
    assert (cameras.status_of("t")["state"], cameras.fell_silent("t")) == ("ended", False)


# --- the layout


def test_a_layout_is_stored_and_its_camera_notified(client: FlaskClient, table: str, data: Path) -> None:
    where = f"/api/tables/{table}/layout"
    assert client.get(where).json == {"layout": None}
    layout = {"zones": {"field": [[0, 0], [1, 0], [1, 1]]}}
    assert slug(client.put(where, json={"layout": layout}, environ_base=PHONE)) == (403, "not-paired")
    assert client.put(where, json={"layout": layout}).json == {"layout": layout}
    version = report(client, table).json["layout"]
    assert version != 0
    again = make_app(data, ScannerDouble())
    try:
        assert again.test_client().get(where).json == {"layout": layout}
    finally:
        context_of(again).store.close()
    assert client.put(where, json={"layout": None}).json == {"layout": None}
    assert report(client, table).json["layout"] == 0


@pytest.mark.parametrize(
    "asked",
    [{}, {"layout": 1}, {"layout": []}, {"layout": {"zones": "x" * 70_000}}, {"layout": {}, "more": 1}],
)
def test_what_is_no_layout(client: FlaskClient, table: str, asked: dict[str, Any]) -> None:
    assert client.put(f"/api/tables/{table}/layout", json=asked).status_code == 422


def test_a_layout_that_cannot_be_written_is_reported(client: FlaskClient, table: str, data: Path) -> None:
    (data / "layouts").write_text("in the way")
    assert slug(client.put(f"/api/tables/{table}/layout", json={"layout": {}})) == (507, "log-not-written")
