package sending_test

import (
	"fmt"
	"time"

	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file has what the rules of sender_rules_test.go check, and what recipients and callers do meanwhile.

// atMost checks that no period has more than n attempts.
func (p *batchNight) atMost(n int, period time.Duration) error {
	for i := range p.attempts {
		from := p.attempts[i].at
		if got := p.attemptsBetween(timeText(from), timeText(from+int64(period/time.Second))); got > n {
			return fmt.Errorf("%d attempts in the %v from %s, want at most %d", got, period, timeText(from), n)
		}
	}
	return nil
}

// attemptsBetween counts the attempts from a time until before another. Two attempts of a mail at the same time are one:
// the first was over a connection that the mail server closed.
func (p *batchNight) attemptsBetween(from, until string) int {
	counted := make(map[attempt]bool)
	for _, a := range p.attempts {
		if at := timeText(a.at); at >= from && at < until {
			counted[a] = true
		}
	}
	return len(counted)
}

// notBefore checks the time of each attempt.
func (p *batchNight) notBefore(allowed func(to, at string) bool) error {
	for _, a := range p.attempts {
		if !allowed(a.to, timeText(a.at)) {
			return fmt.Errorf("an attempt to send to %s in %s was at %s", a.to, p.zones[a.to], timeText(a.at))
		}
	}
	return nil
}

// continueAfterBounces continues a Batch that is paused.
func (p *batchNight) continueAfterBounces() {
	p.Helper()
	if p.status() == batches.BatchPaused && !p.unpaused {
		p.unpaused = len(p.attempts) < p.rule.recipients
		p.edit(p.id, "unpause")
	}
}

// checkPaused checks that the Batch was paused before its last mail if the mail server has refused the victims.
func (p *batchNight) checkPaused() error {
	if want := p.behaves.name == "550"; p.unpaused != want {
		return fmt.Errorf("the Batch was paused before its last mail: %t, want %t", p.unpaused, want)
	}
	return nil
}

// complain reports the first three recipients of a mail, checks that the Batch is paused, and continues it after two
// further moments.
func (p *batchNight) complain() {
	p.Helper()
	if len(p.reported) == 3 {
		if s := p.status(); s == batches.BatchPaused && !p.unpaused {
			p.unpaused = true
			before := len(p.attempts)
			p.runSender()
			if len(p.attempts) != before {
				p.Error("a paused Batch sends mails")
			}
			p.edit(p.id, "unpause")
		}
		return
	}
	for _, m := range p.server.Messages() {
		if len(p.reported) < 3 && !p.reported[m.To[0]] {
			p.reported[m.To[0]] = true
			_, err := p.service.Sending.Complained(p.Context(), p.key(m.To[0]), "spam")
			p.must(err)
		}
	}
	if s := p.status(); len(p.reported) == 3 && s != batches.BatchPaused {
		p.Errorf("the Batch is %s after 3 complaints, want it paused", s)
	}
}

// key returns the key of the mail to an address.
func (p *batchNight) key(to string) enlist.DeliveryKey {
	return enlist.DeliveryKey{List: p.list, Contact: p.contacts[to], Time: unixTime(p.rule.moments[0]), Cause: batches.CauseBatch(p.id)}
}

// openOthers opens the mails of the second variant, as a person does.
func (p *batchNight) openOthers() {
	p.Helper()
	for _, m := range p.server.Messages() {
		if p.clock.Load() > unixTime(p.rule.moments[0]) && header(p.T, m, "Subject") == "Other" {
			p.must(p.service.Sending.Opened(p.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: p.key(m.To[0])}, "Mozilla/5.0 Thunderbird/140.0"))
		}
	}
}

// checkVariants checks that all mails to a recipient have one subject, that the test has both subjects, that the others
// waited for the winner, and that the report has these numbers.
func (p *batchNight) checkVariants() error {
	subjects := make(map[string]string)
	for _, m := range p.server.Messages() {
		to, subject := m.To[0], header(p.T, m, "Subject")
		if subjects[to] != "" && subjects[to] != subject {
			return fmt.Errorf("%s got the variants %q and %q", to, subjects[to], subject)
		}
		subjects[to] = subject
	}
	first := make(map[string]int64)
	for _, a := range p.attempts {
		if first[a.to] == 0 {
			first[a.to] = a.at
		}
	}
	sums := make(map[string]int64)
	test := make(map[string]int)
	for to, subject := range subjects {
		if subject != "Other" {
			subject = ""
		}
		sums[subject]++
		switch at := timeText(first[to]); {
		case at < "2026-03-29T01:30:00Z":
			test[subject]++
		case subject != "Other":
			return fmt.Errorf("%s got the variant %q at %s, want the winner Other an hour after the first mail", to, subject, at)
		}
	}
	if test[""] == 0 || test["Other"] == 0 || len(subjects) == test[""]+test["Other"] {
		return fmt.Errorf("of %d mails, the test had %v, want a part with both variants", len(subjects), test)
	}
	r, err := p.service.Reports.BatchReport(p.Context(), p.caller, p.id)
	for _, v := range r.ByVariant {
		if v.Sent != sums[v.Subject] {
			return fmt.Errorf("the report has %d mails of the variant %q, and %d arrived", v.Sent, v.Subject, sums[v.Subject])
		}
	}
	return err
}
