package messages

import (
	"context"
	"errors"
	"time"

	"enlist/internal/admin/contacts"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the page of the condition of a block: who sees it. It has the form of the page of Contacts.

// conditionData is the data of the page.
type conditionData struct {
	*contacts.Conditions
	ID        enlist.MessageID
	Path      string // of the block
	List      ui.Input
	Was       enlist.ListID
	Seen      string
	Sees, All int64
	IsCounted bool
	HasOne    bool // the block has a condition now
}

// conditionPath is the path of the page for a block.
func conditionPath(id enlist.MessageID, block string) string { return path(id) + "/show/" + block }

// condition shows the page. A button adds or removes a condition, or saves them.
func (p *pages) condition(r *ui.Request) (*ui.View, error) {
	m, err := r.App.Messages.Message(r.Context(), r.Caller, enlist.MessageID(r.ID("message")))
	if err != nil {
		return nil, err
	}
	all, err := messages.DecodeBlocks(m.Blocks)
	if err != nil {
		return nil, err
	}
	at := messages.ConditionAt(all, r.PathValue("block"))
	if !m.MayEdit(r.Caller) || at == nil {
		return nil, ui.ErrNotFound
	}
	d := &conditionData{ID: m.ID, Path: r.PathValue("block"), Seen: enlist.VersionOf(messages.WholeMessageAttributes, m), HasOne: *at != nil}
	var stored *enlist.Criteria
	if *at != nil {
		stored = (*at).Criteria
	}
	lists, err := r.Lists()
	if err != nil {
		return nil, err
	}
	if d.Was = enlist.ListID(ui.Int(r.FormValue("list"))); d.Was == 0 {
		if d.Was, err = fittingList(r, lists, stored); err != nil {
			return nil, err
		}
	}
	if d.Was == 0 {
		return ui.GoTo(path(m.ID), r.Text("messages.condition_needs_list")), nil
	}
	if d.Conditions, err = contacts.NewConditions(r, d.Was, r.PostForm, stored); err != nil {
		return nil, err
	}
	if do := r.PostForm.Get("do"); do != "" {
		if r.PostForm.Get("seen") != d.Seen {
			return ui.GoTo(path(m.ID), r.Text("messages.condition_not_saved")), nil
		}
		if *at = nil; do == "save" && d.Criteria() != nil {
			*at = &messages.Condition{Criteria: d.Criteria()}
		}
		return p.saveCondition(r, m, all, d)
	}
	return p.showCondition(r, m, d, "")
}

// saveCondition stores the blocks with the changed condition.
func (p *pages) saveCondition(r *ui.Request, m *messages.Message, all []messages.Block, d *conditionData) (*ui.View, error) {
	if criteria := d.Criteria(); criteria != nil {
		err := r.App.Contacts.CheckCriteria(r.Context(), r.Caller, d.Was, criteria)
		if wrong, ok := errors.AsType[*enlist.Error](err); ok && wrong.Kind == enlist.InvalidSearch {
			return p.showCondition(r, m, d, wrong.Detail)
		}
		if err != nil {
			return nil, err
		}
	}
	err := r.App.Messages.SaveMessage(r.Context(), r.Caller, messages.Save{Message: m.ID, IsEnded: true,
		Details: []enlist.Detail{ui.Text("blocks", messages.EncodeBlocks(all))}})
	if wrong, ok := errors.AsType[*enlist.Error](err); ok && wrong.Kind == enlist.InvalidParameters {
		return p.showCondition(r, m, d, wrong.Detail)
	}
	if err != nil {
		return nil, err
	}
	view := ui.GoTo(path(m.ID), r.Text("messages.condition_saved"))
	view.To += string(anchor(d.Path))
	return view, nil
}

// showCondition shows the conditions, and how many Contacts of the List meet them.
func (p *pages) showCondition(r *ui.Request, m *messages.Message, d *conditionData, problem string) (*ui.View, error) {
	lists, err := r.ListOptions()
	if err != nil {
		return nil, err
	}
	d.List = ui.Input{Name: "list", Label: r.Text("messages.list_label"), Kind: ui.InputChoice, Value: ui.Plain(int64(d.Was)), Options: lists}
	list, err := r.App.Lists.List(r.Context(), r.Caller, d.Was)
	if err != nil {
		return nil, err
	}
	d.All = list.ContactCount
	if criteria := d.Criteria(); criteria != nil && problem == "" && seesContacts(r) {
		late, err := ui.Within(r.Context(), d.All, countWait, func(ctx context.Context) (err error) {
			d.Sees, err = r.App.Contacts.CountContacts(ctx, r.Caller, d.Was, criteria)
			return err
		})
		if wrong, ok := errors.AsType[*enlist.Error](err); ok && wrong.Kind == enlist.InvalidSearch {
			problem, err = wrong.Detail, nil
		}
		if err != nil {
			return nil, err
		}
		d.IsCounted = !late && problem == ""
	}
	return &ui.View{Title: r.Text("messages.condition_title", "name", m.Name), Place: "/admin/messages", Content: p.conditionPage, Data: d,
		Problem: problem, Actions: []ui.Action{{Text: "messages.to_message", Path: path(m.ID)}}}, nil
}

// countWait is how long the page waits for the number of Contacts.
const countWait = 300 * time.Millisecond

// fittingList returns the first List that criteria fit, or else the first one, or 0.
func fittingList(r *ui.Request, all []enlist.List, criteria *enlist.Criteria) (enlist.ListID, error) {
	const most = 50 // Lists that are tried
	for i := range all[:min(len(all), most)] {
		err := r.App.Contacts.CheckCriteria(r.Context(), r.Caller, all[i].ID, criteria)
		if err == nil {
			return all[i].ID, nil
		}
		if enlist.KindOf(err) != enlist.InvalidSearch {
			return 0, err
		}
	}
	if len(all) == 0 {
		return 0, nil
	}
	return all[0].ID, nil
}

// saidConditions returns the conditions of blocks as a person says them, by their JSON.
func saidConditions(r *ui.Request, all []messages.Block) (map[string]string, error) {
	said := make(map[string]string)
	var lists []enlist.List
	for _, c := range messages.Conditions(all) {
		if lists == nil {
			var err error
			if lists, err = r.Lists(); err != nil {
				return nil, err
			}
		}
		list, err := fittingList(r, lists, c.Criteria)
		if err != nil {
			return nil, err
		}
		text := c.Criteria.Text()
		if list != 0 {
			if text, err = contacts.InWords(r, list, c.Criteria); err != nil {
				return nil, err
			}
		}
		said[c.Criteria.JSON()] = text
	}
	return said, nil
}
