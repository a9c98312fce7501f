"""``companion decks``: the packs with the ids of their cards, and the decks that are known by sight."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.cli.terminal import data_option, decks_folder, json_option, print_json
from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.cards import Card
from companion.hanafuda.errors import did_you_mean, nearest

if TYPE_CHECKING:
    from vision.decks.deck_library import DeckLibrary, KnownDeck

__all__ = ["decks"]

_ACTIONS = ("export", "import", "forget")


@click.command()
@click.argument("name", required=False)
@click.argument("more", nargs=-1, metavar="[ARGUMENT]...")
@data_option
@json_option
@click.pass_context
def decks(
    ctx: click.Context, name: str | None, more: tuple[str, ...], data: Path | None, as_json: bool
) -> None:
    """List the packs of cards and the decks known by sight, or show one: the cards of the pack or deck NAME.

    \b
    companion decks export NAME FILE   write a deck's file, for a friend
    companion decks import FILE        take a friend's deck in
    companion decks forget NAME        remove a deck that was enrolled
    """
    if name in _ACTIONS:
        _act(ctx, name, more, data, as_json)
        return
    if more:
        raise click.UsageError(f"one deck is shown at a time, and {', '.join(more)} is too much", ctx)
    if name is not None and name in PACKS:
        _show_pack(name, as_json)
        return
    known = _library(data).known
    if name is None:
        for pack, cards in PACKS.items():
            if as_json:
                print_json({"deck": pack, "cards": len(cards)})
            else:
                click.echo(f"{pack:<12} {len(cards)} cards, {cards[0].id} to {cards[-1].id}")
        for each in known.values():
            print_json(_facts(each)) if as_json else click.echo(_line(each))
    elif name in known:
        _show_deck(known[name], as_json)
    else:
        names = [*PACKS, *known]
        hint = did_you_mean(nearest(name, names)) or f"; there are {', '.join(names)}"
        raise click.BadArgumentUsage(f"there is no deck {name!r}{hint}")


def _library(data: Path | None) -> DeckLibrary:
    # Imported now: OpenCV and ONNX Runtime take half a second, which `companion decks hanafuda` need not wait for.
    from vision.decks.deck_library import DeckLibrary  # noqa: PLC0415

    return DeckLibrary(decks_folder(data))


def _act(ctx: click.Context, action: str, more: tuple[str, ...], data: Path | None, as_json: bool) -> None:
    from vision.decks.deck_profile import DeckFileError, DeckNameError, DeckProfile  # noqa: PLC0415  # as above

    wanted = {"export": "NAME FILE", "import": "FILE", "forget": "NAME"}[action]
    if len(more) != len(wanted.split()):
        raise click.UsageError(f"say companion decks {action} {wanted}", ctx)
    library = _library(data)
    try:
        if action == "export":
            name, path = more[0], Path(more[1])
            path.write_bytes(library.profile(name).to_bytes())
        elif action == "import":
            profile = DeckProfile.load(Path(more[0]))
            name, path = profile.name, library.add(profile)
        else:
            name = more[0]
            path = library.forget(name)
    except DeckFileError as error:
        raise click.ClickException(f"{more[0]}: {error}") from error
    except DeckNameError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{error.filename} cannot be written: {error.strerror}") from error
    if as_json:
        print_json({"deck": name, "done": action, "file": str(path)})
    else:
        done = {"export": "written to", "import": "taken in as", "forget": "forgotten:"}[action]
        click.echo(f"{name} {done} {path}")


def _facts(each: KnownDeck) -> dict[str, Any]:
    if each.profile is None:
        return {"deck": each.name, "shipped": each.shipped, "problem": each.problem}
    profile = each.profile
    return {
        "deck": each.name,
        "cards": len(profile.cards),
        "pack": profile.pack,
        "shipped": each.shipped,
        "made": profile.made,
        "source": profile.source,
        "licence": profile.licence,
    }


def _line(each: KnownDeck) -> str:
    if each.profile is None:
        return f"{each.name:<22} cannot be used: {each.problem}"
    origin = "shipped" if each.shipped else "enrolled"
    return f"{each.name:<22} {len(each.profile.cards)} {each.profile.pack} cards, {origin} {each.profile.made[:10]}"


def _show_pack(name: str, as_json: bool) -> None:
    if as_json:
        print_json({"deck": name, "cards": [card.to_dict() for card in PACKS[name]]})
        return
    for card in PACKS[name]:
        click.echo(_card_line(card))


def _show_deck(each: KnownDeck, as_json: bool) -> None:
    if as_json:
        alike = [] if each.profile is None else [list(cards) for cards in each.profile.classes]
        print_json({**_facts(each), "file": str(each.path), "kinds": alike})
        return
    click.echo(_line(each))
    click.echo(f"  {each.path}")
    if each.profile is None:
        return
    if each.profile.source:
        click.echo(
            f"  {each.profile.source}" + (f" ({each.profile.licence})" if each.profile.licence else "")
        )
    click.echo(f"  {len(each.profile.prototypes.classes)} prototypes, {len(each.profile.pictures)} pictures")
    for cards in each.profile.classes:
        click.echo(f"  {' = '.join(cards)}")


def _card_line(card: Card) -> str:
    names = card.names
    said = " · ".join(name for name in (names.en, names.ja, names.romaji, names.ko) if name)
    return f"{card.id:<22} {card.month:>2}  {card.kind or '':<7} {said}"
