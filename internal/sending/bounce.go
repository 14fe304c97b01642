package sending

import (
	"context"

	"enlist/internal/address"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file handles the reports of bounces and complaints that arrive after a mail server has
// accepted a mail. Package mail reads the reports and finds their DeliveryKeys.

const (
	// bouncesToDeactivate is the number of permanent bounces in a row after which a Contact is
	// deactivated.
	// decisions.md: 51
	bouncesToDeactivate = 3

	// bounceDelay is the time, in seconds, in which a bounce is expected after the mail server
	// accepted the mail. A mail that was sent more recently does not prove that the address works.
	bounceDelay = 24 * 60 * 60

	// maxComplained is the largest number of Contacts that one complaint unsubscribes. Only a List
	// that allows duplicates has several Contacts with an address.
	maxComplained = 100
)

// Bounced stores that a delivery bounced permanently. detail is the text of the report. The
// third bounce in a row deactivates the Contact. If the delivery was reported before, or the
// Contact is gone, nothing changes and changed is false. A bounce of a deleted Batch's mail counts
// too. Its mails that arrived are not known any more, so they do not end a row.
// decisions.md: 51, 101
func (s *Service) Bounced(ctx context.Context, k enlist.DeliveryKey, detail string) (changed bool, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (changed bool, err error) {
		r, err := loadReported(tx, k, now)
		if r == nil || r.delivery.HasNoTexts() || r.delivery.Status == messages.DeliveryBounced ||
			r.delivery.Status == messages.DeliveryComplained {
			return false, err
		}
		r.delivery.Status, r.delivery.Detail = messages.DeliveryBounced, detail
		recipient, counts, err := r.store(tx, now)
		if err != nil {
			return false, err
		}
		if err := batches.PublishMail(tx, k, now, enlist.WebhookBounced); err != nil {
			return false, err
		}
		counts.Bounced++
		if err := countBounce(tx, k, recipient, &counts, now); err != nil || recipient == nil {
			return true, err
		}
		if err := batches.AddToBatch(tx, recipient.Batch, counts, now); err != nil {
			return true, err
		}
		var domains recipients.DomainChanges
		domains.CountReported(r.delivery.Address, recipient.DetailBefore(), &counts)
		domains.Because(r.delivery.Address, detail).Bounced++
		if err := domains.Store(tx, recipient.Batch); err != nil {
			return true, err
		}
		return true, batches.PauseReported(tx, recipient.Batch)
	})
}

// Returned stores that the receiver refused a mail which the mail server had accepted, for a reason that is not the
// address. The mail counts as failed, and nothing is held against the Contact. If another outcome was reported before, or
// the Contact is gone, nothing changes and changed is false. The figures of an autoresponder go on counting the mail as
// accepted, because another one may have arrived. decisions.md: 51
func (s *Service) Returned(ctx context.Context, k enlist.DeliveryKey, detail string) (changed bool, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (changed bool, err error) {
		r, err := loadReported(tx, k, now)
		if r == nil || r.delivery.HasNoTexts() || r.delivery.Status != messages.DeliverySent {
			return false, err
		}
		if k.Batch() == 0 || r.deleted {
			r.delivery.Status, r.delivery.Detail = messages.DeliveryFailed, detail
			return true, r.delivery.Put(tx)
		}
		recipient, err := recipients.Load(tx, k.List, k.Batch(), k.Contact)
		if err != nil {
			return false, enlist.IgnoreKind(enlist.NotFound, err)
		}
		changed, counts, err := recipient.Return(tx, detail, now)
		if err != nil || !changed {
			return false, err
		}
		if err := batches.AddToBatch(tx, recipient.Batch, counts, now); err != nil {
			return true, err
		}
		var domains recipients.DomainChanges
		domains.CountReported(recipient.Address, detail, &counts)
		return true, domains.Store(tx, recipient.Batch)
	})
}

// Complained stores that the recipient reported a delivery as spam, and unsubscribes the
// Contact. For a second complaint about the same delivery, nothing changes and changed is false,
// because the Contact can have subscribed again after the first complaint. The Batch, the
// autoresponder and the Message of the mail may be deleted. decisions.md: 101
func (s *Service) Complained(ctx context.Context, k enlist.DeliveryKey, detail string) (changed bool, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (changed bool, err error) {
		r, err := loadReported(tx, k, now)
		if r == nil || r.delivery.Status == messages.DeliveryComplained {
			return false, err
		}
		if !r.delivery.HasNoTexts() {
			r.delivery.Detail = detail
		}
		r.delivery.Status = messages.DeliveryComplained
		recipient, counts, err := r.store(tx, now)
		if err != nil {
			return false, err
		}
		if err := batches.PublishMail(tx, k, now, enlist.WebhookComplained); err != nil {
			return false, err
		}
		err = r.unsubscribe(tx, now)
		if err != nil || recipient == nil {
			return true, err
		}
		counts.Complained++
		return true, countComplained(tx, recipient, counts, now)
	})
}

// countComplained counts a complaint about a Batch's mail, and pauses the Batch if it has too many.
func countComplained(tx *db.Tx, r *recipients.Recipient, counts recipients.Counts, now int64) error {
	if err := batches.AddToBatch(tx, r.Batch, counts, now); err != nil {
		return err
	}
	b, err := batches.ByID(tx, r.Batch)
	if err != nil {
		return err
	}
	if err := r.CountComplained(tx, b.Period(now), &counts); err != nil {
		return err
	}
	if err := batches.CountUnsubscribedBy(tx, r, now); err != nil {
		return err
	}
	return batches.PauseReported(tx, r.Batch)
}

// reported is the delivery that a report is about, with its List and Contact.
type reported struct {
	delivery *messages.Delivery
	schema   *enlist.Schema
	contact  *enlist.Contact
	deleted  bool // the mail is of a Batch that was deleted
}

// unsubscribe unsubscribes the Contact. If its address has changed since the delivery, unsubscribe
// unsubscribes the address of the delivery instead.
func (r *reported) unsubscribe(tx *db.Tx, now int64) error {
	by := contacts.Origin{Method: contacts.MethodComplaint}
	_, key, ok := address.ParseEmail(r.delivery.Address)
	if !ok || contacts.IsSameAddress(r.contact.Key, key) {
		return contacts.Unsubscribe(tx, r.schema, r.contact, r.schema.AddressType(r.contact), by, now)
	}
	same, err := contacts.ByAddress(tx, r.schema.List.ID, key, "", 0, maxComplained)
	if err != nil {
		return err
	}
	for i := range same {
		if err := contacts.Unsubscribe(tx, r.schema, &same[i], enlist.AddressEmail, by, now); err != nil {
			return err
		}
	}
	return recordUnsubscribed(tx, &r.schema.List, r.delivery.Address, now)
}

// loadReported returns the delivery that a report is about, or nil if its Contact is gone or its mail was not sent. A
// report can arrive before the sending process has stored the delivery. Then loadReported builds the delivery from the
// key, the Contact and the List's autoresponders. It also builds a delivery of a deleted Batch. Nothing has the address
// of such a mail, so the report is about the present address of the Contact. decisions.md: 101
func loadReported(tx *db.Tx, k enlist.DeliveryKey, now int64) (*reported, error) {
	schema, err := lists.Schema(tx, k.List)
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.NoList, err)
	}
	contact, err := contacts.ByID(tx, k.List, k.Contact)
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.NoContact, err)
	}
	d, err := batches.LoadDelivery(tx, k)
	if enlist.IgnoreKind(enlist.NotFound, err) != nil {
		return nil, err
	}
	deleted, failed := batches.IsOfDeletedBatch(tx, k)
	switch {
	case failed != nil:
		return nil, failed
	case err == nil && d.Address == contacts.ErasedAddress:
		return nil, nil
	case err == nil:
		return &reported{d, schema, contact, deleted}, nil
	case k.Batch() != 0 && !deleted:
		return nil, nil // the mail was not sent
	}
	d = &messages.Delivery{DeliveryKey: k, Address: contact.Values.Get(schema.Email().ID), SentTime: now,
		Status: messages.DeliverySent}
	if deleted {
		d.SentTime = k.Time // the earliest possible time, so that a later mail which arrived ends the row of bounces
	}
	for i := range schema.Autoresponders {
		if a := &schema.Autoresponders[i]; messages.CauseAutoresponder(a.ID) == k.Cause {
			d.MessageID = a.MessageID
		}
	}
	return &reported{d, schema, contact, deleted}, nil
}

// store stores the status and the detail of the delivery. It returns the recipient whose Batch counts the report, and
// what the report changes in the counts besides its own. It returns nil if no figures change: for other mails, and if a
// report about an earlier mail of the autoresponder is counted already.
func (r *reported) store(tx *db.Tx, now int64) (recipient *recipients.Recipient, counts recipients.Counts, err error) {
	d, kind, batch := r.delivery, recipients.EventBounced, r.delivery.Batch()
	if d.Status == messages.DeliveryComplained {
		kind = recipients.EventComplained
	}
	hasManyMails := batch == 0 // those of an autoresponder to the Contact
	if r.deleted || hasManyMails {
		if err := d.Put(tx); err != nil || r.deleted {
			return nil, counts, err
		}
		if batch, err = batches.FiguresOf(tx, d.DeliveryKey); err != nil || batch == 0 {
			return nil, counts, err
		}
	}
	recipient, err = recipients.Load(tx, d.List, batch, d.Contact)
	if err != nil {
		return nil, counts, enlist.IgnoreKind(enlist.NotFound, err)
	}
	first, counts, err := recipient.Report(tx, kind, d.Detail, hasManyMails, now)
	if err != nil || !first {
		return nil, counts, err
	}
	return recipient, counts, nil
}

// deactivateBounced deactivates a Contact if its last mails, of which the caller has stored the
// last, bounced too often. It also restarts the count, because a caller can reactivate the Contact
// later.
func deactivateBounced(tx *db.Tx, list enlist.ListID, id enlist.ContactID, now int64) (deactivated bool, err error) {
	contact, err := contacts.ByID(tx, list, id)
	if err != nil || !contact.IsActive {
		return false, enlist.IgnoreKind(enlist.NoContact, err)
	}
	since, err := contacts.BouncesSince(tx, list, id)
	if err != nil {
		return false, err
	}
	var deliveries []messages.Delivery
	err = batches.EachDelivery(tx, list, id, messages.MaxDeliveries, func(d *messages.Delivery) (more bool, err error) {
		deliveries = append(deliveries, *d)
		return len(deliveries) < messages.MaxDeliveries, nil
	})
	if err != nil || !bouncesInARow(deliveries, contact.Key, since, now) {
		return false, err
	}
	schema, err := lists.Schema(tx, list)
	if err != nil {
		return false, enlist.IgnoreKind(enlist.NoList, err)
	}
	if err := contacts.SetBouncesSince(tx, list, id, now); err != nil {
		return false, err
	}
	contact.IsBounceDeactivated = true
	return true, contacts.Deactivate(tx, schema, contact, now)
}

// bouncesInARow reports whether the last deliveries to an address bounced often enough to deactivate the Contact.
// deliveries are newest first. It does not count mail that was sent at the time since or earlier. A mail whose address
// was removed counts as sent to this address; a bounced mail keeps its address.
func bouncesInARow(deliveries []messages.Delivery, key string, since, now int64) bool {
	bounces := 0
	for i := range deliveries {
		d := &deliveries[i]
		if _, to, _ := address.ParseEmail(d.Address); to != key && !d.HasNoTexts() {
			continue // the Contact had another address then
		}
		switch {
		case d.SentTime <= since, d.Status == messages.DeliveryComplained,
			d.Status == messages.DeliverySent && d.SentTime < now-bounceDelay:
			return false
		case d.Status == messages.DeliveryBounced:
			bounces++
		}
		if bounces == bouncesToDeactivate {
			return true
		}
	}
	return false
}
