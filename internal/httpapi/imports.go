package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/api"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file answers the requests about imports. import_options.go reads the options of a request, and import_reply.go
// writes the replies. decisions.md: 71

// importsPath is the path of imports. The paths of single imports are below it.
const importsPath = "/api/imports"

const (
	// maxUploads is the number of files that are uploaded at the same time. Each of them needs a few MiB of memory.
	// Further uploads wait for uploadWait.
	maxUploads = 8
	uploadWait = 10 * time.Second

	// followEvery is the time between two lines about the progress of an import.
	followEvery = time.Second
	// lookEvery is the time between two looks at the import, so that the reply ends soon after the import.
	lookEvery = 100 * time.Millisecond
)

// isImportsPath reports whether a path is of imports.
func isImportsPath(path string) bool {
	return path == importsPath || strings.HasPrefix(path, importsPath+"/")
}

// serveImports answers a request about imports. reference.md: import.http
func (h *Handler) serveImports(w http.ResponseWriter, r *http.Request) {
	if err := h.withCaller(w, r, enlist.Standard, func(c *enlist.Caller) error {
		return h.imports(w, r, c)
	}); err != nil {
		h.failImport(w, r, err)
	}
}

// failImport answers with an error. Some errors of imports have a status of their own.
func (h *Handler) failImport(w http.ResponseWriter, r *http.Request, err error) {
	if large, ok := errors.AsType[imports.ImportTooLarge](err); ok {
		w.Header().Set("Connection", "close") // the rest of the body was not read
		refuse(w, http.StatusRequestEntityTooLarge, api.CodeInvalidParameters, large.Error())
		return
	}
	if full, ok := errors.AsType[imports.NoRoom](err); ok {
		h.options.Log.Error("a file was refused", "path", r.URL.Path, "error", full)
		w.Header().Set("Connection", "close") // the body was not read
		code, _ := api.FailureName("")
		refuse(w, http.StatusInsufficientStorage, code, full.Error())
		return
	}
	if errors.Is(err, imports.ErrNoMemory) {
		w.Header().Set("Retry-After", "10")
		code, _ := api.FailureName("")
		refuse(w, http.StatusInsufficientStorage, code, err.Error())
		return
	}
	if errors.Is(err, imports.ErrNoImport) {
		refuse(w, http.StatusNotFound, api.CodeInvalidParameters, err.Error())
		return
	}
	h.fail(w, r, err)
}

// imports answers a request about all imports or one of them.
func (h *Handler) imports(w http.ResponseWriter, r *http.Request, c *enlist.Caller) error {
	rest := strings.Trim(strings.TrimPrefix(r.URL.Path, importsPath), "/")
	if rest != "" {
		text, action, _ := strings.Cut(rest, "/")
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return imports.ErrNoImport
		}
		return h.oneImport(w, r, c, enlist.ImportID(id), action)
	}
	switch r.Method {
	case http.MethodPost:
		return h.upload(w, r, c)
	case http.MethodGet:
		all, err := h.service.Imports.AllImports(r.Context(), c)
		if err != nil {
			return err
		}
		lines := newImportLines(w)
		for n := range all {
			lines.write(&all[n])
		}
		return nil
	}
	wrongMethod(w, "GET, POST")
	return nil
}

// wrongMethod answers a request with a method that the path does not have.
func wrongMethod(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	refuse(w, http.StatusMethodNotAllowed, api.CodeMethodNotFound, "send "+allowed)
}

// oneImport answers a request about an import.
func (h *Handler) oneImport(w http.ResponseWriter, r *http.Request, c *enlist.Caller, id enlist.ImportID,
	action string) error {
	edit := map[string]func(context.Context, *enlist.Caller, enlist.ImportID) error{
		"pause": h.service.Imports.PauseImport, "resume": h.service.Imports.ResumeImport,
		"cancel": h.service.Imports.CancelImport,
	}[action]
	allowed := http.MethodGet
	if edit != nil {
		allowed = http.MethodPost
	}
	switch {
	case r.Method != allowed:
		wrongMethod(w, allowed)
		return nil
	case action == "results":
		return h.importResults(w, r, c, id)
	case action == "refused":
		return h.refusedRows(w, r, c, id)
	case action != "" && edit == nil:
		http.NotFound(w, r)
		return nil
	case edit != nil:
		if err := edit(r.Context(), c, id); err != nil {
			return err
		}
	}
	i, err := h.service.Imports.Import(r.Context(), c, id)
	if err != nil {
		return err
	}
	lines := newImportLines(w)
	if r.URL.Query().Get("follow") == "1" {
		return h.follow(r, c, i, lines)
	}
	lines.write(i)
	return nil
}

// upload stores the file in the body of a request, and then sends the progress of its import.
func (h *Handler) upload(w http.ResponseWriter, r *http.Request, c *enlist.Caller) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return enlist.Refuse(enlist.InvalidParameters, "the query of the URL is not valid")
	}
	o, follow, err := readImportOptions(query)
	if err != nil {
		return err
	}
	most := h.service.Accounts.Settings().Of(c.Account.ID).MaxImport
	if r.ContentLength > most {
		return imports.ImportTooLarge(most)
	}
	release, err := h.uploads.Acquire(r.Context())
	if err != nil {
		return enlist.Refuse(enlist.Busy, "too many files are uploaded at the moment: try again")
	}
	defer func() { release() }()
	body := &timedBody{body: r.Body, control: http.NewResponseController(w), wait: h.options.ReadTimeout}
	i, err := h.service.Imports.AddImport(r.Context(), c,
		imports.NewImport{ImportOptions: o, File: body, Size: r.ContentLength, Most: most})
	if body.err != nil && body.err != io.EOF {
		panic(http.ErrAbortHandler) // the client closed the connection or is too slow
	}
	if err != nil {
		return err
	}
	release()
	release = func() {}
	lines := newImportLines(w)
	lines.columns(i)
	if follow {
		return h.follow(r, c, i, lines)
	}
	lines.write(i)
	return nil
}

// follow sends a line each second until the import has ended or is paused. If the client closes the connection, or the
// server stops, the import goes on.
func (h *Handler) follow(r *http.Request, c *enlist.Caller, i *imports.Import, lines *importLines) error {
	lines.write(i)
	written := time.Now()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for !i.Ended() && i.State != imports.ImportPaused {
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return nil
		case <-h.stopping:
			return nil
		}
		next, err := h.service.Imports.Import(r.Context(), c, i.ID)
		if err != nil {
			return errBroken{err}
		}
		i = next
		if i.Ended() || i.State == imports.ImportPaused || time.Since(written) >= followEvery {
			written = time.Now()
			lines.write(i)
		}
	}
	return nil
}

// importResults sends what became of each row.
func (h *Handler) importResults(w http.ResponseWriter, r *http.Request, c *enlist.Caller, id enlist.ImportID) error {
	if _, err := h.service.Imports.Import(r.Context(), c, id); err != nil {
		return err
	}
	query := r.URL.Query()
	file := imports.ResultFile{Only: query["outcome"]}
	for _, o := range file.Only {
		if !slices.Contains(imports.RowOutcomes, imports.RowOutcome(o)) {
			return badOption("outcome", "expected added, updated, unchanged, skipped or refused")
		}
	}
	reply := &fileReply{w: w, options: &h.options, name: fmt.Sprintf("import-%d.ndjson", id), kind: "application/x-ndjson"}
	switch query.Get("format") {
	case "", "ndjson":
	case "csv":
		file.CSV = true
		reply.name, reply.kind = fmt.Sprintf("import-%d.csv", id), "text/csv; charset=utf-8"
	default:
		return badOption("format", "expected ndjson or csv")
	}
	return reply.end(h.service.Imports.WriteResults(r.Context(), c, id, file, reply))
}

// refusedRows sends the refused rows as a file to mend.
func (h *Handler) refusedRows(w http.ResponseWriter, r *http.Request, c *enlist.Caller, id enlist.ImportID) error {
	i, err := h.service.Imports.Import(r.Context(), c, id)
	if err != nil {
		return err
	}
	reply := &fileReply{w: w, options: &h.options, name: i.RefusedName(), kind: "application/octet-stream"}
	return reply.end(h.service.Imports.RefusedRows(r.Context(), c, id, reply))
}

// timedBody is the body of an upload. Each read must end within a time.
type timedBody struct {
	body    io.Reader
	control *http.ResponseController
	wait    time.Duration
	err     error
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (n int, err error) {
	// The connection of a test may have no deadlines.
	err = b.control.SetReadDeadline(time.Now().Add(b.wait))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		b.err = err
		return 0, err
	}
	n, err = b.body.Read(p)
	if err != nil {
		b.err = err
	}
	return n, err
}
