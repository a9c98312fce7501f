"""One scorer for everyone: a request as JSON has it in, the answer as JSON has it out.

Command line, server and log all call `score_request`; none of them adds up points itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from companion.hanafuda.cards import CardTwiceError, from_bits, to_bits
from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest, shown
from companion.hanafuda.games import kekoro, kingo, koikoi
from companion.hanafuda.rules import (
    PRESET_TEXTS,
    PRESETS,
    RECORDS,
    KekoroRules,
    KingoBankRules,
    KingoRules,
    KoiKoiRules,
    Rules,
    resolve,
)
from companion.hanafuda.validation import whole_number

__all__ = [
    "GAMES",
    "PILES",
    "ScoredGame",
    "UnknownGameError",
    "games",
    "rules_for_pile",
    "rules_to_score",
    "score_request",
]


class UnknownGameError(BadRequestError):
    """Raised for a game whose cards this version does not score; `known` are those it does."""

    code: ClassVar[str] = "unknown-game"

    def __init__(self, wanted: object, known: Iterable[str], what: str = "the game") -> None:
        known = list(known)
        games = ", ".join(f"{RECORDS[slug].title.en} ({slug})" for slug in known)
        hint = did_you_mean(nearest(wanted, known)[:1])
        super().__init__(f"cannot score {what} {shown(wanted)}: this version scores {games}{hint}")


@dataclass(frozen=True, slots=True)
class ScoredGame:
    """A game whose captured cards, or hand, can be scored."""

    cards: Literal["pile", "hand"]
    """Whether a player's captured cards are scored, as a picture shows them, or a hand."""
    asks: tuple[str, ...]
    """What a request may tell besides the game, its rules and the cards."""
    yaku: Mapping[str, Mapping[str, str]]
    """What the yaku are called (en, ja, romaji) and where they come from, by slug."""
    score: Callable[[Mapping[str, Any], Rules], dict[str, Any]]


def games() -> list[dict[str, Any]]:
    """Return the games, as JSON has them: each with its yaku and the presets of its rules.

    `pile` says whether a pile of captured cards, as in a picture, can be scored.
    """
    return [
        {
            "game": slug,
            "names": record.title.to_dict(),
            "pile": slug in PILES,
            "asks": list(GAMES[slug].asks) if slug in GAMES else [],
            "yaku": {name: dict(told) for name, told in GAMES[slug].yaku.items()} if slug in GAMES else {},
            "presets": [
                {
                    "name": name,
                    "hash": PRESETS[name].hash,
                    "sentence": PRESET_TEXTS[name].to_dict(),
                    "options": PRESETS[name].describe(),
                }
                for name in record.presets
            ],
        }
        for slug, record in RECORDS.items()
    ]


def score_request(request: Mapping[str, Any]) -> dict[str, Any]:
    """Score a request of the contract's ``score`` and return its answer.

    Raises a `BadRequestError` whose text says what was seen and what to do.
    """
    if not isinstance(request, Mapping):
        raise BadRequestError(f"a request is a JSON object, not {shown(request)}")
    if request.get("game", "") is None:
        raise UnknownGameError(None, GAMES)
    if "game" not in request:
        raise BadRequestError(f'the request names no game: add "game", one of {", ".join(GAMES)}')
    rules = rules_to_score(request.get("rules"), request["game"])
    game = GAMES[rules.game]
    _only_keys(request, dict.fromkeys((*_OF_ANY_GAME, *game.asks)), "the request")
    if "captured" not in request:
        raise BadRequestError('the request names no cards: add "captured", a list of card ids')
    return game.score(request, rules)


def rules_to_score(rules: str | Mapping[str, Any] | Rules | None, game: object = None) -> Rules:
    """Return the rules that a request names, of a game whose cards can be scored.

    The game may be left out where the rules tell it, and is Koi-Koi where they do not. Rules of Kingo's banking
    form make a request for Kingo one for that form.
    """
    return _rules_of(rules, game, GAMES, "the game")


def rules_for_pile(rules: str | Mapping[str, Any] | Rules | None, game: object = None) -> Rules:
    """Return the rules by which a picture of captured cards is to be scored; see `rules_to_score`."""
    return _rules_of(rules, game, PILES, "a pile of")


def _rules_of(
    rules: str | Mapping[str, Any] | Rules | None, game: object, known: Iterable[str], what: str
) -> Rules:
    if game is not None and (not isinstance(game, str) or game not in known):
        raise UnknownGameError(game, known, what)
    resolved = resolve(rules, game)
    if resolved.game not in known:
        raise UnknownGameError(resolved.game, known, what)
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
        month=None if (month := request.get("month")) is None else whole_number(month, "month", 1, 12),
        field=on_field,
        own_calls=_calls(calls, "own"),
        opponent_calls=_calls(calls, "opponent"),
    )
    return koikoi.to_dict(koikoi.score(pile, rules, situation))


def _score_kekoro(request: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    assert isinstance(rules, KekoroRules)
    return kekoro.to_dict(kekoro.score(_cards(request["captured"], "captured"), rules))


def _score_kingo(request: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    assert isinstance(rules, KingoRules | KingoBankRules)
    hand, role = request["captured"], request.get("role") or "bettor"
    if not isinstance(hand, list | tuple):
        raise BadRequestError(f"captured must be a list of card ids, not {shown(hand)}")
    if role not in _ROLES:
        raise BadRequestError(f"role must be {' or '.join(_ROLES)}, not {shown(role)}")
    return kingo.score_hand(hand, rules, role).to_dict()


_ROLES: tuple[kingo.Role, ...] = ("bettor", "dealer")


_OF_ANY_GAME = ("game", "rules", "captured", "month", "field")
"""What the contract lets every request tell; a game that does not ask for month or field passes them over."""


def _only_keys(record: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    for key in record:
        if key not in known:
            hint = did_you_mean(nearest(key, known)[:1]) or f"; it takes {', '.join(known)}"
            raise BadRequestError(f"{where} has an unknown key {shown(key)}{hint}")


def _cards(value: Any, key: str) -> int:
    if not isinstance(value, list | tuple):
        raise BadRequestError(f"{key} must be a list of card ids, not {shown(value)}")
    return to_bits(value)


def _calls(calls: Mapping[str, Any], whose: str) -> int:
    told = calls.get(whose)
    return 0 if told is None else whole_number(told, f"calls.{whose}", 0)


def _told(yaku: Iterable[koikoi.Yaku | kekoro.Yaku | kingo.Rank]) -> dict[str, dict[str, str]]:
    return {
        each.slug: {"en": each.en, "ja": each.ja, "romaji": each.romaji, "source": each.source}
        for each in yaku
    }


_POT_TEYAKU = [rank for rank in kingo.POT_RANKS if rank.teyaku]

GAMES: Mapping[str, ScoredGame] = {
    "koikoi": ScoredGame("pile", ("month", "field", "calls"), _told(koikoi.YAKU.values()), _score_koikoi),
    "kekoro": ScoredGame("pile", (), _told(kekoro.YAKU.values()), _score_kekoro),
    "kingo": ScoredGame("hand", (), _told(_POT_TEYAKU), _score_kingo),
    "kingo-bank": ScoredGame("hand", ("role",), _told(kingo.TEYAKU.values()), _score_kingo),
}
"""The games whose cards can be scored."""
PILES = tuple(slug for slug, game in GAMES.items() if game.cards == "pile")
"""Those in which captured cards make points. In Kingo a hand does, and in Kakkuri no cards do."""
