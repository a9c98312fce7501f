"""Frames of cameras that view the table from the side are rectified to a view from above."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.observations import Observation
from tests.vision.tabletop import Table
from tests.vision.tabletop import frames as tabletop_frames
from vision.geometry.rectification import RectifiedView
from vision.sources.frames import Frame, FrameSource, SourceState
from vision.tracking.camera_loop import CameraLoop
from vision.tracking.frame_selection import StableFrame
from vision.tracking.table_view import TableView


class _Viewer:
    """A watcher that determines the view of the table from the second frame."""

    def __init__(self, view: RectifiedView | None) -> None:
        self.asked = 0
        self._view = view

    def view_of_table(self, bgr: np.ndarray, objects: object = None) -> tuple[bool, RectifiedView | None]:
        self.asked += 1
        return self.asked > 1, self._view if self.asked > 1 else None


def _frame() -> Frame:
    return Frame(
        "one", 0.0, bgr=cv2.resize(np.array(((60, 100),), np.uint8), (120, 90))[..., None].repeat(3, 2)
    )


def test_frames_are_rectified_once_the_cards_determine_the_view() -> None:
    """Frames of an empty table are unchanged; with the deal the view is known and is not determined again."""
    viewer = _Viewer(RectifiedView(np.diag((2.0, 2.0, 1.0)), (240, 180), 60.0, 50.0, 0.5))
    view = TableView(viewer)
    assert view.apply(_frame()).bgr.shape == (90, 120, 3)
    assert view.learn(_frame()) is None
    assert view.learn(_frame()) is not None
    assert view.apply(_frame()).bgr.shape == (180, 240, 3)
    assert view.learn(_frame()) is None
    assert viewer.asked == 2


def test_frames_of_a_camera_above_the_table_are_unchanged() -> None:
    """If the camera is above the table, frames are passed on without a copy."""
    view, frame = TableView(_Viewer(None)), _frame()
    view.learn(frame)
    assert view.learn(frame) is None
    assert view.apply(frame) is frame


class _Undecoded(Frame):
    """A frame that must not be decoded whole."""

    @property
    def bgr(self) -> np.ndarray:
        raise AssertionError("the picture was decoded")


@pytest.mark.parametrize(
    "motion", [np.eye(3), np.array(((1.0, 0.02, 9.0), (-0.01, 1.0, -6.0), (0.0, 0.0, 1.0)))]
)
@pytest.mark.parametrize("size", [(640, 360), (1280, 720)])
def test_the_small_copy_of_a_rectified_frame_is_made_without_its_picture(
    size: tuple[int, int], motion: np.ndarray
) -> None:
    scale = size[0] / 640
    matrix = np.array(((1.1, 0.3, -60.0), (0.05, 1.6, -90.0), (0.0001, 0.0009, 1.0))) @ np.diag(
        (1 / scale, 1 / scale, 1)
    )
    view = TableView(_Viewer(RectifiedView(matrix, (700, 500), 60.0, 50.0, scale)))
    coarse = np.random.default_rng(4).integers(0, 255, (9, 16, 3), np.uint8)
    pixels = cv2.resize(coarse, size, interpolation=cv2.INTER_CUBIC)
    view.learn(_frame())
    view.learn(_frame())
    view.follow(motion)
    whole = Frame("one", 0.0, bgr=view.apply(Frame("one", 0.0, bgr=pixels)).bgr)
    data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
    packed = view.apply(_Undecoded("one", 0.0, jpeg=data))
    assert (packed.width, packed.small.shape) == (700, whole.small.shape)
    assert np.abs(packed.small.astype(int) - whole.small).mean() < 2


class _Frames(FrameSource):
    """A source of frames."""

    def __init__(self, frames: list[Frame]) -> None:
        self._frames = frames

    @property
    def state(self) -> SourceState:
        return "live" if self._frames else "ended"

    def next(self, wait: float = 1.0) -> Frame | None:
        return self._frames.pop(0) if self._frames else None

    def close(self) -> None:
        self._frames.clear()


class _Watcher:
    """A watcher that records the shapes of the stable frames."""

    card_px = None
    unknown = None

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []
        self.hands: list[tuple[float, float]] = []

    def observe(self, settled: StableFrame) -> Observation:
        self.shapes.append(settled.frame.bgr.shape)
        self.hands += [hand.tip for hand in settled.hands]
        return Observation(settled.frame.name, settled.frame.time, ())

    def observe_motion(self, frame: Frame) -> None:
        pass

    def objects(self, frame: Frame) -> None:
        return None

    def rectify(self, apply: object) -> None:
        pass


def test_the_frame_that_determined_the_view_is_observed() -> None:
    """Incident: a hand returned right after the deal, and the deal, from which the view was determined, was never observed."""
    rng = np.random.default_rng(1)
    frames = [Frame(str(number), number * 0.5, bgr=_frame().bgr) for number in range(4)]
    frames += [
        Frame(str(number), number * 0.5, bgr=rng.integers(0, 255, (90, 120, 3), np.uint8))
        for number in range(4, 8)
    ]
    viewer = _Viewer(RectifiedView(np.diag((2.0, 2.0, 1.0)), (240, 180), 60.0, 50.0, 0.5))
    assert (180, 240, 3) in _watched(frames, viewer).shapes


def test_the_arm_before_the_frame_that_determined_the_view_is_reported_in_its_px() -> None:
    """Incident: nobody had opened the box, because the cards beside the pile determined the view."""
    scenes = [(0.8, Table()), (0.5, Table(arm=("bottom", 0.5, 0.6))), (0.8, Table(cards=Table().cards[:3]))]
    seen = []
    for view in (None, RectifiedView(np.diag((0.5, 0.5, 1.0)), (640, 360), 60.0, 50.0, 1.0)):
        (tip,) = _watched(list(tabletop_frames(scenes)), _Viewer(view)).hands
        seen.append(tip)
    assert seen[1] == pytest.approx(np.array(seen[0]) / 2)


def _watched(frames: list[Frame], viewer: _Viewer) -> _Watcher:
    watcher = _Watcher()
    loop = CameraLoop(_Frames(frames), watcher, TableView(viewer))
    while not loop.ended:
        loop.next()
    return watcher
