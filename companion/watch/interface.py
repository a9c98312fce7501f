"""The interface of all referees, and the lookup of the referee of a game."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

from companion.hanafuda.description import Camera
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import Rules
from companion.observations import Observation
from companion.table import Table
from companion.table.events import NewEvent
from companion.watch.referee import BeamReferee


class Referee(Protocol):
    """Explains observations as moves. It keeps only what it needs of earlier observations; the game state belongs to
    the table."""

    def see(self, observation: Observation, table: Table) -> list[NewEvent]:
        """Return the events that explain the change since the committed state.

        The list is empty if nothing happened or if it is too early to decide. The caller appends the events to the
        table together, as one group, before it passes the next observation.
        """

    @property
    def in_doubt(self) -> bool:
        """Whether a question or a problem follows if the table remains as it is."""

    @property
    def waits_for_answers(self) -> bool:
        """Whether an open question holds it up, so that its likeliest answer is given when the players play on."""

    def close(self, table: Table) -> list[NewEvent]:
        """Return the events implied by the end of the session: an open koi-koi decision counts as a stop."""

    def rescan(self, observation: Observation, table: Table) -> list[NewEvent]:
        """Return the events that set the table to what the observation shows, whatever was committed before."""


class NoRefereeError(BadRequestError):
    """Raised for a game that the camera cannot referee."""

    code = "no-referee"


def referee_for(rules: Rules, players: int) -> Referee:
    """Create the referee of a game: the engine, if the game describes its table.

    Raises `NoRefereeError` if the game has none.
    """
    camera = camera_of(rules)
    return _named(camera, rules, players) if camera.table is None else BeamReferee(rules, players)


def camera_of(rules: Rules) -> Camera:
    """Return what a camera needs for a game. Raises `NoRefereeError` if it cannot be watched."""
    game = GAMES.get(rules.game)
    if game is None or game.camera is None:
        watched = tuple(each.title for each in GAMES.values() if each.camera is not None)
        raise NoRefereeError(Message("problem-no-referee", {"game": rules.title, "known": watched}))
    return game.camera


def _named(camera: Camera, rules: Rules, players: int) -> Referee:
    """Create the referee whose class the description of a game names."""
    module, _, name = camera.referee.partition(":")
    referee: Referee = getattr(import_module(module), name)(rules, players)
    return referee
