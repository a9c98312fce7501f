"""A score in sentences, English and Japanese, and as the JSON of the contract."""

from __future__ import annotations

from typing import Any

from companion.hanafuda.games.koikoi.scoring import Paid, Score
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Text
from companion.hanafuda.score_json import lack_answer, points_in_words, yaku_answer

__all__ = ["to_dict", "why", "why_paid"]

_NUMBERS = {5: "five", 10: "ten"}


def why_paid(paid: Paid, score: Score) -> Message:
    """Say why a yaku pays what it pays."""
    yaku, further = paid.yaku, paid.further
    plain = paid.points - further
    if yaku.counted:
        held = yaku.count + further
        en = f"{held} {yaku.takes.en}: {points_in_words(plain)} for {_NUMBERS[yaku.count]}"
        ja = f"{yaku.takes.ja}{held}枚：{yaku.count}枚で{plain}点"
        if further:
            en += f", {further} for {further} more"
            ja += f"、{further}枚増しで＋{further}点"
        return Text(en, ja)
    en = f"{yaku.takes.en[0].upper()}{yaku.takes.en[1:]}: {points_in_words(plain)}"
    ja = f"{yaku.takes.ja}：{plain}点"
    if further:
        pool, pool_ja = {"animals": ("animal", "種札"), "ribbons": ("ribbon", "短冊札")}[yaku.group]
        en += f", {further} for {further} further {pool}{'s' if further > 1 else ''}"
        ja += f"、ほかの{pool_ja}{further}枚で＋{further}点"
    if yaku.group == "viewings" and score.rules.viewing_after_call and score.situation.own_calls:
        en += " after koi-koi"
        ja += "（こいこい後）"
    if yaku.group == "viewings" and score.rules.viewing_spoilt == "field" and score.situation.field is None:
        spoils, spoils_ja = {"flower-viewing": ("willow", "柳"), "moon-viewing": ("paulownia", "桐")}[
            yaku.slug
        ]
        en += f", if no {spoils} is on the field (nobody told what lies there)"
        ja += f"（場が不明。{spoils_ja}があれば無効）"
    if yaku.slug == "poetry-and-blue":
        replaced = score.rules.poetry_blue == "replace"
        en += ", in place of the two" if replaced else ", on top of the two"
        ja += "（赤短・青短に代わる）" if replaced else "（赤短・青短に加わる）"
    return Text(en, ja)


def why(score: Score) -> Message:
    """Say how the total comes about, multipliers and all."""
    en, ja = _sum(score)
    extra_en, extra_ja = _payment(score)
    en, ja = en + extra_en, ja + extra_ja
    for each in score.unpaid:
        en += f" {each.yaku.en} does not pay: {each.reason.en}."
        ja += f"{each.yaku.ja}は無効：{each.reason.ja}。"
    if score.cup:
        en += f" The sake cup counts as {'an animal' if score.cup == 'animal' else 'chaff'}, the better way."
        ja += f"菊に盃は{'種札' if score.cup == 'animal' else 'カス札'}として数える。"
    return Text(en, ja)


def _sum(score: Score) -> tuple[str, str]:
    if not score.paid:
        return "No yaku: 0 points.", "役なし：0点。"
    en = " + ".join(f"{each.yaku.en} {each.points}" for each in score.paid)
    ja = "＋".join(f"{each.yaku.ja}{each.points}点" for each in score.paid)
    if len(score.paid) > 1:
        en += f" = {score.base}"
        ja += f"＝{score.base}点"
    return f"{en} points.".replace(" 1 points.", " 1 point."), f"{ja}。"


def _payment(score: Score) -> tuple[str, str]:
    payment, calls = (
        score.payment,
        {"own": score.situation.own_calls, "opponent": score.situation.opponent_calls},
    )
    whose = {"own": ("own", "自分"), "opponent": ("the opponent's", "相手")}
    en, ja = [], []
    for who, number in payment.added:
        en.append(f"{whose[who][0]} koi-koi ({calls[who]}) adds {number}")
        ja.append(f"{whose[who][1]}のこいこい{calls[who]}回で＋{number}点")
    for who, number in payment.factors:
        en.append(f"{whose[who][0]} koi-koi ({calls[who]}) times {number}")
        ja.append(f"{whose[who][1]}のこいこい{calls[who]}回で{number}倍")
    if len(payment.factors) > 1 and score.rules.combine == "add":
        en.append(f"which together make times {payment.calls_factor}")
        ja.append(f"合わせて{payment.calls_factor}倍")
    if payment.seven:
        en.append(f"{payment.seven} is 7 or more, times 2")
        ja.append(f"{payment.seven}点は7点以上で2倍")
    if not en:
        return "", ""
    sentence = "; ".join(en)
    return (
        f" {sentence[0].upper()}{sentence[1:]}: {points_in_words(payment.total)}.",
        f"{'、'.join(ja)}：計{payment.total}点。",
    )


def to_dict(score: Score) -> dict[str, Any]:
    """Return a score as the contract's JSON."""
    reason = why(score)
    return {
        "yaku": [
            yaku_answer(paid.yaku, paid.points, paid.cards, why_paid(paid, score)) for paid in score.paid
        ],
        "base": score.base,
        "total": score.total,
        "why": reason.en,
        "why_ja": reason.ja,
        "missing": [lack_answer(lack.yaku, lack.needs, lack.count) for lack in score.missing],
        "rules": {"name": score.rules.name, "hash": score.rules.hash},
    }
