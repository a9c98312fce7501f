"""The table of Kingo as a camera sees it: the hands that are laid open, and the draws and passes that follow from them.

Players hold their cards: how often somebody drew is known only when the hand is laid open, or while the cards lie face down on the
table. What happened follows from the hands on the table, whatever their order of arrival; so a step brings the whole history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import compress
from math import comb, log
from typing import Any, Final, NamedTuple, TypeAlias

from ...cards import first_of
from ...messages import Message, player_message
from ...round import Deal, Problem
from ...table_model import Placement, Question, TableClues, TableProblem, TableStep
from ...zones import STOCK, hand_zone
from .bank import KingoBankRound
from .drawing import DrawingRound
from .hands import AnyKingoRules, deck_of, ranks_of
from .moves import Bareta, Choose, Draw, KingoMove, Pass, Redeal, Show, Wager
from .phrases import card_names
from .round import KingoRound
from .rules import KingoRules
from .state import BankState, Seat, replaced

__all__ = ["HandsState", "KingoTable"]

_ILLEGAL: Final = log(0.02)
"""Log-probability of a hand that the rules forbid."""
_UNDETECTED: Final = log(0.02)
"""Log-probability that a card of a hand is not detected at all."""
_SEEN_LATE: Final = log(0.3)
"""Log-probability that a hand was seen with other cards when it was laid open."""
_NOT_AS_ENTERED: Final = log(0.003)
"""Log-probability that a hand has another number of cards than was entered."""
_LAID_DOWN: Final = log(0.1)
"""Log-probability that face-down cards are laid before a player who holds them, or picked up."""
_DRAWN: Final = log(0.5)
"""Log-probability that a player who lays the cards face down draws another one."""
_STILL_LAID: Final = log(0.3)
"""Log-probability that of hands that were not open before some cards are still to come."""
_UNLIKELY: Final = 6.0
"""Combinations of hands that are less likely than the best one by more than this (log) are not considered."""
_TABLES: Final = 12
"""Number of combinations of hands that are considered."""
_REMEMBERED: Final = 1000
"""Number of hands and of tables of which it is remembered what follows from them."""

_OPENING: Final = (Choose, Wager, Redeal)
"""Banking form: the moves before the first draw."""

_Turns: TypeAlias = tuple[tuple[KingoMove, ...], ...]


class HandsState(NamedTuple):
    """The hands of a round: what lies on the table, and what is known of the players' cards and turns."""

    dealer: int
    visible: tuple[int, ...]
    """The face-up cards before each player, as sets."""
    down: tuple[int, ...]
    """The number of face-down cards before each player; 0 while the player holds them."""
    seats: tuple[Seat, ...]
    opening: tuple[KingoMove, ...] = ()
    """Banking form: the choices and wagers that are known."""
    growing: frozenset[int] = frozenset()
    """The players who have laid some cards open and will lay others."""
    unread: frozenset[tuple[int, str]] = frozenset()
    """The players in whose open hands there is another card, which nobody can read, with how their turn then ended (`Seat.done`)."""


class _Option(NamedTuple):
    """What may lie before a player."""

    hand: int
    """The face-up cards that are read, as a set."""
    backs: int
    unread: str | None
    """How the turn ended if there is another card, which nobody can read; None if there is none."""
    likelihood: float
    """Log-likelihood."""
    prior: float
    """Log-probability."""


class _Table(NamedTuple):
    """What may lie before the first players."""

    score: float
    """Log-likelihood and log-probability."""
    prior: float
    """Log-probability."""
    visible: tuple[int, ...] = ()
    down: tuple[int, ...] = ()
    unread: tuple[tuple[int, str], ...] = ()
    """As `HandsState.unread`."""


class KingoTable:
    """The table of either form of Kingo."""

    dealt = 0
    turn_steps = 1
    shows_history = True
    seats = 0

    def __init__(self, rules: AnyKingoRules, players: int) -> None:
        self._rules, self._players = rules, players
        self.zones = (STOCK, *map(hand_zone, range(1, players + 1)))
        self.piled = (True, *(False,) * players)
        self._months = deck_of(rules.deck)
        self._ids = {1 << index: card for index, card in enumerate(self._months)}
        self._bits = {card: bit for bit, card in self._ids.items()}
        self.deck = tuple(self._months)
        self._seconds = sum(bit for bit, card in self._ids.items() if first_of(card) != card)
        """The second of each two look-alikes; it follows the first in the deck order."""
        self._rounds = {dealer: self._deal(dealer) for dealer in range(1, players + 1)}
        self._ending = lru_cache(_REMEMBERED)(self._ending_of)
        self._followed = lru_cache(_REMEMBERED)(self._follow)

    def _deal(self, dealer: int) -> KingoRound | KingoBankRound:
        form = KingoRound if isinstance(self._rules, KingoRules) else KingoBankRound
        hands = ((None,) * form.dealt,) * self._players
        stock = (None,) * (len(self._months) - self._players * form.dealt)
        made: Any = form  # each form takes its own rules
        dealt: KingoRound | KingoBankRound = made(self._rules, Deal(hands, stock=stock), dealer=dealer)
        return dealt

    def deals(self, cards: int, dealer: int, unread: int = 0) -> tuple[HandsState]:
        """Return the one state after a deal, which shows no card."""
        return (self.committed(self._rounds[dealer]),)

    def dealt_state(self, played: DrawingRound[Any, Any]) -> HandsState:
        """Return the state after the deal of a round."""
        return self.committed(self._rounds[played.dealer])

    def committed(self, played: DrawingRound[Any, Any]) -> HandsState:
        """Return the state of a round: known cards lie on the table."""
        seats = played.state.seats
        visible = tuple(sum(self._bits[card] for card in seat.known) for seat in seats)
        opening = tuple(move for move in played.moves if isinstance(move, _OPENING))
        unread = frozenset(
            (player, "bareta")
            for player, seat in enumerate(seats, start=1)
            if seat.done == "bareta" and seat.revealed and seat.hidden
        )
        return HandsState(played.dealer, visible, (0,) * len(seats), seats, opening, unread=unread)

    def placement(self, state: HandsState) -> Placement:
        """Return where the cards must lie."""
        players = dict(state.unread)
        unread = (0, *(player in players for player in range(1, self._players + 1)))
        return Placement((0, *state.visible), unread=unread if players else (), backs=(1, *state.down))

    def is_over(self, state: HandsState) -> bool:
        """Return whether all have played and all hands that are not bareta lie open."""
        game = self._rounds[state.dealer]
        return self._needs_no_dealer(game, state.seats) or all(
            state.seats[player - 1].done == "bareta"
            or (state.seats[player - 1].done and not state.seats[player - 1].hidden)
            for player in game.order
        )

    def steps(self, state: HandsState, clues: TableClues) -> Iterator[TableStep]:
        """Yield the hands that may have been laid open at once, with the turns that follow from them."""
        opened = self._opened(state)
        options = [self._options(opened, index, clues) for index in range(self._players)]
        if all(len(each) == 1 for each in options):
            return
        tables = [_Table(0.0, 0.0)]
        for index, each in enumerate(options):
            tables = sorted(
                (
                    _Table(
                        table.score + option.likelihood + option.prior,
                        table.prior + option.prior,
                        (*table.visible, placed),
                        (*table.down, option.backs),
                        table.unread
                        if option.unread is None
                        else (*table.unread, (index + 1, option.unread)),
                    )
                    for table in tables
                    for option in each
                    if (placed := self._placed(option.hand, index, table.visible, state.visible)) is not None
                ),
                reverse=True,
            )[:_TABLES]
        for score, prior, visible, down, unread in tables:
            now = visible, down, frozenset(unread)
            if score < tables[0].score - _UNLIKELY or now == (state.visible, state.down, state.unread):
                continue
            after = opened if any(visible) else state
            after = after._replace(visible=visible, down=down, unread=now[2], growing=frozenset())
            yield self._step(after, prior)
            changed = [each != before for each, before in zip(visible, state.visible, strict=True)]
            if any(changed) and not clues.posed:
                growing = frozenset(compress(range(1, self._players + 1), changed))
                yield self._step(after._replace(growing=growing), prior + _STILL_LAID)

    def _step(self, after: HandsState, prior: float) -> TableStep:
        settled, turns, complete = self._followed(after)
        return TableStep((), settled, prior, complete, history=turns)

    def _options(self, state: HandsState, index: int, clues: TableClues) -> list[_Option]:
        """Return what may lie before a player."""
        player, now, down = index + 1, self._firsts(state.visible[index]), state.down[index]
        readings, backs = clues.readings(player), clues.backs[player]
        unnamed, faces = clues.unnamed[player], clues.faces[player]
        unread = dict(state.unread).get(player)
        stays = readings.get(now, 0.0) + (0.0 if unread is None else unnamed)
        options = [_Option(state.visible[index], down, unread, stays, 0.0)]
        if now:
            is_growing = player in state.growing and now.bit_count() < faces
            if now in readings and not (
                is_growing if unread is None else faces > now.bit_count() and not unnamed
            ):
                return options
        elif backs != down:
            prior = _DRAWN if backs > down > 0 else _LAID_DOWN
            options.append(_Option(0, backs, None, readings.get(0, 0.0), prior))
        for hand, score in readings.items():
            if now and not hand & ~now:
                continue  # cards are being picked up
            count = hand.bit_count()
            ending = self._ending(state.dealer, player, state.seats[index], hand) if hand else ""
            further, gain = dict[str, int](), 0.0
            if unnamed and count < faces:
                further, gain = self._further(state, player, hand), unnamed
            elif hand and not ending and count == faces:
                further, gain = self._further(state, player, hand), _UNDETECTED
            if hand and (gain >= 0 or not further):
                prior = self._log_prior(count, ending) + self._log_of_change(state, player, now, count)
                options.append(_Option(hand, 0, None, score, prior))
            for end, kinds in further.items():
                prior = log(kinds) - log(comb(len(self._months), count + 1))
                prior += self._log_of_change(state, player, now, count + 1)
                options.append(_Option(hand, 0, end, score + gain, prior))
        return options

    def _further(self, state: HandsState, player: int, hand: int) -> dict[str, int]:
        """Return how a player's turn may have ended whose hand has another card than those read, with the number of such cards."""
        seat, kinds = state.seats[player - 1], [bit for bit in self._ids if not bit & self._seconds]
        if self._rules.hands == "face_up":
            return {"": len(kinds)}  # a hand that grows on the table does not tell how the turn ends
        endings = (
            self._ending(state.dealer, player, seat, hand | (bit << 1 if bit & hand else bit))
            for bit in kinds
        )
        return Counter(each for each in endings if each)

    def _log_of_change(self, state: HandsState, player: int, now: int, count: int) -> float:
        """Return the log-probability that a hand looks otherwise than before or has another number of cards than was entered."""
        seat = state.seats[player - 1]
        if now:
            is_open = player in state.growing or player in dict(state.unread)
            before = self._log_prior(now.bit_count(), self._ending(state.dealer, player, seat, now))
            return (0.0 if is_open else _SEEN_LATE) - before
        if len(seat.cards) > count or (seat.done and len(seat.cards) < count):
            return _NOT_AS_ENTERED
        return 0.0

    def _log_prior(self, count: int, ending: str) -> float:
        """Return the log-probability that a player lays certain cards open. ``ending``: as from `_ending_of`."""
        return -log(comb(len(self._months), count)) + (0.0 if ending else _ILLEGAL)

    def _ending_of(self, dealer: int, player: int, seat: Seat, hand: int) -> str:
        """Return how the turn ended of a player who lays these cards open; empty if the rules forbid them."""
        game = self._rounds[dealer]
        after = self._laid_open(game, player, seat, hand)
        return after.done if game.fits(player, after) and len(after.known) == len(after.cards) else ""

    def _placed(self, hand: int, index: int, visible: Sequence[int], before: Sequence[int]) -> int | None:
        """Return a hand with the look-alikes that lie nowhere else; None if another player has its cards."""
        if hand == before[index]:
            return hand
        elsewhere = sum(visible) | sum(before[index + 1 :])
        while twice := hand & elsewhere:
            card = twice & -twice
            other = card << 1 & self._seconds & ~(hand | elsewhere)
            if not other:
                return None
            hand ^= card | other
        return hand

    # --- what follows from the hands

    def _opened(self, state: HandsState) -> HandsState:
        """Return the state in which all players have chosen their card, which no camera sees."""
        chosen = self._chosen(state)
        seats = state.seats
        for player in self._rounds[state.dealer].order:
            if player not in chosen:
                seats = replaced(seats, player, Seat((None,)))
                state = state._replace(opening=(*state.opening, Choose(player, None)))
        return state._replace(seats=seats)

    def _chosen(self, state: HandsState) -> set[int]:
        start = self._rounds[state.dealer].state
        needless = (
            {player for player, done in enumerate(start.chosen, start=1) if done}
            if isinstance(start, BankState)
            else set(range(1, self._players + 1))
        )
        return needless | {move.player for move in state.opening if isinstance(move, Choose)}

    def _first(self, state: HandsState, player: int) -> int:
        """Return the number of a player's cards before the first draw."""
        start = self._rounds[state.dealer].state
        return (
            1
            if isinstance(start, BankState) and not start.chosen[player - 1]
            else type(self._rounds[1]).dealt
        )

    def _settled(self, state: HandsState) -> HandsState:
        """Return a state with the draws and ends of turns that follow from what lies on the table."""
        if len(self._chosen(state)) < self._players:
            return state
        game, seats = self._rounds[state.dealer], state.seats
        if self._rules.hands == "face_up" and not all(
            hand and game.fits(player, self._laid_open(game, player, seats[player - 1], hand))
            for player, hand in enumerate(self._whole(state), start=1)
        ):
            return state  # somebody is still drawing
        hands = self._whole(state)
        unread = {player: end for player, end in state.unread if player not in state.growing}
        for place, player in enumerate(game.order):
            seat, hand, down = seats[player - 1], hands[player - 1], state.down[player - 1]
            if hand:
                seat = self._laid_open(game, player, seat, hand)
            elif end := unread.get(player):
                seat = self._with_unread(seat, state.visible[player - 1], end)
            elif not seat.done:
                cards = (*seat.cards, *(None,) * (down - len(seat.cards)))
                others = (each for each in game.order[place + 1 :] if self._began(state, each))
                ended = len(cards) > self._first(state, player) and next(others, None) is not None
                seat = replace(seat, cards=cards, done="pass" if ended else "")
            seats = replaced(seats, player, seat)
            if not seat.done or self._needs_no_dealer(game, seats):
                break
        return state._replace(seats=seats)

    @staticmethod
    def _whole(state: HandsState) -> list[int]:
        """Return the hands that have been laid open as a whole, 0 for others."""
        return [
            0 if player in state.growing or player in dict(state.unread) else hand
            for player, hand in enumerate(state.visible, start=1)
        ]

    def _with_unread(self, seat: Seat, hand: int, end: str) -> Seat:
        """Return the seat of a player who has laid a hand open in which one card cannot be read. ``end``: of the turn."""
        in_hand = self._cards(hand)
        cards = seat.cards[: len(in_hand) + 1]
        cards = (*cards, *(None,) * (len(in_hand) + 1 - len(cards)))
        revealed = tuple(card for card in in_hand if card not in cards)
        return Seat(cards, revealed, "bareta" if end == "bareta" else "pass")

    def _follow(self, state: HandsState) -> tuple[HandsState, _Turns, bool]:
        settled = self._settled(state)
        turns, complete = self.history(settled)
        if not state.growing:
            return settled, turns, complete
        laid = next(player for player in self._rounds[state.dealer].order if player in state.growing)
        begun = tuple(Show(laid, card) for card in self._cards(state.visible[laid - 1]))
        return settled, (*(turns if complete else turns[:-1]), begun), False

    def _began(self, state: HandsState, player: int) -> bool:
        seat = state.seats[player - 1]
        cards = max(len(seat.cards), state.down[player - 1])
        return bool(state.visible[player - 1] or seat.done) or cards > self._first(state, player)

    def _needs_no_dealer(self, game: DrawingRound[Any, Any], seats: Sequence[Seat]) -> bool:
        return isinstance(game, KingoBankRound) and all(
            seats[player - 1].done == "bareta" for player in game.bettors
        )

    def _laid_open(self, game: DrawingRound[Any, Any], player: int, seat: Seat, hand: int) -> Seat:
        """Return the seat of a player who has laid a hand open, with the draws that it implies.

        Which cards came first is unknown unless they were entered: the highest one may have been the last.
        """
        in_hand = self._cards(hand)
        if seat.done == "bareta" and not seat.revealed and seat.hidden and len(in_hand) == len(seat.cards):
            return seat  # entered without its cards, which count for nothing
        known = {card for card in seat.cards if card is not None}
        rest = sorted((card for card in in_hand if card not in known), key=self._months.__getitem__)
        cards = seat.cards[: len(in_hand)]
        hidden = cards.count(None)
        added = len(in_hand) - len(cards)
        if self._rules.hands == "hidden":
            cards, hidden = (*cards, *(None,) * added), hidden + added
        else:
            cards = (*cards, *rest[hidden : hidden + added])
        hand_value = ranks_of(self._rules, game.role(player)).judge([self._months[card] for card in in_hand])
        return Seat(cards, tuple(rest[:hidden]), "bareta" if hand_value.bareta else "pass")

    def _cards(self, hand: int) -> list[str]:
        return [card for bit, card in self._ids.items() if bit & hand]

    # --- turns

    def history(self, state: HandsState) -> tuple[_Turns, bool]:
        """Return the moves of all turns, and whether the last turn is complete.

        Each draw is a turn of its own: cards that lie face down tell of it at once. So are a pass, a hand, and all choices and wagers.
        """
        turns: list[tuple[KingoMove, ...]] = []
        complete = True
        if state.opening:
            turns.append(state.opening)
            complete = len(self._chosen(state)) == self._players
        order = self._rounds[state.dealer].order
        for player in order if complete else ():
            seat = state.seats[player - 1]
            turns += ((Draw(player, card),) for card in seat.cards[self._first(state, player) :])
            if not seat.done:
                return tuple(turns), complete
            shows = tuple(Show(player, card) for card in seat.revealed)
            turns.append((*shows, Bareta(player)) if seat.done == "bareta" else (Pass(player),))
        unread = dict(state.unread)
        for player in order if complete else ():
            seat = state.seats[player - 1]
            if seat.done != "pass" or player in unread:
                continue
            if seat.revealed:
                turns.append(tuple(Show(player, card) for card in seat.revealed))
            if seat.hidden:
                return tuple(turns), not seat.revealed  # the others wait for this hand
        return tuple(turns), complete

    def turns(self, moves: Sequence[KingoMove]) -> tuple[list[tuple[KingoMove, ...]], tuple[KingoMove, ...]]:
        """Return the complete turns of the moves of a round, and the moves of the turn under way."""
        turns: list[tuple[KingoMove, ...]] = []
        begun: tuple[KingoMove, ...] = ()
        ended: set[int] = set()
        for move in moves:
            shows = isinstance(move, Show) and move.player in ended
            if begun and not isinstance(move, _OPENING) and isinstance(begun[-1], _OPENING):
                turns.append(begun)
                begun = ()
            begun = (*begun, move)
            if isinstance(move, Pass | Bareta):
                ended.add(move.player)
            visible = shows and len(begun) == self._hidden(move.player, moves)
            if visible or isinstance(move, Draw | Pass | Bareta):
                turns.append(begun)
                begun = ()
        return turns, begun

    def _hidden(self, player: int, moves: Sequence[KingoMove]) -> int:
        """Return the number of hidden cards of a player who has shown none."""
        own = [move for move in moves if isinstance(move, Choose | Draw) and move.player == player]
        first = 0 if any(isinstance(move, Choose) for move in own) else type(self._rounds[1]).dealt
        return first + sum(move.card is None for move in own)

    def closing(self, played: DrawingRound[Any, Any]) -> None:
        """Return None: a round goes on until all hands lie open."""

    def blame(self, move: KingoMove, broken: Problem, before: DrawingRound[Any, Any]) -> TableProblem:
        """Return the rule that a move breaks, and the card shown; or whose wager must be entered first."""
        if isinstance(before, KingoBankRound) and not isinstance(move, _OPENING):
            state: BankState = before.state
            player = next((each for each in before.bettors if not state.wagers[each - 1]), 0)
            if player and all(state.chosen):
                text = Message("notice-wager-missing", {"player": player_message(player)})
                return TableProblem("wager-missing", text, ())
        return TableProblem(broken.code, broken.text, (move.card,) if isinstance(move, Show) else ())

    def deal(self, state: HandsState) -> dict[str, Any]:
        """Return nothing: no card is dealt face up."""
        return {}

    def deal_question(self, state: HandsState) -> tuple[Message, Message]:
        """Return the question which cards were dealt, which nobody asks, as all deals look alike."""
        return Message("question-which-deal"), Message("choice-cards", {"cards": ()})

    def turn_question(self, turns: Sequence[Sequence[KingoMove]]) -> Question:
        """Return the question what the player did."""
        text = Message("question-which-turn", {"player": player_message(turns[0][-1].player)})
        return Question(text, [[move.message() for move in moves] for moves in turns])

    def resume(self, top: str, played: DrawingRound[Any, Any]) -> None:
        """Return None: the hands on the table tell how a round goes on."""

    def awaited(self, state: HandsState) -> TableProblem | None:
        """Return whose hand must be laid open or read after the others; None while only bareta hands lie there."""
        order, unread = self._rounds[state.dealer].order, dict(state.unread)
        for player in order:
            if unread.get(player, "bareta") != "bareta":
                where = Message("zone-hand", {"player": player_message(player)})
                return TableProblem("unknown-card", Message("notice-unknown-card", {"where": where}), ())
        missing = (
            player for player in order if not state.visible[player - 1] and not self._is_bareta(state, player)
        )
        player = next(missing, 0)
        if not player or all(self._is_bareta(state, each) for each in order if state.visible[each - 1]):
            return None
        return TableProblem(
            "hand-missing", Message("notice-hand-missing", {"player": player_message(player)}), ()
        )

    def _is_bareta(self, state: HandsState, player: int) -> bool:
        seat, hand = state.seats[player - 1], state.visible[player - 1]
        if end := dict(state.unread).get(player):
            return end == "bareta"
        if hand:
            seat = self._laid_open(self._rounds[state.dealer], player, seat, hand)
        return seat.done == "bareta"

    def history_question(self, states: Sequence[HandsState]) -> Question:
        """Return the question which hands lie open, with those that differ, and who dealt unless all states have the same dealer."""
        hands = [
            [
                (self._firsts(hand), dict(state.unread).get(player))
                for player, hand in enumerate(state.visible, 1)
            ]
            for state in states
        ]
        seen = [{*each} for each in zip(*hands, strict=True)]
        differ = [index for index, each in enumerate(seen) if len(each) > 1 or len(states) == 1]
        answers = [
            [words for index in differ for words in self._hand_messages(index + 1, *each[index])]
            for each in hands
        ]
        if len({state.dealer for state in states}) == 1:
            if all(len({hand for hand, _ in seen[index]}) == 1 < len(seen[index]) for index in differ):
                player = player_message(differ[0] + 1)
                return Question(Message("question-unread-card", {"player": player}), answers)
            return Question(Message("question-which-hands"), answers)
        dealt = [Message("event-dealer", {"player": player_message(state.dealer)}) for state in states]
        text = Message("question-who-dealt-which-hands" if differ else "question-who-dealt")
        return Question(text, [[dealer, *words] for dealer, words in zip(dealt, answers, strict=True)])

    def _hand_messages(self, player: int, hand: int, unread: str | None) -> Iterator[Message]:
        """Yield the cards of a hand, and if one of them cannot be read, how the turn ended."""
        cards = [*self._cards(hand), *([] if hand and unread is None else [None])]
        yield Message("labeled", {"label": player_message(player), "text": card_names(cards)})
        if unread:
            yield (Bareta(player) if unread == "bareta" else Pass(player)).message()

    def reset(self, zones: Sequence[Sequence[str]], played: DrawingRound[Any, Any]) -> None:
        """Return None: the hands on the table tell what happened."""

    def unread(self, state: HandsState) -> int:
        """Return 0: no card is dealt face up."""
        return 0

    def dealt_by(self, state: HandsState, dealer: int, read: int = 0) -> HandsState:
        """Return the state after a deal by another dealer."""
        return self.committed(self._rounds[dealer]) if dealer else state

    def key(self, moves: Sequence[KingoMove]) -> Hashable:
        """Return what identifies a turn: its player, what was done, and the cards shown."""
        last = moves[-1]
        if isinstance(last, _OPENING):
            return tuple(map(str, moves))
        return (
            last.player,
            type(last).__name__,
            tuple(sorted(first_of(move.card) for move in moves if isinstance(move, Show))),
        )

    def _firsts(self, cards: int) -> int:
        """Return a set of cards in which a single look-alike is the first of the two."""
        lone = cards & self._seconds & ~(cards << 1)
        return cards ^ lone | lone >> 1
