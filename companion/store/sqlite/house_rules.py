"""House rules that people gave a name, as the log keeps them: under each name what was saved last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlite_utils import Database

from companion.hanafuda.errors import shown
from companion.hanafuda.rules import PRESETS, Rules
from companion.hanafuda.rules.share import encode, is_like_a_code
from companion.store.errors import NoSuchRulesError, RulesNameError, RulesNameTakenError
from companion.store.sqlite.database import LogDatabase
from companion.store.stored_records import SavedRules

__all__ = ["LONGEST_NAME", "SqliteHouseRules"]

LONGEST_NAME = 40


class SqliteHouseRules:
    """The named rules of a log. Capitals do not tell names apart; what was saved before stays in the history."""

    def __init__(self, database: LogDatabase) -> None:
        self._database = database

    def save(self, name: str, rules: Rules, actor: str, *, instead: bool = False) -> SavedRules:
        """Keep rules under a name, in the place of others only if told so.

        Raises `RulesNameError` for what cannot be a name and `RulesNameTakenError` where it has rules already.
        """
        tidy = _tidied(name)
        with self._database.writing() as db:
            known = _get(db, tidy)
            if known is not None and not instead:
                raise RulesNameTakenError(known.name, known.time)
            saved = SavedRules(tidy, encode(rules), _now(), actor)
            _append(db, saved, saved.code)
        return saved

    def forget(self, name: str, actor: str) -> SavedRules:
        """Give a name free again and return what it stood for; `NoSuchRulesError` where it has no rules."""
        with self._database.writing() as db:
            known = _get(db, name)
            if known is None:
                raise NoSuchRulesError(name, [each.name for each in self.all()])
            _append(db, replace(known, time=_now(), actor=actor), None)
        return known

    def get(self, name: str) -> SavedRules | None:
        """Return what is saved under a name, if anything is."""
        with self._database.reading() as db:
            return _get(db, name)

    def all(self) -> list[SavedRules]:
        """Return all named rules by their names."""
        with self._database.reading() as db:
            rows = db.table("house_rules").rows_where(
                "id IN (SELECT max(id) FROM house_rules GROUP BY folded) AND code IS NOT NULL",
                order_by="folded",
            )
            return [_saved(row) for row in rows]


def _get(db: Database, name: str) -> SavedRules | None:
    row = next(
        db.table("house_rules").rows_where("folded = ?", [_folded(name)], order_by="id DESC", limit=1), None
    )
    return None if row is None or row["code"] is None else _saved(row)


def _append(db: Database, saved: SavedRules, code: str | None) -> None:
    db.table("house_rules").insert(
        {
            "time": saved.time,
            "actor": saved.actor,
            "name": saved.name,
            "folded": _folded(saved.name),
            "code": code,
        }
    )


def _saved(row: Mapping[str, Any]) -> SavedRules:
    return SavedRules(row["name"], row["code"], row["time"], row["actor"])


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _tidied(name: str) -> str:
    """Return a name as it is kept, or say why it cannot be one."""
    tidy = " ".join(name.split())
    if not tidy or len(tidy) > LONGEST_NAME or not tidy.isprintable() or set(tidy) & set("/\\"):
        raise RulesNameError(
            f"rules cannot be called {shown(name)}: a name has 1 to {LONGEST_NAME} characters that can be printed,"
            " and no slash"
        )
    if tidy.casefold() in PRESETS:
        raise RulesNameError(f"{tidy} is the name of a preset, which keeps it: choose another name")
    if is_like_a_code(tidy):
        raise RulesNameError(f"{tidy} could be taken for a share code: choose another name")
    return tidy


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
