"""The page of a share code: house rules in words, which a phone can adopt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from companion.hanafuda.rules import PRESETS, resolve
from companion.hanafuda.rules.share import encode, link

from .conftest import Phones, Server
from .steps import scan
from .test_every_page import ALL_TEXTS, NAMELESS, SIDEWAYS, SMALL_TARGETS

OURS = resolve({"preset": "koikoi-hu", "three_brights": 50, "max_calls": "once_a_round"})


def test_the_link_reads_the_rules_out(phone: Page, steady: Server) -> None:
    phone.goto(link(steady.url, encode(OURS)))
    expect(phone.get_by_role("heading", level=1)).to_have_text("Six-point sets, with 2 changes")
    differing = phone.locator(".rules-card").first
    expect(differing.locator("h2")).to_have_text("2 things differ from “Six-point sets”")
    expect(differing.locator(".rule").first).to_contain_text("50 points")
    expect(differing.locator(".rule").first).to_contain_text("in “Six-point sets”: 6 points")
    expect(phone.locator(".rules-card:not(:nth-child(2)) .rule")).to_have_count(len(OURS.options()))
    expect(phone.locator(".rules-card:not(:nth-child(2)) .rule.marked")).to_have_count(2)
    expect(phone.locator(".share-code code")).to_have_text(re.compile(r"^K1[0-9A-Z-]+$"))


def test_the_phone_takes_the_rules_up(phone: Page, steady: Server, picture: Path) -> None:
    phone.goto(link(steady.url, encode(OURS)))
    phone.get_by_role("button", name="Score by these rules").click()
    expect(phone.locator(".rules-line")).to_contain_text("Six-point sets, with 2 changes")
    scan(phone, steady.url, picture)
    expect(phone.locator(".yaku .points").first).to_have_text("50 points")
    expect(phone.locator(".rules-line")).to_contain_text("Six-point sets, with 2 changes")


@pytest.mark.parametrize(("name", "count"), [("kekoro", 1), ("kakkuri", 0), ("kingo", 0)])
def test_only_games_with_piles_offer_to_score_one(phone: Page, steady: Server, name: str, count: int) -> None:
    phone.goto(f"{steady.url}/r/{name}")
    expect(phone.locator(".rules-card").first).to_be_visible()
    expect(phone.get_by_role("button", name="Score by these rules")).to_have_count(count)


def test_every_preset_can_be_read_on_a_small_phone(phones: Phones, steady: Server) -> None:
    page = phones.open(viewport={"width": 320, "height": 640})
    for name in PRESETS:
        page.goto(f"{steady.url}/r/{name}")
        expect(page.locator(".rules-card").first).to_be_visible()
        assert page.evaluate(SIDEWAYS, 320) == [], name
        assert page.evaluate(SMALL_TARGETS) == [], name
        assert page.evaluate(NAMELESS) == [], name


def test_japanese_phones_read_japanese(phones: Phones, steady: Server) -> None:
    page = phones.open("ja-JP")
    page.goto(link(steady.url, encode(OURS)))
    expect(page.get_by_role("heading", level=1)).to_have_text("三枚役は6点、変更2件")
    text = re.sub(r"English|Kangni Hu\b|http://\S+|K1[0-9A-Z-]+", "", page.evaluate(ALL_TEXTS))
    assert re.findall(r"[A-Za-z]{3,}", text) == []


def test_a_mistyped_code_is_refused_in_the_pages_language(phones: Phones, steady: Server) -> None:
    page = phones.open("ja-JP")
    page.goto(f"{steady.url}/r/K1G6-3R")
    expect(page.get_by_role("alert")).to_contain_text("共有コードに誤りがあります")
