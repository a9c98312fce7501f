"""Scan routes: recognize and score a picture, and list, correct and export the stored scans."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import PurePath
from typing import Annotated, Any, Literal

from flask import Response, jsonify, request, url_for
from pydantic import Field, StringConstraints
from werkzeug.http import parse_dict_header

from api.access.visitors import new_visitor, remember
from api.access.who import not_allowed, who
from api.context import context
from api.languages import request_language
from api.models.base import (
    MAX_CARDS,
    MAX_NOTE,
    Answer,
    CardId,
    Game,
    Photograph,
    PictureIn,
    Quad,
    RulesIn,
    RulesNamed,
    ScanId,
    Strict,
)
from api.models.scores import Calls, RulesOut, ScoreOut
from api.pictures.queued_scans import WAIT_S, ScanOrder, retry_after_s
from api.pictures.stored import stored_picture
from api.problems import RequestRefusedError, refused, status_of
from api.routes.games import requested_rules
from api.routing import MediaType, Routes, attachment
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import default_game
from companion.hanafuda.rules import Rules
from companion.hanafuda.scoring import rules_for_pile
from companion.hanafuda.strict_json import BadJSONError, loads
from companion.messages import with_texts
from companion.pile import left_out
from companion.store import NoSuchScanError, NoSuchScanJobError
from companion.store.export import to_csv, to_json
from companion.store.scan_queue import ScanJob, ScanQueue
from companion.store.scan_records import Changes, Scan

_NAME_LENGTH = 200


class ScanIn(Strict):
    """A picture to scan, with options for reading and scoring it."""

    image: Photograph
    deck: Annotated[
        str | None,
        Field(
            description="A shipped or enrolled deck, or a pack of cards (`hanafuda`); detected by default.",
            examples=["hanafuda"],
        ),
    ] = None
    game: Annotated[Game | None, Field(description="The game whose rules score the pile.")] = None
    rules: Annotated[
        str | None,
        Field(
            description="A preset's name, a share code, the name of rules that were saved, or a JSON object of"
            " options.",
            examples=[default_game().rules.standard()],
        ),
    ] = None


class CorrectionIn(Strict):
    """A correction of one card: its id, `back`, null (unnamed again), or `removed` (there is no card)."""

    index: Annotated[int, Field(ge=0, lt=2**31)]
    card: CardId | None


class ChangesIn(Strict):
    """Changes to a scan. `added` adds to earlier additions; members that are null change nothing."""

    corrections: Annotated[list[CorrectionIn], Field(max_length=MAX_CARDS)] = []  # noqa: RUF012  # pydantic copies defaults
    added: Annotated[list[CardId], Field(max_length=MAX_CARDS, description="Cards not detected.")] = []  # noqa: RUF012  # pydantic copies defaults
    game: Game | None = None
    rules: RulesIn | None = None
    month: Annotated[
        Annotated[int, Field(ge=1, le=12)] | None, Field(description="Null: remove the month.")
    ] = None
    calls: Annotated[Calls | None, Field(description="Null: no calls.")] = None
    kept: bool | None = None
    note: Annotated[str, StringConstraints(max_length=MAX_NOTE)] | None = None


class ExportIn(Strict):
    """Which scans to export."""

    kept: Annotated[
        Literal["0", "1"] | None, Field(description="1: only kept scans, 0: only drafts; both by default.")
    ] = None


class ListIn(ExportIn):
    """Which scans to list."""

    limit: Annotated[int, Field(ge=1, le=200, strict=False)] = 50
    before: Annotated[ScanId | None, Field(description="The `next` of the previous page.")] = None


class ReadCardOut(Answer):
    """A card as the program read it; `quad` has its corners clockwise from the card's own top left, in image px."""

    card: Annotated[str | None, Field(description="An id, `back`, or null if it was not recognized.")]
    confidence: float
    quad: Quad
    visible: float
    alternatives: list[tuple[str, float]]
    zone: str | None


class QualityFindingOut(Answer):
    """What is wrong with a photograph, such as why cards were not recognized; `message` says what to do, by language."""

    code: str
    params: dict[str, float | list[str]]
    message: dict[str, str]


class Reading(Answer):
    """The result of scanning a picture."""

    width: int
    height: int
    deck: str
    cards: list[ReadCardOut]
    ms: dict[str, float]
    quality: Annotated[
        list[QualityFindingOut],
        Field(description="What is wrong with the photograph, and what to do about it."),
    ] = []  # noqa: RUF012  # pydantic copies defaults


class LeftOut(Answer):
    """The numbers of cards that the score does not include."""

    unnamed: int
    back: int


class UploadOut(Reading):
    """The result of scanning a picture, in the format of `companion scan --json`, with the id of the stored scan."""

    id: str
    image: str
    score: Annotated[ScoreOut | None, Field(description="Only for hanafuda, if a game was given.")] = None
    left_out: LeftOut | None = None


class QueuedScanOut(Answer):
    """A picture that waits to be read."""

    job: str
    place: Annotated[int, Field(description="Its place in the queue, from 1; 0 while it is being read.")]
    workers: Annotated[
        int,
        Field(description="The number of scan workers that run. While it is 0, the picture is only kept."),
    ]
    poll: Annotated[str, Field(description="The address of its result, to ask after `Retry-After` s.")]


class ScannedCardOut(ReadCardOut):
    """A card after corrections; `quad` is null for a card that a person added."""

    index: int
    by: Literal["program", "person"]
    quad: Quad | None  # type: ignore[assignment]  # responses are only read


class Corrected(Answer):
    """A past correction; an added card has no `from`."""

    time: str
    actor: str
    kind: Literal["corrected", "added"]
    index: int
    card: str | None
    from_: Annotated[str | None, Field(alias="from")] = None


class StoredScan(Answer):
    """What all answers about a stored scan have in common."""

    id: str
    time: str
    kept: bool
    note: str
    image: str
    game: str | None


class ExportOut(StoredScan):
    """A stored scan: the program's result (never changed), the corrections, and the resulting pile and score."""

    sha256: str
    reading: Reading
    corrections: list[Corrected]
    cards: list[ScannedCardOut]
    left_out: LeftOut
    rules: RulesOut | None
    month: int | None
    calls: dict[str, int] | None
    score: ScoreOut | None


class ScanOut(ExportOut):
    """A stored scan with the URL of its picture."""

    picture: str


class Summary(StoredScan):
    """A scan in a list; without a game there are no rules and no total."""

    picture: str
    rules: RulesNamed | None
    total: int | None
    cards: int
    unnamed: int


class ScansOut(Answer):
    """Scans, newest first; `next` is the `before` of the following page, null on the last."""

    scans: list[Summary]
    next: str | None


blueprint = Routes("scans", __name__, tag="Scans")


def _or_queued(refusals: Mapping[int, str]) -> dict[int | str, Any]:
    """Return the responses of a route in the OpenAPI document: the refusals, and 202 for a picture that waits to be read."""
    queued = {
        "description": "The picture waits to be read",
        "content": {"application/json": {"schema": QueuedScanOut.model_json_schema()}},
    }
    responses: dict[int | str, Any] = dict(refusals.items())
    return responses | {202: queued}


@blueprint.post(
    "/api/scan",
    refusals=_or_queued(refused(500, 503, 507) | {429: "Too many drafts of phones that are not paired"}),
)
def scan(files_data: ScanIn) -> Annotated[Response, UploadOut]:
    """Recognize the cards in a picture, score them if a game is named, and store the result as a draft.

    If the pictures are read by scan workers, the request waits 10 s, or as long as its header `Prefer: wait=N` says; after
    that the answer is 202 with the address at which the result will be.
    """
    order = ScanOrder(
        image=_plain_name(files_data.image.filename),
        deck=files_data.deck,
        rules=_rules_for_pile(files_data.game, _parsed_rules(files_data.rules)),
        actor=_actor(),
    )
    visitor = new_visitor()
    if visitor is not None:
        context().store.scans.check_room(
            visitor[0], request.content_length or 0
        )  # before the picture is processed, too
    owner = visitor and visitor[0]
    queued = context().queued_scans
    if queued is None:
        result, file = context().pictures.scan(files_data.image, order.deck)
        draft = order.draft(result, file)
        response = _result(context().store.scans.add(draft, owner))
    else:
        sender = who().id or who().name if owner is None else owner.id
        job = queued.add(files_data.image, order, owner, sender)
        response = _progress(queued.wait(job, _wait_s()), queued.queue)
    if visitor is not None:
        remember(response, visitor[1])
    return response


@blueprint.get(
    "/api/scan/jobs/<job_id>", refusals=_or_queued(refused(413, 415, 500, 503, 507) | {404: "No such job"})
)
def scan_job(job_id: str) -> Annotated[Response, UploadOut]:
    """Return the result of a picture that was put into the queue, or its place in the queue; an error if it could not be read."""
    queued = context().queued_scans
    if queued is None:
        raise NoSuchScanJobError(job_id)
    return _progress(queued.queue.job(job_id), queued.queue)


@blueprint.get("/api/scans")
def scans(query_data: ListIn) -> Annotated[Response, ScansOut]:
    """List the stored scans, newest first."""
    limit = query_data.limit
    matching = context().store.scans.newest(
        kept=_kept(query_data.kept), limit=limit + 1, before=query_data.before
    )
    page = matching[:limit]
    return jsonify(
        scans=[{**each.summary(), "picture": _picture_url(each)} for each in page],
        next=page[-1].id if len(matching) > limit else None,
    )


@blueprint.get("/api/scans.json")
def scans_json(query_data: ExportIn) -> Annotated[Response, list[ExportOut]]:
    """Export complete scans, oldest first, as one JSON list."""
    return attachment(
        to_json(context().store.scans.all(kept=_kept(query_data.kept)), request_language()),
        "application/json",
        "hanafuda-scans.json",
    )


@blueprint.get("/api/scans.csv")
def scans_csv(
    query_data: ExportIn,
) -> Annotated[Response, MediaType("text/csv", "A header and one line per scan")]:
    """Export scans, oldest first, as CSV with one line per scan."""
    return attachment(
        to_csv(context().store.scans.all(kept=_kept(query_data.kept))), "text/csv", "hanafuda-scans.csv"
    )


@blueprint.get("/api/scans/<scan_id>")
def one_scan(scan_id: str) -> Annotated[Response, ScanOut]:
    """Return a complete scan: the recognized cards, the corrections, and the resulting pile and score."""
    return _scan_response(context().store.scans.get(scan_id))


@blueprint.patch(
    "/api/scans/<scan_id>",
    refusals={
        409: "Two cards have the same name; `card` is the name and `index` the other card's index",
        429: "A draft of a phone that is not paired was changed too often",
        **refused(507),
    },
)
def change_scan(scan_id: str, json_data: ChangesIn) -> Annotated[Response, ScanOut]:
    """Correct cards, choose game and rules, keep a scan, or add a note; all changes apply, or none.

    The pile is scored again.
    """
    if json_data.kept and who().role == "viewer":
        raise not_allowed(who(), ["scorer", "host"], Message("hint-keep-scans"))
    given = json_data.model_dump(exclude_unset=True)
    settings: dict[str, Any] = {key: given[key] for key in ("month", "calls") if key in given}
    rules = _rules_for_pile(json_data.game, json_data.rules)
    if rules is not None:
        settings |= {"game": rules.game} if json_data.rules is None else {"rules": rules}
    changes = Changes(
        corrections=[(each.index, each.card) for each in json_data.corrections],
        added=json_data.added,
        settings=settings,
        kept=json_data.kept,
        note=json_data.note,
    )
    return _scan_response(context().store.scans.change(scan_id, changes, _actor()))


@blueprint.delete("/api/scans/<scan_id>", refusals=refused(507))
def delete_scan(scan_id: str) -> None:
    """Delete a scan, and its picture if no other scan uses it."""
    context().store.scans.delete(scan_id)


@blueprint.get("/api/scans/<scan_id>/picture")
def picture(scan_id: str, query_data: PictureIn) -> Annotated[Response, MediaType("image/*", "The picture")]:
    """Return a scan's picture: as uploaded without metadata, or as an upright JPEG if `width` is given."""
    log = context().store
    stored = log.scans.get(scan_id)
    found = stored_picture(
        context().pictures, log.pictures, stored.sha256, stored.media_type, query_data.width
    )
    if found is None:
        raise NoSuchScanError(scan_id)
    return found


def _progress(job: ScanJob, queue: ScanQueue) -> Response:
    """Return the result of a queued picture, or 202 with its place; raises `RequestRefusedError` if it could not be read."""
    if job.failure is not None:
        raise RequestRefusedError(status_of(job.failure.code), job.failure.code, job.failure.message)
    if job.scan is not None:
        return _result(context().store.scans.get(job.scan))
    poll = url_for("scans.scan_job", job_id=job.id)
    response = jsonify(job=job.id, place=job.place, workers=queue.workers(), poll=poll)
    response.status_code = HTTPStatus.ACCEPTED
    response.headers["Retry-After"] = str(retry_after_s(job))
    return response


def _result(stored: Scan) -> Response:
    """Return a new scan in the format of ``scan --json``, with its id."""
    document = {"id": stored.id, "image": stored.image, **stored.reading}
    if stored.score is not None:
        document |= {"score": stored.score.answer, "left_out": left_out(stored.cards)}
    return jsonify(with_texts(document, request_language()))


def _wait_s() -> float:
    """Return how long a request waits for its result, s: as its header ``Prefer: wait=N`` says, but not too long."""
    wanted = parse_dict_header(request.headers.get("Prefer", "")).get("wait") or ""
    return min(WAIT_S, float(wanted)) if wanted.isdecimal() else WAIT_S


def _scan_response(stored: Scan) -> Response:
    return jsonify({**with_texts(stored.to_json(), request_language()), "picture": _picture_url(stored)})


def _picture_url(stored: Scan) -> str:
    return url_for("scans.picture", scan_id=stored.id)


def _rules_for_pile(game: str | None, rules: str | dict[str, Any] | None) -> Rules | None:
    """Return the rules to score with, None if neither a game nor rules are given; called before the picture is processed."""
    return None if game is None and rules is None else rules_for_pile(requested_rules(rules), game)


def _parsed_rules(text: str | None) -> str | dict[str, Any] | None:
    """Return the rules of the form: a name or code, or a JSON object of options."""
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
    """Return the file name of an upload without folders and unprintable characters."""
    name = PurePath(filename or "").name
    return "".join(character for character in name if character.isprintable())[:_NAME_LENGTH] or "picture"


def _actor() -> str:
    return f"http {request.remote_addr}"
