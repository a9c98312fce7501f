"""Pictures of a table taken with a phone: the table is followed without a camera."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from companion.hanafuda.cards import first_of
from companion.hanafuda.simulation import record_of
from companion.net.job_process import InProcess
from companion.observations import POSTED, Observation, TrackedCard
from hanafuda_training.rounds.film import SEED, TABLE
from hanafuda_training.rounds.fishing import round_moments
from hanafuda_training.rounds.greedy_players import evening
from hanafuda_training.rounds.renderer import Renderer
from hanafuda_training.rounds.stage import Manner, Moment, Stage
from tests.api.api_helpers import context_of, jpeg, make_app
from tests.api.table_helpers import PHONE, open_table, send, submit
from vision.pictures.picture_files import MAX_BYTES
from vision.sources.frames import Frame

FIELD = (
    "pine-crane", "plum-warbler", "cherry-ribbon", "wisteria-chaff-1",
    "iris-bridge", "peony-butterflies", "clover-boar", "susuki-moon",
)  # fmt: skip


@dataclass
class WatchingDouble:
    """Returns the given result, and remembers how it was created and what it was given."""

    sees: list[tuple[str | None, ...]] = field(default_factory=list)
    fails_with: Exception | None = None
    made: list[tuple[Any, ...]] = field(default_factory=list)
    sizes: list[tuple[int, ...]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def opened(self, scanner: Any, *made_for: Any) -> WatchingDouble:
        self.made.append(made_for)
        return self

    def observe(self, bgr: np.ndarray, name: str, time: float) -> tuple[Frame, Observation]:
        self.sizes.append(bgr.shape)
        self.times.append(time)
        if self.fails_with is not None:
            raise self.fails_with
        cards = tuple(
            TrackedCard(
                key,
                card,
                ((card or FIELD[0], 0.98 if card else 0.3),),
                "field",
                (40.0 * key, 0.0),
                visible=1.0,
            )
            for key, card in enumerate(self.sees.pop(0) if self.sees else (), start=1)
        )
        return Frame(name, time, bgr=bgr), Observation(name, time, cards, notes=(POSTED,))


@pytest.fixture
def watching(app: APIFlask, monkeypatch: pytest.MonkeyPatch) -> WatchingDouble:
    double = WatchingDouble()
    jobs = context_of(app).pictures.jobs
    assert isinstance(jobs, InProcess)
    monkeypatch.setattr(jobs.jobs, "make_observer", double.opened)
    return double


def take(client: FlaskClient, table: str, picture: bytes, **options: Any) -> TestResponse:
    parts = {"image": FileStorage(io.BytesIO(picture), "table.jpg", content_type="image/jpeg")}
    boundary, body = encode_multipart(parts)
    form = f'multipart/form-data; boundary="{boundary}"'
    return client.post(f"/api/tables/{table}/pictures", data=body, content_type=form, **options)


def output(response: TestResponse) -> list[dict[str, Any]]:
    assert response.status_code == 200, response.json
    answer: Any = response.json
    events: list[dict[str, Any]] = answer["events"]
    return events


def slug(response: TestResponse) -> tuple[int, str]:
    answer: Any = response.json
    return response.status_code, answer["type"].rpartition("/")[2]


def test_a_picture_of_a_deal_deals(client: FlaskClient, watching: WatchingDouble) -> None:
    table = open_table(client, deck="hanafuda")
    watching.sees = [FIELD]
    (reported,) = output(take(client, table, jpeg()))
    assert (reported["kind"], reported["source"], sorted(reported["data"]["deal"]["field"])) == (
        "dealt", "camera", sorted(FIELD),
    )  # fmt: skip
    assert watching.made == [("koikoi", 2, "hanafuda", None)]


def test_a_doubtful_picture_is_reported_at_once(client: FlaskClient, watching: WatchingDouble) -> None:
    """A table in doubt is watched for some seconds, but no further picture may come: seven cards are not a deal."""
    table = open_table(client)
    watching.sees = [FIELD[:7]]
    (reported,) = output(take(client, table, jpeg()))
    assert (reported["kind"], reported["data"]["code"]) == ("noticed", "deal-count")
    with client.get(f"/api/tables/{table}/pictures/{reported['data']['pictures']['after']}") as displayed:
        assert (displayed.status_code, displayed.mimetype) == (200, "image/jpeg")


def test_a_table_is_followed_from_picture_to_picture(client: FlaskClient, watching: WatchingDouble) -> None:
    one, other = open_table(client), open_table(client, game="kekoro", players=["C", "D"])
    for table in (one, one, other, one):
        assert take(client, table, jpeg()).status_code == 200
    assert [game for game, *_ in watching.made] == ["koikoi", "kekoro"]
    assert watching.times == sorted(watching.times)


def test_another_layout_creates_another_observer(client: FlaskClient, watching: WatchingDouble) -> None:
    table = open_table(client)
    take(client, table, jpeg())
    layout = {"field": [[0, 0], [1, 0], [1, 1], [0, 1]]}
    client.put(f"/api/tables/{table}/layout", json={"layout": layout})
    take(client, table, jpeg())
    assert [made[-1] for made in watching.made] == [None, layout]


def test_a_failure_is_reported_and_not_remembered(
    client: FlaskClient, watching: WatchingDouble, caplog: pytest.LogCaptureFixture
) -> None:
    table = open_table(client)
    take(client, table, jpeg())
    watching.fails_with = RuntimeError("a network ate itself")
    assert slug(take(client, table, jpeg())) == (500, "scanner-failed")
    assert "a network ate itself" in caplog.text
    watching.fails_with = None
    assert take(client, table, jpeg()).status_code == 200
    assert len(watching.made) == 2


def _two_captures(client: FlaskClient) -> str:
    """Open a table at which both players have captured two cards each, and return its id."""
    table = open_table(client, deck="hanafuda")
    deal = {"kind": "dealt", "data": {"deal": {"field": list(FIELD)}, "dealer": 1, "month": 1}}
    words = (
        (1, "play", "pine-ribbon", "pine-crane"),
        (1, "draw", "plum-ribbon", "plum-warbler"),
        (2, "play", "cherry-curtain", "cherry-ribbon"),
        (2, "draw", "maple-deer"),
    )
    moves = [{"kind": "moved", "data": {"player": player, "words": list(move)}} for player, *move in words]
    assert submit(client, table, deal, *moves).status_code == 200
    return table


def test_a_pile_in_the_field_is_refused_with_the_reason(
    client: FlaskClient, watching: WatchingDouble
) -> None:
    table = _two_captures(client)
    before = client.get(f"/api/tables/{table}").json["seq"]
    field = (*FIELD[3:], "maple-deer")
    watching.sees = [(*field, "pine-crane", "pine-ribbon", "plum-ribbon", "plum-warbler")]
    response = take(client, table, jpeg())
    assert slug(response) == (422, "table-impossible")
    assert "4 captured cards of Aiko lie in the field" in response.json["detail"]
    assert set(response.json["view"]) == {"size", "zones", "cards"}
    assert client.get(f"/api/tables/{table}").json["seq"] == before
    watching.sees = [field]
    answer = take(client, table, jpeg())
    assert answer.status_code == 200
    assert answer.json["view"]["cards"] == []  # the double has no corners


def test_one_misread_card_and_a_new_deal_are_no_reason_to_refuse(
    client: FlaskClient, watching: WatchingDouble
) -> None:
    table = _two_captures(client)
    watching.sees = [(*FIELD[3:], "maple-deer", "pine-crane")]
    assert take(client, table, jpeg()).status_code == 200
    # A new deal has cards that were captured in the round before.
    watching.sees = [("pine-crane", "pine-ribbon", "plum-ribbon", "willow-swallow", *FIELD[3:5], "paulownia-phoenix", "willow-ribbon")]  # fmt: skip
    assert take(client, table, jpeg()).status_code == 200


def test_a_new_pile_in_the_field_is_refused(client: FlaskClient, watching: WatchingDouble) -> None:
    table = _two_captures(client)
    new = ("willow-swallow", "willow-ribbon", "willow-rainman", "paulownia-phoenix", "paulownia-yellow", "maple-ribbon", "susuki-geese")  # fmt: skip
    watching.sees = [(*FIELD[3:], "maple-deer", *new)]
    response = take(client, table, jpeg())
    assert slug(response) == (422, "table-impossible")
    assert "7 cards lie in the field" in response.json["detail"]


@pytest.mark.parametrize(
    ("unknown", "status"), [(0, 200), (3, 200), (4, 200), (5, 422)], ids=["none", "three", "half", "most"]
)
def test_a_deck_that_is_not_known_is_refused_with_an_offer_to_enroll_it(
    client: FlaskClient, watching: WatchingDouble, unknown: int, status: int
) -> None:
    table = open_table(client)
    watching.sees = [(*[None] * unknown, *FIELD[unknown:])]
    response = take(client, table, jpeg())
    assert response.status_code == status
    if status != 200:
        assert slug(response) == (422, "deck-unknown")
        assert "5 of 8 cards could not be recognized" in response.json["detail"]
        assert client.get(f"/api/tables/{table}").json["seq"] == 1


def test_large_pictures_are_made_smaller(client: FlaskClient, watching: WatchingDouble) -> None:
    assert take(client, open_table(client), jpeg(4000, 3000)).status_code == 200
    assert watching.sizes == [(1920, 2560, 3)]


@pytest.mark.parametrize(
    ("picture", "problem"),
    [
        (b"", (422, "empty-picture")),
        (b"%PDF-1.7", (415, "not-a-picture")),
        (jpeg(640, 480)[:400], (422, "truncated-picture")),
        (b"\xff\xd8\xff" + bytes(MAX_BYTES), (413, "too-many-bytes")),
    ],
)
def test_what_is_no_picture_is_refused(
    client: FlaskClient, watching: WatchingDouble, picture: bytes, problem: tuple[int, str]
) -> None:
    assert slug(take(client, open_table(client), picture)) == problem
    assert not watching.sizes


def test_only_scorers_take_pictures(client: FlaskClient, watching: WatchingDouble) -> None:
    table = open_table(client)
    assert slug(take(client, table, jpeg(), environ_base=PHONE)) == (403, "not-paired")
    assert slug(take(client, "nowhere", jpeg())) == (404, "no-such-table")
    assert not watching.sizes


def test_two_views_do_not_mix(client: FlaskClient, watching: WatchingDouble) -> None:
    table = open_table(client)
    send(client, f"/api/tables/{table}/camera", state='{"state": "watching"}')
    assert slug(take(client, table, jpeg())) == (409, "camera-watches")
    send(client, f"/api/tables/{table}/camera", state='{"state": "failed"}')
    assert take(client, table, jpeg()).status_code == 200


# --- with the shipped networks, on drawn tables (synthetic, our own faces)


@pytest.fixture
def seeing(tmp_path: Path) -> Iterator[FlaskClient]:
    app = make_app(tmp_path / "data")
    yield app.test_client()
    context_of(app).pictures.close()
    context_of(app).store.close()


def either(card: str) -> str:
    """Return the first of two cards that look alike."""
    return first_of(card)


def from_a_stand(renderer: Renderer, moment: Moment, number: int) -> np.ndarray:
    return renderer.draw(moment, 0.0)[0]


def out_of_the_hand(renderer: Renderer, moment: Moment, number: int) -> np.ndarray:
    """Each picture is from another viewpoint, up to 6 degrees and a tenth of the size different."""
    bgr = renderer.draw(replace(moment, view=number), 0.0)[0]
    rng = np.random.default_rng(number)
    middle = (bgr.shape[1] / 2 + rng.uniform(-20, 20), bgr.shape[0] / 2)
    turned = cv2.getRotationMatrix2D(middle, rng.uniform(-6, 6), rng.uniform(0.9, 1.0))
    return cv2.warpAffine(bgr, turned, bgr.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)


@pytest.mark.parametrize("taken", [from_a_stand, out_of_the_hand])
def test_a_picture_after_each_turn_reports_the_turn(
    seeing: FlaskClient, taken: Callable[[Renderer, Moment, int], np.ndarray]
) -> None:
    record = record_of(next(evening("koikoi", SEED)))
    stage = Stage(np.random.default_rng((SEED, 9)), Manner(mm=1.2, degrees=2.5))
    settled = {each.turn: each for each in round_moments(stage, record) if each.settled}
    renderer, table = Renderer(TABLE, (1600, 1200), mess=0.0), open_table(seeing)
    reported = []
    for number in range(4):
        picture = cv2.imencode(".jpg", taken(renderer, settled[number], number))[1].tobytes()
        reported += output(take(seeing, table, picture))
    assert [event["kind"] for event in reported] == ["dealt", "began", *["moved"] * 6]
    assert sorted(map(either, reported[0]["data"]["deal"]["field"])) == sorted(
        map(either, record["deal"]["field"])
    )
    moves = [event["data"] for event in reported[2:]]
    assert [
        (play["player"], {either(each["words"][1]) for each in (play, draw)})
        for play, draw in zip(moves[::2], moves[1::2], strict=True)
    ] == [
        (turn["player"], {either(turn["play"]), either(turn["draw"])}) for turn in record["turns"][:3]
    ]  # one picture does not tell the order of the two cards
