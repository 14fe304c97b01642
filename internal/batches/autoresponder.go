package batches

import (
	"context"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file has the calls about autoresponders: add, edit, delete, get and search. A key may
// access an autoresponder if it may access the autoresponder's List.

// AutoresponderAttributes are the keys of an autoresponder record, in their order on the wire.
var AutoresponderAttributes = enlist.WithVersion([]enlist.Attribute[enlist.Autoresponder]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(a *enlist.Autoresponder) enlist.AutoresponderID { return a.ID })),
	enlist.Searchable(enlist.FlagKey("is_active", func(a *enlist.Autoresponder) *bool { return &a.IsActive })),
	enlist.Searchable(enlist.EnumKey("event_type", func(a *enlist.Autoresponder) *enlist.Event { return &a.Event },
		string(enlist.EventSubscribe), string(enlist.EventUnsubscribe), string(enlist.EventUpdateProfile),
		string(enlist.EventConfirm),
		string(enlist.EventAPIUpload))),
	enlist.ReadOnlyInt("creator_user_id", func(a *enlist.Autoresponder) enlist.KeyID { return a.CreatorKeyID }),
	enlist.ReadOnlyInt("creation_time", func(a *enlist.Autoresponder) int64 { return a.CreationTime }),
	enlist.ReadOnlyInt("last_modified_time", func(a *enlist.Autoresponder) int64 { return a.LastModifiedTime }),
	enlist.Searchable(enlist.IntKey("folder_id", func(a *enlist.Autoresponder) *enlist.FolderID { return &a.FolderID },
		0, lists.MaxID)),
	enlist.TextKey("timezone", func(a *enlist.Autoresponder) *string { return &a.TimeZone }, readTimeZone),
	enlist.Searchable(enlist.RefKey("list_id", func(a *enlist.Autoresponder) *enlist.ListID { return &a.ListID })),
	enlist.ReadOnlyText("creator_name", func(a *enlist.Autoresponder) string { return a.CreatorName }),
	enlist.Searchable(enlist.RefKey("message_id", func(a *enlist.Autoresponder) *enlist.MessageID { return &a.MessageID })),
	enlist.EnumKey("time_criteria_type", func(a *enlist.Autoresponder) *string { return &a.CriteriaType },
		enlist.CriteriaImmediate, enlist.CriteriaDelay, enlist.CriteriaSpecific),
	enlist.IntKey("time_criteria_timestamp", func(a *enlist.Autoresponder) *int64 { return &a.Timestamp }, 0,
		MaxTimestamp),
	enlist.IntKey("time_criteria_offset_value", func(a *enlist.Autoresponder) *int64 { return &a.OffsetValue },
		0, enlist.MaxOffset(enlist.PeriodMinute)),
	enlist.EnumKey("time_criteria_offset_period", func(a *enlist.Autoresponder) *string { return &a.OffsetPeriod },
		enlist.PeriodMinute, enlist.PeriodHour, enlist.PeriodDay, enlist.PeriodWeek),
	enlist.IntKey("time_criteria_specific_minute", func(a *enlist.Autoresponder) *int64 { return &a.SpecificMinute }, 0,
		59),
	enlist.IntKey("time_criteria_specific_hour", func(a *enlist.Autoresponder) *int64 { return &a.SpecificHour }, 0,
		23),
	enlist.Searchable(enlist.IntKey("segment_id", func(a *enlist.Autoresponder) *enlist.SegmentID { return &a.SegmentID },
		0, lists.MaxID)),
	enlist.NotKey("track", func(a *enlist.Autoresponder) *bool { return &a.Untracked }),
})

// Limits of autoresponders. reference.md: limit.events
const (
	// maxAutoresponders is the largest number of autoresponders of a List. The transaction
	// of one event stores a job for each of them.
	maxAutoresponders = 100

	// MaxTimestamp is the end of the year 9999.
	MaxTimestamp = 253_402_300_799
)

// readTimeZone accepts an IANA name of a time zone. "" means the Account's time zone.
func readTimeZone(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if enlist.CheckTimeZone(text) != nil {
		return "", enlist.Expected("an IANA name such as Europe/Berlin, not " + enlist.Quoted(text))
	}
	return text, nil
}

// AddAutoresponder stores an autoresponder of a List. Errors: InvalidParameters,
// NoList, Denied, NoMessage. reference.md: autoresponder.times
func (s *Service) AddAutoresponder(ctx context.Context, c *enlist.Caller,
	details []enlist.Detail) (enlist.AutoresponderID, error) {
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.AutoresponderID, error) {
		a := enlist.Autoresponder{AccountID: c.Account.ID, CreatorKeyID: c.Key.ID, CreatorName: c.Key.Name,
			CreationTime: now, LastModifiedTime: now, IsActive: true, CriteriaType: enlist.CriteriaImmediate}
		if err := SetAutoresponder(tx, c, &a, details); err != nil {
			return 0, err
		}
		if err := AddAutoresponder(tx, &a); err != nil {
			return 0, err
		}
		if _, err := AddAutoresponderBatch(tx, &a); err != nil {
			return 0, err
		}
		return a.ID, accounts.Audit(tx, c, now, auditedAutoresponder(&a), nil,
			accounts.SettableValues(AutoresponderAttributes, &a))
	})
}

// EditAutoresponder changes the keys that details contain. Jobs that are already enqueued keep
// their due time. Errors: NoAutoresponder, Denied, InvalidParameters, NoList, NoMessage.
func (s *Service) EditAutoresponder(ctx context.Context, c *enlist.Caller, id enlist.AutoresponderID,
	details []enlist.Detail) (enlist.AutoresponderID, error) {
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.AutoresponderID, error) {
		a, err := loadAutoresponder(tx, c, id)
		if err != nil {
			return 0, err
		}
		before := accounts.SettableValues(AutoresponderAttributes, a)
		if err := SetAutoresponder(tx, c, a, details); err != nil {
			return 0, err
		}
		if err := accounts.Audit(tx, c, now, auditedAutoresponder(a), before,
			accounts.SettableValues(AutoresponderAttributes, a)); err != nil {
			return 0, err
		}
		a.LastModifiedTime = now
		if err := UpdateAutoresponder(tx, a); err != nil {
			return 0, err
		}
		return id, EditAutoresponderBatch(tx, a)
	})
}

// SetAutoresponder changes the keys that details contain. It refuses an autoresponder that could not run.
func SetAutoresponder(tx *db.Tx, c *enlist.Caller, a *enlist.Autoresponder, details []enlist.Detail) error {
	if err := enlist.RequireSending(c); err != nil {
		return err
	}
	before := a.MessageID
	if err := enlist.Assign(a, AutoresponderAttributes, details); err != nil {
		return err
	}
	schema, err := lists.Load(tx, c, a.ListID)
	if err != nil {
		return err
	}
	m, err := messages.LoadMessage(tx, c.Account.ID, a.MessageID)
	if err == nil && a.MessageID != before {
		_, err = messages.LoadSeen(tx, c, a.MessageID, SentTo)
	}
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(schema.Autoresponders),
		func(o enlist.Autoresponder) bool { return o.ID == a.ID })
	switch {
	case m.Type != messages.MessageEmail:
		return enlist.Invalid("message_id", "expected a Message of type email: enlist cannot send SMS yet")
	case a.IsActive && !m.HasContent():
		return enlist.Invalid("message_id", "the Message has no content: write it with editMessage first, "+
			"or set is_active to false")
	case a.Event == "":
		return enlist.Invalid("event_type", "expected one of subscribe, unsubscribe, update_profile, confirm, api_upload")
	case a.OffsetValue > 0 && a.OffsetPeriod == "":
		return enlist.Invalid("time_criteria_offset_period", "expected one of minute, hour, day, week")
	case a.OffsetValue > 0 && a.OffsetValue > enlist.MaxOffset(a.OffsetPeriod):
		return enlist.Invalid("time_criteria_offset_value", "expected an offset of at most ten years")
	case len(others) >= maxAutoresponders:
		return enlist.Invalid("list_id", "the List has 100 autoresponders already, which is the limit")
	}
	if a.SegmentID != 0 {
		if _, err := contacts.LoadSegment(tx, a.ListID, a.SegmentID); err != nil {
			return err
		}
	}
	return messages.CheckMessageFolder(tx, c.Account.ID, a.FolderID)
}

func auditedAutoresponder(a *enlist.Autoresponder) accounts.AuditObject {
	return accounts.AuditObject{Kind: "Autoresponder", ID: int64(a.ID), List: a.ListID}
}

// errNoAutoresponder is the same for an ID that does not exist and for another Account's ID, so
// that a caller cannot find out which IDs exist. reference.md: auth.restricted
var errNoAutoresponder = enlist.Refuse(enlist.NoAutoresponder, "no autoresponder with this ID")

// loadAutoresponder returns an autoresponder, if the caller may access its List.
func loadAutoresponder(tx *db.Tx, c *enlist.Caller, id enlist.AutoresponderID) (*enlist.Autoresponder, error) {
	a, err := lists.AutoresponderTable.One(tx, errNoAutoresponder, `WHERE account_id = ? AND id = ?
		AND list_id IN (SELECT list.id FROM list WHERE hidden = 0)`, int64(c.Account.ID), int64(id))
	if err != nil {
		return nil, err
	}
	_, err = lists.Load(tx, c, a.ListID)
	return a, err
}

// DeleteAutoresponder removes an autoresponder and its figures. Its jobs that are already enqueued will send
// nothing. Errors: NoAutoresponder, Denied, and InvalidParameters while a Batch must leave out who got its mails.
// decisions.md: 102
func (s *Service) DeleteAutoresponder(ctx context.Context, c *enlist.Caller, id enlist.AutoresponderID) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		a, err := loadAutoresponder(tx, c, id)
		if err != nil {
			return err
		}
		if err := DeleteAutoresponder(tx, id); err != nil {
			return err
		}
		if err := accounts.Audit(tx, c, now, auditedAutoresponder(a),
			accounts.SettableValues(AutoresponderAttributes, a), nil); err != nil {
			return err
		}
		return deleteAutoresponderBatch(tx, a, now)
	})
}

// Autoresponder returns one autoresponder. Errors: NoAutoresponder, Denied.
func (s *Service) Autoresponder(ctx context.Context, c *enlist.Caller,
	id enlist.AutoresponderID) (*enlist.Autoresponder, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*enlist.Autoresponder, error) { return loadAutoresponder(tx, c, id) })
}

// SearchAutoresponders returns the matching autoresponders of the Lists that the key may access.
// Errors: InvalidSearch.
func (s *Service) SearchAutoresponders(ctx context.Context, c *enlist.Caller,
	q enlist.Query) ([]enlist.Autoresponder, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]enlist.Autoresponder, error) {
		autoresponders, err := Autoresponders(tx, c.Account.ID)
		if err != nil {
			return nil, err
		}
		autoresponders = slices.DeleteFunc(slices.Clone(autoresponders), func(a enlist.Autoresponder) bool {
			return !c.Key.Allows(a.ListID)
		})
		return enlist.SearchRecords(AutoresponderAttributes, autoresponders, q)
	})
}
