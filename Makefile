# Everything a person needs: `make demo` (offline tour), `make test`, `make run` (your own feeds).
# The environment is built from the hashed lock file when it is missing or stale; nothing outside this folder changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Tests start many processes, which would compile the sources anew each time where the environment forbids to keep that.
test coverage: export PYTHONDONTWRITEBYTECODE =
test coverage bench bench-tables bench-crash bench-soak: export NUMBA_CACHE_DIR = $(CURDIR)/$(VENV)/kernels

.PHONY: demo run test coverage lint audit format bench bench-tables bench-crash bench-soak lock clean

demo: $(READY)
	$(BIN)/iscore demo --output demo

run: $(READY)
	test -e home/iscore.db || $(BIN)/iscore --home home init --feeds feeds.yaml
	$(BIN)/iscore --home home poll
	$(BIN)/iscore --home home inbox

test: $(READY)
	$(BIN)/python -m pytest --numprocesses auto --dist loadscope

# Counting lines costs a seventh more time.
coverage: $(READY)
	$(BIN)/python -m pytest --numprocesses auto --dist loadscope --cov --cov-report=term:skip-covered

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m audit

# Asks the network what has become known since: a tool of its own, for it brings twenty packages. Without an answer it
# fails.
audit: $(READY)
	$(PYTHON) -m venv --clear $(VENV)/audit
	$(VENV)/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	$(VENV)/audit/bin/pip-audit --strict --disable-pip --require-hashes --requirement requirements.lock

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -m benchmarks

# The tables and figures of papers on learners, ours beside theirs.
TABLES = bollegala_tables bollegala_variants selection_figures carvalho_cohen_tables \
    carvalho_cohen_variants thesis_comparison
bench-tables: $(READY)
	$(BIN)/python -m benchmarks $(TABLES)

# Two hundred kills at random moments, of everything that writes.
bench-crash: $(READY)
	$(BIN)/python -m benchmarks crash

# A month of a thousand feeds in a quarter of an hour or so.
bench-soak: $(READY)
	$(BIN)/python -m benchmarks soak

# Needs the tool `uv`; writes names, versions and hashes only.
lock:
	uv pip compile pyproject.toml --extra dev --extra bench --extra cluster --extra fulltext --extra plots --extra web \
	    --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --upgrade -o requirements.lock

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $(READY)

clean:
	rm -rf $(VENV) node_modules demo home dist .coverage .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
