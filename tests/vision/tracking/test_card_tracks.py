"""A card that lies at one place is one track, whatever lies beside it and however it is read."""

from __future__ import annotations

import numpy as np
import pytest

from vision.networks.class_ids import BACK, CLASS_OF, UNKNOWN
from vision.tracking.card_tracks import CardTrack, CardTracker


def detected(
    card: str, x: float, y: float = 0.0, *, visible: float = 1.0, probability: float = 0.95
) -> CardTrack:
    """Return a card detected at a place, mm; the picture has 2 px per mm."""
    posterior = np.full(UNKNOWN + 1, (1 - probability) / UNKNOWN)
    posterior[BACK if card == "back" else UNKNOWN if card == "unknown" else CLASS_OF[card]] = probability
    quad = np.array([(x - 16.5, y - 27), (x + 16.5, y - 27), (x + 16.5, y + 27), (x - 16.5, y + 27)])
    return CardTrack(quad, (quad * 2).astype(np.float32), visible, posterior)


class Table:
    """Observations of cards at intervals of 0.5 s."""

    def __init__(self) -> None:
        self.tracks, self.time = CardTracker(), 0.0

    def observe(self, *cards: CardTrack) -> list[CardTrack]:
        self.time += 0.5
        self.tracks.update(self.time, list(cards))
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


def test_a_card_at_another_place_is_another_track():
    table = Table()
    table.observe(detected("pine-crane", 0), detected("iris-bridge", 50))
    before = table.key("pine-crane")
    table.observe(detected("pine-crane", 14), detected("iris-bridge", 50))
    (crane,) = (track for track in table.tracks.all if track.class_id == CLASS_OF["pine-crane"])
    assert (crane.since, crane.at.tolist()) == (1.0, [14, 0])
    assert crane.key != before


def test_a_card_whose_place_is_empty_is_removed():
    table = Table()
    table.observe(detected("pine-crane", 0), detected("iris-bridge", 50))
    table.observe(detected("iris-bridge", 50))
    assert table.keys("pine-crane") == []


def test_a_card_under_others_has_no_track_and_is_not_confused_with_what_lies_on_it():
    table = Table()
    table.observe(detected("pine-crane", 0))
    table.observe(detected("plum-warbler", 1, 2))
    assert [(track.key, track.class_id, track.since) for track in table.tracks.all] == [
        (2, CLASS_OF["plum-warbler"], 1.0)
    ]


def test_a_card_that_was_laid_where_another_one_was_is_another_track_even_if_they_are_alike():
    table = Table()
    for _ in range(3):
        table.observe(detected("cherry-chaff-1", 0))
    peony = detected("peony-chaff-1", 1)
    peony.posterior[CLASS_OF["cherry-chaff-1"]] = 0.04  # as similar as 1.5 times two unrelated readings
    table.observe(peony)
    assert [(track.key, track.class_id) for track in table.tracks.all] == [(2, CLASS_OF["peony-chaff-1"])]


def test_look_alikes_side_by_side_are_two_tracks():
    table = Table()
    table.observe(detected("pine-chaff-1", 0), detected("pine-chaff-2", 7))
    before = [(track.key, track.at[0]) for track in table.tracks.all]
    table.observe(detected("pine-chaff-1", 7.5), detected("pine-chaff-2", 0.5))
    assert [(track.key, track.at[0] - 0.5) for track in table.tracks.all] == before


def test_a_card_is_on_those_that_it_covers():
    table = Table()
    table.observe(
        detected("pine-crane", 0, visible=0.4),
        detected("plum-warbler", 12, visible=0.9),
        detected("iris-bridge", 60),
    )
    crane = table.key("pine-crane")
    assert [track.on for track in table.tracks.all] == [(), (crane,), ()]


def test_a_reading_of_a_strip_does_not_override_a_reading_of_the_whole_card():
    table = Table()
    table.observe(detected("pine-crane", 0))
    table.observe(detected("cherry-chaff-1", 2, 1, visible=0.06, probability=0.8))
    assert table.key("pine-crane") == 1
    assert table.keys("cherry-chaff-1") == []


def test_the_observation_with_the_largest_visible_part_has_the_largest_weight():
    table = Table()
    table.observe(detected("iris-ribbon", 0, visible=0.4, probability=0.7))
    table.observe(detected("iris-chaff-1", 0, visible=1.0, probability=0.9))
    assert [track.class_id for track in table.tracks.all if track.visible == 1.0] == [
        CLASS_OF["iris-chaff-1"]
    ]


def test_repeated_readings_of_an_unmoved_card_are_averaged():
    """Frames of an unchanged table differ only in noise, so that repeated readings are hardly further evidence."""
    table = Table()
    for number in range(50):
        table.observe(detected("iris-ribbon", 0, probability=0.6 + 0.001 * number))
    (track,) = table.tracks.all
    assert 0.6 < track.posterior.max() < 0.65


def test_a_reading_that_is_kept_counts_once():
    table = Table()
    for number in range(5):
        table.observe(detected("iris-ribbon", 0, probability=0.6), detected("pine-crane", 60 + 45 * number))
    table.observe(detected("iris-ribbon", 0, probability=0.8))
    (track,) = (track for track in table.tracks.all if track.class_id == CLASS_OF["iris-ribbon"])
    assert track.posterior.max() == pytest.approx(0.71, abs=0.01)
