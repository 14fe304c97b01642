package pace

import (
	"math"
	"strings"

	"enlist/internal/enlist"
)

// Pace is the rate of the mails to a domain group, or of all mails, after a reply that asks for fewer. It grows by a tenth each
// minute until it reaches the Top. Then it has no effect any more.
type Pace struct {
	Group string // a domain group, or a RelayGroup
	Mails int64  // a minute, at Time
	Top   int64  // mails a minute: the limit of the group, or its rate before the first such reply
	Time  int64
}

const relayPrefix = "relay " // no domain has a space

// RelayGroup stands for all mails through a mail server, in place of a domain group.
func RelayGroup(relay string) string { return relayPrefix + relay }

// Relay returns the name of the mail server whose mails are slowed down, or "" for a domain group.
func (p *Pace) Relay() string {
	name, _ := strings.CutPrefix(p.Group, relayPrefix)
	if name == p.Group {
		return ""
	}
	return name
}

// PaceHold is the time in seconds in which further replies do not halve the Pace again. The mails
// that were under way together get the same reply.
const PaceHold = 10

// At returns the mails a minute at a time.
func (p *Pace) At(now int64) int64 {
	minutes := max(0, now-p.Time) / 60
	grown := float64(p.Mails) * math.Pow(1.1, float64(min(minutes, 1000)))
	return max(1, int64(math.Min(grown, enlist.MaxRate)))
}

// Active reports whether the Pace is below its Top.
func (p *Pace) Active(now int64) bool { return p.At(now) < p.Top }

// Settings has the operator's settings for the mails of Batches.
type Settings struct {
	Relay string      // name of the mail server; processes with the same name share its buckets
	From  string      // sender of a mail if neither its Message nor its List has a sender
	Rates *RateLimits // nil: no limit

	MailRate float64 // mails a second of each process, which package mail keeps; 0: no limit; only for forecasts

	Calendar *Calendar // when mails are sent; nil: always
	Warmup   *Warmup   // nil: no plan
}
