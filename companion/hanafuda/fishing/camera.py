"""The table of a fishing game as a camera sees it: which cards lie where, and what one move changes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from math import log
from typing import Any, NamedTuple

from ..cards import HANAFUDA, first_of
from ..description import Camera
from ..round import Deal
from ..rules import Rules
from ..table_model import Clues, Placement, Step
from ..zones import FIELD, captured_zone
from .captures import DECK, Captures, bit_of, flower_of, id_of, ids_of, single_bits
from .moves import Draw, Play
from .round import PLAYERS, FishingRound

__all__ = ["FishingTable", "TableState", "camera", "exchanged"]

_LATER_LOOKALIKES = sum(card.bit for card in HANAFUDA if first_of(card.id) != card.id)
"""The second of each two look-alikes; it follows the first in the deck order."""


class TableState(NamedTuple):
    """The face-up cards of a round and what comes next."""

    field: int
    piles: tuple[int, int]
    player: int
    """The player whose turn it is; 0 if the round is over."""
    drawing: bool = False
    """Whether the player has played a hand card and draws next."""
    late: int = 0
    """The cards captured in this turn, or in the last one if none has begun: they may not be in their pile yet."""
    plays: int = 0
    """The number of hand cards played in the round."""
    captures: Captures = Captures()
    """How cards capture in this round."""


class FishingTable:
    """The table of a fishing game ."""

    zones = (FIELD, captured_zone(1), captured_zone(2))
    piled = (False, True, True)
    dealt = 8
    deck = tuple(card.id for card in HANAFUDA)
    turn_steps = 2
    seats = 0

    def __init__(self, round_class: type[FishingRound[Any, Any]], rules: Rules) -> None:
        self._round_class, self._rules = round_class, rules
        self._hand = (None,) * round_class.hand_size(rules)

    def start(self, cards: int, dealer: int) -> TableState:
        """Return the state after a deal."""
        stock = (None,) * (len(HANAFUDA) - self.dealt - PLAYERS * len(self._hand))
        deal = Deal((self._hand,) * PLAYERS, ids_of(cards), stock)
        return self.committed(self._round_class(self._rules, deal, dealer=dealer))

    def committed(self, played: FishingRound[Any, Any]) -> TableState:
        """Return the state of a round."""
        cards = [move for move in played.moves if isinstance(move, Play | Draw)]
        pending = played.pending_decision()
        drawing = pending is not None and pending.code == "draw-missing"
        late = sum(bit_of(card) for move in cards[-2:] if move.takes for card in (move.card, *move.takes))
        first, second = (sum(map(bit_of, played.captured(player))) for player in (1, 2))
        player = played.to_move or 0
        if cards and isinstance(cards[-1], Draw) and pending is not None:
            player = 3 - player  # a decision is open: the turn is over as far as the cards are concerned
        plays = sum(isinstance(move, Play) for move in cards)
        field = sum(map(bit_of, played.field))
        return TableState(field, (first, second), player, drawing, late, plays, played.captures)

    def is_over(self, state: TableState) -> bool:
        """Return whether all hand cards have been played."""
        return not state.player or (state.plays >= PLAYERS * len(self._hand) and not state.drawing)

    def placement(self, state: TableState) -> Placement:
        """Return where the cards must lie."""
        return Placement((state.field, *state.piles), state.late)

    def steps(self, state: TableState, clues: Clues) -> Iterator[Step]:
        """Yield the moves with cards that are shown, or that may have captured cards that are absent."""
        if self.is_over(state):
            return
        field = state.field
        hidden = DECK & ~(field | state.piles[0] | state.piles[1])
        captors = 0
        for bit in single_bits(field & clues.absent):
            captors |= flower_of(bit)
        cards = hidden & (clues.shown | captors)
        cards &= ~((cards << 1) & _LATER_LOOKALIKES)  # of two hidden look-alikes only the first
        prior = -log(hidden.bit_count() or 1)
        for bit in single_bits(cards):
            options = state.captures.options(bit, field, from_hand=not state.drawing)
            for takes in options:
                if takes & _LATER_LOOKALIKES and field & ~takes & takes >> 1:
                    continue  # the same as taking the first look-alike
                if bit & clues.shown or takes & clues.absent:
                    move = (Draw if state.drawing else Play)(state.player, id_of(bit), ids_of(takes))
                    after = _after(state, bit, takes)
                    yield Step((move,), after, prior - log(len(options)), state.drawing)

    def key(self, moves: Sequence[Any]) -> Hashable:
        """Return the player, the two cards and the captured cards of a turn, look-alikes as the first of them."""
        cards = sorted(first_of(move.card) for move in moves)
        taken = sorted(first_of(card) for move in moves if move.takes for card in (move.card, *move.takes))
        return moves[0].player, tuple(cards), tuple(taken)


def _after(state: TableState, bit: int, takes: int) -> TableState:
    first, second = state.piles
    taken = bit | takes if takes else 0
    field = state.field & ~takes if takes else state.field | bit
    piles = (first | taken, second) if state.player == 1 else (first, second | taken)
    if state.drawing:
        return state._replace(
            field=field, piles=piles, player=3 - state.player, drawing=False, late=state.late | taken
        )
    return state._replace(field=field, piles=piles, drawing=True, late=taken, plays=state.plays + 1)


def exchanged(state: TableState, moves: Sequence[Any]) -> tuple[Play, Draw] | None:
    """Return a turn with the same result, from the same state, whose hand card was the drawn card and vice versa; None if the rules
    allow no such turn. Two look-alikes have only one order that can be seen."""
    play, draw = moves
    if first_of(play.card) == first_of(draw.card):
        return None
    after = _after(_after(state, play.bit, play.taken), draw.bit, draw.taken)
    found = []
    for takes in state.captures.options(draw.bit, state.field, from_hand=True):
        middle = _after(state, draw.bit, takes)
        for others in state.captures.options(play.bit, middle.field, from_hand=False):
            end = _after(middle, play.bit, others)
            if (end.field, end.piles) == (after.field, after.piles):
                found.append((takes, others))
    if not found:
        return None
    takes, others = max(found, key=lambda each: each == (draw.taken, play.taken))
    return Play(play.player, draw.card, ids_of(takes)), Draw(play.player, play.card, ids_of(others))


def _zones(played: FishingRound[Any, Any]) -> dict[str, str]:
    piles = {card: captured_zone(seat) for seat in (1, 2) for card in played.captured(seat)}
    return {**dict.fromkeys(played.field, FIELD), **piles}


def camera(round_class: type[FishingRound[Any, Any]]) -> Camera:
    """Return what a camera needs for a fishing game."""
    return Camera(
        layout="beside-field",
        scanned="field",
        zones=_zones,
        referee="companion.referee.fishing_referee:FishingReferee",
        table=lambda rules, players: FishingTable(round_class, rules),
    )
