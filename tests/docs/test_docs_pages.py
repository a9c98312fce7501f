"""The documentation agrees with the program: generated parts are up to date, and every option is documented."""

import re
from itertools import chain

import click
import pytest

from companion.cli import main
from companion.hanafuda.games.koikoi.yaku import TEYAKU
from companion.hanafuda.registry import GAMES
from companion.hanafuda.scoring import scored_games
from companion.messages import render as text_of
from companion.settings import Settings
from docs.blocks import BLOCKS
from docs.generate import ROOT, pages, render

PAGES = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in pages()}
READMES = "\n".join(chain(PAGES.values(), [(ROOT.parent / "README.md").read_text(encoding="utf-8")]))


@pytest.mark.parametrize("page", PAGES)
def test_generated_parts_are_up_to_date(page: str) -> None:
    assert render(PAGES[page]) == PAGES[page], "run `python -m docs.generate`"


def test_what_is_stale_is_written_anew() -> None:
    page = (
        "By hand.\n\n<!-- begin: presets kekoro -->\nlong ago\n<!-- end: presets -->\n\n"
        '```json title=mine.json\n{"preset": "kekoro", "yaku_points": 20}\n```\n\n'
        "```console\n$ companion score --rules mine.json pine-chaff-1\nlong ago\n```\n"
    )
    anew = render(page)
    assert "long ago" not in anew
    assert anew.startswith("By hand.\n\n<!-- begin: presets kekoro -->\n\n- `kekoro`, **")
    assert "$ companion score --rules mine.json pine-chaff-1\n10 points  by kekoro with 1 change" in anew
    assert render(anew) == anew


def test_every_block_stands_somewhere() -> None:
    used = set(re.findall(r"<!-- begin: (\S+)", "\n".join(PAGES.values())))
    assert used == set(BLOCKS)


@pytest.mark.parametrize("game", GAMES)
def test_every_option_and_preset_is_on_the_page_of_its_game(game: str) -> None:
    page = PAGES[f"games/{game}.md"]
    record = GAMES[game].rules
    assert page.startswith(f"# {text_of(record.title)} {text_of(record.title, 'ja')}\n")
    for name in chain(record.options(), record.presets):
        assert f"`{name}`" in page
    for option in record.options().values():
        assert text_of(option.text) in page
        assert text_of(option.text, "ja") in page


@pytest.mark.parametrize("game", scored_games())
def test_every_yaku_is_on_the_page_of_its_game(game: str) -> None:
    dealt = TEYAKU if game == "koikoi" else ()
    for slug in chain(scored_games()[game].yaku, dealt):
        assert f"`{slug}`" in PAGES[f"games/{game}.md"]


def _commands() -> list[str]:
    context = click.Context(main)
    names = []
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        inner = command.list_commands(context) if isinstance(command, click.Group) else []
        names += [f"companion {name} {each}" for each in inner] or [f"companion {name}"]
    return names


@pytest.mark.parametrize("command", _commands())
def test_every_command_is_documented(command: str) -> None:
    assert command in READMES


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target, anchor in re.findall(
        r"(?:\]\(|src=\")(?!https?:)([^)#\"]*)(?:#([^)\"]*))?[)\"]", PAGES[page]
    ):
        found = (ROOT / page).parent / target if target else ROOT / page
        assert found.exists(), target
        if anchor:
            assert anchor in _anchors(found.read_text(encoding="utf-8"))


def _anchors(text: str) -> set[str]:
    """Return GitHub's anchors of the headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("setting", Settings.model_fields)
def test_every_setting_is_documented(setting: str) -> None:
    assert f"\n| `{setting}` | " in PAGES["data.md"]
