package movein_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/movein"
)

// A file of several steps is stored whole. A reading that stops in the middle stores no file, and the next one does. A file
// that changes, or whose name another file had, replaces it.
//
// covers: decision 98
func TestAFileIsMovedWhole(t *testing.T) { dbtest.EachParallel(t, aFileIsMovedWhole) }

func aFileIsMovedWhole(t *testing.T, e dbtest.Engine) {
	to, ctx := newTarget(t, e), t.Context()
	content := bytes.Repeat([]byte("0123456789abcdef"), 3<<20/16+1)
	broken := errors.New("the connection was lost")
	move := func(id int64, name string, at int64, content []byte, source io.Reader) (bool, []movein.Problem, error) {
		number := func(key string, n int64) enlist.Detail {
			return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputNumber, Text: fmt.Sprint(n)}}
		}
		record := movein.Record{number("id", id), number("last_modified_time", at), number("size", int64(len(content))),
			{Key: "name", Value: enlist.Input{Kind: enlist.InputText, Text: name}}}
		return movein.NewRecords(to.service, to.caller).MoveFile(ctx, record, func() (io.ReadCloser, int64, error) {
			return io.NopCloser(source), int64(len(content)), nil
		})
	}
	half := io.MultiReader(bytes.NewReader(content[:2<<20]), iotest.ErrReader(broken))
	if moved, _, err := move(40, "plan.bin", 1, content, half); moved || !errors.Is(err, broken) {
		t.Errorf("a reading that stops: moved %v, error %v", moved, err)
	}
	if moved, _, err := move(40, "plan.bin", 1, content[:100], bytes.NewReader(content)); moved || err == nil {
		t.Errorf("a content that is longer than the size: moved %v, error %v", moved, err)
	}
	if _, err := to.service.Files.File(ctx, to.caller, 40); enlist.KindOf(err) != enlist.NoFile {
		t.Errorf("after a reading that stopped, the file has the error %v", err)
	}
	for _, again := range []io.Reader{bytes.NewReader(content), iotest.ErrReader(broken)} { // the second run reads nothing
		moved, problems, err := move(40, "plan.bin", 1, content, again)
		if !moved || err != nil || len(problems) != 0 {
			t.Fatalf("moved %v, problems %v, error %v", moved, problems, err)
		}
	}
	to.wantFile(t, 40, "plan.bin", content)
	if moved, _, err := move(40, "plan.bin", 2, content[:9], bytes.NewReader(content[:9])); !moved || err != nil {
		t.Errorf("the changed file: moved %v, error %v", moved, err)
	}
	to.wantFile(t, 40, "plan.bin", content[:9])
	if moved, _, err := move(41, "plan.bin", 3, content[:7], bytes.NewReader(content[:7])); !moved || err != nil {
		t.Errorf("the file with the same name: moved %v, error %v", moved, err)
	}
	to.wantFile(t, 41, "plan.bin", content[:7])
	if moved, problems, err := move(42, "../x", 3, content[:7], bytes.NewReader(content[:7])); moved || err != nil || problems[0].Key != "name" {
		t.Errorf("a file with a path as its name: moved %v, problems %v, error %v", moved, problems, err)
	}
}

// wantFile checks a file and its content.
func (to *target) wantFile(t *testing.T, id enlist.FileID, name string, content []byte) {
	t.Helper()
	f := must(to.service.Files.File(t.Context(), to.caller, id))(t)
	var got []byte
	for number := int64(0); int64(len(got)) < f.Size; number++ {
		got = append(got, must(to.service.Files.Piece(t.Context(), f.Content, number))(t)...)
	}
	if f.Name != name || !bytes.Equal(got, content) {
		t.Errorf("the file %d is %+v with %d bytes, want %d", id, *f, len(got), len(content))
	}
}
