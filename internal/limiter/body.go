package limiter

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// This file reads the bodies of requests, which count in a Limiter of bytes.

const (
	smallBody  = 16 << 10 // bytes that wait for no memory
	formFactor = 3        // bytes of memory for each byte of a form: the body, its texts, and what becomes of them
)

// ReadBody reads the body of a request of at most most bytes. A body that is not small gets its memory before it is read.
// The caller must call release when it needs the body no more. Errors: http.MaxBytesError, ErrBusy, and errors of the
// connection.
func (l *Limiter) ReadBody(w http.ResponseWriter, r *http.Request, owner, most int64) (body []byte, release func(),
	err error) {
	release = func() {}
	if r.ContentLength > most {
		return nil, release, &http.MaxBytesError{Limit: most}
	}
	sent := http.MaxBytesReader(w, r.Body, most)
	var b bytes.Buffer
	_, err = io.CopyN(&b, sent, smallBody)
	if err == io.EOF {
		return b.Bytes(), release, nil
	}
	if err != nil {
		return nil, release, err
	}
	size := r.ContentLength
	if size < 0 {
		size = most
	}
	if release, err = l.Reserve(r.Context(), owner, size); err != nil {
		return nil, func() {}, err
	}
	b.Grow(int(size) - b.Len() + bytes.MinRead)
	if _, err = b.ReadFrom(sent); err != nil {
		release()
		return nil, func() {}, err
	}
	return b.Bytes(), release, nil
}

// Reserve waits for the memory of a body of size bytes, or -1 if that is not known. Errors: as AcquireFor.
func (l *Limiter) Reserve(ctx context.Context, owner, size int64) (release func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	units := min(formFactor*size, l.share)
	if size < 0 {
		units = l.share
	}
	return l.AcquireFor(ctx, owner, units)
}
