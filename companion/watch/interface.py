"""The interface of all referees, and the lookup of the referee of a game."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.match import Match
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Round
from companion.hanafuda.rules import Rules
from companion.observations import Observation
from companion.table.events import Event, NewEvent


class CommittedTable(Protocol):
    """The read access that a referee has to a table (implemented by `companion.table.Table`): its committed state."""

    @property
    def events(self) -> Sequence[Event]:
        """All events so far, in order."""

    @property
    def game(self) -> Match[Any]:
        """The match: its finished rounds and the next dealer."""

    @property
    def round(self) -> Round[Any, Any, Any] | None:
        """The current round, or None. A finished round stays here until the next one is dealt."""

    @property
    def result_reported(self) -> bool:
        """Whether the last round ended by a reported result; its cards may still be on the table."""

    @property
    def dealer_known(self) -> bool:
        """Whether the dealer was reported; if not, the round runs with an assumed dealer."""

    @property
    def open_questions(self) -> Sequence[Event]:
        """The unanswered questions."""

    @property
    def open_problems(self) -> Sequence[Event]:
        """The unresolved problems."""

    def undo_target(self) -> Event | None:
        """Return the event that one undo would remove, or None."""


class Referee(Protocol):
    """Explains observations as moves. It keeps only what it needs of earlier observations; the game state belongs to
    the table."""

    def see(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Return the events that explain the change since the committed state.

        The list is empty if nothing happened or if it is too early to decide. The caller appends the events to the
        table together, as one group, before it passes the next observation.
        """

    def close(self, table: CommittedTable) -> list[NewEvent]:
        """Return the events implied by the end of the session: an open koi-koi decision counts as a stop."""

    def rescan(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Return the events that set the table to what the observation shows, whatever was committed before."""


class NoRefereeError(BadRequestError):
    """Raised for a game that the camera cannot referee."""

    code = "no-referee"


def referee_for(rules: Rules, players: int) -> Referee:
    """Create the referee of a game, which is named in the description of the game (`GAMES`).

    Raises `NoRefereeError` if the game has none.
    """
    game = GAMES.get(rules.game)
    camera = None if game is None else game.camera
    if camera is None:
        watched = tuple(each.title for each in GAMES.values() if each.camera is not None)
        raise NoRefereeError(Message("problem-no-referee", {"game": rules.title, "known": watched}))
    module, _, name = camera.referee.partition(":")
    referee: Referee = getattr(import_module(module), name)(rules, players)
    return referee
