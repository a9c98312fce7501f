"""The server's in-memory cache of the stored pairings, and the limits on guessing PINs."""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message
from companion.store import LogReadError, LogWriteError, PairingStore
from companion.store.pairing_records import (
    INVITATION_S,
    MACHINES,
    Invitation,
    NoSuchInvitationError,
    NoSuchPairingError,
    Pairing,
    Role,
)

__all__ = [
    "GUESS_WINDOW_S",
    "INVITATION_S",
    "MACHINES",
    "MAX_GUESSES",
    "Invitation",
    "NoSuchInvitationError",
    "NoSuchPairingError",
    "Pairing",
    "Pairings",
    "PinsPausedError",
    "Role",
    "TooManyGuessesError",
]

_RELOAD_S: Final = 2.0
"""How soon a change by another process (`companion invite`) takes effect."""
_SEEN_S: Final = 3600.0
"""Minimum interval between stored times of last use, s; a write per request would wear out an SD card."""

GUESS_WINDOW_S: Final = INVITATION_S
"""How long a wrong PIN counts, s: the lifetime of a PIN."""
MAX_GUESSES_PER_ADDRESS: Final = 10
"""Maximum number of wrong PINs per address; people mistype only a few times."""
MAX_GUESSES: Final = 1_000
"""Wrong PINs from all addresses together before PINs are paused.

With all 50 invitations open, the chance that one of 1,000 guesses is right is 50 * 1,000 / 31^6 = 5.6e-5, below 1 in 10,000
during the life of an invitation. A home network has 253 addresses; some dozens of them can be used up without a pause.
"""


class TooManyGuessesError(MessageError):
    """Raised after too many wrong PINs from one address."""

    code = "too-many-guesses"

    def __init__(self, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        paused = self.code == PinsPausedError.code
        super().__init__(
            Message(
                "problem-pins-paused" if paused else "problem-too-many-guesses",
                {"minutes": max(1, -(-retry_after_s // 60))},
            )
        )


class PinsPausedError(TooManyGuessesError):
    """Raised after so many wrong PINs from all addresses together that no PIN is accepted for now."""

    code = "pins-paused"


class Pairings:
    """The pairings of a server. Thread-safe."""

    def __init__(self, store: PairingStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        """Guards the cache; never held while waiting for the disk."""
        self._guessing = threading.Lock()
        self._changes = 0
        self._known: dict[str, Pairing] = {}
        self._loaded = -math.inf
        self._stored: dict[str, float] = {}
        """When the last use of a pairing was stored, s on the clock, by id."""
        self._unsaved: dict[str, str] = {}
        """Times of use that are not stored yet, by id."""
        self._saving = False
        self._own: dict[str, Pairing] = {}
        self._guesses: deque[tuple[float, str]] = deque()
        with suppress(LogReadError, LogWriteError):  # a full disk: the first pairing tries again
            store.prepare()

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
        if pin is None:
            pairing = self._store.redeem(code=code, name=name, current=current_id)
        else:
            with self._guessing:  # so that guesses sent at the same time are all counted
                self._check_guesses(address)
                try:
                    pairing = self._store.redeem(pin=pin, name=name, current=current_id)
                except NoSuchInvitationError:
                    self._guesses.append((self._clock(), address))
                    raise
        self._changed()
        return pairing

    def pins_paused_s(self) -> int | None:
        """Return for how many seconds no PIN is accepted, or None if PINs are accepted."""
        with self._guessing:
            return self._pause()

    def for_own(self, role: Role, name: str) -> Pairing:
        """Return a pairing for a child process; it is not stored and ends with this process."""
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

    # --- in memory

    def _find(self, pairing_id: str) -> Pairing | None:
        with self._lock:
            if (own := self._own.get(pairing_id)) is not None:
                return own
            stale = self._clock() - self._loaded > _RELOAD_S
        if stale:
            with suppress(LogReadError):  # the cache is still usable
                self._load()
        if pairing_id not in self._known:
            self._load()
        return self._known.get(pairing_id)

    def _load(self) -> None:
        before = self._changes
        loaded = self._store.pairings()
        with self._lock:
            if before == self._changes:  # otherwise the data may be older than the change
                self._known = {each.id: each for each in loaded}
                self._loaded = self._clock()

    def _changed(self) -> None:
        with self._lock:
            self._changes += 1
        with suppress(LogReadError):
            self._load()

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

    # --- limits on guessing; called with `_guessing` held

    def _check_guesses(self, address: str) -> None:
        if (pause := self._pause()) is not None:
            raise PinsPausedError(pause)
        own = [time for time, guesser in self._guesses if guesser == address]
        if len(own) >= MAX_GUESSES_PER_ADDRESS:
            raise TooManyGuessesError(self._until(own[0]))

    def _pause(self) -> int | None:
        while self._guesses and self._until(self._guesses[0][0]) <= 0:
            self._guesses.popleft()
        return self._until(self._guesses[0][0]) if len(self._guesses) >= MAX_GUESSES else None

    def _until(self, guessed: float) -> int:
        """Return in how many seconds a guess no longer counts."""
        return max(0, math.ceil(guessed + GUESS_WINDOW_S - self._clock()))
