"""The engine at a table of Kakkuri: discards from the pile, passes from who discarded."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from random import Random

import pytest

from companion.hanafuda.games.kakkuri import Discard, KakkuriRound, OpenBox
from companion.hanafuda.games.kakkuri.camera import KakkuriTable
from companion.hanafuda.games.kakkuri.cards import PACKS
from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round
from companion.observations import Observation
from companion.watch.beam import Beam, Belief, Hypothesis
from tests.companion.watch.kakkuri_pile import Mess, PileTop, observations

_REPORTED = 0.97


def _rules(**options: object) -> KakkuriRules:
    rules = resolve({"preset": "kakkuri", "players": "2_to_8", **options}, "kakkuri")
    assert isinstance(rules, KakkuriRules)
    return rules


HANAFUDA, MEKURIFUDA = _rules(deck="hanafuda"), _rules()


def _quiet() -> Mess:
    """Return error-free detections."""
    return Mess(0, 0, 1.0, 0, 0, 0, 0, 0, 0, 1.0)


def _dealt(players: int, dealer: int = 1, rules: KakkuriRules = HANAFUDA, dropped: int = 0) -> KakkuriRound:
    deal = {"hands": {}, **({"dropped": dropped} if dropped else {})}
    return KakkuriRound.from_record({"rules": rules, "players": players, "dealer": dealer, "deal": deal})


def _turns(table: KakkuriTable, played: KakkuriRound) -> list[Hashable]:
    """Return what identifies each laid card of a round, with the passes before it."""
    turns: list[Hashable] = []
    moves = []
    for move in played.moves:
        moves.append(move)
        if isinstance(move, OpenBox | Discard):
            turns.append(table.key(moves))
            moves = []
    return turns


class Watched:
    """A beam over a table."""

    def __init__(self, dealt: KakkuriRound, *, known: bool = True, seed: int = 1) -> None:
        assert isinstance(dealt.rules, KakkuriRules)
        self.table = KakkuriTable(dealt.rules, dealt.players)
        self.beam = Beam(self.table)
        self.dealers: Mapping[int, float] = dict.fromkeys(range(1, dealt.players + 1), 1 / dealt.players)
        if known:
            state = self.table.committed(dealt)
            self.beam.hypotheses = [Hypothesis(state, 0.0, dealt=state)]
            self.dealers = {dealt.dealer: 1.0}
        self.top = PileTop(Random(seed), _quiet(), dealt.players, PACKS[dealt.rules.deck].ids)
        self.see([self.top.observation()])

    def see(self, seen: Iterable[Observation]) -> Belief:
        for observation in seen:
            self.beam.see(observation, self.dealers)
        return self.beam.belief()

    def lay(self, seat: int, *cards: str) -> None:
        """Let a player discard cards at once, and observe the pile twice."""
        self.top.lay(seat, cards)
        self.see([self.top.observation(), self.top.observation()])

    def open_box(self, seat: int, card: str) -> None:
        self.top.time += 1.0
        self.top.open_box(seat)
        self.lay(seat, card)

    @property
    def moves(self) -> list[str]:
        """The moves that are likeliest, without the hands that were kept."""
        turns = self.beam.belief().turns
        return [str(move) for turn, *_ in turns for move in turn.moves if move.words() != ("keep",)]


@pytest.mark.parametrize(
    ("seed", "players", "errors"),
    [(1, 3, 1), (2, 4, 0), (3, 5, 0), (5, 7, 0)],
)
def test_a_round_is_followed_through_errors(seed: int, players: int, errors: int) -> None:
    played = random_round("kakkuri", seed, HANAFUDA, players)
    assert isinstance(played, KakkuriRound)
    watched = Watched(_dealt(players, played.dealer))
    belief = watched.see(observations(played, Mess(), seed))
    want, found = _turns(watched.table, played), [each.turn.key for each in belief.turns]
    assert len(want) > 15
    certain = [each.turn.key for each in belief.turns if each.p >= _REPORTED]
    assert certain == [key for key in want if key in certain]
    same = sum(one == other for one, other in zip(want, found, strict=False))
    assert same >= len(want) - errors


def test_the_rules_accept_the_moves() -> None:
    played = random_round("kakkuri", 3, HANAFUDA, 5)
    assert isinstance(played, KakkuriRound)
    watched = Watched(_dealt(5, played.dealer))
    belief = watched.see(observations(played, _quiet(), 3))
    replayed = _dealt(5, played.dealer)
    for turn, *_ in belief.turns:
        for move in turn.moves:
            assert not replayed.check(move)
            replayed.push(move)
    want, got = played.outcome(), replayed.outcome()
    assert want is not None
    assert got is not None
    assert (got.winners, got.points) == (want.winners, want.points)


def test_passes_follow_from_the_next_discard() -> None:
    watched = Watched(_dealt(4))
    watched.open_box(1, "cherry-curtain")
    watched.lay(1, "wisteria-cuckoo")
    watched.lay(4, "iris-bridge")
    assert watched.moves == [
        "1 box cherry-curtain",
        "1 discard wisteria-cuckoo",
        "1 pass",
        "2 pass",
        "3 pass",
        "4 discard iris-bridge",
    ]


def test_the_player_who_opens_the_box_is_the_dealer() -> None:
    watched = Watched(_dealt(5), known=False)
    watched.open_box(3, "cherry-curtain")
    watched.lay(3, "wisteria-cuckoo")
    watched.lay(4, "iris-bridge")
    assert watched.beam.hypotheses[0].state.dealer == 3
    assert watched.moves[-2:] == ["3 pass", "4 discard iris-bridge"]


def test_after_passes_of_all_the_box_is_opened_again() -> None:
    watched = Watched(_dealt(3))
    watched.open_box(1, "cherry-curtain")
    watched.lay(1, "wisteria-cuckoo")
    watched.open_box(1, "susuki-moon")
    assert watched.moves[-4:] == ["1 pass", "2 pass", "3 pass", "1 box susuki-moon"]


def test_three_of_a_number_at_once_are_a_triplet() -> None:
    watched = Watched(_dealt(4))
    watched.open_box(1, "cherry-curtain")
    watched.lay(1, "wisteria-cuckoo", "wisteria-ribbon", "wisteria-chaff-1")
    assert watched.moves[-1] == "1 discard wisteria-cuckoo wisteria-ribbon wisteria-chaff-1"


def test_a_discard_taken_back_is_forgotten() -> None:
    watched = Watched(_dealt(4))
    watched.open_box(1, "cherry-curtain")
    watched.lay(1, "wisteria-cuckoo")
    watched.top.take_back()
    watched.see(watched.top.observation() for _ in range(3))
    assert watched.moves == ["1 box cherry-curtain"]
    watched.lay(2, "wisteria-ribbon")
    assert watched.moves == ["1 box cherry-curtain", "1 pass", "2 discard wisteria-ribbon"]


def test_a_card_that_nobody_could_read_follows_from_the_next() -> None:
    watched = Watched(_dealt(4))
    watched.open_box(1, "cherry-curtain")
    watched.top.lay(1, ("wisteria-cuckoo",))
    watched.top.placed[-1]["hidden"] = True
    watched.lay(2, "iris-bridge")
    assert watched.moves[-1] == "2 discard iris-bridge"
    assert [move.split()[1] for move in watched.moves].count("discard") == 2


def test_a_turn_after_a_doubtful_one_may_be_certain() -> None:
    watched = Watched(_dealt(7))
    watched.open_box(1, "cherry-curtain")
    watched.top.mess = Mess(0, 0, 0.0, 0, 0, 0, 0, 0, None, 1.0)
    watched.lay(3, "wisteria-cuckoo")
    watched.top.mess = _quiet()
    watched.lay(5, "iris-bridge")
    _, doubtful, last = watched.beam.belief().turns
    assert doubtful.p < _REPORTED < last.p
    assert [str(move) for move in last.turn.moves][-1] == "5 discard iris-bridge"


def test_mekurifuda_have_no_look_alikes() -> None:
    watched = Watched(_dealt(4, rules=MEKURIFUDA))
    watched.open_box(1, "cups-4")
    watched.lay(1, "coins-5")
    watched.lay(2, "swords-6")
    assert watched.moves == ["1 box cups-4", "1 discard coins-5", "1 pass", "2 discard swords-6"]


def test_of_eight_players_the_one_who_dropped_out_is_passed_over() -> None:
    watched = Watched(_dealt(8, dropped=2))
    watched.open_box(1, "susuki-moon")
    watched.lay(1, "chrysanthemum-sake")
    watched.lay(3, "maple-deer")
    assert watched.moves[-2:] == ["1 pass", "3 discard maple-deer"]


def test_a_cleared_pile_ends_the_round() -> None:
    played = random_round("kakkuri", 5, HANAFUDA, 7)
    assert isinstance(played, KakkuriRound)
    watched = Watched(_dealt(7, played.dealer))
    watched.see(observations(played, _quiet(), 5))
    assert watched.table.is_over(watched.beam.hypotheses[0].state)
    watched.see(watched.top.observation() for _ in range(2))
    assert watched.beam.hypotheses[0].state is None
