"""Routes of the API: what one takes and returns is what the annotations of its function say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from apiflask import APIBlueprint
from flask import Response
from pydantic import BaseModel

_View = TypeVar("_View", bound=Callable[..., Any])

_INPUTS: Final = {"json_data": "json", "query_data": "query", "files_data": "files"}
"""Where the model of a parameter is in the request, by the parameter's name, as APIFlask has it."""


class MediaType(NamedTuple):
    """The media type of an answer that is not JSON, for ``Annotated[Response, MediaType(…)]``."""

    name: str
    about: str


class Routes(APIBlueprint):
    """Routes whose requests and answers are validated and documented by the annotations of their functions.

    A parameter ``json_data``, ``query_data`` or ``files_data`` has the model of the request's body, query or form. The model of the
    answer is the return type, or is in it: a tuple of it and the headers, or ``Annotated[Response, Model]`` for an answer that the
    function serializes itself; instead of the model, it may be a list of models or a `MediaType`. Without a value, the answer is 204.
    """

    def route(
        self,
        rule: str,
        *,
        status: HTTPStatus = HTTPStatus.OK,
        refusals: Mapping[int, Any] | None = None,
        **options: Any,
    ) -> Callable[[_View], _View]:
        """Register a function; `get`, `post`, `put`, `patch` and `delete` pass their options on to this one.

        ``status`` is that of the answer. ``refusals`` describes the other ones by their status, see `api.problems.refused`.
        """

        def register(view: _View) -> _View:
            hints = get_type_hints(view, include_extras=True)
            returned, wrapped = hints.pop("return"), view
            if refusals is not None:
                wrapped = self.doc(responses=dict(refusals))(wrapped)
            if returned is type(None):
                wrapped = self.output({}, status_code=HTTPStatus.NO_CONTENT)(wrapped)
            elif isinstance(answer := _answer_in(returned), MediaType):
                wrapped = self.output({}, content_type=answer.name, description=answer.about)(wrapped)
            elif answer is not None:
                wrapped = self.output(answer, status_code=status)(wrapped)
            for name, location in _INPUTS.items():
                if name in hints:
                    wrapped = self.input(hints[name], location=location)(wrapped)
            super(Routes, self).route(rule, **options)(wrapped)
            return view

        return register


def _answer_in(returned: Any) -> Any:
    """Return the model, list of models or media type in a return type; None without one."""
    for each in (returned, *get_args(returned)):
        model = get_args(each)[0] if get_origin(each) is list else each
        if isinstance(each, MediaType) or (isinstance(model, type) and issubclass(model, BaseModel)):
            return each
    return None


def attachment(body: str | bytes | Iterable[str], media_type: str, filename: str) -> Response:
    """Return a response that browsers store as a file."""
    response = Response(body, mimetype=media_type)
    response.headers.set("Content-Disposition", "attachment", filename=filename)
    return response
