package lists

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// This file defines, changes, deletes and shows Fields.

// maxEmailLength is the Length of the email Field of a new List. reference.md: addList.fields
const maxEmailLength = address.MaxEmail

// maxFields is the largest number of Fields of a List. The transaction of a new Contact stores the
// default of each Field. reference.md: addList.fields
const maxFields = 1000

// AddressFields are the Fields of a new List. reference.md: addList.fields
func AddressFields() []enlist.Field {
	return []enlist.Field{
		{Name: "Email", Type: enlist.Text, AddressType: enlist.AddressEmail, Length: maxEmailLength, Mandatory: true,
			AllowUpdate: true, ShowInForm: true, DisplayOrder: 1},
		{Name: "Mobile Phone", Type: enlist.Text, AddressType: enlist.AddressMobile,
			AllowUpdate: true, ShowInForm: true, DisplayOrder: 2},
	}
}

// AddField defines a Field on a List. Errors: NoList, Denied,
// InvalidParameters, ReservedField, DuplicateField. reference.md: addList.fields, field.record, name.rule
func (s *Service) AddField(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	details []enlist.Detail) (enlist.FieldID, error) {
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.FieldID, error) {
		schema, err := Load(tx, c, list)
		if err != nil {
			return 0, err
		}
		f := enlist.Field{ListID: list, AllowUpdate: true, ShowInForm: true, DisplayOrder: 1}
		for i := range schema.Fields {
			f.DisplayOrder = max(f.DisplayOrder, schema.Fields[i].DisplayOrder+1)
		}
		if err := enlist.Assign(&f, FieldAttributes, Applicable(&f, details)); err != nil {
			return 0, err
		}
		if f.Type == "" {
			return 0, enlist.Invalid("type", "expected a type")
		}
		if err := DefineField(&f, tx, c, schema, now); err != nil {
			return 0, err
		}
		if len(schema.Fields) >= maxFields {
			return 0, enlist.Invalid("list_id", "the List has 1000 Fields already, which is the limit")
		}
		if err := AddField(tx, &f); err != nil {
			return 0, err
		}
		return f.ID, accounts.Audit(tx, c, now, auditedField(&f), nil, accounts.SettableValues(FieldAttributes, &f))
	})
}

// EditField changes the attributes that details contain. The type cannot change while
// Contacts have values that the new type refuses. Errors: NoList, Denied, NoField,
// InvalidParameters, EmailFieldFixed, ReservedField, DuplicateField.
func (s *Service) EditField(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.FieldID,
	details []enlist.Detail) (enlist.FieldID, error) {
	var convert bool
	result, err := updateChecked(ctx, s.db, c, func(tx *db.Tx, now int64,
		checker *preconditionChecker) (enlist.FieldID, error) {
		schema, old, err := loadField(tx, c, list, id)
		if err != nil {
			return 0, err
		}
		f := *old
		if err := enlist.Assign(&f, FieldAttributes, Applicable(&f, details)); err != nil {
			return 0, err
		}
		if old.AddressType == enlist.AddressEmail && (f.Type != enlist.Text || f.AddressType != enlist.AddressEmail) {
			return 0, &enlist.Error{Kind: enlist.EmailFieldFixed, Field: old.Name, Detail: "it keeps its type"}
		}
		if err := DefineField(&f, tx, c, schema, now); err != nil {
			return 0, err
		}
		today := enlist.Today(time.Unix(now, 0), c.Account.TimeZone)
		if err := checker.require(tx, now, valuesFit(&f, schema, old, today)); err != nil {
			return 0, err
		}
		if err := UpdateField(tx, &f); err != nil {
			return 0, err
		}
		before, after := accounts.SettableValues(FieldAttributes, old), accounts.SettableValues(FieldAttributes, &f)
		if err := accounts.Audit(tx, c, now, auditedField(&f), before, after); err != nil {
			return 0, err
		}
		if err := search.RetypeIndexes(tx, old, &f, now); err != nil {
			return 0, err
		}
		convert = f.NeedsConversion(old)
		if convert {
			return id, tx.Enqueue(ConvertField{List: list, Field: id})
		}
		return id, nil
	})
	for e := (ConvertField{List: list, Field: id}); err == nil && convert; {
		var done bool
		e, done, err = s.convertStep(ctx, e)
		convert = !done
	}
	return result, err
}

// SetFieldFolder sets the Folder that a file Field uploads into. Errors: NoList, Denied, NoField,
// InvalidParameters for a Field of another type, and NoFolder if the Account has no Folder for
// files with the ID.
func (s *Service) SetFieldFolder(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.FieldID,
	folder enlist.FolderID) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		_, old, err := loadField(tx, c, list, id)
		if err != nil {
			return err
		}
		if old.Type != enlist.File {
			return enlist.Invalid("field_id", "expected a Field of type file")
		}
		f := *old
		f.FileFolderID = folder
		folders, err := accounts.Folders(tx, c.Account.ID)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(folders, func(o accounts.Folder) bool {
			return o.ID == folder && o.Type == accounts.FolderOfFiles
		}) {
			return enlist.Refuse(enlist.NoFolder, "the Account has no Folder for files with this ID")
		}
		if err := UpdateField(tx, &f); err != nil {
			return err
		}
		return accounts.Audit(tx, c, now, auditedField(&f), accounts.SettableValues(FieldAttributes, old),
			accounts.SettableValues(FieldAttributes, &f))
	})
}

// DeleteField removes a Field. A job then removes the values of this Field from the Contacts.
// Errors: NoList, Denied, FieldNotFound, EmailFieldFixed, and InvalidParameters for the mobile
// Field while a Contact has a mobile number but no email address.
func (s *Service) DeleteField(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.FieldID) error {
	_, err := updateChecked(ctx, s.db, c, func(tx *db.Tx, now int64, checker *preconditionChecker) (bool, error) {
		schema, f, err := loadField(tx, c, list, id)
		if enlist.KindOf(err) == enlist.NoField {
			return false, enlist.Refuse(enlist.FieldNotFound, "the List has no Field with this ID")
		}
		if err != nil {
			return false, err
		}
		switch f.AddressType {
		case enlist.AddressEmail:
			return false, &enlist.Error{Kind: enlist.EmailFieldFixed, Field: f.Name,
				Detail: "a List keeps its email Field"}
		case enlist.AddressMobile:
			if err := checker.require(tx, now, onlyAddress(f, schema)); err != nil {
				return false, err
			}
		}
		if err := DeleteField(tx, list, id); err != nil {
			return false, err
		}
		if err := accounts.Audit(tx, c, now, auditedField(f), accounts.SettableValues(FieldAttributes, f),
			nil); err != nil {
			return false, err
		}
		return true, tx.Enqueue(DeleteFieldValues{List: list, Field: id, Mobile: f.AddressType == enlist.AddressMobile})
	})
	return err
}

// Field returns one Field. Do not change the returned Field, because other calls share it. Errors:
// NoList, Denied, NoField.
func (s *Service) Field(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	id enlist.FieldID) (*enlist.Field, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*enlist.Field, error) {
		_, f, err := loadField(tx, c, list, id)
		return f, err
	})
}

// SearchFields returns the List's Fields that match. Errors: NoList, Denied,
// InvalidSearch. reference.md: searchFields
func (s *Service) SearchFields(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	q enlist.Query) ([]enlist.Field, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]enlist.Field, error) {
		schema, err := Load(tx, c, list)
		if err != nil {
			return nil, err
		}
		byID := slices.SortedFunc(slices.Values(schema.Fields),
			func(a, b enlist.Field) int { return cmp.Compare(a.ID, b.ID) })
		return enlist.SearchRecords(FieldAttributes, byID, q)
	})
}

// FieldNames returns the names of Fields of all Lists that the caller may access, if the name contains a part without
// regard to case. The part has only letters. The names are in their order, each once.
func (s *Service) FieldNames(ctx context.Context, c *enlist.Caller, part string) ([]string, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (names []string, err error) {
		err = tx.Each(func(row *db.Cursor) error {
			if list, name := enlist.ListID(row.Int()), row.Text(); c.Key.Allows(list) {
				names = append(names, name)
			}
			return nil
		}, `SELECT list_id, name FROM field WHERE lower(name) LIKE '%' || ? || '%'
			AND list_id IN (SELECT id FROM list WHERE account_id = ? AND hidden = 0)`, strings.ToLower(part),
			int64(c.Account.ID))
		slices.Sort(names)
		return slices.Compact(names), err
	})
}

// loadField returns a Field and its List, if the caller may access the List.
func loadField(tx *db.Tx, c *enlist.Caller, list enlist.ListID,
	id enlist.FieldID) (*enlist.Schema, *enlist.Field, error) {
	schema, err := Load(tx, c, list)
	if err != nil {
		return nil, nil, err
	}
	f := schema.Field(id)
	if f == nil {
		return nil, nil, enlist.Refuse(enlist.NoField, "the List has no Field with this ID")
	}
	return schema, f, nil
}

func auditedField(f *enlist.Field) accounts.AuditObject {
	return accounts.AuditObject{Kind: "Field", ID: int64(f.ID), List: f.ListID}
}

// DefineField checks that the attributes of a Field fit together and fit the List. It empties the
// attributes that the type does not use.
func DefineField(f *enlist.Field, tx *db.Tx, c *enlist.Caller, schema *enlist.Schema, now int64) error {
	if f.Name == "" {
		return enlist.Invalid("name", "expected a name")
	}
	if Reserved(f.Name) {
		return &enlist.Error{Kind: enlist.ReservedField, Detail: enlist.Quoted(f.Name) + " is a reserved name"}
	}
	if other := schema.FieldNamed(f.Name); other != nil && other.ID != f.ID {
		return &enlist.Error{Kind: enlist.DuplicateField,
			Detail: "the List has a Field " + enlist.Quoted(f.Name) + " already"}
	}
	clearUnused(f)
	for i := range schema.Fields {
		other := &schema.Fields[i]
		if f.AddressType != enlist.AddressNone && other.AddressType == f.AddressType && other.ID != f.ID {
			return enlist.Invalid("address_type", "the List has its "+string(f.AddressType)+" Field already")
		}
	}
	folder := accounts.Folder{ID: f.FileFolderID, AccountID: c.Account.ID, Type: accounts.FolderOfFiles}
	if err := folder.MustExist(tx, "file_folder_id", "expected a Folder for files"); err != nil {
		return err
	}
	return checkDefaults(f, enlist.Today(time.Unix(now, 0), c.Account.TimeZone))
}

// Reserved reports whether a name is a system key, "all", or of the form field_<id>. If a
// Field had such a name, clients could not use that key any more. reference.md: name.rule
func Reserved(name string) bool {
	if digits, ok := strings.CutPrefix(name, "field_"); ok && digits != "" && enlist.AllDigits(digits) {
		return true
	}
	isName := func(a enlist.Attribute[enlist.Contact]) bool { return a.Name == name }
	return name == "all" || slices.ContainsFunc(enlist.ContactAttributes, isName)
}

// checkDefaults refuses defaults that the Field would refuse as values, and converts them to
// their stored form. The error names the attribute that is refused.
func checkDefaults(f *enlist.Field, today string) error {
	name, at := "default_value", &f.DefaultValue
	if f.Defaults != "" { // then clearUnused has emptied DefaultValue: no type has both
		name, at = "defaults_array", &f.Defaults
	}
	if *at == "" || f.Type == enlist.Date && *at == enlist.CurrentDate {
		return nil
	}
	value := *at
	if f.Type != enlist.Text && f.Type != enlist.Comment {
		value = strings.TrimSpace(value)
	}
	stored, err := f.ReadStrictly(enlist.TextInput(value), today)
	if err != nil {
		return enlist.Invalid(name, "the Field would refuse it: "+err.Error())
	}
	*at = stored
	return nil
}
