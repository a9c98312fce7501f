"""The server's in-memory cache of the stored pairings. Other processes tell it when they change one."""

from __future__ import annotations

import json
import math
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from companion.store import LogReadError, LogWriteError, PairingStore
from companion.store.pairings import Pairing, Role
from companion.store.signals import Signals

_RELOAD_S: Final = 2.0
"""How soon a change by another process (`companion invite`) takes effect."""
_SEEN_S: Final = 3600.0
"""Minimum interval between stored times of last use, s; a write per request would wear out an SD card."""
_LOCAL_SIGNALS: Final = Signals()


@dataclass(frozen=True, slots=True)
class _Known:
    """A pairing as it was stored at a time."""

    pairing: Pairing | None
    at: float
    """When it was read, s on the clock."""
    changes: int
    """The number of changes that were known then."""


class Pairings:
    """The pairings of a server. Thread-safe.

    A request reads the row of its own pairing, at most every two seconds, so that the work does not grow with the number of phones.
    """

    def __init__(
        self,
        store: PairingStore,
        clock: Callable[[], float] = time.monotonic,
        *,
        signals: Signals = _LOCAL_SIGNALS,
        end_streams: Callable[[str], None] = lambda pairing_id: None,
    ) -> None:
        """``end_streams`` ends the streams of a pairing, given by id, at this process."""
        self._signals, self._end_streams_here = signals, end_streams
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        """Guards the cache; never held while waiting for the disk."""
        self._changes = 0
        self._known: dict[str, _Known] = {}
        self._stored: dict[str, float] = {}
        """When the last use of a pairing was stored, s on the clock, by id."""
        self._unsaved: dict[str, str] = {}
        """Times of use that are not stored yet, by id."""
        self._saving = False
        self._own: dict[str, Pairing] = {}
        with suppress(LogReadError, LogWriteError):  # a full disk: the first pairing tries again
            store.prepare()
        signals.subscribe("pairings", self._changed_elsewhere, self._note_change)

    # --- identifying senders

    def authenticate(self, token: str) -> Pairing | None:
        """Return the pairing of a cookie or token; None if it is unknown, revoked, or expired."""
        try:
            pairing_id = self._store.id_of(token)
            pairing = None if pairing_id is None else self._find(pairing_id)
        except (LogReadError, LogWriteError):
            return None
        if pairing is None or pairing.expires is None:
            return pairing
        if pairing.expires <= self._store.now():
            return None
        self._note_use(pairing)
        return pairing

    def is_signed(self, token: str) -> bool:
        """Whether a cookie or token has a valid signature; it may have been revoked."""
        try:
            return self._store.id_of(token) is not None
        except (LogReadError, LogWriteError):
            return False

    # --- pairing

    def pair(
        self,
        *,
        code: str | None = None,
        pin: str | None = None,
        name: str | None,
        address: str,
        current: Pairing | None = None,
    ) -> Pairing:
        """Redeem an invitation's code or PIN and return the pairing; ``current`` is the phone's existing pairing.

        Only PINs are rate-limited, because codes cannot be guessed. Raises `NoSuchInvitationError`, `TooManyGuessesError`,
        `PinsPausedError`, and `LogWriteError` if it cannot be stored.
        """
        current_id = None if current is None else current.id
        pairing = self._store.redeem(code=code, pin=pin, name=name, current=current_id, address=address)
        self._changed()
        return pairing

    def pins_paused_s(self) -> int | None:
        """Return for how many seconds no PIN is accepted, or None if PINs are accepted."""
        return self._store.pins_paused_s()

    def for_own(self, role: Role, name: str) -> Pairing:
        """Return a pairing for a child process, which ends with this process and is not stored."""
        pairing = Pairing(secrets.token_urlsafe(12), role, name, None, self._store.now())
        with self._lock:
            self._own[pairing.id] = pairing
        return pairing

    # --- the list

    def get(self, pairing_id: str) -> Pairing | None:
        """Return a stored pairing, or None."""
        pairing = self._find(pairing_id)
        return None if pairing is None or pairing.expires is None else pairing

    def all(self) -> list[Pairing]:
        """Return the pairings, oldest first, those of the program's own processes last."""
        listed = self._store.pairings()
        with self._lock:
            return [*listed, *self._own.values()]

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
        """Change a pairing as `PairingStore.change` does."""
        pairing = self._store.change(pairing_id, role=role, name=name, seat=seat, table=table, reseat=reseat)
        self._changed()
        return pairing

    def revoke(self, pairing_id: str) -> None:
        """Remove a pairing; raises `NoSuchPairingError`, `LogWriteError`."""
        self._store.revoke(pairing_id)
        self._changed()

    def revoke_all(self, keep: str | None) -> list[str]:
        """Remove all pairings except ``keep`` and withdraw all invitations; return the ids that were removed."""
        removed = self._store.revoke_all(keep)
        self._changed()
        return removed

    def move_seats(self, table: str, following: str) -> None:
        """Move the seats of a table's players to the evening's next table."""
        with suppress(LogWriteError):  # not fatal: players can also scan the new table's QR codes
            self._store.move_seats(table, following)
        self._changed()

    def end_streams(self, pairing_ids: Iterable[str]) -> None:
        """End the streams of pairings that were changed, at all processes; their pages reconnect with their new permissions."""
        ended = list(pairing_ids)
        for pairing_id in ended:
            self._end_streams_here(pairing_id)
        self._signals.send("pairings", json.dumps(ended))

    def _changed_elsewhere(self, text: str) -> None:
        """Note that another process has changed pairings, and end the streams of those whose ids it sent."""
        self._note_change()
        for pairing_id in json.loads(text):
            self._end_streams_here(pairing_id)

    # --- in memory

    def _find(self, pairing_id: str) -> Pairing | None:
        with self._lock:
            if (own := self._own.get(pairing_id)) is not None:
                return own
            known, changes = self._known.get(pairing_id), self._changes
        now = self._clock()
        if known is not None and known.changes == changes and now - known.at <= _RELOAD_S:
            return known.pairing
        try:
            found = self._store.pairing(pairing_id)
        except LogReadError:
            if known is None:
                raise
            return known.pairing  # better than none
        with self._lock:
            self._known[pairing_id] = _Known(found, now, changes)
        return found

    def _changed(self) -> None:
        self._note_change()
        self._signals.send("pairings", "[]")

    def _note_change(self) -> None:
        """Note that what was read, or is being read, may be out of date."""
        with self._lock:
            self._changes += 1

    def _note_use(self, pairing: Pairing) -> None:
        now = self._clock()
        with self._lock:
            if now - self._stored.get(pairing.id, -math.inf) < _SEEN_S:
                return
            self._stored[pairing.id] = now
            self._unsaved[pairing.id] = self._store.now()
            if self._saving:
                return
            self._saving = True
        # In a separate thread, so that reading requests do not wait for the disk.
        threading.Thread(target=self._save_uses, daemon=True).start()

    def _save_uses(self) -> None:
        """Store the times of use; those that arrive during a write are stored together in the next one."""
        while True:
            with self._lock:
                uses, self._unsaved = self._unsaved, {}
                self._saving = bool(uses)
            if not uses:
                return
            with suppress(LogWriteError):
                self._store.touch(uses)
