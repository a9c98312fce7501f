"""A made-up league: nights of simulated games, as events.

``python -m tests.league DIR`` fills the log in a new data folder with 60 nights of 20 players, 10,000 rounds in all, and prints
how long the server takes for each page of the log.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from http import HTTPStatus
from pathlib import Path
from random import Random
from time import perf_counter

from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round, record_of
from companion.store.store import Store, has_store, open_store
from companion.table import Event
from tests.api.api_helpers import ScannerDouble, context_of, make_app

PLAYERS = (
    *("Aiko", "Ben", "Chiyo", "Daichi", "Emi", "Fumio", "Goro", "Hana", "Ichiro", "Jun"),
    *("Kei", "Lena", "Mei", "Nao", "Osamu", "Ren", "Sora", "Taro", "Uta", "Yuki"),
)
FIRST_NIGHT = datetime(2025, 1, 3, 10, tzinfo=UTC)
GAME_MINUTES = 30
ROUNDS_OF_GAME = 12
PAIR_RULES = ("koikoi-standard", "koikoi-standard", "koikoi-guide", "kekoro")


def game_events(
    rng: Random,
    table_id: str,
    night: str,
    rules_name: str,
    players: Sequence[str],
    start: datetime,
    rounds: int,
) -> list[Event]:
    """Return the events of one game with random legal moves, one event a second."""
    rules = resolve(rules_name)
    events: list[Event] = []

    def add(kind: str, data: dict[str, object]) -> None:
        seq = len(events) + 1
        time = (start + timedelta(seconds=seq)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        events.append(Event(seq, seq, time, "host", "phone", kind, data))  # type: ignore[arg-type]

    opened = {
        "name": None,
        "game": rules.game,
        "rules": rules.to_dict(),
        "players": list(players),
        "deck": None,
    }
    add("opened", {"id": table_id, "night": night, **opened})
    for _ in range(rounds):
        played = random_round(rules.game, rng.getrandbits(32), rules, len(players))
        record = record_of(played)
        add("dealt", {key: value for key, value in record.items() if key in {"deal", "dealer", "month"}})
        for move in played.moves:
            add("moved", {"player": move.player, "words": list(move.words())})
    return events


def league(seed: int, players: int, nights: int, rounds: int) -> Iterator[tuple[str, list[Event]]]:
    """Yield the tables of a league, in order: id and events."""
    rng = Random(seed)
    for number in range(nights):
        remaining = rounds * (number + 1) // nights - rounds * number // nights
        start = FIRST_NIGHT + timedelta(days=7 * number)
        night = f"n{number:03}00"
        for game in range(-(-remaining // ROUNDS_OF_GAME)):
            three = game % 7 == 6
            yield (
                table_id := f"n{number:03}{game:02}",
                game_events(
                    rng,
                    table_id,
                    night,
                    "kingo" if three else rng.choice(PAIR_RULES),
                    rng.sample(PLAYERS[:players], 3 if three else 2),
                    start + timedelta(minutes=GAME_MINUTES * game),
                    min(ROUNDS_OF_GAME, remaining - ROUNDS_OF_GAME * game),
                ),
            )


@cache
def small_league(seed: int, players: int, nights: int, rounds: int) -> list[tuple[str, list[Event]]]:
    """Return the tables of a league for tests, which is computed once for all stores."""
    return list(league(seed, players, nights, rounds))


def fill(store: Store, seed: int, players: int, nights: int, rounds: int) -> None:
    """Add a small league to a log."""
    assert set(store.tables.merge(small_league(seed, players, nights, rounds)).values()) == {"new"}


def page_times(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield requests of the pages of the log, and the shortest of three times of each, s."""
    app = make_app(folder, ScannerDouble())
    client = app.test_client()
    night = client.get("/api/nights").json["nights"][0]["id"]
    for path in (
        *(
            "/",
            "/log",
            "/stats",
            "/rounds",
            "/api/nights",
            f"/api/nights/{night}",
            "/api/tables",
            "/api/stats/choices",
        ),
        *(
            "/api/stats",
            "/api/stats?game=koikoi",
            "/api/stats?player=Aiko",
            "/api/rounds",
            "/api/rounds?skip=9000",
        ),
        *("/api/rounds?player=Aiko&opponent=Ben&won=1", "/api/rounds?yaku=gokou"),
    ):
        times = []
        for _ in range(3):
            start = perf_counter()
            assert client.get(path).status_code == HTTPStatus.OK
            times.append(perf_counter() - start)
        yield path, min(times)
    context_of(app).store.close()


if __name__ == "__main__":
    data = Path(sys.argv[1])
    if not has_store(data):
        opened = open_store(data)
        opened.tables.merge(league(1, len(PLAYERS), 60, 10_000))
        opened.close()
    for path, seconds in page_times(data):
        print(f"{seconds * 1000:6.0f} ms  {path}")
