"""The pages as an app: manifest, service worker, and the copy of the pages' files."""

from __future__ import annotations

import json

import pytest
from flask.testing import FlaskClient

from api.page_shell import catalog_address, file_address, page_files, shell_version


@pytest.mark.parametrize(("language", "name"), [("en", "Hanafuda"), ("ja", "花札"), ("ko", "화투")])
def test_the_manifest_has_names_in_the_language_and_icons(
    client: FlaskClient, language: str, name: str
) -> None:
    answer = client.get("/manifest.webmanifest", headers={"Accept-Language": language})
    manifest = json.loads(answer.data)
    assert answer.mimetype == "application/manifest+json"
    assert (manifest["short_name"], manifest["display"]) == (name, "standalone")
    for icon in manifest["icons"]:
        with client.get(icon["src"]) as file:
            assert file.mimetype == icon["type"]


def test_the_copy_is_what_the_server_sends_and_has_no_answer_of_the_api(client: FlaskClient) -> None:
    shell = json.loads(client.get("/app-shell.json").data)
    assert shell["version"] == shell_version() == client.get("/api/games").headers["App-Version"]
    assert {f"/files/{shell_version()}/{name}" for name in page_files()} < set(shell["files"])
    for address, file in shell["files"].items():
        assert address.startswith(("/files/", "/faces/", "/texts/"))
        with client.get(address) as answer:
            assert answer.mimetype == file["type"], address
            assert "text" not in file or answer.data.decode() == file["text"]


def test_browsers_keep_what_has_a_version_in_its_address_and_ask_again_for_the_rest(
    client: FlaskClient,
) -> None:
    for address in (file_address("js/live/app.js"), catalog_address("ja")):
        answer = client.get(address)
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert "Vary" not in answer.headers, "a new cookie would make browsers ask again"
    with client.get("/static/js/live/app.js") as answer:
        assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "address",
    [
        "/files/0123456789ab/js/app.js",
        f"/files/{shell_version()}/js/nix.js",
        f"/files/{shell_version()}/service-worker.js",
        f"/files/{shell_version()}/js/../../app.py",
    ],
)
def test_a_server_has_files_of_its_own_version_only(client: FlaskClient, address: str) -> None:
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("name", ["js/live/app.js", "css/base.css", "js/new.js"])
def test_any_changed_file_makes_a_new_version(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = shell_version()
    monkeypatch.setitem(page_files(), name, b"changed")
    assert shell_version.__wrapped__() != before


def test_the_worker_is_of_the_version_and_may_load_only_our_files(client: FlaskClient) -> None:
    answer = client.get("/sw.js")
    assert answer.data.startswith(f'const VERSION = "{shell_version()}";'.encode())
    assert "connect-src 'self'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Cache-Control"] == "no-cache"
