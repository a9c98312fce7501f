"""Scans: a picture in, its cards and score out; then the log's scans, correctable and exportable."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from pathlib import PurePath
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response, jsonify, request, url_for

from api.access.identity import NotAllowedError, who
from api.access.visitors import new_visitor, remember
from api.context import context
from api.games.rules_routes import meant
from api.pictures.stored import stored_picture
from api.problems import JSON_REFUSED, problem, sentence
from api.schemas import (
    ChangesIn,
    ExportIn,
    ExportOut,
    ListIn,
    PictureIn,
    ScanIn,
    ScanOut,
    ScansOut,
    UploadOut,
)
from companion.hanafuda.cards import BACK, HANAFUDA
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.rules import Rules
from companion.hanafuda.scoring import rules_for_pile
from companion.hanafuda.strict_json import BadJSONError, loads
from companion.store import Changes, NoSuchScanError, Scan, TooManyDraftsError
from companion.store.export import to_csv, to_json
from vision.photograph.picture_files import MAX_BYTES

__all__ = ["UPLOAD", "blueprint"]

UPLOAD = "scans.scan"
"""The endpoint that takes a picture; all others take JSON."""

_NAME_LENGTH = 200
_SETTINGS = ("game", "rules", "month", "calls")
_HANAFUDA = frozenset((*(card.id for card in HANAFUDA), BACK, None))

#: Room beside a picture for the form's other fields, bytes.
_FORM_BYTES: Final = 2**20

blueprint = APIBlueprint("scans", __name__, tag="Scans")


@blueprint.before_request
def _allow_pictures() -> None:
    if request.endpoint == UPLOAD:
        request.max_content_length = MAX_BYTES + _FORM_BYTES


@blueprint.post("/api/scan")
@blueprint.input(ScanIn, location="files")
@blueprint.output(UploadOut)
@blueprint.doc(
    responses={
        400: "Malformed request",
        413: "Too many bytes or pixels",
        415: "Not a picture",
        429: "Too many drafts of phones that are not paired",
        500: "The scanner failed",
        503: "Busy",
        507: "The log could not be written",
    }
)
def scan(files_data: ScanIn) -> Response:
    """Read the cards in a picture, score them if a game is named, and keep both in the log as a draft."""
    settings = _settings(files_data.game, _parsed_rules(files_data.rules))
    visiting = new_visitor()
    if visiting is not None:
        context().store.check_room(visiting[0], request.content_length or 0)  # before the work is done, too
    scanned = context().pictures.scan(files_data.image, files_data.deck)
    if not _HANAFUDA.issuperset(each.card for each in scanned.reading.cards):
        settings = {}  # of the other packs no game scores a pile
    reading = scanned.reading.to_json()
    image = _plain_name(files_data.image.filename)
    stored = context().store.add(
        picture=scanned.data,
        media_type=scanned.media_type,
        image=image,
        reading=reading,
        settings=settings,
        actor=_actor(),
        visitor=visiting and visiting[0],
    )
    answer = {"id": stored.id, "image": image, **reading}
    if stored.score is not None:
        answer |= {"score": stored.score.answer, "left_out": stored.pile.left_out()}
    response = jsonify(answer)
    if visiting is not None:
        remember(response, visiting[1])
    return response


@blueprint.get("/api/scans")
@blueprint.input(ListIn, location="query")
@blueprint.output(ScansOut)
def scans(query_data: ListIn) -> Response:
    """List the scans of the log, newest first."""
    limit = query_data.limit
    found = context().store.scans(kept=_kept(query_data.kept), limit=limit + 1, before=query_data.before)
    shown = found[:limit]
    return jsonify(
        scans=[{**each.summary(), "picture": _picture_url(each)} for each in shown],
        next=shown[-1].id if len(found) > limit else None,
    )


@blueprint.get("/api/scans.json")
@blueprint.input(ExportIn, location="query")
# APIFlask takes lists of models, but its types do not say so.
@blueprint.output(list[ExportOut], description="A list of whole scans")  # type: ignore[arg-type]
def scans_json(query_data: ExportIn) -> Response:
    """Export whole scans, oldest first, as one JSON list."""
    return _download(to_json(context().store.all(kept=_kept(query_data.kept))), "application/json", "json")


@blueprint.get("/api/scans.csv")
@blueprint.input(ExportIn, location="query")
@blueprint.output({}, description="A heading, then a line a scan", content_type="text/csv")
def scans_csv(query_data: ExportIn) -> Response:
    """Export scans, oldest first, as CSV with a line a scan."""
    return _download(to_csv(context().store.all(kept=_kept(query_data.kept))), "text/csv", "csv")


@blueprint.get("/api/scans/<scan_id>")
@blueprint.output(ScanOut)
def one_scan(scan_id: str) -> Response:
    """Return a whole scan: what the program read, what people corrected, and what follows from both."""
    return _whole(context().store.get(scan_id))


@blueprint.patch("/api/scans/<scan_id>")
@blueprint.input(ChangesIn)
@blueprint.output(ScanOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        404: "No such scan",
        409: "A card is named twice; `card` and `index` say which, and where it lies",
        429: "A draft of a phone that is not paired was changed too often",
        507: "The log could not be written",
    }
)
def change_scan(scan_id: str, json_data: ChangesIn) -> Response:
    """Correct cards, choose game and rules, keep a scan, note something down: all that is named, or nothing.

    The pile is scored anew by the one scorer.
    """
    if json_data.kept and who().role == "viewer":
        raise NotAllowedError(who(), ["scorer", "host"], "To keep scans in the log, scan the host's QR code.")
    asked = json_data.model_dump(exclude_unset=True)
    settings = {key: asked[key] for key in _SETTINGS if key in asked}
    changes = Changes(
        corrections=[(each.index, each.card) for each in json_data.corrections],
        added=json_data.added,
        settings=_settings(settings.pop("game", None), settings.pop("rules", None)) | settings,
        kept=json_data.kept,
        note=json_data.note,
    )
    return _whole(context().store.change(scan_id, changes, _actor()))


@blueprint.delete("/api/scans/<scan_id>")
@blueprint.output({}, status_code=204)
@blueprint.doc(responses={404: "No such scan", 507: "The log could not be written"})
def delete_scan(scan_id: str) -> tuple[str, int]:
    """Remove a scan, and its picture where no other scan shows it."""
    context().store.delete(scan_id)
    return "", 204


@blueprint.get("/api/scans/<scan_id>/picture")
@blueprint.input(PictureIn, location="query")
@blueprint.output({}, description="The picture", content_type="image/*")
@blueprint.doc(responses={404: "No such scan"})
def picture(scan_id: str, query_data: PictureIn) -> Response:
    """Return a scan's picture: as it was scanned, without metadata, or with `width` an upright JPEG."""
    log = context().store
    found = log.get(scan_id)
    path = log.pictures.path(found.sha256, found.media_type)
    if not path.exists():
        raise NoSuchScanError(scan_id)
    return stored_picture(path, found.media_type, found.sha256, query_data.width)


@blueprint.errorhandler(TooManyDraftsError)
def _too_many_drafts(error: TooManyDraftsError) -> Response:
    return problem(HTTPStatus.TOO_MANY_REQUESTS, error.code, sentence(error), join="/join")


def _whole(found: Scan) -> Response:
    return jsonify({**found.to_json(), "picture": _picture_url(found)})


def _picture_url(found: Scan) -> str:
    return url_for("scans.picture", scan_id=found.id)


def _settings(game: str | None, rules: str | dict[str, Any] | None) -> dict[str, Any]:
    """Return game and rules as the log takes them, checked before anything is done with the picture."""
    settings: dict[str, str | Rules] = {}
    if game is None and rules is None:
        return settings
    resolved = rules_for_pile(meant(rules), game)
    if game is not None:
        settings["game"] = resolved.game
    if rules is not None:
        settings["rules"] = resolved
    return settings


def _parsed_rules(text: str | None) -> str | dict[str, Any] | None:
    """Return the form's rules: a name or code, or a JSON object of options."""
    if text is None or not text.lstrip().startswith("{"):
        return text
    try:
        record: dict[str, Any] = loads(text)
    except BadJSONError as error:
        raise BadRequestError(f"the rules are neither a name nor JSON: {error}") from error
    return record


def _kept(flag: str | None) -> bool | None:
    return None if flag is None else flag == "1"


def _plain_name(filename: str | None) -> str:
    """Return an upload's name without folders and unprintable characters."""
    name = PurePath(filename or "").name
    return "".join(letter for letter in name if letter.isprintable())[:_NAME_LENGTH] or "picture"


def _actor() -> str:
    return f"http {request.remote_addr}"


def _download(parts: Iterator[str], mimetype: str, suffix: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="hanafuda-scans.{suffix}"'}
    return Response(parts, mimetype=mimetype, headers=headers)
