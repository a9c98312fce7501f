"""The replay of a round: its steps, and the probability of winning at each; and that of a running round for the display."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, jsonify

from api.access.audience import audience_at
from api.context import context
from api.tables.replay_schemas import LiveOddsOut, OddsOut, ReplayOut
from companion.hanafuda.registry import GAMES
from companion.table.odds_agreement import odds_agreement
from companion.table.replay_steps import replay_of, round_at

__all__ = ["blueprint"]

_NOT_FOUND = {404: "No such table", 422: "No such round"}

blueprint = APIBlueprint("replays", __name__, tag="Tables")


@blueprint.get("/api/tables/<table_id>/rounds/<int:number>")
@blueprint.output(ReplayOut)
@blueprint.doc(responses=_NOT_FOUND)
def replay(table_id: str, number: int) -> Response:
    """Return a round step by step. Cards that the client may not know yet are null."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        steps = replay_of(table, number)
        return jsonify(table=table_id, night=table.opened.get("night") or table_id, **steps)


@blueprint.get("/api/tables/<table_id>/rounds/<int:number>/odds")
@blueprint.output(OddsOut)
@blueprint.doc(responses=_NOT_FOUND)
def odds(table_id: str, number: int) -> Response:
    """Return how likely each player was to win after each move. Ask again while `state` is `computing`.

    The players are simulated: hidden cards are dealt at random, the stock is shuffled, and everybody follows a simple policy.
    A round that still goes on has no probabilities, so that nobody gets help from them.
    """
    with context().tables.at(table_id, audience_at(table_id)) as table:
        live = round_at(table, number)
        if live.outcome is None or live.items[0].kind == "scored":
            return jsonify(state="none", policy=None, positions=0, after=[])
        policy = GAMES[live.round.rules.game].policy_text.to_dict()
        return jsonify(policy=policy, **context().odds.of(table_id, live).to_dict())


@blueprint.get("/api/tables/<table_id>/odds")
@blueprint.output(LiveOddsOut)
@blueprint.doc(responses={404: "No such table"})
def live_odds(table_id: str) -> Response:
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
