"""Models of the log of nights, statistics, players and circles, and pairings."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Annotated, Literal

from apiflask.fields import UploadFile
from pydantic import AfterValidator, Field, StringConstraints

from api.models.base import Answer, MessageOut, Name, PhoneName, RulesNamed, Seat, Skip, Strict, TableId
from companion.people.nights import BestHand, TurningPoint
from companion.people.people import COLORS, Circle, Claim
from companion.people.statistics import BestRound, MonthOfPlayer, Pair, RoundFilter, Streak, YakuStatistics
from companion.store.pairings import Role
from companion.store.timestamps import iso_utc

_Time = Annotated[str, StringConstraints(max_length=40)]


class NightsIn(Strict):
    """Which nights to list."""

    before: Annotated[_Time | None, Field(description="Only nights that ended before this time.")] = None
    player: Annotated[str | None, Field(max_length=40, description="Only nights of this player (an id).")] = (
        None
    )
    circle: Annotated[str | None, Field(max_length=40, description="Only nights of this circle.")] = None
    deleted: Annotated[Literal["0", "1"], Field(description="`1`: only deleted ones.")] = "0"


class NightYakuOut(Answer):
    """A yaku of a player in a round."""

    name: str
    points: int


class NightSeatOut(Answer):
    """The result of a round for one player."""

    seat: int
    points: int
    won: bool
    calls: Annotated[int, Field(description="How often the player called koi-koi.")]
    yaku: list[NightYakuOut]


class NightRoundOut(Answer):
    """A finished round."""

    round: int
    time: str
    dealer: int
    month: int | None
    how: str
    rules: RulesNamed
    why: MessageOut
    seats: list[NightSeatOut]


class NightGameOut(Answer):
    """A game of a night, which is one table."""

    table: str
    name: str | None
    game: str
    rules: RulesNamed
    deck: str | None
    opened: str
    ended: str
    status: Literal["open", "closed", "deleted"]
    over: Annotated[bool, Field(description="Whether the game has ended by its rules.")]
    winners: Annotated[list[int], Field(description="The seats that won, or lead; empty if all are equal.")]
    played: Annotated[int, Field(description="The number of finished rounds.")]
    of: Annotated[int | None, Field(description="The number of rounds that the rules set.")]
    players: list[str]
    player_ids: Annotated[list[str], Field(description="The players' ids; empty for guests.")]
    points: list[int]
    rounds: Annotated[list[NightRoundOut], Field(description="Empty in a list of nights.")]


class NightDisputesOut(Answer):
    """The numbers of disputes of a night, without those that were withdrawn."""

    opened: int
    settled: int


class NightOut(Answer):
    """A night: the games of one evening."""

    id: str
    name: str | None
    began: str
    ended: str
    status: Literal["open", "closed", "deleted"]
    players: list[str]
    games: list[NightGameOut]
    best: Annotated[
        BestHand | None, Field(description="The one with the most points; null in a list of nights.")
    ]
    turn: Annotated[
        TurningPoint | None, Field(description="The largest swing toward a winner; null in a list.")
    ]
    disputes: NightDisputesOut


class NightsOut(Answer):
    """Nights, the most recent first."""

    nights: list[NightOut]
    next: Annotated[str | None, Field(description="`before` for the next page; null on the last one.")]


class RematchOut(Answer):
    """The table of the next game."""

    id: str


# --- statistics
_DATE_LENGTH = len("2026-11-25")
_MOMENT = timedelta(milliseconds=1)


def _instant(text: str, days: int) -> str:
    """Return an ISO 8601 time as stored; a date is midnight in the server's time zone, ``days`` later."""
    try:
        if len(text) == _DATE_LENGTH:
            instant = datetime.combine(date.fromisoformat(text) + timedelta(days), datetime.min.time())
            instant -= days * _MOMENT
        else:
            instant = datetime.fromisoformat(text)
        return iso_utc(instant)
    except OverflowError as error:
        raise ValueError(str(error)) from error


def _since(text: str) -> str:
    return _instant(text, 0)


def _until(text: str) -> str:
    return _instant(text, 1)


_Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_Flag = Annotated[Literal["0", "1"], AfterValidator(lambda text: text == "1")]


class StatisticsIn(Strict):
    """Which rounds count."""

    game: _Text | None = None
    rules: Annotated[_Text | None, Field(description="The name of the rules.")] = None
    since: Annotated[
        Annotated[_Time, AfterValidator(_since)] | None,
        Field(description="From this time or date on, in ISO 8601; a date is in the server's time zone."),
    ] = None
    until: Annotated[
        Annotated[_Time, AfterValidator(_until)] | None,
        Field(description="Up to and including this time or date."),
    ] = None
    player: Annotated[_Text | None, Field(description="The id of a player.")] = None
    circle: Annotated[
        _Text | None,
        Field(description="The id of a circle: rounds in which all players are members, guests aside."),
    ] = None

    def wanted(self) -> RoundFilter:
        """Return the filter."""
        return RoundFilter(**self.model_dump(exclude={"skip"}))


class RoundsIn(StatisticsIn):
    """Which rounds to list."""

    opponent: Annotated[_Text | None, Field(description="Another player of the round.")] = None
    won: Annotated[_Flag | None, Field(description="`1`: the player won; `0`: did not.")] = None
    called: Annotated[_Flag | None, Field(description="`1`: the player called koi-koi.")] = None
    yaku: Annotated[_Text | None, Field(description="A yaku that the player made.")] = None
    dealt: Annotated[_Flag | None, Field(description="`1`: the player's dealt hand is known.")] = None
    skip: Skip = "0"


class LoggedRoundOut(NightRoundOut):
    """A finished round with its night and game."""

    night: str
    table: str
    game: str
    players: list[str]
    player_ids: Annotated[list[str], Field(description="Empty for guests.")]


class RoundsOut(Answer):
    """Rounds, the most recent first."""

    total: Annotated[int, Field(description="The number of all rounds that pass the filter.")]
    rounds: list[LoggedRoundOut]


class RulesChoiceOut(Answer):
    """Rules that were played."""

    game: str
    name: str


class PlayerChoiceOut(Answer):
    """Somebody who played."""

    id: str
    name: str


class ChoicesOut(Answer):
    """What can be chosen in a filter."""

    games: Annotated[list[str], Field(description="The most played first.")]
    rules: list[RulesChoiceOut]
    players: list[PlayerChoiceOut]


class RatingOut(Answer):
    """A Glicko-2 rating."""

    value: float
    deviation: Annotated[float, Field(description="The strength is within 2 of them with 95 % confidence.")]


class PlayerStatisticsOut(Answer):
    """A player's results."""

    player: str
    rounds: int
    wins: int
    points: int
    best: BestRound
    called: Annotated[int, Field(description="Rounds in which the player called koi-koi.")]
    called_won: int
    called_points: int
    hands: Annotated[int, Field(description="Rounds in which the player's dealt hand is known.")]
    brights: Annotated[int, Field(description="Bright cards in these hands.")]
    streak: Streak | None
    rating: RatingOut | None


class StatisticsOut(Answer):
    """Statistics of rounds."""

    rounds: int
    players: Annotated[list[PlayerStatisticsOut], Field(description="The most points first.")]
    yaku: Annotated[list[YakuStatistics], Field(description="The most frequent first.")]
    pairs: list[Pair]
    months: list[MonthOfPlayer]


# --- transfer


class EventFileIn(Strict):
    """A file of events."""

    file: UploadFile


class MergedOut(Answer):
    """What an import did, by the ids of the tables."""

    new: list[str]
    extended: list[str]
    same: list[str]
    conflict: list[str]
    people: Annotated[int, Field(description="The number of new events about people.")]


# --- people
PlayerId = Annotated[str, StringConstraints(min_length=1, max_length=40)]


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


# --- pairing


class PairIn(Strict):
    """The PIN of an invitation, or the code from its QR code."""

    pin: Annotated[str, StringConstraints(max_length=40)] | None = None
    code: Annotated[str, StringConstraints(max_length=80)] | None = None
    name: Annotated[PhoneName | None, Field(description="The name of the person or machine.")] = None


class ClientIdentity(Answer):
    """Who a client is."""

    role: Role
    name: str
    seat: int | None
    table: Annotated[str | None, Field(description="The table of the seat; null: the seat of any table.")]
    expires: Annotated[str | None, Field(description="When it ends unless it is used again, ISO 8601.")]


class MeOut(ClientIdentity):
    """The role and pairing of the client."""

    paired: bool
    id: Annotated[str | None, Field(description="The id of the pairing; null without one.")]


class MeIn(Strict):
    """The name of this phone's user."""

    name: PhoneName


class PairedOut(MeOut):
    """The new pairing."""

    token: Annotated[str | None, Field(description="Only of machines, for `Authorization: Bearer`.")]


class InviteIn(Strict):
    """An invitation to create."""

    role: Role
    name: PhoneName | None = None
    seat: Seat | None = None
    table: Annotated[
        TableId | None,
        Field(description="The table of the seat, or the table to open after joining; null: any table."),
    ] = None
    uses: Annotated[int, Field(ge=1, le=50, description="The number of phones that can pair with it.")] = 1


class InvitedOut(Answer):
    """An invitation, valid for ten minutes: open `link` (or scan `qr`), or enter the PIN at `/join`."""

    pin: str
    code: str
    path: str
    link: str
    qr: Annotated[str, Field(description="The QR code of `link`, SVG.")]
    role: str
    name: str | None
    seat: int | None
    table: str | None
    uses: int
    expires: Annotated[str, Field(description="ISO 8601")]
    expires_in: Annotated[float, Field(description="s")]


class ChangePairingIn(Strict):
    """Changes to a pairing; members that are left out stay as they are."""

    role: Role | None = None
    name: PhoneName | None = None
    seat: Annotated[Seat | None, Field(description="Null: no seat.")] = None
    table: Annotated[TableId | None, Field(description="That of the seat; ignored without `seat`.")] = None


class PairingOut(ClientIdentity):
    """A paired phone or machine."""

    id: str
    since: str
    seen: Annotated[
        str | None,
        Field(
            description="When it was last used, with a resolution of one hour; null: a process of the program itself."
        ),
    ]


class OpenInvitationOut(Answer):
    """An invitation that can be used."""

    id: str
    role: Role
    name: str | None
    seat: int | None
    table: str | None
    uses: Annotated[int, Field(description="The number of phones that can still pair with it.")]
    expires: Annotated[str, Field(description="ISO 8601")]
    by: Annotated[
        str | None,
        Field(
            description="The name of the host whose phone made it, with whose role it ends; null: the server's own machine."
        ),
    ]


class PairingsOut(Answer):
    """All pairings and all invitations that can be used, oldest first."""

    pairings: list[PairingOut]
    invitations: list[OpenInvitationOut]
    pins_paused: Annotated[
        int | None,
        Field(
            description="The number of seconds in which no PIN is accepted because somebody is guessing; null: PINs are accepted."
        ),
    ]
    read: Annotated[
        Literal["everyone", "paired"],
        Field(description="Who may watch live tables; paired: watching needs an invitation."),
    ]
