"""The rules library for other programs: standard library only, complete `__all__`, examples that work, a text board."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

import companion.hanafuda
from companion.hanafuda import BadRequestError, Deal, kakkuri, kingo, koikoi, resolve
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.simulation import random_round
from tests.message_text import raises_text

ROOT = Path(__file__).parents[3]
MODULES = [
    "companion.hanafuda",
    *(each.name for each in pkgutil.walk_packages(companion.hanafuda.__path__, "companion.hanafuda.")),
]

ISOLATED = """
import sys
before = set(sys.modules)
sys.path.insert(0, {root!r})
import importlib
for name in {modules!r}:
    importlib.import_module(name)
loaded = set(sys.modules) - before
print(*sorted(
    name for name in loaded
    if name.partition(".")[0] not in sys.stdlib_module_names
    and name != "companion" and not (name + ".").startswith("companion.hanafuda.")
))
"""


def test_the_library_loads_nothing_but_itself_and_the_standard_library() -> None:
    script = ISOLATED.format(root=str(ROOT), modules=MODULES)
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


def test_the_library_is_typed() -> None:
    assert (ROOT / "companion" / "hanafuda" / "py.typed").exists()


def _kind(name: str) -> int:
    """Sort names as in `__all__`: constants, classes, functions."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2


def _is_defined_in(module: ModuleType, name: str) -> bool:
    """Return whether a name is public and not imported from elsewhere; the imports of a package are its exports."""
    value = getattr(module, name)
    if name.startswith("_") or isinstance(value, ModuleType) or name in {"TYPE_CHECKING", "annotations"}:
        return False
    home = getattr(value, "__module__", None)
    return home == module.__name__ or (hasattr(module, "__path__") and str(home).startswith("companion."))


@pytest.mark.parametrize("name", MODULES)
def test_all_is_sorted_and_complete(name: str) -> None:
    module = importlib.import_module(name)
    exported = list(getattr(module, "__all__", []))
    assert exported == sorted(exported, key=lambda each: (_kind(each), each))
    assert [each for each in exported if not hasattr(module, each)] == []
    public = {each for each in vars(module) if _is_defined_in(module, each)}
    # Type variables are public names by their form only.
    assert {each for each in public if len(each) > 1} - set(exported) == set()


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_work(name: str) -> None:
    assert (
        doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
    )


def test_a_game_is_imported_by_its_name() -> None:
    assert koikoi.KoiKoiRound.__module__ == "companion.hanafuda.games.koikoi.round"
    with pytest.raises(AttributeError, match="has no attribute 'bakappana'"):
        companion.hanafuda.bakappana  # noqa: B018  # it is the access that raises


@pytest.mark.parametrize("game", ["koikoi", "kekoro", "kakkuri", "kingo", "kingo-bank"])
def test_moves_go_to_text_and_back(game: str) -> None:
    played = random_round(game, 7)
    assert [played.parse_move(str(move)) for move in played.moves] == list(played.moves)


@pytest.mark.parametrize(
    "text", ["", "1", "play pine-crane", "x play pine-crane", "1 play", "1 fly pine-crane"]
)
@pytest.mark.parametrize("round_class", [koikoi.KoiKoiRound, kakkuri.KakkuriRound, kingo.KingoRound])
def test_what_is_not_a_move(round_class: type[koikoi.KoiKoiRound], text: str) -> None:
    with raises_text(BadRequestError, match="is not a move"):
        round_class.parse_move(text)


def test_the_board_shows_hidden_cards_as_question_marks() -> None:
    dealt = koikoi.KoiKoiRound.shuffled(KoiKoiRules(), Random(1))
    hidden = koikoi.KoiKoiRound(
        KoiKoiRules(), Deal((dealt.deal.hands[0], (None,) * 8), dealt.deal.field, (None,) * 24), dealer=2
    )
    lines = str(hidden).splitlines()
    assert lines[0] == "house rules: dealer 2, player 2 to move"
    assert sum(line.count("??") for line in lines) == 8
    starts = {
        line.index(card)
        for line in lines[1:]
        for card in line[13:].split()[:1]
        if not line.endswith(" cards")
    }
    assert starts == {13}, "the first cards stand below each other"


@pytest.mark.parametrize("game", ["koikoi", "kekoro", "kakkuri", "kingo", "kingo-bank"])
def test_the_board_fits_a_terminal_and_names_every_player(game: str) -> None:
    played = random_round(game, 3)
    text = str(played)
    assert max(map(len, text.splitlines())) <= 101
    assert all(f"player {player}" in text for player in range(1, played.players + 1))
    assert resolve(None, game).name in text
