"""The description of a game: everything the rest of the program needs to know about it.

Each game's package has one `Game` object; `companion.hanafuda.registry` finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from .messages import Message
from .table_model import TableModel

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from .match import Match
    from .round import Outcome, Round
    from .rules.record import Rules
    from .rules.share_table import ShareTable

__all__ = [
    "Board",
    "Camera",
    "CardScorer",
    "Chapter",
    "Entry",
    "Example",
    "Game",
    "HiddenCards",
    "PileScorer",
    "ResultEnd",
    "ResultForm",
    "RoundReport",
    "ScoredRound",
    "ScoredSeat",
    "SeatLabel",
    "SeatReport",
    "SpokenCall",
    "YakuCards",
    "YakuChoice",
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
    """Return the names (en, ja, romaji) and the source of yaku by slug, for `CardScorer.yaku` and `ResultForm.yaku_names`."""
    return {
        each.slug: {"en": each.en, "ja": each.ja, "romaji": each.romaji, "source": each.source}
        for each in yaku
    }


class PileScorer(Protocol):
    """A scorer of piles (48-bit sets) under one table's rules."""

    def total(self, pile: int) -> int:
        """Return the points of a pile."""

    def yaku(self, pile: int) -> Sequence[Any]:
        """Return the yaku of a pile."""


@dataclass(frozen=True, kw_only=True)
class CardScorer:
    """The scoring of one player's cards without a round (``companion score``)."""

    cards: Literal["pile", "hand"]
    """Whether captured cards (as in a photo) or a hand are scored."""
    inputs: tuple[str, ...] = ()
    """The keys a request may have besides game, rules and captured."""
    yaku: Mapping[str, Mapping[str, str]]
    """The names (en, ja, romaji) and the source of each yaku, by slug."""
    score: Callable[[Mapping[str, Any], Any], dict[str, Any]]
    """Returns the result of a request of the contract's ``score``; raises `BadRequestError`."""
    explain: Callable[[int, Any], dict[str, Any]] | None = None
    """Returns the same result for a pile given as a 48-bit set, under given rules."""
    prepare: Callable[[Any], PileScorer] | None = None
    """Returns a fast scorer of piles under given rules, without explanations."""


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
    """The part of a round that a display shows."""

    view: Callable[[Any], dict[str, Any]]
    """Returns the parts of a round for pages: ``phase``, ``field`` and ``discard`` (card ids), ``stock`` (number of cards)
    and ``seats``; each seat has ``seat``, ``hand`` (number of cards), ``captured`` (ids by card type), ``yaku``,
    ``base``, ``total``, ``why``, ``near`` and the fields of `labels`; ``pot`` if the game has one.
    """
    layout: Literal["sides", "ring"]
    """Two players left and right of a field, or any number of players around the piles."""
    stock: Message
    """The name of the face-down pile."""
    hand: Literal["backs", "cards"] = "backs"
    """What is shown of a hand in a ring: face-down cards, or the seat's ``cards``."""
    count: Literal["hand", "total"] = "hand"
    """The number beside the cards: their count or their value."""
    discards: int = 0
    """The number of last discards that are shown."""
    labels: tuple[SeatLabel, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the description as JSON for pages."""
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
"""A move without its player, as returned by `Move.words`."""


@dataclass(frozen=True, kw_only=True)
class SpokenCall:
    """A call of a player, which displays show in large type."""

    word: str
    """The second word of the move; the first is ``call``."""
    ja: str
    """The spoken word."""
    goes_on: bool = False
    """Whether the round goes on. Such calls are counted in a seat's ``calls``; others end the round."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Manual entry: the deal form, the one-tap moves, and the buttons of a button box."""

    buttons: Mapping[str, tuple[Words, ...]]
    """The moves of the buttons ``koi-koi``, ``stop`` and ``pass``; the first legal one is made. ``long stop`` means that
    the button is held for a second.
    """
    field: int = 0
    """The number of field cards in the deal form."""
    hand: int = 0
    """The number of cards dealt to each player, for the deal form of rules with all hands face up."""
    one_tap: bool = False
    """Whether moves without a face-up card have buttons of their own."""
    calls: tuple[SpokenCall, ...] = ()
    words: Mapping[str, Message] = dataclass_field(default_factory=dict)
    """Labels of the first words of moves that are not the catalogs' ``live-word-<word>``."""
    rare: tuple[str, ...] = ()
    """The first words of moves that are offered after all others."""

    def to_dict(self) -> dict[str, Any]:
        """Return the description as JSON for pages."""
        return {
            "field": self.field,
            "hand": self.hand,
            "one_tap": self.one_tap,
            "long": sorted(name.removeprefix("long ") for name in self.buttons if name.startswith("long ")),
            "calls": [{"word": call.word, "ja": call.ja, "goes_on": call.goes_on} for call in self.calls],
            "words": {word: text.to_dict() for word, text in self.words.items()},
            "rare": list(self.rare),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReport:
    """What a person reports of one player's round."""

    points: int | None = None
    """The points in total, if they were counted at the table."""
    yaku: Mapping[str, int] = dataclass_field(default_factory=dict)
    """The number of further cards of each yaku, by slug."""
    calls: int = 0
    """The number of calls to play on."""
    captured: tuple[str, ...] | None = None
    """The pile; None if it was not reported."""
    paid: int = 0
    """What the player paid into the pot."""
    out: bool = False
    """Whether the player was out of the round before its end."""


@dataclass(frozen=True, slots=True)
class RoundReport:
    """What a person reports of a round without its moves."""

    how: str | None
    """How it ended, one of `ResultForm.ends`; None if the game has only one way."""
    winners: tuple[int, ...]
    seats: tuple[SeatReport, ...]
    """In seat order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSeat:
    """One player's part of a result."""

    yaku: tuple[tuple[str, int], ...] = ()
    """Slug and points."""
    calls: int = 0
    captured: tuple[str, ...] | None = None
    total: int = 0
    why: Message | None = None
    """The explanation of `total`."""


@dataclass(frozen=True, slots=True)
class ScoredRound:
    """The result of a round, computed from a report."""

    outcome: Outcome
    seats: tuple[ScoredSeat, ...]


@dataclass(frozen=True, slots=True)
class ResultEnd:
    """A way in which a round can end."""

    how: str
    text: Message
    winner: bool = True
    """Whether somebody wins."""


@dataclass(frozen=True, slots=True)
class YakuChoice:
    """A yaku that can be ticked."""

    points: int
    further: bool = False
    """Whether further cards count."""


@dataclass(frozen=True, kw_only=True)
class ResultForm:
    """What a person enters to record a round by its result."""

    score: Callable[[Any, RoundReport], ScoredRound]
    """Returns the result of a round and a report; raises `BadRequestError` with the reason if it is impossible."""
    winners: Literal["one", "several", "computed"] = "computed"
    """Whether the winners are entered, or follow from the points."""
    nobody: bool = False
    """Whether a round may have no winner."""
    ends: tuple[ResultEnd, ...] = ()
    """Empty if there is nothing to choose."""
    yaku: Callable[[Any], Mapping[str, YakuChoice]] = lambda played: {}
    """Returns the yaku of a round's rules, by slug."""
    yaku_names: Mapping[str, Mapping[str, str]] = dataclass_field(default_factory=dict)
    """The names (en, ja, romaji) of all yaku that a result may have, by slug."""
    yaku_of: Literal["winner", "each"] = "winner"
    """Whose yaku are asked."""
    calls: bool = False
    points: Literal["winner", "each", "none"] = "none"
    """Whose points may be entered; the winner's are an alternative to yaku."""
    piles: bool = False
    """Whether the captured piles decide the result."""
    out: Message | None = None
    """The label of `SeatReport.out`; None if it has no meaning."""
    paid: Message | None = None
    """The label of `SeatReport.paid`; None if it has no meaning."""

    def to_dict(self, played: Any) -> dict[str, Any]:
        """Return the form for a round as JSON for pages."""
        return {
            "winners": self.winners,
            "nobody": self.nobody,
            "ends": [{"how": end.how, "text": end.text.to_dict(), "winner": end.winner} for end in self.ends],
            "yaku": [
                {"name": slug, "points": choice.points, "further": choice.further}
                | {key: self.yaku_names[slug][key] for key in ("en", "ja", "romaji")}
                for slug, choice in self.yaku(played).items()
            ],
            "yaku_of": self.yaku_of,
            "calls": self.calls,
            "points": self.points,
            "piles": self.piles,
            "out": self.out and self.out.to_dict(),
            "paid": self.paid and self.paid.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class YakuCards:
    """A yaku as a set of cards, for people who learn the game."""

    slug: str
    points: int
    count: int
    """How many of `cards` make it."""
    cards: frozenset[str]


@dataclass(frozen=True, slots=True)
class Example:
    """Cards with a meaning, as a picture in `Chapter`."""

    name: Message
    cards: tuple[str, ...]
    worth: Message | None = None
    text: Message | None = None
    """Which cards they are, or what may be done with them."""

    def to_dict(self) -> dict[str, Any]:
        """Return the example as JSON for pages."""
        return {
            "name": self.name.to_dict(),
            "cards": list(self.cards),
            "worth": self.worth and self.worth.to_dict(),
            "text": self.text and self.text.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of a game's rules in the words of a player."""

    title: Message
    text: tuple[Message, ...] = ()
    """One paragraph each."""
    examples: tuple[Example, ...] = ()
    options: tuple[str, ...] = ()
    """The keys of the house rules that belong here: pages add what the table plays."""

    def to_dict(self) -> dict[str, Any]:
        """Return the chapter as JSON for pages."""
        return {
            "title": self.title.to_dict(),
            "text": [paragraph.to_dict() for paragraph in self.text],
            "examples": [example.to_dict() for example in self.examples],
            "options": list(self.options),
        }


@dataclass(frozen=True, kw_only=True)
class Camera:
    """What camera and card readers need: where the cards are, and the referee that interprets detections."""

    layout: Literal["beside-field", "around-stock", "around-discards"]
    """Two players on either side of a field, or players around the stock or around the discard pile."""
    scanned: Literal["field", "discard", "hand"]
    """The zone of a card held to a reader that has no zone of its own."""
    zones: Callable[[Any], dict[str, str]]
    """Returns the zone of each face-up card of a round."""
    table: Callable[[Any, int], TableModel[Any]]
    """Returns the table under given rules with a number of players."""


@dataclass(frozen=True, kw_only=True)
class HiddenCards:
    """Which hidden cards of a running round are public, besides those that moves reveal."""

    open_hands: Callable[[Any], bool] = lambda rules: False
    """Returns whether the rules make all hands public."""
    showdown: Callable[[Any], bool] = lambda played: False
    """Returns whether the hands of a round have been shown."""
    known_seats: Callable[[Any, int | None], set[int]] = lambda played, seat: set()
    """Returns the seats whose dealt cards a seat, or the public (None), knows besides its own."""
    open_cards: Callable[[Any, int], frozenset[str]] = lambda rules, players: frozenset()
    """Returns the cards that their holder shows after the deal."""
    hand_words: frozenset[str] = frozenset()
    """The first words of the moves that bring a hidden card into a hand."""


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game, or a form of a game with its own rules."""

    rules: type[Rules]
    """The house rules, with the game's slug, title and presets."""
    share: ShareTable
    """The encoding of the rules in share codes."""
    round: type[Round[Any, Any, Any]]
    match: type[Match[Any]]
    scorer: CardScorer | None = None
    """None if cards score no points outside a round."""
    board: Board
    entry: Entry
    result: ResultForm | None = None
    """None if a result has the points of each player and, if they score, the piles (`round_results.result_form`)."""
    camera: Camera | None = None
    """None if no referee can follow the game."""
    hidden: HiddenCards = HiddenCards()
    yaku_cards: Callable[[Any], Sequence[YakuCards]] = lambda played: ()
    """Returns the yaku that a round's rules play; none if yaku of this game are no sets of captured cards."""
    how_to_play: Callable[[Any], Sequence[Chapter]] = lambda rules: ()
    """Returns the game's rules in the words of a player under given house rules; pages add what differs from the usual ones."""
    policy: Callable[[Any, Sequence[Any], Random], Any] | None = None
    """Returns the move that a simulated player makes in a round, out of its legal moves (not empty). It may not use hidden
    cards. None for random moves.
    """
    policy_text: Message = dataclass_field(default=Message("odds-policy-random"))
    """What the policy does, for players."""
    call_effects: Callable[[Any, int], Sequence[Message]] = lambda played, player: ()
    """Returns what a call with which a player goes on changes under a round's rules, for players."""
    cards: Callable[[Any], frozenset[str]]
    """Returns the ids of the cards used under given rules."""
    unit: Message
    """The unit of points, in the plural."""
    seats: tuple[int, int]
    """The minimum and maximum number of players under any rules; `Round.seats` gives them for given rules."""
    usual_seats: int
    form_of: str | None = None
    """The slug of the game of which this is a form: a request for that game may use rules of this form."""
    has_months: bool = False
    """Whether each round of a match has a month."""
    catalogs: Path | None = None
    """The folder with the texts of a game of another distribution: ``en.ftl``, and a file for each further language.

    Codes begin with the game's slug, except those that the program puts together, such as ``yaku-<slug>``, and the
    name and origin of a preset, ``preset-<name>`` and ``preset-<name>-origin``. None if the program's catalogs have the
    texts.
    """

    @property
    def slug(self) -> str:
        """The name in requests, records and stored events."""
        return self.rules.game

    @property
    def title(self) -> Message:
        """The name for players."""
        return self.rules.title
