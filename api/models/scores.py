"""Models of scores, which games and scans share."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from api.models.base import Answer, RulesNamed, Strict


class Calls(Strict):
    """The number of koi-koi calls of each side."""

    own: Annotated[int, Field(ge=0, le=99)] = 0
    opponent: Annotated[int, Field(ge=0, le=99)] = 0


class RulesOut(RulesNamed):
    """The rules used for scoring, with all options."""

    options: dict[str, Any]


class RankOut(Answer):
    """A rank of hands."""

    name: str
    ja: str
    romaji: str
    en: str


class Explained(Answer):
    """A result with its explanation."""

    why: str
    reason: Annotated[dict[str, Any], Field(description="The explanation as a message: code and params.")]


class YakuOut(RankOut, Explained):
    """A yaku of the pile."""

    points: int
    cards: list[str]
    times: Annotated[int | None, Field(description="Of a hand: the teyaku's factor for the payment.")] = None


class Missing(Answer):
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
    times: Annotated[int | None, Field(description="Of a hand: the rank's factor for the payment.")] = None
    strength: Annotated[
        list[int] | None,
        Field(description="Comparison key: the lexicographically greater one of two hands wins."),
    ] = None
    role: str | None = None
    missing: list[Missing]
    rules: RulesNamed
