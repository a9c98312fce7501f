"""``companion replay``: checks the moves of round records and scores the rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import click

from companion.cli.language import cli_language, error_text, say
from companion.cli.terminal import json_option, print_result, rules_option
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.replay import Noted, Replayed, read_lines
from companion.hanafuda.replay import replay as replay_record
from companion.hanafuda.rules import Rules
from companion.messages import with_texts


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.File("rb"), metavar="FILE...")
@rules_option
@json_option
@click.pass_context
def replay(ctx: click.Context, *, files: tuple[BinaryIO, ...], rules: Rules | None, as_json: bool) -> None:
    """Check round records: every move, and the points of each round.

    A FILE has round records, one JSON object per line (- is standard input). --rules applies to records without rules.
    The exit code is 1 if a move is illegal, a result does not agree with its turns, or a line is not a record; for such a
    line {"error": ...} is printed, and checking continues.
    """
    rounds, faults = 0, Counter[str]()
    for file in files:
        for line in read_lines(file.read()):
            place = {"file": _name(file), "line": line.number}
            try:
                if line.error:
                    raise line.error
                replayed = replay_record(line.value, rules)
            except BadRequestError as error:
                faults["unreadable"] += 1
                title = click.style(say(Message("cli-replay-no-record")), bold=True)
                text = f"{_place(place)}  {title}: {error_text(error)}"
                print_result({**place, "error": error_text(error), "code": error.code}, text, as_json=as_json)
                continue
            rounds += 1
            faults["illegal"] += not replayed.legal
            faults["disagreeing"] += replayed.agrees is False
            document = {**place, **with_texts(replayed.to_dict(), cli_language())}
            print_result(document, _round_text(_place(place), replayed), as_json=as_json)
    if not rounds and not faults["unreadable"]:
        raise click.UsageError("nothing to replay: give round records, one JSON object per line", ctx)
    all_good = not faults.total()
    if not (as_json and all_good):
        click.echo(_summary(rounds, faults), err=as_json)
    if not rounds:
        raise click.UsageError("no line is a round record", ctx)
    ctx.exit(0 if all_good else 1)


def _name(file: BinaryIO) -> str:
    name = getattr(file, "name", "<stdin>")
    return "-" if name == "<stdin>" else str(name)


def _place(place: dict[str, Any]) -> str:
    return f"{place['file']}:{place['line']}"


def _round_text(place: str, replayed: Replayed) -> Iterator[str]:
    """Yield one line for a round, then one line for each problem."""
    played = replayed.round
    verdict = say(Message("cli-replay-legal" if replayed.legal else "cli-replay-illegal"))
    if replayed.agrees is not None:
        verdict += say(Message("cli-replay-agrees" if replayed.agrees else "cli-replay-disagrees"))
    outcome = replayed.outcome
    to_move = Message("cli-replay-not-over", {"player": player_message(played.to_move)})
    why = say(outcome.why if outcome else to_move)
    turns = say(Message("cli-watch-turns", {"count": replayed.turns}))
    yield f"{place}  {click.style(verdict, bold=bool(replayed.noted))}  {played.rules.game}, {turns}: {why}"
    for noted in replayed.noted:
        yield f"    {_location(noted)}: {say(noted.problem.text)} [{noted.problem.code}]"


def _location(noted: Noted) -> str:
    if noted.turn is None:
        return say(Message("cli-replay-result"))
    return say(
        Message("cli-replay-turn", {"number": noted.turn}) if noted.turn else Message("cli-replay-deal")
    )


def _summary(count: int, faults: Mapping[str, int]) -> str:
    rounds = say(Message("rule-unit-rounds", {"count": count}))
    parts = [
        say(Message(f"cli-replay-{fault}-count", {"count": faults[fault]}))
        for fault in ("illegal", "disagreeing", "unreadable")
        if faults[fault]
    ]
    return ", ".join([rounds, *parts]) if parts else say(Message("cli-replay-all-good", {"rounds": rounds}))
