package audience

import "enlist/internal/enlist"

// This file stores Messages and the targets of their links.

// mapMessageHead describes the columns that a list of Messages needs. It leaves out the contents of the
// Messages, which can be large.
func mapMessageHead(m *mapper, x *Message) {
	m.id("id", (*int64)(&x.ID))
	m.fixed("account_id", (*int64)(&x.AccountID))
	m.fixed("creator_key_id", (*int64)(&x.CreatorKeyID))
	m.fixed("creator_name", &x.CreatorName)
	m.fixed("creation_time", &x.CreationTime)
	m.value("last_modified_time", &x.LastModifiedTime)
	m.value("type", &x.Type)
	m.value("name", &x.Name)
	m.value("folder_id", (*int64)(&x.FolderID))
	m.value("email_type", &x.EmailType)
	m.value("subject", &x.Subject)
	m.value("from_name", &x.FromName)
	m.value("from_address", &x.FromAddress)
	m.value("reply_to", &x.ReplyTo)
	m.value("attachments", &x.Attachments)
	m.value("inline_images", &x.InlineImages)
}

func mapMessage(m *mapper, x *Message) {
	mapMessageHead(m, x)
	m.value("html_content", &x.HTML)
	m.value("text_content", &x.Text)
	m.value("sms_content", &x.SMS)
}

var (
	messageTable     = newMapping("message", mapMessage)
	messageHeadTable = newMapping("message", mapMessageHead)
)

// Messages returns an Account's Messages in the order of their IDs, without their contents.
func (t *Tx) Messages(account enlist.AccountID) ([]Message, error) {
	return messageHeadTable.all(t, "WHERE account_id = ? ORDER BY id", int64(account))
}

// Message returns a Message of an Account with its contents.
func (t *Tx) Message(account enlist.AccountID, id enlist.MessageID) (*Message, error) {
	const byID = "WHERE id = ? AND account_id = ?"
	return messageTable.one(t, enlist.ErrNoMessage, byID, int64(id), int64(account))
}

// AddMessage stores a new Message.
func (t *Tx) AddMessage(m *Message) error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	return messageTable.add(t, m)
}

// UpdateMessage stores the columns of a Message that an edit can change.
func (t *Tx) UpdateMessage(m *Message) error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	return messageTable.save(t, m)
}

// DeleteMessage removes a Message and the targets of its links.
func (t *Tx) DeleteMessage(id enlist.MessageID) error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	if err := t.Do("DELETE FROM link WHERE message_id = ?", int64(id)); err != nil {
		return err
	}
	return t.Do("DELETE FROM message WHERE id = ?", int64(id))
}

// LinkTargets returns the IDs of a Message's URLs, in the order of urls. It stores the URLs that the
// Message does not have yet, and when it had the others.
func (t *Tx) LinkTargets(message enlist.MessageID, edited int64, urls []string) ([]enlist.LinkID, error) {
	targets := make([]enlist.LinkID, len(urls))
	for i, url := range urls {
		const (
			find = "SELECT id FROM link WHERE message_id = ? AND url = ?"
			add  = "INSERT INTO link (message_id, url, since_time, until_time) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
			keep = "UPDATE link SET until_time = ? WHERE id = ? AND until_time < ?"
		)
		id, err := t.number(find, int64(message), url)
		if err == nil && id == 0 {
			id, err = t.Insert(add, int64(message), url, edited, edited)
			if err == nil && id == 0 { // another transaction has added the URL
				id, err = t.number(find, int64(message), url)
			}
		}
		if err == nil {
			err = t.Do(keep, edited, id, edited)
		}
		if err != nil {
			return nil, err
		}
		targets[i] = enlist.LinkID(id)
	}
	return targets, nil
}

// LinkTarget returns the Message and the URL of a link, or ErrNoLink.
func (t *Tx) LinkTarget(id enlist.LinkID) (message enlist.MessageID, url string, err error) {
	err = t.each(func(row *Cursor) error {
		message, url = enlist.MessageID(row.Int()), row.Text()
		return nil
	}, "SELECT message_id, url FROM link WHERE id = ?", int64(id))
	if err == nil && message == 0 {
		err = enlist.ErrNoLink
	}
	return message, url, err
}
