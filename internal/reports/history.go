package reports

import (
	"context"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file has the calls that return the mails to a Contact, those of Batches and all others, with what happened to them.

// ContactDelivery is a Delivery as callers see it.
type ContactDelivery struct {
	messages.Delivery
	Autoresponder enlist.AutoresponderID // 0: the mail is the request to confirm the subscription
	Name          string                 // of the Message; "" if the Message was deleted
}

// ContactDeliveryAttributes are the keys of a ContactDelivery record, in their order on the wire.
var ContactDeliveryAttributes = []enlist.Attribute[ContactDelivery]{
	enlist.ReadOnlyInt("message_id", func(m *ContactDelivery) enlist.MessageID { return m.MessageID }),
	enlist.ReadOnlyInt("autoresponder_id", func(m *ContactDelivery) enlist.AutoresponderID { return m.Autoresponder }),
	enlist.ReadOnlyText("name", func(m *ContactDelivery) string { return m.Name }),
	enlist.ReadOnlyText("subject", func(m *ContactDelivery) string { return m.Subject }),
	enlist.ReadOnlyText("address", func(m *ContactDelivery) string { return m.Address }),
	enlist.ReadOnlyInt("time", func(m *ContactDelivery) int64 { return m.SentTime }),
	enlist.ReadOnlyText("status", func(m *ContactDelivery) messages.DeliveryStatus { return m.Status }),
	enlist.ReadOnlyText("detail", func(m *ContactDelivery) string { return m.Detail }),
}

// SentMessage is a Message that was sent to a Contact, and when the Contact opened it.
type SentMessage struct {
	ContactDelivery
	Batch               enlist.BatchID // that has its figures; 0: none
	FirstOpen, LastOpen int64          // 0: not opened. All mails of an autoresponder to a Contact are one
	OpenType            string         // html: first by the image; text: by a click; or not_opened
}

// SentMessageAttributes are the keys of a SentMessage record, in their order on the wire. The ID is the send_id of
// the rows of reports.
var SentMessageAttributes = []enlist.Attribute[SentMessage]{
	enlist.ReadOnlyInt("id", func(m *SentMessage) enlist.ContactID { return m.Contact }),
	enlist.ReadOnlyInt("message_id", func(m *SentMessage) enlist.MessageID { return m.MessageID }),
	enlist.ReadOnlyInt("batch_id", func(m *SentMessage) enlist.BatchID { return m.Batch }),
	enlist.ReadOnlyText("message_type", func(*SentMessage) string { return messages.MessageEmail }),
	enlist.ReadOnlyText("name", func(m *SentMessage) string { return m.Name }),
	enlist.ReadOnlyInt("send_time", func(m *SentMessage) int64 { return m.SentTime }),
	enlist.ReadOnlyInt("first_open_time", func(m *SentMessage) int64 { return m.FirstOpen }),
	enlist.ReadOnlyInt("last_open_time", func(m *SentMessage) int64 { return m.LastOpen }),
	enlist.ReadOnlyText("open_type", func(m *SentMessage) string { return m.OpenType }),
}

// SentRequest says which Messages to a Contact a caller wants.
type SentRequest struct {
	List     enlist.ListID
	Contact  enlist.ContactID
	Type     string // all, email or sms
	From, To int64  // Unix times; a To of 0 means no limit
}

// ContactDeliveries returns the mails that were sent to a Contact and the mails that failed,
// newest first. Errors: NoList, Denied, NoContact, and Busy if too many streams run.
func (s *Service) ContactDeliveries(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.ContactID,
	w enlist.RowWriter[ContactDelivery]) error {
	return eachDelivery(ctx, s, c, SentRequest{List: list, Contact: id}, w,
		func(*db.Tx) (deliverySender[ContactDelivery], error) {
			return func(d *ContactDelivery, row func(*ContactDelivery) error) error { return row(d) }, nil
		})
}

// MessagesSentToContact returns the Messages that were sent to a Contact, newest first. Errors: as ContactDeliveries,
// and InvalidParameters.
func (s *Service) MessagesSentToContact(ctx context.Context, c *enlist.Caller, r SentRequest,
	w enlist.RowWriter[SentMessage]) error {
	return eachDelivery(ctx, s, c, r, w, func(tx *db.Tx) (deliverySender[SentMessage], error) {
		events, err := eventsOf(tx, r.List, r.Contact)
		return func(d *ContactDelivery, row func(*SentMessage) error) error {
			if r.Type == messages.MessageSMS || d.Status == messages.DeliveryFailed ||
				d.Cause == messages.CauseConfirmation || d.Cause == messages.CauseLink ||
				d.SentTime < r.From || r.To != 0 && d.SentTime > r.To {
				return nil
			}
			m := &SentMessage{ContactDelivery: *d}
			if err := m.readOpens(tx, events); err != nil {
				return err
			}
			return row(m)
		}, err
	})
}

// MailHistory is a mail to a Contact.
type MailHistory struct {
	ContactDelivery
	Batch  enlist.BatchID // that has its figures; 0: none
	Events []HistoryEvent // in the order of their kinds and links
}

// HistoryEvent is an event of a mail. All mails of an autoresponder to a Contact have the same events.
type HistoryEvent struct {
	recipients.Event
	URL string // for EventLink: the link as the Message contains it
}

// ContactHistory returns the mails that were sent to a Contact, or that failed, newest first, with their opens, clicks,
// bounces and so on. Errors: NoList, Denied, NoContact, and Busy if too many streams run.
func (s *Service) ContactHistory(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.ContactID,
	w enlist.RowWriter[MailHistory]) error {
	return eachDelivery(ctx, s, c, SentRequest{List: list, Contact: id}, w,
		func(tx *db.Tx) (deliverySender[MailHistory], error) {
			events, err := eventsOf(tx, list, id)
			return func(d *ContactDelivery, row func(*MailHistory) error) error {
				m := &MailHistory{ContactDelivery: *d}
				if err := m.readEvents(tx, events); err != nil {
					return err
				}
				return row(m)
			}, err
		})
}

// readEvents reads the Batch that has the figures of a mail, and the links of its events.
func (m *MailHistory) readEvents(tx *db.Tx, events eventsByBatch) (err error) {
	if m.Batch, err = batches.FiguresOf(tx, m.DeliveryKey); err != nil || m.Batch == 0 {
		return err
	}
	var links []messages.Link
	for _, event := range events[m.Batch] {
		e := HistoryEvent{Event: event}
		if e.Kind == recipients.EventLink {
			if links == nil {
				if links, err = messages.Links(tx, m.MessageID); err != nil {
					return err
				}
			}
			e.URL = linkURL(links, e.Link)
		}
		m.Events = append(m.Events, e)
	}
	return nil
}

// linkURL returns the URL of a link, or "".
func linkURL(links []messages.Link, id enlist.LinkID) string {
	for i := range links {
		if links[i].ID == id {
			return links[i].URL
		}
	}
	return ""
}

// eventsByBatch are the events of a Contact.
type eventsByBatch map[enlist.BatchID][]recipients.Event

func eventsOf(tx *db.Tx, list enlist.ListID, contact enlist.ContactID) (eventsByBatch, error) {
	among, err := batches.OfList(tx, list)
	if err != nil {
		return nil, err
	}
	return recipients.EventsByBatch(tx, among, list, contact)
}

// deliverySender gets a delivery, and calls the function row, which writes a row.
type deliverySender[T any] func(d *ContactDelivery, row func(*T) error) error

// eachDelivery calls a sender with each delivery to a Contact. begin returns the sender for a transaction.
func eachDelivery[T any](ctx context.Context, s *Service, c *enlist.Caller, r SentRequest, w enlist.RowWriter[T],
	begin func(*db.Tx) (deliverySender[T], error)) error {
	return s.db.InPhases(ctx, c, db.LookingUp, func(tx *db.Tx, p db.Phase) error {
		if _, _, err := contacts.Load(tx, c, r.List, r.Contact); err != nil {
			return err
		}
		if _, err := enlist.OneOf("", "all", messages.MessageEmail, messages.MessageSMS)(r.Type); err != nil {
			return enlist.Invalid("message_type", err.Error())
		}
		names, err := batches.MessageNames(tx, c)
		if err != nil {
			return err
		}
		send, err := begin(tx)
		if err != nil {
			return err
		}
		rows := &enlist.PagedRows[T]{RowWriter: w, Streaming: p == db.Streaming}
		if err := rows.Begin(rows.Streaming); err != nil {
			return err
		}
		return batches.EachDelivery(tx, r.List, r.Contact, enlist.RowPage, func(d *messages.Delivery) (more bool, err error) {
			return true, send(&ContactDelivery{*d, d.Autoresponder(), names[d.MessageID]}, rows.Row)
		})
	})
}

// readOpens reads the Batch that has the figures of a mail, and when the mail was opened.
func (m *SentMessage) readOpens(tx *db.Tx, events eventsByBatch) (err error) {
	m.OpenType = "not_opened"
	if m.Batch, err = batches.FiguresOf(tx, m.DeliveryKey); err != nil || m.Batch == 0 {
		return err
	}
	ofMail := events[m.Batch]
	if opened := recipients.EventOf(ofMail, recipients.EventOpened, 0); opened != nil {
		m.FirstOpen, m.LastOpen, m.OpenType = opened.Time, opened.LastTime, "html"
		if clicked := recipients.EventOf(ofMail, recipients.EventClicked, 0); clicked != nil && clicked.Time == opened.Time {
			m.OpenType = "text"
		}
	}
	return nil
}
