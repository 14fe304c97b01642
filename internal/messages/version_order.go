package messages

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the order of the saves of a page. A browser can send several at once, and they arrive in any order.

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
