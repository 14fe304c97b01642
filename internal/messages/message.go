package messages

import (
	"strings"

	"enlist/internal/enlist"
)

// Message is the text that autoresponders send to Contacts: an email with merge fields such as
// {{First Name|friend}} (package merge), or an SMS. The rules for callers are in
// edit.go; package mail composes the email.
type Message struct {
	ID               enlist.MessageID
	AccountID        enlist.AccountID
	CreatorKeyID     enlist.KeyID
	CreatorName      string
	CreatorUser      int64 // ID of the person who added it; 0: a key or the operator
	CreationTime     int64
	LastModifiedTime int64
	Type             string // MessageEmail or MessageSMS
	Name             string
	FolderID         enlist.FolderID // 0: no Folder
	EmailType        string          // EmailHTML, EmailPlainHTML, EmailPlain, EmailRawHTML, EmailMarkdown or EmailBlocks
	Subject          string
	HTML             string
	Text             string
	SMS              string
	Blocks           string // JSON for DecodeBlocks
	OtherSubjects    string // for a test of variants, one a line
	FromName         string
	FromAddress      string
	ReplyTo          string
	Attachments      string // IDs of files, separated by commas
	InlineImages     string // IDs of files, separated by commas

	// The end of the mails. Only the two texts change a mail: the link to unsubscribe is always there, and no mail
	// has a link to update a profile. decisions.md: 127
	ShowUnsubscribeLink    bool
	ShowUpdateProfileLink  bool
	UpdateProfileListID    int64
	UpdateProfileWebformID int64
	UnsubscribeListID      int64
	UnsubscribeWebformID   int64
	AuthorisedSender       string // who sends the mails, such as a company
	PostalAddress          string // of the sender, in several lines

	IsTemplate bool // Messages begin with it, and all users of the Account see it

	UTM string // parameters of its links, for enlist.ParseUTM

	Theme string // of the Account, for DecodeTheme; the Message does not store it

	Asks bool // AsksForTracking, if LoadMessage has read the Message

	Met uint32 // conditions of blocks that the Contact meets, of a Message with the blocks of one Contact

	// LeftOut is the length of the contents in bytes, in a list of Messages, which leaves them out; else 0.
	LeftOut int64
}

// HasContent reports whether the mails of the Message have a text.
func (m *Message) HasContent() bool {
	if m.EmailType == EmailBlocks {
		return m.Blocks != ""
	}
	return strings.TrimSpace(m.Text) != "" || strings.TrimSpace(m.HTML) != ""
}

// Size returns the length of the contents in bytes.
func (m *Message) Size() int64 {
	return m.LeftOut + int64(len(m.HTML)+len(m.Text)+len(m.SMS)+len(m.Blocks))
}

// The Message types.
const (
	MessageEmail = "email"
	MessageSMS   = "sms"
)

// The email types.
const (
	EmailHTML      = "html"       // the server moves CSS rules into the style attributes of elements
	EmailPlainHTML = "plain-html" // the server makes the HTML part from the plain text
	EmailPlain     = "plain"      // no HTML part
	EmailRawHTML   = "raw_html"   // the HTML is sent as it is
	EmailMarkdown  = "markdown"   // the server makes both parts from the text, which is Markdown
	EmailBlocks    = "blocks"     // the server makes both parts from the blocks
)
