package limiter

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// neverRead fails the test if a body is read.
type neverRead struct {
	io.Reader
	t *testing.T
}

func (n neverRead) Read(p []byte) (int, error) {
	c, err := n.Reader.Read(p)
	if err == io.EOF {
		n.t.Error("the whole body was read without its memory")
	}
	return c, err
}

// A large form waits for its memory before it is read, a small one does not, and the memory is free afterwards.
func TestFormsCountInTheMemory(t *testing.T) {
	t.Parallel()
	l := NewShared(300<<10, 150<<10, 1)
	read := func(owner int64, body io.Reader, size int64) (func(), error) {
		r := httptest.NewRequest("POST", "/", body)
		r.ContentLength = size
		got, release, err := l.ReadBody(httptest.NewRecorder(), r, owner, 64<<10)
		if err == nil && size >= 0 && int64(len(got)) != size {
			t.Errorf("read %d bytes of %d", len(got), size)
		}
		return release, err
	}
	large := bytes.Repeat([]byte("x"), 50<<10)
	release, err := read(1, bytes.NewReader(large), int64(len(large)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read(1, neverRead{bytes.NewReader(large), t}, int64(len(large))); !errors.Is(err, ErrBusy) {
		t.Errorf("a second large form of an owner: %v, want ErrBusy", err)
	}
	if _, err := read(1, neverRead{bytes.NewReader(large), t}, -1); !errors.Is(err, ErrBusy) {
		t.Errorf("a form of unknown size: %v, want ErrBusy", err)
	}
	if _, err := read(1, strings.NewReader("small"), 5); err != nil {
		t.Errorf("a small form: %v", err)
	}
	other, err := read(2, bytes.NewReader(large), int64(len(large)))
	if err != nil {
		t.Errorf("a large form of another owner: %v", err)
	}
	other()
	release()
	if release, err = read(1, bytes.NewReader(large), -1); err != nil {
		t.Errorf("after the release: %v", err)
	}
	release()
	if l.used != 0 {
		t.Errorf("%d bytes stay in use", l.used)
	}
	for _, size := range []int64{65 << 10, -1} {
		_, err := read(1, bytes.NewReader(make([]byte, 65<<10)), size)
		if _, is := errors.AsType[*http.MaxBytesError](err); !is {
			t.Errorf("a form over the limit: %v", err)
		}
	}
}
