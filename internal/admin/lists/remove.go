package lists

import (
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file has the pages that copy, clear and delete a List. Each says first what will happen.

func (p *pages) askCopy(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil || !mayAdd(r) {
		return nil, notFoundUnless(err)
	}
	return p.showCopy(r, list, ui.Form{{Name: "name", Label: r.Text("lists.copy_label"),
		Value:    r.Text("lists.copy_name", "list", list.Name),
		Required: true}}, "")
}

// notFoundUnless returns an error, or else that there is no such page.
func notFoundUnless(err error) error {
	if err != nil {
		return err
	}
	return ui.ErrNotFound
}

func (p *pages) showCopy(r *ui.Request, l *enlist.List, f ui.Form, problem string) (*ui.View, error) {
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, l.ID, enlist.Query{})
	if err != nil {
		return nil, err
	}
	preferences, err := r.App.Lists.SearchPreferences(r.Context(), r.Caller, l.ID, enlist.Query{})
	if err != nil {
		return nil, err
	}
	return &ui.View{Title: r.Text("lists.copy_title", "list", l.Name), Place: "/admin/lists", Content: p.confirm,
		Problem: problem, Data: askData{
			Texts: []string{r.Text("lists.copy_about", "fields", r.Text("lists.fields_count", "n", len(fields)),
				"preferences", r.Text("lists.preferences_count", "n", len(preferences)))},
			Input: f, Button: r.Text("lists.copy_list"), Back: path(l.ID)}}, nil
}

func (p *pages) copy(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	f := ui.Form{{Name: "name", Label: r.Text("lists.copy_label"), Required: true}}
	f.Read(r)
	id, err := r.App.Lists.CopyList(r.Context(), r.Caller, list.ID, f.Value("name"))
	if err != nil {
		problem, err := f.Refuse(err)
		if err != nil {
			return nil, err
		}
		return p.showCopy(r, list, f, problem)
	}
	return ui.GoTo(path(id), r.Text("lists.copied")), nil
}

func (p *pages) askRemove(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	return p.showRemove(r, list, "")
}

// showRemove asks before a List is cleared or deleted.
func (p *pages) showRemove(r *ui.Request, l *enlist.List, wrong string) (*ui.View, error) {
	d := askData{Name: l.Name, Count: l.ContactCount, Typed: r.PostForm.Get("typed"), Wrong: wrong, Danger: true, Back: path(l.ID)}
	v := &ui.View{Place: "/admin/lists", Content: p.confirm}
	if wrong != "" {
		v.Problem = r.Text("lists.nothing_deleted")
	}
	stays := r.Text("lists.proofs_stay")
	switch r.PathValue("act") {
	case "clear":
		v.Title, d.Button = r.Text("lists.clear_title", "list", l.Name), r.Text("lists.clear_button", "n",
			l.ContactCount)
		d.Texts = []string{r.Text("lists.clear_loses", "n", l.ContactCount),
			r.Text("lists.clear_keeps"), stays}
	case "delete":
		all, err := r.App.Batches.SearchAutoresponders(r.Context(), r.Caller, enlist.Query{Criteria: &enlist.Criteria{
			Key: "list_id", Operator: "exactly", Value: enlist.Input{Kind: enlist.InputNumber,
				Text: ui.Plain(int64(l.ID))}}})
		if err != nil {
			return nil, err
		}
		v.Title, d.Button = r.Text("lists.delete_title", "list", l.Name),
			r.Text("lists.delete_button", "n", l.ContactCount)
		d.Texts = []string{r.Text("lists.delete_loses", "n", l.ContactCount, "autoresponders",
			r.Text("lists.autoresponders_count", "n", len(all))),
			r.Text("lists.delete_uses"), stays}
	default:
		return nil, ui.ErrNotFound
	}
	v.Data = d
	return v, nil
}

func (p *pages) remove(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	act := r.PathValue("act")
	if act != "clear" && act != "delete" {
		return nil, ui.ErrNotFound
	}
	if r.PostForm.Get("typed") != list.Name {
		return p.showRemove(r, list, r.Text("lists.not_typed"))
	}
	if ui.Int(r.PostForm.Get("count")) != list.ContactCount { // of the page; others add Contacts meanwhile
		return p.showRemove(r, list, r.Text("lists.count_changed", "n", list.ContactCount))
	}
	if act == "clear" {
		err = r.App.Contacts.ClearList(r.Context(), r.Caller, list.ID)
		if err != nil {
			return nil, err
		}
		return ui.GoTo(path(list.ID), r.Text("lists.cleared", "n", list.ContactCount)), nil
	}
	if err := r.App.Contacts.DeleteList(r.Context(), r.Caller, list.ID); err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/lists", r.Text("lists.deleted", "list", list.Name)), nil
}
