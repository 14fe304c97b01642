package batches

import (
	"cmp"
	"context"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/pace"
	"enlist/internal/recipients"
)

// This file has checkBatch and reads the Contacts of a check, by the code that populates Batches. It reads them in
// steps, each in a transaction of its own, so that a check of millions of Contacts stops nothing. It stores nothing.

// Limits of a check by a caller of the API.
const (
	checkTime = 45 * time.Second // proxies often wait a minute
	maxTaken  = 2_000_000        // addresses in memory, about 40 MB
	maxChecks = 4                // checks of many Contacts at the same time, in this process
	checkWait = 5 * time.Second  // for one of them
)

// CheckLimits limit a check. A check that reaches a limit is not complete. 0 means no limit.
type CheckLimits struct {
	Time      time.Duration
	Addresses int // addresses in memory; a check needs them if an address could get two mails
	// Progress is called after each step; nil: not at all.
	Progress func(*BatchCheck)
}

// CheckBatch returns what is probably wrong with a Batch, and who would get it now. It changes nothing. A Batch that
// AddBatch refuses is refused with the same error, unless only its sender or its content is refused. Other errors:
// Busy. reference.md: checkBatch
func (s *Service) CheckBatch(ctx context.Context, c *enlist.Caller, r BatchRequest) (*BatchCheck, error) {
	return s.CheckBatchWithin(ctx, c, r, CheckLimits{Time: checkTime, Addresses: maxTaken})
}

// CheckBatchWithin is CheckBatch with other limits.
func (s *Service) CheckBatchWithin(ctx context.Context, c *enlist.Caller, r BatchRequest,
	limits CheckLimits) (*BatchCheck, error) {
	check, err := db.View(ctx, s.db, c, func(tx *db.Tx) (*batchCheck, error) {
		b, err := s.newBatch(tx, c, &r, s.db.Now().Unix())
		if err != nil {
			return nil, err
		}
		k := b.check()
		return k, k.begin(s, tx)
	})
	if err != nil {
		return nil, err
	}
	if err := check.readAll(ctx, s, c, limits); err != nil {
		return nil, err
	}
	if !c.May(enlist.SeeContacts) {
		check.shown = nil // a condition and its count would say what Contacts have
	}
	if check.refusedSender != "" {
		check.add(messages.Finding{Level: messages.FindingError, Code: messages.FindingSender,
			Text: check.refusedSender})
	}
	for i := range check.contents {
		inContent, err := s.messages.CheckContent(ctx, check.sample(i))
		if err != nil {
			return nil, err
		}
		check.add(inContent...)
	}
	check.conclude()
	return &check.result, nil
}

// batchCheck is the state of CheckBatch.
type batchCheck struct {
	*newBatch
	result   BatchCheck
	contents []MailContent
	fields   []string         // merge fields without a fallback
	missing  map[string]int64 // recipients without a value, by merge field
	schema   *enlist.Schema   // of the first List with a recipient, or else of the first List
	contact  *enlist.Contact  // the first recipient; nil: there is none
	asks     bool             // a Message asks for the consent to being recorded
	asked    int64            // recipients who were asked not long before, and have not answered
	answered int64            // recipients who have answered
	shown    []shownCount     // of the Messages whose blocks have conditions
	measured int64            // recipients whose opens or clicks can choose the winner

	seed  maphash.Seed
	taken map[uint64]bool // hashes of the addresses of recipients, and of the recipients in Lists that send to duplicates
}

// check returns the check of a Batch, which has not begun.
func (b *newBatch) check() *batchCheck {
	k := &batchCheck{newBatch: b, taken: make(map[uint64]bool), missing: make(map[string]int64),
		seed: maphash.MakeSeed(), result: BatchCheck{Groups: make(map[string]int64)}}
	for i := range b.populations {
		k.result.Populations = append(k.result.Populations, PopulationCheck{List: b.populations[i].List})
	}
	return k
}

// begin reads the Message and the Lists, and counts the Contacts of the populations.
func (k *batchCheck) begin(s *Service, tx *db.Tx) error {
	if err := k.readContents(tx); err != nil {
		return err
	}
	k.readConditions()
	if err := k.readAsking(tx); err != nil {
		return err
	}
	var err error
	if k.result.Version, err = k.version(tx, k.contents); err != nil {
		return err
	}
	if k.result.Recent, err = k.recent(tx, k.CreationTime); err != nil {
		return err
	}
	var checked []enlist.ListID
	for i := range k.populations {
		p := &k.populations[i]
		schema, err := lists.Schema(tx, p.List)
		if err != nil {
			return err
		}
		if k.schema == nil {
			k.schema = schema
			k.result.From = s.messages.Sender(k.contents[0].Message, &schema.List)
		}
		if !slices.Contains(checked, p.List) {
			checked = append(checked, p.List)
			k.checkList(s, schema)
			if err := k.checkConditions(tx, schema); err != nil {
				return err
			}
		}
		n := int64(len(p.Contacts))
		if p.Type != PopulationContacts {
			n, err = tx.ContactCount(p.List)
			if err != nil {
				return err
			}
		}
		k.result.Total += n
	}
	return nil
}

// readAll reads the Contacts of all populations, up to the limits. It reads at least one step.
func (k *batchCheck) readAll(ctx context.Context, s *Service, c *enlist.Caller, limits CheckLimits) error {
	read := s.db.View
	if k.result.Total > contacts.MaxBuffered {
		read = s.db.Search
		leave, err := s.enterCheck(ctx)
		if err != nil {
			return err
		}
		defer leave()
	}
	ctx = c.Context(ctx)
	start := time.Now()
	for i := range k.populations {
		for !k.populations[i].Done {
			if i > 0 || k.result.Checked > 0 {
				if limits.Time > 0 && time.Since(start) > limits.Time ||
					limits.Addresses > 0 && len(k.taken) >= limits.Addresses {
					return nil
				}
			}
			var step *checkStep
			err := read(ctx, s.db.Confirmed(c, func(tx *db.Tx) (err error) {
				step, err = k.step(tx, i)
				return err
			}))
			if err != nil {
				return err
			}
			k.take(i, step)
			if limits.Progress != nil {
				limits.Progress(&k.result)
			}
		}
	}
	k.result.Complete = true
	for i := range k.populations {
		k.result.Upto = append(k.result.Upto, cmp.Or(k.populations[i].Upto, -1)) // no ID of an empty List
	}
	return nil
}

// enterCheck waits until less than maxChecks checks of many Contacts run. The caller must call leave.
func (s *Service) enterCheck(ctx context.Context) (leave func(), err error) {
	timer := time.NewTimer(checkWait)
	defer timer.Stop()
	select {
	case s.checks <- struct{}{}:
		return func() { <-s.checks }, nil
	case <-timer.C:
		return nil, enlist.Refuse(enlist.Busy, "%d checks of large Batches run; send the call again later", maxChecks)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// checkStep is what a step has found. Its transaction may run again, so it changes nothing in the check.
type checkStep struct {
	population Population
	counts     recipients.Counts // of the check, after this step
	checked    int64
	contacts   int64 // of the population, in this step
	recipients int64 // of the step
	measured   int64 // of these
	asked      int64
	answered   int64
	taken      map[uint64]bool
	domains    map[string]int64 // recipients of the step by domain
	missing    map[string]int64 // of the check, after this step
	shown      []shownCount
	schema     *enlist.Schema
	contact    *enlist.Contact // the first recipient of the step
}

// step reads some Contacts of a population, and counts them.
func (k *batchCheck) step(tx *db.Tx, i int) (*checkStep, error) {
	st := &checkStep{population: k.populations[i], counts: k.result.Counts, taken: make(map[uint64]bool),
		domains: make(map[string]int64), missing: maps.Clone(k.missing)}
	p := &st.population
	schema, err := lists.Schema(tx, p.List)
	if err != nil {
		return nil, err
	}
	st.schema = schema
	next, err := p.Next(tx)
	if err != nil {
		return nil, err
	}
	st.counts.LeftGone += next.Gone
	st.checked = int64(len(next.Found)) + next.Gone
	if p.Criteria != nil { // a Batch searches the whole List instead, which can take long
		next.Found, err = onlyMatching(tx, schema, k.CreationTime, p.Criteria, next.Found)
		if err != nil {
			return nil, err
		}
	}
	st.contacts = int64(len(next.Found))
	wanted, err := k.Wanted(tx, schema, p, &k.exclude, next.Found, &st.counts)
	if err != nil {
		return nil, err
	}
	before := len(wanted)
	wanted = k.withoutDuplicates(st, wanted)
	st.counts.LeftDuplicate += int64(before - len(wanted))
	st.recipients = int64(len(wanted))
	st.counts.Recipients += st.recipients
	for i := range wanted {
		key := wanted[i].Key
		st.domains[key[strings.LastIndexByte(key, '@')+1:]]++
	}
	if st.measured, err = k.countMeasured(tx, schema, IDsOfCandidates(wanted)); err != nil {
		return nil, err
	}
	if err := k.countAsked(tx, st, IDsOfCandidates(wanted)); err != nil {
		return nil, err
	}
	if err := k.countShown(tx, st, IDsOfCandidates(wanted)); err != nil {
		return nil, err
	}
	return st, k.countMissing(tx, st, IDsOfCandidates(wanted))
}

// take adds the result of a step to the check.
func (k *batchCheck) take(i int, st *checkStep) {
	k.populations[i], k.result.Counts, k.missing = st.population, st.counts, st.missing
	k.result.Checked += st.checked
	k.measured += st.measured
	k.asked += st.asked
	k.answered += st.answered
	k.takeShown(st)
	k.result.Populations[i].Contacts += st.contacts
	k.result.Populations[i].Recipients += st.recipients
	maps.Copy(k.taken, st.taken)
	for domain, n := range st.domains {
		group := pace.DomainGroup(domain)
		if _, known := k.result.Groups[group]; known || len(k.result.Groups) < maxGroups {
			k.result.Groups[group] += n
		}
	}
	if k.contact == nil && st.contact != nil {
		k.schema, k.contact = st.schema, st.contact
	}
}

// withoutDuplicates returns the candidates that are no recipients yet. It is like withoutDuplicates of package sending,
// which reads the stored recipients.
func (k *batchCheck) withoutDuplicates(st *checkStep, candidates []contacts.Candidate) []contacts.Candidate {
	list := &st.schema.List
	if len(k.populations) == 1 && (st.schema.Unique || list.SendToDuplicates) {
		return candidates
	}
	return slices.DeleteFunc(candidates, func(c contacts.Candidate) bool {
		address := maphash.String(k.seed, c.Key)
		duplicate := k.taken[address] || st.taken[address]
		st.taken[address] = true
		if list.SendToDuplicates { // a Contact gets one mail, although it is in two populations
			contact := maphash.Comparable(k.seed, [2]int64{int64(list.ID), int64(c.ID)})
			duplicate = k.taken[contact] || st.taken[contact]
			st.taken[contact] = true
		}
		return duplicate
	})
}

// countMissing counts the recipients that have no value of a merge field.
func (k *batchCheck) countMissing(tx *db.Tx, st *checkStep, ids []enlist.ContactID) error {
	if len(k.fields) == 0 && len(ids) > 0 && k.contact == nil {
		ids = ids[:1]
	}
	if len(ids) == 0 || len(k.fields) == 0 && k.contact != nil {
		return nil
	}
	contacts, err := contacts.AllByID(tx, st.schema.List.ID, ids)
	if err != nil || len(contacts) == 0 {
		return err
	}
	st.contact = &contacts[0]
	for i := range contacts {
		for _, name := range k.fields {
			if value, known := messages.MergeValue(st.schema, &contacts[i], name); known && value == "" {
				st.missing[name]++
			}
		}
	}
	return nil
}
