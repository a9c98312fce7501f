"""Compares referees on the observations of composed rounds: how many turns each reports right, and what it asks.

``python -m hanafuda_training.benchmarks.compare_referees FILE...`` reads the files that `hanafuda_training.rounds.observing` writes.
Nobody answers questions, except that the program answers those that the game has overtaken.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from time import process_time
from typing import Any, Final

import numpy as np

from companion.hanafuda.cards import first_of
from companion.hanafuda.rules import Rules, resolve
from companion.observations import Observation
from companion.watch.interface import referee_for
from companion.watch.referee import BeamReferee
from companion.watch_session import WatchSession

__all__ = ["REFEREES", "count"]

REFEREES: Final[Mapping[str, Callable[[Rules, int], Any]]] = {"referees": referee_for, "engine": BeamReferee}
_KNOWN_ORDER: Final = 0.9
"""Confidence from which the order of a turn's cards counts as known; a referee that states none claims to know it."""
_GAMES: Final = ("koikoi", "kekoro")


def count(lines: Sequence[Mapping[str, Any]], record: Mapping[str, Any]) -> Counter[str]:
    """Count what the lines of ``companion watch --json`` have of the turns of a record.

    ``cards``: turns with the right player, cards and captures. ``order wrong``, ``order unknown``: those of them whose play and draw are
    exchanged, and those whose order is said to be unknown. ``extra``: reported turns that were never played. ``silent``: missing
    turns of rounds without a question or a problem. ``points``: 1 if the result is right.
    """
    played = [turn for turn in record["turns"] if turn.get("play") and turn.get("draw")]
    standing = list[Mapping[str, Any]]()
    for line in lines:
        if line["event"] == "turn" and line.get("draw"):
            standing.append(line)
        elif line["event"] == "undone" and line["of"]["event"] == "turn":
            standing.pop()  # a turn is undone after all that followed it
    keys, reported_keys = [*map(_key, played)], [*map(_key, standing)]
    found: Counter[str] = Counter(turns=len(played), rounds=1)
    for block in SequenceMatcher(a=keys, b=reported_keys, autojunk=False).get_matching_blocks():
        for number in range(block.size):
            truth, turn = played[block.a + number], standing[block.b + number]
            found["cards"] += 1
            confidence = turn.get("order_confidence")
            if confidence is not None and confidence < _KNOWN_ORDER:
                found["order unknown"] += 1
            elif first_of(truth["play"]) != first_of(turn["play"]):
                found["order wrong"] += 1
    events = Counter(line["event"] for line in lines)
    found["extra"] = len(standing) - found["cards"]
    found["questions"], found["problems"] = events["question"], events["problem"]
    if not (events["question"] or events["problem"]):
        found["silent"] = len(played) - found["cards"]
    rounds = [line for line in lines if line["event"] == "round"]
    points = (record.get("result") or {}).get("points")
    found["points"] = int(bool(rounds) and (rounds[-1].get("result") or {}).get("points") == points)
    return found


def _key(turn: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return player, cards and captures of a turn, in any order; of two look-alikes the first."""
    taken = sorted(map(first_of, [*turn["captured"], *turn["draw_captured"]]))
    return turn["player"], tuple(sorted(map(first_of, [turn["play"], turn["draw"]]))), tuple(taken)


def _watch(file: Path, make_referee: Callable[[Rules, int], Any]) -> tuple[Counter[str], list[float]]:
    """Return the counts of one file, and the time of each observation, ms."""
    about, *rows = map(json.loads, file.read_text("utf-8").splitlines())
    record = about["record"]
    names = [f"P{seat}" for seat in range(1, record["players"] + 1)]
    session = WatchSession(resolve(record["rules"], record["game"]), names, None, make_referee)
    lines, times = list[Mapping[str, Any]](), list[float]()
    for row in rows:
        start = process_time()
        lines += session.observe(Observation.from_json(row["observation"]))
        times.append(1000 * (process_time() - start))
    return count([*lines, *session.finish()], record), times


def compare(files: Iterable[Path]) -> None:
    """Print the counts of each file and referee, and their sums by kind of file."""
    sums: dict[tuple[str, str], Counter[str]] = {}
    times: dict[str, list[float]] = {name: [] for name in REFEREES}
    for file in files:
        if not file.name.startswith(_GAMES):
            continue
        kind = file.suffixes[-2]
        for name, make_referee in REFEREES.items():
            found, ms = _watch(file, make_referee)
            times[name] += ms
            sums.setdefault((kind, name), Counter()).update(found)
            print(file.name, name, dict(found), flush=True)
    for (kind, name), found in sorted(sums.items()):
        print("sum", kind, name, dict(found))
    for name, ms in times.items():
        p50, p95 = np.percentile(ms, (50, 95)) if ms else (0.0, 0.0)
        print(f"{name}: {p50:.1f} ms an observation in the median, 95 % within {p95:.1f} ms, n={len(ms)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    compare(parser.parse_args().files)
