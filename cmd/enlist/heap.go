package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
)

// This file returns memory that Go no longer uses to the operating system. Go keeps the memory of a large
// call: it collects garbage only after further allocations or after two minutes, and then returns the
// memory slowly.

// keptHeap is the memory in bytes that is not worth a garbage collection.
const keptHeap = 16 << 20

// heapWatch decides when to return memory.
type heapWatch struct {
	collections uint64 // garbage collections at the last check
	least       uint64 // bytes of the heap after memory was returned last
}

// check returns memory if the process is idle.
func (w *heapWatch) check(context.Context) error {
	if w.due(readHeap()) {
		w.returnMemory()
	}
	return nil
}

// returnMemory collects garbage, which takes about 10 ms of processor time, and returns all free memory.
func (w *heapWatch) returnMemory() {
	debug.FreeOSMemory()
	w.collections, w.least = readHeap()
}

// due reports whether the heap has grown, and no collection ran since the last check. While calls run,
// collections are frequent, and the next calls use the memory again.
func (w *heapWatch) due(collections, heap uint64) bool {
	idle := collections == w.collections
	w.collections = collections
	return idle && heap > w.least+keptHeap
}

// readHeap returns the number of collections, and the bytes of the heap that the operating system has
// provided.
func readHeap() (collections, heap uint64) {
	samples := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples)
	for _, s := range samples[1:] {
		heap += s.Value.Uint64()
	}
	return samples[0].Value.Uint64(), heap
}
