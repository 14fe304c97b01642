package apptest

import (
	"strings"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/lists"
	"enlist/internal/reports"
	"enlist/internal/search"
)

func (o *Account) Subscribe(list enlist.ListID, pairs ...any) enlist.ContactID {
	o.Helper()
	r := contacts.SubscribeRequest{List: list, Details: Details(pairs...)}
	id, err := o.App.Contacts.Subscribe(o.Context(), o.Caller, r)
	o.Must(err)
	return id
}

// AddImport adds an Import of a file to a List. change may set options.
func (o *Account) AddImport(list enlist.ListID, file string,
	change func(*imports.ImportOptions)) (*imports.Import, error) {
	options := imports.ImportOptions{List: list, FileName: "people.csv"}
	if change != nil {
		change(&options)
	}
	return o.App.Imports.AddImport(o.Context(), o.Caller,
		imports.NewImport{ImportOptions: options, File: strings.NewReader(file)})
}

// ImportFile adds an Import, runs it to its end and returns it.
func (o *Account) ImportFile(list enlist.ListID, file string, change func(*imports.ImportOptions)) *imports.Import {
	o.Helper()
	i, err := o.AddImport(list, file, change)
	o.Must(err)
	o.Must(o.App.Imports.RunImport(o.Context(), i.ID))
	i, err = o.App.Imports.Import(o.Context(), o.Caller, i.ID)
	o.Must(err)
	return i
}

// Contact reads a stored Contact.
func (o *Account) Contact(list enlist.ListID, id enlist.ContactID) (c *enlist.Contact) {
	o.Helper()
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) (err error) {
		c, err = contacts.ByID(tx, list, id)
		return err
	}))
	return c
}

// Count counts the Contacts of a List that match one criterion.
func (o *Account) Count(list enlist.ListID, key, operator, value string) int64 {
	o.Helper()
	n, err := o.App.Contacts.CountContacts(o.Context(), o.Caller, list, Criterion(key, operator, value))
	o.Must(err)
	return n
}

// EditEmail changes the email address of a Contact.
func (o *Account) EditEmail(list enlist.ListID, id enlist.ContactID, email string) {
	o.Helper()
	_, err := o.App.Contacts.EditContacts(o.Context(), o.Caller, contacts.EditRequest{List: list,
		Contacts: []contacts.EditRow{{ID: id, Details: Details("Email", email)}}})
	o.Must(err)
}

// MessagesSent returns the mails to a Contact.
func (o *Account) MessagesSent(list enlist.ListID, id enlist.ContactID) []reports.ContactDelivery {
	o.Helper()
	var w Rows[reports.ContactDelivery]
	o.Must(o.App.Reports.ContactDeliveries(o.Context(), o.Caller, list, id, &w))
	return w.All
}

// All returns the IDs of a List's Contacts.
func (o *Account) All(list enlist.ListID) (ids []enlist.ContactID) {
	o.Helper()
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		ids = nil
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		return search.Contacts(tx, &enlist.Search{Schema: schema}, func(c *enlist.Contact) error {
			ids = append(ids, c.ID)
			return nil
		})
	}))
	return ids
}

// Ledger returns how many ledger rows a Contact has.
func (o *Account) Ledger(list enlist.ListID, id enlist.ContactID) int {
	o.Helper()
	var w Rows[enlist.LedgerRow]
	o.Must(o.App.Contacts.ContactConsents(o.Context(), o.Caller, contacts.LedgerQuery{List: list, Contact: id}, &w))
	return len(w.All)
}

// LedgerOf returns the ledger of a Contact, newest first, with only the method, type and IP of each row.
func (o *Account) LedgerOf(list enlist.ListID, id enlist.ContactID) (rows []enlist.LedgerRow) {
	o.Helper()
	View(o.T, o.Store, func(tx *db.Tx) error {
		all, err := contacts.LedgerRows(tx, list, id, 0, 0)
		for _, r := range all {
			rows = append(rows, enlist.LedgerRow{Method: r.Method, Type: r.Type, IP: r.IP, KeyName: r.KeyName})
		}
		return err
	})
	return rows
}
