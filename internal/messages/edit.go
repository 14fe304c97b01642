package messages

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has the calls about Messages: add, edit, delete, get and search. A key that is
// restricted to some Lists must not make these calls, because a Message belongs to no List. see.go says which Messages a
// person sees.

// publishedAttributes are the keys of a Message record in a search that the published interface has, in its order.
var publishedAttributes = []enlist.Attribute[Message]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(m *Message) enlist.MessageID { return m.ID })),
	enlist.Searchable(enlist.TextKey("name", func(m *Message) *string { return &m.Name }, enlist.ReadName)),
	enlist.Searchable(enlist.TextKey("from_name", func(m *Message) *string { return &m.FromName }, enlist.ReadLine)),
	enlist.Searchable(enlist.TextKey(keyFromAddress, func(m *Message) *string { return &m.FromAddress }, readAddress)),
	enlist.Searchable(enlist.IntKey("folder_id", func(m *Message) *enlist.FolderID { return &m.FolderID }, 0,
		lists.MaxID)),
	enlist.Searchable(enlist.TextKey("subject", func(m *Message) *string { return &m.Subject }, readSubject)),
	enlist.Searchable(enlist.TextKey(keyReplyTo, func(m *Message) *string { return &m.ReplyTo }, readAddress)),
	enlist.Searchable(enlist.EnumKey("type", func(m *Message) *string { return &m.Type }, MessageEmail, MessageSMS)),
	enlist.Searchable(enlist.EnumKey("email_type", func(m *Message) *string { return &m.EmailType },
		EmailHTML, EmailPlainHTML, EmailPlain, EmailRawHTML, EmailMarkdown, EmailBlocks)),
	enlist.Searchable(enlist.ReadOnlyInt("size", (*Message).Size)),
	enlist.Searchable(enlist.ReadOnlyInt("creator_user_id", func(m *Message) enlist.KeyID { return m.CreatorKeyID })),
	enlist.Searchable(enlist.ReadOnlyInt("creation_time", func(m *Message) int64 { return m.CreationTime })),
	enlist.Searchable(enlist.ReadOnlyInt("last_modified_time", func(m *Message) int64 { return m.LastModifiedTime })),
	footerFlag("show_unsubscribe_link", func(m *Message) *bool { return &m.ShowUnsubscribeLink }),
	footerFlag("show_update_profile_link", func(m *Message) *bool { return &m.ShowUpdateProfileLink }),
	footerID("update_profile_list_id", func(m *Message) *int64 { return &m.UpdateProfileListID }),
	footerID("update_profile_webform_id", func(m *Message) *int64 { return &m.UpdateProfileWebformID }),
	footerID("unsubscribe_list_id", func(m *Message) *int64 { return &m.UnsubscribeListID }),
	footerID("unsubscribe_webform_id", func(m *Message) *int64 { return &m.UnsubscribeWebformID }),
	enlist.Searchable(enlist.ReadOnlyText("creator_name", func(m *Message) string { return m.CreatorName })),
	enlist.Searchable(enlist.TextKey("authorised_sender", func(m *Message) *string { return &m.AuthorisedSender },
		enlist.ReadLine)),
	enlist.Searchable(enlist.TextKey("postal_address", func(m *Message) *string { return &m.PostalAddress },
		readPostalAddress)),
}

// footerFlag returns a flag about the end of the mails.
func footerFlag(name string, at func(*Message) *bool) enlist.Attribute[Message] {
	return enlist.Searchable(enlist.FlagKey(name, at))
}

// footerID returns an ID about the end of the mails. It has no effect, so it need not be the ID of a record.
func footerID(name string, at func(*Message) *int64) enlist.Attribute[Message] {
	return enlist.Searchable(enlist.IntKey(name, at, 0, lists.MaxID))
}

// fileAttributes are the keys of a Message record that only this service has.
var fileAttributes = []enlist.Attribute[Message]{
	fileIDs("attachments", func(m *Message) *string { return &m.Attachments }),
	fileIDs("inline_images", func(m *Message) *string { return &m.InlineImages }),
	enlist.Searchable(enlist.FlagKey("is_template", func(m *Message) *bool { return &m.IsTemplate })),
}

// MessageAttributes are the keys of a Message record in a search, in the order of a reply. The
// contents are left out, to keep the reply small.
var MessageAttributes = slices.Concat(publishedAttributes, fileAttributes, utmAttributes())

// WholeMessageAttributes are the MessageAttributes and the contents.
var WholeMessageAttributes = enlist.WithVersion(slices.Concat(publishedAttributes, []enlist.Attribute[Message]{
	contentKey("html_content", func(m *Message) *string { return &m.HTML }),
	contentKey("text_content", func(m *Message) *string { return &m.Text }),
	contentKey("sms_content", func(m *Message) *string { return &m.SMS }),
}, fileAttributes, []enlist.Attribute[Message]{blocksKey(),
	enlist.TextKey("other_subjects", func(m *Message) *string { return &m.OtherSubjects }, readSubjects)}, utmAttributes()))

// Limits of a Message.
const (
	maxContent = 2 << 20 // of each content, in bytes
	maxSubject = 998     // in bytes: the longest line of a mail. RFC 5322, section 2.1.1
	maxAddress = 1000    // of a postal address, in characters
)

// contentKey returns the key of a content, which callers may set. The text is stored as it was
// sent, with all white space.
func contentKey(name string, at func(*Message) *string) enlist.Attribute[Message] {
	return enlist.TextUpTo(maxContent, name, at, lists.AsSent)
}

// readSubject trims a subject. It refuses a subject that does not fit on one line of a mail.
func readSubject(text string) (string, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxSubject || strings.ContainsFunc(text, unicode.IsControl) {
		return "", enlist.Expected("a text of at most 998 bytes without control characters")
	}
	return text, nil
}

// maxOtherSubjects is the number of other subjects of a Message. A Batch has up to four variants.
const maxOtherSubjects = 3

// readSubjects reads subjects, one a line. Empty lines are left out.
func readSubjects(text string) (string, error) {
	var all []string
	for line := range strings.Lines(text) {
		subject, err := readSubject(line)
		if err != nil {
			return "", err
		}
		if subject != "" {
			all = append(all, subject)
		}
	}
	if len(all) > maxOtherSubjects {
		return "", enlist.Expected("at most 3 other subjects, one a line")
	}
	return strings.Join(all, "\n"), nil
}

// Subjects returns the other subjects of the Message, for a test of variants.
func (m *Message) Subjects() []string {
	return strings.FieldsFunc(m.OtherSubjects, func(r rune) bool { return r == '\n' })
}

// readPostalAddress reads a postal address of several lines. It is stored as it was sent.
func readPostalAddress(text string) (string, error) {
	refused := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' }
	if utf8.RuneCountInString(text) > maxAddress || strings.ContainsFunc(text, refused) {
		return "", enlist.Expected("lines of together at most 1000 characters without control characters")
	}
	return text, nil
}

// AddMessage stores a Message. Errors: Denied, InvalidParameters.
func (s *Service) AddMessage(ctx context.Context, c *enlist.Caller, details []enlist.Detail) (enlist.MessageID, error) {
	if err := requireMessages(c); err != nil {
		return 0, err
	}
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.MessageID, error) {
		m := Message{AccountID: c.Account.ID, CreatorKeyID: c.Key.ID, CreatorName: c.Key.Name, CreatorUser: c.User,
			CreationTime: now, LastModifiedTime: now, Type: MessageEmail, EmailType: EmailHTML,
			ShowUnsubscribeLink: true}
		if err := m.set(tx, details); err != nil {
			return 0, err
		}
		if err := s.checkNewFiles(tx, c, new(Message), &m); err != nil {
			return 0, err
		}
		if err := m.Add(tx); err != nil {
			return 0, err
		}
		return m.ID, accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Message", ID: int64(m.ID), List: 0}, nil,
			accounts.SettableValues(WholeMessageAttributes, &m))
	})
}

// EditMessage changes the keys that details contain, for programs. SaveMessage is for pages. The type of a Message that autoresponders
// send cannot change, because autoresponders cannot send SMS. Errors: Denied, NoMessage,
// InvalidParameters.
func (s *Service) EditMessage(ctx context.Context, c *enlist.Caller, id enlist.MessageID,
	details []enlist.Detail) (enlist.MessageID, error) {
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.MessageID, error) {
		old, m, err := s.edited(tx, c, id, details)
		if err != nil {
			return 0, err
		}
		if err := s.keepSent(tx, old); err != nil {
			return 0, err
		}
		return id, storeEdit(tx, c, old, m, now)
	})
}

func (m *Message) sender() accounts.NamedSender {
	return accounts.NamedSender{Name: m.FromName, From: m.FromAddress}
}

// set changes the keys that details contain. Then it checks the complete Message.
func (m *Message) set(tx *db.Tx, details []enlist.Detail) error {
	folder, attachments, images, blocks, old := m.FolderID, m.Attachments, m.InlineImages, m.Blocks, m.sender()
	err := enlist.Assign(m, WholeMessageAttributes, details)
	if err != nil {
		return err
	}
	var missing []*enlist.Error
	if m.Name == "" {
		missing = append(missing, enlist.Invalid("name", "expected a name"))
	}
	if m.Subject == "" && m.Type == MessageEmail {
		missing = append(missing, enlist.Invalid("subject", "an email needs a subject"))
	}
	switch {
	case missing != nil:
		return enlist.Together(missing)
	case m.EmailType == EmailMarkdown && m.Text == "" && m.HTML != "":
		return enlist.Invalid("text_content", "a Message in Markdown has its text here, not in html_content")
	case m.EmailType == EmailBlocks && m.Blocks == "" && m.HTML+m.Text != "":
		return enlist.Invalid("blocks", "a Message of blocks has its content here, not in html_content or text_content")
	}
	if err := accounts.CheckSender(tx, m.AccountID, m.sender(), old); err != nil {
		return err
	}
	if fallback, ok := fallbackAddress(m.FromAddress); ok && m.FromAddress != old.From {
		err := accounts.CheckSender(tx, m.AccountID, accounts.NamedSender{From: fallback}, accounts.NamedSender{})
		if err != nil {
			return err
		}
	}
	if m.Attachments != attachments || m.InlineImages != images {
		if err := m.CheckFiles(tx); err != nil {
			return err
		}
	}
	if m.Blocks != blocks {
		if err := m.SetImages(tx); err != nil {
			return err
		}
	}
	if m.FolderID == folder {
		return nil
	}
	return CheckMessageFolder(tx, m.AccountID, m.FolderID)
}

// CheckMessageFolder refuses an ID if the Account has no Folder for Messages with that ID. 0
// means no Folder, and is allowed.
func CheckMessageFolder(tx *db.Tx, account enlist.AccountID, id enlist.FolderID) error {
	folder := accounts.Folder{ID: id, AccountID: account, Type: accounts.FolderOfMessages}
	return folder.MustExist(tx, "folder_id", "expected a Folder for Messages")
}

// DeleteMessage removes a Message. Links in mails that were already sent stop working. Errors:
// Denied, NoMessage, and InvalidParameters while autoresponders send the Message.
// decisions.md: 54
func (s *Service) DeleteMessage(ctx context.Context, c *enlist.Caller, id enlist.MessageID) error {
	if err := requireMessages(c); err != nil {
		return err
	}
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		m, err := s.forChange(tx, c, id)
		if err != nil {
			return err
		}
		if err := s.unused(tx, m, ""); err != nil {
			return err
		}
		before := accounts.SettableValues(WholeMessageAttributes, m)
		if err := accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Message", ID: int64(id), List: 0}, before,
			nil); err != nil {
			return err
		}
		return DeleteMessage(tx, id)
	})
}

// Message returns one Message with its contents. Errors: Denied, NoMessage.
func (s *Service) Message(ctx context.Context, c *enlist.Caller, id enlist.MessageID) (*Message, error) {
	if err := requireMessages(c); err != nil {
		return nil, err
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*Message, error) { return LoadSeen(tx, c, id, s.sentTo) })
}

// SearchMessages returns the Messages that match and that the caller sees, without their
// contents. Errors: Denied, InvalidSearch.
func (s *Service) SearchMessages(ctx context.Context, c *enlist.Caller, q enlist.Query) ([]Message, error) {
	if err := requireMessages(c); err != nil {
		return nil, err
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Message, error) {
		all, err := s.seenMessages(tx, c)
		if err == nil {
			err = measureContents(tx, c.Account.ID, all)
		}
		if err != nil {
			return nil, err
		}
		return enlist.SearchRecords(MessageAttributes, all, q)
	})
}
