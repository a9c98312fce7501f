"""Who may write here: phones and machines that were paired, and the invitations by which they pair.

Pairings are kept beside the log in a file that only its owner may read; invitations live in memory, for ten minutes.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, get_args

from itsdangerous import BadSignature, URLSafeSerializer

from companion.files import write_whole
from companion.log import LogWriteError

__all__ = [
    "INVITATION_S",
    "MACHINES",
    "Invitation",
    "NoSuchInvitationError",
    "NoSuchPairingError",
    "Pairing",
    "Pairings",
    "Role",
    "TooManyGuessesError",
]

Role = Literal["viewer", "scorer", "host", "camera", "device"]
MACHINES: Final = ("camera", "device")
"""The roles of machines; they show a token, people's browsers a cookie."""

INVITATION_S: Final = 600.0
"""How long an invitation holds."""

_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without 0 and O, 1, I and L
_PIN: Final = 6
_FILE: Final = "pairings.json"
_MOST_PAIRINGS: Final = 500
_MOST_INVITATIONS: Final = 50
#: Wrong PINs a minute from one address, and from all together: with every invitation open, ten minutes of guessing find one
#: of the 31 ** 6 with a chance below 1 in 10,000.
_GUESSES: Final = 10
_ALL_GUESSES: Final = 60
_GUESSING_S: Final = 60.0


class NoSuchInvitationError(Exception):
    """The PIN or code is none, or not any more."""

    def __init__(self) -> None:
        super().__init__(
            "This PIN is none, or not any more: one holds for ten minutes and for as many phones as its maker said. Look at"
            " it again, or ask the host for a new one."
        )


class TooManyGuessesError(Exception):
    """Too many wrong PINs came."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"Too many wrong PINs came. Wait {retry_after_s} seconds and try again.")
        self.retry_after_s = retry_after_s


class NoSuchPairingError(Exception):
    """Nobody is paired under that id."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A phone or machine that may do what its role allows."""

    id: str
    role: Role
    name: str
    seat: int | None
    since: str
    """ISO 8601 in UTC."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """A way to become paired: by its PIN, typed in, or its code, followed from a QR code."""

    pin: str
    code: str
    role: Role
    name: str | None
    seat: int | None
    uses: int
    """How often it can still be used."""
    until: float
    """s, of the clock."""


class Pairings:
    """The pairings of a data folder, and the key that signs what they show."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = folder / _FILE
        self._clock = clock
        self._lock = threading.Lock()
        self._invitations: list[Invitation] = []
        self._guesses: deque[tuple[float, str]] = deque()
        self._seen: dict[str, str] = {}
        self._own: dict[str, Pairing] = {}
        self._key, self._held = self._read()

    # --- what a request shows

    def shown(self, text: str) -> Pairing | None:
        """Return the pairing that a cookie or token stands for, None where it is none or was revoked."""
        try:
            pairing_id = self._signer().loads(text)
        except BadSignature:
            return None
        with self._lock:
            found = self._held.get(pairing_id) or self._own.get(pairing_id)
            if found is not None:
                self._seen[found.id] = _now()
        return found

    def token(self, pairing: Pairing) -> str:
        """Return what a paired phone or machine shows from now on."""
        return str(self._signer().dumps(pairing.id))

    # --- pairing

    def invite(self, role: Role, *, name: str | None, seat: int | None, uses: int) -> Invitation:
        """Return a new invitation; the oldest of too many goes."""
        invitation = Invitation(
            "".join(secrets.choice(_LETTERS) for _ in range(_PIN)),
            secrets.token_urlsafe(16),
            role,
            name,
            seat,
            uses,
            self._clock() + INVITATION_S,
        )
        with self._lock:
            self._invitations = [*self._open()[-_MOST_INVITATIONS + 1 :], invitation]
        return invitation

    def pair(self, told: str, *, name: str | None, address: str) -> Pairing:
        """Return the pairing that an invitation's PIN or code gives.

        Raises `NoSuchInvitationError`, `TooManyGuessesError`, or `LogWriteError` where it cannot be kept.
        """
        plain = "".join(letter for letter in told.upper() if letter.isalnum())
        with self._lock:
            self._check_guesses(address)
            for invitation in self._open():
                if plain == invitation.pin or secrets.compare_digest(
                    told.encode(errors="replace"), invitation.code.encode()
                ):
                    break
            else:
                self._guesses.append((self._clock(), address))
                raise NoSuchInvitationError
            pairing = _pairing(
                invitation.role, name or invitation.name or invitation.role, seat=invitation.seat
            )
            held = {**self._held, pairing.id: pairing}
            while len(held) > _MOST_PAIRINGS:
                del held[next(iter(held))]
            self._write(held)
            self._seen[pairing.id] = pairing.since
            self._invitations = [
                replace(each, uses=each.uses - 1) if each is invitation else each for each in self._open()
            ]
        return pairing

    def for_own(self, role: Role, name: str) -> Pairing:
        """Return a pairing for a process of this program; it holds as long as this process and is not kept."""
        pairing = _pairing(role, name)
        with self._lock:
            self._own[pairing.id] = pairing
        return pairing

    def revoke(self, pairing_id: str) -> None:
        """Let a pairing hold no longer; `NoSuchPairingError` where there is none, `LogWriteError` where it stays."""
        with self._lock:
            if pairing_id not in self._held:
                raise NoSuchPairingError
            self._write({key: each for key, each in self._held.items() if key != pairing_id})

    def all(self) -> list[tuple[Pairing, str | None]]:
        """Return the pairings, oldest first, and when each was seen last; None: not since the program was started."""
        with self._lock:
            return [(each, self._seen.get(each.id)) for each in (*self._held.values(), *self._own.values())]

    # --- within the lock

    def _open(self) -> list[Invitation]:
        now = self._clock()
        return [each for each in self._invitations if each.uses > 0 and each.until > now]

    def _check_guesses(self, address: str) -> None:
        now = self._clock()
        while self._guesses and self._guesses[0][0] <= now - _GUESSING_S:
            self._guesses.popleft()
        own = sum(guesser == address for _, guesser in self._guesses)
        if own >= _GUESSES or len(self._guesses) >= _ALL_GUESSES:
            raise TooManyGuessesError(int(self._guesses[0][0] + _GUESSING_S - now) + 1)

    def _signer(self) -> URLSafeSerializer:
        return URLSafeSerializer(self._key, salt="pairing")

    def _read(self) -> tuple[str, dict[str, Pairing]]:
        try:
            told = json.loads(self._path.read_text(encoding="utf-8"))
            pairings = [_read_pairing(each) for each in told["pairings"]]
            return str(told["key"]), {each.id: each for each in pairings}
        except (OSError, ValueError, KeyError, TypeError):
            # Not there yet, or damaged: whoever was paired pairs again, and the machine itself is the host all the same.
            return secrets.token_urlsafe(32), {}

    def _write(self, held: dict[str, Pairing]) -> None:
        document = json.dumps({"key": self._key, "pairings": [asdict(each) for each in held.values()]})
        try:
            write_whole(self._path, document.encode(), 0o600)
        except OSError as error:
            raise LogWriteError(
                f"who is paired could not be written to {self._path} ({error.strerror}), so nothing was changed:"
                " make room on the disk and try again"
            ) from error
        self._held = held


def _pairing(role: Role, name: str, seat: int | None = None) -> Pairing:
    return Pairing(secrets.token_urlsafe(12), role, name, seat, _now())


def _read_pairing(told: dict[str, Any]) -> Pairing:
    pairing = Pairing(**told)
    if pairing.role not in get_args(Role):
        raise ValueError(pairing.role)
    return pairing


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
