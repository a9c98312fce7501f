"""``companion score``: scores cards and explains the points."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from companion.cli.language import cli_language, error_text, say, yaku_text
from companion.cli.terminal import json_option, print_json, print_result, rules_option
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message, card_message
from companion.hanafuda.registry import default_game
from companion.hanafuda.rules import Rules
from companion.hanafuda.scoring import rules_to_score, score_request, scored_games
from companion.hanafuda.strict_json import BadJSONError, loads
from companion.messages import with_texts


@click.command()
@click.argument("cards", nargs=-1, metavar="CARD...")
@click.option(
    "--game",
    metavar="G",
    help=f"The game: {', '.join(scored_games())}. Without it, that of the rules, or {default_game().slug}.",
)
@rules_option
@click.option("--month", type=click.IntRange(1, 12), help="The round's month.")
@click.option("--field", multiple=True, metavar="CARD", help="A card on the field; can be repeated.")
@click.option(
    "--own-calls", type=click.IntRange(0), default=0, help="The number of koi-koi calls of the pile's owner."
)
@click.option(
    "--opponent-calls", type=click.IntRange(0), default=0, help="The number of koi-koi calls of the opponent."
)
@click.option(
    "--role",
    type=click.Choice(["bettor", "dealer"]),
    help="Whose hand it is in a game with a banker. [default: bettor]",
)
@json_option
@click.pass_context
def score(
    ctx: click.Context,
    *,
    cards: tuple[str, ...],
    game: str | None,
    rules: Rules | None,
    month: int | None,
    field: tuple[str, ...],
    own_calls: int,
    opponent_calls: int,
    role: str | None,
    as_json: bool,
) -> None:
    """Score captured cards, or a hand: yaku, points and the reasons.

    Give the cards' ids (`companion decks hanafuda` lists them). With - instead, requests are read from standard input, one
    JSON object per line, and each is answered on one line; for an invalid request {"error": ...} is printed, and the exit
    code is 1. --game and --rules then apply to requests without them.
    """
    defaults: dict[str, Any] = {"game": rules_to_score(rules, game).game}
    if rules:
        defaults["rules"] = rules
    if cards == ("-",):
        if month or field or own_calls or opponent_calls or role:
            raise click.UsageError("with -, month, field, calls and role belong in the requests", ctx)
        _answer_lines(ctx, defaults)
        return
    if not cards:
        raise click.UsageError("no cards given: list the captured cards, or use - to read requests", ctx)
    request = {**defaults, "captured": cards}
    if month:
        request["month"] = month
    if field:
        request["field"] = field
    if own_calls or opponent_calls:
        request["calls"] = {"own": own_calls, "opponent": opponent_calls}
    if role:
        request["role"] = role
    answer = score_request(request)
    print_result(with_texts(answer, cli_language()), score_lines(answer), as_json=as_json)


def _answer_lines(ctx: click.Context, defaults: dict[str, Any]) -> None:
    bad = answered = 0
    for number, line in enumerate(sys.stdin.buffer, start=1):
        if not line.strip():
            continue
        answered += 1
        try:
            request = _parse(line)
            answer = score_request(_with_defaults(request, defaults))
            print_json(with_texts(answer, cli_language()))
        except BadRequestError as error:
            bad += 1
            print_json({"error": error_text(error), "code": error.code, "line": number})
    if not answered:
        raise click.UsageError("no requests on standard input: give one JSON object per line", ctx)
    if bad:
        click.echo(
            f"companion score: {say(Message('cli-score-bad-requests', {'bad': bad, 'count': answered}))}",
            err=True,
        )
        ctx.exit(1)


def _with_defaults(request: Any, defaults: dict[str, Any]) -> Any:
    """Return a request with the command's game and rules, unless it is about another game."""
    if not isinstance(request, dict):
        return request
    if "rules" in request:
        return {"game": rules_to_score(request["rules"], request.get("game")).game, **request}
    return {**defaults, **request} if request.get("game", defaults["game"]) == defaults["game"] else request


def _parse(line: bytes) -> Any:
    try:
        return loads(line)
    except BadJSONError as error:
        raise BadRequestError(f"the line is not JSON: {error}") from None


def score_lines(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that describe an answer, in the language of the command line."""
    points = say(Message("points", {"count": answer["total"]}))
    rules = say(Message("cli-score-rules", {"rules": answer["rules"]["name"]}))
    yield f"{click.style(points, bold=True)}  {rules} ({answer['rules']['hash']})"
    yield say(Message.from_dict(answer["reason"]))
    for yaku in answer["yaku"]:
        yield ""
        yield click.style(f"  {yaku['points']:>2}  {yaku_text(yaku['name'], yaku)}", bold=True)
        yield f"      {say(Message.from_dict(yaku['reason']))}"
        yield f"      {', '.join(_names(yaku['cards']))}"
    if answer["missing"]:
        yield ""
        yield say(Message("cli-score-near"))
    for nearby in answer["missing"]:
        params = {"yaku": yaku_text(nearby["yaku"], nearby), "cards": ", ".join(_names(nearby["needs"]))}
        if len(nearby["needs"]) == nearby["count"]:
            yield f"  {say(Message('cli-score-lacks', params))}"
        else:
            yield f"  {say(Message('cli-score-lacks-any', {**params, 'count': nearby['count']}))}"


def _names(ids: list[str]) -> list[str]:
    return [say(card_message(card_id)) for card_id in ids]
