package contacts

import (
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file has one transaction of addContacts. It reads and stores its rows together: on PostgreSQL
// each statement needs a round trip.

// addProgress says which rows of a call are done. It is stored under the Idempotency-Key.
type addProgress struct {
	IDs []enlist.ContactID `json:"ids"` // of the rows that are done; 0 for a row that was left out
	Notifier
}

// addStep is one transaction of an addCall.
type addStep struct {
	*addCall
	tx     *db.Tx
	schema *enlist.Schema
	now    int64 // Unix time
	day    string
	size   StepSize
	events []ContactEvent // for webhooks
}

// runStep adds the next rows in one transaction.
func (a *addCall) runStep(tx *db.Tx, now int64, p *addProgress) (done bool, err error) {
	schema, err := a.allowed(tx)
	if err != nil {
		return false, err
	}
	b := addStep{addCall: a, tx: tx, schema: schema, now: now, day: a.today(time.Unix(now, 0)),
		size: NewStepSize(schema, enlist.EventAPIUpload)}
	// All steps lock the List before the Account, whose lock checkRoom and AccountRoom take. In another
	// order two calls could deadlock.
	if err := tx.LockListForBulk(a.List); err != nil {
		return false, err
	}
	if len(p.IDs) == 0 {
		if err := a.checkRoom(tx, schema, b.day); err != nil {
			return false, err
		}
	}
	end := len(a.Contacts)
	if a.prepared > len(p.IDs) {
		end = a.prepared // to parse further rows would make the transaction longer
	}
	a.existed = 0
	for len(p.IDs) < end && !b.size.full() {
		ids, err := b.next(len(p.IDs), end)
		if err != nil {
			return false, err
		}
		p.IDs = append(p.IDs, ids...)
	}
	return len(p.IDs) == len(a.Contacts), p.Publish(tx, schema, now, b.events)
}

// next stores rows from first to end-1, as many as the transaction may still take. It returns an ID for
// each of them. Rows that are left out do not count, so runStep may call next again.
func (b *addStep) next(first, end int) ([]enlist.ContactID, error) {
	last, taken := first, b.size
	for ; last < end && !taken.full(); last++ {
		if !b.skipped[last] {
			taken.add(len(b.rows.at(last, b.schema, b.day).Initial))
		}
	}
	rows := b.pending(first, last, b.schema, b.day)
	if err := b.leaveOutUnsubscribed(b.tx, rows); err != nil {
		return nil, err
	}
	if err := b.store(rows); err != nil {
		return nil, err
	}
	ids := make([]enlist.ContactID, last-first)
	for _, r := range rows {
		if r.contact != nil {
			ids[r.index-first] = r.contact.ID
			b.size.add(len(r.contact.Values))
		}
	}
	return ids, b.record(rows)
}

// store inserts and overwrites Contacts. On PostgreSQL another transaction can store an address after
// its look-up. Then the address is left out or, with Overwrite, its rows are tried again.
func (b *addStep) store(rows []*addRow) error {
	for len(rows) > 0 {
		fresh, changed, err := b.assign(rows)
		if err != nil {
			return err
		}
		if err := InsertContacts(b.tx, fresh, !b.unique(b.schema)); err != nil {
			return err
		}
		if err := UpdateContacts(b.tx, changed); err != nil {
			return err
		}
		var again []*addRow
		for _, r := range rows {
			if r.contact != nil && r.contact.ID == 0 {
				r.contact = nil
				b.existed++
				again = append(again, r)
			}
		}
		if !b.Overwrite {
			return nil
		}
		rows = again
	}
	return nil
}

// assign sets the Contact and the event of each row. It returns the Contacts to insert and the stored
// Contacts to update. Rows over the Contact limit are left out.
func (b *addStep) assign(rows []*addRow) (fresh, changed []*enlist.Contact, err error) {
	room, err := AccountRoom(b.tx, b.caller.Account)
	if err != nil {
		return nil, nil, err
	}
	unique := b.unique(b.schema)
	known := make(map[string]*enlist.Contact) // by Key; empty if the call may add an address twice
	if b.Overwrite || unique && b.caller.Account.ContactLimit != enlist.NoContactLimit {
		known, err = FirstContacts(b.tx, b.List, keysOf(rows))
		if err != nil {
			return nil, nil, err
		}
	}
	isChanged := make(map[*enlist.Contact]bool)
	for _, r := range rows {
		c := known[r.parsed.Key]
		switch {
		case c != nil && !b.Overwrite:
			b.existed++
		case r.leftOut || c == nil && room == 0:
		case c == nil:
			added := r.parsed.NewContact("bulk_upload", b.now)
			r.contact, r.event = &added, enlist.WebhookCreated
			fresh = append(fresh, r.contact)
			room--
			if unique {
				known[r.parsed.Key] = r.contact
			}
		default:
			r.contact, r.event = c, b.overwrite(c, r.parsed)
			if r.event != "" && c.ID != 0 && !isChanged[c] {
				isChanged[c] = true
				changed = append(changed, c)
			}
		}
	}
	return fresh, changed, nil
}

// overwrite sets the sent values in a Contact. It does not change the flags of the Contact. It returns
// the event, or "" if no value has changed.
func (b *addStep) overwrite(c *enlist.Contact, parsed *ParsedContact) enlist.WebhookEventType {
	if !parsed.Apply(c) {
		return ""
	}
	c.Modified = b.now
	return enlist.WebhookUpdated
}

// record writes the ledger rows and emits the events. The consent type is not_recorded, because an
// upload says nothing about consent. decisions.md: 27
func (b *addStep) record(rows []*addRow) error {
	ids := make([]enlist.ContactID, 0, len(rows))
	for _, r := range rows {
		if r.contact == nil {
			continue
		}
		ids = append(ids, r.contact.ID)
		if r.event != "" {
			b.events = append(b.events, ContactEvent{r.contact.ID, r.event})
		}
		if r.event == enlist.WebhookCreated {
			if err := events.Emit(b.tx, b.schema, r.contact.ID, enlist.EventAPIUpload, b.now); err != nil {
				return err
			}
		}
	}
	ip, err := storedIP(b.IP)
	if err != nil {
		return err
	}
	by := Origin{Method: "addContacts", Key: b.caller.Key.ID, IP: ip}
	err = addLedgerRows(b.tx, &enlist.LedgerRow{ListID: b.List, Time: b.now, Method: by.Method,
		Type: ConsentNotRecorded, IP: by.IP, KeyID: by.Key}, ids)
	if err != nil {
		return err
	}
	return b.decideTracking(rows, by)
}
