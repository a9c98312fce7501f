"""Kakkuri with a camera: the pile, and who discarded and passed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from referee_kakkuri_sim import Mess, Session, plain

from companion.hanafuda.games.kakkuri import Discard, KakkuriRound, OpenBox
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round
from companion.observations import DISCARD, POSTED, Observation, TrackedCard
from companion.referee.discard_pile import DiscardPile
from companion.table.events import Event, NewEvent
from tests.message_text import english

RULES = resolve({"preset": "kakkuri", "deck": "hanafuda", "players": "2_to_8"}, "kakkuri")
MEKURI = resolve({"preset": "kakkuri", "players": "2_to_8"}, "kakkuri")


def quiet() -> Mess:
    """Return error-free detections."""
    return Mess(0, 0, 1.0, 0, 0, 0, 0, 0, 0, 1.0)


def round_of(seed: int, players: int) -> KakkuriRound:
    """Return a random round that has been played."""
    while (played := random_round("kakkuri", seed, RULES, players)).moves[-1:] == () or not any(
        isinstance(move, Discard) for move in played.moves
    ):
        seed += 1000
    assert isinstance(played, KakkuriRound)
    return played


def dealt(players: int = 4, dealer: int = 1, rules: object = RULES) -> Session:
    """Return a table at which nothing has happened since the deal."""
    record = {"rules": rules, "players": players, "dealer": dealer, "deal": {"hands": {}}}
    return Session(KakkuriRound.from_record(record), quiet())


def lay(applied: Session, seat: int, *cards: str) -> list[Event]:
    """Let a player discard cards, and make two observations."""
    applied.top.lay(seat, cards)
    return applied.observations(2)


def moves(applied: Session) -> list[str]:
    """Return the moves of the live round except for hands that were kept."""
    assert applied.table.round is not None
    return [str(move) for move in applied.table.round.moves if move.words() != ("keep",)]


def answer(applied: Session) -> None:
    """Answer the open questions truthfully, as far as the truth is among the choices."""
    truth = plain(applied.truth.moves)
    for question in applied.table.open_questions:
        done = plain(applied.table.round.moves) if applied.table.round else []
        for number, choice in enumerate(question.data["choices"]):
            reported = [
                applied.truth.read_move(event["data"]["player"], event["data"]["words"])
                for event in choice["events"]
                if event["kind"] == "moved"
            ]
            if truth[: len(done) + len(reported)] == done + plain(reported):
                applied.submit(NewEvent("answered", {"of": question.seq, "choice": number}))
                break


@pytest.mark.parametrize(("seed", "players"), [(1, 2), (2, 3), (3, 5), (4, 7), (5, 8)])
def test_a_clearly_observed_round_is_reported_completely(seed: int, players: int) -> None:
    applied = Session(round_of(seed, players), Mess(0, 0, 1.0, 0.01, 0.01, 0, 0, 0), seed)
    for _ in applied.play():
        answer(applied)
    for _ in range(4):
        answer(applied)
        applied.observations()
    assert applied.table.round is not None
    assert plain(applied.table.round.moves) == plain(applied.truth.moves)
    want = applied.truth.outcome()
    got = applied.table.round.outcome()
    assert (got and got.winners, got and got.points) == (want and want.winners, want and want.points)


def test_the_player_who_opens_the_box_is_the_dealer() -> None:
    truth = round_of(2, 4)
    applied = Session(truth, quiet(), dealer_known=False)
    opened = next(move for move in truth.moves if isinstance(move, OpenBox))
    applied.top.open_box(opened.player)
    lay(applied, opened.player, opened.card)
    assert applied.table.round is not None
    assert applied.table.round.dealer == truth.dealer
    assert moves(applied) == [str(opened)]


def test_with_eight_players_the_dropout_must_be_reported() -> None:
    truth = round_of(2, 8)
    assert truth.dropped not in (truth.dealer, (truth.dealer - 2) % 8 + 1)
    applied = Session(truth, quiet(), dealer_known=False)
    opened = next(move for move in truth.moves if isinstance(move, OpenBox))
    lay(applied, opened.player, opened.card)
    (question,) = applied.table.open_questions
    assert len(question.data["choices"]) == 8
    assert truth.dropped is not None
    applied.submit(NewEvent("answered", {"of": question.seq, "choice": truth.dropped - 1}))
    applied.observations(3)
    answer(
        applied
    )  # eight players sit close together: there may be a question about whose arm opened the box
    assert isinstance(applied.table.round, KakkuriRound)
    assert applied.table.round.dropped == truth.dropped
    assert plain([opened])[0] in plain(applied.table.round.moves)


def test_passes_follow_from_the_next_discard() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    lay(applied, 1, "wisteria-cuckoo")
    lay(applied, 4, "iris-bridge")
    reported = [
        "1 box cherry-curtain",
        "1 discard wisteria-cuckoo",
        "1 pass",
        "2 pass",
        "3 pass",
        "4 discard iris-bridge",
    ]
    assert moves(applied) == reported


def test_a_pass_reported_by_tap_is_kept() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    applied.submit(NewEvent("moved", {"player": 1, "words": ["pass"]}))
    lay(applied, 2, "wisteria-cuckoo")
    assert moves(applied) == ["1 box cherry-curtain", "1 pass", "2 discard wisteria-cuckoo"]


def test_three_of_a_number_at_once_are_a_triplet() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    lay(applied, 1, "wisteria-cuckoo", "wisteria-ribbon", "wisteria-chaff-1")
    assert moves(applied)[-1].split()[:2] == ["1", "discard"]
    assert len(moves(applied)[-1].split()) == 5


def test_a_pair_after_three_pairs_were_declared() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    applied.submit(NewEvent("moved", {"player": 1, "words": ["three-pairs"]}))
    lay(applied, 1, "wisteria-cuckoo", "wisteria-ribbon")
    assert moves(applied)[-1] == "1 discard wisteria-cuckoo wisteria-ribbon"


def test_a_card_reported_by_phone_is_not_reported_again() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    applied.submit(NewEvent("moved", {"player": 1, "words": ["discard", "wisteria-cuckoo"]}))
    lay(applied, 1, "wisteria-cuckoo")
    lay(applied, 2, "iris-bridge")
    assert moves(applied) == [
        "1 box cherry-curtain",
        "1 discard wisteria-cuckoo",
        "1 pass",
        "2 discard iris-bridge",
    ]
    assert not applied.codes


def test_a_card_placed_on_its_look_alike_is_detected() -> None:
    applied = dealt()
    applied.top.mess.resurface = 1.0
    lay(applied, 1, "cherry-chaff-1")
    lay(applied, 1, "wisteria-cuckoo")
    lay(applied, 2, "pine-crane")
    lay(applied, 2, "cherry-chaff-2")
    assert moves(applied)[-1] == "2 discard cherry-chaff-2"


def test_a_discard_taken_back_is_undone() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    lay(applied, 1, "wisteria-cuckoo")
    applied.top.take_back()
    reported = applied.observations(3)
    assert [event.kind for event in reported] == ["undone"]
    assert moves(applied) == ["1 box cherry-curtain"]
    lay(applied, 2, "wisteria-ribbon")
    assert moves(applied)[-2:] == ["1 pass", "2 discard wisteria-ribbon"]


def test_an_illegal_number_is_reported_with_the_rule_until_taken_back() -> None:
    applied = dealt(players=7)
    lay(applied, 1, "cherry-curtain")
    applied.top.lay(1, ("clover-boar",))
    applied.observations(4)
    assert applied.codes == ["wrong-number"]
    (reported,) = applied.table.open_problems
    assert reported.data["cards"] == ["clover-boar"]
    applied.top.take_back()
    applied.observations(2)
    assert not applied.table.open_problems
    assert moves(applied) == ["1 box cherry-curtain"]


def test_if_the_box_may_have_been_opened_both_readings_are_offered() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    applied.top.lay(1, ("clover-boar",))
    applied.observations(4)
    (question,) = applied.table.open_questions
    says = [english(choice["says"]) for choice in question.data["choices"]]
    assert any("turns up Boar" in each for each in says)
    (against,) = [number for number, each in enumerate(says) if "where 4 may follow" in each]
    assert says[against].startswith("player 1 discards Boar, ")
    applied.submit(NewEvent("answered", {"of": question.seq, "choice": against}))
    assert moves(applied)[-1] == "1 discard clover-boar"
    assert [event.data["code"] for event in applied.table.open_problems] == ["wrong-number"]
    lay(applied, 2, "susuki-moon")
    assert moves(applied)[-2:] == ["1 pass", "2 discard susuki-moon"]


def test_a_card_of_another_deck_is_named() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    applied.top.lay(2, ("clubs-4",))
    applied.observations(4)
    assert applied.codes == ["foreign-card"]


def test_an_unidentified_card_must_be_placed_clear() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    applied.top.lay(1, ("clover-boar",))
    applied.top.placed[-1]["read"] = (("clover-boar", 0.2),)
    applied.top.read = lambda name: (("clover-boar", 0.2),)  # type: ignore[method-assign]
    applied.observations(5)
    assert applied.codes == ["unknown-card"]


def test_a_pile_covered_and_found_again_is_let_be() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    lay(applied, 1, "wisteria-cuckoo")
    placed, applied.top.placed = applied.top.placed, []
    applied.observations(4)
    for each in placed:  # tracking has lost them and reports them as new
        applied.top.keys += 1
        each["key"] = applied.top.keys
    applied.top.placed = placed
    applied.observations(4)
    assert moves(applied) == ["1 box cherry-curtain", "1 discard wisteria-cuckoo"]
    assert not applied.codes


def test_an_event_deleted_by_a_person_becomes_a_question() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    lay(applied, 2, "wisteria-cuckoo")
    target = applied.table.undo_target()
    assert target is not None
    applied.submit(NewEvent("undone", {"of": target.seq}))
    applied.observations(5)
    assert moves(applied) == ["1 box cherry-curtain"]
    assert applied.table.open_questions


def test_without_a_hand_event_the_discarding_player_is_a_question() -> None:
    applied = dealt(players=7)
    lay(applied, 1, "cherry-curtain")
    applied.top.mess.hand_events = 0.0
    lay(applied, 1, "wisteria-cuckoo")
    lay(applied, 1, "iris-bridge")
    applied.top.lay(3, ("pine-crane",))
    applied.observations(5)
    (question,) = applied.table.open_questions
    says = [english(choice["says"]) for choice in question.data["choices"]]
    assert len(says) > 1
    assert all("discards" in each for each in says)


_LAID = (
    (1, "wisteria-cuckoo"),
    (2, "iris-bridge"),
    (3, "paulownia-yellow"),
    (3, "clover-boar"),
    (1, "susuki-geese"),
    (2, "chrysanthemum-sake"),
)


def test_the_orientation_of_a_card_identifies_the_player() -> None:
    applied = dealt(players=7)
    applied.top.mess.askew = 0.0
    lay(applied, 1, "cherry-curtain")
    for seat, card in _LAID:
        lay(applied, seat, card)
    applied.top.mess.hand_events = 0.0
    lay(applied, 3, "pine-crane")
    applied.observations(3)
    assert not applied.table.open_questions
    assert moves(applied)[-2:] == ["2 pass", "3 discard pine-crane"]


def test_the_orientation_of_a_squared_pile_is_no_evidence() -> None:
    applied = dealt(players=7)
    applied.top.mess.askew = None
    lay(applied, 1, "cherry-curtain")
    for seat, card in _LAID:
        lay(applied, seat, card)
    applied.top.mess.hand_events = 0.0
    applied.top.lay(3, ("pine-crane",))
    applied.observations(5)
    assert applied.table.open_questions


def test_a_look_alike_placed_on_the_other_is_detected_by_its_pose() -> None:
    applied = dealt(players=7)
    applied.top.mess.resurface = 1.0
    lay(applied, 1, "plum-warbler")
    lay(applied, 1, "plum-chaff-1")
    lay(applied, 2, "plum-chaff-2")
    assert moves(applied)[-2:] == ["1 pass", "2 discard plum-chaff-2"]


def test_an_undetectable_card_is_reported_as_missed() -> None:
    applied = dealt(players=7)
    lay(applied, 1, "cherry-curtain")
    lay(applied, 1, "wisteria-cuckoo")
    applied.top.lay(2, ("iris-bridge",))
    for each in applied.top.placed:
        each["hidden"] = True
    applied.observations(5)
    assert applied.codes == ["unknown-card"]
    applied.top.lay(4, ("paulownia-yellow",))
    applied.observations(5)
    (question,) = applied.table.open_questions
    assert all(
        "Iris" in english(each["says"]) or "Bridge" in english(each["says"])
        for each in question.data["choices"][:2]
    )


def test_the_next_round_begins_once_the_pile_was_cleared() -> None:
    truth = round_of(1, 2)
    applied = Session(truth, Mess(0, 0, 1.0, 0, 0, 0, 0, 0, 0, 1.0))
    for _ in applied.play():
        answer(applied)
    for _ in range(4):
        answer(applied)
        applied.observations()
    assert applied.table.round is not None
    ended = applied.table.round.outcome()
    assert ended is not None
    applied.observations(3)
    assert applied.table.round_number == 1
    applied.top.placed.clear()
    applied.observations(2)
    applied.top.open_box(ended.next_dealer)
    lay(applied, ended.next_dealer, "susuki-moon")
    assert applied.table.round_number == 2
    assert applied.table.round is not None
    assert applied.table.round.dealer == ended.next_dealer


def test_mekurifuda_are_reported_by_their_own_names() -> None:
    applied = dealt(rules=MEKURI)
    lay(applied, 1, "cups-4")
    lay(applied, 1, "coins-5")
    lay(applied, 2, "swords-6")
    assert moves(applied) == ["1 box cups-4", "1 discard coins-5", "1 pass", "2 discard swords-6"]


def test_a_card_that_two_players_may_have_played_is_a_question() -> None:
    applied = dealt(players=7)
    applied.top.mess.hand_events = 0.0
    for card in ("cherry-curtain", "wisteria-cuckoo"):
        applied.top.lay(1, (card,))
        reported = applied.referee.see(replace(applied.top.observation(), notes=(POSTED,)), applied.table)
        applied.table.append(reported, actor="Aiko", source="camera", time="2026-01-01T00:00:00Z")
    (question,) = applied.table.open_questions
    assert english(question.data["choices"][0]["says"]) == "player 1 discards Cuckoo"


def test_an_answer_is_of_the_card_and_not_of_a_strip_at_the_edge() -> None:
    """A strip identified as the reported card took the answer, and the card was reported again as its look-alike."""
    pile = DiscardPile()
    strip = TrackedCard(
        8, None, (("plum-chaff-1", 0.18), ("plum-ribbon", 0.15)), DISCARD, (0, 0), 0, 0.4, 24.5
    )
    card = TrackedCard(9, "plum-chaff-1", (("plum-chaff-1", 0.99),), DISCARD, (5, 0), 0, 0.99, 26.0)
    pile.read(Observation("a", 27.0, (strip, card)), ())
    assert [each.key for each in pile.new_cards] == [8, 9]
    pile.read(Observation("b", 27.5, (strip, card)), ("plum-chaff-1",))
    assert pile.cards[9] == "plum-chaff-1"
    assert not pile.new_cards


def rescanned(applied: Session) -> list[Event]:
    """Reset the table to an observation."""
    reported = applied.referee.rescan(applied.top.observation(), applied.table)
    return list(applied.table.append(reported, actor="Aiko", source="phone", time="2026-01-01T00:00:00Z"))


def test_a_rescan_asks_who_played_the_top_card_and_continues() -> None:
    applied = dealt(players=7)
    lay(applied, 1, "cherry-curtain")
    lay(applied, 1, "wisteria-cuckoo")
    applied.top.placed.append(
        {**applied.top.placed[-1], "key": 90, "card": "iris-bridge", "read": None}
    )  # nobody saw it
    applied.top.lay(4, ("clover-boar",))
    applied.observations(4)
    assert applied.table.open_problems or applied.table.open_questions
    (asked,) = [event for event in rescanned(applied) if event.kind == "asked"]
    says = [english(choice["says"]) for choice in asked.data["choices"]]
    assert says[0] == "player 4 discards Boar"
    assert len(says) == 7
    applied.submit(NewEvent("answered", {"of": asked.seq, "choice": 0}))
    applied.observations(3)
    assert moves(applied)[-1] == "4 discard clover-boar"
    lay(applied, 6, "susuki-moon")
    assert moves(applied)[-2:] == ["5 pass", "6 discard susuki-moon"]


def test_a_rescan_of_a_table_in_step_asks_whose_turn_it_is() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    lay(applied, 1, "wisteria-cuckoo")
    (asked,) = rescanned(applied)
    assert [english(choice["says"]) for choice in asked.data["choices"]] == [
        f"player {seat}" for seat in (1, 2, 3, 4)
    ]
    applied.submit(NewEvent("answered", {"of": asked.seq, "choice": 2}))
    assert isinstance(applied.table.round, KakkuriRound)
    assert applied.table.round.state.turn == 3
    lay(applied, 3, "iris-bridge")
    assert moves(applied)[-3:] == ["1 pass", "2 pass", "3 discard iris-bridge"]


def test_a_rescan_undoes_removed_cards() -> None:
    applied = dealt()
    lay(applied, 1, "cherry-curtain")
    lay(applied, 1, "wisteria-cuckoo")
    applied.top.take_back()
    reported = rescanned(applied)
    assert [event.kind for event in reported] == ["undone"]
    assert moves(applied) == ["1 box cherry-curtain"]


def test_a_rescan_before_a_round_reports_nothing() -> None:
    applied = Session(round_of(1, 4), quiet(), dealer_known=False)
    assert applied.referee.rescan(Observation("frame", 1.0, ()), applied.table) == []
