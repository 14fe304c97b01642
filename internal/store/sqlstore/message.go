package sqlstore

import (
	"database/sql/driver"

	"enlist/internal/audience"
)

// messageHead is what a Message is listed with; its contents come after it.
const messageHead = `id, account_id, creator_key_id, creator_name, creation_time, last_modified_time, type, name, folder_id,
	email_type, subject, from_name, from_address, reply_to`

const messageHeadCount = 14

func decodeMessage(row []driver.Value) audience.Message {
	return audience.Message{
		ID: audience.MessageID(integer(row[0])), AccountID: audience.AccountID(integer(row[1])),
		CreatorKeyID: audience.KeyID(integer(row[2])), CreatorName: text(row[3]), CreationTime: integer(row[4]), LastModifiedTime: integer(row[5]),
		Type: text(row[6]), Name: text(row[7]), FolderID: audience.FolderID(integer(row[8])), EmailType: text(row[9]), Subject: text(row[10]),
		FromName: text(row[11]), FromAddress: text(row[12]), ReplyTo: text(row[13]),
	}
}

// Messages returns an Account's Messages by ID, without their contents.
func (t *Tx) Messages(account audience.AccountID) (messages []audience.Message, err error) {
	err = t.each(messageHeadCount, func(row []driver.Value) error {
		messages = append(messages, decodeMessage(row))
		return nil
	}, "SELECT "+messageHead+" FROM message WHERE account_id = ? ORDER BY id", int64(account))
	return messages, err
}

// Message returns a Message of an Account with its contents.
func (t *Tx) Message(account audience.AccountID, id audience.MessageID) (found *audience.Message, err error) {
	err = t.each(messageHeadCount+3, func(row []driver.Value) error {
		m := decodeMessage(row)
		m.HTML, m.Text, m.SMS = text(row[messageHeadCount]), text(row[messageHeadCount+1]), text(row[messageHeadCount+2])
		found = &m
		return nil
	}, "SELECT "+messageHead+", html_content, text_content, sms_content FROM message WHERE id = ? AND account_id = ?", int64(id), int64(account))
	if err == nil && found == nil {
		err = audience.ErrNoMessage
	}
	return found, err
}

func messageValues(m *audience.Message) []any {
	return []any{m.LastModifiedTime, m.Type, m.Name, int64(m.FolderID), m.EmailType, m.Subject, m.HTML, m.Text, m.SMS,
		m.FromName, m.FromAddress, m.ReplyTo}
}

// AddMessage stores a new Message.
func (t *Tx) AddMessage(m *audience.Message) error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	id, err := t.conn.Insert(`INSERT INTO message (account_id, creator_key_id, creator_name, creation_time,
			last_modified_time, type, name, folder_id, email_type, subject, html_content, text_content, sms_content,
			from_name, from_address, reply_to)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		append([]any{int64(m.AccountID), int64(m.CreatorKeyID), m.CreatorName, m.CreationTime}, messageValues(m)...)...)
	m.ID = audience.MessageID(id)
	return err
}

// UpdateMessage stores what may change of a Message.
func (t *Tx) UpdateMessage(m *audience.Message) error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	return t.conn.Do(`UPDATE message SET last_modified_time = ?, type = ?, name = ?, folder_id = ?, email_type = ?, subject = ?,
			html_content = ?, text_content = ?, sms_content = ?, from_name = ?, from_address = ?, reply_to = ?
		WHERE id = ?`, append(messageValues(m), int64(m.ID))...)
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
	err = t.each(2, func(row []driver.Value) error {
		message, url = audience.MessageID(integer(row[0])), text(row[1])
		return nil
	}, "SELECT message_id, url FROM link WHERE id = ?", int64(id))
	if err == nil && message == 0 {
		err = audience.ErrNoLink
	}
	return message, url, err
}
