package powercut

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// This file reads the lines of strace, such as
//
//	17 fdatasync(5</lists/enlist.db-wal>) = 0
//	18 pwrite64(5</lists/enlist.db-wal>, "\x37\x7f", 2, 0 <unfinished ...>
//	18 <... pwrite64 resumed>) = 2
//
// but with each text and path in hexadecimal.

// lineReader makes events of lines.
type lineReader struct {
	trace      *Trace
	calls      int              // number of system calls so far
	unfinished map[string]*call // by thread
	killed     []*call          // calls during which the program was killed
	offset     map[int]int64    // of the next write, by file descriptor
}

func newLineReader(t *Trace) *lineReader {
	return &lineReader{trace: t, unfinished: make(map[string]*call), offset: make(map[int]int64)}
}

// call is a system call.
type call struct {
	number int
	name   string
	fd     int      // the first argument, if it is a file descriptor
	paths  []string // of the arguments that are file descriptors
	texts  [][]byte // the arguments that are texts
	words  []string // the other arguments
	result int
}

// read reads a line.
func (r *lineReader) read(line []byte) error {
	thread, rest, _ := bytes.Cut(line, []byte(" "))
	rest = bytes.TrimLeft(rest, " ")
	if bytes.HasPrefix(rest, []byte("+++")) || bytes.HasPrefix(rest, []byte("---")) {
		return nil
	}
	if killed, ok := bytes.CutSuffix(rest, []byte(" <detached ...>")); ok {
		rest = append(killed, " <unfinished ...>) = ?"...)
	}
	if _, end, ok := bytes.Cut(rest, []byte(" resumed>")); ok && bytes.HasPrefix(rest, []byte("<... ")) {
		c := r.unfinished[string(thread)]
		delete(r.unfinished, string(thread))
		if c == nil {
			return nil // the call began before the trace
		}
		return r.end(c, end)
	}
	name, rest, ok := bytes.Cut(rest, []byte("("))
	if !ok {
		return fmt.Errorf("strace wrote a line that is no system call: %.200q", line)
	}
	r.calls++
	c := &call{number: r.calls, name: string(name)}
	arguments, end, isUnfinished := bytes.Cut(rest, []byte(" <unfinished ...>"))
	if !isUnfinished {
		arguments = rest[:max(0, bytes.LastIndex(rest, []byte(" = ")))]
	}
	if err := c.read(arguments); err != nil {
		return fmt.Errorf("%w in the line %.200q", err, line)
	}
	r.begin(c)
	if isUnfinished && len(end) > 0 {
		return r.end(c, end)
	}
	if isUnfinished {
		r.unfinished[string(thread)] = c
		return nil
	}
	return r.end(c, rest)
}

// read reads the arguments of a call.
func (c *call) read(text []byte) error {
	for len(text) > 0 {
		switch text[0] {
		case '"':
			data, rest, ok := bytes.Cut(text[1:], []byte(`"`))
			if !ok || bytes.HasPrefix(rest, []byte("...")) {
				return fmt.Errorf("strace cut a text off")
			}
			plain, err := decode(data)
			if err != nil {
				return err
			}
			c.texts, text = append(c.texts, plain), rest
		case '<':
			path, rest, ok := bytes.Cut(text[1:], []byte(">"))
			if !ok {
				return fmt.Errorf("a path has no end")
			}
			if plain, err := decode(path); err == nil {
				path = plain
			}
			if deleted := []byte("(deleted)"); bytes.HasPrefix(rest, deleted) {
				path, rest = append(path, " (deleted)"...), rest[len(deleted):]
			}
			if len(c.paths) == 0 && len(c.words) == 1 {
				c.fd, _ = strconv.Atoi(c.words[0]) // otherwise it is AT_FDCWD
			}
			c.paths, text = append(c.paths, string(path)), rest
		case ',', ' ', ')':
			text = text[1:]
		default:
			end := bytes.IndexAny(text, `,<")`)
			if end < 0 {
				end = len(text)
			}
			c.words, text = append(c.words, string(text[:end])), text[end:]
		}
	}
	return nil
}

// decode decodes a text like \x2f\x61.
func decode(text []byte) ([]byte, error) {
	digits := make([]byte, 0, len(text)/2)
	for ; len(text) >= 4 && text[0] == '\\' && text[1] == 'x'; text = text[4:] {
		digits = append(digits, text[2], text[3])
	}
	if len(text) > 0 {
		return nil, fmt.Errorf("%.20q is not in hexadecimal", text)
	}
	plain := make([]byte, len(digits)/2)
	_, err := hex.Decode(plain, digits)
	return plain, err
}

// file returns the path of the file that the first argument has open, below the folder.
func (r *lineReader) file(c *call) (string, bool) {
	if len(c.paths) == 0 {
		return "", false
	}
	return r.trace.below(c.paths[0])
}

// last returns the last argument, a number.
func (c *call) last() int64 {
	n, _ := strconv.ParseInt(c.words[len(c.words)-1], 10, 64)
	return n
}

func (r *lineReader) add(e event) { r.trace.events = append(r.trace.events, e) }

// begin adds the event at the beginning of a call.
func (r *lineReader) begin(c *call) {
	path, isFile := r.file(c)
	switch c.name {
	case "write", "writev":
		if !isFile {
			if len(c.paths) > 0 && (strings.HasPrefix(c.paths[0], "socket:") || strings.HasPrefix(c.paths[0], "pipe:")) {
				r.add(event{kind: sent, call: c.number, data: slices.Concat(c.texts...)})
			}
			return
		}
		r.add(event{kind: write, call: c.number, path: path, at: r.offset[c.fd], data: slices.Concat(c.texts...)})
	case "pwrite64":
		if isFile {
			r.add(event{kind: write, call: c.number, path: path, at: c.last(), data: slices.Concat(c.texts...)})
		}
	case "ftruncate":
		if isFile {
			r.add(event{kind: newSize, call: c.number, path: path, at: c.last()})
		}
	case "fsync", "fdatasync":
		if isFile {
			r.add(event{kind: syncs, call: c.number, path: path})
		}
	}
}

// end adds the event at the end of a call. text ends with its result, such as ") = 5</lists/enlist.db>".
func (r *lineReader) end(c *call, text []byte) error {
	i := bytes.LastIndex(text, []byte(" = "))
	if i < 0 {
		return fmt.Errorf("the call %s has no result", c.name)
	}
	result, _, _ := strings.Cut(string(text[i+3:]), "<")
	result, _, _ = strings.Cut(result, " ")
	if result == "?" {
		r.killed = append(r.killed, c)
		return nil
	}
	c.result, _ = strconv.Atoi(result) // that of mmap is an address
	path, isFile := r.file(c)
	switch c.name {
	case "write", "writev", "pwrite64", "ftruncate":
		if !isFile {
			return nil
		}
		if c.name == "ftruncate" && c.result < 0 {
			return fmt.Errorf("ftruncate of %s failed, which is not recorded", path)
		}
		if data := slices.Concat(c.texts...); c.name != "ftruncate" && c.result < len(data) { // only a part was written
			r.add(event{kind: found, call: c.number, path: path, data: data[:max(0, c.result)]})
		}
		if strings.HasPrefix(c.name, "write") {
			r.offset[c.fd] += int64(c.result)
		}
		r.add(event{kind: changed, call: c.number, path: path})
	case "fsync", "fdatasync":
		if isFile && c.result == 0 {
			r.add(event{kind: synced, call: c.number, path: path})
		}
	case "lseek":
		r.offset[c.fd] = int64(c.result)
	default:
		return r.endOfNames(c)
	}
	return nil
}

// resolve looks what became of the calls during which the program was killed. No program runs now.
func (r *lineReader) resolve() error {
	killed := slices.AppendSeq(r.killed, maps.Values(r.unfinished))
	r.killed, r.unfinished = nil, make(map[string]*call)
	slices.SortFunc(killed, func(a, b *call) int { return a.number - b.number })
	for _, c := range killed {
		if err := r.resolveCall(c); err != nil {
			return fmt.Errorf("what became of %s when the program was killed: %w", c.name, err)
		}
	}
	return nil
}

func (r *lineReader) resolveCall(c *call) error {
	exists := func(name string) bool {
		_, err := os.Lstat(filepath.Join(r.trace.dir, name))
		return err == nil
	}
	names := r.named(c)
	switch path, isFile := r.file(c); {
	case c.name == "fsync" || c.name == "fdatasync" || c.name == "lseek" || c.name == "mmap":
	case isFile && exists(path) && slices.Contains([]string{"write", "writev", "pwrite64", "ftruncate"}, c.name):
		content, err := os.ReadFile(filepath.Join(r.trace.dir, path))
		if err != nil {
			return err
		}
		i := slices.IndexFunc(r.trace.events, func(e event) bool { return e.call == c.number })
		begin := min(r.trace.events[i].at, int64(len(content)))
		end := min(begin+int64(len(r.trace.events[i].data)), int64(len(content)))
		r.add(event{kind: found, call: c.number, path: path, at: int64(len(content)), data: content[begin:end]})
	case len(names) == 1 && strings.HasPrefix(c.name, "unlink") && !exists(names[0]),
		len(names) == 1 && !strings.HasPrefix(c.name, "unlink") && exists(names[0]),
		len(names) == 2 && !exists(names[0]) && exists(names[1]):
		return r.endOfNames(c)
	}
	return nil
}

// endOfNames is end for calls that change names.
func (r *lineReader) endOfNames(c *call) error {
	names := r.named(c)
	switch {
	case c.result < 0:
		return nil
	case c.name == "open" || c.name == "openat":
		r.offset[c.result] = 0
		return r.opened(c, names)
	case c.name == "io_uring_setup" || c.name == "mmap":
		name, isFile := r.file(c)
		if c.name == "mmap" && (!isFile || !strings.Contains(strings.Join(c.words, " "), "MAP_SHARED") ||
			!strings.Contains(strings.Join(c.words, " "), "PROT_WRITE")) {
			return nil
		}
		return fmt.Errorf("%s of %s is not recorded", c.name, name)
	case len(names) == 0:
		if name, isFile := r.file(c); isFile && !slices.Contains([]string{"sync_file_range"}, c.name) {
			return fmt.Errorf("%s of %s is not recorded", c.name, name)
		}
		return nil
	}
	e := event{call: c.number, path: names[0]}
	switch c.name {
	case "unlink", "unlinkat":
		e.kind = remove
	case "mkdir", "mkdirat":
		e.kind = mkdir
	case "rename", "renameat", "renameat2":
		if len(names) < 2 || filepath.Dir(names[0]) != filepath.Dir(names[1]) {
			return fmt.Errorf("a rename between two folders is not recorded: %q", names)
		}
		e.kind, e.to = rename, names[1]
	default:
		return fmt.Errorf("%s of %s is not recorded", c.name, names[0])
	}
	r.add(e)
	return nil
}

// named returns the absolute paths among the texts of a call that are below the folder.
func (r *lineReader) named(c *call) (names []string) {
	for _, text := range c.texts {
		if name, ok := r.trace.below(filepath.Clean(string(text))); ok {
			names = append(names, name)
		}
	}
	return names
}

// opened adds the events of a file that was opened. The Disk ignores that of a file that exists.
func (r *lineReader) opened(c *call, names []string) error {
	flags := strings.Split(strings.Join(c.words, "|"), "|")
	if len(names) == 0 {
		return nil
	}
	switch {
	case slices.Contains(flags, "O_APPEND"), slices.Contains(flags, "O_TMPFILE"):
		return fmt.Errorf("%s is opened with %q, which is not recorded", names[0], flags)
	case slices.Contains(flags, "O_CREAT"):
		r.add(event{kind: create, call: c.number, path: names[0]})
	}
	if slices.Contains(flags, "O_TRUNC") {
		r.add(event{kind: newSize, call: c.number, path: names[0]})
		r.add(event{kind: changed, call: c.number, path: names[0]})
	}
	return nil
}
