"""What every referee is: two methods, and which one a game has."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, ClassVar, Protocol

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.match import Match
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Round
from companion.hanafuda.rules import Rules
from companion.observations import Observation
from companion.table.events import Event, NewEvent

__all__ = ["CommittedTable", "NoRefereeError", "Referee", "referee_for"]


class CommittedTable(Protocol):
    """What a referee reads of a table (`companion.table.Table` is one): the state that all have agreed on."""

    @property
    def events(self) -> Sequence[Event]:
        """What happened so far, in order."""

    @property
    def game(self) -> Match[Any]:
        """The evening: its finished rounds, and who deals next."""

    @property
    def round(self) -> Round[Any, Any, Any] | None:
        """The live round; after its end it stays until the next is dealt."""

    @property
    def dealer_known(self) -> bool:
        """Whether anybody told who dealt; if not, the round stands with a dealer assumed."""

    @property
    def open_questions(self) -> Sequence[Event]:
        """The questions that nobody has answered."""

    @property
    def open_problems(self) -> Sequence[Event]:
        """The problems that are not settled."""

    def undo_target(self) -> Event | None:
        """Return what one undo would take away."""


class Referee(Protocol):
    """Explains looks. It holds only what it needs of earlier ones; the state is the table's."""

    def see(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Return what must have happened since the last agreed state, nothing where nothing did or it is too early.

        The events are to be appended to the table together, as one group, before the next look is shown.
        """

    def close(self, table: CommittedTable) -> list[NewEvent]:
        """Return what the end of the watching tells: a decision that is still open was a stop."""

    def rescan(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Return the event that takes the table as it lies, whatever was agreed before."""


class NoRefereeError(BadRequestError):
    """Raised for a game that no referee can watch."""

    code: ClassVar[str] = "no-referee"


def referee_for(rules: Rules, players: int) -> Referee:
    """Return a new referee of a game, which its description names; `NoRefereeError` if the game has none."""
    game = GAMES.get(rules.game)
    camera = None if game is None else game.camera
    if camera is None:
        watched = ", ".join(slug for slug, game in GAMES.items() if game.camera is not None)
        raise NoRefereeError(
            f"there is no referee for {rules.game}: the camera can watch {watched}; enter the moves by hand"
        )
    module, _, name = camera.referee.partition(":")
    referee: Referee = getattr(import_module(module), name)(rules, players)
    return referee
