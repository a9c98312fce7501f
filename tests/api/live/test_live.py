"""Live streams without a server: order, capacity, heartbeats, leaving, and the end of the server."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable

import pytest

from api.live import streams
from api.live.streams import Follower, Hub, StreamClient, TooManyStreamsError, message
from tests.message_text import raises_text


def stream(hub: Hub, table: str = "t") -> Follower:
    return hub.follow(table, resync=lambda: b"resync")


def test_a_message_is_what_a_browser_reads() -> None:
    assert message("change", '{"a":"桜"}', 7) == 'event: change\nid: 7\ndata: {"a":"桜"}\n\n'.encode()
    assert message("camera", "{}") == b"event: camera\ndata: {}\n\n"


def test_followers_of_one_table_get_its_messages_in_order_and_no_others() -> None:
    hub = Hub(9)
    one, other, elsewhere = iter(stream(hub)), iter(stream(hub)), iter(stream(hub, "elsewhere"))
    for each in (b"1", b"2", b"3"):
        hub.publish("t", each)
    hub.publish("elsewhere", b"4")
    hub.publish("nobody", b"5")
    assert [next(one) for _ in range(3)] == [b"1", b"2", b"3"]
    assert [next(other) for _ in range(3)] == [b"1", b"2", b"3"]
    assert next(elsewhere) == b"4"


def test_a_client_that_does_not_read_blocks_nobody_and_gets_one_snapshot() -> None:
    hub = Hub(9)
    slow, quick_one = stream(hub), stream(hub)
    for number in range(1000):
        hub.publish("t", b"%d" % number)
        assert quick_one.take() == b"%d" % number
    assert len(slow._queue) <= 64
    slow_one = iter(slow)
    assert next(slow_one) == b"resync"
    hub.publish("t", b"later")
    assert next(slow_one) == b"later"


def test_what_just_fits_is_not_dropped() -> None:
    hub = Hub(1)
    slow = stream(hub)
    for number in range(64):
        hub.publish("t", b"%d" % number)
    assert [slow.take() for _ in range(65)] == [*(b"%d" % number for number in range(64)), None]


def test_a_stream_reports_that_there_is_more_to_take() -> None:
    hub = Hub(1)
    followed = stream(hub)
    taken: list[bytes | None] = []
    followed.on_change(lambda: taken.append(followed.take()))
    hub.publish("t", b"1")
    hub.publish("t", b"2")
    assert taken == [b"1", b"2"]
    followed.on_change(lambda: taken.append(None))
    hub.close()
    assert taken[2:] == [None]


def test_there_is_room_for_so_many_and_again_after_one_has_left() -> None:
    hub = Hub(2)
    one, _ = stream(hub), stream(hub, "another")
    with raises_text(TooManyStreamsError, match="2 pages"):
        stream(hub)
    one.close()
    one.close()
    assert len(hub) == 1
    stream(hub)


def test_a_stream_that_never_began_leaves_nothing_behind() -> None:
    hub = Hub(1)
    stream(hub).close()
    assert (len(hub), hub.following("t")) == (0, 0)


def test_the_servers_end_ends_all_streams() -> None:
    hub = Hub(9)
    streams = [stream(hub), stream(hub, "other")]
    ended: list[list[bytes]] = []
    readers = [threading.Thread(target=lambda each=each: ended.append(list(each))) for each in streams]
    for reader in readers:
        reader.start()
    hub.close()
    for reader in readers:
        reader.join(5)
    # Browsers reconnect at once, but not all together.
    waits = [re.fullmatch(rb"retry: ([0-9]+)\n\n", each[0]) for each in ended]
    assert all(wait is not None and 100 <= int(wait[1]) <= 1500 for wait in waits)
    assert [len(each) for each in ended] == [1, 1]
    with pytest.raises(TooManyStreamsError):
        stream(hub)


def client(number: int, *, paired: bool, **doubles: Callable[[], None]) -> StreamClient:
    return StreamClient(f"192.0.2.{number}", paired, **doubles)


def test_phones_that_are_not_paired_leave_places_for_paired_ones() -> None:
    """100 anonymous streams blocked even the host's."""
    hub = Hub(100)
    for number in range(60):
        hub.follow("t", client=client(number % 50, paired=False))
    with raises_text(TooManyStreamsError, match="scan the host’s QR code"):
        hub.follow("t", client=client(99, paired=False))
    with raises_text(TooManyStreamsError, match="scan the host’s QR code"):
        hub.check_room(client(99, paired=False))
    hub.check_room(client(99, paired=True))
    for number in range(40):
        hub.follow("t", client=client(number, paired=True))
    assert len(hub) == 100


def test_one_address_that_is_not_paired_has_few_streams() -> None:
    hub = Hub(100)
    for _ in range(24):
        hub.follow("t", client=client(1, paired=False))
    with raises_text(TooManyStreamsError, match="from this address"):
        hub.follow("t", client=client(1, paired=False))
    hub.follow("t", client=client(2, paired=False))
    hub.follow("t", client=client(1, paired=True))


def test_a_paired_phone_takes_the_place_of_the_address_with_the_most_streams() -> None:
    hub = Hub(4)
    removed: list[int] = []
    hub.follow("t", client=client(1, paired=False))
    greedy = hub.follow("t", client=client(2, paired=False, disconnect=lambda: removed.append(2)))
    hub.follow("t", client=client(3, paired=True))
    hub.follow("t", client=client(4, paired=True))
    hub.follow("u", client=client(5, paired=True))
    assert len(hub) == 4
    hub.follow("u", client=client(6, paired=True))
    assert (len(hub), removed) == (4, [2])
    with pytest.raises(EOFError):
        greedy.take()
    with raises_text(TooManyStreamsError, match="4 pages"):
        hub.follow("u", client=client(7, paired=True))


def test_phones_that_are_not_paired_cannot_open_streams_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that opened 100 streams a second and vanished kept a table so busy that its events waited."""
    monkeypatch.setattr(streams, "_OPENINGS_PER_S", 0.0)
    hub = Hub(100)
    for number in range(60):
        hub.check_room(client(number, paired=False))
    with raises_text(TooManyStreamsError, match="at once"):
        hub.check_room(client(1, paired=False))
    hub.check_room(client(1, paired=True))
    monkeypatch.setattr(streams, "_OPENINGS_PER_S", 1e9)
    hub.check_room(client(1, paired=False))
