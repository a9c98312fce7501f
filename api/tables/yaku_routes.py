"""The cards and the yaku of a table's game, for people who learn it."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, jsonify

from api.access.audience import audience_at
from api.context import context
from api.tables.table_schemas import GameCardsOut
from companion.hanafuda.registry import GAMES

__all__ = ["blueprint"]

blueprint = APIBlueprint("yaku", __name__, tag="Tables")


@blueprint.get("/api/tables/<table_id>/yaku")
@blueprint.output(GameCardsOut)
@blueprint.doc(responses={404: "No such table"})
def yaku(table_id: str) -> Response:
    """Return the cards of a table's game, and the yaku that its rules play in the current round, or else in the next one."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        played = table.next_round({}) if table.live is None else table.live.round
        rules = played.rules
    game = GAMES[rules.game]
    names = {} if game.scorer is None else game.scorer.yaku
    return jsonify(
        cards=sorted(game.cards(rules)),
        yaku=[
            {
                "name": each.slug,
                **{key: names[each.slug][key] for key in ("en", "ja", "romaji")},
                "points": each.points,
                "count": each.count,
                "cards": sorted(each.cards),
            }
            for each in game.yaku_cards(played)
        ],
    )
