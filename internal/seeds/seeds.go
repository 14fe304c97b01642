// Package seeds runs tests that make all their choices from a seed, so that a failure can be repeated. They are the
// tests of make proof, and show what doc/reliability.md promises: each is named TestSeeded….
//
// The seeds are 1, 2, 3 and so on. ENLIST_TEST_RUNS is the number of seeds, ENLIST_TEST_SEED the first one; without
// them, each test has its own number of runs. go test -short runs one.
package seeds

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Run calls check with a random source for each seed, as a subtest. After a failure it prints the command that
// repeats this seed alone. runs is the number of seeds of make proof.
func Run(t *testing.T, runs int, check func(*testing.T, *rand.Rand)) {
	t.Helper()
	if testing.Short() {
		runs = 1
	}
	first, runs := variable(t, "ENLIST_TEST_SEED", 1), variable(t, "ENLIST_TEST_RUNS", runs)
	for seed := first; seed < first+runs; seed++ {
		passed := t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { check(t, rand.New(rand.NewPCG(uint64(seed), 0))) })
		if !passed {
			t.Fatalf("to repeat it, run in the folder of this package: ENLIST_TEST_SEED=%d ENLIST_TEST_RUNS=1 go test -run '^%s$' .", seed, t.Name())
		}
	}
}

// variable returns the number in an environment variable, or otherwise the default.
func variable(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		t.Fatalf("%s=%q: write a number from 1", name, text)
	}
	return number
}
