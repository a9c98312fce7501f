"""Games, their cards and house rules, and scoring a pile."""

from __future__ import annotations

import json
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from flask import Response, current_app, jsonify, send_file, url_for
from pydantic import Field

from api.access.who import who
from api.context import context
from api.languages import request_language
from api.models.base import MAX_CARDS, Answer, CardId, Game, MessageOut, Pack, RulesIn, RulesNamed, Strict
from api.models.scores import Calls, ScoreOut
from api.problems import problem_of, refused
from api.routing import MediaType, Routes
from companion.faces import face_path
from companion.hanafuda.cards import DECKS, UnknownCardError
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import PRESETS, NewerShareCodeError, Rules, named, resolve
from companion.hanafuda.rules.reading import describe_rules
from companion.hanafuda.rules.share import encode, grouped
from companion.hanafuda.scoring import games as known_games
from companion.hanafuda.scoring import score_request
from companion.messages import error_text, with_texts

_SAMPLES: Final = Path(__file__).parents[1] / "static" / "samples"
_FACE_AGE_S: Final = 24 * 3600


class ScoreIn(Strict):
    """A captured pile to score."""

    game: Game
    captured: Annotated[list[CardId], Field(max_length=MAX_CARDS)]
    rules: RulesIn | None = None
    month: Annotated[int, Field(ge=1, le=12)] | None = None
    field: Annotated[list[CardId], Field(max_length=MAX_CARDS)] | None = None
    calls: Calls | None = None
    role: Annotated[
        Literal["bettor", "dealer"] | None,
        Field(description="Whose hand it is in a game with a banker; a bettor's by default."),
    ] = None


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
    """A card. In packs other than hanafuda, `month` is the rank (0: the onifuda), and `flower` is the suit."""

    id: str
    month: int
    flower: str
    kind: Literal["bright", "animal", "ribbon", "chaff"] | None
    names: CardNamesOut
    face: str


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


class ExampleOut(Answer):
    """Cards with a meaning."""

    name: MessageOut
    cards: list[str]
    worth: MessageOut | None
    text: MessageOut | None


class ChapterOut(Answer):
    """A part of a game's rules in the words of a player."""

    title: MessageOut
    text: Annotated[list[MessageOut], Field(description="One paragraph each.")]
    examples: list[ExampleOut]
    options: Annotated[list[str], Field(description="The keys of the options that belong here.")]


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
    how_to_play: list[ChapterOut]
    players: Annotated[list[int], Field(description="The allowed numbers of players.")]


class RulesInList(RulesNamed):
    """Named rules; `saved` is the time when they were saved, null for a preset."""

    game: str
    code: str
    sentence: MessageOut | None
    based_on: Annotated[str, Field(description="The preset they are based on, with the number of changes.")]
    players: Annotated[list[int], Field(description="The allowed numbers of players.")]
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
    hand: Annotated[
        int, Field(description="The number of cards of each hand to enter, if hands are face up.")
    ]
    one_tap: Annotated[bool, Field(description="Whether moves without an open card have their own buttons.")]
    long: Annotated[list[str], Field(description="The buttons with a different meaning for a long press.")]
    calls: list[SpokenCallOut]
    words: Annotated[dict[str, MessageOut], Field(description="Labels of the first words of moves.")]
    rare: Annotated[
        list[str], Field(description="The first words of moves that are offered after all others.")
    ]


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


blueprint = Routes("games", __name__, tag="Games")
rules_blueprint = Routes("rules", __name__, tag="Rules")


@blueprint.post("/api/score")
def score(json_data: ScoreIn) -> Annotated[Response, ScoreOut]:
    """Score a pile: its yaku, its points, and how they add up.

    An unknown card, a duplicate card, or an unknown rule is a problem that names it.
    """
    given = json_data.model_dump(exclude_none=True)
    answer = score_request({**given, "rules": requested_rules(json_data.rules)})
    return jsonify(with_texts(answer, request_language()))


@blueprint.get("/api/cards")
def cards(query_data: CardsIn) -> CardsOut:
    """List the cards of a pack in order; by default the 48 hanafuda."""
    return CardsOut(
        cards=[
            CardOut(**card.to_dict(), face=url_for("games.face", card_id=card.id))
            for card in DECKS[query_data.pack]
        ]
    )


@blueprint.get("/faces/<card_id>.svg")
def face(card_id: str) -> Annotated[Response, MediaType("image/svg+xml", "The face")]:
    """Return the face of a card, or of the card back (`back`), as SVG."""
    try:
        path = face_path(card_id)
    except UnknownCardError as error:
        return problem_of(HTTPStatus.NOT_FOUND, error)
    return send_file(path, mimetype="image/svg+xml", max_age=_FACE_AGE_S)


@blueprint.get("/api/games")
def games() -> Annotated[Response, GamesOut]:
    """List the games that can be scored, with their yaku and named rules."""
    return jsonify(games=known_games())


@blueprint.get("/api/samples")
def samples() -> SamplesOut:
    """List the sample pictures in display order."""
    return SamplesOut(
        samples=[
            SampleOut(
                name=name,
                title=MessageOut(code=f"sample-{name}"),
                url=url_for("static", filename=f"samples/{name}.jpg"),
            )
            for name in json.loads((_SAMPLES / "samples.json").read_text(encoding="utf-8"))
        ]
    )


def requested_rules(rules: str | dict[str, Any] | None) -> str | dict[str, Any] | Rules | None:
    """Return the rules of a request, with the name of saved rules replaced by the rules themselves."""
    if isinstance(rules, str) and rules not in PRESETS:
        saved = context().store.house_rules.get(rules)
        return rules if saved is None else saved.rules()
    return rules


@rules_blueprint.get("/api/rules")
def rules_list() -> RulesListOut:
    """List all named rules: the presets of every game, then the saved ones."""
    rules = [_named(name, preset) for name, preset in PRESETS.items()]
    for each in context().store.house_rules.all():
        try:
            rules.append(_named(each.name, each.rules(), each.time))
        except NewerShareCodeError as error:  # written by a newer version of the program; keep it in the log
            current_app.logger.warning("%s: %s", each.name, error_text(error))
    return RulesListOut(rules=rules)


@rules_blueprint.get("/api/rules/<name>")
def one(name: str, query_data: RulesComparedWith) -> Annotated[Response, RulesDescriptionOut]:
    """Describe all options of the rules with this share code, preset name, or saved name."""
    try:
        record = resolve(requested_rules(name))
        other = (
            None if query_data.against is None else resolve(requested_rules(query_data.against), record.game)
        )
        return _described(record, other)
    except BadRequestError as error:
        return problem_of(HTTPStatus.NOT_FOUND, error)


@rules_blueprint.put(
    "/api/rules/<name>", refusals={409: "Other rules have that name; `replace` replaces them", **refused(507)}
)
def save(name: str, json_data: RulesSaved) -> Annotated[Response, RulesDescriptionOut]:
    """Save rules under a name for everyone on this server; rules that had the name before stay in the history."""
    rules = resolve(requested_rules(json_data.rules))
    saved = context().store.house_rules.save(name, rules, who().name, instead=json_data.replace)
    return _described(saved.rules())


@rules_blueprint.patch("/api/rules/<name>", refusals={409: "Other rules have the new name", **refused(507)})
def rename(name: str, json_data: RulesRenamed) -> Annotated[Response, RulesDescriptionOut]:
    """Give saved rules another name."""
    return _described(context().store.house_rules.rename(name, json_data.name, who().name).rules())


@rules_blueprint.delete("/api/rules/<name>", refusals=refused(507))
def forget(name: str) -> RulesForgotten:
    """Delete saved rules. Evenings and scans keep them; saving the returned code under the name undoes it."""
    forgotten = context().store.house_rules.forget(name, who().name)
    return RulesForgotten(name=forgotten.name, code=grouped(forgotten.code))


@rules_blueprint.post("/api/rules")
def checked(json_data: RulesAsked) -> Annotated[Response, RulesDescriptionOut]:
    """Check rules and describe their options and share code; nothing is stored.

    If options are wrong, the problem lists them under `options`, each with the nearest valid one or null. Options that
    exclude each other are under `contradictions`, each with the `keys` of the options and the reason.
    """
    return _described(resolve(requested_rules(json_data.rules)))


def _described(rules: Rules, other: Rules | None = None) -> Response:
    """Return the description of rules and their differences from others; by default, the preset they are based on."""
    game = GAMES[rules.game]
    description = {
        **describe_rules(rules, other),
        "how_to_play": [chapter.to_dict() for chapter in game.how_to_play(rules)],
        "players": list(game.round.seats(rules)),
    }
    return jsonify(with_texts(description, request_language()))


def _named(name: str, record: Rules, saved: str | None = None) -> RulesInList:
    text: Message | None = PRESETS[name].sentence if name in PRESETS else None
    return RulesInList(
        name=name,
        game=record.game,
        hash=record.hash,
        code=grouped(encode(record)),
        sentence=MessageOut.of(text) if text else None,
        based_on=named(record).name,
        players=list(GAMES[record.game].round.seats(record)),
        saved=saved,
    )
