package main

import (
	"context"
	"fmt"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/reports"

	"github.com/alecthomas/kong"
)

// enlist batch: sends a Message to many Contacts, and shows and controls the Batches. The server sends the mails: the
// commands only change the database, also while a server runs. batch_add.go adds a Batch, after batch_check.go has
// looked for mistakes. batch_follow.go shows the progress of a Batch.

type batchCommand struct {
	Add        batchAdd        `cmd:"" help:"Send a Message to Contacts of some Lists."`
	Check      batchCheck      `cmd:"" help:"Show what is probably wrong with a Batch, and who would get it. Sends nothing."`
	List       batchList       `cmd:"" help:"List the Batches that have not ended."`
	Show       batchShow       `cmd:"" help:"Show one Batch."`
	Pause      batchPause      `cmd:"" help:"Pause a Batch."`
	Resume     batchResume     `cmd:"" help:"Continue a paused Batch."`
	Cancel     batchCancel     `cmd:"" help:"Stop a Batch for ever."`
	Reschedule batchReschedule `cmd:"" help:"Change the time of a Batch that has not begun."`
	Delete     batchDelete     `cmd:"" help:"Delete a Batch that has not begun or has ended, with its figures."`
	Stats      batchStats      `cmd:"" help:"Show what became of the mails of a Batch."`
	Winner     batchWinner     `cmd:"" help:"Choose the variant for the recipients that are not in the test."`
}

func (batchCommand) BeforeApply(k *kong.Context) error { return bindDefinition(k, &allBatches) }

type batchList struct {
	reporting
	All     bool  `help:"Also the Batches that have ended."`
	Account int64 `placeholder:"ID" help:"ID of an Account: list only its Batches."`
}

func (c *batchList) Run(ctx context.Context, out *console, s *app.App) error {
	rows, err := inAccounts(ctx, s, c.Account, func(caller *enlist.Caller) ([]record, error) {
		found, err := c.find(ctx, s, caller)
		return records(found, batchRecord), err
	})
	if err != nil {
		return err
	}
	return c.list(out.stdout, rows, "id", "account_id", "send_status", "message_id", "list_id", "send_time",
		"send_contact_count", "send_current_count", "reason")
}

// find returns the Batches of an Account.
func (c *batchList) find(ctx context.Context, s *app.App, caller *enlist.Caller) ([]batches.Batch, error) {
	if c.All {
		return s.Batches.SearchBatches(ctx, caller, enlist.Query{})
	}
	return s.Batches.CurrentBatches(ctx, caller)
}

// batchRecord returns the attributes of a Batch with their names in the API, and why the server paused or failed it.
func batchRecord(b *batches.Batch) record {
	return append(recordOf(batches.BatchAttributes, b), value{"name", b.Name}, value{"reason", b.Reason})
}

// oneBatch are the flags and arguments of a command for one Batch.
type oneBatch struct {
	reporting
	ID enlist.BatchID `arg:"" help:"ID of the Batch, as enlist batch list shows it."`
}

var allBatches = definitions[batches.Batch, enlist.BatchID]{
	noun: "Batch", hint: "enlist batch list --all prints the Batches", absent: enlist.NoBatch,
	calls: func(s *app.App) recordCalls[batches.Batch, enlist.BatchID] {
		return recordCalls[batches.Batch, enlist.BatchID]{find: s.Batches.Batch}
	},
}

// edit runs a command of editBatch and prints the new status.
func (c *oneBatch) edit(ctx context.Context, out *console, s *app.App, caller *enlist.Caller,
	command, at string) error {
	when, err := futureTime(at, caller.Account, s.DB.Now())
	if err != nil {
		return err
	}
	if err := s.Batches.EditBatch(ctx, caller, c.ID, command, when); err != nil {
		return err
	}
	b, err := s.Batches.Batch(ctx, caller, c.ID)
	if err != nil {
		return err
	}
	return c.one(out.stdout, batchRecord(b), "Batch %d is %s", c.ID, b.Status)
}

type batchPause struct{ oneBatch }

func (c *batchPause) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	return c.edit(ctx, out, s, caller, "pause", "")
}

type batchResume struct{ oneBatch }

// Run continues the Batch.
func (c *batchResume) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	return c.edit(ctx, out, s, caller, "unpause", "")
}

type batchCancel struct{ oneBatch }

func (c *batchCancel) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	return c.edit(ctx, out, s, caller, "cancel", "")
}

type batchReschedule struct {
	oneBatch
	At string `required:"" placeholder:"TIME" help:"When to send, in the Account's time zone, such as 2027-01-31T09:00."`
}

// Run changes the send time of the Batch.
func (c *batchReschedule) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	return c.edit(ctx, out, s, caller, "reschedule", c.At)
}

type batchDelete struct{ oneBatch }

func (c *batchDelete) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	if err := s.Batches.DeleteBatch(ctx, caller, c.ID); err != nil {
		return err
	}
	return c.one(out.stdout, record{{"id", c.ID}}, "deleted Batch %d", c.ID)
}

type batchShow struct {
	oneBatch
	Follow bool `help:"Show the progress until the Batch has ended."`
}

func (c *batchShow) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	if c.Follow {
		return followBatch(ctx, s, caller, c.ID, out)
	}
	b, err := s.Batches.Batch(ctx, caller, c.ID)
	if err != nil {
		return err
	}
	return c.show(out.stdout, batchRecord(b))
}

type batchStats struct{ oneBatch }

// Run shows the numbers of the Batch.
func (c *batchStats) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	r, err := s.Reports.BatchReport(ctx, caller, c.ID)
	if err != nil {
		return err
	}
	return c.show(out.stdout, statsRecord(r))
}

type batchWinner struct {
	oneBatch
	Variant int64 `arg:"" help:"Number of the variant, from 1."`
}

// Run chooses the winner of the variants.
func (c *batchWinner) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	if err := s.Sending.ChooseWinner(ctx, caller, c.ID, c.Variant); err != nil {
		return err
	}
	return c.one(out.stdout, record{{"id", c.ID}, {"variant", c.Variant}}, "variant %d is the winner of Batch %d",
		c.Variant, c.ID)
}

// statsRecord returns the numbers of a Batch.
func statsRecord(r *reports.BatchReport) record {
	all := record{{"recipients", r.Recipients}, {"sent", r.Sent}, {"refused", r.Refused}, {"failed", r.Failed},
		{"skipped", r.Skipped}, {"unsent", r.Unsent()}, {"opened", r.Opened()}, {"opened_by_people", r.HumanOpened},
		{"clicked", r.Clicked}, {"clicked_by_people", r.HumanClicked},
		{"bounced", r.Bounced}, {"complained", r.Complained}, {"unsubscribed", r.Unsubscribed},
		{"deactivated", r.Deactivated}, {"repeated", r.Repeated}, {"doubtful", r.Doubtful},
		{"measured_opens", r.MeasuredOpens()}, {"measured_clicks", r.MeasuredClicks()}}
	for _, left := range recordOf(reports.LeftOutAttributes, &r.Counts) {
		all = append(all, value{"left_out_" + left.name, left.any})
	}
	for i := range r.ByVariant {
		v := &r.ByVariant[i]
		all = append(all, value{fmt.Sprintf("variant_%d", v.Number),
			fmt.Sprintf("%d sent, %d opened and %d clicked by people",
				v.Sent, v.HumanOpened, v.HumanClicked)})
	}
	if r.Variants != nil {
		all = append(all, value{"winner", r.Variants.Chosen}, value{"winner_reason", r.Variants.Verdict})
	}
	if len(r.Editions) > 1 && r.Variants == nil {
		for i, e := range r.Editions {
			all = append(all, value{fmt.Sprintf("edition_%d", i+1), fmt.Sprintf("%d sent, %s", e.Sent, e.Subject)})
		}
	}
	return all
}
