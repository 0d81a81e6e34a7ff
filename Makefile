# Everything runs in .venv, which is made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test test-all lint type format bench bench-speed models soak fuzz langchain-versions llama-index-versions clean

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $(STAMP)

demo: $(STAMP) ## See a RAG answer taken apart and corrected
	$(BIN)/franq-guard demo

test: $(STAMP) ## Run the tests, the real models included
	$(BIN)/python -m pytest

test-all: $(STAMP) ## Also run the slow tests
	$(BIN)/python -m pytest -m "not gpu and not hub"

lint: $(STAMP) ## Check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

type: $(STAMP) ## Check types
	$(BIN)/mypy

format: $(STAMP) ## Rewrite style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

models: $(STAMP) ## Fetch the weights of the mini preset
	$(BIN)/franq-guard models pull mini

bench: $(STAMP) ## Report quality on the faithfulness data and the calibration fit's speed
	$(BIN)/python benchmarks/faithfulness.py
	$(BIN)/python benchmarks/calibration_fit.py

bench-speed: $(STAMP) ## Report the guard's speed
	$(BIN)/python -m benchmarks.speed.generation
	$(BIN)/python -m benchmarks.speed.concurrency
	$(BIN)/python -m benchmarks.speed.growth
	$(BIN)/python -m benchmarks.speed.stages
	$(BIN)/python -m benchmarks.speed.startup
	$(BIN)/python -m benchmarks.speed.plot

soak: $(STAMP) ## Check for twenty minutes, with faults and cancellations
	$(BIN)/python benchmarks/soak.py --minutes 20

fuzz: $(STAMP) ## Check 50,000 invented answers
	FRANQ_GUARD_FUZZ=50000 $(BIN)/python -m pytest tests/robustness/test_fuzz.py

langchain-versions: ## Test with the oldest and the newest langchain-core
	scripts/check_langchain_versions.sh 1.0.0 newest

llama-index-versions: ## Test with the oldest and the newest llama-index-core
	scripts/check_llama_index_versions.sh

clean: ## Remove what the targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
