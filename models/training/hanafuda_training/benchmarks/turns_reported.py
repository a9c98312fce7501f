"""Counts how many turns of composed rounds are reported right from their observations, and what the players are asked.

``python -m hanafuda_training.benchmarks.turns_reported FILE...`` reads the files that `hanafuda_training.rounds.observing` writes.
Nobody answers questions, except that the program answers those that the game has overtaken.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from time import process_time
from typing import Any, Final

import numpy as np

from companion.hanafuda.cards import first_of
from companion.hanafuda.rules import resolve
from companion.observations import Observation
from companion.watch_session import WatchSession

__all__ = ["count", "hands_of"]

_KNOWN_ORDER: Final = 0.9
"""Confidence from which the order of a turn's cards counts as known; a referee that states none claims to know it."""


def count(lines: Sequence[Mapping[str, Any]], record: Mapping[str, Any]) -> Counter[str]:
    """Count what the lines of ``companion watch --json`` have of the turns of a record; of Kakkuri the discards count as turns, of Kingo
    the hands.

    ``cards``: turns with the right player, cards and captures. ``order wrong``, ``order unknown``: those of them whose play and draw are
    exchanged, and those whose order is said to be unknown. ``extra``: reported turns that were never played. ``silent``: missing
    turns of rounds without a question or a problem. ``points``: 1 if the result is right.
    """
    found = _count_fishing(lines, record) if record.get("game") not in _ACTS else _count_acts(lines, record)
    events = Counter(line["event"] for line in lines)
    found["rounds"] = 1
    found["questions"], found["problems"], found["undone"] = (
        events["question"],
        events["problem"],
        events["undone"],
    )
    if not (events["question"] or events["problem"]):
        found["silent"] = found["turns"] - found["cards"]
    rounds = [line for line in lines if line["event"] == "round"]
    points = (record.get("result") or {}).get("points")
    found["points"] = int(bool(rounds) and (rounds[-1].get("result") or {}).get("points") == points)
    return found


def _count_acts(lines: Sequence[Mapping[str, Any]], record: Mapping[str, Any]) -> Counter[str]:
    acts = _ACTS[record["game"]]
    played = list(acts(record))
    reported = [act for line in lines if line["event"] == "round" for act in acts(line)]
    blocks = SequenceMatcher(a=played, b=reported, autojunk=False).get_matching_blocks()
    right = sum(block.size for block in blocks)
    return Counter(turns=len(played), cards=right, extra=len(reported) - right)


def _discards(record: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield each opened card and each discard of a round of Kakkuri with its player, of two look-alikes the first."""
    for turn in record["turns"]:
        if "box" in turn:
            yield turn["player"], "box", first_of(turn["box"])
        for cards in turn.get("discards", ()):
            yield turn["player"], *sorted(map(first_of, cards))


def hands_of(record: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the cards of each player of a round of Kingo that are known, of two look-alikes the first."""
    hands = {int(seat): set(cards or ()) for seat, cards in (record["deal"].get("hands") or {}).items()}
    for turn in record["turns"]:
        hands.setdefault(turn["player"], set()).update(turn.get("draws", ()), turn.get("show", ()))
    for player, cards in sorted(hands.items()):
        if known := sorted(first_of(card) for card in cards if card):
            yield player, *known


_ACTS: Final[Mapping[str, Callable[[Mapping[str, Any]], Iterator[tuple[Any, ...]]]]] = {
    "kakkuri": _discards,
    "kingo": hands_of,
}


def _count_fishing(lines: Sequence[Mapping[str, Any]], record: Mapping[str, Any]) -> Counter[str]:
    played = [turn for turn in record["turns"] if turn.get("play") and turn.get("draw")]
    standing = list[Mapping[str, Any]]()
    for line in lines:
        if line["event"] == "turn" and line.get("draw"):
            standing.append(line)
        elif line["event"] == "undone" and line["of"]["event"] == "turn":
            standing.pop()  # a turn is undone after all that followed it
    keys, reported_keys = [*map(_key, played)], [*map(_key, standing)]
    found: Counter[str] = Counter(turns=len(played))
    for block in SequenceMatcher(a=keys, b=reported_keys, autojunk=False).get_matching_blocks():
        for number in range(block.size):
            truth, turn = played[block.a + number], standing[block.b + number]
            found["cards"] += 1
            confidence = turn.get("order_confidence")
            if confidence is not None and confidence < _KNOWN_ORDER:
                found["order unknown"] += 1
            elif first_of(truth["play"]) != first_of(turn["play"]):
                found["order wrong"] += 1
    found["extra"] = len(standing) - found["cards"]
    return found


def _key(turn: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return player, cards and captures of a turn, in any order; of two look-alikes the first."""
    taken = sorted(map(first_of, [*turn["captured"], *turn["draw_captured"]]))
    return turn["player"], tuple(sorted(map(first_of, [turn["play"], turn["draw"]]))), tuple(taken)


def _watch(file: Path) -> tuple[str, Counter[str], list[float]]:
    """Return the game of one file, its counts, and the time of each observation, ms."""
    about, *rows = map(json.loads, file.read_text("utf-8").splitlines())
    record = about["record"]
    names = [f"P{seat}" for seat in range(1, record["players"] + 1)]
    session = WatchSession(resolve(record["rules"], record["game"]), names, None)
    lines, times = list[Mapping[str, Any]](), list[float]()
    for row in rows:
        start = process_time()
        lines += session.observe(Observation.from_json(row["observation"]))
        times.append(1000 * (process_time() - start))
    return record["game"], count([*lines, *session.finish()], record), times


def main(files: Iterable[Path]) -> None:
    """Print the counts of each file, and their sums by game and kind of file."""
    sums: dict[tuple[str, str], Counter[str]] = {}
    times = list[float]()
    for file in files:
        game, found, ms = _watch(file)
        times += ms
        sums.setdefault((game, file.suffixes[-2]), Counter()).update(found)
        print(file.name, dict(found), flush=True)
    for (game, kind), found in sorted(sums.items()):
        print("sum", game, kind, dict(found))
    if times:
        p50, p95 = np.percentile(times, (50, 95))
        print(f"{p50:.1f} ms an observation in the median, 95 % within {p95:.1f} ms, n={len(times)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    main(parser.parse_args().files)
