"""The Kingo referee for both forms of the game: the draws follow from the hands shown at the showdown; the round
works out the payments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.cards import first_of, twin
from companion.hanafuda.games.kingo import KingoBankRound, KingoRound
from companion.hanafuda.games.kingo.drawing import DrawingRound
from companion.hanafuda.games.kingo.hands import AnyKingoRules, deck_of, ranks_of
from companion.hanafuda.games.kingo.moves import Bareta, Choose, Draw, KingoMove, Pass, Show
from companion.hanafuda.games.kingo.rules import KingoBankRules, KingoRules
from companion.hanafuda.games.kingo.state import BankState, seen
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.rules import Rules
from companion.observations import POSTED, STOCK, HandEvent, Observation, hand_zone
from companion.referee.discard_pile import read_names
from companion.referee.seat_inference import ArmDirections
from companion.referee.showdown_hands import Hands, readings
from companion.table.events import NewEvent
from companion.watch.interface import CommittedTable
from companion.watch.message_parts import message_sequence
from companion.watch.referee_events import (
    RefereeProblem,
    asked,
    card_twice,
    choice,
    foreign_card,
    hypothesis_events,
    is_from_vision,
    notice,
    settle,
    undo,
    unknown_card,
    waiting,
)

AnyKingoRound = DrawingRound[Any, Any]

_MIN_REPORTED = 0.95
_MIN_STILL = 2
"""Number of successive observations that must show the same cards before they count as whole hands."""
_PATIENCE = 4
"""Number of successive undecided observations after which the players are asked, or notified of the problem."""
_MAX_CHOICES = 4
_ILLEGAL = 0.02
"""Probability that hands that the rules forbid were played anyway."""
_MIN_BACK = 0.2
"""Minimum probability of a back for a detection at the stock to count as the draw pile; not all decks' backs are
known."""
_MIN_RECOGNIZED = 0.8
_MIN_NAMED = 0.3


@dataclass(slots=True)
class _Start:
    """A round that the hands may belong to, with the events to report first."""

    round: AnyKingoRound
    probability: float
    events: tuple[NewEvent, ...] = ()


@dataclass(slots=True)
class _ShowdownHypothesis:
    """What happened according to one reading of the hands."""

    start: _Start
    hands: Mapping[int, tuple[str, ...]]
    moves: tuple[KingoMove, ...]
    probability: float
    wrong: RefereeProblem | None = None
    """The first rule that the moves break."""
    waits_for: int = 0
    """The player whose hand is not shown yet; 0 if none is missing."""


class KingoReferee:
    """Explains observations of a Kingo table. Wagers, draws and bareta entered on phones are already part of the
    table.
    """

    def __init__(self, rules: Rules, players: int) -> None:
        assert isinstance(rules, KingoRules | KingoBankRules)
        self.rules: AnyKingoRules = rules
        self.players = players
        self._deck = deck_of(rules.deck)
        self._hands, self._arm_directions = Hands(), ArmDirections()
        self._cleared = True
        """Whether the table has been empty since the last showdown."""
        self._dealing: list[HandEvent] = []
        """Hand events until the cards were dealt."""
        self._first_hand: list[HandEvent] = []
        """The first hand event after the deal: the first player draws."""
        self._doubtful = 0
        self._reported_moves: tuple[KingoMove, ...] = ()
        self._reported_hands: Mapping[int, tuple[str, ...]] = {}
        """The hands as last reported."""
        self._observation: Observation | None = None
        self._frame: str | None = None

    def see(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Return the events since the last committed state; none if nothing happened or it is too early to tell."""
        self._hands.read(observation, self.players)
        self._observation = observation
        played = table.round if isinstance(table.round, DrawingRound) else None
        over = played is None or played.outcome() is not None
        if over and self._cleared:
            self._dealing += observation.hand_events
        elif not over:
            self._cleared = False
            self._first_hand = self._first_hand or [*observation.hand_events[:1]]
        if not self._hands.seats:
            return self._no_open_hands(observation, table, played, over=over)
        if over and not self._cleared:
            return self._undo_changed(observation, table)
        if self._hands.still < _MIN_STILL and POSTED not in observation.notes:
            return []
        return self._showdown(observation, table, played, over=over)

    def close(self, table: CommittedTable) -> list[NewEvent]:
        """Return the showdown of the last observation, which no other observation confirmed."""
        played = table.round if isinstance(table.round, DrawingRound) else None
        over = played is None or played.outcome() is not None
        if self._observation is None or not self._hands.seats or (over and not self._cleared):
            return []
        return self._showdown(self._observation, table, played, over=over)

    def rescan(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Return the showdown as the hands are shown now, in place of the one reported before."""
        self._hands = Hands()
        self._hands.read(observation, self.players)
        self._hands.still = _MIN_STILL
        played = table.round if isinstance(table.round, DrawingRound) else None
        if played is None or not self._hands.seats:
            return []
        undone, starts = self._before_showdown(played, table, observation)
        hypotheses = self._hypotheses(starts)
        best = hypotheses[0] if hypotheses else None
        if best is None or best.wrong is not None:
            self._doubtful = _PATIENCE
            return self._report_problem(best, observation, table)
        if best.waits_for and not best.moves:
            return notice(_hand_missing(best.waits_for), table, self._frame, observation.frame)
        if not best.moves:
            return settle(table)
        return [*settle(table), *undone, *self._commit(best, observation)]

    def _before_showdown(
        self, played: AnyKingoRound, table: CommittedTable, observation: Observation
    ) -> tuple[list[NewEvent], Sequence[_Start]]:
        """Return the undo of the showdown that was reported last, if any, and the rounds that hands may belong to."""
        target = table.undo_target()
        group = [each for each in table.events if target and each.group == target.group]
        moves = [each for each in group if each.kind == "moved"]
        if target is None or not any(each.data["words"][0] == "show" for each in moves):
            return [], self._starts(played, table, over=False)
        before = played.copy()
        for _ in moves:
            before.pop()
        deal = [NewEvent(each.kind, dict(each.data)) for each in group if each.kind in {"dealt", "began"}]
        undone = NewEvent("undone", {"of": target.seq}, 0.9, observation.frame)
        return [undone], [_Start(before, 1.0, tuple(deal))]

    # --- the deal

    def _no_open_hands(
        self, observation: Observation, table: CommittedTable, played: AnyKingoRound | None, *, over: bool
    ) -> list[NewEvent]:
        self._doubtful = 0
        if not over:
            return settle(table)
        self._cleared, self._reported_hands = True, {}
        if not any(each.zone == STOCK and read_names(each)[1] > _MIN_BACK for each in observation.cards):
            return []
        starts = self._deals(played, table)
        best = max(starts, key=lambda start: start.probability)
        dealer = best.round.dealer if best.probability >= _MIN_REPORTED else None
        self._frame, self._cleared = observation.frame, False
        data: dict[str, Any] = {"deal": {}, "dealer": dealer}
        return [
            *settle(table),
            NewEvent("dealt", data, round(best.probability, 3) if dealer else 1.0, observation.frame),
        ]

    def _deals(self, played: AnyKingoRound | None, table: CommittedTable) -> list[_Start]:
        """Return the rounds that may have been dealt, one per possible dealer."""
        ended = None if played is None else played.outcome()
        known = ended is not None and (ended.counts or table.dealer_known)
        dealers = (table.game.dealer,) if known else range(1, self.players + 1)
        probabilities = self._dealer_probabilities(dealers)
        starts = []
        for dealer in dealers:
            record: dict[str, Any] = {
                "rules": self.rules,
                "players": self.players,
                "dealer": dealer,
                "deal": {},
            }
            stones = getattr(table.game, "stones", None)
            if stones is not None:
                record["stones"] = list(stones)
            event = NewEvent("dealt", {"deal": {}, "dealer": dealer})
            round_of_game = KingoRound if isinstance(self.rules, KingoRules) else KingoBankRound
            starts.append(_Start(round_of_game.from_record(record), probabilities[dealer], (event,)))
        return starts

    def _dealer_probabilities(self, dealers: Sequence[int]) -> dict[int, float]:
        """Return the probability of each dealer, from the hands that were over the table."""
        weights = {
            dealer: exp(
                self._arm_directions.weight(dealer, self._dealing, self.players)
                + self._arm_directions.weight(self._plays_first(dealer), self._first_hand, self.players)
            )
            for dealer in dealers
        }
        total = sum(weights.values())
        return {dealer: weight / total for dealer, weight in weights.items()}

    def _plays_first(self, dealer: int) -> int:
        return dealer if isinstance(self.rules, KingoRules) else dealer % self.players + 1

    def _starts(self, played: AnyKingoRound | None, table: CommittedTable, *, over: bool) -> Sequence[_Start]:
        if played is None or over:
            return self._deals(played, table)
        if table.dealer_known or played.moves:
            return [_Start(played, 1.0)]
        seats = range(1, self.players + 1)
        probabilities = self._dealer_probabilities(seats)
        return [
            _Start(
                self._with_dealer(played, seat),
                probabilities[seat],
                (NewEvent("began", {"dealer": seat}),),
            )
            for seat in seats
        ]

    def _with_dealer(self, played: AnyKingoRound, dealer: int) -> AnyKingoRound:
        """Return the same deal with another dealer."""
        situation: Mapping[str, Any] = played.situation()
        return type(played)(self.rules, played.deal, dealer=dealer, **situation)

    # --- the showdown

    def _showdown(
        self, observation: Observation, table: CommittedTable, played: AnyKingoRound | None, *, over: bool
    ) -> list[NewEvent]:
        hypotheses = self._hypotheses(self._starts(played, table, over=over))
        best = hypotheses[0] if hypotheses else None
        self._doubtful += _PATIENCE if POSTED in observation.notes else 1
        if best is None or best.wrong is not None:
            return self._report_problem(best, observation, table)
        if best.waits_for:
            return self._wait_for_hands(best, observation, table)
        if not best.moves or (best.moves == self._reported_moves and not over):
            return settle(table) if not best.moves else []  # a person removed it after it was reported
        if best.probability >= _MIN_REPORTED:
            return [*settle(table), *self._commit(best, observation)]
        if self._doubtful < _PATIENCE or waiting(table):
            return []
        return [*settle(table), self._question(hypotheses, observation)]

    def _hypotheses(self, starts: Sequence[_Start]) -> list[_ShowdownHypothesis]:
        """Return what may have happened, most likely first."""
        hypotheses: list[_ShowdownHypothesis] = []
        for hands, probability in readings(self._hands.seats, self._deck):
            if probability > 1e-4:
                for start in starts:
                    hypothesis = _played_out(start, hands, probability * start.probability)
                    hypotheses.append(hypothesis)
        total = sum(
            hypothesis.probability * (_ILLEGAL if hypothesis.wrong else 1.0) for hypothesis in hypotheses
        )
        for hypothesis in hypotheses:
            hypothesis.probability *= (_ILLEGAL if hypothesis.wrong else 1.0) / (total or 1.0)
        return sorted(hypotheses, key=lambda hypothesis: -hypothesis.probability)

    def _commit(self, hypothesis: _ShowdownHypothesis, observation: Observation) -> list[NewEvent]:
        """Return the events of a hypothesis, and remember it as reported."""
        self._reported_moves, self._reported_hands, self._doubtful = hypothesis.moves, hypothesis.hands, 0
        self._frame, self._cleared = observation.frame, False
        self._dealing.clear()
        self._first_hand.clear()
        return _events(hypothesis, observation)

    def _question(self, hypotheses: Sequence[_ShowdownHypothesis], observation: Observation) -> NewEvent:
        likely = [
            hypothesis for hypothesis in hypotheses if not hypothesis.wrong and not hypothesis.waits_for
        ][:_MAX_CHOICES]
        same_hands = all(hypothesis.hands == likely[0].hands for hypothesis in likely)
        choices = []
        for hypothesis in likely:
            choice_message = (
                player_message(hypothesis.start.round.dealer)
                if same_hands
                else _choice_text(hypothesis, likely)
            )
            choices.append(choice(choice_message, hypothesis.probability, _events(hypothesis, observation)))
        message = Message("question-who-dealt" if same_hands else "question-which-hands")
        return asked(message, choices, likely[0].probability, observation.frame)

    def _wait_for_hands(
        self, hypothesis: _ShowdownHypothesis, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Wait for the other hands. A bareta hand is shown at once, and reported as soon as all players before it
        have played.
        """
        if (
            hypothesis.moves
            and isinstance(hypothesis.moves[-1], Bareta)
            and hypothesis.probability >= _MIN_REPORTED
        ):
            unreported = [move for move in hypothesis.moves if move not in self._reported_moves]
            return [*settle(table), *self._commit(hypothesis, observation)] if unreported else []
        bareta_only = all(
            _is_bareta(hypothesis.start.round, seat, hand) for seat, hand in hypothesis.hands.items() if hand
        )
        if bareta_only or self._doubtful < _PATIENCE:
            return []
        return notice(_hand_missing(hypothesis.waits_for), table, self._frame, observation.frame)

    def _undo_changed(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Undo the reported showdown if a hand turns out to have other cards."""
        if self._hands.still < _MIN_STILL or not self._reported_moves:
            return []
        now = {
            seat: sorted(card.top for card in hand if card.top and card.confident >= _MIN_RECOGNIZED)
            for seat, hand in self._hands.seats.items()
        }
        reported = {seat: sorted(hand) for seat, hand in self._reported_hands.items()}
        # A hand that is being picked up has fewer cards; that is not a correction.
        has_more = any(len(hand) > len(reported.get(seat, ())) for seat, hand in now.items())
        target = table.undo_target()
        if not has_more or target is None or not is_from_vision(target):
            return []
        self._reported_moves = ()
        return undo(target, table, observation.frame)

    # --- problems

    def _report_problem(
        self, best: _ShowdownHypothesis | None, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        if self._doubtful < _PATIENCE:
            return []
        problem = self._card_problem() or (best.wrong if best else None)
        return notice(problem, table, self._frame, observation.frame) if problem else []

    def _card_problem(self) -> RefereeProblem | None:
        """Return a problem if a card is not in this deck, is unrecognized, or is on the table twice."""
        firsts: list[str] = []
        for seat, hand in self._hands.seats.items():
            for card in hand:
                name = card.top
                if name is None or card.confident < _MIN_NAMED:
                    return unknown_card(hand_zone(seat))
                if card.confident >= _MIN_RECOGNIZED:
                    if name not in self._deck:
                        return foreign_card(name, hand_zone(seat))
                    firsts.append(name)
        for name in firsts:
            if firsts.count(name) > (2 if twin(name) else 1):
                return card_twice(name)
        return None


def _hand_missing(player: int) -> RefereeProblem:
    message = Message("notice-hand-missing", {"player": player_message(player)})
    return RefereeProblem("hand-missing", message)


def _played_out(
    start: _Start, hands: Mapping[int, tuple[str, ...]], probability: float
) -> _ShowdownHypothesis:
    """Return the moves that lead to these hands: cards drawn face down, ends of turns, hands shown."""
    played = start.round.copy()
    hypothesis = _ShowdownHypothesis(start, hands, (), probability)
    for move in _moves(played, hands, hypothesis):
        problems = played.check(move)
        if problems:
            cards = (move.card,) if isinstance(move, Draw | Show) and move.card else ()
            hypothesis.wrong = RefereeProblem(problems[0].code, problems[0].text, cards)
            break
        played.push(move)
        hypothesis.moves = (*hypothesis.moves, move)
    return hypothesis


def _moves(
    played: AnyKingoRound, hands: Mapping[int, tuple[str, ...]], hypothesis: _ShowdownHypothesis
) -> Iterator[KingoMove]:
    """Yield the moves that lead to the hands; the caller makes each one before asking for the next."""
    yield from _before_the_draws(played, hypothesis)
    if hypothesis.wrong:
        return
    while (player := played.state.turn) and not played.outcome():
        hand = hands.get(player, ())
        if not hand:
            hypothesis.waits_for = player
            return
        for card in _drawn(played, player, hand):
            yield Draw(player, card)
        if _is_bareta(played, player, hand):
            for card in _hidden(played, player, hand):
                yield Show(player, card)
            yield Bareta(player)
        else:
            yield Pass(player)
    for player in played.order:
        seat = played.state.seats[player - 1]
        if seat.done == "pass" and seat.hidden:
            cards = _hidden(played, player, hands.get(player, ()))
            if len(cards) < seat.hidden:
                hypothesis.waits_for = player
                return
            for card in cards:
                yield Show(player, card)


def _before_the_draws(played: AnyKingoRound, hypothesis: _ShowdownHypothesis) -> Iterator[KingoMove]:
    """Yield the choices of the banking form, which are not visible. Wagers must be entered; a missing one is a
    problem.
    """
    state = played.state
    if not isinstance(state, BankState):
        return
    for player in played.order:
        if not state.chosen[player - 1]:
            yield Choose(player, None)
    assert isinstance(played, KingoBankRound)
    without_wager = next((each for each in played.bettors if not state.wagers[each - 1]), None)
    if without_wager is not None:
        hypothesis.wrong = RefereeProblem(
            "wager-missing", Message("notice-wager-missing", {"player": player_message(without_wager)})
        )


def _drawn(played: AnyKingoRound, player: int, hand: Sequence[str]) -> list[str | None]:
    """Return the player's draws that are not in the record: None for hidden cards, or the cards themselves in a game
    with open hands.
    """
    seat = played.state.seats[player - 1]
    count = len(hand) - len(seat.cards)
    if played.rules.hands == "hidden":
        return [None] * count
    cards: list[str | None] = [*_hidden(played, player, hand)]
    return cards[-count:] if count > 0 else []


def _hidden(played: AnyKingoRound, player: int, hand: Sequence[str]) -> list[str]:
    """Return the cards of a shown hand that are not in the record; of look-alikes one that is nowhere else."""
    known = [first_of(card) for card in played.state.seats[player - 1].known]
    taken = seen(played.state)
    hidden: list[str] = []
    for first in hand:
        if first in known:
            known.remove(first)
            continue
        available = [
            card for card in (first, twin(first)) if card and card not in taken and card not in hidden
        ]
        hidden.append(available[0] if available else first)
    return hidden


def _is_bareta(played: AnyKingoRound, player: int, hand: Sequence[str]) -> bool:
    months = deck_of(played.rules.deck)
    ranks = ranks_of(played.rules, played.role(player))
    return ranks.judge([months[card] for card in hand]).bareta


def _events(hypothesis: _ShowdownHypothesis, observation: Observation) -> list[NewEvent]:
    return hypothesis_events(
        hypothesis.start.events, hypothesis.moves, hypothesis.probability, observation.frame
    )


def _choice_text(hypothesis: _ShowdownHypothesis, others: Sequence[_ShowdownHypothesis]) -> Message:
    """Return a text of the hands in which the hypotheses differ."""
    parts = [
        Message("labeled", {"label": player_message(seat), "text": card_list(hand)})
        for seat, hand in hypothesis.hands.items()
        if any(other.hands.get(seat) != hand for other in others)
    ]
    return message_sequence(parts)
