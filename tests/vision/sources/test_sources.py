"""Frame sources: folders, videos, cameras and streams; failed sources are reopened and every fault has a message."""

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

from companion.messages import error_text
from tests.message_text import raises_text
from vision.cli.source_argument import open_source
from vision.sources import cameras
from vision.sources.cameras import camera_opener
from vision.sources.frames import Frame, SourceError
from vision.sources.live_source import CaptureHungError, LiveSource, LiveTiming
from vision.sources.mjpeg import open_motion_jpeg

#: Timeouts of hundredths of a second keep the tests fast.
QUICK = LiveTiming(stale=0.15, hang=0.3, open=0.5, first_wait=0.02, max_wait=0.1)


def picture(shade: int, size: tuple[int, int] = (64, 48)) -> np.ndarray:
    return np.full((size[1], size[0], 3), shade, np.uint8)


def jpeg(shade: int, size: tuple[int, int] = (64, 48)) -> bytes:
    return cv2.imencode(".jpg", picture(shade, size))[1].tobytes()


def shade_of(frame: Frame) -> int:
    return round(float(frame.bgr.mean()))


def wait_until(condition: Callable[[], object], timeout: float = 30.0) -> None:
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.005)


# --- frames


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (640, 480), (480, 640), (200, 100)])
def test_a_frame_is_the_same_from_pixels_and_from_jpeg(size):
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


def test_a_damaged_jpeg_is_rejected_when_it_is_read():
    with raises_text(SourceError, match="not a complete JPEG"):
        Frame("a", 0, jpeg=b"\xff\xd8\xff nothing")


# --- folders and videos


def test_a_folder_delivers_its_pictures_sorted_by_name(tmp_path):
    for number, name in enumerate(["b.jpg", "a.JPG", "c.png"]):
        (tmp_path / name).write_bytes(cv2.imencode(name[-4:].lower(), picture(number * 80))[1].tobytes())
    (tmp_path / "truth.json").write_text("{}")
    (tmp_path / ".hidden.jpg").write_bytes(b"")
    with open_source(str(tmp_path)) as source:
        found = [(frame.name, frame.time, shade_of(frame)) for frame in source]
        assert source.state == "ended"
    assert found == [("a.JPG", 0.0, 80), ("b.jpg", 0.5, 0), ("c.png", 1.0, 160)]
    assert [frame.time for frame in open_source(str(tmp_path), fps=10)] == [0.0, 0.1, 0.2]


def test_an_unreadable_picture_causes_a_warning_and_is_skipped(tmp_path):
    (tmp_path / "a.jpg").write_bytes(jpeg(10))
    (tmp_path / "b.jpg").write_bytes(jpeg(10)[:40])
    (tmp_path / "c.png").write_bytes(b"text")
    (tmp_path / "d.jpg").write_bytes(jpeg(90))
    with pytest.warns(
        UserWarning, match=r"is skipped: (b\.jpg is not a complete JPEG|This is not a picture)"
    ):
        found = [(frame.name, frame.time) for frame in open_source(str(tmp_path))]
    assert found == [("a.jpg", 0.0), ("d.jpg", 1.5)]


def test_frames_of_a_recording_have_their_recorded_times(tmp_path):
    lines = [{"frame": "a.jpg", "time": 3.5}, {"frame": "b.jpg", "time": 3.9}]
    for line in lines:
        (tmp_path / line["frame"]).write_bytes(jpeg(10))
    (tmp_path / "times.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [frame.time for frame in open_source(str(tmp_path))] == [3.5, 3.9]
    assert [frame.time for frame in open_source(str(tmp_path), fps=1)] == [0.0, 1.0]
    (tmp_path / "times.jsonl").write_text("{}\n")
    with raises_text(SourceError, match="use --fps"):
        open_source(str(tmp_path))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path / "nothing", "there is no file or folder"),
        (lambda path: path, "contains no pictures"),
        (lambda path: _written(path / "game.mp4"), "cannot be opened as a video"),
    ],
)
def test_an_unusable_source_raises_an_error_for_the_user(tmp_path, make, message):
    with raises_text(SourceError, match=message):
        open_source(str(make(tmp_path)))


def _written(path):
    path.write_text("no video")
    return path


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    """Return a video of three seconds at 30 frames/s; the shade of frame n is 2n."""
    path = tmp_path_factory.mktemp("video") / "game.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30, (64, 48))
    for number in range(90):
        writer.write(picture(2 * number))
    writer.release()
    return path


@pytest.mark.parametrize(("fps", "count"), [(None, 30), (2, 6), (30, 90), (60, 90), (7, 21)])
def test_a_video_is_sampled_by_its_own_clock(video, fps, count):
    found = list(open_source(str(video), fps))
    assert len(found) == count
    for frame in found:
        assert shade_of(frame) == pytest.approx(2 * frame.time * 30, abs=3)
        assert frame.name == f"game.avi {frame.time:.2f} s"


# --- cameras, with faults


class FakeCapture:
    """A capture with a script of pictures, bytes, None (a damaged frame), "end", "hang" and errors to raise."""

    def __init__(self, script: Iterator[object], release: threading.Event) -> None:
        self._script, self._release, self._now = script, release, None
        self.released = False
        self.hangs = False

    def grab(self) -> bool:
        self._now = next(self._script, "hang")
        if isinstance(self._now, Exception):
            raise self._now
        if isinstance(self._now, str):
            if self._now == "hang":
                self.hangs = True
                self._release.wait(20)
            return False
        time.sleep(0.01)
        return True

    def retrieve(self):
        return self._now

    def release(self) -> None:
        self.released = True


class FakeOpener:
    """Opens one capture for each script; an error in place of a script is raised."""

    def __init__(self, *scripts: object) -> None:
        self._scripts = iter(scripts)
        self.opened: list[FakeCapture] = []
        self.tried = 0
        self.release = threading.Event()

    def __call__(self) -> FakeCapture:
        self.tried += 1
        script = next(self._scripts, [])
        if isinstance(script, Exception):
            raise script
        self.opened.append(FakeCapture(iter(script), self.release))
        return self.opened[-1]


@pytest.fixture
def live():
    """Return a function that makes live sources; they are closed and their hanging threads released at the end."""
    made: list[tuple[LiveSource, FakeOpener]] = []

    def make(
        *scripts: object, fps: float = 1000, timing: LiveTiming = QUICK
    ) -> tuple[LiveSource, FakeOpener]:
        opener = FakeOpener(*scripts)
        made.append((LiveSource("camera 0", opener, fps, timing), opener))
        return made[-1]

    yield make
    for source, opener in made:
        source.close()
        opener.release.set()
        wait_until(lambda opener=opener: all(each.released for each in opener.opened))


def test_only_the_newest_frame_is_kept(live):
    source, opener = live([picture(number) for number in range(1, 30)])
    wait_until(lambda: opener.opened and opener.opened[0].hangs)  # all frames were grabbed, none requested
    frame = source.next(0)
    assert frame is not None
    assert shade_of(frame) == 29
    assert source.next(0) is None


def test_frames_are_limited_to_the_requested_rate(live):
    source, _ = live([picture(1)] * 40, fps=20)
    found = list(itertools.takewhile(bool, (source.next(0.3) for _ in range(40))))
    assert len(found) >= 2
    assert len(found) <= 20 * found[-1].time + 2


def test_fewer_frames_are_decoded_while_nothing_happens(live):
    script = [picture(1)] * 40  # 0.4 s
    usual, _ = live(script, fps=30)
    calm, _ = live(script, fps=30)
    calm.calm = True
    counts = [
        len(list(itertools.takewhile(bool, (source.next(0.3) for _ in script)))) for source in (usual, calm)
    ]
    assert 1 <= counts[1] < counts[0]


def test_a_missing_camera_is_retried_and_reports_why(live):
    missing = SourceError("no camera 0: is it plugged in?")
    source, opener = live(*[missing] * 4, [picture(7)] * 5)
    wait_until(lambda: source.fault)
    assert (source.state, source.fault) == ("absent", "no camera 0: is it plugged in?")
    frame = source.next(5)
    assert frame is not None
    assert shade_of(frame) == 7
    assert (source.state, source.fault, opener.tried) == ("live", None, 5)


@pytest.mark.parametrize("end", ["end", OSError("the driver tripped"), cv2.error("ioctl")])
def test_an_unplugged_camera_is_reopened(live, end):
    source, opener = live([picture(5), end], [picture(6)] * 3)
    first = source.next(5)
    wait_until(lambda: opener.tried == 2 or source.state == "back-off")
    second = first
    while second is not None and shade_of(second) != 6:
        second = source.next(5)
    assert second is not None
    assert opener.opened[0].released


def test_a_hung_read_is_abandoned_and_releases_its_device_when_it_returns(live):
    working = [[picture(6)] * 200] * 9  # a busy machine may abandon some of them, too
    source, opener = live([picture(5), "hang"], *working)
    assert source.next(5)
    wait_until(lambda: source.state == "stale")
    wait_until(lambda: (frame := source.next(0.05)) is not None and shade_of(frame) == 6)
    assert not opener.opened[0].released
    opener.release.set()
    wait_until(lambda: opener.opened[0].released)
    assert source.state == "live"


def test_a_hung_open_is_abandoned_too(live):
    began = threading.Event()

    def hanging() -> Iterator[object]:
        began.set()
        yield "hang"

    working = [[picture(6)] * 200] * 9  # a busy machine may abandon some of them, too
    source, _ = live(hanging(), *working)
    wait_until(lambda: (frame := source.next(0.05)) is not None and shade_of(frame) == 6)
    assert began.is_set()


def test_a_driver_that_always_hangs_raises_an_error(live):
    source, _ = live()
    with raises_text(CaptureHungError, match="camera 0 has stopped responding"):
        source.next(20)


def test_damaged_frames_are_skipped_but_black_ones_and_other_sizes_are_not(live):
    broken = [None, b"\xff\xd8\xff no", jpeg(120), picture(0), picture(50, (128, 96))]
    source, _ = live(itertools.chain.from_iterable(itertools.repeat(broken, 3)))
    seen = set()
    while (frame := source.next(0.2)) is not None:
        seen.add((shade_of(frame), frame.bgr.shape[1]))
    assert seen == {(120, 64), (0, 64), (50, 128)}


def test_a_closed_source_delivers_no_frames(live):
    source, opener = live([picture(1)] * 1000)
    assert source.next(5)
    source.close()
    assert source.state == "ended"
    wait_until(lambda: opener.opened[0].released)
    list(source)  # must return


def test_the_error_for_a_missing_camera_lists_those_found(monkeypatch, capfd):
    monkeypatch.setattr(cameras, "list_cameras", lambda: ["0 (Webcam)", "2 (Capture card)"])
    with raises_text(
        SourceError, match=r"camera 63 cannot be opened: .*cameras found: 0 \(Webcam\), 2 \(Capture card\)"
    ):
        cameras.camera_opener(63)()
    monkeypatch.setattr(cameras, "list_cameras", list)
    with raises_text(SourceError, match="no camera was found here"):
        cameras.camera_opener(63)()


# --- motion JPEG over HTTP


@pytest.fixture(scope="module")
def server():
    """Serve a phone's camera app: /video sends motion JPEG in small pieces, /stalls stops halfway, /page is HTML."""

    class CameraApp(BaseHTTPRequestHandler):
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
                part = head + data + (b"\0\0\0" if number % 2 else b"") + b"\r\n"
                for start in range(0, len(part), 7):
                    self.wfile.write(part[start : start + 7])
            if self.path == "/stalls":
                self.wfile.write(jpeg(1)[:100])
                self.wfile.flush()
                time.sleep(1.5)

        def log_message(self, *_: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), CameraApp)
    httpd.daemon_threads = True
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_port}"
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def test_motion_jpeg_is_split_into_frames(server):
    frames = open_motion_jpeg(f"{server}/video")
    assert frames is not None
    shades = []
    while frames.grab():
        shades.append(shade_of(Frame("a", 0, jpeg=frames.retrieve())))
    frames.release()
    assert shades == [40, 80, 120, 160, 200]


def test_a_password_is_sent_to_the_camera_but_never_displayed(server):
    place = server.removeprefix("http://")
    frames = open_motion_jpeg(f"http://me:p%20o@{place}/closed")
    assert frames is not None
    frames.release()
    with raises_text(SourceError, match="Unauthorized") as refused:
        open_motion_jpeg(f"http://me:secret@{place}/closed")
    assert "secret" not in error_text(refused.value)


def test_a_response_that_is_not_motion_jpeg_returns_none(server):
    assert open_motion_jpeg(f"{server}/page") is None


def test_an_unreachable_stream_raises_an_error():
    with raises_text(
        SourceError, match=r"no pictures arrive from http://127\.0\.0\.1:9/video .*same network"
    ):
        open_motion_jpeg("http://127.0.0.1:9/video")


def test_a_url_opens_a_live_source(server):
    with open_source(f"{server}/video") as source:
        assert source.live
        frame = source.next(5)
        assert frame is not None
        assert frame.bgr.shape == (48, 64, 3)


def test_a_stalled_stream_raises_a_timeout(server, monkeypatch):
    monkeypatch.setattr("vision.sources.mjpeg._TIMEOUT_S", 0.3)
    frames = open_motion_jpeg(f"{server}/stalls")
    assert frames is not None
    assert sum(1 for _ in itertools.takewhile(bool, (frames.grab() for _ in range(5)))) == 5
    with pytest.raises(OSError, match="timed out"):
        frames.grab()
    frames.release()


def test_a_missing_camera_prints_no_warnings(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SourceError):
        camera_opener(99)()
    assert capfd.readouterr().err == ""
