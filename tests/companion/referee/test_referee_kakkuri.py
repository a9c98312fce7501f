"""Kakkuri as a camera sees it: the pile, and who discarded and passed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from referee_kakkuri_sim import Mess, Session, plain

from companion.hanafuda.games.kakkuri import Discard, KakkuriRound, OpenBox
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round
from companion.observations import DISCARD, POSTED, Observation, TrackedCard
from companion.referee.discard_pile import Pile
from companion.table.events import Event, NewEvent

RULES = resolve({"preset": "kakkuri", "deck": "hanafuda", "players": "2_to_8"}, "kakkuri")
MEKURI = resolve({"preset": "kakkuri", "players": "2_to_8"}, "kakkuri")


def quiet() -> Mess:
    """Return eyes that do not err."""
    return Mess(0, 0, 1.0, 0, 0, 0, 0, 0, 0, 1.0)


def round_of(seed: int, players: int) -> KakkuriRound:
    """Return a random round that was played."""
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


def lay(made: Session, seat: int, *cards: str) -> list[Event]:
    """Let a player lay cards on the pile, and look twice."""
    made.top.lay(seat, cards)
    return made.looks(2)


def moves(made: Session) -> list[str]:
    """Return the moves of the live round but the hands kept."""
    assert made.table.round is not None
    return [str(move) for move in made.table.round.moves if move.words() != ("keep",)]


def answer(made: Session) -> None:
    """Answer the open questions truthfully, as far as the truth is among the answers."""
    truth = plain(made.truth.moves)
    for question in made.table.open_questions:
        done = plain(made.table.round.moves) if made.table.round else []
        for number, choice in enumerate(question.data["choices"]):
            told = [
                made.truth.read_move(event["data"]["player"], event["data"]["words"])
                for event in choice["events"]
                if event["kind"] == "moved"
            ]
            if truth[: len(done) + len(told)] == done + plain(told):
                made.tell(NewEvent("answered", {"of": question.seq, "choice": number}))
                break


@pytest.mark.parametrize(("seed", "players"), [(1, 2), (2, 3), (3, 5), (4, 7), (5, 8)])
def test_a_round_seen_well_is_told_whole(seed: int, players: int) -> None:
    made = Session(round_of(seed, players), Mess(0, 0, 1.0, 0.01, 0.01, 0, 0, 0), seed)
    for _ in made.play():
        answer(made)
    for _ in range(4):
        answer(made)
        made.looks()
    assert made.table.round is not None
    assert plain(made.table.round.moves) == plain(made.truth.moves)
    want = made.truth.outcome()
    got = made.table.round.outcome()
    assert (got and got.winners, got and got.points) == (want and want.winners, want and want.points)


def test_who_opens_the_box_deals() -> None:
    truth = round_of(2, 4)
    made = Session(truth, quiet(), dealer_told=False)
    opened = next(move for move in truth.moves if isinstance(move, OpenBox))
    made.top.open_box(opened.player)
    lay(made, opened.player, opened.card)
    assert made.table.round is not None
    assert made.table.round.dealer == truth.dealer
    assert moves(made) == [str(opened)]


def test_of_eight_somebody_tells_who_drops_out() -> None:
    truth = round_of(2, 8)
    assert truth.dropped not in (truth.dealer, (truth.dealer - 2) % 8 + 1)
    made = Session(truth, quiet(), dealer_told=False)
    opened = next(move for move in truth.moves if isinstance(move, OpenBox))
    lay(made, opened.player, opened.card)
    (question,) = made.table.open_questions
    assert len(question.data["choices"]) == 8
    assert truth.dropped is not None
    made.tell(NewEvent("answered", {"of": question.seq, "choice": truth.dropped - 1}))
    made.looks(3)
    answer(made)  # eight sit close together: whose arm opened the box may be asked
    assert isinstance(made.table.round, KakkuriRound)
    assert made.table.round.dropped == truth.dropped
    assert plain([opened])[0] in plain(made.table.round.moves)


def test_passes_follow_from_the_next_discard() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    lay(made, 1, "wisteria-cuckoo")
    lay(made, 4, "iris-bridge")
    told = [
        "1 box cherry-curtain",
        "1 discard wisteria-cuckoo",
        "1 pass",
        "2 pass",
        "3 pass",
        "4 discard iris-bridge",
    ]
    assert moves(made) == told


def test_a_pass_by_tap_stands() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    made.tell(NewEvent("moved", {"player": 1, "words": ["pass"]}))
    lay(made, 2, "wisteria-cuckoo")
    assert moves(made) == ["1 box cherry-curtain", "1 pass", "2 discard wisteria-cuckoo"]


def test_three_of_a_number_at_once_are_a_triplet() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    lay(made, 1, "wisteria-cuckoo", "wisteria-ribbon", "wisteria-chaff-1")
    assert moves(made)[-1].split()[:2] == ["1", "discard"]
    assert len(moves(made)[-1].split()) == 5


def test_a_pair_after_three_pairs_were_declared() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    made.tell(NewEvent("moved", {"player": 1, "words": ["three-pairs"]}))
    lay(made, 1, "wisteria-cuckoo", "wisteria-ribbon")
    assert moves(made)[-1] == "1 discard wisteria-cuckoo wisteria-ribbon"


def test_a_card_told_on_a_phone_is_not_told_again() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    made.tell(NewEvent("moved", {"player": 1, "words": ["discard", "wisteria-cuckoo"]}))
    lay(made, 1, "wisteria-cuckoo")
    lay(made, 2, "iris-bridge")
    assert moves(made) == [
        "1 box cherry-curtain",
        "1 discard wisteria-cuckoo",
        "1 pass",
        "2 discard iris-bridge",
    ]
    assert not made.codes


def test_a_card_laid_on_its_look_alike_is_seen() -> None:
    made = dealt()
    made.top.mess.resurface = 1.0
    lay(made, 1, "cherry-chaff-1")
    lay(made, 1, "wisteria-cuckoo")
    lay(made, 2, "pine-crane")
    lay(made, 2, "cherry-chaff-2")
    assert moves(made)[-1] == "2 discard cherry-chaff-2"


def test_a_discard_taken_back_is_undone() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    lay(made, 1, "wisteria-cuckoo")
    made.top.take_back()
    told = made.looks(3)
    assert [event.kind for event in told] == ["undone"]
    assert moves(made) == ["1 box cherry-curtain"]
    lay(made, 2, "wisteria-ribbon")
    assert moves(made)[-2:] == ["1 pass", "2 discard wisteria-ribbon"]


def test_a_wrong_number_is_told_with_the_rule_and_let_be_once_taken_back() -> None:
    made = dealt(players=7)
    lay(made, 1, "cherry-curtain")
    made.top.lay(1, ("clover-boar",))
    made.looks(4)
    assert made.codes == ["wrong-number"]
    (told,) = made.table.open_problems
    assert told.data["cards"] == ["clover-boar"]
    made.top.take_back()
    made.looks(2)
    assert not made.table.open_problems
    assert moves(made) == ["1 box cherry-curtain"]


def test_where_the_box_may_have_been_opened_both_are_asked_about() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    made.top.lay(1, ("clover-boar",))
    made.looks(4)
    (question,) = made.table.open_questions
    says = [choice["says"]["en"] for choice in question.data["choices"]]
    assert any("turned up Boar" in each for each in says)
    (against,) = [number for number, each in enumerate(says) if "where 4 may follow" in each]
    assert says[against].startswith("player 1 discarded Boar, ")
    made.tell(NewEvent("answered", {"of": question.seq, "choice": against}))
    assert moves(made)[-1] == "1 discard clover-boar"
    assert [event.data["code"] for event in made.table.open_problems] == ["wrong-number"]
    lay(made, 2, "susuki-moon")
    assert moves(made)[-2:] == ["1 pass", "2 discard susuki-moon"]


def test_a_card_of_another_deck_is_named() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    made.top.lay(2, ("clubs-4",))
    made.looks(4)
    assert made.codes == ["foreign-card"]


def test_a_card_without_a_name_is_to_be_laid_clear() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    made.top.lay(1, ("clover-boar",))
    made.top.lying[-1]["read"] = (("clover-boar", 0.2),)
    made.top.read = lambda name: (("clover-boar", 0.2),)  # type: ignore[method-assign]
    made.looks(5)
    assert made.codes == ["unknown-card"]


def test_a_pile_covered_and_found_again_is_let_be() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    lay(made, 1, "wisteria-cuckoo")
    lying, made.top.lying = made.top.lying, []
    made.looks(4)
    for each in lying:  # memory has lost them and calls them new
        made.top.keys += 1
        each["key"] = made.top.keys
    made.top.lying = lying
    made.looks(4)
    assert moves(made) == ["1 box cherry-curtain", "1 discard wisteria-cuckoo"]
    assert not made.codes


def test_what_a_person_took_away_is_asked_about() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    lay(made, 2, "wisteria-cuckoo")
    target = made.table.undo_target()
    assert target is not None
    made.tell(NewEvent("undone", {"of": target.seq}))
    made.looks(5)
    assert moves(made) == ["1 box cherry-curtain"]
    assert made.table.open_questions


def test_without_an_arm_it_is_asked_who_discarded() -> None:
    made = dealt(players=7)
    lay(made, 1, "cherry-curtain")
    made.top.mess.hand_events = 0.0
    lay(made, 1, "wisteria-cuckoo")
    lay(made, 1, "iris-bridge")
    made.top.lay(3, ("pine-crane",))
    made.looks(5)
    (question,) = made.table.open_questions
    says = [choice["says"]["en"] for choice in question.data["choices"]]
    assert len(says) > 1
    assert all("discarded" in each for each in says)


_LAID = (
    (1, "wisteria-cuckoo"),
    (2, "iris-bridge"),
    (3, "paulownia-yellow"),
    (3, "clover-boar"),
    (1, "susuki-geese"),
    (2, "chrysanthemum-sake"),
)


def test_which_way_a_card_lies_tells_who_discarded_it() -> None:
    made = dealt(players=7)
    made.top.mess.askew = 0.0
    lay(made, 1, "cherry-curtain")
    for seat, card in _LAID:
        lay(made, seat, card)
    made.top.mess.hand_events = 0.0
    lay(made, 3, "pine-crane")
    made.looks(3)
    assert not made.table.open_questions
    assert moves(made)[-2:] == ["2 pass", "3 discard pine-crane"]


def test_how_a_squared_up_pile_lies_tells_nothing() -> None:
    made = dealt(players=7)
    made.top.mess.askew = None
    lay(made, 1, "cherry-curtain")
    for seat, card in _LAID:
        lay(made, seat, card)
    made.top.mess.hand_events = 0.0
    made.top.lay(3, ("pine-crane",))
    made.looks(5)
    assert made.table.open_questions


def test_a_look_alike_that_an_arm_lays_on_the_other_is_seen_by_how_it_lies() -> None:
    made = dealt(players=7)
    made.top.mess.resurface = 1.0
    lay(made, 1, "plum-warbler")
    lay(made, 1, "plum-chaff-1")
    lay(made, 2, "plum-chaff-2")
    assert moves(made)[-2:] == ["1 pass", "2 discard plum-chaff-2"]


def test_a_card_that_the_eyes_cannot_see_at_all_is_missed_and_told_of() -> None:
    made = dealt(players=7)
    lay(made, 1, "cherry-curtain")
    lay(made, 1, "wisteria-cuckoo")
    made.top.lay(2, ("iris-bridge",))
    for each in made.top.lying:
        each["hidden"] = True
    made.looks(5)
    assert made.codes == ["unknown-card"]
    made.top.lay(4, ("paulownia-yellow",))
    made.looks(5)
    (question,) = made.table.open_questions
    assert all(
        "Iris" in each["says"]["en"] or "Bridge" in each["says"]["en"]
        for each in question.data["choices"][:2]
    )


def test_the_next_round_begins_once_the_pile_was_cleared() -> None:
    truth = round_of(1, 2)
    made = Session(truth, Mess(0, 0, 1.0, 0, 0, 0, 0, 0, 0, 1.0))
    for _ in made.play():
        answer(made)
    for _ in range(4):
        answer(made)
        made.looks()
    assert made.table.round is not None
    ended = made.table.round.outcome()
    assert ended is not None
    made.looks(3)
    assert made.table.round_number == 1
    made.top.lying.clear()
    made.looks(2)
    made.top.open_box(ended.next_dealer)
    lay(made, ended.next_dealer, "susuki-moon")
    assert made.table.round_number == 2
    assert made.table.round is not None
    assert made.table.round.dealer == ended.next_dealer


def test_mekurifuda_are_told_by_their_own_names() -> None:
    made = dealt(rules=MEKURI)
    lay(made, 1, "cups-4")
    lay(made, 1, "coins-5")
    lay(made, 2, "swords-6")
    assert moves(made) == ["1 box cups-4", "1 discard coins-5", "1 pass", "2 discard swords-6"]


def test_one_picture_of_a_card_that_two_may_have_laid_is_asked_about() -> None:
    made = dealt(players=7)
    made.top.mess.hand_events = 0.0
    for card in ("cherry-curtain", "wisteria-cuckoo"):
        made.top.lay(1, (card,))
        told = made.referee.see(replace(made.top.look(), notes=(POSTED,)), made.table)
        made.table.append(told, actor="Aiko", source="camera", time="2026-01-01T00:00:00Z")
    (question,) = made.table.open_questions
    assert question.data["choices"][0]["says"]["en"] == "player 1 discarded Cuckoo"


def test_an_answer_is_of_the_card_and_not_of_a_strip_at_the_edge() -> None:
    """A strip read as the card that was told took the answer, and the card itself was told again as its look-alike."""
    pile = Pile()
    strip = TrackedCard(
        8, None, (("plum-chaff-1", 0.18), ("plum-ribbon", 0.15)), DISCARD, (0, 0), 0, 0.4, 24.5
    )
    card = TrackedCard(9, "plum-chaff-1", (("plum-chaff-1", 0.99),), DISCARD, (5, 0), 0, 0.99, 26.0)
    pile.read(Observation("a", 27.0, (strip, card)), ())
    assert [each.key for each in pile.arrivals] == [8, 9]
    pile.read(Observation("b", 27.5, (strip, card)), ("plum-chaff-1",))
    assert pile.cards[9] == "plum-chaff-1"
    assert not pile.arrivals


def rescanned(made: Session) -> list[Event]:
    """Have the table taken as it lies."""
    told = made.referee.rescan(made.top.look(), made.table)
    return list(made.table.append(told, actor="Aiko", source="phone", time="2026-01-01T00:00:00Z"))


def test_a_rescan_asks_who_laid_what_lies_on_top_and_goes_on_from_there() -> None:
    made = dealt(players=7)
    lay(made, 1, "cherry-curtain")
    lay(made, 1, "wisteria-cuckoo")
    made.top.lying.append(
        {**made.top.lying[-1], "key": 90, "card": "iris-bridge", "read": None}
    )  # nobody saw it
    made.top.lay(4, ("clover-boar",))
    made.looks(4)
    assert made.table.open_problems or made.table.open_questions
    (asked,) = [event for event in rescanned(made) if event.kind == "asked"]
    says = [choice["says"]["en"] for choice in asked.data["choices"]]
    assert says[0] == "player 4 discarded Boar"
    assert len(says) == 7
    made.tell(NewEvent("answered", {"of": asked.seq, "choice": 0}))
    made.looks(3)
    assert moves(made)[-1] == "4 discard clover-boar"
    lay(made, 6, "susuki-moon")
    assert moves(made)[-2:] == ["5 pass", "6 discard susuki-moon"]


def test_a_rescan_of_a_table_in_step_asks_whose_turn_it_is() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    lay(made, 1, "wisteria-cuckoo")
    (asked,) = rescanned(made)
    assert [choice["says"]["en"] for choice in asked.data["choices"]] == [
        f"player {seat}'s" for seat in (1, 2, 3, 4)
    ]
    made.tell(NewEvent("answered", {"of": asked.seq, "choice": 2}))
    assert isinstance(made.table.round, KakkuriRound)
    assert made.table.round.state.turn == 3
    lay(made, 3, "iris-bridge")
    assert moves(made)[-3:] == ["1 pass", "2 pass", "3 discard iris-bridge"]


def test_a_rescan_takes_back_what_is_gone() -> None:
    made = dealt()
    lay(made, 1, "cherry-curtain")
    lay(made, 1, "wisteria-cuckoo")
    made.top.take_back()
    told = rescanned(made)
    assert [event.kind for event in told] == ["undone"]
    assert moves(made) == ["1 box cherry-curtain"]


def test_a_rescan_before_a_round_tells_nothing() -> None:
    made = Session(round_of(1, 4), quiet(), dealer_told=False)
    assert made.referee.rescan(Observation("frame", 1.0, ()), made.table) == []
