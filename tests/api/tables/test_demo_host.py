"""The demo's host: resolves open questions and problems after a visitor has had time to see them, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from api.monitoring.demo_host import DemoHost
from companion.table import NewEvent
from tests.api.api_helpers import context_of
from tests.api.table_helpers import dealt, open_table, played_round, submit


class Rescans:
    """A referee that resets the table to the observation."""

    def __init__(self, *says: NewEvent) -> None:
        self.says, self.asked = says, 0

    def rescan(self, table_id: str, table: object) -> list[NewEvent]:
        self.asked += 1
        return list(self.says)


@pytest.fixture
def table(client: FlaskClient) -> str:
    table = open_table(client)
    submit(client, table, dealt(played_round()))
    return table


class Stand:
    """A demo's host with a clock that is set by the test."""

    def __init__(self, app: APIFlask, table: str, *says: NewEvent) -> None:
        self.tables, self.table, self.now, self.referee = context_of(app).tables, table, 0.0, Rescans(*says)
        self.host = DemoHost(self.tables, self.referee, table, lambda: self.now)  # type: ignore[arg-type]

    def after(self, seconds: float) -> list[str]:
        """Let the time pass with one observation per second, and return the types of the new events."""
        with self.tables.at(self.table) as table:
            seq = table.seq
            for _ in range(int(seconds)):
                self.now += 1
                self.host.step()
            return [event.kind for event in table.events[seq:]]

    def say(self, kind: Any, data: dict[str, Any]) -> int:
        return self.tables.report(self.table, [NewEvent(kind, data)], actor="referee", source="camera").seq


def asked(*events: dict[str, Any]) -> dict[str, Any]:
    says = {"en": "yes", "ja": "はい"}
    choices = [{"says": says, "p": 0.6, "events": list(events)}, {"says": says, "p": 0.4, "events": []}]
    return {"text": {"en": "Was it so?", "ja": "そうでしたか？"}, "choices": choices, "picture": None}


TROUBLE = {"code": "table-differs", "message": {"en": "It differs.", "ja": "違います。"}}


def test_a_question_is_answered_by_its_likeliest_choice(app: APIFlask, table: str) -> None:
    stand = Stand(app, table)
    assert stand.after(60) == []
    stand.say("asked", asked({"kind": "abandoned", "data": {}}))
    assert stand.after(5) == []
    assert stand.after(2) == ["answered", "abandoned"]
    assert stand.after(60) == []


def test_an_answer_that_cannot_be_leaves_no_question_open(app: APIFlask, table: str) -> None:
    stand = Stand(app, table)
    stand.say("asked", asked({"kind": "moved", "data": {"player": 1, "words": ["call", "stop"]}}))
    assert stand.after(10) == ["settled"]


def test_each_question_stays_visible_for_a_while(app: APIFlask, table: str) -> None:
    stand = Stand(app, table)
    first = stand.say("asked", asked())
    assert stand.after(4) == []
    stand.say("settled", {"of": first})
    stand.say("asked", asked())
    assert stand.after(4) == []
    assert stand.after(3) == ["answered"]


def test_a_table_that_differs_for_long_is_taken_as_it_lies(app: APIFlask, table: str) -> None:
    lies = {"field": ["pine-crane"], "captured": [[], []], "to_move": 1}
    stand = Stand(app, table, NewEvent("set", lies))
    problem = stand.say("noticed", TROUBLE)
    assert stand.after(20) == []
    stand.say("settled", {"of": problem})
    problem = stand.say("noticed", TROUBLE)  # the same one again
    assert stand.after(7) == ["set"]


def test_what_settles_itself_is_left_alone(app: APIFlask, table: str) -> None:
    stand = Stand(app, table)
    for _ in range(3):
        problem = stand.say("noticed", TROUBLE)
        assert stand.after(20) == []
        stand.say("settled", {"of": problem})
        assert stand.after(2) == []
    assert stand.referee.asked == 0


def test_after_the_rounds_end_the_next_deal_settles_it(
    app: APIFlask, client: FlaskClient, table: str
) -> None:
    stand = Stand(app, table)
    submit(client, table, {"kind": "abandoned", "data": {}})
    stand.say("noticed", TROUBLE)
    assert stand.after(60) == []
    assert stand.referee.asked == 0


def test_it_steps_by_itself_while_it_is_entered(app: APIFlask, table: str) -> None:
    with DemoHost(context_of(app).tables, context_of(app).referees, table) as host:
        assert host._thread.is_alive()
    assert not host._thread.is_alive()
