// This file writes the Contacts of a List as a file. The command line and the HTTP endpoint both use it.

package httpapi

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"slices"

	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/privacy"
	"enlist/internal/rpc"
)

// Format is the format of an exported file.
type Format string

// The formats.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
)

// Export says which Contacts to write, and how. decisions.md: 67
type Export struct {
	List    enlist.ListID
	Query   enlist.Query // SortBy, Limit and Offset must be zero with Proof
	Columns []string     // as returned_fields; empty: all Fields and system keys
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

// Sizes of the buffer in bytes.
const (
	maxHeld   = 4 << 20  // a search that finds more runs as a stream
	partBytes = 64 << 10 // of a streamed file, sent at once
)

// Write writes the file to out and returns the number of Contacts. An error after the first byte was written leaves the
// file incomplete. Errors: as of contacts.Service.SearchContacts, InvalidParameters for an unknown column or for
// options that Check refuses, and errors of out.
func (e *Export) Write(ctx context.Context, s *app.App, c *enlist.Caller, out io.Writer) (int64, error) {
	if err := e.Check(); err != nil {
		return 0, err
	}
	if err := s.Contacts.RecordExport(ctx, c, e.List, e.Query, e.Proof); err != nil {
		return 0, err
	}
	w := &writer{export: e, out: out}
	if e.Gzip {
		w.gzip, _ = gzip.NewWriterLevel(out, gzip.BestSpeed) // the level is valid
	}
	var err error
	if e.Proof {
		err = s.Privacy.SearchContactsWithProof(ctx, c, e.List, e.Query.Criteria, e.Columns, w)
	} else {
		err = s.Contacts.SearchContacts(ctx, c, e.List, e.Query, e.Columns, w)
	}
	if err == nil {
		err = w.finish()
	}
	return w.written, err
}

// writer encodes the Contacts that a search finds. It implements contacts.ContactWriter and privacy.ProofWriter.
type writer struct {
	export    *Export
	out       io.Writer
	gzip      *gzip.Writer // nil without Gzip
	buf       []byte
	columns   []enlist.Column
	records   rpc.ContactEncoder
	proofs    rpc.ProofEncoder
	proof     []byte // of one Contact
	streaming bool
	sent      bool // a part of the file was written
	written   int64
}

// errRestarted ends a search that must begin again but cannot, because a part of the file was written.
var errRestarted = errors.New("search started over after a part of its file was written")

// Begin writes the header of the file.
func (w *writer) Begin(columns []enlist.Column, streaming bool) error {
	if w.sent {
		return errRestarted
	}
	for _, name := range w.export.Columns {
		known := func(c enlist.Column) bool { return c.Name == name }
		if name != "all" && !slices.ContainsFunc(columns, known) {
			return &enlist.Error{Kind: enlist.InvalidParameters, Field: "returned_fields",
				Detail: "the List has no Field or system key " + name}
		}
	}
	w.streaming, w.written, w.buf, w.columns = streaming, 0, w.buf[:0], columns
	if w.export.Proof {
		if slices.ContainsFunc(columns, func(c enlist.Column) bool { return c.Name == proofKey }) {
			return errProofKey
		}
		w.proofs = rpc.NewProofEncoder()
	}
	if w.export.Format == CSV {
		w.buf = appendHeader(w.buf, columns, w.export.Excel)
		if w.export.Proof {
			w.buf = appendProof(w.buf, proofKey, len(columns))
		}
		return nil
	}
	w.records = rpc.NewContactEncoder(columns)
	return nil
}

// proofKey is the key or column of a Contact's proof.
const proofKey = "proof"

var errProofKey = enlist.Refuse(enlist.InvalidParameters,
	"the List has a Field with the name proof: name the other columns to leave it out")

// Contact writes one Contact.
func (w *writer) Contact(c *enlist.Contact) error {
	if w.export.Format == CSV {
		w.buf = appendRow(w.buf, w.columns, c, w.export.Excel)
	} else {
		w.buf = append(w.records.Append(w.buf, c), '\n')
	}
	return w.next()
}

// ContactWithProof writes one Contact and its proof.
func (w *writer) ContactWithProof(c *enlist.Contact, p *privacy.Proof) error {
	if w.export.Format == CSV {
		w.proof = w.proofs.Append(w.proof[:0], p)
		w.buf = appendProof(appendRow(w.buf, w.columns, c, false), string(w.proof), len(w.columns))
		return w.next()
	}
	b := w.records.Append(w.buf, c)
	b = append(b[:len(b)-1], `,"`+proofKey+`":`...) // before the closing brace
	w.buf = append(w.proofs.Append(b, p), '}', '\n')
	return w.next()
}

// next sends the buffer when it has the size of a part.
func (w *writer) next() error {
	w.written++
	switch {
	case w.streaming && len(w.buf) >= partBytes:
		return w.send()
	case !w.streaming && len(w.buf) > maxHeld:
		return enlist.ErrReplyTooLong
	}
	return nil
}

// send writes the buffer and empties it.
func (w *writer) send() error {
	w.sent = true
	var err error
	if w.gzip != nil {
		_, err = w.gzip.Write(w.buf)
	} else {
		_, err = w.out.Write(w.buf)
	}
	w.buf = w.buf[:0]
	return err
}

// finish writes the end of the file.
func (w *writer) finish() error {
	if err := w.send(); err != nil || w.gzip == nil {
		return err
	}
	return w.gzip.Close()
}
