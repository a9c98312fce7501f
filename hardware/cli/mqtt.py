"""``companion mqtt``: publishes the tables over MQTT, for Home Assistant and other clients."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.cli.remote import server_options
from companion.cli.terminal import json_option, print_json
from companion.messages import LANGUAGES
from companion.net.child_process import stopping

if TYPE_CHECKING:
    from companion.net.client import Client


@click.command()
@click.option(
    "--broker",
    required=True,
    envvar="COMPANION_MQTT_BROKER",
    metavar="HOST[:PORT]",
    help="Address of the broker; mqtts://HOST[:PORT] for TLS.",
)
@server_options
@click.option("--user", envvar="COMPANION_MQTT_USER", metavar="NAME", help="User name at the broker.")
@click.option(
    "--password-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="File with the password; or set COMPANION_MQTT_PASSWORD.",
)
@click.option(
    "--ca",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="CA certificate of the broker; enables TLS.",
)
@click.option(
    "--prefix", default="hanafuda", show_default=True, metavar="TOPIC", help="Prefix of all topics."
)
@click.option(
    "--discovery",
    default="homeassistant",
    show_default=True,
    metavar="TOPIC",
    help="Prefix of Home Assistant's discovery topics.",
)
@click.option(
    "--language", type=click.Choice(LANGUAGES), default="en", help="Language of the names in Home Assistant."
)
@json_option
def mqtt(
    *,
    broker: str,
    client: Client,
    user: str | None,
    password_file: Path | None,
    ca: Path | None,
    prefix: str,
    discovery: str,
    language: str,
    as_json: bool,
) -> None:
    """Publish the state of the tables to an MQTT broker, and receive button presses from it.

    Home Assistant discovers the tables automatically. Topics: hanafuda/TABLE/state, .../event, .../press/SEAT/set and
    .../result; their payloads are described in hardware/mqtt/README.md. Stop with Ctrl-C.
    """
    from hardware.mqtt.bridge import Bridge  # noqa: PLC0415  # late: no other command needs it
    from hardware.mqtt.broker import BrokerAddress  # noqa: PLC0415

    def print_line(text: str) -> None:
        if as_json:
            print_json({"says": text})
        else:
            click.echo(f"companion mqtt: {text}", err=True)

    address = BrokerAddress.read(broker, user=user, password=_password(password_file), ca=ca)
    bridge = Bridge(
        client,
        address,
        say=print_line,
        prefix=prefix,
        discovery=discovery,
        language=language,
    )
    print_line(f"{client.url} at the broker {address}")
    with stopping() as stop:
        bridge.run(stop)


def _password(file: Path | None) -> str | None:
    if file is not None:
        return file.read_text("utf-8").rstrip("\r\n")
    return os.environ.get("COMPANION_MQTT_PASSWORD")
