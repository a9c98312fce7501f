"""Stored pairings and invitations: which phones and machines may do what on this server."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message
from companion.store.timestamps import iso_utc

__all__ = [
    "GUESS_WINDOW_S",
    "INVITATION_S",
    "MACHINES",
    "MACHINE_LIFETIME",
    "MAX_GUESSES",
    "MAX_GUESSES_PER_ADDRESS",
    "PHONE_LIFETIME",
    "Invitation",
    "NoSuchInvitationError",
    "NoSuchPairingError",
    "Pairing",
    "PinsPausedError",
    "Role",
    "TooManyGuessesError",
]

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


GUESS_WINDOW_S: Final = INVITATION_S
"""How long a wrong PIN counts, s: the lifetime of a PIN."""
MAX_GUESSES_PER_ADDRESS: Final = 10
"""Maximum number of wrong PINs per address; people mistype only a few times."""
MAX_GUESSES: Final = 1_000
"""Wrong PINs from all addresses together before PINs are paused.

With the 50 invitations of a household open, the chance that one of 1,000 guesses is right is 50 * 1,000 / 31^6 = 5.6e-5, below 1 in
10,000 during the life of an invitation; with 2,000 at a festival it is 0.2%. A home network has 253 addresses; some dozens of them can
be used up without a pause.
"""


class NoSuchInvitationError(MessageError):
    """Raised if a PIN or code belongs to no invitation, or to one that is used up or expired."""

    def __init__(self, *, pin: bool) -> None:
        self.code = "no-such-pin" if pin else "no-such-invitation"
        super().__init__(Message("problem-no-such-pin" if pin else "problem-no-such-invitation"))


class NoSuchPairingError(MessageError):
    """Raised if no phone or machine is paired under this id."""

    code = "no-such-pairing"

    def __init__(self) -> None:
        super().__init__(Message("problem-no-such-pairing"))


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
    """The table of the seat; None: the seat at any table."""
    seen: str | None = None
    """When it was last used, to within the hour; None for the program's own processes."""

    @property
    def machine(self) -> bool:
        """Whether it is a machine, which authenticates with a token."""
        return self.role in MACHINES

    @property
    def expires(self) -> str | None:
        """When it expires unless it is used again; None for the program's own processes."""
        if self.seen is None:
            return None
        lifetime = MACHINE_LIFETIME if self.machine else PHONE_LIFETIME
        return iso_utc(datetime.fromisoformat(self.seen) + lifetime)


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
