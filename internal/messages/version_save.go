package messages

import (
	"cmp"
	"context"
	"fmt"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file saves a Message from a page: by a button, or by itself while a user writes.

// Save is what a page saves.
type Save struct {
	Message enlist.MessageID
	Details []enlist.Detail
	Page    string // a random text of the page; "": it does not save by itself
	Number  int64  // of this save of the page
	Seen    string // VersionOf the Message that the page has seen
	IsEnded bool   // the user has pressed the button that saves
}

// KeptAsDraft is the error of a save that is not in the Message, because a Batch or an autoresponder sends this. The text
// is stored as a draft.
type KeptAsDraft struct {
	SavedByItself
	refusal error
}

func (e *KeptAsDraft) Error() string { return e.refusal.Error() }

// Unwrap returns an InvalidParameters.
func (e *KeptAsDraft) Unwrap() error { return e.refusal }

// SaveMessage stores what a user has typed, as EditMessage does, and a Version of it. If the user has not pressed the button
// that saves, a text that is going to be sent does not change. The error is then a KeptAsDraft.
func (s *Service) SaveMessage(ctx context.Context, c *enlist.Caller, save Save) error {
	kind := VersionAuto
	if save.IsEnded {
		kind = VersionSaved
	}
	var kept error // the transaction stores the draft
	err := db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		kept = nil
		if !save.IsEnded {
			if err := tx.LockDefinitions(); err != nil { // so no Batch of the Message is added meanwhile
				return err
			}
		}
		old, m, err := s.edited(tx, c, save.Message, save.Details)
		if err != nil {
			return err
		}
		if !save.IsEnded {
			err := s.unused(tx, old, "")
			isSame := enlist.VersionOf(WholeMessageAttributes, old) == enlist.VersionOf(WholeMessageAttributes, m)
			switch {
			case err != nil && enlist.KindOf(err) != enlist.InvalidParameters:
				return err
			case err != nil && isSame:
				return dropDraft(tx, old.ID, c.User, save.Page)
			case err != nil:
				kept = &KeptAsDraft{SavedByItself{Seen: save.Seen, Time: now, IsDraft: true, Why: DraftQueued}, err}
				save := save
				save.Number++ // the page may have saved an earlier text with the same number
				return s.keepDraft(tx, c, old, save, now)
			}
		}
		if err := s.keep(tx, c, old, m, Version{Kind: kind, Page: save.Page, Number: save.Number, Time: now}); err != nil {
			return err
		}
		return storeEdit(tx, c, old, m, now)
	})
	return cmp.Or(err, kept)
}

// SavedByItself says what became of an Autosave.
type SavedByItself struct {
	Seen    string // VersionOf the Message
	Time    int64
	IsDraft bool     // it is not in the Message
	Why     DraftWhy // of a draft
	Detail  string   // of DraftWrong
}

// DraftWhy says why a text is not in its Message.
type DraftWhy string

// The reasons.
const (
	DraftQueued  DraftWhy = "queued"  // a Batch or an autoresponder sends the Message
	DraftChanged DraftWhy = "changed" // the Message was changed since the page was shown
	DraftWrong   DraftWhy = "wrong"   // it has a mistake
	DraftOlder   DraftWhy = "older"   // a later save of the page is stored; this text is stored nowhere
)

// Autosave stores what a user has typed, without an order to do so: in the Message if nothing is going to send it and
// nothing else has changed it, else as a draft. A draft of the same page is replaced. An Autosave that arrives after a
// later one of its page changes nothing; with another text, it is DraftOlder. Errors: NoMessage, Denied.
func (s *Service) Autosave(ctx context.Context, c *enlist.Caller, save Save) (SavedByItself, error) {
	if err := requireMessages(c); err != nil {
		return SavedByItself{}, err
	}
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (r SavedByItself, err error) {
		if err := LockMessages(tx, db.Exclusive, save.Message); err != nil { // so no Batch of the Message is added meanwhile
			return r, err
		}
		if _, err := s.forChange(tx, c, save.Message); err != nil {
			return r, err
		}
		r.Time = now
		old, m, err := s.edited(tx, c, save.Message, save.Details)
		if wrong := enlist.KindOf(err); wrong == enlist.InvalidParameters || wrong == enlist.NoFile {
			r.Why, r.Detail = DraftWrong, err.Error()
			old, err = LoadMessage(tx, c.Account.ID, save.Message)
		}
		if err != nil {
			return r, err
		}
		r.Seen = enlist.VersionOf(WholeMessageAttributes, old)
		last, isOwn, err := lastOf(tx, c, old, save.Page)
		if err != nil {
			return r, err
		}
		isOlder, err := s.isOlder(tx, c, last, old, m, save)
		switch {
		case err != nil || !isOlder && last != nil && last.Number >= save.Number:
			return r, err
		case isOlder:
			return SavedByItself{Seen: save.Seen, Time: now, IsDraft: true, Why: DraftOlder}, nil
		case r.Why != "":
		case r.Seen != save.Seen && !isOwn:
			r.Why = DraftChanged
		default:
			if err = s.unused(tx, old, ""); enlist.KindOf(err) == enlist.InvalidParameters {
				r.Why, err = DraftQueued, nil
			}
		}
		if r.IsDraft = r.Why != ""; err != nil || r.IsDraft {
			r.Seen = save.Seen // so a later order to save still finds what has changed
			return r, errFirst(err, func() error { return s.keepDraft(tx, c, old, save, now) })
		}
		if after := enlist.VersionOf(WholeMessageAttributes, m); after != r.Seen {
			r.Seen = after
			return r, s.storeAutosave(tx, c, old, m, save, now)
		}
		return r, dropDraft(tx, save.Message, c.User, save.Page)
	})
}

// errFirst returns an error, or that of a function.
func errFirst(err error, then func() error) error {
	if err != nil {
		return err
	}
	return then()
}

// storeAutosave stores an Autosave in the Message. The audit log has a row for the first one of a Version.
func (s *Service) storeAutosave(tx *db.Tx, c *enlist.Caller, old, m *Message, save Save, now int64) error {
	before, err := lastVersion(tx, save.Message)
	if err != nil {
		return err
	}
	if err := s.keep(tx, c, old, m, Version{Kind: VersionAuto, Page: save.Page, Number: save.Number, Time: now}); err != nil {
		return err
	}
	after, err := lastVersion(tx, save.Message)
	if err != nil {
		return err
	}
	if before == nil || after.ID != before.ID {
		if err := auditEdit(tx, c, old, m, now); err != nil {
			return err
		}
	}
	m.LastModifiedTime = now
	return messageTable.Save(tx, m) // LockMessages is enough for texts
}

// keepDraft stores a draft of a page, with the texts of the Message that it does not change.
func (s *Service) keepDraft(tx *db.Tx, c *enlist.Caller, old *Message, save Save, now int64) error {
	content, err := s.draftContent(tx, c, old, save.Details)
	if err != nil {
		return err
	}
	v, err := draftOf(tx, save.Message, c.User, save.Page)
	if err != nil {
		return err
	}
	if v == nil {
		v = &Version{Message: save.Message, Kind: VersionDraft, Page: save.Page, Number: save.Number, User: c.User,
			UserName: c.Key.Name, Begun: now, Time: now, content: content}
		return errFirst(versionTable.Add(tx, v), func() error { return dropOldVersions(tx, save.Message) })
	}
	if v.Number > save.Number {
		return nil
	}
	v.Number, v.Time, v.content = save.Number, now, content
	return versionTable.Save(tx, v)
}

// edited returns a Message, and the same with the details of a caller. It stores nothing. Errors: those of EditMessage.
func (s *Service) edited(tx *db.Tx, c *enlist.Caller, id enlist.MessageID, details []enlist.Detail) (old, m *Message,
	err error) {
	if err := requireMessages(c); err != nil {
		return nil, nil, err
	}
	old, err = s.forChange(tx, c, id)
	if err != nil {
		return nil, nil, err
	}
	changed := *old
	m = &changed
	if err := m.set(tx, details); err != nil {
		return nil, nil, err
	}
	if err := s.checkNewFiles(tx, c, old, m); err != nil {
		return nil, nil, err
	}
	if m.Type != old.Type {
		if err := s.unused(tx, old, "type"); err != nil {
			return nil, nil, err
		}
	}
	return old, m, nil
}

// storeEdit stores an edited Message, and a row of the audit log.
func storeEdit(tx *db.Tx, c *enlist.Caller, old, m *Message, now int64) error {
	if err := auditEdit(tx, c, old, m, now); err != nil {
		return err
	}
	m.LastModifiedTime = now
	return m.Save(tx)
}

// auditEdit stores a row of the audit log.
func auditEdit(tx *db.Tx, c *enlist.Caller, old, m *Message, now int64) error {
	before, after := accounts.SettableValues(WholeMessageAttributes, old), accounts.SettableValues(WholeMessageAttributes, m)
	object := accounts.AuditObject{Kind: "Message", ID: int64(m.ID)}
	return accounts.Audit(tx, c, now, object, before, after)
}

// keep stores the Version of a save that goes into the Message. Before it, the present text gets a Version if it has
// none: a program has stored it. Saves by one page are one Version for ten minutes, which a user can end.
func (s *Service) keep(tx *db.Tx, c *enlist.Caller, old, m *Message, v Version) error {
	content, err := contentOf(m)
	if err != nil {
		return err
	}
	v.content = content
	last, err := s.keepPresent(tx, old)
	if err != nil {
		return err
	}
	if err := dropDraft(tx, old.ID, c.User, v.Page); err != nil {
		return err
	}
	switch {
	case last.Kind == VersionAuto && last.User == c.User && last.Page == v.Page && v.Page != "" && !last.IsSent &&
		v.Time-last.Begun < autoTime:
		last.Kind, last.Page, last.Number, last.Time, last.content = v.Kind, v.Page, v.Number, v.Time, v.content
		return versionTable.Save(tx, last)
	case last.content == v.content && last.Kind == VersionSaved:
		last.Page, last.Number = v.Page, v.Number // an earlier save of the page that arrives later changes nothing
		return versionTable.Save(tx, last)
	}
	v.Message, v.User, v.UserName, v.Begun = old.ID, c.User, c.Key.Name, v.Time
	if err := versionTable.Add(tx, &v); err != nil {
		return fmt.Errorf("insert version: %w", err)
	}
	return dropOldVersions(tx, old.ID)
}
