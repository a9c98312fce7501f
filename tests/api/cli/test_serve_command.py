"""``companion serve`` as a process: addresses, QR code, a port in use, a clean end, and a persistent log."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest

from api.cli.listening import listen_tls
from api.context import Context
from companion.cli import main
from companion.net.addresses import qr_lines, urls
from companion.net.certificates import Authority
from tests.small_disk import small_disk

START_S = 60.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def command(port: int, data: Path, *options: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "companion.cli",
        "serve",
        "--port",
        str(port),
        "--data",
        str(data),
        *options,
    ]


def refused(data: Path, *options: str) -> str:
    """Return the error message of a command that does not start with these options."""
    ended = subprocess.run(
        command(free_port(), data, "--host", "127.0.0.1", *options),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1
    return ended.stderr


@contextmanager
def serving(port: int, data: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command(port, data, "--host", "127.0.0.1", *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        deadline = time.monotonic() + START_S
        while True:
            try:
                assert get(port, "/api/cards")[0] == 200
                break
            except OSError:
                assert process.poll() is None, process.communicate()
                assert time.monotonic() < deadline
                time.sleep(0.05)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def invite(data: Path, *options: str) -> dict[str, Any]:
    """Return the output of `companion invite` in another process."""
    asked = [sys.executable, "-m", "companion.cli", "invite", "--data", str(data), "--json", *options]
    ended = subprocess.run(asked, capture_output=True, encoding="utf-8", check=True, timeout=60)
    reported: dict[str, Any] = json.loads(ended.stdout)
    return reported


def own_address() -> str:
    """Return the name in the address for phones."""
    return str(urlsplit(urls()[0]).hostname)


def get(port: int, path: str, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers=headers or {})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def post(port: int, path: str, body: object) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def opened(port: int) -> str:
    return str(json.loads(post(port, "/api/tables", {"game": "koikoi", "players": ["A", "B"]})[1])["id"])


def test_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    """The other tests end it with SIGTERM."""
    port = free_port()
    with serving(port, tmp_path / "data") as process:
        assert get(port, "/")[0] == 200
        process.send_signal(signal.SIGINT)
        output, complained = process.communicate(timeout=20)
        assert process.returncode == 0
    assert f"http://127.0.0.1:{port}/" in output
    assert "█" in output
    assert str(tmp_path / "data") in output
    assert "Traceback" not in complained


def test_the_printed_link_makes_one_phone_the_host_and_a_second_process_invites_more(tmp_path: Path) -> None:
    """A machine without a screen could not be set up: a phone had to type a PIN that no page displayed."""
    port = free_port()
    with serving(port, tmp_path, "--json") as process:
        assert process.stdout
        link = json.loads(process.stdout.readline())["host"]
        code = link.partition("#code=")[2]
        first = json.loads(post(port, "/api/pair", {"code": code})[1])
        assert (first["role"], first["paired"]) == ("host", True)
        status, body = post(port, "/api/pair", {"code": code})
        assert (status, json.loads(body)["type"]) == (403, "/problems/no-such-invitation")
        invited = invite(tmp_path, "--seat", "2", "--name", "Bo")
        assert invited["link"].startswith(f"http://{own_address()}:{port}/join#code=")
        second = json.loads(post(port, "/api/pair", {"pin": invited["pin"]})[1])
        assert (second["role"], second["seat"], second["name"]) == ("scorer", 2, "Bo")
        machine = invite(tmp_path, "--role", "camera")
        bearer = {"Authorization": f"Bearer {machine['token']}"}
        assert json.loads(get(port, "/api/me", bearer)[1])["role"] == "camera"
        process.terminate()
        process.communicate(timeout=20)
    secrets = (code, invited["link"].partition("#code=")[2], invited["pin"], machine["token"])
    for path in tmp_path.rglob("*"):  # the database, the logs
        assert not path.is_file() or not any(secret.encode() in path.read_bytes() for secret in secrets), path


def test_a_start_prints_its_addresses_as_json_and_withdraws_the_link_of_the_last_one(tmp_path: Path) -> None:
    """The link on a photograph of the terminal made its finder a host weeks later."""
    links: list[str] = []
    port = free_port()
    for _ in range(2):
        with serving(port, tmp_path, "--json", "--no-https") as process:
            codes = [link.partition("#code=")[2] for link in links]
            answers = [post(port, "/api/pair", {"code": each})[0] for each in codes]
            process.terminate()
            output, complained = process.communicate(timeout=20)
            assert (process.returncode, complained) == (0, "Stopped.\n")
        reported = json.loads(output)
        links.append(reported.pop("host"))
        assert links[-1].startswith(f"http://127.0.0.1:{port}/join#code=")
        assert reported == {"serving": [f"http://127.0.0.1:{port}/"], "data": str(tmp_path)}
    assert answers == [403]


def test_a_port_in_use_is_reported_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        output = refused(tmp_path, "--port", str(port))
    assert f"port {port}" in output
    assert "--port" in output


def test_a_data_folder_that_is_a_file_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    assert "--data" in refused(tmp_path / "data")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--demo", "--camera", "0"), "--demo"),
        (("--players", "Aiko,Ben"), "--camera"),
        (("--game", "koikoi"), "--camera"),
        (("--camera", "0", "--players", "Aiko"), "needs 2 players"),
        (("--camera", "0", "--game", "kekoro", "--rules", "koikoi-hu"), "koikoi-hu"),
        (("--camera", "0", "--game", "bridge"), "bridge"),
        (("--phones", "0"), "--phones"),
    ],
)
def test_options_that_do_not_go_together(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.setattr(
        "api.context.Context.__init__", lambda *_, **__: pytest.fail("the options were accepted")
    )
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--data", str(tmp_path), *options])
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out, printed.err.count("\n")) == (2, "", 1)
    assert says in printed.err


def test_beside_a_camera_worker_the_server_loads_no_scanner() -> None:
    """Server and worker together have 500 MB on a small computer; only the worker needs networks and solvers."""
    code = "import sys, api.app; print(sorted({'vision.photograph.scanner', 'scipy.optimize', 'onnxruntime'} & sys.modules.keys()))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert ended.stdout == "[]\n"


def test_streams_end_with_the_server(tmp_path: Path) -> None:
    port = free_port()
    with serving(port, tmp_path) as process:
        table = opened(port)
        stream = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        stream.request("GET", f"/api/tables/{table}/events")
        response = stream.getresponse()
        assert response.readline() == b"event: snapshot\n"
        process.terminate()
        response.read()  # to its end
        _, complained = process.communicate(timeout=20)
        assert process.returncode == 0
        stream.close()
    assert complained == "Stopped.\n"


def test_a_camera_that_is_away_blocks_nothing_and_ends_with_the_server(tmp_path: Path) -> None:
    port = free_port()
    camera = ("--camera", str(tmp_path / "no-such-folder"), "--players", "Aiko,Ben", "--json")
    with serving(port, tmp_path / "data", *camera) as process:
        (listed,) = json.loads(get(port, "/api/tables")[1])["tables"]
        assert (listed["players"], listed["game"]) == (["Aiko", "Ben"], "koikoi")
        path = f"/api/tables/{listed['id']}"
        deadline = time.monotonic() + START_S
        while (worker := json.loads(get(port, f"{path}/camera")[1])["worker"])["code"] is None:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert worker["code"] == 2  # the reason is on standard error
        reported = {"events": [{"kind": "seated", "data": {"seat": 1, "name": "Cho"}}]}
        assert post(port, f"{path}/events", reported)[0] == 200
        process.terminate()
        output, complained = process.communicate(timeout=20)
        assert process.returncode == 0
    assert json.loads(output)["table"] == listed["id"]
    assert "no-such-folder" in complained
    with serving(port, tmp_path / "data", *camera) as process:
        tables = json.loads(get(port, "/api/tables")[1])["tables"]
        process.terminate()
        output, _ = process.communicate(timeout=20)
    assert [each["id"] for each in tables] == [listed["id"]]
    assert json.loads(output)["table"] == listed["id"]


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8420/"),
        ("::1", "http://[::1]:8420/"),
        ("table.local", "http://table.local:8420/"),
    ],
)
def test_a_named_address_is_the_one_to_type(host: str, url: str) -> None:
    assert urls(host, 8420) == [url]


def test_anywhere_means_this_machines_address_and_localhost() -> None:
    *lan, local = urls("0.0.0.0", 8420)
    assert local == "http://localhost:8420/"
    assert all(url.startswith("http://") and "0.0.0.0" not in url for url in lan)


@pytest.mark.parametrize(
    "url", ["http://192.168.1.23:8420/", "http://10.0.0.2:80/", "http://a-long-name.local:8420/"]
)
def test_the_qr_code_reads_as_the_address(url: str) -> None:
    rows: list[list[bool]] = []
    for line in qr_lines(url):
        blocks = line.removeprefix("  ").removeprefix("\x1b[30m\x1b[107m").removesuffix("\x1b[0m")
        rows += [[block in "▀█" for block in blocks], [block in "▄█" for block in blocks]]
    picture = np.where(np.kron(np.array(rows), np.ones((8, 8), bool)), 0, 255).astype(np.uint8)
    assert cv2.QRCodeDetector().detectAndDecode(np.pad(picture, 32, constant_values=255))[0] == url


def test_https_is_there_from_the_first_start(tmp_path: Path) -> None:
    """With the household's own certificate, on another port if a second server has the usual one."""
    secure = []
    with ExitStack() as stack:
        for name in ("one", "other"):
            process = stack.enter_context(serving(free_port(), tmp_path / name, "--json"))
            assert process.stdout is not None
            (url,) = (url for url in json.loads(process.stdout.readline())["serving"] if "https" in url)
            secure.append(urlsplit(url).port)
            root = tmp_path / name / "tls" / "ca.pem"
            tls = ssl.create_default_context(cafile=str(root))
            connection = http.client.HTTPSConnection("127.0.0.1", secure[-1], timeout=10, context=tls)
            connection.request("GET", "/api/health")
            assert connection.getresponse().status == 200
            connection.close()
    assert len(set(secure)) == 2


def test_an_https_port_that_is_in_use_is_reported(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "--https-port" in refused(tmp_path, "--https-port", str(taken.getsockname()[1]))


def test_a_full_disk_at_the_first_start_leaves_only_http() -> None:
    with small_disk(1) as disk:
        disk.fill()
        settings = SimpleNamespace(hosts=())
        ctx = cast("Context", SimpleNamespace(folder=disk.folder, settings=settings))
        server = Mock()
        assert listen_tls(server, Mock(config={}), ctx, "127.0.0.1", None) is None
        server.listen_tls.assert_not_called()


def test_https_starts_with_the_last_certificate_on_a_full_disk() -> None:
    """After a change of the address the start ended in a traceback, because the new certificate could not be written."""
    with small_disk(1) as disk:
        authority = Authority(disk.folder)
        authority.create("pi", {"pi.example", "new.example"})
        authority.certify({"pi.example"})
        disk.fill()
        settings = SimpleNamespace(hosts=("new.example",))
        ctx = cast("Context", SimpleNamespace(folder=disk.folder, settings=settings))
        server = Mock()
        renewal = listen_tls(server, Mock(config={}), ctx, "127.0.0.1", 8443)
        server.listen_tls.assert_called_once()
        assert renewal is not None
        disk.free()
        assert renewal.step()
