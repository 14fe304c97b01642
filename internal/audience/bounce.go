package audience

const (
	// bouncesInARow is how many permanent ones deactivate a Contact. decisions.md: 51
	bouncesInARow = 3

	// A bounce may come a day after the mail server took the mail: until then a
	// delivery that was sent says nothing about the address.
	bounceTime = 24 * 60 * 60

	// bouncesLookedAt bounds how many deliveries are looked at.
	bouncesLookedAt = 100
)

// bounced notes that a delivery bounced for good. The third one in a row
// deactivates the Contact.
func bounced(tx Tx, d *Delivery, now int64) error {
	if err := tx.PutDelivery(d); err != nil {
		return err
	}
	deliveries, err := tx.Deliveries(d.List, d.Contact, bouncesLookedAt)
	if err != nil || !bouncing(deliveries, now) {
		return err
	}
	schema, err := tx.Schema(d.List)
	if err != nil {
		return unless(NoList, err)
	}
	contact, err := tx.Contact(d.List, d.Contact)
	if err != nil {
		return unless(NoContact, err)
	}
	if !contact.IsActive {
		return nil
	}
	contact.IsBounceDeactivated = true
	return deactivate(tx, schema, contact, now)
}

// bouncing reports whether the last deliveries, newest first, bounced.
func bouncing(deliveries []Delivery, now int64) bool {
	bounces := 0
	for i := range deliveries {
		switch d := &deliveries[i]; {
		case d.Status == DeliveryBounced:
			bounces++
		case d.Status == DeliverySent && d.SentTime < now-bounceTime:
			return false
		}
		if bounces == bouncesInARow {
			return true
		}
	}
	return false
}
