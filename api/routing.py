"""Routes of the API: what one takes and returns is what the annotations of its function say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final, TypeVar, get_args, get_type_hints

from apiflask import APIBlueprint
from pydantic import BaseModel

_View = TypeVar("_View", bound=Callable[..., Any])

_INPUTS: Final = {"json_data": "json", "query_data": "query", "files_data": "files"}
"""Where the model of a parameter is in the request, by the parameter's name, as APIFlask has it."""


class Routes(APIBlueprint):
    """Routes whose requests and answers are validated and documented by the annotations of their functions.

    A parameter ``json_data``, ``query_data`` or ``files_data`` has the model of the request's body, query or form. The model of the
    answer is the return type, or is in it: a tuple of it and the headers, or ``Annotated[Response, Model]`` for an answer that the
    function serializes itself. Without a value, the answer is 204.
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
            elif (model := _model_in(returned)) is not None:
                wrapped = self.output(model, status_code=status)(wrapped)
            for name, location in _INPUTS.items():
                if name in hints:
                    wrapped = self.input(hints[name], location=location)(wrapped)
            super(Routes, self).route(rule, **options)(wrapped)
            return view

        return register


def _model_in(returned: Any) -> type[BaseModel] | None:
    """Return the model of an answer, the first one in a return type; None without one."""
    for each in (returned, *get_args(returned)):
        if isinstance(each, type) and issubclass(each, BaseModel):
            return each
    return None
