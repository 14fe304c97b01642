package demo

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file decides what a recipient does with a mail. It depends only on the seed, the Contact and the Batch.

// reader is the recipient of one mail.
type reader struct {
	mail   enlist.DeliveryKey
	random *rand.Rand // of this mail
	keen   float64    // probability that the person opens a mail
	agent  string     // User-Agent of the person's mail program
	kind   int        // one of the constants below
}

// Kinds of recipients.
const (
	isUsual   = iota
	isProxied // Apple's proxy fetches the images of each mail
	isScanned // a scanner follows each link before the person sees the mail
	isFull    // the mailbox is full: the mail bounces later
	isGone    // the mailbox does not exist: the mail server refuses each mail
)

// agent is the User-Agent of a mail program, with how many of 100 people use it.
type agent struct {
	weight int
	header string
}

// Parts of User-Agents that several programs send.
const (
	webKit = " AppleWebKit/605.1.15 (KHTML, like Gecko)"
	chrome = " AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0"
)

var agents = []agent{
	{31, "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)" + webKit + " Mobile/15E148"},
	{22, "Mozilla/5.0 (Linux; Android 10; K)" + chrome + " Mobile Safari/537.36"},
	{17, "Mozilla/5.0 (Windows NT 10.0; Win64; x64)" + chrome + " Safari/537.36"},
	{10, "Mozilla/4.0 (compatible; ms-office; MSOffice 16)"},
	{8, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)" + webKit},
	{6, "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Thunderbird/140.0"},
	{4, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"},
	{2, "Some Mail/1.0"},
}

const (
	proxyAgent   = "Mozilla/5.0"
	scannerAgent = "Mozilla/5.0 (compatible; Proofpoint URL Defense)"
	complaint    = "the recipient pressed the button for spam (feedback report of the mail provider)"
)

// refusals and bounces are the reasons for which mails do not arrive.
var refusals = []*messages.Undelivered{
	undelivered(550, "5.1.1 The email account that you tried to reach does not exist"),
	undelivered(550, "5.1.1 Recipient address rejected: User unknown"),
	undelivered(550, "5.1.10 Recipient not found"), undelivered(554, "5.7.1 Relay access denied"),
}

var bounces = []string{"552 5.2.2 The mailbox is full", "550 5.2.1 The account is disabled",
	"550 5.4.1 No mail server answers for the domain"}

// newReader returns the recipient of a mail.
func newReader(mail enlist.DeliveryKey) *reader {
	id := uint64(mail.List)<<40 | uint64(mail.Contact)
	always := rand.New(rand.NewPCG(seed, id)) // the same for each mail to the Contact
	r := &reader{mail: mail, random: rand.New(rand.NewPCG(id, uint64(mail.Batch()))),
		agent: agents[choose(always, len(agents), func(i int) int { return agents[i].weight })].header}
	r.keen = math.Pow(always.Float64(), 2.9)
	switch n := always.IntN(1000); {
	case n < 5:
		r.kind = isGone
	case n < 8:
		r.kind = isFull
	case n < 85:
		r.kind = isProxied
	case n < 97:
		r.kind = isScanned
	}
	return r
}

// refuses returns the answer of a mail server that refuses the mail, or nil.
func (r *reader) refuses() *messages.Undelivered {
	if r.kind != isGone {
		return nil
	}
	return refusals[int(r.mail.Contact)%len(refusals)]
}

// expect adds what a recipient does with a mail to the timeline.
func (b *builder) expect(s *send, r *reader) {
	now := b.seconds.Load()
	switch r.kind {
	case isGone:
		return
	case isFull:
		b.add(now+60+r.random.Int64N(enlist.Hour), r.who(), func(ctx context.Context) error {
			_, err := b.app.Sending.Bounced(ctx, r.mail, bounces[int(r.mail.Contact)%len(bounces)])
			return err
		})
		return
	case isProxied:
		b.add(now+30+r.random.Int64N(40*60), r.who(),
			func(ctx context.Context) error { return b.open(ctx, r, proxyAgent) })
	case isScanned:
		b.add(now+5+r.random.Int64N(60), r.who(), func(ctx context.Context) error { return b.scan(ctx, s, r) })
	}
	if r.random.Float64() < r.keen*s.interest {
		b.read(s, r, b.awake(now+60+int64(r.random.ExpFloat64()*7*enlist.Hour), r))
	}
	if r.random.IntN(9000) == 0 {
		b.add(now+enlist.Day+r.random.Int64N(enlist.Day), enlist.PersonKey{}, func(ctx context.Context) error {
			_, err := b.app.Sending.Complained(ctx, r.mail, complaint)
			return err
		})
	}
}

// read adds that a person opens a mail, and perhaps clicks or leaves.
func (b *builder) read(s *send, r *reader, at int64) {
	b.add(at, r.who(), func(ctx context.Context) error { return b.open(ctx, r, r.agent) })
	switch n := r.random.IntN(1000); {
	case n < 135:
		first := s.pick(r)
		b.click(r, at+15+r.random.Int64N(200), s.ids[first])
		if second := s.pick(r); second != first && r.random.IntN(3) == 0 {
			b.click(r, at+240+r.random.Int64N(300), s.ids[second])
		}
	case n < 147:
		b.add(at+40, enlist.PersonKey{}, func(ctx context.Context) error { return b.leave(ctx, r) })
	case n < 190: // opens it again
		b.add(b.awake(at+enlist.Hour+r.random.Int64N(2*enlist.Day), r), r.who(),
			func(ctx context.Context) error { return b.open(ctx, r, r.agent) })
	}
}

// leave unsubscribes a person, who may say why.
func (b *builder) leave(ctx context.Context, r *reader) error {
	_, err := b.app.Sending.UnsubscribeByLink(ctx, r.mail, "198.51.100.7")
	all := contacts.DepartureReasons()
	if i := int(r.mail.Contact) % 6; err == nil && i < 5 {
		words := ""
		if i%len(all) == len(all)-1 {
			words = "I have no garden any more."
		}
		_, err = b.app.Sending.ExplainDeparture(ctx, r.mail, all[i%len(all)], words)
	}
	return err
}

// awake moves a time in the night to the next morning.
func (b *builder) awake(at int64, r *reader) int64 {
	if hour := time.Unix(at, 0).In(b.zone).Hour(); hour < 6 {
		return at + int64(7-hour)*enlist.Hour + r.random.Int64N(enlist.Hour)
	}
	return at
}

// pick returns the index of a link.
func (s *send) pick(r *reader) int {
	return choose(r.random, len(s.links), func(i int) int { return s.links[i].weight })
}

// who is the Contact, for the timeline.
func (r *reader) who() enlist.PersonKey {
	return enlist.PersonKey{List: r.mail.List, Contact: r.mail.Contact}
}

func (b *builder) open(ctx context.Context, r *reader, agent string) error {
	return b.app.Sending.Opened(ctx, enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: r.mail}, agent)
}

func (b *builder) click(r *reader, at int64, id enlist.LinkID) {
	b.add(at, r.who(), func(ctx context.Context) error {
		return b.app.Sending.Clicked(ctx, enlist.Link{Kind: enlist.LinkClick, DeliveryKey: r.mail, Target: id}, r.agent)
	})
}

// scan opens a mail and follows all its links at once.
func (b *builder) scan(ctx context.Context, s *send, r *reader) error {
	if err := b.open(ctx, r, scannerAgent); err != nil {
		return err
	}
	for _, id := range s.ids {
		l := enlist.Link{Kind: enlist.LinkClick, DeliveryKey: r.mail, Target: id}
		if err := b.app.Sending.Clicked(ctx, l, scannerAgent); err != nil {
			return err
		}
	}
	return nil
}
