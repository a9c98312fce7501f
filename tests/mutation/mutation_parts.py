"""The tests of each part of the program, for ``run.py --game``."""

from typing import NamedTuple

__all__ = ["PARTS", "Part"]


class Part(NamedTuple):
    """Some files or folders of the program, and the tests that have to detect changes in them.

    The tests are the game's own and the fast ones: each surviving mutant costs their whole time.
    """

    game: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]


def _within(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}.py" for name in names)


PARTS = (
    Part(
        "koikoi",
        (
            "companion/hanafuda/fishing",
            *_within("companion/hanafuda/games/koikoi", "round", "match"),
        ),
        (
            "tests/companion/hanafuda/fishing",
            *_within(
                "tests/companion/hanafuda/koikoi",
                "test_koikoi_golden",
                "test_koikoi_rounds",
                "test_koikoi_recorded",
            ),
        ),
    ),
    Part(
        "koikoi",
        _within("companion/hanafuda/games/koikoi", "scorer"),
        _within("tests/companion/hanafuda/koikoi_scorer", "test_scorer"),
    ),
    Part(
        "koikoi",
        _within("companion/hanafuda/games/koikoi", "reasons", "scoring", "yaku"),
        (
            "tests/companion/hanafuda/koikoi_scorer/test_reasons.py",
            "tests/companion/hanafuda/test_score_json.py",
            "tests/companion/test_golden.py",
        ),
    ),
    Part(
        "kekoro",
        ("companion/hanafuda/games/kekoro",),
        _within(
            "tests/companion/hanafuda/kekoro",
            "test_kekoro_piles",
            "test_kekoro_rounds",
            "test_kekoro_rules",
            "test_kekoro_reasons",
        ),
    ),
    Part(
        "kakkuri",
        ("companion/hanafuda/games/kakkuri",),
        _within(
            "tests/companion/hanafuda/kakkuri",
            "test_kakkuri_game",
            "test_kakkuri_golden",
            "test_kakkuri_hidden",
            "test_kakkuri_record",
            "test_kakkuri_round",
            "test_kakkuri_rules",
            "test_kakkuri_sets",
        ),
    ),
    Part(
        "kingo",
        ("companion/hanafuda/games/kingo",),
        _within(
            "tests/companion/hanafuda/kingo",
            "test_kingo_game",
            "test_kingo_golden",
            "test_kingo_hidden",
            "test_kingo_records",
            "test_kingo_phrases",
        ),
    ),
    Part(
        "rules",
        _within("companion/hanafuda/rules", "options", "presets", "reading", "record"),
        (
            "tests/companion/hanafuda/test_rules.py",
            *_within("tests/companion/hanafuda/rules", "test_rule_values", "test_rules_read_out"),
        ),
    ),
    Part(
        "rules",
        ("companion/hanafuda/rules/requested.py",),
        ("tests/companion/hanafuda/test_rules.py", "tests/companion/hanafuda/rules/test_rules_requested.py"),
    ),
    Part(
        "rules",
        _within("companion/hanafuda/rules", "share", "share_table"),
        _within("tests/companion/hanafuda/rules", "test_share_codes", "test_share_tables"),
    ),
    Part(
        "replay",
        ("companion/hanafuda/replay", "companion/hanafuda/simulation.py", "companion/cli/replay.py"),
        (
            *_within(
                "tests/companion/hanafuda/replay",
                "test_replay_command",
                "test_replay_json_lines",
                "test_replay_readings",
                "test_replay_record",
                "test_replay_showdown",
            ),
            "tests/companion/hanafuda/test_simulation.py",
        ),
    ),
)
