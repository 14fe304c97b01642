package messages

import (
	"fmt"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores Messages and the targets of their links.

// mapMessageHead describes the columns that a list of Messages needs. It leaves out the contents of the
// Messages, which can be large.
func mapMessageHead(m *db.Mapper, x *Message) {
	m.ID("id", (*int64)(&x.ID))
	m.Fixed("account_id", (*int64)(&x.AccountID))
	m.Fixed("creator_key_id", (*int64)(&x.CreatorKeyID))
	m.Fixed("creator_name", &x.CreatorName)
	m.Fixed("creator_person_id", &x.CreatorUser)
	m.Fixed("creation_time", &x.CreationTime)
	m.Value("last_modified_time", &x.LastModifiedTime)
	m.Value("type", &x.Type)
	m.Value("name", &x.Name)
	m.Value("folder_id", (*int64)(&x.FolderID))
	m.Value("email_type", &x.EmailType)
	m.Value("subject", &x.Subject)
	m.Value("from_name", &x.FromName)
	m.Value("from_address", &x.FromAddress)
	m.Value("reply_to", &x.ReplyTo)
	m.Value("attachments", &x.Attachments)
	m.Value("inline_images", &x.InlineImages)
	m.Value("show_unsubscribe_link", &x.ShowUnsubscribeLink)
	m.Value("show_update_profile_link", &x.ShowUpdateProfileLink)
	m.Value("update_profile_list_id", &x.UpdateProfileListID)
	m.Value("update_profile_webform_id", &x.UpdateProfileWebformID)
	m.Value("unsubscribe_list_id", &x.UnsubscribeListID)
	m.Value("unsubscribe_webform_id", &x.UnsubscribeWebformID)
	m.Value("authorised_sender", &x.AuthorisedSender)
	m.Value("postal_address", &x.PostalAddress)
	m.Value("utm", &x.UTM)
	m.Value("other_subjects", &x.OtherSubjects)
	m.Value("is_template", &x.IsTemplate)
}

func mapMessage(m *db.Mapper, x *Message) {
	mapMessageHead(m, x)
	m.Value("html_content", &x.HTML)
	m.Value("text_content", &x.Text)
	m.Value("sms_content", &x.SMS)
	m.Value("blocks", &x.Blocks)
	m.Computed("coalesce((SELECT account.theme FROM account WHERE account.id = message.account_id), '')", &x.Theme)
}

var (
	messageTable     = db.NewMapping("message", mapMessage)
	messageHeadTable = db.NewMapping("message", mapMessageHead)
)

// Messages returns an Account's Messages in the order of their IDs, without their contents.
func Messages(tx *db.Tx, account enlist.AccountID) ([]Message, error) {
	return messageHeadTable.All(tx, "WHERE account_id = ? ORDER BY id", int64(account))
}

// measureContents sets the length of the contents that Messages has left out.
func measureContents(tx *db.Tx, account enlist.AccountID, all []Message) error {
	const lengths = `SELECT id, octet_length(html_content) + octet_length(text_content) + octet_length(sms_content)
		+ octet_length(blocks) FROM message WHERE account_id = ?`
	byID := make(map[enlist.MessageID]int64, len(all))
	err := tx.Each(func(row *db.Cursor) error {
		id := enlist.MessageID(row.Int())
		byID[id] = row.Int()
		return nil
	}, lengths, int64(account))
	for i := range all {
		all[i].LeftOut = byID[all[i].ID]
	}
	return err
}

// LoadMessage returns a Message of an Account with its contents.
func LoadMessage(tx *db.Tx, account enlist.AccountID, id enlist.MessageID) (*Message, error) {
	const byID = "WHERE id = ? AND account_id = ?"
	m, err := messageTable.One(tx, enlist.ErrNoMessage, byID, int64(id), int64(account))
	if err == nil {
		m.Asks = AsksForTracking(m)
	}
	return m, err
}

// LoadHead returns a Message of an Account without its contents.
func LoadHead(tx *db.Tx, account enlist.AccountID, id enlist.MessageID) (*Message, error) {
	return messageHeadTable.One(tx, enlist.ErrNoMessage, "WHERE id = ? AND account_id = ?", int64(id), int64(account))
}

// Add stores a new Message.
func (m *Message) Add(tx *db.Tx) error {
	if err := tx.LockDefinitions(); err != nil {
		return err
	}
	return messageTable.Add(tx, m)
}

// Restore stores a Message under its ID.
func (m *Message) Restore(tx *db.Tx) error { return messageTable.RestoreDefinition(tx, "message", m) }

// LockMessages locks Messages until the transaction ends: an Autosave exclusively, and what adds a Batch of them in the
// shared mode. Changes of definitions exclude both.
func LockMessages(tx *db.Tx, mode db.LockMode, ids ...enlist.MessageID) error {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if err := tx.Lock(mode, fmt.Sprintf("message %d", id)); err != nil {
			return err
		}
	}
	return nil
}

// Save stores the columns of a Message that an edit can change.
func (m *Message) Save(tx *db.Tx) error {
	if err := tx.LockDefinitions(); err != nil {
		return err
	}
	return messageTable.Save(tx, m)
}

// Texts calls each with the texts of the Messages of an Account and of their Versions.
func Texts(tx *db.Tx, account enlist.AccountID, each func(id int64, text string)) error {
	return tx.EachText(each, `SELECT id, name || ' ' || subject || ' ' || html_content || ' ' || text_content || ' '
			|| from_address || ' ' || reply_to || ' ' || authorised_sender || ' ' || postal_address || ' ' || blocks
		FROM message WHERE account_id = ?
		UNION ALL SELECT message_id, content FROM message_version
		WHERE message_id IN (SELECT id FROM message WHERE account_id = ?) ORDER BY 1`, int64(account), int64(account))
}

// DeleteMessage removes a Message, its Versions and the targets of its links.
func DeleteMessage(tx *db.Tx, id enlist.MessageID) error {
	if err := tx.LockDefinitions(); err != nil {
		return err
	}
	for _, table := range []string{"link", "message_version"} {
		if err := tx.Do("DELETE FROM "+table+" WHERE message_id = ?", int64(id)); err != nil {
			return err
		}
	}
	return tx.Do("DELETE FROM message WHERE id = ?", int64(id))
}

// LinkTargets returns the IDs of a Message's URLs, in the order of urls. It stores the URLs that the
// Message does not have yet, and when it had the others.
func LinkTargets(tx *db.Tx, message enlist.MessageID, edited int64, urls []string) ([]enlist.LinkID, error) {
	targets := make([]enlist.LinkID, len(urls))
	for i, url := range urls {
		const (
			find = "SELECT id FROM link WHERE message_id = ? AND url = ?"
			add  = "INSERT INTO link (message_id, url, since_time, until_time) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
			keep = "UPDATE link SET until_time = ? WHERE id = ? AND until_time < ?"
		)
		id, err := tx.Number(find, int64(message), url)
		if err == nil && id == 0 {
			id, err = tx.Insert(add, int64(message), url, edited, edited)
			if err == nil && id == 0 { // another transaction has added the URL
				id, err = tx.Number(find, int64(message), url)
			}
		}
		if err == nil {
			err = tx.Do(keep, edited, id, edited)
		}
		if err != nil {
			return nil, err
		}
		targets[i] = enlist.LinkID(id)
	}
	return targets, nil
}

// LinkTarget returns the Message and the URL of a link, or ErrNoLink.
func LinkTarget(tx *db.Tx, id enlist.LinkID) (message enlist.MessageID, url string, err error) {
	err = tx.Row([]any{(*int64)(&message), &url}, "SELECT message_id, url FROM link WHERE id = ?", int64(id))
	if err == nil && message == 0 {
		err = enlist.ErrNoLink
	}
	return message, url, err
}

// Link is a link in a Message.
type Link struct {
	ID    enlist.LinkID
	URL   string // as in the Message
	Since int64  // last_modified_time of the first Edition that has the link
	Until int64  // and of the last one; 0: not known
}

// Links returns the links that a Message has or had.
func Links(tx *db.Tx, message enlist.MessageID) ([]Link, error) {
	return db.RowsOf(tx, func(row *db.Cursor) Link {
		return Link{ID: enlist.LinkID(row.Int()), URL: row.Text(), Since: row.Int(), Until: row.Int()}
	}, "SELECT id, url, since_time, until_time FROM link WHERE message_id = ? ORDER BY id", int64(message))
}
