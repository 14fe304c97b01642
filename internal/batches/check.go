package batches

import (
	"fmt"
	"maps"
	"slices"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file has the result of checkBatch: what is probably wrong with a Batch that is not added yet, and who would get
// it. check_read.go reads the Contacts. Package mail looks for mistakes in the Message (mail/compose_check.go).
// reference.md: batch.check; decisions.md: 91

// maxMerged is the largest number of merge fields whose values a check looks for.
const maxMerged = 50

// BatchCheck is the result of a check.
type BatchCheck struct {
	recipients.Counts       // only Recipients and the numbers of Contacts that are left out
	Checked           int64 // Contacts that were read
	Total             int64 // Contacts of the populations
	Complete          bool  // all Contacts of the populations were read; otherwise the numbers are about the first ones
	Findings          []messages.Finding

	Populations []PopulationCheck // in the order of the request

	Version string             // of the mails and the Segments
	Upto    []enlist.ContactID // by population: its Contacts have no higher ID; nil if the check is not complete
	Recent  []Batch            // of the last day, that send the same Message to one of the Lists, the last one first

	Asking []enlist.BatchID // of the last six months that have asked for the consent to being recorded, if this one does

	Groups map[string]int64 // Recipients by pace.DomainGroup, at most maxGroups of them
	From   string           // sender of the mails to the first List; "": none is set
}

// PopulationCheck is the Contacts of a population.
type PopulationCheck struct {
	List       enlist.ListID
	Contacts   int64 // all that the population has, whether they get the mail or are in other populations too
	Recipients int64 // of these, get the mail, and not already as Contacts of an earlier population
}

// maxGroups is the largest number of domain groups that a check counts. Those of large providers are soon among them.
const maxGroups = 1000

// The levels. With an error, no mail should be sent. A note says what the service does in an ordinary set-up.

// The codes.
const (
	FindingTooLong       messages.FindingCode = "too_long" // an error: the mail is too long, or the Message costs too much to compose
	FindingNoSubject     messages.FindingCode = "no_subject"
	FindingNoText        messages.FindingCode = "no_text"             // the HTML has no text for the text part
	FindingLink          messages.FindingCode = "bad_link"            // no URL that a mail program can follow
	FindingNoUnsubscribe messages.FindingCode = "no_unsubscribe_link" // a note: the service adds a line with the link
	FindingClipped       messages.FindingCode = "clipped"             // the HTML is longer than Gmail shows
	FindingNoImage       messages.FindingCode = "missing_image"       // the mail contains no such inline image
	FindingUnusedImage   messages.FindingCode = "unused_image"        // the HTML does not show an inline image
	FindingNoAlt         messages.FindingCode = "no_alt"              // an image without alternative text
	FindingParameters    messages.FindingCode = "utm"                 // a note: the links get UTM parameters
	FindingExample       messages.FindingCode = "example_text"        // texts of a starting template are left
	FindingNoRecipients  messages.FindingCode = "no_recipients"
)

// CheckAttributes are the keys of a BatchCheck, in their order on the wire. The numbers of Contacts that are left out
// and the findings follow.
var CheckAttributes = []enlist.Attribute[BatchCheck]{
	enlist.ReadOnlyInt("send_contact_count", func(k *BatchCheck) int64 { return k.Recipients }),
	enlist.ReadOnlyInt("checked_count", func(k *BatchCheck) int64 { return k.Checked }),
	enlist.ReadOnlyInt("total_count", func(k *BatchCheck) int64 { return k.Total }),
	enlist.ReadOnlyFlag("is_complete", func(k *BatchCheck) bool { return k.Complete }),
}

// FindingAttributes are the keys of a Finding, in their order on the wire.
var FindingAttributes = []enlist.Attribute[messages.Finding]{
	enlist.ReadOnlyText("level", func(f *messages.Finding) messages.FindingLevel { return f.Level }),
	enlist.ReadOnlyText("code", func(f *messages.Finding) messages.FindingCode { return f.Code }),
	enlist.ReadOnlyText("text", func(f *messages.Finding) string { return f.Text }),
	enlist.ReadOnlyInt("contact_count", func(f *messages.Finding) int64 { return f.Contacts }),
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

// onlyMatching returns the candidates that match the criteria.
func onlyMatching(tx *db.Tx, schema *enlist.Schema, now int64, criteria *enlist.Criteria,
	candidates []contacts.Candidate) ([]contacts.Candidate, error) {
	search, err := contacts.TypeSearch(tx, schema, now, enlist.Query{Criteria: criteria})
	if err != nil || search.Where == nil || len(candidates) == 0 {
		return candidates, err
	}
	ids, err := contacts.OnlyAmong(tx, search, IDsOfCandidates(candidates))
	return only(candidates, ids), err
}

// sample returns the mail of the first recipient with one of the contents.
func (k *batchCheck) sample(i int) *messages.OutgoingMail {
	m := &messages.OutgoingMail{Schema: k.schema, Contact: k.contact, Message: k.contents[i].Message.AllShown(),
		Files: k.contents[i].Files, Campaign: k.Batch.Name, Untracked: k.Untracked,
		Delivery: enlist.DeliveryKey{List: k.schema.List.ID, Time: k.CreationTime, Cause: CauseBatch(k.ID)}}
	if m.Contact == nil {
		m.Contact = new(enlist.Contact)
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
	k.concludeMeasured()
	k.concludeAsked()
	k.concludeShown()
	if k.result.Recipients == 0 {
		k.add(messages.Finding{Level: messages.FindingWarning, Code: FindingNoRecipients,
			Text: "no Contact would get the email now"})
	}
	slices.SortStableFunc(k.result.Findings, func(a, b messages.Finding) int { return a.Rank() - b.Rank() })
}

// add adds findings. Variants of a Message often have the same ones.
func (k *batchCheck) add(findings ...messages.Finding) {
	for _, f := range findings {
		if len(k.result.Findings) < messages.MaxFindings && !slices.Contains(k.result.Findings, f) {
			k.result.Findings = append(k.result.Findings, f)
		}
	}
}
