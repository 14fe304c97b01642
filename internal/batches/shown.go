package batches

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file lets a page and the command line add a Batch exactly as they have shown it to a person. Calls of the API
// have no Shown. reference.md: batch.shown; decisions.md: 139

// Shown is what a person was shown of a Batch that is not added yet.
type Shown struct {
	Version string             // of the BatchCheck
	Upto    []enlist.ContactID // of the BatchCheck
	Latest  enlist.BatchID     // the last one of the BatchCheck's Recent; 0: none
	Wait    int64              // seconds before the Batch begins, unless it has a later time
}

// Shown returns what a person sees who sees all of the check.
func (k *BatchCheck) Shown() *Shown {
	return &Shown{Version: k.Version, Upto: k.Upto, Latest: k.Latest()}
}

// waitFrom is the largest number of mails that leave at once.
const waitFrom = 100

// WaitOf returns the seconds in which the caller can stop a Batch after the button that sends it: a setting of the
// Account, for Batches of more than 100 mails that begin now.
func (s *Service) WaitOf(c *enlist.Caller, k *BatchCheck, sendTime int64) int64 {
	if sendTime != 0 || k.Complete && k.Recipients <= waitFrom {
		return 0
	}
	return s.messages.SendDelay(c.Account.ID) * 60
}

// Latest returns the last one of the Recent Batches, or 0.
func (k *BatchCheck) Latest() enlist.BatchID {
	if len(k.Recent) == 0 {
		return 0
	}
	return k.Recent[0].ID
}

// ErrNotAsShown is the error of AddBatch if the Message, a Segment, or what was sent recently is not as it was shown.
var ErrNotAsShown = errors.New("what was shown has changed")

// recentTime is for how long in seconds a Batch counts as a recent one.
const recentTime = enlist.Day

// version returns a text that changes when the mails or a Segment of the Batch change: one hash of each, with a dot
// between them.
func (b *newBatch) version(tx *db.Tx, contents []MailContent) (string, error) {
	var lists []enlist.ListID
	segments := sha256.New()
	for i := range b.populations {
		p := &b.populations[i]
		lists = append(lists, p.List)
		ids := slices.Concat(p.Criteria.SegmentsOf(), b.exclude.Criteria.SegmentsOf())
		if err := addSegments(json.NewEncoder(segments), tx, p.List, ids); err != nil {
			return "", err
		}
	}
	mails, err := mailsVersion(tx, lists, contents)
	return mails + "." + hex.EncodeToString(segments.Sum(nil)), err
}

// mailsVersion is the part of version that changes when the mails to some Lists do: also with a Segment that decides who
// sees a block.
func mailsVersion(tx *db.Tx, lists []enlist.ListID, contents []MailContent) (string, error) {
	mails := sha256.New()
	out := json.NewEncoder(mails)
	for i := range contents {
		m := *contents[i].Message
		m.Name, m.FolderID, m.LastModifiedTime = "", 0, 0 // no mail shows them
		if err := out.Encode([]any{m, contents[i].Files}); err != nil {
			return "", err
		}
		ids, err := m.SegmentsNamed()
		if err != nil {
			return "", err
		}
		for _, list := range lists {
			if err := addSegments(out, tx, list, ids); err != nil {
				return "", err
			}
		}
	}
	return hex.EncodeToString(mails.Sum(nil)), nil
}

// addSegments writes the criteria of those Segments that the List has: one can be deleted after its search.
func addSegments(out *json.Encoder, tx *db.Tx, list enlist.ListID, ids []enlist.SegmentID) error {
	for _, id := range ids {
		segment, err := contacts.LoadSegment(tx, list, id)
		if err == nil {
			err = out.Encode(segment.Criteria.Text())
		}
		if enlist.IgnoreKind(enlist.InvalidParameters, err) != nil {
			return err
		}
	}
	return nil
}

// maxRecent is the largest number of Batches of a day that recent looks at. Programs can add thousands of small ones.
const maxRecent = 100

// recent returns the Batches of the last day that send one of the Messages of b to one of its Lists, the last one
// first. Batches whose recipients b leaves out, tests, and Batches that ended without a mail do not count.
func (b *newBatch) recent(tx *db.Tx, now int64) (all []Batch, err error) {
	counts := func(p Population) bool { return p.Type != PopulationUnsent }
	if !slices.ContainsFunc(b.populations, counts) {
		return nil, nil
	}
	var others []Batch
	for _, message := range b.Messages() {
		for _, f := range []BatchFilter{{Message: message}, {HasVariants: true}} {
			f.Since, f.Descending, f.Limit = now-recentTime, true, maxRecent
			more, err := Batches(tx, b.AccountID, f)
			if err != nil {
				return nil, err
			}
			others = append(others, slices.DeleteFunc(more, func(o Batch) bool { return !o.sends(message) })...)
		}
	}
	slices.SortFunc(others, func(a, b Batch) int { return cmp.Compare(b.ID, a.ID) })
	others = slices.CompactFunc(others, func(a, b Batch) bool { return a.ID == b.ID })
	for i := range others {
		o := &others[i]
		if o.IsTest || o.Ended() && o.Sent == 0 || slices.Contains(b.exclude.Batches, o.ID) {
			continue
		}
		lists, err := BatchLists(tx, o.ID)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(b.populations, func(p Population) bool {
			return counts(p) && slices.Contains(lists, p.List)
		}) {
			all = append(all, *o)
		}
	}
	return all, nil
}

// requireAsShown refuses a Batch that is not as it was shown, and pins its populations: Contacts that were added to a
// List later get no mail. Two Batches of a Message wait for each other, so that the second one finds the first.
func (b *newBatch) requireAsShown(tx *db.Tx, s *Shown, now int64) error {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(b.Messages()))) {
		if err := tx.LockToWrite("batches of message %d", id); err != nil {
			return err
		}
	}
	contents, err := b.Contents(tx)
	if err != nil {
		return err
	}
	version, err := b.version(tx, contents)
	if err != nil {
		return err
	}
	recent, err := b.recent(tx, now)
	if err != nil {
		return err
	}
	latest := (&BatchCheck{Recent: recent}).Latest()
	if version != s.Version || latest > s.Latest {
		return ErrNotAsShown
	}
	if s.Wait > 0 && !b.IsScheduled {
		b.NotBefore = now + s.Wait
	}
	for i := range min(len(s.Upto), len(b.populations)) {
		if p := &b.populations[i]; p.Type != PopulationContacts && !p.AtSend {
			p.Upto = s.Upto[i]
		}
	}
	return nil
}

// AddedBefore returns the Batch that a call of AddBatch with the caller's Idempotency-Key has added, or 0.
func (s *Service) AddedBefore(ctx context.Context, c *enlist.Caller) (id enlist.BatchID, err error) {
	err = s.db.ViewPrimary(c.Context(ctx), s.db.Confirmed(c, func(tx *db.Tx) error {
		saved, err := tx.ClaimRetry(c.Account.ID, c.Key.ID, c.Retry, s.db.Now().Unix())
		if err != nil {
			return enlist.IgnoreKind(enlist.NotFound, err)
		}
		return json.Unmarshal(saved, &id)
	}))
	return id, err
}
