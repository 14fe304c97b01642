package privacy

import "enlist/internal/enlist"

// ApplyRetention removes old data of an Account, in steps. The step continues in a table after a Contact.
type ApplyRetention struct {
	Account    enlist.AccountID `json:"account_id"`
	Table      RetentionTable   `json:"table,omitempty"` // "": the beginning
	List       enlist.ListID    `json:"list_id,omitempty"`
	Batch      enlist.BatchID   `json:"batch_id,omitempty"`
	After      enlist.ContactID `json:"after,omitempty"`
	Events     int64            `json:"events,omitempty"`     // rows that were removed so far
	Deliveries int64            `json:"deliveries,omitempty"` // rows whose texts were removed so far
	Audit      int64            `json:"audit,omitempty"`      // rows of the audit log that were removed so far
}

// Kind implements Effect.
func (ApplyRetention) Kind() string { return "apply_retention" }

// moveTo sets the position of the next step to the beginning of a part or, after the last part, to the audit log.
func (e *ApplyRetention) moveTo(parts []RetentionPart, at int) {
	e.Table, e.List, e.Batch, e.After = retainedAudit, 0, 0, 0
	if at < len(parts) {
		e.Table, e.List, e.Batch = parts[at].Table, parts[at].List, parts[at].Batch
	}
}
