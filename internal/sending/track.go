package sending

import (
	"cmp"
	"context"
	"slices"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/pace"
	"enlist/internal/recipients"
)

// This file stores opens and clicks of the mails of Batches and autoresponders. Each event is one transaction. It locks
// the recipient, changes its events and then adds to the sums of the Batch, which are divided into parts. decisions.md:
// 60

const (
	// handOver is the time after the hand-over, in seconds, in which only a program can open a mail or click.
	handOver = 2
	// burst is the time, in seconds, in which only a program clicks more than half of the links of a mail.
	burst = 10
)

// access is a request for the image or a link of a mail.
type access struct {
	enlist.Link
	batch enlist.BatchID // that has the figures of the mail
	agent pace.Agent
	now   int64
}

// track stores an open or a click, if the List tracks it. A mail that was not sent by a Batch, and has no figures of an
// autoresponder either, only changes the times of its Contact.
func (s *Service) track(ctx context.Context, l enlist.Link, agent pace.Agent) error {
	a := &access{Link: l, agent: agent, now: s.db.Now().Unix()}
	counts, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (bool, error) {
		var err error
		a.batch, err = a.figures(tx)
		if err != nil || a.batch == 0 {
			return false, err
		}
		return a.counts(tx)
	})
	switch {
	case err != nil:
		return err
	case a.batch == 0:
		return s.recordAccess(ctx, l.DeliveryKey, l.Kind == enlist.LinkClick)
	case !counts:
		return nil
	}
	return s.db.Update(ctx, a.store)
}

// figures returns the Batch that has the figures of the mail, or 0. A mail of an autoresponder can be opened before it
// is stored, and it can be older than the figures.
func (a *access) figures(tx *db.Tx) (enlist.BatchID, error) {
	id, err := batches.FiguresOf(tx, a.DeliveryKey)
	if err != nil || id == 0 {
		return 0, err
	}
	if a.DeliveryKey.Batch() != 0 {
		b, err := batches.ByID(tx, id)
		if err == nil && b.EventsRemoved != 0 {
			id = 0 // the mail has no figures any more
		}
		return id, enlist.IgnoreKind(enlist.NoBatch, err)
	}
	r, err := recipients.Load(tx, a.List, id, a.Contact)
	if err != nil {
		return 0, enlist.IgnoreKind(enlist.NotFound, err)
	}
	b, err := batches.ByID(tx, id)
	if err == nil && b.HasNoEvents(r) {
		id = 0
	}
	return id, enlist.IgnoreKind(enlist.NoBatch, err)
}

// counts reports whether an access changes something. A client that requests a link in a loop causes one event each
// second, and no transaction that writes for the other requests.
func (a *access) counts(tx *db.Tx) (bool, error) {
	schema, err := lists.Schema(tx, a.List)
	if err != nil {
		return false, enlist.IgnoreKind(enlist.NoList, err)
	}
	consent, err := contacts.Tracking(tx, a.List, a.Contact, a.now)
	if err != nil || !a.tracked(schema, consent) {
		return false, err
	}
	events, err := recipients.Events(tx, a.List, a.batch, a.Contact)
	return err == nil && !a.isRepeated(events), err
}

// tracked reports whether a List tracks this kind of access of a person.
func (a *access) tracked(schema *enlist.Schema, c enlist.TrackingConsent) bool {
	return schema.TracksOpens(c) || a.Kind == enlist.LinkClick && schema.TracksClicks(c)
}

// isRepeated reports whether the same access was stored in this second.
func (a *access) isRepeated(events []recipients.Event) bool {
	kind := recipients.EventOpened
	if a.Kind == enlist.LinkClick {
		kind = recipients.EventLink
	}
	e := recipients.EventOf(events, kind, a.Target)
	return e != nil && e.LastTime >= a.now
}

func (a *access) store(tx *db.Tx) error {
	schema, err := lists.Schema(tx, a.List)
	if err != nil {
		return enlist.IgnoreKind(enlist.NoList, err)
	}
	r, err := recipients.Load(tx, a.List, a.batch, a.Contact)
	if err != nil || !r.WasHandedOver() && r.Status != recipients.StatusSending {
		return enlist.IgnoreKind(enlist.NotFound, err)
	}
	events, err := recipients.Events(tx, a.List, a.batch, a.Contact)
	if err != nil || a.isRepeated(events) {
		return err
	}
	b, err := batches.ByID(tx, a.batch) // after its events, which can be removed meanwhile
	if err != nil || b.Status != batches.BatchRunning && b.CreationTime != a.Time || b.Status == batches.BatchDeleted ||
		b.HasNoEvents(r) {
		return enlist.IgnoreKind(enlist.NoBatch, err)
	}
	// The Contact is locked from here on, after its recipient as everywhere: a refusal comes before this, or waits.
	consent, err := contacts.Tracking(tx, a.List, a.Contact, cmp.Or(r.Sent, r.Time))
	if err != nil || !a.tracked(schema, consent) {
		return err
	}
	opens := schema.TracksOpens(consent) && r.Unmeasured&enlist.UnmeasuredOpens == 0
	t := &tracking{tx: tx, access: a, recipient: r, events: events, opens: opens,
		human: !a.agent.Machine && r.Status != recipients.StatusSending && a.now-r.Sent >= handOver}
	if a.Kind == enlist.LinkClick && schema.TracksClicks(consent) {
		if err := t.click(); err != nil {
			return err
		}
	}
	if t.opens {
		t.open()
	}
	return t.finish(schema, b)
}

// tracking collects the changes of one access.
type tracking struct {
	*access
	tx        *db.Tx
	recipient *recipients.Recipient
	human     bool
	opens     bool               // opens of this person are stored
	events    []recipients.Event // of the recipient, as they were
	changed   []*recipients.Event
	sums      recipients.Sums
	links     []recipients.LinkSums
	agents    []recipients.AgentSums
	publish   []enlist.WebhookEventType

	contradicted int64 // what a first open changes in Counts.Contradicted
}

// raise adds the access to the events of a kind. first is true if there was no event of this kind, and humanFirst if
// there was none by a person.
func (t *tracking) raise(kind recipients.EventKind,
	link enlist.LinkID) (e *recipients.Event, first, humanFirst bool) {
	stored := recipients.EventOf(t.events, kind, link)
	if stored == nil {
		e, first = t.recipient.NewEvent(kind, link, t.now), true
	} else {
		e = stored
		e.Count++
		e.LastTime = t.now
	}
	if t.human && e.Human == 0 {
		e.Human, humanFirst = t.now, true
	}
	t.changed = append(t.changed, e)
	return e, first, humanFirst
}

// open counts an open. A click counts as an open if the mail has none yet, because many programs show no images.
func (t *tracking) open() {
	stored := recipients.EventOf(t.events, recipients.EventOpened, 0)
	if t.Kind == enlist.LinkClick && stored != nil && (!t.human || stored.Human != 0) {
		return
	}
	e, first, humanFirst := t.raise(recipients.EventOpened, 0)
	switch {
	case t.Kind == enlist.LinkOpen:
		t.sums.Opens++
		t.sums.ImageOpened += db.Bit(first)
	case first:
		t.sums.ClickOpened++
	default:
		e.Count-- // the click shows only that a person has the mail open
	}
	t.sums.HumanOpened += db.Bit(humanFirst)
	if first {
		e.Device, e.Client = t.agent.Device, t.agent.Client
		t.agents = append(t.agents, recipients.AgentSums{Device: e.Device, Client: e.Client, Opened: 1})
		t.publish = append(t.publish, enlist.WebhookOpened)
		t.contradicted = t.recipient.Contradicted(append(t.events, *e)) - t.recipient.Contradicted(t.events)
	}
}

func (t *tracking) click() error {
	message, url, err := messages.LinkTarget(t.tx, t.Target)
	if err != nil {
		return enlist.IgnoreKind(enlist.NoLink, err)
	}
	links, err := messages.Links(t.tx, message)
	if err != nil {
		return err
	}
	sent, err := SentLinks(t.tx, t.batch, message, links)
	if err != nil {
		return err
	}
	if t.isBurst(len(sent)) {
		t.human = false
		t.withdraw(links)
	}
	_, first, humanFirst := t.raise(recipients.EventLink, t.Target)
	t.links = append(t.links, recipients.LinkSums{Link: t.Target, URL: url, Clicks: 1, Contacts: db.Bit(first),
		Humans: db.Bit(humanFirst)})
	t.sums.Clicks++
	t.sums.LinksClicked += db.Bit(first)
	t.sums.HumanLinks += db.Bit(humanFirst)
	if first {
		t.publish = append(t.publish, enlist.WebhookClicked)
	}
	_, first, humanFirst = t.raise(recipients.EventClicked, 0)
	t.sums.Clicked += db.Bit(first)
	t.sums.HumanClicked += db.Bit(humanFirst)
	return nil
}

// isBurst reports whether more than half of the mail's links were clicked within burst seconds. One link alone is no
// burst.
func (t *tracking) isBurst(links int) bool {
	clicked := 1
	for i := range t.events {
		e := &t.events[i]
		if e.Kind == recipients.EventLink && e.Link != t.Target && e.LastTime >= t.now-burst {
			clicked++
		}
	}
	return clicked > 1 && 2*clicked > links
}

// withdraw takes back that a person caused the events of a burst.
func (t *tracking) withdraw(links []messages.Link) {
	for i := range t.events {
		e := &t.events[i]
		if e.Human == 0 || e.Human < t.now-burst {
			continue
		}
		switch e.Kind {
		case recipients.EventLink:
			t.sums.HumanLinks--
			url := ""
			if i := slices.IndexFunc(links, func(l messages.Link) bool { return l.ID == e.Link }); i >= 0 {
				url = links[i].URL
			}
			t.links = append(t.links, recipients.LinkSums{Link: e.Link, URL: url, Humans: -1})
		case recipients.EventClicked:
			t.sums.HumanClicked--
		case recipients.EventOpened:
			t.sums.HumanOpened--
		default:
			continue
		}
		e.Human = 0
		t.changed = append(t.changed, e)
	}
}

// finish stores the changes. The rows of the Batch's sums are locked last and in order.
func (t *tracking) finish(schema *enlist.Schema, b *batches.Batch) error {
	for _, e := range t.changed {
		if err := e.Put(t.tx); err != nil {
			return err
		}
	}
	var opened, clicked int64
	if t.opens {
		opened = t.now
	}
	if t.sums.Clicks > 0 {
		clicked = t.now
	}
	if err := contacts.RaiseTimes(t.tx, t.List, t.Contact, 0, opened, clicked); err != nil {
		return err
	}
	if err := events.PublishAbout(t.tx, schema, batches.AboutMail(t.DeliveryKey, b.ID, t.now),
		t.publish...); err != nil {
		return err
	}
	part := b.SumPart(t.Contact)
	if err := recipients.AddSums(t.tx, t.batch, b.Period(t.now), part, &t.sums); err != nil {
		return err
	}
	slices.SortFunc(t.links, func(a, b recipients.LinkSums) int { return int(a.Link - b.Link) })
	for i := range t.links {
		if err := recipients.AddLink(t.tx, t.batch, part, &t.links[i]); err != nil {
			return err
		}
	}
	for i := range t.agents {
		if err := recipients.AddAgent(t.tx, t.batch, part, &t.agents[i]); err != nil {
			return err
		}
	}
	if err := t.recipient.AddDomainEvents(t.tx, &t.sums); err != nil {
		return err
	}
	if t.contradicted == 0 {
		return nil
	}
	return batches.AddToBatch(t.tx, t.batch, recipients.Counts{Contradicted: t.contradicted}, t.now)
}

// SentLinks returns those links of a Message that are in an Edition which the Batch has sent. If it has sent none, or
// has the figures of an autoresponder, these are the links that the Message has now.
func SentLinks(tx *db.Tx, id enlist.BatchID, message enlist.MessageID,
	links []messages.Link) ([]messages.Link, error) {
	editions, err := recipients.Editions(tx, id)
	if err != nil {
		return nil, err
	}
	editions = slices.DeleteFunc(editions, func(e recipients.Edition) bool { return e.Message != message })
	var newest int64
	for i := range links {
		newest = max(newest, links[i].Until)
	}
	if len(editions) == 0 {
		editions = []recipients.Edition{{MessageTime: newest}}
	}
	return slices.DeleteFunc(slices.Clone(links), func(l messages.Link) bool {
		return l.Until != 0 && !slices.ContainsFunc(editions, func(e recipients.Edition) bool {
			return l.Since <= e.MessageTime && e.MessageTime <= l.Until
		})
	}), nil
}
