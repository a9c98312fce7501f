"""Counts wrong PINs, so that PINs cannot be guessed."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Final

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message
from companion.store.pairings import INVITATION_S
from companion.store.signals import Signals

GUESS_WINDOW_S: Final = INVITATION_S
"""How long a wrong PIN counts, s: the lifetime of a PIN."""
MAX_GUESSES_PER_CLIENT: Final = 10
"""Maximum number of wrong PINs per client; people mistype only a few times."""
MAX_GUESSES: Final = 1_000
"""Wrong PINs from all clients together before PINs are paused.

With the 50 invitations of a household open, the chance that one of 1,000 guesses is right is 50 * 1,000 / 31^6 = 5.6e-5, below 1 in
10,000 during the life of an invitation; with 2,000 at a festival it is 0.2%. A home network has 253 addresses; some dozens of them can
be used up without a pause.
"""


class TooManyGuessesError(MessageError):
    """Raised after too many wrong PINs from one client."""

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
    """Raised after so many wrong PINs from all clients together that no PIN is accepted for now."""

    code = "pins-paused"


class WrongPins:
    """The wrong PINs of the last minutes. Thread-safe. Processes tell each other about theirs; a restart forgets them."""

    def __init__(self, signals: Signals, clock: Callable[[], float]) -> None:
        self._signals, self._clock = signals, clock
        self._lock = threading.Lock()
        self._guesses: deque[tuple[float, str]] = deque()
        """When each was entered, s on the clock, and by which client; the oldest first."""
        self._numbers = count()
        signals.subscribe("pin", lambda text: self._add(text.partition(" ")[2]))

    def check(self, client: str) -> None:
        """Raise `PinsPausedError` or `TooManyGuessesError` if no PIN is accepted from a client."""
        if (pause := self.paused_s()) is not None:
            raise PinsPausedError(pause)
        own = [at for at, guesser in self._recent() if guesser == client]
        if len(own) >= MAX_GUESSES_PER_CLIENT:
            raise TooManyGuessesError(self._until_forgotten(own[-MAX_GUESSES_PER_CLIENT]))

    def paused_s(self) -> int | None:
        """Return for how many seconds no PIN is accepted, or None if PINs are accepted."""
        guesses = self._recent()
        return self._until_forgotten(guesses[-MAX_GUESSES][0]) if len(guesses) >= MAX_GUESSES else None

    def add(self, client: str) -> None:
        """Count a wrong PIN at all processes."""
        self._add(client)
        self._signals.send("pin", f"{next(self._numbers)} {client}")  # the same text twice would be sent once

    def _add(self, client: str) -> None:
        with self._lock:
            self._guesses.append((self._clock(), client))

    def _recent(self) -> list[tuple[float, str]]:
        oldest = self._clock() - GUESS_WINDOW_S
        with self._lock, suppress(IndexError):
            while self._guesses[0][0] <= oldest:
                self._guesses.popleft()
        with self._lock:
            return list(self._guesses)

    def _until_forgotten(self, guessed: float) -> int:
        """Return in how many seconds a wrong PIN no longer counts."""
        return max(1, round(guessed + GUESS_WINDOW_S - self._clock()))
