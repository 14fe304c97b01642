package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/rpc"
)

// enlist batch add: adds a Batch. Its flags are the parameters and options of addBatch.

// newBatch are the flags that describe a Batch, for enlist batch add and enlist batch check.
type newBatch struct {
	Message int64    `required:"" placeholder:"ID" help:"ID of the Message."`
	List    []string `required:"" placeholder:"ID" help:"ID of a List, ID:unsent or ID:CONTACT; may be repeated. An address gets one mail."`
	Contact []int64  `placeholder:"ID" help:"Send only to these Contacts of the List; may be repeated."`
	Unsent  bool     `help:"Send only to the Contacts that were never sent the Message."`
	Where   string   `placeholder:"JSON" help:"Send only to the Contacts that match this search_criteria of the API."`
	AtSend  bool     `help:"Find the recipients at the send time, not at once."`

	Exclude      string  `placeholder:"JSON" help:"Leave out the Contacts that match this search_criteria of the API."`
	ExcludeBatch []int64 `placeholder:"ID" help:"Leave out the Contacts of this Batch; may be repeated."`

	Name  string `help:"Name of the Batch."`
	Doubt string `enum:"send,skip" default:"send" help:"A mail of unknown outcome: send it again, or skip it."`
	Rate  string `placeholder:"RATE" help:"Largest rate of the mails, such as 20/second,5000/day."`

	Local       string   `name:"local-time" placeholder:"FIELD" help:"Send at the time of --at in the zone in this Field."`
	Variant     []string `sep:"none" placeholder:"TEXT" help:"A subject, or message=ID, or empty; two to four flags."`
	TestShare   int64    `placeholder:"PERCENT" help:"Recipients that get one of the variants (20); the others get the winner."`
	Winner      string   `placeholder:"BY" help:"What chooses the winner: clicks (the default), opens or hand."`
	WinnerHours int64    `placeholder:"HOURS" help:"When the winner is chosen: 1 to 48 hours after the first mail (4)."`

	Account int64 `placeholder:"ID" help:"ID of the Message's Account; needed if there are several Accounts."`
}

type batchAdd struct {
	reporting
	newBatch
	At     string `placeholder:"TIME" help:"When to send, in the Account's time zone: such as 2027-01-31T09:00. Without it: now."`
	Test   bool   `help:"Put [test] before the subject."`
	Follow bool   `help:"Show the progress until the Batch has ended."`
	Force  bool   `help:"Add the Batch although the check finds an error."`
	Yes    bool   `help:"Do not ask before the Batch is added."`
}

// Run looks for mistakes and adds the Batch.
func (c *batchAdd) Run(ctx context.Context, out *console) error {
	request, err := c.request()
	if err != nil {
		return err
	}
	request.IsTest, request.Options.Force = c.Test, c.Force
	return withService(ctx, c.Database, func(s *app.App) error {
		caller, err := operator(ctx, s, c.Account)
		if err != nil {
			return err
		}
		request.SendTime, err = futureTime(c.At, caller.Account, s.DB.Now())
		if err != nil {
			return err
		}
		if request.Shown, err = c.confirm(ctx, out, s, caller, request); err != nil {
			return err
		}
		id, err := s.Batches.AddBatch(ctx, caller, request)
		if errors.Is(err, batches.ErrNotAsShown) {
			return errors.New("nothing was added: the Message, a Segment or the recent Batches have changed since they " +
				"were shown; run the command again")
		}
		if err != nil {
			return err
		}
		b, err := s.Batches.Batch(ctx, caller, id)
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

// confirm shows who would get which mail, what is probably wrong with it, and who got it in the last day. It asks the
// operator, and returns what it has shown.
func (c *batchAdd) confirm(ctx context.Context, out *console, s *app.App, caller *enlist.Caller,
	r batches.BatchRequest) (*batches.Shown, error) {
	check, err := checkBatch(ctx, out, s, caller, r)
	if err != nil {
		return nil, err
	}
	if err := printFindings(out.stderr, check); err != nil {
		return nil, err
	}
	if err := failure(check); err != nil && !c.Force {
		return nil, err
	}
	m, err := s.Messages.Message(ctx, caller, r.Message)
	if err != nil {
		return nil, err
	}
	if err := printRecent(out.stderr, check, caller.Account); err != nil {
		return nil, err
	}
	question := fmt.Sprintf("Send the Message %d %q to %d Contacts", m.ID, plainText(m.Subject, ""), check.Recipients)
	if r.SendTime != 0 {
		question += " at " + accountTime(r.SendTime, caller.Account)
	}
	return check.Shown(), out.confirm(c.Yes, question+"?")
}

// printRecent warns of the Batches of the last day that send the Message to one of the Lists.
func printRecent(w io.Writer, check *batches.BatchCheck, a *enlist.Account) error {
	for i := range check.Recent {
		b := &check.Recent[i]
		what, n, at := "got", b.Sent, b.FirstSent
		if at == 0 {
			what, n, at = "will get", b.ToSend(), b.SendTime
		}
		if _, err := fmt.Fprintf(w, "warning: Contacts who %s this Message at %s: %d (Batch %d)\n", what,
			accountTime(at, a), n, b.ID); err != nil {
			return err
		}
	}
	return nil
}

// accountTime writes a time as the Account's clock shows it.
func accountTime(at int64, a *enlist.Account) string {
	return time.Unix(at, 0).In(enlist.Location(a.TimeZone)).Format("2006-01-02 15:04 MST")
}

// request returns the Batch that the flags describe, without a send time.
func (c *newBatch) request() (r batches.BatchRequest, err error) {
	chosen := 0
	for _, is := range []bool{len(c.Contact) > 0, c.Unsent, c.Where != ""} {
		if is {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return r, usage("choose one of --contact, --unsent and --where")
	case len(c.Contact) > 0 && len(c.List) > 1:
		return r, usage("--contact needs exactly one --list: the IDs of Contacts belong to one List")
	case chosen > 0 && !slices.ContainsFunc(c.List, isWhole):
		return r, usage("--contact, --unsent and --where need a --list without a suffix")
	}
	r.Message = enlist.MessageID(c.Message)
	r.Options, err = c.options()
	if err != nil {
		return r, err
	}
	where, err := criteria("--where", c.Where)
	for _, text := range c.List {
		if err == nil {
			r.Populations, err = c.addPopulation(r.Populations, text, where)
		}
	}
	return r, err
}

// addPopulation adds the population of one flag --list. Without a suffix, the other flags say which Contacts of the
// List are meant. The Contacts of a List that have a flag each are one population.
func (c *newBatch) addPopulation(all []batches.PopulationRequest, text string, where *enlist.Criteria) (
	[]batches.PopulationRequest, error) {
	id, suffix, hasSuffix := strings.Cut(text, ":")
	list, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, usageOfList(text)
	}
	p := batches.PopulationRequest{List: enlist.ListID(list)}
	if c.AtSend {
		p.Time = "send"
	}
	contacts := c.Contact
	switch {
	case !hasSuffix:
		p.Criteria = where
	case suffix == string(batches.PopulationUnsent):
		contacts = nil
	default:
		contact, err := strconv.ParseInt(suffix, 10, 64)
		if err != nil {
			return nil, usageOfList(text)
		}
		contacts = []int64{contact}
	}
	if suffix == string(batches.PopulationUnsent) || !hasSuffix && c.Unsent {
		p.Type = string(batches.PopulationUnsent)
	}
	if len(contacts) == 0 {
		return append(all, p), nil
	}
	p.Type = string(batches.PopulationContacts)
	i := slices.IndexFunc(all, func(other batches.PopulationRequest) bool {
		return other.List == p.List && other.Type == p.Type
	})
	if i < 0 {
		i = len(all)
		all = append(all, p)
	}
	for _, contact := range contacts {
		all[i].Contacts = append(all[i].Contacts, enlist.ContactID(contact))
	}
	return all, nil
}

// isWhole reports whether a flag --list has no suffix.
func isWhole(list string) bool { return !strings.Contains(list, ":") }

// usageOfList returns the error of a flag --list that cannot be read.
func usageOfList(text string) error {
	return usage("--list %q: give the ID of a List such as 1, 1:unsent for the Contacts that were never sent the Message, "+
		"or 1:17 for the Contact 17", text)
}

// options returns the options of the Batch.
func (c *newBatch) options() (o batches.BatchOptions, err error) {
	o = batches.BatchOptions{Name: c.Name, Doubt: c.Doubt, Rate: c.Rate, LocalTime: c.Local,
		VariantOptions: batches.VariantOptions{Share: c.TestShare, Winner: c.Winner, Hours: c.WinnerHours}}
	for _, id := range c.ExcludeBatch {
		o.Exclude.Batches = append(o.Exclude.Batches, enlist.BatchID(id))
	}
	o.Exclude.Criteria, err = criteria("--exclude", c.Exclude)
	if err != nil {
		return o, err
	}
	o.Variants, err = c.variants()
	return o, err
}

// criteria reads the criteria of a flag. Without a text there are none, but criteria without a test would leave out no
// Contact, or send to all.
func criteria(flag, text string) (*enlist.Criteria, error) {
	if text == "" {
		return nil, nil
	}
	found, err := rpc.ParseCriteria(text)
	if err != nil {
		return nil, usage("%s: %v", flag, err)
	}
	if found == nil {
		return nil, usage(`%s needs criteria such as [["Email","ends_with","@example.com"]]`, flag)
	}
	return found, nil
}

// variants reads the flags --variant.
func (c *newBatch) variants() (all []batches.Variant, err error) {
	for _, text := range c.Variant {
		v := batches.Variant{Subject: text}
		if id, isMessage := strings.CutPrefix(text, "message="); isMessage {
			n, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				return nil, usage("--variant %q needs the ID of a Message, such as message=7", text)
			}
			v = batches.Variant{Message: enlist.MessageID(n)}
		}
		all = append(all, v)
	}
	return all, nil
}

// timeLayouts are the forms of a time on the command line that name no time zone.
var timeLayouts = []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateTime}

// futureTime is sendTime for a time that has not passed: it would mean "now".
func futureTime(text string, a *enlist.Account, now time.Time) (int64, error) {
	at, err := sendTime(text, a)
	if err == nil && at != 0 && at < now.Unix() {
		err = usage("%s has passed: give a later time", accountTime(at, a))
	}
	return at, err
}

// sendTime reads the time of a flag: a Unix time, or a date and time in the Account's time zone unless the text names
// another one. It returns 0 for no text.
func sendTime(text string, a *enlist.Account) (int64, error) {
	if text == "" {
		return 0, nil
	}
	if unix, err := strconv.ParseInt(text, 10, 64); err == nil && unix >= 1e9 { // a smaller one is a date such as 20270131
		return unix, nil
	}
	zone, err := time.LoadLocation(a.TimeZone)
	if err != nil {
		return 0, err
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.Unix(), nil
	}
	for _, layout := range timeLayouts {
		if at, err := enlist.ParseClock(layout, text, zone); err == nil {
			return at.Unix(), nil
		}
	}
	return 0, usage("%q is not a time: give one such as 2027-01-31T09:00 or 2027-01-31T09:00:00+01:00", text)
}
