"""The table of a fishing game as a camera sees it: which cards lie where, and what one move changes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cache, reduce
from math import log
from operator import or_
from typing import Any, Final, NamedTuple

from ..card_messages import card_list, cards_of_bits
from ..cards import HANAFUDA, first_of, single_bits, to_bits
from ..description import Camera
from ..messages import Message, player_message
from ..round import Deal, Problem
from ..rules import Rules
from ..table_model import Placement, Question, TableClues, TableProblem, TableStep
from ..zones import FIELD, captured_zone
from .captures import DECK, Captures, bit_of, flower_of, id_of, ids_of
from .moves import Call, Draw, FishingMove, Play
from .round import PLAYERS, FishingRound

__all__ = ["FaceUpState", "FishingTable", "camera", "exchanged", "stop"]

_LATER_LOOKALIKES = sum(card.bit for card in HANAFUDA if first_of(card.id) != card.id)
"""The second of each two look-alikes; it follows the first in the deck order."""


class FaceUpState(NamedTuple):
    """The face-up cards of a round and what comes next."""

    field: int
    piles: tuple[int, int]
    player: int
    """The player whose turn it is; 0 if the round is over."""
    drawing: bool = False
    """Whether the player has played a hand card and draws next."""
    late: tuple[int, ...] = ()
    """The captures of this turn, or of the last one if none has begun, as sets of cards: they may not be in their pile yet."""
    plays: int = 0
    """The number of hand cards played in the round."""
    unread: int = 0
    """The number of further cards on the field, which lie face down or cannot be read."""
    dealer: int = 0
    captures: Captures = Captures()
    """How cards capture in this round."""


class FishingTable:
    """The table of a fishing game."""

    zones = (FIELD, captured_zone(1), captured_zone(2))
    piled = (False, True, True)
    dealt = 8
    deck = tuple(card.id for card in HANAFUDA)
    turn_steps = 2
    shows_history = False
    seats = 0

    def __init__(self, round_class: type[FishingRound[Any, Any]], rules: Rules) -> None:
        self._round_class, self._rules = round_class, rules
        self._hand = (None,) * round_class.hand_size(rules)

    def start(self, cards: int, dealer: int, unread: int = 0) -> FaceUpState:
        """Return the state after a deal, of which a number of cards cannot be read."""
        stock = (None,) * (len(HANAFUDA) - self.dealt - PLAYERS * len(self._hand))
        deal = Deal((self._hand,) * PLAYERS, ids_of(cards), stock)
        state = self.committed(self._round_class(self._rules, deal, dealer=dealer))
        return state._replace(unread=unread, dealer=dealer)

    def deals(self, cards: int, dealer: int, unread: int = 0) -> tuple[FaceUpState]:
        """Return the one state after a deal."""
        return (self.start(cards, dealer, unread),)

    def dealt_state(self, played: FishingRound[Any, Any]) -> FaceUpState:
        """Return the state after the deal of a round."""
        return self.start(to_bits(played.deal.field), played.dealer)

    def committed(self, played: FishingRound[Any, Any]) -> FaceUpState:
        """Return the state of a round."""
        cards = [move for move in played.moves if isinstance(move, Play | Draw)]
        pending = played.pending_decision()
        drawing = bool(cards) and isinstance(cards[-1], Play) and played.outcome() is None
        late = tuple(sum(map(bit_of, (move.card, *move.takes))) for move in cards[-2:] if move.takes)
        first, second = (sum(map(bit_of, played.captured(player))) for player in (1, 2))
        player = played.to_move or 0
        if cards and isinstance(cards[-1], Draw) and pending is not None:
            player = 3 - player  # a decision is open: the turn is over as far as the cards are concerned
        plays = sum(isinstance(move, Play) for move in cards)
        field = sum(map(bit_of, played.field))
        return FaceUpState(
            field, (first, second), player, drawing, late, plays, 0, played.dealer, played.captures
        )

    def is_over(self, state: FaceUpState) -> bool:
        """Return whether all hand cards have been played."""
        return not state.player or (state.plays >= PLAYERS * len(self._hand) and not state.drawing)

    def placement(self, state: FaceUpState) -> Placement:
        """Return where the cards must lie."""
        return Placement((state.field, *state.piles), state.late, (state.unread, 0, 0))

    def steps(self, state: FaceUpState, clues: TableClues) -> Iterator[TableStep]:
        """Yield the moves with cards that are shown, or that may have captured cards that are absent."""
        if self.is_over(state):
            return
        field = state.field
        hidden = DECK & ~(field | state.piles[0] | state.piles[1])
        cards = _firsts(hidden & (clues.possible | _flowers(field & clues.absent)))
        prior = -log(hidden.bit_count() or 1)
        # Arms count once a turn, when the player plays.
        of_player = prior if state.drawing else prior + clues.acted(state.player, cards, 0)
        if state.unread:
            for bit in single_bits(_firsts(hidden & (clues.possible | _flowers(hidden & clues.possible)))):
                known = state._replace(field=field | bit, unread=state.unread - 1)
                # A card on top of others, or where no unread card was, has more likely been played or drawn, except during the deal.
                came = bit & clues.upper or (state.plays and not bit & clues.turned)
                place = log(clues.inexplicable or 1.0) if came else 0.0
                yield TableStep((), known, prior + place, ends_turn=False, read=bit)
        kind = Draw if state.drawing else Play
        for bit in single_bits(cards):
            options = state.captures.options(bit, field, from_hand=not state.drawing)
            log_prior = of_player - log(len(options))
            for takes in options:
                if takes & _LATER_LOOKALIKES and field & ~takes & takes >> 1:
                    continue  # the same as taking the first look-alike
                alike = takes | takes << 1 & _LATER_LOOKALIKES & field
                if bit & clues.possible or alike & clues.absent:
                    move = _move(kind, state.player, bit, takes)
                    yield TableStep((move,), _after(state, bit, takes), log_prior, state.drawing)
            if clues.illegal and bit & clues.possible:
                yield from _illegal(state, bit, options, clues, prior + _ILLEGAL)

    def key(self, moves: Sequence[Any]) -> Hashable:
        """Return the player, the two cards and the captured cards of a turn, look-alikes as the first of them."""
        cards = sorted(first_of(move.card) for move in moves)
        taken = sorted(first_of(card) for move in moves if move.takes for card in (move.card, *move.takes))
        return moves[0].player, tuple(cards), tuple(taken)

    def turns(self, moves: Sequence[Any]) -> tuple[list[tuple[Any, ...]], tuple[Any, ...]]:
        """Return the moves of a round as complete turns, without calls, and the moves of the turn under way."""
        turns: list[tuple[Any, ...]] = []
        begun: tuple[Any, ...] = ()
        for move in moves:
            if isinstance(move, Play | Draw):
                begun = (*begun, move)
                if isinstance(move, Draw):
                    turns.append(begun)
                    begun = ()
        return turns, begun

    def closing(self, played: FishingRound[Any, Any]) -> Call | None:
        """Return the stop that must have been called if a round did not go on, or None."""
        return stop(played)

    def blame(self, move: Any, broken: Problem, before: FishingRound[Any, Any]) -> TableProblem:
        """Return why a move is illegal; a card played out of turn by the player of the turn before is a second card."""
        last = [each for each in before.moves if isinstance(each, Play | Draw)][-2:]
        if broken.code != "out-of-turn" or not last or last[-1].player != move.player:
            return TableProblem(broken.code, broken.text, ids_of(sum(map(bit_of, (move.card, *move.takes)))))
        two = sum(map(bit_of, {last[0].card, move.card}))
        message = Message(
            "notice-two-cards-played",
            {"player": player_message(move.player), "cards": cards_of_bits(two)},
        )
        return TableProblem("two-cards-played", message, ids_of(two))

    def deal(self, state: FaceUpState) -> dict[str, Any]:
        """Return the cards dealt to the field, of the state after a deal."""
        return {"field": list(ids_of(state.field | state.piles[0] | state.piles[1]))}

    def deal_question(self, state: FaceUpState) -> tuple[Message, Message]:
        """Return the question which cards were dealt to the field, and those of a state."""
        cards = card_list(self.deal(state)["field"])
        return Message("question-which-deal"), Message("choice-cards", {"cards": cards})

    def turn_question(self, turns: Sequence[Sequence[FishingMove]]) -> Question:
        """Return the question what the player did."""
        text = Message("question-which-turn", {"player": player_message(turns[0][0].player)})
        return Question(text, [[move.message() for move in moves] for moves in turns])

    def resume(self, top: str, played: FishingRound[Any, Any]) -> None:
        """Return None: the cards on the table tell how a round goes on."""

    def awaited(self, state: FaceUpState) -> None:
        """Return None: the turns tell what must come."""

    def history_question(self, states: Sequence[FaceUpState]) -> Question:
        """Raise `NotImplementedError`: the players are asked turn by turn."""
        raise NotImplementedError

    def reset(self, zones: Sequence[Sequence[str]], played: FishingRound[Any, Any]) -> dict[str, Any]:
        """Return the data of the event after which a round goes on with these cards on the field and in the piles."""
        field, *captured = zones
        return {"field": field, "captured": captured, "to_move": played.to_move or 1}

    def unread(self, state: FaceUpState) -> int:
        """Return the number of cards on the field that have not been read."""
        return state.unread

    def dealt_by(self, state: FaceUpState, dealer: int, read: int = 0) -> FaceUpState:
        """Return the state after a deal by another dealer, or with another card ``read``."""
        cards = state.field | state.piles[0] | state.piles[1] | read
        return self.start(cards, dealer or state.dealer, state.unread - bool(read))


def _illegal(
    state: FaceUpState, bit: int, options: tuple[int, ...], clues: TableClues, prior: float
) -> Iterator[TableStep]:
    """Yield the moves with a shown card that the rules forbid: no capture, a card of another flower, or out of turn."""
    kind = Draw if state.drawing else Play
    if not bit & clues.absent and options != (0,):
        move = _move(kind, state.player, bit, 0)
        yield TableStep((move,), _after(state, bit, 0), prior, state.drawing)
    for takes in single_bits(state.field & clues.absent & ~flower_of(bit)):
        move = _move(kind, state.player, bit, takes)
        yield TableStep((move,), _after(state, bit, takes), prior, state.drawing)
    other = state._replace(player=3 - state.player, drawing=False)
    prior += clues.acted(other.player, bit, 0)
    for takes in other.captures.options(bit, state.field, from_hand=True):
        move = _move(Play, other.player, bit, takes)
        yield TableStep((move,), _after(other, bit, takes), prior, ends_turn=False)


@cache
def _move(kind: type[Play | Draw], player: int, bit: int, takes: int) -> Play | Draw:
    return kind(player, id_of(bit), ids_of(takes))


_ILLEGAL: Final = log(1e-3)
"""Log-probability of a move that the rules forbid, relative to a legal one."""


def _firsts(hidden: int) -> int:
    """Return a set of hidden cards with only the first of two look-alikes."""
    return hidden & ~(hidden << 1 & _LATER_LOOKALIKES)


def _flowers(cards: int) -> int:
    return reduce(or_, map(flower_of, single_bits(cards)), 0)


def _after(state: FaceUpState, bit: int, takes: int) -> FaceUpState:
    first, second = state.piles
    taken = bit | takes if takes else 0
    captures = (taken,) if taken else ()
    field = state.field & ~takes if takes else state.field | bit
    piles = (first | taken, second) if state.player == 1 else (first, second | taken)
    player, late, plays = state.player, captures, state.plays
    if state.drawing:
        player, late = 3 - player, (*state.late, *captures)
    else:
        plays += 1
    return FaceUpState(
        field,
        piles,
        player,
        not state.drawing,
        late,
        plays,
        state.unread,
        state.dealer,
        state.captures,
    )


def exchanged(state: FaceUpState, moves: Sequence[Any]) -> tuple[Play, Draw] | None:
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


def stop(played: FishingRound[Any, Any]) -> Call | None:
    """Return the stop that must have been called if a round did not go on, or None."""
    return next((call for call in played.calls() if isinstance(call, Call) and call.name == "stop"), None)


def _zones(played: FishingRound[Any, Any]) -> dict[str, str]:
    piles = {card: captured_zone(seat) for seat in (1, 2) for card in played.captured(seat)}
    return {**dict.fromkeys(played.field, FIELD), **piles}


def camera(round_class: type[FishingRound[Any, Any]]) -> Camera:
    """Return what a camera needs for a fishing game."""
    return Camera(
        layout="beside-field",
        scanned="field",
        zones=_zones,
        table=lambda rules, players: FishingTable(round_class, rules),
    )
