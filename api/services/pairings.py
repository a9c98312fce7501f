"""The server's in-memory cache of the stored pairings. Other processes tell it when they change one."""

from __future__ import annotations

import json
import math
import secrets
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from api.services.wrong_pins import WrongPins
from companion.store import LogReadError, LogWriteError
from companion.store.pairings import NoSuchInvitationError, Pairing, PairingStore, Role
from companion.store.signals import Signals
from companion.store.timestamps import steady_s

_RELOAD_S: Final = 2.0
"""How soon a change by another process (`companion invite`) takes effect."""
_RECHECK_S: Final = 30.0
"""When `Pairings.recognizes` reads a pairing again that no request has read since, s."""
_SEEN_S: Final = 3600.0
"""Minimum interval between stored times of last use, s; a write per request would wear out an SD card."""
_JUMP_S: Final = 60.0
"""A difference between the time of day and the clock for durations that means that the former was set, s."""
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
        clock: Callable[[], float] = steady_s,
        *,
        signals: Signals = _LOCAL_SIGNALS,
        end_streams: Callable[[str], None] = lambda pairing_id: None,
    ) -> None:
        """``clock`` measures durations, s. ``end_streams`` ends the streams of a pairing, given by id, at this process."""
        self._wrong_pins = WrongPins(signals, clock)
        self._one_pin = threading.Lock()
        """Held while a PIN is tried, so that all of those that are sent at the same time are counted."""
        self._signals, self._end_streams = signals, end_streams
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        """Guards the cache; never held while waiting for the disk."""
        self._changes = 0
        self._known: dict[str, _Known] = {}
        self._used: dict[str, float] = {}
        """When a pairing was used, to within the hour, s on the clock, by id."""
        self._offset = store.clock() - clock()
        """What the time of day is ahead of the clock, s; it changes when somebody sets the time of day."""
        self._unsaved: dict[str, str] = {}
        """Times of use that are not stored yet, by id."""
        self._unread: set[str] = set()
        """Ids of pairings to be read."""
        self._worker: threading.Thread | None = None
        """The thread that stores and reads these."""
        self._own: dict[str, Pairing] = {}
        with suppress(LogReadError, LogWriteError):  # a full disk: the first pairing tries again
            store.prepare()
        signals.subscribe("pairings", self._receive_change, self._note_change)

    def close(self) -> None:
        """Wait until the last times of use are stored; nobody may call another method at that time."""
        if (worker := self._worker) is not None:
            worker.join()

    # --- identifying senders

    def authenticate(self, token: str) -> Pairing | None:
        """Return the pairing of a cookie or token; None if it is unknown, revoked, or expired."""
        try:
            pairing_id = self._store.id_of(token)
            pairing = None if pairing_id is None else self._find(pairing_id)
        except (LogReadError, LogWriteError):
            return None
        if pairing is None or self._is_expired(pairing):
            return None
        if pairing.seen is not None:
            self._note_use(pairing)
        return pairing

    def recognizes(self, token: str) -> bool:
        """Whether a cookie or token is that of a pairing that exists, as far as this process knows; never waits for the database.

        A pairing that this process has not read yet is read in the background and recognized from then on.
        """
        if not self._store.has_key or (pairing_id := self._store.id_of(token)) is None:
            return False
        with self._lock:
            if pairing_id in self._own:
                return True
            known, changes = self._known.get(pairing_id), self._changes
            if known is None or known.changes != changes or self._clock() - known.at > _RECHECK_S:
                self._unread.add(pairing_id)
                self._work_later()
        return known is not None and known.pairing is not None and not self._is_expired(known.pairing)

    # --- pairing

    def pair(
        self,
        *,
        code: str | None = None,
        pin: str | None = None,
        name: str | None,
        client: str,
        current: Pairing | None = None,
    ) -> Pairing:
        """Redeem an invitation's code or PIN and return the pairing; ``current`` is the phone's existing pairing.

        Wrong PINs are counted by ``client``. Only PINs are rate-limited, because codes cannot be guessed. Raises `NoSuchInvitationError`, `TooManyGuessesError`,
        `PinsPausedError`, and `LogWriteError` if it cannot be stored.
        """
        current_id = None if current is None else current.id
        if pin is None:
            pairing = self._store.redeem(code=code, name=name, current=current_id)
        else:
            with self._one_pin:
                self._wrong_pins.check(client)
                try:
                    pairing = self._store.redeem(pin=pin, name=name, current=current_id)
                except NoSuchInvitationError:
                    self._wrong_pins.add(client)
                    raise
        ended = [pairing.id]  # a phone with a new seat must not see the cards of its old one any more
        with suppress(LogWriteError):  # the next phone makes room
            ended += self._store.make_room(pairing.id)
        self._changed(ended)
        with self._lock:
            self._known[pairing.id] = _Known(pairing, self._clock(), self._changes)
            self._used[pairing.id] = self._clock()
        return pairing

    def pins_paused_s(self) -> int | None:
        """Return for how many seconds no PIN is accepted, or None if PINs are accepted."""
        return self._wrong_pins.paused_s()

    def for_own(self, role: Role, name: str) -> Pairing:
        """Return a pairing for a child process, which ends with this process and is not stored."""
        pairing = Pairing(secrets.token_urlsafe(12), role, name, None, self._store.now())
        with self._lock:
            self._own[pairing.id] = pairing
        return pairing

    # --- the list

    def get(self, pairing_id: str) -> Pairing | None:
        """Return a stored pairing, even one that has expired, or None."""
        pairing = self._find(pairing_id)
        return None if pairing is None or pairing.expires is None else pairing

    def all(self) -> list[Pairing]:
        """Return the pairings that have not expired, oldest first, those of the program's own processes last."""
        listed = [each for each in self._store.pairings() if not self._is_expired(each)]
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
        self._changed([pairing_id] if role is not None or reseat else [])
        return pairing

    def sit(self, pairing_id: str, seat: int | None, name: str | None) -> Pairing:
        """Give a phone a seat of its table as `PairingStore.sit` does."""
        pairing = self._store.sit(pairing_id, seat, name)
        self._changed([pairing_id])
        return pairing

    def revoke(self, pairing_id: str) -> None:
        """Remove a pairing; raises `NoSuchPairingError`, `LogWriteError`."""
        self._store.revoke(pairing_id)
        self._changed([pairing_id])

    def revoke_all(self, keep: str | None) -> None:
        """Remove all pairings except ``keep`` and withdraw all invitations."""
        self._changed(self._store.revoke_all(keep))

    def move_seats(self, table: str, following: str) -> None:
        """Move the seats of a table's players to the evening's next table."""
        with suppress(LogWriteError):  # not fatal: players can also scan the new table's QR codes
            self._store.move_seats(table, following)
        self._changed()

    def _changed(self, ended: Iterable[str] = ()) -> None:
        """Note at all processes that pairings have changed.

        The streams of the ``ended`` ones end; their pages reconnect with their new permissions.
        """
        text = json.dumps(list(ended))
        self._receive_change(text)
        self._signals.send("pairings", text)

    def _receive_change(self, text: str) -> None:
        self._note_change()
        for pairing_id in json.loads(text):
            with self._lock:
                self._known.pop(pairing_id, None)
            self._end_streams(pairing_id)

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

    def _note_change(self) -> None:
        """Note that what was read, or is being read, may be out of date."""
        with self._lock:
            self._changes += 1

    def _is_expired(self, pairing: Pairing) -> bool:
        """Whether a pairing was not used for its lifetime: neither by the time of day nor on the clock, which this process saw."""
        if pairing.expires is None or pairing.expires > self._store.now():
            return False
        used = self._used.get(pairing.id, -math.inf)
        return self._clock() - used >= pairing.lifetime.total_seconds()

    def _note_use(self, pairing: Pairing) -> None:
        now, offset = self._clock(), self._store.clock() - self._clock()
        with self._lock:
            if abs(offset - self._offset) > _JUMP_S:  # the times that were stored until now are wrong
                self._offset = offset
                self._unsaved.update({each: self._store.now(used - now) for each, used in self._used.items()})
                self._work_later()
            if now - self._used.get(pairing.id, -math.inf) < _SEEN_S:
                return
            self._used[pairing.id] = now
            self._unsaved[pairing.id] = self._store.now()
            self._work_later()

    def _work_later(self) -> None:
        """Store the times of use, and read pairings, in a thread: requests do not wait for the disk. The lock is held."""
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, daemon=True)
            self._worker.start()

    def _work(self) -> None:
        """Work until nothing is left; the uses that arrive during a write are stored together in the next one."""
        while True:
            with self._lock:
                uses, self._unsaved = self._unsaved, {}
                unread, self._unread = self._unread, set()
                if not uses and not unread:
                    self._worker = None
                    return
            if uses:
                with suppress(LogWriteError):
                    self._store.touch(uses)
            with suppress(LogReadError):
                for pairing_id in unread:
                    self._find(pairing_id)
