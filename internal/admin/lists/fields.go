package lists

import (
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has the pages of Fields.

// types returns the types of Fields in words.
func types(r *ui.Request) []ui.Option {
	return ui.Choices(string(enlist.Text), r.Text("lists.type_text"),
		string(enlist.Comment), r.Text("lists.type_comment"),
		string(enlist.Decimal), r.Text("lists.type_decimal"),
		string(enlist.Currency), r.Text("lists.type_currency"),
		string(enlist.Date), r.Text("lists.type_date"),
		string(enlist.Dropdown), r.Text("lists.type_dropdown"),
		string(enlist.Radio), r.Text("lists.type_radio"),
		string(enlist.Checkbox), r.Text("lists.type_checkbox"),
		string(enlist.File), r.Text("lists.type_file"))
}

func timeFormats(r *ui.Request) []ui.Option {
	return ui.Choices(enlist.TimeOff, r.Text("lists.no_time"),
		enlist.Time12, "3:00 pm",
		enlist.Time24, "15:00")
}

// fieldForm returns the form of a Field. What the type does not use is folded.
func fieldForm(r *ui.Request, f *enlist.Field) (form ui.Form) {
	others := ui.Input{Kind: ui.InputFold, Label: r.Text("lists.other_rules")}
	for _, in := range fieldInputs(r, f) {
		if len(lists.Applicable(f, []enlist.Detail{{Key: in.Name}})) == 0 {
			others.Parts = append(others.Parts, in)
		} else {
			form = append(form, in)
		}
	}
	return append(form, others)
}

func fieldInputs(r *ui.Request, f *enlist.Field) ui.Form {
	kind := ui.Input{Name: "type", Label: r.Text("lists.field_type"), Kind: ui.InputChoice, Value: string(f.Type),
		Options: types(r)}
	if f.AddressType != enlist.AddressNone {
		kind.Options = ui.Choices(string(f.Type), addressText(r, f))
	}
	number := func(name, label, help string, n int64) ui.Input {
		i := ui.Input{Name: name, Label: label, Help: help, Kind: ui.InputNumber}
		if n != 0 {
			i.Value = ui.Plain(n)
		}
		return i
	}
	check := func(name, label, help string, is bool) ui.Input {
		return ui.Input{Name: name, Label: label, Help: help, Kind: ui.InputCheck, Value: either(is, "1", "")}
	}
	format := f.TimeFormat
	if format == "" {
		format = enlist.TimeOff
	}
	return ui.Form{{Name: "name", Label: r.Text("lists.name_search"), Value: f.Name, Required: true}, kind,
		number("length", r.Text("lists.length"), r.Text("lists.length_help"), f.Length),
		{Name: "values_array", Label: r.Text("lists.choices"), Help: r.Text("lists.choices_help"),
			Value: f.Values},
		{Name: "defaults_array", Label: r.Text("lists.defaults"), Help: r.Text("lists.defaults_help"),
			Value: f.Defaults},
		{Name: "default_value", Label: r.Text("lists.default"),
			Help:  r.Text("lists.default_help"),
			Value: f.DefaultValue},
		{Name: "time_format", Label: r.Text("lists.time"), Help: r.Text("lists.time_help"), Kind: ui.InputChoice,
			Value:   format,
			Options: timeFormats(r)},
		{Name: "date_validation", Label: r.Text("lists.dates"),
			Help:  r.Text("lists.dates_help"),
			Value: f.DateValidation},
		{Name: "allowed_file_types", Label: r.Text("lists.files"),
			Help:  r.Text("lists.files_help"),
			Value: f.AllowedFileTypes},
		{Name: "row_size", Label: r.Text("lists.row_size"), Value: f.RowSize},
		check("is_mandatory", r.Text("lists.mandatory"), "", f.Mandatory),
		check("show_in_form", r.Text("lists.in_form"), "", f.ShowInForm),
		check("allow_update", r.Text("lists.may_update"), "", f.AllowUpdate),
		number("display_order", r.Text("lists.place"), r.Text("lists.place_help"), f.DisplayOrder),
	}
}

// fieldDetails returns the values of the form. Empty numbers of rows are left out: they have no default.
func fieldDetails(f ui.Form) (all []enlist.Detail) {
	for _, d := range f.Details() {
		if d.Key == "row_size" && d.Value.Text == "" {
			continue
		}
		all = append(all, d)
	}
	return all
}

// loadField returns the List and the Field in the path.
func loadField(r *ui.Request) (*enlist.List, *enlist.Field, error) {
	list, err := load(r)
	if err != nil {
		return nil, nil, err
	}
	f, err := r.App.Lists.Field(r.Context(), r.Caller, list.ID, enlist.FieldID(r.ID("field")))
	return list, f, err
}

func newField(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	f := fieldForm(r, &enlist.Field{Type: enlist.Text})                                    // not public. decisions.md: 140
	f = slices.DeleteFunc(f, func(in ui.Input) bool { return in.Name == "display_order" }) // it is the last one
	c := ui.FormCard{Texts: []string{r.Text("lists.unused_rules")}, Form: f, Button: r.Text("lists.add_field_button"),
		Back: backTo(r, list)}
	return r.FormPage(r.Text("lists.new_field", "list", list.Name), place, &c, func() (*ui.View, error) {
		_, err := r.App.Lists.AddField(r.Context(), r.Caller, list.ID, fieldDetails(f))
		return ui.GoTo(path(list.ID), r.Text("lists.field_added")), err
	})
}

// editField changes a Field. If values of Contacts would not fit, it says first how many there are.
func editField(r *ui.Request) (*ui.View, error) {
	list, field, err := loadField(r)
	if err != nil {
		return nil, err
	}
	f := fieldForm(r, field)
	c := ui.FormCard{Texts: []string{r.Text("lists.unused_rules")}, Form: f,
		Button: r.Text("lists.save"), Back: backTo(r, list)}
	if field.AddressType != enlist.AddressEmail {
		c.Links = []ui.Action{{Text: r.Text("lists.delete_link"),
			Path: path(list.ID) + "/fields/" + ui.Plain(int64(field.ID)) + "/delete"}}
	}
	page := func(problem string) (*ui.View, error) {
		return ui.FormPage(r.Text("lists.of_list", "name", field.Name, "list", list.Name), place, problem, c), nil
	}
	return r.Submit(f, page, func() (*ui.View, error) {
		misfits, err := r.App.Lists.FieldMisfits(r.Context(), r.Caller, list.ID, field.ID, fieldDetails(f))
		switch n := misfits.Count; {
		case err != nil:
			return nil, err
		case n > 0 && misfits.Refused:
			return nil, enlist.Invalid("type", r.Text("lists.misfits_refused", "n", n))
		case n > 0 && !agreed(r, n):
			c.Form = append(f, *askInput(r.Text("lists.misfits_ask", "n", n), n))
			return page(r.Text("lists.misfits", "n", n))
		}
		_, err = r.App.Lists.EditField(r.Context(), r.Caller, list.ID, field.ID, fieldDetails(f))
		return ui.GoTo(path(list.ID), r.Text("lists.field_changed_done")), err
	})
}

// moveUp moves a Field before the one above it. It numbers the Fields of the forms anew, so that no two are equal.
func moveUp(r *ui.Request) (*ui.View, error) {
	list, f, err := loadField(r)
	if err != nil {
		return nil, err
	}
	all, err := r.App.Lists.SearchFields(r.Context(), r.Caller, list.ID, enlist.Query{})
	if err != nil {
		return nil, err
	}
	enlist.SortFields(all)
	if f.DisplayOrder < 0 {
		return ui.GoTo(path(list.ID), ""), nil // a hidden Field has no place
	}
	for i := 1; i < len(all); i++ {
		if all[i].ID == f.ID {
			all[i-1], all[i] = all[i], all[i-1]
			break
		}
	}
	for i := range all {
		order := int64(i + 1)
		if all[i].DisplayOrder == order || all[i].DisplayOrder < 0 {
			continue
		}
		_, err := r.App.Lists.EditField(r.Context(), r.Caller, list.ID, all[i].ID,
			[]enlist.Detail{ui.Text("display_order", ui.Plain(order))})
		if err != nil {
			return nil, err
		}
	}
	return ui.GoTo(path(list.ID), ""), nil
}

func deleteField(r *ui.Request) (*ui.View, error) {
	list, f, err := loadField(r)
	if err != nil {
		return nil, err
	}
	n, err := r.App.Contacts.CountContacts(r.Context(), r.Caller, list.ID, &enlist.Criteria{Key: f.Name, Operator: "not",
		Value: enlist.TextInput("")})
	if err != nil {
		return nil, err
	}
	c := removal(r, list, f.Name, n)
	c.Texts = []string{r.Text("lists.delete_field_loses", "n", n), r.Text("lists.delete_field_uses")}
	c.Button = r.Text("lists.delete_field_button")
	return r.FormPage(r.Text("lists.delete_field_title", "field", f.Name), place, c, func() (*ui.View, error) {
		if !hasShown(r, n) {
			return nil, enlist.Invalid("typed", r.Text("lists.field_changed", "n", n))
		}
		err := r.App.Lists.DeleteField(r.Context(), r.Caller, list.ID, f.ID)
		return ui.GoTo(path(list.ID), r.Text("lists.field_deleted", "field", f.Name)), err
	})
}

// addressText says which address of a Contact a Field has.
func addressText(r *ui.Request, f *enlist.Field) string {
	if f.AddressType == enlist.AddressEmail {
		return r.Text("lists.field_email")
	}
	return r.Text("lists.field_mobile")
}
