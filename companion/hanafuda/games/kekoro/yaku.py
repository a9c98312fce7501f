"""Kekoro's yaku: one declaration each, and which of them a table plays.

Every yaku has three cards and scores the same. Twelve consist of brights and animals and are paired with ribbon yaku of
the same months; two more exist as ribbons only. Susuki and paulownia have no ribbon: only in ribbon yaku do the geese
and the yellow paulownia count as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ...cards import to_bits
from ...score_json import NamedYaku

__all__ = ["YAKU", "YAKU_1921", "Group", "Yaku", "in_force"]

Group = Literal["pictures", "ribbons"]


@dataclass(frozen=True, slots=True)
class Yaku(NamedYaku):
    """One yaku: its names, its three cards, and its source."""

    group: Group
    cards: int
    """The cards, as a set."""
    source: str

    def made_by(self, pile: int) -> bool:
        """Return whether a pile makes the yaku."""
        return pile & self.cards == self.cards


_TEXT = "FudaWiki, Kekoro, Yaku"


def _pictures(slug: str, ja: str, romaji: str, en: str, cards: str, source: str = _TEXT) -> Yaku:
    return Yaku(slug, ja, romaji, en, "pictures", to_bits(cards.split()), source)


def _ribbons(slug: str, ja: str, romaji: str, en: str, cards: str, source: str = _TEXT) -> Yaku:
    return Yaku(slug, ja, romaji, en, "ribbons", to_bits(cards.split()), source)


# The ribbon yaku come last, so that the yaku of both groups can be looked up separately and joined.
YAKU: Mapping[str, Yaku] = {
    yaku.slug: yaku
    for yaku in (
        _pictures(
            "kirishima", "霧島", "kirishima", "Mist Island",
            "paulownia-phoenix wisteria-cuckoo plum-warbler",
        ),
        _pictures(
            "gundari", "グンダリ", "gundari", "Gundari",
            "plum-warbler maple-deer paulownia-phoenix",
        ),
        _pictures(
            "goroju", "御老中", "goroujuu", "Elder",
            "iris-bridge peony-butterflies maple-deer",
        ),
        _pictures(
            "sangoro", "三五六", "sangorou", "Three Five Six",
            "cherry-curtain iris-bridge peony-butterflies",
        ),
        _pictures(
            "goshiroku", "五四六", "go-shi-roku", "Five Four Six",
            "iris-bridge wisteria-cuckoo peony-butterflies",
        ),
        _pictures(
            "shichigosan", "七五三", "shichi-go-san", "Seven Five Three",
            "clover-boar iris-bridge cherry-curtain",
        ),
        _pictures(
            "kumano", "熊野サン", "kumano-san", "Kumano Shrines",
            "chrysanthemum-sake willow-rainman cherry-curtain",
        ),
        _pictures(
            "yashima", "八島", "yashima", "Eight Islands",
            "susuki-moon wisteria-cuckoo plum-warbler",
        ),
        _pictures(
            "nakazo", "仲蔵", "nakazou", "Nakazō",
            "clover-boar susuki-moon chrysanthemum-sake",
        ),
        _pictures(
            "ebi", "海老", "ebi", "Shellfish",
            "pine-crane maple-deer willow-rainman",
        ),
        _pictures(
            "shimozan", "下三", "shimozan", "Low Three",
            "pine-crane willow-rainman cherry-curtain",
        ),
        _pictures(
            "deu", "出雨", "de-u", "Downpour",
            "clover-boar susuki-moon willow-rainman",
        ),
        _ribbons(
            "kirishima-ribbons", "短の霧島", "tan no kirishima", "Mist Island Ribbons",
            "paulownia-yellow wisteria-ribbon plum-ribbon",
        ),
        _ribbons(
            "gundari-ribbons", "短のグンダリ", "tan no gundari", "Gundari Ribbons",
            "plum-ribbon maple-ribbon paulownia-yellow",
        ),
        _ribbons(
            "goroju-ribbons", "短の御老中", "tan no goroujuu", "Elder Ribbons",
            "iris-ribbon peony-ribbon maple-ribbon",
        ),
        _ribbons(
            "sangoro-ribbons", "短の三五六", "tan no sangorou", "Three Five Six Ribbons",
            "cherry-ribbon iris-ribbon peony-ribbon",
        ),
        _ribbons(
            "goshiroku-ribbons", "短の五四六", "tan no go-shi-roku", "Five Four Six Ribbons",
            "iris-ribbon wisteria-ribbon peony-ribbon",
        ),
        _ribbons(
            "shichigosan-ribbons", "短の七五三", "tan no shichi-go-san", "Seven Five Three Ribbons",
            "clover-ribbon iris-ribbon cherry-ribbon",
        ),
        _ribbons(
            "kumano-ribbons", "短の熊野サン", "tan no kumano-san", "Kumano Shrines' Ribbons",
            "chrysanthemum-ribbon willow-ribbon cherry-ribbon",
        ),
        _ribbons(
            "yashima-ribbons", "短の八島", "tan no yashima", "Eight Islands' Ribbons",
            "susuki-geese wisteria-ribbon plum-ribbon",
        ),
        _ribbons(
            "nakazo-ribbons", "短の仲蔵", "tan no nakazou", "Nakazō Ribbons",
            "clover-ribbon susuki-geese chrysanthemum-ribbon",
        ),
        _ribbons(
            "shinshichihachi", "四七八", "shin-shichi-hachi", "Four Seven Eight",
            "wisteria-ribbon clover-ribbon susuki-geese",
        ),
        _ribbons(
            "jushichihachi", "十七八", "juu-shichi-hachi", "Ten Seven Eight",
            "maple-ribbon clover-ribbon susuki-geese",
        ),
        _ribbons(
            "ebi-ribbons", "短の海老", "tan no ebi", "Shellfish Ribbons",
            "pine-ribbon maple-ribbon willow-ribbon",
        ),
        _ribbons(
            "shimozan-ribbons", "短の下三", "tan no shimozan", "Low Three Ribbons",
            "pine-ribbon willow-ribbon cherry-ribbon",
        ),
        _ribbons(
            "deu-ribbons", "短の出雨", "tan no de-u", "Downpour Ribbons",
            "clover-ribbon susuki-geese willow-ribbon",
        ),
    )
}  # fmt: skip
"""Every yaku by slug, in the order of results."""

YAKU_1921: Mapping[str, Yaku] = {
    yaku.slug: yaku
    for yaku in (
        _pictures(
            "yashima", "八島", "yashima", "Eight Islands",
            "susuki-moon wisteria-cuckoo willow-rainman", "Shiono 1921",
        ),
        _ribbons(
            "gundari-ribbons", "短のグンダリ", "tan no gundari", "Gundari Ribbons",
            "plum-ribbon wisteria-ribbon paulownia-yellow", "Shiono 1921",
        ),
    )
}  # fmt: skip
"""The two yaku that have other cards in the report of 1921."""


@lru_cache(maxsize=2)
def in_force(source: str) -> tuple[Yaku, ...]:
    """Return the 26 yaku that a table plays; `source` is the rules' option `yaku_source`."""
    return tuple({**YAKU, **(YAKU_1921 if source == "1921" else {})}.values())
