package imports

import (
	"bufio"
	"net/http"
	"time"
)

// This file sends a file while it is made.

const (
	downloadPart = 64 << 10         // bytes
	downloadWait = 30 * time.Second // in which a browser must take a part
)

// download is a file on its way to a browser.
type download struct {
	to *bufio.Writer
}

func newDownload(w http.ResponseWriter) *download {
	return &download{bufio.NewWriterSize(timedWriter{w, http.NewResponseController(w)}, downloadPart)}
}

func (d *download) write(b []byte) error {
	_, err := d.to.Write(b)
	return err
}

// timedWriter ends a reply whose client takes too long.
type timedWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// Write implements io.Writer.
func (t timedWriter) Write(b []byte) (int, error) {
	// The connection of a test may have no deadlines, which Write then does not need.
	_ = t.control.SetWriteDeadline(time.Now().Add(downloadWait))
	n, err := t.w.Write(b)
	_ = t.control.SetWriteDeadline(time.Time{})
	return n, err
}
