"""How well a recorded table was watched: what ``companion watch`` told, against the record of what was played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from companion.hanafuda.cards import card, twin
from companion.hanafuda.registry import GAMES
from vision.lab.benchmarks.accuracy import Share

__all__ = ["Watched", "compare", "total"]

Line = Mapping[str, Any]

_RAISED: Final = {"problem", "question"}
_CARDS: Final = ("play", "draw", "box")
_LISTS: Final = ("captured", "draw_captured", "draws", "show")


@dataclass(frozen=True, slots=True)
class Watched:
    """What was told of one round: turns told right of those played, and the others.

    A turn is right where player, both cards and what they captured are as recorded, twins counting as one card, and it was
    told in order and not taken back. Where hands are shown, each player's hand is such a turn: how many cards were drawn, those shown in
    the end, bareta, the wager; for draws are hidden. A wrong or missing one is ``raised`` where a problem or a question came between its
    neighbours, else ``silent``. ``extra`` turns were told and never played. ``prompt`` are the right turns told before the
    next one began (None where no truth tells the pictures' turns).
    """

    name: str
    turns: Share
    raised: int
    silent: int
    extra: int
    calls: Share
    points: bool
    field: bool
    problems: int
    questions: int
    undone: int
    prompt: Share | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "folder": self.name,
            "turns": self.turns.to_dict(),
            "raised": self.raised,
            "silent": self.silent,
            "extra": self.extra,
            "calls": self.calls.to_dict(),
            "points": self.points,
            "field": self.field,
            "problems": self.problems,
            "questions": self.questions,
            "undone": self.undone,
            "prompt": None if self.prompt is None else self.prompt.to_dict(),
        }


def compare(
    name: str, lines: Sequence[Line], record: Mapping[str, Any], turn_of: Mapping[str, int] | None = None
) -> Watched:
    """Compare the lines of ``watch --json`` with a round record; ``turn_of``: a picture's name to the turn it shows."""
    played = [_turn(turn) for turn in record["turns"] if "swap" not in turn]
    told = _standing(lines, "turn")
    heard_of = [_turn(line) for _, line in told]
    game = GAMES.get(record.get("game", ""))
    if game is not None and game.camera is not None and game.camera.scanned == "hand":
        played = [_hand(hand) for hand in _hands(record["turns"], record["deal"].get("hands") or {})]
        told = [(number, line) for number, line in told if "swap" not in line]
        merged = _hands([line for _, line in told], {})
        told = [max(one for one in told if one[1]["player"] == hand["player"]) for hand in merged]
        heard_of = [_hand(hand) for hand in merged]
    pairs = _pairs(played, heard_of)
    right = dict(pairs)
    raised = silent = 0
    at = [number for number, _ in told]
    for number in range(len(played)):
        if number in right:
            continue
        before = max((at[right[each]] for each in right if each < number), default=-1)
        after = min((at[right[each]] for each in right if each > number), default=len(lines))
        if any(line["event"] in _RAISED for line in lines[before + 1 : after + 1]):
            raised += 1
        else:
            silent += 1
    said = [(turn["player"], call) for turn in record["turns"] for call in _calls(turn)]
    heard = [(line["player"], line["call"]) for _, line in _standing(lines, "call")]
    rounds = [line for line in lines if line["event"] == "round"]
    fields = [line["field"] for line in lines if line["event"] == "deal"]
    events = [line["event"] for line in lines]
    prompt = None
    if turn_of is not None:
        # A turn without a card on the table (a pass) is told with another's.
        frames = {one: told[other][1].get("frame") for one, other in pairs}
        prompt = Share.of(turn_of.get(frame or "", -1) == one + 1 for one, frame in frames.items())
    return Watched(
        name=name,
        turns=Share(len(right), len(played)),
        raised=raised,
        silent=silent,
        extra=len(told) - len(right),
        calls=Share(len(_pairs(said, heard)), max(len(said), len(heard))),
        points=bool(rounds) and rounds[-1].get("result", {}).get("points") == record["result"]["points"],
        field="field" not in record["deal"]
        or (bool(fields) and _kinds(fields[-1]) == _kinds(record["deal"]["field"])),
        problems=events.count("problem"),
        questions=events.count("question"),
        undone=events.count("undone"),
        prompt=prompt,
    )


def total(watched: Iterable[Watched]) -> dict[str, Any]:
    """Return the figures of several rounds together, as JSON has them."""
    each = list(watched)
    return {
        "rounds": len(each),
        "turns": Share(sum(one.turns.hits for one in each), sum(one.turns.n for one in each)).to_dict(),
        "raised": sum(one.raised for one in each),
        "silent": sum(one.silent for one in each),
        "extra": sum(one.extra for one in each),
        "calls": Share(sum(one.calls.hits for one in each), sum(one.calls.n for one in each)).to_dict(),
        "points": Share.of(one.points for one in each).to_dict(),
        "problems": sum(one.problems for one in each),
        "questions": sum(one.questions for one in each),
    }


def _standing(lines: Sequence[Line], event: str) -> list[tuple[int, Line]]:
    """Return the lines of a kind that were not taken back, with their places."""
    found: list[tuple[int, Line]] = []
    for number, line in enumerate(lines):
        if line["event"] == event:
            found.append((number, line))
        elif line["event"] == "undone" and line["of"]["event"] == event:
            key = _turn(line["of"])
            last = next(
                (place for place in reversed(range(len(found))) if _turn(found[place][1]) == key), None
            )
            if last is not None:
                del found[last]
    return found


def _turn(turn: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what makes a turn the same as another, twins alike."""
    cards = tuple(_kind(turn.get(key)) for key in _CARDS)
    lists = tuple(_kinds(turn.get(key) or ()) for key in _LISTS)
    discards = tuple(_kinds(cards) for cards in turn.get("discards") or ())
    return turn["player"], cards, lists, discards, turn.get("call") if turn.get("event") == "call" else None


def _hands(
    turns: Iterable[Mapping[str, Any]], dealt: Mapping[str, Sequence[str | None]]
) -> list[dict[str, Any]]:
    """Return what every player did in a game in which hands are shown, in the order in which they began: how many cards he drew, his wager, whether he had
    bareta, and all the cards of his hand, which are hidden until he shows them."""
    hands: dict[int, dict[str, Any]] = {}
    for turn in turns:
        player = turn["player"]
        new = {"player": player, "draws": 0, "cards": list(dealt.get(str(player)) or ()), "bareta": False}
        hand = hands.setdefault(player, new)
        hand["draws"] += len(turn.get("draws") or ())
        hand["cards"] += [*(turn.get("draws") or ()), *(turn.get("show") or ())]
        hand["bareta"] |= bool(turn.get("bareta"))
        hand["wager"] = turn.get("wager") or hand.get("wager")
    return [*hands.values()]


def _hand(hand: Mapping[str, Any]) -> tuple[Any, ...]:
    cards = tuple(sorted(str(_kind(name)) for name in hand["cards"] if name is not None))
    return hand["player"], hand["draws"], cards, hand["bareta"], hand["wager"]


def _kind(name: str | None) -> str | None:
    if name is None or name == "back":
        return name
    other = twin(name) if card(name) else None
    return name if other is None else min(name, other)


def _kinds(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(str(_kind(name)) for name in names))


def _calls(turn: Mapping[str, Any]) -> Iterator[str]:
    yield from dict.fromkeys(call for key in ("play_call", "call") if (call := turn.get(key)))


def _pairs(one: Sequence[Any], other: Sequence[Any]) -> list[tuple[int, int]]:
    """Return the places of what both have in the same order."""
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
