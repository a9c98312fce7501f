"""The command line of `vision.demo`."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.hanafuda.registry import pack_of
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round, record_of
from vision.demo.reference_rounds import EXAM, MESS
from vision.demo.round_frames import GAMES, render, write


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m vision.demo", description="Draw rounds as a camera sees them."
    )
    parser.add_argument("--game", default=GAMES[0], choices=GAMES, help=f"{GAMES[0]} when nothing is said")
    parser.add_argument("--rules", help="a preset's name; the game's own when nothing is said")
    parser.add_argument("--players", type=int, help="how many play; drawn by lot when nothing is said")
    parser.add_argument("--seed", type=int, default=1, help="another number, another round and table")
    parser.add_argument(
        "--exam",
        action="store_true",
        help="all rounds of vision/demo/reference_rounds.py instead, a folder each",
    )
    parser.add_argument("--fps", type=float, default=2.0, help="pictures a second")
    parser.add_argument(
        "--mess", type=float, default=MESS, help="0: tidy, even light; 1: patterned, glare, aslant"
    )
    parser.add_argument(
        "--tilt", type=float, help="degrees of the camera from vertical; 8 to 26 if not given"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for the frames, truth.json and record.json"
    )
    arguments = parser.parse_args()
    if arguments.exam:
        rounds = [(arguments.out / reference.name, reference.seed, reference.record()) for reference in EXAM]
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
