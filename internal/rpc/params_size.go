package rpc

import (
	"bytes"
	"math"

	"enlist/api"
)

// This file finds the size of a tree before params_tree.go builds it. So the server can wait until
// this memory is free, and can refuse a call that needs too much of it. decisions.md: 43

// maxValues is the largest number of values in the parameters of one call.
const maxValues = 1_000_000

// Sizes in bytes that determine the memory of a tree.
const (
	valueBytes  = 64  // an enlist.Input
	memberBytes = 80  // an enlist.Detail, which many methods make of a member of an object
	nameBytes   = 128 // a member name in the table in which the decoder finds duplicates, which grows by doubling
	sizeBytes   = 4   // an element of arena.sizes
)

// everyParameter is the limit of measure for all parameters that the caller sent.
const everyParameter = math.MaxInt32

// errTooMany refuses a call before its values need too much memory.
var errTooMany = refuse(api.CodeInvalidParameters, "more than %d values", maxValues)

// measure finds the size of the tree of the first parameters. At most limit parameters are read
// later, and the others are ignored. It returns the bytes of memory that rest needs. names are the
// parameter names of the method.
func (r *paramsReader) measure(names []string, limit int) (size int64, err error) {
	s := sizer{sizes: r.sizes[:0]}
	r.end = s.scan(r.raw, limit)
	r.sizes, r.count = s.sizes, s.count
	if s.count > maxValues+1 { // the key does not count
		return 0, refuseParameter(names, int(s.sizes[0]), errTooMany)
	}
	text := s.escaped
	if !r.keepsText {
		text += r.end
	}
	return int64(s.count*valueBytes + s.members*memberBytes + s.most*nameBytes + len(s.sizes)*sizeBytes + text), nil
}

// sizer counts the items of arrays and objects in well-formed JSON.
type sizer struct {
	sizes []int32 // number of items of each array and object, in the order of their first bytes
	open  []level // arrays and objects that are not complete
	count int     // sum of sizes

	members int // members of all objects
	names   int // members of the objects in open
	most    int // largest value of names so far
	escaped int // bytes of the strings with an escape, which are copied
}

// level is an array or object that is not complete.
type level struct {
	index  int // in sizes
	object bool
}

// scan counts until the array in raw ends, or until its first limit items end. It stops early if there
// are more than maxValues values. It returns the number of bytes that it read.
func (s *sizer) scan(raw []byte, limit int) int {
	empty := false // the last byte, without white space, opened an array or object
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case '"':
			end, escape := stringEnd(raw[i:])
			if escape {
				s.escaped += end
			}
			i += end
		case '[', '{':
			s.open = append(s.open, level{len(s.sizes), c == '{'})
			s.sizes = append(s.sizes, 0)
			empty = true
			continue
		case ',':
			s.item()
			if len(s.open) == 1 && int(s.sizes[0]) == limit || s.count > maxValues+1 {
				return i
			}
		case ']', '}':
			s.close(empty)
		}
		empty = false
	}
	return len(raw)
}

// item counts an item of the array or object that was opened last.
func (s *sizer) item() {
	last := s.open[len(s.open)-1]
	s.sizes[last.index]++
	s.count++
	if last.object {
		s.members++
		s.names++
		s.most = max(s.most, s.names)
	}
}

// close ends the array or object that was opened last.
func (s *sizer) close(empty bool) {
	if !empty {
		s.item()
	}
	last := s.open[len(s.open)-1]
	if last.object {
		s.names -= int(s.sizes[last.index])
	}
	s.open = s.open[:len(s.open)-1]
}

// stringEnd returns the index of the last quote of the JSON string with which b begins. escape reports
// whether the string has an escape.
func stringEnd(b []byte) (end int, escape bool) {
	for end = 1; ; end++ {
		end += bytes.IndexByte(b[end:], '"')
		escapes := end // index of the first of the backslashes before the quote
		for b[escapes-1] == '\\' {
			escapes--
		}
		if (end-escapes)%2 == 0 {
			return end, bytes.IndexByte(b[:end], '\\') >= 0
		}
	}
}
