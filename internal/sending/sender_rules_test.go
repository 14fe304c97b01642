package sending_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/mail/mailtest"
	"enlist/internal/pace"
	"enlist/internal/recipients"
	"enlist/internal/sending"
)

// This file combines each rule about the time and the recipients of a Batch with each behaviour of a mail server. The
// clock of the service is set by the test. It shows the night on which clocks in Berlin are put forward at 01:00 UTC.

// serverBehaviour is what a mail server does with the mails to some recipients, the victims.
type serverBehaviour struct {
	name   string
	stage  mailtest.Stage
	times  int // how often for each victim; 0: always
	action mailtest.Action
}

var serverBehaviours = []serverBehaviour{
	// The first 421 can be the reply over a connection that was open before. Then the mail is sent again at once.
	{"421", mailtest.Rcpt, 2, mailtest.Reply(421, "4.7.0 too many mails")},
	{"451", mailtest.Rcpt, 1, mailtest.Reply(451, "4.3.0 later")},
	{"550", mailtest.Rcpt, 0, mailtest.Reply(550, "5.1.1 no such user")},
	{"slow", mailtest.Rcpt, 0, mailtest.Wait(50 * time.Millisecond)},
	{"closing after DATA", mailtest.End, 1, mailtest.Drop()},
}

// batchRule is a rule, with a Batch that has it and the times at which a sender runs.
type batchRule struct {
	name       string
	recipients int // their zones are those of berlinLagosLondon in turn
	victims    int // the recipients from a1 on
	calendar   string
	warmup     string
	rate       string // of the mail server
	request    batches.BatchRequest
	moments    []string                  // UTC
	during     func(p *batchNight)       // runs after each moment; nil: nothing
	check      func(p *batchNight) error // compares what the mail server has seen
}

var berlinLagosLondon = []string{"Europe/Berlin", "Africa/Lagos", "Europe/London"}

var batchRules = []batchRule{
	{name: "a rate holds in every period", recipients: 10, victims: 2, rate: "relay=6/minute", moments: every("2026-03-29T00:59:00Z", 10*time.Second, 20),
		check: func(p *batchNight) error { return p.atMost(6, time.Minute) }},
	{name: "a closed calendar stops further attempts", recipients: 10, victims: 2, calendar: "sun 1:00-2:30 Europe/Berlin",
		moments: []string{"2026-03-28T23:59:59Z", "2026-03-29T00:59:59Z", "2026-03-29T01:00:05Z", "2026-04-04T22:59:59Z", "2026-04-04T23:00:00Z"},
		check: func(p *batchNight) error {
			return p.notBefore(func(to string, at string) bool { return at == "2026-03-29T00:59:59Z" || at >= "2026-04-04T23:00:00Z" })
		}},
	{name: "a day of a warm-up plan that has 23 hours", recipients: 10, victims: 2, calendar: "sun-sat 0-24 Europe/Berlin", warmup: "2026-03-29 6 2",
		moments: append(every("2026-03-28T23:00:00Z", 4*time.Hour, 6), "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z"),
		check: func(p *batchNight) error {
			if n := p.attemptsBetween("", "2026-03-29T22:00:00Z"); n > 6 {
				return fmt.Errorf("%d attempts on the first day, want at most 6", n)
			}
			return nil
		}},
	{name: "refused addresses pause the Batch, other failures do not", recipients: 600, victims: 75, moments: []string{"2026-03-29T00:59:59Z"},
		during: (*batchNight).continueAfterBounces, check: (*batchNight).checkPaused},
	{name: "complaints pause the Batch", recipients: 10, victims: 2, rate: "relay=60/minute", moments: every("2026-03-29T00:59:57Z", 3*time.Second, 8),
		during: (*batchNight).complain},
	{name: "each attempt sends the same variant, and the winner goes to the rest", recipients: 24, victims: 4,
		request: batches.BatchRequest{Options: batches.BatchOptions{VariantOptions: batches.VariantOptions{
			Variants: []batches.Variant{{}, {Subject: "Other"}}, Share: 50, Hours: 1, Winner: "opens"}}},
		moments: []string{"2026-03-29T00:30:00Z", "2026-03-29T00:30:05Z", "2026-03-29T00:31:00Z", "2026-03-29T01:29:59Z", "2026-03-29T01:30:00Z"},
		during:  (*batchNight).openOthers, check: (*batchNight).checkVariants},
	{name: "with local_time no attempt is before the time of the zone", recipients: 9, victims: 3,
		request: batches.BatchRequest{SendTime: unixTime("2026-03-29T01:30:00Z"), Options: batches.BatchOptions{LocalTime: "Zone"}}, // 02:30 in Lagos
		moments: []string{"2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z", "2026-03-29T01:00:05Z", "2026-03-29T01:29:59Z", "2026-03-29T01:30:00Z"},
		check: func(p *batchNight) error {
			berlin := make(map[string]bool) // attempts before 02:30 in Lagos
			err := p.notBefore(func(to string, at string) bool {
				if p.zones[to] == "Europe/Berlin" { // skips 02:30
					berlin[to] = berlin[to] || at < "2026-03-29T01:30:00Z"
					return at >= "2026-03-29T01:00:00Z"
				}
				return at >= "2026-03-29T01:30:00Z"
			})
			maps.DeleteFunc(berlin, func(_ string, early bool) bool { return !early })
			if err == nil && len(berlin) != 3 {
				err = fmt.Errorf("only %v in Berlin were sent the mail at 03:00", berlin)
			}
			return err
		}},
	{name: "excluded Contacts get nothing", recipients: 10, victims: 2, moments: []string{"2026-03-29T00:59:59Z"},
		request: batches.BatchRequest{Options: batches.BatchOptions{Exclude: batches.Exclusion{Criteria: &enlist.Criteria{
			Key: "Zone", Operator: "exactly", Value: enlist.Input{Kind: enlist.InputText, Text: "Africa/Lagos"}}}}},
		check: func(p *batchNight) error {
			return p.notBefore(func(to string, at string) bool { return p.zones[to] != "Africa/Lagos" })
		}},
}

// The mail server refuses some mails for a while, for ever, is slow or closes the connection after it has accepted them.
// Each recipient gets the mail once, and once again only if the outcome was unknown. The rule of the Batch holds for
// the repeated attempts too, and the report has the numbers that the mail server has seen. With -short, each rule meets
// two of the behaviours, and one on PostgreSQL. Each behaviour occurs.
//
// covers: spec batch.rate, batch.calendar, batch.warmup, batch.variants, batch.local_time, batch.exclude, batch.doubt, decision 59, decision 63, decision 94
func TestRulesOfABatchHoldDespiteFailures(t *testing.T) {
	dbtest.EachParallel(t, rulesOfABatchHoldDespiteFailures)
}

func rulesOfABatchHoldDespiteFailures(t *testing.T, e dbtest.Engine) {
	for i, rule := range batchRules {
		for k, server := range serverBehaviours {
			if testing.Short() && k != (2*i+1)%5 && (k != (2*i+3)%5 || e.Name == dbtest.Postgres.Name) {
				continue
			}
			t.Run(rule.name+"/"+server.name, func(t *testing.T) {
				t.Parallel()
				p := newBatchNight(t, e, rule, server)
				p.run()
				p.compare()
				if rule.check != nil {
					if err := rule.check(p); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// batchNight is a Batch with a rule, whose mails go to a mail server with a behaviour.
type batchNight struct {
	*mailedList
	rule     batchRule
	behaves  serverBehaviour
	mailer   sending.Mailer
	clock    atomic.Int64
	id       enlist.BatchID
	zones    map[string]string // by address
	contacts map[string]enlist.ContactID
	unpaused bool
	reported map[string]bool // who complained or opened

	mu       sync.Mutex
	attempts []attempt
	failed   map[string]int // by victim
}

// attempt is a mail that a sender began to hand over.
type attempt struct {
	to string
	at int64 // what the clock of the test showed
}

func newBatchNight(t *testing.T, e dbtest.Engine, rule batchRule, server serverBehaviour) *batchNight {
	t.Helper()
	p := &batchNight{mailedList: newMailedList(t, e), rule: rule, behaves: server, zones: make(map[string]string),
		contacts: make(map[string]enlist.ContactID), reported: make(map[string]bool), failed: make(map[string]int)}
	p.clock.Store(unixTime(rule.moments[0]))
	p.service = app.New(p.store, func() time.Time { return time.Unix(p.clock.Load(), 0) })
	_, err := p.service.Lists.EditList(t.Context(), p.caller, p.list, []enlist.Detail{detail("track_opens", "true")})
	p.must(err)
	p.must(p.service.Accounts.SetTimeZone(t.Context(), p.caller.Account.ID, "Africa/Lagos"))
	settings := pace.Settings{Relay: "test", From: "news@example.com"}
	settings.Calendar, err = pace.ParseCalendar(rule.calendar)
	p.must(err)
	settings.Warmup, err = pace.ParseWarmup(rule.warmup)
	p.must(err)
	settings.Rates, err = pace.ParseRateLimits(strings.Fields(rule.rate))
	p.must(err)
	p.service.SetSending(settings)
	p.server.Script(p.script)
	p.mailer = p.newMailer()
	_, err = p.service.Lists.AddField(t.Context(), p.caller, p.list, []enlist.Detail{detail("name", "Zone"), detail("type", "text")})
	p.must(err)
	var rows [][]enlist.Detail
	for i := range rule.recipients {
		to := fmt.Sprintf("a%d@example.com", i)
		p.zones[to] = berlinLagosLondon[i%len(berlinLagosLondon)]
		rows = append(rows, []enlist.Detail{detail("Email", to), detail("Zone", p.zones[to])})
	}
	added, err := p.service.Contacts.AddContacts(t.Context(), p.caller, contacts.AddRequest{List: p.list, Contacts: rows})
	p.must(err)
	for i := range added {
		p.contacts[fmt.Sprintf("a%d@example.com", i)] = added[i]
	}
	p.id = p.addBatch(0, rule.request)
	return p
}

// isVictim reports whether the mail server does something special with the mails to an address.
func (p *batchNight) isVictim(to string) bool {
	var n int
	fmt.Sscanf(to, "a%d@", &n)
	return n >= 1 && n <= p.rule.victims
}

// script is the script of the mail server.
func (p *batchNight) script(s mailtest.Step) mailtest.Action {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.Stage == mailtest.Rcpt {
		p.attempts = append(p.attempts, attempt{s.To[0], p.clock.Load()})
	}
	if s.Stage != p.behaves.stage || !p.isVictim(s.To[0]) || p.behaves.times > 0 && p.failed[s.To[0]] >= p.behaves.times {
		return mailtest.Action{}
	}
	p.failed[s.To[0]]++
	return p.behaves.action
}

// run runs a sender at each moment of the rule, and then at growing intervals until the Batch is completed: each 421
// halves a rate, which grows by a tenth a minute.
func (p *batchNight) run() {
	p.Helper()
	for _, at := range p.rule.moments {
		p.runAt(unixTime(at))
	}
	for i := range 60 {
		if p.status() == batches.BatchCompleted {
			return
		}
		p.runAt(p.clock.Load() + 15*min(1<<i, int64(100)))
	}
	b, err := p.service.Batches.Batch(p.Context(), p.caller, p.id)
	p.Fatalf("the Batch is not completed: %+v, %v", b, err)
}

// runAt sets the clock and runs a sender.
func (p *batchNight) runAt(now int64) {
	p.Helper()
	p.clock.Store(now)
	p.prepare(p.id)
	p.runSender()
	if p.rule.during != nil {
		p.rule.during(p)
	}
}

// runSender runs a sender until it waits, as it does when the Batch is completed, or until the mail server gets no further
// mail for half a second, because workers wait for it after a 421.
func (p *batchNight) runSender() {
	p.Helper()
	sender := p.service.Sending.NewBatchSender(sending.SenderOptions{Mailer: p.mailer, Slots: sending.NewSlots(8), Connections: 4,
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.Unix(p.clock.Load(), 0) }})
	sender.Start()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for idle, quiet, seen := 0, 0, -1; idle < 5 && quiet < 25; <-look.C {
		idle, quiet = idle+1, quiet+1
		if !sender.Idle() {
			idle = 0
		}
		if now := p.server.Seen(mailtest.Rcpt) + len(p.server.Messages()); now != seen || !sender.HasLooked() {
			quiet, seen = 0, now
		}
	}
	ctx, cancel := context.WithTimeout(p.Context(), 10*time.Second)
	defer cancel()
	sender.Stop(ctx)
}

func (p *batchNight) status() batches.BatchStatus {
	p.Helper()
	b, err := p.service.Batches.Batch(p.Context(), p.caller, p.id)
	p.must(err)
	return b.Status
}

// compare compares the report of the Batch with the mails that the mail server has accepted.
func (p *batchNight) compare() {
	p.Helper()
	ids := make(map[string][]string) // Message-IDs by address
	for _, m := range p.server.Messages() {
		ids[m.To[0]] = append(ids[m.To[0]], header(p.T, m, "Message-Id"))
	}
	var want recipients.Counts
	for to := range p.zones {
		excluded := p.rule.request.Options.Exclude.Criteria != nil && p.zones[to] == "Africa/Lagos"
		refused := p.behaves.name == "550" && p.isVictim(to)
		mails := 1
		switch {
		case excluded:
			want.LeftExcluded++
			mails = 0
		case refused:
			want.Refused++
			mails = 0
		default:
			want.Sent++
			if p.failed[to] > 0 && p.behaves.action.Drop && !p.reported[to] {
				want.Repeated++
				mails = 2
			}
		}
		if len(ids[to]) != mails || len(slices.Compact(ids[to])) > 1 {
			p.Errorf("%s got mails with the Message-IDs %v, want %d mails with one Message-ID", to, ids[to], mails)
		}
	}
	want.Recipients, want.Bounced = want.Sent+want.Refused, want.Refused
	r, err := p.service.Reports.BatchReport(p.Context(), p.caller, p.id)
	p.must(err)
	if p.rule.name == "complaints pause the Batch" {
		want.Complained, want.Unsubscribed = int64(len(p.reported)), int64(len(p.reported))
	}
	want.Unmeasured.Clicks = want.Delivered() // the List tracks opens
	if p.rule.name == "complaints pause the Batch" {
		want.Unmeasured = r.Unmeasured // of a mail without a result, of which only a complaint is known, this is unknown too
	}
	if r.Counts != want || r.Unsent() != 0 {
		p.Errorf("the report has %+v and %d unsent, want %+v and none", r.Counts, r.Unsent(), want)
	}
}

// every returns n times at an interval.
func every(from string, interval time.Duration, n int) (all []string) {
	for i := range n {
		all = append(all, timeText(unixTime(from)+int64(i)*int64(interval/time.Second)))
	}
	return all
}

func unixTime(text string) int64 {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at.Unix()
}

func timeText(at int64) string { return time.Unix(at, 0).UTC().Format(time.RFC3339) }
