"""Rounds from a seed or a text, and their records: random legal moves to the end, or the moves that the text has."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from .errors import BadRequestError, quote
from .registry import GAMES
from .round import Deal, Outcome, Round
from .rules import Rules, resolve

__all__ = ["random_round", "record_of", "result_of", "round_of_text"]

AnyRound = Round[Any, Any, Any]


def random_round(
    game: str, seed: int, rules: Rules | str | None = None, players: int | None = None
) -> AnyRound:
    """Deal a round and play random legal moves to its end.

    The number of players, if not given, is drawn from those the rules allow; the dealer and, in games with months, the
    month are drawn too.
    """
    rng = Random(seed)
    resolved = resolve(rules, game)
    round_of_game = GAMES[resolved.game].round
    seats = players or rng.choice(round_of_game.seats(resolved))
    dealer, month = rng.randint(1, seats), rng.randint(1, 12)
    situation = {"month": month} if GAMES[resolved.game].has_months else {}
    played = round_of_game.shuffled(resolved, rng, players=seats, dealer=dealer, **situation)
    while moves := played.legal_moves():
        played.push(rng.choice(moves))
    return played


def record_of(played: AnyRound) -> dict[str, Any]:
    """Return the record of a round, with its result if it is over."""
    rules = played.rules.request()
    record: dict[str, Any] = {
        "game": played.rules.game,
        "rules": rules if len(rules) > 1 else played.rules.preset,
        "players": played.players,
        "dealer": played.dealer,
        **{
            key: list(value) if isinstance(value, tuple) else value
            for key, value in played.situation().items()
        },
        "deal": {
            "hands": {str(player): list(hand) for player, hand in enumerate(played.deal.hands, start=1)},
            **({"field": list(played.deal.field)} if played.deal.field else {}),
            "stock": list(played.deal.stock),
        },
        "turns": played.turns(),
    }
    if outcome := played.outcome():
        record["result"] = result_of(outcome)
    return record


def result_of(outcome: Outcome) -> dict[str, Any]:
    """Return the result in a round's record."""
    winners = outcome.winners
    return {
        "winner": None if not winners else winners[0] if len(winners) == 1 else list(winners),
        "points": {str(player): number for player, number in enumerate(outcome.points, start=1)},
    }


def round_of_text(text: str) -> AnyRound:
    """Return the round written by `Round.to_text`; illegal moves are made too, and empty lines are ignored.

    Raises `BadRequestError` if the text cannot be read.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        game, _, record = lines[0].partition(" ")
        rules = resolve(json.loads(record), game)
        head = lines[1].split()
        situation = {key: _read_numbers(value) for key, value in zip(head[::2], head[1::2], strict=True)}
        cards: dict[str, tuple[str | None, ...]] = {}
        moves = []
        for line in lines[2:]:
            name, colon, ids = line.partition(":")
            if colon:
                cards[name] = tuple(None if word == "?" else word for word in ids.split())
            else:
                moves.append(line.split())
        hands = tuple(cards[name] for name in cards if name.startswith("hand "))
        field = tuple(str(card) for card in cards.get("field", ()))
        played = GAMES[rules.game].round(rules, Deal(hands, field, cards.get("stock", ())), **situation)
        for player, *words in moves:
            played.push(played.read_move(int(player), words), unchecked=True)
    except (ValueError, IndexError, KeyError, TypeError, RecursionError) as error:
        raise BadRequestError(f"this is no round in text form: {quote(text[:60])} ({error})") from None
    return played


def _read_numbers(text: str) -> Any:
    return tuple(map(int, text.split(","))) if "," in text else int(text)
