package ui

import (
	"slices"

	"enlist/internal/enlist"
)

// This file has the rights of users and keys in words, and the parts of forms that choose them.

// LevelText says in words what a level allows.
func LevelText(l enlist.Level) string {
	switch l {
	case enlist.Read:
		return "reads"
	case enlist.Standard:
		return "reads, and changes Contacts"
	}
	return "does everything"
}

// LevelChoice is a level in a form.
type LevelChoice struct {
	Name, Text string
	Chosen     bool
}

// LevelChoices returns the levels for a form.
func LevelChoices(chosen enlist.Level) (all []LevelChoice) {
	for l := enlist.Read; l <= enlist.Full; l++ {
		all = append(all, LevelChoice{l.String(), LevelText(l), l == chosen})
	}
	return all
}

// ListChoice is a List in a form.
type ListChoice struct {
	ID     enlist.ListID
	Name   string
	Chosen bool
}

// ListChoices returns the Lists that the user may use, in the order of their names.
func (r *Request) ListChoices(chosen []enlist.ListID) ([]ListChoice, error) {
	all, err := r.Lists()
	choices := make([]ListChoice, len(all))
	for i := range all {
		choices[i] = ListChoice{all[i].ID, all[i].Name, slices.Contains(chosen, all[i].ID)}
	}
	return choices, err
}

// ChosenLists returns the Lists of a form with the fields only ("1": some Lists) and list. It returns nil for all
// Lists. ok is false if the form says "some" and has none.
func (r *Request) ChosenLists() (lists []enlist.ListID, ok bool) {
	if r.FormValue("only") != "1" {
		return nil, true
	}
	for _, id := range r.Form["list"] {
		lists = append(lists, enlist.ListID(Int(id)))
	}
	return lists, len(lists) > 0
}
