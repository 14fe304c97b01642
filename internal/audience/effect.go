package audience

import "enlist/internal/enlist"

// SendTest sends a Message to an address of the caller.
type SendTest struct {
	Account enlist.AccountID `json:"account_id"`
	Message enlist.MessageID `json:"message_id"`
	List    enlist.ListID    `json:"list_id"`    // 0: none
	Contact enlist.ContactID `json:"contact_id"` // whose values the mail shows; 0: none
	Address string           `json:"address"`
	Time    int64            `json:"time"`
	Token   string           `json:"token"` // makes the Message-ID unique
}

// Kind implements Effect.
func (SendTest) Kind() string { return "send_test" }

// PrepareBatch stores the recipients of a Batch in steps, and starts its sending at the send time.
type PrepareBatch struct {
	Batch enlist.BatchID `json:"batch_id"`
	Due   int64          `json:"due"` // when the job may start; 0: at once
}

// Kind implements Effect.
func (PrepareBatch) Kind() string { return "prepare_batch" }

// DueTime returns when the job may start.
func (p PrepareBatch) DueTime() int64 { return p.Due }

// RemoveBatch removes the recipients of a deleted Batch, in steps, and then the Batch.
type RemoveBatch struct {
	Batch enlist.BatchID `json:"batch_id"`
}

// Kind implements Effect.
func (RemoveBatch) Kind() string { return "remove_batch" }

// RemoveContent removes the content of a file that was deleted or overwritten, in steps. It also removes
// the content of an upload that did not end. Content that a file has stays.
type RemoveContent struct {
	Content enlist.ContentID `json:"content_id"`
	Due     int64            `json:"due"` // when the job may start
}

// Kind implements Effect.
func (RemoveContent) Kind() string { return "remove_content" }

// DueTime returns when the job may start.
func (r RemoveContent) DueTime() int64 { return r.Due }

// RunImport runs an Import, unless another process runs it.
type RunImport struct {
	Import enlist.ImportID `json:"import_id"`
	Due    int64           `json:"due"` // when the job may start; 0: at once
}

// Kind implements Effect.
func (RunImport) Kind() string { return "run_import" }

// DueTime returns when the job may start.
func (r RunImport) DueTime() int64 { return r.Due }

// RemoveImportResults removes the results of an Import's rows, in steps.
type RemoveImportResults struct {
	Import enlist.ImportID `json:"import_id"`
	Due    int64           `json:"due"` // when the job may start
}

// Kind implements Effect.
func (RemoveImportResults) Kind() string { return "remove_import_results" }

// DueTime returns when the job may start.
func (r RemoveImportResults) DueTime() int64 { return r.Due }

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
