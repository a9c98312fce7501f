"""The Kakkuri referee: infers discards from the discard pile, and passes from who discarded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, prod
from typing import Any

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.cards import first_of, twin_of
from companion.hanafuda.games.kakkuri import Discard, KakkuriMove, KakkuriRound, OpenBox, Pass
from companion.hanafuda.games.kakkuri.cards import PACKS
from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.games.kakkuri.state import EIGHT
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.round import Outcome
from companion.hanafuda.rules import Rules
from companion.observations import DISCARD, POSTED, STOCK, Observation, TrackedCard
from companion.referee.discard_pile import DiscardPile, NewCard, discards_of, read_names
from companion.referee.kakkuri_hypotheses import (
    DiscardHypothesis,
    TableEvidence,
    explain,
    first_of_all,
    reached,
)
from companion.table import Table
from companion.table.events import NewEvent
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
    problem,
    settle,
    unchecked_move,
    undo,
    unknown_card,
    waiting,
)

_MIN_AT_FIRST = 0.97
"""Minimum probability for reporting at the first observation."""
_MIN_LATER = 0.95
"""Minimum probability for reporting from the second observation on."""
_PATIENCE = 3
"""Number of successive undecided observations after which the players are asked, or notified of the problem."""
_MAX_CHOICES = 4
_MIN_ILLEGAL = 0.2
"""If the hypotheses without a move have a higher total probability and a card is visible on the pile, it may have
been laid against the rules."""
_MIN_QUESTION = 0.1
"""Minimum probability of a legal explanation for a question about it."""
_MIN_NAMED = 0.4
"""A card whose names have a lower total probability must be laid in clear view before the players are asked."""
_MIN_RECOGNIZED = 0.6
"""Minimum probability of a name for a card to count as recognized."""
_MAX_NEW_CARDS = 6
"""Maximum number of cards explained at once; with more, the players have gone far ahead."""
_MISSING_OBSERVATIONS = 2
_MIN_VISIBLE_ON_TOP = 0.6


class KakkuriReferee:
    """Explains observations of a Kakkuri table. Hands are hidden; passes are inferred from the next discard or
    entered by hand.
    """

    in_doubt = waits_for_answers = True
    """Card readers show the table again in any case: what must last to count is remembered here."""

    def __init__(self, rules: Rules, players: int) -> None:
        assert isinstance(rules, KakkuriRules)
        self.rules, self.players = rules, players
        self._pack = PACKS[rules.deck]
        self._pile, self._evidence = DiscardPile(), TableEvidence()
        self._cleared = True
        """Whether the pile has been off the table since the last round ended."""
        self._doubtful = 0
        """Number of successive observations that leave open what happened."""
        self._cards_at_question = 0
        """Number of new cards at the last question; the same question is not repeated."""
        self._cards_at_notice = 0
        """Number of new cards when the players were last notified of a problem."""
        self._removed = 0
        """Number of successive observations without the last discard."""
        self._refused: set[tuple[str, ...]] = set()
        """Notations of moves that a person removed after they were reported; the players are asked before such a move
        is reported again."""
        self._reported_moves: list[KakkuriMove] = []
        self._observation: Observation | None = None

    def see(self, observation: Observation, table: Table) -> list[NewEvent]:
        """Return the events since the last committed state; none if nothing happened or it is too early to tell."""
        self._observation = observation
        played = table.round if isinstance(table.round, KakkuriRound) else None
        over = played is None or played.outcome() is not None
        self._read_pile(observation, played, over=over)
        if over and not self._pile.visible:
            self._pile.clear()
            self._cleared = True
        if over and not self._cleared:
            self._pile.commit({}, len(self._pile.new_cards), observation.frame, observation.time)
            return []
        if played is not None and not over:
            self._cleared = not self._pile.visible
            if (undone := self._undo_of_last_discard(table)) is not None:
                return undone
            self._remember_corrections(played)
        new_cards = self._pile.new_cards[:_MAX_NEW_CARDS]
        if not new_cards:
            self._reset_doubts()
            return settle(table) if not over else []
        starts = list(self._starts(played, table, over=over))
        if not starts:
            return self._ask_who_drops_out(observation, table)
        hypotheses = explain(starts, new_cards, self._pile.hand_events, self._evidence)
        return self._events_or_question(hypotheses, starts, observation, table)

    def _read_pile(self, observation: Observation, played: KakkuriRound | None, *, over: bool) -> None:
        on_table = played is not None and not (over and self._cleared)
        self._pile.read(observation, self._pack.cards(played.state.pile) if played and on_table else ())
        if played is not None:
            self._learn_from_others(played)
        boxes = (each.at for each in observation.cards if each.zone == STOCK)
        self._evidence.box = next(boxes, self._evidence.box)
        self._evidence.arms = self._pile.arms

    def _reset_doubts(self) -> None:
        self._doubtful = self._cards_at_question = self._cards_at_notice = 0

    def close(self, table: Table) -> list[NewEvent]:
        """Return the events or the question that follow from the last observation, if no other follows."""
        if self._observation is None or not self._pile.new_cards:
            return []
        self._doubtful = _PATIENCE
        return self.see(self._observation, table)

    def rescan(self, observation: Observation, table: Table) -> list[NewEvent]:
        """Ask who laid the card on top of the pile, or whose turn it is; the game continues from there, whatever was
        missed.
        """
        played = table.round
        if not isinstance(played, KakkuriRound) or played.outcome() is not None:
            return []
        state = played.state
        self._pile.read(observation, self._pack.cards(state.pile))
        top_card = max(discards_of(observation), key=lambda each: each.visible, default=None)
        top_name = None if top_card is None else self._recognized(top_card)
        if top_card is None or top_name is None:
            return notice(unknown_card(DISCARD), table, self._pile.frame, observation.frame)
        new_card = next((each for each in self._pile.new_cards if each.key == top_card.key), None)
        if new_card is None and state.top >= 0 and first_of(self._pack.ids[state.top]) == top_name:
            return [*settle(table), self._whose_turn(played, observation)]
        if (available := self._off_pile(top_name, played)) is None:
            return self._back_to(top_name, played, observation, table)
        return [*settle(table), self._who_laid(available, new_card, played, observation)]

    def _recognized(self, tracked: TrackedCard) -> str | None:
        """Return the card of the deck that a tracked card on top of the pile plainly is, or None."""
        names, _ = read_names(tracked)
        name = max(names, key=names.__getitem__, default="")
        if name not in self._pack.index or names[name] < _MIN_RECOGNIZED:
            return None
        return name if tracked.visible >= _MIN_VISIBLE_ON_TOP else None

    def _whose_turn(self, played: KakkuriRound, observation: Observation) -> NewEvent:
        state = played.state
        seats, passes, choices = list(state.players_in()), list[NewEvent](), list[dict[str, Any]]()
        seat = state.turn
        for number in range(len(seats)):
            probability = 0.5 if number == 0 else 0.5 / max(1, len(seats) - 1)
            choices.append(choice(player_message(seat), probability, passes))
            passes = [*passes, unchecked_move(Pass(seat))]
            seat = state.next_in(seat)
        return asked(Message("question-whose-turn"), choices, 0.5, observation.frame)

    def _who_laid(
        self, card: str, new_card: NewCard | None, played: KakkuriRound, observation: Observation
    ) -> NewEvent:
        cards = [] if new_card is None else [new_card]
        nearby_hands = reached(cards, 0, 1, self._pile.hand_events) if cards else []
        weights = {
            seat: exp(self._evidence.player_weight(seat, nearby_hands, cards, self.players))
            for seat in sorted(played.state.players_in())
        }
        total = sum(weights.values())
        choices = [
            choice(
                Discard(seat, (card,)).line(),
                weights[seat] / total,
                [unchecked_move(Discard(seat, (card,)))],
            )
            for seat in sorted(weights, key=lambda seat: -weights[seat])
        ]
        message = Message("question-top-discard", {"cards": card_list([card])})
        return asked(message, choices, max(weights.values()) / total, observation.frame)

    def _back_to(
        self, name: str, played: KakkuriRound, observation: Observation, table: Table
    ) -> list[NewEvent]:
        """Undo the last reported group if the card before it is on top now; earlier mistakes must be corrected by
        hand.
        """
        target = table.undo_target()
        if target is not None:
            before = played.copy()
            for _ in [each for each in table.events if each.group == target.group and each.kind == "moved"]:
                before.pop()
            top = before.state.top
            if top >= 0 and first_of(self._pack.ids[top]) == name:
                self._reported_moves = []
                self._pile.undo()
                return undo(target, table, observation.frame)
        return notice(
            RefereeProblem("correct-by-hand", Message("notice-correct-by-hand")),
            table,
            self._pile.frame,
            observation.frame,
        )

    # --- starting states

    def _starts(
        self, played: KakkuriRound | None, table: Table, *, over: bool
    ) -> Iterator[DiscardHypothesis]:
        """Yield the rounds that the pile may belong to; none if it is unknown which of eight players drops out."""
        if played is not None and not over:
            if played.moves or table.dealer_known:
                yield DiscardHypothesis(played, 0.0, time=self._pile.last_card_time)
                return
            for dealer in range(1, self.players + 1):
                deal = KakkuriRound(self.rules, played.deal, dealer=dealer, pot=played.pot)
                yield DiscardHypothesis(deal, 0.0, (NewEvent("began", {"dealer": dealer}),))
            return
        if self.players == EIGHT:
            return
        for dealer in self._dealers(played, table):
            record = {
                "rules": self.rules,
                "players": self.players,
                "dealer": dealer,
                "pot": table.game.pot,
                "deal": {},
            }
            event = NewEvent("dealt", {"deal": {}, "dealer": dealer})
            yield DiscardHypothesis(KakkuriRound.from_record(record), 0.0, (event,))

    def _dealers(self, played: KakkuriRound | None, table: Table) -> Sequence[int]:
        ended: Outcome | None = None if played is None else played.outcome()
        if ended is not None and (ended.counts or table.dealer_known):
            return (table.game.dealer,)
        return range(1, self.players + 1)

    def _ask_who_drops_out(self, observation: Observation, table: Table) -> list[NewEvent]:
        """Ask which of eight players drops out; without that, it is unknown who plays."""
        if waiting(table):
            return []
        choices = [
            choice(
                Message("choice-drops-out", {"player": player_message(seat)}),
                1 / self.players,
                [NewEvent("dealt", {"deal": {"dropped": seat}, "dealer": self._known_dealer(table)})],
            )
            for seat in range(1, self.players + 1)
        ]
        cards = card_list(self._pack.cards(self._pack.dropout))
        message = Message("question-who-drops-out", {"cards": cards})
        return [asked(message, choices, 1 / self.players, observation.frame)]

    def _known_dealer(self, table: Table) -> int | None:
        played = table.round if isinstance(table.round, KakkuriRound) else None
        dealers = self._dealers(played, table)
        return dealers[0] if len(dealers) == 1 else None

    # --- events and questions

    def _events_or_question(
        self,
        hypotheses: Sequence[tuple[DiscardHypothesis, float]],
        starts: Sequence[DiscardHypothesis],
        observation: Observation,
        table: Table,
    ) -> list[NewEvent]:
        new_cards = self._pile.new_cards[:_MAX_NEW_CARDS]
        if (confident := self._confident_part(hypotheses, new_cards)) is not None:
            return self._commit(*confident, observation, table)
        no_discard = sum(probability for hypothesis, probability in hypotheses if not hypothesis.moves)
        max_legal = max(
            (probability for hypothesis, probability in hypotheses if hypothesis.moves), default=0.0
        )
        unread = all(sum(each.names.values()) < _MIN_NAMED for each in new_cards if _on_top(each))
        if unread or max_legal < _MIN_QUESTION:
            return self._report_unexplained(starts, observation, table)
        self._doubtful += _PATIENCE if POSTED in observation.notes else 1
        if self._doubtful < _PATIENCE or waiting(table) or self._cards_at_question == len(new_cards):
            return []
        self._cards_at_question = len(new_cards)
        return [*settle(table), self._question(hypotheses, starts, no_discard, observation)]

    def _confident_part(
        self, hypotheses: Sequence[tuple[DiscardHypothesis, float]], new_cards: Sequence[NewCard]
    ) -> tuple[DiscardHypothesis, float] | None:
        """Return what happened and its probability, up to as many of the new cards as it is certain for; None if it is
        uncertain from the first card on.
        """
        min_probability = _MIN_LATER if self._doubtful else _MIN_AT_FIRST
        for count in range(len(new_cards), 0, -1) if hypotheses else ():
            best, probability = first_of_all(hypotheses, count)[0]
            # Unnamed probability counts against the explanation; a strip at the pile's edge may be no card.
            probability *= prod(
                min(1.0, sum(each.names.values()))
                for each in new_cards[: len(best.ends)]
                if each.key in best.cards or each.visible >= _MIN_VISIBLE_ON_TOP
            )
            refused = any(move.words() in self._refused for move in best.moves)
            if best.moves and not refused and probability >= min_probability:
                return best, probability
        return None

    def _question(
        self,
        hypotheses: Sequence[tuple[DiscardHypothesis, float]],
        starts: Sequence[DiscardHypothesis],
        no_discard: float,
        observation: Observation,
    ) -> NewEvent:
        """Ask about the first undecided card; one answer may be that it was laid against the rules."""
        likely: list[tuple[DiscardHypothesis, float]] = []
        for count in range(1, max(len(hypothesis.ends) for hypothesis, _ in hypotheses) + 1):
            likely = [
                (hypothesis, probability)
                for hypothesis, probability in first_of_all(hypotheses, count)
                if hypothesis.moves
            ][:_MAX_CHOICES]
            if likely and likely[0][1] >= _MIN_QUESTION:
                break
        choices = [
            choice(
                _choice_text(hypothesis),
                probability,
                hypothesis_events(hypothesis.events, hypothesis.moves, probability, observation.frame),
            )
            for hypothesis, probability in likely
        ]
        top = [each for each in self._pile.new_cards if _on_top(each)]
        if no_discard > _MIN_ILLEGAL and top:
            choices.append(self._against_the_rules(top[0], starts[0].round, no_discard, observation))
            choices.sort(key=lambda each: -float(each["p"]))
        cards = dict.fromkeys(_last_card(hypothesis) for hypothesis, _ in likely)
        message = Message("question-which-discard", {"cards": card_list(cards)})
        return asked(message, choices, likely[0][1], observation.frame)

    def _against_the_rules(
        self, new_card: NewCard, played: KakkuriRound, probability: float, observation: Observation
    ) -> dict[str, Any]:
        """Return the choice that a card was laid against the rules or an earlier card was missed; the game continues
        from it.
        """
        found_problem = self._problem_with(new_card, played)
        events = [
            NewEvent(
                "noticed", problem(found_problem, self._pile.frame, observation.frame), 0.9, observation.frame
            )
        ]
        choice_message = found_problem.message
        if (card := self._off_pile(new_card.top, played)) is not None:
            nearby_hands = reached(
                self._pile.new_cards, self._pile.new_cards.index(new_card), 1, self._pile.hand_events
            )
            seat = max(
                sorted(played.state.players_in()),
                key=lambda seat: self._evidence.player_weight(seat, nearby_hands, [new_card], self.players),
            )
            events.append(unchecked_move(Discard(seat, (card,))))
            choice_message = message_sequence(
                [
                    Discard(seat, (card,)).line(),
                    found_problem.message,
                ]
            )
        return choice(choice_message, probability, events)

    def _commit(
        self,
        hypothesis: DiscardHypothesis,
        probability: float,
        observation: Observation,
        table: Table,
    ) -> list[NewEvent]:
        frame = observation.frame
        events = hypothesis_events(hypothesis.events, hypothesis.moves, probability, frame)
        self._learn_leans(hypothesis)
        self._pile.commit(hypothesis.cards, len(hypothesis.ends), frame, observation.time)
        self._reported_moves, self._cleared = [*hypothesis.moves], False
        self._reset_doubts()
        if any(event.kind == "dealt" for event in hypothesis.events):
            self._refused.clear()
        return [*settle(table), *events]

    def _learn_leans(self, hypothesis: DiscardHypothesis) -> None:
        moves_before = 0
        for number, (_, moves) in enumerate(hypothesis.ends):
            if moves > moves_before:
                new_card, player = self._pile.new_cards[number], hypothesis.moves[moves - 1].player
                nearby_hands = reached(self._pile.new_cards, number, 1, self._pile.hand_events)
                self._evidence.arm_directions.learn(player, nearby_hands, self.players)
                self._evidence.card_directions.learn(player, [new_card.towards], self.players)
            moves_before = moves

    def _learn_from_others(self, played: KakkuriRound) -> None:
        """Learn how players lay their cards from reports of others about detected cards."""
        if self._pile.confirmed:
            self._reset_doubts()
        for new_card, name in self._pile.confirmed:
            laying_moves = (move for move in reversed(played.moves) if name in _cards_of(move))
            if (move := next(laying_moves, None)) is not None:
                self._evidence.card_directions.learn(move.player, [new_card.towards], self.players)

    # --- unexplained cards

    def _report_unexplained(
        self, starts: Sequence[DiscardHypothesis], observation: Observation, table: Table
    ) -> list[NewEvent]:
        """Report what is wrong with the card on top after several observations; a possible false positive is ignored.

        If play continues, ask who laid the card that is on top by then.
        """
        new_cards = self._pile.new_cards
        on_top = [each for each in new_cards if _on_top(each)]
        self._doubtful += _PATIENCE if POSTED in observation.notes else 1
        asking = self._cards_at_notice > 0 and waiting(table)  # about who laid it
        if not on_top or self._doubtful < _PATIENCE or asking:
            return []
        played, last = starts[0].round, on_top[-1]
        reported = notice(self._problem_with(on_top[0], played), table, self._pile.frame, observation.frame)
        if reported or not self._cards_at_notice:
            self._cards_at_notice = len(on_top)
            return reported
        if len(on_top) <= self._cards_at_notice or not played.state.box:
            return []
        recognized = last.top is not None and last.names[last.top] > _MIN_RECOGNIZED
        if not recognized or not (card := self._off_pile(last.top, played)):
            return []
        self._cards_at_notice = len(on_top)
        return [*settle(table), self._who_laid(card, last, played, observation)]

    def _off_pile(self, name: str | None, played: KakkuriRound) -> str | None:
        """Return the card, or its look-alike, that is not on the pile; None if both are, or if the deck does not
        contain it.
        """
        pile = self._pack.cards(played.state.pile)
        lookalikes = (name, twin_of(name)) if name and name in self._pack.index else ()
        return next((each for each in lookalikes if each and each not in pile), None)

    def _problem_with(self, new_card: NewCard, played: KakkuriRound) -> RefereeProblem:
        name = new_card.top
        if name is None or new_card.names[name] < _MIN_RECOGNIZED:
            return unknown_card(DISCARD)
        if name not in self._pack.index:
            return foreign_card(name, DISCARD)
        number = self._pile.new_cards.index(new_card)
        seats = [each.seat for each in reached(self._pile.new_cards, number, 1, self._pile.hand_events)]
        player = next((seat for seat in seats if seat is not None), played.state.turn)
        move: KakkuriMove = Discard(player, (name,))
        if played.state.top < 0:
            move = OpenBox(played.state.turn, name)
        trial = played.copy()
        for each in trial.inferred_moves(move):
            trial.push(each, unchecked=True)
        problems = trial.check(move)
        if not problems:  # wrong only together with the passes it implies
            problems = trial.check(Discard(trial.state.turn, (name,)))
        if not problems:
            return card_twice(name)
        return RefereeProblem(problems[0].code, problems[0].text, (name,))

    def _undo_of_last_discard(self, table: Table) -> list[NewEvent] | None:
        """Return the undo of the last discard once it is gone and the card below is visible; None if it was not taken
        back.
        """
        if not self._pile.taken_back:
            self._removed = 0
            return None
        self._removed += 1
        target = table.undo_target()
        if self._removed < _MISSING_OBSERVATIONS or target is None or not is_from_vision(target):
            return None
        self._removed, self._reported_moves = 0, []
        self._pile.undo()
        return undo(target, table, self._pile.frame)

    def _remember_corrections(self, played: KakkuriRound) -> None:
        """Remember reported moves that a person removed."""
        if self._reported_moves and not set(self._reported_moves) <= set(played.moves):
            self._refused |= {move.words() for move in self._reported_moves if move not in played.moves}
            self._reported_moves = []


def _on_top(new_card: NewCard) -> bool:
    return new_card.unread or new_card.visible >= _MIN_VISIBLE_ON_TOP


def _last_card(hypothesis: DiscardHypothesis) -> str:
    return _cards_of(hypothesis.moves[-1])[0]


def _cards_of(move: KakkuriMove) -> tuple[str, ...]:
    """Return the cards that a move lays on the pile."""
    match move:
        case OpenBox():
            return (move.card,)
        case Discard():
            return move.cards
        case _:
            return ()


def _choice_text(hypothesis: DiscardHypothesis) -> Message:
    dealers = [event.data["dealer"] for event in hypothesis.events]
    parts = [Message("event-dealer", {"player": player_message(dealer)}) for dealer in dealers]
    return message_sequence([*parts, *(move.line() for move in hypothesis.moves)])
