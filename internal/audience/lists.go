package audience

import (
	"context"
	"slices"
	"strings"
)

// ListAttributes are the keys of a List record, in their order.
var ListAttributes = []Attribute[List]{
	searchable(shownInt("id", func(l *List) ListID { return l.ID })),
	searchable(shownInt("creator_user_id", func(l *List) KeyID { return l.CreatorKeyID })),
	shownText("creator_name", func(l *List) string { return l.CreatorName }),
	searchable(textKey("name", func(l *List) *string { return &l.Name }, readName)),
	searchable(shownInt("creation_time", func(l *List) int64 { return l.CreationTime })),
	searchable(shownInt("last_modified_time", func(l *List) int64 { return l.LastModifiedTime })),
	textKey("on_register_address", func(l *List) *string { return &l.OnRegister }, readAddresses),
	textKey("on_update_address", func(l *List) *string { return &l.OnUpdate }, readAddresses),
	textKey("on_unsubscribe_address", func(l *List) *string { return &l.OnUnsubscribe }, readAddresses),
	flagKey("disallow_duplicate_contacts", func(l *List) *bool { return &l.DisallowDuplicates }),
	flagKey("allow_send_to_duplicates", func(l *List) *bool { return &l.SendToDuplicates }),
	searchable(intKey("folder_id", func(l *List) *FolderID { return &l.FolderID }, 0, maxID)),
	searchable(shownText("folder_name", func(l *List) string { return l.FolderName })),
	searchable(shownInt("contact_count", func(l *List) int64 { return l.ContactCount })),
	countryCode(intKey("country_code", func(l *List) *int64 { return &l.CountryCode }, 1, 999)),
	textKey("virtual_number", func(l *List) *string { return &l.VirtualNumber }, readLine),
	textKey("sms_stop_words", func(l *List) *string { return &l.SMSStopWords }, readLine),
	textKey("sms_response_action", func(l *List) *string { return &l.SMSResponseAction }, readLine),
	textKey("sms_response_field_ids", func(l *List) *string { return &l.SMSResponseFields }, readLine),
	textKey("address_types", func(l *List) *string { return &l.AddressTypes }, readAddressTypes),
	searchable(flagKey("is_gdpr_compliant", func(l *List) *bool { return &l.GDPR })),
	flagKey("double_opt_in_required", func(l *List) *bool { return &l.DoubleOptIn }),
	flagKey("track_opens", func(l *List) *bool { return &l.TrackOpens }),
	flagKey("track_clicks", func(l *List) *bool { return &l.TrackClicks }),
	textKey("from_name", func(l *List) *string { return &l.FromName }, readLine),
	textKey("from_address", func(l *List) *string { return &l.FromAddress }, readAddress),
}

// maxAddresses bounds how many addresses hear of one event: each is a job of
// its own, stored together with what it is about.
const maxAddresses = 100

// maxID bounds IDs that are sent as attributes.
const maxID = 1<<63 - 1

// removeStep is how many Contacts one Update removes or changes: 1 to 6 ms with
// 10 Fields, during which nobody else writes.
const removeStep = 500

// AddList makes a List with its two address Fields. Errors: Denied,
// InvalidParameters. decisions.md: 14, 24
func (s *Service) AddList(ctx context.Context, c *Caller, details []Detail) (ListID, error) {
	if err := wholeAccount(c); err != nil {
		return 0, err
	}
	return change(ctx, s, c, func(tx Tx, now int64) (ListID, error) { return addList(tx, c, now, details) })
}

func addList(tx Tx, c *Caller, now int64, details []Detail) (ListID, error) {
	list := List{
		AccountID: c.Account.ID, CreatorKeyID: c.Key.ID, CreatorName: c.Key.Name, CreationTime: now, LastModifiedTime: now,
		DisallowDuplicates: true, CountryCode: 61, SMSResponseAction: "do_nothing", AddressTypes: "email,mobile",
	}
	if err := assign(&list, ListAttributes, details); err != nil {
		return 0, err
	}
	if list.Name == "" {
		return 0, &Error{Kind: InvalidParameters, Field: "name", Detail: "a name was expected"}
	}
	if err := putInFolder(tx, c, &list); err != nil {
		return 0, err
	}
	if err := tx.AddList(&list); err != nil {
		return 0, err
	}
	for _, f := range addressFields() {
		f.ListID = list.ID
		if err := tx.AddField(&f); err != nil {
			return 0, err
		}
	}
	return list.ID, tellOfList(tx, list.ID, now, WebhookCreated)
}

// tellOfList tells the webhooks that listen to a List as it is now.
func tellOfList(tx Tx, id ListID, now int64, event WebhookEventType) error {
	schema, err := tx.Schema(id)
	if err != nil {
		return err
	}
	return publishWebhook(tx, schema, 0, now, event)
}

// EditList changes what details name. Errors: NoList, Denied, InvalidParameters.
func (s *Service) EditList(ctx context.Context, c *Caller, id ListID, details []Detail) (ListID, error) {
	return changeUnhindered(ctx, s, c, func(tx Tx, now int64, l *lookout) (ListID, error) {
		schema, err := loadList(tx, c, id)
		if err != nil {
			return 0, err
		}
		list := schema.List
		if err := assign(&list, ListAttributes, details); err != nil {
			return 0, err
		}
		if list.DisallowDuplicates && !schema.List.DisallowDuplicates {
			if err := l.clear(tx, now, noDuplicates(id)); err != nil {
				return 0, err
			}
		}
		if list.CountryCode != schema.List.CountryCode {
			if err := l.clear(tx, now, keepsNumbers(schema, list.CountryCode)); err != nil {
				return 0, err
			}
		}
		if list.FolderID != schema.List.FolderID {
			if err := putInFolder(tx, c, &list); err != nil {
				return 0, err
			}
		}
		changed := list != schema.List
		list.LastModifiedTime = now
		if err := tx.UpdateList(&list); err != nil || !changed {
			return id, err
		}
		return id, publishWebhook(tx, schema, 0, now, WebhookUpdated)
	})
}

// noDuplicates hinders disallowing what is there already. Its index holds
// nothing but duplicates, so it looks at all of them each time. decisions.md: 24
func noDuplicates(id ListID) *hindrance {
	type question struct{ list ListID }
	return &hindrance{question{id}, func(tx Tx, _ int64) error {
		n, err := tx.Duplicates(id)
		if err == nil && n > 0 {
			e := Refuse(InvalidParameters, "addresses that more than one Contact has: %d; remove the duplicates first", n)
			e.Field = "disallow_duplicate_contacts"
			return e
		}
		return err
	}}
}

// keepsNumbers hinders a country code under which national numbers that
// Contacts hold would mean others: two people could become one. decisions.md: 24
func keepsNumbers(schema *Schema, countryCode int64) *hindrance {
	mobile := schema.Mobile()
	if mobile == nil {
		return nil
	}
	type question struct {
		mobile   FieldID
		from, to int64
	}
	others := holders{schema, mobile.holders(), []FieldID{mobile.ID}, func(c *Contact) bool {
		number := c.Values.Get(mobile.ID)
		return MobileKey(number, schema.List.CountryCode) != MobileKey(number, countryCode)
	}}
	return others.unless(question{mobile.ID, schema.List.CountryCode, countryCode}, "country_code", "hold a national number that would mean another")
}

// putInFolder looks for the List's Folder; without one it is the Account's first for Lists.
func putInFolder(tx Tx, c *Caller, l *List) error {
	folders, err := tx.Folders(c.Account.ID)
	if err != nil {
		return err
	}
	for i := range folders {
		if folders[i].Type == FolderOfLists && (l.FolderID == 0 || l.FolderID == folders[i].ID) {
			l.FolderID = folders[i].ID
			return nil
		}
	}
	if l.FolderID == 0 {
		return nil // an Account without one
	}
	return &Error{Kind: InvalidParameters, Field: "folder_id", Detail: "a Folder for Lists was expected"}
}

// DeleteList hides a List at once and has its Contacts removed. Errors: NoList, Denied.
func (s *Service) DeleteList(ctx context.Context, c *Caller, id ListID) error {
	_, err := change(ctx, s, c, func(tx Tx, now int64) (RemoveContacts, error) {
		e, err := startRemoval(tx, c, now, RemoveContacts{List: id, Delete: true})
		if err != nil {
			return e, err
		}
		if err := dropIndexes(tx, now, id, "", false); err != nil {
			return e, err
		}
		return e, tx.MarkListDeleted(id)
	})
	return err
}

// ClearList removes the Contacts that a List has now. When it returns they are
// gone; after a crash in the middle of it a job goes on. Errors: NoList, Denied.
func (s *Service) ClearList(ctx context.Context, c *Caller, id ListID) error {
	e, err := change(ctx, s, c, func(tx Tx, now int64) (RemoveContacts, error) {
		return startRemoval(tx, c, now, RemoveContacts{List: id})
	})
	for done := false; err == nil && !done; {
		done, err = s.RemoveContacts(ctx, e)
	}
	return err
}

// startRemoval notes how far a removal goes: Contacts that come later stay.
func startRemoval(tx Tx, c *Caller, now int64, e RemoveContacts) (RemoveContacts, error) {
	schema, err := loadList(tx, c, e.List)
	if err != nil {
		return e, err
	}
	if e.Upto, err = tx.LastContactID(e.List); err != nil {
		return e, err
	}
	event := WebhookBulkUpdated
	if e.Delete {
		event = WebhookRemoved
	}
	if err := publishWebhook(tx, schema, 0, now, event); err != nil {
		return e, err
	}
	return e, tx.Enqueue(e)
}

// RemoveContacts makes one step of a removal. Doing it again does no harm.
func (s *Service) RemoveContacts(ctx context.Context, e RemoveContacts) (done bool, err error) {
	err = s.store.Update(ctx, func(tx Tx) error {
		if err := tx.LockListForBulk(e.List); err != nil {
			return err
		}
		removed, err := tx.RemoveContactsUpTo(e.List, e.Upto, removeStep)
		if done = removed < removeStep; err != nil || !done || !e.Delete {
			return err
		}
		if err := tx.DropList(e.List); err != nil {
			return err
		}
		return dropOrphans(tx)
	})
	return done && err == nil, err
}

// List returns one List. Errors: NoList, Denied.
func (s *Service) List(ctx context.Context, c *Caller, id ListID) (*List, error) {
	var list List
	err := s.view(ctx, c, func(tx Tx) error {
		schema, err := loadList(tx, c, id)
		if err != nil {
			return err
		}
		list = schema.List
		list.ContactCount, err = tx.ContactCount(id)
		return err
	})
	return &list, err
}

// SearchLists returns the Account's Lists that match, of those that the key
// may see. Errors: InvalidSearch.
func (s *Service) SearchLists(ctx context.Context, c *Caller, q Query) (found []List, err error) {
	err = s.view(ctx, c, func(tx Tx) error {
		lists, err := tx.Lists(c.Account.ID)
		if err != nil {
			return err
		}
		if c.Key.Lists != nil {
			lists = slices.DeleteFunc(slices.Clone(lists), func(l List) bool { return !c.Key.Allows(l.ID) })
		}
		found, err = searchRecords(ListAttributes, lists, q)
		return err
	})
	return found, err
}

// readAddresses takes email addresses separated by commas, each once. decisions.md: 17
func readAddresses(text string) (string, error) {
	var spellings, keys []string
	for _, item := range splitTrimmed(text) {
		spelling, key, ok := ParseEmail(item)
		if !ok {
			return "", expected(quoted(item) + " is no email address; a list of them separated by commas")
		}
		if len(keys) == maxAddresses {
			return "", expected("at most 100 addresses")
		}
		if !slices.Contains(keys, key) {
			spellings, keys = append(spellings, spelling), append(keys, key)
		}
	}
	return strings.Join(spellings, ","), nil
}

func readAddress(text string) (string, error) {
	if text = strings.TrimSpace(text); text == "" {
		return "", nil
	}
	spelling, _, ok := ParseEmail(text)
	if !ok {
		return "", expected(quoted(text) + " is no email address; one")
	}
	return spelling, nil
}

// readAddressTypes takes email, mobile or both.
func readAddressTypes(text string) (string, error) {
	types := splitTrimmed(text)
	slices.Sort(types)
	return oneOf("email", "mobile", "email,mobile")(strings.Join(slices.Compact(types), ","))
}

// countryCode refuses numbers that are no country's.
func countryCode(a Attribute[List]) Attribute[List] {
	set := a.Set
	a.Set = func(l *List, in Input) error {
		changed := *l
		if err := set(&changed, in); err != nil {
			return err
		}
		if !knownCountryCode(changed.CountryCode) {
			return expected("a telephone country code, like 61,")
		}
		*l = changed
		return nil
	}
	return a
}
