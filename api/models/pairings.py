"""Models of pairings and invitations."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from api.models.base import Answer, PhoneName, Seat, Strict, TableId
from companion.store.pairings import Role


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
