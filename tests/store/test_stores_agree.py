"""Both stores answer alike, whatever is done with them in whatever order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.rules import resolve
from companion.store.pairings import NoSuchInvitationError, NoSuchPairingError
from companion.store.store import Store, open_store
from companion.table import Event, NewEvent

TIME = "2026-11-21T19:00:00.000Z"
OURS = resolve("koikoi-hu")
PAIRING_COLUMNS = ("role", "name", "seat", "table")


class Replay:
    """Does the same with a store as with another; what has a random id is known by its number."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.tables: list[str] = []
        self.pairings: list[str] = []
        self.invitations: list[str] = []

    def table(self, number: int) -> str:
        return self.tables[number] if number < len(self.tables) else "none"

    def open(self, name: str) -> None:
        opened = NewEvent(
            "opened", {"name": name, "game": "koikoi", "rules": None, "players": ["A", "B"], "deck": None}
        )
        self.tables.append(self.store.tables.create(opened, actor="host", source="keyboard"))

    def append(self, number: int, seq: int, name: str, key: str | None) -> list[tuple[int, str]]:
        event = Event(seq, seq, TIME, name, "phone", "seated", {"seat": 1, "name": name}, 0.1, None)
        stored = self.store.tables.append(self.table(number), [event], key=key)
        return [(each.seq, each.data["name"]) for each in stored]

    def save(self, name: str, instead: bool) -> str:
        return self.store.house_rules.save(name, OURS, "Aki", instead=instead).name

    def forget(self, name: str) -> str:
        return self.store.house_rules.forget(name, "Aki").name

    def rename(self, name: str, new: str) -> str:
        return self.store.house_rules.rename(name, new, "Aki").name

    def pair(self, role: Any, name: str, number: int) -> None:
        self.pairings.append(
            self.store.pairings.add(role, name=name, seat=number or None, table=f"t{number}").id
        )

    def invite(self, name: str, uses: int) -> None:
        self.invitations.append(self.store.pairings.invite("scorer", name=name, seat=1, uses=uses).code)

    def redeem(self, number: int, name: str | None, current: int) -> tuple[object, ...]:
        code = self.invitations[number] if number < len(self.invitations) else "none"
        known = self.pairings[current] if current < len(self.pairings) else None
        pairing = self.store.pairings.redeem(code=code, name=name, current=known)
        self.pairings.append(pairing.id)
        return tuple(getattr(pairing, column) for column in PAIRING_COLUMNS)

    def revoke(self, number: int) -> None:
        self.store.pairings.revoke(self.pairings[number] if number < len(self.pairings) else "none")

    def move(self, one: int, other: int) -> None:
        self.store.pairings.move_seats(f"t{one}", f"t{other}")

    def state(self) -> tuple[object, ...]:
        """Return everything that is stored, with numbers for random ids."""
        pairings = self.store.pairings.pairings()
        return (
            [(self.tables.index(each.id), each.seq) for each in self.store.tables.list()],
            [
                [(e.seq, e.actor, e.confidence, e.data.get("name")) for e in self.store.tables.load(each)]
                for each in self.tables
            ],
            [each.name for each in self.store.house_rules.all()],
            sorted(str([getattr(each, column) for column in PAIRING_COLUMNS]) for each in pairings),
        )


names = st.sampled_from(["Aki", "aki", "愛子", "ÄKI", "%s ? :x", "a\nb", "", "x" * 41, "'; --"])
numbers = st.integers(0, 3)
actions: st.SearchStrategy[tuple[Any, ...]] = st.one_of(
    st.tuples(st.just(Replay.open), names),
    st.tuples(
        st.just(Replay.append), numbers, st.integers(1, 4), names, st.sampled_from([None, "tap", "another"])
    ),
    st.tuples(st.just(Replay.save), names, st.booleans()),
    st.tuples(st.just(Replay.forget), names),
    st.tuples(st.just(Replay.rename), names, names),
    st.tuples(st.just(Replay.pair), st.sampled_from(["viewer", "scorer", "host", "camera"]), names, numbers),
    st.tuples(st.just(Replay.invite), names, st.integers(1, 2)),
    st.tuples(st.just(Replay.redeem), numbers, st.none() | names, numbers),
    st.tuples(st.just(Replay.revoke), numbers),
    st.tuples(st.just(Replay.move), numbers, numbers),
)


@pytest.fixture
def new_stores(
    postgres_cluster: Any, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], tuple[Store, Store, str]]:
    def opened() -> tuple[Store, Store, str]:
        url = postgres_cluster.new_database()
        folder: Path = tmp_path_factory.mktemp("stores")
        return open_store(folder / "data"), open_store(url), url

    return opened


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(done=st.lists(actions, min_size=8, max_size=40))
def test_both_stores_answer_alike(
    new_stores: Callable[[], tuple[Store, Store, str]], postgres_cluster: Any, done: list[tuple[Any, ...]]
) -> None:
    one, other, url = new_stores()
    with closing(one), closing(other):
        first, second = Replay(one), Replay(other)
        for action, *arguments in done:
            assert result(action, first, arguments) == result(action, second, arguments)
        assert first.state() == second.state()
    postgres_cluster.remove_database(url)


def result(action: Callable[..., object], replay: Replay, arguments: list[Any]) -> object:
    try:
        return action(replay, *arguments)
    except (BadRequestError, NoSuchPairingError, NoSuchInvitationError) as error:
        return type(error)
