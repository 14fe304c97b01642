package batches

import (
	"cmp"
	"context"
	"errors"
	"unicode/utf8"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the approval of Batches by a second user, if the Account wants it. The job that prepares a Batch asks for
// it when it knows the recipients, and pauses the Batch. What is approved is one version of the mails for these
// recipients and this time: after any change the job asks again, and so does the sender before each slice.
// decisions.md: 167; reference.md: batch.approval

// ApprovalState is how far an approval is.
type ApprovalState string

// The states.
const (
	ApprovalNew      ApprovalState = ""         // the recipients are not counted yet
	ApprovalWaits    ApprovalState = "waits"    // for another user
	ApprovalApproved ApprovalState = "approved" // as long as nothing changes
	ApprovalRefused  ApprovalState = "refused"  // until it is asked for again
)

// The reasons of Batches that are paused without an approval. Callers see them.
const (
	ReasonApproval = "another user has to approve it"
	ReasonTooLate  = "it was not approved before its time: choose another time"
)

// Approval is who has asked for the approval of a Batch, and who has decided.
type Approval struct {
	Batch    enlist.BatchID
	State    ApprovalState
	By       int64  // ID of the user who added the Batch; 0: a key
	ByName   string // of this user or key
	Changed  int64  // ID of the user who has continued the Batch or chosen its time since; 0: none
	Asked    int64  // when
	Version  string // of the mails
	SendTime int64  // of the Batch; 0: as soon as it is approved
	Decided  int64  // when; 0: not yet
	UserName string // who has decided
	Why      string // it was refused
}

func mapApproval(m *db.Mapper, a *Approval) {
	m.NaturalKey("batch_id", (*int64)(&a.Batch))
	m.Value("state", (*string)(&a.State))
	m.Fixed("person_id", &a.By)
	m.Fixed("person_name", &a.ByName)
	m.Value("changed_person_id", &a.Changed)
	m.Value("asked_time", &a.Asked)
	m.Value("version", &a.Version)
	m.Value("send_time", &a.SendTime)
	m.Value("decided_time", &a.Decided)
	m.Value("decided_name", &a.UserName)
	m.Value("reason", &a.Why)
}

var approvalTable = db.NewMapping("batch_approval", mapApproval)

// LoadApproval returns the approval of a Batch that needs one.
func LoadApproval(tx *db.Tx, id enlist.BatchID) (*Approval, error) {
	return approvalTable.One(tx, enlist.ErrNotFound, "WHERE batch_id = ?", int64(id))
}

// MayDecide reports whether a user is none of the users who ask.
func (a *Approval) MayDecide(user int64) bool { return user != 0 && user != a.By && user != a.Changed }

// AskApproval tells a user that a Batch waits for an approval. User 0: it tells all who may approve it.
type AskApproval struct {
	Batch enlist.BatchID `json:"batch_id"`
	Asked int64          `json:"asked"`
	User  int64          `json:"user_id"`
}

// Kind implements Effect.
func (AskApproval) Kind() string { return "ask_approval" }

// approveAbove returns the most Contacts to whom a new Batch of a caller goes without an approval; 0: to all.
func (s *Service) approveAbove(c *enlist.Caller) int64 {
	most, ofKeys := s.messages.ApproveAbove(c.Account.ID)
	if c.User == 0 && (c.Key.ID == 0 || !ofKeys) { // the operator decides alone
		return 0
	}
	return most
}

// ApprovalOf returns how many Contacts the caller can send to alone, if a Batch goes to more; 0: it needs no approval.
func (s *Service) ApprovalOf(c *enlist.Caller, k *BatchCheck) int64 {
	if most := s.approveAbove(c); k.Recipients > most || !k.Complete {
		return most
	}
	return 0
}

// addApproval stores what a new Batch needs, if it may need an approval.
func (b *newBatch) addApproval(tx *db.Tx, c *enlist.Caller) error {
	if b.ApproveAbove == 0 {
		return nil
	}
	return approvalTable.Put(tx, &Approval{Batch: b.ID, By: c.User, ByName: c.Key.Name})
}

// RequireApproval pauses the Batch if it needs an approval and has none, and reports whether it did. populations are
// those of the Batch. The caller has locked the Batch.
func (b *Batch) RequireApproval(tx *db.Tx, populations []Population, now int64) (paused bool, err error) {
	if b.needsNone() {
		return false, nil
	}
	a, err := LoadApproval(tx, b.ID)
	if err != nil {
		return false, err
	}
	version, err := b.versionNow(tx, populations)
	if err != nil {
		return false, err
	}
	asks := !a.isFor(b, version)
	switch {
	case a.State == ApprovalApproved && !asks:
		return false, nil
	case a.isLate(b, now) && b.SendTime == a.SendTime && a.State == ApprovalWaits:
		return true, b.PauseBecause(tx, ReasonTooLate)
	case a.State != ApprovalWaits || asks:
		a.State, a.Asked, a.Version, a.SendTime = ApprovalWaits, now, version, b.plannedTime()
		a.Decided, a.UserName, a.Why = 0, "", ""
		if err := errors.Join(approvalTable.Put(tx, a), tx.Enqueue(AskApproval{Batch: b.ID, Asked: now})); err != nil {
			return false, err
		}
	}
	return true, b.PauseBecause(tx, ReasonApproval)
}

// plannedTime is the send time of a Batch that has one, or 0.
func (b *Batch) plannedTime() int64 {
	if !b.IsScheduled {
		return 0
	}
	return b.SendTime
}

// versionNow is the version of the mails and of the Segments of a stored Batch.
func (b *Batch) versionNow(tx *db.Tx, populations []Population) (string, error) {
	contents, err := b.Contents(tx)
	if err != nil {
		return "", err
	}
	exclude, err := LoadExclusion(tx, b.ID)
	if err != nil {
		return "", err
	}
	whole := &newBatch{Batch: *b, populations: populations, exclude: *exclude}
	version, err := whole.version(tx, contents)
	if b.Untracked {
		version += ".untracked"
	}
	return version, err
}

// askAgain is for a caller who continues a Batch that waits for an approval, or chooses another time: then this caller
// cannot approve it either.
func (b *Batch) askAgain(tx *db.Tx, c *enlist.Caller, now int64) error {
	if b.needsNone() || b.Ended() || b.Status == BatchSending {
		return nil
	}
	a, err := LoadApproval(tx, b.ID)
	if err != nil {
		return err
	}
	if a.State != ApprovalNew {
		a.Changed = cmp.Or(c.User, a.Changed)
		if err := approvalTable.Put(tx, a); err != nil {
			return err
		}
	}
	if b.Status == BatchPaused && (a.State == ApprovalWaits || a.State == ApprovalRefused) {
		return b.unpause(tx, now) // the job asks
	}
	return nil
}

// WaitingApproval is a Batch whose approval a caller sees.
type WaitingApproval struct {
	Batch
	Approval
	IsChanged bool // the mails or the time are not those that were asked for
	IsLate    bool // its time is over
	HasAsker  bool // a user who has asked may still send it, and so can ask again
}

// Approval returns a Batch with its approval, which is empty if it needs none. Errors: NoBatch, Denied.
func (s *Service) Approval(ctx context.Context, c *enlist.Caller, id enlist.BatchID) (*WaitingApproval, error) {
	now := s.db.Now().Unix()
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*WaitingApproval, error) {
		b, err := Load(tx, c, id, false)
		if err != nil {
			return nil, err
		}
		return s.waitingApproval(tx, b, now)
	})
}

func (s *Service) waitingApproval(tx *db.Tx, b *Batch, now int64) (*WaitingApproval, error) {
	if b.ApproveAbove == 0 {
		return &WaitingApproval{Batch: *b}, nil
	}
	a, err := LoadApproval(tx, b.ID)
	if err != nil {
		return nil, err
	}
	populations, err := Populations(tx, b.ID)
	if err != nil {
		return nil, err
	}
	version, err := b.versionNow(tx, populations)
	if err != nil {
		return nil, err
	}
	hasAsker, err := s.hasAsker(tx, b, a)
	return &WaitingApproval{Batch: *b, Approval: *a, IsChanged: !a.isFor(b, version), IsLate: a.isLate(b, now),
		HasAsker: hasAsker}, err
}

// Waits reports whether a user can decide about the Batch.
func (w *WaitingApproval) Waits() bool {
	return w.Status == BatchPaused && w.State == ApprovalWaits && !w.IsChanged && !w.IsLate
}

var errNotShown = enlist.Invalid("batch_id", "it was changed, or another user has decided: look at it again")

// Approve lets a Batch begin, or go on, as its approval says. version is that of the Approval which the user has seen. Errors:
// NoBatch, Denied (also for the users who ask), InvalidParameters if anything has changed.
func (s *Service) Approve(ctx context.Context, c *enlist.Caller, id enlist.BatchID, version string) error {
	return s.decide(ctx, c, id, func(tx *db.Tx, w *WaitingApproval, now int64) error {
		if !w.Waits() || w.Approval.Version != version {
			return errNotShown
		}
		w.State = ApprovalApproved
		return errors.Join(approvalTable.Put(tx, &w.Approval), w.Batch.unpause(tx, now))
	})
}

// maxWhy is the largest number of letters of a reason.
const maxWhy = 500

// RefuseApproval says why a Batch must not begin. It can be changed and asked for again. Errors: those of Approve.
func (s *Service) RefuseApproval(ctx context.Context, c *enlist.Caller, id enlist.BatchID, why string) error {
	why, err := enlist.ReadLine(why)
	if err != nil || why == "" || utf8.RuneCountInString(why) > maxWhy {
		return enlist.Invalid("why", "say why, in one line of at most 500 characters")
	}
	return s.decide(ctx, c, id, func(tx *db.Tx, w *WaitingApproval, now int64) error {
		if w.Status != BatchPaused || w.State != ApprovalWaits {
			return errNotShown
		}
		w.State, w.Why = ApprovalRefused, why
		return errors.Join(approvalTable.Put(tx, &w.Approval),
			w.Batch.PauseBecause(tx, "not approved by "+w.UserName+": "+why))
	})
}

// decide runs what another user decides about a Batch, with a row in the audit log.
func (s *Service) decide(ctx context.Context, c *enlist.Caller, id enlist.BatchID,
	do func(tx *db.Tx, w *WaitingApproval, now int64) error) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		b, err := Load(tx, c, id, true)
		if err == nil {
			err = enlist.RequireSending(c)
		}
		if err != nil {
			return err
		}
		w, err := s.waitingApproval(tx, b, now)
		switch {
		case err != nil:
			return err
		case !w.MayDecide(c.User):
			return enlist.Refuse(enlist.Denied, "a user who asks for an approval cannot give it")
		}
		before := accounts.AuditValues{"approval": string(w.State)}
		w.Decided, w.UserName = now, c.Key.Name
		if err := do(tx, w, now); err != nil {
			return err
		}
		return accounts.Audit(tx, c, now, w.Audited(), before, w.auditValues())
	})
}

// auditValues say what was decided: also what has not changed.
func (w *WaitingApproval) auditValues() accounts.AuditValues {
	return accounts.AuditValues{"approval": string(w.State), "recipients": w.Recipients, "send_time": w.Approval.SendTime,
		"version": w.Approval.Version, "asked_by": w.ByName, "reason": w.Why}
}

// WaitingApprovals returns the Batches of the caller's Account that wait for an approval by the caller, the last one
// first. Others do not see them here.
func (s *Service) WaitingApprovals(ctx context.Context, c *enlist.Caller) ([]Batch, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (all []Batch, err error) {
		open, err := Batches(tx, c.Account.ID, BatchFilter{Lists: c.Key.Lists, Open: true, Descending: true})
		if err != nil || !c.May(enlist.Send) {
			return nil, err
		}
		for i := range open {
			b := &open[i]
			if b.ApproveAbove == 0 || b.Status != BatchPaused {
				continue
			}
			a, err := LoadApproval(tx, b.ID)
			if err != nil {
				return nil, err
			}
			if a.State == ApprovalWaits && a.MayDecide(c.User) {
				all = append(all, *b)
			}
		}
		return all, nil
	})
}

// NameIn returns the name of a Batch, or else of its Message.
func (b *Batch) NameIn(tx *db.Tx) (string, error) {
	if b.Name != "" {
		return b.Name, nil
	}
	m, err := b.email(tx, b.MessageID)
	if err != nil {
		return "", enlist.IgnoreKind(enlist.NoMessage, err)
	}
	return m.Name, nil
}
