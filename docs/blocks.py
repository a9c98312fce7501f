"""The generated blocks of the documentation, each rendered from the program's own data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from companion.cli import main
from companion.hanafuda.cards import DECKS, HANAFUDA, Card, card, from_bits
from companion.hanafuda.games import kekoro, koikoi
from companion.hanafuda.games.kakkuri.cards import PACKS, Pack
from companion.hanafuda.games.kakkuri.cards import RANKS as KAKKURI_RANKS
from companion.hanafuda.games.kekoro.scoring import CARD_VALUES
from companion.hanafuda.games.kingo.hands import BARETA, POT_RANKS, RANKS, Rank
from companion.hanafuda.games.koikoi.yaku import TEYAKU, Teyaku
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import PRESETS, Option, Rules
from companion.hanafuda.rules.options import written
from companion.messages import render
from companion.messages.rules_names import preset_origin, rules_label
from docs import access_blocks

__all__ = ["BLOCKS"]

_FACES = "../../companion/faces"
_MAX_FACES = 10
"""Maximum number of cards that are shown as pictures."""


# --- Markdown


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(text) for text in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", "<br>")


def _code(value: Any) -> str:
    return f"`{written(value)}`"


def _face(card: Card, width: int = 26) -> str:
    names = card.names
    return (
        f'<img src="{_FACES}/{card.id}.svg" width="{width}" alt="{names.en}" title="{names.en} {names.ja}">'
    )


def _faces(cards: Sequence[Card]) -> str:
    return " ".join(map(_face, cards))


# --- rules records


def _presets(game: str) -> Mapping[str, Rules]:
    """Return the presets of a game by their short names, without the game's name."""
    return {name.removeprefix(f"{game}-"): PRESETS[name] for name in GAMES[game].rules.presets}


def options(game: str) -> str:
    """Return tables of a game's options by section: text, values, value in each preset, and source."""
    record, presets = GAMES[game].rules, _presets(game)
    parts = []
    for section, title in record.sections.items():
        keys = [key for key, option in record.options().items() if option.section == section]
        rows = [[*_option_row(record, key, presets)] for key in keys]
        head = ["Option", "Values", *(presets if len(presets) > 1 else ["default"]), "Source"]
        parts.append(f"### {render(title)} · {render(title, 'ja')}\n\n{_table(head, rows)}")
    return "\n\n".join(parts)


def _option_row(record: type[Rules], key: str, presets: Mapping[str, Rules]) -> Iterator[str]:
    option = record.options()[key]
    yield f"`{key}`\n{render(option.text)}\n{render(option.text, 'ja')}"
    yield "\n".join(f"{_code(value)} {render(text)}".rstrip() for value, text in option.choices())
    default = getattr(record(), key)
    for rules in presets.values():
        value = getattr(rules, key)
        yield _code(value) if value == default else f"**{_code(value)}**"
    yield option.source


def presets(game: str) -> str:
    """Return a list of a game's presets, and a table of their differences from the first one."""
    record, found = GAMES[game].rules, _presets(game)
    preset_list = "\n".join(
        f"- `{name}`, **{render(rules_label(name))}**: {render(text)} {render(origin)}"
        for name, (text, _) in record.presets.items()
        if (origin := preset_origin(name))
    )
    if len(found) == 1:
        return preset_list
    first, *others = found.values()
    keys = [key for key in record.options() if any(key in other.changes(first) for other in others)]
    rows = []
    for key in keys:
        option = record.options()[key]
        values = [getattr(rules, key) for rules in found.values()]
        rows.append(
            [f"`{key}`\n{render(option.text)}", *_mark_same([_value_text(option, value) for value in values])]
        )
    return f"{preset_list}\n\n{_table(['Option', *found], rows)}"


def _value_text(option: Option, value: Any) -> str:
    meaning = render(option.meaning(value))
    return meaning if meaning.startswith(str(value)) else f"{_code(value)} {meaning}"


def _mark_same(descriptions: Sequence[str]) -> list[str]:
    return [descriptions[0], *("the same" if each == descriptions[0] else each for each in descriptions[1:])]


# --- the games


def yaku_of_koikoi() -> str:
    """Return a table of the yaku and teyaku of Koi-Koi: cards, points in each preset, and source."""
    presets = _presets("koikoi")
    yaku_rows = [_koikoi_row(yaku, _koikoi_cards(yaku), presets) for yaku in koikoi.YAKU.values()]
    teyaku_rows = [
        _koikoi_row(each, f"{render(each.takes)}, dealt to a hand", presets) for each in TEYAKU.values()
    ]
    return _table(["Yaku", "Cards", *presets, "Source"], [*yaku_rows, *teyaku_rows])


def _koikoi_row(yaku: koikoi.Yaku | Teyaku, cards: str, presets: Mapping[str, Rules]) -> list[str]:
    points = [str(getattr(rules, yaku.option) or "–") for rules in presets.values()]
    return [_names(yaku), cards, *points, yaku.source]


def _koikoi_cards(yaku: koikoi.Yaku) -> str:
    cards = from_bits(yaku.of)
    count = f"{yaku.count} or more " if yaku.counted else ""
    return f"{count}{render(yaku.takes)}\n{_faces(cards) if len(cards) <= _MAX_FACES else ''}".rstrip()


def yaku_of_kekoro() -> str:
    """Return a table of the yaku of Kekoro; the variants of 1921 are beside the yaku that they replace."""
    rows = []
    for yaku in kekoro.YAKU.values():
        cards = _cards_with_names(yaku)
        if other := kekoro.YAKU_1921.get(yaku.slug):
            cards += f"\nby `yaku_source` 1921:\n{_cards_with_names(other)}"
        rows.append([_names(yaku), cards, yaku.source])
    return _table(["Yaku", "Cards", "Source"], rows)


def _cards_with_names(yaku: kekoro.Yaku) -> str:
    cards = from_bits(yaku.cards)
    return f"{_faces(cards)}\n{', '.join(card.names.en for card in cards)}"


def values_of_kekoro() -> str:
    """Return a table of the card values in Kekoro, by each table of values."""
    tables = list(CARD_VALUES[0].values)
    rows = [
        [
            _KEKORO_CARDS[row.code],
            str(row.cards.bit_count()),
            *(str(row.values[table]) for table in tables),
        ]
        for row in CARD_VALUES
    ]
    return _table(["Cards", "In the deck", *(f"`{table}`" for table in tables)], rows)


_KEKORO_CARDS = {
    "kekoro-value-chaff": "Chaff カス札",
    "kekoro-value-curtain-phoenix": "Curtain and phoenix 桜に幕・桐に鳳凰",
    "kekoro-value-brights": "Other brights ほかの光札",
    "kekoro-value-animals": "Animals 種札",
    "kekoro-value-ribbons": "Ribbons 短冊札",
}


def cards_of_kakkuri() -> str:
    """Return a table of the cards of each rank in each deck for Kakkuri, and a table of the cards with a special role."""
    rows = [
        [str(rank), *("\n".join(_cards_text(pack, pack.by_rank[rank])) for pack in PACKS.values())]
        for rank in KAKKURI_RANKS
    ]
    parts = {
        "Wild": [pack.wild for pack in PACKS.values()],
        "Lucky hand": [pack.lucky for pack in PACKS.values()],
        "Drops out of eight": [pack.dropout for pack in PACKS.values()],
    }
    special = [
        [
            part,
            *(", ".join(_short_names(pack, bits)) for pack, bits in zip(PACKS.values(), sets, strict=True)),
        ]
        for part, sets in parts.items()
    ]
    return f"{_table(['Number', *PACKS], rows)}\n\n{_table(['Part', *PACKS], special)}"


def _cards_text(pack: Pack, bits: int) -> Iterator[str]:
    cards = [card(card_id) for card_id in pack.cards(bits)]
    yield f"{_faces(cards)} {cards[0].flower}" if pack.name == "hanafuda" else _faces(cards)


def _short_names(pack: Pack, bits: int) -> Iterator[str]:
    for card_id in pack.cards(bits):
        yield card(card_id).names.en.split(" (")[0]


def ranks_of_kingo() -> str:
    """Return a table of the ranks in the variant with a pot."""
    rows = [[_rank(rank), render(rank.takes), _times(rank), rank.source] for rank in POT_RANKS]
    return _table(["Hand", "Cards", "The pot", "Source"], rows)


def ranks_of_kingo_bank() -> str:
    """Return a table of the ten ranks of the banking variant, strongest first, and bareta."""
    rows = [
        [
            _rank(rank),
            render(rank.takes),
            " and ".join(rank.holders),
            _times(rank),
            f"`{rank.option}`" if rank.teyaku else "",
            rank.source,
        ]
        for rank in RANKS
    ]
    return _table(["Hand", "Cards", "Held by", "A bettor is paid", "Option", "Source"], rows)


def _rank(rank: Rank) -> str:
    return f"**{rank.en}** {rank.ja}\n`{rank.slug}`"


def _times(rank: Rank) -> str:
    if rank is BARETA:
        return "nothing"
    if "bettor" not in rank.holders:
        return "–"
    return {1: "once", 2: "twice", 3: "three times"}[rank.times]


def _names(yaku: koikoi.Yaku | Teyaku | kekoro.Yaku) -> str:
    return f"**{yaku.en}**\n{yaku.ja} *{yaku.romaji}*\n`{yaku.slug}`"


# --- cards and commands


def flowers() -> str:
    """Return a table of the hanafuda, one row per month."""
    rows = []
    for month in range(1, 13):
        cards = [card for card in HANAFUDA if card.month == month]
        rows.append(
            [
                str(month),
                *(f"{_face(card, 44)}\n{card.names.en}\n{card.names.ja}\n`{card.id}`" for card in cards),
            ]
        )
    return _table(["Month", "", "", "", ""], rows)


def deck(name: str) -> str:
    """Return a table of the cards of a deck for which the program has no pictures."""
    rows = [[f"`{card.id}`", card.names.en, card.names.ja, card.names.romaji] for card in DECKS[name]]
    return _table(["Id", "English", "Japanese", "Romaji"], rows)


def classes() -> str:
    """Return a table of each game's Python package and classes."""
    rows = []
    for game in GAMES.values():
        package = game.round.__module__.rpartition(".")[0]
        rows.append(
            [render(game.rules.title), *map(_code, (package, game.round.__name__, game.match.__name__))]
        )
    return _table(["", "Package", "Round", "Game"], rows)


def commands() -> str:
    """Return a table of all commands with the first sentence of their help."""
    return _table(["Command", "Purpose"], _commands())


def _commands() -> Iterator[tuple[str, str]]:
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                found = command.get_command(context, inner)
                assert found is not None
                yield f"`companion {name} {inner}`", found.get_short_help_str(200)
        else:
            yield f"`companion {name}`", command.get_short_help_str(200)


BLOCKS: Mapping[str, Callable[..., str]] = {
    "options": options,
    "presets": presets,
    "koikoi-yaku": yaku_of_koikoi,
    "kekoro-yaku": yaku_of_kekoro,
    "kekoro-values": values_of_kekoro,
    "kakkuri-cards": cards_of_kakkuri,
    "kingo-ranks": ranks_of_kingo,
    "kingo-bank-ranks": ranks_of_kingo_bank,
    "flowers": flowers,
    "deck": deck,
    "classes": classes,
    "commands": commands,
    **access_blocks.BLOCKS,
}
"""All blocks by name."""
