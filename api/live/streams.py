"""Live streams: publish a table's changes to all its followers, without slow clients delaying the others.

Messages are server-sent events (WHATWG HTML, section 9.2), encoded once for all followers of a table. Each follower has its own
bounded queue; if it overflows, its messages are dropped and the follower gets a new snapshot instead.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message
from companion.store.signals import Signals
from companion.table.audiences import PUBLIC, Audience

RECONNECT: Final = b"retry: 3000\n\n"
"""Follows the first message of a stream: how long a page waits until it reconnects after the connection was lost, ms."""

ADDRESS_STREAMS: Final = 24
"""Maximum number of streams of unpaired clients per address; guests may share one router."""
_RESERVED_STREAMS: Final = 40
"""Streams reserved for paired devices, or a quarter of all if that is more, but at most half: enough for two tables of eight and their displays."""

_PAIRING_STREAMS: Final = 24
"""Maximum number of streams per paired device."""

_OPENINGS_PER_S: Final = 10.0
"""Long-term rate at which unpaired clients may open streams, 1/s; each one costs a complete view of the table."""

_MAX_QUEUED: Final = 64
"""Maximum number of messages queued for a slow follower."""
_RECONNECT_MS: Final = (100, 1500)
"""How long a page waits until it reconnects after all streams were ended, from and to, ms: at random, so that not all come at once."""


@dataclass(frozen=True, slots=True)
class StreamClient:
    """The client that opens a stream, as the stream limits need it."""

    address: str = ""
    paired: bool = True
    disconnect: Callable[[], None] = lambda: None
    """Closes the connection, from any thread; needed for clients that do not read and so never see the end of a stream."""


class TooManyStreamsError(MessageError):
    """Raised if the server or the client has reached its maximum number of streams."""

    code = "too-many-pages"
    retry_after_s = 10


_INTERNAL_CLIENT: Final = StreamClient()
_LOCAL_SIGNALS: Final = Signals()


def message(event: str, data: str, seq: int | None = None) -> bytes:
    """Encode a message. ``data`` is JSON on one line; ``seq`` is what the client sends as `Last-Event-ID` when it reconnects."""
    number = "" if seq is None else f"id: {seq}\n"
    return f"event: {event}\n{number}data: {data}\n\n".encode()


class MessageStream(Iterable[bytes]):
    """The messages for a client (`api.serving.connection.StreamSource`); a subclass has `take` and `close`.

    Iterating blocks until the next message; it is for servers that cannot keep a response open without a thread, as Flask's test client.
    """

    def __init__(self, resync: Callable[[], bytes] = bytes) -> None:
        """``resync`` returns what replaces dropped messages."""
        self.resync = resync
        self._notify: Callable[[], None] = lambda: None

    def on_change(self, notify: Callable[[], None]) -> None:
        """Have ``notify`` called, by any thread, whenever there may be more to take."""
        self._notify = notify

    def take(self) -> bytes | None:
        """Return the next message, or None. Raises `OverflowError` once after messages were dropped, `EOFError` at the end."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[bytes]:
        changed = threading.Event()
        self.on_change(changed.set)
        while True:
            changed.clear()
            try:
                data = self.take()
            except OverflowError:
                data = self.resync()
            except EOFError:
                return
            if data is None:
                changed.wait()
            else:
                yield data


class Follower(MessageStream):
    """The messages for a client that follows a table, with its audience and its pairing's id."""

    def __init__(
        self,
        audience: Audience,
        pairing: str | None,
        client: StreamClient,
        resync: Callable[[], bytes],
        close: Callable[[Follower], None],
    ) -> None:
        """``resync`` returns the message to send after an overflow, ``close`` ends following."""
        super().__init__(resync)
        self.audience, self.pairing, self.client = audience, pairing, client
        self._close = close
        self._queue: deque[bytes] = deque()
        self._lock = threading.Lock()
        self._overflowed = self._ended = False

    def put(self, data: bytes) -> None:
        """Append a message; if the queue is full, drop all messages and remember the overflow. An ended stream gets none."""
        with self._lock:
            if self._ended:
                return
            if len(self._queue) >= _MAX_QUEUED:
                self._queue.clear()
                self._overflowed = True
            if not self._overflowed:
                self._queue.append(data)
        self._notify()

    def end(self, *farewell: bytes) -> None:
        """End the stream, after a last message."""
        with self._lock:
            self._queue = deque(farewell)
            self._overflowed, self._ended = False, True
        self._notify()

    def take(self) -> bytes | None:
        """Return the next message, or None. Raises `OverflowError` once after messages were dropped, `EOFError` at the end."""
        with self._lock:
            if self._overflowed:
                self._overflowed = False
                raise OverflowError
            if self._queue:
                return self._queue.popleft()
            if self._ended:
                raise EOFError
            return None

    def close(self) -> None:
        """End following; may be called more than once."""
        self._close(self)


class Hub:
    """The followers of all tables, at most ``max_streams`` in total.

    Some places are reserved for paired devices. If all places are taken, a paired device evicts an unpaired one.
    """

    def __init__(
        self,
        max_streams: int,
        *,
        per_address: int | None = ADDRESS_STREAMS,
        signals: Signals = _LOCAL_SIGNALS,
    ) -> None:
        """``per_address``: maximum number of unpaired streams per address; None (no limit) behind a reverse proxy.

        ``signals`` pass on messages to the followers at other processes.
        """
        self._signals = signals
        self._max_streams = max_streams
        self._max_unpaired = max_streams - min(max(_RESERVED_STREAMS, max_streams // 4), max_streams // 2)
        self._per_address = per_address
        self._openings = float(self._max_unpaired)
        self._opened_at = time.monotonic()
        self._followers: dict[str, set[Follower]] = {}
        self._count = 0
        self._unpaired: dict[str, dict[Follower, str]] = {}
        """The tables of unpaired followers, by their address."""
        self._unpaired_count = 0
        self._of_pairing: Counter[str | None] = Counter()
        self._lock = threading.Lock()
        self._closed = False
        signals.subscribe("message", self._pass_on, self.end_all)

    def __len__(self) -> int:
        with self._lock:
            return self._count

    def tables(self) -> dict[str, int]:
        """Return the number of followers by table."""
        with self._lock:
            return {table_id: len(followers) for table_id, followers in self._followers.items()}

    def following(self, table_id: str) -> int:
        """Return the number of followers of a table."""
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
        client: StreamClient = _INTERNAL_CLIENT,
        resync: Callable[[], bytes] = bytes,
    ) -> Follower:
        """Add a follower to a table and return it; remove it with `Follower.close`. Raises `TooManyStreamsError`.

        ``client`` is who opens the stream; the default is a part of this program. ``resync`` returns what replaces dropped messages.
        """
        follower = Follower(audience, pairing, client, resync, partial(self._leave, table_id))
        evicted = None
        with self._lock:
            if self._closed:
                raise TooManyStreamsError(Message("pages-stopping"))
            if not client.paired:
                self._check_unpaired(client)
            elif pairing is not None and self._of_pairing[pairing] >= _PAIRING_STREAMS:
                raise TooManyStreamsError(Message("pages-of-phone"))
            if self._count >= self._max_streams:
                if not (client.paired and self._unpaired):
                    raise TooManyStreamsError(Message("pages-in-all", {"max": self._max_streams}))
                evicted = self._evict()
            self._add(table_id, follower)
        if evicted is not None:
            evicted.end()
            evicted.client.disconnect()
        return follower

    def check_room(self, client: StreamClient) -> None:
        """Raise `TooManyStreamsError` if an unpaired client could not follow a table now.

        Saves the work for a stream that `follow` would refuse. Also limits the rate of attempts with a token bucket: a burst may
        take all places, as after a restart, and then `_OPENINGS_PER_S` are allowed.
        """
        if client.paired:
            return
        with self._lock:
            self._check_unpaired(client)
            now = time.monotonic()
            self._openings = min(
                self._max_unpaired, self._openings + _OPENINGS_PER_S * (now - self._opened_at)
            )
            self._opened_at = now
            if self._openings < 1:
                raise TooManyStreamsError(Message("pages-at-once"))
            self._openings -= 1

    def _check_unpaired(self, client: StreamClient) -> None:
        from_address = len(self._unpaired.get(client.address, ()))
        if self._per_address is not None and from_address >= self._per_address:
            raise TooManyStreamsError(Message("pages-of-address", {"max": from_address}))
        if self._unpaired_count >= self._max_unpaired:
            raise TooManyStreamsError(Message("pages-unpaired", {"max": self._unpaired_count}))

    def _evict(self) -> Follower:
        """Remove and return a follower of the address with the most unpaired followers."""
        evicted, table_id = next(iter(max(self._unpaired.values(), key=len).items()))
        self._remove(table_id, evicted)
        return evicted

    def _leave(self, table_id: str, follower: Follower) -> None:
        with self._lock:
            self._remove(table_id, follower)

    def _add(self, table_id: str, follower: Follower) -> None:
        self._followers.setdefault(table_id, set()).add(follower)
        self._count += 1
        self._of_pairing[follower.pairing] += 1
        if not follower.client.paired:
            self._unpaired.setdefault(follower.client.address, {})[follower] = table_id
            self._unpaired_count += 1

    def _remove(self, table_id: str, follower: Follower) -> None:
        followers = self._followers.get(table_id, set())
        if follower not in followers:
            return
        followers.remove(follower)
        if not followers:
            del self._followers[table_id]
        self._count -= 1
        self._of_pairing[follower.pairing] -= 1
        if not self._of_pairing[follower.pairing]:
            del self._of_pairing[follower.pairing]
        address = follower.client.address
        if not follower.client.paired:
            del self._unpaired[address][follower]
            if not self._unpaired[address]:
                del self._unpaired[address]
            self._unpaired_count -= 1

    def publish(self, table_id: str, data: bytes) -> None:
        """Queue a message for all followers of a table, at other processes too, without blocking."""
        self._put(table_id, data)
        self._signals.send("message", json.dumps([table_id, data.decode()]))

    def _pass_on(self, text: str) -> None:
        """Queue a message that another process has published."""
        table_id, data = json.loads(text)
        self._put(table_id, data.encode())

    def _put(self, table_id: str, data: bytes) -> None:
        for follower in self._followers_of(table_id):
            follower.put(data)

    def publish_to(self, table_id: str, messages: Mapping[Audience, bytes]) -> None:
        """Queue the message for its audience for each follower of a table at this process, without blocking."""
        for follower in self._followers_of(table_id):
            if follower.audience in messages:
                follower.put(messages[follower.audience])

    def publish_everywhere(self, data: bytes) -> None:
        """Queue a message for all followers of all tables at this process without blocking."""
        with self._lock:
            followers = [each for followers in self._followers.values() for each in followers]
        for follower in followers:
            follower.put(data)

    def _followers_of(self, table_id: str) -> tuple[Follower, ...]:
        with self._lock:
            return tuple(self._followers.get(table_id, ()))

    def end_streams(self, pairing: str) -> None:
        """End the streams of a pairing that was changed; its pages reconnect with their new permissions."""
        with self._lock:
            ended = [
                each for all_of in self._followers.values() for each in all_of if each.pairing == pairing
            ]
        for follower in ended:
            follower.end()

    def close(self) -> None:
        """End all streams and refuse new ones; pages reconnect within moments, where another process serves them."""
        with self._lock:
            self._closed = True
        self.end_all()

    def end_all(self) -> None:
        """End all streams: pages reconnect within moments with their permissions, and get what they may have missed."""
        with self._lock:
            everybody = [follower for followers in self._followers.values() for follower in followers]
        for follower in everybody:
            follower.end(f"retry: {random.randint(*_RECONNECT_MS)}\n\n".encode())
