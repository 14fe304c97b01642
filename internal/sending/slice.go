package sending

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/pace"
	"enlist/internal/recipients"
)

// This file leases the slices of Batches to senders. A slice is a part of a Batch's recipients. A
// process that sends has a lease, which it renews. If the process dies, another process sees that
// (db.Presence), or the lease ends, and that process takes the slice.

const (
	// sliceSize is the largest number of recipients of a slice.
	sliceSize = 500
	// SliceLease is the length of a lease in seconds.
	SliceLease = 2 * 60
)

// LeasedSlice is a slice with the recipients to send now.
type LeasedSlice struct {
	recipients.Slice
	Of         *batches.Batch         // as it was when the lease began
	Contents   []batches.MailContent  // of the variants, or one
	Recipients []recipients.Recipient // waiting, due again, or in doubt
	From       string                 // address of the sender
	Former     string                 // who has had the slice and did not release it, or ""
	Paces      []pace.Pace            // of the groups of mails that are slowed down
}

// LeaseTurn says of which Batches LeaseSlice leases a slice.
type LeaseTurn struct {
	After map[enlist.AccountID]enlist.BatchID // Batches of an Account with higher IDs go first
	Skip  func(enlist.AccountID, enlist.BatchID) bool
}

// order returns the Batches whose slices may be leased, the next one first.
func (t *LeaseTurn) order(sending map[enlist.BatchID]enlist.AccountID) []enlist.BatchID {
	ids := slices.Sorted(maps.Keys(sending))
	ids = slices.DeleteFunc(ids, func(id enlist.BatchID) bool { return t.Skip != nil && t.Skip(sending[id], id) })
	slices.SortStableFunc(ids, func(a, b enlist.BatchID) int {
		return cmp.Compare(db.Bit(a <= t.After[sending[a]]), db.Bit(b <= t.After[sending[b]]))
	})
	return ids
}

// LeaseSlice leases a slice of a Batch that is sending. It begins with the Batches after the last one of their Account,
// so that several Batches progress together. If there is no slice, it returns nil, and the time at which the next one
// may become free, or 0. LeaseSlice also ends Batches that have no slice left.
func (s *Service) LeaseSlice(ctx context.Context, holder string, turn LeaseTurn) (slice *LeasedSlice, next int64,
	err error) {
	var paces []pace.Pace
	var stopped bool
	sending, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (ids map[enlist.BatchID]enlist.AccountID, err error) {
		paces, err = activePaces(tx, s.db.Now().Unix())
		if err != nil {
			return nil, err
		}
		ids, stopped, err = s.sendingNow(tx)
		return ids, err
	})
	if err != nil {
		return nil, 0, err
	}
	if stopped {
		next = s.db.Now().Unix() + 1
	}
	ids := turn.order(sending)
	for _, id := range ids {
		var l leaseResult
		for again := true; again; again = l.again {
			l, err = db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (leaseResult, error) {
				return s.leaseOf(tx, id, holder, now)
			})
			if err != nil {
				return nil, 0, err
			}
		}
		if l.slice != nil {
			l.slice.Paces = paces
			return l.slice, 0, nil
		}
		if l.next != 0 && (next == 0 || l.next < next) {
			next = l.next
		}
	}
	soon, err := s.freeGone(ctx, ids)
	if soon != 0 && (next == 0 || soon < next) {
		next = soon
	}
	return nil, next, err
}

// lookAgain is the time in seconds after which LeaseSlice looks again whether the processes that have slices live.
const lookAgain = 2

// freeGone frees the slices of processes that have died. They are free after db.StopTime, because a process on
// PostgreSQL can live and have lost only its connection. It returns when to look again, or 0 if no other process has a
// slice.
func (s *Service) freeGone(ctx context.Context, sending []enlist.BatchID) (next int64, err error) {
	holders, err := db.OwnView(ctx, s.db, func(tx *db.Tx) ([]string, error) { return recipients.Holders(tx, sending) })
	if err != nil {
		return 0, err
	}
	for _, holder := range holders {
		gone, err := db.HolderIsGone(ctx, s.db, holder)
		if err != nil {
			return 0, err
		}
		if next == 0 && !db.MayWork(s.db, holder) {
			next = s.db.Now().Unix() + lookAgain
		}
		if !gone {
			continue
		}
		err = s.db.Update(ctx, func(tx *db.Tx) error {
			return recipients.EndLeases(tx, sending, holder, s.db.Now().Add(db.StopTime).Unix())
		})
		if err != nil {
			return 0, err
		}
	}
	return next, nil
}

// leaseResult is what leaseOf found in a Batch.
type leaseResult struct {
	slice *LeasedSlice // nil: no slice was leased
	next  int64        // without a slice: the end of the earliest lease, or 0
	again bool         // without a slice: another one may be free now
}

// leaseOf leases a slice of one Batch. If all slices are done, the Batch is completed.
func (s *Service) leaseOf(tx *db.Tx, id enlist.BatchID, holder string, now int64) (leaseResult, error) {
	var none leaseResult
	b, err := batches.LockBatch(tx, id)
	if err != nil || b.Status != batches.BatchSending {
		return none, enlist.IgnoreKind(enlist.NoBatch, err)
	}
	if err := chooseWinner(tx, b, now); err != nil {
		return none, err
	}
	free, next, err := recipients.FreeSlice(tx, id, now)
	switch {
	case enlist.KindOf(err) == enlist.NotFound && next == 0:
		return none, b.Complete(tx, now)
	case err != nil:
		return leaseResult{next: next}, enlist.IgnoreKind(enlist.NotFound, err)
	case (b.LocalTime == "" || free.Lease != 0) && s.isLate(b, free.Lease):
		return none, b.PauseLate(tx)
	}
	account, err := accounts.ByID(tx, b.AccountID)
	if err != nil {
		return none, err
	}
	l := &LeasedSlice{Slice: *free, Of: b}
	if ready, err := s.readContents(tx, l, account, now); err != nil || !ready {
		return none, err
	}
	since, err := l.readRecipients(tx, account, now)
	switch {
	case err != nil:
		return none, err
	case b.LocalTime != "" && len(l.Recipients) == 0:
		notDue := BatchProgress{Slice: l, Release: true}
		return leaseResult{again: true}, notDue.release(tx, now)
	case b.LocalTime != "" && s.isLate(b, since):
		return none, b.PauseLate(tx)
	}
	taken, err := l.take(tx, holder, now)
	if err != nil || !taken {
		return leaseResult{again: true}, err
	}
	return leaseResult{slice: l}, nil
}

// isLate reports whether a Batch would send long after its time. since is when its mails were due, if this is later
// than its last mails.
func (s *Service) isLate(b *batches.Batch, since int64) bool {
	return s.sending.Load().Calendar.IsLate(max(b.ActiveTime, since), s.db.Now())
}

// readContents reads the contents and the sender of the mails of a slice. Without them it pauses or ends the Batch, and
// returns false.
func (s *Service) readContents(tx *db.Tx, l *LeasedSlice, account *enlist.Account, now int64) (ready bool, err error) {
	l.Contents, err = l.Of.Contents(tx)
	switch {
	case enlist.KindOf(err) == enlist.NoMessage:
		return false, l.Of.Fail(tx, now)
	case err != nil:
		return false, err
	case l.Of.LacksContent(l.Contents):
		return false, l.Of.PauseEmpty(tx)
	}
	if paused, err := l.Of.KeepApproval(tx, l.Contents, now); paused || err != nil {
		return false, err
	}
	from, refused, err := s.checkSender(tx, l.Of, account, l.Contents[0].Message, l.List)
	l.From = from
	return !refused, err
}

// readRecipients reads the recipients of the slice to send now. If they have times of their own, it returns since when
// the first of them is due.
func (l *LeasedSlice) readRecipients(tx *db.Tx, account *enlist.Account, now int64) (since int64, err error) {
	l.Recipients, err = l.Due(tx, now)
	if err != nil || l.Of.LocalTime == "" {
		return 0, err
	}
	return l.putOff(tx, account, now)
}

// take gives the slice to a holder. The Batch is locked, so no other process takes the slice; but its last holder may
// have renewed the lease meanwhile: then take returns false. The holder may hand over its mails from now on, so the
// Batch has begun.
func (l *LeasedSlice) take(tx *db.Tx, holder string, now int64) (taken bool, err error) {
	taken, err = l.Slice.Take(tx, holder, now+SliceLease)
	if err != nil || !taken {
		return false, err
	}
	l.Former, l.Holder, l.Of.ActiveTime = l.LastHolder(), holder, now
	if l.Of.Begun == 0 && len(l.Recipients) > 0 {
		l.Of.Begun = now
	}
	return true, l.Of.Save(tx)
}

// checkSender returns the sender of a Batch's mails to a List. It pauses the Batch if the Account may
// not use this sender any more.
func (s *Service) checkSender(tx *db.Tx, b *batches.Batch, account *enlist.Account, m *messages.Message,
	list enlist.ListID) (from string, refused bool, err error) {
	schema, err := lists.Schema(tx, list)
	if err != nil {
		return "", false, enlist.IgnoreKind(enlist.NoList, err) // the recipients are skipped
	}
	from, why, err := s.messages.SenderRefusal(tx, account, m, &schema.List)
	if err != nil || why == "" {
		return from, false, err
	}
	return from, true, b.PauseBecause(tx, why)
}

// RenewSlices renews the leases of slices. It returns those that the holder may no longer send:
// another process has taken them, or their Batch is no longer sending.
func (s *Service) RenewSlices(ctx context.Context, held []recipients.Slice) (lost []recipients.Slice, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (lost []recipients.Slice, err error) {
		for i := range held {
			renewed, err := held[i].Renew(tx, now+SliceLease)
			if err != nil {
				return nil, err
			}
			if !renewed {
				lost = append(lost, held[i])
			}
		}
		return lost, nil
	})
}

// passSlice gives a slice that was just leased to the former holder.
func (s *Service) passSlice(ctx context.Context, l *LeasedSlice) error {
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error { return l.Pass(tx, l.Former, now+SliceLease) })
}

// holding is what a process may do with a slice.
type holding struct {
	marks  bool // hand further mails over: it has the slice
	stores bool // store all results: it has the slice, or has had it last
}

// keptSlices are the slices whose leases a transaction has looked at.
type keptSlices map[*LeasedSlice]holding

// keep returns what the holder of a slice may do. It renews the lease, so that a process which is taking the
// slice at this moment, because of a clock that has jumped, gets none: see take.
func (k keptSlices) keep(tx *db.Tx, l *LeasedSlice, now int64) (kept holding, err error) {
	kept, known := k[l]
	if known {
		return kept, nil
	}
	kept.marks, err = l.Slice.Renew(tx, now+SliceLease)
	kept.stores = kept.marks
	if err == nil && !kept.marks {
		kept.stores, err = l.Slice.Keep(tx)
	}
	k[l] = kept
	return kept, err
}

// sendingBatches returns the Batches whose mails may be handed over now, and their Accounts.
func (s *Service) sendingBatches(ctx context.Context) (map[enlist.BatchID]enlist.AccountID, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (map[enlist.BatchID]enlist.AccountID, error) {
		ids, _, err := s.sendingNow(tx)
		return ids, err
	})
}

// putOff stores that those recipients of the slice wait whose time has not come. The others are left, and putOff returns
// since when the first of them is due.
func (l *LeasedSlice) putOff(tx *db.Tx, account *enlist.Account, now int64) (since int64, err error) {
	schema, err := lists.Schema(tx, l.List)
	if err != nil {
		return now, enlist.IgnoreKind(enlist.NoList, err) // the recipients are skipped
	}
	ids := make([]enlist.ContactID, len(l.Recipients))
	for i := range l.Recipients {
		ids[i] = l.Recipients[i].Contact
	}
	present, err := contacts.AllByID(tx, l.List, ids)
	if err != nil {
		return 0, err
	}
	times := make(map[enlist.ContactID]int64, len(present))
	clock := l.Of.LocalClock(schema, account)
	for i := range present {
		times[present[i].ID] = clock.DueTime(&present[i])
	}
	since = now
	var due []recipients.Recipient
	later := make(map[int64][]enlist.ContactID)
	for _, r := range l.Recipients {
		at, known := times[r.Contact] // not known: the Contact is gone
		if at > now && r.Status != recipients.StatusSending {
			later[at] = append(later[at], r.Contact)
			continue
		}
		due = append(due, r)
		if known {
			since = min(since, at)
		}
	}
	l.Recipients = due
	for at, ids := range later {
		if err := recipients.MarkDeferred(tx, l.List, l.Batch, ids, at); err != nil {
			return 0, err
		}
	}
	return since, nil
}
