"""The steps of a round, and its lines in the history as pages show them: deals, turns, calls, and resets of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Move, Problem, Round
from companion.table.effective import Item
from companion.table.events import PEOPLE
from companion.table.messages import PlayerNames, turn_message

AnyRound = Round[Any, Any, Any]

MIN_ORDER_CONFIDENCE: Final = 0.9
"""Below this probability the order of a turn's two cards is shown as unknown, as a low confidence of a move is shown."""

_MOVED = Message("text", {"en": ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of a round: its deal, a move, or another event, with its effect on the round."""

    kind: Literal["deal", "move", "set", "result", "abandoned"]
    item: Item | None
    """The event; None for a move that nobody reported but that must have been made."""
    made: int
    """The number of moves made before it."""
    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()
    """Problems of its line that do not concern the event itself: the wrong dealer of a result without a deal."""
    move: Move | None = None
    counts: bool = True
    """False for a move after the end of the round, which changes nothing."""
    yaku: tuple[Mapping[str, int], Mapping[str, int]] = ({}, {})
    """The player's yaku before and after a move: points by slug."""
    text: Message = _MOVED
    """The sentence of a step that is not a move."""
    seat: int | None = None
    """The dealer of a deal, the winner of a result."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of its line."""


def problem_view(problem: Problem, names: PlayerNames) -> dict[str, Any]:
    """Return a problem as JSON for the view, with the players' names."""
    return {"code": problem.code, "message": names.within(problem.text).to_dict()}


def lines_of(
    steps: Sequence[Step], number: int, names: PlayerNames, played: AnyRound
) -> list[dict[str, Any]]:
    """Return the lines of round ``number``: one for each turn, separate call, and other step."""
    lines: list[dict[str, Any]] = []
    picture: str | None = None
    for steps_of_line in turns_of(steps, played):
        first = steps_of_line[0]
        if first.move is None:
            assert first.item is not None
            problems = (*first.notes, *first.problems)
            line = note_line(number, first.item, first.kind, first.text, problems, picture, names)
            line |= {"seat": first.seat, **first.details}
        else:
            turn = sum(line["kind"] == "turn" for line in lines) + 1
            line = _turn_line(steps_of_line, number, turn, picture, names, played)
        lines.append(line)
        picture = line["pictures"]["after"] or picture
    return lines


def note_line(
    number: int,
    item: Item,
    kind: str,
    text: Message,
    problems: Sequence[Problem],
    before: str | None,
    names: PlayerNames,
) -> dict[str, Any]:
    """Return a line that is not a player's turn; `before` is the picture of the table before it."""
    return {
        **_head(number, [item], kind),
        "turn": None,
        "seat": None,
        "says": text.to_dict(),
        "order_unknown": False,
        "formed": [],
        "problems": [problem_view(problem, names) for problem in problems],
        "pictures": {"before": before, "after": item.reported.evidence},
        "moves": [],
    }


def is_card(step: Step) -> bool:
    """Return whether a step is a move that is not a call."""
    return step.move is not None and step.move.words()[0] != "call"


def order_confidence(turn: Sequence[Step]) -> float | None:
    """Return the probability that the cards from the hand and from the draw pile are not exchanged; None if nobody doubts it.

    A card that a person reported or corrected leaves no doubt about the other one.
    """
    cards = [step.item for step in turn if step.item is not None and is_card(step)]
    if any(item.reported.source in PEOPLE for item in cards):
        return None
    return next((order for item in cards if (order := item.data.get("order")) is not None), None)


def order_unknown(turn: Sequence[Step]) -> bool:
    """Return whether it was not seen which of a turn's two cards came from the hand."""
    order = order_confidence(turn)
    return order is not None and order < MIN_ORDER_CONFIDENCE


def turns_of(steps: Sequence[Step], played: AnyRound) -> list[list[Step]]:
    """Return the steps of each line: the moves of a turn together. A move that nobody reported has no line of its own."""
    groups: list[list[Step]] = []
    for step in steps:
        if groups and _continues(groups[-1], step, played):
            groups[-1].append(step)
        elif step.item is not None:
            groups.append([step])
    return groups


def _continues(turn: Sequence[Step], step: Step, played: AnyRound) -> bool:
    """Return whether a move belongs to the same turn as the moves before it."""
    last, move = turn[-1].move, step.move
    return (
        last is not None
        and move is not None
        and step.counts
        and last.player == move.player
        and move.words()[0] not in played.turn_starts
        and last.words()[0] not in played.turn_ends
    )


def _turn_line(
    steps: Sequence[Step], number: int, turn: int, before: str | None, names: PlayerNames, played: AnyRound
) -> dict[str, Any]:
    moves = [step.move for step in steps if step.move is not None]
    items = [step.item for step in steps if step.item is not None]
    kind = "call" if moves[0].words()[0] == "call" else "turn"
    return {
        **_head(number, items, kind),
        **played.turn_cards(moves),
        "turn": turn if kind == "turn" else None,
        "seat": moves[0].player,
        "says": turn_message(moves, names).to_dict(),
        "order_unknown": order_unknown(steps),
        "formed": _formed(steps[0].yaku[0], steps[-1].yaku[1], played),
        "problems": [problem_view(problem, names) for step in steps for problem in step.problems],
        "moves": [
            {"seq": step.item.seq, "player": step.move.player, "words": list(step.move.words())}
            for step in steps
            if step.item is not None and step.move is not None
        ],
        "pictures": {
            "before": before,
            "after": next(
                (item.reported.evidence for item in reversed(items) if item.reported.evidence), None
            ),
        },
    }


def _head(number: int, items: Sequence[Item], kind: str) -> dict[str, Any]:
    """Return the place of a line, who reported it, and the lowest confidence."""
    return {
        "seq": items[0].seq,
        "group": items[0].first.group,
        "round": number,
        "kind": kind,
        "time": items[0].first.time,
        "source": items[0].reported.source,
        "actor": items[0].reported.actor,
        "confidence": min(item.reported.confidence for item in items),
        "corrected": any(item.corrected for item in items),
        "missed": any(item.first.kind == "inserted" for item in items),
    }


def _formed(before: Mapping[str, int], after: Mapping[str, int], played: AnyRound) -> list[dict[str, Any]]:
    """Return the yaku that a player has completed or improved."""
    scorer = GAMES[played.rules.game].scorer
    names = {} if scorer is None else scorer.yaku
    return [
        {"name": slug, "points": points, **{key: names[slug][key] for key in ("ja", "romaji", "en")}}
        for slug, points in after.items()
        if before.get(slug) != points and slug in names
    ]
