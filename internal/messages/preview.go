package messages

import (
	"context"
	"errors"
	"slices"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file shows the mail of a Message before it is sent, and sends it to addresses of the caller. Both use
// the code that composes all mails. Their links are made for no Contact, so opening them changes nothing.

// ComposedMail is a mail as a Contact would get it.
type ComposedMail struct {
	Subject, From, To, ReplyTo string // for people, without the encodings of a header
	Headers                    string // as they are sent, without a signature
	HTML, Text                 string
	Preheader                  string           // the text for inboxes, with the values of the Contact; "": it has none
	Size                       int64            // of the complete mail, in bytes
	Pictures                   []enlist.Picture // the images of the Account that the mail shows
	Elsewhere                  int64            // number of images of other servers
	Findings                   []string         // what is probably wrong, in sentences
}

// Composer composes a mail without sending it. The error is an *Undelivered if there is no such mail.
type Composer interface {
	// Preview returns the mail without Findings.
	Preview(ctx context.Context, m *OutgoingMail) (*ComposedMail, error)
	// Check returns what is probably wrong with the content of a mail. The mail needs no address.
	Check(ctx context.Context, m *OutgoingMail) ([]Finding, error)
	// Places returns what Check finds about parts of a Message, with their blocks, and its links to pages of the web.
	Places(ctx context.Context, m *Message) ([]Finding, []PlacedLink, error)
	// Canvas returns what the editor shows of a Message.
	Canvas(ctx context.Context, m *Message) (*Canvas, error)
}

// SetComposer sets the Composer. Call it before the first call of PreviewMessage and CheckBatch.
func (s *Service) SetComposer(c Composer) { s.composer = c }

// CheckContent returns what is probably wrong with the content of a mail. Without a Composer it only finds that there
// is no content.
func (s *Service) CheckContent(ctx context.Context, m *OutgoingMail) ([]Finding, error) {
	switch {
	case s.composer != nil:
		return s.composer.Check(ctx, m)
	case !m.Message.HasContent():
		return []Finding{NoContent()}, nil
	}
	return nil, nil
}

// PreviewMessage returns the mail that a Contact would get from a Message. Errors: NoMessage, NoList, Denied,
// NoContact, and InvalidParameters if the Contact can get no such mail.
func (s *Service) PreviewMessage(ctx context.Context, c *enlist.Caller, message enlist.MessageID, list enlist.ListID,
	contact enlist.ContactID) (*ComposedMail, error) {
	if !seesContacts(c) {
		return s.PreviewDraft(ctx, c, message)
	}
	return s.preview(ctx, c, &Typed{Message: message, List: list, Contact: contact}, nil)
}

// seesContacts reports whether mails that a caller tries show the values of a Contact. A user who may not see Contacts gets
// them without one, and is not told which Contacts there are. The level of a key says which methods it can call.
func seesContacts(c *enlist.Caller) bool { return c.Key.Role == "" || c.May(enlist.SeeContacts) }

// preview is PreviewMessage of what a function makes of the Message, if it is not nil.
func (s *Service) preview(ctx context.Context, c *enlist.Caller, t *Typed,
	of func(*db.Tx, *Message) (*Message, error)) (*ComposedMail, error) {
	var sender []Finding
	list := t.List
	mail, err := db.View(ctx, s.db, c, func(tx *db.Tx) (*OutgoingMail, error) {
		m, err := s.trialMail(tx, c, t, of)
		if err == nil && list == 0 { // only a test mail needs no Contact
			_, err = lists.Load(tx, c, list)
		}
		if err == nil {
			m.Delivery = enlist.DeliveryKey{List: list, Time: s.db.Now().Unix(), Cause: causeTrial}
			m.Address = m.Contact.Values.Get(m.Schema.Email().ID)
		}
		if err == nil && m.Address == "" {
			err = enlist.Invalid("contact_id", "the Contact has no email address")
		}
		if err == nil {
			sender, err = s.senderFindings(tx, c.Account, m.Message, &m.Schema.List)
		}
		return m, err
	})
	if err != nil {
		return nil, err
	}
	shown, err := s.composeChecked(ctx, mail, sender, fieldFindings(mail))
	if err != nil {
		return nil, err
	}
	if mail.Contact.IsUnsubscribed {
		shown.Findings = append(shown.Findings, "the Contact is unsubscribed")
	}
	if !mail.Contact.IsActive {
		shown.Findings = append(shown.Findings, "the Contact is deactivated")
	}
	return shown, nil
}

// Compose returns a mail as it is sent. The error is an *Undelivered if there is no such mail.
func (s *Service) Compose(ctx context.Context, m *OutgoingMail) (*ComposedMail, error) {
	if s.composer == nil {
		return nil, &Undelivered{Permanent: true, Detail: "this process composes no mails"}
	}
	return s.composer.Preview(ctx, m)
}

// Untracked returns a List whose mails have neither a tracking pixel nor tracked links.
func Untracked(schema *enlist.Schema) *enlist.Schema {
	untracked := *schema
	untracked.List.TrackOpens, untracked.List.TrackClicks = false, false
	return &untracked
}

// PreviewDraft returns the mail of a Message without a Contact: merge fields have their fallbacks. Errors:
// NoMessage, and InvalidParameters for a Message that is no email.
func (s *Service) PreviewDraft(ctx context.Context, c *enlist.Caller, message enlist.MessageID) (*ComposedMail, error) {
	return s.previewDraft(ctx, c, message, nil)
}

// previewDraft is PreviewDraft of what a function makes of the Message.
func (s *Service) previewDraft(ctx context.Context, c *enlist.Caller, message enlist.MessageID,
	of func(*db.Tx, *Message) (*Message, error)) (*ComposedMail, error) {
	mail, err := db.View(ctx, s.db, c, func(tx *db.Tx) (*OutgoingMail, error) {
		m, err := s.trialMail(tx, c, &Typed{Message: message}, of)
		if err == nil {
			m.Delivery = enlist.DeliveryKey{Time: s.db.Now().Unix(), Cause: causeTrial}
			m.Address = trialAddress
			if m.Message.FromAddress == "" { // there is no List that could have one
				draft := *m.Message
				draft.FromAddress = trialAddress
				m.Message = &draft
			}
		}
		return m, err
	})
	if err != nil {
		return nil, err
	}
	return s.composeChecked(ctx, mail, nil, nil)
}

// composeChecked is composeTrial with what the content of the mail lacks, between other findings.
func (s *Service) composeChecked(ctx context.Context, mail *OutgoingMail, before, after []Finding) (*ComposedMail, error) {
	shown, err := s.composeTrial(ctx, mail)
	if err != nil {
		return nil, err
	}
	content, err := s.composer.Check(ctx, mail)
	if err != nil {
		return nil, err
	}
	for _, f := range slices.Concat(before, content, after) {
		shown.Findings = append(shown.Findings, f.Text)
	}
	return shown, nil
}

// composeTrial returns a mail as it would be sent. A mail that cannot be sent is an InvalidParameters.
func (s *Service) composeTrial(ctx context.Context, mail *OutgoingMail) (*ComposedMail, error) {
	shown, err := s.composer.Preview(ctx, mail)
	if why, ok := errors.AsType[*Undelivered](err); ok {
		return nil, enlist.Invalid("message_id", "the email cannot be sent: "+why.Error())
	}
	return shown, err
}

// senderFindings returns what checkBatch finds about the sender of a mail.
func (s *Service) senderFindings(tx *db.Tx, a *enlist.Account, m *Message,
	list *enlist.List) (all []Finding, err error) {
	_, why, err := s.SenderRefusal(tx, a, m, list)
	if why != "" {
		all = append(all, Finding{Level: FindingError, Code: FindingSender, Text: why})
	}
	if m.FromAddress == "" && list.FromAddress == "" {
		all = append(all, s.DefaultSender(list))
	}
	return all, err
}

// causeTrial begins the Cause of a mail that is a preview or a test.
const causeTrial = "t"

// trialMail returns a Message with its files for a Contact of a List, without a delivery and an address. List 0 means
// no List, and Contact 0 a Contact without values. Opens and clicks of the mail are not tracked. of changes the Message, if it
// is not nil.
func (s *Service) trialMail(tx *db.Tx, c *enlist.Caller, t *Typed,
	of func(*db.Tx, *Message) (*Message, error)) (m *OutgoingMail, err error) {
	m = new(OutgoingMail)
	m.Message, err = LoadSeen(tx, c, t.Message, s.sentTo)
	if err == nil && of != nil {
		m.Message, err = of(tx, m.Message)
	}
	if err != nil {
		return nil, err
	}
	m.Schema, m.Contact, err = trialContact(tx, c, t.List, t.Contact)
	if err != nil {
		return nil, err
	}
	if t.List == 0 || t.Contact == 0 {
		m.Message = m.Message.AllShown()
	} else {
		showing, err := ShowTo(tx, m.Schema, s.db.Now().Unix(), m.Message, []enlist.ContactID{t.Contact})
		if err != nil {
			return nil, err
		}
		m.Message = showing.For(t.Contact)
	}
	m.Recorded = m.Schema.Tracks(m.Contact.TrackingConsent) && !m.Message.Asks
	m.Schema = Untracked(m.Schema)
	if m.Message.Type != MessageEmail {
		return nil, enlist.Invalid("message_id", "expected a Message of the type email")
	}
	m.Files, err = m.Message.LoadFiles(tx)
	return m, err
}

// trialContact returns the Contact of a trial mail and its List.
func trialContact(tx *db.Tx, c *enlist.Caller, list enlist.ListID,
	id enlist.ContactID) (schema *enlist.Schema, contact *enlist.Contact, err error) {
	contact = new(enlist.Contact)
	switch {
	case list == 0 && id == 0:
		schema = enlist.NewSchema(enlist.List{AccountID: c.Account.ID, Name: c.Account.Name}, nil, nil)
		schema.TimeZone = c.Account.TimeZone
		return schema, contact, nil
	case id == 0:
		schema, err = lists.Load(tx, c, list)
	default:
		schema, contact, err = contacts.Load(tx, c, list, id)
	}
	return schema, contact, err
}
