package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/samples"
	"enlist/internal/social"
)

// This file sends files of Accounts. The link of a file is in mails and on web sites, so anyone who
// has the link may read the file. decisions.md: 64

const (
	// maxDownloads is the number of files that are sent at the same time, and ofDownloader those to one visitor, who may
	// read slowly. Each of them needs the memory of one piece. Further requests wait for downloadWait.
	maxDownloads = 256
	ofDownloader = 32
	downloadWait = 10 * time.Second

	// fileCache is for how long browsers and proxies use a file without asking again. After that time
	// they ask with the ETag.
	fileCache = "public, max-age=300"
)

// filePolicy is the Content-Security-Policy of a file. A file can be HTML of a caller, which must not run
// a script on this site.
const filePolicy = "default-src 'none'; sandbox"

// file sends the file of a link, an image as its query says. Ranges and conditional requests work.
func (h *Handler) file(w http.ResponseWriter, r *http.Request) {
	id, ok := h.key.ReadFilePath(r.URL.Path)
	if !ok {
		h.unknown(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "this link is opened with GET", http.StatusMethodNotAllowed)
		return
	}
	f, err := h.files.FileOfLink(r.Context(), id)
	switch {
	case errors.Is(err, enlist.ErrNoFile):
		h.render(w, r, http.StatusGone, "nofile", page{})
		return
	case err != nil:
		h.failed(w, r, enlist.Link{Kind: enlist.LinkFile}, err)
		return
	}
	release, err := h.mayRead(r)
	if err != nil {
		w.Header().Set("Retry-After", "10")
		h.render(w, r, http.StatusServiceUnavailable, "failed", page{})
		return
	}
	defer release()
	if as, ok := h.key.ReadPicture(id, r.URL.RawQuery); ok {
		f, err = h.files.Picture(r.Context(), f, as)
		if err != nil {
			h.failed(w, r, enlist.Link{Kind: enlist.LinkFile}, err)
			return
		}
	}
	setFileHeader(w.Header(), f)
	content := &contentReader{handler: h, request: r, file: f, number: -1}
	http.ServeContent(w, r, "", time.Unix(f.LastModifiedTime, 0), content)
	if content.err != nil {
		h.logError(r, enlist.Link{Kind: enlist.LinkFile}, content.err)
		panic(http.ErrAbortHandler) // the client must not take the file as complete
	}
}

// mayRead waits until a file may be sent. It returns an error if that takes too long.
func (h *Handler) mayRead(r *http.Request) (release func(), err error) {
	owner := int64(0) // visitors without a known address have no limit of their own
	if one, _ := prefixes(r); one != "" {
		owner = h.limits.owner(one)
	}
	return h.reading.AcquireFor(r.Context(), owner, 1)
}

// setFileHeader sets the header of a file. Browsers show images that contain no script, and store every
// other file. Mail programs and sites may show an image of this server.
func setFileHeader(header http.Header, f *files.StoredFile) {
	disposition := "attachment"
	if f.IsShown() {
		disposition = "inline"
	}
	contentType := "application/octet-stream" // a browser must not interpret a file that it stores
	if f.IsShown() {
		contentType = f.Type
	}
	header.Set("Content-Type", contentType)
	header.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": f.Name}))
	header.Set("Content-Security-Policy", filePolicy)
	header.Set("Cache-Control", fileCache)
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("ETag", `"`+strconv.FormatInt(int64(f.Content), 10)+`"`)
}

// icon sends an icon of a network or a picture of a starting template, which has the same content for ever.
func (h *Handler) icon(w http.ResponseWriter, r *http.Request) {
	data := social.Icon(r.URL.Path)
	if samples.Is(r.URL.Path) {
		data = samples.Picture(r.URL.Path)
	}
	if data == nil {
		h.unknown(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "this link is opened with GET", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Content-Security-Policy", filePolicy)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// contentReader reads the content of a file for http.ServeContent. It has one piece in memory.
type contentReader struct {
	handler *Handler
	request *http.Request
	file    *files.StoredFile
	at      int64 // position of the next byte
	number  int64 // of piece; -1 before the first piece
	piece   []byte
	err     error // the first error of Read
}

func (c *contentReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.at
	case io.SeekEnd:
		offset += c.file.Size
	}
	if offset < 0 {
		return 0, errors.New("seek before the start of the file")
	}
	c.at = offset
	return offset, nil
}

func (c *contentReader) Read(b []byte) (int, error) {
	if c.at >= c.file.Size {
		return 0, io.EOF
	}
	if number := c.at / files.PieceSize; number != c.number {
		piece, err := c.handler.files.Piece(c.request.Context(), c.file.Content, number)
		if err == nil && int64(len(piece)) <= c.at%files.PieceSize {
			err = fmt.Errorf("piece %d of the file %d has only %d bytes", number, c.file.ID, len(piece))
		}
		if err != nil {
			c.err = err
			return 0, err
		}
		c.number, c.piece = number, piece
	}
	n := copy(b, c.piece[c.at%files.PieceSize:])
	c.at += int64(n)
	return n, nil
}
