package ui

import (
	"bufio"
	"errors"
	"mime"
	"net/http"
)

// This file sends a file while it is made.

// downloadPart is the number of bytes that are sent at once. Package httpserver ends a reply whose browser takes too long
// for them.
const downloadPart = 64 << 10

// ByteOrderMark makes spreadsheets read a text as UTF-8.
const ByteOrderMark = "\xef\xbb\xbf"

// Download is a file on its way to a browser. The headers are sent with the first part. So an error before it can
// still be shown as a page.
type Download struct {
	to         *bufio.Writer
	w          http.ResponseWriter
	kind, name string
	begun      bool
}

// Download begins a file.
func (r *Request) Download(kind, name string) *Download {
	d := &Download{w: r.Writer, kind: kind, name: name}
	d.to = bufio.NewWriterSize(part{d}, downloadPart)
	return d
}

// Write implements io.Writer.
func (d *Download) Write(b []byte) (int, error) { return d.to.Write(b) }

// errRestarted ends a file that must begin again but cannot.
var errRestarted = errors.New("the file began again after a part of it was sent")

// Restart discards what was written, if no part has been sent.
func (d *Download) Restart() error {
	if d.begun {
		return errRestarted
	}
	d.to.Reset(part{d})
	return nil
}

// End sends the rest of the file. err is the error that ended it, or nil. It returns the result of Page.Serve: the
// error is shown as a page, or it breaks the connection if a part of the file was sent, so that the browser does not
// keep it as complete.
func (d *Download) End(err error) (*View, error) {
	if err == nil {
		err = d.to.Flush()
	}
	if err != nil && d.begun {
		panic(http.ErrAbortHandler)
	}
	return nil, err
}

// part sends parts of a Download.
type part struct{ d *Download }

// Write implements io.Writer.
func (p part) Write(b []byte) (int, error) {
	d := p.d
	if !d.begun {
		d.begun = true
		d.w.Header().Set("Content-Type", d.kind)
		d.w.Header().Set("Content-Disposition",
			mime.FormatMediaType("attachment", map[string]string{"filename": d.name}))
	}
	return d.w.Write(b)
}
