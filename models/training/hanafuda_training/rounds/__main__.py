"""The command line of `hanafuda_training.rounds`."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.hanafuda.registry import pack_of
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round, record_of
from hanafuda_training.rounds.reference_rounds import MESS, REFERENCE_ROUNDS
from hanafuda_training.rounds.round_frames import GAMES, render, write


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m hanafuda_training.rounds", description="Draw rounds as a camera sees them."
    )
    parser.add_argument("--game", default=GAMES[0], choices=GAMES, help=f"game to play (default: {GAMES[0]})")
    parser.add_argument("--rules", help="name of a preset (default: the game's default rules)")
    parser.add_argument("--players", type=int, help="number of players (default: random)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the round and the table")
    parser.add_argument(
        "--exam",
        action="store_true",
        help="write all rounds of reference_rounds.py instead, each to its own folder",
    )
    parser.add_argument("--fps", type=float, default=2.0, help="frames per second")
    parser.add_argument(
        "--mess",
        type=float,
        default=MESS,
        help="untidiness from 0 (tidy, even light) to 1 (patterned table, glare, oblique camera)",
    )
    parser.add_argument(
        "--tilt", type=float, help="angle of the camera from vertical, degrees (default: 8 to 26)"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for the frames, truth.json and record.json"
    )
    arguments = parser.parse_args()
    if arguments.exam:
        rounds = [
            (arguments.out / reference.name, reference.seed, reference.record())
            for reference in REFERENCE_ROUNDS
        ]
    else:
        # The demo has hanafuda faces only.
        default_rules = {"deck": "hanafuda"} if pack_of(resolve(None, arguments.game)) else None
        rules = resolve(arguments.rules or default_rules, arguments.game)
        played = random_round(arguments.game, arguments.seed, rules, arguments.players)
        rounds = [(arguments.out, arguments.seed, record_of(played))]
    for folder, seed, record in rounds:
        count = write(
            folder, render(record, seed, fps=arguments.fps, mess=arguments.mess, tilt=arguments.tilt), record
        )
        print(f"{count} frames of {len(record['turns'])} turns in {folder}")


if __name__ == "__main__":
    main()
