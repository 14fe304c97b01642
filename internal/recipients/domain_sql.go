package recipients

import (
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the numbers of Batches by group of domains.

// lockedPart is the part of the sums that transactions change which have locked the row of the Batch. So they never
// wait for a transaction that stores an open, and that may wait for the Batch.
const lockedPart = -1

// mapDomainSums describes the columns to which DomainChanges are added.
func mapDomainSums(m *db.Mapper, s *DomainSums) {
	m.Fixed("sent", &s.Sent)
	m.Fixed("refused", &s.Refused)
	m.Fixed("bounced", &s.Bounced)
	m.Fixed("deferred", &s.Deferred)
	m.Fixed("opened", &s.Opened)
	m.Fixed("human_opened", &s.HumanOpened)
	m.Fixed("clicked", &s.Clicked)
	m.Fixed("human_clicked", &s.HumanClicked)
	m.Fixed("failed", &s.Failed)
	MapUnmeasured(m, &s.Unmeasured)
}

// addDomainSums is the statement for one row: what comes before its arguments, these, and the rest.
var addDomainSums = func() (parts [3]string) {
	text := addTo("batch_domain", []string{"batch_id", "domain", "reason", "part"}, nil, mapDomainSums)
	before, after, _ := strings.Cut(text, "(?")
	row, rest, _ := strings.Cut(after, ")")
	return [3]string{before, "(?" + row + ")", rest}
}()

// AddDomainEvents adds opens and clicks of a recipient's mail. The transaction has not locked the row of the Batch.
func (r *Recipient) AddDomainEvents(tx *db.Tx, s *Sums) error {
	if s.Opened() == 0 && s.HumanOpened == 0 && s.Clicked == 0 && s.HumanClicked == 0 {
		return nil
	}
	var change DomainChanges
	n := change.To(r.Address)
	n.Opened, n.HumanOpened, n.Clicked, n.HumanClicked = s.Opened(), s.HumanOpened, s.Clicked, s.HumanClicked
	return change.add(tx, r.Batch, int64(r.Contact)%SumParts)
}

// add adds to the numbers of a Batch. The row of the Batch is locked, or part is that of a Contact and the
// caller locks the row of the Batch afterwards, if at all.
func (d DomainChanges) add(tx *db.Tx, batch enlist.BatchID, part int64) error {
	if len(d) == 0 {
		return nil
	}
	d.sort()
	m := db.Mapper{Job: db.Inserted}
	for i := range d {
		m.Args = append(m.Args, int64(batch), d[i].Group, string(d[i].Reason), part)
		mapDomainSums(&m, &d[i])
	}
	rows := addDomainSums[1] + strings.Repeat(", "+addDomainSums[1], len(d)-1)
	return tx.Do(addDomainSums[0]+rows+addDomainSums[2], m.Args...)
}

// Store adds to the numbers of a Batch whose row the transaction has locked.
func (d DomainChanges) Store(tx *db.Tx, batch enlist.BatchID) error {
	return d.add(tx, batch, lockedPart)
}

// CountComplained counts the complaint of a recipient in a period. counts are what it changes in the counts of the
// Batch, whose row the transaction has locked.
func (r *Recipient) CountComplained(tx *db.Tx, period int64, counts *Counts) error {
	if err := AddDeparture(tx, r.Batch, period, 0, 1); err != nil {
		return err
	}
	var domains DomainChanges
	domains.CountReported(r.Address, r.before, counts)
	return domains.Store(tx, r.Batch)
}
