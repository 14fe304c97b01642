package audience

import "context"

// The Folder types.
const (
	FolderOfLists    = "list"
	FolderOfMessages = "message"
	FolderOfFiles    = "file"
)

// FolderAttributes are the keys of a Folder record, in their order.
var FolderAttributes = []Attribute[Folder]{
	searchable(shownInt("id", func(f *Folder) FolderID { return f.ID })),
	searchable(shownText("name", func(f *Folder) string { return f.Name })),
	searchable(shownInt("creation_time", func(f *Folder) int64 { return f.CreationTime })),
	searchable(shownText("type", func(f *Folder) string { return f.Type })),
	searchable(shownInt("item_count", func(f *Folder) int64 { return f.ItemCount })),
}

// SearchFolders returns the Account's Folders of a type (list, message, file)
// that match. Errors: Denied, InvalidParameters for another type, InvalidSearch.
func (s *Service) SearchFolders(ctx context.Context, c *Caller, folderType string, q Query) (found []Folder, err error) {
	if err := wholeAccount(c); err != nil {
		return nil, err
	}
	if _, err := oneOf(FolderOfLists, FolderOfMessages, FolderOfFiles)(folderType); err != nil {
		return nil, &Error{Kind: InvalidParameters, Field: "folder_type", Detail: err.Error()}
	}
	err = s.view(ctx, c, func(tx Tx) error {
		all, err := tx.Folders(c.Account.ID)
		if err != nil {
			return err
		}
		var ofType []Folder
		for _, f := range all {
			if f.Type == folderType {
				ofType = append(ofType, f)
			}
		}
		found, err = searchRecords(FolderAttributes, ofType, q)
		return err
	})
	return found, err
}

// Folder returns one Folder. Errors: Denied, NoFolder.
func (s *Service) Folder(ctx context.Context, c *Caller, id FolderID) (folder *Folder, err error) {
	if err := wholeAccount(c); err != nil {
		return nil, err
	}
	err = s.view(ctx, c, func(tx Tx) error {
		all, err := tx.Folders(c.Account.ID)
		if err != nil {
			return err
		}
		for _, f := range all {
			if f.ID == id {
				folder = &f
				return nil
			}
		}
		return Refuse(NoFolder, "the Account has no Folder with this ID")
	})
	return folder, err
}
