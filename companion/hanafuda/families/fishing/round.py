"""A round of a fishing game: 48 cards, a hand each, a field, a stock, and turns of two cards.

`FishingRound` plays the cards; Koi-Koi and Kekoro say what is called, when the round ends and what it pays.

A record's turn (contract): ``{"player": 1, "play": id, "captured": [ids], "draw": id or null,
"draw_captured": [ids], "call": "koikoi" | "stop" | "win" | null}``. `captured` names the card itself and what
it took, and is empty where the card was laid down. Where yaku are judged after each card, ``"play_call"`` is
what was said after the hand card; where the round ended there, `draw` is null and `call` says so as well.
``{"player": 1, "laid": {"field": [ids], "captured": {"1": [ids], "2": [ids]}}}`` is no turn: the table was taken as
it lay, and the player is the one whose turn it is; what was left of that turn follows in the same entry.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from random import Random
from typing import Any, ClassVar, Self, TypeVar

from companion.hanafuda.cards import HANAFUDA, to_bits
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.families.fishing.captures import Captures, bit_of, id_of, ids_of, named, single_bits
from companion.hanafuda.families.fishing.moves import Call, Draw, FishingMove, Play, read_move
from companion.hanafuda.families.fishing.record import (
    FIELD,
    Laid,
    Turn,
    read_deal,
    read_laid,
    read_rest,
    read_seats,
    seat,
    turn_dicts,
)
from companion.hanafuda.families.fishing.table import Table
from companion.hanafuda.round import Deal, Outcome, Problem, Round
from companion.hanafuda.rules import Rules, Text, resolve

__all__ = ["PLAYERS", "FishingRound"]

PLAYERS = 2

R = TypeVar("R", bound=Rules)
X = TypeVar("X")


class FishingRound(Round[FishingMove, R, Table[X]]):
    """A round in which cards are captured from the field by matching."""

    game: ClassVar[str]
    """The slug under which requests name the game's rules."""

    def __init__(self, rules: R, deal: Deal, *, dealer: int) -> None:
        self.captures = self._captures(rules, deal)
        self._stock = tuple(0 if card is None else bit_of(card) for card in deal.stock)
        self._hides_hands = any(None in hand for hand in deal.hands)
        self._laid: tuple[Laid, ...] = ()
        super().__init__(rules, deal, dealer=seat(dealer, len(deal.hands), "dealer"))

    # --- what a game says

    @classmethod
    def _hand_size(cls, rules: R) -> int:
        """Return how many cards a hand is dealt."""
        return 8

    def _captures(self, rules: R, deal: Deal) -> Captures:
        """Return how cards capture."""
        return Captures()

    @abstractmethod
    def _more(self) -> X:
        """Return what the game adds to the table at the start."""

    @abstractmethod
    def _opened(self, table: Table[X]) -> Table[X]:
        """Return the table once the deal has been looked at: a misdeal or a dealt hand may end the round."""

    @abstractmethod
    def _after_card(self, table: Table[X]) -> Table[X]:
        """Return the table once a card has been captured with or laid down.

        The phase is `decide-play` after the hand card, `decide` after the drawn one; `_go_on` is what follows
        where there is nothing to decide.
        """

    def _exhausted(self, table: Table[X]) -> Table[X]:
        """Return the table when the hands are empty."""
        return table._replace(phase="over")

    @abstractmethod
    def _calls(self, table: Table[X]) -> Sequence[Call]:
        """Return the calls that may be made now."""

    @abstractmethod
    def _called(self, table: Table[X], call: Call) -> Table[X]:
        """Return the table after a call; of one that may not be made, as far as it can have happened."""

    @abstractmethod
    def _call_problems(self, table: Table[X], call: Call) -> list[Problem]:
        """Return what is wrong with a call that may not be made."""

    @abstractmethod
    def _decision(self, table: Table[X]) -> Problem:
        """Return the problem of a decision that nobody told."""

    @abstractmethod
    def _need_not_be_told(self, table: Table[X], call: Call) -> bool:
        """Return whether a call only tells what the rules have done by themselves (a forced stop)."""

    def _untold(self, table: Table[X]) -> Call | None:
        """Return what a decision that nobody told must have been, since the round went on."""
        return None

    def _over(self, table: Table[X]) -> Problem:
        """Return the problem of a move when the round is over."""
        outcome = self._ended(table)
        return Problem(
            "round-over" if outcome.counts else "misdeal",
            Text(
                f"the round is over already: {outcome.why.en}",
                f"この局はすでに終わっている：{outcome.why.ja}",
            ),
        )

    def _contradiction(self, before: Table[X], after: Table[X]) -> Problem | None:
        """Return why what a hidden hand has shown now contradicts what happened earlier."""
        return None

    @abstractmethod
    def _ended(self, table: Table[X]) -> Outcome:
        """Return how the round ended."""

    # --- the cards

    def _start(self) -> Table[X]:
        hands = [[card for card in hand if card is not None] for hand in self.deal.hands]
        table = Table(
            hands=tuple(reduce(or_, map(bit_of, hand), 0) for hand in hands),
            held=tuple(len(hand) for hand in self.deal.hands),
            played=(0,) * self.players,
            field=reduce(or_, map(bit_of, self.deal.field), 0),
            piles=(0,) * self.players,
            ahead=reduce(or_, self._stock, 0),
            drawn=0,
            player=self.dealer,
            phase="play",
            more=self._more(),
        )
        return self._opened(table)

    def _after(self, state: Table[X], move: FishingMove) -> Table[X]:
        if isinstance(move, Call):
            return self._called(state, move)
        if not self._seated(move):
            return state
        bit, who = bit_of(move.card), move.player - 1
        table = state._replace(player=move.player)
        if isinstance(move, Play):
            table = table._replace(
                held=_put(table.held, who, max(0, table.held[who] - 1)),
                played=_put(table.played, who, table.played[who] | bit),
                phase="decide-play",
            )
        else:
            # What lay on top has left the stock, whatever was told.
            top = self._top(table)
            table = table._replace(drawn=table.drawn + 1, ahead=table.ahead & ~top, phase="decide")
        return self._after_card(_moved(table, who, bit, reduce(or_, map(bit_of, move.takes), 0)))

    def _go_on(self, table: Table[X]) -> Table[X]:
        """Return the table at the next card: drawn after the hand card, else the next player's."""
        if table.phase == "decide-play" and table.drawn < len(self._stock):
            return table._replace(phase="draw")
        following = table.player % self.players + 1
        if not any(table.held):
            return self._exhausted(table)
        # Only where somebody played out of turn has one hand run out before the other.
        return table._replace(player=following if table.held[following - 1] else table.player, phase="play")

    def _top(self, table: Table[X]) -> int:
        """Return the stock's top card as a set, empty where nobody told it or none is left."""
        return self._stock[table.drawn] if table.drawn < len(self._stock) else 0

    # --- what may be done

    def _legal(self, state: Table[X]) -> list[FishingMove]:
        player, kind = state.player, Play if state.phase == "play" else Draw
        moves: list[FishingMove] = list(self._calls(state))
        if state.phase not in {"play", "draw"}:
            return moves
        if kind is Play:
            cards = state.hands[player - 1] | (state.unseen if state.hidden(player) else 0)
        else:
            cards = self._top(state) or state.unseen
        # Where a move was made as told, what should be hidden may lie open.
        for bit in single_bits(cards & ~state.open):
            for takes in self.captures.options(bit, state.field, from_hand=kind is Play):
                move = kind(player, id_of(bit), ids_of(takes))
                if not (self._hides_hands and self._contradicts(state, move)):
                    moves.append(move)
        return moves

    def _contradicts(self, state: Table[X], move: FishingMove) -> Problem | None:
        return self._contradiction(state, self._after(state, move))

    def _check(self, state: Table[X], move: FishingMove) -> list[Problem]:
        if not self._seated(move):
            return [
                Problem(
                    "no-such-player",
                    Text(
                        f"there is no player {move.player}: they are 1 to {self.players}",
                        f"{move.player}番はいない（1〜{self.players}番）",
                    ),
                )
            ]
        if isinstance(move, Call):
            return [] if move in self._calls(state) else self._call_problems(state, move)
        problems = self._turn_problems(state, move)
        bit, from_hand = bit_of(move.card), isinstance(move, Play)
        problems += (
            self._hand_problems(state, move.player, bit) if from_hand else self._draw_problems(state, bit)
        )
        problems += self._takes_problems(state, move)
        if self._hides_hands and not problems and (problem := self._contradicts(state, move)):
            problems.append(problem)
        return problems

    def _seated(self, move: FishingMove) -> bool:
        return 1 <= move.player <= self.players

    def _turn_problems(self, state: Table[X], move: FishingMove) -> list[Problem]:
        if state.phase == "over":
            return [self._over(state)]
        problems = []
        drawn = isinstance(move, Draw)
        if owed := self._owed(state):
            if not drawn or state.phase != "draw":
                return [owed]
        elif drawn:
            problems.append(
                Problem(
                    "play-missing",
                    Text(
                        f"player {move.player} drew before a hand card was played",
                        f"{move.player}番が手札を出す前にめくった",
                    ),
                )
            )
        if move.player != state.player:
            problems.append(
                Problem(
                    "out-of-turn",
                    Text(
                        f"it is player {state.player}'s turn, not player {move.player}'s",
                        f"{state.player}番の手番で、{move.player}番ではない",
                    ),
                )
            )
        return problems

    def _hand_problems(self, state: Table[X], player: int, bit: int) -> list[Problem]:
        if bit & state.hands[player - 1]:
            return []
        card = named(bit)
        if state.hidden(player):
            return self._seen(state, bit, "not-in-hand")
        held = named(state.hands[player - 1])
        problem = Problem(
            "not-in-hand",
            Text(
                f"player {player} played {card.en}, but holds {held.en or 'no card'}",
                f"{player}番が{card.ja}を出したが、手札は{held.ja or '一枚もない'}",
            ),
        )
        return [problem, *self._lying_open(state, bit)]

    def _draw_problems(self, state: Table[X], bit: int) -> list[Problem]:
        card, top = named(bit), self._top(state)
        if state.drawn >= len(self._stock):
            return [
                Problem(
                    "wrong-draw",
                    Text(
                        f"{card.en} was drawn, but the stock is empty", f"山札がないのに{card.ja}をめくった"
                    ),
                )
            ]
        if bit == top:
            return []
        if not top:
            return self._seen(state, bit, "wrong-draw")
        lay = named(top)
        problem = Problem(
            "wrong-draw",
            Text(
                f"{card.en} was drawn, but {lay.en} lay on top of the stock",
                f"{card.ja}をめくったが、山札の一番上は{lay.ja}",
            ),
        )
        return [problem, *self._lying_open(state, bit)]

    def _seen(self, state: Table[X], bit: int, code: str) -> list[Problem]:
        """Say where a card is, if it cannot come from a hidden place because it is somewhere else.

        `code` is the problem's where it lies face down there; what lies open turns up twice.
        """
        if bit & state.open:
            return self._lying_open(state, bit)
        if bit & state.ahead:
            where = Text("it is still in the stock", "まだ山札にある")
        elif holders := [player for player, hand in enumerate(state.hands, start=1) if bit & hand]:
            where = Text(f"player {holders[0]} holds it", f"{holders[0]}番の手札にある")
        else:
            return []
        return [_elsewhere(code, bit, where)]

    def _lying_open(self, state: Table[X], bit: int) -> list[Problem]:
        """Say where a card lies face up already."""
        for player, pile in enumerate(state.piles, start=1):
            if bit & pile:
                return [_captured_before(bit, player)]
        if bit & state.field:
            return [_elsewhere("card-twice", bit, Text("it lies on the field", "場にある"))]
        return []

    def _takes_problems(self, state: Table[X], move: Play | Draw) -> list[Problem]:
        problems, takes = [], 0
        for each in move.takes:
            bit = bit_of(each)
            name = named(bit)
            if bit & takes:
                problems.append(
                    Problem(
                        "card-twice",
                        Text(
                            f"{name.en} is named twice among the captured cards",
                            f"取り札に{name.ja}が二度ある",
                        ),
                    )
                )
            elif not bit & state.field:
                owner = next((p for p, pile in enumerate(state.piles, start=1) if bit & pile), None)
                problems.append(
                    _captured_before(bit, owner)
                    if owner
                    else Problem(
                        "not-on-field",
                        Text(
                            f"{name.en} was captured, but does not lie on the field",
                            f"{name.ja}を取ったが、場にはない",
                        ),
                    )
                )
            takes |= bit
        return problems + self.captures.problems(
            bit_of(move.card), takes & state.field, state.field, from_hand=isinstance(move, Play)
        )

    def _to_move(self, state: Table[X]) -> int:
        return state.player

    def _outcome(self, state: Table[X]) -> Outcome | None:
        return self._ended(state) if state.phase == "over" else None

    def owes(self) -> Problem | None:
        """Return what the turn in hand lacks: the card to draw, or a decision."""
        return self._owed(self._states[-1])

    def _owed(self, table: Table[X]) -> Problem | None:
        """Return what the turn in hand lacks as a table stands."""
        if table.phase == "draw":
            return Problem(
                "draw-missing",
                Text(
                    f"player {table.player} has not drawn a card yet",
                    f"{table.player}番がまだ山札をめくっていない",
                ),
            )
        return self._decision(table) if table.phase in {"decide-play", "decide"} else None

    # --- out of step

    def lay(self, field: Sequence[str], captured: Sequence[Sequence[str]], to_move: int) -> None:
        """Take the table as it lies: the field, what each player has captured, and whose turn it is.

        From there the round goes on. How many cards are in hand and stock follows from how many lie open: each turn
        two more. Calls said before stay; a player whose yaku have grown since, and who is not to decide, must have
        called koi-koi. `turns` tells it; the text form does not. Raises `BadRequestError` for cards that are named
        twice and for what is no player.
        """
        seat(to_move, self.players, "to_move")
        piles = [to_bits(pile) for pile in captured]
        if len(piles) != self.players:
            raise BadRequestError(f"captured must be {self.players} lists of cards, not {len(piles)}")
        to_bits([card for part in (field, *captured) for card in part])
        amid = self.owes() is not None
        laid = Laid(len(self._moves), to_move, ids_of(to_bits(field)), tuple(map(ids_of, piles)), amid)
        self._laid = (*self._laid, laid)
        self._states[-1] = self._lying(self._states[-1], to_bits(field), tuple(piles), to_move)

    def pop(self) -> FishingMove:
        """Take the last move back and return it, and with it a table taken as it lay after it."""
        move = super().pop()
        self._laid = tuple(laid for laid in self._laid if laid.after <= len(self._moves))
        return move

    def _lying(self, state: Table[X], field: int, piles: tuple[int, ...], to_move: int) -> Table[X]:
        lies = reduce(or_, piles, field)
        turned = max(0, lies.bit_count() - len(self.deal.field))
        hands = max(0, sum(map(len, self.deal.hands)) - (turned + 1) // 2)
        drawn = min(turned // 2, len(self._stock))
        other = to_move % self.players + 1
        by_count = self.dealer % self.players + 1 if turned // 2 % 2 else self.dealer
        decides = turned % 2 == 0 and to_move != by_count
        # Who is to play has as many cards as the other or one more; who is to draw or decide has just played one.
        fewer = to_move if turned % 2 or decides else other
        held = tuple(hands // 2 if player == fewer else hands - hands // 2 for player in (1, 2))
        table = state._replace(
            hands=tuple(hand & ~lies for hand in state.hands),
            held=held,
            field=field,
            piles=piles,
            ahead=reduce(or_, self._stock[drawn:], 0) & ~lies,
            drawn=drawn,
            player=to_move,
            phase="draw" if turned % 2 else "play",
        )
        return self._after_laying(table, to_move if decides else 0)

    def _after_laying(self, table: Table[X], decides: int) -> Table[X]:
        """Return the table as the game goes on with it; `decides` has just played, and may have to decide."""
        return table if any(table.held) or table.phase == "draw" else self._exhausted(table)

    # --- how it stands

    @property
    def field(self) -> tuple[str, ...]:
        """The cards on the field, in deck order."""
        return ids_of(self._states[-1].field)

    def captured(self, player: int) -> tuple[str, ...]:
        """Return what a player has captured, in deck order."""
        return ids_of(self._states[-1].piles[self._place(player)])

    def hand(self, player: int) -> tuple[str | None, ...]:
        """Return a player's hand, known cards in deck order, then a None for each hidden one."""
        table = self._states[-1]
        return (*ids_of(table.hands[self._place(player)]), *(None,) * table.hidden(player))

    def status(self) -> list[Problem]:
        """Return everything wrong with the deal: a card twice, a wrong number of cards."""
        problems, seen = [], 0
        for card in (
            *(each for hand in self.deal.hands for each in hand),
            *self.deal.field,
            *self.deal.stock,
        ):
            bit = 0 if card is None else bit_of(card)
            if bit & seen:
                name = named(bit)
                problems.append(
                    Problem(
                        "card-twice",
                        Text(f"{name.en} was dealt twice", f"{name.ja}が二度配られている"),
                    )
                )
            seen |= bit
        size = self._hand_size(self.rules)
        parts = [
            *(
                (Text(f"player {player}'s hand", f"{player}番の手札"), len(hand), size)
                for player, hand in enumerate(self.deal.hands, start=1)
            ),
            (Text("the field", "場"), len(self.deal.field), FIELD),
            (Text("the stock", "山札"), len(self.deal.stock), len(HANAFUDA) - FIELD - PLAYERS * size),
        ]
        problems += [
            Problem(
                "misdeal",
                Text(
                    f"{part.en} was dealt {count} cards, not {right}",
                    f"{part.ja}が{count}枚（正しくは{right}枚）",
                ),
            )
            for part, count, right in parts
            if count != right
        ]
        return problems

    # --- deals and records

    @classmethod
    def shuffled(
        cls, rules: R, rng: Random, *, players: int = PLAYERS, dealer: int = 1, **situation: Any
    ) -> Self:
        """Deal a round from a shuffled deck, every card known; again where the rules ask for a redeal."""
        size, ids = cls._hand_size(rules), [card.id for card in HANAFUDA]
        while True:
            rng.shuffle(ids)
            hands = tuple(tuple(ids[start : start + size]) for start in range(0, players * size, size))
            field_end = players * size + FIELD
            deal = Deal(hands, tuple(ids[players * size : field_end]), tuple(ids[field_end:]))
            found = cls(rules, deal, dealer=dealer, **situation)
            outcome = found.outcome()
            if outcome is None or outcome.counts:
                return found

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the round that a record deals, before its turns.

        `deal.hands` and `deal.stock`, or cards of them, may be absent or null: they are hidden. Raises
        `BadRequestError` where the record cannot be read.
        """
        rules: Any = resolve(record.get("rules"), cls.game)
        deal = read_deal(record, players=PLAYERS, hand_size=cls._hand_size(rules))
        return cls(rules, deal, dealer=read_seats(record, PLAYERS), **cls._record_situation(record))

    @classmethod
    def _record_situation(cls, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return what else of a record the round starts with."""
        return {}

    def read_turn(self, turn: Mapping[str, Any]) -> Iterator[FishingMove]:
        """Yield the moves of a record's turn; each is to be pushed before the next is asked for.

        A decision that an earlier turn did not tell comes first, as what it must have been. Raises
        `BadRequestError` where the turn cannot be read.
        """
        if isinstance(turn, Mapping) and "laid" in turn:
            yield from self._read_laid(turn)
            return
        told = Turn.read(turn, self.players)
        moves = [each for each in (told.play, told.play_call, told.draw, told.call) if each]
        if not isinstance(moves[0], Call) and (untold := self._untold(self._states[-1])):
            yield untold
        for each in moves:
            if not (isinstance(each, Call) and self._need_not_be_told(self._states[-1], each)):
                yield each

    def _read_laid(self, turn: Mapping[str, Any]) -> Iterator[FishingMove]:
        player = seat(turn.get("player"), self.players, "player")
        field, piles = read_laid(turn["laid"], self.players)
        told = read_rest(turn, player)
        self.lay(field, piles, player)
        yield from told

    def untold(self, move: FishingMove) -> list[FishingMove]:
        """Return the decision that must have been made before a card of the next turn; empty where none was owed."""
        said = None if isinstance(move, Call) else self._untold(self._states[-1])
        return [] if said is None else [said]

    def turns(self) -> list[dict[str, Any]]:
        """Return the moves so far as a record's turns; a stop that the rules forced is told."""
        moves = list(self._moves)
        table = self._states[-1]
        stop = Call(table.player, "stop")
        if self._need_not_be_told(table, stop):
            moves.append(stop)
        return turn_dicts(moves, self._laid)

    @classmethod
    def read_move(cls, player: int, words: Sequence[str]) -> FishingMove:
        """Return the move that `Move.words` wrote."""
        return read_move(player, words)


def _put(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _moved(table: Table[X], who: int, bit: int, takes: int) -> Table[X]:
    """Return the table with a card captured with or laid down; one that lies open already stays where it is."""
    if bit & table.open:
        return table
    hands = tuple(hand & ~bit for hand in table.hands)
    if taken := takes & table.field:
        piles = _put(table.piles, who, table.piles[who] | bit | taken)
        return table._replace(hands=hands, piles=piles, field=table.field & ~taken)
    return table._replace(hands=hands, field=table.field | bit)


def _elsewhere(code: str, bit: int, where: Text) -> Problem:
    card = named(bit)
    return Problem(
        code,
        Text(f"{card.en} cannot turn up here: {where.en}", f"{card.ja}がここで出るはずがない：{where.ja}"),
    )


def _captured_before(bit: int, player: int) -> Problem:
    card = named(bit)
    return Problem(
        "captured-before",
        Text(
            f"{card.en} lies in player {player}'s pile already: it was captured before",
            f"{card.ja}はすでに{player}番が取っている",
        ),
    )
