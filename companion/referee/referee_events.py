"""How referees raise, ask and settle: each thing once, in English and Japanese; and what those of the round games say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companion.hanafuda.cards import card
from companion.hanafuda.messages import Message
from companion.hanafuda.round import Move
from companion.hanafuda.rules import Text
from companion.referee.interface import CommittedTable
from companion.table.events import Event, NewEvent

__all__ = [
    "SAYINGS",
    "RefereeProblem",
    "choice",
    "joined",
    "moved",
    "names",
    "notice",
    "only_corrects",
    "problem",
    "say",
    "settle",
    "waiting",
]

SAYINGS: Final[Mapping[str, Message]] = {
    "which-discard": Text("Who discarded {cards}, and how?", "{cards}を出したのは誰ですか？"),
    "who-laid": Text(
        "Who laid {cards}, which lies on top now? The game goes on from there; what was missed can be added in the history.",
        "今いちばん上の{cards}を出したのは誰ですか？そこから続けます。抜けた手は履歴で追加できます。",
    ),
    "whose-turn": Text("Whose turn is it?", "誰の番ですか？"),
    "turn-of": Text("player {player}'s", "{player}番"),
    "who-dropped-out": Text(
        "Who was dealt {cards} and drops out?", "{cards}が来て抜けるのは誰ですか？"
    ),
    "drops-out": Text("player {player} drops out", "{player}番が抜ける"),
    "deals": Text("player {player} deals", "{player}番が親"),
    "box": Text("player {player} turned up {cards}", "{player}番が箱から{cards}を開けた"),
    "discard": Text("player {player} discarded {cards}", "{player}番が{cards}を出した"),
    "discard-as": Text(
        "player {player} discarded {cards} as {rank}", "{player}番が{cards}を{rank}として出した"
    ),
    "pass": Text("player {player} passed", "{player}番がパスした"),
    "three-pairs": Text("player {player} has three pairs", "{player}番は三足"),
    "which-hands": Text("Which cards were shown?", "見せた手札はどれですか？"),
    "hand": Text("player {player}: {cards}", "{player}番：{cards}"),
    "who-dealt": Text("Who dealt?", "親は誰ですか？"),
    "dealt": Text("player {player}", "{player}番"),
    "unknown-card": Text(
        "A card {where} cannot be recognised. Turn it face up and lay it clear of hands and shadows, or take it away"
        " if it is of another deck.",
        "{where}に見分けられない札があります。表を上にして、手や影のかからない所に置いてください。別の組の札なら外してください。",
    ),
    "foreign-card": Text(
        "{cards} {where} is no card of this game's deck. Take it away.",
        "{where}の{cards}はこの遊びの札ではありません。外してください。",
    ),
    "card-twice": Text(
        "{cards} is on the table more often than the deck has it. Is a card of another deck among them?",
        "{cards}が札の枚数より多く見えます。別の組の札が混ざっていませんか？",
    ),
    "hand-missing": Text(
        "Player {player} shows no hand. Lay it open, or tell that it is bareta.",
        "{player}番の手札が見えません。表にして並べるか、バレタと入力してください。",
    ),
    "wager-missing": Text(
        "Player {player}'s wager was not told. Tell it on a phone: then the payments are worked out.",
        "{player}番の賭けが入力されていません。スマホで入力すれば支払いを計算します。",
    ),
    "correct-by-hand": Text(
        "The table does not tell how it came to lie so: correct the moves in the history.",
        "卓を見ても経過が分かりません。履歴で手を直してください。",
    ),
    "on-pile": Text("on the discard pile", "捨札"),
    "in-hand": Text("in player {player}'s hand", "{player}番の手札"),
}  # fmt: skip
"""By code; cards stand in as names, players as numbers."""


@dataclass(frozen=True, slots=True)
class RefereeProblem:
    """A problem with what the table shows."""

    code: str
    message: Message
    cards: tuple[str, ...] = ()


def names(ids: Iterable[str]) -> Message:
    """Return what people call cards."""
    found = [card(each).names for each in ids]
    return Text(", ".join(each.en for each in found), "・".join(each.ja for each in found))


def say(code: str, **values: object) -> Message:
    """Return a sentence; values that are texts are said in both languages."""
    found = SAYINGS[code]
    english = {key: each.en if isinstance(each, Text) else each for key, each in values.items()}
    japanese = {key: each.ja if isinstance(each, Text) else each for key, each in values.items()}
    return Text(found.en.format(**english), found.ja.format(**japanese))


def joined(says: Sequence[Message]) -> Message:
    """Return several sentences as one."""
    return Text(", ".join(each.en for each in says), "、".join(each.ja for each in says))


def moved(move: Move, confidence: float, frame: str | None) -> NewEvent:
    """Return the event of a move."""
    return NewEvent("moved", {"player": move.player, "words": list(move.words())}, confidence, frame)


def choice(says: Message, probability: float, events: Iterable[NewEvent]) -> dict[str, Any]:
    """Return an answer of a question, with what follows from it."""
    reported = [{"kind": event.kind, "data": dict(event.data)} for event in events]
    return {"says": says.to_dict(), "p": round(probability, 3), "events": reported}


def notice(
    found: RefereeProblem, table: CommittedTable, before: str | None, frame: str | None
) -> list[NewEvent]:
    """Tell a problem once, in the place of what the eyes raised before."""
    if any(
        event.data["code"] == found.code and tuple(event.data["cards"]) == found.cards
        for event in _problems(table)
    ):
        return []
    return [*settle(table), NewEvent("noticed", problem(found, before, frame), 0.9, frame)]


def problem(found: RefereeProblem, before: str | None, frame: str | None) -> dict[str, Any]:
    """Return what an event tells of a problem."""
    return {
        "code": found.code,
        "message": found.message.to_dict(),
        "pictures": {"before": before, "after": frame},
        "cards": list(found.cards),
    }


def settle(table: CommittedTable, *, but: str = "", reported: bool = False) -> list[NewEvent]:
    """Return that the problems and questions which looks raised are done with, problems of the code ``but`` left out.

    Questions about what was told already stay open, for they hold up nothing, but if ``reported``.
    """
    done = (event for event in _problems(table) if event.data["code"] != but)
    asked = (event for event in _questions(table) if reported or not only_corrects(event))
    return [NewEvent("settled", {"of": event.seq}) for event in (*done, *asked)]


def waiting(table: CommittedTable) -> bool:
    """Return whether a question that a look raised is open, and the game is held up until somebody knows."""
    return any(not only_corrects(event) for event in _questions(table))


def only_corrects(asked: Event) -> bool:
    """Return whether a question is about what was told already: its answers correct that, or leave it."""
    return all(each["kind"] == "corrected" for choice in asked.data["choices"] for each in choice["events"])


def _problems(table: CommittedTable) -> list[Event]:
    return [event for event in table.open_problems if event.kind == "noticed" and _seen(event)]


def _questions(table: CommittedTable) -> list[Event]:
    return [event for event in table.open_questions if _seen(event)]


def _seen(event: Event) -> bool:
    return event.source in {"camera", "scanner"}
