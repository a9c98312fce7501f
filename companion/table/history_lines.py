"""The lines of a round's history as pages show them: a deal, a turn, a call, a table taken as it lies.

A line's ``reported`` is JSON that is never changed once it was given out: a turn that goes on is a new line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.hanafuda.families.fishing import Call, Draw, Play
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Move, Problem, Round
from companion.table.effective_events import Item
from companion.table.event_messages import Names, message_view, turn_message

__all__ = ["Line", "deal_line", "note_line", "told_problem", "turn_line"]

AnyRound = Round[Any, Any, Any]

_BEGINS = {"play", "swap", "keep", "choose", "wager", "redeal"}
"""What nothing of the same turn comes before."""
_ENDS = {"pass", "fold", "bareta", "swap", "keep", "choose", "wager", "redeal", "lucky-hand"}
"""What nothing of the same turn comes after."""


def told_problem(problem: Problem, names: Names) -> dict[str, Any]:
    """Return a problem as the view tells it, with the players' names."""
    return {"code": problem.code, "message": message_view(names.within(problem.text))}


@dataclass(frozen=True, slots=True)
class Line:
    """One line, and what it was made of."""

    kind: str
    reported: Mapping[str, Any]
    picture: str | None
    """The last picture that shows what it tells."""
    moves: tuple[Move, ...] = ()
    items: tuple[Item, ...] = ()
    problems: tuple[Problem, ...] = ()
    held: Mapping[str, int] | None = None
    """The yaku that its player had before, with their points."""

    def goes_on_with(self, move: Move) -> bool:
        """Return whether a move belongs to the same turn."""
        return (
            bool(self.moves)
            and self.moves[0].player == move.player
            and move.words()[0] not in _BEGINS
            and self.moves[-1].words()[0] not in _ENDS
        )

    def and_then(
        self, item: Item | None, move: Move, problems: Iterable[Problem], played: AnyRound, names: Names
    ) -> Line:
        """Return the line with one move more; `played` is the round after it, `item` None for what nobody told."""
        moves = (*self.moves, move)
        items = self.items if item is None else (*self.items, item)
        problems = (*self.problems, *problems)
        held = self.held or {}
        reported = {
            **self.reported,
            **_told_by(items),
            **_fished(moves),
            "says": message_view(turn_message(moves, names)),
            "formed": _formed(played, move.player, held),
            "problems": [told_problem(problem, names) for problem in problems],
            "moves": [*self.reported["moves"], *([_move(item, move)] if item else [])],
            "pictures": {"before": self.reported["pictures"]["before"], "after": _last_picture(items)},
        }
        return Line(self.kind, reported, _last_picture(items), moves, items, problems, held)


def turn_line(
    item: Item,
    move: Move,
    problems: Sequence[Problem],
    *,
    number: int,
    turn: int,
    held: Mapping[str, int],
    before: str | None,
    played: AnyRound,
    names: Names,
) -> Line:
    """Return a line that begins with a move; `before` is the picture of what was there before it."""
    kind = "call" if isinstance(move, Call) else "turn"
    start = Line(
        kind,
        {
            **_head(number, item, kind),
            "turn": turn if kind == "turn" else None,
            "seat": move.player,
            "pictures": {"before": before, "after": None},
            "moves": [],
        },
        None,
        held=held,
    )
    return start.and_then(item, move, problems, played, names)


def note_line(
    number: int,
    item: Item,
    kind: str,
    says: Message,
    problems: Sequence[Problem],
    before: str | None,
    names: Names,
) -> Line:
    """Return a line that is no player's turn."""
    reported = {
        **_head(number, item, kind),
        **_told_by((item,)),
        "turn": None,
        "seat": None,
        "says": message_view(says),
        "formed": [],
        "problems": [told_problem(problem, names) for problem in problems],
        "pictures": {"before": before, "after": item.reported.evidence},
        "moves": [],
    }
    return Line(kind, reported, item.reported.evidence)


def deal_line(
    number: int,
    item: Item,
    dealer: int | None,
    field: Iterable[str],
    names: Names,
    problems: Sequence[Problem],
) -> Line:
    """Return the line of a deal, with the data of its event to correct it by; `dealer` None where nobody has told yet."""
    message = (
        Message("round-dealt", {"number": number})
        if dealer is None
        else Message("round-dealt-by", {"number": number, "player": names.of(dealer)})
    )
    line = note_line(number, item, "deal", message, problems, None, names)
    reported = {**line.reported, "seat": dealer, "field": list(field), "data": dict(item.data)}
    return Line("deal", reported, line.picture)


def _head(number: int, item: Item, kind: str) -> dict[str, Any]:
    return {
        "seq": item.seq,
        "group": item.first.group,
        "round": number,
        "kind": kind,
        "time": item.first.time,
    }


def _told_by(items: Sequence[Item]) -> dict[str, Any]:
    """Return who told it and how sure they were: of several the least sure."""
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
    """Return the cards and the call of a fishing turn, as a round record has them."""
    reported: dict[str, Any] = {"play": None, "captured": [], "draw": None, "draw_captured": [], "call": None}
    for move in moves:
        match move:
            case Play():
                reported |= {"play": move.card, "captured": [move.card, *move.takes] if move.takes else []}
            case Draw():
                reported |= {
                    "draw": move.card,
                    "draw_captured": [move.card, *move.takes] if move.takes else [],
                }
            case Call():
                reported["call"] = move.said
    return reported


def _formed(played: AnyRound, player: int, held: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the yaku that a player has made or improved."""
    if not 1 <= player <= played.players:
        return []
    scorer = GAMES[played.rules.game].scorer
    names = {} if scorer is None else scorer.yaku
    return [
        {"name": slug, "points": points, **{key: names[slug][key] for key in ("ja", "romaji", "en")}}
        for slug, points in played.yaku(player)
        if held.get(slug) != points and slug in names
    ]
