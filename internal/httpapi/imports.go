package httpapi

import (
	"context"
	"encoding/json"
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
	"enlist/internal/imports/sheet"
	"enlist/internal/rpc"
)

// This file answers the requests about imports. The options in the query of a URL have the names of doc/reference.md.
// decisions.md: 71

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

// failImport answers with an error of imports that has a status of its own, and returns whether it did.
func (h *Handler) failImport(w http.ResponseWriter, r *http.Request, err error) bool {
	code, _ := api.FailureName("")
	status := http.StatusInsufficientStorage
	large, isLarge := errors.AsType[imports.ImportTooLarge](err)
	full, isFull := errors.AsType[imports.NoRoom](err)
	switch {
	case isLarge:
		w.Header().Set("Connection", "close") // the rest of the body was not read
		status, code, err = http.StatusRequestEntityTooLarge, api.CodeInvalidParameters, large
	case isFull:
		h.options.Log.Error("a file was refused", "path", r.URL.Path, "error", full)
		w.Header().Set("Connection", "close") // the body was not read
		err = full
	case errors.Is(err, imports.ErrNoMemory):
		w.Header().Set("Retry-After", "10")
	case errors.Is(err, imports.ErrNoImport):
		status, code = http.StatusNotFound, api.CodeInvalidParameters
	default:
		return false
	}
	refuse(w, status, code, err.Error())
	return true
}

// importID returns the ID in the path. Errors: ErrNoImport.
func importID(r *http.Request) (enlist.ImportID, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, imports.ErrNoImport
	}
	return enlist.ImportID(id), nil
}

// allImports sends the records of all imports.
func (h *Handler) allImports(w http.ResponseWriter, r *http.Request, c *enlist.Caller) error {
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

// showImport sends the record of an import.
func (h *Handler) showImport(w http.ResponseWriter, r *http.Request, c *enlist.Caller) error {
	i, err := h.load(r, c)
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

// load returns the import in the path.
func (h *Handler) load(r *http.Request, c *enlist.Caller) (*imports.Import, error) {
	id, err := importID(r)
	if err != nil {
		return nil, err
	}
	return h.service.Imports.Import(r.Context(), c, id)
}

// editImport is a method of imports.Service.
type editImport func(s *imports.Service, ctx context.Context, c *enlist.Caller, id enlist.ImportID) error

// editImport changes an import and sends its record.
func (h *Handler) editImport(w http.ResponseWriter, r *http.Request, c *enlist.Caller, change editImport) error {
	id, err := importID(r)
	if err == nil {
		err = change(h.service.Imports, r.Context(), c, id)
	}
	if err != nil {
		return err
	}
	return h.showImport(w, r, c)
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
	body := &watchedBody{Reader: r.Body}
	i, err := h.service.Imports.AddImport(r.Context(), c,
		imports.NewImport{ImportOptions: o, File: body, Size: r.ContentLength, Most: most})
	if body.err != nil {
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
func (h *Handler) importResults(w http.ResponseWriter, r *http.Request, c *enlist.Caller) error {
	i, err := h.load(r, c)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	file := imports.ResultFile{Only: query["outcome"]}
	for _, o := range file.Only {
		if !slices.Contains(imports.RowOutcomes, imports.RowOutcome(o)) {
			return badOption("outcome", "expected added, updated, unchanged, skipped or refused")
		}
	}
	reply := &fileReply{w: w, options: &h.options, name: fmt.Sprintf("import-%d.ndjson", i.ID), kind: "application/x-ndjson"}
	switch query.Get("format") {
	case "", "ndjson":
	case "csv":
		file.CSV = true
		reply.name, reply.kind = fmt.Sprintf("import-%d.csv", i.ID), "text/csv; charset=utf-8"
	default:
		return badOption("format", "expected ndjson or csv")
	}
	return reply.end(h.service.Imports.WriteResults(r.Context(), c, i.ID, file, reply))
}

// refusedRows sends the refused rows as a file to mend.
func (h *Handler) refusedRows(w http.ResponseWriter, r *http.Request, c *enlist.Caller) error {
	i, err := h.load(r, c)
	if err != nil {
		return err
	}
	reply := &fileReply{w: w, options: &h.options, name: i.RefusedName(), kind: "application/octet-stream"}
	return reply.end(h.service.Imports.RefusedRows(r.Context(), c, i.ID, reply))
}

// watchedBody is the body of an upload, which keeps the error that ended it early.
type watchedBody struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (b *watchedBody) Read(p []byte) (n int, err error) {
	n, err = b.Reader.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// badOption is the refusal of an option.
func badOption(name, detail string) error {
	return &enlist.Error{Kind: enlist.InvalidParameters, Field: name, Detail: detail}
}

// readImportOptions returns the options of an import. Unknown options are refused, because a misspelled dry_run would
// store the rows.
func readImportOptions(query url.Values) (o imports.ImportOptions, follow bool, err error) {
	follow = true
	texts := map[string]*string{"file_name": &o.FileName, "format": &o.Format, "encoding": &o.Encoding,
		"delimiter": &o.Delimiter, "as": &o.As, "existing": &o.Existing, "skip": &o.Skip,
		"consent_type": &o.ConsentType, "consent_text": &o.ConsentText, "status": &o.Status,
		"confirm": &o.Confirm, "bad_values": &o.BadValues}
	flags := map[string]*bool{"no_header": &o.NoHeader, "decimal_comma": &o.DecimalComma, "add_fields": &o.AddFields,
		"dry_run": &o.DryRun, "overrule_refusals": &o.OverruleRefusals, "autoresponders": &o.Autoresponders, "notifications": &o.Notifications,
		"webhooks": &o.Webhooks, "follow": &follow}
	pairs := map[string]*[]imports.ImportMapping{"map": &o.Map, "date": &o.Dates, "decimal": &o.Decimals}
	for name, values := range query {
		last := values[len(values)-1]
		switch {
		case name == "list_id":
			id, err := strconv.ParseInt(last, 10, 64)
			if err != nil {
				return o, false, badOption(name, "expected the ID of a List")
			}
			o.List = enlist.ListID(id)
		case texts[name] != nil:
			*texts[name] = last
		case flags[name] != nil:
			if !slices.Contains([]string{"0", "1", "true", "false"}, last) {
				return o, false, badOption(name, "expected 1 or 0")
			}
			*flags[name] = last == "1" || last == "true"
		case pairs[name] != nil:
			for _, pair := range values {
				column, target, ok := strings.Cut(pair, "=")
				if !ok {
					return o, false, badOption(name, "expected COLUMN=VALUE")
				}
				*pairs[name] = append(*pairs[name], imports.ImportMapping{Column: column, Target: target})
			}
		default:
			return o, false, badOption(name, "there is no such option")
		}
	}
	if !query.Has("list_id") {
		return o, false, badOption("list_id", "expected the ID of a List")
	}
	return o, follow, nil
}

// importLines writes JSON objects, one in each line, and sends each line at once. It ignores that the client is gone,
// because the context of the request says it too.
type importLines struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newImportLines(w http.ResponseWriter) *importLines {
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	return &importLines{w, http.NewResponseController(w)}
}

// write sends the record of an import. Its keys are those of imports.ImportAttributes, in this order.
func (l *importLines) write(i *imports.Import) {
	b := rpc.Encoder(imports.ImportAttributes)(nil, i)
	if i.Ended() {
		text, _ := json.Marshal(i.Report) // a struct of texts and numbers is always encoded
		b = append(append(append(b[:len(b)-1], `,"report":`...), text...), '}')
	}
	l.send(b)
}

// columns sends what each column of the file is stored as.
func (l *importLines) columns(i *imports.Import) {
	b, _ := json.Marshal(struct { // a struct of texts and numbers is always encoded
		ID      enlist.ImportID        `json:"id"`
		Columns []imports.ImportColumn `json:"columns"`
		File    *sheet.About           `json:"file,omitempty"`
		Unused  []imports.ColumnReport `json:"unused,omitempty"`
	}{i.ID, i.Columns, i.Report.File, i.Report.Unused})
	l.send(b)
}

func (l *importLines) send(line []byte) {
	l.w.Write(append(line, '\n'))
	l.control.Flush()
}
