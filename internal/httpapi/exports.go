package httpapi

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/exports"
	"enlist/internal/rpc"
)

// This file answers GET /api/exports with the file of an export.

// exportParameters are the parameters of the URL. Those of a search have their names and meaning in searchContacts.
var exportParameters = map[string]func(e *exports.Export, text string) error{
	"list_id": func(e *exports.Export, text string) error { return nil }, // export has read it
	"search_criteria": func(e *exports.Export, text string) (err error) {
		e.Query.Criteria, err = rpc.ParseCriteria(text)
		return err
	},
	"limit":      func(e *exports.Export, text string) error { return readAmount("limit", text, &e.Query.Limit) },
	"offset":     func(e *exports.Export, text string) error { return readAmount("offset", text, &e.Query.Offset) },
	"sort_by":    func(e *exports.Export, text string) error { e.Query.SortBy = text; return nil },
	"sort_order": readOrder,
	"returned_fields": func(e *exports.Export, text string) (err error) {
		e.Columns, err = exports.ParseColumns(text)
		return err
	},
	"format": func(e *exports.Export, text string) error { e.Format = exports.Format(text); return nil },
	"gz":     func(e *exports.Export, text string) error { return readFlag("gz", text, &e.Gzip) },
	"excel":  func(e *exports.Export, text string) error { return readFlag("excel", text, &e.Excel) },
	"proof":  func(e *exports.Export, text string) error { return readFlag("proof", text, &e.Proof) },
}

// export sends the file that the URL describes.
func (h *Handler) export(w http.ResponseWriter, r *http.Request, c *enlist.Caller) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return enlist.Refuse(enlist.InvalidParameters, "the query of the URL is not valid")
	}
	list, err := strconv.ParseInt(query.Get("list_id"), 10, 64)
	if err != nil {
		return enlist.ErrNoList
	}
	e := &exports.Export{List: enlist.ListID(list)}
	if err := h.service.Contacts.CheckAccess(r.Context(), c, e.List, 0); err != nil {
		return err
	}
	if err := readExport(e, query); err != nil {
		return err
	}
	name := e.Name("list-" + strconv.FormatInt(list, 10))
	out := &fileReply{w: w, options: &h.options, name: name, kind: e.ContentType()}
	_, err = e.Write(r.Context(), h.service, c, out)
	if err == nil {
		err = out.finish()
	}
	if err != nil && out.sent {
		return errBroken{err}
	}
	return err
}

// readExport reads the parameters of a URL. It refuses unknown ones, because one that is ignored could mean that more
// Contacts are exported than the caller wanted. Errors: InvalidParameters, InvalidSearch.
func readExport(e *exports.Export, query url.Values) error {
	e.Query.Descending = true // reference.md: sort.order
	for name, values := range query {
		set := exportParameters[name]
		if set == nil {
			return enlist.Refuse(enlist.InvalidParameters, "there is no parameter %q", name)
		}
		if len(values) > 1 {
			return enlist.Refuse(enlist.InvalidParameters, "the parameter %s is there twice", name)
		}
		if err := set(e, values[0]); err != nil {
			return err
		}
	}
	return e.Check()
}

func readAmount(name, text string, to *int64) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return enlist.Refuse(enlist.InvalidSearch, "%s: expected an integer of 0 or more, not %q", name, text)
	}
	*to = n
	return nil
}

func readOrder(e *exports.Export, text string) error {
	switch {
	case strings.EqualFold(text, "ASC"):
		e.Query.Descending = false
	case !strings.EqualFold(text, "DESC"):
		return enlist.Refuse(enlist.InvalidSearch, "sort_order: expected ASC or DESC, not %q", text)
	}
	return nil
}

func readFlag(name, text string, to *bool) error {
	switch text {
	case "1", "true":
		*to = true
	case "0", "false":
		*to = false
	default:
		return enlist.Refuse(enlist.InvalidParameters, "%s: expected 1 or 0, not %q", name, text)
	}
	return nil
}

// fileReply sends a file. The header is sent with the first byte, so an error before it can still become another
// reply.
type fileReply struct {
	w          http.ResponseWriter
	options    *Options
	name, kind string
	sent       bool
	deadline   time.Time // after it no further part is sent
}

// errSlowClient ends a file that would otherwise use its stream, and on SQLite the write-ahead log, for too long.
var errSlowClient = errors.New("the client reads the file too slowly")

// Write sends a part of the file, unless the time for the complete file has passed.
func (f *fileReply) Write(p []byte) (int, error) {
	now := time.Now()
	if !f.sent {
		f.sent = true
		f.deadline = now.Add(f.options.FileTimeout)
		header := f.w.Header()
		header.Set("Content-Type", f.kind)
		header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.name}))
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
	}
	if now.After(f.deadline) {
		return 0, errSlowClient
	}
	return f.w.Write(p)
}

// finish sends the rest.
func (f *fileReply) finish() error {
	err := http.NewResponseController(f.w).Flush()
	if errors.Is(err, http.ErrNotSupported) { // such as the ResponseRecorder of httptest
		return nil
	}
	return err
}

// end sends the rest of a reply that has the error err, and the header if the file is empty.
func (f *fileReply) end(err error) error {
	if err == nil {
		_, err = f.Write(nil)
	}
	if err == nil {
		err = f.finish()
	}
	if err != nil {
		return errBroken{err}
	}
	return nil
}
