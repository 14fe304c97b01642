package contacts

import (
	"context"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// RecordExport adds a row to the audit log before the Contacts of a List are read out into a file. Errors: NoList,
// Denied.
func (s *Service) RecordExport(ctx context.Context, c *enlist.Caller, list enlist.ListID, q enlist.Query,
	withProof bool) error {
	_, err := db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (bool, error) {
		if _, err := lists.Load(tx, c, list); err != nil {
			return false, err
		}
		values := accounts.AuditValues{"limit": q.Limit, "offset": q.Offset, "proof": withProof}
		if q.Criteria != nil {
			values["search_criteria"] = q.Criteria.Text()
		}
		return true, accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Export", ID: 0, List: list}, nil, values)
	})
	return err
}
