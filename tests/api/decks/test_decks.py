"""Decks over HTTP: enrolled from drawn cards by the real networks, exported, deleted; and all errors."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import resvg_py
from apiflask import APIFlask
from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from api.routes.decks import EnrollmentOut
from api.services import known_decks
from api.services.known_decks import Enrollments
from companion.faces import face_svg
from companion.hanafuda.cards import DECKS, HANAFUDA
from companion.hanafuda.errors import NotFoundError
from companion.store import open_documents
from tests.api.api_helpers import ScannerDouble, context_of, jpeg, make_app
from vision.decks.deck_errors import EnrollmentError
from vision.decks.deck_profile import DeckProfile
from vision.enrollment.enrollment import DeckProposal, ProposedCard
from vision.pictures.picture_files import MAX_BYTES

FEW = [card.id for card in HANAFUDA[:8]]


@pytest.fixture(scope="module")
def faces() -> dict[str, bytes]:
    """Pictures of the faces of eight cards by file name."""
    return {
        f"{card}.png": bytes(resvg_py.svg_to_bytes(svg_string=face_svg(card), width=66, height=108))
        for card in FEW
    }


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[APIFlask]:
    """One application with the real networks, for all tests that enroll or scan."""
    app = make_app(tmp_path_factory.mktemp("seeing"))
    yield app
    context_of(app).pictures.close()
    context_of(app).store.close()


@pytest.fixture(scope="module")
def deck_file(seeing: APIFlask, faces: dict[str, bytes]) -> bytes:
    """Return a deck's file, created over HTTP."""
    client = seeing.test_client()
    learned = send(client, name="ours", pack="hanafuda", cards=faces).json
    assert client.post("/api/decks", json={"enrollment": learned["id"]}).status_code == 201
    return client.get("/api/decks/ours/file").data


def form(client: FlaskClient, path: str, files: list[tuple[str, str, bytes]], **fields: str) -> TestResponse:
    """Send files (field, name, bytes) and fields."""
    parts: dict[str, Any] = dict(fields)
    for field, name, data in files:
        parts.setdefault(field, []).append(FileStorage(io.BytesIO(data), name))
    boundary, body = encode_multipart(parts)
    return client.post(path, data=body, content_type=f'multipart/form-data; boundary="{boundary}"')


def send(
    client: FlaskClient,
    *,
    name: str = "ours",
    pack: str = "hanafuda",
    photos: dict[str, bytes] | None = None,
    cards: dict[str, bytes] | None = None,
) -> TestResponse:
    """Send the pictures of a deck."""
    files = [("photos", called, data) for called, data in (photos or {}).items()]
    files += [("cards", called, data) for called, data in (cards or {}).items()]
    return form(client, "/api/enrollments", files, name=name, pack=pack)


def take_in(client: FlaskClient, data: bytes, **fields: str) -> TestResponse:
    """Send a deck's file."""
    return form(client, "/api/decks/files", [("file", "friend.deck", data)], **fields)


def proposal(*cards: str | None, pack: str = "hanafuda") -> DeckProposal:
    """Return a proposal of a deck with these names; each card is a picture of its own gray."""
    return DeckProposal(
        pack,
        tuple(
            ProposedCard(
                number, "somewhere", np.full((1, 96, 64, 3), number, np.uint8), card, 0.9, doubtful=True
            )
            for number, card in enumerate(cards, start=1)
        ),
    )


def new_enrollment(app: APIFlask, *cards: str | None, name: str = "ours") -> str:
    """Store an enrollment as after photographing the deck, and return its URL."""
    return f"/api/enrollments/{context_of(app).enrollments.add(name, proposal(*cards)).id}"


def refused(response: TestResponse, status: int, slug: str) -> str:
    """Check that a response is a problem with a one-sentence detail; return the detail."""
    assert (response.status_code, response.json["type"]) == (status, f"/problems/{slug}")
    assert response.mimetype == "application/problem+json"
    detail: str = response.json["detail"]
    assert detail.endswith(".")
    assert "\n" not in detail
    return detail


def test_a_deck_is_enrolled_exported_and_deleted(seeing: APIFlask, deck_file: bytes) -> None:
    client = seeing.test_client()
    own = [deck for deck in client.get("/api/decks").json["decks"] if deck["own"]]
    assert [(deck["name"], deck["pack"], deck["problem"]) for deck in own] == [("ours", "hanafuda", None)]
    assert DeckProfile.from_bytes(deck_file).cards == tuple(FEW)
    assert take_in(client, deck_file, name="Aya no").json["name"] == "Aya-no"
    assert client.get("/api/decks/Aya-no/file").data[:2] == b"PK"
    assert client.delete("/api/decks/Aya-no").status_code == 204
    refused(client.delete("/api/decks/Aya-no"), 404, "no-such-deck")
    refused(client.get("/api/decks/Aya-no/file"), 404, "no-such-deck")


def test_a_scan_uses_a_deck_that_was_just_enrolled(
    seeing: APIFlask, deck_file: bytes, faces: dict[str, bytes]
) -> None:
    picture = [("image", "one.png", faces["pine-crane.png"])]
    answer = form(seeing.test_client(), "/api/scan", picture, deck="ours")
    assert answer.json["deck"] == "ours"


def test_pictures_are_proposed_the_names_that_their_files_have(
    seeing: APIFlask, faces: dict[str, bytes]
) -> None:
    cards = {**faces, "Joker.png": jpeg(), "back.png": jpeg()}
    answer = send(seeing.test_client(), name="with a joker", cards=cards)
    assert answer.status_code == 201
    EnrollmentOut.model_validate(answer.json)
    assert answer.json["name"] == "with-a-joker"
    assert [place["card"] for place in answer.json["places"]] == [*FEW, None]
    assert set(answer.json["missing"]) == {card.id for card in HANAFUDA[8:]}
    picture = seeing.test_client().get(answer.json["places"][0]["picture"])
    assert (picture.mimetype, picture.data[:4]) == ("image/png", b"\x89PNG")


def test_a_photograph_without_cards_is_refused_with_advice(seeing: APIFlask) -> None:
    detail = refused(send(seeing.test_client(), photos={"table.jpg": jpeg(320, 240)}), 422, "not-a-deck")
    assert "4 rows of 12" in detail


def test_names_are_put_right_and_change_places(app: APIFlask, client: FlaskClient) -> None:
    path = new_enrollment(app, "pine-crane", "pine-ribbon", "plum-warbler")
    answer = client.patch(path, json={"fixes": [{"number": 1, "card": "pine-ribbon"}]}).json
    EnrollmentOut.model_validate(answer)
    reported = [(place["card"], place["doubtful"]) for place in answer["places"]]
    assert reported == [("pine-ribbon", False), ("pine-crane", True), ("plum-warbler", True)]
    answer = client.patch(path, json={"fixes": [{"number": 3, "card": None}], "name": "new name"}).json
    assert (answer["places"][2]["card"], answer["name"]) == (None, "new-name")
    assert client.get(path).json == answer


@pytest.mark.parametrize(
    ("changes", "slug"),
    [
        ({"fixes": [{"number": 1, "card": "pine-ribbon"}, {"number": 9, "card": None}]}, "not-a-deck"),
        ({"fixes": [{"number": 1, "card": "clubs-1"}]}, "not-a-deck"),
        ({"fixes": [{"number": 2, "card": "pine-ribbon"}], "name": "kabufuda"}, "bad-deck-name"),
        ({"fixes": [{"number": 0, "card": "pine-ribbon"}]}, "invalid-request"),
        ({"fixes": [{"number": "1", "card": "pine-ribbon"}]}, "invalid-request"),
        ({"fixes": [{"number": 1, "card": None}] * 121}, "invalid-request"),
        ({"number": 1}, "invalid-request"),
    ],
)
def test_a_change_that_cannot_be_changes_nothing(
    app: APIFlask, client: FlaskClient, changes: dict[str, Any], slug: str
) -> None:
    path = new_enrollment(app, "pine-crane", "pine-ribbon")
    before = client.get(path).json
    refused(client.patch(path, json=changes), 422, slug)
    assert client.get(path).json == before


@pytest.mark.parametrize("name", ["", "a/b", "../up", "x" * 41, "hanafuda", "Kabufuda", "...", " "])
def test_names_that_no_deck_can_have_are_refused_before_a_picture_is_read(
    client: FlaskClient, scanner: ScannerDouble, name: str
) -> None:
    refused(send(client, name=name, photos={"a.jpg": jpeg()}), 422, "bad-deck-name")
    assert scanner.pictures == []


@pytest.mark.parametrize(
    ("photos", "cards", "says"),
    [
        (0, 0, "Send photos"),
        (1, 1, "not both"),
        (5, 0, "5 pictures"),
        (0, 121, "121 pictures"),
        (0, 3, "3 pictures"),
    ],
)
def test_pictures_must_be_as_many_as_a_deck_needs(
    client: FlaskClient, photos: int, cards: int, says: str
) -> None:
    many = [f"{card.id}.jpg" for pack in DECKS.values() for card in pack]
    response = send(
        client,
        photos={f"{number}.jpg": jpeg() for number in range(photos)},
        cards=dict.fromkeys(many[:cards], jpeg()),
    )
    assert says in refused(response, 422, "not-a-deck")


def test_two_pictures_called_by_one_card_are_refused(client: FlaskClient) -> None:
    cards = {f"{card.id}.jpg": jpeg() for card in HANAFUDA[:8]} | {"01-0.jpg": jpeg()}
    assert "pine-crane" in refused(send(client, cards=cards), 422, "not-a-deck")
    files = [("cards", name, jpeg()) for name in ("a/01-0.png", "b/01-0.png")]
    again = form(client, "/api/enrollments", files, name="ours", pack="hanafuda")
    assert "01-0" in refused(again, 422, "not-a-deck")


@pytest.mark.parametrize(
    ("picture", "status", "slug"),
    [
        (b"no picture at all", 415, "not-a-picture"),
        (b"", 422, "empty-picture"),
        (jpeg(640, 480)[:-200], 422, "truncated-picture"),
        (b"\xff\xd8\xff" + b"\0" * MAX_BYTES, 413, "too-many-bytes"),
    ],
    ids=["text", "empty", "cut short", "too heavy"],
)
@pytest.mark.parametrize("field", ["photos", "cards"])
def test_bad_pictures_are_refused(
    client: FlaskClient, field: str, picture: bytes, status: int, slug: str
) -> None:
    refused(send(client, **{field: {"01-0.jpg": picture}}), status, slug)


def test_a_huge_picture_in_a_small_file_is_refused(client: FlaskClient, huge_png: bytes) -> None:
    refused(send(client, photos={"huge.png": huge_png}), 413, "too-many-pixels")


def test_more_than_four_photographs_may_weigh_is_refused_unread(client: FlaskClient) -> None:
    body = b"--x\r\n" + b"\0" * (80 * 2**20 + 2**21)
    response = client.post("/api/enrollments", data=body, content_type="multipart/form-data; boundary=x")
    assert "80 MB" in refused(response, 413, "too-many-bytes")


@pytest.mark.parametrize("field", ["photos", "cards"])
def test_text_in_the_place_of_files_is_refused(client: FlaskClient, field: str) -> None:
    refused(
        form(client, "/api/enrollments", [], name="ours", pack="hanafuda", **{field: "x"}),
        422,
        "invalid-request",
    )


def test_a_scanner_that_breaks_learns_nothing(client: FlaskClient) -> None:
    """The double of these tests has no networks to enroll with."""
    refused(send(client, photos={"a.jpg": jpeg()}), 500, "scanner-failed")


def test_a_deck_without_any_name_is_not_enrolled(app: APIFlask, client: FlaskClient) -> None:
    path = new_enrollment(app, None, None)
    refused(client.post("/api/decks", json={"enrollment": path.rsplit("/", 1)[1]}), 422, "not-a-deck")


def test_an_unknown_enrollment_is_reported(app: APIFlask, client: FlaskClient) -> None:
    path = new_enrollment(app, "pine-crane")
    assert client.delete(path).status_code == 204
    assert client.delete(path).status_code == 204
    refused(client.get(path), 404, "no-such-enrollment")
    refused(client.get(f"{path}/cards/1"), 404, "no-such-enrollment")
    refused(client.patch(path, json={}), 404, "no-such-enrollment")
    refused(client.post("/api/decks", json={"enrollment": "nix"}), 404, "no-such-enrollment")
    other = new_enrollment(app, "pine-crane")
    refused(client.get(f"{other}/cards/2"), 404, "no-such-card")


def test_enrollments_are_few_and_expire() -> None:
    now = [0.0]
    enrollments = Enrollments(lambda: now[0])
    ids = [enrollments.add(f"deck-{number}", proposal("pine-crane")).id for number in range(13)]
    with pytest.raises(NotFoundError):
        enrollments.get(ids[0])
    now[0] = 7000.0
    assert enrollments.get(ids[1]).name == "deck-1"  # and used by that
    now[0] = 7201.0
    assert enrollments.get(ids[1]).name == "deck-1"
    with pytest.raises(NotFoundError):
        enrollments.get(ids[2])


def test_a_change_that_raises_changes_nothing() -> None:
    enrollments = Enrollments()
    enrollment_id = enrollments.add("deck", proposal("pine-crane")).id

    def wrong(enrollment: known_decks.Enrollment) -> known_decks.Enrollment:
        return replace(enrollment, proposal=enrollment.proposal.fix(2, None))

    with pytest.raises(EnrollmentError):
        enrollments.change(enrollment_id, wrong)
    assert enrollments.get(enrollment_id).name == "deck"


def test_a_name_is_taken_once_unless_it_is_to_be_replaced(client: FlaskClient, deck_file: bytes) -> None:
    assert take_in(client, deck_file, name="aya").status_code == 201
    taken = take_in(client, deck_file, name="AYA")
    refused(taken, 409, "deck-taken")
    assert taken.json["deck"] == "aya"
    assert take_in(client, deck_file, name="AYA", replace="1").json["name"] == "AYA"
    assert [deck["name"] for deck in client.get("/api/decks").json["decks"] if deck["own"]] == ["AYA"]


def test_an_enrolled_deck_is_replaced_only_on_request(
    app: APIFlask, client: FlaskClient, deck_file: bytes
) -> None:
    take_in(client, deck_file, name="aya")
    path = new_enrollment(app, "pine-crane", name="aya")
    assert client.get(path).json["replaces"] is True
    refused(client.post("/api/decks", json={"enrollment": path.rsplit("/", 1)[1]}), 409, "deck-taken")


def test_no_more_than_so_many_decks_are_taken(
    client: FlaskClient, deck_file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_decks, "_MAX_DECKS", 2)
    for name in ("one", "two"):
        assert take_in(client, deck_file, name=name).status_code == 201
    refused(take_in(client, deck_file, name="three"), 409, "too-many-decks")
    assert take_in(client, deck_file, name="two", replace="1").status_code == 201


def test_decks_that_come_with_the_program_stay(
    app: APIFlask, client: FlaskClient, deck_file: bytes, tmp_path: Path
) -> None:
    shipped = open_documents(tmp_path / "shipped")
    shipped.write("deck", "Nintendo", deck_file)
    context_of(app).shelf._library._shipped = shipped
    reported = client.get("/api/decks").json["decks"]
    assert [(deck["name"], deck["own"]) for deck in reported] == [("Nintendo", False)]
    refused(client.delete("/api/decks/Nintendo"), 409, "shipped-deck")
    refused(take_in(client, deck_file, name="nintendo", replace="1"), 422, "bad-deck-name")
    refused(send(client, name="nintendo", photos={"a.jpg": jpeg()}), 422, "bad-deck-name")


def _with_header(data: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return a deck's file with changes in its header."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "deck.json":
                header = json.loads(content)
                change(header)
                content = json.dumps(header).encode()
            new.writestr(name, content)
    return out.getvalue()


def _bomb() -> bytes:
    """A small archive that unpacks to a gigabyte."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("deck.json", "w") as member:
        for _ in range(64):
            member.write(b" " * 2**20)
    return out.getvalue()


HOSTILE: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda data: b"",
    "text": lambda data: b"my deck",
    "picture": lambda data: jpeg(),
    "cut short": lambda data: data[: len(data) // 2],
    "bomb": lambda data: _bomb(),
    "heavy": lambda data: data + b"\0" * 9 * 2**20,
    "newer": lambda data: _with_header(data, lambda header: header.update(version=99)),
    "other pack": lambda data: _with_header(data, lambda header: header.update(pack="tarot")),
    "cards of another pack": lambda data: _with_header(data, lambda header: header.update(pack="kabufuda")),
    "kinds out of reach": lambda data: _with_header(
        data, lambda header: header["prototypes"].__setitem__(0, 99)
    ),
    "fewer numbers": lambda data: _with_header(data, lambda header: header.update(upright=[])),
    "pictures that are not there": lambda data: _with_header(
        data, lambda header: header.update(pictures=[0] * 500)
    ),
    "no object": lambda data: _with_header(data, lambda header: header.update(kinds=7)),
    "a path for a name": lambda data: _with_header(data, lambda header: header.update(name="../../x")),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_hostile_files_are_refused_in_one_sentence_and_leave_nothing(
    client: FlaskClient, data: Path, deck_file: bytes, how: str
) -> None:
    refused(take_in(client, HOSTILE[how](deck_file)), 422, "bad-deck-file")
    assert [deck for deck in client.get("/api/decks").json["decks"] if deck["own"]] == []
    assert list((data / "decks").glob("*")) == []


def test_a_damaged_file_in_the_folder_is_listed_with_what_is_wrong(client: FlaskClient, data: Path) -> None:
    (data / "decks").mkdir(parents=True)
    (data / "decks" / "torn.deck").write_bytes(b"PK")
    (reported,) = [deck for deck in client.get("/api/decks").json["decks"] if deck["own"]]
    assert (reported["name"], reported["cards"], bool(reported["problem"])) == ("torn", None, True)
    refused(client.get("/api/decks/torn/file"), 422, "bad-deck-file")
    assert client.delete("/api/decks/torn").status_code == 204


def test_a_disk_that_is_full_keeps_no_deck(
    client: FlaskClient, data: Path, deck_file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        assert "nothing was changed" in refused(take_in(client, deck_file), 507, "deck-not-written")
    assert [deck for deck in client.get("/api/decks").json["decks"] if deck["own"]] == []
    assert take_in(client, deck_file).status_code == 201


@pytest.mark.parametrize("path", ["/api/enrollments", "/api/decks/files"])
def test_another_sites_page_cannot_teach_a_deck(client: FlaskClient, deck_file: bytes, path: str) -> None:
    response = client.post(
        path,
        data={"file": (io.BytesIO(deck_file), "x.deck")},
        content_type="multipart/form-data",
        headers={"Sec-Fetch-Site": "cross-site"},
    )
    refused(response, 403, "forbidden")


@pytest.mark.parametrize("pack", DECKS)
def test_the_cards_of_every_pack_are_listed(client: FlaskClient, pack: str) -> None:
    cards = client.get(f"/api/cards?pack={pack}").json["cards"]
    assert [card["id"] for card in cards] == [card.id for card in DECKS[pack]]
    assert [card["face"] for card in cards] == [f"/faces/{card['id']}.svg" for card in cards]


def test_cards_of_no_game_with_piles_are_named_and_not_scored(
    client: FlaskClient, scanner: ScannerDouble
) -> None:
    """An enrolled mekurifuda made every scan from the page end as an unknown card."""
    scanner.cards = ("clubs-1", "onifuda", None, "back")
    answer = form(client, "/api/scan", [("image", "a.jpg", jpeg())], game="koikoi")
    assert answer.status_code == 200
    assert "score" not in answer.json
    assert client.get(f"/api/scans/{answer.json['id']}").json["score"] is None
