"""The proxies of `deploy/`, nginx and Caddy, with their example configurations before server processes on this machine."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ["PROXIES", "proxy", "proxy_program"]

PROXIES: Final = ("nginx", "caddy")
_DEPLOY: Final = Path(__file__).resolve().parents[2] / "deploy"
_START_S: Final = 20.0
_NGINX: Final = """\
{user}
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {example}
}}
"""


def proxy_program(name: str) -> str | None:
    """Return the program of a proxy, None if it is not installed; Debian keeps nginx out of a plain user's path."""
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")


@contextmanager
def proxy(name: str, folder: Path, servers: Sequence[int]) -> Iterator[int]:
    """Run a proxy before the servers on these ports, and yield its own port."""
    program = proxy_program(name)
    assert program is not None
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    make = _nginx if name == "nginx" else _caddy
    command = [program, *make(folder, port, servers)]
    environment = {**os.environ, "SITE": f"http://127.0.0.1:{port}", "HOME": str(folder)}
    with (folder / "proxy.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + _START_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                text = (folder / "proxy.log").read_text(encoding="utf-8")
                assert process.poll() is None, text
                assert time.monotonic() < deadline, text
                time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()


def _nginx(folder: Path, port: int, servers: Sequence[int]) -> list[str]:
    example = (_DEPLOY / "nginx.conf").read_text(encoding="utf-8").replace("443 ssl", f"127.0.0.1:{port}")
    example = re.sub(r" +ssl_certificate.*\n", "", example)
    lines = re.findall(r" +server server[0-9].*\n", example)
    example = example.replace(
        "".join(lines),
        "".join(re.sub(r"server[0-9]:8420", f"127.0.0.1:{each}", lines[0]) for each in servers),
    )
    user = "user root;" if os.geteuid() == 0 else ""
    file = folder / "nginx.conf"
    file.write_text(_NGINX.format(user=user, folder=folder, example=example), encoding="utf-8")
    return ["-p", str(folder), "-c", str(file), "-g", "daemon off;"]


def _caddy(folder: Path, port: int, servers: Sequence[int]) -> list[str]:
    example = (_DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    upstreams = " ".join(f"127.0.0.1:{each}" for each in servers)
    example = example.replace("server1:8420 server2:8420 server3:8420", upstreams)
    file = folder / "Caddyfile"
    file.write_text(f"{{\n\tadmin off\n}}\n{example}", encoding="utf-8")
    return ["run", "--config", str(file), "--adapter", "caddyfile"]
