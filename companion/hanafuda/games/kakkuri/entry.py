"""The moves a person can report in Kakkuri."""

from __future__ import annotations

from ...description import Entry

__all__ = ["ENTRY"]

ENTRY = Entry(
    one_tap=True,
    # Dropping out costs a share, so it needs a long press.
    buttons={"koi-koi": (("swap",),), "long stop": (("fold",),), "pass": (("keep",), ("pass",))},
)
