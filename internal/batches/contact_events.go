package batches

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file has the mails to a Contact with what happened to them.

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
	if m.Batch, err = FiguresOf(tx, m.DeliveryKey); err != nil || m.Batch == 0 {
		return err
	}
	var links []messages.Link
	for _, found := range events[m.Batch] {
		e := HistoryEvent{Event: found}
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
