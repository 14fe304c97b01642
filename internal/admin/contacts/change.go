package contacts

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the pages that change many Contacts: what to do with how many, and how far it is.

// askedFrom is the number of Contacts from which a person has to type it. What cannot be undone asks always.
const askedFrom = 100

// manyData is the data of the page that asks what to do.
type manyData struct {
	Card    *ui.FormCard // nil: no condition chooses Contacts
	Back    string
	Running []changeRow
}

// actionText is an action in words, with what it does.
type actionText struct {
	Name       contacts.ChangeAction
	Text, Says string // keys of texts
}

var actionTexts = []actionText{
	{Name: contacts.ChangeDeactivate, Text: "contacts.change_deactivate", Says: "contacts.change_deactivate_effect"},
	{Name: contacts.ChangeReactivate, Text: "contacts.change_reactivate", Says: "contacts.change_reactivate_effect"},
	{Name: contacts.ChangeSet, Text: "contacts.change_set", Says: "contacts.change_set_effect"},
	{Name: contacts.ChangeUnsubscribe, Text: "contacts.change_unsubscribe", Says: "contacts.change_unsubscribe_effect"},
	{Name: contacts.ChangeConfirm, Text: "contacts.change_confirm", Says: "contacts.change_confirm_effect"},
	{Name: contacts.ChangeAsk, Text: "contacts.change_ask", Says: "contacts.change_ask_effect"},
	{Name: contacts.ChangeCopy, Text: "contacts.change_copy", Says: "contacts.change_copy_effect"},
	{Name: contacts.ChangeMove, Text: "contacts.change_move", Says: "contacts.change_move_effect"},
	{Name: contacts.ChangeDelete, Text: "contacts.change_delete", Says: "contacts.change_delete_effect"},
}

// changeRow is a change in words.
type changeRow struct {
	*contacts.Change
	Text, State, When string
	Sentence          string // the state
	Path              string
	Left              int64
	Copied            string // of a copy: how many the other List had, and how many may not be copied
}

// many shows the page. The ticked Contacts of the table take the place of the conditions.
func (p *pages) many(r *ui.Request) (*ui.View, error) {
	v := read(r.URL.Query())
	if ticked := r.URL.Query()["id"]; len(ticked) > 0 {
		v.conditions = []condition{{Key: "id", Operator: "in", Value: strings.Join(ticked, ",")}}
		v.search, v.segment, v.either = "", 0, map[int]bool{}
	}
	return p.showMany(r, v, nil)
}

// showMany shows the page. wrong is what is wrong with inputs of a form that was sent.
func (p *pages) showMany(r *ui.Request, v view, wrong map[string]string) (*ui.View, error) {
	b, err := newBuilder(r, v.list)
	if err != nil {
		return nil, err
	}
	d := manyData{Back: v.url()}
	criteria, who := b.criteria(v), ""
	var n int64
	if criteria != nil {
		if !slices.ContainsFunc(v.conditions, func(c condition) bool { return c.Key == "id" }) {
			who = b.sentence(criteria) // ticked Contacts would be numbers
		}
		if n, err = r.App.Contacts.CountContacts(r.Context(), r.Caller, v.list, criteria); err != nil {
			return nil, err
		}
	}
	if n > 0 {
		if d.Card, err = b.changeCard(v, n, who); err != nil {
			return nil, err
		}
		if wrong != nil {
			d.Card.Form.Read(r)
		}
		for name, what := range wrong {
			d.Card.Form.Refused(name, what)
		}
	}
	all, err := r.App.Contacts.Changes(r.Context(), r.Caller, v.list)
	if err != nil {
		return nil, err
	}
	for i := range all {
		d.Running = append(d.Running, b.rowOf(r, &all[i]))
	}
	view := &ui.View{Title: r.Text("contacts.change_title", "n", n), Place: "/admin/contacts",
		Sub: r.Text("contacts.of_list", "list", b.list.Name), Content: p.changePage, Data: &d}
	if len(wrong) > 0 {
		view.Problem = r.Text("contacts.nothing_was_changed")
	}
	return view, nil
}

// changeCard returns the form of a change of n Contacts. who has their conditions in words; "": ticked Contacts.
func (b *builder) changeCard(v view, n int64, who string) (*ui.FormCard, error) {
	r := b.request
	noMail, err := r.NoMail()
	if err != nil {
		return nil, err
	}
	action := ui.Input{Name: "action", Kind: ui.InputRadio, Required: true}
	for _, a := range actionTexts {
		o := ui.Option{Value: string(a.Name), Text: r.Text(a.Text), Help: r.Text(a.Says)}
		switch a.Name {
		case contacts.ChangeAsk:
			if !b.list.DoubleOptIn {
				continue
			}
			o.Help = r.Language.Sentences(o.Help, noMail)
		case contacts.ChangeUnsubscribe:
			o.Help = r.Language.Sentences(o.Help, noMail)
		case contacts.ChangeSet:
			o.Parts = ui.Form{{Kind: ui.InputRow, Parts: ui.Form{{Name: "field", Label: r.Text("contacts.field"),
				Kind: ui.InputChoice, Options: b.fieldOptions()}, {Name: "set", Label: r.Text("contacts.value_none_removes")}}}}
		case contacts.ChangeCopy, contacts.ChangeMove:
			target, err := b.targetInput("target_" + string(a.Name))
			if err != nil {
				return nil, err
			}
			if target.Options == nil {
				continue
			}
			o.Parts = ui.Form{target}
		case contacts.ChangeConfirm:
			o.Parts = ui.Form{{Name: "statement", Label: r.Text("contacts.when_how_they_agreed"), Kind: ui.InputArea, Rows: 2,
				Most: contacts.MaxConsentText}}
		}
		action.Options = append(action.Options, o)
	}
	asks := r.Text("contacts.change_all", "n", n, "list", b.list.Name)
	if who != "" {
		asks = r.Text("contacts.change_who", "n", n, "list", b.list.Name, "who", who)
	}
	f := append(v.inputs(), ui.Input{Name: "count", Kind: ui.InputHidden, Value: ui.Plain(n)},
		ui.Input{Name: "token", Kind: ui.InputHidden, Value: rand.Text()}, action,
		ui.Input{Name: "typed", Label: r.Text("contacts.for_100_contacts_or_more", "count", n), Kind: ui.InputNumber,
			Autocomplete: "off"})
	return &ui.FormCard{Texts: []string{asks + " " + r.Text("contacts.in_background")}, Form: f,
		Action: "/admin/contacts/change", Button: r.Text("contacts.change", "count", n),
		Back: ui.Action{Text: r.Text("contacts.back"), Path: v.url()}}, nil
}

// fieldOptions returns the Fields that a change can set.
func (b *builder) fieldOptions() []ui.Option {
	all := []ui.Option{{}}
	for i := range b.fields {
		if f := &b.fields[i]; f.AddressType == enlist.AddressNone {
			all = append(all, ui.Option{Value: keyOf(f).Name, Text: f.Name})
		}
	}
	return all
}

// rowOf returns a change in words.
func (b *builder) rowOf(r *ui.Request, c *contacts.Change) changeRow {
	row := changeRow{Change: c, When: r.Date(c.CreationTime), Path: "/admin/contacts/changes/" + ui.Plain(c.ID),
		Left: c.Done - c.Changed}
	for _, a := range actionTexts {
		if a.Name == c.Action {
			row.Text = r.Text(a.Text)
		}
	}
	for i := range b.fields {
		if b.fields[i].ID == c.Field {
			row.Text = r.Text("contacts.change_set_value", "field", b.fields[i].Name, "value", c.Value)
		}
	}
	switch {
	case c.EndTime == 0:
		row.State, row.Sentence = r.Text("contacts.change_runs"), r.Text("contacts.change_runs_sentence")
	case c.Reason != "":
		row.State = r.Text("contacts.change_given_up", "reason", r.Language.Said(c.Reason))
		row.Sentence = r.Text("contacts.change_given_up_sentence", "reason", r.Language.Said(c.Reason))
	default:
		row.State, row.Sentence = r.Text("contacts.change_is_done"), r.Text("contacts.change_is_done_sentence")
	}
	if c.Action.IsCopy() {
		row.addCopy(r, c)
	}
	return row
}

// startMany starts a change.
func (p *pages) startMany(r *ui.Request) (*ui.View, error) {
	v := read(r.PostForm)
	b, err := newBuilder(r, v.list)
	if err != nil {
		return nil, err
	}
	if r.IsPicking() {
		return p.showMany(r, v, map[string]string{})
	}
	request, wrong := requestOf(r, v.list, b.criteria(v))
	if target := request.Action.IsCopy() && request.Target == 0; target && wrong == nil {
		return ui.GoTo(v.copyPath(r), ""), nil // says first what will be copied
	}
	typed := strings.NewReplacer(",", "", ".", "", " ", "").Replace(r.PostForm.Get("typed"))
	if wrong == nil && (request.Count >= askedFrom || request.Action == contacts.ChangeDelete ||
		request.Action == contacts.ChangeUnsubscribe) && ui.Int(typed) != request.Count {
		wrong = map[string]string{"typed": r.Text("contacts.type_number", "count", ui.Plain(request.Count))}
	}
	if wrong != nil {
		return p.refuseMany(r, v, wrong)
	}
	caller := *r.Caller
	if token := r.PostForm.Get("token"); token != "" { // a second press starts nothing; without a token, it could be of another user
		caller.Retry = &enlist.Retry{Header: "page-" + token, Fingerprint: sha256.Sum256([]byte(r.PostForm.Encode()))}
	}
	id, err := r.App.Contacts.StartChange(r.Context(), &caller, request)
	var known *enlist.Error
	if errors.As(err, &known) && (known.Kind == enlist.InvalidParameters || known.Kind == enlist.InvalidSearch) {
		input := "action"
		switch {
		case known.Field == "count":
			input = "typed"
		case known.Field == "statement":
			input = "statement"
		case request.Action == contacts.ChangeSet:
			input = "set"
		}
		return p.refuseMany(r, v, map[string]string{input: known.Detail})
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/contacts/changes/"+ui.Plain(id), ""), nil
}

// refuseMany shows the form again that was sent, with its mistakes.
func (p *pages) refuseMany(r *ui.Request, v view, wrong map[string]string) (*ui.View, error) {
	if r.PostForm.Get("target") != "" {
		return showCopy(r, v, wrong)
	}
	return p.showMany(r, v, wrong)
}

// requestOf returns the change that a form asks for, and what is wrong with it, or nil.
func requestOf(r *ui.Request, list enlist.ListID, criteria *enlist.Criteria) (c contacts.ChangeRequest, wrong map[string]string) {
	c = contacts.ChangeRequest{List: list, Criteria: criteria, Action: contacts.ChangeAction(r.PostForm.Get("action")),
		Count: ui.Int(r.PostForm.Get("count")), Target: enlist.ListID(ui.Int(r.PostForm.Get("target")))}
	input, why := "", ""
	switch c.Action {
	case contacts.ChangeCopy, contacts.ChangeMove:
		if name := "target_" + string(c.Action); c.Target == 0 && ui.Int(r.PostForm.Get(name)) == 0 {
			input, why = name, "contacts.choose_target"
		}
	case contacts.ChangeSet:
		if c.Field, c.Value = r.PostForm.Get("field"), r.PostForm.Get("set"); c.Field == "" {
			input, why = "field", "contacts.choose_field"
		}
	case contacts.ChangeConfirm:
		if c.Value = r.PostForm.Get("statement"); strings.TrimSpace(c.Value) == "" {
			input, why = "statement", "contacts.write_when_how_these_people"
		}
	case "":
		input, why = "action", "contacts.choose_what_do"
	}
	if why != "" {
		wrong = map[string]string{input: r.Text(why)}
	}
	return c, wrong
}

// progress shows how far a change is.
func (p *pages) progress(r *ui.Request) (*ui.View, error) {
	c, err := changeOf(r)
	if err != nil {
		return nil, err
	}
	list, err := r.App.Lists.List(r.Context(), r.Caller, c.ListID)
	if err != nil {
		return nil, err
	}
	b := &builder{request: r, list: list}
	if b.fields, err = r.App.Lists.SearchFields(r.Context(), r.Caller, c.ListID, enlist.Query{}); err != nil {
		return nil, err
	}
	row := b.rowOf(r, c)
	view := &ui.View{Title: r.Text("contacts.progress_title", "n", c.Total), Place: "/admin/contacts",
		Content: p.progressPage, Data: row, Sub: r.Text("contacts.progress_subtitle", "list", list.Name,
			"change", row.Text, "time", row.When, "zone", r.Zone())}
	if c.EndTime == 0 {
		view.Refresh = 2
	}
	return view, nil
}

// changeOf returns the change in the path. Errors: ui.ErrNotFound, and Denied for one of another List.
func changeOf(r *ui.Request) (*contacts.Change, error) {
	c, err := r.App.Contacts.Change(r.Context(), r.Caller, r.ID("change"))
	if enlist.KindOf(err) == enlist.InvalidParameters {
		err = ui.ErrNotFound
	}
	return c, err
}

// cancelMany ends a change.
func cancelMany(r *ui.Request) (*ui.View, error) {
	c, err := changeOf(r)
	if err == nil {
		err = r.App.Contacts.CancelChange(r.Context(), r.Caller, c.ID)
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/contacts/changes/"+r.PathValue("change"), ""), nil
}
