"""Messages: JSON form, text form, and rendering."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from typing import Any

import fluent.runtime
import pytest
from fluent.runtime import FluentResource

from companion.hanafuda.cards import DECKS
from companion.hanafuda.messages import Message, card_message, player_message, yaku_message
from companion.messages import LANGUAGES, best_language, language_name, render
from companion.messages.catalog import Catalog, catalog


def test_text_form_names_code_and_parameters() -> None:
    message = Message(
        "points", {"count": 3, "card": card_message("pine-crane"), "players": (player_message(1),)}
    )
    assert str(message) == "points (count=3, card=card-pine-crane, players=[player (number=1)])"


@pytest.mark.parametrize(
    "message",
    [
        Message("list-two", {"first": card_message("pine-crane"), "second": (player_message(2), "x", 1.5)}),
        card_message("back"),
        Message("text", {"en": "Hello", "ja": "こんにちは", "other": card_message("back")}),
    ],
)
def test_a_message_survives_storage_and_pickling(message: Message) -> None:
    assert Message.from_dict(message.to_dict()) == message
    assert pickle.loads(pickle.dumps(message)) == message
    assert hash(Message.from_dict(message.to_dict())) == hash(message)


def test_an_invalid_message_parameter_is_an_error() -> None:
    with pytest.raises(ValueError, match="parameter"):
        Message.from_dict({"code": "points", "params": {"count": None}})


@pytest.mark.parametrize(
    ("message", "en", "ja", "ko"),
    [
        (card_message("susuki-moon"), "Full Moon", "芒に月", "공산 광"),
        (yaku_message("boar-deer-butterfly"), "Boar-Deer-Butterfly", "猪鹿蝶", "멧돼지·사슴·나비"),
        (player_message(2), "player 2", "2番", "2번"),
        (Message("points", {"count": 1}), "1 point", "1点", "1점"),
        (Message("points", {"count": 1200}), "1,200 points", "1,200点", "1,200점"),
        (Message("points", {"count": 10**30}), f"{10**30} points", f"{10**30}点", f"{10**30}점"),
    ],
)
def test_rendering(message: Message, en: str, ja: str, ko: str) -> None:
    assert [render(message, language) for language in ("en", "ja", "ko")] == [en, ja, ko]
    assert (render(message), render(message, "ja")) == (en, ja)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, ("", "", "")),
        (1, ("player 1", "1番", "1번")),
        (2, ("player 1 and player 2", "1番と2番", "1번, 2번")),
        (4, ("player 1, player 2, player 3, and player 4", "1番、2番、3番、4番", "1번, 2번, 3번, 4번")),
    ],
)
def test_a_list_is_joined_as_the_language_does(count: int, expected: tuple[str, str, str]) -> None:
    listed = Message("player-name", {"name": tuple(player_message(each + 1) for each in range(count))})
    assert tuple(render(listed, language) for language in ("en", "ja", "ko")) == expected


def test_names_replace_numbers_wherever_a_player_is_named() -> None:
    message = Message(
        "list-two", {"first": player_message(1), "second": (player_message(2), player_message(3))}
    )
    assert render(message, "en", ["Hana", ""]) == "Hana and player 2 and player 3"
    assert render(message, "ko", ("하나", "민준", "지아")) == "하나, 민준, 지아"


def test_an_unknown_message_is_rendered_as_code_and_parameters() -> None:
    assert render(Message("no-such-message", {"count": 2}), "ko") == "no-such-message (count=2)"


def test_a_sentence_of_an_old_log_keeps_its_languages() -> None:
    old = Message.from_dict({"en": "Hello", "ja": "こんにちは"})
    assert [render(old, language) for language in ("en", "ja", "ko")] == ["Hello", "こんにちは", "Hello"]


@pytest.mark.parametrize(
    ("wanted", "language"),
    [(["ja-JP"], "ja"), (["ko_KR.UTF-8", "en"], "ko"), (["fr", None, "ja"], "ja"), ([], "en"), (["C"], "en")],
)
def test_the_first_language_that_has_a_catalog(wanted: list[str | None], language: str) -> None:
    assert best_language(wanted) == language


def test_each_language_has_its_own_name() -> None:
    assert [language_name(each) for each in LANGUAGES] == ["English", "日本語", "한국어"]


def test_a_message_may_refer_to_another_one() -> None:
    catalog = Catalog(
        "en", "-brand = Hanafuda\nname = { -brand } cards\nlong =\n    All { name },\n\n    all { $n }.\n"
    )
    assert catalog.format("long", {"n": 48}) == ("All Hanafuda cards,\n\nall 48.", [])


def test_threads_may_render_at_once() -> None:
    catalog = Catalog(
        "en",
        "\n".join(
            f"m{each} = {{ $n }} {{ m{(each * 7) % 200} }}" if each else "m0 = end" for each in range(200)
        ),
    )
    results: list[Any] = []

    def work() -> None:
        results.extend(catalog.format("m0", {"n": 1})[0] for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["end"] * 400


def test_a_thread_never_sees_a_message_without_the_one_it_refers_to(monkeypatch: pytest.MonkeyPatch) -> None:
    parsing, go_on = threading.Event(), threading.Event()

    def slow(source: str) -> Any:
        if source.startswith("b"):
            parsing.set()
            go_on.wait(20)
        return FluentResource(source)

    monkeypatch.setattr(fluent.runtime, "FluentResource", slow)
    catalog = Catalog("en", "a = see { b }\nb = this\n")
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(catalog.format("a", {}))) for _ in range(2)]
    threads[0].start()
    assert parsing.wait(20)
    threads[1].start()
    threads[1].join(0.2)
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert results == [("see this", [])] * 2


def test_the_rules_library_needs_no_catalog() -> None:
    """The library is used alone: neither the catalogs nor Fluent are imported with it."""
    script = (
        "import sys, companion.hanafuda.registry; "
        "print([m for m in sys.modules if m.startswith(('companion.messages', 'fluent', 'babel'))])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("card", "en", "ja", "ko"),
    [
        ("clubs-1", "1 of Clubs (Dragon)", "ハウの一", "곤봉 1"),
        ("coins-12", "12 of Coins (King)", "オウルの十二", "금화 12"),
        ("kabu-1-a", "Kabu 1 (red-printed)", "株札の一（赤）", "가부 1(빨강)"),
        ("kabu-10-d", "Kabu 10", "株札の十", "가부 10"),
        ("C1", "Ace of Clubs", "クラブのA", "클로버 A"),
        ("H9", "9 of Hearts", "ハートの9", "하트 9"),
        ("DK", "King of Diamonds", "ダイヤのK", "다이아몬드 K"),
    ],
)
def test_numbered_cards_have_names(card: str, en: str, ja: str, ko: str) -> None:
    assert [render(card_message(card), language) for language in LANGUAGES] == [en, ja, ko]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_has_a_name(language: str) -> None:
    assert [
        each
        for cards in DECKS.values()
        for each in cards
        if card_message(each.id).code not in catalog(language)
    ] == []
