package privacy

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/forms"
	"enlist/internal/imports"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file finds the rows that an erasure removes: those of an export (person.go), and changes of many Contacts.

// personFound has the rows to erase. It is a PersonWriter.
type personFound struct {
	caller *enlist.Caller
	keys   *personKeys
	left   []string

	counts     map[PersonSection]int64
	section    PersonSection
	entries    []int64 // of the Unsubscriber List
	hashes     []string
	deliveries []enlist.DeliveryKey
	recipients []recipients.Recipient // only their keys
	events     []int64
	jobs       []int64
	results    []resultStep
	imports    []enlist.ImportID // whose header, reason or file name mentions the person
	saved      []savedResult
	acts       []int64  // rows of the audit log
	changes    []int64  // of many Contacts, with a value
	changing   int64    // such a change that runs; 0: none
	addresses  []string // normalised forms of the person's addresses
}

// resultStep is a step of an Import whose results are about the person.
type resultStep struct {
	id     enlist.ImportID
	list   enlist.ListID
	number int64
}

// savedResult is the key of a result of a call with an Idempotency-Key.
type savedResult struct {
	key    enlist.KeyID
	header string
}

// findToErase finds the rows about a person.
func (s *Service) findToErase(ctx context.Context, c *enlist.Caller, text string) (*personFound, error) {
	if err := enlist.RequireWholeAccount(c); err != nil {
		return nil, err
	}
	var rows *personFound
	err := s.db.ViewPrimary(c.Context(ctx), s.db.Confirmed(c, func(tx *db.Tx) error {
		keys, contacts, err := findPerson(tx, c, text)
		if err != nil {
			return err
		}
		imports, err := imports.Imports(tx, c.Account.ID)
		if err != nil {
			return err
		}
		lists := make(map[enlist.ImportID]enlist.ListID)
		for i := range imports {
			if !imports[i].Ended() {
				return enlist.Refuse(enlist.Busy, "import %d has not ended, and its file may contain the person: wait, or cancel it", imports[i].ID)
			}
			lists[imports[i].ID] = imports[i].ListID
		}
		rows = &personFound{caller: c, keys: keys, addresses: keys.normalised()}
		if err := exportPerson(tx, keys, contacts, rows); err != nil {
			return err
		}
		for i := range rows.results {
			rows.results[i].list = lists[rows.results[i].id]
		}
		if err := rows.findChanges(tx); err != nil {
			return err
		}
		rows.left, err = textsWith(tx, keys)
		return err
	}))
	return rows, err
}

func (k *personKeys) normalised() []string {
	keys := slices.DeleteFunc(slices.Concat(k.own, k.Others), func(key string) bool { return key == "" })
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Begin implements PersonWriter.
func (f *personFound) Begin() error {
	*f = personFound{caller: f.caller, keys: f.keys, addresses: f.addresses, counts: make(map[PersonSection]int64)}
	return nil
}

// Section implements PersonWriter.
func (f *personFound) Section(s PersonSection) error {
	f.section = s
	return nil
}

// Row implements PersonWriter.
func (f *personFound) Row(values []PersonValue) error {
	row := make(map[string]any, len(values))
	for _, v := range values {
		row[v.Name] = v.Value
	}
	number := func(name string) int64 { n, _ := row[name].(int64); return n }
	text := func(name string) string { t, _ := row[name].(string); return t }
	list, contact := enlist.ListID(number("list_id")), enlist.ContactID(number("contact_id"))
	isOthers := !f.keys.Has(list, contact) // rows of the person's Contacts are removed with them
	f.counts[f.section]++
	switch f.section {
	case PersonUnsubscribed:
		f.entries, f.addresses = append(f.entries, number("id")), append(f.addresses, text("address_key"))
		f.hashes = append(f.hashes, text("address_key"))
	case PersonMails:
		if isOthers {
			f.deliveries = append(f.deliveries, enlist.DeliveryKey{List: list, Contact: contact,
				Time: number("event_time"), Cause: text("cause")})
		}
	case PersonBatchMails:
		if isOthers {
			f.recipients = append(f.recipients, recipients.Recipient{List: list, Contact: contact,
				Batch: enlist.BatchID(number("batch_id"))})
		}
	case PersonWebhookEvents:
		f.events = append(f.events, number("id"))
	case PersonJobs:
		f.jobs = append(f.jobs, number("id"))
	case PersonImports:
		if _, isHeader := row["header"]; isHeader {
			f.imports = append(f.imports, enlist.ImportID(number("import_id")))
			return nil
		}
		step := resultStep{id: enlist.ImportID(number("import_id")), number: number("step")}
		if !slices.Contains(f.results, step) {
			f.results = append(f.results, step)
		}
	case PersonAudit:
		if text("object") == auditedPerson {
			f.counts[f.section]-- // it has only a hash, and stays
		} else {
			f.acts = append(f.acts, number("id"))
		}
	case PersonSavedResults:
		f.saved = append(f.saved, savedResult{enlist.KeyID(number("key_id")), text("idempotency_key")})
	}
	return nil
}

// isEmpty reports whether nothing is left to erase.
func (f *personFound) isEmpty() bool {
	for section, n := range f.counts {
		if n > 0 && section != PersonConsents {
			return false
		}
	}
	return len(f.keys.Contacts) == 0 && len(f.keys.Former) == 0 && len(f.changes) == 0 && f.changing == 0
}

func (f *personFound) erasure() *Erasure {
	e := &Erasure{Left: f.left}
	for _, section := range personSections {
		e.Rows = append(e.Rows, ErasedRows{section.name, f.counts[section.name]})
	}
	return e
}

// textsWith returns where texts of an Account that an erasure leaves alone contain one of the addresses, such as
// "list 3". The texts are settings, content that callers wrote for many persons, and values of other persons' Contacts.
func textsWith(tx *db.Tx, k *personKeys) (places []string, err error) {
	for _, text := range []struct {
		place string
		each  func(*db.Tx, enlist.AccountID, func(id int64, text string)) error
	}{{"list", lists.Texts}, {"message", messages.Texts}, {"saved block", messages.SavedTexts}, {"batch", batches.Texts}, {"form", forms.Texts},
		{"theme", accounts.ThemeTexts}, {"segment", contacts.SegmentTexts}} {
		err := text.each(tx, k.Account, func(id int64, words string) {
			if k.Mentions(words) {
				places = append(places, text.place+" "+strconv.FormatInt(id, 10))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	n, of := 0, enlist.ListID(0) // the number of Contacts of the List of the last one
	return places, contacts.ThatMention(tx, &k.Person, func(list enlist.ListID, id enlist.ContactID, values string) {
		if list != of {
			n, of = 0, list
		}
		if n < maxContactsWith && k.Mentions(values) {
			n++
			places = append(places, fmt.Sprintf("contact %d of list %d", id, list))
		}
	})
}

// maxContactsWith is the largest number of Contacts of a List that textsWith returns.
const maxContactsWith = 100
