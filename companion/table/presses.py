"""Button presses and their events, the same for button boxes, keyboards and home automation.

- ``koi-koi``, ``stop`` and ``pass`` are moves that the description of the game defines
  (`companion.hanafuda.description.Entry`).
- ``undo`` undoes the same as one undo on the pages; a long press undoes the whole last turn, a double press redoes.
- ``next`` gives the open question its likeliest answer, or resolves it if it has no choices, as a notice.

A long or double press without a meaning of its own counts as a press. A press that is not possible now is refused with
a message about what the table is waiting for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from companion.hanafuda.errors import ConflictError
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Problem
from companion.table.effective import CHANGES
from companion.table.events import Event, NewEvent
from companion.table.history import AnyRound
from companion.table.messages import choice_text, notice_text, question_text
from companion.table.table import Table

Button = Literal["koi-koi", "stop", "pass", "undo", "next"]
PressKind = Literal["press", "long", "double"]
BUTTONS: Final[tuple[Button, ...]] = ("koi-koi", "stop", "pass", "undo", "next")

_Words = tuple[tuple[str, ...], ...]
"""Moves as `Move.words` writes them; the first legal one is used."""


class PressRefusedError(ConflictError):
    """Raised for a button press that is not possible now; `message` says what the table is waiting for.

    Its code is a problem code of the rules, or one of this module's.
    """

    def __init__(self, slug: str, message: Message, *, early: bool = False) -> None:
        super().__init__(slug, message)
        self.early = early
        """Whether the press may be possible once the camera has reported cards that are on the table already."""


def buttons_of(game: str) -> tuple[Button, ...]:
    """Return the buttons that have a meaning in a game, not counting long presses."""
    return tuple(each for each in BUTTONS if each in {"undo", "next"} or each in GAMES[game].entry.buttons)


def pressed(table: Table, seat: int | None, button: Button, how: PressKind = "press") -> list[NewEvent]:
    """Return the events of a button press, or raise `PressRefusedError`.

    ``seat`` is the seat that the button belongs to; None for a shared button, which acts for the player to move.
    """
    if seat is not None and not 1 <= seat <= table.game.players:
        raise PressRefusedError(
            "no-such-seat", Message("press-no-such-seat", {"seat": seat, "players": table.game.players})
        )
    match button:
        case "undo":
            return list(_undo_events(table, how))
        case "next":
            return [_next(table)]
    return [_move_event(table, seat, button, how)]


def did(table: Table, events: Sequence[Event]) -> Message | None:
    """Return the message of the events of a press; None if there are none."""
    if not events:
        return None
    first = events[0]
    if first.kind == "undone":
        return table.says_undos([event for event in events if event.kind == "undone"])
    if first.kind in {"answered", "settled"}:
        about = table.events[first.data["of"] - 1].data
        choice = first.data.get("choice")
        if choice is None:
            text = (
                notice_text(about, table.names) if "message" in about else question_text(about, table.names)
            )
            return Message("press-settled", {"message": text})
        text = choice_text(about["choices"][choice], table.rules, table.names)
        return Message("press-answered", {"message": text})
    return table.says(first)


# --- koi-koi, stop, pass


def _move_event(table: Table, seat: int | None, button: Button, how: PressKind) -> NewEvent:
    played, over = table.round, table.live is not None and table.live.outcome is not None
    if played is None:
        raise PressRefusedError("no-round", Message("press-no-round"))
    if over:
        raise PressRefusedError("round-over", _waiting(table))
    words = _words(table, button, how)
    calls = played.calls()
    decides = calls[0].player if calls and words[0][0] == "call" else None
    player = seat or decides or _to_move(played)
    moves = [played.read_move(player, each) for each in words]
    problems: list[Problem] = []
    for move in moves:
        move_problems = played.check(move)
        if not move_problems:
            return NewEvent("moved", {"player": player, "words": list(move.words())})
        problems = problems or move_problems
    raise _refused(table, player, decides, problems)


def _words(table: Table, button: Button, how: PressKind) -> _Words:
    """Return the moves that a button may mean in a table's game."""
    button_moves = GAMES[table.rules.game].entry.buttons
    long_press = button_moves.get(f"long {button}")
    if how == "long" and long_press:
        return long_press
    if button in button_moves:
        return button_moves[button]
    name = Message(f"button-{button}")
    if long_press:
        raise PressRefusedError("hold-longer", Message("press-hold-longer", {"button": name}))
    raise PressRefusedError(
        "not-in-this-game",
        Message(
            "press-not-in-this-game", {"button": name, "game": table.rules.title, "waiting": _waiting(table)}
        ),
    )


def _refused(
    table: Table, player: int, decides: int | None, problems: Sequence[Problem]
) -> PressRefusedError:
    who = table.names.of(player)
    if decides is not None and decides != player:
        return PressRefusedError(
            "another-decides",
            Message("press-another-decides", {"decider": table.names.of(decides), "player": who}),
            early=True,
        )
    if table.open_questions:
        return PressRefusedError("question-open", _waiting(table))
    return PressRefusedError(problems[0].code, table.names.within(problems[0].text), early=True)


# --- undo


def _undo_events(table: Table, how: PressKind) -> Iterator[NewEvent]:
    if how == "double":
        again = table.redo_target()
        if again is None:
            raise PressRefusedError("nothing-to-bring-back", Message("press-nothing-to-redo"))
        yield NewEvent("undone", {"of": again.seq})
        return
    last = table.undo_target()
    if last is None:
        raise PressRefusedError("nothing-to-undo", Message("problem-nothing-to-undo"))
    yield NewEvent("undone", {"of": last.seq})
    if how == "long":
        for seq in _rest_of_turn(table, last):
            yield NewEvent("undone", {"of": seq})


def _rest_of_turn(table: Table, last: Event) -> Iterator[int]:
    """Yield the events of the last turn that were reported separately (such as the hand card before the drawn one), latest first."""
    lines = table.live.lines if table.live is not None else ()
    turn = {move["seq"] for move in lines[-1]["moves"]} if lines else set()
    if last.group not in {table.events[seq - 1].group for seq in turn}:
        return  # a correction or a deal is not part of a turn
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
        raise PressRefusedError(
            "several-questions", Message("press-several-questions", {"count": len(questions)})
        )
    if questions:
        asked = questions[0]
        choices: Sequence[Mapping[str, Any]] = asked.data["choices"]
        if choices:
            likeliest = max(range(len(choices)), key=lambda number: choices[number].get("p") or 0.0)
            return NewEvent("answered", {"of": asked.seq, "choice": likeliest})
    settled = [*questions, *problems]
    if not settled:
        raise PressRefusedError("nothing-open", Message("press-nothing-open", {"waiting": _waiting(table)}))
    return NewEvent("settled", {"of": settled[0].seq})


# --- what the table is waiting for


def _waiting(table: Table) -> Message:
    """Return the message about what has to happen next."""
    if table.open_questions:
        question = question_text(table.open_questions[0].data, table.names)
        return Message("waiting-question", {"question": question})
    if table.game.outcome() is not None:
        return Message("waiting-game-over")
    live, played = table.live, table.round
    if live is None or played is None or live.outcome is not None:
        return Message("waiting-deal", {"player": table.names.of(table.game.dealer)})
    calls = played.calls()
    if calls and played.pending_decision() is not None:
        return Message("waiting-decision", {"player": table.names.of(calls[0].player)})
    return Message("waiting-turn", {"player": table.names.of(_to_move(played))})


def _to_move(played: AnyRound) -> int:
    player = played.to_move
    assert player is not None, "the round is not over"
    return player
