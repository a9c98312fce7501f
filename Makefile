# `make run` starts the program, `make test` runs all tests; each makes what it needs in .venv first.

PYTHON ?= python3
PORT ?= 8420

BIN := .venv/bin
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet

.PHONY: run test lint

run: .venv/installed
	$(BIN)/companion serve --demo --port $(PORT)

test: .venv/installed-dev
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

lint: .venv/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

.venv/made:
	$(PYTHON) -m venv .venv
	@touch $@

.venv/installed: .venv/made pyproject.toml
	$(PIP) --editable .
	@touch $@

.venv/installed-dev: .venv/made pyproject.toml
	$(PIP) --editable '.[dev]'
	@touch $@ .venv/installed
