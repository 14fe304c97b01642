package sending_test

import (
	"maps"
	"slices"
	"testing"

	"enlist/internal/app"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file compares a Batch that was sent under bad conditions with what the mail server knows.

// doubtCheck is a completed Batch, and the mail server.
type doubtCheck struct {
	*testing.T
	app     *app.App
	store   db.Engine
	caller  *enlist.Caller
	list    enlist.ListID
	batch   enlist.BatchID
	skips   bool // doubt skip
	mail    func(enlist.ContactID) *relayedMail
	isKnown func(*relayedMail) bool // a process got the answer that the mail is accepted, and was not killed before it stored it
}

// compare checks that each recipient has one outcome, that the mail server has accepted a mail more than once only as
// often as the report names its recipient, and that the counts of the report are those of the recipients.
func (c *doubtCheck) compare(want int) {
	c.Helper()
	report, err := c.app.Reports.BatchReport(c.Context(), c.caller, c.batch)
	if err != nil {
		c.Fatal(err)
	}
	rows, named := c.recipients()
	if len(rows) != want {
		c.Errorf("Batch %d has %d recipients, want %d", c.batch, len(rows), want)
	}
	var got recipients.Counts
	for _, r := range rows {
		m := c.mail(r.Contact)
		got.Recipients++
		got.Repeated += named[r.Contact]
		r.CountIn(&got, 1)
		switch {
		case r.Status == recipients.StatusDoubtful:
			got.Doubtful++
		case r.Status == recipients.StatusSkipped:
			got.Skipped++
		}
		if why := c.wrong(r, m, int(named[r.Contact])); why != "" {
			c.Errorf("Batch %d, Contact %d: %s: %+v, %+v, named %d times", c.batch, r.Contact, why, *r, *m, named[r.Contact])
		}
	}
	n := report.Counts
	stored := recipients.Counts{Recipients: n.Recipients, Sent: n.Sent, Refused: n.Refused, Failed: n.Failed, Skipped: n.Skipped,
		Repeated: n.Repeated, Doubtful: n.Doubtful, Unmeasured: n.Unmeasured}
	if stored != got {
		c.Errorf("Batch %d: the report has %+v, and the recipients are %+v", c.batch, stored, got)
	}
	var byDomain, byEdition int64
	for i := range report.Domains {
		byDomain += report.Domains[i].Sent
	}
	for i := range report.Editions {
		byEdition += report.Editions[i].Sent
	}
	if byDomain != n.Sent || byEdition > n.Sent { // a mail that was reported before its answer has no edition
		c.Errorf("Batch %d: %d mails are sent, by domain %d, by edition %d", c.batch, n.Sent, byDomain, byEdition)
	}
}

// wrong says which rule a recipient breaks, or "".
func (c *doubtCheck) wrong(r *recipients.Recipient, m *relayedMail, named int) string {
	switch r.Status {
	case recipients.StatusWaiting, recipients.StatusSending, recipients.StatusDeferred:
		return "there is no outcome"
	case recipients.StatusSkipped, recipients.StatusFailed:
		if m.accepted > 0 {
			return "the mail may have arrived, and counts as not sent"
		}
	}
	switch {
	case c.skips && (m.accepted > 1 || named > 0):
		return "a mail in doubt was sent again"
	case m.accepted > 1+named:
		return "the mail was accepted more often than the report says"
	case r.Sent != 0 && m.accepted == 0:
		return "the mail was not accepted, and counts as sent"
	case r.Sent == 0 && c.isKnown(m) && !m.refused:
		return "the answer of the mail server is lost"
	}
	return ""
}

// recipients returns the recipients in order of Contact, and how often the report names each as repeated.
func (c *doubtCheck) recipients() (rows []*recipients.Recipient, named map[enlist.ContactID]int64) {
	c.Helper()
	var byID map[enlist.ContactID]*recipients.Recipient
	err := c.store.View(c.Context(), func(tx *db.Tx) (err error) {
		named = make(map[enlist.ContactID]int64)
		q := recipients.RowsQuery{List: c.list, Batch: c.batch, Kind: recipients.EventRepeated}
		err = recipients.Rows(tx, &q, func(row *recipients.Row) error {
			named[row.Contact] = row.Event.Count
			return nil
		})
		if err != nil {
			return err
		}
		ids, err := db.IDsOf[enlist.ContactID](tx, "SELECT id FROM contact WHERE list_id = ?", int64(c.list))
		if err != nil {
			return err
		}
		byID, err = recipients.ByID(tx, c.list, c.batch, ids)
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	for _, contact := range slices.Sorted(maps.Keys(byID)) {
		rows = append(rows, byID[contact])
	}
	return rows, named
}
