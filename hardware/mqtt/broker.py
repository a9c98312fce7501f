"""The connection to an MQTT broker; all retained messages are published again after every reconnection.

Messages use QoS 0: an intact connection loses nothing, and after a lost one everything is published again. With QoS 1, a
message that was in flight when the connection was lost would be sent again after newer ones, and leave an old state at the
broker.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from companion.hanafuda.errors import BadRequestError

if TYPE_CHECKING:
    from paho.mqtt.client import Client, MQTTMessage
    from paho.mqtt.reasoncodes import ReasonCode

_KEEPALIVE_S: Final = 20
#: First and longest wait before reconnecting to the broker, s; doubled each time.
_FIRST_WAIT_S: Final = 1
_MAX_WAIT_S: Final = 5
_DISCONNECT_TIMEOUT_S: Final = 2.0
_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """A broker's address and credentials."""

    host: str
    port: int
    tls: bool = False
    ca: Path | None = None
    """The CA certificate of a broker whose certificate no public authority signed."""
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @classmethod
    def read(
        cls, payload: str, *, user: str | None = None, password: str | None = None, ca: Path | None = None
    ) -> BrokerAddress:
        """Parse ``host``, ``host:port`` or ``mqtt[s]://[user[:password]@]host[:port]``; raises `BadRequestError`.

        ``user`` and ``password`` override those in the address. The error does not quote the address: it may contain a password.
        """
        try:
            url = urlsplit(payload if "://" in payload else f"mqtt://{payload}")
            port = url.port
        except ValueError:  # the port is not a number, or a bracket is not closed
            url, port = urlsplit(""), 0
        if url.scheme not in _PORTS or not url.hostname or port == 0 or url.path not in {"", "/"}:
            raise BadRequestError(
                "this is not a broker's address; an example is 192.168.0.7, box:1883 or mqtts://box:8883"
            )
        if ca is not None and not ca.is_file():
            raise BadRequestError(f"there is no certificate {ca}")
        own_user = unquote(url.username) if url.username else None
        own_password = unquote(url.password) if url.password else None
        return cls(
            url.hostname,
            port or _PORTS[url.scheme],
            tls=url.scheme == "mqtts" or ca is not None,
            ca=ca,
            user=user or own_user,
            password=password or own_password,
        )

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def check_installed() -> None:
    """Raise `BadRequestError` unless paho-mqtt (the extra ``mqtt``) is installed."""
    try:
        import paho.mqtt  # noqa: F401, PLC0415
    except ImportError:
        raise BadRequestError(
            "MQTT needs paho-mqtt, which is not installed: pip install 'hanafuda-companion[mqtt]'"
        ) from None


class Broker:
    """A connection that reconnects automatically. All methods are thread-safe and do not wait for the broker."""

    def __init__(
        self,
        address: BrokerAddress,
        status: str,
        topics: Sequence[str],
        on_message: Callable[[str, bytes], None],
        say: Callable[[str | None], None],
        *,
        born: str,
    ) -> None:
        """``status``: the topic with ``online`` or ``offline``, also the last will. ``topics``: the topics to subscribe to.

        ``on_message`` is called in the connection's own thread with each message's topic and payload. ``born``: the topic on which
        ``online`` (Home Assistant's birth message) requests that everything is published again. ``say``: called with each error,
        and with None when it is over. Raises `BadRequestError` if paho-mqtt is not installed or the certificate is invalid.
        """
        self._status, self._topics, self._on_message, self._say = status, (*topics, born), on_message, say
        self._address, self._birth_topic = address, born
        self._lock = threading.Lock()
        self._retained: dict[str, bytes] = {}
        self._connected = False
        self._client = self._create_client()

    def open(self) -> None:
        """Start connecting in the background."""
        self._client.connect_async(self._address.host, self._address.port, _KEEPALIVE_S)
        self._client.loop_start()

    def close(self) -> None:
        """Publish ``offline`` and disconnect."""
        self.publish_retained(self._status, "offline")
        if self._connected:
            with self._lock:
                published = self._client.publish(self._status, b"offline", qos=1, retain=True)
            published.wait_for_publish(_DISCONNECT_TIMEOUT_S)
        self._client.disconnect()
        self._client.loop_stop()

    def publish_retained(self, topic: str, payload: str | Mapping[str, Any]) -> None:
        """Publish a retained message, if it has changed."""
        data = payload.encode() if isinstance(payload, str) else _json(payload)
        with self._lock:
            if self._retained.get(topic) != data:
                self._retained[topic] = data
                self._publish(topic, data, retain=True)

    def publish(self, topic: str, payload: Mapping[str, Any]) -> None:
        """Publish a message that is not retained; dropped without a connection."""
        with self._lock:
            self._publish(topic, _json(payload), retain=False)

    def _publish(self, topic: str, payload: bytes, *, retain: bool) -> None:
        if self._connected:
            self._client.publish(topic, payload, qos=0, retain=retain)

    def _publish_all(self) -> None:
        for topic, payload in self._retained.items():
            self._publish(topic, payload, retain=True)

    def _create_client(self) -> Client:
        check_installed()
        from paho.mqtt.client import Client  # noqa: PLC0415
        from paho.mqtt.enums import CallbackAPIVersion  # noqa: PLC0415

        # A random client id: a broker disconnects a client when another one with the same id connects.
        client = Client(CallbackAPIVersion.VERSION2, f"hanafuda-{secrets.token_hex(6)}")
        address = self._address
        if address.user is not None:
            client.username_pw_set(address.user, address.password)
        if address.tls:
            try:
                client.tls_set(None if address.ca is None else str(address.ca))
            except (OSError, ValueError) as error:
                raise BadRequestError(f"the certificate {address.ca} cannot be used: {error}") from None
        client.will_set(self._status, b"offline", qos=1, retain=True)
        client.reconnect_delay_set(_FIRST_WAIT_S, _MAX_WAIT_S)
        client.on_connect = self._on_connect
        client.on_connect_fail = lambda *_: self._say(f"the broker {address} does not answer")
        client.on_disconnect = self._on_disconnect
        client.on_message = self._dispatch
        return client

    # --- the connection's own thread

    def _on_connect(
        self, client: Client, _data: Any, _flags: Any, reason: ReasonCode, _properties: Any
    ) -> None:
        if reason.is_failure:
            self._say(
                f"the broker {self._address} refused the connection: {reason} (check the user name and password)"
            )
            return
        self._say(None)
        client.subscribe([(topic, 1) for topic in self._topics])
        with self._lock:
            self._connected = True
            self._publish_all()

    def _on_disconnect(
        self, _client: Client, _data: Any, _flags: Any, reason: ReasonCode, _properties: Any
    ) -> None:
        with self._lock:
            was_connected, self._connected = self._connected, False
        if was_connected and reason.is_failure:
            self._say(f"the connection to the broker {self._address} was lost: {reason}")

    def _dispatch(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        if message.topic == self._birth_topic:
            if message.payload == b"online":
                with self._lock:
                    self._publish_all()
        elif not message.retain:  # a retained command is old, and would be received again at each connection
            self._on_message(message.topic, bytes(message.payload))


def _json(payload: Mapping[str, Any]) -> bytes:
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
