package sqlstore

import (
	"database/sql/driver"

	"enlist/internal/audience"
)

const fieldColumns = `id, list_id, name, type, mandatory, allow_update, show_in_form, length, size, row_size,
	default_value, value_list, default_list, dont_store_default, allowed_file_types, file_folder_id,
	address_type, time_format, date_validation, display_order`

const fieldColumnCount = 20

func decodeField(row []driver.Value) audience.Field {
	return audience.Field{
		ID: audience.FieldID(integer(row[0])), ListID: audience.ListID(integer(row[1])), Name: text(row[2]),
		Type: audience.FieldType(text(row[3])), Mandatory: flag(row[4]), AllowUpdate: flag(row[5]), ShowInForm: flag(row[6]),
		Length: integer(row[7]), Size: integer(row[8]), RowSize: text(row[9]), DefaultValue: text(row[10]),
		Values: text(row[11]), Defaults: text(row[12]), DontStoreDefault: flag(row[13]), AllowedFileTypes: text(row[14]),
		FileFolderID: audience.FolderID(integer(row[15])), AddressType: audience.AddressType(text(row[16])),
		TimeFormat: text(row[17]), DateValidation: text(row[18]), DisplayOrder: integer(row[19]),
	}
}

func fieldValues(f *audience.Field) []any {
	return []any{
		int64(f.ListID), f.Name, string(f.Type), bit(f.Mandatory), bit(f.AllowUpdate), bit(f.ShowInForm), f.Length, f.Size,
		f.RowSize, f.DefaultValue, f.Values, f.Defaults, bit(f.DontStoreDefault), f.AllowedFileTypes,
		int64(f.FileFolderID), string(f.AddressType), f.TimeFormat, f.DateValidation, f.DisplayOrder,
	}
}

func (t *Tx) fields(list audience.ListID) (fields []audience.Field, err error) {
	err = t.each(fieldColumnCount, func(row []driver.Value) error {
		fields = append(fields, decodeField(row))
		return nil
	}, "SELECT "+fieldColumns+" FROM field WHERE list_id = ? ORDER BY id", int64(list))
	return fields, err
}

// AddField stores a new Field.
func (t *Tx) AddField(f *audience.Field) error {
	if err := t.changed(); err != nil {
		return err
	}
	id, err := t.conn.Insert(`INSERT INTO field (list_id, name, type, mandatory, allow_update, show_in_form, length, size,
			row_size, default_value, value_list, default_list, dont_store_default, allowed_file_types,
			file_folder_id, address_type, time_format, date_validation, display_order)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, fieldValues(f)...)
	f.ID = audience.FieldID(id)
	return err
}

// UpdateField stores a changed Field.
func (t *Tx) UpdateField(f *audience.Field) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do(`UPDATE field SET list_id = ?, name = ?, type = ?, mandatory = ?, allow_update = ?, show_in_form = ?,
			length = ?, size = ?, row_size = ?, default_value = ?, value_list = ?, default_list = ?, dont_store_default = ?,
			allowed_file_types = ?, file_folder_id = ?, address_type = ?, time_format = ?, date_validation = ?, display_order = ?
		WHERE id = ?`, append(fieldValues(f), int64(f.ID))...)
}

// DeleteField removes a Field's definition; ForgetField removes its values.
func (t *Tx) DeleteField(list audience.ListID, id audience.FieldID) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do("DELETE FROM field WHERE list_id = ? AND id = ?", int64(list), int64(id))
}
