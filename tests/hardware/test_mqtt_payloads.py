"""MQTT payloads without a broker: topics, states, discovery, commands, addresses."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import hardware
from companion.cli import main
from companion.hanafuda.errors import BadRequestError
from companion.messages import error_text
from companion.net.client import Client
from companion.table import NewEvent, Table
from companion.table.presses import BUTTONS
from hardware.mqtt.bridge import Bridge
from hardware.mqtt.broker import BrokerAddress
from hardware.mqtt.discovery import discovery_of
from hardware.mqtt.payloads import PressCommand, last_yaku, read_command, table_state, topic_name_of
from hardware.mqtt.table_feed import TableFeed


def table(game: str = "koikoi", players: int = 2, name: str | None = None) -> Table:
    names = ["Aiko", "", "Chiyo", "Dai", "Emi", "Fumi", "Go", "Haru"][:players]
    data = {"id": "k3x9pd", "name": name, "game": game, "rules": None, "players": names, "deck": None}
    if game == "kakkuri":
        data["rules"] = {"preset": "kakkuri", "players": "2_to_8"}
    return Table.open(
        NewEvent("opened", data), actor="a test", source="program", time="2026-11-21T19:00:00.000Z"
    )


def state(reported: Table) -> dict[str, Any]:
    view = reported.view()
    return table_state(view, reported.seq, last_yaku(view["history"]), "watching")


# --- places


@pytest.mark.parametrize(
    ("name", "place"),
    [
        (None, "table"),
        ("", "table"),
        ("Parlour", "parlour"),
        ("Granny's parlour, 2nd floor", "granny-s-parlour-2nd-floor"),
        ("a/b#+c", "a-b-c"),
    ],
)
def test_the_place_of_a_table_is_its_name(name: str | None, place: str) -> None:
    assert topic_name_of(name) == place


@given(name=st.text(max_size=40), other=st.text(max_size=40))
def test_every_name_is_a_topic_and_an_id_of_home_assistants(name: str, other: str) -> None:
    assert re.fullmatch(r"[a-z0-9-]+", topic_name_of(name))
    if not name.isascii() and name != other:
        assert topic_name_of(name) != topic_name_of(other)


def test_japanese_names_have_distinct_slugs() -> None:
    assert len({topic_name_of("座敷"), topic_name_of("茶の間"), topic_name_of(None)}) == 3


# --- states


def test_a_table_before_the_first_deal() -> None:
    reported = state(table())
    assert (reported["table"], reported["round"], reported["to_move"], reported["decision"]) == (
        "k3x9pd",
        0,
        None,
        None,
    )
    assert [each["name"] for each in reported["players"]] == ["Aiko", "2"]
    assert (reported["over"], reported["watching"], reported["last_yaku"]) == (False, True, None)


@pytest.mark.parametrize(
    ("game", "players"), [("koikoi", 2), ("kekoro", 2), ("kakkuri", 8), ("kingo", 7), ("kingo-bank", 3)]
)
def test_every_game_has_payloads_and_discovery(game: str, players: int) -> None:
    reported = state(table(game, players))
    json.dumps(reported)
    about = discovery_of(reported, "table", "hanafuda")
    there = {key: each for key, each in about["components"].items() if len(each) > 1}
    assert sum(key.startswith("points-") for key in there) == players
    assert ("pass-1" in there) == (game != "koikoi")
    assert ("stop-1" in there) == (game != "kakkuri"), (
        "in Kakkuri a touch says nothing: it needs a long press"
    )
    for each in there.values():
        assert each.keys() >= {"platform", "unique_id", "name"}
        assert re.fullmatch(r"[a-zA-Z0-9_-]+", each["unique_id"])
        if each["platform"] == "button":
            assert each["payload_press"] in BUTTONS
            assert "value_template" not in each
        else:
            assert each["value_template"].startswith("{{ ")
    removed = {key: each for key, each in about["components"].items() if len(each) == 1}
    assert {key for key in removed if key.startswith("points-")} == {
        f"points-{seat}" for seat in range(players + 1, 9)
    }
    assert all(each.keys() == {"platform"} for each in removed.values())


def test_discovery_in_japanese() -> None:
    about = discovery_of(state(table()), "table", "hanafuda", "ja")
    assert about["components"]["koi-koi-1"]["name"] == "Aiko：こいこい"
    assert "last_yaku.ja" in about["components"]["last_yaku"]["value_template"]


# --- commands


@pytest.mark.parametrize(
    ("payload", "command"),
    [
        (b"koi-koi", PressCommand("koi-koi")),
        (b" stop\n", PressCommand("stop")),
        (b'{"button": "undo", "how": "long"}', PressCommand("undo", "long")),
        (b'{"button": "next", "key": "k"}', PressCommand("next", "press", "k")),
    ],
)
def test_commands(payload: bytes, command: PressCommand) -> None:
    assert read_command(payload) == command


@given(
    payload=st.one_of(
        st.binary(max_size=60),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(BUTTONS),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["button", "how", "key"]), inner)
            ),
            max_leaves=6,
        ).map(lambda reported: json.dumps(reported).encode()),
    )
)
def test_any_payload_is_a_command_or_an_error(payload: bytes) -> None:
    try:
        command = read_command(payload)
    except BadRequestError:
        return
    assert command.button in BUTTONS


# --- a stream with a gap


def line(seat: int, *yaku: str) -> dict[str, Any]:
    return {
        "seat": seat,
        "formed": [{"name": each, "en": each, "ja": each, "points": 1} for each in yaku],
        "more": 1,
    }


def test_a_correction_clears_the_last_yaku_and_a_gap_resets(monkeypatch: pytest.MonkeyPatch) -> None:
    states: list[Any] = []
    events: list[int] = []
    monkeypatch.setattr("hardware.mqtt.table_feed.EventStream", lambda *args, **more: None)
    monkeypatch.setattr(TableFeed, "_ask_camera", lambda self: None)
    feed = TableFeed(
        Client("http://127.0.0.1:1"),
        "k3x9pd",
        on_state=states.append,
        on_event=lambda event: events.append(event["seq"]),
        on_next_table=lambda: None,
    )
    view = table().view()

    def changed(after: int, seq: int, kept: int, *lines: Any) -> dict[str, Any]:
        return {
            "seq": seq,
            "after": after,
            "from": {"history": kept, "trail": 0, "rounds": 0},
            "events": [{"seq": each} for each in range(after + 1, seq + 1)],
            "state": {**view, "history": list(lines)},
        }

    feed._take("snapshot", {"seq": 5, "state": {**view, "history": [line(1, "tan")]}})
    feed._take("change", changed(5, 7, 1, line(2, "kasu")))
    assert (states[-1]["last_yaku"]["name"], states[-1]["last_yaku"]["player"], events) == (
        "kasu",
        "2",
        [6, 7],
    )
    feed._take("change", changed(7, 8, 1, line(2)))
    assert (states[-1]["last_yaku"]["name"], states[-1]["seq"]) == ("tan", 8)
    with pytest.raises(ValueError, match="missing"):
        feed._take("change", changed(9, 10, 1))
    # What comes again after a short break is not reported again; after a long one it is not reported at all.
    feed._broken()
    feed._take("change", {"seq": 9, "events": [{"seq": 8}, {"seq": 9}], "state": {**view, "history": []}})
    assert events == [6, 7, 8, 9]
    feed._broken()
    assert feed._broken_since is not None
    feed._broken_since -= 60
    feed._take("change", {"seq": 10, "events": [{"seq": 10}], "state": {**view, "history": []}})
    assert events == [6, 7, 8, 9]
    assert states[-1]["seq"] == 10


# --- addresses


@pytest.mark.parametrize(
    ("reported", "address"),
    [
        ("box", BrokerAddress("box", 1883)),
        ("192.168.0.7:1884", BrokerAddress("192.168.0.7", 1884)),
        ("mqtt://box", BrokerAddress("box", 1883)),
        ("mqtts://box", BrokerAddress("box", 8883, tls=True)),
        ("mqtt://home:h%40sh@box:9", BrokerAddress("box", 9, user="home", password="h@sh")),
        ("[::1]:1883", BrokerAddress("::1", 1883)),
    ],
)
def test_addresses(reported: str, address: BrokerAddress) -> None:
    assert BrokerAddress.read(reported) == address


@pytest.mark.parametrize(
    "reported", ["", "http://box", "box:port", "box:0", "box/topic", "mqtt://", "box:99999"]
)
def test_invalid_addresses(reported: str) -> None:
    with pytest.raises(BadRequestError, match="broker's address"):
        BrokerAddress.read(reported)


def test_separate_credentials_take_precedence_and_passwords_are_hidden() -> None:
    address = BrokerAddress.read("mqtt://home:old@box", user="granny", password="hush-hush")
    assert (address.user, address.password) == ("granny", "hush-hush")
    assert "hush" not in f"{address} {address!r}"
    with pytest.raises(BadRequestError) as error:
        BrokerAddress.read("mqtt://home:hush-hush@box:port")
    assert "hush" not in error_text(error.value)


@pytest.mark.parametrize("prefix", ["", "a/#", "+", "/a", "a/", "$SYS"])
def test_invalid_topic_prefixes(prefix: str) -> None:
    with pytest.raises(BadRequestError, match="topic"):
        Bridge(Client("http://box:8420"), BrokerAddress("box", 1883), say=print, prefix=prefix)


# --- the command


def test_without_paho_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("paho")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "paho", None)
    result = CliRunner().invoke(main, ["mqtt", "--broker", "box"])
    assert result.exit_code == 2
    assert result.stderr == (
        "companion: MQTT needs paho-mqtt, which is not installed: pip install 'hanafuda-companion[mqtt]'\n"
    )


def test_only_the_broker_module_imports_paho() -> None:
    folder = Path(hardware.__file__).parent
    assert [path.name for path in folder.rglob("*.py") if "paho.mqtt" in path.read_text("utf-8")] == [
        "broker.py"
    ]
