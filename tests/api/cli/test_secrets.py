"""No secret leaves a running server: command lines, log files, standard error, answers of the API, and the debug archive."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.api.cli.test_serve_command import START_S, free_port, get, post, serving

SECRETS = ("S3CRETcam", "S3CRETbroker", "S3CRETstore", "S3CRETpin", "S3CRETcode", "S3CRETtoken")


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="no list of processes")
def test_no_planted_secret_leaves_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, archive, port = tmp_path / "data", tmp_path / "debug.zip", free_port()
    monkeypatch.setenv("COMPANION_CAMERA", "rtsp://aki:S3CRETcam@127.0.0.1:9/live?token=S3CRETcam")
    monkeypatch.setenv("COMPANION_MQTT_BROKER", "aki:S3CRETbroker@127.0.0.1:9")
    with serving(port, data, "--json") as process:
        (table,) = json.loads(get(port, "/api/tables")[1])["tables"]
        camera = f"/api/tables/{table['id']}/camera"
        deadline = time.monotonic() + START_S
        while "127.0.0.1:9" not in (answer := get(port, camera)[1].decode()):
            assert time.monotonic() < deadline, answer
            time.sleep(0.1)
        post(port, "/api/pair", {"pin": "S3CRETpin", "name": "a phone"})
        get(port, "/join?code=S3CRETcode&token=S3CRETtoken")
        get(port, "/api/me", {"Authorization": "Bearer S3CRETtoken"})
        paths = (camera, "/api/tables", "/api/health", "/api/devices", f"/api/tables/{table['id']}")
        answers = [answer, *(get(port, path)[1].decode() for path in paths)]
        commands = list(command_lines())
        assert sum("companion.cli" in each for each in commands) >= 3  # the server, its camera, MQTT
        # As an editor leaves it: the running server has read its settings.
        (data / "settings.toml").write_text(
            'store = "postgresq://aki:S3CRETstore@db/x"\npassword = "S3CRETstore"\n'
        )
        doctor = subprocess.run(
            [sys.executable, "-m", "companion.cli", "doctor", "--data", data, "--archive", archive],
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        process.terminate()
        _, complaints = process.communicate(timeout=20)
    with zipfile.ZipFile(archive) as packed:
        members = {name: packed.read(name).decode() for name in packed.namelist()}
    logs = [path.read_text() for path in (data / "logs").iterdir()]
    assert {"settings.toml", "logs/server.log"} <= set(members)
    assert logs
    texts = [*answers, *commands, complaints, doctor.stdout, doctor.stderr, *members.values(), *logs]
    assert [(secret, text) for secret in SECRETS for text in texts if secret in text] == []


def command_lines() -> Iterator[str]:
    """Yield the command lines of all processes, as `ps` prints them for every user."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it ended meanwhile
            yield path.read_bytes().decode(errors="replace")
