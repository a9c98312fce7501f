"""``companion bench``: measures the program's speed on this machine."""

from __future__ import annotations

import click

from companion.bench import REPEATS, SUBJECTS, Measured, machine, measure
from companion.cli.entry_points import EntryPointGroup
from companion.cli.terminal import json_option, print_result


@click.group(
    cls=EntryPointGroup,
    entry_points="companion.benchmarks",
    summaries={
        "speed": "The speed of reading frames and a photograph.",
        "rules": "The speed of scoring and playing.",
    },
    invoke_without_command=True,
)
@click.pass_context
def bench(ctx: click.Context) -> None:
    """Measure the program's speed on this machine."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


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
    """Measure the CPU time for scoring a pile and playing a round in each game, by its standard rules.

    Each measurement is repeated; the output has the median and the best repeat, in microseconds of CPU time per pile or
    round.
    """
    if not as_json:
        on = machine()
        click.echo(
            f"{on['python']} on {on['cpu']}; microseconds of the processor, the median of {REPEATS} repeats and the best"
        )
    for subject in SUBJECTS:
        measured = measure(subject, seconds)
        print_result(measured.to_dict(), _line(measured), as_json=as_json)


def _line(measured: Measured) -> str:
    subject = measured.subject
    return (
        f"{subject.game:<11}{subject.slug:<11}{measured.median:>9.2f} {measured.best:>9.2f}"
        f"  {subject.text} (calls: {measured.calls:,} a repeat)"
    )
