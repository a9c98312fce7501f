"""Score receipts: preview, printing, and the settings of the receipt printer."""

from __future__ import annotations

import io
from http import HTTPStatus
from typing import Annotated, Any, Literal

from apiflask import APIBlueprint
from flask import Response, jsonify, request
from PIL import Image
from pydantic import Field, StringConstraints

from api.context import context
from api.page_shell import phones_address
from api.problems import JSON_REFUSED, problem_of
from api.schemas import ResponseSchema, Strict
from api.services.receipt_job import PrintingError
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.receipt import receipt_of_table
from hardware.printers.lettering import Lettering
from hardware.printers.printer_settings import PrinterSettings, read_printer_settings, write_printer_settings
from hardware.printers.receipt_picture import draw_receipt

__all__ = ["blueprint"]

Paper = Literal[58, 80]
Lang = Literal["en", "ja", "ko", "both"]
Baud = Literal[9600, 19200, 38400, 57600, 115200]


class PrinterIn(Strict):
    """The settings of the receipt printer."""

    port: Annotated[
        Annotated[str, StringConstraints(max_length=200, strip_whitespace=True)] | None,
        Field(
            description="`socket://HOST:9100`, the path of a serial port, or `usb:VENDOR:PRODUCT`; null: no printer."
        ),
    ]
    paper: Annotated[Paper, Field(description="mm across")] = 80
    lang: Lang = "both"
    baud: Annotated[Baud, Field(description="The baud rate of a serial port.")] = 9600


class FaultOut(ResponseSchema):
    """Why printing failed or was incomplete."""

    code: str
    says: Annotated[
        dict[str, str], Field(description="In English (`en`), Japanese (`ja`) and Korean (`ko`).")
    ]


class JobOut(ResponseSchema):
    """The state of the last print job."""

    table: str
    state: Literal["printing", "done", "failed"]
    share: Annotated[float, Field(description="The fraction that was sent, 0-1.")]
    sure: Annotated[bool, Field(description="Whether the printer confirmed that it was printed.")]
    low: Annotated[bool, Field(description="Whether the paper is nearly used up.")]
    fault: FaultOut | None
    missing: Annotated[list[str], Field(description="Characters that no installed font has; printed as 〓.")]


class PrinterOut(ResponseSchema):
    """The receipt printer and its last job; `job` is null if nothing was printed since the program started."""

    port: str | None
    paper: Paper
    lang: Lang
    baud: Baud
    job: JobOut | None


class NoPrinterError(BadRequestError):
    """Raised if no printer is configured."""

    code = "no-printer"


blueprint = APIBlueprint("printing", __name__, tag="Printing")


@blueprint.get("/api/printer")
@blueprint.output(PrinterOut)
def printer() -> Response:
    """Return the printer settings and the last print job."""
    return _printer_response(read_printer_settings(context().store.documents))


@blueprint.put("/api/printer")
@blueprint.input(PrinterIn)
@blueprint.output(PrinterOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not the host",
        507: "The settings could not be stored",
    }
)
def put_printer(json_data: PrinterIn) -> Response:
    """Set the printer's port, paper width, and the language of receipts."""
    settings = PrinterSettings(json_data.port or None, json_data.paper, json_data.lang, json_data.baud)
    write_printer_settings(context().store.documents, settings)
    return _printer_response(settings)


@blueprint.get("/api/tables/<table_id>/slip.png")
@blueprint.output({}, description="The receipt, one px per dot", content_type="image/png")
@blueprint.doc(responses={404: "No such table"})
def slip_picture(table_id: str) -> Response:
    """Return a preview of a table's receipt. `lang` (en, ja, ko, both) and `paper` (58, 80) override the printer settings."""
    picture, _ = _draw(table_id, _with_query_overrides(read_printer_settings(context().store.documents)))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return Response(buffer.getvalue(), mimetype="image/png", headers={"Cache-Control": "no-store"})


@blueprint.post("/api/tables/<table_id>/slip")
@blueprint.output(PrinterOut, status_code=202)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not the host",
        404: "No such table",
        409: "A receipt is being printed, or there is no printer",
        422: "No round has ended yet",
    }
)
def print_slip(table_id: str) -> Response:
    """Start printing a table's receipt. The response comes immediately; the printer's `job` shows the progress."""
    settings = read_printer_settings(context().store.documents)
    picture, missing = _draw(table_id, settings)
    try:
        if settings.port is None:
            raise NoPrinterError(Message("problem-no-printer"))
        context().printing.start(table_id, picture, missing, settings)
    except (PrintingError, NoPrinterError) as error:
        return problem_of(HTTPStatus.CONFLICT, error)
    response = _printer_response(settings)
    response.status_code = HTTPStatus.ACCEPTED
    return response


def _draw(table_id: str, settings: PrinterSettings) -> tuple[Image.Image, list[str]]:
    with context().tables.at(table_id) as table:
        receipt = receipt_of_table(table)
    lettering = Lettering()
    picture = draw_receipt(
        receipt, width=settings.width, lang=settings.lang, lettering=lettering, origin=phones_address()
    )
    return picture, sorted(lettering.missing)


def _with_query_overrides(settings: PrinterSettings) -> PrinterSettings:
    """Return the settings with the overrides from the query string."""
    overrides: dict[str, Any] = {key: value for key in ("lang", "paper") if (value := request.args.get(key))}
    if "paper" in overrides and overrides["paper"].isdecimal():
        overrides["paper"] = int(overrides["paper"])
    return PrinterSettings(**{**settings.to_dict(), **overrides})


def _printer_response(settings: PrinterSettings) -> Response:
    return jsonify(**settings.to_dict(), job=context().printing.job)
