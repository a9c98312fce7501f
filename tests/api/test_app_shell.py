"""The pages as an app: manifest, service worker, and the copy of the pages' files."""

from __future__ import annotations

import json

import pytest
from flask.testing import FlaskClient

from api.pages.shell_files import page_files, shell_version


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
    assert {address for address, _ in page_files()} < set(shell["files"])
    for address, file in shell["files"].items():
        assert address.startswith(("/static/", "/faces/", "/texts/"))
        with client.get(address) as answer:
            assert answer.mimetype == file["type"], address
            if address.startswith("/static/"):
                assert answer.headers["Cache-Control"] == "no-cache", address
            assert "text" not in file or answer.data.decode() == file["text"]


def test_the_worker_is_of_the_version_and_may_load_only_our_files(client: FlaskClient) -> None:
    answer = client.get("/sw.js")
    assert answer.data.startswith(f'const VERSION = "{shell_version()}";'.encode())
    assert "connect-src 'self'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Cache-Control"] == "no-cache"
