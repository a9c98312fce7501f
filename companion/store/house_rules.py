"""Saved house rules; of each name the newest entry counts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.hanafuda.errors import quote
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import PRESETS, Rules
from companion.hanafuda.rules.share import decode, encode, is_like_a_code
from companion.names import name_key, tidy_name
from companion.store.database import Connection, Database
from companion.store.errors import NoSuchRulesError, RulesNameError, RulesNameTakenError
from companion.store.timestamps import now_utc

LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class SavedRules:
    """Rules under the name that a person gave them; `code` is their share code, which later versions still read."""

    name: str
    code: str
    time: str
    actor: str

    def rules(self) -> Rules:
        """Return the rules under this name; raises `NewerShareCodeError` if a newer version saved them."""
        return replace(decode(self.code), name=self.name)


class RulesStore:
    """House rules that people saved under a name; names are compared without case."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, name: str, rules: Rules, actor: str, *, instead: bool = False) -> SavedRules:
        """Save rules under a name; ``instead`` allows replacing other rules.

        Raises `RulesNameError` for an invalid name, and `RulesNameTakenError` if other rules have it and not ``instead``.
        """
        normalized = _normalized_name(name)
        with self._database.writing("rules") as db:
            known = _get(db, normalized)
            if known is not None and not instead:
                raise RulesNameTakenError(known.name, known.time)
            saved = SavedRules(normalized, encode(rules), now_utc(), actor)
            _append(db, saved, saved.code)
        return saved

    def forget(self, name: str, actor: str) -> SavedRules:
        """Delete saved rules and return them; raises `NoSuchRulesError`."""
        with self._database.writing("rules") as db:
            known = _get(db, name)
            if known is None:
                raise NoSuchRulesError(name, [each.name for each in self.all()])
            _append(db, replace(known, time=now_utc(), actor=actor), None)
        return known

    def rename(self, name: str, new_name: str, actor: str) -> SavedRules:
        """Move saved rules to another name and return them.

        Raises `NoSuchRulesError`, `RulesNameError` for an invalid name, and `RulesNameTakenError` if other rules have it.
        """
        normalized = _normalized_name(new_name)
        with self._database.writing("rules") as db:
            known = _get(db, name)
            if known is None:
                raise NoSuchRulesError(name, [each.name for each in self.all()])
            renamed = replace(known, name=normalized, time=now_utc(), actor=actor)
            if _folded(normalized) != _folded(known.name):
                if (other := _get(db, normalized)) is not None:
                    raise RulesNameTakenError(other.name, other.time)
                _append(db, replace(known, time=renamed.time, actor=actor), None)
            _append(db, renamed, renamed.code)
        return renamed

    def get(self, name: str) -> SavedRules | None:
        """Return the rules saved under a name, or None."""
        with self._database.reading() as db:
            return _get(db, name)

    def all(self) -> list[SavedRules]:
        """Return all saved rules, sorted by name."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT name, code, time, actor FROM house_rules"
                " WHERE id IN (SELECT max(id) FROM house_rules GROUP BY folded) AND code IS NOT NULL ORDER BY folded"
            )
            return [SavedRules(*row) for row in rows.fetchall()]


def _get(db: Connection, name: str) -> SavedRules | None:
    row = db.execute(
        "SELECT name, code, time, actor FROM house_rules WHERE folded = ? ORDER BY id DESC LIMIT 1",
        [_folded(name)],
    ).fetchone()
    if row is None or row[1] is None:
        return None
    return SavedRules(*row)


def _append(db: Connection, saved: SavedRules, code: str | None) -> None:
    db.execute(
        "INSERT INTO house_rules (time, actor, name, folded, code) VALUES (?, ?, ?, ?, ?)",
        [saved.time, saved.actor, saved.name, _folded(saved.name), code],
    )


def _folded(name: str) -> str:
    return name_key(name)


def _normalized_name(name: str) -> str:
    """Return a name as `companion.names` writes it; raises `RulesNameError` for an invalid name."""
    normalized = tidy_name(name)
    if not normalized or len(normalized) > LONGEST_NAME or set(normalized) & set("/\\"):
        raise RulesNameError(Message("problem-bad-rules-name", {"name": quote(name), "max": LONGEST_NAME}))
    if normalized.casefold() in PRESETS:
        raise RulesNameError(Message("rules-name-of-preset", {"name": normalized}))
    if is_like_a_code(normalized):
        raise RulesNameError(Message("rules-name-like-code", {"name": normalized}))
    return normalized
