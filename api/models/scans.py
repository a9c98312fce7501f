"""Models of scans, and of decks and the tags of their cards."""

from __future__ import annotations

from typing import Annotated, List, Literal  # noqa: UP035  # APIFlask recognizes a list of files by this type

from apiflask.fields import UploadFile
from pydantic import Field, StringConstraints

from api.models.base import (
    MAX_CARDS,
    MAX_NOTE,
    Answer,
    CardId,
    Game,
    Pack,
    Photograph,
    Quad,
    RulesIn,
    RulesNamed,
    ScanId,
    Strict,
)
from api.models.games import Calls, RulesOut, ScoreOut
from companion.hanafuda.registry import default_game
from companion.readers.tag_pairings import LONGEST_TAG, MAX_TAGS


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

    corrections: Annotated[list[CorrectionIn], Field(max_length=MAX_CARDS)] = []  # noqa: RUF012  # pydantic copies defaults
    added: Annotated[list[CardId], Field(max_length=MAX_CARDS, description="Cards not detected.")] = []  # noqa: RUF012  # pydantic copies defaults
    game: Game | None = None
    rules: RulesIn | None = None
    month: Annotated[
        Annotated[int, Field(ge=1, le=12)] | None, Field(description="Null: remove the month.")
    ] = None
    calls: Annotated[Calls | None, Field(description="Null: no calls.")] = None
    kept: bool | None = None
    note: Annotated[str, StringConstraints(max_length=MAX_NOTE)] | None = None


class ExportIn(Strict):
    """Which scans to export."""

    kept: Annotated[
        Literal["0", "1"] | None, Field(description="1: only kept scans, 0: only drafts; both by default.")
    ] = None


class ListIn(ExportIn):
    """Which scans to list."""

    limit: Annotated[int, Field(ge=1, le=200, strict=False)] = 50
    before: Annotated[ScanId | None, Field(description="The `next` of the previous page.")] = None


class ReadCardOut(Answer):
    """A card as the program read it; `quad` has its corners clockwise from the card's own top left, in image px."""

    card: Annotated[str | None, Field(description="An id, `back`, or null if it was not recognized.")]
    confidence: float
    quad: Quad
    visible: float
    alternatives: list[tuple[str, float]]
    zone: str | None


class QualityFindingOut(Answer):
    """A reason why cards in a photograph were not recognized; `message` says what to do, by language."""

    code: str
    params: dict[str, float]
    message: dict[str, str]


class Reading(Answer):
    """The result of scanning a picture."""

    width: int
    height: int
    deck: str
    cards: list[ReadCardOut]
    ms: dict[str, float]
    quality: Annotated[
        list[QualityFindingOut], Field(description="Why cards were not recognized, and what to do about it.")
    ] = []  # noqa: RUF012  # pydantic copies defaults


class LeftOut(Answer):
    """The numbers of cards that the score does not include."""

    unnamed: int
    back: int


class UploadOut(Reading):
    """The result of scanning a picture, in the format of `companion scan --json`, with the id of the stored scan."""

    id: str
    image: str
    score: Annotated[ScoreOut | None, Field(description="Only for hanafuda, if a game was given.")] = None
    left_out: LeftOut | None = None


class QueuedScanOut(Answer):
    """A picture that waits to be read."""

    job: str
    place: Annotated[int, Field(description="Its place in the queue, from 1; 0 while it is being read.")]
    workers: Annotated[
        int,
        Field(description="The number of scan workers that run. While it is 0, the picture is only kept."),
    ]
    poll: Annotated[str, Field(description="The address of its result, to ask after `Retry-After` s.")]


class ScannedCardOut(ReadCardOut):
    """A card after corrections; `quad` is null for a card that a person added."""

    index: int
    by: Literal["program", "person"]
    quad: Quad | None  # type: ignore[assignment]  # responses are only read


class Corrected(Answer):
    """A past correction; an added card has no `from`."""

    time: str
    actor: str
    kind: Literal["corrected", "added"]
    index: int
    card: str | None
    from_: Annotated[str | None, Field(alias="from")] = None


class StoredScan(Answer):
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


class ScansOut(Answer):
    """Scans, newest first; `next` is the `before` of the following page, null on the last."""

    scans: list[Summary]
    next: str | None


# --- decks
MAX_FIXES = 120
"""Corrected names of cards in one request: more than two packs have."""
DeckName = Annotated[
    str,
    StringConstraints(max_length=200),
    Field(description="1 to 40 letters, digits, - and _; spaces become -.", examples=["grandmothers"]),
]


class EnrollIn(Strict):
    """A deck to enroll: photographs of all cards laid out, or one picture per card."""

    name: DeckName
    pack: Pack
    photos: Annotated[
        List[UploadFile] | None,  # noqa: UP006
        Field(description="1 to 4 photographs of the whole deck laid out in rows, as for a scan."),
    ] = None
    cards: Annotated[
        List[UploadFile] | None,  # noqa: UP006
        Field(
            description="Alternatively one picture per card, at most 120; the file name is the card's id (`pine-crane.png`)"
            " or its month and index (`01-0.png`)."
        ),
    ] = None


class Fix(Strict):
    """A corrected card name; null: a card of the box that has no id."""

    number: Annotated[int, Field(ge=1, lt=2**31)]
    card: CardId | None


class FixesIn(Strict):
    """Corrections, applied in this order."""

    fixes: Annotated[list[Fix], Field(max_length=MAX_FIXES, default_factory=list)]
    name: DeckName | None = None


class KeepIn(Strict):
    """An enrollment to finish, after its names were checked."""

    enrollment: Annotated[str, StringConstraints(max_length=80)]
    replace: Annotated[bool, Field(description="Whether to replace an enrolled deck of that name.")] = False


class DeckFileIn(Strict):
    """A deck file to import."""

    file: UploadFile
    name: Annotated[DeckName | None, Field(description="By default, the name in the file.")] = None
    replace: Annotated[Literal["0", "1"], Field(description="1: replace the deck of that name.")] = "0"


class DeckOut(Answer):
    """A known deck; if it has a `problem`, only the name is reliable."""

    name: str
    own: Annotated[bool, Field(description="Enrolled or imported here; false: shipped with the program.")]
    pack: Pack | None
    cards: int | None
    made: Annotated[str | None, Field(description="When it was enrolled, ISO 8601.")]
    source: str | None
    license: str | None
    problem: Annotated[str | None, Field(description="Why it cannot be used.")]
    file: Annotated[str, Field(description="The URL of its file.")]


class DecksOut(Answer):
    """The known decks; shipped decks are first."""

    decks: list[DeckOut]


class PlaceOut(Answer):
    """A card of a deck being enrolled, with its proposed name."""

    number: int
    where: str
    card: Annotated[str | None, Field(description="Null: a card of the box that has no id.")]
    sure: float
    doubtful: Annotated[bool, Field(description="Whether a person should check the name.")]
    others: Annotated[list[str], Field(description="Alternative names, most likely first.")]
    picture: str


class EnrollmentOut(Answer):
    """A deck being enrolled."""

    id: str
    name: str
    replaces: Annotated[bool, Field(description="Whether an enrolled deck of that name exists.")]
    pack: Pack
    layout: Annotated[str, Field(description="The detected layout of the cards.")]
    notes: Annotated[list[str], Field(description="Notes for the user.")]
    missing: Annotated[list[str], Field(description="Cards of the pack that are missing from the proposal.")]
    places: list[PlaceOut]


# --- tags
Tag = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_TAG),
    Field(description="A tag's number in hex, or the text of a code.", examples=["E0040150A1B2C3D4"]),
]


class TagsIn(Strict):
    """The new tag pairings of a deck, replacing all previous ones."""

    tags: Annotated[dict[Tag, CardId], Field(max_length=MAX_TAGS)]
    deck: Annotated[str | None, Field(max_length=80, description="If given, the deck in the address.")] = None


class PairTagIn(Strict):
    """A tag and its card; null removes the pairing."""

    uid: Tag
    card: CardId | None
    move: Annotated[bool, Field(description="Whether another pairing of the tag is replaced.")] = False


class TagsOut(Answer):
    """The tag pairings of a deck."""

    deck: str
    pack: Pack
    tags: dict[str, str]
    problem: Annotated[str | None, Field(description="What was wrong with the stored file.")]


class LabelsIn(Strict):
    """The format of a sticker sheet."""

    kind: Literal["qr", "datamatrix"] = "qr"
    paper: Literal["A4", "letter"] = "A4"
    size: Annotated[float, Field(ge=8, le=60, strict=False, allow_inf_nan=False, description="mm.")] = 15.0


class LastScanIn(Strict):
    """Which scans to return, and the deck whose pairings identify the cards."""

    pairing: Annotated[
        Literal["0", "1"],
        Field(description="1: a tag is being paired with a card, so tables ignore scans for the next 3 s."),
    ] = "0"
    after: Annotated[int, Field(ge=0, lt=2**53, strict=False, description="The last known scan.")] = 0
    deck: Annotated[str | None, Field(max_length=80)] = None


class LastScanDoc(Answer):
    """A scanned tag or code with its card."""

    number: int
    device: str | None
    uid: str | None
    card: str | None
    sticker: Annotated[bool, Field(description="Whether its text has the card id, so it needs no pairing.")]
    ago_s: float | None


class LastScanOut(LastScanDoc):
    """The last scan (`number` 0: none yet), and all scans after number `after`, oldest first."""

    scans: list[LastScanDoc]
