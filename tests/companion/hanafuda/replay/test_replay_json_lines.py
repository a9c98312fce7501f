"""Records in files: one record per line, one record on several lines, or something else."""

import json

import pytest

from companion.hanafuda.replay import read_lines

RECORD = {"game": "koikoi", "turns": []}
LINE = json.dumps(RECORD).encode()


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_record_a_line(end: bytes) -> None:
    found = list(read_lines(LINE + end + b"  " + end + end + LINE))
    assert [(line.number, line.value, line.error) for line in found] == [(1, RECORD, None), (4, RECORD, None)]


def test_a_bad_line_stays_in_its_place() -> None:
    found = list(read_lines(b"\n".join([LINE, b"{", LINE])))
    assert [line.number for line in found] == [1, 2, 3]
    assert [line.value for line in found] == [RECORD, None, RECORD]
    assert str(found[1].error).startswith("this is not JSON: ")


def test_a_record_over_several_lines() -> None:
    (line,) = read_lines(b"\n" + json.dumps(RECORD, indent=2).encode())
    assert (line.number, line.value, line.error) == (2, RECORD, None)


def test_a_record_over_two_lines() -> None:
    (line,) = read_lines(LINE[:8] + b"\n" + LINE[8:])
    assert line.value == RECORD


def test_an_invalid_record_over_several_lines_is_reported_line_by_line() -> None:
    assert [line.number for line in read_lines(b"{\n{\n" + LINE) if line.error] == [1, 2]


def test_a_byte_order_mark_is_skipped() -> None:
    (line,) = read_lines(b"\xef\xbb\xbf" + LINE)
    assert line.value == RECORD


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_of_sixteen_bits_a_letter(end: str) -> None:
    found = read_lines((LINE.decode() + end + end + LINE.decode()).encode("utf-16"))
    assert [(line.number, line.value) for line in found] == [(1, RECORD), (3, RECORD)]
    found = read_lines(b"\xfe\xff" + LINE.decode().encode("utf-16-be"))
    assert [line.value for line in found] == [RECORD]


@pytest.mark.parametrize("text", [b"\xff\xfe\x00", b"\x89PNG\r\n", b"[" * 100_000, b"nope"])
def test_what_is_not_json(text: bytes) -> None:
    assert all(line.error for line in read_lines(text))


def test_nothing() -> None:
    assert list(read_lines(b"\n\n")) == []
