package sending

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/jobs"
	"enlist/internal/messages"
)

// This file shows the mails other than those of sends that wait, were deferred or failed. The queue has the jobs of all
// Accounts, and the page shows only those of this one.

// queue is what the page shows of the queue.
type queue struct {
	Waiting  int64
	Deferred []job
	Failed   []job
	Oldest   string   // age of the oldest mail that waits; "": none waits
	Most     bool     // there are more than were read
	Whole    bool     // the person may use all Lists, so the page has Ages
	Ages     *ui.Plot // how long the oldest mail waited; nil: none waited
}

// job is a mail that was not sent.
type job struct {
	ID                    int64
	What, Why, Next, Made string
	Attempt               int
	Retry                 bool // the person may try it again
}

// kinds are the kinds of jobs that send mails, in words.
var kinds = []setting{{events.Notify{}.Kind(), "sending.kind_notification"}, {events.Autorespond{}.Kind(), "sending.kind_autoresponder"},
	{contacts.RequestConfirmation{}.Kind(), "sending.kind_confirmation"}, {messages.SendTest{}.Kind(), "sending.kind_test"},
	{contacts.SendLink{}.Kind(), "sending.kind_link"}}

const (
	mostRead  = 1000 // jobs of a kind and state
	mostShown = 50   // deferred or failed mails
)

// ours returns the jobs of the Account's mails in a state, since when the oldest has been due (now: none has), and
// whether there are more than were read. Of jobs that are scheduled it returns those that are due: they were put back,
// because all mails are held or the mail server does not answer.
func (p *pages) ours(r *ui.Request, state jobs.State) (all []jobs.Job, oldest int64, more bool, err error) {
	lists, err := r.ListNames()
	if err != nil {
		return nil, 0, false, err
	}
	now := r.Now.Unix()
	oldest = now
	for _, kind := range kinds {
		found, err := jobs.List(r.Context(), p.Queue, jobs.Filter{State: state, Kind: kind.Name, Limit: mostRead})
		if err != nil {
			return nil, 0, false, err
		}
		more = more || len(found) == mostRead
		for i := range found {
			j := &found[i]
			var a about
			if json.Unmarshal([]byte(j.About), &a) != nil || !a.isOurs(r, lists) {
				continue
			}
			due := max(j.Created.Unix(), a.Due)
			if state == jobs.Scheduled && due > now {
				continue
			}
			all = append(all, *j)
			oldest = min(oldest, due)
		}
	}
	return all, oldest, more, nil
}

// about is what the page reads of the arguments of a job.
type about struct {
	List    enlist.ListID    `json:"list_id"`
	Account enlist.AccountID `json:"account_id"`
	Due     int64            `json:"due"` // of an autoresponder
}

// isOurs reports whether a job sends a mail of the Account, and of a List that the person may use.
func (a *about) isOurs(r *ui.Request, lists map[enlist.ListID]string) bool {
	if a.List == 0 {
		return a.Account == r.Caller.Account.ID && r.Caller.Key.Lists == nil
	}
	_, known := lists[a.List]
	return known && (a.Account == 0 || a.Account == r.Caller.Account.ID)
}

// readQueue reads the mails that wait.
func (p *pages) readQueue(r *ui.Request, d *data, _ bool) error {
	if p.Queue == nil {
		return nil
	}
	q := new(queue)
	oldest := r.Now.Unix()
	for _, state := range []jobs.State{jobs.Waiting, jobs.Scheduled, jobs.Retrying, jobs.Failed} {
		all, since, more, err := p.ours(r, state)
		if err != nil {
			return err
		}
		q.Most = q.Most || more
		slices.SortStableFunc(all, func(a, b jobs.Job) int { return b.Created.Compare(a.Created) })
		if state != jobs.Failed {
			oldest = min(oldest, since)
		}
		switch state {
		case jobs.Waiting, jobs.Scheduled:
			q.Waiting += int64(len(all))
		case jobs.Retrying:
			q.Deferred = shown(r, all)
		case jobs.Failed:
			q.Failed = shown(r, all)
		}
	}
	if q.Waiting > 0 || len(q.Deferred) > 0 {
		q.Oldest = r.Span(r.Now.Unix() - oldest)
	}
	d.Queue = q
	return nil
}

// shown returns the newest jobs as the page shows them. A person of level read does not see the reply of the mail
// server, which can have an address.
func shown(r *ui.Request, all []jobs.Job) (rows []job) {
	for i := range all[:min(len(all), mostShown)] {
		j := &all[i]
		one := job{ID: j.ID, Why: j.LastFail, Made: r.Date(j.Created.Unix()), Attempt: j.Attempt, Retry: mayOperate(r)}
		for _, kind := range kinds {
			if kind.Name == j.Kind {
				one.What = kind.Value
			}
		}
		if !j.Next.IsZero() {
			one.Next = r.Date(j.Next.Unix())
		}
		if !r.Caller.May(enlist.SeeContacts) {
			one.Why = r.Text("sending.person_level_standard_sees_why")
		}
		rows = append(rows, one)
	}
	return rows
}

// retry tries a mail again.
func (p *pages) retry(r *ui.Request) (*ui.View, error) {
	if p.Queue == nil || !mayOperate(r) {
		return nil, ui.ErrNotFound
	}
	for _, state := range []jobs.State{jobs.Retrying, jobs.Failed} {
		all, _, _, err := p.ours(r, state)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(j jobs.Job) bool { return j.ID == r.ID("job") }) {
			continue
		}
		err = jobs.Retry(r.Context(), p.Queue, r.App.Webhooks, r.ID("job"))
		if errors.Is(err, jobs.ErrNoJob) || errors.Is(err, jobs.ErrRunning) || errors.Is(err, jobs.ErrNotDue) {
			return ui.GoTo("/admin/sending", r.Said(err.Error())), nil
		}
		if err != nil {
			return nil, err
		}
		return ui.GoTo("/admin/sending", r.Text("sending.mail_tried_again")), nil
	}
	return nil, ui.ErrNotFound
}

const (
	agesShown = 24 * time.Hour
	agesPoint = 15 * time.Minute // the time of a point of the plot, which has the largest age in it
)

// readAges draws the ages of the last day. decisions.md: 137 Without an age there is no plot. The ages are of all Lists, so a person of
// some Lists does not see them.
func (p *pages) readAges(r *ui.Request, d *data, _ bool) error {
	if d.Queue == nil || r.Caller.Key.Lists != nil {
		return nil
	}
	first := r.Now.Truncate(agesPoint).Add(agesPoint - agesShown)
	ages, err := r.App.Sending.QueueAges(r.Context(), r.Caller, first.Unix())
	if err != nil {
		return err
	}
	chart := &ui.Chart{Language: r.Language, Title: r.Text("sending.ages_chart"), Series: []string{r.Text("sending.series_minutes")},
		Axis: r.Text("sending.from")}
	waited := false
	for _, a := range ages {
		at := int((a.Time - first.Unix()) / int64(agesPoint/time.Second))
		if at == len(chart.Points) {
			begins := first.Add(time.Duration(at) * agesPoint)
			chart.Points = append(chart.Points, ui.Point{Label: r.Language.Time("hour", begins), Values: []int64{0}})
		}
		most := &chart.Points[at].Values[0]
		*most = max(*most, a.Age/60)
		waited = waited || a.Age > 0
	}
	d.Queue.Whole = true
	if waited {
		plot := chart.Plot((*ui.Chart).Lines)
		d.Queue.Ages = &plot
	}
	return nil
}
