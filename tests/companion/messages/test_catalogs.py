"""The catalogs are complete and consistent with each other and with the code that uses them."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

import pytest
from fluent.syntax import FluentParser
from fluent.syntax.ast import Junk
from fluent.syntax.ast import Message as Entry

from companion.hanafuda.cards import DECKS
from companion.hanafuda.messages import card_message
from companion.hanafuda.registry import GAMES
from companion.messages import LANGUAGES, catalog_source
from companion.messages.catalog import ADMINISTRATION, Catalog, catalog
from tests.companion.messages.javascript import evaluate
from tests.companion.messages.usage import SCRIPTS, Usage, usage

_SCRIPTS = {path.relative_to(SCRIPTS).as_posix(): path.read_text("utf-8") for path in SCRIPTS.rglob("*.js")}
_VARIABLE = re.compile(r"\$([a-zA-Z][\w-]*)")
_SELECTOR = re.compile(r"\{\s*(?:NUMBER\()?\$([a-zA-Z][\w-]*)[^{}>]*->|\{\s*PLURAL\(\$([a-zA-Z][\w-]*)")
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_HANGUL = re.compile(r"[\u1100-\u11ff\uac00-\ud7a3]")
ADMINISTRATION_CODES = set(Catalog("en", ADMINISTRATION.read_text("utf-8")))
_OTHERS = [language for language in LANGUAGES if language != "en"]


@cache
def variables(language: str, code: str) -> frozenset[str]:
    """Return the variables of a message, including those of the messages that it refers to."""
    source = catalog(language).entry(code)
    named = set(_VARIABLE.findall(source))
    for other in re.findall(r"\{\s*(-?[a-z][\w-]*)\s*\}", source):
        named |= variables(language, other)
    return frozenset(named)


def samples(code: str) -> list[dict[str, Any]]:
    """Return values for rendering a message: words and, if the text depends on a number, several numbers."""
    selectors = _SELECTOR.findall(catalog("en").entry(code))
    counted = {name for names in selectors for name in names} | {"count", "n", "number"}
    names = variables("en", code)
    numbers = (0, 1, 2, 5, 21, 1234) if names & counted else (1,)
    return [{name: number if name in counted else "Hana" for name in names} for number in numbers]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalog_is_well_formed_and_has_each_message_once(language: str) -> None:
    resource = FluentParser().parse(catalog_source(language))
    assert [each.content for each in resource.body if isinstance(each, Junk)] == []
    codes = [each.id.name for each in resource.body if isinstance(each, Entry)]
    assert [code for code, count in Counter(codes).items() if count > 1] == []
    assert [each for each in codes if each not in catalog(language)] == []
    others = ADMINISTRATION_CODES if language == "en" else set()
    assert sorted(codes) == sorted(
        each for each in set(catalog(language)) - others if not each.startswith("-")
    )


@pytest.mark.parametrize("language", _OTHERS)
def test_the_catalogs_have_the_same_codes(language: str) -> None:
    assert set(catalog("en")) - set(catalog(language)) == ADMINISTRATION_CODES, f"missing in {language}.ftl"
    assert set(catalog(language)) - set(catalog("en")) == set(), (
        f"missing in en.ftl, present in {language}.ftl"
    )


def used_variables(language: str, code: str) -> frozenset[str]:
    """Return the variables of a message that its text shows; a language may do without one that only selects a form."""
    return variables(language, code) & set(
        _VARIABLE.findall(_SELECTOR.sub("", catalog(language).entry(code)))
    )


@pytest.mark.parametrize("language", _OTHERS)
def test_a_message_has_the_same_variables_in_each_language(language: str) -> None:
    different = {
        code: (sorted(variables("en", code)), sorted(variables(language, code)))
        for code in catalog("en")
        if code in catalog(language)
        and not used_variables("en", code) <= variables(language, code) <= variables("en", code)
    }
    assert different == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_renders_without_an_error(language: str) -> None:
    wrong = {}
    for code in catalog(language):
        for values in samples(code):
            text, errors = catalog(language).format(code, values)
            if errors or not text or re.search(r"\{|\}", text):
                wrong[code] = (text, errors)
    assert wrong == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_render_every_message_identically(language: str) -> None:
    codes = Catalog(language, catalog_source(language))
    cases = [[code, values] for code in codes for values in samples(code)]
    script = """
    const { FluentBundle, FluentResource } = await import(`${STATIC}/vendor/fluent-bundle.js`);
    const { particle, plural } = await import(`${STATIC}/js/particles.js`);
    const functions = {
      JOSA: ([word, forms]) => particle(word.valueOf(), forms.valueOf()),
      PLURAL: ([count, forms]) => plural(count.valueOf(), forms.valueOf()),
    };
    const bundle = new FluentBundle(language, { functions, useIsolating: false });
    const problems = bundle.addResource(new FluentResource(source));
    answer = cases.map(([code, values]) => bundle.formatPattern(bundle.getMessage(code).value, values, problems));
    if (problems.length) throw problems[0];
    """
    rendered = evaluate(script, source=catalog_source(language), language=language, cases=cases)
    expected = [catalog(language).format(code, values)[0] for code, values in cases]
    assert [pair for pair in zip(rendered, expected, strict=True) if pair[0] != pair[1]] == []


def test_no_catalog_holds_another_language() -> None:
    mixed = []
    for language in LANGUAGES:
        foreign = {"en": (_KANA, _HANGUL), "ja": (_HANGUL,), "ko": (_KANA,)}.get(language, ())
        for code in catalog(language):
            if code != "language-name" and any(
                each.search(catalog(language).entry(code)) for each in foreign
            ):
                mixed.append((language, code))
    assert mixed == []


def test_every_message_that_the_code_names_exists() -> None:
    missing = [
        f"{use.where}: {use.code}"
        for use in usage().uses
        if use.code not in catalog("en") and use.code != "text"
    ]
    assert missing == []


def test_no_catalog_has_a_text_that_nobody_shows() -> None:
    """A code is named in the product, referred to by another text, or composed of parts that the product names."""
    cards = {card_message(card.id).code for pack in DECKS.values() for card in pack} | {"card-back"}
    texts = {code: catalog("en").entry(code).partition("=")[2] for code in catalog("en")}
    referred = {name for text in texts.values() for name in re.findall(r"\{\s*(-?[a-z][\w-]*)\s*[}.(]", text)}
    unused = [code for code in texts if code not in cards | referred and not usage().names(code)]
    assert [code for code in unused if not code.startswith("rule-")] == []


def test_a_text_that_nobody_shows_is_found() -> None:
    found = Usage(patterns={"role\\-.+"}, strings={"host", "points"})
    assert [found.names(each) for each in ("points", "role-host", "role-host-2")] == [True] * 3
    assert [found.names(each) for each in ("log-sheet", "role-owner", "host-role")] == [False] * 3


def test_the_rule_texts_are_those_of_the_options() -> None:
    """The codes of labels are composed of the option's and the value."""
    used = set()
    for game in GAMES.values():
        used |= {game.rules.title.code, *(section.code for section in game.rules.sections.values())}
        used |= {sentence.code for sentence, _ in game.rules.presets.values()}
        for option in game.rules.options().values():
            used |= {option.text.code, *(label.code for _, label in option.choices())}
    assert used - set(catalog("en")) == {"text"}  # numbers
    generic = re.compile(
        r"rule-(?:unit-.+|effect-.+|calls-.+|yes|no|nothing|not-played|redeal|play-on|stays|passes|stack)"
    )
    texts = {code for code in catalog("en") if code.startswith("rule-") and not generic.fullmatch(code)}
    assert texts - used == set()


def test_the_code_gives_the_variables_that_a_message_names() -> None:
    wrong = [
        f"{use.where}: {use.code} has {sorted(variables('en', use.code))}, given {sorted(use.variables)}"
        for use in usage().uses
        if use.variables is not None
        and use.code in catalog("en")
        and use.variables != variables("en", use.code)
    ]
    assert wrong == []


_NAMES = (
    "Wi-Fi",
    *(  # devices: commands to type, products and units
        "sudo usermod -aG dialout $USER",
        "pip install 'hanafuda-companion'",
        "by-id",
        "socket://",
        "libusb",
        "printer",
        "Linux",
        "USB",
        "TX",
        "RX",
        "RDM6300",
        "EM4100",
        "PN532",
        "HSU",
        "NFC",
        "ACG",
        "ISO",
        "R200",
        "UHF",
        "GM65",
        "GM8xx",
        "QR",
        "Zebra",
        "Honeywell",
        "SparkFun",
        "SerLCD",
        "OpenLCD",
        "Matrix Orbital",
        "GLK",
        "LK",
        "Crystalfontz",
        "CFA-631",
        "kHz",
        "mm",
    ),
    *(
        "companion invite",
        "companion mat",
        "--corners",
        "--size",
        "mm",
        "px",
        "companion https",
        "hanafuda-companion.crt",
        "hanafuda-companion",
        "Hanafuda Companion on",
        "Android",
        "Chrome",
        "Edge",
        "Safari",
        "Samsung",
        "iPhone",
        "iPad",
    ),
    *(
        "JavaScript",
        "HTTPS",
        "Safari",
        "JPEG",
        "WebP",
        "HEIC",
        "PNG",
        "FudaWiki",
        "games.porg.es",
        "KoiKoi-Japan",
        "Board Game Arena",
        "Kangni",
        "OBS",
        "US",
        "dBm",
        "pine-crane",
        "png",
        "mm",
        "Annyeong",
        "PDF",
        "CSV",
        "JSON",
        "ID",
        '"game"',
        '"captured"',
        '"preset"',
        "「game」",
        "「captured」",
        "「preset」",
        "companion rules show",
        "USB",
        "MQTT",
        "PostgreSQL",
        "RFID",
        "NFC",
        "SHA",
        "CA",
        "MB",
        "PIN",
        "QR",
        "Hu",
    ),
)
"""Return texts that are the same in every language."""


def test_japanese_and_korean_texts_hold_no_english() -> None:
    mixed = []
    for language in ("ja", "ko"):
        for code in catalog(language):
            text = re.sub(
                r"\{.*?\}|\{ \$\w+ ->|\[\w+\]|`[^`]*`", "", catalog(language).entry(code).partition("=")[2]
            )
            plain = re.sub("|".join(map(re.escape, _NAMES)), "", text)
            if re.search(r"[A-Za-z]{2,}", plain):
                mixed.append((language, code, text))
    assert mixed == []


@pytest.mark.parametrize("name", _SCRIPTS)
def test_scripts_hold_no_texts_of_their_own(name: str) -> None:
    """Templates contain no text: it is in the catalogs."""
    without_values = re.sub(r"\$\{[^{}]*(\{[^{}]*\}[^{}]*)*\}", "", _SCRIPTS[name])
    found = [
        text
        for text in re.findall(r"(?<![=\s])>([^<>`$]+)<", without_values)
        if re.search(r"[A-Za-z]{3,}", text)
    ]
    sentences = [text for text in found if not re.search(r"[=;{}()]|JSON|CSV", text)]
    assert sentences == []
