package sending

import (
	"context"
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has the page with the settings of a subscriber, and the mail with the link to it.

// preferenceLife is how long after its mail a link shows the settings, in seconds. Mails are forwarded, and the page
// shows values of the Contact. decisions.md: 133
const preferenceLife = 30 * 24 * 60 * 60

// PreferencePage is what a subscriber sees and may change.
type PreferencePage struct {
	LinkView
	Expired bool               // the mail is old, or went to another address: the page shows nothing
	Fields  []*enlist.Field    // that the subscriber may change
	Others  []OtherList        // public Lists of the Account
	Ledger  []enlist.LedgerRow // newest first
}

// OtherList is a public List that the subscriber may join and leave.
type OtherList struct {
	*enlist.Schema
	Subscribed bool
	Waits      bool // until the subscriber confirms
}

// ViewPreferences returns the page of a link. It changes nothing.
func (s *Service) ViewPreferences(ctx context.Context, d enlist.DeliveryKey) (*PreferencePage, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*PreferencePage, error) { return s.loadPreferences(tx, d) })
}

// ExamplePreferences returns the page of a made-up subscriber of a List, with the first choice of each Field and a
// tick. A person who may not see all Lists sees no others. Errors: NoList, Denied.
func (s *Service) ExamplePreferences(ctx context.Context, c *enlist.Caller, list enlist.ListID) (*PreferencePage,
	error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*PreferencePage, error) {
		schema, err := lists.Load(tx, c, list)
		if err != nil {
			return nil, err
		}
		p := &PreferencePage{Fields: contacts.OwnFields(schema)}
		p.Schema, p.Contact = schema, exampleContact(schema)
		if p.Others, err = otherLists(tx, schema, p.Contact); err != nil {
			return nil, err
		}
		p.Others = slices.DeleteFunc(p.Others, func(o OtherList) bool { return !c.Key.Allows(o.List.ID) })
		return p, nil
	})
}

// exampleContact returns a made-up Contact. Its key is not that of any address.
func exampleContact(schema *enlist.Schema) *enlist.Contact {
	c := &enlist.Contact{Key: "example", Prefs: make(map[enlist.PreferenceID]bool)}
	c.Values = c.Values.Set(schema.Email().ID, "reader@example.com") // RFC 2606, 2
	for i := range schema.Fields {
		if f := &schema.Fields[i]; f.Values != "" {
			first, _, _ := strings.Cut(f.Values, ",")
			c.Values = c.Values.Set(f.ID, strings.TrimSpace(first))
		}
	}
	if len(schema.Preferences) > 0 {
		c.Prefs[schema.Preferences[0].ID] = true
	}
	return c
}

func (s *Service) loadPreferences(tx *db.Tx, d enlist.DeliveryKey) (*PreferencePage, error) {
	v, err := loadLinkView(tx, d)
	if err != nil {
		return nil, err
	}
	p := &PreferencePage{LinkView: *v}
	if p.Contact == nil {
		return p, nil
	}
	if p.Moved || p.Unknown || s.db.Now().Unix() > d.Time+preferenceLife {
		p.Expired = true
		return p, nil
	}
	p.Fields = contacts.OwnFields(p.Schema)
	if p.Others, err = otherLists(tx, p.Schema, p.Contact); err != nil {
		return nil, err
	}
	p.Ledger, err = contacts.LedgerRows(tx, d.List, d.Contact, maxOwnLedger, 0)
	return p, err
}

// maxOwnLedger is the number of rows of the ledger that a page shows.
const maxOwnLedger = 100

// otherLists returns the public Lists that a subscriber of another List may join or leave. One that requires a consent
// needs a text for it.
func otherLists(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact) (others []OtherList, err error) {
	public, err := lists.Defined(tx, schema.List.AccountID)
	if err != nil || contact.Values.Get(schema.Email().ID) == "" {
		return nil, err
	}
	public = slices.DeleteFunc(public, func(l enlist.List) bool { return !l.Public || l.ID == schema.List.ID })
	with, err := contacts.ListsOf(tx, lists.IDs(public), contact.Key, "")
	if err != nil {
		return nil, err
	}
	for i := range public {
		o := OtherList{}
		if o.Schema, err = lists.Schema(tx, public[i].ID); err != nil {
			return nil, err
		}
		var theirs []enlist.Contact
		if slices.Contains(with, public[i].ID) {
			theirs, err = contacts.ByAddress(tx, public[i].ID, contact.Key, "", 0, contacts.MaxUnsubscribe)
			if err != nil {
				return nil, err
			}
		}
		for k := range theirs {
			if c := &theirs[k]; !c.IsUnsubscribed && o.Schema.HasAddress(c, enlist.AddressEmail) {
				o.Subscribed, o.Waits = true, public[i].DoubleOptIn && !c.DoubleOptIn
			}
		}
		if o.Subscribed || !public[i].GDPR || public[i].ConsentText != "" {
			others = append(others, o)
		}
	}
	return others, nil
}

// PreferenceChange is what a subscriber sends.
type PreferenceChange struct {
	contacts.OwnChange
	Lists map[enlist.ListID]bool // of the public Lists: whether to be subscribed

	Tracking *contacts.TrackingDecision // nil, or the present decision: no change
}

// ChangePreferences stores what a subscriber sends, and returns the page before the change. A page that has expired
// changes nothing. Errors: InvalidParameters for a value that a Field does not accept; then nothing has changed.
func (s *Service) ChangePreferences(ctx context.Context, d enlist.DeliveryKey, r *PreferenceChange) (*PreferencePage,
	error) {
	var by *enlist.Caller
	p, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*PreferencePage, error) {
		p, err := s.loadPreferences(tx, d)
		if err != nil || p.Contact == nil || p.Expired {
			return p, err
		}
		account, err := accounts.ByID(tx, p.Schema.List.AccountID)
		if err != nil {
			return nil, err
		}
		by = &enlist.Caller{Account: account, Key: new(enlist.Key)}
		err = contacts.EditOwn(tx, p.Schema, p.Contact, &r.OwnChange, now)
		if err == nil && r.Tracking != nil && r.Tracking.Consent != p.Contact.TrackingConsent {
			err = contacts.DecideTracking(tx, p.Schema, p.Contact, r.Tracking, now)
		}
		return p, err
	})
	if err != nil || by == nil {
		return p, err
	}
	for _, o := range p.Others {
		wanted, sent := r.Lists[o.List.ID]
		if !sent || wanted == o.Subscribed {
			continue
		}
		if err := s.joinOrLeave(ctx, by, p, o.Schema, wanted, r.IP); err != nil {
			return p, err
		}
	}
	return p, nil
}

// joinOrLeave subscribes the address of a page's Contact to another List, or unsubscribes it there.
func (s *Service) joinOrLeave(ctx context.Context, by *enlist.Caller, p *PreferencePage, other *enlist.Schema,
	join bool, ip string) error {
	if !join {
		_, err := s.contacts.UnsubscribeAddress(ctx, by, contacts.UnsubscribeStep{List: other.List.ID,
			Address: p.email(), By: contacts.Origin{Method: contacts.MethodPreferences, IP: ip}})
		return enlist.IgnoreKind(enlist.NoList, err)
	}
	email := enlist.TextInput(p.email())
	r := contacts.SubscribeRequest{List: other.List.ID, ByLink: true, Language: p.Language(),
		Details: []enlist.Detail{{Key: other.Email().Name, Value: email}},
		Consent: contacts.Consent{Type: contacts.ConsentDirect, Text: other.List.Name, IP: ip}}
	if other.List.ConsentText != "" {
		r.Consent.Type, r.Consent.Text = enlist.ConsentGDPR, other.List.ConsentText
	}
	_, err := s.contacts.Subscribe(ctx, by, r)
	return enlist.IgnoreKind(enlist.NoList, err)
}

// ExplainDeparture stores why the Contact of a link has unsubscribed.
func (s *Service) ExplainDeparture(ctx context.Context, d enlist.DeliveryKey, reason contacts.DepartureReason,
	words string) (*LinkView, error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*LinkView, error) {
		v, err := loadLinkView(tx, d)
		if err != nil || v.Contact == nil || v.Moved {
			return v, err
		}
		return v, contacts.SetDeparture(tx, v.Contact, reason, words, now)
	})
}

// SendLink mails the link to the settings to an address, if a Contact of the List has it. The result does not say
// whether one has.
func (s *Service) SendLink(ctx context.Context, list enlist.ListID, text string) error {
	_, key, ok := address.ParseEmail(strings.TrimSpace(text))
	if !ok {
		return nil
	}
	return s.db.Update(ctx, func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return enlist.IgnoreKind(enlist.NoList, err)
		}
		subscribers, err := contacts.ByAddress(tx, list, key, "", 0, 1)
		if err != nil || len(subscribers) == 0 || !schema.HasAddress(&subscribers[0], enlist.AddressEmail) {
			return err
		}
		return s.enqueueLink(tx, &subscribers[0])
	})
}

// SendNewLink mails a new link to the Contact of an old one, at its present address.
func (s *Service) SendNewLink(ctx context.Context, d enlist.DeliveryKey) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		v, err := loadLinkView(tx, d)
		if err != nil || v.Contact == nil || v.email() == "" {
			return err
		}
		return s.enqueueLink(tx, v.Contact)
	})
}

// enqueueLink enqueues the mail with the link to the settings, unless TakeMailbox refuses it.
func (s *Service) enqueueLink(tx *db.Tx, c *enlist.Contact) error {
	now := s.db.Now().Unix()
	may, err := contacts.TakeMailbox(tx, c.ListID, contacts.AskedLink, c.Key, now)
	if err != nil || !may {
		return err
	}
	return tx.Enqueue(contacts.SendLink{List: c.ListID, Contact: c.ID, Time: now})
}
