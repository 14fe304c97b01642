package accounts

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file reads the audit log, for callers and for the operator. audit.go writes it.

// AuditAttributes are the keys of a row of the audit log, in the order of a reply. before and after follow them.
var AuditAttributes = []enlist.Attribute[AuditRow]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(r *AuditRow) int64 { return r.ID })),
	enlist.Searchable(enlist.ReadOnlyInt("time", func(r *AuditRow) int64 { return r.Time })),
	enlist.Searchable(enlist.ReadOnlyText("method", func(r *AuditRow) string { return r.Method })),
	enlist.Searchable(enlist.ReadOnlyInt("key_id", func(r *AuditRow) enlist.KeyID { return r.KeyID })),
	enlist.Searchable(enlist.ReadOnlyText("key_name", func(r *AuditRow) string { return r.KeyName })),
	enlist.Searchable(enlist.ReadOnlyText("user_name", func(r *AuditRow) string { return r.User })),
	enlist.Searchable(enlist.ReadOnlyText("ip_address", func(r *AuditRow) string { return r.IP })),
	enlist.Searchable(enlist.ReadOnlyText("object", func(r *AuditRow) string { return r.Object })),
	enlist.Searchable(enlist.ReadOnlyInt("object_id", func(r *AuditRow) int64 { return r.ObjectID })),
	enlist.Searchable(enlist.ReadOnlyInt("list_id", func(r *AuditRow) enlist.ListID { return r.ListID })),
}

// AuditSearch is a checked query of the audit log.
type AuditSearch struct {
	Account    enlist.AccountID  // 0: the rows of all Accounts, and those about the complete database
	Where      *enlist.Condition // nil: every row; its keys are names of columns
	Sort       *enlist.SearchKey // nil: in order of ID
	Descending bool              // only with Sort
	Limit      int64             // 0: no limit
	Offset     int64
}

// SearchAuditLog sends the matching rows of the caller's Account to w, by default in the order in which they were
// added. Errors: Denied, InvalidSearch, and Busy if too many searches or streams run.
func (s *Service) SearchAuditLog(ctx context.Context, c *enlist.Caller, q enlist.Query,
	w enlist.RowWriter[AuditRow]) error {
	return s.db.InPhases(ctx, c, db.Searching, func(tx *db.Tx, p db.Phase) error {
		search, err := searchOfAuditLog(c, q)
		if err != nil {
			return err
		}
		rows := &enlist.PagedRows[AuditRow]{RowWriter: w, Streaming: p == db.Streaming}
		if err := rows.Begin(rows.Streaming); err != nil {
			return err
		}
		return search.rows(tx, rows.Row)
	})
}

// CountAuditLog returns how many rows of the caller's Account match. Errors: as of SearchAuditLog.
func (s *Service) CountAuditLog(ctx context.Context, c *enlist.Caller, criteria *enlist.Criteria) (n int64, err error) {
	err = s.db.Search(c.Context(ctx), s.db.Confirmed(c, func(tx *db.Tx) error {
		search, err := searchOfAuditLog(c, enlist.Query{Criteria: criteria})
		if err != nil {
			return err
		}
		n, err = search.count(tx)
		return err
	}))
	return n, err
}

// searchOfAuditLog checks a query. Errors: Denied for a key restricted to some Lists, InvalidSearch.
func searchOfAuditLog(c *enlist.Caller, q enlist.Query) (*AuditSearch, error) {
	if err := enlist.RequireWholeAccount(c); err != nil {
		return nil, err
	}
	return checkAuditQuery(c.Account.ID, q)
}

// checkAuditQuery checks a query. Errors: InvalidSearch.
func checkAuditQuery(account enlist.AccountID, q enlist.Query) (*AuditSearch, error) {
	if q.Limit < 0 || q.Offset < 0 {
		return nil, enlist.ErrNegativePage
	}
	k := enlist.Keys{System: enlist.AttributeKeys(AuditAttributes)}
	where, err := k.Condition(q.Criteria)
	if err != nil {
		return nil, err
	}
	sort, err := k.Sort(q.SortBy)
	return &AuditSearch{Account: account, Where: where, Sort: sort, Descending: q.Descending && sort != nil,
		Limit: q.Limit, Offset: q.Offset}, err
}

// AuditLog calls each with the matching rows of an Account, for the operator. account 0 means all rows: those of all
// Accounts, and those about the complete database. Errors: InvalidSearch.
func (s *Service) AuditLog(ctx context.Context, account enlist.AccountID, q enlist.Query,
	each func(*AuditRow) error) error {
	search, err := checkAuditQuery(account, q)
	if err != nil {
		return err
	}
	return s.db.Stream(ctx, func(tx *db.Tx) error { return search.rows(tx, each) })
}
