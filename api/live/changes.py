"""The JSON of a table's view: complete, or for the streams without the list items that followers already have.

Three lists of the view grow all evening: the history, the trail of undos and corrections, and the evening's rounds. A change
contains each list only from its first new or changed item on, with that item's index, and clients combine it with their
previous state. The rest of the view is sent completely.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from operator import eq
from typing import Any

__all__ = ["StateJson", "to_json"]


class StateJson:
    """A view of a table, serialized once for answers and streams."""

    def __init__(self, view: Mapping[str, Any], before: StateJson | None = None) -> None:
        """Lines of the history that are the same objects in ``before`` are not serialized again."""
        known = {} if before is None else before._lines
        rest, night = dict(view), dict(view["night"])
        del rest["night"]
        self._history = rest.pop("history")  # keeps the objects alive whose ids are keys
        self._lines: dict[int, str] = {
            id(line): known.get(id(line)) or to_json(line) for line in self._history
        }
        self._lists = {
            "history": list(self._lines.values()),
            "trail": [to_json(each) for each in rest.pop("trail")],
            "rounds": [to_json(each) for each in night.pop("rounds")],
        }
        self._rest, self._night = to_json(rest), to_json(night)

    def unchanged(self, before: StateJson) -> dict[str, int]:
        """Return the length of the prefix of ``history``, ``trail`` and ``rounds`` that is the same in ``before``."""
        return {
            name: [*map(eq, items, before._lists[name]), False].index(False)
            for name, items in self._lists.items()
        }

    def text(self, start: Mapping[str, int] | None = None) -> str:
        """Return the view as JSON, each list only from its index in ``start`` on."""
        history, trail, rounds = (
            ",".join(items[start[name] if start else 0 :]) for name, items in self._lists.items()
        )
        lists = f'"history":[{history}],"trail":[{trail}]'
        return f'{self._rest[:-1]},{lists},"night":{self._night[:-1]},"rounds":[{rounds}]}}}}'


def to_json(value: object) -> str:
    """Return a value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
