# Tandem: the front door. Every target installs the Debian packages it needs.

.DEFAULT_GOAL := help
.PHONY: help setup build test demo bench bench-peers lint format asan coverage fuzz weekly clean
.NOTPARALLEL:

# Keep the choice of an earlier "make test": "make build" must not switch the tests off again.
FIRST_TIME = $(if $(wildcard build/CMakeCache.txt),,-DTANDEM_TESTS=OFF)

help:  ## Show this list
	@echo "Tandem: constrained rigid-body dynamics"
	@echo
	@echo "Usage: make <target>"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "The program is build/tandem. Start with: make demo"

setup:  ## Install all packages that any target needs
	@scripts/setup build test lint fuzz bench

build:  ## Build the library and the program (build/tandem)
	@scripts/setup build
	@cmake --preset release $(FIRST_TIME)
	@cmake --build --preset release --target tandem_cli

test:  ## Build everything and run all tests
	@scripts/setup build test
	@cmake --preset release -DTANDEM_TESTS=ON
	@cmake --build --preset release
	@ctest --test-dir build --output-on-failure -j2

demo: build  ## Check, evaluate and run the bicycle example
	@echo
	@echo "== tandem check bicycle =="
	@build/tandem check bicycle
	@echo
	@echo "== tandem evaluate bicycle =="
	@build/tandem evaluate bicycle
	@echo
	@echo "== tandem run bicycle --duration 5 --force --report build/bicycle.html =="
	@build/tandem run bicycle --duration 5 --force --report build/bicycle.html

bench:  ## Compare Tandem with the engines that bench-peers installed; writes bench/RESULTS.md
	@scripts/setup build bench
	@cmake --preset release
	@cmake --build --preset release --target tandem_cli
	@cmake --preset native
	@cmake --build --preset native --target tandem_cli tandem_bench tandem_accuracy
	@scripts/bench --tandem build/native/tandem --shipped build/tandem
	@build/native/tandem_bench

bench-peers:  ## Install the engines to compare with, into build/peers/ (about 1 GB)
	@scripts/setup build peers
	@scripts/bench-peers

lint:  ## Check the layers, the elementary functions, the format of all files and run clang-tidy on changed files (LINT_ALL=1: on all)
	@scripts/setup build test lint
	@scripts/check-layers
	@scripts/check-elementary
	@scripts/lint

format:  ## Format all C++ files in place
	@scripts/setup lint
	@scripts/lint --fix-format

asan:  ## Build with the address and undefined-behaviour sanitizers and run the tests but for long runs
	@scripts/setup build test fuzz
	@cmake --preset asan
	@cmake --build --preset asan
	@ctest --preset asan

coverage:  ## Line coverage of tandem/io and tandem/model by their tests, by file
	@scripts/setup build test coverage
	@cmake --preset coverage
	@cmake --build --preset coverage --target tandem_model_tests tandem_injection_tests tandem_unit_tests tandem_cli_tests
	@scripts/coverage

SECONDS ?= 60
fuzz:  ## Feed every reader of files with broken input for SECONDS (60) each: fuzz/README.md
	@scripts/setup build test fuzz
	@cmake --preset asan
	@cmake --build --preset asan --target tandem_fuzz
	@fuzz/run $(SECONDS)

weekly:  ## All tests with their long parts, and all suites under sanitizers (90 minutes): docs/reliability.md
	@scripts/setup build test fuzz
	@scripts/weekly

clean:  ## Remove everything that was built
	@rm -rf build
