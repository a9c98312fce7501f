"""The HTML shell of the pages: language, content policy, caching."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
from flask import Flask
from flask.testing import FlaskClient

import api
import api.routes.pages

API = Path(api.__file__).parent
LIVE = ["/tables", "/join", *(f"/t/abc{page}" for page in ("", "/seat/1", "/display", "/host", "/overlay"))]


@pytest.fixture
def client() -> FlaskClient:
    app = Flask("api", root_path=str(API), static_folder=str(API / "static"))
    app.register_blueprint(api.routes.pages.blueprint)
    return app.test_client()


@pytest.mark.parametrize(
    ("asked", "spoken"),
    [
        ("ja", "ja"),
        ("ja-JP,ja;q=0.9,en;q=0.5", "ja"),
        ("de-DE,de;q=0.9,ja;q=0.4", "ja"),
        ("de-DE,de;q=0.9", "en"),
        ("en-GB,en;q=0.9,ja;q=0.8", "en"),
        ("", "en"),
        ("*", "en"),
    ],
)
def test_the_browser_determines_the_language(client: FlaskClient, asked: str, spoken: str) -> None:
    page = client.get("/", headers={"Accept-Language": asked}).text
    assert f'<html lang="{spoken}">' in page


def test_a_switched_language_stays(client: FlaskClient) -> None:
    client.get("/log?lang=ja", headers={"Accept-Language": "en"})
    assert '<html lang="ja">' in client.get("/", headers={"Accept-Language": "en"}).text


def test_an_unknown_language_is_not_remembered(client: FlaskClient) -> None:
    answer = client.get("/?lang=xx", headers={"Accept-Language": "en"})
    assert '<html lang="en">' in answer.text
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/log", "/log/abc", *LIVE])
def test_a_page_may_load_nothing_but_our_own(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert answer.headers["Cache-Control"] == "no-cache"
    assert {"Accept-Language", "Cookie"} <= set(answer.vary)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', answer.text)


def test_the_boot_record_cannot_end_its_script(client: FlaskClient) -> None:
    hostile = client.get("/log/%3C!--%3Cscript%3E")
    assert "<!--<script>" not in hostile.text
    boot = re.search(r'id="boot">(.*?)</script>', hostile.text)
    assert boot
    assert json.loads(boot[1])["scan"] == "<!--<script>"


@pytest.mark.parametrize("page", ["/", *LIVE])
def test_everything_a_page_names_is_there(client: FlaskClient, page: str) -> None:
    for path in re.findall(r'(?:src|href)="(/(?:static|files)/[^"]+)"', client.get(page).text):
        with client.get(path) as answer:
            assert answer.status_code == 200, path


@pytest.mark.parametrize("page", ["/", *LIVE])
def test_a_page_names_every_module_at_once(client: FlaskClient, page: str) -> None:
    html = client.get(page).text
    named = set(re.findall(r'rel="modulepreload" href="([^"]+)"', html))
    (entry,) = re.findall(r'<script type="module" src="([^"]+)"', html)
    assert len(named) >= 20
    for address in (entry, *named):
        for name in re.findall(
            r'^(?:import|export)\b[^;="(]*"([^"]+)";', client.get(address).text, re.MULTILINE
        ):
            assert urljoin(address, name) in named, f"{address} imports {name}"


def test_modules_import_only_what_is_there() -> None:
    for script in [*(API / "static" / "js").rglob("*.js"), *(API / "static" / "vendor").glob("*.js")]:
        for name in re.findall(r'(?<!")(?:from\s*|import\s*)"([^"]+)"', script.read_text("utf-8")):
            assert name.startswith("."), f"{script.name} imports {name}"
            assert (script.parent / name).resolve().is_file(), f"{script.name} imports {name}"


@pytest.mark.parametrize("page", LIVE)
def test_live_pages_exist_in_both_languages(client: FlaskClient, page: str) -> None:
    titles = {
        code: re.search("<title>(.*?)</title>", client.get(f"{page}?lang={code}").text)
        for code in ("en", "ja")
    }
    assert titles["en"]
    assert titles["ja"]
    assert titles["en"][1] != titles["ja"][1]


@pytest.mark.parametrize(
    ("host", "path", "status"),
    [
        ("192.0.2.7:8420", "/t/abc/seat/1", 200),
        ("localhost:8420", "/join?to=/t/x", 200),
        ("192.0.2.7:8420", "//elsewhere.example/", 400),
        ("192.0.2.7:8420", "https://elsewhere.example/", 400),
        ("192.0.2.7:8420", "/" + "x" * 600, 400),
    ],
)
def test_qr_codes_lead_to_our_own_pages_only(client: FlaskClient, host: str, path: str, status: int) -> None:
    answer = client.get("/qr.svg", query_string={"path": path}, headers={"Host": host})
    assert answer.status_code == status
    if status == 200:
        assert answer.mimetype == "image/svg+xml"


def test_phones_are_sent_to_the_address_they_can_reach(client: FlaskClient) -> None:
    """On the machine itself, the page has the name localhost in its address, which does not work for phones."""
    boot = re.search(
        r'id="boot">(.*?)</script>', client.get("/tables", headers={"Host": "192.0.2.7:8420"}).text
    )
    assert boot
    assert json.loads(boot[1])["address"] == "http://192.0.2.7:8420"


def test_where_to_go_on_survives_a_switch_of_language(client: FlaskClient) -> None:
    switch = re.search(r'class="language" href="([^"]+)"', client.get("/join?to=/t/x&lang=en").text)
    assert switch
    there = client.get("/join" + switch[1].replace("&amp;", "&"))
    assert '<html lang="ja"' in there.text
    assert "to=" in switch[1]
