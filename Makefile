# Two commands: `make run` and `make test`. Everything else is for work on the project;
# CONTRIBUTING.md says when.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
# pip compiles the packages to byte code on one core, which takes longer than fetching them; this
# does it on all. Left undone it would be done at every start where Python may not keep byte code
# (PYTHONDONTWRITEBYTECODE): two thirds of a command's time. Files in another Python's syntax, which
# some packages bring along, are passed over.
PIP := --quiet --no-compile
COMPILE := $(BIN)/python -m compileall -q -j 0 $(VENV)/lib > /dev/null || true
# Extra arguments for pytest, e.g. make test ARGS="-k policy -x"
ARGS ?=

.PHONY: run test check lint types api lowest wheel warm demo bench bench-recommenders bench-intervals \
  bench-observations bench-certificates bench-limits bench-orders bench-policy bench-ui clean

run: $(VENV)/.runtime
	@$(BIN)/python -m equity_core warm
	@echo "The dashboard is at http://localhost:$(PORT)"
	@$(BIN)/python -m streamlit run app.py --server.port $(PORT)

test: $(VENV)/.dev
	$(BIN)/python -m equity_core warm
	$(BIN)/python -m pytest $(ARGS)

check: lint types test

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

api: $(VENV)/.dev
	$(BIN)/python scripts/api_reference.py

# The quick tests at the lower end of every requirement, in an environment of its own.
lowest: $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)-lowest
	$(BIN)/uv pip install --quiet --python $(VENV)-lowest/bin/python --resolution lowest-direct -r requirements-dev.txt
	$(VENV)-lowest/bin/python -m pytest -m "not browser and not slow" $(ARGS)

# dist/learning_equity-<version>-py3-none-any.whl
wheel: $(VENV)/.dev
	$(BIN)/python -m hatchling build -t wheel

warm: $(VENV)/.runtime
	$(BIN)/python -m equity_core warm

demo: $(VENV)/.dev
	$(BIN)/python -m equity_core demo

bench: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.bench_rerank $(ARGS)

bench-recommenders: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.bench_recommenders $(ARGS)

bench-intervals: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.bench_intervals

bench-observations: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.bench_observations $(ARGS)

bench-certificates: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.bench_certificates $(ARGS)

bench-limits: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.bench_limits

bench-orders: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.bench_orders $(ARGS)

bench-policy: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.bench_policy $(ARGS)

bench-ui: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.bench_ui $(ARGS)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; $(PYTHON) is older or missing. Name another: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# Stamps: installed once, and again only when a requirements file changes. Nothing is fetched
# otherwise, so both commands work offline.
$(VENV)/.runtime: requirements.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install $(PIP) -r requirements.txt
	@$(COMPILE)
	@touch $@

$(VENV)/.dev: requirements.txt requirements-train.txt requirements-dev.txt scripts/chromium.sh | $(VENV)/bin/python
	$(BIN)/python -m pip install $(PIP) -r requirements-dev.txt
	@bash scripts/chromium.sh $(BIN)/python & chromium=$$!; $(COMPILE); wait $$chromium
	@touch $@ $(VENV)/.runtime

clean:
	rm -rf $(VENV) $(VENV)-lowest dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
