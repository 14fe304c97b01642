package audience

import "strings"

// MaxRows is how many Contacts one call of addContacts or editContacts may
// carry. decisions.md: 53
const MaxRows = 5000

// Outcome says whether what was asked for was done with a Contact.
type Outcome struct {
	Contact ContactID
	Done    bool
}

// rows are the Contacts that a call carries, read against their List.
type rows struct {
	sent  [][]Detail
	read  []*reading // those that have been
	edits bool
}

// readEarly reads all of them before the writer is asked, for which others
// wait, against the List as it was last seen.
func (r *rows) readEarly(s *Service, c *Caller, list ListID) {
	r.read = make([]*reading, len(r.sent))
	schema, known := s.store.CachedSchema(list)
	if !known {
		return
	}
	today := Today(s.now(), c.Account.TimeZone)
	for i := range r.sent {
		r.at(i, schema, today)
	}
}

// at returns a row, read again if the List or the day is another by now.
func (r *rows) at(i int, schema *Schema, today string) *reading {
	read := r.read[i]
	if read == nil || read.schema != schema || read.today != today {
		read = &reading{schema: schema, today: today, edits: r.edits}
		read.err = read.details(r.sent[i])
		r.read[i] = read
	}
	return read
}

// ignored counts the keys that named no Field.
func (r *rows) ignored() (n int64) {
	for _, read := range r.read {
		if read != nil {
			n += int64(read.ignored)
		}
	}
	return n
}

// bulkStep is how many Contacts one Update adds or changes: some 20 ms with 10
// Fields, during which nobody else writes.
const bulkStep = 500

// stepFor is that number where each Contact also sets jobs for an event in
// motion, of which two cost as much as a Contact.
func stepFor(schema *Schema, event Event) int {
	jobs := 0
	for i := range schema.Autoresponders {
		if a := &schema.Autoresponders[i]; a.IsActive && a.Event == event {
			jobs++
		}
	}
	if addresses := schema.List.recipients(event); addresses != "" {
		jobs += strings.Count(addresses, ",") + 1
	}
	return max(1, 2*bulkStep/(2+jobs))
}

// manyContacts is up to how many Contacts that a call changes webhooks hear of
// one by one. decisions.md: 52
const manyContacts = 100

// telling tells webhooks what a call has changed, in steps.
type telling struct {
	Changed int  `json:"changed"` // Contacts, so far
	Many    bool `json:"many"`    // webhooks have heard that they are many
}

// happening is an event of one Contact.
type happening struct {
	contact ContactID
	event   WebhookEventType
}

// tell tells what a step has changed, n Contacts: each of them, or of many only
// that the List is another. A step that has not changed that many is the last,
// unless very much mail is set in motion for each.
func (t *telling) tell(tx Tx, schema *Schema, now int64, n int, each []happening) error {
	if t.Changed += n; t.Changed > manyContacts {
		if t.Many {
			return nil
		}
		t.Many = true
		return publishWebhook(tx, schema, 0, now, WebhookBulkUpdated)
	}
	for _, h := range each {
		if err := publishWebhook(tx, schema, h.contact, now, h.event); err != nil {
			return err
		}
	}
	return nil
}
