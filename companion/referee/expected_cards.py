"""The zone in which each open card is expected, given a round in its committed state."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any, Literal

from companion.hanafuda.fishing import PLAY_ON, Call, Draw, FishingMove, FishingRound, Play
from companion.hanafuda.fishing.captures import DECK, bit_of, single_bits
from companion.referee.card_likelihoods import FIELD, Spot

AnyRound = FishingRound[Any, Any]
"""A round of any fishing game."""
Phase = Literal["play", "draw", "decide", "over"]

_IN_FIELD = Spot(FIELD)
_IN_PILE = (Spot(1), Spot(2))
_LATE_IN_PILE = (Spot(1, may_be_on_field=True), Spot(2, may_be_on_field=True))


def indices(ids: Iterable[str]) -> list[int]:
    """Return the positions of cards in the deck order (0-47)."""
    return [bit_of(card).bit_length() - 1 for card in ids]


def indices_of_bits(bits: int) -> list[int]:
    """Return the positions of a set of cards (48 bits) in the deck order (0-47)."""
    return [bit.bit_length() - 1 for bit in single_bits(bits)]


def round_after(played: AnyRound, moves: Iterable[FishingMove]) -> AnyRound:
    """Return a copy of a round in which moves are made without a check."""
    after = played.copy()
    for move in moves:
        after.push(move, unchecked=True)
    return after


class Position:
    """The committed state of a round in the form that the referee compares with: card sets (48 bits), player to move,
    phase."""

    def __init__(self, of: AnyRound, detected_in_piles: Set[int] = frozenset()) -> None:
        """Derive the expected zones from a round.

        `detected_in_piles` are the cards that have been detected in a captured pile. Other recently captured cards may
        still be on the field.
        """
        self.round = of
        self.field = sum(map(bit_of, of.field))
        self.piles = tuple(sum(map(bit_of, of.captured(player))) for player in (1, 2))
        self.hidden = DECK & ~(self.field | self.piles[0] | self.piles[1])
        pending = of.pending_decision()
        self.phase: Phase
        if of.to_move is None:
            self.phase = "over"
        elif pending is None:
            self.phase = "play"
        else:
            self.phase = "draw" if pending.code == "draw-missing" else "decide"
        self.player: int = of.to_move or 0
        self.stock = len(of.deal.stock) - sum(isinstance(move, Draw) for move in of.moves)
        self.progress = len(of.moves) / 32
        """The fraction of the round that has been played (0-1): sixteen turns of two cards each."""
        self.spots = self._spots(detected_in_piles)
        """The expected zone of each open card; cards captured in the last moves may still be on the field."""

    def next_card(self) -> tuple[int, bool]:
        """Return the player who plays the next card (0 for none), and whether it is drawn from the stock."""
        if self.phase == "over":
            return 0, False
        if self.phase in {"play", "draw"}:
            return self.player, self.phase == "draw"
        if not any(isinstance(call, Call) and call.name == PLAY_ON for call in self.round.legal_moves()):
            return 0, False
        played_from_hand = bool(self.round.moves) and isinstance(self.round.moves[-1], Play)
        return (self.player, True) if played_from_hand else (3 - self.player, False)

    def _spots(self, detected_in_piles: Set[int]) -> dict[int, Spot]:
        recent = {
            card
            for move in self.round.moves[-5:]
            if isinstance(move, Play | Draw)
            for card in (move.card, *move.takes)
        }
        late_cards = sum(map(bit_of, recent))
        spots = dict.fromkeys(indices_of_bits(self.field), _IN_FIELD)
        for pile, expected, late_expected in zip(self.piles, _IN_PILE, _LATE_IN_PILE, strict=True):
            for card in indices_of_bits(pile):
                spots[card] = (
                    late_expected if late_cards >> card & 1 and card not in detected_in_piles else expected
                )
        return spots
