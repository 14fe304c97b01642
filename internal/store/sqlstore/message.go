package sqlstore

// This file stores Messages and the targets of their links.

import (
	"enlist/internal/audience"
)

// mapMessageHead describes what Messages are listed with: all but their contents,
// which may be large.
func mapMessageHead(m *mapper, x *audience.Message) {
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
}

func mapMessage(m *mapper, x *audience.Message) {
	mapMessageHead(m, x)
	m.value("html_content", &x.HTML)
	m.value("text_content", &x.Text)
	m.value("sms_content", &x.SMS)
}

// Messages returns an Account's Messages by ID, without their contents.
func (t *Tx) Messages(account audience.AccountID) ([]audience.Message, error) {
	return t.sql.mappings.messageHeads.all(t, "WHERE account_id = ? ORDER BY id", int64(account))
}

// Message returns a Message of an Account with its contents.
func (t *Tx) Message(account audience.AccountID, id audience.MessageID) (*audience.Message, error) {
	return t.sql.mappings.messages.one(t, audience.ErrNoMessage, "WHERE id = ? AND account_id = ?", int64(id), int64(account))
}

// AddMessage stores a new Message.
func (t *Tx) AddMessage(m *audience.Message) error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	id, err := t.sql.mappings.messages.add(t, m)
	m.ID = audience.MessageID(id)
	return err
}

// UpdateMessage stores what may change of a Message.
func (t *Tx) UpdateMessage(m *audience.Message) error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	return t.sql.mappings.messages.save(t, m)
}

// DeleteMessage removes a Message and the targets of its links.
func (t *Tx) DeleteMessage(id audience.MessageID) error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	if err := t.conn.Do("DELETE FROM link WHERE message_id = ?", int64(id)); err != nil {
		return err
	}
	return t.conn.Do("DELETE FROM message WHERE id = ?", int64(id))
}

// LinkTargets returns the IDs of URLs as they stand in a Message, in the order
// given, and stores those that are new.
func (t *Tx) LinkTargets(message audience.MessageID, urls []string) ([]audience.LinkID, error) {
	targets := make([]audience.LinkID, len(urls))
	for i, url := range urls {
		const find = "SELECT id FROM link WHERE message_id = ? AND url = ?"
		id, err := t.number(find, int64(message), url)
		if err == nil && id == 0 {
			_, err = t.conn.Insert("INSERT INTO link (message_id, url) VALUES (?, ?) ON CONFLICT DO NOTHING", int64(message), url)
			if err == nil {
				id, err = t.number(find, int64(message), url)
			}
		}
		if err != nil {
			return nil, err
		}
		targets[i] = audience.LinkID(id)
	}
	return targets, nil
}

// LinkTarget returns the URL that a link leads to, as it stands in its Message.
func (t *Tx) LinkTarget(id audience.LinkID) (message audience.MessageID, url string, err error) {
	err = t.each(func(row *Cursor) error {
		message, url = audience.MessageID(row.Int()), row.Text()
		return nil
	}, "SELECT message_id, url FROM link WHERE id = ?", int64(id))
	if err == nil && message == 0 {
		err = audience.ErrNoLink
	}
	return message, url, err
}
