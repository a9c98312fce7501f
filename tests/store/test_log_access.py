"""Pairings and invitations in the database: what is stored, and how long it lasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.store import (
    Store,
    open_store,
)
from companion.store.pairings import (
    INVITATION_S,
    MACHINE_LIFETIME,
    PHONE_LIFETIME,
    START_LINK_S,
    NoSuchInvitationError,
    PairingStore,
)

NOW = 1_700_000_000.0


@pytest.fixture
def access(open_store: Callable[[], Store]) -> PairingStore:
    pairings = open_store().pairings
    pairings.clock = lambda: NOW
    return pairings


def later(access: PairingStore, seconds: float) -> None:
    access.clock = lambda: NOW + seconds


def listed(access: PairingStore) -> list[str]:
    return [each.name for each in access.pairings()]


def test_pairings_and_invitations_outlive_the_program(folder: Path, log: Store) -> None:
    """Invitations were in memory: the code that was printed before a restart was not accepted."""
    pairing = log.pairings.redeem(code=log.pairings.invite("scorer", seat=2, table="t1").code, name="Aki")
    token, code = log.pairings.token(pairing), log.pairings.invite("host").code
    log.close()
    again = open_store(folder)
    assert again.pairings.pairings() == [pairing]
    assert again.pairings.id_of(token) == pairing.id
    assert again.pairings.redeem(code=code, name=None).role == "host"
    again.close()


def test_no_secret_is_in_the_database(folder: Path, log: Store) -> None:
    """A copy of the data folder held everything needed to join: codes, PINs and cookies."""
    made = log.pairings.invite("host", name="Aki")
    pairing = log.pairings.redeem(code=made.code, name=None)
    token = log.pairings.token(pairing)
    log.close()
    stored = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert pairing.id.encode() in stored
    for secret in (made.code, made.pin, token):
        assert str(secret).encode() not in stored


@pytest.mark.parametrize(
    ("make", "by", "lasts"),
    [
        (lambda access: access.invite("host"), "code", INVITATION_S),
        (lambda access: access.invite("host"), "pin", INVITATION_S),
        (PairingStore.invite_at_start, "code", START_LINK_S),
    ],
    ids=["code", "PIN", "link of the start"],
)
def test_an_invitation_expires(
    access: PairingStore, make: Callable[[PairingStore], Any], by: str, lasts: float
) -> None:
    """An old code on a photograph of the screen is not accepted."""
    made = make(access)
    secret = {by: getattr(made, by)}
    later(access, lasts)
    with pytest.raises(NoSuchInvitationError):
        access.redeem(**secret, name=None)
    later(access, lasts - 1)
    assert access.redeem(**secret, name=None).role == "host"
    with pytest.raises(NoSuchInvitationError):
        access.redeem(**secret, name=None)


def test_the_link_of_the_start_has_no_pin(access: PairingStore) -> None:
    """A PIN that is valid for a day could be guessed."""
    assert access.invite_at_start().pin is None


def test_a_new_start_withdraws_the_link_of_the_last_one_and_nothing_else(access: PairingStore) -> None:
    """Each start of the server left another unused invitation."""
    access.limits = replace(access.limits, start_links=1)
    first, displayed = access.invite_at_start(), access.invite("scorer")
    second = access.invite_at_start()
    with pytest.raises(NoSuchInvitationError):
        access.redeem(code=first.code, name=None)
    assert access.redeem(code=displayed.code, name=None).role == "scorer"
    assert access.redeem(code=second.code, name=None).role == "host"


def test_servers_that_start_together_keep_their_links(access: PairingStore) -> None:
    access.limits = replace(access.limits, start_links=2)
    first, second, third = (access.invite_at_start() for _ in range(3))
    with pytest.raises(NoSuchInvitationError):
        access.redeem(code=first.code, name=None)
    assert [access.redeem(code=each.code, name=None).role for each in (second, third)] == ["host", "host"]


def test_only_so_many_invitations_are_open(access: PairingStore) -> None:
    """A page that created invitations in a loop made guessing a PIN easier."""
    access.limits = replace(access.limits, invitations=5)
    first, *_, last = [access.invite("scorer") for _ in range(5 + 1)]
    with pytest.raises(NoSuchInvitationError):
        access.redeem(pin=first.pin, name=None)
    assert access.redeem(pin=last.pin, name=None).role == "scorer"


def test_phones_and_machines_expire_at_their_own_age(access: PairingStore) -> None:
    """A camera that is used once a year had to be paired again each time."""
    access.add("scorer", name="phone")
    access.add("camera", name="camera")
    later(access, PHONE_LIFETIME.total_seconds())
    assert listed(access) == ["camera"]
    later(access, MACHINE_LIFETIME.total_seconds())
    assert listed(access) == []
    access.add("host", name="new")
    later(access, 0)  # expired pairings are removed for good
    assert listed(access) == ["new"]


def test_the_phones_used_least_recently_make_room(access: PairingStore) -> None:
    """Without a limit the list grows with every guest; the one who plays today stays."""
    access.limits = replace(access.limits, pairings=10)
    first = access.add("host", name="regular")
    for number in range(access.limits.pairings - 1):
        access.add("scorer", name=f"guest {number}")
    later(access, 3600)
    access.touch({first.id: access.now()})
    access.add("scorer", name="newest")
    names = listed(access)
    assert len(names) == access.limits.pairings
    assert {"regular", "newest"} <= set(names)


def test_seats_move_to_the_next_table_of_the_evening(access: PairingStore) -> None:
    """At the second game of the evening every phone had to be paired for its seat again."""
    access.add("scorer", name="Aki", seat=1, table="t1")
    access.add("scorer", name="elsewhere", seat=1, table="t0")
    access.move_seats("t1", "t2")
    assert {each.name: each.table for each in access.pairings()} == {"Aki": "t2", "elsewhere": "t0"}
