"""``companion decks``: list packs with the ids of their cards, and the decks that the scanner recognizes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.cli.language import say
from companion.cli.terminal import data_option, json_option, print_json, stored_documents
from companion.files import write_output
from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.cards import Card
from companion.hanafuda.messages import Message, Param

if TYPE_CHECKING:
    from vision.decks.deck_library import DeckLibrary, KnownDeck

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
    """List the packs of cards and the recognized decks, or show the cards of the pack or deck NAME.

    \b
    companion decks export NAME FILE   write a deck to a file, to share it
    companion decks import FILE        add a deck from a file
    companion decks forget NAME        remove an enrolled deck
    """
    if name in _ACTIONS:
        _run_action(ctx, name, more, data, as_json)
        return
    if more:
        raise click.UsageError(f"only one deck can be shown at a time: leave out {', '.join(more)}", ctx)
    if name is not None and name in PACKS:
        _show_pack(name, as_json)
        return
    library = _library(data)
    if name is None:
        for pack, cards in PACKS.items():
            if as_json:
                print_json({"deck": pack, "cards": len(cards)})
            else:
                click.echo(
                    f"{pack:<12} {say(Message('cli-decks-pack', {'count': len(cards), 'first': cards[0].id, 'last': cards[-1].id}))}"
                )
        for deck in library.known.values():
            print_json(_deck_json(deck)) if as_json else click.echo(_deck_line(deck))
    else:
        _show_deck(library.deck(name), as_json)


def _library(data: Path | None) -> DeckLibrary:
    # Imported late: loading OpenCV and ONNX Runtime takes half a second, which listing a pack need not wait for.
    from vision.decks.deck_library import DeckLibrary  # noqa: PLC0415

    return DeckLibrary(stored_documents(data))


def _run_action(
    ctx: click.Context, action: str, more: tuple[str, ...], data: Path | None, as_json: bool
) -> None:
    from vision.decks.deck_errors import DeckFileError  # noqa: PLC0415  # as above
    from vision.decks.deck_profile import DeckProfile  # noqa: PLC0415  # as above

    wanted = {"export": "NAME FILE", "import": "FILE", "forget": "NAME"}[action]
    if len(more) != len(wanted.split()):
        usage = f"companion decks {action} {wanted}"
        raise click.UsageError(f"usage: {usage}", ctx)
    library = _library(data)
    try:
        if action == "export":
            name, file = more[0], more[1]
            write_output(Path(file), library.profile(name).to_bytes())
        elif action == "import":
            profile = DeckProfile.load(Path(more[0]))
            name, file = profile.name, library.add(profile)
        else:
            name = more[0]
            file = library.forget(name)
    except DeckFileError as error:
        raise click.ClickException(
            say(Message("labeled", {"label": more[0], "text": error.message}))
        ) from error
    if as_json:
        print_json({"deck": name, "done": action, "file": file})
    else:
        click.echo(say(Message(f"cli-decks-{action}", {"deck": name, "file": str(file)})))


def _deck_json(deck: KnownDeck) -> dict[str, Any]:
    if deck.profile is None:
        return {"deck": deck.name, "shipped": deck.shipped, "problem": deck.problem and say(deck.problem)}
    profile = deck.profile
    return {
        "deck": deck.name,
        "cards": len(profile.cards),
        "pack": profile.pack,
        "shipped": deck.shipped,
        "made": profile.made,
        "source": profile.source,
        "license": profile.license,
    }


def _deck_line(deck: KnownDeck) -> str:
    if deck.profile is None:
        return f"{deck.name:<22} {say(Message('cli-decks-unusable', {'problem': deck.problem or ''}))}"
    made: dict[str, Param] = {
        "count": len(deck.profile.cards),
        "pack": deck.profile.pack,
        "date": deck.profile.made[:10],
    }
    text = Message("cli-decks-shipped", made) if deck.shipped else Message("cli-decks-enrolled", made)
    return f"{deck.name:<22} {say(text)}"


def _show_pack(name: str, as_json: bool) -> None:
    if as_json:
        print_json({"deck": name, "cards": [card.to_dict() for card in PACKS[name]]})
        return
    for card in PACKS[name]:
        click.echo(_card_line(card))


def _show_deck(deck: KnownDeck, as_json: bool) -> None:
    if as_json:
        classes = [] if deck.profile is None else [list(cards) for cards in deck.profile.classes]
        print_json({**_deck_json(deck), "file": deck.location, "kinds": classes})
        return
    click.echo(_deck_line(deck))
    click.echo(f"  {deck.location}")
    if deck.profile is None:
        return
    if deck.profile.source:
        click.echo(
            f"  {deck.profile.source}" + (f" ({deck.profile.license})" if deck.profile.license else "")
        )
    content = {"prototypes": len(deck.profile.prototypes.classes), "pictures": len(deck.profile.pictures)}
    click.echo(f"  {say(Message('cli-decks-content', content))}")
    for cards in deck.profile.classes:
        click.echo(f"  {' = '.join(cards)}")


def _card_line(card: Card) -> str:
    names = card.names
    names_text = " · ".join(name for name in (names.en, names.ja, names.romaji, names.ko) if name)
    return f"{card.id:<22} {card.month:>2}  {card.kind or '':<7} {names_text}"
