"""One scorer for everyone: a request as JSON has it in, the answer as JSON has it out.

Command line, server and log all call `score_request`; none of them adds up points itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from companion import kekoro, koikoi
from companion.cards import CardTwiceError, from_bits, to_bits
from companion.errors import BadRequestError, did_you_mean, nearest, shown
from companion.rules import PRESET_TEXTS, PRESETS, RECORDS, KekoroRules, KoiKoiRules, Rules, Text, resolve

__all__ = ["GAMES", "ScoredGame", "UnknownGameError", "games", "rules_to_score", "score_request"]


class UnknownGameError(BadRequestError):
    """Raised for a game whose cards this version does not score."""

    code: ClassVar[str] = "unknown-game"

    def __init__(self, wanted: object) -> None:
        games = ", ".join(f"{game.names.en} ({slug})" for slug, game in GAMES.items())
        hint = did_you_mean(nearest(wanted, GAMES)[:1])
        super().__init__(f"cannot score the game {shown(wanted)}: this version scores {games}{hint}")


@dataclass(frozen=True, slots=True)
class ScoredGame:
    """A game whose captured cards, or hand, can be scored."""

    names: Text
    asks: tuple[str, ...]
    """What a request may tell besides the game, its rules and the cards."""
    yaku: Mapping[str, Mapping[str, str]]
    """What the yaku are called (en, ja, romaji) and where they come from, by slug."""
    score: Callable[[Mapping[str, Any], Rules], dict[str, Any]]


def games() -> list[dict[str, Any]]:
    """Return what can be scored, as JSON has it: each game with its yaku and the presets of its rules."""
    return [
        {
            "game": slug,
            "names": game.names.to_dict(),
            "asks": list(game.asks),
            "yaku": {name: dict(told) for name, told in game.yaku.items()},
            "presets": [
                {
                    "name": name,
                    "hash": PRESETS[name].hash,
                    "sentence": PRESET_TEXTS[name].to_dict(),
                    "options": PRESETS[name].describe(),
                }
                for name in RECORDS[slug].presets
            ],
        }
        for slug, game in GAMES.items()
    ]


def score_request(request: Mapping[str, Any]) -> dict[str, Any]:
    """Score a request of the contract's ``score`` and return its answer.

    Raises a `BadRequestError` whose text says what was seen and what to do.
    """
    if not isinstance(request, Mapping):
        raise BadRequestError(f"a request is a JSON object, not {shown(request)}")
    if request.get("game", "") is None:
        raise UnknownGameError(None)
    if "game" not in request:
        raise BadRequestError(f'the request names no game: add "game", one of {", ".join(GAMES)}')
    rules = rules_to_score(request.get("rules"), request["game"])
    game = GAMES[rules.game]
    _only_keys(request, ("game", "rules", "captured", *game.asks), "the request")
    if "captured" not in request:
        raise BadRequestError('the request names no cards: add "captured", a list of card ids')
    return game.score(request, rules)


def rules_to_score(rules: str | Mapping[str, Any] | Rules | None, game: object = None) -> Rules:
    """Return the rules that a request names, of a game whose cards can be scored.

    The game may be left out where the rules tell it, and is Koi-Koi where they do not. Rules of Kingo's banking
    form make a request for Kingo one for that form.
    """
    if game is not None and (not isinstance(game, str) or game not in GAMES):
        raise UnknownGameError(game)
    resolved = resolve(rules, game)
    if resolved.game not in GAMES:
        raise UnknownGameError(resolved.game)
    return resolved


def _score_koikoi(request: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    assert isinstance(rules, KoiKoiRules)
    pile = _cards(request["captured"], "captured")
    field = request.get("field")
    on_field = None if field is None else _cards(field, "field")
    if on_field and (both := pile & on_field):
        raise CardTwiceError(from_bits(both)[0].id, "both in the pile and on the field")
    calls = request.get("calls") or {}
    if not isinstance(calls, Mapping):
        raise BadRequestError(f'calls must be an object like {{"own": 1, "opponent": 0}}, not {shown(calls)}')
    _only_keys(calls, ("own", "opponent"), "calls")
    situation = koikoi.Situation(
        month=_month(request.get("month")),
        field=on_field,
        own_calls=_count(calls.get("own"), "calls.own"),
        opponent_calls=_count(calls.get("opponent"), "calls.opponent"),
    )
    return koikoi.to_dict(koikoi.score(pile, rules, situation))


def _score_kekoro(request: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    assert isinstance(rules, KekoroRules)
    return kekoro.to_dict(kekoro.score(_cards(request["captured"], "captured"), rules))


def _only_keys(record: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in record:
        if key not in known:
            hint = did_you_mean(nearest(key, known)[:1]) or f"; it takes {', '.join(known)}"
            raise BadRequestError(f"{where} has an unknown key {shown(key)}{hint}")


def _cards(value: Any, key: str) -> int:
    if not isinstance(value, list | tuple):
        raise BadRequestError(f"{key} must be a list of card ids, not {shown(value)}")
    return to_bits(value)


def _month(value: Any) -> int | None:
    if value is None or (_is_whole(value) and 1 <= value <= 12):
        return value  # type: ignore[no-any-return]  # checked on the line above
    raise BadRequestError(f"month must be a whole number from 1 to 12, not {shown(value)}")


def _count(value: Any, key: str) -> int:
    if value is None:
        return 0
    if _is_whole(value) and value >= 0:
        return int(value)
    raise BadRequestError(f"{key} must be a whole number, 0 or more, not {shown(value)}")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _told(yaku: Iterable[koikoi.Yaku | kekoro.Yaku]) -> dict[str, dict[str, str]]:
    return {
        each.slug: {"en": each.en, "ja": each.ja, "romaji": each.romaji, "source": each.source}
        for each in yaku
    }


GAMES: Mapping[str, ScoredGame] = {
    "koikoi": ScoredGame(
        Text("Koi-Koi", "こいこい"), ("month", "field", "calls"), _told(koikoi.YAKU.values()), _score_koikoi
    ),
    "kekoro": ScoredGame(Text("Kekoro", "ケコロ"), (), _told(kekoro.YAKU.values()), _score_kekoro),
}
"""The games whose cards can be scored."""
