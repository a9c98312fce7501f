"""The Python examples in the documentation work; those of the command line are generated."""

import doctest

import pytest

from docs.generate import FENCE, ROOT, pages

PAGES = [str(path.relative_to(ROOT)) for path in pages()]


@pytest.mark.parametrize("page", PAGES)
def test_python_on_the_page_does_what_it_says(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A page's blocks are one session, so that a later example continues an earlier one."""
    text = (ROOT / page).read_text(encoding="utf-8")
    session = "\n".join(code for language, _, code in FENCE.findall(text) if language == "python")
    test = doctest.DocTestParser().get_doctest(session, {}, page, page, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert runner.failures == 0, capsys.readouterr().out
