"""Leases of several processes, here several stores on one database, and appends that a lost lease refuses."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from companion.store import Lease, LeaseLostError, Store
from companion.store.postgres.postgres_store import PostgresStore
from companion.table.events import Event, NewEvent

OPENED = NewEvent("opened", {"game": "koikoi", "rules": {}, "players": ["A", "B"]})
TIME = "2026-01-01T00:00:00Z"


def note(seq: int, text: str = "x") -> Event:
    return Event(seq, seq, TIME, "camera", "camera", "noticed", {"text": text})


@pytest.fixture
def process(postgres_url: str, tmp_path: Path) -> Iterator[Callable[[str], PostgresStore]]:
    """Starts a process at an address."""
    with ExitStack() as stack:

        def started(url: str) -> PostgresStore:
            store = stack.enter_context(closing(PostgresStore(postgres_url, tmp_path)))
            store.leases.advertise(url)
            return store

        yield started


def expire(store: PostgresStore) -> None:
    """Let all leases expire, as if the clock of the database had run on."""
    with store.database.writing() as db:
        db.execute("UPDATE leases SET expires = clock_timestamp() - interval '1 ms'")


def test_one_process_holds_a_lease_until_it_expires(process: Callable[[str], PostgresStore]) -> None:
    one, two = process("http://one"), process("http://two")
    first = one.leases.claim("table:a")
    assert first == Lease("table:a", first.token, "http://one", own=True)
    seen = Lease("table:a", first.token, "http://one", own=False)
    assert two.leases.claim("table:a") == two.leases.holder("table:a") == seen
    assert one.leases.claim("table:a") == one.leases.holder("table:a") == first
    assert two.leases.claim("table:b").own
    expire(one)
    assert two.leases.holder("table:a") is None
    taken = two.leases.claim("table:a")
    assert taken.own
    assert taken.token > first.token
    assert one.leases.renew({first: ""}) == set()
    assert one.leases.claim("table:a") == Lease("table:a", taken.token, "http://two", own=False)


def test_an_expired_lease_that_nobody_took_goes_on(process: Callable[[str], PostgresStore]) -> None:
    one = process("http://one")
    first = one.leases.claim("table:a")
    expire(one)
    assert one.leases.claim("table:a") == first


def test_renewal_extends_and_carries_notes(process: Callable[[str], PostgresStore]) -> None:
    one, two = process("http://one"), process("http://two")
    leases = [one.leases.claim(f"table:{number}") for number in range(3)]
    expire(one)
    assert one.leases.renew({leases[0]: "watching", leases[1]: "?' %s"}) == set(leases[:2])
    assert {each.resource: text for each, text in two.leases.notes().items()} == {
        "table:0": "watching",
        "table:1": "?' %s",
    }
    assert one.leases.notes() == {}
    assert two.leases.claim("table:2").own


def test_a_released_lease_is_free_at_once(process: Callable[[str], PostgresStore]) -> None:
    one, two = process("http://one"), process("http://two")
    first = one.leases.claim("table:a")
    one.leases.release([first])
    second = two.leases.claim("table:a")
    assert second.own
    assert second.token > first.token
    one.leases.release([first])  # long lost
    assert two.leases.holder("table:a") == second


def test_a_restarted_process_takes_the_leases_of_its_predecessor(
    process: Callable[[str], PostgresStore],
) -> None:
    before, other = process("http://one"), process("http://two")
    lost = before.leases.claim("table:a")
    after = process("http://one")
    assert after.leases.holder("table:a") is None
    assert other.leases.holder("table:a") is not None
    assert after.leases.claim("table:a").token > lost.token


def test_of_processes_that_claim_together_one_gets_the_lease(
    process: Callable[[str], PostgresStore],
) -> None:
    stores = [process(f"http://{number}") for number in range(4)]
    results: list[Lease] = []
    barrier = threading.Barrier(len(stores))

    def claim(store: PostgresStore) -> None:
        for number in range(10):
            barrier.wait()
            results.append(store.leases.claim(f"table:{number}"))

    threads = [threading.Thread(target=claim, args=(each,)) for each in stores]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for number in range(10):
        of_one = [each for each in results if each.resource == f"table:{number}"]
        assert sum(each.own for each in of_one) == 1
        assert len({each.token for each in of_one}) == 1


def test_the_processes_share_a_key(process: Callable[[str], PostgresStore]) -> None:
    assert process("http://one").leases.key == process("http://two").leases.key


def test_an_append_with_a_lease(open_store: Callable[[], Store]) -> None:
    store = open_store()
    table = store.tables.create(OPENED, actor="host", source="program")
    lease = store.leases.claim(f"table:{table}")
    store.tables.append(table, [note(2)], lease=lease)
    assert store.leases.claim(f"table:{table}") == lease
    store.leases.release([lease])
    with pytest.raises(LeaseLostError):
        store.tables.append(table, [note(3)], lease=lease)
    assert store.leases.claim(f"table:{table}").token > lease.token
    with pytest.raises(LeaseLostError):
        store.tables.append(table, [note(3)], lease=lease)
    assert store.tables.newest(table).seq == 2


def test_late_appends_of_an_earlier_holder_are_refused(process: Callable[[str], PostgresStore]) -> None:
    one, two = process("http://one"), process("http://two")
    table = one.tables.create(OPENED, actor="host", source="program")
    old = one.leases.claim(f"table:{table}")
    expire(one)
    one.tables.append(table, [note(2)], lease=old)  # nobody has taken the lease
    new = two.leases.claim(f"table:{table}")
    with pytest.raises(LeaseLostError):
        one.tables.append(table, [note(3, "late")], lease=old)
    two.tables.append(table, [note(3, "new")], lease=new)
    assert [each.data.get("text") for each in one.tables.load(table, 1)] == ["x", "new"]


def test_a_lease_cannot_be_taken_during_an_append(process: Callable[[str], PostgresStore]) -> None:
    """The append and the claim wait for each other, so that an accepted append is always before the new holder's first look."""
    one, two = process("http://one"), process("http://two")
    table = one.tables.create(OPENED, actor="host", source="program")
    old = one.leases.claim(f"table:{table}")
    expire(one)
    claimed: list[Lease] = []
    taking = threading.Thread(target=lambda: claimed.append(two.leases.claim(f"table:{table}")))
    with one.database.writing(f"table:{table}") as db:
        one.leases.check(db, old)
        taking.start()
        taking.join(0.2)
        assert not claimed
    taking.join()
    assert claimed[0].own
