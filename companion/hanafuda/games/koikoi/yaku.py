"""Koi-Koi's yaku: one declaration each, and which of them a table plays.

A yaku is `count` cards out of the set `of`, including all of `must`. Its points are the value of the rules' option of
the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from ...cards import HANAFUDA, to_bits
from ...messages import Message
from ...score_json import NamedYaku
from .rules import KoiKoiRules

__all__ = ["MONTHS", "PAULOWNIA", "RAIN", "SAKE", "WILLOW", "YAKU", "Cup", "Group", "Yaku", "in_force"]

Group = Literal["brights", "viewings", "animals", "ribbons", "chaff", "month"]
Cup = Literal["animal", "chaff", "both", "neither"]
"""What the sake cup counts as."""


def _all_of(card_type: str) -> int:
    return sum(card.bit for card in HANAFUDA if card.kind == card_type)


_BRIGHTS, _ANIMALS, _RIBBONS, _CHAFF = map(_all_of, ("bright", "animal", "ribbon", "chaff"))
_RAIN_MAN = to_bits(["willow-rainman"])
_POETRY = to_bits(["pine-ribbon", "plum-ribbon", "cherry-ribbon"])
_BLUE = to_bits(["peony-ribbon", "chrysanthemum-ribbon", "maple-ribbon"])

MONTHS = tuple(sum(card.bit for card in HANAFUDA if card.month == month) for month in range(1, 13))
"""The four cards of each month."""
SAKE = to_bits(["chrysanthemum-sake"])
WILLOW, PAULOWNIA = MONTHS[10], MONTHS[11]
RAIN = to_bits(["willow-rainman", "willow-lightning"])
"""The two cards that show the rain."""


@dataclass(frozen=True, slots=True)
class Yaku(NamedYaku):
    """One yaku: its names, the cards it needs, and its source."""

    group: Group
    of: int
    count: int
    takes: Message
    source: str
    must: int = 0
    pool: int = 0
    """The cards that may each add a further point; 0 if none can."""
    counted: bool = False
    """Whether the yaku counts the cards of its group, so that each further card adds a point."""

    @property
    def option(self) -> str:
        """The rules' option with its points."""
        return self.slug.replace("-", "_")

    def made_by(self, pile: int) -> bool:
        """Return whether a pile makes the yaku."""
        return (pile & self.of).bit_count() >= self.count and pile & self.must == self.must


YAKU: Mapping[str, Yaku] = {
    yaku.slug: yaku
    for yaku in (
        Yaku(
            "five-brights", "五光", "gokou", "Five Brights", "brights",
            _BRIGHTS, 5, Message("koikoi-takes-five-brights"), "Koi-Koi guide §6, Kangni Hu §4.2",
        ),
        Yaku(
            "four-brights", "四光", "shikou", "Four Brights", "brights",
            _BRIGHTS ^ _RAIN_MAN, 4, Message("koikoi-takes-four-brights"), "Koi-Koi guide §6",
        ),
        Yaku(
            "rainy-four-brights", "雨四光", "ame-shikou", "Rainy Four Brights", "brights",
            _BRIGHTS, 4, Message("koikoi-takes-rainy-four-brights"), "Koi-Koi guide §6",
            must=_RAIN_MAN,
        ),
        Yaku(
            "three-brights", "三光", "sankou", "Three Brights", "brights",
            _BRIGHTS ^ _RAIN_MAN, 3, Message("koikoi-takes-three-brights"), "Koi-Koi guide §6",
        ),
        Yaku(
            "flower-viewing", "花見で一杯", "hanami de ippai", "Flower Viewing", "viewings",
            to_bits(["cherry-curtain"]) | SAKE, 2,
            Message("koikoi-takes-flower-viewing"), "Koi-Koi guide §6, Kangni Hu §4.2",
        ),
        Yaku(
            "moon-viewing", "月見で一杯", "tsukimi de ippai", "Moon Viewing", "viewings",
            to_bits(["susuki-moon"]) | SAKE, 2,
            Message("koikoi-takes-moon-viewing"), "Koi-Koi guide §6, Kangni Hu §4.2",
        ),
        Yaku(
            "boar-deer-butterfly", "猪鹿蝶", "inoshikachou", "Boar-Deer-Butterfly", "animals",
            to_bits(["clover-boar", "maple-deer", "peony-butterflies"]), 3,
            Message("koikoi-takes-boar-deer-butterfly"), "Koi-Koi guide §6, Kangni Hu §4.2",
            pool=_ANIMALS,
        ),
        Yaku(
            "animals", "タネ", "tane", "Animals", "animals",
            _ANIMALS, 5, Message("koikoi-takes-animals"), "Koi-Koi guide §6, Kangni Hu §4.2",
            pool=_ANIMALS, counted=True,
        ),
        Yaku(
            "poetry-ribbons", "赤短", "akatan", "Poetry Ribbons", "ribbons",
            _POETRY, 3, Message("koikoi-takes-poetry-ribbons"), "Koi-Koi guide §6, Kangni Hu §4.2 (Red Poems)",
            pool=_RIBBONS,
        ),
        Yaku(
            "blue-ribbons", "青短", "aotan", "Blue Ribbons", "ribbons",
            _BLUE, 3, Message("koikoi-takes-blue-ribbons"), "Koi-Koi guide §6, Kangni Hu §4.2 (Blue Poems)",
            pool=_RIBBONS,
        ),
        Yaku(
            "poetry-and-blue", "赤短・青短の重複", "akatan aotan no choufuku", "Poetry and Blue Ribbons",
            "ribbons", _POETRY | _BLUE, 6,
            Message("koikoi-takes-poetry-and-blue"), "FudaWiki, Nintendo, KoiKoi-Japan",
            pool=_RIBBONS,
        ),
        Yaku(
            "ribbons", "タン", "tan", "Ribbons", "ribbons",
            _RIBBONS, 5, Message("koikoi-takes-ribbons"), "Koi-Koi guide §6, Kangni Hu §4.2 (Poems)",
            pool=_RIBBONS, counted=True,
        ),
        Yaku(
            "chaff", "カス", "kasu", "Chaff", "chaff",
            _CHAFF, 10, Message("koikoi-takes-chaff"), "Koi-Koi guide §6, Kangni Hu §4.2 (Dregs)",
            pool=_CHAFF, counted=True,
        ),
        # The four cards depend on the round's month; `in_force` fills them in.
        Yaku(
            "month-cards", "月札", "tsukifuda", "Month Cards", "month",
            0, 4, Message("koikoi-takes-month-cards"), "gamedesign.jp",
        ),
    )
}  # fmt: skip
"""Every yaku of a pile by slug, in the order of results."""


@lru_cache(maxsize=512)
def in_force(rules: KoiKoiRules, month: int | None, cup: Cup) -> tuple[Yaku, ...]:
    """Return the yaku that a table plays, with their sets of cards under its rules."""
    played = [
        _under_rules(yaku, rules, month, cup) for yaku in YAKU.values() if getattr(rules, yaku.option) > 0
    ]
    return tuple(
        yaku for yaku in played if not (yaku.slug == "poetry-and-blue" and rules.poetry_blue == "both")
    )


def _under_rules(yaku: Yaku, rules: KoiKoiRules, month: int | None, cup: Cup) -> Yaku:
    animals = _ANIMALS if cup in {"animal", "both"} else _ANIMALS ^ SAKE
    chaff = _CHAFF | SAKE if cup in {"chaff", "both"} else _CHAFF
    of, pool, takes = yaku.of, yaku.pool, yaku.takes
    match yaku.slug:
        case "four-brights" if rules.rain_man == "counts":
            of, takes = _BRIGHTS, Message("koikoi-takes-four-brights-any")
        case "three-brights" if rules.rain_man == "counts":
            of, takes = _BRIGHTS, Message("koikoi-takes-three-brights-any")
        case "boar-deer-butterfly":
            pool = animals
        case "animals":
            of = pool = animals
        case "chaff":
            of = pool = chaff
        case "month-cards" if month:
            of = MONTHS[month - 1]
    return replace(yaku, of=of, pool=pool, takes=takes)
