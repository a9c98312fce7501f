"""What a stream tells of a change: all of a table's view but the lines that its followers have already.

Three lists of the view grow all evening: the history, the trail of undos and corrections, and the night's rounds. A change
carries each from its first line that is new or another one than before, and says which that is; whoever has the state before
puts the two together. Everything else of the view is told whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["cut"]


def cut(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    """Return how many lines of ``history``, ``trail`` and ``rounds`` two views of a table share, and the later one without."""
    night, was = after["night"], before["night"]
    kept = {
        "history": _shared(before["history"], after["history"]),
        "trail": _shared(before["trail"], after["trail"]),
        "rounds": _shared(was["rounds"], night["rounds"]),
    }
    state = {
        **after,
        "history": after["history"][kept["history"] :],
        "trail": after["trail"][kept["trail"] :],
        "night": {**night, "rounds": night["rounds"][kept["rounds"] :]},
    }
    return kept, state


def _shared(before: Sequence[Any], after: Sequence[Any]) -> int:
    """Return how many lines two lists begin with alike."""
    pairs = zip(before, after, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(before), len(after)))
