"""What the OpenAPI document says of all routes alike: who may use them, and how requests are refused."""

from __future__ import annotations

import threading
from functools import cache, partial
from typing import Any, Final

from apiflask import APIFlask
from flask import Response

from api.access.policy import routes
from api.problems import MEDIA_TYPE, refused

_PROBLEM: Final = "#/components/schemas/HTTPError"
"""The schema of a refusal: that of APIFlask's errors, which the application sets."""
_ERROR: Final = 400
"""The lowest status of errors."""


def register(app: APIFlask) -> None:
    """Complete the document of an application, and create it once: that takes 0.1 s, and anyone may request it."""
    app.spec_processor(partial(_complete, app))
    create = app.view_functions["openapi.spec"]
    # Without it, requests at the same time would create the document several times, in the same objects of APIFlask.
    creating = threading.Lock()

    @cache
    def document() -> bytes:
        data: bytes = app.make_response(create()).get_data()
        return data

    def respond() -> Response:
        with creating:
            return Response(document(), mimetype="application/json")

    app.view_functions["openapi.spec"] = respond


def _complete(app: APIFlask, spec: dict[Any, Any] | str) -> dict[Any, Any] | str:
    """Add the access rules and the responses to refused requests; bodies are required, errors have their own media type."""
    assert isinstance(spec, dict)
    for method, path, rule in routes(app):
        operation = spec["paths"].get(path, {}).get(method.lower())
        if operation is None:
            continue
        operation["x-access"] = rule.name
        operation["x-roles"] = sorted(rule.roles)
        refusals = {
            401: "A token that is not valid",
            403: f"Not allowed. Allowed: {rule.about}",
            421: "A host name that is not this server's",
        }
        if body := operation.get("requestBody"):
            body["required"] = True
            refusals |= refused(400, 413, 415)
        responses = operation["responses"]
        for status, description in refusals.items():
            content = {MEDIA_TYPE: {"schema": {"$ref": _PROBLEM}}}
            responses.setdefault(str(status), {"description": description, "content": content})
        for code, response in responses.items():
            if int(code) >= _ERROR and "application/json" in response.get("content", {}):
                response["content"] = {MEDIA_TYPE: response["content"].pop("application/json")}
    return spec
