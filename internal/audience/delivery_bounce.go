package audience

import "context"

const (
	// bouncesInARow is how many permanent ones deactivate a Contact. decisions.md: 51
	bouncesInARow = 3

	// A bounce may come a day after the mail server took the mail: until then a
	// delivery that was sent says nothing about the address.
	bounceTime = 24 * 60 * 60

	// bouncesLookedAt bounds how many deliveries are looked at.
	bouncesLookedAt = 100
)

// Bounced notes that a delivery came back for good; detail is what the report
// of it says. The third one in a row deactivates the Contact. It reports whether
// that was news: of a delivery that is known to have bounced, or of a Contact
// who is gone, it is none. decisions.md: 51
func (s *Service) Bounced(ctx context.Context, k DeliveryKey, detail string) (news bool, err error) {
	err = s.store.Update(ctx, func(tx Tx) error {
		d, schema, _, err := returned(tx, k, s.now().Unix())
		if news = err == nil && schema != nil && d.Status != DeliveryBounced && d.Status != DeliveryComplained; !news {
			return err
		}
		d.Status, d.Detail = DeliveryBounced, detail
		return bounced(tx, d, s.now().Unix())
	})
	return news, err
}

// Complained notes that the recipient of a delivery called it spam, and
// unsubscribes the Contact. A second report of the same delivery is no news and
// changes nothing: the Contact may have subscribed again. decisions.md: 51
func (s *Service) Complained(ctx context.Context, k DeliveryKey, detail string) (news bool, err error) {
	err = s.store.Update(ctx, func(tx Tx) error {
		now := s.now().Unix()
		d, schema, contact, err := returned(tx, k, now)
		if news = err == nil && schema != nil && d.Status != DeliveryComplained; !news {
			return err
		}
		d.Status, d.Detail = DeliveryComplained, detail
		if err := tx.PutDelivery(d); err != nil {
			return err
		}
		kind := AddressEmail
		if contact.Values.Get(schema.Email().ID) == "" {
			kind = AddressMobile
		}
		return unsubscribe(tx, schema, contact, kind, now)
	})
	return news, err
}

// returned returns a delivery that something has come back from, and nils when
// its Contact is gone. A mail server may be faster than the one who sends in
// writing down that it was sent: then it is made up from what is known.
func returned(tx Tx, k DeliveryKey, now int64) (*Delivery, *Schema, *Contact, error) {
	schema, err := tx.Schema(k.List)
	if err != nil {
		return nil, nil, nil, ignoreKind(NoList, err)
	}
	contact, err := tx.Contact(k.List, k.Contact)
	if err != nil {
		return nil, nil, nil, ignoreKind(NoContact, err)
	}
	d, err := tx.Delivery(k)
	if KindOf(err) != NotFound {
		return d, schema, contact, err
	}
	d = &Delivery{DeliveryKey: k, Address: contact.Values.Get(schema.Email().ID), SentTime: now, Status: DeliverySent}
	for i := range schema.Autoresponders {
		if a := &schema.Autoresponders[i]; CauseAutoresponder(a.ID) == k.Cause {
			d.MessageID = a.MessageID
		}
	}
	return d, schema, contact, nil
}

// sent stores that a delivery was sent, unless something has come back from it.
func sent(tx Tx, d *Delivery) error {
	before, err := tx.Delivery(d.DeliveryKey)
	if err != nil && KindOf(err) != NotFound {
		return err
	}
	if err == nil && (before.Status == DeliveryBounced || before.Status == DeliveryComplained) {
		d.Status, d.Detail = before.Status, before.Detail
	}
	return tx.PutDelivery(d)
}

// bounced stores that a delivery bounced for good. The third one in a row
// deactivates the Contact, and begins a new row for when it is reactivated.
func bounced(tx Tx, d *Delivery, now int64) error {
	if err := tx.PutDelivery(d); err != nil {
		return err
	}
	contact, err := tx.Contact(d.List, d.Contact)
	if err != nil || !contact.IsActive {
		return ignoreKind(NoContact, err)
	}
	since, err := tx.BouncesSince(d.List, d.Contact)
	if err != nil {
		return err
	}
	deliveries, err := tx.Deliveries(d.List, d.Contact, bouncesLookedAt)
	if err != nil || !bouncing(deliveries, contact.Key, since, now) {
		return err
	}
	schema, err := tx.Schema(d.List)
	if err != nil {
		return ignoreKind(NoList, err)
	}
	if err := tx.SetBouncesSince(d.List, d.Contact, now); err != nil {
		return err
	}
	contact.IsBounceDeactivated = true
	return deactivate(tx, schema, contact, now)
}

// bouncing reports whether the last deliveries to an address, newest first,
// bounced. Those sent before since count no more.
func bouncing(deliveries []Delivery, key string, since, now int64) bool {
	bounces := 0
	for i := range deliveries {
		d := &deliveries[i]
		if _, to, _ := ParseEmail(d.Address); to != key {
			continue // the Contact had another address then
		}
		switch {
		case d.SentTime <= since, d.Status == DeliveryComplained, d.Status == DeliverySent && d.SentTime < now-bounceTime:
			return false
		case d.Status == DeliveryBounced:
			bounces++
		}
		if bounces == bouncesInARow {
			return true
		}
	}
	return false
}
