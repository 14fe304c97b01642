package messages

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the order of the saves of a page. A browser can send several at once, and they arrive in any order.

// lastOf returns the Version that a page of the caller has saved last, or nil if another page has saved since. isOwn reports
// whether this is what is in the Message.
func lastOf(tx *db.Tx, c *enlist.Caller, m *Message, page string) (last *Version, isOwn bool, err error) {
	last, err = lastVersion(tx, m.ID)
	if err != nil || last == nil || last.Page != page || page == "" || last.User != c.User {
		return nil, false, err
	}
	content, err := contentOf(m)
	return last, last.content == content, err
}

// IsSavedBy reports whether a page of the caller has stored what is in the Message now. Errors: NoMessage, Denied.
func (s *Service) IsSavedBy(ctx context.Context, c *enlist.Caller, id enlist.MessageID, page string) (bool, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (bool, error) {
		m, err := s.seen(tx, c, id)
		if err != nil {
			return false, err
		}
		_, isOwn, err := lastOf(tx, c, m, page)
		return isOwn, err
	})
}

// isOlder reports whether another text of the page is stored that is later than a save. last is the Version that the page
// has saved last, or nil. m is the Message with the text of the save, or nil if this is wrong.
func (s *Service) isOlder(tx *db.Tx, c *enlist.Caller, last *Version, old, m *Message, save Save) (bool, error) {
	if save.Page == "" {
		return false, nil
	}
	draft, err := draftOf(tx, save.Message, c.User, save.Page)
	if err != nil {
		return false, err
	}
	if last != nil && last.Number >= save.Number {
		if m == nil {
			return true, nil
		}
		content, err := contentOf(m)
		return content != last.content, err
	}
	if draft == nil || draft.Number < save.Number {
		return false, nil
	}
	content, err := s.draftContent(tx, c, old, save.Details)
	return content != draft.content, err
}
