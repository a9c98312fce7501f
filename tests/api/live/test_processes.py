"""Several processes over one log: whichever process a phone asks, it sees every event once and in order."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.live.live_tables import LiveTables, undoing
from api.live.log_follower import LogFollower
from api.live.streams import Follower, Hub
from api.services.pairings import Pairings
from api.services.wrong_pins import MAX_GUESSES_PER_CLIENT, TooManyGuessesError
from companion.hanafuda.errors import BadRequestError, ConflictError
from companion.store import LogReadError, LogWriteError, OutOfStepError
from companion.store.pairings import NoSuchInvitationError
from companion.store.signals import Signals, SignalTopic
from companion.store.store import Store, open_store
from companion.table import NewEvent, Table
from companion.table.audiences import PUBLIC, Audiences
from companion.table.events import Event
from companion.table.parsing import read_rules
from tests.api.table_helpers import dealt, joined, moved, played_round


class SignalsDouble(Signals):
    """The signals of one of several processes in a test. With ``lost``, its signals get lost."""

    alone = False

    def __init__(self, all_signals: list[SignalsDouble]) -> None:
        self._all = all_signals
        self._all.append(self)
        self._receivers: dict[str, Callable[[str], None]] = {}
        self._missed: list[Callable[[], None]] = []
        self.lost = False

    def subscribe(
        self, topic: SignalTopic, receive: Callable[[str], None], missed: Callable[[], None] = lambda: None
    ) -> None:
        self._receivers[topic] = receive
        self._missed.append(missed)

    def miss(self) -> None:
        """Say that signals may have been lost."""
        for missed in self._missed:
            missed()

    def send(self, topic: SignalTopic, text: str) -> None:
        for other in self._all:
            if other is not self and not self.lost and topic in other._receivers:
                other._receivers[topic](text)

    def close(self) -> None:
        pass


def taken(follower: Follower, wait_s: float) -> bytes | None:
    """Return a follower's next message, or None after a time."""
    deadline = time.monotonic() + wait_s
    while (data := follower.take()) is None and time.monotonic() < deadline:
        time.sleep(0.005)
    return data


@dataclass
class Phone:
    """A page that follows a table; it reconnects to any process with the id of its last message."""

    table: str
    state: dict[str, Any] = field(default_factory=dict)
    seqs: list[int] = field(default_factory=list)
    """The numbers of the events, in the order in which it got them."""
    newest: int | None = None
    process: Process | None = None
    follower: Follower | None = None

    def connect(self, process: Process) -> None:
        if self.follower is not None:
            self.follower.close()
        self.process, self.follower = process, None
        with process.tables.at(self.table):
            follower = process.hub.follow(self.table)
            try:
                first = process.tables.first_message(
                    self.table, None if self.newest is None else str(self.newest)
                )
            except LogReadError:
                follower.close()
                raise
        self.follower = follower
        self._read(first)

    def read(self, wait_s: float = 0.0) -> None:
        """Read all messages that have arrived, and wait for the first one; at the end of the stream, reconnect."""
        assert self.process is not None
        try:
            if self.follower is None:  # the last request was answered with an error
                raise EOFError
            while (data := taken(self.follower, wait_s)) is not None:
                if not data.startswith(b"retry: "):
                    self._read(data)
                wait_s = 0.0
        except EOFError:
            with suppress(LogReadError):
                self.connect(self.process)

    def _read(self, data: bytes) -> None:
        lines = dict(line.split(": ", 1) for line in data.decode().splitlines() if line)
        content = json.loads(lines["data"])
        if lines["event"] == "snapshot":
            assert self.newest is None, "a phone that reconnects gets what it missed"
            self.seqs = list(range(1, content["seq"] + 1))
            self.state = content["state"]
        else:
            assert lines["event"] == "change"
            if "after" in content:
                assert content["after"] == self.newest
                self.state = joined(self.state, content)
            else:
                self.state = content["state"]
            self.seqs += [event["seq"] for event in content["events"]]
        self.newest = int(lines["id"])


@dataclass
class Process:
    """What a server process keeps in memory of the log."""

    store: Store
    hub: Hub
    tables: LiveTables

    @property
    def signals(self) -> SignalsDouble:
        assert isinstance(self.store.signals, SignalsDouble)
        return self.store.signals


@contextmanager
def processes_of(url: str) -> Iterator[list[Process]]:
    """Yield two processes over a PostgreSQL database, with everything that follows its log."""
    with ExitStack() as stack:
        started = []
        for _ in range(2):
            store = stack.enter_context(closing(open_store(url)))
            hub = Hub(100, signals=store.signals)
            started.append(Process(store, hub, LiveTables(store, hub)))
            stack.callback(LogFollower(started[-1].tables, store.signals).close)
        yield started


@contextmanager
def processes(folder: Path, count: int = 2) -> Iterator[list[Process]]:
    """Yield processes over the log of a folder, as far as live tables are concerned."""
    stores = [open_store(folder) for _ in range(count)]
    all_signals: list[SignalsDouble] = []
    started = []
    for store in stores:
        store.signals = SignalsDouble(all_signals)
        hub = Hub(100, signals=store.signals)
        started.append(Process(store, hub, LiveTables(store, hub)))
    with ThreadPoolExecutor() as waiting:
        for each in started:
            # In another thread: senders do not wait for receivers, who may be sending to them.
            each.signals.subscribe("table", lambda _, own=each: waiting.submit(own.tables.catch_up))  # type: ignore[misc]
        yield started
    for store in stores:
        store.close()


def opened(process: Process) -> str:
    """Open a table and return its id."""
    rules = read_rules({"game": "koikoi", "rules": None})
    change = process.tables.open(
        name=None, rules=rules, players=("Aoi", "Ren"), deck=None, actor="test", source="hand"
    )
    return change.table


ROUND = played_round(3)
EVENTS = [NewEvent(each["kind"], each["data"]) for each in (dealt(ROUND), *moved(ROUND))]
"""The events of a round, in order."""


def public_state(events: Sequence[Event]) -> Any:
    """Return what everybody may know of a table with these events."""
    return json.loads(json.dumps(Audiences(Table.of(events)).known(PUBLIC).view()))


def next_event(table: Table) -> Sequence[NewEvent]:
    """Return the next event of the round, as a person who looks at the table would report it."""
    in_effect = [
        event for event in table.events if table.holds(event.seq) and event.kind in {"dealt", "moved"}
    ]
    return EVENTS[len(in_effect) : len(in_effect) + 1]


def play(process: Process, table: str, key: str | None = None) -> list[int]:
    """Report the next event of the round at a process; return the numbers of the events that were added."""
    result = process.tables.report(table, next_event, actor="test", source="hand", key=key)
    return [event.seq for event in result.events]


def undo(process: Process, table: str) -> list[int]:
    """Undo the last event at a process."""
    try:
        result = process.tables.report(table, undoing, actor="test", source="hand")
    except ConflictError:
        return []
    return [event.seq for event in result.events]


Steps = st.lists(
    st.tuples(
        st.sampled_from(["play", "play", "undo", "read", "connect", "evict", "lose", "find"]),
        st.integers(0, 1),
        st.integers(0, 2),
    ),
    max_size=20,
)


@settings(max_examples=15, deadline=None)
@given(Steps)
def test_every_phone_gets_every_event_once_and_in_order(steps: list[tuple[str, int, int]]) -> None:
    with TemporaryDirectory() as folder, processes(Path(folder)) as both:
        table = opened(both[0])
        phones = [Phone(table) for _ in range(3)]
        for number, phone in enumerate(phones):
            phone.connect(both[number % 2])
        for what, process, phone in steps:
            match what:
                case "play":
                    play(both[process], table)
                case "undo":
                    undo(both[process], table)
                case "read":
                    phones[phone].read()
                case "connect":
                    phones[phone].connect(both[process])
                case "evict":
                    both[process].tables._entries[table].drop()
                case "lose":
                    both[process].signals.lost = True
                case "find":
                    both[process].signals.lost = False
        stored = both[0].store.tables.load(table)
        for process in both:
            process.tables.catch_up()  # as `LogFollower` does every two seconds
        for phone in phones:
            phone.read()
            assert phone.seqs == [event.seq for event in stored]
            assert phone.state == public_state(stored)


def test_two_processes_write_to_one_table_at_the_same_time(tmp_path: Path) -> None:
    with processes(tmp_path) as both:
        table = opened(both[0])
        phones = [Phone(table), Phone(table)]
        for phone, process in zip(phones, both, strict=True):
            phone.connect(process)
        acknowledged: list[list[int]] = [[], []]

        def write(number: int) -> None:
            for count in range(30):
                added = undo(both[number], table) if count % 7 == 6 else play(both[number], table)
                acknowledged[number] += added

        threads = [threading.Thread(target=write, args=[number]) for number in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stored = both[0].store.tables.load(table)
        assert sorted([1, *acknowledged[0], *acknowledged[1]]) == [event.seq for event in stored]
        for phone, process in zip(phones, both, strict=True):
            process.tables.catch_up()
            phone.read()
            assert phone.seqs == [event.seq for event in stored]
            assert phone.state == public_state(stored)


@pytest.mark.parametrize("killed", [False, True])
def test_phones_that_change_between_processes_over_postgresql(postgres_url: str, killed: bool) -> None:
    """Two processes write to one table, phones reconnect to either, and in one case all connections to the database are cut."""
    with processes_of(postgres_url) as both:
        table = opened(both[0])
        acknowledged: list[int] = [1]
        done = threading.Event()

        def write(number: int) -> None:
            for count in range(12):
                with suppress(LogReadError, LogWriteError):
                    acknowledged.extend(
                        undo(both[number], table) if count % 7 == 6 else play(both[number], table)
                    )

        def follow(phone: Phone, number: int) -> None:
            while not (done.is_set() and len(phone.seqs) >= newest):
                with suppress(LogReadError):
                    phone.connect(both[number])
                number = 1 - number
                for _ in range(3):
                    phone.read(0.05)

        phones = [Phone(table) for _ in range(4)]
        newest = 0
        for number, phone in enumerate(phones):
            phone.connect(both[number % 2])
        with ThreadPoolExecutor(8) as pool:
            running = [pool.submit(follow, phone, number % 2) for number, phone in enumerate(phones[:2])]
            writers = [pool.submit(write, number) for number in (0, 1)]
            if killed:
                cut_off_everybody(postgres_url)
            for writer in writers:
                writer.result()
            stored = both[0].store.tables.load(table)
            newest = len(stored)
            done.set()
            for phone in phones[2:]:  # these two stay connected
                deadline = time.monotonic() + 30
                while len(phone.seqs) < newest and time.monotonic() < deadline:
                    phone.read(0.05)
            for each in running:
                each.result()
        assert set(acknowledged) <= {event.seq for event in stored}
        assert len(acknowledged) == len(set(acknowledged))
        for phone in phones:
            assert phone.seqs == [event.seq for event in stored]
            assert phone.state == public_state(stored)


def cut_off_everybody(url: str) -> None:
    """Cut all connections to a database."""
    with psycopg.connect(url, autocommit=True) as administrator:
        administrator.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )


def test_a_repeated_request_at_another_process_has_no_second_effect(tmp_path: Path) -> None:
    with processes(tmp_path) as both:
        table = opened(both[0])
        first = play(both[0], table, key="k1")
        assert play(both[1], table, key="k1") == first
        assert both[1].tables.now(table).seq == first[-1]


def test_the_same_request_at_two_processes_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A phone repeats a request at another process while the first process is still storing it."""
    with processes(tmp_path) as both:
        table = opened(both[0])
        both[1].signals.lost = True
        find_key = both[0].store.tables.with_key

        def with_key(table_id: str, key: str) -> Any:
            found = find_key(table_id, key)
            monkeypatch.undo()
            play(both[1], table, key="k1")
            return found

        monkeypatch.setattr(both[0].store.tables, "with_key", with_key)
        assert play(both[0], table, key="k1") == [2]
        assert [event.seq for event in both[0].store.tables.load(table)] == [1, 2]
        assert both[0].tables.now(table).seq == 2


def test_a_request_that_expects_a_state_is_refused_if_another_process_changed_it(tmp_path: Path) -> None:
    with processes(tmp_path) as both:
        table = opened(both[0])
        both[0].tables.now(table)
        play(both[1], table)
        with pytest.raises(OutOfStepError) as error:
            both[0].tables.report(table, EVENTS[:1], actor="test", source="hand", expect=1)
        assert error.value.seq == 2


def test_a_move_that_another_process_made_impossible_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two phones report the deal at the same moment at two processes: the second one is told, and nothing is stored twice."""
    with processes(tmp_path) as both:
        table = opened(both[0])
        append = both[0].store.tables.append

        def appending(*args: Any, **options: Any) -> Any:
            monkeypatch.undo()
            play(both[1], table)
            return append(*args, **options)

        monkeypatch.setattr(both[0].store.tables, "append", appending)
        with pytest.raises(BadRequestError):
            both[0].tables.report(table, EVENTS[:1], actor="test", source="hand")
        assert [event.kind for event in both[0].store.tables.load(table)] == ["opened", "dealt"]
        assert both[0].tables.now(table).seq == 2


def test_events_whose_signal_was_lost_reach_pages_within_seconds(tmp_path: Path) -> None:
    """The process that appended them was killed before it told the others."""
    with processes(tmp_path) as both:
        table = opened(both[0])
        phone = Phone(table)
        phone.connect(both[1])
        both[0].signals.lost = True
        with closing(LogFollower(both[1].tables, both[1].signals)):
            play(both[0], table)
            phone.read(30.0)
        assert phone.seqs == [1, 2]


def test_messages_about_a_moment_reach_pages_at_every_process(tmp_path: Path) -> None:
    with processes(tmp_path, 3) as started:
        table = opened(started[0])
        followers = [process.hub.follow(table) for process in started]
        started[1].hub.publish(table, b"event: camera\ndata: {}\n\n")
        assert [follower.take() for follower in followers] == [b"event: camera\ndata: {}\n\n"] * 3
        assert [follower.take() for follower in followers] == [None] * 3


def test_one_process_makes_no_further_query_per_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(tmp_path)) as store:
        hub = Hub(100)
        process = Process(store, hub, LiveTables(store, hub))
        table = opened(process)
        monkeypatch.setattr(store.tables, "load", None)
        play(process, table)
        assert process.tables.now(table).seq == 2


def test_a_phone_that_is_removed_at_one_process_loses_its_streams_at_all(tmp_path: Path) -> None:
    with processes(tmp_path) as both:
        pairings = [
            Pairings(each.store.pairings, signals=each.signals, end_streams=each.hub.end_streams)
            for each in both
        ]
        invitation = both[0].store.pairings.invite("scorer")
        phone = pairings[0].pair(code=invitation.code, name="a phone", client="192.0.2.7")
        token = both[1].store.pairings.token(phone)
        assert pairings[1].authenticate(token) == phone
        followers = [each.hub.follow("abc123", pairing=phone.id) for each in both]
        pairings[0].revoke(phone.id)
        for follower in followers:
            with pytest.raises(EOFError):
                follower.take()
        assert pairings[1].authenticate(token) is None


def test_a_phone_that_was_removed_unnoticed_loses_its_streams(tmp_path: Path) -> None:
    """The process was cut off from the database when another one removed the phone."""
    with processes(tmp_path) as both:
        stored, here = both
        pairings = Pairings(here.store.pairings, lambda: 0.0, signals=here.signals)
        phone = stored.store.pairings.add("scorer", name="removed")
        token = stored.store.pairings.token(phone)
        assert pairings.authenticate(token)
        removed = here.hub.follow("abc123", pairing=phone.id)
        stored.store.pairings.revoke(phone.id)
        here.signals.miss()
        assert (taken(removed, 30.0) or b"").startswith(b"retry: "), "its page reconnects, and is refused"
        with pytest.raises(EOFError):
            taken(removed, 30.0)
        assert pairings.authenticate(token) is None


@pytest.mark.parametrize("kind", ["double", "postgres"])
def test_wrong_pins_count_at_every_process(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    several = (
        processes(tmp_path) if kind == "double" else processes_of(request.getfixturevalue("postgres_url"))
    )
    with several as both:
        pairings = [Pairings(each.store.pairings, signals=each.store.signals) for each in both]
        deadline = time.monotonic() + 20

        def clients() -> list[list[str]]:
            return [sorted({client for _, client in each._wrong_pins._recent()}) for each in pairings]

        while clients() != [["from 0", "from 1"]] * 2:  # until both listen
            assert time.monotonic() < deadline
            for number, each in enumerate(pairings):
                each._wrong_pins.add(f"from {number}")
            time.sleep(0.05)
        pin = both[0].store.pairings.invite("scorer").pin
        for number in range(MAX_GUESSES_PER_CLIENT):
            with pytest.raises(NoSuchInvitationError):
                pairings[number % 2].pair(pin="AAAAAA", name=None, client="192.0.2.7")

        def counted(each: Pairings) -> int:
            return [client for _, client in each._wrong_pins._recent()].count("192.0.2.7")

        while any(counted(each) < MAX_GUESSES_PER_CLIENT for each in pairings):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        for each in pairings:
            with pytest.raises(TooManyGuessesError):
                each.pair(pin=pin, name=None, client="192.0.2.7")
        assert pairings[1].pair(pin=pin, name=None, client="192.0.2.8").role == "scorer"


def test_servers_that_start_together_print_links_that_all_work(postgres_url: str) -> None:
    with closing(open_store(postgres_url)) as one, closing(open_store(postgres_url)) as other:
        links = [store.pairings.invite_at_start() for store in (one, other, one)]
        assert {one.pairings.redeem(code=each.code, name=None).role for each in links} == {"host"}
        for _ in range(10):
            newest = other.pairings.invite_at_start()
        with pytest.raises(NoSuchInvitationError):
            one.pairings.redeem(code=links[0].code, name=None)
        assert one.pairings.redeem(code=newest.code, name=None).role == "host"


def test_a_page_that_reconnects_at_another_process_learns_where_its_evening_goes_on(tmp_path: Path) -> None:
    """Its process was killed while it told the page of the next game's table."""
    with processes(tmp_path) as both:
        table = opened(both[0])
        follower = both[1].hub.follow(table)
        following = both[0].tables.open_next(table)
        assert both[1].tables.open_next(table) == both[1].tables.newest(table) == following
        expected = f'event: next\ndata: {{"table": "{following}"}}\n\n'.encode()
        assert follower.take() == expected
        assert both[1].tables.first_message(table, "1").endswith(expected)
        assert b"event: next" not in both[1].tables.first_message(table, None), "it looks at the old table"


def test_two_processes_that_open_the_next_table_at_once_open_one(tmp_path: Path) -> None:
    with processes(tmp_path) as both:
        table = opened(both[0])
        with ThreadPoolExecutor(2) as pool:
            following = set(pool.map(lambda each: each.tables.open_next(table), both))
        assert len(following) == 1
        assert {each.id for each in both[0].store.tables.list()} == {table, *following}
