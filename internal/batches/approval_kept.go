package batches

import (
	"slices"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file says as long as what an approval counts, and who may ask for it again.

// needsNone reports whether the Batch needs no approval.
func (b *Batch) needsNone() bool {
	return b.ApproveAbove == 0 || b.IsPopulated && b.Recipients <= b.ApproveAbove
}

// KeepApproval pauses a Batch that is sending, if its contents are not what was approved, and reports whether it did. The
// caller has locked the Batch.
func (b *Batch) KeepApproval(tx *db.Tx, contents []MailContent, now int64) (paused bool, err error) {
	if b.needsNone() {
		return false, nil
	}
	a, err := LoadApproval(tx, b.ID)
	if err != nil {
		return false, err
	}
	populations, err := Populations(tx, b.ID)
	if err != nil {
		return false, err
	}
	lists := make([]enlist.ListID, len(populations))
	for i := range populations {
		lists[i] = populations[i].List
	}
	version, err := mailsVersion(tx, lists, contents)
	if err != nil || version == mailsOf(a.Version) {
		return false, err
	}
	return b.RequireApproval(tx, populations, now)
}

// mailsOf is the part of a version that mailsVersion returns.
func mailsOf(version string) string {
	mails, _, _ := strings.Cut(version, ".")
	return mails
}

// isFor reports whether the approval is for a version of the Batch at its present time. The recipients of a Batch that has
// begun are stored: then the Segments that have found them may change.
func (a *Approval) isFor(b *Batch, version string) bool {
	if b.hasBegun() {
		return mailsOf(a.Version) == mailsOf(version)
	}
	return a.Version == version && a.SendTime == b.plannedTime()
}

// isLate reports whether the time is over before which the Batch had to be approved. With local times that is the time
// of the first zone, if the approval was asked for before it.
func (a *Approval) isLate(b *Batch, now int64) bool {
	upto := b.Begins()
	if upto <= a.Asked {
		upto = b.SendTime
	}
	return b.IsScheduled && !b.hasBegun() && upto <= now
}

// hasAsker reports whether a user who has asked for an approval may still send the Batch.
func (s *Service) hasAsker(tx *db.Tx, b *Batch, a *Approval) (bool, error) {
	lists, err := BatchLists(tx, b.ID)
	for _, user := range []int64{a.By, a.Changed} {
		if err != nil || user == 0 {
			continue
		}
		var key *enlist.Key
		if key, err = s.keyOf(tx, b.AccountID, user); err == nil && MaySend(key, lists) {
			return true, nil
		}
	}
	return false, err
}

// MaySend reports whether a key of KeyOf may send to all of some Lists.
func MaySend(key *enlist.Key, lists []enlist.ListID) bool {
	return key != nil && key.Role.May(enlist.Send) &&
		!slices.ContainsFunc(lists, func(l enlist.ListID) bool { return !key.Allows(l) })
}

// MayAsk reports whether a page offers a user to ask again for the approval: not to users who can approve the Batch, since
// they could not any more, but only if a user who has asked can do it. The user who has added it can ask again after another
// user has changed it: then this other user can approve it.
func (w *WaitingApproval) MayAsk(user int64) bool {
	if w.Status != BatchPaused || w.State == ApprovalNew || w.MayDecide(user) && w.HasAsker {
		return false
	}
	return w.State == ApprovalRefused || w.IsChanged || w.IsTaken(user)
}

// IsTaken reports whether another user has changed the Batch since the user asked.
func (w *WaitingApproval) IsTaken(user int64) bool {
	return w.State == ApprovalWaits && user == w.By && w.Changed != 0 && w.Changed != w.By
}
