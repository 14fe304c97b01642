package lists

import (
	"context"
	"fmt"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file adds and changes Lists.

// AddList adds a List with its two address Fields. Errors: Denied,
// InvalidParameters. reference.md: addList.fields; decisions.md: 24
func (s *Service) AddList(ctx context.Context, c *enlist.Caller, details []enlist.Detail) (enlist.ListID, error) {
	return db.UpdateUnrestricted(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.ListID, error) {
		return AddList(tx, c, now, details)
	})
}

// ChooseCountry sets the telephone country code of the Account's Lists that still have the default and no Contact. Errors:
// Denied, InvalidParameters.
func (s *Service) ChooseCountry(ctx context.Context, c *enlist.Caller, code string) error {
	lists, err := s.SearchLists(ctx, c, enlist.Query{})
	for i := range lists {
		if err == nil && lists[i].ContactCount == 0 && lists[i].CountryCode == enlist.DefaultCountryCode {
			_, err = s.EditList(ctx, c, lists[i].ID, []enlist.Detail{{Key: "country_code", Value: enlist.TextInput(code)}})
		}
	}
	return err
}

// AddList adds a List with its address Fields, in the transaction tx.
func AddList(tx *db.Tx, c *enlist.Caller, now int64, details []enlist.Detail) (enlist.ListID, error) {
	list := enlist.List{
		AccountID: c.Account.ID, CreatorKeyID: c.Key.ID, CreatorName: c.Key.Name,
		CreationTime: now, LastModifiedTime: now,
		DisallowDuplicates: true, CountryCode: enlist.DefaultCountryCode, SMSResponseAction: "do_nothing", AddressTypes: "email,mobile",
	}
	if err := enlist.Assign(&list, ListAttributes, details); err != nil {
		return 0, err
	}
	if list.Name == "" {
		return 0, enlist.Invalid("name", "expected a name")
	}
	if err := accounts.CheckSender(tx, list.AccountID, sender(&list), accounts.NamedSender{}); err != nil {
		return 0, err
	}
	if err := PutInFolder(tx, c, &list); err != nil {
		return 0, err
	}
	if err := Insert(tx, &list); err != nil {
		return 0, err
	}
	for _, f := range AddressFields() {
		f.ListID = list.ID
		if err := AddField(tx, &f); err != nil {
			return 0, err
		}
	}
	schema, err := Schema(tx, list.ID)
	if err != nil {
		return 0, err
	}
	on := accounts.AuditObject{Kind: "List", ID: int64(list.ID), List: list.ID}
	if err := accounts.Audit(tx, c, now, on, nil, accounts.SettableValues(ListAttributes, &list)); err != nil {
		return 0, err
	}
	return list.ID, events.Publish(tx, schema, 0, now, enlist.WebhookCreated)
}

func sender(l *enlist.List) accounts.NamedSender {
	return accounts.NamedSender{Name: l.FromName, From: l.FromAddress}
}

// EditList changes the attributes that details contain. Errors: NoList, Denied, InvalidParameters.
func (s *Service) EditList(ctx context.Context, c *enlist.Caller, id enlist.ListID,
	details []enlist.Detail) (enlist.ListID, error) {
	return updateChecked(ctx, s.db, c, func(tx *db.Tx, now int64, checker *preconditionChecker) (enlist.ListID, error) {
		return id, edit(tx, c, now, checker, id, details)
	})
}

// RequireConfirmation makes a List ask its people to confirm, in the transaction tx. Errors: NoList, Denied.
func RequireConfirmation(tx *db.Tx, c *enlist.Caller, now int64, id enlist.ListID) error {
	on := enlist.Detail{Key: "double_opt_in_required", Value: enlist.Input{Kind: enlist.InputTrue}}
	return edit(tx, c, now, nil, id, []enlist.Detail{on}) // this attribute has no precondition
}

func edit(tx *db.Tx, c *enlist.Caller, now int64, checker *preconditionChecker, id enlist.ListID,
	details []enlist.Detail) error {
	schema, err := Load(tx, c, id)
	if err != nil {
		return err
	}
	list := schema.List
	if err := enlist.Assign(&list, ListAttributes, details); err != nil {
		return err
	}
	if err := accounts.CheckSender(tx, list.AccountID, sender(&list), sender(&schema.List)); err != nil {
		return err
	}
	if list.DisallowDuplicates && !schema.List.DisallowDuplicates {
		if err := checker.require(tx, now, noDuplicates(id)); err != nil {
			return err
		}
	}
	if list.CountryCode != schema.List.CountryCode {
		if err := checker.require(tx, now, sameNumbers(schema, list.CountryCode)); err != nil {
			return err
		}
	}
	if list.FolderID != schema.List.FolderID {
		if err := PutInFolder(tx, c, &list); err != nil {
			return err
		}
	}
	changed := list != schema.List
	list.LastModifiedTime = now
	on, before := accounts.AuditObject{Kind: "List", ID: int64(id), List: id},
		accounts.SettableValues(ListAttributes, &schema.List)
	if err := accounts.Audit(tx, c, now, on, before, accounts.SettableValues(ListAttributes, &list)); err != nil {
		return err
	}
	if err := Update(tx, &list); err != nil || !changed {
		return err
	}
	return events.Publish(tx, schema, 0, now, enlist.WebhookUpdated)
}

// noDuplicates returns the precondition for disallowing duplicates: the List has no duplicates.
// The check is fast, because a partial index contains only duplicates. So the check ignores
// since, and always reads all duplicates. decisions.md: 24
func noDuplicates(id enlist.ListID) *precondition {
	type check struct{ list enlist.ListID }
	return &precondition{check{id}, func(tx *db.Tx, _ int64) error {
		n, err := Duplicates(tx, id)
		if err == nil && n > 0 {
			return enlist.Invalid("disallow_duplicate_contacts",
				fmt.Sprintf("addresses that more than one Contact has: %d; remove the duplicates first", n))
		}
		return err
	}}
}

// sameNumbers returns the precondition for a new country code: the normalised mobile number
// of every Contact stays the same. Otherwise two Contacts could get the same number.
// decisions.md: 24
func sameNumbers(schema *enlist.Schema, countryCode int64) *precondition {
	mobile := schema.Mobile()
	if mobile == nil {
		return nil
	}
	type check struct {
		mobile   enlist.FieldID
		from, to int64
	}
	others := holders{schema, HoldersOf(mobile), []enlist.FieldID{mobile.ID}, func(c *enlist.Contact) bool {
		number := c.Values.Get(mobile.ID)
		return address.NormaliseMobile(number, schema.List.CountryCode) != address.NormaliseMobile(number, countryCode)
	}}
	id := check{mobile.ID, schema.List.CountryCode, countryCode}
	return others.mustBeNone(id, "country_code", "have a national number, which would become another number")
}

// PutInFolder checks the List's Folder. It puts a List without a Folder into the Account's
// first Folder for Lists.
func PutInFolder(tx *db.Tx, c *enlist.Caller, l *enlist.List) error {
	folders, err := accounts.Folders(tx, c.Account.ID)
	if err != nil {
		return err
	}
	for i := range folders {
		if folders[i].Type == accounts.FolderOfLists && (l.FolderID == 0 || l.FolderID == folders[i].ID) {
			l.FolderID = folders[i].ID
			return nil
		}
	}
	if l.FolderID == 0 {
		return nil // the Account has no Folder for Lists
	}
	return enlist.Invalid("folder_id", "expected a Folder for Lists")
}
