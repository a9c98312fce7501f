"""Models of scores, cards, games and rules."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from api.models.base import MAX_CARDS, Answer, CardId, Game, MessageOut, Pack, RulesIn, RulesNamed, Strict


class Calls(Strict):
    """The number of koi-koi calls of each side."""

    own: Annotated[int, Field(ge=0, le=99)] = 0
    opponent: Annotated[int, Field(ge=0, le=99)] = 0


class ScoreIn(Strict):
    """A captured pile to score."""

    game: Game
    captured: Annotated[list[CardId], Field(max_length=MAX_CARDS)]
    rules: RulesIn | None = None
    month: Annotated[int, Field(ge=1, le=12)] | None = None
    field: Annotated[list[CardId], Field(max_length=MAX_CARDS)] | None = None
    calls: Calls | None = None


class RulesAsked(Strict):
    """Rules to check and describe."""

    rules: RulesIn


class RulesComparedWith(Strict):
    """The rules that others are compared with."""

    against: Annotated[
        str | None,
        Field(
            description="Rules of the same game by name or share code; by default, the preset they are based on."
        ),
    ] = None


class RulesRenamed(Strict):
    """Another name for saved rules."""

    name: str


class RulesSaved(RulesAsked):
    """Rules to save under a name."""

    replace: Annotated[bool, Field(description="Whether to replace other rules of that name.")] = False


class RulesOut(RulesNamed):
    """The rules used for scoring, with all options."""

    options: dict[str, Any]


class RankOut(Answer):
    """A rank of hands."""

    name: str
    ja: str
    romaji: str
    en: str


class Explained(Answer):
    """A result with its explanation."""

    why: str
    reason: Annotated[dict[str, Any], Field(description="The explanation as a message: code and params.")]


class YakuOut(RankOut, Explained):
    """A yaku of the pile."""

    points: int
    cards: list[str]
    times: Annotated[int | None, Field(description="Of a hand: the teyaku's factor for the payment.")] = None


class Missing(Answer):
    """A yaku that is nearly complete: any `count` of the cards in `needs` would complete it."""

    yaku: str
    ja: str
    en: str
    needs: list[str]
    count: int


class ScoreOut(Explained):
    """The score: `base` is the sum of the yaku, `total` is what is paid."""

    yaku: list[YakuOut]
    base: int
    total: int
    values: Annotated[int | None, Field(description="The sum of the card values.")] = None
    rank: Annotated[RankOut | None, Field(description="For a hand: its rank.")] = None
    bareta: Annotated[bool | None, Field(description="Whether the hand is bust.")] = None
    times: Annotated[int | None, Field(description="Of a hand: the rank's factor for the payment.")] = None
    strength: Annotated[
        list[int] | None,
        Field(description="Comparison key: the lexicographically greater one of two hands wins."),
    ] = None
    role: str | None = None
    missing: list[Missing]
    rules: RulesNamed


class NamesOut(Answer):
    """A name by language."""

    en: str
    ja: str


class YakuNamesOut(NamesOut):
    """The names of a yaku and their source."""

    romaji: str
    source: str


class CardNamesOut(NamesOut):
    """The names of a card."""

    romaji: str
    ko: str | None


class CardsIn(Strict):
    """Which pack of cards to list."""

    pack: Pack = "hanafuda"


class CardOut(Answer):
    """A card. In packs other than hanafuda, `month` is the rank (0: the onifuda), `flower` is the suit, and there is no `face`."""

    id: str
    month: int
    flower: str
    kind: Literal["bright", "animal", "ribbon", "chaff"] | None
    names: CardNamesOut
    face: str | None


class CardsOut(Answer):
    """The cards of a pack in order."""

    cards: list[CardOut]


class RuleOptionOut(Answer):
    """A rule option with its value in a preset."""

    key: str
    section: str
    value: Any
    default: Any
    sentence: MessageOut
    meaning: MessageOut
    source: str


class RuleValueOut(Answer):
    """A value of an option with its meaning."""

    value: Any
    meaning: MessageOut


class RuleFormOut(Answer):
    """How a page asks for the value of an option."""

    type: Literal["flag", "choice", "number", "calls"]
    values: Annotated[
        list[RuleValueOut],
        Field(description="The values to choose from; of a number, those with a meaning of their own."),
    ]
    low: Annotated[int | None, Field(description="The least number.")] = None
    high: Annotated[int | None, Field(description="The greatest number.")] = None
    unit: Annotated[MessageOut | None, Field(description="What a number counts.")] = None
    max: Annotated[int | None, Field(description="The maximum number of effects of calls.")] = None


class ComparedOptionOut(RuleOptionOut):
    """A rule option with its description."""

    form: RuleFormOut
    instead_of: Annotated[RuleValueOut | None, Field(description="Null if the value is the same there.")]


class RulesDescriptionOut(Answer):
    """A description of rules: all options in the order of `sections`, and their differences from the preset `differs_from`."""

    name: str
    game: str
    title: Annotated[MessageOut, Field(description="The name of the game.")]
    hash: str
    code: Annotated[str, Field(description="The share code, in groups of four.")]
    sentence: Annotated[MessageOut | None, Field(description="Only for a preset.")]
    preset: Annotated[str, Field(description="The preset they are based on, or the most similar one.")]
    rules: dict[str, Any]
    differs_from: str
    changes: dict[str, Any]
    sections: dict[str, MessageOut]
    options: list[ComparedOptionOut]


class RulesInList(RulesNamed):
    """Named rules; `saved` is the time when they were saved, null for a preset."""

    game: str
    code: str
    sentence: MessageOut | None
    based_on: Annotated[str, Field(description="The preset they are based on, with the number of changes.")]
    saved: str | None


class RulesListOut(Answer):
    """All named rules."""

    rules: list[RulesInList]


class RulesForgotten(Answer):
    """Deleted rules; saving the code under the name restores them."""

    name: str
    code: str


class Preset(RulesNamed):
    """Named rules."""

    sentence: MessageOut
    options: list[RuleOptionOut]


class PlayersOut(Answer):
    """The allowed number of players."""

    fewest: int
    most: int
    usual: int


class SpokenCallOut(Answer):
    """A call that a player makes, such as koi-koi."""

    word: str
    ja: str
    goes_on: Annotated[bool, Field(description="Whether the round goes on.")]


class EntryOut(Answer):
    """What the pages offer for entry by hand."""

    field: Annotated[int, Field(description="The number of field cards to enter for a deal.")]
    one_tap: Annotated[bool, Field(description="Whether moves without an open card have their own buttons.")]
    long: Annotated[list[str], Field(description="The buttons with a different meaning for a long press.")]
    calls: list[SpokenCallOut]
    words: Annotated[dict[str, MessageOut], Field(description="Labels of the first words of moves.")]


class SeatLabelOut(Answer):
    """A label beside a player's cards, displayed while a member of the seat's state has a value."""

    field: str
    text: MessageOut
    value: bool | int | str
    unless: Annotated[str | None, Field(description="A field that hides the label while it is true.")]
    style: Literal["plain", "quiet", "alert"]


class BoardOut(Answer):
    """How a display shows a round."""

    layout: Literal["sides", "ring"]
    stock: Annotated[MessageOut, Field(description="The name of the face-down pile.")]
    hand: Literal["backs", "cards"]
    count: Literal["hand", "total"]
    discards: Annotated[int, Field(description="The number of newest discards to display.")]
    labels: list[SeatLabelOut]


class GameOut(Answer):
    """A game with its yaku and rules, and the configuration of its forms and boards on the pages."""

    game: str
    names: MessageOut
    pile: Annotated[bool, Field(description="Whether a pile of cards can be scored without a round.")]
    asks: Annotated[list[str], Field(description="What a scoring request may contain besides the cards.")]
    yaku: dict[str, YakuNamesOut]
    players: PlayersOut
    months: Annotated[bool, Field(description="Whether each round has a month.")]
    odds: Annotated[bool, Field(description="Whether the probability of winning a round can be computed.")]
    unit: Annotated[MessageOut, Field(description="The unit of points.")]
    entry: EntryOut
    board: BoardOut
    presets: list[Preset]


class GamesOut(Answer):
    """The supported games."""

    games: list[GameOut]


class SampleOut(Answer):
    """A sample picture."""

    name: str
    title: MessageOut
    url: str


class SamplesOut(Answer):
    """The sample pictures in display order."""

    samples: list[SampleOut]
