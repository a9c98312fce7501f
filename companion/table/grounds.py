"""What a disputed event rests on: its pictures, its rules, and what other readings and other house rules would give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Move, Problem
from companion.hanafuda.rules import PRESETS, BadRuleValueError, Rules
from companion.table.corrections import alternatives, standing
from companion.table.disputes import Dispute
from companion.table.events import Event
from companion.table.fold import TableState
from companion.table.history import AnyRound, Step, problem_view
from companion.table.live_round import LiveRound
from companion.table.parsing import read_move
from companion.table.rules_changes import rules_view

_MAX_READINGS: Final = 6
_MAX_VALUES: Final = 6
"""Values of a rule that are tried; numbers are tried with the values of the presets."""


@dataclass(frozen=True, slots=True)
class _Judgment:
    """What the rules say about an event: its problems, and what the players have after it."""

    problems: tuple[str, ...]
    yaku: tuple[tuple[tuple[str, int], ...], ...]
    points: tuple[int, ...] | None
    """The result, if the round is over after the event."""
    found: tuple[Problem, ...] = field(compare=False)
    """The problems with their texts."""


def grounds_of(table: TableState, dispute: Dispute) -> dict[str, Any]:
    """Return what a dispute can be decided by, as JSON.

    - ``pictures``: names of the camera's pictures before and after the event, or null
    - ``detected``: who or what reported it, with which confidence
    - ``problems``: what the rules say against it
    - ``yaku``: the yaku that it completed, each with its source
    - ``readings``: what else may have happened, likeliest first, and what it would give
    - ``rules``: the house rules on which the judgment depends, each with its source and what its other values would give
    """
    event = dispute.of
    live = None if dispute.round is None else table.rounds[dispute.round - 1]
    seq = _target(table, event)
    line = None if live is None else _line(live, seq)
    step = None if live is None else live.applied(seq)
    return {
        "pictures": {"before": None, "after": event.evidence} if line is None else dict(line["pictures"]),
        "detected": {
            "actor": event.actor,
            "source": event.source,
            "confidence": event.confidence,
            "time": event.time,
        },
        "problems": [] if line is None else line["problems"],
        "yaku": [] if line is None or live is None else _sources(live, line["formed"]),
        "house": rules_view(table.rules if live is None else live.context.rules),
        "readings": [] if live is None or step is None else _readings(live, seq, step),
        "rules": [] if live is None or step is None else _house_rules(live, step),
    }


def _target(table: TableState, event: Event) -> int:
    """Return the number of the event, or of the one that it corrects."""
    return int(event.data["of"]) if event.kind == "corrected" else event.seq


def _line(live: LiveRound, seq: int) -> Mapping[str, Any] | None:
    """Return the line of the history that contains an event."""
    return next(
        (
            line
            for line in live.lines
            if line["seq"] == seq or any(move["seq"] == seq for move in line["moves"])
        ),
        None,
    )


def _sources(live: LiveRound, formed: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    scorer = GAMES[live.round.rules.game].scorer
    names = {} if scorer is None else scorer.yaku
    return [{**yaku, "source": names[yaku["name"]]["source"]} for yaku in formed]


# --- other readings


def _readings(live: LiveRound, seq: int, step: Step) -> list[dict[str, Any]]:
    """Return the alternatives of an event, each with its effect on the rest of the round."""
    if step.move is None:
        return []
    found = []
    for each in alternatives(live, seq)[:_MAX_READINGS]:
        move = read_move(live.round, {"player": each["player"], "words": each["words"]})
        found.append(
            {"says": each["says"], "p": each["p"], "event": each["event"], **_effect(live, step, move)}
        )
    return [{"says": None, "p": None, "event": None, **_effect(live, step, step.move)}, *found]


def _effect(live: LiveRound, step: Step, move: Move) -> dict[str, Any]:
    """Return what a move in place of the event would give: illegal later moves, yaku and points at the end."""
    played = standing(live.round, step.made)
    illegal = 0
    for each in (move, *live.round.moves[step.made + 1 :]):
        if played.outcome() is not None:
            break
        illegal += bool(played.check(each))
        played.push(each, unchecked=True)
    outcome = played.outcome()
    return {"illegal": illegal, "points": None if outcome is None else list(outcome.points)}


# --- other house rules


def _house_rules(live: LiveRound, step: Step) -> list[dict[str, Any]]:
    """Return the options of the rules with which the event would be judged differently."""
    rules = live.context.rules
    judged = _judgment(live, step, rules)
    if judged is None:
        return []
    found = []
    for described in rules.describe():
        key = described["key"]
        instead = []
        for value in _other_values(rules, key):
            other = _with(rules, key, value)
            judgment = None if other is None else _judgment(live, step, other)
            if judgment is None or judgment == judged:
                continue
            meaning = rules.options()[key].meaning(value).to_dict()
            instead.append({"meaning": meaning, **_difference(live, judgment, judged)})
        if instead:
            found.append(
                {
                    "key": key,
                    "sentence": described["sentence"],
                    "meaning": described["meaning"],
                    "source": rules.options()[key].source,
                    "instead": instead,
                }
            )
    return found


def _other_values(rules: Rules, key: str) -> Sequence[Any]:
    """Return the other values of an option: those with a meaning of their own, and those of the game's presets."""
    own = getattr(rules, key)
    named = [each["value"] for each in rules.options()[key].form()["values"]]
    presets = [getattr(preset, key) for preset in PRESETS.values() if preset.game == rules.game]
    values = [tuple(value) if isinstance(value, list) else value for value in (*named, *presets)]
    return [value for value in dict.fromkeys(values) if value != own][:_MAX_VALUES]


def _with(rules: Rules, key: str, value: Any) -> Rules | None:
    try:
        return replace(rules, **{key: value})
    except BadRuleValueError:  # it contradicts other rules of the table
        return None


def _judgment(live: LiveRound, step: Step, rules: Rules) -> _Judgment | None:
    """Return how rules judge an event after the same deal and moves; None if they cannot follow them."""
    played = _before(live, step, rules)
    if played is None or step.move is None:
        return None
    found = tuple(played.check(step.move))
    played.push(step.move, unchecked=True)
    outcome = played.outcome()
    return _Judgment(
        tuple(problem.code for problem in found),
        tuple(tuple(played.yaku(seat)) for seat in range(1, played.players + 1)),
        None if outcome is None else tuple(outcome.points),
        found,
    )


def _before(live: LiveRound, step: Step, rules: Rules) -> AnyRound | None:
    """Return the round before an event under other rules; None if the table was reset before, or the deal does not fit."""
    if any(item.kind == "set" for item in live.items):
        return None
    try:
        played = replace(live.context, rules=rules).deal(live.items[0].data, live.round.dealer)
    except BadRequestError:
        return None
    if played.status():
        return None
    for move in live.round.moves[: step.made]:
        played.push(move, unchecked=True)
    return played


def _difference(live: LiveRound, judgment: _Judgment, judged: _Judgment) -> dict[str, Any]:
    """Return a judgment as JSON: what is against the rules, and yaku (by seat) and points if they differ from ``judged``."""
    seats = enumerate(zip(judgment.yaku, judged.yaku, strict=True), start=1)
    return {
        "problems": [problem_view(problem, live.context.names) for problem in judgment.found],
        "yaku": {
            str(seat): [{"name": name, "points": points} for name, points in yaku]
            for seat, (yaku, before) in seats
            if yaku != before
        },
        "points": None
        if judgment.points is None or judgment.points == judged.points
        else list(judgment.points),
    }
