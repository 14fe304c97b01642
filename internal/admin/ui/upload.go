package ui

import (
	"errors"
	"io"
	"net/http"
)

// This file reads uploads, which are larger than forms.

// Upload is the body of a request that contains a file.
type Upload struct {
	body io.ReadCloser
	err  error
}

// Upload makes the body of the request an Upload of at most so many bytes.
func (r *Request) Upload(most int64) *Upload {
	u := &Upload{body: http.MaxBytesReader(r.Writer, r.Body, most)}
	r.Body = u
	return u
}

// Read implements io.Reader.
func (u *Upload) Read(p []byte) (n int, err error) {
	n, err = u.body.Read(p)
	if err != nil && err != io.EOF {
		u.err = err
	}
	return n, err
}

// Close implements io.Closer.
func (u *Upload) Close() error { return u.body.Close() }

// Discard reads the rest, because a browser shows no page before it has sent its whole request.
func (u *Upload) Discard() { _, _ = io.Copy(io.Discard, u) } // an error means that the browser gets no reply

// Broken returns the error that ended the upload before its end, or nil.
func (u *Upload) Broken() error { return u.err }

// IsTooLarge reports whether the upload was larger than its limit.
func (u *Upload) IsTooLarge() bool {
	_, is := errors.AsType[*http.MaxBytesError](u.err)
	return is
}
