"""Schemas of disputes; see `api.schemas`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from api.schemas import MessageOut, ResponseSchema, Strict

__all__ = ["DisputeOut", "DisputesIn", "DisputesOut"]


class DisputesIn(Strict):
    """Which disputes to list."""

    skip: Annotated[
        str, StringConstraints(pattern=r"^\d{1,9}$"), Field(description="The number of disputes to skip.")
    ] = "0"
    night: Annotated[str | None, Field(max_length=40, description="Only disputes of this evening.")] = None


class ListedDisputeOut(ResponseSchema):
    """A dispute in a list."""

    night: str
    table: str
    seq: Annotated[int, Field(description="The event that opened it.")]
    round: int | None
    time: str
    state: Literal["open", "agreed", "ruled", "withdrawn"]
    verdict: Annotated[
        str | None, Field(description="`stands`, or `changed` if the event was wrong; null if not decided.")
    ]
    player: Annotated[str, Field(description="Who opened it: the player, or the device without a seat.")]
    text: str
    says: Annotated[MessageOut, Field(description="The event in question.")]


class DisputesOut(ResponseSchema):
    """Disputes: the open ones first, then the most recent."""

    disputes: list[ListedDisputeOut]
    total: int


class DisputeOut(ResponseSchema):
    """A dispute and what it can be decided by."""

    table: str
    night: str
    game: str
    players: list[str]
    dispute: Annotated[dict[str, Any], Field(description="As in the table's view.")]
    step: Annotated[int | None, Field(description="The step of the round's replay after the event.")]
    pictures: Annotated[
        dict[str, Any], Field(description="Names of the pictures `before` and `after` the event, or null.")
    ]
    detected: Annotated[
        dict[str, Any], Field(description="Who or what reported the event, and the confidence (0–1).")
    ]
    problems: Annotated[list[dict[str, Any]], Field(description="What the rules say against the event.")]
    yaku: Annotated[
        list[dict[str, Any]], Field(description="The yaku that it completed, with their sources.")
    ]
    house: Annotated[dict[str, Any], Field(description="The rules of its round.")]
    readings: Annotated[
        list[dict[str, Any]],
        Field(
            description="What may have happened, and what it would give: the number of later moves that would be illegal,"
            " and the points. The first one, without `says`, is what was reported."
        ),
    ]
    rules: Annotated[
        list[dict[str, Any]],
        Field(description="The rules that decide, with their sources and what other values would give."),
    ]
