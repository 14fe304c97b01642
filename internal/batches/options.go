package batches

import (
	"fmt"
	"slices"
	"strings"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file has the options of a Batch: its name, the Contacts to leave out, the rate of its
// mails, and what happens to a mail whose outcome is unknown. reference.md: batch.options; decisions.md: 62

// BatchOptions are the options of addBatch, as the caller sent them.
type BatchOptions struct {
	Name      string
	Doubt     string // send or skip; "" means send
	Rate      string // for ParseRates; "" means no limit
	Exclude   Exclusion
	Untracked bool // the mails have no tracking pixel and no tracked links, whatever the Lists say
	Force     bool // add the Batch although CheckBatch finds an error in its content
	// LocalTime is the name of a Field with the time zones of the recipients.
	LocalTime string
	VariantOptions
}

// Exclusion says which Contacts of the populations get no mail: those that match the Criteria, and
// those that one of the Batches was sent to.
type Exclusion struct {
	Batch    enlist.BatchID   // that has this Exclusion
	Criteria *enlist.Criteria // nil: only Batches
	Batches  []enlist.BatchID
	Now      int64 // from which relative dates of the Criteria count
}

// empty reports whether the Exclusion leaves no Contact out.
func (x *Exclusion) empty() bool { return x.Criteria == nil && len(x.Batches) == 0 }

// apply checks the options and stores them in a new Batch of a Message. The populations are already checked.
// Errors: NoMessage, NoBatch, Denied, InvalidParameters, InvalidSearch.
func (o *BatchOptions) apply(tx *db.Tx, c *enlist.Caller, message *messages.Message, populations []Population,
	b *Batch) error {
	name, err := enlist.ReadLine(o.Name)
	if err != nil {
		return enlist.Invalid("options", "name: "+err.Error())
	}
	if _, err := enlist.ParseRates(o.Rate); err != nil {
		return enlist.Invalid("options", "rate: "+err.Error())
	}
	b.Name, b.Rate, b.LocalTime, b.Untracked = name, o.Rate, o.LocalTime, o.Untracked
	if err := checkLocalTime(tx, o.LocalTime, populations); err != nil {
		return err
	}
	b.Variants, err = o.VariantOptions.check(tx, c, message)
	if err != nil {
		return err
	}
	if b.Variants != nil && b.LocalTime != "" {
		return enlist.Invalid("options", "variants and local_time cannot be combined: the winner would be chosen while the test is sent")
	}
	switch strings.ToLower(o.Doubt) {
	case "", "send":
	case "skip":
		b.SkipsDoubtful = true
	default:
		return enlist.Invalid("options", "doubt: expected send or skip, not "+enlist.Quoted(o.Doubt))
	}
	o.Exclude.Now = b.CreationTime
	return o.Exclude.check(tx, c, populations)
}

// maxExcluded is the largest number of Batches of an Exclusion.
const maxExcluded = 100

// check checks that the caller may access the Batches, and that the criteria fit each List.
func (x *Exclusion) check(tx *db.Tx, c *enlist.Caller, populations []Population) error {
	x.Batches = slices.Compact(slices.Sorted(slices.Values(x.Batches)))
	if len(x.Batches) > maxExcluded {
		return enlist.Invalid("options", "exclude: expected at most 100 Batches")
	}
	for _, id := range x.Batches {
		if _, err := Load(tx, c, id, false); err != nil {
			return err
		}
		b, err := LockBatch(tx, id) // so that DeleteBatch waits, and then finds this Exclusion
		if err != nil {
			return err
		}
		if b.Status == BatchDeleted {
			return errNoBatch
		}
	}
	for i := range populations {
		schema, err := lists.Schema(tx, populations[i].List)
		if err != nil {
			return err
		}
		search, err := contacts.TypeSearch(tx, schema, x.Now, enlist.Query{Criteria: x.Criteria})
		if err != nil {
			return err
		}
		if search.Where == nil {
			x.Criteria = nil // criteria without a test leave no Contact out
			return nil
		}
		if err := contacts.CheckTestsSomething(search.Where); err != nil {
			return err
		}
	}
	return nil
}

// store stores the Exclusion of a new Batch, unless it is empty.
func (x *Exclusion) store(tx *db.Tx, id enlist.BatchID) error {
	if x.empty() {
		return nil
	}
	x.Batch = id
	return exclusionTable.Queue(tx, x)
}

// checkNotAwaited refuses to delete a Batch while another one must still leave out the Contacts that it was sent to: it
// excludes the Batch, or it has a population of type unsent, and has not read all its recipients. Otherwise these
// Contacts would get a mail that they must not get. field is the parameter that the error names. decisions.md: 102
func (b *Batch) checkNotAwaited(tx *db.Tx, field string) error {
	isOfEvents := b.Status == BatchRunning // sentBefore finds its mails without its recipients
	if b.Begun == 0 && !isOfEvents {
		return nil
	}
	open, err := Batches(tx, b.AccountID, BatchFilter{Open: true})
	if err != nil {
		return err
	}
	for i := range open {
		other := &open[i]
		if other.IsPopulated || other.ID == b.ID {
			continue
		}
		exclude, err := LoadExclusion(tx, other.ID)
		if err != nil {
			return err
		}
		awaits := slices.Contains(exclude.Batches, b.ID)
		if !awaits && !isOfEvents && b.sends(other.MessageID) {
			populations, err := Populations(tx, other.ID)
			if err != nil {
				return err
			}
			awaits = slices.ContainsFunc(populations, func(p Population) bool {
				return p.Type == PopulationUnsent && !p.Done
			})
		}
		if awaits {
			return enlist.Invalid(field, fmt.Sprintf("Batch %d leaves out the Contacts that Batch %d was sent to, and has not read all "+
				"its recipients: cancel Batch %[1]d, or delete this one later", other.ID, b.ID))
		}
	}
	return nil
}

// keep returns the candidates that the Exclusion does not leave out. The error is of kind
// InvalidSearch if the Fields of the List no longer fit the criteria.
func (x *Exclusion) keep(tx *db.Tx, schema *enlist.Schema,
	candidates []contacts.Candidate) ([]contacts.Candidate, error) {
	if x.empty() || len(candidates) == 0 {
		return candidates, nil
	}
	ids := IDsOfCandidates(candidates)
	left, err := x.matching(tx, schema, ids)
	if err != nil {
		return nil, err
	}
	if len(x.Batches) > 0 {
		sent, err := recipients.SentBy(tx, schema.List.ID, x.Batches, ids)
		if err != nil {
			return nil, err
		}
		left = append(left, sent...)
	}
	return without(candidates, left), nil
}

// matching returns those of the Contacts that match the criteria. It locks no Contact.
func (x *Exclusion) matching(tx *db.Tx, schema *enlist.Schema,
	ids []enlist.ContactID) (matching []enlist.ContactID, err error) {
	search, err := contacts.TypeSearch(tx, schema, x.Now, enlist.Query{Criteria: x.Criteria})
	if err != nil || search.Where == nil {
		return nil, err
	}
	return contacts.OnlyAmong(tx, search, ids)
}
