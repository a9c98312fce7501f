"""Cards keep their names and keys from look to look: by place, by face, under others, beside their look-alikes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.networks.class_ids import BACK, CLASS_OF, HANAFUDA_CLASSES, UNKNOWN
from vision.tracking.card_tracks import CardDetection, CardTrack, CardTracker, PositionState

COPIES = [len(cards) for cards in HANAFUDA_CLASSES]


def see(card: str, x: float, y: float = 0.0, *, visible: float = 1.0, sure: float = 0.95) -> CardDetection:
    """Return a card seen at a place, mm; the picture has 2 px a mm."""
    posterior = np.full(UNKNOWN + 1, (1 - sure) / UNKNOWN)
    posterior[BACK if card == "back" else UNKNOWN if card == "stranger" else CLASS_OF[card]] = sure
    quad = np.array([(x - 16.5, y - 27), (x + 16.5, y - 27), (x + 16.5, y + 27), (x - 16.5, y + 27)])
    return CardDetection(quad, (quad * 2).astype(np.float32), visible, posterior)


class Table:
    """Looks at cards, half a second apart, of which all places can be seen unless told otherwise."""

    def __init__(self) -> None:
        self.tracks, self.time = CardTracker(), 0.0

    def look(
        self, *cards: CardDetection, place: PositionState = "seen", moved: bool = False
    ) -> list[CardTrack]:
        self.time += 0.5
        self.tracks.update(self.time, list(cards), lambda track: place, COPIES, moved=moved)
        return self.tracks.all

    def key(self, card: str) -> int:
        """Return the key of the only card of that name."""
        (key,) = self.keys(card)
        return key

    def keys(self, card: str) -> list[int]:
        return [track.key for track in self.tracks.all if track.class_id == CLASS_OF[card]]


def test_a_card_that_lies_still_keeps_key_and_time():
    table = Table()
    table.look(see("pine-crane", 0), see("iris-bridge", 50))
    before = [(track.key, track.since) for track in table.tracks.all]
    table.look(see("iris-bridge", 51), see("pine-crane", 1))
    assert [(track.key, track.since) for track in table.tracks.all] == before


def test_a_card_that_was_captured_is_known_again_where_it_lies_now():
    table = Table()
    table.look(see("pine-crane", 0), see("iris-bridge", 50))
    key = table.key("pine-crane")
    table.look(see("pine-crane", 0, 150), see("iris-bridge", 50))
    assert table.key("pine-crane") == key
    (crane,) = (track for track in table.tracks.all if track.key == key)
    assert (crane.since, crane.detection.at.tolist()) == (1.0, [0, 150])


def test_a_card_that_was_pushed_aside_has_been_there_since_before():
    table = Table()
    table.look(see("pine-crane", 0))
    table.look(see("pine-crane", 14))
    assert [(track.key, track.since) for track in table.tracks.all] == [(1, 0.5)]


def test_a_card_whose_place_is_bare_is_gone():
    table = Table()
    table.look(see("pine-crane", 0), see("iris-bridge", 50))
    table.look(see("iris-bridge", 50))
    assert table.keys("pine-crane") == []


@pytest.mark.parametrize("place", ["hidden", "unchanged"])
def test_a_card_that_cannot_have_gone_unseen_is_remembered(place: PositionState):
    table = Table()
    table.look(see("pine-crane", 0), see("iris-bridge", 50))
    key = table.key("pine-crane")
    for _ in range(10):
        table.look(see("iris-bridge", 50), place=place)
    assert table.key("pine-crane") == key


def test_a_card_keeps_its_name_under_others_and_is_told_as_unseen():
    table = Table()
    table.look(see("pine-crane", 0))
    key = table.key("pine-crane")
    for number in range(10):
        table.look(see("pine-ribbon", 3, 12), see("plum-warbler", 100 + number * 8))
        (crane,) = (track for track in table.tracks.all if track.key == key)
        assert (crane.visible, crane.class_id) == (0.0, CLASS_OF["pine-crane"])
    (ribbon,) = (track for track in table.tracks.all if track.class_id == CLASS_OF["pine-ribbon"])
    assert ribbon.on == (key,)
    table.look(see("pine-crane", 0, 150), see("pine-ribbon", 8, 150, visible=0.9))
    assert table.key("pine-crane") == key


def test_a_card_that_was_taken_from_on_top_is_not_taken_for_covered():
    """A card of the stock was peeked at on the stock, and went back; it was remembered under the pile it had lain on."""
    table = Table()
    table.look(see("back", 0), see("pine-crane", 100))
    table.look(see("back", 0, visible=0.5), see("plum-warbler", 12), see("pine-crane", 100))
    assert len(table.keys("plum-warbler")) == 1
    table.look(see("back", 0), see("pine-crane", 100))
    assert table.keys("plum-warbler") == []


def test_a_look_alike_elsewhere_is_another_card_while_the_first_may_lie_where_it_lay():
    """A chaff that lay in a captured row was missed for a look, and its twin, just played, was taken for it."""
    table = Table()
    table.look(see("pine-chaff-1", 0, 150), see("pine-ribbon", 200))
    (first,) = table.keys("pine-chaff-1")
    table.look(see("pine-chaff-2", 100), place="unchanged")
    assert table.keys("pine-chaff-1") == [first, first + 2]


def test_a_covered_card_comes_out_where_the_deck_has_no_other_like_it():
    table = Table()
    table.look(see("pine-crane", 0), see("pine-chaff-1", 100))
    crane, chaff = table.key("pine-crane"), table.key("pine-chaff-1")
    table.look(see("plum-warbler", 2), see("plum-ribbon", 102))
    table.look(
        see("plum-warbler", 2),
        see("plum-ribbon", 102),
        see("pine-crane", 0, 150),
        see("pine-chaff-1", 50, 150),
    )
    assert table.key("pine-crane") == crane, "there is one crane"
    assert table.keys("pine-chaff-1") == [chaff, 5], "of plain pines there are two"


def test_of_two_tracks_of_one_card_the_one_in_sight_takes_the_key_in_whatever_order_they_came():
    """Told apart by their arrays instead of by themselves they stopped the watching."""
    for order in (1, -1):
        table = Table()
        table.look(see("pine-crane", 0))
        remembered = CardTrack(
            7, see("pine-crane", 5), 0.0, see("pine-crane", 5).log_likelihood, max_visible=1.0, visible=0.0
        )
        table.tracks.all = [remembered, *table.tracks.all][::order]
        table.look(see("pine-crane", 0), place="unchanged")
        assert table.keys("pine-crane") == [7]


def test_a_strip_of_a_card_does_not_overrule_what_was_seen_of_it_whole():
    table = Table()
    table.look(see("pine-crane", 0))
    table.look(see("cherry-chaff-1", 2, 1, visible=0.06, sure=0.8), see("plum-warbler", 4, 3))
    assert table.key("pine-crane") == 1
    assert table.keys("cherry-chaff-1") == []


def test_the_look_that_shows_most_weighs_most():
    table = Table()
    table.look(see("iris-ribbon", 0, visible=0.4, sure=0.7))
    table.look(see("iris-chaff-1", 0, visible=1.0, sure=0.9))
    assert [track.class_id for track in table.tracks.all if track.detection.visible == 1.0] == [
        CLASS_OF["iris-chaff-1"]
    ]


def test_many_looks_at_a_card_that_lies_still_count_as_few():
    """Frames of one stillness are one picture with other noise: a reading does not become true by being repeated."""
    table = Table()
    for number in range(50):
        table.look(see("iris-ribbon", 0, sure=0.6 + 0.001 * number))
    (track,) = table.tracks.all
    assert 0.9 < track.posterior.max() < 0.999999999


def test_a_reading_that_is_only_remembered_counts_once():
    table = Table()
    for number in range(5):
        table.look(see("iris-ribbon", 0, sure=0.6), see("pine-crane", 60 + 45 * number))
    (track,) = (track for track in table.tracks.all if track.class_id == CLASS_OF["iris-ribbon"])
    assert track.posterior.max() == pytest.approx(0.6, abs=1e-3)


@pytest.mark.parametrize(
    ("first", "second", "name"), [(0.6, 0.99, "cherry-curtain"), (0.99, 0.6, "cherry-chaff-1")]
)
def test_of_two_readings_of_one_card_the_surer_names_it(first: float, second: float, name: str):
    """A curtain was read as a chaff once, its place was never read again, and two cards were told of there after it was."""
    table = Table()
    table.look(see("cherry-chaff-1", 0, sure=first))
    table.look(see("cherry-curtain", 12, sure=second), place="unchanged")
    assert [(track.key, track.class_id, track.since) for track in table.tracks.all] == [
        (1, CLASS_OF[name], 0.5)
    ]


def test_what_is_no_card_is_not_remembered():
    table = Table()
    table.look(see("stranger", 0), see("pine-crane", 100))
    table.look(see("pine-crane", 100), place="hidden")
    assert [track.class_id for track in table.tracks.all] == [CLASS_OF["pine-crane"]]


def test_after_a_knock_places_tell_nothing_and_faces_all():
    table = Table()
    cards = ["pine-crane", "plum-warbler", "cherry-curtain", "peony-ribbon"]
    table.look(*(see(card, 45 * number) for number, card in enumerate(cards)))
    keys = [table.key(card) for card in cards]
    table.look(*(see(card, 45 * (number + 1), 6) for number, card in enumerate(cards)), moved=True)
    assert [table.key(card) for card in cards] == keys


@given(st.lists(st.permutations(range(8)), min_size=1, max_size=6))
def test_eight_cards_that_change_places_again_and_again_keep_their_keys(orders: list[list[int]]):
    cards = [cards[0] for cards in HANAFUDA_CLASSES if len(cards) == 1][:8]
    table = Table()
    table.look(*(see(card, 45 * number) for number, card in enumerate(cards)))
    keys = [table.key(card) for card in cards]
    for order in orders:
        table.look(*(see(cards[card], 45 * place) for place, card in enumerate(order)))
        assert [table.key(card) for card in cards] == keys
