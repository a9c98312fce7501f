"""Measures how well readers alone report random rounds: ``python tests/companion/readers/scanners_measure.py --seeds
0-59``.

``--how`` trays: readers under the field and both trays, with bounces, missed and repeated reads, and scans in
the wrong order; coils: readers that do not report when a card leaves; piles: readers under both trays only; hand: one handheld scanner that reads some cards twice and others not at all (``--missed``);
``--react``: the player reacts to requests for missing scans; ``--restart``: the server of trays or coils is restarted in the middle.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scanners_sim import Mess, Scanned, plain, scan_by_hand, turns_of

from companion.hanafuda.fishing import Call, FishingMove, FishingRound, Play
from companion.hanafuda.fishing.captures import bit_of
from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.simulation import random_round
from companion.observations import FIELD, captured_zone
from companion.readers import ScannedTable
from companion.table.events import NewEvent
from companion.table.history import order_unknown
from companion.table.history import turns_of as lines_of
from companion.watch.referee import Referee

EVERYWHERE = frozenset({FIELD, captured_zone(1), captured_zone(2)})


@dataclass
class Report:
    """The result of a round."""

    scanned: Scanned
    right: bool
    """Whether every move was reported as it was made, and the points are right."""
    turns: int
    """The number of turns that were played."""
    right_turns: int
    """The number of turns that were reported as they were made."""
    is_marked: bool
    """Whether the log says of all wrong turns that it was not seen which card came from the hand."""

    @property
    def silently_wrong(self) -> bool:
        """Whether the round is wrong, no question or problem was raised, and the log leaves no doubt."""
        return not (self.right or self.is_marked or self.scanned.problems or self.scanned.questions)

    def says(self) -> str:
        reported = self.scanned
        return f"{'right' if self.right else 'WRONG'} {reported.problems} {[each.data['text']['code'] for each in reported.questions]}"


def by_trays(game: str, seed: int, mess: Mess, *, keeps: bool = True, restart: bool = False) -> Report:
    """Play a round with readers that watch the trays and the field; in every other round nobody reports the dealer.

    ``restart``: the server is restarted in the middle of the round, and the readers do not report again what lies there.
    """
    played = random_round(game, seed)
    assert isinstance(played, FishingRound)
    scanned = Scanned(played.rules, EVERYWHERE, mess, seed, keeps)
    scanned.deal(played.deal.field)
    if seed % 2 == 0:
        scanned.submit(NewEvent("began", {"dealer": played.dealer}))
    turns = [*turns_of(played.moves)]
    for number, turn in enumerate(turns):
        if restart and number == len(turns) // 2:
            scanned.wait(10.0)
            scanned.scanned_table, scanned.referee = ScannedTable(), Referee(scanned.rules, 2)
        try:
            scanned.turn(turn)
        except IllegalMoveError:  # the call of a turn that was reported differently
            break
    return _compared(scanned, played)


def by_piles(game: str, seed: int, mess: Mess) -> Report:
    """Play a round with readers under the trays only; a person enters the deal, and each turn that was not reported after 7 s.

    Which card came from the hand is not counted: nobody can tell.
    """
    played = random_round(game, seed)
    assert isinstance(played, FishingRound)
    scanned = Scanned(played.rules, EVERYWHERE - {FIELD}, mess, seed)
    deal = {"deal": {"field": list(played.deal.field)}, "dealer": played.dealer, "month": 1}
    scanned.submit(NewEvent("dealt", deal))
    scanned.lies = dict.fromkeys(played.deal.field, FIELD)
    unaided, turns, true = 0, [*turns_of(played.moves)], list[FishingMove]()
    for turn in turns:
        true += turn
        try:
            scanned.turn(turn)
            scanned.wait(7.0)
            assert scanned.table.round is not None
            raised = plain(scanned.table.round.moves)
            cards = [sorted(each[:1] + each[2:] for each in moves) for moves in (raised, plain(true))]
            unaided += cards[0] == cards[1]
            for move in true[len(raised) :]:
                words = list(move.words())
                scanned.submit(NewEvent("moved", {"player": move.player, "words": words}))
        except IllegalMoveError:
            break
    return replace(_compared(scanned, played), right_turns=unaided)


def by_hand(
    game: str,
    seed: int,
    *,
    skipped: float = 0.5,
    early: float = 0.1,
    missed: float = 0.0,
    react: bool = False,
) -> Report:
    """Play a round with one scanner.

    ``skipped``: the fraction of implied captures that are not scanned, ``early``: the fraction of captures
    scanned before the card that captures, ``missed``: the fraction of cards that are not read.
    """
    played = random_round(game, seed)
    assert isinstance(played, FishingRound)
    scanned = Scanned(played.rules, frozenset(), Mess(), seed, keeps=False)
    scan_by_hand(scanned, list(played.deal.field))
    scanned.wait(3.0)
    scanned.submit(NewEvent("began", {"dealer": played.dealer}))
    rng = scanned.rng
    for turn in turns_of(played.moves):
        cards: list[str] = []
        for move in turn:
            if isinstance(move, Call):
                continue
            takes = () if rng.random() < skipped and _follows(move, scanned) else move.takes
            part = [*takes, move.card] if rng.random() < early else [move.card, *takes]
            cards += [card for card in part if card != move.card or rng.random() >= missed]
        raised = len(scanned.problems)
        scan_by_hand(scanned, cards)
        scanned.wait(rng.uniform(6.0, 9.0) if react else rng.uniform(2.0, 6.0))
        if react and len(scanned.problems) > raised:
            scan_by_hand(
                scanned, [move.card for move in turn if not isinstance(move, Call) and move.card not in cards]
            )
            scanned.wait(3.0)
        answer(scanned, turn)
        try:
            call(scanned, turn)
        except IllegalMoveError:
            break
    scanned.wait(5.0)
    return _compared(scanned, played)


def _follows(move: FishingMove, scanned: Scanned) -> bool:
    """Return whether the rules leave only one move for a card."""
    played = scanned.table.round
    if isinstance(move, Call) or not isinstance(played, FishingRound):
        return False
    placed = sum(map(bit_of, played.field))
    return len(played.captures.options(bit_of(move.card), placed, from_hand=isinstance(move, Play))) == 1


def answer(scanned: Scanned, turn: Sequence[FishingMove]) -> None:
    """Answer an open question truthfully, if the truth is among its choices."""
    words = [list(move.words()) for move in turn if not isinstance(move, Call)]
    for question in list(scanned.table.open_questions):
        for number, choice in enumerate(question.data["choices"]):
            reported = [event["data"]["words"] for event in choice["events"] if event["kind"] == "moved"]
            if [each for each in reported if each[0] != "call"] == words:
                scanned.submit(NewEvent("answered", {"of": question.seq, "choice": number}))
                break
    scanned.wait(1.0)


def call(scanned: Scanned, turn: Sequence[FishingMove]) -> None:
    for move in turn:
        if isinstance(move, Call):
            scanned.submit(NewEvent("moved", {"player": move.player, "words": list(move.words())}))


def _compared(scanned: Scanned, played: FishingRound) -> Report:  # type: ignore[type-arg]  # of any game
    reported, ended = scanned.table.round, played.outcome()
    assert reported is not None
    outcome = reported.outcome()
    points = outcome.points if outcome else None
    pairs = [*zip(turns_of(played.moves), turns_of(reported.moves), strict=False)]
    live = scanned.table.live
    assert live is not None
    lines = lines_of([step for step in live.steps if step.move is not None], live.round)
    return Report(
        scanned,
        plain(reported.moves) == plain(played.moves) and points == (ended.points if ended else None),
        len([*turns_of(played.moves)]),
        sum(plain(true) == plain(raised) for true, raised in pairs),
        points == (ended.points if ended else None)
        and all(
            plain(true) == plain(raised) or order_unknown(line)
            for (true, raised), line in zip(pairs, lines, strict=False)
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="koikoi")
    parser.add_argument("--seeds", default="0-59")
    parser.add_argument("--how", default="trays")
    parser.add_argument("--missed", type=float, default=0.0)
    parser.add_argument("--react", action="store_true")
    parser.add_argument("--restart", action="store_true")
    asked = parser.parse_args()
    first, last = map(int, asked.seeds.split("-"))
    began, reports = time.process_time(), list[Report]()
    for seed in range(first, last + 1):
        if asked.how == "hand":
            reported = by_hand(asked.game, seed, missed=asked.missed, react=asked.react)
        elif asked.how == "piles":
            reported = by_piles(asked.game, seed, Mess())
        else:
            keeps = asked.how == "trays"
            reported = by_trays(asked.game, seed, Mess(), keeps=keeps, restart=asked.restart)
        reports.append(reported)
        if not reported.right or reported.scanned.problems or reported.scanned.questions:
            print(seed, reported.says())
    print(
        f"{asked.game} {asked.how}: {sum(each.right for each in reports)} of {len(reports)} rounds and"
        f" {sum(each.right_turns for each in reports)} of {sum(each.turns for each in reports)} turns right,"
        f" {sum(each.silently_wrong for each in reports)} rounds silently wrong,"
        f" {sum(len(each.scanned.questions) for each in reports)} questions,"
        f" {sum(len(each.scanned.problems) for each in reports)} problems, {time.process_time() - began:.1f} s"
    )


if __name__ == "__main__":
    main()
