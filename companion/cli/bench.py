"""``companion bench``: how fast the program is on this machine, and how well it reads pictures."""

from __future__ import annotations

import click

from companion.bench import REPEATS, SUBJECTS, Measured, machine, measure
from companion.cli.bench_devices import bench_devices
from companion.cli.bench_live import bench_live
from companion.cli.bench_load import bench_load
from companion.cli.bench_speed import bench_speed
from companion.cli.bench_vision import bench_vision
from companion.cli.bench_watch import bench_watch
from companion.cli.terminal import json_option, print_json

__all__ = ["bench"]


@click.group(invoke_without_command=True)
@click.pass_context
def bench(ctx: click.Context) -> None:
    """Measure how fast the program is on this machine, and how well it reads pictures."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


bench.add_command(bench_speed)
bench.add_command(bench_vision)
bench.add_command(bench_watch)
bench.add_command(bench_live)
bench.add_command(bench_load)
bench.add_command(bench_devices)


@bench.command("rules")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True, max=600),
    default=1.0,
    show_default=True,
    help="The time for each measurement.",
)
@json_option
def bench_rules(seconds: float, as_json: bool) -> None:
    """Measure what a pile and a round cost in each game, by its standard rules.

    Each measurement is repeated; the median and the best repeat are told, in microseconds of the processor a pile
    or a round.
    """
    if not as_json:
        on = machine()
        click.echo(
            f"{on['python']} on {on['cpu']}; microseconds of the processor, the median of {REPEATS} repeats and the best"
        )
    for subject in SUBJECTS:
        measured = measure(subject, seconds)
        if as_json:
            print_json(measured.to_dict())
        else:
            click.echo(_line(measured))


def _line(measured: Measured) -> str:
    subject = measured.subject
    return (
        f"{subject.game:<11}{subject.slug:<11}{measured.median:>9.2f} {measured.best:>9.2f}"
        f"  {subject.text.en} (calls: {measured.calls:,} a repeat)"
    )
