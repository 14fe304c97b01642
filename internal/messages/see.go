package messages

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
)

// This file has which Messages a person sees who may use only some Lists: those that the person wrote, those that
// were sent only to these Lists, and templates. Such a person may edit and delete only the former. Others see all Messages of the
// Account. Keys with a restriction do not see Messages, but may send each of them. reference.md: auth.restricted;
// decisions.md: 142

// SentTo returns the Lists to which the Messages of an Account were sent, or will be. Package batches has it.
type SentTo func(tx *db.Tx, account enlist.AccountID) (map[enlist.MessageID][]enlist.ListID, error)

// Seen returns which Messages the caller sees.
func Seen(tx *db.Tx, c *enlist.Caller, sentTo SentTo) (func(*Message) bool, error) {
	if c.Key.Lists == nil || c.User == 0 {
		return func(*Message) bool { return true }, nil
	}
	lists, err := sentTo(tx, c.Account.ID)
	return func(m *Message) bool {
		to := lists[m.ID]
		return m.IsTemplate || m.wroteIt(c) || len(to) > 0 &&
			!slices.ContainsFunc(to, func(l enlist.ListID) bool { return !c.Key.Allows(l) })
	}, err
}

// wroteIt reports whether the caller is the person who added the Message.
func (m *Message) wroteIt(c *enlist.Caller) bool { return c.User != 0 && m.CreatorUser == c.User }

// MayEdit reports whether a person may change and delete a Message that it sees.
func (m *Message) MayEdit(c *enlist.Caller) bool {
	return c.May(enlist.Write) && (c.Key.Lists == nil || m.wroteIt(c))
}

// LoadSeen returns a Message with its contents. One that the caller does not see is like one that does not exist.
func LoadSeen(tx *db.Tx, c *enlist.Caller, id enlist.MessageID, sentTo SentTo) (*Message, error) {
	m, err := LoadMessage(tx, c.Account.ID, id)
	if err != nil {
		return nil, err
	}
	sees, err := Seen(tx, c, sentTo)
	if err == nil && !sees(m) {
		err = enlist.ErrNoMessage
	}
	return m, err
}

// requireMessages refuses keys that are restricted to some Lists. Persons see only some Messages.
func requireMessages(c *enlist.Caller) error {
	if c.User != 0 {
		return nil
	}
	return enlist.RequireWholeAccount(c)
}

// forChange returns a Message that the caller changes or deletes. Errors: NoMessage, Denied.
func (s *Service) forChange(tx *db.Tx, c *enlist.Caller, id enlist.MessageID) (*Message, error) {
	m, err := LoadSeen(tx, c, id, s.sentTo)
	if err == nil && c.Key.Lists != nil && !m.wroteIt(c) {
		err = enlist.Refuse(enlist.Denied, "only the person who wrote the Message, and those who may use all Lists, may "+
			"change it")
	}
	return m, err
}

// seenMessages returns the Messages that the caller sees, in the order of their IDs, without their contents.
func (s *Service) seenMessages(tx *db.Tx, c *enlist.Caller) ([]Message, error) {
	all, err := Messages(tx, c.Account.ID)
	if err != nil {
		return nil, err
	}
	sees, err := Seen(tx, c, s.sentTo)
	return slices.DeleteFunc(all, func(m Message) bool { return !sees(&m) }), err
}

// checkNewFiles refuses files of others: a person of only some Lists can use those that it sees.
func (s *Service) checkNewFiles(tx *db.Tx, c *enlist.Caller, old, m *Message) error {
	allows, err := s.allowedFiles(tx, c, old, m)
	if err != nil {
		return err
	}
	for _, id := range m.allFiles() {
		if !allows(id) {
			return &enlist.Error{Kind: enlist.NoFile, Field: "blocks",
				Detail: fmt.Sprintf("the Account has no file with the ID %d", id)}
		}
	}
	return nil
}

// allowedFiles returns which files of the Account the caller may use in m, a changed form of the Message old: those that
// old has, and those that the caller sees. It reads these only if m has a new file.
func (s *Service) allowedFiles(tx *db.Tx, c *enlist.Caller, old, m *Message) (func(enlist.FileID) bool, error) {
	if c.Key.Lists == nil {
		return func(enlist.FileID) bool { return true }, nil
	}
	known := old.allFiles()
	isKnown := func(id enlist.FileID) bool { return slices.Contains(known, id) }
	if !slices.ContainsFunc(m.allFiles(), func(id enlist.FileID) bool { return !isKnown(id) }) {
		return isKnown, nil
	}
	shown, err := ShownFiles(s.sentTo)(tx, c, 0)
	if err != nil {
		return nil, err
	}
	wrote, err := files.WrittenBy(tx, c)
	return func(id enlist.FileID) bool { return isKnown(id) || shown[id] || wrote(id) }, err
}

// filesOfMessages reads Messages as far as it matters for who sees their files.
var filesOfMessages = db.NewMapping("message", func(m *db.Mapper, x *Message) {
	m.ID("id", (*int64)(&x.ID))
	m.Fixed("creator_person_id", &x.CreatorUser)
	m.Value("is_template", &x.IsTemplate)
	m.Value("blocks", &x.Blocks)
	m.Value("attachments", &x.Attachments)
	m.Value("inline_images", &x.InlineImages)
})

// ShownFiles returns a function for package files (files.Above): it returns the files of the Messages that the caller sees,
// and the logo of the theme, which each mail has. For one file it reads only the Messages that may have it.
func ShownFiles(sentTo SentTo) func(*db.Tx, *enlist.Caller, enlist.FileID) (map[enlist.FileID]bool, error) {
	return func(tx *db.Tx, c *enlist.Caller, only enlist.FileID) (map[enlist.FileID]bool, error) {
		where, args := "WHERE account_id = ?", []any{int64(c.Account.ID)}
		if only != 0 {
			id := fmt.Sprintf("%%%d%%", only)
			where += " AND (" + blocksShow + " OR attachments LIKE ? OR inline_images LIKE ?)"
			args = append(append(args, blocksShowing(only)...), id, id)
		}
		all, err := filesOfMessages.All(tx, where, args...)
		if err != nil {
			return nil, err
		}
		sees, err := Seen(tx, c, sentTo)
		if err != nil {
			return nil, err
		}
		shown := make(map[enlist.FileID]bool)
		for i := range all {
			if !sees(&all[i]) {
				continue
			}
			for _, id := range all[i].allFiles() {
				shown[id] = true
			}
		}
		theme, err := accounts.Theme(tx, c.Account.ID)
		shown[DecodeTheme(theme).Logo] = true
		return shown, err
	}
}

// allFiles returns the files of a Message, also those of its blocks.
func (m *Message) allFiles() []enlist.FileID {
	ids := append(splitIDs(m.Attachments), splitIDs(m.InlineImages)...)
	blocks, err := DecodeBlocks(m.Blocks)
	if err != nil {
		return ids // the Message will be refused
	}
	_ = eachBlock(blocks, func(b *Block) error {
		if b.File != 0 {
			ids = append(ids, b.File)
		}
		return nil
	})
	return ids
}

// Choice is a Message that can be chosen for a Batch or an autoresponder.
type Choice struct {
	ID   enlist.MessageID
	Name string
}

// Choices returns the Messages that a person sees, but for templates, the one that was changed last first.
func (s *Service) Choices(ctx context.Context, c *enlist.Caller) ([]Choice, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Choice, error) {
		all, err := s.seenMessages(tx, c)
		all = slices.DeleteFunc(all, func(m Message) bool { return m.IsTemplate })
		slices.SortStableFunc(all, func(a, b Message) int { return cmp.Compare(b.LastModifiedTime, a.LastModifiedTime) })
		choices := make([]Choice, len(all))
		for i := range all {
			choices[i] = Choice{all[i].ID, all[i].Name}
		}
		return choices, err
	})
}
