# Needs Go and make. With a C compiler Go builds the faster SQLite driver, and the
# race detector runs. Tests run on PostgreSQL too if there is one: on the server at
# the URL ENLIST_TEST_POSTGRES, or on one that they start themselves from installed
# programs (Debian: postgresql). No target installs anything.
#
#   make build    the program, ./enlist
#   make test     format, vet and the short tests: for each change, about a minute and a half
#   make check    staticcheck, both builds, tidy modules, and all tests but those of faults, most with the race detector
#   make nocgo    the tests that depend on the SQLite driver, with the driver that needs no C compiler
#   make faults   outages, failovers, several processes and killed processes, in all their rounds
#   make fuzz     each fuzz target, for some thousand inputs
#   make bench    the benchmarks, and the program enlist-bench
#   make vuln     known vulnerabilities; asks the Go vulnerability database

GO       ?= go
# Inputs for each fuzz target. A number, because go test sometimes reports the end of a duration as a failure.
FUZZTIME ?= 10000x
TOOL      = $(GO) tool -modfile=tools/go.mod

# Names of the tests of faults. internal/faults_test.go checks that each word is in a test's name.
FAULTS = Killed|SeveralProcesses|Outage|Failover|HangUp|Replica|RestartUnderLoad|ReadOnlyServer|OutlivesTheServer|ServerIsWaitedFor
# The packages with tests of faults.
FAULTY = ./cmd/enlist ./internal/jobs ./internal/store/postgres
# Words in the names of tests that share no data between goroutines: the race detector makes them ten times as slow
# and finds nothing. make check runs them without it. internal/faults_test.go checks these words too.
COMPUTED = HostileMessages|LongValuesDoNot|InvalidParameterFails|SameInEveryLocale|URLStopsFilling|UsePlainWords|ShortMeasurement
# The packages with such tests.
COMPUTING = ./cmd/enlist-bench ./internal ./internal/mail ./internal/merge ./internal/rpc ./internal/store/postgres
# The packages whose tests depend on the SQLite driver.
DRIVEN = ./cmd/enlist ./internal/rpc ./internal/store/sqlite ./internal/store/sqlstore ./internal/store/teststores ./internal/store/dbcopy

# Databases of tests are in memory if that is possible. Go's own temporary files
# stay on the disk.
MEMORY  := $(shell tools/memorydir)
INMEMORY = $(if $(MEMORY),GOTMPDIR=$${GOTMPDIR:-$${TMPDIR:-/tmp}} TMPDIR=$(MEMORY))
# Many tests wait for another process: several run beside each other on each core.
# Programs without debugging information are linked in half the time. The target vet
# checks all packages, so go test need not.
TEST     = $(INMEMORY) $(GO) test -timeout $(TIMEOUT) -p 3 -parallel 8 -ldflags=-w -vet=off
# For one package. Only a hang exceeds it: the slowest takes two minutes on a busy machine, five with the race detector.
TIMEOUT  = 10m

# Go says 1 if it finds a C compiler, 0 if not or if it is told so.
CGO := $(shell $(GO) env CGO_ENABLED)

.PHONY: build test check format vet short tidy compile staticcheck race nocgo faults fuzz bench vuln
.NOTPARALLEL:

build:
	$(GO) build -o enlist ./cmd/enlist

test: format vet short
	@echo "make test: passed. Left out: $$(tools/leftout). For make check, nocgo, faults and fuzz: race detector, second SQLite driver, fault tests, all rounds."

check: tidy compile staticcheck race
	@echo "make check: passed. Left out: $$(tools/leftout)."

format:
	@files=$$(gofmt -l .); test -z "$$files" || { echo "run gofmt -w on:" $$files; exit 1; }

vet:
	$(GO) vet ./...

# The package that takes longest starts first.
short:
	$(TEST) -short ./internal/store/postgres ./...

tidy:
	$(GO) mod tidy -diff

compile:
	CGO_ENABLED=0 $(GO) build ./...
ifeq ($(CGO),1)
	CGO_ENABLED=1 $(GO) build ./...
endif

staticcheck:
	$(TOOL) staticcheck ./...

# The race detector needs cgo.
race:
ifeq ($(CGO),1)
	CGO_ENABLED=1 $(TEST) -race -skip '$(FAULTS)|$(COMPUTED)' ./...
	$(TEST) -run '$(COMPUTED)' $(COMPUTING)
else
	@echo "no C compiler: the race detector is left out"
	$(TEST) -skip '$(FAULTS)' ./...
endif

# The driver for PostgreSQL is the same in both builds.
nocgo:
	CGO_ENABLED=0 $(TEST) -skip '$(FAULTS)|.*/^postgres$$' $(DRIVEN)

faults:
	$(TEST) -run '$(FAULTS)' $(FAULTY)

# The program of a package is built once for all its fuzz targets: with the
# instrumentation for fuzzing go test would link it again for each.
fuzz:
	@program=$$(mktemp) && trap 'rm -f "$$program"' EXIT && found=$$($(GO) env GOCACHE)/fuzz && \
	for dir in $$(grep -rl '^func Fuzz' --include='*_test.go' . | xargs -n 1 dirname | sort -u); do \
		$(GO) test -c -vet=off -ldflags=-w -fuzz . -o "$$program" "$$dir" || exit 1; \
		for name in $$(cd "$$dir" && "$$program" -test.list '^Fuzz'); do \
			echo "fuzz $$name $$dir"; \
			(cd "$$dir" && "$$program" -test.timeout $(TIMEOUT) -test.run '^$$' -test.fuzz "^$$name\$$" -test.fuzztime $(FUZZTIME) -test.fuzzminimizetime 100x \
				-test.fuzzcachedir "$$found/$$dir" </dev/null) || exit 1; \
		done; \
	done

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./...
	$(GO) run ./cmd/enlist-bench --program ./enlist

vuln:
	$(TOOL) govulncheck ./...
