"""The problems of a move of Kakkuri: each says what happened and which rule it breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Sequence

from ...errors import quote
from ...messages import Message, Param, card_message, player_message
from ...round import Problem
from .cards import Pack, follows, places
from .moves import (
    Discard,
    DropOut,
    KakkuriMove,
    LuckyHand,
    OpenBox,
    Swap,
    ThreePairs,
)
from .sets import all_pairs, jokers, pairings, set_rank
from .state import (
    KakkuriContext,
    KakkuriState,
    after,
    box_is_spent,
    excluded_by_pass,
    playable,
)

__all__ = ["check", "hands_exist", "in_box", "stands_for"]


def check(context: KakkuriContext, state: KakkuriState, move: KakkuriMove) -> list[Problem]:
    """Return every problem of a move."""
    player = move.player
    if state.end:
        return [Problem("round-over", Message("round-over"))]
    if not 1 <= player <= context.players:
        return [
            Problem(
                "no-such-player",
                Message("no-such-player", {"number": player, "players": context.players}),
            )
        ]
    problems: list[Problem] = []
    if state.out >> player & 1:
        problems.append(
            Problem("dropped-out", Message("kakkuri-dropped-out", {"player": player_message(player)}))
        )
    if isinstance(move, Swap):
        return [*problems, *_swap(context, state, move)]
    if state.swaps:
        pending = player_message(state.swaps[0])
        problems.append(Problem("swaps-pending", Message("kakkuri-swaps-pending", {"player": pending})))
    problems += _by_kind(context, state, move)
    if not problems and any(state.hidden) and not hands_exist(context, after(context, state, move)):
        contradiction = Message("kakkuri-hidden-contradiction", {"player": player_message(player)})
        problems.append(Problem("hidden-contradiction", contradiction))
    return problems


def _by_kind(context: KakkuriContext, state: KakkuriState, move: KakkuriMove) -> Iterator[Problem]:
    if isinstance(move, LuckyHand):
        yield from _lucky_hand(context, state, move)
        return
    if isinstance(move, ThreePairs):
        yield from _three_pairs(context, state, move)
        return
    if move.player != state.turn:
        yield Problem(
            "out-of-turn",
            Message(
                "out-of-turn",
                {"player": player_message(move.player), "turn": player_message(state.turn)},
            ),
        )
    if isinstance(move, OpenBox):
        yield from _open(context, state, move)
        return
    unopened = state.due and (state.top < 0 or context.rules.reopen == "forced")
    if unopened:
        yield Problem(
            "box-unopened",
            Message(
                "kakkuri-box-unopened-start" if state.top < 0 else "kakkuri-box-unopened",
                {"player": player_message(state.turn)},
            ),
        )
    match move:
        case Discard():
            yield from _discard(context, state, move)
        case DropOut():
            yield from _fold(context, state, move)
        case _ if not unopened:
            yield from _pass(context, state, move.player)


def _swap(context: KakkuriContext, state: KakkuriState, move: Swap) -> Iterator[Problem]:
    if not state.swaps:
        yield Problem(
            "swaps-over",
            Message(
                "kakkuri-swap-late" if context.rules.swap else "kakkuri-swap-off",
                {"player": player_message(move.player)},
            ),
        )
    elif move.player != state.swaps[0]:
        yield Problem(
            "out-of-turn",
            Message(
                "kakkuri-swap-out-of-turn",
                {"player": player_message(move.player), "turn": player_message(state.swaps[0])},
            ),
        )


def _lucky_hand(context: KakkuriContext, state: KakkuriState, move: LuckyHand) -> Iterator[Problem]:
    player, pack = move.player, context.pack
    missing = pack.lucky & ~state.hands[player - 1]
    if state.top >= 0:
        yield Problem("too-late", Message("kakkuri-lucky-late"))
    if missing & ~state.possible(player, pack) or missing.bit_count() > state.hidden[player - 1]:
        yield Problem(
            "no-lucky-hand",
            Message(
                "kakkuri-lucky-impossible",
                {"player": player_message(player), "cards": pack.names(pack.lucky)},
            ),
        )


def _three_pairs(context: KakkuriContext, state: KakkuriState, move: ThreePairs) -> Iterator[Problem]:
    player, pack = move.player, context.pack
    if state.pairs >> player & 1:
        yield Problem("declared-already", Message("kakkuri-pairs-twice", {"player": player_message(player)}))
    elif state.discarded[player - 1]:
        yield Problem("too-late", Message("kakkuri-pairs-late", {"player": player_message(player)}))
    elif not all_pairs(
        context.rules,
        pack,
        state.hands[player - 1],
        state.hidden[player - 1],
        state.possible(player, pack),
    ):
        yield Problem(
            "no-three-pairs", Message("kakkuri-pairs-impossible", {"player": player_message(player)})
        )


def in_box(state: KakkuriState, pack: Pack) -> int:
    """Return the cards that may come next from the box; if it is empty, all discards but the top one."""
    if not state.box:
        return state.pile & ~(1 << state.top) if state.pile else 0
    if state.box[0] >= 0:
        return 1 << state.box[0]
    known = 0
    for place in state.box:
        known |= 1 << place if place >= 0 else 0
    return state.boxed & ~known | (state.unseen(pack) if state.box_hidden else 0)


def _open(context: KakkuriContext, state: KakkuriState, move: OpenBox) -> Iterator[Problem]:
    pack = context.pack
    if not state.due:
        yield Problem("box-closed", Message("kakkuri-box-closed"))
    if move.card not in pack.index:
        yield _unknown(move.card)
        return
    if box_is_spent(context, state):
        yield Problem("box-empty", Message("kakkuri-box-empty"))
        return
    bit = 1 << pack.index[move.card]
    if not in_box(state, pack) & bit:
        if state.box and state.box[0] >= 0:
            message = Message(
                "kakkuri-wrong-top",
                {"card": card_message(move.card), "top": card_message(pack.ids[state.box[0]])},
            )
        else:
            message = Message(
                "kakkuri-not-in-box",
                {"card": card_message(move.card), "where": _where(state, pack, bit)},
            )
        yield Problem("wrong-draw", message)


def _discard(context: KakkuriContext, state: KakkuriState, move: Discard) -> Iterator[Problem]:
    pack, player = context.pack, move.player
    if not move.cards:
        yield Problem("no-card", Message("kakkuri-no-card"))
    for card_id, count in Counter(move.cards).items():
        if card_id not in pack.index:
            yield _unknown(card_id)
        elif count > 1:
            yield Problem("card-twice", Message("kakkuri-card-twice", {"card": card_message(card_id)}))
    cards = pack.bits(card_id for card_id in move.cards if card_id in pack.index)
    yield from _hand_problems(context, state, player, cards)
    if not cards:
        return
    rank = yield from _shape(context, state, player, cards)
    if rank is not None and state.top >= 0:
        yield from _number(context, state, move, cards, rank)


def _unknown(card_id: str) -> Problem:
    return Problem("unknown-card", Message("kakkuri-unknown-card", {"card": quote(card_id)}))


def _where(state: KakkuriState, pack: Pack, bit: int) -> Message:
    """Return the text of where a card is known to be."""
    if state.pile & bit:
        return Message("kakkuri-where-pile")
    if state.boxed & bit:
        return Message("kakkuri-where-box")
    for player, hand in enumerate(state.hands, start=1):
        if hand & bit:
            return Message("kakkuri-where-hand", {"player": player_message(player)})
    return Message("kakkuri-where-known")


def _hand_problems(
    context: KakkuriContext, state: KakkuriState, player: int, cards: int
) -> Iterator[Problem]:
    """Yield the reasons why a player cannot have had these cards in the hand."""
    pack, seat, who = context.pack, player - 1, player_message(player)
    hand, hidden = state.hands[seat], state.hidden[seat]
    unseen = state.unseen(pack)
    unknown = cards & ~hand
    for place in places(unknown):
        bit = 1 << place
        if not hidden or not unseen & bit:
            where = (
                _where(state, pack, bit)
                if hidden
                else Message("kakkuri-hand-is", {"cards": pack.names(hand)})
            )
            yield Problem(
                "not-in-hand",
                Message(
                    "kakkuri-not-in-hand",
                    {"player": who, "card": card_message(pack.ids[place]), "where": where},
                ),
            )
        elif state.barred(player) & bit:
            yield _contradicts_pass(state, pack, player, bit)
    if hidden and unknown.bit_count() > hidden:
        yield Problem(
            "not-in-hand",
            Message(
                "kakkuri-too-many",
                {"player": who, "cards": pack.names(cards), "count": state.size(player)},
            ),
        )
    dealt = hand | state.discarded[seat] | cards
    if hidden and pack.lucky & unknown and dealt & pack.lucky == pack.lucky:
        yield Problem(
            "hidden-contradiction",
            Message("kakkuri-lucky-contradiction", {"player": who, "cards": pack.names(pack.lucky)}),
        )


def _contradicts_pass(state: KakkuriState, pack: Pack, player: int, bit: int) -> Problem:
    empty = next(each for each in state.empty_turns if each.player == player and each.excluded & bit)
    return Problem(
        "hidden-contradiction",
        Message(
            "kakkuri-pass-contradiction",
            {
                "player": player_message(player),
                "card": pack.names(bit),
                "top": card_message(pack.ids[empty.top]),
            },
        ),
    )


def _shape(
    context: KakkuriContext, state: KakkuriState, player: int, cards: int
) -> Generator[Problem, None, int | None]:
    """Yield the problems of cards as a single, pair or triplet; return the number they count as.

    None if they have no common number; 0 if a wild card's number is still to be chosen.
    """
    pack, rules = context.pack, context.rules
    count, who = cards.bit_count(), player_message(player)
    declared = state.pairs >> player & 1
    if count > 3:
        yield Problem("four-at-once", Message("kakkuri-four-at-once", {"count": count}))
    elif count == 2 and not declared:
        yield Problem("pairs-undeclared", Message("kakkuri-pairs-undeclared", {"player": who}))
    elif count != 2 and declared:
        yield Problem("pairs-only", Message("kakkuri-pairs-only", {"player": who}))
    if count == 1:
        return 0 if cards & pack.wild else pack.ranks[cards.bit_length() - 1]
    rank = set_rank(rules, pack, cards)
    if rank is None:
        yield Problem("no-set", Message("kakkuri-no-set", {"cards": pack.names(cards)}))
    elif declared and count == 2 and not _pairs_left(context, state, player, cards):
        yield Problem("pairs-broken", Message("kakkuri-pairs-broken", {"player": who}))
    return rank


def _pairs_left(context: KakkuriContext, state: KakkuriState, player: int, cards: int) -> bool:
    seat, pack = player - 1, context.pack
    hand = state.hands[seat]
    hidden = max(0, state.hidden[seat] - (cards & ~hand).bit_count())
    return all_pairs(context.rules, pack, hand & ~cards, hidden, state.possible(player, pack) & ~cards)


def stands_for(context: KakkuriContext, cards: int) -> bool:
    """Return whether the player has to name the number that a discard stands for."""
    if cards.bit_count() == 1:
        return context.rules.wild == "chosen_rank" and bool(cards & context.pack.wild)
    return not cards & ~jokers(context.rules, context.pack)


def _number(
    context: KakkuriContext, state: KakkuriState, move: Discard, cards: int, rank: int
) -> Iterator[Problem]:
    """Yield the problems of a discard's number."""
    pack = context.pack
    names, top, allowed = pack.names(cards), card_message(pack.ids[state.top]), _allowed(state.lead)
    if stands_for(context, cards):
        if move.as_rank is None:
            yield Problem(
                "number-missing",
                Message("kakkuri-number-missing", {"cards": names, "top": top, "allowed": allowed}),
            )
            return
        rank = move.as_rank
    else:
        if move.as_rank is not None:
            yield Problem(
                "number-needless",
                Message("kakkuri-number-needless", {"cards": names, "number": move.as_rank}),
            )
        if not rank:
            return  # a wild card that goes on any card
    if rank not in follows(state.lead):
        yield Problem(
            "wrong-number",
            Message(
                "kakkuri-wrong-number",
                {"cards": names, "number": rank, "top": top, "allowed": allowed},
            ),
        )


def _allowed(lead: int) -> Param:
    """Return the numbers that may follow, for a message."""
    ranks = follows(lead)
    if len(ranks) == 1:
        return ranks[0]
    if len(ranks) == 2:
        return Message("list-or", {"first": ranks[0], "second": ranks[1]})
    return Message("kakkuri-number-any")


def _fold(context: KakkuriContext, state: KakkuriState, move: DropOut) -> Iterator[Problem]:
    if context.rules.fold == "off":
        yield Problem("no-fold", Message("kakkuri-no-fold"))
    elif state.discarded[move.player - 1]:
        yield Problem("too-late", Message("kakkuri-fold-late", {"player": player_message(move.player)}))


def _pass(context: KakkuriContext, state: KakkuriState, player: int) -> Iterator[Problem]:
    pack, seat = context.pack, player - 1
    if context.rules.must_play == "none" or state.spent or player != state.turn:
        return
    hand = state.hands[seat]
    could = hand & playable(context, state, player)
    if not could and not state.hidden[seat] and state.pairs >> player & 1:
        two = hand & jokers(context.rules, pack)
        could = two if two.bit_count() == 2 and _pairs_left(context, state, player, two) else 0
    who, top = player_message(player), card_message(pack.ids[state.top])
    if could:
        yield Problem(
            "must-play", Message("kakkuri-must-play", {"player": who, "top": top, "cards": pack.names(could)})
        )
    elif (
        state.possible(player, pack) & ~excluded_by_pass(context, state, player)
    ).bit_count() < state.hidden[seat]:
        yield Problem("must-play", Message("kakkuri-must-play-hidden", {"player": who, "top": top}))


def hands_exist(context: KakkuriContext, state: KakkuriState) -> bool:
    """Return whether some assignment of the unseen cards fits all empty turns and declared pairs."""
    paired = [
        player for player, hidden in enumerate(state.hidden, start=1) if hidden and state.pairs >> player & 1
    ]
    # The search over all players together is long if one of them alone has no hand.
    if not all(
        all_pairs(
            context.rules,
            context.pack,
            state.hands[player - 1],
            state.hidden[player - 1],
            state.possible(player, context.pack),
        )
        for player in paired
    ):
        return False
    unseen, barred = state.unseen(context.pack), dict[int, int]()
    for empty in state.empty_turns:
        if state.hidden[empty.player - 1] and empty.player not in paired:
            barred[empty.player] = barred.get(empty.player, unseen) & ~empty.excluded
    needs = [(possible, state.hidden[player - 1]) for player, possible in barred.items()]
    return _can_assign(context, state, paired, needs, 0, set())


def _can_assign(
    context: KakkuriContext,
    state: KakkuriState,
    paired: list[int],
    needs: Sequence[tuple[int, int]],
    taken: int,
    failed: set[tuple[int, int]],
) -> bool:
    """Return whether the hidden cards of some players can be chosen from the cards not `taken`.

    `paired`: players who have declared pairs. `needs`: of each other player with an empty turn, the possible cards and how many are
    hidden. `failed` collects the numbers of `paired` players and the taken cards for which it is impossible: the same cards are reached
    in many orders.
    """
    pack = context.pack
    if paired:
        attempt = len(paired), taken
        if attempt in failed:
            return False
        player, *others = paired
        seat = player - 1
        free = state.possible(player, pack) & ~taken
        if _enough_pairs(context, state, paired, taken) and any(
            _can_assign(context, state, others, needs, taken | cards, failed)
            for cards in pairings(context.rules, pack, state.hands[seat], state.hidden[seat], free)
        ):
            return True
        failed.add(attempt)
        return False
    count = sum(hidden for _, hidden in needs)
    if all((possible & ~taken).bit_count() >= count for possible, _ in needs):
        return True
    # Hall's condition: no group of players needs more cards than are possible for it.
    groups = [(0, 0)]
    for possible, hidden in needs:
        groups += [(allowed | possible & ~taken, needed + hidden) for allowed, needed in groups]
    return all(allowed.bit_count() >= needed for allowed, needed in groups)


def _enough_pairs(context: KakkuriContext, state: KakkuriState, paired: list[int], taken: int) -> bool:
    """Return whether the players' cards and those not `taken` make as many pairs as the players have, whoever gets which."""
    pack, cards, needed = context.pack, 0, 0
    for player in paired:
        hand = state.hands[player - 1]
        cards |= hand | state.possible(player, pack) & ~taken
        needed += hand.bit_count() + state.hidden[player - 1]
    wild = jokers(context.rules, pack)
    counts = [(cards & ~wild & alike).bit_count() for alike in pack.by_rank]
    odd, spare = sum(count % 2 for count in counts), (cards & wild).bit_count()
    helped = min(odd, spare)
    return 2 * (sum(count // 2 for count in counts) + helped + (spare - helped) // 2) >= needed
