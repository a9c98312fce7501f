"""Stacked deals, given by the relevant cards, and a short notation of turns.

The notation is that of the golden tables (`tests/golden/koikoi-round-options.txt` explains it to players).
"""

import json
from dataclasses import dataclass, field
from typing import Any

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.fishing import Call, Draw, FishingMove, Play
from companion.hanafuda.games.koikoi.round import KoiKoiRound
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.round import Deal, Problem
from companion.hanafuda.rules import resolve
from companion.messages import render

FIELD = 8


def rules_of(text: str) -> KoiKoiRules:
    preset, *changes = text.split()
    reported = dict(change.split("=", 1) for change in changes)
    found = resolve({"preset": preset, **{key: _value(value) for key, value in reported.items()}}, "koikoi")
    assert isinstance(found, KoiKoiRules)
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _flower(card: str) -> str:
    return card.split("-", maxsplit=1)[0]


def stacked(rules: KoiKoiRules, text: str) -> KoiKoiRound:
    """Return the round that a line of a table deals."""
    reported = dict(word.split("=", 1) for word in text.split())
    size = int(reported.pop("size", rules.hand_size))
    hidden = reported.pop("hidden", "").split(",")
    dealer, month = int(reported.pop("dealer", 1)), reported.pop("month", None)
    parts = {name: reported.pop(name, "").replace(",", " ").split() for name in ("1", "2", "field", "stock")}
    assert not reported, f"unknown words in the deal: {reported}"
    named = {card for part in parts.values() for card in part}
    flowers = {_flower(card) for card in named}
    rest = [HANAFUDA[4 * month + place].id for place in (3, 2, 1, 0) for month in range(12)]
    rest = sorted((card for card in rest if card not in named), key=lambda card: _flower(card) in flowers)
    for name, count in (("field", FIELD), ("1", size), ("2", size), ("stock", 48)):
        while len(parts[name]) < count and rest:
            parts[name].append(rest.pop(0))
    hands = [tuple(parts["1"]), tuple(parts["2"])]
    displayed: list[tuple[str | None, ...]] = [
        (None,) * len(hand) if str(player) in hidden else hand for player, hand in enumerate(hands, start=1)
    ]
    stock: tuple[str | None, ...] = tuple(parts["stock"])
    deal = Deal(tuple(displayed), tuple(parts["field"]), (None,) * len(stock) if "stock" in hidden else stock)
    return KoiKoiRound(rules, deal, dealer=dealer, month=int(month) if month else None)


@dataclass
class Report:
    """A round with the turns of a line, up to the first illegal move."""

    round: KoiKoiRound
    problems: list[Problem] = field(default_factory=list)

    def turn(self, text: str) -> None:
        words = text.split()
        player = int(words.pop(0)[0]) if words[0].endswith(":") else self.round.to_move or 1
        if words[0] not in {"koikoi", "stop"}:
            self._card(Play, player, words.pop(0))
        drawn = words.pop(0)[1:] if words and words[0].startswith("/") else ""
        for word in [*words, None]:
            if not self.problems and self._must_draw():
                self._card(Draw, player, drawn)
            if word:
                assert word in {"koikoi", "stop"}
                self._make(Call(player, word))  # type: ignore[arg-type]

    def _must_draw(self) -> bool:
        pending = self.round.pending_decision()
        return pending is not None and pending.code == "draw-missing"

    def _card(self, kind: type[Play] | type[Draw], player: int, word: str) -> None:
        card, *takes = word.split("+")
        legal = [move for move in self.round.legal_moves() if isinstance(move, kind)]
        if not card:
            assert len({move.card for move in legal}) == 1, f"tell which card is drawn: {word}"
            card = legal[0].card
        if takes:
            takes = [take for take in takes if take != "nothing"]
            self._make(kind(player, card, tuple(takes)))
            return
        ways = [move for move in legal if move.card == card]
        assert len(ways) <= 1, f"tell what {card} takes: one of {[move.takes for move in ways]}"
        self._make(ways[0] if ways else kind(player, card))

    def _make(self, move: FishingMove) -> None:
        assert not self.problems, f"{render(self.problems[0].text)}; yet {move} was told after it"
        self.problems = self.round.check(move)
        if not self.problems:
            self.round.push(move)

    def stands(self) -> str:
        """Return the state of the round, as in the last but one column of the tables."""
        if self.problems:
            return " ".join(("refused", *(problem.code for problem in self.problems)))
        outcome = self.round.outcome()
        if outcome:
            winner = "".join(map(str, outcome.winners)) or "-"
            return f"{outcome.how} {winner} {':'.join(map(str, outcome.points))} deals {outcome.next_dealer}"
        if self.round.pending_decision():
            early = " early" if isinstance(self.round.moves[-1], Play) else ""
            return f"decides {self.round.to_move}{early}"
        return f"plays {self.round.to_move}"


def reported(rules: str, deal: str, turns: str = "") -> Report:
    found = Report(stacked(rules_of(rules), deal))
    for turn in filter(None, (each.strip() for each in turns.split(";"))):
        found.turn(turn)
    return found
