"""Delta encoding of a table's view for the streams: leaves out the list items that followers already have.

Three lists of the view grow all evening: the history, the trail of undos and corrections, and the evening's rounds. A change
contains each list only from its first new or changed item on, with that item's index, and clients combine it with their
previous state. The rest of the view is sent completely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["cut"]


def cut(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    """Return the length of the common prefix of ``history``, ``trail`` and ``rounds``, and ``after`` without these prefixes.

    ``before`` and ``after`` are two views of a table.
    """
    night_after, night_before = after["night"], before["night"]
    unchanged = {
        "history": _common_prefix(before["history"], after["history"]),
        "trail": _common_prefix(before["trail"], after["trail"]),
        "rounds": _common_prefix(night_before["rounds"], night_after["rounds"]),
    }
    state = {
        **after,
        "history": after["history"][unchanged["history"] :],
        "trail": after["trail"][unchanged["trail"] :],
        "night": {**night_after, "rounds": night_after["rounds"][unchanged["rounds"] :]},
    }
    return unchanged, state


def _common_prefix(before: Sequence[Any], after: Sequence[Any]) -> int:
    """Return the length of the common prefix of two lists."""
    pairs = zip(before, after, strict=False)
    return next(
        (index for index, (one, other) in enumerate(pairs) if one != other), min(len(before), len(after))
    )
