"""What each role may report and undo at a table: a seat its own moves, a scorer all moves, the host everything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.access_helpers import Asker, paired_as
from tests.api.table_helpers import open_table, submit

FIELD = [
    *("plum-warbler", "plum-ribbon", "iris-bridge", "iris-ribbon"),
    *("clover-boar", "clover-ribbon", "maple-deer", "maple-ribbon"),
]
UNKNOWN = [None] * 8
MINE = [
    *("pine-crane", "pine-ribbon", "pine-chaff-1", "pine-chaff-2"),
    *("cherry-curtain", "cherry-ribbon", "cherry-chaff-1", "cherry-chaff-2"),
]


def deal(**hands: Any) -> dict[str, Any]:
    """Return the event of a deal; a hand that is not given is hidden."""
    known = {"1": UNKNOWN, "2": UNKNOWN, **{key.removeprefix("seat"): cards for key, cards in hands.items()}}
    return {"kind": "dealt", "data": {"deal": {"hands": known, "field": FIELD}, "dealer": 1, "month": 1}}


def move(player: int, *words: str) -> dict[str, Any]:
    return {"kind": "moved", "data": {"player": player, "words": [*words]}}


FIRST = move(1, "play", "pine-chaff-1")
DREW = move(1, "draw", "wisteria-ribbon")
SEATED = {"kind": "seated", "data": {"seat": 1, "name": "Mallory"}}
ABANDONED: dict[str, Any] = {"kind": "abandoned", "data": {}}


def undone(seq: int) -> dict[str, Any]:
    return {"kind": "undone", "data": {"of": seq}}


def corrected(seq: int, instead: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"kind": "corrected", "data": {"of": seq, **(instead or {"kind": None})}}


class Phones:
    """The phones at one table."""

    def __init__(self, app: APIFlask, host: FlaskClient, askers: dict[str, Asker]) -> None:
        self.app = app
        self.host = host
        self.table = open_table(host)
        self.askers = askers

    def submit(self, name: str, *events: Mapping[str, Any]) -> TestResponse:
        asker, client = self._at(name)
        return submit(client, self.table, *events, **asker.options)

    def undo(self, name: str) -> TestResponse:
        asker, client = self._at(name)
        return client.post(f"/api/tables/{self.table}/undo", json={}, **asker.options)

    def press(self, name: str, button: str, **more: Any) -> TestResponse:
        asker, client = self._at(name)
        return client.post(
            f"/api/tables/{self.table}/presses", json={"button": button, **more}, **asker.options
        )

    def _at(self, name: str) -> tuple[Asker, FlaskClient]:
        asker = self.askers[name]
        return asker, asker.client(self.app)

    @property
    def seq(self) -> int:
        return int(self.host.get(f"/api/tables/{self.table}").json["seq"])

    def happened(self, *events: Mapping[str, Any]) -> int:
        """Report events together as the host; return the number of the last one."""
        response = submit(self.host, self.table, *events)
        assert response.status_code == 200, response.json
        return int(response.json["seq"])


@pytest.fixture(scope="module")
def askers(fuzzed: FlaskClient) -> dict[str, Asker]:
    return {
        name: paired_as(fuzzed.application, name)  # type: ignore[arg-type]
        for name in ("seat scorer", "table scorer", "host", "device")
    }


@pytest.fixture
def phones(fuzzed: FlaskClient, askers: dict[str, Asker]) -> Phones:
    """A new table, with everybody at it."""
    return Phones(fuzzed.application, fuzzed, askers)  # type: ignore[arg-type]


def refused(response: TestResponse) -> bool:
    """Return whether a response refuses the role, whatever else may be wrong with the request."""
    assert response.status_code in {200, 403, 409, 422}, response.json
    return response.status_code == 403


@pytest.mark.parametrize("name", ["seat scorer", "table scorer"])
@pytest.mark.parametrize("event", [SEATED, ABANDONED])
def test_a_scorer_does_not_undo_what_only_the_host_reports(
    phones: Phones, name: str, event: dict[str, Any]
) -> None:
    """A scorer could undo the seating of players and the abandoning of a round, which only the host may."""
    phones.happened(deal())
    seq = phones.happened(event)
    for attempt in (
        phones.undo(name),
        phones.submit(name, undone(seq)),
        phones.submit(name, corrected(seq, None)),
    ):
        assert refused(attempt)
        assert "host" in attempt.json["needs"]
    assert phones.seq == seq
    assert phones.undo("host").status_code == 200


@pytest.mark.parametrize("name", ["seat scorer", "table scorer"])
def test_a_scorer_does_not_bring_back_what_only_the_host_reports(phones: Phones, name: str) -> None:
    phones.happened(deal())
    seq = phones.happened(ABANDONED)
    taken_back = phones.happened(undone(seq))
    assert refused(phones.submit(name, undone(taken_back)))


@pytest.mark.parametrize("name", ["seat scorer", "table scorer"])
def test_a_scorer_does_not_undo_a_group_with_something_of_the_hosts(phones: Phones, name: str) -> None:
    seq = phones.happened(deal(), SEATED)
    assert refused(phones.undo(name))
    assert refused(phones.submit(name, undone(seq - 1)))


def test_a_long_row_of_undos_is_followed_to_its_end(phones: Phones) -> None:
    """Alternating undo and redo makes a chain of references as long as the evening."""
    phones.happened(deal())
    seq = phones.happened(SEATED)
    for _ in range(100):
        seq = phones.happened(undone(seq))
    assert refused(phones.submit("table scorer", undone(seq)))


def test_a_seat_reports_its_own_moves_only(phones: Phones) -> None:
    """Any seat's phone could report the opponent's moves."""
    phones.happened(deal())
    other = phones.submit("seat scorer", move(2, "play", "susuki-moon"))
    assert refused(other)
    assert other.json["detail"].startswith(
        "Aki is paired for seat 1 and reports only its own moves and cards"
    )
    assert phones.submit("seat scorer", FIRST).status_code == 200


@pytest.mark.parametrize("name", ["table scorer", "host"])
def test_whoever_keeps_score_for_the_table_reports_everybodys_moves(phones: Phones, name: str) -> None:
    phones.happened(deal())
    assert not refused(phones.submit(name, move(2, "play", "susuki-moon")))
    assert phones.submit(name, FIRST).status_code == 200
    assert phones.undo(name).status_code == 200


def test_all_of_a_request_is_checked(phones: Phones) -> None:
    phones.happened(deal())
    before = phones.seq
    assert refused(phones.submit("seat scorer", FIRST, move(2, "play", "susuki-moon")))
    assert phones.seq == before


@pytest.mark.parametrize(
    ("event", "allowed"),
    [
        (deal(), True),
        (deal(seat1=MINE), True),
        (deal(seat2=MINE), False),
        (deal(seat2=[*UNKNOWN[:7], "pine-crane"]), False),
        (deal(seat3=[None]), True),  # refused for another reason
        ({"kind": "dealt", "data": {"deal": {"hands": [UNKNOWN, MINE], "field": FIELD}}}, False),
        ({"kind": "dealt", "data": {"deal": {"field": FIELD, "stock": ["pine-crane"]}}}, False),
        ({"kind": "dealt", "data": {"deal": {"field": FIELD, "stock": [None] * 24}}}, True),
        ({"kind": "dealt", "data": {"deal": None}}, True),
        ({"kind": "began", "data": {"dealer": 2}}, True),
    ],
)
def test_a_seat_enters_a_deal_without_the_cards_of_others(
    phones: Phones, event: dict[str, Any], allowed: bool
) -> None:
    assert refused(phones.submit("seat scorer", event)) != allowed
    assert not refused(phones.submit("table scorer", event))


def test_a_seat_corrects_its_own_move_to_its_own_move(phones: Phones) -> None:
    phones.happened(deal())
    seq = phones.happened(FIRST)
    instead = move(1, "play", "pine-chaff-2")
    assert refused(phones.submit("seat scorer", corrected(seq, move(2, "play", "susuki-moon"))))
    assert refused(phones.submit("seat scorer", corrected(seq, SEATED)))
    assert not refused(phones.submit("seat scorer", corrected(seq, instead)))
    assert not refused(phones.submit("seat scorer", corrected(seq, None)))
    assert not refused(phones.submit("seat scorer", undone(seq)))


def test_a_seat_changes_nothing_of_another_seats(phones: Phones) -> None:
    phones.happened(deal())
    phones.happened(FIRST, DREW)
    other = phones.happened(move(2, "play", "susuki-moon"))
    for event in (corrected(other, None), corrected(other, FIRST), undone(other)):
        assert refused(phones.submit("seat scorer", event))
    assert refused(phones.undo("seat scorer"))
    inserted = {"kind": "inserted", "data": {"before": other, **move(2, "play", "susuki-geese")}}
    assert refused(phones.submit("seat scorer", inserted))


def test_a_seat_does_not_take_back_what_the_host_corrected(phones: Phones) -> None:
    """The move was seat 1's, but the host's replacement was not."""
    phones.happened(deal())
    phones.happened(FIRST)
    seq = phones.seq
    correction = phones.happened(corrected(2, deal(seat2=MINE)))
    assert refused(phones.submit("seat scorer", corrected(2, deal())))
    assert refused(phones.submit("seat scorer", undone(correction)))
    assert not refused(phones.submit("seat scorer", undone(seq)))


def test_a_seat_does_not_refer_to_events_of_the_same_request(phones: Phones) -> None:
    """An answer adds events that nobody has seen yet; they could be changed in the same request."""
    phones.happened(deal())
    later = phones.seq + 2
    assert refused(phones.submit("seat scorer", FIRST, corrected(later, FIRST)))
    assert refused(phones.submit("seat scorer", FIRST, undone(later)))


def test_a_seat_at_another_table_reports_nothing_here(phones: Phones) -> None:
    other = open_table(phones.host)
    code = phones.host.post(
        "/api/pairings", json={"role": "scorer", "seat": 1, "table": other, "name": "Dai"}
    ).json["code"]
    phone, address = phones.app.test_client(), {"REMOTE_ADDR": "192.0.2.7"}
    assert phone.post("/api/pair", json={"code": code}, environ_base=address).status_code == 200
    assert submit(phone, phones.table, deal(), environ_base=address).status_code == 403
    assert submit(phone, other, deal(), environ_base=address).status_code == 200


@pytest.mark.parametrize("kind", ["noticed", "asked"])
@pytest.mark.parametrize("name", ["seat scorer", "table scorer", "host", "device"])
def test_nobody_reports_what_the_program_itself_does(phones: Phones, name: str, kind: str) -> None:
    assert phones.submit(name, {"kind": kind, "data": {}}).status_code == 422


@pytest.mark.parametrize("of", [None, True, "2", -1, 0, 99, 2**53, [2], {"a": 1}, 2.0])
@pytest.mark.parametrize("kind", ["undone", "corrected"])
def test_a_reference_to_nothing_is_refused(phones: Phones, kind: str, of: Any) -> None:
    phones.happened(deal())
    data = {"of": of, "kind": None} if kind == "corrected" else {"of": of}
    for name in ("seat scorer", "table scorer", "host"):
        assert phones.submit(name, {"kind": kind, "data": data}).status_code in {400, 403, 422}
    assert phones.seq == 2


# --- buttons


def test_a_seats_phone_presses_no_other_seats_button(phones: Phones) -> None:
    phones.happened(deal())
    phones.happened(SEATED)
    assert refused(phones.press("seat scorer", "undo"))
    phones.happened(FIRST)
    own = phones.press("seat scorer", "undo", seat=2)  # a button without a seat: it undoes seat 1's move
    assert own.status_code == 200, own.json


def test_a_device_keeps_its_buttons(phones: Phones) -> None:
    phones.happened(deal())
    phones.happened(FIRST)
    assert phones.press("device", "undo").status_code == 200
    assert phones.submit("device", undone(2)).status_code == 200
    assert refused(phones.submit("device", SEATED))
    assert refused(phones.submit("device", deal()))


def test_the_view_says_who_may_undo(phones: Phones) -> None:
    """Undo was offered to seats that were refused."""

    def undo() -> Any:
        return phones.host.get(f"/api/tables/{phones.table}").json["state"]["undo"]

    phones.happened(deal())
    assert undo()["seats"] == [1, 2]
    phones.happened(FIRST)
    assert undo()["seats"] == [1]
    phones.happened(SEATED)
    assert undo()["seats"] == []
