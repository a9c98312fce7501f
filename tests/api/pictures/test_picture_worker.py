"""Pictures are decoded and scanned in a separate process, which may hang, die or run out of memory; and their
storage."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from PIL import Image

from api.pictures import service
from api.pictures.service import BusyError, Pictures, Turns
from companion.net.job_process import InProcess, JobProcess
from companion.store import open_documents
from tests.api.api_helpers import ScannerDouble, context_of, jpeg, stored_files, upload
from tests.api.picture_doubles import DIES, FAILS, FILLS_MEMORY, HANGS, faulty_jobs
from tests.message_text import raises_text
from vision.pictures import picture_decoding
from vision.pictures.picture_files import PictureError

HEIC = Path(__file__).parents[2] / "vision" / "data" / "blue-64x48.heic"


def until(true: Callable[[], object], timeout: float = 20.0) -> None:
    end = time.monotonic() + timeout
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobProcess]:
    """A real worker process with a faulty scanner, shared by the tests of this module."""
    jobs = JobProcess(
        partial(faulty_jobs, open_documents(tmp_path_factory.mktemp("data"))), service.MEMORY_LIMIT
    )
    yield jobs
    jobs.stop()


@pytest.fixture
def phone(app: APIFlask, worker: JobProcess) -> FlaskClient:
    """A client of an application whose pictures are scanned by the worker."""
    context_of(app).pictures.jobs = worker
    return app.test_client()


def refused(response: Any, status: int, slug: str) -> None:
    assert (response.status_code, response.json["type"]) == (status, f"/problems/{slug}"), response.json
    assert response.json["detail"].endswith(".")


def test_a_picture_that_takes_too_long_is_given_up(
    phone: FlaskClient, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file kept a thread of the server busy for 93 s; the next picture must be scanned normally."""
    assert upload(phone).status_code == 200  # the worker is running
    before = stored_files(data)
    with monkeypatch.context() as patched:
        patched.setattr(service, "SCAN_LIMIT_S", 0.3)
        refused(upload(phone, jpeg(color=HANGS)), 413, "picture-too-costly")
    assert stored_files(data) == before
    assert upload(phone).status_code == 200


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_a_picture_that_takes_too_much_memory_is_given_up(phone: FlaskClient) -> None:
    refused(upload(phone, jpeg(color=FILLS_MEMORY)), 413, "picture-too-costly")
    assert upload(phone).status_code == 200


@pytest.mark.parametrize("fault", [DIES, FAILS])
def test_a_worker_that_fails_or_dies_is_a_problem_in_one_sentence(
    phone: FlaskClient, data: Path, fault: str
) -> None:
    refused(upload(phone, jpeg(color=fault)), 500, "scanner-failed")
    assert stored_files(data) == []
    assert upload(phone).status_code == 200


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_worker_killed_in_the_middle_of_a_picture(phone: FlaskClient, worker: JobProcess) -> None:
    assert upload(phone).status_code == 200
    answers: list[Any] = []
    waiting = threading.Thread(target=lambda: answers.append(upload(phone, jpeg(color=HANGS))))
    waiting.start()
    time.sleep(0.3)
    pid = worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    waiting.join(20)
    refused(answers[0], 500, "scanner-failed")
    assert upload(phone).status_code == 200
    assert worker.pid not in {None, pid}


def test_the_server_itself_decodes_nothing(phone: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a picture does to its decoder does not affect the server."""

    def decoded(*_: object) -> None:
        raise AssertionError("decoded in the server")

    for kind in picture_decoding._OPENERS:
        monkeypatch.setitem(picture_decoding._OPENERS, kind, decoded)
    found = upload(phone).json["id"]
    assert phone.get(f"/api/scans/{found}/picture?width=320").status_code == 200


def gps_jpeg() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010F] = "SECRETCAMERA"
    out = io.BytesIO()
    Image.new("RGB", (64, 48), "green").save(out, "JPEG", exif=exif)
    return out.getvalue() + b"PK\x03\x04 a polyglot"


def test_stored_pictures_contain_no_location_or_device(client: FlaskClient, data: Path) -> None:
    """Anybody could download the photographs with their location."""
    found = upload(client, gps_jpeg()).json["id"]
    stored = client.get(f"/api/scans/{found}/picture", buffered=True).data
    assert b"SECRET" not in stored
    assert b"polyglot" not in stored
    assert [each.read_bytes() for each in stored_files(data)] == [stored]
    picture = Image.open(io.BytesIO(stored))
    assert picture.getexif() == {}
    assert picture.size == (48, 64), "it is still displayed upright"


def test_heic_is_stored_as_a_jpeg(client: FlaskClient) -> None:
    """A HEIC file may contain the location in many places, and few browsers display HEIC."""
    found = upload(client, HEIC.read_bytes(), name="IMG_1.HEIC").json
    with client.get(f"/api/scans/{found['id']}/picture") as response:
        assert (response.mimetype, response.data[:3]) == ("image/jpeg", b"\xff\xd8\xff")
    assert (found["width"], found["height"]) == (64, 48)


def test_corners_are_those_of_the_picture_that_was_sent(client: FlaskClient, scanner: ScannerDouble) -> None:
    """A picture of 27 megapixels is scanned at half its width."""
    answer = upload(client, jpeg(6000, 4500)).json
    assert scanner.pictures[0].shape == (2250, 3000, 3)
    assert (answer["width"], answer["height"]) == (6000, 4500)
    assert answer["cards"][1]["quad"][0] == [20.0, 0.0]


# --- the queue


def test_beyond_a_short_queue_one_is_asked_to_come_back(
    app: APIFlask, scanner: ScannerDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_WAITING", 2)
    inside, release = threading.Event(), threading.Event()

    def hold() -> None:
        inside.set()
        assert release.wait(20)

    scanner.before_scan = hold
    answers: list[int] = []

    def send() -> None:
        answers.append(upload(app.test_client()).status_code)

    phones = [threading.Thread(target=send) for _ in range(3)]
    phones[0].start()
    assert inside.wait(20)
    for each in phones[1:]:
        each.start()
    until(lambda: len(context_of(app).pictures) == 2)
    response = upload(app.test_client())
    refused(response, 503, "busy")
    assert int(response.headers["Retry-After"]) > 0
    assert app.test_client().get("/api/scans").status_code == 200, "everything else is answered meanwhile"
    release.set()
    for each in phones:
        each.join(20)
    assert answers == [200] * 3


def test_turns_go_by_priority_and_then_by_arrival() -> None:
    turns, order = Turns(), list[str]()
    entered, release = threading.Event(), threading.Event()

    def take(name: str, priority: int) -> None:
        with turns.turn(priority, 9, 20):
            order.append(name)
            if name == "first":
                entered.set()
                assert release.wait(20)

    threads = []
    for number, (name, priority) in enumerate([("first", 1), ("scan", 1), ("scan 2", 1), ("thumbnail", 0)]):
        threads.append(threading.Thread(target=take, args=(name, priority)))
        threads[-1].start()
        assert entered.wait(20)
        until(lambda: len(turns) == number)  # noqa: B023  # at once
    release.set()
    for each in threads:
        each.join(20)
    assert order == ["first", "thumbnail", "scan", "scan 2"]


def test_whoever_waits_in_vain_leaves_the_queue() -> None:
    turns = Turns()
    with turns.turn(1, 9, 20):
        for _ in range(3):
            with pytest.raises(BusyError), turns.turn(1, 1, 0.01):
                pass
        assert len(turns) == 0
    with turns.turn(1, 0, 0.01):
        pass


# --- thumbnails


class CountingRunner(InProcess):
    """Counts jobs."""

    def __init__(self, runner: InProcess) -> None:
        self.__dict__ |= runner.__dict__
        self.done: list[str] = []

    def call(self, job: str, *arguments: Any, limit_s: float) -> Any:
        self.done.append(job)
        return super().call(job, *arguments, limit_s=limit_s)


@pytest.fixture
def counted(app: APIFlask) -> CountingRunner:
    runner = context_of(app).pictures.jobs
    assert isinstance(runner, InProcess)
    context_of(app).pictures.jobs = counting = CountingRunner(runner)
    return counting


def test_a_thumbnail_asked_for_24_times_at_once_is_made_once(app: APIFlask, counted: CountingRunner) -> None:
    """Twenty-four requests decoded a picture of 7,071 x 7,071 px in twenty-four threads: 53 s and 11.7 GB."""
    found = upload(app.test_client(), jpeg(1600, 1200)).json["id"]
    answers: list[Any] = []

    def get() -> None:
        answers.append(app.test_client().get(f"/api/scans/{found}/picture?width=320"))

    threads = [threading.Thread(target=get) for _ in range(24)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(20)
    assert [answer.status_code for answer in answers] == [200] * 24
    assert len({answer.data for answer in answers}) == 1
    assert counted.done.count("thumbnail") == 1


def test_a_removed_picture_has_no_thumbnail(client: FlaskClient, counted: CountingRunner) -> None:
    found = upload(client).json["id"]
    assert client.get(f"/api/scans/{found}/picture?width=320").status_code == 200
    client.delete(f"/api/scans/{found}")
    assert client.get(f"/api/scans/{found}/picture?width=320").status_code == 404


class Thumbnails:
    """A job runner that makes thumbnails of 2,000 bytes, and records of which pictures it was asked for one."""

    def __init__(self, *errors: Exception) -> None:
        self.made: list[str] = []
        self.errors = list(errors)

    def call(self, job: str, picture: bytes, width: int, *, limit_s: float) -> bytes:
        self.made.append(picture.decode())
        if self.errors:
            raise self.errors.pop()
        return bytes(2000)

    def stop(self) -> None:
        pass


def thumbnail(pictures: Pictures, name: str) -> bytes:
    return pictures.thumbnail(name.encode, name, 320)


def test_thumbnails_are_forgotten_by_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_MAX_BYTES", 5000)
    jobs = Thumbnails()
    pictures = Pictures(jobs)
    for name in "abacab":  # b was used least recently when c is added
        assert thumbnail(pictures, name) == bytes(2000)
    assert jobs.made == ["a", "b", "c", "b"]


def test_refusals_of_thumbnails_are_remembered() -> None:
    jobs = Thumbnails(PictureError("picture-too-costly", "Too costly."))
    pictures = Pictures(jobs)
    for _ in range(2):
        with raises_text(PictureError, match="Too costly"):
            thumbnail(pictures, "bad")
    assert jobs.made == ["bad"]


def test_a_thumbnail_that_failed_is_tried_again() -> None:
    pictures = Pictures(Thumbnails(BusyError()))
    with pytest.raises(BusyError):
        thumbnail(pictures, "a")
    assert thumbnail(pictures, "a") == bytes(2000)


def test_the_server_does_without_the_libraries_that_read_pictures() -> None:
    """They took half of its memory and startup time; a server beside a camera worker never needs them."""
    code = "import api.app, sys; print(*{'cv2', 'scipy', 'onnxruntime'} & sys.modules.keys())"
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
