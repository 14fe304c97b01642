package contacts

import (
	"crypto/rand"
	"net/url"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the page that says what a copy to another List takes along, before it begins.

// targetInput returns the input of the List to which Contacts are copied. It has no Options if there is no other List.
func (b *builder) targetInput(name string) (ui.Input, error) {
	in := ui.Input{Name: name, Kind: ui.InputChoice, Label: b.request.Text("contacts.target"), Picker: true}
	in.Find = b.request.FormValue(in.FindName())
	all, err := b.request.Lists()
	for i := range all {
		if all[i].ID != b.list.ID {
			in.Options = append(in.Options, ui.Option{Value: ui.Plain(int64(all[i].ID)), Text: all[i].Name})
		}
	}
	return in, err
}

// copyPath returns the path of the page of the copy that a form asks for.
func (v view) copyPath(r *ui.Request) string {
	action := r.PostForm.Get("action")
	return v.at("/admin/contacts/copy") + "&action=" + url.QueryEscape(action) + "&target=" +
		url.QueryEscape(r.PostForm.Get("target_"+action))
}

func askCopy(r *ui.Request) (*ui.View, error) { return showCopy(r, read(r.URL.Query()), nil) }

// showCopy shows the page. wrong is what is wrong with its form, by input.
func showCopy(r *ui.Request, v view, wrong map[string]string) (*ui.View, error) {
	target := enlist.ListID(ui.Int(r.FormValue("target")))
	b, err := newBuilder(r, v.list)
	if err != nil {
		return nil, err
	}
	criteria := b.criteria(v)
	if criteria == nil {
		return ui.GoTo(v.url(), ""), nil
	}
	n, err := r.App.Contacts.CountContacts(r.Context(), r.Caller, v.list, criteria)
	if err != nil {
		return nil, err
	}
	to, err := r.App.Lists.List(r.Context(), r.Caller, target)
	if err != nil {
		return nil, err
	}
	pairs, err := r.App.Contacts.FieldPairs(r.Context(), r.Caller, v.list, target)
	if err != nil {
		return nil, err
	}
	action := contacts.ChangeCopy
	title, button := "contacts.copy_title", "contacts.copy_button"
	if r.FormValue("action") == string(contacts.ChangeMove) {
		action, title, button = contacts.ChangeMove, "contacts.move_title", "contacts.move_button"
	}
	card := ui.FormCard{Texts: textsOfCopy(r, action, to, pairs), Action: "/admin/contacts/change", Button: r.Text(button),
		Back: ui.Action{Text: r.Text("contacts.cancel"), Path: v.at("/admin/contacts/change")}}
	card.Form = v.inputs()
	for _, in := range [][2]string{{"action", string(action)}, {"target", ui.Plain(int64(target))}, {"count", ui.Plain(n)},
		{"token", rand.Text()}} {
		card.Form = append(card.Form, ui.Input{Name: in[0], Kind: ui.InputHidden, Value: in[1]})
	}
	if n >= askedFrom {
		card.Form = append(card.Form, ui.Input{Name: "typed", Label: r.Text("contacts.for_100_contacts_or_more", "count", n),
			Kind: ui.InputNumber, Autocomplete: "off", Required: true})
	}
	problem := ""
	for name, what := range wrong {
		if problem = "contacts.nothing_was_changed"; name != "typed" || n < askedFrom {
			problem = r.Said(what)
		}
		card.Form.Refused(name, what)
	}
	view := ui.FormPage(r.Text(title, "n", n, "list", to.Name), "/admin/contacts", problem, card)
	view.Sub = r.Text("contacts.of_list", "list", b.list.Name)
	return view, nil
}

// textsOfCopy says what a copy takes along, and whom it leaves out.
func textsOfCopy(r *ui.Request, action contacts.ChangeAction, to *enlist.List, pairs []contacts.FieldPair) (texts []string) {
	var with, without []string
	for _, p := range pairs {
		switch {
		case p.To == nil:
			without = append(without, p.From.Name)
		case p.To.Name == p.From.Name:
			with = append(with, p.From.Name)
		default:
			with = append(with, r.Text("contacts.copy_pair", "from", p.From.Name, "to", p.To.Name))
		}
	}
	texts = append(texts, r.Text("contacts.copy_with", "fields", r.Language.Series(with)))
	if without != nil {
		texts = append(texts, r.Text("contacts.copy_without", "n", len(without), "fields", r.Language.Series(without), "list", to.Name))
	}
	unfit := r.Text("contacts.copy_unfit", "list", to.Name)
	if action == contacts.ChangeMove {
		unfit = r.Text("contacts.move_unfit", "list", to.Name)
	}
	texts = append(texts, unfit, r.Text("contacts.copy_rules", "list", to.Name), r.Text("contacts.copy_left_out", "list", to.Name))
	if to.GDPR {
		texts = append(texts, r.Text("contacts.copy_gdpr", "list", to.Name))
	}
	return texts
}

// addCopy adds to a change in words what it has copied.
func (row *changeRow) addCopy(r *ui.Request, c *contacts.Change) {
	name := r.Text("contacts.list_number", "id", ui.Plain(int64(c.Target)))
	if names, err := r.ListNames(); err == nil && names[c.Target] != "" {
		name = names[c.Target]
	}
	key := "contacts.change_copy_to"
	if c.Action == contacts.ChangeMove {
		key = "contacts.change_move_to"
	}
	row.Text = r.Text(key, "list", name)
	if c.Existed > 0 {
		row.Copied = r.Text("contacts.copy_existed", "n", c.Existed)
	}
	if c.Refused > 0 {
		row.Copied += " " + r.Text("contacts.copy_refused", "n", c.Refused)
	}
	switch {
	case c.Unfit > 0 && c.Action == contacts.ChangeMove:
		row.Copied += " " + r.Text("contacts.move_unfit_count", "n", c.Unfit)
	case c.Unfit > 0:
		row.Copied += " " + r.Text("contacts.copy_unfit_count", "n", c.Unfit)
	}
}
