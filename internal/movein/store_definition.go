package movein

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file stores Folders, and Lists with their Fields and preferences, that move in from another service.

// storeFolders stores the Folders of the other service by their types, and adds a Folder of each type that it has none
// of. A Folder without a type gets this type. It removes all others of these types: if a process ended before, the next one
// has added the Folders of a new Account when it started.
func (m *Mover) storeFolders(ctx context.Context, found map[string][]Record) error {
	return m.step(ctx, func(w *writing) error {
		stored, err := accounts.Folders(w.tx, w.caller.Account.ID)
		if err != nil {
			return err
		}
		for i := range stored {
			if len(found[stored[i].Type]) == 0 {
				continue
			}
			if err := accounts.DeleteFolder(w.tx, stored[i].ID); err != nil {
				return err
			}
		}
		for folderType, records := range found {
			for _, record := range records {
				if err := w.putFolder(folderType, record); err != nil {
					return err
				}
			}
		}
		return accounts.AddMissingFolders(w.tx, w.now)
	})
}

func (w *writing) putFolder(folderType string, record Record) error {
	r := w.reader("folder", record)
	f := accounts.Folder{ID: enlist.FolderID(record.ID()), AccountID: w.caller.Account.ID, Type: folderType,
		CreationTime: r.int("creation_time")}
	setEach(r, &f, accounts.FolderAttributes, record)
	if f.Name == "" {
		f.Name = fmt.Sprintf("Folder %d", f.ID)
	}
	return f.Restore(w.tx)
}

// storedFields returns the Fields of a List that the move has stored.
func (m *Mover) storedFields(ctx context.Context, id enlist.ListID) ([]enlist.Field, error) {
	if _, moved := m.move.Lists[id]; !moved {
		return nil, nil
	}
	return db.View(ctx, m.Service.DB, m.Caller, func(tx *db.Tx) ([]enlist.Field, error) {
		schema, err := lists.Load(tx, m.Caller, id)
		if err != nil {
			return nil, enlist.IgnoreKind(enlist.NoList, err)
		}
		return schema.Fields, nil
	})
}

// definition is a List as the other service sent it, with its Fields and preferences.
type definition struct {
	list                Record
	fields, preferences []Record
	segments            []Record
}

// storeList stores a List with its Fields and preferences. It removes no Field and no preference that the other service
// has deleted since an earlier call. Without an email Field the List is left out, and moved is false.
// Errors: InvalidParameters if the type of a stored Field has changed, or if the ID belonged to another List before.
func (m *Mover) storeList(ctx context.Context, d definition) (moved bool, err error) {
	err = m.step(ctx, func(w *writing) (err error) {
		l := listMove{writing: w, r: w.reader("list", d.list)}
		moved, err = l.store(d)
		return err
	})
	return moved, err
}

// listMove stores one List in a transaction.
type listMove struct {
	*writing
	r      *reader
	list   enlist.List
	stored *enlist.Schema // as an earlier call has stored it; nil for a new List
}

func (l *listMove) store(d definition) (moved bool, err error) {
	id := enlist.ListID(d.list.ID())
	if err := l.load(id); err != nil {
		return false, err
	}
	if err := l.read(id); err != nil {
		return false, err
	}
	fields, err := l.fields(d.fields)
	if err != nil {
		return false, err
	}
	if !slices.ContainsFunc(fields, func(f enlist.Field) bool { return f.AddressType == enlist.AddressEmail }) {
		l.r.refuse("", "the List has no Field of the address type email")
		return false, nil
	}
	if err := lists.Restore(l.tx, &l.list); err != nil {
		return false, err
	}
	for i := range fields {
		if err := lists.RestoreField(l.tx, &fields[i]); err != nil {
			return false, err
		}
	}
	if l.stored == nil {
		l.next.Lists[id] = movedState{}
	}
	if err := l.preferences(d.preferences); err != nil {
		return false, err
	}
	return true, l.segments(d.segments)
}

// load finds the List as an earlier call has stored it.
func (l *listMove) load(id enlist.ListID) (err error) {
	if _, known := l.next.Lists[id]; known {
		l.stored, err = lists.Schema(l.tx, id)
		return err
	}
	used, err := contacts.HasLedger(l.tx, id)
	if err == nil && used {
		err = notEmpty("the consent ledger has rows of an earlier List %d", id)
	}
	return err
}

// read reads the attributes of the List.
func (l *listMove) read(id enlist.ListID) error {
	l.list = enlist.List{ID: id, AccountID: l.caller.Account.ID,
		CreatorKeyID: enlist.KeyID(l.r.int("creator_user_id")), CreatorName: l.r.line("creator_name"),
		CreationTime: l.r.int("creation_time"), LastModifiedTime: l.r.int("last_modified_time"),
		CountryCode: enlist.DefaultCountryCode, SMSResponseAction: "do_nothing", AddressTypes: "email,mobile"}
	setEach(l.r, &l.list, lists.ListAttributes, l.r.record)
	if l.list.Name == "" {
		l.list.Name = fmt.Sprintf("List %d", id)
	}
	err := lists.PutInFolder(l.tx, l.caller, &l.list)
	if err == nil || l.r.refuseError("folder_id", err) != nil {
		return err
	}
	l.list.FolderID = 0
	return lists.PutInFolder(l.tx, l.caller, &l.list)
}

// fields returns the Fields to store, in the order sent. A Field that breaks a rule is left out.
func (l *listMove) fields(records []Record) (fields []enlist.Field, err error) {
	for _, record := range records {
		r := l.reader("field", record)
		r.about.List = l.list.ID
		f := enlist.Field{ID: enlist.FieldID(record.ID()), ListID: l.list.ID, Type: enlist.Text, AllowUpdate: true,
			ShowInForm: true}
		details := lists.Applicable(&f, record)
		setEach(r, &f, lists.FieldAttributes, details)
		err := l.define(r, &f, fields)
		if err != nil && enlist.KindOf(err) == enlist.Internal {
			return nil, err
		}
		if err != nil {
			continue
		}
		if old := l.storedField(f.ID); old != nil && old.Type != f.Type {
			return nil, enlist.Refuse(enlist.InvalidParameters,
				"List %d, Field %d: its type is now %s, and was %s when the move began; "+
					"begin again with a new database", l.list.ID, f.ID, f.Type, old.Type)
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// define checks a Field against the Fields before it. It removes a default or a Folder that is refused. The error is
// the refusal of the complete Field.
func (l *listMove) define(r *reader, f *enlist.Field, before []enlist.Field) error {
	schema := enlist.NewSchema(l.list, before, nil)
	for {
		err := lists.DefineField(f, l.tx, l.caller, schema, l.now)
		if err == nil || enlist.KindOf(err) == enlist.Internal {
			return err
		}
		refused, _ := errors.AsType[*enlist.Error](err)
		switch refused.Field {
		case "file_folder_id":
			f.FileFolderID = 0
		case "default_value":
			f.DefaultValue = ""
		case "defaults_array":
			f.Defaults = ""
		default:
			r.refuse("", err.Error())
			return err
		}
		r.refuse(refused.Field, err.Error())
	}
}

// storedField returns a Field as an earlier call has stored it, or nil.
func (l *listMove) storedField(id enlist.FieldID) *enlist.Field {
	if l.stored == nil {
		return nil
	}
	return l.stored.Field(id)
}

// preferences stores the preferences of the List.
func (l *listMove) preferences(records []Record) error {
	names := make(map[string]bool)
	for _, record := range records {
		r := l.reader("preference", record)
		r.about.List = l.list.ID
		name, err := enlist.ReadName(record.Text("name"))
		switch {
		case err != nil:
			r.refuse("name", err.Error())
		case names[name]:
			r.refuse("name", "the List has a preference of this name already")
		default:
			names[name] = true
			err = lists.RestorePreference(l.tx, &enlist.Preference{
				ID: enlist.PreferenceID(record.ID()), ListID: l.list.ID, Name: name})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
