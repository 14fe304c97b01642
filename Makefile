# This file needs Go and make. With a C compiler, Go builds the faster SQLite driver,
# and the race detector runs. Tests also run on PostgreSQL: on the server at the URL
# ENLIST_TEST_POSTGRES, or on a server that the tests start themselves if its programs
# are installed (Debian: postgresql). No target installs anything.
#
#   make build    the program, ./enlist
#   make test     gofmt, vet and the short tests, in two to three minutes; run it for each change
#   make check    staticcheck, both builds, go mod tidy, and all tests with the race detector, except those of make faults and make proof
#   make nocgo    the tests that depend on the SQLite driver, with the driver that needs no C compiler
#   make faults   outages, failovers, several processes and killed processes, and long tests that share no data
#   make proof    tests that make their choices from seeds: power cuts, concurrent calls, sending; see doc/reliability.md.
#                 RUNS=500 SEED=1000 runs each with 500 seeds, from 1000
#   make assets   the script of the editor, from internal/admin/editor/source and library; without network
#   make axe      accessibility of the pages, by axe-core in Chromium; fetches axe-core with npm
#   make fuzz     each fuzz target, with 1,000 inputs
#   make bench    the benchmarks, and the program enlist-bench
#   make packages a .deb, an .rpm and an image for containers, in dist/; see doc/install.md
#   make packaged builds the packages for this machine twice, compares them, installs and removes the .deb, and runs the image
#   make vuln     known vulnerabilities; asks the Go vulnerability database

GO       ?= go
# Number of inputs for each fuzz target: most of the time is building. It is not a duration, because go test sometimes fails at the end of a duration.
FUZZTIME ?= 1000x
TOOL      = $(GO) tool -modfile=tools/go.mod

# Words in the names of the tests that make faults runs. The race detector would make them up to ten times as slow: fault
# tests, and tests that share little data between goroutines or measure memory. internal/faults_test.go checks that each
# word is in the name of a test, and that the packages of these tests are named below.
FAULTS = Killed|SeveralProcesses|Outage|Failover|HangUp|Replica|RestartUnderLoad|ReadOnlyServer|QueueRecovers|ServerIsWaitedFor|FullDisk|BackupUnderLoad|$(COMPUTED)
COMPUTED = OfLibreOffice|HostileMessages|LongValuesDoNot|InvalidParameterFails|SameInEveryLocale|URLStopsFilling|CountsOfARecount|AModel|RefusedRowsEnds|InChromium|AllPagesHold|ShortMeasurement|MemoryStaysBounded|ArchiveUnpacks|ErrorOfTheFile|ALongRow|RowsOfAWorkbook|SortedByEachKey|FindTheSameContacts
# The packages with these tests, those that take longest first.
FAULTY = ./cmd/enlist ./cmd/enlist-bench ./internal/db/postgres ./internal/mail ./internal/admin ./internal/backup ./internal/contacts ./internal/db/sqlite \
	./internal/exports ./internal/httpapi ./internal/imports ./internal/imports/sheet ./internal/jobs ./internal/messages/merge \
	./internal/reports ./internal/rpc ./internal/rpc/reference ./internal/search ./internal/web
# The packages with tests named TestSeeded, which make proof runs.
SEEDED = ./cmd/enlist ./internal/sending
# The packages whose tests depend on the SQLite driver: the driver itself, those that change or read the most rows, and
# those that call all others. Each program is linked with the driver written in Go, which takes longer than most tests.
DRIVEN = ./cmd/enlist ./internal/rpc ./internal/db/jobqueue ./internal/db/sqlite ./internal/db/dbcopy ./internal/contacts ./internal/imports ./internal/sending \
	./internal/reports ./internal/privacy ./internal/search/...

# The tests create their databases in memory if tools/memorydir finds a folder there.
# Go links the test programs there too: testing.T.TempDir uses GOTMPDIR, so that cannot be another folder.
MEMORY  := $(shell tools/memorydir)
INMEMORY = $(if $(MEMORY),TMPDIR=$(MEMORY))
# The packages that take longest start first, so that none of them runs alone at the end: those that mostly wait, such
# as jobs and web, beside those that need the processors.
LONGEST  = ./cmd/enlist ./internal/rpc ./internal/jobs ./internal/sending ./internal/web ./internal/admin ./internal/contacts ./internal/imports \
	./internal/search ./internal/reports ./internal/db/postgres
# Tests wait for other processes, so several run at the same time on each core. Each of them has a store of its own, and
# its connections cost PostgreSQL more than its statements: with -parallel 8, PostgreSQL needs 1.7 times the processor
# time of -parallel 3. Linking the test programs takes a quarter of the processor time of the short tests: -s leaves out
# symbols and debugging information, and the linker gold, if it is installed, is faster than the default one.
# -vet=off: the target vet checks all packages already.
GOLD    := $(if $(shell command -v ld.gold),-extldflags=-fuse-ld=gold)
TEST     = $(INMEMORY) $(GO) test -timeout $(TIMEOUT) -p 4 -parallel 3 -ldflags='-s $(GOLD)' -vet=off
# The time limit for one package. Only a test that hangs exceeds it: the slowest package takes two minutes on a busy
# machine, and ten with the race detector.
TIMEOUT  = 30m

# 1 if Go finds a C compiler, and 0 if it finds none or if CGO_ENABLED=0 is set.
CGO := $(shell $(GO) env CGO_ENABLED)

.PHONY: build test check format vet short tidy compile staticcheck race nocgo faults proof axe assets fuzz bench packages packaged vuln
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

# Heaps of tests are small, so that the default GOGC collects garbage very often: with 400, the tests of the pages need
# 20 % less processor time, those of rpc 15 %, and linking 8 %. Tests in full measure the memory of programs.
short:
	GOGC=400 $(TEST) -short $(LONGEST) ./...

tidy:
	$(GO) mod tidy -diff

compile:
	CGO_ENABLED=0 $(GO) build ./...
ifeq ($(CGO),1)
	CGO_ENABLED=1 $(GO) build ./...
endif

staticcheck:
	$(TOOL) staticcheck ./...

# The race detector needs cgo. For GOGC, see short. The tests of package internal read the source code, in one goroutine.
race:
ifeq ($(CGO),1)
	GOGC=400 $(TEST) ./internal
	GOGC=400 CGO_ENABLED=1 $(TEST) -race -skip '$(FAULTS)|^TestSeeded' $(LONGEST) $$($(GO) list ./... | grep -v '/internal$$')
else
	@echo "no C compiler: the race detector is left out"
	$(TEST) -skip '$(FAULTS)|^TestSeeded' ./...
endif

# Tests on PostgreSQL are left out, because both builds have the same PostgreSQL driver. Long tests run where the driver
# matters most: in its package, in backups, and in the calls that change the most rows.
nocgo:
	GOGC=400 CGO_ENABLED=0 $(TEST) -short -skip '.*/^postgres$$' $(DRIVEN)
	CGO_ENABLED=0 $(TEST) -skip '.*/^postgres$$|^TestSeeded' ./internal/db/sqlite ./internal/backup ./internal/contacts

# Most of these tests wait for processes that they kill or start, so more of them run at the same time.
faults:
	$(TEST) -parallel 5 -run '$(FAULTS)' $(FAULTY)

# A timeout of 0 is none: a long form runs for hours.
proof:
	ENLIST_TEST_RUNS=$(RUNS) ENLIST_TEST_SEED=$(SEED) $(TEST) -timeout 0 -run '^TestSeeded' $(SEEDED)

# A test compares the file with what this makes. MADE is another name for it.
assets:
	cd internal/admin/editor && NODE_PATH=library $(GO) tool -modfile=../../../tools/go.mod esbuild source/main.js --bundle --minify \
		--format=iife --charset=utf8 --target=es2022 --legal-comments=inline --log-level=warning --outfile=$(or $(MADE),editor.js) --allow-overwrite

axe:
	ENLIST_TEST_AXE=1 $(TEST) -count 1 -run AxeFindsNothing -v ./cmd/enlist

# The test program of a package is built once for all its fuzz targets. With "go test
# -fuzz", Go would link it again for each target.
fuzz:
	@program=$$(mktemp) && trap 'rm -f "$$program"' EXIT && found=$$($(GO) env GOCACHE)/fuzz && \
	for dir in $$(grep -rl '^func Fuzz' --include='*_test.go' . | xargs -n 1 dirname | sort -u); do \
		$(GO) test -c -vet=off -ldflags=-s -fuzz . -o "$$program" "$$dir" || exit 1; \
		for name in $$(cd "$$dir" && "$$program" -test.list '^Fuzz'); do \
			echo "fuzz $$name $$dir"; \
			(cd "$$dir" && "$$program" -test.timeout $(TIMEOUT) -test.run '^$$' -test.fuzz "^$$name\$$" -test.fuzztime $(FUZZTIME) -test.fuzzminimizetime 100x \
				-test.fuzzcachedir "$$found/$$dir" </dev/null) || exit 1; \
		done; \
	done

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./...
	$(GO) run ./cmd/enlist-bench --program ./enlist

packages:
	tools/packages/build

packaged:
	tools/packages/check

vuln:
	$(TOOL) govulncheck ./...
