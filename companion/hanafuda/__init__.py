"""The rules of hanafuda games: cards, house rules, rounds, matches, records, scoring and simulation.

The library needs only the standard library. A round is used like a board of python-chess:

>>> from random import Random
>>> from companion.hanafuda import koikoi, resolve
>>> played = koikoi.KoiKoiRound.shuffled(resolve("koikoi-standard"), Random(48), month=1)
>>> print(played)
koikoi-standard: dealer 1, player 1 to move
field        pine-ribbon           plum-ribbon           iris-ribbon           peony-ribbon
             clover-boar           susuki-chaff-1        maple-chaff-1         paulownia-phoenix
stock        24 cards
player 1     plum-chaff-2          iris-chaff-1          peony-chaff-1         clover-ribbon
             susuki-geese          willow-rainman        willow-lightning      paulownia-yellow
  captured   -
player 2     pine-chaff-2          cherry-chaff-2        iris-bridge           peony-chaff-2
             clover-chaff-1        susuki-moon           willow-ribbon         paulownia-chaff-1
  captured   -
>>> move = played.legal_moves()[0]
>>> str(move)
'1 play plum-chaff-2 plum-ribbon'
>>> played.push(move)
>>> played.pop() == move
True

`check` returns every problem of a move:

>>> move = played.parse_move("2 play pine-crane")
>>> [problem.code for problem in played.check(move)]
['out-of-turn', 'not-in-hand', 'capture-refused']

Play at random until the round is over:

>>> rng = Random(1)
>>> while moves := played.legal_moves():
...     played.push(rng.choice(moves))
>>> outcome = played.outcome()
>>> outcome.how, outcome.winners, outcome.points
('last-card', (2,), (0, 20))
>>> played.score(2).base
10

Errors are subclasses of `ValueError` (`companion.hanafuda.errors`); `push` raises `IllegalMoveError` with every problem
of the move. Problems and explanations are messages (`companion.hanafuda.messages`): codes with parameters.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from .cards import Card, card
from .errors import BadRequestError
from .games import BUILT_IN
from .match import Match
from .messages import Message
from .round import Deal, IllegalMoveError, Move, Outcome, Problem, Round
from .rules import Rules, resolve

if TYPE_CHECKING:
    from .games import kakkuri, kekoro, kingo, koikoi

__all__ = [
    "BadRequestError",
    "Card",
    "Deal",
    "IllegalMoveError",
    "Match",
    "Message",
    "Move",
    "Outcome",
    "Problem",
    "Round",
    "Rules",
    "card",
    "kakkuri",
    "kekoro",
    "kingo",
    "koikoi",
    "resolve",
]


def __getattr__(name: str) -> ModuleType:
    """Import the package of a built-in game at its first use."""
    package = f"{__name__}.games.{name}"
    if any(module.rpartition(".")[0] == package for module, _ in BUILT_IN.values()):
        return import_module(package)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
