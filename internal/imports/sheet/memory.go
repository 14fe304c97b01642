package sheet

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// This file limits the memory of all workbooks that are read at the same time.

// ErrNoMemory means that other workbooks, which are read at the moment, have the memory. The file can be read later.
var ErrNoMemory = errors.New("other workbooks need the memory at the moment: try again, or save the sheet as CSV")

// textOverhead is the memory in bytes that a shared text needs besides its letters: its header, also while the slice
// grows, and the rest of its block.
const textOverhead = 48

// Memory is what all Readers together may use for shared texts, and for workbooks inside other files.
type Memory struct {
	size int64
	used atomic.Int64
}

// NewMemory returns a Memory of so many bytes.
func NewMemory(size int64) *Memory { return &Memory{size: size} }

// memoryShare is what one Reader uses of a Memory.
type memoryShare struct {
	of   *Memory
	used int64
}

// take adds n bytes to the share. After an error the Reader cannot go on; Close gives the whole share back.
func (s *memoryShare) take(n int64) error {
	s.used += n
	switch total := s.of.used.Add(n); {
	case s.used > s.of.size:
		return fmt.Errorf("the workbook needs more than %d MiB for its texts: save the sheet as CSV", s.of.size>>20)
	case total > s.of.size:
		return ErrNoMemory
	}
	return nil
}

// Close gives the share back.
func (s *memoryShare) Close() error {
	s.of.used.Add(-s.used)
	s.used = 0
	return nil
}
