package messages

import (
	"context"
	"maps"
	"slices"
	"time"

	"enlist/internal/address"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
)

// sending.MailSender calls this file when a mail is due. The file decides whether the mail
// must still be sent, and reads what the mail needs. After the job was stored, the Contact may
// have unsubscribed, and the List, the Message or the autoresponder may have been deleted.

// Notifications returns the content of notifications, read in one transaction. A notification is nil if its List is
// gone.
func (s *Service) Notifications(ctx context.Context, all []events.Notify) ([]*Notification, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) ([]*Notification, error) {
		notifications := make([]*Notification, len(all))
		for list, part := range indexesBy(all, func(e *events.Notify) enlist.ListID { return e.List }) {
			schema, contacts, err := contactsOfMails(tx, list, part,
				func(i int) enlist.ContactID { return all[i].Contact })
			if err != nil {
				return nil, err
			}
			for _, i := range part {
				if schema == nil {
					continue
				}
				n := &Notification{Notify: all[i], Schema: schema, Details: contacts[all[i].Contact]}
				if n.Consent, err = consentOf(tx, &n.Notify); err != nil {
					return nil, err
				}
				notifications[i] = n
			}
		}
		return notifications, nil
	})
}

// consentOf returns the consent that a subscription recorded, or nil.
func consentOf(tx *db.Tx, e *events.Notify) (*enlist.LedgerRow, error) {
	if e.Event != enlist.EventSubscribe {
		return nil, nil
	}
	ledger, err := contacts.Consents(tx, e.List, e.Contact, maxConsentRows, 0)
	// Rows are newest first. So the row of the event is the first row that is not later.
	i := slices.IndexFunc(ledger, func(r enlist.LedgerRow) bool { return r.Time <= e.Time })
	if err != nil || i < 0 {
		return nil, err
	}
	return &ledger[i], nil
}

// indexesBy returns the indexes of all by their key.
func indexesBy[E any, K comparable](all []E, key func(*E) K) map[K][]int {
	indexes := make(map[K][]int)
	for i := range all {
		k := key(&all[i])
		indexes[k] = append(indexes[k], i)
	}
	return indexes
}

// contactsOfMails returns the schema of a List, or nil if the List is gone, and those Contacts of mails that exist.
func contactsOfMails(tx *db.Tx, list enlist.ListID, part []int,
	contact func(i int) enlist.ContactID) (schema *enlist.Schema,
	all map[enlist.ContactID]*enlist.Contact, err error) {
	schema, err = lists.Schema(tx, list)
	if err != nil {
		return nil, nil, enlist.IgnoreKind(enlist.NoList, err)
	}
	ids := make([]enlist.ContactID, len(part))
	for at, i := range part {
		ids[at] = contact(i)
	}
	slices.Sort(ids)
	found, err := contacts.AllByID(tx, list, slices.Compact(ids))
	all = make(map[enlist.ContactID]*enlist.Contact, len(found))
	for i := range found {
		all[found[i].ID] = &found[i]
	}
	return schema, all, err
}

// maxConsentRows is the largest number of ledger rows that Notifications reads to find the consent
// of an event.
const maxConsentRows = 100

// AutoresponderMails returns mails of autoresponders to Contacts, read in one transaction. A mail is nil if there is
// nothing to send: it was sent already, the Contact must not receive it any more, or the Contact, List, autoresponder
// or Message is gone.
func (s *Service) AutoresponderMails(ctx context.Context, all []events.Autorespond) ([]*OutgoingMail, error) {
	type sender struct {
		list enlist.ListID
		id   enlist.AutoresponderID
	}
	return db.OwnView(ctx, s.db, func(tx *db.Tx) ([]*OutgoingMail, error) {
		mails := make([]*OutgoingMail, len(all))
		for by, part := range indexesBy(all, func(e *events.Autorespond) sender {
			return sender{e.List, e.Autoresponder}
		}) {
			if err := autoresponderMails(tx, s.db.Now().Unix(), by.list, by.id, part, all, mails); err != nil {
				return nil, err
			}
		}
		return mails, nil
	})
}

// autoresponderMails sets those mails of one autoresponder that must be sent. part are the indexes of its events.
func autoresponderMails(tx *db.Tx, now int64, list enlist.ListID, id enlist.AutoresponderID, part []int,
	all []events.Autorespond, mails []*OutgoingMail) error {
	schema, contacts, err := contactsOfMails(tx, list, part, func(i int) enlist.ContactID { return all[i].Contact })
	if err != nil || len(contacts) == 0 {
		return err
	}
	at := slices.IndexFunc(schema.Autoresponders, func(a enlist.Autoresponder) bool { return a.ID == id })
	if at < 0 || !schema.Autoresponders[at].IsActive {
		return nil
	}
	a := &schema.Autoresponders[at]
	message, err := LoadMessage(tx, a.AccountID, a.MessageID)
	if err != nil || message.Type != MessageEmail {
		return enlist.IgnoreKind(enlist.NoMessage, err)
	}
	files, err := message.LoadFiles(tx)
	if err != nil {
		return err
	}
	sent, err := sentBefore(tx, list, CauseAutoresponder(id), contacts)
	if err != nil {
		return err
	}
	if err := removeSuppressed(tx, &schema.List, contacts); err != nil {
		return err
	}
	problem, err := keepSegment(tx, schema, now, a.SegmentID, contacts)
	if err != nil {
		return err
	}
	if problem == "" && !message.HasContent() {
		problem = "the Message of the autoresponder has no content"
	}
	showing, err := ShowTo(tx, schema, now, message, slices.Sorted(maps.Keys(contacts)))
	if err != nil {
		return err
	}
	for _, i := range part {
		e, c := &all[i], contacts[all[i].Contact]
		key := enlist.DeliveryKey{List: list, Contact: e.Contact, Time: e.Time, Cause: CauseAutoresponder(id)}
		if c == nil || sent[key] || !c.Receives(schema, a.Event) {
			continue
		}
		m := &OutgoingMail{Delivery: key, Schema: schema, Contact: c, Message: showing.For(c.ID), Files: files,
			Address: c.Values.Get(schema.Email().ID), Problem: problem, Untracked: a.Untracked}
		if m.Address != "" {
			mails[i] = m
		}
	}
	return nil
}

// removeSuppressed removes the Contacts whose address is on the Unsubscriber List for all Lists. decisions.md: 101
func removeSuppressed(tx *db.Tx, list *enlist.List, found map[enlist.ContactID]*enlist.Contact) error {
	all := make([]contacts.Candidate, 0, len(found))
	for _, c := range found {
		all = append(all, contacts.Candidate{ID: c.ID, Key: c.Key})
	}
	ids, err := contacts.Suppressed(tx, list, all)
	for _, id := range ids {
		delete(found, id)
	}
	return err
}

// keepSegment removes the Contacts that are not in the Segment of an autoresponder; 0 means that it has none. problem
// says that the criteria of the Segment no longer fit the Fields of the List, so that it is unknown who is in it.
// reference.md: autoresponder.segment
func keepSegment(tx *db.Tx, schema *enlist.Schema, now int64, id enlist.SegmentID,
	found map[enlist.ContactID]*enlist.Contact) (problem string, err error) {
	if id == 0 {
		return "", nil
	}
	inside, err := contacts.InSegment(tx, schema, now, id, slices.Sorted(maps.Keys(found)))
	if enlist.KindOf(err) == enlist.InvalidSearch {
		return err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	maps.DeleteFunc(found, func(id enlist.ContactID, _ *enlist.Contact) bool { return !slices.Contains(inside, id) })
	return "", nil
}

// sentBefore returns the mails with a cause that Contacts were sent.
func sentBefore(tx *db.Tx, list enlist.ListID, cause string,
	contacts map[enlist.ContactID]*enlist.Contact) (map[enlist.DeliveryKey]bool, error) {
	deliveries, err := deliveriesWithCause(tx, list, cause, slices.Collect(maps.Keys(contacts)))
	sent := make(map[enlist.DeliveryKey]bool)
	for i := range deliveries {
		sent[deliveries[i].DeliveryKey] = !deliveries[i].mayBeRetried()
	}
	return sent, err
}

// mayBeRetried reports whether the mail was not sent: the operator may retry a failed job. A mail that was sent is
// never sent again.
func (d *Delivery) mayBeRetried() bool {
	return d.Status == DeliveryFailed || d.Status == DeliveryBounced
}

// ConfirmationMail returns the request to confirm a subscription. It returns nil if the request
// was sent already, if there is no subscription to confirm any more, or if the address was asked
// less than MailboxInterval before. The link of the earlier request is then still valid.
func (s *Service) ConfirmationMail(ctx context.Context, e contacts.RequestConfirmation) (*OutgoingMail, error) {
	key := enlist.DeliveryKey{List: e.List, Contact: e.Contact, Time: e.Time, Cause: CauseConfirmation}
	return s.ownMail(ctx, key, func(c *enlist.Contact) bool { return !c.IsUnsubscribed && !c.DoubleOptIn })
}

// LinkMail returns the mail with the link to the settings of a Contact. It returns nil if it was sent already, if the
// Contact or its address is gone, or if another one was sent less than MailboxInterval before. A Contact that has
// unsubscribed gets it too.
func (s *Service) LinkMail(ctx context.Context, e contacts.SendLink) (*OutgoingMail, error) {
	key := enlist.DeliveryKey{List: e.List, Contact: e.Contact, Time: e.Time, Cause: CauseLink}
	return s.ownMail(ctx, key, func(*enlist.Contact) bool { return true })
}

// ownMail returns a mail without a Message, if it was not sent and the Contact may get it.
func (s *Service) ownMail(ctx context.Context, key enlist.DeliveryKey, may func(*enlist.Contact) bool) (*OutgoingMail,
	error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*OutgoingMail, error) {
		stored, err := LoadDelivery(tx, key)
		if enlist.IgnoreKind(enlist.NotFound, err) != nil || err == nil && !stored.mayBeRetried() {
			return nil, enlist.IgnoreKind(enlist.NotFound, err)
		}
		m := &OutgoingMail{Delivery: key}
		m.Schema, err = lists.Schema(tx, key.List)
		if err != nil {
			return nil, enlist.IgnoreKind(enlist.NoList, err)
		}
		m.Contact, err = contacts.ByID(tx, key.List, key.Contact)
		if err != nil {
			return nil, enlist.IgnoreKind(enlist.NoContact, err)
		}
		m.Address = m.Contact.Values.Get(m.Schema.Email().ID)
		if m.Address == "" || !m.Contact.IsActive || !may(m.Contact) {
			return nil, nil
		}
		if asked, err := m.wasAsked(tx); err != nil || asked {
			return nil, err
		}
		return m, nil
	})
}

// wasAsked reports whether an earlier mail with the cause of m went to the address of m, for an event less
// than MailboxInterval before. Otherwise a caller who changes an address to and fro would flood
// it with mail. reference.md: event.confirm
func (m *OutgoingMail) wasAsked(tx *db.Tx) (bool, error) {
	deliveries, err := Deliveries(tx, m.Delivery.List, m.Delivery.Contact, MaxDeliveries, 0)
	return slices.ContainsFunc(deliveries, func(d Delivery) bool {
		_, to, ok := address.ParseEmail(d.Address)
		return d.Cause == m.Delivery.Cause && d.Status == DeliverySent && ok && contacts.IsSameAddress(m.Contact.Key,
			to) &&
			d.Time > m.Delivery.Time-contacts.MailboxInterval && d.Time < m.Delivery.Time
	}), err
}

// Until returns the duration from now to a time in Unix seconds. The duration is 0 or less if
// the time has passed.
func (s *Service) Until(at int64) time.Duration { return time.Unix(at, 0).Sub(s.db.Now()) }

// MaxDeliveries is the largest number of deliveries of a Contact that deactivateBounced reads.
const MaxDeliveries = 100
