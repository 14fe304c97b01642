# Needs Go and make. A C compiler is used when there is one: Go then takes the
# faster SQLite driver, and the race detector runs.
#
#   make build   the program, ./enlist
#   make test    every check that CI runs
#   make bench   the benchmarks, and enlist bench
#   make vuln    known vulnerabilities; asks the Go vulnerability database

GO       ?= go
FUZZTIME ?= 5s
TOOL      = $(GO) tool -modfile=tools/go.mod

# Go says 1 when it finds a C compiler, 0 when not or when told so.
CGO := $(shell $(GO) env CGO_ENABLED)

.PHONY: build test format compile vet staticcheck race nocgo fuzz bench vuln
.NOTPARALLEL:

build:
	$(GO) build -o enlist ./cmd/enlist

test: format compile vet staticcheck race nocgo fuzz
	@echo "make test: all checks passed"

format:
	@files=$$(gofmt -l .); test -z "$$files" || { echo "run gofmt -w on:" $$files; exit 1; }

compile:
	CGO_ENABLED=0 $(GO) build ./...
ifeq ($(CGO),1)
	CGO_ENABLED=1 $(GO) build ./...
endif

vet:
	$(GO) vet ./...

staticcheck:
	$(TOOL) staticcheck ./...

# All tests with the race detector, which needs cgo.
race:
ifeq ($(CGO),1)
	CGO_ENABLED=1 $(GO) test -race ./...
else
	@echo "no C compiler: the checks with cgo and the race detector are left out"
endif

# All tests with the SQLite driver that needs no C compiler.
nocgo:
	CGO_ENABLED=0 $(GO) test ./...

# Each fuzz target that go test lists, for a few seconds each. It lists the
# targets of a package and then "ok" with the package's name.
fuzz:
	@list=$$($(GO) test -list '^Fuzz' ./...) || { echo "$$list"; exit 1; }; \
	echo "$$list" | while read -r first package _; do \
		case $$first in \
		Fuzz*) names="$$names $$first" ;; \
		ok) for name in $$names; do \
				echo "fuzz $$name $$package"; \
				$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$$package" </dev/null || exit 1; \
			done; names= ;; \
		esac; \
	done

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./...
	./enlist bench

vuln:
	$(TOOL) govulncheck ./...
