package audience

import (
	"context"
	"slices"
)

// This file has the calls about autoresponders: add, edit, delete, get and search. A key may
// access an autoresponder if it may access the autoresponder's List.

// AutoresponderAttributes are the keys of an autoresponder record, in their order on the wire.
var AutoresponderAttributes = []Attribute[Autoresponder]{
	searchable(readOnlyInt("id", func(a *Autoresponder) AutoresponderID { return a.ID })),
	readOnlyInt("creator_user_id", func(a *Autoresponder) KeyID { return a.CreatorKeyID }),
	readOnlyText("creator_name", func(a *Autoresponder) string { return a.CreatorName }),
	readOnlyInt("creation_time", func(a *Autoresponder) int64 { return a.CreationTime }),
	readOnlyInt("last_modified_time", func(a *Autoresponder) int64 { return a.LastModifiedTime }),
	searchable(refKey("list_id", func(a *Autoresponder) *ListID { return &a.ListID })),
	searchable(refKey("message_id", func(a *Autoresponder) *MessageID { return &a.MessageID })),
	searchable(enumKey("event_type", func(a *Autoresponder) *Event { return &a.Event },
		string(EventSubscribe), string(EventUnsubscribe), string(EventUpdateProfile), string(EventConfirm),
		string(EventAPIUpload))),
	searchable(intKey("folder_id", func(a *Autoresponder) *FolderID { return &a.FolderID }, 0, maxID)),
	textKey("timezone", func(a *Autoresponder) *string { return &a.TimeZone }, readTimeZone),
	searchable(flagKey("is_active", func(a *Autoresponder) *bool { return &a.IsActive })),
	enumKey("time_criteria_type", func(a *Autoresponder) *string { return &a.CriteriaType },
		CriteriaImmediate, CriteriaDelay, CriteriaSpecific),
	intKey("time_criteria_timestamp", func(a *Autoresponder) *int64 { return &a.Timestamp }, 0, maxTimestamp),
	intKey("time_criteria_offset_value", func(a *Autoresponder) *int64 { return &a.OffsetValue },
		0, maxOffset(periodMinute)),
	enumKey("time_criteria_offset_period", func(a *Autoresponder) *string { return &a.OffsetPeriod },
		periodMinute, periodHour, periodDay, periodWeek),
	intKey("time_criteria_specific_hour", func(a *Autoresponder) *int64 { return &a.SpecificHour }, 0, 23),
	intKey("time_criteria_specific_minute", func(a *Autoresponder) *int64 { return &a.SpecificMinute }, 0, 59),
}

// Limits of autoresponders. decisions.md: 54
const (
	// maxAutoresponders is the largest number of autoresponders of a List. The transaction
	// of one event stores a job for each of them.
	maxAutoresponders = 100

	// maxTimestamp is the end of the year 9999.
	maxTimestamp = 253_402_300_799
)

// readTimeZone accepts an IANA name of a time zone. "" means the Account's time zone.
func readTimeZone(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if checkTimeZone(text) != nil {
		return "", expected("an IANA name such as Europe/Berlin, not " + quoted(text))
	}
	return text, nil
}

// AddAutoresponder stores an autoresponder of a List. Errors: InvalidParameters,
// NoList, Denied, NoMessage. decisions.md: 45, 54
func (s *Service) AddAutoresponder(ctx context.Context, c *Caller, details []Detail) (AutoresponderID, error) {
	return update(ctx, s, c, func(tx Tx, now int64) (AutoresponderID, error) {
		a := Autoresponder{AccountID: c.Account.ID, CreatorKeyID: c.Key.ID, CreatorName: c.Key.Name,
			CreationTime: now, LastModifiedTime: now, IsActive: true, CriteriaType: CriteriaImmediate}
		if err := a.set(tx, c, details); err != nil {
			return 0, err
		}
		if err := tx.AddAutoresponder(&a); err != nil {
			return 0, err
		}
		if _, err := a.addBatch(tx); err != nil {
			return 0, err
		}
		return a.ID, audit(tx, c, now, a.audited(), nil, settings(AutoresponderAttributes, &a))
	})
}

// EditAutoresponder changes the keys that details contain. Jobs that are already enqueued keep
// their due time. Errors: NoAutoresponder, Denied, InvalidParameters, NoList, NoMessage.
func (s *Service) EditAutoresponder(ctx context.Context, c *Caller, id AutoresponderID,
	details []Detail) (AutoresponderID, error) {
	return update(ctx, s, c, func(tx Tx, now int64) (AutoresponderID, error) {
		a, err := loadAutoresponder(tx, c, id)
		if err != nil {
			return 0, err
		}
		before := settings(AutoresponderAttributes, a)
		if err := a.set(tx, c, details); err != nil {
			return 0, err
		}
		if err := audit(tx, c, now, a.audited(), before, settings(AutoresponderAttributes, a)); err != nil {
			return 0, err
		}
		a.LastModifiedTime = now
		if err := tx.UpdateAutoresponder(a); err != nil {
			return 0, err
		}
		return id, a.editBatch(tx)
	})
}

// set changes the keys that details contain. It refuses an autoresponder that could not run.
func (a *Autoresponder) set(tx Tx, c *Caller, details []Detail) error {
	if err := assign(a, AutoresponderAttributes, details); err != nil {
		return err
	}
	schema, err := loadList(tx, c, a.ListID)
	if err != nil {
		return err
	}
	m, err := tx.Message(c.Account.ID, a.MessageID)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(schema.Autoresponders), func(o Autoresponder) bool { return o.ID == a.ID })
	switch {
	case m.Type != MessageEmail:
		return invalid("message_id", "expected a Message of type email: enlist cannot send SMS yet")
	case a.Event == "":
		return invalid("event_type", "expected one of subscribe, unsubscribe, update_profile, confirm, api_upload")
	case a.OffsetValue > 0 && a.OffsetPeriod == "":
		return invalid("time_criteria_offset_period", "expected one of minute, hour, day, week")
	case a.OffsetValue > 0 && a.OffsetValue > maxOffset(a.OffsetPeriod):
		return invalid("time_criteria_offset_value", "expected an offset of at most ten years")
	case len(others) >= maxAutoresponders:
		return invalid("list_id", "the List has 100 autoresponders already, which is the limit")
	}
	return checkMessageFolder(tx, c.Account.ID, a.FolderID)
}

// audited returns the autoresponder as the object of a row of the audit log.
func (a *Autoresponder) audited() auditObject {
	return auditObject{"Autoresponder", int64(a.ID), a.ListID}
}

// errNoAutoresponder is the same for an ID that does not exist and for another Account's ID, so
// that a caller cannot find out which IDs exist. decisions.md: 11
var errNoAutoresponder = Refuse(NoAutoresponder, "no autoresponder with this ID")

// loadAutoresponder returns a copy of an autoresponder, if the caller may access its List.
func loadAutoresponder(tx Tx, c *Caller, id AutoresponderID) (*Autoresponder, error) {
	all, err := tx.Autoresponders(c.Account.ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(a Autoresponder) bool { return a.ID == id })
	if i < 0 {
		return nil, errNoAutoresponder
	}
	if _, err := loadList(tx, c, all[i].ListID); err != nil {
		return nil, err
	}
	found := all[i]
	return &found, nil
}

// DeleteAutoresponder removes an autoresponder and its figures. Its jobs that are already enqueued will send
// nothing. Errors: NoAutoresponder, Denied, and InvalidParameters while a Batch must leave out who got its mails.
// decisions.md: 102
func (s *Service) DeleteAutoresponder(ctx context.Context, c *Caller, id AutoresponderID) error {
	_, err := update(ctx, s, c, func(tx Tx, now int64) (bool, error) {
		a, err := loadAutoresponder(tx, c, id)
		if err != nil {
			return false, err
		}
		if err := tx.DeleteAutoresponder(id); err != nil {
			return false, err
		}
		if err := audit(tx, c, now, a.audited(), settings(AutoresponderAttributes, a), nil); err != nil {
			return false, err
		}
		return true, a.deleteBatch(tx, now)
	})
	return err
}

// Autoresponder returns one autoresponder. Errors: NoAutoresponder, Denied.
func (s *Service) Autoresponder(ctx context.Context, c *Caller, id AutoresponderID) (*Autoresponder, error) {
	return view(ctx, s, c, func(tx Tx) (*Autoresponder, error) { return loadAutoresponder(tx, c, id) })
}

// SearchAutoresponders returns the matching autoresponders of the Lists that the key may access.
// Errors: InvalidSearch.
func (s *Service) SearchAutoresponders(ctx context.Context, c *Caller, q Query) ([]Autoresponder, error) {
	return view(ctx, s, c, func(tx Tx) ([]Autoresponder, error) {
		all, err := tx.Autoresponders(c.Account.ID)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(slices.Clone(all), func(a Autoresponder) bool { return !c.Key.Allows(a.ListID) })
		return searchRecords(AutoresponderAttributes, all, q)
	})
}

// AutoresponderTx reads and changes autoresponders, in a transaction. A Schema contains
// the autoresponders of its List.
type AutoresponderTx interface {
	// Autoresponders returns the autoresponders of an Account in order of ID. It leaves
	// out the autoresponders of deleted Lists.
	Autoresponders(account AccountID) ([]Autoresponder, error)
	// AddAutoresponder inserts an autoresponder and sets its ID.
	AddAutoresponder(a *Autoresponder) error
	// UpdateAutoresponder stores all values except the ID, the Account, the creator and
	// the time of creation.
	UpdateAutoresponder(a *Autoresponder) error
	// DeleteAutoresponder removes an autoresponder.
	DeleteAutoresponder(id AutoresponderID) error
}
