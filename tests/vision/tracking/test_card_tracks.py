"""Cards keep their names and keys between observations: by place, by face, covered by others, beside their look-alikes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.networks.class_ids import BACK, CLASS_OF, HANAFUDA_CLASSES, UNKNOWN
from vision.tracking.card_tracks import CardDetection, CardTrack, CardTracker, PositionState

COPIES = [len(cards) for cards in HANAFUDA_CLASSES]


def detected(
    card: str, x: float, y: float = 0.0, *, visible: float = 1.0, probability: float = 0.95
) -> CardDetection:
    """Return a card detected at a place, mm; the picture has 2 px per mm."""
    posterior = np.full(UNKNOWN + 1, (1 - probability) / UNKNOWN)
    posterior[BACK if card == "back" else UNKNOWN if card == "unknown" else CLASS_OF[card]] = probability
    quad = np.array([(x - 16.5, y - 27), (x + 16.5, y - 27), (x + 16.5, y + 27), (x - 16.5, y + 27)])
    return CardDetection(quad, (quad * 2).astype(np.float32), visible, posterior)


class Table:
    """Observations of cards at intervals of 0.5 s; all places are visible unless specified otherwise."""

    def __init__(self) -> None:
        self.tracks, self.time = CardTracker(), 0.0

    def observe(
        self, *cards: CardDetection, place: PositionState = "seen", moved: bool = False
    ) -> list[CardTrack]:
        self.time += 0.5
        self.tracks.update(self.time, list(cards), lambda track: place, COPIES, moved=moved)
        return self.tracks.all

    def key(self, card: str) -> int:
        """Return the key of the only card with this name."""
        (key,) = self.keys(card)
        return key

    def keys(self, card: str) -> list[int]:
        return [track.key for track in self.tracks.all if track.class_id == CLASS_OF[card]]


def test_an_unmoved_card_keeps_its_key_and_time():
    table = Table()
    table.observe(detected("pine-crane", 0), detected("iris-bridge", 50))
    before = [(track.key, track.since) for track in table.tracks.all]
    table.observe(detected("iris-bridge", 51), detected("pine-crane", 1))
    assert [(track.key, track.since) for track in table.tracks.all] == before


def test_a_captured_card_keeps_its_key_at_its_new_place():
    table = Table()
    table.observe(detected("pine-crane", 0), detected("iris-bridge", 50))
    key = table.key("pine-crane")
    table.observe(detected("pine-crane", 0, 150), detected("iris-bridge", 50))
    assert table.key("pine-crane") == key
    (crane,) = (track for track in table.tracks.all if track.key == key)
    assert (crane.since, crane.detection.at.tolist()) == (1.0, [0, 150])


def test_a_card_pushed_aside_keeps_its_time():
    table = Table()
    table.observe(detected("pine-crane", 0))
    table.observe(detected("pine-crane", 14))
    assert [(track.key, track.since) for track in table.tracks.all] == [(1, 0.5)]


def test_a_card_whose_place_is_empty_is_removed():
    table = Table()
    table.observe(detected("pine-crane", 0), detected("iris-bridge", 50))
    table.observe(detected("iris-bridge", 50))
    assert table.keys("pine-crane") == []


@pytest.mark.parametrize("place", ["hidden", "unchanged"])
def test_a_missed_card_is_remembered(place: PositionState):
    table = Table()
    table.observe(detected("pine-crane", 0), detected("iris-bridge", 50))
    key = table.key("pine-crane")
    for _ in range(10):
        table.observe(detected("iris-bridge", 50), place=place)
    assert table.key("pine-crane") == key


def test_a_covered_card_keeps_its_name_and_is_reported_as_not_visible():
    table = Table()
    table.observe(detected("pine-crane", 0))
    key = table.key("pine-crane")
    for number in range(10):
        table.observe(detected("pine-ribbon", 3, 12), detected("plum-warbler", 100 + number * 8))
        (crane,) = (track for track in table.tracks.all if track.key == key)
        assert (crane.visible, crane.class_id) == (0.0, CLASS_OF["pine-crane"])
    (ribbon,) = (track for track in table.tracks.all if track.class_id == CLASS_OF["pine-ribbon"])
    assert ribbon.on == (key,)
    table.observe(detected("pine-crane", 0, 150), detected("pine-ribbon", 8, 150, visible=0.9))
    assert table.key("pine-crane") == key


def test_a_card_removed_from_the_top_of_a_pile_is_not_remembered_as_covered():
    """A player looked at a card on the draw pile and put it back; it was remembered as covered by the pile it had been on."""
    table = Table()
    table.observe(detected("back", 0), detected("pine-crane", 100))
    table.observe(detected("back", 0, visible=0.5), detected("plum-warbler", 12), detected("pine-crane", 100))
    assert len(table.keys("plum-warbler")) == 1
    table.observe(detected("back", 0), detected("pine-crane", 100))
    assert table.keys("plum-warbler") == []


def test_a_look_alike_elsewhere_is_another_card_while_the_first_may_still_be_there():
    """A chaff card in a captured row was missed in one observation, and its twin, just played, was confused with it."""
    table = Table()
    table.observe(detected("pine-chaff-1", 0, 150), detected("pine-ribbon", 200))
    (first,) = table.keys("pine-chaff-1")
    table.observe(detected("pine-chaff-2", 100), place="unchanged")
    assert table.keys("pine-chaff-1") == [first, first + 2]


def test_a_covered_card_without_look_alikes_is_recognized_when_uncovered():
    table = Table()
    table.observe(detected("pine-crane", 0), detected("pine-chaff-1", 100))
    crane, chaff = table.key("pine-crane"), table.key("pine-chaff-1")
    table.observe(detected("plum-warbler", 2), detected("plum-ribbon", 102))
    table.observe(
        detected("plum-warbler", 2),
        detected("plum-ribbon", 102),
        detected("pine-crane", 0, 150),
        detected("pine-chaff-1", 50, 150),
    )
    assert table.key("pine-crane") == crane, "there is only one crane"
    assert table.keys("pine-chaff-1") == [chaff, 5], "there are two pine chaff cards"


def test_of_two_tracks_of_one_card_the_visible_one_keeps_the_key_in_either_order():
    """Incident: comparing tracks by their arrays instead of by identity stopped the program."""
    for order in (1, -1):
        table = Table()
        table.observe(detected("pine-crane", 0))
        remembered = CardTrack(
            7,
            detected("pine-crane", 5),
            0.0,
            detected("pine-crane", 5).log_likelihood,
            max_visible=1.0,
            visible=0.0,
        )
        table.tracks.all = [remembered, *table.tracks.all][::order]
        table.observe(detected("pine-crane", 0), place="unchanged")
        assert table.keys("pine-crane") == [7]


def test_a_remembered_card_is_merged_into_one_visible_card_only():
    table = Table()
    visible = [detected("pine-crane", x, probability=0.99) for x in (100, 200)]
    table.observe(detected("pine-crane", 0, probability=0.99), *visible)
    remembered = table.tracks.all[0].key
    table.observe(*visible, place="hidden")
    assert [track.detection.at[0] for track in table.tracks.all] == [100, 200]
    assert table.tracks.all[0].key == remembered


def test_a_reading_of_a_strip_does_not_override_a_reading_of_the_whole_card():
    table = Table()
    table.observe(detected("pine-crane", 0))
    table.observe(
        detected("cherry-chaff-1", 2, 1, visible=0.06, probability=0.8), detected("plum-warbler", 4, 3)
    )
    assert table.key("pine-crane") == 1
    assert table.keys("cherry-chaff-1") == []


def test_the_observation_with_the_largest_visible_part_has_the_largest_weight():
    table = Table()
    table.observe(detected("iris-ribbon", 0, visible=0.4, probability=0.7))
    table.observe(detected("iris-chaff-1", 0, visible=1.0, probability=0.9))
    assert [track.class_id for track in table.tracks.all if track.detection.visible == 1.0] == [
        CLASS_OF["iris-chaff-1"]
    ]


def test_repeated_observations_of_an_unmoved_card_count_less():
    """Frames of an unchanged table differ only in noise, so that repeated readings are no additional evidence."""
    table = Table()
    for number in range(50):
        table.observe(detected("iris-ribbon", 0, probability=0.6 + 0.001 * number))
    (track,) = table.tracks.all
    assert 0.9 < track.posterior.max() < 0.999999999


def test_a_cached_reading_counts_once():
    table = Table()
    for number in range(5):
        table.observe(detected("iris-ribbon", 0, probability=0.6), detected("pine-crane", 60 + 45 * number))
    (track,) = (track for track in table.tracks.all if track.class_id == CLASS_OF["iris-ribbon"])
    assert track.posterior.max() == pytest.approx(0.6, abs=1e-3)


@pytest.mark.parametrize(
    ("first", "second", "name"), [(0.6, 0.99, "cherry-curtain"), (0.99, 0.6, "cherry-chaff-1")]
)
def test_of_two_readings_of_one_card_the_more_probable_one_determines_the_name(
    first: float, second: float, name: str
):
    """Incident: the curtain card was recognized as chaff once, its place was not read again, and then two cards were reported there."""
    table = Table()
    table.observe(detected("cherry-chaff-1", 0, probability=first))
    table.observe(detected("cherry-curtain", 12, probability=second), place="unchanged")
    assert [(track.key, track.class_id, track.since) for track in table.tracks.all] == [
        (1, CLASS_OF[name], 0.5)
    ]


def test_an_unnamed_detection_is_not_remembered():
    table = Table()
    table.observe(detected("unknown", 0), detected("pine-crane", 100))
    table.observe(detected("pine-crane", 100), place="hidden")
    assert [track.class_id for track in table.tracks.all] == [CLASS_OF["pine-crane"]]


def test_after_a_camera_movement_cards_are_matched_by_face_only():
    table = Table()
    cards = ["pine-crane", "plum-warbler", "cherry-curtain", "peony-ribbon"]
    table.observe(*(detected(card, 45 * number) for number, card in enumerate(cards)))
    keys = [table.key(card) for card in cards]
    table.observe(*(detected(card, 45 * (number + 1), 6) for number, card in enumerate(cards)), moved=True)
    assert [table.key(card) for card in cards] == keys


@given(st.lists(st.permutations(range(8)), min_size=1, max_size=6))
def test_eight_cards_that_repeatedly_change_places_keep_their_keys(orders: list[list[int]]):
    cards = [cards[0] for cards in HANAFUDA_CLASSES if len(cards) == 1][:8]
    table = Table()
    table.observe(*(detected(card, 45 * number) for number, card in enumerate(cards)))
    keys = [table.key(card) for card in cards]
    for order in orders:
        table.observe(*(detected(cards[card], 45 * place) for place, card in enumerate(order)))
        assert [table.key(card) for card in cards] == keys
