"""The referee of Koi-Koi and Kekoro: one look after another, from the deal to the end of the round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import dist, log
from typing import Any

from companion.hanafuda.cards import HANAFUDA, to_bits
from companion.hanafuda.families.fishing import Call, Draw, FishingMove, FishingRound, Play
from companion.hanafuda.families.fishing.captures import DECK
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Rules
from companion.observations import POSTED, Observation
from companion.referee import deal_detection, table_problems
from companion.referee.card_likelihoods import FIELD, FIRST_OF, STOCK, TWINS, Find, Fit, Spot, fit
from companion.referee.card_order import came_at_once
from companion.referee.expected_cards import Position, indices
from companion.referee.fishing_messages import sentence, text
from companion.referee.hypothesis_ranking import POOR, POOR_OF_TWO, Verdict, Weighed, loss, lying_apart, weigh
from companion.referee.interface import AgreedTable
from companion.referee.observation_history import Memory, Seen
from companion.referee.referee_events import Raised, choice, joined, moved, notice, settle, waiting
from companion.referee.starting_states import Start, Way, agreed, guessed_wrongly, put_right, undecided
from companion.referee.turn_hypotheses import Explanation, cards_of, clues_of, one_turn, two_turns
from companion.table.events import NewEvent

__all__ = ["FishingReferee"]

_AT_ONCE = 0.97
"""What is so likely is told at the first look."""
_AGAIN = 0.95
"""What is so likely at a second look is told then."""
_PATIENCE = 3
"""So many looks in a row without an answer, and the players are asked, or told of the problem."""
_CHOICES = 4
_WAYS_KEPT = 6
_MENDED_AFTER = 2
"""So many looks in a row must show that what was agreed on is not so."""
_ORDER_ASKED = 0.9
"""So sure it must be which card came from the hand where that changes the game."""
_ORDER_OPEN = 0.8
"""And so sure where it changes nothing but the record, with and without what players are wont to do. Of 1,444 turns of rendered
rounds 28 were asked about by this, among them the 4 that were told in the wrong order."""
_EARLY = 0.8
"""So likely it must be that nothing happened, or that a turn is under way, not to keep in mind what else may have happened."""
_LEAST = 1e-3
_BETTER, _CLEARLY = 1.5, 3.0
"""By so much (log) another card must explain a look better than one that was inferred: on a table on which nothing else has
happened, and on any."""
_GONE = 0.25
"""With fewer of the open cards than this in sight the round is being gathered up."""
_BESIDE_STOCK_MM = 90.0


class FishingReferee:
    """Explains looks at a table of Koi-Koi or Kekoro."""

    def __init__(self, rules: Rules, players: int) -> None:
        self.rules, self.players = rules, players
        self._memory = Memory()
        self._undecided = 0
        """Looks in a row that two explanations fit about as well."""
        self._unexplained = 0
        """Looks in a row that nothing explains."""
        self._read_deal: tuple[deal_detection.Field, Observation] | None = None
        """A deal that nobody could be sure of yet, and the look that showed it."""
        self._strange = 0
        """Looks in a row with a card too many or too few that changes nothing."""
        self._mending = 0
        """Looks in a row by which something that was agreed on is not so, or is taken back."""
        self._ways: list[Way] = []
        """What may have happened since the agreed table, where looks could not tell."""
        self._ways_from: object = None
        """The agreed table that they start from."""
        self._peeked: int | None = None
        """A hidden card that was seen beside the stock."""

    def see(self, look: Observation, table: AgreedTable) -> list[NewEvent]:
        """Return what must have happened since the last agreed state, nothing where nothing did or it is too early."""
        finds = self._memory.read(look)
        if "camera-moved" in look.notes:
            self._memory.places.clear()
        played = table.round
        if not isinstance(played, FishingRound):
            return self._dealt(finds, look, table)
        if not played.moves:
            self._memory.dealt()
        position = Position(played, self._memory.taken_up)
        base = fit(finds, position.spots)
        if deal_detection.is_new_deal(finds, position):
            return self._dealt_again(finds, base, position, look, table)
        better = guessed_wrongly(position, finds, base, table, self._memory)
        if _is_clean(base, position) and not base.astray and better and better[0][0] > _BETTER:
            return self._guess_again(better[0][1], look)
        if _is_clean(base, position) and not base.misread and not base.astray:
            return self._as_agreed(base, position, look, table)
        if self._gathered(base, position):
            return []
        return self._turn(finds, base, position, look, table, better)

    def close(self, table: AgreedTable) -> list[NewEvent]:
        """Return what the end of the watching tells: a decision that is still open was a stop."""
        if isinstance(table.round, FishingRound) and (call := deal_detection.stop(table.round)) is not None:
            return [moved(call, 0.8, self._memory.frame)]
        return []

    def rescan(self, look: Observation, table: AgreedTable) -> list[NewEvent]:
        """Return the event that takes the table as it lies, whatever was agreed before; nothing without a round."""
        if not isinstance(table.round, FishingRound):
            return []
        finds = self._memory.read(look)
        position = Position(table.round, self._memory.taken_up)
        base = fit(finds, position.spots)
        zones: dict[int, set[int]] = {FIELD: set(), 1: set(), 2: set()}
        for index, spot in position.spots.items():
            # What a pile hides is still there; what is gone from the field is not.
            if index in base.matched or spot.zone != FIELD:
                seen = base.matched.get(index)
                zones[seen.zone if seen and seen.zone >= FIELD else spot.zone].add(index)
        for found in base.extra:
            if found.zone >= FIELD and found.top is not None and found.says(found.top) > log(0.5):
                lying = set[int]().union(*zones.values())
                zones[found.zone].update([index for index in TWINS[found.top] if index not in lying][:1])
        ids = {zone: [HANAFUDA[index].id for index in sorted(lying)] for zone, lying in zones.items()}
        data = {"field": ids[0], "captured": [ids[1], ids[2]], "to_move": position.player or 1}
        self._forget_doubts()
        return [*settle(table, told=True), NewEvent("set", data, 0.9, look.frame)]

    # --- deals

    def _dealt(self, finds: Sequence[Find], look: Observation, table: AgreedTable) -> list[NewEvent]:
        field = deal_detection.field_of(finds)
        if self._read_deal is not None:
            dealt = indices(self._read_deal[0].readings[0][0])
            self._memory.note_glimpses(look, DECK & ~sum(1 << index for index in dealt))
        if (field is None or not field.readings) and self._read_deal is not None and not waiting(table):
            # The first card was played before anybody was sure of those that were dealt.
            (doubtful, then), self._read_deal = self._read_deal, None
            return [deal_detection.question(doubtful, then, table)]
        if (
            field
            and field.readings
            and (field.sure or (self._undecided and deal_detection.sure_enough(finds)))
        ):
            self._forget_doubts()
            cards, share = field.readings[0]
            placed = {index: Spot(FIELD) for index in indices(cards)}
            self._memory.agree(look, fit(finds, placed).matched, placed)
            return [*settle(table, told=True), *deal_detection.told(cards, look, table, share)]
        return self._not_dealt(field, look, table)

    def _not_dealt(
        self, field: deal_detection.Field | None, look: Observation, table: AgreedTable
    ) -> list[NewEvent]:
        """Wait, and ask or tell what is wrong where a table goes on to lie as no deal does."""
        if field is not None and field.readings:
            self._read_deal = field, look
        if (field is None and table.round is not None) or (field is not None and field.count == 0):
            return []
        self._undecided += _worth(look)
        if self._undecided < _PATIENCE or waiting(table):
            return []
        if field is None:
            return self._notice(table_problems.Trouble("deal-missed", text("deal-missed")), look, table)
        if field.readings:
            return [deal_detection.question(field, look, table)]
        if field.count >= 5:
            said = text("deal-count", count=field.count)
            return self._notice(table_problems.Trouble("deal-count", said), look, table)
        return []

    def _dealt_again(
        self, finds: Sequence[Find], base: Fit, position: Position, look: Observation, table: AgreedTable
    ) -> list[NewEvent]:
        if position.phase == "over" or deal_detection.stop(position.round) is not None:
            return self._dealt(finds, look, table)
        self._undecided += _worth(look)
        field = deal_detection.field_of(finds)
        if self._undecided < _PATIENCE or waiting(table) or field is None or not field.readings:
            return []
        cards, share = field.readings[0]
        events = [NewEvent("abandoned", {}), *deal_detection.told(cards, look, table, share)]
        yes = choice(text("new-deal-choice", cards=to_bits(cards)), share, events)
        data = {"text": sentence("new-deal"), "choices": [yes], "picture": look.frame}
        return [NewEvent("asked", data, round(share, 3), look.frame)]

    def _gathered(self, base: Fit, position: Position) -> bool:
        """Return whether a finished round is being taken off the table."""
        over = position.phase == "over" or deal_detection.stop(position.round) is not None
        seen = sum(index in base.matched for index in position.spots)
        return over and seen < _GONE * len(position.spots)

    def _guess_again(self, start: Start, look: Observation) -> list[NewEvent]:
        """Exchange what was only inferred for what begins to come to light."""
        self._mending += _worth(look)
        if self._mending < _MENDED_AFTER:
            return []
        self._mending = 0
        return [replace(event, evidence=look.frame) for event in start.events]

    # --- turns

    def _turn(
        self,
        finds: Sequence[Find],
        base: Fit,
        position: Position,
        look: Observation,
        table: AgreedTable,
        better: Sequence[tuple[float, Start]],
    ) -> list[NewEvent]:
        self._memory.note_glimpses(look, position.hidden)
        clues = clues_of(finds, base, position, self._memory.appeared)
        self._memory.note((index, found) for index, found in clues.sure.items())
        self._memory.note_doubtful(
            finds, {card: p for card, p in clues.seen.items() if card not in clues.sure}
        )
        self._watch_stock(finds, position)
        starts = agreed(position, table, self._memory)
        open_ways = undecided(self._ways if self._ways_from == _mark(position) else ())
        clearly = [start for gain, start in better if gain > _CLEARLY]
        near = list(self._explanations((*starts, *open_ways, *clearly), finds))
        verdict = weigh(near, finds, self._memory)
        if verdict.best is None or loss(verdict.best.best) < POOR or base.misread or base.astray:
            others = [start for gain, start in better if gain <= _CLEARLY]
            far = (*put_right(position, base, table, self._memory), *others)
            more = [*near, *two_turns(position, clues), *self._explanations(far, finds)]
            verdict = weigh(more, finds, self._memory)
        best = verdict.best
        if best is None or loss(best.best) < (POOR if best.best.whole_turns == 1 else POOR_OF_TWO):
            return self._nothing_explains(finds, base, position, look, table)
        self._unexplained = 0
        if best.best.events or best.best.whole_turns > 1:
            self._mending += _worth(look)
            if self._mending < _MENDED_AFTER:
                return []
        else:
            self._mending = 0
            if not best.moves and best.share > _EARLY:
                return self._too_early(best, finds, base, position, look, table)
        return self._decide(verdict, best, position, look, table)

    def _decide(
        self, verdict: Verdict, best: Weighed, position: Position, look: Observation, table: AgreedTable
    ) -> list[NewEvent]:
        """Tell what happened, or ask."""
        if best.share >= _AT_ONCE or (self._undecided and best.share >= _AGAIN):
            if min(best.sure_of_order, best.order_by_eyes) < self._sure_enough(best):
                return self._doubt_order(verdict, position, look, table)
            return self._tell(best, look, table)
        common = verdict.common
        if common is None or common.share < _AT_ONCE:
            return self._ask(verdict, position, look, table)
        # A turn that nobody was sure of is told by what came after it.
        return self._tell(common, look, table)

    def _doubt_order(
        self, verdict: Verdict, position: Position, look: Observation, table: AgreedTable
    ) -> list[NewEvent]:
        """Ask which of two cards came from the hand.

        Where it changes nothing but the record, the game is not held up: the likelier order is told, and can be corrected.
        """
        likely, *others = _orders(verdict.ways[0])
        turned = others[0].moves if others else ()
        same_steps = [(type(move), move.player) for move in likely.moves] == [
            (type(move), move.player) for move in turned
        ]
        if likely.order_matters or not same_steps:
            return self._ask(verdict, position, look, table, orders=True)
        events = self._tell(verdict.ways[0], look, table)
        before = sum(event.kind != "settled" for event in events) - len(likely.moves)
        first = table.events[-1].seq + 1 + before
        corrections = [
            NewEvent("corrected", {"of": seq, "kind": "moved", "data": _data_of(move)})
            for seq, (told, move) in enumerate(zip(likely.moves, turned, strict=True), first)
            if move != told
        ]
        choices = [
            choice(joined([_says(move) for move in likely.moves]), likely.share, ()),
            choice(joined([_says(move) for move in turned]), others[0].share, corrections),
        ]
        said = sentence("which-order", player=likely.moves[-1].player)
        data = {"text": said, "choices": choices, "picture": look.frame}
        return [*events, NewEvent("asked", data, round(likely.share, 3), look.frame)]

    def _sure_enough(self, way: Weighed) -> float:
        """Return how sure it must be which card came from the hand; 0 where nobody can have seen it and it changes nothing."""
        if way.order_matters:
            return _ORDER_ASKED
        assert way.best.fitted is not None
        blind = not self._memory.watched or came_at_once(way.moves, self._memory, way.best.fitted)
        return 0.0 if blind or len(cards_of(way.moves)) != 2 else _ORDER_OPEN

    def _explanations(self, starts: Iterable[Start], finds: Sequence[Find]) -> Iterator[Explanation]:
        for start in starts:
            position = start.position
            base = fit(finds, position.spots)
            first = start.origin or position
            ordered = len(cards_of(start.moves))
            yield Explanation(
                first, start.moves, position.spots, (), start.prior, ordered=ordered, events=start.events
            )
            for found in one_turn(position, clues_of(finds, base, position, self._memory.appeared)):
                found.events, found.prior = start.events, found.prior + start.prior
                found.position, found.moves = first, (*start.moves, *found.moves)
                found.settled = found.ordered = len(cards_of(start.moves))
                yield found

    def _tell(self, way: Weighed, look: Observation, table: AgreedTable) -> list[NewEvent]:
        confidence = round(way.share * way.sure_of_order, 3)
        assert way.best.fitted is not None
        # A card that lies in another pile than it was captured to lies there still.
        settled = settle(table, but="card-moved" if way.best.fitted.astray else "", told=True)
        events = [replace(event, confidence=confidence, evidence=look.frame) for event in way.best.events]
        played = way.best.position.round
        if _tells_dealer(way, table):
            events.append(NewEvent("began", {"dealer": played.dealer}, confidence, look.frame))
        events += [moved(move, confidence, look.frame) for move in way.moves]
        matched, begun = _agreed_by(way, self._memory.appeared)
        self._memory.agree(look, matched, way.best.placed, begun)
        self._forget_doubts()
        # A question may name the moves by the numbers that the log will give them: what may be left out comes last.
        return [*events, *settled]

    def _as_agreed(
        self, base: Fit, position: Position, look: Observation, table: AgreedTable
    ) -> list[NewEvent]:
        events = []
        if self._peeked is not None:
            bits = 1 << self._peeked
            self._peeked = None
            events = self._notice(
                table_problems.Trouble("card-peeked", text("card-peeked", cards=bits), bits), look, table
            )
        self._forget_doubts()
        settled = settle(table)
        self._memory.agree(look, base.matched, position.spots)
        return [*settled, *events]

    # --- doubts

    def _too_early(
        self,
        best: Weighed,
        finds: Sequence[Find],
        base: Fit,
        position: Position,
        look: Observation,
        table: AgreedTable,
    ) -> list[NewEvent]:
        """Wait: nothing happened, or a turn is under way. What stays strange for long is told."""
        if best.best.moves:
            # Both cards lie there, and one does not lie by what it must take.
            refused = isinstance(best.best.moves[-1], Draw) and lying_apart(best.best, self._memory)
            self._strange = self._strange + _worth(look) if refused else 0
            if self._strange < _PATIENCE:
                return []
            return self._notice(table_problems.trouble(finds, base, position), look, table)
        if self._peeked is not None and not base.extra:
            return self._as_agreed(base, position, look, table)
        self._strange += _worth(look)
        clean = _is_clean(base, position) and not base.astray
        found = None if clean else _blemish(finds, base, position)
        if not clean and found is None:
            self._strange = 0
        if self._strange < _PATIENCE:
            return []
        if found is not None:
            return self._notice(found, look, table)
        # The eyes go on taking a card for another one: from now on it is known by its key.
        return self._as_agreed(base, position, look, table)

    def _nothing_explains(
        self, finds: Sequence[Find], base: Fit, position: Position, look: Observation, table: AgreedTable
    ) -> list[NewEvent]:
        self._unexplained += _worth(look)
        if self._unexplained < _PATIENCE:
            return []
        found = table_problems.unread(base) or table_problems.trouble(finds, base, position)
        return self._notice(found, look, table)

    def _ask(
        self,
        verdict: Verdict,
        position: Position,
        look: Observation,
        table: AgreedTable,
        *,
        orders: bool = False,
    ) -> list[NewEvent]:
        """Ask which of the likely things happened, once other looks have not told."""
        self._undecided += _worth(look)
        ways = _orders(verdict.ways[0]) if orders else verdict.ways
        told = [way for way in ways[:_WAYS_KEPT] if way.moves and not way.best.events]
        self._ways = [Way(way.best.position, way.moves, way.prior) for way in told]
        self._ways_from = _mark(position)
        if told and (fitted := told[0].best.fitted) is not None:
            self._memory.odd |= {found.key: found.since for found in fitted.extra if found.zone > FIELD}
        # In which order two cards came no other look at them will tell.
        if self._undecided < (1 if orders else _PATIENCE) or waiting(table):
            return []
        choices = []
        for way in ways[:_CHOICES]:
            events = self._choice(way, table)
            says = [text("mended")] if way.best.events else []
            says += [_says(move) for move in way.moves] or ([] if events else [text("nothing-choice")])
            choices.append(choice(joined(says), way.share, events))
        player = next((move.player for way in ways[:_CHOICES] for move in way.moves), 1)
        data = {"text": sentence("which-turn", player=player), "choices": choices, "picture": look.frame}
        return [NewEvent("asked", data, round(verdict.ways[0].share, 3), look.frame)]

    def _choice(self, way: Weighed, table: AgreedTable) -> list[NewEvent]:
        events = list(way.best.events)
        if _tells_dealer(way, table):
            events.append(NewEvent("began", {"dealer": way.best.position.round.dealer}))
        return [*events, *(moved(move, way.share, None) for move in way.moves)]

    def _notice(self, found: table_problems.Trouble, look: Observation, table: AgreedTable) -> list[NewEvent]:
        """Tell a problem once, in the place of what was told before about the same table."""
        raised = Raised(found.code, found.message, found.ids)
        return notice(raised, table, self._memory.frame, look.frame)

    def _forget_doubts(self) -> None:
        self._read_deal = None
        self._undecided = self._unexplained = self._strange = self._mending = 0

    def _watch_stock(self, finds: Sequence[Find], position: Position) -> None:
        """Keep in mind a hidden card that is shown beside the stock."""
        stock = self._memory.stock
        for found in finds:
            near = found.zone == STOCK or (
                found.zone < FIELD and stock is not None and dist(found.at, stock) < _BESIDE_STOCK_MM
            )
            if near and found.top is not None and found.says(found.top) > log(0.8):
                hidden = [i for i in range(48) if FIRST_OF[i] == found.top and position.hidden >> i & 1]
                if hidden:
                    self._peeked = hidden[0]


def _worth(look: Observation) -> int:
    """Return for how many looks one counts: to a picture that somebody took there will be no other."""
    return _PATIENCE if POSTED in look.notes else 1


def _orders(way: Weighed) -> tuple[Weighed, ...]:
    """Return what happened with its cards in both orders."""
    likely = replace(way, share=way.share * way.sure_of_order)
    if not way.other_order:
        return (likely,)
    share = max(_LEAST, way.share - likely.share)
    prior = way.prior + log(share / likely.share)
    return likely, replace(way, moves=way.other_order, share=share, prior=prior)


def _agreed_by(
    way: Weighed, appeared: Mapping[int, Seen]
) -> tuple[Mapping[int, Find], Mapping[int, Seen] | None]:
    """Return the finds that show the table as it is told, and of a turn that has begun since, when its cards came."""
    assert way.best.fitted is not None
    matched = way.best.fitted.matched
    if len(cards_of(way.moves)) == len(cards_of(way.best.moves)):
        return matched, None
    played = way.best.position.round.copy()
    for move in way.moves:
        played.push(move, as_told=True)
    told = Position(played)
    lying = {
        index: found
        for index, found in matched.items()
        if (spot := told.spots.get(index)) is not None and spot.zone == way.best.placed[index].zone
    }
    return lying, {index: seen for index, seen in appeared.items() if told.hidden >> index & 1}


def _is_clean(base: Fit, position: Position) -> bool:
    """Return whether the field lies as agreed, and nothing besides; piles may hide cards."""
    return not base.extra and not any(position.field >> index & 1 for index in base.missed)


def _blemish(finds: Sequence[Find], base: Fit, position: Position) -> table_problems.Trouble | None:
    """Return what is wrong with a table on which nothing has happened, None for what the eyes may have missed."""
    found = table_problems.unread(base)
    if found is None and base.astray:
        found = table_problems.trouble(finds, base, position)
    return found or table_problems.not_seen(base, position)


def _mark(position: Position) -> object:
    """Return what tells an agreed table from others."""
    return position.round.dealer, position.round.moves, position.field, position.piles


def _data_of(move: FishingMove) -> dict[str, Any]:
    """Return a move as an event holds it; what corrects one of two is not to be checked before the other is."""
    return {"player": move.player, "words": list(move.words()), "as_told": True}


def _says(move: FishingMove) -> Message:
    if isinstance(move, Call):
        return text(f"call-{move.said}")
    assert isinstance(move, Play | Draw)
    kind = "play" if isinstance(move, Play) else "draw"
    how = "takes" if move.takes else "lays"
    return text(f"{kind}-{how}", card=to_bits([move.card]), takes=to_bits(move.takes))


def _tells_dealer(way: Weighed, table: AgreedTable) -> bool:
    """Return whether the first turn shows who dealt, and nobody knew it, or somebody else was thought to deal_detection."""
    played = way.best.position.round
    if not way.moves or played.moves or way.best.events or table.round is None:
        return False
    return played.dealer != table.round.dealer or not table.dealer_told
