package powercut

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// This file repeats the events of a trace, and knows which changes a sync has made durable.

// Disk has the files of a folder at a moment of a trace.
type Disk struct {
	trace  *Trace
	moment int

	names   map[string]*file // that are durable
	namings []*naming        // later changes of names, in their order
	now     map[string]*file // as programs see them
	syncing map[int]func()   // by system call: makes durable what was complete when the call began
}

// file is a file or a folder.
type file struct {
	isFolder bool
	durable  []byte
	changes  []*change // later ones, in the order of their beginnings
}

// change is a write into a file, or a new size of it.
type change struct {
	call, moment int // the system call, and when it began
	isSize       bool
	at           int64 // offset of data, or the size
	data         []byte
	isDone       bool
}

// naming is a change of names.
type naming struct {
	moment      int
	gets, loses string // the names that the file gets and loses; "": none
	file        *file
}

// NewDisk returns the Disk at the beginning of a trace.
func NewDisk(t *Trace) *Disk {
	d := &Disk{trace: t, names: make(map[string]*file), syncing: make(map[int]func())}
	for name, content := range t.before {
		d.names[name] = &file{isFolder: content == nil, durable: content}
	}
	d.now = maps.Clone(d.names)
	return d
}

// Advance repeats the events before a moment, which is not earlier than the last one.
func (d *Disk) Advance(moment int) error {
	for ; d.moment < moment; d.moment++ {
		if err := d.apply(&d.trace.events[d.moment]); err != nil {
			return fmt.Errorf("event %d: %w", d.moment, err)
		}
	}
	return nil
}

func (d *Disk) apply(e *event) error {
	f := d.now[e.path]
	switch {
	case e.kind == sent:
	case e.kind == create || e.kind == mkdir:
		if f == nil {
			d.rename(&naming{gets: e.path, file: &file{isFolder: e.kind == mkdir}})
		}
	case e.kind == synced:
		if makeDurable := d.syncing[e.call]; makeDurable != nil {
			makeDurable()
		}
		delete(d.syncing, e.call)
	case e.kind == syncs && (e.path == "." || f != nil && f.isFolder):
		d.syncing[e.call] = d.syncNames(e.path)
	case f == nil:
		return fmt.Errorf("there is no file %s", e.path)
	case e.kind == syncs:
		d.syncing[e.call] = f.sync()
	case e.kind == write || e.kind == newSize:
		f.changes = append(f.changes, &change{call: e.call, moment: d.moment, isSize: e.kind == newSize, at: e.at, data: e.data})
	case e.kind == changed || e.kind == found:
		if i := slices.IndexFunc(f.changes, func(c *change) bool { return c.call == e.call }); i >= 0 {
			f.changes[i].end(e)
		}
	case e.kind == rename:
		d.rename(&naming{gets: e.to, loses: e.path, file: f})
	case e.kind == remove:
		d.rename(&naming{loses: e.path, file: f})
	}
	return nil
}

// end ends a change. That of a killed program may be there in part.
func (c *change) end(e *event) {
	c.isDone = true
	switch {
	case e.kind == found && c.isSize:
		c.at = e.at
	case e.kind == found:
		c.data = e.data
	}
}

// rename changes the names that programs see.
func (d *Disk) rename(n *naming) {
	n.moment = d.moment
	n.apply(d.now)
	d.namings = append(d.namings, n)
}

func (n *naming) apply(names map[string]*file) {
	if n.loses != "" {
		delete(names, n.loses)
	}
	if n.gets != "" {
		names[n.gets] = n.file
	}
}

// isIn reports whether a naming changes names of a folder.
func (n *naming) isIn(folder string) bool {
	return n.gets != "" && filepath.Dir(n.gets) == folder || n.loses != "" && filepath.Dir(n.loses) == folder
}

// syncNames returns a function that makes the names of a folder durable, as they are now.
func (d *Disk) syncNames(folder string) func() {
	namings := slices.Clone(d.namings)
	return func() {
		for _, n := range namings {
			if i := slices.Index(d.namings, n); i >= 0 && n.isIn(folder) { // another sync may have made it durable
				n.apply(d.names)
				d.namings = slices.Delete(d.namings, i, i+1)
			}
		}
	}
}

// sync returns a function that makes the complete changes of a file durable.
func (f *file) sync() func() {
	var complete []*change
	for _, c := range f.changes {
		if c.isDone {
			complete = append(complete, c)
		}
	}
	return func() {
		for _, c := range complete {
			if i := slices.Index(f.changes, c); i >= 0 {
				f.durable = c.apply(f.durable)
				f.changes = slices.Delete(f.changes, i, i+1)
			}
		}
	}
}

// apply returns the content of a file after a change. It may change content.
func (c *change) apply(content []byte) []byte {
	if c.isSize {
		return resize(content, c.at)
	}
	content = resize(content, max(int64(len(content)), c.at+int64(len(c.data))))
	copy(content[c.at:], c.data)
	return content
}

// resize cuts a content off, or appends zeros to it.
func resize(content []byte, size int64) []byte {
	if size <= int64(len(content)) {
		return content[:size]
	}
	return append(content, make([]byte, size-int64(len(content)))...)
}

// Unsynced returns the number of writes and of changes of names that no sync has made durable.
func (d *Disk) Unsynced() (n int) {
	for _, f := range d.now {
		n += len(f.changes)
	}
	return n + len(d.namings)
}

// Compare returns an error if the files of the folder are others than those of the Disk at the last moment of the trace.
// Then the trace lacks a change.
func (d *Disk) Compare() error {
	if err := d.Advance(d.trace.Len()); err != nil {
		return err
	}
	real, err := Read(d.trace.dir)
	if err != nil {
		return err
	}
	for name, f := range d.now {
		content := slices.Clone(f.durable)
		for _, c := range f.changes {
			content = c.apply(content)
		}
		stored, ok := real[name]
		if !ok || f.isFolder != (stored == nil) || !bytes.Equal(stored, content) {
			err = errors.Join(err, fmt.Errorf("the trace ends with %d bytes of %s, and the folder has %d", len(content), name, len(stored)))
		}
		delete(real, name)
	}
	for name := range real {
		err = errors.Join(err, fmt.Errorf("the trace does not have %s", name))
	}
	return err
}
