package storetest

import (
	"strings"

	"enlist/internal/audience"

	"github.com/google/go-cmp/cmp"
)

func addField(o *accountFixture) {
	list := o.addList()
	id := o.addField(list, "name", " State ", "type", "dropdown", "values_array", []any{"NSW ", " VIC", ""}, "defaults_array", "VIC",
		"is_mandatory", "1", "show_in_form", 0, "dont_store_default", true, "length", 9, "id", 77, "no_such", "x")
	want := audience.Field{ID: id, ListID: list, Name: "State", Type: audience.Dropdown, Values: "NSW,VIC", Defaults: "VIC",
		Mandatory: true, AllowUpdate: true, DontStoreDefault: true, DisplayOrder: 3}
	if diff := cmp.Diff(want, *o.field(list, id)); diff != "" {
		o.Errorf("(-want +got):\n%s", diff)
	}
	o.addField(list, "name", "Secret", "type", "text", "display_order", -1)
	o.addField(list, "name", "First", "type", "text", "display_order", 0)
	if f := o.field(list, o.addField(list, "name", "Last", "type", "date")); f.DisplayOrder != 4 || f.TimeFormat != "off" {
		o.Errorf("the last is %+v", f)
	}
	o.must(o.store.View(o.Context(), func(tx audience.Tx) error {
		schema, err := tx.Schema(list)
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

func addFieldRefuses(o *accountFixture) {
	list := o.addList()
	for _, c := range []struct {
		kind  audience.Kind
		about string
		pairs []any
	}{
		{audience.InvalidParameters, "name", []any{"type", "text"}}, {audience.InvalidParameters, "name", []any{"type", "text", "name", strings.Repeat("x", 256)}},
		{audience.InvalidParameters, "type", []any{"name", "x"}}, {audience.InvalidParameters, "type", []any{"name", "x", "type", "Text"}},
		{audience.DuplicateField, "Email", []any{"name", "Email", "type", "text"}},
		{audience.ReservedField, "id", []any{"name", "id", "type", "text"}}, {audience.ReservedField, "webform_id", []any{"name", "webform_id", "type", "text"}},
		{audience.ReservedField, "all", []any{"name", "all", "type", "text"}}, {audience.ReservedField, "field_0", []any{"name", "field_0", "type", "text"}},
		{audience.InvalidParameters, "address_type", []any{"name", "x", "type", "text", "address_type", "email"}},
		{audience.InvalidParameters, "address_type", []any{"name", "x", "type", "text", "address_type", "mobile"}},
		{audience.InvalidParameters, "address_type", []any{"name", "x", "type", "text", "address_type", "fax"}},
		{audience.InvalidParameters, "length", []any{"name", "x", "type", "text", "length", -1}},
		{audience.InvalidParameters, "display_order", []any{"name", "x", "type", "text", "display_order", -2}},
		{audience.InvalidParameters, "is_mandatory", []any{"name", "x", "type", "text", "is_mandatory", "x"}},
		{audience.InvalidParameters, "values_array", []any{"name", "x", "type", "radio", "values_array", "a,b, a"}},
		{audience.InvalidParameters, "defaults_array", []any{"name", "x", "type", "radio", "values_array", "a,b", "defaults_array", "c"}},
		{audience.InvalidParameters, "defaults_array", []any{"name", "x", "type", "radio", "values_array", "a,b", "defaults_array", "a,b"}},
		{audience.InvalidParameters, "default_value", []any{"name", "x", "type", "text", "length", 2, "default_value", "abc"}},
		{audience.InvalidParameters, "default_value", []any{"name", "x", "type", "decimal", "default_value", "abc"}},
		{audience.InvalidParameters, "default_value", []any{"name", "x", "type", "date", "default_value", "2026-02-30"}},
		{audience.InvalidParameters, "default_value", []any{"name", "x", "type", "date", "date_validation", "past", "default_value", "2026-06-16"}},
		{audience.InvalidParameters, "date_validation", []any{"name", "x", "type", "date", "date_validation", "2026-02-01,2026-01-01"}},
		{audience.InvalidParameters, "time_format", []any{"name", "x", "type", "date", "time_format", "48h"}},
		{audience.InvalidParameters, "allowed_file_types", []any{"name", "x", "type", "file", "allowed_file_types", "images,music"}},
		{audience.InvalidParameters, "file_folder_id", []any{"name", "x", "type", "file", "file_folder_id", 999}},
		{audience.InvalidParameters, "row_size", []any{"name", "x", "type", "comment", "row_size", "many"}},
	} {
		_, err := o.service.AddField(o.Context(), o.caller, list, details(c.pairs...))
		o.refused(err, c.kind, c.about)
	}
	if n := len(o.fields(list, audience.Query{})); n != 2 {
		o.Errorf("%d Fields after nothing but refusals", n)
	}
	for _, name := range []string{"email", "ID", "field_x", "field_", "All", "[x]"} {
		o.addField(list, "name", name, "type", "text")
	}
}

// decisions.md: 15
func whatApplies(o *accountFixture) {
	list := o.addList()
	everything := []any{"length", 5, "row_size", "7", "default_value", "1", "values_array", "1,2", "defaults_array", "1", "dont_store_default", 1,
		"allowed_file_types", "images", "address_type", "none", "time_format", "24h", "date_validation", "past"}
	for _, c := range []audience.Field{
		{Type: audience.Text, Length: 5, DefaultValue: "1"}, {Type: audience.Comment, RowSize: "7", DefaultValue: "1"},
		{Type: audience.Decimal, DefaultValue: "1"}, {Type: audience.Currency, DefaultValue: "1"},
		{Type: audience.Dropdown, Values: "1,2", Defaults: "1", DontStoreDefault: true}, {Type: audience.Radio, Values: "1,2", Defaults: "1"},
		{Type: audience.Checkbox, Values: "1,2", Defaults: "1"}, {Type: audience.File, RowSize: "7", AllowedFileTypes: "images"},
	} {
		c.Name = string(c.Type)
		f := *o.field(list, o.addField(list, append([]any{"name", c.Name, "type", c.Name}, everything...)...))
		c.ID, c.ListID, c.AllowUpdate, c.ShowInForm, c.DisplayOrder = f.ID, list, true, true, f.DisplayOrder
		if diff := cmp.Diff(c, f); diff != "" {
			o.Errorf("%s (-want +got):\n%s", c.Type, diff)
		}
	}
	date := *o.field(list, o.addField(list, "name", "date", "type", "date", "default_value", "current", "time_format", "12h", "date_validation", "2026-01-01, 2026-12-31", "values_array", "x"))
	if date.DefaultValue != "current" || date.TimeFormat != "12h" || date.DateValidation != "2026-01-01,2026-12-31" || date.Values != "" {
		o.Errorf("date: %+v", date)
	}
}

func searchFields(o *accountFixture) {
	list := o.addList()
	o.addField(list, "name", "State", "type", "dropdown", "is_mandatory", true, "display_order", 0)
	for _, c := range []struct {
		query audience.Query
		want  []string
	}{
		{audience.Query{}, []string{"Email", "Mobile Phone", "State"}},
		{audience.Query{SortBy: "name", Descending: true, Limit: 1, Offset: 1}, []string{"Mobile Phone"}},
		{audience.Query{SortBy: "display_order"}, []string{"State", "Email", "Mobile Phone"}},
		{audience.Query{Criteria: &audience.Criteria{Key: "type", Operator: "exactly", Value: input("dropdown")}}, []string{"State"}},
		{audience.Query{Criteria: &audience.Criteria{Key: "address_type", Operator: "exactly", Value: input("none")}}, []string{"State"}},
		{audience.Query{Criteria: &audience.Criteria{Key: "show_in_form", Operator: "exactly", Value: input("1")}}, []string{"Email", "Mobile Phone", "State"}},
		{audience.Query{Criteria: &audience.Criteria{Key: "is_mandatory", Operator: "not", Value: input("1")}}, []string{"Mobile Phone"}},
	} {
		if diff := cmp.Diff(c.want, o.fields(list, c.query)); diff != "" {
			o.Errorf("%+v (-want +got):\n%s", c.query, diff)
		}
	}
	for _, a := range audience.FieldAttributes {
		unsearchable := strings.Contains(" list_id date_validation defaults_array length size row_size time_format values_array display_order ", " "+a.Name+" ")
		if a.Searchable == unsearchable {
			o.Errorf("%s: searchable is %v", a.Name, a.Searchable)
		}
	}
}

func editField(o *accountFixture) {
	list := o.addList()
	id := o.addField(list, "name", "State", "type", "dropdown", "values_array", "NSW,VIC", "defaults_array", "VIC", "is_mandatory", true)
	edit := func(id audience.FieldID, pairs ...any) error {
		_, err := o.service.EditField(o.Context(), o.caller, list, id, details(pairs...))
		return err
	}
	o.must(edit(id, "id", int(id), "name", "Region", "is_mandatory", nil, "list_id", 99))
	if f := o.field(list, id); f.Name != "Region" || f.Defaults != "VIC" || !f.Mandatory || f.ListID != list {
		o.Errorf("edited: %+v", f)
	}
	o.refused(edit(id, "values_array", "NSW,QLD"), audience.InvalidParameters, "defaults_array")
	o.must(edit(id, "values_array", "NSW,QLD", "defaults_array", ""))
	o.refused(edit(id, "name", "Email"), audience.DuplicateField, "Email")
	o.must(edit(id, "name", "Region")) // its own name is no other's
	o.refused(edit(id, "name", "all"), audience.ReservedField, "all")
	o.refused(edit(id, "name", ""), audience.InvalidParameters, "name")
	o.refused(edit(999, "name", "x"), audience.NoField, "")

	email := o.emailField(list)
	o.must(edit(email, "name", "E-mail", "type", "text", "address_type", "email", "length", 100, "default_value", "nobody@x.io"))
	if f := o.field(list, email); f.Name != "E-mail" || f.Length != 100 || f.DefaultValue != "" {
		o.Errorf("email Field: %+v", f)
	}
	o.refused(edit(email, "type", "comment"), audience.EmailFieldFixed, "")
	o.refused(edit(email, "address_type", "none"), audience.EmailFieldFixed, "")
	o.refused(edit(id, "type", "text", "address_type", "email"), audience.InvalidParameters, "address_type")
	o.refused(o.service.DeleteField(o.Context(), o.caller, list, email), audience.EmailFieldFixed, "")
}

func (o *accountFixture) emailField(list audience.ListID) (id audience.FieldID) {
	o.must(o.store.View(o.Context(), func(tx audience.Tx) error {
		schema, err := tx.Schema(list)
		id = schema.Email().ID
		return err
	}))
	return id
}

// A type cannot change while Contacts hold values that the new one refuses.
func typeChange(o *accountFixture) {
	list := o.addList()
	id := o.addField(list, "name", "Age", "type", "text")
	good := o.subscribe(list, "Email", "a@x.io", "Age", "12.50")
	o.subscribe(list, "Email", "b@x.io", "Age", "twelve")
	o.subscribe(list, "Email", "c@x.io", "Age", "n/a")
	o.subscribe(list, "Email", "d@x.io")
	_, err := o.service.EditField(o.Context(), o.caller, list, id, details("type", "decimal"))
	o.refused(err, audience.InvalidParameters, "type: Contacts that hold a value that the new type refuses: 2")
	if f := o.field(list, id); f.Type != audience.Text {
		o.Errorf("type is %s", f.Type)
	}
	_, err = o.service.EditField(o.Context(), o.caller, list, id, details("type", "comment"))
	o.must(err)
	if v := o.contact(list, good).Values.Get(id); v != "12.50" {
		o.Errorf("value is %q", v)
	}
}

// After a type change, values are stored in the form of the new type: numbers compare as
// numbers, and texts as the text that was shown.
func conversion(o *accountFixture) {
	list := o.addList()
	id := o.addField(list, "name", "Age", "type", "text")
	key := "field_" + show64(id)
	first := o.subscribe(list, "Email", "a@x.io", "Age", " 007.50")
	second := o.subscribe(list, "Email", "b@x.io", "Age", "12")
	retype := func(to ...any) {
		o.Helper()
		_, err := o.service.EditField(o.Context(), o.caller, list, id, details(to...))
		o.must(err)
	}
	retype("type", "decimal")
	if a, b := o.contact(list, first).Values.Get(id), o.contact(list, second).Values.Get(id); a != "7.50" || b != "12" {
		o.Errorf("as decimals they are %q and %q", a, b)
	}
	if n := o.count(list, key, "less_than", "10"); n != 1 {
		o.Errorf("%d are less than 10", n)
	}
	if n := o.count(list, key, "exactly", "7.5"); n != 1 {
		o.Errorf("%d are 7.5", n)
	}
	retype("type", "currency")
	retype("type", "text")
	if n := o.count(list, key, "exactly", "7.50"); n != 1 {
		o.Errorf("%d have the text 7.50", n)
	}
	if n := o.count(list, key, "less_than", "2"); n != 1 {
		o.Errorf("%d come before the text 2", n)
	}
	retype("type", "checkbox", "values_array", "12,7.50")
	next, done, err := o.service.ConvertField(o.Context(), audience.ConvertField{List: list, Field: id})
	if err != nil || !done || next.After != 0 {
		o.Errorf("the job again: %+v, %v, %v", next, done, err)
	}
	o.service = audience.NewService(&watchedStore{Store: o.store, searched: func(*audience.Search) {
		o.Errorf("an Update looks for Contacts, which may mean to read all the List")
	}}, o.clock)
	_, done, err = o.service.ConvertField(o.Context(), audience.ConvertField{List: list, Field: id})
	if err != nil || !done {
		o.Errorf("the job once more: %v, %v", done, err)
	}
	for _, gone := range []audience.ConvertField{{List: 999, Field: id}, {List: list, Field: 999}} {
		if _, done, err := o.service.ConvertField(o.Context(), gone); err != nil || !done {
			o.Errorf("of what is gone: %v, %v", done, err)
		}
	}
}

// A Contact can be changed after its Field has the new type and before the job converts its values.
func beforeConversion(o *accountFixture) {
	list := o.addList()
	id := o.addField(list, "name", "Age", "type", "text")
	contact := o.subscribe(list, "Email", "a@x.io", "Age", "007")
	f := *o.field(list, id)
	f.Type = audience.Decimal
	o.update(func(tx audience.Tx) error { return tx.UpdateField(&f) })
	o.subscribe(list, "Email", "A@x.io")
	if age := o.contact(list, contact).Values.Get(id); age != "7" {
		o.Errorf("the number is %q", age)
	}
}

func addressTypeChange(o *accountFixture) {
	list := o.addList()
	mobile := o.field(list, o.emailField(list)+1)
	plain := o.addField(list, "name", "Phone 2", "type", "text")
	edit := func(id audience.FieldID, pairs ...any) error {
		_, err := o.service.EditField(o.Context(), o.caller, list, id, details(pairs...))
		return err
	}
	o.refused(edit(plain, "address_type", "mobile"), audience.InvalidParameters, "its mobile Field already")
	o.subscribe(list, "Mobile Phone", "0412 345 678")
	o.refused(edit(mobile.ID, "address_type", "none"), audience.InvalidParameters, "address_type: Contacts that hold a value in the Field: 1")
	o.must(o.service.ClearList(o.Context(), o.caller, list))
	o.must(edit(mobile.ID, "address_type", "none"))
	o.must(edit(plain, "address_type", "mobile"))
}

func deleteField(o *accountFixture) {
	list := o.addList()
	id := o.addField(list, "name", "State", "type", "text")
	contact := o.subscribe(list, "Email", "a@x.io", "State", "NSW")
	o.must(o.service.DeleteField(o.Context(), o.caller, list, id))
	_, err := o.service.Field(o.Context(), o.caller, list, id)
	o.refused(err, audience.NoField, "")
	o.refused(o.service.DeleteField(o.Context(), o.caller, list, id), audience.FieldNotFound, "")
	for e, done := (audience.DeleteFieldValues{List: list, Field: id}), false; !done; {
		e, done, err = o.service.DeleteFieldValues(o.Context(), e)
		o.must(err)
	}
	if v := o.contact(list, contact).Values; len(v) != 1 {
		o.Errorf("values are %v", v)
	}
	if again := o.addField(list, "name", "State", "type", "text"); again <= id {
		o.Errorf("Field %d came after %d", again, id)
	}
}

// Deleting the mobile Field also deletes the normalised numbers. It is refused while a
// Contact has no other address.
func deleteMobile(o *accountFixture) {
	list := o.addList()
	mobile := o.emailField(list) + 1
	o.subscribe(list, "Mobile Phone", "0412 345 678")
	o.refused(o.service.DeleteField(o.Context(), o.caller, list, mobile), audience.InvalidParameters, "Contacts that have no other address: 1")
	o.must(o.service.ClearList(o.Context(), o.caller, list))
	both := o.subscribe(list, "Email", "a@x.io", "Mobile Phone", "0412 345 678")
	o.must(o.service.DeleteField(o.Context(), o.caller, list, mobile))
	again := o.addField(list, "name", "Mobile Phone", "type", "text", "address_type", "mobile")
	_, done, err := o.service.DeleteFieldValues(o.Context(), audience.DeleteFieldValues{List: list, Field: mobile, Mobile: true})
	if err != nil || !done {
		o.Errorf("forget: %v, %v", done, err)
	}
	if c := o.contact(list, both); c.Mobile != "" || c.Values.Get(mobile) != "" || c.Key != "a@x.io" {
		o.Errorf("Contact is %+v", c)
	}
	if n := o.count(list, "field_"+show64(again), "exactly", "0412 345 678"); n != 0 {
		o.Errorf("%d found by a number that is gone", n)
	}
	if _, done, err := o.service.DeleteFieldValues(o.Context(), audience.DeleteFieldValues{List: 999, Field: mobile, Mobile: true}); err != nil || !done {
		o.Errorf("of a List that is gone: %v, %v", done, err)
	}
}

// decisions.md: 22
func defaults(o *accountFixture) {
	list := o.addList()
	stored := map[string]audience.FieldID{
		"hello":      o.addField(list, "name", "text", "type", "text", "default_value", "hello"),
		"5.00":       o.addField(list, "name", "decimal", "type", "decimal", "default_value", "005.00"),
		"2026-06-15": o.addField(list, "name", "date", "type", "date", "default_value", "current"),
		"b":          o.addField(list, "name", "dropdown", "type", "dropdown", "values_array", "a,b", "defaults_array", "b"),
		"a,b":        o.addField(list, "name", "checkbox", "type", "checkbox", "values_array", "a,b,c", "defaults_array", []any{"b", "a"}),
	}
	quiet := o.addField(list, "name", "quiet", "type", "dropdown", "values_array", "a,b", "defaults_array", "b", "dont_store_default", 1)
	c := o.contact(list, o.subscribe(list, "Email", "a@x.io"))
	for want, id := range stored {
		if got := c.Values.Get(id); got != want {
			o.Errorf("Field %d has %q, want %q", id, got, want)
		}
	}
	if v := c.Values.Get(quiet); v != "" {
		o.Errorf("stored a default that was not to be: %q", v)
	}
	c = o.contact(list, o.subscribe(list, "Email", "b@x.io", "quiet", "b", "text", ""))
	if v, w := c.Values.Get(quiet), c.Values.Get(stored["hello"]); v != "" || w != "" {
		o.Errorf("stored %q and %q", v, w)
	}
	c = o.contact(list, o.subscribe(list, "Email", "c@x.io", "quiet", "a"))
	if v := c.Values.Get(quiet); v != "a" {
		o.Errorf("stored %q of the other choice", v)
	}
}
