"""What the server puts around the pages: language, policy, caching."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

import api.pages

API = Path(api.pages.__file__).parent


@pytest.fixture
def client() -> FlaskClient:
    app = Flask("api", root_path=str(API), static_folder=str(API / "static"))
    app.register_blueprint(api.pages.blueprint)
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
def test_the_browser_says_which_language(client: FlaskClient, asked: str, spoken: str) -> None:
    page = client.get("/", headers={"Accept-Language": asked}).text
    assert f'<html lang="{spoken}">' in page


def test_a_switched_language_stays(client: FlaskClient) -> None:
    client.get("/log?lang=ja", headers={"Accept-Language": "en"})
    assert '<html lang="ja">' in client.get("/", headers={"Accept-Language": "en"}).text


def test_an_unknown_language_is_not_remembered(client: FlaskClient) -> None:
    answer = client.get("/?lang=xx", headers={"Accept-Language": "en"})
    assert '<html lang="en">' in answer.text
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/log", "/log/abc"])
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


def test_everything_a_page_names_is_there(client: FlaskClient) -> None:
    for path in re.findall(r'(?:src|href)="(/static/[^"]+)"', client.get("/").text):
        with client.get(path) as answer:
            assert answer.status_code == 200, path


def test_modules_import_only_what_is_there() -> None:
    for script in [*(API / "static" / "js").rglob("*.js"), *(API / "static" / "vendor").glob("*.js")]:
        for name in re.findall(r'(?:from\s*|import\s*)"([^"]+)"', script.read_text("utf-8")):
            assert name.startswith("."), f"{script.name} imports {name}"
            assert (script.parent / name).resolve().is_file(), f"{script.name} imports {name}"
