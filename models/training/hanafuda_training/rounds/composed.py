"""Rounds as they happen at real tables, to fit and to measure the watcher with: any game, deck, tabletop and tilt.

``python -m hanafuda_training.rounds.composed --decks DECKS --out DIR fit koikoi:30 kakkuri:6`` writes a folder of frames for
each round, with ``record.json``, ``truth.json`` and ``about.json``, into ``DIR/fit``. Rounds that are there are kept. The splits
``fit`` and ``check`` share neither seeds nor families of decks nor kinds of tabletops.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round, record_of
from hanafuda_training.render.deck_art import Face, load_deck, random_back
from hanafuda_training.rounds import greedy_players
from hanafuda_training.rounds.disturbances import ANYWHERE, COVERS, FISHING, Disturbances
from hanafuda_training.rounds.irregular_rounds import IRREGULAR_ROUNDS, Script
from hanafuda_training.rounds.renderer import Renderer
from hanafuda_training.rounds.round_frames import ROUND_MOMENTS, DemoFrame, frames, write
from hanafuda_training.rounds.stage import Arrangement, Manner, Stage
from hanafuda_training.rounds.view_settings import View

__all__ = ["ABOUT", "SPLITS", "Setting", "Split", "compose", "setting"]

Rng = np.random.Generator

ABOUT: Final = "about.json"
"""File in a round's folder with its setting."""


@dataclass(frozen=True, slots=True)
class Split:
    """A set of rounds.

    ``decks``: names of deck folders. ``tabletops``: kinds of textures with their weights. ``seed``: of its first round.
    """

    decks: tuple[str, ...]
    tabletops: Mapping[str, float]
    seed: int


SPLITS: Final[Mapping[str, Split]] = {
    # No network was trained on onigiri-drawn; it is here so that not all rounds are of decks that the networks know.
    "fit": Split(
        (
            "onigiri-drawn", "nosnah-scan", "onigiri-drawn", "junlee-hwatu", "pysol-genjuro", "onigiri-drawn", "shintarou-nintendo",
            "sheldon-pastel", "mantia-alt-black", "hsiang-nintendo", "zerof-hwatu", "kberry-vector",
        ),
        {"wood": 0.35, "plain": 0.2, "checks": 0.15, "seigaiha": 0.1, "repeated-motif": 0.1, "print-page": 0.1},
        1_000_000,
    ),
    # No network was trained on the first two families.
    "check": Split(
        ("pfengdev-scan", "wikimedia-hwatu", "pfengdev-scan", "wikimedia-hwatu", "epsilon-educational", "pysol-oonsoo"),
        {"felt": 0.3, "marble": 0.2, "tatami": 0.2, "rectangles": 0.15, "carpet": 0.1, "asanoha": 0.05},
        2_000_000,
    ),
}  # fmt: skip
"""The splits by name."""

#: By game: rules and numbers of players, drawn with equal probability, and the fewest and most turns.
_RULES: Final[Mapping[str, tuple[Any, ...]]] = {
    "koikoi": ("koikoi-standard", "koikoi-guide", "koikoi-hu"),
    "kekoro": ("kekoro",),
    "kakkuri": ({"deck": "hanafuda", "players": "2_to_8"},),
    "kingo": ("kingo",),
}
_PLAYERS: Final = {"koikoi": (2,), "kekoro": (2,), "kakkuri": (3, 4, 5, 6), "kingo": (2, 3, 4)}
_TURNS: Final = {"koikoi": (6, 99), "kekoro": (6, 99), "kakkuri": (12, 20), "kingo": (2, 99)}
#: Largest standard deviation of the cards' positions, mm; discards are tossed onto their pile.
_MAX_JITTER: Final = {"koikoi": 2.5, "kekoro": 2.5, "kakkuri": 9.0, "kingo": 2.5}
#: Half the width and depth of the table in use, mm: by layout of the game, and of rows by type instead of other arrangements.
_EXTENT: Final = {
    "beside-field": (245.0, 205.0),
    "around-discards": (190.0, 130.0),
    "around-stock": (300.0, 170.0),
}
_EXTENT_OF_GROUPS: Final = (312.0, 200.0)
#: The largest tilt at each size of the pictures (degrees): smaller cards cannot be read.
_SIZES: Final = {(960, 540): 30.0, (1280, 720): 45.0, (1600, 900): 55.0}
_MAX_TILT: Final = 55.0
_MAX_AZIMUTH: Final = 20.0
#: How much farther away than necessary the camera stands at most.
_FARTHER: Final = 1.12
_MAX_LENS: Final = 0.03
_MAX_MESS: Final = 0.55
#: Paces: duration of a hand movement and of the rest after a turn, s, and the pause between the cards of a turn.
_PACES: Final = {"fast": (0.3, 1.0, 0.0), "normal": (0.4, 1.5, 0.5), "slow": (0.7, 2.0, 1.0)}
_PACE_WEIGHTS: Final = (0.35, 0.45, 0.2)
#: Scripts of `IRREGULAR_ROUNDS` with an illegal move.
_ILLEGAL: Final = (
    "wrong-flower",
    "draw-skipped",
    "capture-refused",
    "two-cards",
    "card-moved",
    "stock-peeked",
)
#: Probabilities that a round has no disturbance, and that a field card is unread.
_PLAIN: Final = 0.25
_UNREAD: Final = 0.15
#: Mean number of turns between disturbances.
_DISTURBED: Final = 4.5


@dataclass(frozen=True, slots=True)
class Setting:
    """What determines a round, in the form of ``about.json``.

    ``irregular``: disturbances by turn (from 1; the deal is 0), or the ``script`` of an illegal round.
    """

    folder: str
    split: str
    seed: int
    game: str
    rules: Any
    players: int
    record: Mapping[str, Any]
    deck: str
    tilt: float
    az: float
    table: str
    size: tuple[int, int]
    lens: float
    mess: float
    irregular: Mapping[str, str]
    style: Mapping[str, Any]


def setting(split: str, game: str, number: int, *, illegal: bool = False) -> Setting:
    """Return the setting of round ``number`` of a game in a split; ``illegal``: with a script of `IRREGULAR_ROUNDS`."""
    chosen = SPLITS[split]
    seed = chosen.seed + 100_000 * illegal + 10_000 * list(_RULES).index(game) + number
    rng = np.random.default_rng(seed)
    script = IRREGULAR_ROUNDS[_ILLEGAL[number % len(_ILLEGAL)]] if illegal else None
    record = _record(game, seed, rng, script)
    sizes = list(_SIZES)
    tilt = float(rng.uniform(0, _MAX_TILT))
    size = sizes[int(rng.choice([index for index, each in enumerate(sizes) if tilt <= _SIZES[each]]))]
    kinds, weights = zip(*chosen.tabletops.items(), strict=True)
    pace = str(rng.choice(list(_PACES), p=_PACE_WEIGHTS))
    arrangements: tuple[Arrangement, ...] = ("groups", "pairs", "row", "heap")
    style = {
        "pace": pace,
        "collect": str(rng.choice(("each", "both", "both", "late"))),
        "captured": [arrangements[int(index)] for index in rng.integers(0, len(arrangements), 2)],
        "stock_side": int(rng.choice((-1, 1))),
        "jitter": round(float(rng.uniform(0.5, _MAX_JITTER[game])), 2),
        "step": float(rng.choice((18.0, 15.0, 12.0))),
    }
    return Setting(
        folder=f"{'illegal' if illegal else game}-{number:03d}", split=split, seed=seed, game=game, rules=record["rules"],
        players=record["players"], record=record, deck=chosen.decks[number % len(chosen.decks)], tilt=round(tilt, 1),
        az=round(float(rng.uniform(-_MAX_AZIMUTH, _MAX_AZIMUTH)) if rng.random() < 0.6 else 0.0, 1),
        table=str(rng.choice(kinds, p=weights)), size=size, lens=round(float(rng.uniform(0, _MAX_LENS)), 4),
        mess=round(float(rng.uniform(0.1, _MAX_MESS)), 2),
        irregular={"script": _ILLEGAL[number % len(_ILLEGAL)]} if illegal else _irregular(rng, record),
        style=style,
    )  # fmt: skip


def _record(game: str, seed: int, rng: Rng, script: Script | None) -> dict[str, Any]:
    """Return the record of a round of random players, or in half of the fishing rounds of greedy ones.

    ``script``: must find its turns in it.
    """
    rules = resolve(_RULES[game][int(rng.integers(len(_RULES[game])))], game)
    greedy = game in {"koikoi", "kekoro"} and rng.random() < 0.5
    fewest, most = _TURNS[game]
    for attempt in range(10_000):
        if greedy:
            dice = Random(f"{seed}/{attempt}")
            played = GAMES[game].match(rules, players=2, dealer=dice.randint(1, 2)).shuffled(dice)
            if played.outcome() is None:
                greedy_players.play(played, dice)
        else:
            played = random_round(
                game, 10_000 * seed + attempt, rules, int(_PLAYERS[game][seed % len(_PLAYERS[game])])
            )
        record = record_of(played)
        if fewest <= len(record["turns"]) <= most and (script is None or _is_playable(script, record)):
            return record
    raise ValueError(f"no round of {game} with seed {seed} has {fewest} to {most} turns")


def _is_playable(script: Script, record: Mapping[str, Any]) -> bool:
    try:
        deque(script(Stage(np.random.default_rng(0), Manner()), record), maxlen=0)
    except RuntimeError:  # a turn that the script looks for is missing
        return False
    return True


def _irregular(rng: Rng, record: Mapping[str, Any]) -> dict[str, str]:
    if rng.random() < _PLAIN:
        return {}
    fishing = "field" in record["deal"]
    names = list(FISHING if fishing else ANYWHERE)
    irregular = {
        str(number + 1): str(rng.choice(names))
        for number in range(len(record["turns"]))
        if rng.random() < 1 / _DISTURBED
    }
    if fishing and rng.random() < _UNREAD:
        irregular["0"] = str(rng.choice(COVERS))
    return irregular


@cache
def _deck(folder: Path, seed: int) -> Mapping[str, Face]:
    """Return the faces of a deck folder by card id, with a random back."""
    deck = load_deck(folder)
    by_name = dict(zip(deck.cards, deck.faces, strict=True))
    faces = {card.id: by_name[f"{number // 4 + 1:02d}-{number % 4}"] for number, card in enumerate(HANAFUDA)}
    return {**faces, "back": random_back(np.random.default_rng(seed))}


def compose(drawn: Setting, decks: Path) -> Iterator[DemoFrame]:
    """Yield the frames of a round; ``decks``: the folder of deck folders."""
    camera = GAMES[drawn.game].camera
    assert camera is not None
    style = drawn.style
    reach, rest, pause = _PACES[style["pace"]]
    first, second = style["captured"]
    manner = Manner(
        reach=reach, rest=rest, pause=pause, mm=style["jitter"], degrees=2 * style["jitter"], collect=style["collect"],
        step=style["step"], captured=(first, second), stock_side=style["stock_side"],
    )  # fmt: skip
    rng = np.random.default_rng((drawn.seed, 1))
    # Players who tidy up may choose rows by type.
    wide = "groups" in style["captured"] or "tidy" in drawn.irregular.values()
    extent = _EXTENT_OF_GROUPS if wide else _EXTENT["beside-field"]
    half = extent if camera.layout == "beside-field" else _EXTENT[camera.layout]
    farther = float(rng.uniform(1.0, _FARTHER))
    view = View.framing((half[0] * farther, half[1] * farther), drawn.size, drawn.tilt, drawn.az)
    renderer = Renderer(
        drawn.seed, drawn.size, drawn.mess, deck=_deck(decks / drawn.deck, drawn.seed), tabletop=drawn.table, view=view,
        lens=drawn.lens,
    )  # fmt: skip
    stage = Stage(rng, manner)
    if script := drawn.irregular.get("script"):
        return frames(IRREGULAR_ROUNDS[script](stage, drawn.record), renderer)
    before = {int(turn) - 1: name for turn, name in drawn.irregular.items() if turn != "0"}
    disturb = Disturbances(before, drawn.irregular.get("0"))
    return frames(ROUND_MOMENTS[camera.layout](stage, drawn.record, disturb), renderer)


def _write_round(drawn: Setting, decks: Path, out: Path) -> None:
    folder = out / drawn.folder
    if (folder / ABOUT).exists():
        return
    if folder.exists():
        shutil.rmtree(folder)  # an interrupted round, perhaps with other frames
    count = write(folder, compose(drawn, decks), drawn.record)
    (folder / ABOUT).write_text(json.dumps(asdict(drawn), ensure_ascii=False), encoding="utf-8")
    print(f"{count} frames of {len(drawn.record['turns'])} turns in {folder}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m hanafuda_training.rounds.composed", description=__doc__)
    parser.add_argument("--decks", type=Path, required=True, help="a folder of deck folders")
    parser.add_argument("--out", type=Path, required=True, help="folder for the splits")
    parser.add_argument("split", choices=SPLITS)
    parser.add_argument(
        "rounds",
        nargs="+",
        metavar="GAME:COUNT",
        help=f"a game ({', '.join(_RULES)}) or illegal, and how many of it",
    )
    given = parser.parse_args(arguments)
    for each in given.rounds:
        game, _, count = each.partition(":")
        for number in range(int(count)):
            illegal = game == "illegal"
            drawn = setting(given.split, "koikoi" if illegal else game, number, illegal=illegal)
            _write_round(drawn, given.decks, given.out / given.split)


if __name__ == "__main__":
    main()
