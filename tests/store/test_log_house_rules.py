"""Saved rules in the log: found regardless of case, replaced only on request, never lost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from companion.hanafuda.rules import PRESETS, NewerShareCodeError, resolve
from companion.hanafuda.rules.share import encode
from companion.store import LogWriteError, NoSuchRulesError, RulesNameError, RulesNameTakenError
from companion.store.store import Store, open_store
from tests.message_text import raises_text

OURS = resolve({"preset": "koikoi-hu", "three_brights": 5})
THEIRS = resolve({"preset": "kakkuri", "stakes": 30})


@pytest.fixture
def log(open_store: Callable[[], Store]) -> Store:
    return open_store()


def test_rules_are_found_by_their_name_whatever_the_capitals(log: Store) -> None:
    saved = log.house_rules.save("  Aya's   house ", OURS, "a test")
    assert (saved.name, saved.code, saved.actor) == ("Aya's house", encode(OURS), "a test")
    assert saved.time.endswith("Z")
    for name in ("Aya's house", "AYA'S HOUSE", " aya's  house"):
        found = log.house_rules.get(name)
        assert found == saved
        assert found.rules() == OURS
        assert found.rules().name == "Aya's house"
    assert log.house_rules.get("Aya") is None


def test_rules_outlive_the_program(open_store: Callable[[], Store], log: Store) -> None:
    log.house_rules.save("緑の卓", THEIRS, "a test")
    again = open_store()
    found = again.house_rules.get("緑の卓")
    assert found is not None
    assert found.rules() == THEIRS


def test_a_name_that_is_taken_is_not_given_again(log: Store) -> None:
    first = log.house_rules.save("Ours", OURS, "a test")
    with raises_text(
        RulesNameTakenError, match=rf"rules called Ours already, saved on {first.time[:10]}: choose another"
    ):
        log.house_rules.save("OURS", THEIRS, "a test")
    assert log.house_rules.all() == [first]


def test_rules_replace_others_on_request(log: Store) -> None:
    log.house_rules.save("Ours", OURS, "a test")
    second = log.house_rules.save("ours", THEIRS, "another", instead=True)
    assert log.house_rules.all() == [second]
    assert log.house_rules.get("Ours") == second


def test_forgotten_names_are_free_again(log: Store) -> None:
    saved = log.house_rules.save("Ours", OURS, "a test")
    assert log.house_rules.forget("OURS", "a test") == saved
    assert log.house_rules.get("Ours") is None
    assert log.house_rules.all() == []
    again = log.house_rules.save("Ours", THEIRS, "a test")
    assert log.house_rules.all() == [again]


def test_what_was_never_saved_cannot_be_forgotten(log: Store) -> None:
    with raises_text(NoSuchRulesError, match="no rules are saved as 'Ours'; there are none yet"):
        log.house_rules.forget("Ours", "a test")
    log.house_rules.save("Ours", OURS, "a test")
    with raises_text(NoSuchRulesError, match="there are Ours"):
        log.house_rules.forget("Green table", "a test")


def test_names_are_listed_in_their_order(log: Store) -> None:
    for name in ("b table", "A table", "Ç", "c table"):
        log.house_rules.save(name, OURS, "a test")
    assert [saved.name for saved in log.house_rules.all()] == ["A table", "b table", "c table", "Ç"]


@pytest.mark.parametrize("name", ["", "  ", "a/b", "a\\b", "x" * 41, "a\x00/b", "\u202e"])
def test_what_cannot_be_a_name(log: Store, name: str) -> None:
    with raises_text(RulesNameError, match="a name has 1 to 40 printable characters, and no slash"):
        log.house_rules.save(name, OURS, "a test")
    assert log.house_rules.all() == []


def test_the_longest_name(log: Store) -> None:
    assert log.house_rules.save("x" * 40, OURS, "a test").name == "x" * 40


@pytest.mark.parametrize("name", [*PRESETS, "Koikoi-HU"])
def test_a_presets_name_is_kept_for_the_preset(log: Store, name: str) -> None:
    with raises_text(RulesNameError, match="is the name of a preset"):
        log.house_rules.save(name, OURS, "a test")


@pytest.mark.parametrize("name", ["K1G6-2R", "a1 house"])
def test_a_name_must_not_look_like_a_code(log: Store, name: str) -> None:
    with raises_text(RulesNameError, match="looks like a share code"):
        log.house_rules.save(name, OURS, "a test")


@pytest.mark.parametrize("statement", ["UPDATE house_rules SET code = 'x'", "DELETE FROM house_rules"])
def test_the_history_stays(log: Store, statement: str) -> None:
    log.house_rules.save("Ours", OURS, "a test")
    log.house_rules.save("Ours", THEIRS, "a test", instead=True)
    log.house_rules.forget("Ours", "a test")
    with (
        raises_text(LogWriteError, match="never changed, only added to"),
        log.database.writing("rules") as db,
    ):
        db.execute(statement)
    with log.database.reading() as db:
        codes = [code for (code,) in db.execute("SELECT code FROM house_rules ORDER BY id").fetchall()]
    assert codes == [encode(OURS), encode(THEIRS), None]


def test_rules_of_a_newer_version_say_so(log: Store) -> None:
    with log.database.writing("rules") as db:
        db.execute(
            "INSERT INTO house_rules (time, actor, name, folded, code)"
            " VALUES ('2030-01-01T00:00:00.000Z', 'later', 'Later', 'later', 'K2G82W')"
        )
    found = log.house_rules.get("later")
    assert found is not None
    with raises_text(NewerShareCodeError, match="made by a newer version"):
        found.rules()


def test_a_disk_that_refuses_stores_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("companion.store.house_rules.now_utc", full)
    with closing(open_store(folder)) as log:
        with raises_text(LogWriteError, match="nothing was stored"):
            log.house_rules.save("Ours", OURS, "a test")
        monkeypatch.undo()
        assert log.house_rules.all() == []


def test_renamed_rules_keep_their_values(log: Store) -> None:
    log.house_rules.save("Ours", OURS, "a test")
    renamed = log.house_rules.rename("OURS", " Aya's  house ", "another")
    assert (renamed.name, renamed.rules(), renamed.actor) == ("Aya's house", OURS, "another")
    assert log.house_rules.all() == [renamed]
    assert log.house_rules.get("Ours") is None


def test_the_capitals_of_a_name_can_be_changed(log: Store) -> None:
    log.house_rules.save("ours", OURS, "a test")
    assert log.house_rules.rename("ours", "Ours", "a test") == log.house_rules.get("ours")
    assert [each.name for each in log.house_rules.all()] == ["Ours"]


def test_rules_are_not_renamed_over_others(log: Store) -> None:
    first, second = (log.house_rules.save(name, OURS, "a test") for name in ("Ours", "Theirs"))
    with pytest.raises(RulesNameTakenError):
        log.house_rules.rename("Ours", "theirs", "a test")
    with pytest.raises(RulesNameError):
        log.house_rules.rename("Ours", "kekoro", "a test")
    with pytest.raises(NoSuchRulesError):
        log.house_rules.rename("Nobody's", "Free", "a test")
    assert log.house_rules.all() == [first, second]
