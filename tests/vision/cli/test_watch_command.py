"""``companion watch`` as a command: its sources, its exit codes, the files it writes."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.hanafuda.rules import Rules
from companion.observations import Observation, TrackedCard
from companion.table import NewEvent
from companion.watch.referee import Referee
from vision.cli.watch import _read
from vision.sources.frames import Frame, FrameSource

FIELD = [
    "susuki-moon",
    "pine-chaff-1",
    "plum-ribbon",
    "cherry-ribbon",
    "iris-bridge",
    "peony-ribbon",
    "clover-boar",
    "maple-deer",
]
DEALT = NewEvent("dealt", {"deal": {"field": FIELD}, "dealer": 1}, 1.0, "a")
TURN = [
    NewEvent("moved", {"player": 1, "words": ["play", "chrysanthemum-sake"]}, 0.9, "b"),
    NewEvent("moved", {"player": 1, "words": ["draw", "pine-crane", "pine-chaff-1"]}, 0.9, "b"),
]
PROBLEM = NewEvent(
    "noticed",
    {
        "code": "two-played",
        "message": {"en": "Two cards.", "ja": "二枚"},
        "pictures": {"before": None, "after": "c"},
        "cards": [],
    },
    0.9,
    "c",
)


class Scanner:
    """A scanner with the camera vertically above the table."""

    def view_of_table(self, bgr: np.ndarray, objects: object) -> tuple[bool, None]:
        return True, None


class Watcher:
    """A watcher that observes one card in every frame; its observation is named after the frame."""

    card_px = 40.0
    unknown = None
    scanner = Scanner()

    def observe(self, settled) -> Observation:
        card = TrackedCard(1, "pine-crane", (("pine-crane", 0.99),), "field", (10.0, 20.0))
        height, width = settled.frame.bgr.shape[:2]
        quads = {"1": [[10, 10], [50, 10], [50, 75], [10, 75]]}
        return Observation(
            settled.frame.name, settled.frame.time, (card,), extra={"quads": quads, "size": [width, height]}
        )

    def observe_motion(self, frame) -> None:
        pass

    def objects(self, frame) -> None:
        return None

    def zones(self) -> list[dict[str, object]]:
        return [{"zone": "field", "polygon": [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9]]}]


class ScriptedReferee:
    """A referee that reports the events of its script for the frames a, b, c, ..., at the first observation of each."""

    script: ClassVar[dict[str, list[NewEvent]]] = {}

    def __init__(self) -> None:
        self._left = dict(self.script)

    def see(self, observation: Observation, table: object) -> list[NewEvent]:
        return self._left.pop(observation.frame[0], [])

    def close(self, table: object) -> list[NewEvent]:
        return []


def watcher(rules, seats, deck, layout, data) -> Watcher:
    _read(layout)
    return Watcher()


def referee(rules: Rules, players: int) -> ScriptedReferee:
    Referee(rules, players)  # raises an error for games it cannot follow
    return ScriptedReferee()


@pytest.fixture
def watch(monkeypatch):
    """Return a function that runs the command with a scripted watcher and referee."""
    monkeypatch.setattr("vision.cli.watch._make_observer", watcher)
    monkeypatch.setattr("companion.watch_session.Referee", referee)

    def run(*arguments: object, script: dict[str, list[NewEvent]] | None = None):
        monkeypatch.setattr(ScriptedReferee, "script", script or {"a": [DEALT], "b": TURN})
        return CliRunner().invoke(main, ["watch", *map(str, arguments)])

    return run


@pytest.fixture
def frames(tmp_path) -> Path:
    """Make a folder of tables a, b and c, each stable in its second picture, and of other files."""
    folder = tmp_path / "frames"
    folder.mkdir()
    rng = np.random.default_rng(1)
    for name in "abc":
        table = cv2.resize(rng.integers(0, 255, (9, 16, 3), np.uint8), (320, 180))
        for number in range(2):
            (folder / f"{name}{number}.jpg").write_bytes(cv2.imencode(".jpg", table)[1].tobytes())
    (folder / "truth.json").write_text("[]")
    return folder


def lines(result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_only_json_lines_are_printed(watch, frames):
    result = watch(frames, "--game", "koikoi", "--json")
    assert result.exit_code == 0
    assert [line["event"] for line in lines(result)] == ["deal", "turn", "round"]
    assert result.stderr == ""


def test_a_recording_without_a_deal_is_reported_as_one(watch, frames):
    """Incident: a folder with pictures of cards, a cat and a damaged file ended silently with exit code 0."""
    result = watch(frames, "--json", script={"c": []})
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"companion watch: {frames} shows no deal: of 3 still tables the fullest has 1 card. "
        "A round is followed from the dealt cards on; single pictures are read by companion scan\n"
    )
    for picture in frames.glob("*1.jpg"):
        picture.unlink()
    result = watch(frames, script={"c": []})
    assert result.exit_code == 2
    assert "the table was never still" in result.stderr


def test_the_text_output_has_the_names_of_the_players(watch, frames):
    result = watch(frames, "--game", "koikoi", "--players", "Aiko,Ben")
    assert result.exit_code == 0
    assert "Aiko: plays Sake Cup 菊に盃; draws Crane and Sun 松に鶴 and takes Pine Chaff" in result.stdout


def test_an_illegal_move_results_in_exit_code_1(watch, frames):
    result = watch(frames, "--json", script={"a": [DEALT], "c": [PROBLEM]})
    assert result.exit_code == 1
    assert [line["event"] for line in lines(result)] == ["deal", "problem", "round"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing"], "there is no file or folder nothing"),
        (["FRAMES", "--game", "poker"], "there is no game 'poker'"),
        (["FRAMES", "--game", "koikoy"], "did you mean koikoi"),
        (["FRAMES", "--game", "kekoro", "--rules", "koikoi-standard"], "kekoro"),
        (["FRAMES", "--players", "A,B,C"], "2 play, not 3"),
        (["FRAMES", "--layout", "nothing.json"], "nothing.json"),
        (["FRAMES", "--layout", "FRAMES/a0.jpg"], "cannot be read"),
        (["FRAMES", "--fps", "0"], "--fps"),
        (["FRAMES", "--record", "FRAMES/a0.jpg/x"], "cannot record"),
        (["FRAMES", "--table", "http://here/elsewhere"], "not a table's address"),
        (["FRAMES", "--table", "http://here/t/abc", "--game", "koikoi"], "the table has its own"),
        (["http://127.0.0.1:9/video"], "no pictures arrive from http://127.0.0.1:9/video"),
        (["63"], "camera 63 cannot be opened"),
        (["demo:abc"], "demo:abc"),
    ],
)
def test_bad_input_is_an_error_of_one_line_and_exit_code_2(watch, frames, arguments, says, monkeypatch):
    result = watch(*[argument.replace("FRAMES", str(frames)) for argument in arguments])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert says in result.stderr
    # OpenCV writes its own warnings to the file descriptor; our error is one line.
    assert len(result.stderr.splitlines()) == 1


def test_frames_are_drawn_and_recorded_in_the_given_folders(watch, frames, tmp_path):
    drawn, kept = tmp_path / "drawn", tmp_path / "kept"
    first = watch(frames, "--json", "--draw", drawn, "--record", kept)
    assert first.exit_code == 0
    assert sorted(path.name for path in drawn.iterdir()) == ["a1.jpg", "b1.jpg", "c1.jpg"]
    assert cv2.imread(str(drawn / "a1.jpg")).shape == (180, 320, 3)
    assert len(list(kept.glob("*.jpg"))) == 6
    again = watch(frames, "--record", kept)
    assert again.exit_code == 2
    assert "already contains a recording" in again.stderr


def test_ctrl_c_has_the_effect_of_the_end_of_the_source(watch, frames, monkeypatch):
    """The last messages (a decision to stop, the record) are printed then too."""

    class Interrupted(Watcher):
        def observe(self, settled) -> Observation:
            if settled.frame.name.startswith("b"):
                signal.raise_signal(signal.SIGINT)
            return super().observe(settled)

    monkeypatch.setattr("vision.cli.watch._make_observer", lambda *_: Interrupted())
    before = signal.getsignal(signal.SIGINT)
    result = watch(frames, "--json")
    assert result.exit_code == 0
    assert [line["event"] for line in lines(result)] == ["deal", "turn", "round"]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_lost_camera_and_its_return_are_reported(watch, monkeypatch):
    class UnpluggedSource(FrameSource):
        script: ClassVar[list[str | None]] = [None, "camera 0 was unplugged", "camera 0 was unplugged", None]
        state = "live"
        fault = None

        def next(self, wait: float = 1.0) -> Frame | None:
            if not self.script:
                self.state = "ended"
                return None
            self.fault = self.script.pop(0)
            return (
                None
                if self.fault
                else Frame("a", 0.0, bgr=np.repeat(np.uint8([[[0] * 3, [90] * 3]] * 90), 80, axis=1))
            )

        def close(self) -> None:
            pass

    monkeypatch.setattr("vision.cli.watch.open_source", lambda *_: UnpluggedSource())
    result = watch("0", "--json")
    assert result.exit_code == 0
    assert [line.removeprefix("companion watch: ") for line in result.stderr.splitlines()] == [
        "camera 0 was unplugged",
        "frames arrive again",
    ]
