"""``companion calibrate``: register the position of the table in the camera's picture, and check whether it has changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from companion.cli.language import say
from companion.cli.terminal import json_option, print_result, stored_documents
from companion.hanafuda.messages import Message
from companion.store import DocumentStore
from vision.cli.source_argument import open_source
from vision.geometry.registration.camera_drift import check_drift
from vision.geometry.registration.printed_mat import PAPERS
from vision.geometry.registration.registration_drawing import draw_registration
from vision.geometry.registration.registration_findings import (
    FindingCode,
    RegistrationError,
    RegistrationFinding,
    marker_findings,
)
from vision.geometry.registration.registration_methods import (
    RegistrationResult,
    from_cards,
    from_corners,
    from_markers,
)
from vision.geometry.registration.table_registration import (
    Registration,
    UnreadableRegistrationError,
    read_registration,
    registration_location,
    write_registration,
)
from vision.geometry.registration.view_quality import ViewQuality, measure_quality
from vision.photograph.scanner import Scanner
from vision.pictures.drawing import write_picture
from vision.pictures.picture_decoding import MAX_PIXELS, decode_file


def _parse_size(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[float, float] | None:
    if value is None:
        return None
    for paper, size in PAPERS.items():
        if value.lower() == paper.lower():
            return max(size), min(size)
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*[x×]\s*(\d+(?:\.\d+)?)(?:\s*mm)?", value.strip())
    if match is None or not all(50 <= float(side) <= 5000 for side in match.groups()):
        raise click.BadParameter(
            f"{value!r} is not a size: give width × height in mm, such as 600x400, or a paper size, such as A3",
            ctx,
            param,
        )
    return float(match[1]), float(match[2])


def _parse_corners(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> list[tuple[float, float]] | None:
    if value is None:
        return None
    points = re.findall(r"(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)", value)
    if len(points) != 4 or re.sub(r"[\d.,\s-]", "", value):
        raise click.BadParameter(
            f"{value!r} is not four corners: give them as x,y in px, clockwise from the far left, such as '80,60 1200,64 1250,700 40,690'",
            ctx,
            param,
        )
    return [(float(x), float(y)) for x, y in points]


@click.command()
@click.argument("source", metavar="SRC")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder in which the registration is saved.",
)
@click.option(
    "--corners",
    callback=_parse_corners,
    metavar="'X,Y X,Y X,Y X,Y'",
    help="Four corners in px, clockwise from the far left; with --size.",
)
@click.option(
    "--size",
    callback=_parse_size,
    metavar="WxH",
    help="Size of the rectangle between the corners: width × height in mm, or a paper size (A3).",
)
@click.option("--cards", is_flag=True, help="Register by the cards on the table, without markers.")
@click.option(
    "--ruler",
    type=click.FloatRange(80, 120),
    default=100.0,
    show_default=True,
    metavar="MM",
    help="Measured length of the mat's printed 100 mm ruler.",
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
    help="Change nothing; report whether the camera moved since the table was registered.",
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
    """Register where the table is in SRC: a picture file, a camera's number or its address.

    Without --corners or --cards, the markers of a printed mat or of corner cards (`companion mat`) are used. The registration is
    saved; the command reports how good the view is and how to improve it. The exit code is 1 if --check finds that the camera
    or the table has moved.
    """
    if (corners is None) != (size is None):
        raise click.UsageError("--corners and --size must be given together")
    if cards and corners is not None:
        raise click.UsageError("--cards and --corners cannot be combined: choose one method")
    bgr = _read_source(source)
    documents = stored_documents(data)
    if check:
        _check(ctx, bgr, documents, as_json)
        return
    try:
        result, whole = _register(bgr, corners, size, cards, ruler)
    except RegistrationError as error:
        raise click.ClickException(say(error.finding.message)) from error
    quality = measure_quality(bgr, result.registration, whole)
    markers = result.registration.markers
    hidden = markers.keys() - result.detected.keys()
    findings = (*marker_findings(min(markers, default=0), hidden, result.astray), *quality.findings)
    write_registration(documents, result.registration)
    location = registration_location(documents)
    if draw is not None:
        write_picture(draw, draw_registration(bgr, result.registration, result.detected, quality))
    document = {
        **_registration_json(result.registration, quality),
        "file": location,
        "findings": [each.to_json() for each in findings],
    }
    print_result(document, _result_lines(result.registration, findings, location, draw), as_json=as_json)


def _read_source(source: str) -> np.ndarray:
    """Return the picture (H x W x 3 uint8 BGR) in a file, or the current picture of a camera."""
    if not (source.isdigit() or re.match(r"(rtsp|rtsps|http|https)://", source)):
        return decode_file(Path(source), MAX_PIXELS).pixels
    with open_source(source) as camera:
        frame = camera.next()
        while frame is None and camera.state == "opening":
            frame = camera.next()
        if frame is None:
            raise click.ClickException(camera.fault or f"{source} delivers no picture")
        return frame.bgr


def _register(
    bgr: np.ndarray,
    corners: list[tuple[float, float]] | None,
    size: tuple[float, float] | None,
    cards: bool,
    ruler: float,
) -> tuple[RegistrationResult, np.ndarray | None]:
    """Register the table in the picture; also return the quads (n x 4 x 2 px) of the cards used, None unless ``cards``."""
    shape = (bgr.shape[1], bgr.shape[0])
    if corners is not None and size is not None:
        return RegistrationResult(from_corners(np.array(corners), size, shape), {}), None
    if not cards:
        return from_markers(bgr, ruler), None
    whole = _whole_cards(bgr)
    return RegistrationResult(from_cards(whole, shape), {}), whole


def _whole_cards(bgr: np.ndarray) -> np.ndarray:
    """Return the quads (n x 4 x 2 px) of the cards that are fully visible and inside the picture."""
    detections = Scanner().detect_cards(bgr)
    height, width = bgr.shape[:2]
    inside = ((detections.quads > 1) & (detections.quads < (width - 2, height - 2))).all(axis=(1, 2))
    return detections.quads[inside & (detections.visible > 0.9)]


def _check(ctx: click.Context, bgr: np.ndarray, documents: DocumentStore, as_json: bool) -> None:
    """Compare a picture with the saved registration and report whether the camera or the table has moved."""
    location = registration_location(documents)
    try:
        registration = read_registration(documents)
    except UnreadableRegistrationError as error:
        raise click.ClickException(f"{location} cannot be used: {say(error.message)}") from error
    if registration is None:
        raise click.ClickException(say(Message("registration-file-missing", {"file": location})))
    drift = check_drift(registration, bgr)
    findings = (drift.finding, *drift.others)
    moved = drift.moved
    is_steady = drift.finding.code is FindingCode.STEADY
    document = {
        "steady": is_steady,
        "moved_mm": None if moved is None else round(moved, 2),
        "findings": [each.to_json() for each in findings],
        "file": location,
    }
    print_result(document, [say(each.message) for each in findings], as_json=as_json)
    if not is_steady:
        ctx.exit(1)


def _registration_json(registration: Registration, quality: ViewQuality) -> dict[str, Any]:
    fields = registration.to_json()
    return {
        **{
            name: fields[name]
            for name in (
                "method",
                "mat",
                "picture_px",
                "table_mm",
                "card_px",
                "card_px_near_and_far",
                "tilt_degrees",
                "residual_mm",
            )
        },
        "blur_mm": None if quality.blur is None else round(quality.blur, 2),
        "white_level": None if quality.white is None else round(quality.white, 1),
        "glare_share": round(quality.glare, 4),
    }


def _result_lines(
    registration: Registration,
    findings: Sequence[RegistrationFinding],
    location: str,
    draw: Path | None,
) -> Iterator[str]:
    """Yield the registration, and advice on improving the view, as lines of text."""
    table = registration.table
    text = say(Message(f"cli-calibrate-{registration.method}"))
    if registration.residual is not None:
        text += f", to within {registration.residual:.2f} mm"
    yield click.style(f"{text}.", bold=True) + f"  ({table.width:.0f} × {table.height:.0f} mm)"
    width, smallest = map(round, registration.card_px)
    yield (
        f"  A card is {width} px wide, {smallest} px where it is smallest;"
        f" the camera looks {round(registration.tilt)}° from straight down."
    )
    near, far = registration.card_px_near_and_far
    yield f"  At the near edge a card is {round(near)} px wide, at the far edge {round(far)} px."
    yield from (f"  - {say(finding.message)}" for finding in findings)
    if not findings:
        yield f"  {say(Message('registration-fine'))}"
    yield f"Saved in {location}." + ("" if draw is None else f" Check {draw}: the grid must match the table.")
