package ui

import "enlist/internal/enlist"

// This file reads the Lists of a user.

// Lists returns the Lists that the user may use, in the order of their names. A request reads them once, because
// several parts of a page need them. Do not change them.
func (r *Request) Lists() (all []enlist.List, err error) {
	if r.lists == nil {
		r.lists, err = r.App.Lists.SearchLists(r.Context(), r.Caller, enlist.Query{SortBy: "name"})
	}
	return r.lists, err
}

// ListNames returns the names of the Lists that the user may use.
func (r *Request) ListNames() (map[enlist.ListID]string, error) {
	if r.lists == nil {
		return r.App.Lists.Names(r.Context(), r.Caller)
	}
	names := make(map[enlist.ListID]string, len(r.lists))
	for i := range r.lists {
		names[r.lists[i].ID] = r.lists[i].Name
	}
	return names, nil
}

// ListOptions returns the Lists that the user may use as options of an input, in the order of their names.
func (r *Request) ListOptions() ([]Option, error) {
	lists, err := r.Lists()
	options := make([]Option, len(lists))
	for i := range lists {
		options[i] = Option{Value: Plain(int64(lists[i].ID)), Text: lists[i].Name}
	}
	return options, err
}

// EmailField returns the name of the Field with the email addresses of a List. Errors: those of SearchFields.
func (r *Request) EmailField(list enlist.ListID) (string, error) {
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, list, enlist.Query{})
	for i := range fields {
		if fields[i].AddressType == enlist.AddressEmail {
			return fields[i].Name, nil
		}
	}
	return "", err
}
