"""The whole path with the real scanner: one of the sample pictures through the API to its score."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

import api
from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.scoring import score_request
from companion.messages.catalog import with_texts
from tests.api.api_helpers import context_of, make_app, same_picture, upload

SAMPLES = sorted((Path(api.__file__).parent / "static" / "samples").glob("*.jpg"))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    app = make_app(tmp_path_factory.mktemp("data"))
    yield app.test_client()
    context_of(app).store.close()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_is_read_and_scored(client: FlaskClient, sample: Path) -> None:
    response = upload(client, sample.read_bytes(), name=sample.name, game="koikoi")
    assert response.status_code == 200, response.text
    answer = response.json
    named = [card["card"] for card in answer["cards"] if card["card"] not in {None, "back"}]
    assert set(named) <= {card.id for card in HANAFUDA}
    assert named, (
        "how many must be named is asked of the eyes in tests/vision; here it is that they are asked"
    )
    assert answer["score"] == with_texts(score_request({"game": "koikoi", "captured": named}), "en")
    kept = client.get(f"/api/scans/{answer['id']}").json
    assert kept["reading"]["cards"] == answer["cards"]
    picture = client.get(f"/api/scans/{answer['id']}/picture", buffered=True)
    assert same_picture(picture.data, sample.read_bytes())
