"""The loop from observation to table in `companion watch` and in the server: both must behave the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pytest
from flask.testing import FlaskClient

from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round
from companion.observations import Observation
from companion.table import Table
from companion.table.events import Event, NewEvent
from companion.watch_session import WatchSession
from tests.api.table_helpers import dealt, moved, open_table, played_round
from tests.api.table_helpers import observe as submit_observation


@dataclass
class ScriptedReferee:
    """Reports what the test gives for each observation, in order; nothing after the end of the script."""

    script: list[Sequence[NewEvent]] = field(default_factory=list)
    created: int = 0
    in_doubt: bool = False

    def see(
        self, observation: Observation, table: Table, beside: Observation | None = None
    ) -> list[NewEvent]:
        return list(self.script.pop(0)) if self.script else []

    def close(self, table: Table) -> list[NewEvent]:
        return []

    def rescan(
        self, observation: Observation, table: Table, beside: Observation | None = None
    ) -> list[NewEvent]:
        return []


class Caller(Protocol):
    """One of the two programs that run the driver, with one table."""

    def observe(self) -> None:
        """Pass an observation to the referee; it must not fail."""

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        """Return type and data of the events at the current table."""


class Watch:
    def __init__(self, rules: str, rounds: int) -> None:
        self._session = WatchSession(resolve({"preset": rules, "rounds": rounds}), ["Aiko", "Ben"], None)

    def observe(self) -> None:
        self._session.observe(Observation("f", 0.0, ()))

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        return [(event.kind, dict(event.data)) for event in self._session.table.events]


class Server:
    def __init__(self, client: FlaskClient, rules: str, rounds: int) -> None:
        self._client = client
        self._table = open_table(client, rules={"preset": rules, "rounds": rounds})

    def observe(self) -> None:
        response = submit_observation(self._client, self._table)
        assert response.status_code == 200, response.json

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        newest = self._client.get("/api/tables").json["tables"][0]["id"]
        log = self._client.application.extensions["hanafuda-companion"].store  # type: ignore[attr-defined]  # of Flask
        events: Sequence[Event] = log.tables.load(newest)
        return [(event.kind, dict(event.data)) for event in events]


@pytest.fixture
def referee(monkeypatch: pytest.MonkeyPatch) -> ScriptedReferee:
    double = ScriptedReferee()

    def create(*_: object) -> ScriptedReferee:
        double.created += 1
        return double

    monkeypatch.setattr("api.live.watching.Referee", create)
    monkeypatch.setattr("companion.watch_session.Referee", create)
    return double


@pytest.fixture(params=["watch", "server"])
def caller(
    request: pytest.FixtureRequest, client: FlaskClient, referee: ScriptedReferee
) -> Callable[..., Caller]:
    def create(rounds: int = 3) -> Caller:
        if request.param == "watch":
            return Watch("koikoi-standard", rounds)
        return Server(client, "koikoi-standard", rounds)

    return create


def event(reported: dict[str, Any]) -> NewEvent:
    return NewEvent(reported["kind"], reported["data"], 0.9, "f")


def question(*choices: Sequence[NewEvent]) -> NewEvent:
    """A question whose choices have decreasing probabilities."""
    return NewEvent(
        "asked",
        {
            "text": {"en": "Which?", "ja": "どれ？"},
            "choices": [
                {
                    "says": {"en": str(number), "ja": str(number)},
                    "p": round(0.6 / (number + 1), 3),
                    "events": [{"kind": each.kind, "data": dict(each.data)} for each in choice],
                }
                for number, choice in enumerate(choices)
            ],
            "picture": None,
        },
        0.6,
    )


def event_types(caller: Caller) -> list[str]:
    return [event_type for event_type, _ in caller.events()]


PLAYED = played_round()
DEAL = event(dealt(PLAYED))
MOVES = [event(each) for each in moved(PLAYED)]


def test_a_deal_after_the_end_of_a_game_begins_the_next_game(
    caller: Callable[..., Caller], referee: ScriptedReferee
) -> None:
    """`watch` ended with an error here while the server opened the next table."""
    table = caller(rounds=1)
    next_deal = event(dealt(played_round(2)))
    referee.script = [[DEAL], MOVES, [next_deal], [next_deal]]
    for _ in range(3):
        table.observe()
    assert event_types(table) == ["opened", "dealt"]
    assert table.events()[1][1]["deal"]["field"] == next_deal.data["deal"]["field"]


@pytest.mark.parametrize(("rounds", "same_table"), [(1, False), (2, True)])
def test_a_stop_inferred_from_the_next_deal_may_end_the_game(
    caller: Callable[..., Caller], referee: ScriptedReferee, rounds: int, same_table: bool
) -> None:
    table = caller(rounds=rounds)
    candidates = (random_round("koikoi", seed, resolve("koikoi-standard")) for seed in range(100))
    stopped = next(each for each in candidates if each.moves[-1].words() == ("call", "stop"))
    *played, stop = [event(each) for each in moved(stopped)]
    next_deal = event(dealt(played_round(2)))
    referee.script = [[event(dealt(stopped))], played, [stop, next_deal], [next_deal]]
    for _ in range(3):
        table.observe()
    assert event_types(table)[-1] == "dealt"
    assert (event_types(table).count("dealt") == 2) is same_table


@pytest.mark.parametrize(
    "refused",
    [
        [NewEvent("moved", {"player": 2, "words": ["play", "pine-crane"]}, 0.9, "f")],
        [NewEvent("dealt", {"deal": {"field": ["pine-crane"] * 8}, "dealer": 1}, 0.9, "f")],
    ],
    ids=["illegal move", "impossible deal"],
)
def test_refused_events_become_a_notice_and_the_next_observation_counts(
    caller: Callable[..., Caller], referee: ScriptedReferee, refused: list[NewEvent]
) -> None:
    """The server responded with HTTP 422 and lost the observation; `watch` ended with an error for all but illegal
    moves."""
    table = caller()
    referee.script = [[DEAL], refused, refused, MOVES[:2]]
    table.observe()
    table.observe()
    assert event_types(table) == ["opened", "dealt", "noticed"]
    table.observe()
    assert event_types(table) == ["opened", "dealt", "noticed"], "the same notice once"
    table.observe()
    assert event_types(table)[3:] == [each.kind for each in MOVES[:2]]
    assert referee.created == 3, "after a refusal its memory no longer matches the table"


def test_a_question_stays_open_for_the_players(
    caller: Callable[..., Caller], referee: ScriptedReferee
) -> None:
    table = caller()
    referee.script = [[DEAL], [question([], MOVES[:1])], [], MOVES[:2]]
    for _ in range(4):
        table.observe()
    assert event_types(table)[2:] == ["asked", "moved", "moved"]
