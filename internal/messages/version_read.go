package messages

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file shows Versions, and removes them.

// Versions returns the Versions of a Message without their texts, the last one first. Errors: NoMessage, Denied.
func (s *Service) Versions(ctx context.Context, c *enlist.Caller, id enlist.MessageID) ([]Version, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Version, error) {
		m, err := s.seen(tx, c, id)
		if err != nil {
			return nil, err
		}
		all, err := versionHeadTable.All(tx, "WHERE message_id = ? ORDER BY id DESC", int64(id))
		if err != nil {
			return nil, err
		}
		sent, err := s.lastSent(tx, m)
		for i := range all {
			if all[i].Kind != VersionDraft { // the last one is in the Message
				all[i].IsSent = all[i].IsSent || sent >= all[i].Time
				break
			}
		}
		return all, err
	})
}

// seen returns a Message for a caller who may see it.
func (s *Service) seen(tx *db.Tx, c *enlist.Caller, id enlist.MessageID) (*Message, error) {
	if err := requireMessages(c); err != nil {
		return nil, err
	}
	return LoadSeen(tx, c, id, s.sentTo)
}

// Version returns a Version and its Message with the texts of the Version, but without files that the caller cannot put
// into the Message. Errors: NoMessage, Denied.
func (s *Service) Version(ctx context.Context, c *enlist.Caller, id enlist.MessageID, version VersionID) (v *Version,
	m *Message, err error) {
	err = s.db.View(c.Context(ctx), s.db.Confirmed(c, func(tx *db.Tx) (err error) {
		v, m, err = s.version(tx, c, id, version)
		return err
	}))
	return v, m, err
}

func (s *Service) version(tx *db.Tx, c *enlist.Caller, id enlist.MessageID, version VersionID) (*Version, *Message, error) {
	m, err := s.seen(tx, c, id)
	if err != nil {
		return nil, nil, err
	}
	v, err := versionTable.One(tx, errNoVersion, "WHERE id = ? AND message_id = ?", int64(version), int64(id))
	if err != nil {
		return nil, nil, err
	}
	with, err := v.In(m)
	if err != nil {
		return nil, nil, err
	}
	with, err = s.withoutForbidden(tx, c, m, with)
	return v, with, err
}

// PreviewVersion returns the mail of a Version, as PreviewDraft does.
func (s *Service) PreviewVersion(ctx context.Context, c *enlist.Caller, id enlist.MessageID, version VersionID) (*ComposedMail,
	error) {
	return s.previewDraft(ctx, c, id, func(tx *db.Tx, _ *Message) (*Message, error) {
		_, m, err := s.version(tx, c, id, version)
		return m, err
	})
}

// DeleteVersion removes a Version, such as a draft, or one with the data of a person. The Message stays as it is.
// Errors: NoMessage, Denied.
func (s *Service) DeleteVersion(ctx context.Context, c *enlist.Caller, id enlist.MessageID, version VersionID) error {
	if err := requireMessages(c); err != nil {
		return err
	}
	return db.Change(ctx, s.db, c, func(tx *db.Tx, _ int64) error {
		if _, err := s.forChange(tx, c, id); err != nil {
			return err
		}
		return tx.Do("DELETE FROM message_version WHERE id = ? AND message_id = ?", int64(version), int64(id))
	})
}

// Drafts returns the times of the last drafts of the Account's Messages.
func (s *Service) Drafts(ctx context.Context, c *enlist.Caller) (map[enlist.MessageID]int64, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (map[enlist.MessageID]int64, error) {
		drafts := make(map[enlist.MessageID]int64)
		return drafts, tx.Each(func(row *db.Cursor) error {
			id := enlist.MessageID(row.Int())
			drafts[id] = row.Int()
			return nil
		}, `SELECT message_id, max(time) FROM message_version WHERE kind = 'draft' AND message_id IN
			(SELECT id FROM message WHERE account_id = ?) GROUP BY message_id`, int64(c.Account.ID))
	})
}
