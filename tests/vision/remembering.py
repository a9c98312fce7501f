"""Networks that compute each input once, for tests that run on the same pictures again."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from vision.photograph.scanner import Scanner


class RememberingSession:
    """A network's session that returns the earlier result for the same input."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._results: dict[bytes, list[np.ndarray]] = {}

    def run(self, names: list[str], inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        digest = hashlib.sha256(repr(names).encode())
        for name, values in sorted(inputs.items()):
            digest.update(f"{name} {values.shape} {values.dtype}".encode())
            digest.update(np.ascontiguousarray(values))
        key = digest.digest()
        if key not in self._results:
            self._results[key] = self._session.run(names, inputs)
        return [values.copy() for values in self._results[key]]


def remembering(scanner: Scanner, like: Scanner | None = None) -> Scanner:
    """Let a scanner's networks compute each input once, or share the results of the networks of ``like``."""
    for part in ("_detector", "_refiner", "recognizer"):
        network = getattr(scanner, part)
        network._session = getattr(like, part)._session if like else RememberingSession(network._session)
    return scanner
