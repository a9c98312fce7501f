"""The part of a round that both forms of Kingo share: drawing toward 15, bareta, hidden hands, the showdown."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar, Self, TypeVar

from ...errors import BadRequestError
from ...messages import Message, card_message, player_message
from ...round import Deal, Problem, Round
from ...validation import whole_number
from .hands import LIMIT, AnyKingoRules, Hand, Role, deck_of, ranks_of
from .hidden import COPIES, MONTHS, Passing, Want, possible
from .moves import Bareta, Draw, KingoMove, Pass, Show, read_move
from .phrases import action_problem, card_names, hand_message, player_names
from .record import MAX_PLAYERS, Turn, check_cards, deal_of, deal_problems, stones_of, turn_dicts
from .state import KingoState, Seat, replaced, seen

__all__ = ["DrawingRound"]

R = TypeVar("R", bound=AnyKingoRules)
S = TypeVar("S", bound=KingoState)


class DrawingRound(Round[KingoMove, R, S]):
    """A round in which players draw toward 15.

    `stones` is the number of stones each player has before the round, by seat. None means that it is unknown, and
    then no player is limited in what they can pay. A player without stones is dealt no card and sits out.
    """

    dealt: ClassVar[int]
    """The number of cards dealt to each player."""
    deal_keys = frozenset({"hands", "stock"})
    turn_starts = frozenset({"choose", "wager", "redeal"})
    turn_ends = frozenset({"pass", "bareta", "choose", "wager", "redeal"})

    def __init__(self, rules: R, deal: Deal, *, dealer: int, stones: Sequence[int] | None = None) -> None:
        """Raise `BadRequestError` for a card that the table's deck does not have."""
        self.stones = None if stones is None else tuple(stones)
        self._months = deck_of(rules.deck)
        check_cards(deal, rules.deck)
        players = len(deal.hands)
        # From the dealer's right around to the dealer, without the players who sit out.
        self.seats_from_right = tuple(
            player for step in range(players) if deal.hands[(player := (dealer + step) % players + 1) - 1]
        )
        # Roles and the order depend on the dealer, and the first state depends on the order.
        self.dealer = dealer
        self.order = self._order()
        self._ranks = {player: ranks_of(rules, self.role(player)) for player in range(1, players + 1)}
        super().__init__(rules, deal, dealer=dealer)

    @classmethod
    def seats(cls, rules: R) -> Sequence[int]:
        """Return the allowed numbers of players."""
        return range(2, MAX_PLAYERS + 1)

    @classmethod
    def shuffled(
        cls,
        rules: R,
        rng: Random,
        *,
        players: int,
        dealer: int = 1,
        stones: Sequence[int] | None = None,
        **situation: Any,
    ) -> Self:
        """Deal the first cards to each player who has stones, from a shuffled deck.

        Raises `BadRequestError` if the number of players is not allowed.
        """
        if not 2 <= players <= MAX_PLAYERS:
            raise BadRequestError(f"Kingo is for 2 to {MAX_PLAYERS} players, not {players}")
        cards = list(deck_of(rules.deck))
        rng.shuffle(cards)
        out = {seat for seat, count in enumerate(stones or ()) if count <= 0 and rules.debt == "out"}
        hands = tuple(
            () if seat in out else tuple(cards.pop() for _ in range(cls.dealt)) for seat in range(players)
        )
        if "shuffle" in cls.situation_keys:
            situation["shuffle"] = rng.getrandbits(32)
        return cls(rules, Deal(hands, stock=tuple(cards)), dealer=dealer, stones=stones, **situation)

    @classmethod
    def _record_arguments(cls, record: Mapping[str, Any], rules: AnyKingoRules) -> dict[str, Any]:
        """Return the arguments of the round that records of both forms contain."""
        deal = deal_of(record, rules.deck, cls.dealt)
        dealer = whole_number(record.get("dealer", 1), "dealer", 1, len(deal.hands))
        return {"deal": deal, "dealer": dealer, "stones": stones_of(record)}

    # --- what each form of the game defines

    @abstractmethod
    def _order(self) -> tuple[int, ...]:
        """Return the players in playing order."""

    @abstractmethod
    def _max_draw_value(self) -> int:
        """Return the highest hand value at which a player may still draw."""

    @abstractmethod
    def _passing(self, player: int) -> Passing:
        """Return the condition that a player's hand must meet to pass."""

    @abstractmethod
    def _first_cards(self, player: int) -> int:
        """Return the number of cards in a player's hand before the first draw."""

    def role(self, player: int) -> Role:
        """Return a player's role; every player is a bettor in the form without a bank."""
        return "bettor"

    # --- hands

    def score(self, player: int) -> Hand | None:
        """Return the value of a player's hand, None while one of its cards is hidden."""
        seat = self._seat(player)
        return None if seat.hidden or not seat.cards else self._hand(player, seat)

    def _board(self) -> Iterator[tuple[str, str | Sequence[str | None]]]:
        yield "stock", f"{len(self.state.stock)} cards"
        for player, seat in enumerate(self.state.seats, start=1):
            yield f"player {player}", (*seat.known, *(None,) * seat.hidden)

    def captured(self, player: int) -> tuple[str, ...]:
        """Return the known cards of a player's hand."""
        return self._seat(player).known

    def yaku(self, player: int) -> tuple[tuple[str, int], ...]:
        """Return the teyaku of a player's hand with its multiplier; empty if there is none."""
        hand = self.score(player)
        return ((hand.rank.slug, hand.rank.times),) if hand is not None and hand.rank.teyaku else ()

    def _hand(self, player: int, seat: Seat) -> Hand:
        return self._judge(player, [self._months[card] for card in seat.known])

    def _judge(self, player: int, months: Sequence[int]) -> Hand:
        return self._ranks[player].judge(months)

    # --- checking

    def _check(self, state: S, move: KingoMove) -> list[Problem]:
        if self._outcome(state) is not None:
            return [Problem("round-over", Message("round-over"))]
        if move.player not in self.seats_from_right:
            playing = player_names(sorted(self.seats_from_right))
            text = Message("kingo-no-such-player", {"number": move.player, "players": playing})
            return [Problem("no-such-player", text)]
        return self._check_move(state, move) or self._check_hidden(state, move)

    def _check_move(self, state: S, move: KingoMove) -> list[Problem]:
        """Return the problems of a move by a player in the round, as far as the player's known cards show."""
        match move:
            case Draw():
                return self._on_turn(state, move) + self._check_draw(state, move)
            case Pass():
                return self._on_turn(state, move) + self._check_pass(state, move)
            case Bareta():
                return self._on_turn(state, move) + self._check_bareta(state, move)
            case Show():
                return self._check_show(state, move)
        return [action_problem("no-such-move", move, "kingo-banking-move")]

    def _on_turn(self, state: S, move: KingoMove) -> list[Problem]:
        if state.turn == move.player:
            return []
        if state.turn == 0:
            return [action_problem("showdown", move, "kingo-showdown")]
        return [action_problem("out-of-turn", move, "kingo-out-of-turn", turn=player_message(state.turn))]

    def _check_draw(self, state: S, move: Draw) -> list[Problem]:
        problems = self._check_drawn_card(state, move)
        seat = state.seats[move.player - 1]
        if self._is_revealing(state, move.player):
            problems.append(action_problem("bareta-draws", move, "kingo-showing-bareta"))
        if seat.hidden:
            return problems
        hand = self._hand(move.player, seat)
        limit = self._max_draw_value() + 1
        if hand.bareta:
            problems.append(
                action_problem("bareta-draws", move, "kingo-bareta-unsaid", hand=hand_message(hand))
            )
        elif hand.value >= limit:
            problems.append(
                action_problem(
                    "drew-at-fifteen", move, "kingo-draws-at-limit", hand=hand_message(hand), limit=limit
                )
            )
        return problems

    def _is_revealing(self, state: S, player: int) -> bool:
        """Return whether a player is in the middle of showing a bareta hand."""
        seat = state.seats[player - 1]
        return bool(seat.revealed) and state.turn == player and not seat.done

    def _check_drawn_card(self, state: S, move: Draw) -> list[Problem]:
        """Return the problems of the drawn card itself."""
        if not state.stock:
            return [Problem("stock-empty", Message("kingo-stock-empty"))]
        top = state.stock[0]
        if top is not None:
            if move.card == top:
                return []
            return [action_problem("wrong-draw", move, "kingo-wrong-draw", card=card_message(top))]
        if move.card is None:
            return self._card_required(move)
        return self._card_problems(state, move, move.card)

    def _card_required(self, move: KingoMove) -> list[Problem]:
        """Return a problem if a move does not name its card although hands are face up."""
        if self.rules.hands == "hidden":
            return []
        return [action_problem("card-not-reported", move, "kingo-card-missing")]

    def _card_problems(self, state: S, move: KingoMove, card: str) -> list[Problem]:
        if card not in self._months:
            return [action_problem("no-such-card", move, "kingo-card-not-in-deck")]
        if card in seen(state):
            return [action_problem("card-twice", move, "kingo-card-elsewhere")]
        return []

    def _check_bareta(self, state: S, move: Bareta) -> list[Problem]:
        seat = state.seats[move.player - 1]
        if seat.hidden or (hand := self._hand(move.player, seat)).bareta:
            return []
        return [action_problem("no-bareta", move, "kingo-not-bareta", hand=hand_message(hand))]

    def _check_pass(self, state: S, move: Pass) -> list[Problem]:
        seat = state.seats[move.player - 1]
        if self._is_revealing(state, move.player):
            return [action_problem("bareta-passed", move, "kingo-showing-bareta")]
        required = self._passing(move.player)
        if seat.hidden or required.allows(hand := self._hand(move.player, seat)):
            return []
        if hand.bareta:
            return [action_problem("bareta-passed", move, "kingo-bareta-unsaid", hand=hand_message(hand))]
        if len(hand.months) < required.cards:
            return [action_problem("draw-first", move, "kingo-draw-first", count=len(hand.months))]
        return [
            action_problem(
                "tsun-too-low", move, "kingo-tsun-too-low", hand=hand_message(hand), min=required.value
            )
        ]

    def _check_show(self, state: S, move: Show) -> list[Problem]:
        problems = self._on_turn(state, move) if state.turn else []
        seat = state.seats[move.player - 1]
        if seat.hidden:
            return problems + self._card_problems(state, move, move.card)
        problems.append(
            action_problem("nothing-hidden", move, "kingo-nothing-hidden", cards=card_names(seat.known))
        )
        return problems

    def _check_hidden(self, state: S, move: KingoMove) -> list[Problem]:
        """Return a problem if no assignment of the hidden cards allows a move."""
        if not any(None in seat.cards for seat in state.seats):
            return []
        after = self._after(state, move)
        # A contradiction that existed before is not caused by this move.
        if self._possible(after) or not self._possible(state):
            return []
        seat = after.seats[move.player - 1]
        return [
            action_problem(
                "hidden-contradiction",
                move,
                "kingo-hidden-contradiction",
                cards=card_names((*seat.known, *(None,) * seat.hidden)),
                rule=self._hidden_rule(move),
            )
        ]

    def _hidden_rule(self, move: KingoMove) -> Message:
        match move:
            case Draw():
                return Message("kingo-hidden-draw", {"limit": self._max_draw_value() + 1})
            case Pass():
                return Message("kingo-hidden-pass")
            case Bareta():
                return Message("kingo-hidden-bareta", {"min": LIMIT + 1})
        return Message("kingo-hidden-other")

    def _possible(self, state: S) -> bool:
        """Return whether some assignment of the hidden cards is consistent with all moves so far."""
        constraints = [
            constraint
            for player in self.seats_from_right
            if (constraint := self._constraint(state, player, state.seats[player - 1])) is not None
        ]
        if not constraints:
            return True
        unseen = [0, *(COPIES for _ in MONTHS)]
        for card in seen(state):
            unseen[self._months[card]] -= 1
        return possible(constraints, unseen)

    def _constraint(self, state: S, player: int, seat: Seat) -> Want | None:
        """Return the constraints on a hand that has or had hidden cards; None if its moves imply none."""
        if None not in seat.cards:
            return None
        drawn = len(seat.cards) > self._first_cards(player)
        ends: Passing | bool = False
        if seat.done == "bareta" or self._is_revealing(state, player):
            ends = True
        elif seat.done:
            ends = self._passing(player)
        if not drawn and ends is False:
            return None
        last = seat.cards[-1]
        return Want(
            ranks=self._ranks[player],
            known=tuple(sorted(self._months[card] for card in seat.cards if card is not None)),
            revealed=tuple(sorted(self._months[card] for card in seat.revealed)),
            hidden=seat.hidden,
            last=0 if last is None else self._months[last],
            limit=self._max_draw_value() if drawn else None,
            ends=ends,
        )

    def fits(self, player: int, seat: Seat) -> bool:
        """Return whether a hand is consistent with the moves of its player, whatever the others have."""
        wanted = self._constraint(self.state, player, seat)
        return wanted is None or next(wanted.fills(), None) is not None

    # --- moving

    def _after(self, state: S, move: KingoMove) -> S:
        seat = state.seats[move.player - 1] if 0 < move.player <= self.players else None
        if seat is None:
            return state
        match move:
            case Draw():
                return self._after_draw(state, move, seat)
            case Pass() | Bareta():
                done: Any = "pass" if isinstance(move, Pass) else "bareta"
                seats = replaced(state.seats, move.player, replace(seat, done=done))
                return replace(state, seats=seats, turn=self._next_turn(seats))
            case Show() if seat.hidden and move.card in self._months:
                revealed = replace(seat, revealed=(*seat.revealed, move.card))
                return replace(state, seats=replaced(state.seats, move.player, revealed))
        return state

    def _after_draw(self, state: S, move: Draw, seat: Seat) -> S:
        top, rest = (state.stock[0], state.stock[1:]) if state.stock else (None, ())
        card = move.card if move.card in self._months else top
        if card is not None and card != top and card in rest:
            # A different card was reported than the known top one: swap the two, so that each card exists once.
            rest = tuple(top if each == card else each for each in rest)
        cards = replace(seat, cards=(*seat.cards, card))
        turn = state.turn if seat.done else move.player
        return replace(state, seats=replaced(state.seats, move.player, cards), stock=rest, turn=turn)

    def _next_turn(self, seats: Sequence[Seat]) -> int:
        return next((player for player in self.order if not seats[player - 1].done), 0)

    def _to_move(self, state: S) -> int:
        return state.turn or next(self._to_show(state))

    def _to_show(self, state: S) -> Iterator[int]:
        """Yield the players who still have to show cards at the showdown; bareta hands are out of it."""
        for player in self.order:
            seat = state.seats[player - 1]
            if seat.hidden and seat.done == "pass":
                yield player

    def _all_revealed(self, state: S) -> bool:
        return state.turn == 0 and next(self._to_show(state), None) is None

    # --- legal moves

    def _legal(self, state: S) -> list[KingoMove]:
        visible = seen(state) if None in state.stock[:1] or not state.turn else ()
        allowed_by_month: dict[tuple[type[KingoMove], int, int], bool] = {}
        legal = []
        for move in self._candidates(state):
            if isinstance(move, Draw | Show) and move.card is not None and move.card not in visible:
                # Unseen cards of one month are equivalent, and the check is slow: do it once per month.
                key = (type(move), move.player, self._months[move.card])
                if key not in allowed_by_month:
                    allowed_by_month[key] = not self._check(state, move)
                allowed = allowed_by_month[key]
            else:
                allowed = not self._check(state, move)
            if allowed:
                legal.append(move)
        return legal

    def _candidates(self, state: S) -> Iterator[KingoMove]:
        """Yield the moves that may be legal; `_check` decides which of them are."""
        player = state.turn
        if player:
            top = state.stock[0] if state.stock else None
            yield Draw(player, top)
            if top is None:
                yield from (Draw(player, card) for card in self._unseen_cards(state))
            yield Pass(player)
            yield Bareta(player)
        for each in (player,) if player else self.order:
            if state.seats[each - 1].hidden:
                yield from (Show(each, card) for card in self._unseen_cards(state))

    def _unseen_cards(self, state: S) -> Iterator[str]:
        visible = seen(state)
        return (card for card in self._months if card not in visible)

    # --- the deal

    def status(self) -> list[Problem]:
        """Return every problem of the deal."""
        return deal_problems(self.rules, self.deal, self.dealer, self.dealt, self.stones)

    def pending_decision(self) -> Problem | None:
        """Return what the current turn still needs: an end after a draw, or the rest of a hand being shown."""
        state = self._states[-1]
        last = self.moves[-1] if self.moves else None
        if last is None or self._outcome(state) is not None:
            return None
        player = last.player
        seat = state.seats[player - 1] if 0 < player <= self.players else None
        if seat is None:
            return None
        if isinstance(last, Draw | Show) and state.turn == player and not seat.done:
            text = Message("kingo-turn-unfinished", {"player": player_message(player)})
            return Problem("turn-unfinished", text)
        if isinstance(last, Show) and seat.hidden and seat.done == "pass":
            text = Message(
                "kingo-show-missing",
                {"player": player_message(player), "count": len(seat.cards), "hidden": seat.hidden},
            )
            return Problem("show-missing", text)
        return None

    def may_be_over(self) -> bool:
        """Return whether all have played and the showdown only waits for hidden hands."""
        state = self._states[-1]
        return state.turn == 0 and not self._all_revealed(state)

    # --- records and text

    def situation(self) -> Mapping[str, int | tuple[int, ...]]:
        """Return the stones, if known."""
        return {} if self.stones is None else {"stones": self.stones}

    def read_turn(self, turn: Mapping[str, Any]) -> Iterator[KingoMove]:
        """Yield the moves of a record's turn (`companion.hanafuda.games.kingo.record`); push each before the next."""
        entry = Turn.read(turn, self.rules.deck, self.players)
        yield from entry.before_draws()
        for card in entry.draws:
            stock = self._states[-1].stock
            yield Draw(entry.player, card if card is not None or not stock else stock[0])
        for revealed_card in entry.shows:
            if revealed_card not in self._seat(entry.player).cards:
                yield Show(entry.player, revealed_card)
        if entry.passes:
            yield Pass(entry.player)
        elif entry.bareta or (entry.draws and self._is_bareta(entry.player)):
            yield Bareta(entry.player)

    def may_follow(self, turn: Mapping[str, Any]) -> bool:
        """Return whether a turn recorded after the end only shows cards that the player is known to have."""
        entry = Turn.read(turn, self.rules.deck, self.players)
        return bool(entry.shows) and entry.only_shows and set(entry.shows) <= set(self.captured(entry.player))

    def _seat(self, player: int) -> Seat:
        return self._states[-1].seats[self._place(player)]

    def _is_bareta(self, player: int) -> bool:
        """Return whether a hand is known to be bareta, so that the call is implied."""
        hand = self.score(player)
        return hand is not None and hand.bareta

    def turns(self) -> list[dict[str, Any]]:
        """Return the moves so far as a record's turns (`companion.hanafuda.games.kingo.record`)."""
        return turn_dicts(self.moves)

    @classmethod
    def read_move(cls, player: int, words: Sequence[str]) -> KingoMove:
        """Return the move written by `Move.words`."""
        return read_move(player, words)

    # --- stones

    @property
    def limited(self) -> tuple[int, ...] | None:
        """The most each player can pay; None if unknown, or if debts are allowed."""
        known = self.stones is not None and len(self.stones) == self.players
        return self.stones if known and self.rules.debt == "out" else None

    def _with_stones(self, player: int, points: Sequence[int]) -> int:
        """Return the player, or the next one to the right who still has stones after the round."""
        if self.limited is None:
            return player
        ahead = [(player - 1 + step) % self.players for step in range(self.players)]
        return next((seat + 1 for seat in ahead if self.limited[seat] + points[seat] > 0), player)
