"""Frames of folders, videos, cameras and streams; what breaks is opened again, and every fault has a sentence."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np
import pytest

from vision.sources import Frame, SourceError, open_source
from vision.sources import cameras as cameras_module
from vision.sources.live import Live, StuckError, Timing
from vision.sources.mjpeg import open_motion_jpeg, without_password

#: A source that loses patience in hundredths of a second, as tests must.
QUICK = Timing(stale=0.15, hangs=0.3, opening=0.5, first_wait=0.02, longest_wait=0.1)


def picture(shade: int, size: tuple[int, int] = (64, 48)) -> np.ndarray:
    return np.full((size[1], size[0], 3), shade, np.uint8)


def jpeg(shade: int, size: tuple[int, int] = (64, 48)) -> bytes:
    return cv2.imencode(".jpg", picture(shade, size))[1].tobytes()


def shade_of(frame: Frame) -> int:
    return round(float(frame.bgr.mean()))


def until(true: Callable[[], object], patience: float = 30.0) -> None:
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


# --- frames


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (640, 480), (480, 640), (200, 100)])
def test_a_frame_is_the_same_whether_it_came_as_pixels_or_as_a_jpeg(size):
    pixels = cv2.resize(np.random.default_rng(1).integers(0, 255, (9, 16, 3), np.uint8), size)
    data = cv2.imencode(".jpg", pixels)[1].tobytes()
    whole, packed = Frame("a", 0, bgr=pixels), Frame("a", 0, jpeg=data)
    assert whole.small.shape == packed.small.shape
    assert max(packed.small.shape) == 320
    assert np.abs(whole.small.astype(int) - packed.small).mean() < 2
    assert packed.bgr.shape == pixels.shape
    assert packed.width == whole.width == size[0]
    assert packed.jpeg == data
    assert cv2.imdecode(np.frombuffer(whole.jpeg, np.uint8), 1).shape == pixels.shape


def test_a_damaged_jpeg_is_refused_where_it_is_read():
    with pytest.raises(SourceError, match="no whole JPEG"):
        Frame("a", 0, jpeg=b"\xff\xd8\xff nothing")


# --- folders and videos


def test_a_folder_gives_its_pictures_in_the_order_of_their_names(tmp_path):
    for number, name in enumerate(["b.jpg", "a.JPG", "c.png"]):
        (tmp_path / name).write_bytes(cv2.imencode(name[-4:].lower(), picture(number * 80))[1].tobytes())
    (tmp_path / "truth.json").write_text("{}")
    (tmp_path / ".hidden.jpg").write_bytes(b"")
    with open_source(str(tmp_path)) as source:
        found = [(frame.name, frame.time, shade_of(frame)) for frame in source]
        assert source.state == "ended"
    assert found == [("a.JPG", 0.0, 80), ("b.jpg", 0.5, 0), ("c.png", 1.0, 160)]
    assert [frame.time for frame in open_source(str(tmp_path), fps=10)] == [0.0, 0.1, 0.2]


def test_a_picture_that_cannot_be_read_is_warned_of_and_left_out(tmp_path):
    (tmp_path / "a.jpg").write_bytes(jpeg(10))
    (tmp_path / "b.jpg").write_bytes(jpeg(10)[:40])
    (tmp_path / "c.png").write_bytes(b"text")
    (tmp_path / "d.jpg").write_bytes(jpeg(90))
    with pytest.warns(UserWarning, match=r"[bc]\.(jpg|png) is left out"):
        found = [(frame.name, frame.time) for frame in open_source(str(tmp_path))]
    assert found == [("a.jpg", 0.0), ("d.jpg", 1.5)]


def test_a_recording_tells_when_its_frames_were_taken(tmp_path):
    lines = [{"frame": "a.jpg", "time": 3.5}, {"frame": "b.jpg", "time": 3.9}]
    for line in lines:
        (tmp_path / line["frame"]).write_bytes(jpeg(10))
    (tmp_path / "times.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [frame.time for frame in open_source(str(tmp_path))] == [3.5, 3.9]
    assert [frame.time for frame in open_source(str(tmp_path), fps=1)] == [0.0, 1.0]
    (tmp_path / "times.jsonl").write_text("{}\n")
    with pytest.raises(SourceError, match="give --fps"):
        open_source(str(tmp_path))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path / "nothing", "there is no file or folder"),
        (lambda path: path, "holds no pictures"),
        (lambda path: _written(path / "game.mp4"), "cannot be opened as a video"),
    ],
)
def test_what_is_no_source_is_told_to_the_person_at_the_table(tmp_path, make, says, capfd):
    with pytest.raises(SourceError, match=says):
        open_source(str(make(tmp_path)))


def _written(path):
    path.write_text("no video")
    return path


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    """Three seconds at 30 frames/s, each frame's shade its number."""
    path = tmp_path_factory.mktemp("video") / "game.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30, (64, 48))
    for number in range(90):
        writer.write(picture(2 * number))
    writer.release()
    return path


@pytest.mark.parametrize(("fps", "count"), [(None, 30), (2, 6), (30, 90), (60, 90), (7, 21)])
def test_a_video_is_sampled_in_its_own_time(video, fps, count):
    found = list(open_source(str(video), fps))
    assert len(found) == count
    for frame in found:
        assert shade_of(frame) == pytest.approx(2 * frame.time * 30, abs=3)
        assert frame.name == f"game.avi {frame.time:.2f} s"


# --- cameras, with faults


class Fake:
    """A capture that does what a script says: a picture, bytes, None (damaged), "end", "hang", or an error to raise."""

    def __init__(self, script: Iterator[object], let_go: threading.Event) -> None:
        self._script, self._let_go, self._now = script, let_go, None
        self.released = False
        self.hangs = False

    def grab(self) -> bool:
        self._now = next(self._script, "hang")
        if isinstance(self._now, Exception):
            raise self._now
        if isinstance(self._now, str):
            if self._now == "hang":
                self.hangs = True
                self._let_go.wait(20)
            return False
        time.sleep(0.01)
        return True

    def retrieve(self):
        return self._now

    def release(self) -> None:
        self.released = True


class Fakes:
    """Opens one capture after the other, each by its script; an error in place of a script is raised."""

    def __init__(self, *scripts: object) -> None:
        self._scripts = iter(scripts)
        self.opened: list[Fake] = []
        self.tried = 0
        self.let_go = threading.Event()

    def __call__(self) -> Fake:
        self.tried += 1
        script = next(self._scripts, [])
        if isinstance(script, Exception):
            raise script
        self.opened.append(Fake(iter(script), self.let_go))
        return self.opened[-1]


@pytest.fixture
def live():
    """Make live sources that are closed, and whose hanging threads are let go, at the end."""
    made: list[tuple[Live, Fakes]] = []

    def make(*scripts: object, fps: float = 1000, timing: Timing = QUICK) -> tuple[Live, Fakes]:
        fakes = Fakes(*scripts)
        made.append((Live("camera 0", fakes, fps, timing), fakes))
        return made[-1]

    yield make
    for source, fakes in made:
        source.close()
        fakes.let_go.set()
        until(lambda fakes=fakes: all(each.released for each in fakes.opened))


def test_the_newest_frame_wins(live):
    source, fakes = live([picture(number) for number in range(1, 30)])
    until(lambda: fakes.opened and fakes.opened[0].hangs)  # all were grabbed, nobody asked
    frame = source.next(0)
    assert frame is not None
    assert shade_of(frame) == 29
    assert source.next(0) is None


def test_frames_come_no_faster_than_they_are_wanted(live):
    source, _ = live([picture(1)] * 40, fps=20)
    found = list(itertools.takewhile(bool, (source.next(0.3) for _ in range(40))))
    assert len(found) >= 2
    assert len(found) <= 20 * found[-1].time + 2


def test_a_camera_that_is_not_there_is_tried_for_ever_and_says_why(live):
    missing = SourceError("no camera 0: is it plugged in?")
    source, fakes = live(*[missing] * 4, [picture(7)] * 5)
    until(lambda: source.fault)
    assert (source.state, source.fault) == ("absent", "no camera 0: is it plugged in?")
    frame = source.next(5)
    assert frame is not None
    assert shade_of(frame) == 7
    assert (source.state, source.fault, fakes.tried) == ("live", None, 5)


@pytest.mark.parametrize("end", ["end", OSError("the driver tripped"), cv2.error("ioctl")])
def test_a_camera_that_is_unplugged_comes_back(live, end):
    source, fakes = live([picture(5), end], [picture(6)] * 3)
    first = source.next(5)
    until(lambda: fakes.tried == 2 or source.state == "back-off")
    second = first
    while second is not None and shade_of(second) != 6:
        second = source.next(5)
    assert second is not None
    assert fakes.opened[0].released


def test_a_read_that_hangs_is_left_behind_and_lets_go_when_it_returns(live):
    source, fakes = live([picture(5), "hang"], [picture(6)] * 200)
    assert source.next(5)
    until(lambda: source.state == "stale")
    until(lambda: (frame := source.next(0.05)) is not None and shade_of(frame) == 6)
    assert not fakes.opened[0].released
    fakes.let_go.set()
    until(lambda: fakes.opened[0].released)
    assert source.state == "live"


def test_opening_that_hangs_is_left_behind_too(live):
    began = threading.Event()

    def hanging() -> Iterator[object]:
        began.set()
        yield "hang"

    source, _ = live(hanging(), [picture(6)] * 200)
    until(lambda: (frame := source.next(0.05)) is not None and shade_of(frame) == 6)
    assert began.is_set()


def test_a_driver_that_only_ever_hangs_asks_for_a_new_process(live):
    source, _ = live()
    with pytest.raises(StuckError, match="camera 0 hangs"):
        source.next(20)


def test_damaged_frames_are_passed_over_and_black_ones_and_other_sizes_are_not(live):
    broken = [None, b"\xff\xd8\xff no", jpeg(120), picture(0), picture(50, (128, 96))]
    source, _ = live(itertools.chain.from_iterable(itertools.repeat(broken, 3)))
    seen = set()
    while (frame := source.next(0.2)) is not None:
        seen.add((shade_of(frame), frame.bgr.shape[1]))
    assert seen == {(120, 64), (0, 64), (50, 128)}


def test_a_closed_source_gives_nothing_more(live):
    source, fakes = live([picture(1)] * 1000)
    assert source.next(5)
    source.close()
    assert source.state == "ended"
    until(lambda: fakes.opened[0].released)
    list(source)  # ends


def test_who_asks_for_a_camera_that_is_not_there_is_told_which_are(monkeypatch, capfd):
    monkeypatch.setattr(cameras_module, "cameras_here", lambda: ["0 (Webcam)", "2 (Capture card)"])
    with pytest.raises(SourceError, match=r"no camera 63: .*cameras found: 0 \(Webcam\), 2 \(Capture card\)"):
        cameras_module.camera(63)()
    monkeypatch.setattr(cameras_module, "cameras_here", list)
    with pytest.raises(SourceError, match="no camera was found here"):
        cameras_module.camera(63)()


# --- motion JPEG over HTTP


@pytest.fixture(scope="module")
def server():
    """A phone's camera app: /video is motion JPEG in small pieces, /stalls stops half-way, /page is a page."""

    class App(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/page":
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"hello")
                return
            if self.path == "/closed" and self.headers.get("Authorization") != "Basic bWU6cCBv":
                self.send_error(401)
                return
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            thumbnail = b"\xff\xd8\xff\xe0 a thumbnail \xff\xd9 within "
            for number in range(1, 6):
                data = jpeg(40 * number)
                data = data[:2] + b"\xff\xfe" + (len(thumbnail) + 2).to_bytes(2, "big") + thumbnail + data[2:]
                head = b"--frame\r\nContent-Type: image/jpeg\r\n\r\n"
                told = head + data + (b"\0\0\0" if number % 2 else b"") + b"\r\n"
                for start in range(0, len(told), 7):
                    self.wfile.write(told[start : start + 7])
            if self.path == "/stalls":
                self.wfile.write(jpeg(1)[:100])
                self.wfile.flush()
                time.sleep(1.5)

        def log_message(self, *_: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), App)
    httpd.daemon_threads = True
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_port}"
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def test_motion_jpeg_is_read_frame_by_frame(server):
    frames = open_motion_jpeg(f"{server}/video")
    assert frames is not None
    shades = []
    while frames.grab():
        shades.append(shade_of(Frame("a", 0, jpeg=frames.retrieve())))
    frames.release()
    assert shades == [40, 80, 120, 160, 200]


def test_a_camera_with_a_password_is_asked_with_it_and_never_shows_it(server):
    place = server.removeprefix("http://")
    frames = open_motion_jpeg(f"http://me:p%20o@{place}/closed")
    assert frames is not None
    frames.release()
    with pytest.raises(SourceError, match="Unauthorized") as refused:
        open_motion_jpeg(f"http://me:secret@{place}/closed")
    assert "secret" not in str(refused.value)
    assert without_password("rtsp://me:secret@10.0.0.7:554/1") == "rtsp://10.0.0.7:554/1"


def test_what_is_no_motion_jpeg_is_left_to_others(server):
    assert open_motion_jpeg(f"{server}/page") is None


def test_a_stream_that_nobody_answers_is_told_of():
    with pytest.raises(
        SourceError, match=r"no pictures come from http://127\.0\.0\.1:9/video .*same network"
    ):
        open_motion_jpeg("http://127.0.0.1:9/video")


def test_an_address_is_watched_as_a_live_source(server):
    with open_source(f"{server}/video") as source:
        assert source.live
        frame = source.next(5)
        assert frame is not None
        assert frame.bgr.shape == (48, 64, 3)


def test_a_stream_that_stalls_is_opened_again(server, monkeypatch):
    monkeypatch.setattr("vision.sources.mjpeg._PATIENCE_S", 0.3)
    frames = open_motion_jpeg(f"{server}/stalls")
    assert frames is not None
    assert sum(1 for _ in itertools.takewhile(bool, (frames.grab() for _ in range(5)))) == 5
    with pytest.raises(OSError, match="timed out"):
        frames.grab()
    frames.release()
