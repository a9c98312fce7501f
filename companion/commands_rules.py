"""``companion rules``: house rules as a player would read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from companion.rules import PRESET_TEXTS, PRESETS, Rules, resolve
from companion.terminal import json_option, print_json, read_rules

__all__ = ["rules"]


@click.group(invoke_without_command=True)
@click.pass_context
def rules(ctx: click.Context) -> None:
    """Read house rules."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@rules.command()
@click.argument("record", metavar="[R]", required=False, callback=read_rules)
@json_option
def show(record: Rules | None, as_json: bool) -> None:
    """Read out the rules R: every option, what it means, and what differs from its preset.

    R is a preset's name or a JSON file; without it, koikoi-standard. Presets are held against
    the first preset of their game.
    """
    record = record or resolve(None)
    other = PRESETS[record.standard() if record.name == record.preset else record.preset]
    changes = record.changes(other)
    if as_json:
        print_json({
            "name": record.name,
            "hash": record.hash,
            "preset": record.preset,
            "rules": record.to_dict(),
            "differs_from": other.name,
            "changes": changes,
            "options": record.describe(),
        })  # fmt: skip
        return
    click.echo("\n".join(_said(record, other, changes)))


def _said(record: Rules, other: Rules, changes: dict[str, Any]) -> Iterator[str]:
    yield click.style(f"{record.name}  ({record.hash})", bold=True)
    if record.name in PRESET_TEXTS:
        yield PRESET_TEXTS[record.name].en
    if changes:
        count = f"{len(changes)} option{'s' if len(changes) > 1 else ''}"
        yield f"Differs from {other.name} in {count}, marked *."
    theirs = other.to_dict()
    section = None
    for option in record.describe():
        if option["section"] != section:
            section = option["section"]
            yield ""
            yield click.style(record.sections[section].en, bold=True)
        key = option["key"]
        was = f"  [{other.name}: {_value(theirs[key])}]" if key in changes else ""
        yield f"{'*' if key in changes else ' '} {key} = {_value(option['value'])}{was}"
        sentence, meaning = option["sentence"]["en"].rstrip("."), option["meaning"]["en"]
        yield f"      {sentence}: {meaning}. ({option['source']})"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return str(value).lower() if isinstance(value, bool) else str(value)
