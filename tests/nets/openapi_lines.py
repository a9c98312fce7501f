"""The OpenAPI document as lines of text: one for each parameter, status, media type and field.

Names of component schemas, descriptions, summaries, titles, examples, tags and operation ids do not appear, so documents that
describe the same requests and answers have the same lines, whatever their schemas are called and however they are divided.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["api_lines"]

Schema = Mapping[str, Any]

_METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
_SHAPE = frozenset(
    {"$ref", "type", "anyOf", "oneOf", "allOf", "properties", "required", "items", "prefixItems", "additionalProperties",
     "propertyNames", "enum", "const"}
)  # fmt: skip
_PROBLEM = "application/problem+json"
_WORDING = frozenset({"title", "description", "examples", "example", "discriminator"})


def api_lines(document: Mapping[str, Any]) -> list[str]:
    """Return the lines of a document, sorted."""
    return sorted(set(_Lines(document).all()))


class _Lines:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document

    def all(self) -> Iterator[str]:
        """Yield the lines of all operations."""
        for path, item in self._document["paths"].items():
            for method in _METHODS:
                if method in item:
                    shared = item.get("parameters", [])
                    yield from self._operation(f"{method.upper()} {path}", item[method], shared)

    def _operation(self, name: str, operation: Schema, shared: list[Schema]) -> Iterator[str]:
        yield f"{name} roles {operation.get('x-access')} {operation.get('x-roles')}"
        for parameter in map(self._resolved, [*shared, *operation.get("parameters", [])]):
            need = "" if parameter.get("required") else "?"
            yield from self._schema(
                f"{name} {parameter['in']} {parameter['name']}{need}", parameter.get("schema", {})
            )
        if "requestBody" in operation:
            body = self._resolved(operation["requestBody"])
            yield from self._content(f"{name} body{'' if body.get('required') else '?'}", body)
        for status, reference in operation["responses"].items():
            response = self._resolved(reference)
            yield f"{name} {status}"
            yield from self._content(f"{name} {status}", response)
            for header, described in response.get("headers", {}).items():
                yield from self._schema(f"{name} {status} header {header}", described.get("schema", {}))

    def _content(self, name: str, holder: Schema) -> Iterator[str]:
        for media_type, media in holder.get("content", {}).items():
            if media_type == _PROBLEM:
                # All operations have one shape of errors, which is listed once.
                yield f"{name} {media_type}"
                name_of_fields = "errors"
            else:
                name_of_fields = f"{name} {media_type} "
            yield from self._schema(name_of_fields, media.get("schema", {}))

    def _resolved(self, schema: Schema) -> Schema:
        """Return a schema, or the one that it refers to."""
        while "$ref" in schema:
            found: Any = self._document
            for key in schema["$ref"].removeprefix("#/").split("/"):
                found = found[key]
            schema = found
        return schema

    def _schema(self, name: str, schema: Schema, above: tuple[str, ...] = ()) -> Iterator[str]:
        """Yield the lines of a schema; ``above`` are the references that lead to it, so that a recursive schema ends."""
        reference = schema.get("$ref")
        if reference is not None:
            if reference in above:
                yield f"{name}: as above"
                return
            above = (*above, reference)
            schema = self._resolved(schema)
        for all_of in schema.get("allOf", ()):
            yield from self._schema(name, all_of, above)
        alternatives = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
        if alternatives:
            yield from self._alternatives(name, alternatives, above)
        else:
            yield from self._one(name, schema, above)

    def _alternatives(self, name: str, alternatives: list[Schema], above: tuple[str, ...]) -> Iterator[str]:
        """Yield the lines of alternatives in an order that depends on their content only."""
        null = any(each.get("type") == "null" for each in alternatives)
        others = [each for each in alternatives if each.get("type") != "null"]
        if null:
            yield f"{name}: null"
        if len(others) == 1:
            yield from self._schema(name, others[0], above)
            return
        # The first lines of an object distinguish it; they do not depend on its place among the others.
        for number, lines in enumerate(
            sorted(list(self._schema("", each, above)) for each in others), start=1
        ):
            yield from (f"{name}<{number}>{line}" for line in lines)

    def _one(self, name: str, schema: Schema, above: tuple[str, ...]) -> Iterator[str]:
        types = schema.get("type", "any")
        if isinstance(types, list):
            yield from (f"{name}: null" for each in types if each == "null")
            types = "|".join(sorted(set(types) - {"null"}))
        text = f"{name}: {types}"
        if "enum" in schema or "const" in schema:
            text += f" of {sorted(map(_text, schema.get('enum') or [schema.get('const')]))}"
        limits = {key: value for key, value in schema.items() if key not in _SHAPE | _WORDING}
        # A default of null says no more than that the field may be left out.
        limits = {key: value for key, value in limits.items() if (key, value) != ("default", None)}
        text += "".join(f" {key}={_text(value)}" for key, value in sorted(limits.items()))
        if schema.get("additionalProperties") is False:
            text += " closed"
        yield text
        required = schema.get("required", ())
        for key, field in schema.get("properties", {}).items():
            yield from self._schema(f"{name}.{key}{'' if key in required else '?'}", field, above)
        if isinstance(schema.get("additionalProperties"), Mapping):
            yield from self._schema(f"{name}.*", schema["additionalProperties"], above)
        if isinstance(schema.get("propertyNames"), Mapping):
            yield from self._schema(f"{name}.*key", schema["propertyNames"], above)
        if isinstance(schema.get("items"), Mapping):
            yield from self._schema(f"{name}[]", schema["items"], above)
        for number, item in enumerate(schema.get("prefixItems", ())):
            yield from self._schema(f"{name}[{number}]", item, above)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
