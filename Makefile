# `make run` starts the program, `make test` runs all tests, `make check` the fast part; each creates what it needs in .venv first.

PYTHON ?= python3
PORT ?= 8420

BIN := .venv/bin
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install

# The tests of `make check`: rules, tables, messages, layers. They need no browser, camera, model or second process.
FAST := tests/test_layers.py tests/companion/hanafuda/koikoi tests/companion/hanafuda/rules tests/companion/table \
	tests/companion/messages tests/docs

# The order of the files is that of tests/conftest.py, not their numbers of tests.
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder --max-worker-restart 1
# Hundreds of processes of the tests import the program: it is compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test check lint

run: .venv/installed
	@echo 'Starting the demo. Stop it with Ctrl-C.'
	$(BIN)/companion serve --demo --port $(PORT)

test: .venv/installed-dev
	@echo 'Running all tests, which takes about a quarter of an hour.'
	$(PYTEST)

check: lint
	$(PYTEST) -q $(FAST)

lint: .venv/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

.venv/made:
	@echo 'Creating .venv, for this checkout only.'
	$(PYTHON) -m venv .venv
	@touch $@

.venv/installed: .venv/made pyproject.toml
	@echo 'Installing the program and its libraries into .venv: a minute or two the first time.'
	$(PIP) --editable .
	@touch $@

.venv/installed-dev: .venv/made pyproject.toml
	@echo 'Installing the program, its libraries and what the tests need into .venv: a few minutes the first time.'
	$(PIP) --editable '.[dev]'
	@touch $@ .venv/installed
