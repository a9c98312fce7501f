"""Routes for house rules: list, describe, check, and save rules."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from apiflask import APIBlueprint
from flask import Response, current_app, jsonify

from api.access.identity import who
from api.context import context
from api.languages import message_json, request_language
from api.problems import JSON_REFUSED, problem_of
from api.schemas import RulesAsked, RulesDescriptionOut, RulesListOut, RulesSaved
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.rules import PRESETS, NewerShareCodeError, Rules, resolve
from companion.hanafuda.rules.reading import describe_rules
from companion.hanafuda.rules.share import encode, grouped
from companion.messages import with_texts
from companion.store import RulesNameTakenError, SavedRules

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
def named() -> Response:
    """List all named rules: the presets of every game, then the saved ones."""
    presets = [_named(name, preset) for name, preset in PRESETS.items()]
    saved = [_saved(each) for each in context().store.house_rules.all()]
    return jsonify(rules=presets + [each for each in saved if each])


@blueprint.get("/api/rules/<name>")
@blueprint.output(RulesDescriptionOut)
@blueprint.doc(responses={404: "No such rules"})
def one(name: str) -> Response:
    """Describe all options of the rules with this share code, preset name, or saved name."""
    try:
        return jsonify(with_texts(describe_rules(resolve(meant(name))), request_language()))
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


@blueprint.post("/api/rules")
@blueprint.input(RulesAsked)
@blueprint.output(RulesDescriptionOut)
@blueprint.doc(responses=JSON_REFUSED)
def checked(json_data: RulesAsked) -> Response:
    """Check rules and describe their options and share code; nothing is stored.

    If options are wrong, the problem lists them under `options`, each with the nearest valid one or null.
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
        "saved": saved,
    }


def _saved(saved: SavedRules) -> dict[str, Any] | None:
    try:
        return _named(saved.name, saved.rules(), saved.time)
    except NewerShareCodeError as error:  # written by a newer version of the program; keep it in the log
        current_app.logger.warning("%s: %s", saved.name, error)
        return None
