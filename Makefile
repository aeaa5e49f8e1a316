# Everything runs from .venv, which `make setup` makes. Needs make and Python 3.11 to 3.13; nothing is compiled.
PYTHON ?= python3
# torch's CPU build on Linux: make setup TORCH_INDEX=<the CPU wheel index that PyTorch's installation page names>.
TORCH_INDEX ?=
# Further arguments of `make serve` and `make test`, such as ARGS="--port 9000".
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
TORCH := $(shell grep '^torch==' constraints.txt)
SOURCES := automem tests benchmarks

.DEFAULT_GOAL := help
.PHONY: help setup serve test check format lint types imports bench viewer fix constraints clean

help:  ## List the targets.
	@sed -n 's/^\([a-z]*\):.*## /\1: /p' $(MAKEFILE_LIST) | while IFS=: read -r name text; do \
		printf '%-12s%s\n' "$$name" "$$text"; done

setup: $(INSTALLED)  ## Make .venv and install everything, at the versions of constraints.txt.

serve: setup  ## Run the service until Ctrl-C.
	@exec $(BIN)/automem serve $(ARGS)

test: setup  ## Run the tests.
	$(BIN)/python -m pytest $(ARGS)

check: format lint types imports test  ## Run everything that must pass before a commit.

format: setup  ## Check the formatting.
	$(BIN)/ruff format --check $(SOURCES)

lint: setup  ## Check the style.
	$(BIN)/ruff check $(SOURCES)

types: setup  ## Check the types.
	$(BIN)/mypy

imports: setup  ## Check which layer imports which.
	$(BIN)/lint-imports --no-logo

bench: setup  ## List the benchmarks.
	@echo 'With $(BIN)/python in the place of python:'
	@for file in benchmarks/[a-z]*.py benchmarks/*/__init__.py; do sed -n '1{/python -m benchmarks/{s/"""//g;p;}}' "$$file"; done

viewer:  ## Build the pages of the viewer from viewer/; needs Node.js 20 and npm.
	cd viewer && npm ci && npm run build

fix: setup  ## Format, and correct what can be corrected without thinking.
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

constraints: clean  ## Install the newest versions that pyproject.toml allows and write them to constraints.txt.
	$(PYTHON) -m venv $(VENV)
	$(PIP) install $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) --no-deps torch
	$(PIP) install --editable '.[embedded,test,check]'
	{ sed '/^#/!d' constraints.txt; $(PIP) freeze --all --exclude-editable --exclude pip | sed 's/+.*//'; } > $(VENV)/new
	cp $(VENV)/new constraints.txt
	touch $(INSTALLED)

clean:  ## Remove .venv and what the tools cached; .cache with the exported models stays.
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): $(BIN)/python pyproject.toml constraints.txt
	@echo 'Installing into $(VENV); the first time this takes a few minutes.'
	@# torch comes first and alone, so that only its own wheel is looked for on that index.
	$(PIP) install $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) --no-deps '$(TORCH)'
	$(PIP) install --constraint constraints.txt --editable '.[embedded,test,check]'
	@touch $@
