"""Strict JSON, which all programs read the same way; and the commands' messages for anything else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from companion.cli import main
from companion.hanafuda.strict_json import MAX_DEPTH, MAX_INTEGER, BadJSONError, loads

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda each: st.lists(each, max_size=4) | st.dictionaries(TEXT, each, max_size=4),
)


@given(VALUES, st.booleans())
def test_valid_json_is_read_like_the_standard_library(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert loads(text) == loads(text.encode()) == loads(b"\xef\xbb\xbf" + text.encode()) == json.loads(text)


BAD = {
    '"\\ud800"': "half of a surrogate pair",
    '{"a": ["\\udfff\\ud800"]}': "half of a surrogate pair",
    '{"\\ud800": 1}': "half of a surrogate pair",
    '"\\u0000"': "NUL",
    "NaN": "NaN",
    "[-Infinity]": "-Infinity",
    "1e999": "too large",
    str(MAX_INTEGER + 1): "too large",
    "-" + "9" * 5000: "too large",
    '{"a": 1, "b": 2, "a": 3}': "'a' twice",
    "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1): "levels deep",
    "[" * 100_000: "levels deep",
    "": "Expecting value",
    "{": "Expecting property name",
}


@pytest.mark.parametrize(("text", "message"), BAD.items(), ids=[text[:20] for text in BAD])
def test_ambiguous_json_is_rejected(text: str, message: str) -> None:
    with pytest.raises(BadJSONError, match=message):
        loads(text)
    with pytest.raises(BadJSONError):
        loads(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("data", [b"\xff", b'"\xed\xa0\x80"', '{"a": 1}'.encode("utf-16"), b'"\xe9"'])
def test_bytes_are_utf8(data: bytes) -> None:
    with pytest.raises(BadJSONError):
        loads(data)


def test_the_greatest_nesting_is_read() -> None:
    assert loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)


LINES = [line for line in BAD if line] + [
    '{"game": ["koikoi"]}',
    '{"game": "koikoi", "captured": [[]]}',
    '{"game": "koikoi", "deal": {}, "turns": {}, "rules": []}',
]


@pytest.mark.parametrize(
    "command", [["score", "-", "--json"], ["score", "-"], ["replay", "-"], ["replay", "-", "--json"]]
)
def test_commands_answer_bad_lines_without_a_traceback(command: list[str]) -> None:
    """Half a surrogate pair in a line ended `companion score -` and `replay` with a traceback."""
    result = CliRunner().invoke(main, command, input="\n".join(LINES))
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in {1, 2}
    assert "Traceback" not in result.output
    assert len(result.stdout.splitlines()) >= len(LINES)


@pytest.mark.parametrize("text", ['{"preset": "\\ud800"}', '{"\\u0000": 1}', "[" * 9999, "{", '"koikoi"'])
def test_an_unreadable_rules_file_is_a_one_line_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(text)
    result = CliRunner().invoke(main, ["rules", "show", str(path)])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert len(result.stderr.strip().splitlines()) == 1
