"""Rounds of Kakkuri written in one line, as in the golden tables."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.hanafuda.games.kakkuri import Discard, KakkuriMove, KakkuriRound, Swap
from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.round import Deal, Problem
from companion.hanafuda.rules import resolve
from companion.messages import render

GOLDEN = Path(__file__).parents[3] / "golden"
SUITS = {"C": "clubs", "S": "swords", "U": "cups", "O": "coins"}


def card(text: str, deck: str = "mekurifuda") -> str | None:
    """Return the card of a word: ``C5`` is clubs-5 with mekurifuda; other ids are unchanged."""
    if text == "?":
        return None
    if deck == "mekurifuda" and (match := re.fullmatch(r"([CSUO])(\d+)", text)):
        return f"{SUITS[match[1]]}-{match[2]}"
    return text


def _ids(text: str, deck: str) -> tuple[Any, ...]:
    return tuple(card(word, deck) for word in text.split())


def rules_of(text: str) -> KakkuriRules:
    preset, *changes = text.split()
    reported = {}
    for change in changes:
        key, value = change.split("=")
        reported[key] = json.loads(value) if re.fullmatch(r"\d+|true|false", value) else value
    rules = resolve({"preset": preset, **reported})
    assert isinstance(rules, KakkuriRules)
    return rules


def round_of(rules: str, table: str = "", hands: str = "") -> KakkuriRound:
    """Deal the given hands and hide the rest; without swaps=pending all players have kept their hands."""
    record = rules_of(rules)
    reported = dict(word.split("=") for word in table.split())
    players = int(reported.get("players", 7))
    cards = {key.strip(): ids for key, _, ids in (part.partition(":") for part in hands.split(";") if part)}
    hidden = (None,) * 6
    dealt = tuple(
        _ids(cards[str(seat)], record.deck) if str(seat) in cards else hidden
        for seat in range(1, players + 1)
    )
    box = (None,) * (6 if players == 8 else 48 - 6 * players)
    stock = _ids(cards["box"], record.deck) if "box" in cards else box
    return KakkuriRound(
        record, Deal(dealt, (), stock), dealer=int(reported.get("dealer", 1)), pot=int(reported.get("pot", 0))
    )


def keep_all(played: KakkuriRound) -> None:
    """Let every player who has not decided yet keep his hand."""
    while played.outcome() is None and (played.to_move, True) == (played.to_move, _swapping(played)):
        played.push(Swap(played.to_move or 0, False))


def _swapping(played: KakkuriRound) -> bool:
    return isinstance(played.legal_moves()[0], Swap)


def moves_of(text: str, deck: str = "mekurifuda") -> Iterator[KakkuriMove]:
    """Yield the moves of a line, separated by ``;``."""
    for part in text.split(";"):
        if not part.strip():
            continue
        who, *words = part.split()
        first, _, last = who.partition("-")
        if words[0] == "box":
            words[1] = str(card(words[1], deck))
        if words[0] in ("box", "pass", "fold", "swap", "keep", "three-pairs", "lucky-hand"):
            for player in range(int(first), int(last or first) + 1):
                yield KakkuriRound.read_move(player, words)
        else:
            for word in words:
                cards, _, rank = word.partition("=")
                ids = tuple(str(card(each, deck)) for each in cards.split("+"))
                yield Discard(int(first), ids, int(rank) if rank else None)


def play(played: KakkuriRound, text: str) -> KakkuriRound:
    """Make the moves of a line; players without a swap keep their hands."""
    for move in moves_of(text, played.rules.deck):
        if not isinstance(move, Swap):
            keep_all(played)
        problems = played.check(move)
        assert not problems, f"{move}: {[render(problem.text) for problem in problems]}"
        played.push(move)
    return played


def codes(problems: Iterable[Problem]) -> list[str]:
    """Return the problems' codes; each has a text in both languages."""
    reported = list(problems)
    for problem in reported:
        assert render(problem.text)
        assert render(problem.text, "ja")
        assert render(problem.text) != render(problem.text, "ja")
        assert "None" not in render(problem.text) + render(problem.text, "ja")
    return [problem.code for problem in reported]


def golden(name: str, columns: int) -> list[Any]:
    """Return the cases of a table."""
    cases = []
    for number, line in enumerate((GOLDEN / name).read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip() and not line.startswith("#"):
            reported = [column.strip() for column in line.split("|")]
            assert len(reported) == columns, f"{name}:{number} has {len(reported)} columns, not {columns}"
            assert reported[-1], f"{name}:{number} names no source"
            cases.append(pytest.param(*reported[:-1], id=f"{number}"))
    return cases
