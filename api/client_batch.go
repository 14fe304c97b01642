// This file has the operations on Batches. An error has the code CodeNoBatch if the
// Batch does not exist.

package api

import "context"

// Batch is the record of a Batch. It sends a Message to many Contacts.
type Batch struct {
	ID               int64  `json:"id"`
	ListID           int64  `json:"list_id"` // List of the first population
	CreatorUserID    int64  `json:"creator_user_id"`
	CreationTime     int64  `json:"creation_time"`
	MessageID        int64  `json:"message_id"`
	MessageType      string `json:"message_type"`
	IsScheduled      bool   `json:"is_scheduled"`
	IsPopulated      bool   `json:"is_populated"` // all recipients are stored
	SendStatus       string `json:"send_status"`  // initialising, pending, sending, completed, failed, cancelled or paused
	SendTime         int64  `json:"send_time"`
	FirstSentTime    int64  `json:"first_sent_time"`
	LastSentTime     int64  `json:"last_sent_time"`
	SendContactCount int64  `json:"send_contact_count"` // recipients that get the mail or have got it
	SendCurrentCount int64  `json:"send_current_count"` // of these: mails that were sent or have failed
	IsTest           bool   `json:"is_test"`
	Type             string `json:"type"` // manual, or autoresponder for the figures of an autoresponder
	CreatorName      string `json:"creator_name"`
	Name             string `json:"name"`
}

// Population says which Contacts of a List get the mail of a Batch.
type Population struct {
	ListID      int64   `json:"list_id"`
	Type        string  `json:"type,omitempty"`         // list (the default), unsent or contacts
	ContactList []int64 `json:"contact_list,omitempty"` // for the type contacts
	Time        string  `json:"time,omitempty"`         // when the recipients are read: now (the default) or send
}

// BatchOptions are the options of a Batch. The zero value is the default.
type BatchOptions struct {
	Name    string          `json:"name,omitempty"`
	Doubt   string          `json:"doubt,omitempty"` // mail of unknown outcome: send (the default) sends it again, skip does not
	Rate    string          `json:"rate,omitempty"`  // such as 20/second,5000/day
	Exclude *BatchExclusion `json:"exclude,omitempty"`

	// LocalTime is the name of a Field with the recipients' time zones.
	LocalTime string `json:"local_time,omitempty"`
	// Variants are 2 to 4 variants for the test, or none.
	Variants []BatchVariant `json:"variants,omitempty"`
	// TestShare is the percentage of the recipients that get one of the variants; 0 means 20.
	TestShare int64 `json:"test_share,omitempty"`
	// Winner is clicks (the default), opens or hand.
	Winner string `json:"winner,omitempty"`
	// WinnerHours is after how many hours the winner is chosen, at most 48; 0 means 4.
	WinnerHours int64 `json:"winner_hours,omitempty"`
}

// BatchVariant is a variant of a Batch: another Message, or another subject of the Batch's
// Message. If both are zero, it is this Message.
type BatchVariant struct {
	MessageID int64  `json:"message_id,omitempty"`
	Subject   string `json:"subject,omitempty"`
}

// BatchExclusion says which Contacts of the populations are left out: those that match the
// criteria, and those that one of the Batches was sent to.
type BatchExclusion struct {
	Criteria Criteria `json:"criteria,omitempty"`
	Batches  []int64  `json:"batches,omitempty"`
}

// The commands of EditBatch.
const (
	PauseBatch      = "pause"
	UnpauseBatch    = "unpause"
	CancelBatch     = "cancel"
	RescheduleBatch = "reschedule"
)

// AddBatch adds a Batch and returns its queue ID. sendTime is a Unix time; 0 means now.
// isTest puts [test] before the subject.
func (c *Client) AddBatch(ctx context.Context, message int64, populations []Population, sendTime int64,
	isTest bool) (int64, error) {
	return call[int64](ctx, c, "addBatch", message, populations, sendTime, isTest)
}

// AddBatchWithOptions is AddBatch with options.
func (c *Client) AddBatchWithOptions(ctx context.Context, message int64, populations []Population, sendTime int64,
	isTest bool, options BatchOptions) (int64, error) {
	return call[int64](ctx, c, "addBatch", message, populations, sendTime, isTest, options)
}

// BatchCheck says what is probably wrong with a Batch that is not added yet, and who would get it now.
type BatchCheck struct {
	SendContactCount int64            `json:"send_contact_count"`
	CheckedCount     int64            `json:"checked_count"` // Contacts that the server has read
	IsComplete       bool             `json:"is_complete"`   // all Contacts were read; otherwise the numbers are about the first ones
	LeftOut          map[string]int64 `json:"left_out"`      // Contacts that would get no mail, by reason
	Findings         []BatchFinding   `json:"findings"`      // errors first
}

// BatchFinding is something that is probably wrong with a Batch.
type BatchFinding struct {
	Level        string `json:"level"` // error, warning or note
	Code         string `json:"code"`  // such as missing_value
	Text         string `json:"text"`
	ContactCount int64  `json:"contact_count"` // for missing_value: the number of recipients without a value
}

// CheckBatch returns what is probably wrong with a Batch, and how many Contacts would get it. It adds no Batch.
func (c *Client) CheckBatch(ctx context.Context, message int64, populations []Population,
	options BatchOptions) (*BatchCheck, error) {
	return call[*BatchCheck](ctx, c, "checkBatch", message, populations, options)
}

// AddBatchByContactSearch adds a Batch for the Contacts of some Lists that match the
// criteria, and returns its queue ID. sendTime is a Unix time; 0 means now.
func (c *Client) AddBatchByContactSearch(ctx context.Context, message int64, lists []int64, criteria Criteria,
	sendTime int64) (int64, error) {
	return call[int64](ctx, c, "addBatchByContactSearch", message, lists, criteria.param(), sendTime, sendTime != 0)
}

// GetBatchIDByQueueID returns the ID of a Batch. It returns 0 while the server prepares
// the Batch.
func (c *Client) GetBatchIDByQueueID(ctx context.Context, queue int64) (int64, error) {
	return call[int64](ctx, c, "getBatchIdByQueueId", queue)
}

// EditBatch pauses, continues, cancels or reschedules a Batch. sendTime is only for
// RescheduleBatch.
func (c *Client) EditBatch(ctx context.Context, batch int64, command string, sendTime int64) error {
	return c.Call(ctx, "editBatch", []any{batch, command, sendTime}, nil)
}

// ChooseBatchWinner makes a variant of a Batch the winner. variant is its number, from 1.
func (c *Client) ChooseBatchWinner(ctx context.Context, batch, variant int64) error {
	return c.Call(ctx, "chooseBatchWinner", []any{batch, variant}, nil)
}

// DeleteBatch deletes a Batch that has not begun to send, or that has ended. It fails with the code 310 while another
// Batch must still leave out the Contacts that this one was sent to.
func (c *Client) DeleteBatch(ctx context.Context, batch int64) error {
	return c.Call(ctx, "deleteBatch", []any{batch}, nil)
}

// GetBatchByID returns one Batch.
func (c *Client) GetBatchByID(ctx context.Context, batch int64) (*Batch, error) {
	return callOne[Batch](ctx, c, "getBatchById", batch)
}

// SearchBatches returns the Batches that match the query.
func (c *Client) SearchBatches(ctx context.Context, q Query) ([]Batch, error) {
	return call[[]Batch](ctx, c, "searchBatches", q.params()...)
}

// CountBatches returns the number of Batches that match the criteria.
func (c *Client) CountBatches(ctx context.Context, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countBatches", criteria.param())
}

// GetAllCurrentBatches returns the Batches that have not ended.
func (c *Client) GetAllCurrentBatches(ctx context.Context) ([]Batch, error) {
	return call[[]Batch](ctx, c, "getAllCurrentBatches")
}

// GetBatchStatus returns the SendStatus of a Batch.
func (c *Client) GetBatchStatus(ctx context.Context, batch int64) (string, error) {
	return call[string](ctx, c, "getBatchStatus", batch)
}

// GetAutoresponderBatchID returns the ID of the Batch that has the figures of an
// autoresponder: GetBatchByID and the reports of Batches return them. It returns 0 for an
// autoresponder of an earlier version of the server that has sent no mail since. An error
// has the code CodeNoCampaign if the autoresponder does not exist.
func (c *Client) GetAutoresponderBatchID(ctx context.Context, autoresponder int64) (int64, error) {
	return call[int64](ctx, c, "getAutoresponderBatchId", autoresponder)
}
