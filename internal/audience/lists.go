package audience

import "context"

// ListAttributes are the keys of a List record, in their order.
var ListAttributes []Attribute[List]

// AddList makes a List with its two address Fields.
func (s *Service) AddList(ctx context.Context, c *Caller, details []Detail) (ListID, error) {
	panic("being written")
}

// EditList changes what details name.
func (s *Service) EditList(ctx context.Context, c *Caller, id ListID, details []Detail) (ListID, error) {
	panic("being written")
}

// DeleteList hides a List at once and has its Contacts removed.
func (s *Service) DeleteList(ctx context.Context, c *Caller, id ListID) error {
	panic("being written")
}

// ClearList removes the Contacts that a List has now.
func (s *Service) ClearList(ctx context.Context, c *Caller, id ListID) error {
	panic("being written")
}

// List returns one List.
func (s *Service) List(ctx context.Context, c *Caller, id ListID) (*List, error) {
	panic("being written")
}

// SearchLists returns the Lists that match.
func (s *Service) SearchLists(ctx context.Context, c *Caller, q Query) ([]List, error) {
	panic("being written")
}

// PreferenceAttributes are the keys of a preference record, in their order.
var PreferenceAttributes []Attribute[Preference]

// AddPreference defines a preference on a List.
func (s *Service) AddPreference(ctx context.Context, c *Caller, list ListID, name string) (PreferenceID, error) {
	panic("being written")
}

// DeletePreference removes one.
func (s *Service) DeletePreference(ctx context.Context, c *Caller, list ListID, id PreferenceID) error {
	panic("being written")
}

// SearchPreferences returns the List's preferences that match.
func (s *Service) SearchPreferences(ctx context.Context, c *Caller, list ListID, q Query) ([]Preference, error) {
	panic("being written")
}

// FolderAttributes are the keys of a Folder record, in their order.
var FolderAttributes []Attribute[Folder]

// SearchFolders returns the Account's Folders of a type (list, message, file) that match.
func (s *Service) SearchFolders(ctx context.Context, c *Caller, folderType string, q Query) ([]Folder, error) {
	panic("being written")
}

// Folder returns one Folder.
func (s *Service) Folder(ctx context.Context, c *Caller, id FolderID) (*Folder, error) {
	panic("being written")
}
