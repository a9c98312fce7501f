"""The lines of a round's history as pages show them: deals, turns, calls, and resets of the table.

A line's ``reported`` is JSON that is never modified once published: when a turn goes on, its line is replaced by a new
object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.hanafuda.families.fishing import Call, Draw, Play
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Move, Outcome, Problem, Round
from companion.table.effective_events import Item
from companion.table.event_messages import PlayerNames, turn_message

__all__ = ["HistoryLine", "deal_line", "note_line", "problem_view", "result_line", "turn_line"]

AnyRound = Round[Any, Any, Any]

_TURN_STARTS = {"play", "swap", "keep", "choose", "wager", "redeal"}
"""Verbs of moves that start a new turn."""
_TURN_ENDS = {"pass", "fold", "bareta", "swap", "keep", "choose", "wager", "redeal", "lucky-hand"}
"""Verbs of moves that end a turn."""


def problem_view(problem: Problem, names: PlayerNames) -> dict[str, Any]:
    """Return a problem as JSON for the view, with the players' names."""
    return {"code": problem.code, "message": names.within(problem.text).to_dict()}


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """A line and what it was built from."""

    reported: Mapping[str, Any]
    """The line as JSON for the view."""
    moves: tuple[Move, ...] = ()
    items: tuple[Item, ...] = ()
    yaku_before: Mapping[str, int] | None = None
    """The player's yaku before the line, with their points."""

    def continues_with(self, move: Move) -> bool:
        """Return whether a move belongs to the same turn."""
        return (
            bool(self.moves)
            and self.moves[0].player == move.player
            and move.words()[0] not in _TURN_STARTS
            and self.moves[-1].words()[0] not in _TURN_ENDS
        )

    def and_then(
        self, item: Item | None, move: Move, problems: Iterable[Problem], played: AnyRound, names: PlayerNames
    ) -> HistoryLine:
        """Return the line with another move; `played` is the round after the move, `item` is None for a move that nobody reported."""
        moves = (*self.moves, move)
        items = self.items if item is None else (*self.items, item)
        yaku_before = self.yaku_before or {}
        reported = {
            **self.reported,
            **_report_details(items),
            **_fished(moves),
            "says": turn_message(moves, names).to_dict(),
            "formed": _formed(played, move.player, yaku_before),
            "problems": [*self.reported["problems"], *(problem_view(problem, names) for problem in problems)],
            "moves": [*self.reported["moves"], *([_move(item, move)] if item else [])],
            "pictures": {"before": self.reported["pictures"]["before"], "after": _last_picture(items)},
        }
        return HistoryLine(reported, moves, items, yaku_before)


def turn_line(
    item: Item,
    move: Move,
    problems: Sequence[Problem],
    *,
    number: int,
    turn: int,
    yaku_before: Mapping[str, int],
    before: str | None,
    played: AnyRound,
    names: PlayerNames,
) -> HistoryLine:
    """Return a line that starts with a move.

    `yaku_before` are the yaku that the player had before, with their points. `before` is the picture of the table
    before the move.
    """
    kind = "call" if isinstance(move, Call) else "turn"
    start = HistoryLine(
        {
            **_head(number, item, kind),
            "turn": turn if kind == "turn" else None,
            "seat": move.player,
            "pictures": {"before": before, "after": None},
            "moves": [],
            "problems": [],
        },
        yaku_before=yaku_before,
    )
    return start.and_then(item, move, problems, played, names)


def note_line(
    number: int,
    item: Item,
    kind: str,
    message: Message,
    problems: Sequence[Problem],
    before: str | None,
    names: PlayerNames,
) -> HistoryLine:
    """Return a line that is not a player's turn."""
    reported = {
        **_head(number, item, kind),
        **_report_details((item,)),
        "turn": None,
        "seat": None,
        "says": message.to_dict(),
        "formed": [],
        "problems": [problem_view(problem, names) for problem in problems],
        "pictures": {"before": before, "after": item.reported.evidence},
        "moves": [],
    }
    return HistoryLine(reported)


def deal_line(
    number: int,
    item: Item,
    dealer: int | None,
    field: Iterable[str],
    names: PlayerNames,
    problems: Sequence[Problem],
) -> HistoryLine:
    """Return the line of a deal, with the event's data for a correction; `dealer` is None if not known yet."""
    message = (
        Message("round-dealt", {"number": number})
        if dealer is None
        else Message("round-dealt-by", {"number": number, "player": names.of(dealer)})
    )
    line = note_line(number, item, "deal", message, problems, None, names)
    reported = {**line.reported, "seat": dealer, "field": list(field), "data": dict(item.data)}
    return HistoryLine(reported)


def result_line(
    number: int,
    item: Item,
    outcome: Outcome | None,
    before: str | None,
    names: PlayerNames,
    problems: Sequence[Problem],
) -> HistoryLine:
    """Return the line of a reported result, with the event's data for a correction; `outcome` is None if it is impossible."""
    message = Message("event-scored") if outcome is None else names.within(outcome.why)
    line = note_line(number, item, "result", message, problems, before, names)
    winner = outcome.winners[0] if outcome is not None and len(outcome.winners) == 1 else None
    return HistoryLine({**line.reported, "seat": winner, "data": dict(item.data)})


def _head(number: int, item: Item, kind: str) -> dict[str, Any]:
    return {
        "seq": item.seq,
        "group": item.first.group,
        "round": number,
        "kind": kind,
        "time": item.first.time,
    }


def _report_details(items: Sequence[Item]) -> dict[str, Any]:
    """Return who reported the items, and the lowest of their confidences."""
    return {
        "source": items[0].reported.source,
        "actor": items[0].reported.actor,
        "confidence": min(item.reported.confidence for item in items),
        "corrected": any(item.corrected for item in items),
        "missed": any(item.first.kind == "inserted" for item in items),
    }


def _last_picture(items: Sequence[Item]) -> str | None:
    return next((item.reported.evidence for item in reversed(items) if item.reported.evidence), None)


def _move(item: Item, move: Move) -> dict[str, Any]:
    return {"seq": item.seq, "player": move.player, "words": list(move.words())}


def _fished(moves: Sequence[Move]) -> dict[str, Any]:
    """Return the cards and the call of a fishing turn, with the keys of a round record."""
    turn: dict[str, Any] = {"play": None, "captured": [], "draw": None, "draw_captured": [], "call": None}
    for move in moves:
        match move:
            case Play():
                turn |= {"play": move.card, "captured": [move.card, *move.takes] if move.takes else []}
            case Draw():
                turn |= {
                    "draw": move.card,
                    "draw_captured": [move.card, *move.takes] if move.takes else [],
                }
            case Call():
                turn["call"] = move.name
    return turn


def _formed(played: AnyRound, player: int, yaku_before: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the yaku that a player has completed or improved."""
    if not 1 <= player <= played.players:
        return []
    scorer = GAMES[played.rules.game].scorer
    names = {} if scorer is None else scorer.yaku
    return [
        {"name": slug, "points": points, **{key: names[slug][key] for key in ("ja", "romaji", "en")}}
        for slug, points in played.yaku(player)
        if yaku_before.get(slug) != points and slug in names
    ]
