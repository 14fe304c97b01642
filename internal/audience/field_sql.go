package audience

import "enlist/internal/enlist"

// This file stores the definitions of Fields. The code in contact.go stores the values of Fields.

func mapField(m *mapper, f *enlist.Field) {
	m.id("id", (*int64)(&f.ID))
	m.fixed("list_id", (*int64)(&f.ListID))
	m.value("name", &f.Name)
	m.value("type", (*string)(&f.Type))
	m.value("mandatory", &f.Mandatory)
	m.value("allow_update", &f.AllowUpdate)
	m.value("show_in_form", &f.ShowInForm)
	m.value("length", &f.Length)
	m.value("size", &f.Size)
	m.value("row_size", &f.RowSize)
	m.value("default_value", &f.DefaultValue)
	m.value("value_list", &f.Values)
	m.value("default_list", &f.Defaults)
	m.value("dont_store_default", &f.DontStoreDefault)
	m.value("allowed_file_types", &f.AllowedFileTypes)
	m.value("file_folder_id", (*int64)(&f.FileFolderID))
	m.value("address_type", (*string)(&f.AddressType))
	m.value("time_format", &f.TimeFormat)
	m.value("date_validation", &f.DateValidation)
	m.value("display_order", &f.DisplayOrder)
}

var fieldTable = newMapping("field", mapField)

func (t *Tx) fields(list enlist.ListID) ([]enlist.Field, error) {
	return fieldTable.all(t, "WHERE list_id = ? ORDER BY id", int64(list))
}

// AddField stores a new Field.
func (t *Tx) AddField(f *enlist.Field) error { return fieldTable.addDefinition(t, f) }

// UpdateField stores the columns of a Field that an edit can change.
func (t *Tx) UpdateField(f *enlist.Field) error { return fieldTable.saveDefinition(t, f) }

// FieldOfFolder returns the oldest Field that stores its files in a Folder. The partial index
// field_folder finds it, and the list's row says whether the List is deleted.
func (t *Tx) FieldOfFolder(folder enlist.FolderID) (list enlist.ListID, name string, err error) {
	err = t.each(func(row *Cursor) error {
		list, name = enlist.ListID(row.Int()), row.Text()
		return nil
	}, `SELECT list_id, field.name FROM field JOIN list ON list.id = list_id
		WHERE file_folder_id = ? AND file_folder_id <> 0 AND hidden = 0 ORDER BY field.id LIMIT 1`, int64(folder))
	return list, name, err
}

// DeleteField removes a Field's definition. It does not remove the values of the Field;
// DeleteFieldValues removes them.
func (t *Tx) DeleteField(list enlist.ListID, id enlist.FieldID) error {
	return t.define("DELETE FROM field WHERE list_id = ? AND id = ?", int64(list), int64(id))
}
