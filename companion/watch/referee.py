"""Reports what the engine believes as events of a table: deals, turns, corrections, questions and problems.

The log of the table is what people see; the beam may believe something else. A turn is reported once everything up to it is certain
enough, and corrected when the beam turns over. What people enter binds the beam.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from math import log
from typing import Any, Final, NamedTuple

from companion.hanafuda.cards import first_of
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.rules import Rules
from companion.hanafuda.table_model import TableModel, TableProblem
from companion.observations import FIELD, POSTED, Observation
from companion.table import Table
from companion.table.events import Event, NewEvent
from companion.watch.beam import Beam, Belief, BelievedTurn, Hypothesis, PlayedTurn
from companion.watch.belief_events import REPORTED, BeliefEvents, asks_for_new_deal, dealt_by
from companion.watch.evidence import POSSIBLE, SURE
from companion.watch.problems import SeenDeal, SeenTable, card_peeked, problem_of, turn_unread, unknown_card
from companion.watch.referee_events import (
    asked,
    choice,
    is_from_vision,
    moved,
    notice,
    problem,
    settle,
    unchecked_move,
)
from companion.watch.resumption import resumed

_LIKELY: Final = 0.4
"""Probability, given the turns before it, from which a turn is reported that others have followed while the players ignored a question."""
_PATIENCE_S: Final = 1.5
"""How long a table must remain doubtful before a problem is reported, s."""
_ASKED_AFTER_S: Final = 4.0
"""How long a turn must remain doubtful before the players are asked, s."""
READERS_S: Final = _ASKED_AFTER_S + _PATIENCE_S
"""How long a turn may be under way by card readers alone before the players are asked for the rest, s."""
MAX_CHOICES: Final = 4


class _Doubt(NamedTuple):
    """What successive observations leave in doubt."""

    about: str
    """Identifies it: the patience starts again with a doubt about something else."""
    problem: TableProblem | None
    """What is reported in the end, if nothing is asked."""
    patience: float
    """How long it must remain, s."""
    question: Callable[[], list[NewEvent] | None] | None = None
    """Returns the events that ask the players, or None if there is nothing to ask."""
    since: float = 0.0
    """Time of the first observation that left it, s."""
    frame: str | None = None
    """The last picture that showed it."""
    is_raised: bool = False
    """Whether it has remained for long enough, so that players were asked or informed."""
    reported: str | None = None
    """The code of the problem that was reported: another problem is a new doubt."""


class NoRefereeError(BadRequestError):
    """Raised for a game that the camera cannot referee."""

    code = "no-referee"


class Referee:
    """Watches one table of a game. Its caller appends the events that it returns to the table, as one group, before the next observation."""

    def __init__(self, rules: Rules, players: int) -> None:
        """Raises `NoRefereeError` for a game that cannot be watched."""
        game = GAMES.get(rules.game)
        if game is None or game.camera is None:
            watched = tuple(each.title for each in GAMES.values() if each.camera is not None)
            raise NoRefereeError(Message("problem-no-referee", {"game": rules.title, "known": watched}))
        self.model: TableModel[Any] = game.camera.table(rules, players)
        self.players = players
        self._beam = Beam(self.model)
        self._events = BeliefEvents(self.model)
        self._read = 0
        """The number of the newest event of the table that the beam knows."""
        self._doubted: _Doubt | None = None
        self._reported: tuple[int, Sequence[Hashable]] = 0, ()
        """The round of the log and what identifies its turns."""
        self._refused: set[Hashable] = set()
        """Turns that people have removed: they are asked before such a turn is reported again."""
        self._asked_after = 0
        """The number of turns that had been played when the players were asked which one it was."""
        self._peeked: str | None = None
        """A card of the draw pile that was shown."""
        self._beside: Observation | None = None
        """The newest observation of the other source."""
        self._frame: str | None = None
        """The last picture that showed what the log says."""
        self._last: Observation | None = None
        """The last observation."""

    def see(
        self, observation: Observation, table: Table, beside: Observation | None = None
    ) -> list[NewEvent]:
        """Return the events that explain an observation; none if nothing happened or if it is too early to say. ``beside``: the newest
        observation of another source, which may contradict this one; a camera's was seen before."""
        self._beside = beside
        self._read_log(table)
        readers = beside if beside is not None and beside.source == "scanner" else None
        self._beam.see(observation, self._dealers(table), readers)
        belief = self._beam.belief()
        for each in (readers, observation):
            if each is not None:
                self._events.see(each, belief)
        events, self._last = self._report(belief, observation, table), observation
        if events:
            self._doubted, self._peeked, self._frame = None, None, observation.frame
            events += settle(table, reported=True)
            if self.model.shows_history and POSTED in observation.notes:
                events += self._doubt_after(events, belief, observation, table)
        else:
            events = self._doubt(belief, observation, table)
        return events

    @property
    def in_doubt(self) -> bool:
        """Whether a question or a problem follows if the table remains as it is."""
        return self._doubted is not None and not self._doubted.is_raised

    def close(self, table: Table) -> list[NewEvent]:
        """Return what the end of the observations implies: an open koi-koi decision counts as a stop, and likely turns are reported that only
        further ones would make certain. Where the players sit all around the table, the next turn is asked. In other games what is in doubt
        is asked or reported if nothing else was in the round.
        """
        move = None if table.round is None else self.model.closing(table.round)
        if move is not None:
            return [moved(move, 0.8, self._frame)]
        if self._last is not None:
            self._read_log(table)
            belief = self._beam.belief()
            likely = self._report(belief, self._last, table, SURE)
            if likely:
                return [*likely, *settle(table, reported=True)]
            if (
                self.model.seats
                and table.round is not None
                and not table.result_reported
                and belief.best.number <= table.round_number
            ):
                return self._question(belief, self._last, table) or []
        doubt = self._doubted
        if doubt is None or doubt.is_raised or table.result_reported or self._has_raised(table):
            return []
        if doubt.question is not None and (question := doubt.question()) is not None:
            return question
        return [] if doubt.problem is None else notice(doubt.problem, table, self._frame, doubt.frame)

    @staticmethod
    def _has_raised(table: Table) -> bool:
        """Return whether a question was asked or a problem reported since the deal."""
        kinds = [event.kind for event in table.events]
        dealt = max((number for number, kind in enumerate(kinds) if kind == "dealt"), default=0)
        return not {"asked", "noticed"}.isdisjoint(kinds[dealt:])

    def rescan(
        self, observation: Observation, table: Table, beside: Observation | None = None
    ) -> list[NewEvent]:
        """Return the events that set the table to what an observation shows; none without a round. ``beside``: as `see`."""
        played = table.round
        if played is None:
            return []
        seen = SeenTable(observation, self.model, self.model.committed(played), beside)
        data = self.model.reset(seen.placed(), played)
        if data is None:
            return resumed(observation, table, self.model, self._beam.seats, self._frame)
        self._beam = Beam(self.model)
        return [*settle(table, reported=True), NewEvent("set", data, 0.9, observation.frame)]

    # --- the log

    def _read_log(self, table: Table) -> None:
        """Bind the beam to what people have entered since the last observation."""
        new = table.events[self._read :]
        self._beam.logged = table.round_number
        turns = [] if table.round is None else self.model.turns(table.round.moves)[0]
        keys = table.round_number, [self.model.key(moves) for moves in turns]
        if self._reported[0] != keys[0]:
            self._refused.clear()
        elif not all(map(is_from_vision, new)):
            self._refused |= {*self._reported[1]}
        self._refused.difference_update(keys[1])
        self._reported = keys
        if self._read == 0:
            self._events.start_late(len(turns))
        if self._read == 0 or not all(map(is_from_vision, new)):
            self._bind(table)
        self._read = table.seq

    def _bind(self, table: Table) -> None:
        """Bind the beam to the current round of the log."""
        played = table.round
        is_over = played is not None and played.outcome() is not None
        if played is None or table.result_reported or (is_over and not self.model.shows_history):
            self._beam.ended = table.round_number
            return
        turns, rest = self.model.turns(played.moves)
        turn: PlayedTurn | None = None
        *states, began = self._states(played, len(turns) + 1)
        for moves, state in zip(turns, states, strict=True):
            turn = PlayedTurn(turn, moves, self.model.key(moves), turn.depth + 1 if turn else 1, state)
        state, dealt = self.model.committed(played), self.model.dealt_state(played)
        logged = Hypothesis(state, 0.0, turn, rest, dealt, began if rest else None, table.round_number)
        self._beam.bind(logged, () if table.dealer_known else range(1, self.players + 1))

    def _states(self, played: Any, count: int) -> list[Any]:
        """Return the states in which the first ``count`` turns of a round began, None where moves were entered together."""
        earlier, states = played.copy(), dict[int, Any]()
        while True:
            complete, begun = self.model.turns(earlier.moves)
            if not begun:
                states[len(complete)] = self.model.committed(earlier)
            if not earlier.moves:
                return [states.get(number) for number in range(count)]
            earlier.pop()

    def _dealers(self, table: Table) -> Mapping[int, float]:
        """Return the probability of each player to deal the next round."""
        match = table.game
        if match.outcomes and table.dealer_known:
            return {match.dealer: 1.0}
        return dict.fromkeys(range(1, self.players + 1), 1 / self.players)

    # --- reports

    def _report(
        self, belief: Belief, observation: Observation, table: Table, certain: float = REPORTED
    ) -> list[NewEvent]:
        """Return the events of what is certain and not in the log yet. ``certain``: from which probability a turn is."""
        best, played = belief.best, table.round
        if best.state is None or best.number <= self._beam.ended:
            return []
        if played is None or not self._is_logged(best, table):
            return self._report_deal(belief, observation, table, certain)
        if table.result_reported or (played.outcome() is not None and not self.model.shows_history):
            return []
        return self._report_turns(belief, observation, table, certain)

    def _report_turns(
        self, belief: Belief, observation: Observation, table: Table, certain: float
    ) -> list[NewEvent]:
        """Return the events that make the turns of the log those that are certain if the deal is as reported."""
        played, frame = table.round, observation.frame
        assert played is not None
        logged, begun = self.model.turns(played.moves)
        keys = [self.model.key(moves) for moves in logged]
        same = 0
        while same < min(len(keys), len(belief.turns)) and keys[same] == belief.turns[same].turn.key:
            same += 1
        reported = self._reported_turns(belief, same, observation, table, certain)
        turns = list(takewhile(lambda turn: turn.key not in self._refused, reported))
        if same == len(keys):
            known = table.dealer_known
            return self._events.turns(
                played.copy(), turns[same:], begun, belief, frame, is_dealer_known=known
            )
        is_taken_back = len(belief.turns) == same and self._beam.probability_of(keys) < 1 - REPORTED
        if same < len(turns) or (is_taken_back and not self._are_entered(table, same)):
            return self._events.revise(same, turns, belief, frame, table)
        return []

    def _reported_turns(
        self, belief: Belief, same: int, observation: Observation, table: Table, certain: float
    ) -> list[PlayedTurn]:
        """Return the turns of a belief that belong into the log, which has the first ``same``: those that are certain, and, unless the table
        shows something else, those that others have followed and that are nearly certain, or likely and asked about in vain: a question
        does not hold up the game."""
        turns = [each.turn for each in belief.turns[:same]]
        is_asked = any(map(is_from_vision, table.open_questions))
        is_ignored = is_asked and len(belief.turns) > self._asked_after
        least = _LIKELY if is_ignored else SURE
        for turn, _, p in belief.turns[same:]:
            is_followed = len(turns) + 1 < len(belief.turns) and not self.model.shows_history
            is_likely = is_followed and p >= least
            if p < certain and not (is_likely and self._explains(belief.best, observation)):
                break
            turns.append(turn)
        return turns

    def _explaining(self, observation: Observation) -> Hypothesis | None:
        """Return the likeliest of the possible hypotheses that explain an observation; None if none does."""
        for each in self._beam.hypotheses:
            if each.log_p < log(POSSIBLE):
                break
            if each.state is not None and self._explains(each, observation):
                return each
        return None

    def _explains(self, best: Hypothesis, observation: Observation) -> bool:
        """Return whether an observation shows the table of a hypothesis."""
        return not SeenTable(observation, self.model, best.state, self._beside).differs

    def _are_entered(self, table: Table, same: int) -> bool:
        """Return whether people entered a move of a turn of the log after the first ``same`` ones."""
        assert table.live is not None
        played = [each for each in table.live.steps if each.move is not None]
        turns, begun = self.model.turns([each.move for each in played])
        rest = [*(move for turn in turns[same:] for move in turn), *begun]
        return any(
            each.move in rest and each.item is not None and not is_from_vision(each.item.reported)
            for each in played
        )

    def _report_deal(
        self, belief: Belief, observation: Observation, table: Table, certain: float
    ) -> list[NewEvent]:
        """Return the events of a deal that is not in the log yet, or is there with other cards."""
        frame = observation.frame
        if belief.dealt < SURE or self.model.unread(belief.best.dealt):
            return []
        if table.round is not None and self._is_read_otherwise(belief.best, table):
            return self._events.correct_deal(belief, frame, table) if belief.dealt >= REPORTED else []
        shows_deal = self.model.dealt or self.model.placement(belief.best.dealt).backs
        if shows_deal and not (self.model.shows_history and belief.turns):
            return self._events.deal(belief, frame, table)
        turns = self._reported_turns(belief, 0, observation, table, certain)
        if not turns:
            return []  # what followed a deal is reported, or asked, with it
        followed = replace(belief, turns=belief.turns[: len(turns)])
        return self._events.deal_and_turns(followed, frame, table)

    def _is_logged(self, best: Hypothesis, table: Table) -> bool:
        """Return whether the current round of the log has the deal of a hypothesis, whoever dealt."""
        return self._beam.is_dealt(best, self.model.dealt_state(table.round), table.round_number)

    def _is_read_otherwise(self, best: Hypothesis, table: Table) -> bool:
        """Return whether a hypothesis has the deal of the current round, with a few other cards."""
        played = table.round
        if played is None or played.outcome() is not None or table.result_reported:
            return False
        one, other = (
            Counter(map(first_of, self.model.deal(state).get("field", ())))
            for state in (best.dealt, self.model.dealt_state(played))
        )
        return 2 * (one & other).total() > one.total()

    # --- doubts

    def _doubt(self, belief: Belief, observation: Observation, table: Table) -> list[NewEvent]:
        """Wait while a table is doubtful, then ask or report a problem; settle both when it is as the log says."""
        if asks_for_new_deal(table) or table.result_reported:
            self._doubted = None
            return []
        played = table.round
        if played is None or played.outcome() is not None:
            doubt = self._doubt_of_deal(belief, observation, table)
        else:
            seen = SeenTable(observation, self.model, self.model.committed(played), self._beside)
            peeked = seen.peeked
            is_open = self.model.shows_history and len(belief.turns) > len(self.model.turns(played.moves)[0])
            if peeked is None and not seen.differs and seen.unread is None and not is_open:
                settled = settle(table)
                if self._peeked is not None:  # it is hidden again
                    settled += notice(card_peeked(self._peeked), table, self._frame, observation.frame)
                self._doubted, self._peeked, self._frame = None, None, observation.frame
                return settled
            self._peeked = peeked or self._peeked
            doubt = self._doubt_of_turn(belief, observation, seen, table)
        if doubt is None:
            self._doubted = None
            return []
        return self._tell(doubt, observation, table)

    def _doubt_after(
        self, events: Sequence[NewEvent], belief: Belief, observation: Observation, table: Table
    ) -> list[NewEvent]:
        """Return what a picture leaves in doubt after some events: no other one of the same cards may follow."""
        after = Table.of(table.events)
        try:
            after.append(events, actor="", source="camera", time=table.last_activity)
        except (IllegalMoveError, BadRequestError):
            return []  # the caller, which appends them, reports the error
        return self._doubt(belief, observation, after)

    def _tell(self, doubt: _Doubt, observation: Observation, table: Table) -> list[NewEvent]:
        """Return the question or the problem of a doubt, once it has remained for long enough."""
        before, since, reported = self._doubted, observation.time, None
        code = doubt.problem.code if doubt.problem is not None else None
        if before is not None and before.about == doubt.about and before.reported in {None, code}:
            since, reported = before.since, before.reported
        is_raised = POSTED in observation.notes or observation.time - since >= doubt.patience
        doubt = doubt._replace(since=since, frame=observation.frame, is_raised=is_raised, reported=reported)
        self._doubted = doubt
        if not is_raised:
            return []
        if doubt.question is not None and (question := doubt.question()) is not None:
            return question
        if doubt.problem is None:
            return []
        self._doubted = doubt._replace(reported=code)
        is_answer = doubt.question is not None
        return notice(doubt.problem, table, self._frame, observation.frame, answers=is_answer)

    def _doubt_of_deal(self, belief: Belief, observation: Observation, table: Table) -> _Doubt | None:
        """Return what is in doubt while a deal is expected; None if the table is empty or is being cleared."""

        def ask() -> list[NewEvent] | None:
            question = self._ask_deal(observation.frame, table)
            return question if question is not None else self._question(belief, observation, table)

        is_dealt = belief.best.state is not None and not self.model.unread(belief.best.dealt)
        if not self.model.dealt:
            is_new = is_dealt and belief.best.number > table.round_number and belief.turns
            return _Doubt("deal", None, _ASKED_AFTER_S, ask) if is_new else None
        dealt = SeenDeal(observation)
        if is_dealt and table.round is None:
            return _Doubt("deal", unknown_card(FIELD) if dealt.unread else None, _PATIENCE_S, ask)
        if dealt.piled:
            missed = TableProblem("deal-missed", Message("notice-deal-missed"))
            return _Doubt("missed", missed, _ASKED_AFTER_S) if table.round is None else None
        if dealt.count in {0, self.model.dealt}:
            return None
        if dealt.unread:
            return _Doubt("unread", unknown_card(FIELD), _ASKED_AFTER_S)
        message = Message("notice-deal-count", {"count": dealt.count})
        return _Doubt(f"dealt {dealt.count}", TableProblem("deal-count", message), _ASKED_AFTER_S)

    def _doubt_of_turn(
        self, belief: Belief, observation: Observation, seen: SeenTable, table: Table
    ) -> _Doubt | None:
        """Return what is in doubt about a table that does not show what the log says; None while a turn is under way."""
        explaining, played = self._explaining(observation), table.round
        assert played is not None

        def ask(*, legal: bool = False) -> list[NewEvent] | None:
            return self._question(belief, observation, table, legal=legal)

        best, explained = explaining or belief.best, explaining is not None
        is_read = explained and seen.unread is None and not self._may_lack_cards(observation)
        broken = self._broken_rule(best, played, table) if is_read else None
        if explained and broken is None and seen.unread is None:
            if best.moves and seen.new:  # a camera will see the rest
                by_readers = observation.source == "scanner" and self._beside is None
                about = f"{len(seen.zone)} cards"  # the patience starts again with each one
                return _Doubt(about, turn_unread(seen), READERS_S) if by_readers else None
            if best.state == self.model.committed(played):
                return None
            about = "turn"
            if self.model.shows_history:
                about = f"{len(observation.cards)} cards"  # the patience starts again with each hand
                if len(best.turns) <= len(self.model.turns(played.moves)[0]):
                    awaited = self.model.awaited(best.state)
                    return None if awaited is None else _Doubt(about, awaited, _ASKED_AFTER_S)
            found = None if self.model.shows_history else problem_of(seen)  # the next hands tell more
            return _Doubt(about, found, _ASKED_AFTER_S, ask)
        if broken is not None:
            return _Doubt("turn", broken, _PATIENCE_S, lambda: ask(legal=True))
        found = problem_of(seen)
        return None if found is None else _Doubt("turn", found, _PATIENCE_S)

    def _ask_deal(self, frame: str, table: Table) -> list[NewEvent] | None:
        """Ask which cards were dealt; None if only one deal is likely or too many are, and nothing if the players are asked already."""
        if table.open_questions:
            return []
        options = [(deal, p) for deal, p in self._beam.deals() if p >= POSSIBLE][:MAX_CHOICES]
        if len(options) < 2 or sum(p for _, p in options) < _LIKELY:
            return None
        choices = []
        for deal, p in options:
            belief = Belief(deal, p, ())
            question, words = self.model.deal_question(deal.dealt)
            choices.append(choice([words], p, self._events.deal(belief, frame, table)))
        return [asked(question, choices, options[0][1], frame)]

    def _broken_rule(self, best: Hypothesis, played: Any, table: Table) -> TableProblem | None:
        """Return the rule that the next moves of a hypothesis break; None if they are legal."""
        logged, begun = self.model.turns(played.moves)
        moves = [
            *(move for turn in best.turns[len(logged) :] for move in turn.moves),
            *best.moves,
        ][len(begun) :]
        after = played.copy() if table.dealer_known else dealt_by(played, best.dealt.dealer)
        for move in moves:
            if after.outcome() is not None:
                return None
            for each in (*after.inferred_moves(move), move):
                if problems := after.check(each):
                    return self.model.blame(move, problems[0], after)
                after.push(each)
        return None

    def _may_lack_cards(self, observation: Observation) -> bool:
        """Return whether cards may have been laid on each other that no picture shows: what looks illegal follows from them."""
        return bool(self.model.seats) and POSTED in observation.notes

    def _question(
        self, belief: Belief, observation: Observation, table: Table, *, legal: bool = False
    ) -> list[NewEvent] | None:
        """Ask which turn was made; None if no turn explains the table, or if ``legal`` and the rules are likely broken; nothing if the players
        are asked already."""
        frame, missed = observation.frame, self._may_lack_cards(observation)
        played = None if belief.best.number > table.round_number else table.round
        logged = [] if played is None else self.model.turns(played.moves)[0]
        if self.model.shows_history:
            events = self._history_question(belief, played, frame, table)
            if not events or not _is_asked(table):
                return events
            is_same = any(_answers(each) == _answers(events[0]) for each in table.open_questions)
            return [] if is_same else [*settle(table, reported=True), *events]
        found = self._beam.next_turns(logged, belief.best.number)
        options = [each for each in found if each[2] >= POSSIBLE]
        broken = {
            turn.key: None if played is None or missed else self._broken_rule(each, played, table)
            for each, turn, _ in options
        }
        if sum(p for _, turn, p in options if not (legal and broken[turn.key])) < _LIKELY:
            return None
        if _is_asked(table):
            return []
        choices = list[dict[str, Any]]()
        question, answers = self.model.turn_question([turn.moves for _, turn, _ in options[:MAX_CHOICES]])
        for (each, turn, p), words in zip(options, answers, strict=False):
            one = Belief(each, p, [BelievedTurn(turn, p, p)])
            if played is None:
                events = self._events.deal_and_turns(one, frame, table, answered=True)
            else:
                known = table.dealer_known
                events = self._events.turns(
                    played.copy(), [turn], (), one, None, is_dealer_known=known, answered=missed
                )
            problem_of_turn = broken[turn.key]
            if events:
                choices.append(choice(words, p, events))
            elif problem_of_turn is not None:
                noticed = NewEvent("noticed", problem(problem_of_turn, self._frame, frame), 1.0, frame)
                against = [*words, problem_of_turn.text]
                choices.append(choice(against, p, [*map(unchecked_move, turn.moves), noticed]))
        self._asked_after = len(belief.turns)
        is_refused = self._refused.intersection(turn.key for _, turn, _ in options)
        return [asked(question, choices, options[0][2], frame)] if choices[not is_refused :] else None

    def _history_question(
        self, belief: Belief, played: Any, frame: str, table: Table
    ) -> list[NewEvent] | None:
        """Ask what happened in the round so far, as `_question`. Without a round the answers also deal it. There are two
        answers at most for each player who may have dealt."""
        dealt = self._events.deal(belief, frame, table) if played is None else []
        if played is None and not any(each.kind == "dealt" for each in dealt):
            return dealt  # the round before has not ended
        logged, begun = ([], ()) if played is None else self.model.turns(played.moves)
        options = self._beam.histories(logged, max(belief.best.number, table.round_number))
        options = [(each, p) for each, p in options if p >= POSSIBLE * options[0][1]]
        if sum(p for _, p in options) < 1 - _LIKELY:
            return None  # more likely nothing happened yet
        question, answers = self.model.history_question([each.state for each, _ in options])
        choices = []
        for (each, p), words in zip(options[: 2 * self.players], answers, strict=False):
            new = each.turns[len(logged) :]
            one = Belief(each, p, [BelievedTurn(turn, p, p) for turn in new])
            if played is None:
                events = self._events.deal_and_turns(one, frame, table)
            else:
                known = table.dealer_known
                events = self._events.turns(played.copy(), new, begun, one, None, is_dealer_known=known)
            if events:
                events = [replace(event, confidence=1.0) for event in events]
                choices.append(choice(words, p, events))
        return [asked(question, choices, options[0][1], frame)] if choices else None


def _answers(question: Event | NewEvent) -> list[Any]:
    """Return the events of the answers of a question."""
    return [each["events"] for each in question.data["choices"]]


def _is_asked(table: Table) -> bool:
    """Return whether a question is open."""
    return any(event.kind == "asked" for event in table.open_questions)
