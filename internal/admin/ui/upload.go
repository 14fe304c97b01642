package ui

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// This file reads uploads, which are larger than forms.

// uploadWait is the longest time in which a client sends no byte of an upload.
const uploadWait = time.Minute

// Upload is the body of a request that contains a file.
type Upload struct {
	body    io.ReadCloser
	control *http.ResponseController
	err     error
}

// Upload makes the body of the request an Upload of at most so many bytes.
func (r *Request) Upload(most int64) *Upload {
	u := &Upload{body: http.MaxBytesReader(r.Writer, r.Body, most), control: http.NewResponseController(r.Writer)}
	r.Body = u
	return u
}

// Read implements io.Reader.
func (u *Upload) Read(p []byte) (n int, err error) {
	// The connection of a test may have no deadlines.
	err = u.control.SetReadDeadline(time.Now().Add(uploadWait))
	if err == nil || errors.Is(err, http.ErrNotSupported) {
		n, err = u.body.Read(p)
	}
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
