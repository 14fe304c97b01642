package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"enlist/internal/audience"
	"enlist/internal/config"
)

// enlist batch: sends a Message to many Contacts, and shows and controls the Batches. The server sends the mails: the
// commands only change the database, also while a server runs. batch_follow.go shows the progress of a Batch.

type batchCommand struct {
	Add        batchAdd        `cmd:"" help:"Send a Message to Contacts of some Lists."`
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

type batchAdd struct {
	config.Database
	format
	Message int64   `required:"" placeholder:"ID" help:"ID of the Message."`
	List    []int64 `required:"" placeholder:"ID" help:"ID of a List; may be repeated. An address gets one mail."`
	Contact []int64 `placeholder:"ID" help:"Send only to these Contacts of the List; may be repeated."`
	Unsent  bool    `help:"Send only to the Contacts that were never sent the Message."`
	At      string  `placeholder:"TIME" help:"When to send, in the Account's time zone: such as 2027-01-31T09:00; or now."`
	AtSend  bool    `help:"Find the recipients at the send time, not at once."`
	Test    bool    `help:"Put [test] before the subject."`
	Name    string  `help:"Name of the Batch."`
	Exclude []int64 `name:"exclude-batch" placeholder:"ID" help:"Leave out the Contacts of this Batch; may be repeated."`
	Doubt   string  `enum:"send,skip" default:"send" help:"A mail of unknown outcome: send it again, or skip it."`
	Rate    string  `placeholder:"RATE" help:"Largest rate of the mails, such as 20/second,5000/day."`
	Follow  bool    `help:"Show the progress until the Batch has ended."`
	Account int64   `placeholder:"ID" help:"ID of the Message's Account; needed if there are several Accounts."`

	Local       string   `name:"local-time" placeholder:"FIELD" help:"Send at the time of --at in the zone in this Field."`
	Variant     []string `sep:"none" placeholder:"TEXT" help:"A subject, or message=ID, or empty; two to four flags."`
	TestShare   int64    `placeholder:"PERCENT" help:"Recipients that get one of the variants (20); the others get the winner."`
	Winner      string   `placeholder:"BY" help:"What chooses the winner: clicks (the default), opens or hand."`
	WinnerHours int64    `placeholder:"HOURS" help:"When the winner is chosen: 1 to 48 hours after the first mail (4)."`
}

// Run adds the Batch.
func (c *batchAdd) Run(ctx context.Context, out *console) error {
	switch {
	case len(c.Contact) > 0 && c.Unsent:
		return usage("choose one of --contact and --unsent")
	case len(c.Contact) > 0 && len(c.List) > 1:
		return usage("--contact needs exactly one --list: the IDs of Contacts belong to one List")
	}
	variants, err := c.variants()
	if err != nil {
		return err
	}
	return withService(ctx, c.Database, func(s *audience.Service) error {
		caller, err := operator(ctx, s, c.Account)
		if err != nil {
			return err
		}
		at, err := sendTime(c.At, caller.Account)
		if err != nil {
			return err
		}
		request := c.request(at)
		request.Options.Variants = variants
		id, err := s.AddBatch(ctx, caller, request)
		if err != nil {
			return err
		}
		b, err := s.Batch(ctx, caller, id)
		if err != nil {
			return err
		}
		err = c.one(out.stdout, batchRecord(b), "added Batch %d; see its progress with: enlist batch show %[1]d --follow", id)
		if err != nil || !c.Follow {
			return err
		}
		return followBatch(ctx, s, caller, id, out)
	})
}

// request returns the Batch that the flags describe.
func (c *batchAdd) request(at int64) audience.BatchRequest {
	r := audience.BatchRequest{Message: audience.MessageID(c.Message), SendTime: at, IsTest: c.Test}
	r.Options = audience.BatchOptions{Name: c.Name, Doubt: c.Doubt, Rate: c.Rate, LocalTime: c.Local,
		VariantOptions: audience.VariantOptions{Share: c.TestShare, Winner: c.Winner, Hours: c.WinnerHours}}
	for _, id := range c.Exclude {
		r.Options.Exclude.Batches = append(r.Options.Exclude.Batches, audience.BatchID(id))
	}
	for _, list := range c.List {
		p := audience.PopulationRequest{List: audience.ListID(list)}
		if c.Unsent {
			p.Type = string(audience.PopulationUnsent)
		}
		if c.AtSend {
			p.Time = "send"
		}
		for _, id := range c.Contact {
			p.Type = string(audience.PopulationContacts)
			p.Contacts = append(p.Contacts, audience.ContactID(id))
		}
		r.Populations = append(r.Populations, p)
	}
	return r
}

// variants reads the flags --variant.
func (c *batchAdd) variants() (all []audience.Variant, err error) {
	for _, text := range c.Variant {
		v := audience.Variant{Subject: text}
		if id, isMessage := strings.CutPrefix(text, "message="); isMessage {
			n, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				return nil, usage("--variant %q needs the ID of a Message, such as message=7", text)
			}
			v = audience.Variant{Message: audience.MessageID(n)}
		}
		all = append(all, v)
	}
	return all, nil
}

// timeLayouts are the forms of a time on the command line. Only the first one names its time zone.
var timeLayouts = []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateTime}

// sendTime reads the time of a flag: a Unix time, or a date and time in the Account's time zone unless the text names
// another one. It returns 0 for no text.
func sendTime(text string, a *audience.Account) (int64, error) {
	if text == "" {
		return 0, nil
	}
	if unix, err := strconv.ParseInt(text, 10, 64); err == nil {
		return unix, nil
	}
	zone, err := time.LoadLocation(a.TimeZone)
	if err != nil {
		return 0, err
	}
	for _, layout := range timeLayouts {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at.Unix(), nil
		}
	}
	return 0, usage("%q is not a time: give one such as 2027-01-31T09:00 or 2027-01-31T09:00:00+01:00", text)
}

type batchList struct {
	config.Database
	format
	All     bool  `help:"Also the Batches that have ended."`
	Account int64 `placeholder:"ID" help:"ID of an Account: list only its Batches."`
}

// Run lists the Batches.
func (c *batchList) Run(ctx context.Context, out *console) error {
	return withService(ctx, c.Database, func(s *audience.Service) error {
		var all []record
		err := eachAccount(ctx, s, func(caller *audience.Caller) error {
			if c.Account != 0 && caller.Account.ID != audience.AccountID(c.Account) {
				return nil
			}
			found, err := c.find(ctx, s, caller)
			for i := range found {
				all = append(all, append(batchRecord(&found[i]), value{"account_id", caller.Account.ID}))
			}
			return err
		})
		if err != nil {
			return err
		}
		return c.list(out.stdout, all, "id", "account_id", "send_status", "message_id", "list_id", "send_time",
			"send_contact_count", "send_current_count", "reason")
	})
}

// find returns the Batches of an Account.
func (c *batchList) find(ctx context.Context, s *audience.Service, caller *audience.Caller) ([]audience.Batch, error) {
	if c.All {
		return s.SearchBatches(ctx, caller, audience.Query{})
	}
	return s.CurrentBatches(ctx, caller)
}

// batchRecord returns the attributes of a Batch with their names in the API, and why the server paused or failed it.
func batchRecord(b *audience.Batch) record {
	return append(recordOf(audience.BatchAttributes, b), value{"reason", b.Reason})
}

// oneBatch are the flags and arguments of a command for one Batch.
type oneBatch struct {
	config.Database
	format
	ID int64 `arg:"" help:"ID of the Batch, as enlist batch list shows it."`
}

// do runs a function with the Batch's ID and a Caller of its Account.
func (c *oneBatch) do(ctx context.Context, fn func(*audience.Service, *audience.Caller, audience.BatchID) error) error {
	return withService(ctx, c.Database, func(s *audience.Service) error {
		id := audience.BatchID(c.ID)
		caller, err := ownerOf(ctx, s, audience.NoBatch, func(caller *audience.Caller) error {
			_, err := s.Batch(ctx, caller, id)
			return err
		})
		if audience.KindOf(err) == audience.NoBatch {
			err := audience.Refuse(audience.NoBatch, "no Batch with ID %d", id)
			return next(err, "enlist batch list --all prints the Batches")
		}
		if err != nil {
			return err
		}
		return fn(s, caller, id)
	})
}

// edit runs a command of editBatch and prints the new status.
func (c *oneBatch) edit(ctx context.Context, out *console, command, at string) error {
	return c.do(ctx, func(s *audience.Service, caller *audience.Caller, id audience.BatchID) error {
		when, err := sendTime(at, caller.Account)
		if err != nil {
			return err
		}
		if err := s.EditBatch(ctx, caller, id, command, when); err != nil {
			return err
		}
		b, err := s.Batch(ctx, caller, id)
		if err != nil {
			return err
		}
		return c.one(out.stdout, batchRecord(b), "Batch %d is %s", id, b.Status)
	})
}

type batchPause struct{ oneBatch }

// Run pauses the Batch.
func (c *batchPause) Run(ctx context.Context, out *console) error {
	return c.edit(ctx, out, "pause", "")
}

type batchResume struct{ oneBatch }

// Run continues the Batch.
func (c *batchResume) Run(ctx context.Context, out *console) error {
	return c.edit(ctx, out, "unpause", "")
}

type batchCancel struct{ oneBatch }

// Run cancels the Batch.
func (c *batchCancel) Run(ctx context.Context, out *console) error {
	return c.edit(ctx, out, "cancel", "")
}

type batchReschedule struct {
	oneBatch
	At string `required:"" placeholder:"TIME" help:"When to send, in the Account's time zone, such as 2027-01-31T09:00."`
}

// Run changes the send time of the Batch.
func (c *batchReschedule) Run(ctx context.Context, out *console) error {
	return c.edit(ctx, out, "reschedule", c.At)
}

type batchDelete struct{ oneBatch }

// Run deletes the Batch.
func (c *batchDelete) Run(ctx context.Context, out *console) error {
	return c.do(ctx, func(s *audience.Service, caller *audience.Caller, id audience.BatchID) error {
		if err := s.DeleteBatch(ctx, caller, id); err != nil {
			return err
		}
		return c.one(out.stdout, record{{"id", id}}, "deleted Batch %d", id)
	})
}

type batchShow struct {
	oneBatch
	Follow bool `help:"Show the progress until the Batch has ended."`
}

// Run shows the Batch.
func (c *batchShow) Run(ctx context.Context, out *console) error {
	return c.do(ctx, func(s *audience.Service, caller *audience.Caller, id audience.BatchID) error {
		if c.Follow {
			return followBatch(ctx, s, caller, id, out)
		}
		b, err := s.Batch(ctx, caller, id)
		if err != nil {
			return err
		}
		return c.show(out.stdout, batchRecord(b))
	})
}

type batchStats struct{ oneBatch }

// Run shows the numbers of the Batch.
func (c *batchStats) Run(ctx context.Context, out *console) error {
	return c.do(ctx, func(s *audience.Service, caller *audience.Caller, id audience.BatchID) error {
		r, err := s.BatchReport(ctx, caller, id)
		if err != nil {
			return err
		}
		return c.show(out.stdout, statsRecord(r))
	})
}

type batchWinner struct {
	oneBatch
	Variant int64 `arg:"" help:"Number of the variant, from 1."`
}

// Run chooses the winner of the variants.
func (c *batchWinner) Run(ctx context.Context, out *console) error {
	return c.do(ctx, func(s *audience.Service, caller *audience.Caller, id audience.BatchID) error {
		if err := s.ChooseWinner(ctx, caller, id, c.Variant); err != nil {
			return err
		}
		return c.one(out.stdout, record{{"id", id}, {"variant", c.Variant}}, "variant %d is the winner of Batch %d", c.Variant, id)
	})
}

// statsRecord returns the numbers of a Batch.
func statsRecord(r *audience.BatchReport) record {
	all := record{{"recipients", r.Recipients}, {"sent", r.Sent}, {"refused", r.Refused}, {"failed", r.Failed},
		{"skipped", r.Skipped}, {"unsent", r.Unsent()}, {"opened", r.Opened()}, {"opened_by_people", r.HumanOpened},
		{"clicked", r.Clicked}, {"clicked_by_people", r.HumanClicked},
		{"bounced", r.Bounced}, {"complained", r.Complained}, {"unsubscribed", r.Unsubscribed},
		{"deactivated", r.Deactivated}, {"repeated", r.Repeated}, {"doubtful", r.Doubtful}}
	for _, left := range recordOf(audience.LeftOutAttributes, &r.BatchCounts) {
		all = append(all, value{"left_out_" + left.name, left.any})
	}
	for i := range r.ByVariant {
		v := &r.ByVariant[i]
		all = append(all, value{fmt.Sprintf("variant_%d", v.Number), fmt.Sprintf("%d sent, %d opened and %d clicked by people",
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
