# `make demo` shows iScore offline, `make run` polls your own feeds, `make test` runs the tests.
# Each target installs what it needs into .venv from the hashed lock files; nothing outside this folder changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev
READY_BENCH := $(VENV)/.ready-bench

# Many processes are started, which would compile the sources anew each time where the environment forbids to keep them.
export PYTHONDONTWRITEBYTECODE =
test test-long test-processors test-semantic test-clients coverage kernels bench bench-tables bench-crash bench-soak bench-fleet bench-large-server: export NUMBA_CACHE_DIR = $(CURDIR)/$(VENV)/kernels

.PHONY: demo run test test-long test-processors test-semantic test-clients coverage kernels kernels-of-installation lint audit format bench bench-tables bench-crash bench-soak bench-fleet bench-large-server pictures translations lock clean

demo: $(READY)
	$(BIN)/iscore demo --output demo

run: $(READY)
	test -e home/iscore.db || $(BIN)/iscore --home home init --feeds feeds.yaml
	$(BIN)/iscore --home home poll
	$(BIN)/iscore --home home inbox

# `make test TESTS=tests/extractors` runs part of them, `make test ORDER=7` runs them in a random order with that seed.
# `make test-long` runs those that are marked as long, and takes the same variables.
PROCESSES := --numprocesses auto --dist loadfile
PYTEST := $(BIN)/python -m pytest $(PROCESSES)
CHOSEN = $(if $(ORDER),-p randomly --randomly-seed=$(ORDER)) $(TESTS)
test: kernels
	$(PYTEST) -m "not long and not clients" --ignore=tests/clients $(CHOSEN)
	$(if $(strip $(CHOSEN)),,$(PYTEST_ON_SERVER) $(ON_SERVER))

# Where the database matters, tests for files run again on PostgreSQL; without a server they are skipped with the reason.
# Those of digests, interests and what apps mark use the same queries as the others, and do so in `make test-long`.
ON_SERVER := $(addprefix tests/iscore/services/,test_isolation.py reading/test_reader.py session/test_database_cache.py) \
    tests/iscore/services/test_export_format.py::test_nul_is_replaced_as_postgresql_has_no_text_with_it \
    tests/iscore/web/api/test_google_reader.py
ON_SERVER_LONG := tests/iscore/web/test_isolation.py tests/iscore/web/api/test_google_reader_marks.py \
    tests/iscore/services/interests/test_interests.py tests/iscore/services/digests/test_digests.py
# psycopg warns of connections that threads still used when the test closed the database.
NO_WARNING := -W ignore::pytest.PytestUnraisableExceptionWarning
# Each process starts a server, which takes as long as ten tests.
PYTEST_ON_SERVER = ISCORE_TEST_DATABASE=postgresql $(PYTEST) --numprocesses 2 $(NO_WARNING)

# On a server every form of every route takes long; tests/storage/test_two_people.py tests what the database does for it.
test-long: kernels
	$(PYTEST) -m long --ignore=tests/clients $(CHOSEN)
	$(if $(strip $(CHOSEN)),,$(PYTEST_ON_SERVER) $(ON_SERVER_LONG))

# Runs the tests of what computes numbers with the machine code of other processors, as far as this one has it.
NUMERICAL := $(addprefix tests/,iscore/learners iscore/filtering iscore/evaluation extractors)
test-processors: kernels
	$(BIN)/python -m tests.processors $(PROCESSES) -m "not long and not clients" $(or $(TESTS),$(NUMERICAL))

# Tests the encoder of the extra `semantic`. It has a folder of its own: where it is installed, articles have other scores.
SEMANTIC := $(VENV)/semantic
test-semantic: kernels $(SEMANTIC)/.ready
	PYTHONPATH=$(CURDIR)/$(SEMANTIC) $(BIN)/python -m pytest tests/extractors/text/test_meaning.py

# Drives client apps against a real server, and writes what each did into docs/guide/apps.md. Clients of PyPI are
# installed into an environment of their own; RSS Guard, Liferea, Xvfb and xdotool are skipped where they are missing.
CLIENTS := $(VENV)/clients
test-clients: kernels $(CLIENTS)/.ready
	ISCORE_CLIENTS=$(CURDIR)/$(CLIENTS) $(BIN)/python -m pytest -m clients tests/clients $(TESTS)

# Counting lines takes a seventh more time.
coverage: kernels
	$(PYTEST) -m "not clients" --cov --cov-report=term:skip-covered

# Compiles once what each process of the tests would compile for itself, since they start together.
KERNELS := $(VENV)/kernels/.of-tests
kernels: $(READY_DEV)
	$(MAKE) --no-print-directory --jobs=2 kernels-of-installation $(KERNELS)

kernels-of-installation:
	$(BIN)/python -m iscore.services.compilation

$(KERNELS): tests/compile_kernels.py $(shell find extractors iscore/learners iscore/filtering \
    tests/iscore/learners -name '*.py')
	$(BIN)/python -m tests.compile_kernels
	touch $@

lint: $(READY_DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Asks the network whether a locked package has a known vulnerability; fails without an answer.
AUDIT := --strict
audit: $(READY)
	test -x $(VENV)/audit/bin/pip-audit || { $(PYTHON) -m venv --clear $(VENV)/audit && \
	    $(VENV)/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit; }
	$(VENV)/audit/bin/pip-audit $(AUDIT) --disable-pip --require-hashes --requirement requirements-bench.lock

format: $(READY_DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY_BENCH)
	$(BIN)/python -m benchmarks

# The tables and figures of papers on learners, ours beside theirs.
TABLES = bollegala_tables bollegala_variants selection_figures carvalho_cohen_tables \
    carvalho_cohen_variants thesis_comparison
bench-tables: $(READY_BENCH)
	$(BIN)/python -m benchmarks $(TABLES)

# Two hundred kills at random moments, of everything that writes.
bench-crash: $(READY_BENCH)
	$(BIN)/python -m benchmarks crash

# A month of a thousand feeds in a quarter of an hour or so, and a server that everybody attacks for two minutes.
bench-soak: $(READY_BENCH)
	$(BIN)/python -m benchmarks soak attacked

# Workers on one PostgreSQL server: what they cost, and what faults lose in three simulated days; a quarter of an hour.
# As root it makes network namespaces; others cut links by proxies.
bench-fleet: $(READY_BENCH)
	$(BIN)/python -m benchmarks fleet fleet_days

# A server with 10,000 readers: size, plans of queries, what a day costs. Takes ten minutes and 15 GB.
bench-large-server: $(READY_BENCH)
	$(BIN)/python -m benchmarks large_server

# The pictures of docs/images and the sample output of the guide, from the sample news; needs Chromium.
pictures: $(READY_DEV)
	$(BIN)/python -m benchmarks.pictures
	$(BIN)/python -m benchmarks.first_day_page

# Brings the catalogues of translations up to date with the texts of the code, and says what has no translation yet.
translations: $(READY_DEV)
	$(BIN)/python -m tests.translations

# Needs `uv`; writes names, versions and hashes only. Each file contains the one before it.
# `make lock UPGRADE=` keeps the versions that still fit.
UPGRADE ?= --upgrade
COMPILE = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header
USER := --group build
DEV := $(USER) --extra fulltext --extra openid --extra postgresql --group dev
BENCH := $(DEV) --extra cluster --group bench
SERVER := $(USER) --extra fulltext --extra openid --extra postgresql
lock:
	echo uv | $(COMPILE) $(UPGRADE) - --output-file requirements-uv.lock
	$(COMPILE) $(UPGRADE) pyproject.toml $(USER) --output-file requirements.lock
	$(COMPILE) $(UPGRADE) pyproject.toml $(DEV) --constraint requirements.lock --output-file requirements-dev.lock
	$(COMPILE) $(UPGRADE) pyproject.toml $(SERVER) --constraint requirements-dev.lock \
	    --output-file requirements-server.lock
	$(COMPILE) $(UPGRADE) pyproject.toml $(BENCH) --constraint requirements-dev.lock \
	    --output-file requirements-bench.lock
	$(COMPILE) $(UPGRADE) --group pyproject.toml:clients --output-file requirements-clients.lock
	sed -n 's/^semantic = \["\([^"]*\)".*/\1/p' pyproject.toml | $(COMPILE) $(UPGRADE) --no-emit-package numpy - \
	    --output-file requirements-semantic.lock

# uv installs in a fifth of pip's time. Where it is missing pip brings it, and removes it again: it is as large as numpy.
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
UV := $(shell command -v uv)
ifeq ($(UV),)
UV := UV_NO_CACHE=1 $(BIN)/uv
bring_uv = @echo "Installing uv, which installs the rest …"; \
    $(PIP) install --require-hashes --requirement requirements-uv.lock
remove_uv = @$(PIP) uninstall --yes uv
endif
INSTALL := $(UV) pip install --quiet --python $(BIN)/python
# Installing takes a minute: say before each step what it does.
announce = @echo "Installing $$(sed -n 's/==.*//p' $(1) | sort -u | wc -l | tr -d ' ') packages into $(2) …"

$(READY): requirements.lock requirements-uv.lock pyproject.toml
	@echo "Making an environment for Python in $(VENV) …"
	@$(PYTHON) -m venv --clear $(VENV)
	$(bring_uv)
	$(call announce,$<,$(VENV))
	@$(INSTALL) --require-hashes --requirement $<
	@echo "Installing iScore into $(VENV) …"
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	$(remove_uv)
	@touch $@

$(READY_DEV) $(READY_BENCH): $(VENV)/.ready-%: requirements-%.lock $(READY)
	$(bring_uv)
	$(call announce,$<,$(VENV))
	@$(INSTALL) --require-hashes --requirement $<
	$(remove_uv)
	@touch $@

$(SEMANTIC)/.ready: requirements-semantic.lock $(READY)
	$(bring_uv)
	$(call announce,$<,$(SEMANTIC))
	@$(INSTALL) --no-deps --require-hashes --target $(SEMANTIC) --requirement $<
	$(remove_uv)
	@touch $@

$(CLIENTS)/.ready: requirements-clients.lock $(READY)
	@$(PYTHON) -m venv --clear $(CLIENTS)
	$(bring_uv)
	$(call announce,$<,$(CLIENTS))
	@$(INSTALL:$(BIN)/python=$(CLIENTS)/bin/python) --require-hashes --requirement $<
	$(remove_uv)
	@touch $@

clean:
	rm -rf $(VENV) node_modules demo home dist .coverage .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
