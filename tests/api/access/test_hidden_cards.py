"""Hidden cards over HTTP: no response reveals a hand or a draw pile that its reader may not know.

A table is played in every game with a deal reported with all hands and the whole draw pile. Each reader
requests every route about the table, and the complete responses are searched for cards.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.hanafuda.simulation import random_round, record_of
from tests.api.api_helpers import ScannerDouble, context_of, make_app
from tests.api.table_helpers import AnyRound, messages, moved, open_table

RULES: Mapping[str, Any] = {"kakkuri": {"preset": "kakkuri", "players": "2_to_8"}}
NAMES = ("Aiko", "Ben", "Chiyo")
PLAYERS = {"koikoi": 2, "kekoro": 2, "kakkuri": 3, "kingo": 3, "kingo-bank": 3}
GAMES = tuple(PLAYERS)
MOVES = 3
"""The number of moves reported before all routes are requested."""


# --- a table with all cards known


def dealt(played: AnyRound) -> dict[str, Any]:
    """Return the event that deals a round with all cards known."""
    record = record_of(played)
    keys = {"deal", "dealer", "month", "shuffle"} & set(record)
    return {"kind": "dealt", "data": {key: record[key] for key in keys}}


def begun(game: str, seed: int = 0) -> AnyRound:
    """Return a round that continues after a few moves and in which no hands were exchanged or laid open."""
    while True:
        played = random_round(game, seed, RULES.get(game), PLAYERS[game])
        words = [move.words()[0] for move in played.moves[: MOVES + 2]]
        if len(words) == MOVES + 2 and not {"swap", "bareta", "redeal", "call"} & set(words):
            before = played.copy()
            while len(before.moves) > MOVES:
                before.pop()
            if before.outcome() is None:
                return played
        seed += 1


@dataclass
class Reader:
    """A reader, and the client that sends its requests."""

    name: str
    client: FlaskClient
    options: dict[str, Any]
    seat: int | None = None

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.client.get(path, **self._with(headers))

    def post(self, path: str, body: Any) -> TestResponse:
        return self.client.post(path, json=body, **self._with({}))

    def _with(self, headers: Mapping[str, str]) -> dict[str, Any]:
        return {**self.options, "headers": {**self.options.get("headers", {}), **headers}}


def readers(app: APIFlask) -> dict[str, Reader]:
    """Pair all readers."""
    host = app.test_client()

    def paired(name: str, address: int, role: str, seat: int | None = None) -> Reader:
        asked = {"role": role, "name": name, **({} if seat is None else {"seat": seat})}
        pin = host.post("/api/pairings", json=asked).json["pin"]
        client, options = app.test_client(), {"environ_base": {"REMOTE_ADDR": f"192.0.2.{address}"}}
        answer = client.post("/api/pair", json={"pin": pin}, **options)
        assert answer.status_code == 200, answer.json
        if answer.json["token"]:
            options["headers"] = {"Authorization": f"Bearer {answer.json['token']}"}
        return Reader(name, client, options, seat)

    everybody = [
        Reader("unpaired", app.test_client(), {"environ_base": {"REMOTE_ADDR": "192.0.2.1"}}),
        Reader("host", host, {}),
        paired("seat 1", 11, "scorer", 1),
        paired("seat 2", 12, "scorer", 2),
        paired("host with seat 1", 13, "host", 1),
        paired("table scorer", 14, "scorer"),
        paired("device", 15, "device"),
        paired("camera", 16, "camera"),
    ]
    return {each.name: each for each in everybody}


WHO = ("unpaired", "host", "seat 1", "seat 2", "host with seat 1", "table scorer", "device", "camera")


@dataclass
class Evening:
    """A table in the middle of a round."""

    app: APIFlask
    game: str
    played: AnyRound
    table: str
    everybody: dict[str, Reader]

    @property
    def path(self) -> str:
        return f"/api/tables/{self.table}"

    @property
    def host(self) -> Reader:
        return self.everybody["host"]

    def report(self, *events: Mapping[str, Any], by: str = "host", **options: Any) -> TestResponse:
        return self.everybody[by].post(f"{self.path}/events", {"events": list(events), **options})

    def hidden(self, seat: int | None, moves: int = MOVES) -> set[str]:
        """Return the cards that a seat may not know after a number of moves."""
        deal = record_of(self.played)["deal"]
        cards = {card for owner, hand in deal["hands"].items() if owner != str(seat) for card in hand}
        cards |= set(deal["stock"])
        for move in self.played.moves[:moves]:
            own = move.player == seat or not self.game.startswith("kingo")
            cards -= set(move.words()[1:]) if own else set()
        return cards

    def play(self, start: int = MOVES, end: int | None = None) -> None:
        """Report moves of the round, by default all remaining ones."""
        for event in moved(self.played)[start:end]:
            assert self.report(event).status_code == 200


def evening(app: APIFlask, game: str, played: AnyRound | None = None) -> Evening:
    played = played or begun(game)
    client = app.test_client()
    table = open_table(client, game=game, rules=RULES.get(game), players=list(NAMES[: PLAYERS[game]]))
    found = Evening(app, game, played, table, readers(app))
    assert found.report(dealt(played)).status_code == 200
    found.play(0, MOVES)
    return found


@pytest.fixture
def parlour(app: APIFlask, request: pytest.FixtureRequest) -> Evening:
    return evening(app, request.param)


# --- every response


def answers(reader: Reader, path: str, seq: int) -> Iterator[tuple[str, str]]:
    """Yield every response about the table by its request, except for the lists of possible moves and corrections."""
    for route in ("", "/records"):
        yield f"GET {route}", reader.get(path + route).text
    for last in (None, "1", "2", str(seq - 1), "0", "999"):
        headers = {} if last is None else {"Last-Event-ID": last}
        stream = reader.get(f"{path}/events", **headers)
        event, _, data = next(messages(stream))
        stream.close()
        yield f"stream {last}: {event}", json.dumps(data)


def without_possible(text: str) -> str:
    """Return JSON without ``near`` and ``danger``, which name cards by the rules alone."""

    def cleaned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cleaned(each) for key, each in value.items() if key != "near"}
        return [cleaned(each) for each in value] if isinstance(value, list) else value

    return "\n".join(json.dumps(cleaned(json.loads(line))) for line in text.splitlines())


def leaked(text: str, cards: set[str]) -> set[str]:
    found = without_possible(text)
    return {card for card in cards if f'"{card}"' in found}


@pytest.mark.parametrize("parlour", GAMES, indirect=True)
def test_no_answer_names_a_hidden_card(parlour: Evening) -> None:
    """A guest's phone, the other player's, or the wall display reads an opponent's hand out of any answer of the table."""
    seq = 2 + MOVES
    for name in WHO:
        reader = parlour.everybody[name]
        for asked, text in answers(reader, parlour.path, seq):
            assert leaked(text, parlour.hidden(reader.seat)) == set(), (name, asked)


@pytest.mark.parametrize("parlour", GAMES, indirect=True)
def test_a_seat_still_gets_its_own_hand(parlour: Evening) -> None:
    for name in ("seat 1", "host with seat 1"):
        data = parlour.everybody[name].get(parlour.path).json["state"]["history"][0]["data"]
        assert data["deal"]["hands"]["1"] == record_of(parlour.played)["deal"]["hands"]["1"]
        assert set(data["deal"]["hands"]["2"]) == {None}


@pytest.mark.parametrize("parlour", GAMES, indirect=True)
def test_everybody_gets_everything_once_the_round_is_over(parlour: Evening) -> None:
    """The players want to see afterwards what the others had: hidden cards are stored."""
    parlour.play()
    record = record_of(parlour.played)
    assert "result" in record
    for name in WHO:
        reader = parlour.everybody[name]
        found = json.loads(reader.get(f"{parlour.path}/records").text.splitlines()[0])
        assert found["deal"]["hands"] == record["deal"]["hands"], name
        assert found["deal"]["stock"] == record["deal"]["stock"], name
        stream = reader.get(f"{parlour.path}/events", **{"Last-Event-ID": "1"})
        _, _, change = next(messages(stream))
        stream.close()
        assert change["events"][0]["data"]["deal"] == record["deal"], name
        assert not any(line["problems"] for line in change["state"]["history"] if line["kind"] != "deal"), (
            name
        )


@pytest.mark.parametrize("game", GAMES)
def test_answers_do_not_depend_on_hidden_cards(game: str, tmp_path: Path) -> None:
    """Legal moves and corrections name cards that may be anywhere, so they must not depend on where those cards are.

    The same moves are played at two tables whose hidden cards are exchanged, and all responses are compared,
    including refusals.
    """
    played = begun(game)
    deal = record_of(played)["deal"]
    used = {word for move in played.moves[: MOVES + 2] for word in move.words()[1:]}
    hand, stock = (
        [card for card in cards if card not in used] for cards in (deal["hands"]["2"], deal["stock"])
    )
    swapped = dict(zip(hand, stock, strict=False))
    swapped |= {other: card for card, other in swapped.items()}
    assert swapped
    apps = [make_app(tmp_path / name, ScannerDouble()) for name in ("one", "other")]
    found: list[list[str]] = []
    for app in apps:
        one = evening_of(app, game, played, {} if app is apps[0] else swapped)
        found.append(list(everything(one, sorted({*swapped, *used})[::4])))
        context_of(app).store.close()
    assert len(found[0]) == len(found[1]) > 40
    for one_text, other_text in zip(*found, strict=True):
        assert one_text == other_text


def evening_of(app: APIFlask, game: str, played: AnyRound, swapped: Mapping[str, str]) -> Evening:
    event = dealt(played)
    exchanged = json.loads(json.dumps(event), object_hook=lambda each: each)

    def other(cards: Sequence[str]) -> list[str]:
        return [swapped.get(card, card) for card in cards]

    deal = exchanged["data"]["deal"]
    deal["hands"] = {seat: other(hand) if seat != "1" else hand for seat, hand in deal["hands"].items()}
    deal["stock"] = other(deal["stock"])
    table = open_table(
        app.test_client(), game=game, rules=RULES.get(game), players=list(NAMES[: PLAYERS[game]])
    )
    found = Evening(app, game, played, table, readers(app))
    assert found.report(exchanged).status_code == 200
    found.play(0, MOVES)
    return found


def everything(one: Evening, cards: Sequence[str]) -> Iterator[str]:
    """Yield every response for the public and for seat 1, without the parts that differ between tables."""
    for name in ("unpaired", "seat 1", "table scorer"):
        reader = one.everybody[name]
        for route in (
            "",
            "/moves",
            "/records",
            *(f"/events/{seq}/alternatives" for seq in range(1, 3 + MOVES)),
        ):
            yield f"{name} {route} {plain(one, reader.get(one.path + route).text)}"
    for name in ("seat 1", "table scorer"):
        for card in cards:
            for words in (
                ["play", card],
                ["draw", card],
                ["discard", card],
                ["choose", card],
                ["show", card],
            ):
                event = {"kind": "moved", "data": {"player": 1, "words": words}}
                answer = one.report(event, by=name)
                yield f"{name} {words} {answer.status_code} {plain(one, answer.text)}"
                if answer.status_code == 200:
                    seq = answer.json["seq"]
                    undone = one.report({"kind": "undone", "data": {"of": seq}}, by="host")
                    assert undone.status_code == 200
    for button in ("koi-koi", "stop", "pass", "undo", "next"):
        answer = one.everybody["device"].post(f"{one.path}/presses", {"button": button, "source": "button"})
        yield f"{button} {answer.status_code} {plain(one, answer.text)}"


def plain(one: Evening, text: str) -> str:
    """Return a response without the table's id and the times of the events."""
    return "".join(
        part if not part.startswith("20") or not part.endswith("Z") else "time"
        for part in text.replace(one.table, "table").split('"')
    )


# --- during a round


@pytest.mark.parametrize("parlour", GAMES, indirect=True)
def test_a_stream_contains_what_its_audience_may_know(parlour: Evening) -> None:
    """The `change` message for all followers contains the reported event."""
    streams = {name: parlour.everybody[name].get(f"{parlour.path}/events") for name in WHO}
    following = {name: messages(stream) for name, stream in streams.items()}
    for each in following.values():
        assert next(each)[0] == "snapshot"
    event = dealt(parlour.played)
    seen: dict[str, list[Any]] = {name: [] for name in WHO}
    for new in (
        {"kind": "undone", "data": {"of": 2 + MOVES}},
        moved(parlour.played)[MOVES - 1],
        {"kind": "corrected", "data": {"of": 2, **event, "data": event["data"]}},
    ):
        assert parlour.report(new).status_code == 200
        for name, each in following.items():
            kind, _, data = next(each)
            assert kind == "change"
            seen[name].append(data)
    for name, changes in seen.items():
        reader = parlour.everybody[name]
        assert leaked(json.dumps(changes), parlour.hidden(reader.seat)) == set(), name
        deal = changes[-1]["events"][0]["data"]["data"]["deal"]["hands"]
        assert (None in deal["1"]) == (reader.seat != 1), name
    for stream in streams.values():
        stream.close()


def test_a_stream_shows_the_cards_when_the_round_ends_and_hides_the_next_deal(app: APIFlask) -> None:
    found = evening(app, "koikoi")
    stream = found.everybody["unpaired"].get(f"{found.path}/events")
    following = messages(stream)
    next(following)
    found.play(end=-1)
    for _ in moved(found.played)[MOVES:-1]:
        assert next(following)[2]["from"]["history"] > 0
    found.play(start=-1)
    _, _, change = next(following)
    assert change["from"]["history"] == 0, "the deal's line is another one now"
    assert change["state"]["history"][0]["data"]["deal"]["hands"] == record_of(found.played)["deal"]["hands"]
    again = dealt(random_round("koikoi", 77))
    again["data"]["dealer"] = change["state"]["night"]["dealer"]
    again["data"]["unchecked"] = True
    assert found.report(again).status_code == 200
    _, _, change = next(following)
    assert set(change["events"][0]["data"]["deal"]["hands"]["1"]) == {None}
    stream.close()


# --- other responses with events


def test_who_reports_the_hands_gets_back_no_more_than_they_may_know(app: APIFlask) -> None:
    """The table's scorer sets the reporting phone down in the middle of the table: its answer shows all hands."""
    played = begun("koikoi")
    table = open_table(app.test_client(), players=list(NAMES[:2]))
    found = Evening(app, "koikoi", played, table, readers(app))
    for name, key in (("table scorer", "a"), ("host", "a"), ("seat 2", "a")):
        answer = found.report(dealt(played), by=name, key=key)
        if answer.status_code == 200:
            reader = found.everybody[name]
            assert leaked(answer.text, found.hidden(reader.seat, 0)) == set(), name
            assert answer.json["seq"] == 2


def test_a_key_used_again_answers_with_what_the_asker_may_know(app: APIFlask) -> None:
    """Another phone sends a report with the same key and is given the stored events."""
    found = evening(app, "kingo")
    guess = {"kind": "dealt", "data": {"deal": {}, "dealer": found.played.dealer}}
    first = found.report(moved(found.played)[MOVES], key="once")
    assert first.status_code == 200
    for name in ("host", "table scorer", "device"):
        again = found.report(moved(found.played)[MOVES], by=name, key="once")
        assert again.status_code == 200
        assert again.json["seq"] == first.json["seq"], "nothing was added"
        assert leaked(again.text, found.hidden(None)) == set()
        refused = found.report(guess, by="host", key="once")
        assert refused.status_code == 422
        assert leaked(refused.text, found.hidden(None)) == set()


def test_undo_answers_with_what_the_asker_may_know(app: APIFlask) -> None:
    found = evening(app, "kingo-bank")
    for name in ("table scorer", "host"):
        answer = found.everybody[name].post(f"{found.path}/undo", {})
        assert answer.status_code == 200
        assert leaked(answer.text, found.hidden(None, 0)) == set(), name


def test_an_undone_deal_stays_hidden(app: APIFlask) -> None:
    """The deal is undone because one card was wrong: its event is still in the log, and the round continues."""
    found = evening(app, "koikoi")
    for seq in range(2 + MOVES, 1, -1):
        assert found.report({"kind": "undone", "data": {"of": seq}}).status_code == 200
    reader = found.everybody["unpaired"]
    for asked, text in answers(reader, found.path, 2 + 2 * MOVES):
        assert leaked(text, found.hidden(None)) == set(), asked
    assert found.report(dealt(found.played)).status_code == 200
    found.play(0, MOVES)
    for asked, text in answers(reader, found.path, 4 + 3 * MOVES):
        assert leaked(text, found.hidden(None)) == set(), asked


def test_a_round_that_was_broken_off_is_displayed_when_the_next_is_dealt(app: APIFlask) -> None:
    """An undo would restore the round, so abandoning it must not reveal the hands."""
    found = evening(app, "koikoi")
    assert found.report({"kind": "abandoned", "data": {}}).status_code == 200
    reader = found.everybody["unpaired"]
    for asked, text in answers(reader, found.path, 3 + MOVES):
        assert leaked(text, found.hidden(None)) == set(), asked
    assert found.report({"kind": "dealt", "data": {"deal": {"field": FIELD}, "dealer": 1}}).status_code == 200
    stream = reader.get(f"{found.path}/events", **{"Last-Event-ID": "1"})
    _, _, change = next(messages(stream))
    stream.close()
    assert change["events"][0]["data"]["deal"] == record_of(found.played)["deal"]


FIELD = [
    "pine-ribbon",
    "plum-ribbon",
    "cherry-chaff-1",
    "iris-bridge",
    "peony-ribbon",
    "clover-boar",
    "susuki-geese",
    "maple-deer",
]


def test_cards_stay_hidden_after_a_restart(data: Path) -> None:
    app = make_app(data, ScannerDouble())
    found = evening(app, "koikoi")
    context_of(app).store.close()
    app = make_app(data, ScannerDouble())
    again = Evening(app, "koikoi", found.played, found.table, readers(app))
    for name in WHO:
        reader = again.everybody[name]
        for asked, text in answers(reader, again.path, 2 + MOVES):
            assert leaked(text, again.hidden(reader.seat)) == set(), (name, asked)
    again.play()
    record = json.loads(again.everybody["unpaired"].get(f"{again.path}/records").text)
    assert record["deal"] == record_of(found.played)["deal"]
    context_of(app).store.close()


# --- reports from readers who do not know everything


def test_a_corrected_field_keeps_the_hands(app: APIFlask) -> None:
    """A scorer corrects one card of the field: the page sends the deal as it received it, with null for all hidden
    cards."""
    found = evening(app, "koikoi")
    line = found.everybody["table scorer"].get(found.path).json["state"]["history"][0]
    displayed = line["data"]
    unseen = next(card for card in found.hidden(None) if card not in found.hidden(1))
    field = [unseen, *displayed["deal"]["field"][1:]]
    for number in range(2):
        fixed = {
            **displayed,
            "deal": {**displayed["deal"], "field": [field, displayed["deal"]["field"]][number]},
        }
        event = {"kind": "corrected", "data": {"of": 2, "kind": "dealt", "data": fixed}}
        answer = found.report(event, by="table scorer", key=f"fix {number}")
        assert answer.status_code == 200, answer.json
        assert found.report(event, by="table scorer", key=f"fix {number}").json["seq"] == answer.json["seq"]
    found.play()
    record = json.loads(found.everybody["unpaired"].get(f"{found.path}/records").text)
    assert record["deal"] == record_of(found.played)["deal"]


def test_a_move_that_only_hidden_cards_contradict_is_taken(app: APIFlask) -> None:
    """A seat tries one card after the other as the one that it drew: only the top of the draw pile would be accepted."""
    found = evening(app, "koikoi")
    assert found.played.moves[MOVES - 1].words()[0] == "play", "a card is to be drawn now"
    answer = found.host.get(f"{found.path}/moves").json["moves"]
    (drawer,) = {move["player"] for move in answer}
    seat = found.everybody["host"]
    accepted = set()
    for move in answer[:6]:
        output = seat.post(
            f"{found.path}/events",
            {"events": [{"kind": "moved", "data": {"player": drawer, "words": move["words"]}}]},
        )
        assert output.status_code == 200
        assert not output.json["state"]["history"][-1]["problems"]
        accepted.add(move["words"][1])
        assert found.report({"kind": "undone", "data": {"of": output.json["seq"]}}).status_code == 200
    assert len(accepted) > 1


def test_a_card_cannot_be_ascribed_to_oneself_to_see_it(app: APIFlask) -> None:
    """A host with a seat corrects another player's draw to be his own, hidden as he received it, and reads it."""
    found = evening(app, "kingo")
    draws = [
        (seq, move)
        for seq, move in enumerate(found.played.moves[:MOVES], start=3)
        if move.words()[0] == "draw" and move.player != 1
    ]
    seq, move = draws[0]
    data = {"player": 1, "words": ["draw", "?"], "unchecked": True}
    event = {"kind": "corrected", "data": {"of": seq, "kind": "moved", "data": data}}
    answer = found.report(event, by="host with seat 1")
    assert answer.status_code == 200
    assert leaked(answer.text, {move.words()[1]}) == set()
