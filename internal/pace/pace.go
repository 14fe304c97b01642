package pace

import (
	"math"

	"enlist/internal/enlist"
)

// Pace is the rate of the mails to a domain group after such a reply. It grows by a tenth each
// minute until it reaches the Top. Then it has no effect any more.
type Pace struct {
	Group string
	Mails int64 // a minute, at Time
	Top   int64 // mails a minute: the limit of the group, or its rate before the first such reply
	Time  int64
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
