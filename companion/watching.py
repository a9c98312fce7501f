"""What ``companion watch`` does without a server: looks to events at a table of its own, events to the contract's lines, and lines said to a
person.

The lines of a round are worked out from how the round stands, each time anew, and compared with those already printed. So a turn that was
taken back is told of as ``undone``, whatever took it back, and a koi-koi that the next play told of comes before that play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import click

from companion.hanafuda.cards import card
from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.rules import Rules
from companion.observations import Look
from companion.referee import referee_for
from companion.referee.saying import only_corrects
from companion.table import Table
from companion.table.events import Event, Kind, NewEvent, Source
from companion.table.live import AnyRound

__all__ = ["Teller", "Unattended", "said"]

_UNFINISHED = frozenset({"draw-missing", "show-missing"})
"""What a round owes (`companion.hanafuda.round.Round.owes`) while its last turn is not to be told of yet."""


_MOVES: frozenset[Kind] = frozenset({"dealt", "began", "moved", "set", "undone", "answered"})
"""What changes how a round stands."""


@dataclass(slots=True)
class _Told:
    """What was printed of one round."""

    number: int
    steps: list[dict[str, Any]] = field(default_factory=list)
    yaku: dict[int, dict[str, int]] = field(default_factory=dict)
    """By player, the number of cards of each yaku."""
    over: bool = False


class Teller:
    """Follows a table. `after` is called with the events that each append made, `finish` at the end."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._told = _Told(0)
        self.problems = 0
        """How many problems were told of."""

    def after(self, events: Sequence[Event]) -> Iterator[dict[str, Any]]:
        """Yield what new events come to: deal, turns, yaku, calls, the end of a round, problems, questions."""
        moves = [event for event in events if event.kind in _MOVES]
        if moves:
            frame = next((event.evidence for event in reversed(moves) if event.evidence), None)
            yield from self._round(frame, min(event.confidence for event in moves))
        for event in events:
            if event.kind == "noticed":
                self.problems += 1
                message = event.data["message"]
                yield {
                    "event": "problem",
                    "code": event.data["code"],
                    "message": message["en"],
                    "ja": message["ja"],
                    "frame": event.evidence,
                    "cards": list(event.data.get("cards") or ()),
                }
            elif event.kind == "asked":
                yield {
                    "event": "question",
                    "text": event.data["text"]["en"],
                    "ja": event.data["text"]["ja"],
                    "choices": [
                        {"says": choice["says"]["en"], "ja": choice["says"]["ja"], "p": choice["p"]}
                        for choice in event.data["choices"]
                    ],
                    "frame": event.evidence,
                }

    def finish(self) -> Iterator[dict[str, Any]]:
        """Yield the record of a round that the watching ended in."""
        if self._told.number and not self._told.over:
            yield self._record()

    def _round(self, frame: str | None, confidence: float) -> Iterator[dict[str, Any]]:
        number = self._told.number
        if self._table.round_number != number:
            if number and not self._told.over:
                # That the cards are dealt again tells how the round before ended: somebody had stopped.
                yield from self._follow(self._table.rounds[number - 1].round, frame, confidence)
                yield from self.finish()
            self._told = _Told(self._table.round_number)
        if self._table.round is not None:
            yield from self._follow(self._table.round, frame, confidence)

    def _follow(self, played: AnyRound, frame: str | None, confidence: float) -> Iterator[dict[str, Any]]:
        """Yield what a round has come to beyond what was told of it, and first what was told and no longer holds."""
        told, steps = self._told, list(_steps(played))
        same = 0
        while same < min(len(steps), len(told.steps)) and steps[same] == told.steps[same]:
            same += 1
        for step in reversed(told.steps[same:]):
            yield {"event": "undone", "of": step, "frame": frame}
        told.over = told.over and same == len(told.steps)
        last = {step["player"]: number for number, step in enumerate(steps) if step["event"] == "turn"}
        for number, step in enumerate(steps[same:], start=same):
            turn = step["event"] == "turn"
            yield {**step, "frame": frame, "confidence": round(confidence, 4)} if turn else step
            if last.get(step.get("player", 0)) == number:
                yield from self._yaku(step["player"])
        told.steps = steps
        if played.outcome() and not told.over:
            told.over = True
            yield self._record()

    def _yaku(self, player: int) -> Iterator[dict[str, Any]]:
        """Yield a player's yaku where there is a new one, or one of more cards; what a koi-koi did to their points is no news."""
        played = self._table.round
        if played is None or not played.yaku(player):
            self._told.yaku.pop(player, None)
            return
        now = self._table.view()["round"]["seats"][player - 1]["yaku"]
        before = self._told.yaku.get(player, {})
        self._told.yaku[player] = held = {each["name"]: len(each["cards"]) for each in now}
        if any(count > before.get(name, 0) for name, count in held.items()):
            yield {"event": "yaku", "player": player, "yaku": now}

    def _record(self) -> dict[str, Any]:
        return {"event": "round", **self._table.record(self._told.number)}


class Unattended:
    """A table that nobody but the camera tells of. Its methods yield the contract's lines."""

    def __init__(self, rules: Rules, players: Sequence[str], deck: str | None) -> None:
        opened = {
            "name": "watch",
            "game": rules.game,
            "rules": rules.to_dict(),
            "players": list(players),
            "deck": deck,
        }
        self._table = Table.open(NewEvent("opened", opened), actor="watch", source="program", time=_now())
        self._referee = referee_for(rules, len(players))
        self._teller = Teller(self._table)

    @property
    def problems(self) -> int:
        """How many problems were told of."""
        return self._teller.problems

    def see(self, look: Look, *, changed: bool) -> Iterator[dict[str, Any]]:
        """Yield what a look tells; ``changed``: the table is another than at the look before."""
        doubts = [event.seq for event in self._table.open_questions]
        yield from self._append(self._referee.see(look, self._table), "camera")
        # The game has gone on, and still nobody knows: the likeliest is taken, and its turn told with how likely it was.
        still = [event for event in self._table.open_questions if event.seq in doubts]
        if changed and still:
            for question in still:
                yield from self._append(_likeliest(question), "program")
            yield from self._append(self._referee.see(look, self._table), "camera")

    def close(self) -> Iterator[dict[str, Any]]:
        """Yield what the end of the watching tells; what is open is as likely to be answered then as ever."""
        for question in self._table.open_questions:
            yield from self._append(_likeliest(question), "program")
        yield from self._append(self._referee.close(self._table), "camera")
        yield from self._teller.finish()

    def _append(self, new: Sequence[NewEvent], source: Source) -> Iterator[dict[str, Any]]:
        if not new:
            return
        try:
            events = self._table.append(new, actor="watch", source=source, time=_now())
        except IllegalMoveError as error:
            told = error.problems[0]
            noticed = {
                "code": told.code,
                "message": told.text.to_dict(),
                "pictures": {"before": None, "after": new[-1].evidence},
                "cards": [],
            }
            events = self._table.append(
                [NewEvent("noticed", noticed, new[-1].confidence, new[-1].evidence)],
                actor="watch",
                source=source,
                time=_now(),
            )
        yield from self._teller.after(events)


def _likeliest(question: Event) -> list[NewEvent]:
    """Return the likeliest answer by which something happened: the game has gone on. Nothing where that was told already."""
    if only_corrects(question):
        return []
    choices = question.data["choices"]
    number = next((number for number, choice in enumerate(choices) if choice["events"]), 0)
    answer = {"of": question.seq, "choice": number}
    return [NewEvent("answered", answer, float(choices[number]["p"]), question.evidence)]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _steps(played: AnyRound) -> Iterator[dict[str, Any]]:
    """Yield the deal, the turns and the calls of a round, without what is not done yet."""
    yield {"event": "deal", "field": list(played.deal.field)}
    turns, owed = played.turns(), played.owes()
    if turns and ((owed and owed.code in _UNFINISHED) or turns[-1].get("unfinished")):
        turns.pop()
    for turn in turns:
        calls = [turn.pop(key, None) for key in ("play_call", "call")]
        yield {"event": "turn", **turn}
        for call in dict.fromkeys(call for call in calls if call):
            yield {"event": "call", "player": turn["player"], "call": call}


def said(line: Mapping[str, Any], players: Sequence[str]) -> str:
    """Say a line to a person; ``players``: their names, in order."""
    who = f"{click.style(players[line['player'] - 1], bold=True)}" if "player" in line else ""
    text = _SAID[line["event"]](line)
    if line["event"] == "undone":
        text += said({"frame": None, **line["of"]}, players)
    if line["event"] == "round":
        text += _points(line, players)
    seen = [line.get("frame") or "", f"{line['confidence']:.0%}" if line.get("confidence") else ""]
    return f"{who}{text}  {click.style(' '.join(seen).strip(), dim=True)}".rstrip()


def _deal(line: Mapping[str, Any]) -> str:
    field = f": {_cards(line['field'])}" if line["field"] else ""
    return f"{click.style('Deal', bold=True)}{field}"


def _turn(line: Mapping[str, Any]) -> str:
    if "play" not in line:
        told = [_PARTS[key](value) for key, value in line.items() if key in _PARTS]
        return f": {', '.join(part for part in told if part)}"
    drawn = f"; draws {_taken(line['draw'], line['draw_captured'])}" if line["draw"] else ""
    return f": {_taken(line['play'], line['captured'])}{drawn}"


def _discards(groups: Sequence[Sequence[str]]) -> str:
    return f"discards {'; '.join(map(_cards, groups))}" if groups else "passes"


def _draws(cards: Sequence[str | None]) -> str:
    known = [card for card in cards if card is not None]
    if len(known) == len(cards):
        return f"draws {_cards(known)}"
    return f"draws {len(cards)} card{'s' if len(cards) > 1 else ''}"


_PARTS: Mapping[str, Callable[[Any], str]] = {
    "swap": lambda accept: "takes the dealer's hand" if accept else "keeps the hand",
    "box": lambda card: f"turns up {_card(card)}",
    "declares": lambda what: what.replace("-", " "),
    "discards": _discards,
    "fold": lambda _: "folds",
    "redeal": lambda _: "asks for a new deal",
    "choose": lambda card: f"keeps {_card(card)}" if card else "keeps a card",
    "wager": lambda stones: f"wagers {stones}",
    "draws": _draws,
    "show": lambda cards: f"shows {_cards(cards)}",
    "pass": lambda _: "passes",
    "bareta": lambda _: "bareta",
}
"""How the parts of a turn of Kakkuri and Kingo are said."""


def _yaku(line: Mapping[str, Any]) -> str:
    held = ", ".join(f"{each['ja']} {each['name']} {each['points']}" for each in line["yaku"])
    return f" has {click.style(held, fg='yellow', bold=True)}"


_CALLS = {"koikoi": "koi-koi! こいこい", "stop": "stop 勝負", "win": "wins 上がり"}


def _call(line: Mapping[str, Any]) -> str:
    return f": {click.style(_CALLS.get(line['call'], line['call']), fg='magenta', bold=True)}"


def _problem(line: Mapping[str, Any]) -> str:
    return f"{click.style('Problem', fg='red', bold=True)}: {line['message']} [{line['code']}]"


def _question(line: Mapping[str, Any]) -> str:
    answers = " / ".join(f"{choice['says']} ({choice['p']:.0%})" for choice in line["choices"])
    return f"{click.style('Unsure', fg='cyan', bold=True)}: {line['text']} {answers}"


def _undone(line: Mapping[str, Any]) -> str:
    return f"{click.style('Taken back', fg='cyan', bold=True)}: "


def _round(line: Mapping[str, Any]) -> str:
    return f"{click.style('Round', bold=True)}, {len(line['turns'])} turns: "


_SAID: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "deal": _deal,
    "turn": _turn,
    "yaku": _yaku,
    "call": _call,
    "problem": _problem,
    "question": _question,
    "undone": _undone,
    "round": _round,
}
"""How each kind of line is said, without its player and its picture."""


def _taken(played: str, captured: Sequence[str]) -> str:
    rest = [each for each in captured if each != played]
    return _card(played) + (f" takes {_cards(rest)}" if rest else "")


def _cards(cards: Sequence[str]) -> str:
    return ", ".join(map(_card, cards))


def _card(name: str) -> str:
    names = card(name).names
    return f"{names.en} {names.ja}"


def _points(line: Mapping[str, Any], players: Sequence[str]) -> str:
    if "result" not in line:
        return "not over when the watching ended"
    return ", ".join(
        f"{players[int(seat) - 1]} {points:+d}" for seat, points in line["result"]["points"].items()
    )
