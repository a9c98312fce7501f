"""A round of a fishing game: 48 cards, two hands, a field, a stock, and turns of two cards.

`FishingRound` plays the cards. Koi-Koi and Kekoro decide which calls there are, when the round ends and what it pays.

A turn of a record (contract): ``{"player": 1, "play": id, "captured": [ids], "draw": id or null,
"draw_captured": [ids], "call": "koikoi" | "stop" | "win" | null}``. `captured` lists the card itself and what it
captured; it is empty if the card was added to the field. If yaku are judged after each card, ``"play_call"`` is the
call after the hand card; if the round ended there, `draw` is null and `call` has the call as well.
``{"player": 1, "laid": {"field": [ids], "captured": {"1": [ids], "2": [ids]}}}`` is not a turn: the table was reset to
these cards, and `player` is to move; the rest of that player's turn follows in the same entry.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from random import Random
from typing import Any, ClassVar, Self, TypeVar

from ..cards import single_bits, to_bits
from ..errors import BadRequestError
from ..messages import Message, player_message
from ..round import Deal, Outcome, Problem, Round
from ..rules import Rules, resolve
from .captures import (
    DECK,
    Captures,
    id_of,
    ids_of,
    single_sets,
)
from .checks import card_problems, deal_problems, turn_problems, unknown_player
from .moves import (
    Call,
    Draw,
    FishingMove,
    Play,
    card_moves,
    read_move,
)
from .record import (
    FIELD,
    TableReset,
    Turn,
    read_deal,
    read_reset,
    read_rest,
    read_seats,
    seat,
    turn_dicts,
    turn_part,
)
from .state import FishingState

__all__ = ["PLAYERS", "FishingRound", "replaced"]

PLAYERS = 2

R = TypeVar("R", bound=Rules)
S = TypeVar("S", bound=FishingState)


class FishingRound(Round[FishingMove, R, S]):
    """A round in which cards capture cards of the same flower from the field."""

    game: ClassVar[str]
    """The slug of the game."""
    turn_starts = frozenset({"play"})

    def __init__(self, rules: R, deal: Deal, *, dealer: int) -> None:
        self.captures = self._captures(rules, deal)
        self.stock = single_sets(deal.stock)
        """The stock as dealt, each card as a set of one, 0 for a hidden card."""
        self._has_hidden_hands = any(None in hand for hand in deal.hands)
        self._resets: tuple[TableReset, ...] = ()
        super().__init__(rules, deal, dealer=seat(dealer, len(deal.hands), "dealer"))

    # --- hooks for the games. Those that take a state and return nothing change it: it is a fresh copy.

    @classmethod
    def hand_size(cls, rules: R) -> int:
        """Return the number of cards dealt to each hand."""
        return 8

    def _captures(self, rules: R, deal: Deal) -> Captures:
        """Return how cards capture."""
        return Captures()

    @abstractmethod
    def _new_state(self, **cards: Any) -> S:
        """Return the state before the first move, with the cards given."""

    @abstractmethod
    def _open(self, state: S) -> None:
        """End the round if the deal ends it (a misdeal, a dealt hand)."""

    @abstractmethod
    def _after_card(self, state: S) -> None:
        """Continue after a card was played.

        The phase is `decide-play` after a hand card and `decide` after a drawn one; `_go_on` continues if there is
        nothing to decide.
        """

    def _exhaust(self, state: S) -> None:
        """End the round because the hands are empty."""
        state.phase = "over"

    @abstractmethod
    def _calls(self, state: S) -> Sequence[Call]:
        """Return the legal calls."""

    @abstractmethod
    def _make_call(self, state: S, call: Call) -> None:
        """Make a legal call."""

    @abstractmethod
    def _call_problems(self, state: S, call: Call) -> list[Problem]:
        """Return the problems of an illegal call."""

    @abstractmethod
    def _decision(self, state: S) -> Problem:
        """Return the problem of a missing decision."""

    @abstractmethod
    def _is_implied(self, state: S, call: Call) -> bool:
        """Return whether a call only repeats what the rules did automatically (a forced stop)."""

    def _implied_call(self, state: S) -> Call | None:
        """Return the decision that must have been made if the round went on without a recorded one."""
        return None

    def _over(self, state: S) -> Problem:
        """Return the problem of a move after the end of the round."""
        outcome = self._ended(state)
        code = "round-over" if outcome.counts else "misdeal"
        return Problem(code, Message("fishing-round-over", {"outcome": outcome.why}))

    def _contradiction(self, before: S, after: S) -> Problem | None:
        """Return the problem if a card shown by a hidden hand contradicts an earlier event."""
        return None

    @abstractmethod
    def _ended(self, state: S) -> Outcome:
        """Return how the round ended."""

    # --- moves

    def _start(self) -> S:
        hands = self.deal.hands
        state = self._new_state(
            hands=tuple([reduce(or_, single_sets(hand), 0) for hand in hands]),
            hand_sizes=tuple(len(hand) for hand in hands),
            played=(0,) * self.players,
            field=reduce(or_, single_sets(self.deal.field), 0),
            piles=(0,) * self.players,
            known_stock=reduce(or_, self.stock, 0),
            drawn=0,
            player=self.dealer,
            phase="play",
        )
        self._open(state)
        return state

    def _after(self, state: S, move: FishingMove) -> S:
        if isinstance(move, Call):
            if move not in self._calls(state):
                return state
            state = state.copy()
            self._make_call(state, move)
            return state
        player, bit, taken = move.player, move.bit, move.taken
        if not 1 <= player <= self.players:
            return state
        if not bit or taken.bit_count() < len(move.takes):
            move.check_ids()
        state = state.copy()
        state.player = player
        who = player - 1
        if isinstance(move, Play):
            state.hand_sizes = replaced(state.hand_sizes, who, max(0, state.hand_sizes[who] - 1))
            state.played = replaced(state.played, who, state.played[who] | bit)
            state.phase = "decide-play"
        else:
            # The top card has left the stock, whichever card was reported.
            state.known_stock &= ~self._top_card(state)
            state.drawn += 1
            state.phase = "decide"
        hands, field, piles = state.hands, state.field, state.piles
        if not bit & (field | piles[0] | piles[1]):  # a card that is face up already stays where it is
            if bit & (hands[0] | hands[1]):
                state.hands = hands[0] & ~bit, hands[1] & ~bit
            if taken := taken & field:
                state.piles = replaced(piles, who, piles[who] | bit | taken)
                state.field = field & ~taken
            else:
                state.field = field | bit
        self._after_card(state)
        return state

    def _go_on(self, state: S) -> None:
        """Continue with the next card: a stock card after a hand card, otherwise the next player's."""
        if state.phase == "decide-play" and state.drawn < len(self.stock):
            state.phase = "draw"
            return
        sizes = state.hand_sizes
        if not (sizes[0] or sizes[1]):
            self._exhaust(state)
            return
        following = state.player % self.players + 1
        # One hand is empty before the other only if a player played out of turn.
        if sizes[following - 1]:
            state.player = following
        state.phase = "play"

    def _top_card(self, state: S) -> int:
        """Return the top card of the stock as a set, 0 if it is hidden or the stock is empty."""
        return self.stock[state.drawn] if state.drawn < len(self.stock) else 0

    def _legal(self, state: S) -> list[FishingMove]:
        moves: list[FishingMove] = list(self._calls(state))
        player, field, wild = state.player, state.field, self.captures.wild
        if state.phase == "play":
            cards = state.hands[player - 1]
            if self._has_hidden_hands and state.hidden(player):
                cards |= state.unseen
            by_card = card_moves(Play, player, self.captures.hand_takes_both)
        elif state.phase == "draw":
            cards = self._top_card(state) or state.unseen
            by_card = card_moves(Draw, player, False)
        else:
            return moves
        # After an illegal move, a card that should be hidden may be face up.
        cards &= ~state.face_up
        others = cards & ~wild
        while others:
            bit = others & -others
            others ^= bit
            flower, by_matches = by_card[bit]
            moves += by_matches[field & flower]
        if cards & wild:
            moves = sorted([*moves, *self._wild_moves(state, wild)], key=_in_deck_order)
        if self._has_hidden_hands:
            return [
                move for move in moves if isinstance(move, Call) or not self._contradiction_of(state, move)
            ]
        return moves

    def _wild_moves(self, state: S, wild: int) -> Iterator[FishingMove]:
        """Yield the moves of the wild card, a set of one."""
        make = Play if state.phase == "play" else Draw
        for takes in self.captures.options(wild, state.field, from_hand=make is Play):
            yield make(state.player, id_of(wild), ids_of(takes))

    def _is_legal(self, state: S, move: FishingMove) -> bool:
        if isinstance(move, Call):
            return move in self._calls(state)
        from_hand = isinstance(move, Play)
        known = state.hands[state.player - 1] if from_hand else self._top_card(state)
        if (
            move.player == state.player
            and state.phase == ("play" if from_hand else "draw")
            and move.bit & known
            and not self._has_hidden_hands
        ):
            takes = move.taken
            options = self.captures.options(move.bit, state.field & ~move.bit, from_hand=from_hand)
            return takes in options and takes.bit_count() == len(move.takes)
        return not self._check(state, move)

    def _contradiction_of(self, state: S, move: FishingMove) -> Problem | None:
        """Return the problem if a move from a hidden hand contradicts an earlier event."""
        return self._contradiction(state, self._after(state, move)) if self._has_hidden_hands else None

    def _check(self, state: S, move: FishingMove) -> list[Problem]:
        if not 1 <= move.player <= self.players:
            return [unknown_player(move.player, self.players)]
        if isinstance(move, Call):
            return [] if move in self._calls(state) else self._call_problems(state, move)
        move.check_ids()
        if state.phase == "over":
            problems = [self._over(state)]
        else:
            problems = turn_problems(state, move, self._pending(state))
        problems += card_problems(state, move, self.captures, self.stock)
        if not problems and (contradiction := self._contradiction_of(state, move)):
            problems.append(contradiction)
        return problems

    def _to_move(self, state: S) -> int:
        return state.player

    def _is_over(self, state: S) -> bool:
        return state.phase == "over"

    def _outcome(self, state: S) -> Outcome | None:
        return self._ended(state) if state.phase == "over" else None

    def calls(self) -> list[FishingMove]:
        """Return the calls that one player may make now."""
        return list(self._calls(self._states[-1]))

    @classmethod
    def turn_cards(cls, moves: Sequence[FishingMove]) -> dict[str, Any]:
        """Return the cards and the call of one turn with the keys of a record."""
        turn: dict[str, Any] = {}
        for move in moves:
            turn |= turn_part(move)
        return super().turn_cards(moves) | turn

    def pending_decision(self) -> Problem | None:
        """Return what the current turn still needs: a drawn card or a decision."""
        return self._pending(self._states[-1])

    def _pending(self, state: S) -> Problem | None:
        """Return what the turn still needs in a state."""
        if state.phase == "draw":
            params = {"player": player_message(state.player)}
            return Problem("draw-missing", Message("fishing-draw-missing", params))
        return self._decision(state) if state.phase in {"decide-play", "decide"} else None

    # --- a table that was reset

    def reset_table(self, field: Sequence[str], captured: Sequence[Sequence[str]], to_move: int) -> None:
        """Reset the table to the cards that are on it: the field, each player's pile, and whose turn it is.

        The number of cards in the hands and the stock follows from the number of face-up cards: two more each turn.
        Earlier calls stay. A player whose yaku have grown since then and who is not about to decide must have called
        koi-koi. `turns` records the reset; the text form does not. Raises `BadRequestError` for duplicate cards and
        unknown players.
        """
        seat(to_move, self.players, "to_move")
        piles = [to_bits(pile) for pile in captured]
        if len(piles) != self.players:
            raise BadRequestError(f"captured must be {self.players} lists of cards, not {len(piles)}")
        to_bits([card for part in (field, *captured) for card in part])
        mid_turn = self.pending_decision() is not None
        reset = TableReset(
            len(self._moves), to_move, ids_of(to_bits(field)), tuple(map(ids_of, piles)), mid_turn
        )
        self._resets = (*self._resets, reset)
        self._states[-1] = self._reset(self._states[-1], to_bits(field), tuple(piles), to_move)

    def pop(self) -> FishingMove:
        """Undo the last move and return it; a reset of the table after it is undone too."""
        move = super().pop()
        self._resets = tuple(reset for reset in self._resets if reset.after <= len(self._moves))
        return move

    def _reset(self, state: S, field: int, piles: tuple[int, ...], to_move: int) -> S:
        state = state.copy()
        face_up = reduce(or_, piles, field)
        turned = max(0, face_up.bit_count() - len(self.deal.field))
        hands = max(0, sum(map(len, self.deal.hands)) - (turned + 1) // 2)
        drawn = min(turned // 2, len(self.stock))
        other = to_move % self.players + 1
        by_count = self.dealer % self.players + 1 if turned // 2 % 2 else self.dealer
        decides = turned % 2 == 0 and to_move != by_count
        # The player to move has as many cards as the other or one more; one about to draw or decide has just played.
        fewer = to_move if turned % 2 or decides else other
        state.hands = tuple(hand & ~face_up for hand in state.hands)
        state.hand_sizes = tuple(hands // 2 if player == fewer else hands - hands // 2 for player in (1, 2))
        state.field, state.piles = field, piles
        state.known_stock = reduce(or_, self.stock[drawn:], 0) & ~face_up
        state.drawn, state.player = drawn, to_move
        state.phase = "draw" if turned % 2 else "play"
        self._after_reset(state, to_move if decides else 0)
        return state

    def _after_reset(self, state: S, decides: int) -> None:
        """Continue after a reset; player `decides` (0 for none) has just played and may have a decision to make."""
        if not any(state.hand_sizes) and state.phase != "draw":
            self._exhaust(state)

    # --- cards

    @property
    def field(self) -> tuple[str, ...]:
        """The cards on the field, in deck order."""
        return ids_of(self._states[-1].field)

    def captured(self, player: int) -> tuple[str, ...]:
        """Return the cards a player has captured, in deck order."""
        return ids_of(self._states[-1].piles[self._place(player)])

    def hand(self, player: int) -> tuple[str | None, ...]:
        """Return a player's hand: known cards in deck order, then a None for each hidden one."""
        state = self._states[-1]
        return (*ids_of(state.hands[self._place(player)]), *(None,) * state.hidden(player))

    def _board(self) -> Iterator[tuple[str, str | Sequence[str | None]]]:
        yield "field", self.field
        yield "stock", f"{len(self.stock) - self.state.drawn} cards"
        for player in range(1, self.players + 1):
            yield f"player {player}", self.hand(player)
            yield "  captured", self.captured(player)
            if yaku := self.yaku(player):
                yield "  yaku", ", ".join(f"{slug} {points}" for slug, points in yaku)

    def status(self) -> list[Problem]:
        """Return every problem of the deal: duplicate cards, wrong numbers of cards."""
        return deal_problems(self.deal, self.hand_size(self.rules))

    def filled(self, rng: Random) -> Self | None:
        """Return a copy with the hidden cards dealt at random and the stock shuffled; see `Round.filled`."""
        state = self.state.copy()
        hidden = [state.hidden(player) for player in range(1, self.players + 1)]
        in_stock = len(self.stock) - state.drawn
        cards = list(single_bits(state.unseen | state.known_stock))
        if len(cards) < sum(hidden) + in_stock:
            return None
        rng.shuffle(cards)
        hands = list(state.hands)
        for player, count in enumerate(hidden):
            hands[player] |= reduce(or_, cards[:count], 0)
            del cards[:count]
        state.hands = tuple(hands)
        state.known_stock = reduce(or_, cards[:in_stock], 0)
        other = self.copy()
        other.stock = (*self.stock[: state.drawn], *cards[:in_stock])
        other._has_hidden_hands = False
        other._moves, other._states = [], [state]
        return other

    # --- deals and records

    @classmethod
    def shuffled(
        cls, rules: R, rng: Random, *, players: int = PLAYERS, dealer: int = 1, **situation: Any
    ) -> Self:
        """Deal a round from a shuffled deck, every card known; deal again while the rules ask for a redeal."""
        size, ids = cls.hand_size(rules), list(ids_of(DECK))
        while True:
            rng.shuffle(ids)
            hands = tuple(tuple(ids[start : start + size]) for start in range(0, players * size, size))
            field_end = players * size + FIELD
            deal = Deal(hands, tuple(ids[players * size : field_end]), tuple(ids[field_end:]))
            dealt = cls(rules, deal, dealer=dealer, **situation)
            if not dealt._is_over(dealt.state) or dealt._ended(dealt.state).counts:
                return dealt

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the round that a record deals, before its turns.

        `deal.hands` and `deal.stock`, or cards in them, may be absent or null: they are hidden. Raises
        `BadRequestError` if the record cannot be read.
        """
        rules: Any = resolve(record.get("rules"), cls.game)
        deal = read_deal(record, players=PLAYERS, hand_size=cls.hand_size(rules))
        return cls(rules, deal, dealer=read_seats(record, PLAYERS), **cls._record_situation(record))

    @classmethod
    def _record_situation(cls, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the further arguments of the round that a record contains."""
        return {}

    def read_turn(self, turn: Mapping[str, Any]) -> Iterator[FishingMove]:
        """Yield the moves of a record's turn; push each one before asking for the next.

        A decision missing from the turn before comes first, as what it must have been. Raises `BadRequestError` if
        the turn cannot be read.
        """
        if isinstance(turn, Mapping) and "laid" in turn:
            yield from self._read_reset(turn)
            return
        read = Turn.read(turn, self.players)
        moves = [each for each in (read.play, read.play_call, read.draw, read.call) if each]
        if not isinstance(moves[0], Call) and (implied := self._implied_call(self._states[-1])):
            yield implied
        for each in moves:
            if not (isinstance(each, Call) and self._is_implied(self._states[-1], each)):
                yield each

    def _read_reset(self, turn: Mapping[str, Any]) -> Iterator[FishingMove]:
        player = seat(turn.get("player"), self.players, "player")
        field, piles = read_reset(turn["laid"], self.players)
        rest = read_rest(turn, player)
        self.reset_table(field, piles, player)
        yield from rest

    def inferred_moves(self, move: FishingMove) -> list[FishingMove]:
        """Return the decision that must have been made before a card of the next turn, if one was pending."""
        call = None if isinstance(move, Call) else self._implied_call(self._states[-1])
        return [] if call is None else [call]

    def turns(self) -> list[dict[str, Any]]:
        """Return the moves so far as a record's turns, including a forced stop."""
        moves = list(self._moves)
        state = self._states[-1]
        stop = Call(state.player, "stop")
        if self._is_implied(state, stop):
            moves.append(stop)
        return turn_dicts(moves, self._resets)

    @classmethod
    def read_move(cls, player: int, words: Sequence[str]) -> FishingMove:
        """Return the move that `Move.words` wrote."""
        return read_move(player, words)


def replaced(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    """Return the values of two players with one replaced."""
    return (value, values[1]) if index == 0 else (values[0], value)


def _in_deck_order(move: FishingMove) -> int:
    """Order moves by their card; calls come first."""
    return 0 if isinstance(move, Call) else move.bit
