"""What a button means at a table now: the same five words on a box, a keyboard and in a home's automation.

A button says a word, the table knows what it may mean: the move that the game has for it, what one undo takes away, the answer
that is likeliest. What it cannot mean now is refused in a sentence that says what the table is waiting for.

What ``koi-koi``, ``stop`` and ``pass`` mean, the description of the game says (`companion.hanafuda.description.Entry`).

``undo`` takes back what one undo of the pages takes back; held long the whole last turn; pressed twice it brings back.
``next`` takes the likeliest answer of the open question, else settles the oldest notice. Long and double presses that have no
meaning of their own mean what a press means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Move, Problem
from companion.hanafuda.rules import Text
from companion.table.effective_events import CHANGES
from companion.table.events import Event, NewEvent
from companion.table.live_round import AnyRound
from companion.table.state_view import open_calls
from companion.table.table import Table

__all__ = ["BUTTONS", "Button", "How", "PressRefusedError", "buttons_of", "did", "pressed"]

Button = Literal["koi-koi", "stop", "pass", "undo", "next"]
How = Literal["press", "long", "double"]
BUTTONS: Final[tuple[Button, ...]] = ("koi-koi", "stop", "pass", "undo", "next")

_Words = tuple[tuple[str, ...], ...]
"""Moves as `Move.words` writes them: the first that is legal is meant."""

_NAMES: Final[Mapping[str, Message]] = {
    "koi-koi": Text("koi-koi", "こいこい"),
    "stop": Text("stop", "勝負"),
    "pass": Text("pass", "パス"),
}


class PressRefusedError(BadRequestError):
    """A button that means nothing at the table now; `text` says in both languages what it is waiting for."""

    def __init__(self, slug: str, text: Message, *, early: bool = False) -> None:
        super().__init__(text.en)
        self.slug = slug
        """A stable word for it: one of the rules' problem codes, or of those below."""
        self.text = text
        self.early = early
        """Whether it may mean something once the cards are told that lie there already."""


def buttons_of(game: str) -> tuple[Button, ...]:
    """Return the buttons that mean something in a game when they are pressed; long presses are left out."""
    return tuple(each for each in BUTTONS if each in {"undo", "next"} or each in GAMES[game].entry.buttons)


def pressed(table: Table, seat: int | None, button: Button, how: How = "press") -> list[NewEvent]:
    """Return what to tell a table when a button is pressed, or raise `PressRefusedError`.

    `seat` is whose button it is; None is one in the middle of the table, for whoever's turn it is to say something.
    """
    if seat is not None and not 1 <= seat <= table.game.players:
        players = table.game.players
        raise PressRefusedError(
            "no-such-seat",
            Text(
                f"There is no seat {seat} at this table: {players} play", f"{seat}番の席はない（{players}人）"
            ),
        )
    match button:
        case "undo":
            return list(_undone(table, how))
        case "next":
            return [_next(table)]
    return [_said(table, seat, button, how)]


def did(table: Table, events: Sequence[Event]) -> Message | None:
    """Say what a press has done, from the events that came of it; None where there are none."""
    if not events:
        return None
    first = events[0]
    if first.kind == "undone":
        said = [table.says(event) for event in events if event.kind == "undone"]
        return Text(" · ".join(each.en for each in said), "・".join(each.ja for each in said))
    if first.kind in {"answered", "settled"}:
        about = table.events[first.data["of"] - 1].data
        choice = first.data.get("choice")
        reported = (
            about.get("message") or about["text"] if choice is None else about["choices"][choice]["says"]
        )
        text = table.names.within(Text(reported["en"], reported["ja"]))
        return (
            Text(f"Settled: {text.en}", f"解決：{text.ja}")
            if choice is None
            else Text(f"Answered: {text.en}", f"回答：{text.ja}")
        )
    return table.says(first)


# --- koi-koi, stop, pass


def _said(table: Table, seat: int | None, button: Button, how: How) -> NewEvent:
    played, over = table.round, table.live is not None and table.live.outcome is not None
    if played is None:
        raise PressRefusedError("no-round", Text("No round has been dealt yet", "まだ配られていない"))
    if over:
        raise PressRefusedError("round-over", _waiting(table))
    words = _words(table, button, how)
    calls = open_calls(played)
    decides = calls[0].player if calls and words[0][0] == "call" else None
    player = seat or decides or _to_move(played)
    moves = [played.read_move(player, each) for each in words]
    problems: list[Problem] = []
    for move in moves:
        found = played.check(move)
        if not found:
            return NewEvent("moved", {"player": player, "words": list(move.words())})
        problems = problems or found
    raise _refused(table, player, decides, moves[-1], problems)


def _words(table: Table, button: Button, how: How) -> _Words:
    """Return the moves that a button may mean in a table's game."""
    meant = GAMES[table.rules.game].entry.buttons
    held = meant.get(f"long {button}")
    if how == "long" and held:
        return held
    if button in meant:
        return meant[button]
    game, name = table.rules.title, _NAMES[button]
    if held:
        raise PressRefusedError(
            "hold-longer",
            Text(
                f"Hold {name.en} for a second to say it: nobody is to by mistake",
                f"間違えないよう、{name.ja}は1秒押し続けてください",
            ),
        )
    waiting = _waiting(table)
    raise PressRefusedError(
        "not-in-this-game",
        Text(
            f"In {game.en} the button {name.en} means nothing. {waiting.en}",
            f"{game.ja}では{name.ja}のボタンは使わない。{waiting.ja}",
        ),
    )


def _refused(
    table: Table, player: int, decides: int | None, move: Move, problems: Sequence[Problem]
) -> PressRefusedError:
    who = table.names.of(player)
    if decides is not None and decides != player:
        other = table.names.of(decides)
        return PressRefusedError(
            "another-decides",
            Text(f"{_started(other.en)} decides, not {who.en}", f"決めるのは{other.ja}（{who.ja}ではない）"),
            early=True,
        )
    if table.open_questions:
        return PressRefusedError("question-open", _waiting(table))
    text = table.names.within(problems[0].text)
    return PressRefusedError(problems[0].code, Text(_started(text.en), text.ja), early=True)


# --- undo


def _undone(table: Table, how: How) -> Iterator[NewEvent]:
    if how == "double":
        again = table.redo_target()
        if again is None:
            raise PressRefusedError(
                "nothing-to-bring-back",
                Text("Nothing was taken back that could be brought back", "元に戻す取り消しがない"),
            )
        yield NewEvent("undone", {"of": again.seq})
        return
    last = table.undo_target()
    if last is None:
        raise PressRefusedError(
            "nothing-to-undo",
            Text("Nothing has happened here that could be taken back", "取り消すことがない"),
        )
    yield NewEvent("undone", {"of": last.seq})
    if how == "long":
        for seq in _rest_of_turn(table, last):
            yield NewEvent("undone", {"of": seq})


def _rest_of_turn(table: Table, last: Event) -> Iterator[int]:
    """Yield what else of the last turn was told by itself (the hand card, after the drawn one), the latest first."""
    lines = table.live.lines if table.live is not None else ()
    turn = {move["seq"] for move in lines[-1]["moves"]} if lines else set()
    if last.group not in {table.events[seq - 1].group for seq in turn}:
        return  # a correction, a deal: it is no part of the turn
    groups: dict[int, int] = {}
    for event in reversed(table.events[: last.group - 1]):
        if event.kind not in CHANGES or not table.holds(event.seq):
            continue
        if event.seq not in turn:
            break
        groups[event.group] = event.seq
    yield from groups.values()


# --- next


def _next(table: Table) -> NewEvent:
    questions, problems = table.open_questions, table.open_problems
    if len(questions) > 1:
        count = len(questions)
        raise PressRefusedError(
            "several-questions",
            Text(
                f"{count} questions are open: answer them on a phone, where they can be read",
                f"質問が{count}件：スマートフォンで読んで答えてください",
            ),
        )
    if questions:
        asked = questions[0]
        choices: Sequence[Mapping[str, Any]] = asked.data["choices"]
        if choices:
            likeliest = max(range(len(choices)), key=lambda number: choices[number].get("p") or 0.0)
            return NewEvent("answered", {"of": asked.seq, "choice": likeliest})
    settled = [*questions, *problems]
    if not settled:
        waiting = _waiting(table)
        raise PressRefusedError(
            "nothing-open",
            Text(f"Nothing waits for an answer. {waiting.en}", f"返事を待つものはない。{waiting.ja}"),
        )
    return NewEvent("settled", {"of": settled[0].seq})


# --- what the table is waiting for


def _waiting(table: Table) -> Message:
    """Say what has to happen next."""
    if table.open_questions:
        asked = table.open_questions[0].data["text"]
        text = table.names.within(Text(asked["en"], asked["ja"]))
        return Text(f"A question is open: {text.en}", f"質問に答えてください：{text.ja}")
    if table.game.outcome() is not None:
        return Text("The game is over", "対局は終わった")
    live, played = table.live, table.round
    if live is None or played is None or live.outcome is not None:
        dealer = table.names.of(table.game.dealer)
        return Text(f"The next round is to be dealt, by {dealer.en}", f"次の局を{dealer.ja}が配るところ")
    calls = open_calls(played)
    decides = bool(calls) and played.owes() is not None
    who = table.names.of(calls[0].player if decides else _to_move(played))
    if decides:
        return Text(f"{_started(who.en)} is to decide", f"{who.ja}が決めるところ")
    return Text(f"It is {who.en}'s turn", f"{who.ja}の番")


def _to_move(played: AnyRound) -> int:
    player = played.to_move
    assert player is not None, "the round is not over"
    return player


def _started(text: str) -> str:
    """Begin a sentence: player 2 has no name that is written small."""
    return f"P{text[1:]}" if text.startswith("player ") else text
