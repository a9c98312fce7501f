"""``companion serve --demo`` continues one evening, however often it is started."""

from __future__ import annotations

from pathlib import Path

from api.cli.serve import _DEMO_PLAYERS, _DEMO_RULES, _open_demo
from companion.hanafuda.registry import default_game
from companion.hanafuda.rules import resolve
from companion.table.events import NewEvent
from tests.api.api_helpers import context_of, make_app

RULES = resolve(_DEMO_RULES, default_game().slug)


def test_each_start_opens_the_next_game_of_one_evening(tmp_path: Path) -> None:
    """Every start of the demo added an evening to the log."""
    ctx = context_of(make_app(tmp_path))
    first, second, third = (_open_demo(ctx, RULES, _DEMO_PLAYERS, None) for _ in range(3))
    assert len({first, second, third}) == 3
    for following in (second, third):
        with ctx.tables.at(following) as table:
            assert table.opened["night"] == first
    assert ctx.tables.newest(first) == third


def test_a_deleted_evening_is_not_continued(tmp_path: Path) -> None:
    ctx = context_of(make_app(tmp_path))
    first = _open_demo(ctx, RULES, _DEMO_PLAYERS, None)
    ctx.tables.report(first, [NewEvent("removed", {})], actor="host", source="phone")
    with ctx.tables.at(_open_demo(ctx, RULES, _DEMO_PLAYERS, None)) as table:
        assert "night" not in table.opened


def test_tables_of_others_are_left_alone(tmp_path: Path) -> None:
    ctx = context_of(make_app(tmp_path))
    other = ctx.tables.open(
        name=None, rules=RULES, players=_DEMO_PLAYERS, deck=None, actor="host", source="phone"
    ).table
    _open_demo(ctx, RULES, _DEMO_PLAYERS, None)
    assert ctx.tables.newest(other) == other
