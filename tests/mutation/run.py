"""Mutation runs: the number of small faults in the program that its tests detect. See README.md beside this file."""

import argparse
import fnmatch
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from mutation_parts import PARTS, Part

try:
    from mutation_attempts import Attempt, attempt_all, processor_seconds
    from mutation_mutants import Mutant, mutate
except ModuleNotFoundError as error:
    sys.exit(f"there is no {error.name} here; install it by: pip install -e '.[dev,mutation]'")

_ASIDE = shutil.ignore_patterns("__pycache__", ".*")
_SEED = 1  # of --sample: the same sample each time, so that two runs can be compared


def main() -> None:
    """Mutate a copy of the project in the current folder, run the tests, and print the survivors and the figures."""
    began = time.monotonic()
    options, parts = _asked()
    wanted = _filter(options.only)
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        place = Path(folder)
        _copy(parts, place)
        os.chdir(place)
        found = [(mutant, part.tests) for part in parts for mutant in _mutants(part) if wanted(mutant.name)]
        if options.sample is not None and options.sample < len(found):
            found = random.Random(_SEED).sample(found, options.sample)
        limits = {tests: _limit(tests, place) for tests in {tests for _, tests in found}}
        print(f"{len(found)} mutants", flush=True)
        by_name = {mutant.name: mutant for mutant, _ in found}
        verdicts: dict[Mutant, str] = {}
        attempts = (Attempt(mutant.name, tests, limits[tests]) for mutant, tests in found)
        for attempt, verdict in attempt_all(attempts, place, options.jobs):
            mutant = by_name[attempt.mutant]
            verdicts[mutant] = verdict
            if verdict != "killed":
                print(
                    "\n".join([f"{verdict} {mutant.name}{' (sentence)' * mutant.sentence}", *mutant.diff, ""])
                )
            if len(verdicts) % 100 == 0:
                print(f"  {len(verdicts)}/{len(found)}, {time.monotonic() - began:.0f} s", flush=True)
        for path in sorted({mutant.path for mutant in verdicts}):
            print(
                _figures(
                    str(path), {each: reported for each, reported in verdicts.items() if each.path == path}
                )
            )
        print(_figures("all", verdicts))
        print(f"{time.monotonic() - began:.0f} s")


def _asked() -> tuple[argparse.Namespace, list[Part]]:
    """Return the options, and the parts to run."""
    games = list(dict.fromkeys(part.game for part in PARTS))
    parser = argparse.ArgumentParser(
        description="Put small faults into a copy of the program, one at a time, and tell which of them its tests "
        "do not notice.",
        usage="%(prog)s (--game GAME | SOURCES… --tests TESTS…) [--only GLOB] [--sample N] [--jobs N]",
    )
    parser.add_argument("sources", nargs="*", metavar="SOURCES", help="files or folders to mutate")
    parser.add_argument(
        "--tests", nargs="+", default=[], metavar="TESTS", help="their tests, as pytest takes them"
    )
    parser.add_argument("--game", choices=games, help="the modules and tests of mutation_parts.py")
    parser.add_argument(
        "--only",
        default="*",
        metavar="GLOB",
        help="only mutants of such names; @FILE: the survivors of a run's output",
    )
    parser.add_argument("--sample", type=int, metavar="N", help="only N mutants, always the same ones")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many run at a time")
    options = parser.parse_args()
    if bool(options.game) == bool(options.sources) or bool(options.sources) != bool(options.tests):
        parser.error("name a game, or sources and their tests")
    if options.game:
        return options, [part for part in PARTS if part.game == options.game]
    return options, [Part("", tuple(options.sources), tuple(options.tests))]


def _filter(only: str) -> Callable[[str], bool]:
    """Return a predicate that selects mutants by name."""
    if not only.startswith("@"):
        return lambda name: fnmatch.fnmatchcase(name, only)
    lines = Path(only[1:]).read_text(encoding="utf-8").splitlines()
    alive = {line.split()[1] for line in lines if line.startswith(("survived ", "timeout "))}
    return alive.__contains__


def _copy(parts: list[Part], place: Path) -> None:
    """Copy the modules to mutate, with their packages, and all tests."""
    for path in {path.partition("::")[0] for part in parts for path in (*part.sources, *part.tests)}:
        if not Path(path).exists():
            sys.exit(f"there is no {path} in {Path.cwd()}")
    for folder in {Path(path).parts[0] for part in parts for path in (*part.sources, *part.tests)}:
        shutil.copytree(folder, place / folder, ignore=_ASIDE)
    settings = Path("pyproject.toml")
    reported = settings.read_text(encoding="utf-8") if settings.exists() else ""
    (place / settings).write_text(f'{reported}\n[tool.mutmut]\nsource_paths = ["."]\n', encoding="utf-8")


def _mutants(part: Part) -> Iterator[Mutant]:
    """Write all mutants of a part into the copy in the current folder, and yield them."""
    for source in map(Path, part.sources):
        for path in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
            yield from mutate(path)


def _limit(tests: tuple[str, ...], place: Path) -> int:
    """Return the limit of CPU time for these tests with a mutant, s, from their time without one."""
    before = processor_seconds()
    [(_, verdict)] = attempt_all([Attempt("", tests, 600)], place, 1)
    if verdict != "survived":
        reported = (place / "unmutated.txt").read_text(encoding="utf-8")
        sys.exit(f"without any mutant these tests fail: {' '.join(tests)}\n{reported[-3000:]}")
    seconds = processor_seconds() - before
    print(f"{seconds:.1f} s of the processor a survivor: {' '.join(tests)}", flush=True)
    return round(10 + 4 * seconds)


def _figures(name: str, verdicts: dict[Mutant, str]) -> str:
    """Return a line with the number of survivors among all mutants, and among those that change no text."""
    plain = {mutant: verdict for mutant, verdict in verdicts.items() if not mutant.sentence}
    return f"{name:<36}{_share(verdicts)};  no sentences {_share(plain)}"


def _share(verdicts: dict[Mutant, str]) -> str:
    reported = list(verdicts.values())
    survived = reported.count("survived")
    noticed = f"{100 - 100 * survived / len(reported):5.1f} %" if reported else "     –"
    return f"{len(reported):>5} mutants, {survived:>3} survived, {reported.count('timeout'):>2} timeouts: {noticed}"


if __name__ == "__main__":
    main()
