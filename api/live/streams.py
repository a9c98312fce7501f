"""The live streams: what happens at a table reaches everybody who follows it, and nobody who is slow holds others up.

Messages are server-sent events (WHATWG HTML, section 9.2), made once and given to all followers of a table. Each follower has a
queue of its own with an end; where it runs over, everything in it is dropped and the follower is told how things stand now.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from companion.table.hidden_cards import PUBLIC, Audience

__all__ = ["HEARTBEAT_S", "Follower", "Hub", "Stream", "StreamClient", "TooManyStreamsError", "message"]

HEARTBEAT_S: Final = 12.0
"""How long a stream is silent at most. The server learns by such a comment that a phone has left."""

ADDRESS_STREAMS: Final = 24
"""Streams of unpaired clients at one address: as many guests behind one router."""
_RESERVED: Final = 40
"""Streams that only paired devices may have, if that is not more than half of all: two full tables of eight and their displays."""

_PAIRING_STREAMS: Final = 24
"""Streams of one paired device."""

_OPENINGS_PER_S: Final = 10.0
"""Streams that unpaired clients may open in the long run; each costs a whole view of the table."""

_ROOM: Final = 64
"""Messages that wait for a slow follower."""
_WAKE_S: Final = 2.0
"""How often a silent stream looks whether its client is still there, and whether the camera is."""


@dataclass(frozen=True, slots=True)
class StreamClient:
    """Who opens a stream: what the limits of the streams go by."""

    address: str = ""
    paired: bool = True
    disconnect: Callable[[], None] = lambda: None
    """Closes the connection, from any thread: a client that does not read cannot be told that its stream ends."""


class TooManyStreamsError(Exception):
    """As many pages are open as the server has room for."""

    retry_after_s = 10

    def __init__(self, sentence: str) -> None:
        super().__init__(f"{sentence} This page will try again by itself.")


_OWN: Final = StreamClient()


def message(event: str, data: str, seq: int | None = None) -> bytes:
    """Return a message; ``data`` is JSON on one line, ``seq`` what `Last-Event-ID` tells when the client comes back."""
    number = "" if seq is None else f"id: {seq}\n"
    return f"event: {event}\n{number}data: {data}\n\n".encode()


class Follower:
    """One client's queue, the audience that it belongs to, and the id of the pairing that it was opened with."""

    def __init__(
        self, audience: Audience = PUBLIC, pairing: str | None = None, client: StreamClient = _OWN
    ) -> None:
        self.audience = audience
        self.pairing = pairing
        self.client = client
        self._waiting: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._behind = False
        self._ended = False

    def put(self, told: bytes) -> None:
        """Append a message; where there is no room, drop all of them and remember that it happened."""
        with self._changed:
            if len(self._waiting) >= _ROOM:
                self._waiting.clear()
                self._behind = True
            if not self._behind:
                self._waiting.append(told)
            self._changed.notify()

    def end(self) -> None:
        """Let the stream end."""
        with self._changed:
            self._ended = True
            self._changed.notify()

    def take(self, timeout: float) -> bytes | None:
        """Return the next message, None where none came in time (s).

        Raises `OverflowError` once after messages were dropped, `EOFError` where the stream is to end.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._behind or self._ended, timeout)
            if self._ended:
                raise EOFError
            if self._behind:
                self._behind = False
                raise OverflowError
            return self._waiting.popleft() if self._waiting else None


class Hub:
    """Who follows which table; at most ``most`` followers in all, each of which holds a thread of the server.

    Some places are reserved for paired devices, and a paired device takes an unpaired one's place when all are taken.
    """

    def __init__(self, most: int, *, per_address: int | None = ADDRESS_STREAMS) -> None:
        """``per_address``: the most streams of unpaired clients at one address; None behind a reverse proxy."""
        self._most = most
        self._most_unpaired = most - min(max(_RESERVED, most // 4), most // 2)
        self._per_address = per_address
        self._openings = float(self._most_unpaired)
        self._opened_at = time.monotonic()
        self._followers: dict[str, set[Follower]] = {}
        self._lock = threading.Lock()
        self._closed = False

    def __len__(self) -> int:
        with self._lock:
            return sum(map(len, self._followers.values()))

    def following(self, table_id: str) -> int:
        """Return how many follow a table."""
        with self._lock:
            return len(self._followers.get(table_id, ()))

    def audiences(self, table_id: str) -> set[Audience]:
        """Return the audiences of a table that have followers."""
        with self._lock:
            return {follower.audience for follower in self._followers.get(table_id, ())}

    def follow(
        self,
        table_id: str,
        audience: Audience = PUBLIC,
        pairing: str | None = None,
        client: StreamClient = _OWN,
    ) -> Follower:
        """Return a new follower of a table, or raise `TooManyStreamsError`. Give it back with `leave`.

        ``client``: who asks; without it, a part of this program.
        """
        follower = Follower(audience, pairing, client)
        evicted = None
        with self._lock:
            if self._closed:
                raise TooManyStreamsError("The server is stopping.")
            everybody = [each for followers in self._followers.values() for each in followers]
            unpaired = [each for each in everybody if not each.client.paired]
            if not client.paired:
                self._check_unpaired(client, unpaired)
            elif (
                pairing is not None and sum(each.pairing == pairing for each in everybody) >= _PAIRING_STREAMS
            ):
                raise TooManyStreamsError("This phone follows tables in too many pages already: close some.")
            if len(everybody) >= self._most:
                if not (client.paired and unpaired):
                    raise TooManyStreamsError(
                        f"{self._most} pages follow a table here already, and there is no room for more: close some, or"
                        " start the server with a larger --phones."
                    )
                evicted = self._evict(unpaired)
            self._followers.setdefault(table_id, set()).add(follower)
        if evicted is not None:
            evicted.end()
            evicted.client.disconnect()
        return follower

    def check_room(self, client: StreamClient) -> None:
        """Raise `TooManyStreamsError` where a client that is not paired could not follow a table now.

        It spares the server the work for a stream that would be refused; `follow` has the last word. Each call counts as an attempt:
        all places can be taken at once, as after a restart, and then some a second.
        """
        if client.paired:
            return
        with self._lock:
            followers = [each for followers in self._followers.values() for each in followers]
            self._check_unpaired(client, [each for each in followers if not each.client.paired])
            now = time.monotonic()
            self._openings = min(
                self._most_unpaired, self._openings + _OPENINGS_PER_S * (now - self._opened_at)
            )
            self._opened_at = now
            if self._openings < 1:
                raise TooManyStreamsError("Too many phones that are not paired open this page at once.")
            self._openings -= 1

    def _check_unpaired(self, client: StreamClient, unpaired: list[Follower]) -> None:
        own = sum(each.client.address == client.address for each in unpaired)
        if self._per_address is not None and own >= self._per_address:
            raise TooManyStreamsError(
                f"{own} pages that are not paired follow a table from this address already. Close some, or pair this phone:"
                " scan the host's QR code."
            )
        if len(unpaired) >= self._most_unpaired:
            raise TooManyStreamsError(
                f"{len(unpaired)} phones that are not paired are watching already. To get one of the places kept for paired"
                " phones, scan the host's QR code."
            )

    def _evict(self, unpaired: list[Follower]) -> Follower:
        """Give up one follower of the address that has the most."""
        count = Counter(each.client.address for each in unpaired)
        evicted = max(unpaired, key=lambda each: count[each.client.address])
        for table_id, followers in list(self._followers.items()):
            followers.discard(evicted)
            if not followers:
                del self._followers[table_id]
        return evicted

    def leave(self, table_id: str, follower: Follower) -> None:
        """Forget a follower; it is well if that happened already."""
        with self._lock:
            followers = self._followers.get(table_id, set())
            followers.discard(follower)
            if not followers:
                self._followers.pop(table_id, None)

    def publish(self, table_id: str, told: bytes) -> None:
        """Give a message to all who follow a table; never waits for any of them."""
        for follower in self._of(table_id):
            follower.put(told)

    def publish_to(self, table_id: str, messages: Mapping[Audience, bytes]) -> None:
        """Give all who follow a table the message for their audience; never waits for any of them."""
        for follower in self._of(table_id):
            if follower.audience in messages:
                follower.put(messages[follower.audience])

    def publish_everywhere(self, told: bytes) -> None:
        """Give a message to everybody who follows any table; never waits for any of them."""
        with self._lock:
            followers = [each for followers in self._followers.values() for each in followers]
        for follower in followers:
            follower.put(told)

    def _of(self, table_id: str) -> tuple[Follower, ...]:
        with self._lock:
            return tuple(self._followers.get(table_id, ()))

    def end_streams(self, pairing: str) -> None:
        """End the streams of a pairing that has changed; its pages reconnect with what they may do now."""
        with self._lock:
            ended = [
                each for all_of in self._followers.values() for each in all_of if each.pairing == pairing
            ]
        for follower in ended:
            follower.end()

    def close(self) -> None:
        """End all streams, and let no more begin."""
        with self._lock:
            self._closed = True
            everybody = [follower for followers in self._followers.values() for follower in followers]
        for follower in everybody:
            follower.end()


class Stream(Iterator[bytes]):
    """The body of an event stream: ``first``, then what the follower is given, with heartbeats in silence.

    ``resync`` makes the message that tells how things stand after some were dropped; ``idle`` is called every two seconds of
    silence; ``gone`` tells whether the client has left. `close` must be called at the end, also of a stream that
    never began, as WSGI servers do.
    """

    def __init__(
        self,
        follower: Follower,
        first: bytes,
        *,
        resync: Callable[[], bytes],
        idle: Callable[[], None],
        gone: Callable[[], bool],
        leave: Callable[[], None],
    ) -> None:
        self._follower = follower
        self._first: bytes | None = first
        self._resync = resync
        self._idle = idle
        self._gone = gone
        self.close = leave

    def __next__(self) -> bytes:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        beat = time.monotonic() + HEARTBEAT_S
        while (left := beat - time.monotonic()) > 0:
            try:
                told = self._follower.take(min(left, _WAKE_S))
            except OverflowError:
                return self._resync()
            except EOFError:
                raise StopIteration from None
            if told is not None:
                return told
            if self._gone():
                raise StopIteration
            self._idle()
        return b": still here\n\n"
