package contacts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has Segments: named criteria of a List, which other criteria name by their ID. A change counts for all
// later searches, also for those of Batches that have not searched their recipients. decisions.md: 129

// Segment is a name for criteria of a List.
type Segment struct {
	ID               enlist.SegmentID
	AccountID        enlist.AccountID
	ListID           enlist.ListID
	Name             string
	Criteria         *enlist.Criteria
	CreationTime     int64
	LastModifiedTime int64
}

// SegmentAttributes are the keys of a Segment record, in the order of a reply.
var SegmentAttributes = []enlist.Attribute[Segment]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(s *Segment) enlist.SegmentID { return s.ID })),
	enlist.ReadOnlyInt("list_id", func(s *Segment) enlist.ListID { return s.ListID }),
	enlist.Searchable(enlist.ReadOnlyText("name", func(s *Segment) string { return s.Name })),
	enlist.ReadOnlyText("criteria", func(s *Segment) string { return s.Criteria.JSON() }),
	enlist.Searchable(enlist.ReadOnlyInt("creation_time", func(s *Segment) int64 { return s.CreationTime })),
	enlist.Searchable(enlist.ReadOnlyInt("last_modified_time", func(s *Segment) int64 { return s.LastModifiedTime })),
}

// Limits of Segments. reference.md: segment.limits
const (
	maxSegments        = 1000     // of a List
	maxSegmentCriteria = 32 << 10 // bytes of JSON; searchSegments reads all Segments of a List
)

// SegmentRequest is a call of setSegment.
type SegmentRequest struct {
	List     enlist.ListID
	ID       enlist.SegmentID // 0: the Segment with the name, or a new one
	Name     string
	Criteria *enlist.Criteria
}

// SetSegment adds a Segment, or replaces its name and criteria. It returns the ID. Errors: NoList, Denied,
// InvalidSearch, and InvalidParameters for a bad name, too long criteria, an unknown ID, and a name that another
// Segment has. reference.md: segment.record; decisions.md: 129
func (s *Service) SetSegment(ctx context.Context, c *enlist.Caller, r SegmentRequest) (enlist.SegmentID, error) {
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.SegmentID, error) {
		schema, err := lists.Load(tx, c, r.List)
		if err != nil {
			return 0, err
		}
		r.Name, err = enlist.ReadName(r.Name)
		if err != nil {
			return 0, enlist.Invalid("name", err.Error())
		}
		if err := checkSegmentCriteria(tx, schema, now, r.Criteria); err != nil {
			return 0, err
		}
		old, err := r.segment(tx)
		if err != nil {
			return 0, err
		}
		if old == nil {
			return addSegment(tx, c, now, &r)
		}
		before := old.auditValues()
		old.Name, old.Criteria, old.LastModifiedTime = r.Name, r.Criteria, now
		if err := accounts.Audit(tx, c, now, old.audited(), before, old.auditValues()); err != nil {
			return 0, err
		}
		return old.ID, segmentTable.SaveDefinition(tx, old)
	})
}

// segment returns the Segment that the call replaces, or nil if it adds one.
func (r *SegmentRequest) segment(tx *db.Tx) (*Segment, error) {
	names, err := segmentNames(tx, r.List)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(names, func(s Segment) bool { return strings.EqualFold(s.Name, r.Name) })
	switch {
	case r.ID != 0 && i >= 0 && names[i].ID != r.ID:
		return nil, enlist.Invalid("name", "the List has a Segment of this name already")
	case r.ID != 0:
		return LoadSegment(tx, r.List, r.ID)
	case i >= 0:
		return LoadSegment(tx, r.List, names[i].ID)
	case len(names) >= maxSegments:
		return nil, enlist.Invalid("list_id", fmt.Sprintf("the List has %d Segments already, which is the limit",
			maxSegments))
	}
	return nil, nil
}

func addSegment(tx *db.Tx, c *enlist.Caller, now int64, r *SegmentRequest) (enlist.SegmentID, error) {
	added := Segment{AccountID: c.Account.ID, ListID: r.List, Name: r.Name, Criteria: r.Criteria, CreationTime: now,
		LastModifiedTime: now}
	if err := segmentTable.AddDefinition(tx, &added); err != nil {
		return 0, err
	}
	return added.ID, accounts.Audit(tx, c, now, added.audited(), nil, added.auditValues())
}

// checkSegmentCriteria checks criteria that must be usable alone, also to choose the recipients of a Batch. They must
// not name a Segment, so that no Segment contains itself.
func checkSegmentCriteria(tx *db.Tx, schema *enlist.Schema, now int64, criteria *enlist.Criteria) error {
	k := searchKeys(tx, schema, now)
	k.Segment = func(enlist.SegmentID) (*enlist.Criteria, error) {
		return nil, enlist.RefuseKey(enlist.KeySegment, "the criteria of a Segment cannot name another Segment")
	}
	where, err := k.Condition(criteria)
	switch {
	case err != nil:
		return err
	case where == nil:
		return enlist.Refuse(enlist.InvalidSearch, "a Segment needs criteria")
	case len(criteria.JSON()) > maxSegmentCriteria:
		return enlist.Invalid("search_criteria", fmt.Sprintf("expected criteria of at most %d bytes",
			maxSegmentCriteria))
	}
	if err := checkHasEvents(tx, where); err != nil {
		return err
	}
	return CheckTestsSomething(where)
}

// RestoreSegment stores a Segment that moves in from another service, under its ID. Its criteria must fit the List. Errors:
// InvalidSearch, InvalidParameters.
func RestoreSegment(tx *db.Tx, schema *enlist.Schema, now int64, s *Segment) error {
	if err := checkSegmentCriteria(tx, schema, now, s.Criteria); err != nil {
		return err
	}
	return segmentTable.RestoreDefinition(tx, "segment", s)
}

// DeleteSegment removes a Segment. Errors: NoList, Denied, and InvalidParameters if the List has no Segment with the
// ID, or if a Batch that has not searched its recipients or an autoresponder uses it. reference.md: segment.used
func (s *Service) DeleteSegment(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.SegmentID) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		schema, err := lists.Load(tx, c, list)
		if err != nil {
			return err
		}
		old, err := LoadSegment(tx, list, id)
		if err != nil {
			return err
		}
		if err := s.above.SegmentUnused(tx, schema, id); err != nil {
			return err
		}
		if err := accounts.Audit(tx, c, now, old.audited(), old.auditValues(), nil); err != nil {
			return err
		}
		return tx.Define("DELETE FROM segment WHERE list_id = ? AND id = ?", int64(list), int64(id))
	})
}

// SearchSegments returns the Segments of a List that match. Errors: NoList, Denied, InvalidSearch.
func (s *Service) SearchSegments(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	q enlist.Query) ([]Segment, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Segment, error) {
		if _, err := lists.Load(tx, c, list); err != nil {
			return nil, err
		}
		segments, err := segmentTable.All(tx, "WHERE list_id = ? ORDER BY id", int64(list))
		if err != nil {
			return nil, err
		}
		return enlist.SearchRecords(SegmentAttributes, segments, q)
	})
}

// Segment returns a Segment of a List by its ID. Errors: NoList, Denied, and InvalidParameters if the List has none
// with the ID.
func (s *Service) Segment(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.SegmentID) (
	*Segment, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*Segment, error) {
		if _, err := lists.Load(tx, c, list); err != nil {
			return nil, err
		}
		return LoadSegment(tx, list, id)
	})
}

// AllSegments returns the Segments of all Lists that the caller may access, in the order of the names
// of the Lists and then of their own.
func (s *Service) AllSegments(ctx context.Context, c *enlist.Caller) ([]Segment, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Segment, error) {
		segments, err := segmentTable.All(tx, `WHERE list_id IN (SELECT id FROM list WHERE account_id = ? AND hidden = 0)
			ORDER BY (SELECT list.name FROM list WHERE list.id = segment.list_id), list_id, name, id`, int64(c.Account.ID))
		return slices.DeleteFunc(segments, func(s Segment) bool { return !c.Key.Allows(s.ListID) }), err
	})
}

func (s *Segment) audited() accounts.AuditObject {
	return accounts.AuditObject{Kind: "Segment", ID: int64(s.ID), List: s.ListID}
}

func (s *Segment) auditValues() accounts.AuditValues {
	return accounts.AuditValues{"name": s.Name, "search_criteria": s.Criteria.Text()}
}

// Condition checks criteria of a List's Contacts, for a caller that needs only their keys: relative dates have no days.
// They may name Segments of the List. Errors: InvalidSearch.
func Condition(tx *db.Tx, schema *enlist.Schema, criteria *enlist.Criteria) (*enlist.Condition, error) {
	return searchKeys(tx, schema, 0).Condition(criteria)
}

// CheckCriteria refuses criteria that do not fit a List. Errors: NoList, Denied, InvalidSearch.
func (s *Service) CheckCriteria(ctx context.Context, c *enlist.Caller, list enlist.ListID, criteria *enlist.Criteria) error {
	return s.db.InView(ctx, c, func(tx *db.Tx) error {
		schema, err := lists.Load(tx, c, list)
		if err != nil {
			return err
		}
		_, err = Condition(tx, schema, criteria)
		return err
	})
}

// searchKeys returns the keys of searches of a List's Contacts at the Unix time now.
func searchKeys(tx *db.Tx, schema *enlist.Schema, now int64) enlist.Keys {
	return enlist.Keys{System: enlist.ContactKeys, Schema: schema,
		Now: func() (int64, *time.Location, error) {
			account, err := accounts.ByID(tx, schema.List.AccountID)
			if err != nil {
				return 0, nil, err
			}
			return now, enlist.Location(account.TimeZone), nil
		},
		Segment: func(id enlist.SegmentID) (*enlist.Criteria, error) {
			s, err := LoadSegment(tx, schema.List.ID, id)
			if enlist.KindOf(err) == enlist.InvalidParameters {
				return nil, enlist.RefuseKey(enlist.KeySegment, "%s: the List has no Segment %d", enlist.KeySegment, id)
			}
			if err != nil {
				return nil, err
			}
			return s.Criteria, nil
		}}
}

// InSegment returns those of the Contacts that are in a Segment. Errors: InvalidSearch if its criteria no longer fit
// the Fields of the List.
func InSegment(tx *db.Tx, schema *enlist.Schema, now int64, id enlist.SegmentID,
	ids []enlist.ContactID) ([]enlist.ContactID, error) {
	query, err := TypeSearch(tx, schema, now, enlist.Query{Criteria: enlist.InSegment(id)})
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return OnlyAmong(tx, query, ids)
}
