package lists

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the definitions of Fields. contacts/contact_sql.go stores the values of Fields.

func mapField(m *db.Mapper, f *enlist.Field) {
	m.ID("id", (*int64)(&f.ID))
	m.Fixed("list_id", (*int64)(&f.ListID))
	m.Value("name", &f.Name)
	m.Value("type", (*string)(&f.Type))
	m.Value("mandatory", &f.Mandatory)
	m.Value("allow_update", &f.AllowUpdate)
	m.Value("show_in_form", &f.ShowInForm)
	m.Value("length", &f.Length)
	m.Value("size", &f.Size)
	m.Value("row_size", &f.RowSize)
	m.Value("default_value", &f.DefaultValue)
	m.Value("value_list", &f.Values)
	m.Value("default_list", &f.Defaults)
	m.Value("dont_store_default", &f.DontStoreDefault)
	m.Value("allowed_file_types", &f.AllowedFileTypes)
	m.Value("file_folder_id", (*int64)(&f.FileFolderID))
	m.Value("address_type", (*string)(&f.AddressType))
	m.Value("time_format", &f.TimeFormat)
	m.Value("date_validation", &f.DateValidation)
	m.Value("display_order", &f.DisplayOrder)
}

var fieldTable = db.NewMapping("field", mapField)

// AddField stores a new Field.
func AddField(tx *db.Tx, f *enlist.Field) error { return fieldTable.AddDefinition(tx, f) }

// RestoreField stores a Field under its ID.
func RestoreField(tx *db.Tx, f *enlist.Field) error {
	return fieldTable.RestoreDefinition(tx, "field", f)
}

// UpdateField stores the columns of a Field that an edit can change.
func UpdateField(tx *db.Tx, f *enlist.Field) error { return fieldTable.SaveDefinition(tx, f) }

// DeleteField removes a Field's definition. It does not remove the values of the Field;
// DeleteFieldValues removes them.
func DeleteField(tx *db.Tx, list enlist.ListID, id enlist.FieldID) error {
	return tx.Define("DELETE FROM field WHERE list_id = ? AND id = ?", int64(list), int64(id))
}

// CheckFolderUnused refuses to delete a Folder in which a Field stores its files. The partial index field_folder finds
// the Field, and the row of its List says whether the List is deleted.
func CheckFolderUnused(tx *db.Tx, folder enlist.FolderID) error {
	return tx.Each(func(row *db.Cursor) error {
		list, name := row.Int(), row.Text()
		return enlist.Refuse(enlist.FolderNeeded, "the Field %s of the List %d stores its files there",
			enlist.Quoted(name), list)
	}, `SELECT list_id, field.name FROM field JOIN list ON list.id = list_id
		WHERE file_folder_id = ? AND file_folder_id <> 0 AND hidden = 0 ORDER BY field.id LIMIT 1`, int64(folder))
}
