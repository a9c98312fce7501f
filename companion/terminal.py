"""What the commands share: the options ``--json`` and ``--rules``, and JSON lines on standard output."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from companion.errors import did_you_mean, nearest
from companion.rules import PRESETS, Rules, resolve

__all__ = ["json_option", "print_json", "read_rules", "rules_option"]

json_option = click.option("--json", "as_json", is_flag=True, help="Answer in JSON, one document a line.")


def read_rules(ctx: click.Context, param: click.Parameter, value: str | None) -> Rules | None:
    """Make a record of what was given for rules: a preset's name or a JSON file (a click callback)."""
    if value is None:
        return None
    if value in PRESETS:
        return resolve(value)
    try:
        record = json.loads(Path(value).read_bytes())
    except FileNotFoundError:
        hint = did_you_mean(nearest(value, PRESETS)) or f"; presets: {', '.join(PRESETS)}"
        raise click.BadParameter(
            f"there is no rules preset and no file {value!r}{hint}", ctx, param
        ) from None
    except OSError as error:
        raise click.BadParameter(
            f"cannot read the rules file {value}: {error.strerror}", ctx, param
        ) from None
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"the rules file {value} is not JSON: {error}", ctx, param) from None
    if not isinstance(record, dict):
        raise click.BadParameter(f"the rules file {value} must hold one JSON object of options", ctx, param)
    return resolve(record)


rules_option = click.option(
    "--rules",
    callback=read_rules,
    metavar="R",
    help="A preset's name, or a JSON file with the options that differ from a preset.",
)
"""Gives the command ``rules: Rules | None``."""


def print_json(document: object) -> None:
    """Print one JSON document on one line, at once, so that a program at the other end can work along."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    sys.stdout.flush()
