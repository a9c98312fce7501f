"""Disputes: the list of all, and one with everything that it can be decided by.

A dispute is opened, agreed about and decided by events (`POST /api/tables/{id}/events`).
"""

from __future__ import annotations

from typing import Final

from apiflask import APIBlueprint
from flask import Response, jsonify

from api.access.audience import audience_at
from api.context import context
from api.tables.dispute_schemas import DisputeOut, DisputesIn, DisputesOut
from companion.table.dispute_readings import grounds_of
from companion.table.disputes import dispute_at
from companion.table.replay_steps import step_of

__all__ = ["blueprint"]

_PAGE: Final = 50
"""Disputes in one answer."""

blueprint = APIBlueprint("disputes", __name__, tag="Tables")


@blueprint.get("/api/disputes")
@blueprint.input(DisputesIn, location="query")
@blueprint.output(DisputesOut)
def disputes(query_data: DisputesIn) -> Response:
    """List the disputes of all evenings, the open ones first."""
    found = context().store.nights.disputes(night=query_data.night)
    skip = int(query_data.skip)
    page = found[skip : skip + _PAGE]
    return jsonify(
        total=len(found),
        disputes=[
            {
                "night": each.night,
                "table": each.table,
                "seq": each.seq,
                "round": each.round,
                "time": each.time,
                "state": each.state,
                "verdict": each.verdict,
                "player": each.player,
                "text": each.text,
                "says": dict(each.says),
            }
            for each in page
        ],
    )


@blueprint.get("/api/tables/<table_id>/disputes/<int:seq>")
@blueprint.output(DisputeOut)
@blueprint.doc(responses={404: "No such table", 422: "No such dispute"})
def dispute(table_id: str, seq: int) -> Response:
    """Return the dispute that event `seq` opened: pictures, detection, rules, other readings and other house rules."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        found = dispute_at(table, seq)
        return jsonify(
            table=table_id,
            night=table.opened.get("night") or table_id,
            game=table.rules.game,
            players=list(table.names.given),
            dispute=found.view(table),
            step=step_of(table, found.round, found.of.seq),
            **grounds_of(table, found),
        )
