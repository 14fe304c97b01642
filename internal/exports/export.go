// Package exports writes the Contacts of a List as a file: as CSV or NDJSON, with the proof of what each agreed to. The
// command, the pages and the HTTP endpoint (package httpapi) call it. What an export wrote, package imports reads again.
// decisions.md: 67
package exports

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// Format is the format of an exported file.
type Format string

// The formats.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
)

// Export says which Contacts to write, and how.
type Export struct {
	List    enlist.ListID
	Query   enlist.Query // SortBy, Limit and Offset must be zero with Proof
	Columns []string     // as returned_fields; empty: all Fields and system keys, and the decision about being recorded
	Format  Format       // "" means CSV
	Gzip    bool
	Excel   bool // CSV for people, which cannot be imported again as it is
	Proof   bool // with the key or column proof
}

// Name returns a name for the file.
func (e *Export) Name(list string) string {
	name := list + "." + string(e.Format)
	if e.Gzip {
		name += ".gz"
	}
	return name
}

// ContentType returns the MIME type of the file.
func (e *Export) ContentType() string {
	switch {
	case e.Gzip:
		return "application/gzip"
	case e.Format == NDJSON:
		return "application/x-ndjson"
	}
	return "text/csv; charset=utf-8"
}

// ParseColumns reads names that are separated by commas, or an array of JSON for names that contain commas. Errors:
// InvalidParameters.
func ParseColumns(text string) ([]string, error) {
	var names []string
	if strings.HasPrefix(text, "[") {
		if err := json.Unmarshal([]byte(text), &names); err != nil {
			return nil, enlist.Refuse(enlist.InvalidParameters,
				"returned_fields is neither names nor an array of names")
		}
		return names, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// Check refuses options that exclude each other. It sets the default Format. Errors: InvalidParameters.
func (e *Export) Check() error {
	switch {
	case e.Format == "":
		e.Format = CSV
	case e.Format != CSV && e.Format != NDJSON:
		return enlist.Refuse(enlist.InvalidParameters, "format must be csv or ndjson, not %q", e.Format)
	}
	switch {
	case e.Excel && e.Format != CSV:
		return enlist.Refuse(enlist.InvalidParameters, "excel needs the format csv")
	case e.Proof && e.Excel:
		return enlist.Refuse(enlist.InvalidParameters, "proof excludes excel: its column is JSON for programs")
	case e.Proof && (e.Query.SortBy != "" || e.Query.Limit != 0 || e.Query.Offset != 0):
		return enlist.Refuse(enlist.InvalidParameters, "proof is in the order of the IDs, and has no limit or offset")
	}
	return nil
}

// Write adds a row to the audit log, writes the file to out and returns the number of Contacts. An error after the first
// byte was written leaves the file incomplete. Errors: as of contacts.Service.SearchContacts, InvalidParameters for an
// unknown column or for options that Check refuses, and errors of out.
func (e *Export) Write(ctx context.Context, s *app.App, c *enlist.Caller, out io.Writer) (int64, error) {
	if err := e.Check(); err != nil {
		return 0, err
	}
	if err := e.record(ctx, s.DB, c); err != nil {
		return 0, err
	}
	w := &writer{export: e, out: out}
	if e.Gzip {
		w.gzip, _ = gzip.NewWriterLevel(out, gzip.BestSpeed) // the level is valid
	}
	var err error
	columns := e.Columns
	if len(columns) == 0 {
		columns = append([]string{"all"}, enlist.LaterNames()...)
	}
	if e.Proof {
		err = s.Privacy.SearchContactsWithProof(ctx, c, e.List, e.Query.Criteria, columns, w)
	} else {
		err = s.Contacts.SearchContacts(ctx, c, e.List, e.Query, columns, w)
	}
	if err == nil {
		err = w.finish()
	}
	return w.written, err
}

// record adds a row to the audit log. Errors: NoList, Denied.
func (e *Export) record(ctx context.Context, database *db.DB, c *enlist.Caller) error {
	return db.Change(ctx, database, c, func(tx *db.Tx, now int64) error {
		if _, err := lists.Load(tx, c, e.List); err != nil {
			return err
		}
		values := accounts.AuditValues{"limit": e.Query.Limit, "offset": e.Query.Offset, "proof": e.Proof}
		if e.Query.Criteria != nil {
			values["search_criteria"] = e.Query.Criteria.Text()
		}
		return accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Export", List: e.List}, nil, values)
	})
}
