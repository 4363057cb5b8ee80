# What a change must pass, and how a release is made. `make ci` is what CI runs.
#
#   make            the binary
#   make check      formatting, vet, staticcheck: seconds
#   make test       all tests: minutes; those that use a program that is not installed are skipped
#   make ci         everything a change must pass, from a clean checkout
#   make golden     the generated files and pages written anew
#   make release    archives for every platform, in dist/
#   make bench      the benchmarks' figures of this checkout: build/bench.txt, and as a table
#   make bench-compare   the figures of the last `make bench` beside those of the last release
#
# Variables, also of the environment:
#
#   REQUIRE_TOOLS  `make ci`: the programs that must be there, empty for none; what is missing
#                  is installed with apt-get, and a test that is skipped for want of one fails
#                  (default clang-14,clang-16,clang-19,gcc,g++,cbc,glpk,openmp,chromium)
#   FUZZTIME       how long each fuzz target runs (default 10s)
#   BENCHTIME      `make bench`: how long each of six runs of a benchmark takes (default 50ms)
#   RELEASE        `make bench`: keep the figures as those of this release, in docs/performance/
#   TARGETS        `make release`: the platforms (default: the six of scripts/release)

.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: build check fmt vet lint test nests claims faults race readme fuzz ci steps tools optional golden release release-check bench bench-compare clean
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
export CGO_ENABLED := 0

step = @printf '\n== %s\n'

build:
	go build -o warpbound ./cmd/warpbound

check: fmt vet lint

# The steps of CI, in this order; the first that fails stops it. The log of optional tests
# lies in a folder of its own for each run, since a test result that is cached logs nothing.
ci:
	@tmp=$$(mktemp -d); trap 'rm -rf "$$tmp"' EXIT; : >"$$tmp/tools"; \
	export WARPBOUND_REQUIRE_TOOLS="$${REQUIRE_TOOLS-clang-14,clang-16,clang-19,gcc,g++,cbc,glpk,openmp,chromium}" WARPBOUND_TOOLS_LOG="$$tmp/tools"; \
	$(MAKE) --no-print-directory steps; \
	printf '\n== optional tests\n'; scripts/optional-tests "$$tmp/tools"

steps: tools fmt vet lint types static test nests claims faults race readme release-check fuzz

tools:
	$(step) "programs that tests use"
	@scripts/tools

fmt:
	$(step) gofmt
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$unformatted" ] || { echo "gofmt would change: $$unformatted"; exit 1; }

vet:
	$(step) "go vet"
	go vet ./...

lint:
	$(step) staticcheck
	go tool staticcheck ./...

# Types of the page of warpbound view, by the compiler that its package-lock.json pins.
.PHONY: types
types:
	$(step) "types of the page"
	@if command -v npm >/dev/null; then cd internal/view/page && npm ci --silent && npm run --silent check; else echo "left out: it needs npm"; fi

.PHONY: static
static:
	$(step) "one static binary"
	@tmp=$$(mktemp -d); trap 'rm -rf "$$tmp"' EXIT; \
	go build -o "$$tmp/warpbound" ./cmd/warpbound; \
	if ldd "$$tmp/warpbound" 2>/dev/null; then echo "the binary is dynamic"; exit 1; fi; \
	"$$tmp/warpbound" version

test:
	$(step) tests
	go test ./...

nests:
	$(step) "2,000 random loop nests through the compiler"
	WARPBOUND_CASES=2000 go test ./internal/verify/premtest -run Nests

claims:
	$(step) "20,000 kernels whose paths are said to hold for all inputs, executed again"
	WARPBOUND_CASES=20000 go test ./internal/verify/soundness/claims -run ClaimsHold -v
	$(step) "2,000 kernels executed for every input, against executions"
	WARPBOUND_CASES=2000 go test ./internal/verify/soundness/inputs -run ExecutionsAreCovered -v

faults:
	$(step) "planted faults"
	@scripts/faults

race:
	$(step) "race detector where goroutines are"
	@if [ -z "$${WARPBOUND_REQUIRE_TOOLS-}" ] && ! command -v gcc >/dev/null; then \
	  echo "left out: it needs gcc"; \
	else \
	  CGO_ENABLED=1 go test -race -short ./internal/verify/soundness/... ./internal/method/makespan/dp ./internal/cache/l1d ./guard; \
	fi

readme:
	$(step) "the README's main command"
	@bash -c "$$(sed -n 's/^\$$ \(go run .*\)$$/\1/p' README.md | head -1)"

fuzz:
	$(step) "fuzz, $${FUZZTIME:-10s} a target"
	@scripts/fuzz

release:
	go run ./scripts/release $${TARGETS:+-targets "$$TARGETS"}

# Two platforms, made twice: every step of a release but the other platforms.
release-check:
	$(step) "dry run of a release"
	go run ./scripts/release -targets linux/amd64,windows/arm64 -twice -dirty -o build/release

# The benchmarks of what takes time, and benchstat of the Go project at a fixed version.
BENCHED := ./internal/simt/ptxexec ./internal/sim/... ./ptx ./internal/path ./internal/method/multiphase
BENCHTIME ?= 50ms
benchstat := go run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
last = $(shell ls docs/performance/*.txt | grep -v table | sort -V | tail -n 1)

bench:
	@mkdir -p build
	go test -run '^$$' -bench . -benchtime $(BENCHTIME) -count 6 $(BENCHED) | tee build/bench.txt
	$(benchstat) build/bench.txt | tee build/bench.table.txt
ifdef RELEASE
	@mkdir -p docs/performance
	cp build/bench.txt docs/performance/$(RELEASE).txt
	cp build/bench.table.txt docs/performance/$(RELEASE).table.txt
endif

bench-compare:
	$(benchstat) $(last) build/bench.txt

golden:
	UPDATE_GOLDEN=1 go test ./...

clean:
	rm -rf warpbound build dist
