package jobs

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"enlist/internal/events"
	"enlist/internal/messages"
)

// This file sums up the failed jobs for the command `enlist doctor`.

// Failure has the failed jobs of one kind.
type Failure struct {
	Kind    string
	Refused bool // the mail server refused the addresses of these mails, which is no fault of this server
	Count   int
	Last    string // error of the newest one
}

// Failures returns the failed jobs by kind, in the order of their first job. It leaves out calls of webhooks: a failing
// webhook is one problem, however many jobs it has.
func Failures(ctx context.Context, q Queue) (all []Failure, err error) {
	failed, err := List(ctx, q, Filter{State: Failed})
	if err != nil {
		return nil, err
	}
	for _, j := range failed {
		if j.Kind == (events.DeliverWebhook{}).Kind() {
			continue
		}
		refused := j.refused()
		i := slices.IndexFunc(all, func(f Failure) bool { return f.Kind == j.Kind && f.Refused == refused })
		if i < 0 {
			i = len(all)
			all = append(all, Failure{Kind: j.Kind, Refused: refused})
		}
		all[i].Count++
		all[i].Last = j.LastFail
	}
	return all, nil
}

// ofMail are the kinds of jobs that send a mail.
var ofMail = []string{events.Notify{}.Kind(), events.Autorespond{}.Kind(), events.RequestConfirmation{}.Kind(),
	messages.SendTest{}.Kind(), events.SendLink{}.Kind()}

// aboutSender matches a reply about the sender, the mail system or policy, which other mails would get too. RFC 3463
var aboutSender = regexp.MustCompile(`answered \d{3} (5\.[3567]\.|5\.1\.[789] )`)

// refused reports whether the mail server refused the recipient of a mail for ever.
func (j *Job) refused() bool {
	return slices.Contains(ofMail, j.Kind) && strings.Contains(j.LastFail, "the mail server answered 5") &&
		!aboutSender.MatchString(j.LastFail)
}
