"""Pairings of tags with cards: stored, found, never lost."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from companion.hanafuda.cards import DECKS, HANAFUDA, UnknownCardError
from companion.hanafuda.errors import BadRequestError
from companion.messages import render
from companion.store import LogReadError, LogWriteError, open_documents
from companion.store.tag_pairings import (
    MAX_TAGS,
    Tags,
    TagTakenError,
    sticker_of,
    stuck_on,
    tag_of,
)
from tests.message_text import raises_text

ALL_CARDS = [(pack, card.id) for pack, cards in DECKS.items() for card in cards]


@pytest.fixture
def tags(tmp_path: Path) -> Tags:
    return Tags(open_documents(tmp_path))


@pytest.mark.parametrize(
    ("reported", "kept"),
    [
        ("e0040150a1b2c3d4", "E0040150A1B2C3D4"),
        (" 04:a1:b2:c3:d4:e5:f6 ", "04A1B2C3D4E5F6"),
        ("04-a1-b2-c3", "04A1B2C3"),
        ("04 a1 b2 c3", "04A1B2C3"),
        ("0012345678", "0012345678"),  # as keyboard readers type an EM4100 tag
        ("4901234567894", "4901234567894"),
        ("12-34", "12-34"),  # too short to be bytes: the text of a code
        ("Granny's crane", "Granny's crane"),
        ("hanafuda:pine-crane", "hanafuda:pine-crane"),
    ],
)
def test_a_tag_id_is_stored_in_one_notation(reported: str, kept: str) -> None:
    assert tag_of(reported) == kept
    assert tag_of(tag_of(reported)) == kept


@pytest.mark.parametrize("reported", ["", "  ", "\t", "a\x00b", "\ud800", "x" * 513])
def test_an_invalid_tag_is_rejected_with_advice(reported: str) -> None:
    with raises_text(BadRequestError, match="scan one, or enter"):
        tag_of(reported)


@pytest.mark.parametrize("pack", DECKS)
def test_a_sticker_contains_its_card(pack: str, tags: Tags) -> None:
    for card in DECKS[pack]:
        text = sticker_of(card.id)
        assert text == f"{pack}:{card.id}"
        for read in (text, text.upper(), f"{text}\r\n"):
            assert stuck_on(read) == card
            assert tags.find(read) == card.id


@given(st.text(max_size=40))
def test_no_other_text_is_a_sticker(text: str) -> None:
    pack, _, card = text.strip().casefold().partition(":")
    if (pack, card) not in {(pack, card.casefold()) for pack, card in ALL_CARDS}:
        assert stuck_on(text) is None


def test_two_tags_for_one_card_but_never_one_for_two(tags: Tags) -> None:
    tags.pair("granny", "AA01", "pine-crane")
    tags.pair("granny", "AA02", "pine-crane")
    with raises_text(TagTakenError, match=r"'AA01' stands for Crane and Sun .pine-crane. already") as refused:
        tags.pair("granny", "aa01", "plum-ribbon")
    assert refused.value.members["card"] == "pine-crane"
    assert tags.of("granny") == {"AA01": "pine-crane", "AA02": "pine-crane"}

    tags.pair("granny", "aa01", "plum-ribbon", move=True)
    assert tags.of("granny") == {"AA02": "pine-crane", "AA01": "plum-ribbon"}
    tags.pair("granny", "AA02", None)
    tags.pair("granny", "AA02", None)
    assert tags.of("granny") == {"AA01": "plum-ribbon"}


def test_put_rejects_one_tag_in_two_notations_for_two_cards(tags: Tags) -> None:
    with pytest.raises(TagTakenError):
        tags.put("granny", {"aabb": "pine-crane", "AABB": "plum-ribbon"})
    assert tags.of("granny") == {}
    tags.put("granny", {"aabb": "pine-crane", "AABB": "pine-crane"})
    assert tags.of("granny") == {"AABB": "pine-crane"}


@pytest.mark.parametrize(
    ("deck", "tag", "card", "error"),
    [
        ("granny", "AA01", "pine-crain", UnknownCardError),
        ("granny", "hanafuda:pine-crane", "plum-ribbon", BadRequestError),
        ("granny", "", "pine-crane", BadRequestError),
        ("../granny", "AA01", "pine-crane", BadRequestError),
        ("", "AA01", "pine-crane", BadRequestError),
        ("a/b", "AA01", "pine-crane", BadRequestError),
    ],
)
def test_pairing_errors(
    tags: Tags, tmp_path: Path, deck: str, tag: str, card: str, error: type[BadRequestError]
) -> None:
    with pytest.raises(error):
        tags.pair(deck, tag, card)
    with pytest.raises(error):
        tags.put(deck, {tag: card})
    assert list(tmp_path.rglob("*")) == []


def test_a_deck_has_room_for_so_many_and_no_more(tags: Tags) -> None:
    tags.put("granny", {f"{n:08X}": "pine-crane" for n in range(MAX_TAGS)})
    with raises_text(BadRequestError, match="at most 2000"):
        tags.pair("granny", "FFFFFFFF", "pine-crane")
    assert len(tags.of("granny")) == MAX_TAGS


def test_a_tag_is_looked_for_in_the_tables_deck_first_then_where_all_agree(tags: Tags) -> None:
    tags.pair("granny", "AA01", "pine-crane")
    tags.pair("club", "AA01", "plum-ribbon")
    tags.pair("club", "AA02", "maple-deer")

    assert tags.find("aa01", "granny") == "pine-crane"
    assert tags.find("aa01", "club") == "plum-ribbon"
    assert tags.find("aa01") is None  # two decks, two cards: a wrong name is worse than none
    assert tags.find("aa01", "hanafuda") is None
    assert tags.find("AA02", "granny") == "maple-deer"
    assert tags.find("AA03") is None
    assert tags.find("") is None


def test_a_folder_may_contain_other_files(tags: Tags, tmp_path: Path) -> None:
    tags.pair("granny", "AA01", "pine-crane")
    (tmp_path / "tags" / "my notes.json").write_text("?")
    (tmp_path / "tags" / "granny.json.part").write_text("?")
    assert tags.find("AA01") == "pine-crane"
    assert tags.find("AA02") is None


@pytest.mark.parametrize(
    ("damaged", "hold"),
    [
        (b"", {}),
        (b"\x00\xff\xfe", {}),
        (b'{"tags": {"AA01": "pine-cr', {}),
        (b"[" * 100_000, {}),
        (b"[]", {}),
        (b'{"tags": []}', {}),
        (b'{"tags": {"AA01": "pine-crane", "AA02": "pine-crain"}}', {"AA01": "pine-crane"}),
        (b'{"tags": {"AA01": "pine-crane", "AA02": 7}}', {"AA01": "pine-crane"}),
        (b'{"tags": {"AA01": "pine-crane", "AA02": ["pine-crane"]}}', {"AA01": "pine-crane"}),
        (b'{"tags": {"AA01": "pine-crane", "\\ud800": "pine-crane"}}', {"AA01": "pine-crane"}),
    ],
)
def test_a_damaged_file_is_set_aside_and_reported(
    tags: Tags, tmp_path: Path, damaged: bytes, hold: dict[str, str]
) -> None:
    path = tmp_path / "tags" / "granny.json"
    for number in (1, 2):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(damaged)
        assert Tags(open_documents(tmp_path)).of("granny") == hold
        assert (path.parent / f"granny.json.damaged-{number}").read_bytes() == damaged

    path.write_bytes(damaged)
    assert tags.of("granny") == hold
    problem = tags.problem("granny")
    assert problem is not None
    assert "granny.json.damaged-3" in render(problem)

    tags.pair("granny", "AA09", "maple-deer")
    assert tags.problem("granny") is None
    assert Tags(open_documents(tmp_path)).of("granny") == {**hold, "AA09": "maple-deer"}
    assert len(list(path.parent.glob("*.damaged-*"))) == 3


def test_an_unreadable_file_is_not_overwritten(tags: Tags, tmp_path: Path) -> None:
    (tmp_path / "tags" / "granny.json").mkdir(parents=True)
    assert tags.of("granny") == {}
    assert tags.problem("granny").code == "file-not-read"
    with raises_text(LogReadError, match="cannot be read"):
        tags.pair("granny", "AA01", "pine-crane")


def test_a_full_disk_changes_nothing(tags: Tags, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tags.pair("granny", "AA01", "pine-crane")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with raises_text(LogWriteError, match="No space left"):
            tags.pair("granny", "AA02", "plum-ribbon")
    assert tags.of("granny") == Tags(open_documents(tmp_path)).of("granny") == {"AA01": "pine-crane"}


def test_changes_by_another_process_are_loaded(tags: Tags, tmp_path: Path) -> None:
    tags.pair("granny", "AA01", "pine-crane")
    (tmp_path / "tags" / "granny.json").write_text(
        json.dumps({"tags": {"AA01": "maple-deer", "AA02": "pine-crane"}})
    )
    assert tags.find("AA01", "granny") == "maple-deer"


def test_many_at_once_lose_nothing(tags: Tags, tmp_path: Path) -> None:
    def pair(first: int) -> None:
        for n in range(first, first + 12):
            tags.pair("granny", f"{n:04X}", HANAFUDA[n % 48].id)

    threads = [threading.Thread(target=pair, args=(12 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Tags(open_documents(tmp_path)).of("granny") == {f"{n:04X}": HANAFUDA[n].id for n in range(48)}


class Pairing(RuleBasedStateMachine):
    """After any pairing, move, removal and replacement, a tag has one card, and a restart reads the same pairings."""

    @initialize()
    def begin(self) -> None:
        self.temporary = TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.tags = Tags(open_documents(self.folder))
        self.reported: dict[str, str] = {}

    @rule(
        number=st.integers(0, 9),
        card=st.sampled_from([None, "pine-crane", "plum-ribbon", "maple-deer"]),
        move=st.booleans(),
        small=st.booleans(),
    )
    def pair(self, number: int, card: str | None, move: bool, small: bool) -> None:
        tag = f"AA0{number}"
        before = self.reported.get(tag)
        if before is not None and card not in {None, before} and not move:
            with pytest.raises(TagTakenError) as refused:
                self.tags.pair("granny", tag, card)
            assert refused.value.members["card"] == before
            return
        self.tags.pair("granny", tag.lower() if small else tag, card, move=move)
        self.reported.pop(tag, None) if card is None else self.reported.update({tag: card})

    @rule(
        reported=st.dictionaries(
            st.sampled_from(["AB01", "AB02", "AA03"]), st.sampled_from(["pine-crane", "maple-deer"])
        )
    )
    def put(self, reported: dict[str, str]) -> None:
        self.tags.put("granny", reported)
        self.reported = dict(reported)

    @rule()
    def start_anew(self) -> None:
        self.tags = Tags(open_documents(self.folder))

    @invariant()
    def holds(self) -> None:
        assert self.tags.of("granny") == self.reported
        for tag, card in self.reported.items():
            assert self.tags.find(tag.lower()) == card

    def teardown(self) -> None:
        if hasattr(self, "temporary"):
            self.temporary.cleanup()


Pairing.TestCase.settings = settings(max_examples=30, deadline=None)
TestPairing = Pairing.TestCase
