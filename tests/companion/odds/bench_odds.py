"""``python -m tests.companion.odds.bench_odds`` measures the simulation behind the chances of winning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from time import process_time
from typing import Any, Final

import click

from companion.bench import machine
from companion.cli.terminal import json_option, print_json
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import PRESETS
from companion.hanafuda.simulation import record_of
from companion.odds import win_probabilities

__all__ = ["MeasuredOdds", "bench_odds", "measure_odds"]

_SEED: Final = 48
_SLOWER: Final = 20
"""How many times fewer playouts are measured on the rules engine, because each takes longer."""


@dataclass(frozen=True, slots=True)
class MeasuredOdds:
    """The playouts per second of CPU time by one preset."""

    preset: str
    fast: bool
    """Whether the rounds are played at once."""
    per_second: float

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement for JSON."""
        return {"rules": self.preset, "fast": self.fast, "playouts_per_second": round(self.per_second)}


def measure_odds(playouts: int) -> Iterator[MeasuredOdds]:
    """Yield a measurement for each preset whose hidden cards can be dealt at random."""
    for preset in PRESETS.values():
        game = GAMES[preset.game]
        situation = {"month": 1} if game.has_months else {}
        dealt = game.round.shuffled(preset, Random(_SEED), players=game.usual_seats, **situation)
        record = record_of(dealt)
        record["deal"] |= {"hands": {}, "stock": None}
        hidden = game.round.from_record(record)
        if win_probabilities(hidden, playouts=1) is None:
            continue
        fast = game.playouts(hidden) is not None
        count = playouts if fast else max(1, playouts // _SLOWER)
        win_probabilities(hidden, playouts=count // 10 or 1)  # fills the lookup tables
        started = process_time()
        result = win_probabilities(hidden, playouts=count)
        assert result is not None
        yield MeasuredOdds(preset.name, fast, result.playouts / (process_time() - started))


@click.command()
@click.option(
    "--playouts",
    type=click.IntRange(1, 10_000_000),
    default=20_000,
    show_default=True,
    help="The number of simulated rounds of each measurement.",
)
@json_option
def bench_odds(playouts: int, as_json: bool) -> None:
    """Measure how many rounds per second the simulation plays for the chances of winning, on one core, by every preset.

    Each round starts from the deal, with hidden hands, which takes longer than any later position.
    """
    if not as_json:
        click.echo(f"{machine()['cpu']}; playouts per second of the processor, and how they are played")
    for measured in measure_odds(playouts):
        if as_json:
            print_json({**measured.to_dict(), **machine()})
        else:
            engine = "all at once" if measured.fast else "one by one on the rules engine"
            click.echo(f"{measured.preset:<20}{measured.per_second:>9,.0f}  {engine}")


if __name__ == "__main__":
    bench_odds()
