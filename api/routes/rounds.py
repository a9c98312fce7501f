"""The rounds of live tables: entered results, replays, probabilities, disputes, and the cards and yaku of the game."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from flask import Response, jsonify
from pydantic import Field

from api.access.reports import seat_in_evening
from api.access.who import audience_at, who
from api.context import context
from api.models.base import (
    Answer,
    MessageOut,
    PhotographIn,
    Skip,
    Strict,
)
from api.problems import refused
from api.routes.tables import blueprint
from companion.hanafuda.cards import BACK
from companion.hanafuda.registry import GAMES
from companion.odds import WinProbabilities
from companion.table.disputes import dispute_at
from companion.table.grounds import grounds_of
from companion.table.replay import replay_of, step_of
from companion.table.results import form_of, preview
from companion.table.view import odds_agreement
from vision.photograph.captured_piles import split_piles

__all__ = ["blueprint"]

_DISPUTES: Final = 50
"""Disputes in one answer."""


class ResultFormIn(Strict):
    """Which result is entered."""

    of: Annotated[int | None, Field(ge=1, strict=False, description="The `scored` event to correct.")] = None


class ResultFormOut(Answer):
    """What can be entered as the result of a round; `companion.hanafuda.description.ResultForm` describes the parts."""

    round: int
    new_round: Annotated[bool, Field(description="Whether the round was not dealt.")]
    dealer: int
    month: int | None
    winners: Literal["one", "several", "computed"]
    nobody: bool
    ends: list[dict[str, Any]]
    yaku: list[dict[str, Any]]
    yaku_of: Literal["winner", "each"]
    calls: bool
    points: Literal["winner", "each", "none"]
    piles: bool
    out: MessageOut | None
    paid: MessageOut | None


class YakuCardsOut(Answer):
    """A yaku and the cards that take part in it."""

    name: str
    en: str
    ja: str
    romaji: str
    points: int
    count: Annotated[int, Field(description="How many of `cards` make it.")]
    cards: list[str]


class GameCardsOut(Answer):
    """The cards of a game, and the yaku that a table's rules play."""

    cards: list[str]
    yaku: Annotated[list[YakuCardsOut], Field(description="Empty if they are no sets of captured cards.")]


class ResultIn(Strict):
    """The data of a `scored` event."""

    data: Annotated[dict[str, Any], Field(default_factory=dict)]
    of: Annotated[int | None, Field(ge=1, description="The `scored` event to correct.")] = None


class ResultOut(Answer):
    """What a reported result scores."""

    how: str
    winners: list[int]
    points: list[int]
    why: MessageOut
    seats: Annotated[list[dict[str, Any]], Field(description="`total`, and `yaku` with `name` and `points`.")]


class PileCardOut(Answer):
    """A card in a photograph of piles."""

    card: Annotated[str | None, Field(description="Null: not recognized.")]
    confidence: float
    quad: Annotated[list[tuple[float, float]], Field(description="Corners, fractions of width and height.")]
    group: Annotated[int | None, Field(description="0: the upper or left pile; 1: the other; null: between.")]


class PilesOut(Answer):
    """The captured cards in a photograph."""

    cards: list[PileCardOut]
    width: int
    height: int


class DisputesIn(Strict):
    """Which disputes to list."""

    skip: Skip = "0"
    night: Annotated[str | None, Field(max_length=40, description="Only disputes of this evening.")] = None


class ListedDisputeOut(Answer):
    """A dispute in a list."""

    night: str
    table: str
    seq: Annotated[int, Field(description="The event that opened it.")]
    round: int | None
    time: str
    state: Literal["open", "agreed", "ruled", "withdrawn"]
    verdict: Annotated[str | None, Field(description="`stands`, or `changed`: the event was wrong.")]
    player: Annotated[str, Field(description="Who opened it: the player, or the device without a seat.")]
    text: str
    says: Annotated[MessageOut, Field(description="The event in question.")]


class DisputesOut(Answer):
    """Disputes: the open ones first, then the most recent."""

    disputes: list[ListedDisputeOut]
    total: int


class DisputeOut(Answer):
    """A dispute and what it can be decided by."""

    table: str
    night: str
    game: str
    players: list[str]
    seat: Annotated[
        int | None, Field(description="The client's seat, of this game or of the evening's present one.")
    ]
    dispute: Annotated[dict[str, Any], Field(description="As in the table's view.")]
    step: Annotated[int | None, Field(description="The step of the round's replay after the event.")]
    pictures: Annotated[dict[str, Any], Field(description="Their names: `before` and `after` the event.")]
    detected: Annotated[dict[str, Any], Field(description="Who reported the event, and the confidence.")]
    problems: Annotated[list[dict[str, Any]], Field(description="What the rules say against the event.")]
    yaku: Annotated[list[dict[str, Any]], Field(description="The yaku it completed, with their sources.")]
    house: Annotated[dict[str, Any], Field(description="The rules of its round.")]
    readings: Annotated[
        list[dict[str, Any]],
        Field(
            description="What may have happened, the `event` that corrects the record to it, and what it would give: the"
            " number of later moves that would be illegal, and the points. The first one, without `says` and `event`, is"
            " what was reported."
        ),
    ]
    rules: Annotated[
        list[dict[str, Any]],
        Field(description="The rules that decide, with their sources and what other values would give."),
    ]


class ReplaySeatOut(Answer):
    """A player's side of the board at a step."""

    seat: int
    hand: Annotated[int, Field(description="The number of cards in the hand.")]
    cards: Annotated[list[str | None] | None, Field(description="The hand; hidden cards are null.")]
    captured: list[str]
    yaku: list[dict[str, Any]]
    total: Annotated[int | None, Field(description="What the cards are worth at this step.")]


class ReplayBoardOut(Answer):
    """The board at a step."""

    field: list[str]
    stock: Annotated[int, Field(description="The number of face-down cards.")]
    discard: list[str]
    seats: list[ReplaySeatOut]


class ReplayStepOut(Answer):
    """The deal, a move, or another event of the round."""

    kind: Annotated[str, Field(description="`deal`, `move`, `set`, `scored` or `abandoned`.")]
    moves: Annotated[int, Field(description="The number of moves made by then.")]
    player: int | None
    words: Annotated[list[str], Field(description="The move in text form; empty for another event.")]
    says: MessageOut
    problems: list[dict[str, Any]]
    seq: Annotated[int | None, Field(description="The event; null for a move that nobody reported.")]
    time: str | None
    source: str | None
    confidence: float | None
    order_unknown: Annotated[
        bool,
        Field(description="Whether the camera did not see which of the turn's two cards came from the hand."),
    ]
    corrected: bool
    picture: Annotated[str | None, Field(description="The name of the camera's picture.")]
    board: ReplayBoardOut


class ReplayOut(Answer):
    """A round step by step."""

    table: str
    night: str
    number: int
    rounds: Annotated[int, Field(description="The number of rounds dealt at the table.")]
    game: str
    rules: dict[str, Any]
    players: list[str]
    dealer: int | None
    month: int | None
    before: Annotated[list[int], Field(description="The points of all players before the round.")]
    steps: Annotated[list[ReplayStepOut], Field(description="Empty if only the result is known.")]
    result: Annotated[
        dict[str, Any] | None,
        Field(description="How it ended, with each player's yaku, calls and pile; null if it is not over."),
    ]


class OddsOut(Answer):
    """The probabilities of a round after each move."""

    state: Annotated[
        Literal["computing", "ready", "none"],
        Field(description="`none`: the round goes on, has no moves, or its game has no probabilities."),
    ]
    policy: Annotated[MessageOut | None, Field(description="How the simulated players choose their moves.")]
    positions: Annotated[int, Field(description="The number of positions: the moves of the round and 1.")]
    after: Annotated[list[WinProbabilities], Field(description="After 0, 1, 2 … moves, as far as computed.")]


class LiveOddsOut(Answer):
    """The probabilities of a running round."""

    state: Annotated[
        Literal["off", "computing", "ready", "none"],
        Field(description="`off`: not all players agreed; `none`: no round goes on, or there are none."),
    ]
    seq: Annotated[int, Field(description="The number of the table's newest event.")]
    odds: WinProbabilities | None


@blueprint.get("/api/tables/<table_id>/result")
def result_form(table_id: str, query_data: ResultFormIn) -> Annotated[Response, ResultFormOut]:
    """Return what can be entered as the result of the current or next round, or of the round of event `of`."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        return jsonify(form_of(table, query_data.of))


@blueprint.post("/api/tables/<table_id>/result")
def score_result(table_id: str, json_data: ResultIn) -> ResultOut:
    """Return what the data of a `scored` event would score; nothing is stored."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        scored, names = preview(table, json_data.data, json_data.of), table.names
    outcome = scored.outcome
    return ResultOut(
        how=outcome.how,
        winners=list(outcome.winners),
        points=list(outcome.points),
        why=MessageOut.of(names.within(outcome.why)),
        seats=[
            {"total": seat.total, "yaku": [{"name": slug, "points": points} for slug, points in seat.yaku]}
            for seat in scored.seats
        ],
    )


@blueprint.post("/api/tables/<table_id>/piles", refusals=refused(500, 503))
def piles(table_id: str, files_data: PhotographIn) -> PilesOut:
    """Read the captured piles in a photograph. `group` is 0 for the upper or left pile, 1 for the other, null between them."""
    with context().tables.at(table_id) as table:
        deck = table.opened.get("deck")
    result, _ = context().pictures.scan(files_data.image, deck)
    cards = [card for card in result.cards if card.card != BACK]
    return PilesOut(
        cards=[
            PileCardOut(
                card=card.card,
                confidence=card.confidence,
                quad=[(x / result.width, y / result.height) for x, y in card.quad],
                group=group,
            )
            for card, group in zip(cards, split_piles([card.quad for card in cards]), strict=True)
        ],
        width=result.width,
        height=result.height,
    )


@blueprint.get("/api/tables/<table_id>/rounds/<int:number>", refusals={422: "No such round"})
def replay(table_id: str, number: int) -> Annotated[Response, ReplayOut]:
    """Return a round step by step. Cards that the client may not know yet are null."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        steps = replay_of(table, number)
        return jsonify(table=table_id, night=table.opened.get("night") or table_id, **steps)


@blueprint.get("/api/tables/<table_id>/rounds/<int:number>/odds", refusals={422: "No such round"})
def odds(table_id: str, number: int) -> Annotated[Response, OddsOut]:
    """Return how likely each player was to win after each move. Ask again while `state` is `computing`.

    The players are simulated: hidden cards are dealt at random, the stock is shuffled, and everybody follows a simple policy.
    A round that still goes on has no probabilities, so that nobody gets help from them.
    """
    with context().tables.at(table_id, audience_at(table_id)) as table:
        live = table.round_at(number)
        if live.outcome is None or live.items[0].kind == "scored":
            return jsonify(state="none", policy=None, positions=0, after=[])
        policy = GAMES[live.round.rules.game].policy_text.to_dict()
        return jsonify(policy=policy, **context().odds.of(table_id, live).to_dict())


@blueprint.get("/api/tables/<table_id>/odds")
def live_odds(table_id: str) -> Annotated[Response, LiveOddsOut]:
    """Return how likely each player is to win the current round, if all players agreed to it (`odds` of the table's view).

    They are computed from what everybody at the table can see: no hand is known. Ask again while `state` is `computing`.
    """
    with context().tables.at(table_id) as table:
        if not odds_agreement(table.events, table.game.players)["shown"]:
            return jsonify(state="off", seq=table.seq, odds=None)
        live = table.live
        if live is None or table.round is None or live.outcome is not None:
            return jsonify(state="none", seq=table.seq, odds=None)
        found = context().live_odds.now(table_id, live)
        return jsonify(
            state=found.state, seq=table.seq, odds=found.after[0].to_dict() if found.after else None
        )


@blueprint.get("/api/disputes")
def disputes(query_data: DisputesIn) -> DisputesOut:
    """List the disputes of all evenings, the open ones first."""
    found = context().store.nights.disputes(night=query_data.night)
    skip = int(query_data.skip)
    return DisputesOut.model_validate({"total": len(found), "disputes": found[skip : skip + _DISPUTES]})


@blueprint.get("/api/tables/<table_id>/disputes/<int:seq>", refusals={422: "No such dispute"})
def dispute(table_id: str, seq: int) -> Annotated[Response, DisputeOut]:
    """Return the dispute that event `seq` opened: pictures, detection, rules, other readings and other house rules."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        found = dispute_at(table, seq)
        return jsonify(
            table=table_id,
            night=table.opened.get("night") or table_id,
            game=table.rules.game,
            players=list(table.names.given),
            seat=seat_in_evening(who(), table_id),
            dispute=found.view(table),
            step=step_of(table, found.round, found.of.seq),
            **grounds_of(table, found),
        )


@blueprint.get("/api/tables/<table_id>/yaku")
def yaku(table_id: str) -> GameCardsOut:
    """Return the cards of a table's game, and the yaku that its rules play in the current round, or else in the next one."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        played = table.next_round({}) if table.live is None else table.live.round
        rules = played.rules
    game = GAMES[rules.game]
    names = {} if game.scorer is None else game.scorer.yaku
    return GameCardsOut(
        cards=sorted(game.cards(rules)),
        yaku=[
            YakuCardsOut(
                name=each.slug,
                **{key: names[each.slug][key] for key in ("en", "ja", "romaji")},
                points=each.points,
                count=each.count,
                cards=sorted(each.cards),
            )
            for each in game.yaku_cards(played)
        ],
    )
