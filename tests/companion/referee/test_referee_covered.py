"""Cards that no observation shows: covered in a pile when captured, detected only in motion, or inferred from later
cards."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from referee_session import FIELD as FIELD_OF_EIGHT
from referee_session import Session

from companion.observations import FIELD, POSTED, HandEvent, Observation, TransientDetection, WeakDetection
from companion.table.events import NewEvent
from tests.companion.watch.fishing_sim import QUIET
from tests.message_text import english

PLUMS = {"plum-warbler", "plum-chaff-1"}
"""Cards that may have captured the plum ribbon of the deal, look-alikes once."""


def covered(session: Session, *cards: str) -> None:
    """Cover cards with others, so that no observation shows them."""
    for card in cards:
        session.top.cards[card].covered = 1.0


def first_turn(session: Session) -> Session:
    """Player 1 captures the plum ribbon with the warbler, which nobody sees; the moon is not on the field, so sake
    stays there."""
    session.play(1, "plum-warbler", "plum-ribbon")
    covered(session, "plum-warbler")
    session.play(1, "chrysanthemum-sake")
    return session


def output(session: Session) -> list[str]:
    """Return the answers to the one open question, in order."""
    (asked,) = session.table.open_questions
    return [english(each["says"]) for each in asked.data["choices"]]


def test_a_covered_card_is_a_question() -> None:
    session = first_turn(Session().deal())
    session.observations(4)
    assert session.problems == []
    assert session.moves == []
    assert len({each for each in output(session) if "nothing" not in each}) >= len(PLUMS)


def test_a_requested_picture_asks_immediately() -> None:
    session = first_turn(Session().deal())
    session.see(replace(session.top.observation(), notes=(POSTED,)))
    assert len(output(session)) >= len(PLUMS)


@pytest.mark.parametrize("answered", [0, 1, 2])
def test_a_guess_is_corrected_when_the_card_is_revealed(answered: int) -> None:
    """Whatever was assumed, the sorted pile resolves it without a question."""
    session = first_turn(Session().deal())
    session.observations(4)
    (asked,) = session.table.open_questions
    session.submit(NewEvent("answered", {"of": asked.seq, "choice": answered}), source="program")
    session.observations(2)
    session.top.cards["plum-warbler"].covered = 0.0
    session.observations(4)
    assert {move for move in session.moves if "plum-ribbon" in move} == {
        next(move for move in session.moves if "plum-warbler" in move and "plum-ribbon" in move)
    }
    assert session.problems == []
    assert not session.table.open_questions


def test_a_guess_is_put_right_when_the_card_that_was_guessed_is_played() -> None:
    session = first_turn(Session().deal())
    session.observations(4)
    (asked,) = session.table.open_questions
    chaff = next(
        number
        for number, choice in enumerate(asked.data["choices"])
        if any("plum-chaff-1" in event["data"].get("words", ()) for event in choice["events"])
    )
    session.submit(NewEvent("answered", {"of": asked.seq, "choice": chaff}), source="program")
    session.observations(2)
    # Both plain plums end up in the other pile.
    session.play(2, "plum-chaff-1")
    session.play(2, "plum-chaff-2", "plum-chaff-1")
    session.observations(4)
    assert any("plum-warbler" in move and "plum-ribbon" in move for move in session.moves)


def test_an_answered_question_is_not_asked_again() -> None:
    session = first_turn(Session().deal())
    session.observations(4)
    (asked,) = session.table.open_questions
    session.submit(NewEvent("answered", {"of": asked.seq, "choice": 1}))
    reported = session.moves
    session.top.cards["plum-warbler"].covered = 0.0
    session.observations(5)
    assert session.moves == reported


def looked(session: Session, **changes: object) -> None:
    """Observe the table with its transient detections, and then twice without."""
    observation = session.top.observation()
    times = {"time": observation.time - 0.5}
    applied = {
        name: tuple(replace(each, **(times if hasattr(each, "time") else {})) for each in value)  # type: ignore[attr-defined]  # tuples
        for name, value in changes.items()
    }
    session.see(replace(observation, **applied))  # type: ignore[arg-type]  # fields of a look
    session.observations(2)


def test_a_weak_detection_distinguishes_covered_cards() -> None:
    session = first_turn(Session().deal())
    looked(session, weak_detections=(WeakDetection("plum-warbler", 0.97, (10.0, 10.0)),))
    session.observations(2)
    assert not session.moves or "plum-warbler" in session.moves[0]
    if session.table.open_questions:
        assert "Warbler" in output(session)[0] or "plum-warbler" in output(session)[0]


@pytest.mark.parametrize("plum", ["plum-warbler", "plum-chaff-1"])
def test_a_strip_detected_once_with_low_confidence_is_a_weak_detection(plum: str) -> None:
    """Observations without it do not undo what one of them showed."""
    (other,) = PLUMS - {plum}
    session = Session(mess=replace(QUIET, lasting=1.0)).deal()
    session.play(1, plum, "plum-ribbon")
    session.play(1, "chrysanthemum-sake")
    session.top.cards[plum].covered = 0.75
    session.top.cards[plum].read = ((plum, 0.4), (other, 0.1))
    session.observations(1)
    covered(session, plum)
    session.observations(3)
    (asked,) = session.table.open_questions
    first = asked.data["choices"][0]
    assert {"plum-warbler": "Bush Warbler", "plum-chaff-1": "Plum Chaff"}[plum] in english(first["says"])
    assert first["p"] > 0.5


def test_a_weak_detection_alone_is_not_a_move() -> None:
    session = Session().deal()
    looked(session, weak_detections=(WeakDetection("plum-warbler", 0.99, (10.0, 10.0)),))
    assert session.moves == []
    assert not session.table.open_questions


def test_a_transiently_detected_card_is_known_while_covered() -> None:
    session = first_turn(Session().deal())
    looked(session, transient_detections=(TransientDetection("plum-warbler", 0.0, (10.0, 10.0), FIELD),))
    assert sorted(session.moves) == [
        "1 draw chrysanthemum-sake",
        "1 play plum-warbler plum-ribbon",
    ] or sorted(session.moves) == ["1 draw plum-warbler plum-ribbon", "1 play chrysanthemum-sake"]


def test_a_card_played_to_a_vacated_position_covers_nothing() -> None:
    """It is still unknown what captured the plum; both cards of the next turn are laid into the gaps that the turn
    left."""
    session = Session().deal()
    session.play(1, "plum-warbler", "plum-ribbon")
    session.play(1, "pine-crane", "pine-chaff-1")
    covered(session, "plum-warbler")
    session.observations(2)
    session.play(2, "maple-deer")
    session.play(2, "paulownia-phoenix")
    session.observations(3)
    assert session.problems == []
    (asked,) = session.table.open_questions
    laid = [each["p"] for each in asked.data["choices"] if "plays Deer," in english(each["says"])]
    assert sum(laid) > 0.998


def test_a_transient_detection_is_the_second_look_alike_while_the_first_stays() -> None:
    """The pine chaff of the deal is in its position, so the transient detection elsewhere is the other one."""
    session = Session().deal(["pine-crane", *FIELD_OF_EIGHT[:7]])
    session.play(1, "pine-chaff-2", "pine-crane")
    covered(session, "pine-chaff-2")
    session.play(1, "maple-deer")
    key = session.top.cards["pine-chaff-1"].key
    observation = session.top.observation()
    transient = TransientDetection("pine-chaff-1", observation.time - 1.0, (400.0, 10.0), FIELD)
    session.see(
        replace(observation, transient_detections=(transient,), untouched=((key, observation.time - 0.5),))
    )
    session.observations(3)
    assert any("pine-chaff-2" in move and "pine-crane" in move for move in session.moves)


def test_an_uncertain_deal_becomes_a_question_when_play_continues() -> None:
    """There are only two observations of a deal with one uncertain card, and then the first card is played: it must
    be reported."""
    session = Session(dealer=None)
    session.top.deal(list(FIELD_OF_EIGHT))
    for _ in range(2):
        observation = session.top.observation()
        doubt = (("iris-ribbon", 0.55), ("cherry-chaff-1", 0.4))
        cards = [
            replace(card, likely=doubt, card=None) if card.likely[0][0] == "iris-ribbon" else card
            for card in observation.cards
        ]
        session.see(replace(observation, cards=tuple(cards)))
    assert session.reported == []
    session.play(1, "maple-deer")
    session.observations(1)
    (asked,) = session.table.open_questions
    assert [event.kind for event in session.reported] == ["asked"]
    fields = [
        set(event["data"]["deal"]["field"]) for each in asked.data["choices"] for event in each["events"]
    ]
    assert "iris-ribbon" in fields[0]
    assert "maple-deer" not in fields[0]


def test_weak_detections_are_part_of_an_observation() -> None:
    observation = Observation("f", 1.0, (), weak_detections=(WeakDetection("pine-crane", 0.75, (1.0, 2.0)),))
    assert Observation.from_json(json.loads(json.dumps(observation.to_json()))) == observation


def test_a_call_that_a_wrong_guess_asked_for_is_struck_out() -> None:
    """The curtain and the sake cup would have been a yaku, and continuing a koi-koi: the curtain was somewhere else."""
    session = Session().deal(["chrysanthemum-chaff-1", *FIELD_OF_EIGHT[:7]])
    session.play(1, "chrysanthemum-sake", "chrysanthemum-chaff-1")
    session.play(1, "cherry-chaff-1", "cherry-ribbon")
    covered(session, "cherry-chaff-1")
    session.observations(4)
    (asked,) = session.table.open_questions
    curtain = next(
        number
        for number, choice in enumerate(asked.data["choices"])
        if any("cherry-curtain" in event["data"].get("words", ()) for event in choice["events"])
    )
    session.submit(NewEvent("answered", {"of": asked.seq, "choice": curtain}), source="program")
    session.play(2, "plum-warbler", "plum-ribbon")
    session.play(2, "maple-deer")
    session.observations(3)
    assert any("koikoi" in move for move in session.moves)
    session.top.cards["cherry-chaff-1"].covered = 0.0
    session.observations(4)
    assert not any("koikoi" in move or "curtain" in move for move in session.moves)
    assert len(session.moves) == 4
    assert session.problems == []


def test_the_later_of_two_look_alikes_belongs_to_the_later_turn() -> None:
    """It is still unknown what captured the plum, and the second paulownia came after the deer."""
    session = Session(mess=replace(QUIET, lasting=1.0)).deal([*FIELD_OF_EIGHT[1:], "paulownia-yellow"])
    session.play(1, "plum-warbler", "plum-ribbon")
    covered(session, "plum-warbler")
    session.play(1, "paulownia-chaff-1", "paulownia-yellow")
    session.observations(1)
    session.play(2, "maple-deer")
    session.play(2, "paulownia-chaff-2")
    for card, probability in (("paulownia-chaff-1", 0.98), ("paulownia-chaff-2", 0.999)):
        session.top.cards[card].read = (("paulownia-chaff-1", probability),)
    observation = session.top.observation()
    deer = TransientDetection("maple-deer", observation.time - 1.5, session.top.cards["maple-deer"].at, FIELD)
    session.see(replace(observation, transient_detections=(deer,)))
    session.observations(2)
    assert "plays Deer, draws Paulownia Chaff" in output(session)[0]


def test_a_card_of_a_pile_that_is_lost_and_found_is_the_same_however_it_is_read() -> None:
    """The curtain gets a new key and is recognized as the ribbon, at first with low confidence: nobody has laid that
    there."""
    session = Session(mess=replace(QUIET, lasting=1.0)).deal(
        ["cherry-curtain", *FIELD_OF_EIGHT[:2], *FIELD_OF_EIGHT[3:]]
    )
    session.play(1, "cherry-chaff-1", "cherry-curtain")
    session.play(1, "maple-chaff-1")
    looked(session, hand_events=(HandEvent(0.0, (1000.0, 1000.0), 1),))
    reported = list(session.moves)
    curtain = session.top.cards["cherry-curtain"]
    curtain.key, curtain.since, curtain.read = 999, None, (("cherry-ribbon", 0.77),)
    session.observations(1)
    curtain.read = (("cherry-ribbon", 0.99),)
    session.play(2, "plum-chaff-1", "plum-ribbon")
    covered(session, "plum-chaff-1")
    session.play(2, "willow-ribbon")
    looked(
        session,
        hand_events=(HandEvent(0.0, (1000.0, 1000.0), 2),),
        weak_detections=(WeakDetection("plum-chaff-1", 0.9, (10.0, 10.0)),),
    )
    assert session.moves[:2] == reported
    assert session.problems == []
    assert not any(event.kind == "corrected" for event in session.reported)


def test_a_strip_that_inherits_a_track_key_is_not_that_card() -> None:
    """A strip in the pile has the key of the plum ribbon, which is there under another one; later it is misread as a
    cherry."""
    session = Session(mess=replace(QUIET, lasting=1.0)).deal()
    session.play(1, "plum-warbler", "plum-ribbon")
    session.play(1, "maple-deer")
    session.observations(2)
    ribbon = session.top.cards["plum-ribbon"]
    session.top.put("cherry-chaff-2", ribbon.zone, (ribbon.at[0] - 60.0, ribbon.at[1]))
    strip = session.top.cards["cherry-chaff-2"]
    strip.key, strip.read, ribbon.key = ribbon.key, (("cherry-chaff-1", 0.4),), 998
    session.play(2, "willow-ribbon")
    session.play(2, "paulownia-chaff-1")
    session.observations(2)
    session.play(1, "chrysanthemum-sake")
    session.play(1, "maple-chaff-1", "maple-deer")
    session.observations(2)
    strip.read, strip.covered = (("cherry-chaff-1", 0.97),), 0.0
    session.play(2, "peony-butterflies", "peony-ribbon")
    covered(session, "peony-butterflies")
    session.play(2, "maple-ribbon")
    session.observations(4)
    assert session.problems == []
    assert "Maple Blue Ribbon" in output(session)[0]
    assert not any("Cherry" in answer for answer in output(session))
