package messages

import "enlist/internal/db"

// This file keeps the present text of a Message as a Version, before another text replaces it.

// keepPresent returns the Version of the present text. It adds one if a program has stored this text. The Versions get a
// mark if mails with them have left.
func (s *Service) keepPresent(tx *db.Tx, m *Message) (*Version, error) {
	sent, err := s.lastSent(tx, m)
	if err != nil {
		return nil, err
	}
	content, err := contentOf(m)
	if err != nil {
		return nil, err
	}
	last, err := lastVersion(tx, m.ID)
	if err != nil {
		return nil, err
	}
	if last != nil && last.content == content {
		return last, last.markSent(tx, sent >= last.Time)
	}
	if last != nil { // it was in the Message until a program has changed that
		if err := last.markSent(tx, sent >= last.Time && sent <= m.LastModifiedTime); err != nil {
			return nil, err
		}
	}
	v := &Version{Message: m.ID, Kind: VersionSaved, Begun: m.LastModifiedTime, Time: m.LastModifiedTime, content: content,
		IsSent: sent >= m.LastModifiedTime}
	if m.LastModifiedTime == m.CreationTime {
		v.User, v.UserName = m.CreatorUser, m.CreatorName
	}
	return v, versionTable.Add(tx, v)
}

// markSent notes that mails with a Version have left.
func (v *Version) markSent(tx *db.Tx, isSent bool) error {
	if !isSent || v.IsSent {
		return nil
	}
	v.IsSent = true
	return versionTable.Save(tx, v)
}

// keepSent keeps the present text of a Message that a program changes, if it was sent.
func (s *Service) keepSent(tx *db.Tx, m *Message) error {
	sent, err := s.lastSent(tx, m)
	if err != nil {
		return err
	}
	last, err := lastVersion(tx, m.ID)
	if err != nil || sent == 0 {
		return err
	}
	content, err := contentOf(m)
	if err != nil {
		return err
	}
	if sent >= m.LastModifiedTime || last != nil && last.content == content {
		_, err = s.keepPresent(tx, m)
	}
	return err
}
