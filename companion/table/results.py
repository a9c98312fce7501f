"""Results of a table's rounds without their moves: the form of the current or next round, and what a report would score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.hanafuda.description import ScoredRound
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round_results import read_report, result_form, score_report
from companion.table.events import NewEvent
from companion.table.live_round import AnyRound
from companion.table.schema import check_event
from companion.table.table import Table


def form_of(table: Table, of: int | None = None) -> dict[str, Any]:
    """Return the form of a result as JSON, with the round's ``number``, ``dealer`` and ``month``.

    ``new_round`` says whether the result is of a round that was not dealt. With ``of``, the number of a `scored` event,
    the form is for its correction.
    """
    number, played = _round(table, {}, of)
    form = result_form(GAMES[table.rules.game])
    return {
        "round": number,
        "new_round": number > table.round_number,
        "dealer": played.dealer,
        "month": played.situation().get("month"),
        **form.to_dict(played),
    }


def preview(table: Table, data: Mapping[str, Any], of: int | None = None) -> ScoredRound:
    """Return what a `scored` event with this data would score; raises `BadRequestError` with the reason if it is impossible."""
    check_event(NewEvent("scored", data), table.game.players, table.rules.game)
    _, played = _round(table, data, of)
    try:
        return score_report(played, read_report(data, table.game.players))
    except BadRequestError as error:
        raise BadRequestError(table.names.within(error.message)) from None


def _round(table: Table, data: Mapping[str, Any], of: int | None) -> tuple[int, AnyRound]:
    """Return the number and the round whose result is entered: that of an event, the current one, or the next."""
    for live in table.rounds:
        if of is not None and live.applied(of) is not None:
            return live.number, live.round
    last = table.live
    if last is not None and last.outcome is None and not last.abandoned and not data.get("new_round"):
        return last.number, last.round
    return table.round_number + 1, table.next_round(data)
