"""A click group whose commands are found through entry points and imported only when they are called."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib import metadata
from typing import Any

import click

from companion.hanafuda.errors import did_you_mean, nearest


class EntryPointGroup(click.Group):
    """A group that lists the commands of an entry-point group without importing them.

    ``summaries`` has a line for each of its own commands, in the order of the help. Commands of other distributions follow in
    alphabetical order; they are imported for the first sentence of their help.
    """

    def __init__(
        self, *args: Any, entry_points: str, summaries: Mapping[str, str], **attributes: Any
    ) -> None:
        super().__init__(*args, **attributes)
        self._group = entry_points
        self._summaries = summaries

    @cached_property
    def _points(self) -> dict[str, metadata.EntryPoint]:
        return {point.name: point for point in metadata.entry_points(group=self._group)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the help."""
        names = set(self._points) | set(self.commands)
        ordered = [name for name in self._summaries if name in names]
        return ordered + sorted(names.difference(ordered))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their summaries."""
        rows = []
        for name in self.list_commands(ctx):
            command = None if name in self._summaries else self.get_command(ctx, name)
            rows.append((name, command.get_short_help_str() if command else self._summaries[name]))
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name; the error for an unknown one suggests similar names."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            if args[0].startswith("-"):
                raise
            similar = did_you_mean(nearest(args[0], self.list_commands(ctx)))
            raise click.UsageError(f"there is no command {args[0]!r}{similar}", ctx) from None

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None if there is none with this name."""
        if cmd_name not in self._points:
            return super().get_command(ctx, cmd_name)
        command = self._points[cmd_name].load()
        assert isinstance(command, click.Command)
        return command
