package main

import (
	"runtime"
	"testing"
)

// An idle process returns memory once after its heap has grown.
func TestIdleProcessReturnsMemory(t *testing.T) {
	const mib = 1 << 20
	var w heapWatch
	for i, look := range []struct {
		collections, heap uint64
		want              bool
	}{
		{5, 40 * mib, false}, // a collection has run since the last look
		{5, 40 * mib, true},
		{6, 10 * mib, false}, // after the memory was returned
		{6, 20 * mib, false}, // little growth
		{9, 90 * mib, false}, // calls run
		{9, 90 * mib, true},
	} {
		if got := w.due(look.collections, look.heap); got != look.want {
			t.Errorf("look %d: due is %t, want %t", i, got, look.want)
		}
		if look.want {
			w.collections, w.least = look.collections+1, 10*mib
		}
	}
}

// After memory was returned, the heap is as large as before the memory was used.
func TestReturnedMemoryLeavesTheHeap(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	var w heapWatch
	w.returnMemory()
	before := w.least
	used := make([]byte, 256<<20)
	for i := range used {
		used[i] = 1
	}
	if _, heap := readHeap(); heap < before+128<<20 {
		t.Fatalf("the heap has %d MiB after 256 MiB were used, and had %d MiB before", heap>>20, before>>20)
	}
	runtime.KeepAlive(used)
	used = nil
	w.returnMemory()
	if w.least > before+64<<20 { // tests that run at the same time use memory too
		t.Errorf("the heap has %d MiB after memory was returned, want about %d MiB", w.least>>20, before>>20)
	}
}
