# Needs Go and make. A C compiler is used when there is one: Go then takes the
# faster SQLite driver, and the race detector runs. Tests run on PostgreSQL too
# where there is one: on the server at the URL ENLIST_TEST_POSTGRES, or on one that
# they start themselves from installed programs (Debian: postgresql).
#
#   make build   the program, ./enlist
#   make test    every check that CI runs
#   make bench   the benchmarks, and enlist bench
#   make vuln    known vulnerabilities; asks the Go vulnerability database

GO       ?= go
# Inputs for each fuzz target: go test sometimes takes the end of a time for a failure.
FUZZTIME ?= 10000x
TOOL      = $(GO) tool -modfile=tools/go.mod

# Go says 1 when it finds a C compiler, 0 when not or when told so.
CGO := $(shell $(GO) env CGO_ENABLED)

.PHONY: build test format compile vet staticcheck postgres race nocgo fuzz bench vuln
.NOTPARALLEL:

build:
	$(GO) build -o enlist ./cmd/enlist

test: format compile vet staticcheck postgres race nocgo fuzz
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

# A PostgreSQL server's programs are installed on Debian as root; elsewhere this
# says what is not tested without them.
postgres:
	@test -n "$$ENLIST_TEST_POSTGRES" || command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >/dev/null; \
	else \
		echo "not tested: PostgreSQL; install its server, or set ENLIST_TEST_POSTGRES to the URL of one"; \
	fi

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

# Each fuzz target that go test lists, for some thousand inputs. It lists the
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
