"""The JSON lines of ``companion watch``, computed from a table.

After each change the steps of the round (deal, turns, calls) are computed again from its state and compared with the lines
printed before. A step that no longer holds is reported as ``undone``, whatever removed it, and a koi-koi that only the next play
revealed is printed before that play.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.hanafuda.messages import Message
from companion.messages import render
from companion.table import Table
from companion.table.effective import CONTROLS
from companion.table.events import Event, Kind
from companion.table.history import order_confidence, turns_of
from companion.table.live_round import LiveRound

_UNFINISHED = frozenset({"draw-missing", "show-missing"})
"""Pending decisions (`companion.hanafuda.round.Round.pending_decision`) in the middle of a turn; a turn is printed once it is complete."""

_ROUND_EVENTS: frozenset[Kind] = CONTROLS | {"dealt", "began", "moved", "set", "answered"}
"""Events that change the state of a round."""


@dataclass(slots=True)
class _PrintedRound:
    """What was printed of one round."""

    number: int
    steps: list[dict[str, Any]] = field(default_factory=list)
    yaku: dict[int, dict[str, int]] = field(default_factory=dict)
    """By player, the number of cards of each yaku."""
    over: bool = False


class WatchLines:
    """The lines of one table. Call `after` with the events of each append, and `finish` at the end."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._printed = _PrintedRound(0)

    def after(self, events: Sequence[Event]) -> Iterator[dict[str, Any]]:
        """Yield the lines for new events: deal, turns, yaku, calls, the end of a round, problems, questions."""
        changes = [event for event in events if event.kind in _ROUND_EVENTS]
        if changes:
            frame = next((event.evidence for event in reversed(changes) if event.evidence), None)
            yield from self._round(frame, min(event.confidence for event in changes))
        for event in events:
            if event.kind == "noticed":
                yield _problem_line(event)
            elif event.kind == "asked":
                yield _question_line(event)

    def finish(self) -> Iterator[dict[str, Any]]:
        """Yield the record of a round that was not over when the camera stopped."""
        if self._printed.number and not self._printed.over:
            yield self._record()

    def _round(self, frame: str | None, confidence: float) -> Iterator[dict[str, Any]]:
        number = self._printed.number
        if self._table.round_number != number:
            if number and not self._printed.over:
                # The new deal shows that the round before ended with a stop.
                yield from self._new_steps(self._table.rounds[number - 1], frame, confidence)
                yield from self.finish()
            self._printed = _PrintedRound(self._table.round_number)
        live = self._table.live
        if live is not None and self._table.round is not None:
            yield from self._new_steps(live, frame, confidence)

    def _new_steps(self, live: LiveRound, frame: str | None, confidence: float) -> Iterator[dict[str, Any]]:
        """Yield the printed steps of a round that no longer hold as ``undone``, then the steps that are new."""
        printed, steps = self._printed, list(_steps(live))
        same = 0
        while same < min(len(steps), len(printed.steps)) and steps[same] == printed.steps[same]:
            same += 1
        for step in reversed(printed.steps[same:]):
            yield {"event": "undone", "of": step, "frame": frame}
        printed.over = printed.over and same == len(printed.steps)
        last_turns = {step["player"]: number for number, step in enumerate(steps) if step["event"] == "turn"}
        for number, step in enumerate(steps[same:], start=same):
            is_turn = step["event"] == "turn"
            yield {**step, "frame": frame, "confidence": round(confidence, 4)} if is_turn else step
            if last_turns.get(step.get("player", 0)) == number:
                yield from self._yaku(step["player"])
        printed.steps = steps
        if live.round.outcome() and not printed.over:
            printed.over = True
            yield self._record()

    def _yaku(self, player: int) -> Iterator[dict[str, Any]]:
        """Yield a player's yaku if one is new or has more cards; points that a koi-koi changed are not reported."""
        played = self._table.round
        if played is None or not played.yaku(player):
            self._printed.yaku.pop(player, None)
            return
        now = self._table.view()["round"]["seats"][player - 1]["yaku"]
        before = self._printed.yaku.get(player, {})
        self._printed.yaku[player] = counts = {each["name"]: len(each["cards"]) for each in now}
        if any(count > before.get(name, 0) for name, count in counts.items()):
            yield {"event": "yaku", "player": player, "yaku": now}

    def _record(self) -> dict[str, Any]:
        return {"event": "round", **self._table.record(self._printed.number)}


def _problem_line(event: Event) -> dict[str, Any]:
    message = Message.from_dict(event.data["message"])
    return {
        "event": "problem",
        "code": event.data["code"],
        "message": render(message),
        "reason": message.to_dict(),
        "frame": event.evidence,
        "cards": list(event.data.get("cards") or ()),
    }


def _question_line(event: Event) -> dict[str, Any]:
    text = Message.from_dict(event.data["text"])
    choices = [(Message.from_dict(choice["says"]), choice["p"]) for choice in event.data["choices"]]
    return {
        "event": "question",
        "text": render(text),
        "reason": text.to_dict(),
        "choices": [{"says": render(answer), "reason": answer.to_dict(), "p": p} for answer, p in choices],
        "frame": event.evidence,
    }


def _steps(live: LiveRound) -> Iterator[dict[str, Any]]:
    """Yield the deal, the complete turns and the calls of a round."""
    played = live.round
    yield {"event": "deal", "field": list(played.deal.field)}
    turns, pending, orders = played.turns(), played.pending_decision(), _orders(live)
    if turns and ((pending and pending.code in _UNFINISHED) or turns[-1].get("unfinished")):
        turns.pop()
    for turn in turns:
        calls = [turn.pop(key, None) for key in ("play_call", "call")]
        order = {"order_confidence": next(orders) if turn["draw"] else None} if "draw" in turn else {}
        yield {"event": "turn", **turn, **order}
        for call in dict.fromkeys(call for call in calls if call):
            yield {"event": "call", "player": turn["player"], "call": call}


def _orders(live: LiveRound) -> Iterator[float | None]:
    """Yield the order confidence of each turn of a fishing game in which a card was drawn."""
    for turn in turns_of(live.steps, live.round):
        for step in turn:
            if step.counts and step.move is not None and step.move.words()[0] == "draw":
                yield order_confidence(turn)
