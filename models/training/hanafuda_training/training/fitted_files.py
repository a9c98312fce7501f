"""Writes fitted parameters beside the weights for which they were fitted."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def write_fitted(path: Path, fitted: DataclassInstance) -> None:
    """Write the fields of ``fitted`` as JSON, numbers rounded to four digits."""
    path.write_text(json.dumps(_rounded(asdict(fitted)), indent=1) + "\n", encoding="utf-8")


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [_rounded(each) for each in value]
    return round(value, 4)
