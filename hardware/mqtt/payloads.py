"""The JSON payloads of MQTT messages: table states and commands."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args
from zlib import crc32

from companion.hanafuda.errors import BadRequestError, quote
from companion.table.presses import BUTTONS, Button, PressKind

#: Limits of a command, bytes, and of the key in it, characters.
_MAX_LENGTH: Final = 1_000
_MAX_KEY: Final = 100
#: Camera states in which the table is watched.
_WATCHING: Final = frozenset({"watching", "hands"})


def topic_name_of(name: str | None) -> str:
    """Return a table's name in topics: letters, digits and ``-``; ``table`` if it has no name.

    Tables with the same name share their topics, so that an automation continues with the newest table, evening after evening.
    """
    if not name:
        return "table"
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    # The checksum keeps names apart that differ only in other characters.
    return slug if slug and name.isascii() else f"{slug or 'table'}-{crc32(name.encode()):08x}"


def last_yaku(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the newest yaku in the lines of a history, with its seat, names and points; None if there is none."""
    for line in reversed(lines):
        if line["formed"]:
            yaku = line["formed"][-1]
            return {"seat": line["seat"], **{key: yaku[key] for key in ("name", "en", "ja", "points")}}
    return None


def table_state(
    view: Mapping[str, Any], seq: int, yaku: Mapping[str, Any] | None, camera: str
) -> dict[str, Any]:
    """Return the published state of a table, a flat extract of its view.

    ``yaku``: the result of `last_yaku`. ``camera``: the camera's state.
    """
    table, session, round_view = view["table"], view["night"], view["round"]
    in_progress = round_view is not None and round_view["outcome"] is None
    over = session["over"]
    names = {each["seat"]: each["name"] or f"{each['seat']}" for each in table["players"]}
    return {
        "table": table["id"],
        "name": table["name"],
        "seq": seq,
        "game": table["game"],
        "rules": table["rules"]["name"],
        "players": _players(names, session["points"], round_view),
        "round": round_view["number"] if round_view else 0,
        "rounds": session["of"],
        "dealer": names.get(round_view["dealer"] if round_view else session["dealer"]),
        "to_move": names.get(round_view["to_move"]) if in_progress else None,
        "to_move_seat": round_view["to_move"] if in_progress else None,
        "decision": _decision(names, round_view["decision"]) if round_view else None,
        "question": view["questions"][0]["text"] if view["questions"] else None,
        "questions": len(view["questions"]),
        "problems": [{"code": each["code"], "message": each["message"]} for each in view["problems"]],
        "last_yaku": None if yaku is None else {**yaku, "player": names[yaku["seat"]]},
        "over": over is not None,
        "winners": [names[seat] for seat in over["winners"]] if over else [],
        "camera": camera,
        "watching": camera in _WATCHING,
    }


def _players(
    names: Mapping[int, str], points: Sequence[int], round_view: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Return each player's name and points in the session, and total and yaku in the round."""
    seats = {seat["seat"]: seat for seat in round_view["seats"]} if round_view else {}
    return [
        {
            "seat": seat,
            "name": name,
            "points": points[seat - 1],
            "total": seats[seat]["total"] if seat in seats else None,
            "yaku": [each["name"] for each in seats[seat]["yaku"]] if seat in seats else [],
        }
        for seat, name in names.items()
    ]


def _decision(names: Mapping[int, str], decision: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the decision that a player has to make, None if there is none."""
    if decision is None:
        return None
    return {
        "seat": decision["seat"],
        "name": names[decision["seat"]],
        "points": decision["stake"]["points"],
        "options": [option[-1] for option in decision["options"]],
    }


@dataclass(frozen=True, slots=True)
class PressCommand:
    """A button pressed over MQTT."""

    button: Button
    how: PressKind = "press"
    key: str | None = None
    """The sender's idempotency key."""


def read_command(payload: bytes) -> PressCommand:
    """Parse a command: a button's name, or ``{"button": …, "how": …, "key": …}``; raises `BadRequestError` for anything else."""
    if len(payload) > _MAX_LENGTH:
        raise BadRequestError(f"a command has at most {_MAX_LENGTH} bytes, not {len(payload)}")
    text = payload.decode("utf-8", "replace").strip()
    document: object = {"button": text}
    if text.startswith("{"):
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise BadRequestError(f"{quote(text)} is not JSON") from None
    assert isinstance(document, dict)
    button, how, key = document.get("button"), document.get("how", "press"), document.get("key")
    if button not in BUTTONS:
        raise BadRequestError(f"there is no button {quote(button)}: there are {', '.join(BUTTONS)}")
    if how not in get_args(PressKind):
        raise BadRequestError(
            f"a button is pressed as one of {', '.join(get_args(PressKind))}, not {quote(how)}"
        )
    if key is not None and not (isinstance(key, str) and 0 < len(key) <= _MAX_KEY):
        raise BadRequestError(f"a key has 1 to {_MAX_KEY} characters, unlike {quote(key)}")
    return PressCommand(button, how, key)
