"""The description of a game: everything the rest of the program asks about it.

Each game's package has one `Game` object; `companion.hanafuda.registry` finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from random import Random
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from companion.hanafuda.messages import Message

if TYPE_CHECKING:
    from companion.hanafuda.match import Match
    from companion.hanafuda.round import Round
    from companion.hanafuda.rules.record import Rules
    from companion.hanafuda.rules.share_table import ShareTable

__all__ = [
    "Board",
    "Camera",
    "CardScorer",
    "Entry",
    "Game",
    "HiddenCards",
    "PileScorer",
    "SeatLabel",
    "SpokenCall",
    "yaku_names",
]


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


class PileScorer(Protocol):
    """Scores piles (48-bit sets) by one table's rules."""

    def total(self, pile: int) -> int:
        """Return the points of a pile."""

    def yaku(self, pile: int) -> Sequence[Any]:
        """Return the yaku that a pile makes."""


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
    explain: Callable[[int, Any], dict[str, Any]] | None = None
    """The same for a pile as a 48-bit set, by given rules."""
    prepare: Callable[[Any], PileScorer] | None = None
    """Returns a scorer of piles by given rules, without reasons, for many piles."""


@dataclass(frozen=True, kw_only=True)
class SeatLabel:
    """A label beside a player's cards on a display, shown while `field` of the seat is `value`."""

    field: str
    text: Message
    value: Any = True
    unless: str | None = None
    """A field of the seat that hides the label while it is true."""
    style: Literal["plain", "quiet", "alert"] = "plain"


@dataclass(frozen=True, kw_only=True)
class Board:
    """What a display shows of a round."""

    view: Callable[[Any], dict[str, Any]]
    """Returns the parts of a round for pages: ``phase``, ``field`` and ``discard`` (card ids), ``stock`` (how many cards)
    and ``seats``; each seat has ``seat``, ``hand`` (how many cards), ``captured`` (ids by card type), ``yaku``, ``base``,
    ``total``, ``why``, ``near`` and what `labels` name; ``pot`` where there is one."""
    layout: Literal["sides", "ring"]
    """Two players left and right of a field, or any number of players around the piles."""
    stock: Message
    """The name of the face-down pile."""
    hand: Literal["backs", "cards"] = "backs"
    """Whether a player in a ring has face-down cards, or those in ``cards`` of the seat."""
    count: Literal["hand", "total"] = "hand"
    """The number beside the cards: how many there are, or what they are worth."""
    discards: int = 0
    """How many of the last discards are shown."""
    labels: tuple[SeatLabel, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the description as pages receive it."""
        return {
            "layout": self.layout,
            "stock": self.stock.to_dict(),
            "hand": self.hand,
            "count": self.count,
            "discards": self.discards,
            "labels": [
                {
                    "field": label.field,
                    "text": label.text.to_dict(),
                    "value": label.value,
                    "unless": label.unless,
                    "style": label.style,
                }
                for label in self.labels
            ],
        }


Words: TypeAlias = tuple[str, ...]
"""A move without its player, as `Move.words` returns it."""


@dataclass(frozen=True, kw_only=True)
class SpokenCall:
    """A word that a player says about the round, which a display shows in large signs."""

    word: str
    """The second word of the move; the first is ``call``."""
    ja: str
    """What is said."""
    goes_on: bool = False
    """Whether the round goes on: such calls are counted in ``calls`` of a seat; others end it."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What a person can report by hand: the form of a deal, the moves that take one tap, and the buttons of a box."""

    buttons: Mapping[str, tuple[Words, ...]]
    """The moves that the buttons ``koi-koi``, ``stop`` and ``pass`` mean; the first that is legal is made.
    ``long stop`` is the button held down for a second."""
    field: int = 0
    """How many cards of the field the form of a deal asks for."""
    one_tap: bool = False
    """Whether moves that name no open card are offered as buttons of their own."""
    calls: tuple[SpokenCall, ...] = ()
    words: Mapping[str, Message] = dataclass_field(default_factory=dict)
    """Labels of the words with which moves begin, where the catalogs do not have them."""

    def to_dict(self) -> dict[str, Any]:
        """Return the description as pages receive it."""
        return {
            "field": self.field,
            "one_tap": self.one_tap,
            "long": sorted(name.removeprefix("long ") for name in self.buttons if name.startswith("long ")),
            "calls": [{"word": call.word, "ja": call.ja, "goes_on": call.goes_on} for call in self.calls],
            "words": {word: text.to_dict() for word, text in self.words.items()},
        }


@dataclass(frozen=True, kw_only=True)
class Camera:
    """What a camera and card readers have to know: where cards are, and who explains what they detect."""

    layout: Literal["beside-field", "around-stock", "around-discards"]
    """Two players on either side of a field, or players around the stock or around the discard pile."""
    scanned: Literal["field", "discard", "hand"]
    """The zone of a card that is held to a reader without a place of its own."""
    zones: Callable[[Any], dict[str, str]]
    """Returns the zone of each open card of a round."""
    referee: str
    """Module and class of the referee, ``package.module:Class``: made with the rules and the number of players."""


@dataclass(frozen=True, kw_only=True)
class HiddenCards:
    """Which cards of a running round may be known, besides those that moves lay open."""

    open_hands: Callable[[Any], bool] = lambda rules: False
    """Whether everybody sees the hands, by the rules."""
    showdown: Callable[[Any], bool] = lambda played: False
    """Whether the hands of a round are shown already."""
    known_seats: Callable[[Any, int | None], set[int]] = lambda played, seat: set()
    """Returns the seats whose dealt cards a seat, or the public (None), knows besides its own."""
    open_cards: Callable[[Any, int], frozenset[str]] = lambda rules, players: frozenset()
    """Returns the cards that their holder shows after the deal."""
    hand_words: frozenset[str] = frozenset()
    """Words of the moves by which a card comes into a hand unseen by others."""


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
    board: Board
    entry: Entry
    camera: Camera | None = None
    """None where no referee can follow the game."""
    hidden: HiddenCards = HiddenCards()
    cards: Callable[[Any], frozenset[str]]
    """Returns the ids of the cards that the rules play with."""
    unit: Message
    """What points are counted in, in the plural."""
    seats: tuple[int, int]
    """The fewest and the most players under any rules; `Round.seats` says how many there may be under given ones."""
    usual_seats: int
    form_of: str | None = None
    """The slug of the game that this is a form of: a request for that game may name rules of this form."""
    playout: Callable[[Any], Callable[[Random], object]] | None = None
    """Prepares random rounds that are played without a `Round`, for simulations of many."""
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
