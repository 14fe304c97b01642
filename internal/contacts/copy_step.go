package contacts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file copies Contacts to another List: one transaction for each step. reference.md: copy.rules

const (
	copyStepSize = 100 // Contacts of a step: each has its own statements
	copyLedger   = 200 // rows of the consent ledger that a Contact takes along: the newest ones
)

// MethodCopy is the Method of the row of the ledger that says from which List a Contact was copied.
const MethodCopy = "copyContacts"

// copying is a step of a copy.
type copying struct {
	*changeStep
	target       *enlist.Schema
	pairs        []FieldPair
	account      *enlist.Account
	today        string
	existing     map[string]*enlist.Contact // of the target, by address
	left         map[string]bool            // addresses on the Unsubscriber List
	room         int64
	copied       []enlist.ContactID // that the target has now
	inTarget     []ContactEvent
	had, refused int64
	unfit        int64 // Contacts with a value that the target does not accept
}

// copyTo copies Contacts to the target, and removes those from their List that it moves.
func (s *changeStep) copyTo(ids []enlist.ContactID) (int, error) {
	c := copying{changeStep: s}
	var err error
	c.target, err = lists.Schema(s.tx, s.Target)
	if enlist.KindOf(err) == enlist.NoList {
		s.reason = "the other List was deleted"
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	byID, err := ContactsToChange(s.tx, s.ListID, ids)
	if err != nil {
		return 0, err
	}
	if err := c.prepare(byID); err != nil {
		return 0, err
	}
	for _, id := range ids {
		if byID[id] == nil || s.reason != "" {
			continue
		}
		if err := c.one(byID[id]); err != nil {
			return 0, err
		}
	}
	if s.Action == ChangeMove {
		if _, err := s.remove(c.copied); err != nil {
			return 0, err
		}
	}
	const counts = "UPDATE contact_change SET existed = existed + ?, refused = refused + ?, unfit = unfit + ? WHERE id = ?"
	if err := s.tx.Do(counts, c.had, c.refused, c.unfit, s.ID); err != nil {
		return 0, err
	}
	before := Notifier{Changed: int(s.Changed), Many: s.Changed > maxSingleEvents}
	return len(c.copied), before.Publish(s.tx, c.target, s.now, c.inTarget)
}

// prepare looks up what decides about the Contacts.
func (c *copying) prepare(byID map[enlist.ContactID]*enlist.Contact) (err error) {
	if c.account, err = accounts.ByID(c.tx, c.AccountID); err != nil {
		return err
	}
	c.today, c.pairs = enlist.Today(time.Unix(c.now, 0), c.account.TimeZone), fieldPairs(c.schema, c.target)
	if c.room, err = AccountRoom(c.tx, c.account); err != nil {
		return err
	}
	var keys []string
	for _, one := range byID {
		if p, _ := c.parsed(one); p.err == nil {
			keys = append(keys, p.Key)
		}
	}
	if c.existing, err = FirstContacts(c.tx, c.Target, keys); err != nil {
		return err
	}
	c.left, err = leftAmong(c.tx, c.AccountID, c.Target, keys)
	return err
}

// parsed returns the values of a Contact that the target accepts, and whether it accepts all.
func (c *copying) parsed(one *enlist.Contact) (p *ParsedContact, fits bool) {
	p, fits = &ParsedContact{Schema: c.target, Today: c.today}, true
	var sent []SentValue
	for _, pair := range c.pairs {
		value := enlist.TextInput(one.Values.Get(pair.From.ID))
		if pair.To == nil || value.Text == "" {
			continue
		}
		if pair.To.AddressType == enlist.AddressMobile && strings.HasPrefix(one.Mobile, "+") &&
			address.NormaliseMobile(value.Text, c.target.List.CountryCode) != one.Mobile {
			value.Text = one.Mobile // the text is a number of the country of its List
		}
		if _, err := pair.To.Read(value, c.today); err != nil {
			fits = false
			continue
		}
		sent = append(sent, SentValue{Field: pair.To, Value: &value})
	}
	p.err = p.ParseSent(sent)
	return p, fits
}

// mayJoin reports whether a copy may add to a Contact of the target. After a move to one that gets no mail, the person
// would get none.
func (c *copying) mayJoin(there *enlist.Contact) bool {
	return !there.IsUnsubscribed && (there.IsActive || c.Action == ChangeCopy)
}

// one copies a Contact, or counts it as refused: one that gets no mail, or that may not be on the target. A move, which
// removes it, also leaves it out if a value would be lost.
func (c *copying) one(one *enlist.Contact) error {
	p, fits := c.parsed(one)
	there := c.existing[p.Key]
	if p.err != nil || one.IsUnsubscribed || !one.IsActive || c.left[p.Key] || there != nil && !c.mayJoin(there) {
		c.refused++
		return nil
	}
	if !fits {
		c.unfit++
		if c.Action == ChangeMove {
			return nil
		}
	}
	if there != nil {
		return c.join(there, one, p)
	}
	rows, err := ConsentsOf(c.tx, c.ListID, []enlist.ContactID{one.ID})
	if err != nil {
		return err
	}
	ledger := rows[one.ID]
	agreed := slices.ContainsFunc(ledger, func(r enlist.LedgerRow) bool { return r.Type == enlist.ConsentGDPR })
	if c.target.List.GDPR && !agreed {
		c.refused++
		return nil
	}
	if c.room <= 0 && c.Action == ChangeCopy { // a move stores no more Contacts than before
		c.reason = "the Account has reached its limit of Contacts"
		return nil
	}
	added := p.NewContact(one.SubscribedVia, c.now)
	added.DoubleOptIn, added.DoubleOptInTime, added.Language = one.DoubleOptIn, one.DoubleOptInTime, one.Language
	added.LastClickTime, added.LastMessageTime, added.LastOpenTime = one.LastClickTime, one.LastMessageTime, one.LastOpenTime
	SetPreferences(&added, c.target, c.answers(one, nil))
	existing, err := insertOrFind(c.tx, &added)
	if err != nil {
		return err
	}
	if existing != nil { // another transaction was faster
		c.existing[p.Key] = existing
		return c.join(existing, one, p)
	}
	c.room--
	c.existing[p.Key], c.copied = &added, append(c.copied, one.ID)
	c.inTarget = append(c.inTarget, ContactEvent{added.ID, enlist.WebhookCreated})
	return c.takeAlong(&added, one, ledger)
}

// join copies a Contact to one that the target has, or counts it as refused.
func (c *copying) join(there, one *enlist.Contact, p *ParsedContact) error {
	if !c.mayJoin(there) {
		c.refused++
		return nil
	}
	c.had++
	c.copied = append(c.copied, one.ID)
	return c.complete(there, one, p)
}

// complete gives a Contact of the target the values and answers that it lacks. All else that it has wins.
func (c *copying) complete(there, one *enlist.Contact, p *ParsedContact) error {
	p.Values = slices.DeleteFunc(p.Values, func(v parsedValue) bool { return there.Values.Get(v.Field.ID) != "" })
	p.Mobile = p.mobileOr(there.Mobile)
	changed := SetPreferences(there, c.target, c.answers(one, there))
	if !p.Apply(there) && !changed {
		return nil
	}
	there.Modified = c.now
	c.inTarget = append(c.inTarget, ContactEvent{there.ID, enlist.WebhookUpdated})
	return errors.Join(Update(c.tx, there), c.origin().Record(c.tx, there, c.now))
}

// mobileOr returns the mobile number that was sent, or else another one.
func (p *ParsedContact) mobileOr(other string) string {
	if slices.ContainsFunc(p.Values, func(v parsedValue) bool { return v.Field == p.Schema.Mobile() }) {
		return p.Mobile
	}
	return other
}

// answers returns the answers of a Contact to preferences that the target has too, but for those that there has answered.
func (c *copying) answers(one, there *enlist.Contact) (all []enlist.PreferenceChoice) {
	for _, p := range c.schema.Preferences {
		agree, answered := one.Prefs[p.ID]
		same := c.target.Preference(p.Name)
		if !answered || same == nil {
			continue
		}
		if there != nil {
			if _, has := there.Prefs[same.ID]; has {
				continue
			}
		}
		all = append(all, enlist.PreferenceChoice{Name: p.Name, Agree: agree})
	}
	return all
}

// takeAlong gives a new Contact the consents of the one it is copied from, and a row that says so.
func (c *copying) takeAlong(added, one *enlist.Contact, ledger []enlist.LedgerRow) error {
	ledger = ledger[:min(len(ledger), copyLedger)]
	for _, row := range slices.Backward(ledger) {
		if row.Type == "" { // a decision about tracking: the last one follows
			continue
		}
		row.ListID, row.ContactID = added.ListID, added.ID
		if err := AddLedgerRow(c.tx, &row); err != nil {
			return err
		}
	}
	if one.TrackingConsent != enlist.TrackingUnknown {
		row, err := lastTracking(c.tx, one)
		if err != nil {
			return err
		}
		if err := takeOver(c.tx, added, one, *row, c.now); err != nil {
			return err
		}
	}
	return c.origin().Record(c.tx, added, c.now)
}

// origin says from which List a Contact comes.
func (c *copying) origin() Origin {
	return Origin{Method: MethodCopy, Text: fmt.Sprintf("%s (List %d)", c.schema.List.Name, c.ListID)}
}

// lockLists locks the Lists of a change, in the order of their IDs, so that two copies cannot deadlock.
func (c *Change) lockLists(tx *db.Tx) error {
	first, second := c.ListID, c.Target
	if second != 0 && second < first {
		first, second = second, first
	}
	if err := tx.LockListForBulk(first); err != nil || second == 0 {
		return err
	}
	return tx.LockListForBulk(second)
}
