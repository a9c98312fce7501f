"""Texts of logs from versions that stored sentences in English and Japanese, read in Korean."""

from __future__ import annotations

from typing import Any

from fold_helpers import opened, reported, shuffled_deal

from companion.hanafuda.messages import Message
from companion.messages import render
from companion.store.store import open_store
from companion.table import NewEvent, Table

_QUESTION = {
    "text": {"en": "What did player 1 do?", "ja": "1番は何をしましたか。"},
    "choices": [
        {
            "says": {"en": "played Crane and Sun to the field", "ja": "松に鶴を場に出した"},
            "p": 0.6,
            "events": [{"kind": "moved", "data": {"player": 1, "words": ["play", "pine-crane"]}}],
        },
        {"says": {"en": "nothing yet", "ja": "まだ何もしていない"}, "p": 0.4, "events": []},
    ],
    "picture": None,
}


def _notice(*cards: str) -> NewEvent:
    message = {"en": "It must be taken.", "ja": "取らなければならない"}
    return NewEvent("noticed", {"code": "capture-refused", "message": message, "cards": list(cards)})


def _texts(document: dict[str, Any]) -> list[str]:
    return [render(Message.from_dict(document), language) for language in ("en", "ja", "ko")]


def _reopened(table: Table, folder: Any) -> Table:
    """Return the table as read from a log that has its events."""
    log = open_store(folder)
    try:
        first, *rest = table.events
        new = NewEvent("opened", {key: value for key, value in first.data.items() if key != "id"})
        table_id = log.tables.create(new, actor=first.actor, source=first.source)
        log.tables.append(table_id, rest)
        return Table.of(log.tables.load(table_id))
    finally:
        log.close()


def test_an_old_log_is_read_in_korean(tmp_path: Any) -> None:
    table = opened()
    reported(table, shuffled_deal(table, 1))
    reported(table, _notice("pine-crane"), NewEvent("asked", _QUESTION))
    view = _reopened(table, tmp_path / "data").view()
    (problem,) = view["problems"]
    assert _texts(problem["message"]) == [
        "It must be taken.",
        "取らなければならない",
        "문제를 발견했어요: 송학 광",
    ]
    (question,) = view["questions"]
    assert _texts(question["text"])[2] == "Aiko는 무엇을 했나요?"
    assert [_texts(choice["says"])[2] for choice in question["choices"]] == [
        "Aiko: 송학 광을 바닥에 내요",
        "아직 아무것도 안 했어요",
    ]


def test_an_old_notice_without_cards_is_read_in_korean() -> None:
    table = opened()
    reported(table, _notice())
    assert _texts(table.view()["problems"][0]["message"])[2] == "문제를 발견했어요"
