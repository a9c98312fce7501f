"""The data of each event type as a model: its keys, their types, and their limits.

Only new events are checked. A game's round class declares further keys of a deal (`Round.situation_keys`,
`Round.deal_keys`); limits that depend on the number of players are checked with the context of a validation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Final, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic_core import ErrorDetails

from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest, quote
from companion.hanafuda.registry import GAMES
from companion.hanafuda.validation import whole_number
from companion.names import MAX_NAME
from companion.table.effective import CONTROLS, GAME
from companion.table.events import KINDS, NewEvent, Verdict
from companion.table.parsing import (
    read_name,
    read_player_id,
    read_player_ids,
    read_players,
    read_rules,
)

_MAX_CARDS: Final = 100
"""Cards in one list: twice the largest pack. The rules of a game decide which cards it accepts."""
_MAX_WORD: Final = 40
"""Characters of a card id or of another word of a move; the longest id has 20."""
_MAX_WORDS: Final = 60
"""Words of a move; the longest shows a hand of 40 cards."""
_MAX_SENTENCE: Final = 4000
"""Characters of a sentence; the longest names every card of a pack and its zone."""
_MAX_PARAMS: Final = 10
_MAX_CARDS_IN_MESSAGE: Final = 50
_MAX_MESSAGE_DEPTH: Final = 40
"""Nesting of messages. Sequences of moves are nested; a turn may follow passes of all other players."""
_MESSAGE_CODE: Final = re.compile(r"[a-z][a-z0-9-]{0,79}")
_MAX_TEXT: Final = 400
"""Characters of a picture's name, which may be the path of a file, and of other short texts."""
_MAX_CHOICES: Final = 20
"""Answers of a question; a referee gives at most one for each seat and a few more."""
_MAX_CHOSEN: Final = 200
"""Events that follow an answer; a new reading of the deal corrects at most every event of its round."""
_MAX_YAKU: Final = 40
"""Yaku of one player; no game has more."""
_MAX_CALLS: Final = 20
_MAX_POINTS: Final = 100_000
_MAX_OTHERS: Final = 40
"""Alternatives of a move, as many as are offered for a correction."""
_SHOULD: Final = re.compile(r"^\w+ should")
"""How the messages of pydantic begin."""
_CHOSEN: Final = frozenset(GAME | CONTROLS | {"noticed", "settled"})
"""Event types that may follow an answer; not a further question."""


# --- values


def _players(info: ValidationInfo) -> int:
    return int(info.context["players"])  # type: ignore[index]  # `_check` always gives a context


def _seat(value: int, info: ValidationInfo) -> int:
    return whole_number(value, info.field_name or "seat", 1, _players(info))


def _one_per_player(value: Sequence[Any], info: ValidationInfo) -> Sequence[Any]:
    players = _players(info)
    if len(value) != players:
        raise BadRequestError(
            f"{info.field_name} must have {players} entries, one per player, not {len(value)}"
        )
    return value


def _up_to_players(value: Sequence[Any], info: ValidationInfo) -> Sequence[Any]:
    if len(value) > _players(info):
        raise BadRequestError(f"{info.field_name} must name at most {_players(info)} seats, not {len(value)}")
    return value


def _by_seat(value: Mapping[str, Any], info: ValidationInfo) -> Mapping[str, Any]:
    for seat in value:
        if seat not in map(str, range(1, _players(info) + 1)):
            raise BadRequestError(f"hands has no {quote(seat)}: seats are 1 to {_players(info)}")
    return value


def _situation(high: int) -> Any:
    """Return the type of a number up to `high`, or a list with one for each player."""

    def check(value: Any, info: ValidationInfo) -> Any:
        key = str(info.field_name)
        if isinstance(value, list | tuple):
            for each in _up_to_players(value, info):
                whole_number(each, key, -high, high)
        elif value is not None:
            whole_number(value, key, -high, high)
        return value

    return Annotated[Any, AfterValidator(check)]


def _accepted_by(read: Callable[[Any], object]) -> AfterValidator:
    """Return the validator of a value that a function reads, or refuses with a `BadRequestError`."""

    def check(value: Any) -> Any:
        read(value)
        return value

    return AfterValidator(check)


def _player_ids(value: Any, info: ValidationInfo) -> Any:
    read_player_ids({"player_ids": value}, _players(info))
    return value


def _sentence(value: Any, info: ValidationInfo) -> Any:
    """Check a message (code and params) or a text by language."""
    if not _is_text_by_language(value) and not _is_message(value, depth=0):
        raise BadRequestError(
            f'{info.field_name} must be a message like {{"code": …, "params": …}} with texts of up to {_MAX_SENTENCE}'
            f" characters, not {quote(value)}"
        )
    return value


def _is_text_by_language(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and set(value) == {"en", "ja"}
        and all(isinstance(each, str) and len(each) <= _MAX_SENTENCE for each in value.values())
    )


def _is_message(value: Any, depth: int) -> bool:
    """Return whether a value is the JSON of a `companion.hanafuda.messages.Message` of bounded size."""
    if depth > _MAX_MESSAGE_DEPTH or not isinstance(value, Mapping) or not set(value) <= {"code", "params"}:
        return False
    params = value.get("params", {})
    return (
        isinstance(value.get("code"), str)
        and _MESSAGE_CODE.fullmatch(value["code"]) is not None
        and isinstance(params, Mapping)
        and len(params) <= _MAX_PARAMS
        and all(isinstance(name, str) and _is_param(each, depth + 1) for name, each in params.items())
    )


def _is_param(value: Any, depth: int) -> bool:
    if isinstance(value, str):
        return len(value) <= _MAX_SENTENCE
    if isinstance(value, list | tuple):
        return len(value) <= _MAX_CARDS_IN_MESSAGE and all(_is_param(each, depth) for each in value)
    return isinstance(value, int | float) or _is_text_by_language(value) or _is_message(value, depth)


Seat: TypeAlias = Annotated[int, AfterValidator(_seat)]
EventNumber: TypeAlias = Annotated[int, Field(ge=1)]
Month: TypeAlias = Annotated[int, Field(ge=1, le=12)]
Label: TypeAlias = Annotated[str, Field(max_length=2 * MAX_NAME)]
ShortText: TypeAlias = Annotated[str, Field(max_length=_MAX_TEXT)]
Likelihood: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Word: TypeAlias = Annotated[str, Field(max_length=_MAX_WORD)]
Words: TypeAlias = Annotated[Sequence[Word], Field(min_length=1, max_length=_MAX_WORDS)]
Cards: TypeAlias = Annotated[Sequence[Word], Field(max_length=_MAX_CARDS)]
HiddenCards: TypeAlias = Annotated[Sequence[Word | None], Field(max_length=_MAX_CARDS)]
Seats: TypeAlias = Annotated[Sequence[Seat], Field(min_length=1), AfterValidator(_up_to_players)]
Sentence: TypeAlias = Annotated[Any, AfterValidator(_sentence)]


# --- events


class EventData(BaseModel):
    """The data of an event; a key that it does not have is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _Origin(EventData):
    """What any event has besides its data."""

    confidence: Likelihood
    evidence: ShortText | None


class _Of(EventData):
    of: EventNumber


class _Opened(EventData):
    id: Label | None = None
    night: Label | None = None
    name: Label | None = None
    game: Label
    rules: Any = None  # `read_rules` checks every option
    rules_name: Label | None = None
    players: Any  # `read_players` checks the names
    player_ids: Annotated[Any, AfterValidator(_player_ids)] = None
    deck: Label | None = None


class _Seated(EventData):
    seat: Seat
    name: Annotated[Any, _accepted_by(read_name)] = None
    player_id: Annotated[Any, _accepted_by(read_player_id)] = None


class _RulesChanged(EventData):
    rules: Any  # `read_change` checks the options
    rules_name: Label | None = None


class _Dealt(EventData):
    dealer: Seat | None = None
    dealer_in_turn: bool | None = None
    month: Month | None = None
    unchecked: bool | None = None


class _Began(EventData):
    dealer: Seat


class _Other(EventData):
    words: Words
    p: Likelihood


class _Moved(EventData):
    player: Seat
    words: Words
    others: Annotated[Sequence[_Other], Field(max_length=_MAX_OTHERS)] | None = None
    unchecked: bool | None = None
    order: Likelihood | None = None

    @model_validator(mode="after")
    def _check_order(self) -> _Moved:
        if self.order is not None and self.words[0] != "draw":
            raise BadRequestError(
                f"order belongs to the draw of a turn, not to {quote(' '.join(self.words))}: leave it out"
            )
        return self


class _TableSet(EventData):
    field: Cards
    captured: Annotated[Sequence[Cards], AfterValidator(_one_per_player)]
    to_move: Seat


class _SeatResult(EventData):
    points: Annotated[int, Field(ge=-_MAX_POINTS, le=_MAX_POINTS)] | None = None
    yaku: (
        Annotated[dict[Word, Annotated[int, Field(ge=0, le=_MAX_CARDS)]], Field(max_length=_MAX_YAKU)] | None
    ) = None
    calls: Annotated[int, Field(ge=0, le=_MAX_CALLS)] | None = None
    captured: Cards | None = None
    paid: Annotated[int, Field(ge=0, le=_MAX_POINTS)] | None = None
    out: bool | None = None


class _Scored(EventData):
    new_round: bool | None = None
    dealer: Seat | None = None
    month: Month | None = None
    how: Label | None = None
    winners: Annotated[Sequence[Seat], AfterValidator(_up_to_players)] | None = None
    seats: Annotated[Sequence[_SeatResult], AfterValidator(_one_per_player)] | None = None


class _Empty(EventData):
    pass


class _Corrected(_Of):
    kind: Any  # null deletes the event, which must be explicit
    data: Any = None

    @model_validator(mode="after")
    def _check_content(self, info: ValidationInfo) -> _Corrected:
        if self.kind == "opened":
            _check(self.kind, self.data or {}, info.context)
            if len(read_players(self.data, read_rules(self.data))) != _players(info):
                raise BadRequestError(
                    f"{_players(info)} play at this table: open a new one for more or fewer"
                )
        elif self.kind is not None or self.data not in (None, {}):
            _check_inner("corrected", self.kind, self.data, GAME, info)
        return self


class _Inserted(EventData):
    before: EventNumber
    kind: Any
    data: Any = None

    @model_validator(mode="after")
    def _check_content(self, info: ValidationInfo) -> _Inserted:
        _check_inner("inserted", self.kind, self.data, GAME, info)
        return self


class _Pictures(EventData):
    before: ShortText | None = None
    after: ShortText | None = None


class _Noticed(EventData):
    code: Label | None = None
    message: Sentence
    pictures: _Pictures | None = None
    cards: Cards | None = None


class _ChosenEvent(EventData):
    kind: Any
    data: Any = None

    @model_validator(mode="after")
    def _check_content(self, info: ValidationInfo) -> _ChosenEvent:
        _check_inner("a choice", self.kind, self.data, _CHOSEN, info)
        return self


class _Answer(EventData):
    says: Sentence
    p: Likelihood | None = None
    events: Annotated[Sequence[_ChosenEvent], Field(max_length=_MAX_CHOSEN)] = ()


class _Asked(EventData):
    text: Sentence
    choices: Annotated[Sequence[_Answer], Field(max_length=_MAX_CHOICES)]
    picture: ShortText | None = None


class _Answered(_Of):
    choice: Annotated[int, Field(ge=0)] | None = None


class _Disputed(_Of):
    seat: Seat | None = None
    text: ShortText | None = None


class _Agreed(_Of):
    seats: Seats
    verdict: Verdict


class _Ruled(_Of):
    verdict: Verdict
    text: ShortText | None = None


class _OddsAgreed(EventData):
    seats: Seats
    agrees: bool


_MODELS: Final[Mapping[str, type[EventData]]] = {
    "opened": _Opened,
    "seated": _Seated,
    "rules_changed": _RulesChanged,
    "dealt": _Dealt,
    "began": _Began,
    "moved": _Moved,
    "set": _TableSet,
    "scored": _Scored,
    "abandoned": _Empty,
    "undone": _Of,
    "corrected": _Corrected,
    "inserted": _Inserted,
    "noticed": _Noticed,
    "settled": _Of,
    "asked": _Asked,
    "answered": _Answered,
    "disputed": _Disputed,
    "agreed": _Agreed,
    "ruled": _Ruled,
    "odds": _OddsAgreed,
    "closed": _Empty,
    "removed": _Empty,
}

_DEAL: Final[Mapping[str, Any]] = {
    "hands": Annotated[dict[str, HiddenCards | None], AfterValidator(_by_seat)],
    "field": Cards,
    "stock": HiddenCards,
}
"""The keys that the deals of several games have; any other one that a game declares names a seat."""


@cache
def _models(game: str) -> Mapping[str, type[EventData]]:
    """Return the models of a game's events, by event type."""
    played = GAMES[game].round
    situation: dict[str, Any] = {key: (_situation(high), None) for key, high in played.situation_keys.items()}
    keys: dict[str, Any] = {key: (_DEAL.get(key, Seat) | None, None) for key in sorted(played.deal_keys)}
    deal: Any = create_model("Deal", __base__=EventData, **keys) | None
    return {
        **_MODELS,
        "dealt": create_model("Dealt", __base__=_Dealt, deal=(deal, None), **situation),
        "scored": create_model("Scored", __base__=_Scored, **situation),
    }


def keys_of(event_type: str) -> list[str]:
    """Return the keys that the data of an event type has in every game."""
    return [*_MODELS[event_type].model_fields, *(["deal"] if event_type == "dealt" else [])]


def check_event(new: NewEvent, players: int, game: str) -> None:
    """Raise `BadRequestError` for an event that violates its type's schema; whether it fits the table is not checked."""
    _validate("the event", _Origin, {"confidence": new.confidence, "evidence": new.evidence}, None)
    _check(new.kind, new.data, {"players": players, "game": game})


def _check(event_type: object, data: object, context: Any) -> None:
    """Check the data of an event; ``context`` has the number of ``players`` and the ``game``."""
    if not isinstance(event_type, str) or event_type not in KINDS:
        hint = did_you_mean(nearest(event_type, KINDS)[:1])
        raise BadRequestError(f"there is no event {quote(event_type)}{hint}")
    if not isinstance(data, Mapping):
        raise BadRequestError(f"the data of {event_type} must be an object, not {quote(data)}")
    _validate(event_type, _models(context["game"])[event_type], data, context)


def _check_inner(
    event_type: str, inner: object, data: object, allowed: frozenset[str], info: ValidationInfo
) -> None:
    """Check an event that is part of another one."""
    if not isinstance(inner, str) or inner not in allowed:
        names = ", ".join(sorted(allowed))
        raise BadRequestError(f"{event_type} must contain one of {names}, not {quote(inner)}")
    _check(inner, {} if data is None else data, info.context)


def _validate(what: str, model: type[EventData], data: Mapping[str, Any], context: Any) -> None:
    try:
        model.model_validate(dict(data), context=context)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        # A key that does not exist is usually a misspelled one, and explains which one is missing.
        first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
        raise _refusal(what, first, model.model_fields) from None


def _refusal(what: str, error: ErrorDetails, keys: Iterable[str]) -> BadRequestError:
    """Return an error of a validation for people; ``keys`` are those of the whole."""
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, BadRequestError):
        return cause
    path = [str(each) for each in error["loc"]]
    if error["type"] == "extra_forbidden":
        known = f"; it has {', '.join(keys)}" if keys else "; its data is empty"
        hint = (did_you_mean(nearest(path[-1], keys)[:1]) or known) if len(path) == 1 else ""
        return BadRequestError(f"{'.'.join((what, *path[:-1]))} has no {quote(path[-1])}{hint}")
    if error["type"] == "missing":
        return BadRequestError(f"{'.'.join((what, *path[:-1]))} must have {path[-1]}")
    must = "must be an object" if error["type"] == "model_type" else _SHOULD.sub("must", error["msg"])
    return BadRequestError(f"{'.'.join((what, *path))} {must}, not {quote(error['input'])}")
