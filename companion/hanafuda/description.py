"""The description of a game: everything the rest of the program asks about it.

Each game's package has one `Game` object; `companion.hanafuda.registry` finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from companion.hanafuda.messages import Message

if TYPE_CHECKING:
    from companion.hanafuda.match import Match
    from companion.hanafuda.round import Round
    from companion.hanafuda.rules.record import Rules
    from companion.hanafuda.rules.share_table import ShareTable

__all__ = ["CardScorer", "Game", "yaku_names"]


class _Yaku(Protocol):
    @property
    def slug(self) -> str: ...
    @property
    def en(self) -> str: ...
    @property
    def ja(self) -> str: ...
    @property
    def romaji(self) -> str: ...
    @property
    def source(self) -> str: ...


def yaku_names(yaku: Iterable[_Yaku]) -> dict[str, dict[str, str]]:
    """Return the names (en, ja, romaji) and the source of yaku by slug, as `CardScorer.yaku` has them."""
    return {
        each.slug: {"en": each.en, "ja": each.ja, "romaji": each.romaji, "source": each.source}
        for each in yaku
    }


@dataclass(frozen=True, kw_only=True)
class CardScorer:
    """How the cards of one player are scored without the round they come from (``companion score``)."""

    cards: Literal["pile", "hand"]
    """Whether captured cards are scored, as a photograph shows them, or a hand."""
    inputs: tuple[str, ...] = ()
    """The keys a request may have besides game, rules and captured."""
    yaku: Mapping[str, Mapping[str, str]]
    """The names (en, ja, romaji) and the source of each yaku, by slug."""
    score: Callable[[Mapping[str, Any], Any], dict[str, Any]]
    """Returns the answer to a request of the contract's ``score``; raises `BadRequestError`."""


@dataclass(frozen=True, kw_only=True)
class Game:
    """One game, or one form of a game that has rules of its own."""

    rules: type[Rules]
    """The house rules, with the game's slug, title and presets."""
    share: ShareTable
    """How share codes write the rules."""
    round: type[Round[Any, Any, Any]]
    match: type[Match[Any]]
    scorer: CardScorer | None = None
    """None where cards make no points by themselves."""
    form_of: str | None = None
    """The slug of the game that this is a form of: a request for that game may name rules of this form."""
    has_months: bool = False
    """Whether each round of a match has a month."""

    @property
    def slug(self) -> str:
        """The name in requests, records and stored events."""
        return self.rules.game

    @property
    def title(self) -> Message:
        """The name that players use."""
        return self.rules.title
