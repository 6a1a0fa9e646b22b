# Every CI step is a target one can run at home. `make demo` and `make test` each work alone on a fresh clone.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
PEERS := .venv-peers
PY := $(VENV)/bin/python
STAMPS := .make
CONSTRAIN := -c requirements/constraints.txt
PORT ?= 6006

# What the wheel is made of; when none of it changed, nothing is rebuilt.
SOURCES := pyproject.toml setup.py README.md $(shell find src build_backend -type f -not -path '*/__pycache__/*' -not -path '*/static/*' -not -name '*.so' -not -name '*.c' 2>/dev/null) \
           $(shell find web -type f -not -path '*/node_modules/*' -not -path '*/dist/*' 2>/dev/null)

.PHONY: help setup demo test test-long lint bench peers web docs clean
help:
	@echo "make setup   a .venv with everything, native core and page built"
	@echo "make demo    train a small model and serve its board on http://localhost:$(PORT)"
	@echo "make test    all tests, browser included        make test-long   fault and load runs too"
	@echo "make lint    ruff, mypy, import-linter          make bench       benchmarks against the peers"
	@echo "make peers   .venv-peers with TensorFlow, TensorBoard, tensorboardX"
	@echo "make web     build the page                     make docs        generate the reference pages"

$(STAMPS)/venv: requirements/dev.txt requirements/constraints.txt
	@mkdir -p $(STAMPS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Milepost needs Python 3.11 or newer; say which with: make PYTHON=python3.12 …"; exit 1; }
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q -U pip
	$(PY) -m pip install -q $(CONSTRAIN) -r requirements/dev.txt
	$(PY) tools/chromium.py --install
	touch $@

# The wheel is built without isolation: its build needs are in requirements/dev.txt already.
$(STAMPS)/wheel: $(STAMPS)/venv $(SOURCES)
	rm -rf .wheel build/lib* build/bdist*
	$(PY) tools/with_node.py $(PY) -m pip wheel -q --no-deps --no-build-isolation -w .wheel .
	$(PY) -m pip install -q $(CONSTRAIN) --force-reinstall --no-deps .wheel/milepost-*.whl
	$(PY) -m pip install -q $(CONSTRAIN) .wheel/milepost-*.whl
	touch $@

$(STAMPS)/peers: requirements/peers.txt requirements/constraints.txt
	@mkdir -p $(STAMPS)
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install -q -U pip
	$(PEERS)/bin/python -m pip install -q $(CONSTRAIN) -r requirements/peers.txt
	touch $@

setup: $(STAMPS)/wheel

peers: $(STAMPS)/peers

web:
	$(PY) setup.py build_web

demo: setup
	$(VENV)/bin/milepost demo --port $(PORT)

# The TF-2 look changes what Keras gives to its callers, for the whole process: its tests run in processes of their own.
PYTEST := MILEPOST_INSTALLED=1 $(PY) -m pytest -n 2 --dist loadfile
LOOK := tests/tf tests/examples

test: setup peers
	$(PYTEST) $(addprefix --ignore=,$(LOOK)) tests
	$(PYTEST) $(LOOK)

test-long: setup peers
	$(PYTEST) -m "long or not long" --timeout=3600 $(addprefix --ignore=,$(LOOK)) tests
	$(PYTEST) -m "long or not long" --timeout=3600 $(LOOK)

lint: $(STAMPS)/venv
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

bench: setup peers
	$(PY) benchmarks/run.py

docs: setup
	$(PY) tools/generate_docs.py

clean:
	rm -rf build dist .wheel $(STAMPS) web/dist web/node_modules src/milepost/board/static
	find src -name '*.so' -delete
