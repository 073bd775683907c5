# `make demo` and `make test` need nothing but Python 3.11 or later (and the package index).

VENV ?= .venv
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := $(VENV)/bin

.PHONY: demo test check bench clean

demo: $(VENV)/.demo
	$(BIN)/ecumene run examples/economy.yaml

test: check
	$(BIN)/pytest -n auto --dist worksteal

check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

bench: $(VENV)/.demo
	$(BIN)/python benchmarks/economy.py

clean:
	rm -rf $(VENV) dist

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed; set PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[cli,logs]"
	touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@
