"""Tables over MQTT with a real Mosquitto, a real server and the real bridge between them."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from companion.net.client import Client
from hardware.mqtt.bridge import Bridge
from hardware.mqtt.broker import BrokerAddress
from hardware.worker import outbox
from tests.hardware.mosquitto import PROGRAM, Listener, Mosquitto, listening
from tests.hardware.server_with_devices import DECIDING, Served, moved
from tests.hardware.wait_until import until

pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is not installed")
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no Mosquitto here (Debian: apt-get install mosquitto)"
)

CONFIG = "homeassistant/device/hanafuda_table/config"


@contextmanager
def bridging(url: str, broker: str, **options: Any) -> Iterator[list[str]]:
    """Run the bridge in this process; yields its output lines."""
    login = {key: options.pop(key) for key in ("user", "password", "ca") if key in options}
    received: list[str] = []
    client = Client(url)
    bridge = Bridge(
        client,
        BrokerAddress.read(broker, **login),
        say=received.append,
        **options,
    )
    stop = threading.Event()
    thread = threading.Thread(target=bridge.run, args=(stop,))
    thread.start()
    try:
        yield received
    finally:
        stop.set()
        thread.join(30)
        assert not thread.is_alive()
        client.close()
        names = ("follow-", "outbox", "paho-mqtt-client-hanafuda")  # the server runs in this process too
        until(lambda: not any(each.name.startswith(names) for each in threading.enumerate()))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "data")
    yield served
    served.stop()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    broker = Mosquitto(tmp_path)
    yield broker
    broker.kill()


@pytest.fixture
def home(served: Served, broker: Mosquitto) -> Iterator[Listener]:
    """A listener at the broker, with the bridge running and a table at which Aiko is to decide."""
    served.table = served.open_table(*DECIDING)
    with listening(broker.port) as listener, bridging(served.url, f"127.0.0.1:{broker.port}"):
        until(lambda: listener.state().get("seq") == 4)
        yield listener


# --- what is published


def test_the_state_of_a_table_is_kept_at_the_broker(
    home: Listener, served: Served, broker: Mosquitto
) -> None:
    with listening(broker.port) as late:  # whoever comes later finds it
        until(lambda: late.kept.keys() >= {"hanafuda/table/state", "hanafuda/status", CONFIG})
        assert late.kept["hanafuda/status"] == b"online"
        state = late.state()
    assert state["table"] == served.table
    assert (state["game"], state["rules"], state["seq"]) == ("koikoi", "koikoi-standard", 4)
    assert [(each["name"], each["points"], each["total"]) for each in state["players"]] == [
        ("Aiko", 0, 5),
        ("Ben", 0, 0),
    ]
    assert state["players"][0]["yaku"] == ["moon-viewing"]
    assert state["decision"] == {"seat": 1, "name": "Aiko", "points": 5, "options": ["koikoi", "stop"]}
    assert (state["round"], state["rounds"], state["to_move"], state["dealer"]) == (1, 12, "Aiko", "Aiko")
    assert (state["last_yaku"]["player"], state["last_yaku"]["en"]) == ("Aiko", "Moon Viewing")
    assert (state["question"], state["problems"], state["over"], state["camera"]) == (
        None,
        [],
        False,
        "absent",
    )


def test_each_new_event_is_published_once(home: Listener, served: Served) -> None:
    served.submit(served.table, moved(1, "call koikoi"))
    served.submit(served.table, moved(2, "play pine-crane"), moved(2, "draw pine-ribbon pine-crane"))
    until(lambda: home.state()["seq"] == 7)
    until(lambda: len(home.reported("hanafuda/table/event")) == 3)
    events = home.reported("hanafuda/table/event")
    assert [each["seq"] for each in events] == [5, 6, 7]
    assert events[0]["data"] == {"player": 1, "words": ["call", "koikoi"]}
    assert {each["table"] for each in events} == {served.table}
    assert home.state()["to_move"] == "Aiko"


def test_the_table_is_announced_to_home_assistant(home: Listener) -> None:
    until(lambda: CONFIG in home.kept)
    about = json.loads(home.kept[CONFIG])
    assert about["device"]["identifiers"] == ["hanafuda_table"]
    assert about["origin"]["name"] == "hanafuda-companion"
    assert about["availability"] == [{"topic": "hanafuda/status"}]
    assert about["state_topic"] == "hanafuda/table/state"
    there = {key: each for key, each in about["components"].items() if len(each) > 1}
    assert there.keys() == {
        *("points-1", "points-2", "to_move", "round", "last_yaku", "decision", "question", "watching"),
        *("koi-koi-1", "stop-1", "koi-koi-2", "stop-2", "undo", "next"),
    }
    assert len({each["unique_id"] for each in there.values()}) == len(there)
    assert {each["platform"] for each in there.values()} == {"sensor", "binary_sensor", "button"}
    assert there["points-2"]["name"] == "Ben points"
    assert there["koi-koi-2"]["command_topic"] == "hanafuda/table/press/2/set"
    assert there["undo"]["command_topic"] == "hanafuda/table/press/table/set"
    # What a table with more seats or another game had is taken away.
    assert about["components"]["points-3"] == {"platform": "sensor"}
    assert about["components"]["pass-1"] == {"platform": "button"}


def test_home_assistants_birth_has_everything_published_again(home: Listener) -> None:
    until(lambda: CONFIG in home.kept)
    before = dict(home.kept)
    home.kept.clear()
    home.publish("homeassistant/status", "online")
    until(lambda: home.kept == before)


def test_a_table_of_a_name_is_a_place_and_the_newest_of_it_counts(served: Served, broker: Mosquitto) -> None:
    asked = {"game": "koikoi", "players": ["Aiko", "Ben"], "name": "Parlour"}
    served.call("POST", "/api/tables", asked)
    with listening(broker.port) as home, bridging(served.url, f"127.0.0.1:{broker.port}"):
        until(lambda: home.state("parlour"))
        second = served.call("POST", "/api/tables", {**asked, "game": "kingo", "players": ["A", "B", "C"]})[
            "id"
        ]
        until(lambda: home.state("parlour")["table"] == second)
        until(
            lambda: (
                len(
                    json.loads(home.kept["homeassistant/device/hanafuda_parlour/config"])["components"][
                        "points-3"
                    ]
                )
                > 1
            )
        )
        about = json.loads(home.kept["homeassistant/device/hanafuda_parlour/config"])
        assert about["device"]["name"] == "Parlour"
        assert about["components"]["pass-3"]["payload_press"] == "pass"


# --- commands


@pytest.mark.parametrize(
    ("seat", "payload"),
    [("1", "koi-koi"), ("table", "koi-koi"), ("1", {"button": "koi-koi", "how": "press", "key": "k1"})],
)
def test_a_command_is_a_press_at_the_table(home: Listener, served: Served, seat: str, payload: Any) -> None:
    home.publish(f"hanafuda/table/press/{seat}/set", payload)
    until(lambda: home.state()["seq"] == 5)
    event = served.events(served.table)[-1]
    assert (event.data["words"], event.actor, event.source) == (["call", "koikoi"], "MQTT", "button")
    until(lambda: home.reported(f"hanafuda/table/press/{seat}/result"))
    (result,) = home.reported(f"hanafuda/table/press/{seat}/result")
    assert (result["ok"], result["button"], result["seq"]) == (True, "koi-koi", 5)
    assert result["did"] == {
        "code": "turn-line",
        "params": {
            "player": {"code": "player-name", "params": {"name": "Aiko"}},
            "moves": {"code": "move-call-koikoi"},
        },
        "en": "Aiko calls koi-koi",
        "ja": "Aiko：こいこい",
        "ko": "Aiko: 코이코이를 불러요",
    }


def test_a_command_for_a_table_by_its_id(home: Listener, served: Served) -> None:
    home.publish(f"hanafuda/{served.table}/press/1/set", "stop")
    until(lambda: home.state()["seq"] == 5)
    assert served.calls(served.table) == ["stop"]


@pytest.mark.parametrize(
    ("seat", "payload", "code", "says"),
    [
        ("2", "koi-koi", "another-decides", "The decision is up to Aiko, not Ben"),
        ("table", "pass", "not-in-this-game", "The button pass has no meaning in Koi-Koi"),
        ("5", "stop", "no-such-seat", "There is no seat 5"),
        ("99", "stop", "no-command", "there is no seat '99'"),
        ("1", "resign", "no-command", "there is no button 'resign'"),
        ("1", "", "no-command", "there is no button ''"),
        ("1", "{", "no-command", "not JSON"),
        ("1", {"button": "stop", "how": "hard"}, "no-command", "pressed as one of"),
        ("1", "x" * 2000, "no-command", "at most 1000 bytes"),
    ],
)
def test_a_refused_command_is_answered_with_a_sentence(
    home: Listener, served: Served, seat: str, payload: Any, code: str, says: str
) -> None:
    home.publish(f"hanafuda/table/press/{seat}/set", payload)
    until(lambda: home.reported(f"hanafuda/table/press/{seat}/result"))
    (result,) = home.reported(f"hanafuda/table/press/{seat}/result")
    assert (result["ok"], result["code"]) == (False, code)
    assert says in result["says"]["en"]
    assert result["says"].keys() == {"en", "ja", "ko"}
    assert len(served.events(served.table)) == 4


def test_a_command_for_no_table(home: Listener) -> None:
    home.publish("hanafuda/nowhere/press/1/set", "stop")
    until(lambda: home.reported("hanafuda/nowhere/press/1/result"))
    assert home.reported("hanafuda/nowhere/press/1/result")[0]["code"] == "problem-no-such-table"


def test_a_command_with_a_key_counts_once(home: Listener, served: Served) -> None:
    for _ in range(3):
        home.publish("hanafuda/table/press/table/set", {"button": "undo", "key": "one"})
    until(lambda: len(home.reported("hanafuda/table/press/table/result")) == 3)
    assert [each["ok"] for each in home.reported("hanafuda/table/press/table/result")] == [True] * 3
    assert len(served.events(served.table)) == 5


def test_a_retained_command_is_ignored(served: Served, broker: Mosquitto) -> None:
    """A retained koi-koi would be repeated at every connection."""
    table = served.open_table(*DECIDING)
    with listening(broker.port) as home:
        home.publish("hanafuda/table/press/1/set", "koi-koi", retain=True)
        with bridging(served.url, f"127.0.0.1:{broker.port}"):
            until(lambda: home.state().get("seq") == 4)
            home.publish("hanafuda/table/press/1/set", "stop")
            until(lambda: home.state().get("seq") == 5)
    assert served.calls(table) == ["stop"]


# --- when something goes away


def test_killed_and_restarted_in_the_middle_all_is_right_again_and_nothing_doubled(
    home: Listener, served: Served, broker: Mosquitto
) -> None:
    """The broker loses everything: afterwards it retains what the bridge published again."""
    home.publish("hanafuda/table/press/1/set", {"button": "koi-koi", "key": "once"})
    until(lambda: home.state()["seq"] == 5)
    until(lambda: CONFIG in home.kept)
    about = home.kept[CONFIG]
    broker.kill()
    served.submit(served.table, moved(2, "play pine-crane"), moved(2, "draw pine-ribbon pine-crane"))
    broker.start()
    with listening(broker.port) as late:
        until(lambda: late.state().get("seq") == 7, 60)
        until(lambda: late.kept.get("hanafuda/status") == b"online")
        until(lambda: late.kept.get(CONFIG) == about)
        # The same press, sent again by somebody who got no answer; then a new one.
        late.publish("hanafuda/table/press/1/set", {"button": "koi-koi", "key": "once"})
        late.publish("hanafuda/table/press/table/set", "undo")
        until(lambda: late.state()["seq"] == 8)
        until(lambda: late.reported("hanafuda/table/event"))
        assert [each["seq"] for each in late.reported("hanafuda/table/event")] == [8]
    assert served.calls(served.table) == ["koikoi"]
    assert [event.kind for event in served.events(served.table)][4:] == ["moved", "moved", "moved", "undone"]


def test_a_broker_that_is_away_at_first_is_waited_for(served: Served, tmp_path: Path) -> None:
    table = served.open_table(*DECIDING)
    broker = Mosquitto(tmp_path)
    broker.kill()
    with ExitStack() as stack:
        stack.callback(broker.kill)
        received = stack.enter_context(bridging(served.url, f"127.0.0.1:{broker.port}"))
        until(lambda: received)
        assert received == [f"the broker 127.0.0.1:{broker.port} does not answer"]
        broker.start()
        home = stack.enter_context(listening(broker.port))
        until(lambda: home.state().get("table") == table, 60)
        assert received[1:] == ["the broker answers again"]


def test_the_last_word_of_a_bridge_that_ends_or_breaks_is_offline(served: Served, broker: Mosquitto) -> None:
    served.open_table()
    command = [sys.executable, "-m", "companion.cli", "mqtt", "--broker", f"127.0.0.1:{broker.port}"]
    with listening(broker.port) as home:
        for number in (signal.SIGKILL, signal.SIGTERM):
            process = subprocess.Popen([*command, "--server", served.url], stderr=subprocess.PIPE)
            until(lambda: home.kept.get("hanafuda/status") == b"online", 60)
            process.send_signal(number)
            _, complaints = process.communicate(timeout=30)
            assert process.returncode == (-9 if number == signal.SIGKILL else 0), complaints
            until(lambda: home.kept.get("hanafuda/status") == b"offline")
            assert b"Traceback" not in complaints


def test_the_server_runs_the_bridge_itself(broker: Mosquitto, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "companion.cli", "serve", "--host", "127.0.0.1", "--port", str(port)]
    options = ["--data", str(tmp_path / "data"), "--no-devices", "--mqtt", f"mqtt://127.0.0.1:{broker.port}"]
    with listening(broker.port) as home:
        process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        until(lambda: home.kept.get("hanafuda/status") == b"online", 60)
        with Client(f"http://127.0.0.1:{port}") as client:
            table = client.call("POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]})
        until(lambda: home.state().get("table") == table["id"])
        process.terminate()
        _, complaints = process.communicate(timeout=60)
        assert process.returncode == 0, complaints
        until(lambda: home.kept.get("hanafuda/status") == b"offline")


def test_a_server_that_goes_away_and_comes_back(home: Listener, served: Served) -> None:
    served.stop()
    until(lambda: home.kept["hanafuda/status"] == b"offline")
    served.start()
    until(lambda: home.kept["hanafuda/status"] == b"online")
    served.submit(served.table, moved(1, "call koikoi"))
    until(lambda: home.state()["seq"] == 5)
    until(lambda: home.reported("hanafuda/table/event"))
    assert [each["seq"] for each in home.reported("hanafuda/table/event")] == [5]


def test_a_command_while_the_server_is_away_waits_a_little_and_is_refused_then(
    home: Listener, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_EXPIRY_S", 0.2)
    served.stop()
    home.publish("hanafuda/table/press/1/set", "koi-koi")
    until(lambda: home.reported("hanafuda/table/press/1/result"))
    served.start()
    assert home.reported("hanafuda/table/press/1/result")[0]["code"] == "away"
    assert served.calls(served.table) == []


# --- user, password


def test_a_broker_that_wants_a_password(served: Served, tmp_path: Path) -> None:
    served.open_table(*DECIDING)
    passwords = tmp_path / "passwords"
    program = shutil.which("mosquitto_passwd")
    if program is None:
        pytest.skip("no mosquitto_passwd here")
    subprocess.run([program, "-b", "-c", str(passwords), "home", "hush"], capture_output=True, check=True)
    broker = Mosquitto(tmp_path, "allow_anonymous false", f"password_file {passwords}")
    with ExitStack() as stack:
        stack.callback(broker.kill)
        home = stack.enter_context(listening(broker.port, user="home", password="hush"))
        address = f"127.0.0.1:{broker.port}"
        with bridging(served.url, address, user="home", password="wrong-word") as received:
            until(lambda: received)
            assert "refused" in received[0]
            assert "wrong-word" not in "".join(received)
        assert home.kept == {}
        stack.enter_context(bridging(served.url, f"mqtt://home:hush@{address}"))
        until(lambda: home.state().get("seq") == 4)


# paho-mqtt 2.1 leaves the socket of a failed handshake to the garbage collector.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning"
)
def test_a_broker_that_speaks_tls_with_a_certificate_of_its_own(served: Served, tmp_path: Path) -> None:
    served.open_table(*DECIDING)
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl here")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=box", "-addext"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([openssl, *made, "subjectAltName=IP:127.0.0.1", *files], capture_output=True, check=True)
    plain = Mosquitto(tmp_path, "allow_anonymous true", f"certfile {certificate}", f"keyfile {key}")
    with ExitStack() as stack:
        stack.callback(plain.kill)
        address = f"127.0.0.1:{plain.port}"
        with bridging(served.url, f"mqtts://{address}") as received:  # whom nobody known vouches for
            until(lambda: received)
            assert received[0].startswith(f"the broker {address} does not answer")
        home = stack.enter_context(listening(plain.port, ca=str(certificate)))
        with bridging(served.url, address, ca=certificate) as received:
            until(lambda: home.state().get("seq") == 4)
            assert received == []
