package searchtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/address"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"

	"pgregory.net/rapid"
)

// This file draws a List with random Fields, Contacts and search indexes.

// list is a List with random Fields and Contacts, in the store and in the model.
type list struct {
	model
	engine db.Engine
	id     enlist.ListID
	fields []enlist.Field
	names  []string            // all keys that a query may use
	pools  map[string][]string // values of each kind; no value is empty
}

// fieldNames are names of Fields. Some names differ only by letter case. Some contain characters that
// have a special meaning in SQL or JSON.
var fieldNames = []string{"Name", "name", `Quo"te'd`, "İstanbul ß", "%_\\", "State/Region", "😀", "Price", "Born",
	"Notes", "$.x", "IN"}

// makeList draws a List and stores it.
func makeList(t *rapid.T, store db.Engine, account enlist.AccountID) *list {
	l := &list{engine: store, model: model{kinds: make(kinds), country: 61}}
	l.drawFields(t)
	l.drawPools(t)
	contacts := l.drawContacts(t)
	err := store.Update(context.Background(), func(tx *db.Tx) error { return l.store(tx, account, contacts) })
	if err != nil {
		t.Fatal(err)
	}
	l.sendBatches(t, store)
	return l
}

func (l *list) drawFields(t *rapid.T) {
	l.fields = []enlist.Field{
		{Name: "Email", Type: enlist.Text, AddressType: enlist.AddressEmail},
		{Name: "Mobile Phone", Type: enlist.Text, AddressType: enlist.AddressMobile},
	}
	types := []enlist.FieldType{enlist.Text, enlist.Comment, enlist.Decimal, enlist.Currency, enlist.Date,
		enlist.Dropdown, enlist.Radio, enlist.Checkbox, enlist.File}
	for _, name := range rapid.Permutation(fieldNames).Draw(t, "names")[:rapid.IntRange(0, 6).Draw(t, "fields")] {
		f := enlist.Field{Name: name, Type: rapid.SampledFrom(types).Draw(t, "type")}
		if f.Type == enlist.Date {
			f.TimeFormat = "24h"
		}
		l.fields = append(l.fields, f)
	}
	for i := range l.fields {
		l.fields[i].DisplayOrder = int64(rapid.IntRange(-1, 5).Draw(t, "display order"))
	}
}

// kindOf returns the kind of a Field: a value of the map kinds, which says how the model compares values.
func kindOf(f *enlist.Field) string {
	switch {
	case f.AddressType != "":
		return string(f.AddressType)
	case f.Numeric():
		return "number"
	case f.Type == enlist.Date:
		return "date"
	}
	return "text"
}

// drawPools draws only a few values of each kind, so that Contacts and operands often have equal values.
func (l *list) drawPools(t *rapid.T) {
	number := rapid.Custom(func(t *rapid.T) string {
		digits := rapid.StringMatching(`-?(0|[1-9][0-9]{0,6})(\.[0-9]{1,8})?`).Draw(t, "number")
		canonical, ok := enlist.ParseDecimal(digits)
		if !ok {
			t.Fatalf("ParseDecimal refuses the number %q", digits)
		}
		return canonical
	})
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.ReplaceAll(rapid.StringN(1, 12, -1).Draw(t, "text"), "\x00", " ")
	})
	day := rapid.StringMatching(`(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])( ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])?`)
	long, wide := strings.Repeat("Äb", 99), strings.Repeat("\U0010ffff", 201)
	l.pools = map[string][]string{
		"text": append(rapid.SliceOfN(text, 3, 5).Draw(t, "texts"), rapid.SliceOfN(rapid.SampledFrom([]string{
			"NSW", "nsw", "İ", "i̇", "ı", "ß", "SS", "ẞ", "É", "é", "e\u0301", "100%", "100_", `a\b`, `a\\b`, `"`, "''",
			"' OR 1=1 --", "a,b", " a ", "a", "A", "Z", "_", "z", "\uffff", "😀", "\U0010ffff", "\n", "\u2028",
			"\x01\x1f\x7f", "0", "12.5", "null", long + "xy", long + "xyz", long + "XYa", long + "ä", long, long + "x",
			wide[:199*4], wide[:200*4], wide, wide + "z", "a\U0010ffff", "\ud7ff", "\ue000", "<>&",
		}), 7, 12).Draw(t, "special texts")...),
		"number": append(rapid.SliceOfN(number, 2, 4).Draw(t, "numbers"), rapid.SliceOfN(rapid.SampledFrom([]string{
			"0", "0.00", "12.5", "12.50", "-12.5", "5", "5.0", "10", "9", "0.1", "0.3", "0.000000000000001",
			"0.000000000000002", "-0.000000000000001", "0.123456789012345", "0.123456789012346", "999999999999999",
			"999999999999998", "-999999999999999", "99999999999999.9", "1234567.12345678", "1234567.12345679", "100000",
		}), 5, 8).Draw(t, "special numbers")...),
		"date": append(rapid.SliceOfN(day, 2, 4).Draw(t, "dates"), "0001-01-01", "9999-12-31", "9999-12-31 23:59:59",
			"2026-01-31", "2026-01-31 00:00:00", "2026-01-31 17:05:00"),
		"email": rapid.SliceOfN(rapid.SampledFrom([]string{
			"a@example.com", "A@Example.COM", "b@example.com", `"a b"@example.com`, "ü@example.com", "Ü@example.com",
			"x@bücher.example", "x@xn--bcher-kva.example", "%@example.com", "_@example.com", "o'neil@example.org",
		}), 4, 6).Draw(t, "emails"),
		"mobile": rapid.SliceOfN(rapid.SampledFrom([]string{
			"0412 345 678", "+61412345678", "61412345678", "+1 415 555 2671", "12", "1-2",
		}), 2, 4).Draw(t, "mobiles"),
		"int":  {"0", "1", "2", "1700000000", "1700000001", "999999999999999"},
		"bool": {"0", "1"},
	}
}

// store stores the List, its Fields and its Contacts, and completes the model.
func (l *list) store(tx *db.Tx, account enlist.AccountID, all []enlist.Contact) error {
	row := enlist.List{AccountID: account, Name: "List", CountryCode: l.country}
	if err := lists.Insert(tx, &row); err != nil {
		return err
	}
	l.id, l.records, l.names = row.ID, nil, nil
	ids := make(map[enlist.FieldID]enlist.FieldID) // the key is the index in l.fields plus 1
	for i := range l.fields {
		f := l.fields[i]
		f.ListID = l.id
		if err := lists.AddField(tx, &f); err != nil {
			return err
		}
		ids[enlist.FieldID(i+1)], l.fields[i].ID = f.ID, f.ID
		l.kinds[f.Name], l.kinds[fieldKey(f.ID)] = kindOf(&f), kindOf(&f)
	}
	preferences, err := l.addPreferences(tx)
	if err != nil {
		return err
	}
	for _, c := range all {
		c.ListID, c.Values = l.id, slices.Clone(c.Values)
		answers := make(map[enlist.PreferenceID]bool)
		for i, agreed := range c.Prefs {
			answers[preferences[i]] = agreed
		}
		c.Prefs = answers
		for i := range c.Values {
			c.Values[i].Field = ids[c.Values[i].Field]
		}
		if inserted, err := contacts.Insert(tx, &c); err != nil || !inserted {
			return fmt.Errorf("contact %+v: inserted %v, %w", c, inserted, err)
		}
		r := l.record(&c, ids)
		r.answers = make(map[string]string)
		for i, name := range preferenceNames {
			if agreed, answered := c.Prefs[preferences[enlist.PreferenceID(i+1)]]; answered {
				r.answers[preferencePrefix+name] = map[bool]string{true: "1", false: "0"}[agreed]
			}
		}
		l.records = append(l.records, r)
	}
	maps.Copy(l.kinds, systemKinds)
	l.names = slices.Sorted(maps.Keys(l.kinds))
	return nil
}

func fieldKey(id enlist.FieldID) string { return "field_" + strconv.FormatInt(int64(id), 10) }

var systemKinds = kinds{
	"id": "int", "creation_time": "int", "double_opt_in": "bool", "double_opt_in_time": "int", "is_active": "bool",
	"is_bounce_deactivated": "bool", "is_unsubscribed": "bool", "last_click_time": "int", "last_modified_time": "int",
	"last_message_time": "int", "last_open_time": "int", "subscribed_via": "text", "webform_id": "int",
}

// record returns the record that the model has for a stored Contact.
func (l *list) record(c *enlist.Contact, ids map[enlist.FieldID]enlist.FieldID) record {
	bit := map[bool]string{false: "0", true: "1"}
	r := record{id: int64(c.ID), forms: make(map[string]string), values: map[string]string{
		"id": fmt.Sprint(c.ID), "creation_time": fmt.Sprint(c.Created), "last_modified_time": fmt.Sprint(c.Modified),
		"double_opt_in": bit[c.DoubleOptIn], "double_opt_in_time": fmt.Sprint(c.DoubleOptInTime),
		"is_active": bit[c.IsActive], "is_bounce_deactivated": bit[c.IsBounceDeactivated],
		"is_unsubscribed": bit[c.IsUnsubscribed], "last_click_time": fmt.Sprint(c.LastClickTime),
		"last_message_time": fmt.Sprint(c.LastMessageTime), "last_open_time": fmt.Sprint(c.LastOpenTime),
		"subscribed_via": c.SubscribedVia, "webform_id": fmt.Sprint(c.WebformID),
	}}
	for i := range l.fields {
		f, id := &l.fields[i], ids[enlist.FieldID(i+1)]
		value := ""
		for _, v := range c.Values {
			if v.Field == id {
				value = v.Text
			}
		}
		for _, name := range []string{f.Name, fieldKey(id)} {
			r.values[name] = value
			switch f.AddressType {
			case enlist.AddressEmail:
				if value != "" {
					r.forms[name] = c.Key
				}
			case enlist.AddressMobile:
				r.forms[name] = c.Mobile
			}
		}
	}
	return r
}

// drawContacts draws Contacts with values from the pools. The ID of a Field in these values is not its
// real ID, but its index in l.fields plus 1.
func (l *list) drawContacts(t *rapid.T) []enlist.Contact {
	keys := make(map[string]bool)
	number := func(label string) int64 {
		n, _ := strconv.ParseInt(rapid.SampledFrom(l.pools["int"]).Draw(t, label), 10, 64)
		return n
	}
	contacts := make([]enlist.Contact, rapid.IntRange(0, 25).Draw(t, "contacts"))
	for i := range contacts {
		c := &contacts[i]
		flags := rapid.IntRange(0, 15).Draw(t, "flags")
		*c = enlist.Contact{
			Created: number("created"), Modified: number("modified"),
			DoubleOptInTime: number("confirmed"), LastOpenTime: number("opened"),
			WebformID: number("webform"), SubscribedVia: rapid.SampledFrom([]string{"api", "web_form", "other"}).Draw(t,
				"via"),
			DoubleOptIn: flags&1 > 0, IsActive: flags&2 > 0, IsBounceDeactivated: flags&4 > 0,
			IsUnsubscribed: flags&8 > 0, Prefs: drawAnswers(t),
		}
		for place := range l.fields {
			kind := kindOf(&l.fields[place])
			absent := rapid.IntRange(0, 3).Draw(t, "absent") == 0
			if absent && (place != 1 || c.Key != "") { // a Contact needs an email or a mobile number
				continue
			}
			value := rapid.SampledFrom(l.pools[kind]).Draw(t, "value")
			c.Values = c.Values.Set(enlist.FieldID(place+1), value)
			switch kind {
			case "email":
				_, c.Key, _ = address.ParseEmail(value)
			case "mobile":
				c.Mobile = address.NormaliseMobile(value, l.country)
				if c.Key == "" {
					c.Key = c.Mobile
				}
			}
		}
		c.IsFirst = !keys[c.Key]
		keys[c.Key] = true
	}
	return contacts
}

var keyTypes = map[string]enlist.KeyType{"text": enlist.KeyText, "number": enlist.KeyNumber, "date": enlist.KeyDate,
	"email": enlist.KeyEmail, "mobile": enlist.KeyMobile, "int": enlist.KeyInt, "bool": enlist.KeyBool}

// key returns the SearchKey for a name: "field_<id>" or the name of a system key. It returns nil for other
// names and for keys that always have an index.
func (l *list) key(name string) *enlist.SearchKey {
	for i := range l.fields {
		if f := &l.fields[i]; fieldKey(f.ID) == name {
			return &enlist.SearchKey{Field: f, Type: keyTypes[kindOf(f)]}
		}
	}
	if kind, ok := systemKinds[name]; ok && name != "id" && name != "creation_time" && name != "last_modified_time" {
		return &enlist.SearchKey{Name: name, Type: keyTypes[kind]}
	}
	return nil
}

// makeIndexes builds indexes of random keys for one third of the Lists. For some keys it stores only the
// row of a ready index, and no index. This is the state after an operator has dropped the index.
func (l *list) makeIndexes(t *rapid.T, store db.Engine) (made []enlist.SearchIndex) {
	if rapid.IntRange(0, 2).Draw(t, "indexes") > 0 {
		return nil
	}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(l.names), 1, 5, rapid.ID).Draw(t, "indexed") {
		k := l.key(name)
		if k == nil {
			continue
		}
		if store.FindsParts() && k.Field != nil && k.IsText() && rapid.Bool().Draw(t, "parts") {
			k = k.ForParts()
		}
		x := enlist.SearchIndex{ListID: l.id, Key: k.IndexKey(), State: enlist.IndexWaiting}
		err := store.Update(context.Background(), func(tx *db.Tx) error {
			_, err := search.AddIndex(tx, &x)
			return err
		})
		if err == nil && rapid.IntRange(0, 5).Draw(t, "dropped by an operator") > 0 {
			_, err = store.BuildIndex(context.Background(), x.ID, l.id, k)
		}
		if err == nil {
			x.State = enlist.IndexReady
			err = store.Update(context.Background(), func(tx *db.Tx) error { return search.UpdateIndex(tx, &x) })
		}
		if err != nil {
			t.Fatalf("index %s: %v", name, err)
		}
		made = append(made, x)
	}
	return made
}

func (l *list) dropIndexes(t *rapid.T, store db.Engine, made []enlist.SearchIndex) {
	for i := range made {
		x := &made[i]
		err := store.Update(context.Background(), func(tx *db.Tx) error { return search.RemoveIndex(tx, x.ID) })
		if err == nil {
			err = store.DropIndex(context.Background(), x.ID)
		}
		for began := time.Now(); errors.Is(err, enlist.ErrIndexBusy) && time.Since(began) < time.Minute; {
			err = store.DropIndex(context.Background(), x.ID)
		}
		if err != nil {
			t.Fatalf("drop index %s: %v", x.Key, err)
		}
	}
}
