"""Which cards of Kingo are public: hands at the showdown, a bareta hand at once."""

from __future__ import annotations

from ...description import HiddenCards
from .bank import KingoBankRound
from .hands import AnyKingoRules
from .round import KingoRound

__all__ = ["HIDDEN_CARDS"]


def _open_hands(rules: AnyKingoRules) -> bool:
    return rules.hands == "face_up"


def _showdown(played: KingoRound | KingoBankRound) -> bool:
    return played.state.turn == 0


def _known_seats(played: KingoRound | KingoBankRound, seat: int | None) -> set[int]:
    return {number for number, each in enumerate(played.state.seats, start=1) if each.done == "bareta"}


HIDDEN_CARDS = HiddenCards(
    open_hands=_open_hands,
    showdown=_showdown,
    known_seats=_known_seats,
    hand_words=frozenset({"draw", "choose"}),
)
