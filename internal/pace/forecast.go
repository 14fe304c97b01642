package pace

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"enlist/internal/address"
	"enlist/internal/enlist"
)

// This file says when the mails of a Batch will leave, as far as the limits, the calendar and the other Batches allow,
// and what slows them. It does not know of rates that providers ask for (pace.go), which last for minutes.

// Send is a Batch that is not added yet.
type Send struct {
	Mails  int64
	Groups map[string]int64 // of these, by DomainGroup
	From   string           // address of the sender
	Rates  []enlist.Rate    // of the Batch alone
	Others Waiting          // of the Batches that are sending
	Sent   map[string]int64 // by day of the warm-up plan, what the mail server has taken
	// Fastest is how many mails an hour the fastest earlier Batch had; 0: not known.
	Fastest int64
}

// Waiting is mails that have not left.
type Waiting struct {
	Mails  int64
	Own    int64            // of these, of the same Account, so probably of the same sender
	Groups map[string]int64 // of these, by DomainGroup
}

// HourMails is how many mails will leave in an hour.
type HourMails struct {
	Time  int64 // beginning of the hour
	Mails int64
}

// Forecast is the course of a Batch.
type Forecast struct {
	Hours   []HourMails // nil: nothing is known that limits it
	Done    int64       // 0: later than in maxForecast hours
	Slowest *Limit      // what its last mails wait for; nil: none waits for longer than forecastStep
	Shared  bool        // mails of other Batches wait too
}

// Limit is something that mails wait for.
type Limit struct {
	Kind LimitKind
	Name string      // a domain of senders, or a domain group
	Rate enlist.Rate // not of a calendar, a warm-up plan or a speed
}

// LimitKind says where a Limit comes from.
type LimitKind string

// The kinds.
const (
	BatchLimit     LimitKind = "batch" // the rate of the Batch
	RelayLimit     LimitKind = "relay"
	SenderLimit    LimitKind = "sender"
	RecipientLimit LimitKind = "recipient"
	ServerLimit    LimitKind = "server"  // of all mails of this process
	FastestLimit   LimitKind = "fastest" // no limit: how fast an earlier Batch was
	SpeedLimit     LimitKind = "speed"   // no limit: a Batch that runs is slower than its limits
	WarmupLimit    LimitKind = "warmup"
	CalendarLimit  LimitKind = "calendar"
)

const (
	maxForecast  = 14 * 24 // hours of the longest forecast
	forecastStep = 10 * time.Minute
	// maxLanes is the largest number of domain groups that a forecast follows. The others have fewer mails for their
	// rates, so they decide nothing.
	maxLanes = 10
)

// Forecast returns the course of a Batch that begins at a time. It is done when the mails of the other Batches that wait
// now have left too: Batches take turns, but not at the same rate, and a small one can wait long for tokens.
func (s *Settings) Forecast(b *Send, from time.Time) (f Forecast) {
	if b.Mails == 0 {
		return f
	}
	f.Shared = b.Others.Mails > 0
	c := course{Settings: s, share: shareOf(b.Mails, b.Others.Mails), sent: b.Sent,
		days: make(map[string]int64)}
	c.addWhole(b)
	c.addLanes(b)
	if len(c.whole) == 0 && len(c.lanes) == 1 && s.Calendar == nil && s.Warmup == nil {
		return f
	}
	left, at, closed := b.Mails, from, false
	for range maxForecast * int(time.Hour/forecastStep) {
		c.refill()
		passed := int64(0)
		if s.Calendar.IsOpen(at) {
			var waits *Limit
			passed, waits = c.pass(at)
			f.Slowest = cmp.Or(waits, f.Slowest)
		} else {
			closed = true
		}
		f.add(at.Unix()-at.Unix()%enlist.Hour, passed)
		left -= passed
		at = at.Add(forecastStep)
		if left == 0 {
			f.Done = at.Unix()
			break
		}
	}
	if f.Slowest == nil && closed {
		f.Slowest = &Limit{Kind: CalendarLimit}
	}
	return f
}

// shareOf is the share of mails of this Batch among those that wait for a Limit.
func shareOf(mails, others int64) float64 { return float64(mails) / float64(mails+others) }

// add adds mails to the last hour, or begins another one.
func (f *Forecast) add(hour, mails int64) {
	if last := len(f.Hours) - 1; last >= 0 && f.Hours[last].Time == hour {
		f.Hours[last].Mails += mails
		return
	}
	f.Hours = append(f.Hours, HourMails{hour, mails})
}

// course is the state of a Batch in a forecast.
type course struct {
	*Settings
	share float64          // of the mails that others send too, those of this Batch
	whole []*gate          // that all its mails pass
	lanes []lane           // all its mails
	sent  map[string]int64 // as of Send
	days  map[string]int64 // mails of this Batch by day
}

// lane is the mails to a domain group, or all those without limits of their own.
type lane struct {
	left  int64
	gates []*gate
}

// gate is a Limit like a Bucket. Tokens of a share of a Bucket are no whole numbers.
type gate struct {
	Limit
	share  float64
	tokens float64
}

func gatesOf(l Limit, rates []enlist.Rate, share float64) (all []*gate) {
	for _, r := range rates {
		l.Rate = r
		g := &gate{Limit: l, share: share}
		g.tokens = g.most()
		all = append(all, g)
	}
	return all
}

// most is the number of tokens at which a gate is full. A rate of few mails an hour adds up to one.
func (g *gate) most() float64 { return max(1, g.share*float64((&Bucket{Rate: g.Rate}).burst())) }

// in returns the number of tokens that appear in a time.
func (g *gate) in(d time.Duration) float64 {
	return g.share * float64(d) / float64((&Bucket{Rate: g.Rate}).Interval())
}

// addWhole adds the limits of all mails. How fast earlier Batches were says something only if nothing limits all mails:
// the limits may have been others then.
func (c *course) addWhole(b *Send) {
	c.whole = gatesOf(Limit{Kind: BatchLimit}, b.Rates, 1)
	if c.Rates != nil {
		sender := address.Domain(b.From)
		c.whole = append(c.whole, gatesOf(Limit{Kind: RelayLimit}, c.Rates.relay, c.share)...)
		c.whole = append(c.whole,
			gatesOf(Limit{Kind: SenderLimit, Name: sender}, orDefault(c.Rates.senders, sender),
				shareOf(b.Mails, b.Others.Own))...)
	}
	server := enlist.Rate{Mails: int64(c.MailRate * float64(time.Hour/time.Second)), Period: enlist.PerHour}
	fastest := enlist.Rate{Mails: b.Fastest, Period: enlist.PerHour}
	switch {
	case server.Mails > b.Fastest/2: // otherwise there were several processes
		c.whole = append(c.whole, gatesOf(Limit{Kind: ServerLimit}, []enlist.Rate{server}, c.share)...)
	case b.Fastest > 0 && len(c.whole) == 0 && c.Warmup == nil:
		c.whole = append(c.whole, gatesOf(Limit{Kind: FastestLimit}, []enlist.Rate{fastest}, c.share)...)
	}
}

// addLanes divides the mails.
func (c *course) addLanes(b *Send) {
	rest := lane{left: b.Mails}
	if c.Rates != nil {
		for _, group := range slices.Sorted(maps.Keys(b.Groups)) {
			mails := b.Groups[group]
			gates := gatesOf(Limit{Kind: RecipientLimit, Name: group}, orDefault(c.Rates.recipients, group),
				shareOf(mails, b.Others.Groups[group]))
			if len(gates) > 0 && mails > 0 {
				c.lanes = append(c.lanes, lane{mails, gates})
			}
		}
	}
	slices.SortStableFunc(c.lanes, func(a, b lane) int { return cmp.Compare(b.hours(), a.hours()) })
	c.lanes = c.lanes[:min(len(c.lanes), maxLanes)]
	for i := range c.lanes {
		rest.left -= c.lanes[i].left
	}
	c.lanes = append(c.lanes, rest)
}

// hours returns how long the mails of a lane take alone.
func (l *lane) hours() (longest float64) {
	for _, g := range l.gates {
		longest = max(longest, (float64(l.left)-g.tokens)/g.in(time.Hour))
	}
	return longest
}

// refill adds the tokens of a step.
func (c *course) refill() {
	all := slices.Clone(c.whole)
	for i := range c.lanes {
		all = append(all, c.lanes[i].gates...)
	}
	for _, g := range all {
		g.tokens = min(g.tokens, g.most()) + g.in(forecastStep)
	}
}

// pass lets the mails of a step leave. It returns their number, and what others wait for.
func (c *course) pass(at time.Time) (passed int64, waits *Limit) {
	most, whole := ready(c.whole, enlist.MaxRate)
	day := ""
	if limit := c.Warmup.Limit(at, c.Zone()); limit != nil {
		day = limit.Day
		room := int64(c.share*float64(limit.Most-c.sent[day])) - c.days[day]
		if room < most {
			most, whole = max(0, room), &Limit{Kind: WarmupLimit}
		}
	}
	var wanted, waiting int64
	wants := make([]int64, len(c.lanes))
	for i := range c.lanes {
		l := &c.lanes[i]
		n, limit := ready(l.gates, l.left)
		wants[i], wanted = n, wanted+n
		if l.left-n > waiting {
			waiting, waits = l.left-n, limit
		}
	}
	if wanted > most {
		waits = whole
	}
	for i := range c.lanes {
		n := min(wants[i], most-passed)
		if wanted > most { // each lane gets its part
			n = min(n, ceilDiv(wants[i]*most, wanted))
		}
		c.lanes[i].left -= n
		take(c.lanes[i].gates, n)
		passed += n
	}
	take(c.whole, passed)
	c.days[day] += passed
	return passed, waits
}

// ready returns how many of some mails have tokens of all gates, and what the others wait for.
func ready(gates []*gate, mails int64) (n int64, waits *Limit) {
	n = mails
	for _, g := range gates {
		if g.tokens < float64(n) {
			n, waits = int64(g.tokens), &g.Limit
		}
	}
	return n, waits
}

func take(gates []*gate, mails int64) {
	for _, g := range gates {
		g.tokens -= float64(mails)
	}
}
