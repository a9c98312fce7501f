"""Drafts of unpaired phones: their owners, their number, and their expiry."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from log_helpers import BRIGHTS, reading

from companion.store import NoSuchScanError, TooManyDraftsError, scans
from companion.store.scan_records import Changes, Scan, ScanDraft, Visitor
from companion.store.store import Store
from companion.store.timestamps import SettledClock
from tests.message_text import raises_text

AKI = Visitor("a" * 64, "192.0.2.7")
BEN = Visitor("b" * 64, "192.0.2.8")


@pytest.fixture
def log(open_store: Callable[[], Store]) -> Store:
    return open_store()


def has_picture(log: Store, scan: Scan) -> bool:
    return log.pictures.read(scan.sha256, scan.media_type) is not None


def scanned(log: Store, visitor: Visitor | None, picture: bytes = b"a picture") -> Scan:
    return log.scans.add(
        ScanDraft(
            picture=picture,
            media_type="image/jpeg",
            image="pile.jpg",
            reading=reading(*BRIGHTS),
            settings={},
            actor="http",
        ),
        visitor,
    )


def at(monkeypatch: pytest.MonkeyPatch, ago: timedelta) -> None:
    """Make the log store scans with an earlier time."""
    then = datetime.now(UTC) - ago

    class Earlier(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return then

    monkeypatch.setattr(scans, "datetime", Earlier)
    monkeypatch.setattr(SettledClock, "__call__", lambda clock: then)


def test_a_draft_belongs_to_the_visitor_who_scanned_it(log: Store) -> None:
    assert log.scans.draft_owner(scanned(log, AKI).id) == AKI.id
    assert log.scans.draft_owner(scanned(log, None).id) is None
    assert log.scans.draft_owner("no such scan") is None


def test_a_kept_scan_is_nobodys_draft_any_more(log: Store) -> None:
    scan = scanned(log, AKI)
    log.scans.change(scan.id, Changes(kept=True), "a test")
    assert log.scans.draft_owner(scan.id) is None
    log.scans.change(scan.id, Changes(kept=False), "a test")
    assert log.scans.draft_owner(scan.id) is None


@pytest.mark.parametrize(
    ("visitor", "days", "stays"), [(AKI, 0.9, True), (AKI, 1.1, False), (None, 1.1, True), (None, 7.1, False)]
)
@pytest.mark.usefixtures("settled_clock")
def test_a_visitors_draft_is_removed_after_a_day_and_others_after_a_week(
    log: Store,
    monkeypatch: pytest.MonkeyPatch,
    visitor: Visitor | None,
    days: float,
    stays: bool,
) -> None:
    """Drafts of strangers filled the disk for a week, and were only removed when the server was started again."""
    with monkeypatch.context() as patched:
        at(patched, timedelta(days=days))
        old = scanned(log, visitor, b"old")
    new = scanned(log, None, b"new")  # nobody restarts the server
    if stays:
        assert log.scans.get(old.id) == old
    else:
        with pytest.raises(NoSuchScanError):
            log.scans.get(old.id)
    assert has_picture(log, old) == stays
    assert has_picture(log, new)


@pytest.mark.usefixtures("settled_clock")
def test_a_phone_that_is_paired_later_keeps_its_drafts(log: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        at(patched, timedelta(days=2))
        own, others = scanned(log, AKI, b"own"), scanned(log, BEN, b"others")
        log.scans.adopt_drafts(AKI.id)
    log.scans.prune()
    assert [scan.id for scan in log.scans.all()] == [own.id]
    assert log.scans.draft_owner(others.id) is None


def test_a_visitor_has_so_many_drafts_and_no_more(log: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "MAX_PER_VISITOR", 2)
    first = scanned(log, AKI)
    scanned(log, AKI)
    for refused in (lambda: scanned(log, AKI), lambda: log.scans.check_room(AKI, 1)):
        with raises_text(TooManyDraftsError, match="2 unsaved scans"):
            refused()
    scanned(log, BEN)
    scanned(log, None)
    log.scans.delete(first.id)
    scanned(log, AKI)


def test_a_new_cookie_for_every_scan_does_not_get_around_the_limit(
    log: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scans, "MAX_PER_ADDRESS", 3)
    for number in range(3):
        scanned(log, Visitor(f"browser {number}", AKI.address))
    with raises_text(TooManyDraftsError, match="from this phone or address"):
        scanned(log, Visitor("another browser", AKI.address))
    scanned(log, BEN)


def test_visitors_pictures_take_so_much_room_and_no_more(log: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "MAX_BYTES_PER_ADDRESS", 25)
    monkeypatch.setattr(scans, "MAX_BYTES", 45)
    scanned(log, AKI, b"a" * 20)
    with raises_text(TooManyDraftsError, match="from this phone or address"):
        scanned(log, AKI, b"A" * 6)
    scanned(log, BEN, b"b" * 20)
    with raises_text(TooManyDraftsError, match="no room left"):
        scanned(log, Visitor("c", "192.0.2.9"), b"c" * 6)
    refused = hashlib.sha256(b"c" * 6).hexdigest()
    assert log.pictures.read(refused, "image/jpeg") is None
    scanned(log, None, b"p" * 1000)  # paired people have no limit


def test_a_visitors_draft_is_changed_so_often_and_no_more(
    log: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every change is stored in addition to the others: a stranger could fill the disk through one draft."""
    monkeypatch.setattr(scans, "MAX_CHANGES", 3)
    own, paired = scanned(log, AKI), scanned(log, None)
    names = ["plum-ribbon", "pine-ribbon", "cherry-ribbon", "iris-ribbon"]
    for name in names[:3]:
        log.scans.change(own.id, Changes(corrections=[(0, name)]), "a test")
    with raises_text(TooManyDraftsError, match="too often"):
        log.scans.change(own.id, Changes(corrections=[(0, names[3])]), "a test")
    for name in names:
        log.scans.change(paired.id, Changes(corrections=[(0, name)]), "a test")


@pytest.mark.parametrize("visitor", [AKI, None])
@pytest.mark.parametrize("days", [2, 100, 10_000])
def test_a_clock_that_is_ahead_for_a_moment_deletes_no_draft(
    log: Store, monkeypatch: pytest.MonkeyPatch, visitor: Visitor | None, days: int
) -> None:
    """The clock of a Raspberry Pi was wrong for a moment: all drafts were gone."""
    steady, displayed = [0.0], [timedelta(0)]
    start = datetime.now(UTC)
    clock = SettledClock(lambda: start + displayed[0] + timedelta(seconds=steady[0]), lambda: steady[0])
    monkeypatch.setattr(SettledClock, "__call__", lambda _, read=SettledClock.__call__: read(clock))

    def pass_s(seconds: float, set_by: timedelta = timedelta(0)) -> None:
        steady[0] += seconds
        displayed[0] += set_by
        log.scans.prune()

    draft = scanned(log, visitor)
    for _ in range(2):
        pass_s(3600)  # the program has run for a while
        pass_s(60, timedelta(days=days))
        scanned(log, visitor, b"another")
        pass_s(3000)
        pass_s(60, timedelta(days=-days))
        assert has_picture(log, draft)
    pass_s(3600, timedelta(days=days))
    assert log.scans.get(draft.id) == draft
    pass_s(3600)  # it seems to be right
    assert has_picture(log, draft) == (visitor is None and days == 2)
