package lists_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"

	"github.com/google/go-cmp/cmp"
)

// This file tests the calls about Fields.

// covers: spec field.record, addField.addresses, addField.attributes, editField.retype, subscribeContact.rule.6, addList.fields
// covers: spec name.rule, auth.restricted
func TestFields(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a new Field has defaults for attributes that the call does not send", Test: addField},
		{Name: "AddField refuses bad attributes", Test: addFieldRefuses},
		{Name: "a Field has the attributes that apply to its type", Test: applicableAttributes},
		{Name: "a List has at most 1,000 Fields", Test: fieldLimit},
		{Name: "SearchFields finds Fields by their attributes", Test: searchFields},
		{Name: "EditField changes the attributes that the call sends", Test: editField},
		{Name: "the type of a Field cannot change while its values do not fit the new type", Test: typeChange},
		{Name: "a Contact can change before its values are converted", Test: beforeConversion},
		{Name: "an address type can change only while no Contact has a value", Test: addressTypeChange},
		{Name: "DeleteField deletes the values, and the ID is never used again", Test: deleteField},
		{Name: "deleting the mobile Field deletes the normalised numbers", Test: deleteMobile},
		{Name: "a new Contact gets the Fields' default values", Test: defaults},
	})
}

func TestTypeChangeConvertsStoredValues(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a type change converts the stored values", Test: conversion},
	})
}

func addField(o *apptest.Account) {
	list := o.AddList()
	id := o.AddField(list, "name", " State ", "type", "dropdown",
		"values_array", []any{"NSW ", " VIC", ""}, "defaults_array", "VIC", "is_mandatory", "1",
		"show_in_form", 0, "dont_store_default", true, "length", 9, "id", 77, "no_such", "x")
	want := enlist.Field{ID: id, ListID: list, Name: "State", Type: enlist.Dropdown,
		Values: "NSW,VIC", Defaults: "VIC", Mandatory: true, AllowUpdate: true, DontStoreDefault: true, DisplayOrder: 3}
	if diff := cmp.Diff(want, *o.Field(list, id)); diff != "" {
		o.Errorf("(-want +got):\n%s", diff)
	}
	o.AddField(list, "name", "Secret", "type", "text", "display_order", -1)
	o.AddField(list, "name", "First", "type", "text", "display_order", 0)
	if f := o.Field(list, o.AddField(list, "name", "Last", "type", "date")); f.DisplayOrder != 4 || f.TimeFormat != "off" {
		o.Errorf("the last Field is %+v, want the display order 4 and no time format", f)
	}
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		var names []string
		for _, f := range schema.Fields {
			names = append(names, f.Name)
		}
		if diff := cmp.Diff([]string{"First", "Email", "Mobile Phone", "State", "Last", "Secret"}, names); diff != "" {
			o.Errorf("display order (-want +got):\n%s", diff)
		}
		return err
	}))
}

func addFieldRefuses(o *apptest.Account) {
	list := o.AddList()
	const invalid = enlist.InvalidParameters
	for _, c := range []struct {
		kind  enlist.Kind
		about string
		pairs []any
	}{
		{enlist.DuplicateField, "Email", []any{"name", "Email", "type", "text"}},
		{enlist.ReservedField, "id", []any{"name", "id", "type", "text"}},
		{enlist.ReservedField, "webform_id", []any{"name", "webform_id", "type", "text"}},
		{enlist.ReservedField, "all", []any{"name", "all", "type", "text"}},
		{enlist.ReservedField, "field_0", []any{"name", "field_0", "type", "text"}},
		{invalid, "name", []any{"type", "text"}},
		{invalid, "name", []any{"type", "text", "name", strings.Repeat("x", 256)}},
		{invalid, "type", []any{"name", "x"}},
		{invalid, "type", []any{"name", "x", "type", "Text"}},
		{invalid, "address_type", []any{"name", "x", "type", "text", "address_type", "email"}},
		{invalid, "address_type", []any{"name", "x", "type", "text", "address_type", "mobile"}},
		{invalid, "address_type", []any{"name", "x", "type", "text", "address_type", "fax"}},
		{invalid, "length", []any{"name", "x", "type", "text", "length", -1}},
		{invalid, "display_order", []any{"name", "x", "type", "text", "display_order", -2}},
		{invalid, "is_mandatory", []any{"name", "x", "type", "text", "is_mandatory", "x"}},
		{invalid, "values_array", []any{"name", "x", "type", "radio", "values_array", "a,b, a"}},
		{invalid, "defaults_array", []any{"name", "x", "type", "radio", "values_array", "a,b", "defaults_array", "c"}},
		{invalid, "defaults_array", []any{"name", "x", "type", "radio", "values_array", "a,b", "defaults_array", "a,b"}},
		{invalid, "default_value", []any{"name", "x", "type", "text", "length", 2, "default_value", "abc"}},
		{invalid, "default_value", []any{"name", "x", "type", "decimal", "default_value", "abc"}},
		{invalid, "default_value", []any{"name", "x", "type", "date", "default_value", "2026-02-30"}},
		{invalid, "default_value",
			[]any{"name", "x", "type", "date", "date_validation", "past", "default_value", "2026-06-16"}},
		{invalid, "date_validation", []any{"name", "x", "type", "date", "date_validation", "2026-02-01,2026-01-01"}},
		{invalid, "time_format", []any{"name", "x", "type", "date", "time_format", "48h"}},
		{invalid, "allowed_file_types", []any{"name", "x", "type", "file", "allowed_file_types", "images,music"}},
		{invalid, "file_folder_id", []any{"name", "x", "type", "file", "file_folder_id", 999}},
		{invalid, "row_size", []any{"name", "x", "type", "comment", "row_size", "many"}},
	} {
		o.Case(fmt.Sprint(c.about, " of ", c.pairs), func() {
			_, err := o.App.Lists.AddField(o.Context(), o.Caller, list, apptest.Details(c.pairs...))
			o.Refused(err, c.kind, c.about)
		})
	}
	if n := len(o.Fields(list, enlist.Query{})); n != 2 {
		o.Errorf("after refused calls the List has %d Fields, want 2", n)
	}
	for _, name := range []string{"email", "ID", "field_x", "field_", "All", "[x]"} {
		o.AddField(list, "name", name, "type", "text")
	}
}

// fieldLimit fills a List with Fields up to the limit. reference.md: addList.fields
func fieldLimit(o *apptest.Account) {
	list := o.AddList()
	o.Update(func(tx *db.Tx) error {
		for i := range 997 {
			f := enlist.Field{ListID: list, Name: fmt.Sprint("f", i), Type: enlist.Text}
			if err := lists.AddField(tx, &f); err != nil {
				return err
			}
		}
		return nil
	})
	last := o.AddField(list, "name", "last", "type", "text")
	_, err := o.App.Lists.AddField(o.Context(), o.Caller, list, apptest.Details("name", "x", "type", "text"))
	o.Refused(err, enlist.InvalidParameters, "1000 Fields")
	o.Must(o.App.Lists.DeleteField(o.Context(), o.Caller, list, last))
	o.AddField(list, "name", "x", "type", "text")
}

// applicableAttributes adds a Field of each type with all attributes. The Field must have only the
// attributes of its type. reference.md: field.record
func applicableAttributes(o *apptest.Account) {
	list := o.AddList()
	all := []any{"length", 5, "row_size", "7", "default_value", "1", "values_array", "1,2", "defaults_array", "1",
		"dont_store_default", 1, "allowed_file_types", "images", "address_type", "none", "time_format", "24h",
		"date_validation", "past"}
	for _, c := range []enlist.Field{
		{Type: enlist.Text, Length: 5, DefaultValue: "1"},
		{Type: enlist.Comment, RowSize: "7", DefaultValue: "1"},
		{Type: enlist.Decimal, DefaultValue: "1"},
		{Type: enlist.Currency, DefaultValue: "1"},
		{Type: enlist.Dropdown, Values: "1,2", Defaults: "1", DontStoreDefault: true},
		{Type: enlist.Radio, Values: "1,2", Defaults: "1"},
		{Type: enlist.Checkbox, Values: "1,2", Defaults: "1"},
		{Type: enlist.File, RowSize: "7", AllowedFileTypes: "images"},
	} {
		c.Name = string(c.Type)
		o.Case(c.Name, func() {
			f := *o.Field(list, o.AddField(list, append([]any{"name", c.Name, "type", c.Name}, all...)...))
			c.ID, c.ListID, c.AllowUpdate, c.ShowInForm, c.DisplayOrder = f.ID, list, true, true, f.DisplayOrder
			if diff := cmp.Diff(c, f); diff != "" {
				o.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	date := *o.Field(list, o.AddField(list, "name", "date", "type", "date", "default_value", "current",
		"time_format", "12h", "date_validation", "2026-01-01, 2026-12-31", "values_array", "x"))
	if date.DefaultValue != "current" || date.TimeFormat != "12h" || date.Values != "" ||
		date.DateValidation != "2026-01-01,2026-12-31" {
		o.Errorf("the date Field is %+v, want only the attributes that apply to dates", date)
	}
}

func searchFields(o *apptest.Account) {
	list := o.AddList()
	o.AddField(list, "name", "State", "type", "dropdown", "is_mandatory", true, "display_order", 0)
	for _, c := range []struct {
		query enlist.Query
		want  []string
	}{
		{enlist.Query{}, []string{"Email", "Mobile Phone", "State"}},
		{enlist.Query{SortBy: "name", Descending: true, Limit: 1, Offset: 1}, []string{"Mobile Phone"}},
		{enlist.Query{SortBy: "display_order"}, []string{"State", "Email", "Mobile Phone"}},
		{enlist.Query{Criteria: apptest.Criterion("type", "exactly", "dropdown")}, []string{"State"}},
		{enlist.Query{Criteria: apptest.Criterion("address_type", "exactly", "none")}, []string{"State"}},
		{enlist.Query{Criteria: apptest.Criterion("show_in_form", "exactly", "1")}, []string{"Email", "Mobile Phone", "State"}},
		{enlist.Query{Criteria: apptest.Criterion("is_mandatory", "not", "1")}, []string{"Mobile Phone"}},
	} {
		if diff := cmp.Diff(c.want, o.Fields(list, c.query)); diff != "" {
			o.Errorf("%+v (-want +got):\n%s", c.query, diff)
		}
	}
	unsearchable := []string{"list_id", "date_validation", "defaults_array", "length", "size", "row_size", "time_format",
		"values_array", "display_order", "version"}
	for _, a := range lists.FieldAttributes {
		if a.Searchable == slices.Contains(unsearchable, a.Name) {
			o.Errorf("the attribute %s has Searchable %v, want the opposite", a.Name, a.Searchable)
		}
	}
}

func editField(o *apptest.Account) {
	list := o.AddList()
	id := o.AddField(list, "name", "State", "type", "dropdown", "values_array", "NSW,VIC", "defaults_array", "VIC",
		"is_mandatory", true)
	edit := func(id enlist.FieldID, pairs ...any) error {
		_, err := o.App.Lists.EditField(o.Context(), o.Caller, list, id, apptest.Details(pairs...))
		return err
	}
	o.Must(edit(id, "id", int(id), "name", "Region", "is_mandatory", nil, "list_id", 99))
	if f := o.Field(list, id); f.Name != "Region" || f.Defaults != "VIC" || !f.Mandatory || f.ListID != list {
		o.Errorf("the edited Field is %+v, want only the name changed", f)
	}
	o.Refused(edit(id, "values_array", "NSW,QLD"), enlist.InvalidParameters, "defaults_array")
	o.Must(edit(id, "values_array", "NSW,QLD", "defaults_array", ""))
	o.Refused(edit(id, "name", "Email"), enlist.DuplicateField, "Email")
	o.Must(edit(id, "name", "Region")) // the Field has this name already
	o.Refused(edit(id, "name", "all"), enlist.ReservedField, "all")
	o.Refused(edit(id, "name", ""), enlist.InvalidParameters, "name")
	o.Refused(edit(999, "name", "x"), enlist.NoField, "")

	email := o.EmailField(list)
	o.Must(edit(email, "name", "E-mail", "type", "text", "address_type", "email", "length", 100,
		"default_value", "a@x.io"))
	if f := o.Field(list, email); f.Name != "E-mail" || f.Length != 100 || f.DefaultValue != "" {
		o.Errorf("the email Field is %+v, want the new name and length, and no default", f)
	}
	o.Refused(edit(email, "type", "comment"), enlist.EmailFieldFixed, "")
	o.Refused(edit(email, "address_type", "none"), enlist.EmailFieldFixed, "")
	o.Refused(edit(id, "type", "text", "address_type", "email"), enlist.InvalidParameters, "address_type")
	o.Refused(o.App.Lists.DeleteField(o.Context(), o.Caller, list, email), enlist.EmailFieldFixed, "")
}

func deleteField(o *apptest.Account) {
	list := o.AddList()
	id := o.AddField(list, "name", "State", "type", "text")
	contact := o.Subscribe(list, "Email", "a@x.io", "State", "NSW")
	o.Must(o.App.Lists.DeleteField(o.Context(), o.Caller, list, id))
	_, err := o.App.Lists.Field(o.Context(), o.Caller, list, id)
	o.Refused(err, enlist.NoField, "")
	o.Refused(o.App.Lists.DeleteField(o.Context(), o.Caller, list, id), enlist.FieldNotFound, "")
	for e, done := (lists.DeleteFieldValues{List: list, Field: id}), false; !done; {
		e, done, err = o.App.Contacts.DeleteFieldValues(o.Context(), e)
		o.Must(err)
	}
	if v := o.Contact(list, contact).Values; len(v) != 1 {
		o.Errorf("the values are %v, want only the email", v)
	}
	if again := o.AddField(list, "name", "State", "type", "text"); again <= id {
		o.Errorf("the new Field has the ID %d, want more than the ID of the deleted Field, %d", again, id)
	}
}

// Deleting the mobile Field also deletes the normalised numbers. The Service refuses to delete the
// Field while a Contact has no other address.
func deleteMobile(o *apptest.Account) {
	list := o.AddList()
	mobile := o.EmailField(list) + 1
	o.Subscribe(list, "Mobile Phone", "0412 345 678")
	o.Refused(o.App.Lists.DeleteField(o.Context(), o.Caller, list, mobile), enlist.InvalidParameters,
		"Contacts that have no other address: 1")
	o.Must(o.App.Contacts.ClearList(o.Context(), o.Caller, list))
	both := o.Subscribe(list, "Email", "a@x.io", "Mobile Phone", "0412 345 678")
	o.Must(o.App.Lists.DeleteField(o.Context(), o.Caller, list, mobile))
	again := o.AddField(list, "name", "Mobile Phone", "type", "text", "address_type", "mobile")
	values := lists.DeleteFieldValues{List: list, Field: mobile, Mobile: true}
	_, done, err := o.App.Contacts.DeleteFieldValues(o.Context(), values)
	if err != nil || !done {
		o.Errorf("DeleteFieldValues: done %v, error %v; want done and no error", done, err)
	}
	if c := o.Contact(list, both); c.Mobile != "" || c.Values.Get(mobile) != "" || c.Key != "a@x.io" {
		o.Errorf("the Contact is %+v, want no mobile number", c)
	}
	if n := o.Count(list, fmt.Sprint("field_", again), "exactly", "0412 345 678"); n != 0 {
		o.Errorf("a search for a deleted number found %d Contacts, want 0", n)
	}
	values.List = 999
	if _, done, err := o.App.Contacts.DeleteFieldValues(o.Context(), values); err != nil || !done {
		o.Errorf("DeleteFieldValues of a deleted List: done %v, error %v; want done", done, err)
	}
}

// defaults tests which default values a new Contact gets. reference.md: subscribeContact.rule.6
func defaults(o *apptest.Account) {
	list := o.AddList()
	add := func(kind string, pairs ...any) enlist.FieldID {
		return o.AddField(list, append([]any{"name", kind, "type", kind}, pairs...)...)
	}
	text := add("text", "default_value", "hello")
	stored := []struct {
		field enlist.FieldID
		want  string
	}{
		{text, "hello"},
		{add("decimal", "default_value", "005.00"), "5.00"},
		{add("date", "default_value", "current"), "2026-06-15"},
		{add("dropdown", "values_array", "a,b", "defaults_array", "b"), "b"},
		{add("checkbox", "values_array", "a,b,c", "defaults_array", []any{"b", "a"}), "a,b"},
	}
	notStored := o.AddField(list, "name", "not stored", "type", "dropdown", "values_array", "a,b",
		"defaults_array", "b", "dont_store_default", 1)
	c := o.Contact(list, o.Subscribe(list, "Email", "a@x.io"))
	for _, s := range stored {
		if got := c.Values.Get(s.field); got != s.want {
			o.Errorf("Field %d has %q, want %q", s.field, got, s.want)
		}
	}
	if v := c.Values.Get(notStored); v != "" {
		o.Errorf("the default %q is stored although dont_store_default is set", v)
	}
	c = o.Contact(list, o.Subscribe(list, "Email", "b@x.io", "not stored", "b", "text", ""))
	if v, w := c.Values.Get(notStored), c.Values.Get(text); v != "" || w != "" {
		o.Errorf("a call sent the default and an empty text: stored are %q and %q, want two empty values", v, w)
	}
	c = o.Contact(list, o.Subscribe(list, "Email", "c@x.io", "not stored", "a"))
	if v := c.Values.Get(notStored); v != "a" {
		o.Errorf("the call sent another value than the default, a: stored is %q, want a", v)
	}
}
