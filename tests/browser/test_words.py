"""The words of the pages: each sentence in each language, none missing, none left over."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import api.pages.page_routes

STATIC = Path(api.pages.page_routes.__file__).parent / "static"
TEMPLATES = sorted((STATIC.parent / "templates").glob("*.html"))
SOURCES = {
    path.relative_to(STATIC / "js").as_posix(): path.read_text(encoding="utf-8")
    for path in (STATIC / "js").rglob("*.js")
}
WORDS = {code: api.pages.page_routes.messages(code) for code in api.pages.page_routes.LANGUAGES}

# Keys that the scripts put together from a part that is data: `month.3`, `problem.busy`.
BUILT = (
    "flower.",
    "month.",
    "kind.",
    "problem.",
    "preset.",
    "sheet.clash.",
    "pack.",
    "suit.",
    "enroll.lay.",
    "live.title.",
    "certificate.",
    "live.call.",
    "live.entry.",
    "live.word.",
    "live.part.",
    "live.picture.",
    "live.source.",
    "live.has.",
    "invite.scan.",
    "join.role.",
    "join.welcome.",
    "display.koikoi",
    "display.stop",
    "overlay.",
    "host.state.",
    "host.zone.",
    "host.zones.",
    "host.role.",
    "host.health.",
    "host.worker.",
    "devices.state.",
    "devices.tried.",
    "devices.kind.",
    "devices.option.",
    "devices.font.",
    "stickers.kind",
    "stickers.paper",
    "stickers.size",
)


def _key_without_number(key: str) -> str:
    return re.sub(r"\.(one|other)$", "", key)


@pytest.mark.parametrize("code", WORDS)
def test_every_language_says_the_same_things(code: str) -> None:
    assert set(map(_key_without_number, WORDS[code])) == set(map(_key_without_number, WORDS["en"]))


@pytest.mark.parametrize("code", WORDS)
def test_every_language_fills_in_the_same_values(code: str) -> None:
    for key, sentence in WORDS[code].items():
        other = WORDS["en"].get(key) or WORDS["en"][f"{_key_without_number(key)}.other"]
        values, expected = (set(re.findall(r"\{(\w+)\}", text)) for text in (sentence, other))
        assert values == expected, key


def test_no_key_is_written_twice() -> None:
    for code in WORDS:
        pairs = json.loads((STATIC / "i18n" / f"{code}.json").read_text("utf-8"), object_pairs_hook=list)
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), code


NAMES = (
    *(
        "companion invite",
        "companion https",
        "hanafuda-companion.crt",
        "Hanafuda Companion on",
        "Android",
        "iPhone",
        "iPad",
    ),
    *("JavaScript", "HTTPS", "Safari", "JPEG", "WebP", "HEIC", "PNG", "SHA", "CA", "MB", "PIN", "QR", "Hu"),
)
"""What is called the same in every language."""


def test_japanese_sentences_are_japanese() -> None:
    for key, sentence in WORDS["ja"].items():
        plain = re.sub("|".join((r"\{\w+\}", *map(re.escape, NAMES))), "", sentence)
        assert re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", plain) or plain.strip(" →") == "", key
        assert not re.search(r"[A-Za-z]{2,}", plain), key


def test_the_pages_use_every_key_and_no_other() -> None:
    literals = set(re.findall(r'"([a-z]+(?:\.[a-z0-9-]+)*)"', "\n".join(SOURCES.values())))
    for template in TEMPLATES:
        literals |= set(re.findall(r"words\['([a-z.-]+)'\]", template.read_text("utf-8")))
    keys = set(map(_key_without_number, WORDS["en"]))
    used = {key for key in keys if key in literals or key.startswith(BUILT)}
    assert keys - used == set(), "words that nothing says"
    names = {key.split(".")[0] for key in keys}
    unknown = {text for text in literals if text.split(".")[0] in names and "." in text} - keys
    assert unknown == set(), "keys without words"


@pytest.mark.parametrize("name", SOURCES)
def test_scripts_hold_no_words_of_their_own(name: str) -> None:
    """Between tags of a template stands no sentence: those are in the dictionaries."""
    without_values = re.sub(r"\$\{[^{}]*(\{[^{}]*\}[^{}]*)*\}", "", SOURCES[name])
    found = [
        text
        for text in re.findall(r"(?<![=\s])>([^<>`$]+)<", without_values)
        if re.search(r"[A-Za-z]{3,}", text)
    ]
    sentences = [text for text in found if not re.search(r"[=;{}()]|JSON|CSV", text)]
    assert sentences == []
