"""Routes for house rules: list, describe, check, save, rename and delete rules."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from apiflask import APIBlueprint
from flask import Response, current_app, jsonify

from api.access.identity import who
from api.context import context
from api.languages import message_json, request_language
from api.problems import JSON_REFUSED, problem_of
from api.schemas import (
    RulesAsked,
    RulesComparedWith,
    RulesDescriptionOut,
    RulesForgotten,
    RulesListOut,
    RulesRenamed,
    RulesSaved,
)
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.rules import PRESETS, NewerShareCodeError, Rules, named, resolve
from companion.hanafuda.rules.reading import describe_rules
from companion.hanafuda.rules.share import encode, grouped
from companion.messages import error_text, with_texts
from companion.store import NoSuchRulesError, RulesNameTakenError, SavedRules

__all__ = ["blueprint", "meant"]

blueprint = APIBlueprint("rules", __name__, tag="Rules")


def meant(rules: str | dict[str, Any] | None) -> str | dict[str, Any] | Rules | None:
    """Return the rules of a request, with the name of saved rules replaced by the rules themselves."""
    if isinstance(rules, str) and rules not in PRESETS:
        saved = context().store.house_rules.get(rules)
        return rules if saved is None else saved.rules()
    return rules


@blueprint.get("/api/rules")
@blueprint.output(RulesListOut)
def rules_list() -> Response:
    """List all named rules: the presets of every game, then the saved ones."""
    presets = [_named(name, preset) for name, preset in PRESETS.items()]
    saved = [_saved(each) for each in context().store.house_rules.all()]
    return jsonify(rules=presets + [each for each in saved if each])


@blueprint.get("/api/rules/<name>")
@blueprint.input(RulesComparedWith, location="query")
@blueprint.output(RulesDescriptionOut)
@blueprint.doc(responses={404: "No such rules"})
def one(name: str, query_data: RulesComparedWith) -> Response:
    """Describe all options of the rules with this share code, preset name, or saved name."""
    try:
        record = resolve(meant(name))
        other = None if query_data.against is None else resolve(meant(query_data.against), record.game)
        return jsonify(with_texts(describe_rules(record, other), request_language()))
    except BadRequestError as error:
        return problem_of(HTTPStatus.NOT_FOUND, error)


@blueprint.put("/api/rules/<name>")
@blueprint.input(RulesSaved)
@blueprint.output(RulesDescriptionOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not paired",
        409: "Other rules have that name; `replace` replaces them",
        507: "The log could not be written",
    }
)
def save(name: str, json_data: RulesSaved) -> Response:
    """Save rules under a name for everyone on this server; rules that had the name before stay in the history."""
    sender = who()
    rules = resolve(meant(json_data.rules))
    try:
        saved = context().store.house_rules.save(name, rules, sender.name, instead=json_data.replace)
    except RulesNameTakenError as error:
        return problem_of(HTTPStatus.CONFLICT, error)
    return jsonify(with_texts(describe_rules(saved.rules()), request_language()))


@blueprint.patch("/api/rules/<name>")
@blueprint.input(RulesRenamed)
@blueprint.output(RulesDescriptionOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not paired",
        404: "No saved rules of that name",
        409: "Other rules have the new name",
        507: "The log could not be written",
    }
)
def rename(name: str, json_data: RulesRenamed) -> Response:
    """Give saved rules another name."""
    try:
        renamed = context().store.house_rules.rename(name, json_data.name, who().name)
    except NoSuchRulesError as error:
        return problem_of(HTTPStatus.NOT_FOUND, error)
    except RulesNameTakenError as error:
        return problem_of(HTTPStatus.CONFLICT, error)
    return jsonify(with_texts(describe_rules(renamed.rules()), request_language()))


@blueprint.delete("/api/rules/<name>")
@blueprint.output(RulesForgotten)
@blueprint.doc(
    responses={
        403: "Not paired",
        404: "No saved rules of that name",
        507: "The log could not be written",
    }
)
def forget(name: str) -> Response:
    """Delete saved rules. Evenings and scans keep them; saving the returned code under the name undoes it."""
    try:
        forgotten = context().store.house_rules.forget(name, who().name)
    except NoSuchRulesError as error:
        return problem_of(HTTPStatus.NOT_FOUND, error)
    return jsonify(name=forgotten.name, code=grouped(forgotten.code))


@blueprint.post("/api/rules")
@blueprint.input(RulesAsked)
@blueprint.output(RulesDescriptionOut)
@blueprint.doc(responses=JSON_REFUSED)
def checked(json_data: RulesAsked) -> Response:
    """Check rules and describe their options and share code; nothing is stored.

    If options are wrong, the problem lists them under `options`, each with the nearest valid one or null. Options that
    exclude each other are under `contradictions`, each with the `keys` of the options and the reason.
    """
    return jsonify(with_texts(describe_rules(resolve(meant(json_data.rules))), request_language()))


def _named(name: str, record: Rules, saved: str | None = None) -> dict[str, Any]:
    text = PRESETS[name].sentence if name in PRESETS else None
    return {
        "name": name,
        "game": record.game,
        "hash": record.hash,
        "code": grouped(encode(record)),
        "sentence": message_json(text) if text else None,
        "based_on": named(record).name,
        "saved": saved,
    }


def _saved(saved: SavedRules) -> dict[str, Any] | None:
    try:
        return _named(saved.name, saved.rules(), saved.time)
    except NewerShareCodeError as error:  # written by a newer version of the program; keep it in the log
        current_app.logger.warning("%s: %s", saved.name, error_text(error))
        return None
