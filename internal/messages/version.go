package messages

import (
	"encoding/json"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file keeps versions of Messages, so that no text is lost: each save that a user ended, and what a page has saved
// by itself in ten minutes. A draft is a text of a page that could not go into the Message. version_save.go stores them.
// decisions.md: 158

// VersionID identifies a Version.
type VersionID int64

// Version is a text of a Message.
type Version struct {
	ID       VersionID
	Message  enlist.MessageID
	Kind     VersionKind
	Page     string // whose saves it has; "": none
	Number   int64  // of the last of these
	User     int64  // who has written it; 0: unknown, such as the program that added the Message
	UserName string
	Begun    int64 // time of its first save
	Time     int64 // and of its last one
	IsSent   bool  // mails with it have left

	content string // JSON: texts by the keys of a Message; "" in a list
}

// VersionKind says how a Version came to be.
type VersionKind string

// The kinds of Versions.
const (
	VersionSaved VersionKind = "saved" // a user has ended it
	VersionAuto  VersionKind = "auto"  // a page has saved it by itself
	VersionDraft VersionKind = "draft" // it is not in the Message
)

const (
	maxVersions = 50      // that are kept of a Message, besides those that were sent; and of its drafts
	autoTime    = 10 * 60 // seconds of saves by a page that are one Version
)

func mapVersionHead(m *db.Mapper, v *Version) {
	m.ID("id", (*int64)(&v.ID))
	m.Fixed("message_id", (*int64)(&v.Message))
	m.Value("kind", (*string)(&v.Kind))
	m.Value("page", &v.Page)
	m.Value("page_number", &v.Number)
	m.Fixed("person_id", &v.User)
	m.Fixed("person_name", &v.UserName)
	m.Fixed("begun_time", &v.Begun)
	m.Value("time", &v.Time)
	m.Value("is_sent", &v.IsSent)
}

func mapVersion(m *db.Mapper, v *Version) {
	mapVersionHead(m, v)
	m.Value("content", &v.content)
}

var (
	versionTable     = db.NewMapping("message_version", mapVersion)
	versionHeadTable = db.NewMapping("message_version", mapVersionHead)
)

var errNoVersion = enlist.Refuse(enlist.NoMessage, "the Message has no version with this ID")

// lastVersion returns the last text that was in a Message, or nil.
func lastVersion(tx *db.Tx, id enlist.MessageID) (*Version, error) {
	v, err := versionTable.One(tx, errNoVersion, "WHERE message_id = ? AND kind <> 'draft' ORDER BY id DESC LIMIT 1", int64(id))
	return v, enlist.IgnoreKind(enlist.NoMessage, err)
}

// draftOf returns the draft of a page, or nil.
func draftOf(tx *db.Tx, id enlist.MessageID, user int64, page string) (*Version, error) {
	v, err := versionTable.One(tx, errNoVersion, "WHERE message_id = ? AND kind = 'draft' AND person_id = ? AND page = ?",
		int64(id), user, page)
	return v, enlist.IgnoreKind(enlist.NoMessage, err)
}

// dropDraft removes the draft of a page whose text is now in the Message.
func dropDraft(tx *db.Tx, id enlist.MessageID, user int64, page string) error {
	return tx.Do("DELETE FROM message_version WHERE message_id = ? AND kind = 'draft' AND person_id = ? AND page = ?",
		int64(id), user, page)
}

// dropOldVersions removes all but the last Versions of a Message and its last drafts. Those that were sent stay.
func dropOldVersions(tx *db.Tx, id enlist.MessageID) error {
	for _, of := range []string{"kind <> 'draft' AND is_sent = 0", "kind = 'draft'"} {
		err := tx.Do("DELETE FROM message_version WHERE message_id = ? AND "+of+" AND id NOT IN (SELECT id FROM message_version "+
			"WHERE message_id = ? AND "+of+" ORDER BY time DESC, id DESC LIMIT ?)", int64(id), int64(id), int64(maxVersions))
		if err != nil {
			return err
		}
	}
	return nil
}

// contentOf returns the texts of a Message as a Version has them.
func contentOf(m *Message) (string, error) {
	texts := make(map[string]string)
	for i := range WholeMessageAttributes {
		if a := &WholeMessageAttributes[i]; a.Set != nil && a.Type == enlist.KeyText {
			texts[a.Name] = a.Get(m).Text
		}
	}
	text, err := json.Marshal(texts)
	return string(text), err
}

// withTexts returns texts of a Version in which those that a page has sent replace others, also wrong ones.
func withTexts(content string, details []enlist.Detail) (string, error) {
	texts := make(map[string]string)
	if err := json.Unmarshal([]byte(content), &texts); err != nil {
		return "", err
	}
	for i := range details {
		if _, ok := texts[details[i].Key]; ok {
			texts[details[i].Key] = details[i].Value.Text
		}
	}
	text, err := json.Marshal(texts)
	return string(text), err
}

// Details returns the texts of the Version as the details of its Message.
func (v *Version) Details() (details []enlist.Detail, err error) {
	texts := make(map[string]string)
	if err := json.Unmarshal([]byte(v.content), &texts); err != nil {
		return nil, err
	}
	for i := range WholeMessageAttributes {
		if text, ok := texts[WholeMessageAttributes[i].Name]; ok {
			details = append(details, enlist.Detail{Key: WholeMessageAttributes[i].Name, Value: enlist.TextInput(text)})
		}
	}
	return details, nil
}

// In returns a Message with the texts of the Version. Wrong texts of a draft are left out.
func (v *Version) In(m *Message) (*Message, error) {
	details, err := v.Details()
	if err != nil {
		return nil, err
	}
	with := *m
	for i := range details {
		_ = enlist.Assign(&with, WholeMessageAttributes, details[i:i+1])
	}
	return &with, nil
}
