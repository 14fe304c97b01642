package powercut

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file makes states after a power cut.

// State has the files after a power cut.
type State struct {
	Kind  string // what it has of the changes that were not synced
	Files map[string][]byte
	Lost  int // changes that it does not have, or has only in part
}

// cutter decides which changes a State has.
type cutter struct {
	*rand.Rand
	kind string
	upto int // the moment of the first change that was not written
	lost int
}

// kinds are the kinds of States. A write can be torn at each 512 bytes, the size of a sector.
var kinds = []string{"nothing", "everything", "the first ones", "some", "some, torn"}

const sector = 512

// Cut returns a State after a power cut at the present moment. It has every change that a sync has made durable, and none,
// all or some of the others. What is missing does not depend on the order of the changes, except that a change of a name is
// missing if an earlier one of the same name is.
func (d *Disk) Cut(random *rand.Rand) State {
	c := &cutter{Rand: random, kind: kinds[random.IntN(len(kinds))], upto: random.IntN(d.moment + 1)}
	if c.kind == "the first ones" { // a moment since the first change that is not durable
		first := d.moment
		for _, n := range d.namings {
			first = min(first, n.moment)
		}
		for _, f := range d.now {
			for _, change := range f.changes {
				first = min(first, change.moment)
			}
		}
		c.upto = first + random.IntN(d.moment-first+1)
	}
	names := c.names(d)
	s := State{Kind: c.kind, Files: make(map[string][]byte)}
	for _, name := range slices.Sorted(maps.Keys(names)) { // in a fixed order, so that a seed makes the same choices
		if f := names[name]; f.isFolder {
			s.Files[name] = nil
		} else {
			s.Files[name] = c.content(f)
		}
	}
	s.Lost = c.lost
	return s
}

// has decides whether the State has a change that began at a moment.
func (c *cutter) has(moment int) (has bool) {
	switch c.kind {
	case "nothing":
	case "everything":
		has = true
	case "the first ones":
		has = moment < c.upto
	default:
		has = c.IntN(2) == 0
	}
	if !has {
		c.lost++
	}
	return has
}

// names returns the names of the files.
func (c *cutter) names(d *Disk) map[string]*file {
	names, missing := maps.Clone(d.names), make(map[string]bool)
	for _, n := range d.namings {
		if missing[n.gets] || missing[n.loses] || !c.has(n.moment) {
			missing[n.gets], missing[n.loses] = true, true
			delete(missing, "")
			continue
		}
		n.apply(names)
	}
	for name := range names { // a file whose folder is missing
		if folder := filepath.Dir(name); folder != "." && names[folder] == nil {
			delete(names, name)
		}
	}
	return names
}

// content returns the content of a file.
func (c *cutter) content(f *file) []byte {
	content := slices.Clone(f.durable)
	for _, change := range f.changes {
		switch {
		case !c.has(change.moment):
			// The file system may have stored the new size before the data.
			if end := change.at + int64(len(change.data)); c.kind != "nothing" && end > int64(len(content)) && c.IntN(2) == 0 {
				content = resize(content, end)
			}
		case c.kind == "some, torn" && !change.isSize && c.IntN(2) == 0:
			content = c.tear(content, change)
			c.lost++
		default:
			content = change.apply(content)
		}
	}
	if content == nil {
		content = []byte{}
	}
	return content
}

// tear writes some of the sectors of a change.
func (c *cutter) tear(content []byte, whole *change) []byte {
	for begin := int64(0); begin < int64(len(whole.data)); {
		end := min(begin+sector-(whole.at+begin)%sector, int64(len(whole.data)))
		if c.IntN(2) == 0 {
			content = (&change{at: whole.at + begin, data: whole.data[begin:end]}).apply(content)
		}
		begin = end
	}
	return content
}

// Write writes the files into an empty folder. Only their owner can read them.
func (s *State) Write(dir string) error {
	for _, name := range slices.SortedFunc(maps.Keys(s.Files), strings.Compare) { // a folder before its files
		path := filepath.Join(dir, name)
		var err error
		if content := s.Files[name]; content == nil {
			err = os.Mkdir(path, 0o700)
		} else {
			err = os.WriteFile(path, content, 0o600)
		}
		if err != nil {
			return fmt.Errorf("write a state: %w", err)
		}
	}
	return nil
}
