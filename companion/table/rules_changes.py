"""Changes of the rules of a running evening: other rules from the next round on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import pack_of
from companion.hanafuda.rules import Rules
from companion.hanafuda.rules.reading import describe_rules
from companion.hanafuda.rules.share import encode
from companion.messages.rules_names import rules_label
from companion.table.effective import Item
from companion.table.history import note_line
from companion.table.messages import PlayerNames, rules_changed_message
from companion.table.parsing import read_players, read_rules

# Both are needed after every event.
_code = lru_cache(maxsize=64)(encode)


@lru_cache(maxsize=64)
def _differences(after: Rules, before: Rules) -> list[dict[str, Any]]:
    """Return the options that differ, each with its meaning before and after."""
    return [
        {
            "sentence": option["sentence"],
            "meaning": option["meaning"],
            "before": option["instead_of"]["meaning"],
        }
        for option in describe_rules(after, before)["options"]
        if option["instead_of"] is not None
    ]


@dataclass(frozen=True, slots=True)
class RulesChange:
    """Other rules, from a round on."""

    item: Item
    number: int
    """The number of the first round that may be played by them; with further changes before it, by none."""
    before: Rules
    after: Rules

    def line(self, names: PlayerNames) -> dict[str, Any]:
        """Return its line in the history, with the options that differ."""
        message = rules_changed_message(self.item.data)
        line = note_line(self.number, self.item, "rules", message, (), None, names)
        return {**line, "rules": rules_view(self.after), "differences": _differences(self.after, self.before)}


def read_change(data: Mapping[str, Any], before: Rules, names: PlayerNames) -> Rules:
    """Return the rules of a `rules_changed` event; raises `BadRequestError` if they do not fit the table."""
    if not isinstance(data.get("rules"), Mapping):
        raise BadRequestError(f"rules must be an object with all options, not {quote(data.get('rules'))}")
    rules = read_rules({**data, "game": before.game})
    if rules.game != before.game:  # resolve accepts the rules of a form of the game
        raise BadRequestError(
            Message("table-other-game", {"game": before.title, "rules": rules_label(rules.name)})
        )
    if pack_of(rules) != pack_of(before):
        raise BadRequestError(Message("table-other-deck"))
    read_players({"players": list(names.given)}, rules)
    return rules


def rules_view(rules: Rules) -> dict[str, str]:
    """Return the name, hash and share code of rules."""
    return {"name": rules.name, "hash": rules.hash, "code": _code(rules)}
