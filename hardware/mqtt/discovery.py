"""The Home Assistant discovery message that describes a table as a device with sensors and buttons.

It uses Home Assistant's device-based MQTT discovery (2024.11 and newer): a retained message at
``homeassistant/device/<id>/config``, with ``device``, ``origin``, ``components`` and the settings that all components share.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Final

from companion.hanafuda.messages import Message
from companion.messages import DEFAULT_LANGUAGE, render
from companion.table.presses import Button, buttons_of

#: Maximum number of seats; components of unused seats are removed from Home Assistant.
_MAX_SEATS: Final = 8

#: Languages in which the state has the names of yaku.
_YAKU_LANGUAGES: Final = ("en", "ja")
_ICONS: Final[Mapping[str, str]] = {
    "points": "mdi:cards-playing",
    "to_move": "mdi:account-arrow-right",
    "round": "mdi:counter",
    "last_yaku": "mdi:flower",
    "koi-koi": "mdi:play",
    "stop": "mdi:hand-back-left",
    "pass": "mdi:skip-next",
    "undo": "mdi:undo",
    "next": "mdi:check",
}
_SEATED: Final[tuple[Button, ...]] = ("koi-koi", "stop", "pass")


def unique_id(prefix: str, topic_name: str) -> str:
    """Return the id of a table in Home Assistant: letters, digits, ``_`` and ``-``."""
    return f"{prefix.replace('/', '_')}_{topic_name}"


def discovery_of(
    state: Mapping[str, Any], topic_name: str, prefix: str, language: str = DEFAULT_LANGUAGE
) -> dict[str, Any]:
    """Return the message for a table in the state from `hardware.mqtt.payloads.table_state`."""
    return {
        "device": {
            "identifiers": [unique_id(prefix, topic_name)],
            "name": state["name"] or render(Message("mqtt-device"), language),
            "manufacturer": "hanafuda-companion",
            "model": state["game"],
        },
        "origin": {"name": "hanafuda-companion", "sw_version": version("hanafuda-companion")},
        "availability": [{"topic": f"{prefix}/status"}],
        "state_topic": f"{prefix}/{topic_name}/state",
        "components": _components(state, topic_name, prefix, language),
    }


def _components(
    state: Mapping[str, Any], topic_name: str, prefix: str, language: str
) -> dict[str, dict[str, Any]]:
    components: dict[str, dict[str, Any]] = {}

    def add(key: str, platform: str, message_key: str, name: str = "", **more: Any) -> None:
        icon = {"icon": _ICONS[message_key]} if message_key in _ICONS else {}
        label = render(Message(f"mqtt-{message_key}", {"name": name} if name else {}), language)
        ids = {"unique_id": f"{unique_id(prefix, topic_name)}_{key}", "name": label}
        components[key] = {"platform": platform, **ids, **icon, **more}

    def sensor(key: str, template: str, name: str = "", **more: Any) -> None:
        message_key = key.partition("-")[0]
        add(key, "sensor", message_key, name, value_template=f"{{{{ {template} }}}}", **more)

    def binary(key: str, template: str, **more: Any) -> None:
        template_text = f"{{{{ 'ON' if {template} else 'OFF' }}}}"
        add(key, "binary_sensor", key, value_template=template_text, **more)

    def button(key: Button, seat: int | None, name: str = "") -> None:
        where = "table" if seat is None else str(seat)
        topic = f"{prefix}/{topic_name}/press/{where}/set"
        add(
            key if seat is None else f"{key}-{seat}",
            "button",
            key,
            name,
            command_topic=topic,
            payload_press=key,
        )

    buttons = buttons_of(state["game"])
    for index, player in enumerate(state["players"]):
        seat, name = player["seat"], player["name"]
        measure = {"state_class": "measurement"}
        sensor(f"points-{seat}", f"value_json.players[{index}].points", name, **measure)
        for each in _SEATED:
            if each in buttons:
                button(each, seat, name)
    sensor("to_move", "value_json.to_move")
    sensor("round", "value_json.round")
    yaku = f"value_json.last_yaku.{language if language in _YAKU_LANGUAGES else DEFAULT_LANGUAGE} if value_json.last_yaku else None"
    sensor("last_yaku", yaku)
    binary("decision", "value_json.decision")
    binary("question", "value_json.questions")
    binary("watching", "value_json.watching", device_class="running", entity_category="diagnostic")
    button("undo", None)
    button("next", None)
    for seat in range(1, _MAX_SEATS + 1):
        kinds = [("points", "sensor"), *((each, "button") for each in _SEATED)]
        for kind, platform in kinds:
            # Home Assistant removes a component that has only its platform.
            components.setdefault(f"{kind}-{seat}", {"platform": platform})
    return components
