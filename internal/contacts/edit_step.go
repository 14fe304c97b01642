package contacts

import (
	"slices"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
)

// This file has one transaction of editContacts. It reads and stores its rows in sets: on PostgreSQL each
// statement needs a round trip.

// editStep is one transaction of an editCall.
type editStep struct {
	*editCall
	tx     *db.Tx
	schema *enlist.Schema
	now    int64 // Unix time
	day    string
	size   StepSize
	ahead  int            // largest number of rows of the next set
	first  error          // why the first row was refused
	events []ContactEvent // for webhooks
}

// editRow is a row of the call in a set.
type editRow struct {
	id      enlist.ContactID
	parsed  *ParsedContact
	contact *enlist.Contact // nil: refused
	refused error           // why the row was refused
	changed bool
	key     string // the new Key; "" if the Key stays the same
	old     enlist.Contact
}

// runStep changes the next rows in one transaction.
func (e *editCall) runStep(tx *db.Tx, now int64, p *editProgress) (done bool, err error) {
	schema, err := lists.Load(tx, e.caller, e.List)
	if err != nil {
		return false, err
	}
	if err := tx.LockListForBulk(e.List); err != nil {
		return false, err
	}
	s := editStep{editCall: e, tx: tx, schema: schema, now: now, size: StepSize{Most: bulkStep}, ahead: bulkStep,
		day: enlist.Today(time.Unix(now, 0), e.caller.Account.TimeZone)}
	if e.Trigger {
		s.size = NewStepSize(schema, enlist.EventUpdateProfile)
	}
	if schema.List.DoubleOptIn {
		s.size.Most = max(1, s.size.Most*2/3) // each Contact may need a job that sends the request to confirm
	}
	for p.Next < len(e.Contacts) && !s.size.full() {
		if err := s.next(p); err != nil {
			return false, err
		}
	}
	if len(p.Refused) > 0 && len(p.Refused) == len(e.Contacts) {
		return false, nothingUpdated(s.first)
	}
	return p.Next == len(e.Contacts), p.Publish(tx, schema, now, s.events)
}

// next changes the next set of rows. The result is the same as if it changed one row after the other.
func (s *editStep) next(p *editProgress) error {
	rows, err := s.read(p.Next)
	if err != nil {
		return err
	}
	rows = s.apply(rows)
	s.ahead = 2 * len(rows) // after a short set, reading many rows for the next one could be in vain
	if err := s.store(rows); err != nil {
		return err
	}
	for i := range rows {
		if err := s.record(&rows[i], p); err != nil {
			return err
		}
		p.Next++
	}
	return nil
}

// read returns the rows from first on, with their Contacts: as many as the transaction may still take. No
// Contact is in them twice.
func (s *editStep) read(first int) ([]editRow, error) {
	most := min(len(s.Contacts)-first, s.ahead)
	ids, seen := make([]enlist.ContactID, 0, most), make(map[enlist.ContactID]bool, most)
	for _, c := range s.Contacts[first : first+most] {
		if seen[c.ID] {
			break
		}
		ids, seen[c.ID] = append(ids, c.ID), true
	}
	n, err := s.size.take(s.tx, s.schema, ids)
	if err != nil {
		return nil, err
	}
	byID, err := ContactsToChange(s.tx, s.List, ids[:n])
	rows := make([]editRow, n)
	for i, id := range ids[:n] {
		rows[i] = editRow{id: id, parsed: s.rows.at(first+i, s.schema, s.day), contact: byID[id]}
	}
	return rows, err
}

// apply sets the sent values in the Contacts. It returns the rows up to the first one that depends on an
// earlier row: one of them has the new address of the other, or leaves it.
func (s *editStep) apply(rows []editRow) []editRow {
	moving := make(map[string]bool) // the old and the new Keys of the rows so far
	for i := range rows {
		r := &rows[i]
		switch {
		case r.parsed.err != nil:
			r.refuse(r.parsed.err)
			continue
		case r.contact == nil:
			r.refuse(enlist.ErrNoContact)
			continue
		}
		r.old = *r.contact
		r.changed = r.parsed.Apply(r.contact)
		key := s.schema.AddressKey(r.contact)
		switch {
		case !r.changed || key == r.old.Key:
		case key == "":
			r.refuse(errNoAddress(s.schema))
		case moving[r.old.Key] || moving[key]:
			return rows[:i]
		default:
			r.key, moving[r.old.Key], moving[key] = key, true, true
		}
	}
	return rows
}

// refuse leaves a row out.
func (r *editRow) refuse(why error) { r.refused, r.contact, r.changed = why, nil, false }

// store stores the changed Contacts. decisions.md: 23, 24
func (s *editStep) store(rows []editRow) error {
	left, err := s.move(rows)
	if err != nil {
		return err
	}
	var changed []*enlist.Contact
	for i := range rows {
		if r := &rows[i]; r.changed {
			r.contact.Modified = s.now
			changed = append(changed, r.contact)
		}
	}
	if err := UpdateContacts(s.tx, changed); err != nil || len(left) == 0 {
		return err
	}
	return promoteDuplicates(s.tx, s.List, left)
}

// move sets the new Keys of the Contacts whose addresses change, and refuses a row whose address another
// Contact has if the List disallows duplicates. left are the Keys whose first Contact gets another Key.
func (s *editStep) move(rows []editRow) (left []string, err error) {
	var keys []string
	for i := range rows {
		if rows[i].key != "" {
			keys = append(keys, rows[i].key)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	taken, err := firstKeys(s.tx, s.List, keys)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		r := &rows[i]
		switch {
		case r.key == "":
			continue
		case taken[r.key] && s.schema.List.DisallowDuplicates:
			r.refuse(enlist.Refuse(enlist.InvalidParameters, "another Contact has this address"))
			continue
		case r.old.IsFirst:
			left = append(left, r.old.Key)
		}
		r.contact.Key, r.contact.IsFirst = r.key, !taken[r.key]
		if !IsSameAddress(r.old.Key, r.key) {
			r.contact.DoubleOptIn, r.contact.DoubleOptInTime = false, 0
		}
	}
	return left, nil
}

// record counts a row, and stores the jobs and collects the event that its change causes.
func (s *editStep) record(r *editRow, p *editProgress) error {
	if r.refused != nil {
		p.Refused = append(p.Refused, p.Next)
		if s.first == nil {
			s.first = r.refused
		}
		return nil
	}
	s.size.add(len(r.contact.Values))
	decided, err := s.decideTracking(r)
	if err != nil {
		return err
	}
	if !r.changed {
		if decided {
			s.events = append(s.events, ContactEvent{r.id, enlist.WebhookUpdated})
		}
		return nil
	}
	if r.key != "" && !IsSameAddress(r.old.Key, r.key) {
		if err := confirmNewAddress(s.tx, s.schema, r.contact, r.old.DoubleOptIn, s.now); err != nil {
			return err
		}
	}
	s.events = append(s.events, ContactEvent{r.id, enlist.WebhookUpdated})
	return s.emit(r.id, p)
}

// emit stores the jobs of the event update_profile if the request has Trigger set. It stores
// them once for a Contact, even if several rows change the Contact.
func (s *editStep) emit(id enlist.ContactID, p *editProgress) error {
	if !s.Trigger || slices.Contains(p.Emitted, id) {
		return nil
	}
	p.Emitted = append(p.Emitted, id)
	return events.Emit(s.tx, s.schema, id, enlist.EventUpdateProfile, s.now)
}
