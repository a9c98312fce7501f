"""What a player of a fishing game has and what is near, as the scorer says it, for pages.

Near is what the scorer calls missing, as far as it can still come about: cards that another has captured are gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from companion.hanafuda.cards import from_bits
from companion.hanafuda.families.fishing.captures import ids_of
from companion.hanafuda.games import kekoro, koikoi
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.games.koikoi.yaku import PAULOWNIA, WILLOW

__all__ = ["by_kind", "kekoro_answer", "koikoi_answer"]


def koikoi_answer(pile: int, rules: KoiKoiRules, situation: koikoi.Situation, gone: int) -> Mapping[str, Any]:
    """Return yaku, base, total, why and near of a pile; `gone` are the cards that others have captured."""
    field = None
    if rules.viewing_spoilt == "field" and situation.field is not None:
        field = situation.field & (WILLOW | PAULOWNIA)  # all of the field that a score depends on
    return _koikoi(pile, rules, situation.month, field, situation.own_calls, situation.opponent_calls, gone)


@lru_cache(maxsize=512)  # one side stands still while the other plays, and every page asks for both
def _koikoi(
    pile: int, rules: KoiKoiRules, month: int | None, field: int | None, own: int, other: int, gone: int
) -> Mapping[str, Any]:
    score = koikoi.score(pile, rules, koikoi.Situation(month, field, own, other))
    near = [
        _near(
            lack.yaku, getattr(rules, lack.yaku.option), lack.needs & ~gone, lack.count, pile & lack.yaku.of
        )
        for lack in score.missing
        if _possible(lack.needs, lack.count, gone)
    ]
    return _shaped(koikoi.to_dict(score), near)


@lru_cache(maxsize=512)
def kekoro_answer(pile: int, rules: KekoroRules, gone: int) -> Mapping[str, Any]:
    """Return yaku, base, total, values, why and near of a pile; `gone` are the cards that others have captured."""
    score = kekoro.score(pile, rules)
    near = [
        _near(lack.yaku, rules.yaku_points, lack.needs, lack.count, pile & lack.yaku.cards)
        for lack in score.missing
        if not lack.needs & gone
    ]
    answer = kekoro.to_dict(score)
    return {**_shaped(answer, near), "values": answer["values"]}


def _possible(needs: int, count: int, gone: int) -> bool:
    return (needs & ~gone).bit_count() >= count


def _near(yaku: koikoi.Yaku | kekoro.Yaku, points: int, needs: int, count: int, have: int) -> dict[str, Any]:
    return {
        "yaku": yaku.slug,
        "ja": yaku.ja,
        "romaji": yaku.romaji,
        "en": yaku.en,
        "points": points,
        "needs": list(ids_of(needs)),
        "count": count,
        "have": list(ids_of(have)),
    }


def _shaped(answer: Mapping[str, Any], near: list[dict[str, Any]]) -> dict[str, Any]:
    yaku = [
        {
            **{key: each[key] for key in ("name", "ja", "romaji", "en", "points", "cards")},
            "why": {"en": each["why"], "ja": each["why_ja"]},
        }
        for each in answer["yaku"]
    ]
    return {
        "yaku": yaku,
        "base": answer["base"],
        "total": answer["total"],
        "why": {"en": answer["why"], "ja": answer["why_ja"]},
        "near": near,
    }


@lru_cache(maxsize=512)
def by_kind(pile: int) -> Mapping[str, list[str]]:
    """Return captured cards by kind, each kind in deck order."""
    found: dict[str, list[str]] = {"bright": [], "animal": [], "ribbon": [], "chaff": []}
    for card in from_bits(pile):
        assert card.kind is not None  # hanafuda have one
        found[card.kind].append(card.id)
    return found
