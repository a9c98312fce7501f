"""Everything that the server stores, as protocols: what a database has to provide.

What belongs to one machine is no part of it and stays in files of its data folder: the keys and certificates of HTTPS (``tls/``),
``settings.toml``, logs, locks, notices about the stored data itself, and copies of pictures from a database (``cache/``).

`SqliteStore` and `PostgresStore` implement them. Methods that change something return once the change is durable, and change
all of it or nothing; they raise `LogWriteError` if they cannot. If the connection to a database server is lost during a commit,
it is not known whether the change is stored; the error's message says so, and the caller repeats the request with its key.
Reading raises `LogReadError` if the data cannot be read. Any thread may use a store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from companion.hanafuda.rules import Rules
from companion.nights.night_results import DisputeResult, Night
from companion.nights.statistics import Choices, PlayedBy, RoundFilter, RoundPage, Statistics
from companion.people.people_events import PeopleEvent, PeopleKind
from companion.people.roster import Roster
from companion.store.errors import LogWriteError
from companion.store.pairing_records import Invitation, Pairing, Role
from companion.store.scan_queue import ScanQueue
from companion.store.scan_records import Changes, Scan
from companion.store.signals import Signals
from companion.store.stored_records import Merged, SavedRules, TableSummary, Visitor
from companion.table.events import Event, NewEvent, Source

__all__ = [
    "DocumentKind",
    "DocumentStore",
    "EventStore",
    "NightStore",
    "PairingStore",
    "PeopleStore",
    "PictureStore",
    "RulesStore",
    "ScanStore",
    "Store",
]

_Events: TypeAlias = list[Event]
"""In `EventStore`, `list` is a method."""


class EventStore(Protocol):
    """The events of all tables: numbered, append-only."""

    def create(self, opened: NewEvent, *, actor: str, source: Source, after: str | None = None) -> str:
        """Open a table and return its id.

        ``after`` is a table whose evening goes on at the new one. If it goes on at another table already, returns that one's id and
        opens none.
        """

    def follow(self, table_id: str, following: str) -> None:
        """Let a table's evening go on at another table."""

    def following(self, table_id: str) -> str | None:
        """Return the table at which a table's evening goes on, or None."""

    def append(self, table_id: str, events: Sequence[Event], *, key: str | None = None) -> _Events:
        """Append a table's next events and return them as stored.

        They are already numbered, as `companion.table.Table.append` returns them; if others were appended in the meantime,
        raises `OutOfStepError`. If events are stored under the same ``key``, returns those and appends nothing.
        """

    def merge(self, tables: Iterable[tuple[str, Sequence[Event]]]) -> dict[str, Merged]:
        """Add the missing events of tables, given by id, that another log has stored, and return what was done with each.

        The events of both logs must begin alike. New tables count as opened before the one that was opened last.
        """

    def load(self, table_id: str, since: int = 0) -> _Events:
        """Return a table's events after the number ``since`` in order.

        Raises `NoSuchTableError` for an unknown id, unless ``since`` says that the table is known.
        """

    def newest(self, table_id: str) -> Event:
        """Return a table's last event, or raise `NoSuchTableError`."""

    def newest_numbers(self, table_ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each table's last event, by id, without the tables that do not exist."""

    def with_key(self, table_id: str, key: str) -> _Events | None:
        """Return the events that were stored under a key, or None."""

    def list(self, limit: int | None = None) -> Sequence[TableSummary]:
        """Return all tables or at most ``limit``, the most recently changed first."""

    def opened_last(self) -> str | None:
        """Return the id of the table that was opened last, or None."""


class NightStore(Protocol):
    """The log of nights: the results of all games, computed from the tables' events."""

    def refresh(self) -> None:
        """Bring the results up to date, as every query does first. Stops early when the store is closed."""

    def nights(
        self,
        *,
        limit: int = 30,
        before: str | None = None,
        player: str | None = None,
        circle: str | None = None,
        deleted: bool = False,
    ) -> list[Night]:
        """Return nights, the most recent first, without their rounds.

        ``before``: only nights that ended earlier; ``player``: only those of a player, by id; ``circle``: only those with a
        game among members of a circle, by id; ``deleted``: only deleted ones.
        """

    def night(self, night_id: str) -> Night:
        """Return a night with all its rounds, or raise `NoSuchNightError`. Deleted games are included."""

    def rounds(self, wanted: RoundFilter, *, limit: int = -1, skip: int = 0) -> RoundPage:
        """Return the rounds that pass a filter, the most recent first: all, or ``limit`` after the first ``skip``."""

    def statistics(self, wanted: RoundFilter) -> Statistics:
        """Return the statistics of the rounds that pass a filter, of which only the player, game, rules, time and circle count."""

    def disputes(self, *, night: str | None = None) -> list[DisputeResult]:
        """Return the disputes of all games that are not deleted, or of one night: open ones first, then the most recent."""

    def choices(self) -> Choices:
        """Return the games, rules and players of all rounds."""

    def played_by(self) -> list[PlayedBy]:
        """Return everybody who sits or sat at a table that is not deleted, the most recent first; no guests."""

    def deleted(self) -> set[str]:
        """Return the ids of the deleted tables."""


class PeopleStore(Protocol):
    """What is known of the people: append-only events from which players, claims and circles are computed."""

    def events(self) -> list[PeopleEvent]:
        """Return all events, in order."""

    def roster(self) -> Roster:
        """Return the players, claims and circles."""

    def add(self, kind: PeopleKind, data: Mapping[str, Any], actor: str) -> PeopleEvent:
        """Append an event; raises `BadRequestError` for invalid data."""

    def merge(self, events: Iterable[PeopleEvent]) -> int:
        """Add the events that the log does not have, by id, and return their number."""


class ScanStore(Protocol):
    """Scanned photographs: the reading, people's corrections, and the score. A scan is a draft until somebody keeps it."""

    def add(
        self,
        *,
        picture: bytes,
        media_type: str,
        image: str,
        reading: Mapping[str, Any],
        settings: Mapping[str, Any],
        actor: str,
        visitor: Visitor | None = None,
    ) -> Scan:
        """Store a scan as a draft, scored if ``settings`` names a game.

        ``image`` is the picture's file name, ``reading`` the contract's ``scan --json``, ``settings`` as in `Changes`.
        ``visitor`` owns the draft; raises `TooManyDraftsError` if it has too many.
        """

    def check_room(self, visitor: Visitor, size: int) -> None:
        """Raise `TooManyDraftsError` unless a visitor may add a draft with a picture of ``size`` bytes."""

    def draft_owner(self, scan_id: str) -> str | None:
        """Return the id of the visitor who owns a draft; None if nobody or a paired person does."""

    def adopt_drafts(self, visitor: str) -> None:
        """Turn a visitor's drafts into those of a paired person, which are kept longer."""

    def get(self, scan_id: str) -> Scan:
        """Return a scan, or raise `NoSuchScanError`."""

    def scans(self, *, kept: bool | None = None, limit: int = 50, before: str | None = None) -> list[Scan]:
        """Return scans, newest first: only (not) kept ones if given, only those older than scan ``before`` if given."""

    def all(self, *, kept: bool | None = None, newest_first: bool = False) -> Iterator[Scan]:
        """Yield all (not) kept scans, oldest first by default."""

    def change(self, scan_id: str, changes: Changes, actor: str) -> Scan:
        """Apply a person's changes, score again if needed, and return the scan."""

    def delete(self, scan_id: str) -> None:
        """Delete a scan, and its picture unless another scan or a table needs it."""

    def prune(self) -> int:
        """Delete expired drafts and unused pictures; return the number of drafts."""


class RulesStore(Protocol):
    """House rules that people saved under a name; names are compared without case."""

    def save(self, name: str, rules: Rules, actor: str, *, instead: bool = False) -> SavedRules:
        """Save rules; raises `RulesNameError`, or `RulesNameTakenError` unless they replace others (``instead``)."""

    def forget(self, name: str, actor: str) -> SavedRules:
        """Free a name and return its rules, or raise `NoSuchRulesError`."""

    def rename(self, name: str, new_name: str, actor: str) -> SavedRules:
        """Move saved rules to another name; raises `NoSuchRulesError`, `RulesNameError` or `RulesNameTakenError`."""

    def get(self, name: str) -> SavedRules | None:
        """Return the rules saved under a name, or None."""

    def all(self) -> list[SavedRules]:
        """Return all saved rules by name."""


class PairingStore(Protocol):
    """Paired phones and machines, and open invitations. Secrets are stored as keyed hashes only."""

    def now(self, later: float = 0.0) -> str:
        """Return the time ``later`` seconds from now, ISO 8601 in UTC."""

    def prepare(self) -> None:
        """Create the signing key if there is none."""

    def token(self, pairing: Pairing) -> str:
        """Return the signed token (or cookie value) of a pairing."""

    def id_of(self, token: str) -> str | None:
        """Return the pairing id that a token was signed for; None if the signature is wrong."""

    def pairings(self) -> list[Pairing]:
        """Return all pairings that have not expired."""

    def pairing(self, pairing_id: str) -> Pairing | None:
        """Return a pairing, or None if there is none or it has expired."""

    def add(
        self, role: Role, *, name: str | None = None, seat: int | None = None, table: str | None = None
    ) -> Pairing:
        """Add a pairing without an invitation."""

    def change(
        self,
        pairing_id: str,
        *,
        role: Role | None = None,
        name: str | None = None,
        seat: int | None = None,
        table: str | None = None,
        reseat: bool = False,
    ) -> Pairing:
        """Change what is given (the seat only with ``reseat``), or raise `NoSuchPairingError`."""

    def touch(self, uses: Mapping[str, str]) -> None:
        """Store when pairings were last used: id to time."""

    def revoke(self, pairing_id: str) -> None:
        """Remove a pairing, or raise `NoSuchPairingError`."""

    def revoke_all(self, keep: str | None) -> list[str]:
        """Remove all pairings of people but ``keep``, and return their ids."""

    def move_seats(self, table: str, following: str) -> None:
        """Move the seats of a table to the table that follows it."""

    def invite(
        self,
        role: Role,
        *,
        name: str | None = None,
        seat: int | None = None,
        table: str | None = None,
        uses: int = 1,
    ) -> Invitation:
        """Create an invitation with a code and a PIN."""

    def invite_at_start(self) -> Invitation:
        """Create the host's invitation that `companion serve` prints; it replaces the one of the start before."""

    def redeem(
        self,
        *,
        code: str | None = None,
        pin: str | None = None,
        name: str | None,
        current: str | None = None,
        address: str = "",
    ) -> Pairing:
        """Use an invitation, or raise `NoSuchInvitationError`; a pairing ``current`` is extended instead of a new one added.

        Wrong PINs are counted by ``address`` for all processes; raises `TooManyGuessesError` or `PinsPausedError`.
        """

    def pins_paused_s(self) -> int | None:
        """Return for how many seconds no PIN is accepted, or None if PINs are accepted."""


class PictureStore(Protocol):
    """Pictures by the SHA-256 of their bytes."""

    def path(self, sha256: str, media_type: str) -> Path:
        """Return the file of this machine that holds a picture; it may not exist."""

    def media_type(self, sha256: str) -> str | None:
        """Return the media type of a stored picture, or None if there is no such picture."""

    def put(self, data: bytes, media_type: str) -> str:
        """Store a picture and return its hash."""

    def remove(self, sha256: str) -> None:
        """Remove a picture."""


DocumentKind: TypeAlias = Literal["deck", "layout", "settings", "tags"]
"""What a document is: an enrolled deck (the bytes of a ``.deck`` file), a table's camera layout, a setting of the house such as
its devices, its printer or the position of its table in the camera's picture, or the tags of a deck's cards (JSON)."""


class DocumentStore(Protocol):
    """Documents by kind and name, each replaced as a whole.

    They can be used without opening the rest of the store, and pickled for another process that reads them.
    """

    def location(self, kind: DocumentKind, name: str) -> str:
        """Return where a document is or would be stored, for people."""

    def names(self, kind: DocumentKind) -> list[str]:
        """Return the names of all documents of a kind, sorted."""

    def versions(self, kind: DocumentKind) -> dict[str, str]:
        """Return the versions of all documents of a kind by name, sorted."""

    def version(self, kind: DocumentKind, name: str) -> str | None:
        """Return a text that differs after each change of a document; None if there is no document."""

    def read(self, kind: DocumentKind, name: str) -> bytes | None:
        """Return a document, or None if there is none."""

    def write(self, kind: DocumentKind, name: str, data: bytes | None) -> None:
        """Replace a document; None deletes it."""

    def replace(self, kind: DocumentKind, name: str, data: bytes, version: str | None) -> bool:
        """Replace a document if its version is still ``version`` (None: there is none yet), and return whether it was."""

    def set_aside(self, kind: DocumentKind, name: str) -> str:
        """Rename a damaged document, so that nothing overwrites it, and return its new name."""


class Store(ScanStore, Protocol):
    """Everything that the server stores."""

    @property
    def tables(self) -> EventStore:
        """The events of the tables."""

    @property
    def nights(self) -> NightStore:
        """The log of nights."""

    @property
    def people(self) -> PeopleStore:
        """Players, claims and circles."""

    @property
    def house_rules(self) -> RulesStore:
        """Saved rules."""

    @property
    def pairings(self) -> PairingStore:
        """Pairings and invitations."""

    @property
    def pictures(self) -> PictureStore:
        """Pictures of scans and of tables."""

    @property
    def scan_queue(self) -> ScanQueue | None:
        """The queue of photographs that scan workers read; None: only this process reads photographs."""

    @property
    def documents(self) -> DocumentStore:
        """Decks, tags, layouts, and the settings of devices and the printer."""

    @property
    def signals(self) -> Signals:
        """Signals between the processes that use the store."""

    @property
    def written(self) -> float | None:
        """Time of the last write, in seconds of the monotonic clock."""

    @property
    def restored(self) -> int:
        """How often the database was restored after its file was removed while the program ran."""

    @property
    def connections(self) -> Mapping[str, int]:
        """The number of connections to the database server: ``open``, ``idle``, and requests that are ``waiting`` for one.

        Empty for a database that is a file.
        """

    def fault(self) -> LogWriteError | None:
        """Return why nothing can be stored at present, or None."""

    def close(self) -> None:
        """Close the store, which cannot be used afterwards."""
