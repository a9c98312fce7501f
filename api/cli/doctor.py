"""``companion doctor``: checks this installation, states what is wrong and what to do, and packs a debug archive."""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import sys
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final, Literal

import click

from companion.cli.language import cli_language, say
from companion.cli.terminal import json_option, print_result, server_data_option, store_option, store_place
from companion.hanafuda.errors import BadRequestError, MessageError
from companion.hanafuda.messages import Message
from companion.messages import error_text
from companion.net.addresses import PORT, lan_address, urls
from companion.redaction import redacted

Level = Literal["ok", "warning", "problem"]

_NETWORKS: Final = (
    "detector-int8",
    "detector-large",
    "matcher",
    "recognizer",
    "recognizer-int8",
    "refiner",
    "refiner-int8",
)
_LITTLE_SPACE: Final = 2**30
"""Free space below which a warning is given, bytes: about 300 photographs."""
_NO_SPACE: Final = 2**26
"""Free space below which the log will soon be refused, bytes."""
_CONNECT_S: Final = 1.0
"""Timeout for a connection to this machine, s."""
_LOGS: Final = "server.log*"
_CAMERAS: Final = "video*"
_SERIAL_PORTS: Final = ("ttyUSB*", "ttyACM*")


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check: ``problem`` if something will not work, ``warning`` if something soon may not."""

    level: Level
    message: Message


def all_checks(
    folder: Path, store: Path | str, port: int, devices: Path = Path("/dev")
) -> Iterator[CheckResult]:
    """Yield the results of all checks of data folder ``folder``, the store, and the server's port.

    ``store``: the folder, or the URL of a database. ``devices``: folder of device files.
    """
    yield check_models()
    yield from check_folder(folder)
    if isinstance(store, str):
        yield check_database(store)
    yield check_settings(folder)
    yield from check_network(folder, port)
    yield check_https(folder)
    yield from check_device_files(devices.glob(_CAMERAS), "camera", "video")
    yield from check_device_files(
        (path for pattern in _SERIAL_PORTS for path in devices.glob(pattern)), "serial", "dialout"
    )


def _result(level: Level, code: str, **params: str | int) -> CheckResult:
    return CheckResult(level, Message(code, params))


def check_models(models: Path | None = None) -> CheckResult:
    """Load every network from ``models``, by default the shipped ones."""
    try:
        from vision.networks.onnx_sessions import MODELS, MissingModelError, open_session  # noqa: PLC0415
    except ImportError as error:
        return _result("problem", "doctor-import", reason=str(error))
    try:
        for network in _NETWORKS:
            open_session((models or MODELS) / f"{network}.onnx")
    except MissingModelError as error:
        return _result("problem", "doctor-models-missing", reason=error_text(error))
    except Exception as error:  # onnxruntime has no base class for its errors
        return _result("problem", "doctor-models-damaged", reason=str(error).splitlines()[0])
    return _result("ok", "doctor-models", count=len(_NETWORKS))


def check_folder(folder: Path) -> Iterator[CheckResult]:
    """Check that the data folder can be written, its disk, its log, and the notices of earlier servers."""
    from companion.store.folder_lock import network_file_system  # noqa: PLC0415
    from companion.store.notices import Notices  # noqa: PLC0415
    from companion.store.recovery import log_fault  # noqa: PLC0415
    from companion.store.store import has_store  # noqa: PLC0415  # the database takes a moment to load

    existing = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        yield _result("problem", "doctor-folder-not-writable", folder=str(folder))
        return
    yield _result("ok", "doctor-folder" if existing == folder else "doctor-folder-new", folder=str(folder))
    free = shutil.disk_usage(existing).free
    if free < _LITTLE_SPACE:
        level: Level = "problem" if free < _NO_SPACE else "warning"
        yield _result(level, "doctor-disk-full", folder=str(folder), free=free // 2**20)
    if kind := network_file_system(folder):
        yield _result("warning", "doctor-network-folder", folder=str(folder), kind=kind)
    if existing != folder:
        return
    if has_store(folder):
        fault = log_fault(folder)
        yield _result("ok", "doctor-log") if fault is None else CheckResult("problem", fault)
    for notice in Notices(folder).all():
        yield CheckResult("warning", notice.message)


def check_database(url: str) -> CheckResult:
    """Open the database that several servers share, and check that it can be written."""
    from companion.store import LogUnusableError, place_name  # noqa: PLC0415
    from companion.store.store import open_store  # noqa: PLC0415

    place = place_name(url)
    try:
        store = open_store(url)
    except LogUnusableError as error:
        return CheckResult("problem", error.message)
    try:
        fault = store.fault()
    finally:
        store.close()
    if fault is not None:
        return CheckResult("problem", fault.message)
    return _result("ok", "doctor-database", store=place)


def check_settings(folder: Path) -> CheckResult:
    """Read `settings.toml` and the environment variables."""
    from companion.settings import SETTINGS_FILE, Settings  # noqa: PLC0415  # pydantic takes a moment to load

    try:
        Settings.load(folder)
    except MessageError as error:
        return CheckResult("problem", error.message)
    exists = (folder / SETTINGS_FILE).exists()
    return _result("ok", "doctor-settings" if exists else "doctor-settings-default", file=SETTINGS_FILE)


def check_network(folder: Path, port: int) -> Iterator[CheckResult]:
    """Check that phones can reach this machine, and that the port is free or belongs to the running server."""
    from companion.store.folder_lock import running_server  # noqa: PLC0415

    if lan_address() is None:
        yield _result("problem", "doctor-no-network")
    else:
        yield _result("ok", "doctor-network", url=urls(port=port)[0])
    server = running_server(folder)
    if server is not None:
        yield _result("ok", "doctor-server", address=server.address)
    elif _is_served(port):
        yield _result("problem", "doctor-port-used", port=str(port))
    else:
        yield _result("ok", "doctor-port-free", port=str(port))


def _is_served(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), _CONNECT_S).close()
    except OSError:
        return False
    return True


def check_https(folder: Path) -> CheckResult:
    """Check the files of the household's certificate authority, if there is one."""
    from companion.net.certificates import Authority  # noqa: PLC0415  # cryptography takes a moment to load

    authority = Authority(folder)
    if not authority.exists:
        return _result("ok", "doctor-https-off")
    try:
        ends = authority.root.not_valid_after_utc
    except MessageError as error:
        return CheckResult("problem", error.message)
    return _result("ok", "doctor-https", date=ends.date().isoformat())


def check_device_files(paths: Iterable[Path], kind: str, group: str) -> Iterator[CheckResult]:
    """Check that this user may open device files; ``group`` is the group of Debian whose members may."""
    if sys.platform != "linux":
        return
    paths = sorted(paths)
    denied = [path for path in paths if not os.access(path, os.R_OK | os.W_OK)]
    for path in denied:
        yield CheckResult("problem", Message(f"doctor-{kind}-denied", {"path": str(path), "group": group}))
    usable = [str(path) for path in paths if path not in denied]
    if usable:
        yield CheckResult("ok", Message(f"doctor-{kind}-found", {"paths": ", ".join(usable)}))
    elif not denied:
        yield CheckResult("ok", Message(f"doctor-{kind}-none"))


def write_archive(path: Path, folder: Path, checks: Iterable[dict[str, Any]]) -> None:
    """Write a ZIP file with the results of ``checks``, versions, settings and logs of data folder ``folder``.

    Secrets are replaced. Raises `BadRequestError` if the file cannot be written.
    """
    from companion.logs import LOG_FOLDER  # noqa: PLC0415  # structlog takes a moment to load
    from companion.settings import SETTINGS_FILE  # noqa: PLC0415  # pydantic takes a moment to load

    system = {
        "python": sys.version,
        "platform": platform.platform(),
        "machine": platform.machine(),
        "packages": {each.metadata["Name"]: each.version for each in distributions()},
    }
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("checks.json", redacted(json.dumps(list(checks), ensure_ascii=False, indent=1)))
            archive.writestr("system.json", json.dumps(system, ensure_ascii=False, indent=1))
            for file in (folder / SETTINGS_FILE, *sorted((folder / LOG_FOLDER).glob(_LOGS))):
                if file.is_file():
                    text = file.read_text(encoding="utf-8", errors="backslashreplace")
                    archive.writestr(str(file.relative_to(folder)), redacted(text))
    except OSError as error:
        raise BadRequestError(
            f"The debug archive {path} cannot be written: {error.strerror or str(error)}. Choose another path with `--archive`."
        ) from error


_MARKS: Final[dict[Level, tuple[str, str]]] = {
    "ok": ("✓", "green"),
    "warning": ("!", "yellow"),
    "problem": ("✗", "red"),
}
"""The mark of each level, and its color in a terminal."""


@click.command()
@server_data_option
@store_option
@click.option(
    "--port",
    default=PORT,
    show_default=True,
    type=click.IntRange(1, 65535),
    metavar="P",
    help="The port on which `companion serve` is to listen.",
)
@click.option(
    "--archive",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    metavar="FILE",
    help="Also write these results, the settings and the logs to a ZIP file for a bug report. It has no pictures, tokens or"
    " keys.",
)
@json_option
@click.pass_context
def doctor(ctx: click.Context, *, data: Path | None, port: int, archive: Path | None, as_json: bool) -> None:
    """Check this installation: what is wrong, and what to do.

    Checks the card recognition, the data folder, the log, the settings, the network, HTTPS, cameras and serial ports. Nothing
    is changed, and a running server is not disturbed. Ends with exit code 1 if there is a problem.
    """
    from companion.settings import SettingsError  # noqa: PLC0415  # pydantic takes a moment to load
    from companion.store import default_folder  # noqa: PLC0415  # the database takes a moment to load

    folder = data or default_folder()
    try:
        store = store_place(data)
    except SettingsError:  # one of the checks reports it
        store = folder
    results = list(all_checks(folder, store, port))
    for each in results:
        mark, color = _MARKS[each.level]
        text = f"{click.style(mark, fg=color, bold=True)} {say(each.message)}"
        print_result(_document(each), text, as_json=as_json)
    if archive is not None:
        write_archive(archive, folder, map(_document, results))
        click.echo(f"The debug archive is {archive}.", err=as_json)
    if not as_json:
        click.echo(say(_summary(results)))
    ctx.exit(any(each.level == "problem" for each in results))


def _document(result: CheckResult) -> dict[str, object]:
    return {
        "level": result.level,
        **result.message.to_dict(),
        "message": say(result.message),
        "language": cli_language(),
    }


def _summary(results: Iterable[CheckResult]) -> Message:
    levels = [each.level for each in results]
    if problems := levels.count("problem"):
        return Message("doctor-problems", {"count": problems})
    if warnings := levels.count("warning"):
        return Message("doctor-warnings", {"count": warnings})
    return Message("doctor-fine")
