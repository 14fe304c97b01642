package contacts

import (
	"context"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
)

// This file stores what people decide about the recording of their opens and clicks. A decision is about an address: all
// Contacts of the List with this address have it, and if the Account says so, those of all its Lists. The ledger keeps
// each decision. decisions.md: 155

// maxTextVersion is the longest version of a text, in characters.
const maxTextVersion = 50

// TrackingDecision is a decision of a person, or of a user for this person.
type TrackingDecision struct {
	Consent enlist.TrackingConsent // not TrackingUnknown
	Version string                 // of the text that the person read, for example of a privacy policy; "": none
	Forget  bool                   // with a refusal: what was recorded before it is removed too
	By      Origin                 // its Text is what the person read

	Import    enlist.ImportID // from whose file the decision comes; 0: none
	ImportRow int64
	Published enlist.ListID // whose webhook events the caller publishes
}

// Check refuses a decision that cannot be stored, and replaces its IP address by the form that is stored. Errors:
// InvalidParameters.
func (d *TrackingDecision) Check() error {
	switch {
	case d == nil: // the person has decided nothing
		return nil
	case d.Consent != enlist.TrackingGranted && d.Consent != enlist.TrackingDenied:
		return enlist.Invalid("tracking_consent", "expected granted or denied")
	case utf8.RuneCountInString(d.By.Text) > MaxConsentText:
		return enlist.Invalid("tracking_text", "tracking_text is over 255 characters long")
	case utf8.RuneCountInString(d.Version) > maxTextVersion:
		return enlist.Invalid("tracking_text_version", "tracking_text_version is over 50 characters long")
	}
	return d.By.checkIP()
}

// TrackingRequest is a decision about the Contact of a call.
type TrackingRequest struct {
	List     enlist.ListID
	Contact  enlist.ContactID
	Decision TrackingDecision
}

// DecideTracking stores a decision about the address of a Contact. Errors: NoList, Denied, NoContact,
// InvalidParameters.
func (s *Service) DecideTracking(ctx context.Context, c *enlist.Caller, r TrackingRequest) (enlist.ContactID, error) {
	if err := r.Decision.Check(); err != nil {
		return 0, err
	}
	return s.setStatus(ctx, c, r.List, r.Contact, func(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact,
		now int64) error {
		before := contact.TrackingConsent
		if err := DecideTracking(tx, schema, contact, &r.Decision, now); err != nil {
			return err
		}
		return accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Contact", ID: int64(r.Contact), List: r.List},
			accounts.AuditValues{"tracking_consent": before.String()},
			accounts.AuditValues{"tracking_consent": r.Decision.Consent.String()})
	})
}

// DecideTracking stores a decision that Check has accepted, about the address of a Contact. A decision that changes
// nothing is a row of the ledger only. It locks the Contacts with the address.
func DecideTracking(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact, d *TrackingDecision, now int64) error {
	among := []enlist.ListID{schema.List.ID}
	if schema.SharesTracking {
		var err error
		among, err = listsWithAddress(tx, schema.List.AccountID, contact.Key)
		if err != nil {
			return err
		}
	}
	err := eachWithAddress(tx, among, contact.Key, func(c *enlist.Contact) error { return decideOne(tx, c, d, now) })
	contact.TrackingConsent, contact.TrackingTime = d.Consent, now
	return err
}

// listsWithAddress returns the Lists of an Account that have a Contact with a normalised address.
func listsWithAddress(tx *db.Tx, account enlist.AccountID, key string) ([]enlist.ListID, error) {
	ids, err := definedIDs(tx, account)
	if err != nil {
		return nil, err
	}
	return ListsOf(tx, ids, key, "")
}

// definedIDs returns the IDs of an Account's Lists, in ascending order.
func definedIDs(tx *db.Tx, account enlist.AccountID) ([]enlist.ListID, error) {
	all, err := lists.Defined(tx, account)
	ids := make([]enlist.ListID, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	return ids, err
}

// decideOne stores a decision for one Contact.
func decideOne(tx *db.Tx, c *enlist.Contact, d *TrackingDecision, now int64) error {
	changed, err := putTracking(tx, c, &enlist.LedgerRow{Time: now, Method: d.By.Method, Text: d.By.Text, IP: d.By.IP,
		KeyID: d.By.Key, Tracking: d.Consent, TextVersion: d.Version, ImportID: d.Import, ImportRow: d.ImportRow}, now, d.Forget)
	if err != nil || !changed || c.ListID == d.Published {
		return err
	}
	schema, err := lists.Schema(tx, c.ListID)
	if err != nil {
		return err
	}
	return events.Publish(tx, schema, c.ID, now, enlist.WebhookUpdated)
}

// putTracking adds a row with a decision to the ledger of a Contact, and stores the decision if it is another one than
// before. A refusal removes what was recorded since its time or, with forget, everything: if nothing was, no job is
// needed.
func putTracking(tx *db.Tx, c *enlist.Contact, row *enlist.LedgerRow, at int64, forget bool) (changed bool, err error) {
	row.ListID, row.ContactID = c.ListID, c.ID
	if err := AddLedgerRow(tx, row); err != nil {
		return false, err
	}
	changed = c.TrackingConsent != row.Tracking
	if row.Tracking == enlist.TrackingDenied && (changed || forget) && c.LastOpenTime|c.LastClickTime != 0 {
		job := ForgetTracking{List: c.ListID, Contact: c.ID, Since: at}
		if forget {
			job.Since = 0
		}
		if err := tx.Enqueue(job); err != nil {
			return false, err
		}
	}
	if !changed {
		return false, nil
	}
	return true, SetTracking(tx, c.ListID, []enlist.ContactID{c.ID}, row.Tracking, at)
}

// SetTracking stores the same decision in Contacts of a List, without a row of the ledger. The other statements that
// store Contacts leave it as it is.
func SetTracking(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID, consent enlist.TrackingConsent, at int64) error {
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return err
	}
	return tx.Do(`UPDATE contact SET tracking_consent = ?, tracking_time = ?,
			last_modified_time = CASE WHEN last_modified_time < ? THEN CAST(? AS BIGINT) ELSE last_modified_time END
		WHERE list_id = ? AND `+test, slices.Concat([]any{int64(consent), at, at, at, int64(list)}, args)...)
}

// Tracking returns what a Contact has decided about a mail that was sent at a time, as it is stored now: in a
// transaction that writes, it locks the Contact. A Contact that is gone has refused. Who has refused and agrees later
// has not agreed about the mails before the refusal: the sums of their Batches have counted them.
func Tracking(tx *db.Tx, list enlist.ListID, id enlist.ContactID, sent int64) (enlist.TrackingConsent, error) {
	consent, since := int64(enlist.TrackingDenied), int64(0)
	err := tx.Row([]any{&consent, &since}, "SELECT tracking_consent, tracking_time FROM contact WHERE list_id = ? AND id = ?"+
		tx.Locking(), int64(list), int64(id))
	if err != nil || enlist.TrackingConsent(consent) != enlist.TrackingGranted || since < sent {
		return enlist.TrackingConsent(consent), err
	}
	refused, err := tx.Number(`SELECT coalesce(max(time), 0) FROM consent WHERE list_id = ? AND contact_id = ?
		AND tracking_consent = ?`, int64(list), int64(id), int64(enlist.TrackingDenied))
	if refused > 0 && sent <= refused {
		return enlist.TrackingDenied, err
	}
	return enlist.TrackingGranted, err
}

// RecordedIn returns the time from which on the job must leave what was recorded: a new agreement of the Contact. It
// locks the Contact. gone is true if there is none, and nothing left to remove.
func (f ForgetTracking) RecordedIn(tx *db.Tx) (until int64, gone bool, err error) {
	consent, since := int64(-1), int64(0)
	err = tx.Row([]any{&consent, &since}, "SELECT tracking_consent, tracking_time FROM contact WHERE list_id = ? AND id = ?"+
		tx.Locking(), int64(f.List), int64(f.Contact))
	if enlist.TrackingConsent(consent) != enlist.TrackingGranted {
		since = math.MaxInt64
	}
	return since, consent < 0, err
}

// SetAccessTimes replaces the times of a Contact's last open and click that are between two times.
func SetAccessTimes(tx *db.Tx, list enlist.ListID, id enlist.ContactID, since, until, opened, clicked int64) error {
	return tx.Do(`UPDATE contact SET
			last_open_time = CASE WHEN last_open_time >= ?1 AND last_open_time < ?2 THEN ?3 ELSE last_open_time END,
			last_click_time = CASE WHEN last_click_time >= ?1 AND last_click_time < ?2 THEN ?4 ELSE last_click_time END
		WHERE list_id = ?5 AND id = ?6`, since, until, opened, clicked, int64(list), int64(id))
}

// InheritTracking gives a Contact that is new, or has another address now, the decision that its address has in another
// Contact of the List, or of the Account if it shares decisions: a refusal if there is one, else the newest agreement that
// is not of a Form alone. The ledger of the new Contact gets a row with the same text.
func InheritTracking(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact, now int64) error {
	among, err := []enlist.ListID{schema.List.ID}, error(nil)
	switch {
	case schema.SharesTracking:
		among, err = listsWithAddress(tx, schema.List.AccountID, contact.Key)
	case contact.IsFirst:
		return nil
	}
	if err != nil {
		return err
	}
	var from *enlist.Contact
	var row *enlist.LedgerRow
	err = eachWithAddress(tx, among, contact.Key, func(c *enlist.Contact) error {
		if c.ID == contact.ID || c.TrackingConsent == enlist.TrackingUnknown || from != nil && !wins(c, from) {
			return nil
		}
		last, err := lastOfPerson(tx, c)
		if last != nil {
			from, row = c, last
		}
		return err
	})
	if err != nil || from == nil || from.TrackingConsent == contact.TrackingConsent {
		return err
	}
	if err := takeOver(tx, contact, from, *row, now); err != nil {
		return err
	}
	contact.TrackingConsent, contact.TrackingTime = from.TrackingConsent, from.TrackingTime
	return nil
}

// wins reports whether the decision of a Contact holds for an address of which another Contact has decided something
// else: a refusal, or else the newer one.
func wins(c, other *enlist.Contact) bool {
	if c.TrackingConsent != other.TrackingConsent {
		return c.TrackingConsent == enlist.TrackingDenied
	}
	return c.TrackingTime > other.TrackingTime
}

// lastOfPerson is lastTracking, or nil for a decision that must not hold in other Lists: anyone can tick a Form with any
// address, so such an agreement holds in its List only.
func lastOfPerson(tx *db.Tx, c *enlist.Contact) (*enlist.LedgerRow, error) {
	row, err := lastTracking(tx, c)
	if err != nil || c.TrackingConsent == enlist.TrackingGranted && row.Method == MethodForm {
		return nil, err
	}
	return row, nil
}

// eachWithAddress calls fn for the Contacts of some Lists that have a normalised address.
func eachWithAddress(tx *db.Tx, among []enlist.ListID, key string, fn func(*enlist.Contact) error) error {
	for _, list := range among {
		for after := enlist.ContactID(0); ; {
			with, err := ByAddress(tx, list, key, "", after, MaxUnsubscribe)
			if err != nil {
				return err
			}
			for i := range with {
				if err := fn(&with[i]); err != nil {
					return err
				}
				after = with[i].ID
			}
			if len(with) < MaxUnsubscribe {
				break
			}
		}
	}
	return nil
}

// takeOver gives a Contact the decision of another one with its address. row is its row of the ledger, whose text the new
// row has.
func takeOver(tx *db.Tx, to, from *enlist.Contact, row enlist.LedgerRow, now int64) error {
	row.Time, row.Method, row.ImportID, row.ImportRow, row.Tracking = now, MethodSameAddress, 0, 0, from.TrackingConsent
	row.IP, row.KeyID = "", 0 // perhaps of a List that readers of this one may not access
	_, err := putTracking(tx, to, &row, from.TrackingTime, false)
	return err
}

// CountTracking returns how many of some Contacts of a List have each decision. Contacts that are gone do not count.
func CountTracking(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) (map[enlist.TrackingConsent]int64, error) {
	counts := make(map[enlist.TrackingConsent]int64)
	if len(ids) == 0 {
		return counts, nil
	}
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return nil, err
	}
	return counts, tx.Each(func(row *db.Cursor) error {
		consent := enlist.TrackingConsent(row.Int())
		counts[consent] = row.Int()
		return nil
	}, "SELECT tracking_consent, count(*) FROM contact WHERE list_id = ? AND "+test+" GROUP BY tracking_consent",
		append([]any{int64(list)}, args...)...)
}

// lastTracking returns the newest row of a Contact's ledger with its decision, or an empty row. A tick that waits for a
// confirmation is in the ledger too.
func lastTracking(tx *db.Tx, c *enlist.Contact) (*enlist.LedgerRow, error) {
	rows, err := ledger(tx, " AND method <> '"+MethodTick+"' AND tracking_consent = "+
		strconv.FormatInt(int64(c.TrackingConsent), 10), c.ListID, c.ID, 1, 0)
	if err != nil || len(rows) == 0 {
		return new(enlist.LedgerRow), err
	}
	return &rows[0], nil
}
