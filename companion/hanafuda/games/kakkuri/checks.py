"""The problems of a move of Kakkuri: each says what happened and which rule it breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from itertools import combinations

from ...round import Problem
from .cards import Pack, follows, places
from .moves import (
    Discard,
    Fold,
    KakkuriMove,
    LuckyHand,
    OpenBox,
    Swap,
    ThreePairs,
)
from .phrases import listed, named, numbers, problem
from .sets import all_pairs, jokers, pairings, set_rank
from .state import (
    KakkuriContext,
    KakkuriState,
    after,
    box_is_spent,
    excluded_by_pass,
    playable,
)

__all__ = ["check", "in_box", "stands_for"]


def check(context: KakkuriContext, state: KakkuriState, move: KakkuriMove) -> list[Problem]:
    """Return every problem of a move."""
    player = move.player
    if state.end:
        return [problem("round-over", "the round is over already", "この局はすでに終わっている")]
    if not 1 <= player <= context.players:
        return [
            problem(
                "no-such-player",
                f"there is no player {player}: they are 1 to {context.players}",
                f"{player}番はいない（1〜{context.players}番）",
            )
        ]
    problems: list[Problem] = []
    if state.out >> player & 1:
        problems.append(
            problem(
                "dropped-out",
                f"player {player} has dropped out of this round",
                f"{player}番はこの局を降りている",
            )
        )
    if isinstance(move, Swap):
        return [*problems, *_swap(context, state, move)]
    if state.swaps:
        first = state.swaps[0]
        problems.append(
            problem(
                "swaps-pending",
                f"player {first} has not said yet whether he exchanges hands with the dealer",
                f"{first}番が親と手札を交換するかまだ決めていない",
            )
        )
    problems += _by_kind(context, state, move)
    if not problems and any(state.hidden) and not _hands_exist(context, after(context, state, move)):
        problems.append(
            problem(
                "hidden-contradiction",
                f"no hidden hands agree with this move of player {player}, the empty turns so far"
                " (who can discard must) and the three pairs declared",
                f"{player}番のこの手と、これまでのパスや三足に合う手札がない",
            )
        )
    return problems


def _by_kind(context: KakkuriContext, state: KakkuriState, move: KakkuriMove) -> Iterator[Problem]:
    if isinstance(move, LuckyHand):
        yield from _lucky_hand(context, state, move)
        return
    if isinstance(move, ThreePairs):
        yield from _three_pairs(context, state, move)
        return
    if move.player != state.turn:
        yield problem(
            "out-of-turn",
            f"player {move.player} moved, but it is player {state.turn}'s turn",
            f"{state.turn}番の手番に{move.player}番が動いた",
        )
    if isinstance(move, OpenBox):
        yield from _open(context, state, move)
        return
    unopened = state.due and (state.top < 0 or context.rules.reopen == "forced")
    if unopened:
        yield problem(
            "box-unopened",
            f"player {state.turn} first turns up a card from the box: "
            + ("that begins the play" if state.top < 0 else "everybody passed"),
            f"まず{state.turn}番が箱から一枚開ける" + ("" if state.top < 0 else "（全員パス）"),
        )
    match move:
        case Discard():
            yield from _discard(context, state, move)
        case Fold():
            yield from _fold(context, state, move)
        case _ if not unopened:
            yield from _pass(context, state, move.player)


def _swap(context: KakkuriContext, state: KakkuriState, move: Swap) -> Iterator[Problem]:
    if not state.swaps:
        over = "after the deal, before the box is opened" if context.rules.swap else "not by these rules"
        yield problem(
            "swaps-over",
            f"player {move.player} may not exchange hands with the dealer now: {over}",
            f"{move.player}番はいま親と手札を交換できない",
        )
    elif move.player != state.swaps[0]:
        yield problem(
            "out-of-turn",
            f"player {move.player} spoke, but it is for player {state.swaps[0]} to say whether he"
            " exchanges hands: each once, from the dealer's right, never the dealer",
            f"手札の交換は{state.swaps[0]}番が決める番（親の右から一度ずつ、親は除く）",
        )


def _lucky_hand(context: KakkuriContext, state: KakkuriState, move: LuckyHand) -> Iterator[Problem]:
    player, pack = move.player, context.pack
    lucky = listed(pack, pack.lucky)
    missing = pack.lucky & ~state.hands[player - 1]
    if state.top >= 0:
        yield problem(
            "too-late",
            "the lucky hand wins before the box is opened, not later",
            "ウタズは箱を開ける前に限る",
        )
    if missing & ~state.possible(player, pack) or missing.bit_count() > state.hidden[player - 1]:
        yield problem(
            "no-lucky-hand",
            f"player {player}'s hand cannot be the lucky one, which has {lucky.en}",
            f"{player}番の手札はウタズではない（{lucky.ja}）",
        )


def _three_pairs(context: KakkuriContext, state: KakkuriState, move: ThreePairs) -> Iterator[Problem]:
    player, pack = move.player, context.pack
    if state.pairs >> player & 1:
        yield problem(
            "declared-already",
            f"player {player} has declared three pairs already",
            f"{player}番はすでに三足を宣言している",
        )
    elif state.discarded[player - 1]:
        yield problem(
            "too-late",
            f"player {player} has discarded already: three pairs are declared before the first card",
            f"{player}番はもう札を出している。三足は一枚目の前に宣言する",
        )
    elif not all_pairs(
        context.rules,
        pack,
        state.hands[player - 1],
        state.hidden[player - 1],
        state.possible(player, pack),
    ):
        yield problem(
            "no-three-pairs",
            f"player {player}'s hand is not three pairs",
            f"{player}番の手札は三足ではない",
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
        yield problem(
            "box-closed",
            "a card is turned up from the box to begin the play, and by the player who discarded last"
            " when everybody has passed",
            "箱を開けるのは始めと、全員パスの後に最後に出した者だけ",
        )
    if move.card not in pack.index:
        yield _unknown(pack, move.card)
        return
    if box_is_spent(context, state):
        yield problem("box-empty", "the box is empty, and it is not filled again", "箱は空で、切り直さない")
        return
    bit = 1 << pack.index[move.card]
    name = named(move.card)
    if not in_box(state, pack) & bit:
        if state.box and state.box[0] >= 0:
            top = named(pack.ids[state.box[0]])
            yield problem(
                "wrong-draw",
                f"{name.en} was turned up, but the box has {top.en} on top",
                f"{name.ja}を開けたが、箱の一番上は{top.ja}",
            )
        else:
            yield problem(
                "wrong-draw",
                f"{name.en} was turned up, but it cannot be in the box: {_where(state, pack, bit)[0]}",
                f"{name.ja}は箱にない（{_where(state, pack, bit)[1]}）",
            )


def _discard(context: KakkuriContext, state: KakkuriState, move: Discard) -> Iterator[Problem]:
    pack, player = context.pack, move.player
    if not move.cards:
        yield problem("no-card", "a discard names its cards; to end the turn, pass", "出す札がない")
    for card_id, count in Counter(move.cards).items():
        if card_id not in pack.index:
            yield _unknown(pack, card_id)
        elif count > 1:
            name = named(card_id)
            yield problem(
                "card-twice",
                f"{name.en} is named twice, but the deck has only one",
                f"{name.ja}が二度挙げられている",
            )
    cards = pack.bits(card_id for card_id in move.cards if card_id in pack.index)
    yield from _hand_problems(context, state, player, cards)
    if not cards:
        return
    rank = yield from _shape(context, state, player, cards)
    if rank is not None and state.top >= 0:
        yield from _number(context, state, move, cards, rank)


def _unknown(pack: Pack, card_id: str) -> Problem:
    return problem(
        "unknown-card",
        f"there is no card {card_id!r} among the 48 {pack.name} cards of these rules",
        f"{card_id!r} という札はこのルールの48枚にない",
    )


def _where(state: KakkuriState, pack: Pack, bit: int) -> tuple[str, str]:
    """Return the text of where a card is known to be."""
    if state.pile & bit:
        return "it lies on the discard pile", "捨札にある"
    if state.boxed & bit:
        return "it is in the box", "箱にある"
    for player, hand in enumerate(state.hands, start=1):
        if hand & bit:
            return f"player {player} holds it", f"{player}番が持っている"
    return "all cards there are known", "残りの札はすべて分かっている"


def _hand_problems(
    context: KakkuriContext, state: KakkuriState, player: int, cards: int
) -> Iterator[Problem]:
    """Yield the reasons why a player cannot have had these cards in the hand."""
    pack, seat = context.pack, player - 1
    hand, hidden = state.hands[seat], state.hidden[seat]
    unseen = state.unseen(pack)
    unknown = cards & ~hand
    for place in places(unknown):
        bit = 1 << place
        name = named(pack.ids[place])
        if not hidden or not unseen & bit:
            en, ja = (
                (f"the hand is {listed(pack, hand).en}", f"手札は{listed(pack, hand).ja}")
                if not hidden
                else _where(state, pack, bit)
            )
            yield problem(
                "not-in-hand",
                f"player {player} discarded {name.en}, which is not in the hand: {en}",
                f"{player}番が手札にない{name.ja}を出した（{ja}）",
            )
        elif state.barred(player) & bit:
            yield _contradicts_pass(state, pack, player, bit)
    if hidden and unknown.bit_count() > hidden:
        yield problem(
            "not-in-hand",
            f"player {player} discarded {listed(pack, cards).en} with {state.size(player)} cards in the hand",
            f"{player}番の手札は{state.size(player)}枚しかない",
        )
    dealt = hand | state.discarded[seat] | cards
    if hidden and pack.lucky & unknown and dealt & pack.lucky == pack.lucky:
        lucky = listed(pack, pack.lucky)
        yield problem(
            "hidden-contradiction",
            f"with this player {player} was dealt {lucky.en}: the lucky hand, which would have won at once",
            f"{player}番は{lucky.ja}を持っていたことになるが、ウタズならすぐに勝っていた",
        )


def _contradicts_pass(state: KakkuriState, pack: Pack, player: int, bit: int) -> Problem:
    empty = next(each for each in state.empty_turns if each.player == player and each.excluded & bit)
    name, top = listed(pack, bit), named(pack.ids[empty.top])
    return problem(
        "hidden-contradiction",
        f"player {player} discarded {name.en}, but passed without a discard when {top.en} lay on top,"
        f" where it could have been discarded: who can discard a first card must",
        f"{player}番は{top.ja}の上に一枚も出さずにパスしたが、そのとき{name.ja}を出せたはず",
    )


def _shape(
    context: KakkuriContext, state: KakkuriState, player: int, cards: int
) -> Generator[Problem, None, int | None]:
    """Yield the problems of cards as a single, pair or triplet; return the number they count as.

    None if they have no common number; 0 if a wild card's number is still to be chosen.
    """
    pack, rules = context.pack, context.rules
    count = cards.bit_count()
    declared = state.pairs >> player & 1
    if count > 3:
        yield problem(
            "four-at-once",
            f"{count} cards at once: three of a number may be discarded together, never four",
            f"一度に{count}枚は出せない。同じ数は三枚まで",
        )
    elif count == 2 and not declared:
        yield problem(
            "pairs-undeclared",
            f"player {player} discarded a pair without having declared three pairs",
            f"{player}番は三足を宣言せずに対を出した",
        )
    elif count != 2 and declared:
        yield problem(
            "pairs-only",
            f"player {player} declared three pairs, so the cards go in pairs, not {count} at once",
            f"三足を宣言した{player}番は対でしか出せない",
        )
    if count == 1:
        return 0 if cards & pack.wild else pack.ranks[cards.bit_length() - 1]
    rank = set_rank(rules, pack, cards)
    if rank is None:
        yield problem(
            "no-set",
            f"{listed(pack, cards).en} are not all of one number",
            f"{listed(pack, cards).ja}は同じ数ではない",
        )
    elif declared and count == 2 and not _pairs_left(context, state, player, cards):
        yield problem(
            "pairs-broken",
            f"player {player} declared three pairs, but after this the rest of the hand is no pairs",
            f"三足を宣言した{player}番の残りの札が対にならない",
        )
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
    top = named(pack.ids[state.top])
    if stands_for(context, cards):
        if move.as_rank is None:
            name, allowed = listed(pack, cards), numbers(state.lead)
            yield problem(
                "number-missing",
                f"which number does {name.en} stand for? On {top.en} it may be {allowed.en}",
                f"{name.ja}がどの数の代わりか分からない（{top.ja}の次は{allowed.ja}）",
            )
            return
        rank = move.as_rank
    else:
        if move.as_rank is not None:
            name = listed(pack, cards)
            yield problem(
                "number-needless",
                f"{name.en} cannot stand for the number {move.as_rank} here",
                f"{name.ja}はここで{move.as_rank}の代わりにならない",
            )
        if not rank:
            return  # a wild card that goes on any card
    if rank not in follows(state.lead):
        name, allowed = listed(pack, cards), numbers(state.lead)
        en = f"as {rank}" if stands_for(context, cards) else f"number {rank}"
        yield problem(
            "wrong-number",
            f"{name.en} ({en}) was discarded on {top.en}, where {allowed.en} may follow",
            f"{top.ja}の次は{allowed.ja}だが、{name.ja}（{rank}）を出した",
        )


def _fold(context: KakkuriContext, state: KakkuriState, move: Fold) -> Iterator[Problem]:
    if context.rules.fold == "off":
        yield problem("no-fold", "by these rules nobody may fold", "このルールでは降りられない")
    elif state.discarded[move.player - 1]:
        yield problem(
            "too-late",
            f"player {move.player} has discarded already: one folds before one's first card",
            f"{move.player}番はもう札を出しているので降りられない",
        )


def _pass(context: KakkuriContext, state: KakkuriState, player: int) -> Iterator[Problem]:
    pack, seat = context.pack, player - 1
    if context.rules.must_play == "none" or state.spent or player != state.turn:
        return
    hand = state.hands[seat]
    could = hand & playable(context, state, player)
    if not could and not state.hidden[seat] and state.pairs >> player & 1:
        two = hand & jokers(context.rules, pack)
        could = two if two.bit_count() == 2 and _pairs_left(context, state, player, two) else 0
    top = named(pack.ids[state.top])
    if could:
        name = listed(pack, could)
        yield problem(
            "must-play",
            f"player {player} passed without a discard on {top.en}, but could discard {name.en}:"
            " the first card is not free",
            f"{player}番は{top.ja}の上に{name.ja}を出せるのに、一枚も出さずにパスした",
        )
    elif (
        state.possible(player, pack) & ~excluded_by_pass(context, state, player)
    ).bit_count() < state.hidden[seat]:
        yield problem(
            "must-play",
            f"player {player} passed without a discard on {top.en}, but some hidden card can be discarded:"
            " too few cards are unseen that cannot",
            f"{player}番は{top.ja}の上に出せる札を必ず持っているのに、一枚も出さずにパスした",
        )


def _hands_exist(context: KakkuriContext, state: KakkuriState) -> bool:
    """Return whether some assignment of the unseen cards fits all empty turns and declared pairs."""
    constrained = [
        player
        for player, hidden in enumerate(state.hidden, start=1)
        if hidden and (state.pairs >> player & 1 or state.barred(player))
    ]
    paired = [player for player in constrained if state.pairs >> player & 1]
    barred = [player for player in constrained if player not in paired]
    return _can_assign(context, state, paired, barred, 0, set())


def _can_assign(
    context: KakkuriContext,
    state: KakkuriState,
    paired: list[int],
    barred: list[int],
    taken: int,
    failed: set[tuple[int, int]],
) -> bool:
    """Return whether the hidden cards of these players can be chosen from the cards not `taken`.

    `failed` collects the numbers of `paired` players and the taken cards for which it is impossible: the same cards are reached
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
            _can_assign(context, state, others, barred, taken | cards, failed)
            for cards in pairings(context.rules, pack, state.hands[seat], state.hidden[seat], free)
        ):
            return True
        failed.add(attempt)
        return False
    # Hall's condition: no group of players needs more cards than are possible for it.
    for size in range(1, len(barred) + 1):
        for group in combinations(barred, size):
            allowed, needed = 0, 0
            for player in group:
                allowed |= state.possible(player, pack) & ~taken
                needed += state.hidden[player - 1]
            if allowed.bit_count() < needed:
                return False
    return True


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
