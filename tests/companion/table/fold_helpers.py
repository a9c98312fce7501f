"""Helpers of the table tests: reporting events, and rounds dealt from a shuffled deck."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from random import Random
from typing import Any

from companion.hanafuda.registry import GAMES
from companion.table import Event, NewEvent, Source, Table

SEATS = {"koikoi": 2, "kekoro": 2, "kakkuri": 5, "kingo": 3, "kingo-bank": 3}
_clock = count()


def opened(game: str = "koikoi", rules: Any = None, players: Sequence[str] = ()) -> Table:
    """Open a table of a game, by default with its first preset."""
    names = list(players) or ["Aiko", "Ben", "Chiyo", "Dai", "Emi"][: SEATS[game]]
    if game == "kakkuri" and rules is None:
        rules = {"preset": "kakkuri", "players": "2_to_8"}
    new = NewEvent(
        "opened", {"name": "Parlour", "game": game, "rules": rules, "players": names, "deck": None}
    )
    return Table.open(new, actor="host", source="keyboard", time=_now())


def reported(table: Table, *events: NewEvent, source: Source = "phone") -> list[Event]:
    """Append events to a table as one group."""
    return table.append(events, actor="a test", source=source, time=_now())


def shuffled_deal(table: Table, seed: int, *, hidden: bool = False, dealer_known: bool = True) -> NewEvent:
    """Deal the next round from a shuffled deck without a redeal or an immediate win."""
    game, rng = table.game, Random(seed)
    kind = GAMES[table.rules.game].round
    situation: dict[str, Any] = {}
    if table.rules.game == "kakkuri":
        situation["pot"] = game.pot
    if table.rules.game.startswith("kingo"):
        situation["stones"] = game.stones  # type: ignore[attr-defined]
    while True:
        dealt = kind.shuffled(table.rules, rng, players=game.players, dealer=game.dealer, **situation)
        if dealt.outcome() is None:
            break
    deal: dict[str, Any] = {}
    if dealt.deal.field:
        deal["field"] = list(dealt.deal.field)
    if not hidden:
        deal["hands"] = {str(player): list(hand) for player, hand in enumerate(dealt.deal.hands, start=1)}
        deal["stock"] = list(dealt.deal.stock)
    data: dict[str, Any] = {"deal": deal, "dealer": dealt.dealer if dealer_known else None}
    if "shuffle" in dealt.situation():
        data["shuffle"] = dealt.situation()["shuffle"]
    return NewEvent("dealt", data)


def moved(player: int, words: str, **more: Any) -> NewEvent:
    """Return the event of a move, given by its words."""
    return NewEvent("moved", {"player": player, "words": words.split(), **more})


def play_on(table: Table, rng: Random, moves: int = 10_000) -> None:
    """Make random legal moves, each an event group of its own, until the round is over."""
    for _ in range(moves):
        legal = table.round.legal_moves() if table.round else []
        if not legal:
            return
        move = rng.choice(legal)
        reported(table, moved(move.player, " ".join(move.words())))


def state(table: Table) -> dict[str, Any]:
    """Return the view without the fields that describe the log: the trail, undo and redo."""
    view = table.view()
    return {key: view[key] for key in view if key not in {"trail", "undo", "redo"}}


def _now() -> str:
    return f"2026-11-21T19:00:00.{next(_clock) % 1000:03}Z"
