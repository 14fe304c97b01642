package rpc

import (
	"enlist/internal/enlist"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// This file has the methods that return the numbers and the recipients of a Batch. reply_batch.go encodes them.

// batchReport returns a method that returns numbers of a Batch as an object. published is true for those of the
// published interface. reference.md: getBatchStatistics, getBatchReport
func batchReport(published bool) func(*call) error {
	return func(c *call) error {
		id := enlist.BatchID(c.id(1))
		if c.err != nil {
			return c.err
		}
		r, err := c.service.Reports.BatchReport(c.ctx, c.caller, id)
		appendNumbers := appendBatchReport
		if published {
			appendNumbers = func(b []byte, r *reports.BatchReport) []byte {
				return appendBatchStatistics(b, r, !c.before33())
			}
		}
		return writeObject(c, appendNumbers, r, err)
	}
}

// getBatchLinkStatistics returns an array of the links of a Batch.
func getBatchLinkStatistics(c *call) error {
	id := enlist.BatchID(c.id(1))
	if c.err != nil {
		return c.err
	}
	links, err := c.service.Reports.BatchLinks(c.ctx, c.caller, id)
	return writeRecords(c, encoder(reports.LinkAttributes), links, err)
}

// batchRows returns a method that returns the recipients of a Batch with a kind of event.
func batchRows(kind recipients.EventKind) func(*call) error {
	return func(c *call) error {
		r := reports.RowsRequest{Batch: enlist.BatchID(c.id(1)), Kind: kind}
		q := c.query(2)
		if c.err != nil {
			return c.err
		}
		w := newBatchRowWriter(c.reply, kind)
		return w.end(c.service.Reports.BatchRows(c.ctx, c.caller, r, q, w))
	}
}

// getBatchResponses returns an empty array.
func getBatchResponses(c *call) error {
	id, q := enlist.BatchID(c.id(1)), c.query(2)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.Reports.Responses(c.ctx, c.caller, id, q)
	return writeRecords(c, encoder(reports.ResponseAttributes), rows, err)
}

// getBatchLinkContacts returns the recipients that clicked a link.
func getBatchLinkContacts(c *call) error {
	r := reports.RowsRequest{Batch: enlist.BatchID(c.id(1)), Kind: recipients.EventLink, URL: c.requiredText(2)}
	q := c.query(3)
	if c.err != nil {
		return c.err
	}
	w := newBatchRowWriter(c.reply, r.Kind)
	return w.end(c.service.Reports.BatchRows(c.ctx, c.caller, r, q, w))
}

// getBatchContactLinks returns the links that a recipient clicked.
func getBatchContactLinks(c *call) error {
	id, send, q := enlist.BatchID(c.id(1)), enlist.ContactID(c.id(2)), c.query(3)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.Reports.ContactLinks(c.ctx, c.caller, id, send, q)
	if err != nil {
		return err
	}
	w := newBatchRowWriter(c.reply, recipients.EventLink)
	if err := w.Begin(true); err != nil {
		return err
	}
	for i := range rows {
		if err := w.Row(&rows[i]); err != nil {
			return err
		}
	}
	return w.end(nil)
}
