"""Pairings and invitations in the database.

Any process that opens the store may use them: `companion invite` creates an invitation that the running server accepts.
Secrets are not stored: of an invitation's code and PIN only keyed hashes, of a pairing's cookie or token only the id that it
signs.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from itsdangerous import BadData, URLSafeSerializer

from companion.hanafuda.errors import BadRequestError, ConflictError, MessageError, NotFoundError
from companion.hanafuda.messages import Message
from companion.store.database import Connection, Database
from companion.store.errors import LogWriteError
from companion.store.timestamps import iso_utc, steady_base, steady_s

Role = Literal["viewer", "scorer", "host", "camera", "device"]
MACHINES: Final = ("camera", "device")
"""The roles of machines; they send a token, browsers a cookie."""

PHONE_LIFETIME: Final = timedelta(days=90)
"""A phone's pairing expires this long after its last use: longer than the gap between two evenings of regular players, but a
guest's phone does not stay a host for years."""
MACHINE_LIFETIME: Final = timedelta(days=365)
"""The same for machines: a camera or button box may be used only once a year, at New Year."""

INVITATION_S: Final = 600.0
"""Lifetime of an invitation, s: long enough to hand a phone around the table, too short to guess its PIN."""


class NoSuchInvitationError(MessageError):
    """Raised if a PIN or code belongs to no invitation, or to one that is used up or expired."""

    def __init__(self, *, pin: bool) -> None:
        self.code = "no-such-pin" if pin else "no-such-invitation"
        super().__init__(Message("problem-no-such-pin" if pin else "problem-no-such-invitation"))


class NoSuchPairingError(NotFoundError):
    """Raised if no phone or machine is paired under this id."""

    def __init__(self) -> None:
        super().__init__("no-such-pairing", Message("problem-no-such-pairing"))


@dataclass(frozen=True, slots=True)
class Pairing:
    """A paired phone or machine; its role decides what it may do."""

    id: str
    role: Role
    name: str
    seat: int | None
    """The seat it plays at, from 1."""
    since: str
    """When it was paired; ISO 8601 in UTC, as all times here."""
    table: str | None = None
    """The table of the seat, or to which a phone without a seat was invited; None: any table."""
    seen: str | None = None
    """When it was last used, to within the hour; None for the program's own processes."""

    @property
    def machine(self) -> bool:
        """Whether it is a machine, which authenticates with a token."""
        return self.role in MACHINES

    @property
    def lifetime(self) -> timedelta:
        """How long it lasts after its last use."""
        return MACHINE_LIFETIME if self.machine else PHONE_LIFETIME

    @property
    def expires(self) -> str | None:
        """When it expires unless it is used again; None for the program's own processes."""
        return None if self.seen is None else iso_utc(datetime.fromisoformat(self.seen) + self.lifetime)


@dataclass(frozen=True, slots=True)
class OpenInvitation:
    """An invitation that can be used."""

    id: str
    role: Role
    name: str | None
    seat: int | None
    table: str | None
    uses: int
    """How many phones can still pair with it."""
    expires: str
    by: str | None
    """The name of the host who made it; None: somebody at this machine, which also makes the link of the start."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """A new invitation; its code (for a QR code) and PIN (to type) are not stored and cannot be shown again."""

    code: str
    pin: str | None
    role: Role
    name: str | None
    seat: int | None
    table: str | None
    uses: int
    """How many phones can pair with it."""
    expires: str


START_LINK_S: Final = 24 * 3600.0
"""Lifetime of the host's link that `companion serve` prints, s: a machine that is set up today is used by tomorrow."""

PIN_ALPHABET: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without 0 and O, 1, I and L
PIN_LENGTH: Final = 6
_CODE_BYTES: Final = 16  # 128 bits cannot be guessed
_COLUMNS: Final = "id, role, name, seat, since, table_id, seen"
"""The fields of `Pairing`, in their order."""
_OPEN: Final = "uses > 0 AND (base = ? AND ends > ? OR base <> ? AND expires > ? AND expires <= ?)"
"""The condition of an invitation that can be used, see `PairingStore._open_at`. An end that is later than that of any new invitation
was stored while the clock was wrong."""
_RANK: Final[Mapping[str, int]] = {"viewer": 0, "scorer": 1, "host": 2}


@dataclass(frozen=True, slots=True)
class PairingLimits:
    """How many pairings and invitations a store keeps; beyond it the least recently used, or the oldest, are removed."""

    pairings: int
    invitations: int
    """Open ones: each open PIN makes guessing easier."""
    start_links: int
    """Servers that may start within a day without withdrawing each other's printed link for the host."""


HOUSEHOLD: Final = PairingLimits(pairings=500, invitations=50, start_links=1)
"""One server: the phones of a large tournament, and more invitations than are ever needed at once."""
FESTIVAL: Final = PairingLimits(pairings=200_000, invitations=2_000, start_links=10)
"""Several servers: twenty phones and machines at each of ten thousand tables, one invitation for each seat of some hundred tables. A PIN
is one of 900 million."""


class PairingStore:
    """Paired phones and machines, and open invitations. Secrets are stored as keyed hashes only."""

    def __init__(
        self,
        database: Database,
        limits: PairingLimits,
        *,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = steady_s,
    ) -> None:
        self.clock = clock
        """Returns the time of day, seconds since 1970, which jumps when the clock is set."""
        self.steady = steady
        """Returns the time on the clock for durations, s."""
        self._database = database
        self.limits = limits
        self._known_key: str | None = None
        self._new_key = secrets.token_urlsafe(32)
        """The signing key of a store that has none yet."""

    def now(self, later: float = 0.0) -> str:
        """Return the time in ``later`` seconds."""
        return iso_utc(datetime.fromtimestamp(self.clock() + later, UTC), "seconds")

    def prepare(self) -> None:
        """Create the signing key if there is none; raises `LogWriteError`."""
        self._key()

    @property
    def has_key(self) -> bool:
        """Whether the signing key was read, so that `id_of` does not wait for the database."""
        return self._known_key is not None

    # --- tokens

    def token(self, pairing: Pairing) -> str:
        """Return the cookie or token of a pairing."""
        return str(self._signer().dumps(pairing.id))

    def id_of(self, token: str) -> str | None:
        """Return the pairing id in a cookie or token; None if the signature is wrong."""
        try:
            return str(self._signer().loads(token))
        except BadData:
            return None

    # --- pairings

    def pairings(self) -> list[Pairing]:
        """Return the pairings, oldest first, those that have expired too; raises `LogReadError`."""
        with self._database.reading() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM pairings ORDER BY since, id").fetchall()
        return [Pairing(*row) for row in rows]

    def pairing(self, pairing_id: str) -> Pairing | None:
        """Return a pairing, even one that has expired, or None if there is none; raises `LogReadError`."""
        with self._database.reading() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM pairings WHERE id = ?", [pairing_id]).fetchone()
        return None if row is None else Pairing(*row)

    def add(
        self, role: Role, *, name: str | None = None, seat: int | None = None, table: str | None = None
    ) -> Pairing:
        """Add a pairing without an invitation, for the person at this machine; raises `LogWriteError`."""
        self.prepare()
        with self._database.writing("pairings") as db:
            return self._add(db, role, name or role, seat, table)

    def change(
        self,
        pairing_id: str,
        *,
        role: Role | None = None,
        name: str | None = None,
        seat: int | None = None,
        table: str | None = None,
        reseat: bool = False,
    ) -> Pairing:
        """Change a pairing's role or name where given, and its seat and table if ``reseat``.

        Raises `NoSuchPairingError`, `LogWriteError`, and `BadRequestError` if a phone would become a machine or a machine a phone.
        """
        with self._database.writing("pairings") as db:
            pairing = self._get(db, pairing_id)
            if role is not None and (role in MACHINES) != pairing.machine:
                raise BadRequestError(Message("problem-phone-or-machine"))
            changed = replace(pairing, role=role or pairing.role, name=name or pairing.name)
            if reseat:
                changed = replace(changed, seat=seat, table=table)
            return self._update(db, changed)

    def sit(self, pairing_id: str, seat: int | None, name: str | None = None) -> Pairing:
        """Give a phone that was invited to a table a seat there, or take its seat away, so that it watches.

        ``name`` is that of the player, for a phone without a name. Raises `ConflictError` if another phone has the seat,
        `BadRequestError` if this one was invited to no table, `NoSuchPairingError`, and `LogWriteError`.
        """
        with self._database.writing("pairings") as db:
            pairing = self._get(db, pairing_id)
            if pairing.table is None or pairing.machine:
                raise BadRequestError(Message("problem-no-table-invited"))
            taken = db.execute(
                "SELECT 1 FROM pairings WHERE seat = ? AND id <> ? AND (table_id IS NULL OR table_id = ?)",
                [seat, pairing_id, pairing.table],
            ).fetchone()
            if taken is not None:
                raise ConflictError("seat-taken", Message("problem-seat-taken"))
            role: Role = "host" if pairing.role == "host" else "viewer" if seat is None else "scorer"
            if pairing.name == pairing.role:
                pairing = replace(pairing, name=name or role)
            return self._update(db, replace(pairing, role=role, seat=seat))

    def touch(self, uses: Mapping[str, str]) -> None:
        """Store when pairings were last used, by id; raises `LogWriteError`."""
        with self._database.writing("pairings") as db:
            db.executemany(
                "UPDATE pairings SET seen = ? WHERE id = ?", [(at, id_) for id_, at in uses.items()]
            )

    def revoke(self, pairing_id: str) -> None:
        """Remove a pairing; raises `NoSuchPairingError`, `LogWriteError`."""
        with self._database.writing("pairings") as db:
            if not db.execute("DELETE FROM pairings WHERE id = ?", [pairing_id]).rowcount:
                raise NoSuchPairingError

    def revoke_all(self, keep: str | None) -> list[str]:
        """Remove all pairings except ``keep`` and withdraw all invitations; return the ids that were removed."""
        with self._database.writing("pairings") as db:
            rows = db.execute("SELECT id FROM pairings WHERE id <> ?", [keep or ""]).fetchall()
            removed = [str(row[0]) for row in rows]
            db.execute("DELETE FROM pairings WHERE id <> ?", [keep or ""])
            db.execute("DELETE FROM invitations")
        return removed

    def make_room(self, newest: str) -> list[str]:
        """Remove the least recently used pairings beyond the limit, not the ``newest``, and return their ids; raises `LogWriteError`."""
        with self._database.writing("pairings") as db:
            (count,) = db.execute("SELECT count(*) FROM pairings").fetchone()
            rows = db.execute(
                "DELETE FROM pairings WHERE id IN"
                " (SELECT id FROM pairings WHERE id <> ? ORDER BY seen, id LIMIT ?) RETURNING id",
                [newest, max(0, count - self.limits.pairings)],
            ).fetchall()
        return [str(row[0]) for row in rows]

    def move_seats(self, table: str, following: str) -> None:
        """Move the seats of a table's players to the next table of the evening."""
        with self._database.writing("pairings") as db:
            db.execute("UPDATE pairings SET table_id = ? WHERE table_id = ?", [following, table])

    # --- invitations

    def invite(
        self,
        role: Role,
        *,
        name: str | None = None,
        seat: int | None = None,
        table: str | None = None,
        uses: int = 1,
        maker: str | None = None,
    ) -> Invitation:
        """Create an invitation by QR code or PIN that is valid for ten minutes.

        ``maker`` is the id of the host's pairing, with whose role it ends; None at the machine itself. Raises `NoSuchPairingError` if
        that is no host any more, and `LogWriteError`.
        """
        pin = "".join(secrets.choice(PIN_ALPHABET) for _ in range(PIN_LENGTH))
        made = Invitation(_code(), pin, role, name, seat, table, uses, self.now(INVITATION_S))
        return self._invite(made, INVITATION_S, maker)

    def invite_at_start(self) -> Invitation:
        """Create the host's link at the server's start; the link of the previous start is withdrawn, unless several servers run.

        It has no PIN: a PIN that is valid for a day could be guessed.
        """
        link = Invitation(_code(), None, "host", None, None, None, 1, self.now(START_LINK_S))
        return self._invite(link, START_LINK_S, at_start=True)

    def invitations(self) -> list[OpenInvitation]:
        """Return the invitations that can be used, oldest first; raises `LogReadError`."""
        columns = "CAST(i.id AS TEXT), i.role, i.name, i.seat, i.table_id, i.uses, i.expires, pairings.name, i.base, i.ends"
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {columns} FROM invitations AS i LEFT JOIN pairings ON pairings.id = i.maker"
                f" WHERE {_OPEN} ORDER BY i.id",
                self._open_at(),
            ).fetchall()
        found = [(OpenInvitation(*row[:8]), *row[8:]) for row in rows]
        return [
            replace(each, expires=self.now(ends - self.steady())) if base == steady_base() else each
            for each, base, ends in found
        ]

    def withdraw(self, invitation_id: str) -> None:
        """Remove an invitation, if it is still there; raises `LogWriteError`."""
        with self._database.writing("pairings") as db:
            db.execute("DELETE FROM invitations WHERE CAST(id AS TEXT) = ?", [invitation_id])

    def redeem(
        self,
        *,
        code: str | None = None,
        pin: str | None = None,
        name: str | None,
        current: str | None = None,
    ) -> Pairing:
        """Use an invitation's code or PIN once, and return the resulting pairing.

        ``current`` is the id of the phone's existing pairing, which is extended instead of a new one added: so a host who takes a
        seat stays host, and the phone is listed once. Raises `NoSuchInvitationError`, and `LogWriteError` if nothing
        was changed.
        """
        column, secret = ("code_hash", code) if pin is None else ("pin_hash", _plain_pin(pin))
        hashed = self._hash(column, secret or "")
        with self._database.reading() as db:  # many wrong guesses must not block writers
            self._invitation(db, column, hashed)
        with self._database.writing("pairings") as db:
            return self._use(db, self._invitation(db, column, hashed), name, current)

    # --- inside a transaction

    def _use(
        self, db: Connection, invitation: tuple[Any, ...], name: str | None, current: str | None
    ) -> Pairing:
        """Use an invitation once."""
        invitation_id, role, invited_name, seat, table = invitation
        db.execute("UPDATE invitations SET uses = uses - 1 WHERE id = ?", [invitation_id])
        existing = None
        if current is not None and role not in MACHINES:
            with suppress(NoSuchPairingError):
                existing = self._get(db, current)
        if existing is None or existing.machine:
            return self._add(db, role, name or invited_name or role, seat, table)
        highest = max(existing.role, role, key=lambda each: _RANK[each])
        changed = replace(existing, role=highest, seen=self.now(), name=name or existing.name)
        if seat is not None:
            changed = replace(changed, seat=seat, table=table)
        elif role == "viewer" and table not in {None, existing.table} and _is_guest(existing):
            changed = replace(changed, role=role, seat=None, table=table)
        return self._update(db, changed)

    def _add(self, db: Connection, role: Role, name: str, seat: int | None, table: str | None) -> Pairing:
        now = self.now()
        pairing = Pairing(secrets.token_urlsafe(12), role, name, seat, now, table, now)
        db.execute(
            f"INSERT INTO pairings ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [pairing.id, role, name, seat, now, table, now],
        )
        return pairing

    def _update(self, db: Connection, changed: Pairing) -> Pairing:
        db.execute(
            "UPDATE pairings SET role = ?, name = ?, seat = ?, table_id = ?, seen = ? WHERE id = ?",
            [changed.role, changed.name, changed.seat, changed.table, changed.seen, changed.id],
        )
        if changed.role != "host":
            db.execute("DELETE FROM invitations WHERE maker = ?", [changed.id])
        return changed

    def _open_at(self) -> list[Any]:
        """Return the parameters of `_OPEN`."""
        return [steady_base(), self.steady(), steady_base(), self.now(), self.now(START_LINK_S)]

    def _invite(
        self, invitation: Invitation, lasts_s: float, maker: str | None = None, *, at_start: bool = False
    ) -> Invitation:
        pin = invitation.pin
        row = [
            self._hash("code_hash", invitation.code),
            None if pin is None else self._hash("pin_hash", pin),
            invitation.role,
            invitation.name,
            invitation.seat,
            invitation.table,
            invitation.uses,
            invitation.expires,
            steady_base(),
            self.steady() + lasts_s,
            maker,
            int(at_start),
        ]
        with self._database.writing("pairings") as db:
            if maker is not None and self._get(db, maker).role != "host":
                raise NoSuchPairingError
            db.execute("DELETE FROM invitations WHERE uses = 0")
            if at_start:
                db.execute(
                    "DELETE FROM invitations WHERE at_start = 1 AND id NOT IN"
                    " (SELECT id FROM invitations WHERE at_start = 1 ORDER BY id DESC LIMIT ?)",
                    [self.limits.start_links - 1],
                )
            db.execute(
                "DELETE FROM invitations WHERE at_start = 0 AND id NOT IN"
                " (SELECT id FROM invitations WHERE at_start = 0 ORDER BY id DESC LIMIT ?)",
                [self.limits.invitations - 1],
            )
            db.execute(
                "INSERT INTO invitations (code_hash, pin_hash, role, name, seat, table_id, uses, expires, base, ends,"
                " maker, at_start) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
        return invitation

    def _invitation(self, db: Connection, column: str, hashed: str) -> tuple[Any, ...]:
        """Return the id, role, name, seat and table of an open invitation, or raise `NoSuchInvitationError`."""
        row: tuple[Any, ...] | None = db.execute(
            "SELECT id, role, name, seat, table_id FROM invitations"
            f" WHERE {column} = ? AND {_OPEN} ORDER BY id LIMIT 1",
            [hashed, *self._open_at()],
        ).fetchone()
        if row is None:
            raise NoSuchInvitationError(pin=column == "pin_hash")
        return row

    def _get(self, db: Connection, pairing_id: str) -> Pairing:
        row = db.execute(f"SELECT {_COLUMNS} FROM pairings WHERE id = ?", [pairing_id]).fetchone()
        if row is None:
            raise NoSuchPairingError
        return Pairing(*row)

    def _stored_key(self, db: Connection) -> str | None:
        row = db.execute("SELECT value FROM access_values WHERE name = 'key'").fetchone()
        return None if row is None else str(row[0])

    # --- the key

    def _signer(self) -> URLSafeSerializer:
        try:
            key = self._key()
        except LogWriteError:  # for the program's own processes, which need no stored pairing
            key = self._new_key
        return URLSafeSerializer(key, salt="pairing")

    def _hash(self, purpose: str, secret: str) -> str:
        message = f"{purpose}:{secret}".encode(errors="replace")
        return hmac.new(self._key().encode(), message, hashlib.sha256).hexdigest()

    def _key(self) -> str:
        """Return the signing key, which the first use creates."""
        if self._known_key is None:
            with self._database.reading() as db:
                key = self._stored_key(db)
            self._known_key = key or self._first_key()
        return self._known_key

    def _first_key(self) -> str:
        with self._database.writing("pairings") as db:
            key = self._stored_key(db)
            if key is None:  # no other process was faster
                key = self._new_key
                db.execute("INSERT INTO access_values (name, value) VALUES ('key', ?)", [key])
        return key


def _is_guest(pairing: Pairing) -> bool:
    """Whether a phone watches, or plays at one table, so that the code of another table brings it there."""
    return pairing.role == "viewer" or (pairing.role == "scorer" and pairing.table is not None)


def _code() -> str:
    return secrets.token_urlsafe(_CODE_BYTES)


def _plain_pin(pin: str) -> str:
    """Return a typed PIN in its original form, without spaces and hyphens and in upper case."""
    return "".join(letter for letter in pin.upper() if letter.isalnum())
