"""``companion calibrate``: tell the program where the table lies in the camera's picture, and check that it still lies there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.cli.terminal import json_option, print_json
from companion.files import write_json
from companion.messages import LANGUAGES, render
from companion.registration_messages import registration_message

if TYPE_CHECKING:
    import numpy as np

    from vision.geometry.registration.camera_drift import DriftReport
    from vision.geometry.registration.registration_findings import RegistrationFinding
    from vision.geometry.registration.registration_methods import RegistrationResult
    from vision.geometry.registration.table_registration import Registration
    from vision.geometry.registration.view_quality import ViewQuality

__all__ = ["TABLE_FILE", "calibrate"]

TABLE_FILE = "table.json"
#: A camera is given this long to open, and this many pictures to settle its exposure.
_CAMERA_MS = 8000
_WARM_UP = 12


def _size(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[float, float] | None:
    if value is None:
        return None
    from vision.geometry.registration.printed_mat import PAPERS  # noqa: PLC0415  # as below

    for paper, size in PAPERS.items():
        if value.lower() == paper.lower():
            return max(size), min(size)
    told = re.fullmatch(r"(\d+(?:\.\d+)?)\s*[x×]\s*(\d+(?:\.\d+)?)(?:\s*mm)?", value.strip())
    if told is None or not all(50 <= float(side) <= 5000 for side in told.groups()):
        raise click.BadParameter(
            f"{value!r} is no size: say width × height in mm, as in 600x400, or a paper, as in A3", ctx, param
        )
    return float(told[1]), float(told[2])


def _corner(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> list[tuple[float, float]] | None:
    if value is None:
        return None
    points = re.findall(r"(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)", value)
    if len(points) != 4 or re.sub(r"[\d.,\s-]", "", value):
        raise click.BadParameter(
            f"{value!r} is not four corners: say them as x,y in px, clockwise from the far left, as in"
            " '80,60 1200,64 1250,700 40,690'",
            ctx,
            param,
        )
    return [(float(x), float(y)) for x, y in points]


@click.command()
@click.argument("source", metavar="SRC")
@click.option(
    "--data", type=click.Path(path_type=Path), metavar="DIR", help="The folder that keeps the registration."
)
@click.option(
    "--corners",
    callback=_corner,
    metavar="'X,Y X,Y X,Y X,Y'",
    help="Four corners in px, clockwise from the far left; with --size.",
)
@click.option(
    "--size",
    callback=_size,
    metavar="WxH",
    help="What the corners belong to: width × height in mm, or a paper (A3).",
)
@click.option("--cards", is_flag=True, help="Register by the cards that lie there, without marks.")
@click.option(
    "--ruler",
    type=click.FloatRange(80, 120),
    default=100.0,
    show_default=True,
    metavar="MM",
    help="What the mat's printed ruler of 100 mm measures.",
)
@click.option(
    "--draw",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the picture with grid and advice.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Change nothing: say whether the camera moved since the table was registered.",
)
@json_option
@click.pass_context
def calibrate(
    ctx: click.Context,
    *,
    source: str,
    data: Path | None,
    corners: list[tuple[float, float]] | None,
    size: tuple[float, float] | None,
    cards: bool,
    ruler: float,
    draw: Path | None,
    check: bool,
    as_json: bool,
) -> None:
    """Register the table in SRC, a picture of it, a camera's number or its address, and keep that.

    The marks of a printed mat or of corner cards (`companion mat`) are looked for, unless --corners or --cards says otherwise. Says how
    good the view is, and what would make it better. Exit code 1: with --check, the camera or the table moved.
    """
    # Imported now: OpenCV takes a moment, which `companion --help` need not wait for.
    from companion.store import default_folder  # noqa: PLC0415
    from vision.geometry.registration.registration_findings import RegistrationError  # noqa: PLC0415

    if (corners is None) != (size is None):
        raise click.UsageError("--corners and --size belong together: where the corners are, and of what")
    if cards and corners is not None:
        raise click.UsageError("--cards and --corners are two ways to register: take one of them")
    bgr = _picture(source)
    path = (data or default_folder()) / TABLE_FILE
    if check:
        _check(ctx, bgr, path, as_json)
        return
    try:
        made, whole = _made(bgr, corners, size, cards, ruler)
    except RegistrationError as error:
        raise click.ClickException(_told(error.finding)["en"]) from error
    from vision.geometry.registration.view_quality import measure_quality  # noqa: PLC0415  # as above

    seen = measure_quality(bgr, made.registration, whole)
    findings = (*_about_markers(made), *seen.findings)
    _keep(path, made.registration, seen)
    if draw is not None:
        _draw(draw, bgr, made, seen)
    answer = {
        **_answer(made.registration, seen),
        "file": str(path),
        "findings": [_told(each) for each in findings],
    }
    if as_json:
        print_json(answer)
    else:
        _say(made.registration, seen, findings, path, draw)


def _picture(source: str) -> np.ndarray:
    """Return the picture in a file, or the one a camera sees now."""
    if source.isdigit() or re.match(r"(rtsp|rtsps|http|https)://", source):
        return _from_camera(source)
    from vision.photograph.picture_decoding import MAX_BYTES, PictureError, read_picture  # noqa: PLC0415  # as above

    try:
        with Path(source).open("rb") as file:
            return read_picture(file.read(MAX_BYTES + 1))
    except PictureError as error:
        raise click.ClickException(f"{source}: {error}") from error
    except OSError as error:
        raise click.ClickException(
            f"{source} cannot be read: {error.strerror}. SRC is a picture's file, a camera's number or its address"
        ) from error


def _from_camera(source: str) -> np.ndarray:
    import cv2  # noqa: PLC0415  # as above

    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)  # what failed is said below, in one line
    timeouts = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _CAMERA_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _CAMERA_MS]
    if source.isdigit():
        camera = cv2.VideoCapture(int(source))
    else:
        camera = cv2.VideoCapture(source, cv2.CAP_FFMPEG, timeouts)
    try:
        picture = None
        for _ in range(_WARM_UP if camera.isOpened() else 0):
            there, frame = camera.read()
            picture = frame if there else picture
    finally:
        camera.release()
    if picture is None:
        raise click.ClickException(
            f"no picture comes from camera {source}. Is it plugged in, and does no other program hold it?"
        )
    return picture


def _made(
    bgr: np.ndarray,
    corners: list[tuple[float, float]] | None,
    size: tuple[float, float] | None,
    cards: bool,
    ruler: float,
) -> tuple[RegistrationResult, np.ndarray | None]:
    """Register the picture; also return the whole cards by which it was done, if by cards."""
    import numpy as np  # noqa: PLC0415  # as above

    from vision.geometry.registration.registration_methods import (  # noqa: PLC0415
        RegistrationResult,
        from_cards,
        from_corners,
        from_markers,
    )

    shape = (bgr.shape[1], bgr.shape[0])
    if corners is not None and size is not None:
        return RegistrationResult(from_corners(np.array(corners), size, shape), {}), None
    if not cards:
        return from_markers(bgr, ruler), None
    whole = _whole_cards(bgr)
    return RegistrationResult(from_cards(whole, shape), {}), whole


def _whole_cards(bgr: np.ndarray) -> np.ndarray:
    """Return the quads (n x 4 x 2 px) of the cards that show whole."""
    from vision.networks.onnx_sessions import MissingModelError  # noqa: PLC0415
    from vision.photograph.scanner import Scanner  # noqa: PLC0415  # as above

    try:
        seen = Scanner().detect_cards(bgr)
    except MissingModelError as error:
        raise click.ClickException(str(error)) from error
    height, width = bgr.shape[:2]
    inside = ((seen.quads > 1) & (seen.quads < (width - 2, height - 2))).all(axis=(1, 2))
    return seen.quads[inside & (seen.visible > 0.9)]


def _about_markers(made: RegistrationResult) -> list[RegistrationFinding]:
    from vision.geometry.registration.registration_findings import FindingCode, RegistrationFinding  # noqa: PLC0415  # as above

    first = min(made.registration.markers, default=0)
    found = []
    for code, ids in (
        (FindingCode.MARKER_HIDDEN, [one for one in made.registration.markers if one not in made.seen]),
        (FindingCode.MARKER_ASTRAY, list(made.astray)),
    ):
        if ids:
            found.append(
                RegistrationFinding(code, {"markers": ", ".join(str(one - first + 1) for one in ids)})
            )
    return found


def _keep(path: Path, registration: Registration, seen: ViewQuality) -> None:
    """Write the registration, whole or not at all."""
    gains = None if seen.patches is None else seen.patches.gains
    told = {
        **registration.to_json(),
        "gains_bgr": None if gains is None else [round(gain, 4) for gain in gains],
    }
    try:
        write_json(path, told)
    except OSError as error:
        raise click.ClickException(
            f"cannot write {path}: {error.strerror}; name another folder with --data"
        ) from error


def _draw(path: Path, bgr: np.ndarray, made: RegistrationResult, seen: ViewQuality) -> None:
    from vision.geometry.registration.registration_drawing import draw_registration  # noqa: PLC0415  # as above
    from vision.photograph.picture_writing import write_picture  # noqa: PLC0415

    try:
        write_picture(path, draw_registration(bgr, made.registration, made.seen, seen))
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror}") from error


def _check(ctx: click.Context, bgr: np.ndarray, path: Path, as_json: bool) -> None:
    """Compare a picture with the registration that was kept."""
    from vision.geometry.registration.camera_drift import DriftDetector  # noqa: PLC0415  # as above
    from vision.geometry.registration.table_registration import (  # noqa: PLC0415
        UnreadableRegistrationError,
        read_registration,
    )

    try:
        registration = read_registration(path)
    except UnreadableRegistrationError as error:
        raise click.ClickException(f"{path} cannot be used: {error}") from error
    except OSError as error:
        raise click.ClickException(
            f"no table was registered here ({path}: {error.strerror}); run companion calibrate without --check first"
        ) from error
    verdict = DriftDetector(registration).check(bgr)
    findings = [_told(each) for each in (verdict.finding, *verdict.others)]
    if as_json:
        moved = None if verdict.moved is None else round(verdict.moved, 2)
        print_json(
            {"steady": _is_steady(verdict), "moved_mm": moved, "findings": findings, "file": str(path)}
        )
    else:
        for each in findings:
            click.echo(f"{each['en']}\n{each['ja']}")
    if not _is_steady(verdict):
        ctx.exit(1)


def _is_steady(verdict: DriftReport) -> bool:
    return verdict.finding.code == "steady"


def _told(finding: RegistrationFinding) -> dict[str, Any]:
    figures = {
        name: round(each, 2) if isinstance(each, float) else each for name, each in finding.figures.items()
    }
    message = registration_message(finding.code.value, finding.figures)
    return {
        "code": finding.code.value,
        **{language: render(message, language) for language in LANGUAGES},
        "figures": figures,
    }


def _answer(registration: Registration, seen: ViewQuality) -> dict[str, Any]:
    told = registration.to_json()
    return {
        **{
            name: told[name]
            for name in (
                "way",
                "mat",
                "picture_px",
                "table_mm",
                "card_px",
                "card_px_near_and_far",
                "tilt_degrees",
                "residual_mm",
            )
        },
        "blur_mm": None if seen.blur is None else round(seen.blur, 2),
        "white_level": None if seen.white is None else round(seen.white, 1),
        "glare_share": round(seen.glare, 4),
        "gains_bgr": None
        if seen.patches is None or seen.patches.gains is None
        else [round(gain, 4) for gain in seen.patches.gains],
    }


_WAYS = {"markers": "by its corner marks", "corners": "by four corners", "cards": "by the cards on it"}


def _say(
    registration: Registration,
    seen: ViewQuality,
    findings: tuple[RegistrationFinding, ...],
    path: Path,
    draw: Path | None,
) -> None:
    """Say what was registered, and what could be better, to a person."""
    table = registration.table
    within = "" if registration.residual is None else f", to within {registration.residual:.2f} mm"
    click.echo(
        click.style(f"The table is registered {_WAYS[registration.way]}{within}.", bold=True)
        + f"  ({table.width:.0f} × {table.height:.0f} mm)"
    )
    click.echo(
        f"  A card is {seen.card_px[0]:.0f} px wide, {seen.card_px[1]:.0f} px where it is smallest; the camera looks"
        f" {seen.tilt:.0f}° from straight down."
    )
    near, far = registration.card_px_near_and_far
    click.echo(f"  At the near edge a card is {near:.0f} px wide, at the far edge {far:.0f} px.")
    for each in findings:
        told = _told(each)
        click.echo(f"  - {told['en']}\n    {told['ja']}")
    if not findings:
        click.echo("  Nothing to make better.  申し分ありません。")
    click.echo(
        f"Kept in {path}." + ("" if draw is None else f" Look at {draw}: the grid must lie on the table.")
    )
