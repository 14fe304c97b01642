package audience

import "strings"

// This file has the parts that AddContacts, EditContacts and DeleteContacts share. These
// calls run in several transactions (transaction_steps.go).

// MaxRows is the largest number of Contacts in one call of addContacts or editContacts.
// decisions.md: 53
const MaxRows = 5000

// Outcome says whether a call changed or deleted a Contact as requested.
type Outcome struct {
	Contact ContactID
	Done    bool
}

// parsedRows are the Contacts in a request. Each row is parsed when it is first needed.
type parsedRows struct {
	sent    [][]Detail
	parsed  []*parsedContact // nil: not parsed yet
	partial bool             // true: a row does not need an address
}

// parseEarly parses all rows against the cached Schema, before the transaction. This keeps the
// transaction short: on SQLite other callers that write must wait until it ends.
func (r *parsedRows) parseEarly(s *Service, c *Caller, list ListID) {
	r.parsed = make([]*parsedContact, len(r.sent))
	schema, cached := s.store.CachedSchema(list)
	if !cached {
		return
	}
	today := Today(s.now(), c.Account.TimeZone)
	for i := range r.sent {
		r.at(i, schema, today)
	}
}

// at returns a parsed row. If the Schema or the day has changed since the row was parsed, at
// parses it again.
func (r *parsedRows) at(i int, schema *Schema, today string) *parsedContact {
	if p := r.parsed[i]; p != nil && p.isCurrent(schema, today) {
		return p
	}
	p := &parsedContact{schema: schema, today: today, partial: r.partial}
	p.err = p.parse(r.sent[i])
	r.parsed[i] = p
	return p
}

// ignored returns how many keys in all parsed rows match no Field.
func (r *parsedRows) ignored() (n int64) {
	for _, p := range r.parsed {
		if p != nil {
			n += int64(p.ignored)
		}
	}
	return n
}

// bulkStep is the number of Contacts that one transaction adds or changes. With 10 Fields this takes
// about 20 ms. On SQLite no other caller can write during this time.
const bulkStep = 500

// stepSize returns how many Contacts one transaction adds or changes: bulkStep, or fewer if
// the event causes jobs for each Contact. It takes as long to store two jobs as to store one Contact.
func stepSize(schema *Schema, event Event) int {
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

// maxSingleEvents is the largest number of changed Contacts for which a call publishes one
// event for each Contact. For more Contacts it publishes one event of the List.
// decisions.md: 52
const maxSingleEvents = 100

// notifier publishes the changes of a call to webhooks, step by step. It is part
// of the progress that is stored under an Idempotency-Key.
type notifier struct {
	Changed int  `json:"changed"` // sum of the parameter n of publish in all steps so far
	Many    bool `json:"many"`    // the event of the List was published
}

// contactEvent is an event of one Contact for webhooks.
type contactEvent struct {
	contact ContactID
	event   WebhookEventType
}

// publish publishes the changes of a step. n is the number of Contacts that the step added,
// edited or deleted. events contains the events of these Contacts. When the sum of n over all
// steps is larger than maxSingleEvents, publish publishes one event of the List instead.
// Usually the first step has more Contacts than maxSingleEvents, or is the only step. So a
// call seldom publishes both kinds of events.
func (t *notifier) publish(tx Tx, schema *Schema, now int64, n int, events []contactEvent) error {
	t.Changed += n
	if t.Changed > maxSingleEvents {
		if t.Many {
			return nil
		}
		t.Many = true
		return publishWebhook(tx, schema, 0, now, WebhookBulkUpdated)
	}
	for _, e := range events {
		if err := publishWebhook(tx, schema, e.contact, now, e.event); err != nil {
			return err
		}
	}
	return nil
}
