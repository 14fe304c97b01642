package lists

import (
	"fmt"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file has the pages that copy, clear and delete a List. Each says first what will happen.

func (p *pages) askCopy(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil || !mayAdd(r) {
		return nil, notFoundUnless(err)
	}
	return p.showCopy(r, list, ui.Form{{Name: "name", Label: "Name of the copy", Value: list.Name + " (copy)",
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
	return &ui.View{Title: "Copy " + l.Name, Place: "/admin/lists", Content: p.ask_, Problem: problem, Data: askData{
		Texts: []string{fmt.Sprintf(
			"The copy gets the settings, %s and %s. It is not public, and gets no Contact, Segment or autoresponder.",
			ui.Count(int64(len(fields)), "Field"), ui.Count(int64(len(preferences)), "preference"))},
		Input: f, Button: "Copy the List", Back: path(l.ID)}}, nil
}

func (p *pages) copy(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	f := ui.Form{{Name: "name", Label: "Name of the copy", Required: true}}
	f.Read(r)
	id, err := r.App.Lists.CopyList(r.Context(), r.Caller, list.ID, f.Value("name"))
	if err != nil {
		problem, err := f.Refuse(err)
		if err != nil {
			return nil, err
		}
		return p.showCopy(r, list, f, problem)
	}
	return ui.GoTo(path(id), "This is the copy."), nil
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
	v := &ui.View{Place: "/admin/lists", Content: p.ask_}
	if wrong != "" {
		v.Problem = "Nothing was deleted."
	}
	contacts := ui.Count(l.ContactCount, "Contact")
	const stays = "The proofs of consent and the Unsubscriber List stay. A backup is the only way back."
	switch r.PathValue("act") {
	case "clear":
		v.Title, d.Button = "Clear "+l.Name+"?", "Delete "+contacts
		d.Texts = []string{"This deletes " + contacts + " with all values, for ever.",
			"The List stays with its settings, Fields, preferences, Segments and autoresponders.", stays}
	case "delete":
		all, err := r.App.Batches.SearchAutoresponders(r.Context(), r.Caller, enlist.Query{Criteria: &enlist.Criteria{
			Key: "list_id", Operator: "exactly", Value: enlist.Input{Kind: enlist.InputNumber,
				Text: ui.Plain(int64(l.ID))}}})
		if err != nil {
			return nil, err
		}
		v.Title, d.Button = "Delete "+l.Name+"?", "Delete the List and "+contacts
		d.Texts = []string{fmt.Sprintf("The List is deleted with %s and %s, for ever.", contacts,
			ui.Count(int64(len(all)), "autoresponder")),
			"Programs that use the List no longer work. Campaigns to it leave its Contacts out.", stays}
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
		return p.showRemove(r, list, notTyped)
	}
	if ui.Int(r.PostForm.Get("count")) != list.ContactCount { // of the page; others add Contacts meanwhile
		return p.showRemove(r, list, "the List has "+ui.Count(list.ContactCount, "Contact")+" now: look again")
	}
	if act == "clear" {
		err = r.App.Contacts.ClearList(r.Context(), r.Caller, list.ID)
		if err != nil {
			return nil, err
		}
		return ui.GoTo(path(list.ID), "The List is empty. It had "+ui.Count(list.ContactCount, "Contact")+"."), nil
	}
	if err := r.App.Contacts.DeleteList(r.Context(), r.Caller, list.ID); err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/lists", list.Name+" was deleted."), nil
}
