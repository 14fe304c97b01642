package powercut

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
)

// This file has the events that a Recorder records.

// kind says what an event is.
type kind int

const (
	sent    kind = iota // a program sends data to another one, or prints it
	write               // begins to change a part of a file
	newSize             // begins to set the size of a file
	changed             // one of these two has ended
	found               // the program was killed during one of them: the size of the file now, and what it has in the place of data
	syncs               // begins to sync a file or a folder
	synced              // has synced it
	create              // has made a file
	mkdir               // has made a folder
	rename              // has renamed a file
	remove              // has removed a file
)

// event is a moment of a system call. The beginning and the end of a call are two events where others may be between them.
type event struct {
	kind kind
	call int    // number of the system call
	path string // below the folder
	to   string // of a rename
	at   int64  // offset of a write, or size
	data []byte // that is written or sent
}

// Trace has the events of programs in their order.
type Trace struct {
	dir    string
	before map[string][]byte // the files at the beginning
	events []event
}

// Len returns the number of events. A moment is the number of events before it: 0 to Len.
func (t *Trace) Len() int { return len(t.events) }

// Sent calls do with each text that a program began to send or to print, and the first moment after this event.
func (t *Trace) Sent(do func(moment int, data []byte)) {
	for i, e := range t.events {
		if e.kind == sent {
			do(i+1, e.data)
		}
	}
}

// Moment returns a random moment. Half of them are those at which a mistake shows best: just after a program has sent
// something, and just before a sync has ended.
func (t *Trace) Moment(random *rand.Rand) int {
	moment := random.IntN(len(t.events) + 1)
	wanted, after := sent, 1
	switch random.IntN(4) {
	case 0, 1:
		return moment
	case 2:
		wanted, after = synced, 0
	}
	for i := moment; i < len(t.events); i++ {
		if t.events[i].kind == wanted {
			return i + after
		}
	}
	return moment
}

// below returns the path of a file below the folder, "." for the folder itself, and whether the file is there. Files
// that were removed while they are open are not.
func (t *Trace) below(path string) (string, bool) {
	if path == t.dir {
		return ".", true
	}
	name, ok := strings.CutPrefix(path, t.dir+string(filepath.Separator))
	return name, ok && !isShared(name) && !strings.HasSuffix(name, " (deleted)")
}
