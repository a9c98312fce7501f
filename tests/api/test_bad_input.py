"""Malformed requests: refused with a 4xx problem, and nothing of them is stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from api.request_bodies import EVENT_BYTES, JSON_BYTES
from tests.api.table_helpers import dealt, moved, open_table, played_round, submit

JSON = {"content_type": "application/json"}
SURROGATE = r'"\ud800"'

NOT_JSON = {
    "half of a surrogate pair": '{"x": "\\ud83d"}',
    "half of a surrogate pair in a key": '{"\\udc00": 1}',
    "a NUL": '{"x": "a\\u0000b"}',
    "NaN": '{"x": NaN}',
    "a number without end": '{"x": 1e999}',
    "an integer of 5,000 digits": '{"x": ' + "9" * 5000 + "}",
    "an integer that browsers round": '{"x": 9007199254740993}',
    "a key twice": '{"x": 1, "x": 2}',
    "a thousand brackets": '{"x": ' + "[" * 1000 + "]" * 1000 + "}",
    "UTF-16": '{"x": 1}'.encode("utf-16"),
    "Latin-1": '{"x": "é"}'.encode("latin-1"),
    "nothing": "",
}


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/score"),
        ("POST", "/api/rules"),
        ("PUT", "/api/rules/ours"),
        ("POST", "/api/tables"),
        ("POST", "/api/tables/{table}/events"),
        ("POST", "/api/tables/{table}/undo"),
        ("POST", "/api/tables/{table}/presses"),
        ("PUT", "/api/tables/{table}/layout"),
        ("POST", "/api/pair"),
        ("PUT", "/api/decks/hanafuda/tags"),
    ],
)
def test_json_that_programs_read_differently(
    fuzzed: FlaskClient, method: str, path: str, body: str | bytes
) -> None:
    """Half a surrogate pair anywhere in a body was a 500; one in a layout was stored and failed every later read."""
    table = open_table(fuzzed)
    response = fuzzed.open(path.format(table=table), method=method, data=body, **JSON)
    assert response.status_code == 400, response.json
    assert response.mimetype == "application/problem+json"
    assert fuzzed.get(f"/api/tables/{table}").json["seq"] == 1


def test_a_layout_with_half_a_surrogate_pair_is_not_stored(client: FlaskClient) -> None:
    table = open_table(client)
    body = '{"layout": {"zones": [' + SURROGATE + "]}}"
    assert client.put(f"/api/tables/{table}/layout", data=body, **JSON).status_code == 400
    assert client.get(f"/api/tables/{table}/layout").status_code == 200


@pytest.mark.parametrize("stored", ['{"zones": [' + SURROGATE + "]}", "{", "", "\udcff", "[" * 5000])
def test_a_stored_layout_that_cannot_be_read_is_set_aside(
    client: FlaskClient, data: Path, stored: str
) -> None:
    """A layout stored by an earlier version, with half a surrogate pair in it, was a 500 on every later read."""
    table = open_table(client)
    path = data / "layouts" / f"{table}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(stored.encode("utf-8", "surrogateescape"))
    for _ in range(2):
        response = client.get(f"/api/tables/{table}/layout")
        assert (response.status_code, response.json["layout"]) == (200, None)
    kept = [each for each in path.parent.iterdir() if each != path]
    assert [each.name for each in kept] == ([f"{table}.json.damaged-1"] if stored else [])


@pytest.mark.parametrize("kind", [[], ["moved"], {}, {"a": 1}, 5, True, "x" * 1000])
@pytest.mark.parametrize(
    ("outer", "place"), [("corrected", {"of": 2}), ("inserted", {"before": 2}), ("corrected", {})]
)
def test_a_correction_to_what_is_not_the_name_of_an_event(
    fuzzed: FlaskClient, outer: str, place: dict[str, int], kind: Any
) -> None:
    """A list or an object as the type of a correction was a 500."""
    table = open_table(fuzzed)
    assert submit(fuzzed, table, dealt(played_round())).status_code == 200
    response = submit(fuzzed, table, {"kind": outer, "data": {**place, "kind": kind, "data": {}}})
    assert response.status_code == 422, response.json


def test_a_megabyte_in_an_unknown_key_is_not_stored(client: FlaskClient) -> None:
    """19 MB in an unknown key of `dealt` were stored, returned with 40 MB, and sent to every phone."""
    table = open_table(client)
    deal = dealt(played_round())
    deal["data"]["junk"] = "x" * 2**20
    response = submit(client, table, deal)
    assert (response.status_code, response.json["type"]) == (413, "/problems/too-many-bytes")
    deal["data"]["junk"] = "x"
    response = submit(client, table, deal)
    assert response.status_code == 422
    assert "junk" in response.json["detail"]
    assert client.get(f"/api/tables/{table}").json["seq"] == 1


@pytest.mark.parametrize(
    ("path", "most"), [("/api/tables/{table}/events", EVENT_BYTES), ("/api/score", JSON_BYTES)]
)
def test_a_body_has_a_greatest_size(fuzzed: FlaskClient, path: str, most: int) -> None:
    path = path.format(table=open_table(fuzzed))
    empty = json.dumps({"x": ""})
    for size, status in ((most, 422), (most + 1, 413)):
        body = json.dumps({"x": "x" * (size - len(empty))})
        assert fuzzed.post(path, data=body, **JSON).status_code == status


def test_a_whole_round_at_once_is_far_below_the_greatest_size(client: FlaskClient) -> None:
    """The limit on events never affects an honest phone: all cards known, every move in one request."""
    table = open_table(client)
    played = played_round()
    events = [dealt(played), *moved(played)][:50]
    assert len(json.dumps({"events": events})) < EVENT_BYTES / 4
    assert submit(client, table, *events).status_code == 200


ODD_REQUESTS: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", "/api/scans?after=%00", {}),
    ("GET", "/api/scans?after=%ED%A0%80", {}),
    ("GET", "/api/scans?limit=" + "9" * 5000, {}),
    ("GET", "/?lang=%00", {}),
    ("GET", "/?lang=" + "x" * 5000, {}),
    ("GET", "/?lang=%ED%A0%80&lang=en", {}),
    ("GET", "/%ED%A0%80", {}),
    ("GET", "/%zz%", {}),
    ("GET", "/api/rules/%ED%A0%80", {}),
    ("GET", "/api/rules/" + "x" * 10_000, {}),
    ("GET", "/api/rules/%00", {}),
    ("PUT", "/api/rules/%ED%A0%80", {"json": {"rules": "standard"}}),
    ("GET", "/api/tables/" + "x" * 10_000, {}),
    ("GET", "/api/tables/{table}/events/" + "9" * 5000 + "/alternatives", {}),
    ("GET", "/api/tables/{table}/layout", {"headers": {"If-None-Match": '"' * 99}}),
    ("GET", "/api/tables/{table}/pictures/" + "a" * 300, {}),
    ("GET", "/faces/%00.svg", {}),
    ("GET", "/faces/pine-crane.svg", {"headers": {"Range": "bytes=99999999999999999999-"}}),
    ("GET", "/faces/pine-crane.svg", {"headers": {"Range": "bytes=-"}}),
    ("GET", "/faces/pine-crane.svg", {"headers": {"Range": "bytes=9-1,x"}}),
    ("GET", "/faces/pine-crane.svg", {"headers": {"If-None-Match": 'W/"' + "x" * 9999}}),
    ("GET", "/faces/pine-crane.svg", {"headers": {"If-Modified-Since": "yesterday"}}),
    ("GET", "/", {"headers": {"Accept-Language": "\xff\xfe;q=nan, ja;q=9" + "9" * 500}}),
    ("GET", "/", {"headers": {"Accept-Language": "*;q=, ;;;,en-\xe9" + ",x" * 5000}}),
    (
        "GET",
        "/api/me",
        {"headers": {"Cookie": 'pairing="\\355\\240\\200"; a=\xff; ;=;pairing=' + "x" * 9999}},
    ),
    ("GET", "/api/me", {"headers": {"Authorization": "Bearer " + "\xff" * 999}}),
    ("GET", "/api/me", {"headers": {"Authorization": "Basic %%%"}}),
    ("GET", "/api/me", {"headers": {"Authorization": "\xff"}}),
    ("GET", "/api/health", {"headers": {"Accept": "\xff/\xff;q=x"}}),
    ("POST", "/api/score", {"data": "{}", "content_type": "application/json; charset=utf-16"}),
    ("POST", "/api/score", {"data": "{}", "content_type": "application/json; charset=\xff"}),
    ("POST", "/api/score", {"data": "{}", "headers": {"Content-Length": "x"}, **JSON}),
    ("POST", "/api/scan", {"data": "x", "content_type": "multipart/form-data"}),
    ("POST", "/api/scan", {"data": "--x\r\n", "content_type": "multipart/form-data; boundary=x"}),
    ("POST", "/api/scan", {"data": "--\r\n", "content_type": "multipart/form-data; boundary="}),
    ("POST", "/api/scan", {"data": "x", "content_type": "multipart/form-data; boundary=" + "y" * 9999}),
    ("TRACE", "/api/score", {}),
    ("QQQ", "/api/score", {}),
]


@pytest.mark.parametrize(("method", "path", "options"), ODD_REQUESTS)
def test_odd_requests_are_no_failure(
    fuzzed: FlaskClient, method: str, path: str, options: dict[str, Any]
) -> None:
    path = path.replace("{table}", open_table(fuzzed))
    response = fuzzed.open(path, method=method, **options)
    assert response.status_code < 500, response.get_data(as_text=True)[:300]
    response.close()


def part(name: bytes, value: bytes, more: bytes = b"") -> bytes:
    return (
        b'--b\r\nContent-Disposition: form-data; name="' + name + b'"' + more + b"\r\n\r\n" + value + b"\r\n"
    )


FORMS = {
    "10,000 parts": part(b"x", b"1") * 10_000,
    "a name that is not UTF-8": part(b"\xed\xa0\x80", b"1"),
    "a file's name that is not UTF-8": part(b"image", b"1", b'; filename="\xed\xa0\x80.jpg"'),
    "a file's name with a NUL": part(b"image", b"1", b'; filename="a\x00.jpg"'),
    "a long name of a file": part(b"image", b"1", b'; filename="' + b"x" * 9000 + b'"'),
    "a field that is not UTF-8": part(b"image", b"1", b'; filename="a.jpg"') + part(b"game", b"\xed\xa0\x80"),
    "rules with half a surrogate pair": part(b"image", b"1", b'; filename="a.jpg"')
    + part(b"rules", b'{"preset": "\\ud800"}'),
    "an unknown charset": part(b"game", b"1", b"\r\nContent-Type: text/plain; charset=klingon"),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(
    "path", ["/api/scan", "/api/tables/{table}/observations", "/api/tables/{table}/camera"]
)
def test_odd_forms_are_refused(fuzzed: FlaskClient, path: str, form: bytes) -> None:
    response = fuzzed.post(
        path.format(table=open_table(fuzzed)),
        data=form + b"--b--\r\n",
        content_type="multipart/form-data; boundary=b",
    )
    assert 400 <= response.status_code < 500, response.json


@pytest.mark.parametrize("last", ["9" * 5000, "-1", "\xff", "1.5", "²", "x" * 9000, " 1"])
def test_an_odd_last_event_id_begins_with_a_snapshot(fuzzed: FlaskClient, last: str) -> None:
    response = fuzzed.get(f"/api/tables/{open_table(fuzzed)}/events", headers={"Last-Event-ID": last})
    try:
        assert response.status_code == 200
        assert b"event: snapshot" in next(response.iter_encoded())
    finally:
        response.close()
