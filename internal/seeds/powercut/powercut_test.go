package powercut

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readLines makes a trace of lines of strace. The texts and paths are plain in the lines.
func readLines(t *testing.T, lines string) *Trace {
	t.Helper()
	trace := &Trace{dir: "/d", before: map[string][]byte{"old": []byte("before")}}
	r := newLineReader(trace)
	hexadecimal := func(text string) string {
		var b strings.Builder
		b.WriteByte(text[0])
		for _, c := range []byte(text[1 : len(text)-1]) {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
		return b.String() + text[len(text)-1:]
	}
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		line = regexp.MustCompile(`"[^"]*"|</[^>]*>`).ReplaceAllStringFunc(strings.TrimSpace(line), hexadecimal)
		if err := r.read([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	return trace
}

// states returns the states that a power cut can leave after all events, each as a text, without those that are the same.
func states(t *testing.T, trace *Trace) []string {
	t.Helper()
	d := NewDisk(trace)
	if err := d.Advance(trace.Len()); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	random := rand.New(rand.NewPCG(1, 0))
	for range 2000 {
		var files []string
		state := d.Cut(random)
		for name, content := range state.Files {
			files = append(files, fmt.Sprintf("%s=%s", name, strings.ReplaceAll(string(content), "\x00", "0")))
		}
		slices.Sort(files)
		seen[strings.Join(files, " ")] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// A power cut leaves what was synced, and any part of the rest.
func TestPowerCutLeavesWhatWasSynced(t *testing.T) {
	for _, test := range []struct {
		name, lines string
		want        []string
	}{
		{"a write that is not synced", `1 pwrite64(3</d/old>, "abc", 3, 0) = 3`, []string{"old=abcore", "old=before"}},
		{"a synced write", `1 pwrite64(3</d/old>, "abc", 3, 0) = 3
			1 fdatasync(3</d/old>) = 0`, []string{"old=abcore"}},
		{"a sync that has not ended", `1 pwrite64(3</d/old>, "abc", 3, 0) = 3
			1 fdatasync(3</d/old> <unfinished ...>`, []string{"old=abcore", "old=before"}},
		{"a write that ends after the sync has begun", `1 pwrite64(3</d/old>, "abc", 3, 0 <unfinished ...>
			2 fdatasync(3</d/old> <unfinished ...>
			1 <... pwrite64 resumed>) = 3
			2 <... fdatasync resumed>) = 0`, []string{"old=abcore", "old=before"}},
		{"two writes in any order", `1 pwrite64(3</d/old>, "a", 1, 0) = 1
			1 pwrite64(3</d/old>, "x", 1, 2) = 1`, []string{"old=aefore", "old=aexore", "old=before", "old=bexore"}},
		{"a longer file whose data is missing", `1 pwrite64(3</d/old>, "abc", 3, 6) = 3`,
			[]string{"old=before", "old=before000", "old=beforeabc"}},
		{"a new size", `1 ftruncate(3</d/old>, 2) = 0`, []string{"old=be", "old=before"}},
		{"a new file in a folder that is not synced", `1 openat(AT_FDCWD</>, "/d/new", O_RDWR|O_CREAT, 0600) = 4</d/new>
			1 write(4</d/new>, "abc", 3) = 3
			1 fsync(4</d/new>) = 0`, []string{"new=abc old=before", "old=before"}},
		{"a new file in a synced folder", `1 openat(AT_FDCWD</>, "/d/new", O_RDWR|O_CREAT, 0600) = 4</d/new>
			1 write(4</d/new>, "a", 1) = 1
			1 write(4</d/new>, "b", 1) = 1
			1 fsync(4</d/new>) = 0
			1 fsync(5</d>) = 0`, []string{"new=ab old=before"}},
		{"a new name", `1 renameat(AT_FDCWD</>, "/d/old", AT_FDCWD</>, "/d/new") = 0`, []string{"new=before", "old=before"}},
		{"a new name in a synced folder", `1 rename("/d/old", "/d/new") = 0
			1 fsync(5</d>) = 0`, []string{"new=before"}},
		{"a renamed file whose content is not synced", `1 openat(AT_FDCWD</>, "/d/new", O_RDWR|O_CREAT, 0600) = 4</d/new>
			1 pwrite64(4</d/new>, "abc", 3, 0) = 3
			1 rename("/d/new", "/d/old") = 0
			1 fsync(5</d>) = 0`, []string{"old=", "old=000", "old=abc"}},
		{"a removed file", `1 unlink("/d/old") = 0`, []string{"", "old=before"}},
		{"a write during which the program was killed", `1 pwrite64(3</d/old>, "abc", 3, 0 <unfinished ...>) = ?
			2 fsync(3</d/old>) = 0`, []string{"old=abcore", "old=before"}},
		{"a file outside of the folder", `1 pwrite64(3</e/old>, "abc", 3, 0) = 3`, []string{"old=before"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := states(t, readLines(t, test.lines)); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A write is torn between sectors of 512 bytes, at their places in the file.
func TestAWriteIsTornBetweenSectors(t *testing.T) {
	data := strings.Repeat("a", 256) + strings.Repeat("b", 512) + strings.Repeat("c", 256)
	trace := readLines(t, fmt.Sprintf(`1 ftruncate(3</d/old>, 0) = 0
		1 pwrite64(3</d/old>, "%s", 1024, 0) = 1024
		1 fsync(3</d/old>) = 0
		1 pwrite64(3</d/old>, "%s", 1024, 256) = 1024`, strings.Repeat("-", 1024), data))
	var want []string
	for _, a := range []string{"-", "a"} {
		for _, b := range []string{"-", "b"} {
			for _, c := range []string{"", "c", "0"} { // what is after the old end may be missing or zero
				state := "old=" + strings.Repeat("-", 256) + strings.Repeat(a, 256) + strings.Repeat(b, 512) + strings.Repeat(c, 256)
				want = append(want, state)
			}
		}
	}
	for _, state := range states(t, trace) {
		if !slices.Contains(want, state) {
			t.Errorf("a torn write left %q", state)
		}
	}
}

// A Recorder records a real program, and refuses what it does not understand.
func TestRecorderRecordsAProgram(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRecorder(dir)
	if errors.Is(err, ErrNoStrace) {
		t.Skip(err)
	}
	run := func(script string) error {
		t.Helper()
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir = dir
		if err := errors.Join(r.Start(cmd), cmd.Wait()); err != nil {
			t.Fatal(err)
		}
		return r.Wait()
	}
	err = errors.Join(err, run(fmt.Sprintf("mkdir %[1]s/a; printf one >%[1]s/a/b; mv %[1]s/a/b %[1]s/a/c; printf two >%[1]s/d; rm %[1]s/d", dir)))
	d := NewDisk(r.Trace())
	if err := errors.Join(err, d.Compare()); err != nil {
		t.Fatal(err)
	}
	if got := d.Unsynced(); got != 7 {
		t.Errorf("%d changes are not synced, want 5 of names, and 2 of the content of a/c", got)
	}
	if err := run(fmt.Sprintf("ln -s x %s/e", dir)); err == nil {
		t.Error("a symbolic link was recorded, but no state would have it")
	}
}
