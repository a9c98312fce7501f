"""Invariants of every round of Kakkuri, for any rules, number of players and hidden cards.

Two rounds are played in parallel: one with all cards known, and one of the same deal with some cards hidden.
What is legal in the first must be legal in the second, because the hidden cards may be those of the first.
"""

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from kakkuri_builders import codes

from companion.hanafuda.games.kakkuri import (
    Discard,
    DropOut,
    KakkuriMove,
    KakkuriRound,
    LuckyHand,
    OpenBox,
    Pass,
    Swap,
    ThreePairs,
)
from companion.hanafuda.games.kakkuri.cards import PACKS
from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.round import Deal
from companion.hanafuda.rules import PRESETS
from companion.hanafuda.simulation import round_of_text

CHOICES = {
    "deck": ["mekurifuda", "hanafuda", "western"],
    "dropout_dealer": ["drops_out", "redeal"],
    "swap": [True, False],
    "must_play": ["first", "none"],
    "fold": ["off", "before_first_card"],
    "wild": ["any_follows", "chosen_rank"],
    "wild_in_sets": ["own_number", "joker"],
    "four_is_two_pairs": [True, False],
    "all_pass": ["excluding_self", "including_self"],
    "reopen": ["forced", "optional"],
    "box_empty": ["recycle", "void"],
    "win_shares": [1, 2],
    "guri_shares": [2, 3],
    "lucky_shares": [3, 5],
    "pass_penalty": [0, 1, 2],
    "fold_stake": [0, 1, 3],
}
RULES = st.builds(
    lambda reported: KakkuriRules(players="2_to_8", **reported),
    st.fixed_dictionaries({}, optional={key: st.sampled_from(values) for key, values in CHOICES.items()}),
)


def some_moves(played: KakkuriRound, rng: Random) -> Iterator[KakkuriMove]:
    """Yield moves of every type, legal or not; all legal ones are among them."""
    pack = PACKS[played.rules.deck]
    turn = played.to_move or 1
    for player in range(played.players + 2):
        yield from (Pass(player), DropOut(player), ThreePairs(player), LuckyHand(player))
        yield from (Swap(player, True), Swap(player, False), Discard(player, ()))
        yield from (
            kind(player, *card) for kind, card in ((OpenBox, (pack.ids[0],)), (Discard, ((pack.ids[0],),)))
        )
    wild = pack.cards(pack.wild)
    for card in pack.ids:
        yield OpenBox(turn, card)
        yield Discard(turn, (card,))
    for card in wild:
        yield from (Discard(turn, (card,), rank) for rank in range(14))
    for number in range(1, 13):
        alike = {*pack.cards(pack.by_rank[number]), *wild}
        for size in (2, 3):
            yield from (Discard(turn, cards) for cards in combinations(sorted(alike), size))
        yield Discard(turn, wild, number)
    hand = played.deal.hands[rng.randrange(played.players)]
    known = [card for card in hand if card]
    for size in (2, 3, 4):
        yield from (Discard(turn, cards) for cards in combinations(known, min(size, len(known))))


def agree(played: KakkuriRound, rng: Random) -> None:
    """`legal_moves` and `check` agree about every move."""
    legal = played.legal_moves()
    assert len(legal) == len(set(legal))
    for move in legal:
        assert not played.check(move)
    listed = set(legal)
    for move in some_moves(played, rng):
        if rng.random() > 0.2 and move not in listed:
            continue
        problems = played.check(move)
        assert (move in listed) == (not problems), move
        codes(problems)


class Rounds(RuleBasedStateMachine):
    """A random round, forward and backward."""

    reported: KakkuriRound
    hidden: KakkuriRound

    @initialize(
        rules=RULES | st.sampled_from([PRESETS["kakkuri"], PRESETS["kakkuri-porges"]]),
        players=st.integers(2, 8),
        seed=st.integers(0, 10**9),
        secret=st.sampled_from([0.0, 0.3, 1.0]),
    )
    def deal(self, rules: KakkuriRules, players: int, seed: int, secret: float) -> None:
        self.rng = rng = Random(seed)
        if rules.players == "7_or_8":
            players = 7 + players % 2
        dealer = rng.randint(1, players)
        self.reported = KakkuriRound.shuffled(rules, rng, players=players, dealer=dealer, pot=seed % 3)
        drops = PACKS[rules.deck].cards(PACKS[rules.deck].dropout)[0]

        def some(cards: tuple[str | None, ...]) -> tuple[Any, ...]:
            return tuple(card if card == drops or rng.random() >= secret else None for card in cards)

        deal = self.reported.deal
        dealt = Deal(tuple(some(hand) for hand in deal.hands), (), some(deal.stock))
        self.hidden = KakkuriRound(rules, dealt, dealer=dealer, pot=seed % 3)
        assert self.reported.status() == self.hidden.status() == []

    @precondition(lambda self: self.reported.outcome() is None)
    @rule(count=st.integers(1, 30))
    def play_on(self, count: int) -> None:
        for _ in range(count):
            legal = self.reported.legal_moves()
            if not legal:
                break
            assert self.reported.to_move in {move.player for move in legal}
            # An opening now and then, so that a box runs empty; otherwise passing forever is too likely.
            move = self.rng.choice(legal)
            assert self.hidden.check(move) == []
            self.reported.push(move)
            self.hidden.push(move)
        ended = self.reported.outcome()
        if ended and ended.how == "lucky-hand" and self.hidden.outcome() is None:
            self.hidden.push(LuckyHand(ended.winners[0]))
        assert self.hidden.outcome() == ended

    @precondition(lambda self: self.reported.moves)
    @rule()
    def back_and_forth(self) -> None:
        before = self.reported.copy()
        states = list(before._states)
        back = [self.reported.pop() for _ in self.reported.moves]
        assert self.reported._states == states[:1]
        assert back[::-1] == list(before.moves)
        for state, move in zip(states[1:], reversed(back), strict=True):
            self.reported.push(move)
            assert self.reported._states[-1] == state
        assert self.reported == before

    @precondition(lambda self: self.reported.moves and self.reported.outcome() is None)
    @rule()
    def take_back(self) -> None:
        if len(self.hidden.moves) == len(self.reported.moves):
            assert self.reported.pop() == self.hidden.pop()

    @rule(hide=st.booleans())
    def read_again(self, hide: bool) -> None:
        played = self.hidden if hide else self.reported
        assert round_of_text(played.to_text()) == played
        again = KakkuriRound.from_record(
            {
                "rules": {"preset": "kakkuri", **played.rules.changes(PRESETS["kakkuri"])},
                "players": played.players,
                "dealer": played.dealer,
                **played.situation(),
                "deal": {
                    "hands": {str(seat): list(hand) for seat, hand in enumerate(played.deal.hands, start=1)},
                    "stock": list(played.deal.stock),
                },
            }
        )
        for turn in played.turns():
            for move in again.read_turn(turn):
                again.push(move)
        assert again == played

    @rule()
    def agree(self) -> None:
        agree(self.reported, self.rng)
        agree(self.hidden, self.rng)

    @invariant()
    def every_card_once(self) -> None:
        if not hasattr(self, "reported"):
            return
        state = self.reported._states[-1]
        places = [*state.hands, state.boxed, state.pile]
        assert sum(cards.bit_count() for cards in places) == 48
        assert sum(places) == (1 << 48) - 1
        assert state.boxed.bit_count() == len(state.box)
        state = self.hidden._states[-1]
        unseen = state.unseen(PACKS[self.hidden.rules.deck])
        assert unseen.bit_count() == sum(state.hidden) + state.box_hidden

    @invariant()
    def shares_go_round(self) -> None:
        outcome = self.reported.outcome() if hasattr(self, "reported") else None
        if outcome:
            assert sum(outcome.points) + outcome.pot == self.reported.pot
            assert self.reported.to_move is None
            assert self.reported.legal_moves() == []
            assert 1 <= outcome.next_dealer <= self.reported.players


TestRounds = Rounds.TestCase
TestRounds.settings = settings(
    max_examples=30,
    stateful_step_count=12,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking a deal takes minutes and is of no use
)
