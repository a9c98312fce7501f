"""The statistics of the log agree with a second, plain computation over the events of a made-up league."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path

import pytest

from companion.hanafuda.cards import card
from companion.people.ratings import rate_periods
from companion.people.statistics import RoundFilter, Streak
from companion.store.store import Store, open_store
from companion.table import NewEvent, Table
from tests.league import fill, small_league


@dataclass
class Seat:
    """A player's result in a round, read from a table."""

    night: str
    table: str
    round: int
    time: str
    game: str
    rules: str
    player: str
    points: int
    won: bool
    calls: int
    yaku: list[tuple[str, int]]
    brights: int | None


def seats_of(table_id: str, table: Table) -> Iterator[Seat]:
    for live in table.rounds:
        if (outcome := live.outcome) is None:
            continue
        for seat, points in enumerate(outcome.points, start=1):
            moves = [move.words() for move in live.round.moves if move.player == seat]
            hand = live.round.deal.hands[seat - 1]
            known = table.rules.game != "kingo" and None not in hand
            yield Seat(
                night=table.opened["night"],
                table=table_id,
                round=live.number,
                time=live.items[0].first.time,
                game=table.rules.game,
                rules=table.rules.name,
                player=table.names.given[seat - 1],
                points=points,
                won=seat in outcome.winners,
                calls=sum(words in {("call", "koikoi"), ("call", "shoubu")} for words in moves),
                yaku=list(live.round.yaku(seat)),
                brights=sum(card(each).kind == "bright" for each in hand if each) if known else None,
            )


LEAGUE = {"seed": 3, "players": 6, "nights": 6, "rounds": 150}


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def league_log(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    if request.param == "postgres":
        log = open_store(request.getfixturevalue("postgres_cluster").new_database())
    else:
        log = open_store(tmp_path_factory.mktemp("league") / "data")
    fill(log, **LEAGUE)
    yield log
    log.close()


@pytest.fixture(scope="module")
def seats() -> list[Seat]:
    """All results, in the order of time."""
    tables = [(table_id, Table.of(events)) for table_id, events in small_league(**LEAGUE)]
    found = [seat for table_id, table in tables for seat in seats_of(table_id, table)]
    return sorted(found, key=lambda seat: (seat.time, seat.table, seat.round))


def passes(seat: Seat, wanted: RoundFilter) -> bool:
    return (
        wanted.game in {None, seat.game}
        and wanted.rules in {None, seat.rules}
        and (wanted.since or "") <= seat.time <= (wanted.until or "9")
    )


def rounds_of(seats: list[Seat]) -> dict[tuple[str, int], list[Seat]]:
    rounds: defaultdict[tuple[str, int], list[Seat]] = defaultdict(list)
    for seat in seats:
        rounds[seat.table, seat.round].append(seat)
    return rounds


FILTERS = [
    RoundFilter(),
    RoundFilter(game="koikoi"),
    RoundFilter(game="koikoi", rules="koikoi-guide", player="Aiko"),
    RoundFilter(since="2025-01-10T00:00:00.000Z", until="2025-01-24T23:59:59.999Z", player="Ben"),
    RoundFilter(game="kingo"),
    RoundFilter(player="nobody"),
]


@pytest.mark.parametrize("wanted", FILTERS)
def test_statistics_agree_with_a_plain_computation(
    league_log: Store, seats: list[Seat], wanted: RoundFilter
) -> None:
    found = league_log.nights.statistics(wanted)
    everybody = [seat for seat in seats if passes(seat, wanted)]
    counted = [seat for seat in everybody if wanted.player in {None, seat.player}]
    assert found.rounds == len(rounds_of(counted))

    ratings = plain_ratings(everybody)
    by_player: defaultdict[str, list[Seat]] = defaultdict(list)
    for seat in counted:
        by_player[seat.player].append(seat)
    assert {each.player for each in found.players} == set(by_player)
    assert [each.points for each in found.players] == sorted(
        (each.points for each in found.players), reverse=True
    )
    for each in found.players:
        own = by_player[each.player]
        assert (each.rounds, each.wins, each.points) == (
            len(own),
            sum(seat.won for seat in own),
            sum(seat.points for seat in own),
        )
        assert each.best.points == max(seat.points for seat in own)
        assert astuple(each.best) in {(seat.points, seat.night, seat.table, seat.round) for seat in own}
        called = [seat for seat in own if seat.calls]
        assert (each.called, each.called_won, each.called_points) == (
            len(called),
            sum(seat.won for seat in called),
            sum(seat.points for seat in called),
        )
        hands = [seat.brights for seat in own if seat.brights is not None]
        assert (each.hands, each.brights) == (len(hands), sum(hands))
        streaks = [list(run) for won, run in groupby(own, lambda seat: seat.won) if won]
        longest = max(map(len, streaks), default=0)
        assert (each.streak.length if each.streak else 0) == longest
        if each.streak:
            ends = {Streak(len(run), run[0].time, run[-1].time) for run in streaks}
            assert each.streak in ends
        assert each.rating == pytest.approx(ratings[each.player])

    made = [(slug, seat.won, points) for seat in counted for slug, points in seat.yaku]
    counts = Counter(slug for slug, _, _ in made)
    assert {each.yaku: (each.rounds, each.won, each.points) for each in found.yaku} == {
        slug: (
            count,
            sum(won for other, won, _ in made if other == slug),
            sum(points for other, _, points in made if other == slug),
        )
        for slug, count in counts.items()
    }
    assert {
        (each.player, each.opponent): (each.rounds, each.wins, each.losses, each.points)
        for each in found.pairs
    } == (plain_pairs(everybody, wanted.player))
    months: defaultdict[tuple[str, str], list[Seat]] = defaultdict(list)
    for seat in counted:
        months[f"{datetime.fromisoformat(seat.time).astimezone():%Y-%m}", seat.player].append(seat)
    assert {(each.month, each.player): (each.rounds, each.wins, each.points) for each in found.months} == {
        key: (len(own), sum(seat.won for seat in own), sum(seat.points for seat in own))
        for key, own in months.items()
    }


def plain_pairs(seats: list[Seat], player: str | None) -> dict[tuple[str, str], tuple[int, ...]]:
    pairs: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for together in rounds_of(seats).values():
        for one in together:
            for other in together:
                if one.player == player or (player is None and one.player < other.player):
                    if one is other:
                        continue
                    row = pairs[one.player, other.player]
                    for n, value in enumerate((1, one.won, other.won, one.points - other.points)):
                        row[n] += value
    return {key: tuple(row) for key, row in pairs.items()}


def plain_ratings(seats: list[Seat]) -> dict[str, object]:
    nights: dict[str, dict[tuple[str, str], tuple[int, float]]] = {}
    for together in rounds_of(seats).values():
        for one in together:
            for other in together:
                if one is not other:
                    night = nights.setdefault(one.night, {})
                    count, score = night.get((one.player, other.player), (0, 0.0))
                    won = (one.points > other.points) + 0.5 * (one.points == other.points)
                    night[one.player, other.player] = (count + 1, score + won)
    return dict(rate_periods(nights.values()))


ROUND_FILTERS = [
    RoundFilter(player="Aiko", won=True),
    RoundFilter(player="Aiko", opponent="Ben", won=False),
    RoundFilter(called=True, won=True),
    RoundFilter(player="Ben", called=False, dealt=True),
    RoundFilter(yaku="tsukimi-zake"),
    RoundFilter(yaku="tsukimi-zake", player="Chiyo", game="koikoi"),
    RoundFilter(dealt=False),
]


@pytest.mark.parametrize("wanted", [*FILTERS, *ROUND_FILTERS])
def test_the_rounds_behind_a_number(league_log: Store, seats: list[Seat], wanted: RoundFilter) -> None:
    def matches(seat: Seat, together: list[Seat]) -> bool:
        return (
            wanted.player in {None, seat.player}
            and wanted.won in {None, seat.won}
            and wanted.called in {None, seat.calls > 0}
            and wanted.dealt in {None, seat.brights is not None}
            and (wanted.yaku is None or wanted.yaku in dict(seat.yaku))
            and (
                wanted.opponent is None
                or wanted.opponent in {each.player for each in together if each is not seat}
            )
        )

    rounds = rounds_of([seat for seat in seats if passes(seat, wanted)])
    expected = [key for key, together in rounds.items() if any(matches(seat, together) for seat in together)]
    page = league_log.nights.rounds(wanted)
    assert page.total == len(expected)
    assert [(each.table, each.result.round) for each in page.rounds] == expected[::-1]
    assert league_log.nights.rounds(wanted, limit=3, skip=2).rounds == page.rounds[2:5]
    for each in page.rounds:
        plain = rounds[each.table, each.result.round]
        assert [(seat.player, seat.points, seat.yaku) for seat in plain] == [
            (seat.player, seat.points, list(seat.yaku)) for seat in each.result.seats
        ]


def test_rounds_of_deleted_games_do_not_count(tmp_path: Path) -> None:
    log = open_store(tmp_path / "data")
    fill(log, seed=1, players=4, nights=1, rounds=24)
    before = log.nights.statistics(RoundFilter()).rounds
    table_id = log.tables.list()[0].id
    table = Table.of(log.tables.load(table_id))
    removed = table.append(
        [NewEvent("removed", {})], actor="host", source="phone", time="2026-01-01T00:00:00.000Z"
    )
    log.tables.append(table_id, removed)
    played = sum(live.outcome is not None for live in table.rounds)
    assert log.nights.statistics(RoundFilter()).rounds == before - played
    log.close()


def test_choices_are_what_was_played(league_log: Store, seats: list[Seat]) -> None:
    found = league_log.nights.choices()
    assert set(found.games) == {seat.game for seat in seats}
    assert set(found.rules) == {(seat.game, seat.rules) for seat in seats}
    assert list(found.players) == sorted({(seat.player, seat.player) for seat in seats})
