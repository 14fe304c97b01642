package batches

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file has addBatch and addBatchByContactSearch. Both store the Batch and enqueue the job that
// populates it.

// Limits of a Batch.
const (
	// maxPopulations is the largest number of populations of a Batch.
	maxPopulations = 100
	// maxOpenBatches is the largest number of an Account's Batches that have not ended.
	maxOpenBatches = 1000
)

// BatchRequest is a call of addBatch or addBatchByContactSearch.
type BatchRequest struct {
	Message     enlist.MessageID
	Populations []PopulationRequest
	SendTime    int64 // 0, or a time in the past: now
	IsTest      bool
	Options     BatchOptions
	Shown       *Shown // nil: a program adds the Batch
}

// PopulationRequest is one population as the caller sent it.
type PopulationRequest struct {
	List     enlist.ListID
	Type     string // "" means list
	Contacts []enlist.ContactID
	Time     string           // now or send; "" means now
	Segment  enlist.SegmentID // not 0: the Contacts of this Segment, without Type and Contacts
	Criteria *enlist.Criteria // not nil: Type and Contacts are ignored
}

// AddBatch stores a Batch and returns its ID, which is also its queue ID. Errors: NoMessage, NoListForBatch, NoList,
// NoBatch, Denied, InvalidParameters, InvalidSearch, and ErrNotAsShown with a Shown. reference.md: batch.populations, batch.force; decisions.md: 62
func (s *Service) AddBatch(ctx context.Context, c *enlist.Caller, r BatchRequest) (enlist.BatchID, error) {
	findings, unchecked := s.contentErrors(ctx, c, &r)
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.BatchID, error) {
		if err := enlist.RequireSending(c); err != nil {
			return 0, err
		}
		if err := requireRoomForBatch(tx, c.Account.ID); err != nil {
			return 0, err
		}
		sent := []enlist.MessageID{r.Message}
		for _, v := range r.Options.Variants {
			if v.Message != 0 {
				sent = append(sent, v.Message)
			}
		}
		if err := messages.LockMessages(tx, db.Shared, sent...); err != nil { // an Autosave changes none that is sent
			return 0, err
		}
		b, err := s.newBatch(tx, c, &r, now)
		if err != nil {
			return 0, err
		}
		if b.refusedSender != "" {
			return 0, enlist.Invalid("message_id", b.refusedSender)
		}
		if unchecked != nil {
			return 0, unchecked
		}
		if err := refuseErrors(findings); err != nil {
			return 0, err
		}
		if err := b.lockEvents(tx); err != nil {
			return 0, err
		}
		if r.Shown != nil {
			if err := b.requireAsShown(tx, r.Shown, now); err != nil {
				return 0, err
			}
		}
		if err := b.Batch.Insert(tx, b.populations); err != nil {
			return 0, err
		}
		if err := errors.Join(b.exclude.store(tx, b.ID), b.addApproval(tx, c)); err != nil {
			return 0, err
		}
		if err := accounts.Audit(tx, c, now, b.Audited(), nil, b.auditValues()); err != nil {
			return 0, err
		}
		return b.ID, tx.Enqueue(PrepareBatch{Batch: b.ID, Account: b.AccountID})
	})
}

// newBatch is a Batch that is checked and not stored.
type newBatch struct {
	Batch
	populations []Population
	exclude     Exclusion

	refusedSender string // why AddBatch refuses the sender; "" if it does not
}

// auditValues returns the values of a new Batch for the audit log, with its populations.
func (b *newBatch) auditValues() accounts.AuditValues {
	values := b.Batch.AuditValues()
	lists := make([]enlist.ListID, len(b.populations))
	var criteria []string
	for i := range b.populations {
		lists[i] = b.populations[i].List
		if c := b.populations[i].Criteria; c != nil {
			criteria = append(criteria, c.Text())
		}
	}
	slices.Sort(lists)
	accounts.AuditIDs(values, "lists", slices.Compact(lists))
	values["search_criteria"] = strings.Join(criteria, "; ")
	if b.exclude.Criteria != nil {
		values["exclude"] = b.exclude.Criteria.Text()
	}
	return values
}

// newBatch checks a request. It may run twice for the same request.
func (s *Service) newBatch(tx *db.Tx, c *enlist.Caller, r *BatchRequest, now int64) (*newBatch, error) {
	message, err := messages.LoadSeen(tx, c, r.Message, SentTo)
	if err != nil {
		return nil, err
	}
	if message.Type != messages.MessageEmail {
		return nil, enlist.Invalid("message_id", "expected a Message of type email: enlist cannot send SMS yet")
	}
	populations, err := r.populations(tx, c, now)
	if err != nil {
		return nil, err
	}
	refused, err := s.refusedSender(tx, c.Account, message, populations)
	if err != nil {
		return nil, err
	}
	b := &newBatch{populations: populations, refusedSender: refused,
		Batch: Batch{AccountID: c.Account.ID, CreatorKeyID: c.Key.ID,
			CreatorName: c.Key.Name, CreationTime: now, ListID: populations[0].List, MessageID: r.Message,
			MessageType: message.Type, IsScheduled: r.SendTime > now, IsTest: r.IsTest, Status: BatchInitialising,
			SendTime: max(r.SendTime, now), ActiveTime: now, IsForced: r.Options.Force, ApproveAbove: s.approveAbove(c)}}
	options := r.Options // apply changes it
	if err := options.apply(tx, c, message, populations, &b.Batch); err != nil {
		return nil, err
	}
	b.exclude = options.Exclude
	return b, nil
}

// requireRoomForBatch refuses a Batch if the Account has maxOpenBatches that have not ended.
func requireRoomForBatch(tx *db.Tx, account enlist.AccountID) error {
	open, err := batchCount(tx, account, BatchFilter{Open: true})
	if err != nil {
		return err
	}
	if open >= maxOpenBatches {
		return enlist.Invalid("", fmt.Sprintf("%d Batches of the Account have not ended, which is the limit",
			maxOpenBatches))
	}
	return nil
}

func (r *BatchRequest) populations(tx *db.Tx, c *enlist.Caller, now int64) ([]Population, error) {
	switch {
	case len(r.Populations) == 0:
		return nil, enlist.Refuse(enlist.NoListForBatch, "")
	case len(r.Populations) > maxPopulations:
		return nil, enlist.Invalid("populations", fmt.Sprintf("expected at most %d populations", maxPopulations))
	case r.SendTime < 0 || r.SendTime > MaxTimestamp:
		return nil, enlist.Invalid("send_time", "expected a Unix time up to the year 9999")
	}
	checked := make([]Population, len(r.Populations))
	for i := range r.Populations {
		if err := r.Populations[i].check(tx, c, now, &checked[i]); err != nil {
			return nil, err
		}
		checked[i].Number = int64(i + 1)
	}
	return checked, nil
}

// check checks a population of a request and stores it in p.
func (r *PopulationRequest) check(tx *db.Tx, c *enlist.Caller, now int64, p *Population) error {
	if r.List == 0 {
		return enlist.Refuse(enlist.NoListForBatch, "")
	}
	schema, err := lists.Load(tx, c, r.List)
	if err != nil {
		return err
	}
	p.List = r.List
	switch strings.ToLower(r.Time) {
	case "", "now":
	case "send":
		p.AtSend = true
	default:
		return enlist.Invalid("populations", "expected the time now or send, not "+enlist.Quoted(r.Time))
	}
	criteria := r.Criteria
	if r.Segment != 0 {
		if r.Type != "" || len(r.Contacts) > 0 {
			return enlist.Invalid("populations", "a population with a segment_id has no type and no contact_list")
		}
		criteria = enlist.InSegment(r.Segment)
	}
	if criteria != nil {
		p.Type, p.Criteria = PopulationSearch, criteria
		search, err := contacts.TypeSearch(tx, schema, now, enlist.Query{Criteria: criteria})
		if err != nil || search.Where == nil {
			return err
		}
		return contacts.CheckTestsSomething(search.Where)
	}
	switch p.Type = PopulationType(strings.ToLower(r.Type)); p.Type {
	case "":
		p.Type = PopulationList
	case PopulationList, PopulationUnsent:
	case PopulationContacts:
		if len(r.Contacts) == 0 {
			return enlist.Invalid("populations", "a population of type contacts needs a contact_list")
		}
		p.Contacts = slices.Compact(slices.Sorted(slices.Values(r.Contacts)))
	default:
		return enlist.Invalid("populations", "expected one of the types list, unsent, contacts, not "+
			enlist.Quoted(r.Type))
	}
	return nil
}

// lockEvents locks the Batches whose opens or clicks decide about the recipients of a new Batch. Otherwise a Retention
// that begins now would not find the new Batch, and would remove them. Errors: InvalidSearch if they were removed.
func (b *newBatch) lockEvents(tx *db.Tx) error {
	ids, err := EventBatchesOf(tx, b.populations, b.exclude.Criteria)
	if err != nil {
		return err
	}
	for _, id := range ids {
		locked, err := LockBatch(tx, id)
		if enlist.KindOf(err) == enlist.NoBatch {
			continue
		}
		if err != nil {
			return err
		}
		if locked.EventsRemoved != 0 {
			return contacts.ErrEventsRemoved(id)
		}
	}
	return nil
}

// refusedSender returns why one of the senders of a Batch may not be used, or "" if all may.
func (s *Service) refusedSender(tx *db.Tx, a *enlist.Account, m *messages.Message,
	populations []Population) (string, error) {
	for i := range populations {
		schema, err := lists.Schema(tx, populations[i].List)
		if err != nil {
			return "", err
		}
		if _, why, err := s.messages.SenderRefusal(tx, a, m, &schema.List); err != nil || why != "" {
			return why, err
		}
	}
	return "", nil
}
