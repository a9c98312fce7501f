"""Accuracy of watching a recorded table: the events of ``companion watch`` against the record of the round
played.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from companion.hanafuda.cards import card, twin
from companion.hanafuda.registry import GAMES
from hanafuda_training.benchmarks.accuracy import Proportion

__all__ = ["Watched", "compare", "total"]

Line = Mapping[str, Any]

_RAISED: Final = {"problem", "question"}
_CARD_FIELDS: Final = ("play", "draw", "box")
_LIST_FIELDS: Final = ("captured", "draw_captured", "draws", "show")


@dataclass(frozen=True, slots=True)
class Watched:
    """The accuracy of one round.

    ``turns``: turns reported correctly, of those played. A turn is correct if the player, both cards, and the
    captured cards match the record (twins count as the same card), and it was reported in order and not
    withdrawn. In games in which hands are shown, each player's hand counts as one turn: the number of cards
    drawn, the cards finally shown, bareta, and the wager, because the drawn cards are hidden. A wrong or
    missing turn is ``raised`` if a problem or a question was reported between its neighbors, else ``silent``.
    ``extra``: reported turns that were never played. ``prompt``: correct turns reported before the next turn
    began (None if no truth gives the turns of the pictures).
    """

    name: str
    turns: Proportion
    raised: int
    silent: int
    extra: int
    calls: Proportion
    points: bool
    field: bool
    problems: int
    questions: int
    undone: int
    prompt: Proportion | None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in their JSON form."""
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
    """Compare the output lines of ``watch --json`` with a round record.

    ``turn_of``: the turn that each picture shows, by the name of the picture.
    """
    played, reported, reported_lines = _turns(lines, record)
    pairs = _common_pairs(played, reported)
    matched = {item: reported_lines[partner] for item, partner in pairs}
    missing = [number for number in range(len(played)) if number not in matched]
    raised = sum(_is_raised(number, matched, lines) for number in missing)
    calls_made = [(turn["player"], call) for turn in record["turns"] for call in _calls(turn)]
    calls_reported = [(line["player"], line["call"]) for _, line in _valid_lines(lines, "call")]
    rounds = [line for line in lines if line["event"] == "round"]
    events = [line["event"] for line in lines]
    return Watched(
        name=name,
        turns=Proportion(len(matched), len(played)),
        raised=raised,
        silent=len(missing) - raised,
        extra=len(reported) - len(matched),
        calls=Proportion(
            len(_common_pairs(calls_made, calls_reported)), max(len(calls_made), len(calls_reported))
        ),
        points=bool(rounds) and rounds[-1].get("result", {}).get("points") == record["result"]["points"],
        field=_same_field(lines, record["deal"]),
        problems=events.count("problem"),
        questions=events.count("question"),
        undone=events.count("undone"),
        prompt=None if turn_of is None else _prompt(matched, lines, turn_of),
    )


def _turns(
    lines: Sequence[Line], record: Mapping[str, Any]
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]], list[int]]:
    """Return the keys of the turns played and of those reported, and the numbers of the lines of the latter."""
    reported = _valid_lines(lines, "turn")
    game = GAMES.get(record.get("game", ""))
    if game is None or game.camera is None or game.camera.scanned != "hand":
        played = [_turn_key(turn) for turn in record["turns"] if "swap" not in turn]
        return played, [_turn_key(line) for _, line in reported], [number for number, _ in reported]
    hands_played = _hands(record["turns"], record["deal"].get("hands") or {})
    reported = [(number, line) for number, line in reported if "swap" not in line]
    hands_reported = _hands([line for _, line in reported], {})
    last_line = {line["player"]: number for number, line in reported}
    line_numbers = [last_line[hand["player"]] for hand in hands_reported]
    return [*map(_hand_key, hands_played)], [*map(_hand_key, hands_reported)], line_numbers


def _is_raised(number: int, matched: Mapping[int, int], lines: Sequence[Line]) -> bool:
    """Return whether a problem or a question was reported between the lines of the turns before and after a turn.

    ``matched``: the numbers of the lines of correct turns.
    """
    before = max((line for item, line in matched.items() if item < number), default=-1)
    after = min((line for item, line in matched.items() if item > number), default=len(lines))
    return any(line["event"] in _RAISED for line in lines[before + 1 : after + 1])


def _prompt(matched: Mapping[int, int], lines: Sequence[Line], turn_of: Mapping[str, int]) -> Proportion:
    """Return which correct turns were reported before the next turn began."""
    # A turn without a card on the table (a pass) is reported together with another turn.
    frames = {item: lines[number].get("frame") for item, number in matched.items()}
    return Proportion.of(turn_of.get(frame or "", -1) == item + 1 for item, frame in frames.items())


def _same_field(lines: Sequence[Line], deal: Mapping[str, Any]) -> bool:
    """Return whether the last deal reported has the true field, if the game has one."""
    fields = [line["field"] for line in lines if line["event"] == "deal"]
    if "field" not in deal:
        return True
    return bool(fields) and _card_keys(fields[-1]) == _card_keys(deal["field"])


def total(watched: Iterable[Watched]) -> dict[str, Any]:
    """Return the figures of several rounds together in their JSON form."""
    results = list(watched)
    return {
        "rounds": len(results),
        "turns": Proportion(
            sum(result.turns.hits for result in results), sum(result.turns.n for result in results)
        ).to_dict(),
        "raised": sum(result.raised for result in results),
        "silent": sum(result.silent for result in results),
        "extra": sum(result.extra for result in results),
        "calls": Proportion(
            sum(result.calls.hits for result in results), sum(result.calls.n for result in results)
        ).to_dict(),
        "points": Proportion.of(result.points for result in results).to_dict(),
        "problems": sum(result.problems for result in results),
        "questions": sum(result.questions for result in results),
    }


def _valid_lines(lines: Sequence[Line], event: str) -> list[tuple[int, Line]]:
    """Return the lines of an event that were not withdrawn, with their line indices."""
    valid: list[tuple[int, Line]] = []
    for number, line in enumerate(lines):
        if line["event"] == event:
            valid.append((number, line))
        elif line["event"] == "undone" and line["of"]["event"] == event:
            key = _turn_key(line["of"])
            last = next(
                (index for index in reversed(range(len(valid))) if _turn_key(valid[index][1]) == key), None
            )
            if last is not None:
                del valid[last]
    return valid


def _turn_key(turn: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key by which turns are compared; twins have the same key."""
    cards = tuple(_card_key(turn.get(key)) for key in _CARD_FIELDS)
    lists = tuple(_card_keys(turn.get(key) or ()) for key in _LIST_FIELDS)
    discards = tuple(_card_keys(cards) for cards in turn.get("discards") or ())
    return turn["player"], cards, lists, discards, turn.get("call") if turn.get("event") == "call" else None


def _hands(
    turns: Iterable[Mapping[str, Any]], dealt: Mapping[str, Sequence[str | None]]
) -> list[dict[str, Any]]:
    """Merge the turns of each player in a game in which hands are shown, in the order of their first turns:
    number of cards drawn, wager, bareta, and all cards of the hand, which are hidden until the player
    shows them.
    """
    hands: dict[int, dict[str, Any]] = {}
    for turn in turns:
        player = turn["player"]
        empty = {"player": player, "draws": 0, "cards": list(dealt.get(str(player)) or ()), "bareta": False}
        hand = hands.setdefault(player, empty)
        hand["draws"] += len(turn.get("draws") or ())
        hand["cards"] += [*(turn.get("draws") or ()), *(turn.get("show") or ())]
        hand["bareta"] |= bool(turn.get("bareta"))
        hand["wager"] = turn.get("wager") or hand.get("wager")
    return [*hands.values()]


def _hand_key(hand: Mapping[str, Any]) -> tuple[Any, ...]:
    cards = tuple(sorted(str(_card_key(name)) for name in hand["cards"] if name is not None))
    return hand["player"], hand["draws"], cards, hand["bareta"], hand["wager"]


def _card_key(name: str | None) -> str | None:
    if name is None or name == "back":
        return name
    twin_name = twin(name) if card(name) else None
    return name if twin_name is None else min(name, twin_name)


def _card_keys(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(str(_card_key(name)) for name in names))


def _calls(turn: Mapping[str, Any]) -> Iterator[str]:
    yield from dict.fromkeys(call for key in ("play_call", "call") if (call := turn.get(key)))


def _common_pairs(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[int, int]]:
    """Return the index pairs of the elements that both sequences share in the same order."""
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    return [(block.a + offset, block.b + offset) for block in blocks for offset in range(block.size)]
