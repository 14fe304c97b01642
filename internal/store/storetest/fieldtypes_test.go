package storetest

import (
	"enlist/internal/app"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests changes of the type of a Field, which convert the values of Contacts.

// The type of a Field cannot change while Contacts have values that the new type refuses.
func typeChange(o *accountFixture) {
	list := o.addList()
	id := o.addField(list, "name", "Age", "type", "text")
	good := o.subscribe(list, "Email", "a@x.io", "Age", "12.50")
	o.subscribe(list, "Email", "b@x.io", "Age", "twelve")
	o.subscribe(list, "Email", "c@x.io", "Age", "n/a")
	o.subscribe(list, "Email", "d@x.io")
	_, err := o.service.Lists.EditField(o.Context(), o.caller, list, id, details("type", "decimal"))
	o.refused(err, enlist.InvalidParameters, "type: Contacts that hold a value that the new type refuses: 2")
	if f := o.field(list, id); f.Type != enlist.Text {
		o.Errorf("the type is %s, want text", f.Type)
	}
	_, err = o.service.Lists.EditField(o.Context(), o.caller, list, id, details("type", "comment"))
	o.must(err)
	if v := o.contact(list, good).Values.Get(id); v != "12.50" {
		o.Errorf("the value is %q, want 12.50", v)
	}
}

// After a type change, values are stored in the form of the new type. If the new type is a number,
// searches compare the values as numbers. If it is a text, searches compare the text that replies show.
func conversion(o *accountFixture) {
	list := o.addList()
	id := o.addField(list, "name", "Age", "type", "text")
	key := fieldKey(id)
	first := o.subscribe(list, "Email", "a@x.io", "Age", " 007.50")
	second := o.subscribe(list, "Email", "b@x.io", "Age", "12")
	retype := func(to ...any) {
		o.Helper()
		_, err := o.service.Lists.EditField(o.Context(), o.caller, list, id, details(to...))
		o.must(err)
	}
	retype("type", "decimal")
	if a, b := o.contact(list, first).Values.Get(id), o.contact(list, second).Values.Get(id); a != "7.50" || b != "12" {
		o.Errorf("as decimals the values are %q and %q, want 7.50 and 12", a, b)
	}
	if n := o.count(list, key, "less_than", "10"); n != 1 {
		o.Errorf("%d Contacts have a number less than 10, want 1", n)
	}
	if n := o.count(list, key, "exactly", "7.5"); n != 1 {
		o.Errorf("%d Contacts have the number 7.5, want 1", n)
	}
	retype("type", "currency")
	retype("type", "text")
	if n := o.count(list, key, "exactly", "7.50"); n != 1 {
		o.Errorf("%d Contacts have the text 7.50, want 1", n)
	}
	if n := o.count(list, key, "less_than", "2"); n != 1 {
		o.Errorf("%d Contacts have a text that sorts before 2, want 1", n)
	}
	retype("type", "checkbox", "values_array", "12,7.50")
	next, done, err := o.service.Contacts.ConvertField(o.Context(), lists.ConvertField{List: list, Field: id})
	if err != nil || !done || next.After != 0 {
		o.Errorf("the job runs again: %+v, done %v, error %v; want done", next, done, err)
	}
	o.service = app.New(&watchedStore{Engine: o.store, searched: func(query string) {
		o.Errorf("an Update searched Contacts, which could read the whole List: %s", query)
	}}, o.clock)
	_, done, err = o.service.Contacts.ConvertField(o.Context(), lists.ConvertField{List: list, Field: id})
	if err != nil || !done {
		o.Errorf("the job runs a third time: done %v, error %v; want done", done, err)
	}
	for _, deleted := range []lists.ConvertField{{List: 999, Field: id}, {List: list, Field: 999}} {
		if _, done, err := o.service.Contacts.ConvertField(o.Context(), deleted); err != nil || !done {
			o.Errorf("the job for a deleted List or Field: done %v, error %v; want done", done, err)
		}
	}
}

// A Contact can be changed between the type change of a Field and the end of the job that converts
// the values.
func beforeConversion(o *accountFixture) {
	list := o.addList()
	id := o.addField(list, "name", "Age", "type", "text")
	contact := o.subscribe(list, "Email", "a@x.io", "Age", "007")
	f := *o.field(list, id)
	f.Type = enlist.Decimal
	o.update(func(tx *db.Tx) error { return lists.UpdateField(tx, &f) })
	o.subscribe(list, "Email", "A@x.io")
	if age := o.contact(list, contact).Values.Get(id); age != "7" {
		o.Errorf("the number is %q, want 7", age)
	}
}

// The address type of a Field cannot change while Contacts have a value in this Field.
func addressTypeChange(o *accountFixture) {
	list := o.addList()
	mobile := o.field(list, o.emailField(list)+1)
	plain := o.addField(list, "name", "Phone 2", "type", "text")
	edit := func(id enlist.FieldID, pairs ...any) error {
		_, err := o.service.Lists.EditField(o.Context(), o.caller, list, id, details(pairs...))
		return err
	}
	o.refused(edit(plain, "address_type", "mobile"), enlist.InvalidParameters, "its mobile Field already")
	o.subscribe(list, "Mobile Phone", "0412 345 678")
	o.refused(edit(mobile.ID, "address_type", "none"), enlist.InvalidParameters,
		"address_type: Contacts that hold a value in the Field: 1")
	o.must(o.service.Contacts.ClearList(o.Context(), o.caller, list))
	o.must(edit(mobile.ID, "address_type", "none"))
	o.must(edit(plain, "address_type", "mobile"))
}
