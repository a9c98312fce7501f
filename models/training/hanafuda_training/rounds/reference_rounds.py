"""Reference rounds for the camera watcher: ten random rounds that together cover every Koi-Koi situation of the rulings,
and three rounds of other games.

The watcher must report all of them correctly, regardless of the table, lighting, camera and hands that a seed produces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round, record_of

__all__ = ["MESS", "REFERENCE_ROUNDS", "ReferenceRound"]

#: Untidiness of the tables (0-1, see `hanafuda_training.rounds.renderer.Renderer`).
MESS: Final = 0.4


@dataclass(frozen=True, slots=True)
class ReferenceRound:
    """One reference round: a name for its situation, and the seed and rules that produce it."""

    name: str
    game: str
    seed: int
    rules: str | Mapping[str, Any]
    players: int | None = None

    def record(self) -> dict[str, Any]:
        """Return the round's record."""
        rules = resolve(self.rules if isinstance(self.rules, str) else dict(self.rules), self.game)
        return record_of(random_round(self.game, self.seed, rules, self.players))


REFERENCE_ROUNDS: Final = (
    ReferenceRound("choices-and-a-draw-that-takes-the-played", "koikoi", 279, "koikoi-standard"),
    ReferenceRound("hand-takes-three", "koikoi", 198, "koikoi-standard"),
    ReferenceRound("exhausted", "koikoi", 147, "koikoi-standard"),
    ReferenceRound("draw-takes-three", "koikoi", 290, "koikoi-standard"),
    ReferenceRound("stop-after-both-called", "koikoi", 166, "koikoi-standard"),
    ReferenceRound("hand-takes-both", "koikoi", 243, "koikoi-guide"),
    ReferenceRound("stop-after-the-others-koikoi", "koikoi", 129, "koikoi-hu"),
    ReferenceRound("judged-after-each-card", "koikoi", 182, {"judge": "card"}),
    ReferenceRound("dealer-takes-four", "koikoi", 1686, {"field_four": "dealer_takes"}),
    ReferenceRound("lightning-is-wild", "koikoi", 252, {"lightning_wild": "on"}),
    ReferenceRound("kekoro", "kekoro", 5, "kekoro"),
    ReferenceRound("kakkuri", "kakkuri", 3, {"deck": "hanafuda"}, 7),
    ReferenceRound("kingo-of-four", "kingo", 3, "kingo", 4),
)
"""The reference rounds; the first ten are Koi-Koi."""
