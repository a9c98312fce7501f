"""Read the parts of a round record that all games have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from ..description import RoundReport
from ..errors import BadRequestError, UnknownGameError, did_you_mean, nearest, quote
from ..registry import GAMES
from ..round import Round
from ..round_results import read_report
from ..rules import Rules, resolve

__all__ = ["Record", "Result", "as_record", "without_repeated_cards"]

_NEEDED = ("game", "deal", "turns")
_KEYS = (*_NEEDED, "rules", "players", "dealer", "result", "scored")
_MIN_SIMILARITY = 0.82
"""The similarity at which an unknown key is taken for a misspelled one; "result_of" is not "result"."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result in a record: the winners, and the points of each player; None if not recorded."""

    winners: tuple[int, ...] | None
    points: Mapping[int, int] | None


@dataclass(frozen=True, slots=True)
class Record:
    """A round record that has been read, except its turns."""

    round: Round[Any, Any, Any]
    """The round as it was dealt."""
    turns: Sequence[Any]
    result: Result | None
    scored: RoundReport | None = None
    """The report of the result, if the moves that lead to it are not recorded."""


def as_record(value: Any, rules: Rules | None = None) -> Record:
    """Read a record; `rules` apply if it names none.

    Raises `BadRequestError` if it is not a round record, and for a misspelled key.
    """
    if not isinstance(value, Mapping):
        hint = ": write each round of the list on a line of its own" if isinstance(value, list) else ""
        raise BadRequestError(f"a round record is a JSON object, not {quote(value)}{hint}")
    for key in _NEEDED:
        if key not in value:
            near = nearest(key, map(str, value))
            raise BadRequestError(f'the record has no "{key}"' + (f"; is it {near[0]}?" if near else ""))
    game = value["game"]
    if not isinstance(game, str) or game not in GAMES:
        raise UnknownGameError(game, GAMES)
    if rules is not None and value.get("rules") is None:
        value = {**value, "rules": rules}
    dealt = GAMES[resolve(value.get("rules"), game).game].round.from_record(value)
    _refuse_misspelt(value, {*_KEYS, *dealt.situation()})
    if not isinstance(value["turns"], list):
        raise BadRequestError(f"turns must be a list of turns, not {quote(value['turns'])}")
    scored = value.get("scored")
    if scored is not None and not isinstance(scored, Mapping):
        raise BadRequestError(f"scored must be an object with winners and seats, not {quote(scored)}")
    report = None if scored is None else read_report(scored, dealt.players)
    return Record(dealt, value["turns"], _result(value.get("result"), dealt.players), report)


def _refuse_misspelt(record: Mapping[str, Any], known: set[str]) -> None:
    missing = [key for key in known if key not in record]
    for key in record:
        if key not in known and (
            similar := get_close_matches(str(key), missing, n=1, cutoff=_MIN_SIMILARITY)
        ):
            raise BadRequestError(f"the record has an unknown key {quote(key)}{did_you_mean((similar[0],))}")


def _result(value: Any, players: int) -> Result | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise BadRequestError(f"result must be an object with winner and points, not {quote(value)}")
    winners = _winners(value["winner"], players) if "winner" in value else None
    points = _points(value["points"], players) if value.get("points") is not None else None
    return Result(winners, points) if winners is not None or points is not None else None


def _winners(value: Any, players: int) -> tuple[int, ...]:
    winners = [] if value is None else value if isinstance(value, list) else [value]
    for player in winners:
        if not _is_whole(player) or not 1 <= player <= players:
            raise BadRequestError(
                "result.winner must be a player's number, null for nobody or a list of numbers"
                f" where several win, not {quote(value)}"
            )
    return tuple(sorted(winners))


def _points(value: Any, players: int) -> dict[int, int]:
    seats = {str(player): player for player in range(1, players + 1)}
    if not isinstance(value, Mapping):
        raise BadRequestError(f'result.points must be an object like {{"1": 5, "2": 0}}, not {quote(value)}')
    for key, number in value.items():
        if key not in seats:
            raise BadRequestError(f"result.points names a player {quote(key)}; there are {', '.join(seats)}")
        if not _is_whole(number):
            raise BadRequestError(
                f"result.points of player {key} must be a whole number, not {quote(number)}"
            )
    return {seats[key]: number for key, number in value.items()}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def without_repeated_cards(dealt: Round[Any, Any, Any]) -> Round[Any, Any, Any] | None:
    """Return the round with every card hidden that its deal has more than once; None if there is no such card.

    If a card is recorded in two positions, its true position is unknown, so another card may be in either. Cards on the
    field stay, because they are face up.
    """
    deal = dealt.deal
    counts = Counter(card for cards in (*deal.hands, deal.field, deal.stock) for card in cards if card)
    if all(count == 1 for count in counts.values()):
        return None

    def once(cards: Iterable[str | None]) -> tuple[str | None, ...]:
        return tuple(card if card and counts[card] == 1 else None for card in cards)

    hidden = replace(deal, hands=tuple(map(once, deal.hands)), stock=once(deal.stock))
    situation: Mapping[str, Any] = dealt.situation()
    return type(dealt)(dealt.rules, hidden, dealer=dealt.dealer, **situation)
