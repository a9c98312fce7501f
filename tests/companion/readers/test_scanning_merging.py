"""Merging camera and readers: agreement raises the probability, each adds what only it can detect, and contradictions
become disputes."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from companion.observations import (
    ELSEWHERE,
    FIELD,
    Observation,
    TrackedCard,
    TransientDetection,
    captured_zone,
)
from companion.readers import ReaderReport, ScanBoard
from companion.readers.camera_fusion import CAMERA, Keys, Merged, ZoneConflict, is_camera_covered, merge

TRAY, OTHER = captured_zone(1), captured_zone(2)
CRANE, MOON, BOAR = "pine-crane", "susuki-moon", "clover-boar"
TIME = 10.0


def seen(
    key: int, zone: str, *names: tuple[str, float], visible: float = 1.0, since: float = 1.0, **more: object
) -> TrackedCard:
    """A tracked card of the camera; the first name is the committed card if it is confident."""
    card = names[0][0] if names and names[0][1] >= 0.8 else None
    return TrackedCard(key, card, names, zone, (float(key), 0.0), visible=visible, since=since, **more)  # type: ignore[arg-type]


def came(
    card: str, place: str, time: float, *, keeps: bool = True, rssi: float | None = None
) -> ReaderReport:
    return ReaderReport(card, f"at-{place}", place, time, keeps=keeps, rssi=rssi)


def removed(card: str, place: str, time: float) -> ReaderReport:
    return ReaderReport(card, f"at-{place}", place, time, present=False)


@dataclass
class Case:
    """The reports, the resulting zone of each card, and the limits of its probability."""

    seen: list[TrackedCard]
    scans: list[ReaderReport]
    lies: dict[str, tuple[str, float, float]]
    disputes: list[ZoneConflict] = field(default_factory=list)
    committed: dict[str, str] = field(default_factory=dict)
    prefer: dict[str, str] = field(default_factory=dict)


def merged(case: Case, *, camera: bool = True) -> Merged:
    board = ScanBoard()
    for scan in case.scans:
        board.process(scan)
    observation = Observation("f", TIME, tuple(case.seen)) if camera else None
    return merge(
        observation,
        board,
        Keys(),
        committed=case.committed,
        frame="scan-1",
        time=TIME + 2,
        prefer=case.prefer,
    )


def best(tracked: TrackedCard) -> tuple[str, float]:
    return max(tracked.likely, key=lambda name: name[1])


CASES = {
    "both say the same: surer": Case(
        [seen(1, FIELD, (CRANE, 0.9), (MOON, 0.1))], [came(CRANE, FIELD, 1)], {CRANE: (FIELD, 0.99, 1)}
    ),
    "the camera cannot name it, the tray can": Case(
        [seen(1, TRAY, (MOON, 0.4), (CRANE, 0.3))], [came(CRANE, TRAY, 1)], {CRANE: (TRAY, 0.95, 1)}
    ),
    "the camera has no name for it at all": Case(
        [seen(1, TRAY, (MOON, 0.3))], [came(CRANE, TRAY, 1)], {CRANE: (TRAY, 0.8, 1)}
    ),
    "of two nameless ones nobody knows which it is": Case(
        [seen(1, TRAY, (MOON, 0.3)), seen(2, TRAY, (BOAR, 0.3))],
        [came(CRANE, TRAY, 1)],
        {CRANE: (TRAY, 0.99, 1), MOON: (TRAY, 0.3, 0.3), BOAR: (TRAY, 0.3, 0.3)},
    ),
    "a pile covers it from above": Case([], [came(CRANE, TRAY, 1)], {CRANE: (TRAY, 0.99, 1)}),
    "its tag is not read": Case([seen(1, TRAY, (CRANE, 0.9))], [], {CRANE: (TRAY, 0.9, 0.9)}),
    "in none of the camera's zones, but on a tray": Case(
        [seen(1, ELSEWHERE, (CRANE, 0.95))], [came(CRANE, TRAY, 1)], {CRANE: (TRAY, 0.99, 1)}
    ),
    "the camera has not looked since it was laid on the tray": Case(
        [seen(1, FIELD, (CRANE, 0.99))], [came(CRANE, TRAY, TIME + 1)], {CRANE: (TRAY, 0.99, 1)}
    ),
    "nor since it was taken from the field": Case(
        [seen(1, FIELD, (CRANE, 0.99))], [came(CRANE, FIELD, 1), removed(CRANE, FIELD, TIME + 0.5)], {}
    ),
    "the antenna has lost it for long, the camera sees it": Case(
        [seen(1, FIELD, (CRANE, 0.99))], [came(CRANE, FIELD, 1), removed(CRANE, FIELD, 5)], {CRANE: (FIELD, 0.99, 0.99)}
    ),
    "it came by a coil before the camera saw it lie elsewhere": Case(
        [seen(1, FIELD, (CRANE, 0.99), since=5.0)],
        [came(CRANE, TRAY, 3, keeps=False)],
        {CRANE: (FIELD, 0.99, 0.99)},
    ),
    "an antenna hears what plainly lies elsewhere": Case(
        [seen(1, FIELD, (CRANE, 0.99))], [came(CRANE, TRAY, 3, rssi=-70.0)], {CRANE: (FIELD, 0.99, 0.99)}
    ),
    "the look-alike of a card on a tray lies on the field": Case(
        [seen(1, FIELD, ("pine-chaff-1", 0.99))],
        [came("pine-chaff-2", TRAY, 3)],
        {"pine-chaff-1": (FIELD, 0.99, 0.99), "pine-chaff-2": (TRAY, 0.99, 1)},
    ),
    "camera and tray contradict: as it was agreed": Case(
        [seen(1, FIELD, (CRANE, 0.99))],
        [came(CRANE, TRAY, 3)],
        {CRANE: (FIELD, 0.99, 0.99)},
        [ZoneConflict(CRANE, ((CAMERA, FIELD), (f"at-{TRAY}", TRAY)))],
        committed={CRANE: FIELD},
    ),
    "camera and tray contradict: as the players told": Case(
        [seen(1, FIELD, (CRANE, 0.99))],
        [came(CRANE, TRAY, 3)],
        {CRANE: (TRAY, 0.99, 1)},
        [ZoneConflict(CRANE, ((f"at-{TRAY}", TRAY), (CAMERA, FIELD)))],
        committed={CRANE: FIELD},
        prefer={CRANE: TRAY},
    ),
    "two trays have it: as it was agreed": Case(
        [],
        [came(CRANE, TRAY, 1), came(CRANE, OTHER, 3)],
        {CRANE: (TRAY, 0.99, 1)},
        [ZoneConflict(CRANE, ((f"at-{TRAY}", TRAY), (f"at-{OTHER}", OTHER)))],
        committed={CRANE: TRAY},
    ),
    "two trays have it, and the camera sees where it lies": Case(
        [seen(1, OTHER, (CRANE, 0.99))],
        [came(CRANE, TRAY, 1), came(CRANE, OTHER, 3)],
        {CRANE: (OTHER, 0.99, 1)},
        [ZoneConflict(CRANE, ((f"at-{OTHER}", OTHER), (f"at-{TRAY}", TRAY)))],
        committed={CRANE: OTHER},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_merged_observations(case: Case) -> None:
    found = merged(case)
    placed = {best(each)[0]: (each.zone, best(each)[1]) for each in found.observation.cards}
    assert {card: zone for card, (zone, _) in placed.items()} == {
        card: zone for card, (zone, _, _) in case.lies.items()
    }
    for card, (_, least, most) in case.lies.items():
        assert least - 1e-9 <= placed[card][1] <= most + 1e-9
    assert list(found.disputes) == case.disputes
    assert len({each.key for each in found.observation.cards}) == len(found.observation.cards)


def test_a_card_that_camera_and_reader_disagree_on_stays_unidentified() -> None:
    """A wrongly paired tag, or a card misread by the camera: the players are asked, not overruled."""
    both = [seen(1, FIELD, (MOON, 0.97), since=2.0), seen(2, FIELD, (BOAR, 0.97), since=2.0)]
    found = merged(Case(both, [came(CRANE, FIELD, 1), came(BOAR, FIELD, 1)], {})).observation.cards
    assert len(found) == 2, "it is one card"
    (card,) = (each for each in found if best(each)[0] != BOAR)
    assert {name for name, _ in card.likely} == {MOON, CRANE}
    assert card.card is None


def test_without_a_camera_unscanned_cards_stay_in_the_committed_zone() -> None:
    reported = Case(
        [], [came(CRANE, TRAY, 1), removed(BOAR, FIELD, 2)], {},
        committed={CRANE: FIELD, BOAR: FIELD, MOON: FIELD, "iris-bridge": OTHER},
    )  # fmt: skip
    observation = merged(reported, camera=False).observation
    assert {(each.card, each.zone, each.visible) for each in observation.cards} == {
        (CRANE, TRAY, 1.0), (MOON, FIELD, 0.2), ("iris-bridge", OTHER, 0.2),
    }  # fmt: skip
    assert {each.source for each in observation.cards} == {"scanner"}


def test_a_look_alike_committed_under_the_other_id_is_not_duplicated() -> None:
    reported = Case([], [came("pine-chaff-2", FIELD, 1)], {}, committed={"pine-chaff-1": FIELD})
    assert [each.card for each in merged(reported, camera=False).observation.cards] == ["pine-chaff-2"]


def test_a_covered_camera_keeps_track_keys_and_stacking() -> None:
    board, keys = ScanBoard(), Keys()
    board.process(came(CRANE, FIELD, 1))
    committed = {CRANE: FIELD, MOON: FIELD}

    def observation(*cards: TrackedCard) -> dict[str | None, TrackedCard]:
        camera = Observation("f", TIME, cards, untouched=((1, 2.0),)) if cards else None
        reported = merge(camera, board, keys, committed=committed, frame="s", time=TIME, prefer={})
        if cards:
            assert reported.observation.untouched == ((keys.of(CRANE), 2.0),)
        return {each.card: each for each in reported.observation.cards}

    open_ = observation(seen(1, FIELD, (CRANE, 0.99)), seen(2, FIELD, (MOON, 0.99), on=(1,)))
    covered = observation()
    assert open_[MOON].on == (open_[CRANE].key,)
    assert {card: each.key for card, each in covered.items()} == {
        card: each.key for card, each in open_.items()
    }
    assert covered[MOON].at == (2.0, 0.0)


def test_landed_cards_are_merged_in_order_of_time() -> None:
    board = ScanBoard()
    board.process(came(CRANE, FIELD, 3))
    observation = Observation(
        "f",
        TIME,
        (),
        transient_detections=(
            TransientDetection(MOON, 2, (0, 0), FIELD),
            TransientDetection(BOAR, 4, (0, 0), FIELD),
        ),
    )
    reported = merge(observation, board, Keys(), committed={}, frame="s", time=TIME, prefer={})
    assert [transient.card for transient in reported.observation.transient_detections] == [MOON, CRANE, BOAR]


@pytest.mark.parametrize(
    ("visible", "placed", "blind"),
    [
        ([], 8, True), ([], 0, False), ([0.0] * 8, 8, True), ([0.9] + [0.0] * 7, 8, True),
        ([0.9, 0.5] + [0.0] * 6, 8, False), ([0.9], 3, False),
    ],
)  # fmt: skip
def test_a_covered_camera_detects_nothing(visible: list[float], placed: int, blind: bool) -> None:
    cards = tuple(
        seen(key, FIELD, (CRANE, 0.9), visible=probability) for key, probability in enumerate(visible)
    )
    assert is_camera_covered(Observation("f", TIME, cards), placed) is blind
