package lists_test

import (
	"fmt"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests changes of the type of a Field, which convert the values of Contacts.

// The type of a Field cannot change while Contacts have values that the new type refuses.
func typeChange(o *apptest.Account) {
	list := o.AddList()
	id := o.AddField(list, "name", "Age", "type", "text")
	good := o.Subscribe(list, "Email", "a@x.io", "Age", "12.50")
	o.Subscribe(list, "Email", "b@x.io", "Age", "twelve")
	o.Subscribe(list, "Email", "c@x.io", "Age", "n/a")
	o.Subscribe(list, "Email", "d@x.io")
	_, err := o.App.Lists.EditField(o.Context(), o.Caller, list, id, apptest.Details("type", "decimal"))
	o.Refused(err, enlist.InvalidParameters, "type: Contacts that hold a value that the new type refuses: 2")
	if f := o.Field(list, id); f.Type != enlist.Text {
		o.Errorf("the type is %s, want text", f.Type)
	}
	_, err = o.App.Lists.EditField(o.Context(), o.Caller, list, id, apptest.Details("type", "comment"))
	o.Must(err)
	if v := o.Contact(list, good).Values.Get(id); v != "12.50" {
		o.Errorf("the value is %q, want 12.50", v)
	}
}

// After a type change, values are stored in the form of the new type. If the new type is a number,
// searches compare the values as numbers. If it is a text, searches compare the text that replies show.
func conversion(o *apptest.Account) {
	list := o.AddList()
	id := o.AddField(list, "name", "Age", "type", "text")
	key := fmt.Sprint("field_", id)
	first := o.Subscribe(list, "Email", "a@x.io", "Age", " 007.50")
	second := o.Subscribe(list, "Email", "b@x.io", "Age", "12")
	retype := func(to ...any) {
		o.Helper()
		_, err := o.App.Lists.EditField(o.Context(), o.Caller, list, id, apptest.Details(to...))
		o.Must(err)
	}
	retype("type", "decimal")
	if a, b := o.Contact(list, first).Values.Get(id), o.Contact(list, second).Values.Get(id); a != "7.50" || b != "12" {
		o.Errorf("as decimals the values are %q and %q, want 7.50 and 12", a, b)
	}
	if n := o.Count(list, key, "less_than", "10"); n != 1 {
		o.Errorf("%d Contacts have a number less than 10, want 1", n)
	}
	if n := o.Count(list, key, "exactly", "7.5"); n != 1 {
		o.Errorf("%d Contacts have the number 7.5, want 1", n)
	}
	retype("type", "currency")
	retype("type", "text")
	if n := o.Count(list, key, "exactly", "7.50"); n != 1 {
		o.Errorf("%d Contacts have the text 7.50, want 1", n)
	}
	if n := o.Count(list, key, "less_than", "2"); n != 1 {
		o.Errorf("%d Contacts have a text that sorts before 2, want 1", n)
	}
	retype("type", "checkbox", "values_array", "12,7.50")
	next, done, err := o.App.Contacts.ConvertField(o.Context(), lists.ConvertField{List: list, Field: id})
	if err != nil || !done || next.After != 0 {
		o.Errorf("the job runs again: %+v, done %v, error %v; want done", next, done, err)
	}
	o.App = app.New(&watchedStore{Engine: o.Store, searched: func(query string) {
		o.Errorf("an Update searched Contacts, which could read the whole List: %s", query)
	}}, o.Clock)
	_, done, err = o.App.Contacts.ConvertField(o.Context(), lists.ConvertField{List: list, Field: id})
	if err != nil || !done {
		o.Errorf("the job runs a third time: done %v, error %v; want done", done, err)
	}
	for _, deleted := range []lists.ConvertField{{List: 999, Field: id}, {List: list, Field: 999}} {
		if _, done, err := o.App.Contacts.ConvertField(o.Context(), deleted); err != nil || !done {
			o.Errorf("the job for a deleted List or Field: done %v, error %v; want done", done, err)
		}
	}
}

// A Contact can be changed between the type change of a Field and the end of the job that converts
// the values.
func beforeConversion(o *apptest.Account) {
	list := o.AddList()
	id := o.AddField(list, "name", "Age", "type", "text")
	contact := o.Subscribe(list, "Email", "a@x.io", "Age", "007")
	f := *o.Field(list, id)
	f.Type = enlist.Decimal
	o.Update(func(tx *db.Tx) error { return lists.UpdateField(tx, &f) })
	o.Subscribe(list, "Email", "A@x.io")
	if age := o.Contact(list, contact).Values.Get(id); age != "7" {
		o.Errorf("the number is %q, want 7", age)
	}
}

// The address type of a Field cannot change while Contacts have a value in this Field.
func addressTypeChange(o *apptest.Account) {
	list := o.AddList()
	mobile := o.Field(list, o.EmailField(list)+1)
	plain := o.AddField(list, "name", "Phone 2", "type", "text")
	edit := func(id enlist.FieldID, pairs ...any) error {
		_, err := o.App.Lists.EditField(o.Context(), o.Caller, list, id, apptest.Details(pairs...))
		return err
	}
	o.Refused(edit(plain, "address_type", "mobile"), enlist.InvalidParameters, "its mobile Field already")
	o.Subscribe(list, "Mobile Phone", "0412 345 678")
	o.Refused(edit(mobile.ID, "address_type", "none"), enlist.InvalidParameters,
		"address_type: Contacts that hold a value in the Field: 1")
	o.Must(o.App.Contacts.ClearList(o.Context(), o.Caller, list))
	o.Must(edit(mobile.ID, "address_type", "none"))
	o.Must(edit(plain, "address_type", "mobile"))
}
