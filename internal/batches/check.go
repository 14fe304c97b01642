package batches

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file has checkBatch: what is probably wrong with a Batch that is not added yet, and who would get it. It reads
// the Contacts by the code that populates Batches, but at most checkLimit of them, and stores nothing. Package mail
// looks for mistakes in the Message (mail/compose_check.go). reference.md: batch.check; decisions.md: 91

// Limits of a check.
const (
	checkLimit = 100_000 // Contacts that it reads
	maxMerged  = 50      // merge fields whose values it looks for
)

// BatchCheck is the result of a check.
type BatchCheck struct {
	BatchCounts       // only Recipients and the numbers of Contacts that are left out
	Checked     int64 // Contacts that were read
	Complete    bool  // all Contacts of the populations were read; otherwise the numbers are about the first ones
	Findings    []messages.Finding
}

// The levels. With an error, no mail should be sent. A note says what the service does in an ordinary set-up.

// The codes.
const (
	FindingTooLong       messages.FindingCode = "too_long" // an error: values make the mail too long to send
	FindingNoSubject     messages.FindingCode = "no_subject"
	FindingNoText        messages.FindingCode = "no_text"             // the HTML has no text for the text part
	FindingLink          messages.FindingCode = "bad_link"            // no URL that a mail program can follow
	FindingNoUnsubscribe messages.FindingCode = "no_unsubscribe_link" // a note: the service adds a line with the link
	FindingClipped       messages.FindingCode = "clipped"             // the HTML is longer than Gmail shows
	FindingNoImage       messages.FindingCode = "missing_image"       // the mail contains no such inline image
	FindingUnusedImage   messages.FindingCode = "unused_image"        // the HTML does not show an inline image
	FindingNoRecipients  messages.FindingCode = "no_recipients"
)

// CheckAttributes are the keys of a BatchCheck, in their order on the wire. The numbers of Contacts that are left out
// and the findings follow.
var CheckAttributes = []enlist.Attribute[BatchCheck]{
	enlist.ReadOnlyInt("send_contact_count", func(k *BatchCheck) int64 { return k.Recipients }),
	enlist.ReadOnlyInt("checked_count", func(k *BatchCheck) int64 { return k.Checked }),
	enlist.ReadOnlyFlag("is_complete", func(k *BatchCheck) bool { return k.Complete }),
}

// FindingAttributes are the keys of a Finding, in their order on the wire.
var FindingAttributes = []enlist.Attribute[messages.Finding]{
	enlist.ReadOnlyText("level", func(f *messages.Finding) messages.FindingLevel { return f.Level }),
	enlist.ReadOnlyText("code", func(f *messages.Finding) messages.FindingCode { return f.Code }),
	enlist.ReadOnlyText("text", func(f *messages.Finding) string { return f.Text }),
	enlist.ReadOnlyInt("contact_count", func(f *messages.Finding) int64 { return f.Contacts }),
}

// CheckBatch returns what is probably wrong with a Batch, and who would get it now. It changes nothing. A Batch that
// AddBatch refuses is refused with the same error, unless only its sender is refused. Other errors: Busy.
// reference.md: checkBatch
func (s *Service) CheckBatch(ctx context.Context, c *enlist.Caller, r BatchRequest) (*BatchCheck, error) {
	var check *batchCheck
	err := s.contacts.InPhases(ctx, c, func(tx *db.Tx, p contacts.Phase) error {
		b, err := s.newBatch(tx, c, &r, s.db.Now().Unix())
		if err != nil {
			return err
		}
		check = b.check()
		if p == contacts.LookingUp {
			quick, err := check.isQuick(tx)
			if err != nil {
				return err
			}
			if !quick {
				return contacts.ErrSlow
			}
		}
		return check.read(s, tx)
	})
	if err != nil {
		return nil, err
	}
	if check.refusedSender != "" {
		check.add(messages.Finding{Level: messages.FindingError, Code: messages.FindingSender,
			Text: check.refusedSender})
	}
	for i := range check.contents {
		check.add(s.messages.CheckContent(check.sample(i))...)
	}
	check.conclude()
	return &check.result, nil
}

// batchCheck is the state of CheckBatch.
type batchCheck struct {
	*newBatch
	result   BatchCheck
	contents []MailContent
	fields   []string                                    // merge fields without a fallback
	taken    map[string]bool                             // addresses of the recipients
	chosen   map[enlist.ListID]map[enlist.ContactID]bool // recipients in Lists that send to duplicates
	missing  map[string]int64                            // recipients without a value, by merge field
	schema   *enlist.Schema                              // of the first List with a recipient, or else of the first List
	contact  *enlist.ByID                                // the first recipient; nil: there is none
}

// check returns the check of a Batch, which has not begun.
func (b *newBatch) check() *batchCheck {
	return &batchCheck{newBatch: b, taken: make(map[string]bool),
		chosen:  make(map[enlist.ListID]map[enlist.ContactID]bool),
		missing: make(map[string]int64)}
}

// isQuick reports whether the check reads few Contacts.
func (k *batchCheck) isQuick(tx *db.Tx) (bool, error) {
	total := int64(0)
	for i := range k.populations {
		p := &k.populations[i]
		n := int64(len(p.Contacts))
		if p.Type != PopulationContacts {
			var err error
			n, err = tx.ContactCount(p.List)
			if err != nil {
				return false, err
			}
		}
		total += n
	}
	return total <= contacts.MaxBuffered, nil
}

// read reads the Message, the Lists and the Contacts.
func (k *batchCheck) read(s *Service, tx *db.Tx) error {
	if err := k.readContents(tx); err != nil {
		return err
	}
	var all []enlist.ListID
	for i := range k.populations {
		p := &k.populations[i]
		schema, err := lists.Schema(tx, p.List)
		if err != nil {
			return err
		}
		if k.schema == nil {
			k.schema = schema
		}
		if !slices.Contains(all, p.List) {
			all = append(all, p.List)
			k.checkList(s, schema)
		}
		for !p.Done && k.result.Checked < checkLimit {
			if err := k.step(tx, schema, p); err != nil {
				return err
			}
		}
	}
	k.result.Complete = !slices.ContainsFunc(k.populations, func(p Population) bool { return !p.Done })
	return nil
}

// readContents reads the Message or the variants, and finds their merge fields.
func (k *batchCheck) readContents(tx *db.Tx) (err error) {
	k.contents, err = k.Batch.Contents(tx)
	if err != nil {
		return err
	}
	for i := range k.contents {
		for _, part := range k.contents[i].Message.MergeFields() {
			if part.Fallback == "" && len(k.fields) < maxMerged && !slices.Contains(k.fields, part.Name) {
				k.fields = append(k.fields, part.Name)
			}
		}
	}
	return nil
}

// checkList looks for merge fields and senders that do not fit a List.
func (k *batchCheck) checkList(s *Service, schema *enlist.Schema) {
	list := &schema.List
	for i := range k.contents {
		for _, name := range k.contents[i].Message.UnknownFields(schema) {
			k.add(messages.UnknownField(schema, name))
		}
	}
	if k.contents[0].Message.FromAddress != "" || list.FromAddress != "" {
		return
	}
	k.add(s.messages.DefaultSender(list))
}

// step reads some Contacts of a population, and counts them.
func (k *batchCheck) step(tx *db.Tx, schema *enlist.Schema, p *Population) error {
	next, err := p.Next(tx)
	if err != nil {
		return err
	}
	counts := &k.result.BatchCounts
	counts.LeftGone += next.Gone
	k.result.Checked += int64(len(next.Found)) + next.Gone
	if p.Criteria != nil { // a Batch searches the whole List instead, which can take long
		next.Found, err = onlyMatching(tx, schema, p.Criteria, next.Found)
		if err != nil {
			return err
		}
	}
	wanted, err := k.Wanted(tx, schema, p, &k.exclude, next.Found, counts)
	if err != nil {
		return err
	}
	before := len(wanted)
	wanted = k.withoutDuplicates(schema, wanted)
	counts.LeftDuplicate += int64(before - len(wanted))
	counts.Recipients += int64(len(wanted))
	return k.countMissing(tx, schema, IDsOfCandidates(wanted))
}

// onlyMatching returns the candidates that match the criteria.
func onlyMatching(tx *db.Tx, schema *enlist.Schema, criteria *enlist.Criteria,
	all []contacts.Candidate) ([]contacts.Candidate, error) {
	search, err := contacts.TypeSearch(tx, schema, enlist.Query{Criteria: criteria})
	if err != nil || search.Where == nil || len(all) == 0 {
		return all, err
	}
	ids, err := onlyAmong(search, tx, IDsOfCandidates(all))
	return only(all, ids), err
}

// withoutDuplicates returns the candidates that are no recipients yet. It is like Batch.withoutDuplicates, which reads
// the stored recipients.
func (k *batchCheck) withoutDuplicates(schema *enlist.Schema, all []contacts.Candidate) []contacts.Candidate {
	list := &schema.List
	if list.SendToDuplicates && k.chosen[list.ID] == nil {
		k.chosen[list.ID] = make(map[enlist.ContactID]bool)
	}
	return slices.DeleteFunc(all, func(c contacts.Candidate) bool {
		duplicate := k.taken[c.Key]
		k.taken[c.Key] = true
		if list.SendToDuplicates { // a Contact gets one mail, although it is in two populations
			duplicate = k.chosen[list.ID][c.ID]
			k.chosen[list.ID][c.ID] = true
		}
		return duplicate
	})
}

// countMissing counts the recipients that have no value of a merge field.
func (k *batchCheck) countMissing(tx *db.Tx, schema *enlist.Schema, ids []enlist.ContactID) error {
	if len(k.fields) == 0 && len(ids) > 0 && k.contact == nil {
		ids = ids[:1]
	}
	if len(ids) == 0 || len(k.fields) == 0 && k.contact != nil {
		return nil
	}
	contacts, err := contacts.AllByID(tx, schema.List.ID, ids)
	if err != nil {
		return err
	}
	for i := range contacts {
		if k.contact == nil {
			k.schema, k.contact = schema, &contacts[i]
		}
		for _, name := range k.fields {
			if value, known := messages.MergeValue(schema, &contacts[i], name); known && value == "" {
				k.missing[name]++
			}
		}
	}
	return nil
}

// sample returns the mail of the first recipient with one of the contents.
func (k *batchCheck) sample(i int) *messages.OutgoingMail {
	m := &messages.OutgoingMail{Schema: k.schema, Contact: k.contact, Message: k.contents[i].Message,
		Files:    k.contents[i].Files,
		Delivery: enlist.DeliveryKey{List: k.schema.List.ID, Time: k.CreationTime, Cause: CauseBatch(k.ID)}}
	if m.Contact == nil {
		m.Contact = new(enlist.ByID)
	}
	m.Delivery.Contact = m.Contact.ID
	return m
}

// conclude adds the findings about the recipients, and sorts all: errors first, notes last.
func (k *batchCheck) conclude() {
	for _, name := range slices.Sorted(maps.Keys(k.missing)) {
		n := k.missing[name]
		k.add(messages.Finding{Level: messages.FindingWarning, Code: messages.FindingMissingValue, Contacts: n,
			Text: fmt.Sprintf("the merge field %s has no fallback, and is empty for %d of %d recipients",
				enlist.Quoted(name), n,
				k.result.Recipients)})
	}
	if k.result.Recipients == 0 {
		k.add(messages.Finding{Level: messages.FindingWarning, Code: FindingNoRecipients,
			Text: "no Contact would get the mail now"})
	}
	slices.SortStableFunc(k.result.Findings, func(a, b messages.Finding) int { return a.Rank() - b.Rank() })
}

// add adds findings. Variants of a Message often have the same ones.
func (k *batchCheck) add(all ...messages.Finding) {
	for _, f := range all {
		if len(k.result.Findings) < messages.MaxFindings && !slices.Contains(k.result.Findings, f) {
			k.result.Findings = append(k.result.Findings, f)
		}
	}
}
