"""What the commands share: the ``--json`` and ``--rules`` options and JSON lines on standard output."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from companion.errors import did_you_mean, nearest
from companion.rules import PRESETS, KoiKoiRules, resolve

__all__ = ["json_option", "print_json", "rules_option"]

json_option = click.option("--json", "as_json", is_flag=True, help="Machine-readable: one JSON document a line.")


class _RulesParam(click.ParamType):
    """A preset's name or a JSON file with a rules record."""

    name = "rules"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> KoiKoiRules:
        if isinstance(value, KoiKoiRules):
            return value
        if value in PRESETS:
            return resolve(value)
        path = Path(value)
        if not path.exists():
            hint = did_you_mean(nearest(value, PRESETS)) or f"; presets: {', '.join(PRESETS)}"
            self.fail(f"there is no rules preset and no file {value!r}{hint}", param, ctx)
        try:
            record = json.loads(path.read_bytes())
        except OSError as error:
            self.fail(f"cannot read the rules file {value}: {error.strerror}", param, ctx)
        except (ValueError, RecursionError) as error:
            self.fail(f"the rules file {value} is not JSON: {error}", param, ctx)
        if not isinstance(record, dict):
            self.fail(f'the rules file {value} must hold one JSON object like {{"preset": …}}', param, ctx)
        return resolve(record)


rules_option = click.option(
    "--rules",
    type=_RulesParam(),
    metavar="R",
    help="A preset's name, or a JSON file with the options that differ from a preset.",
)
"""Gives the command ``rules: KoiKoiRules | None``."""


def print_json(document: object) -> None:
    """Print one JSON document on one line, at once, so that a program at the other end can work along."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    sys.stdout.flush()
