"""The shapes of what comes in and goes out, for checking and for ``/api/openapi.json``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from apiflask.fields import UploadFile
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

from api.languages import request_language
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import default_game
from companion.hanafuda.scoring import scored_games
from companion.messages import render

__all__ = [
    "CardsIn",
    "CardsOut",
    "ChangesIn",
    "ExportIn",
    "ExportOut",
    "GamesOut",
    "ListIn",
    "Pack",
    "PictureIn",
    "RulesAsked",
    "RulesListOut",
    "RulesSaved",
    "RulesToldOut",
    "SamplesOut",
    "ScanIn",
    "ScanOut",
    "ScansOut",
    "ScoreIn",
    "ScoreOut",
    "UploadOut",
]

MOST_CARDS = 200
LONGEST_NOTE = 2000

CardId = Annotated[str, StringConstraints(max_length=80)]
ScanId = Annotated[str, StringConstraints(max_length=80)]
Quad = Annotated[list[tuple[float, float]], Field(min_length=4, max_length=4)]
Pack = Literal["hanafuda", "mekurifuda", "kabufuda", "western"]
Game = Annotated[str, Field(json_schema_extra={"enum": list(scored_games())})]
RulesIn = Annotated[
    str | dict[str, Any],
    Field(
        description="A preset's name, a share code, the name of rules that were saved, or an object of options,"
        " changing the preset it names under `preset`."
    ),
]


class Strict(BaseModel):
    """What comes in: exactly what is documented, of exactly the documented types."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Told(BaseModel):
    """What goes out."""

    model_config = ConfigDict(extra="forbid")


class Calls(Strict):
    """How often each side called koi-koi."""

    own: Annotated[int, Field(ge=0, le=99)] = 0
    opponent: Annotated[int, Field(ge=0, le=99)] = 0


class ScoreIn(Strict):
    """A pile to be scored."""

    game: Game
    captured: Annotated[list[CardId], Field(max_length=MOST_CARDS)]
    rules: RulesIn | None = None
    month: Annotated[int, Field(ge=1, le=12)] | None = None
    field: Annotated[list[CardId], Field(max_length=MOST_CARDS)] | None = None
    calls: Calls | None = None


class RulesAsked(Strict):
    """Rules to be checked and read out."""

    rules: RulesIn


class RulesSaved(RulesAsked):
    """Rules to be kept under a name."""

    replace: Annotated[bool, Field(description="Whether they take the place of others of that name.")] = False


class ScanIn(Strict):
    """A picture, and how to read and score it."""

    image: Annotated[
        UploadFile,
        Field(
            description="JPEG, PNG, WebP or HEIC; at most 64 MB; JPEGs up to 210 megapixels, others up to 50."
        ),
    ]
    deck: Annotated[
        str | None,
        Field(
            description="A shipped or enrolled deck, or a pack of cards (`hanafuda`); without it the program decides.",
            examples=["hanafuda"],
        ),
    ] = None
    game: Annotated[Game | None, Field(description="Scores the pile.")] = None
    rules: Annotated[
        str | None,
        Field(
            description="A preset's name, a share code, the name of rules that were saved, or a JSON object of"
            " options.",
            examples=[default_game().rules.standard()],
        ),
    ] = None


class Correction(Strict):
    """One card put right: an id, `back`, null (unnamed again) or `removed` (there is no card)."""

    index: Annotated[int, Field(ge=0, lt=2**31)]
    card: CardId | None


class ChangesIn(Strict):
    """What to change in a scan. `added` adds to what was added before; null leaves a thing as it is."""

    corrections: Annotated[list[Correction], Field(max_length=MOST_CARDS)] = []
    added: Annotated[
        list[CardId], Field(max_length=MOST_CARDS, description="Cards that the program missed.")
    ] = []
    game: Game | None = None
    rules: RulesIn | None = None
    month: Annotated[
        Annotated[int, Field(ge=1, le=12)] | None, Field(description="Null: no month is named any more.")
    ] = None
    calls: Annotated[Calls | None, Field(description="Null: nobody called.")] = None
    kept: bool | None = None
    note: Annotated[str, StringConstraints(max_length=LONGEST_NOTE)] | None = None


class ExportIn(Strict):
    """Which scans to export."""

    kept: Annotated[
        Literal["0", "1"] | None, Field(description="1: only kept ones, 0: only drafts; all without it.")
    ] = None


class ListIn(ExportIn):
    """Which scans to list."""

    limit: Annotated[int, Field(ge=1, le=200, strict=False)] = 50
    before: Annotated[ScanId | None, Field(description="The `next` of the page before.")] = None


class PictureIn(Strict):
    """How a picture is wanted."""

    width: Annotated[
        Literal["320", "1600"] | None,
        Field(description="An upright JPEG at most this wide; without it the stored bytes."),
    ] = None


class Seen(Told):
    """A card as the program read it; `quad` is clockwise from the card's own top left, in image px."""

    card: Annotated[str | None, Field(description="An id, `back`, or null where the program is unsure.")]
    confidence: float
    quad: Quad
    visible: float
    alternatives: list[tuple[str, float]]
    zone: str | None


class QualityFindingOut(Told):
    """A reason why cards of a photograph were not recognized; `message` says by language what to do."""

    code: str
    params: dict[str, float]
    message: dict[str, str]


class Reading(Told):
    """What the program read in a picture."""

    width: int
    height: int
    deck: str
    cards: list[Seen]
    ms: dict[str, float]
    quality: Annotated[
        list[QualityFindingOut], Field(description="Why cards were not recognized, and what to do about it.")
    ] = []


class RulesNamed(Told):
    """Which rules scored."""

    name: str
    hash: str


class RulesOut(RulesNamed):
    """Which rules scored, with all their options."""

    options: dict[str, Any]


class LeftOut(Told):
    """How many cards the score does not count."""

    unnamed: int
    back: int


class Yaku(Told):
    """A yaku of the pile."""

    name: str
    ja: str
    romaji: str
    en: str
    points: int
    cards: list[str]
    why: str
    why_ja: str
    reason: Annotated[dict[str, Any], Field(description="The explanation as a message: code and params.")]
    times: Annotated[
        int | None, Field(description="Of a hand: what the teyaku multiplies the payment by.")
    ] = None


class Missing(Told):
    """A yaku that is near: any `count` of `needs` would make it."""

    yaku: str
    ja: str
    en: str
    needs: list[str]
    count: int


class RankOut(Told):
    """A rank of hands."""

    name: str
    ja: str
    romaji: str
    en: str


class ScoreOut(Told):
    """The one scorer's answer: `base` is the sum of the yaku, `total` what is paid."""

    yaku: list[Yaku]
    base: int
    total: int
    values: Annotated[int | None, Field(description="What the cards are worth by themselves.")] = None
    rank: Annotated[RankOut | None, Field(description="Of a hand: its rank.")] = None
    bareta: Annotated[bool | None, Field(description="Whether the hand is bust.")] = None
    times: Annotated[int | None, Field(description="Of a hand: what the rank multiplies the payment by.")] = (
        None
    )
    strength: Annotated[
        list[int] | None, Field(description="Of two hands the greater one, compared in order, wins.")
    ] = None
    role: str | None = None
    why: str
    why_ja: str
    reason: Annotated[dict[str, Any], Field(description="The explanation as a message: code and params.")]
    missing: list[Missing]
    rules: RulesNamed


class UploadOut(Reading):
    """What was read in a picture, as `companion scan --json` tells it, and where the log keeps it."""

    id: str
    image: str
    score: Annotated[
        ScoreOut | None, Field(description="Only there when a game was named, for hanafuda.")
    ] = None
    left_out: LeftOut | None = None


class Standing(Told):
    """A card as it stands now, after corrections; `quad` is null for one that a person added."""

    index: int
    card: str | None
    by: Literal["program", "person"]
    confidence: float
    quad: Quad | None
    visible: float
    alternatives: list[tuple[str, float]]
    zone: str | None


class Corrected(Told):
    """One correction as it was made; an added card has no `from`."""

    time: str
    actor: str
    kind: Literal["corrected", "added"]
    index: int
    card: str | None
    from_: Annotated[str | None, Field(alias="from")] = None


class ExportOut(Told):
    """One scan of the log: the program's reading (never changed), the corrections, and what follows."""

    id: str
    time: str
    kept: bool
    note: str
    image: str
    sha256: str
    reading: Reading
    corrections: list[Corrected]
    cards: list[Standing]
    left_out: LeftOut
    game: str | None
    rules: RulesOut | None
    month: int | None
    calls: dict[str, int] | None
    score: ScoreOut | None


class ScanOut(ExportOut):
    """One scan of the log, and where its picture can be had."""

    picture: str


class Summary(Told):
    """One scan in a list; without a game there are no rules and no total."""

    id: str
    time: str
    kept: bool
    note: str
    image: str
    picture: str
    game: str | None
    rules: RulesNamed | None
    total: int | None
    cards: int
    unnamed: int


class ScansOut(Told):
    """Scans, newest first; `next` is the `before` of the following page, null on the last."""

    scans: list[Summary]
    next: str | None


class MessageOut(Told):
    """A message: its code in the catalogs, its parameters, and its text in the language of the request.

    What has no code yet, as an old log's sentences, has its text by language instead.
    """

    code: str | None = None
    params: dict[str, Any] | None = None
    message: str = ""
    en: str | None = None
    ja: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _render(cls, data: Any) -> Any:
        return {**data, "message": render(Message.from_dict(data), request_language())}

    @model_serializer(mode="wrap")
    def _without_nulls(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialize(self).items() if value is not None}


class Names(Told):
    """A name by language."""

    en: str
    ja: str


class YakuNames(Names):
    """What people call a yaku, and the text it comes from."""

    romaji: str
    source: str


class CardNames(Names):
    """What people call a card."""

    romaji: str
    ko: str | None


class CardsIn(Strict):
    """Which pack of cards to list."""

    pack: Pack = "hanafuda"


class Card(Told):
    """A card; in the other packs `month` is the rank (0: the onifuda), `flower` the suit, and nobody drew a `face`."""

    id: str
    month: int
    flower: str
    kind: Literal["bright", "animal", "ribbon", "chaff"] | None
    names: CardNames
    face: str | None


class CardsOut(Told):
    """The cards of a pack in its order."""

    cards: list[Card]


class Option(Told):
    """One named point on which tables differ, as a preset decides it."""

    key: str
    section: str
    value: Any
    default: Any
    sentence: MessageOut
    meaning: MessageOut
    source: str


class Instead(Told):
    """What an option is in the preset that the rules are held against."""

    value: Any
    meaning: MessageOut


class OptionTold(Option):
    """An option of rules that were read out."""

    instead_of: Annotated[Instead | None, Field(description="Null where it is the same there.")]


class RulesToldOut(Told):
    """Rules read out: all options in the order of `sections`, and what differs from the preset `differs_from`."""

    name: str
    game: str
    title: Annotated[MessageOut, Field(description="What the game is called.")]
    hash: str
    code: Annotated[str, Field(description="The share code, in groups of four.")]
    sentence: Annotated[MessageOut | None, Field(description="Of a preset.")]
    preset: Annotated[str, Field(description="What the rules were made from, or come nearest to.")]
    rules: dict[str, Any]
    differs_from: str
    changes: dict[str, Any]
    sections: dict[str, MessageOut]
    options: list[OptionTold]


class RulesInList(RulesNamed):
    """Rules with a name; `saved` is when a person gave it, null for a preset."""

    game: str
    code: str
    sentence: MessageOut | None
    saved: str | None


class RulesListOut(Told):
    """The rules that have a name."""

    rules: list[RulesInList]


class Preset(Told):
    """Rules with a name."""

    name: str
    sentence: MessageOut
    hash: str
    options: list[Option]


class PlayersOut(Told):
    """How many may play."""

    fewest: int
    most: int
    usual: int


class SpokenCallOut(Told):
    """A word that a player says about the round."""

    word: str
    ja: str
    goes_on: Annotated[bool, Field(description="Whether the round goes on.")]


class EntryOut(Told):
    """What a person can report by hand."""

    field: Annotated[int, Field(description="How many cards of the field the form of a deal asks for.")]
    one_tap: Annotated[
        bool, Field(description="Whether moves without an open card have buttons of their own.")
    ]
    long: Annotated[list[str], Field(description="The buttons that mean something else when held down.")]
    calls: list[SpokenCallOut]
    words: Annotated[dict[str, MessageOut], Field(description="Labels of words with which moves begin.")]


class SeatLabelOut(Told):
    """A label beside a player's cards, shown while a field of the seat has a value."""

    field: str
    text: MessageOut
    value: bool | int | str
    unless: Annotated[str | None, Field(description="A field that hides the label while it is true.")]
    style: Literal["plain", "quiet", "alert"]


class BoardOut(Told):
    """What a display shows of a round."""

    layout: Literal["sides", "ring"]
    stock: Annotated[MessageOut, Field(description="The name of the face-down pile.")]
    hand: Literal["backs", "cards"]
    count: Literal["hand", "total"]
    discards: Annotated[int, Field(description="How many of the last discards are shown.")]
    labels: list[SeatLabelOut]


class GameOut(Told):
    """A game with its yaku and rules, and the forms and boards of its pages."""

    game: str
    names: MessageOut
    pile: Annotated[bool, Field(description="Whether a pile, as in a picture, can be scored.")]
    asks: Annotated[list[str], Field(description="What a request may tell besides the cards.")]
    yaku: dict[str, YakuNames]
    players: PlayersOut
    months: Annotated[bool, Field(description="Whether each round has a month.")]
    unit: Annotated[MessageOut, Field(description="What points are counted in.")]
    entry: EntryOut
    board: BoardOut
    presets: list[Preset]


class GamesOut(Told):
    """The games the program knows."""

    games: list[GameOut]


class Sample(Told):
    """A picture to try."""

    name: str
    title: MessageOut
    url: str


class SamplesOut(Told):
    """Pictures to try, in the order to show them."""

    samples: list[Sample]
