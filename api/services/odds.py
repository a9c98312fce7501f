"""The probabilities of winning at each step of finished rounds, and now in a running one: computed by one thread in the background, and cached."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from cachetools import LRUCache

from companion.odds import WinProbabilities, win_probabilities
from companion.table.live_round import AnyRound, LiveRound
from companion.table.replay import positions

_log = logging.getLogger(__name__)

_MAX_ROUNDS: Final = 200
"""Rounds in the cache; each takes about 20 kB."""
_MAX_WAITING: Final = 16
"""Rounds that wait to be computed; further ones have to be asked for again."""


@dataclass(slots=True)
class Odds:
    """The probabilities of a round after 0, 1, 2 … moves, as far as they are computed."""

    positions: int
    state: Literal["computing", "ready", "none"] = "computing"
    """``none`` if the game has no probabilities."""
    after: list[WinProbabilities] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return them as JSON."""
        return {
            "state": self.state,
            "positions": self.positions,
            "after": [each.to_dict() for each in self.after],
        }


class RoundOdds:
    """Computes and caches the probabilities of rounds. Thread-safe."""

    def __init__(self) -> None:
        self._cache: LRUCache[object, Odds] = LRUCache(_MAX_ROUNDS)
        self._lock = threading.Lock()
        self._waiting: queue.Queue[tuple[Odds, list[AnyRound]]] = queue.Queue(_MAX_WAITING)
        self._thread: threading.Thread | None = None

    def of(self, table_id: str, live: LiveRound) -> Odds:
        """Return the probabilities of a round, as far as they are computed by now."""
        return self._at((table_id, live.context, live.script), lambda: positions(live))

    def now(self, table_id: str, live: LiveRound) -> Odds:
        """Return the probabilities of a round's current position only, if they are computed by now."""
        return self._at((table_id, live.context, live.script, "now"), lambda: [live.round.copy()])

    def _at(self, key: object, rounds: Callable[[], list[AnyRound]]) -> Odds:
        with self._lock:
            if (known := self._cache.get(key)) is not None:
                return known
            wanted = rounds()
            odds = Odds(len(wanted))
            try:
                self._waiting.put_nowait((odds, wanted))
            except queue.Full:
                return odds
            self._cache[key] = odds
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="odds", daemon=True)
                self._thread.start()
            return odds

    def _work(self) -> None:
        while True:
            odds, rounds = self._waiting.get()
            try:
                for played in rounds:
                    estimate = win_probabilities(played)
                    if estimate is None:
                        break
                    odds.after.append(estimate)
            except Exception:  # the thread has to go on for other rounds
                _log.exception("the chances of a round could not be computed")
                odds.after.clear()
            odds.state = "ready" if odds.after else "none"
