"""The registry of games: those of this distribution, and those found through the entry-point group `hanafuda.games`.

An entry point names a `Game`: ``name = "package.module:GAME"``. The games of this distribution are also listed in
`companion.hanafuda.games.BUILT_IN`, so that they are found in a checkout that is not installed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar

from .description import Game
from .games import BUILT_IN

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from .rules.record import Rules

__all__ = ["GAMES", "LazyMapping", "default_game", "pack_of"]

T = TypeVar("T")


class LazyMapping(Mapping[str, T], Generic[T]):
    """A read-only mapping that is loaded at its first use."""

    def __init__(self, load: Callable[[], Mapping[str, T]]) -> None:
        self._load = load

    @cached_property
    def _items(self) -> Mapping[str, T]:
        return self._load()

    def __getitem__(self, key: str) -> T:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def _load_games() -> dict[str, Game]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - its import takes as long as all others together

    built_in: list[Game] = [getattr(import_module(module), name) for module, name in BUILT_IN.values()]
    games = {game.slug: game for game in built_in}
    for point in sorted(entry_points(group="hanafuda.games"), key=lambda point: point.name):
        if point.name not in BUILT_IN:
            _add(games, point)
    return games


def _add(games: dict[str, Game], point: EntryPoint) -> None:
    """Add the game of another distribution; warn and skip one that cannot be used."""
    try:
        game: Game = point.load()
        if game.catalogs is not None:
            (game.catalogs / "en.ftl").read_text(encoding="utf-8")
        taken = [
            each
            for each in games.values()
            if each.slug == game.slug or each.share.letter == game.share.letter
        ]
    except Exception as error:  # another distribution's module may raise anything
        warnings.warn(f"the game {point.name} ({point.value}) cannot be loaded: {error!r}", stacklevel=2)
        return
    if taken:
        warnings.warn(
            f"the game {point.name} ({point.value}) is left out: {taken[0].slug} has its slug or share letter already",
            stacklevel=2,
        )
        return
    games[game.slug] = game


GAMES: Mapping[str, Game] = LazyMapping(_load_games)
"""Every game by its slug: the built-in ones in their order, then those of other distributions by name."""


def default_game() -> Game:
    """Return the game used if none is named."""
    return GAMES[next(iter(BUILT_IN))]


def pack_of(rules: Rules) -> str | None:
    """Return the deck of rules (`companion.hanafuda.cards.DECKS`), None if they have no choice, which means hanafuda."""
    pack: str | None = getattr(rules, "deck", None)
    return pack
