package limiter

import (
	"bytes"
	"io"
	"net/http"
)

// This file reads the bodies of requests, which count in a Limiter of bytes.

const (
	smallBody  = 16 << 10 // bytes that need no place
	formFactor = 3        // bytes of memory for each byte of a form: the body, its texts, and what becomes of them
)

// ReadBody reads the body of a request of at most most bytes. A body that is not small gets its place before it is read.
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
	place := formFactor * size
	if l != nil {
		place = min(place, l.share)
	}
	if release, err = l.AcquireFor(r.Context(), owner, place); err != nil {
		return nil, func() {}, err
	}
	b.Grow(int(size) - b.Len() + bytes.MinRead)
	if _, err = b.ReadFrom(sent); err != nil {
		release()
		return nil, func() {}, err
	}
	return b.Bytes(), release, nil
}
