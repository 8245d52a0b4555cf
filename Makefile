# Everything below needs python3 (3.11 or later, with venv), make, perl and a C++ compiler; all else comes from PyPI
# into .venv, which the targets make themselves.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.complete
JOBS   ?= 2

.DEFAULT_GOAL := help
.PHONY: run test cosim soak networks mutants prove bench synth lint clean help

run: $(STAMP)  ## the whole of it on something real: Verilog, synthesis, co-simulation, a torus swept; report in build/run
	$(BIN)/tsuji demo

test: lint  ## style, types and every test, RTL against model included
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

cosim: $(STAMP)  ## RTL against model on Verilator through cocotb, with a summary table
	$(BIN)/tsuji cosim

soak: $(STAMP)  ## tens of millions of switch-cycles, RTL against the compiled model
	$(BIN)/python -m cocotb_tests.soak

networks: $(STAMP)  ## all networks of RTL switches against the simulator, three seeds each; the engine specialised; lint
	TSUJI_SEEDS=3 $(BIN)/python -m pytest -n $(JOBS) -rP -q cocotb_tests/network \
		cocotb_tests/switch/test_switch.py tests/sim/engine/test_specialise.py tests/synth/test_lint.py

mutants: $(STAMP)  ## every fault that a bench must notice, where `make test` tries one a component
	TSUJI_MUTANTS=all $(BIN)/python -m pytest -n $(JOBS) -q cocotb_tests/mutation

prove: $(STAMP)  ## properties of the hardware, proved; mutants of them, refuted
	$(BIN)/python -m synth.formal

bench: $(STAMP)  ## speed of the simulator: cycles and flit-hops a second; PEER=path: beside a BookSim2 executable
	$(BIN)/python -m benchmarks $(if $(PEER),--peer $(PEER))

synth: $(STAMP)  ## size and clock on a Lattice ECP5, with and without route cache
	$(BIN)/tsuji synth plain cached

lint: $(STAMP)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:  ## remove what was built; `rm -r .venv` removes the environment too
	rm -rf build .ruff_cache .mypy_cache .pytest_cache
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*##  *\(.*\)/  make \1#\2/p' $(firstword $(MAKEFILE_LIST)) | \
	  awk -F'#' '{ printf "%-14s %s\n", $$1, $$2 }'

.venv: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "python3 of 3.11 or later is needed (make PYTHON=/path/to/python3 ...)"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@
