"""What the store promises with both databases, and no other file here tests; see the fixture ``open_store``."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import get_args

import pytest
from log_helpers import BRIGHTS, reading

from companion.hanafuda.errors import BadRequestError
from companion.store import DocumentKind, LogReadError, NoSuchScanError
from companion.store.documents import DocumentRows
from companion.store.pairings import NoSuchInvitationError, NoSuchPairingError
from companion.store.scan_records import Changes, Scan, ScanDraft, Visitor
from companion.store.store import Store
from companion.table import Event, NewEvent, Table

OpenStore = Callable[[], Store]
OPENED = NewEvent(
    "opened", {"name": "居間", "game": "koikoi", "rules": None, "players": ["Aiko", "Ben"], "deck": None}
)


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


def opened(store: Store) -> str:
    return store.tables.create(OPENED, actor="host", source="keyboard")


def renamed(store: Store, table_id: str, name: str) -> list[Event]:
    """Return the next event of a table, which renames the first player."""
    table = Table.of(store.tables.load(table_id))
    new = NewEvent("seated", {"seat": 1, "name": name})
    return table.append([new], actor="a phone", source="phone", time="2026-11-21T19:00:00.000Z")


def scanned(store: Store, picture: bytes = b"a picture", visitor: Visitor | None = None) -> Scan:
    return store.scans.add(
        ScanDraft(
            picture=picture,
            media_type="image/jpeg",
            image="pile.jpg",
            reading=reading(*BRIGHTS),
            settings={"game": "koikoi"},
            actor="http",
        ),
        visitor,
    )


def test_scans_are_drafts_until_they_are_kept(open_store: OpenStore) -> None:
    store = open_store()
    first, second = scanned(store), scanned(store, b"another picture")
    assert first.score is not None
    kept = store.scans.change(
        first.id, Changes(kept=True, note="Aunt 晴子", corrections=[(0, "pine-ribbon")]), "Aki"
    )
    again = open_store()
    assert again.scans.get(first.id) == kept
    assert kept.score != first.score
    assert [scan.id for scan in again.scans.newest()] == [second.id, first.id]
    assert [scan.id for scan in again.scans.newest(before=second.id)] == [first.id]
    assert [scan.id for scan in again.scans.all(kept=True)] == [first.id]
    store.scans.delete(first.id)
    with pytest.raises(NoSuchScanError):
        again.scans.get(first.id)
    assert store.pictures.read(first.sha256, "image/jpeg") is None
    assert store.pictures.read(second.sha256, "image/jpeg") == b"another picture"


def test_an_invitation_of_one_process_pairs_a_phone_of_another(open_store: OpenStore) -> None:
    command, server = open_store(), open_store()
    invitation = command.pairings.invite("scorer", seat=2, table="aaaaaa", uses=1)
    assert invitation.pin is not None
    pairing = server.pairings.redeem(pin=invitation.pin.lower(), name="Aki")
    assert (pairing.role, pairing.name, pairing.seat, pairing.table) == ("scorer", "Aki", 2, "aaaaaa")
    with pytest.raises(NoSuchInvitationError):
        server.pairings.redeem(code=invitation.code, name="Ben")
    token = server.pairings.token(pairing)
    assert command.pairings.id_of(token) == pairing.id
    assert command.pairings.id_of(token[:-1]) is None
    server.pairings.move_seats("aaaaaa", "bbbbbb")
    assert [each.table for each in command.pairings.pairings()] == ["bbbbbb"]
    assert server.pairings.change(pairing.id, name="Aiko").name == "Aiko"
    server.pairings.revoke(pairing.id)
    assert command.pairings.pairings() == []
    with pytest.raises(NoSuchPairingError):
        server.pairings.revoke(pairing.id)


def test_only_one_pairing_stays_if_all_others_are_revoked(store: Store) -> None:
    host, device = store.pairings.add("host"), store.pairings.add("device", name="box")
    assert store.pairings.revoke_all(host.id) == [device.id]
    assert [each.id for each in store.pairings.pairings()] == [host.id]


@pytest.mark.parametrize("kind", get_args(DocumentKind))
def test_documents_are_replaced_as_a_whole(open_store: OpenStore, kind: DocumentKind) -> None:
    documents, others = open_store().documents, pickle.loads(pickle.dumps(open_store().documents))
    assert documents.read(kind, "one") is None
    assert documents.version(kind, "one") is None
    documents.write(kind, "one", b"1")
    documents.write(kind, "two", b"\x00\xff")
    version = others.version(kind, "one")
    assert version is not None
    assert {"one", "two"} <= set(others.names(kind))
    documents.write(kind, "one", b"changed")
    assert others.version(kind, "one") not in {None, version}
    assert (others.read(kind, "one"), others.read(kind, "two")) == (b"changed", b"\x00\xff")
    documents.write(kind, "one", None)
    documents.write(kind, "one", None)
    assert others.read(kind, "one") is None
    assert "one" not in others.names(kind)
    assert "two" in documents.location(kind, "two")
    if isinstance(
        others, DocumentRows
    ):  # a pool that the garbage collector closes may do it in one of its own threads
        others._database(LogReadError).close()


@pytest.mark.parametrize("kind", get_args(DocumentKind))
def test_a_document_that_another_process_changed_is_not_replaced(
    open_store: OpenStore, kind: DocumentKind
) -> None:
    one, other = open_store().documents, open_store().documents
    assert one.replace(kind, "one", b"1", None)
    assert not other.replace(kind, "one", b"2", None)
    version = other.version(kind, "one")
    assert one.versions(kind)["one"] == version
    assert other.replace(kind, "one", b"2", version)
    assert not one.replace(kind, "one", b"3", version)
    assert one.read(kind, "one") == b"2"
    other.write(kind, "one", None)
    assert not one.replace(kind, "one", b"3", version)
    assert "one" not in one.versions(kind)


@pytest.mark.parametrize("kind", get_args(DocumentKind))
def test_a_damaged_document_is_set_aside(store: Store, kind: DocumentKind) -> None:
    for _ in range(2):
        store.documents.write(kind, "one", b"?")
        assert store.documents.set_aside(kind, "one")
        assert store.documents.read(kind, "one") is None
        assert "one" not in store.documents.names(kind)


def test_a_store_knows_when_it_was_written(store: Store) -> None:
    assert store.fault() is None
    opened(store)
    assert store.database.written is not None


def test_events_about_people_are_kept_in_order(open_store: OpenStore) -> None:
    store = open_store()
    added = [store.people.add("hidden", {"player": name}, "host") for name in ("Aiko", "Ben", "Aiko")]
    assert [each.time for each in added] == sorted({each.time for each in added})
    again = open_store()
    assert again.people.events() == added
    assert again.people.roster().player("Ben").hidden
    store.people.add("undone", {"of": added[1].id}, "host")
    assert not again.people.roster().player("Ben").hidden
    assert again.people.merge(added) == 0
    with pytest.raises(BadRequestError):
        store.people.add("hidden", {"player": ""}, "host")
