"""Pairings and invitations in the database: what is stored, and how long it lasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from companion.store.pairings import (
    INVITATION_S,
    MACHINE_LIFETIME,
    PHONE_LIFETIME,
    START_LINK_S,
    NoSuchInvitationError,
    NoSuchPairingError,
    PairingStore,
    Role,
)
from companion.store.store import Store, open_store
from companion.store.timestamps import iso_utc

NOW = 1_700_000_000.0


@pytest.fixture
def access(open_store: Callable[[], Store]) -> PairingStore:
    pairings = open_store().pairings
    pairings.clock = pairings.steady = lambda: NOW
    return pairings


def later(access: PairingStore, seconds: float) -> None:
    """Let time pass, on all clocks."""
    access.clock = access.steady = lambda: NOW + seconds


def set_clock(access: PairingStore, by_s: float) -> None:
    """Set the time of day to another one than `NOW`."""
    access.clock = lambda: NOW + by_s


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


DAY_S = 24 * 3600.0


@pytest.mark.parametrize("by_s", [-40 * 365 * DAY_S, -DAY_S, -60, 3600, DAY_S, 100 * DAY_S, 20 * 365 * DAY_S])
@pytest.mark.parametrize("secret", ["code", "pin", "link of the start"])
def test_an_invitation_lasts_as_long_although_the_clock_is_set(
    access: PairingStore, secret: str, by_s: float
) -> None:
    """A Raspberry Pi has no clock that runs without power: once it had the time, the printed link had expired."""
    made = access.invite_at_start() if secret == "link of the start" else access.invite("host", uses=2)
    asked = {"pin": made.pin} if secret == "pin" else {"code": made.code}
    lasts = START_LINK_S if secret == "link of the start" else INVITATION_S
    access.steady = lambda: NOW + lasts - 1
    set_clock(access, by_s)
    (listed_one,) = access.invitations()
    assert datetime.fromisoformat(listed_one.expires).timestamp() == NOW + by_s + 1
    access.invite("scorer")  # removes none
    assert access.redeem(**asked, name=None).role == "host"
    access.steady = lambda: NOW + lasts
    with pytest.raises(NoSuchInvitationError):
        access.redeem(**asked, name=None)


@pytest.mark.parametrize(
    ("by_s", "open_still"), [(0, True), (-60, True), (-40 * 365 * DAY_S, False), (700, False)]
)
def test_after_the_machine_was_restarted_the_time_of_day_counts(
    access: PairingStore, monkeypatch: pytest.MonkeyPatch, by_s: float, open_still: bool
) -> None:
    """A clock that was wrong at one time must not make an invitation last for years."""
    code = access.invite("host").code
    monkeypatch.setattr("companion.store.pairings.steady_base", lambda: "another start")
    set_clock(access, by_s)
    assert [each.role for each in access.invitations()] == ["host"] * open_still
    if open_still:
        assert access.redeem(code=code, name=None).role == "host"
    else:
        with pytest.raises(NoSuchInvitationError):
            access.redeem(code=code, name=None)


def test_pairings_survive_a_clock_that_is_wrong_for_a_moment(access: PairingStore) -> None:
    """The clock was 100 days ahead when another phone paired: all phones were removed for good."""
    access.add("host", name="phone")
    access.add("camera", name="camera")
    for by_s in (100 * DAY_S, 500 * DAY_S, -10_000 * DAY_S):
        set_clock(access, by_s)
        access.add("scorer", name=f"guest {by_s}")
        access.redeem(code=access.invite("scorer").code, name="another")
    set_clock(access, 0)
    assert {"phone", "camera"} <= set(listed(access))


def test_an_invitation_ends_with_the_pairing_of_its_maker(access: PairingStore) -> None:
    hosts = [access.add("host", name=name) for name in ("Aki", "Bo", "Cho", "Dai")]
    codes = [access.invite(role, maker=host.id).code for role in ("host", "camera") for host in hosts]
    kept = access.invite("scorer").code
    assert [each.by for each in access.invitations()] == ["Aki", "Bo", "Cho", "Dai"] * 2 + [None]
    access.revoke(hosts[0].id)
    access.change(hosts[1].id, role="scorer")
    access.change(hosts[1].id, role="host")  # the old ones stay withdrawn
    access.change(hosts[3].id, name="Dai-chan", seat=1, reseat=True)
    assert [each.by for each in access.invitations()] == ["Cho", "Dai-chan"] * 2 + [None]
    for code, maker in zip(codes, ["Aki", "Bo", "Cho", "Dai"] * 2, strict=True):
        if maker in {"Cho", "Dai"}:
            assert access.redeem(code=code, name=None)
        else:
            with pytest.raises(NoSuchInvitationError):
                access.redeem(code=code, name=None)
    access.limits = replace(access.limits, pairings=1)
    access.invite("host", maker=hosts[2].id)
    newest = access.add("host", name="newest")
    assert hosts[2].id in access.make_room(newest.id)
    assert [each.by for each in access.invitations()] == [None]
    assert access.redeem(code=kept, name=None).role == "scorer"


@pytest.mark.parametrize("role", ["viewer", "scorer", None])
def test_one_who_is_no_host_any_more_invites_nobody(access: PairingStore, role: Role | None) -> None:
    """The request had passed the check of its role before the other host's request was stored."""
    host = access.add("host")
    if role is None:
        access.revoke(host.id)
    else:
        access.change(host.id, role=role)
    with pytest.raises(NoSuchPairingError):
        access.invite("host", maker=host.id)
    assert access.invitations() == []


def test_an_invitation_is_listed_until_it_is_used_up_or_withdrawn(access: PairingStore) -> None:
    first, second = access.invite("scorer", name="Aki", seat=2, table="t1", uses=2), access.invite_at_start()
    one, other = access.invitations()
    assert (one.role, one.name, one.seat, one.table, one.uses, one.by) == ("scorer", "Aki", 2, "t1", 2, None)
    assert (other.role, other.uses) == ("host", 1)
    access.redeem(code=first.code, name=None)
    assert [each.uses for each in access.invitations()] == [1, 1]
    access.redeem(code=first.code, name=None)
    access.withdraw(one.id)  # used up already
    assert access.invitations() == [other]
    access.withdraw(other.id)
    assert access.invitations() == []
    with pytest.raises(NoSuchInvitationError):
        access.redeem(code=second.code, name=None)


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
    phone, camera = access.add("scorer", name="phone"), access.add("camera", name="camera")
    assert phone.expires == iso_utc(datetime.fromtimestamp(NOW, UTC) + PHONE_LIFETIME)
    assert camera.expires == iso_utc(datetime.fromtimestamp(NOW, UTC) + MACHINE_LIFETIME)


def test_the_phones_used_least_recently_make_room(access: PairingStore) -> None:
    """Without a limit the list grows with every guest; the one who plays today stays."""
    access.limits = replace(access.limits, pairings=10)
    first = access.add("host", name="regular")
    for number in range(access.limits.pairings - 1):
        access.add("scorer", name=f"guest {number}")
    later(access, 3600)
    access.touch({first.id: access.now()})
    newest = access.add("scorer", name="newest")
    assert len(access.make_room(newest.id)) == 1
    assert access.make_room(newest.id) == []
    names = listed(access)
    assert len(names) == access.limits.pairings
    assert {"regular", "newest"} <= set(names)


def test_seats_move_to_the_next_table_of_the_evening(access: PairingStore) -> None:
    """At the second game of the evening every phone had to be paired for its seat again."""
    access.add("scorer", name="Aki", seat=1, table="t1")
    access.add("scorer", name="elsewhere", seat=1, table="t0")
    access.move_seats("t1", "t2")
    assert {each.name: each.table for each in access.pairings()} == {"Aki": "t2", "elsewhere": "t0"}
