"""The referee of Kakkuri: the pile in the middle tells who discarded, and that tells who passed."""

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
from companion.observations import DISCARD, POSTED, STOCK, Observation
from companion.referee.discard_pile import NewCard, Pile, read_names
from companion.referee.interface import CommittedTable
from companion.referee.kakkuri_hypotheses import Around, DiscardHypothesis, explain, first_of_all, reached
from companion.referee.message_parts import message_sequence, zone_message
from companion.referee.referee_events import (
    RefereeProblem,
    choice,
    moved,
    notice,
    problem,
    settle,
    waiting,
)
from companion.table.events import NewEvent

__all__ = ["KakkuriReferee"]

_AT_ONCE = 0.97
"""What is so likely is told at the first look."""
_AGAIN = 0.95
"""What is so likely at a second look is told then."""
_PATIENCE = 3
"""So many looks in a row without an answer, and the players are asked, or told of the problem."""
_CHOICES = 4
_MISFIT = 0.2
"""Where it is so likely that no card came, but one lies there, it may well have been laid against the rules."""
_WORTH_ASKING = 0.1
"""What the rules allow is asked about where it is so likely."""
_UNREAD = 0.4
"""What the eyes do not even think of so surely is to be laid clear before anybody is asked."""
_READ = 0.6
"""A card is read where one name is so likely."""
_AT_MOST = 6
"""So many cards are explained at once; the players have gone far ahead if there are more."""
_GONE_LOOKS = 2
_ON_TOP = 0.6


class KakkuriReferee:
    """Explains looks at a table of Kakkuri: hands are hidden, and passes follow from the next discard or come by tap."""

    def __init__(self, rules: Rules, players: int) -> None:
        assert isinstance(rules, KakkuriRules)
        self.rules, self.players = rules, players
        self._pile, self._around = Pile(), Around()
        self._cleared = True
        """Whether the pile was off the table since the last round ended."""
        self._doubtful = 0
        """Looks in a row that leave open what happened."""
        self._asked = 0
        """How many cards had come when the players were asked last: nobody is asked the same twice."""
        self._wrong_with = 0
        """How many cards had come when the players were told what is wrong."""
        self._removed = 0
        """Looks in a row in which the last discard is not there."""
        self._refused: set[tuple[str, ...]] = set()
        """The moves that somebody took away after they were told: they are asked about before they are told again."""
        self._said: list[KakkuriMove] = []
        self._observation: Observation | None = None

    def see(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Return what must have happened since the last agreed state, nothing where nothing did or it is too early."""
        self._observation = observation
        played = table.round if isinstance(table.round, KakkuriRound) else None
        over = played is None or played.outcome() is not None
        removed = played is None or (over and self._cleared)
        lying = () if removed or played is None else PACKS[self.rules.deck].cards(played.state.pile)
        self._pile.read(observation, lying)
        if played is not None:
            self._learn_from_others(played)
        self._around.box = next(
            (each.at for each in observation.cards if each.zone == STOCK), self._around.box
        )
        self._around.arms = self._pile.arms
        if over and not self._pile.shown:
            self._pile.clear()
            self._cleared = True
        if over and not self._cleared:
            self._pile.agree({}, len(self._pile.new_cards), observation.frame, observation.time)
            return []
        if played is not None and not over:
            self._cleared = not self._pile.shown
            if (undone := self._taken_back(table)) is not None:
                return undone
            self._mind_corrections(played)
        new_cards = self._pile.new_cards[:_AT_MOST]
        if not new_cards:
            self._doubtful = self._asked = self._wrong_with = 0
            return settle(table) if not over else []
        starts = list(self._starts(played, table, over=over))
        if not starts:
            return self._ask_dropped(observation, table)
        return self._explained(
            explain(starts, new_cards, self._pile.hand_events, self._around), starts, observation, table
        )

    def close(self, table: CommittedTable) -> list[NewEvent]:
        """Return what the last look tells, or leaves open, where no other came."""
        if self._observation is None or not self._pile.new_cards:
            return []
        self._doubtful = _PATIENCE
        return self.see(self._observation, table)

    def rescan(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Ask who laid the card that lies on top now, or whose turn it is: the game goes on from there, whatever was missed."""
        played = table.round
        if not isinstance(played, KakkuriRound) or played.outcome() is not None:
            return []
        pack, state = PACKS[self.rules.deck], played.state
        self._pile.read(observation, pack.cards(state.pile))
        top = max(
            (each for each in observation.cards if each.zone == DISCARD and read_names(each)[1] < 0.5),
            key=lambda each: each.visible,
            default=None,
        )
        names_of_top = read_names(top)[0] if top else {}
        name = max(names_of_top, key=names_of_top.__getitem__, default="")
        if (
            top is None
            or top.visible < _ON_TOP
            or names_of_top.get(name, 0.0) < _READ
            or name not in pack.index
        ):
            return notice(
                RefereeProblem(
                    "unknown-card", Message("notice-unknown-card", {"where": zone_message(DISCARD)})
                ),
                table,
                self._pile.frame,
                observation.frame,
            )
        new_card = next((each for each in self._pile.new_cards if each.key == top.key), None)
        if new_card is None and state.top >= 0 and first_of(pack.ids[state.top]) == name:
            return [*settle(table), self._whose_turn(played, observation)]
        if (card := self._free(name, played)) is None:
            return self._back_to(name, played, observation, table)
        return [*settle(table), self._who_laid(card, new_card, played, observation)]

    def _whose_turn(self, played: KakkuriRound, observation: Observation) -> NewEvent:
        state = played.state
        seats, passes, choices = list(state.players_in()), list[NewEvent](), list[dict[str, Any]]()
        seat = state.turn
        for number in range(len(seats)):
            likely = 0.5 if number == 0 else 0.5 / max(1, len(seats) - 1)
            choices.append(choice(Message("choice-player", {"player": player_message(seat)}), likely, passes))
            passes = [*passes, _as_told(Pass(seat))]
            seat = state.next_in(seat)
        text = Message("question-whose-turn")
        data = {"text": text.to_dict(), "choices": choices, "picture": observation.frame}
        return NewEvent("asked", data, 0.5, observation.frame)

    def _who_laid(
        self, card: str, new_card: NewCard | None, played: KakkuriRound, observation: Observation
    ) -> NewEvent:
        cards = [] if new_card is None else [new_card]
        near = reached(cards, 0, 1, self._pile.hand_events) if cards else []
        weights = {
            seat: exp(self._around.of(seat, near, cards, self.players))
            for seat in sorted(played.state.players_in())
        }
        total = sum(weights.values())
        choices = [
            choice(
                Message("choice-discard", {"player": player_message(seat), "cards": card_list([card])}),
                weights[seat] / total,
                [_as_told(Discard(seat, (card,)))],
            )
            for seat in sorted(weights, key=lambda seat: -weights[seat])
        ]
        text = Message("question-top-discard", {"cards": card_list([card])})
        data = {"text": text.to_dict(), "choices": choices, "picture": observation.frame}
        return NewEvent("asked", data, round(max(weights.values()) / total, 3), observation.frame)

    def _back_to(
        self, name: str, played: KakkuriRound, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Take back what was told last where the card before it lies on top; what goes further back is a person's to correct."""
        target = table.undo_target()
        if target is not None:
            before = played.copy()
            for _ in [each for each in table.events if each.group == target.group and each.kind == "moved"]:
                before.pop()
            top = before.state.top
            if top >= 0 and first_of(PACKS[self.rules.deck].ids[top]) == name:
                self._said = []
                self._pile.undo()
                return [*settle(table), NewEvent("undone", {"of": target.seq}, 0.9, observation.frame)]
        return notice(
            RefereeProblem("correct-by-hand", Message("notice-correct-by-hand")),
            table,
            self._pile.frame,
            observation.frame,
        )

    # --- what the explanations start from

    def _starts(
        self, played: KakkuriRound | None, table: CommittedTable, *, over: bool
    ) -> Iterator[DiscardHypothesis]:
        """Yield the rounds that the pile may belong to; none where nobody told which of eight players drops out."""
        if played is not None and not over:
            if played.moves or table.dealer_known:
                yield DiscardHypothesis(played, 0.0, time=self._pile.last_came)
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

    def _dealers(self, played: KakkuriRound | None, table: CommittedTable) -> Sequence[int]:
        ended: Outcome | None = None if played is None else played.outcome()
        if ended is not None and (ended.counts or table.dealer_known):
            return (table.game.dealer,)
        return range(1, self.players + 1)

    def _ask_dropped(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Ask who of eight players drops out: without him nobody knows who plays."""
        if waiting(table):
            return []
        pack = PACKS[self.rules.deck]
        seats = range(1, self.players + 1)
        choices = [
            choice(
                Message("choice-drops-out", {"player": player_message(seat)}),
                1 / self.players,
                [NewEvent("dealt", {"deal": {"dropped": seat}, "dealer": self._known_dealer(table)})],
            )
            for seat in seats
        ]
        asked = Message("question-who-drops-out", {"cards": card_list(pack.cards(pack.dropout))})
        data = {"text": asked.to_dict(), "choices": choices, "picture": observation.frame}
        return [NewEvent("asked", data, 1 / self.players, observation.frame)]

    def _known_dealer(self, table: CommittedTable) -> int | None:
        played = table.round if isinstance(table.round, KakkuriRound) else None
        dealers = self._dealers(played, table)
        return dealers[0] if len(dealers) == 1 else None

    # --- what they tell

    def _explained(
        self,
        hypotheses: Sequence[tuple[DiscardHypothesis, float]],
        starts: Sequence[DiscardHypothesis],
        observation: Observation,
        table: CommittedTable,
    ) -> list[NewEvent]:
        new_cards = self._pile.new_cards[:_AT_MOST]
        for count in range(len(new_cards), 0, -1):
            best, probability = first_of_all(hypotheses, count)[0] if hypotheses else (None, 0.0)
            if best is None or not best.moves:
                continue
            # What the eyes do not name at all counts against what they name; a strip at the pile's edge need be no card.
            probability *= prod(
                min(1.0, sum(each.names.values()))
                for each in new_cards[: len(best.ends)]
                if each.key in best.cards or each.visible >= _ON_TOP
            )
            refused = any(move.words() in self._refused for move in best.moves)
            if not refused and (probability >= _AT_ONCE or (self._doubtful and probability >= _AGAIN)):
                return self._tell(best, probability, observation, table)
        nothing = sum(probability for hypothesis, probability in hypotheses if not hypothesis.moves)
        legal = max((probability for hypothesis, probability in hypotheses if hypothesis.moves), default=0.0)
        unread = all(sum(each.names.values()) < _UNREAD for each in new_cards if _on_top(each))
        if unread or legal < _WORTH_ASKING:
            return self._unexplained(starts, observation, table)
        self._doubtful += _PATIENCE if POSTED in observation.notes else 1
        if self._doubtful < _PATIENCE or waiting(table) or self._asked == len(new_cards):
            return []
        self._asked = len(new_cards)
        return [*settle(table), self._question(hypotheses, starts, nothing, observation)]

    def _question(
        self,
        hypotheses: Sequence[tuple[DiscardHypothesis, float]],
        starts: Sequence[DiscardHypothesis],
        nothing: float,
        observation: Observation,
    ) -> NewEvent:
        """Ask about the first card of which nobody knows, also whether it was laid against the rules."""
        likely: list[tuple[DiscardHypothesis, float]] = []
        for count in range(1, max(len(hypothesis.ends) for hypothesis, _ in hypotheses) + 1):
            likely = [
                (hypothesis, probability)
                for hypothesis, probability in first_of_all(hypotheses, count)
                if hypothesis.moves
            ][:_CHOICES]
            if likely and likely[0][1] >= _WORTH_ASKING:
                break
        choices = [
            choice(_says(hypothesis), probability, self._events(hypothesis, probability, observation))
            for hypothesis, probability in likely
        ]
        top = [each for each in self._pile.new_cards if _on_top(each)]
        if nothing > _MISFIT and top:
            choices.append(self._against_the_rules(top[0], starts[0].round, nothing, observation))
            choices.sort(key=lambda each: -float(each["p"]))
        cards = dict.fromkeys(_last_card(hypothesis) for hypothesis, _ in likely)
        text = Message("question-which-discard", {"cards": card_list(cards)})
        data = {"text": text.to_dict(), "choices": choices, "picture": observation.frame}
        return NewEvent("asked", data, round(likely[0][1], 3), observation.frame)

    def _against_the_rules(
        self, new_card: NewCard, played: KakkuriRound, probability: float, observation: Observation
    ) -> dict[str, Any]:
        """Return the answer that a card was laid against the rules, or one before it missed: the game goes on from it."""
        wrong = self._trouble(new_card, played)
        events = [
            NewEvent("noticed", problem(wrong, self._pile.frame, observation.frame), 0.9, observation.frame)
        ]
        says = wrong.message
        if (card := self._free(new_card.top, played)) is not None:
            near = reached(
                self._pile.new_cards, self._pile.new_cards.index(new_card), 1, self._pile.hand_events
            )
            seat = max(
                sorted(played.state.players_in()),
                key=lambda seat: self._around.of(seat, near, [new_card], self.players),
            )
            events.append(_as_told(Discard(seat, (card,))))
            says = message_sequence(
                [
                    Message("choice-discard", {"player": player_message(seat), "cards": card_list([card])}),
                    wrong.message,
                ]
            )
        return choice(says, probability, events)

    def _events(
        self, hypothesis: DiscardHypothesis, probability: float, observation: Observation
    ) -> list[NewEvent]:
        confidence = round(probability, 3)
        starts = [
            NewEvent(event.kind, event.data, confidence, observation.frame) for event in hypothesis.events
        ]
        return starts + [moved(move, confidence, observation.frame) for move in hypothesis.moves]

    def _tell(
        self,
        hypothesis: DiscardHypothesis,
        probability: float,
        observation: Observation,
        table: CommittedTable,
    ) -> list[NewEvent]:
        events = [*settle(table), *self._events(hypothesis, probability, observation)]
        self._learn_leans(hypothesis)
        self._pile.agree(hypothesis.cards, len(hypothesis.ends), observation.frame, observation.time)
        self._said = [*hypothesis.moves]
        self._doubtful, self._asked, self._wrong_with, self._cleared = 0, 0, 0, False
        if any(event.kind == "dealt" for event in hypothesis.events):
            self._refused.clear()
        return events

    def _learn_leans(self, hypothesis: DiscardHypothesis) -> None:
        before = 0
        for number, (_, moves) in enumerate(hypothesis.ends):
            if moves > before:
                new_card, player = self._pile.new_cards[number], hypothesis.moves[moves - 1].player
                near = reached(self._pile.new_cards, number, 1, self._pile.hand_events)
                self._around.leans.learn(player, near, self.players)
                self._around.facing.learn(player, [new_card.towards], self.players)
            before = moves

    def _learn_from_others(self, played: KakkuriRound) -> None:
        """Learn how players lay their cards from what somebody else told of a card that was seen."""
        if self._pile.confirmed:
            self._doubtful = self._asked = self._wrong_with = 0
        for new_card, name in self._pile.confirmed:
            laid = (move for move in reversed(played.moves) if name in _cards_of(move))
            if (move := next(laid, None)) is not None:
                self._around.facing.learn(move.player, [new_card.towards], self.players)

    # --- what does not fit

    def _unexplained(
        self, starts: Sequence[DiscardHypothesis], observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Tell after a while what is wrong with the card on top; a find that may be none is let be.

        Where the game goes on all the same, it is asked who laid the card that lies on top by then.
        """
        new_cards = self._pile.new_cards
        clear = [each for each in new_cards if _on_top(each)]
        self._doubtful += _PATIENCE if POSTED in observation.notes else 1
        if not clear or self._doubtful < _PATIENCE:
            return []
        if self._wrong_with and waiting(table):
            return []  # it was asked who laid it
        played, last = starts[0].round, clear[-1]
        reported = notice(self._trouble(clear[0], played), table, self._pile.frame, observation.frame)
        if reported or not self._wrong_with:
            self._wrong_with = len(clear)
            return reported
        name = last.top
        went_on = (
            len(clear) > self._wrong_with
            and played.state.box
            and name is not None
            and last.names[name] > _READ
        )
        if not went_on or waiting(table) or not (card := self._free(name, played)):
            return []
        self._wrong_with = len(clear)
        return [*settle(table), self._who_laid(card, last, played, observation)]

    def _free(self, name: str | None, played: KakkuriRound) -> str | None:
        """Return a card or its look-alike, whichever does not lie on the pile; None where both do, or it is none of the deck."""
        pack = PACKS[self.rules.deck]
        pile = pack.cards(played.state.pile)
        both = (name, twin_of(name)) if name and name in pack.index else ()
        return next((each for each in both if each and each not in pile), None)

    def _trouble(self, new_card: NewCard, played: KakkuriRound) -> RefereeProblem:
        pack = PACKS[self.rules.deck]
        name = new_card.top
        if name is None or new_card.names[name] < _READ:
            return RefereeProblem(
                "unknown-card", Message("notice-unknown-card", {"where": zone_message(DISCARD)})
            )
        if name not in pack.index:
            return RefereeProblem(
                "foreign-card",
                Message("notice-foreign-card", {"cards": card_list([name]), "where": zone_message(DISCARD)}),
                (name,),
            )
        number = self._pile.new_cards.index(new_card)
        seats = [each.seat for each in reached(self._pile.new_cards, number, 1, self._pile.hand_events)]
        player = next((seat for seat in seats if seat is not None), played.state.turn)
        move: KakkuriMove = Discard(player, (name,))
        if played.state.top < 0:
            move = OpenBox(played.state.turn, name)
        trial = played.copy()
        for each in trial.untold(move):
            trial.push(each, as_told=True)
        problems = trial.check(move)
        if not problems:  # wrong only with what others must have passed
            problems = trial.check(Discard(trial.state.turn, (name,)))
        if not problems:
            return RefereeProblem(
                "card-twice", Message("notice-card-twice", {"cards": card_list([name])}), (name,)
            )
        return RefereeProblem(problems[0].code, problems[0].text, (name,))

    def _taken_back(self, table: CommittedTable) -> list[NewEvent] | None:
        """Return that the last discard was taken back, once it is gone and the card below lies open; None where it was not."""
        if not self._pile.taken_back:
            self._removed = 0
            return None
        self._removed += 1
        target = table.undo_target()
        if self._removed < _GONE_LOOKS or target is None or target.source not in {"camera", "scanner"}:
            return None
        self._removed, self._said = 0, []
        self._pile.undo()
        return [*settle(table), NewEvent("undone", {"of": target.seq}, 0.9, self._pile.frame)]

    def _mind_corrections(self, played: KakkuriRound) -> None:
        """Keep in mind what was told and somebody took away."""
        if self._said and not set(self._said) <= set(played.moves):
            self._refused |= {move.words() for move in self._said if move not in played.moves}
            self._said = []


def _as_told(move: KakkuriMove) -> NewEvent:
    """Return the event of a move that happened whatever the rules say of it: something before it was missed."""
    return NewEvent("moved", {"player": move.player, "words": list(move.words()), "as_told": True})


def _on_top(new_card: NewCard) -> bool:
    return new_card.unread or new_card.visible >= _ON_TOP


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


def _says(hypothesis: DiscardHypothesis) -> Message:
    dealers = [event.data["dealer"] for event in hypothesis.events]
    said = [Message("choice-deals", {"player": player_message(dealer)}) for dealer in dealers]
    for move in hypothesis.moves:
        match move:
            case OpenBox():
                said.append(
                    Message(
                        "choice-box", {"player": player_message(move.player), "cards": card_list([move.card])}
                    )
                )
            case Discard() if move.as_rank is not None:
                said.append(
                    Message(
                        "choice-discard-as",
                        {
                            "player": player_message(move.player),
                            "cards": card_list(move.cards),
                            "rank": move.as_rank,
                        },
                    )
                )
            case Discard():
                said.append(
                    Message(
                        "choice-discard",
                        {"player": player_message(move.player), "cards": card_list(move.cards)},
                    )
                )
            case _:
                said.append(Message(f"choice-{move.words()[0]}", {"player": player_message(move.player)}))
    return message_sequence(said)
