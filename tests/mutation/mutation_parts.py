"""Which tests answer for which modules: the rows that ``run.py --game`` runs."""

from typing import NamedTuple

__all__ = ["PARTS", "Part"]


class Part(NamedTuple):
    """Some files or folders of the program, and the tests that have to notice a change in them.

    The tests are the game's own and the fast ones: each mutant that survives costs their whole time.
    """

    game: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]


def _within(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}.py" for name in names)


PARTS = (
    Part(
        "koikoi",
        ("companion/fishing", *_within("companion/koikoi", "round", "game", "teyaku")),
        (
            "tests/companion/fishing",
            *_within(
                "tests/companion/koikoi", "test_koikoi_golden", "test_koikoi_rounds", "test_koikoi_recorded"
            ),
        ),
    ),
    Part(
        "koikoi",
        _within("companion/koikoi", "scorer", "playout"),
        _within("tests/companion/koikoi_scorer", "test_scorer", "test_playout"),
    ),
    Part(
        "koikoi",
        _within("companion/koikoi", "words", "scoring", "yaku"),
        (
            "tests/companion/koikoi_scorer/test_reasons.py",
            *_within("tests/companion", "test_answers", "test_golden"),
        ),
    ),
    Part(
        "kekoro",
        ("companion/kekoro", "companion/rules/kekoro.py"),
        _within(
            "tests/companion/kekoro",
            "test_kekoro_piles",
            "test_kekoro_rounds",
            "test_kekoro_rules",
            "test_kekoro_words",
        ),
    ),
    Part(
        "kakkuri",
        ("companion/kakkuri", "companion/rules/kakkuri.py"),
        _within(
            "tests/companion/kakkuri",
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
        ("companion/kingo", *_within("companion/rules", "kingo", "kingo_bank")),
        _within(
            "tests/companion/kingo",
            "test_kingo_game",
            "test_kingo_golden",
            "test_kingo_hidden",
            "test_kingo_records",
            "test_kingo_words",
        ),
    ),
    Part(
        "rules",
        _within("companion/rules", "options", "presets", "reading", "record"),
        (
            "tests/companion/test_rules.py",
            *_within("tests/companion/rules", "test_rule_values", "test_rules_read_out"),
        ),
    ),
    Part(
        "rules",
        ("companion/rules/requested.py",),
        ("tests/companion/test_rules.py", "tests/companion/rules/test_rules_requested.py"),
    ),
    Part(
        "rules",
        _within("companion/rules", "share", "wire"),
        _within("tests/companion/rules", "test_share_codes", "test_wire_tables"),
    ),
    Part(
        "replay",
        ("companion/replay", *_within("companion", "simulate", "commands/replay")),
        (
            *_within(
                "tests/companion/replay",
                "test_replay_command",
                "test_replay_lines",
                "test_replay_readings",
                "test_replay_record",
                "test_replay_showdown",
            ),
            "tests/companion/test_simulate.py",
        ),
    ),
)
