package sending

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// The test in this file calls a grouper from many goroutines.

// Calls that arrive during a run share the next run. Each call gets its own result, also if another call of its
// group fails.
func TestCallsShareARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls, failing = maxGroup + 50, 7
		var mu sync.Mutex
		var runs []int
		first := make(chan struct{})
		g := &grouper[int, int]{run: func(_ context.Context, in []int) ([]int, error) {
			mu.Lock()
			runs = append(runs, len(in))
			mu.Unlock()
			if in[0] == 0 {
				<-first
			}
			if slices.Contains(in, failing) {
				return nil, errors.New("seven")
			}
			out := make([]int, len(in))
			for i, n := range in {
				out[i] = 2 * n
			}
			return out, nil
		}}
		var wg sync.WaitGroup
		call := func(n int) {
			wg.Go(func() {
				got, err := g.do(t.Context(), n)
				if n == failing && err == nil || n != failing && (err != nil || got != 2*n) {
					t.Errorf("call %d returned %d, %v, want %d", n, got, err, 2*n)
				}
			})
			synctest.Wait()
		}
		for n := range calls {
			call(n)
		}
		close(first)
		wg.Wait()
		// The first call ran alone. Then a group failed, and its calls ran one by one. Then the rest ran together.
		want := slices.Concat([]int{1, maxGroup}, slices.Repeat([]int{1}, maxGroup), []int{calls - 1 - maxGroup})
		if !slices.Equal(runs, want) {
			t.Errorf("the runs had %v calls, want %v", runs, want)
		}
	})
}
