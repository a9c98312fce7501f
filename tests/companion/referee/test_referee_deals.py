"""The deal, the dealer, and the end of a round."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from referee_session import FIELD, Session, turn

from companion.hanafuda.messages import Message
from companion.observations import Observation
from companion.table.events import NewEvent
from companion.watch.interface import NoRefereeError, referee_for
from tests.message_text import english, raises_text

FIRST = turn(1, ("pine-crane", "pine-chaff-1"), ("plum-warbler", "plum-ribbon"))


def reading(observation: Observation, name: str, likely: tuple[tuple[str, float], ...]) -> Observation:
    """Return an observation in which one card is misread."""
    cards = tuple(
        replace(card, likely=likely, card=None) if card.likely[0][0] == name else card
        for card in observation.cards
    )
    return replace(observation, cards=cards)


def kinds(session: Session) -> list[str]:
    return [event.kind for event in session.reported]


def test_eight_cards_on_the_field_are_a_deal() -> None:
    session = Session(dealer=None).deal()
    assert kinds(session) == ["dealt"]
    data = session.reported[0].data
    assert set(data["deal"]["field"]) == set(FIELD)
    assert data["dealer"] is None
    session.observations(5)
    assert kinds(session) == ["dealt"]


def test_a_deal_under_way_waits() -> None:
    session = Session()
    session.top.deal(list(FIELD[:4]))
    assert session.observations(2) == []
    session.top.deal(list(FIELD[4:]))
    session.observations(1)
    assert kinds(session) == ["dealt"]


def test_seven_cards_that_stay_seven_are_a_problem() -> None:
    session = Session()
    session.top.deal(list(FIELD[:7]))
    session.observations(4)
    assert session.problems == ["deal-count"]
    session.top.deal(["maple-deer"])
    session.observations(1)
    assert session.open_problems == []
    assert session.table.round is not None


def test_an_unsure_card_of_the_deal_is_asked_for_once() -> None:
    session = Session()
    session.top.deal(list(FIELD))
    doubt = (("plum-ribbon", 0.55), ("cherry-chaff-1", 0.4))
    for _ in range(5):
        session.see(reading(session.top.observation(), "plum-ribbon", doubt))
    assert kinds(session) == ["asked"]
    choices = session.reported[0].data["choices"]
    assert [("Plum Poetry Ribbon" in english(each["says"])) for each in choices[:2]] == [True, False]
    assert choices[0]["p"] > choices[1]["p"]
    session.submit(NewEvent("answered", {"of": session.reported[0].seq, "choice": 0}))
    assert session.table.round is not None
    assert set(session.table.round.field) == set(FIELD)  # type: ignore[attr-defined]  # a fishing round


def test_a_card_that_was_misread_in_the_deal_is_corrected() -> None:
    session = Session()
    session.top.deal(list(FIELD))
    session.see(
        reading(session.top.observation(), "plum-ribbon", (("maple-deer", 0.95), ("plum-ribbon", 0.03)))
    )
    session.observations(5)
    assert "corrected" in kinds(session)
    assert set(session.table.round.field) == set(FIELD)  # type: ignore[union-attr]  # dealt
    assert session.problems == []


def test_a_person_s_correction_is_kept() -> None:
    session = Session()
    session.top.deal(list(FIELD))
    misread = (("maple-deer", 0.97), ("plum-ribbon", 0.02))
    session.see(reading(session.top.observation(), "plum-ribbon", misread))
    dealt = next(event for event in session.table.events if event.kind == "dealt")
    data = {**dealt.data, "deal": {"field": list(FIELD)}}
    session.submit(NewEvent("corrected", {"of": dealt.seq, "kind": "dealt", "data": data}))
    for _ in range(8):
        session.see(reading(session.top.observation(), "plum-ribbon", misread))
    assert set(session.table.round.field) == set(FIELD)  # type: ignore[union-attr]  # dealt


@pytest.mark.parametrize("dealer", [1, 2])
def test_the_first_capture_shows_who_dealt(dealer: int) -> None:
    session = Session(dealer=None).deal()
    first = turn(dealer, ("pine-crane", "pine-chaff-1"), ("plum-warbler", "plum-ribbon"))
    session.turn(*first)
    assert session.table.round is not None
    assert session.table.round.dealer == dealer
    assert session.moves == [str(move) for move in first]


def test_the_dealer_may_become_known_later() -> None:
    session = Session(dealer=None).deal()
    first, second = (
        turn(2, ("maple-deer",), ("willow-ribbon",)),
        turn(1, ("pine-crane", "pine-chaff-1"), ("maple-ribbon", "maple-deer")),
    )
    session.turn(*first)
    session.turn(*second)
    session.observations(2)
    assert session.moves == [str(move) for move in (*first, *second)]


BRIGHT_FIELD = (
    "pine-chaff-1",
    "cherry-ribbon",
    "susuki-geese",
    "maple-deer",
    "iris-ribbon",
    "peony-ribbon",
    "clover-boar",
    "plum-ribbon",
)
THREE_BRIGHTS = [
    turn(1, ("pine-crane", "pine-chaff-1"), ("willow-ribbon",)),
    turn(2, ("wisteria-cuckoo",), ("paulownia-yellow",)),
    turn(1, ("cherry-curtain", "cherry-ribbon"), ("susuki-moon", "susuki-geese")),
]
NEXT_FIELD = (
    "pine-ribbon",
    "plum-chaff-1",
    "cherry-chaff-1",
    "wisteria-ribbon",
    "iris-chaff-1",
    "peony-chaff-1",
    "clover-ribbon",
    "maple-ribbon",
)


def decided() -> Session:
    session = Session().deal(BRIGHT_FIELD)
    for moves in THREE_BRIGHTS:
        session.turn(*moves)
    pending = session.table.round.pending_decision()  # type: ignore[union-attr]  # dealt
    assert pending is not None
    assert pending.code == "decision-missing"
    return session


def test_koikoi_is_understood_from_the_next_play() -> None:
    session = decided()
    session.turn(*turn(2, ("maple-ribbon", "maple-deer"), ("peony-chaff-1", "peony-ribbon")))
    assert session.moves[6] == "1 call koikoi"
    calls = [
        event for event in session.reported if event.kind == "moved" and event.data["words"][0] == "call"
    ]
    assert calls[0].group == session.reported[-1].group
    assert session.problems == []


def test_stop_is_understood_from_a_new_deal() -> None:
    session = decided()
    session.top.cards.clear()
    assert session.observations(2) == []
    session.top.deal(list(NEXT_FIELD))
    events = session.observations(2)
    assert [(event.kind, event.data.get("words")) for event in events[:2]] == [
        ("moved", ["call", "stop"]), ("dealt", None)]  # fmt: skip
    assert events[1].data["dealer"] == 1
    assert session.table.game.points[0] > 0
    assert session.table.round_number == 2


def test_a_new_deal_of_an_unfinished_round_is_asked_about_though_a_card_was_played_at_once() -> None:
    """The last turn was missed, as when another server took the table over; the question stays until it is answered."""
    session = Session().deal(BRIGHT_FIELD)
    session.turn(*THREE_BRIGHTS[0])
    session.top.cards.clear()
    session.observations(2)
    session.top.deal(list(NEXT_FIELD))
    session.observations(1)
    session.play(1, "maple-chaff-1", "maple-ribbon")
    session.observations(4)
    (question,) = session.table.open_questions
    assert question.data["text"] == {"code": "question-new-deal"}
    session.observations(6)
    assert session.table.open_questions == [question]
    assert session.table.open_problems == []
    session.submit(NewEvent("answered", {"of": question.seq, "choice": 0}))
    assert session.table.round_number == 2


def test_stop_is_understood_from_the_end_of_the_watching() -> None:
    session = decided()
    session.close()
    outcome = session.table.round.outcome()  # type: ignore[union-attr]  # dealt
    assert outcome is not None
    assert outcome.winners == (1,)
    assert session.close() == []


def test_a_misdeal_is_dealt_again_and_not_twice() -> None:
    four = ("pine-crane", "pine-ribbon", "pine-chaff-1", "pine-chaff-2", *FIELD[4:])
    session = Session(dealer=None).deal(four)
    session.observations(3)
    assert kinds(session) == ["dealt"]
    session.top.cards.clear()
    session.top.deal(list(FIELD))
    session.observations(3)
    assert kinds(session) == ["dealt", "dealt"]
    assert session.problems == []


def test_a_round_given_up_is_asked_about() -> None:
    session = Session().deal()
    session.turn(*FIRST)
    session.top.cards.clear()
    session.top.deal(list(NEXT_FIELD))
    session.observations(4)
    assert kinds(session)[-1] == "asked"
    session.submit(NewEvent("answered", {"of": session.reported[-1].seq, "choice": 0}))
    assert session.table.round_number == 2
    assert set(session.table.round.field) == set(NEXT_FIELD)  # type: ignore[union-attr]  # dealt


def test_after_a_reported_result_the_old_cards_are_ignored_until_the_next_deal() -> None:
    session = Session().deal()
    session.turn(*FIRST)
    session.submit(NewEvent("scored", {"winners": [1], "seats": [{"points": 5}, {}]}))
    session.observations(6)
    assert session.problems == []
    session.top.cards.clear()
    session.observations(1)
    session.top.deal(list(NEXT_FIELD))
    session.observations(4)
    assert session.problems == []
    assert session.table.round_number == 2
    assert session.table.game.points == (5, 0)
    assert set(session.table.round.field) == set(NEXT_FIELD)  # type: ignore[union-attr]  # dealt


def test_there_is_no_referee_for_every_game() -> None:
    poker = SimpleNamespace(game="poker", title=Message("game-poker"))
    with raises_text(
        NoRefereeError, match=r"the camera cannot watch game-poker \(it can watch Koi-Koi, Kekoro, "
    ):
        referee_for(poker, 2)  # type: ignore[arg-type]  # on purpose


def test_a_game_that_began_unobserved_is_reported() -> None:
    """There are captured cards and the deal is unknown: this is reported before the round is over."""
    session = Session()
    session.top.deal(list(FIELD))
    session.play(1, "pine-crane", "pine-chaff-1")
    session.play(1, "maple-deer")
    session.observations(6)
    assert session.problems == ["deal-missed"]


def test_a_foreign_object_on_the_field_is_not_a_ninth_card() -> None:
    session = Session()
    session.top.deal([*FIELD, "maple-deer"])
    observation = reading(session.top.observation(), "maple-deer", (("back", 0.3), ("maple-deer", 0.2)))
    session.see(observation)
    assert set(session.table.round.field) == set(FIELD)  # type: ignore[union-attr]  # dealt
