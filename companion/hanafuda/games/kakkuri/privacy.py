"""The hidden cards of Kakkuri that a seat may know: a hand exchanged with the dealer's, and the dropout card."""

from __future__ import annotations

from ...description import HiddenCards
from .cards import PACKS
from .moves import Swap
from .round import KakkuriRound
from .rules import KakkuriRules
from .state import EIGHT

__all__ = ["HIDDEN_CARDS"]


def _known_seats(played: KakkuriRound, seat: int | None) -> set[int]:
    """Return the seats whose dealt hands have come to a seat by exchanges."""
    known: set[int] = set()
    if seat is None:
        return known
    holds = {each: each for each in range(1, played.players + 1)}
    for move in played.moves:
        if isinstance(move, Swap) and move.accept and move.player in holds:
            one, other = move.player, played.leader
            holds[one], holds[other] = holds[other], holds[one]
            known |= {holds[seat]} if seat in holds else set()
    return known


def _open_cards(rules: KakkuriRules, players: int) -> frozenset[str]:
    """Return the card whose holder drops out of eight players: it is shown after the deal."""
    if players != EIGHT:
        return frozenset()
    pack = PACKS[rules.deck]
    return frozenset(pack.cards(pack.dropout))


HIDDEN_CARDS = HiddenCards(known_seats=_known_seats, open_cards=_open_cards)
