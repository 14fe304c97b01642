package exports

import (
	"compress/gzip"
	"errors"
	"io"
	"slices"

	"enlist/internal/enlist"
	"enlist/internal/privacy"
	"enlist/internal/rpc"
)

// This file encodes the Contacts that a search finds.

// Sizes of the buffer in bytes.
const (
	maxHeld   = 4 << 20  // a search that finds more runs as a stream
	partBytes = 64 << 10 // of a streamed file, sent at once
)

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
