"""Score requests: a JSON request in, a JSON result out.

Command line, server and log all call `score_request`; none of them computes points itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from .description import CardScorer, Game
from .errors import BadRequestError, UnknownGameError, quote
from .messages import Message
from .registry import GAMES
from .round import Round
from .rules import PRESETS, Rules, resolve
from .validation import only_keys

__all__ = [
    "games",
    "pile_games",
    "rules_for_pile",
    "rules_to_score",
    "score_request",
    "scored_games",
]


@cache
def scored_games() -> Mapping[str, CardScorer]:
    """Return the scorers of the games whose cards can be scored without a round, by slug."""
    return {slug: game.scorer for slug, game in GAMES.items() if game.scorer is not None}


def pile_games() -> list[str]:
    """Return the games in which a pile of captured cards scores points."""
    return [slug for slug, scorer in scored_games().items() if scorer.cards == "pile"]


def games() -> list[dict[str, Any]]:
    """Return the games as JSON: each with its yaku and the presets of its rules.

    `pile` says whether a pile of captured cards, as in a picture, can be scored; `odds`, whether the probability of winning a round
    can be computed.
    """
    return [_game(game) for game in GAMES.values()]


def _game(game: Game) -> dict[str, Any]:
    scorer = game.scorer
    return {
        "game": game.slug,
        "names": game.title.to_dict(),
        "pile": scorer is not None and scorer.cards == "pile",
        "asks": [] if scorer is None else list(scorer.inputs),
        "yaku": {} if scorer is None else {name: dict(names) for name, names in scorer.yaku.items()},
        "players": {"fewest": game.seats[0], "most": game.seats[1], "usual": game.usual_seats},
        "months": game.has_months,
        "odds": game.round.filled is not Round.filled,
        "unit": game.unit.to_dict(),
        "entry": game.entry.to_dict(),
        "board": game.board.to_dict(),
        "presets": [
            {
                "name": name,
                "hash": PRESETS[name].hash,
                "sentence": sentence.to_dict(),
                "options": PRESETS[name].describe(),
            }
            for name, (sentence, _) in game.rules.presets.items()
        ],
    }


def score_request(request: Mapping[str, Any]) -> dict[str, Any]:
    """Score a request of the contract's ``score`` and return its result.

    Raises `BadRequestError` with a message that says what was received and what to do.
    """
    if not isinstance(request, Mapping):
        raise BadRequestError(f"a request is a JSON object, not {quote(request)}")
    if request.get("game", "") is None:
        raise UnknownGameError(None, scored_games())
    if "game" not in request:
        raise BadRequestError(Message("problem-no-game", {"games": ", ".join(scored_games())}))
    rules = rules_to_score(request.get("rules"), request["game"])
    scorer = scored_games()[rules.game]
    only_keys(request, dict.fromkeys((*_OF_ANY_GAME, *scorer.inputs)), "the request")
    if "captured" not in request:
        raise BadRequestError(Message("problem-no-cards"))
    return scorer.score(request, rules)


def rules_to_score(rules: str | Mapping[str, Any] | Rules | None, game: object = None) -> Rules:
    """Return the rules of a request, for a game whose cards can be scored.

    The game may be omitted if the rules name it; otherwise it is the default game. If the rules belong to another
    form of the game, that form is scored.
    """
    return _rules_of(rules, game, scored_games())


def rules_for_pile(rules: str | Mapping[str, Any] | Rules | None, game: object = None) -> Rules:
    """Return the rules for scoring a picture of captured cards; see `rules_to_score`."""
    return _rules_of(rules, game, pile_games())


def _rules_of(rules: str | Mapping[str, Any] | Rules | None, game: object, known: Iterable[str]) -> Rules:
    if game is not None and (not isinstance(game, str) or game not in GAMES):
        raise UnknownGameError(game, known)
    resolved = resolve(rules, game)
    for each in (game, resolved.game):
        if each is not None and each not in known:
            raise UnknownGameError(each, known, "problem-game-not-scored")
    return resolved


_OF_ANY_GAME = ("game", "rules", "captured", "month", "field")
"""The keys that the contract allows in every request; a game that does not use month or field ignores them."""
