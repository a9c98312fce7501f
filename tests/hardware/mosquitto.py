"""A real Mosquitto on a port of its own, and a listener that keeps what it hears."""

from __future__ import annotations

import getpass
import json
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.hardware.wait_until import until

PROGRAM = shutil.which(
    "mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/sbin"
)


class Mosquitto:
    """A broker process. It keeps nothing over its end, as one without a disk does."""

    def __init__(self, folder: Path, *lines: str) -> None:
        assert PROGRAM is not None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self._file = folder / "mosquitto.conf"
        self._log = folder / "mosquitto.log"
        rest = lines or ("allow_anonymous true",)
        user = f"user {getpass.getuser()}"  # started by root it would become another, who may not read here
        self._file.write_text("\n".join([f"listener {self.port} 127.0.0.1", user, *rest]) + "\n", "utf-8")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([PROGRAM, "-c", str(self._file)], stdout=log, stderr=log)
        until(self._answers)

    def kill(self) -> None:
        """Pull its plug."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(20)
            self._process = None

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._log.read_text("utf-8", "replace")
        try:
            socket.create_connection(("127.0.0.1", self.port), 5).close()
        except OSError:
            return False
        return True


class Listener:
    """Hears everything at a broker: what is retained there (`kept`), and the other messages in order (`received`)."""

    def __init__(self, port: int, **login: str) -> None:
        client_module = pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is not installed")
        self._client = client_module.Client(client_module.CallbackAPIVersion.VERSION2)
        if "ca" in login:
            self._client.tls_set(login["ca"])
        if "user" in login:
            self._client.username_pw_set(login["user"], login["password"])
        self.kept: dict[str, bytes] = {}
        self.received: list[tuple[str, Any]] = []
        self._subscribed = threading.Event()
        self._client.on_connect = lambda client, *_: client.subscribe("#", 1)
        self._client.on_subscribe = lambda *_: self._subscribed.set()
        self._client.on_message = self._hear
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()
        assert self._subscribed.wait(20)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def publish(self, topic: str, payload: str | dict[str, Any] = "", *, retain: bool = False) -> None:
        body = payload if isinstance(payload, str) else json.dumps(payload)
        self._client.publish(topic, body, qos=1, retain=retain).wait_for_publish(20)

    def state(self, place: str = "table") -> dict[str, Any]:
        """The last published state of a table; empty before the first."""
        return json.loads(self.kept.get(f"hanafuda/{place}/state", b"{}"))

    def reported(self, topic: str) -> list[Any]:
        """The messages of a topic, in order."""
        return [reported for each, reported in self.received if each == topic]

    def _hear(self, _client: object, _data: object, message: Any) -> None:
        if message.topic.endswith(("/state", "/config", "hanafuda/status")):
            self.kept[message.topic] = message.payload
        elif message.topic.endswith(("/event", "/result")):
            self.received.append((message.topic, json.loads(message.payload)))


@contextmanager
def listening(port: int, **login: str) -> Iterator[Listener]:
    """Listen at a broker; what it keeps comes at once."""
    listener = Listener(port, **login)
    try:
        yield listener
    finally:
        listener.close()
