# Everything below needs python3 (3.11 or later, with venv), make, perl and a C++ compiler; all else comes from PyPI
# into .venv, which the targets make themselves.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.complete
JOBS   ?= 2

# Benches start hundreds of Python processes: what they compile is kept, beside what else is built.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache

.DEFAULT_GOAL := help
.PHONY: .venv run check test campaign cosim soak networks benches mutants drawn faults bounds seeds prove mpi traces bench synth docs lint clean help

PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal
# Traces of the NAS Parallel Benchmarks are not part of a clone (docs/how_to/papers.md); the campaign goes without.
SHARED := $(or $(TSUJI_SHARED),../shared)
TRACES ?= $(SHARED)/traces
PARTS  := soak networks benches mutants drawn faults bounds seeds prove mpi $(if $(wildcard $(TRACES)),traces)

run: $(STAMP)  ## the whole of it on something real: Verilog, synthesis, co-simulation, a torus swept; report in build/run
	$(BIN)/tsuji demo

check: lint  ## style, spelling, types, and the quick tests that the uncommitted change touches, nearest first; within 3 minutes
	@tests=$$($(BIN)/python -m tests.selection); \
	if [ -z "$$tests" ]; then echo "no test depends on the uncommitted change"; \
	else $(PYTEST) -q -m quick --within 90 $$tests || [ $$? -eq 5 ]; fi

test: lint  ## style, spelling, types and every component's behaviour, RTL against model included; 12 minutes, twice as long the first time
	$(PYTEST) --cpu-times build/cpu_seconds.tsv

campaign:  ## hours of volume, part by part: soak networks benches mutants drawn faults bounds seeds prove mpi traces; figures for docs/reference/campaigns.md
	@failed=0; for part in $(PARTS); do $(MAKE) $$part || failed=1; done; cat build/campaign/*.txt; exit $$failed

cosim: $(STAMP)  ## RTL against model on Verilator through cocotb, with a summary table
	$(BIN)/tsuji cosim

soak: $(STAMP)  ## tens of millions of switch-cycles, RTL against the compiled model
	$(BIN)/python -m cocotb_tests.soak

networks: $(STAMP)  ## all networks of RTL switches against the simulator, of full size, three seeds each
	TSUJI_SEEDS=3 $(PYTEST) -q --campaign networks -m "campaign or not campaign" cocotb_tests/network

benches: $(STAMP)  ## parameter sets of benches, lint and specialised engines beyond those of `make test`
	$(PYTEST) -q --campaign benches -m campaign --ignore cocotb_tests/network --ignore cocotb_tests/mutation -k "not fault"

mutants: $(STAMP)  ## every fault in the hardware that a bench must notice, where `make test` tries one per stage
	$(PYTEST) -q --campaign mutants -m "campaign or not campaign" cocotb_tests/mutation

drawn: $(STAMP)  ## 200 faults that a program draws, the tests that depend on each, the survivors; goes on where it was interrupted
	$(BIN)/python -m cocotb_tests.mutation.drawn

faults: $(STAMP)  ## every fault in batched switches and their engine that a comparison must notice
	$(PYTEST) -q --campaign faults -m "campaign or not campaign" -k _faults tests/models tests/sim

bounds: $(STAMP)  ## tests of compiled engine, message layer and batched switches, with every array index checked
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -q --campaign bounds $(addprefix tests/,sim/engine sim/messages sim/mpi sim/schedule sim/workload models/batched models/jit)

seeds: $(STAMP)  ## benches with ten seeds: each reaches what it must have reached, whatever the seed
	@failed=0; for seed in 1 2 3 4 5 6 7 8 9 116; do \
	TSUJI_SEED=$$seed $(PYTEST) -q --campaign seed-$$seed cocotb_tests/unit cocotb_tests/switch || failed=1; \
	done; exit $$failed

prove: $(STAMP)  ## properties of the hardware, proved; mutants of them, refuted
	$(BIN)/python -m synth.formal

mpi: $(STAMP)  ## programs written for mpi4py, under MPI and on a simulated network: the same results
	$(PYTHON) -m venv build/mpi && build/mpi/bin/pip install -q -r tests/sim/mpi/mpi4py_programs/requirements.txt
	TSUJI_MPI=build/mpi $(PYTEST) -q --campaign mpi -m "campaign or not campaign" tests/sim/mpi/test_real_mpi.py

traces: $(STAMP)  ## every trace in TRACES=../shared/traces on a torus, checked and timed; at most ten CPU minutes each
	$(BIN)/python -m benchmarks.traces --twice --traces $(TRACES)

bench: $(STAMP)  ## speed of the simulator: cycles and flit-hops per second; PEER=path: beside a BookSim2 executable
	$(BIN)/python -m benchmarks $(if $(PEER),--peer $(PEER))

synth: $(STAMP)  ## size and clock on a Lattice ECP5, with and without route cache
	$(BIN)/tsuji synth plain cached

docs: $(STAMP)  ## the documentation as a site, build/site/index.html; readable without a server or a network
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

lint: $(STAMP)  ## style, spelling and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/mypy

clean:  ## remove what was built; `rm -r .venv` removes the environment too
	rm -rf build .ruff_cache .mypy_cache .pytest_cache
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

help:  ## this list
	@sed -n 's/^\([.a-z]*\):.*##  *\(.*\)/  make \1#\2/p' $(firstword $(MAKEFILE_LIST)) | \
	  awk -F'#' '{ printf "%-14s %s\n", $$1, $$2 }'

# If it is interrupted or fails, the environment is complete: what is missing is compiled when it is needed.
.venv: $(STAMP)  ## the environment, and the engines of the usual kinds, compiled side by side; two minutes for them
	$(BIN)/tsuji engines

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "python3 of 3.11 or later is needed (make PYTHON=/path/to/python3 ...)"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@
