"""The JSON payloads of MQTT messages: a table's state, and commands."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args
from zlib import crc32

from companion.hanafuda.errors import BadRequestError, shown
from companion.table.button_presses import BUTTONS, Button, How

__all__ = ["Command", "last_yaku", "read_command", "table_state", "topic_name_of"]

_MAX_LENGTH: Final = 1_000
#: States of a camera that sees the table.
_WATCHING: Final = frozenset({"watching", "hands"})


def topic_name_of(name: str | None) -> str:
    """Return a table's name in topics: letters, digits and ``-``; ``table`` if it has no name.

    Tables of one name are one place, evening after evening: what an automation was made for goes on with the newest.
    """
    if not name:
        return "table"
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    # A name that is not written in these letters is told apart from others by its sum.
    return slug if slug and name.isascii() else f"{slug or 'table'}-{crc32(name.encode()):08x}"


def last_yaku(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the yaku that was made last in the lines of a history: its seat, names and points."""
    for line in reversed(lines):
        if line["formed"]:
            yaku = line["formed"][-1]
            return {"seat": line["seat"], **{key: yaku[key] for key in ("name", "en", "ja", "points")}}
    return None


def table_state(
    view: Mapping[str, Any], seq: int, yaku: Mapping[str, Any] | None, camera: str
) -> dict[str, Any]:
    """Return the published state of a table, a flat extract of its view.

    ``yaku`` is what `last_yaku` found, ``camera`` the camera's state.
    """
    table, night, played = view["table"], view["night"], view["round"]
    seats = {seat["seat"]: seat for seat in played["seats"]} if played else {}
    in_progress = played is not None and played["outcome"] is None
    decision = played["decision"] if played else None
    over = night["over"]
    names = {each["seat"]: each["name"] or f"{each['seat']}" for each in table["players"]}
    return {
        "table": table["id"],
        "name": table["name"],
        "seq": seq,
        "game": table["game"],
        "rules": table["rules"]["name"],
        "players": [
            {
                "seat": seat,
                "name": name,
                "points": night["points"][seat - 1],
                "total": seats[seat]["total"] if seat in seats else None,
                "yaku": [each["name"] for each in seats[seat]["yaku"]] if seat in seats else [],
            }
            for seat, name in names.items()
        ],
        "round": played["number"] if played else 0,
        "rounds": night["of"],
        "dealer": names.get(played["dealer"] if played else night["dealer"]),
        "to_move": names.get(played["to_move"]) if in_progress else None,
        "to_move_seat": played["to_move"] if in_progress else None,
        "decision": None
        if decision is None
        else {
            "seat": decision["seat"],
            "name": names[decision["seat"]],
            "points": decision["stake"]["points"],
            "options": [words[-1] for words in decision["options"]],
        },
        "question": view["questions"][0]["text"] if view["questions"] else None,
        "questions": len(view["questions"]),
        "problems": [{"code": each["code"], "message": each["message"]} for each in view["problems"]],
        "last_yaku": None if yaku is None else {**yaku, "player": names[yaku["seat"]]},
        "over": over is not None,
        "winners": [names[seat] for seat in over["winners"]] if over else [],
        "camera": camera,
        "watching": camera in _WATCHING,
    }


@dataclass(frozen=True, slots=True)
class Command:
    """A button pressed over MQTT."""

    button: Button
    how: How = "press"
    key: str | None = None
    """The sender's idempotency key."""


def read_command(payload: bytes) -> Command:
    """Read a command: a button's word, or ``{"button": …, "how": …, "key": …}``; `BadRequestError` where it is neither."""
    words = ", ".join(BUTTONS)
    if len(payload) > _MAX_LENGTH:
        raise BadRequestError(f"a command has at most {_MAX_LENGTH} bytes, not {len(payload)}")
    text = payload.decode("utf-8", "replace").strip()
    document: object = {"button": text}
    if text.startswith("{"):
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise BadRequestError(f"{shown(text)} is no JSON") from None
    assert isinstance(document, dict)
    button, how, key = document.get("button"), document.get("how", "press"), document.get("key")
    if button not in BUTTONS:
        raise BadRequestError(f"there is no button {shown(button)}: there are {words}")
    if how not in get_args(How):
        raise BadRequestError(f"a button is pressed as one of {', '.join(get_args(How))}, not {shown(how)}")
    if key is not None and not (isinstance(key, str) and 0 < len(key) <= 100):
        raise BadRequestError(f"a key has 1 to 100 characters, unlike {shown(key)}")
    return Command(button, how, key)
