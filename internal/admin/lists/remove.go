package lists

import (
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file has the pages that copy, clear and delete a List. Each says first what will happen.

func copyList(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	if !mayAdd(r) {
		return nil, ui.ErrNotFound
	}
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, list.ID, enlist.Query{})
	if err != nil {
		return nil, err
	}
	preferences, err := r.App.Lists.SearchPreferences(r.Context(), r.Caller, list.ID, enlist.Query{})
	if err != nil {
		return nil, err
	}
	c := ui.FormCard{Texts: []string{r.Text("lists.copy_about", "fields", r.Text("lists.fields_count", "n", len(fields)),
		"preferences", r.Text("lists.preferences_count", "n", len(preferences)))},
		Form: ui.Form{{Name: "name", Label: r.Text("lists.copy_label"), Value: r.Text("lists.copy_name", "list", list.Name),
			Required: true}}, Button: r.Text("lists.copy_list"), Back: backTo(r, list)}
	return r.FormPage(r.Text("lists.copy_title", "list", list.Name), place, &c, func() (*ui.View, error) {
		id, err := r.App.Lists.CopyList(r.Context(), r.Caller, list.ID, c.Form.Value("name"))
		return ui.GoTo(path(id), r.Text("lists.copied")), err
	})
}

// removal asks for the name of a List before n of its Contacts are deleted. The form has the number that the page has
// shown, because others add Contacts meanwhile.
func removal(r *ui.Request, l *enlist.List, name string, n int64) *ui.FormCard {
	return &ui.FormCard{Form: ui.Form{{Name: "count", Kind: ui.InputHidden, Value: ui.Plain(n)}, ui.Typed(name)}, Danger: true,
		Back: backTo(r, l)}
}

// hasShown reports whether the page has shown the number of Contacts.
func hasShown(r *ui.Request, n int64) bool { return ui.Int(r.PostForm.Get("count")) == n }

func clearList(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	n := list.ContactCount
	c := removal(r, list, list.Name, n)
	c.Button = r.Text("lists.clear_button", "n", n)
	c.Texts = []string{r.Text("lists.clear_loses", "n", n), r.Text("lists.clear_keeps"), r.Text("lists.proofs_stay")}
	return r.FormPage(r.Text("lists.clear_title", "list", list.Name), place, c, func() (*ui.View, error) {
		if !hasShown(r, n) {
			return nil, enlist.Invalid("typed", r.Text("lists.count_changed", "n", n))
		}
		err := r.App.Contacts.ClearList(r.Context(), r.Caller, list.ID)
		return ui.GoTo(path(list.ID), r.Text("lists.cleared", "n", n)), err
	})
}

func deleteList(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	all, err := r.App.Batches.SearchAutoresponders(r.Context(), r.Caller, enlist.Query{Criteria: &enlist.Criteria{
		Key: "list_id", Operator: "exactly", Value: enlist.Input{Kind: enlist.InputNumber,
			Text: ui.Plain(int64(list.ID))}}})
	if err != nil {
		return nil, err
	}
	n := list.ContactCount
	c := removal(r, list, list.Name, n)
	c.Button = r.Text("lists.delete_button", "n", n)
	c.Texts = []string{r.Text("lists.delete_loses", "n", n, "autoresponders",
		r.Text("lists.autoresponders_count", "n", len(all))), r.Text("lists.delete_uses"), r.Text("lists.proofs_stay")}
	return r.FormPage(r.Text("lists.delete_title", "list", list.Name), place, c, func() (*ui.View, error) {
		if !hasShown(r, n) {
			return nil, enlist.Invalid("typed", r.Text("lists.count_changed", "n", n))
		}
		err := r.App.Contacts.DeleteList(r.Context(), r.Caller, list.ID)
		return ui.GoTo(place, r.Text("lists.deleted", "list", list.Name)), err
	})
}
