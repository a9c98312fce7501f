"""Schemas of requests and responses, used for validation and for ``/api/openapi.json``."""

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
    "Name",
    "Pack",
    "PictureIn",
    "RulesAsked",
    "RulesComparedWith",
    "RulesDescriptionOut",
    "RulesForgotten",
    "RulesListOut",
    "RulesRenamed",
    "RulesSaved",
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
Name = Annotated[str, StringConstraints(min_length=1, max_length=40, strip_whitespace=True)]
ScanId = Annotated[str, StringConstraints(max_length=80)]
Quad = Annotated[list[tuple[float, float]], Field(min_length=4, max_length=4)]
Pack = Literal["hanafuda", "mekurifuda", "kabufuda", "western"]
Photograph = Annotated[
    UploadFile,
    Field(description="JPEG, PNG, WebP or HEIC; at most 64 MB; JPEGs up to 210 megapixels, others up to 50."),
]
Game = Annotated[str, Field(json_schema_extra={"enum": list(scored_games())})]
RulesIn = Annotated[
    str | dict[str, Any],
    Field(
        description="The name of a preset or of saved rules, a share code, or an object of options that change"
        " the preset named under `preset`."
    ),
]


class Strict(BaseModel):
    """Base of request schemas: unknown members and type conversions are refused."""

    model_config = ConfigDict(strict=True, extra="forbid")


class ResponseSchema(BaseModel):
    """Base of response schemas."""

    model_config = ConfigDict(extra="forbid")


class Calls(Strict):
    """The number of koi-koi calls of each side."""

    own: Annotated[int, Field(ge=0, le=99)] = 0
    opponent: Annotated[int, Field(ge=0, le=99)] = 0


class ScoreIn(Strict):
    """A captured pile to score."""

    game: Game
    captured: Annotated[list[CardId], Field(max_length=MOST_CARDS)]
    rules: RulesIn | None = None
    month: Annotated[int, Field(ge=1, le=12)] | None = None
    field: Annotated[list[CardId], Field(max_length=MOST_CARDS)] | None = None
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


class ScanIn(Strict):
    """A picture to scan, with options for reading and scoring it."""

    image: Photograph
    deck: Annotated[
        str | None,
        Field(
            description="A shipped or enrolled deck, or a pack of cards (`hanafuda`); detected by default.",
            examples=["hanafuda"],
        ),
    ] = None
    game: Annotated[Game | None, Field(description="The game whose rules score the pile.")] = None
    rules: Annotated[
        str | None,
        Field(
            description="A preset's name, a share code, the name of rules that were saved, or a JSON object of"
            " options.",
            examples=[default_game().rules.standard()],
        ),
    ] = None


class CorrectionIn(Strict):
    """A correction of one card: its id, `back`, null (unnamed again), or `removed` (there is no card)."""

    index: Annotated[int, Field(ge=0, lt=2**31)]
    card: CardId | None


class ChangesIn(Strict):
    """Changes to a scan. `added` adds to earlier additions; members that are null change nothing."""

    corrections: Annotated[list[CorrectionIn], Field(max_length=MOST_CARDS)] = []
    added: Annotated[
        list[CardId], Field(max_length=MOST_CARDS, description="Cards that were not detected.")
    ] = []
    game: Game | None = None
    rules: RulesIn | None = None
    month: Annotated[
        Annotated[int, Field(ge=1, le=12)] | None, Field(description="Null: remove the month.")
    ] = None
    calls: Annotated[Calls | None, Field(description="Null: no calls.")] = None
    kept: bool | None = None
    note: Annotated[str, StringConstraints(max_length=LONGEST_NOTE)] | None = None


class ExportIn(Strict):
    """Which scans to export."""

    kept: Annotated[
        Literal["0", "1"] | None, Field(description="1: only kept scans, 0: only drafts; both by default.")
    ] = None


class ListIn(ExportIn):
    """Which scans to list."""

    limit: Annotated[int, Field(ge=1, le=200, strict=False)] = 50
    before: Annotated[ScanId | None, Field(description="The `next` of the previous page.")] = None


class PictureIn(Strict):
    """Options for returning a picture."""

    width: Annotated[
        Literal["320", "1600"] | None,
        Field(description="The maximum width of an upright JPEG; by default the stored file is returned."),
    ] = None


class Seen(ResponseSchema):
    """A card as the program read it; `quad` has its corners clockwise from the card's own top left, in image px."""

    card: Annotated[
        str | None,
        Field(description="An id, `back`, or null if the card was not recognized with confidence."),
    ]
    confidence: float
    quad: Quad
    visible: float
    alternatives: list[tuple[str, float]]
    zone: str | None


class QualityFindingOut(ResponseSchema):
    """A reason why cards in a photograph were not recognized; `message` says what to do, by language."""

    code: str
    params: dict[str, float]
    message: dict[str, str]


class Reading(ResponseSchema):
    """The result of scanning a picture."""

    width: int
    height: int
    deck: str
    cards: list[Seen]
    ms: dict[str, float]
    quality: Annotated[
        list[QualityFindingOut], Field(description="Why cards were not recognized, and what to do about it.")
    ] = []


class RulesNamed(ResponseSchema):
    """The rules used for scoring."""

    name: str
    hash: str


class RulesOut(RulesNamed):
    """The rules used for scoring, with all options."""

    options: dict[str, Any]


class LeftOut(ResponseSchema):
    """The numbers of cards that the score does not include."""

    unnamed: int
    back: int


class RankOut(ResponseSchema):
    """A rank of hands."""

    name: str
    ja: str
    romaji: str
    en: str


class Explained(ResponseSchema):
    """A result with its explanation."""

    why: str
    reason: Annotated[dict[str, Any], Field(description="The explanation as a message: code and params.")]


class YakuOut(RankOut, Explained):
    """A yaku of the pile."""

    points: int
    cards: list[str]
    times: Annotated[
        int | None, Field(description="For a hand: the factor of the teyaku for the payment.")
    ] = None


class Missing(ResponseSchema):
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
    times: Annotated[int | None, Field(description="For a hand: the factor of the rank for the payment.")] = (
        None
    )
    strength: Annotated[
        list[int] | None,
        Field(description="Comparison key: the lexicographically greater one of two hands wins."),
    ] = None
    role: str | None = None
    missing: list[Missing]
    rules: RulesNamed


class UploadOut(Reading):
    """The result of scanning a picture, in the format of `companion scan --json`, with the id of the stored scan."""

    id: str
    image: str
    score: Annotated[ScoreOut | None, Field(description="Only for hanafuda, if a game was given.")] = None
    left_out: LeftOut | None = None


class QueuedScanOut(ResponseSchema):
    """A picture that waits to be read."""

    job: str
    place: Annotated[int, Field(description="Its place in the queue, from 1; 0 while it is being read.")]
    workers: Annotated[
        int,
        Field(description="The number of scan workers that run. While it is 0, the picture is only kept."),
    ]
    poll: Annotated[
        str, Field(description="The address of its result, to be requested after `Retry-After` s.")
    ]


class ScannedCardOut(Seen):
    """A card after corrections; `quad` is null for a card that a person added."""

    index: int
    by: Literal["program", "person"]
    quad: Quad | None  # type: ignore[assignment]  # responses are only read


class Corrected(ResponseSchema):
    """A past correction; an added card has no `from`."""

    time: str
    actor: str
    kind: Literal["corrected", "added"]
    index: int
    card: str | None
    from_: Annotated[str | None, Field(alias="from")] = None


class StoredScan(ResponseSchema):
    """What all answers about a stored scan have in common."""

    id: str
    time: str
    kept: bool
    note: str
    image: str
    game: str | None


class ExportOut(StoredScan):
    """A stored scan: the program's result (never changed), the corrections, and the resulting pile and score."""

    sha256: str
    reading: Reading
    corrections: list[Corrected]
    cards: list[ScannedCardOut]
    left_out: LeftOut
    rules: RulesOut | None
    month: int | None
    calls: dict[str, int] | None
    score: ScoreOut | None


class ScanOut(ExportOut):
    """A stored scan with the URL of its picture."""

    picture: str


class Summary(StoredScan):
    """A scan in a list; without a game there are no rules and no total."""

    picture: str
    rules: RulesNamed | None
    total: int | None
    cards: int
    unnamed: int


class ScansOut(ResponseSchema):
    """Scans, newest first; `next` is the `before` of the following page, null on the last."""

    scans: list[Summary]
    next: str | None


class MessageOut(ResponseSchema):
    """A message: its code in the catalogs, its parameters, and its text in the language of the request.

    Messages without a code, such as those in old logs, have their text by language instead.
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


class NamesOut(ResponseSchema):
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


class CardOut(ResponseSchema):
    """A card. In packs other than hanafuda, `month` is the rank (0: the onifuda), `flower` is the suit, and there is no `face`."""

    id: str
    month: int
    flower: str
    kind: Literal["bright", "animal", "ribbon", "chaff"] | None
    names: CardNamesOut
    face: str | None


class CardsOut(ResponseSchema):
    """The cards of a pack in order."""

    cards: list[CardOut]


class RuleOptionOut(ResponseSchema):
    """A rule option with its value in a preset."""

    key: str
    section: str
    value: Any
    default: Any
    sentence: MessageOut
    meaning: MessageOut
    source: str


class Instead(ResponseSchema):
    """The value of an option in the preset that the rules are compared with."""

    value: Any
    meaning: MessageOut


class RuleValueOut(ResponseSchema):
    """A value of an option with its meaning."""

    value: Any
    meaning: MessageOut


class RuleFormOut(ResponseSchema):
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
    instead_of: Annotated[Instead | None, Field(description="Null if the value is the same there.")]


class RulesDescriptionOut(ResponseSchema):
    """A description of rules: all options in the order of `sections`, and their differences from the preset `differs_from`."""

    name: str
    game: str
    title: Annotated[MessageOut, Field(description="The name of the game.")]
    hash: str
    code: Annotated[str, Field(description="The share code, in groups of four.")]
    sentence: Annotated[MessageOut | None, Field(description="Only for a preset.")]
    preset: Annotated[
        str, Field(description="The preset that the rules are based on, or the most similar one.")
    ]
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


class RulesListOut(ResponseSchema):
    """All named rules."""

    rules: list[RulesInList]


class RulesForgotten(ResponseSchema):
    """Deleted rules; saving the code under the name restores them."""

    name: str
    code: str


class Preset(RulesNamed):
    """Named rules."""

    sentence: MessageOut
    options: list[RuleOptionOut]


class PlayersOut(ResponseSchema):
    """The allowed number of players."""

    fewest: int
    most: int
    usual: int


class SpokenCallOut(ResponseSchema):
    """A call that a player makes, such as koi-koi."""

    word: str
    ja: str
    goes_on: Annotated[bool, Field(description="Whether the round goes on.")]


class EntryOut(ResponseSchema):
    """What the pages offer for entry by hand."""

    field: Annotated[int, Field(description="The number of field cards to enter for a deal.")]
    one_tap: Annotated[bool, Field(description="Whether moves without an open card have their own buttons.")]
    long: Annotated[list[str], Field(description="The buttons with a different meaning for a long press.")]
    calls: list[SpokenCallOut]
    words: Annotated[dict[str, MessageOut], Field(description="Labels of the first words of moves.")]


class SeatLabelOut(ResponseSchema):
    """A label beside a player's cards, displayed while a member of the seat's state has a value."""

    field: str
    text: MessageOut
    value: bool | int | str
    unless: Annotated[str | None, Field(description="A field that hides the label while it is true.")]
    style: Literal["plain", "quiet", "alert"]


class BoardOut(ResponseSchema):
    """How a display shows a round."""

    layout: Literal["sides", "ring"]
    stock: Annotated[MessageOut, Field(description="The name of the face-down pile.")]
    hand: Literal["backs", "cards"]
    count: Literal["hand", "total"]
    discards: Annotated[int, Field(description="The number of newest discards to display.")]
    labels: list[SeatLabelOut]


class GameOut(ResponseSchema):
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


class GamesOut(ResponseSchema):
    """The supported games."""

    games: list[GameOut]


class SampleOut(ResponseSchema):
    """A sample picture."""

    name: str
    title: MessageOut
    url: str


class SamplesOut(ResponseSchema):
    """The sample pictures in display order."""

    samples: list[SampleOut]
