package apptest

import (
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

func (o *Account) AddList(pairs ...any) enlist.ListID {
	o.Helper()
	id, err := o.App.Lists.AddList(o.Context(), o.Caller, Details(append([]any{"name", "News"}, pairs...)...))
	o.Must(err)
	return id
}

func (o *Account) List(id enlist.ListID) *enlist.List {
	o.Helper()
	l, err := o.App.Lists.List(o.Context(), o.Caller, id)
	o.Must(err)
	return l
}

func (o *Account) AddField(list enlist.ListID, pairs ...any) enlist.FieldID {
	o.Helper()
	id, err := o.App.Lists.AddField(o.Context(), o.Caller, list, Details(pairs...))
	o.Must(err)
	return id
}

func (o *Account) Field(list enlist.ListID, id enlist.FieldID) *enlist.Field {
	o.Helper()
	f, err := o.App.Lists.Field(o.Context(), o.Caller, list, id)
	o.Must(err)
	return f
}

// Fields searches the Fields of a List and returns their names.
func (o *Account) Fields(list enlist.ListID, q enlist.Query) []string {
	o.Helper()
	found, err := o.App.Lists.SearchFields(o.Context(), o.Caller, list, q)
	o.Must(err)
	names := make([]string, len(found))
	for i := range found {
		names[i] = found[i].Name
	}
	return names
}

func (o *Account) EmailField(list enlist.ListID) (id enlist.FieldID) {
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		id = schema.Email().ID
		return err
	}))
	return id
}

func (o *Account) AddFileFolder(name string) enlist.FolderID {
	o.Helper()
	id, err := o.App.Accounts.AddFolder(o.Context(), o.Caller, Details("name", name, "type", "file"))
	o.Must(err)
	return id
}

// SetSegment adds a Segment of a List, or replaces the criteria of the one with the name.
func (o *Account) SetSegment(list enlist.ListID, name string, criteria *enlist.Criteria) enlist.SegmentID {
	o.Helper()
	id, err := o.App.Contacts.SetSegment(o.Context(), o.Caller, contacts.SegmentRequest{List: list, Name: name, Criteria: criteria})
	o.Must(err)
	return id
}
