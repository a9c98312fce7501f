"""Pairings and invitations in the log's database.

Any process that opens the log may use them: `companion invite` creates an invitation that the running server accepts.
Secrets are not stored: of an invitation's code and PIN only keyed hashes, of a pairing's cookie or token only the id that it
signs.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, get_args

from itsdangerous import BadData, URLSafeSerializer
from sqlite_utils import Database

from companion.store.pairing_records import (
    INVITATION_S,
    MACHINE_LIFETIME,
    MACHINES,
    PHONE_LIFETIME,
    Invitation,
    NoSuchInvitationError,
    NoSuchPairingError,
    Pairing,
    Role,
)
from companion.store.sqlite.database import LogDatabase

__all__ = [
    "MAX_OPEN_INVITATIONS",
    "MAX_PAIRINGS",
    "PIN_ALPHABET",
    "PIN_LENGTH",
    "START_LINK_S",
    "SqlitePairings",
]

START_LINK_S: Final = 24 * 3600.0
"""Lifetime of the host's link that `companion serve` prints, s: a machine that is set up today is used by tomorrow."""

PIN_ALPHABET: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without 0 and O, 1, I and L
PIN_LENGTH: Final = 6
MAX_OPEN_INVITATIONS: Final = 50
"""More are never needed at once, and each open PIN makes guessing easier; the oldest are withdrawn."""
MAX_PAIRINGS: Final = 500
"""Enough for the phones of the largest tournament; beyond it the least recently used pairings are removed."""
_CODE_BYTES: Final = 16  # 128 bits cannot be guessed
_OLD_FILE: Final = "pairings.json"
"""The file that had the pairings before they were in the database."""
_RANK: Final[Mapping[str, int]] = {"viewer": 0, "scorer": 1, "host": 2}


class SqlitePairings:
    """The pairings and invitations of a data folder. Thread-safe; other processes may use the same folder."""

    def __init__(
        self,
        database: LogDatabase,
        folder: Path,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.clock = clock
        """Returns the time, seconds since 1970."""
        self._database = database
        self._old = folder / _OLD_FILE
        self._known_key: str | None = None

    def now(self, later: float = 0.0) -> str:
        """Return the time in ``later`` seconds."""
        return _iso(datetime.fromtimestamp(self.clock() + later, UTC))

    def prepare(self) -> None:
        """Create the signing key, or import `pairings.json` with its key; raises `LogWriteError`."""
        self._key()

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
        """Return the pairings that have not expired, oldest first; raises `LogReadError`."""
        with self._database.reading() as db:
            rows = list(db.table("pairings").rows_where(order_by="since, id"))
        now = self.now()
        return [each for each in map(_pairing, rows) if each.expires is None or each.expires > now]

    def add(
        self, role: Role, *, name: str | None = None, seat: int | None = None, table: str | None = None
    ) -> Pairing:
        """Add a pairing without an invitation, for the person at this machine; raises `LogWriteError`."""
        self.prepare()
        with self._database.writing() as db:
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

        Raises `NoSuchPairingError`, `LogWriteError`, and `ValueError` if a phone would become a machine or a machine a phone.
        """
        with self._database.writing() as db:
            pairing = self._get(db, pairing_id)
            if role is not None and (role in MACHINES) != pairing.machine:
                raise ValueError(role)
            changed: dict[str, Any] = {"role": role or pairing.role, "name": name or pairing.name}
            if reseat:
                changed |= {"seat": seat, "table_id": table}
            db.table("pairings").update(pairing_id, changed)
            return self._get(db, pairing_id)

    def touch(self, uses: Mapping[str, str]) -> None:
        """Store when pairings were last used, by id; raises `LogWriteError`."""
        with self._database.writing() as db:
            db.conn.executemany(
                "UPDATE pairings SET seen = ? WHERE id = ?", [(at, id_) for id_, at in uses.items()]
            )

    def revoke(self, pairing_id: str) -> None:
        """Remove a pairing; raises `NoSuchPairingError`, `LogWriteError`."""
        with self._database.writing() as db:
            if not db.execute("DELETE FROM pairings WHERE id = ?", [pairing_id]).rowcount:
                raise NoSuchPairingError

    def revoke_all(self, keep: str | None) -> list[str]:
        """Remove all pairings except ``keep`` and withdraw all invitations; return the ids that were removed."""
        with self._database.writing() as db:
            rows = db.query("SELECT id FROM pairings WHERE id IS NOT ?", [keep])
            removed = [str(row["id"]) for row in rows]
            db.execute("DELETE FROM pairings WHERE id IS NOT ?", [keep])
            db.execute("DELETE FROM invitations")
        return removed

    def move_seats(self, table: str, following: str) -> None:
        """Move the seats of a table's players to the next table of the evening."""
        with self._database.writing() as db:
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
    ) -> Invitation:
        """Create an invitation by QR code or PIN that is valid for ten minutes; raises `LogWriteError`."""
        pin = "".join(secrets.choice(PIN_ALPHABET) for _ in range(PIN_LENGTH))
        return self._invite(Invitation(_code(), pin, role, name, seat, table, uses, self.now(INVITATION_S)))

    def invite_at_start(self) -> Invitation:
        """Create the host's link at the server's start; the link of the previous start is withdrawn.

        It has no PIN: a PIN that is valid for a day could be guessed.
        """
        link = Invitation(_code(), None, "host", None, None, None, 1, self.now(START_LINK_S))
        return self._invite(link, at_start=True)

    def redeem(
        self, *, code: str | None = None, pin: str | None = None, name: str | None, current: str | None = None
    ) -> Pairing:
        """Use an invitation's code or PIN once, and return the resulting pairing.

        ``current`` is the id of the phone's existing pairing, which is extended instead of a new one added: so a host who takes a
        seat stays host, and the phone is listed once. Raises `NoSuchInvitationError`, and `LogWriteError` if nothing was changed.
        """
        column, secret = ("code_hash", code) if pin is None else ("pin_hash", _plain_pin(pin))
        hashed = self._hash(column, secret or "")
        with (
            self._database.reading() as db
        ):  # wrong guesses, of which there may be many, must not block writers
            self._invitation(db, column, hashed)
        with self._database.writing() as db:
            row = self._invitation(db, column, hashed)
            db.execute("UPDATE invitations SET uses = uses - 1 WHERE id = ?", [row["id"]])
            role, seat, table = row["role"], row["seat"], row["table_id"]
            existing = None
            if current is not None and role not in MACHINES:
                with suppress(NoSuchPairingError):
                    existing = self._get(db, current)
            if existing is None or existing.machine:
                return self._add(db, role, name or row["name"] or role, seat, table)
            changed = {"role": max(existing.role, role, key=lambda each: _RANK[each]), "seen": self.now()}
            if seat is not None:
                changed |= {"seat": seat, "table_id": table}
            if name is not None:
                changed |= {"name": name}
            db.table("pairings").update(existing.id, changed)
            return self._get(db, existing.id)

    # --- inside a transaction

    def _add(self, db: Database, role: Role, name: str, seat: int | None, table: str | None) -> Pairing:
        now = self.now()
        for machines, lifetime in ((True, MACHINE_LIFETIME), (False, PHONE_LIFETIME)):
            db.execute(
                "DELETE FROM pairings WHERE (role IN ('camera', 'device')) = ? AND seen <= ?",
                [machines, self.now(-lifetime.total_seconds())],
            )
        db.execute(
            "DELETE FROM pairings WHERE id IN (SELECT id FROM pairings ORDER BY seen DESC LIMIT -1 OFFSET ?)",
            [MAX_PAIRINGS - 1],
        )
        pairing = Pairing(secrets.token_urlsafe(12), role, name, seat, now, table, now)
        db.table("pairings").insert(_row(pairing))
        return pairing

    def _invite(self, invitation: Invitation, *, at_start: bool = False) -> Invitation:
        pin = invitation.pin
        row = {
            "code_hash": self._hash("code_hash", invitation.code),
            "pin_hash": None if pin is None else self._hash("pin_hash", pin),
            "role": invitation.role,
            "name": invitation.name,
            "seat": invitation.seat,
            "table_id": invitation.table,
            "uses": invitation.uses,
            "expires": invitation.expires,
            "at_start": int(at_start),
        }
        with self._database.writing() as db:
            db.execute("DELETE FROM invitations WHERE uses = 0 OR expires <= ?", [self.now()])
            if at_start:
                db.execute("DELETE FROM invitations WHERE at_start = 1")
            db.execute(
                "DELETE FROM invitations WHERE at_start = 0 AND id NOT IN"
                " (SELECT id FROM invitations WHERE at_start = 0 ORDER BY id DESC LIMIT ?)",
                [MAX_OPEN_INVITATIONS - 1],
            )
            db.table("invitations").insert(row)
        return invitation

    def _invitation(self, db: Database, column: str, hashed: str) -> Mapping[str, Any]:
        query = f"{column} = ? AND uses > 0 AND expires > ?"
        rows = db.table("invitations").rows_where(query, [hashed, self.now()], limit=1)
        row: Mapping[str, Any] | None = next(rows, None)
        if row is None:
            raise NoSuchInvitationError(pin=column == "pin_hash")
        return row

    def _get(self, db: Database, pairing_id: str) -> Pairing:
        row = next(db.table("pairings").rows_where("id = ?", [pairing_id]), None)
        if row is None:
            raise NoSuchPairingError
        return _pairing(row)

    def _stored_key(self, db: Database) -> str | None:
        row = next(db.table("access_values").rows_where("name = 'key'"), None)
        return None if row is None else str(row["value"])

    # --- the key

    def _signer(self) -> URLSafeSerializer:
        return URLSafeSerializer(self._key(), salt="pairing")

    def _hash(self, purpose: str, secret: str) -> str:
        message = f"{purpose}:{secret}".encode(errors="replace")
        return hmac.new(self._key().encode(), message, hashlib.sha256).hexdigest()

    def _key(self) -> str:
        """Return the signing key. The first use creates it, or imports `pairings.json`."""
        if self._known_key is None:
            with self._database.reading() as db:
                key = self._stored_key(db)
            self._known_key = key if key is not None else self._first_key()
            with suppress(OSError):
                self._old.replace(self._old.with_name(f"{_OLD_FILE}.imported"))
        return self._known_key

    def _first_key(self) -> str:
        key, pairings = self._read_old_file()
        with self._database.writing() as db:
            if (known := self._stored_key(db)) is not None:  # another process was faster
                return known
            db.table("access_values").insert({"name": "key", "value": key})
            db.table("pairings").insert_all(map(_row, pairings))
        return key

    def _read_old_file(self) -> tuple[str, list[Pairing]]:
        """Return the key and pairings in `pairings.json`; if it is missing or damaged, a new key, so that all must pair again."""
        try:
            document = json.loads(self._old.read_text(encoding="utf-8"))
            pairings = [Pairing(**each, seen=self.now()) for each in document["pairings"]]
            if not all(each.role in get_args(Role) for each in pairings):
                raise ValueError("unknown role")
            return str(document["key"]), pairings
        except (OSError, ValueError, KeyError, TypeError):
            return secrets.token_urlsafe(32), []


def _code() -> str:
    return secrets.token_urlsafe(_CODE_BYTES)


def _plain_pin(pin: str) -> str:
    """Return a typed PIN in its original form, without spaces and hyphens and in upper case."""
    return "".join(letter for letter in pin.upper() if letter.isalnum())


def _pairing(row: Mapping[str, Any]) -> Pairing:
    return Pairing(
        row["id"], row["role"], row["name"], row["seat"], row["since"], row["table_id"], row["seen"]
    )


def _row(pairing: Pairing) -> dict[str, Any]:
    return {
        "id": pairing.id,
        "role": pairing.role,
        "name": pairing.name,
        "seat": pairing.seat,
        "table_id": pairing.table,
        "since": pairing.since,
        "seen": pairing.seen,
    }


def _iso(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
