"""The routes of players, claims of guests, and circles. Each change appends an event; see `companion.people`."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import replace
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode

from flask import Response, request
from pydantic import BeforeValidator, Field, StringConstraints

from api.access.who import who
from api.context import context
from api.models.base import (
    Answer,
    Name,
    PhotographIn,
    Strict,
    tidied,
)
from api.problems import refused
from api.routing import MediaType, Routes
from companion.hanafuda.errors import BadRequestError, ConflictError, NotFoundError
from companion.hanafuda.messages import Message
from companion.names import name_key
from companion.people.people import COLORS, EMOJI, Circle, Claim, PeopleEvent, PeopleKind, Player

_UNDOABLE: Final = frozenset(("hidden", "merged", "claimed", "confirmed", "circle", "circle_removed"))
_ID_BYTES: Final = 6
_YEAR_S: Final = 365 * 24 * 3600

PlayerId = Annotated[str, BeforeValidator(tidied), StringConstraints(min_length=1, max_length=40)]


class PeopleIn(Strict):
    """Which claims to list."""

    night: Annotated[
        str | None, Field(max_length=40, description="All claims of this night, not the open ones.")
    ] = None


class PlayerRefIn(Strict):
    """A player."""

    player: PlayerId


class PlayerIn(Strict):
    """A player's entry."""

    player: Annotated[PlayerId | None, Field(description="The player's id; null for a new player.")] = None
    name: Name
    color: Annotated[int, Field(ge=1, le=COLORS)] | None = None
    emoji: Annotated[str, StringConstraints(max_length=8)] | None = None
    keep_picture: Annotated[bool, Field(description="Whether the player's picture stays.")] = True


class PictureOfIn(PlayerRefIn):
    """Which picture to return."""

    v: Annotated[str | None, Field(max_length=40, description="The version; only for caches.")] = None


class MergeIn(PlayerRefIn):
    """Two spellings of one player."""

    into: Annotated[PlayerId, Field(description="The player who stays.")]


class EventIn(Strict):
    """An event about people."""

    event: Annotated[str, StringConstraints(max_length=20)]


class ClaimIn(PlayerRefIn):
    """The rounds of a guest in a night are those of a player."""

    name: Annotated[Name, Field(description="The guest's name at the table.")]


class CircleIn(Strict):
    """A circle's entry."""

    circle: Annotated[PlayerId | None, Field(description="The circle's id; null for a new one.")] = None
    name: Name
    players: Annotated[list[PlayerId], Field(max_length=200, description="The ids of the members.")]
    game: Annotated[str | None, Field(max_length=40)] = None
    rules: Annotated[str | None, Field(max_length=200, description="A name or a share code.")] = None


class CircleRemovedIn(Strict):
    """A circle to be removed."""

    circle: PlayerId


class MergedPlayerOut(Answer):
    """Another spelling of a player."""

    event: Annotated[str, Field(description="The event to undo, which separates the two again.")]
    player: str


class PlayerOut(Answer):
    """A player."""

    id: str
    name: str
    color: Annotated[int | None, Field(description=f"1 to {COLORS}; null if none was chosen.")]
    emoji: str | None
    picture: Annotated[str | None, Field(description="The address of the picture.")]
    hidden: Annotated[
        str | None,
        Field(description="The event to undo so that the player is offered again; null if offered."),
    ]
    nights: int
    rounds: int
    last: Annotated[str | None, Field(description="When the player last played.")]
    merged: list[MergedPlayerOut]


class PeopleOut(Answer):
    """The players, the most recent first; claims and circles."""

    players: list[PlayerOut]
    claims: list[Claim]
    circles: list[Circle]
    emoji: Annotated[list[str], Field(description="The emoji to choose from.")]
    colors: Annotated[Literal[8], Field(description="The number of colors.")]


class ChangedOut(Answer):
    """What was stored."""

    event: Annotated[str, Field(description="The id of the event, for undoing it.")]
    id: Annotated[str | None, Field(description="The id of the player or circle.")]


blueprint = Routes("people", __name__, tag="People")


@blueprint.get("/api/players")
def players(query_data: PeopleIn) -> PeopleOut:
    """List the players, the most recent first, the open claims of guests, and the circles."""
    roster = context().store.people.roster()
    played = {each.player: each for each in context().store.nights.played_by()}
    others = sorted((each for each in roster.players if each.id not in played), key=lambda each: each.name)
    night = query_data.night
    return PeopleOut(
        players=[
            PlayerOut(
                id=each.id,
                name=each.name,
                color=each.color,
                emoji=each.emoji,
                picture=_address(each),
                hidden=each.hidden,
                nights=played[each.id].nights if each.id in played else 0,
                rounds=played[each.id].rounds if each.id in played else 0,
                last=played[each.id].last if each.id in played else None,
                merged=[
                    MergedPlayerOut(event=merge.event, player=merge.player)
                    for merge in roster.merges
                    if roster.resolved(merge.into) == each.id
                ],
            )
            for each in (*map(roster.player, played), *others)
        ],
        claims=[
            replace(each, player=roster.resolved(each.player))
            for each in roster.claims
            if (not each.confirmed if night is None else each.night == night)
        ],
        circles=list(roster.circles),
        emoji=list(EMOJI),
        colors=COLORS,
    )


@blueprint.post(
    "/api/players",
    refusals={404: "No such player, night or circle", 409: "Another player has the name", **refused(507)},
)
def put_player(json_data: PlayerIn) -> ChangedOut:
    """Add a player, or change a player's name, color, emoji and picture. The rounds stay the player's."""
    name = json_data.name
    roster = context().store.people.roster()
    player = None if json_data.player is None else _player(json_data.player)
    others = {each.id: each for each in _known() if player is None or each.id != player.id}
    if any(name_key(each.name) == name_key(name) for each in others.values()):
        message = Message("problem-player-name-taken", {"name": name})
        raise ConflictError("player-name-taken", message)
    if player is None:
        # The name is the id unless somebody already had it once.
        new = roster.resolved(name) == name and name not in others
        player = Player(name if new else secrets.token_hex(_ID_BYTES), name)
    picture = player.picture if json_data.keep_picture else None
    return _store_player(
        replace(player, name=name, color=json_data.color, emoji=json_data.emoji, picture=picture)
    )


@blueprint.post("/api/players/picture", refusals={404: "No such player", **refused(500, 503, 507)})
def put_picture(query_data: PlayerRefIn, files_data: PhotographIn) -> ChangedOut:
    """Replace a player's picture. It is cut to a small square; nothing else of the file is stored."""
    player = _player(query_data.player)
    small = context().pictures.portrait(files_data.image)
    return _store_player(replace(player, picture=base64.b64encode(small).decode()))


@blueprint.get("/api/players/picture", refusals={404: "No such player, or one without a picture"})
def picture(query_data: PictureOfIn) -> Annotated[Response, MediaType("image/jpeg", "A JPEG")]:
    """Return a player's picture."""
    found = _player(query_data.player).picture
    if found is None:
        raise _unknown(query_data.player)
    response = Response(base64.b64decode(found), mimetype="image/jpeg")
    response.set_etag(_version(found))
    response.cache_control.private = True
    response.cache_control.max_age = _YEAR_S  # the address changes with the picture
    response.make_conditional(request)
    return response


@blueprint.post("/api/players/hide", refusals=refused(404, 507))
def hide(json_data: PlayerRefIn) -> ChangedOut:
    """Stop offering a player. The rounds stay in the log, and undoing the event brings the player back."""
    player = _player(json_data.player)
    return _changed("hidden", {"player": player.id}, player.id)


@blueprint.post("/api/players/merge", refusals=refused(404, 507))
def merge(json_data: MergeIn) -> ChangedOut:
    """Treat two players as one, such as two spellings of a name. Undoing the event separates them again."""
    player, into = _player(json_data.player), _player(json_data.into)
    if player.id == into.id:
        raise BadRequestError(Message("problem-same-player", {"name": player.name}))
    return _changed("merged", {"player": player.id, "into": into.id}, into.id)


@blueprint.post("/api/people/undo", refusals=refused(404, 507))
def undo(json_data: EventIn) -> ChangedOut:
    """Undo that a player was hidden or merged, that a guest's rounds were claimed, or a change of a circle."""
    events = context().store.people.events()
    if not any(each.id == json_data.event and each.kind in _UNDOABLE for each in events):
        raise _unknown(json_data.event)
    return _changed("undone", {"of": json_data.event})


@blueprint.post("/api/nights/<night_id>/claims", refusals=refused(507))
def claim(night_id: str, json_data: ClaimIn) -> ChangedOut:
    """Assign the rounds of a guest in a night to a player. From anybody but a host, the claim waits for a host's confirmation."""
    player = _player(json_data.player)
    games = context().store.nights.night(night_id).games
    guests = {
        name
        for game in games
        for name, known in zip(game.players, game.player_ids, strict=True)
        if known == ""
    }
    if json_data.name not in guests:
        raise _unknown(json_data.name)
    wanted, is_host = (night_id, json_data.name, player.id), who().role == "host"
    for each in context().store.people.roster().claims:
        if (each.night, each.name, each.player) == wanted and not each.confirmed:
            return _confirm(each.event) if is_host else ChangedOut(event=each.event, id=player.id)
    data = {"night": night_id, "name": json_data.name, "player": player.id, "confirmed": is_host}
    return _changed("claimed", data, player.id)


@blueprint.post("/api/claims/confirm", refusals=refused(404, 507))
def confirm(json_data: EventIn) -> ChangedOut:
    """Confirm a claim."""
    if not any(each.event == json_data.event for each in context().store.people.roster().claims):
        raise _unknown(json_data.event)
    return _confirm(json_data.event)


@blueprint.post("/api/circles", refusals=refused(404, 507))
def put_circle(json_data: CircleIn) -> ChangedOut:
    """Add or change a circle: a group of players with the game and rules that it usually plays."""
    roster, known = context().store.people.roster(), {each.id for each in _known()}
    for each in json_data.players:
        if roster.resolved(each) not in known:
            raise _unknown(each)
    members = [roster.resolved(each) for each in json_data.players]
    circle = secrets.token_hex(_ID_BYTES) if json_data.circle is None else _circle(json_data.circle)
    return _changed("circle", {**json_data.model_dump(), "circle": circle, "players": members}, circle)


@blueprint.post("/api/circles/remove", refusals=refused(404, 507))
def remove_circle(json_data: CircleRemovedIn) -> ChangedOut:
    """Remove a circle. Undoing the event brings it back."""
    circle = _circle(json_data.circle)
    return _changed("circle_removed", {"circle": circle}, circle)


def _store_player(player: Player) -> ChangedOut:
    """Store a player's entry."""
    data = {name: getattr(player, name) for name in ("name", "color", "emoji", "picture")}
    return _changed("player", {"player": player.id, **data}, player.id)


def _known() -> list[Player]:
    """Return everybody who played or has an entry."""
    roster = context().store.people.roster()
    ids = dict.fromkeys(
        (*(each.player for each in context().store.nights.played_by()), *(each.id for each in roster.players))
    )
    return [roster.player(each) for each in ids]


def _player(player_id: str) -> Player:
    """Return a player by id, or raise `NotFoundError`."""
    found = context().store.people.roster().player(player_id)
    if all(each.id != found.id for each in _known()):
        raise _unknown(player_id)
    return found


def _circle(circle_id: str) -> str:
    if context().store.people.roster().circle(circle_id) is None:
        raise _unknown(circle_id)
    return circle_id


def _confirm(event: str) -> ChangedOut:
    return _changed("confirmed", {"of": event})


def _changed(kind: PeopleKind, data: dict[str, Any], changed: str | None = None) -> ChangedOut:
    stored: PeopleEvent = context().store.people.add(kind, data, who().name)
    return ChangedOut(event=stored.id, id=changed)


def _unknown(what: str) -> NotFoundError:
    return NotFoundError("no-such-person", Message("problem-no-such-person", {"name": what}))


def _address(player: Player) -> str | None:
    if player.picture is None:
        return None
    query = urlencode({"player": player.id, "v": _version(player.picture)})
    return f"/api/players/picture?{query}"


def _version(picture: str) -> str:
    return hashlib.sha256(picture.encode()).hexdigest()[:12]
