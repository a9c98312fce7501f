"""``companion rules``: shows house rules in sentences, shares and opens them, and saves them under a name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from companion.cli.language import cli_language, error_text, say
from companion.cli.terminal import (
    data_option,
    existing_store,
    json_option,
    print_result,
    read_rules,
    store_place,
)
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import PRESETS, NewerShareCodeError, Rules, resolve
from companion.hanafuda.rules.options import written
from companion.hanafuda.rules.reading import describe_rules
from companion.hanafuda.rules.share import decode, encode, grouped, link
from companion.messages import LANGUAGES, render, with_texts
from companion.messages.rules_names import preset_origin, rules_label
from companion.net.addresses import qr_lines, urls
from companion.store import RulesNameTakenError
from companion.store.house_rules import RulesStore
from companion.store.store import open_store

_ACTOR = "companion rules"

_lang_option = click.option(
    "--language",
    "--lang",
    "lang",
    type=click.Choice(LANGUAGES),
    default=cli_language,
    help="The language; without it, that of `companion --language`.",
)
_instead_option = click.option(
    "--replace", "instead", is_flag=True, help="Replace existing rules with this name."
)
_optional_record = click.argument("record", metavar="[R]", required=False, callback=read_rules)
_record = click.argument("record", metavar="R", callback=read_rules)


@click.group(invoke_without_command=True)
@click.pass_context
def rules(ctx: click.Context) -> None:
    """Show, share and save house rules."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@rules.command()
@_optional_record
@_lang_option
@data_option
@json_option
def show(record: Rules | None, lang: str, data: Path | None, as_json: bool) -> None:
    """Show the rules R: every option with its meaning, and the differences from the preset.

    R is a preset's name, a share code, a JSON file, or a saved name; by default the first preset of the first game.
    Presets are compared with the first preset of their game.
    """
    _print_rules(record or resolve(None), lang, as_json)


@rules.command()
@_optional_record
@click.option(
    "--link",
    "base",
    metavar="BASE",
    help="The address at which phones reach the server. [default: that of `companion serve` on this machine]",
)
@data_option
@json_option
def share(record: Rules | None, base: str | None, data: Path | None, as_json: bool) -> None:
    """Print a link to the rules R, also as a QR code, and their share code.

    The link works while `companion serve` runs at that address. The code can be read aloud and typed; it is also a value
    for --rules.
    """
    record = record or resolve(None)
    code = encode(record)
    server = base or urls()[0]
    address = link(server if "://" in server else f"http://{server}", code)
    text = [
        *qr_lines(address),
        f"\n{click.style(record.name, bold=True)}  ({record.hash})",
        say(Message("cli-rules-link", {"url": address})),
        say(Message("cli-rules-shared-code", {"code": click.style(grouped(code), bold=True)})),
        say(Message("cli-rules-open", {"code": grouped(code)})),
    ]
    print_result({**_to_dict(record.name, record), "link": address}, text, as_json=as_json)


@rules.command("open")
@click.argument("code", metavar="CODE")
@click.option("--save", "name", metavar="NAME", help="Save the rules under this name.")
@_instead_option
@_lang_option
@data_option
@json_option
def open_(code: str, name: str | None, instead: bool, lang: str, data: Path | None, as_json: bool) -> None:
    """Show the rules of a share code, or of a link with one, and optionally save them under a name."""
    record = decode(code)
    if name is not None:
        with _saved_rules(data) as saved:
            record = saved.save(name, record, _ACTOR, instead=instead).rules()
    _print_rules(record, lang, as_json)


@rules.command()
@click.argument("name", metavar="NAME")
@_record
@_instead_option
@data_option
@json_option
def save(name: str, record: Rules, instead: bool, data: Path | None, as_json: bool) -> None:
    """Save the rules R under a name, which --rules then accepts."""
    with _saved_rules(data) as saved:
        kept = saved.save(name, record, _ACTOR, instead=instead)
    rules_text = f"{say(rules_label(record.name))} ({record.hash})"
    saved_as = {"name": kept.name, "rules": rules_text, "code": grouped(kept.code)}
    print_result(_to_dict(kept.name, record), say(Message("cli-rules-saved", saved_as)), as_json=as_json)


@rules.command("list")
@data_option
@json_option
def list_(data: Path | None, as_json: bool) -> None:
    """List the presets, then the saved rules."""
    with existing_store(data) as store:
        for name, preset in PRESETS.items():
            text = f"{name:<20} {say(rules_label(name))}: {say(preset.presets[name][0])}"
            print_result({**_to_dict(name, preset), "saved": None}, text, as_json=as_json)
        for each in store.house_rules.all() if store else ():
            try:
                record = each.rules()
            except NewerShareCodeError as error:
                click.echo(f"{each.name}: {error_text(error)}", err=True)
                continue
            original, code = say(rules_label(decode(each.code).name)), grouped(each.code)
            entry = Message("cli-rules-entry", {"rules": original, "code": code, "date": each.time[:10]})
            document = {**_to_dict(each.name, record), "saved": each.time}
            print_result(document, f"{each.name:<20} {say(entry)}", as_json=as_json)


@rules.command()
@click.argument("name", metavar="NAME")
@data_option
@json_option
def forget(name: str, data: Path | None, as_json: bool) -> None:
    """Delete saved rules. Existing scans and scores keep them."""
    with _saved_rules(data) as saved:
        forgotten = saved.forget(name, _ACTOR)
    name, code = forgotten.name, grouped(forgotten.code)
    text = say(Message("cli-rules-forgotten", {"name": name, "code": code}))
    print_result({"forgotten": name, "code": code}, text, as_json=as_json)


@contextmanager
def _saved_rules(data: Path | None) -> Iterator[RulesStore]:
    """Open the saved rules of the log; creates the log if there is none yet."""
    with closing(open_store(store_place(data))) as store:
        try:
            yield store.house_rules
        except RulesNameTakenError as error:
            raise click.UsageError(f"{error_text(error)} (--replace)") from error


def _to_dict(name: str, record: Rules) -> dict[str, Any]:
    return {"name": name, "game": record.game, "hash": record.hash, "code": grouped(encode(record))}


def _print_rules(record: Rules, lang: str, as_json: bool) -> None:
    document = describe_rules(record)
    print_result(with_texts(document, lang), _rules_text(document, lang), as_json=as_json)


def _rules_text(document: dict[str, Any], language: str) -> Iterator[str]:
    """Yield the lines that describe the rules."""

    def say(message: dict[str, Any]) -> str:
        return render(Message.from_dict(message), language)

    yield click.style(f"{document['name']}  ({document['hash']})", bold=True)
    if document["sentence"]:
        label = render(rules_label(document["name"]), language)
        yield f"{label}: {say(document['sentence'])}"
    if origin := preset_origin(document["name"]):
        yield render(origin, language)
    yield render(Message("cli-rules-code", {"code": document["code"]}), language)
    other, count = document["differs_from"], len(document["changes"])
    if count:
        yield render(Message("cli-rules-differ", {"other": other, "count": count}), language)
    elif document["name"] != other:
        yield render(Message("cli-rules-same", {"other": other}), language)
    section = None
    for option in document["options"]:
        if option["section"] != section:
            section = option["section"]
            yield ""
            yield click.style(say(document["sections"][section]), bold=True)
        was = option["instead_of"]
        instead = f"  [{other}: {written(was['value'])}]" if was else ""
        yield f"{'*' if was else ' '} {option['key']} = {written(option['value'])}{instead}"
        values = {
            "sentence": say(option["sentence"]),
            "meaning": say(option["meaning"]),
            "source": option["source"],
        }
        yield f"      {render(Message('cli-rules-option', values), language)}"
