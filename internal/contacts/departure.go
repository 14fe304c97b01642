package contacts

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has the reasons that people give when they unsubscribe. A reason is removed with its Contact.

// DepartureReason says why a person has unsubscribed.
type DepartureReason string

// DepartureReasons are all reasons, in the order in which a page shows them.
func DepartureReasons() []DepartureReason {
	return []DepartureReason{"too_many", "not_interesting", "never_subscribed", "other"}
}

// maxDepartureWords is the longest text with which a person explains a reason, in characters. A longer one is cut.
const maxDepartureWords = 500

// SetDeparture stores why a Contact has unsubscribed, in place of an earlier reason. It stores nothing for a Contact
// that is subscribed, and for a reason that is none.
func SetDeparture(tx *db.Tx, contact *enlist.Contact, reason DepartureReason, words string, now int64) error {
	if !contact.IsUnsubscribed || !slices.Contains(DepartureReasons(), reason) {
		return nil
	}
	return tx.Do(`INSERT INTO departure (list_id, contact_id, time, reason, words) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (list_id, contact_id) DO UPDATE SET time = excluded.time, reason = excluded.reason,
			words = excluded.words`,
		int64(contact.ListID), int64(contact.ID), now, string(reason), departureWords(words))
}

// departureWords returns a text without control characters, and cut.
func departureWords(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text), ""))
	if characters := []rune(text); len(characters) > maxDepartureWords {
		text = string(characters[:maxDepartureWords])
	}
	return text
}

// Departures are the reasons of a List's Contacts.
type Departures struct {
	Counts map[DepartureReason]int64
	Words  []DepartureWords // newest first, at most 20
}

// DepartureWords is what a person has written.
type DepartureWords struct {
	Contact enlist.ContactID
	Time    int64
	Words   string
}

// AllDepartures returns how many Contacts have given a reason, by List, for all Lists that the caller may access. A List
// without reasons is missing.
func (s *Service) AllDepartures(ctx context.Context, c *enlist.Caller) (map[enlist.ListID]int64, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (map[enlist.ListID]int64, error) {
		counts := make(map[enlist.ListID]int64)
		return counts, tx.Each(func(row *db.Cursor) error {
			if list, n := enlist.ListID(row.Int()), row.Int(); c.Key.Allows(list) {
				counts[list] = n
			}
			return nil
		}, `SELECT list_id, count(*) FROM departure
			WHERE list_id IN (SELECT id FROM list WHERE account_id = ? AND hidden = 0) GROUP BY list_id`,
			int64(c.Account.ID))
	})
}

// Departures returns why Contacts of a List have unsubscribed. Only a caller that may see Contacts gets the words.
// Errors: NoList, Denied.
func (s *Service) Departures(ctx context.Context, c *enlist.Caller, list enlist.ListID) (*Departures, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*Departures, error) {
		if _, err := lists.Load(tx, c, list); err != nil {
			return nil, err
		}
		d := &Departures{Counts: make(map[DepartureReason]int64)}
		err := tx.Each(func(row *db.Cursor) error {
			d.Counts[DepartureReason(row.Text())] = row.Int()
			return nil
		}, "SELECT reason, count(*) FROM departure WHERE list_id = ? GROUP BY reason", int64(list))
		if err != nil || !c.May(enlist.SeeContacts) {
			return d, err
		}
		return d, tx.Each(func(row *db.Cursor) error {
			d.Words = append(d.Words, DepartureWords{enlist.ContactID(row.Int()), row.Int(), row.Text()})
			return nil
		}, `SELECT contact_id, time, words FROM departure WHERE list_id = ? AND words <> ''
			ORDER BY time DESC, contact_id DESC`+db.Limited, int64(list), int64(20))
	})
}
