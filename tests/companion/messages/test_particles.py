from pathlib import Path

import pytest

from companion.hanafuda.messages import Message
from companion.messages import render
from companion.messages.particles import particle
from tests.companion.messages.javascript import evaluate

_TABLE = Path(__file__).with_name("particles.txt")
ROWS = [
    tuple(part.strip() for part in line.split(" | "))
    for line in _TABLE.read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize(("word", "forms", "expected"), ROWS)
def test_a_particle_follows_the_sound_of_the_word(word: str, forms: str, expected: str) -> None:
    assert particle(word, forms) == expected


def test_the_pages_choose_the_same_particles() -> None:
    script = """
    const { particle } = await import(`${STATIC}/js/particles.js`);
    answer = rows.map(([word, forms]) => particle(word, forms));
    """
    assert evaluate(script, rows=ROWS) == [expected for _, _, expected in ROWS]


@pytest.mark.parametrize(
    ("count", "expected"), [(0, "0 points"), (1, "1 point"), (2, "2 points"), (21, "21 points")]
)
def test_a_noun_has_the_form_for_its_count(count: int, expected: str) -> None:
    assert render(Message("points", {"count": count})) == expected
